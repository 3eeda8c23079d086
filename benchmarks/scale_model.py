"""A model of what a fit on a cluster costs: `python benchmarks/scale_model.py` prints its tables.

docs/scale.md explains it. The constants were measured on one core of the machine that
`results/dask.md` is from, in CPU time; `RUNS` are fits that the model is held against, with both
shards in one process (`InProcess`), so that no clock and no network is in them.
"""

from __future__ import annotations

from typing import NamedTuple

# As in `medoids/engines/dask/messages.py`.
FAN = 8


class Machine(NamedTuple):
    """What things cost.

    Attributes
    ----------
    reward : float
        Seconds for a reward that is estimated, on one core.
    distance, column : float
        Seconds for a distance: a part that is always there, and one for each column.
    latency, message : float
        Seconds for a message and its answer, and for each of those that a process sends and takes
        one after the other: at most `FAN`, to others that pass it on.
    bandwidth : float
        Bytes a second from worker to worker.
    """

    reward: float = 2.5e-9
    distance: float = 2e-9
    column: float = 1 / 20 * 1e-9
    latency: float = 1.5e-3
    message: float = 0.5e-3
    bandwidth: float = 1e9


class Fit(NamedTuple):
    """A fit: rows, columns, clusters, steps (k and swaps), and what was measured of such.

    Attributes
    ----------
    distances : float
        Computed for each row, where the first ones are kept.
    refined : float
        Rewards of deeper references for each row and step, as a share of the first ones.
    rounds : float
        For each step.
    kept : bool
        There is memory for the distances to the first references; else every step computes them.
    references : int or None
        The first ones, if not 100 for each cluster and 512 at least.
    """

    n: float
    d: int
    k: int
    steps: int
    distances: float = 1300.0
    refined: float = 0.15
    rounds: float = 10.0
    kept: bool = True
    references: int | None = None

    @property
    def first(self) -> int:
        return self.references or max(512, 100 * self.k)


class Cost(NamedTuple):
    """Seconds by kind, and bytes: of columns that are kept, and of rows that each worker gets."""

    compute: float
    latency: float
    broadcast: float
    columns: float
    sent: float

    @property
    def total(self) -> float:
        return self.compute + self.latency + self.broadcast


def cost(fit: Fit, workers: int, cores: int, machine: Machine) -> Cost:
    """What a fit costs on so many workers of so many cores."""
    rewards = fit.steps * fit.n * fit.first * (1 + fit.refined)
    distances = fit.distances * fit.n
    if not fit.kept:
        distances += (fit.steps - 1) * fit.n * fit.first
    each = machine.distance + machine.column * fit.d
    compute = (rewards * machine.reward + distances * each) / (workers * cores)
    levels = 1
    while FAN * (FAN**levels - 1) // (FAN - 1) < workers:
        levels += 1
    each_level = machine.latency + min(workers, FAN) * machine.message
    latency = fit.rounds * fit.steps * levels * each_level
    # References up to 16 times the first, and some leaders of each cluster in each step.
    rows = 16 * fit.first + 4 * fit.k * fit.steps
    sent = 4.0 * fit.d * rows
    # Who has rows gives them to others: twice as many have them after each turn.
    turns = max(workers - 1, 1).bit_length()
    return Cost(compute, latency, sent * turns / machine.bandwidth, 4 * fit.n * fit.first, sent)


# n, steps, all distances that were computed for each row, first references, CPU seconds: 16
# columns, k = 10. The last one has too little memory to keep them.
RUNS = [
    (50_000, 14, 1345, 1000, 3.1),
    (200_000, 14, 1252, 1000, 8.9),
    (400_000, 14, 8566, 512, 19.4),
]


def main() -> None:
    print("| n | CPU seconds | model |\n|---:|---:|---:|")
    for n, steps, distances, first, seconds in RUNS:
        fit = Fit(n, 16, 10, steps, distances, references=first)
        print(f"| {n:,} | {seconds:.1f} | {cost(fit, 1, 1, Machine()).compute:.1f} |")
    print()
    fit = Fit(1e9, 768, 10, 30)
    print("| fit | workers | compute | rounds | rows sent | in all | columns kept, each |")
    print("|---|---|---:|---:|---:|---:|---:|")
    workers, cores = 100, 32
    for name, some in [
        ("k = 10", fit),
        ("k = 10, columns not kept", fit._replace(kept=False)),
        ("k = 100", fit._replace(k=100, steps=250)),
        ("k = 10,000", fit._replace(k=10_000, steps=20_000)),
    ]:
        found = cost(some, workers, cores, Machine())
        print(
            f"| {name} | {workers} x {cores} | {found.compute:,.0f} s | {found.latency:,.0f} s |"
            f" {found.broadcast:,.1f} s ({found.sent / 1e6:,.0f} MB each) | {found.total:,.0f} s |"
            f" {found.columns / workers / 1e9 if some.kept else 0:,.0f} GB |"
        )


if __name__ == "__main__":
    main()
