"""An open snapshot: lookups by identifier, title, raw string and authors, from mapped files.

Opening maps the files and checks their sizes against the manifest, which takes milliseconds;
`index verify` checks every digest. All methods only read, so one open snapshot serves many threads;
a forked child may use it or open its own.
"""

from __future__ import annotations

import stat
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import accumulate, islice
from pathlib import Path
from typing import Self

from citeproof.errors import SnapshotError
from citeproof.evidence.index import manifest as manifests
from citeproof.evidence.index import signature_keys
from citeproof.evidence.index.coverage import CoverageClaim, parse_claim
from citeproof.evidence.index.full_text import FullText
from citeproof.evidence.index.key_table import KeyTable, WorkLinks
from citeproof.evidence.index.manifest import Manifest
from citeproof.evidence.index.raw_search import ACCEPT as RAW_ACCEPT
from citeproof.evidence.index.raw_search import RawSearch
from citeproof.evidence.index.record_blocks import ABSTRACTS, RecordBlocks
from citeproof.evidence.index.record_packing import unpack_record
from citeproof.evidence.index.snapshot_facts import KnownFacts
from citeproof.evidence.index.title_search import (
    ACCEPT,
    EQUALS,
    AuthorYearSearch,
    SearchHit,
    TitleSearch,
    merge_hits,
)
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.names import make_family_key
from citeproof.vocabulary import WORK_IDS, Name, Record
from citeproof.vocabulary.quick_dataclass import dataclass

MAX_BY_AUTHORS = 12  # records by the same authors that a title is compared with
MAX_BY_ID = 20  # records returned for one identifier; a proceedings' ISBN has hundreds
CACHED = 64  # unpacked records in memory: those that several questions about one reference find
_CITATION = re.compile(r"\b(?:1[5-9]|20)\d\d\b|\bet al\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record and how like the query it is, 0..1."""

    record: Record
    score: float


class Snapshot:
    """An immutable set of records that answers lookups offline."""

    def __init__(
        self, path: Path, manifest: Manifest, record: Callable[[str, bytes], None] | None = None
    ) -> None:
        """Map the files of a checked folder; use `Snapshot.open`."""
        self._record_used = record
        self.path = path
        self.manifest = manifest
        self.own = manifests.is_own_snapshot(path)
        self.source = manifests.name_source(manifest, None if self.own else path)
        self._ends = list(accumulate(source.records for source in manifest.sources))
        self._unpacked = lru_cache(maxsize=CACHED)(self._unpack)
        self.facts = KnownFacts(path, manifest.files)
        has_abstracts = manifest.abstracts is not None
        self._blocks = RecordBlocks(path, manifest.records)
        self._abstracts = RecordBlocks(path, manifest.records, ABSTRACTS) if has_abstracts else None
        self._keys = KeyTable(path)
        self._links = WorkLinks(path)
        self._text = FullText(path)
        self._titles = TitleSearch(self._blocks, self._keys, self._text)
        self._raw = RawSearch(self._titles, self._keys, self._text)
        self._author_years = AuthorYearSearch(self._blocks, self._text)

    @classmethod
    def open(cls, path: Path | str, record: Callable[[str, bytes], None] | None = None) -> Snapshot:
        """Return the snapshot in folder `path`; raise `SnapshotError` when it cannot be read.

        `record` is passed the SHA-256 and the stored bytes of every record that is returned.
        """
        folder = Path(path)
        if folder.is_symlink():
            folder = folder.resolve()  # a pull may replace the link while we open what is behind it
        manifest = manifests.load(folder)
        _check_sizes(folder, manifest)
        try:
            return cls(folder, manifest, record)
        except (OSError, ValueError) as error:
            raise manifests.make_damage_error(f"cannot be opened: {error}", folder) from error

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def covers(self) -> tuple[CoverageClaim, ...]:
        """What the snapshot claims to hold completely."""
        return tuple(parse_claim(text) for text in self.manifest.covers)

    def by_id(self, scheme: str, value: str) -> list[Record]:
        """Return the records that have this identifier; it is brought to its normal form first."""
        normal = ids.normalise_id(scheme, value)
        if normal is None:
            return []
        records = self._records(self._keys.find(signature_keys.make_id_key(scheme, normal))[:MAX_BY_ID])
        return [record for record in records if (scheme, normal) in record.ids.pairs]

    def by_title(self, title: str, *, limit: int = 5, authors: Sequence[Name] = ()) -> list[Record]:
        """Return records by similarity of title: all with an equal one, then near ones.

        `authors`, when known, find "BERT" among all titles that begin so.
        """
        hits = self._titles.find(title, islice(self._by_families(authors), MAX_BY_AUTHORS))
        equal = sum(hit.score == 1.0 for hit in hits[:EQUALS])
        return [candidate.record for candidate in self._candidates(hits[: max(limit, equal)])]

    def by_raw(self, text: str, *, limit: int = 5) -> list[Record]:
        """Return the records that a raw citation string may mean, best first."""
        return [candidate.record for candidate in self._candidates(self._raw.find(text)[:limit])]

    def by_authors(self, names: Sequence[Name], *, limit: int = 5) -> list[Record]:
        """Return records by exactly these authors, or with these leading authors in this order."""
        return self._records(islice(self._by_families(names), limit))

    def by_words(self, words: Iterable[str], *, limit: int = 300) -> list[Record]:
        """Return the records that have every one of these words, in whatever order."""
        return self._records(self._text.find_all_of([[[word]] for word in words], (), limit=limit))

    def by_author_year(
        self, names: Sequence[Name], year: int, *, words: Iterable[str] = (), limit: int = 40
    ) -> list[Record]:
        """Return the works whose leading authors have these family names, of that year or one next to it.

        Those with most of `words` in the title come first. An older snapshot answers as well: names and
        years have always been among the words of full text.
        """
        return self._records(self._author_years.find(names, year, words, limit=limit))

    def _by_families(self, names: Sequence[Name]) -> Iterator[int]:
        """Yield the records by people of these family names; keys are made when the first one is wanted."""
        keys = signature_keys.make_author_keys(
            [signature_keys.hash_family(make_family_key(name)) for name in names]
        )
        yield from dict.fromkeys(ordinal for key in reversed(keys) for ordinal in self._keys.find(key))

    def search(self, text: str, *, limit: int = 5) -> list[Candidate]:
        """Return the best records for a line that may be a title or a whole citation."""
        hits = self._titles.equal(text)
        if not hits and _CITATION.search(text):
            hits = self._raw.find(text)
        if not hits or hits[0].score < RAW_ACCEPT:
            hits = merge_hits(hits, self._titles.find(text))
        return self._candidates(hits[:limit])

    def same_work(self, record: Record) -> list[Record]:
        """Return the other records of the same work: preprint, proceedings, journal."""
        head, _, root = record.work.rpartition("#")
        if head != self.source or not root.isdigit():
            return []
        return [other for other in self._records(self._links.members(int(root))) if other != record]

    def find_abstract(self, record: Record) -> str | None:
        """Return the abstract of a work; None if there is none. `record` may be of any source.

        Its own comes first, then that of another record with one of its identifiers, then that of another
        record of the same work.
        """
        if self._abstracts is None:
            return None
        for ordinal in self._list_same_work(record):
            if data := self._abstracts[ordinal]:
                if self._record_used is not None:
                    self._record_used(sha256(data).hexdigest(), data)
                return data.decode("utf-8", "replace")
        return None

    def _list_same_work(self, record: Record) -> list[int]:
        """Return the records of the work that `record` describes: itself, its namesakes, their links."""
        pairs = [pair for pair in record.ids.pairs if pair[0] in WORK_IDS]
        keys = [signature_keys.make_id_key(*pair) for pair in pairs]
        ordinals = [ordinal for key in keys for ordinal in self._keys.find(key)[:MAX_BY_ID]]
        if record.source == self.source and record.title:
            ordinals += [hit.ordinal for hit in self._titles.equal(record.title)]
        same, own = [], []
        for ordinal in dict.fromkeys(ordinals):
            other = self._unpacked(ordinal)
            if record.source == self.source and other.id == record.id:
                own.append(ordinal)
            elif any(pair in other.ids.pairs for pair in pairs):
                same.append(ordinal)
        near = own + same
        roots = {root for ordinal in near if (root := self._links.root(ordinal)) is not None}
        return list(
            dict.fromkeys(
                [*near, *(member for root in sorted(roots) for member in self._links.members(root))]
            )
        )

    def _candidates(self, hits: Sequence[SearchHit]) -> list[Candidate]:
        """Return the records of `hits`, with the linked records of the best ones behind them."""
        shown = {hit.ordinal: hit.score for hit in hits}
        for hit in hits:
            root = self._links.root(hit.ordinal) if hit.score >= ACCEPT else None
            for other in self._links.members(root) if root is not None else ():
                shown.setdefault(other, hit.score)
        return [Candidate(self._record(ordinal), score) for ordinal, score in shown.items()]

    def record_at(self, ordinal: int) -> Record:
        """Return the record at a place from 0 up to `manifest.records`; for sampling and export."""
        if not 0 <= ordinal < self.manifest.records:
            raise IndexError(ordinal)
        return self._record(ordinal)

    def _records(self, ordinals: Iterable[int]) -> list[Record]:
        return [self._record(ordinal) for ordinal in ordinals]

    def _record(self, ordinal: int) -> Record:
        record = self._unpacked(ordinal)
        if self._record_used is not None:
            self._record_used(record.content_hash, self._blocks[ordinal])
        return record

    def _unpack(self, ordinal: int) -> Record:
        data = self._blocks[ordinal]  # first: it says so if there is no such record
        root = self._links.root(ordinal)
        work = "" if root is None else f"{self.source}#{root}"
        origin = self.manifest.sources[bisect_right(self._ends, ordinal)]  # records are in their order
        return unpack_record(data, source=self.source, work=work, read_at=origin.read_at)

    def close(self) -> None:
        """Let go of the mapped files."""
        self._blocks.close()
        if self._abstracts is not None:
            self._abstracts.close()
        self._keys.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check_sizes(folder: Path, manifest: Manifest) -> None:
    """Raise when a file of the manifest is missing, unreadable or of another size."""
    for name, fact in manifest.files.items():
        path = folder / name
        try:
            known = path.stat()
        except FileNotFoundError as error:
            raise manifests.make_damage_error("a file of the snapshot is missing", path) from error
        except OSError as error:
            raise SnapshotError(
                f"cannot be read: {error.strerror}", place=str(path), hint="give read permission"
            ) from error
        size = known.st_size
        if not stat.S_ISREG(known.st_mode):
            raise manifests.make_damage_error("is not a plain file", path)  # a pipe would be waited for
        if size != fact.bytes:
            problem = f"the file has {size:,} bytes, not {fact.bytes:,}: it is truncated or damaged"
            raise manifests.make_damage_error(problem, path)
