"""Bits that two rows share, counted a word at a time."""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

# Words that a pass over the columns of a block takes at once.
PASS = 4
# Rows for which it pays to turn the others, so that a vector holds a word of several of these and
# needs no sum across; and how many of the others at a time, which stay in the cache.
_TURN, _TILE = 6, 256


@intrinsic
def _ones(typing_context, word):  # type: ignore[no-untyped-def]
    """How many bits of a word are set: one instruction, or a few where there is none."""

    def build(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), build


@njit(nogil=True, cache=True)
def count_bits(words, counts):  # type: ignore[no-untyped-def]
    """Fill `counts` with how many bits of each row are set."""
    for i in range(words.shape[0]):
        total = np.uint64(0)
        for w in range(words.shape[1]):
            total += _ones(words[i, w])
        counts[i] = total


@njit(nogil=True, cache=True)
def bits_block(few, few_counts, many, many_counts, ratio, out):  # type: ignore[no-untyped-def]
    """Fill `out[i, j]` with the `BitRatio` of rows i of the few and j of the many."""
    for first in range(0, many.shape[0], _TILE):
        tile = slice(first, min(first + _TILE, many.shape[0]))
        rows, counts = many[tile], many_counts[tile]
        common = np.empty(rows.shape[0], dtype=np.uint64)
        if few.shape[0] < _TURN:
            for i in range(few.shape[0]):
                _common(few[i], rows, common)
                _finish(common, few_counts[i], counts, ratio, out[i][tile])
        else:
            turned = np.ascontiguousarray(rows.T)
            for i in range(few.shape[0]):
                _common_turned(few[i], turned, common)
                _finish(common, few_counts[i], counts, ratio, out[i][tile])


@njit(nogil=True, cache=True)
def _common(row, many, common):  # type: ignore[no-untyped-def]
    for j in range(many.shape[0]):
        total = np.uint64(0)
        for w in range(row.shape[0]):
            total += _ones(row[w] & many[j, w])
        common[j] = total


@njit(nogil=True, cache=True)
def _common_turned(row, turned, common):  # type: ignore[no-untyped-def]
    common[:] = 0
    for w in range(0, row.shape[0], PASS):
        a, b, c, d = row[w], row[w + 1], row[w + 2], row[w + 3]
        as_, bs, cs, ds = turned[w], turned[w + 1], turned[w + 2], turned[w + 3]
        for j in range(common.shape[0]):
            one = _ones(a & as_[j]) + _ones(b & bs[j])
            common[j] += one + (_ones(c & cs[j]) + _ones(d & ds[j]))


@njit(nogil=True, cache=True)
def _finish(common, count, counts, ratio, out):  # type: ignore[no-untyped-def]
    either, both, rest = np.int32(ratio.either), np.int32(ratio.both), np.int32(ratio.rest)
    for j in range(common.shape[0]):
        set_, shared = np.int32(count + counts[j]), np.int32(common[j])
        whole = np.int32(either * set_ - both * shared + rest)
        # Two rows without any bit differ in none.
        part = out.dtype.type(np.int32(set_ - 2 * shared))
        out[j] = part / out.dtype.type(max(whole, np.int32(1)))
