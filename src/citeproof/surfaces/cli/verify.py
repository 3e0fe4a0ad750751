"""`citeproof verify`: one citation from flags, answered in the shape of `verifyCitation`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from citeproof import serializers, settings
from citeproof.assemble import assemble, choose_judge
from citeproof.reporters import base, wording
from citeproof.reporters.reference_report import ReferenceReport
from citeproof.surfaces.citation_input import EXAMPLES, build_citation
from citeproof.surfaces.cli import audit_notice, network_report, setting_flags
from citeproof.surfaces.exit_codes import RunOutcome
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import Checked, Document, Extraction, RawReference

FORMATS = ("text", "json")


@click.command(short_help="Verify one citation given by flags.")
@click.option("--title", required=True, help="The title as it is cited.")
@click.option("--doi", help=f"Like {EXAMPLES['doi']}; every identifier may have a prefix or be a URL.")
@click.option("--pmid", help=f"PubMed number, like {EXAMPLES['pmid']}.")
@click.option("--pmcid", help=f"PubMed Central number, like {EXAMPLES['pmcid']}.")
@click.option("--arxiv", help=f"arXiv number, like {EXAMPLES['arxiv']}.")
@click.option("--ads", help=f"ADS bibcode, like {EXAMPLES['ads']}.")
@click.option("--isbn", help=f"With or without hyphens, like {EXAMPLES['isbn']}.")
@click.option("--issn", help=f"Checks the journal or series, not the title; like {EXAMPLES['issn']}.")
@click.option("--who-iris-url", "who_iris", help=f"Like {EXAMPLES['who_iris']}.")
@click.option("--author", help="Family name of the first author.")
@click.option(
    "--year", type=int, help="A difference of two or more years lowers the confidence, not the verdict."
)
@click.option("--container", help="Journal or book. A difference is shown but does not change the verdict.")
@click.option(
    "--screen-with-llm",
    is_flag=True,
    help="Ask a language model about weak mismatches, if one is configured.",
)
@click.option(
    "--compat",
    is_flag=True,
    help="Print only the keys of verifyCitation; “could not check” is a null verdict.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="json",
    show_default=True,
    help="Format of the answer.",
)
@setting_flags.add_evidence_flags
@setting_flags.add_promise_flag
@setting_flags.add_audit_flags
def command(
    *,
    title: str,
    author: str | None,
    year: int | None,
    container: str | None,
    format_: str,
    snapshots: Sequence[Path],
    sources: str | None,
    offline: bool | None,
    contact: str | None,
    max_false_accusations: str | None,
    audit_dir: str | None,
    audit_run: str | None,
    audit_anchors: str | None,
    explain_network: bool,
    screen_with_llm: bool,
    compat: bool,
    **identifiers: str | None,
) -> int:
    """Verify one citation. Without an identifier, citeproof searches by title.

    Snapshots are searched first, then registries on the network. The network is not used if a snapshot
    decides or --offline is given.

    \b
    citeproof verify --title "Deep learning" --doi 10.1038/nature14539 --author LeCun
    citeproof verify --title "Attention is all you need" --year 2017 --format text
    """
    raw = build_citation(title, identifiers, author=author, year=year, container=container)
    watch = network_report.LookupCounter()
    chosen = settings.load(
        setting_flags.collect_given_flags(
            snapshots=snapshots,
            sources=sources,
            offline=offline,
            contact=contact,
            max_false_accusations=max_false_accusations,
            audit_dir=audit_dir,
            audit_run=audit_run,
            audit_anchors=audit_anchors,
        )
    )
    verifier = assemble(chosen, observer=watch, stage="verify")
    network_report.print_warnings(choose_judge(chosen).trouble)
    try:
        checked = asyncio.run(_verify_citation(verifier, raw))
        run = verifier.run([Document("command line", b"")], [Extraction((raw,))])
        if format_ == "json":
            answer = serializers.build_verify_json(
                checked, compat=compat, screen=screen_with_llm, overrides=verifier.overrides
            )
            print(serializers.dump_pretty(answer))
            network_report.print_warnings(
                wording.describe_overrides(run) if compat else ()
            )  # that shape has no place for them
        else:
            sys.stdout.writelines(base.get_reporter("text").report(ReferenceReport(run, [checked])))
    finally:  # what has left the machine is told however the run ends
        network_report.print_network_report(verifier, watch, explain=explain_network)
        audit_notice.print_audit_notice(verifier)
    return _find_exit_code(checked)


async def _verify_citation(verifier: ReferenceVerifier, raw: RawReference) -> Checked:
    try:
        return await verifier.verify_one(raw)
    finally:
        await verifier.close()


def _find_exit_code(checked: Checked) -> int:
    outcome = RunOutcome()
    for _ in outcome.watch([checked]):
        pass
    return outcome.code()
