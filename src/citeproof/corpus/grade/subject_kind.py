"""Who says it: evidence, a thing that is not one, or no one knows; and whether it is said at all.

The trial shows gains.            evidence: a weaker word may be put mechanically
The menu shows five items.        a thing: nothing is claimed of a source
The method shows gains.           no one knows: it is reported, and left to its author
Does the trial show gains?        asked, not said; so is what comes after "if"
"""

from __future__ import annotations

from enum import Enum

from citeproof.corpus.grade.lexicon import BASE, GERUND, GradedVerb, load_lexicon
from citeproof.corpus.grade.sentence_tokens import SentenceTokens
from citeproof.text import lazy_patterns as re

_SUBJECT = 14  # words before a verb among which its subject stands
_EARLIER = 40  # words before a verb among which "it" may mean a study
_ASKED = 60  # words behind a verb up to a question mark
_CHUNK = 300  # characters of a citation that comes before a verb
_CITED = re.compile(r"@|\d{3}[^\s]{0,9}[)\]]|[-/]\d{3}|\.\d{4}")
_ENDS = frozenset(";:.!?")
_EVIDENT = frozenset(("demonstrate", "prove", "suggest"))  # nothing but evidence does


class SubjectKind(Enum):
    """What the subject of a verb is."""

    EVIDENCE = "evidence"
    THING = "thing"
    UNKNOWN = "unknown"


def is_stated(words: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether the verb at `at` states something: no question, no condition, no request."""
    return not (_is_requested(words, at, verb) or _is_conditional(words, at) or _is_asked(words, at))


def classify_subject(words: SentenceTokens, at: int, verb: GradedVerb) -> SubjectKind:
    """Return what the subject of the verb at `at` is; a clause that follows is said by evidence."""
    if has_clause(words, at) or _has_agent(words, at):
        return SubjectKind.EVIDENCE
    sets, last = load_lexicon().sets, find_subject_end(words, at)
    if is_citation_end(words, last):
        return SubjectKind.EVIDENCE
    first = _find_clause_start(words, last)
    head = _find_head_noun(words, first, last)
    noun = words.get_word(head)
    if noun in sets["subjects.heads"] or noun in sets["subjects.evidence"]:
        return SubjectKind.EVIDENCE
    if noun in sets["subjects.things"] or noun.removesuffix("s") in sets["subjects.things"]:
        return SubjectKind.THING if verb.lemma not in _EVIDENT else SubjectKind.UNKNOWN
    if verb.lemma == "prove" and words.get_word(at + 1) in sets["grammar.copular"]:
        return SubjectKind.EVIDENCE
    if noun in sets["subjects.pronouns"] or head < first or not noun[-1:].isalnum():
        sure = verb.lemma in _EVIDENT and (
            noun in sets["subjects.others"] or words.words[at] == verb.forms[GERUND]
        )
        return SubjectKind.EVIDENCE if sure or _has_earlier_evidence(words, last) else SubjectKind.UNKNOWN
    # "Use it to support": no name
    named = head == last and words.get_word(at - 1) != "to" and _is_name(words, head)
    return SubjectKind.EVIDENCE if named else SubjectKind.UNKNOWN


def is_inverted(words: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether the helper comes before the subject: "Only then can Smith show"."""
    sets = load_lexicon().sets
    if words.words[at] != verb.forms[BASE]:
        return False
    last = find_subject_end(words, at)
    return last == at - 1 and any(
        words.words[index] in sets["grammar.modals"] for index in range(_find_clause_start(words, last), last)
    )


def has_clause(words: SentenceTokens, at: int) -> bool:
    """Return whether "that it helps", "how it helps" or "to help" follows; "to users" is not one."""
    sets, after, next_one = load_lexicon().sets, words.get_word(at + 1), words.get_word(at + 2)
    if after in sets["grammar.pronouns"]:
        after, next_one = next_one, words.get_word(at + 3)
    if after == "to":
        person = next_one in sets["grammar.articles"] or next_one in sets["grammar.persons"]
        return not (person or (next_one.endswith("s") and not next_one.endswith("ss")))
    return after in sets["grammar.clauses"] and next_one.isalnum()


def is_citation_end(words: SentenceTokens, index: int) -> bool:
    """Return whether a citation ends at a word: "(2020)", "REF-003", "@…/smith2020.md", "et al."."""
    if index < 0:
        return False
    if words.words[index] == "al" or (words.words[index] == "." and words.get_word(index - 1) == "al"):
        return True
    end = words.ends[index]
    chunk = words.text[max(0, end - _CHUNK) : end].split()[-1:]
    return bool(chunk) and _CITED.search(chunk[0]) is not None


def find_subject_end(words: SentenceTokens, at: int) -> int:
    """Return the word before a verb, its helpers and its adverbs."""
    sets, index = load_lexicon().sets, at - 1
    while index >= 0 and at - index <= _SUBJECT:
        word = words.words[index]
        if not (word in sets["helpers"] or is_adverb(word)):
            break
        index -= 1
    return index


def is_adverb(word: str) -> bool:
    return (word.endswith("ly") and len(word) > 4) or word in load_lexicon().sets["grammar.adverbs"]


def _find_clause_start(words: SentenceTokens, last: int) -> int:
    """Return the first word of the clause that ends with a subject."""
    sets, index = load_lexicon().sets, last
    while index >= 0 and last - index < _SUBJECT and words.words[index] not in sets["bounds"]:
        index -= 1
    return index + 1


def _find_head_noun(words: SentenceTokens, first: int, last: int) -> int:
    """Return the noun of a subject: of "the study of 40 people" the study."""
    sets = load_lexicon().sets
    for index in range(first + 1, last):
        if words.words[index] in sets["subjects.links"]:
            return index - 1
    return last


def _is_name(words: SentenceTokens, index: int) -> bool:
    """Return whether a word is somebody's name, as its capital tells."""
    if index < 0 or not words.text[words.starts[index]].isupper():
        return False
    sets, word = load_lexicon().sets, words.words[index]
    known = word in sets["subjects.pronouns"] or word in sets["subjects.things"]
    return not known and words.get_word(index - 1) not in sets["grammar.articles"]


def _has_agent(words: SentenceTokens, at: int) -> bool:
    """Return whether "by Smith" or "in three trials" follows."""
    sets = load_lexicon().sets
    if words.get_word(at + 1) not in sets["grammar.prepositions"]:
        return False
    if words.get_word(at + 1) == "by" and words.get_word(at + 2) and _is_name(words, at + 2):
        return True
    near = range(at + 2, min(at + 6, len(words.words)))
    return any(words.words[index] in sets["subjects.heads"] for index in near)


def _has_earlier_evidence(words: SentenceTokens, last: int) -> bool:
    sets, verbs = load_lexicon().sets, load_lexicon().verbs
    return any(
        words.words[index] in sets["subjects.heads"]
        or words.words[index] in sets["subjects.evidence"]
        or is_citation_end(words, index)
        or (_is_name(words, index) and words.get_word(index + 1) in verbs)
        for index in range(max(0, last - _EARLIER), last + 1)
    )


def _is_requested(words: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether somebody is asked to do it: "Please confirm your e-mail", "Confirm it"."""
    if words.words[at] != verb.forms[BASE]:
        return False
    before = words.get_word(at - 1)
    begins = not any(word[:1].isalnum() for word in words.words[max(0, at - 4) : at]) and at < 4
    asked = before in load_lexicon().sets["grammar.requests"]
    return asked or begins or (words.get_word(at + 1) == "your" and verb.lemma not in _EVIDENT)


def _is_conditional(words: SentenceTokens, at: int) -> bool:
    """Return whether "if" or "should the trial" comes before the verb; "if anything" is not one."""
    sets, first = load_lexicon().sets, _find_clause_start(words, at - 1)
    if words.get_word(first) in sets["grammar.inverting"] and first < find_subject_end(words, at):
        return not words.get_word(first - 1).isalnum()
    return any(
        words.words[index] in sets["grammar.conditions"] and words.words[index + 1] != "anything"
        for index in range(first, at)
    )


def _is_asked(words: SentenceTokens, at: int) -> bool:
    """Return whether the clause begins like a question, and the sentence ends as one."""
    sets = load_lexicon().sets
    behind = words.words[at : at + _ASKED]
    if "?" not in behind or "!" in behind[: behind.index("?")]:
        return False
    index = at
    while index > 0 and at - index < _ASKED and words.words[index - 1] not in _ENDS:
        index -= 1
    while index < at and (words.words[index] in sets["grammar.openings"] or not words.words[index].isalnum()):
        index += 1
    return words.words[index] in sets["grammar.questions"] or words.words[index] in sets["helpers"]
