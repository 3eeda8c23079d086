"""`medoids demo`: handwritten digits, their medoids as pictures, and the page."""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...datasets import load_mnist
from ..interrupts import INTERRUPTED, patience
from ..output.folder import check_target, read_result
from ..output.pictures import mosaic
from ..output.results import Fitted
from ..output.screen import Screen
from ..problem import Problem
from ..readers.inputs import Input, numbered
from .cluster import REPORT_NEEDS, Target, finish
from .fitting import fit

K = 10
_COMMAND = "medoids demo"


def demo(out: Path, force: bool, jobs: int | None, screen: Screen) -> int:
    """Cluster the digits, show the medoids, write everything to `out`."""
    force = force or _is_demo(out)
    check_target(out, force)
    title, images = load()
    n, height, width = images.shape
    rows = images.reshape(n, -1)
    made = Input(rows, "rows", numbered(n), numbered(rows.shape[1]), image_shape=(height, width))
    made.notes = [f"{title}: {n:,} images of {height} x {width} pixels, k = {K}, metric l2"]
    params: dict[str, Any] = {
        "n_clusters": K, "metric": "l2", "metric_params": {}, "n_jobs": jobs, "random_state": 0,
    }  # fmt: skip
    facts = {
        "file": title, "sha256": hashlib.sha256(rows.tobytes()).hexdigest(), "kind": "rows",
        "rows": n, "reading": {}, "columns": [{"name": name} for name in made.features or []],
        "dtype": str(rows.dtype),
    }  # fmt: skip
    report = _there(screen, "report", "the page", REPORT_NEEDS)
    picture = _there(screen, "plot", "the picture", ("matplotlib",))
    target = Target(out, force, report, picture)
    with patience() as waiting:
        fitted = fit(made, params, screen)
        _show(made, fitted, screen)
        code = finish(made, fitted, facts, params, target, screen, _COMMAND)
    return INTERRUPTED if waiting.came else code


def _is_demo(folder: Path) -> bool:
    """What an earlier run of this wrote is no loss."""
    try:
        return bool(read_result(folder).get("command") == _COMMAND)
    except Problem:
        return False


def load() -> tuple[str, NDArray[np.float32]]:
    """MNIST where $MEDOIDS_DATA has it, else the digits that scikit-learn brings."""
    folder = os.environ.get("MEDOIDS_DATA")
    if folder and (Path(folder) / "mnist.npz").is_file():
        return "MNIST", load_mnist()[0].reshape(-1, 28, 28)
    from sklearn.datasets import load_digits

    return "scikit-learn's digits", (load_digits().images / 16).astype(np.float32)


def _there(screen: Screen, extra: str, what: str, modules: tuple[str, ...]) -> bool:
    """Whether the extra is installed; a note if not."""
    if all(find_spec(module) for module in modules):
        return True
    screen.notes([f"{what} is left out: pip install 'medoids[{extra}]'"])
    return False


def _show(made: Input, fitted: Fitted, screen: Screen) -> None:
    """The medoids as pictures, the largest cluster first, if the terminal has colours."""
    if screen.out.color_system not in ("256", "truecolor"):
        return
    km = fitted.km
    sizes = np.bincount(km.labels_, minlength=len(km.medoid_indices_))
    order = np.argsort(-sizes, kind="stable")
    images = [made.X[km.medoid_indices_[at]].reshape(made.image_shape) for at in order]
    captions = [f"{at}: {sizes[at]:,}" for at in order]
    screen.show(mosaic(images, captions, screen.out.width))
