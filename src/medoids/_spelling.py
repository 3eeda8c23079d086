"""Names that a user may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


def near(given: Any, names: Iterable[str]) -> list[str]:
    """Up to three of the names that look like this one; none if it is no text."""
    if not isinstance(given, str):
        return []
    return get_close_matches(given.lower(), list(names), n=3, cutoff=0.6)


def unknown(what: str, given: Any, names: Iterable[str]) -> str:
    """The line that says that a parameter has no such value: the nearest names, or all of them."""
    names = list(names)
    meant = near(given, names)
    if meant:
        return f"{what}={given!r} is unknown: did you mean {' or '.join(map(repr, meant))}?"
    return f"{what}={given!r} is unknown: choose one of {', '.join(map(repr, names))}."
