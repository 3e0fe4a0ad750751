"""Inputs other than files, through the real commands."""

from __future__ import annotations

import json

import pytest
from tests.laboratory.testing.conftest import RESNET as SHELVED
from tests.service.zotero_api import ZoteroApi

import citeproof
from citeproof.laboratory.testing import Reply, Shelf, World

DOI = "10.1109/CVPR.2016.90"
RESNET = "Deep Residual Learning for Image Recognition"
BIB = "@inproceedings{he, title={Deep Residual Learning for Image Recognition}, author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, booktitle={CVPR}, year={2016}}\n"  # noqa: E501 - one entry

CHECKED = [
    # inputs, exit code, what is printed
    ([DOI], 0, f"He et al. 2016, “{RESNET}” ("),
    ([f"https://doi.org/{DOI}"], 0, "1 reference: 1 exact"),
    (["He et al. 2016, Deep residual learning for image recognition"], 0, "1 reference: 1 exact"),
    (["He, K., et al. (2012). Deep residual learning for image recognition. In CVPR."], 1, "claimed  2012"),
    ([DOI, "Smith 2016, A work that nobody wrote"], 4, "2 references: 1 exact"),
    (["1706.03762v5"], 4, "arXiv:1706.03762v5"),
]


@pytest.mark.parametrize(("inputs", "code", "said"), CHECKED)
def test_a_work_is_checked_and_shown(inputs, code, said, cli, snapshot):
    ended = cli("check", *inputs, "--snapshot", snapshot)
    assert ended.code == code
    assert said in ended.out.replace("\n", " ")


def test_other_formats_take_a_work_as_well(cli, snapshot):
    ended = cli("check", DOI, "--snapshot", snapshot, "--format", "jsonl")
    assert (ended.code, len(ended.out.splitlines())) == (0, 1)


REFUSED = [
    ("hello world", 3, "hello world: not a reference, and no file has this name"),
    ("refs.bbi", 2, "refs.bbi: no such file\n  hint: did you mean refs.bib?"),
    ("my\x1b[31m\nrefs.bib", 2, "no such file"),
    ("isbn:123", 2, "isbn:123: is not a well-formed isbn\n  hint: write it like isbn:978-"),
    ("file:///etc/passwd", 2, "only http and https addresses are fetched"),
    ("https://example.org/refs.bib", 2, "the run is offline\n  hint: run without --offline"),
]


@pytest.mark.parametrize("command", ["check", "extract", "fix"])
@pytest.mark.parametrize(("given", "code", "said"), REFUSED)
def test_what_is_none_says_so_on_one_line(command, given, code, said, cli, tmp_path):
    (tmp_path / "refs.bib").write_text(BIB)
    ended = cli(command, given)
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert "\x1b" not in ended.err
    assert len(ended.err.splitlines()) == 2  # the error and its hint


@pytest.mark.parametrize("command", ["check", "extract"])
def test_without_an_input_the_usage_is_told(command, cli):
    ended = cli(command)
    assert ended.code == 2
    assert "Missing argument 'INPUT…'" in ended.err


def test_the_clipboard_is_read_beside_other_inputs(cli, tmp_path, monkeypatch):
    program = tmp_path / "bin" / "xclip"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'He et al. 2016, Deep residual learning for image recognition'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    ended = cli("extract", DOI, "--clipboard", "--format", "jsonl")
    found = [json.loads(line)["location"]["file"] for line in ended.out.splitlines()]
    assert found == [DOI.lower(), "<clipboard>"]


def site(call, _):
    return Reply(200, BIB.encode(), "text/plain") if call.parts == ("refs.bib",) else Reply(404)


@pytest.fixture
def online(monkeypatch):
    """A server that links may lead to, and Zotero; no source is asked."""
    with World(Shelf(), apis={"site": site, "zotero": ZoteroApi({"ABCD2345": ("Thesis", [BIB])})}) as world:
        for name, value in world.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("CITEPROOF_SITE_URL")
        yield world


def test_an_address_is_named_in_report_and_network_report(online, cli, snapshot, monkeypatch):
    monkeypatch.delenv("CITEPROOF_OFFLINE")
    address = f"{online.urls['site']}/refs.bib"
    flags = ("--snapshot", snapshot, "--sources", "snapshot,url", "--explain-network")
    ended = cli("check", address, "--format", "json", *flags)
    assert ended.code == 0
    assert json.loads(ended.out)["run"]["documents"] == [address]
    assert "1 request left the machine" in ended.err
    assert address in ended.err


def test_a_collection_of_zotero_is_checked_offline(online, cli, snapshot):
    ended = cli("check", "zotero:Thesis", "--snapshot", snapshot, "--format", "json")
    assert ended.code == 0
    assert json.loads(ended.out)["run"]["documents"] == ["zotero:Thesis"]
    assert online.count("zotero") == 2  # which collection, and its works


def test_an_address_is_corrected_into_a_file_and_never_in_place(online, cli, snapshot, monkeypatch, tmp_path):
    monkeypatch.delenv("CITEPROOF_OFFLINE")
    address = f"{online.urls['site']}/refs.bib"
    flags = ("--snapshot", snapshot, "--sources", "snapshot")
    for command in (("fix", "--write"), ("check", "--fix")):
        ended = cli(*command, address, *flags)
        assert ended.code == 2
        assert "only a file can be changed" in ended.err
    ended = cli("fix", address, "-o", tmp_path / "fixed.bib", *flags)
    assert ended.code == 0, ended.err
    assert DOI.lower() in (tmp_path / "fixed.bib").read_text().lower()


def test_the_audit_log_names_the_work(cli, snapshot, tmp_path):
    flags = ("--snapshot", snapshot, "--audit", tmp_path / "audit", "--audit-run", "one")
    assert cli("check", DOI, *flags).code == 0
    assert DOI.lower() in cli("audit", "show", tmp_path / "audit", "one", "--format", "json").out


def test_the_python_door_takes_the_same(snapshot):
    with citeproof.Verifier(offline=True, snapshots=[snapshot]) as verifier:
        report = verifier.check(DOI)
        assert report.run.documents == (DOI.lower(),)
        assert [one.verdict for one in report.references] == [citeproof.Verdict.MATCHED]
        with pytest.raises(citeproof.CiteproofError, match="not a reference"):
            verifier.check("hello world")
        with pytest.raises(citeproof.UsageError, match="offline"):
            verifier.check("https://example.org/refs.bib")


LIVE = [
    # input, exit code, what is printed
    (DOI, 0, "He et al. 2016"),
    ("10.1109/CVPR.2016.99999", 1, "does not exist"),
    ("arXiv:1706.99999", 1, "does not exist"),
]


@pytest.mark.parametrize(("given", "code", "said"), LIVE)
def test_an_identifier_is_asked_at_its_registry(given, code, said, cli, monkeypatch):
    with World(Shelf(SHELVED)) as world:
        for name, value in world.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("CITEPROOF_PACE", "100")
        monkeypatch.delenv("CITEPROOF_OFFLINE")
        ended = cli("check", given, "--sources", "doi,crossref,datacite,arxiv,openalex")
    assert said in ended.out.replace("\n", " ")
    assert ended.code == code
