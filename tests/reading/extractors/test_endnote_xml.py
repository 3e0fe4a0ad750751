"""EndNote's XML export."""

from pathlib import Path

import pytest

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.endnote_xml import EXTRACTOR
from citeproof.vocabulary import Document, Kind, Name
from tests.reading.extractors.damage import survives
from tests.soak import FULL

FIXTURE = Path(__file__).parents[2] / "fixtures" / "endnote_xml" / "library.xml"


def extract(text):
    return EXTRACTOR.extract(Document("x.xml", text if isinstance(text, bytes) else text.encode()))


def test_a_library():
    extraction = extract(FIXTURE.read_bytes())
    assert detect_extractor(Document("x", FIXTURE.read_bytes())).name == "endnote_xml"
    article, chapter, book = extraction.references
    claimed = article.claimed
    assert (article.key, article.kind, claimed.title) == ("12", Kind.ARTICLE, "Deep learning")
    assert (claimed.venue, claimed.volume, claimed.issue, claimed.pages) == (
        "Nature",
        "521",
        "7553",
        "436-444",
    )
    assert claimed.authors[0] == Name("LeCun", "Yann")
    assert claimed.ids.pairs == (
        ("doi", "10.1038/nature14539"), ("issn", "1476-4687"), ("issn", "0028-0836"), ("pmid", "26017442"),
    )  # fmt: skip
    assert article.text.startswith("LeCun, Yann; Bengio, Yoshua; Hinton, Geoffrey. Deep learning. Nature")
    assert (chapter.kind, chapter.claimed.editors[1]) == (Kind.CHAPTER, Name("McClelland", "James L."))
    assert (book.kind, book.claimed.edition) == (Kind.BOOK, "2nd")
    assert book.claimed.authors == (Name("World Health Organization", collective=True),)


def test_counts_and_problems():
    extraction = extract(FIXTURE.read_bytes())
    assert (extraction.expected, len(extraction.references)) == (4, 3)
    [problem] = extraction.problems
    assert (problem.place.line, problem.message) == (4, "record '15' has no title, authors or identifier")


WRITERS = {
    "authors without their group": (
        "<records><record><ref-type name='Journal Article'>17</ref-type><titles><title>Mind</title></titles>"
        "<contributors><author>Turing, A. M.</author></contributors></record></records>"
    ),
    "flat": (
        "<xml><record><ref-type>17</ref-type><title>Mind</title>"
        "<authors><author>Turing, A. M.</author></authors></record></xml>"
    ),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_other_writers(writer):
    [reference] = extract(WRITERS[writer]).references
    assert (reference.claimed.title, reference.claimed.authors) == ("Mind", (Name("Turing", "A. M."),))
    assert reference.kind is Kind.ARTICLE


@pytest.mark.parametrize("text", ["<xml/>", "<records></records>"])
def test_an_empty_library(text):
    assert extract(text).references == ()


def test_entities_are_refused():
    with pytest.raises(InputError, match="entities"):
        extract('<!DOCTYPE xml [<!ENTITY a "b">]><xml/>')


@pytest.mark.soak
def test_damage_is_survived():
    assert survives(EXTRACTOR, FIXTURE.read_bytes()) > (10 if FULL else 1)
