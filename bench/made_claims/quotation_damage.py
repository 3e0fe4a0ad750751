"""Damage to quotations, by kind and seed, and what should be said of each.

    clean, ocr, hyphenation, ellipsis               => verbatim
    number, negation, swapped, merged               => altered
    invented                                        => absent

The generator shares no code with what it tests.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

WORD = re.compile(r"\S+")
PLAIN = re.compile(r"[^\W\d_]{4,}")
NEGATION = re.compile(
    r"\b(?:not|no|never|without|cannot|nicht|kein\w*|ohne|pas|jamais|sans|niet|geen|non|nao|não|sin|sem)\b|n't\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
OCR = (
    ("rn", "m"), ("m", "rn"), ("l", "1"), ("1", "l"), ("O", "0"), ("o", "0"), ("0", "O"), ("e", "c"),
    ("c", "e"), ("h", "b"), ("cl", "d"), ("d", "cl"), ("li", "h"), ("h", "li"), ("S", "5"), ("s", "5"),
    ("B", "8"), ("w", "vv"), ("i", "l"), ("l", "I"), ("u", "n"), ("n", "u"), ("ri", "n"), ("in", "m"),
    ("g", "9"), ("z", "2"), ("u", "ii"),
)  # fmt: skip
EXPECTED = {
    "clean": "verbatim", "ocr": "verbatim", "hyphenation": "verbatim", "ellipsis": "verbatim",
    "number": "altered", "negation": "altered", "swapped": "altered", "merged": "altered",
    "invented": "absent",
}  # fmt: skip


@dataclass
class QuotableText:
    """A real text: where its words are, and which words it has."""

    name: str
    text: str
    spans: list[tuple[int, int]] = field(default_factory=list)
    vocabulary: set[str] = field(default_factory=set)
    folded: str = ""

    def __post_init__(self) -> None:
        self.spans = [match.span() for match in WORD.finditer(self.text)]
        self.vocabulary = {word.lower() for word in PLAIN.findall(self.text)}
        self.folded = fold_words(self.text)

    @cached_property
    def ordered(self) -> list[str]:
        return sorted(self.vocabulary)

    @cached_property
    def words(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans]

    @cached_property
    def followers(self) -> dict[str, list[str]]:
        """For each word, those that follow it somewhere."""
        follow: dict[str, list[str]] = defaultdict(list)
        for word, following in pairwise(self.words):
            follow[word].append(following)
        return follow

    def shares_words(self, words: Sequence[str]) -> bool:
        """Return whether six of these folded words follow each other in the text, too."""
        return any(" ".join(words[at : at + 6]) in self.folded for at in range(max(1, len(words) - 5)))

    def cut(self, at: int, count: int) -> str:
        return self.text[self.spans[at][0] : self.spans[at + count - 1][1]]


@dataclass(frozen=True)
class DamagedQuotation:
    source: QuotableText
    kind: str
    quote: str
    places: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class DamagedStretch:
    quote: str
    source: QuotableText
    texts: Sequence[QuotableText]
    rng: random.Random


Damage = Callable[[DamagedStretch], str | None]


def fold_words(text: str) -> str:
    """Return letters and digits only, on one line."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def add_scan_errors(cut: DamagedStretch) -> str | None:
    """Letters as a scanner reads them, in one to three words that are no words afterwards."""
    words = cut.quote.split(" ")
    done = 0
    for at in cut.rng.sample(range(len(words)), k=len(words)):
        shape, read = cut.rng.choice(OCR)
        if shape not in words[at] or len(words[at]) < 4:
            continue
        made = words[at].replace(shape, read, 1)
        if any(part.lower() in cut.source.vocabulary for part in PLAIN.findall(made)) or made == words[at]:
            continue
        words[at] = made
        done += 1
        if done == cut.rng.randint(1, 3):
            break
    return " ".join(words) if done else None


def hyphenate_words(cut: DamagedStretch) -> str | None:
    """Words broken at a line's end, ligatures, soft hyphens, lines."""
    words = cut.quote.split(" ")
    long = [at for at, word in enumerate(words) if len(word) > 6 and word.isalpha()]
    if not long:
        return None
    for at in cut.rng.sample(long, k=min(len(long), cut.rng.randint(1, 3))):
        at_letter = cut.rng.randint(2, len(words[at]) - 3)
        words[at] = (
            words[at][:at_letter]
            + cut.rng.choice(["-\n", "- ", "\u00ad", "-\n  ", "\u00ad\n"])
            + words[at][at_letter:]
        )
    text = " ".join(words)
    for plain, ligature in (("ffi", "ﬃ"), ("fi", "ﬁ"), ("fl", "ﬂ"), ("'", "’"), ('"', "“")):
        text = text.replace(plain, ligature) if cut.rng.random() < 0.5 else text
    return text


def leave_out(cut: DamagedStretch) -> str | None:
    """An ellipsis for two to twelve words of one sentence, none of them a negation or a number."""
    words = cut.quote.split()
    if len(words) < 10:
        return None
    count = cut.rng.randint(2, min(12, len(words) - 7))
    at = cut.rng.randint(3, len(words) - count - 3)
    hidden = " ".join(words[at - 1 : at + count])
    if NEGATION.search(hidden) or re.search(r"[.!?\d]", hidden):
        return None
    mark = cut.rng.choice([" … ", " ... ", " [...] ", " . . . ", " (…) ", "… "])
    return " ".join(words[:at]) + mark + " ".join(words[at + count :])


def change_number(quote: str, rng: random.Random) -> str | None:
    """Another digit, another order of digits, a lost point, or one digit more."""
    numbers = list(NUMBER.finditer(quote))
    if not numbers:
        return None
    match = rng.choice(numbers)
    old = match[0]
    at = rng.randrange(len(old))
    new = rng.choice(
        [
            re.sub(r"\d", str(rng.randint(1, 9)), old, count=1),
            old[:at]
            + (str((int(old[at]) + rng.randint(1, 9)) % 10) if old[at].isdigit() else "")
            + old[at + 1 :],
            old[::-1] if old.isdigit() else old.replace(".", ""),
            old + str(rng.randint(1, 9)),
        ]
    )
    same = re.sub(r"\D", "", new) == re.sub(r"\D", "", old) and ("." in new) == ("." in old)
    return None if same or not new else quote[: match.start()] + new + quote[match.end() :]


def drop_negation(quote: str, rng: random.Random) -> str | None:
    """A sentence that says the contrary."""
    negations = [m for m in NEGATION.finditer(quote) if m.start() > 8 and m.end() < len(quote) - 8]
    if not negations:
        return None
    match = rng.choice(negations)
    if match[0].lower() == "cannot":
        return quote[: match.start()] + "can" + quote[match.end() :]
    return " ".join((quote[: match.start()] + quote[match.end() :]).split(" ")).replace("  ", " ")


def swap_word(cut: DamagedStretch) -> str | None:
    """A word of another text in the place of one, or two neighbours the other way round."""
    words = cut.quote.split(" ")
    plain = [at for at, word in enumerate(words) if PLAIN.fullmatch(word)]
    if not plain:
        return None
    at = cut.rng.choice(plain)
    if cut.rng.random() < 0.3:
        if (
            at + 1 >= len(words)
            or words[at].lower() == words[at + 1].lower()
            or not PLAIN.fullmatch(words[at + 1])
        ):
            return None
        words[at], words[at + 1] = words[at + 1], words[at]
        return " ".join(words)
    new = cut.rng.choice(cut.rng.choice(cut.texts).ordered)
    if new == words[at].lower() or new[:4] == words[at].lower()[:4]:
        return None
    words[at] = new
    return " ".join(words)


def invent_quotation(cut: DamagedStretch) -> str | None:
    """Words of another text, or the source's own words, each pair of them from somewhere else."""
    if cut.rng.random() < 0.5:
        other = cut.rng.choice([text for text in cut.texts if text is not cut.source] or [cut.source])
        count = cut.rng.randint(8, 30)
        at = cut.rng.randrange(max(1, len(other.spans) - count))
        made = " ".join(other.cut(at, min(count, len(other.spans) - at)).split())
    else:
        words, follow = cut.source.words, cut.source.followers
        chain = [cut.rng.choice(words)]
        while len(chain) < cut.rng.randint(10, 25):
            chain.append(cut.rng.choice(follow.get(chain[-1]) or words))
        made = " ".join(chain)
    words = fold_words(made).split()
    shared = cut.source.shares_words(words)
    return None if shared or len(words) < 6 or sum(map(str.isalpha, words)) < 6 else made


DAMAGES: dict[str, Damage] = {
    "clean": lambda cut: cut.quote,
    "ocr": add_scan_errors,
    "hyphenation": hyphenate_words,
    "ellipsis": leave_out,
    "number": lambda cut: change_number(cut.quote, cut.rng),
    "negation": lambda cut: drop_negation(cut.quote, cut.rng),
    "swapped": swap_word,
    "invented": invent_quotation,
}


def make_quotation(kind: str, texts: Sequence[QuotableText], rng: random.Random) -> DamagedQuotation:
    """Return a quotation with one kind of damage; stretches that cannot carry it are drawn again."""
    for _ in range(100_000):
        source = rng.choice(texts)
        count = rng.randint(6, 45)
        if len(source.spans) < 200:
            continue
        at = rng.randrange(len(source.spans) - count)
        quote = tidy_stretch(source.cut(at, count))
        place = (source.spans[at][0], source.spans[at + count - 1][1])
        if not _is_prose(quote):
            continue
        if kind == "merged":
            other = rng.randrange(len(source.spans) - count)
            second = tidy_stretch(source.cut(other, count))
            if abs(other - at) < 4 * count or not _is_prose(second):
                continue
            span = (source.spans[other][0], source.spans[other + count - 1][1])
            glue = rng.choice([" ", ". ", ", "])
            return DamagedQuotation(source, kind, quote.rstrip(" .,;:") + glue + second, (place, span))
        made = DAMAGES[kind](DamagedStretch(quote, source, texts, rng))
        if made is not None:
            return DamagedQuotation(source, kind, made, () if kind == "invented" else (place,))
    raise ValueError(f"no stretch of these texts can carry the damage {kind!r}")


def _is_prose(quote: str) -> bool:
    words = quote.split()
    return 5 * sum(bool(PLAIN.match(word.strip("(“\"'"))) for word in words) >= 2 * len(
        words
    ) and not re.search(r"\[|…|\.\.\.", quote)


def tidy_stretch(quote: str) -> str:
    """Return a stretch on one line, as one would type it."""
    return " ".join(re.sub(r"(?<=[^\W\d_])[-\u00ad\x02]\s*\n\s*(?=[a-z])", "", quote).split())
