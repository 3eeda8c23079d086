"""The progress bar, and those who watch a fit."""

from __future__ import annotations

import sys

import pytest

from helpers import mixture
from medoids import KMedoids, k_medoids
from medoids._fit import METHODS
from medoids._history import Progress, watching


@pytest.mark.parametrize("method", ["banditpam", "banditpam_original", "pam"])
def test_silence_is_the_default(capfd: pytest.CaptureFixture[str], method: str) -> None:
    KMedoids(3, method=method).fit(mixture(200, 2, 3, 0))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("method", ["banditpam", "banditpam_original", "pam"])
def test_a_bar_on_the_error_stream(capfd: pytest.CaptureFixture[str], method: str) -> None:
    KMedoids(3, method=method, verbose=1).fit(mixture(200, 2, 3, 0))
    out, err = capfd.readouterr()
    assert out == ""
    assert "loss" in err
    assert "step" in err
    assert "swap" in err
    assert "of n²" in err


def test_a_line_for_each_step(capfd: pytest.CaptureFixture[str]) -> None:
    found = k_medoids(mixture(200, 2, 3, 0), 3, verbose=2)
    out, err = capfd.readouterr()
    assert out == ""
    lines = [line for line in err.replace("\r", "\n").splitlines() if line.rstrip().endswith(" s")]
    assert len(lines) == len(found.history)


def test_without_tqdm(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    found = k_medoids(mixture(200, 2, 3, 0), 3, verbose=1)
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == len(found.history)


def test_the_bar_is_closed_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from medoids.engines.cpu.state import State
    from medoids.methods.monitor import Monitor

    closed: list[bool] = []
    close = Monitor.close

    def watch(self: Monitor) -> None:
        close(self)
        closed.append(self._bar is None)

    def fail(self: State, *args: object) -> float:
        raise RuntimeError("amid a fit")

    monkeypatch.setattr(Monitor, "close", watch)
    monkeypatch.setattr(State, "loss_after", fail)
    with pytest.raises(RuntimeError, match="amid a fit"):
        k_medoids(mixture(200, 2, 3, 0), 3, init="random", random_state=0, verbose=1)
    assert closed == [True]


def test_verbose_changes_no_result() -> None:
    X = mixture(300, 2, 3, 0)
    quiet, loud = (k_medoids(X, 3, verbose=v, random_state=0) for v in (0, 2))
    assert quiet.medoid_indices.tolist() == loud.medoid_indices.tolist()
    assert quiet.n_distances == loud.n_distances


@pytest.mark.parametrize("method", METHODS)
def test_who_watches_is_told_of_every_step(method: str) -> None:
    X, told = mixture(200, 2, 3, 0), []
    with watching(told.append):
        found = k_medoids(X, 3, method=method, random_state=0)
    assert [progress.entry for progress in told] == found.history
    assert {(progress.n, progress.n_clusters) for progress in told} == {(200, 3)}
    assert all(0 < len(progress.medoids) <= 3 for progress in told)
    counts = [progress.n_distances for progress in told]
    assert counts == sorted(counts)
    assert counts[-1] <= found.n_distances


@pytest.mark.parametrize("method", ["banditpam", "pam", "clara", "clarans", "onebatch"])
def test_the_medoids_told_are_rows_of_the_data(method: str) -> None:
    X, told = mixture(400, 2, 3, 0), []
    with watching(told.append):
        found = k_medoids(X, 3, method=method, random_state=0)
    best = min(told, key=lambda progress: (-len(progress.medoids), progress.entry["loss"]))
    again = k_medoids(X, 3, init=best.medoids, max_iter=0)
    assert again.medoid_indices.tolist() == list(best.medoids)
    assert again.inertia == pytest.approx(found.inertia)


def test_what_who_watches_raises_ends_the_fit() -> None:
    told: list[Progress] = []

    def stop(progress: Progress) -> None:
        told.append(progress)
        if len(progress.medoids) == 2:
            raise KeyboardInterrupt

    X = mixture(200, 2, 3, 0)
    with watching(stop), pytest.raises(KeyboardInterrupt):
        k_medoids(X, 3)
    assert len(told) == 2
    with watching(told.append):
        k_medoids(X, 3)
    assert len(told) > 4, "the next fit is watched again"


def test_nobody_watches_outside_the_block() -> None:
    told: list[Progress] = []
    with watching(told.append):
        k_medoids(mixture(50, 2, 3, 0), 2)
        k_medoids(mixture(50, 2, 3, 0), 2)
    before = len(told)
    assert sum(progress.entry["phase"] == "build" for progress in told) == 4
    k_medoids(mixture(50, 2, 3, 0), 2)
    assert len(told) == before
