"""OpenDocument texts, made by pandoc and LibreOffice (tests/fixtures/make_office.py) and in memory."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.odt import EXTRACTOR
from citeproof.vocabulary import Document, Kind
from tests.reading.extractors.damage import damaged, has_references, survives
from tests.reading.extractors.lists import PRINTED, converted, must_be_text
from tests.reading.extractors.test_docx import BIBLIOGRAPHY, KNUTH, LECUN, TITLES, YEARS, work, zotero
from tests.reading.extractors.zips import members, zipped

FIXTURES = Path(__file__).parent.parent.parent / "fixtures/odt"
SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "style", "table")
)
STYLES = """<office:automatic-styles>
<style:style style:name="T1" style:family="text">
<style:text-properties style:text-position="super 58%"/></style:style>
<style:style style:name="B1" style:family="text">
<style:text-properties fo:font-weight="bold" xmlns:fo="f"/></style:style>
<style:style style:name="H1" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Bibliography_20_1"/>
<text:list-style style:name="L1">
<text:list-level-style-number text:level="1" style:num-format="1" text:start-value="3"/>
</text:list-style></office:automatic-styles>"""
HEADING = '<text:h text:outline-level="1">References</text:h>'


def odt(body, **parts):
    text = f"<office:body><office:text>{body}</office:text></office:body>"
    content = f"<office:document-content {SPACES}>{STYLES}{text}"
    named = {f"{name}.xml": data for name, data in parts.items()}
    mime = "application/vnd.oasis.opendocument.text"
    return zipped({"mimetype": mime, "content.xml": content + "</office:document-content>", **named})


def para(text, style=""):
    return (
        f"<text:p text:style-name={quoteattr(style)}>{text}</text:p>" if style else f"<text:p>{text}</text:p>"
    )


def read(data):
    return EXTRACTOR.extract(Document("paper.odt", data))


def fixture(name):
    return (FIXTURES / f"{name}.odt").read_bytes()


@pytest.mark.parametrize("name", ["zotero", "zotero_from_word", "writer_marks"])
def test_works_come_from_the_marks_of_each_program(name):
    extraction = read(fixture(name))
    found = extraction.references
    assert tuple(one.claimed.title for one in found) == TITLES
    assert tuple(one.claimed.year for one in found) == YEARS
    assert (extraction.expected, extraction.problems) == (6, ())
    assert [author.family for author in found[0].claimed.authors] == ["LeCun", "Bengio", "Hinton"]
    assert found[0].claimed.ids.first("doi") == "10.1038/nature14539"
    assert found[4].kind is Kind.BOOK
    assert found[0].text.startswith("LeCun, Y., Bengio, Y., Hinton, G. (2015). Deep learning.")
    assert [sentence.split()[0] for sentence in found[0].citing] == ["Networks", "Sequences"]


@pytest.mark.parametrize(("name", "keys", "begins"), [*PRINTED, converted("from_word")])
def test_lists_without_marks_are_read_as_text(name, keys, begins):
    must_be_text(read(fixture(name)), keys, begins)


def test_fixtures_are_recognised_whatever_they_are_called():
    for path in FIXTURES.glob("*.odt"):
        assert detect_extractor(Document("x.bin", path.read_bytes())).name == "odt"


ITEM = "<text:list-item>" + para("{}") + "</text:list-item>"
BODIES = {
    "under a heading": (HEADING + para(LECUN) + para(KNUTH), [LECUN, KNUTH]),
    "under a bold line": (
        para('<text:span text:style-name="B1">Literatur</text:span>') + para(LECUN) + para(KNUTH),
        [LECUN, KNUTH],
    ),
    "until the next heading": (
        HEADING + para(LECUN) + HEADING.replace("References", "End") + para("1990."),
        [LECUN],
    ),
    "by style": (para("Of 1990.") + para(LECUN, "P1") + para(KNUTH, "P1"), [LECUN, KNUTH]),
    "the bibliography of LibreOffice": (
        "<text:bibliography><text:bibliography-source><text:p>Smith, J. (1990). Template.</text:p>"
        f"</text:bibliography-source><text:index-body><text:index-title>"
        f"{para('Bibliography')}</text:index-title>{para(LECUN)}</text:index-body></text:bibliography>"
        + para("Said in 2001 by all."),
        [LECUN],
    ),
    "a section of Zotero": (
        f'<text:section text:name="{BIBLIOGRAPHY} RND1">{para(LECUN)}</text:section>',
        [LECUN],
    ),
    "a section of pandoc": (f'<text:section text:name="refs">{para(LECUN)}</text:section>', [LECUN]),
    "a section of JabRef": (
        f'<text:section text:name="JR_bib">{HEADING}{para(LECUN)}</text:section>',
        [LECUN],
    ),
    "contents are no list": (
        f"<text:table-of-content>{para('References')}{para(KNUTH)}</text:table-of-content>"
        + HEADING
        + para(LECUN),
        [LECUN],
    ),
    "deleted text": (
        f"<text:tracked-changes>{para(KNUTH)}</text:tracked-changes>" + HEADING + para(LECUN),
        [LECUN],
    ),
    "hidden text and comments": (
        HEADING
        + para(
            f'<text:span text:style-name="H1">x</text:span><office:annotation>{para("c")}</office:annotation>'
            f"{LECUN}"
        ),
        [LECUN],
    ),
    "a table": (
        HEADING
        + "<table:table>"
        + "".join(
            f"<table:table-row><table:table-cell>{para(str(n))}</table:table-cell>"
            f"<table:table-cell>{para(text)}</table:table-cell></table:table-row>"
            for n, text in ((1, LECUN), (2, KNUTH))
        )
        + "</table:table>",
        [LECUN, KNUTH],
    ),
    "spaces and tabs": (
        HEADING + para(LECUN.replace(" ", "<text:s/>", 1).replace(" ", "<text:tab/>", 1)),
        [LECUN],
    ),
    "line breaks": (HEADING + para(f"[1] {LECUN}<text:line-break/>[2] {KNUTH}"), [LECUN, KNUTH]),
}


@pytest.mark.parametrize("name", BODIES)
def test_where_a_list_begins_and_ends(name):
    body, texts = BODIES[name]
    extraction = read(odt(body))
    assert [one.text for one in extraction.references] == texts
    assert extraction.expected == len(texts)


def test_lists_count_from_where_they_start_and_go_on():
    first = f'<text:list text:style-name="L1">{ITEM.format(LECUN)}</text:list>'
    second = (
        f'<text:list text:style-name="L1" text:continue-numbering="true">{ITEM.format(KNUTH)}</text:list>'
    )
    raised = para('Said there<text:span text:style-name="T1">3,4</text:span>.')
    found = read(odt(raised + HEADING + first + second)).references
    assert [(one.key, one.text) for one in found] == [("3", LECUN), ("4", KNUTH)]
    assert [one.citing for one in found] == [("Said there[3,4].",)] * 2


def mark(code, shown):
    name = quoteattr(code)
    return f"<text:reference-mark-start text:name={name}/>{shown}<text:reference-mark-end text:name={name}/>"


def test_a_mark_in_a_note_is_cited_where_the_note_hangs():
    code = zotero(work()).replace("&amp;", "&").removeprefix("ADDIN ") + " RND8aB"
    note = f"<text:note><text:note-citation>7</text:note-citation><text:note-body>{para(mark(code, 'LeCun'))}"
    body = para(f"Layers learn.{note}</text:note-body></text:note> Others do not.")
    [reference] = read(odt(body)).references
    assert reference.citing == ("Layers learn.[^1]",)
    assert reference.claimed.title == "Deep learning"


def test_a_broken_mark_is_a_problem_and_the_rest_lives():
    broken = mark('ZOTERO_ITEM CSL_CITATION {"citationItems":[{ RND1', "(x)")
    body = para(f"One {broken}.") + para(f"Two {mark(zotero(work())[6:] + ' RND2', '(LeCun)')}.")
    extraction = read(odt(body))
    assert [one.claimed.title for one in extraction.references] == ["Deep learning"]
    assert [problem.place.line for problem in extraction.problems] == [1, 2]
    assert extraction.problems[1].note  # no list is printed


def test_bookmarks_have_their_codes_among_the_properties():
    code = zotero(work()).removeprefix("ADDIN ")
    pieces = "".join(
        f'<meta:user-defined meta:name="ZOTERO_BREF_a1_{n}">{piece}</meta:user-defined>'
        for n, piece in ((2, code[100:]), (1, code[:100]))
    )
    inner = f"<office:meta>{pieces}</office:meta></office:document-meta>"
    meta = f'<office:document-meta {SPACES} xmlns:meta="m">{inner}'
    name = 'text:name="ZOTERO_BREF_a1"'
    body = para(f"Said <text:bookmark-start {name}/>(LeCun)<text:bookmark-end {name}/> so.")
    [reference] = read(odt(body, meta=meta)).references
    assert (reference.claimed.year, reference.citing) == (2015, ("Said (LeCun) so.",))


REFUSED = {
    "no content": (zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "without content.xml"),
    "no body": (zipped({"content.xml": "<a/>"}), "no body"),
    "broken": (zipped({"content.xml": "<a>"}), "not well-formed"),
    "entities": (zipped({"content.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "entities"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_with_the_mend(name):
    data, words = REFUSED[name]
    with pytest.raises(InputError, match=words) as raised:
        read(data)
    assert raised.value.hint


@pytest.mark.soak
@pytest.mark.parametrize("name", ["zotero", "zotero_from_word", "writer_marks", "by_hand"])
def test_damaged_files_are_read_or_refused(name):
    survives(EXTRACTOR, fixture(name), 80)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["zotero", "zotero_from_word", "writer_marks", "notes", "from_word"])
def test_damaged_text_inside_a_sound_zip_is_read_or_refused(name):
    parts = members(fixture(name))
    for data in damaged(parts["content.xml"], 60):
        has_references(EXTRACTOR, zipped({**parts, "content.xml": data}))
