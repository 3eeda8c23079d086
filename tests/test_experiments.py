"""The paper's experiments, end to end on tiny made data; their records, slopes and tables."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from medoids import k_medoids

ROOT = Path(__file__).parent.parent
Captured = pytest.CaptureFixture[str]
TINY = ["--tiny", "--synthetic"]
FIELDS = {
    "data", "n", "k", "metric", "method", "seed", "options", "synthetic", "loss", "medoids",
    "distances", "swaps", "seconds", "stages", "version", "machine",
}  # fmt: skip


def part(name: str) -> ModuleType:
    """A module of the experiments, which are no part of the package."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    return importlib.import_module(f"experiments.{name}")


def run(out: Path, *arguments: str) -> None:
    assert part("__main__").main([*TINY, "--out", str(out), *arguments]) == 0


def read(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "tiny" / "records.jsonl").open()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where one run of everything has left its records and figures."""
    pytest.importorskip("matplotlib", reason="figures need the extra 'plot'")
    out = tmp_path_factory.mktemp("reproduce")
    command = [sys.executable, "-m", "experiments", *TINY, "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "s left" in done.stderr
    return out


@pytest.mark.slow
def test_every_figure_is_drawn(finished: Path) -> None:
    for name in part("__main__").FIGURES:
        picture = finished / "tiny" / f"{name}.png"
        assert picture.read_bytes().startswith(b"\x89PNG"), name
        assert 5_000 < picture.stat().st_size < 150_000, name


@pytest.mark.slow
def test_records_are_complete(finished: Path) -> None:
    records = read(finished)
    assert {one["task"] for one in records} == {"fit", "means", "rewards"}
    assert all(one["synthetic"] for one in records)
    for one in records:
        if one["task"] == "fit":
            assert set(one) >= FIELDS
            assert len(set(one["medoids"])) == one["k"]
            assert one["seconds"] >= sum(one["stages"].values()) * 0.99
            assert one["distances"] >= one["n"]
    # Both methods in every figure that clusters anything.
    for name, figure in part("__main__").FIGURES.items():
        methods = {each.method for each in figure.runs(part("_scale").Scale("tiny"))}
        assert methods >= set(part("_scale").BANDITS) or methods < {
            "exact means",
            "exact rewards",
        }, name


@pytest.mark.slow
def test_tables_name_what_was_found(finished: Path) -> None:
    text = (finished / "tiny" / "tables.md").read_text()
    for name in part("__main__").FIGURES:
        assert f"## {name}: " in text
    assert "(stand-in)" in text
    assert "nan" not in text


@pytest.mark.slow
def test_nothing_runs_twice(finished: Path, capsys: Captured) -> None:
    path = finished / "tiny" / "records.jsonl"
    before = path.read_bytes()
    run(finished, "--only", "fig1a", "ladder")
    assert "runs" not in capsys.readouterr().err
    assert path.read_bytes() == before


def test_goes_on_after_a_half_written_line(
    finished: Path, tmp_path: Path, capsys: Captured
) -> None:
    lines = (finished / "tiny" / "records.jsonl").read_text().splitlines(keepends=True)
    path = tmp_path / "tiny" / "records.jsonl"
    path.parent.mkdir()
    path.write_text("".join(lines[:-2]) + lines[-2][: len(lines[-2]) // 2])
    run(tmp_path, "--only", "fig1b", "ladder")
    assert "2 of 2 runs" in capsys.readouterr().err
    again, first = read(tmp_path), read(finished)
    assert len(again) == len(first)
    for one, other in zip(again, first, strict=True):
        assert one.get("medoids") == other.get("medoids")
        assert one.get("distances") == other.get("distances")


@pytest.mark.slow
def test_draws_from_records_alone(finished: Path, tmp_path: Path, capsys: Captured) -> None:
    run(tmp_path, "--draw", "--records", str(finished / "tiny"), "--only", "fig2", "claims")
    assert (tmp_path / "tiny" / "fig2.png").is_file()
    assert (tmp_path / "tiny" / "claims.png").is_file()
    assert not (tmp_path / "tiny" / "records.jsonl").exists()
    assert "missing" not in capsys.readouterr().err


@pytest.mark.slow
def test_draws_what_is_there(finished: Path, tmp_path: Path, capsys: Captured) -> None:
    lines = (finished / "tiny" / "records.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "records.jsonl").write_text("".join(lines[: len(lines) // 2]))
    run(tmp_path, "--draw")
    assert "runs are missing" in capsys.readouterr().err
    assert (tmp_path / "tiny" / "fig1a.png").is_file()
    assert not (tmp_path / "tiny" / "delta.png").exists()


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3, 9, 20])
def test_draws_from_the_first_records(count: int, finished: Path, tmp_path: Path) -> None:
    lines = (finished / "tiny" / "records.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "records.jsonl").write_text("".join(lines[:count]))
    run(tmp_path, "--draw", "--only", "fig1a", "claims")
    assert (tmp_path / "tiny" / "fig1a.png").is_file()


@pytest.mark.slow
def test_tables_of_any_part_of_the_records(finished: Path) -> None:
    records = read(finished)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        some = [one for one in records if rng.random() < rng.uniform(0.2, 0.9)]
        claims = part("claims")
        mine = [one for one in some if one["task"] == "fit" and not one["options"].get("delta")]
        assert "nan" not in claims.tables(mine)


@pytest.mark.slow
def test_real_and_made_data_never_meet_in_a_figure(finished: Path, tmp_path: Path) -> None:
    main, records = part("__main__"), read(finished)
    runs = part("fig1a").runs(part("_scale").Scale("tiny"))
    args = main.parse(["--tiny", "--draw"])
    path = tmp_path / "records.jsonl"
    made = [one for one in records if one["n"] == 200]
    real = [one | {"synthetic": False} for one in records if one["n"] == 300]
    for some, synthetic in ((made, True), (made + real[:1], False)):
        path.write_text("".join(json.dumps(one) + "\n" for one in some))
        chosen = main.with_data(runs, args, part("_records").Records(path))
        assert {each.synthetic for each in chosen} == {synthetic}


def test_steps_without_a_sigma_do_not_move_the_others() -> None:
    appendix1 = part("appendix1")
    five = [1.0, 2.0, 3.0, 4.0, 5.0]
    known = {"method": "banditpam", "k": 10, "sigma": [five] * 10}
    text = appendix1.tables([known, known | {"sigma": [five] * 9}, known | {"sigma": []}])
    *_, whole, part_of_it, none = text.splitlines()
    assert whole.count(" 3 ") == 10
    assert part_of_it.count("–") == none.count("–") == 10


def test_tells_of_records_of_another_version(
    finished: Path, tmp_path: Path, capsys: Captured
) -> None:
    records = [one | {"version": "0.0.7"} for one in read(finished)[:3]]
    (tmp_path / "tiny").mkdir()
    lines = "".join(json.dumps(one) + "\n" for one in records)
    (tmp_path / "tiny" / "records.jsonl").write_text(lines)
    run(tmp_path, "--draw", "--only", "fig1a")
    assert "of medoids 0.0.7" in capsys.readouterr().err


def test_only_what_makes_sense(capsys: Captured) -> None:
    parse = part("__main__").parse
    for wrong in (["--full", "--tiny"], ["--publish"], ["--repeats", "0"], ["--only", "fig9"]):
        with pytest.raises(SystemExit):
            parse(wrong)
    assert "--full" in capsys.readouterr().err


def test_full_needs_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.delenv("MEDOIDS_DATA", raising=False)
    options = ["--full", "--only", "fig1b", "fig3", "--out", str(tmp_path)]
    assert part("__main__").main(options) == 2
    said = capsys.readouterr().err
    assert "hoc4.jsonl.gz, scrna.npz" in said
    assert "MEDOIDS_DATA" in said
    assert not list(tmp_path.iterdir())


def test_full_sizes_are_the_papers() -> None:
    scale = part("_scale").Scale("full")
    sizes = {
        name: {each.n for each in part(name).runs(scale)}
        for name in ("fig1a", "fig1b", "fig2", "fig3")
    }
    assert sizes["fig1a"] == {500, 1000, 1500, 2000, 2500, 3000}
    assert max(sizes["fig1b"]) == 3629
    assert sizes["fig2"] == set(range(10_000, 70_001, 10_000))
    assert {40_000, 70_000} <= sizes["fig3"]
    assert {each.seed for each in part("fig1a").runs(scale)} == set(range(10))
    assert {each.seed for each in part("fig2").runs(scale._replace(repeats=4))} == set(range(4))


def test_trees_and_their_matrix_count_the_same() -> None:
    # Figure 1b runs the published algorithm on the matrix, to count what it would on trees.
    data = part("_data")
    trees = data.made_programs()[:250]
    options = {"method": "banditpam_original", "random_state": 0}
    ours = k_medoids(trees, 2, metric="tree_edit", **options)
    theirs = k_medoids(data.matrix(trees), 2, metric="precomputed", **options)
    assert ours.n_distances == theirs.n_distances
    assert ours.medoid_indices.tolist() == theirs.medoid_indices.tolist()


def test_slope_and_its_interval() -> None:
    n = np.repeat([1000, 2000, 4000, 8000], 3)
    noise = np.random.default_rng(0).normal(scale=0.05, size=len(n))
    line = part("_stats").slope_of(n, 7 * n**1.2 * np.exp(noise))
    assert abs(line.value - 1.2) < line.half < 0.1
    assert line.at([1000])[0] == pytest.approx(7 * 1000**1.2, rel=0.2)
    exact = part("_stats").slope_of([10, 100, 1000, 10_000], [1, 100, 10_000, 1e6])
    assert exact.value == pytest.approx(2)


def test_an_iteration_is_the_fit_over_swaps_and_one() -> None:
    assert part("_stats").per_iteration({"seconds": 12.0, "swaps": 3}, "seconds") == 3.0


def test_mean_and_its_interval() -> None:
    # From a table of Student's t: 2.776 for four degrees of freedom.
    mean = part("_stats").mean_of([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean.value == 3
    assert mean.half == pytest.approx(2.776 * np.sqrt(2.5 / 5), rel=1e-3)


def test_a_subset_is_fixed_by_its_seed() -> None:
    data = part("_data")
    rows, some = data.sample("mnist", True, 50, 3)
    again, _ = data.sample("mnist", True, 50, 3)
    other, _ = data.sample("mnist", True, 50, 4)
    assert (rows == again).all()
    assert (rows != other).any()
    assert (data.load("mnist", True)[rows] == some).all()


def test_the_page_shows_the_records() -> None:
    publish, main = part("_publish"), part("__main__")
    if not publish.KEPT.is_file():
        pytest.skip("no full run was published")
    records = part("_records").Records(publish.KEPT)
    page = publish.PAGE.read_text()
    for name, figure in main.FIGURES.items():
        found = [one for each in main.unique(figure.runs(part("_scale").Scale("full")))
                 if (one := records.find(each))]  # fmt: skip
        assert figure.tables(found) in page, f"{name} is stale: publish again"
        assert (publish.PICTURES / f"{name}.png").is_file()
