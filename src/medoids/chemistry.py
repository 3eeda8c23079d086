"""Molecules: fingerprints of them (RDKit), and how many a choice of medoids covers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import is_real, whole
from ._fitted import FittedKMedoids

__all__ = ["bit_vectors", "coverage", "fingerprints"]


def fingerprints(
    molecules: Sequence[Any], *, radius: int = 2, n_bits: int = 2048
) -> NDArray[np.uint8]:
    """Morgan fingerprints (ECFP4 for a radius of 2), packed as `metric="tanimoto"` takes them.

    Parameters
    ----------
    molecules : sequence of str or rdkit.Chem.Mol
        SMILES, or what RDKit has read.
    radius : int, default=2
        How many bonds around an atom are looked at.
    n_bits : int, default=2048
        The length of a fingerprint.

    Returns
    -------
    ndarray of uint8 of shape (n_molecules, n_bits / 8)

    Examples
    --------
    >>> from medoids import KMedoids, chemistry
    >>> smiles = ["CCO", "CCN", "CCCO", "c1ccccc1", "c1ccccc1O", "c1ccccc1N"]
    >>> bits = chemistry.fingerprints(smiles)  # doctest: +SKIP
    >>> bits.shape  # doctest: +SKIP
    (6, 256)
    >>> km = KMedoids(2, metric="tanimoto").fit(bits)  # doctest: +SKIP
    >>> [smiles[row] for row in km.medoid_indices_]  # doctest: +SKIP
    ['CCO', 'c1ccccc1O']
    """
    vectors = bit_vectors(molecules, radius=radius, n_bits=n_bits)
    if not vectors:
        return np.empty((0, -(-n_bits // 8)), dtype=np.uint8)
    bits = np.empty((len(vectors), n_bits), dtype=np.uint8)
    from rdkit.DataStructs import ConvertToNumpyArray

    for row, vector in zip(bits, vectors, strict=True):
        ConvertToNumpyArray(vector, row)
    return np.packbits(bits, axis=1)


def bit_vectors(molecules: Sequence[Any], *, radius: int = 2, n_bits: int = 2048) -> list[Any]:
    """The same as RDKit's own bit vectors, which `metric="tanimoto"` takes in a list.

    Parameters
    ----------
    molecules, radius, n_bits
        As for `fingerprints`.

    Returns
    -------
    list of rdkit.DataStructs.ExplicitBitVect

    Examples
    --------
    >>> from medoids import chemistry
    >>> (vector,) = chemistry.bit_vectors(["CCO"], n_bits=1024)  # doctest: +SKIP
    >>> vector.GetNumBits(), vector.GetNumOnBits()  # doctest: +SKIP
    (1024, 6)
    """
    try:
        from rdkit import Chem, RDLogger
        from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator
    except ImportError as error:
        raise ImportError("Fingerprints of molecules need RDKit: pip install rdkit.") from error
    maker = GetMorganGenerator(radius=whole(radius, "radius", 0), fpSize=whole(n_bits, "n_bits", 8))
    found = []
    RDLogger.DisableLog("rdApp.*")  # an error of ours says it in one line
    try:
        for at, each in enumerate(molecules):
            molecule = Chem.MolFromSmiles(each) if isinstance(each, str) else each
            if molecule is None:
                raise ValueError(
                    f"molecules[{at}] is {str(each)[:40]!r}, which RDKit cannot read: mend or"
                    " remove it."
                )
            found.append(maker.GetFingerprint(molecule))
    finally:
        RDLogger.EnableLog("rdApp.*")
    return found


def coverage(
    km: FittedKMedoids, X: ArrayLike, radii: Iterable[float] = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
) -> dict[float, float]:
    """The share of rows that are within each radius of their nearest medoid.

    Parameters
    ----------
    km : KMedoids
        Fitted, under any metric.
    X : array-like
        The rows, those of the fit or new ones.
    radii : iterable of float
        Distances: 0.4 under "tanimoto" is a similarity of 0.6.

    Returns
    -------
    dict of float
        From each radius to the share.

    Examples
    --------
    >>> from medoids import KMedoids, chemistry
    >>> km = KMedoids(1).fit([[0.0], [1.0], [5.0]])
    >>> chemistry.coverage(km, [[0.0], [1.0], [2.0], [9.0]], [0.5, 1, 10])
    {0.5: 0.25, 1: 0.75, 10: 1.0}
    """
    wanted = list(radii)
    for radius in wanted:
        if not is_real(radius):
            raise TypeError(f"radii has {radius!r}: give numbers.")
    nearest = np.asarray(km.transform(X)).min(axis=1)
    return {radius: float((nearest <= radius).mean()) for radius in wanted}
