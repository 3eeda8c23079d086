"""A cluster of two workers of one thread, against one process with two threads.

    python benchmarks/dask.py                    # all parts but "huge"
    python benchmarks/dask.py --only mnist slope
    python benchmarks/dask.py --only huge        # 10,000,000 x 32, made on the workers

Every part is timed beside what it is compared with, in the same run. Where the machine has other
work, seconds of CPU time tell more than the clock: both are in the table. Results go to
`results/dask.json`, and the tables to `results/dask.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# This file is called as the package that it measures: let that be found, not this.
_HERE = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != _HERE]

import dask.array as da  # noqa: E402
import numpy as np  # noqa: E402
import psutil  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

from medoids import KMedoids  # noqa: E402
from medoids.dask import KMedoids as DaskKMedoids  # noqa: E402
from medoids.datasets import load_mnist  # noqa: E402

RESULTS = _HERE / "results"


@contextmanager
def cluster(workers: int, d: int = 16) -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as local,
        Client(local) as client,
    ):
        # Workers import the package, and load what is compiled, before anything is timed.
        rows = da.random.normal(size=(6000, d), chunks=(1500, -1)).astype(np.float32)
        DaskKMedoids(3, client=client, random_state=0).fit(client.persist(rows))
        yield client


def measured(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What work gives; seconds by the clock, and of CPU time of this process and its children."""
    before, start = cpu_seconds(), time.perf_counter()
    found = work()
    seconds = time.perf_counter() - start
    after = cpu_seconds()
    return found, {
        "seconds": seconds,
        "cpu": sum(after.values()) - sum(before.get(pid, 0.0) for pid in after),
        "busiest": max(after[pid] - before.get(pid, 0.0) for pid in after),
    }


def cpu_seconds() -> dict[int, float]:
    me = psutil.Process()
    found = {}
    for process in [me, *me.children(recursive=True)]:
        times = process.cpu_times()
        found[process.pid] = times.user + times.system
    return found


def peaks() -> list[float]:
    """The most memory that each process has had, in MB: this one first."""
    me = psutil.Process()
    found = []
    for process in [me, *me.children(recursive=True)]:
        text = Path(f"/proc/{process.pid}/status").read_text()
        line = next(line for line in text.splitlines() if line.startswith("VmHWM"))
        found.append(int(line.split()[1]) / 1024)
    return found


def block(block_id: tuple[int, int], rows: int, d: int, groups: int) -> np.ndarray:
    """Rows of a mixture, the same for every size of the whole."""
    centres = np.random.default_rng(0).normal(size=(groups, d)) * 2
    rng = np.random.default_rng([1, block_id[0]])
    found = centres[rng.integers(groups, size=rows)] + rng.normal(size=(rows, d))
    return found.astype(np.float32)


def mixture(n: int, d: int, groups: int, rows: int) -> Any:
    """Made on the workers."""
    return da.map_blocks(
        lambda block_id: block(block_id, rows, d, groups), chunks=((rows,) * (n // rows), (d,)),
        dtype=np.float32, meta=np.empty((0, 0), np.float32),
    )  # fmt: skip


def fit(client: Client, X: Any, k: int, **params: Any) -> dict[str, Any]:
    X = client.persist(X)
    client.gather(client.compute(X.sum()))
    km, took = measured(lambda: DaskKMedoids(k, client=client, random_state=0, **params).fit(X))
    return took | {
        "n": X.shape[0], "d": X.shape[1], "k": k, "rounds": km.n_rounds_, "swaps": km.n_iter_,
        "mb_sent": km.n_bytes_ / 1e6, "distances": km.n_distances_, "loss": km.inertia_,
        "medoids": km.medoid_indices_.tolist(), "steps": len(km.history_),
    }  # fmt: skip


def rounds() -> dict[str, Any]:
    """What a round costs that asks for nothing, and what two bare tasks cost."""
    from medoids._tuning import Tuning
    from medoids.engines.dask.cluster import OnCluster
    from medoids.engines.dask.common import Common
    from medoids.engines.dask.engine import DaskEngine
    from medoids.engines.dask.reader import Reader

    with cluster(2) as client:
        X = client.persist(da.random.random((20_000, 8), chunks=(5000, -1)))
        blocks = client.compute(list(X.to_delayed()[:, 0]))
        way = OnCluster(client, blocks, None, Reader("euclidean", None), Tuning(), None)
        engine = DaskEngine(Common(way, 5, 0, Tuning()), 5)
        engine.start([1, 2, 3, 4, 5])
        ours, bare = [], []
        for i in range(200):
            start = time.perf_counter()
            engine._ask("settled")
            middle = time.perf_counter()
            client.gather([client.submit(int, 2 * i + j, pure=False) for j in range(2)])
            ours.append(middle - start)
            bare.append(time.perf_counter() - middle)
        way.close()
    return {name: [float(1e3 * np.quantile(each, q)) for q in (0.1, 0.5, 0.9)]
            for name, each in (("ours", ours), ("bare", bare))}  # fmt: skip


def mnist(n: int) -> dict[str, Any]:
    X = load_mnist()[0][:n].astype(np.float32)
    KMedoids(3, random_state=0, n_jobs=2).fit(X[:6000])
    km, one = measured(lambda: KMedoids(10, random_state=0, n_jobs=2).fit(X))
    with cluster(2, 784) as client:
        blocks = [client.scatter(part) for part in np.array_split(X, 4)]
        lazy = da.concatenate(
            [da.from_delayed(_delayed(part), (size, X.shape[1]), X.dtype)
             for part, size in zip(blocks, [len(p) for p in np.array_split(X, 4)], strict=True)]
        )  # fmt: skip
        two = fit(client, lazy, 10)
        two["peaks"] = peaks()
    same = sorted(two["medoids"]) == sorted(km.medoid_indices_.tolist())
    return {"one": one | {"distances": km.n_distances_}, "two": two, "same": same}


def _delayed(future: Any) -> Any:
    from dask import delayed

    return delayed(future)


def workers(n: int) -> dict[str, Any]:
    found = {}
    for count in (1, 2):
        with cluster(count) as client:
            found[str(count)] = fit(client, mixture(n, 16, 10, n // 8), 10)
    return found


def slope(sizes: list[int]) -> dict[str, Any]:
    with cluster(2) as client:
        runs = [fit(client, mixture(n, 16, 10, n // 8), 10) for n in sizes]
        return {"runs": runs, "peaks": peaks()}


def huge(n: int) -> dict[str, Any]:
    with cluster(2) as client:
        found = fit(client, mixture(n, 32, 20, n // 40), 20, swap="eager", memory_limit="1GB")
        return found | {"peaks": peaks()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = ["rounds", "mnist", "workers", "slope", "huge"]
    parser.add_argument("--only", nargs="+", choices=parts, default=parts[:-1])
    parser.add_argument("--mnist", type=int, default=70_000)
    parser.add_argument("--workers", type=int, default=2_000_000)
    parser.add_argument("--slope", type=int, nargs="+", default=[100_000, 1_000_000, 4_000_000])
    parser.add_argument("--huge", type=int, default=10_000_000)
    args = parser.parse_args()
    path = RESULTS / "dask.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    for part in args.only:
        load = os.getloadavg()[0]
        sizes = {
            "mnist": args.mnist,
            "workers": args.workers,
            "slope": args.slope,
            "huge": args.huge,
        }
        found = globals()[part](*([sizes[part]] if part in sizes else []))
        kept[part] = found | {"load": load}
        path.write_text(json.dumps(kept, indent=1) + "\n")
        (RESULTS / "dask.md").write_text(table(kept))
    print(table(kept))


def table(kept: dict[str, Any]) -> str:
    lines = [
        "# A cluster of two workers", "",
        "`python benchmarks/dask.py`. Workers have one thread each, and are on one machine of"
        f" {os.cpu_count()} cores with the client and the scheduler, which has other work too: the"
        " load is the mean number of processes that were ready to run when a part began. CPU is"
        " the time of all processes; of the busiest in brackets. Sent are rows to all workers.", "",
    ]  # fmt: skip
    if "rounds" in kept:
        row = kept["rounds"]
        lines += [
            f"An empty round takes {row['ours'][1]:.0f} ms (a tenth of them less than"
            f" {row['ours'][0]:.0f}, a tenth more than {row['ours'][2]:.0f}); two bare tasks"
            f" {row['bare'][1]:.0f} ms ({row['bare'][0]:.0f}, {row['bare'][2]:.0f}). Load"
            f" {row['load']:.1f}.", "",
        ]  # fmt: skip
    head = ["| | n | seconds | CPU s | distances / n | steps | rounds | MB sent | peak MB | load |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---|---:|"]  # fmt: skip
    if "mnist" in kept:
        row = kept["mnist"]
        one, two = row["one"], row["two"]
        lines += ["## MNIST, k = 10", "", *head]
        lines.append(
            f"| one process, two threads | {two['n']:,} | {one['seconds']:.1f} | {one['cpu']:.1f} |"
            f" {one['distances'] / two['n']:,.0f} | | | | | {row['load']:.1f} |"
        )
        lines += [_line("two workers", two, row["load"]), ""]
        lines += [
            f"{'The same medoids' if row['same'] else 'OTHER medoids'}; the cluster takes"
            f" {two['seconds'] / one['seconds']:.2f} times as long, and"
            f" {two['cpu'] / one['cpu']:.2f} times the CPU time.", "",
        ]  # fmt: skip
    if "workers" in kept:
        row = kept["workers"]
        lines += [f"## Mixture, {row['1']['d']} columns, k = 10", "", *head]
        lines += [_line(f"{c} worker{'s' * (c > 1)}", row[str(c)], row["load"]) for c in (1, 2)]
        gain = row["1"]["seconds"] / row["2"]["seconds"]
        each = row["1"]["busiest"] / row["2"]["busiest"]
        lines += ["", f"Two workers are {gain:.2f} times as fast as one; the busiest process has"
                  f" {each:.2f} times less to do.", ""]  # fmt: skip
    if "slope" in kept:
        row = kept["slope"]
        runs = row["runs"]
        lines += ["## How time grows with n", "", *head]
        lines += [_line("two workers", run, row["load"]) for run in runs]
        logs = [np.log([run[what] for run in runs]) for what in ("n", "seconds", "cpu", "busiest")]
        clock, cpu, busiest = (np.polyfit(logs[0], each, 1)[0] for each in logs[1:])
        lines += ["", f"Slopes in logarithms: {clock:.2f} by the clock, {cpu:.2f} of CPU time,"
                  f" {busiest:.2f} of the busiest process.", ""]  # fmt: skip
    if "huge" in kept:
        row = kept["huge"]
        lines += [f"## {row['n']:,} x {row['d']}, k = {row['k']}, eager", "", *head]
        lines += [_line("two workers", row, row["load"]), ""]
    return "\n".join(lines) + "\n"


def _line(name: str, run: dict[str, Any], load: float) -> str:
    peaks = ", ".join(f"{each:,.0f}" for each in run.get("peaks", []) if each > 50)
    return (
        f"| {name} | {run['n']:,} | {run['seconds']:.1f} | {run['cpu']:.1f}"
        f" ({run['busiest']:.1f}) |"
        f" {run['distances'] / run['n']:,.0f} | {run['steps']} | {run['rounds']} |"
        f" {run['mb_sent']:.1f} | {peaks} | {load:.1f} |"
    )


if __name__ == "__main__":
    main()
