"""Benchmark files of every shape, as tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeproof.errors import InputError
from citeproof.laboratory.measure.adapters import questions
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem, write_items
from tests.laboratory.measure.made import E, J, M

DATA = Path(__file__).parents[5] / "shared" / "data" / "bench"
FIELDS = {"title": "Deep {Residual} Learning", "year": "2016"}


def lines(*rows):
    return "\n".join(json.dumps(row) for row in rows)


def hallmark(**changes):
    fixed = {
        "bibtex_key": "k", "bibtex_type": "article", "fields": FIELDS, "label": "HALLUCINATED",
        "hallucination_type": "wrong_venue", "difficulty_tier": 2, "explanation": "secret",
    }  # fmt: skip
    return fixed | changes


WHOLE = {
    "configuration": {"random_seed": 42},
    "collections": [
        {"collection_id": "1-a", "topic": "astro", "citations": [
            {"citation_number": 1, "corrupted_citation": "[A, 2000, T](u)", "ground_truth_label": "valid"},
            {"citation_number": 2, "corrupted_citation": "[B, 2001, T](u)",
             "ground_truth_label": "hallucinated_minor"},
        ]},
        {"collection_id": "2-b", "citations": [
            {"citation_number": 1, "corrupted_citation": "[C, 2002, T](u)",
             "ground_truth_label": "hallucinated_major"},
        ]},
    ],
}  # fmt: skip
AUDIT = {
    "data": [
        {"source_type": "realworld", "citation": "A. Real.", "GT": True, "Predict": True},
        {"source_type": "generated", "citation": "B. Fake.", "GT": False, "Predict": False},
    ]
}

# name, text of the file, shape, then (key, form, group, bad, label, kind) of each case
SHAPES = [
    ("HALLMARK", lines(hallmark(), hallmark(bibtex_key="v", label="VALID")), "hallmark", [
        ("k", "bibtex", "deepresiduallearning", True, None, "wrong_venue"),
        ("v", "bibtex", "deepresiduallearning", False, None, "valid"),
    ]),
    ("CITECHECK, lines", lines(
        {"n": 1, "label": "hallucinated_major", "original": "o", "citation": "[A, 2000, T](u)"},
        {"n": 7, "label": "valid", "original": "o", "citation": "[B, 2001, T](u)"},
    ), "citecheck", [("1", "link", "0", True, J, "major"), ("7", "link", "1", False, E, "valid")]),
    ("CITECHECK, whole", json.dumps(WHOLE, indent=1), "citecheck", [
        ("1-a/1", "link", "1-a", False, E, "valid"), ("1-a/2", "link", "1-a", True, M, "minor"),
        ("2-b/1", "link", "2-b", True, J, "major"),
    ]),
    ("CiteAudit", json.dumps(AUDIT), "citeaudit", [
        ("0", "text", "0", False, None, "valid"), ("1", "text", "1", True, None, "generated"),
    ]),
    ("CiteAudit, a bare list", json.dumps(AUDIT["data"]), "citeaudit", [
        ("0", "text", "0", False, None, "valid"), ("1", "text", "1", True, None, "generated"),
    ]),
    ("words for real and fake", lines(
        {"reference": "A. Real.", "label": "Real", "document": "d"},
        {"reference": "B.", "label": "fabricated"},
    ), "citeaudit", [("0", "text", "d", False, None, "valid"), ("1", "text", "1", True, None, "fake")]),
    ("fake true", lines({"bibtex": "@misc{a, title={T}}", "fake": True}, {"bibtex": "@misc{b}", "fake": 0}),
     "citeaudit", [("0", "bibtex", "0", True, None, "fake"), ("1", "bibtex", "1", False, None, "valid")]),
    ("CSV", "id,text,label\nx,A. Real.,real\ny,B. Fake.,fake\n", "citeaudit", [
        ("x", "text", "0", False, None, "valid"), ("y", "text", "1", True, None, "fake"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "shape", "cases"), SHAPES, ids=[row[0] for row in SHAPES])
def test_shapes(tmp_path, name, text, shape, cases):
    path = tmp_path / "bench"
    path.write_text(text)
    found = questions.read_benchmark(path)
    assert found.shape == shape
    assert [
        (c.question.key, c.question.form, c.question.group, c.truth.bad, c.truth.label, c.truth.kind)
        for c in found.cases
    ] == cases


def test_our_own_items(tmp_path):
    path = tmp_path / "items.jsonl"
    made = [
        BenchmarkItem(
            index=3,
            label="MINOR",
            kind="minor",
            form="link",
            original="o",
            corrupted="c",
            description="d",
            collection="astro-1",
            subdomain="astro",
            split="dev",
            work="w1",
        ),
        BenchmarkItem(
            index=4,
            label="EXACT",
            kind="valid",
            form="text",
            original="o",
            corrupted="o",
            description="",
            work="w2",
        ),
    ]
    write_items(path, made)
    found = questions.read_benchmark(path)
    first, second = found.cases
    assert (first.question.key, first.question.form, first.question.text) == ("3", "link", "c")
    assert (first.question.group, first.truth.work, first.truth.field) == ("astro-1", "w1", "astro")
    assert (first.truth.label, second.truth.label, second.question.group) == (M, E, "w2")
    assert [case.question.key for case in found.select_split("dev").cases] == ["3"]
    assert found.select_split("").cases == found.cases


def test_the_engine_sees_no_more_of_hallmark_than_it_may(tmp_path):
    path = tmp_path / "h.jsonl"
    path.write_text(lines(hallmark()))
    (case,) = questions.read_benchmark(path).cases
    assert case.question.text == "@article{k,\n  title = {Deep {Residual} Learning},\n  year = {2016}\n}\n"
    assert case.truth.tier == 2


def test_a_file_without_splits_is_taken_whole(tmp_path):
    path = tmp_path / "h.jsonl"
    path.write_text(lines(hallmark()))
    assert len(questions.read_benchmark(path).select_split("test").cases) == 1


def test_the_seed_and_equal_keys(tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(WHOLE))
    assert questions.read_benchmark(path).seed == 42
    path.write_text(lines(hallmark(), hallmark()))
    assert [case.question.key for case in questions.read_benchmark(path).cases] == ["k", "k#2"]


def test_what_was_not_understood_is_told(tmp_path):
    path = tmp_path / "h.jsonl"
    path.write_text(
        lines(hallmark(), hallmark(label="PERHAPS"), hallmark(fields=None), hallmark(fields=None))
    )
    found = questions.read_benchmark(path)
    assert len(found.cases) == 1
    assert dict(found.skipped) == {
        "has no bibtex_key or fields": 2, "label is 'PERHAPS', not VALID or HALLUCINATED": 1,
    }  # fmt: skip


BAD = [
    ("", "is empty"),
    ("not a benchmark", "unknown format of a benchmark file"),
    ('{"a": 1}', "unknown format of a benchmark file; its keys: a"),
    ('{"a": 1}\n{"b"', "not a JSON object"),
    ("[1, 2", "not JSON"),
    ("[]", "its keys: none"),
    (lines(hallmark(label="")), "no item could be read"),
    (b"\xff\xfe\x00", "not JSON or CSV"),
    ('[{"citation": "A", "GT": "maybe"}]', "no truth that is understood"),
]


@pytest.mark.parametrize(("text", "word"), BAD)
def test_files_that_are_no_benchmark(tmp_path, text, word):
    path = tmp_path / "bad"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as raised:
        questions.read_benchmark(path)
    assert word in raised.value.message
    assert raised.value.hint


def test_no_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        questions.read_benchmark(tmp_path / "none")


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="no development data at ../shared/data")
@pytest.mark.parametrize(
    ("name", "shape", "count", "bad"),
    [("hallmark_dev_public.jsonl", "hallmark", 1119, 606), ("citecheck_sample.jsonl", "citecheck", 12, 7)],
)
def test_real_files(name, shape, count, bad):
    found = questions.read_benchmark(DATA / name)
    assert (found.shape, len(found.cases), found.skipped) == (shape, count, ())
    assert sum(case.truth.bad for case in found.cases) == bad
