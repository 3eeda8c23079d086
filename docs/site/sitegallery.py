"""The order of the examples on the site."""

from __future__ import annotations

RANK = (
    "digits", "cells", "programs", "words", "airports", "series", "embeddings", "molecules",
    "clusterers",
)  # fmt: skip


def by_rank(name: str) -> tuple[int, str]:
    """Those that are listed, then all others by name."""
    stem = name.removeprefix("plot_").removesuffix(".py")
    return (RANK.index(stem) if stem in RANK else len(RANK), name)
