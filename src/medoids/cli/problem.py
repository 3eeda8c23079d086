"""What the user can put right: one line that says what was wrong and what to do."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from .._spelling import near


class Problem(Exception):
    """An error of the input, the options or the system; its text is shown as one line."""


def one_line(error: BaseException) -> str:
    """The text of an error, whatever it is, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def said(error: BaseException) -> str:
    """What another library says, to be put into a sentence."""
    return one_line(error).rstrip(".")


def need(module: str, extra: str, what: str) -> Any:
    """Import a package of an extra, or say which extra `what` needs."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise Problem(f"{what} needs {package}: pip install 'medoids[{extra}]'.") from error


def headless_plot(what: str) -> Any:
    """`medoids.plot`, with no window."""
    need("matplotlib", "plot", what).use("Agg")
    return import_module("medoids.plot")


def unknown(what: str, given: str, known: Iterable[str], more: str = "") -> Problem:
    """`given` is none of the names known: the nearest ones, or `more`, or all of them."""
    names = list(known)
    meant = near(given, names)
    if meant:
        return Problem(f"{what} {given!r} is unknown: did you mean {' or '.join(meant)}?{more}")
    return Problem(f"{what} {given!r} is unknown:{more or f' choose one of {few(names)}.'}")


def few(names: Iterable[str], most: int = 12) -> str:
    """Names in a row, the first of them if there are many."""
    names = [f'"{name}"' if "," in name else name for name in map(printable, names)]
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def pasted(names: Iterable[str]) -> str:
    """Names in a row as an option takes them, quoted for a shell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(list(names))
    return shlex.quote(text.getvalue())


def printable(text: object, width: int = 0) -> str:
    """The text without what could move a terminal's cursor; cut to `width` if that is given."""
    clean = "".join(c if c.isprintable() else " " for c in str(text))
    return clean if not width or len(clean) <= width else clean[: width - 1] + "…"


_OPTIONS = {
    "n_clusters": "-k",
    "metric_params": "--metric-param",
    "memory_limit": "--memory-limit",
    "max_iter": "--max-iter",
    "n_jobs": "--jobs",
    "device": "--device",
    "metric": "--metric",
    "method": "--method",
    "init": "--init",
    "swap": "--swap",
    "delta": "--delta",
}


def in_options(text: str) -> str:
    """What the library says of its parameters, said of the options."""
    for name, option in _OPTIONS.items():
        text = re.sub(rf"\b{name}=(?=\S)|^{name} (?=has|must)", f"{option} ", text)
        if "_" in name:
            text = re.sub(rf"\b{name}\b", option, text)
    return re.sub(r"\bX\b(?!\[)", "the data", text)
