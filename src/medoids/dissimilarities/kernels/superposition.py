"""Distances of frames of atoms after the best rotation, compiled (Horn 1987, Theobald 2005)."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

# Sums may be reordered, which lets them vectorise.
_REORDER = {"reassoc", "nsz", "contract"}
# Below so much of the squares that it is the difference of, a square is rounding.
_ROUNDING = 1e-14
# Newton's steps, and how flat a polynomial is where they lose digits: two rotations are as good.
_STEPS, _FLAT = 40, 1e-4


@njit(nogil=True, cache=True)
def rmsd_block(left, left_squares, right, right_squares, out):  # type: ignore[no-untyped-def]
    """Fill `out[i, j]`; frames have a line of centred coordinates for each axis.

    `left_squares` and `right_squares` are the sums of squares of each frame.
    """
    atoms = left.shape[2]
    inner = np.empty((3, 3))
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            _inner(left[i], right[j], inner)
            both = left_squares[i] + right_squares[j]
            square = both - 2.0 * _overlap(inner, both)
            out[i, j] = math.sqrt(square / atoms) if square > _ROUNDING * both else 0.0


@njit(nogil=True, cache=True, fastmath=_REORDER)
def _inner(a, b, inner):  # type: ignore[no-untyped-def]
    """The products of the axes of two frames, summed over the atoms."""
    ax, ay, az, bx, by, bz = a[0], a[1], a[2], b[0], b[1], b[2]
    zero = a.dtype.type(0)
    xx = xy = xz = yx = yy = yz = zx = zy = zz = zero
    for k in range(ax.shape[0]):
        xx += ax[k] * bx[k]
        xy += ax[k] * by[k]
        xz += ax[k] * bz[k]
        yx += ay[k] * bx[k]
        yy += ay[k] * by[k]
        yz += ay[k] * bz[k]
        zx += az[k] * bx[k]
        zy += az[k] * by[k]
        zz += az[k] * bz[k]
    inner[0, 0], inner[0, 1], inner[0, 2] = xx, xy, xz
    inner[1, 0], inner[1, 1], inner[1, 2] = yx, yy, yz
    inner[2, 0], inner[2, 1], inner[2, 2] = zx, zy, zz


@njit(nogil=True, cache=True)
def _overlap(inner, both):  # type: ignore[no-untyped-def]
    """The most that a rotation makes of the products: the largest eigenvalue of `_quaternions`.

    With the singular values s of the products and the sign of their determinant, the polynomial
    of that matrix is x⁴ - 2 (Σ s²) x² - 8 det x + (Σ s²)² - 4 Σ s²s². Half the squares of both
    frames is above its roots, and Newton's steps come down from there to the largest.
    """
    squares, minors, determinant = 0.0, 0.0, 0.0
    for i in range(3):
        for j in range(3):
            one, two, three, four = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
            minor = inner[one, three] * inner[two, four] - inner[one, four] * inner[two, three]
            squares += inner[i, j] * inner[i, j]
            minors += minor * minor
            if i == 0:
                determinant += inner[0, j] * minor
    x = 0.5 * both
    scale = x * x * x
    for _ in range(_STEPS):
        slope = 4.0 * x * x * x - 4.0 * squares * x - 8.0 * determinant
        if slope <= _FLAT * scale:
            break
        value = ((x * x - 2.0 * squares) * x - 8.0 * determinant) * x
        step = (value + (squares * squares - 4.0 * minors)) / slope
        x -= step
        if abs(step) <= 1e-15 * abs(x):
            return x
    return _largest(_quaternions(inner))


@njit(nogil=True, cache=True)
def _quaternions(m):  # type: ignore[no-untyped-def]
    """The matrix whose eigenvectors are rotations, as quaternions (Horn 1987)."""
    k = np.empty((4, 4))
    k[0, 0] = m[0, 0] + m[1, 1] + m[2, 2]
    k[1, 1] = m[0, 0] - m[1, 1] - m[2, 2]
    k[2, 2] = m[1, 1] - m[0, 0] - m[2, 2]
    k[3, 3] = m[2, 2] - m[0, 0] - m[1, 1]
    k[0, 1] = k[1, 0] = m[1, 2] - m[2, 1]
    k[0, 2] = k[2, 0] = m[2, 0] - m[0, 2]
    k[0, 3] = k[3, 0] = m[0, 1] - m[1, 0]
    k[1, 2] = k[2, 1] = m[0, 1] + m[1, 0]
    k[1, 3] = k[3, 1] = m[2, 0] + m[0, 2]
    k[2, 3] = k[3, 2] = m[1, 2] + m[2, 1]
    return k


@njit(nogil=True, cache=True)
def _largest(k):  # type: ignore[no-untyped-def]
    """The largest eigenvalue of a symmetric matrix, by Jacobi's rotations."""
    for _ in range(30):
        rest = 0.0
        for p in range(4):
            for q in range(p + 1, 4):
                rest += abs(k[p, q])
        if rest <= 1e-17 * (abs(k[0, 0]) + abs(k[1, 1]) + abs(k[2, 2]) + abs(k[3, 3])):
            break
        for p in range(4):
            for q in range(p + 1, 4):
                if k[p, q] == 0.0:
                    continue
                middle = (k[q, q] - k[p, p]) / (2.0 * k[p, q])
                t = 1.0 / (abs(middle) + math.sqrt(middle * middle + 1.0))
                t = -t if middle < 0.0 else t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for r in range(4):
                    k[r, p], k[r, q] = c * k[r, p] - s * k[r, q], s * k[r, p] + c * k[r, q]
                for r in range(4):
                    k[p, r], k[q, r] = c * k[p, r] - s * k[q, r], s * k[p, r] + c * k[q, r]
    return max(k[0, 0], k[1, 1], k[2, 2], k[3, 3])
