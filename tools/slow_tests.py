"""Which tests are slow: runs all of them, and writes tests/slow_tests.txt.

    python tools/slow_tests.py [--seconds 0.5] [--add]

A test that takes a core for longer, its fixtures included, is marked `slow` by conftest.py, beside
those that are marked where they stand: `make test` leaves them out, `make test-all` runs them.
With --add those that are slow stay so, and only the others are run. What counts is the work of
the processor, so that a machine that does something else meanwhile changes little. Compile
first (run the suite once).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tests" / "slow_tests.txt"
PLUGIN = """
import os, time
import pytest

@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    own, before = time.process_time(), os.times()
    yield
    own, after = time.process_time() - own, os.times()
    # Processes that a test waits for; one that ends now may have worked for others before.
    theirs = sum(after[2:4]) - sum(before[2:4])
    took = own + min(theirs, after.elapsed - before.elapsed)
    path = os.path.join(os.environ["DURATIONS"], f"{os.getpid()}.txt")
    with open(path, "a", encoding="utf-8") as file:
        print(took, item.nodeid, file=file)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--add", action="store_true")
    given = parser.parse_args()
    seconds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "durations_plugin.py").write_text(PLUGIN, encoding="utf-8")
        command = "-m pytest -n auto --dist worksteal -p durations_plugin -p no:cacheprovider"
        chosen = ["-m", "not slow"] if given.add else []
        subprocess.run(
            [sys.executable, *command.split(), *chosen],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": folder, "DURATIONS": folder},
            check=False,
        )
        for file in Path(folder).glob("*.txt"):
            for line in file.read_text(encoding="utf-8").splitlines():
                took, _, test = line.partition(" ")
                seconds[test] += float(took)
    slow = {test for test, took in seconds.items() if took > given.seconds}
    if given.add:
        slow |= set(LIST.read_text(encoding="utf-8").splitlines())
    LIST.write_text("".join(f"{test}\n" for test in sorted(slow)), encoding="utf-8")
    print(f"{len(slow)} tests are slow: {LIST.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
