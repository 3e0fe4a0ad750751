"""Subjects that name nobody, "Research" or "The recent studies": they are replaced with their verb."""

from __future__ import annotations

from citeproof.corpus.grade.claiming import auxiliary
from citeproof.corpus.grade.lexicon import GERUND, PARTICIPLE, PAST, Verb, lexicon
from citeproof.corpus.grade.tokens import Tokens
from citeproof.corpus.grade.wording import copular

_OPENING = frozenset((",", ";", ":", "(", "—", "–", "-", ">", "and", "but", "that"))
_JOINING = frozenset(("and", "or", "but", "also", "then", "even"))
_REACH = 4  # words before the subject's noun, and between it and its verb
_BEHIND = 60  # words behind a verb among which another one of the same subject may stand


def generic(words: Tokens, first: int, at: int, last: int, verb: Verb) -> int | None:
    """Return where a generic subject begins whose verb stands at `at`, `first` to `last` with its adverbs.

    None if there is none, if it does not begin a clause, or if the verb is not its predicate.
    """
    if not _active(words, at, verb) or _coordinated(words, last):
        return None
    sets = lexicon().sets
    head = first - 1
    while first - head <= _REACH and _between(words.at(head)):
        head -= 1
    if words.at(head) not in sets["subjects.heads"]:
        return None
    start = head
    while head - start < _REACH and words.at(start - 1) in sets["subjects.before"]:
        start -= 1
    if words.hyphened(start):  # "meta-analysis"
        return None
    begins = start == 0 or words.at(start - 1) in _OPENING
    quoted = any(index in words.quoted for index in range(start, first))
    return start if begins and not quoted and words.joined(start, last) else None


def _active(words: Tokens, at: int, verb: Verb) -> bool:
    """Return whether the verb is its subject's predicate: not "data shown by", "results demonstrating"."""
    form, helper = verb.forms.index(words.words[at]), auxiliary(words, at)
    if form == GERUND or helper == "be" or copular(words, at, verb):
        return False
    if helper or form not in (PAST, PARTICIPLE):
        return True
    return form == PAST and words.at(at + 1) not in lexicon().sets["grammar.prepositions"]


def _between(word: str) -> bool:
    """Return whether a word may stand between a subject and its verb: "has clearly"."""
    sets = lexicon().sets
    return (
        (word in sets["helpers"] and word != "to") or word.endswith("ly") or word in sets["grammar.adverbs"]
    )


def _coordinated(words: Tokens, last: int) -> bool:
    """Return whether another verb follows that agrees with the same subject: "shows … and confirms"."""
    verbs = lexicon().verbs
    return any(
        words.words[at] in verbs and words.words[at - 1] in _JOINING
        for at in range(last + 1, min(len(words.words), last + _BEHIND))
    )
