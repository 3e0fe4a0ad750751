"""Steps 8 and 9 of a verification: whether what events name is still stored, whole, and opens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from citeproof.errors import AuditError, format_count
from citeproof.plumbing.stores.evidence_store import FILE as EVIDENCE
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import FILE as PRIVATE
from citeproof.plumbing.stores.private_store import PrivateRow, PrivateStore, is_commitment_to
from citeproof.plumbing.stores.store_database import StoreDatabase
from citeproof.proof.audit.untrusted_files import UnreadableFileError, UntrustedFolder
from citeproof.proof.audit.verify.entry_pass import EntryPass, StoredHashes
from citeproof.proof.audit.verify.log_files import EntryHead
from citeproof.proof.audit.verify.log_problems import ProblemCollector

NO_TABLE = "no such table"  # what SQLite says of a file in which nothing was made before the disk was full
RUNS = "SELECT DISTINCT run FROM rows"
LOOKED = 100_000  # rows that are searched for once more, by commitment


@dataclass(frozen=True, slots=True)
class Excuse:
    """What may be gone: all that only events before `since` name, and the values that were redacted."""

    since: int = 0
    redacted: frozenset[str] = field(default_factory=frozenset)
    by: tuple[int, ...] = ()  # the events that say so


@dataclass(frozen=True, slots=True)
class Excuses:
    """What may be gone as signed events say, and as others say, which anybody could have written."""

    proved: Excuse = field(default_factory=Excuse)
    others: Excuse = field(default_factory=Excuse)

    @property
    def redacted(self) -> frozenset[str]:
        return self.proved.redacted | self.others.redacted


def collect_excuses(
    events: EntryPass, proved: Callable[[int], bool], heads_of: Callable[[int], Sequence[EntryHead]]
) -> Excuses:
    """Return what the events of a log excuse, by whether they are `proved`."""

    def said(*, by_proof: bool) -> Excuse:
        pruned = [event for event in events.pruned if proved(event[0]) == by_proof]
        redacted = [event for event in events.redacted if proved(event[0]) == by_proof]
        before = max((time for _, time in pruned), default="")
        return Excuse(
            events.find_first_since(before, heads_of) if before else 0,
            frozenset(name for _, names in redacted for name in names),
            tuple(sorted(seq for seq, _ in [*pruned, *redacted])),
        )

    return Excuses(said(by_proof=True), said(by_proof=False))


def collect_evidence(
    folder: Path, files: UntrustedFolder, findings: ProblemCollector
) -> tuple[StoredHashes, set[str]]:
    """Return the hashes of the bodies that are whole, and those of the bodies that are not."""
    damaged: set[str] = set()

    def whole() -> Iterator[bytes]:
        if not _is_readable_store(files, EVIDENCE, findings):
            return
        with closing(EvidenceStore(folder, readonly=True)) as store:
            last = ""
            for digest in store.hashes():
                if digest <= last:
                    raise ValueError("its index is damaged")  # it could lead us in circles
                last = digest
                if len(digest) != 64 or store.get(digest) is None:
                    damaged.add(digest)
                else:
                    yield bytes.fromhex(digest)

    known = len(findings.problems), len(findings.unchecked)
    stored = StoredHashes(_report_errors(whole(), EVIDENCE, "evidence", findings))
    stored.blind = (len(findings.problems), len(findings.unchecked)) != known
    findings.counts["bodies"] = len(stored)
    return stored, damaged


def collect_private(folder: Path, files: UntrustedFolder, findings: ProblemCollector) -> StoredHashes:
    """Return the commitments that a row opens, of whatever run; one that does not open is a problem."""

    def opening() -> Iterator[bytes]:
        if not _is_readable_store(files, PRIVATE, findings):
            return
        with (
            closing(StoreDatabase(folder / PRIVATE, "", readonly=True)) as table,
            closing(PrivateStore(folder, readonly=True)) as store,
        ):
            for (run,) in table.read(RUNS):
                for row in store.list_run_rows(run):
                    if is_commitment_to(row.commitment, row.salt, row.data):
                        yield bytes.fromhex(row.commitment)
                    else:
                        what = f"the row of {row.run[:100]}/{row.ref} does not open {row.commitment[:16]}…"
                        findings.problem("private", PRIVATE, what, run=row.run[:100])

    known = len(findings.unchecked)
    stored = StoredHashes(_report_errors(opening(), PRIVATE, "private", findings))
    stored.blind = len(findings.unchecked) != known
    findings.counts["rows"] = len(stored)
    return stored


def report_evidence(
    held: StoredHashes, damaged: set[str], may: Excuses, changed: Collection[int], findings: ProblemCollector
) -> None:
    """Report each body that events name and that is damaged, or not there and not pruned.

    What `changed` events name is not believed.
    """
    findings.counts["named"] = held.named
    if held.blind:
        return
    owners: dict[str, list[int]] = {}
    for seq, digest in held.missing():
        if seq not in changed and (seq >= may.proved.since or digest in damaged):
            owners.setdefault(digest, []).append(seq)
    if any(seq < may.others.since for seqs in owners.values() for seq in seqs):
        _note_unsigned(may, EVIDENCE, findings)
    if owners and not len(held) and not damaged:
        seqs = {seq for each in owners.values() for seq in each}
        bodies, rest = format_count(len(owners), "body", "bodies"), "rests" if len(seqs) == 1 else "rest"
        what = f"it is missing or empty: {bodies} that {format_count(len(seqs), 'event')} {rest} on"
        findings.problem("evidence", EVIDENCE, what, seq=min(seqs))
        return
    for digest, seqs_of in owners.items():
        state = "damaged" if digest in damaged else "missing"
        more = f" and {format_count(len(seqs_of) - 1, 'other')} rest" if len(seqs_of) > 1 else " rests"
        what = f"the body {digest[:16]}… that event {seqs_of[0]}{more} on is {state}"
        findings.problem("evidence", EVIDENCE, what, seq=seqs_of[0])


def report_private(held: StoredHashes, may: Excuses, findings: ProblemCollector, folder: Path) -> None:
    """Report what nothing opens though no event says so, and values that should have been erased."""
    findings.counts["commitments"] = held.named
    if held.blind:
        return
    if held.unnamed:
        findings.note(f"{format_count(held.unnamed, 'private row')} that no event names: an aborted run?")
    back = _count_still_there(held.holding(may.redacted), folder)
    if back:
        was, be = ("was", "is") if back == 1 else ("were", "are")
        what = f"{format_count(back, 'value')} that the log says {was} erased {be} there again"
        hint = "`citeproof audit redact` or `prune` erases what is named in `redacted` events again"
        findings.problem("private", PRIVATE, f"{what}: {hint}")
    proved, others = may.proved, may.others
    gone = [row for row in held.missing() if row[0] >= proved.since and row[1] not in proved.redacted]
    gone = _filter_still_gone(gone, folder)
    if any(seq < others.since or name in others.redacted for seq, name in gone):
        _note_unsigned(may, PRIVATE, findings)
    if gone:
        values = format_count(len(gone), "value")
        what = f"{PRIVATE}: {values} of {held.named:,} that events commit to cannot be opened: no row has "
        it, was, more = ("it", "it was", "") if len(gone) == 1 else ("them", "they were", " and others")
        what += f"{it}, and no signed event says that {was} erased (event {gone[0][0]}{more})"
        findings.unchecked.append(what)


def _note_unsigned(may: Excuses, place: str, findings: ProblemCollector) -> None:
    first, more = may.others.by[0], " and others" if len(may.others.by) > 1 else ""
    what = f"event {first}{more} would explain what {place} lacks, but no signature covers it"
    findings.note(f"{what}; `citeproof audit commit` signs, if you know it is true")


def _count_still_there(names: Sequence[str], folder: Path) -> int:
    """Return how many of these are still stored; somebody may be erasing them while we look."""
    try:
        with closing(PrivateStore(folder, readonly=True)) as store:
            some = sum(store.get(name) is not None for name in names[:LOOKED])
            return some + len(names[LOOKED:])
    except AuditError:
        return len(names)


def _filter_still_gone(gone: list[tuple[int, str]], folder: Path) -> list[tuple[int, str]]:
    """Return `gone` without those whose row opens it: it may have been written while we looked."""
    try:
        with closing(PrivateStore(folder, readonly=True)) as store:
            return [row for row in gone[:LOOKED] if not _is_valid_row(store.get(row[1]))] + gone[LOOKED:]
    except (AuditError, TypeError, ValueError):
        return gone


def _is_valid_row(row: PrivateRow | None) -> bool:
    return row is not None and is_commitment_to(row.commitment, row.salt, row.data)


def _is_readable_store(files: UntrustedFolder, name: str, findings: ProblemCollector) -> bool:
    """Return whether a store can be opened: its files are plain ones, and ours to read."""
    empty = False
    for ending in ("", "-wal", "-shm"):
        try:
            size = files.size(name + ending)
            empty = size == 0 and (empty or not ending)
        except UnreadableFileError as error:
            if error.absent and ending:
                continue
            if error.absent:
                return False
            if error.denied:
                findings.unchecked.append(f"{name}{ending}: {error.why}")
            else:
                findings.problem("file", name + ending, error.why)
            return False
    return not empty  # a full disk may leave one that nothing could be written to


def _report_errors(
    hashes: Iterator[bytes], name: str, kind: str, findings: ProblemCollector
) -> Iterator[bytes]:
    """Yield what a store gives, and tell its error as a problem."""
    try:
        yield from hashes
    except AuditError as error:
        if NO_TABLE not in error.message:
            findings.problem(kind, name, error.message)
    except (ValueError, TypeError, AttributeError):  # a column that holds what it cannot hold
        findings.problem(kind, name, "it is damaged")
