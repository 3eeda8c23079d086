"""Do the runs that are not recorded yet, and show how far they are."""

from __future__ import annotations

import time

from tqdm import tqdm

from ._records import Records, Run
from ._tasks import perform

# Seconds on two cores, for each point and k², or for each pair of points: only for telling how
# long the rest will take, and set right by what was measured so far.
SAMPLED = {"banditpam": 6e-7, "banditpam_original": 1.2e-5}
EXACT = {"pam": 1.3e-7, "clarans": 1e-7}
DATA = {"scrna": 2.5, "hoc4": 400.0}  # against MNIST


def expected(run: Run) -> float:
    """Seconds that a run will take, roughly."""
    if run.task != "fit":
        return 0.1 + 3e-8 * run.n * run.options["arms"]
    if run.method in SAMPLED:
        taken = SAMPLED[run.method] * run.n * run.k**2
    else:
        taken = EXACT.get(run.method, 1.3e-8) * run.n**2
    return 0.03 + taken * DATA.get(run.data, 1.0)


def do(todo: list[tuple[str, Run]], records: Records) -> None:
    """Run each; the record is kept before the next one starts. `todo` names the figure too."""
    left = sum(expected(run) for _, run in todo)
    done = 0.0
    began = time.perf_counter()
    layout = "{desc}: {n_fmt} of {total_fmt} runs |{bar:20}| {elapsed}{postfix}"
    with tqdm(total=len(todo), bar_format=layout, dynamic_ncols=True) as bar:
        for figure, run in todo:
            bar.set_description_str(figure, refresh=False)
            pace = (time.perf_counter() - began) / done if done else 1.0
            bar.set_postfix_str(f"about {pace * left:,.0f} s left; {run}")
            records.add(run, perform(run))
            done, left = done + expected(run), left - expected(run)
            bar.update()
        bar.set_postfix_str("")
