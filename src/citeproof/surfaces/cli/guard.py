"""`citeproof guard`: shows a text with verified citations only, renders markers, or asks for receipts."""

from __future__ import annotations

import asyncio
import codecs
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters.wording import show_line
from citeproof.answers.serializers import dump_pretty
from citeproof.errors import format_count
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, report_output, run_notices
from citeproof.surfaces.cli.status_line import SIGN

if TYPE_CHECKING:
    from citeproof.claims.rendered_text import RenderedText
    from citeproof.claims.text_guard import TextGuard
    from citeproof.reading.extractors.decoded_text import DecodedText
    from citeproof.service.citation_receipts import GuardedReference
    from citeproof.service.guarded_text import GuardedText
    from citeproof.settings import Settings
    from citeproof.verifier import ReferenceVerifier

_READ = 4096  # bytes of standard input that are taken at a time
_WORDS = {
    "valid": "receipt of {day}",
    "missing": "no receipt is about it",
    "differs": "a receipt has its identifier, but another title or author",
    "expired": "its receipt of {day} is too old",
}


@click.command(short_help="Show a text with verified citations only, render markers, or require receipts.")
@click.argument("file", metavar="FILE")
@command_options.add_options("guard")
def command(
    file: str,
    *,
    removal: str | None,
    receipts: Path | None,
    keys: Sequence[str],
    max_age: int,
    form: str,
    render: bool,
    **flags: object,
) -> int:
    """Print FILE, a generated text, with verified citations only: `-` is standard input.

    Each citation is judged by itself: identifiers, links to works, entries of a reference list, BibTeX, and
    authors with a year. One that is not verified is replaced by a mark. All other text stays as it is. With
    --format json the answer has what became of each citation, with jsonl it is a stream of events: text at
    once, placeholders, and patches (see docs/language-models.md).

    With --receipts nothing is looked up, and nothing leaves the machine: it fails if a reference in FILE has
    no valid receipt. `citeproof claims FILE --receipts OUT` writes one for each verified citation.
    Without --key only receipts of this machine's own key count; the file of receipts names its key.

    \b
    citeproof guard answer.md > safe.md
    my-model | citeproof guard - --format jsonl
    citeproof claims hypothesis.json --receipts receipts.json
    citeproof guard answer.md --receipts receipts.json

    With --render FILE is the answer of a language model, as text or as JSON with `text` and `citations`. A
    KEY is a key of --bibliography or of these citations, a DOI or an arXiv number. What is not verified, or
    is cited without a marker, is replaced by a mark.

    \b
    citeproof guard answer.json --render --style ieee
    citeproof guard answer.md --render --bibliography library.bib -o shown.md

    \b
    Exit codes: 0 every citation verified (every reference has a valid receipt), 1 one is not, 2 the receipts
    cannot be trusted, 3 no citation found, 4 something could not be checked (1 wins over 4).
    """
    ways = {"--removal": removal, "--receipts": receipts, "--render": render}
    command_options.refuse_together("guard", ways)
    if render:
        return render_file(file, form, flags)
    refuse_render_flags(flags, all_of_them=receipts is not None)
    if receipts is not None:
        encoding = flags.pop("encoding")
        return _require_receipts(file, receipts, keys, max_age, form, encoding)
    explain = bool(flags.pop("explain_network"))
    chosen = settings.load(command_options.collect_given_flags(**flags))
    return _filter_text(file, chosen, form, removal or "bracket", explain=explain)


def _filter_text(file: str, chosen: Settings, form: str, removal: str, *, explain: bool) -> int:
    """Print what may be shown of a text, and return the exit code."""
    from citeproof.reading.extractors.decoded_text import decode  # noqa: PLC0415 - takes its time
    from citeproof.service.assemble import assemble  # noqa: PLC0415 - same
    from citeproof.service.assemble.source_choice import make_assessor, open_text_library  # noqa: PLC0415 - same
    from citeproof.service.claim_session import make_text_guard  # noqa: PLC0415 - same
    from citeproof.service.guarded_text import give_once  # noqa: PLC0415 - same
    from citeproof.surfaces.cli.opened_documents import read_one_document  # noqa: PLC0415 - same

    live = file == "-" and form == "jsonl"
    text = "" if live else _report_reading(decode(read_one_document(file, chosen)))
    watch, library = run_notices.LookupCounter(), open_text_library(chosen)
    verifier = assemble(chosen, observer=watch, stage="grounding")
    guard = make_text_guard(
        verifier, removal, make_assessor(library, verifier.text_finders, verifier.reviewer)
    )

    async def guard_file() -> GuardedText:
        try:
            chunks = _read_standard_input() if live else give_once(text)
            return (
                await _print_events(guard, chunks)
                if form == "jsonl"
                else await _print_whole(guard, text, form)
            )
        finally:
            await guard.close()
            await verifier.close()

    with run_notices.print_notices_afterwards(verifier, watch, explain=explain, root_in_report=False):
        guarded = asyncio.run(guard_file())
    if library is not None:
        library.close()
    return guarded.exit_code


def _report_reading(decoded: DecodedText) -> str:
    """Return the text of a file; what was guessed or is missing goes to standard error."""
    run_notices.print_problems(decoded.problems)
    return decoded.text


async def _print_whole(guard: TextGuard, text: str, form: str) -> GuardedText:
    from citeproof.service.guarded_text import build_guarded_json, explain_citation, guard_text  # noqa: PLC0415 - same

    guarded = await guard_text(guard, text)
    if form == "json":
        print(serializers.dump_pretty(build_guarded_json(guarded)))
        return guarded
    with report_output.open_destination(None, text=True) as write:
        write(report_output.protect_terminal(guarded.text))
    count = format_count(len(guarded.citations), "citation")
    told = f"{len(guarded.left_out)} of {count} not verified" if guarded.citations else "no citation found"
    changed = f", {len(guarded.changed)} corrected" if guarded.changed else ""
    print(told + changed, file=sys.stderr)
    for one in guarded.left_out:
        print(f"  not verified: {show_line(one.text, 120)}", file=sys.stderr)
        print(f"    {show_line(explain_citation(one))}", file=sys.stderr)
    for one in guarded.changed:
        print(f"  corrected: {show_line(one.text, 120)}", file=sys.stderr)
    return guarded


async def _print_events(guard: TextGuard, chunks: AsyncGenerator[str]) -> GuardedText:
    from citeproof.service.guarded_text import GuardedText, build_event_json, run_here, stream_guarded  # noqa: PLC0415 - same

    citations = {}
    async with aclosing(chunks), aclosing(stream_guarded(guard, chunks, run_here)) as events:
        async for event in events:
            sys.stdout.write(serializers.dumps(build_event_json(event)).decode() + "\n")
            sys.stdout.flush()
            citations[event.id] = event.citations
    return GuardedText("", tuple(one for settled in citations.values() for one in settled))


async def _read_standard_input() -> AsyncGenerator[str]:
    """Yield what comes on standard input as it comes."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while data := await asyncio.to_thread(os.read, sys.stdin.fileno(), _READ):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def _require_receipts(
    file: str, receipts: Path, keys: Sequence[str], max_age: int, form: str, encoding: object
) -> int:
    """Print the references without a valid receipt, and return the exit code."""
    from citeproof.plumbing.clock import SystemClock, today  # noqa: PLC0415 - same
    from citeproof.reading.parse import parse_all  # noqa: PLC0415 - same
    from citeproof.service.assemble import make_reader  # noqa: PLC0415 - takes its time
    from citeproof.service.citation_receipts import guard_references, read_receipts  # noqa: PLC0415 - same
    from citeproof.surfaces.cli.opened_documents import read_one_document  # noqa: PLC0415 - same

    chosen, clock = settings.load({"offline": True, "encoding": encoding}), SystemClock()
    statements = read_receipts(receipts, chosen, keys)
    document = read_one_document(file, chosen)
    references = parse_all(make_reader(chosen)(document).references)
    guarded = guard_references(references, statements, today(clock) - timedelta(days=max_age))
    _print_guarded(guarded, form)
    if not guarded:
        return Exit.NOTHING
    return Exit.CLEAN if all(one.state == "valid" for one in guarded) else Exit.PROBLEMS


def _print_guarded(guarded: Sequence[GuardedReference], form: str) -> None:
    from citeproof.answers.reporters.wording import format_place, show_line  # noqa: PLC0415 - same
    from citeproof.errors import format_count  # noqa: PLC0415 - same

    if form != "text":
        rows = [
            {
                "key": one.reference.key,
                "raw": one.reference.raw,
                "location": serializers.build_place_json(one.reference.place),
                "state": one.state.value,
                "receipt": one.statement.day if one.statement else None,
            }
            for one in guarded
        ]
        print(serializers.dump_pretty({"schema": "citeproof/guard/1", "references": rows}))
        return
    failing = [one for one in guarded if one.state != "valid"]
    for one in failing:
        told = _WORDS[one.state].format(day=one.statement.day if one.statement else "")
        print(f"✗ {show_line(one.reference.key, 80)}  {format_place(one.reference.place)}")
        print(f"    {show_line(one.reference.claimed.title or one.reference.raw)}\n    {told}")
    print(f"{format_count(len(guarded), 'reference')}: {len(guarded) - len(failing)} with a valid receipt")


_OWN = ("bibliography", "style", "csl", "output")
STAGE = "grounding"  # as the audit log names it


def refuse_render_flags(flags: dict[str, object], *, all_of_them: bool) -> None:
    """Raise a UsageError for a flag that has no effect without --render; take its own flags out.

    `all_of_them`: with receipts nothing is looked up, so that no flag of a run has an effect but `encoding`.
    """
    for name in [flag for flag in flags if flag in _OWN or (all_of_them and flag != "encoding")]:
        command_options.refuse_alone(f"--{name.replace('_', '-')}", flags.pop(name), "--render", owned=False)


def render_file(file: str, form: str, flags: dict[str, Any]) -> int:
    """Write what may be shown of an answer; return the exit code."""
    from citeproof.service.answer_session import build_rendered_json, choose_exit_code  # noqa: PLC0415 - same
    from citeproof.service.assemble import assemble  # noqa: PLC0415 - takes its time

    explain, output = flags.pop("explain_network"), flags.pop("output")
    given = [flags.pop(name) for name in ("bibliography", "style", "csl")]
    chosen = settings.load(command_options.collect_given_flags(**flags))
    watch = run_notices.LookupCounter()
    verifier = assemble(chosen, observer=watch, stage=STAGE)
    with run_notices.print_notices_afterwards(verifier, watch, explain=explain):
        rendered = asyncio.run(_render_answer(verifier, chosen, file, *given))
    text = rendered.text if form == "text" else dump_pretty(build_rendered_json(rendered))
    with report_output.open_destination(output, text=form == "text") as write:
        text = text if text.endswith("\n") or not text else f"{text}\n"
        write(text if output else report_output.protect_terminal(text))
    sys.stdout.flush()
    _print_summary(rendered)
    return choose_exit_code(rendered)


async def _render_answer(
    verifier: ReferenceVerifier,
    chosen: Settings,
    file: str,
    bibliography: str | None,
    style: str | None,
    csl: Path | None,
) -> RenderedText:
    from citeproof.claims.proposed_answer import read_answer  # noqa: PLC0415 - same
    from citeproof.laboratory.measure.rendering.cited_text import make_citation_writer  # noqa: PLC0415 - same
    from citeproof.reading.extractors.decoded_text import decode  # noqa: PLC0415 - same
    from citeproof.service.answer_session import make_work_finder, render_answer  # noqa: PLC0415 - same
    from citeproof.surfaces.cli.opened_documents import read_one_document  # noqa: PLC0415 - same

    try:
        writer = make_citation_writer(style, csl)
        with SIGN.show([file]):
            decoded = decode(read_one_document(file, chosen))
            run_notices.print_problems(decoded.problems)
            answer = read_answer(decoded.text)
            library = verifier.extract(read_one_document(bibliography, chosen)) if bibliography else None
        return await render_answer(verifier, answer.text, make_work_finder(answer, library), writer)
    finally:
        await verifier.close()


def _print_summary(rendered: RenderedText) -> None:
    """Print on standard error what is not shown as a citation, and why."""
    for citation in rendered.citations:
        if citation.record is None:
            summary = f"{citation.status.value}: {show_line(citation.reason)}"
            print(f"✗ {show_line(citation.key, 80) or '(no key)'}  {summary}", file=sys.stderr)
    for text in rendered.held_back:
        print(f"✗ {show_line(text, 80)}  written by hand", file=sys.stderr)
    shown = sum(citation.record is not None for citation in rendered.citations)
    summary = f"{shown} of {format_count(len(rendered.citations), 'marker')} shown as citations"
    by_hand = f"; {len(rendered.held_back)} written by hand held back" if rendered.held_back else ""
    print(f"{summary}{by_hand}", file=sys.stderr)
