"""`citeproof verify`: one citation from flags, answered in the shape of `verifyCitation`."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import click

from citeproof import settings
from citeproof.answers import serializers
from citeproof.answers.reporters import wording
from citeproof.answers.reporters.reference_report import ReferenceReport
from citeproof.answers.reporters.report_model import Selection
from citeproof.service.assemble import assemble, choose_judge
from citeproof.service.citation_input import EXAMPLES, CitationDetails, build_citation
from citeproof.service.exit_codes import RunOutcome
from citeproof.surfaces.cli import command_options, report_output, run_notices
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked, Document, Extraction, RawReference

FORMATS = ("text", "json")


@click.command(short_help="Verify one citation given by flags.")
@command_options.add_options("verify", **EXAMPLES)
def command(
    *,
    title: str,
    form: str,
    explain_network: bool,
    screen_with_llm: bool,
    compat: bool,
    **flags: Any,  # noqa: ANN401 - each by its option
) -> int:
    """Verify one citation. Without an identifier, citeproof searches by title.

    Snapshots are searched first, then registries on the network. The network is not used if a snapshot
    decides or --offline is given.

    \b
    citeproof verify --title "Deep learning" --doi 10.1038/nature14539 --author LeCun
    citeproof verify --title "Attention is all you need" --year 2017 --format text
    """
    raw = build_citation(title, **{name: flags.pop(name) for name in CitationDetails.__annotations__})
    watch = run_notices.LookupCounter()
    chosen = settings.load(command_options.collect_given_flags(**flags))
    verifier = assemble(chosen, observer=watch, stage="verify")
    run_notices.print_warnings(choose_judge(chosen).trouble)
    with run_notices.print_notices_afterwards(verifier, watch, explain=explain_network):
        checked = asyncio.run(_verify_citation(verifier, raw))
        run = verifier.run([Document("command line", b"")], [Extraction((raw,))])
        if form == "text":
            reporter = report_output.choose_reporter("text", None, Selection.ALL, verbose=True)
            sys.stdout.writelines(reporter.report(ReferenceReport(run, [checked])))
        else:
            answer = serializers.build_verify_json(
                checked, compat=compat, screen=screen_with_llm, overrides=verifier.overrides
            )
            print(serializers.dump_pretty(answer))
            if compat:  # that shape has no place for them
                run_notices.print_warnings(wording.describe_overrides(run))
    return RunOutcome.of([checked]).code()


async def _verify_citation(verifier: ReferenceVerifier, raw: RawReference) -> Checked:
    try:
        return await verifier.verify_one(raw)
    finally:
        await verifier.close()
