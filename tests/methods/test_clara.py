"""CLARA is PAM on samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import Floats, best_swap, digits, mixture, one_line
from medoids import KMedoidsResult, k_medoids
from medoids.engines.cpu.points.base import Points
from medoids.engines.protocol import Medoids
from medoids.methods import clara as _clara
from medoids.methods.settings import Settings


def clara(X: Floats, k: int, seed: int = 0, **own: Any) -> KMedoidsResult:
    return k_medoids(X, k, method="clara", method_params=own, random_state=seed)


@pytest.fixture
def samples(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The size of each sample that PAM is run on."""
    sizes: list[int] = []
    pam = _clara.pam

    def watch(settings: Settings) -> tuple[Medoids, int]:
        sizes.append(settings.engine.n)
        return pam(settings)

    monkeypatch.setattr(_clara, "pam", watch)
    return sizes


@pytest.mark.parametrize("k", [1, 3, 10])
def test_five_samples_of_forty_and_twice_the_clusters(samples: list[int], k: int) -> None:
    found = clara(mixture(500, 3, 4, 0), k)
    assert samples == [40 + 2 * k] * 5
    # Medoids that a sample has in common with another are measured once.
    sampled = 5 * (40 + 2 * k) ** 2 + digits(500)
    assert sampled + k * 500 <= found.n_distances <= sampled + 5 * k * 500


@pytest.mark.parametrize(
    ("own", "sizes"),
    [
        ({"n_sampling": 100}, [100] * 5),
        ({"n_sampling_iter": 2}, [46, 46]),
        ({"n_sampling": 3, "n_sampling_iter": 7}, [3] * 7),
        ({"n_sampling": 9999}, [500] * 5),
        ({"n_sampling": np.int64(60), "n_sampling_iter": np.int32(1)}, [60]),
    ],
)
def test_samples_are_as_asked_for(
    samples: list[int], own: dict[str, Any], sizes: list[int]
) -> None:
    clara(mixture(500, 3, 4, 0), 3, **own)
    assert samples == sizes


def test_small_data_are_one_sample(samples: list[int]) -> None:
    clara(mixture(30, 2, 3, 0), 3)
    assert samples == [30] * 5


@pytest.mark.parametrize("init", ["build", "random"])
def test_every_sample_holds_the_best_medoids_so_far(
    init: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[set[int]] = []
    block_array = Points.block_array

    def watch(self: Points, arms: Any, refs: Any) -> Any:
        drawn.append({*np.asarray(arms).tolist()})
        return block_array(self, arms, refs)

    monkeypatch.setattr(Points, "block_array", watch)
    X = mixture(400, 3, 5, 2)
    for samples in (1, 2, 3, 4):
        drawn.clear()
        best = k_medoids(
            X, 5, method="clara", init=init, method_params={"n_sampling_iter": samples},
            random_state=0,
        )  # fmt: skip
        assert len(drawn) == samples
        assert all(len(sample) == 50 for sample in drawn)
        drawn.clear()
        k_medoids(
            X, 5, method="clara", init=init, method_params={"n_sampling_iter": samples + 1},
            random_state=0,
        )  # fmt: skip
        assert {*best.medoid_indices.tolist()} <= drawn[samples]


def test_more_samples_are_no_worse() -> None:
    X = mixture(600, 3, 8, 1, 2.0)
    losses = [clara(X, 8, n_sampling_iter=count).inertia for count in (1, 2, 5, 20)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


def test_larger_samples_are_better() -> None:
    X = mixture(600, 3, 8, 1, 2.0)
    mean = [
        np.mean([clara(X, 8, seed, n_sampling=size).inertia for seed in range(8)])
        for size in (20, 60, 300)
    ]
    assert mean[0] > mean[1] > mean[2]


@pytest.mark.parametrize("seed", range(4))
def test_a_sample_of_all_points_gives_pams_loss(seed: int) -> None:
    X = mixture(300, 3, 5, seed)
    exact = k_medoids(X, 5, method="pam")
    found = clara(X, 5, seed, n_sampling=300, n_sampling_iter=1)
    assert found.inertia == pytest.approx(exact.inertia, rel=1e-12)
    assert best_swap(cdist(X, X), found.medoid_indices) >= found.inertia * (1 - 1e-6)


@pytest.mark.parametrize(
    ("own", "error", "says"),
    [
        ({"n_sampling": 4}, ValueError, "n_sampling=4 is too small: give at least 5"),
        ({"n_sampling_iter": 0}, ValueError, "n_sampling_iter=0"),
        ({"n_sampling": 50.0}, TypeError, "n_sampling must be a whole number"),
        ({"n_sampling_iter": True}, TypeError, "n_sampling_iter must be a whole number"),
        ({"n_sampling_iter": None}, TypeError, "n_sampling_iter must be a whole number"),
    ],
)
def test_bad_sizes_are_refused(own: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        clara(mixture(100, 2, 3, 0), 5, **own)
    one_line(caught.value)


def test_too_large_a_sample_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Points, "block_array")
    with pytest.raises(ValueError, match=r"'clara' needs 0\.032 GB.*memory_limit") as caught:
        k_medoids(
            np.zeros((3000, 1)), 3, method="clara", method_params={"n_sampling": 2000},
            memory_limit="10MB",
        )  # fmt: skip
    one_line(caught.value)
