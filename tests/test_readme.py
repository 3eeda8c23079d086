"""The Python code of README.md and of docs/gallery.md runs as it is written."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

ROOT = Path(__file__).parent.parent


def given() -> dict[str, Any]:
    """What the examples take for granted."""
    pd = pytest.importorskip("pandas", reason="annotations are a data frame")
    counts = sparse.random(40, 20, 0.3, "csr", random_state=0)
    cells = SimpleNamespace(
        X=counts, obs_names=[f"cell {at}" for at in range(40)],
        var_names=[f"gene {at}" for at in range(20)],
        obs=pd.DataFrame({"cell_type": ["a", "b"] * 20}), obsm={"X_umap": counts[:, :2].toarray()},
    )  # fmt: skip
    return {
        "adata": cells,
        "counts_csr": counts,
        "programs": [("program", [("move", [])] * at) for at in range(6)],
        "words": ["spam", "spams", "ham", "hams", "eggs"],
        "objects": [{at, at + 1} for at in range(9)],
        "your_function": lambda medoid, point: float(len(medoid ^ point)),
    }


@pytest.mark.parametrize("page", ["README.md", "docs/gallery.md"])
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'").use("Agg")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert len(blocks) >= 2
    monkeypatch.chdir(tmp_path)
    names = given()
    for block in blocks:
        exec(block, names)
    assert len(np.unique(names["km"].labels_)) == 10
