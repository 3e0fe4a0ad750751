"""`citeproof bench make`: benchmarks from real records."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.answers.reporters.wording import show_line
from citeproof.errors import UsageError
from citeproof.evidence.index.readers.base import BadRecord, find_reader
from citeproof.laboratory.measure.makers import benchmark_items, citeaudit, citecheck
from citeproof.laboratory.measure.makers.citecheck import Topics, load_topics
from citeproof.laboratory.measure.makers.record_pool import RecordPool, RecordSelection, gather_records
from citeproof.laboratory.measure.makers.rule_editor import CitationEditor
from citeproof.laboratory.measure.rendering import CitationStyle, load_styles
from citeproof.plumbing.background import BackgroundLoop
from citeproof.plumbing.clock import SystemClock
from citeproof.service.assemble import connect_sources
from citeproof.service.assemble.model_choice import choose_model
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, run_notices, status_line
from citeproof.vocabulary import Record

if TYPE_CHECKING:
    from citeproof.settings import Settings


_EACH = 12  # items of a benchmark at least


def _read_numbers(place: str, text: str | None) -> tuple[int, ...]:
    if text and not re.fullmatch(r"\d{1,6}(,\d{1,6})+", text):
        raise UsageError("not whole numbers with commas", place=place, hint="write them like 356,300,326")
    return tuple(map(int, text.split(","))) if text else ()


@click.command("make", short_help="Make a benchmark of citations from real records.")
@click.argument("recipe", type=click.Choice(["citecheck", "citeaudit"]))
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@command_options.add_options("bench make")
def command(
    recipe: str, files: Sequence[Path], *, reader: str, output: Path, seeds: Sequence[int],
    count: int | None, counts: str | None, split_counts: str | None, form: str | None,
    table: str | None, venue: str, scheme: str, foreign: bool, part: str, folder: Path | None,
    **flags: object,
) -> int:  # fmt: skip
    """Make a benchmark by RECIPE from the records of FILE….

    citecheck: true citations in topical collections. In each, a third is kept, a third has errors in one
    to three fields, and a third is invented; --counts and --split-counts set the numbers.
    citeaudit: half real, half with a wrong title, authors or metadata. True citations are printed in several
    styles, not copied. Every edit is recorded. The same files, seed and options give the same benchmark,
    byte for byte. With --llm a language model makes the edits of citecheck, which no seed can repeat; what
    it does not manage in three tries stays valid.

    \b
    citeproof bench make citecheck works.jsonl.zst --venue "Phys. Rev" --topics physics -o physics.jsonl
    citeproof bench make citeaudit works.jsonl.zst --seed 1 --seed 2 -o "audit-{seed}.jsonl"
    citeproof bench make citecheck refs.bib --from bibtex --form text -o mine.jsonl
    citeproof bench make citecheck works.jsonl.zst --llm openai:gpt-5.4 --llm-max-dollars 3 -o by-model.jsonl
    """
    recipe_given = _choose_recipe(
        recipe, count, _read_numbers("--counts", counts), _read_numbers("--split-counts", split_counts), form
    )
    seeds = tuple(seeds) or (42,)
    if len(seeds) > 1 and "{seed}" not in output.name:
        raise UsageError("several seeds need several files", hint='write -o "name-{seed}.jsonl"')
    with status_line.show_reading_progress():
        pool = gather_records(
            _read_records(reader, files), RecordSelection(venue, scheme, foreign, part).make_test()
        )
    chosen = _load_styles(form or ("link" if recipe == "citecheck" else "mixed"), folder)
    settled = settings.load(command_options.collect_given_flags(**flags))
    with _open_editor(settled, recipe, pool) as editor:
        for seed in seeds:
            made = _make_items(recipe_given, pool, chosen, seed, count, _load_topics(table), editor)
            path = output.with_name(output.name.replace("{seed}", str(seed)))
            benchmark_items.write_items(path, made)
            print(f"{show_line(str(path), 1000)}: {_describe_items(made)}", file=sys.stderr)
    return Exit.CLEAN


@contextmanager
def _open_editor(chosen: Settings, recipe: str, pool: RecordPool) -> Iterator[CitationEditor | None]:
    """Yield the editor that asks the model of the settings; None: the edits are made by rule."""
    if not chosen.llm:
        yield None
        return
    if recipe != "citecheck":
        raise UsageError("edits by rule alone", place="--llm", hint="use it with the recipe citecheck")
    from citeproof.laboratory.measure.makers.model_editor import ModelEditor  # noqa: PLC0415 - loads the models

    online = connect_sources(chosen, SystemClock(), ())
    model = choose_model(chosen, online.client)
    assert model is not None
    with BackgroundLoop("editing", alone=True) as loop:
        try:
            yield ModelEditor(lambda question: loop.run(model.ask(question)), pool)
            run_notices.print_given_up(model)
        finally:
            loop.run(online.client.close())


def _choose_recipe(
    recipe: str, count: int | None, counts: tuple[int, ...], splits: tuple[int, ...], form: str | None
) -> citecheck.CitecheckRecipe | None:
    """Return the numbers of citecheck's recipe; None for the other."""
    wanted = citecheck.CitecheckRecipe(form="link" if form in (None, "link") else "text")
    labels, parts = counts or wanted.labels, splits or wanted.splits
    exact = bool(counts or splits)
    total = sum(labels) if exact else count or wanted.count
    wrong = recipe != "citecheck" or (len(labels), len(parts)) != (3, 2) or count not in (None, total)
    if exact and (wrong or (splits and sum(splits) != total) or total < _EACH):
        hint = (
            f"citecheck alone takes them; write --counts 356,300,326 --split-counts 190,792, {_EACH} or more"
        )
        raise UsageError("the numbers do not fit together", place="--counts, --split-counts", hint=hint)
    if recipe == "citeaudit":
        return None
    return replace(wanted, count=total, labels=labels, splits=parts, exact=exact)  # type: ignore[arg-type] # their lengths were compared


def _make_items(
    recipe: citecheck.CitecheckRecipe | None,
    pool: RecordPool,
    chosen: Sequence[CitationStyle],
    seed: int,
    count: int | None,
    table: Topics | None,
    editor: CitationEditor | None = None,
) -> list[benchmark_items.BenchmarkItem]:
    if recipe is None:
        return citeaudit.make_citeaudit_items(pool, chosen, citeaudit.CiteauditRecipe(seed, count or 5000))
    return citecheck.make_citecheck_items(pool, chosen, replace(recipe, seed=seed), table, editor)


def _load_styles(form: str, folder: Path | None) -> tuple[CitationStyle, ...]:
    if form == "mixed":
        return (*load_styles("text", folder), *load_styles("bibtex", folder))
    return load_styles(form, folder)  # type: ignore[arg-type]


def _load_topics(table: str | None) -> Topics | None:
    if table is None:
        return None
    return load_topics(Path(table) if table.endswith(".toml") else table)


def _read_records(reader: str, files: Sequence[Path]) -> Iterator[Record]:
    for record in find_reader(reader).read(list(files)):
        if not isinstance(record, BadRecord):
            yield record


def _describe_items(made: Iterable[benchmark_items.BenchmarkItem]) -> str:
    made = list(made)
    by = {label: sum(item.label == label for item in made) for label in ("EXACT", "MINOR", "MAJOR")}
    where = len({item.collection for item in made})
    dev = sum(item.split == "dev" for item in made)
    parts = ", ".join(f"{count} {label}" for label, count in by.items())
    return f"{len(made)} items ({parts}) in {where} collections, {dev} for development"
