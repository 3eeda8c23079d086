"""The distance of frames after the best superposition, against Kabsch's by singular values."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from helpers import Floats, one_line
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.engines.cpu.points import distances_between, points_of


def distances(X: Any, others: Any, **params: Any) -> Floats:
    data = read(X, "rmsd", params or None)
    with Workers(2) as workers:
        return distances_between(data, data.like(others), workers)


def by_rotation(a: Floats, b: Floats, weights: Floats | None = None) -> float:
    w = np.ones(len(a)) if weights is None else np.asarray(weights, dtype=float)
    a, b = (each - np.average(each, axis=0, weights=w) for each in (a, b))
    rotation, _ = Rotation.align_vectors(a, b, weights=w)
    return float(np.sqrt(np.average(((a - rotation.apply(b)) ** 2).sum(axis=1), weights=w)))


@pytest.mark.parametrize("atoms", [4, 17, 100])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_rotation(atoms: int, weighted: bool) -> None:
    rng = np.random.default_rng(atoms)
    X, Y = 3 * rng.normal(size=(7, atoms, 3)) + 50, rng.normal(size=(9, atoms, 3))
    weights = rng.random(atoms) if weighted else None
    truth = [[by_rotation(a, b, weights) for b in Y] for a in X]
    params = {"weights": weights} if weighted else {}
    np.testing.assert_allclose(distances(X, Y, **params), truth, rtol=1e-10)


def test_a_frame_that_was_moved_and_turned_is_the_same() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1, 30, 3))
    turned = Rotation.random(20, random_state=0).as_matrix()
    Y = np.einsum("fac,fcd->fad", X.repeat(20, axis=0), turned) + rng.normal(size=(20, 1, 3))
    assert distances(X, Y).max() < 1e-6
    assert (distances(Y, Y).diagonal() == 0).all()
    mirrored = X * [1, 1, -1]
    assert distances(X, mirrored)[0, 0] > 0.1  # no rotation makes a hand of the other


@pytest.mark.parametrize("shape", ["line", "plane", "point", "two", "nothing", "mirror"])
def test_where_several_rotations_are_as_good(shape: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, {"point": 1, "two": 2}.get(shape, 6), 3))
    flat = {"line": [1, 0, 0], "plane": [1, 1, 0], "nothing": [0, 0, 0]}.get(shape, [1, 1, 1])
    X = X * flat
    if shape == "mirror":
        X = np.concatenate([X, -X])

    def kabsch(a: Floats, b: Floats) -> float:
        a, b = a - a.mean(axis=0), b - b.mean(axis=0)
        left, values, right = np.linalg.svd(a.T @ b)
        values[2] *= np.sign(np.linalg.det(left) * np.linalg.det(right))
        return ((a**2).sum() + (b**2).sum() - 2 * values.sum()) / len(a)

    truth = np.array([[kabsch(a, b) for b in X] for a in X])
    np.testing.assert_allclose(distances(X, X) ** 2, truth, atol=1e-13)


def test_the_same_bits_in_every_block() -> None:
    X = np.random.default_rng(2).normal(size=(60, 10, 3)).astype(np.float32)
    with Workers(2) as workers:
        points = points_of(read(X, "rmsd", None), workers, 1e9)
        every = np.arange(60)
        whole = points.exact(every)
        alone = np.concatenate([points.exact(every[i : i + 1]) for i in range(60)])
        columns = np.concatenate([points.exact(every, every[i : i + 1]) for i in range(60)], axis=1)
    np.testing.assert_array_equal(alone, whole)
    np.testing.assert_array_equal(columns, whole)


def test_a_fit_and_its_pickle() -> None:
    X = np.random.default_rng(3).normal(size=(40, 5, 3)).astype(np.float32)
    km = KMedoids(3, metric="rmsd", metric_params={"weights": [1, 1, 2, 1, 1]}).fit(X)
    assert km.cluster_centers_.shape == (3, 5, 3)
    assert km.n_features_in_ == 5
    again = pickle.loads(pickle.dumps(km))
    np.testing.assert_array_equal(again.predict(X), km.labels_)
    with pytest.raises(ValueError, match="5"):
        km.predict(X[:, :4])


@pytest.mark.parametrize(
    ("bad", "params", "words"),
    [
        (np.zeros((3, 4)), {}, r"needs \(frames, atoms, 3\)"),
        (np.zeros((3, 4, 2)), {}, r"needs \(frames, atoms, 3\)"),
        (np.full((3, 4, 3), np.inf), {}, r"X\[0\] contains NaN or infinity"),
        (np.zeros((3, 0, 3)), {}, "at least one"),
        (np.zeros((3, 4, 3)), {"weights": [1, 2]}, "2 numbers for 4 atoms"),
        (np.zeros((3, 4, 3)), {"weights": [1, 2, 3, -1]}, "none below 0"),
        (np.zeros((3, 4, 3)), {"weights": "heavy"}, "must be numbers"),
    ],
)
def test_what_is_no_frame(bad: Any, params: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        k_medoids(bad, 1, metric="rmsd", metric_params=params)
    one_line(caught.value)


def test_trajectories() -> None:
    """As mdtraj and MDAnalysis have them, and equal to what they compute."""
    mdtraj = pytest.importorskip("mdtraj")
    rms = pytest.importorskip("MDAnalysis.analysis.rms")
    xyz = np.random.default_rng(4).normal(size=(30, 12, 3)).astype(np.float32)
    top = mdtraj.Topology()
    residue = top.add_residue("X", top.add_chain())
    for _ in range(12):
        top.add_atom("C", mdtraj.element.carbon, residue)
    trajectory = mdtraj.Trajectory(xyz, top)
    found = distances(trajectory.xyz, trajectory.xyz)
    theirs = mdtraj.rmsd(mdtraj.Trajectory(xyz.copy(), top), trajectory, 0)
    np.testing.assert_allclose(found[0, 1:], theirs[1:], rtol=1e-4)
    pair = rms.rmsd(xyz[0], xyz[1], center=True, superposition=True)
    np.testing.assert_allclose(found[0, 1], pair, rtol=1e-5)
    with pytest.raises(TypeError, match=r"X\.xyz"):
        k_medoids(trajectory, 2, metric="rmsd")
