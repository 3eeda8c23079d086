"""Bits that differ, against SciPy on the same bits; what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from helpers import Floats, one_line
from medoids import KMedoids, k_medoids
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.engines.cpu.points import distances_between, points_of

BY_SCIPY = {"tanimoto": "jaccard", "dice": "dice", "bit_hamming": "hamming"}


def bits(n: int, width: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((n, width)) < rng.beta(0.5, 0.8, size=width)


def distances(X: Any, others: Any, metric: str) -> Floats:
    data = read(X, metric, None)
    with Workers(2) as workers:
        return distances_between(data, data.like(others), workers)


@pytest.mark.parametrize("metric", BY_SCIPY)
@pytest.mark.parametrize("width", [1, 8, 63, 64, 257, 1024])
@pytest.mark.parametrize("left", [1, 5, 6, 300])
def test_any_width_and_any_block(metric: str, width: int, left: int) -> None:
    """Few rows are compared as they lie, more against rows that are turned."""
    X, Y = bits(left, width), bits(301, width, 1)
    X[:, 0] = Y[:, 0] = True  # SciPy has no dice of empty rows
    truth = cdist(X, Y, BY_SCIPY[metric])
    for found in (distances(X, Y, metric), distances(Y, X, metric).T):
        np.testing.assert_allclose(found, truth, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("metric", ["tanimoto", "dice"])
def test_rows_without_any_bit(metric: str) -> None:
    """Equal to each other, and all unlike the others."""
    X = np.array([[0, 0], [0, 0], [1, 0]])
    assert distances(X, X, metric).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


def test_bits_that_fill_up_the_last_byte_count_as_equal() -> None:
    X = bits(20, 20)
    share = cdist(X, X, "hamming") * 20 / 24
    found = distances(np.packbits(X, axis=1), np.packbits(X, axis=1), "bit_hamming")
    np.testing.assert_allclose(found, share, rtol=1e-14)


def test_packed_rows_are_not_copied() -> None:
    X = np.random.default_rng(0).integers(0, 256, size=(50, 128), dtype=np.uint8)
    assert np.shares_memory(read(X, "tanimoto", None).packed.words, X)


def test_blocks_of_float32_are_the_nearest_to_exact_ones() -> None:
    X = np.packbits(bits(400, 300), axis=1)
    with Workers(2) as workers:
        points = points_of(read(X, "tanimoto", None), workers, 1e9)
        every = np.arange(400)
        block, exact = points.block_array(every, every), points.exact(every)
    np.testing.assert_array_equal(block, exact.astype(np.float32))
    assert points.cost < 10  # a search weighs them by it


def test_what_was_zeros_and_ones_stays_so() -> None:
    """Rows that are packed may look like zeros and ones, alone."""
    X = np.array([[1, 0, 3], [1, 1, 1], [0, 0, 255]], dtype=np.uint8)
    km = KMedoids(2, metric="bit_hamming").fit(X)
    again = pickle.loads(pickle.dumps(km))
    for each in (km, again):
        np.testing.assert_allclose(each.transform(X[1:2]), each.transform(X)[1:2])
    with pytest.raises(ValueError, match="packed bits, but the fit had zeros"):
        KMedoids(1, metric="tanimoto").fit(X[1:2]).predict(X)
    with pytest.raises(TypeError, match="but the fit had packed bits"):
        km.predict(X > 0)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.array([[0.0, 2.0]]), "at row 0, column 1"),
        (np.array([[0, -1]]), "which is no bit"),
        (np.array([[np.nan, 1.0]]), "which is no bit"),
        (np.zeros((2, 0)), "no table of bits"),
        (np.zeros(3), "no table of bits"),
        ([[1, 0], [1]], "no table of bits"),
        (["CCO", "CCN"], "no table of bits"),
        (sparse.csr_array(np.eye(3)), "is sparse"),
        (np.ma.masked_array([[1, 0], [0, 1]], [[0, 1], [0, 0]]), "is masked"),
    ],
)
def test_what_is_no_table_of_bits(bad: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        k_medoids(bad, 1, metric="tanimoto")
    one_line(caught.value)


def test_as_many_columns_as_in_the_fit() -> None:
    km = KMedoids(1, metric="dice").fit(bits(10, 12))
    with pytest.raises(ValueError, match="12"):
        km.predict(bits(10, 13))


def test_fingerprints_of_rdkit() -> None:
    chem = pytest.importorskip("rdkit.Chem")
    structures = pytest.importorskip("rdkit.DataStructs")
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

    given = ["CCO", "CCN", "CCCO", "c1ccccc1", "Cc1ccccc1", "CC(=O)O", "C1CCCCC1", "CCCCCC"]
    maker = GetMorganGenerator(radius=2, fpSize=1021)
    prints = [maker.GetFingerprint(chem.MolFromSmiles(each)) for each in given]
    truth = np.array([structures.BulkTanimotoSimilarity(each, prints) for each in prints])
    np.testing.assert_allclose(distances(prints, prints, "tanimoto"), 1 - truth, rtol=1e-12)
    unlike = np.array([[(a ^ b).GetNumOnBits() for b in prints] for a in prints]) / 1021
    np.testing.assert_allclose(distances(prints, prints, "bit_hamming"), unlike, rtol=1e-12)
    km = KMedoids(2, metric="tanimoto").fit(prints)
    assert km.cluster_centers_ == [prints[row] for row in km.medoid_indices_]
    again = pickle.loads(pickle.dumps(km))
    np.testing.assert_array_equal(again.predict(prints), km.labels_)
    rows = np.array([list(each) for each in prints], dtype=np.uint8)  # as RDKit gives arrays
    np.testing.assert_array_equal(
        KMedoids(2, metric="tanimoto").fit(rows).medoid_indices_, km.medoid_indices_
    )
    with pytest.raises(TypeError, match="one kind of thing"):
        km.predict([prints[0], "CCO"])
