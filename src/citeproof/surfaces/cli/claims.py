"""`citeproof claims`: claims in, their decided citations and the trace of each decision out."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.output_files import write_file
from citeproof.reporters.wording import show_line
from citeproof.surfaces.cli import network_report, report_output, run_notices, setting_flags
from citeproof.surfaces.cli.reading_sign import SIGN

if TYPE_CHECKING:
    from citeproof.claims.grounding import AssessClaim
    from citeproof.verifier import ReferenceVerifier
    from citeproof.vocabulary import Document, GroundedHypothesis

FORMATS = ("text", "json", "jsonl", "md", "sarif", "junit", "csv")
STAGE = "grounding"  # as the audit log names it


@click.command(short_help="Verify the citations of claims, and trace every decision.")
@click.argument("file", metavar="FILE")
@setting_flags.make_format_flag(*FORMATS, about="Format of the report.")
@setting_flags.make_output_flag("the report")
@click.option(
    "--receipts",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write a signed receipt for each verified citation, for `citeproof guard`.",
)
@setting_flags.make_setting_flag("texts", multiple=True, metavar="DIR", type=click.Path(path_type=Path))
@setting_flags.make_setting_flag("fetch_texts", is_flag=True, flag_value=True)
@setting_flags.add_evidence_flags
@setting_flags.add_promise_flag
@setting_flags.add_audit_flags
def command(
    file: str,
    *,
    form: str,
    output: Path | None,
    receipts: Path | None,
    explain_network: bool,
    **flags: object,
) -> int:
    """Verify the citations of the claims in FILE: a hypothesis as JSON, or any document.

    Each claim is tried with its candidates, the surest first: identifiers in its text, and the references
    proposed for it. The first that is found, has the claimed title and authors, and was not retracted is
    attached. If none passes, no citation is shown and the claim is unsupported. If something could not be
    checked, the claim is unchecked. Of a document, each sentence that cites a work is a claim.

    A list of retractions is needed: run `citeproof lists update` first.

    \b
    citeproof claims hypothesis.json
    citeproof claims answer.md --format json
    citeproof claims paper.tex --offline --audit audit
    citeproof claims answer.md --texts papers
    citeproof claims answer.md --fetch-texts
    citeproof claims answer.md --receipts receipts.json

    \b
    Exit codes: 0 every claim verified, 1 a claim is unsupported or its source retracted, 3 no claim found,
    4 something could not be checked (1 wins over 4).
    """
    chosen = settings.load(setting_flags.collect_given_flags(**flags))
    watch = network_report.LookupCounter()
    with SIGN.show([file]):
        from citeproof.assemble import assemble, choose_judge  # noqa: PLC0415 - takes its time
        from citeproof.assemble.text_choice import make_assessor, open_text_library  # noqa: PLC0415 - same
        from citeproof.service.claim_session import choose_exit_code  # noqa: PLC0415 - same
        from citeproof.surfaces.cli.opened_documents import read_one_document  # noqa: PLC0415 - same

        document = read_one_document(file, chosen)
        library = open_text_library(chosen)
        verifier = assemble(chosen, observer=watch, stage=STAGE)
        assess = make_assessor(library, verifier.text_finders)
        network_report.print_warnings(choose_judge(chosen).trouble)
    with run_notices.print_notices_afterwards(verifier, watch, explain=explain_network):
        grounded = asyncio.run(_ground_document(verifier, document, assess))
    run_notices.print_problems(grounded.run.problems, notes=False)
    if not grounded.claims:
        print(f"nothing to check: no claim found in {show_line(file)}", file=sys.stderr)
    with report_output.open_destination(output, text=form == "text") as write:
        for chunk in _format_report(grounded, form, output) if grounded.claims or form != "text" else ():
            write(chunk)
    if receipts is not None:
        from citeproof.clock import SystemClock, today  # noqa: PLC0415 - same
        from citeproof.service.citation_receipts import sign_receipts  # noqa: PLC0415 - same

        write_file(receipts, sign_receipts(chosen, grounded.claims, today(SystemClock())))
    return choose_exit_code(grounded)


async def _ground_document(
    verifier: ReferenceVerifier, document: Document, assess: AssessClaim | None
) -> GroundedHypothesis:
    from citeproof.service.claim_session import ground_document  # noqa: PLC0415 - same

    try:
        return await ground_document(verifier, document, assess)
    finally:
        await verifier.close()


def _format_report(grounded: GroundedHypothesis, form: str, output: Path | None) -> Iterator[str]:
    from citeproof.claims import claim_text  # noqa: PLC0415 - same
    from citeproof.claims.claim_report import ClaimReport  # noqa: PLC0415 - same

    if form == "text":
        return claim_text.format_claims_text(grounded, report_output.choose_screen(output))
    if form == "md":
        return claim_text.format_claims_markdown(grounded)
    return report_output.choose_reporter(form, output).report(ClaimReport(grounded))
