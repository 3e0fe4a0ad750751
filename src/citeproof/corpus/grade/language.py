"""What a sentence may say of a source of a given GRADE level, and what to put in place of what it may not.

    check("Smith demonstrates that it helps.", Grade.MODERATE)   ⇒ "demonstrates": warning, instead "suggests"
    check("Research shows that it helps.", Grade.LOW)            ⇒ error, instead "Limited evidence suggests"
    check("Limited evidence suggests that it helps.", Grade.LOW) ⇒ nothing: the phrase licenses the verb
    check("Preliminary findings show that it helps.", Grade.LOW) ⇒ nothing; "prove" would be reported

The longest phrase is read first. `check_wording` reports overclaims too, with a replacement that suits the
level; `find_overclaims` is for sentences whose level is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from citeproof.corpus.corpus_types import Grade, Level
from citeproof.corpus.grade.claiming_verbs import (
    find_generic_subject,
    is_claiming_verb,
    is_copular,
    match_case,
    weaken_verb,
)
from citeproof.corpus.grade.lexicon import GradedVerb, HedgePhrase, load_lexicon
from citeproof.corpus.grade.sentence_tokens import (
    SentenceTokens,
    fold_text,
    strip_hidden_characters,
    tokenise_sentence,
)
from citeproof.corpus.grade.subject_kind import SubjectKind, classify_subject, is_inverted

_AND = frozenset(("and", "or", "&"))
_MAX_PHRASE = 200  # characters of a phrase that are shown
_WEIGHT = {Grade.HIGH: 3, Grade.MODERATE: 2, Grade.LOW: 1, Grade.VERY_LOW: 0}


@dataclass(frozen=True, slots=True)
class Wording:
    """Words that a level does not allow, where they are, and what to put there."""

    start: int
    end: int
    phrase: str
    of: Grade | None  # the level whose words they are; None: an overclaim, forbidden at every level
    level: Level
    instead: str  # empty where nothing can be put mechanically
    allowed: tuple[str, ...]  # words that the level may use
    advice: str


@dataclass(frozen=True, slots=True)
class _WordingTerm:
    """A verb or a phrase of the lexicon as it is in a sentence."""

    first: int  # words, the last one included
    last: int
    of: Grade
    verb: GradedVerb | None = None
    licensed: bool = False  # a hedge comes before it in its clause
    over: bool = False
    hedged: bool = False  # the sentence has a hedge somewhere


def check_wording(sentence: str, grade: Grade) -> tuple[Wording, ...]:
    """Return what the sentence says that evidence of `grade` does not allow, in order.

    A sentence that would need a second replacement after the first gets none: it is no plain sentence.
    """
    wordings = _find_wording(sentence, grade)
    after, end = "", 0
    for wording in wordings:
        if wording.instead:
            after, end = after + sentence[end : wording.start] + wording.instead, wording.end
    if after and any(wording.instead for wording in _find_wording(after + sentence[end:], grade)):
        return tuple(replace(wording, instead="") for wording in wordings)
    return wordings


def _find_wording(sentence: str, grade: Grade) -> tuple[Wording, ...]:
    if not _is_worth_reading(fold_text(sentence), grade):
        return ()
    words = tokenise_sentence(sentence)
    terms = list(_find_terms(words))
    if grade is Grade.HIGH:
        return _check_high_grade(words, terms)
    if any(term.verb is None for term in terms):
        terms = [replace(term, hedged=True) for term in terms]
    return _drop_overlaps(bad for term in terms if (bad := _judge_term(words, term, grade)) is not None)


def find_overclaims(sentence: str) -> tuple[Wording, ...]:
    """Return what no evidence allows: "research proves", "conclusively demonstrates"."""
    if not _is_worth_reading(fold_text(sentence), Grade.MODERATE):
        return ()
    words = tokenise_sentence(sentence)
    return _drop_overlaps(
        _make_overclaim(words, term, Grade.HIGH) for term in _find_terms(words) if term.over
    )


def _is_worth_reading(low: str, grade: Grade) -> bool:
    """Return whether any of the words that count for a level may be there; most sentences have none."""
    tables = load_lexicon()
    if any(stem in low for stem in tables.stems[grade]):
        return True
    weak = grade in (Grade.HIGH, Grade.VERY_LOW)
    return weak and any(first in low and last in low for first, last in tables.pairs)


def _find_terms(words: SentenceTokens) -> Iterator[_WordingTerm]:
    """Yield verbs and phrases in order, longest phrase first; what a hedge licenses ends with its clause."""
    tables = load_lexicon()
    past, licensed, asked = 0, False, False
    for at, word in enumerate(words.words):
        if word == "whether":
            asked = True
        if at < past or word not in tables.noted:
            continue
        if word in tables.sets["ends"]:
            licensed = asked = False
        elif phrase := _match_phrase(words, at):
            past = at + len(phrase.words)
            yield _WordingTerm(at, past - 1, phrase.of, licensed=licensed)
            licensed = True
        elif (verb := tables.verbs.get(word)) and not asked and is_claiming_verb(words, at, verb):
            last = _find_verb_end(words, at, verb)
            if last >= at:
                past = last + 1
                yield _WordingTerm(at, last, verb.of, verb, licensed, _is_overclaim(words, at, verb))


def _match_phrase(words: SentenceTokens, at: int) -> HedgePhrase | None:
    for phrase in load_lexicon().phrases.get(words.words[at], ()):
        last = at + len(phrase.words) - 1
        if last < len(words.words) and at not in words.quoted and not words.is_hyphenated(at):
            pairs = zip(phrase.words, words.words[at : last + 1], strict=True)
            if all(wanted == other or (wanted == "*" and _is_filler_word(other)) for wanted, other in pairs):
                return phrase
    return None


def _is_filler_word(word: str) -> bool:
    """Return whether a word may be inside a phrase: "clinical", but no hedge and no "not"."""
    tables = load_lexicon()
    taken = word in tables.phrases or word in tables.verbs or word in tables.sets["between"]
    return word.isalpha() and not taken


def _find_verb_end(words: SentenceTokens, at: int, verb: GradedVerb) -> int:
    """Return the last word of a verb: "points to" has two; "the point" without "to" is none (-1)."""
    if verb.lemma != "point":
        return at
    return at + 1 if words.get_word(at + 1) in load_lexicon().sets["other.point_to"] else -1


def _is_overclaim(words: SentenceTokens, at: int, verb: GradedVerb) -> bool:
    """Return whether it is one of the claims that no evidence allows."""
    sets = load_lexicon().sets
    if verb.of is not Grade.HIGH:
        return False
    if _extend_to_adverb(words, at, at) != (at, at):
        return True
    subject = at - 1
    while at - subject < 4 and (
        words.get_word(subject) in sets["grammar.have"] or words.get_word(subject).endswith("ly")
    ):
        subject -= 1
    return (
        verb.lemma == "prove"
        and words.get_word(subject) in sets["overclaims.subjects"]
        and not is_copular(words, at, verb)
    )


def _judge_term(words: SentenceTokens, term: _WordingTerm, grade: Grade) -> Wording | None:
    """Return what is wrong with a term at a level below HIGH, None if it is allowed."""
    if term.over:
        return _make_overclaim(words, term, grade)
    if term.verb is None:
        weaker = grade is Grade.VERY_LOW and term.of is Grade.LOW and not term.licensed
        return _weaken_hedge(words, term) if weaker and not _is_signal(words, term) else None
    if term.licensed and term.verb.lemma != "prove":
        return None  # "preliminary findings show": the hedge says how sure it is
    if term.of is Grade.HIGH:
        level = Level.WARNING if grade is Grade.MODERATE else Level.ERROR
    elif _WEIGHT[grade] >= _WEIGHT[term.of]:
        return None
    elif grade is Grade.LOW:
        if term.verb.lemma != "suggest":
            return None  # forbidden by no table
        level = Level.WARNING
    else:
        level = Level.ERROR
    return _make_wording(words, grade, level, term.of, *_propose_replacement(words, term, grade))


def _make_overclaim(words: SentenceTokens, term: _WordingTerm, grade: Grade) -> Wording:
    return _make_wording(words, grade, Level.ERROR, None, *_propose_replacement(words, term, grade))


def _propose_replacement(words: SentenceTokens, term: _WordingTerm, grade: Grade) -> tuple[int, int, str]:
    """Return the first and last word of what is replaced, and by what; by nothing where blanks hide code."""
    assert term.verb is not None
    first, last = _extend_to_adverb(words, term.first, term.last)
    plain = weaken_verb(words, term.first, term.verb, grade, licensed=term.licensed)
    if not words.is_joined(first, last) or words.has_markup(first, last) or not _is_replaceable(words, term):
        return first, last, ""
    if term.verb.lemma == "show" and _has_pronoun_object(words, last):
        last += 1
    if (
        grade is not Grade.HIGH
        and not term.licensed
        and not term.hedged
        and words.get_word(last + 1) not in load_lexicon().verbs  # its subject would be what was written
        and (start := find_generic_subject(words, first, term.first, last, term.verb)) is not None
    ):
        return start, last, load_lexicon().generic[grade]
    return first, last, plain


def _is_replaceable(words: SentenceTokens, term: _WordingTerm) -> bool:
    """Return whether a weaker verb makes sense there: a weaker word for what a method does may not."""
    assert term.verb is not None
    if is_inverted(words, term.first, term.verb):
        return False
    subject = classify_subject(words, term.first, term.verb)
    return subject is SubjectKind.EVIDENCE or (term.over and subject is SubjectKind.UNKNOWN)


def _is_signal(words: SentenceTokens, term: _WordingTerm) -> bool:
    """Return whether a thing does it: "the light may indicate"."""
    verb = load_lexicon().verbs.get(words.words[term.last])
    return verb is not None and classify_subject(words, term.last, verb) is SubjectKind.THING


def _extend_to_adverb(words: SentenceTokens, first: int, last: int) -> tuple[int, int]:
    """Return a verb's words with the "definitively" before or behind it that no other verb has."""
    tables = load_lexicon()
    adverbs = tables.sets["overclaims.adverbs"]
    before = words.get_word(first - 1) in adverbs
    if before and words.get_word(first - 2) in _AND and words.get_word(first - 3).endswith("ly"):
        first -= 2  # "clearly and conclusively"
    other = words.get_word(last + 2) in tables.verbs or words.get_word(last + 2) in adverbs
    behind = words.get_word(last + 1) in adverbs and not other
    return first - before, last + behind


def _has_pronoun_object(words: SentenceTokens, last: int) -> bool:
    """Return whether "us" must go as well: nothing "suggests us that"."""
    named = words.get_word(last + 1) in load_lexicon().sets["grammar.pronouns"] and words.get_word(
        last + 2
    ) in ("that", "how", "why")
    return named and words.is_joined(last, last + 1)


def _weaken_hedge(words: SentenceTokens, term: _WordingTerm) -> Wording:
    """Return what a LOW phrase becomes for a VERY LOW source."""
    first, weaker = term.first, load_lexicon().weaker.get(words.words[term.first], "")
    if not words.is_joined(first, term.last) or words.has_markup(first, term.last):
        return _make_wording(words, Grade.VERY_LOW, Level.WARNING, Grade.LOW, first, term.last, "")
    if not weaker:  # "may indicate"
        verb = load_lexicon().verbs[words.words[term.last]]
        sure = classify_subject(words, term.last, verb) is SubjectKind.EVIDENCE
        modal = words.text[words.starts[first] : words.ends[term.last - 1]]
        instead = f"{modal} anecdotally suggest" if sure else ""
    else:
        rest = words.text[words.ends[first] : words.ends[term.last]]
        instead = match_case(weaker, words.text[words.starts[first] : words.ends[first]]) + rest
        if words.get_word(first - 1) == "a" and words.is_joined(first - 1, first):
            first -= 1
            instead = match_case("an ", words.text[words.starts[first] : words.starts[first] + 1]) + instead
    return _make_wording(words, Grade.VERY_LOW, Level.WARNING, Grade.LOW, first, term.last, instead)


def _check_high_grade(words: SentenceTokens, terms: list[_WordingTerm]) -> tuple[Wording, ...]:
    """Return overclaims, or once that the language is weaker than it may be, where nothing strong is said."""
    over = [_make_overclaim(words, term, Grade.HIGH) for term in terms if term.over]
    if over or not terms or any(term.of is Grade.HIGH for term in terms):
        return _drop_overlaps(iter(over))
    weak = terms[0]
    return (_make_wording(words, Grade.HIGH, Level.INFO, weak.of, weak.first, weak.last, ""),)


def _make_wording(
    words: SentenceTokens, grade: Grade, level: Level, of: Grade | None, first: int, last: int, instead: str
) -> Wording:
    start, end = words.starts[first], words.ends[last]
    phrase = " ".join(strip_hidden_characters(words.text[start:end]).split())[:_MAX_PHRASE]
    instead = match_case(instead, words.text[start : words.ends[first]])
    tables = load_lexicon()
    advice = tables.overclaim if of is None and grade is Grade.HIGH else tables.advice[grade]
    return Wording(start, end, phrase, of, level, instead, tables.allowed[grade], advice)


def _drop_overlaps(wordings: Iterator[Wording]) -> tuple[Wording, ...]:
    """Return findings that do not overlap: of two, the first."""
    chosen: list[Wording] = []
    for wording in wordings:
        if not chosen or wording.start >= chosen[-1].end:
            chosen.append(wording)
    return tuple(chosen)
