"""One case of `on_dask.py` in a process of its own; the result is one line of JSON on stdout.

python _dask_child.py rounds
python _dask_child.py mnist N K
python _dask_child.py mixture N D K --workers W --parts P [--swap eager] [--memory 1GB]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import psutil
from dask import delayed
from distributed import Client, LocalCluster

from medoids import KMedoids
from medoids.dask import KMedoids as DaskKMedoids
from medoids.datasets import load_mnist

# So often a fit in one process and one on the cluster are measured, one after the other.
TURNS = 3


@contextmanager
def cluster(workers: int, d: int, swap: str = "best") -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as local,
        Client(local) as client,
    ):
        # Workers import the package, and load what is compiled, before anything is timed.
        rows = da.random.normal(size=(6000, d), chunks=(1500, -1)).astype(np.float32)
        DaskKMedoids(3, client=client, random_state=0, swap=swap).fit(client.persist(rows))
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
    return {p.pid: sum(p.cpu_times()[:2]) for p in processes()}


def processes() -> list[psutil.Process]:
    """This one, and those that it has started."""
    me = psutil.Process()
    return [me, *me.children(recursive=True)]


def peaks(client: Client) -> dict[str, list[float]]:
    """The most memory that each process has had, in MB."""
    workers = set(client.run(_pid).values())
    found: dict[str, list[float]] = {"client and scheduler": [], "workers": [], "others": []}
    for i, process in enumerate(processes()):
        text = Path(f"/proc/{process.pid}/status").read_text()
        line = next(line for line in text.splitlines() if line.startswith("VmHWM"))
        kind = "workers" if process.pid in workers else "others" if i else "client and scheduler"
        found[kind].append(int(line.split()[1]) * 1024 / 1e6)
    return found


def _pid() -> int:
    return psutil.Process().pid


def block(block_id: tuple[int, int], rows: int, d: int, groups: int) -> np.ndarray:
    """Rows of a mixture, the same for every size of the whole."""
    centres = np.random.default_rng(0).normal(size=(groups, d)) * 2
    rng = np.random.default_rng([1, block_id[0]])
    found = rng.standard_normal(size=(rows, d), dtype=np.float32)
    found += centres.astype(np.float32)[rng.integers(groups, size=rows)]
    return found


def on_workers(n: int, d: int, groups: int, parts: int) -> Any:
    """A mixture, made on the workers."""
    rows = n // parts
    return da.map_blocks(
        lambda block_id: block(block_id, rows, d, groups), chunks=((rows,) * parts, (d,)),
        dtype=np.float32, meta=np.empty((0, 0), np.float32),
    )  # fmt: skip


def fit(client: Client, X: Any, k: int, **params: Any) -> dict[str, Any]:
    X = client.persist(X)
    client.gather(client.compute(X.sum()))
    km, took = measured(lambda: DaskKMedoids(k, client=client, random_state=0, **params).fit(X))
    return took | {
        "n": X.shape[0], "d": X.shape[1], "k": k, "rounds": km.n_rounds_, "swaps": km.n_iter_,
        "mb_sent": km.n_bytes_ / 1e6, "distances": km.n_distances_, "loss": km.inertia_,
        "medoids": km.medoid_indices_.tolist(), "steps": len(km.history_), "peaks": peaks(client),
    }  # fmt: skip


def mixture(n: int, d: int, k: int, args: argparse.Namespace) -> dict[str, Any]:
    with cluster(args.workers, d, args.swap) as client:
        X = on_workers(n, d, k, args.parts)
        return fit(client, X, k, swap=args.swap, memory_limit=args.memory)


def mnist(n: int, k: int) -> dict[str, Any]:
    """One process with two threads, and the cluster, in turns: both see what else runs here."""
    X = load_mnist()[0][:n].astype(np.float32)
    KMedoids(3, random_state=0, n_jobs=2).fit(X[:6000])
    runs: dict[str, list[dict[str, Any]]] = {"one": [], "two": []}
    with cluster(2, 784) as client:
        parts = np.array_split(X, 4)
        lazy = [
            da.from_delayed(delayed(client.scatter(part)), part.shape, X.dtype) for part in parts
        ]
        for _ in range(TURNS):
            runs["one"].append(one(X, k))
            Path("/proc/self/clear_refs").write_text("5")  # the peak so far was of that fit
            runs["two"].append(fit(client, da.concatenate(lazy), k))
    return {name: typical(some) for name, some in runs.items()}


def one(X: np.ndarray, k: int) -> dict[str, Any]:
    """One process with two threads."""
    km, took = measured(lambda: KMedoids(k, random_state=0, n_jobs=2).fit(X))
    medoids = km.medoid_indices_.tolist()
    return took | {"n": len(X), "k": k, "distances": km.n_distances_, "medoids": medoids}


def typical(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The last of several runs, with the medians of what they took; and all of these."""
    took = {what: [run[what] for run in runs] for what in ("seconds", "cpu", "busiest")}
    medians = {what: float(np.median(each)) for what, each in took.items()}
    return runs[-1] | medians | {"runs": took}


def rounds() -> dict[str, Any]:
    """What a round costs that asks for nothing, and what a bare one of Dask's costs."""
    from medoids._tuning import Tuning
    from medoids.engines.dask.cluster import OnCluster
    from medoids.engines.dask.common import Common
    from medoids.engines.dask.engine import DaskEngine
    from medoids.engines.dask.reader import Reader

    with cluster(2, 8) as client:
        X = client.persist(da.random.random((20_000, 8), chunks=(5000, -1)))
        blocks = client.compute(list(X.to_delayed()[:, 0]))
        way = OnCluster(client, blocks, None, Reader("euclidean", None), Tuning(), None)
        engine = DaskEngine(Common(way, 5, 0, Tuning()), 5)
        engine.start([1, 2, 3, 4, 5])

        def ours(tasks: bool) -> None:
            way.long = 0.0 if tasks else np.inf
            engine._ask("place", spread=False)  # they are placed already

        # The first of each goes another way, and is not counted.
        kinds: dict[str, Callable[[], object]] = {
            "ours": lambda: ours(False),
            "ours as tasks": lambda: ours(True),
            "map of two tasks": lambda: client.gather(client.map(abs, [1, 2], pure=False)),
        }
        found = {}
        for name, work in kinds.items():
            times = []
            for _ in range(201):
                start = time.perf_counter()
                work()
                times.append(1e3 * (time.perf_counter() - start))
            found[name] = [float(np.quantile(times[1:], q)) for q in (0.1, 0.5, 0.9)]
        way.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["rounds", "mnist", "mixture"])
    parser.add_argument("sizes", type=int, nargs="*", help="N K, or N D K")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--swap", default="best")
    parser.add_argument("--memory")
    args = parser.parse_args()
    more = [args] if args.what == "mixture" else []
    print(json.dumps(globals()[args.what](*args.sizes, *more)))


if __name__ == "__main__":
    main()
