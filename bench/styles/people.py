"""Names of people: read from records, and written as the styles write them."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

_PARTICLES = frozenset(
    [
        "von",
        "van",
        "der",
        "den",
        "de",
        "da",
        "di",
        "del",
        "della",
        "dos",
        "du",
        "la",
        "le",
        "zu",
        "ter",
        "ten",
        "al",
        "el",
        "bin",
    ]
)
_FULL = re.compile(r"[^\W\d_][\w'’.\- ]*[\w.]\Z")
_MANY = {
    "en": ("et al.", "et al.", "et al", "and others"), "de": ("et al.", "u. a.", "u.a."),
    "fr": ("et al.", "et coll.", "et alii"), "es": ("et al.", "y otros", "et al."),
    "it": ("et al.", "e altri"),
    "pt": ("et al.", "e outros"), "ru": ("и др.",), "zh": ("等", "等.", "，等"), "ja": ("ほか", "他"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """A person's names, or an organisation (only `family`)."""

    family: str
    given: str = ""

    @property
    def initials(self) -> tuple[str, ...]:
        """First letters of the given names, hyphens kept: Jean-Paul is J.-P; a particle stays whole."""
        parts = []
        for word in self.given.replace(".", ". ").split():
            if word in _PARTICLES:
                parts.append(word)
                continue
            letters = [piece[0].upper() for piece in word.split("-") if piece and piece[0].isalpha()]
            if letters:
                parts.append(".-".join(letters))
        return tuple(parts)


def person(text: str) -> Person | None:
    """A name as the lists print it, "Family, Given" or "Given Family"; None for what is not a plain name."""
    text = re.sub(r"\s+\d{4}\Z", "", text).strip()
    if not 3 <= len(text) <= 45 or not _FULL.match(text.replace(",", "")) or text.count(",") > 1:
        return None
    if "," in text:
        family, given = (part.strip() for part in text.split(",", 1))
        return Person(family, given) if family and given else None
    words = text.split()
    if len(words) < 2 or len(words) > 5:
        return None
    cut = len(words) - 1
    while cut > 1 and words[cut - 1].lower() in _PARTICLES:
        cut -= 1
    family = " ".join(words[cut:])
    return Person(family, " ".join(words[:cut])) if len(family) > 1 and not family.endswith(".") else None


def written(who: Person, form: str) -> str:
    """One name in a form that shows itself: `Family, I. I.`, `Family II`, `I.I. Family`, `FAMILY, Given` …"""
    if not who.given:
        return who.family
    family = who.family.upper() if "FAMILY" in form else who.family
    dotted = [one if one in _PARTICLES else f"{one}." for one in who.initials]
    if "Given" in form:
        given = who.given
    elif "II" in form:
        given = "".join(one.replace(".", "") for one in who.initials)
    elif "I I" in form:
        given = " ".join(one.replace(".", "") for one in who.initials)
    else:
        given = re.sub(r"(?<=\.)(?=[a-z])", " ", (" " if "I. I." in form else "").join(dotted))
    first = form.lower().startswith("family")
    comma = "," if "," in form else ""
    return f"{family}{comma} {given}".strip() if first else f"{given} {family}".strip()


def listed(people: tuple[Person, ...], spec: str, language: str, rng: random.Random) -> str:
    """A list of names by `form|separator|last separator[|most names]`; a form `A/B` is for first/others."""
    form, separator, last, *limit = spec.split("|")
    forms = form.split("/")
    names = [written(who, forms[min(at, len(forms) - 1)]) for at, who in enumerate(people)]
    most = int(limit[0]) if limit else rng.choice((3, 6, 10, 20))
    if len(names) > most:
        shown = names[: rng.choice((1, min(3, most), most))]
        tail = rng.choice(_MANY[language])
        glue = "" if language in {"zh", "ja"} else rng.choice((" ", separator))
        return separator.join(shown) + glue + tail
    if len(names) == 1:
        return names[0]
    if len(names) == 2 and re.match(r", \S", last) and rng.random() < 0.6:
        last = last[1:]
    return separator.join(names[:-1]) + last + names[-1]
