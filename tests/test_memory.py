"""How much memory a fit may take where nobody says."""

from __future__ import annotations

from pathlib import Path

import pytest

from medoids import _memory


def test_the_limit_is_a_quarter_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    for free in (9e9, 12e9, 64e9, 1e12):
        monkeypatch.setattr(_memory, "available", lambda free=free: free)
        limit = _memory.default_limit()
        assert max(0.2 * free, 2e9) <= limit + 1 <= max(0.25 * free, 2e9) + 1


@pytest.mark.parametrize("free", [0.0, 1.0, 3e8, 1.5e9])
def test_where_little_is_free_it_is_no_more_than_that(
    free: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_memory, "available", lambda: free)
    assert 0 <= _memory.default_limit() <= free


def test_two_gigabytes_if_there_is_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    for free in (2e9, 3e9, 7.9e9):
        monkeypatch.setattr(_memory, "available", lambda free=free: free)
        assert _memory.default_limit() == 2e9


def test_this_machine_has_some() -> None:
    assert 1e7 < _memory.available() < 1e15


@pytest.mark.parametrize(
    ("limit", "usage", "cached"),
    [
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ],
)
def test_what_a_container_has_left(limit: str, usage: str, cached: str, tmp_path: Path) -> None:
    (tmp_path / limit).write_text("4000000000\n")
    (tmp_path / usage).write_text("1500000000\n")
    assert list(_memory._left(tmp_path, limit, usage, cached)) == [2.5e9]
    # Pages of files that can be dropped count as free.
    (tmp_path / "memory.stat").write_text(f"anon 7\n{cached} 500000000\n")
    assert list(_memory._left(tmp_path, limit, usage, cached)) == [3e9]
    (tmp_path / limit).write_text("max\n")
    assert list(_memory._left(tmp_path, limit, usage, cached)) == []
    assert list(_memory._left(tmp_path / "nowhere", limit, usage, cached)) == []
