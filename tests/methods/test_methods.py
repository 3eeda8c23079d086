"""What every method must do, and how all of them take their parameters."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from helpers import Floats, asymmetric, duplicates, lattice, loss_of, mixture, one_line
from medoids import KMedoids, KMedoidsResult, k_medoids
from medoids._fit import METHODS

INITS = ["build", "random", "k-medoids++", "lab"]
# Parameters that are a method's own.
OWN: dict[str, dict[str, Any]] = {
    "banditpam_original": {"cache": True, "paired": True, "replacement": False, "null_arm": True},
    "clara": {"n_sampling": 30, "n_sampling_iter": 3},
    "clarans": {"num_local": 3, "max_neighbors": 40},
    "onebatch": {"batch_size": 30, "weighting": False},
}
KINDS: dict[str, Callable[[int, int], Floats]] = {
    "mixture": lambda n, seed: mixture(n, 3, 5, seed),
    "duplicates": duplicates,
    "lattice": lambda n, seed: lattice(n, seed, side=6),
    "constant": lambda n, seed: np.full((n, 2), 3.0 + seed),
}

each_method = pytest.mark.parametrize("method", METHODS)
each_kind = pytest.mark.parametrize("kind", KINDS)
quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def check(found: KMedoidsResult, matrix: Floats, k: int) -> None:
    """Medoids, labels and loss agree with distances that were computed elsewhere."""
    medoids = found.medoid_indices.tolist()
    assert len(medoids) == len(set(medoids)) == k
    np.testing.assert_array_equal(found.labels, matrix[medoids].argmin(axis=0))
    assert found.inertia == pytest.approx(loss_of(matrix, medoids), rel=1e-9, abs=1e-12)


def result_of(found: KMedoidsResult) -> tuple[list[int], bytes, float, int, int]:
    """All that was found, to the last bit."""
    return (
        found.medoid_indices.tolist(), found.labels.tobytes(), found.inertia, found.n_iter,
        found.n_distances,
    )  # fmt: skip


@each_method
@each_kind
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
@quietly
def test_labels_and_loss_of_rows(method: str, kind: str, metric: str) -> None:
    X = KINDS[kind](120, 0) + 1
    found = k_medoids(X, 4, metric=metric, method=method, random_state=0)
    if metric == "cosine":
        # Directions are tied that SciPy's rounding tells apart.
        matrix = cdist(X, X, metric)
        paid = matrix[found.medoid_indices[found.labels], np.arange(len(X))]
        np.testing.assert_allclose(paid, matrix[found.medoid_indices].min(axis=0), atol=1e-12)
        assert found.inertia == pytest.approx(paid.sum(), rel=1e-9, abs=1e-12)
    else:
        check(found, cdist(X, X, metric), 4)


@each_method
def test_labels_and_loss_where_the_matrix_is_in_float32(method: str) -> None:
    X = mixture(1300, 4, 6, 1)
    check(k_medoids(X, 6, method=method, random_state=0), cdist(X, X), 6)


@each_method
@pytest.mark.parametrize("sign", ["positive", "negative", "mixed"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_labels_and_loss_of_a_matrix(method: str, sign: str, dtype: type) -> None:
    matrix = asymmetric(150, 2) - {"positive": 0.0, "negative": 20.0, "mixed": 1.0}[sign]
    matrix = matrix.astype(dtype)
    found = k_medoids(matrix, 5, metric="precomputed", method=method, random_state=0)
    check(found, matrix.astype(np.float64), 5)


@each_method
@each_kind
@pytest.mark.parametrize("seed", range(4))
@quietly
def test_the_loss_is_never_above_the_start(method: str, kind: str, seed: int) -> None:
    X = KINDS[kind](100 + 30 * seed, seed)
    matrix, k = cdist(X, X), 2 + 2 * seed
    anywhere = np.random.default_rng(seed).choice(len(X), k, replace=False).tolist()
    best = k_medoids(X, k, method="pam").medoid_indices.tolist()
    for init in (anywhere, best):
        found = k_medoids(X, k, method=method, init=init, random_state=seed)
        check(found, matrix, k)
        assert found.inertia <= loss_of(matrix, init) * (1 + 1e-12)


@each_method
@pytest.mark.parametrize("seed", range(2))
def test_the_loss_is_never_above_the_start_in_float32(method: str, seed: int) -> None:
    X = mixture(1100, 3, 5, seed, spread=2.0)
    init = k_medoids(X, 5, method="pam").medoid_indices.tolist()
    found = k_medoids(X, 5, method=method, init=init, random_state=seed)
    assert found.inertia <= loss_of(cdist(X, X), init) * (1 + 1e-12)


@each_method
@pytest.mark.parametrize("sign", ["positive", "mixed"])
@pytest.mark.parametrize("seed", range(2))
def test_the_loss_of_a_matrix_is_never_above_the_start(method: str, sign: str, seed: int) -> None:
    matrix = asymmetric(120, seed) - (sign == "mixed")
    init = np.random.default_rng(seed).choice(120, 4, replace=False).tolist()
    found = k_medoids(matrix, 4, metric="precomputed", method=method, init=init, random_state=seed)
    assert found.inertia <= loss_of(matrix, init)


@each_method
@pytest.mark.parametrize("kind", ["rows", "matrix"])
@pytest.mark.parametrize("init", ["build", "random"])
def test_threads_and_repetition_change_nothing(method: str, kind: str, init: str) -> None:
    X, metric = (
        (mixture(1100, 4, 4, 0), "l2") if kind == "rows" else (asymmetric(500, 0), "precomputed")
    )
    one, again, two = (
        k_medoids(X, 4, metric=metric, method=method, init=init, random_state=7, n_jobs=jobs)
        for jobs in (1, 1, 2)
    )
    assert result_of(one) == result_of(again)
    assert result_of(one) == result_of(two)


@pytest.mark.parametrize("method", ["pam", "fastpam1", "fastpam"])
@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_the_rows_does_not_matter(method: str, seed: int) -> None:
    X = mixture(200 + 300 * seed, 4, 4, seed, spread=2.0)
    order = np.random.default_rng(seed).permutation(len(X))
    plain = k_medoids(X, 5, method=method)
    permuted = k_medoids(X[order], 5, method=method)
    assert permuted.inertia == pytest.approx(plain.inertia, rel=1e-12)
    assert {*order[permuted.medoid_indices].tolist()} == {*plain.medoid_indices.tolist()}


@each_method
@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize(
    ("n", "k"), [(1, 1), (2, 1), (2, 2), (3, 2), (9, 1), (9, 8), (9, 9), (70, 69), (70, 70)]
)
@quietly
def test_the_least_and_the_most_clusters(method: str, init: str, n: int, k: int) -> None:
    X = mixture(n, 2, 3, n)
    found = k_medoids(X, k, method=method, init=init, random_state=0)
    check(found, cdist(X, X), k)
    if k == n:
        assert found.inertia == 0
        assert found.n_iter == 0
    matrix = asymmetric(n, k) - 1.0
    check(
        k_medoids(matrix, k, metric="precomputed", method=method, init=init, random_state=0),
        matrix,
        k,
    )


@each_method
@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("n", [40, 1100])
def test_more_clusters_than_distinct_points(method: str, init: str, n: int) -> None:
    rng = np.random.default_rng(0)
    X = np.array([[0.0, 0.0], [1.0, 5.0], [4.0, 1.0]])[rng.permutation(np.arange(n) % 3)]
    with pytest.warns(ConvergenceWarning, match=r"Only [123] of n_clusters=6 clusters"):
        found = k_medoids(X, 6, method=method, init=init, random_state=0)
    check(found, cdist(X, X), 6)
    if method not in ("clara", "onebatch"):
        assert found.inertia == 0


@each_method
@pytest.mark.parametrize("init", INITS)
def test_points_that_are_all_the_same(method: str, init: str) -> None:
    with pytest.warns(ConvergenceWarning, match="Only 1 of n_clusters=3"):
        found = k_medoids(np.ones((30, 2)), 3, method=method, init=init, random_state=0)
    assert found.inertia == 0
    assert set(found.labels.tolist()) == {0}
    assert len(set(found.medoid_indices.tolist())) == 3


@each_method
@pytest.mark.parametrize("init", [*INITS, [3, 77, 150, 8, 12]])
@pytest.mark.parametrize("kind", ["rows", "matrix"])
def test_every_method_from_every_start(method: str, init: str | list[int], kind: str) -> None:
    X = mixture(160, 3, 4, 3)
    matrix, metric = cdist(X, X), "euclidean"
    data = X
    if kind == "matrix":
        data = matrix = asymmetric(160, 3)
        metric = "precomputed"
    found = k_medoids(data, 5, metric=metric, method=method, init=init, random_state=0)
    check(found, matrix, 5)
    start = k_medoids(data, 5, metric=metric, method=method, init=init, random_state=0, max_iter=0)
    check(start, matrix, 5)
    if init != "build" or method != "clara":  # its BUILD is on samples, another for each
        assert found.inertia <= start.inertia
    if not isinstance(init, str):
        assert start.medoid_indices.tolist() == init


@each_method
@pytest.mark.parametrize("init", ["Build", "kmedoids++", ""])
def test_an_unknown_start_is_refused(method: str, init: str) -> None:
    with pytest.raises(ValueError, match=r"init=.*unknown: choose one of 'build'") as caught:
        k_medoids(mixture(20, 2, 2, 0), 3, method=method, init=init)
    one_line(caught.value)


@each_method
@pytest.mark.parametrize("power", [-50, -7, 3, 60])
@pytest.mark.parametrize("kind", ["rows", "matrix"])
def test_scaling_by_a_power_of_two_scales_the_loss(method: str, power: int, kind: str) -> None:
    X, metric = (
        (mixture(300, 3, 5, 4), "l2") if kind == "rows" else (asymmetric(200, 4), "precomputed")
    )
    plain = k_medoids(X, 5, metric=metric, method=method, random_state=0)
    scaled = k_medoids(X * 2.0**power, 5, metric=metric, method=method, random_state=0)
    assert scaled.medoid_indices.tolist() == plain.medoid_indices.tolist()
    assert scaled.inertia == pytest.approx(plain.inertia * 2.0**power, rel=1e-12)
    assert scaled.labels.tolist() == plain.labels.tolist()


@each_method
@pytest.mark.parametrize("init", ["build", "random"])
def test_history_tells_each_step(method: str, init: str) -> None:
    X = mixture(400, 3, 6, 0, spread=2.0)
    found = k_medoids(X, 6, method=method, init=init, random_state=0)
    for step in found.history:
        assert step["phase"] in ("init", "build", "swap")
        assert step["phase"] == "swap" or step["swaps"] == 0
    assert found.history[0]["distances"] > 0
    # Some take the distances of the start and of the end in float64 after the last step.
    rest = found.n_distances - sum(step["distances"] for step in found.history)
    last = method in ("fastpam", "fasterpam", "onebatch")
    assert rest / (6 * len(X)) in ((1, 2, 3) if last else (0,))
    losses = [step["loss"] for step in found.history]
    if method not in ("clarans", "onebatch"):  # several walks; estimates
        assert all(after <= before * (1 + 1e-6) for before, after in pairwise(losses))
        assert losses[-1] == pytest.approx(found.inertia, rel=1e-6)
    swaps = [step["swaps"] for step in found.history]
    if method == "alternate":
        assert found.n_iter == np.count_nonzero(swaps), "rounds"
    elif method == "clara":
        assert 0 < found.n_iter < sum(swaps), "some samples led to nothing"
    else:
        assert found.n_iter == sum(swaps)


@each_method
def test_a_line_for_each_step(method: str, capfd: pytest.CaptureFixture[str]) -> None:
    found = k_medoids(mixture(200, 2, 3, 0), 3, method=method, verbose=2, random_state=0)
    out, err = capfd.readouterr()
    assert out == ""
    lines = [line for line in err.replace("\r", "\n").splitlines() if line.rstrip().endswith(" s")]
    assert len(lines) == len(found.history)


@each_method
@pytest.mark.parametrize("through", ["function", "estimator"])
def test_an_unknown_parameter_is_refused(method: str, through: str) -> None:
    X = mixture(20, 2, 2, 0)
    km = KMedoids(2, method=method, method_params={"size": 3})
    fit = km.fit if through == "estimator" else lambda X: k_medoids(X, **km.get_params())
    with pytest.raises(ValueError, match=f"method_params has 'size'.*{method!r}") as caught:
        fit(X)
    text = one_line(caught.value)
    for key in OWN.get(method, ["no parameters"]):
        assert key in text


@pytest.mark.parametrize("given", [[("swap", "eager")], "eager", 3, {"swap"}])
def test_parameters_are_a_dict(given: Any) -> None:
    with pytest.raises(TypeError, match="method_params must be a dict or None") as caught:
        k_medoids(mixture(20, 2, 2, 0), 2, method_params=given)
    one_line(caught.value)


@each_method
@pytest.mark.parametrize("nothing", [None, {}])
def test_no_parameters_are_the_default(method: str, nothing: dict[str, Any] | None) -> None:
    X = mixture(150, 3, 3, 0)
    plain = k_medoids(X, 3, method=method, random_state=0)
    given = k_medoids(X, 3, method=method, method_params=nothing, random_state=0)
    assert result_of(plain) == result_of(given)


@pytest.mark.parametrize("method", OWN)
def test_the_estimator_takes_and_keeps_parameters(method: str) -> None:
    X, given = mixture(150, 3, 3, 0), dict(OWN[method])
    km = KMedoids(3, method=method, method_params=given, random_state=0)
    assert km.get_params()["method_params"] is given
    again = clone(km)
    assert again.get_params()["method_params"] == OWN[method]
    again.fit(X)
    assert given == OWN[method], "a fit leaves them alone"
    found = k_medoids(X, 3, method=method, method_params=given, random_state=0)
    assert again.medoid_indices_.tolist() == found.medoid_indices.tolist()
    assert (again.inertia_, again.n_distances_) == (found.inertia, found.n_distances)


@each_method
def test_max_iter_reached_is_a_warning(method: str) -> None:
    X = mixture(300, 3, 8, 0, spread=2.0)
    with pytest.warns(ConvergenceWarning, match=f"{method!r} was stopped by max_iter=1"):
        k_medoids(X, 8, method=method, init=list(range(8)), max_iter=1, random_state=0)


@each_method
@pytest.mark.parametrize("max_iter", [0, 300])
@pytest.mark.parametrize("init", ["build", "random"])
def test_no_warning_without_a_reason(method: str, max_iter: int, init: str) -> None:
    X = mixture(300, 3, 8, 0, spread=2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = k_medoids(X, 8, method=method, init=init, max_iter=max_iter, random_state=0)
    if not max_iter:
        assert found.n_iter == 0


@pytest.mark.parametrize("method", [each for each in METHODS if each != "clara"])
def test_no_warning_once_converged(method: str) -> None:
    """One pass is enough to see that no swap is left; but not in a sample of CLARA's."""
    X, own = mixture(200, 3, 4, 1), {"num_local": 1} if method == "clarans" else None
    end = k_medoids(X, 4, method="pam").medoid_indices.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        k_medoids(X, 4, method=method, init=end, max_iter=1, method_params=own)
