"""HALLMARK: one BibTeX entry a line, with its label, the kind of hallucination and a tier of difficulty.

    {"bibtex_key": …, "bibtex_type": …, "fields": {…}, "label": "VALID" | "HALLUCINATED",
     "hallucination_type": …, "difficulty_tier": 1 | 2 | 3, …}

The engine sees `bibtex_key`, `bibtex_type` and `fields`, as the benchmark asks. Entries of one title
belong together: intervals go by it.
"""

from __future__ import annotations

from collections.abc import Mapping

from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_text
from citeproof.laboratory.measure.benchmark_rows import (
    VALID,
    BenchmarkCase,
    BenchmarkQuestion,
    BenchmarkTruth,
)
from citeproof.text import title as titles

NAME = "hallmark"


def recognises(loaded: LoadedRows) -> bool:
    return loaded.has("bibtex_key", "fields", "label")


def read_case(row: RowOf, at: int) -> BenchmarkCase | str:  # noqa: ARG001 - the shape of all adapters
    key, label, fields = get_text(row, "bibtex_key"), get_text(row, "label"), row.get("fields")
    if not key or not isinstance(fields, dict):
        return "has no bibtex_key or fields"
    if label not in ("VALID", "HALLUCINATED"):
        return f"label is {label[:40]!r}, not VALID or HALLUCINATED"
    bad = label == "HALLUCINATED"
    kind = (get_text(row, "hallucination_type") or "unknown") if bad else VALID
    tier = row.get("difficulty_tier")
    bib = format_bibtex_entry(key, get_text(row, "bibtex_type") or "misc", fields)
    group = titles.make_title_key(str(fields.get("title", ""))) or key
    return BenchmarkCase(
        BenchmarkQuestion(key, "bibtex", bib, group),
        BenchmarkTruth(bad, None, kind, tier if isinstance(tier, int) else 0, work=group),
    )


def format_bibtex_entry(key: str, kind: str, fields: Mapping[str, object]) -> str:
    """Return one entry as BibTeX; what the engine sees and nothing else."""
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{body}\n}}\n"
