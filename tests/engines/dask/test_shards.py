"""Shards in one process: what is lost is made again, and no sum depends on partitions."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from dask_matrix import matrix_engine
from engine_contract import matrix_of
from helpers import DEEP, pam_by_force
from medoids import KMedoids
from medoids._tuning import Tuning
from medoids.engines.cpu import kernels
from medoids.engines.dask.answers import add_parts
from medoids.engines.dask.arms import DaskArms
from medoids.engines.dask.common import Common
from medoids.engines.dask.engine import DaskEngine
from medoids.engines.dask.orders import Order
from medoids.engines.dask.reader import Reader
from medoids.engines.dask.stage import Stage
from medoids.engines.dask.transport import InProcess
from medoids.methods.banditpam import banditpam
from medoids.methods.monitor import Monitor
from medoids.methods.settings import Settings


def fit(
    engine: DaskEngine, swap: str = "best", init: Any = "build", monitor: Monitor | None = None
) -> DaskEngine:
    rng, shown = np.random.default_rng(0), monitor or Monitor(0)
    settings = Settings(engine, init, 300, None, swap, rng, shown, Tuning())  # type: ignore[arg-type]
    banditpam(settings)
    return engine


@pytest.mark.parametrize("word", ["screen", "drop", "value", "refine", "confirm", "place", "any"])
def test_a_shard_that_is_lost_is_made_again(word: str) -> None:
    matrix, lost = matrix_of("mixture", 700), []
    rng = np.random.default_rng(1)

    def loses(shard: int, order: Order) -> bool:
        gone = order.word == word if word != "any" else rng.random() < 0.3
        if gone:
            lost.append(order.word)
        return gone

    rows = np.split(np.arange(700), [100, 350, 500])
    tuning = Tuning(first_block=64)
    engine = matrix_engine(matrix, 5, 0, rows, [[0, 2], [1, 3]], tuning=tuning, loses=loses)
    assert fit(engine).medoids == pam_by_force(matrix, 5)
    assert len(lost) > 3


@pytest.mark.parametrize("kind", ["ties", "heavy tails", "copies"])
def test_the_loss_is_the_same_to_the_last_bit(kind: str) -> None:
    matrix, found = matrix_of(kind, 600), set()
    for count in (1, 3, 50):
        rows = np.array_split(np.arange(600), count)
        groups = [list(range(count))[i::2] for i in range(min(count, 2))]
        engine = matrix_engine(matrix, 4, 0, rows, groups, tuning=Tuning(first_block=64))
        fit(engine)
        values, _ = engine.confirm(np.arange(20), True)
        found.add((tuple(engine.medoids), engine.loss, *values.tolist()))
    assert len(found) == 1


def test_without_room_nothing_is_kept_and_nothing_changes() -> None:
    matrix = matrix_of("mixture", 700)
    rows = np.array_split(np.arange(700), 3)
    ends = []
    for room in (1e9, 1e3):
        tuning = Tuning(first_block=64)
        engine = matrix_engine(matrix, 5, 0, rows, [[0, 1], [2]], tuning=tuning, room=room)
        ends.append(fit(engine))
    assert ends[0].medoids == ends[1].medoids == pam_by_force(matrix, 5)
    assert ends[1].n_distances > ends[0].n_distances


@pytest.mark.parametrize("room", [1e9, 3e6, 1e3])
@pytest.mark.parametrize("weighs", [False, True])
def test_rows_of_several_partitions_are_searched_as_one(room: float, weighs: bool) -> None:
    """Whether distances of all of them are kept, of some, or of none; with gaps between them."""
    X, k = np.random.default_rng(3).normal(size=(3000, 4)).astype(np.float32), 4
    parts = np.split(X, [100, 100, 900, 1500, 2999])
    weights = np.random.default_rng(4).integers(1, 4, size=3000).astype(float)
    given = np.split(weights, [100, 100, 900, 1500, 2999]) if weighs else None
    groups, tuning = [[0, 3, 5], [1, 2, 4]], Tuning(first_block=128, **DEEP)
    transport = InProcess(lambda: Reader("euclidean", None), parts, groups, given, tuning, room)
    engine = fit(DaskEngine(Common(transport, k, 0, tuning), k))
    pam = KMedoids(k, method="pam").fit(X, sample_weight=weights if weighs else None)
    assert engine.medoids == pam.medoid_indices_.tolist()
    np.testing.assert_array_equal(engine.labels(), pam.labels_)


def test_split_sums_are_exact() -> None:
    rng = np.random.default_rng(0)
    row = rng.exponential(size=5000) * 10.0 ** rng.integers(-9, 9, size=5000)
    far, owner = np.full(5000, np.inf), np.zeros(5000, dtype=np.int32)
    total = np.zeros((1, 1, 3))
    for some in np.array_split(np.arange(5000), 37):
        part = np.zeros((1, 1, 3))
        kernels.split_sums(row[some], far[some], far[some], owner[some], part)
        total = add_parts(total, part)
    assert math.fsum(total.ravel()) == math.fsum(row)


def test_the_order_of_references_follows_row_and_seed_alone() -> None:
    matrix = matrix_of("mixture", 700)
    orders = []
    for seed, count in ((0, 1), (0, 5), (1, 5)):
        rows = np.array_split(np.arange(700), count)
        engine = matrix_engine(matrix, 3, seed, rows, [list(range(count))])
        orders.append(engine.common.references.tolist())
    assert orders[0] == orders[1] != orders[2]


def test_rounds_of_a_fit_are_few() -> None:
    matrix = matrix_of("mixture", 1000, 5)
    rows = np.array_split(np.arange(1000), 4)
    engine = matrix_engine(matrix, 6, 0, rows, [[0, 1], [2, 3]], tuning=Tuning(first_block=64))
    rng = np.random.default_rng(0)
    settings = Settings(engine, "build", 300, None, "best", rng, Monitor(0), Tuning())  # type: ignore[arg-type]
    _, swaps = banditpam(settings)
    assert engine.common.transport.rounds <= 40 * (6 + swaps)


@pytest.mark.parametrize("kind", ["mixture", "heavy tails", "ties"])
def test_bounds_that_are_carried_hold(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """No swap of any arm is worth less than what is carried on of it, but for a rare chance."""
    matrix = matrix_of(kind, 1500)
    carried: list[tuple[int, int]] = []
    move = Stage._carry_swaps

    def watched(self: Stage, before: Any, count: int) -> None:
        for screened in self.screened:  # what is carried alone
            screened.lines[:] = -np.inf
        move(self, before, count)
        medoids, unit = list(self.medoids), self.shard.space.unit
        now = matrix[medoids].min(axis=0).sum()
        for screened in self.screened:
            lines, ids = screened.lines, screened.part.ids
            if not np.isfinite(lines).any():
                continue
            wrong = 0
            for m in range(len(medoids)):
                kept = np.delete(matrix[medoids], m, axis=0).min(axis=0)
                change = np.minimum(kept, matrix[ids]).sum(axis=1) - now
                wrong += int((lines[m] > change / unit / len(matrix) + 1e-6).sum())
            carried.append((wrong, lines[:-1].size))

    monkeypatch.setattr(Stage, "_carry_swaps", watched)
    rows = np.array_split(np.arange(1500), 3)
    tuning = Tuning(first_block=192, worth_carrying=2)
    engine = matrix_engine(matrix, 8, 0, rows, [[0, 2], [1]], tuning=tuning)
    fit(engine, init=list(range(8)))
    assert len(carried) >= 3
    wrong, count = np.sum(carried, axis=0)
    assert wrong <= 1e-3 * count


def test_bounds_that_are_carried_spare_references(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, rows = matrix_of("mixture", 2000), np.array_split(np.arange(2000), 4)
    refined, ends = [], []
    for carries in (True, False):
        if not carries:
            monkeypatch.setattr(Stage, "_carry_swaps", lambda *args: None)
        monitor = Monitor(0)
        tuning = Tuning(first_block=96, worth_carrying=2)
        engine = matrix_engine(matrix, 6, 0, rows, [[0, 1], [2, 3]], tuning=tuning)
        fit(engine, init=list(range(6)), monitor=monitor)
        ends.append(engine.medoids)
        swaps = [entry["rounds"][1:] for entry in monitor.history if entry["phase"] == "swap"]
        refined.append(sum(each["arms"] for rounds in swaps for each in rounds))
    assert ends[0] == ends[1]
    assert refined[0] < refined[1]


@pytest.mark.parametrize("kind", ["mixture", "heavy tails", "ties"])
@pytest.mark.parametrize("swap", ["best", "eager"])
def test_a_drop_that_is_not_asked_leaves_the_same(
    monkeypatch: pytest.MonkeyPatch, kind: str, swap: str
) -> None:
    matrix, rows = matrix_of(kind, 1500), np.array_split(np.arange(1500), 4)
    found = []
    for spares in (True, False):
        if not spares:
            monkeypatch.setattr(DaskArms, "_tell", lambda self, arms: arms)
        monitor = Monitor(0)
        tuning = Tuning(first_block=96)
        engine = matrix_engine(matrix, 8, 0, rows, [[0, 1], [2, 3]], tuning=tuning)
        fit(engine, swap, monitor=monitor)
        steps = [entry["rounds"] for entry in monitor.history]
        found.append((engine.medoids, engine.loss, steps, engine.common.transport.rounds))
    assert found[0][:3] == found[1][:3]
    assert found[0][3] < found[1][3]


@pytest.mark.parametrize("dear", ["fitting", "giving", "refining"])
def test_where_more_references_are_dear_arms_are_valued(dear: str) -> None:
    matrix, rows = matrix_of("mixture", 1500), np.array_split(np.arange(1500), 4)
    depths, ends = [], []
    for tuning in (Tuning(first_block=64), Tuning(first_block=64, **{dear: 1e12})):
        monitor = Monitor(0)
        engine = matrix_engine(matrix, 6, 0, rows, [[0, 1], [2, 3]], tuning=tuning)
        fit(engine, monitor=monitor)
        ends.append(engine.medoids)
        depths.append(
            max(each["references"] for entry in monitor.history for each in entry["rounds"])
        )
    assert ends[0] == ends[1] == pam_by_force(matrix, 6)
    assert depths[1] < depths[0]


_FAULTS = """
import resource, sys
import numpy as np
from medoids.engines.dask import freed

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        np.ones(2**17)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

found = [faults()]
for change in (freed.keep, freed.give_back):
    change()
    found.append(faults())
print(*found)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have none of it")
def test_freed_memory_stays_for_the_length_of_a_fit() -> None:
    told = os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"}
    run = subprocess.run(
        [sys.executable, "-c", _FAULTS], env=told, capture_output=True, text=True, check=True
    )
    before, kept, after = map(int, run.stdout.split())
    assert 5 * kept < min(before, after)


def test_some_points_do_not_depend_on_partitions() -> None:
    matrix, found = matrix_of("mixture", 900), []
    for count in (1, 7):
        rows = np.array_split(np.arange(900), count)
        tuning = Tuning(first_block=96)
        engine = matrix_engine(matrix, 4, 0, rows, [list(range(count))], tuning=tuning)
        first = set(engine.common.references[:96].tolist())
        for which in range(3):
            some = engine.some_points(400, which)
            assert some is not None
            if which < 2:  # then there are too few others
                assert not set(some[1].tolist()) & first
            found.append((which, some[1].tolist()))
    assert found[:3] == found[3:]
