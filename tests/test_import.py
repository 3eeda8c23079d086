"""Importing the package is cheap, and its modules import each other one way."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

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


@pytest.mark.parametrize(
    "code", ["import medoids", "import medoids; medoids.KMedoids(3, metric='l1').get_params()"]
)
def test_import_is_light(code: str) -> None:
    # Some versions of scikit-learn import pandas where it is installed.
    theirs = heavy_after("import sklearn.base, sklearn.utils.validation")
    assert theirs <= {"pandas"}
    assert heavy_after(code) == theirs


def test_what_is_public() -> None:
    assert {"KMedoids", "KMedoidsResult", "k_medoids", "medoid"} <= set(medoids.__all__)
    for name in medoids.__all__:
        assert hasattr(medoids, name)
    assert medoids.__version__.count(".") == 2


ROOT = Path(medoids.__file__).parent
# What those who show a fit may know of the package, beside what is their own.
PUBLIC = {
    "medoids", "medoids.plot", "medoids.datasets", "medoids._names", "medoids._fitted",
    "medoids._history", "medoids._silhouette", "medoids._mixed_columns",
    "medoids.dissimilarities.trees",
}  # fmt: skip


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


def imports(module: str, inside: bool) -> set[str]:
    """The modules of the package that a module imports; `inside` functions too."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = set()
    if not inside:
        functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
        hidden = {id(node) for function in functions for node in ast.walk(function)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in hidden:
            name = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(name, package)
            for each in node.names:
                whole = f"{base}.{each.name}"
                found.add(whole if whole in MODULES else base)
        elif isinstance(node, ast.Import) and id(node) not in hidden:
            found |= {each.name for each in node.names}
    return found & set(MODULES)


# Where rewards still know those who refine them.
TANGLED = "medoids.engines.cpu.rewards."


def test_no_module_imports_itself_through_others() -> None:
    graph = {name: imports(name, inside=False) for name in MODULES}
    for name in graph:
        if name.startswith(TANGLED):
            graph[name] = {other for other in graph[name] if not other.startswith(TANGLED)}
    assert len(list(TopologicalSorter(graph).static_order())) == len(MODULES)


@pytest.mark.parametrize("package", ["cli", "plot", "report"])
def test_those_who_show_a_fit_know_its_public_face_alone(package: str) -> None:
    own = f"medoids.{package}"
    for name in MODULES:
        if name == own or name.startswith(f"{own}."):
            for other in imports(name, inside=True):
                theirs = other == own or other.startswith((f"{own}.", "medoids.plot."))
                assert theirs or other in PUBLIC, f"{name} imports {other}"
                assert package == "cli" or other != "medoids", f"{name} imports the estimator"


@pytest.mark.parametrize("package", ["cli.readers", "cli.output"])
def test_readers_and_output_know_no_command(package: str) -> None:
    for name in MODULES:
        if name.startswith(f"medoids.{package}."):
            assert not any("cli.commands" in other for other in imports(name, inside=True))
