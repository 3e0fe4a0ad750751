"""Damage for titles and records, by kind and seed: what retrieval must see through.

    clean, latex, hyphenation, typo, substituted, truncated, raw

The generator shares no code with the normalisers that it tests.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from citeproof.vocabulary import Record

Noise = Callable[[Record, random.Random], str]

_ACCENTS = {
    "é": "{\\'e}",
    "è": "{\\`e}",
    "ö": '{\\"o}',
    "ü": '{\\"u}',
    "ä": '{\\"a}',
    "ñ": "{\\~n}",
    "ç": "{\\c{c}}",
}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Words a careless or inventive writer puts in the place of another; not taken from the records.
_OTHER = (
    "novel", "efficient", "robust", "deep", "general", "approach", "method", "framework", "analysis",
    "learning", "model", "models", "systems", "network", "networks", "estimation", "detection",
    "adaptive", "dynamic", "improved", "large", "small", "towards", "evaluation", "theory", "structure",
    "measurement", "observation", "properties", "effects", "study", "clinical", "patients", "treatment",
    "quantum", "optical",
)  # fmt: skip


def clean(record: Record, _: random.Random) -> str:
    return record.title


def latex(record: Record, rng: random.Random) -> str:
    """Braces around capitals, TeX accents, doubled dashes, escaped signs, stray commands."""
    words = record.title.split()
    for at in range(len(words)):
        if rng.random() < 0.4 and words[at][:1].isupper():
            words[at] = (
                "{" + words[at][0] + "}" + words[at][1:] if rng.random() < 0.6 else "{" + words[at] + "}"
            )
        elif rng.random() < 0.05:
            words[at] = "\\emph{" + words[at] + "}"
    text = " ".join(words)
    for letter, tex in _ACCENTS.items():
        text = text.replace(letter, tex)
    return text.replace("&", "\\&").replace("%", "\\%").replace(" - ", " -- ")


def hyphenation(record: Record, rng: random.Random) -> str:
    """Words broken at a line's end, ligatures, line breaks: the text of a PDF."""
    words = record.title.split()
    for at in rng.sample(range(len(words)), k=min(len(words), rng.randint(1, 2))):
        word = words[at]
        if len(word) >= 7 and word.isalpha():
            cut = rng.randint(3, len(word) - 3)
            words[at] = word[:cut] + "-\n" + word[cut:].lower()
    text = " ".join(words).replace("ffi", "ﬃ").replace("fi", "ﬁ").replace("fl", "ﬂ")
    gaps = [i for i, c in enumerate(text) if c == " "]
    if gaps:
        gap = rng.choice(gaps)
        text = text[:gap] + "\n" + text[gap + 1 :]
    return text


def typo(record: Record, rng: random.Random) -> str:
    """One or two letters swapped, dropped, doubled or mistaken."""
    text = record.title
    for _ in range(rng.randint(1, 2)):
        places = [i for i in range(len(text) - 1) if text[i].isalpha() and text[i + 1].isalpha()]
        if not places:
            return text
        at = rng.choice(places)
        edit = rng.randrange(4)
        if edit == 0:
            text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        elif edit == 1:
            text = text[:at] + text[at + 1 :]
        elif edit == 2:
            text = text[:at] + text[at] + text[at:]
        else:
            text = text[:at] + rng.choice(_LETTERS) + text[at + 1 :]
    return text


def substituted(record: Record, rng: random.Random) -> str:
    """One word, or two in a title of eight or more, replaced by others."""
    words = record.title.split()
    places = [i for i, word in enumerate(words) if len(word) > 3] or list(range(len(words)))
    count = min(len(places), 2 if len(words) >= 8 and rng.random() < 0.5 else 1)
    for at in rng.sample(places, k=count):
        words[at] = rng.choice(_OTHER)
    return " ".join(words)


def truncated(record: Record, rng: random.Random) -> str:
    """The first 60 to 80 % of the words, at least four."""
    words = record.title.split()
    return " ".join(words[: max(4, round(len(words) * rng.uniform(0.6, 0.8)))])


def raw(record: Record, rng: random.Random) -> str:
    """The whole record as a citation string in one of six styles."""
    return rng.choice(_STYLES)(record)


def _initials(given: str) -> str:
    return " ".join(f"{part[0]}." for part in given.replace("-", " ").split())


def _year(record: Record) -> str:
    return next((str(v.year) for v in record.versions if v.year), "n.d.")


def _venue(record: Record) -> str:
    return next((v.venue for v in record.versions if v.venue), "")


def _apa(record: Record) -> str:
    names = [f"{n.family}, {_initials(n.given)}".strip(" ,") for n in record.authors[:7]]
    listed = ", & ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
    return f"{listed} ({_year(record)}). {record.title}. {_venue(record)}."


def _ieee(record: Record) -> str:
    names = [f"{_initials(n.given)} {n.family}".strip() for n in record.authors[:6]]
    listed = ", ".join(names) + (" et al." if len(record.authors) > 6 else "")
    return f"{listed}, “{record.title},” in {_venue(record)}, {_year(record)}."


def _nature(record: Record) -> str:
    names = [f"{n.family}, {_initials(n.given)}" for n in record.authors[:1]]
    tail = " et al." if len(record.authors) > 1 else ""
    return f"{''.join(names)}{tail} {record.title}. {_venue(record)} ({_year(record)})."


def _vancouver(record: Record) -> str:
    names = [
        f"{n.family} {_initials(n.given).replace('. ', '').replace('.', '')}" for n in record.authors[:6]
    ]
    return f"{', '.join(names)}. {record.title}. {_venue(record)}. {_year(record)}."


def _acl(record: Record) -> str:
    names = " and ".join(n.display for n in record.authors[:5])
    return f"[12] {names}. {_year(record)}. {record.title}. In {_venue(record)}."


def _physics(record: Record) -> str:
    names = ", ".join(f"{_initials(n.given)} {n.family}" for n in record.authors[:4])
    return f"{names}, {record.title}, {_venue(record)} ({_year(record)})."


_STYLES = (_apa, _ieee, _nature, _vancouver, _acl, _physics)
KINDS: dict[str, Noise] = {
    "clean": clean,
    "latex": latex,
    "hyphenation": hyphenation,
    "typo": typo,
    "substituted": substituted,
    "truncated": truncated,
    "raw": raw,
}
