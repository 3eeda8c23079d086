"""The reward of an arm at a reference (equations 9 to 11), for kernels; `Step.rewards` is its twin.

It is what the loss changes there: the reference pays at most the distance d to the arm, and at
most `cap` without it; it paid `base` before.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable


@register_jitable(inline="always")
def reward(distance, cap, base):  # type: ignore[no-untyped-def]
    return min(distance, cap) - base


@register_jitable(inline="always")
def gain(distance, pays):  # type: ignore[no-untyped-def]
    """The reward where the cap is what is paid: also where nothing is paid yet."""
    return min(distance - pays, np.float32(0))
