"""The pages: their code runs as it is written, and their links lead to something."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
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


def tool(name: str) -> ModuleType:
    """A script of the site, which is in no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    assert tool("run_code").run(name)


def test_the_build_runs_all_pages_but_those_that_need_more() -> None:
    runner = tool("run_code")
    assert {*PAGES, "README.md", "docs/gallery.md"} <= set(runner.pages())
    assert all(runner.blocks(page) for page in runner.ELSEWHERE)


def test_a_wrong_answer_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = tool("run_code")
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "```python\n>>> one = 1\n>>> one + 1\n2\n\n```\n\n```python\ntwo = one + 1\n```\n"
    )
    assert runner.run("page.md")["two"] == 2
    page.write_text("```python\n>>> 1 + 1\n3\n\n```\n")
    with pytest.raises(AssertionError, match="Expected:"):
        runner.run("page.md")


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


def test_the_site_has_every_page_and_every_public_name(tmp_path: Path) -> None:
    import medoids

    tool("assemble").assemble(tmp_path)
    for page in (ROOT / "docs").glob("*.md"):
        assert len(list(tmp_path.rglob(page.name))) >= 1, page.name
    named = (tmp_path / "api" / "index.md").read_text().split()
    assert {name for name in medoids.__all__ if name[0] != "_"} <= set(named)
    landing = (tmp_path / "index.md").read_text()
    assert landing.count("|---") >= 4  # who uses what; easy cases, hard cases, many clusters


def test_every_public_name_has_an_example() -> None:
    """Each entry of the reference has one, which is run as a doctest."""
    assemble = tool("assemble")
    without = []
    for name in assemble.modules():
        if name == "medoids.dask" and not importlib.util.find_spec("distributed"):
            continue
        module = importlib.import_module(name)
        things = {f"{name}.{at}": getattr(module, at) for at in assemble.public(module)}
        without += [at for at, it in things.items() if ">>> " not in (it.__doc__ or "")]
    assert without == []


def test_one_version_everywhere() -> None:
    """What a tag is compared with (.github/workflows/release.yml), and what is cited."""
    from medoids import __version__

    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    heading = rf"^## \[{re.escape(__version__)}\] - (\d{{4}}-\d\d-\d\d)$"
    found = re.search(heading, (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert found, f"CHANGELOG.md has no heading with a date for {__version__}"
    assert f"\nversion: {__version__}\ndate-released: {found[1]}\n" in cited


def test_the_versions_of_python_are_those_that_are_tested() -> None:
    """`classifiers` of pyproject.toml beside the matrix of .github/workflows/tests.yml."""
    claimed = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    (matrix,) = re.findall(r"^ +python: \[(.*)\]$", workflow, re.M)
    assert claimed == re.findall(r'"([\d.]+)"', matrix)


def test_a_link_to_nothing_stops_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assemble = tool("assemble")
    monkeypatch.setattr(assemble, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("[here](there.md)")
    with pytest.raises(SystemExit, match=r"there is no there\.md"):
        assemble.page(page, "page.md", {})
    (tmp_path / "there.md").touch()
    known = {(tmp_path / "there.md").resolve(): "far/away.md"}
    assert assemble.page(page, "guide/page.md", known) == "[here](../far/away.md)"
    assert assemble.page(page, "guide/page.md", {}) == "`there.md`"  # not on the site
    (tmp_path / "there.md").write_text("# Over there\n")
    page.write_text("[there.md](there.md), [here](there.md)")
    expected = "[Over there](../far/away.md), [here](../far/away.md)"
    assert assemble.page(page, "guide/page.md", known) == expected


def test_faults_of_a_built_site(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#part">good</a> <a href="b.html#none">no part</a> <a href="c.html">none</a>'
        '<a href="https://example.org">a link</a> <script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "b.html").write_text('<p id="part">')
    assert tool("check").faults(tmp_path) == [
        "a.html: <script> needs a network: https://example.org/x.js",
        "a.html: b.html#none has no such part",
        "a.html: there is no c.html",
    ]


@pytest.mark.slow
def test_what_is_suggested_for_known_data_is_as_told(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/choice.md shows what examples/which_k.py prints."""
    path = ROOT / "examples" / "which_k.py"
    spec = importlib.util.spec_from_file_location("which_k", path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.main()
    assert f"```text\n{capsys.readouterr().out}```" in (ROOT / "docs/choice.md").read_text("utf-8")


@pytest.mark.slow
def test_pictures_of_the_algorithm_are_those_of_a_search(tmp_path: Path) -> None:
    """The watched fit is the usual one, and what it leaves are the arms with the best values."""
    plt = pytest.importorskip("matplotlib.pyplot", reason="pictures need the extra 'plot'")
    plt.switch_backend("Agg")
    pictures = tool("algorithm_pictures")
    found = pictures.search(5000, 4)
    rounds = found.step.rounds
    assert len(rounds) >= 2
    left = [len(one.left) for one in rounds]
    assert left == sorted(left, reverse=True)
    arms = np.setdiff1d(np.arange(5000), found.step.medoids)
    best = arms[found.values[arms].argmin()]
    assert best in {*rounds[-1].left, *rounds[-1].leaders}
    for draw in pictures.PICTURES.values():
        draw(found).savefig(tmp_path / "picture.png", dpi=40)
    plt.close("all")
