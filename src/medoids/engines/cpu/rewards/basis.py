"""An orthonormal basis of what is known of the references: Q and t of docs/algorithm.md.

Local features belong to one owner's references and are zero elsewhere (is it this
owner's, how near is its medoid, how near the second); global ones belong to all. The
basis keeps that shape, so that an owner's references meet few columns of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...protocol import Values


class Basis(NamedTuple):
    """Columns that are orthonormal over the sample, and what they say of the mean.

    Attributes
    ----------
    q : ndarray of shape (m, locals + globals)
        For each reference, its owner's local columns of Q and then the global ones.
    t_local : ndarray of shape (k, locals)
    t_global : ndarray of shape (globals,)
        The estimate of the mean over all points is t'c, where c = Q'r are the sums of the
        rewards along the columns.
    rank : int
        How many columns there are in all.
    """

    q: Values
    t_local: Values
    t_global: Values
    rank: int


def orthonormal(
    bounds: NDArray[np.integer],
    local: Values,
    local_mean: Values,
    shared: Values,
    shared_mean: Values,
) -> Basis:
    """Make the basis of weighted features of references that are sorted by owner.

    Parameters
    ----------
    bounds : ndarray of shape (k + 1,)
        Where each owner's references start.
    local : ndarray of shape (m, locals)
    local_mean : ndarray of shape (k, locals)
        Means over all n points of each owner's local features.
    shared : ndarray of shape (m, globals)
    shared_mean : ndarray of shape (globals,)
    """
    k, size = local_mean.shape
    q = np.zeros((len(local), size + shared.shape[1]))
    t_local = np.zeros((k, size))
    rest, rest_mean = shared.copy(), shared_mean.copy()
    rank = 0
    for g in range(k):
        mine = slice(bounds[g], bounds[g + 1])
        # A slope needs more than a few references; the level needs one.
        use = size if bounds[g + 1] - bounds[g] > 2 * size else 1
        if bounds[g + 1] == bounds[g]:
            continue
        turn = _whiten(local[mine, :use].T @ local[mine, :use])
        part = local[mine, :use] @ turn
        along = part.T @ shared[mine]
        rest[mine] -= part @ along
        rest_mean -= (turn @ along).T @ local_mean[g, :use]
        found = turn.shape[1]
        q[mine, :found] = part
        t_local[g, :found] = turn.T @ local_mean[g, :use]
        rank += found
    turn = np.empty((0, 0))
    if shared.shape[1]:
        turn = _whiten(rest.T @ rest, np.einsum("ij,ij->j", shared, shared))
    q[:, size : size + turn.shape[1]] = rest @ turn
    q = q[:, : size + turn.shape[1]]
    return Basis(q, t_local, turn.T @ rest_mean, rank + turn.shape[1])


def _whiten(gram: Values, scale: Values | None = None) -> Values:
    """The matrix that makes features of this Gram matrix orthonormal.

    Directions in which they differ by rounding alone are left out.
    """
    scale = np.diag(gram) if scale is None else scale
    size = np.sqrt(np.maximum(scale, np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(gram / np.outer(size, size))
    keep = values > 1e-6
    return np.asarray(vectors[:, keep] / np.sqrt(values[keep]) / size[:, None])
