"""Look for links of a built site that lead nowhere: `check.py FOLDER`.

Of each page, every link, picture, script and style has to be a file of the folder, and every
`#part` a part of the page. Nothing but a link may be on a network: the site is read offline.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page and the names of its parts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.parts: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.parts.add(value)
            elif name in ("href", "src") and value:
                self.links.append((tag, value))


def faults(folder: Path) -> list[str]:
    """A line for each link that leads nowhere."""
    paths = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    pages = {path.resolve(): Page(path.read_text()) for path in paths}
    found = []
    for path, page in pages.items():
        here = path.relative_to(folder.resolve())
        for tag, link in page.links:
            where = urlsplit(link)
            if where.scheme or where.netloc:
                if tag != "a" and where.scheme != "data":
                    found.append(f"{here}: <{tag}> needs a network: {link}")
                continue
            target = (path.parent / unquote(where.path)).resolve() if where.path else path
            if not target.is_file():
                found.append(f"{here}: there is no {link}")
            elif unquote(where.fragment) not in {"", *getattr(pages.get(target), "parts", ())}:
                found.append(f"{here}: {link} has no such part")
    return sorted(set(found))


if __name__ == "__main__":
    wrong = faults(Path(sys.argv[1]))
    sys.exit("\n".join(wrong) if wrong else 0)
