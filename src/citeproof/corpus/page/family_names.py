"""The family names that come before a year, read from right to left."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeproof.corpus.page.word_lists import load_words

_NAMES = 12  # of one citation
_TOKEN = re.compile(r"[^\W\d_]+(?:['’ʼ\u2010\u2011-][^\W\d_]+)*+(?:['’](?=\s))?|\d+|\S")
_OWN = re.compile(r"['’]s?\Z")
_LED = re.compile(r"[^\W\d_]{1,3}['’\u2010\u2011-][^\W\d_a-z]")  # "d'Alembert", "al-Khwarizmi"
_JOINTS = frozenset(("and", "&", "und", "et", "y", "и"))
_OTHERS = frozenset(("al", "colleagues", "others", "coworkers", "co-workers", "coll", "др", "соавт", "otros"))


@dataclass(slots=True)
class NamesBeforeYear:
    """The names before one year, places in the window that they were read from."""

    names: tuple[str, ...]
    start: int  # of the first name
    et_al: bool
    narrative: bool  # the year alone is in brackets: "Smith (2020)"
    comma: bool


def find_names(window: str) -> NamesBeforeYear | None:
    """Return the names at the end of `window`, None if no name is there."""
    return _NameWalk([(token[0], token.start()) for token in _TOKEN.finditer(window)]).read_names()


class _NameWalk:
    """Goes through the words before a year from right to left."""

    def __init__(self, tokens: list[tuple[str, int]]) -> None:
        self.tokens = tokens
        self.at = len(tokens) - 1
        self.start = 0

    def read_names(self) -> NamesBeforeYear | None:
        narrative = self._take("(", "[")
        comma = not narrative and self._take(",")
        et_al = self._skip_et_al()
        first = self._name(own=narrative and not et_al)
        if first is None:
            return None
        names, start = [first], self.start
        joined = et_al
        while len(names) < _NAMES and (name := self._read_further_name(listed=joined)):
            names.insert(0, name)
            start, joined = self.start, True
        return NamesBeforeYear(tuple(names), start, et_al, narrative, comma)

    def _word(self, back: int = 0) -> str:
        return self.tokens[self.at - back][0] if self.at >= back else ""

    def _take(self, *wanted: str) -> bool:
        if self._word() in wanted:
            self.at -= 1
            return True
        return False

    def _skip_et_al(self) -> bool:
        """Pass over "et al.", "and colleagues", and the comma before it; return whether it was there."""
        if self._word() == "s" and self._word(1) in ("'", "’"):  # "Smith et al.'s"
            self.at -= 2
        dot = self._word() == "."
        if self._word(dot).lower() not in _OTHERS:
            return False
        back = dot + 1 + (self._word(dot + 1) == ".")
        if self._word(back).lower() not in _JOINTS:
            return False
        self.at -= back + 1
        self._take(",")
        return True

    def _name(self, *, own: bool = False) -> str | None:
        """Pass over one name, with its particles or initials; return the family name."""
        if self._initials() and not self._take(","):
            return None
        word = self._word()
        family = _OWN.sub("", word) if own or word.endswith(("'", "’")) else word
        if len(family) < 2 or not _is_capitalised(family) or family.casefold() in load_words("no_authors"):
            return None
        self.start = self.tokens[self.at][1]
        self.at -= 1
        particles: list[str] = []
        while len(particles) < 3 and self._word() and self._word().lower() in load_words("particles"):
            if self._word(1) in ("et", "et."):
                break
            particles.insert(0, self._word())
            self.start = self.tokens[self.at][1]
            self.at -= 1
        return " ".join([*particles, family])

    def _initials(self) -> bool:
        """Pass over initials behind a family name: "Smith, J.-P."."""
        origin = self.at
        while self._word() == "." and len(self._word(1)) == 1 and _is_capitalised(self._word(1)):
            self.at -= 2
            self._take("-", "\u2010", "\u2011")
        return self.at != origin

    def _read_further_name(self, *, listed: bool) -> str | None:
        """Pass over a joint and one more name before it; stay in place if there is none."""
        origin, start = self.at, self.start
        for _ in range(2):  # "John B. Smith and Mary Jones"
            if _is_capitalised(self._word()) and len(self._word()) > 1 and self._word(1) in _JOINTS:
                self.at -= 1
            elif self._word() == "." and len(self._word(1)) == 1 and _is_capitalised(self._word(1)):
                self.at -= 2
        joint = self._word().lower() in _JOINTS
        if joint:
            self.at -= 1
            for _ in range(3):  # "Park, N., ... & Jeon, S."
                self._take(".", "…")
            self._take(",")
        if (joint or (listed and self._take(","))) and (name := self._name()):
            return name
        self.at, self.start = origin, start
        return None


def _is_capitalised(word: str) -> bool:
    """Return whether a word begins with a capital as names do, or is of a script that has none."""
    if not word or not word[0].isalpha():
        return False
    return not word[0].islower() or _LED.match(word) is not None
