"""Answers about changes: kept by content, moved with it, and never trusted when they are not ours."""

from __future__ import annotations

from citeproof.service.fix_session import FOLDER, FixDecisions

ONE, TWO = "1" * 32, "2" * 32


def test_answers_are_kept_for_the_same_content_only(tmp_path):
    FixDecisions(tmp_path, b"a").keep(ONE, wanted=True)
    FixDecisions(tmp_path, b"a").keep(TWO, wanted=False)
    assert FixDecisions(tmp_path, b"a").answers == {ONE: True, TWO: False}
    assert FixDecisions(tmp_path, b"b").answers == {}


def test_once_written_the_refusals_move_to_the_new_content(tmp_path):
    kept = FixDecisions(tmp_path, b"a")
    kept.keep(ONE, wanted=True)
    kept.keep(TWO, wanted=False)
    kept.move_refusals(b"b")
    assert FixDecisions(tmp_path, b"a").answers == {}
    assert FixDecisions(tmp_path, b"b").answers == {TWO: False}
    kept.forget()
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_a_torn_or_foreign_line_is_passed_over(tmp_path):
    FixDecisions(tmp_path, b"a").keep(ONE, wanted=True)
    (file,) = (tmp_path / FOLDER).iterdir()
    file.write_bytes(file.read_bytes() + b"x " + TWO.encode() + b"\n\xff\ny 22")
    assert FixDecisions(tmp_path, b"a").answers == {ONE: True}


def test_a_link_in_its_place_is_neither_read_nor_written(tmp_path):
    kept = FixDecisions(tmp_path, b"a")
    kept.keep(ONE, wanted=True)
    (file,) = (tmp_path / FOLDER).iterdir()
    mine = tmp_path / "mine"
    file.rename(mine)
    file.symlink_to(mine)
    assert FixDecisions(tmp_path, b"a").answers == {}
    before = mine.read_bytes()
    kept.keep(TWO, wanted=True)
    assert (mine.read_bytes(), kept.answers[TWO]) == (before, True)


def test_without_a_cache_the_answers_last_as_long_as_the_run(tmp_path):
    (tmp_path / "file").write_text("x")
    kept = FixDecisions(tmp_path / "file", b"a")
    kept.keep(ONE, wanted=True)
    assert kept.answers == {ONE: True}


def test_the_oldest_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("citeproof.service.fix_session._MOST_FILES", 3)
    for number in range(6):
        FixDecisions(tmp_path, bytes([number])).keep(ONE, wanted=True)
    assert len(list((tmp_path / FOLDER).iterdir())) == 3
