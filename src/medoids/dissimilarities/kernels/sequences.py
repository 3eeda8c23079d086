"""Dynamic time warping, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def dtw_block(left, right, arms, refs, window, out):  # type: ignore[no-untyped-def]
    """Fill `out[i, j]` with the cost of aligning sequence `arms[i]` with `refs[j]`.

    `left` and `right` are `Sequences`.
    """
    starts, starts2 = left.starts, right.starts
    widest = 0
    for j in range(refs.shape[0]):
        widest = max(widest, starts2[refs[j] + 1] - starts2[refs[j]])
    above, here = np.empty(widest + 1), np.empty(widest + 1)
    for i in range(arms.shape[0]):
        a = left.values[starts[arms[i]] : starts[arms[i] + 1]]
        for j in range(refs.shape[0]):
            b = right.values[starts2[refs[j]] : starts2[refs[j] + 1]]
            out[i, j] = _align(a, b, window, above, here)


@njit(nogil=True, cache=True)
def _align(a, b, window, above, here):  # type: ignore[no-untyped-def]
    n, m = a.shape[0], b.shape[0]
    band = max(window, abs(n - m)) if window >= 0 else max(n, m)
    above[: m + 1] = np.inf
    above[0] = 0.0
    for x in range(1, n + 1):
        low, high = max(1, x - band), min(m, x + band)
        here[: m + 1] = np.inf
        for y in range(low, high + 1):
            total = 0.0
            if a.shape[1] == 1:
                total = abs(a[x - 1, 0] - b[y - 1, 0])
            else:
                for c in range(a.shape[1]):
                    total += (a[x - 1, c] - b[y - 1, c]) ** 2
                total = np.sqrt(total)
            here[y] = total + min(above[y], above[y - 1], here[y - 1])
        above, here = here, above
    return above[m]
