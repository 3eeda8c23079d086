"""Ctrl-C: it ends a search at once, but does not cost what was found."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

# The exit code of a command that was interrupted.
INTERRUPTED = 130


class _Patience:
    """A handler of SIGINT that lets the first one wait."""

    def __init__(self) -> None:
        self.came = False

    def __call__(self, *args: object) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True


@contextmanager
def patience() -> Iterator[_Patience]:
    """A first Ctrl-C waits for the end, or for what is `interruptible`; a second does not."""
    handler = _Patience()
    try:
        # A command in the background may have SIGINT ignored: that stays so.
        usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if usual:
            signal.signal(signal.SIGINT, handler)
    except ValueError:  # in a thread, where no signal comes
        usual = False
    try:
        yield handler
    finally:
        if usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def interruptible() -> Iterator[None]:
    """Amid patience, what Ctrl-C ends at once; also one that was waiting."""
    handler = signal.getsignal(signal.SIGINT)
    if not isinstance(handler, _Patience):
        yield
        return
    if handler.came:
        handler.came = False
        raise KeyboardInterrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
