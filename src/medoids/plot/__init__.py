"""Pictures of a fit, each on one matplotlib Axes (extra `plot`); see docs/gallery.md."""

from ._clusters import silhouette, sizes
from ._history import loss, search
from ._map import map
from ._medoids import medoids
from ._scan import scan

__all__ = ["loss", "map", "medoids", "scan", "search", "silhouette", "sizes"]
