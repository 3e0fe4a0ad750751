"""`citeproof bench import-natural`: the references of chat answers as items to be labelled."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from citeproof import settings
from citeproof.answers.reporters.wording import list_names, show_line
from citeproof.laboratory.measure import engine_run, natural_citations
from citeproof.laboratory.measure.benchmark_rows import SystemAnswer
from citeproof.laboratory.measure.natural_citations import UnlabelledCitation
from citeproof.plumbing.clock import SystemClock
from citeproof.service.assemble import assemble, choose_judge, make_reader
from citeproof.service.check_session import extract_documents
from citeproof.service.exit_codes import Exit
from citeproof.settings import Settings
from citeproof.surfaces.cli import command_options, run_notices, status_line
from citeproof.surfaces.cli.bench.annotate import write_items
from citeproof.surfaces.cli.opened_documents import read_named_documents

_HINT = "give answers with references, or the list of references alone"


@click.command("import-natural", short_help="Make benchmark items from the references in chat answers.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path())
@command_options.add_options("bench import-natural")
def command(
    files: Sequence[str], *, output: Path, checked: bool, explain_network: bool, **flags: object
) -> int:
    """Write the references of FILE… (chat answers, or any document that can be read) to OUT.

    An item has the original citation, the document as its collection, and the sentences that cite it, but
    no label. `bench annotate` then collects labels from two people. The items they agree on are a
    benchmark of natural errors for `bench run`. With --checked, citeproof's own answers are written to a
    separate file for `bench compare`. They are never used as labels.

    \b
    citeproof bench import-natural chat/*.md -o natural.jsonl
    citeproof bench import-natural answer.md refs.bib -o natural.jsonl --checked --snapshot DIR

    Exit codes: 0 done, 2 wrong usage, 3 no reference was found.
    """
    chosen = settings.load(command_options.collect_given_flags(**flags))
    documents = read_named_documents(files, chosen)
    with status_line.show_reading_progress():
        read = extract_documents(make_reader(chosen, SystemClock()), documents)
    run_notices.print_problems(problem for extraction in read for problem in extraction.problems)
    items = natural_citations.collect_citations(
        zip(_name_documents([document.name for document in documents]), read, strict=True)
    )
    if not items:
        print(
            f"nothing to label: no reference found in {list_names(files)}\n  hint: {_HINT}", file=sys.stderr
        )
        return Exit.NOTHING
    write_items(output, natural_citations.encode_json_lines(items))
    count = len({item.collection for item in items})
    print(f"{show_line(str(output), 1000)}: {len(items)} items of {count} documents")
    if checked:
        proposals = output.with_suffix(".proposals.jsonl")
        write_items(
            proposals,
            natural_citations.encode_json_lines(_propose_answers(items, chosen, explain=explain_network)),
        )
        print(f"{show_line(str(proposals), 1000)}: what citeproof says; do not show it to annotators")
    return Exit.CLEAN


def _name_documents(paths: Sequence[str]) -> list[str]:
    """Return the names of the documents, with their folders where two have one name."""
    names = [Path(path).name for path in paths]
    return [path if names.count(name) > 1 else name for path, name in zip(paths, names, strict=True)]


def _propose_answers(
    items: Sequence[UnlabelledCitation], chosen: Settings, *, explain: bool
) -> list[SystemAnswer]:
    """Return the answers of citeproof, by the keys of the items."""
    watch = run_notices.LookupCounter()
    verifier = assemble(chosen, observer=watch, stage=None)
    run_notices.print_warnings(choose_judge(chosen).trouble)

    async def run() -> list[SystemAnswer]:
        with status_line.count_progress(len(items), "checking") as advance:
            try:
                answers = await engine_run.answer_questions(
                    verifier, [i.question for i in items], lambda _: advance()
                )
            finally:
                await verifier.close()
        return [engine_run.make_system_answer(answer) for answer in answers]

    try:
        return asyncio.run(run())
    finally:
        run_notices.print_network_report(verifier, watch, explain=explain)
