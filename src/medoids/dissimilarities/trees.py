"""Ordered labelled trees, and the cost of editing one into another.

A tree is a pair (label, children), or a dict with "type" and "children" as in the Hour of
Code data. Trees are packed into arrays, node after node in post-order, for the kernel of
Zhang and Shasha (1989).
"""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .kernels.tuples import Packed

# Nodes of a tree: a pair of such needs two tables of 0.8 GB.
MOST = 10_000
# Without its depths, which have no end in a tree that contains itself.
_BRIEF = reprlib.Repr()
_BRIEF.maxlevel = 2


def pack(trees: Sequence[Any], numbers: dict[Hashable, int]) -> Packed:
    """Pack trees; `numbers` gives each label its number, and learns new ones."""
    labels: list[int] = []
    leftmost: list[int] = []
    roots: list[int] = []
    starts, root_starts = [0], [0]
    for index, tree in enumerate(trees):
        last_with: dict[int, int] = {}
        leaves: list[int] = []  # the first ones below the nodes that still wait for a parent
        for node, (_, label, count) in enumerate(_post_order(tree, index, MOST)):
            leaf = leaves[-count] if count else node
            leaves[len(leaves) - count :] = [leaf]
            labels.append(_number(label, numbers, index))
            leftmost.append(leaf)
            last_with[leaf] = node
        # Of all nodes with the same first leaf, the last is the topmost.
        roots.extend(sorted(last_with.values()))
        starts.append(len(labels))
        root_starts.append(len(roots))
    return Packed(
        np.array(starts), np.array(labels, dtype=np.int32), np.array(leftmost, dtype=np.int32),
        np.array(root_starts), np.array(roots, dtype=np.int32),
    )  # fmt: skip


def _number(label: Hashable, numbers: dict[Hashable, int], index: int) -> int:
    try:
        return numbers.setdefault(label, len(numbers))
    except TypeError as error:  # a tuple with a list in it
        raise TypeError(
            f"X[{index}] has a node whose label cannot be compared, {error}: give a text or a"
            " number."
        ) from None


def _post_order(tree: Any, index: int, most: int) -> Iterator[tuple[Any, Hashable, int]]:
    """Each node with its label and its number of children, children before their parent."""
    seen = 0
    # From the root to a node: each, its label, its children still to come, and how many it has.
    path: list[tuple[Any, Hashable, list[Any], int]] = []
    above: set[int] = set()
    waiting = [tree]
    while True:
        if waiting:
            node = waiting.pop()
            label, children = label_and_children(node, index)
            if id(node) in above:
                raise ValueError(f"X[{index}] is a tree that contains itself: give one that ends.")
            seen += 1
            if seen + len(children) > most:
                raise ValueError(
                    f"X[{index}] has more than {most} nodes, too many for the tables of a tree"
                    " edit distance: cut it (a subtree counts in every place where it is)."
                )
            above.add(id(node))
            path.append((node, label, children[::-1], len(children)))
        else:
            node, label, _, count = path.pop()
            above.remove(id(node))
            yield node, label, count
            if not path:
                return
        waiting = path[-1][2]


def label_and_children(tree: Any, index: int) -> tuple[Hashable, list[Any]]:
    """A node's label and children."""
    if isinstance(tree, Mapping) and "type" in tree:
        label, children = tree["type"], tree.get("children") or []
    elif isinstance(tree, (tuple, list)) and len(tree) == 2:
        label, children = tree
    else:
        raise TypeError(
            f"X[{index}] is no tree: give nested (label, [children]), or dicts with 'type' and"
            f" 'children'; found {type(tree).__name__} {_BRIEF.repr(tree)[:40]!r}."
        )
    if not isinstance(label, Hashable) or not isinstance(children, (tuple, list)):
        raise TypeError(
            f"X[{index}] has a node whose label is {type(label).__name__} and whose children are"
            f" {type(children).__name__}: give a text or a number, and a list."
        )
    return label, list(children)


# How `flatten` says what the children of a node are held in.
_NOTHING, _WHOLE = "nothing", "the node is whole"
_HOLDERS: dict[str, type] = {"list": list, "tuple": tuple}
# Nodes in post-order, each with no children in it; how many it has; and what they are held in.
Flat = tuple[list[Any], list[int], list[str]]


def flatten(tree: Any) -> Flat:
    """A tree without depth, in lists, which pickle can store.

    One that has nodes of a class of the user's is left whole.
    """
    shells: list[Any] = []
    counts: list[int] = []
    holders: list[str] = []
    for node, label, count in _post_order(tree, 0, MOST):
        held = node.get("children") if isinstance(node, Mapping) else node[1]
        if type(node) not in (tuple, list, dict) or type(held) not in (tuple, list, type(None)):
            return [tree], [0], [_WHOLE]
        if isinstance(node, dict):
            shells.append(node if held is None else node | {"children": None})
        else:
            shells.append(type(node)((label, None)))
        counts.append(count)
        holders.append(_NOTHING if held is None else type(held).__name__)
    return shells, counts, holders


def unflatten(flat: Flat) -> Any:
    """The tree that was made flat."""
    waiting: list[Any] = []  # for a parent
    for shell, count, holder in zip(*flat, strict=True):
        if holder in (_NOTHING, _WHOLE):
            waiting.append(shell)
            continue
        first = len(waiting) - count
        children = _HOLDERS[holder](waiting[first:])
        if isinstance(shell, dict):
            node = shell | {"children": children}
        else:
            node = type(shell)((shell[0], children))
        waiting[first:] = [node]
    return waiting[0]


def looks_like_tree(thing: Any, *, childless: bool = False) -> bool:
    """Whether this looks like (label, [children]), or a dict with "type" and "children".

    Only its root and what is right below is looked at. Many a flat record has a "type": a
    dict without children is a tree only where `childless` says that such are expected.
    """
    if isinstance(thing, Mapping):
        children = thing.get("children")
        held = isinstance(children, tuple | list) or (childless and not children)
        return "type" in thing and held
    if not isinstance(thing, tuple | list) or len(thing) != 2:
        return False
    label, children = thing
    return (
        isinstance(label, Hashable)
        and label is not None
        and isinstance(children, tuple | list)
        and all(isinstance(child, Mapping | tuple | list) for child in children)
    )


def records_are_trees(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether dicts are trees and no rows of a table: all have a type, and some have children."""
    typed = all("type" in record for record in records)
    return typed and any("children" in record for record in records)
