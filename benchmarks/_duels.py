"""Head to head: contestants that fit the same data in turn, all in one run."""

from __future__ import annotations

from typing import Any, NamedTuple

from bench import child


class Duel(NamedTuple):
    what: str
    n: int
    k: int
    turns: int
    contestants: tuple[str, ...] = ()  # none: FasterPAM on a given matrix

    @property
    def title(self) -> str:
        return f"{self.what}, n = {self.n:,}, k = {self.k}"


ALONE = "FasterPAM alone, from the same starts on a given float32 matrix"
FASTER = ("medoids fasterpam (random)", "matrix + FasterPAM")
ONE = ("medoids onebatch (random)", "onebatch", "onebatch, 2 jobs")
EAGER = ("medoids banditpam eager (random)", "medoids banditpam eager")
BATCHES = ("onebatch", "onebatch, batch x 3")
DUELS = {
    "alone": [Duel(ALONE, 10_000, 5, 15)],
    "total": [Duel("FasterPAM with its matrix", 10_000, 5, 5, FASTER)],
    "starts": [Duel(ALONE, 2000, k, 50) for k in (10, 50)],
    "onebatch": [Duel("OneBatchPAM", 70_000, k, 5, ONE) for k in (10, 100)],
    "eager": [
        Duel("eager BanditPAM and OneBatchPAM", 70_000, 100, 3, (*EAGER, *BATCHES)),
        Duel("eager BanditPAM and FasterPAM", 10_000, 100, 10, (*EAGER, FASTER[1])),
    ],
}


def run_duel(duel: Duel) -> dict[str, Any]:
    """The seconds and the losses of each contestant, turn by turn."""
    if not duel.contestants:
        found = child("given", duel.n, duel.k, "--repeat", duel.turns)
        busy = found.pop("other_cores")
        return {name: one | {"other_cores": busy} for name, one in found.items()}
    found = {name: {"seconds": [], "losses": [], "other_cores": 0} for name in duel.contestants}
    for seed in range(duel.turns):
        for name, one in found.items():
            fitted = child("fit", name, duel.n, duel.k, "--seed", seed, "--rows", 0)
            one["seconds"].append(fitted["seconds"])
            one["losses"].append(fitted["mean_loss"])
            one["other_cores"] = max(one["other_cores"], fitted["other_cores"])
            print(f"  {name:<34}{fitted['seconds']:11.3f} s", flush=True)
    return found
