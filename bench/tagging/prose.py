"""Prose that cites, made of templates and works, and prose that does not: labelled by construction.

A template is a text whose fields of works are slots: `{A}` full names in order, `{AI}` initials first,
`{AF}` the family first, `{L}` last names, `{F}` first author, `{T}` title, `{V}` venue, `{Y}` year,
`{VOL}`, `{ISS}`, `{PP}`, `{DOI}`, `{ARX}`, `{PUB}`; a number behind it parts several
works. `{M}` is a mark such as [1].
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tagging.corpus import Tagged

_SLOT = re.compile(r"\{(AI|AF|ARX|A|L|F|T|VOL|V|Y|ISS|PP|DOI|PUB|M)(\d*)\}")
_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_QUOTES = ("“”", '""', "„“", "«»", "‘’", "**", "__", "''")
_QUOTED = re.compile(r"[“\"„«‘*_'](?=\{T)|(?<=T\})[”\"“»’*_']|(?<=T\d\})[”\"“»’*_']")
_MARKS = ("[{}]",) * 8 + ("({})", "[^{}]", "raised", "raised", "【{}†source】")
_RAISED = str.maketrans("0123456789-–,", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻˒")
_SUFFIXES = ("s", "j.", "nature", "ac", "")
_HOMONYM = re.compile(r"\s?\b\d{4}\b,?\s?")
_SMALL = frozenset(_TABLES["small"].split())

Work = dict[str, Any]


class ProseMaker:
    """Fills templates with works; the same seed gives the same texts."""

    def __init__(self, works: Sequence[Work], seed: int = 1) -> None:
        """Take the works; those of another language than English have a `lang`."""
        self._works: dict[str, list[Work]] = {}
        for work in works:
            self._works.setdefault(work.get("lang", "en"), []).append(work)
        self._rng = random.Random(seed)

    def fill(self, template: str, name: str, language: str = "en") -> Tagged:
        """Return a template with fields of works in its slots."""
        rng = self._rng
        if rng.random() < 0.15:
            template = self._quote_otherwise(template)
        works: dict[str, Work] = {}
        self._mark, self._number = rng.choice(_MARKS), 0
        text, labels, at = [], [], 0
        for slot in _SLOT.finditer(template):
            work = works.setdefault(slot[2], self._choose(language))
            between, value = template[at : slot.start()], self._write(slot[1], work, language)
            text += [between, value]
            labels += ["O"] * len(between) + [_TABLES["labels"][slot[1]]] * len(value)
            at = slot.end()
        text.append(template[at:])
        labels += ["O"] * len(template[at:])
        return Tagged(name, "".join(text), tuple(labels))

    def _choose(self, language: str) -> Work:
        """Return a work, if it can be in the language of the text, or sometimes in another one."""
        rng = self._rng
        if rng.random() < (0.05 if language == "en" else 0.65):
            others = [name for name in self._works if name != "en"]
            language = language if language in others else rng.choice(others)
            return rng.choice(self._works[language])
        return rng.choice(self._works["en"])

    def _quote_otherwise(self, template: str) -> str:
        """Return a template whose titles have other quotation marks, or none."""
        quote = self._rng.choice((*_QUOTES, "  ", "  ", "  "))
        parts = re.split(r"(\{T\d*\})", template)
        for at in range(1, len(parts), 2):
            before, behind = parts[at - 1], parts[at + 1]
            if (
                before[-1:] in "“\"„«‘*_'"
                and before
                and behind
                and behind[0] in "”\"“»’*_'"
                and before[-2:] != "**"
            ):
                parts[at - 1], parts[at + 1] = before[:-1] + quote[0].strip(), quote[1].strip() + behind[1:]
        return "".join(parts)

    def _write(self, slot: str, work: Work, language: str) -> str:
        rng = self._rng
        if slot == "M":
            return self._write_mark()
        year, venue = work["p"][0][0], work["p"][0][1]
        if slot == "T":
            return self._write_title(work["t"].rstrip(" ."))
        if slot in ("A", "AI", "AF", "L", "F"):
            return self._write_people([_split_name(one) for one in work["a"]], slot, language)
        return {
            "V": venue, "Y": str(year) + (rng.choice("ab") if rng.random() < 0.03 else ""),
            "VOL": str(rng.randrange(1, 140)), "ISS": str(rng.randrange(1, 13)), "PP": self._write_pages(),
            "DOI": f"10.{rng.randrange(1000, 49999)}/{rng.choice(_SUFFIXES)}{rng.randrange(1000, 9999999)}",
            "ARX": f"{rng.randrange(10, 26):02}{rng.randrange(1, 13):02}.{rng.randrange(1, 19999):05}",
            "PUB": rng.choice(_TABLES["publishers"]),
        }[slot]  # fmt: skip

    def _write_mark(self) -> str:
        """Return a mark in the style of the text, with numbers that mostly rise."""
        rng = self._rng
        self._number = max(1, self._number + rng.choice((1, 1, 1, 0, -2)))
        numbers = str(self._number)
        if rng.random() < 0.25:
            numbers += rng.choice((", ", ",", "–", "-")) + str(self._number + rng.randrange(1, 4))
            self._number += 1
        if self._mark == "raised":
            return numbers.replace(" ", "").translate(_RAISED)
        return self._mark.format(numbers)

    def _write_pages(self) -> str:
        first = self._rng.randrange(1, 2500)
        return f"{first}{self._rng.choice('-–')}{first + self._rng.randrange(3, 40)}"

    def _write_title(self, title: str) -> str:
        way = self._rng.random()
        if way < 0.15:
            title = title.partition(": ")[0]
        case = self._rng.random()
        if case < 0.2:
            return title[:1] + "".join(
                word if any(map(str.isupper, word[1:])) else word.lower()
                for word in re.split(r"(\s)", title[1:])
            )
        if case < 0.45:
            return " ".join(
                word if word.lower() in _SMALL and at else word[:1].upper() + word[1:]
                for at, word in enumerate(title.split())
            )
        return title.upper() if case < 0.46 else title.lower() if case < 0.49 else title

    def _write_people(self, people: Sequence[tuple[str, str]], slot: str, language: str) -> str:
        rng = self._rng
        ands = _TABLES["ands"]
        joint = f" {rng.choice(ands.get(language, ands['en']))} "
        if language in ("zh", "ja"):
            joint = joint.strip()
        if slot == "F":
            return _write_name(*people[0], "A", rng)
        fewest = {"L": 2, "A": 3, "AI": 5, "AF": 6}[slot]
        if len(people) > fewest + rng.choice((0, 0, 1, 3)):
            shown = 1 if slot in ("L", "A") or rng.random() < 0.6 else 3
            others = _TABLES["others"].get(language, _TABLES["others"]["en"])
            return ", ".join(_write_name(*one, slot, rng) for one in people[:shown]) + rng.choice(others)
        names = [_write_name(*one, slot, rng) for one in people]
        if len(names) == 1:
            return names[0]
        comma = "," if (len(names) > 2 and rng.random() < 0.5) or slot == "AF" else ""
        return ", ".join(names[:-1]) + comma + joint + names[-1]


def _write_name(given: str, family: str, slot: str, rng: random.Random) -> str:
    initials = " ".join(f"{part[0]}." for part in given.replace("-", " ").split() if part)
    if slot == "L" or not given:
        return family
    if slot == "AI":
        return f"{initials} {family}"
    if slot == "AF":
        return (
            f"{family}, {initials}"
            if rng.random() < 0.7
            else f"{family} {initials.replace('. ', '').replace('.', '')}"
        )
    return f"{given} {family}"


def _split_name(name: str) -> tuple[str, str]:
    """Return given and family name of a name as the list of works has it."""
    name = _HOMONYM.sub(" ", name).strip(" ,")
    if "," in name:
        family, _, given = name.partition(",")
        return given.strip(), family.strip()
    given, _, family = name.rpartition(" ")
    return given.strip(), family.strip()


def is_fit(work: Work) -> bool:
    """Return whether a work has all that templates ask for."""
    version = next(iter(work.get("p") or ()), None)
    return bool(
        version and len(version) > 1 and version[0] and version[1] and len(version[1]) < 110 and work.get("a")
        and len(work["a"]) < 30 and 10 < len(work["t"]) < 190 and all(len(one) > 3 for one in work["a"])
    )  # fmt: skip


def join_texts(parts: Sequence[Tagged], gaps: Sequence[str]) -> Tagged:
    """Return texts as one, with the gaps between them."""
    text, labels = parts[0].text, parts[0].labels
    for part, gap in zip(parts[1:], gaps, strict=True):
        text, labels = text + gap + part.text, (*labels, *("O" for _ in gap), *part.labels)
    return Tagged(parts[0].id, text, labels)


def mix(cited: Sequence[Tagged], plain: Sequence[Tagged], seed: int) -> Iterator[Tagged]:
    """Yield the texts, some of them behind or before others, as a document has them."""
    rng = random.Random(seed)
    for one in cited:
        parts, gaps = [one], []
        while rng.random() < 0.35 and len(parts) < 4:
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(plain if rng.random() < 0.6 else cited))
            gaps.append(rng.choice(("\n\n", "\n\n", "\n", " ")))
        yield join_texts(parts, gaps)
    yield from plain
