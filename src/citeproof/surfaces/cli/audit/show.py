"""`citeproof audit show`: the runs of a log, the trace of one, one reference in full."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import click

from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import NothingFoundError, UsageError, format_count
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.plumbing.stores.private_store import PrivateStore
from citeproof.proof.audit import log_reader, run_trace
from citeproof.proof.audit.log_reader import Entry, SignedEntries
from citeproof.proof.audit.run_lock import RUN
from citeproof.proof.audit.run_trace import ReferenceTrace
from citeproof.service.log_views import LoggedRun, PartState, build_trace, list_runs, list_unsigned_events
from citeproof.surfaces.cli import command_options, report_output
from citeproof.surfaces.cli.audit import log_argument, trace_words
from citeproof.surfaces.cli.audit.trace_words import describe_reference
from citeproof.text import lazy_patterns as re

RUNS, TRACE = "citeproof/audit-runs/1", "citeproof/audit-trace/1"
HEAD = ("run", "begun", "ended", "refs", "signed", "verdicts")
WIDTHS = (40, 20, 20, 10, 8)
_INDENT = "  "
_NARROW = 20  # characters of a line at least
_WHAT = re.compile(rf"({RUN.pattern})(?:/([1-9][0-9]{{0,8}}))?", re.ASCII)


@click.command(short_help="Show runs, and what happened to each reference.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="[RUN|RUN/N]", required=False)
@command_options.add_options("audit show")
def command(folder: Path, what: str | None, *, form: str) -> None:
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
    match = _WHAT.fullmatch(what or "")
    if what is not None and match is None:
        hint = "write RUN or RUN/3; `citeproof audit show DIR` lists the runs"
        raise UsageError(f"{what[:100]!r} is not a run or a reference", place="audit show", hint=hint)
    log_argument.check_log(folder)
    if match is None:
        with closing(PrivateStore(folder, readonly=True)) as private:
            hint = "check something with --audit DIR"
            _write_chunks(_RUNS[form](folder, private), form, "the log has no runs", hint)
        return
    run, ref = match[1], int(match[2]) if match[2] else None
    with closing(PrivateStore(folder, readonly=True)) as private:
        chunks = _TRACES[form](folder, run, ref, private)
        hint = f"`citeproof audit show DIR{f' {run}' if ref else ''}` lists what there is"
        nothing = f"the log has no {'reference' if ref else 'run'} {what}", hint
        _write_chunks(
            chunks,
            form,
            *(log_reader.explain_closed_logs(log_reader.list_closed_logs(folder, run), run) or nothing),
        )


def _write_chunks(chunks: Iterator[str], form: str, nothing: str, hint: str) -> None:
    """Write what there is; NothingFoundError where there is nothing."""
    any_ = False
    with report_output.open_destination(None, text=form == "text") as write:
        for chunk in chunks:
            any_ = True
            write(f"{chunk}\n")
    if not any_:
        raise NothingFoundError(nothing, hint=hint)


# --- all runs -------------------------------------------------------------------------------------


def _show_runs_text(folder: Path, private: PrivateStore) -> Iterator[str]:
    yield from _show_runs_table(folder, private)
    if others := log_reader.list_closed_logs(folder):
        closed = f"{format_count(len(others), 'closed log')} in {folder / log_reader.CLOSED}"
        yield f"\n{show_line(closed)}: show each of them for itself"


def _show_runs_table(folder: Path, private: PrivateStore) -> Iterator[str]:
    rows = [_make_run_cells(run) for run in list_runs(folder, private)]
    if not rows:
        return
    needed = sum(
        max(len(row[at]) for row in (HEAD, *rows)) + len(report_output.GAP) for at in range(len(WIDTHS))
    )
    wide = shutil.get_terminal_size((100, 40)).columns
    if needed + report_output.NARROWEST <= wide:
        yield from report_output.format_text_table(HEAD, rows, WIDTHS)
        return
    for run, begun, ended, refs, signed, verdicts in rows:  # a table would be wider than the screen
        yield show_line(run)
        for line in (f"{begun} to {ended}", f"signed: {signed}", f"{refs} refs: {verdicts}"):
            yield from textwrap.wrap(
                show_line(line), max(wide, _NARROW), initial_indent=_INDENT, subsequent_indent=2 * _INDENT
            )


def _make_run_cells(run: LoggedRun) -> tuple[str, ...]:
    counts = [f"{count} {name}" for name, count in sorted(run["verdicts"].items())]
    counts = [", ".join(counts) or format_count(sum(run["events"].values()), "event")]
    counts += [
        trace_words.describe_part(part) for part in run["parts"] if part["state"] != PartState.COMPLETE
    ]
    return (
        run["run"],
        trace_words.format_log_time(run["started"]),
        trace_words.format_log_time(run["finished"], run["started"]) if run["finished"] else "–",
        str(run["references"]),
        run["signed"],
        "; ".join(counts),
    )


def _show_runs_json(folder: Path, private: PrivateStore) -> Iterator[str]:
    if runs := list(list_runs(folder, private)):
        listing = {"schema": RUNS, "checkpoint": log_reader.count_signed(folder), "runs": runs}
        yield serializers.dump_pretty(listing)


def _show_runs_jsonl(folder: Path, private: PrivateStore) -> Iterator[str]:
    yield from (serializers.dump_printable(run) for run in list_runs(folder, private))


# --- one run, one reference -------------------------------------------------------------------------


def _show_trace_text(folder: Path, run: str, ref: int | None, private: PrivateStore) -> Iterator[str]:
    signed = SignedEntries(folder)
    if ref is not None:
        with closing(EvidenceStore(folder, readonly=True)) as evidence:
            for trace in run_trace.trace_run(folder, run, private, ref):
                if isinstance(trace, ReferenceTrace):
                    yield from describe_reference(
                        trace, evidence.length, signed=not list_unsigned_events(trace, run, signed)
                    )
        return
    verdicts: Counter[str] = Counter()
    root, last, doubtful = "", -1, 0
    for trace in run_trace.trace_run(folder, run, private):
        unsigned = list_unsigned_events(trace, run, signed)
        doubtful += len(unsigned)
        if isinstance(trace, ReferenceTrace):
            yield from trace_words.format_reference(trace, signed=not unsigned)
            verdict = trace_words.show_value(trace.outcome, 40) or "unchecked"
            verdicts["not_signed" if unsigned else verdict] += 1
            last = max(last, *(entry["seq"] for entry in trace.events))
            continue
        first, *rest = _describe_run_event(trace, folder, private)
        yield from (f"? {trace_words.UNSIGNED}: {first}" if unsigned else first, *rest)
        last = max(last, trace["seq"])
        root = trace_words.show_value(trace.get("root"), 64) if trace.get("ev") == "merkle_commit" else root
    if last >= 0:
        yield ""
        yield from trace_words.format_closing(verdicts) if verdicts else ()
        yield from (f"? {trace_words.describe_unsigned(doubtful)}",) if doubtful else ()
        yield from (
            f"⚠ {trace_words.describe_part(part)}; begun {trace_words.show_value(part['started'])}"
            for head in list_runs(folder, private, run)
            for part in head["parts"]
            if part["state"] != PartState.COMPLETE
        )
        yield _describe_log_place(folder, run, root, signed=last < log_reader.count_signed(folder))


def _describe_run_event(entry: Entry, folder: Path, private: PrivateStore) -> Iterator[str]:
    if entry.get("ev") != "run_start":
        yield f"· {trace_words.format_event(entry)}"
        return
    description = (
        f"{name} {trace_words.show_value(entry[name], 80)}"
        for name in ("stage", "citeproof", "judge")
        if entry.get(name)
    )
    yield (
        f"run {trace_words.show_value(entry['run'])} of {trace_words.show_value(entry['ts'])}: "
        f"{', '.join(description)}"
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
    if trace := build_trace(folder, run, ref, private):
        yield serializers.dump_pretty({"schema": TRACE, **trace})


def _show_trace_jsonl(folder: Path, run: str, ref: int | None, private: PrivateStore) -> Iterator[str]:  # noqa: ARG001 - one shape for all formats
    signed, doubtful = SignedEntries(folder), 0
    for entry in log_reader.read_run_lines(folder, run):
        if ref is None or log_reader.decode_brief(entry).ref == ref:
            doubtful += not signed.covers(log_reader.decode_entry(entry), run)
            line = entry.decode("utf-8", "replace")
            yield serializers.escape_hidden(line) if sys.stdout.isatty() else line  # a pipe: what was hashed
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
