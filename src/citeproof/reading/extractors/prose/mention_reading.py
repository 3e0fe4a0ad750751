"""The people named before a year, read from right to left."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Name

MAX_NAMES = 12  # of one mention
MAX_WORDS = 60  # before a year that are read
_LEAD = 4  # given names, initials and parts of a family name before its last word
_VENUE = 10  # words of a journal's name between the names and the year
_NUMBERS = 12  # words of a mark such as [12, 14–16]
_GLUED = 3  # initials without stops: "Smith JAB"
_PLENTY = 2  # names that only a citation joins

_INSIDE = frozenset(("of", "for", "on", "de", "du", "für", "di"))  # in the name of an institution

_OWN = re.compile(r"['’]s?\Z")
_LED = re.compile(r"[^\W\d_]{1,3}['’ʼ‐‑-][^\W\d_a-z]")  # "d'Alembert", "al-Khwarizmi"
_INNER = re.compile(r"[a-z](?<!\bMc)(?<!\bMac)(?<!\bDe)(?<!\bLe)(?<!\bLa)(?<!\bDi)(?<!\bDu)(?<!\bVan)[A-Z]")
_LEADING = re.compile(r"[A-Z]{2,9}[a-z]")  # "PCAdmix"
_CHINESE = re.compile(r"([\u3400-\u9fff]{2,4})等人?\Z")


@cache
def load_words(table: str) -> frozenset[str]:
    """Return the words of one table of `mention_words.toml`, in small letters."""
    return frozenset(
        load_package_table("citeproof.reading.extractors.prose", "mention_words.toml")[table].split()
    )


# Words between the last two people, for a pattern.
JOINTS = "|".join(sorted(load_words("joints") - {"with", "plus"}, key=len, reverse=True))


class TextWord(NamedTuple):
    """One word or sign of a text, and where it is."""

    text: str
    start: int
    end: int
    year: bool


class NameWalk:
    """Goes through the words before a year from right to left."""

    def __init__(self, words: Sequence[TextWord], year: int) -> None:
        self._words = words
        self._year = year
        self._at = year - 1
        self._low = max(0, year - MAX_WORDS)
        self.start = words[year].start
        self.names: tuple[Name, ...] = ()
        self.et_al = False
        self.narrative = False  # the year alone is in brackets: "Smith (2020)"
        self.venue: str | None = None
        self._comma = False
        self._whole = False  # the names are all there is in their part of the brackets
        self._text_start = 0

    def read(self) -> bool:
        """Read the names; return whether there are any."""
        self.narrative = self._take("(", "[")
        dated = not self.narrative and self._word() == "in" and self._word(1) == "]"
        self._at -= dated
        self._comma = not self.narrative and self._take(",")
        self._skip_number_mark()
        if self.narrative:
            self._take(",")
        if not self._read_people() and not self._read_behind_venue():
            return False
        self._whole = dated or self._is_whole_part() or self._read_institution()
        return True

    def is_sure(self) -> bool:
        """Return whether only a citation has this form."""
        if self.et_al or self.narrative or self._whole or self.venue:
            return True
        return len(self.names) >= _PLENTY and self._comma

    # --- words -------------------------------------------------------------------------------------

    def _word(self, back: int = 0) -> str:
        at = self._at - back
        return self._words[at].text if at >= self._low else ""

    def _take(self, *wanted: str) -> bool:
        if self._word() in wanted:
            self._at -= 1
            return True
        return False

    def _skip_number_mark(self) -> None:
        """Pass over the mark of a numbered citation: "Smith and Jones [12] (2004)"."""
        if self._word() != "]":
            return
        for back in range(1, _NUMBERS):
            word = self._word(back)
            if word == "[":
                self._at -= back + 1
                return
            if not word or not (word.isdigit() or word in ",-–—;"):
                return

    # --- people ------------------------------------------------------------------------------------

    def _read_people(self) -> bool:
        """Read "A, B, and C et al." before the place reached; stay there if nobody is named."""
        origin = self._at
        et_al = self._skip_et_al()
        first = self._read_name(any_word=True)
        if first is None:
            self._at = origin
            return False
        name, cut = first
        et_al = et_al or cut
        names, start = [name], self._text_start
        doubtful = not et_al and name.family.lower() in load_words("not_names")  # "An et al." are people
        joined = et_al
        while len(names) < MAX_NAMES and (more := self._read_further_name(names[0].family, listed=joined)):
            names.insert(0, more)
            start, joined = self._text_start, True
        if (doubtful and len(names) == 1) or (not et_al and self._is_venue_behind_et_al()):
            self._at = origin
            return False
        self.names, self.et_al, self.start = tuple(names), et_al, start
        return True

    def _skip_et_al(self) -> bool:
        """Pass over "et al.", "and colleagues", "u. a." and a comma before; return whether it was there."""
        origin = self._at
        if self._word() == "s" and self._word(1) in ("'", "’"):  # "Smith et al.'s"
            self._at -= 2
        dot = int(self._word() == ".")
        word = _OWN.sub("", self._word(dot).lower())
        back = dot + 1
        if word == "a" and self._word(back) == "." and self._word(back + 1) == "u":  # u. a.
            self._at -= back + 2
        elif word == "a" and self._word(back) == "u":  # ua
            self._at -= back + 1
        elif word in load_words("others"):
            if self._word(back) in ("his", "her", "their"):
                back += 1
            back += self._word(back) == "."
            if self._word(back).lower() not in load_words("joints"):
                self._at = origin
                return False
            self._at -= back + 1
        else:
            self._at = origin
            return False
        self._take(",")
        return True

    def _read_name(self, *, any_word: bool = False) -> tuple[Name, bool] | None:
        """Pass over one name; return it, and whether it says itself that others are left out.

        With `any_word` a word counts that is usually no name: "May", "Page", "He".
        """
        origin = self._at
        behind = self._skip_initials_behind()
        word = self._word()
        family = _OWN.sub("", word)
        cut = _CHINESE.match(family)
        family = cut[1] if cut else family
        usual = any_word or family.lower() not in load_words("not_names")
        if len(family) < _PLENTY or not _is_capitalised(family) or not usual:
            self._at = origin
            return None
        if self._word(1).isdigit() and self._words[self._at - 1].end == self._words[self._at].start:
            self._at = origin
            return None  # the end of "BC5CDR"
        self._text_start = self._words[self._at].start
        self._at -= 1
        family = self._add_particles(family)
        given = self._read_lead()
        return Name(family, " ".join(filter(None, (given, behind)))), bool(cut)

    def _add_particles(self, family: str) -> str:
        particles: list[str] = []
        while len(particles) < _LEAD and self._word().lower() in load_words("particles"):
            if self._word(1).lower() in ("et", "et."):
                break
            particles.insert(0, self._word())
            self._text_start = self._words[self._at].start
            self._at -= 1
        return " ".join([*particles, family])

    def _skip_initials_behind(self) -> str:
        """Pass over initials behind a family name, "Smith, J.-P." or "Smith JP"; return them."""
        origin = self._at
        found: list[str] = []
        while self._word() == "." and len(self._word(1)) == 1 and self._word(1).isupper():
            found.insert(0, self._word(1))
            self._at -= 2
            self._take("-", "‐", "‑")
        if found:
            self._take(",")
            if _is_family_like(self._word()):
                return " ".join(f"{one}." for one in found)
            self._at = origin
            return ""
        word = self._word()
        glued = word.isupper() and word.isalpha() and len(word) <= _GLUED
        before = self._word(1)
        if glued and _is_family_like(before) and before.lower() not in load_words("not_names"):
            self._at -= 1
            return word
        return ""

    def _read_lead(self) -> str:
        """Pass over initials, given names or the first part of a double name before a family name."""
        found: list[str] = []
        while len(found) < _LEAD:
            word = self._word()
            dotted = word == "." and len(self._word(1)) <= 2 and _is_capitalised(self._word(1))
            if dotted and self._words[self._at].start == self._words[self._at - 1].end:
                found.insert(0, f"{self._word(1)}.")
                self._text_start = self._words[self._at - 1].start
                self._at -= 2
                self._take("-", "‐", "‑")
            elif (
                _is_capitalised(word)
                and word.lower() not in load_words("not_names")
                and not word.endswith("s’")
            ):
                found.insert(0, word)
                self._text_start = self._words[self._at].start
                self._at -= 1
            else:
                break
        return " ".join(found)

    def _read_further_name(self, last: str, *, listed: bool) -> Name | None:
        """Pass over a joint and one more name before it; stay in place if there is none."""
        origin, start = self._at, self._text_start
        joint = self._word().lower() in load_words("joints") or self._word() == "/"
        joint = joint or (
            self._word() == ";" and last.isupper() and self._word(1).isupper()
        )  # (SILVA; SOUZA)
        if joint:
            self._at -= 1
            for _ in range(3):  # "Park, N., … & Jeon, S."
                self._take(".", "…")
            self._take(",")
        elif not (listed and self._take(",")):
            return None
        found = self._read_name()
        if found is None or (_is_product(found[0]) and not last.isupper()):
            self._at, self._text_start = origin, start
            return None
        return found[0]

    # --- what stands between -----------------------------------------------------------------------

    def _is_venue_behind_et_al(self) -> bool:
        """Return whether "et al." comes before what was read as names: "Devlin et al., NAACL 2019"."""
        origin = self._at
        self._take(",", "(")
        found = self._skip_et_al()
        self._at = origin
        return found

    def _read_behind_venue(self) -> bool:
        """Read the names before a journal: "Yamada et al., Brain 2019", "Park & Ng, Nat. Med. 2024"."""
        origin = self._at
        first, dotted = self._skip_venue()
        bracket = first >= 0 and self._take("(")
        comma = not bracket and self._take(",")
        named = first >= 0 and (bracket or comma or self._is_et_al_end()) and self._read_people()
        if not named or not (self.et_al or bracket or (dotted and comma) or len(self.names) > 1):
            self._at = origin
            return False
        printed = " ".join(word.text for word in self._words[first : origin + 1])
        self.venue = printed.replace(" .", ".")
        self.narrative = self.narrative or bracket
        return True

    def _skip_venue(self) -> tuple[int, bool]:
        """Pass over what may be a journal; return where it begins (-1: nowhere), and if it has stops."""
        words, dotted = 0, False
        while words < _VENUE and not (self._word(-1) == "." and self._is_et_al_end()):
            word = self._word()
            if word == "." and self._word(1)[:1].isalpha():
                dotted = dotted or not self._is_et_al_end()
                if not dotted:
                    break
            elif not (_is_capitalised(word) or (words and word in load_words("small"))):
                break
            self._at -= 1
            words += 1
        first = self._at + 1
        begins = 0 < words < _VENUE and _is_capitalised(self._words[first].text)
        return (first if begins else -1), dotted

    def _read_institution(self) -> bool:
        """Read "(Centers for Disease Control and Prevention 2005)" as one name; return whether it is one."""
        if self.et_al or self._word() not in _INSIDE:
            return False
        back = 0
        while back < _VENUE and (
            _is_capitalised(self._word(back)) or self._word(back) in load_words("small")
        ):
            back += 1
        first = self._at - back + 1
        if (
            self._word(back) not in ("(", "[", ";")
            or not back
            or not _is_capitalised(self._words[first].text)
        ):
            return False
        if self._words[first].text.lower() in load_words("not_names"):
            return False
        named = [
            word.text
            for word in self._words[first : self._year]
            if word.text[0].isalpha() or word.text == "&"
        ]
        self.names, self.start = (Name(" ".join(named), collective=True),), self._words[first].start
        return True

    def _is_et_al_end(self) -> bool:
        origin = self._at
        found = self._skip_et_al()
        self._at = origin
        return found

    def _is_whole_part(self) -> bool:
        """Return whether before the names there is the bracket or the citation before, lead words aside."""
        for back in range(8):
            word = self._word(back)
            if word in ("(", "[") or (word == ";" and self._parts_citations(back)):
                return True
            if (
                word == ","
                and back < 3
                and self._at - back - 1 >= 0
                and self._words[self._at - back - 1].year
            ):
                return True
            if not word or not (word in ",.:" or word.lower() in load_words("leads")):
                return False
        return False

    def _parts_citations(self, back: int) -> bool:
        """Return whether the semicolon so many words back is in brackets, or behind a cited year."""
        at = self._at - back
        words = (self._words[index].text for index in range(at, self._low - 1, -1))
        opened = next((word in "([" for word in words if word in ("(", ")", "[", "]")), False)
        return opened or (at > self._low and self._words[at - 1].year)


def _is_capitalised(word: str) -> bool:
    """Return whether a word begins with a capital as names do, or is of a script that has none."""
    if not word or not word[0].isalpha():
        return False
    return not word[0].islower() or _LED.match(word) is not None


def _is_product(name: Name) -> bool:
    """Return whether a name before others is that of a thing, not of people: "AAN", "PubMed Central"."""
    words = name.display.split()
    return any(
        _INNER.search(word) or _LEADING.match(word) or (word.isupper() and len(word) > _PLENTY)
        for word in words
    )


def _is_family_like(word: str) -> bool:
    return len(word) > 1 and _is_capitalised(word) and not word.isupper()
