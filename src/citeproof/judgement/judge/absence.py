"""What answers prove about a work that no source has."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Absent, Found, Lookup, Reach, Unchecked

INDEPENDENT = 2  # sources that cover the type and must agree that a work does not exist
SEARCHES = ("title", "raw")
_LATIN = "\u024f"  # the last of its letters, their marks aside


def proves_absence(lookups: Sequence[Lookup]) -> bool:
    """Return whether the answers prove that no source that covers such works has it.

    One source that claims to hold all such works is enough, or two independent ones that cover the type;
    lists of proceedings are one of them, in however many snapshots. An unanswered question of a source that
    would have counted leaves it open; so does an identifier whose own authority did not answer, or knows it.
    """
    if any(may_exist(lookup) for lookup in lookups if lookup.by not in SEARCHES):
        return False
    asked = [lookup for lookup in lookups if lookup.by in SEARCHES]
    if any(isinstance(x, Unchecked) and x.reach is not Reach.PARTIAL for x in asked):
        return any(not isinstance(x, Unchecked) and x.reach is Reach.COMPLETE for x in asked)
    answered = [lookup for lookup in asked if isinstance(lookup, Found | Absent)]
    if any(lookup.reach is Reach.COMPLETE for lookup in answered):
        return True
    covering = {lookup.source for lookup in answered if lookup.reach is Reach.COVERS}
    lists = {source for source in covering if source.startswith("snapshot")}
    return len(covering - lists) + bool(lists) >= INDEPENDENT


def is_missing_in_proceedings(lookups: Sequence[Lookup]) -> bool:
    """Return whether all that is known of a work is that a list of its venue's papers lacks it."""
    if any(may_exist(lookup) for lookup in lookups if lookup.by not in SEARCHES):
        return False
    asked = [lookup for lookup in lookups if lookup.by in SEARCHES]
    unanswered = any(isinstance(x, Unchecked) and x.reach is not Reach.PARTIAL for x in asked)
    return not unanswered and any(map(is_proceedings_list, asked))


def is_proceedings_list(lookup: Lookup) -> bool:
    """Return whether a snapshot answered that claims all papers of the cited venue, and no more than that."""
    answered = not isinstance(lookup, Unchecked) and lookup.reach is Reach.COVERS
    return answered and lookup.source.startswith("snapshot")


def is_hardly_covered(title: str, lookups: Sequence[Lookup]) -> bool:
    """Return whether silence says nothing of a title in this script: who answered holds few such works.

    Most journals in Russian, Japanese, Chinese, Arabic or Hebrew have no DOI, and registries that have them
    often know only a translated title. A source that claims to hold all such works counts.
    """
    letters = [sign for sign in strip_marks(title) if sign.isalpha()]
    foreign = sum(sign > _LATIN for sign in letters)
    complete = (x for x in lookups if x.by in SEARCHES and not isinstance(x, Unchecked))
    return 2 * foreign > len(letters) and all(x.reach is not Reach.COMPLETE for x in complete)


def is_widely_searched(lookups: Sequence[Lookup]) -> bool:
    """Return whether several registries answered a search; snapshots hold what somebody put into them."""
    return sum(not source.startswith("snapshot:") for source in find_searched(lookups)) >= INDEPENDENT


def find_searched(lookups: Sequence[Lookup]) -> set[str]:
    """Return the sources that answered a search."""
    return {x.source for x in lookups if x.by in SEARCHES and not isinstance(x, Unchecked)}


def find_silent(lookups: Sequence[Lookup]) -> list[str]:
    """Return the sources that were asked for the work, or should have been, and answered no search."""
    silent = (
        x.source
        for x in lookups
        if x.by in SEARCHES and isinstance(x, Unchecked)
        if x.cause.was_asked or x.reach is not Reach.PARTIAL
    )
    return sorted({*silent} - find_searched(lookups))


def may_exist(lookup: Lookup) -> bool:
    """Return whether an identifier's own authority did not answer, or knows it and describes no work."""
    if isinstance(lookup, Found):
        return not lookup.records and lookup.reach is Reach.COMPLETE
    return isinstance(lookup, Unchecked) and lookup.reach is Reach.COMPLETE
