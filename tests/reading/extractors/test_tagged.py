"""EndNote's and Web of Science's exports with one tag a line."""

import pytest

from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.tagged import TaggedExtractor
from citeproof.vocabulary import Document, Kind, Name
from tests.reading.extractors.damage import survives

ENDNOTE = """%0 Journal Article
%A LeCun, Yann
%A Bengio, Yoshua
%A Hinton, Geoffrey
%D 2015
%T Deep learning
%J Nature
%V 521
%N 7553
%P 436-444
%@ 1476-4687
%R 10.1038/nature14539
%U https://doi.org/10.1038/nature14539
%F lecun2015

%0 Book Section
%A Rumelhart, David E.
%E McClelland, James L.
%D 1986
%T Learning internal representations by error propagation
%B Parallel distributed processing
%I MIT Press
%P 318-362
"""
WOS = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU LeCun, Y
   Bengio, Y
   Hinton, G
AF LeCun, Yann
   Bengio, Yoshua
   Hinton, Geoffrey
TI Deep
   learning
SO NATURE
SN 0028-0836
EI 1476-4687
PD MAY 28
PY 2015
VL 521
IS 7553
BP 436
EP 444
DI 10.1038/nature14539
UT WOS:000355286600030
PM 26017442
ER

PT J
CA ATLAS Collaboration
TI Observation of a new particle in the search for the Standard Model Higgs
   boson with the ATLAS detector at the LHC
SO PHYSICS LETTERS B
PY 2012
VL 716
IS 1
BP 1
EP 29
DI 10.1016/j.physletb.2012.08.020
ER

EF
"""


def extract(text):
    return TaggedExtractor().extract(Document("x", text.encode()))


@pytest.mark.parametrize("text", [ENDNOTE, WOS, WOS.replace("\n", "\r\n"), "\ufeff" + WOS])
def test_the_first_record_says_the_same_in_both(text):
    assert detect_extractor(Document("x.txt", text.encode())).name == "tagged"
    extraction = extract(text)
    assert (extraction.expected, len(extraction.references), extraction.problems) == (2, 2, ())
    claimed = extraction.references[0].claimed
    assert (claimed.title, claimed.year, claimed.venue.title()) == ("Deep learning", 2015, "Nature")
    assert (claimed.volume, claimed.issue, claimed.pages) == ("521", "7553", "436-444")
    assert [name.display for name in claimed.authors] == ["Yann LeCun", "Yoshua Bengio", "Geoffrey Hinton"]
    assert claimed.ids.first("doi") == "10.1038/nature14539"


def test_what_only_one_of_them_has():
    first, chapter = extract(ENDNOTE).references
    assert (first.key, chapter.kind, chapter.claimed.venue) == (
        "lecun2015", Kind.CHAPTER, "Parallel distributed processing",
    )  # fmt: skip
    assert chapter.claimed.editors == (Name("McClelland", "James L."),)
    first, second = extract(WOS).references
    assert (first.key, first.claimed.ids.first("pmid")) == ("WOS:000355286600030", "26017442")
    assert second.claimed.authors == (Name("ATLAS Collaboration", collective=True),)


@pytest.mark.parametrize(
    "text", ["%", "100 % of them\n%A few say\n", "PT J\n", "% a LaTeX comment\n\\cite{x}\n"]
)
def test_other_text_is_not_taken_for_it(text):
    assert detect_extractor(Document("x.txt", text.encode())).name != "tagged"


@pytest.mark.soak
@pytest.mark.parametrize("text", [ENDNOTE, WOS])
def test_damage_is_survived(text):
    assert survives(TaggedExtractor(), text.encode())
