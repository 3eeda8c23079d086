"""Draw docs/gallery/which_metric.svg, the questions of docs/which-metric.md."""

from __future__ import annotations

from html import escape
from pathlib import Path

# A question, and what to take if the answer is yes.
QUESTIONS = (
    ("A matrix of distances?", '"precomputed"', "candidates may be rows, points columns"),
    ("Trees: programs, sentences, markup?", '"tree_edit"', "nested (label, [children])"),
    ("Strings, or lists of tokens?", '"levenshtein"', "normalized_… if lengths differ much"),
    ("Series that may be shifted in time?", '"dtw"', "with a window; else l2 on equal lengths"),
    ("Places on the earth?", '"haversine"', "latitude and longitude in radians"),
    ("Categories, dates, missing values?", '"gower"', "a data frame as it is"),
    ("Embeddings, TF-IDF: does direction count?", '"cosine"', '"correlation" for profiles'),
    ("Counts, sparse: cells, words?", '"l1"', "after log and normalising; stays sparse"),
    ("Yes or no, present or absent?", '"jaccard"', '"hamming" if 0 and 0 are alike too'),
    ("Numbers in one unit?", '"l2"', '"l1" if a few columns are noisy'),
    ("Numbers in several units?", '"l2"', "after StandardScaler or RobustScaler"),
)
LAST = ("Something else", "metric=f", "your function f(medoid, point)")
STEP, TALL, LEFT, WIDE, RIGHT = 52, 36, 10, 330, 402


def box(x: int, y: int, wide: int, fill: str, edge: str) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{wide}" height="{TALL}" rx="8" fill="{fill}" '
        f'stroke="{edge}"/>'
    )


def text(x: int, y: int, words: str, style: str) -> str:
    return f'<text x="{x}" y="{y}" {style}>{escape(words)}</text>'


def draw() -> str:
    parts = []
    for at, (question, metric, note) in enumerate((*QUESTIONS, LAST)):
        y = 10 + at * STEP
        middle = y + TALL // 2
        last = at == len(QUESTIONS)
        parts.append(box(LEFT, y, WIDE, "#eef2fb", "#4269d0"))
        parts.append(text(LEFT + 14, middle + 5, question, 'fill="#1b1f24"'))
        parts.append(f'<path d="M{LEFT + WIDE} {middle}H{RIGHT - 8}" class="way"/>')
        if not last:
            parts.append(text(LEFT + WIDE + 20, middle - 6, "yes", 'fill="#57606a" font-size="12"'))
            parts.append(f'<path d="M{LEFT + 30} {y + TALL}v{STEP - TALL - 7}" class="way"/>')
            parts.append(text(LEFT + 40, y + TALL + 12, "no", 'fill="#57606a" font-size="11"'))
        parts.append(box(RIGHT, y, 160, "#fdeeea", "#f2664f"))
        style = 'fill="#1b1f24" font-family="monospace" font-weight="bold"'
        parts.append(text(RIGHT + 14, middle + 5, metric, style))
        parts.append(text(RIGHT + 172, middle + 5, note, 'fill="#57606a" font-size="13"'))
    tall = 20 + len(QUESTIONS) * STEP + TALL
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 {tall}" width="880" '
        f'height="{tall}" font-family="sans-serif" font-size="14"><defs><marker id="end" '
        'viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs><style>.way{stroke:#57606a;'
        "stroke-width:1.4;marker-end:url(#end)}</style>"
        f'<rect width="880" height="{tall}" fill="#fff"/>' + "\n".join(parts) + "</svg>\n"
    )


if __name__ == "__main__":
    target = Path(__file__).resolve().parents[1] / "gallery" / "which_metric.svg"
    target.write_text(draw(), encoding="utf-8")
    print(target)
