"""What kernels do, in NumPy, where points are few: to compile these takes longer than the fit.

Which of the two is taken depends on the metric and the size of the data alone, so that a fit gives
the same bits whatever has been compiled before. The names are those of the kernels. No Numba here:
this module is imported by name, as `tuples` is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ...._types import Floats, Indices
from ....dissimilarities.metrics import Metric
from .tuples import Clips

# So many points are few; and so many numbers are added up for all distances between them, where a
# product does not give them first.
FEW = 2000
_SUMMED = 1e9
# Numbers of a row from which on it does.
_WIDE = 64
# As in `products.py`.
_LOST = np.float32(1e-3)
# Numbers that are worked on at a time.
_AT_ONCE = 200_000

Values = NDArray[np.float64]
Near = tuple[NDArray[np.int32], NDArray[np.int32], Values, Values]


def is_few(n: int, width: int = 1, metric: Metric | None = None) -> bool:
    """Whether all distances between so many rows, each so wide, are taken without a kernel."""
    by_product = metric is not None and by_products(metric, width)
    return n <= FEW and (by_product or float(n) * n * width <= _SUMMED)


def are_few(rows: Floats, n: int) -> bool:
    """Whether rows of distances to n points are summed without a kernel: both have to be few.

    A batch has few points, but a row for everyone who may become a medoid.
    """
    return max(len(rows), n) <= FEW


def by_products(metric: Metric, width: int) -> bool:
    """Whether distances of few rows are found in float32 first, by a product."""
    return metric.term == "square" and width > _WIDE


def tally(
    owner: NDArray[np.int32], nearest: Values, second: Values, members: Indices, sums: Values,
    sizes: Values,
) -> None:  # fmt: skip
    """Fill in the fields of a `Tally`."""
    k = len(members)
    members[:] = np.bincount(owner, minlength=k)
    for line, value in zip(sums, (nearest, second, second - nearest), strict=True):
        line[:] = np.bincount(owner, value, k)
    sizes[:] = np.abs(nearest).sum(), np.abs(second).sum()


def reassign(row: Floats, k: int, position: int, rows: Floats, near: Near) -> None:
    """Bring every column's lowest and second-lowest row up to date with the one at `position`."""
    owner, other, nearest, second = near
    lost = (owner == position) | (other == position)
    first = ~lost & ((row < nearest) | ((row == nearest) & (position < owner)))
    next_ = ~lost & ~first & (row < second)
    second[first], other[first] = nearest[first], owner[first]
    nearest[first], owner[first] = row[first], position
    second[next_], other[next_] = row[next_], position
    # What the old row had a part in is looked at anew.
    far, every = rows[:k, lost], np.arange(int(lost.sum()))
    lowest = far.argmin(axis=0)
    owner[lost], nearest[lost] = lowest, far[lowest, every]
    other[lost], second[lost] = -1, np.inf
    if k > 1:
        far[lowest, every] = np.inf
        lowest = far.argmin(axis=0)
        other[lost], second[lost] = lowest, far[lowest, every]


def total_rewards(
    rows: Floats, slots: Indices, clips: Clips, swap: bool, shared: Values, extra: Values
) -> None:
    """Sum the rewards of the rows at `slots`; see `kernels/values.py`."""
    cap, base, cap2, base2, owner = clips
    if not swap:
        for part in _parts(len(slots), len(cap)):
            shared[part] = _rewards(rows[slots[part], : len(cap)], cap, base)
        return
    for part, some, g, mine in _by_owner(rows, slots, owner):
        stays = _rewards(some, cap[mine], base[mine])
        shared[part] += stays
        extra[part, g] += _rewards(some, cap2[mine], base2[mine]) - stays


def total_changes(
    rows: Floats, slots: Indices, clips: Clips, swap: bool, shared: Values, extra: Values
) -> None:
    """The same, with what the removal of a medoid costs in `extra`, point by point."""
    cap, base, cap2, _, owner = clips
    for part, some, g, mine in _by_owner(rows, slots, owner):
        stays = np.minimum(some, cap[mine])
        shared[part] += (stays - base[mine]).sum(axis=1)
        extra[part, g] += (np.minimum(some, cap2[mine]) - stays).sum(axis=1)


def first_better(
    rows: Floats,
    slots: Indices,
    closed: NDArray[np.bool_],
    clips: Clips,
    removal: Values,
    bar: float,
) -> tuple[int, int]:
    """The first of the arms at `slots` with a swap below `bar`, and whom it replaces."""
    shared, extra = np.zeros(len(slots)), np.zeros((len(slots), len(removal)))
    total_rewards(rows, slots, clips, True, shared, extra)
    values = shared[:, None] + extra + removal
    good = np.flatnonzero((values.min(axis=1) < bar) & ~closed)
    return (int(good[0]), int(values[good[0]].argmin())) if len(good) else (-1, -1)


def add_rewards(
    turned: Floats, points: Indices, clips: Clips, sums: tuple[Values, Values], sign: float
) -> None:
    """Add what all arms change at some points, or take it away.

    Parameters
    ----------
    turned : ndarray of shape (points, arms)
        All distances, a row for each point.
    points : ndarray of int
    clips : Clips
        Of all points.
    sums : tuple of ndarray, of shapes (arms,) and (k, arms)
        If no medoid goes; and what is added where each one does. In BUILD k is 0.
    sign : float
    """
    cap, base, cap2, base2, owner = clips
    shared, extra = sums
    groups = owner[points] if len(extra) else np.zeros(len(points), dtype=np.int64)
    order = np.argsort(groups, kind="stable")
    for mine in np.split(points[order], np.flatnonzero(np.diff(groups[order])) + 1):
        for part in _parts(len(mine), turned.shape[1]):
            some = mine[part]
            far = turned[some]
            stays = np.minimum(far, cap[some, None])
            stays -= base[some, None]
            total = sign * stays.sum(axis=0)
            shared += total
            if len(extra):
                goes = np.minimum(far, cap2[some, None])
                goes -= base2[some, None]
                extra[owner[some[0]]] += sign * goes.sum(axis=0) - total


def _rewards(distances: Floats, cap: Floats, base: Floats) -> Values:
    """The sum of each arm's rewards at some points."""
    each = np.minimum(distances, cap)
    each -= base
    return np.asarray(each.sum(axis=1))


def _by_owner(
    rows: Floats, slots: Indices, owner: Indices
) -> Iterator[tuple[slice, Floats, int, Indices]]:
    """Distances of some arms at a time to the points of one owner after the other."""
    order = np.argsort(owner, kind="stable")
    cuts = np.flatnonzero(np.diff(owner[order])) + 1
    groups = [(int(owner[mine[0]]), mine) for mine in np.split(order, cuts)]
    for part in _parts(len(slots), len(owner)):
        some = rows[slots[part]]
        for g, mine in groups:
            yield part, np.take(some, mine, axis=1), g, mine


def _parts(count: int, width: int) -> Iterator[slice]:
    """Some of so many rows at a time, each of which takes so many numbers."""
    size = max(_AT_ONCE // max(width, 1), 1)
    return (slice(at, min(at + size, count)) for at in range(0, count, size))


def exact(metric: Metric) -> Callable[..., None]:
    """Exact distances, as by `kernels.exact_kernel`: a pair has the same bits in whatever block."""
    sums, finish = _SUMS[metric.term, metric.largest], _FINISHES[metric.finish]

    def fill(
        left: Floats,
        left_form: Values,
        right: Floats,
        right_form: Values,
        p: float,
        out: Floats,
        begin: int,
    ) -> None:
        x, y = _shaped(left, left_form), _shaped(right, right_form)
        total, other = sums(x, y, p)
        if left_form[:, 2].any() or right_form[:, 2].any():
            total += (left_form[:, 2:] - right_form[:, 2]) ** 2
        out[:, begin : begin + len(y)] = finish(total, other, y.shape[1], p)

    return fill


def _shaped(rows: Floats, form: Values) -> Values:
    """Rows shifted and scaled, where that changes them: see `ShapedRows`."""
    found = rows.astype(np.float64, copy=False)
    if form[:, 0].any():
        found = found - form[:, :1]
    return found * form[:, 1:2] if (form[:, 1] != 1).any() else found


def epilogue(metric: Metric) -> Callable[..., None]:
    """Distances from products, as by `kernels.epilogue_kernel`."""
    finish = _FINISHES[metric.finish]

    def fill(
        product: Floats, left: Floats, right: Floats, left_sq: Floats, right_sq: Floats,
        left_pad: Floats, right_pad: Floats,
    ) -> None:  # fmt: skip
        norms = left_sq[:, None] + right_sq
        product *= -2
        product += norms
        # What has lost its digits is summed again from the differences.
        i, j = np.nonzero(product < _LOST * norms)
        for part in _parts(len(i), left.shape[1]):
            product[i[part], j[part]] = np.square(left[i[part]] - right[j[part]]).sum(axis=1)
        if left_pad.any() or right_pad.any():
            product += (left_pad[:, None] - right_pad) ** 2
        product[:] = finish(product, 0.0, left.shape[1], 0.0)

    return fill


def has(metric: Metric) -> bool:
    """Whether `exact` knows a metric."""
    return (metric.term, metric.largest) in _SUMS and metric.finish in _FINISHES


def _by_scipy(name: str) -> Callable[..., tuple[Values, float]]:
    """Sums that are a distance of SciPy, which takes one pair of rows after another."""
    return lambda x, y, p: (cdist(x, y, name), 0.0)


def _summed(term: Callable[..., tuple[Floats, ...]]) -> Callable[..., tuple[Values, Values]]:
    """The sums of what each coordinate adds."""

    def sums(x: Values, y: Values, p: float) -> tuple[Values, Values]:
        found = np.zeros((2, len(x), len(y)))
        for part in _parts(len(x), y.size):
            # Along the last axis NumPy adds in an order that depends on its length alone.
            for total, each in zip(found, term(x[part, None, :], y, p), strict=False):
                total[part] = each.sum(axis=2)
        return found[0], found[1]

    return sums


def _relative(a: Floats, b: Floats, p: float) -> tuple[Floats]:
    size = abs(a) + abs(b)
    return (np.divide(abs(a - b), size, out=np.zeros_like(size), where=size > 0),)


def _ratio(total: Floats, other: Floats, size: int, p: float) -> Floats:
    return np.divide(total, other, out=np.zeros_like(total), where=other > 0)


# As in `dissimilarities/kernels/terms.py`, for arrays; by the name of a term, and whether the
# largest counts.
_SUMS: dict[tuple[str, bool], Callable[..., tuple[Values, Any]]] = {
    ("square", False): _by_scipy("sqeuclidean"),
    ("absolute", False): _by_scipy("cityblock"),
    ("absolute", True): _by_scipy("chebyshev"),
    ("power", False): _summed(lambda a, b, p: (abs(a - b) ** p,)),
    ("relative", False): _summed(_relative),
    ("shares", False): _summed(lambda a, b, p: (abs(a - b), abs(a + b))),
    ("differs", False): _summed(lambda a, b, p: (a != b,)),
    ("differs_of_any", False): _summed(lambda a, b, p: (a != b, (a != 0) | (b != 0))),
}
_FINISHES: dict[str, Callable[..., Floats]] = {
    "total_": lambda total, other, size, p: total,
    "half": lambda total, other, size, p: 0.5 * total,
    "root": lambda total, other, size, p: np.sqrt(total),
    "root_p": lambda total, other, size, p: total ** (1.0 / p),
    "per_size": lambda total, other, size, p: total / size,
    "ratio": _ratio,
    "chord_angle": lambda total, other, size, p: (
        2.0 * np.arcsin(np.minimum(0.5 * np.sqrt(total), 1.0))
    ),
}
