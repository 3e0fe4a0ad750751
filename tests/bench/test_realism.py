"""Kinds of errors out of files, and the test that compares them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from bench.realism import chisquare
from bench.realism.__main__ import command
from bench.realism.chisquare import OTHER, compute_tail
from bench.realism.error_kinds import count_errors, load_field_table
from bench.selftest.mutations import WAYS

from citeproof.errors import InputError
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkEdit, BenchmarkItem, write_items

BAD = {"bibtex_key": "a", "bibtex_type": "misc", "fields": {}, "label": "HALLUCINATED"}


# Tables of the chi-square distribution, any textbook: statistic, degrees, upper tail.
@pytest.mark.parametrize(
    ("statistic", "degrees", "p"),
    [
        (3.841, 1, 0.05),
        (6.635, 1, 0.01),
        (5.991, 2, 0.05),
        (18.307, 10, 0.05),
        (124.342, 100, 0.05),
        (0, 4, 1.0),
    ],
)
def test_tail_against_the_tables(statistic, degrees, p):
    assert compute_tail(statistic, degrees) == pytest.approx(p, abs=1e-4)


@pytest.mark.parametrize("degrees", [1, 2, 3, 8, 40, 301])
@pytest.mark.parametrize("statistic", [1e-6, 0.3, 1, 4, 12, 60, 320, 900])
def test_tail_against_scipy(statistic, degrees):
    stats = pytest.importorskip("scipy.stats")
    expected = float(stats.chi2.sf(statistic, degrees))
    assert compute_tail(statistic, degrees) == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_two_files_by_hand():
    # 20 + 30 against 30 + 20: every expected count is 25, every difference 5
    found = chisquare.run_chi_square_test({"a": 20, "b": 30}, {"a": 30, "b": 20})
    assert found.statistic == pytest.approx(4.0)
    assert (found.degrees, found.reliable, found.merged) == (1, True, ())
    assert found.p == pytest.approx(0.0455, abs=1e-4)
    assert found.v == pytest.approx(0.2)
    assert found.distance == pytest.approx(0.2)
    assert [kind.residual for kind in found.kinds] == pytest.approx([-2.0, 2.0])


def test_against_scipy_with_many_kinds():
    stats = pytest.importorskip("scipy.stats")
    first, second = [12, 40, 33, 9], [30, 41, 20, 25]
    names = "abcd"
    found = chisquare.run_chi_square_test(
        dict(zip(names, first, strict=True)), dict(zip(names, second, strict=True))
    )
    expected = stats.chi2_contingency([first, second], correction=False)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize(
    ("first", "second", "merged", "reliable"),
    [
        # the rarest go together until none is expected less than once, and few less than five times
        ({"a": 50, "b": 50, "c": 4, "d": 6}, {"a": 50, "b": 50, "c": 3, "d": 1}, ("c", "d"), True),
        ({"a": 50, "b": 50, "c": 1, "d": 2}, {"a": 50, "b": 50, "e": 1}, ("c", "d", "e"), False),
        ({"a": 50, "b": 50, "c": 6, "d": 6}, {"a": 50, "b": 50, "c": 6, "d": 6}, (), True),
        ({"a": 50, "b": 50, "c": 1}, {"a": 50, "b": 50}, (), False),  # one alone gains nothing
        ({"a": 2, "b": 1}, {"a": 1, "b": 2}, ("a", "b"), None),
    ],
)
def test_rare_kinds_are_taken_together_or_warned_of(first, second, merged, reliable):
    found = chisquare.run_chi_square_test(first, second)
    if reliable is None:  # nothing is left to compare with
        assert found is None
        return
    assert (found.merged, found.reliable) == (merged, reliable)
    assert (OTHER in {kind.name for kind in found.kinds}) is bool(merged)
    assert sum(kind.first for kind in found.kinds) == sum(first.values())


@pytest.mark.parametrize(("first", "second"), [({}, {"a": 1}), ({"a": 3}, {"a": 4}), ({}, {})])
def test_nothing_to_compare(first, second):
    assert chisquare.run_chi_square_test(first, second) is None


def test_equal_shares_are_no_difference():
    found = chisquare.run_chi_square_test({"a": 10, "b": 30}, {"a": 100, "b": 300})
    assert (found.statistic, found.p, found.v) == pytest.approx((0, 1, 0))
    assert not math.isnan(found.kinds[0].residual)


def item(label, *edits, kind="minor"):
    made = tuple(BenchmarkEdit(kind=k, field=f, before="x", after="y") for k, f in edits)
    return BenchmarkItem(
        index=0, label=label, kind=kind, form="text", original="o", corrupted="c", description="", edits=made
    )


ITEMS = [
    item("EXACT", kind="valid"),
    item("MINOR", ("year_shifted", "year"), ("digit_changed", "arxiv"), ("host_swapped", "url")),
    item("MAJOR", ("title_fabricated", "title"), ("authors_fabricated", "authors"), kind="major"),
    item("MINOR", ("venue_swapped", "venue")),
]


@pytest.mark.parametrize(
    ("by", "counts"),
    [
        ("kind", {"minor": 2, "major": 1}),
        ("edit", {"year_shifted": 1, "digit_changed": 1, "host_swapped": 1, "title_fabricated": 1,
                  "authors_fabricated": 1, "venue_swapped": 1}),
        ("field", {"year": 1, "identifier": 1, "whole": 1, "venue": 1}),
    ],
)  # fmt: skip
def test_errors_of_items(by, counts, tmp_path):
    write_items(tmp_path / "items.jsonl", ITEMS)
    found = count_errors(tmp_path / "items.jsonl", by)
    assert (dict(found.counts), found.items) == (counts, 3)


def mismatch(field, reason):
    return {"field": field, "reason": reason, "claimed": "", "resolved": ""}


ANSWERS = [
    {"citeproof_run": {}},
    {"key": "0", "verdict": "matched", "label": "EXACT"},
    {"key": "1", "verdict": "not_found", "label": "MAJOR"},
    {"key": "2", "verdict": "ambiguous", "label": "MINOR",
     "mismatches": [mismatch("doi", "other_identifier")]},
    {"key": "3", "verdict": "mismatch", "label": "MAJOR",
     "mismatches": [mismatch("title", "other_title"), mismatch("authors", "authors_other")]},
    {"key": "4", "verdict": "unchecked", "label": None},
]  # fmt: skip
HALLMARK = [
    BAD | {"label": "VALID", "hallucination_type": None},
    BAD | {"hallucination_type": "arxiv_version_mismatch"},
    BAD | {"hallucination_type": "swapped_authors"},
]
CITECHECK = [{"citation": "a", "label": "valid"}, {"citation": "b", "label": "hallucinated_minor"}]


@pytest.mark.parametrize(
    ("rows", "by", "counts"),
    [
        (ANSWERS, "field", {"whole": 2, "identifier": 1}),
        (ANSWERS, "edit", {"other_identifier": 1, "other_title": 1, "authors_other": 1}),
        (ANSWERS, "kind", {"not_found: whole": 1, "ambiguous: identifier": 1, "mismatch: whole": 1}),
        (HALLMARK, "field", {"venue": 1, "year": 1, "authors": 1}),
        (HALLMARK, "kind", {"arxiv_version_mismatch": 1, "swapped_authors": 1}),
        (CITECHECK, "kind", {"minor": 1}),
    ],
)
def test_errors_of_other_files(rows, by, counts, tmp_path):
    path = tmp_path / "file.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert dict(count_errors(path, by).counts) == counts


@pytest.mark.parametrize(
    ("text", "by", "told"),
    [
        ("\n".join(map(json.dumps, CITECHECK)), "field", "citecheck files do not contain the field"),
        ('{"a": 1}\n{"a": 2}', "field", "unknown format of an error file"),
        (json.dumps(HALLMARK[0]) + "\n" + json.dumps(HALLMARK[0]), "field", "no error by field"),
        ("", "field", "is empty"),
    ],
)
def test_files_that_tell_nothing(text, by, told, tmp_path):
    path = tmp_path / "file.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told) as raised:
        count_errors(path, by)
    assert raised.value.hint


@pytest.mark.data
def test_every_kind_of_hallmark_has_fields():
    rows = Path(__file__).parents[3] / "shared" / "data" / "bench" / "hallmark_dev_public.jsonl"
    if not rows.exists():
        pytest.skip("the shared data folder is not here")
    kinds = {json.loads(line).get("hallucination_type") for line in rows.read_text("utf-8").splitlines()}
    assert kinds - {None} == set(load_field_table()["hallmark"]) == {way.name for way in WAYS}


COUNTS = "kind,count\n{}"


@pytest.fixture
def counts(tmp_path):
    def write(name, **counts):
        path = tmp_path / name
        path.write_text(COUNTS.format("".join(f"{k},{n}\n" for k, n in counts.items())), encoding="utf-8")
        return path

    return write


def test_realism_tells_what_differs(run, counts):
    ended = run(command, counts("a.csv", title=90, year=10), "--real", counts("b.csv", title=50, year=50))
    assert ended.code == 0
    for part in ("chi-square 38.10", "p < 0.0001", "Cramér's V 0.44 (medium)", "40% of the errors"):
        assert part in ended.out
    assert "a.csv has too many: title" in ended.out
    assert "not how hard they are to catch" in ended.out


def test_realism_as_json_and_markdown(run, counts):
    files = (counts("a.csv", title=10, year=10), "--real", counts("b.csv", title=11, year=9))
    made = json.loads(run(command, *files, "--format", "json").out)
    assert made["p"] > 0.5
    assert made["made"]["counts"] == {"title": 10, "year": 10}
    assert any("no difference was shown" in one for one in made["words"])
    assert run(command, *files, "--format", "md").out.startswith("**Errors by field**")


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ({"title": 5}, {"year": 5}, "no field in common (a.csv: title; b.csv: year)"),
        ({"title": 5}, {"title": 5}, "fewer than two kinds"),
        ({"title": -1}, {"title": 5}, "not a kind with a whole number"),
        ({"title": "many"}, {"title": 5}, "not a kind with a whole number"),
    ],
)
def test_realism_refuses_what_cannot_be_compared(run, counts, first, second, told):
    ended = run(command, counts("a.csv", **first), "--real", counts("b.csv", **second))
    assert ended.code == 2
    assert told in ended.err
    assert "hint: " in ended.err
