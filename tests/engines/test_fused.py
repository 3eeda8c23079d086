"""The kernels for a GPU say what the array API says in many passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import mixture
from medoids._tuning import Tuning
from medoids.engines.array.engine import ArrayEngine
from medoids.engines.array.namespace import Space
from medoids.engines.array.rows import ArrayRows
from medoids.engines.sites import Sites

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
X = mixture(700, 5, 12, 3).astype(np.float32)
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
        near = 0.01 * known.std() if first < len(X) else many.slack
        np.testing.assert_allclose(found, known, atol=near)
    if first < len(X):  # else it is of the rewards with the owner staying
        np.testing.assert_allclose(few.sigma, many.sigma, atol=0.01 * max(many.sigma))
    some = np.arange(100, 140)
    values = [arms.value(some) for arms in (few, many)]
    assert values[0] == pytest.approx(values[1], abs=2 * many.slack)
    for arm in some.tolist():
        known = many._learnt.values[arm]
        assert few._learnt.values[arm] == pytest.approx(known, abs=2 * many.slack)
        means = [arms._learnt.means.get(arm, 0.0) for arms in (few, many)]
        np.testing.assert_allclose(*means, atol=1e-5)


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
