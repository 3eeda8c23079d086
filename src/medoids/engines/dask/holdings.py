"""What one worker holds: partitions, rows that every worker has, and distances that are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._threads import Workers
from ..._tuning import Tuning
from ..._types import Indices
from ...data.kinds import Data
from ..cpu import kernels
from ..cpu.kernels.tuples import Clips
from ..cpu.points.across import Space
from ..cpu.step import Step, Whole
from ..protocol import Values
from .answers import Loaded, Sums
from .columns import Columns, Level, Room
from .orders import REFERENCES, Entry, Ground, Rows
from .part import Part
from .reader import Reader

# The first references that tell what is usual.
_JUDGES = 512
# Bytes of distances that are computed at a time and not kept.
AT_ONCE = 2**25
# Arms whose distances to all points are kept, at most.
_ROWS = 4096
# How many sets of rows are laid out, besides the references.
_BOOKS = 64


class Holdings:
    """Some partitions, and what is kept of the distances from and to their points.

    Parameters
    ----------
    reader : Reader
        Makes of what the user gave what can be computed with.
    numbers : sequence of int
        Which partitions they are.
    things, weights : sequence
        What each holds; and the weights of its rows, or None.
    workers : Workers
    tuning : Tuning
    room : float
        Bytes for distances that are kept, unless the ground says otherwise.
    """

    def __init__(
        self,
        reader: Reader,
        numbers: Sequence[int],
        things: Sequence[Any],
        weights: Sequence[Any] | None,
        workers: Workers,
        tuning: Tuning,
        room: float,
    ) -> None:
        self.reader, self.numbers, self.workers = reader, list(numbers), workers
        self.tuning, self._room = tuning, room
        given = [None] * len(self.numbers) if weights is None else weights
        self._data: dict[int, Data] = {}  # of partitions that are not empty
        self._weights: dict[int, Values | None] = {}
        for number, some, weight in zip(numbers, things, given, strict=True):
            data = reader.read_partition(number, some)
            if data is not None:
                self._data[number] = data
            self._weights[number] = reader.weights(number, weight, reader.count(some))
        self.parts: list[Part] = []
        self._ground: Ground | None = None
        self._books: dict[str, Part] = {}
        # Distances from some arms to all points of each part, and the row of each arm there.
        self._rows: list[NDArray[np.float32]] = []
        self._slots: dict[int, int] = {}
        self._next = 0
        self._levels: dict[tuple[int, str], Level] = {}
        self._for_levels = Room(0.0)
        # For each name of references, distances to them from arms that have led.
        self.led: dict[str, dict[int, Any]] = {}
        self._counted = 0
        self.k = 0  # medoids now

    def load(self) -> Loaded:
        described, row_bytes, cost = None, 0.0, 0.0
        for data in self._data.values():
            one = self.reader.describe(data, self.workers)
            described = one if described is None else described.joined(one)
            row_bytes = max(row_bytes, self.reader.row_bytes(data))
            cost = max(cost, self.reader.cost(data))
        found = [each for each in self._weights.values() if each is not None and len(each)]
        weights = None
        if found:
            every = np.concatenate(found)
            weights = float(every.min()), float(every.max()), int((every > 0).sum())
        sizes = dict.fromkeys(self.numbers, 0)
        sizes |= {number: data.n for number, data in self._data.items()}
        return Loaded(sizes, described, weights, row_bytes, cost, self._room)

    def take_count(self) -> int:
        """Distances computed since this was asked before."""
        total = self.space.n_distances if self.parts or self._books else 0
        new, self._counted = total - self._counted, total
        return new

    def begin(self, ground: Ground) -> None:
        if self._ground is not None:
            return
        self._ground, self.ground = ground, ground
        self.room = self._room if ground.room is None else ground.room
        self.n = sum(data.n for data in self._data.values())
        # Where the rows of each partition are in the order of the references.
        self.hashes = {
            number: kernels.mixed(self._rows_of(number), np.uint64(ground.seed))
            for number in self._data
        }

    def _rows_of(self, number: int) -> Indices:
        """Which rows of all data a partition has."""
        start = self.ground.starts[number]
        return np.arange(start, start + self._data[number].n)

    def lay_out(self, first: Rows) -> None:
        """Make the parts, once the first references tell what all have in common."""
        if self._books:
            return
        ground, tuning = self.ground, self.tuning
        model = next(iter(self._data.values()), None)
        if model is None:
            model = self.reader.read(first.things)
        self._model = model
        self.space: Space = self.reader.space(
            model, ground.described, self.workers, 0.25 * self.room
        )
        name = f"{REFERENCES}0"
        self._books[name] = self._part_of(first)
        self.space.settle(self._books[name].side, ground.n)
        k = ground.n_clusters
        kept = k if 8.0 * self.n * k <= tuning.medoid_rows * self.room else 0
        near = self._kept()
        self._groups = self._grouped(near)
        self.order = []
        for numbers in self._groups:
            self.parts.append(self._part(numbers, kept))
            self.order.append(np.concatenate([self.hashes[number] for number in numbers]))
        some = np.arange(min(_JUDGES, first.ids.size))
        judges = Rows(
            first.ids[some],
            self.reader.pick(first.things, some),
            None if first.weights is None else first.weights[some],
        )
        self.judges = self._part_of(judges)
        more = ground.first // 4 + tuning.seen * k + 8
        refs, self.columns = self._books[name], []
        for part, numbers in zip(self.parts, self._groups, strict=True):
            for_sums = tuning.sums * self.room * part.n / self.n
            self.columns.append(Columns(part, refs, more, numbers[0] in near, k, for_sums))
        self.judging = Columns(self.judges, refs, more, True, k, tuning.sums * self.room)
        self._for_levels = Room(tuning.levels * self.room)
        # They take address space alone until they are written.
        self._room_for_rows = min(int(tuning.rows * self.room // (4 * max(self.n, 1))), _ROWS)
        shape = self._room_for_rows
        self._rows = [np.empty((shape, part.n), dtype=np.float32) for part in self.parts]
        self.room_for_exact = max(int(tuning.exact_rows * self.room // (8 * max(self.n, 1))), 1)

    def _kept(self) -> set[int]:
        """The partitions whose distances to the first references there is room for."""
        found, left = set(), self.tuning.columns * self.room
        for number in sorted(self._data):
            # A quarter more lines are seen besides.
            needed = 5.0 * self._data[number].n * self.ground.first
            if needed <= left:
                found.add(number)
                left -= needed
        return found

    def _grouped(self, kept: set[int]) -> list[list[int]]:
        """Partitions that are one part, if the space stacks them: those kept, and all others."""
        numbers = sorted(self._data)
        if not self.space.stacks:
            return [[number] for number in numbers]
        both = [i for i in numbers if i in kept], [i for i in numbers if i not in kept]
        return [some for some in both if some]

    def _part(self, numbers: list[int], kept: int) -> Part:
        """Some partitions, laid out as one."""
        sets = [self._data[number] for number in numbers]
        side = self.space.side(self.space.stacked(sets))
        rows = np.concatenate([self._rows_of(number) for number in numbers])
        given = [self._weights[number] for number in numbers]
        weighed = [each for each in given if each is not None]
        weights = None
        if weighed and self.ground.heaviest is not None:
            weights = np.concatenate(weighed) / self.ground.scale
        return Part(self.space, side, rows, weights, kept, self.ground.fixed)

    def labels(self) -> dict[int, NDArray[np.int32]]:
        """The position of each point's medoid, by the row that a partition begins with."""
        found = {}
        for part, numbers in zip(self.parts, self._groups, strict=True):
            stops = np.cumsum([self._data[number].n for number in numbers])
            for number, some in zip(numbers, np.split(part.state.owner, stops[:-1]), strict=True):
                found[self.ground.starts[number]] = some
        return found

    def _part_of(self, rows: Rows) -> Part:
        side = self.space.side(self.reader.like(self._model, rows.things))
        weights = None
        if rows.weights is not None and self.ground.heaviest is not None:
            weights = rows.weights / self.ground.scale
        return Part(self.space, side, rows.ids, weights, self.ground.n_clusters, self.ground.fixed)

    def book(self, name: str, payloads: Mapping[str, Rows]) -> Part:
        """Rows that every worker is given, laid out."""
        if name not in self._books:
            others = [each for each in self._books if not each.startswith(REFERENCES)]
            for old in others[: max(len(others) - _BOOKS, 0)]:
                del self._books[old]
            self._books[name] = self._part_of(payloads[name])
        return self._books[name]

    def follow(self, part: Part, medoids: Sequence[int], book: Part | None) -> None:
        if medoids and book is not None:
            part.follow(medoids, book)
        elif part.state.k:
            part.state.clear()

    def totals(
        self, payloads: Mapping[str, Rows], entries: Sequence[Entry], swap: bool, whole: Whole
    ) -> Sums:
        """The sums of arms' rewards at all points; and what is added where each medoid goes."""
        books = [(self.book(name, payloads), at) for name, at in entries]
        ids = np.concatenate([book.ids[at] for book, at in books])
        homes = np.full(len(ids), -1)
        for part in self.parts:
            local = part.local(ids)
            homes[local >= 0] = part.state.owner[local[local >= 0]]
        for book, at in books:
            self._keep_rows(book, at[[arm not in self._slots for arm in book.ids[at].tolist()]])
        sums = np.zeros(len(ids)), np.zeros((len(ids), max(self.k, 1)))
        steps = [Step(part.state, swap, whole) for part in self.parts]
        slots = np.array([self._slots.get(arm, -1) for arm in ids.tolist()])
        known = np.flatnonzero(slots >= 0)
        for step, rows in zip(steps, self._rows, strict=True):
            _add(sums, known, step.sums(rows, slots[known], self.workers, step.clips))
        start = 0
        for book, at in books:
            left = np.flatnonzero(slots[start : start + len(at)] < 0)
            if len(left):
                self._add_apart(book, at[left], steps, sums, start + left)
            start += len(at)
        return Sums(*sums, homes)

    def _add_apart(
        self, book: Part, places: Indices, steps: Sequence[Step], sums: tuple[Values, Values],
        where: Indices,
    ) -> None:  # fmt: skip
        """Add the sums of arms for whose rows there is no room."""
        size = max(AT_ONCE // (4 * len(places)), 1024)
        for part, step in zip(self.parts, steps, strict=True):
            for start in range(0, part.n, size):
                points = np.arange(start, min(start + size, part.n))
                block = np.empty((len(places), len(points)), dtype=np.float32)
                part.measure(book.side, places, block, points)
                clips = Clips(*(each[start : start + size] for each in step.clips))  # type: ignore[arg-type]
                _add(sums, where, step.sums(block, np.arange(len(places)), self.workers, clips))

    def _keep_rows(self, book: Part, places: Indices) -> None:
        """Keep the distances from arms to all points, as far as there is room."""
        places = places[: self._room_for_rows]
        if not len(places):
            return
        start = self._next if self._next + len(places) <= self._room_for_rows else 0
        stop = self._next = start + len(places)
        self._slots = {a: slot for a, slot in self._slots.items() if not start <= slot < stop}
        for part, rows in zip(self.parts, self._rows, strict=True):
            part.measure(book.side, places, rows[start:stop])
        self._slots |= dict(zip(book.ids[places].tolist(), range(start, stop), strict=True))

    def level(self, p: int, name: str, refs: Part) -> Level:
        """What is kept of the distances from the arms of a part to a stretch of references."""
        if (p, name) not in self._levels:
            part, columns = self.parts[p], self.columns[p]

            def fill(arms: Indices, out: NDArray[np.float32]) -> None:
                refs.measure(part.side, arms, out)

            is_first = name == f"{REFERENCES}0"  # these are columns, to be turned
            self._levels[p, name] = Level(
                part.n, refs.n, columns.rows if is_first else fill, self._for_levels
            )
        return self._levels[p, name]

    def lines(self, swap: bool) -> list[int]:
        """How many lower bounds of each arm are kept, for each part.

        In SWAP one for every medoid and one more, as far as there is room, and the distances to the
        references are kept that carry them on.
        """
        worth = swap and self.k >= max(self.tuning.worth_carrying, 2)
        fits = worth and 4.0 * self.k * self.n <= self.tuning.bounds * self.room
        return [self.k + 1 if fits and columns.kept else 1 for columns in self.columns]

    @property
    def rows_kept(self) -> list[int]:
        """The arms whose distances to all points are kept."""
        return list(self._slots)

    def open(self, part: Part) -> Indices:
        """The points of a part that may be medoids and are none."""
        open_ = np.ones(part.n, dtype=bool)
        if self.ground.allowed is not None:
            open_ = np.isin(part.ids, self.ground.allowed, assume_unique=True)
        mine = part.local(np.array(part.state.medoids, dtype=np.int64))
        open_[mine[mine >= 0]] = False
        return np.flatnonzero(open_)


def _add(sums: tuple[Values, Values], where: Indices, more: tuple[Values, Values]) -> None:
    """Add to the sums of some arms."""
    for total, each in zip(sums, more, strict=True):
        total[where] += each


def alone(reader: Reader, rows: Rows, ground: Ground) -> Part:
    """Some rows as points of their own, beside all shards."""
    model = reader.read(rows.things)
    space = reader.on_host().space(model, ground.described, Workers(1), np.inf)
    side = space.side(model)
    space.settle(side, ground.n)
    weights = None if rows.weights is None or ground.heaviest is None else rows.weights
    weights = None if weights is None else weights / ground.scale
    return Part(space, side, rows.ids, weights, 0, 0)
