"""`citeproof bench import-natural`: the references of chat answers as items to be labelled."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from citeproof import settings
from citeproof.assemble import assemble, judge_of, reader
from citeproof.clock import SystemClock
from citeproof.measure import natural, running
from citeproof.measure.natural import Unlabelled
from citeproof.measure.rows import Said
from citeproof.reporters.words import line, listed
from citeproof.settings import Settings
from citeproof.surfaces import reading
from citeproof.surfaces.checking import extracted
from citeproof.surfaces.cli import fields, network, options, progress, writing
from citeproof.surfaces.exits import Exit

_MEND = "give answers with references, or the list of references alone"


@click.command("import-natural", short_help="Make benchmark items of the references in chat answers.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT", required=True,
    help="The file of items without labels.",
)  # fmt: skip
@click.option(
    "--checked", is_flag=True,
    help="Check them too; what is found goes to OUT.proposals.jsonl, apart from what annotators see.",
)  # fmt: skip
@options.evidence
def command(
    files: Sequence[str], *, output: Path, checked: bool, explain_network: bool, **flags: object
) -> int:
    """Write the references of FILE… (chat answers, or any document that can be read) to OUT.

    An item has the citation as it stands, the document as its collection, and the sentences that cite
    it; no label. `bench annotate` then takes labels of two people, and what they agree on is a benchmark
    of natural errors for `bench run`. With --checked, citeproof's own answers are kept in a file of
    their own, for `bench compare` once people have labelled: never as labels.

    \b
    citeproof bench import-natural chat/*.md -o natural.jsonl
    citeproof bench import-natural answer.md refs.bib -o natural.jsonl --checked --snapshot DIR

    Exit codes: 0 done, 2 wrong usage, 3 no reference was found.
    """
    chosen = settings.load(options.given(**flags))
    documents = reading.documents(files, chosen.max_document_bytes)
    with progress.reading():
        read = extracted(reader(chosen, SystemClock()), documents)
    for problem in (problem for extraction in read for problem in extraction.problems):
        print(fields.complaint(problem), file=sys.stderr)
    items = natural.unlabelled(zip(_names([one.name for one in documents]), read, strict=True))
    if not items:
        print(
            f"nothing to label: no reference was found in {listed(files)}\n  hint: {_MEND}", file=sys.stderr
        )
        return Exit.NOTHING
    _write(output, natural.lines(items))
    count = len({item.collection for item in items})
    print(f"{line(str(output), 1000)}: {len(items)} items of {count} documents")
    if checked:
        proposals = output.with_suffix(".proposals.jsonl")
        _write(proposals, natural.lines(_proposals(items, chosen, explain=explain_network)))
        print(f"{line(str(proposals), 1000)}: what citeproof says; do not show it to annotators")
    return Exit.CLEAN


def _names(paths: Sequence[str]) -> list[str]:
    """Return the names of the documents, with their folders where two have one name."""
    names = [Path(path).name for path in paths]
    return [path if names.count(name) > 1 else name for path, name in zip(paths, names, strict=True)]


def _proposals(items: Sequence[Unlabelled], chosen: Settings, *, explain: bool) -> list[Said]:
    """Return the answers of citeproof, by the keys of the items."""
    watch = network.Watch()
    verifier = assemble(chosen, observer=watch, stage=None)
    network.warn(judge_of(chosen).trouble)

    async def run() -> list[Said]:
        with progress.counted(len(items), "checking") as advance:
            try:
                found = await running.answers(verifier, [i.question for i in items], lambda _: advance())
            finally:
                await verifier.close()
        return [running.said(answer) for answer in found]

    try:
        return asyncio.run(run())
    finally:
        network.tell(verifier, watch, explain=explain)


def _write(path: Path, rows: natural.Lines) -> None:
    with writing.destination(path, text=False) as write:
        for row in rows:
            write(row)
