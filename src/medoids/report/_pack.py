"""Values in the form in which the page carries them."""

from __future__ import annotations

import base64
import json
import math
import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

# No name and no text on the page is longer.
NAME, TEXT = 200, 4000
# What could end the script that carries the JSON, and what UTF-8 cannot say.
_UNSAFE = re.compile("[<>&'\u2028\u2029\ud800-\udfff]")


def as_json(value: Any) -> str:
    """A value as JSON that is safe inside a page; letters of any script stay as they are."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def packed(values: ArrayLike, kind: str) -> str:
    """Numbers as base64; `kind` is a little-endian type that JavaScript has an array of."""
    return base64.b64encode(np.asarray(values).astype(kind).tobytes()).decode("ascii")


def clipped(value: Any, most: int) -> str:
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def number(value: Any) -> float | None:
    """Four digits of a number; None where it is not finite, which JSON cannot say."""
    value = float(value)
    return float(f"{value:.4g}") if math.isfinite(value) else None


def shown(value: Any) -> str:
    """A category in a cell of a table; one that is a number has all its digits."""
    return f"{value:.15g}" if isinstance(value, float | np.floating) else clipped(value, NAME)
