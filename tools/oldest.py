"""Print the lowest version that pyproject.toml allows of each dependency, as constraints of pip.

    python tools/oldest.py test > constraints.txt

The arguments are extras. What these need in turn is left to pip, which takes the newest: that
is what someone has who upgrades everything but what we name.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
ONE = re.compile(r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,]+)\])?(>=(?P<lowest>[\w.]+))?")


def oldest(project: dict[str, object], extras: list[str]) -> dict[str, str]:
    """The lowest version of each package, those of the extras too; the highest of several."""
    optional = project["optional-dependencies"]
    waiting = [*project["dependencies"], *(each for name in extras for each in optional[name])]
    lowest: dict[str, str] = {}
    while waiting:
        requirement = waiting.pop()
        found = ONE.fullmatch(requirement)
        if found and found["name"] == project["name"]:
            waiting += [each for name in found["extras"].split(",") for each in optional[name]]
        elif found and found["lowest"]:
            name, version = found["name"].lower(), found["lowest"]
            lowest[name] = max(version, lowest.get(name, "0"), key=numbers)
        else:
            raise SystemExit(f"oldest.py: give {requirement!r} a lower bound, as name>=1.2")
    return lowest


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, version in sorted(oldest(project, sys.argv[1:]).items()):
        print(f"{name}=={version}")
