"""`citeproof audit show`: the runs of a log, the trace of one, one reference in full."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import click

from citeproof import serial
from citeproof.audit import reading, tracing
from citeproof.audit.looking.findings import plural
from citeproof.audit.naming import RUN
from citeproof.audit.reading import Entry, Part, RunHead
from citeproof.audit.signed_entries import SignedEntries
from citeproof.audit.tracing import Traced
from citeproof.errors import UsageError
from citeproof.reporters.words import line
from citeproof.stores.evidence import Evidence
from citeproof.stores.private import Private
from citeproof.surfaces.cli import grid, writing
from citeproof.surfaces.cli.audit import absent, words
from citeproof.surfaces.cli.audit.detail import detail
from citeproof.surfaces.exits import Exit

RUNS, TRACE = "citeproof/audit-runs/1", "citeproof/audit-trace/1"
HEAD = ("run", "begun", "ended", "refs", "signed", "verdicts")
WIDTHS = (40, 20, 20, 10, 8)
_INDENT = "  "
_NARROW = 20  # characters of a line at least
_WHAT = re.compile(rf"({RUN.pattern})(?:/([1-9][0-9]{{0,8}}))?", re.ASCII)


@click.command(short_help="Show runs, and what happened to each reference.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="[RUN|RUN/N]", required=False)
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True,
    help="jsonl: one run a line; of a run, the log's own lines.",
)  # fmt: skip
def command(folder: Path, what: str | None, *, form: str) -> int:
    """Show the runs of the log in DIR, the trace of one run, or one reference with all that is known.

    \b
    citeproof audit show audit
    citeproof audit show audit h_abc123
    citeproof audit show audit h_abc123/3
    citeproof audit show audit h_abc123 --format jsonl

    "signed" tells whether the log's checkpoint covers the run; one that was broken off is marked. An event
    of a run that is not in the tree under the signed checkpoint is marked NOT SIGNED. More is not proved
    here: that is for `citeproof audit verify`. A document's own text is shown from the sidecar, if it was
    not erased.

    \b
    Exit codes: 0 shown, 2 wrong usage, 3 no such log, run or reference, 5 the log cannot be read.
    """
    found = _WHAT.fullmatch(what or "")
    if what is not None and found is None:
        mend = "write RUN or RUN/3; `citeproof audit show DIR` lists the runs"
        raise UsageError(f"{what[:100]!r} names no run or reference", place="audit show", mend=mend)
    if not reading.present(folder):
        return absent.told(f"there is no audit log in {folder}", "name the folder of a log")
    if found is None:
        with closing(Private(folder, readonly=True)) as private:
            mend = "check something with --audit DIR"
            return _write(_RUNS[form](folder, private), form, "the log has no runs", mend)
    run, ref = found[1], int(found[2]) if found[2] else None
    with closing(Private(folder, readonly=True)) as private:
        chunks = _TRACES[form](folder, run, ref, private)
        mend = f"`citeproof audit show DIR{f' {run}' if ref else ''}` lists what there is"
        nothing = f"the log has no {'reference' if ref else 'run'} {what}", mend
        return _write(chunks, form, *(reading.elsewhere(reading.closed(folder, run), run) or nothing))


def _write(chunks: Iterator[str], form: str, nothing: str, mend: str) -> int:
    """Return 0 when there was something to write, else 3."""
    any_ = False
    with writing.destination(None, text=form == "text") as write:
        for chunk in chunks:
            any_ = True
            write(f"{chunk}\n")
    return Exit.CLEAN if any_ else absent.told(nothing, mend)


# --- all runs -------------------------------------------------------------------------------------


def _runs_text(folder: Path, private: Private) -> Iterator[str]:
    yield from _runs_table(folder, private)
    if others := reading.closed(folder):
        told = f"{plural(len(others), 'closed log')} in {folder / reading.CLOSED}"
        yield f"\n{line(told)}: show each of them for itself"


def _runs_table(folder: Path, private: Private) -> Iterator[str]:
    covered = reading.covered(folder)
    rows = [_cells(head, covered, _parts(head, folder, private)) for head in reading.runs(folder)]
    if not rows:
        return
    needed = sum(max(len(row[at]) for row in (HEAD, *rows)) + len(grid.GAP) for at in range(len(WIDTHS)))
    wide = shutil.get_terminal_size((100, 40)).columns
    if needed + grid.NARROWEST <= wide:
        yield from grid.table(HEAD, rows, WIDTHS)
        return
    for run, begun, ended, refs, signed, verdicts in rows:  # a table would be wider than the screen
        yield line(run)
        for told in (f"{begun} to {ended}", f"signed: {signed}", f"{refs} refs: {verdicts}"):
            yield from textwrap.wrap(
                line(told), max(wide, _NARROW), initial_indent=_INDENT, subsequent_indent=2 * _INDENT
            )


def _cells(head: RunHead, covered: int, parts: list[dict[str, object]]) -> tuple[str, ...]:
    told = [f"{count} {name}" for name, count in sorted(head.verdicts.items())]
    told = [", ".join(told) or plural(head.events.total(), "event")]
    told += [words.part(part) for part in parts if part["state"] != words.COMPLETE]
    return (
        head.run,
        words.moment(head.started),
        words.moment(head.finished, head.started) if head.finished else "–",
        str(head.references),
        _signed(head, covered),
        "; ".join(told),
    )


def _signed(head: RunHead, covered: int) -> str:
    if head.last < covered:
        return "yes"
    return "in part" if head.first < covered else "not yet"


def _parts(head: RunHead, folder: Path, private: Private) -> list[dict[str, object]]:
    """Return how often a run began and how each time went; what was read then is known from the sidecar."""
    return [
        {
            "started": part.started,
            "ended": part.ended,
            "checked": part.checked,
            "read": part.checked if part.complete else tracing.extracted(part.documents, private),
            "state": _state(part, head, folder),
        }
        for part in head.parts
    ]


def _state(part: Part, head: RunHead, folder: Path) -> str:
    if part.ended is not None:
        return words.COMPLETE if part.complete else words.BROKEN
    held = reading.writing(folder, head.run) if part is head.parts[-1] else False
    return words.OPEN if held is None else words.RUNNING if held else words.BROKEN


def _run_json(head: RunHead, covered: int, parts: list[dict[str, object]]) -> dict[str, object]:
    return {
        "run": head.run,
        "started": head.started,
        "finished": head.finished,
        "references": head.references,
        "verdicts": dict(head.verdicts),
        "events": dict(head.events),
        "parts": parts,
        "first": head.first,
        "last": head.last,
        "signed": _signed(head, covered),
    }


def _runs_json(folder: Path, private: Private) -> Iterator[str]:
    covered = reading.covered(folder)
    runs = [_run_json(head, covered, _parts(head, folder, private)) for head in reading.runs(folder)]
    if runs:
        yield serial.pretty({"schema": RUNS, "checkpoint": covered, "runs": runs})


def _runs_jsonl(folder: Path, private: Private) -> Iterator[str]:
    covered = reading.covered(folder)
    for head in reading.runs(folder):
        yield serial.dump_printable(_run_json(head, covered, _parts(head, folder, private)))


# --- one run, one reference -------------------------------------------------------------------------


def _trace_text(folder: Path, run: str, ref: int | None, private: Private) -> Iterator[str]:
    signed = SignedEntries(folder)
    if ref is not None:
        with closing(Evidence(folder, readonly=True)) as evidence:
            for one in tracing.trace(folder, run, private, ref):
                if isinstance(one, Traced):
                    yield from detail(one, evidence.length, signed=not _unsigned(one, run, signed))
        return
    verdicts: Counter[str] = Counter()
    root, last, doubtful = "", -1, 0
    for one in tracing.trace(folder, run, private):
        unsigned = _unsigned(one, run, signed)
        doubtful += len(unsigned)
        if isinstance(one, Traced):
            yield from words.reference(one, signed=not unsigned)
            verdict = words.text(one.verdict.get("verdict"), 40) or "unchecked"
            verdicts["not_signed" if unsigned else verdict] += 1
            last = max(last, *(entry["seq"] for entry in one.events))
            continue
        first, *rest = _of_run(one, folder, private)
        yield from (f"? {words.UNSIGNED}: {first}" if unsigned else first, *rest)
        last = max(last, one["seq"])
        root = words.text(one.get("root"), 64) if one.get("ev") == "merkle_commit" else root
    if last >= 0:
        yield ""
        yield from words.closing(verdicts) if verdicts else ()
        yield from (f"? {words.unsigned(doubtful)}",) if doubtful else ()
        for head in reading.runs(folder, run):
            states = (part for part in _parts(head, folder, private) if part["state"] != words.COMPLETE)
            yield from (f"⚠ {words.part(part)}; begun {words.text(part['started'])}" for part in states)
        yield _place(folder, run, root, signed=last < reading.covered(folder))


def _unsigned(one: Traced | Entry, run: str, signed: SignedEntries) -> list[int]:
    """Return the numbers of the events of a reference, or of the one event, that are not signed."""
    events = one.events if isinstance(one, Traced) else (one,)
    return [entry["seq"] for entry in events if not signed.covers(entry, run)]


def _of_run(entry: Entry, folder: Path, private: Private) -> Iterator[str]:
    if entry.get("ev") != "run_start":
        yield f"· {words.event(entry)}"
        return
    told = (
        f"{name} {words.text(entry[name], 80)}" for name in ("stage", "citeproof", "judge") if entry.get(name)
    )
    yield f"run {words.text(entry['run'])} of {words.text(entry['ts'])}: {', '.join(told)}"
    gone = tracing.redacted(folder, entry["run"])
    documents = entry.get("documents")
    for commitment in documents[: words.MOST] if isinstance(documents, list) else ():
        yield f"  {words.document(tracing.value(str(commitment), private, gone))}"


def _place(folder: Path, run: str, root: str, *, signed: bool) -> str:
    place = line(str(folder / f"{run}.jsonl"))
    state = "" if signed else "; its last events are not signed yet"
    return f"Audit log: {place} (Merkle root: {f'{root[:6]}…{root[-4:]}' if root else 'none yet'}{state})"


def _trace_json(folder: Path, run: str, ref: int | None, private: Private) -> Iterator[str]:
    found, signed = list(tracing.trace(folder, run, private, ref)), SignedEntries(folder)
    references = [_reference_json(one) for one in found if isinstance(one, Traced)]
    events = [one for one in found if not isinstance(one, Traced)]
    unsigned = [seq for one in found for seq in _unsigned(one, run, signed)]
    if found:
        told = {"schema": TRACE, "run": run, "references": references, "events": events, "unsigned": unsigned}
        yield serial.pretty(told)


def _reference_json(one: Traced) -> dict[str, object]:
    told = None
    if one.case is not None:
        told = {"commitment": one.case.commitment, "kept": one.case.kept, "data": one.case.data or None}
    return {"ref": one.ref, "events": one.events, "case": told}


def _trace_jsonl(folder: Path, run: str, ref: int | None, private: Private) -> Iterator[str]:  # noqa: ARG001 - one shape for all formats
    signed, doubtful = SignedEntries(folder), 0
    for entry in reading.lines_of(folder, run):
        if ref is None or reading.brief(entry).ref == ref:
            doubtful += not signed.covers(reading.entry_of(entry), run)
            told = entry.decode("utf-8", "replace")
            yield serial.escape_hidden(told) if sys.stdout.isatty() else told  # a pipe gets what was hashed
    if doubtful:
        print(f"warning: {words.unsigned(doubtful)}", file=sys.stderr)


_RUNS: dict[str, Callable[[Path, Private], Iterator[str]]] = {
    "text": _runs_text,
    "json": _runs_json,
    "jsonl": _runs_jsonl,
}
_TRACES: dict[str, Callable[[Path, str, int | None, Private], Iterator[str]]] = {
    "text": _trace_text,
    "json": _trace_json,
    "jsonl": _trace_jsonl,
}
