"""Benchmark files: citeproof's own items, HALLMARK, CITECHECK, CiteAudit, each recognised by its content.

HALLMARK   {"bibtex_key": …, "bibtex_type": …, "fields": {…}, "label": "VALID" | "HALLUCINATED",
            "hallucination_type": …, "difficulty_tier": 1 | 2 | 3, …}
CITECHECK  {"n": 1, "label": "valid", "original": …, "citation": "[authors, year, title](url)"}, or
           {"collections": [{"collection_id": …, "citations": [{"citation_number": 1,
            "corrupted_citation": …, "ground_truth_label": "valid"}, …]}, …]}
CiteAudit  {"data": [{"source_type": "realworld" | "generated", "citation": …, "GT": true}, …]}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters import row_file
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_text
from citeproof.laboratory.measure.benchmark_rows import (
    VALID,
    BenchmarkCase,
    BenchmarkQuestion,
    BenchmarkTruth,
)
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem
from citeproof.text import title as titles
from citeproof.text.typed_decoding import convert_value
from citeproof.vocabulary import Label


@dataclass(frozen=True, slots=True)
class BenchmarkShape:
    """One shape of benchmark file. A row gives the question and its truth, or what was not understood."""

    name: str
    recognises: Callable[[LoadedRows], bool]
    read_row: Callable[[RowOf, int], BenchmarkCase | str]


_HINT = "known formats: citeproof's own items, HALLMARK, CITECHECK, CiteAudit (docs/benchmarks.md)"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The cases of one file, and what of it was left out."""

    path: Path
    sha256: str
    shape: str
    cases: tuple[BenchmarkCase, ...]
    skipped: tuple[tuple[str, int], ...] = ()  # why, how often
    seed: int | None = None

    def select_split(self, split: str) -> Benchmark:
        """Return the cases of one split; all of them where the file knows no splits."""
        if not split or not any(case.truth.split for case in self.cases):
            return self
        return replace(self, cases=tuple(case for case in self.cases if case.truth.split == split))


def read_benchmark(path: Path) -> Benchmark:
    """Return the benchmark in the file at `path`, whatever shape it has."""
    loaded = row_file.load_rows(path)
    shape = find_shape(loaded)
    if shape is None:
        keys = ", ".join(sorted(map(str, loaded.rows[0]))[:12]) if loaded.rows else "none"
        raise InputError(f"unknown format of a benchmark file; its keys: {keys}", place=str(path), hint=_HINT)
    read_rows = [shape.read_row(row, at) for at, row in enumerate(loaded.rows)]
    cases = [case for case in read_rows if isinstance(case, BenchmarkCase)]
    if not cases:
        why = next((reason for reason in read_rows if isinstance(reason, str)), "it has no row")
        raise InputError(f"no item could be read: {why}", place=str(path), hint=_HINT)
    skipped = Counter(reason for reason in read_rows if isinstance(reason, str))
    return Benchmark(
        path,
        loaded.sha256,
        shape.name,
        _make_keys_unique(cases),
        tuple(sorted(skipped.items())),
        _find_seed(loaded),
    )


def find_shape(loaded: LoadedRows) -> BenchmarkShape | None:
    """Return the shape of a benchmark file, if it is one: its labels are the truth."""
    return next((shape for shape in SHAPES if shape.recognises(loaded)), None)


def _make_keys_unique(cases: Sequence[BenchmarkCase]) -> tuple[BenchmarkCase, ...]:
    keys = row_file.number_duplicates([case.question.key for case in cases])
    return tuple(
        replace(case, question=replace(case.question, key=key)) for case, key in zip(cases, keys, strict=True)
    )


def _find_seed(loaded: LoadedRows) -> int | None:
    """Return the seed that a file was drawn with, if it says so."""
    configuration = loaded.head.get("configuration")
    for around in (loaded.head, configuration if isinstance(configuration, dict) else {}, loaded.rows[0]):
        for name in ("seed", "random_seed"):
            if isinstance(seed := around.get(name), int):
                return seed
    return None


ITEMS, HALLMARK = "items", "hallmark"
CITECHECK_LABELS = {
    "valid": Label.EXACT,
    "hallucinated_minor": Label.MINOR,
    "hallucinated_major": Label.MAJOR,
    "exact_match": Label.EXACT,
    "minor_hallucination": Label.MINOR,
    "major_hallucination": Label.MAJOR,
}
_TEXTS = ("citation", "reference", "text", "raw", "bibtex")
_REAL = ("GT", "gt", "real", "is_real", "label")  # true: the citation is real
_FAKE = ("fake", "is_fake", "hallucinated")  # true: it is fake
_TRUTH_WORDS = {
    "real": True, "valid": True, "true": True, "1": True, "genuine": True, "correct": True,
    "fake": False, "false": False, "0": False, "hallucinated": False, "fabricated": False, "invalid": False,
}  # fmt: skip


def is_items(loaded: LoadedRows) -> bool:
    return loaded.has("index", "label", "form", "corrupted")


def read_item(row: RowOf, at: int) -> BenchmarkCase | str:
    """Return an item of `citeproof bench make`; intervals go by collection, else by work."""
    try:
        item = convert_value(row, type=BenchmarkItem)
    except msgspec.ValidationError as error:
        return f"not an item: {error}"
    label = Label(item.label)
    group = item.collection or item.work or str(at)
    return BenchmarkCase(
        BenchmarkQuestion(str(item.index), item.form, item.corrupted, group),
        BenchmarkTruth(
            label is not Label.EXACT, label, item.kind, split=item.split, work=item.work, field=item.subdomain
        ),
    )


def is_hallmark(loaded: LoadedRows) -> bool:
    return loaded.has("bibtex_key", "fields", "label")


def read_hallmark(row: RowOf, at: int) -> BenchmarkCase | str:  # noqa: ARG001 - as every shape
    """Return an entry as the engine may see it; entries of one title belong together."""
    key, label, fields = get_text(row, "bibtex_key"), get_text(row, "label"), row.get("fields")
    if not key or not isinstance(fields, dict):
        return "has no bibtex_key or fields"
    if label not in ("VALID", "HALLUCINATED"):
        return f"label is {label[:40]!r}, not VALID or HALLUCINATED"
    bad = label == "HALLUCINATED"
    kind = (get_text(row, "hallucination_type") or "unknown") if bad else VALID
    tier = row.get("difficulty_tier")
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    bib = f"@{get_text(row, 'bibtex_type') or 'misc'}{{{key},\n{body}\n}}\n"
    group = titles.make_title_key(str(fields.get("title", ""))) or key
    return BenchmarkCase(
        BenchmarkQuestion(key, "bibtex", bib, group),
        BenchmarkTruth(bad, None, kind, tier if isinstance(tier, int) else 0, work=group),
    )


def is_citecheck(loaded: LoadedRows) -> bool:
    if loaded.has("ground_truth_label", "corrupted_citation"):
        return True
    return loaded.has("citation", "label") and get_text(loaded.rows[0], "label") in CITECHECK_LABELS


def read_citecheck(row: RowOf, at: int) -> BenchmarkCase | str:
    label = CITECHECK_LABELS.get(get_text(row, "ground_truth_label", "label"))
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


def is_citeaudit(loaded: LoadedRows) -> bool:
    row = loaded.rows[0] if loaded.rows else {}
    return any(name in row for name in _TEXTS) and any(name in row for name in (*_REAL, *_FAKE))


def read_citeaudit(row: RowOf, at: int) -> BenchmarkCase | str:
    """Return a citation string, real or fake; near relatives of the shape are taken too."""
    citation = get_text(row, *_TEXTS)
    if not citation:
        return f"has no text under {', '.join(_TEXTS)}"
    real = _read_truth(row)
    if real is None:
        return f"has no truth that is understood under {', '.join((*_REAL, *_FAKE))}"
    kind = get_text(row, "error_type", "kind", "type", "source_type") or "fake"
    bibtex = citation.startswith("@") and "{" in citation
    group = get_text(row, "document", "paper") or str(at)
    question = BenchmarkQuestion(make_citeaudit_key(row, at), "bibtex" if bibtex else "text", citation, group)
    return BenchmarkCase(question, BenchmarkTruth(bad=not real, kind=VALID if real else kind))


def make_citeaudit_key(row: RowOf, at: int) -> str:
    """Return how a row is called: its own index, or its place."""
    return get_text(row, "index", "id") or str(at)


def _read_truth(row: RowOf) -> bool | None:
    """Return whether a row says that its citation is real; None if it says nothing understood."""
    for names, means in ((_REAL, True), (_FAKE, False)):
        for name in names:
            if (value := parse_truth_word(row.get(name))) is not None:
                return value is means
    return None


def parse_truth_word(value: object) -> bool | None:
    if isinstance(value, bool) or value is None:
        return value
    return _TRUTH_WORDS.get(str(value).strip().lower())


SHAPES = (
    BenchmarkShape(ITEMS, is_items, read_item),
    BenchmarkShape(HALLMARK, is_hallmark, read_hallmark),
    BenchmarkShape("citecheck", is_citecheck, read_citecheck),
    BenchmarkShape("citeaudit", is_citeaudit, read_citeaudit),
)
