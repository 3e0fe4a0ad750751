"""Whether a verb claims something about a source: not denied, not a noun, not of the document's figures."""

from __future__ import annotations

from citeproof.corpus.grade.lexicon import BASE, PARTICIPLE, PAST, THIRD, GradedVerb, load_lexicon
from citeproof.corpus.grade.sentence_tokens import SentenceTokens
from citeproof.corpus.grade.subject_kind import (
    SubjectKind,
    classify_subject,
    find_subject_end,
    is_adverb,
    is_stated,
)

_SUBJECT = 8  # words of a subject
_REACH = 5  # words before a verb among which its auxiliary and its "not" stand
_SHORT = frozenset(("it's", "that's", "there's", "what's", "he's", "she's", "who's"))


def is_claiming_verb(tokens: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether the verb at `at` says how sure the source's finding is."""
    if at in tokens.quoted or tokens.is_hyphenated(at):
        return False
    if _is_noun(tokens, at, verb) or _is_adjective(tokens, at, verb):
        return False
    if _is_denied(tokens, at) or _is_own_figure(tokens, at, verb) or not is_stated(tokens, at, verb):
        return False
    return _has_strong_adverb(tokens, at) or classify_subject(tokens, at, verb) is not SubjectKind.THING


def _has_strong_adverb(tokens: SentenceTokens, at: int) -> bool:
    adverbs = load_lexicon().sets["overclaims.adverbs"]
    return tokens.get_word(at - 1) in adverbs or tokens.get_word(at + 1) in adverbs


def find_auxiliary(tokens: SentenceTokens, at: int) -> str:
    """Return "be", "have" or "modal" for what governs the verb at `at`; empty if nothing does."""
    sets = load_lexicon().sets
    for index in range(at - 1, max(-1, at - 1 - _REACH), -1):
        word = tokens.words[index]
        if word in sets["grammar.be"] or word.endswith("'re"):
            return "be"
        if word in sets["grammar.have"] or word.endswith("'ve"):
            return "have"
        if word in sets["grammar.modals"] or word.endswith(("'ll", "'d", "n't")):
            return "modal"
        if word in _SHORT:
            return "be"
        if not is_adverb(word):
            return ""
    return ""


def _is_noun(tokens: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether "the show", "with support", "10 points to" is meant."""
    sets, word = load_lexicon().sets, tokens.words[at]
    before, after = tokens.get_word(at - 1), tokens.get_word(at + 1)
    if word in (verb.forms[BASE], verb.forms[THIRD]) and before in sets["grammar.articles"]:
        return True
    if verb.lemma in ("show", "support") and word == verb.forms[BASE] and not _has_plural_subject(tokens, at):
        return True
    if verb.lemma == "show":
        return before in sets["nouns.show_before"] or after in sets["nouns.show_after"]
    if word == "support":
        free = not find_auxiliary(tokens, at)
        return before in sets["nouns.support_before"] or (free and after in sets["nouns.support_after"])
    if word == "supporting":
        return before in sets["grammar.articles"] or after in sets["nouns.supporting_after"]
    if verb.lemma == "point":
        return before.isdecimal() or before in ("this", "that", "one") or tokens.get_word(at + 2) == "point"
    return False


def _has_plural_subject(tokens: SentenceTokens, at: int) -> bool:
    """Return whether "show" may be the verb of what comes before it: "studies", "Smith and Roe"."""
    sets, before = load_lexicon().sets, tokens.get_word(at - 1)
    if find_auxiliary(tokens, at) or is_adverb(before) or before in sets["nouns.plurals"]:
        return True
    if not before or not before[-1:].isalpha():
        return before not in ("", ":", "|", "-", "–", "—", ">", "+", "(")
    if before in load_lexicon().verbs:
        return False
    return before.endswith("s") or tokens.get_word(at - 2) in ("and", "&", ",")


def _is_adjective(tokens: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether "an established method", "a proven one", "established in 1998" is meant."""
    sets, word = load_lexicon().sets, tokens.words[at]
    before, after = tokens.get_word(at - 1), tokens.get_word(at + 1)
    if word not in (verb.forms[PAST], verb.forms[PARTICIPLE]):
        return False
    year = tokens.get_word(at + 2)
    if verb.lemma == "establish" and after in ("in", "since") and len(year) == 4 and year.isdecimal():
        return True
    if before in sets["grammar.articles"] or before in ("of", "with", "from"):
        return True
    return before in sets["grammar.pointers"] and not (
        after in sets["grammar.openers"] or after in sets["grammar.prepositions"] or not after.isalpha()
    )


def _is_denied(tokens: SentenceTokens, at: int) -> bool:
    """Return whether it is denied or only aimed at: "does not prove", "aims to show", "no study shows"."""
    sets = load_lexicon().sets
    if tokens.get_word(at + 1) in sets["grammar.little"]:
        return True
    for index in range(at - 1, max(-1, at - 1 - _REACH), -1):
        word, after = tokens.words[index], tokens.words[index + 1]
        if word in sets["grammar.negations"] and not (
            after in sets["grammar.only"] or (word == "yet" and after != "to")
        ):
            return True
        if word in sets["grammar.intents"] and "to" in tokens.words[index + 1 : at]:
            return True
        if not (is_adverb(word) or word in sets["helpers"]):
            break
    return _has_denied_subject(tokens, at)


def _has_denied_subject(tokens: SentenceTokens, at: int) -> bool:
    """Return whether its subject denies it: "no large study has shown"; "in no uncertain terms" does not."""
    sets, last = load_lexicon().sets, find_subject_end(tokens, at)
    for index in range(last, max(-1, last - _SUBJECT), -1):
        word, after = tokens.words[index], tokens.words[index + 1]
        if word in sets["grammar.deniers"] and after not in sets["grammar.surely"]:
            return tokens.get_word(index - 1) not in sets["grammar.prepositions"]
        if word == "not" and after in sets["grammar.counted"]:
            return True
        if (word in sets["bounds"] and word != "or") or word in load_lexicon().verbs:
            return False
    return False


def _is_own_figure(tokens: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether the document's own figure is meant: "Figure 2 shows", "shown in Table 3"."""
    return (
        _has_figure_before(tokens, at)
        or _has_place_behind(tokens, at, verb)
        or _has_figure_behind(tokens, at)
    )


def _has_figure_before(tokens: SentenceTokens, at: int) -> bool:
    sets = load_lexicon().sets
    index = at - 1
    while at - index <= _REACH and (
        tokens.get_word(index) in sets["own.places"]
        or tokens.get_word(index) == "."
        or _is_figure_label(tokens.get_word(index))
    ):
        index -= 1
    return tokens.get_word(index) in sets["own.nouns"]


def _has_place_behind(tokens: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether "below" follows; "showed above 40 %" says something else."""
    if tokens.get_word(at + 1) not in load_lexicon().sets["own.places"]:
        return False
    return tokens.words[at] == verb.forms[PARTICIPLE] or not (
        tokens.get_word(at + 2)[:1].isalnum() or tokens.is_hyphenated(at + 1)
    )


def _has_figure_behind(tokens: SentenceTokens, at: int) -> bool:
    sets = load_lexicon().sets
    if tokens.get_word(at + 1) not in sets["own.prepositions"]:
        return False
    index = at + 2
    while index - at <= _REACH and tokens.get_word(index) in sets["own.fillers"]:
        index += 1
    if tokens.get_word(index) in sets["own.places"] or tokens.get_word(index) in sets["own.sides"]:
        return True
    if tokens.get_word(index) not in sets["own.nouns"]:
        return False
    index += 1
    while index - at <= 2 * _REACH and (
        tokens.get_word(index) == "." or _is_figure_label(tokens.get_word(index))
    ):
        index += 1
    return tokens.get_word(index) not in sets["own.of"]


def _is_figure_label(word: str) -> bool:
    """Return whether a word numbers a figure: "2", "3b", "A"."""
    return word[:1].isdecimal() or (len(word) == 1 and word.isalpha())
