"""Answers files of every shape, as tables."""

from __future__ import annotations

import json

import pytest

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters import answers
from tests.laboratory.measure.made import E, J, M


def lines(*rows):
    return "\n".join(json.dumps(row) for row in rows)


# name, text of the file, shape, then key: (flagged, label, confidence)
SHAPES = [
    ("ours", lines(
        {"citeproof_run": {"file": "b"}},
        {"key": "a", "verdict": "matched", "label": "EXACT", "score": 9.5, "confidence": 0.97},
        {"key": "b", "verdict": "not_found", "label": "MAJOR", "confidence": 0.9},
        {"key": "c", "verdict": "unchecked", "label": None},
    ), "citeproof", {"a": (False, E, 0.97), "b": (True, J, 0.9), "c": (None, None, None)}),
    ("a report of check", lines(
        {"key": "a", "raw": "…", "verdict": "matched", "label": "MINOR", "confidence": 0.8},
    ), "citeproof", {"a": (True, M, 0.8)}),
    ("HALLMARK predictions", lines(
        {"bibtex_key": "a", "label": "HALLUCINATED", "confidence": 0.8, "reason": "…"},
        {"bibtex_key": "b", "label": "VALID", "confidence": 1.5},
        {"bibtex_key": "c", "label": "UNCERTAIN", "confidence": 0.5},
    ), "hallmark", {"a": (True, None, 0.8), "b": (False, None, None), "c": (None, None, 0.5)}),
    ("CiteAudit, its benchmark", json.dumps({"data": [
        {"citation": "A", "GT": True, "Predict": False}, {"citation": "B", "GT": False, "Predict": True},
    ]}), "citeaudit", {"0": (True, None, None), "1": (False, None, None)}),
    ("CiteAudit, its results", json.dumps({"results": [
        {"index": 5, "citation": "A", "GT": True, "Pred": True}, {"index": 9, "citation": "B", "Pred": None},
    ], "summary": {}}), "citeaudit", {"5": (False, None, None), "9": (None, None, None)}),
    ("CITECHECK predictions", json.dumps({"total": 4, "predictions": [
        {"collection_id": "1-a", "citation_number": 1, "predicted_label": "exact_match", "llm_score": 9.0},
        {"collection_id": "1-a", "citation_number": 2, "predicted_label": "minor_hallucination"},
        {"collection_id": "1-a", "citation_number": 3, "predicted_label": None, "llm_score": 1.0},
        {"collection_id": "1-a", "citation_number": 4, "predicted_label": None, "llm_score": None},
    ]}), "citecheck", {
        "1-a/1": (False, E, None), "1-a/2": (True, M, None), "1-a/3": (True, J, None),
        "1-a/4": (None, None, None),
    }),
    ("CITECHECK scores", lines({"n": 1, "score": 7.25}, {"n": 2, "score": 7.2}, {"n": 3, "score": 1.2}),
     "citecheck", {"1": (False, E, None), "2": (True, M, None), "3": (True, J, None)}),
    ("CSV", "key,label,confidence\na,real,0.9\nb,FAKE,\nc,unsure,x\nd,minor,0.5\n", "table",
     {"a": (False, None, 0.9), "b": (True, None, None), "c": (None, None, None), "d": (True, M, 0.5)}),
    ("CSV with a mark and CRLF", "\ufeffkey,label\r\na,valid\r\n", "table", {"a": (False, None, None)}),
    ("truth values", lines({"id": 1, "prediction": True}, {"id": 2, "prediction": False}), "table",
     {"1": (False, None, None), "2": (True, None, None)}),
    ("statuses", lines(
        {"key": "a", "status": "verified"}, {"key": "b", "status": "author_mismatch", "confidence": 0.7},
        {"key": "c", "status": "Not Found"}, {"key": "d", "status": "api_error"},
    ), "statuses", {
        "a": (False, None, None), "b": (True, None, 0.7), "c": (True, None, None), "d": (None, None, None),
    }),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "shape", "said"), SHAPES, ids=[row[0] for row in SHAPES])
def test_shapes(tmp_path, name, text, shape, said):
    path = tmp_path / "answers"
    path.write_bytes(text.encode())
    found = answers.read_answers(path)
    assert found.shape == shape
    assert {key: (one.flagged, one.label, one.confidence) for key, one in found.said.items()} == said


def test_the_words_of_other_tools_say_one_thing_each():
    table = answers.load_statuses()
    assert len(table) > 30
    assert all(word == word.lower() and " " not in word and "-" not in word for word in table)
    assert (table["verified"], table["not_found"], table["cannot_determine"]) == (False, True, None)


def test_rows_that_are_not_understood_are_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("key,label\na,real\nb,purple\n,real\n")
    found = answers.read_answers(path)
    assert found.said.keys() == {"a"}
    assert dict(found.skipped) == {"label is 'purple', none that is known": 1, "has no key": 1}


def test_equal_keys_are_told_apart_as_those_of_the_questions(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("key,label\na,real\na,fake\n")
    assert {key: one.flagged for key, one in answers.read_answers(path).said.items()} == {
        "a": False,
        "a#2": True,
    }


BAD = [
    (lines({"bibtex_key": "k", "fields": {}, "label": "VALID"}), "is a benchmark"),
    (lines({"n": 1, "label": "valid", "original": "o", "citation": "c"}), "is a benchmark"),
    (lines({"index": 1, "label": "EXACT", "form": "text", "corrupted": "c"}), "is a benchmark"),
    (lines({"colour": "red"}), "unknown format of an answers file"),
    ("key,label\nz,real\n", "has no answer to any item of the benchmark"),
]


@pytest.mark.parametrize(("text", "word"), BAD)
def test_files_that_are_no_answers(tmp_path, text, word):
    path = tmp_path / "bad"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        answers.read_answers(path, ["a"])
    assert word in raised.value.message
    assert "key,label" in raised.value.hint
