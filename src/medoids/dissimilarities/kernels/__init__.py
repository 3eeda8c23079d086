"""Compiled dissimilarities of objects: trees, sequences, rows of mixed tables.

The one place from which they are imported, as in `medoids.engines.cpu.kernels`: the first that is
asked for loads Numba.
"""

from ..._lazy import lazily

__getattr__ = lazily(
    __name__, {"trees": ["tree_block"], "sequences": ["dtw_block"], "mixed": ["gower_block"]}
)
