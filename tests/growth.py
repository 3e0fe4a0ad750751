"""Whether work grows with its input and not with the square of it. A ratio, never a time."""

from __future__ import annotations

import time
from collections.abc import Callable

SMALL, LARGE = 25_000, 100_000
RATIO = 12.0  # four times the input; the square would give sixteen
GRACE = 0.02  # CPU-seconds below which noise decides


def grows_linearly(work: Callable[[int], object], small: int = SMALL, large: int = LARGE) -> bool:
    """Return whether `work(large)` costs no more CPU than in proportion to `work(small)`."""
    for _ in range(3):  # a noisy neighbour must strike three times
        base, cost = _cost(work, small), _cost(work, large)
        if cost <= GRACE or cost <= RATIO / 4 * (large / small) * max(base, GRACE / 4):
            return True
    return False


def _cost(work: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began
