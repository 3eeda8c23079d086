"""Images in a terminal: two pixels a character, by half blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.style import Style
from rich.text import Text

_UPPER = "▀"


def mosaic(images: Sequence[NDArray[np.floating]], captions: Sequence[str], width: int) -> Text:
    """Images side by side, as many as the width allows, each with a line below it."""
    high = max(float(np.max(image)) for image in images) or 1.0
    images = [_shrink(image, 16) / high for image in images]
    across = images[0].shape[1]
    lines = -(-len(images) // max((width + 2) // (across + 2), 1))
    row = -(-len(images) // lines)
    text = Text()
    for start in range(0, len(images), row):
        some = images[start : start + row]
        for at in range(0, some[0].shape[0], 2):
            for image in some:
                text.append_text(_line(image[at], image[at + 1])).append("  ")
            text.append("\n")
        for caption in captions[start : start + row]:
            text.append(f"{caption[:across]:<{across}}  ", style="dim")
        text.append("\n\n" if start + row < len(images) else "")
    return text


def _line(upper: NDArray[np.floating], lower: NDArray[np.floating]) -> Text:
    """Two rows of pixels, light on dark."""
    text = Text()
    for above, below in zip(upper, lower, strict=True):
        shades = [round(255 * min(max(float(each), 0.0), 1.0)) for each in (above, below)]
        front, back = (f"rgb({shade},{shade},{shade})" for shade in shades)
        text.append(_UPPER, style=Style(color=front, bgcolor=back))
    return text


def _shrink(image: NDArray[np.floating], side: int) -> NDArray[np.floating]:
    """At most about `side` pixels across, each the mean of a block; an even number of rows."""
    step = max(-(-max(image.shape) // side), 1)
    rows, columns = (-(-size // step) for size in image.shape)
    rows += rows % 2
    padded = np.zeros((rows * step, columns * step))
    padded[: image.shape[0], : image.shape[1]] = image
    return np.asarray(padded.reshape(rows, step, columns, step).mean(axis=(1, 3)))
