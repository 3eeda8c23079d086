"""BanditPAM as published: Algorithm 1 of Tiwari et al. 2020, with all its constants."""

from __future__ import annotations

from ..engines.protocol import Changes, Medoids
from ..search.rounds import Choice, Round
from .loops import build_and_swap
from .settings import Settings


def banditpam_original(
    settings: Settings,
    *,
    cache: bool = False,
    paired: bool = False,
    replacement: bool = True,
    null_arm: bool = False,
) -> tuple[Medoids, int]:
    """Batches of 100 references with replacement, sigma from the first of them.

    A target is a point (BUILD) or a pair of a medoid and a point (SWAP); the pairs of
    one point share its distances (the FastPAM1 form). Nothing is kept between searches.
    The switches change that, one thing at a time, to tell what each change brings.

    Parameters
    ----------
    settings : Settings
    cache : bool, default=False
        All searches draw the same references in the same order, and distances are kept,
        as far as `memory_limit` allows: none is computed twice.
    paired : bool, default=False
        An interval is that of the difference to the leader (the target with the lowest
        mean so far) on the same references.
    replacement : bool, default=True
        False draws references without replacement: an interval shrinks by
        sqrt(1 - m/n) after m of them, to nothing at n.
    null_arm : bool, default=False
        A swap whose lower bound is above zero is dropped: to do nothing is better.
    """
    changes = Changes(cache, paired, replacement, null_arm)
    for name, value in changes._asdict().items():
        if not isinstance(value, bool):
            raise TypeError(f"method_params[{name!r}] must be True or False, got {value!r}.")
    engine = settings.engine

    def best(swap: bool) -> Choice:
        targets, rounds = engine.targets(swap, settings.delta, changes), []
        while targets.used < engine.n and targets.left > 1:
            came = targets.left
            targets.measure()
            targets.drop()
            rounds.append(Round(came, targets.used, targets.left))
        return Choice(rounds, targets.quartiles, *(targets.best() or ()))

    return engine, build_and_swap(settings, engine, best)
