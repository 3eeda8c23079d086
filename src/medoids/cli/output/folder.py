"""A folder of results: written beside its place, and renamed when it is whole."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from ..problem import Problem

# What tells result.json from any other, and the layout it has.
MARK = {"format": "medoids-result", "layout": 1}
FILES = ("labels.csv", "medoids.csv", "medoids.jsonl", "result.json", "report.html", "medoids.png")


def check_target(folder: Path, force: bool) -> None:
    """Nothing of the user's would be lost, and there is a place to write to."""
    _try(_parent(folder), folder.name)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise Problem(f"{folder} is a file: choose another place with --out.")
    held = sorted(each.name for each in folder.iterdir())
    if not held:
        return
    if not force:
        raise Problem(f"{folder} exists: --force replaces it, --out chooses another place.")
    others = [name for name in held if name not in FILES]
    if others or not _ours(folder):
        what = f"has {others[0]!r}" if others else "has no result.json"
        raise Problem(f"{folder} is no folder of results ({what}): --force does not replace it.")


@contextmanager
def new_folder(folder: Path, force: bool) -> Iterator[Path]:
    """A folder to write to, which takes the name `folder` at the end, and only then."""
    check_target(folder, force)
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        yield staged
        check_target(folder, force)
        _open_to_others(staged)
        if folder.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
            try:
                folder.rename(old)  # onto an empty folder
                staged.rename(folder)
            except BaseException:
                if not folder.exists():
                    old.rename(folder)
                raise
            finally:
                if folder.exists():
                    shutil.rmtree(old, ignore_errors=True)
        else:
            staged.rename(folder)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def read_result(folder: Path) -> dict[str, Any]:
    """The result.json of a folder of results."""
    try:
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Problem(
            f"{folder} has no result.json: give a folder that 'medoids cluster' wrote."
        ) from None
    except NotADirectoryError:
        raise Problem(f"{folder} is a file: give a folder that 'medoids cluster' wrote.") from None
    except (OSError, ValueError) as error:
        raise Problem(f"{folder / 'result.json'} cannot be read: {error}.") from None
    if not isinstance(result, dict) or any(result.get(key) != MARK[key] for key in MARK):
        raise Problem(f"{folder / 'result.json'} is not one that this version of medoids wrote.")
    return result


def _ours(folder: Path) -> bool:
    try:
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(result, dict) and result.get("format") == MARK["format"]


def _parent(folder: Path) -> Path:
    """The nearest folder above that exists."""
    parent = folder.resolve().parent
    while not parent.exists():
        parent = parent.parent
    return parent


def _try(parent: Path, name: str) -> None:
    """Something can be made there; what a system says it allows is not always so."""
    try:
        tempfile.TemporaryDirectory(prefix=f".{name}.", dir=parent).cleanup()
    except OSError as error:
        why = (error.strerror or "no place").lower()
        raise Problem(
            f"{parent} cannot be written to ({why}): choose another place with --out."
        ) from None


def _open_to_others(staged: Path) -> None:
    """As readable as any new folder, which a temporary one is not."""
    mask = os.umask(0)
    os.umask(mask)
    staged.chmod(0o777 & ~mask)


def check_file(path: Path, force: bool) -> None:
    """There is a place for this file, and nothing in it that would be lost."""
    parent = path.resolve().parent
    if not parent.is_dir():
        raise Problem(f"{parent} is no folder: make it, or choose another place with --out.")
    _try(parent, path.name)
    if path.is_dir():
        raise Problem(f"{path} is a folder: name a file with --out.")
    if path.exists() and not force:
        raise Problem(f"{path} exists: --force replaces it, --out chooses another name.")


@contextmanager
def new_file(path: Path, force: bool) -> Iterator[Path]:
    """A file to write to, which takes the name `path` at the end, and only then."""
    check_file(path, force)
    path = path.resolve()
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as staged:
        # The same ending, since that is what some libraries tell the format by.
        made = Path(staged) / path.name
        yield made
        check_file(path, force)
        made.replace(path)


def new_text(path: Path) -> TextIO:
    """A file for text; half of an emoji, which UTF-8 has not, is written as JSON has it."""
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
