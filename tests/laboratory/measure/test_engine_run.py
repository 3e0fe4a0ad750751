"""Questions through the engine: blind, alone, in order; and answers files that are taken up again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from citeproof.errors import CiteproofError
from citeproof.laboratory.measure import answers_file, engine_run, run_card
from citeproof.laboratory.measure.adapters import answers
from citeproof.laboratory.measure.adapters.row_file import load_rows
from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion
from citeproof.service.assemble import assemble
from citeproof.settings import Settings
from citeproof.vocabulary import Label, Verdict
from tests.laboratory.measure.made import E, J, case, said

RECORDS = Path(__file__).parents[3] / "examples" / "records.bib"
RESNET = "He, K., Zhang, X., Ren, S., Sun, J. (2016). Deep Residual Learning for Image Recognition. CVPR."
BIB = """@inproceedings{he, title={Deep Residual Learning for Image Recognition}, year=2016,
  author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}}
"""
NOBODY = "Nobody, N. (2016). A Paper on Nothing that Was Never Written by Anyone. CVPR."

QUESTIONS = [
    BenchmarkQuestion("right", "text", RESNET),
    BenchmarkQuestion("made up", "text", NOBODY),
    BenchmarkQuestion("bib", "bibtex", BIB),
    BenchmarkQuestion("two", "bibtex", BIB + BIB.replace("{he,", "{other,")),
    BenchmarkQuestion("none", "bibtex", "@string{cvpr = {Computer Vision}}"),
]
LABELS = [E, J, E, None, None]


@pytest.fixture(scope="module")
def verifier(tmp_path_factory):
    from citeproof.evidence.index.build import BuildInput, build
    from citeproof.evidence.index.coverage import parse_claim

    out = tmp_path_factory.mktemp("running") / "snapshot"
    build([BuildInput("bibtex", (RECORDS,))], out, covers=(parse_claim("all"),))
    return assemble(Settings(snapshots=(out,), offline=True))


def test_answers_come_in_the_order_of_the_questions(verifier):
    told = []
    found = asyncio.run(engine_run.answer_questions(verifier, QUESTIONS, told.append))
    assert [one.key for one in found] == [one.key for one in QUESTIONS]
    assert [one.checked.judgement.label for one in found] == LABELS
    assert sorted(one.key for one in told) == sorted(one.key for one in QUESTIONS)


@pytest.mark.parametrize(("at", "reason"), [(3, "several_references"), (4, "no_reference")])
def test_what_is_not_one_reference_is_unchecked_with_the_reason(verifier, at, reason):
    (found,) = asyncio.run(engine_run.answer_questions(verifier, [QUESTIONS[at]]))
    judged = found.checked.judgement
    assert (judged.verdict, judged.label, judged.reasons) == (Verdict.UNCHECKED, None, (reason,))
    assert engine_run.make_system_answer(found).flagged is None


def test_no_question_no_answer(verifier):
    assert asyncio.run(engine_run.answer_questions(verifier, [])) == []


def test_what_is_kept_of_an_answer(verifier):
    (found,) = asyncio.run(engine_run.answer_questions(verifier, [QUESTIONS[1]]))
    kept_line = engine_run.make_system_answer(found)
    assert (kept_line.label, kept_line.flagged, kept_line.verdict) == (Label.MAJOR, True, "not_found")
    assert 0 < kept_line.confidence <= 1
    assert kept_line.seconds >= 0


def test_an_error_ends_the_run_and_leaves_nothing_behind(verifier):
    class Broken:
        clock, offline = verifier.clock, True

        async def verify_one(self, raw):
            raise RuntimeError(raw.key)

    with pytest.raises(RuntimeError, match="right"):
        asyncio.run(engine_run.answer_questions(Broken(), QUESTIONS[:2]))


# --- answers files


@pytest.fixture
def head(verifier):
    return answers_file.AnswersHead("b.jsonl", "ab" * 32, run_card.describe_engine(verifier))


def _write(path, head, *keys, fresh=False):
    with answers_file.open_answers(path, head, fresh=fresh) as store:
        for key in keys:
            store.add(case(key, E), said(key, E))
        return set(store.said), store.reused


def test_a_run_goes_on_where_it_was_broken_off(tmp_path, head):
    path = tmp_path / "answers.jsonl"
    assert _write(path, head, "a", "b") == ({"a", "b"}, 0)
    assert _write(path, head, "c") == ({"a", "b", "c"}, 2)
    assert _write(path, head, "d", fresh=True) == ({"d"}, 0)
    assert answers.read_answers(path).said.keys() == {"d"}


def test_half_a_line_is_cut_off(tmp_path, head):
    path = tmp_path / "answers.jsonl"
    _write(path, head, "a", "b")
    path.write_bytes(path.read_bytes()[:-20])
    assert _write(path, head, "b") == ({"a", "b"}, 1)
    assert [row.key for row in answers_file.convert_answer_rows(load_rows(path))] == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"sha256": "cd" * 32}, "another benchmark"),
        ({"judge": "other-judge"}, "judge"),
        ({"exact_at": 1.0}, "exact_at"),
        ({"snapshots": ("cps1-other",)}, "snapshots"),
    ],
)
def test_answers_of_another_engine_or_benchmark_are_not_taken_up(tmp_path, head, change, word):
    path = tmp_path / "answers.jsonl"
    _write(path, head, "a")
    own = {name: value for name, value in change.items() if name == "sha256"}
    engine = msgspec.structs.replace(head.engine, **{k: v for k, v in change.items() if k not in own})
    with pytest.raises(CiteproofError, match=word) as raised:
        _write(path, msgspec.structs.replace(head, engine=engine, **own), "b")
    assert "--fresh" in raised.value.hint


@pytest.mark.parametrize("text", ["my notes\n", '{"key": "a"}\n', "{"])
@pytest.mark.parametrize("fresh", [True, False])
def test_a_file_that_is_not_ours_is_never_written_over(tmp_path, head, text, fresh):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(CiteproofError, match="not an answers file"):
        _write(path, head, "a", fresh=fresh)
    assert path.read_text() == text


def test_the_truth_stands_beside_the_answers(tmp_path, head):
    path = tmp_path / "answers.jsonl"
    _write(path, head, "a")
    (row,) = answers_file.convert_answer_rows(load_rows(path))
    assert (row.label, row.found, row.bad, row.group, row.confidence) == (E, E, False, "g", 0.9)
