"""What is collected: doctests of modules whose extra is installed; and which tests are slow."""

from importlib.util import find_spec
from pathlib import Path

import pytest

# Modules that import what is not always there.
_NEEDS = {
    "distributed": [
        "src/medoids/dask/*",
        "src/medoids/engines/dask/cluster.py",
        "src/medoids/engines/dask/serving.py",
    ],
    "triton": ["src/medoids/engines/array/fused/*"],
}
collect_ignore_glob = [
    path for name, paths in _NEEDS.items() if not find_spec(name) for path in paths
]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that took long when they were last measured (tools/slow_tests.py)."""
    known = Path(__file__).parent / "tests" / "slow_tests.txt"
    slow = set(known.read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid in slow:
            item.add_marker("slow")
