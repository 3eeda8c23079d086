"""What has to hold where medoids is installed, and no extra of it; run by try_dist.py."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

import medoids
from medoids import KMedoids, plot
from medoids.__main__ import main

PACKAGE = Path(medoids.__file__).parent
ROWS = np.array([[at % 3, at % 7] for at in range(60)], dtype=float)
MANY = np.random.default_rng(0).normal(size=(2500, 2))  # so many that loops are compiled
EXTRAS = ["typer", "rich", "pandas", "matplotlib", "jinja2", "plotly", "rapidfuzz", "torch"]


def said(use: Callable[[], object]) -> str:
    try:
        use()
    except (ImportError, ValueError) as error:
        return str(error)
    raise AssertionError("an extra is missing, and nothing was said")


def said_by_the_command_line() -> str:
    with contextlib.redirect_stderr(io.StringIO()) as screen:
        assert main(["--help"]) != 0
    return screen.getvalue().strip()


def check() -> None:
    assert "site-packages" in PACKAGE.parts, PACKAGE
    assert not [name for name in EXTRAS if importlib.util.find_spec(name)], "not a bare environment"
    km = KMedoids(3, metric="l1", random_state=0).fit(ROWS)
    assert km.predict(ROWS).tolist() == km.labels_.tolist()
    assert km.inertia_ == KMedoids(3, metric="l1", method="pam").fit(ROWS).inertia_
    assert KMedoids(3, random_state=0).fit(MANY).n_distances_ > 0
    lines = {
        "cli": said_by_the_command_line(),
        "plot": said(lambda: plot.loss(km)),
        "report": said(lambda: km.report(ROWS, "report.html")),
        "objects": said(lambda: KMedoids(2, metric="levenshtein").fit(["ham", "hams", "eggs"])),
        "gpu": said(lambda: KMedoids(2, device="cuda").fit(ROWS)),
    }
    for extra, line in lines.items():
        assert line.endswith(f"pip install 'medoids[{extra}]'."), line
        assert "\n" not in line, line
        print(f"  {line}")


def compiled_to() -> Path:
    """Where Numba has kept what it compiled: beside the code, in the home, or for this process."""
    places = [PACKAGE, Path.home(), Path(os.environ.get("NUMBA_CACHE_DIR", "nowhere"))]
    kept = next(place for place in places if os.access(place, os.W_OK))
    assert list(kept.rglob("*.nbi")), f"nothing is kept in {kept}"
    assert kept == PACKAGE or not list(PACKAGE.rglob("*.nbi"))
    return kept


if __name__ == "__main__":
    check()
    print(f"  A fit, PAM's loss, and compiled loops in {compiled_to()}")
