"""Which records a benchmark is made of: by venue, identifier, language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

from citeproof.errors import UsageError
from citeproof.text import title as titles
from citeproof.vocabulary import Record

_FOREIGN = frozenset(
    "der die das und von für über eine zur des im mit auf bei "  # noqa: SIM905 - words read best as words
    "le la les des du une et pour dans sur par aux au "
    "el los las una del para por con en y "
    "il della nel gli di um uma da do dos na no em os".split()
)
_MOST_ENGLISH = frozenset("the of and for with from using on in to by an a".split())  # noqa: SIM905 - same
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af]{2}")


@dataclass(frozen=True, slots=True)
class RecordSelection:
    """What records must have; nothing given takes all."""

    venue: str = ""  # a pattern that one of the venues holds
    scheme: str = ""  # an identifier they must have
    foreign: bool = False  # a title in another language than English
    part: str = ""  # "1/2": the first half of all works, told by their titles

    def make_test(self) -> Callable[[Record], bool]:
        """Return the test for one record."""
        try:
            venue = re.compile(self.venue, re.IGNORECASE) if self.venue else None
        except re.error as error:
            raise UsageError(
                f"--venue {self.venue!r} is not a valid pattern: {error}", hint="give a regular expression"
            ) from error

        number, parts = _parse_part(self.part)

        def test(record: Record) -> bool:
            if parts > 1 and crc32(titles.make_title_key(record.title).encode()) % parts != number:
                return False
            if venue and not any(v.venue and venue.search(v.venue) for v in record.versions):
                return False
            if self.scheme and not record.ids.first(self.scheme):
                return False
            return not self.foreign or is_foreign_title(record.title)

        return test


def _parse_part(text: str) -> tuple[int, int]:
    """Return which part of how many is meant, counted from zero: "1/2" is (0, 2)."""
    number, _, parts = text.partition("/")
    if not text:
        return 0, 1
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise UsageError(f"--part {text!r} is not a valid part", hint="write K/N, such as 1/2")
    return int(number) - 1, int(parts)


def is_foreign_title(title: str) -> bool:
    """Return whether a title is in another language than English, or holds words of another script."""
    if _OTHER_SCRIPT.search(title):
        return True
    words = titles.split_words(title)
    other = sum(word in _FOREIGN for word in words)
    return other >= 2 and other > sum(word in _MOST_ENGLISH - _FOREIGN for word in words)
