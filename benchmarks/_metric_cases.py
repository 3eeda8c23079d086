"""What `metrics.py` measures: blocks of distances, ours and those of peers on the same pairs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise

from check_exact import programs, scrna
from medoids._threads import Workers
from medoids.data.kinds import read
from medoids.datasets import load_mnist
from medoids.dissimilarities.metrics import METRICS
from medoids.engines.cpu.points import points_of
from medoids.engines.cpu.points.sparse import SPARSE

Work = Callable[[], Any]
ARMS, REFS = 256, 1024
RNG = np.random.default_rng


class Case(NamedTuple):
    """A block that we fill, and how others fill the same.

    Parameters
    ----------
    metric, input, unit : str
    amount : float
        What the block is in that unit, without the "/s".
    fresh : callable
        Makes ready a call that fills the block, and that returns it. It is not timed itself.
    peers : dict
        Calls that return the same block.
    """

    metric: str
    input: str
    unit: str
    amount: float
    fresh: Callable[[], Work]
    peers: dict[str, Work]


def has(file: str) -> bool:
    return (Path(os.environ.get("MEDOIDS_DATA", "")) / file).is_file()


def block_of(
    workers: Workers, things: Any, metric: Any, arms: int, refs: int, **params: Any
) -> Callable[[], Work]:
    """Fill the block from the first `arms` things to the next `refs`."""
    points = points_of(read(things, metric, params or None, n_jobs=1), workers, 1e9)
    out = np.empty((arms, refs), dtype=np.float32)

    def fill() -> np.ndarray:
        points.block(np.arange(arms), np.arange(arms, arms + refs), out)
        return out

    return lambda: fill


def images() -> tuple[np.ndarray, str]:
    if not has("mnist.npz"):
        return RNG(0).random((ARMS + REFS, 784), dtype=np.float32), "random, 784 columns"
    X, _ = load_mnist()
    return X[RNG(0).permutation(len(X))[: ARMS + REFS]], "MNIST, 784 columns"


def by_others(metric: str, left: np.ndarray, right: np.ndarray, **params: Any) -> dict[str, Work]:
    """SciPy's call, and scikit-learn's where it has code of its own."""
    if metric == "haversine":
        return {"scikit-learn": partial(pairwise.haversine_distances, left, right)}
    wide = bool if metric == "jaccard" else np.float64
    a, b = left.astype(wide), right.astype(wide)
    name = "cityblock" if metric == "manhattan" else metric
    found: dict[str, Work] = {"SciPy cdist": partial(cdist, a, b, name, **params)}
    if metric in ("euclidean", "sqeuclidean", "cosine"):  # one product, in the rows' own type
        own = getattr(pairwise, f"{metric.removeprefix('sq')}_distances")
        squared = {"squared": True} if metric == "sqeuclidean" else {}
        found["scikit-learn"] = partial(own, left, right, **squared)
    return found


def rows(workers: Workers) -> Iterator[Case]:
    """Every metric of rows."""
    X, about = images()
    for metric in METRICS:
        params = {"p": 3} if metric == "minkowski" else {}
        refs = 64 if params else REFS  # SciPy raises each difference to the power of p
        Y = X[: ARMS + refs]
        if metric == "jaccard":
            Y = (Y > 0.5).astype(np.float32)
        unit, amount, said = "G columns/s", ARMS * refs * Y.shape[1] / 1e9, about
        if metric == "haversine":
            Y = RNG(0).uniform(-1.5, 1.5, size=(ARMS + refs, 2))
            unit, amount, said = "M pairs/s", ARMS * refs / 1e6, "random places"
        peers = by_others(metric, Y[:ARMS], Y[ARMS:], **params)
        fresh = block_of(workers, Y, metric, ARMS, refs, **params)
        label = f"{metric}, p = 3" if params else metric
        yield Case(label, said, unit, amount, fresh, peers)


def sparse_rows(workers: Workers) -> Iterator[Case]:
    """Metrics of non-zeros, and one that lays rows out densely, a block at a time."""
    if has("scrna.npz"):
        cells = scrna()
        X = sparse.csr_array(cells[RNG(0).permutation(cells.shape[0])[: ARMS + REFS]])
        about = "scRNA, 10,170 genes, 7% not zero"
    else:
        X = sparse.random_array((ARMS + REFS, 10_170), density=0.07, rng=RNG(0), format="csr")
        about = "random, 10,170 columns, 7% not zero"
    X = X.astype(np.float32)
    dense = X.toarray()
    for metric in (*SPARSE, "chebyshev"):
        fresh = block_of(workers, X, metric, ARMS, REFS)
        peers = {"ours, dense": block_of(workers, dense, metric, ARMS, REFS)()}
        if metric in ("manhattan", "euclidean", "cosine"):
            own = getattr(pairwise, f"{metric}_distances")
            peers["scikit-learn, sparse"] = partial(own, X[:ARMS], X[ARMS:])
        yield Case(metric, about, "M pairs/s", ARMS * REFS / 1e6, fresh, peers)


def tree_list(count: int) -> tuple[list[Any], str]:
    if has("hoc4.jsonl.gz"):
        chosen = RNG(0).permutation(len(programs()))[:count]
        return [programs()[i] for i in chosen], "HOC4 programs"
    rng = RNG(0)

    def grow(depth: int) -> dict[str, Any]:
        children = [grow(depth - 1) for _ in range(rng.integers(4) if depth else 0)]
        return {"type": str(rng.choice(list("abcdef"))), "children": children}

    return [grow(4) for _ in range(count)], "random trees"


def trees(workers: Workers) -> Iterator[Case]:
    arms, refs = 12, 24
    given, about = tree_list(arms + refs)
    peers: dict[str, Work] = {}
    if find_spec("zss"):
        import zss

        def node(tree: Any) -> zss.Node:
            return zss.Node(tree["type"], [node(child) for child in tree.get("children") or []])

        nodes = [node(tree) for tree in given]
        peers["zss"] = pair_by_pair(zss.simple_distance, nodes[:arms], nodes[arms:])
    if find_spec("apted"):
        from apted import APTED
        from apted.helpers import Tree

        def tree_of(tree: Any) -> Tree:
            return Tree(tree["type"], *[tree_of(child) for child in tree.get("children") or []])

        def edit(a: Tree, b: Tree) -> float:
            return float(APTED(a, b).compute_edit_distance())

        others = [tree_of(tree) for tree in given]
        peers["apted"] = pair_by_pair(edit, others[:arms], others[arms:])
    fresh = block_of(workers, given, "tree_edit", arms, refs)
    yield Case("tree_edit", about, "k pairs/s", arms * refs / 1e3, fresh, peers)


def pair_by_pair(function: Callable[[Any, Any], float], left: Any, right: Any) -> Work:
    return lambda: np.array([[function(a, b) for b in right] for a in left])


def strings(workers: Workers) -> Iterator[Case]:
    """Programs, a letter for each node."""
    if not find_spec("rapidfuzz"):
        return
    from rapidfuzz import distance

    arms, refs = 128, 256
    given, about = tree_list(arms + refs)
    letters: dict[str, str] = {}

    def spell(tree: Any) -> str:
        own = letters.setdefault(tree["type"], chr(ord("A") + len(letters)))
        return own + "".join(spell(child) for child in tree.get("children") or [])

    texts = [spell(tree) for tree in given]
    for kind in ("Levenshtein", "DamerauLevenshtein"):
        for measure in ("distance", "normalized_distance"):
            name = "damerau_levenshtein" if kind.startswith("D") else "levenshtein"
            name = name if measure == "distance" else f"normalized_{name}"
            scorer = getattr(getattr(distance, kind), measure)
            peers = {"rapidfuzz, a call a pair": pair_by_pair(scorer, texts[:arms], texts[arms:])}
            fresh = block_of(workers, texts, name, arms, refs)
            yield Case(name, f"{about} as strings", "M pairs/s", arms * refs / 1e6, fresh, peers)


def series(workers: Workers) -> Iterator[Case]:
    arms, refs = 32, 96
    rng = RNG(0)
    given = [rng.normal(size=rng.integers(60, 140)).cumsum() for _ in range(arms + refs)]
    for window in (None, 10):
        peers: dict[str, Work] = {}
        if find_spec("dtaidistance") and window is None:
            # Its window is cut otherwise where the lengths differ.
            from dtaidistance import dtw

            where = ((0, arms), (arms, arms + refs))
            peers["dtaidistance"] = lambda: dtw.distance_matrix_fast(
                given, block=where, parallel=False, inner_dist="euclidean"
            )[:arms, arms:]
        fresh = block_of(workers, given, "dtw", arms, refs, window=window)
        name = "dtw" if window is None else f"dtw, window {window}"
        yield Case(name, "walks of 60 to 139", "k pairs/s", arms * refs / 1e3, fresh, peers)


def elastic(workers: Workers) -> Iterator[Case]:
    """Series of one length, by aeon too: its pairs, in one thread."""
    arms, refs = 24, 48
    given = RNG(0).normal(size=(arms + refs, 1, 100)).cumsum(axis=2)
    for metric in ("wdtw", "erp", "lcss", "msm", "twe"):
        peers: dict[str, Work] = {}
        if find_spec("aeon"):
            from aeon import distances

            function = getattr(distances, f"{metric}_pairwise_distance")
            peers["aeon"] = partial(function, given[:arms], given[arms:])
        fresh = block_of(workers, given, metric, arms, refs)
        yield Case(metric, "walks of 100", "k pairs/s", arms * refs / 1e3, fresh, peers)


def fingerprints(workers: Workers) -> Iterator[Case]:
    """1,024 bits, a tenth of them set."""
    bits = RNG(0).random((ARMS + REFS, 1024)) < 0.1
    packed = np.packbits(bits, axis=1)
    vectors = []
    if find_spec("rdkit"):
        from rdkit import DataStructs

        vectors = [DataStructs.CreateFromBitString("".join(map(str, row))) for row in 1 * bits]
    for metric in ("tanimoto", "dice", "bit_hamming"):
        peers: dict[str, Work] = {}
        if metric != "bit_hamming" and vectors:
            bulk = getattr(DataStructs, f"Bulk{metric.title()}Similarity")
            peers["RDKit"] = partial(unlike_in_bulk, bulk, vectors[:ARMS], vectors[ARMS:])
        fresh = block_of(workers, packed, metric, ARMS, REFS)
        yield Case(metric, "1,024 bits", "M pairs/s", ARMS * REFS / 1e6, fresh, peers)


def unlike_in_bulk(bulk: Callable[..., Any], left: list[Any], right: list[Any]) -> np.ndarray:
    return 1 - np.array([bulk(each, right) for each in left])


def frames(workers: Workers) -> Iterator[Case]:
    """100 atoms, of shapes that are alike."""
    arms, refs, atoms = 64, 1024, 100
    rng = RNG(0)
    shape = 10 * rng.normal(size=(atoms, 3))
    given = (shape + rng.normal(size=(arms + refs, atoms, 3))).astype(np.float32)
    peers: dict[str, Work] = {}
    if find_spec("mdtraj"):
        import mdtraj

        top = mdtraj.Topology()
        residue = top.add_residue("X", top.add_chain())
        for _ in range(atoms):
            top.add_atom("C", mdtraj.element.carbon, residue)
        left, right = (mdtraj.Trajectory(each.copy(), top) for each in (given[:arms], given[arms:]))
        for each in (left, right):
            each.center_coordinates()
        peers["mdtraj, centred before"] = lambda: np.array(
            [mdtraj.rmsd(right, left, i, parallel=False, precentered=True) for i in range(arms)]
        )
    fresh = block_of(workers, given, "rmsd", arms, refs)
    yield Case("rmsd", "100 atoms", "M pairs/s", arms * refs / 1e6, fresh, peers)


def tables(workers: Workers) -> Iterator[Case]:
    if not find_spec("pandas"):
        return
    import pandas as pd

    rng, n = RNG(0), ARMS + REFS
    numbers = {f"x{i}": rng.normal(size=n) for i in range(6)}
    kinds = {f"c{i}": rng.choice(list("abcd"), n) for i in range(4)}
    table = pd.DataFrame(numbers | kinds)
    peers: dict[str, Work] = {}
    if find_spec("gower"):
        from gower import gower_matrix

        which = [False] * len(numbers) + [True] * len(kinds)
        peers["gower"] = lambda: gower_matrix(table[:ARMS], table[ARMS:], cat_features=which)
    fresh = block_of(workers, table, "gower", ARMS, REFS)
    about = "6 numbers, 4 categories"
    yield Case("gower", about, "M pairs/s", ARMS * REFS / 1e6, fresh, peers)


def taxi(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += abs(a[i] - b[i])
    return total


def unlike(a: frozenset[int], b: frozenset[int]) -> float:
    return len(a ^ b) / len(a | b)


def functions(workers: Workers) -> Iterator[Case]:
    """l1 as a user writes it, and a function that Numba has no part in."""
    X, about = images()
    amount = ARMS * REFS * X.shape[1] / 1e9
    peers = {"ours, manhattan": block_of(workers, X, "manhattan", ARMS, REFS)()}
    for name, function in {"l1 in Python": taxi, "l1 under njit": njit(taxi)}.items():
        fresh = block_of(workers, X, function, ARMS, REFS)
        yield Case(f"function: {name}", about, "G columns/s", amount, fresh, peers)
    arms, refs = 128, 512
    sets = [frozenset(RNG(i).integers(40, size=12).tolist()) for i in range(arms + refs)]
    # What it computed is kept, so that a second block of the same points costs nothing.
    yield Case(
        "function: on sets", "sets of 12", "M pairs/s", arms * refs / 1e6,
        lambda: block_of(workers, sets, unlike, arms, refs)(),
        {"a plain loop": pair_by_pair(unlike, sets[:arms], sets[arms:])},
    )  # fmt: skip


FAMILIES = {
    "rows": rows, "sparse": sparse_rows, "trees": trees, "strings": strings, "series": series,
    "elastic": elastic, "bits": fingerprints, "frames": frames, "tables": tables,
    "functions": functions,
}  # fmt: skip
