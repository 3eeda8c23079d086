"""Every kind of input, under every metric that it allows, has the medoids of exact PAM.

The distances that PAM is given here come from SciPy, scikit-learn, rapidfuzz, zss or plain
Python, never from this library. The first block is small, so that the bandit samples.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
import zss
from numba import njit
from rapidfuzz import distance
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.spatial.transform import Rotation
from sklearn.metrics.pairwise import haversine_distances

from elastic_by_force import BY_FORCE
from helpers import Floats, SmallFirst, mixture
from medoids import KMedoids, k_medoids
from medoids.dissimilarities.called import Call
from medoids.dissimilarities.compiled import Compiled
from medoids.dissimilarities.metrics import METRICS
from medoids.dissimilarities.objects import MEASURES

K, NEW = 4, 30


class Kind(NamedTuple):
    """How values (rows of an array, or a list) are given, and what centres are picked from.

    The form is that of the numbers: "real", "single", "whole" or "sparse"; "" is for objects.
    """

    form: str
    give: Callable[[Any], Any]
    source: Callable[[Any], Any]


class Metric(NamedTuple):
    """A metric, values that suit it, and their distances as others compute them."""

    metric: Any
    params: dict[str, Any] | None
    values: Callable[[str, int], Any]
    distances: Callable[[Any, Any], Floats]
    count: int = 300
    first: int = 48


# Rows of numbers, dense and sparse.


def single(X: Any) -> Floats:
    return np.array(X, dtype=np.float32)


def double(X: Any) -> Floats:
    return np.array(X, dtype=np.float64)


def mapped(X: Floats) -> np.memmap:
    with TemporaryFile() as file:
        found = np.memmap(file, dtype=np.float32, mode="w+", shape=X.shape)
    found[:] = X
    return found


ARRAYS = {
    "float64": Kind("real", double, double),
    "float32": Kind("single", single, single),
    "int64": Kind("whole", lambda X: X.astype(np.int64), double),
    "int16": Kind("whole", lambda X: X.astype(np.int16), single),
    "Fortran order": Kind("real", np.asfortranarray, double),
    "strided": Kind("real", lambda X: np.repeat(X, 2, axis=0)[::2], double),
    "memory map": Kind("single", mapped, single),
    "pandas": Kind("real", lambda X: pd.DataFrame(X).rename(columns=str), double),
    "polars": Kind("real", pl.from_numpy, double),
}
LISTS = {
    "list of lists": Kind("real", lambda X: X.tolist(), double),
    "list of rows": Kind("real", list, double),
}
SPARSES = {
    made.__name__: Kind("sparse", made, lambda X: X.tocsr())
    for made in (sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.coo_array)
}
SPARSES["csr, float32"] = Kind("sparse", lambda X: sparse.csr_array(single(X)), sparse.csr_array)


def rows(metric: str, form: str, n: int) -> Floats:
    """Rows in groups that suit the metric, in numbers that the form holds exactly."""
    rng = np.random.default_rng(len(metric))
    X = mixture(n, 8, 6, len(metric), spread=2.5)
    X = np.abs(X) if metric == "braycurtis" else X
    if metric in ("hamming", "jaccard"):
        often = rng.beta(0.4, 0.4, size=(6, 16))[rng.integers(6, size=n)]
        X = 1.0 * (rng.random((n, 16)) < often)
        X[:, 0] = 1
    elif metric == "haversine" and form == "whole":
        X = rng.integers((-1, -3), (2, 4), size=(n, 2)).astype(float)
    elif metric == "haversine":
        X = X[:, :2] / (5, 3)
    elif form == "whole":
        X = np.rint(16 * X)
    elif form == "sparse":
        X = np.where(np.abs(X) < 2, 0, np.rint(16 * X))
        X[:, 0] += 1  # SciPy has no cosine of empty rows
    return X if form == "real" else double(single(X))


def of_rows(name: str) -> Metric:
    params = {"p": 3} if name == "minkowski" else {}

    def by_others(a: Floats, b: Floats) -> Floats:
        if name == "haversine":
            return haversine_distances(a, b)
        if name == "jaccard":
            a, b = a.astype(bool), b.astype(bool)
        return cdist(a, b, {"manhattan": "cityblock"}.get(name, name), **params)

    return Metric(name, params or None, lambda form, n: rows(name, form, n), by_others, 400, 96)


ROW_METRICS = {name: of_rows(name) for name in METRICS}
TAXI = ROW_METRICS["manhattan"]._replace(count=300, first=48)
# A matrix is of whole distances, which every kind of numbers holds.
MATRIX = {
    "precomputed": TAXI._replace(
        metric="precomputed", values=lambda form, n: rows("manhattan", "whole", n)
    )
}


# Functions of two rows. One that Numba cannot compile is given rows as objects.


def plain(a: Floats, b: Floats) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += abs(a[i] - b[i])
    return total


def uncompiled(a: Any, b: Any) -> float:
    return float(f"{abs(a.astype(float) - b.astype(float)).sum():.17g}")


COMPILED = {"function": TAXI._replace(metric=plain), "njit": TAXI._replace(metric=njit(plain))}
PYTHON = {"Python function": TAXI._replace(metric=uncompiled)}
SLOW = {"function of sparse rows": TAXI._replace(metric=uncompiled, count=100, first=24)}
CALLED = {
    name: kind._replace(source=lambda X: list(getattr(X, "to_numpy", lambda: X)()))
    for name, kind in (ARRAYS | {"list of rows": LISTS["list of rows"]}).items()
}


# Objects: trees, strings, sequences, sets, rows of mixed tables.


def in_array(objects: list[Any]) -> np.ndarray:
    array = np.empty(len(objects), dtype=object)
    array[:] = objects
    return array


CONTAINERS = {
    "list": Kind("", list, list),
    "tuple": Kind("", tuple, list),
    "object array": Kind("", in_array, list),
    "Series": Kind("", lambda x: pd.Series(in_array(x), index=range(7, 7 + len(x))), list),
}


def of_objects(
    metric: Any, values: Callable[[int], Any], pair: Callable[[Any, Any], float], **params: Any
) -> Metric:
    return Metric(
        metric, params or None, lambda form, n: values(n),
        lambda left, right: np.array([[pair(a, b) for b in right] for a in left]),
    )  # fmt: skip


def strings(n: int) -> list[str]:
    rng = random.Random(0)
    stems = ["".join(rng.choices("abcdef", k=8)) for _ in range(6)]
    edits = ["{}", "{}", "{}", "", "a", "{}f"]
    return ["".join(rng.choice(edits).format(c) for c in rng.choice(stems)) for _ in range(n)]


def trees(n: int) -> list[Any]:
    """Drawn from 40 different ones."""
    rng = random.Random(0)

    def grow(depth: int) -> Any:
        children = rng.randint(0, 3) if depth else 0
        return rng.choice("abc"), tuple(grow(depth - 1) for _ in range(children))

    return rng.choices([grow(3) for _ in range(40)], k=n)


@cache
def by_zss(a: Any, b: Any) -> float:
    def node(tree: Any) -> zss.Node:
        return zss.Node(tree[0], [node(child) for child in tree[1]])

    return float(zss.simple_distance(node(a), node(b)))


def series(n: int, *channels: int) -> list[Floats]:
    """Sequences of 1 to 5 numbers, or of rows of numbers."""
    rng = np.random.default_rng(0)
    slopes = rng.normal(size=(6, *channels))
    parts = [slopes[rng.integers(6, size=1)].repeat(rng.integers(1, 6), axis=0) for _ in range(n)]
    return [part.cumsum(axis=0) + 0.3 * rng.normal(size=part.shape) for part in parts]


def waves(n: int) -> list[Floats]:
    """Sequences of 9 to 14 numbers."""
    rng = np.random.default_rng(0)
    pace, shift = rng.choice([0.2, 0.3, 0.5, 0.8], n), rng.random(n)
    times = [np.arange(rng.integers(9, 15)) for _ in range(n)]
    return [
        np.sin(p * t + s) + 0.1 * rng.normal(size=len(t))
        for p, s, t in zip(pace, shift, times, strict=True)
    ]


def of_few(metric: str, values: Callable[[int], Any], **params: Any) -> Metric:
    """So few that their plain definition does not take long."""
    pair = partial(BY_FORCE[metric], **params)
    return of_objects(metric, values, pair, **params)._replace(count=110, first=24)


def unlike(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a ^ b) / max(len(a | b), 1)


EDITS = {
    "levenshtein": distance.Levenshtein.distance,
    "normalized_levenshtein": distance.Levenshtein.normalized_distance,
    "damerau_levenshtein": distance.DamerauLevenshtein.distance,
    "normalized_damerau_levenshtein": distance.DamerauLevenshtein.normalized_distance,
}
OBJECT_METRICS = {
    "tree_edit": of_objects("tree_edit", trees, by_zss),
    "dtw": of_objects("dtw", series, BY_FORCE["dtw"]),
    "dtw, window": of_objects("dtw", series, partial(BY_FORCE["dtw"], window=1), window=1),
    "dtw, channels": of_objects("dtw", lambda n: series(n, 2), BY_FORCE["dtw"]),
    **{name: of_few(name, series) for name in ("wdtw", "erp", "msm", "twe")},
    # Longer ones: of few values that match or do not, many distances are equal.
    "lcss": of_few("lcss", waves, epsilon=0.2),
    "function of sets": of_objects(unlike, lambda n: list(map(frozenset, strings(n))), unlike),
    **{name: of_objects(name, strings, pair) for name, pair in EDITS.items()},
    **{
        f"{name}, words": of_objects(name, lambda n: [s.split("a") for s in strings(n)], pair)
        for name, pair in EDITS.items()
    },
}


def people(n: int) -> list[list[Any]]:
    """Height, children, colour, smokes; some heights and colours are missing."""
    rng = np.random.default_rng(0)
    columns = [
        rng.normal(170, 10, n), rng.integers(0, 5, n), rng.choice(["red", "green", "blue"], n),
        rng.random(n) < 0.3,
    ]  # fmt: skip
    known = rng.random((4, n)) > np.array([[0.2], [0], [0.2], [0]])
    columns[0][-1], known[0, -1] = 500, True  # a new row, far beyond the range of the fit
    cells = [np.where(has, each, None).tolist() for each, has in zip(columns, known, strict=True)]
    return [list(row) for row in zip(*cells, strict=True)]


def by_gower(left: list[list[Any]], right: list[list[Any]]) -> Floats:
    """The rows of the fit are those on the left, and give the ranges."""
    spans = {}
    for c in (0, 1):
        known = [row[c] for row in left if row[c] is not None]
        spans[c] = max(known) - min(known)

    def pair(a: list[Any], b: list[Any]) -> float:
        gaps = [
            min(abs(x - y) / spans[c], 1.0) if c in spans else float(x != y)
            for c, (x, y) in enumerate(zip(a, b, strict=True))
            if x is not None and y is not None
        ]
        return sum(gaps) / len(gaps)

    return np.array([[pair(a, b) for b in right] for a in left])


NAMES = ["height", "children", "colour", "smokes"]
TABLES = {
    "pandas": Kind("", lambda x: pd.DataFrame(x, columns=NAMES), lambda X: X),
    "polars": Kind("", lambda x: pl.DataFrame(x, schema=NAMES, orient="row"), lambda X: X),
    "list of rows": Kind("", list, list),
}
GOWER = {"gower": Metric("gower", None, lambda form, n: people(n), by_gower)}


# Rows of bits.


def packed(X: Floats) -> np.ndarray:
    return np.packbits(X.astype(bool), axis=1)


BIT_KINDS = {
    "packed": Kind("", packed, np.asarray),
    "packed in words": Kind("", lambda X: np.repeat(packed(X), 4, axis=1).view("u8"), np.asarray),
    "booleans": Kind("", lambda X: X.astype(bool), np.asarray),
    "zeros and ones": Kind("", lambda X: X.astype(np.uint8), np.asarray),
    "floats": Kind("", lambda X: X, np.asarray),
    "pandas": Kind("", lambda X: pd.DataFrame(X > 0).rename(columns=str), np.asarray),
    "list of lists": Kind("", lambda X: X.astype(int).tolist(), np.asarray),
}


def of_bits(metric: str, name: str) -> Metric:
    return Metric(
        metric, None, lambda form, n: rows("hamming", "real", n),
        lambda a, b: cdist(a.astype(bool), b.astype(bool), name), 400, 96,
    )  # fmt: skip


BITS = {
    "tanimoto": of_bits("tanimoto", "jaccard"),
    "dice": of_bits("dice", "dice"),
    "bit_hamming": of_bits("bit_hamming", "hamming"),
}


# Frames of atoms.


def frames(n: int) -> Floats:
    """Moved and turned, of six shapes; in numbers that float32 holds."""
    rng = np.random.default_rng(0)
    shapes = rng.normal(size=(6, 5, 3))[rng.integers(6, size=n)]
    turned = Rotation.random(n, random_state=0).as_matrix()
    moved = np.einsum("fac,fcd->fad", shapes + 0.2 * rng.normal(size=shapes.shape), turned)
    return double(single(moved + rng.normal(size=(n, 1, 3))))


def superposed(a: Floats, b: Floats) -> float:
    """By the singular values of the products (Kabsch 1976)."""
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    left, values, right = np.linalg.svd(a.T @ b)
    values[2] *= np.linalg.det(left @ right)
    square = (a**2).sum() + (b**2).sum() - 2 * values.sum()
    return float(np.sqrt(max(square, 0) / len(a)))


FRAMES = {
    "rmsd": Metric(
        "rmsd", None, lambda form, n: frames(n),
        lambda left, right: np.array([[superposed(a, b) for b in right] for a in left]), 200,
    )
}  # fmt: skip
FRAME_KINDS = {
    "float64": Kind("", double, np.asarray),
    "float32": Kind("", single, np.asarray),
    "memory map": Kind("", mapped, np.asarray),
    "list of lists": Kind("", lambda X: X.tolist(), np.asarray),
}


# The cross of kinds and metrics.

FAMILIES = [
    (ROW_METRICS, ARRAYS | LISTS),
    ({name: each for name, each in ROW_METRICS.items() if name != "haversine"}, SPARSES),
    (
        MATRIX,
        {name: each._replace(source=lambda X: None) for name, each in (ARRAYS | LISTS).items()},
    ),
    (COMPILED, ARRAYS),
    (PYTHON, CALLED),
    (SLOW, {name: SPARSES[name]._replace(source=list) for name in ("csr_matrix", "csr_array")}),
    (OBJECT_METRICS, CONTAINERS),
    (GOWER, TABLES),
    (BITS, BIT_KINDS),
    (FRAMES, FRAME_KINDS),
]
ALL = {name: metric for metrics, _ in FAMILIES for name, metric in metrics.items()}

CASES = [
    pytest.param(name, kind, id=f"{name}-{called}")
    for metrics, kinds in FAMILIES
    for name, (called, kind) in product(metrics, kinds.items())
]


def test_every_metric_is_here() -> None:
    names = {metric.metric for metric in ALL.values() if isinstance(metric.metric, str)}
    assert names == {*METRICS, *MEASURES, "precomputed"}


@cache
def problem(name: str, form: str) -> tuple[Any, Any, Floats, Floats, Any]:
    """Values to fit and new ones, their distances, and what PAM makes of them."""
    metric = ALL[name]
    values = metric.values(form, metric.count + NEW)
    fit, new = values[: metric.count], values[metric.count :]
    inside, outside = metric.distances(fit, fit), metric.distances(fit, new)
    truth = k_medoids(inside, K, metric="precomputed", method="pam", n_jobs=1)
    if metric.metric == "precomputed":
        fit, new = inside, outside.T
    return fit, new, inside, outside, truth


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_answer_is_that_of_exact_pam(name: str, kind: Kind, small_first: SmallFirst) -> None:
    metric = ALL[name]
    fit, new, inside, outside, truth = problem(name, kind.form)
    small_first(metric.first)
    given = kind.give(fit)
    km = KMedoids(K, metric=metric.metric, metric_params=metric.params, n_jobs=1, random_state=0)
    km.fit(given)
    check_sampled(km, metric.count)
    assert km.medoid_indices_.tolist() == truth.medoid_indices.tolist()
    assert km.inertia_ == pytest.approx(truth.inertia, rel=1e-9)
    check_nearest(km.labels_, inside[km.medoid_indices_])
    expected = outside[km.medoid_indices_]
    found = km.transform(kind.give(new))
    np.testing.assert_allclose(found, expected.T, rtol=1e-9, atol=1e-9 * inside.max())
    check_nearest(km.predict(kind.give(new)), expected)
    check_same(km.cluster_centers_, pick(kind.source(given), km.medoid_indices_))


def check_sampled(km: KMedoids, n: int) -> None:
    """Some round dropped half of its arms by a sample of the references."""
    rounds = [each for step in km.history_ for each in step["rounds"] if each["references"] < n]
    assert any(each["survivors"] < each["arms"] / 2 for each in rounds)


def check_nearest(labels: Floats, paid: Floats) -> None:
    """Each label is that of the nearest medoid; rounding may break ties."""
    assert len(np.unique(labels)) > 1
    chosen = paid[labels, np.arange(paid.shape[1])]
    np.testing.assert_allclose(chosen, paid.min(axis=0), rtol=1e-9, atol=1e-9 * paid.max())


def pick(values: Any, chosen: np.ndarray) -> Any:
    if isinstance(values, list):
        return [values[i] for i in chosen]
    return None if values is None else getattr(values, "iloc", values)[chosen]


def check_same(found: Any, expected: Any) -> None:
    """The same values in the same kind of thing."""
    assert type(found) is type(expected)
    if isinstance(found, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_same(one, other)
    elif isinstance(found, (pd.DataFrame, pl.DataFrame)):
        assert found.equals(expected)
    elif isinstance(found, np.ndarray) or sparse.issparse(found):
        assert found.dtype == expected.dtype
        assert np.sum(found != expected) == 0
    else:
        assert found == expected


@pytest.mark.parametrize("name", [*COMPILED, *PYTHON])
def test_only_python_functions_are_called(name: str) -> None:
    km = KMedoids(K, metric=ALL[name].metric, n_jobs=1).fit(problem(name, "real")[0])
    assert isinstance(km._medoids.measure, Compiled if name in COMPILED else Call)
