"""Which tests are slow: runs all of them, and writes tests/slow_tests.txt.

    python tools/slow_tests.py [--seconds 0.5]

A test that takes longer, its fixtures included, is marked `slow` by conftest.py, beside those that
are marked where they stand: `make test` leaves them out, `make test-all` runs them. Compile first
(run the suite once), and have the machine for yourself.
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
import os
def pytest_runtest_logreport(report):
    if not os.environ.get("PYTEST_XDIST_WORKER"):
        with open(os.environ["DURATIONS"], "a", encoding="utf-8") as file:
            print(report.duration, report.nodeid, file=file)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5)
    given = parser.parse_args()
    seconds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "durations.txt"
        (Path(folder) / "durations_plugin.py").write_text(PLUGIN, encoding="utf-8")
        command = "-m pytest -n auto --dist worksteal -p durations_plugin -p no:cacheprovider"
        environment = {"PYTHONPATH": folder, "DURATIONS": str(file)}
        subprocess.run(
            [sys.executable, *command.split()], cwd=ROOT, env=os.environ | environment, check=False
        )
        for line in file.read_text(encoding="utf-8").splitlines():
            took, _, test = line.partition(" ")
            seconds[test] += float(took)
    slow = sorted(test for test, took in seconds.items() if took > given.seconds)
    LIST.write_text("".join(f"{test}\n" for test in slow), encoding="utf-8")
    print(f"{len(slow)} of {len(seconds)} tests are slow: {LIST.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
