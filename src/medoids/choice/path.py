"""The medoids for many numbers of clusters, each from its neighbours', on shared distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.protocol import FullEngine
from ..methods.loops import build, searching
from ..methods.monitor import Monitor
from ..methods.pam import best_of
from ..methods.settings import Settings
from ..methods.table import METHODS

# Methods that hold all distances, and how.
_HOLDS: dict[str, dict[str, bool]] = {
    "pam": {"exact": True}, "fastpam1": {"confirmed": True}, "fastpam": {}, "fasterpam": {},
}  # fmt: skip


class Solution(NamedTuple):
    """The medoids for one number of clusters.

    Attributes
    ----------
    medoids : list of int
    labels : ndarray of int32
    loss : float
        In the user's unit.
    silhouette : float or None
        The mean medoid silhouette.
    """

    medoids: list[int]
    labels: NDArray[np.int32]
    loss: float
    silhouette: float | None


def follow(
    settings: Settings, ks: Sequence[int], method: str, own: dict[str, Any]
) -> list[Solution]:
    """The solution for each k, in ascending order.

    BUILD is nested: it is done once, and each k goes on from its first k medoids, as a fit of its
    own would. From another start the first k is fitted alone, and to each solution the best arms
    are added. Then, downwards, the medoid that is missed least is taken from each, if what is left
    is better than what was found.
    """
    engine: Any = settings.engine.again(ks[-1])
    found: list[Solution] = []
    built: list[int] = []
    if settings.init == "build":
        built = _with_more(settings, engine, method, engine.fixed)
    for k in ks:
        engine = engine.again(k)
        begun: Any = built[:k] if built else settings.init
        if found and not built:
            begun = _with_more(settings, engine, method, found[-1].medoids)
            engine = engine.again(k)
        engine, solution = _run(settings, engine, begun, method, own)
        found.append(solution)
    for i in range(len(ks) - 2, -1, -1):
        fewer = engine.again(ks[i + 1])
        begun, loss = _with_fewer(fewer, found[i + 1].medoids, ks[i])
        if loss * fewer.unit < found[i].loss:
            engine, solution = _run(settings, engine.again(ks[i]), begun, method, own)
            if solution.loss < found[i].loss:
                found[i] = solution
    return found


def _run(
    settings: Settings, engine: FullEngine, begun: Any, method: str, own: dict[str, Any]
) -> tuple[Any, Solution]:
    asked = settings._replace(engine=engine, init=begun)
    end, _ = METHODS[method](asked, **own)
    solution = Solution(list(end.medoids), end.labels(), end.loss * end.unit, end.silhouette())
    return (end if isinstance(end, type(engine)) else engine), solution


def _with_more(settings: Settings, engine: Any, method: str, medoids: list[int]) -> list[int]:
    """These medoids, and the best arms besides; from all distances, if the method holds them."""
    quiet = settings._replace(monitor=Monitor())
    whole = None
    if method in _HOLDS:
        settings.needs(method, engine.bytes_held(exact=method == "pam"), "banditpam")
        whole = engine.matrix(**_HOLDS[method])
    elif method == "banditpam" and settings.swap == "best" and settings.delta is None:
        whole = engine.carrying()
    engine = engine if whole is None else whole
    engine.start(medoids)
    build(quiet, engine, searching(quiet, engine) if whole is None else best_of(whole))
    return list(engine.medoids)


def _with_fewer(engine: Any, medoids: list[int], k: int) -> tuple[list[int], float]:
    """All but those that are missed least, one by one; and their loss."""
    left = list(medoids)
    while len(left) > k:
        some = engine.again(len(left))
        some.start(left)
        left.pop(some.missed_least())
    rest = engine.again(k)
    rest.start(left)
    return left, rest.loss
