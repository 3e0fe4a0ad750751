"""`citeproof bench make`: benchmarks from real records."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citeproof import settings
from citeproof.answers.reporters.wording import format_count, show_line
from citeproof.corpus.source_text import read_source_pages
from citeproof.errors import InputError, UsageError
from citeproof.evidence.index.readers.base import BadRecord, find_reader
from citeproof.laboratory.measure.adapters.row_file import read_file_bytes
from citeproof.laboratory.measure.makers import benchmark_items, citeaudit, citecheck, claim_items
from citeproof.laboratory.measure.makers.claim_recipe import LEAST, ClaimRecipe
from citeproof.laboratory.measure.makers.quotation_damage import QuotableText
from citeproof.laboratory.measure.makers.record_pool import RecordPool, RecordSelection, gather_records
from citeproof.laboratory.measure.makers.rule_editor import CitationEditor
from citeproof.laboratory.measure.makers.topic_collections import Topics, load_topics
from citeproof.laboratory.measure.rendering import CitationStyle, load_styles
from citeproof.plumbing.background import BackgroundLoop
from citeproof.plumbing.clock import SystemClock
from citeproof.plumbing.sandbox import StoppedError
from citeproof.service.assemble import connect_sources
from citeproof.service.assemble.model_choice import choose_model
from citeproof.service.exit_codes import Exit
from citeproof.surfaces.cli import command_options, run_notices, status_line
from citeproof.vocabulary import Record

if TYPE_CHECKING:
    from citeproof.settings import Settings


COUNT = 480  # thirty rounds of all kinds
MOST_FILES = 10_000


@click.command("make", short_help="Make a benchmark of citations from real records, or of claims from texts.")
@click.argument("recipe", type=click.Choice(["citecheck", "citeaudit", "claims"]))
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@command_options.add_options("bench make")
def command(
    recipe: str, files: Sequence[Path], *, reader: str, output: Path, seeds: Sequence[int],
    count: int | None, form: str | None, table: str | None, venue: str, scheme: str, foreign: bool,
    part: str, folder: Path | None, **flags: object,
) -> int:  # fmt: skip
    """Make a benchmark by RECIPE from the records of FILE….

    citecheck: true citations in topical collections. In each, a third is kept, a third has errors in one
    to three fields, and a third is invented. citeaudit: half real, half with a wrong title, authors or
    metadata. True citations are printed in several styles, not copied. claims: FILE… are texts, or folders
    of texts (Markdown, plain text, HTML, PDF); quotations and sentences are cut from them, and one number,
    direction, negation or word changed; OUT.texts keeps the texts. Every edit is recorded. The same files,
    seed and options give the same benchmark, byte for byte. With --llm a language model makes the edits of
    citecheck, which no seed can repeat; what it does not manage in three tries stays valid.

    \b
    citeproof bench make citecheck works.jsonl.zst --venue "Phys. Rev" --topics physics -o physics.jsonl
    citeproof bench make citeaudit works.jsonl.zst --seed 1 --seed 2 -o "audit-{seed}.jsonl"
    citeproof bench make citecheck refs.bib --from bibtex --form text -o mine.jsonl
    citeproof bench make claims papers/ --seed 20 -o claims.jsonl
    citeproof bench make citecheck works.jsonl.zst --llm openai:gpt-5.4 --llm-max-dollars 3 -o by-model.jsonl
    """
    seeds = tuple(seeds) or (42,)
    if len(seeds) > 1 and "{seed}" not in output.name:
        raise UsageError("several seeds need several files", hint='write -o "name-{seed}.jsonl"')
    if recipe == "claims":
        _refuse_record_flags(form=form, topics=table, venue=venue, with_id=scheme, foreign=foreign, part=part)
        make_claims(files, output, seeds, count)
        return Exit.CLEAN
    with status_line.show_reading_progress():
        pool = gather_records(
            _read_records(reader, files), RecordSelection(venue, scheme, foreign, part).make_test()
        )
    chosen = _load_styles(form or ("link" if recipe == "citecheck" else "mixed"), folder)
    settled = settings.load(command_options.collect_given_flags(**flags))
    with _open_editor(settled, recipe, pool) as editor:
        for seed in seeds:
            made = _make_items(recipe, pool, chosen, seed, count, _load_topics(table), form, editor)
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


def _refuse_record_flags(**flags: object) -> None:
    given = [f"--{name.replace('_', '-')}" for name, value in flags.items() if value]
    if given:
        hint = "leave them out; claims are made from texts, not from records"
        raise UsageError("is for benchmarks of citations", place=", ".join(given), hint=hint)


def _make_items(
    recipe: str,
    pool: RecordPool,
    chosen: Sequence[CitationStyle],
    seed: int,
    count: int | None,
    table: Topics | None,
    form: str | None,
    editor: CitationEditor | None = None,
) -> list[benchmark_items.BenchmarkItem]:
    if recipe == "citeaudit":
        return citeaudit.make_citeaudit_items(pool, chosen, citeaudit.CiteauditRecipe(seed, count or 5000))
    wanted = citecheck.CitecheckRecipe(seed, count or 982, form="link" if form in (None, "link") else "text")
    return citecheck.make_citecheck_items(pool, chosen, wanted, table, editor)


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


def make_claims(files: Sequence[Path], output: Path, seeds: Sequence[int], count: int | None) -> None:
    """Write a benchmark for each seed, with the texts in a folder next to it."""
    texts = list(_read_texts(files))
    for seed in seeds:
        path = output.with_name(output.name.replace("{seed}", str(seed)))
        folder = f"{path.name.partition('.')[0]}.texts"
        items = list(ClaimRecipe(texts, seed, count or COUNT, folder).make_items())
        used = {item.collection for item in items}
        claim_items.write_claims(path, items, [text for text in texts if text.name in used], folder)
        by = Counter(item.label for item in items)
        counts = ", ".join(f"{number} {label}" for label, number in sorted(by.items()))
        about = f"{format_count(len(items), 'claim')} ({counts}) about {format_count(len(used), 'text')}"
        print(f"{show_line(str(path), 1000)}: {about}", file=sys.stderr)


def _read_texts(files: Sequence[Path]) -> Iterator[QuotableText]:
    """Yield the texts that are long enough, those of folders in order of their names."""
    left_out = 0
    for path in files:
        if not path.exists():
            raise InputError(
                "no such file or folder", place=str(path), hint="name the texts, or their folder"
            )
        inside = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        for file in inside[:MOST_FILES]:
            try:
                pages = read_source_pages(file.name, read_file_bytes(file))
            except StoppedError:
                pages = None
            text = "\n\n".join(pages or ())
            if len(text) >= LEAST:
                name = str(file.relative_to(path)) if path.is_dir() else file.name
                yield QuotableText(name, text.encode(errors="replace").decode())
            else:
                left_out += 1
    if left_out:
        message = (
            f"{format_count(left_out, 'file')} left out: no text, or less than {LEAST:,} characters of it"
        )
        print(f"note: {message}", file=sys.stderr)
