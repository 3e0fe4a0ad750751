"""What is in place of a word that a level does not allow: the same form of a weaker verb.

Generic subjects, "Research" or "The recent studies", are replaced with their verb.
"""

from __future__ import annotations

from citeproof.corpus.corpus_types import Grade
from citeproof.corpus.grade.claiming_verbs import find_auxiliary
from citeproof.corpus.grade.lexicon import BASE, GERUND, PARTICIPLE, PAST, THIRD, GradedVerb, load_lexicon
from citeproof.corpus.grade.sentence_tokens import SentenceTokens

_OPENING = frozenset((",", ";", ":", "(", "—", "–", "-", ">", "and", "but", "that"))
_JOINING = frozenset(("and", "or", "but", "also", "then", "even"))
_REACH = 4  # words before the subject's noun, and between it and its verb
_BEHIND = 60  # words behind a verb among which another one of the same subject may stand

_CLAUSE = frozenset(("that", "to", "how", "why", "whether", "what"))
_ADVERB = {Grade.LOW: "preliminarily", Grade.VERY_LOW: "anecdotally"}


def weaken_verb(tokens: SentenceTokens, at: int, verb: GradedVerb, grade: Grade, *, licensed: bool) -> str:
    """Return what `grade` allows in place of the verb at `at`; `licensed`: a hedge comes before it."""
    form, helper = verb.forms.index(tokens.words[at]), find_auxiliary(tokens, at)
    lemma, tail = _choose_lemma(tokens, at, verb, grade, helper), _choose_tail(tokens, at, verb, helper)
    words = load_lexicon().forms[lemma]
    if grade is Grade.HIGH:
        plain = verb.forms if verb.lemma != "prove" else load_lexicon().forms["demonstrate"]
        return plain[form]
    if grade is Grade.MODERATE or licensed:
        return words[form] + tail
    if grade is Grade.LOW and not helper and _is_finite(tokens, at, verb, form):
        return f"may {words[BASE]}{tail}"
    return f"{_ADVERB[grade]} {words[form]}{tail}"


def match_case(words: str, model: str) -> str:
    """Return `words` with the capitals of `model`: SHOWS ⇒ SUGGESTS, Shows ⇒ Suggests."""
    if len(model) > 1 and model.isupper():
        return words.upper()
    return words[:1].upper() + words[1:] if model[:1].isupper() else words


def is_copular(tokens: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether "proved effective" or "proves to be" is said, which means "turned out"."""
    after = tokens.get_word(at + 1)
    return verb.lemma == "prove" and (
        after in load_lexicon().sets["grammar.copular"] or (after == "to" and tokens.get_word(at + 2) == "be")
    )


def _choose_lemma(tokens: SentenceTokens, at: int, verb: GradedVerb, grade: Grade, helper: str) -> str:
    if is_copular(tokens, at, verb) and helper != "be":
        return "appear"
    if grade is Grade.LOW:
        return "indicate"
    if grade is Grade.VERY_LOW or not verb.moderate:
        return "suggest"
    return verb.clause if tokens.get_word(at + 1) in _CLAUSE else verb.moderate


def _choose_tail(tokens: SentenceTokens, at: int, verb: GradedVerb, helper: str) -> str:
    """Return " to be" where the passive needs it: "was proven safe" ⇒ "was suggested to be safe"."""
    passive = helper == "be" and verb.forms.index(tokens.words[at]) != GERUND
    return " to be" if passive and tokens.get_word(at + 1) in load_lexicon().sets["grammar.copular"] else ""


def _is_finite(tokens: SentenceTokens, at: int, verb: GradedVerb, form: int) -> bool:
    """Return whether the verb surely has a subject of its own: "showed that", not "the effect shown by"."""
    if form in (BASE, THIRD):
        return True
    if form != PAST:
        return False
    return verb.forms[PAST] != verb.forms[PARTICIPLE] or (
        tokens.get_word(at + 1) not in load_lexicon().sets["grammar.prepositions"]
    )


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
