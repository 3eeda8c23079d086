"""Appendix figure 4: the same for scRNA-PCA, whose tails are heavier."""

from __future__ import annotations

from ._records import Run
from ._scale import Scale
from .appendix3 import draw, runs_on, tables

__all__ = ["TITLE", "draw", "runs", "tables"]
TITLE = "Rewards of four arms, scRNA-PCA, l2"


def runs(scale: Scale) -> list[Run]:
    return runs_on("scrna-pca", scale.pick(300, 5000, 40_000))
