"""PubMed's MEDLINE files."""

from pathlib import Path

import pytest

from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.nbib import EXTRACTOR
from citeproof.vocabulary import Document, Kind, Name
from tests.growth import grows_linearly
from tests.reading.extractors.damage import survives

FIXTURE = Path(__file__).parents[2] / "fixtures" / "nbib" / "pubmed.nbib"


def extract(text):
    data = text if isinstance(text, bytes) else text.encode()
    return EXTRACTOR.extract(Document("x.nbib", data))


def test_an_export_of_pubmed():
    extraction = extract(FIXTURE.read_bytes())
    assert (extraction.expected, extraction.problems) == (3, ())
    first, second, third = extraction.references
    assert (first.key, first.kind, first.place.line, first.place.end_line) == (
        "26017442",
        Kind.ARTICLE,
        1,
        35,
    )
    claimed = first.claimed
    assert (claimed.title, claimed.year, claimed.venue) == ("Deep learning", 2015, "Nature")
    assert (claimed.volume, claimed.issue, claimed.pages) == ("521", "7553", "436-444")
    assert [name.display for name in claimed.authors] == ["Yann LeCun", "Yoshua Bengio", "Geoffrey Hinton"]
    assert claimed.ids.pairs[:2] == (("pmid", "26017442"), ("doi", "10.1038/nature14539"))
    assert second.claimed.title.endswith("deoxyribose nucleic acid")
    assert third.claimed.authors == (Name("RECOVERY Collaborative Group", collective=True),)
    assert third.claimed.ids.first("pmcid") == "PMC7383595"


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_do_not_matter(ends):
    text = FIXTURE.read_text("utf-8").replace("\n", ends)
    assert [r.key for r in extract(text).references] == ["26017442", "13054692", "32678530"]
    assert detect_extractor(Document("x.txt", text.encode())).name == "nbib"


FIELDS = [
    ("TI  - [Zur Elektrodynamik bewegter Korper].", "title", "Zur Elektrodynamik bewegter Korper"),
    ("TI  - A title\nDP  - 1969 Dec-1970 Jan", "year", 1969),
    ("TI  - A title\nLID - e7653 [pii]", "pages", "e7653"),
    ("TI  - A title\nLID - S0140-6736(20)30183-5 [pii]", "pages", None),
    ("TI  - A title\nAU  - Huang C\nAU  - Wang Y", "authors", (Name("Huang", "C."), Name("Wang", "Y."))),
    ("BTI - A book\nPB  - University of Washington", "publisher", "University of Washington"),
    ("TI  - A chapter\nBTI - A book", "venue", "A book"),
]


@pytest.mark.parametrize(("text", "field", "value"), FIELDS)
def test_fields(text, field, value):
    [reference] = extract(f"PMID- 1234567\n{text}\n").references
    assert getattr(reference.claimed, field) == value


KINDS = [
    ("TI  - A\nPT  - Journal Article\nPT  - Preprint", Kind.PREPRINT),
    ("TI  - A\nPT  - Journal Article\nPT  - Review", Kind.ARTICLE),
    ("TI  - A\nPT  - Dataset", Kind.DATASET),
    ("TI  - A\nBTI - B", Kind.CHAPTER),
    ("BTI - B", Kind.BOOK),
    ("TI  - A\nJT  - Nature", Kind.ARTICLE),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_kinds(text, kind):
    [reference] = extract(f"PMID- 1234567\n{text}\n").references
    assert reference.kind is kind


def test_records_without_a_blank_line_between_them():
    extraction = extract("PMID- 1\nTI  - Alpha\nPMID- 2\nTI  - Beta\n")
    assert [(r.key, r.claimed.title) for r in extraction.references] == [("1", "Alpha"), ("2", "Beta")]


def test_a_record_without_pmid_is_read_and_one_without_anything_told():
    extraction = extract(
        "TI  - Alpha\nAU  - Huang C\nDP  - 2020\nJT  - Lancet\n\nOWN - NLM\n\nhello\n\nPMID- 7\nTI  - B\n"
    )
    assert [r.key for r in extraction.references] == ["ref-1", "7"]
    assert extraction.expected == 3
    assert [problem.note for problem in extraction.problems] == [False, True]


@pytest.mark.growth
def test_work_grows_with_the_file():
    one = FIXTURE.read_text("utf-8") + "\n"
    assert grows_linearly(lambda size: extract(one * (size // len(one))))
    assert grows_linearly(lambda size: extract("PMID- 1\nTI  - x\n" + "      more\n" * (size // 11)))


@pytest.mark.soak
def test_damage_is_survived():
    assert survives(EXTRACTOR, FIXTURE.read_bytes())
