"""Brute force, data and small tools that several test files share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medoids._threads import Workers
from medoids._tuning import Tuning
from medoids._types import Indices
from medoids.dissimilarities.metrics import resolve
from medoids.engines.cpu.cache.cache import Cache
from medoids.engines.cpu.kernels.few import FEW
from medoids.engines.cpu.points.base import Points
from medoids.engines.cpu.points.dense import DensePoints
from medoids.engines.cpu.points.matrix import PrecomputedPoints
from medoids.engines.cpu.rewards.bounds import Bounds
from medoids.engines.cpu.rewards.rewards import Rewards
from medoids.engines.cpu.rewards.sums import Sums
from medoids.engines.cpu.state import State
from medoids.engines.cpu.step import Step

Floats = NDArray[np.floating]
# Lets the bandit sample so many references at once, so that small data exercise it.
SmallFirst = Callable[[int], None]
# On a cluster, what every worker spends alike costs nothing: so a search of few rows refines them.
DEEP: dict[str, Any] = {"refining": 0.0, "fitting": 0.0}
WORDS = [
    "apple", "apply", "ample", "maple", "staple", "stable", "table", "cable", "fable",
    "abel", "label", "bagel", "angel", "anger", "danger", "ranger", "range", "orange",
]  # fmt: skip


def dense(
    X: Floats, metric: str = "euclidean", *, copy_limit: float = 0, **params: Any
) -> DensePoints:
    """Points on one thread."""
    _, row, p = resolve(metric, params)
    return DensePoints(X, row, p, Workers(1), copy_limit)


def precomputed(matrix: Floats) -> PrecomputedPoints:
    return PrecomputedPoints(matrix, Workers(1))


def cache_of(points: Points, order: Indices, limit: float = 1e9, first: int = 64) -> Cache:
    """Distances that are kept, by the default tuning."""
    return Cache(points, order, limit, first, Tuning())


# Bounds are carried however few clusters there are, and references of each.
CARRIES = Tuning(worth_carrying=2, falling=0)


def rewards_of(
    cache: Cache,
    state: State,
    swap: bool,
    z: float,
    bounds: Bounds | None = None,
    sums: Sums | None = None,
    tuning: Tuning = CARRIES,
) -> Rewards:
    """The rewards of a step, screened."""
    known = bounds or Bounds(), sums or Sums(state.k)
    return Rewards(cache, Step(state, swap), z, *known, tuning)


def carried(
    cache: Cache, state: State, swap: bool, z: float, bounds: Bounds, tuning: Tuning = CARRIES
) -> Floats:
    """The bounds, brought to this step from the one before."""
    step = Step(state, swap)
    bounds.carry(step, step.own(cache.points.own()), cache, z, tuning)
    return bounds.lower


def loss_of(matrix: Floats, medoids: Sequence[int]) -> float:
    """The sum over columns of the lowest of the medoids' rows."""
    return float(np.asarray(matrix, dtype=float)[list(medoids)].min(axis=0).sum())


def build_by_force(matrix: Floats, k: int) -> list[int]:
    """BUILD, straight from its definition; the lowest index on a tie."""
    medoids: list[int] = []
    for _ in range(k):
        rest = [i for i in range(len(matrix)) if i not in medoids]
        losses = [loss_of(matrix, [*medoids, i]) for i in rest]
        medoids.append(rest[int(np.argmin(losses))])
    return medoids


def swaps_by_force(matrix: Floats, medoids: Sequence[int]) -> NDArray[np.float64]:
    """The loss after every swap: a row for each point, a column for each medoid."""
    matrix = np.asarray(matrix, dtype=float)
    n, k = len(matrix), len(medoids)
    without = np.full((k, n), np.inf)
    for m in range(k if k > 1 else 0):
        without[m] = matrix[np.delete(medoids, m)].min(axis=0)
    losses = np.empty((n, k))
    for start in range(0, n, 64):  # rows that stay in the cache: three times as fast
        rows = matrix[start : start + 64]
        paid = np.empty_like(rows)
        for m in range(k):
            np.minimum(rows, without[m], out=paid)
            losses[start : start + 64, m] = paid.sum(axis=1)
    return losses


def pam_by_force(matrix: Floats, k: int) -> list[int]:
    """PAM, straight from its definition."""
    medoids = build_by_force(matrix, k)
    while k < len(matrix):
        losses = swaps_by_force(matrix, medoids)
        losses[medoids] = np.inf
        arm, position = np.unravel_index(losses.argmin(), losses.shape)
        if losses[arm, position] >= loss_of(matrix, medoids) - 1e-12:
            break
        medoids[position] = int(arm)
    return medoids


def best_swap(matrix: Floats, medoids: NDArray[np.integer]) -> float:
    """The lowest loss after any swap; infinite where every point is a medoid."""
    losses = swaps_by_force(matrix, medoids.tolist())
    losses[medoids] = np.inf
    return float(losses.min())


def state_of(points: PrecomputedPoints | DensePoints, medoids: Sequence[int]) -> State:
    """PAM's state with these medoids."""
    state = State(points.n, max(len(medoids), 1))
    for medoid in medoids:
        state.add(medoid, points.exact(np.array([medoid]))[0])
    return state


def digits(n: int) -> int:
    """The distances that show whether float32 tells n rows apart, each computed both ways.

    None of few rows of up to 64 numbers, which are compared in float64.
    """
    return 0 if n <= FEW else 2 * (24**2 + 8 * min(512, n // 4 + 8))


def mixture(n: int, d: int, groups: int, seed: int, spread: float = 4.0) -> Floats:
    """A Gaussian mixture with clusters of different sizes."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=spread, size=(groups, d))
    weight = rng.dirichlet(np.full(groups, 3.0))
    return centres[rng.choice(groups, n, p=weight)] + rng.normal(size=(n, d))


def heavy_tails(n: int, seed: int) -> Floats:
    return np.random.default_rng(seed).standard_t(2, size=(n, 4))


def duplicates(n: int, seed: int) -> Floats:
    """Each row about ten times."""
    rng = np.random.default_rng(seed)
    distinct = max(n // 10, 1)
    return rng.normal(size=(distinct, 3))[rng.integers(distinct, size=n)]


def lattice(n: int, seed: int, side: int = 12) -> Floats:
    """Integers in the plane: distances are tied everywhere."""
    return np.random.default_rng(seed).integers(0, side, size=(n, 2)).astype(float)


def asymmetric(n: int, seed: int) -> Floats:
    """Distances in the plane, each way at its own pace."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    plain = np.sqrt(np.square(X[:, None] - X[None]).sum(axis=2))
    return plain * rng.uniform(0.5, 1.5, size=(n, n))


def directed(a: str, b: str) -> float:
    """Letters that b has and a lacks count three, the other way round one."""
    mine, other = Counter(a), Counter(b)
    return 3.0 * sum((other - mine).values()) + sum((mine - other).values())


def matrix_of(objects: Any, metric: Any) -> Floats:
    """The function of each pair, called in Python."""
    return np.array([[metric(a, b) for b in objects] for a in objects])


def one_line(error: BaseException) -> str:
    """The message of an error, which must be one line."""
    text = str(error)
    assert text, "an error says something"
    assert "\n" not in text, text
    return text
