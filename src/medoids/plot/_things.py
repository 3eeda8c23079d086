"""Objects as text: strings as they are, trees as lines, everything else by its repr."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from typing import Any

from ..dissimilarities.trees import label_and_children, looks_like_tree

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = 400
_repr.maxlist = _repr.maxtuple = _repr.maxdict = _repr.maxset = 60
_repr.maxarray = 60


def lines(tree: Any) -> Iterator[tuple[int, str]]:
    """A tree's nodes from the root on: how deep, and the label.

    A lone leaf is put on the line of its parent, as the argument of a statement.
    """
    waiting = [(0, *label_and_children(tree, 0))]
    while waiting:
        depth, label, children = waiting.pop()
        below = [label_and_children(child, 0) for child in children]
        if len(below) == 1 and not below[0][1]:
            yield depth, f"{label} · {below[0][0]}"
            continue
        yield depth, str(label)
        waiting.extend((depth + 1, *child) for child in reversed(below))


def text_of(thing: Any) -> str:
    """A thing on one line."""
    if isinstance(thing, str):
        return thing
    if looks_like_tree(thing):
        return _bracketed(thing)
    return _repr.repr(thing)


def short(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _bracketed(tree: Any) -> str:
    """A tree as label(child, child(grandchild))."""
    parts: list[str] = []
    last = 0
    for depth, label in lines(tree):
        parts.append("(" * (depth - last) or ")" * (last - depth) + ", " * bool(parts))
        parts.append(label)
        last = depth
    return "".join(parts) + ")" * last
