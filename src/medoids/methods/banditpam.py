"""BanditPAM: PAM's trajectory, each step found by adaptive search."""

from __future__ import annotations

from ..engines.cpu.state import State
from ..search.bandit import Bandit, hold
from ..search.eager import eager
from .loops import build_and_swap
from .settings import Settings


def banditpam(settings: Settings, *, swap: str = "best") -> tuple[State, int]:
    """Follow PAM, estimating what PAM computes.

    Parameters
    ----------
    settings : Settings
    swap : {"best", "eager"}, default="best"
        Take the best of all swaps, as PAM does; or, for many clusters, all those that a
        search comes upon: the end is a local optimum too, though not PAM's.
    """
    if swap not in ("best", "eager"):
        raise ValueError(f"swap={swap!r} is unknown: choose 'best' or 'eager'.")
    settings = hold(settings)
    state = State(settings.points.n, settings.n_clusters)
    if swap == "eager":
        return state, eager(settings, state)
    return state, build_and_swap(settings, state, Bandit(settings, state).best)
