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

from citeproof import serializers
from citeproof.audit import log_reader, run_trace
from citeproof.audit.log_reader import Entry, RunPart, RunSummary
from citeproof.audit.run_lock import RUN
from citeproof.audit.run_trace import ReferenceTrace
from citeproof.audit.signed_entries import SignedEntries
from citeproof.audit.verify.log_problems import format_count
from citeproof.errors import UsageError
from citeproof.reporters.wording import show_line
from citeproof.stores.evidence_store import EvidenceStore
from citeproof.stores.private_store import PrivateStore
from citeproof.surfaces.cli import report_output, text_table
from citeproof.surfaces.cli.audit import nothing_found, trace_words
from citeproof.surfaces.cli.audit.reference_detail import describe_reference
from citeproof.surfaces.exit_codes import Exit

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
    help="jsonl: one run per line; with RUN, the original log lines.",
)  # fmt: skip
def command(folder: Path, what: str | None, *, form: str) -> int:
    """Show the runs of the log in DIR, the trace of one run, or the details of one reference.

    \b
    citeproof audit show audit
    citeproof audit show audit h_abc123
    citeproof audit show audit h_abc123/3
    citeproof audit show audit h_abc123 --format jsonl

    "signed" means that the log's checkpoint covers the run. Interrupted runs are marked. An event that is
    not in the tree of the signed checkpoint is marked NOT SIGNED. For a full proof, use
    `citeproof audit verify`. A document's own text comes from the sidecar, unless it was erased.

    \b
    Exit codes: 0 shown, 2 wrong usage, 3 no such log, run or reference, 5 the log cannot be read.
    """
    found = _WHAT.fullmatch(what or "")
    if what is not None and found is None:
        hint = "write RUN or RUN/3; `citeproof audit show DIR` lists the runs"
        raise UsageError(f"{what[:100]!r} is not a run or a reference", place="audit show", hint=hint)
    if not log_reader.has_log(folder):
        return nothing_found.print_nothing_found(f"no audit log in {folder}", "name the folder of a log")
    if found is None:
        with closing(PrivateStore(folder, readonly=True)) as private:
            hint = "check something with --audit DIR"
            return _write_chunks(_RUNS[form](folder, private), form, "the log has no runs", hint)
    run, ref = found[1], int(found[2]) if found[2] else None
    with closing(PrivateStore(folder, readonly=True)) as private:
        chunks = _TRACES[form](folder, run, ref, private)
        hint = f"`citeproof audit show DIR{f' {run}' if ref else ''}` lists what there is"
        nothing = f"the log has no {'reference' if ref else 'run'} {what}", hint
        return _write_chunks(
            chunks,
            form,
            *(log_reader.explain_closed_logs(log_reader.list_closed_logs(folder, run), run) or nothing),
        )


def _write_chunks(chunks: Iterator[str], form: str, nothing: str, hint: str) -> int:
    """Return 0 when there was something to write, else 3."""
    any_ = False
    with report_output.open_destination(None, text=form == "text") as write:
        for chunk in chunks:
            any_ = True
            write(f"{chunk}\n")
    return Exit.CLEAN if any_ else nothing_found.print_nothing_found(nothing, hint)


# --- all runs -------------------------------------------------------------------------------------


def _show_runs_text(folder: Path, private: PrivateStore) -> Iterator[str]:
    yield from _show_runs_table(folder, private)
    if others := log_reader.list_closed_logs(folder):
        told = f"{format_count(len(others), 'closed log')} in {folder / log_reader.CLOSED}"
        yield f"\n{show_line(told)}: show each of them for itself"


def _show_runs_table(folder: Path, private: PrivateStore) -> Iterator[str]:
    covered = log_reader.count_signed(folder)
    rows = [
        _make_run_cells(head, covered, _list_run_parts(head, folder, private))
        for head in log_reader.list_runs(folder)
    ]
    if not rows:
        return
    needed = sum(
        max(len(row[at]) for row in (HEAD, *rows)) + len(text_table.GAP) for at in range(len(WIDTHS))
    )
    wide = shutil.get_terminal_size((100, 40)).columns
    if needed + text_table.NARROWEST <= wide:
        yield from text_table.format_text_table(HEAD, rows, WIDTHS)
        return
    for run, begun, ended, refs, signed, verdicts in rows:  # a table would be wider than the screen
        yield show_line(run)
        for told in (f"{begun} to {ended}", f"signed: {signed}", f"{refs} refs: {verdicts}"):
            yield from textwrap.wrap(
                show_line(told), max(wide, _NARROW), initial_indent=_INDENT, subsequent_indent=2 * _INDENT
            )


def _make_run_cells(head: RunSummary, covered: int, parts: list[dict[str, object]]) -> tuple[str, ...]:
    told = [f"{count} {name}" for name, count in sorted(head.verdicts.items())]
    told = [", ".join(told) or format_count(head.events.total(), "event")]
    told += [trace_words.describe_part(part) for part in parts if part["state"] != trace_words.COMPLETE]
    return (
        head.run,
        trace_words.format_log_time(head.started),
        trace_words.format_log_time(head.finished, head.started) if head.finished else "–",
        str(head.references),
        _describe_signature(head, covered),
        "; ".join(told),
    )


def _describe_signature(head: RunSummary, covered: int) -> str:
    if head.last < covered:
        return "yes"
    return "in part" if head.first < covered else "not yet"


def _list_run_parts(head: RunSummary, folder: Path, private: PrivateStore) -> list[dict[str, object]]:
    """Return how often a run began and how each time went; what was read then is known from the sidecar."""
    return [
        {
            "started": part.started,
            "ended": part.ended,
            "checked": part.checked,
            "read": part.checked if part.complete else run_trace.count_extracted(part.documents, private),
            "state": _find_part_state(part, head, folder),
        }
        for part in head.parts
    ]


def _find_part_state(part: RunPart, head: RunSummary, folder: Path) -> str:
    if part.ended is not None:
        return trace_words.COMPLETE if part.complete else trace_words.BROKEN
    held = log_reader.is_being_written(folder, head.run) if part is head.parts[-1] else False
    return trace_words.OPEN if held is None else trace_words.RUNNING if held else trace_words.BROKEN


def _build_run_json(head: RunSummary, covered: int, parts: list[dict[str, object]]) -> dict[str, object]:
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
        "signed": _describe_signature(head, covered),
    }


def _show_runs_json(folder: Path, private: PrivateStore) -> Iterator[str]:
    covered = log_reader.count_signed(folder)
    runs = [
        _build_run_json(head, covered, _list_run_parts(head, folder, private))
        for head in log_reader.list_runs(folder)
    ]
    if runs:
        yield serializers.dump_pretty({"schema": RUNS, "checkpoint": covered, "runs": runs})


def _show_runs_jsonl(folder: Path, private: PrivateStore) -> Iterator[str]:
    covered = log_reader.count_signed(folder)
    for head in log_reader.list_runs(folder):
        yield serializers.dump_printable(
            _build_run_json(head, covered, _list_run_parts(head, folder, private))
        )


# --- one run, one reference -------------------------------------------------------------------------


def _show_trace_text(folder: Path, run: str, ref: int | None, private: PrivateStore) -> Iterator[str]:
    signed = SignedEntries(folder)
    if ref is not None:
        with closing(EvidenceStore(folder, readonly=True)) as evidence:
            for one in run_trace.trace_run(folder, run, private, ref):
                if isinstance(one, ReferenceTrace):
                    yield from describe_reference(
                        one, evidence.length, signed=not _list_unsigned_events(one, run, signed)
                    )
        return
    verdicts: Counter[str] = Counter()
    root, last, doubtful = "", -1, 0
    for one in run_trace.trace_run(folder, run, private):
        unsigned = _list_unsigned_events(one, run, signed)
        doubtful += len(unsigned)
        if isinstance(one, ReferenceTrace):
            yield from trace_words.format_reference(one, signed=not unsigned)
            verdict = trace_words.show_value(one.verdict.get("verdict"), 40) or "unchecked"
            verdicts["not_signed" if unsigned else verdict] += 1
            last = max(last, *(entry["seq"] for entry in one.events))
            continue
        first, *rest = _describe_run_event(one, folder, private)
        yield from (f"? {trace_words.UNSIGNED}: {first}" if unsigned else first, *rest)
        last = max(last, one["seq"])
        root = trace_words.show_value(one.get("root"), 64) if one.get("ev") == "merkle_commit" else root
    if last >= 0:
        yield ""
        yield from trace_words.format_closing(verdicts) if verdicts else ()
        yield from (f"? {trace_words.describe_unsigned(doubtful)}",) if doubtful else ()
        for head in log_reader.list_runs(folder, run):
            states = (
                part
                for part in _list_run_parts(head, folder, private)
                if part["state"] != trace_words.COMPLETE
            )
            yield from (
                f"⚠ {trace_words.describe_part(part)}; begun {trace_words.show_value(part['started'])}"
                for part in states
            )
        yield _describe_log_place(folder, run, root, signed=last < log_reader.count_signed(folder))


def _list_unsigned_events(one: ReferenceTrace | Entry, run: str, signed: SignedEntries) -> list[int]:
    """Return the numbers of the events of a reference, or of the one event, that are not signed."""
    events = one.events if isinstance(one, ReferenceTrace) else (one,)
    return [entry["seq"] for entry in events if not signed.covers(entry, run)]


def _describe_run_event(entry: Entry, folder: Path, private: PrivateStore) -> Iterator[str]:
    if entry.get("ev") != "run_start":
        yield f"· {trace_words.format_event(entry)}"
        return
    told = (
        f"{name} {trace_words.show_value(entry[name], 80)}"
        for name in ("stage", "citeproof", "judge")
        if entry.get(name)
    )
    yield (
        f"run {trace_words.show_value(entry['run'])} of {trace_words.show_value(entry['ts'])}: "
        f"{', '.join(told)}"
    )
    gone = run_trace.list_redacted(folder, entry["run"])
    documents = entry.get("documents")
    for commitment in documents[: trace_words.MOST] if isinstance(documents, list) else ():
        yield f"  {trace_words.format_document(run_trace.open_value(str(commitment), private, gone))}"


def _describe_log_place(folder: Path, run: str, root: str, *, signed: bool) -> str:
    place = show_line(str(folder / f"{run}.jsonl"))
    state = "" if signed else "; its last events are not signed yet"
    return f"Audit log: {place} (Merkle root: {f'{root[:6]}…{root[-4:]}' if root else 'none yet'}{state})"


def _show_trace_json(folder: Path, run: str, ref: int | None, private: PrivateStore) -> Iterator[str]:
    found, signed = list(run_trace.trace_run(folder, run, private, ref)), SignedEntries(folder)
    references = [_build_trace_json(one) for one in found if isinstance(one, ReferenceTrace)]
    events = [one for one in found if not isinstance(one, ReferenceTrace)]
    unsigned = [seq for one in found for seq in _list_unsigned_events(one, run, signed)]
    if found:
        told = {"schema": TRACE, "run": run, "references": references, "events": events, "unsigned": unsigned}
        yield serializers.dump_pretty(told)


def _build_trace_json(one: ReferenceTrace) -> dict[str, object]:
    told = None
    if one.case is not None:
        told = {"commitment": one.case.commitment, "kept": one.case.kept, "data": one.case.data or None}
    return {"ref": one.ref, "events": one.events, "case": told}


def _show_trace_jsonl(folder: Path, run: str, ref: int | None, private: PrivateStore) -> Iterator[str]:  # noqa: ARG001 - one shape for all formats
    signed, doubtful = SignedEntries(folder), 0
    for entry in log_reader.read_run_lines(folder, run):
        if ref is None or log_reader.decode_brief(entry).ref == ref:
            doubtful += not signed.covers(log_reader.decode_entry(entry), run)
            told = entry.decode("utf-8", "replace")
            yield (
                serializers.escape_hidden(told) if sys.stdout.isatty() else told
            )  # a pipe gets what was hashed
    if doubtful:
        print(f"warning: {trace_words.describe_unsigned(doubtful)}", file=sys.stderr)


_RUNS: dict[str, Callable[[Path, PrivateStore], Iterator[str]]] = {
    "text": _show_runs_text,
    "json": _show_runs_json,
    "jsonl": _show_runs_jsonl,
}
_TRACES: dict[str, Callable[[Path, str, int | None, PrivateStore], Iterator[str]]] = {
    "text": _show_trace_text,
    "json": _show_trace_json,
    "jsonl": _show_trace_jsonl,
}
