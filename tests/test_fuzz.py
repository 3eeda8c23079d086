"""The fuzzer passes what is right, and each of its checks can fail."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from medoids import KMedoids

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def part(name: str) -> ModuleType:
    """A module of the benchmarks, which are no part of the package."""
    if str(BENCHMARKS) not in sys.path:
        sys.path.append(str(BENCHMARKS))
    return importlib.import_module(name)


fuzz, cases = part("fuzz"), part("_fuzz_cases")


def case(kind: str, metric: str, **options: Any) -> Any:
    """A small case of a kind."""
    rng = np.random.default_rng([list(cases.KINDS).index(kind), 2])
    X = cases.KINDS[kind][0](rng, 300)
    chosen = {"k": 4, "swap": "best", "first": None, "limit": None, "random_state": 0}
    return cases.Case(0, 0, kind, X, metric, **{**chosen, "threads": False, **options})


@pytest.fixture(scope="module")
def plain() -> Any:
    return case("mixture", "l2", threads=True)


@pytest.fixture(scope="module")
def fitted(plain: Any) -> KMedoids:
    return fuzz.searched(plain, 1)


@pytest.mark.parametrize(
    ("kind", "metric"),
    [
        ("mixture", "l1"),
        ("normal", "minkowski"),
        ("normal", "function"),
        ("duplicates", "cosine"),
        ("mixture", "correlation"),
        ("binary", "jaccard"),
        ("binary", "hamming"),
        ("counts", "braycurtis"),
        ("heavy tails", "canberra"),
        ("unequal clusters", "chebyshev"),
        ("sphere", "haversine"),
        ("asymmetric", "precomputed"),
        ("negative", "precomputed"),
    ],
)
def test_what_is_right_passes(kind: str, metric: str) -> None:
    for swap in ("best", "eager"):
        found = fuzz.examine(case(kind, metric, swap=swap, first=None))
        # Whether so few rows are worth a search is not what is tested here.
        assert {miss for miss, _ in found.misses} <= {"count"}, found
        assert found.refused == ""
        assert abs(found.excess) < 1e-12


def test_the_kinds_give_what_their_metrics_need() -> None:
    for number in range(30):
        made = cases.make(1, number)
        assert made.kind == cases.kind_of(1, number)
        assert made.metric in cases.KINDS[made.kind][1]
        values = made.X.data if made.kind == "counts" else made.X
        assert np.isfinite(values).all()
        assert 1 <= made.k <= 60
        assert 250 <= made.n <= 6000


def test_a_case_follows_from_its_number() -> None:
    one, again, other = cases.make(3, 6), cases.make(3, 6), cases.make(4, 6)
    assert str(one) == str(again) != str(other)
    np.testing.assert_array_equal(one.X, again.X)


def turn_the_medoids(km: KMedoids) -> None:
    km.medoid_indices_ = km.medoid_indices_[::-1].copy()


def change_a_label(km: KMedoids) -> None:
    km.labels_[5] = (km.labels_[5] + 1) % 4


def raise_the_loss(km: KMedoids) -> None:
    km.inertia_ *= 1 + 1e-8


def forget_a_step(km: KMedoids) -> None:
    del km.history_[0]


def forget_the_count(km: KMedoids) -> None:
    km.n_distances_ = 0


def count_twice_all(km: KMedoids) -> None:
    km.n_distances_ = 2 * 300**2


def warn(km: KMedoids) -> None:
    warnings.warn("overflow", RuntimeWarning, stacklevel=1)


def fail(km: KMedoids) -> None:
    raise IndexError("out of range")


SPOILS: list[tuple[Callable[[KMedoids], None], str]] = [
    (turn_the_medoids, "tie"),
    (change_a_label, "labels"),
    (raise_the_loss, "loss"),
    (forget_a_step, "history"),
    (forget_the_count, "history"),
    (count_twice_all, "count"),
    (warn, "warning"),
    (fail, "error"),
]


def spoiled(
    monkeypatch: pytest.MonkeyPatch, fitted: KMedoids, spoil: Callable[[KMedoids], None]
) -> None:
    """Let every fit of the fuzzer be this one, spoiled."""

    def searched(case: Any, n_jobs: int) -> KMedoids:
        km = deepcopy(fitted)
        spoil(km)
        return km

    monkeypatch.setattr(fuzz, "searched", searched)


@pytest.mark.parametrize(("spoil", "kind"), SPOILS)
def test_what_is_wrong_is_caught(
    spoil: Callable[[KMedoids], None],
    kind: str,
    plain: Any,
    fitted: KMedoids,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spoiled(monkeypatch, fitted, lambda km: None)
    assert fuzz.examine(plain).misses == []
    spoiled(monkeypatch, fitted, spoil)
    assert kind in {miss for miss, _ in fuzz.examine(plain).misses}


def test_another_medoid_is_caught(
    plain: Any, fitted: KMedoids, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a loss and labels that are right for it."""
    matrix = cases.matrix_of(plain)

    def move(km: KMedoids) -> None:
        members = np.flatnonzero(km.labels_ == 1)
        row = matrix[km.medoid_indices_[1]]
        km.medoid_indices_[1] = members[row[members].argmax()]
        rows = matrix[km.medoid_indices_]
        km.labels_[:], km.inertia_ = rows.argmin(axis=0), float(rows.min(axis=0).sum())

    spoiled(monkeypatch, fitted, move)
    found = fuzz.examine(plain)
    assert [miss for miss, _ in found.misses] == ["medoids", "swap helps"]
    assert found.excess > 0


def test_every_swap_is_tried(plain: Any, fitted: KMedoids) -> None:
    """The best swap is the one that takes back a wrong one, whatever the block."""
    matrix = cases.matrix_of(plain)
    assert list(fuzz.no_swap_helps(fitted, matrix)) == []
    for position, row in [(0, 299), (3, 17)]:
        km = deepcopy(fitted)
        right = km.medoid_indices_[position]
        km.medoid_indices_[position] = row
        texts = {text for size in (7, 256) for _, text in fuzz.no_swap_helps(km, matrix, size)}
        (text,) = texts
        before = matrix[km.medoid_indices_].min(axis=0).sum()
        best = min(
            matrix[[*km.medoid_indices_[np.arange(4) != out], arm]].min(axis=0).sum()
            for out in range(4)
            for arm in range(len(matrix))
        )
        assert f"{(best - before) / before:+.2e} of the loss" in text
        assert best <= matrix[fitted.medoid_indices_].min(axis=0).sum()
        assert right not in km.medoid_indices_


def test_one_swap_of_a_single_medoid(plain: Any) -> None:
    one = plain._replace(k=1)
    km = fuzz.searched(one, 1)
    matrix = cases.matrix_of(one)
    assert list(fuzz.no_swap_helps(km, matrix)) == []
    km.medoid_indices_[0] = np.argsort(matrix.sum(axis=1))[1]
    assert [kind for kind, _ in fuzz.no_swap_helps(km, matrix)] == ["swap helps"]


@pytest.mark.parametrize("name", ["medoid_indices_", "labels_", "inertia_", "n_distances_"])
def test_threads_that_differ_are_caught(name: str, fitted: KMedoids) -> None:
    other = deepcopy(fitted)
    other.history_[0]["seconds"] += 1
    assert list(fuzz.same_on_two_threads(fitted, other)) == []
    setattr(other, name, getattr(other, name) + 1)
    assert [(kind, text.split()[0]) for kind, text in fuzz.same_on_two_threads(fitted, other)] == [
        ("threads", name)
    ]
    other.history_[0]["rounds"] = []
    assert "history_" in [text.split()[0] for _, text in fuzz.same_on_two_threads(fitted, other)]


def test_eager_swaps_that_raise_the_loss_are_caught(fitted: KMedoids) -> None:
    km = deepcopy(fitted)
    assert list(fuzz.against_start(km)) == []
    km.inertia_ = 1.001 * [step["loss"] for step in km.history_ if step["phase"] == "build"][-1]
    assert [kind for kind, _ in fuzz.against_start(km)] == ["loss"]


def test_data_that_is_refused_is_no_miss(
    plain: Any, fitted: KMedoids, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(km: KMedoids) -> None:
        raise ValueError("X has numbers up to 1e200: scale it down.")

    spoiled(monkeypatch, fitted, refuse)
    assert fuzz.examine(plain).refused == "X has numbers up to 1e200: scale it down."
    assert fuzz.examine(plain).misses == []


@pytest.mark.parametrize(("spoil", "status"), [(lambda km: None, 0), (change_a_label, 1)])
def test_the_line_the_table_and_the_status(
    spoil: Callable[[KMedoids], None],
    status: int,
    plain: Any,
    fitted: KMedoids,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    spoiled(monkeypatch, fitted, spoil)
    monkeypatch.setattr(fuzz, "make", lambda seed, number: plain)
    for arguments in (["--minutes", "0.001"], ["--case", "0:0"]):
        monkeypatch.setattr(sys, "argv", ["fuzz.py", *arguments])
        assert fuzz.main() == status
        out = capsys.readouterr().out
        assert ("MISS labels: row 5 pays" in out) == bool(status)
        assert ("python benchmarks/fuzz.py --case 0:0  # mixture, l2" in out) == bool(status)
        if "--minutes" in arguments:
            head, _, *rows = [line.split("|") for line in out.splitlines() if "|" in line]
            total = dict(zip(map(str.strip, head), map(str.strip, rows[-1]), strict=True))
            assert int(total["fits"]) >= 1
            assert int(total["labels"]) == status * int(total["fits"])
