"""Ctrl-C: what was found until then is kept, and said to be so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import ROWS, labels_of, lines_of, plain_env, result_of, table

from medoids import KMedoids, k_medoids
from medoids.__main__ import main
from medoids.cli.interrupts import interruptible, patience

# A fit of many rows and clusters, which takes minutes, and tells when BUILD has begun.
SCRIPT = """
import sys
from medoids.methods import monitor as _monitor
record = _monitor.Monitor.record
def tell(self, *args, **more):
    record(self, *args, **more)
    print("STEP", len(self.history), flush=True)
_monitor.Monitor.record = tell
from medoids.__main__ import main
sys.exit(main(sys.argv[1:]))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX signals")


@pytest.fixture(autouse=True)
def as_at_a_terminal() -> Iterator[None]:
    """SIGINT means what it means at a terminal, though it be ignored where the suite runs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def start(script: str, *argv: str, cwd: Path) -> subprocess.Popen[str]:
    """The command in a process of its own, to which SIGINT means what it means at a terminal."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *argv],
        cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=plain_env(), preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


@pytest.mark.slow
def test_a_real_signal_in_build(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 16)).astype(np.float32)
    np.save(tmp_path / "many.npy", X)
    process = start(SCRIPT, "cluster", "many.npy", "-k", "500", cwd=tmp_path)
    assert process.stdout is not None
    for line in process.stdout:
        if line.split() == ["STEP", "3"]:
            break
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "interrupted: the best" in err
    assert "of 500 medoids so far" in err
    result = result_of(tmp_path / "many-medoids")
    assert result["status"] == "interrupted"
    medoids = [each["row"] for each in result["medoids"]]
    assert 3 <= len(medoids) < 500
    assert len(result["history"]) == len(medoids)
    exact = k_medoids(X, len(medoids), init=medoids, max_iter=0)
    assert result["loss"] == pytest.approx(exact.inertia)
    names, labels, *_ = labels_of(tmp_path / "many-medoids" / "labels.csv")
    assert len(names) == len(X)
    assert labels.tolist() == exact.labels.tolist()
    assert sorted(os.listdir(tmp_path)) == ["many-medoids", "many.npy"]


def test_a_real_signal_before_there_is_a_medoid(tmp_path: Path) -> None:
    script = "import sys, medoids.cli.run as command; print('READY', flush=True);"
    script += "sys.exit(command.run(sys.argv[1:]))"
    process = start(script, "cluster", "-", "-k", "2", cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "READY\n"
    process.stdin.write("1,2\n" * 100_000)  # more than a pipe holds: so it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, "")
    assert err == "medoids: interrupted: nothing was written.\n"
    assert os.listdir(tmp_path) == []


def interrupt_at(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Let Ctrl-C come right after this step of a fit."""
    from medoids.methods import monitor as _monitor

    record = _monitor.Monitor.record

    def stop(self: Any, *args: Any, **more: Any) -> None:
        record(self, *args, **more)
        if len(self.history) == step and self._watch is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr(_monitor.Monitor, "record", stop)


@pytest.mark.parametrize("method", ["banditpam", "pam", "fasterpam", "clara", "clarans"])
def test_every_method_keeps_its_best(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv")
    km = KMedoids(4, method=method, random_state=0).fit(ROWS)
    steps = len(km.history_)
    interrupt_at(monkeypatch, steps)
    assert main(["cluster", "rows.csv", "-k", "4", "--method", method]) == 130
    result = result_of(Path("rows-medoids"))
    assert result["status"] == "interrupted"
    assert result["parameters"]["method"] == method
    assert len(result["history"]) == steps
    assert result["loss"] == pytest.approx(km.inertia_)


def test_amid_build_there_are_fewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv")
    interrupt_at(monkeypatch, 2)
    assert main(["cluster", "rows.csv", "-k", "4"]) == 130
    result = result_of(Path("rows-medoids"))
    assert (len(result["medoids"]), result["parameters"]["n_clusters"]) == (2, 4)
    assert "the best 2 of 4 medoids so far" in capsys.readouterr().err
    assert main(["predict", "rows-medoids", "rows.csv", "--out", "again.csv", "-q"]) == 0
    assert lines_of(Path("again.csv")) == lines_of(Path("rows-medoids/labels.csv"))


def test_while_the_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv")

    def stop(self: KMedoids, X: Any, path: Path, **more: Any) -> None:
        path.write_text("<html>half")
        raise KeyboardInterrupt

    monkeypatch.setattr(KMedoids, "report", stop)
    monkeypatch.setattr("medoids.cli.commands.cluster.REPORT_NEEDS", ())
    assert main(["cluster", "rows.csv", "-k", "3", "--report"]) == 130
    assert not Path("rows-medoids/report.html").exists()
    result = result_of(Path("rows-medoids"))
    assert len(result["medoids"]) == 3
    assert result["status"] == "done"


def press(monkeypatch: pytest.MonkeyPatch, where: str, times: int) -> None:
    """Let Ctrl-C be pressed so many times when this is called, and let it go on."""
    module, _, name = where.rpartition(".")
    function = getattr(import_module(module), name)

    def wrapped(*args: Any, **more: Any) -> Any:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        return function(*args, **more)

    monkeypatch.setattr(where, wrapped)


@pytest.mark.parametrize("where", ["membership", "summarise", "write_labels", "write_result"])
def test_what_was_found_is_not_lost(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv")
    press(monkeypatch, f"medoids.cli.commands.cluster.{where}", 1)
    assert main(["cluster", "rows.csv", "-k", "3"]) == 130
    assert result_of(Path("rows-medoids"))["status"] == "done"
    assert sorted(os.listdir("rows-medoids")) == ["labels.csv", "medoids.csv", "result.json"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_waits_leaves_the_page_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv")
    drawn: list[int] = []
    monkeypatch.setattr(KMedoids, "report", lambda *args, **more: drawn.append(1))
    monkeypatch.setattr("medoids.cli.commands.cluster.REPORT_NEEDS", ())
    press(monkeypatch, "medoids.cli.commands.cluster.membership", 1)
    assert main(["cluster", "rows.csv", "-k", "3", "--report"]) == 130
    assert drawn == []
    assert result_of(Path("rows-medoids"))["status"] == "done"


def test_an_impatient_second_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv")
    interrupt_at(monkeypatch, 2)
    press(monkeypatch, "medoids.cli.commands.fitting._as_far", 1)
    assert main(["cluster", "rows.csv", "-k", "4"]) == 130
    result = result_of(Path("rows-medoids"))
    assert (result["status"], len(result["medoids"])) == ("interrupted", 2)


def test_twice_while_results_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv")
    press(monkeypatch, "medoids.cli.commands.cluster.write_result", 2)
    assert main(["cluster", "rows.csv", "-k", "3"]) == 130
    assert "interrupted: nothing was written" in capsys.readouterr().err
    assert os.listdir() == ["rows.csv"]


@pytest.mark.parametrize("after", [1, 2])
def test_while_one_folder_takes_the_place_of_another(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv")
    assert main(["cluster", "rows.csv", "-k", "3"]) == 0
    rename, calls = Path.rename, []

    def stop(self: Path, target: Path) -> None:
        rename(self, target)
        calls.append(1)
        if len(calls) == after:
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", stop)
    assert main(["cluster", "rows.csv", "-k", "2", "--force"]) == 130
    assert len(result_of(Path("rows-medoids"))["medoids"]) == (3 if after == 1 else 2)
    assert sorted(os.listdir()) == ["rows-medoids", "rows.csv"]


@pytest.mark.slow
def test_a_real_signal_after_the_fit(tmp_path: Path) -> None:
    table(tmp_path / "rows.csv")
    script = "import sys, time, medoids.cli.commands.cluster as c; own = c.membership\n"
    script += "def slow(*args):\n print('FOUND', flush=True); time.sleep(1); return own(*args)\n"
    script += "c.membership = slow\nfrom medoids.__main__ import main\n"
    script += "sys.exit(main(sys.argv[1:]))"
    process = start(script, "cluster", "rows.csv", "-k", "3", cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "FOUND\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert result_of(tmp_path / "rows-medoids")["status"] == "done"


def test_an_interrupt_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with patience() as waiting, interruptible():
            signal.raise_signal(signal.SIGINT)
        assert not waiting.came
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
