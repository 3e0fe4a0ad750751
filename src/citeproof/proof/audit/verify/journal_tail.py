"""The journal's lines -> what follows the checkpoint. Only a torn last line was never acknowledged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from typing import BinaryIO

from citeproof.proof.audit.tiles import LARGEST
from citeproof.proof.audit.verify.log_files import LogFiles, decode_head
from citeproof.proof.audit.verify.log_problems import ProblemCollector, name_events

HELD = 64 << 20  # bytes of lines that are held: a writer signs long before


@dataclass(slots=True)
class JournalTail:
    """Entries that the journal has beyond the checkpoint (`tail`), and those it still has of before."""

    place: str = "journal"
    tail: list[bytes] = field(default_factory=list)
    before: dict[int, bytes] = field(default_factory=dict)
    cut: bool = False  # there is more than is held


def read_journal_tail(
    seen: LogFiles, size: int, ahead: Sequence[bytes], findings: ProblemCollector
) -> JournalTail:
    """Return the entries from `size` on, in order; a gap, a bad line or two stories are problems.

    `ahead` are those that already are in tiles.
    """
    journal = JournalTail()
    if not seen.journals and not any(bad.name.startswith("journal-") for bad in seen.bad):
        findings.problem("journal", "journal", "it is missing: events after the checkpoint, if any, are lost")
    lines: dict[int, bytes] = dict(enumerate(ahead, size))
    held = sum(map(len, ahead))
    for start, (file, length) in sorted(seen.journals.items()):
        journal.place = f"journal-{start}"
        for at, line in enumerate(_read_journal_lines(file, journal.place, length, findings), start):
            held += len(line) if at not in lines else 0
            if held > HELD:
                what = f"{journal.place}: events from {at} on: more are unsigned than a writer leaves"
                findings.unchecked.append(what)
                journal.cut = True
                break
            if (entry := decode_head(line)) is None or entry.seq != at:
                what = f"line {at - start + 1} does not parse or continue: it was changed"
                findings.problem("journal", journal.place, what, line=at - start + 1, seq=at)
                break
            if lines.setdefault(at, line) != line:
                findings.problem(
                    "journal", journal.place, f"event {at} is in two journals, with different content", seq=at
                )
    journal.before = {at: line for at, line in lines.items() if at < size}
    at = size
    while at in lines:
        journal.tail.append(lines[at])
        at += 1
    beyond = [seq for seq in lines if seq >= at]
    missing = min(beyond, default=0) or min((start for start in seen.journals if start > at), default=0)
    if missing and not journal.cut:
        what = (
            f"it begins after event {at}: {name_events(at, missing - 1)} "
            f"{'is' if missing - 1 == at else 'are'} in no signed tile and no journal"
        )
        findings.problem("journal", f"journal-{max(seen.journals)}", what, seq=at)
    return journal


def _read_journal_lines(
    raw: BinaryIO, place: str, length: int, findings: ProblemCollector
) -> Iterator[bytes]:
    """Yield the lines of a journal, but for a last one that is torn or no event; rubbish is not read on."""
    left = length
    with BufferedReader(raw) as file:  # type: ignore[type-var]
        while left > 0 and (line := file.readline(min(left, LARGEST + 1))):
            left -= len(line)
            if not line.endswith(b"\n") and left <= 0:
                findings.note(f"{place} ends in a half-written line; the next writer removes it")
                return
            if left <= 0 and decode_head(line[:-1]) is None:
                findings.note(f"{place} ends in a line that is not an event; the next writer removes it")
                return
            yield line.removesuffix(b"\n")
