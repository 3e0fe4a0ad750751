"""Real works to cite, chosen from a list of records by a seed.

The records hold title, authors, year, venue and DOI. Volume, issue and pages are made up, because they
are not in the records: they are there so that a citation looks like one, and are no part of the gold.
"""

from __future__ import annotations

import io
import json
import random
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

PARTICLES = frozenset(
    {"van", "von", "de", "der", "den", "del", "della", "di", "da", "dos", "du", "la", "le", "ter"}
)
HOUSES = (
    "Springer",
    "Press",
    "Wiley",
    "Prentice",
    "Elsevier",
    "Verlag",
    "Routledge",
    "Publish",
    "Kluwer",
    "Addison",
)
PLACES = ("Berlin", "Cambridge", "New York", "Oxford", "Amsterdam", "London", "Boston", "Paris")
MEETING = re.compile(
    r"Proc|Conference|Workshop|Symposium|Meeting|Actes|Congress|[A-Z]{4}|\b(?:CHI|UAI)\b|SIG"
)
WORDS = {
    "de": re.compile(r"\b(?:und|der|die|von|für|eine|zur)\b"),
    "fr": re.compile(r"\b(?:une|des|pour|dans|les|sur)\b"),
    "es": re.compile(r"\b(?:una|los|para|del|las)\b"),
    "pt": re.compile(r"\b(?:uma|dos|para|em|da|do)\b"),
    "it": re.compile(r"\b(?:della|una|per|nel|degli|il)\b"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
}
ODD = re.compile(
    r"[\\{}$_^<>#�\[\]|~=*@\"“”]|--|\bvol\b|submission|Extended Abstracts|\?\?|:$|[\u0300-\u036f]"
)
SHARE = 40  # one first author in so many: ten thousand works, many times what one run prints


@dataclass(frozen=True, slots=True)
class Work:
    """A work as a bibliography would hold it."""

    key: str
    kind: str  # the BibTeX type: article, inproceedings, book
    title: str
    authors: tuple[tuple[str, str], ...]  # family, given
    year: int
    venue: str  # journal, proceedings or publisher
    doi: str
    volume: int
    number: int
    first: int
    last: int
    language: str

    @property
    def pages(self) -> str:
        """Return the pages with a hyphen."""
        return f"{self.first}-{self.last}"

    @property
    def span(self) -> str:
        """Return the pages with the dash that printers use."""
        return f"{self.first}–{self.last}"

    @property
    def place(self) -> str:
        """Return a town for the publisher of a book."""
        return PLACES[self.volume % len(PLACES)]


def load(path: Path, seed: int) -> list[Work]:
    """Return a few thousand usable works, shuffled by `seed`; all that are not English are kept."""
    rng = random.Random(seed)
    rows = [row for row in _rows(path) if _drawn(row, seed) or _foreign(row["t"])]
    rng.shuffle(rows)
    found: list[Work] = []
    seen: set[str] = set()
    for row in rows:
        work = _work(row, f"rw{len(found):05d}x", rng)
        if work and work.title.casefold() not in seen:
            seen.add(work.title.casefold())
            found.append(work)
    return found


def latin(work: Work) -> bool:
    """Return whether every letter is one that classic TeX fonts can print."""
    text = work.title + work.venue + "".join(f + g for f, g in work.authors)
    return all(ord(c) < 0x180 or c in "–—’‘" for c in unicodedata.normalize("NFC", text))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8"):
            yield json.loads(line)


def _drawn(row: dict[str, Any], seed: int) -> bool:
    """Return whether a row is in the sample: all works of a first author are, or none."""
    first = next(iter(row.get("a", [])), "")
    return zlib.crc32(f"{seed} {first}".encode()) % SHARE == 0


def _foreign(title: str) -> str:
    """Return the language of a title that is not English, else nothing."""
    for language, pattern in WORDS.items():
        if language == "zh":
            if len(pattern.findall(title)) >= 6:
                return language
        elif len(set(pattern.findall(title))) >= 2:
            return language
    return ""


def _work(row: dict[str, Any], key: str, rng: random.Random) -> Work | None:
    title = unicodedata.normalize("NFC", " ".join(row["t"].split())).rstrip(".")
    language = _foreign(title) or "en"
    if language != "en":  # "Titre français (English title) [in French]": what stands before the bracket
        title = re.split(r"\s*[(\[/]", title, maxsplit=1)[0].strip() or title
    year, venue = next(((y, v) for y, v in row.get("p", []) if y and v), (0, ""))
    authors = tuple(_names(row.get("a", [])))
    shortest = 8 if language == "zh" else 20
    if not (year >= 1950 and 5 <= len(venue) <= 140 and shortest <= len(title) <= 180 and authors):
        return None
    if (
        ODD.search(title)
        or title.startswith("Proceedings")
        or ODD.search(venue)
        or title.isupper()
        or not title[0].isalnum()
    ):
        return None
    doi = row.get("d", "")
    first = rng.randint(1, 2400)
    return Work(
        key,
        _kind(row, venue),
        title,
        authors,
        year,
        venue,
        doi if isinstance(doi, str) else doi[0],
        rng.randint(2, 90),
        rng.randint(1, 12),
        first,
        first + rng.randint(3, 28),
        language,
    )


def _kind(row: dict[str, Any], venue: str) -> str:
    if "isbn" in row.get("i", {}) and any(house in venue for house in HOUSES):
        return "book"
    return "inproceedings" if MEETING.search(venue) else "article"


def _names(raw: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names that are names; nothing at all if one of them is not."""
    names = [_name(one) for one in dict.fromkeys(raw)]
    if len(names) <= 14 and all(names):
        yield from (name for name in names if name)


def _name(raw: str) -> tuple[str, str] | None:
    text = " ".join(raw.replace(".", ". ").split())
    if re.search(r"[^\w\s.,'’-]|\d|\band\b|_", text) or text.islower() or text.isupper():
        return None
    if "," in text:
        family, _, given = (part.strip() for part in text.partition(","))
    else:
        words = text.split()
        at = next((n for n, word in enumerate(words) if n and word in PARTICLES), len(words) - 1)
        family, given = " ".join(words[at:]), " ".join(words[:at])
    given = " ".join(f"{word}." if len(word) == 1 else word for word in given.split())
    if len(family) < 2 or not given or "," in given or not given[0].isupper() or family.endswith("."):
        return None
    return family, given


def cited(pool: list[Work], recipe: dict[str, Any], rng: random.Random) -> list[Work]:
    """Return the works a paper cites: those of its language first, a few authors cited more than once."""
    language = recipe.get("language", "en")
    fit = [
        work for work in pool if work.language in {language, "en"} and (recipe.get("engine") or latin(work))
    ]
    own = [work for work in fit if work.language == language != "en"]
    count = recipe["entries"]
    again = _same_authors(fit, rng)[: count // 2] if "repeated authors" in recipe["troubles"] else []
    found = [*again, *rng.sample(own, min(len(own), count // 2)), *rng.sample(fit, min(len(fit), 2 * count))]
    found = list(dict.fromkeys(found))[:count]
    rng.shuffle(found)
    return found


def _same_authors(works: list[Work], rng: random.Random) -> list[Work]:
    """Return works whose authors have written another one together, side by side."""
    by: dict[tuple[tuple[str, str], ...], list[Work]] = {}
    for work in works:
        by.setdefault(work.authors, []).append(work)
    groups = [group[:4] for group in by.values() if len(group) > 1]
    rng.shuffle(groups)
    return [work for group in groups for work in group]
