"""Importing the package is cheap."""

from __future__ import annotations

import subprocess
import sys

import pytest

import medoids

HEAVY = ["numba", "llvmlite", "matplotlib", "tqdm", "pandas", "polars", "kmedoids"]


def heavy_after(code: str) -> set[str]:
    """Which heavy modules a fresh interpreter has after running this."""
    script = f"{code}; import sys; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_import_is_light() -> None:
    # Some versions of scikit-learn import pandas where it is installed.
    theirs = heavy_after("import sklearn.base, sklearn.utils.validation")
    assert theirs <= {"pandas"}
    code = "import medoids; medoids.KMedoids(3, metric='l1').get_params()"
    assert heavy_after(code) <= theirs


@pytest.mark.parametrize("args", [["--help"], ["cluster", "--help"], ["--version"]])
def test_help_waits_for_no_library(args: list[str]) -> None:
    pytest.importorskip("typer")
    slow = [*HEAVY, "sklearn", "scipy", "numpy", "joblib"]
    script = (
        "import sys; from medoids.__main__ import main; code = main(sys.argv[1:]);"
        f" print([name for name in {slow} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *args], capture_output=True, text=True, check=True
    )
    assert done.stdout
    assert done.stderr.strip() == "[]"


def test_the_help_names_every_method() -> None:
    pytest.importorskip("typer")
    from medoids._names import METHODS
    from medoids.cli import options

    assert tuple(METHODS) == options.METHODS


def test_what_is_public() -> None:
    assert {"KMedoids", "KMedoidsResult", "k_medoids", "medoid"} <= set(medoids.__all__)
    for name in medoids.__all__:
        assert hasattr(medoids, name)
    assert medoids.__version__.count(".") == 2
