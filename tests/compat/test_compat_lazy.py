"""The names of other packages cost nothing until they are asked for, and need none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import medoids
from medoids import compat

OTHERS = ["sklearn_extra", "kmedoids", "banditpam", "numba"]


def after(code: str, names: list[str]) -> list[str]:
    """Which modules a fresh interpreter has after running this."""
    script = f"{code}; import sys; print(*[name for name in {names} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_the_package_does_not_import_them() -> None:
    code = "import medoids; medoids.KMedoids"
    assert after(code, ["medoids.compat"]) == []


def test_they_import_none_of_the_others_and_no_compiler() -> None:
    names = ", ".join(f"medoids.compat.{name}" for name in compat.__all__)
    assert after(f"import {names}; medoids.compat.kmedoids.fasterpam", OTHERS) == []


def test_found_as_attributes() -> None:
    assert medoids.compat is compat
    assert set(compat.__all__) == {"banditpam", "kmedoids", "sklearn_extra"}
    for name in compat.__all__:
        module = getattr(compat, name)
        assert set(module.__all__) <= set(dir(module))
        for public in module.__all__:
            assert getattr(module, public).__doc__
    with pytest.raises(AttributeError, match="nonsense"):
        _ = compat.nonsense
