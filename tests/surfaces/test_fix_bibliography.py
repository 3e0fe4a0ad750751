"""`citeproof fix --bibliography`: documents that cannot be changed give a corrected bibliography."""

from __future__ import annotations

import json

import pytest
from tests.surfaces.fixes import planted, snapshot
from tests.surfaces.test_fix_command import HTML

WRONG = HTML.replace(b"(2015)", b"(2011)").replace(b"436-444", b"463-444")


@pytest.fixture(scope="module")
def works(tmp_path_factory):
    return snapshot(tmp_path_factory)


@pytest.fixture
def fix(cli, works):
    return lambda *arguments, stdin=b"": cli("fix", *arguments, "--snapshot", works, stdin=stdin)


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "my page.html"
    file.write_bytes(WRONG)
    return file


def test_what_cannot_be_written_back_is_shown_and_a_bibliography_offered(fix, page):
    ended = fix(page.name, "--unsafe")
    assert ended.code == 1
    assert "year   2011     →  2015" in ended.out
    assert "to be made with --bibliography" in ended.out
    assert "my page.html: references in html are not written back" in ended.err
    assert "instead, add: --bibliography 'my page-corrected.bib'" in ended.err
    assert page.read_bytes() == WRONG


@pytest.mark.parametrize(
    ("name", "right"),
    [("out.bib", "year = {2015}"), ("out.ris", "PY  - 2015"), ("out.json", '"date-parts":[[2015]]')],
)
def test_formats(name, right, fix, page, tmp_path):
    ended = fix(page.name, "--unsafe", "--bibliography", name)
    assert right in (tmp_path / name).read_text(encoding="utf-8")
    assert (ended.code, ended.err) == (0, "")
    assert page.read_bytes() == WRONG


def test_only_what_the_level_allows_is_changed(fix, page):
    ended = fix(page.name, "--bibliography", "-")
    assert "year = {2011}" in ended.out
    assert "unsafe not applied" in ended.err
    assert ended.code == 1


def test_only_what_was_accepted_is_changed(fix, page, tmp_path):
    fix(page.name, "-i", "--bibliography", "out.bib", stdin=b"e\ny\nn\nn\nn\n")
    text = (tmp_path / "out.bib").read_text(encoding="utf-8")
    assert "year = {2015}" in text
    assert "1038/nature14539" not in text


def test_a_document_that_can_be_changed_may_have_one_too(fix, tmp_path):
    file = tmp_path / "refs.md"
    file.write_text(text := planted("refs.md", "(2015)", "(2011)"), encoding="utf-8")
    ended = fix(file, "--unsafe", "--bibliography", "out.bib", "--format", "json")
    told = json.loads(ended.out)
    assert told["files"][0]["written"] is False
    assert any(one["field"] == "year" and one["made"] for one in told["files"][0]["changes"])
    assert (tmp_path / "out.bib").read_text(encoding="utf-8").count("@") == 3
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--bibliography", "out.txt"), "cannot tell the format"),
        (("--bibliography", "out.bib", "--write"), "cannot be used together"),
        (("--bibliography", "-", "--format", "json"), "cannot hold both"),
        (("-", "-i"), "standard input holds the document"),
    ],
)
def test_wrong_usage(flags, told, fix, page, tmp_path):
    ended = fix(page.name, *flags)
    assert (ended.code, told in ended.err, "hint: " in ended.err) == (2, True, True)
    assert not (tmp_path / "out.bib").exists()
