"""The template, filled; with its scripts, and the policy that lets no other run."""

from __future__ import annotations

import base64
import hashlib
from importlib import import_module
from pathlib import Path
from typing import Any

from ._pack import as_json

_PARTS = Path(__file__).parent / "page"
# In the order in which they need each other.
_SCRIPTS = ("base", "draw", "lists", "colours", "map", "charts", "take", "views", "main")


class Template:
    """The page without its data: fails at once where the extra is missing."""

    def __init__(self) -> None:
        try:
            jinja2, offline = import_module("jinja2"), import_module("plotly.offline")
            import_module("PIL")
        except ImportError as error:
            raise ImportError(
                f"A report needs {error.name}: pip install 'medoids[report]'."
            ) from error
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_PARTS), autoescape=True, trim_blocks=True,
            lstrip_blocks=True, undefined=jinja2.StrictUndefined,
        )  # fmt: skip
        environment.policies |= {"json.dumps_function": as_json, "json.dumps_kwargs": {}}
        self._page = environment.get_template("page.html")
        own = "".join(_read(f"{name}.js") for name in _SCRIPTS)
        self._scripts = [_clean(offline.get_plotlyjs()), own]

    def filled(self, **values: Any) -> str:
        """The page; what is not a script or a style of ours is escaped."""
        hashes = [_hash(script) for script in self._scripts]
        text: str = self._page.render(
            style=_read("page.css"), scripts=self._scripts, hashes=hashes, **values
        )
        return text


def _read(name: str) -> str:
    return _clean((_PARTS / name).read_text(encoding="utf-8"))


def _clean(script: str) -> str:
    """Line ends as a browser reads them, since it hashes what it read."""
    return script.replace("\r\n", "\n").replace("\r", "\n")


def _hash(script: str) -> str:
    """What allows this script, and no other, to run in the page."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
