"""Whether a verb claims something about a source: not denied, not a noun, not of the document's figures."""

from __future__ import annotations

from citeproof.corpus.corpus_types import Grade
from citeproof.corpus.grade.lexicon import BASE, GERUND, PARTICIPLE, PAST, THIRD, GradedVerb, load_lexicon
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
_OPENING = frozenset((",", ";", ":", "(", "—", "–", "-", ">", "and", "but", "that"))
_JOINING = frozenset(("and", "or", "but", "also", "then", "even"))
_SUBJECT_REACH = 4  # words before the subject's noun, and between it and its verb
_BEHIND = 60  # words behind a verb among which another one of the same subject may stand

_CLAUSE = frozenset(("that", "to", "how", "why", "whether", "what"))
_ADVERB = {Grade.LOW: "preliminarily", Grade.VERY_LOW: "anecdotally"}


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
    while first - head <= _SUBJECT_REACH and _is_verb_helper(words.get_word(head)):
        head -= 1
    if words.get_word(head) not in sets["subjects.heads"]:
        return None
    start = head
    while head - start < _SUBJECT_REACH and words.get_word(start - 1) in sets["subjects.before"]:
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
