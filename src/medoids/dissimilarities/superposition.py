"""The distance of frames of atoms, as in molecular dynamics, after the best superposition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._threads import Workers
from .._types import Floats, Indices
from . import kernels
from .base import Measure

# Frames that are held, and that a thread takes at a time; numbers that are centred at a time.
_PANEL, _SLICE, _AT_ONCE = 256, 256, 2**20


class Frames(NamedTuple):
    """Frames as they were given, of shape (frame, atom, 3), and what centres them.

    Attributes
    ----------
    coordinates : ndarray
    centres : ndarray of float64
        The mean place of each frame's atoms.
    """

    coordinates: NDArray[Any]
    centres: NDArray[np.float64]


class RootMeanSquare(Measure):
    """The root of the mean squared distance of atoms, both frames moved and turned to fit best.

    Parameters
    ----------
    weights : array-like, default=None
        How much each atom counts, such as its mass.
    """

    takes = "frames"
    symmetric = True

    def __init__(self, weights: Any = None) -> None:
        self._weights = None if weights is None else _weights(weights)
        self._atoms = 0

    def learned(self) -> dict[str, Any]:
        return {"atoms": self._atoms}

    def recall(self, learned: Mapping[str, Any]) -> None:
        self._atoms = learned["atoms"]

    def pack(self, objects: Any) -> Frames:
        n, atoms = objects.shape[:2]
        if self._weights is not None and len(self._weights) != atoms:
            raise ValueError(
                f"metric_params['weights'] has {len(self._weights)} numbers for {atoms} atoms: give"
                " one for each."
            )
        if self._atoms not in (0, atoms):
            raise ValueError(f"X has {atoms} atoms, but the fit had {self._atoms}: give these.")
        size = max(_AT_ONCE // (3 * atoms), 1)
        share = np.full(atoms, 1 / atoms) if self._weights is None else self._weights
        centres = [
            np.einsum("fac,a->fc", objects[at : at + size].astype(np.float64), share)
            for at in range(0, n, size)
        ]
        self._atoms, self.cost = atoms, 200.0 + atoms
        return Frames(objects, np.concatenate(centres))

    def _centred(
        self, frames: Frames, chosen: Indices
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Some frames with a line for each axis, and the sum of squares of each."""
        found = frames.coordinates[chosen] - frames.centres[chosen][:, None]
        if self._weights is not None:
            found *= np.sqrt(self._weights * len(self._weights))[:, None]
        lines = np.ascontiguousarray(found.transpose(0, 2, 1))
        return lines, np.einsum("fca,fca->f", lines, lines)

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        turned = len(refs) > len(arms)
        short, few, long, many = (left, arms, right, refs) if turned else (right, refs, left, arms)
        target = out if turned else out.T
        for first in range(0, len(few), _PANEL):
            held = self._centred(short, few[first : first + _PANEL])

            def work(start: int, stop: int, first: int = first, held: Any = held) -> None:
                moving = self._centred(long, many[start:stop])
                # The arms first, whichever are more: the same bits for every block.
                pair = (*held, *moving) if turned else (*moving, *held)
                part = np.empty((len(pair[1]), len(pair[3])))
                kernels.rmsd_block(*pair, part)
                target[first : first + len(held[1]), start:stop] = part if turned else part.T

            workers.each(work, len(many), _SLICE)


def _weights(given: Any) -> NDArray[np.float64]:
    """Shares of the whole."""
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError("metric_params['weights'] must be numbers, one for each atom.") from None
    if found.ndim != 1 or not np.isfinite(found).all() or found.min() < 0 or not found.any():
        raise ValueError(
            "metric_params['weights'] must be finite numbers, none below 0 and some above: give one"
            " for each atom."
        )
    shares: NDArray[np.float64] = found / found.sum()
    return shares
