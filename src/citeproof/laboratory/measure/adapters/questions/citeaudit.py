"""CiteAudit: citation strings, real or fake.

    {"data": [{"source_type": "realworld" | "generated", "citation": …, "GT": true, "Predict": true}, …]}

`GT` true is a real citation. Near relatives are taken too: the text under `citation`, `reference`, `text`
or `bibtex`; the truth under `GT`, `label`, `real` or `fake`, as a truth value or a word. The key of a row
is its place in the file, counted from 0, as in the results that CiteAudit writes.
"""

from __future__ import annotations

from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_text
from citeproof.laboratory.measure.benchmark_rows import (
    VALID,
    BenchmarkCase,
    BenchmarkQuestion,
    BenchmarkTruth,
)

NAME = "citeaudit"
TEXTS = ("citation", "reference", "text", "raw", "bibtex")
REAL = ("GT", "gt", "real", "is_real", "label")  # true: the citation is real
FAKE = ("fake", "is_fake", "hallucinated")  # true: it is fake
WORDS = {
    "real": True, "valid": True, "true": True, "1": True, "genuine": True, "correct": True,
    "fake": False, "false": False, "0": False, "hallucinated": False, "fabricated": False, "invalid": False,
}  # fmt: skip


def recognises(loaded: LoadedRows) -> bool:
    row = loaded.rows[0] if loaded.rows else {}
    return any(name in row for name in TEXTS) and any(name in row for name in (*REAL, *FAKE))


def read_case(row: RowOf, at: int) -> BenchmarkCase | str:
    citation = get_text(row, *TEXTS)
    if not citation:
        return f"has no text under {', '.join(TEXTS)}"
    real = read_truth(row)
    if real is None:
        return f"has no truth that is understood under {', '.join((*REAL, *FAKE))}"
    kind = get_text(row, "error_type", "kind", "type", "source_type") or "fake"
    bibtex = citation.startswith("@") and "{" in citation
    group = get_text(row, "document", "paper") or str(at)
    question = BenchmarkQuestion(make_citeaudit_key(row, at), "bibtex" if bibtex else "text", citation, group)
    return BenchmarkCase(question, BenchmarkTruth(bad=not real, kind=VALID if real else kind))


def make_citeaudit_key(row: RowOf, at: int) -> str:
    """Return how a row is called: its own index, or its place."""
    return get_text(row, "index", "id") or str(at)


def read_truth(row: RowOf) -> bool | None:
    """Return whether a row says that its citation is real; None if it says nothing understood."""
    for names, means in ((REAL, True), (FAKE, False)):
        for name in names:
            if (value := parse_truth_word(row.get(name))) is not None:
                return value is means
    return None


def parse_truth_word(value: object) -> bool | None:
    if isinstance(value, bool) or value is None:
        return value
    return WORDS.get(str(value).strip().lower())
