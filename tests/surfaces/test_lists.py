"""`citeproof lists`, and what a list does to a run, its reports, its log and a replay."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from citeproof.errors import InputError, UsageError
from citeproof.surfaces.cli.main import cli

BIB = """@article{bad, title={A retracted work}, author={Moss, Jane}, year={2019}, doi={10.1000/X1}}
@article{good, title={A sound work}, author={Roe, Rick}, year={2019}, doi={10.1000/x2}}
@article{worry, title={A work in doubt}, author={Poe, Pat}, year={2019}, doi={10.1000/x3}}
"""
LIST = """Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,
A retracted work,Jane Moss,1/2/2020 0:00,10.1000/n1,10.1000/x1,Retraction,+Fake Data;,
A work in doubt,Pat Poe,1/2/2020 0:00,10.1000/n3,10.1000/x3,Expression of concern,+Doubt;,
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    for name in ("CACHE", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("CITEPROOF_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "refs.bib").write_text(BIB)
    (tmp_path / "list.csv").write_text(LIST)
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        done = CliRunner().invoke(cli, list(arguments), standalone_mode=False)
        if done.exception:
            raise done.exception
        return done.stdout, int(done.return_value or 0)

    return call


def days_ago(days):
    return (datetime.now(UTC) - timedelta(days=days)).date().isoformat()


def find_states(run):
    out, _ = run("check", "refs.bib", "--offline", "--format", "json")
    rows = json.loads(out)["references"]
    about = ("retracted", "expression_of_concern")  # Jane Doe may be a placeholder, which is another check
    return {
        row["key"]: [
            (f["name"], f["state"], f.get("kind", "")) for f in row["findings"] if f["name"] in about
        ]
        for row in rows
    }


def test_a_list_is_shown_with_its_provenance(run):
    out, _ = run("lists", "--format", "json")
    (row,) = [one for one in json.loads(out)["lists"] if one["name"] == "retraction_watch"]
    assert (row["entries"], row["trouble"].partition(";")[0]) == (0, "is not installed")
    run("lists", "import", "list.csv", "--date", days_ago(3))
    rows = json.loads(run("lists", "--format", "json")[0])["lists"]
    (row,) = [one for one in rows if one["name"] == "retraction_watch"]
    assert (row["date"], row["age_days"], row["entries"], row["trouble"]) == (days_ago(3), 3, 2, "")
    assert row["licence"].startswith("CC BY 4.0")
    assert row["home"].startswith("https://gitlab.com/crossref/")
    assert "3 days" in run("lists")[0]


@pytest.mark.parametrize(("age", "state"), [(0, "clear"), (7, "clear"), (8, "unchecked")])
def test_a_fresh_list_clears_and_an_old_one_still_finds(run, age, state):
    run("lists", "import", "list.csv", "--date", days_ago(age))
    assert find_states(run) == {
        "bad": [("retracted", "finding", "retracted")],
        "good": [("retracted", state, "")],
        "worry": [
            ("retracted", state, ""),
            ("expression_of_concern", "finding", "expression_of_concern"),
        ],
    }


def test_a_retraction_fails_the_run_in_every_report(run):
    run("lists", "import", "list.csv", "--date", days_ago(0))
    for form in ("text", "md", "html", "sarif", "junit", "github", "csv", "jsonl"):
        out, code = run("check", "refs.bib", "--offline", "--format", form)
        assert code == 1, form
        assert "retracted" in out, form


def test_a_concern_alone_does_not_fail_the_run(run, tmp_path):
    (tmp_path / "refs.bib").write_text(BIB.splitlines()[2])
    run("lists", "import", "list.csv", "--date", days_ago(0))
    assert run("check", "refs.bib", "--offline")[1] == 4  # offline without a snapshot: not checked


def test_the_log_has_the_event_and_a_replay_needs_no_list(run, tmp_path):
    run("lists", "import", "list.csv", "--date", days_ago(0))
    run("check", "refs.bib", "--offline", "--audit", "log", "--audit-run", "r")
    lines = [json.loads(line) for line in (tmp_path / "log/r.jsonl").read_text().splitlines()]
    (event,) = [line for line in lines if line["ev"] == "retracted"]
    assert (event["source"], event["kind"]) == ("retraction_watch", "retracted")
    for file in (tmp_path / "cache/lists").iterdir():
        file.unlink()
    out, code = run("audit", "replay", "log", "r")
    assert code == 0, out


def test_a_notice_is_dated_against_the_document(run, tmp_path):
    run("lists", "import", "list.csv", "--date", days_ago(0))
    body = r"\begin{document}\cite{bad}\bibliography{refs}\end{document}"
    (tmp_path / "paper.tex").write_text(r"\documentclass{article}\date{May 2021}" + body)
    out, _ = run("check", "paper.tex", "--offline", "--format", "json")
    detail = json.loads(out)["references"][0]["findings"][0]["detail"]
    assert detail.startswith("the work was retracted on 2020-01-02, before this document of 2021-05 (")
    run("check", "paper.tex", "--offline", "--audit", "log", "--audit-run", "r")
    assert run("audit", "replay", "log", "r")[1] == 0


JOURNALS = "url,name,abbr\nhttp://www.ijx.org/,International Journal of X,IJX\n"
PUBLISHERS = "url,name,abbr,\nhttp://bad.com/,Bad Press,,\n"


def test_a_folder_of_lists_is_imported_and_pinned(run, tmp_path):
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "journals.csv").write_text(JOURNALS)
    (folder / "publishers.csv").write_text(PUBLISHERS)
    (folder / "metrics.csv").write_text("url,alturl,name,abbr\n")  # of no list that is known
    (folder / "retraction_watch_2026-08-17.csv").write_text(LIST)
    out, _ = run("lists", "import", "lists", "--format", "json")
    rows = {one["name"]: one for one in json.loads(out)["lists"]}
    assert sorted(rows) == ["predatory_journals", "predatory_publishers", "retraction_watch"]
    assert rows["predatory_journals"]["date"] == "2018-01-01"
    pinned = json.loads(run("lists", "pin", "set.pin", "--format", "json")[0])
    assert [one["name"] for one in pinned["lists"]] == ["retraction_watch", *sorted(rows)[:2]]
    assert pinned["sha256"] in run("lists", "--lists-pin", "set.pin")[0]
    out, _ = run("check", "refs.bib", "--offline", "--lists-pin", "set.pin", "--format", "json")
    report = json.loads(out)
    (stated,) = report["run"]["overrides"]
    assert (stated["setting"], stated["value"]) == ("lists_pin", f"2026-08-17 sha256:{pinned['sha256']}")
    states = [f["state"] for row in report["references"] for f in row["findings"] if f["name"] == "retracted"]
    assert states == ["finding", "clear", "clear"]  # as of the date of the list, whatever today is
    for form in ("text", "md", "html", "csv"):
        named = run("check", "refs.bib", "--offline", "--lists-pin", "set.pin", "--format", form)[0]
        assert pinned["sha256"] in named.replace("\n", "").replace(" ", ""), form


def test_what_is_no_list_is_told(run, tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="is not a file of a known list") as caught:
        run("lists", "import", "other.csv")
    assert "--as NAME" in caught.value.hint
    with pytest.raises(UsageError, match="has no column"):
        run("lists", "import", "other.csv", "--as", "doaj")
    with pytest.raises(UsageError, match="no list has this name"):
        run("lists", "update", "nobody")
    (tmp_path / "bad.pin").write_bytes(b"not a set")
    with pytest.raises(InputError, match="is not a pinned set"):
        run("check", "refs.bib", "--offline", "--lists-pin", "bad.pin")
