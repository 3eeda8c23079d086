"""Draw the pictures of docs/algorithm.md from one real search: `algorithm_pictures.py [FOLDER]`.

A fit is watched: what the CPU's engine knows of every arm after each of its answers to the
search. The true values, which no search knows, are computed beside it from all distances.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from medoids import KMedoids
from medoids._tuning import tuned
from medoids.engines.cpu.arms import CPUArms

FOLDER = Path(__file__).resolve().parents[1] / "algorithm"
BLUE, RED, GREY, INK = "#4269d0", "#f2664f", "#c3c9d1", "#30363d"


def places(n: int) -> Any:
    """Towns of all sizes in the plane, and some points between them."""
    rng = np.random.default_rng(4)
    towns = rng.uniform(0, 100, size=(60, 2)) * [1.6, 1]
    share = rng.pareto(1.1, 60) + 0.2
    of = rng.choice(60, size=n, p=share / share.sum())
    spread = rng.uniform(1, 7, 60)[of, None]
    return towns[of] + spread * rng.normal(size=(n, 2))


@dataclass
class Round:
    """An estimate of all arms that were left, and what was dropped by it."""

    references: int
    before: Any
    estimate: Any
    lower: Any
    left: Any = None
    bar: float = np.inf
    leaders: Any = None


@dataclass
class Step:
    """The rounds of one step; the first is the screen."""

    swap: bool
    medoids: list[int]
    rounds: list[Round] = field(default_factory=list)


@contextmanager
def watching() -> Iterator[list[Step]]:
    """The steps of the fits inside, as the engine answers."""
    steps: list[Step] = []
    usual = {name: getattr(CPUArms, name) for name in ("__init__", "drop", "refine")}

    def estimated(arms: CPUArms, references: int) -> None:
        known = arms._ledger
        steps[-1].rounds.append(
            Round(references, arms._alive.copy(), known.estimate.copy(), known.lower.copy())
        )

    def screened(self: CPUArms, rewards: Any, *rest: Any) -> None:
        usual["__init__"](self, rewards, *rest)
        steps.append(Step(rewards.step.swap, list(rewards.step.state.medoids)))
        estimated(self, self.first)

    def refined(self: CPUArms, depth: int, leaders: Any) -> None:
        usual["refine"](self, depth, leaders)
        estimated(self, depth)

    def dropped(self: CPUArms, bar: float) -> int:
        left: int = usual["drop"](self, bar)
        last = steps[-1].rounds[-1]
        last.left, last.bar = self._alive.copy(), bar
        last.leaders = self._ledger.valued.copy()
        return left

    for name, watched in {"__init__": screened, "drop": dropped, "refine": refined}.items():
        setattr(CPUArms, name, watched)
    try:
        yield steps
    finally:
        for name, method in usual.items():
            setattr(CPUArms, name, method)


@dataclass
class Search:
    """The step that is drawn, and what is true of it."""

    X: Any
    D: Any
    step: Step
    values: Any  # of each arm, with the best medoid to replace
    owner: Any
    near: Any


def search(n: int = 7_000, k: int = 8, which: int = 0) -> Search:
    """The first SWAP step of a fit."""
    X = places(n)
    # Though all distances of so few rows would cost less.
    with watching() as steps, tuned(searching=0.0):
        KMedoids(k, random_state=0, n_jobs=1).fit(X)
    step = [at for at in steps if at.swap][which]
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    two = np.sort(D[step.medoids], axis=0)[:2]
    owner = D[step.medoids].argmin(axis=0)
    values = np.full(n, np.inf)
    for position in range(k):
        pays = np.where(owner == position, two[1], two[0])
        change = np.minimum(D, pays).mean(axis=1) - two[0].mean()
        values = np.minimum(values, change)
    return Search(X, D, step, values, owner, two[0])


def title(at: int, one: Round, gap: str = " ") -> str:
    how = "estimated from" if at == 0 else "compared with leaders on"
    return f"{how} {one.references:,} references:{gap}{len(one.left):,} arms left"


def bare(ax: Any) -> None:
    ax.set(xticks=[], yticks=[])
    ax.set_aspect("equal")
    ax.spines[:].set_visible(False)


def draw_dropped(found: Search) -> Any:
    """Where the arms are that are left, round after round."""
    figure, axes = plt.subplots(2, 2, figsize=(9.6, 6.4), layout="constrained")
    for at, (ax, one) in enumerate(zip(axes.flat, found.step.rounds, strict=False)):
        gone = np.setdiff1d(one.before, one.left)
        ax.scatter(*found.X.T, s=2, color=GREY, linewidths=0)
        ax.scatter(*found.X[gone].T, s=4, color=RED, linewidths=0, label="dropped now")
        ax.scatter(*found.X[one.left].T, s=6, color=BLUE, linewidths=0, label="left")
        medoids = found.X[found.step.medoids]
        ax.scatter(*medoids.T, s=90, marker="s", color="none", edgecolor=INK, label="medoids")
        ax.set_title(title(at, one), fontsize=10)
        bare(ax)
    axes[0, 0].legend(loc="lower left", fontsize=8, markerscale=1.4)
    return figure


def draw_intervals(found: Search) -> Any:
    """Of some arms: the true value, the estimate, and the lower bound; and the bar."""
    arms = np.setdiff1d(np.arange(len(found.X)), found.step.medoids)
    some = arms[np.argsort(found.values[arms])]
    some = some[np.unique(np.geomspace(1, len(some), 150).astype(int)) - 1]
    x, true = np.arange(len(some)), found.values[some]
    rounds = found.step.rounds[:3]
    size = {"figsize": (11, 3.8), "sharey": True, "layout": "constrained"}
    figure, axes = plt.subplots(1, len(rounds), **size)
    for at, (ax, one) in enumerate(zip(axes, rounds, strict=True)):
        kept = np.isin(some, one.left)
        gone = np.isin(some, np.setdiff1d(one.before, [*one.left, *one.leaders]))
        for which, colour in ((kept, BLUE), (gone, RED)):
            lower, upper = one.lower[some[which]], one.estimate[some[which]]
            ax.vlines(x[which], lower, np.maximum(lower, upper), colour, linewidth=1.4)
        ax.plot(x, true, ".", color=INK, markersize=3)
        ax.axhline(one.bar, color=INK, linestyle="--", linewidth=1)
        ax.set_title(title(at, one, "\n"), fontsize=10)
        ax.set(xlabel="some arms, from the best to the worst")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set(ylabel="change of the mean distance")
    axes[0].set_ylim(2.4 * true.min(), np.quantile(true, 0.99))
    return figure


def draw_leaders(found: Search) -> Any:
    """Where the leaders are, and what the rewards of a near one and of a far one tell."""
    X, D = found.X, found.D
    leaders = found.step.rounds[-1].leaders
    sizes = np.bincount(found.owner)
    cluster = int(np.argsort(sizes)[-1])
    own = leaders[found.owner[leaders] == cluster]
    others = leaders[found.owner[leaders] != cluster]
    members = np.flatnonzero(found.owner == cluster)
    arms = np.setdiff1d(members, [*own, *found.step.medoids])
    arm = int(arms[np.argsort(found.values[arms])[len(arms) // 20]])
    # What each point pays if the medoid of this cluster goes, and the arm or the leader comes.
    pays = np.delete(D[found.step.medoids], cluster, axis=0).min(axis=0)
    reward = np.minimum(D, pays) - found.near
    near = int(own[D[arm, own].argmin()])
    far = int(others[found.values[others].argmin()])
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    colours = plt.get_cmap("tab10")(found.owner % 10)
    axes[0].scatter(*X.T, s=2, color=colours, alpha=0.35, linewidths=0)
    axes[0].scatter(*X[leaders].T, s=14, color=colours[leaders], edgecolor=INK, linewidths=0.6)
    named = [(arm, "arm", (-34, 26)), (near, "own leader", (40, -32)), (far, "other", (18, 10))]
    for row, name, to in named:
        axes[0].annotate(
            name, X[row], xytext=to, textcoords="offset points", fontsize=9,
            arrowprops={"arrowstyle": "-", "color": INK},
        )  # fmt: skip
    axes[0].set_title(f"{len(leaders)} leaders, in the colours of their clusters", fontsize=10)
    bare(axes[0])
    for ax, row, name in ((axes[1], far, "another cluster"), (axes[2], near, "its own cluster")):
        left = reward[arm] - reward[row]
        ax.plot(reward[row], reward[arm], ".", color=BLUE, markersize=2, alpha=0.5)
        ax.plot(ax.get_xlim(), ax.get_xlim(), color=INK, linewidth=0.8, linestyle="--")
        ax.set(xlabel=f"reward of a leader of {name}", ylabel="reward of the arm")
        told = f"sd of the reward {reward[arm].std():.2f}, of the difference {left.std():.2f}"
        ax.set_title(told, fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    return figure


PICTURES = {"dropped": draw_dropped, "intervals": draw_intervals, "leaders": draw_leaders}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = search()
    for name, draw in PICTURES.items():
        draw(found).savefig(folder / f"{name}.png", dpi=100)
        print(folder / f"{name}.png")


if __name__ == "__main__":
    plt.switch_backend("Agg")
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
