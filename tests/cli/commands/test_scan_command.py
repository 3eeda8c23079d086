"""`medoids scan`: the loss and the silhouette for each k, and a suggestion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import run

from medoids import KMedoids
from medoids.__main__ import main
from medoids.cli.commands.scan import Trial, bar, suggest
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
    assert shown["suggestion"] == 4
    assert "highest mean medoid silhouette" in shown["reason"]
    assert [trial["k"] for trial in shown["trials"]] == [2, 3, 4, 5, 6, 7]
    for trial in shown["trials"]:
        km = KMedoids(trial["k"], random_state=0).fit(GROUPS)
        two = np.sort(km.transform(GROUPS), axis=1)
        assert trial["loss"] == pytest.approx(km.inertia_)
        assert trial["silhouette"] == pytest.approx((1 - two[:, 0] / two[:, 1]).mean())
        assert trial["smallest"] == np.bincount(km.labels_).min()


def test_a_real_command_and_its_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    done = run("scan", "groups.npy", "-k", "1:5:2", "--out", "scan.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "k = 5" in done.stdout or "k = 3" in done.stdout
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


def trial(k: int, silhouette: float | None) -> Trial:
    return Trial(k, 10.0 / k, silhouette, 1, 0.0, 1)


def test_suggestions() -> None:
    best, reason = suggest([trial(1, None), trial(2, 0.2), trial(3, 0.5), trial(4, 0.4)])
    assert best == 3
    assert "0.500 (next 0.400 at k = 4)" in reason
    best, reason = suggest([trial(2, 0.2), trial(3, 0.5)])
    assert (best, "look further" in reason) == (3, True)
    assert suggest([trial(2, 0.5), trial(3, 0.5), trial(4, 0.1)])[0] == 2
    assert suggest([trial(1, None), trial(2, 0.2)])[0] is None
    assert "interrupted" in suggest([trial(2, 0.2), trial(3, 0.5)], interrupted=True)[1]


def test_negative_distances_have_no_silhouette(capsys: pytest.CaptureFixture[str]) -> None:
    np.save("negative.npy", GROUPS @ GROUPS.T - 100)
    argv = ["scan", "negative.npy", "-k", "2:3", "--metric", "precomputed", "--json"]
    assert main(argv) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["suggestion"] is None
    assert "below 0" in shown["reason"]
    assert {trial["silhouette"] for trial in shown["trials"]} == {None}


def test_ctrl_c_keeps_what_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = KMedoids.fit

    def stop(self: KMedoids, X: Any, y: object = None) -> KMedoids:
        if self.n_clusters == 4:
            raise KeyboardInterrupt
        return fit(self, X, y)

    monkeypatch.setattr(KMedoids, "fit", stop)
    assert main(["scan", "groups.npy", "-k", "2:7", "--json"]) == 130
    shown = json.loads(capsys.readouterr().out)
    assert [trial["k"] for trial in shown["trials"]] == [2, 3]
    assert "interrupted" in shown["reason"]
    assert shown["status"] == "interrupted"


def test_bars() -> None:
    assert bar(1, 1) == "█" * 24
    assert bar(0.5, 1) == "█" * 12
    assert bar(0, 1) == bar(0, 0) == ""
    assert bar(1 / 48, 1) == "▌"
