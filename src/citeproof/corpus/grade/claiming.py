"""Whether a verb claims something about a source: not denied, not a noun, not of the document's figures."""

from __future__ import annotations

from citeproof.corpus.grade.lexicon import BASE, PARTICIPLE, PAST, THIRD, Verb, lexicon
from citeproof.corpus.grade.standing import Standing, said, standing, subject_end
from citeproof.corpus.grade.tokens import Tokens

_SUBJECT = 8  # words of a subject
_REACH = 5  # words before a verb among which its auxiliary and its "not" stand
_SHORT = frozenset(("it's", "that's", "there's", "what's", "he's", "she's", "who's"))


def claims(tokens: Tokens, at: int, verb: Verb) -> bool:
    """Return whether the verb at `at` says how sure the source's finding is."""
    if at in tokens.quoted or tokens.hyphened(at):
        return False
    if _noun(tokens, at, verb) or _adjective(tokens, at, verb):
        return False
    if _denied(tokens, at) or _own(tokens, at, verb) or not said(tokens, at, verb):
        return False
    return _strongly(tokens, at) or standing(tokens, at, verb) is not Standing.THING


def _strongly(tokens: Tokens, at: int) -> bool:
    adverbs = lexicon().sets["overclaims.adverbs"]
    return tokens.at(at - 1) in adverbs or tokens.at(at + 1) in adverbs


def auxiliary(tokens: Tokens, at: int) -> str:
    """Return "be", "have" or "modal" for what governs the verb at `at`; empty if nothing does."""
    sets = lexicon().sets
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
        if not _adverb(word):
            return ""
    return ""


def _adverb(word: str) -> bool:
    return (word.endswith("ly") and len(word) > 4) or word in lexicon().sets["grammar.adverbs"]


def _noun(tokens: Tokens, at: int, verb: Verb) -> bool:
    """Return whether "the show", "with support", "10 points to" is meant."""
    sets, word, before, after = lexicon().sets, tokens.words[at], tokens.at(at - 1), tokens.at(at + 1)
    if word in (verb.forms[BASE], verb.forms[THIRD]) and before in sets["grammar.articles"]:
        return True
    if verb.lemma in ("show", "support") and word == verb.forms[BASE] and not _plural(tokens, at):
        return True
    if verb.lemma == "show":
        return before in sets["nouns.show_before"] or after in sets["nouns.show_after"]
    if word == "support":
        free = not auxiliary(tokens, at)
        return before in sets["nouns.support_before"] or (free and after in sets["nouns.support_after"])
    if word == "supporting":
        return before in sets["grammar.articles"] or after in sets["nouns.supporting_after"]
    if verb.lemma == "point":
        return before.isdecimal() or before in ("this", "that", "one") or tokens.at(at + 2) == "point"
    return False


def _plural(tokens: Tokens, at: int) -> bool:
    """Return whether "show" may be the verb of what stands before it: "studies", "Smith and Roe"."""
    sets, before = lexicon().sets, tokens.at(at - 1)
    if auxiliary(tokens, at) or _adverb(before) or before in sets["nouns.plurals"]:
        return True
    if not before or not before[-1:].isalpha():
        return before not in ("", ":", "|", "-", "–", "—", ">", "+", "(")
    if before in lexicon().verbs:
        return False
    return before.endswith("s") or tokens.at(at - 2) in ("and", "&", ",")


def _adjective(tokens: Tokens, at: int, verb: Verb) -> bool:
    """Return whether "an established method", "a proven one", "established in 1998" is meant."""
    sets, word, before, after = lexicon().sets, tokens.words[at], tokens.at(at - 1), tokens.at(at + 1)
    if word not in (verb.forms[PAST], verb.forms[PARTICIPLE]):
        return False
    if verb.lemma == "establish" and after in ("in", "since") and _year(tokens.at(at + 2)):
        return True
    if before in sets["grammar.articles"] or before in ("of", "with", "from"):
        return True
    return before in sets["grammar.pointers"] and not (
        after in sets["grammar.openers"] or after in sets["grammar.prepositions"] or not after.isalpha()
    )


def _year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal()


def _denied(tokens: Tokens, at: int) -> bool:
    """Return whether it is denied or only aimed at: "does not prove", "aims to show", "no study shows"."""
    sets = lexicon().sets
    if tokens.at(at + 1) in sets["grammar.little"]:
        return True
    for index in range(at - 1, max(-1, at - 1 - _REACH), -1):
        word, after = tokens.words[index], tokens.words[index + 1]
        if word in sets["grammar.negations"] and not (
            after in sets["grammar.only"] or (word == "yet" and after != "to")
        ):
            return True
        if word in sets["grammar.intents"] and "to" in tokens.words[index + 1 : at]:
            return True
        if not (_adverb(word) or word in sets["helpers"]):
            break
    return _of_nobody(tokens, at)


def _of_nobody(tokens: Tokens, at: int) -> bool:
    """Return whether nobody does it: "no large study has shown"; "in no uncertain terms" denies nothing."""
    sets, last = lexicon().sets, subject_end(tokens, at)
    for index in range(last, max(-1, last - _SUBJECT), -1):
        word, after = tokens.words[index], tokens.words[index + 1]
        if word in sets["grammar.deniers"] and after not in sets["grammar.surely"]:
            return tokens.at(index - 1) not in sets["grammar.prepositions"]
        if word == "not" and after in sets["grammar.counted"]:
            return True
        if (word in sets["bounds"] and word != "or") or word in lexicon().verbs:
            return False
    return False


def _own(tokens: Tokens, at: int, verb: Verb) -> bool:
    """Return whether the document's own figure is meant: "Figure 2 shows", "shown in Table 3"."""
    return _own_before(tokens, at) or _own_place(tokens, at, verb) or _own_behind(tokens, at)


def _own_before(tokens: Tokens, at: int) -> bool:
    sets = lexicon().sets
    index = at - 1
    while at - index <= _REACH and (
        tokens.at(index) in sets["own.places"] or tokens.at(index) == "." or _label(tokens.at(index))
    ):
        index -= 1
    return tokens.at(index) in sets["own.nouns"]


def _own_place(tokens: Tokens, at: int, verb: Verb) -> bool:
    """Return whether "below" follows; "showed above 40 %" says something else."""
    if tokens.at(at + 1) not in lexicon().sets["own.places"]:
        return False
    return tokens.words[at] == verb.forms[PARTICIPLE] or not (
        tokens.at(at + 2)[:1].isalnum() or tokens.hyphened(at + 1)
    )


def _own_behind(tokens: Tokens, at: int) -> bool:
    sets = lexicon().sets
    if tokens.at(at + 1) not in sets["own.prepositions"]:
        return False
    index = at + 2
    while index - at <= _REACH and tokens.at(index) in sets["own.fillers"]:
        index += 1
    if tokens.at(index) in sets["own.places"] or tokens.at(index) in sets["own.sides"]:
        return True
    if tokens.at(index) not in sets["own.nouns"]:
        return False
    index += 1
    while index - at <= 2 * _REACH and (tokens.at(index) == "." or _label(tokens.at(index))):
        index += 1
    return tokens.at(index) not in sets["own.of"]


def _label(word: str) -> bool:
    """Return whether a word numbers a figure: "2", "3b", "A"."""
    return word[:1].isdecimal() or (len(word) == 1 and word.isalpha())
