"""Kernels for metrics that are functions of a sum of squares: one BLAS product a block."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import njit

from ....dissimilarities.metrics import Leaf

# A squared distance below this share of the two squared norms has lost its
# digits in float32, and is summed again from the differences.
_LOST = 1e-3


@cache
def epilogue_kernel(finish: Leaf) -> Any:
    """The kernel that turns inner products into distances, in their place.

    `product[i, j]` becomes `finish(|left_i|² + |right_j|² - 2 left_i·right_j)`; the two
    `pad` vectors stand for a further coordinate that the product did not see.
    """

    @njit(nogil=True, cache=True, fastmath={"reassoc", "nsz", "contract"})
    def epilogue(product, left, right, left_sq, right_sq, left_pad, right_pad):  # type: ignore[no-untyped-def]
        rows, cols, size = left.shape[0], right.shape[0], left.shape[1]
        real = left.dtype.type
        two, lost = real(2), real(_LOST)
        totals = np.empty(cols, dtype=product.dtype)
        for i in range(rows):
            line = product[i]
            lost_any = False
            for j in range(cols):
                norms = left_sq[i] + right_sq[j]
                totals[j] = norms - two * line[j]
                lost_any |= totals[j] < lost * norms
            if lost_any:
                for j in range(cols):
                    if totals[j] < lost * (left_sq[i] + right_sq[j]):
                        total = real(0)
                        for q in range(size):
                            total += (left[i, q] - right[j, q]) ** 2
                        totals[j] = total
            for j in range(cols):
                total = totals[j] + (left_pad[i] - right_pad[j]) ** 2
                line[j] = real(finish(total, real(0), size, real(0)))

    return epilogue


@cache
def exact_kernel(term: Leaf, finish: Leaf, largest: bool) -> Any:
    """The kernel of exact distances: each row in float64, shifted and scaled on the fly.

    One pair of rows after another, so that a distance has the same bits in
    whatever block it is computed. They fill `out` from the column `begin` on: part of an array
    is of one layout or another by its shape, and for each the kernel would be compiled.
    """

    # Without "contract": a fused multiply-add would leave d(x, x) above 0.
    @njit(nogil=True, cache=True, fastmath={"reassoc", "nsz"})
    def exact(left, left_form, right, right_form, p, out, begin):  # type: ignore[no-untyped-def]
        size = left.shape[1]
        for j in range(right.shape[0]):
            shift, scale = right_form[j, 0], right_form[j, 1]
            y = right[j]
            for i in range(left.shape[0]):
                first, factor = left_form[i, 0], left_form[i, 1]
                x = left[i]
                total = other = 0.0
                for q in range(size):
                    e, f = term((x[q] - first) * factor, (y[q] - shift) * scale, p)
                    if largest:
                        total = max(total, float(e))
                    else:
                        total += e
                        other += f
                total += (left_form[i, 2] - right_form[j, 2]) ** 2
                out[i, begin + j] = finish(total, other, size, p)

    return exact
