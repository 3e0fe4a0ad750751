"""The forward-backward pass over many linear chains at once.

The chains are packed by time: first all first tokens, then all second ones, longest chain first, so
that one step is one product for all chains that still continue, and nothing is padded. The way back is
the way forth of the chains turned round; both are side by side in one row.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from citeproof.parse.tagger_weights import Scores

_STEEP = 12.0  # no transition is surer than this
_RESCALE = 8  # steps after which the running products are scaled back

Places = npt.NDArray[np.intp]


class LabelChains:
    """Probabilities of the labels of many chains, by the transitions of one model."""

    def __init__(self, transitions: Scores) -> None:
        self._width = width = len(transitions)
        step = np.exp(np.clip(transitions, -_STEEP, _STEEP))
        self._step = np.zeros((2 * width, 2 * width))  # forward and backward in one product
        self._step[:width, :width] = step
        self._step[width:, width:] = step.T

    def shares(self, emission: Scores, sizes: Places) -> Scores:
        """Return the probability of each label for each token; `sizes` parts the rows into chains."""
        width = self._width
        forth, back, bounds = _pack_tokens(sizes)
        places = np.arange(len(emission))
        first, last = np.empty_like(forth), np.empty_like(back)  # which token stands where
        first[forth], last[back] = places, places
        both = np.concatenate((emission.take(first, axis=0), emission.take(last, axis=0)), axis=1)
        self._walk(both, bounds)
        product = both.take(forth, axis=0)[:, :width] * both.take(back, axis=0)[:, width:]
        product /= emission
        product /= product.sum(axis=1, keepdims=True)
        return product

    def _walk(self, both: Scores, bounds: list[int]) -> None:
        """Turn emissions into running products, step by step; steps of as many chains are taken together."""
        step, width, dot, multiply = self._step, self._width, np.dot, np.multiply
        at, steps = 0, len(bounds) - 1
        last = both[: bounds[1]]
        while at < steps:
            count = bounds[at + 1] - bounds[at]
            until = at + 1
            while until < steps and bounds[until + 1] - bounds[until] == count:
                until += 1
            shape = (until - at, count, 2 * width) if count > 1 else (until - at, 2 * width)
            rows = both[bounds[at] : bounds[until]].reshape(shape)
            room, last = np.empty(shape[1:]), last[:count].reshape(shape[1:])
            for here in rows:
                if at:
                    multiply(here, dot(last, step, room), here)
                    if not at % _RESCALE:
                        halves = here.reshape(count, 2, width)
                        halves /= halves.max(axis=2, keepdims=True)
                last = here
                at += 1


def _pack_tokens(sizes: Places) -> tuple[Places, Places, list[int]]:
    """Return where each token stands when packed by time, forth and back, and where each step begins."""
    if len(sizes) == 1:
        time = np.arange(sizes[0])
        return time, time[::-1], list(range(len(time) + 1))
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(sizes))
    longest = int(sizes[order[0]])
    active = np.searchsorted(-sizes[order], -np.arange(longest))  # chains longer than each time
    bounds = np.concatenate(([0], np.cumsum(active)))
    ends = np.cumsum(sizes)
    count = int(ends[-1])
    time = np.arange(count) - np.repeat(ends - sizes, sizes)
    ranks = np.repeat(rank, sizes)
    return bounds[time] + ranks, bounds[np.repeat(sizes - 1, sizes) - time] + ranks, bounds.tolist()
