"""Elastic dissimilarities of series: those that align them first. A function each."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks import is_real
from .._threads import Workers
from .._types import Floats, Indices
from . import kernels
from .base import Measure, along_the_longer
from .kernels.tuples import Alignment, Sequences
from .series import pack_series

# Pairs that a thread takes at a time, and at least so many of the longer side: some lanes.
_PAIRS, _LEAST = 4096, 32


class Elastic(Measure):
    """The least cost of a path that aligns two series.

    Parameters
    ----------
    cell : str
        The leaf function, what a step of the path costs.
    window : int or None
        How far from the diagonal the path may go (Sakoe and Chiba 1978), at least the
        difference of the lengths. None is no limit.
    channels : {"first", "last"} or None
        Which axis of a series of several channels is theirs. None: the first of a series that
        comes in an array of three axes (series, channels, times), else the last.
    share : bool, default=False
        The result counts what is common: it becomes the share of the shorter series that is not.
    how : Any
        Of `Alignment`, what is true, and p and q.
    """

    takes = "series"
    symmetric = True

    def __init__(
        self, cell: str, window: Any, channels: Any, share: bool = False, **how: Any
    ) -> None:
        if channels not in (None, "first", "last"):
            raise ValueError(
                f"metric_params['channels']={channels!r} is unknown: give 'first', 'last' or None."
            )
        plain = dict.fromkeys(Alignment._fields, False) | {"p": 0.0, "q": 0.0}
        self.how = Alignment(**plain | {"window": _window(window)} | how)
        self.cell, self.channels, self.share = cell, channels, share
        self._first: bool = channels == "first"
        self._width: int | None = None

    def learned(self) -> dict[str, Any]:
        return {"channels": self._width, "first": self._first}

    def recall(self, learned: Mapping[str, Any]) -> None:
        self._width, self._first = learned["channels"], learned.get("first", False)

    def pack(self, objects: Any) -> Sequences:
        if self.channels is None and isinstance(objects, np.ndarray):
            self._first = True
        if isinstance(objects, np.ndarray) and self.channels == "last":
            objects = objects.transpose(0, 2, 1)
        packed = pack_series(objects, self._first)
        found = packed.values.shape[1]
        if self._width is None:
            self._width = found
            lengths = np.diff(packed.starts).astype(np.float64)
            wide = min(lengths.mean(), 2 * self.how.window + 1 if self.how.window >= 0 else np.inf)
            self.cost = max(float(lengths.mean() * wide * found), 10.0)
        if found != self._width:
            raise ValueError(
                f"X has sequences of {found} channels, but the fit had {self._width}: give as many."
            )
        return packed

    def fill(
        self, left: Any, arms: Indices, right: Any, refs: Indices, out: Floats, workers: Workers
    ) -> None:
        kernel = kernels.elastic_kernel(getattr(kernels.cells, self.cell))

        def work(short: Sequences, few: Indices, long: Sequences, many: Indices) -> Floats:
            lengths = long.starts[many + 1] - long.starts[many]
            places = np.argsort(lengths, kind="stable")
            block = np.empty((len(few), len(many)))
            kernel(short, few, long, many[places], places, self.how, block)
            if self.share:
                own = short.starts[few + 1] - short.starts[few]
                block = 1.0 - block / np.minimum(own[:, None], lengths)
            return block

        along_the_longer(work, (left, arms, right, refs), out, workers, _PAIRS, _LEAST)


def dtw(window: int | None = None, channels: str | None = None) -> Elastic:
    """Dynamic time warping: the least sum of distances along a path."""
    return Elastic("warp", window, channels)


def wdtw(window: int | None = None, g: float = 0.05, channels: str | None = None) -> Elastic:
    """Dynamic time warping of squares, weighted by how far the path is from the diagonal."""
    steep = _real("g", g, 0.0)
    return Elastic("weighted_warp", window, channels, p=steep, squared=True, weighted=True)


def erp(window: int | None = None, g: float = 0.0, channels: str | None = None) -> Elastic:
    """Edits with real penalty: what is left out costs its distance from g (Chen and Ng 2004)."""
    constant = _real("g", g, -np.inf)
    options = {"sides": True, "ground": True, "sums": True}
    return Elastic("real_penalty", window, channels, p=constant, **options)


def lcss(window: int | None = None, epsilon: float = 1.0, channels: str | None = None) -> Elastic:
    """The share of the shorter series that is not common: values within epsilon match."""
    near = _real("epsilon", epsilon, 0.0)
    return Elastic("common", window, channels, share=True, p=near, free=True)


def twe(
    window: int | None = None, nu: float = 0.001, lmbda: float = 1.0, channels: str | None = None
) -> Elastic:
    """Time warp edits: of stiffness nu, and lmbda for each edit (Marteau 2009)."""
    stiff, edit = _real("nu", nu, 0.0), _real("lmbda", lmbda, 0.0)
    return Elastic("time_warp_edit", window, channels, p=stiff, q=edit, sides=True)


def msm(
    window: int | None = None,
    c: float = 1.0,
    independent: bool = True,
    channels: str | None = None,
) -> Elastic:
    """Moves, splits and merges, the latter two at a cost of c (Stefan et al. 2013)."""
    cost = _real("c", c, 0.0)
    if not isinstance(independent, (bool, np.bool_)):
        raise TypeError(f"metric_params['independent'] must be True or False, got {independent!r}.")
    if independent:
        return Elastic("move_split_merge", window, channels, p=cost, apart=True)
    options = {"squared": True, "sides": True}
    return Elastic("move_split_merge_together", window, channels, p=cost, **options)


def _window(window: Any) -> int:
    if window is None:
        return -1
    if isinstance(window, bool) or not isinstance(window, numbers.Integral):
        raise TypeError(f"metric_params['window'] must be a whole number, got {window!r}.")
    if window < 0:
        raise ValueError(f"metric_params['window']={window} is below 0: give at least 0.")
    # None of the series is so long; and a time plus the window must not overflow.
    return min(int(window), 2**31)


def _real(name: str, value: Any, least: float) -> float:
    if not is_real(value):
        raise TypeError(f"metric_params[{name!r}] must be a number, got {value!r}.")
    if not (least <= value and abs(value) <= np.finfo(float).max):
        at_least = "" if least < 0 else f" at least {least} and"
        raise ValueError(f"metric_params[{name!r}]={value} must be{at_least} finite.")
    return float(value)
