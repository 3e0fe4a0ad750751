"""The table of `credit.toml`, and what the word of a record's source is worth."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from citeproof.text import doi
from citeproof.text.venue_match import parse_venue
from citeproof.vocabulary import LISTED, Record

ARXIV_DOI = "10.48550/arxiv."


@dataclass(frozen=True, slots=True)
class CreditTable:
    """The table of `credit.toml`."""

    lists: Mapping[str, str]  # list or source: good or poor
    origins: Mapping[str, str]  # list or source: whose facts it has
    witness: Mapping[str, float]  # what is left of a doubt after another witness
    trust: Mapping[str, float]
    retold: frozenset[str]  # series that invite works of other conferences
    slow: frozenset[str]  # journals that have no talk of the same year
    biennial: frozenset[str]  # conferences that are held every second year
    without_doi: frozenset[str]  # series whose works have no DOI
    public: frozenset[str]  # series whose submissions are public in the year before
    numbered: frozenset[str]  # conferences whose proceedings have volumes and numbers
    printed: Mapping[str, frozenset[str]]  # lists and prefixes of the venue's own, patterns they settle
    chance: Mapping[str, Mapping[str, float | Mapping[str, float]]]  # field: pattern: (member:) probability

    def get_chance(self, field: str, pattern: str, member: str) -> float:
        """Return how likely a citation is wrong that differs so; 1 where the table has no row."""
        table = "place" if field in ("volume", "issue", "pages") else field
        row = self.chance.get(table, self.chance["identifier"]).get(pattern, 1.0)
        return row if isinstance(row, float) else row[member if member in row else "preprint"]


@lru_cache(maxsize=1)
def load_credit_table() -> CreditTable:
    data = tomllib.loads(resources.files(__package__).joinpath("credit.toml").read_text("utf-8"))
    lists, origins = (
        {name: group for group, names in data.pop(table).items() for name in names}
        for table in ("standing", "origin")
    )
    series, printed = (
        {name: frozenset(names) for name, names in data.pop(table).items()} for table in ("venues", "printed")
    )
    witness, trust = data.pop("witness"), data.pop("trust")
    return CreditTable(lists, origins, witness, trust, **series, printed=printed, chance=data)


@lru_cache(maxsize=64)
def rate_source(record: Record) -> str:
    """Return what the word of a record's source is worth: "good", "fair", "poor" or "mixed".

    Of merged lists nobody knows whose names were kept: a careless one is enough to doubt, unless a good one
    is there. A list's record without identifiers was made by hand, unless its venue's works have none.
    """
    lists = [mark.removeprefix(LISTED) for mark in record.marks if mark.startswith(LISTED)]
    worth = {load_credit_table().lists.get(name, "fair") for name in lists or [record.source]}
    if "good" in worth:
        return "good"
    by_hand = not record.ids.pairs and not collect_series(record) & load_credit_table().without_doi
    if lists and ("poor" in worth or by_hand):
        return "mixed" if len(lists) > 1 else "poor"
    return "poor" if "poor" in worth else "fair"


@lru_cache(maxsize=64)
def name_origin(record: Record) -> str:
    """Return whose facts a record has: records of one origin are one witness, whoever serves them."""
    table = load_credit_table()
    lists = [mark.removeprefix(LISTED) for mark in record.marks if mark.startswith(LISTED)]
    known = [table.origins[name] for name in lists or [record.source] if name in table.origins]
    origin = known[0] if known else "by hand" if lists else record.source
    published = [value for value in record.ids.all("doi") if not value.startswith(ARXIV_DOI)]
    posted = not published and bool(record.ids.all("doi") or record.ids.all("arxiv"))
    if origin == "index":
        origin = "publisher" if published else "nlm" if record.ids.all("pmid") else "crawler"
    return "authors" if posted and origin in ("crawler", "repository") else origin


@lru_cache(maxsize=64)
def is_printed_list(record: Record) -> bool:
    """Return whether a list of people is that of the venue itself, as it was printed."""
    printed = load_credit_table().printed
    lists = {mark.removeprefix(LISTED) for mark in record.marks if mark.startswith(LISTED)} or {record.source}
    deposited = any(doi.get_prefix(value) in printed["prefixes"] for value in record.ids.all("doi"))
    return lists <= printed["lists"] or (record.source == "crossref" and deposited)


def collect_series(record: Record) -> set[str]:
    """Return the known series in which the versions of a work appeared."""
    return {name for version in record.versions for name in parse_venue(version.venue or "").series}
