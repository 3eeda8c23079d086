"""The engine's compiled loops: over rows, over rewards, over whole rows of distances.

The one place from which they are imported: `from .. import kernels`, then `kernels.screen(...)`.
The first that is asked for loads Numba; the import of this package does not. A metric's leaf
functions are handed to a kernel; of `medoids` only types are imported here. `tuples.py` has what
kernels are given, and is imported by name.
"""

from ...._lazy import lazily
from ...._numba_cache import give_it_a_place

__getattr__ = lazily(
    __name__,
    {
        "tiles": ["block_kernel", "largest_kernel"],
        "byte_rows": ["byte_kernel", "byte_lanes", "lay_out"],
        "products": ["epilogue_kernel", "exact_kernel"],
        "sparse": [
            "sparse_describe", "sparse_finish", "sparse_lay_out", "sparse_least",
            "sparse_over_lists", "sparse_over_panel", "sparse_overlap", "sparse_post",
            "sparse_product", "sparse_split",
        ],
        "estimates": ["add_gains", "carry", "carry_sums", "screen", "turn"],
        "basis": ["regress"],
        "carried": ["add_payments", "round_by_chance"],
        "along": ["conclude", "find"],
        "groups": ["gather", "group", "tally"],
        "nearby": [
            "add_changes", "add_nearby", "best_swaps", "carry_swaps", "lowest_swaps", "number",
            "pick_below",
        ],
        "sums": ["mixed", "split_sums"],
        "values": [
            "carry_joins", "changes", "first_better", "reassign", "total_changes", "total_rewards",
        ],
    },
    before=give_it_a_place,
)  # fmt: skip
