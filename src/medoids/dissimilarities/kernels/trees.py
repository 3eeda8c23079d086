"""The tree edit distance of Zhang and Shasha (1989), compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from .tuples import Tree


@njit(nogil=True, cache=True)
def tree_block(left, right, arms, refs, costs, out):  # type: ignore[no-untyped-def]
    """Fill `out[i, j]` with the cost of editing tree `arms[i]` into tree `refs[j]`.

    `left` and `right` are `Packed` trees.
    """
    trees = np.empty((_most_nodes(left, arms), _most_nodes(right, refs)))
    forests = np.empty((trees.shape[0] + 1, trees.shape[1] + 1))
    for i in range(arms.shape[0]):
        tree = _tree(left, arms[i])
        for j in range(refs.shape[0]):
            out[i, j] = _edit(tree, _tree(right, refs[j]), costs, trees, forests)


@njit(nogil=True, cache=True)
def _most_nodes(packed, chosen):  # type: ignore[no-untyped-def]
    most = 0
    for i in range(chosen.shape[0]):
        most = max(most, packed.starts[chosen[i] + 1] - packed.starts[chosen[i]])
    return most


@njit(nogil=True, cache=True)
def _tree(packed, i):  # type: ignore[no-untyped-def]
    start, stop = packed.starts[i], packed.starts[i + 1]
    roots = packed.roots[packed.root_starts[i] : packed.root_starts[i + 1]]
    return Tree(packed.labels[start:stop], packed.leftmost[start:stop], roots)


@njit(nogil=True, cache=True)
def _edit(tree, tree2, costs, trees, forests):  # type: ignore[no-untyped-def]
    """The cost of editing one tree into another; `trees` and `forests` are scratch."""
    labels, leaves, roots = tree.labels, tree.leaves, tree.roots
    labels2, leaves2, roots2 = tree2.labels, tree2.leaves, tree2.roots
    insert, delete, rename = costs.insert, costs.delete, costs.rename
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
