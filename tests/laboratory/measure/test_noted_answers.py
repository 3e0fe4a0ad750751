"""How NOTED is measured: it accuses nobody, and among three classes it counts as MINOR."""

from __future__ import annotations

import msgspec
import pytest

from citeproof.judgement.judge.model import load_model
from citeproof.judgement.judge.weighed_ruling import WeighedRuling
from citeproof.laboratory.measure.adapters.answers import read_own_answer, read_table_answer
from citeproof.laboratory.measure.benchmark_rows import BAD, LabelledCitation, SystemAnswer, join_answers
from citeproof.laboratory.measure.calibration import CalibrationRow, fit_lines, judge_citation
from citeproof.laboratory.measure.promise_measurement import HeldOutCitation
from citeproof.laboratory.measure.threshold_search import find_best_thresholds
from citeproof.vocabulary import Label, Verdict
from tests.laboratory.measure.made import E, J, M, case

MODEL = load_model()
NOTED = WeighedRuling(Verdict.MATCHED, {}, 3, noted=True)


@pytest.mark.parametrize("read", [read_own_answer, read_table_answer])
@pytest.mark.parametrize(
    ("label", "flagged", "class_"),
    [("EXACT", False, E), ("NOTED", False, M), ("MINOR", True, M), ("MAJOR", True, J)],
)
def test_an_answer_with_a_note_is_not_flagged_and_is_minor_of_three(read, label, flagged, class_):
    answer = read({"key": "k", "label": label, "verdict": "matched"}, 0)
    assert (answer.label, answer.flagged, answer.class_) == (label, flagged, class_)
    [row] = join_answers([case("k", M)], {"k": answer})
    assert (row.found, row.right(classes=True)) == (class_, class_ is M)


def test_the_answers_file_says_noted_and_not_minor():
    line = msgspec.json.encode(SystemAnswer(key="k", flagged=False, label=Label.NOTED))
    assert msgspec.json.decode(line) == {"key": "k", "flagged": False, "label": "NOTED"}


@pytest.mark.parametrize(("truth", "figure"), [("EXACT", 1.0), ("MINOR", 0.0), (BAD, 0.0)])
def test_thresholds_are_searched_with_a_note_as_no_accusation(truth, figure):
    known = [LabelledCitation(NOTED, truth, "w")]
    now, _ = find_best_thresholds(MODEL, known)
    assert now.figures["accuracy"] == figure


@pytest.mark.parametrize(("truth", "right"), [("EXACT", True), ("MINOR", False)])
def test_confidence_of_a_note_is_that_the_citation_is_right(truth, right):
    row = judge_citation(MODEL, LabelledCitation(NOTED, truth, "w"))
    assert (row.label, row.right) == (Label.NOTED, right)


def test_noted_and_exact_share_a_line():
    rows = [CalibrationRow(label, 1.0, 3, n % 2 == 0) for n, label in enumerate([E, Label.NOTED] * 20)]
    alike = fit_lines(rows, "platt")
    plain = fit_lines([CalibrationRow(E, r.distance, r.fields, r.right) for r in rows], "platt")
    assert alike == plain
    assert set(alike) == {"EXACT", "MINOR", "MAJOR"}


@pytest.mark.parametrize(("label", "accused"), [(E, False), (Label.NOTED, False), (M, True), (J, True)])
def test_the_promise_counts_no_note_as_an_accusation(label, accused):
    one = LabelledCitation(NOTED, "EXACT", "w")
    assert HeldOutCitation(one, label, 1.0, (1.0, 1.0, 1.0)).accused is accused
