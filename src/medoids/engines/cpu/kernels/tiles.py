"""Block kernels made from a metric's leaf functions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import njit

from ....dissimilarities.metrics import Leaf
from .vectors import smaller

# Sums may be reordered, which is what lets them vectorise; NaN and infinity
# keep their meaning.
_REORDER = {"reassoc", "nsz", "contract", "arcp"}
# References that stay in the second-level cache while the arms pass by.
_PANEL = 128
# References side by side under a maximum.
_WIDE = 64


@cache
def largest_kernel(term: Leaf, finish: Leaf) -> Any:
    """The same as `block_kernel` for a maximum over the coordinates.

    A maximum along a row does not vectorise, since NaN would get lost. So 64 references
    stand side by side, a line for each coordinate, and each has its own maximum.
    """

    @njit(nogil=True, cache=True, fastmath=_REORDER)
    def block(left, right, p, out):  # type: ignore[no-untyped-def]
        rows, cols, size = left.shape[0], right.shape[0], left.shape[1]
        real = left.dtype.type
        lines = np.zeros((size + 3, _WIDE), dtype=left.dtype)
        most = np.empty(_WIDE, dtype=left.dtype)
        x = np.zeros(size + 3, dtype=left.dtype)
        for start in range(0, cols, _WIDE):
            width = smaller(_WIDE, cols - start)
            for j in range(width):
                for q in range(size):
                    lines[q, j] = right[start + j, q]
            for i in range(rows):
                x[:size] = left[i]
                most[:] = 0
                # Beyond the last coordinate both are zero, and differ by nothing.
                for q in range(0, size, 4):
                    a, b, c, d = x[q], x[q + 1], x[q + 2], x[q + 3]
                    one, two, three, four = lines[q], lines[q + 1], lines[q + 2], lines[q + 3]
                    for r in range(_WIDE):
                        e, f = term(a, one[r], p)[0], term(b, two[r], p)[0]
                        g, h = term(c, three[r], p)[0], term(d, four[r], p)[0]
                        e, g = (f if f > e else e), (h if h > g else g)
                        e = g if g > e else e
                        most[r] = e if e > most[r] else most[r]
                for j in range(width):
                    out[i, start + j] = finish(most[j], real(0), size, p)

    return block


@cache
def block_kernel(term: Leaf, finish: Leaf) -> Any:
    """The kernel that fills `out[i, j]` with the distance of `left[i]` and `right[j]`.

    Two rows by four stay in registers: each coordinate loaded serves 8 distances.
    """

    @njit(nogil=True, cache=True, fastmath=_REORDER)
    def block(left, right, p, out):  # type: ignore[no-untyped-def]
        rows, cols, size = left.shape[0], right.shape[0], left.shape[1]
        real = left.dtype.type
        zero = real(0)
        for start in range(0, cols, _PANEL):
            stop = smaller(start + _PANEL, cols)
            i = 0
            while i < rows:
                # The last row, when alone, is computed twice rather than by other code.
                i2 = smaller(i + 1, rows - 1)
                x, y = left[i], left[i2]
                j = start
                while j < stop:
                    last = stop - 1
                    j2, j3, j4 = smaller(j + 1, last), smaller(j + 2, last), smaller(j + 3, last)
                    r, s, t, u = right[j], right[j2], right[j3], right[j4]
                    a1 = a2 = a3 = a4 = b1 = b2 = b3 = b4 = zero
                    c1 = c2 = c3 = c4 = d1 = d2 = d3 = d4 = zero
                    for q in range(size):
                        e1, f1 = term(x[q], r[q], p)
                        e2, f2 = term(x[q], s[q], p)
                        e3, f3 = term(x[q], t[q], p)
                        e4, f4 = term(x[q], u[q], p)
                        g1, h1 = term(y[q], r[q], p)
                        g2, h2 = term(y[q], s[q], p)
                        g3, h3 = term(y[q], t[q], p)
                        g4, h4 = term(y[q], u[q], p)
                        a1 += real(e1)
                        a2 += real(e2)
                        a3 += real(e3)
                        a4 += real(e4)
                        b1 += real(g1)
                        b2 += real(g2)
                        b3 += real(g3)
                        b4 += real(g4)
                        c1 += real(f1)
                        c2 += real(f2)
                        c3 += real(f3)
                        c4 += real(f4)
                        d1 += real(h1)
                        d2 += real(h2)
                        d3 += real(h3)
                        d4 += real(h4)
                    out[i, j] = finish(a1, c1, size, p)
                    out[i, j2] = finish(a2, c2, size, p)
                    out[i, j3] = finish(a3, c3, size, p)
                    out[i, j4] = finish(a4, c4, size, p)
                    out[i2, j] = finish(b1, d1, size, p)
                    out[i2, j2] = finish(b2, d2, size, p)
                    out[i2, j3] = finish(b3, d3, size, p)
                    out[i2, j4] = finish(b4, d4, size, p)
                    j += 4
                i += 2

    return block
