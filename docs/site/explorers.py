"""Write the explorer pages that the site shows: `explorers.py FOLDER`."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from pathlib import Path
from typing import Any

from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import StandardScaler

from medoids import KMedoids

MODULES = ("statistics", "textwrap", "shutil", "inspect", "argparse", "fractions", "random")


def digits(path: Path) -> None:
    bunch = load_digits()
    km = KMedoids(10, random_state=0).fit(bunch.data)
    km.report(
        bunch.data, path, title="Handwritten digits", image_shape=(8, 8), labels=bunch.target
    )  # fmt: skip


def wines(path: Path) -> None:
    wine = load_wine(as_frame=True)
    scaled = StandardScaler().set_output(transform="pandas").fit_transform(wine.data)
    km = KMedoids(3, random_state=0).fit(scaled)
    known = wine.target.map(dict(enumerate(wine.target_names))).rename("cultivar")
    km.report(scaled, path, title="Wines", values=wine.data, labels=known)


def tree(node: ast.AST) -> tuple[str, list[Any]]:
    """A syntax tree without names and values: which statements and expressions, in which order."""
    skip = (ast.expr_context, ast.arguments, ast.operator, ast.Constant, ast.Name)
    children = [tree(at) for at in ast.iter_child_nodes(node) if not isinstance(at, skip)]
    return type(node).__name__, children


def functions(path: Path) -> None:
    """Functions of Python's own library, by the shape of their code."""
    trees, names = [], []
    for name in MODULES:
        source = inspect.getsource(importlib.import_module(name))
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and 5 <= sum(1 for _ in ast.walk(node)) <= 150:
                trees.append(tree(node))
                names.append(f"{name}.{node.name}")
    km = KMedoids(6, metric="tree_edit", random_state=0).fit(trees)
    km.report(trees, path, title="Functions of Python's library, by their syntax", names=names)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for write in (digits, wines, functions):
        write(folder / f"{write.__name__}.html")
