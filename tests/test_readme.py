"""The Python code of README.md and of docs/gallery.md runs as it is written."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

SITE = Path(__file__).parent.parent / "docs" / "site"
if str(SITE) not in sys.path:
    sys.path.append(str(SITE))
run_code = importlib.import_module("run_code")


@pytest.mark.parametrize("page", ["README.md", "docs/gallery.md"])
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'").use("Agg")
    pytest.importorskip("pandas", reason="annotations are a data frame")
    monkeypatch.chdir(tmp_path)
    assert len(run_code.blocks(page)) >= 2
    assert len(np.unique(run_code.run(page)["km"].labels_)) == 10
