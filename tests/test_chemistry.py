"""Fingerprints of molecules, and how many of them medoids cover."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import one_line
from medoids import KMedoids, chemistry

SMILES = ["CCO", "CCN", "CCCO", "c1ccccc1", "Cc1ccccc1", "CC(=O)O", "C1CCCCC1", "CCCCCC"]


def test_coverage() -> None:
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    km = KMedoids(2).fit(X)
    assert chemistry.coverage(km, X, [0, 1, 0.5]) == {0: 0.5, 1: 1.0, 0.5: 0.5}
    assert chemistry.coverage(km, [[100.0]], [5]) == {5: 0.0}


def test_a_radius_that_is_no_number() -> None:
    with pytest.raises(TypeError, match="radii has 'wide'") as caught:
        chemistry.coverage(KMedoids(1).fit([[0.0]]), [[0.0]], ["wide"])  # type: ignore[list-item]
    one_line(caught.value)


def test_fingerprints_are_those_of_rdkit() -> None:
    chem = pytest.importorskip("rdkit.Chem")
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

    molecules = [chem.MolFromSmiles(each) for each in SMILES]
    found = chemistry.fingerprints(SMILES, radius=3, n_bits=500)
    maker = GetMorganGenerator(radius=3, fpSize=500)
    bits = np.array([list(maker.GetFingerprint(each)) for each in molecules])
    np.testing.assert_array_equal(np.unpackbits(found, axis=1)[:, :500], bits)
    np.testing.assert_array_equal(chemistry.fingerprints(molecules, radius=3, n_bits=500), found)
    assert chemistry.fingerprints(SMILES).shape == (8, 256)


def test_what_is_no_molecule() -> None:
    pytest.importorskip("rdkit")
    with pytest.raises(ValueError, match=r"molecules\[1\] is 'C1C'") as caught:
        chemistry.fingerprints(["CCO", "C1C"])
    one_line(caught.value)
