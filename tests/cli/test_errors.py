"""What is wrong is said in one line, with the exit code 2 and no traceback."""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import CASES, ROWS, plain_env, run, table, text
from scipy import sparse

from medoids.__main__ import main
from medoids.cli.run import _message


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def complaint(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The one line that a command ends with."""
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    assert err.startswith("medoids: ")
    assert "Traceback" not in err
    return err


GZIP = b"\x1f\x8b\x08\x00nothing that unpacks"
BAD_FILES: dict[str, tuple[bytes, str]] = {
    "empty.csv": (b"", "is empty"),
    "blank.csv": (b"\n \n", "is empty"),
    "header.csv": (b"a,b\n", "has no rows"),
    "garbage.csv": (bytes(range(256)) * 8, "is binary, not a CSV table"),
    "latin.csv": ("a,b\ncafé,2\n".encode("latin1"), "not UTF-8 text at line 2"),
    "latin.txt": ("naïve\n".encode("latin1"), "not UTF-8 text at line 1"),
    "wide.csv": ("a,b\n1,2\n".encode("utf-16"), "is UTF-16 text"),
    "short.csv": (b"a,b,c\n1,2,3\n4,5\n6,7,8\n", "expected 3 cells in row 2, found 2"),
    "long.csv": (b"a,b,c\n1,2,3\n4,5,6,7\n", "Expected 3 fields in line 3, saw 4"),
    "longer.csv": (b"a,b\n1,2,3,4\n5,6,7,8\n", "more than the 2 cells"),
    "text.csv": (b"a,b\n1,x\n2,y\n", "text in column 'b' (such as 'x'): leave out text with"),
    "texts.csv": (b"a,b\nu,x\nv,y\n", "use --metric gower"),
    "hole.csv": (b"id,a,b\nx,1,2\ny,,4\n", "no value at row 'y', column 'a'"),
    "holes.csv": (b'it\'s\n1\n""\n', "leave the column out with --exclude 'it'\"'\"'s', or use"),
    "infinite.csv": (b"a,b\n1,2\ninf,4\n", "an infinite value at row '1', column 'a'"),
    "damaged.csv.gz": (GZIP, "is a damaged gzip file"),
    "table.parquet": (b"a,b\n1,2\n", "is not a Parquet table"),
    "cut.parquet": (b"PAR1" + b"\0" * 200, "cut short"),
    "cut.npz": (b"PK\x03\x04" + b"\0" * 200, "cut short"),
    "cut.npy": (b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'", "cut short"),
    "cut.h5ad": (b"\x89HDF\r\n\x1a\n" + b"x" * 200, "is damaged or no .h5ad"),
    "cut.mtx": (b"%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n", "cut short"),
    "none.mtx": (b"1 2 3\n", "is not a Matrix Market file"),
    "parquet.csv": (b"PAR1" + b"\0" * 200, "it is a Parquet table"),
    "cut.jsonl": (b'{"a": 1}\n{"a":\n', "is not JSON lines: line 2"),
    "two.jsonl": (b'"a"\n[1, 2]\n', "a string at line 1 and a list of numbers at line 2"),
    "some.jsonl": (b'"a"\n{"b": 1}\n', "objects in some lines only"),
    "null.jsonl": (b"null\n", "nothing (null) at line 1"),
    "nan.jsonl": (b"[1, 2]\n[NaN, 3]\n", "NaN or infinity at line 2"),
    "huge.jsonl": (b"[1, 2]\n[1" + b"0" * 400 + b", 3]\n", "a number too large at line 2"),
    "deep.jsonl": (b"[" * 500 + b"]" * 500 + b"\n", "line 1: nested too deep"),
    "nested.jsonl": (b'{"v": [1]}\n{"v": [2]}\n', "--field v"),
    "twig.jsonl": (b'{"type": "a", "children": [{"x": 1}]}\n{"type": "b"}\n', "row '1' is no tree"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    content, message = BAD_FILES[name]
    Path(name).write_bytes(content)
    line = complaint(capsys, "cluster", name, "-k", "1")
    assert message in line
    assert sorted(os.listdir()) == [name], "nothing is left behind"


BAD_ARRAYS: dict[str, tuple[Any, str]] = {
    "nan": (np.array([[1, 2], [np.nan, 3]]), "no value (NaN) at row 1, column 0"),
    "infinity": (np.array([[1, 2], [4, -np.inf]]), "an infinite value at row 1, column 1"),
    "complex": (np.ones((3, 2), complex), "values of type complex128"),
    "scalar": (np.float64(3), "shape ()"),
    "no rows": (np.empty((0, 4)), "shape (0, 4)"),
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_bad_arrays(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    array, message = BAD_ARRAYS[name]
    np.save("array.npy", array)
    assert message in complaint(capsys, "cluster", "array.npy", "-k", "1")


class Bomb:
    """Leaves a file when it is unpickled."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("exploded"),)


@pytest.mark.parametrize("name", ["bomb.npy", "bomb.npz"])
def test_no_pickle_is_loaded(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    array = np.empty(2, dtype=object)
    array[:] = [Bomb(), Bomb()]
    if name.endswith("npy"):
        np.save(name, array, allow_pickle=True)
    else:
        np.savez(name, X=array)
    assert "pickled Python objects" in complaint(capsys, "cluster", name, "-k", "1")
    assert not Path("exploded").exists()


BAD_OPTIONS: dict[str, str] = {
    "cluster missing.csv -k 2": "missing.csv is not there",
    "cluster . -k 2": ". is a folder",
    "cluster rows.csv": "missing option '-k'",
    "cluster": "missing argument 'FILE'",
    "cluster rows.csv -k 0": "-k",
    "cluster rows.csv -k many": "-k",
    "cluster rows.csv -k 61": "-k 61 is more than the 60 rows",
    "cluster rows.csv -k 2 --metric manhatan": "did you mean manhattan?",
    "cluster rows.csv -k 2 --metric nonsense": "'medoids metrics' lists all",
    "cluster rows.csv -k 2 --method bandit_pam": "did you mean banditpam or",
    "cluster rows.csv -k 2 --metric tree_edit": "is for trees, but rows.csv holds rows of numbers",
    "cluster words.txt -k 2 --metric l1": "is for rows of numbers, but words.txt holds strings",
    "cluster rows.csv -k 2 --metric precomputed": "needs a square matrix",
    "cluster rows.csv -k 2 --metric minkowski --metric-param q=3": "takes only 'p'",
    "cluster rows.csv -k 2 --metric minkowski --metric-param p": "write it like p=3",
    "cluster rows.csv -k 2 --columns a,bb": "column 'bb' is unknown",
    "cluster rows.csv -k 2 --exclude bb": "--exclude column 'bb' is unknown",
    "cluster rows.csv -k 2 --exclude id,a,b,c,d": "no column besides those of --exclude",
    "cluster rows.csv -k 2 --exclude a --columns a,b": "column 'a' is wanted, and left out",
    "cluster words.txt -k 2 --exclude a": "--exclude is for tables",
    "cluster rows.csv -k 2 --names who": "--names column 'who' is unknown",
    "cluster rows.csv -k 2 --field X": "--field is for npz",
    "cluster rows.csv -k 2 --transpose": "--transpose is for npy",
    "cluster words.txt -k 2 --columns a": "--columns is for tables",
    "cluster words.txt -k 2 --normalize": "--normalize is for rows of counts",
    "cluster rows.csv -k 2 --format xls": "--format 'xls' is unknown",
    "cluster rows.csv -k 2 --image-shape 3x3": "does not fit rows.csv",
    "cluster rows.csv -k 2 --image-shape big": "like 28x28",
    "cluster rows.csv -k 2 --image-shape 2x2x1": "or 32x32x3",
    "cluster rows.csv -k 2 --init 3": "--init has 1 row indices",
    "cluster rows.csv -k 2 --init nowhere": "--init 'nowhere' is unknown",
    "cluster rows.csv -k 2 --swap slow": "--swap 'slow' is unknown",
    "cluster rows.csv -k 2 --delta 2": "--delta 2.0 must be above 0 and below 1",
    "cluster rows.csv -k 2 --memory-limit 1KB": "--memory-limit '1KB' is too small",
    "cluster rows.csv -k 2 --jobs 0": "--jobs 0 has no meaning",
    "cluster rows.csv -k 2 --fast": "no such option: --fast",
    "cluster name.csv -k 2 --names name": "no column besides the row names",
    "cluster mixed.csv -k 2 --metric gower": "row '2' has 'inf' in column 'a'",
    "cluster packed.zip -k 2": "is a zip file, but not of NumPy arrays",
    "cluster sparse.npz -k 2 --field data": "leave out --field",
    "cluster lists.jsonl -k 2 --columns a": "--columns is for tables",
    "cluster lists.jsonl -k 2 --names a": "--names is for tables",
    "cluster lists.jsonl -k 2 --field a": "--field is for objects",
    "cluster fields.jsonl -k 2 --field v --columns w": "--columns is for tables",
    "cluster two.npz -k 2": "say which with --field",
    "cluster two.npz -k 2 --field lft": "did you mean left?",
    "clutser rows.csv": "no such command 'clutser'",
    "scan rows.csv -k 2-5": "write it like 2:20",
    "scan rows.csv -k 5:2": "is empty or below 1",
    "scan rows.csv -k 2:61": "-k up to 61 is more than the 60 rows",
    "scan rows.csv -k 2:99999999999": "is more than the 60 rows",
    "scan rows.csv -k 2:3 --out picture": "--out picture is no picture: end it in .png",
    "scan rows.csv -k 2:3 --out scan.xyz": "is no picture",
    "predict words.txt rows.csv": "words.txt is a file",
    "predict . rows.csv": ". has no result.json",
}  # fmt: skip


@pytest.mark.parametrize("line", BAD_OPTIONS)
def test_bad_options(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table(tmp_path / "rows.csv")
    text(tmp_path / "words.txt")
    np.savez("two.npz", left=ROWS, right=ROWS)
    sparse.save_npz("sparse.npz", sparse.csr_matrix(ROWS))
    with zipfile.ZipFile("packed.zip", "w") as packed:
        packed.writestr("rows.csv", "a,b\n1,2\n")
    Path("name.csv").write_text("name\nx\ny\n")
    Path("mixed.csv").write_text("a,b\n1,x\n2,y\ninf,x\n4,y\n")
    Path("lists.jsonl").write_text("[1, 2]\n[3, 4]\n")
    Path("fields.jsonl").write_text('{"v": "a", "w": 1}\n{"v": "b", "w": 2}\n')
    assert BAD_OPTIONS[line] in complaint(capsys, *line.split())
    assert not Path("rows-medoids").exists()


@pytest.mark.parametrize(
    "names",
    [
        ["town (km)", "income", "age"],
        ["it's", "a, b", 'the "best"', "$HOME", "`id`"],
        ["town"] + [f"measure {at}" for at in range(30)],
        *([["one", "two", *(f"text {at}" for at in range(9))]]),
    ],
)
def test_hints_can_be_pasted_into_a_shell(names: list[str], capsys: Any) -> None:
    texts = [name for name in names if name.startswith(("t", "it"))]
    values = ["word" if name in texts else "1" for name in names]
    with Path("table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([names, values, values])
    line = complaint(capsys, "cluster", "table.csv", "-k", "1")
    found = re.search(r"--(?:exclude|columns) .*?(?=, or use)", line)
    assert found
    assert "…" not in found[0]
    assert main(["cluster", "table.csv", "-k", "1", *shlex.split(found[0])]) == 0
    strings = re.search(r"or (--columns .*) for its strings", line)
    assert strings
    again = [*shlex.split(strings[1]), "--force", "--metric", "levenshtein"]
    assert main(["cluster", "table.csv", "-k", "1", *again]) == 0


@pytest.mark.parametrize("argv", [["cluster", "missing.csv", "-k", "2"], ["cluster", "x", "--no"]])
def test_a_real_command_fails_quietly(argv: list[str], tmp_path: Path) -> None:
    done = run(*argv, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("medoids: ")
    assert done.stderr.count("\n") == 1


def test_debug_shows_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "missing.csv", "-k", "2", "--debug"]) == 2
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert err.splitlines()[-1].startswith("medoids: missing.csv")


MISSING = {
    "pandas": ("csv", "medoids[cli]"),
    "pyarrow": ("parquet", "medoids[cli]"),
    "anndata": ("h5ad", "medoids[anndata]"),
    "rapidfuzz": ("text", "medoids[objects]"),
}


@pytest.mark.parametrize("package", MISSING)
def test_a_missing_extra(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    name, extra = MISSING[package]
    case = CASES[name]
    case.write(tmp_path / case.file)
    for module in [each for each in sys.modules if each.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    line = complaint(capsys, "cluster", case.file, "-k", "2")
    assert package in line
    assert f"pip install '{extra}'" in line


@pytest.mark.parametrize("package", ["jinja2", "plotly"])
def test_a_report_without_its_extra_is_refused_before_the_fit(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    table(tmp_path / "rows.csv")
    monkeypatch.setitem(sys.modules, package, None)
    line = complaint(capsys, "cluster", "rows.csv", "-k", "2", "--report")
    assert "pip install 'medoids[report]'" in line


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_the_command_line_without_its_extra(package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; import medoids.__main__ as m"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; sys.exit(m.main(['--version']))"],
        capture_output=True, text=True, env=plain_env(),
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        f"medoids: the command line needs {package}: pip install 'medoids[cli]'.\n"
    )


def test_an_error_of_ours_is_one_line_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    table(tmp_path / "rows.csv")

    def fail(*args: object, **more: object) -> None:
        raise ZeroDivisionError("deep\ndown")

    monkeypatch.setattr("medoids.cli.commands.cluster.fit", fail)
    line = complaint(capsys, "cluster", "rows.csv", "-k", "2")
    assert "unexpected ZeroDivisionError: deep down (--debug shows where)" in line


def test_importing_the_library_imports_no_command_line() -> None:
    code = "import sys, medoids; print([m for m in sys.modules if m.split('.')[0] in "
    code += "('typer', 'rich') or m.startswith('medoids.cli')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_names_of_files_are_told_without_their_escapes_and_as_they_are(capsys: Any) -> None:
    assert "\x1b" not in complaint(capsys, "cluster", "\x1b[2Jgone.csv", "-k", "2")
    message = "No such file: '/data/X/a.csv'"
    assert _message(FileNotFoundError(message)) == message
