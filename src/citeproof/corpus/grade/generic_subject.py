"""Subjects that name nobody, "Research" or "The recent studies": they are replaced with their verb."""

from __future__ import annotations

from citeproof.corpus.grade.claiming_verbs import find_auxiliary
from citeproof.corpus.grade.lexicon import GERUND, PARTICIPLE, PAST, GradedVerb, load_lexicon
from citeproof.corpus.grade.sentence_tokens import SentenceTokens
from citeproof.corpus.grade.weaker_wording import is_copular

_OPENING = frozenset((",", ";", ":", "(", "—", "–", "-", ">", "and", "but", "that"))
_JOINING = frozenset(("and", "or", "but", "also", "then", "even"))
_REACH = 4  # words before the subject's noun, and between it and its verb
_BEHIND = 60  # words behind a verb among which another one of the same subject may stand


def find_generic_subject(
    words: SentenceTokens, first: int, at: int, last: int, verb: GradedVerb
) -> int | None:
    """Return where a generic subject begins whose verb is at `at`, `first` to `last` with its adverbs.

    None if there is none, if it does not begin a clause, or if the verb is not its predicate.
    """
    if not _is_predicate(words, at, verb) or _has_second_verb(words, last):
        return None
    sets = load_lexicon().sets
    head = first - 1
    while first - head <= _REACH and _is_verb_helper(words.get_word(head)):
        head -= 1
    if words.get_word(head) not in sets["subjects.heads"]:
        return None
    start = head
    while head - start < _REACH and words.get_word(start - 1) in sets["subjects.before"]:
        start -= 1
    if words.is_hyphenated(start):  # "meta-analysis"
        return None
    begins = start == 0 or words.get_word(start - 1) in _OPENING
    quoted = any(index in words.quoted for index in range(start, first))
    return start if begins and not quoted and words.is_joined(start, last) else None


def _is_predicate(words: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether the verb is its subject's predicate: not "data shown by", "results demonstrating"."""
    form, helper = verb.forms.index(words.words[at]), find_auxiliary(words, at)
    if form == GERUND or helper == "be" or is_copular(words, at, verb):
        return False
    if helper or form not in (PAST, PARTICIPLE):
        return True
    return form == PAST and words.get_word(at + 1) not in load_lexicon().sets["grammar.prepositions"]


def _is_verb_helper(word: str) -> bool:
    """Return whether a word may be between a subject and its verb: "has clearly"."""
    sets = load_lexicon().sets
    return (
        (word in sets["helpers"] and word != "to") or word.endswith("ly") or word in sets["grammar.adverbs"]
    )


def _has_second_verb(words: SentenceTokens, last: int) -> bool:
    """Return whether another verb follows that agrees with the same subject: "shows … and confirms"."""
    verbs = load_lexicon().verbs
    return any(
        words.words[at] in verbs and words.words[at - 1] in _JOINING
        for at in range(last + 1, min(len(words.words), last + _BEHIND))
    )
