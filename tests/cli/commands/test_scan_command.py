"""`medoids scan`: what is found for each k, and a suggestion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import ROWS, N, run, weighted

from medoids import KMedoids, scan
from medoids.__main__ import main
from medoids.cli.commands.scan import bar
from medoids.cli.parsing import parse_range
from medoids.cli.problem import Problem

RNG = np.random.default_rng(0)
GROUPS = np.concatenate([RNG.normal(at, 0.1, (30, 2)) for at in ((0, 0), (5, 0), (0, 5), (5, 5))])


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("groups.npy", GROUPS)


def test_four_groups_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "groups.npy", "-k", "2:7", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    found = scan(GROUPS, range(2, 8), random_state=0)
    assert shown["suggestion"] == found.suggestion == 4
    assert (shown["reason"], shown["votes"]) == (found.reason, found.votes)
    assert shown["distances"] == found.n_distances
    assert [trial["k"] for trial in shown["trials"]] == [2, 3, 4, 5, 6, 7]
    for trial in shown["trials"]:
        each = found[trial["k"]]
        assert (trial["loss"], trial["silhouette"]) == (each.loss, each.silhouette)
        assert trial["smallest"] == each.sizes.min()
        assert trial["loss"] <= KMedoids(each.k, random_state=0).fit(GROUPS).inertia_ + 1e-9
        for name in ("stability", "stability_error", "gap", "gap_error"):
            assert trial[name] == getattr(each, name)
        assert trial["sizes"] == each.sizes.tolist()
        assert trial["medoid_indices"] == each.medoid_indices.tolist()


@pytest.mark.slow
def test_a_table_and_the_reason(tmp_path: Path) -> None:
    done = run("scan", "groups.npy", "-k", "1:6", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    head, _, *lines = done.stdout.splitlines()
    names = ["k", "loss", "change", "smallest", "silhouette", "stability", "gap"]
    assert head.split() == names
    assert lines[0].split()[3] == "–", "one cluster has no silhouette"
    assert "…" not in done.stdout, "bars fit"
    assert "█" in lines[3]
    assert lines[-1].startswith("k = 4: ")
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_without_other_samples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "groups.npy", "-k", "2:7", "--no-resample", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    found = scan(GROUPS, range(2, 8), resample=False, random_state=0)
    for name in ("stability", "gap"):
        assert {trial[name] for trial in shown["trials"]} == {None}
    assert shown["suggestion"] == found.suggestion
    assert shown["votes"] == found.votes


def test_weighted_rows(capsys: pytest.CaptureFixture[str]) -> None:
    weights = [at % 4 for at in range(N)]
    weighted(Path("rows.csv"), weights)
    assert main(["scan", "rows.csv", "-k", "2:4", "--weights", "count", "--json"]) == 0
    out, err = capsys.readouterr()
    shown = json.loads(out)
    found = scan(ROWS, range(2, 5), sample_weight=weights, random_state=0)
    assert shown["weights"] == "count"
    assert [trial["loss"] for trial in shown["trials"]] == found.losses.tolist()
    assert [trial["silhouette"] for trial in shown["trials"]] == found.silhouettes.tolist()
    assert "rows are weighted by 'count'" in err


@pytest.mark.slow
def test_a_real_command_and_its_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    done = run("scan", "groups.npy", "-k", "1:5:2", "--out", "scan.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no clear answer" in done.stdout or "k = " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert (tmp_path / "scan.png").read_bytes().startswith(b"\x89PNG")


def test_the_data_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from medoids.cli.commands import scan

    calls: list[int] = []
    read = scan.read

    def count(*args: Any) -> Any:
        calls.append(1)
        return read(*args)

    monkeypatch.setattr(scan, "read", count)
    assert main(["scan", "groups.npy", "-k", "2:5", "-q"]) == 0
    assert len(calls) == 1


def test_notes_are_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "groups.npy", "-k", "2:4"]) == 0
    assert capsys.readouterr().err.count("taking metric l2") == 1


@pytest.mark.parametrize(
    ("text", "ks"), [("2:4", [2, 3, 4]), ("5", [5]), ("2:9:3", [2, 5, 8]), ("1:1", [1])]
)
def test_ranges(text: str, ks: list[int]) -> None:
    assert list(parse_range(text)) == ks


@pytest.mark.parametrize("text", ["", "2:", "0:3", "4:2", "2:5:0", "2-5", "a:b", "-1:3"])
def test_no_ranges(text: str) -> None:
    with pytest.raises(Problem, match="2:20"):
        parse_range(text)


def test_negative_distances_have_no_silhouette(capsys: pytest.CaptureFixture[str]) -> None:
    np.save("negative.npy", GROUPS @ GROUPS.T - 100)
    argv = ["scan", "negative.npy", "-k", "2:3", "--metric", "precomputed", "--json"]
    assert main(argv) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["suggestion"] is None
    assert shown["votes"]["silhouette"] is None
    assert {trial["silhouette"] for trial in shown["trials"]} == {None}


@pytest.mark.parametrize("out", [[], ["--out", "scan.png"]])
def test_ctrl_c_is_one_line(
    out: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    from medoids.choice import scan as inside

    def stop(*args: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(inside, "_resampled", stop)
    assert main(["scan", "groups.npy", "-k", "2:7", *out]) == 130
    shown, err = capsys.readouterr()
    assert shown == ""
    assert err.endswith("medoids: interrupted: nothing was written.\n")
    assert "Traceback" not in err
    assert not Path("scan.png").exists()


def test_bars() -> None:
    assert bar(1, 1, 24) == "█" * 24
    assert bar(0.5, 1, 24) == "█" * 12
    assert bar(0, 1, 24) == bar(0, 0, 24) == ""
    assert bar(1 / 48, 1, 24) == "▌"
