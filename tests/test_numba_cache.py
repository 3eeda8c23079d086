"""Where Numba keeps what it compiles."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, sys
from pathlib import Path
{before}
from medoids import _numba_cache
_numba_cache._writable = lambda folder: False
import numpy as np
from medoids import KMedoids
km = KMedoids(2, random_state=0).fit(np.random.default_rng(0).normal(size=(2100, 2)))
from numba import config
assert list(Path(config.CACHE_DIR).rglob("*.nbi")), config.CACHE_DIR
print(config.CACHE_DIR)
"""


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", "import numba"])
def test_a_private_folder_where_there_is_no_other(before: str, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if "NUMBA" not in name}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(before=before)],
        env=environment | {"TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.strip())
    assert folder.name.startswith("medoids-numba-")
    assert not folder.exists()  # it is gone with the process


@pytest.mark.parametrize("name", ["there", "not/yet"])
def test_what_can_be_written_to(name: str, tmp_path: Path) -> None:
    from medoids._numba_cache import _writable

    (tmp_path / "there").mkdir()
    assert _writable(tmp_path / name)
    (tmp_path / "file").touch()
    assert not _writable(tmp_path / "file" / name)


def test_nothing_changes_where_there_is_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    from medoids import _numba_cache

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(_numba_cache, "_writable", lambda folder: folder.name == ".cache")
    _numba_cache.give_it_a_place.__wrapped__()
    assert "NUMBA_CACHE_DIR" not in os.environ


# Of what was compiled: kernels, and the types of their arguments, whatever the layout of an array.
COMPILED = """
import gc
from collections import Counter
import numpy as np
from numba.core.dispatcher import Dispatcher
from medoids import KMedoids

rng = np.random.default_rng(0)
X = rng.normal(size=(12_000, 12))
for data, metric, swap in [
    (X[:4000, :2], "haversine", "best"), (X[:4000], "l1", "eager"), (X, "l2", "best"),
]:
    KMedoids(4, metric=metric, swap=swap, random_state=0).fit(data)
kernels = [
    each for each in gc.get_objects()
    if isinstance(each, Dispatcher) and each.py_func.__module__.startswith("medoids.engines")
]
for kernel in kernels:
    forms = [str(form).replace("'A'", "'C'").replace(", A)", ", C)") for form in kernel.signatures]
    for form, times in Counter(forms).items():
        if times > 1:
            print(kernel.py_func.__qualname__, form)
print(len(kernels), "kernels")
"""


def test_no_kernel_is_compiled_again_for_arrays_that_lie_otherwise() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMPILED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *twice, count = done.stdout.splitlines()
    assert twice == []
    assert int(count.split()[0]) > 10


COMPARED = """
import numpy as np
from medoids._threads import Workers
from medoids.dissimilarities.metrics import METRICS
from medoids.engines.cpu.points.dense import DensePoints

whole = np.random.default_rng(0).integers(0, 256, (2100, 40)).astype(np.float32)
some = np.arange(99)
for metric in ("euclidean", "manhattan", "cosine"):
    for X in (whole, whole + np.float32(0.1) * np.sin(whole)):
        with Workers(1) as workers:
            DensePoints(X, METRICS[metric], 2.0, workers, copy_limit=1e9).block_array(some, some)
"""


@pytest.mark.slow
def test_the_next_process_finds_all_that_was_compiled(tmp_path: Path) -> None:
    # A kernel that closes over what differs from one process to the next is compiled in each.
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", COMPARED],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append(len(list(tmp_path.rglob("*.nbc"))))
    assert found[0] == found[1] > 5
