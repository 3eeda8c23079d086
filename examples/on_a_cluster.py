"""The same medoids on a Dask cluster, on a laptop: `python examples/on_a_cluster.py`.

Rows are made on the workers, a chunk at a time, and never leave them. With the address of a real
cluster as an argument, that is used.
"""

from __future__ import annotations

import sys
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from medoids import KMedoids
from medoids.dask import KMedoids as DaskKMedoids


def chunk(block_id: tuple[int, int], rows: int = 10_000) -> np.ndarray:
    """Rows of ten groups in 16 dimensions: those of one chunk."""
    centres = np.random.default_rng(0).normal(size=(10, 16)) * 2
    rng = np.random.default_rng([1, block_id[0]])
    return centres[rng.integers(10, size=rows)] + rng.normal(size=(rows, 16))


def main() -> None:
    if len(sys.argv) > 1:
        with Client(sys.argv[1]) as client:
            show(client)
    else:
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            show(client)


def show(client: Client) -> None:
    print("the dashboard:", client.dashboard_link)
    X = da.map_blocks(chunk, chunks=((10_000,) * 8, (16,)), dtype=float, meta=np.empty((0, 0)))
    X = client.persist(X)

    start = time.perf_counter()
    km = DaskKMedoids(n_clusters=10, client=client, random_state=0, verbose=1).fit(X)
    print(
        f"{len(X):,} rows: {time.perf_counter() - start:.1f} s, loss {km.inertia_:.6g},"
        f" {km.n_rounds_} rounds, {km.n_bytes_ / 1e6:.1f} MB of rows sent"
    )
    print("medoids:", km.medoid_indices_.tolist())

    sizes = da.bincount(km.labels_, minlength=10).compute()  # lazy until here
    print("clusters:", sizes.tolist())

    rows = X.compute()  # only to show that it is the same
    start = time.perf_counter()
    local = KMedoids(n_clusters=10, random_state=0).fit(rows)
    same = local.medoid_indices_.tolist() == km.medoid_indices_.tolist()
    print(f"one process: {time.perf_counter() - start:.1f} s, the same medoids: {same}")

    served = km.to_local()  # plain, to pickle and to serve
    print("a new row is in cluster", int(served.predict(rows[:1])[0]))


if __name__ == "__main__":
    main()
