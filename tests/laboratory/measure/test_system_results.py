"""Results, their tables and the comparison of systems."""

from __future__ import annotations

import json
import math

import pytest

from citeproof.laboratory.measure import result_tables, system_comparison
from citeproof.laboratory.measure.benchmark_rows import index_answers, join_answers
from citeproof.laboratory.measure.retrieval_latency import ResultTable, format_tables
from citeproof.laboratory.measure.system_results import (
    average_figures,
    build_means_json,
    build_result_json,
    count_kinds,
    describe_no_errors,
    measure_system,
)
from tests.laboratory.measure.made import E, J, M, case, flag, row, said

GOOD = [
    row(E, E, 0.9, group="a"),
    row(M, M, 0.8, group="a"),
    row(J, J, 0.9, group="b"),
    row(J, None, group="b"),
]
POOR = [
    row(E, M, 0.9, group="a"),
    row(M, J, 0.8, group="a"),
    row(J, J, 0.9, group="b"),
    row(J, E, 0.5, group="b"),
]


def test_a_question_without_an_answer_is_unchecked():
    rows = join_answers([case("a", E), case("b", J)], index_answers([said("a", E), said("a", J)]))
    assert [(one.key, one.found, one.flagged) for one in rows] == [("a", E, False), ("b", None, None)]


def test_kinds():
    (spoiled, valid) = count_kinds(GOOD)
    assert (spoiled.name, spoiled.items, spoiled.flagged, spoiled.unchecked, spoiled.passed) == (
        "spoiled",
        3,
        2,
        1,
        0,
    )
    assert (valid.name, valid.bad, valid.right) == ("valid", 0, 1)


def test_json_has_null_where_there_are_no_cases():
    made = build_result_json(measure_system("only real", [flag(False, False)], draws=5))
    assert made["figures"]["binary_answered.dr"] is None
    assert made["figures"]["binary_answered.fpr"] == 0.0
    assert made["confusion"] is None
    json.dumps(made, allow_nan=False)


def test_json_of_three_classes():
    made = build_result_json(measure_system("good", GOOD, draws=5))
    assert made["confusion"]["MAJOR"] == {"EXACT": 0, "MINOR": 0, "MAJOR": 1, "unchecked": 1}
    assert (made["items"], made["unchecked"]) == (4, 1)
    assert made["figures"]["three.accuracy"] == 0.75


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([row(E, E)] * 60, "no error among 60 items; the true share may be up to 5.0%"),
        ([flag(True, True)], "up to 100.0%"),
        ([row(E, E), row(M, J)], ""),
        ([flag(True, True), flag(True, None)], ""),
        ([], ""),
    ],
)
def test_no_error_seen_is_not_no_error(rows, words):
    told = describe_no_errors(measure_system("r", rows, draws=0))
    assert words in told
    assert bool(words) == bool(told)


def test_mean_over_files():
    found = average_figures([measure_system("1", GOOD, draws=0), measure_system("2", POOR, draws=0)])
    value, deviation = found["three.accuracy"]
    assert value == pytest.approx(0.5)
    assert deviation == pytest.approx(math.sqrt(2 * 0.25**2))
    assert "three.accuracy" in build_means_json(found)
    table = result_tables.build_means_table(found, 2)
    assert ("accuracy", "0.500", "0.354") in table.rows


def test_tables_of_a_result():
    text = format_tables(
        result_tables.build_result_tables(measure_system("physics\x1b[2J.jsonl", GOOD, draws=20))
    )
    assert "\x1b" not in text
    for part in ("4 items, 1 unchecked (counted as wrong)", "macro-F1", "MAJOR  1.000      0.500   0.667",
                 "real 1, fake 3, 1 unchecked", "unchecked as valid", "spoiled  3"):  # fmt: skip
        assert part in text


def test_a_result_of_two_classes_shows_no_third():
    text = format_tables(
        result_tables.build_result_tables(
            measure_system("h", [flag(True, True, 0.9), flag(False, False, 0.8)], draws=5)
        )
    )
    assert "EXACT" not in text
    assert "detection rate" in text


def test_markdown_is_escaped():
    table = ResultTable("a_b", ("x|y", ""), (("<b>", "1"),))
    assert (
        result_tables.format_markdown([table])
        == "**a\\_b**\n\n| x\\|y |  |\n| --- | ---: |\n| \\<b\\> | 1 |\n"
    )


def test_comparison():
    results = [measure_system("good", GOOD, draws=20), measure_system("poor", POOR, draws=20)]
    text = format_tables(system_comparison.build_comparison_tables(results))
    for part in ("unchecked                                1 of 4", "McNemar's exact test on the right class",
                 "good / poor  2                     0                      0.500", "Recall by class",
                 "spoiled  3      2 +1?  2"):  # fmt: skip
        assert part in text
    made = system_comparison.build_comparison_json(results)
    assert made["mcnemar"] == [
        {"first": "good", "second": "poor", "only_first_right": 2, "only_second_right": 0, "p": 0.5}
    ]
    assert [one["name"] for one in made["systems"]] == ["good", "poor"]


def test_a_system_of_two_classes_brings_the_comparison_down_to_two():
    binary = [flag(one.bad, one.flagged) for one in POOR]
    results = [measure_system("good", GOOD, draws=0), measure_system("binary", binary, draws=0)]
    text = format_tables(system_comparison.build_comparison_tables(results))
    assert "McNemar's exact test on real or fake" in text
    assert "macro-F1" not in text
    assert "unchecked counts as valid" in system_comparison.draw_comparison_chart("t", results)


def test_a_tiny_p_is_not_nought():
    assert system_comparison._format_p_value(1e-9) == "1.0e-09"
