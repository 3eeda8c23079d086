"""What goes between the client of a cluster and its shards, and on which way: a tree of shards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from distributed.protocol.pickle import dumps, loads

from ..._tuning import Tuning
from ..._types import Indices
from .answers import Loaded, join
from .orders import Ground, Order
from .reader import Reader
from .transport import Answer

# A message goes to so many shards, and from each of them to as many.
FAN = 8


def above_of(number: int, count: int) -> int | None:
    """The shard, if there are so many, that gives rows to another; None: it asks who has them."""
    if not number or count <= FAN:
        return None
    return number // FAN - 1 if number >= FAN else 0


def below_of(number: int, count: int) -> range:
    """The shards that hear of an order from this one, if there are so many."""
    return range(min(FAN * (number + 1), count), min(FAN * (number + 2), count))


def packed(said: Any) -> bytes:
    """A short answer as one piece: in many, as arrays are sent, it takes longer on its way."""
    found: bytes = dumps(said)
    return found


def unpacked(said: Any) -> Any:
    """An answer that may be packed."""
    return loads(said) if isinstance(said, bytes) else said


class Fit(NamedTuple):
    """What every shard of a fit is made with.

    Attributes
    ----------
    name : str
        It is like no other.
    owners : tuple of int
        The shard that has each partition.
    reader : Reader
    tuning : Tuning
    jobs : int or None
        Threads of a shard; None is as many as its worker has.
    """

    name: str
    owners: tuple[int, ...]
    reader: Reader
    tuning: Tuning
    jobs: int | None


class Placed(NamedTuple):
    """What a shard has loaded, and the address of its worker."""

    loaded: Loaded
    worker: str


class Call(NamedTuple):
    """One round as it goes to the shards.

    Attributes
    ----------
    fit : str
        Its name.
    places : tuple of str
        The address of each shard's worker.
    order : Order or None
        None asks for the rows alone.
    names : tuple of str
        Rows that it needs.
    ids : dict of str to ndarray of int
        Which these are: of those that were not named before, or of all.
    released : tuple of str
        Rows that are needed no more.
    ground : Ground or None
        None, if it was sent before.
    alone : bool
        The shard that is asked does not pass it on.
    """

    fit: str
    places: tuple[str, ...]
    order: Order | None
    names: tuple[str, ...]
    ids: Mapping[str, Indices]
    released: tuple[str, ...]
    ground: Ground | None
    alone: bool


class Reply(NamedTuple):
    """What shards say to a call.

    Attributes
    ----------
    answer : Answer or None
    lost : tuple of int
        Shards that could not be reached, or are not known where they should be.
    lacks : bool
        Some shard was not told which rows are meant, or what the ground is.
    error : Exception or None
        What went wrong in a shard's work.
    seconds : float
        What the slowest of them took.
    """

    answer: Answer | None = None
    lost: tuple[int, ...] = ()
    lacks: bool = False
    error: Exception | None = None
    seconds: float = 0.0

    def joined(self, other: Reply) -> Reply:
        return Reply(
            join(self.answer, other.answer), self.lost + other.lost, self.lacks or other.lacks,
            self.error or other.error, max(self.seconds, other.seconds),
        )  # fmt: skip
