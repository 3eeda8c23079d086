"""The kernels for a GPU say what the array API says in many passes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from helpers import mixture
from medoids import KMedoids
from medoids._tuning import Tuning
from medoids.engines.array import arms as arms_
from medoids.engines.array import bounds, held
from medoids.engines.array.arms import ArrayArms
from medoids.engines.array.engine import ArrayEngine
from medoids.engines.array.held import hold
from medoids.engines.array.namespace import Space
from medoids.engines.array.placed import Placed
from medoids.engines.array.rows import ArrayRows
from medoids.engines.sites import Sites

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
X = mixture(700, 5, 12, 3).astype(np.float32)
WIDE = mixture(700, 40, 5, 3).astype(np.float32)
WEIGHTS = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

if Space(torch.zeros(1, device=DEVICE)).fused is None:
    pytest.skip("needs a GPU, or TRITON_INTERPRET=1", allow_module_level=True)


def engine(k: int, first: int, weights: Any, fused: bool, medoids: list[int]) -> ArrayEngine:
    points = ArrayRows(torch.asarray(X, device=DEVICE), "euclidean")
    if not fused:
        points.space.__dict__["fused"] = None
    tuning, sites = Tuning(first_block=first), Sites((), None, weights)
    made = ArrayEngine(points, k, 1e9, np.random.default_rng(0), tuning, sites)
    made.start(medoids)
    return made


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("first", [256, len(X)])
@pytest.mark.parametrize("medoids", [[], [3], [3, 300], [5, 200, 400, 1, 2, 3, 600, 7]])
@pytest.mark.parametrize("swap", [False, True])
def test_estimates_and_bounds(swap: bool, medoids: list[int], first: int, weights: Any) -> None:
    if swap and not medoids:
        pytest.skip("nothing to swap")
    ours, theirs = (engine(8, first, weights, fused, medoids) for fused in (True, False))
    assert ours.loss == pytest.approx(theirs.loss, rel=1e-12)
    np.testing.assert_array_equal(ours.state.owner.cpu(), theirs.state.owner.cpu())
    np.testing.assert_array_equal(ours.state.other.cpu(), theirs.state.other.cpu())
    for made in (ours, theirs):
        made.led = np.arange(20, 60)
        made.kept.of(made.led)
    few, many = ours.screen(swap, 4.0), theirs.screen(swap, 4.0)
    # Leaders themselves are valued: what rounding leaves of them does not matter.
    alive = np.setdiff1d(many._alive.cpu().numpy(), ours.led)
    for name in ("estimate", "lower"):
        found, known = (getattr(arms._learnt, name).cpu().numpy()[alive] for arms in (few, many))
        near = 0.01 * known.std()
        if first == len(X):  # what is added where a medoid goes is summed in float16
            near = many.slack + 2.0**-10 * many._step.removal.max()
        np.testing.assert_allclose(found, known, atol=near)
    if first < len(X):  # else it is of the rewards with the owner staying
        np.testing.assert_allclose(few.sigma, many.sigma, atol=0.01 * max(many.sigma))
    some = np.arange(100, 140)
    values = [arms.value(some) for arms in (few, many)]
    assert values[0] == pytest.approx(values[1], abs=2 * many.slack)
    for arm in some.tolist():
        known = many._learnt.values[arm]
        assert few._learnt.values[arm] == pytest.approx(known, abs=2 * many.slack)
        if not many.exact:
            means = [arms._learnt.means.get(arm, 0.0) for arms in (few, many)]
            np.testing.assert_allclose(*means, atol=1e-5)


@pytest.fixture
def in_half(monkeypatch: pytest.MonkeyPatch) -> None:
    """All distances are held in float16, however few they are."""
    monkeypatch.setattr(held, "_PAIRS", 0)


def distances(rows: Any, metric: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """As they are held, and as they are."""
    points = ArrayRows(torch.asarray(rows, device=DEVICE), metric)
    found = hold(points, size)
    exact = points.exact(points.space.arange(0, len(rows))).cpu().numpy()
    return found.some(points.space, found.rows).cpu().numpy(), exact


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("far", [1e-6, 1.0, 1e9])
def test_distances_in_float16_are_rounded_by_chance(metric: str, far: float) -> None:
    found, exact = distances(WIDE * np.float32(far), metric, 2)
    assert np.isinf(np.diagonal(found)).all()
    apart = ~np.eye(len(WIDE), dtype=bool)
    error = (found[apart] - exact[apart]) / exact[apart]
    assert np.abs(error).max() < 2.0**-10 * 1.01
    assert np.abs(error.mean()) < 4 * error.std() / np.sqrt(error.size) + 1e-6
    assert error.std() > 2.0**-13  # they are in float16
    assert np.abs(found[apart] - found.T[apart]).max() <= 2.0**-9 * exact.max()


def test_distances_in_float32_are_as_they_are() -> None:
    found, exact = distances(X, "euclidean", 4)
    np.fill_diagonal(found, 0.0)
    np.testing.assert_allclose(found, exact, rtol=1e-5)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("pairs", [0, 1e9])
def test_sums_that_are_carried(pairs: float, weights: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "_PAIRS", pairs)
    walks = [[5, 200, 400, 1, 2, 3, 600, 7], [5, 201, 400, 1, 2, 3, 600, 7],
             [5, 201, 400, 1, 2, 3, 600, 8], [5, 201, 400, 1, 2, 3, 600, 8]]  # fmt: skip
    ours = engine(8, len(X), weights, True, walks[0])
    for medoids in walks:
        for position, medoid in enumerate(medoids):
            if ours.medoids[position] != medoid:
                ours.place(position, medoid)
        fresh = engine(8, len(X), weights, True, medoids)
        few, many = ours.screen(True, 4.0), fresh.screen(True, 4.0)
        for name in ("estimate", "lower", "sigma"):
            found, known = (
                np.asarray(arms.sigma) if name == "sigma" else getattr(arms._learnt, name).cpu()
                for arms in (few, many)
            )
            np.testing.assert_allclose(found, known, atol=many.slack, rtol=1e-6)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("medoids", [[], [3], [3, 300], [5, 200, 400, 1, 2, 3, 600, 7]])
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.usefixtures("in_half")
def test_bounds_in_float16_hold(swap: bool, medoids: list[int], weights: Any) -> None:
    if swap and not medoids:
        pytest.skip("nothing to swap")
    ours, theirs = (engine(8, len(X), weights, fused, medoids) for fused in (True, False))
    assert ours.sample.held is not None
    assert not ours.sample.exact
    few, many = ours.screen(swap, 4.0), theirs.screen(swap, 4.0)
    alive = many._alive.cpu().numpy()
    lower, true = few._learnt.lower.cpu().numpy()[alive], many._learnt.estimate.cpu().numpy()[alive]
    assert (lower <= true + many.slack).all()
    assert (true - lower).max() < 0.2 * true.std() + 0.01  # and say something
    assert few.value(np.arange(100, 140)) == pytest.approx(
        many.value(np.arange(100, 140)), rel=1e-5
    )


@pytest.mark.parametrize("swap", ["best", "eager"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.usefixtures("in_half")
def test_fits_in_float16(ties: bool, weights: Any, swap: str) -> None:
    rows = np.round(X[:300]) if ties else X[:300]
    given = None if weights is None else weights[:300]
    there = torch.asarray(rows, device=DEVICE)
    found = KMedoids(4, swap=swap, random_state=0).fit(there, sample_weight=given)
    known = KMedoids(4, swap=swap, random_state=0).fit(rows, sample_weight=given)
    if swap == "best":
        assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()
    assert found.inertia_ == pytest.approx(known.inertia_, rel=1e-6 if swap == "best" else 0.02)


@pytest.mark.parametrize("pairs", [0, 1e9])
@pytest.mark.parametrize(
    "given",
    [{"candidates": np.arange(0, 300, 3)}, {"fixed": [7, 100]}, {"init": "random"}],
    ids=lambda given: next(iter(given)),
)
def test_steps_on_all_distances(
    given: dict[str, Any], pairs: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "_PAIRS", pairs)
    there = torch.asarray(X[:300], device=DEVICE)
    found = KMedoids(5, random_state=0, **given).fit(there)
    known = KMedoids(5, random_state=0, **given).fit(X[:300])
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()
    assert {step["sigma"] for step in found.history_ if step["phase"] == "swap"} == {None}


@pytest.mark.parametrize("pairs", [0, 1e9])
def test_many_copies_are_all_compared(pairs: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "_PAIRS", pairs)
    rows = np.repeat(X[:40], 12, axis=0)  # more arms as good as the best than are valued at once
    found = KMedoids(4, random_state=0).fit(torch.asarray(rows, device=DEVICE))
    known = KMedoids(4, random_state=0).fit(rows)
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()


@pytest.mark.usefixtures("in_half")
def test_one_cluster_in_float16() -> None:
    there = torch.asarray(X[:300], device=DEVICE)
    found = KMedoids(1, random_state=0, init="random").fit(there)
    known = KMedoids(1, random_state=0, init="random").fit(X[:300])
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "correlation"])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e5])
def test_products_of_rows_that_are_split(metric: str, scale: float) -> None:
    points = ArrayRows(torch.asarray(WIDE * np.float32(scale), device=DEVICE), metric)
    some, every = points.space.ids([3, 500, 7, 600]), points.space.arange(100, 400)
    assert points.splits
    for found, known in (
        (points.block(some, every, rough=True), points.exact(some, every)),
        (
            points.rows(100, 400, some, rough=True),
            points.exact(points.space.arange(100, 400), some),
        ),
    ):
        largest = float(known.max())
        np.testing.assert_allclose(found.cpu(), known.cpu(), rtol=1e-5, atol=2e-3 * largest)
        apart = known.cpu().numpy() > 0.1 * largest
        np.testing.assert_allclose(found.cpu()[apart], known.cpu()[apart], rtol=3e-5)


PIXELS = np.random.default_rng(1).integers(0, 256, (200, 30))


@pytest.mark.parametrize(
    ("rows", "one"),
    [
        (PIXELS.astype(np.float32) / np.float32(255), True),
        (PIXELS.astype(np.float32) * np.float32(0.3), True),
        (PIXELS.astype(np.float32) - 100, True),
        (PIXELS.astype(np.float32) % 90 - 40, True),
        (PIXELS.astype(np.uint8), True),
        (PIXELS.astype(np.int64), False),
        (WIDE[:200].astype(np.float16), True),
        (WIDE[:200], False),
        (np.vstack([PIXELS[:199] * 1.0, WIDE[:1, :30]]).astype(np.float32), False),
        (np.zeros((200, 30), np.float32), True),
    ],
    ids=[
        "pixels",
        "multiples",
        "with signs",
        "bytes with signs",
        "bytes",
        "whole numbers",
        "float16",
        "digits",
        "one row with digits",
        "nothing",
    ],
)
def test_rows_of_few_digits_take_one_product(rows: np.ndarray, one: bool) -> None:
    points = ArrayRows(torch.asarray(rows, device=DEVICE), "euclidean")
    assert points.splits
    assert points.digits.factor[1] is not one
    some, every = points.space.ids([3, 150, 7]), points.space.arange(0, len(rows))
    known = points.exact(some, every)
    apart = known.cpu().numpy() > 0
    for found in (points.block(some, every, rough=True), points.whole(some)):
        np.testing.assert_allclose(found.cpu()[apart], known.cpu()[apart], rtol=3e-5)
    halved, exact = distances(rows, "euclidean", 2)
    apart = exact > 0
    np.testing.assert_allclose(halved[apart], exact[apart], rtol=2.0**-10 * 1.01)


def test_rows_of_bytes_lose_no_digits() -> None:
    """Also where rows differ by little, compared with how long they are."""
    rows = 200 + PIXELS[:, :20].astype(np.float32) % 3
    rows[:, 0] = PIXELS[:, 0] % 2
    points = ArrayRows(torch.asarray(rows, device=DEVICE), "sqeuclidean")
    points._centre, points._power = None, 0  # as pixels are, of which some are 0
    some, every = points.space.ids([3, 150, 7]), points.space.arange(0, len(rows))
    known = points.exact(some).cpu().numpy()
    assert points.bytes is not None
    assert not points.is_coarse()
    np.testing.assert_array_equal(points.whole(some).cpu(), known)
    np.testing.assert_array_equal(points.block(some, every[40:]).cpu(), known[:, 40:])
    found = points.rows(3, 190, points.space.ids([150, 7]))
    np.testing.assert_array_equal(found.cpu(), points.exact(every[3:190], every[[150, 7]]).cpu())
    few = points.some(every[100:])
    np.testing.assert_array_equal(few.whole(every[[50]]).cpu(), known[1:2, 100:])
    few.room = points.room = 0.0
    assert points.some(every).bytes is None


def test_widths_that_no_kernel_takes() -> None:
    fused = Space(torch.zeros(1, device=DEVICE)).fused
    assert [fused.width_of(features) for features in (3, 64, 108, 256, 300)] == [
        64, 64, 128, 256, 300,
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("far", [0.0, 100.0])
def test_exact_rows(dtype: Any, far: float) -> None:
    rows = torch.asarray((X + far).astype(dtype), device=DEVICE)
    ours, theirs = ArrayRows(rows, "euclidean"), ArrayRows(rows, "euclidean")
    theirs.space.__dict__["fused"] = None
    ids = ours.space.ids([5, 600])
    np.testing.assert_allclose(ours.exact(ids).cpu(), theirs.exact(ids).cpu(), rtol=1e-12)


@pytest.mark.parametrize("first", [64, 200])
def test_bounds_that_are_carried(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_WORTH", 0)
    medoids = list(range(0, 660, 20))
    ours, theirs = (engine(len(medoids), first, None, fused, medoids) for fused in (True, False))
    found = []
    for made in (ours, theirs):
        made.led = np.arange(401, 440)
        made.kept.of(made.led)
        arms = made.screen(True, 4.0)
        arms.refine(400, arms.valued())
        about: Any = made.bounds
        before = np.asarray(about._table.cpu())
        # The screen may have shown more.
        assert (before[:, :-1].min(axis=1) <= arms._learnt.lower.cpu().numpy() + 1e-6).all()
        made.place(3, 333)
        made.place(7, 111)
        lower = about.lower(made.step(True), made.sample, 1.0, 1)
        after = np.asarray(about._table.cpu())
        np.testing.assert_allclose(lower.cpu(), after[:, :-1].min(axis=1), rtol=1e-6)
        found.append((before, after))
    for mine, other in zip(*found, strict=True):
        known = np.isfinite(other)
        np.testing.assert_array_equal(np.isfinite(mine), known)
        near = 0.01 * other[known].std()
        np.testing.assert_allclose(mine[known], other[known], rtol=0.01, atol=near)


@pytest.mark.parametrize("each", [False, True])
def test_estimates_in_the_order_of_owners(each: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    medoids, found = [5, 200, 400, 1, 2, 3, 600, 7], []
    monkeypatch.setattr(arms_, "carries", lambda *_: each)
    monkeypatch.setattr(arms_, "_SORTED", 8)
    sorts = ArrayArms._sorts
    taken: list[bool] = []

    def noted(*given: Any) -> bool:
        taken.append(sorts(*given))
        return taken[-1]

    monkeypatch.setattr(ArrayArms, "_sorts", noted)
    for fused in (True, False):
        made = engine(8, 256, None, fused, medoids)
        arms = made.screen(True, 4.0)
        arms.value(np.arange(20, 60))
        arms.drop(1e9)
        arms._learnt.lower[:] = -np.inf
        arms.refine(600, arms.valued())
        alive = arms._alive.cpu().numpy()
        about: Any = made.bounds
        tables = [about._table] if each else []
        known = (arms._learnt.estimate, arms._learnt.lower, *tables)
        found.append([np.asarray(values.cpu())[alive] for values in known])
    assert taken == [False, True, False, False]  # a screen, and more references; twice
    for mine, other in zip(*found, strict=True):
        near = 0.01 * other.std()
        np.testing.assert_allclose(mine, other, rtol=0.01, atol=near)


@pytest.mark.parametrize("pairs", [0, 1e9])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_what_is_foreseen_is_what_comes(
    weights: Any, pairs: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "_PAIRS", pairs)
    there, known = torch.asarray(X, device=DEVICE), Placed._foreseen
    taken: list[bool] = []

    def noted(*given: Any) -> Any:
        found = known(*given)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(Placed, "_foreseen", noted)
    ahead = KMedoids(6, random_state=0).fit(there, sample_weight=weights)
    assert sum(taken) > len(taken) / 2
    monkeypatch.setattr(Placed, "_foreseen", lambda *_: None)
    later = KMedoids(6, random_state=0).fit(there, sample_weight=weights)
    assert ahead.medoid_indices_.tolist() == later.medoid_indices_.tolist()
    losses = [[step["loss"] for step in km.history_] for km in (ahead, later)]
    np.testing.assert_allclose(*losses, rtol=1e-12)


@pytest.mark.parametrize("many", [0.0, 2.0], ids=["all anew", "what changed"])
@pytest.mark.usefixtures("in_half")
def test_however_many_points_change(many: float, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("medoids.engines.array.fused.carried")
    monkeypatch.setattr(module, "_MANY", (many, many))
    found = KMedoids(6, random_state=0).fit(torch.asarray(X, device=DEVICE))
    known = KMedoids(6, random_state=0).fit(X)
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_rows_that_lie_column_by_column(metric: str) -> None:
    there = torch.asarray(np.ascontiguousarray(WIDE.T), device=DEVICE).T
    found = KMedoids(4, metric=metric, random_state=0).fit(there)
    known = KMedoids(4, metric=metric, random_state=0).fit(WIDE)
    assert found.medoid_indices_.tolist() == known.medoid_indices_.tolist()


@pytest.mark.parametrize("rows", [WIDE, WIDE * np.float32(1e-30) + 7, np.round(WIDE)])
def test_numbers_that_rows_are_made_of(rows: np.ndarray) -> None:
    fused, there = Space(torch.zeros(1, device=DEVICE)).fused, torch.asarray(rows, device=DEVICE)
    exact = rows.astype(np.float64)
    for found, known in zip(
        fused.outline(there), (exact.min(0), exact.max(0), exact.mean(0)), strict=True
    ):
        np.testing.assert_allclose(found.cpu(), known, rtol=1e-12, atol=1e-13)
    size = np.abs(rows)
    known = [rows.min(), size[size > 0].min(), -size.max()]
    np.testing.assert_array_equal(fused.sizes(there).cpu(), known)


def test_references_that_are_there_twice() -> None:
    made = engine(8, 64, None, True, [1, 2])
    arms, refs = made.space.ids([5, 9, 7, 300]), made.space.ids([9, 3, 9, 300, 4, 5])
    found = made.sample.between(arms, refs).cpu().numpy()
    same = np.array([5, 9, 7, 300])[:, None] == np.array([9, 3, 9, 300, 4, 5])[None, :]
    np.testing.assert_array_equal(np.isinf(found), same)
