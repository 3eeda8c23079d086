"""`medoids demo`: digits, their medoids as pictures, and the page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_files import lines_of, result_of
from rich.color import Color

from medoids.__main__ import main
from medoids.cli.output.pictures import mosaic


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEDOIDS_DATA", raising=False)


def test_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["n"] == 1797
    assert len(shown["medoids"]) == 10
    assert result_of(Path("out/demo"))["command"] == "medoids demo"
    files = set(shown["files"])
    assert {"labels.csv", "medoids.csv", "result.json"} <= files
    assert files == {path.name for path in Path("out/demo").iterdir()}
    if "medoids.png" in files:
        assert Path("out/demo/medoids.png").read_bytes().startswith(b"\x89PNG")
    if "report.html" in files:
        assert "medoids demo" in Path("out/demo/report.html").read_text()


def test_it_may_be_run_again_and_leaves_out_what_cannot_be_drawn(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medoids.cli.commands.demo.find_spec", lambda module: None)
    for _ in range(2):
        assert main(["demo", "--out", "digits"]) == 0
    out, err = capsys.readouterr()
    assert sorted(path.name for path in Path("digits").iterdir()) == [
        "labels.csv", "medoids.csv", "result.json",
    ]  # fmt: skip
    assert "pip install 'medoids[plot]'" in err
    assert "▀" not in out, "no picture where there are no colours"


def test_other_results_are_not_replaced(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medoids.cli.commands.demo.find_spec", lambda module: None)
    Path("rows.csv").write_text("a,b\n1,2\n3,4\n")
    assert main(["cluster", "rows.csv", "-k", "1", "--out", "mine", "-q"]) == 0
    assert main(["demo", "--out", "mine", "-q"]) == 2
    assert "mine exists: --force replaces it" in capsys.readouterr().err
    assert len(result_of(Path("mine"))["medoids"]) == 1
    assert main(["demo", "--out", "mine", "-q", "--force"]) == 0
    assert result_of(Path("mine"))["command"] == "medoids demo"


def test_new_rows_can_be_given_to_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medoids.cli.commands.demo.find_spec", lambda module: None)
    assert main(["demo", "--quiet"]) == 0
    from sklearn.datasets import load_digits

    np.save("new.npy", (load_digits().data / 16).astype(np.float32))
    assert main(["predict", "out/demo", "new.npy", "--out", "new.csv", "-q"]) == 0
    assert lines_of(Path("new.csv")) == lines_of(Path("out/demo/labels.csv"))


def shades(text: object, height: int, width: int) -> np.ndarray:
    """The pixels of the first image, read back from the colours."""
    pixels = np.zeros((height, width))
    spans = sorted(text.spans, key=lambda span: span.start)  # type: ignore[attr-defined]
    for place in range(height * width // 2):
        row, column = divmod(place, width)
        style = spans[place].style
        for at, colour in ((0, style.color), (1, style.bgcolor)):
            assert isinstance(colour, Color)
            assert colour.triplet is not None
            pixels[2 * row + at, column] = colour.triplet.red
    return pixels


def test_two_pixels_a_character() -> None:
    image = np.arange(24.0).reshape(4, 6)
    text = mosaic([image], ["all"], 80)
    assert text.plain == "▀▀▀▀▀▀  \n▀▀▀▀▀▀  \nall     "
    np.testing.assert_allclose(shades(text, 4, 6), np.round(image / 23 * 255))


def test_large_images_are_made_smaller_and_rows_are_even() -> None:
    images = [np.full((28, 28), at + 1.0) for at in range(10)]
    text = mosaic(images, [f"{at}" for at in range(10)], 80)
    lines = text.plain.splitlines()
    assert max(map(len, lines)) <= 80
    blocks = [line.split() for line in lines if "▀" in line]
    assert {len(line) for line in blocks} == {5}
    assert len(blocks) == 2 * 7
