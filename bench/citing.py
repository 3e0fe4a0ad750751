"""Works of a snapshot as somebody's bibliography: cited truly, or wrongly in a known way."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.vocabulary import Name, Record, Version

IDS = (("doi", "doi"), ("arxiv", "eprint"), ("pmid", "pmid"))


@dataclass(frozen=True, slots=True)
class Cited:
    """One entry: its key, what was done to it, and its text."""

    key: str
    truth: str  # "real", "year", "authors", "other_id", "no_such_id", "invented"
    has_id: bool
    text: str


def bibliography(
    snapshot: Snapshot, count: int, seed: int, *, real: float = 1.0, ids: float = 0.7
) -> list[Cited]:
    """Return `count` entries, a share `real` of them true, a share `ids` with their identifier."""
    rng = random.Random(seed)
    return [_cited(snapshot, rng, f"r{n}", real=real, ids=ids) for n in range(count)]


def _cited(snapshot: Snapshot, rng: random.Random, key: str, *, real: float, ids: float) -> Cited:
    record = _pick(snapshot, rng)
    named = [pair for pair in record.ids.pairs if pair[0] in dict(IDS)]
    own = named[:1] if rng.random() < ids else []
    truth = (
        "real"
        if rng.random() < real
        else rng.choice(("year", "authors", "other_id", "no_such_id", "invented"))
    )
    title, people, version = record.title, record.authors, record.versions[0]
    match truth:
        case "year":
            version = replace(version, year=(version.year or 2000) - 4)
        case "authors":
            people = _pick(snapshot, rng).authors
        case "other_id":
            own = [("doi", _pick(snapshot, rng, with_doi=True).ids.first("doi") or "")]
        case "no_such_id":
            own = [("doi", f"10.1103/nosuch.{rng.randrange(10**6)}")]
        case "invented":
            other = _pick(snapshot, rng).title.split()
            words = title.split()
            title = " ".join(words[: len(words) // 2] + other[len(other) // 2 :])
            people, own = _pick(snapshot, rng).authors, []
    return Cited(key, truth, bool(own), _entry(key, title, people, version, own))


def _pick(snapshot: Snapshot, rng: random.Random, *, with_doi: bool = False) -> Record:
    while True:
        record = snapshot.record_at(rng.randrange(snapshot.manifest.records))
        first = record.versions[0] if record.versions else Version()
        whole = record.authors and len(record.title) > 25 and first.year and first.venue
        if whole and (record.ids.first("doi") or not with_doi):
            return record


def _entry(
    key: str, title: str, people: tuple[Name, ...], version: Version, ids: list[tuple[str, str]]
) -> str:
    named = " and ".join(f"{a.family}, {a.given}" if a.given else f"{{{a.family}}}" for a in people)
    fields = {"title": title, "author": named, "year": version.year, "journal": version.venue}
    fields |= {dict(IDS)[scheme]: value for scheme, value in ids}
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@article{{{key},\n{body}}}\n"
