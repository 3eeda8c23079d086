"""What torch computes on a GPU in one pass: Triton kernels for the work of a step.

The same as the array API does in many passes, each over all distances. The products of a regression
take the tensor cores, with factors in float16 and sums in float32: whatever its coefficients
are, its residuals are measured with the same (`estimates`). Sums that values are made of are in
float32 within a part, and in float64 beyond it (`sums`). No sum depends on the order in which parts
are done.

Distances are products of rows that are split into two float16 (`factors`). Where all of them fit
into the device they are held, and sums over all points are carried from step to step (`carried`).
"""

from .ahead import TOLD, Told, followed, told
from .bounds import TILE, shifted
from .by_owner import SORTED, estimated_by_owner
from .carried import (
    Concluded,
    Listed,
    Partial,
    Payments,
    best_of,
    carried,
    concluded,
    folded,
    noted,
)
from .estimates import MOST_CLUSTERS, Scalars, estimated, width_of
from .factors import Bytes, Factors, halve
from .numbers import has_few_digits, outline, sizes
from .sums import Paid, Summed, paid, squares_from, summed, weighed

__all__ = [
    "MOST_CLUSTERS", "SORTED", "TILE", "TOLD", "Bytes", "Concluded", "Factors", "Listed", "Paid",
    "Partial", "Payments", "Scalars", "Summed", "Told", "best_of", "carried", "concluded",
    "estimated", "estimated_by_owner", "folded", "followed", "halve", "has_few_digits", "noted",
    "outline", "paid", "shifted", "sizes", "squares_from", "summed", "told", "weighed", "width_of",
]  # fmt: skip
