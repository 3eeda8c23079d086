"""Gather the pages of the site: `assemble.py TARGET`. Nothing is written beside its sources.

The Markdown of this repository is read where it is, and on the site. Each file here goes to a
folder of its section, its relative links follow it, and a link to nothing is an error.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import medoids
import medoids.compat

ROOT = Path(__file__).resolve().parents[2]

# Where files go, the first pattern that fits. A new page of docs/ is in the user guide by itself.
PLACES = (
    ("docs/site/steps.md", "how/{name}"),
    ("docs/site/*.md", "{name}"),
    ("docs/site/sections/*.md", "{stem}/index.md"),
    ("docs/algorithm.md", "how/{name}"),
    ("docs/performance.md", "how/{name}"),
    ("docs/architecture.md", "how/{name}"),
    ("docs/paper.md", "evidence/{name}"),
    ("docs/coming-from/*.md", "coming-from/{name}"),
    ("docs/*.md", "guide/{name}"),
    ("docs/gallery/*", "pictures/gallery/{name}"),
    ("docs/paper/*", "pictures/paper/{name}"),
    ("docs/algorithm/*", "pictures/algorithm/{name}"),
    ("docs/architecture/*.svg", "pictures/{name}"),
    ("benchmarks/results/check_exact.md", "evidence/{name}"),
    ("benchmarks/results/*.md", "benchmarks/{name}"),
    ("benchmarks/results/*.png", "benchmarks/{name}"),
    ("CHANGELOG.md", "changelog.md"),
    ("CONTRIBUTING.md", "contributing.md"),
)
# Parts of the repository that the site has in another form.
SAME = {
    "README.md": "index.md",
    "src/medoids": "api/index.md",
    "examples/GALLERY_HEADER.rst": "examples/index.rst",
}
# Not for users: what the public modules are made of.
INNER = {"choice", "cli", "data", "dissimilarities", "engines", "methods", "report", "search"}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(^```.*?^```$)", re.M | re.S)


def places() -> dict[Path, str]:
    """Each file that the site takes, and where it goes."""
    found: dict[Path, str] = {}
    for pattern, to in PLACES:
        for path in sorted(ROOT.glob(pattern)):
            if path not in found and path.is_file():
                found[path] = to.format(name=path.name, stem=path.stem)
    return found


def heading(page: Path) -> str:
    """The title of a page, as the text of a link to it."""
    found = re.search(r"^# (.+)$", page.read_text(), re.M)
    return found[1] if found else page.name


def follow(match: re.Match[str], source: Path, to: str, known: dict[Path, str]) -> str:
    """The same link, from where its page now is."""
    picture, text, target = match.groups()
    if re.match(r"[a-z]+:|#", target):
        return match[0]
    name, hash_, anchor = target.partition("#")
    path = (source.parent / name).resolve()
    if not path.exists():
        raise SystemExit(f"{source.relative_to(ROOT)}: there is no {target}")
    here = path.relative_to(ROOT)
    place = known.get(path, SAME.get(here.as_posix()))
    if here.match("examples/plot_*.py"):
        place = here.with_suffix(".rst").as_posix()
    if place is None:  # a part of the repository that is not on the site
        return f"`{here.as_posix()}`"
    if not picture and not anchor and re.fullmatch(r"`?[\w/-]+\.md`?", text):
        text = heading(path)  # a reader of the site sees no files
    way = os.path.relpath(place, Path(to).parent)
    return f"{picture}[{text}]({way}{hash_}{anchor})"


def page(source: Path, to: str, known: dict[Path, str]) -> str:
    """The text of a page for the site; blocks of code stay as they are."""
    parts = CODE.split(source.read_text())
    parts[::2] = [LINK.sub(lambda at: follow(at, source, to, known), text) for text in parts[::2]]
    return "".join(parts)


def modules() -> list[str]:
    """The public modules: those at the top, and the names of other packages below `compat`."""
    names = ["medoids"]
    for package in (medoids, medoids.compat):
        found = [at.name for at in pkgutil.iter_modules(package.__path__)]
        names += [
            f"{package.__name__}.{at}" for at in found
            if not at.startswith("_") and at not in {*INNER, "compat"}
        ]  # fmt: skip
    return names


def public(module: ModuleType) -> list[str]:
    """The public names of a module: its `__all__`, or the functions and classes it defines."""
    named = getattr(module, "__all__", None)
    if named is None:
        mine = vars(module).items()
        named = [at for at, it in mine if getattr(it, "__module__", None) == module.__name__]
    return sorted((at for at in named if not at.startswith("_")), key=str.lower)


def reference() -> str:
    """The list of public names, each with a page of its own."""
    text = ["# API reference", "", "Every public name. Parameters and attributes are on its page."]
    for name in modules():
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            print(f"not in the reference: {name}, which needs an extra ({error})")
            continue
        text += ["", f"## `{name}`", "", (module.__doc__ or "").split("\n")[0], ""]
        text += ["```{eval-rst}", f".. currentmodule:: {name}", ".. autosummary::"]
        text += ["   :toctree: generated", "   :nosignatures:", ""]
        text += [f"   {at}" for at in public(module)] + ["```"]
    return "\n".join(text) + "\n"


def assemble(target: Path) -> None:
    """Write all pages under an empty folder."""
    known = places()
    for source, to in known.items():
        path = target / to
        path.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            path.write_text(page(source, to, known))
        else:
            shutil.copyfile(source, path)
    (target / "api").mkdir(exist_ok=True)
    (target / "api" / "index.md").write_text(reference())


if __name__ == "__main__":
    assemble(Path(sys.argv[1]))
