"""Records in topical collections: works that share a subject and its vocabulary.

A table names subdomains and the phrases of their themes (`topics.toml` has those of physics). Without a
table the frequent pairs of words in the titles are the themes, and subdomains are those that share a word.
"""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from citeproof.errors import InputError
from citeproof.laboratory.measure.makers.title_words import find_word_spans
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Record

MOST, SUBDOMAINS = 42, 9
_FEWEST = 12  # works a theme must have to be a collection

Topics = Mapping[str, Mapping[str, Sequence[str]]]  # subdomain -> theme -> phrases


@dataclass(frozen=True, slots=True)
class TopicCollection:
    name: str
    subdomain: str
    records: tuple[Record, ...]


def load_topics(name: str | Path) -> Topics:
    """Return a table of topics: that of the package called `name`, or a TOML file's."""
    if isinstance(name, str):
        tables = load_package_table(__package__, "topics.toml")
        if name in tables:
            return tables[name]  # type: ignore[no-any-return]
        raise InputError(
            f"unknown table of topics: {name!r}", hint=f"give one of {', '.join(tables)}, or a TOML file"
        )
    try:
        return tomllib.loads(name.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot be read as topics: {error}", place=str(name), hint="write [subdomain] theme = [phrases]"
        ) from error


def group_by_topic(records: Sequence[Record], table: Topics | None = None) -> list[TopicCollection]:
    """Return the collections of the records, each work in the first theme whose phrase its title holds.

    Where no table is given, works without a theme are collected by decade.
    """
    has_table = table is not None
    table = table or find_topics(records)
    themes = [
        (subdomain, theme, re.compile("|".join(rf"\b{re.escape(p)}" for p in phrases), re.IGNORECASE))
        for subdomain, themes in table.items()
        for theme, phrases in themes.items()
    ]
    works: dict[tuple[str, str], list[Record]] = defaultdict(list)
    rest: list[Record] = []
    for record in records:
        for subdomain, theme, pattern in themes:
            if pattern.search(record.title):
                works[subdomain, theme].append(record)
                break
        else:
            rest.append(record)
    if not has_table:
        for record in rest:
            works["other subjects", _name_decade_group(record)].append(record)
    return [
        TopicCollection(theme, subdomain, tuple(members))
        for (subdomain, theme), members in sorted(works.items())
        if len(members) >= _FEWEST
    ]


def _name_decade_group(record: Record) -> str:
    """Return where a work without a theme is put: the decade in which it appeared."""
    years = [version.year for version in record.versions if version.year]
    return f"works of the {min(years) // 10 * 10}s" if years else "undated works"


def find_topics(records: Sequence[Record]) -> Topics:
    """Return topics read off the titles: their frequent pairs of words, under the word that many share."""
    # Each once, in the order of the title: the order of a set differs from run to run, and breaks ties.
    pairs = Counter(pair for record in records for pair in dict.fromkeys(_list_word_pairs(record.title)))
    heads = Counter(pair.split()[-1] for pair, count in pairs.items() if count >= _FEWEST)
    table: dict[str, dict[str, list[str]]] = {}
    for head, _ in heads.most_common():
        if len(table) == SUBDOMAINS:
            break
        of_head = [p for p, n in pairs.most_common() if n >= _FEWEST and p.split()[-1] == head]
        table[head] = {pair: [pair] for pair in of_head[: -(-MOST // SUBDOMAINS)]}
    return table or {"all": {"all works": [""]}}


def _list_word_pairs(title: str) -> Iterable[str]:
    places = find_word_spans(title)
    for (a, b), (c, d) in pairwise(places):
        if c - b == 1:
            yield f"{title[a:b]} {title[c:d]}".lower()
