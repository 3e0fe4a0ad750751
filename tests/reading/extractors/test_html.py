"""Web pages: made by pandoc and LibreOffice, written after the markup of known sites, and in small."""

from pathlib import Path

import pytest

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.html import EXTRACTOR
from citeproof.reading.extractors.html.html_page import MAX_DEPTH, MAX_FORMATTING
from citeproof.vocabulary import Document, Kind
from tests.growth import grows_linearly
from tests.reading.extractors.damage import survives
from tests.soak import choose_cases

FIXTURES = Path(__file__).parent.parent.parent / "fixtures/html"
LECUN = "LeCun, Y., Bengio, Y., Hinton, G. (2015). Deep learning. Nature 521, 436-444."
KNUTH = "Knuth, D. E. (1997). The art of computer programming. Addison-Wesley."


def read(page, name="page.html"):
    data = page if isinstance(page, bytes) else page.encode()
    return EXTRACTOR.extract(Document(name, data))


def fixture(name):
    return (FIXTURES / f"{name}.html").read_bytes()


PAGES = {
    "author_date": [
        "ref-hochreiter1997", "ref-kahneman1979", "ref-knuth1997", "ref-lecun2015", "ref-vaswani2017",
        "ref-watson1953",
    ],
    "numbers": [
        "ref-lecun2015", "ref-hochreiter1997", "ref-vaswani2017", "ref-kahneman1979", "ref-knuth1997",
        "ref-watson1953",
    ],
    "from_writer": [
        "ref-lecun2015", "ref-hochreiter1997", "ref-vaswani2017", "ref-kahneman1979", "ref-knuth1997",
        "ref-watson1953",
    ],
    "by_hand": ["1", "2", "3"],
    "notes": ["^1", "^2"],
    "pages/wikipedia": ["cite_note-LeCun-1", "cite_note-2", "CITEREFKnuth1997"],
    "pages/pmc": ["B1", "B2", "B3", "B4"],
    "pages/latexml": ["bib.bib1", "bib.bib2"],
    "pages/springer": ["ref-CR1", "ref-CR2", "ref-CR3"],
    "pages/elsevier": ["bib1", "bib2"],
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_every_entry_of_a_page_comes_out_with_its_id_its_line_and_who_cites_it(name):
    data = fixture(name)
    extraction = read(data)
    assert [one.key for one in extraction.references] == PAGES[name]
    assert extraction.expected == len(PAGES[name])
    assert all(problem.note for problem in extraction.problems)
    lines = data.decode().splitlines()
    for one in extraction.references:
        assert one.citing
        assert one.key in lines[one.place.line - 1] or one.text[:10] in lines[one.place.line - 1]
        assert (one.place.start, one.place.end) == (None, None)  # the parser tells no ends


TEXTS = [  # page, which entry, how it begins, how it ends
    (
        "pages/pmc",
        0,
        "LeCun Y, Bengio Y, ",
        "doi: 10.1038/nature14539. https://pubmed.ncbi.nlm.nih.gov/26017442/",
    ),
    ("pages/pmc", 2, "Hochreiter S, Schmidhuber J. Long ", "Neural Comput. 1997;9(8):1735–1780."),
    (
        "pages/springer",
        0,
        "LeCun, Y., Bengio, Y. & ",
        "436–444 (2015). https://doi.org/10.1038%2Fnature14539",
    ),
    ("pages/latexml", 0, "Yann LeCun, Yoshua Bengio", "Deep learning. Nature, 521(7553):436–444, 2015."),
    (
        "pages/elsevier",
        1,
        "S. Hochreiter, J. ",
        "(1997) 1735–1780 https://doi.org/10.1162/neco.1997.9.8.1735",
    ),
    (
        "pages/wikipedia",
        1,
        "Hochreiter, Sepp; ",
        '"Long short-term memory". Neural Computation. 9 (8): 1735–1780.',
    ),
]


@pytest.mark.parametrize(("name", "index", "begins", "ends"), TEXTS)
def test_entries_lose_back_links_and_the_names_of_links(name, index, begins, ends):
    text = read(fixture(name)).references[index].text
    assert text.startswith(begins)
    assert text.endswith(ends)


CITING = [
    ("pages/wikipedia", 0, ("Learning machines build features in layers.[1]",
                            "They once read sequences with recurrent cells.[2][1]")),
    ("pages/wikipedia", 2, ("Their algorithms are described in textbooks.[3]",)),  # by "Knuth 1997, pp. 1–9."
    ("pages/pmc", 2, ("The helix was described on one page, and recurrent cells followed [2–4].",)),
    ("pages/springer", 1, ("Networks of many layers learn features by themselves[1,2].",)),
    ("pages/springer", 2, ("Attention replaced recurrence.[3]",)),
    ("pages/latexml", 1, ("Attention replaced recurrence (Vaswani et al., 2017).",)),
    ("notes", 1, ("Losses loom larger than gains.[^2]",)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "index", "sentences"), CITING)
def test_links_give_the_sentences(name, index, sentences):
    assert read(fixture(name)).references[index].citing == sentences


def test_coins_in_an_entry_give_its_fields():
    one = read(fixture("pages/wikipedia")).references[0]
    assert (one.kind, one.claimed.title, one.claimed.venue) == (Kind.ARTICLE, "Deep learning", "Nature")
    assert [author.family for author in one.claimed.authors] == ["LeCun", "Bengio", "Hinton"]
    assert (one.claimed.volume, one.claimed.issue, one.claimed.pages) == ("521", "7553", "436-444")
    assert one.claimed.ids.first("doi") == "10.1038/nature14539"


def test_metadata_of_the_page_gives_fields_to_the_entry_it_means():
    first, second, third = read(fixture("pages/springer")).references
    assert [author.display for author in first.claimed.authors] == ["Y LeCun", "Y Bengio", "G Hinton"]
    assert second.claimed.publisher == "Addison-Wesley"
    assert third.claimed is None  # its tag holds running text
    assert read(fixture("pages/elsevier")).references[0].claimed.ids.first("doi") == "10.2307/1914185"


TWO = "Kahneman, D., & Tversky, A. (1979). Prospect theory. Econometrica, 47(2), 263–291."
LI = f"<li>{LECUN}</li><li>{KNUTH}</li>"
HEAD = "<h2>References</h2>"
SHAPES = {
    "heading and list": f"<h2>References</h2><ol>{LI}</ol><p>Said in 2001.</p>",
    "wrapped heading": f"<div><h3><span>5. Bibliography</span></h3></div><div><ul>{LI}</ul></div>",
    "bold heading": f"<p><b>Literatur</b></p><p>{LECUN}</p><p>{KNUTH}</p>",
    "paragraphs": f"<h2>References</h2><p>{LECUN}</p><p>{KNUTH}</p><h2>About</h2><p>Since 1990.</p>",
    "one paragraph with breaks": f"<h2>References</h2><p>[1] {LECUN}<br>[2] {KNUTH}</p>",
    "role": f'<section role="doc-bibliography"><h2>Sources we used</h2><ol>{LI}</ol></section>',
    "role of entries": "".join(
        f'<div role="doc-biblioentry" id="b{n}">{t}</div>' for n, t in enumerate((LECUN, KNUTH))
    ),
    "class": f'<div class="ref-list"><p class="title">What we read</p><ul>{LI}</ul></div>',
    "entries of CSL": f'<div id="r"><p class="csl-entry">{LECUN}</p><p class="csl-entry">{KNUTH}</p></div>',
    "definition list": f"{HEAD}<dl><dt>[1]</dt><dd>{LECUN}</dd><dt>[2]</dt><dd>{KNUTH}</dd></dl>",
    "table": f"{HEAD}<table><tr><td>1.</td><td>{LECUN}</td></tr><tr><td>2.</td><td>{KNUTH}</td></tr></table>",
    "nested list items": f"{HEAD}<ul><li>Books<ul><li>{KNUTH}</li></ul></li><li>{LECUN}</li></ul>",
    "no heading": f"<p>Two books:</p><ul>{LI}</ul>",
    "publications": f"<h2>Peer-reviewed publications</h2><p>{LECUN}</p><p>{KNUTH}</p><h2>Talks</h2><p>x</p>",
    "two names in one heading": f"<h2>Sources and Bibliography</h2><p>{LECUN}</p><p>{KNUTH}</p>",
    "a break in an entry": f"{HEAD}<p>{LECUN.replace(' Deep', '<br>Deep')}</p><p>{KNUTH}</p>",
    "hidden": f'{HEAD}<ol>{LI}</ol><div style="display: none">{HEAD}<p>Roe, J. (1990). X.</p></div>',
    "scripts": f"{HEAD}<script>document.write('<li>Roe, J. (1990). X. Y.</li>')</script><ol>{LI}</ol>",
    "unclosed": f"<h2>References<ol><li>{LECUN}<li>{KNUTH}</ol><p>x",
    "capitals": f"<H2>References</H2><OL>{LI}</OL>",
}


@pytest.mark.parametrize("name", SHAPES)
def test_lists_in_every_shape(name):
    extraction = read(f"<!DOCTYPE html><html><body><p>Text.</p>{SHAPES[name]}</body></html>")
    texts = [one.text for one in extraction.references]
    assert sorted(texts) == [KNUTH, LECUN]


def test_paragraphs_without_a_heading_are_a_list_with_their_lines():
    source = f"<p>Text of 1990.</p>\n<p>{LECUN}</p>\n<p>{TWO.replace('&', '&amp;')}</p>\n<p>{KNUTH}</p>"
    extraction = read(f"<!DOCTYPE html><html><body>{source}</body></html>")
    assert [(one.text, one.place.line) for one in extraction.references] == [(LECUN, 2), (TWO, 3), (KNUTH, 4)]
    assert [(one.note, "no heading" in one.message) for one in extraction.problems] == [(True, True)]


META = {
    "highwire": '<meta name="citation_reference" content="citation_title=Deep learning; '
    "citation_author=LeCun, Y.; citation_author=Bengio, Y.; citation_publication_date=2015; "
    'citation_journal_title=Nature">',
    "json-ld": '<script type="application/ld+json">{"@graph":[{"citation":{"name":"Deep learning",'
    '"datePublished":"2015-05-27","author":[{"name":"Yann LeCun"},"Yoshua Bengio"],'
    '"isPartOf":{"name":"Nature"}}}]}</script>',
    "coins": '<p>We read <span class="Z3988" title="rft.atitle=Deep+learning'
    "&amp;rft.jtitle=Nature&amp;rft.date=2015&amp;"
    'rft.au=LeCun%2C+Y&amp;rft.au=Bengio%2C+Y"></span> it.</p>',
    "empty coins": '<span class="Z3988" title="rft.atitle=Deep+learning'
    "&amp;rft.jtitle=Nature&amp;rft.date=2015&amp;"
    'rft.aulast=LeCun&amp;rft.aufirst=Y&amp;rft.au=LeCun%2C+Y&amp;rft.au=Bengio%2C+Y"></span>',
}


@pytest.mark.parametrize("name", META)
def test_metadata_alone_is_enough(name):
    extraction = read(f"<html><head>{META[name]}</head><body>{META[name]}</body></html>")
    [one] = {one.claimed.title: one for one in extraction.references}.values()
    assert (one.claimed.title, one.claimed.year, one.claimed.venue) == ("Deep learning", 2015, "Nature")
    assert [author.family for author in one.claimed.authors] == ["LeCun", "Bengio"]


def test_metadata_in_words_is_read_as_text():
    page = f'<html><head><meta name="citation_reference" content="{LECUN}"></head></html>'
    assert [(one.text, one.claimed) for one in read(page).references] == [(LECUN, None)]


def test_the_declared_encoding_is_used():
    page = (
        '<html><head><meta charset="windows-1251"></head><h2>References</h2><p>Иванов И. (1999). Книга.</p>'
    )
    [one] = read(page.encode("cp1251")).references
    assert one.text == "Иванов И. (1999). Книга."
    [wrong] = read(page.replace("windows-1251", "no-such-thing").encode()).references
    assert wrong.text == "Иванов И. (1999). Книга."


DETECTED = [
    (b"<!DOCTYPE html><html><p>x</p></html>", "html"),
    (b'<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>', "html"),
    (b"<!-- saved -->\n<HTML><BODY>x</BODY></HTML>", "html"),
    (b"<h2>References</h2><ul><li>a</li><li>b</li></ul>", "html"),
    (b"# Title\n\n<div>x</div> <p>y</p>\n\n## References\n\n- Knuth (1997). X.", "markdown"),
    (b"@book{k, title = {<i>x</i>}}", "bibtex"),
]


@pytest.mark.parametrize(("data", "name"), DETECTED)
def test_content_says_what_is_html(data, name):
    assert detect_extractor(Document("x", data)).name == name


TOO_DEEP = {
    "blocks": "<div>" * (MAX_DEPTH + 1),
    "lists": "<ul><li>" * (MAX_DEPTH + 1),
    "formatting": "".join(f"<b a={n}>" for n in range(MAX_FORMATTING + 1)),
}


@pytest.mark.parametrize("name", TOO_DEEP)
def test_what_is_nested_too_deeply_is_refused(name):
    with pytest.raises(InputError, match="nested too deeply") as raised:
        read(TOO_DEEP[name])
    assert raised.value.hint


def test_less_than_signs_in_scripts_nest_nothing():
    script = "<script>for(;a<b;)if(c<i)x='<div>';</script>"
    assert len(read(script * 5_000 + f"<h2>References</h2><ul>{LI}</ul>").references) == 2


@pytest.mark.growth
@pytest.mark.parametrize(
    "page",
    choose_cases(
        [
            "<p>",
            "<li>",
            "<sup>1</sup>",
            "<a href='#x'>1</a>",
            "<div class=references>",
            "<ol><li>x</ol>",
            "<td>1",
            "<!--",
            "<",
        ],
        5,
    ),
)
def test_work_grows_with_the_page(page):
    assert grows_linearly(
        lambda size: read(f"<h2>References</h2>{page * min(size // 20, 4_000)}"), 20_000, 80_000
    )


@pytest.mark.soak
@pytest.mark.parametrize("name", PAGES)
def test_damaged_pages_are_read_or_refused(name):
    survives(EXTRACTOR, fixture(name), 60)
