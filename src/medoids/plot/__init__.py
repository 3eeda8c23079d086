"""Pictures of a fit, each on one matplotlib Axes (extra `plot`); see docs/gallery.md.

A file for each picture; start at `_map`. `_style` has the colours and the quiet axes that all
share, `_projection` places rows in the plane, and `_things` writes objects as text. A picture
takes a fitted estimator by its public face and imports neither it nor any engine.
"""

from ._clusters import silhouette, sizes
from ._contingency import contingency
from ._history import loss, search
from ._map import map
from ._medoids import medoids
from ._scan import scan

__all__ = ["contingency", "loss", "map", "medoids", "scan", "search", "silhouette", "sizes"]
