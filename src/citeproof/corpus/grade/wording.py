"""What stands in place of a word that a level does not allow: the same form of a weaker verb."""

from __future__ import annotations

from citeproof.corpus.grade.claiming import auxiliary
from citeproof.corpus.grade.lexicon import BASE, GERUND, PARTICIPLE, PAST, THIRD, Verb, lexicon
from citeproof.corpus.grade.tokens import Tokens
from citeproof.corpus.nouns import Grade

_CLAUSE = frozenset(("that", "to", "how", "why", "whether", "what"))
_ADVERB = {Grade.LOW: "preliminarily", Grade.VERY_LOW: "anecdotally"}


def weakened(tokens: Tokens, at: int, verb: Verb, grade: Grade, *, licensed: bool) -> str:
    """Return what `grade` allows in place of the verb at `at`; `licensed`: a hedge stands before it."""
    form, helper = _form(tokens, at, verb), auxiliary(tokens, at)
    lemma, tail = _lemma(tokens, at, verb, grade, helper), _tail(tokens, at, verb, helper)
    words = lexicon().forms[lemma]
    if grade is Grade.HIGH:
        plain = verb.forms if verb.lemma != "prove" else lexicon().forms["demonstrate"]
        return plain[form]
    if grade is Grade.MODERATE or licensed:
        return words[form] + tail
    if grade is Grade.LOW and not helper and _finite(tokens, at, verb, form):
        return f"may {words[BASE]}{tail}"
    return f"{_ADVERB[grade]} {words[form]}{tail}"


def cased(words: str, model: str) -> str:
    """Return `words` with the capitals of `model`: SHOWS ⇒ SUGGESTS, Shows ⇒ Suggests."""
    if len(model) > 1 and model.isupper():
        return words.upper()
    return words[:1].upper() + words[1:] if model[:1].isupper() else words


def copular(tokens: Tokens, at: int, verb: Verb) -> bool:
    """Return whether "proved effective" or "proves to be" is said, which means "turned out"."""
    after = tokens.at(at + 1)
    return verb.lemma == "prove" and (
        after in lexicon().sets["grammar.copular"] or (after == "to" and tokens.at(at + 2) == "be")
    )


def _lemma(tokens: Tokens, at: int, verb: Verb, grade: Grade, helper: str) -> str:
    if copular(tokens, at, verb) and helper != "be":
        return "appear"
    if grade is Grade.LOW:
        return "indicate"
    if grade is Grade.VERY_LOW or not verb.moderate:
        return "suggest"
    return verb.clause if tokens.at(at + 1) in _CLAUSE else verb.moderate


def _tail(tokens: Tokens, at: int, verb: Verb, helper: str) -> str:
    """Return " to be" where the passive needs it: "was proven safe" ⇒ "was suggested to be safe"."""
    passive = helper == "be" and verb.forms.index(tokens.words[at]) != GERUND
    return " to be" if passive and tokens.at(at + 1) in lexicon().sets["grammar.copular"] else ""


def _form(tokens: Tokens, at: int, verb: Verb) -> int:
    return verb.forms.index(tokens.words[at])


def _finite(tokens: Tokens, at: int, verb: Verb, form: int) -> bool:
    """Return whether the verb surely has a subject of its own: "showed that", not "the effect shown by"."""
    if form in (BASE, THIRD):
        return True
    if form != PAST:
        return False
    return verb.forms[PAST] != verb.forms[PARTICIPLE] or (
        tokens.at(at + 1) not in lexicon().sets["grammar.prepositions"]
    )
