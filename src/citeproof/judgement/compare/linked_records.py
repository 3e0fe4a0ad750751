"""Which records, of all sources, describe one work; and which source is alone with what it says.

Records of one work share an identifier and a title that does not contradict, or a long title and people.
What they know together (dated versions, identifiers) counts as known of each.

Sources that tell of different works under one identifier are put to a quorum: one that is alone
against two others, or alone against the identifier's own registry, has made an index error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from citeproof.judgement.compare.title import compare_title, is_known_title, measure_similarity
from citeproof.text import title as titles
from citeproof.text.names import make_family_key
from citeproof.vocabulary import WORK_IDS, Found, Lookup, Record

_SHARED = WORK_IDS | {"acl", "openreview", "dblp"}
_LONG = 24  # characters of a title that two works hardly share by chance
_SHORT = 8  # characters of a title that may be shared by chance, but not by the same people
_COMPARED = 12  # records with one identifier or title that are compared pair by pair
_FEW = 3  # authors who together name a group
_RENAMED = 0.8  # titles of one work of the same people: "adversarial nets", "adversarial networks"
_ALIKE = 0.6  # titles of one work in two sources: a subtitle more, another transliteration
# The registries whose word counts most about their own identifiers.
_OWN = {
    "doi": frozenset(("crossref", "datacite")),
    "arxiv": frozenset(("arxiv",)),
    "pmid": frozenset(("pubmed",)),
    "pmcid": frozenset(("pmc",)),
    "ads": frozenset(("ads",)),
    "acl": frozenset(("acl",)),
}
Named = tuple[str, str]  # a record's source and id


def link_records(records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records, those of one work with the same `work`."""
    groups = _WorkGroups(records)
    for same in _group_candidates([record for record in records if not is_web_record(record)]):
        for one, other in combinations(same[:_COMPARED], 2):
            if _is_one_work(one, other):
                groups.join(one, other)
    return tuple(
        record if (work := groups.name(record)) == record.work else replace(record, work=work)
        for record in records
    )


def is_web_record(record: Record) -> bool:
    """Return whether a record was read from a page, which may say what it likes."""
    return "web" in record.marks


def find_index_errors(lookups: Iterable[Lookup], records: Sequence[Record]) -> frozenset[Named]:
    """Return the records that a quorum of other sources contradicts about an identifier."""
    work = {(r.source, r.id): r.work or f"{r.source}/{r.id}" for r in records}
    told: dict[tuple[str, str], dict[str, set[Named]]] = defaultdict(lambda: defaultdict(set))
    for lookup in lookups:
        if not isinstance(lookup, Found) or lookup.by not in _SHARED:
            continue
        for record in lookup.records:
            name = (record.source, record.id)
            for value in record.ids.all(lookup.by):
                told[lookup.by, value][work[name]].add(name)
    return frozenset(name for (by, _), groups in told.items() for name in _find_outvoted(by, groups))


def _find_outvoted(by: str, groups: dict[str, set[Named]]) -> set[Named]:
    if len(groups) < 2:
        return set()
    sizes = {work: len({source for source, _ in names}) for work, names in groups.items()}
    own = {work for work, names in groups.items() if any(s in _OWN.get(by, ()) for s, _ in names)}
    best = max(groups, key=lambda work: (sizes[work] >= 2, work in own, sizes[work], work))
    if sizes[best] < 2 and own != {best}:
        return set()  # one word against another: both are shown
    return {name for work, names in groups.items() if work != best and sizes[work] == 1 for name in names}


class _WorkGroups:
    """Union of records, which begins with the links that the sources made themselves."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._parent: dict[Named, Named] = {(r.source, r.id): (r.source, r.id) for r in records}
        self._own: dict[Named, str] = {(r.source, r.id): r.work for r in records}
        first: dict[tuple[str, str], Record] = {}
        for record in records:
            if record.work:
                self.join(first.setdefault((record.source, record.work), record), record)

    def join(self, a: Record, b: Record) -> None:
        x, y = self._root((a.source, a.id)), self._root((b.source, b.id))
        low, high = min(x, y), max(x, y)
        self._parent[high] = low

    def name(self, record: Record) -> str:
        """Return the name of the record's work: its source's own while no other source has joined."""
        root = self._root((record.source, record.id))
        members = [name for name in self._parent if self._root(name) == root]
        own = {self._own[name] for name in members}
        if len(own) == 1 and (len(members) == 1 or own != {""}) and len({s for s, _ in members}) == 1:
            return own.pop()
        return f"work:{root[0]}/{root[1]}"

    def _root(self, name: Named) -> Named:
        while self._parent[name] != name:
            name = self._parent[name]
        return name


def _group_candidates(records: Sequence[Record]) -> Iterable[list[Record]]:
    """Yield records that share an identifier, a long title or their people, whatever the order of arrival."""
    rows: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda r: (r.source, r.id)):
        for pair in record.ids.pairs:
            if pair[0] in _SHARED:
                rows[pair].append(record)
        for key in {titles.make_title_key(title) for title in record.titles}:
            if len(key) >= _SHORT:
                rows["title", key].append(record)
        if len(record.authors) >= _FEW:
            rows["people", " ".join(sorted(map(make_family_key, record.authors)))].append(record)
    return (same for _, same in sorted(rows.items(), key=lambda row: row[0]) if len(same) > 1)


def _is_one_work(a: Record, b: Record) -> bool:
    alike = any(_is_similar_title(mine, theirs) for mine in a.titles for theirs in b.titles)
    if set(a.ids.pairs) & {pair for pair in b.ids.pairs if pair[0] in _SHARED}:
        return alike or not a.titles or not b.titles
    mine, theirs = ({make_family_key(name) for name in r.authors} for r in (a, b))
    if not alike:
        return False
    if all(titles.make_title_key(x) != titles.make_title_key(y) for x in a.titles for y in b.titles):
        near = max((measure_similarity(x, y) for x in a.titles for y in b.titles), default=0.0)
        return mine == theirs and near >= _RENAMED
    if min(len(titles.make_title_key(r.title)) for r in (a, b)) < _LONG:
        return 2 * len(mine & theirs) > max(len(mine), len(theirs))
    return 2 * len(mine & theirs) >= min(len(mine), len(theirs))


def _is_similar_title(a: str, b: str) -> bool:
    """Return whether two titles may be one: alike, or one a part of the other."""
    if is_known_title(a, (b,)) or is_known_title(b, (a,)):
        return True
    if compare_title(a, (b,)).reason.is_veto:  # part I and part II, a paper and its erratum
        return False
    if measure_similarity(a, b) >= _ALIKE:
        return True
    short, long = sorted((titles.split_words(a), titles.split_words(b)), key=len)
    return len(short) >= 3 and set(short) <= set(long)
