"""Folders of texts: the file that surely holds a work, and nothing else."""

from __future__ import annotations

import os

import pytest

from citeproof.claims import library_files, text_library
from citeproof.claims.text_library import TextLibrary
from citeproof.claims.text_match import MatchStrength, make_wanted_work, weigh_match
from citeproof.errors import UsageError
from citeproof.reading.extractors.body.body_reader import WorkDescription
from citeproof.vocabulary import Ids, Name, Record, TextExtent

TITLE = "Mortality after treatment with a new drug in elderly patients"
DOI = "10.1234/jom.2019.0042"
OTHER = "10.1234/jom.2020.0001"
WORK = make_wanted_work(
    [TITLE], [Name("Yamada", "Aiko"), Name("Sato", "K.")], [("doi", DOI), ("arxiv", "1901.00042")]
)
BARE = make_wanted_work([TITLE], [Name("Yamada", "Aiko")], [])
OPENING = f"Journal of Mortality {TITLE} Aiko Yamada and K. Sato, Tokyo. Abstract We studied."
RECORD = Record("crossref", DOI, (TITLE,), (Name("Yamada", "Aiko"),), ids=Ids((("doi", DOI),)))


def _describe(**parts: object) -> WorkDescription:
    return WorkDescription(**({"format": "pdf", "titles": (TITLE,), "opening": OPENING} | parts))


RATED = [
    ("its own DOI", _describe(ids=(("doi", DOI),), titles=()), "x", WORK, MatchStrength.METADATA),
    ("its own DOI is another", _describe(ids=(("doi", OTHER),)), "x", WORK, None),
    (
        "named after the work, but its DOI is another",
        _describe(ids=(("doi", OTHER),)),
        "10.1234_jom.2019.0042",
        WORK,
        None,
    ),
    (
        "supplement with the DOI",
        _describe(ids=(("doi", DOI),), titles=(f"Supplementary material for {TITLE}",)),
        "x",
        WORK,
        None,
    ),
    ("the one DOI on its page", _describe(page_ids=(("doi", DOI),)), "x", WORK, MatchStrength.NAME),
    (
        "the DOI among others",
        _describe(page_ids=(("doi", OTHER), ("doi", DOI))),
        "x",
        WORK,
        MatchStrength.PAGE,
    ),
    ("another DOI on its page", _describe(page_ids=(("doi", OTHER),)), "x", WORK, None),
    (
        "a page that only cites it",
        _describe(page_ids=(("doi", DOI),), titles=("Another study of other things",)),
        "x",
        WORK,
        None,
    ),
    ("title and author", _describe(), "x", WORK, MatchStrength.TITLE),
    (
        "title and author of a work without DOI",
        _describe(ids=(("doi", OTHER),)),
        "x",
        BARE,
        MatchStrength.TITLE,
    ),
    ("title, another author", _describe(opening=f"{TITLE} Karl Braun"), "x", WORK, None),
    ("a comment on it", _describe(titles=(f"Comment on: {TITLE}",)), "x", WORK, None),
    ("a correction of it", _describe(titles=(f"Correction to: {TITLE}",)), "x", WORK, None),
    (
        "its replication",
        _describe(titles=(f"[Re] {TITLE}",), opening=f"[Re] {TITLE} Karl Braun"),
        "x",
        WORK,
        None,
    ),
    ("one word differs", _describe(titles=(TITLE.replace("new", "old"),)), "x", WORK, None),
    ("named after the DOI", _describe(titles=()), "10.1234_jom.2019.0042", WORK, MatchStrength.NAME),
    (
        "named after the DOI, another text",
        _describe(titles=(), opening="Nothing of it."),
        "10.1234_jom.2019.0042",
        WORK,
        None,
    ),
    ("named after half of the DOI", _describe(), "jom.2019.0042", WORK, MatchStrength.NAME),
    ("half of the DOI is not enough", _describe(titles=()), "jom.2019.0042", WORK, None),
    ("named after the arXiv number", _describe(titles=()), "1901.00042v2", WORK, MatchStrength.NAME),
    (
        "a short title is not enough",
        _describe(titles=("Deep learning",), opening="Yann LeCun"),
        "x",
        make_wanted_work(["Deep learning"], [Name("LeCun", "Yann")], []),
        None,
    ),
]


@pytest.mark.parametrize(
    ("file", "stem", "work", "wanted"), [row[1:] for row in RATED], ids=[row[0] for row in RATED]
)
def test_what_shows_that_a_file_holds_a_work(file, stem, work, wanted):
    rated = weigh_match(file, stem, work)
    assert (None if isinstance(rated, str) else rated) is wanted


def _make_page(
    title: str = TITLE, doi: str = "", author: str = "Yamada, Aiko", body: str = "It fell by 12 %."
) -> str:
    stated = f'<meta name="citation_doi" content="{doi}">' if doi else ""
    return (
        f'<html><head>{stated}<meta name="citation_title" content="{title}"><meta name="citation_author" '
        f'content="{author}"></head><body><article><h1>{title}</h1><h2>Results</h2><p>{body}</p></article></body></html>'
    )


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "texts"
    path.mkdir()
    return path


@pytest.fixture
def library(folder, tmp_path):
    made = TextLibrary([folder], tmp_path / "cache")
    yield made
    made.close()


def test_the_text_of_a_work_is_found_below_the_folder(folder, library):
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "one.html").write_text(_make_page(doi=DOI))
    (folder / "two.html").write_text(_make_page("Another study of quite other things", OTHER))
    found = library.find_text(RECORD)
    assert found.extent is TextExtent.FULL_TEXT
    assert "It fell by 12 %." in found.text
    assert found.origin == str(folder / "a" / "b" / "one.html")
    assert library.find_text(RECORD) is found


def test_two_files_that_fit_equally_match_nothing(folder, library):
    (folder / "one.html").write_text(_make_page(doi=DOI))
    (folder / "two.html").write_text(_make_page(doi=DOI, body="It fell by 21 %."))
    assert library.find_text(RECORD) is None


def test_the_same_file_twice_is_one(folder, library):
    for name in ("one.html", "two.html"):
        (folder / name).write_text(_make_page(doi=DOI))
    assert library.find_text(RECORD).origin.endswith("one.html")


def test_of_two_formats_the_better_is_read(folder, library):
    (folder / "one.html").write_text(_make_page(doi=DOI))
    (folder / "one.nxml").write_text(
        f'<article article-type="x"><front><article-meta><article-id pub-id-type="doi">{DOI}</article-id>'
        f"<title-group><article-title>{TITLE}</article-title></title-group></article-meta></front>"
        "<body><p>It fell by 12 %.</p></body></article>"
    )
    assert library.find_text(RECORD).origin.endswith("one.nxml")


def test_links_and_hidden_files_are_not_read(folder, library, tmp_path):
    outside = tmp_path / "outside.html"
    outside.write_text(_make_page(doi=DOI))
    (folder / "one.html").symlink_to(outside)
    (folder / ".two.html").write_text(_make_page(doi=DOI))
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "three.html").write_text(_make_page(doi=DOI))
    (folder / "more").symlink_to(tmp_path / "more")
    assert library.find_text(RECORD) is None


def test_hostile_files_harm_nobody(folder, library):
    (folder / "bomb.pdf").write_bytes(b"%PDF-1.7\n" + b"\xff" * 10_000)
    (folder / "deep.html").write_bytes(b"<div>" * 200_000)
    (folder / "noise.xml").write_bytes(os.urandom(1_000))
    (folder / "empty.txt").write_bytes(b"")
    (folder / "one.pdf").write_text(_make_page(doi=DOI))  # a page under a wrong name
    assert library.find_text(RECORD).origin.endswith("one.pdf")


def test_files_are_described_once(folder, tmp_path, monkeypatch):
    for number in range(5):
        (folder / f"{number}.html").write_text(
            _make_page(f"Study number {number} of many other things", OTHER)
        )
    read: list[str] = []
    describe = library_files.describe_source
    monkeypatch.setattr(library_files, "describe_source", lambda one: read.append(one.name) or describe(one))
    for round_, wanted in enumerate((5, 5, 6)):
        if round_ == 2:
            (folder / "0.html").write_text(_make_page("Study number 0 of many more things", OTHER))
        library = TextLibrary([folder], tmp_path / "cache")
        library.find_text(RECORD)
        library.close()
        assert len(read) == wanted


def test_a_file_that_changed_since_is_not_believed(folder, library, monkeypatch):
    (folder / "one.html").write_text(_make_page(doi=DOI))
    assert library._find_fitting_file(make_wanted_work(RECORD.titles, RECORD.authors, RECORD.ids.pairs))[0]
    (folder / "one.html").write_text(_make_page("Another study of quite other things", OTHER))
    assert library.find_text(RECORD) is None


def test_few_texts_are_kept_in_memory(folder, library, monkeypatch):
    monkeypatch.setattr(text_library, "HELD", 10)
    (folder / "one.html").write_text(_make_page(doi=DOI))
    assert library.find_text(RECORD) is not None
    assert len(library._texts) == 1


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="is not a folder"):
        TextLibrary([tmp_path / "no"], tmp_path / "cache")
