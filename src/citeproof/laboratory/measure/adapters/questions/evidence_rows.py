"""Claims with evidence sentences, as SciFact and Citation-Integrity have them.

    {"id": …, "claim": …, "evidence": {"DOC": [{"sentences": [0], "label": "SUPPORT"}]}, "cited_doc_ids": […]}

The texts are next to it, in `NAME_corpus.jsonl` (for `NAME_dev.jsonl`) or `corpus.jsonl`:
`{"doc_id": …, "title": …, "abstract": [sentence, …]}`. No evidence is NEI.

SUPPORT, REFUTE and NEI are kinds here, no classes: whether a text supports a claim, citeproof does not say.
Sentences are shuffled with a printed seed, since in Citation-Integrity the right one always comes first.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from pathlib import Path

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters.row_file import LoadedRows, RowOf, get_text, load_rows
from citeproof.laboratory.measure.benchmark_rows import BenchmarkCase, BenchmarkQuestion, BenchmarkTruth
from citeproof.vocabulary import SourceText, TextExtent

NAME = "claim evidence"
SEED = 20
LABELS = {"SUPPORT": "SUPPORT", "REFUTE": "REFUTE", "CONTRADICT": "REFUTE"}
NO_EVIDENCE = "NEI"
_PART = re.compile(r"_(?:train|dev|test)(?=\.)")
_MARK = re.compile(r"\[?<\|(?:multi_cit|other_cit|cit)\|>[^\]\[]{0,40}\]?")  # where a citation stood
_BREAK = "\n\n"


def recognises(loaded: LoadedRows) -> bool:
    return loaded.has("claim", "evidence", "cited_doc_ids")


def make_reader(loaded: LoadedRows) -> EvidenceRowReader:
    """Return what reads the rows of one file; InputError if the texts are not next to it."""
    return EvidenceRowReader(_read_corpus(loaded.path))


class EvidenceRowReader:
    """Reads claims with the sentences of the works that they cite."""

    def __init__(self, documents: Mapping[str, list[str]]) -> None:
        self._documents = documents

    def __call__(self, row: RowOf, at: int) -> BenchmarkCase | str:
        """Return one claim as a question, or what of it was not understood."""
        claim, cited = get_text(row, "claim"), row.get("cited_doc_ids")
        if not claim or not isinstance(cited, list):
            return "has no claim or no cited_doc_ids"
        sentences = [
            (str(name), number, text)
            for name in cited
            for number, text in enumerate(self._documents.get(str(name), ()))
        ]
        if not sentences:
            return "cites a document that is not in the corpus"
        kind, gold = _read_evidence(row.get("evidence"))
        key = get_text(row, "id") or str(at)
        random.Random(f"{SEED}/{key}").shuffle(sentences)  # noqa: S311 - repeatable, no secret
        text, places, at_sign = "", [], 0
        for name, number, sentence in sentences:
            text += sentence + _BREAK
            if (name, number) in gold:
                places.append((at_sign, at_sign + len(sentence)))
            at_sign = len(text)
        source = SourceText(TextExtent.ABSTRACT_ONLY, str(cited[0]), text)
        return BenchmarkCase(
            BenchmarkQuestion(key, "text", _MARK.sub("", claim), str(cited[0]), source),
            BenchmarkTruth(kind != "SUPPORT", None, kind, places=tuple(places)),
        )


def _read_evidence(evidence: object) -> tuple[str, set[tuple[str, int]]]:
    """Return what a row says of its claim, and which sentences say it."""
    kind, gold = NO_EVIDENCE, set()
    for name, sets in evidence.items() if isinstance(evidence, dict) else ():
        for piece in sets if isinstance(sets, list) else ():
            if isinstance(piece, dict) and (label := LABELS.get(get_text(piece, "label"))):
                kind = label
                numbers = piece.get("sentences")
                gold |= {(str(name), n) for n in (numbers if isinstance(numbers, list) else ())}
    return kind, gold


def _read_corpus(path: Path) -> dict[str, list[str]]:
    own = _PART.sub("_corpus", path.name)
    names = dict.fromkeys([own, f"{own}.zst", own.removesuffix(".zst"), "corpus.jsonl", "corpus.jsonl.zst"])
    others = (path.with_name(name) for name in names if name != path.name)
    corpus = next((other for other in others if other.is_file()), None)
    if corpus is None:
        hint = f"put the texts next to it as {own} or corpus.jsonl"
        raise InputError("the texts that these claims cite are not here", place=str(path), hint=hint)
    documents: dict[str, list[str]] = {}
    for row in load_rows(corpus).rows:
        sentences = row.get("abstract")
        if isinstance(sentences, list):
            documents[get_text(row, "doc_id")] = [
                sentence for sentence in sentences if isinstance(sentence, str)
            ]
    return documents
