"""CITECHECK: linked citations in collections, valid, with a minor error, or made up.

Lines   {"n": 1, "label": "valid", "original": …, "citation": "[authors, year, title](url)"}
or the whole file of the project, `{"collections": [{"collection_id": …, "citations": [{"citation_number":
1, "corrupted_citation": …, "ground_truth_label": "valid"}, …]}, …]}`.

valid → EXACT, hallucinated_minor → MINOR, hallucinated_major → MAJOR.
"""

from __future__ import annotations

from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_text
from citeproof.laboratory.measure.benchmark_rows import (
    VALID,
    BenchmarkCase,
    BenchmarkQuestion,
    BenchmarkTruth,
)
from citeproof.vocabulary import Label

NAME = "citecheck"
LABELS = {
    "valid": Label.EXACT,
    "hallucinated_minor": Label.MINOR,
    "hallucinated_major": Label.MAJOR,
    "exact_match": Label.EXACT,
    "minor_hallucination": Label.MINOR,
    "major_hallucination": Label.MAJOR,
}


def recognises(loaded: LoadedRows) -> bool:
    if loaded.has("ground_truth_label", "corrupted_citation"):
        return True
    return loaded.has("citation", "label") and get_text(loaded.rows[0], "label") in LABELS


def read_case(row: RowOf, at: int) -> BenchmarkCase | str:
    label = LABELS.get(get_text(row, "ground_truth_label", "label"))
    if label is None:
        return f"label is {get_text(row, 'ground_truth_label', 'label')[:40]!r}, none of CITECHECK's"
    citation = get_text(row, "corrupted_citation", "citation")
    if not citation:
        return "has no citation"
    kind = VALID if label is Label.EXACT else label.value.lower()
    collection = get_text(row, "collection_id", "collection")
    return BenchmarkCase(
        BenchmarkQuestion(make_citecheck_key(row, at), "link", citation, collection or str(at)),
        BenchmarkTruth(
            label is not Label.EXACT, label, kind, split=get_text(row, "split"), field=get_text(row, "topic")
        ),
    )


def make_citecheck_key(row: RowOf, at: int) -> str:
    """Return how an item is called: its number, within its collection if it has one."""
    own = get_text(row, "citation_number", "n", "index") or str(at)
    collection = get_text(row, "collection_id")
    return f"{collection}/{own}" if collection else own
