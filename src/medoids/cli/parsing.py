"""Values of options that are more than a word or a number."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any

from .problem import Problem


def parse_list(text: str | None) -> list[str] | None:
    """The names between the commas; one that has a comma is in quotes, as in a CSV file."""
    if text is None:
        return None
    names = next(csv.reader([text], skipinitialspace=True), [])
    return [name.strip() for name in names if name.strip()]


def parse_init(text: str) -> str | list[int]:
    """A name, or row numbers."""
    if not re.fullmatch(r"[\d\s,]+", text):
        return text
    return [int(part) for part in text.split(",") if part.strip()]


def parse_shape(text: str | None) -> tuple[int, ...] | None:
    """Height and width, and perhaps channels."""
    if text is None:
        return None
    if not re.fullmatch(r"\d+x\d+(x3)?", text.strip().lower()):
        raise Problem(
            f"--image-shape {text!r} is no shape: write height x width, like 28x28, or 32x32x3"
            " for colours."
        )
    return tuple(int(part) for part in text.lower().split("x"))


def parse_params(given: Sequence[str]) -> dict[str, Any]:
    """Parameters of the metric, from texts such as p=3."""
    params: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise Problem(f"--metric-param {text!r} is not NAME=VALUE: write it like p=3.")
        try:
            params[name] = int(value)
        except ValueError:
            try:
                params[name] = float(value)
            except ValueError:
                raise Problem(f"--metric-param {text!r}: {value!r} is not a number.") from None
    return params


def parse_range(text: str) -> range:
    """The numbers of "2:20" or "2:20:3", the last one included; or of "5"."""
    match = re.fullmatch(r"(\d+)(?::(\d+)(?::(\d+))?)?", text.strip())
    if not match:
        raise Problem(f"-k {text!r} is not a range: write it like 2:20, or 2:20:3 for steps of 3.")
    first = int(match[1])
    last, step = int(match[2] or first), int(match[3] or 1)
    if first < 1 or last < first or step < 1:
        raise Problem(f"-k {text!r} is empty or below 1: write it like 2:20.")
    return range(first, last + 1, step)
