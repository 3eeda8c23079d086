"""Compiled loops that list points group by group, and pick what is known of some."""

from __future__ import annotations

from numba import njit


@njit(nogil=True, cache=True)
def group(order, of, ids, bounds):  # type: ignore[no-untyped-def]
    """List points group by group, each group's as they come in the order; where each begins.

    Parameters
    ----------
    order : ndarray of int
    of : ndarray of int
        The group of each point.
    ids : ndarray of int
        The list.
    bounds : ndarray of int
        Zeros, one for each group and one more; then where each begins, and the end.
    """
    for j in range(of.shape[0]):
        bounds[of[j] + 1] += 1
    for g in range(1, bounds.shape[0]):
        bounds[g] += bounds[g - 1]
    at = bounds.copy()
    for i in range(order.shape[0]):
        g = of[order[i]]
        ids[at[g]] = order[i]
        at[g] += 1


@njit(nogil=True, cache=True)
def tally(owner, nearest, second, members, sums, sizes):  # type: ignore[no-untyped-def]
    """How many points each medoid owns, and three sums over these; see `Tally`. All come as zeros.

    And the sums over all points of the sizes of both distances.
    """
    near, far = 0.0, 0.0
    for j in range(owner.shape[0]):
        g, one, two = owner[j], nearest[j], second[j]
        members[g] += 1
        sums[0, g] += one
        sums[1, g] += two
        sums[2, g] += two - one
        near += abs(one)
        far += abs(two)
    sizes[0], sizes[1] = near, far


@njit(nogil=True, cache=True)
def gather(rows, slots, ids, out):  # type: ignore[no-untyped-def]
    """Pick some columns of the rows at `slots`: a line of `out` for each row."""
    for i in range(slots.shape[0]):
        row, line = rows[slots[i]], out[i]
        for j in range(ids.shape[0]):
            line[j] = row[ids[j]]
