"""`medoids metrics`: the library's own tables, and the metric for each kind of data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from cli_files import ROWS, SEQUENCES, TREES, WORDS, mixed_frame

from medoids import KMedoids
from medoids.__main__ import main
from medoids.cli.commands.choose import KINDS, suits
from medoids.cli.commands.metrics import table_of_metrics
from medoids.dissimilarities.metrics import METRICS, SYNONYMS
from medoids.dissimilarities.objects import MEASURES
from medoids.engines.cpu.points.sparse import SPARSE

THINGS: dict[str, Any] = {
    "rows": np.abs(ROWS[:, :2]) % 1,
    "strings": WORDS,
    "tokens": [list(word) for word in WORDS],
    "trees": TREES,
    "sequences": SEQUENCES,
    "table": mixed_frame(),
    "bits": ROWS > 0,
    "frames": ROWS[:30, :2, None] * [1.0, 2.0, 3.0],
}


def test_every_metric_is_there() -> None:
    rows = {row["name"]: row for row in table_of_metrics()}
    assert list(rows) == [*METRICS, *MEASURES, "precomputed"]
    assert {other for row in rows.values() for other in row["synonyms"]} == set(SYNONYMS)
    assert {name for name, row in rows.items() if row["sparse"]} == set(SPARSE)
    assert rows["minkowski"]["parameters"] == ["p"]
    assert rows["tree_edit"]["parameters"] == ["insert", "delete", "rename"]
    assert rows["dtw"]["parameters"] == ["window", "channels"]
    assert rows["levenshtein"]["extra"] == "objects"


@pytest.mark.parametrize("metric", [*METRICS, *MEASURES])
def test_a_metric_compares_what_it_is_said_to(metric: str) -> None:
    kinds = [kind for kind in suits(metric) if kind in THINGS]
    assert kinds
    for kind in kinds[:1] if "bits" in kinds else kinds:  # rows of zeros and ones alone
        assert np.isfinite(KMedoids(2, metric=metric).fit(THINGS[kind]).inertia_)


def test_each_kind_has_a_metric_that_suits_it() -> None:
    for name, kind in KINDS.items():
        assert name in suits(kind.metric)


def test_the_table_fits_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["metrics"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    for name in [*METRICS, *MEASURES]:
        assert any(line.split()[:1] == [name] for line in lines), name


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == table_of_metrics()
