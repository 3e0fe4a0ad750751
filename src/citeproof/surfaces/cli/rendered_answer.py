"""`citeproof guard --render`: a model's answer with markers in; the text that may be shown out."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from citeproof import settings
from citeproof.reporters.wording import format_count, show_line
from citeproof.serializers import dump_pretty
from citeproof.surfaces.cli import network_report, report_output, run_notices, setting_flags
from citeproof.surfaces.cli.reading_sign import SIGN

if TYPE_CHECKING:
    from citeproof.claims.rendered_text import RenderedText
    from citeproof.settings import Settings
    from citeproof.verifier import ReferenceVerifier

STAGE = "grounding"  # as the audit log names it


def render_file(
    file: str,
    form: str,
    output: Path | None,
    *,
    bibliography: str | None,
    style: str | None,
    csl: Path | None,
    explain_network: bool,
    flags: dict[str, object],
) -> int:
    """Write what may be shown of an answer; return the exit code."""
    from citeproof.assemble import assemble  # noqa: PLC0415 - takes its time
    from citeproof.service.answer_session import build_rendered_json, choose_exit_code  # noqa: PLC0415 - same

    chosen = settings.load(setting_flags.collect_given_flags(**flags))
    watch = network_report.LookupCounter()
    verifier = assemble(chosen, observer=watch, stage=STAGE)
    with run_notices.print_notices_afterwards(verifier, watch, explain=explain_network):
        rendered = asyncio.run(_render_answer(verifier, chosen, file, bibliography, style, csl))
    text = rendered.text if form == "text" else dump_pretty(build_rendered_json(rendered)) + "\n"
    with report_output.open_destination(output, text=form == "text") as write:
        write(text if text.endswith("\n") or not text else f"{text}\n")
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
    from citeproof.extractors.decoded_text import decode  # noqa: PLC0415 - same
    from citeproof.measure.rendering.cited_text import make_citation_writer  # noqa: PLC0415 - same
    from citeproof.service.answer_session import make_work_finder, render_answer  # noqa: PLC0415 - same
    from citeproof.surfaces.cli.opened_documents import read_one_document  # noqa: PLC0415 - same

    try:
        writer = make_citation_writer(style, csl)
        with SIGN.show([file]):
            answer = read_answer(decode(read_one_document(file, chosen)).text)
            library = verifier.extract(read_one_document(bibliography, chosen)) if bibliography else None
        return await render_answer(verifier, answer.text, make_work_finder(answer, library), writer)
    finally:
        await verifier.close()


def _print_summary(rendered: RenderedText) -> None:
    """Print on standard error what is not shown as a citation, and why."""
    for one in rendered.citations:
        if one.record is None:
            told = f"{one.status.value}: {show_line(one.reason)}"
            print(f"✗ {show_line(one.key, 80) or '(no key)'}  {told}", file=sys.stderr)
    for text in rendered.held_back:
        print(f"✗ {show_line(text, 80)}  written by hand", file=sys.stderr)
    shown = sum(one.record is not None for one in rendered.citations)
    told = f"{shown} of {format_count(len(rendered.citations), 'marker')} shown as citations"
    by_hand = f"; {len(rendered.held_back)} written by hand held back" if rendered.held_back else ""
    print(f"{told}{by_hand}", file=sys.stderr)
