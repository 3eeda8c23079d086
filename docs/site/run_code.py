"""Run the code of all pages, each page as one session: `run_code.py`, a part of `make docs`.

An error, or an answer other than the page gives, stops the build. Pages of `ELSEWHERE` want what
a build does not have, and tests/test_pages_elsewhere.py runs them as far as it is there.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from scipy import sparse

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
ELSEWHERE = {
    "docs/architecture.md": "an engine",
    "docs/dask.md": "a cluster",
    "docs/fields.md": "RDKit, MDTraj, BERTopic",
    "docs/gpu.md": "a GPU",
}


def given() -> dict[str, Any]:
    """What README.md and docs/gallery.md take for granted: data of the reader's."""
    import pandas as pd

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


def blocks(page: str) -> list[str]:
    """The Python of a page."""
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def pages() -> list[str]:
    """Those with Python that can be run here."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = [path.relative_to(ROOT).as_posix() for path in paths]
    return [name for name in names if name not in ELSEWHERE and blocks(name)]


def run(page: str) -> dict[str, Any]:
    """Run a page's blocks in the folder where we are; the names that they leave behind."""
    names = given() if page in ("README.md", "docs/gallery.md") else {}
    for block in blocks(page):
        if block.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
            said: list[str] = []
            doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
            names.update(test.globs)
            if said:
                raise AssertionError("".join(said))
        else:
            exec(compile(block, page, "exec"), names)
    return names


def main() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for page in pages():
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    run(page)
            except Exception as error:
                error.add_note(f"The code of {page} does not run.")
                raise
            done += len(blocks(page))
        os.chdir(ROOT)
    left = ", ".join(f"{page} ({needs})" for page, needs in ELSEWHERE.items())
    print(f"ran {done} blocks of {len(pages())} pages; left to the tests: {left}")


if __name__ == "__main__":
    main()
