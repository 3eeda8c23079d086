"""What the arm that seems best leads to, before the host knows which it is: one copy tells all."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from .carried import Concluded
from .sums import Paid, padded, pay, weigh

Tensor = Any
# Arms that are looked at together, and arms that may be as good as the best that are told.
_ARMS, TOLD = 1024, 64


@triton.jit
def _take_below(
    values_, changes_, seems_, seem_, slack_, told_, n, count, k, fixed, more, most,
    SWAP: tl.constexpr, SLACK: tl.constexpr, CHANGES: tl.constexpr, CLUSTERS: tl.constexpr,
    ARMS: tl.constexpr,
):  # fmt: skip
    """List some of the arms whose values are not above a bar, in any order; and the best of few."""
    i, j = tl.arange(0, CHANGES), tl.arange(0, CLUSTERS)
    here = (i < count)[:, None] & (j < k)[None, :]
    from_ = i[:, None] * k + j[None, :]
    changes = tl.load(changes_ + from_, mask=here, other=float("inf"))
    each = tl.min(tl.where((j >= fixed)[None, :], changes, float("inf")), axis=1)
    lowest, at = tl.min(each, axis=0, return_indices=True)
    bar = lowest / n.to(tl.float64)
    if SWAP:  # to do nothing is an arm too
        bar = tl.minimum(bar, 0.0)
    if SLACK:
        slack = tl.load(slack_)
        bar += slack * (1 + 1e-6)
    bar = tl.minimum(bar + more, 1.7976931348623157e308)
    if tl.program_id(0) == 0:
        tl.store(told_ + most + 1, bar)
        tl.store(told_ + most + 2, tl.load(seem_ + at).to(tl.float64))
        if SLACK:
            tl.store(told_ + most + 4, slack)
        few = told_ + most + 5 + i
        tl.store(few, tl.load(seems_ + i, mask=i < count, other=0.0), mask=i < count)
        arms = tl.load(seem_ + i, mask=i < count, other=0).to(tl.float64)
        tl.store(few + count, arms, mask=i < count)
        tl.store(told_ + most + 5 + 2 * count + from_, changes, mask=here)
    arm = tl.program_id(0) * ARMS + tl.arange(0, ARMS)
    values = tl.load(values_ + arm, mask=arm < n, other=float("inf"))
    below = (values <= bar).to(tl.int32)
    found = tl.sum(below, axis=0)
    if found > 0:
        first = tl.atomic_add(told_, found.to(tl.float64)).to(tl.int32)
        place = first + tl.cumsum(below, axis=0)
        tl.store(told_ + place, arm.to(tl.float64), mask=(below > 0) & (place <= most))


class Told(NamedTuple):
    """What the device tells the host of a step; first it is one array there, in float64.

    Attributes
    ----------
    listed : array
        How many arms may be as good as the best of few, and up to so many of them, in any order.
    bar : array
        The value that theirs are not above.
    arm, position : array
        The best of few, and whom it replaces.
    slack : array
        What values may be apart, where the host does not know it.
    seems, seem, changes : array
        The values of few arms that seem best, which they are, and what they change in all with each
        medoid gone.
    weighed : array
        What the arm changes in all; and more, with each medoid gone.
    paid : array
        See `Paid`.
    """

    listed: Any
    bar: Any
    arm: Any
    position: Any
    slack: Any
    seems: Any
    seem: Any
    changes: Any
    weighed: Any
    paid: Any

    @classmethod
    def of(cls, whole: Any, few: int, width: int, k: int, swap: bool) -> Told:
        """The parts of an array, of few arms that may replace `width` medoids, of k then."""
        sizes = (1 + TOLD, 1, 1, 1, 1, few, few, few * width, width + 1 if swap else 1, 2 * k + 5)
        ends = list(accumulate(sizes))
        parts = [whole[end - size : end] for size, end in zip(sizes, ends, strict=True)]
        return cls(*parts)


def told(
    found: Concluded, seems: Tensor, seem: Tensor, changes: Tensor, fixed: int, swap: bool,
    more: float, slack: Tensor | None, k: int,
) -> tuple[Tensor, Told]:  # fmt: skip
    """Arms whose values are not above the best of few by `more` and `slack`.

    And room for what that leads to.

    Parameters
    ----------
    found : Concluded
    seems, seem : array
        The values of few arms that seem best, and which these are.
    changes : array of shape (few, k), or (few, 1)
        What they change in all, with each medoid gone.
    fixed : int
        So many of the first medoids stay.
    swap : bool
    more : float
    slack : array of shape (1,) or None
    k : int
        How many medoids there will be.
    """
    n, (few, width), device = found.values.shape[0], changes.shape, changes.device
    size = TOLD + 5 + few * (2 + width) + (width + 1 if swap else 1) + 2 * k + 5
    whole = torch.zeros(size, dtype=torch.float64, device=device)
    _take_below[(triton.cdiv(n, _ARMS),)](
        found.values, changes.contiguous(), seems, seem, seems if slack is None else slack, whole,
        n, few, width, fixed, more, TOLD,
        SWAP=swap, SLACK=slack is not None, CHANGES=padded(few, 2),
        CLUSTERS=padded(width, 2), ARMS=_ARMS,
    )  # fmt: skip
    return whole, Told.of(whole, few, width, k, swap)


def followed(
    about: Told, row: Tensor, rows: Tensor, state: Any, swap: bool, fixed: int
) -> Paid:  # fmt: skip
    """What the arm at distances `row` changes, and what points pay once it is a medoid.

    The first is told, and what all pay; `rows` are those of medoids, with room for it.
    """
    torch.sum(weigh(row, state, swap, state.weights), dim=0, out=about.weighed)
    found, parts = pay(rows, state.weights, row, about.weighed, about.position, swap, fixed)
    torch.sum(parts, dim=0, out=about.paid)
    return found._replace(sums=about.paid)
