"""Steps 8 and 9 of a verification: whether what events name is still kept, whole, and opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from citeproof.audit.commitment import opens
from citeproof.audit.looking.findings import Findings
from citeproof.audit.looking.holding import Holding
from citeproof.audit.untrusted import Unreadable, Untrusted
from citeproof.errors import AuditError
from citeproof.stores.evidence import FILE as EVIDENCE
from citeproof.stores.evidence import Evidence
from citeproof.stores.private import FILE as PRIVATE
from citeproof.stores.private import Private

LOOKED = 1000  # missing rows that are looked for once more, by commitment


def evidence(folder: Path, files: Untrusted, findings: Findings) -> tuple[Holding, set[str]]:
    """Return the hashes of the bodies that are whole, and those of the bodies that are not."""
    damaged: set[str] = set()

    def whole() -> Iterator[bytes]:
        if not _plain(files, EVIDENCE, findings):
            return
        with closing(Evidence(folder, readonly=True)) as store:
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
    found = Holding(_told(whole(), EVIDENCE, "evidence", findings))
    found.blind = (len(findings.problems), len(findings.unchecked)) != known
    findings.counts["bodies"] = len(found)
    return found, damaged


def private(folder: Path, files: Untrusted, runs: Iterable[str], findings: Findings) -> Holding:
    """Return the commitments that a row opens; a row that does not open its own is a problem."""

    def opening() -> Iterator[bytes]:
        if not _plain(files, PRIVATE, findings):
            return
        with closing(Private(folder, readonly=True)) as store:
            for run in runs:
                for row in store.of(run):
                    if opens(row.commitment, row.salt, row.data):
                        yield bytes.fromhex(row.commitment)
                    else:
                        what = f"the row of {row.run[:100]}/{row.ref} does not open {row.commitment[:16]}…"
                        findings.problem("private", PRIVATE, what, run=row.run[:100])

    known = len(findings.unchecked)
    found = Holding(_told(opening(), PRIVATE, "private", findings))
    found.blind = len(findings.unchecked) != known
    findings.counts["rows"] = len(found)
    return found


def settle_evidence(held: Holding, damaged: set[str], since: int, findings: Findings) -> None:
    """Tell the bodies that events from `since` on (before, they were pruned) name and that are not there."""
    findings.counts["named"] = held.named
    if held.blind:
        return
    for seq, digest in held.missing(since):
        state = "damaged" if digest in damaged else "missing"
        what = f"the body {digest[:16]}… that event {seq} rests on is {state}"
        findings.problem("evidence", EVIDENCE, what, seq=seq)


def settle_private(held: Holding, redacted: set[str], since: int, findings: Findings, folder: Path) -> None:
    """Note commitments that nothing opens any more though no `redacted` or `pruned` event says so."""
    findings.counts["commitments"] = held.named
    gone = [(seq, name) for seq, name in held.missing(since) if name not in redacted]
    if not gone or held.blind:
        return
    if not len(held):
        findings.note(f"the clear values behind {held.named:,} commitments are not here: none was opened")
        return
    gone = _still_gone(gone, folder)
    if gone:
        what = f"{len(gone):,} values were erased without a word: no row opens, and no event redacts, "
        findings.note(what + f"what event {gone[0][0]} commits to")


def _still_gone(gone: list[tuple[int, str]], folder: Path) -> list[tuple[int, str]]:
    """Return `gone` without those whose row stands under another run (whose file may be lost)."""
    try:
        with closing(Private(folder, readonly=True)) as store:
            return [one for one in gone[:LOOKED] if store.get(one[1]) is None] + gone[LOOKED:]
    except AuditError:
        return gone


def _plain(files: Untrusted, name: str, findings: Findings) -> bool:
    """Return whether a store can be opened: its files are plain ones, and ours to read."""
    for beside in ("", "-wal", "-shm"):
        try:
            files.size(name + beside)
        except Unreadable as error:
            if error.absent and beside:
                continue
            if error.absent:
                return False
            if error.denied:
                findings.unchecked.append(f"{name}{beside}: {error.why}")
            else:
                findings.problem("file", name + beside, error.why)
            return False
    return True


def _told(found: Iterator[bytes], name: str, kind: str, findings: Findings) -> Iterator[bytes]:
    """Yield what a store gives, and tell its error as a problem."""
    try:
        yield from found
    except AuditError as error:
        findings.problem(kind, name, error.message)
    except (ValueError, TypeError, AttributeError):  # a column that holds what it cannot hold
        findings.problem(kind, name, "it is damaged")
