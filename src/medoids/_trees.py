"""Ordered labelled trees, and the cost of editing one into another.

A tree is a pair (label, children), or a dict with "type" and "children" as in the Hour of
Code data. Trees are packed into arrays, node after node in post-order, for the kernel of
Zhang and Shasha (1989).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Packed(NamedTuple):
    """Trees, one after the other.

    Attributes
    ----------
    starts : ndarray of int
        Where the nodes of each tree start, and the end.
    labels : ndarray of int
        The label of each node, as a number.
    leftmost : ndarray of int
        The first leaf below each node, counted from the start of its tree.
    root_starts, roots : ndarray of int
        The key roots of each tree: nodes that have a left sibling, and the root; in order.
    """

    starts: NDArray[np.int64]
    labels: NDArray[np.int32]
    leftmost: NDArray[np.int32]
    root_starts: NDArray[np.int64]
    roots: NDArray[np.int32]


def pack(trees: Sequence[Any], numbers: dict[Hashable, int]) -> Packed:
    """Pack trees; `numbers` gives each label its number, and learns new ones."""
    labels: list[int] = []
    leftmost: list[int] = []
    roots: list[int] = []
    starts, root_starts = [0], [0]
    for index, tree in enumerate(trees):
        first = len(labels)
        last_with: dict[int, int] = {}
        for node, (label, leaf) in enumerate(_post_order(tree, index)):
            labels.append(numbers.setdefault(label, len(numbers)))
            leftmost.append(leaf)
            last_with[leaf] = node
        # Of all nodes with the same first leaf, the last is the topmost.
        roots.extend(sorted(last_with.values()))
        starts.append(len(labels))
        root_starts.append(len(roots))
        assert len(labels) > first
    return Packed(
        np.array(starts), np.array(labels, dtype=np.int32), np.array(leftmost, dtype=np.int32),
        np.array(root_starts), np.array(roots, dtype=np.int32),
    )  # fmt: skip


def _post_order(tree: Any, index: int) -> Iterator[tuple[Hashable, int]]:
    """Each node's label and its first leaf, children before their parent."""
    count = 0
    # A node, its children that are still to come, and the first leaf below it.
    label, children = label_and_children(tree, index)
    stack: list[tuple[Hashable, list[Any], int]] = [(label, children[::-1], -1)]
    while stack:
        label, left, leaf = stack.pop()
        if left:
            child = left.pop()
            stack.append((label, left, leaf))
            label, children = label_and_children(child, index)
            stack.append((label, children[::-1], -1))
            continue
        leaf = count if leaf < 0 else leaf
        yield label, leaf
        count += 1
        if stack and stack[-1][2] < 0:
            stack[-1] = (*stack[-1][:2], leaf)


def label_and_children(tree: Any, index: int) -> tuple[Hashable, list[Any]]:
    """A node's label and children."""
    if isinstance(tree, Mapping) and "type" in tree:
        label, children = tree["type"], tree.get("children") or []
    elif isinstance(tree, (tuple, list)) and len(tree) == 2:
        label, children = tree
    else:
        raise TypeError(
            f"X[{index}] is no tree: give nested (label, [children]), or dicts with 'type' and"
            f" 'children'; found {type(tree).__name__} {str(tree)[:40]!r}."
        )
    if not isinstance(label, Hashable) or not isinstance(children, (tuple, list)):
        raise TypeError(
            f"X[{index}] has a node whose label is {type(label).__name__} and whose children are"
            f" {type(children).__name__}: give a text or a number, and a list."
        )
    return label, list(children)
