"""Importing the package is cheap: what a fit needs comes with the fit."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "code", ["import medoids", "import medoids; medoids.KMedoids(3, metric='l1').get_params()"]
)
def test_import_is_light(code: str) -> None:
    heavy = ["numba", "llvmlite", "matplotlib", "tqdm", "pandas", "polars", "kmedoids"]
    script = f"{code}; import sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_public() -> None:
    import medoids

    assert sorted(medoids.__all__) == medoids.__all__ or set(medoids.__all__) >= {
        "KMedoids",
        "KMedoidsResult",
        "k_medoids",
        "medoid",
    }
    for name in medoids.__all__:
        assert hasattr(medoids, name)
    assert medoids.__version__.count(".") == 2
