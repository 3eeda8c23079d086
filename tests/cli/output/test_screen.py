"""What is seen: help, progress and tables, in 80 columns."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_files import CASES, N, json_lines, plain_env, run, table
from typer.main import get_command

from medoids.__main__ import main
from medoids.cli.app import app
from medoids.cli.options import _formats, _methods, _metrics
from medoids.cli.output.screen import number, saved, short
from medoids.cli.problem import few, in_options, printable, unknown

COMMANDS = ["cluster", "scan", "predict", "metrics", "demo"]


def at_a_terminal(*argv: str, cwd: Path, env: dict[str, str]) -> tuple[int, str]:
    """Run a command at a terminal of 80 columns; its exit code and all that it shows."""
    import fcntl
    import pty
    import struct
    import termios

    terminal, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "medoids", *argv],
        cwd=cwd, env=env, stdin=other, stdout=other, stderr=other,
    )  # fmt: skip
    os.close(other)
    shown = b""
    while True:
        try:
            some = os.read(terminal, 65536)
        except OSError:  # Linux says so at the end
            break
        if not some:
            break
        shown += some
    os.close(terminal)
    return process.wait(), shown.decode()


def without_codes(shown: str) -> list[str]:
    """The lines that were drawn, one for each time that a line was drawn again."""
    return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", shown).replace("\r", "\n").splitlines()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("colour", [True, False])
def test_progress_at_a_terminal(colour: bool, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(3000, 8)).astype(np.float32)
    np.save(tmp_path / "many.npy", X)
    env = {name: value for name, value in plain_env().items() if name != "COLUMNS"}
    env |= {} if colour else {"NO_COLOR": "1"}
    code, shown = at_a_terminal("cluster", "many.npy", "-k", "40", cwd=tmp_path, env=env)
    assert code == 0, shown
    lines = without_codes(shown)
    assert max(map(len, lines)) <= 80
    assert any(re.search(r"BUILD \d+ of 40 .*loss .* distances", line) for line in lines)
    assert any(re.search(r"SWAP .*loss .*of n²", line) for line in lines)
    assert any(line.startswith("written to many-medoids") for line in lines)
    coloured = re.search(r"\x1b\[(\d+;)*(3|9)\d(;\d+)*m", shown) is not None
    assert coloured == colour


@pytest.mark.slow
def test_no_progress_without_a_terminal(tmp_path: Path) -> None:
    table(tmp_path / "rows.csv")
    done = run("cluster", "rows.csv", "-k", "3", cwd=tmp_path)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "BUILD" not in done.stderr
    assert done.stderr.splitlines() == [
        "medoids: row names from the first column, 'id'",
        "medoids: rows of numbers: taking metric l2 (--metric chooses another)",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_and_fits(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "Examples" in out
    assert f"$ medoids {command}" in out


def test_no_command_is_a_call_for_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    for command in COMMANDS:
        assert command in out
    assert "--install-completion" in out


def test_the_examples_of_the_help_are_understood() -> None:
    """Each one is read without complaint, up to the file that is not there."""
    for command in get_command(app).commands.values():  # type: ignore[attr-defined]
        examples = re.findall(r"medoids ([^\n<]*)", command.epilog)
        assert len(examples) >= 2, command.name
        for line in examples:
            job = get_command(app).main(line.split(), "medoids", standalone_mode=False)
            assert callable(job), line


def test_completion_knows_the_names() -> None:
    assert _metrics("man") == ["manhattan"]
    assert _methods("fast") == ["fastpam1", "fastpam", "fasterpam"]
    assert _formats("np") == ["npy", "npz"]


def test_shell_completion(tmp_path: Path) -> None:
    env = {"_MEDOIDS_COMPLETE": "complete_bash", "COMP_WORDS": "medoids cl", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "medoids"],
        capture_output=True, text=True, env=plain_env() | env, cwd=tmp_path,
    )  # fmt: skip
    assert "cluster" in done.stdout.split(), done.stderr


def test_the_table_of_many_clusters_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    long = [{"name": f"{'very ' * 30}{at}", "v": at} for at in range(N)]
    json_lines(long)(tmp_path / "long.jsonl")
    assert main(["cluster", "long.jsonl", "-k", "30"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("and 10 smaller clusters" in line for line in lines)
    assert sum("very" in line for line in lines) == 20


def test_strings_are_shown_beside_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    CASES["text"].write(tmp_path / "words.txt")
    assert main(["cluster", "words.txt", "-k", "2", "--json"]) == 0
    medoid = json.loads(capsys.readouterr().out)["medoids"][0]
    assert main(["cluster", "words.txt", "-k", "2", "--force"]) == 0
    word = CASES["text"].X[medoid["row"]]
    assert f"{medoid['name']}  {word}" in capsys.readouterr().out


def test_raw_counts_are_pointed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    CASES["mtx"].write(tmp_path / "counts.mtx")
    assert main(["cluster", "counts.mtx", "-k", "2"]) == 0
    assert "raw counts, taken as they are (--normalize" in capsys.readouterr().err
    assert main(["cluster", "counts.mtx", "-k", "2", "--normalize", "--force"]) == 0
    err = capsys.readouterr().err
    assert "raw counts" not in err
    assert "each row scaled to 10,000 counts" in err


def test_words() -> None:
    assert number(1234.5) == "1,234"
    assert number(0.5) == "0.5000"
    assert short(123) == "123"
    assert short(1.234e9) == "1.23 G"
    assert saved(25, 10) == "25 distances, 25.0% of n²"
    assert saved(100, 10) == "100 distances, all of n²"
    assert saved(5, 1000) == "5 distances, 5e-06 of n²"
    assert printable("a\x1b[2Jb\nc") == "a [2Jb c"
    assert printable("abcdef", 4) == "abc…"
    assert few("abcd", 2) == "a, b and 2 more"
    assert str(unknown("--x", "aple", ["apple", "pear"])) == (
        "--x 'aple' is unknown: did you mean apple?"
    )
    assert in_options("n_clusters=5 is more than X[3]; raise max_iter") == (
        "-k 5 is more than X[3]; raise --max-iter"
    )
