"""Medoids on a GPU beside k-means there: the same rows, on the device, after a warm-up.

k-means is plain torch: k-means++ and Lloyd's steps to scikit-learn's tolerance, one start, products
in float32. Each figure is the smallest of some runs. Where rows are few enough, the CPU engine
finds its medoids on the same machine, to be compared.

    python benchmarks/gpu.py [--case NAME] [--no-cpu] [--out FILE]
    python benchmarks/gpu.py --curve FILE  # seconds against n, on the CPU too; as JSON
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from medoids import KMedoids
from medoids.datasets import load_airports, load_glove, load_mnist

RESULT = Path(__file__).parent / "results" / "gpu.md"


class Case(NamedTuple):
    """A fit: its rows on the device, and what it is asked for."""

    name: str
    rows: Callable[[], torch.Tensor]
    k: int
    metric: str = "l2"
    swap: str = "best"
    target: float = 0.0
    cpu: bool = False
    flat: Callable[[torch.Tensor], torch.Tensor] = lambda X: X


def mnist() -> torch.Tensor:
    return torch.as_tensor(load_mnist()[0], device="cuda")


def shifted() -> torch.Tensor:
    """MNIST, each image fourteen times, shifted by up to two pixels: 980,000 rows."""
    images = mnist().reshape(-1, 28, 28)
    moves = [(a, b) for a in range(-2, 3) for b in range(-2, 3)][:14]
    return torch.cat([torch.roll(images, move, (1, 2)).reshape(-1, 784) for move in moves])


def embeddings(n: int = 10_000_000, width: int = 128) -> torch.Tensor:
    """Vectors in two hundred groups of different size, in float16."""
    made = torch.Generator("cuda").manual_seed(0)
    centres = torch.randn(200, width, generator=made, device="cuda")
    size = torch.rand(200, generator=made, device="cuda") ** 2 + 0.05
    parts = []
    for start in range(0, n, 1_000_000):
        count = min(1_000_000, n - start)
        which = torch.multinomial(size, count, replacement=True, generator=made)
        noise = torch.randn(count, width, generator=made, device="cuda")
        parts.append((centres[which] + 1.5 * noise).half())
    return torch.cat(parts)


def in_space(X: torch.Tensor) -> torch.Tensor:
    """Places as points in space."""
    lat, lon = X.double().T
    found = (torch.cos(lat) * torch.cos(lon), torch.cos(lat) * torch.sin(lon), torch.sin(lat))
    return torch.stack(found, dim=1).float()


CASES = [
    Case("MNIST 70,000 x 784, k = 5", mnist, 5, target=0.04, cpu=True),
    Case("MNIST, k = 10", mnist, 10, target=0.08, cpu=True),
    Case("MNIST, k = 100, eager", mnist, 100, swap="eager", target=1),
    Case("MNIST shifted 980,000 x 784, k = 10", shifted, 10, target=0.8),
    Case("MNIST shifted, k = 100, eager", shifted, 100, swap="eager", target=10),
    Case("made 10,000,000 x 128 float16, k = 20, eager", embeddings, 20, swap="eager", target=60),
    Case("GloVe 100,000 x 50, cosine, k = 10",
         lambda: torch.as_tensor(load_glove(), device="cuda"), 10, "cosine", target=0.3, cpu=True,
         flat=lambda X: torch.nn.functional.normalize(X, dim=1)),
    Case("airports 28,298, haversine, k = 10",
         lambda: torch.as_tensor(load_airports()[0], device="cuda"), 10, "haversine", target=0.3,
         cpu=True, flat=in_space),
]  # fmt: skip


def k_means(X: torch.Tensor, k: int, seed: int, most: int = 300) -> tuple[torch.Tensor, int]:
    """Labels and the number of Lloyd's steps."""
    n, generator = len(X), torch.Generator("cuda").manual_seed(seed)
    size = max((1 << 28) // (4 * max(k, X.shape[1])), 1)
    parts = [slice(at, min(at + size, n)) for at in range(0, n, size)]
    squares = torch.cat([X[part].float().square().sum(1) for part in parts])

    def far(centres: torch.Tensor, part: slice) -> torch.Tensor:
        product = torch.addmm(centres.square().sum(1)[None], X[part].float(), centres.T, alpha=-2)
        return product.add_(squares[part, None]).clamp_(min=0)

    chosen = torch.randint(n, (1,), generator=generator, device="cuda")
    near = torch.cat([far(X[chosen].float(), part)[:, 0] for part in parts])
    trials = 2 + int(np.log(k))  # the best of some, as scikit-learn has it
    for _ in range(k - 1):
        sums = near.double().cumsum(0)
        drawn = torch.rand(trials, generator=generator, device="cuda", dtype=torch.double)
        some = torch.searchsorted(sums, drawn * sums[-1]).clamp_(max=n - 1)
        each = torch.cat([far(X[some].float(), part) for part in parts])
        each = torch.minimum(each, near[:, None])
        best = each.sum(0, dtype=torch.double).argmin()
        near, chosen = each[:, best].clone(), torch.cat([chosen, some[best : best + 1]])
    centres = X[chosen].float()
    mean = torch.stack([X[part].float().sum(0) for part in parts]).sum(0) / n
    spread = torch.stack([(X[part].float() - mean).square().sum(0) for part in parts]).sum(0) / n
    tolerance = 1e-4 * float(spread.mean())
    labels = torch.empty(n, dtype=torch.long, device="cuda")
    for step in range(most):
        sums, counts = torch.zeros_like(centres), torch.zeros(k, device="cuda")
        for part in parts:
            labels[part] = far(centres, part).argmin(1)
            sums.index_add_(0, labels[part], X[part].float())
            counts += torch.bincount(labels[part], minlength=k)
        new = sums / counts.clamp(min=1)[:, None]
        moved = float((new - centres).square().sum())
        centres = new
        if moved <= tolerance:
            break
    return labels, step + 1


def timed(work: Callable[[], Any], runs: int) -> tuple[float, Any, float]:
    """The smallest of some times, the result, and the peak of memory beside what was held."""
    best, found, peak = np.inf, None, 0.0
    for _ in range(runs):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before, began = torch.cuda.memory_allocated(), time.perf_counter()
        found = work()
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - began)
        peak = torch.cuda.max_memory_allocated() - before
    return best, found, peak / 1e9


def measured(case: Case, cpu: bool) -> Iterator[str]:
    """The cells of a row of the table."""
    X = case.rows()
    flat = case.flat(X)
    k_means(flat, case.k, 0)
    rival, (_, steps), _ = timed(lambda: k_means(flat, case.k, 0), 3)
    km = KMedoids(case.k, metric=case.metric, swap=case.swap, random_state=0)
    first, _, _ = timed(lambda: km.fit(X), 1)
    seconds, _, peak = timed(lambda: km.fit(X), 1)
    if seconds < 5:  # the first one compiles, and tells nothing of what others take
        seconds, _, peak = timed(lambda: km.fit(X), 3)
    yield case.name
    yield f"{rival:.3f} ({steps} steps)"
    yield f"{seconds:.3f}"
    yield f"{case.target:g}"
    yield f"{first:.2f}"
    yield f"{peak:.1f}"
    yield f"{km.n_distances_ / len(X):,.0f} n"
    yield f"{km.n_iter_}"
    same = "-"
    if cpu and case.cpu:
        rows = X.cpu().numpy()
        there = KMedoids(**km.get_params()).fit(rows)
        began = time.perf_counter()
        there.fit(rows)
        taken = time.perf_counter() - began
        same = "yes" if (there.medoid_indices_ == km.medoid_indices_).all() else "NO"
        same += f", {taken:.1f} s"
    yield same
    phases: dict[str, float] = {}
    for entry in km.history_:
        phases[entry["phase"]] = phases.get(entry["phase"], 0.0) + entry["seconds"]
    print(case.name, {name: round(each, 4) for name, each in phases.items()}, flush=True)
    for entry in km.history_:
        rounds = [(each["references"], each["survivors"]) for each in entry["rounds"]]
        print("   ", entry["phase"], f"{entry['seconds']:.4f}", rounds, flush=True)


def curve(to: Path) -> None:
    """Seconds against n: shifted MNIST, k = 10, medoids and k-means on the GPU and the CPU."""
    from sklearn.cluster import KMeans

    X, found = shifted(), []
    order = torch.randperm(len(X), generator=torch.Generator().manual_seed(0)).to("cuda")
    for n in (10_000, 30_000, 100_000, 300_000, 980_000):
        some = X[order[:n]].clone()
        km, entry = KMedoids(10, random_state=0), {"n": n}
        km.fit(some)
        entry["medoids, GPU"] = timed(lambda km=km, some=some: km.fit(some), 3)[0]
        k_means(some, 10, 0)
        entry["k-means, GPU"] = timed(lambda some=some: k_means(some, 10, 0), 3)[0]
        host = some.cpu().numpy()
        if n <= 100_000:
            there = KMedoids(10, random_state=0)
            if n == 10_000:
                there.fit(host)
            entry["medoids, CPU"] = timed(lambda there=there, host=host: there.fit(host), 1)[0]
            entry["same"] = bool((there.medoid_indices_ == km.medoid_indices_).all())
        if n <= 300_000:
            lloyd = KMeans(10, n_init=1, random_state=0)
            entry["k-means, CPU"] = timed(lambda lloyd=lloyd, host=host: lloyd.fit(host), 1)[0]
        found.append(entry)
        print(entry, flush=True)
        to.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", default="", help="a part of the names of cases")
    parser.add_argument("--no-cpu", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--curve", type=Path)
    given = parser.parse_args()
    if given.curve:
        curve(given.curve)
        return
    head = ["case", "k-means, s", "medoids, s", "target, s", "first call, s", "peak, GB",
            "distances", "swaps", "medoids as on the CPU (seconds there)"]  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for case in CASES:
        if given.case in case.name:
            lines.append("| " + " | ".join(measured(case, not given.no_cpu)) + " |")
            print(lines[-1], flush=True)
            torch.cuda.empty_cache()
    name = torch.cuda.get_device_name()
    text = f"{name}, torch {torch.__version__}, CUDA {torch.version.cuda}\n\n"
    given.out.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")
    print(text, *lines, sep="\n")


if __name__ == "__main__":
    main()
