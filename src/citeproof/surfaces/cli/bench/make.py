"""`citeproof bench make`: benchmarks from real records."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from citeproof.errors import UsageError
from citeproof.index.readers.base import BadRecord, find
from citeproof.measure.makers import citeaudit, citecheck, items
from citeproof.measure.makers.collections import Topics, topics
from citeproof.measure.makers.pool import Pool, gathered
from citeproof.measure.makers.selection import Selection
from citeproof.measure.rendering import Style, styles
from citeproof.reporters.words import line
from citeproof.surfaces.cli import progress
from citeproof.surfaces.exits import Exit
from citeproof.vocabulary import Record


@click.command("make", short_help="Make a benchmark from real records: CITECHECK's or CiteAudit's recipe.")
@click.argument("recipe", type=click.Choice(["citecheck", "citeaudit"]))
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option(
    "--from", "reader", default="works", metavar="READER",
    help="What the files are: works, bibtex, medline, crossref, … as in `citeproof index build`.",
)  # fmt: skip
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), metavar="OUT",
    help="The file to write; with several seeds, {seed} in its name is replaced.",
)  # fmt: skip
@click.option("--seed", "seeds", type=int, multiple=True, metavar="N", help="The seed [42]; repeatable.")
@click.option("--count", type=click.IntRange(min=12), metavar="N", help="Items wanted [982 and 5000].")
@click.option(
    "--form", type=click.Choice(["link", "text", "bibtex", "mixed"]), help="How citations are printed."
)
@click.option("--topics", "table", metavar="NAME|TOML", help="Topics of the collections: physics, or a file.")
@click.option("--venue", default="", metavar="REGEX", help="Only works that appeared in such a venue.")
@click.option("--with-id", "scheme", default="", metavar="SCHEME", help="Only works with such an identifier.")
@click.option("--foreign", is_flag=True, help="Only works whose titles are not in English.")
@click.option(
    "--part", default="", metavar="K/N",
    help="Only the Kth of N parts of all works, told by title: to fit on one and report on another.",
)  # fmt: skip
@click.option(
    "--csl", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="CSL styles to print with, beside the built-in ones (needs the extra `bench`).",
)  # fmt: skip
def command(
    recipe: str, files: Sequence[Path], *, reader: str, output: Path, seeds: Sequence[int],
    count: int | None, form: str | None, table: str | None, venue: str, scheme: str, foreign: bool,
    part: str, folder: Path | None,
) -> int:  # fmt: skip
    """Make a benchmark by RECIPE from the records of FILE….

    citecheck: true citations in topical collections; within each a third is kept, a third spoiled in one
    to three fields, a third invented altogether. citeaudit: half real, half with a wrong title, authors
    or metadata. True citations are printed in styles and habits, never copied; every edit is told. The
    same files, seed and options give the same benchmark, byte for byte.

    \b
    citeproof bench make citecheck works.jsonl.zst --venue "Phys. Rev" --topics physics -o physics.jsonl
    citeproof bench make citeaudit works.jsonl.zst --seed 1 --seed 2 -o "audit-{seed}.jsonl"
    citeproof bench make citecheck refs.bib --from bibtex --form text -o mine.jsonl
    """
    seeds = tuple(seeds) or (42,)
    if len(seeds) > 1 and "{seed}" not in output.name:
        raise UsageError("several seeds need several files", mend='write -o "name-{seed}.jsonl"')
    with progress.reading():
        pool = gathered(_records(reader, files), Selection(venue, scheme, foreign, part).wanted())
    chosen = _styles(form or ("link" if recipe == "citecheck" else "mixed"), folder)
    for seed in seeds:
        made = _made(recipe, pool, chosen, seed, count, _topics(table), form)
        path = output.with_name(output.name.replace("{seed}", str(seed)))
        items.write(path, made)
        print(f"{line(str(path), 1000)}: {_counts(made)}", file=sys.stderr)
    return Exit.CLEAN


def _made(
    recipe: str, pool: Pool, chosen: Sequence[Style], seed: int, count: int | None, table: Topics | None,
    form: str | None,
) -> list[items.Item]:  # fmt: skip
    if recipe == "citeaudit":
        return citeaudit.citeaudit(pool, chosen, citeaudit.Recipe(seed, count or 5000))
    wanted = citecheck.Recipe(seed, count or 982, form="link" if form in (None, "link") else "text")
    return citecheck.citecheck(pool, chosen, wanted, table)


def _styles(form: str, folder: Path | None) -> tuple[Style, ...]:
    if form == "mixed":
        return (*styles("text", folder), *styles("bibtex", folder))
    return styles(form, folder)  # type: ignore[arg-type]


def _topics(table: str | None) -> Topics | None:
    if table is None:
        return None
    return topics(Path(table) if table.endswith(".toml") else table)


def _records(reader: str, files: Sequence[Path]) -> Iterator[Record]:
    for record in find(reader).read(list(files)):
        if not isinstance(record, BadRecord):
            yield record


def _counts(made: Iterable[items.Item]) -> str:
    made = list(made)
    by = {label: sum(item.label == label for item in made) for label in ("EXACT", "MINOR", "MAJOR")}
    where = len({item.collection for item in made})
    dev = sum(item.split == "dev" for item in made)
    parts = ", ".join(f"{count} {label}" for label, count in by.items())
    return f"{len(made)} items ({parts}) in {where} collections, {dev} for development"
