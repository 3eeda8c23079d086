"""Looking for the first good swap among some arms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._threads import Workers
from ..._types import Floats, Indices
from . import kernels
from .kernels import few
from .kernels.tuples import Clips
from .state import State
from .step import Step

# Arms that one thread looks at in one go.
_SPAN = 64

Look = Callable[[Indices, Indices], tuple[int, int]]


def lookout(
    state: State,
    rows: Floats,
    workers: Workers,
    bar: float = 0.0,
    allowed: NDArray[np.bool_] | None = None,
) -> Look:
    """A function of arms, and of their places in `rows`.

    It finds the first arm with a swap that changes the loss by less than `bar`, and the
    medoid that goes; -1 if there is none. It is good until the state changes. Arms that are not
    `allowed` are passed over.
    """
    step = Step(state, swap=True)
    cap, base, cap2, base2 = (each.astype(rows.dtype) for each in step.clips[:4])
    clips = Clips(cap, base, cap2, base2, step.owner)
    removal = step.removal * step.n
    shut = np.zeros(max(len(rows), step.n), dtype=bool) if allowed is None else ~allowed
    shut[state.medoids] = True
    loops: Any = few if few.are_few(rows, step.n) else kernels

    def look(arms: Indices, slots: Indices) -> tuple[int, int]:
        found = np.full((-(-len(arms) // _SPAN), 2), -1)
        closed = shut[arms]

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            place, position = loops.first_better(
                rows, slots[part], closed[part], clips, removal, bar
            )
            found[start // _SPAN] = start + place if place >= 0 else -1, position

        workers.each(work, len(arms), _SPAN)
        first = found[(found[:, 0] >= 0).argmax()]
        return int(first[0]), int(first[1])

    return look
