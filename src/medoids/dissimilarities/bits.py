"""Dissimilarities of rows of bits, such as fingerprints of molecules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._threads import Workers
from .._types import Floats, Indices
from . import kernels
from .base import Measure, along_the_longer
from .kernels.tuples import BitRatio, Bits

# Rows hold a multiple of so many bytes, what a kernel takes at once: 4 words.
_LINE = 32
# Pairs that a thread takes at a time, and at least so many of the longer side.
_PAIRS, _LEAST = 2**17, 256
# Numbers that are packed at a time.
_AT_ONCE = 2**24


class SharedBits(Measure):
    """How many bits of two rows differ, over a whole that `name` says.

    Rows are packed (`numpy.packbits`), in unsigned integers of any size; or they are booleans,
    or numbers that are 0 or 1, one for each bit; or fingerprints of RDKit. Unsigned integers
    that are all 0 or 1 in the fit are bits themselves. Two rows without any bit are at 0.

    Parameters
    ----------
    name : {"tanimoto", "dice", "bit_hamming"}
        The whole: the bits that are set in either row; the bits set in both, counted twice,
        and those in one; or all bits.
    """

    takes = "bits"
    symmetric = True

    def __init__(self, name: str) -> None:
        self.name, self.cost = name, 5.0
        self._columns: int | None = None
        self._packed, self._size = False, 0

    def learned(self) -> dict[str, Any]:
        return {"columns": self._columns, "packed": self._packed}

    def recall(self, learned: Mapping[str, Any]) -> None:
        self._columns, self._packed = learned["columns"], learned["packed"]

    def pack(self, objects: Any) -> Bits:
        rows = _of_rdkit(objects) if isinstance(objects, list) else objects
        if self._columns is None:
            self._columns = rows.shape[1]
            self._packed = isinstance(objects, list) or _are_packed(rows)
        if rows.shape[1] != self._columns:
            raise ValueError(
                f"X has {rows.shape[1]} columns of bits, but the fit had {self._columns}: give as"
                " many."
            )
        if self._packed and rows.dtype.kind != "u":
            raise TypeError(
                f"X has values of type {rows.dtype}, but the fit had packed bits: give these"
                " (numpy.packbits)."
            )
        if not self._packed and rows.dtype.kind == "u" and _are_packed(rows):
            raise ValueError(
                "X has packed bits, but the fit had zeros and ones: give these (numpy.unpackbits)."
            )
        words = _words(rows, self._packed)
        if isinstance(objects, list):
            self._size = objects[0].GetNumBits()
        else:
            self._size = rows.shape[1] * (8 * rows.itemsize if self._packed else 1)
        counts = np.empty(len(words), dtype=np.int32)
        kernels.count_bits(words, counts)
        return Bits(words, counts)

    @property
    def _ratio(self) -> BitRatio:
        if self.name == "bit_hamming":
            return BitRatio(0, 0, self._size)
        return BitRatio(1, 1 if self.name == "tanimoto" else 0, 0)

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        def work(short: Bits, few: Indices, long: Bits, many: Indices) -> Floats:
            block = np.empty((len(few), len(many)), dtype=out.dtype)
            sides = short.words[few], short.counts[few], long.words[many], long.counts[many]
            kernels.bits_block(*sides, self._ratio, block)
            return block

        along_the_longer(work, (left, arms, right, refs), out, workers, _PAIRS, _LEAST)


def _are_packed(rows: NDArray[Any]) -> bool:
    """Unsigned integers, some above 1."""
    return rows.dtype.kind == "u" and bool(rows.max() > 1)


def _of_rdkit(fingerprints: list[Any]) -> NDArray[np.uint8]:
    """Packed fingerprints, a row each."""
    from rdkit.DataStructs import BitVectToBinaryText

    lengths = {each.GetNumBits() for each in fingerprints}
    if len(lengths) > 1:
        raise ValueError(f"X has fingerprints of {sorted(lengths)} bits: give one length.")
    packed = b"".join(map(BitVectToBinaryText, fingerprints))
    return np.frombuffer(packed, dtype=np.uint8).reshape(len(fingerprints), -1)


def _words(rows: NDArray[Any], packed: bool) -> NDArray[np.uint64]:
    """The bits in words; rows that are packed and long enough as they are."""
    if packed and rows.flags.c_contiguous and rows.shape[1] * rows.itemsize % _LINE == 0:
        return rows.view(np.uint64)
    width = rows.shape[1] * rows.itemsize if packed else -(-rows.shape[1] // 8)
    out = np.zeros((len(rows), -(-width // _LINE) * _LINE), dtype=np.uint8)
    size = max(_AT_ONCE // rows.shape[1], 1)
    for at in range(0, len(rows), size):
        some = np.ascontiguousarray(rows[at : at + size])
        out[at : at + size, :width] = (
            some.view(np.uint8) if packed else np.packbits(some != 0, axis=1)
        )
    return out.view(np.uint64)
