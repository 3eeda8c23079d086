"""Names that a module finds when they are asked for: late, or never."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazily(
    package: str, held: Mapping[str, Sequence[str]], before: Callable[[], None] = lambda: None
) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose modules take long to import.

    Parameters
    ----------
    package : str
        Its name.
    held : mapping of str to sequence of str
        For each of its modules, the functions that the package offers from there. It offers
        the modules too.
    before : callable
        Called before anything is imported from there.
    """
    where = {name: module for module, names in held.items() for name in names}

    def find(name: str) -> Any:
        if name in held:
            before()
            return import_module(f"{package}.{name}")
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        before()
        value = getattr(import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find


def no_more(module: str) -> Callable[[str], type]:
    """The `__getattr__` of a module whose classes are named by Numba's cache on disk.

    A cache that an earlier version has left names classes that may be gone. Numba reads it before
    it looks whether it is out of date, and would fail. A class like no other lets it go on.
    """

    def find(name: str) -> type:
        if not name[0].isupper():  # no name of a class
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return type(name, (), {"__module__": module})

    return find
