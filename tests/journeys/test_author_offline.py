"""The author with a bibliography and no network: what each screen says, how wide and how long it is."""

from __future__ import annotations

import re
from itertools import chain, islice, pairwise
from pathlib import Path

import pytest

from tests.journeys.conftest import ROOT, compare_screen

WILD = ROOT.parent / "shared" / "data" / "wild" / "bib"
STARTER = Path.home() / ".cache" / "citeproof" / "snapshots" / "starter"
SMALL = WILD / "scverse__scanpy__references.bib"  # 81 entries
_ENTRY = re.compile(r"^[ \t]*@(?!comment|string|preamble)\w+\s*\{", re.IGNORECASE | re.MULTILINE)
COLOUR = re.compile("\x1b\\[[0-9;]*m")


def test_first_try_without_a_snapshot(open_terminal):
    ended = open_terminal(CITEPROOF_SNAPSHOT="").run("citeproof check references.bib")
    assert ended.code == 4  # offline nobody is asked for a download
    compare_screen("author_without_snapshot", ended.lines)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_report_fits_the_screen(open_terminal, width):
    ended = open_terminal(width).run("citeproof check references.bib")
    assert ended.code == 1
    assert max(map(len, ended.lines)) <= width
    compare_screen(f"author_offline_{width}", ended.lines)


@pytest.mark.parametrize("flags", ["--only unchecked", "--summary", "--quiet"])
def test_less_is_shown_on_demand(open_terminal, flags):
    ended = open_terminal().run(f"citeproof check references.bib {flags}")
    assert ended.code == 1
    compare_screen(f"author_{flags.replace('--', '').replace(' ', '_')}", ended.lines)


@pytest.mark.parametrize(
    ("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colours(open_terminal, variables, coloured):
    terminal = open_terminal(**variables)
    ended = terminal.run("citeproof check references.bib")
    assert bool(COLOUR.search("\n".join(terminal.read_screen(colours=True)))) is coloured
    assert not [line for line in ended.lines if line.startswith(("checking:", "reading"))]


def test_pipes_and_files_have_the_same_report(open_terminal, desk):
    terminal = open_terminal(60)
    assert terminal.run("citeproof check references.bib | head -n 3").lines == [
        "~ MINOR ambiguous  he2016deep  references.bib:24:1",
        "    Deep Residual Learning for Image Recognition",
        "    The DOI belongs to Redmon et al. 2016, not to this title.",
    ]
    assert terminal.run("citeproof check references.bib > piped.txt").code == 1
    ended = terminal.run("citeproof check references.bib -o written.txt")
    assert ended.code == 1
    compare_screen("author_report_in_a_file", ended.lines)
    text = (desk / "written.txt").read_text("utf-8")
    assert text == (desk / "piped.txt").read_text("utf-8")
    assert "\x1b" not in text


def test_a_list_in_a_file_is_told_too(open_terminal, desk):
    ended = open_terminal().run("citeproof check references.bib --format csv -o list.csv")
    assert (ended.code, ended.lines[-1]) == (1, "report: list.csv")
    assert ended.text.count("the entry has no key") == 1
    assert "12 references: 3 exact" in ended.text


def test_two_documents_and_one_that_cannot_be_read(open_terminal, desk):
    (desk / "broken.pdf").write_bytes(b"%PDF-1.7\x00\x00\xff")
    (desk / "books.bib").write_text(
        "".join(f"@book{{book{n}, title={{Nobody has the Book Number {n}}}}}\n" for n in range(5)), "utf-8"
    )
    ended = open_terminal().run("citeproof check references.bib books.bib broken.pdf")
    assert ended.code == 1
    compare_screen("author_three_documents", ended.lines)


@pytest.mark.parametrize(
    ("command", "code"),
    [("citeproof check nothere.bib", 2), ("citeproof chekc references.bib", 2), ("citeproof check", 2)],
)
def test_mistakes_are_told_in_a_few_lines(open_terminal, command, code):
    ended = open_terminal().run(command)
    assert ended.code == code
    compare_screen(f"author_mistake_{'_'.join(command.split()[1:]).replace('.', '_')}", ended.lines)


def _make_long_bibliography(path: Path, entries: int) -> None:
    """Write the first so many entries of real bibliographies."""
    texts = (one.read_text("utf-8", "replace") for one in sorted(WILD.glob("*.bib")))
    starts = ((text, [*(m.start() for m in _ENTRY.finditer(text)), len(text)]) for text in texts)
    each = chain.from_iterable((text[a:b] for a, b in pairwise(at)) for text, at in starts)
    some = list(islice(each, entries))
    assert len(some) == entries
    path.write_text("".join(some), encoding="utf-8")


@pytest.mark.data
@pytest.mark.skipif(not WILD.is_dir(), reason="no development data at ../shared/data")
@pytest.mark.parametrize(
    ("snapshot", "entries", "most"),
    [("papers", 81, 60), ("papers", 1425, 200), ("starter", 81, 60), ("starter", 1425, 200)],
)
def test_long_bibliographies_make_short_reports(
    open_terminal, desk, papers_snapshot, snapshot, entries, most
):
    if snapshot == "starter" and not STARTER.is_dir():
        pytest.skip("no starter snapshot; run: citeproof index starter")
    if entries == 81:
        (desk / "long.bib").write_bytes(SMALL.read_bytes())
    else:
        _make_long_bibliography(desk / "long.bib", entries)
    place = STARTER if snapshot == "starter" else papers_snapshot  # which claims nothing
    terminal = open_terminal(CITEPROOF_SNAPSHOT=str(place))
    ended = terminal.run("citeproof check long.bib")
    read = re.search("^([0-9,]+) references: ", ended.text, re.MULTILINE)
    assert read
    assert entries - 5 <= int(read[1].replace(",", "")) <= entries
    assert len(ended.lines) <= most
    assert max(map(len, ended.lines)) <= 80
