"""`citeproof bench make claims`: a benchmark of claims about texts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from citeproof.corpus.source_text import read_source_pages
from citeproof.errors import InputError
from citeproof.measure.adapters.row_file import read_file_bytes
from citeproof.measure.makers import claim_items
from citeproof.measure.makers.claim_recipe import LEAST, ClaimRecipe
from citeproof.measure.makers.quotation_damage import QuotableText
from citeproof.reporters.wording import format_count, show_line
from citeproof.sandbox import StoppedError

COUNT = 480  # thirty rounds of all kinds
MOST_FILES = 10_000


def make_claims(files: Sequence[Path], output: Path, seeds: Sequence[int], count: int | None) -> None:
    """Write a benchmark for each seed, with the texts in a folder beside it."""
    texts = list(_read_texts(files))
    for seed in seeds:
        path = output.with_name(output.name.replace("{seed}", str(seed)))
        folder = f"{path.name.partition('.')[0]}.texts"
        items = list(ClaimRecipe(texts, seed, count or COUNT, folder).make_items())
        used = {item.collection for item in items}
        claim_items.write_claims(path, items, [text for text in texts if text.name in used], folder)
        by = Counter(item.label for item in items)
        told = ", ".join(f"{number} {label}" for label, number in sorted(by.items()))
        about = f"{format_count(len(items), 'claim')} ({told}) about {format_count(len(used), 'text')}"
        print(f"{show_line(str(path), 1000)}: {about}", file=sys.stderr)


def _read_texts(files: Sequence[Path]) -> Iterator[QuotableText]:
    """Yield the texts that are long enough, those of folders in order of their names."""
    left_out = 0
    for path in files:
        if not path.exists():
            raise InputError(
                "no such file or folder", place=str(path), hint="name the texts, or their folder"
            )
        inside = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
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
        told = f"{format_count(left_out, 'file')} left out: no text, or less than {LEAST:,} characters of it"
        print(f"note: {told}", file=sys.stderr)
