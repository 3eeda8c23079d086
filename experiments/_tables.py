"""Tables in Markdown, and the places in a page where they go."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The first column is text, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def times(factor: float) -> str:
    """How many times: 3.4×, 34×, 5,100×."""
    return f"{factor:.2g}×" if factor < 10 else f"{float(f'{factor:.2g}'):,.0f}×"


def fill_in(page: str, name: str, text: str) -> str:
    """Put the text between the marks `<!-- name -->` and `<!-- /name -->`."""
    place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not place.search(page):
        raise ValueError(f"The page has no place for {name}: write <!-- {name} --> ... there.")
    return place.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)
