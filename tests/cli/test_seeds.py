"""`--seeds`: several random starts; and what is said while kernels compile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import ROWS, labels_of, result_of, table

from medoids import KMedoids
from medoids.__main__ import main
from medoids.cli.output.compiling import COMPILING, telling
from medoids.cli.output.progress import Follower


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv")


@pytest.mark.parametrize("init", [None, "random"])
def test_the_best_of_several_starts(init: str | None, capsys: Any) -> None:
    more = [] if init is None else ["--init", init]
    assert main(["cluster", "rows.csv", "-k", "6", "--seeds", "5", *more]) == 0
    km = KMedoids(6, init=init or "k-medoids++", n_init=5, random_state=0).fit(ROWS)
    result = result_of(Path("rows-medoids"))
    assert labels_of(Path("rows-medoids/labels.csv"))[1].tolist() == km.labels_.tolist()
    assert result["parameters"]["n_init"] == 5
    assert len(result["starts"]) == 5
    assert min(result["starts"]) == pytest.approx(result["loss"])
    assert "5 starts, of which the best is kept:" in capsys.readouterr().out
    assert "--seeds 5" in result["command"]


def test_methods_that_draw_begin_as_they_do() -> None:
    argv = ["cluster", "rows.csv", "-k", "4", "--seeds", "3", "--method", "clara"]
    assert main(argv) == 0
    km = KMedoids(4, method="clara", n_init=3, random_state=0).fit(ROWS)
    assert labels_of(Path("rows-medoids/labels.csv"))[1].tolist() == km.labels_.tolist()


def test_one_start_is_as_before() -> None:
    assert main(["cluster", "rows.csv", "-k", "4", "--seeds", "1"]) == 0
    result = result_of(Path("rows-medoids"))
    assert result["parameters"]["init"] == "build"
    assert result["starts"] is None


@pytest.mark.parametrize("init", ["build", "1,2,3"])
def test_starts_that_are_all_the_same_are_refused(init: str, capsys: Any) -> None:
    argv = ["cluster", "rows.csv", "-k", "3", "--seeds", "4", "--init", init]
    assert main(argv) == 2
    assert "--seeds 4 would be the same start each time" in capsys.readouterr().err


def test_compiling_is_told_and_loading_is_not() -> None:
    numba = pytest.importorskip("numba")
    told = []

    @numba.njit  # type: ignore[untyped-decorator]
    def twice(x: float) -> float:
        return 2 * x

    with telling(lambda: told.append(1)):
        assert twice(2.0) == 4
        first = len(told)
        assert twice(3.0) == 6
    assert first >= 1
    assert len(told) == first, "what is compiled is used again"
    twice(np.float32(1))
    assert len(told) == first, "nobody listens any more"


def test_the_bar_says_why_nothing_moves() -> None:
    shown: dict[str, Any] = {}

    class Bar:
        def update(self, task: Any, **fields: Any) -> None:
            shown.update(fields)

    Follower(lambda: None, Bar(), 0).compiling()  # type: ignore[arg-type]
    assert shown == {"description": COMPILING}
    Follower(lambda: None).compiling()
