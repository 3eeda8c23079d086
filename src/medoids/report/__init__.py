"""The explorer page: one HTML file that shows the clusters (extra `report`)."""

from ._page import write

__all__ = ["write"]
