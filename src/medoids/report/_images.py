"""Images as PNG files inside the page."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plot._pixels import Pixels

# The longest side of a member's image and of a medoid's, in pixels.
MEMBER, MEDOID = 32, 160
# Pixels of all medoids together.
_PIXELS = 1_000_000


def medoid_side(k: int) -> int:
    """The longest side of a medoid's image: the more medoids, the smaller."""
    return int(np.clip(np.sqrt(_PIXELS / k), MEMBER, MEDOID))


def png(image: NDArray[np.uint8], side: int) -> str:
    """One image in base64, scaled down to `side` if it is larger."""
    from PIL import Image

    picture = Image.fromarray(image)
    picture.thumbnail((side, side))
    file = BytesIO()
    picture.save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode("ascii")


def pngs(pixels: Pixels, rows: Any, side: int) -> list[str]:
    return [png(image, side) for image in pixels.images(rows)]
