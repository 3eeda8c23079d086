"""Names that modules find late, or no more."""

from __future__ import annotations

import pickle

import pytest

from medoids.dissimilarities.kernels import tuples as of_objects
from medoids.engines.cpu import kernels
from medoids.engines.cpu.kernels import tuples


@pytest.mark.parametrize("module", [tuples.__name__, of_objects.__name__])
def test_a_cache_may_name_a_class_that_is_gone(module: str) -> None:
    """Numba unpickles the whole index of a kernel before it looks whether it is out of date."""
    stale = pickle.loads(f"c{module}\nGoneLongAgo\n.".encode())
    assert isinstance(stale, type)
    assert not hasattr(tuples, "pytest_plugins")


def test_a_kernel_that_is_not_there_is_told() -> None:
    with pytest.raises(AttributeError, match="kernels' has no attribute 'nonsense'"):
        _ = kernels.nonsense
