"""Make a benchmark of claims from texts (Markdown, plain text, HTML, PDF) or folders of them.

    python -m bench.made_claims FILE|FOLDER… [--seed 20] [--count 480] -o claims.jsonl

Quotations and sentences are cut from the texts, and one number, direction, negation or word is changed.
OUT.texts keeps the texts. Every edit is recorded. The same files and seed give the same benchmark.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from bench.command_run import run_command
from bench.made_claims import claim_items
from bench.made_claims.claim_recipe import LEAST, ClaimRecipe
from bench.made_claims.quotation_damage import QuotableText

from citeproof.answers.reporters.wording import show_line
from citeproof.corpus.corpus_context import read_source_pages
from citeproof.errors import InputError, format_count
from citeproof.laboratory.measure.adapters.row_file import read_file_bytes
from citeproof.plumbing.sandbox import StoppedError

COUNT = 480  # thirty rounds of all kinds
MOST_FILES = 10_000


@click.command("made_claims")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="OUT")
@click.option("--seed", type=int, default=42, show_default=True)
@click.option("--count", type=click.IntRange(min=12), default=COUNT, show_default=True)
def command(files: Sequence[Path], *, output: Path, seed: int, count: int) -> None:
    """Make a benchmark of claims about FILE…."""
    texts = list(_read_texts(files))
    folder = f"{output.name.partition('.')[0]}.texts"
    items = list(ClaimRecipe(texts, seed, count, folder).make_items())
    used = {item.collection for item in items}
    claim_items.write_claims(output, items, [text for text in texts if text.name in used], folder)
    by = Counter(item.label for item in items)
    counts = ", ".join(f"{number} {label}" for label, number in sorted(by.items()))
    about = f"{format_count(len(items), 'claim')} ({counts}) about {format_count(len(used), 'text')}"
    print(f"{show_line(str(output), 1000)}: {about}", file=sys.stderr)


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


if __name__ == "__main__":
    sys.exit(run_command(command))
