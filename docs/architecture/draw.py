"""Draws flow.svg, the picture of docs/architecture.md: python docs/architecture/draw.py."""

from __future__ import annotations

from pathlib import Path

WIDTH, HEIGHT = 960, 470
INK, PALE, LINE, SEAM = "#1f2933", "#eef2f6", "#9aa5b1", "#c2410c"
BOXES = [
    ("dissimilarities", "a metric is a leaf\nand a row in a table", 20),
    ("data", "what the user gave,\nchecked", 206),
    ("engines", "points, state,\nrewards, kernels", 392),
    ("search", "Algorithm 1,\nas we changed it", 578),
    ("methods", "BUILD, SWAP, eager,\nnine others", 764),
]


def text(x: float, y: float, words: str, size: int = 13, weight: int = 400, fill: str = INK) -> str:
    lines = words.split("\n")
    spans = "".join(
        f'<tspan x="{x}" dy="{0 if i == 0 else size + 4}">{line}</tspan>'
        for i, line in enumerate(lines)
    )
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{fill}"'
        f' text-anchor="middle">{spans}</text>'
    )


def box(x: float, y: float, width: float, height: float, name: str, words: str) -> str:
    middle = x + width / 2
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{PALE}"'
        f' stroke="{LINE}"/>'
        + text(middle, y + 26, name, 15, 600)
        + text(middle, y + 50, words, 12)
    )


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{INK}" stroke-width="1.5"'
        ' marker-end="url(#head)"/>'
    )


def picture() -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="system-ui, sans-serif" role="img"'
        ' aria-label="From dissimilarities to the estimator">',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        f' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        box(206, 20, 176, 84, "cli", "commands, readers,\noutput"),
        box(392, 20, 176, 84, "report, plot", "the page,\nthe pictures"),
        box(578, 20, 362, 84, "estimator", "KMedoids, k_medoids, medoid: parameters,\nchecks, results"),
        '<path d="M294 104V128H759V106" fill="none" stroke="#1f2933" stroke-width="1.5"'
        ' marker-end="url(#head)"/>',
        arrow(578, 62, 570, 62),
    ]
    for name, words, x in BOXES:
        parts.append(box(x, 168, 176, 92, name, words))
    for x in (196, 382, 568, 754):
        parts.append(arrow(x, 214, x + 10, 214))
    parts += [
        arrow(852, 168, 852, 106),
        # The seam.
        f'<line x1="573" y1="150" x2="573" y2="408" stroke="{SEAM}" stroke-width="2"'
        ' stroke-dasharray="6 5"/>',
        text(573, 428, "the seam: ids, scalars, short vectors", 13, 600, SEAM),
        box(206, 300, 176, 84, "reference", "plain NumPy,\nto read and to test"),
        box(392, 300, 176, 84, "cpu", "threads, BLAS, Numba,\na cache of distances"),
        box(578, 300, 176, 84, "Engine, Arms", "protocols: screen, drop,\nrefine, value, place"),
        box(764, 300, 176, 84, "Matrix, Targets", "for methods that look\nat all distances"),
        '<path d="M480 300V262" fill="none" stroke="#9aa5b1"/>',
        '<path d="M294 300V280H460V262" fill="none" stroke="#9aa5b1"/>',
        text(480, 460, "Distances flow to the right; imports go to the left, and down.", 13),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "flow.svg").write_text(picture(), encoding="utf-8")
