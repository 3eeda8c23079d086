"""The tree edit distance of Zhang and Shasha (1989), compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def tree_block(left, right, arms, refs, insert, delete, rename, out):  # type: ignore[no-untyped-def]
    """Fill `out[i, j]` with the cost of editing tree `arms[i]` into tree `refs[j]`.

    `left` and `right` are the packed trees, as tuples of arrays.
    """
    largest = 0
    for i in range(arms.shape[0]):
        largest = max(largest, left[0][arms[i] + 1] - left[0][arms[i]])
    widest = 0
    for j in range(refs.shape[0]):
        widest = max(widest, right[0][refs[j] + 1] - right[0][refs[j]])
    trees = np.empty((largest, widest))
    forests = np.empty((largest + 1, widest + 1))
    for i in range(arms.shape[0]):
        a = arms[i]
        labels = left[1][left[0][a] : left[0][a + 1]]
        leaves = left[2][left[0][a] : left[0][a + 1]]
        roots = left[4][left[3][a] : left[3][a + 1]]
        for j in range(refs.shape[0]):
            b = refs[j]
            out[i, j] = _edit(
                labels,
                leaves,
                roots,
                right[1][right[0][b] : right[0][b + 1]],
                right[2][right[0][b] : right[0][b + 1]],
                right[4][right[3][b] : right[3][b + 1]],
                insert,
                delete,
                rename,
                trees,
                forests,
            )


@njit(nogil=True, cache=True)
def _edit(  # type: ignore[no-untyped-def]
    labels, leaves, roots, labels2, leaves2, roots2, insert, delete, rename, trees, forests
):
    """The cost of editing one tree into another; `trees` and `forests` are scratch."""
    for r in range(roots.shape[0]):
        i = roots[r]
        low = leaves[i]
        for r2 in range(roots2.shape[0]):
            j = roots2[r2]
            low2 = leaves2[j]
            forests[0, 0] = 0.0
            for x in range(1, i - low + 2):
                forests[x, 0] = forests[x - 1, 0] + delete
            for y in range(1, j - low2 + 2):
                forests[0, y] = forests[0, y - 1] + insert
            for x in range(1, i - low + 2):
                node = x + low - 1
                leaf = leaves[node]
                above, here = forests[x - 1], forests[x]
                before = forests[leaf - low]
                for y in range(1, j - low2 + 2):
                    node2 = y + low2 - 1
                    cost = min(above[y] + delete, here[y - 1] + insert)
                    if leaf == low and leaves2[node2] == low2:
                        change = 0.0 if labels[node] == labels2[node2] else rename
                        cost = min(cost, above[y - 1] + change)
                        trees[node, node2] = cost
                    else:
                        cost = min(cost, before[leaves2[node2] - low2] + trees[node, node2])
                    here[y] = cost
    return trees[labels.shape[0] - 1, labels2.shape[0] - 1]
