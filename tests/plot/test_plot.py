"""Pictures: each takes and returns an Axes, and shows what it says."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from helpers import mixture, one_line
from medoids import KMedoids, plot, scan
from medoids._silhouette import medoid_silhouette
from medoids.plot._columns import columns
from medoids.plot._pixels import Pixels
from medoids.plot._style import COLOURS, SYMBOLS, colour, symbol
from medoids.plot._things import lines, short, text_of

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TREE = ("program", [("list", [("move", []), ("turn", [("left", [])])])])


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def X() -> Any:
    return mixture(900, 9, 5, seed=0)


@pytest.fixture(scope="module")
def km(X: Any) -> KMedoids:
    return KMedoids(5, random_state=0).fit(X)


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


PICTURES = {
    "medoids": lambda km, X, ax: plot.medoids(km, X, ax=ax),
    "images": lambda km, X, ax: plot.medoids(km, X, image_shape=(3, 3), ax=ax),
    "map": lambda km, X, ax: plot.map(km, X, ax=ax),
    "sizes": lambda km, X, ax: plot.sizes(km, ax=ax),
    "contingency": lambda km, X, ax: plot.contingency(km, X[:, 0] > 0, ax=ax),
    "silhouette": lambda km, X, ax: plot.silhouette(km, X, ax=ax),
    "search": lambda km, X, ax: plot.search(km, ax=ax),
    "loss": lambda km, X, ax: plot.loss(km, ax=ax),
    "scan": lambda km, X, ax: plot.scan([2, 3], [5.0, 4.0], [0.3, 0.4], 3, ax=ax),
}


@pytest.mark.parametrize("name", PICTURES)
def test_draws_where_it_is_told_or_makes_a_figure(name: str, km: KMedoids, X: Any) -> None:
    _, ax = plt.subplots()
    assert PICTURES[name](km, X, ax) is ax
    assert ax.has_data()
    own = PICTURES[name](km, X, None)
    assert own.figure is not ax.figure
    own.figure.canvas.draw()


@pytest.mark.parametrize("name", [name for name in PICTURES if name != "scan"])
def test_needs_a_fit(name: str, X: Any) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        PICTURES[name](KMedoids(3), X, None)


# What there is one of for each cluster.
PARTS = {
    "medoids": lambda ax: ax.images[0].get_array(),
    "images": lambda ax: ax.images,
    "map": lambda ax: ax.collections,
    "sizes": lambda ax: ax.patches,
    "silhouette": lambda ax: ax.collections,
}


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 100])
def test_one_cluster_and_a_hundred(k: int, X: Any) -> None:
    km = KMedoids(k, random_state=0).fit(X)
    for name in PICTURES:
        if name == "silhouette" and k == 1:
            with pytest.raises(ValueError, match="at least two"):
                PICTURES[name](km, X, None)
            continue
        ax = PICTURES[name](km, X, None)
        ax.figure.canvas.draw()
        if name in PARTS:
            assert len(PARTS[name](ax)) == k, name


def test_without_matplotlib_names_the_extra(monkeypatch: Any, km: KMedoids) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError) as caught:
        plot.sizes(km)
    assert "medoids[plot]" in one_line(caught.value)


def test_medoids_as_images_the_largest_cluster_first(km: KMedoids, X: Any) -> None:
    ax = plot.medoids(km, X, image_shape=(3, 3))
    sizes = np.bincount(km.labels_)
    order = np.argsort(-sizes, kind="stable")
    assert len(ax.images) == 5
    assert words(ax) == [text for at in order for text in (str(at), f"{sizes[at]:,}")]
    shown = np.asarray(ax.images[0].get_array(), dtype=float)
    expected = km.cluster_centers_[order[0]].reshape(3, 3)
    assert np.corrcoef(shown.ravel(), expected.ravel())[0, 1] > 0.999


@pytest.mark.parametrize(
    ("shape", "says"),
    [((2, 4), "8 pixels, but X has 9"), ((9,), "no image"), ((1, 3, 4), "no image")],
)
def test_wrong_image_shape(shape: tuple[int, ...], says: str, km: KMedoids, X: Any) -> None:
    with pytest.raises(ValueError, match="image_shape") as caught:
        plot.medoids(km, X, image_shape=shape)
    assert says in one_line(caught.value)


def test_handwriting_is_dark_on_white_and_photographs_are_not() -> None:
    rng = np.random.default_rng(0)
    ink = np.where(rng.random((50, 16)) < 0.7, 0.0, 9.0)
    pixels = Pixels(ink, (4, 4))
    assert pixels.ink
    assert set(np.unique(pixels.images(ink))) == {0, 255}
    assert (pixels.images(ink).reshape(50, 16) == 255).sum() == (ink == 0).sum()
    assert not Pixels(rng.uniform(size=(50, 16)), (4, 4)).ink
    assert Pixels(rng.uniform(size=(5, 12)), (2, 2, 3)).images(np.ones((1, 12))).shape == (
        1,
        2,
        2,
        3,
    )


def test_medoids_as_a_table_of_the_columns_that_differ() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 60))
    X[:100, 7] += 40
    km = KMedoids(2, random_state=0).fit(X)
    ax = plot.medoids(km, X)
    assert "7" in [label.get_text() for label in ax.get_xticklabels()]
    assert len(ax.get_xticklabels()) == 20
    thin = sparse.csr_array(np.where(np.abs(X) > 1, X, 0))
    assert plot.medoids(KMedoids(2, random_state=0).fit(thin), thin).has_data()


def test_columns_by_force(km: KMedoids, X: Any) -> None:
    for rows in (X, sparse.csr_matrix(X), sparse.csc_array(X)):
        known = columns(rows, km.labels_, 5)
        np.testing.assert_allclose(known.mean, X.mean(axis=0))
        np.testing.assert_allclose(known.deviation, X.std(axis=0))
        inside = [X[km.labels_ == label].mean(axis=0) for label in range(5)]
        np.testing.assert_allclose(known.inside, inside)


def test_columns_far_from_zero() -> None:
    X = 1.7e12 + np.arange(100.0)[:, None] * [1, 10]
    known = columns(X, (np.arange(100) >= 50).astype(np.int32), 2)
    np.testing.assert_allclose(known.deviation, X.std(axis=0))
    np.testing.assert_allclose(known.mean, X.mean(axis=0))
    np.testing.assert_allclose(known.apart()[1], 25 / np.arange(100.0).std())


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0.7, 0.7], "0.7"),
        (np.array([70.7, 70.7], dtype=np.float32), "70.7"),
        ([0.0, 0.0], "0"),
        ([1_700_000_123.0] * 2, "1,700,000,123"),
        ([2.1234e-9, 9e-9], "2.1e-09"),
        ([-0.0001, 40.0], "0.0"),
        ([5.00000001234, 5.00000004], "5.0000000123"),
        ([1234.5678, 1240.0], "1,234.57"),
    ],
)
def test_values_keep_the_digits_that_count(values: Any, text: str) -> None:
    known = columns(np.asarray(values)[:, None], np.zeros(2, dtype=np.int32), 1)
    assert known.text(0, values[0]) == text


def test_medoids_as_text() -> None:
    names = ["spam", "spam!", "eggs", "eggs!", "eggs?"]
    strings = KMedoids(2, metric="levenshtein", random_state=0).fit(names)
    assert {"spam", "eggs"} <= {text.rstrip("!?") for text in words(plot.medoids(strings))}
    matrix = KMedoids(2, metric="precomputed", random_state=0).fit(1 - np.eye(4))
    assert any(text.startswith("row ") for text in words(plot.medoids(matrix)))


def test_trees_as_lines_and_text() -> None:
    assert list(lines(TREE)) == [(0, "program"), (1, "list"), (2, "move"), (2, "turn · left")]
    assert text_of(TREE) == "program(list(move, turn · left))"
    as_dict = {"type": "program", "children": [{"type": "a"}, {"type": "b", "children": []}]}
    assert text_of(as_dict) == "program(a, b)"
    assert text_of(("a", [TREE, ("z", [])])) == "a(program(list(move, turn · left)), z)"
    assert short("a  b\nc" * 9, 6) == "a b c…"


def test_map_shows_each_cluster_in_its_own_way(km: KMedoids, X: Any) -> None:
    ax = plot.map(km, X, max_points=200)
    shown = [len(each.get_offsets()) for each in ax.collections]
    assert len(shown) == 5
    assert 100 < sum(shown) <= 205
    assert words(ax)[:5] == ["0", "1", "2", "3", "4"]
    assert "of 900 rows" in ax.get_title(loc="left")
    assert len({(colour(label), symbol(label)) for label in range(110)}) == 110
    assert len(set(COLOURS)) == len(COLOURS)
    assert len(set(SYMBOLS)) == len(SYMBOLS)


def test_map_says_how_it_was_made(km: KMedoids, X: Any) -> None:
    ax = plot.map(km, X)
    assert any("The two principal components" in text for text in words(ax))
    assert not len(ax.get_xticks())
    ax = plot.map(km, X, coordinates=pd.DataFrame(X[:, :2], columns=["UMAP1", "UMAP2"]))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("UMAP1", "UMAP2")
    ax = plot.map(km, X, coordinates=X[:, :2])
    assert (ax.get_xlabel(), len(ax.get_xticks())) == ("", 0)
    shown = np.concatenate([each.get_offsets() for each in ax.collections])
    assert set(map(tuple, shown)) == set(map(tuple, X[:, :2]))


def test_a_map_of_the_earth_ends_at_the_poles() -> None:
    rng = np.random.default_rng(0)
    places = np.radians(np.c_[rng.uniform(-60, 75, 200), rng.uniform(-170, 175, 200)])
    ax = plot.map(KMedoids(3, metric="haversine", random_state=0).fit(places), places)
    ax.figure.canvas.draw()
    low, high = ax.get_ylim()
    assert -90 < low < -55 < 70 < high < 90
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("longitude", "latitude")


def test_map_by_what_is_known(km: KMedoids, X: Any) -> None:
    kinds = pd.Series(["a", None, "b"] * 300, name="kind")
    ax = plot.map(km, X, by=kinds)
    key = ax.get_legend()
    assert [text.get_text() for text in key.get_texts()] == ["a", "b"]
    assert key.get_title().get_text() == "kind"
    shades = np.concatenate([each.get_facecolors() for each in ax.collections])
    assert len(np.unique(shades, axis=0)) == 3
    ax = plot.map(km, X, by=X[:, 0])
    assert len(np.unique(np.concatenate([c.get_facecolors() for c in ax.collections]), axis=0)) > 50
    with pytest.raises(ValueError, match="by has 2 entries for 900 rows"):
        plot.map(km, X, by=["a", "b"])


def test_contingency_counts_and_says_the_index(km: KMedoids) -> None:
    kinds = pd.Series(["a", "b", "$c$"] * 300, name="kind")
    ax = plot.contingency(km, kinds)
    counts = pd.crosstab(km.labels_, kinds).to_numpy()
    shown = [int(text) if text != "·" else 0 for text in words(ax)]
    assert np.reshape(shown, (5, 3))[:, 1:].tolist() == counts[:, 1:].tolist()
    index = adjusted_rand_score(kinds, km.labels_)
    assert f"adjusted Rand index {index:.3f}" in ax.get_title(loc="left")
    assert ax.get_xlabel() == "kind"
    ax.figure.canvas.draw()
    plot.contingency(km, [None] * 900).figure.canvas.draw()
    plot.contingency(km, list(range(900))).figure.canvas.draw()


def test_silhouette_says_the_mean(km: KMedoids, X: Any) -> None:
    mean = medoid_silhouette(km.transform(X)).mean()
    assert f"{mean:.3f}" in plot.silhouette(km, X).get_title(loc="left")


def test_search_has_a_dot_for_each_round(X: Any) -> None:
    rows = np.concatenate([X] * 4) + np.random.default_rng(1).normal(size=(3600, 9))
    km = KMedoids(4, random_state=0).fit(rows)
    ax = plot.search(km)
    dots = sorted(tuple(dot) for each in ax.collections for dot in each.get_offsets())
    assert dots == sorted(
        (at, max(each["survivors"], 1))
        for at, step in enumerate(km.history_, 1)
        for each in step["rounds"]
    )
    assert words(ax) == ["BUILD", "SWAP"]


@pytest.mark.parametrize("method", ["pam", "clara", "onebatch", "alternate"])
def test_history_of_other_methods(method: str, X: Any) -> None:
    km = KMedoids(3, method=method, init="random", random_state=0).fit(X)
    assert plot.search(km).get_ylabel() == "arms that survive"
    losses = [line.get_ydata()[-1] for line in plot.loss(km).lines if len(line.get_ydata())]
    assert km.history_[-1]["loss"] in losses


def test_loss_goes_through_every_step(X: Any) -> None:
    km = KMedoids(12, random_state=0).fit(X)
    curves = [line for line in plot.loss(km).lines if line.get_linestyle() == "-"]
    assert len(curves) == 2, "BUILD and SWAP"
    built, swapped = (line.get_ydata().tolist() for line in curves)
    assert built[-1] == swapped[0], "no gap"
    assert built + swapped[1:] == [step["loss"] for step in km.history_]


def test_scan_marks_the_best_and_needs_no_silhouettes() -> None:
    ax = plot.scan([2, 3, 4], [9.0, 5.0, 4.0], [0.2, np.nan, 0.1], best=3)
    assert words(ax) == ["k = 3"]
    assert len(ax.figure.axes) == 2
    assert len(plot.scan([2, 3], [9.0, 5.0]).figure.axes) == 1


def test_a_scan_draws_all_that_it_has() -> None:
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(centre, 1, (30, 2)) for centre in (0, 10, 20)])
    found = scan(rows, range(1, 6), random_state=0)
    ax = plot.scan(found)
    assert words(ax) == [f"k = {found.suggestion}"] == ["k = 3"]
    names = ["loss", "mean medoid silhouette", "stability", "gap"]
    assert [panel.get_ylabel() for panel in ax.figure.axes] == names
    assert ax.lines[0].get_ydata().tolist() == found.losses.tolist()
    assert words(plot.scan(found, best=2)) == ["k = 2"]
    fewer = plot.scan(scan(rows, range(2, 5), resample=False, random_state=0))
    assert [panel.get_ylabel() for panel in fewer.figure.axes] == names[:2]
    fewer.figure.canvas.draw()


def test_a_scan_has_its_own_losses() -> None:
    found = scan([[0.0], [1.0], [5.0], [6.0]], [2, 3], resample=False)
    with pytest.raises(TypeError, match="leave them out"):
        plot.scan(found, [1.0, 2.0])
    with pytest.raises(TypeError, match="losses is missing"):
        plot.scan([2, 3])
