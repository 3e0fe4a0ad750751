"""RIS: as it should be, and as it comes."""

from dataclasses import replace
from pathlib import Path

import pytest

from citeproof.answers.serializers.bibliography import build_ris_record
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.ris import EXTRACTOR
from citeproof.vocabulary import Claimed, Document, Ids, Kind, Name, Origin
from tests.growth import grows_linearly
from tests.reading.extractors.damage import survives

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ris"
ONE = "TY  - JOUR\nTI  - Deep learning\nAU  - LeCun, Yann\nPY  - 2015\nDO  - 10.1038/nature14539\nER  - \n"


def extract(text):
    data = text if isinstance(text, bytes) else text.encode()
    return EXTRACTOR.extract(Document("refs.ris", data))


def claims(text):
    [reference] = extract(text).references
    return reference.claimed


def test_an_export_of_zotero():
    extraction = extract((FIXTURES / "zotero.ris").read_bytes())
    assert (len(extraction.references), extraction.expected, extraction.problems) == (6, 6, ())
    first, chapter, book, paper, report, thesis = extraction.references
    assert [r.kind for r in extraction.references] == [
        Kind.ARTICLE, Kind.CHAPTER, Kind.BOOK, Kind.ARTICLE, Kind.REPORT, Kind.THESIS,
    ]  # fmt: skip
    claimed = first.claimed
    assert (claimed.title, claimed.year, claimed.venue, claimed.volume) == (
        "Deep learning",
        2015,
        "Nature",
        "521",
    )
    assert (claimed.issue, claimed.pages) == ("7553", "436-444")
    assert claimed.ids.first("doi") == "10.1038/nature14539"
    assert claimed.ids.all("issn") == ("0028-0836", "1476-4687")
    assert {origin.origin for origin in claimed.origins} == {Origin.STRUCTURED}
    assert chapter.claimed.venue.startswith("Parallel distributed processing")
    assert [name.family for name in chapter.claimed.editors] == ["Rumelhart", "McClelland"]
    assert (book.claimed.edition, book.claimed.publisher) == ("3", "Addison-Wesley")
    assert book.claimed.ids.first("isbn") == "9780201896831"
    assert (len(paper.claimed.authors), paper.claimed.et_al) == (3, True)
    assert paper.claimed.ids.first("arxiv") == "1706.03762"
    assert report.claimed.authors == (Name("World Health Organization", collective=True),)
    assert thesis.claimed.publisher == "Massachusetts Institute of Technology"


def test_an_export_with_byte_order_mark_and_windows_line_ends():
    data = (FIXTURES / "publisher-crlf-bom.ris").read_bytes()
    extraction = extract(data)
    [reference] = extraction.references
    assert reference.key == "WATSON1953"
    assert reference.claimed.authors[0] == Name("WATSON", "J. D.")
    assert reference.claimed.ids.first("pmid") == "13054692"
    assert reference.claimed.ids.first("doi") == "10.1038/171737a0"
    assert data[reference.place.start : reference.place.end].startswith(b"TY  - JOUR\r\nT1")
    assert (reference.place.line, reference.place.end_line) == (5, 25)
    [header] = extraction.problems
    assert header.note
    assert header.text.startswith("Provider:")


def test_one_broken_record_does_not_cost_the_others():
    extraction = extract((FIXTURES / "broken.ris").read_bytes())
    assert [r.claimed.title.split()[0] for r in extraction.references] == [
        "On", "Computing", "A", "Cybernetics:", "Long",
    ]  # fmt: skip
    assert extraction.expected == 6
    assert [(p.place.line, p.message.split(":")[0][:40]) for p in extraction.problems] == [
        (1, "record 'ref-1' is not closed (ER); it wa"),
        (17, "text outside the records"),
        (22, "a record without title, authors or ident"),
        (25, "record 'ref-5' is not closed (ER); it wa"),
    ]
    assert all(problem.hint for problem in extraction.problems)


SAME = {
    "as it should be": ONE,
    "one space": ONE.replace("  - ", " - "),
    "a tab": ONE.replace("  - ", "\t-\t"),
    "lower case": ONE.replace("TY", "ty").replace("TI", "ti").replace("AU", "au").replace("JOUR", "jour"),
    "byte order mark": "\ufeff" + ONE,
    "windows": ONE.replace("\n", "\r\n"),
    "old mac": ONE.replace("\n", "\r"),
    "indented": "".join(f"   {line}\n" for line in ONE.splitlines()),
    "no space behind ER": ONE.replace("ER  - ", "ER  -"),
    "blank lines": ONE.replace("\n", "\n\n"),
    "T1, A1 and Y1": ONE.replace("TI", "T1")
    .replace("AU", "A1")
    .replace("PY  - 2015", "Y1  - 2015/05/28/Spring"),
    "continued": ONE.replace("Deep learning", "Deep\n      learning"),
    "unknown tags": ONE.replace("AU  -", "ZZ  - what is this\nQ9  - ?\nAU  -"),
    "utf-16": ONE.encode("utf-16"),
    "garbage before": "### exported by nobody\n" + ONE,
    "garbage on the line": "xx " + ONE,
    "doi as address": ONE.replace("10.1038", "https://doi.org/10.1038"),
    "doi in M3": ONE.replace("DO  -", "M3  -"),
    "doi in UR": ONE.replace("DO  - ", "UR  - https://doi.org/"),
}


@pytest.mark.parametrize("form", SAME)
def test_every_form_says_the_same(form):
    claimed = claims(SAME[form])
    assert (claimed.title, claimed.authors, claimed.year) == ("Deep learning", (Name("LeCun", "Yann"),), 2015)
    assert claimed.ids.first("doi") == "10.1038/nature14539"


@pytest.mark.parametrize("form", SAME)
def test_every_form_is_known_for_what_it_is(form):
    text = SAME[form]
    data = text if isinstance(text, bytes) else text.encode()
    assert detect_extractor(Document("x.txt", data)).name == "ris"


FIELDS = [
    ("TY  - JOUR\nTI  - A\nT2  - B\nJA  - C\nER  - ", "venue", "B"),
    ("TY  - JOUR\nTI  - A\nJO  - Full\nJA  - Ab.\nER  - ", "venue", "Full"),
    ("TY  - BOOK\nBT  - Whole\nAU  - X, Y\nER  - ", "title", "Whole"),
    ("TY  - CHAP\nTI  - Part\nBT  - Whole\nER  - ", "venue", "Whole"),
    ("TY  - JOUR\nTI  - A\nSP  - 100-10\nER  - ", "pages", "100-110"),
    ("TY  - JOUR\nTI  - A\nSP  - e1557\nER  - ", "pages", "e1557"),
    ("TY  - JOUR\nTI  - A\nC7  - 104743\nER  - ", "pages", "104743"),
    ("TY  - JOUR\nTI  - A\nDA  - 1998/03//\nER  - ", "year", 1998),
    (
        "TY  - JOUR\nTI  - A\nAU  - Smith, J.; Doe, A.\nER  - ",
        "authors",
        (Name("Smith", "J."), Name("Doe", "A.")),
    ),
    (
        "TY  - JOUR\nTI  - A\nAU  - King, Martin L., Jr.\nER  - ",
        "authors",
        (Name("King", "Martin L.", "Jr."),),
    ),
    ("TY  - JOUR\nTI  - A <i>b</i> &amp; c\nER  - ", "title", "A b & c"),
]


@pytest.mark.parametrize(("text", "field", "value"), FIELDS)
def test_fields(text, field, value):
    assert getattr(claims(text), field) == value


def test_what_citeproof_writes_it_reads_again():
    ids = (
        ("doi", "10.1038/nature14539"),
        ("issn", "0028-0836"),
        ("arxiv", "1706.03762"),
        ("pmid", "26017442"),
    )
    people = (Name("LeCun", "Yann"), Name("King", "Martin L.", "Jr."))
    fields = {"title": "Deep learning", "authors": people, "editors": (Name("Doe", "J."),)}
    fields |= {"year": 2015, "venue": "Nature", "volume": "521", "issue": "7553", "pages": "436-444"}
    written = Claimed(**fields, publisher="Springer", edition="2", series="S", ids=Ids(ids))
    [reference] = extract(build_ris_record("lecun2015", Kind.ARTICLE, written)).references
    read = replace(reference.claimed, origins=(), ids=Ids())
    assert (reference.key, reference.kind, read) == ("lecun2015", Kind.ARTICLE, replace(written, ids=Ids()))
    assert set(reference.claimed.ids.pairs) == set(ids)


def test_a_word_with_a_dash_is_no_tag():
    text = ONE.replace("Deep learning", "Deep learning\nis - as they say - deep")
    assert claims(text).title == "Deep learning is - as they say - deep"


def test_two_records_on_one_line_end():
    extraction = extract("TY  - JOUR\nTI  - Alpha\nER  - TY  - JOUR\nTI  - Beta\nER  - \n")
    assert [r.claimed.title for r in extraction.references] == ["Alpha", "Beta"]


def test_a_malformed_identifier_is_told():
    extraction = extract(ONE.replace("10.1038/nature14539", "nature14539"))
    assert extraction.references[0].suspicious == ("malformed_doi",)
    assert extraction.problems[0].hint == "check the doi"


def test_more_authors_than_fields_are_read_are_told():
    people = "".join(f"AU  - Author{n}, A.\n" for n in range(10_100))
    extraction = extract(ONE.replace("AU  - LeCun, Yann\n", people))
    assert len(extraction.references[0].claimed.authors) <= 5000
    assert any("fields" in problem.message for problem in extraction.problems)


def test_places_fit_the_bytes():
    data = ("\ufeff" + ONE + "\n" + ONE.replace("Deep", "Tiefes für")).encode()
    for reference in extract(data).references:
        cut = data[reference.place.start : reference.place.end].decode()
        assert cut.startswith("TY  - ")
        assert cut.endswith("ER  -")


@pytest.mark.parametrize(
    "text", ["TY  - " * 20_000, "TY  - JOUR\n" * 5000, "x\n" * 20_000, "ER  - \n" * 20_000]
)
def test_floods_of_nothing(text):
    extraction = extract(text)
    assert not extraction.references
    assert len(extraction.problems) <= 501


@pytest.mark.growth
def test_work_grows_with_the_file():
    assert grows_linearly(lambda size: extract(ONE * (size // len(ONE))))
    assert grows_linearly(lambda size: extract("TY  - JOUR\n" + "a continued line\n" * (size // 17)))


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("*.ris")))
def test_damage_is_survived(name):
    assert survives(EXTRACTOR, (FIXTURES / name).read_bytes())


def test_a_list_that_our_export_cut_is_read_as_cut():
    text = "TY  - JOUR\nAU  - He, K.\nTI  - A title\nN1  - the list of authors is cut (et al.)\nER  - \n"
    claimed = extract(text).references[0].claimed
    assert ([name.family for name in claimed.authors], claimed.et_al) == (["He"], True)
