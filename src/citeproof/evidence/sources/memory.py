"""The memory as a source: works that were judged matched before, found again without the network.

A work is found by an identifier, by its title with year and first author, or by a title whose embedding
has a cosine above 0.92 with its own (extra `memory`). What is found is a candidate: `compare` and `judge`
treat it as any other, and `retrieve.recall_work` uses it only where it agrees in all that is cited.

A record keeps the source that gave it, the hash of that answer, and when it was read. The lookup says that
it came from memory, and when it was judged. Entries older than `days` are not proposed: they are asked anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import ClassVar

import msgspec

from citeproof.answers.serializers.remembered_work import (
    LARGEST,
    MOST_RECORDS,
    ForgottenError,
    RememberedWork,
    decode_remembered_work,
    encode_remembered_work,
)
from citeproof.answers.serializers.report import get_version
from citeproof.evidence.embedding.title_vectors import TitleVectors
from citeproof.plumbing.clock import Clock, format_moment, format_timestamp, today
from citeproof.plumbing.stores.memory_database import MemoryDatabase, MemoryEntry
from citeproof.text.names import make_family_key
from citeproof.text.title import make_title_key
from citeproof.vocabulary import (
    MEMORY,
    WORK_IDS,
    Cause,
    Checked,
    Exchange,
    FindingState,
    Found,
    Lookup,
    Name,
    Question,
    Record,
    Reference,
    SourceFacts,
    Unchecked,
    Verdict,
)

NOT_HELD = "not in memory, which holds only works judged before"
DAYS = 30
MEDIA = "application/json"
_IDS = WORK_IDS | {"acl", "openreview", "dblp"}
_MOST = 5  # works that are proposed at a time
_AGAIN = timedelta(days=1)  # a work that was judged again within this time is not written again


class MemorySource:
    """One memory, asked by identifier or title (`vocabulary.WorkMemory`)."""

    name = MEMORY
    answers: ClassVar[frozenset[str]] = _IDS | {"title"}

    def __init__(
        self,
        store: MemoryDatabase,
        clock: Clock,
        *,
        days: int = DAYS,
        vectors: TitleVectors | None = None,
        record: Callable[[str, bytes], None] | None = None,
    ) -> None:
        """`vectors` finds similar titles, if the extra is there; `record` keeps what a judgement needs."""
        self.store = store
        self._clock = clock
        self._days = days
        self._vectors = vectors
        self._record = record

    @property
    def trouble(self) -> str:
        """Why nothing is remembered; empty while all is well."""
        return self.store.trouble

    async def lookup(self, question: Question) -> Lookup:
        """Return the works that may be the one asked for; that there is none means nothing."""
        if question.by == "title":
            entries = self._find_title(question)
        else:
            entries = self.store.find(_make_id_key(question.by, question.value))
        works = [work for entry in entries[:_MOST] if (work := self._open_entry(entry)) is not None]
        if not works:
            return Unchecked(self.name, question.by, Cause.NOT_COVERED, NOT_HELD, value=question.value)
        records = tuple(record for work, _ in works for record in work.records)
        asked = f"memory {question.by} {question.value}"
        heard = tuple(
            Exchange(asked, digest, media=MEDIA, at=work.at, url=work.origin) for work, digest in works
        )
        return Found(self.name, question.by, records, value=question.value, heard=heard)

    def facts(self, reference: Reference) -> SourceFacts:  # noqa: ARG002 - it knows none
        return SourceFacts()

    def remember(self, checked: Checked) -> None:
        """Keep the work of a reference if it was judged matched on evidence that is not from here."""
        work = make_remembered_work(checked, format_timestamp(self._clock))
        if work is None:
            return
        name, now = name_work(work), self._clock.now()
        if not self.store.has(name, (now - _AGAIN).isoformat()):
            self.store.put([self.make_entry(work)], now.toordinal())

    def make_entry(self, work: RememberedWork) -> MemoryEntry:
        """Return a work as the store keeps it."""
        vector, cell = b"", 0
        if self._vectors is not None:
            vector, cell = self._vectors.pack_title(work.records[0].title)
        keys = tuple(dict.fromkeys(_list_keys(work.records)))
        return MemoryEntry(name_work(work), encode_remembered_work(work), work.at, keys, vector, cell)

    def close(self) -> None:
        self.store.close()

    def _find_title(self, question: Question) -> list[MemoryEntry]:
        """Return the works with this title, year and first author; without any, those with similar titles."""
        claimed = question.reference.claimed
        keys = _list_title_keys((question.value,), claimed.authors, (claimed.year,))
        entries = [entry for key in keys for entry in self.store.find(key)]
        if entries or self._vectors is None:
            return entries
        return self.store.get(self._vectors.find_similar(question.value, self.store.list_near)[:_MOST])

    def _open_entry(self, entry: MemoryEntry) -> tuple[RememberedWork, str] | None:
        """Return a work that is young enough, and the hash of its bytes, which are evidence from now on."""
        oldest = format_moment(self._clock.now() - timedelta(days=self._days))
        if entry.at < oldest:
            return None
        try:
            work = decode_remembered_work(entry.body)
        except ForgottenError:
            return None
        digest = sha256(entry.body).hexdigest()
        if self._record is not None:
            self._record(digest, entry.body)
        self.store.touch(entry.name, today(self._clock).toordinal())
        return work, digest


def make_remembered_work(checked: Checked, at: str) -> RememberedWork | None:
    """Return the work that a reference was judged to be; None if it is not to be remembered.

    Not what was recalled, or it would never be asked for again; not what only a web page says; not what only
    a language model made a match; and not a work with a finding, which may be taken back or added to.
    """
    judgement = checked.judgement
    matched = judgement.matched
    if judgement.verdict is not Verdict.MATCHED or matched is None or judgement.label is None:
        return None
    record = matched.record
    trace = judgement.provenance.llm if judgement.provenance else None
    if trace is not None and trace.first.verdict != Verdict.MATCHED.value:
        return None
    reported = any(f.state is FindingState.FINDING and f.source != "document" for f in checked.findings)
    recalled = any(lookup.source == MEMORY for lookup in checked.retrieved.lookups)
    if reported or recalled or matched.index_error or "web" in record.marks or not record.title:
        return None
    kin = [c.record for c in checked.compared if record.work and c.record.work == record.work]
    others = [other for other in kin if (other.source, other.id) != (record.source, record.id)]
    provenance = judgement.provenance
    work = RememberedWork(
        records=(record, *others)[:MOST_RECORDS],
        at=at,
        label=judgement.label.value,
        score=judgement.score or 0.0,
        judge=provenance.judge if provenance else "",
        citeproof=get_version(),
    )
    return _fit_work(work)


def name_work(work: RememberedWork) -> str:
    """Return the name under which a work is kept: one of its source."""
    return f"{work.records[0].source}/{work.records[0].id}"


def _fit_work(work: RememberedWork) -> RememberedWork | None:
    """Return a work that is small enough to keep: without what it cites, then without its kin."""
    bare = tuple(replace(record, cites=()) for record in work.records)
    for records in (work.records, bare, bare[:1]):
        smaller = msgspec.structs.replace(work, records=records)
        with suppress(UnicodeEncodeError):  # half of a letter, which no JSON may hold
            if len(encode_remembered_work(smaller)) <= LARGEST:
                return smaller
    return None


def _list_keys(records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        yield from (_make_id_key(by, value) for by, value in record.ids.pairs if by in _IDS)
        yield from _list_title_keys(record.titles, record.authors, (v.year for v in record.versions))


def _make_id_key(by: str, value: str) -> str:
    return f"{by}:{value.casefold()}"


def _list_title_keys(
    titles: Iterable[str], authors: Sequence[Name], years: Iterable[int | None]
) -> Iterator[str]:
    """Yield title, year and first author as keys; without all three there is none."""
    dated = [year for year in dict.fromkeys(years) if year]
    family = make_family_key(authors[0]) if authors else ""
    for title in titles:
        if family and (key := make_title_key(title)):
            yield from (f"title:{key}|{year}|{family}" for year in dated)
