"""The oldest versions that `make test-oldest` installs are those of pyproject.toml."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
spec = importlib.util.spec_from_file_location("oldest_tool", ROOT / "tools" / "oldest.py")
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def project(**extras: list[str]) -> dict[str, Any]:
    return {"name": "mine", "dependencies": ["NumPy>=1.26"], "optional-dependencies": extras}


def test_extras_of_extras_and_the_highest_of_several() -> None:
    found = tool.oldest(
        project(all=["mine[a,b]", "rich>=9"], a=["rich>=13.7"], b=["pandas>=2"], c=["torch>=2"]),
        ["all"],
    )
    assert found == {"numpy": "1.26", "rich": "13.7", "pandas": "2"}


@pytest.mark.parametrize("requirement", ["rich", "rich==13", "rich<14"])
def test_a_dependency_without_a_lower_bound_is_told(requirement: str) -> None:
    with pytest.raises(SystemExit, match=requirement):
        tool.oldest(project(a=[requirement]), ["a"])


def test_every_dependency_of_ours_has_one() -> None:
    found = tool.oldest(PROJECT, list(PROJECT["optional-dependencies"]))
    assert {"numpy", "scipy", "scikit-learn", "numba", "typer", "pytest"} <= set(found)
