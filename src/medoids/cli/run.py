"""Run a command line: Typer reads it, and an error is one line."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence

from typer.main import get_command

from .app import app
from .interrupts import INTERRUPTED
from .problem import Problem, in_options, one_line, printable


def run(argv: Sequence[str]) -> int:
    """Run a command; an error is one line on standard error, and the exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may lack our characters
            stream.reconfigure(errors="backslashreplace")
    try:
        # A command gives back what it would do: what Typer does on Ctrl-C is not ours.
        job = get_command(app).main(args=list(argv), prog_name="medoids", standalone_mode=False)
        if job == INTERRUPTED:  # while Typer read the options
            raise KeyboardInterrupt
        code = job() if callable(job) else job
    except KeyboardInterrupt:
        return _fail("interrupted: nothing was written.", INTERRUPTED)
    except BrokenPipeError:  # of "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if "--debug" in argv:
            traceback.print_exc()
        return _fail(_message(error), 2)
    return code if isinstance(code, int) else 0


def _fail(text: str, code: int) -> int:
    print(f"medoids: {printable(text)}", file=sys.stderr)
    return code


def _message(error: Exception) -> str:
    """What to say of an error."""
    if isinstance(error, Problem):
        return one_line(error)
    if hasattr(error, "format_message"):  # of the options, by Typer
        ctx = getattr(error, "ctx", None)
        where = f" (see '{ctx.command_path} --help')" if ctx is not None else ""
        text = " ".join(error.format_message().split()).rstrip(".")
        return f"{text[:1].lower()}{text[1:]}{where}."
    if isinstance(error, MemoryError):
        return "there is not enough memory: try --memory-limit, fewer rows, or --method clara."
    if isinstance(error, (ImportError, OSError)):  # whose paths are left as they are
        return one_line(error)
    if isinstance(error, (ValueError, TypeError)):
        return in_options(one_line(error))
    return f"unexpected {type(error).__name__}: {one_line(error)} (--debug shows where)."
