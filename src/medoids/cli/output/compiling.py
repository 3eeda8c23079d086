"""Numba compiles what it has not compiled before, which takes a while: say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

# What is said.
COMPILING = "compiling for this machine, once"


@contextmanager
def telling(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` whenever something is compiled, and not merely loaded from Numba's cache."""
    # By name: what needs Numba is the fit, which imports it in any case.
    events: Any = import_module("numba.core.event")

    class Listener(events.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            tell()

        def on_end(self, event: Any) -> None:
            pass

    with events.install_listener("numba:compile", Listener()):
        yield
