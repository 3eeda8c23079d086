"""Dissimilarities with a direction: from the medoid to the point, wherever one is computed.

Each problem has another answer if the two are swapped, which is asserted first: in the
medoids, in the labels, and in `predict` and `transform` for new points.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import zss
from numba import njit
from rapidfuzz.distance import Levenshtein

from helpers import Floats, SmallFirst, loss_of, mixture, pam_by_force
from medoids import KMedoids
from medoids.dissimilarities.called import Call
from medoids.dissimilarities.compiled import Compiled

N, NEW, K, FIRST = 300, 60, 4, 64
INSERT, DELETE, REPLACE = 1, 3, 2


class Problem(NamedTuple):
    """Points to fit, new ones, a metric, and the dissimilarity of a pair by other means."""

    fit: Any
    new: Any
    metric: Any
    params: dict[str, Any] | None
    pair: Callable[[Any, Any], float]


def split(things: Any, metric: Any, pair: Callable[[Any, Any], float], **params: Any) -> Problem:
    return Problem(things[:N], things[N:], metric, params or None, pair)


# Strings under edits whose costs differ: many are short, and it is dear to make them shorter.


def strings() -> list[str]:
    rng = random.Random(0)
    stems = ["".join(rng.choices("abcdef", k=k)) for k in (3, 5, 8, 8, 12)]
    return [
        "".join(rng.choice([c, c, c, "", "f" + c]) for c in rng.choice(stems))
        for _ in range(N + NEW)
    ]


def edits(a: str, b: str) -> float:
    """What it costs to turn a into b, row by row of the usual table."""
    row = [INSERT * j for j in range(len(b) + 1)]
    for x in a:
        above, row = row, [row[0] + DELETE]
        for j, y in enumerate(b):
            row.append(min(above[j + 1] + DELETE, row[j] + INSERT, above[j] + REPLACE * (x != y)))
    return float(row[-1])


def by_rapidfuzz(a: str, b: str) -> float:
    return Levenshtein.distance(a, b, weights=(INSERT, DELETE, REPLACE))


# Trees under edits whose costs differ.


def trees() -> list[Any]:
    """Drawn from 40 different ones."""
    rng = random.Random(0)

    def grow(depth: int) -> Any:
        children = rng.randint(0, 3) if depth else 0
        return rng.choice("abc"), tuple(grow(depth - 1) for _ in range(children))

    return rng.choices([grow(3) for _ in range(40)], k=N + NEW)


@cache
def by_zss(a: Any, b: Any) -> float:
    def node(tree: Any) -> zss.Node:
        return zss.Node(tree[0], [node(child) for child in tree[1]])

    return zss.distance(
        node(a), node(b), zss.Node.get_children, lambda x: INSERT, lambda x: DELETE,
        lambda x, y: REPLACE * (x.label != y.label),
    )  # fmt: skip


# Distributions under Kullback and Leibler's divergence.


def distributions() -> Floats:
    rng = np.random.default_rng(0)
    usual = rng.dirichlet(np.full(6, 0.5), size=5) + 0.02
    return np.array([rng.dirichlet(8 * usual[rng.integers(5)]) for _ in range(N + NEW)]) + 1e-6


def divergence(p: Floats, q: Floats) -> float:
    total = 0.0
    for i in range(p.shape[0]):
        total += p[i] * math.log(p[i] / q[i])
    return total


class Divergence:
    """The same, called for every pair: Numba does not compile an object."""

    def __call__(self, p: Floats, q: Floats) -> float:
        return sum(x * math.log(x / y) for x, y in zip(p.tolist(), q.tolist(), strict=True))


def by_numpy(p: Floats, q: Floats) -> float:
    return float(np.sum(p * (np.log(p) - np.log(q))))


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "strings": lambda: split(strings(), by_rapidfuzz, edits),
    "trees": lambda: split(
        trees(), "tree_edit", by_zss, insert=INSERT, delete=DELETE, rename=REPLACE
    ),
    "divergence": lambda: split(distributions(), divergence, by_numpy),
    "divergence, njit": lambda: split(distributions(), njit(divergence), by_numpy),
    "divergence, called": lambda: split(distributions(), Divergence(), by_numpy),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_from_the_medoid_to_the_point(name: str, small_first: SmallFirst) -> None:
    fit, new, metric, params, pair = PROBLEMS[name]()
    inside = np.array([[pair(a, b) for b in fit] for a in fit])
    outside = np.array([[pair(a, b) for b in new] for a in fit])
    turned = np.array([[pair(b, a) for b in new] for a in fit])
    small_first(FIRST)
    km = KMedoids(K, metric=metric, metric_params=params, n_jobs=1, random_state=0).fit(fit)
    check(km, new, inside, outside, turned)
    if name.startswith("divergence"):
        kind = Call if name == "divergence, called" else Compiled
        assert isinstance(km._medoids.measure, kind)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_of_a_matrix_is_the_medoid(dtype: type, small_first: SmallFirst) -> None:
    rng = np.random.default_rng(0)
    X = mixture(N + NEW, 2, 5, 0)
    pace = rng.uniform(0.5, 2, size=(N + NEW, N + NEW))
    every = (np.linalg.norm(X[:, None] - X, axis=2) * pace).astype(dtype)
    inside, outside, turned = every[:N, :N], every[:N, N:], every[N:, :N].T
    small_first(FIRST)
    km = KMedoids(K, metric="precomputed", n_jobs=1, random_state=0).fit(inside)
    # A row for each new point, with the distances from the points of the fit to it.
    check(km, outside.T, *(each.astype(float) for each in (inside, outside, turned)))
    # The matrix of the fit has medoids in its rows: turned, it has a row for each point.
    np.testing.assert_array_equal(km.transform(inside.T), inside[km.medoid_indices_].T)
    np.testing.assert_array_equal(km.predict(inside.T), km.labels_)


def check(km: KMedoids, new: Any, inside: Floats, outside: Floats, turned: Floats) -> None:
    """Compare a fit with brute force; the row is the medoid but in `turned`."""
    medoids = pam_by_force(inside, K)
    labels, nearest = inside[medoids].argmin(axis=0), outside[medoids].argmin(axis=0)
    # With the two swapped, each of these would be another.
    assert set(pam_by_force(inside.T, K)) != set(medoids)
    assert (inside.T[medoids].argmin(axis=0) != labels).any()
    assert (turned[medoids].argmin(axis=0) != nearest).any()
    assert not np.allclose(turned[medoids], outside[medoids], rtol=0.1)
    # Some round dropped half of its arms by a sample of the references.
    rounds = [each for step in km.history_ for each in step["rounds"] if each["references"] < N]
    assert any(each["survivors"] < each["arms"] / 2 for each in rounds)

    assert km.medoid_indices_.tolist() == medoids
    assert km.inertia_ == pytest.approx(loss_of(inside, medoids), rel=1e-9)
    np.testing.assert_array_equal(km.labels_, labels)
    np.testing.assert_allclose(km.transform(new), outside[medoids].T, rtol=1e-9)
    np.testing.assert_array_equal(km.predict(new), nearest)
    assert km.score(new) == pytest.approx(-loss_of(outside, medoids), rel=1e-9)
