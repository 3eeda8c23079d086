"""Keep what `make coverage KEEP=1` found: `coverage_results.py REPORT [more arguments of pytest]`.

REPORT is what coverage wrote as JSON. The shares go to benchmarks/results/tests.json, from which
CONTRIBUTING.md has its figures (benchmarks/figures.py).
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results" / "tests.json"


def main(report: Path, asked: list[str]) -> None:
    totals = json.loads(report.read_text(encoding="utf-8"))["totals"]
    lines, branches = totals["num_statements"], totals["num_branches"]
    reached = totals["covered_lines"], totals["covered_branches"]
    found = {
        "tests": " ".join(["all but tests/cluster", *asked]),
        "python": platform.python_version(),
        "lines": lines,
        "branches": branches,
        "lines_percent": round(100 * reached[0] / lines, 2),
        "both_percent": round(100 * sum(reached) / (lines + branches), 2),
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{found['lines_percent']}% of lines, {found['both_percent']}% of lines and branches")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
