"""Names beside markers in a picture, so that none covers another."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.path import Path
from matplotlib.transforms import Bbox

GREY = "#57606a"
# Half the width of a marker; the gap that a line from a name to its marker is needed for.
_MARKER, _NEAR = 4.5, 12.0
_TURNS = (0, 180, 90, 270, 35, 145, 215, 325, 60, 120, 240, 300, 15, 165, 195, 345)


def _box(x: float, y: float, dx: float, dy: float, wide: float, high: float) -> Bbox:
    """The box of a name whose side or corner next to the marker is at (x + dx, y + dy)."""
    left = x + dx - wide * (1 - np.sign(round(dx))) / 2
    low = y + dy - high * (1 - np.sign(round(dy))) / 2
    return Bbox.from_bounds(left, low, wide, high)


def _gap(box: Bbox, spot: Any) -> float:
    x, y = spot
    return float(np.hypot(x - np.clip(x, box.x0, box.x1), y - np.clip(y, box.y0, box.y1)))


def label_all(ax: Any, names: dict[str, tuple[float, float]], fixed: list[Any]) -> None:
    """Write each name near its point, where it covers no other, no marker and no fixed text.

    The layout of the figure has to be final.
    """
    unit, frame = ax.figure.dpi / 72, ax.get_window_extent()
    spots = {name: ax.transData.transform(at) for name, at in names.items()}
    reach = 2 * _MARKER * unit
    markers = [Bbox.from_bounds(*(spot - reach / 2), reach, reach) for spot in spots.values()]
    texts, lines = [text.get_window_extent() for text in fixed], []
    places = [
        (far * unit * np.cos(turn), far * unit * np.sin(turn))
        for far in range(8, 160, 6)
        for turn in np.radians(_TURNS)
    ]
    # Those with the most markers around them have the least choice.
    crowd = {
        name: sum(np.hypot(*(spot - other)) < 60 * unit for other in spots.values())
        for name, spot in spots.items()
    }
    for name in sorted(names, key=lambda each: -crowd[each]):
        others = [spot for other, spot in spots.items() if other != name] or [(np.inf, np.inf)]
        (x, y), text = spots[name], ax.text(0, 0, name, fontsize=7.5)
        size = text.get_window_extent().padded(unit)
        text.remove()

        def cost(place: tuple[float, float]) -> float:
            box = _box(x, y, *place, size.width, size.height)
            way = Path([(x, y), (x + place[0], y + place[1])])
            covers = sum(box.overlaps(other) for other in (*texts, *markers))
            crossed = sum(way.intersects_bbox(other, False) for other in texts)
            crossed += sum(line.intersects_bbox(box, False) for line in lines)
            crossed += sum(line.intersects_path(way, False) for line in lines)
            outside = not (frame.x0 < box.x0 and box.x1 < frame.x1)
            outside |= not (frame.y0 < box.y0 and box.y1 < frame.y1)
            far = np.hypot(*place) / unit
            # Without a line, a name seems to belong to the marker that it is nearest to.
            misleads = far <= _NEAR and min(_gap(box, each) for each in others) < _gap(box, (x, y))
            return 1e4 * outside + 1e3 * covers + 1e2 * crossed + 30 * misleads + far

        dx, dy = min(places, key=cost)
        texts.append(_box(x, y, dx, dy, size.width, size.height))
        far = np.hypot(dx, dy) > _NEAR * unit
        if far:
            lines.append(Path([(x, y), (x + dx, y + dy)]))
        side, level = int(np.sign(round(dx))), int(np.sign(round(dy)))
        ax.annotate(
            name, names[name], (dx / unit, dy / unit), textcoords="offset points", fontsize=7.5,
            ha=("right", "center", "left")[side + 1], va=("top", "center", "bottom")[level + 1],
            bbox={"fc": "white", "ec": "none", "pad": 0.5}, zorder=2.5,
            arrowprops={
                "arrowstyle": "-", "color": GREY, "lw": 0.6, "shrinkA": 0, "shrinkB": 2,
                "relpos": ((1 - side) / 2, (1 - level) / 2),
            } if far else None,
        )  # fmt: skip
