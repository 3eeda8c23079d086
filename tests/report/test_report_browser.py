"""The explorer page in a real browser: headless Chromium, driven by Playwright."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy import sparse
from sklearn.datasets import load_digits

from helpers import mixture
from medoids import KMedoids, outlier_scores

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on the PATH (Debian: apt-get install chromium)"
)
ARGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
DATA = Path(os.environ.get("MEDOIDS_DATA", "nowhere"))
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(2)</script>",
    "<b>bold</b> <a href='https://example.org'>link</a>",
    "{{ 7 * 7 }} ${7 * 7} %{customdata}",
    "Имя 語 😀 & 'so on'",
]
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Writes a page and opens it; at the end, nothing may have gone wrong or out."""
    problems: list[str] = []
    contexts = []

    def open_(
        km: KMedoids, X: Any, *, dark: bool = False, width: int = 1280, link: str = "",
        **options: Any,
    ) -> Any:  # fmt: skip
        path = km.report(X, tmp_path / "report.html", **options)
        context = browser.new_context(
            color_scheme="dark" if dark else "light", viewport={"width": width, "height": 900}
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: _asked(request.url, problems))
        page.goto(path.as_uri() + link)
        page.wait_for_selector("#panel-title:not(:empty)")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert problems == []


def _asked(url: str, problems: list[str]) -> None:
    if not url.startswith(("file:", "data:", "blob:")):
        problems.append(f"request: {url}")


def title(page: Any) -> str:
    return page.locator("#panel-title").inner_text()  # type: ignore[no-any-return]


def wait(page: Any, **holds: Any) -> None:
    """Wait until the panel's title or text holds this (a part of it)."""
    for part, text in holds.items():
        sync_api.expect(page.locator(f"#panel-{part}")).to_contain_text(text)


def names(page: Any) -> list[str]:
    """The rows that are listed."""
    found = page.locator("#panel-rows [data-row]").locator("button").all_inner_texts()
    return [text for text in found if not re.match(r"\d+(:|$)", text)]


@pytest.fixture(scope="module")
def digits() -> tuple[Any, KMedoids]:
    X = load_digits().data[:600]
    return X, KMedoids(6, random_state=0).fit(X)


@pytest.fixture(scope="module")
def people() -> tuple[pd.DataFrame, KMedoids]:
    frame = pd.DataFrame(mixture(200, 12, 4, seed=0), columns=[f"f{at}" for at in range(12)])
    frame.index = [f"person {at}" for at in range(200)]
    return frame, KMedoids(4, random_state=0).fit(frame)


def test_medoids_first_by_number_or_the_largest_first(opened: Open, digits: Any) -> None:
    X, km = digits
    page = opened(km, X, image_shape=(8, 8))
    sizes = np.bincount(km.labels_)
    order = np.argsort(-sizes, kind="stable")
    assert order.tolist() != list(range(6))
    cards, lines = page.locator("#medoids .card"), page.locator("#panel-top tbody th")
    assert cards.count() == 6
    assert [int(text) for text in lines.all_inner_texts()] == list(range(6))
    for at in range(6):
        assert f"Cluster {at}" in cards.nth(at).inner_text()
    page.click("#largest")
    assert [int(text) for text in lines.all_inner_texts()] == order.tolist()
    assert "the largest first" in page.locator("#panel-text").inner_text()
    for at, label in enumerate(order):
        text = cards.nth(at).inner_text()
        assert f"Cluster {label}" in text
        assert f"{sizes[label]} rows" in text
        assert f"{sizes[label] / 600:.1%}" in text
        assert f"row {km.medoid_indices_[label]}" in text
    widths = page.eval_on_selector_all("#medoids img", "all => all.map((i) => i.naturalWidth)")
    assert widths == [8] * 6
    assert page.locator("#plane .scatterlayer .trace").count() >= 6


def test_a_cluster_shows_its_members_from_the_most_typical(opened: Open, digits: Any) -> None:
    X, km = digits
    page = opened(km, X, image_shape=(8, 8))
    label = 2
    page.locator(".choose").nth(label).click()
    assert title(page) == f"Cluster {label}"
    distances = km.transform(X)
    own = np.flatnonzero(km.labels_ == label)
    order = own[np.argsort(distances[own, label], kind="stable")]
    assert names(page) == [f"row {row}" for row in order[:60]]
    first = page.locator("#panel-rows .item").nth(1).inner_text()
    row = order[1]
    second = np.argsort(distances[row])[1]
    assert f"{distances[row, label]:.4g}" in first
    assert f"{second}: {distances[row, second]:.4g}" in first
    page.locator("#more").click()
    assert len(names(page)) == min(120, len(own))
    page.get_by_role("button", name="Least typical first").click()
    assert names(page)[0] == f"row {order[-1]}"
    assert page.evaluate("document.activeElement.textContent") == "Least typical first"
    page.get_by_role("button", name="All clusters").click()
    assert title(page) == "All clusters"
    assert page.locator("#panel-top tbody tr").count() == 6


def test_keyboard_alone(opened: Open, digits: Any) -> None:
    X, km = digits
    page = opened(km, X, image_shape=(8, 8))
    page.keyboard.press("Tab")
    assert "Skip" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "largest"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert title(page) == "Cluster 1"
    assert page.locator(".card.chosen .choose").get_attribute("aria-pressed") == "true"
    page.keyboard.press("End")
    page.keyboard.press(" ")
    assert title(page) == "Cluster 5"
    outline = "getComputedStyle(document.activeElement.closest('.card')).outlineStyle"
    assert page.evaluate(outline) == "solid", "the focus can be seen"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "select", "one stop for all cards"


def test_search_finds_rows_that_are_not_drawn(opened: Open, people: Any) -> None:
    frame, km = people
    page = opened(km, frame, max_members=40)
    assert "draws" in page.locator("header").inner_text()
    page.fill("#query", "PERSON 17")
    wait(page, title="Found")
    expected = ["person 17", *(f"person 17{at}" for at in range(10))]
    assert names(page) == expected
    assert page.locator("#panel-text").inner_text().startswith("11 rows")
    cell = page.locator("#panel-rows tbody tr").first.inner_text()
    assert f"{km.transform(frame)[17].min():.4g}" in cell
    page.fill("#query", "nobody")
    wait(page, text="0 rows")
    page.fill("#query", "")
    wait(page, title="All clusters")


def test_search_finds_text(opened: Open) -> None:
    words = ["spam", "spams", "eggs", "eggnog", "bacon"]
    km = KMedoids(2, metric="levenshtein", random_state=0).fit(words)
    page = opened(km, words, texts=["alpha", "beta", "gamma", "delta", "ALPHABET"])
    for query, rows in (("egg", ["row 2", "row 3"]), ("alpha", ["row 0", "row 4"])):
        page.fill("#query", query)
        wait(page, text=query)
        assert names(page) == rows


def test_a_table_shows_what_sets_a_cluster_apart(opened: Open, people: Any) -> None:
    frame, km = people
    page = opened(km, frame)
    page.locator(".choose").first.click()
    head = page.locator("#panel-rows thead").inner_text()
    assert "To the medoid" in head
    apart = page.locator("#panel-top tbody tr").first.inner_text()
    assert apart.split()[0] in head
    page.locator("#panel-top summary").click()
    assert page.locator("#panel-top details tbody tr").count() == 12


def test_the_map_zooms_selects_and_is_pointed_at(opened: Open, digits: Any) -> None:
    X, km = digits
    page = opened(km, X, image_shape=(8, 8))
    before = page.evaluate("plane._fullLayout.xaxis.range")
    page.click("#closer")
    closer = page.evaluate("plane._fullLayout.xaxis.range")
    assert closer[1] - closer[0] == pytest.approx((before[1] - before[0]) / 1.5)
    page.click("#whole")
    again = page.evaluate("plane._fullLayout.xaxis.range")
    assert again == pytest.approx(before)

    page.locator("#plane").scroll_into_view_if_needed()
    at = page.evaluate(
        """() => {
          const { xaxis, yaxis } = plane._fullLayout;
          const box = plane.getBoundingClientRect();
          const place = placeOf.get(page.clusters[0].medoid);
          return [box.left + xaxis._offset + xaxis.d2p(sample.x[place]),
                  box.top + yaxis._offset + yaxis.d2p(sample.y[place])];
        }"""
    )
    for shift in (3, 0):
        page.mouse.move(at[0] - shift, at[1])
        page.wait_for_timeout(200)  # plotly looks at the pointer only now and then
    tip = sync_api.expect(page.locator("#tip"))
    tip.to_be_visible()
    tip.to_contain_text(f"row {km.medoid_indices_[0]}")
    page.mouse.click(*at)
    wait(page, title="Cluster 0")
    assert "Clicked on the map" in page.locator("#panel-top").inner_text()

    page.click("#select")
    lasso(page, 0.04, 0.96)
    wait(page, title="Selected")
    assert page.locator("#panel-text").inner_text() == "600 rows of 6 clusters."


def lasso(page: Any, low: float, high: float) -> None:
    """Draw around a square part of the map."""
    box = page.locator("#plane").bounding_box()
    corners = ((low, low), (high, low), (high, high), (low, high), (low, low + 0.01))
    where = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*where[0])
    page.mouse.down()
    for point in where[1:]:
        page.mouse.move(*point, steps=5)
    page.mouse.up()


def test_an_area_without_rows_says_so(opened: Open) -> None:
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [9.0, 9.0]], 9, axis=0)
    page = opened(KMedoids(3, random_state=0).fit(X), X)
    page.locator("#plane").scroll_into_view_if_needed()
    page.click("#select")
    lasso(page, 0.4, 0.6)
    wait(page, title="Nothing selected")
    wait(page, text="No row is in the area")
    assert names(page) == []
    faded = "plane._fullData.slice(0, 3).filter((each) => each.selectedpoints).length"
    assert page.evaluate(faded) == 0, "the map does not fade"


def test_many_clusters_have_short_titles_and_every_chart_has_ticks(opened: Open) -> None:
    X = load_digits().data[:900]
    page = opened(KMedoids(60, random_state=0).fit(X), X, image_shape=(8, 8))
    page.click("#all-medoids")
    heights = page.eval_on_selector_all("#medoids h3", "all => all.map((e) => e.clientHeight)")
    assert len(heights) == 60
    assert len(set(heights)) == 1, "none has two lines"
    wide = "all => all.filter((e) => e.scrollWidth > e.parentElement.clientWidth).length"
    assert page.eval_on_selector_all("#medoids h3", wide) == 0


@pytest.mark.parametrize("n", [9, 32, 150, 3000])
def test_both_charts_have_ticks(n: int, opened: Open) -> None:
    X = mixture(n, 3, 3, seed=0)
    page = opened(KMedoids(3, random_state=0).fit(X), X)
    for chart in ("loss", "rounds"):
        assert page.locator(f"#{chart} .ytick").count() >= 2, chart
        assert page.locator(f"#{chart} .xtick").count() >= 2, chart


def test_the_table_of_clusters_has_the_words(opened: Open) -> None:
    words = [a + b for a in ("spam", "eggs", "bacon") for b in "abcdefgh"]
    km = KMedoids(3, metric="levenshtein", random_state=0).fit(words)
    page = opened(km, words)
    cells = page.locator("#panel-top tbody td.name").all_inner_texts()
    assert cells == [words[row] for row in km.medoid_indices_]


def test_two_columns_have_axes(opened: Open) -> None:
    rng = np.random.default_rng(0)
    names = ["<b>size</b> & $x^2$", "age"]
    frame = pd.DataFrame(rng.normal(size=(60, 2)) * [5, 1], columns=names)
    page = opened(KMedoids(3, random_state=0).fit(frame), frame)
    assert page.locator("#plane .xtitle").text_content() == names[0]
    assert page.locator("#plane .ytitle").text_content() == names[1]
    assert page.locator("#plane .xtick").count() >= 3
    unit = "['xaxis', 'yaxis'].map((a) => plane._fullLayout[a]._m)"
    across, up = page.evaluate(unit)
    assert abs(across) == pytest.approx(abs(up), rel=0.01), "a unit is a unit"
    places = rng.uniform([40, 5], [60, 25], (60, 2))
    km = KMedoids(3, metric="haversine", random_state=0).fit(np.radians(places))
    page = opened(km, np.radians(places))
    across, up = page.evaluate(unit)
    assert abs(up / across) == pytest.approx(1 / np.cos(np.radians(50)), rel=0.05)
    page = opened(km, np.radians(places), coordinates=rng.normal(size=(60, 2)))
    assert page.locator("#plane .xtick").count() == 0


def test_the_map_is_coloured_by_what_is_chosen(opened: Open, people: Any) -> None:
    frame, km = people
    kinds = pd.Series(["<b>x</b>", "y", None, "y"] * 50, name="kind")
    page = opened(km, frame, labels=kinds)
    shades = "new Set(plane.data.slice(0, 4).flatMap((each) => [...each.marker.color])).size"
    assert page.evaluate(shades) == 4
    page.select_option("#colour", label="kind")
    page.wait_for_timeout(200)
    assert page.evaluate(shades) == 3
    assert page.locator("#legend .named").all_inner_texts() == ["<b>x</b>", "y", "no value"]
    page.evaluate("showTip({points: [{customdata: 1}], event: {clientX: 9, clientY: 9}})")
    assert "kind: y" in page.locator("#tip").inner_text()
    page.select_option("#colour", label="f3")
    page.wait_for_timeout(200)
    assert page.evaluate(shades) > 50
    assert page.locator("#legend .scale").count() == 1
    page.select_option("#colour", label="cluster")
    page.wait_for_timeout(200)
    assert page.evaluate(shades) == 4
    assert page.locator("#legend *").count() == 0

    rows = page.locator("#known tbody tr")
    counts = pd.crosstab(km.labels_, kinds).to_numpy()
    for label in range(4):
        cells = rows.nth(label).locator("td").all_inner_texts()
        assert [0 if cell == "·" else int(cell) for cell in cells] == counts[label].tolist()
    rows.nth(2).locator("button").click()
    assert title(page) == "Cluster 2"


def downloaded(page: Any, click: Callable[[], None]) -> tuple[str, bytes]:
    """The name and the content of the file that a click gives."""
    with page.expect_download() as held:
        click()
    return held.value.suggested_filename, Path(held.value.path()).read_bytes()


def test_rows_are_taken_away_as_csv(opened: Open, people: Any) -> None:
    frame, km = people
    texts = [f'say "{at}", {"twice" if at % 2 else "once"}' for at in range(200)]
    page = opened(km, frame, texts=texts, max_members=40, labels=["x", "y"] * 100)
    page.locator(".choose").nth(1).click()
    take = page.get_by_role("button", name="Download CSV")
    name, content = downloaded(page, take.click)
    assert name == "cluster-1.csv"
    found = pd.read_csv(io.BytesIO(content))
    distances = km.transform(frame)
    own = np.flatnonzero(km.labels_ == 1)
    assert found["row"].tolist() == own[np.argsort(distances[own, 1], kind="stable")].tolist()
    assert found["name"].tolist() == [f"person {row}" for row in found["row"]]
    np.testing.assert_allclose(found["distance"], distances[found["row"], 1], rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(
        found["second"], np.argsort(distances[found["row"]], axis=1)[:, 1]
    )
    drawn = found[found["text"].notna()]
    assert 0 < len(drawn) < len(found), "what is not drawn is there without its values"
    assert drawn["text"].tolist() == [texts[row] for row in drawn["row"]]
    column = found.columns[8]
    np.testing.assert_allclose(drawn[column], frame[column].iloc[drawn["row"]], atol=0.06)
    assert drawn["labels"].tolist() == ["xy"[row % 2] for row in drawn["row"]]
    page.fill("#query", "person 19")
    wait(page, title="Found")
    assert downloaded(page, take.click)[0] == "found.csv"
    page.locator("#plane").scroll_into_view_if_needed()
    page.click("#select")
    lasso(page, 0.04, 0.96)
    wait(page, title="Selected")
    name, content = downloaded(page, take.click)
    assert name == "selected.csv"
    said = page.locator("#panel-text").inner_text()
    assert said.startswith(f"{len(pd.read_csv(io.BytesIO(content)))} rows of ")


def test_large_numbers_are_taken_away_as_numbers(opened: Open) -> None:
    frame = pd.DataFrame(
        {"income": [23_380.0, 23_390.0, 1_051_000.0], "kind": ["a,b", "a,b", None]}
    )
    page = opened(KMedoids(1, metric="gower").fit(frame), frame)
    page.locator(".choose").first.click()
    take = page.get_by_role("button", name="Download CSV")
    found = pd.read_csv(io.BytesIO(downloaded(page, take.click)[1])).sort_values("row")
    assert found["income"].tolist() == frame["income"].tolist()
    assert found["kind"].fillna("").tolist() == ["a,b", "a,b", ""]


def test_the_map_is_taken_away_as_a_picture(opened: Open, digits: Any) -> None:
    X, km = digits
    page = opened(km, X, image_shape=(8, 8), dark=True)
    name, content = downloaded(page, lambda: page.click("#picture"))
    assert name == "map.png"
    image = Image.open(io.BytesIO(content)).convert("RGB")
    box = page.locator("#plane").bounding_box()
    assert image.width == pytest.approx(2 * box["width"], abs=6)
    assert len(image.getcolors(10**6)) > 20
    assert image.getpixel((1, 1)) == (26, 29, 33), "on the paper that it is on"


def test_a_link_opens_a_cluster(opened: Open, digits: Any) -> None:
    X, km = digits
    page = opened(km, X, image_shape=(8, 8), link="#cluster=3")
    assert title(page) == "Cluster 3"
    assert page.locator(".card.chosen").get_attribute("data-label") == "3"
    page.locator(".choose").nth(5).click()
    assert page.evaluate("location.hash") == "#cluster=5"
    page.evaluate("location.hash = '#cluster=1'")
    wait(page, title="Cluster 1")
    page.get_by_role("button", name="All clusters").click()
    assert page.evaluate("location.hash") == ""
    for link in ("#cluster=6", "#cluster=-1", "#cluster=x", "#cluster=", "#explore"):
        assert title(opened(km, X, image_shape=(8, 8), link=link)) == "All clusters", link


def test_outliers_are_listed_the_farthest_first(opened: Open, people: Any) -> None:
    frame = people[0].copy()
    frame.iloc[5] += 300
    km = KMedoids(4, random_state=0, init=people[1].medoid_indices_, max_iter=0).fit(frame)
    page = opened(km, frame, max_members=40)
    page.get_by_role("button", name="Outliers").click()
    assert title(page) == "Outliers"
    scores = outlier_scores(km, frame)
    order = np.argsort(-scores, kind="stable")
    assert order[0] == 5
    assert names(page)[0] == "person 5"
    assert set(names(page)) == {f"person {row}" for row in order[:25]}, "also what is not drawn"
    beyond = int((scores > 3).sum())
    wait(page, text=f"{beyond} row{'s are' if beyond != 1 else ' is'} more than 3 times as far")
    cells = page.locator("#panel-rows tbody tr").first.locator("td").all_inner_texts()
    shown = float(cells[1].removesuffix(" ×").replace(",", ""))
    assert shown == pytest.approx(scores[5], rel=2e-3)
    take = page.get_by_role("button", name="Download CSV")
    table = pd.read_csv(io.BytesIO(downloaded(page, take.click)[1]))
    np.testing.assert_allclose(table["times_usual"], scores[table["row"]], rtol=2e-3)
    assert (np.diff(table["times_usual"]) <= 0).all()


def test_a_row_that_is_a_cluster_of_its_own_is_named(opened: Open) -> None:
    X = np.concatenate([mixture(60, 3, 2, seed=0), [[1e4, 0, 0]]])
    page = opened(KMedoids(3, random_state=0).fit(X), X)
    page.get_by_role("button", name="Outliers").click()
    wait(page, text="One row is alone, the medoid of its own cluster: row 60 (cluster")
    heads = page.locator("#panel-rows thead th").all_inner_texts()
    assert heads[-3:] == ["column 0", "column 1", "column 2"], "columns, where clusters share them"


def test_no_outliers_where_nothing_is_usual(opened: Open) -> None:
    X = -1 - np.kron(np.eye(2), np.ones((4, 4)))
    km = KMedoids(2, metric="precomputed", random_state=0).fit(X)
    assert np.bincount(km.labels_).tolist() == [4, 4]
    page = opened(km, X)
    assert page.get_by_role("button", name="Outliers").count() == 0


def test_hostile_text_does_nothing_and_is_shown(opened: Open) -> None:
    n = len(HOSTILE)
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(n, n)), columns=HOSTILE)
    km = KMedoids(2, random_state=0).fit(frame)
    page = opened(km, frame, names=HOSTILE, texts=HOSTILE, title=HOSTILE[0], command=HOSTILE[1])
    assert page.locator("h1").inner_text() == HOSTILE[0]
    assert page.title() == HOSTILE[0]
    assert page.locator("#code").inner_text() == HOSTILE[1]
    page.fill("#query", "7 * 7")
    wait(page, text="7 * 7")
    shown = set()
    for button in range(2):
        page.locator(".choose").nth(button).click()
        shown |= set(names(page))
    assert shown == set(HOSTILE)
    assert page.locator("#panel-top tbody th").all_inner_texts()
    page.locator("#plane").scroll_into_view_if_needed()
    for row in range(n):
        page.evaluate(
            f"showTip({{points: [{{customdata: {row}}}], event: {{clientX: 9, clientY: 9}}}})"
        )
        assert HOSTILE[row] in page.locator("#tip").inner_text()
    page.wait_for_timeout(200)
    assert page.locator("b:not(.lean b), a[href^=http], img, script[src]").count() == 0


def test_follows_the_colour_scheme_and_small_screens(opened: Open, digits: Any) -> None:
    X, km = digits
    page = opened(km, X, image_shape=(8, 8), dark=True, width=390)
    colour = "getComputedStyle(document.body).backgroundColor"
    ring = "plane.data[page.k].marker.color"
    dark = page.evaluate(colour), page.evaluate(ring)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.emulate_media(color_scheme="light")
    page.wait_for_timeout(500)
    assert page.evaluate(ring) != dark[1]
    assert page.evaluate(colour) != dark[0]


def test_readable_by_a_screen_reader(opened: Open, people: Any) -> None:
    frame, km = people
    page = opened(km, frame)
    page.locator(".choose").first.click()
    assert page.evaluate("document.documentElement.lang") == "en"
    for landmark in ("header", "main", "footer", "form[role=search]"):
        assert page.locator(landmark).count() == 1
    assert page.locator("h1").count() == 1
    nameless = page.eval_on_selector_all(
        "button, input, [role=img], [role=region], section",
        """all => all.filter((e) => !(e.textContent.trim() && e.tagName === "BUTTON"
          || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby")
          || e.labels && e.labels.length)).map((e) => e.outerHTML.slice(0, 80))""",
    )
    assert nameless == []
    assert page.locator("img:not([alt])").count() == 0
    assert page.locator("thead th:not([scope])").count() == 0
    assert page.locator("#panel-text").get_attribute("aria-live") == "polite"
    page.locator("details summary").last.click()
    steps = page.locator("section[aria-labelledby=found-title] tbody tr")
    assert steps.count() == len(km.history_)


def trees() -> tuple[Any, KMedoids, dict[str, Any]]:
    X = [("a", [("b", [("c", [])] * (at % 7)), ("d", [])]) for at in range(30)]
    return X, KMedoids(3, metric="tree_edit", random_state=0).fit(X), {}


def strings() -> tuple[Any, KMedoids, dict[str, Any]]:
    X = [a + b for a in ("spam", "eggs", "bacon") for b in "abcdefgh"]
    return X, KMedoids(3, metric="levenshtein", random_state=0).fit(X), {}


def genes() -> tuple[Any, KMedoids, dict[str, Any]]:
    X = sparse.random(200, 500, 0.05, "csr", random_state=0, dtype=np.float32)
    return X, KMedoids(3, metric="l1", random_state=0).fit(X), {}


def matrix() -> tuple[Any, KMedoids, dict[str, Any]]:
    points = mixture(60, 3, 3, seed=0)
    X = np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2))
    return X, KMedoids(3, metric="precomputed", random_state=0).fit(X), {}


def one_cluster() -> tuple[Any, KMedoids, dict[str, Any]]:
    X = mixture(60, 3, 3, seed=0)
    return X, KMedoids(1, random_state=0).fit(X), {}


def hundred_clusters() -> tuple[Any, KMedoids, dict[str, Any]]:
    X = load_digits().data
    return X, KMedoids(100, random_state=0).fit(X), {"image_shape": (8, 8)}


def mnist() -> tuple[Any, KMedoids, dict[str, Any]]:
    with np.load(DATA / "mnist.npz") as data:
        X = data["X"].astype(np.float32)
    km = KMedoids(10, method="onebatch", init="random", random_state=0).fit(X)
    return X, km, {"image_shape": (28, 28)}


def hoc4() -> tuple[Any, KMedoids, dict[str, Any]]:
    with gzip.open(DATA / "hoc4.jsonl.gz", "rt") as file:
        X = [json.loads(line)["ast"] for line in file]
    km = KMedoids(5, metric="tree_edit", method="clara", random_state=0).fit(X)
    return X, km, {}


def scrna() -> tuple[Any, KMedoids, dict[str, Any]]:
    X = sparse.load_npz(DATA / "scrna.npz")[:3000].astype(np.float32)
    with gzip.open(DATA / "scrna_genes.txt.gz", "rt") as file:
        genes = file.read().split()
    km = KMedoids(5, metric="l1", method="onebatch", init="random", random_state=0).fit(X)
    return X, km, {"feature_names": genes}


MADE = [trees, strings, genes, matrix, one_cluster, hundred_clusters]
REAL = {mnist: "mnist.npz", hoc4: "hoc4.jsonl.gz", scrna: "scrna.npz"}


@pytest.mark.parametrize(
    "make",
    [
        *MADE,
        *(
            pytest.param(
                make,
                marks=pytest.mark.skipif(
                    not (DATA / name).exists(), reason=f"$MEDOIDS_DATA has no {name}"
                ),
            )
            for make, name in REAL.items()
        ),
    ],
    ids=lambda make: make.__name__,
)
def test_opens_for(make: Callable[[], Any], opened: Open, tmp_path: Path) -> None:
    X, km, options = make()
    page = opened(km, X, **options)
    k = len(km.medoid_indices_)
    assert (tmp_path / "report.html").stat().st_size < 15e6
    assert page.locator("#medoids .card").count() == min(k, 30)
    page.locator(".choose").last.click()
    assert len(names(page)) > 0
    if k > 30:
        page.click("#all-medoids")
        assert page.locator("#medoids .card").count() == k
    page.wait_for_timeout(100)
