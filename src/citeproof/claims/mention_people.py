"""Whether a work is by the people whom a mention names. In doubt it is not."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.judgement.compare.person import make_person
from citeproof.reading.extractors.prose.mention_finder import AuthorYearMention
from citeproof.text import lazy_patterns as re
from citeproof.text.names import fold_given_words, is_group
from citeproof.vocabulary import Name

MANY = 3  # authors from whom "et al." is usual
ALL, ODD, RARE = 1.0, 0.05, 0.005  # how well the number of people fits

_SMALL = frozenset(("of", "for", "the", "and", "on", "in", "de", "la", "du", "des", "der", "und", "et", "y"))
_LETTERS = re.compile(r"[^\W\d_]+")


def weigh_people(mention: AuthorYearMention, authors: Sequence[Name], *, complete: bool = True) -> float:
    """Return how well the authors of a work fit the people named; 0.0 if one named is not among them.

    The first named must be the first author. "Smith & Jones" is a work of two, "Smith et al." of more.
    """
    if not list_named_authors(mention, authors):
        return 0.0
    return _weigh_number(len(mention.names), len(authors), et_al=mention.et_al or not complete)


def list_named_authors(mention: AuthorYearMention, authors: Sequence[Name]) -> tuple[Name, ...]:
    """Return the authors whom a mention names, in its order; none if one of those named is no author."""
    if not authors or not _is_named(mention.names[0], authors[0]):
        return ()
    found, left = [authors[0]], list(authors[1:])
    for name in mention.names[1:]:
        at = next((n for n, author in enumerate(left) if _is_named(name, author)), None)
        if at is None:
            return ()
        found.append(left.pop(at))
    return tuple(found)


def _weigh_number(named: int, authors: int, *, et_al: bool) -> float:
    """Return how usual it is to name so many people of so many authors."""
    if et_al:
        return ALL if authors > max(named, MANY - 1) else ODD if authors > named else RARE
    if named == authors:
        return ALL
    return ODD if named == 1 else RARE


def _is_named(named: Name, author: Name) -> bool:
    """Return whether the printed name is that of an author: family names equal, given names not opposed."""
    if author.collective and is_group(author):
        return _is_named_group(named, author)
    theirs = make_person(author)
    forms = {theirs.family, theirs.glued, theirs.spelled[0]} - {""}
    alone = make_person(Name(named.family))
    if forms & {alone.family, alone.glued, alone.spelled[0]}:
        return not _has_other_initials(named, author)
    if not named.given:
        return False
    double = make_person(Name(f"{named.given} {named.family}"))  # "García López", or all of the name
    return bool({*forms, theirs.whole} & {double.family, double.glued, double.spelled[0]})


def _has_other_initials(named: Name, author: Name) -> bool:
    """Return whether initials are printed that are not the author's: "J. Smith" is not Peter Smith."""
    printed = [word for word in named.given.split() if word.endswith(".")]
    theirs = fold_given_words(author)
    if not printed or not theirs:
        return False
    first = fold_given_words(Name("x", printed[0]))
    return bool(first) and not any(word.startswith(first[0].rstrip(".")) for word in theirs)


def _is_named_group(named: Name, group: Name) -> bool:
    """Return whether an institution is named, in full or by its initials: "WHO", "Cancer Society"."""
    theirs = [w for w in _fold_words(group.family) if w not in _SMALL]
    ours = [w for w in _fold_words(f"{named.given} {named.family}") if w not in _SMALL]
    if not theirs or not ours:
        return False
    return ours == theirs or (ours == ["".join(word[0] for word in theirs)] and len(theirs) > 1)


def _fold_words(text: str) -> list[str]:
    return [word.casefold() for word in _LETTERS.findall(text[:300])]
