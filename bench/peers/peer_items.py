"""The items that every tool gets: bibliography entries, each with what is known about it.

Two sets. `hallmark`: a sample of a HALLMARK file, as many good as bad entries, the bad ones of all types.
`bibliographies`: entries of real `.bib` files whose title the world knows; into every second one an error is
planted by the rules that make citeproof's own benchmarks. An entry nobody touched counts as good, although
people make mistakes: what tools find in those is listed for a person to judge.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import planting
from citeproof.answers.fix.bibtex_entry import LocatedEntry
from citeproof.answers.fix.formats.bibtex import VENUES, BibtexFile
from citeproof.answers.fix.text_edits import apply_edits
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.measure.makers.record_pool import RecordPool
from citeproof.laboratory.testing import SnapshotHoldings
from citeproof.reading.extractors.decoded_text import decode
from citeproof.text.title import make_title_key
from citeproof.vocabulary import Document, Record

SEED = 24
NEW_TITLES = frozenset(
    ("near_miss_title", "chimeric_title", "hybrid_fabrication", "plausible_fabrication", "merged_citation")
)
NEW_IDENTIFIERS = frozenset(("fabricated_doi", "hybrid_fabrication"))
IDENTIFIERS = ("doi", "arxiv", "pmid", "pmcid", "isbn", "issn")
PLANTS = {
    "year": ("year", "date"),
    "authors": ("author",),
    "title": ("title",),
    "venue": VENUES,
    "doi": ("doi",),
}
_HEAD = re.compile(r"@\s*(\w+)\s*[{(][^,]*,")


@dataclass(frozen=True, slots=True)
class PeerItem:
    """One entry as the tools get it, and the truth about it."""

    key: str
    text: str
    bad: bool
    kind: str  # of error; "valid" if there is none
    title: str


def load_hallmark(path: Path, snapshot: Snapshot, count: int) -> list[PeerItem]:
    """Return up to `count` entries, half of them good, no title twice; those that the world can decide."""
    groups: dict[str, list[PeerItem]] = defaultdict(list)
    seen: set[str] = set()
    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    random.Random(SEED).shuffle(rows)
    for row in rows:
        fields = {name: str(value) for name, value in row["fields"].items()}
        title, kind = fields.get("title", ""), row.get("hallucination_type") or "valid"
        key = make_title_key(title)
        if key in seen or not (kind in NEW_TITLES or knows_title(snapshot, title)):
            continue
        name = f"h{len(seen) + 1:04}"
        body = "".join(f"  {field} = {{{value}}},\n" for field, value in fields.items())
        text = f"@{row['bibtex_type']}{{{name},\n{body}}}\n"
        record = planting.record_of(BibtexFile.read(text).entries[0])
        if kind not in NEW_IDENTIFIERS and not knows_identifiers(snapshot, record):
            continue
        seen.add(key)
        groups[kind].append(PeerItem(name, text, row["label"] != "VALID", kind, title))
    good = groups.pop("valid", [])[: count // 2]
    return sorted([*good, *_take_in_turn(groups, count - len(good))], key=lambda item: item.key)


def _take_in_turn(groups: dict[str, list[PeerItem]], count: int) -> Iterator[PeerItem]:
    left = {kind: list(items) for kind, items in sorted(groups.items())}
    while count > 0 and any(left.values()):
        for items in left.values():
            if items and count > 0:
                count -= 1
                yield items.pop()


def load_bibliographies(paths: Sequence[Path], snapshot: Snapshot) -> list[PeerItem]:
    """Return the entries of .bib files that the world knows, an error planted into every second one."""
    located = [one for path in paths for one in read_entries(path)]
    pool = planting.pool_of([one.entry for one in located])
    rng = random.Random(SEED)
    seen: set[str] = set()
    items: list[PeerItem] = []
    for one in located:
        record = planting.record_of(one.entry)
        title, key = record.title, make_title_key(record.title)
        if key in seen or not one.sound or uses_macros(one):
            continue
        if not (knows_title(snapshot, title) and knows_identifiers(snapshot, record)):
            continue
        seen.add(key)
        made = _plant_error(one, pool, rng) if len(seen) % 2 else None
        text, kind = made or (one.text, "valid")
        name = f"b{len(seen):04}"
        items.append(
            PeerItem(name, rename_entry(text[_span(one, text)], name), made is not None, kind, title)
        )
    return items


def read_entries(path: Path) -> list[LocatedEntry]:
    text = decode(Document(path.name, path.read_bytes())).text
    library = BibtexFile.read(text)
    return [LocatedEntry(text, entry, library.macros) for entry in library.entries]


def uses_macros(one: LocatedEntry) -> bool:
    """Return whether an entry means nothing without the `@string` lines of its file."""
    return any(field.bare and not one.read_value(field).strip().isdecimal() for field in one.fields)


def _span(one: LocatedEntry, text: str) -> slice:
    """Return where an entry stands in `text`, which may have grown by an edit inside it."""
    start, end = one.entry.start, one.entry.end
    return slice(start, end + len(text) - len(one.text))


def rename_entry(text: str, name: str) -> str:
    return _HEAD.sub(lambda found: f"@{found[1]}{{{name},", text, count=1) + "\n"


def _plant_error(one: LocatedEntry, pool: RecordPool, rng: random.Random) -> tuple[str, str] | None:
    """Return the file's text with one error in this entry, and its kind; None if no rule fits."""
    for kind in rng.sample(list(PLANTS), len(PLANTS)):
        fields = (one.field(name) for name in PLANTS[kind])
        field = next((f for f in fields if f is not None and one.read_value(f).strip()), None)
        if field is None or (field.bare and not one.read_value(field).isdecimal()):
            continue
        edit = planting.planted(one, field, kind, pool, rng)
        if edit is not None:
            return apply_edits(one.text, [edit]), kind
    return None


def knows_identifiers(snapshot: Snapshot, record: Record) -> bool:
    """Return whether the world has every DOI and number of a citation: one it lacks would seem invented."""
    holdings = SnapshotHoldings(snapshot)
    asked = [(scheme, value) for scheme, value in record.ids.pairs if scheme in IDENTIFIERS]
    return all(holdings.by_id(scheme, value) for scheme, value in asked)


def knows_title(snapshot: Snapshot, title: str) -> bool:
    """Return whether a work of the snapshot has this very title."""
    key = make_title_key(title)
    return bool(key) and any(key == make_title_key(t) for r in snapshot.by_title(title) for t in r.titles)
