"""Claims about given texts: quotations, numbers, directions and negations cut from them, some damaged.

Of each sixteen items nine are quotations, one for each damage of `quotation_damage` and one without; two each
are about a number, a direction and a negation, as the text has it and otherwise; one is about another text.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from bench.made_claims.claim_items import (
    ClaimEdit,
    ClaimItem,
    ClaimKind,
    ClaimWord,
    describe_source,
)
from bench.made_claims.quotation_damage import (
    EXPECTED,
    NEGATION,
    NUMBER,
    QuotableText,
    change_number,
    drop_negation,
    fold_words,
    make_quotation,
    tidy_stretch,
)

from citeproof.errors import InputError
from citeproof.reading.extractors.prose.sentence_spans import find_sentence_spans

LEAST = 3_000  # characters of a text that claims are made about
DEV_SHARE = 51  # of 256
_TRIES = 200
_KINDS: tuple[tuple[ClaimKind, str], ...] = (
    *(("quote", damage) for damage in EXPECTED),
    ("number", "none"), ("number", "number"), ("direction", "none"), ("direction", "direction"),
    ("negation", "none"), ("negation", "negation"), ("absent", "none"),
)  # fmt: skip
_QUOTING = (
    "The authors write: “{}”.", "As they put it, “{}”.", "According to the paper, “{}”.",
    "It has been stated that “{}”.", "“{}”, the authors conclude.",
)  # fmt: skip
_DIRECTIONS = (
    ("increase", "decrease"), ("increases", "decreases"), ("increased", "decreased"),
    ("increasing", "decreasing"), ("higher", "lower"), ("highest", "lowest"), ("greater", "smaller"),
    ("larger", "smaller"), ("more", "less"), ("faster", "slower"), ("above", "below"), ("better", "worse"),
    ("best", "worst"), ("improved", "worsened"), ("improves", "worsens"), ("positive", "negative"),
    ("positively", "negatively"), ("upregulated", "downregulated"), ("stronger", "weaker"),
    ("longer", "shorter"), ("rise", "fall"), ("rises", "falls"), ("gain", "loss"), ("earlier", "later"),
)  # fmt: skip
_OTHER = {word: other for pair in _DIRECTIONS for word, other in (pair, pair[::-1])}
_DIRECTION = re.compile(rf"\b(?:{'|'.join(sorted(_OTHER, key=len, reverse=True))})\b", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|could|will|would|should|did|does|do|has|have)\b(?! not)")
_OPENING = re.compile(
    r"(?:However|Moreover|Furthermore|Therefore|Thus|Hence|In addition|In contrast|Here"
    r"|In this (?:study|paper|work)|In general|Finally|Interestingly|Importantly|Indeed|First|Second"
    r"|For example|Overall), "
)
_WE = re.compile(r"\b(?:we|We)\b")
_ASIDE = re.compile(r" \([^()\d]{1,80}\)")
_QUANTITY = re.compile(r"\d(?:[.,]\d+)?\s?(?:%|percent|[a-zA-Zµ°]{1,12})|\d[.,]\d|\b\d{3,}\b")
_UNSUITED = re.compile(r"[\[\]{}<>=\\|@#\"“”]|\b(?:Fig|Figure|Table|Eq|Section|et al|pp|Vol)\b|https?:")
MOST_WORDS, LEAST_WORDS = 45, 8


@dataclass(slots=True)
class ClaimRecipe:
    """Texts, and how many claims are to be made about them."""

    texts: Sequence[QuotableText]
    seed: int
    count: int
    folder: str  # where the texts are stored, seen from the benchmark
    _sentences: dict[tuple[str, str], list[tuple[int, int, str]]] = field(default_factory=dict)

    def make_items(self) -> Iterator[ClaimItem]:
        """Yield the items; a kind that no text has anything for is left out."""
        if not self.texts:
            hint = f"give Markdown, plain text, HTML or PDF of at least {LEAST:,} characters"
            raise InputError("no text that claims can be made about", place="FILE…", hint=hint)
        rng = random.Random(self.seed)
        index = 0
        for at in range(self.count):
            kind, damage = _KINDS[at % len(_KINDS)]
            made = self._make_quote(damage, rng) if kind == "quote" else self._make_claim(kind, damage, rng)
            if made is None:
                continue
            text, claim, places, edits = made
            yield ClaimItem(
                index=index, kind=kind, damage=damage, label=_choose_word(kind, damage), claim=claim,
                source=describe_source(text, self.folder), places=places, edits=tuple(edits),
                collection=text.name, seed=self.seed,
                split="dev" if sha256(text.name.encode()).digest()[0] < DEV_SHARE else "test",
            )  # fmt: skip
            index += 1

    def _make_quote(self, damage: str, rng: random.Random) -> _MadeClaim | None:
        try:
            made = make_quotation(damage, self.texts, rng)
        except ValueError:
            return None
        before = " … ".join(tidy_stretch(made.source.text[start:end]) for start, end in made.places)
        edits = [] if damage == "clean" else [ClaimEdit(kind=damage, before=before, after=made.quote)]
        return made.source, rng.choice(_QUOTING).format(made.quote.rstrip(" .")), made.places, edits

    def _make_claim(self, kind: ClaimKind, damage: str, rng: random.Random) -> _MadeClaim | None:
        for _ in range(_TRIES):
            text = rng.choice(self.texts)
            fitting = self._list_sentences(kind, text)
            if not fitting:
                continue
            start, end, sentence = rng.choice(fitting)
            claim, edits = reword_sentence(sentence, rng)
            if kind == "absent":
                words = fold_words(claim).split()
                others = [
                    other for other in self.texts if other is not text and not other.shares_words(words)
                ]
                if others:
                    edit = ClaimEdit(kind="other_text", before=text.name, after="")
                    return rng.choice(others), claim, (), [*edits, edit]
            elif damage == "none":
                return text, claim, ((start, end),), edits
            elif (damaged := damage_claim(kind, claim, rng)) is not None:
                return text, damaged[0], ((start, end),), [*edits, damaged[1]]
        return None

    def _list_sentences(self, kind: str, text: QuotableText) -> list[tuple[int, int, str]]:
        if (text.name, kind) not in self._sentences:
            if (text.name, "") not in self._sentences:
                spans = find_sentence_spans(text.text)
                self._sentences[text.name, ""] = [(a, b, tidy_stretch(text.text[a:b])) for a, b in spans]
            self._sentences[text.name, kind] = choose_sentences(kind, self._sentences[text.name, ""])
        return self._sentences[text.name, kind]


_MadeClaim = tuple[QuotableText, str, tuple[tuple[int, int], ...], list[ClaimEdit]]


def _choose_word(kind: ClaimKind, damage: str) -> ClaimWord:
    if kind == "quote":
        word: ClaimWord = EXPECTED[damage]  # type: ignore[assignment]
        return word
    if kind == "absent":
        return "absent"
    return "agree" if damage == "none" else "differs"


def is_claim_like(sentence: str) -> bool:
    """Return whether a sentence is prose that one could state: it ends, has words, and cites nothing."""
    words = sentence.split()
    plain = sum(word.strip("(),.;:%").isalpha() for word in words)
    return (
        LEAST_WORDS <= len(words) <= MOST_WORDS
        and sentence[:1].isupper()
        and sentence.endswith(".")
        and 4 * plain >= 3 * len(words)
        and not _UNSUITED.search(sentence)
    )


def find_subject(kind: str, sentence: str) -> bool:
    match kind:
        case "number":
            return bool(_QUANTITY.search(sentence)) and 1 <= len(NUMBER.findall(sentence)) <= 3
        case "direction":
            return len(_DIRECTION.findall(sentence)) == 1
        case "negation":
            return len(NEGATION.findall(sentence)) == 1 or bool(_AUXILIARY.search(sentence))
        case _:
            return True


def reword_sentence(sentence: str, rng: random.Random) -> tuple[str, list[ClaimEdit]]:
    """Return a sentence as somebody else might say it, its numbers, direction and negation untouched."""
    made = sentence
    if rng.random() < 0.8:
        made = _OPENING.sub("", made, count=1)
        made = _ASIDE.sub("", made) if rng.random() < 0.5 else made
        made = _WE.sub("the authors", made)
        made = made[:1].upper() + made[1:]
    edits = [ClaimEdit(kind="reworded", before=sentence, after=made)] if made != sentence else []
    return made, edits


def damage_claim(kind: str, sentence: str, rng: random.Random) -> tuple[str, ClaimEdit] | None:
    """Return a sentence that says something else, with the edit; None if this one cannot carry it."""
    match kind:
        case "number":
            made = change_number(sentence, rng)
        case "direction":
            made = _turn_direction(sentence)
        case _:
            made = _turn_negation(sentence, rng)
    if made is None or made == sentence:
        return None
    return made, ClaimEdit(kind=kind, before=sentence, after=made)


def _turn_direction(sentence: str) -> str:
    def turn(word: re.Match[str]) -> str:
        other = _OTHER[word[0].lower()]
        return other.capitalize() if word[0][0].isupper() else other

    return _DIRECTION.sub(turn, sentence, count=1)


def _turn_negation(sentence: str, rng: random.Random) -> str | None:
    """Return the sentence without its negation; one that has none gets a "not"."""
    if NEGATION.search(sentence):
        return drop_negation(sentence, rng)
    return _AUXILIARY.sub(lambda auxiliary: f"{auxiliary[0]} not", sentence, count=1)


def choose_sentences(kind: str, sentences: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the sentences that a claim of this kind can be made from."""
    return [row for row in sentences if is_claim_like(row[2]) and find_subject(kind, row[2])]
