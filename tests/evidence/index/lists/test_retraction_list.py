"""Retraction Watch's CSV => notices => a compiled list => what it says about a work."""

from __future__ import annotations

from collections import Counter
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard

from citeproof.errors import UsageError
from citeproof.evidence.index.lists.compiled_list import (
    CompiledList,
    DamagedListError,
    ListHead,
    compile_rows,
    restate_day,
)
from citeproof.evidence.index.lists.homes.retraction_watch import read_retraction_csv
from citeproof.evidence.index.lists.list_store import InstalledList, ListStore
from citeproof.evidence.index.lists.notice_rows import ListedNotice, find_notices, pack_notices
from citeproof.vocabulary import ListQuestion

COLUMNS = (
    "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,RetractionDate,"
    "RetractionDOI,RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,OriginalPaperPubMedID,"
    "RetractionNature,Reason,Paywalled,Notes,"
)
TITLE = "On the growth of very long plants in dark rooms"
DAY = date(2026, 8, 18)
SHARED = Path(__file__).resolve().parents[5] / "shared/data/integrity"
SAMPLE = SHARED / "retraction_watch_sample_with_reasons.csv.zst"


def make_row(
    doi="10.1000/X", nature="Retraction", reason="+Fake Data;", pmid="0", title=TITLE, notice="10.1000/n"
):
    return (
        f'1,"{title}",(B),Univ.,J,P,US,Jane Q. Doe;Li Wei,,Article;,1/2/2020 0:00,{notice},0,'
        f"5/22/2018 0:00,{doi},{pmid},{nature},{reason},No,,"
    )


def read(*rows: str) -> list[ListedNotice]:
    return list(read_retraction_csv("\r\n".join((COLUMNS, *rows, "")).encode(), "list.csv"))


def make_list(*rows: str, day="2026-08-17") -> CompiledList:
    head = ListHead(name="retraction_watch", day=day, entries=0, source="s", origin="o", licence="l")
    store_bytes = compile_rows(head, pack_notices(read(*rows)))
    return CompiledList(store_bytes, sha256(store_bytes).hexdigest())


@pytest.mark.parametrize(
    ("nature", "reason", "kind"),
    [
        ("Retraction", "+Fake Data;", "retracted"),
        ("Retraction", "+Fake Data;+Removed;", "removed"),
        ("Retraction", "+Temporary Removal;", "removed"),
        ("Retraction", "+Withdrawal;", "withdrawn"),
        ("Retraction", "+Withdrawn as Out of Date;", "withdrawn"),
        ("Retraction", "+Informed/Patient Consent - None/Withdrawn;", "retracted"),
        ("Retraction", "+Error;+Retract and Replace;", "replaced"),
        ("Expression of concern", "+Concerns/Issues About Data;", "expression_of_concern"),
        ("Expression of concern", "+EOC Lifted;", "reinstated"),
        ("Correction", "+Removed;", "corrected"),
        ("Reinstatement", "+Temporary Removal;", "reinstated"),
    ],
)
def test_natures_have_their_kind(nature, reason, kind):
    assert [row.kind for row in read(make_row(nature=nature, reason=reason))] == [kind]


@pytest.mark.parametrize(
    ("doi", "notice", "kind"),
    [
        ("10.1016/j.jrras.2020.1", "10.1016/j.jrras.2020.1", "replaced"),  # under one DOI
        ("10.1016/S0140-6736(14)60921-1", "10.1016/S0140-6736(14)62216-9", "replaced"),  # by a notice
        ("10.1002/14651858.CD006394", "10.1002/14651858.CD006394.pub3", "retracted"),  # by another version
        ("10.1002/14651858.CD004833.pub2", "10.1002/14651858.CD004833.pub4", "retracted"),
    ],
)
def test_what_is_replaced_under_another_doi_is_retracted(doi, notice, kind):
    row = make_row(doi=doi, notice=notice, reason="+Retract and Replace;")
    assert [one.kind for one in read(row)] == [kind]


def test_a_row_in_full():
    assert read(make_row(pmid="12")) == [
        ListedNotice(
            "retracted", "2020-01-02", "10.1000/x", "12", "onthegrowthofverylongplantsindarkrooms", 2018,
            "10.1000/n", ("doe", "wei"), ("Fake Data",),
        )
    ]  # fmt: skip


@pytest.mark.parametrize("doi", ["", "unavailable", "Unavailable"])
def test_no_doi_has_many_names(doi):
    assert [(row.doi, row.pmid) for row in read(make_row(doi=doi))] == [("", "")]


def test_a_row_without_a_nature_is_no_notice():
    assert read(make_row(nature="")) == []


def test_copies_with_small_letters_and_bracketed_lists_are_read():
    head = "retractiondate,originalpaperdoi,retractionnature,reason"
    data = f"{head}\n2/2/2015 0:00,10.1155/a,Retraction,\"['+Fake' '+Removed']\"\n"
    (row,) = read_retraction_csv(data.encode(), "copy.csv")
    assert (row.kind, row.doi, row.reasons) == ("removed", "10.1155/a", ("Fake", "Removed"))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"<html>Sign in</html>", "not a Retraction Watch list"),
        (b"", "not a Retraction Watch list"),
        ((COLUMNS + "\n" + make_row() + "\n" + make_row()[:60]).encode(), "ends in the middle"),
        ((COLUMNS + "\n" + make_row() + '\n1,"An open quo').encode(), "ends in the middle"),
    ],
)
def test_what_is_no_whole_list_is_refused(data, told):
    with pytest.raises(UsageError, match=told):
        list(read_retraction_csv(data, "list.csv"))


LONG = {"title": TITLE.upper() + ".", "families": ("Doe",), "year": 2019}


@pytest.mark.parametrize(
    ("row", "question", "about"),
    [
        (make_row(), ListQuestion(("10.1000/x",)), "10.1000/x"),
        (make_row(), ListQuestion(("10.1000/n",)), None),  # the notice is not the work
        (make_row(pmid="12"), ListQuestion(pmids=("12",)), "PMID 12"),
        (make_row(), ListQuestion(pmids=("0",)), None),
        (make_row(doi=""), ListQuestion(**LONG), "title and author"),
        (make_row(), ListQuestion(**LONG), "title and author"),
        (make_row(), ListQuestion(("10.1000/other",), **LONG), None),  # republished under another DOI
        (make_row(doi=""), ListQuestion(("10.1000/other",), **LONG), "title and author"),
        (make_row(doi=""), ListQuestion(**{**LONG, "families": ("Roe",)}), None),
        (make_row(doi=""), ListQuestion(**{**LONG, "year": 2010}), None),
        (make_row(doi="", title="Editorial"), ListQuestion((), (), "Editorial", ("Doe",), 2018), None),
        (make_row(doi=""), ListQuestion(title=TITLE), None),
    ],
)
def test_how_a_work_is_recognised(row, question, about):
    found = find_notices(make_list(row), question)
    assert [one.about for one in found] == ([about] if about else [])


def test_many_rows_for_one_work_are_each_found_once():
    rows = make_row(), make_row(), make_row(nature="Reinstatement", pmid="7")
    found = find_notices(make_list(*rows), ListQuestion(("10.1000/x",), ("7",)))
    assert sorted(one.kind for one in found) == ["reinstated", "retracted"]


def ask(folder, days=7, doi="10.1000/x"):
    listed = InstalledList(ListStore(folder), "retraction_watch", days)
    return listed.look_up(ListQuestion((doi,)), DAY)


def install(folder, day="2026-08-17"):
    opened = make_list(make_row(), day=day)
    return ListStore(folder).install("retraction_watch", restate_day(opened, day))


@pytest.mark.parametrize(
    ("day", "told"),
    [("2026-08-17", ""), ("2026-08-11", ""), ("2026-08-10", "is 8 days old (limit: 7)"), ("", "has no date")],
)
def test_the_age_of_a_list(tmp_path, day, told):
    install(tmp_path / "lists", day)
    answer = ask(tmp_path / "lists")
    assert len(answer.notices) == 1  # whatever its age
    assert answer.trouble.startswith(told)
    assert bool(answer.trouble) == bool(told)


def test_a_list_that_is_installed_later_is_asked_once_it_is_renewed(tmp_path):
    listed = InstalledList(ListStore(tmp_path), "retraction_watch", 7)
    question = ListQuestion(("10.1000/x",))
    assert "is not installed" in listed.look_up(question, DAY).trouble
    for day in ("2026-08-16", "2026-08-17"):
        digest = install(tmp_path, day)
        listed.renew()
        answer = listed.look_up(question, DAY)
        assert (len(answer.notices), answer.day, answer.digest, answer.trouble) == (1, day, digest, "")


def damage_bytes(file):
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        damage_bytes,
        lambda file: file.write_bytes(file.read_bytes()[:-5]),
        lambda file: file.write_bytes(b""),
        lambda file: file.unlink(),
        lambda file: (file.parent / "retraction_watch.json").write_bytes(b"{}"),
        lambda file: (file.parent / "retraction_watch.json").write_bytes(b'{"file": "../../x"}'),
    ],
)
def test_a_damaged_list_clears_nothing(tmp_path, damage):
    digest = install(tmp_path / "lists")
    damage(tmp_path / "lists" / f"{digest}.list")
    answer = ask(tmp_path / "lists")
    assert answer.notices == ()
    assert "is damaged" in answer.trouble


def test_a_missing_list_clears_nothing(tmp_path):
    assert ask(tmp_path / "lists").trouble.startswith("is not installed")


def test_a_new_list_takes_the_place_of_the_old_one(tmp_path):
    first, second = install(tmp_path / "lists", "2026-08-01"), install(tmp_path / "lists", "2026-08-17")
    assert first != second
    assert [file.stem for file in (tmp_path / "lists").glob("*.list")] == [second]
    with pytest.raises(DamagedListError):
        ListStore(tmp_path / "lists").install("retraction_watch", b"no list")
    assert ask(tmp_path / "lists").digest == second


@pytest.mark.skipif(not SAMPLE.exists(), reason="needs the real sample of the list")
def test_the_real_sample_is_read_whole():
    with zstandard.open(SAMPLE, "rb") as file:
        rows = list(read_retraction_csv(file.read(), SAMPLE.name))
    kinds = Counter(row.kind for row in rows)
    assert len(rows) == 4827
    assert (kinds["reinstated"], kinds["corrected"], kinds["expression_of_concern"]) == (20, 101, 259)
    assert all(row.doi and row.day for row in rows)
