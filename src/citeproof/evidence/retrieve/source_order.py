"""Which live sources are asked for an identifier or a title, and in what order: as their profiles say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from citeproof.evidence.sources.base import LiveSource
from citeproof.vocabulary import Question, Reach


def list_first_sources(question: Question, able: Sequence[LiveSource]) -> tuple[str, ...]:
    """Return the sources to ask first for an identifier; all that describe it when its own is missing."""
    first = tuple(source.name for source in able if source.choose_turn(question) == 1)
    return first or tuple(sorted(source.name for source in able if source.profile.describes))


def list_next_sources(
    question: Question, able: Iterable[LiveSource], *, answered: bool
) -> tuple[tuple[str, ...], ...]:
    """Return the sources to ask, step by step, if the first found nothing.

    A DOI that its agency does not have may not exist, which the handle system says at once. One whose
    agency did not answer most likely does; others that describe it are asked before.
    """
    steps: dict[tuple[bool, int], list[str]] = defaultdict(list)
    for source in able:
        if (turn := source.choose_turn(question)) > 1:
            steps[not (answered or source.profile.describes), turn].append(source.name)
    return tuple(tuple(names) for _, names in sorted(steps.items()))


def list_second_sources(question: Question, sources: Iterable[LiveSource]) -> tuple[str, ...]:
    """Return who may confirm what an identifier leads to."""
    return tuple(source.name for source in sources if question.by in source.profile.confirms)


def split_title_sources(orders: Sequence[tuple[str, int, Reach]]) -> tuple[list[str], list[str]]:
    """Return the sources for a title: those whose answer settles most, then the rest.

    Each row is a source's name, its place in the order of searches, and what a missing work would mean.
    """
    main = [name for name, order, reach in orders if order in (1, 2) and reach is not Reach.PARTIAL]
    if not main:
        main = [name for name, order, _ in orders if order in (1, 2)]
    return main, [name for name, order, _ in orders if name not in main and order < 9]
