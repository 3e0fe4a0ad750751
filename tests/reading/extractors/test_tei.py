"""TEI, as GROBID writes it and as editions have it."""

from pathlib import Path

import pytest

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.tei import EXTRACTOR
from citeproof.vocabulary import Document, Kind, Name, Origin
from tests.reading.extractors.damage import survives
from tests.reading.extractors.documents import real
from tests.soak import FULL

FIXTURES = Path(__file__).parents[2] / "fixtures" / "tei"


def extract(data, name="a.xml"):
    return EXTRACTOR.extract(Document(name, data if isinstance(data, bytes) else data.encode()))


@pytest.fixture(scope="module")
def grobid():
    return extract((FIXTURES / "grobid.tei.xml").read_bytes())


def test_what_grobid_read(grobid):
    first, second, third, book = grobid.references
    claimed = first.claimed
    assert (first.key, first.kind, claimed.title, claimed.year) == ("b0", Kind.ARTICLE, "Deep learning", 2015)
    assert (claimed.venue, claimed.volume, claimed.issue, claimed.pages) == (
        "Nature",
        "521",
        "7553",
        "436-444",
    )
    assert [name.family for name in claimed.authors] == ["Lecun", "Bengio", "Hinton"]
    assert claimed.ids.pairs == (("doi", "10.1038/nature14539"),)
    assert first.text.startswith("Yann LeCun, Yoshua Bengio, and Geoffrey Hinton. 2015.")
    assert {(o.origin, o.confidence) for o in claimed.origins} == {(Origin.MODEL, 0.85)}
    assert second.claimed.authors[1] == Name("Crick", "F H C")
    assert (book.kind, book.claimed.title) == (Kind.BOOK, "The Art of Computer Programming")
    assert third.key == "b2"


def test_names_that_grobid_shifted_are_left_to_the_parser(grobid):
    shifted = grobid.references[2]
    assert shifted.claimed is None
    assert shifted.text.startswith("Diederik P. Kingma and Jimmy Ba.")


def test_counts_and_problems(grobid):
    assert grobid.expected == 5
    [problem] = grobid.problems
    assert (problem.place.line, problem.message) == (52, "reference 'b4' is empty")


def test_pages_and_boxes(grobid):
    first, second = grobid.references[:2]
    assert (first.place.page, first.place.box) == (8, (317.96, 97.22, 558.21, 112.16))
    assert (second.place.page, second.place.line) == (8, 32)
    assert grobid.references[3].place.page is None


def test_a_converted_pdf_has_pages_but_no_lines():
    extraction = extract((FIXTURES / "grobid.tei.xml").read_bytes(), name="paper.pdf")
    assert (extraction.references[0].place.page, extraction.references[0].place.line) == (8, None)


@pytest.mark.parametrize("coords", ["", "x", "1,2", "1,nan,0,1,1", "0,1,1,1,1", "9" * 50 + ",1,1,1,1", ";;;"])
def test_odd_coordinates_are_no_error(coords):
    text = (FIXTURES / "grobid.tei.xml").read_text("utf-8").replace("8,317.96,120.00,240.25,6.97", coords)
    place = extract(text).references[1].place
    assert place.page is None or place.box is not None


CITING = [
    ("b0", ("Networks learn well [1][3].",)),
    ("b1", ("DNA is a helix (Watson and Crick, 1953), as e.g. Fig. 2 shows.",)),
    ("b3", ()),
]


@pytest.mark.parametrize(("key", "sentences"), CITING)
def test_citing_sentences(grobid, key, sentences):
    [reference] = [one for one in grobid.references if one.key == key]
    assert reference.citing == sentences


def test_an_edition():
    extraction = extract((FIXTURES / "edition.xml").read_bytes())
    tagged, text = extraction.references
    claimed = tagged.claimed
    assert (tagged.key, claimed.title, claimed.venue) == (
        "turing",
        "Computing machinery and intelligence",
        "Mind",
    )
    assert (claimed.authors, claimed.year, claimed.pages) == ((Name("Turing", "Alan M."),), 1950, "433-460")
    assert {origin.origin for origin in claimed.origins} == {Origin.STRUCTURED}
    assert (text.key, text.claimed) == ("ref-2", None)
    assert text.text.startswith("Wiener, Norbert. Cybernetics: or control")


@pytest.mark.parametrize("name", ["grobid.tei.xml", "edition.xml"])
def test_it_is_known_for_what_it_is(name):
    assert detect_extractor(Document("x.xml", (FIXTURES / name).read_bytes())).name == "tei"


def test_entities_are_refused():
    with pytest.raises(InputError, match="entities"):
        extract('<!DOCTYPE TEI [<!ENTITY a "b">]><TEI/>')


@pytest.mark.soak
@pytest.mark.parametrize("name", ["grobid.tei.xml", "edition.xml"])
def test_damage_is_survived(name):
    assert survives(EXTRACTOR, (FIXTURES / name).read_bytes()) > (10 if FULL else 1)


@pytest.mark.data
def test_real_output_of_grobid():
    found = {Path(one.name).name: EXTRACTOR.extract(one) for one in real("doc2json_pdf_jats_tex", ".tei.xml")}
    counts = {name: (extraction.expected, len(extraction.references)) for name, extraction in found.items()}
    assert counts == {"2020.acl-main.207.tei.xml": (57, 57), "N18-3011.tei.xml": (27, 27)}
    for extraction in found.values():
        assert not extraction.problems
        for reference in extraction.references:
            assert reference.text
            # no list of authors that GROBID shifted is taken for the document's own
            assert reference.claimed is None or "K Anant" not in [
                n.display for n in reference.claimed.authors
            ]
