"""Code of the pages that wants an engine, a GPU, a cluster, or a package of another field."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from helpers import mixture
from medoids import KMedoids
from medoids.engines.reference import ReferenceEngine

ROOT = Path(__file__).parent.parent


def code(page: str, language: str = "python") -> list[str]:
    found = re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text("utf-8"), re.S)
    assert found
    return found


def cuda() -> bool:
    if not find_spec("torch"):
        return False
    import torch

    return bool(torch.cuda.is_available())


def test_the_conversation_of_a_search_is_one() -> None:
    """docs/architecture.md: what it places is the best of all swaps."""
    X = mixture(1200, 2, 3, 0)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    engine = ReferenceEngine(
        lambda arms, refs: D[np.ix_(arms, refs)], len(D), 3, np.random.default_rng(0), first=128
    )
    engine.start([0, 1, 2])
    swaps = np.array([
        [np.delete(D[[0, 1, 2]], at, axis=0).min(axis=0), D[arm]]
        for arm in range(3, len(D)) for at in range(3)
    ]).min(axis=1).sum(axis=1)  # fmt: skip
    (block,) = code("docs/architecture.md")
    exec(block, {"engine": engine})
    assert engine.loss == pytest.approx(swaps.min())


def test_the_tree_of_the_package_is_as_drawn() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    (tree,) = re.findall(r"```text\nmedoids/\n(.*?)```", text, re.S)
    names = {path.name for path in (ROOT / "src" / "medoids").rglob("*")}
    files, folders = re.findall(r"\w+\.py\b", tree), re.findall(r"(\w+)/", tree)
    assert len(files) > 20
    assert {*files, *folders} - {"docs"} <= names
    top = {path.name for path in (ROOT / "src" / "medoids").iterdir()} - {"py.typed"}
    drawn = {*files, *folders, "__init__.py", "__main__.py", "__pycache__"}
    assert top <= drawn, f"docs/architecture.md does not draw {sorted(top - drawn)}"


@pytest.mark.parametrize("page", ["docs/gpu.md"])
def test_pages_on_a_gpu(page: str) -> None:
    """As far as there is one: else the blocks that name none."""
    names: dict[str, Any] = {"X_numpy": np.random.default_rng(0).normal(size=(3000, 8))}
    ran = 0
    for block in code(page):
        if cuda() or "cuda" not in block.replace('# torch.as_tensor(X, device="cuda")', ""):
            exec(block, names)
            ran += 1
    assert ran == (3 if cuda() else 1)
    assert len(np.unique(np.asarray(names["km"].labels_))) == 12


def test_a_cluster_and_what_readme_says_of_it() -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")
    pytest.importorskip("dask.array", reason="needs the extra 'dask'")
    (block,) = code("docs/dask.md")
    smaller = {
        "Client()": "Client(processes=False, n_workers=1, dashboard_address=None)",
        "(1_000_000, 16)": "(2_000, 16)",
        "(50_000, -1)": "(500, -1)",
    }
    for large, small in smaller.items():
        assert large in block
        block = block.replace(large, small)
    names: dict[str, Any] = {}
    exec(block, names)
    with names["client"]:
        assert isinstance(names["client"], distributed.Client)
        assert names["km"].to_local().medoid_indices_.tolist() == list(names["km"].medoid_indices_)
        (lines,) = code("README.md", "py")
        import medoids.dask

        rows = np.random.default_rng(0).normal(size=(200, 4))
        given = {
            "KMedoids": KMedoids, "medoids": medoids, "tensor": rows, "array": rows,
            "dask_array": names["X"],
        }  # fmt: skip
        for line in lines.splitlines():
            if "cuda" not in line or cuda():
                exec(line, given)


def frames(n: int) -> Any:
    return np.random.default_rng(0).normal(size=(n, 6, 3))


def molecules() -> dict[str, Any]:
    pytest.importorskip("rdkit.Chem", reason="RDKit is not installed")
    return {"smiles": ["C" * (at % 15 + 1) + "NOS"[at % 3] + "C" * (at // 15) for at in range(210)]}


def series() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {"series": [rng.random(int(length)) for length in rng.integers(8, 20, 30)]}


def trajectories() -> dict[str, Any]:
    there = SimpleNamespace(timeseries=lambda: frames(12))
    return {"trajectory": SimpleNamespace(xyz=frames(12)), "u": SimpleNamespace(trajectory=there)}


def topics() -> dict[str, Any]:
    pytest.importorskip("bertopic", reason="BERTopic is not installed")
    return {"documents": [f"word{at % 60} word{at % 7} text" for at in range(400)]}


FIELDS = [molecules, series, trajectories, topics]


@pytest.mark.parametrize("given", FIELDS)
def test_fields(given: Callable[[], dict[str, Any]]) -> None:
    blocks = code("docs/fields.md")
    assert len(blocks) == len(FIELDS)
    names = {"KMedoids": KMedoids, **given()}
    exec(blocks[FIELDS.index(given)], names)
    assert "km" in names or "model" in names


def test_every_page_with_code_is_run_by_a_test() -> None:
    tests = "".join(
        (ROOT / "tests" / name).read_text("utf-8")
        for name in ("test_docs.py", "test_readme.py", "test_pages_elsewhere.py")
    )
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        if "```py" in page.read_text("utf-8") and "coming-from" not in page.parts:
            assert f'"{page.relative_to(ROOT).as_posix()}"' in tests
