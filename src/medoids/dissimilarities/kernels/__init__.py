"""Compiled dissimilarities: leaf functions of rows, loops over pairs of objects.

The one place from which they are imported, as in `medoids.engines.cpu.kernels`: the first that is
asked for loads Numba. A module here imports nothing of `medoids`. To read: `terms`, what makes
one metric of rows different from another.
"""

from ..._lazy import lazily
from ..._numba_cache import give_it_a_place

__getattr__ = lazily(
    __name__,
    {
        "terms": [],  # asked for by the names in the table of metrics
        "trees": ["tree_block"],
        "cells": [],  # by the names in the table of elastic measures
        "elastic": ["elastic_kernel"],
        "bits": ["bits_block", "count_bits"],
        "mixed": ["gower_block"],
        "superposition": ["rmsd_block"],
        "users": ["compile_function", "compile_narrow", "function_block"],
    },
    before=give_it_a_place,
)
