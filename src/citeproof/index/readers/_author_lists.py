"""Author lists of dumps to names: `text.names` with a short way for the plain nine in ten.

A dump has millions of names. Most are "Jane A. Doe" or "Doe, Jane A." in ASCII; for these the
short way gives what `text.names.parse` gives (a test holds the two together) at a fifth of its cost.
"""

from __future__ import annotations

import re
from typing import cast

from msgspec import Raw
from msgspec.msgpack import encode

from citeproof.index.index_entry import MAX_CACHED, FamilyCache, Person
from citeproof.text import names

_W = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{1,20}(?:-[A-ZÀ-ÖØ-Þa-z][a-zß-öø-ÿ]{0,20})?"
_FAMILY = re.compile(_W)
_BEFORE = re.compile(rf"(?:{_W}|[A-Z]\.?)(?: [A-Z]\.?| {_W})?")  # the given names of "Jane A. Doe"
_AFTER = re.compile(rf"(?:{_W}|[A-Z]\.)(?:[ -](?:{_W}|[A-Z]\.)){{0,2}}")  # those of "Doe, Jane A."
# Words that text.names reads as a suffix, a particle or part of a collective name.
_SPECIAL = frozenset((
    "Collaboration", "Collaborations", "Consortium", "Group", "Team", "Committee", "Society",
    "Association", "Organisation", "Organization", "Institute", "University", "Center", "Centre",
    "Council", "Ministry", "Department", "Network", "Initiative", "Project", "Foundation", "Agency",
    "Commission", "Author", "Authors", "Investigators", "Openai", "Deepmind", "Corporation", "Laboratory",
    "Laboratories", "Research", "Bureau", "Office", "Union", "Academy", "Federation", "Program",
    "Programme", "Study", "Trial", "Working", "Community", "Gmbh", "Inc", "Ltd", "Llc", "Junior", "Filho",
    "Neto", "Van", "Von", "Del", "De", "Di", "La", "Le", "El", "Ii", "Iii", "Iv", "Md", "Jr", "Sr", "Phd",
    "Esq",
))  # fmt: skip
# How a dump marks, in the place of a name, that its list is cut.
CUT = frozenset(("others", "Others", "and others", "et al.", "et al", "et. al.", "Et Al", "Et al.", "ET AL"))


_NOBODY: Person = (Raw(b""), 0, "")  # is in a list for what is not a name


class AuthorLists:
    """Author lists of one dump, each name read once as long as it is remembered."""

    def __init__(self) -> None:
        self._families = FamilyCache()
        self._known: dict[str, Person] = {}
        self._before: dict[str, bytes] = {}
        self._after: dict[str, bytes] = {}
        self._last: dict[str, tuple[bytes, int, str]] = {}

    def read_people(self, texts: list[str]) -> tuple[list[Person], bool]:
        """Return the people of a dump's author list, and whether the list is complete.

        "others" and "et al." mark a list that is cut. A list that is there twice is one list:
        some compilations doubled them.
        """
        half = len(texts) >> 1
        if half and texts[0] == texts[half] and texts[:half] == texts[half:]:
            texts = texts[:half]
        found = list(map(self._known.get, texts))
        if all(found):
            return cast("list[Person]", found), True
        people = [person or self._read(text) for person, text in zip(found, texts, strict=True)]
        if _NOBODY not in people:
            return people, True
        return [person for person in people if person is not _NOBODY], CUT.isdisjoint(texts)

    def _read(self, text: str) -> Person:
        if not text or text in CUT:
            return _NOBODY
        if len(self._known) >= MAX_CACHED:
            self._known.clear()
        person = self._known[text] = self._plain(text) or self._parse_person(text)
        return person

    def _parse_person(self, text: str) -> Person:
        name = names.parse(text)
        return self._families.person(name) if name.family else _NOBODY

    def _plain(self, text: str) -> Person | None:
        """Return who a plain name is; None if reading it takes the long way.

        Millions of names are made of few given and family names, so each of these is examined once.
        """
        family, comma, given = text.partition(", ")
        if not comma:
            given, _, family = text.rpartition(" ")
        known, pattern = (self._after, _AFTER) if comma else (self._before, _BEFORE)
        first = known.get(given)
        if first is None:
            first = _learn_name(known, pattern, given)
        last = self._last.get(family) or self._learn_family(family)
        if not first or not last[0]:
            return None
        return Raw(b"\x92" + last[0] + first), last[1], last[2]

    def _learn_family(self, text: str) -> tuple[bytes, int, str]:
        """Return a family name packed and folded; its bytes are empty if it is not plain."""
        if len(self._last) >= MAX_CACHED:
            self._last.clear()
        made: tuple[bytes, int, str] = (b"", 0, "")
        if _is_plain(_FAMILY, text):
            made = (encode(text), *self._families.fold_family(text))
        self._last[text] = made
        return made


def _learn_name(known: dict[str, bytes], pattern: re.Pattern[str], text: str) -> bytes:
    """Return given names packed, empty if they are not plain; either is remembered."""
    if len(known) >= MAX_CACHED:
        known.clear()
    made = known[text] = encode(text) if _is_plain(pattern, text) else b""
    return made


def _is_plain(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None and _SPECIAL.isdisjoint(text.replace("-", " ").split())
