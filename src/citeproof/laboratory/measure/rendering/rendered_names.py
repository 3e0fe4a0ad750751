"""Names as styles print them, alone and in lists.

    written(Name("Virey", "Jean-Marc"), "Family, I. I.")   ⇒ "Virey, J.-M."
    written(Name("van der Waals", "J. D."), "I.I. Family") ⇒ "J.D. van der Waals"
    written(Name("王", "伟"), "Family II")                  ⇒ "王伟"

A form shows itself: `Family` or `FAMILY`, `Given` or initials `I. I.`, `I.I.`, `I I`, `II`, in their order.
"""

from __future__ import annotations

from dataclasses import dataclass

from citeproof.text import lazy_patterns as re
from citeproof.text.names import PARTICLES
from citeproof.vocabulary import Name

_EAST = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af々ー・ ]+")
_EASTERN = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class NameListing:
    """How a list of names is printed: `first` for the first name, `form` for the others."""

    form: str
    first: str = ""
    joint: str = ", "
    two: str = " and "  # between two names that are all
    last: str = ", and "  # before the last of three or more
    most: int = 0  # longer lists are cut; 0: never
    shown: int = 1  # how many names a cut list shows
    tail: str = " et al."
    closing: bool = False  # a cut list ends with its last name after the tail, as APA's does


def format_name_list(people: tuple[Name, ...], how: NameListing) -> str:
    """Return the list of names; empty if there are none."""
    whole = tuple(name for name in people if name.family or name.given)
    names = [format_name(name, how.form if at else how.first or how.form) for at, name in enumerate(whole)]
    if how.most and len(names) > how.most:
        return how.joint.join(names[: how.shown]) + how.tail + (names[-1] if how.closing else "")
    if len(names) <= 1:
        return "".join(names)
    return how.joint.join(names[:-1]) + (how.two if len(names) == 2 else how.last) + names[-1]


def format_name(name: Name, form: str) -> str:
    family, given = name.family.strip(), name.given.strip()
    if name.collective or not (family and given):
        return f"{family}{given}{_format_suffix(name, form)}"
    if is_eastern_name(name):
        return f"{family}{given}"
    if "FAMILY" in form:
        family = family.upper()
    shown = _format_given_name(given, form)
    if not shown:
        return family
    if form.lower().startswith("family"):
        return f"{family}{',' if ',' in form else ''} {shown}{_format_suffix(name, form)}"
    return f"{shown} {family}{_format_suffix(name, form)}"


def is_eastern_name(name: Name) -> bool:
    """Return whether the name is in Han, kana or hangul: family name first, no spaces, no initials."""
    whole = name.family + name.given
    return bool(_EAST.fullmatch(whole) and _EASTERN.search(whole))


def abbreviate_given_names(given: str) -> tuple[str, ...]:
    """Return the initials of the given names, without the last dot: "Jean-Marc Yu. A." ⇒ J.-M, Yu, A."""
    if given.isupper() and given.isalpha() and len(given) <= 3 and given.isascii():
        return tuple(given)
    initials = []
    for word in re.sub(r"\.(?=[^\s.-])", ". ", given).split():
        if word in PARTICLES:
            initials.append(word)
        elif short := ".-".join(filter(None, map(_abbreviate_word, word.split("-")))):
            initials.append(short)
    return tuple(initials)


def _abbreviate_word(word: str) -> str:
    """Return the first letter; what is already abbreviated ("Yu.") stays whole."""
    if word.endswith(".") and 1 < len(word) <= 3 and word[:-1].isalpha():
        return word[:-1]
    letter = _LETTER.search(word)
    return letter[0].upper() if letter else ""


def _format_given_name(given: str, form: str) -> str:
    if "Given" in form:
        return given
    if not re.search(r"\bI", form):
        return ""
    short = abbreviate_given_names(given)
    if "II" in form or "I I" in form:
        bare = [initial.replace(".-", "") for initial in short if initial not in PARTICLES]
        return (" " if "I I" in form else "").join(bare)
    text = " ".join(initial if initial in PARTICLES else f"{initial}." for initial in short)
    return text if "I. I." in form else re.sub(r"(?<=\.) (?=[^\W\d_]{1,3}\.)", "", text)


def _format_suffix(name: Name, form: str) -> str:
    if not name.suffix or form in {"Family", "FAMILY"}:
        return ""
    return f", {name.suffix}" if form.lower().startswith("family,") else f" {name.suffix}"
