"""The pages: their code runs as it is written, and their links lead to something."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
# Those of README.md, docs/gallery.md and docs/coming-from are run by tests of their own.
PAGES = [
    "docs/choice.md",
    "docs/faq.md",
    "docs/large-data.md",
    "docs/metrics.md",
    "docs/reproducibility.md",
    "docs/tutorial.md",
    "docs/weights.md",
    "docs/which-metric.md",
    "docs/site/index.md",
]
CODE = re.compile(r"^```.*?^```$", re.M | re.S)
LINK = re.compile(r"\]\(([^()\s]+)\)")


def anchors(page: Path) -> set[str]:
    """What `#part` of a page may be, as GitHub and MyST name headings."""
    headings = re.findall(r"^#+ (.+)$", CODE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", at.lower()).replace(" ", "-") for at in headings}


@pytest.mark.parametrize("name", PAGES)
def test_code_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="pages use data frames")
    pytest.importorskip("plotly", reason="pages write a report")
    pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'").use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.S)
    assert blocks
    for block in blocks:
        if block.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block, names, name, name, 0)
            said: list[str] = []
            doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
            names.update(test.globs)
            assert not said, "".join(said)
        else:
            exec(block, names)


MARKDOWN = sorted(
    path
    for folder in (".", "docs", "benchmarks/results", "examples")
    for path in ROOT.glob(f"{folder}/*.md" if folder != "docs" else "docs/**/*.md")
)


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(CODE.sub("", page.read_text())):
        if re.match("[a-z]+:", link):
            continue
        name, _, part = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"there is no {link}"
        if part and target.suffix == ".md":
            assert part in anchors(target), f"{link} has no such part"
