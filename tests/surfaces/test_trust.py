"""`citeproof trust`, and what every report says first when something is not as shipped."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from citeproof import check_corpus
from citeproof.answers.reporters.base import list_formats
from citeproof.evidence.index.build import BuildInput, build
from citeproof.judgement.judge import model
from citeproof.laboratory.measure.makers.benchmark_items import BenchmarkItem, write_items
from citeproof.laboratory.testing import Shelf, World

REFERENCE = b"@article{a, title={Recursive Shadow Pyramids for Glaciers}, author={Doe, Jo}, year={2016}}\n"
THRESHOLDS = {
    "judge": model.load_model().name, "exact_at": 0, "minor_at": 0,
    "data": {}, "figures": {}, "date": "2026-01-01",
}  # fmt: skip


def _project(text: str) -> None:
    Path("citeproof.toml").write_text(text, encoding="utf-8")


def test_trust_shows_allows_lists_and_revokes(cli):
    _project('format = "md"\nproxy = "http://p.example"\n')
    shown = cli("trust", "--show")
    assert "proxy = http://p.example" in shown.out
    assert "format" not in shown.out.splitlines()[1]
    assert cli("trust", "--list").out == ""
    assert "trusted as it is now" in cli("trust").out
    assert "citeproof.toml" in cli("trust", "--list").out
    assert cli("doctor").code != 2
    assert "no longer trusted" in cli("trust", "--revoke").out
    assert "may not set proxy" in cli("doctor").err


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        (None, (), "no project file here or above"),
        ('format = "md"', ("--show", "--list"), "cannot be used together"),
        ("colour = 1", (), "unknown setting 'colour'"),
    ],
)
def test_what_cannot_be_trusted(cli, text, arguments, said):
    if text is not None:
        _project(text)
    ended = cli("trust", *arguments)
    assert ended.code == 2
    assert said in ended.err


def test_a_file_that_needs_no_trust_is_not_listed(cli):
    _project('format = "md"')
    assert "sets nothing that needs trust" in cli("trust").out
    assert cli("trust", "--list").out == ""


def test_a_project_cannot_turn_a_fabrication_green(cli, snapshot):
    """Issue 3: thresholds of zero made "✓ EXACT not found" with exit code 0."""
    Path("t.json").write_text(json.dumps(THRESHOLDS), encoding="utf-8")
    _project('judge_thresholds = "t.json"\n')
    reference = REFERENCE.replace(b"year", b"booktitle={CVPR}, year")
    refused = cli("check", "-", "--snapshot", snapshot, stdin=reference)
    assert refused.code == 2
    assert "may not set judge_thresholds" in refused.err
    cli("trust")
    ended = cli("check", "-", "--snapshot", snapshot, stdin=reference)
    assert ended.code == 1
    assert "EXACT" not in ended.out
    assert ended.out.startswith("! Not the shipped judge: ")
    assert "citeproof.toml" in ended.out.splitlines()[0] + ended.out.splitlines()[1]


def test_a_project_cannot_choose_the_file_that_tune_forgets(cli, tmp_path):
    secret = tmp_path / "id_rsa"
    secret.write_bytes(b"-----BEGIN KEY-----")
    _project('judge_thresholds = "id_rsa"\n')
    assert cli("bench", "tune", "--forget").code == 2
    cli("trust")
    ended = cli("bench", "tune", "--forget")
    assert ended.code == 2
    assert "was not written by `citeproof bench tune`" in ended.err
    assert secret.exists()


def test_a_project_cannot_say_what_prune_drops(cli):
    _project("audit_keep_days = 1\n")
    ended = cli("audit", "prune", "audit")
    assert ended.code == 2
    assert "may not set audit_keep_days" in ended.err


@pytest.fixture
def replaced(monkeypatch, cli):
    """One source at another address, asked by `check` in a given format."""
    with World(Shelf()) as world:
        monkeypatch.setenv("CITEPROOF_OFFLINE", "0")
        for name, value in world.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("CITEPROOF_SOURCES", "crossref")

        def check(form: str) -> tuple[str, str]:
            return cli("check", "-", "--format", form, stdin=REFERENCE).out, world.origin

        yield check


@pytest.mark.parametrize("form", list_formats())
def test_every_report_says_first_that_an_address_was_replaced(form, replaced):
    out, origin = replaced(form)
    places = {
        "json": lambda: json.loads(out)["run"]["overrides"][0]["value"],
        "jsonl": lambda: json.loads(out.splitlines()[0])["overrides"][0]["value"],
        "csv": lambda: next(csv.DictReader(io.StringIO(out)))["overrides"],
        "csl": lambda: json.loads(out)[0]["custom"]["citeproof"][0],
        "ris": lambda: next(line for line in out.splitlines() if line.startswith("N1")),
        "html": lambda: out.partition("<main>")[0],
        "md": lambda: out.partition("| key |")[0].replace("&#58;", ":").replace("&#46;", "."),
        "bibtex": lambda: " ".join(out.splitlines()[:2]),
        "sarif": lambda: json.loads(out)["runs"][0]["invocations"][0]["toolConfigurationNotifications"][0][
            "message"
        ]["text"],
        "junit": lambda: out.partition("<testcase")[0],
        "text": lambda: " ".join(out.splitlines()[:2]),
    }
    first = places.get(form, lambda: out[:2000])()
    assert origin.removeprefix("http://") in first
    assert form in ("json", "jsonl") or "CITEPROOF_CROSSREF_URL" in first.replace("\\_", "_")


def test_verify_and_corpus_say_it_too(replaced, cli):
    ended = cli("verify", "--title", "Shadow Pyramids for Glaciers")
    assert json.loads(ended.out)["citeproof"]["overrides"][0]["setting"] == "urls.crossref"
    strict = cli("verify", "--title", "Shadow Pyramids for Glaciers", "--compat")
    assert "overrides" not in strict.out
    assert "Not asked at the shipped address: crossref" in strict.err
    Path("a.md").write_text("See 10.1000/xyz123.\n", encoding="utf-8")
    assert "not the shipped urls.crossref" in cli("corpus", "a.md").out


@pytest.mark.parametrize("form", ["csv", "bibtex", "csl", "ris"])
def test_corpus_formats_without_a_place_for_it_say_it_beside(form, replaced, cli):
    Path("a.md").write_text("See 10.1000/xyz123.\n", encoding="utf-8")
    ended = cli("corpus", "a.md", "--format", form)
    assert "not the shipped urls.crossref" not in ended.out
    assert "warning: not the shipped urls.crossref" in ended.err


def test_check_corpus_says_it_too(replaced):
    Path("a.md").write_text("See 10.1000/xyz123.\n", encoding="utf-8")
    assert any("not the shipped urls.crossref" in one for one in check_corpus("a.md").troubles)


def test_fix_and_bench_run_say_it_too(replaced, cli):
    Path("a.bib").write_bytes(REFERENCE)
    assert "warning: Not asked at the shipped address: crossref" in cli("fix", "a.bib").err
    text = REFERENCE.decode()
    item = BenchmarkItem(
        index=0, label="EXACT", kind="valid", form="bibtex", original=text, corrupted=text, description=""
    )
    write_items(Path("b.jsonl"), [item])
    assert "warning: Not asked at the shipped address: crossref" in cli("bench", "run", "b.jsonl").err


@pytest.mark.parametrize(
    "name",
    [
        "--snapshot=evil.bib",
        "--output=html=/victim.bib",
        "--baseline=accept.bib",
        "--fail-on=none",
        "-oout.bib",
    ],
)
@pytest.mark.parametrize("command", ["check", "fix", "extract", "batch", "corpus", "claims"])
def test_a_name_of_a_file_is_no_option(cli, tmp_path, command, name):
    path = tmp_path / name.removeprefix("/")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(REFERENCE)
    before = sorted(tmp_path.rglob("*"))
    ended = cli(command, name)
    assert (ended.code, ended.out) == (2, "")
    assert f"error: {name}: is an option, and a file here has this name" in ended.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_name_after_the_options_is_a_file(cli, tmp_path, snapshot):
    (tmp_path / "--fail-on=none.bib").write_bytes(REFERENCE.replace(b"year", b"booktitle={CVPR}, year"))
    ended = cli("check", "--snapshot", snapshot, "--", "--fail-on=none.bib")
    assert ended.code == 1
    assert "Recursive Shadow Pyramids" in ended.out


@pytest.mark.parametrize("form", list_formats())
def test_a_foreign_snapshot_is_named_by_path_and_id_in_every_report(cli, tmp_path, form):
    """A snapshot in the repository that called itself "starter" passed for the one that the user has."""
    (tmp_path / "refs.bib").write_bytes(REFERENCE)
    inputs = [BuildInput("bibtex", (tmp_path / "refs.bib",))]
    made = build(inputs, tmp_path / "built", name="starter")
    shutil.copytree(tmp_path / "built", tmp_path / "repository" / "evil.bib")
    ended = cli("check", "refs.bib", "--snapshot", "repository/evil.bib", "--format", form)
    shown = "".join(ended.out.split()).replace("\\", "")  # it may be wrapped and escaped
    assert "starter" not in shown
    assert f"{made.id[:13]}:{tmp_path / 'repository' / 'evil.bib'}" in shown
    own = cli("check", "refs.bib", "--snapshot", "built", "--format", form).out
    assert "neither built nor pulled" not in own
    if form in ("text", "md", "json", "html"):
        assert "snapshot starter" in own or "snapshot:starter" in own


@pytest.mark.parametrize("named", ["log", "log/deep", "inside/log"])
@pytest.mark.parametrize("marks", [(), (".git",), (".git", "../outside/.git")])
def test_an_audit_log_is_not_written_behind_a_link_out_of_the_repository(
    cli, tmp_path, monkeypatch, named, marks
):
    outside, repository = tmp_path / "outside", tmp_path / "repository"
    (repository / "inside").mkdir(parents=True)
    outside.mkdir()
    for mark in marks:
        (repository / mark).mkdir()
    before = sorted(outside.iterdir())
    for link in ("log", "inside/log"):
        (repository / link).symlink_to(outside)
    monkeypatch.chdir(repository)
    ended = cli("check", "-", "--audit", named, stdin=REFERENCE)
    assert (ended.code, ended.out) == (2, "")
    assert f"name the file itself: {outside}" in ended.err
    assert sorted(outside.iterdir()) == before
    assert cli("check", "-", "--audit", "inside/new", stdin=REFERENCE).code == 4
    assert cli("check", "-", "--audit", outside / "own", stdin=REFERENCE).code == 4  # the user named it
