"""`citeproof guard --render`: a model's answer with markers in; the text that may be shown out."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeproof import settings
from citeproof.answers.reporters.wording import format_count, show_line
from citeproof.answers.serializers import dump_pretty
from citeproof.surfaces.cli import command_options, report_output, run_notices
from citeproof.surfaces.cli.progress_bar import SIGN

if TYPE_CHECKING:
    from citeproof.claims.rendered_text import RenderedText
    from citeproof.settings import Settings
    from citeproof.verifier import ReferenceVerifier

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
