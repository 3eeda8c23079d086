"""A file or standard input before it is read: its name, its format, its bytes."""

from __future__ import annotations

import gzip
import hashlib
import sys
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..problem import Problem, unknown
from .formats import FORMATS, MAGIC, SUFFIXES, sniff

_GZIP = b"\x1f\x8b"
_HEAD = 65536


@dataclass
class Source:
    """Where data comes from.

    Attributes
    ----------
    name : str
        The name of the file without its folder, or "standard input".
    path : Path or None
        None for standard input.
    raw : bytes or None
        What standard input, or a pipe, held: it can be read once.
    wanted : str or None
        The format that the user named.
    """

    name: str
    path: Path | None
    raw: bytes | None = None
    wanted: str | None = None

    @property
    def stem(self) -> str:
        """The name without what says the format."""
        if self.path is None:
            return "stdin"
        base = Path(self.name.removesuffix(".gz"))
        return base.stem if self._suffix in SUFFIXES else base.name

    @cached_property
    def format(self) -> str:
        """As the user says, or by the end of the name, or by what is inside."""
        named = self.wanted or SUFFIXES.get(self._suffix)
        inside = next((name for start, name in MAGIC.items() if self.head.startswith(start)), None)
        if named is None:
            return inside or sniff(self.head)
        other = inside is not None and self.wanted is None
        if named != inside and (other or named in MAGIC.values()):
            holds = f"it is {FORMATS[inside].what}" if inside else "it is damaged, or another kind"
            raise Problem(
                f"{self.name} is not {FORMATS[named].what}: {holds}; --format names the right one."
            )
        return named

    @property
    def guessed(self) -> bool:
        """Whether the format was told from what is inside."""
        return self.wanted is None and self._suffix not in SUFFIXES

    @property
    def _suffix(self) -> str:
        return Path(self.name.removesuffix(".gz")).suffix.lower()

    @property
    def plain_path(self) -> Path | None:
        """The file, if a library can read it as it is."""
        return None if self.raw is not None or self._first.startswith(_GZIP) else self.path

    @cached_property
    def _first(self) -> bytes:
        return self._stored(_HEAD)

    @cached_property
    def head(self) -> bytes:
        """The first bytes, unpacked."""
        if not self._first.startswith(_GZIP):
            return self._first
        try:
            return zlib.decompressobj(wbits=31).decompress(self._first, _HEAD)
        except zlib.error as error:
            raise Problem(f"{self.name} is a damaged gzip file: {error}.") from None

    @property
    def content(self) -> bytes:
        """All bytes, unpacked."""
        raw = self._stored()
        if not raw.startswith(_GZIP):
            return raw
        try:
            return gzip.decompress(raw)
        except (EOFError, OSError, zlib.error) as error:
            raise Problem(f"{self.name} is a damaged gzip file: {error}.") from None

    @cached_property
    def text(self) -> str:
        """All of it as text."""
        content = self.content
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Problem(f"{self.name} is UTF-16 text: convert it to UTF-8.")
        if b"\0" in content:
            what = FORMATS[self.format].what
            raise Problem(f"{self.name} is binary, not {what}: name its kind with --format.")
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise Problem(
                f"{self.name} is not UTF-8 text at line {line}: convert it first, such as by"
                " iconv -f latin1 -t utf-8."
            ) from None

    @property
    def sha256(self) -> str:
        if self.raw is not None:
            return hashlib.sha256(self.raw).hexdigest()
        assert self.path is not None
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def forget(self) -> None:
        """Let go of what was read."""
        self.__dict__.pop("text", None)
        self.raw = None

    def _stored(self, most: int | None = None) -> bytes:
        if self.raw is not None:
            return self.raw[:most]
        assert self.path is not None
        return _bytes(self.path, most)


def open_source(file: str, wanted: str | None = None) -> Source:
    """The file of this name; "-" is standard input."""
    if wanted is not None and wanted not in FORMATS:
        raise unknown("--format", wanted, FORMATS)
    path = Path(file)
    if file == "-":
        source = Source("standard input", None, sys.stdin.buffer.read(), wanted)
    elif path.is_file() or path.is_dir() or not path.exists():
        source = Source(path.name, path, None, wanted)
    else:
        source = Source(path.name, path, _bytes(path), wanted)
    if not source.head.strip():
        raise Problem(f"{source.name} is empty: give a file with data.")
    return source


def _bytes(path: Path, most: int | None = None) -> bytes:
    """The bytes of a file, or the first of them, or why it has none."""
    if path.is_dir():
        raise Problem(f"{path} is a folder: give a file.")
    try:
        with path.open("rb") as file:
            return file.read(-1 if most is None else most)
    except FileNotFoundError:
        raise Problem(f"{path} is not there: check the name.") from None
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from None
