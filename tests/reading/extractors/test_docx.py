"""Word documents, made by pandoc and LibreOffice (tests/fixtures/make_office.py) and in memory."""

import json
import socket
import zipfile
from pathlib import Path

import pytest

from citeproof.errors import InputError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.docx import EXTRACTOR
from citeproof.reading.extractors.office import zip_members as zips
from citeproof.vocabulary import Document, Kind
from tests.reading.extractors.damage import damaged, has_references, survives
from tests.reading.extractors.lists import PRINTED, converted, must_be_text
from tests.reading.extractors.zips import (
    HEADING,
    RELS,
    docx,
    field,
    members,
    para,
    run,
    zipped,
)

FIXTURES = Path(__file__).parent.parent.parent / "fixtures/docx"
LECUN = "LeCun, Y., Bengio, Y., Hinton, G. (2015). Deep learning. Nature 521, 436-444."
KNUTH = "Knuth, D. E. (1997). The art of computer programming. Addison-Wesley."
TVERSKY = "Tversky, A., Kahneman, D. (1992). Advances in prospect theory. Risk and Uncertainty 5, 297–323."
WHO = "World Health Organization. (2020). Global tuberculosis report 2020. Geneva."
TWO_WORKS = (
    "Daniel Kahneman and Amos Tversky, “Prospect Theory,” Econometrica 47, no. 2 (1979): 263–291",
    "Mark S. Granovetter, “The Strength of Weak Ties,” American Journal of Sociology 78 (1973): 1360–80.",
)
REFERENCES = HEADING.format("References")

TITLES = (
    "Deep learning",
    "Long short-term memory",
    "Attention is all you need",
    "Prospect theory: an analysis of decision under risk",
    "The art of computer programming: fundamental algorithms",
    "Molecular structure of nucleic acids: a structure for deoxyribose nucleic acid",
)
YEARS = (2015, 1997, 2017, 1979, 1997, 1953)


def read(data, name="paper.docx"):
    return EXTRACTOR.extract(Document(name, data))


def fixture(name):
    return (FIXTURES / f"{name}.docx").read_bytes()


LONG = (
    "Sequences were long the domain of recurrent cells (Hochreiter et al., 1997), until attention "
    "replaced them (Vaswani et al., 2017; LeCun et al., 2015)."
)
CODED = [
    "zotero",
    "zotero_bookmarks",
    "mendeley",
    "mendeley_cite",
    "endnote",
    "endnote_data",
    "citavi",
    "word",
]


@pytest.mark.parametrize("name", CODED)
def test_works_come_from_the_codes_of_each_program(name):
    extraction = read(fixture(name))
    found = extraction.references
    assert tuple(one.claimed.title for one in found) == TITLES  # in order of first citation, each once
    assert tuple(one.claimed.year for one in found) == YEARS
    assert extraction.expected == 6
    assert [problem for problem in extraction.problems if not problem.note] == []
    deep = found[0].claimed
    assert [author.family for author in deep.authors] == ["LeCun", "Bengio", "Hinton"]
    assert (deep.venue, deep.volume, deep.issue, deep.pages) == ("Nature", "521", "7553", "436-444")
    assert deep.ids.first("doi") == "10.1038/nature14539"
    assert found[2].claimed.ids.first("arxiv") == "1706.03762"
    assert found[4].kind is Kind.BOOK
    assert found[4].claimed.ids.first("isbn") == "9780201896831"


@pytest.mark.parametrize("name", CODED)
def test_coded_works_have_their_sentences_and_their_printed_entry(name):
    found = read(fixture(name)).references
    assert found[0].text.startswith("LeCun, Y., Bengio, Y., Hinton, G. (2015). Deep learning.")
    assert found[0].place.line == 7
    assert found[0].citing == (
        "Networks of many layers learn features by themselves (LeCun et al., 2015).",
        LONG,
    )
    assert found[5].citing == ("The double helix was described on one page (Watson et al., 1953)!",)


def test_a_source_of_word_that_is_cited_nowhere_is_a_note():
    [note] = read(fixture("word")).problems
    assert note.note
    assert "WHO20" in note.message


@pytest.mark.parametrize(("name", "keys", "begins"), [*PRINTED, converted("from_writer")])
def test_lists_without_codes_are_read_as_text(name, keys, begins):
    must_be_text(read(fixture(name)), keys, begins)


def test_raised_numbers_cite_but_square_centimetres_do_not():
    first, second, third = read(fixture("by_hand")).references
    assert first.citing == ("Networks of many layers learn features by themselves[1].",)
    assert second.citing == ("Sequences were the domain of recurrent cells.[2,3]",)
    assert third.citing[1] == "The helix was described on one page, 10 cm2 of it.[3]"


def test_the_target_of_a_link_completes_its_entry():
    assert (
        read(fixture("by_hand")).references[0].text.endswith("436-444. https://doi.org/10.1038/nature14539")
    )


def test_fixtures_are_recognised_whatever_they_are_called():
    for path in FIXTURES.glob("*.docx"):
        assert detect_extractor(Document("x.bin", path.read_bytes())).name == "docx"
    assert EXTRACTOR.recognises(Document("a.docx", zipped({"content.xml": "<a/>"}))) == 0


NUMBERING = """<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="4"/>
<w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:num w:numId="7"><w:abstractNumId w:val="1"/></w:num></w:numbering>"""
COUNTED = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="7"/></w:numPr></w:pPr>'
ITEM = f"<w:p>{COUNTED}<w:r><w:t>{{}}</w:t></w:r></w:p>"
ROW = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
DELETED = (
    "<w:del><w:r><w:delText>1999</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom>"
)
BOX = (
    "<w:r><mc:AlternateContent xmlns:mc='m'><mc:Choice><w:txbxContent>{0}</w:txbxContent></mc:Choice>"
    "<mc:Fallback>{0}</mc:Fallback></mc:AlternateContent></w:r>"
)
SDT = (
    "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val='{}'/></w:docPartObj></w:sdtPr>"
    "<w:sdtContent>{}</w:sdtContent></w:sdt>"
)
SIGN = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
HARD_END = "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>"

BODIES = {
    "under a styled heading": (REFERENCES + para(LECUN) + para(KNUTH), [LECUN, KNUTH]),
    "under a bold line": (para(run("Literatur", "<w:b/>")) + para(LECUN) + para(KNUTH), [LECUN, KNUTH]),
    "under a plain line": (para("Works Cited") + para(LECUN) + para(KNUTH), [LECUN, KNUTH]),
    "until the next heading": (
        REFERENCES + para(LECUN) + HEADING.format("Afterword") + para("In 2020, all."), [LECUN],
    ),
    "until the appendix": (
        REFERENCES + para(LECUN) + para("Appendix A") + para("Long, in 2020 it was."), [LECUN],
    ),
    "until a caption": (REFERENCES + para(LECUN) + para("Figure 1. Growth from 1990 to 2020."), [LECUN]),
    "subheadings are no end": (
        REFERENCES + para("Books", "Heading2") + para(KNUTH) + para("Articles", "Heading2") + para(LECUN),
        [KNUTH, LECUN],
    ),
    "two lists": (
        REFERENCES + para(LECUN) + HEADING.format("More") + REFERENCES + para(KNUTH), [LECUN, KNUTH],
    ),
    "by style alone": (para("Text of 1990.") + para(LECUN, "Bib") + para(KNUTH, "Bib"), [LECUN, KNUTH]),
    "the contents are no list": (
        para("References", "Toc1") + para("Something of 1990 here.") + REFERENCES + para(LECUN), [LECUN],
    ),
    "contents in a control": (
        SDT.format("Table of Contents", para("References") + para("Smith, J. (1990). In no list."))
        + REFERENCES + para(LECUN), [LECUN],
    ),
    "a control of Word": (
        SDT.format("Bibliographies", REFERENCES + para(LECUN)) + para("Said in 2001 by all."), [LECUN],
    ),
    "a table": (
        REFERENCES + "<w:tbl>" + ROW.format(para("[1]"), para(LECUN)) + ROW.format(para("[2]"), para(KNUTH))
        + "</w:tbl>", [LECUN, KNUTH],
    ),
    "a text box, once": (REFERENCES + para(BOX.format(para(LECUN))), [LECUN]),
    "insertions, no deletions": (
        REFERENCES + para("<w:ins>" + run(LECUN[:30]) + "</w:ins>" + DELETED + run(LECUN[30:])), [LECUN],
    ),
    "a deleted paragraph end": (REFERENCES + HARD_END.format(LECUN[:40]) + para(LECUN[40:]), [LECUN]),
    "hidden text": (REFERENCES + para(run("secret ", "<w:vanish/>") + run(LECUN)), [LECUN]),
    "line breaks": (
        REFERENCES + para(f"<w:r><w:t>[1]{LECUN}</w:t><w:br/><w:t>[2]{KNUTH}</w:t></w:r>"), [LECUN, KNUTH],
    ),
    "a line break inside an entry": (
        REFERENCES + para(f"<w:r><w:t>{LECUN[:50]}</w:t><w:br/><w:t>{LECUN[50:]}</w:t></w:r>") + para(KNUTH),
        [LECUN.replace(LECUN[:50], LECUN[:50].rstrip() + " ").replace("  ", " "), KNUTH],
    ),
    "under publications": (
        HEADING.format("Selected Publications") + para(LECUN) + para(KNUTH) + HEADING.format("Talks")
        + para("Roe, J. (2012). Given in Chicago."), [LECUN, KNUTH],
    ),
    "under sources and bibliography": (
        HEADING.format("Sources and Bibliography") + para(LECUN) + para(KNUTH), [LECUN, KNUTH],
    ),
    "under no heading": (
        para("A text of 1990.") + para(LECUN) + para(WHO) + para(TVERSKY) + para(KNUTH)
        + para("Grant 123, 2011–2014, $300,000"), [LECUN, WHO, TVERSKY, KNUTH],
    ),
    "names without works are no list": (
        "".join(para(f"{name} (since 2011), room 5") for name in ("Ann Lee, Bob Ray", "Max Born, Carl Orff"))
        + para("John Smith, Mary Jones (since 2012), room 7"), None,
    ),
    "a number on one of them": (
        REFERENCES + para(KNUTH) + para(TVERSKY) + "<w:tbl>" + ROW.format(para("[3]"), para(LECUN))
        + "</w:tbl>", [KNUTH, TVERSKY, LECUN],
    ),
    "two alone are no list": (para(LECUN) + para(KNUTH) + para("The rest of it."), None),
    "typed by hand behind the styled ones": (
        REFERENCES + para(LECUN, "Bib") + para(KNUTH, "Bib") + para(TVERSKY) + para("Thanks to all in 2020."),
        [LECUN, KNUTH, TVERSKY],
    ),
    "a field without end": (
        REFERENCES + para(SIGN.format("begin") + "<w:r><w:instrText>REF x</w:instrText></w:r>")
        + para(LECUN), [LECUN],
    ),
    "ends without begins": (REFERENCES + para(SIGN.format("end") + run(LECUN)), [LECUN]),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_where_a_list_begins_and_ends(name):
    body, texts = BODIES[name]
    extraction = read(docx(body))
    assert [one.text for one in extraction.references] == (texts or [])
    assert extraction.expected == (len(texts) if texts else None)


def test_automatic_numbers_are_keys_and_what_follows_the_last_is_no_entry():
    body = (
        para("Said [5].")
        + REFERENCES
        + ITEM.format(LECUN)
        + ITEM.format(KNUTH)
        + para("Received 3 May 2020.")
    )
    extraction = read(docx(body, word__numbering=NUMBERING))
    assert [one.key for one in extraction.references] == ["4", "5"]
    assert extraction.references[1].citing == ("Said [5].",)
    assert extraction.references[1].text == KNUTH


def test_a_missing_number_is_told():
    body = REFERENCES + para(f"[1] {LECUN}") + para(f"[3] {KNUTH}")
    extraction = read(docx(body))
    assert extraction.expected == 3
    [problem] = extraction.problems
    assert "reference 2 is missing" in problem.message
    assert problem.place.line == 3


def work(title="Deep learning", year=2015, family="LeCun", **rest):
    author = [{"family": family, "given": "Y."}]
    return {
        "type": "article-journal",
        "title": title,
        "author": author,
        "issued": {"date-parts": [[year]]},
        **rest,
    }


def zotero(*works, uris=True):
    items = [
        {
            "id": n,
            "uris": [f"http://zotero.org/users/1/items/{one['title'][:4]}"] if uris else [],
            "itemData": one,
        }
        for n, one in enumerate(works)
    ]
    return "ADDIN ZOTERO_ITEM CSL_CITATION " + json.dumps({"citationItems": items}).replace("&", "&amp;")


BIBLIOGRAPHY = "ADDIN ZOTERO_BIBL CSL_BIBLIOGRAPHY"


def test_a_broken_code_is_a_problem_and_the_rest_lives():
    broken = field('ADDIN ZOTERO_ITEM CSL_CITATION {"citationItems": [{', "(Broken)")
    body = para(run("One ") + broken + run(".")) + para(
        run("Two ") + field(zotero(work()), "(LeCun)") + run(".")
    )
    extraction = read(docx(body))
    assert [one.claimed.title for one in extraction.references] == ["Deep learning"]
    problem = extraction.problems[0]
    assert (problem.place.line, problem.message) == (
        1,
        "a citation by Zotero cannot be read: its data is broken",
    )
    assert problem.hint
    assert "citationItems" in problem.text


def test_where_codes_and_printed_list_differ_both_are_told():
    cited = field(zotero(work(), work("Long short-term memory", 1997, "Hochreiter")), "(1, 2)")
    body = para(run("Said ") + cited + run(".")) + REFERENCES + para(LECUN) + para(KNUTH)
    extraction = read(docx(body))
    assert [one.claimed.title if one.claimed else one.text for one in extraction.references] == [
        "Deep learning", "Long short-term memory", KNUTH,
    ]  # fmt: skip
    assert [(p.place.line, p.message) for p in extraction.problems] == [
        (1, "cited, but not in the printed list: Hochreiter, 1997, Long short-term memory"),
        (4, "in the printed list, but not cited by a field code; read as text"),
    ]
    assert [p.note for p in extraction.problems] == [False, True]
    assert extraction.references[1].text.startswith("{")
    assert extraction.expected == 2


def test_codes_without_a_printed_list_are_counted_themselves():
    extraction = read(docx(para(run("Said ") + field(zotero(work()), "(LeCun 2015)"))))
    assert extraction.expected == 1
    [note] = extraction.problems
    assert note.note


def test_works_are_the_same_by_address_not_by_the_id_of_a_library():
    other = work("Long short-term memory", 1997, "Hochreiter")
    body = (
        para(field(zotero(work()), "a")) + para(field(zotero(other), "b")) + para(field(zotero(work()), "c"))
    )
    assert [one.claimed.year for one in read(docx(body)).references] == [2015, 1997]


def test_an_edited_title_is_matched_by_author_and_year():
    body = (
        para(run("Said ") + field(zotero(work(title="Learning deeply")), "(LeCun)"))
        + REFERENCES
        + para(LECUN)
    )
    extraction = read(docx(body))
    assert [(one.text, one.claimed.title) for one in extraction.references] == [(LECUN, "Learning deeply")]
    assert extraction.problems == ()


def test_a_code_in_a_note_is_cited_where_the_note_hangs():
    note = '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    cited = para(run("See ") + field(zotero(work()), "LeCun 2015") + run(", p. 3."))
    note += f'<w:footnote w:id="2">{cited}</w:footnote>'
    hanging = run("Layers learn.") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + run(" Others do not.")
    extraction = read(docx(para(hanging), word__footnotes=note + "</w:footnotes>"))
    assert extraction.references[0].citing == ("Layers learn.[^1]",)


def test_a_field_over_several_paragraphs_ends_where_it_ends():
    begin = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>'
        + BIBLIOGRAPHY
        + "</w:instrText></w:r>"
    )
    begin += '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    body = para(begin + run(LECUN)) + para(KNUTH) + para(end + run("In 1999 this was running text."))
    assert [one.text for one in read(docx(body)).references] == [LECUN, KNUTH]


def test_a_key_word_does_not_hold_is_told():
    extraction = read(
        docx(para(run("Said ") + field(" CITATION Gone15 \\l 1033 ", "(Gone)")) + REFERENCES + para(LECUN))
    )
    assert [one.text for one in extraction.references] == [LECUN]
    assert "Gone15" in extraction.problems[0].message


def test_footnotes_beside_a_list_are_noted():
    note = '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    note += f'<w:footnote w:id="2">{para(KNUTH)}</w:footnote></w:footnotes>'
    body = para(run("Said.") + '<w:r><w:footnoteReference w:id="2"/></w:r>') + REFERENCES + para(LECUN)
    extraction = read(docx(body, word__footnotes=note))
    assert [one.text for one in extraction.references] == [LECUN]
    assert [problem.note for problem in extraction.problems] == [True]


NOTES = [
    # the text of a footnote, the works it names
    (f"See {TWO_WORKS[0]}; compare {TWO_WORKS[1]}", [f"See {TWO_WORKS[0]}", f"compare {TWO_WORKS[1]}"]),
    (f"{TWO_WORKS[0]}; Smith, 2010.", [f"{TWO_WORKS[0]}; Smith, 2010."]),
    ("LeCun, Y.; Bengio, Y. (2015). Deep learning; a review. Nature 521.", None),
]


@pytest.mark.parametrize(("text", "works"), NOTES)
def test_a_footnote_may_name_several_works(text, works):
    note = '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    note += f'<w:footnote w:id="2">{para(text)}</w:footnote></w:footnotes>'
    body = para(run("Said.") + '<w:r><w:footnoteReference w:id="2"/></w:r>')
    extraction = read(docx(body, word__footnotes=note))
    assert [one.text for one in extraction.references] == (works or [text])
    assert [one.key for one in extraction.references] == ["^1", "^1-2"][: len(works or [text])]
    assert all(one.citing for one in extraction.references)


def test_links_to_the_outside_are_never_opened(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    address = "http://127.0.0.1:9/"
    rels = f'<Relationships xmlns="{RELS}">' + "".join(
        f'<Relationship Id="r{n}" Type="{kind}{name}" Target="{address}{name}" TargetMode="External"/>'
        for n, name in enumerate(("attachedTemplate", "image", "hyperlink", "oleObject"))
    )
    settings = "word/_rels/settings.xml.rels"
    parts = {"word___rels__document.xml.rels": rels + "</Relationships>"}
    data = docx(REFERENCES + para('<w:hyperlink r:id="r2">' + run(LECUN) + "</w:hyperlink>"), **parts)
    whole = zipped({**members(data), settings: rels + "</Relationships>"})
    [reference] = read(whole).references
    assert reference.text == f"{LECUN} http://127.0.0.1:9/hyperlink"


REFUSED = {
    "no zip": (b"PK\x03\x04 nothing", "broken"),
    "no body": (zipped({"word/styles.xml": "<a/>"}), "without word/document.xml"),
    "not well-formed": (zipped({"word/document.xml": "<w:document>"}), "not well-formed"),
    "entities": (
        zipped(
            {"word/document.xml": '<!DOCTYPE d [<!ENTITY a "b"><!ENTITY c SYSTEM "/etc/x">]><d>&a;&c;</d>'}
        ),
        "entities",
    ),
    "nested too deeply": (
        zipped({"word/document.xml": "<a>" * 100_000 + "</a>" * 100_000}),
        "not well-formed",
    ),
    "many members": (zipped({f"x{n}": "" for n in range(2_001)}), "2,001 members"),
    "a bomb": (zipped({"word/document.xml": b"<a>" + b" " * 60_000_000 + b"</a>"}), "unpacks to more than"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_with_the_mend(name):
    data, words = REFUSED[name]
    with pytest.raises(InputError, match=words) as raised:
        read(data)
    assert raised.value.hint
    assert raised.value.place.startswith("paper.docx")


def test_a_size_that_lies_is_counted(monkeypatch):
    monkeypatch.setattr(zips, "MAX_MEMBER", 1_000)
    monkeypatch.setattr(zips, "RATIO_FLOOR", 100)
    data = docx(para("x" * 5_000))
    at = data.rindex(b"PK\x01\x02", 0, data.index(b"word/document.xml", data.index(b"PK\x01\x02")))
    lying = data[: at + 24] + (10).to_bytes(4, "little") + data[at + 28 :]
    with pytest.raises(InputError):
        read(lying)
    with pytest.raises(InputError, match="unpacks to more than"):
        read(data)


def test_an_encrypted_member_is_refused():
    data = docx(para("x"))
    flagged = bytearray(data)
    for at in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
        flagged[at] |= 1
    with pytest.raises(InputError, match="encrypted"):
        read(bytes(flagged))


def test_a_broken_part_beside_the_text_is_left_out_and_told():
    data = members(docx(REFERENCES + para(LECUN)))
    extraction = read(zipped({**data, "word/styles.xml": b"<w:styles"}))
    assert [one.text for one in extraction.references] == [LECUN]
    assert "word/styles.xml" in extraction.problems[0].message


def test_names_that_climb_are_only_names(tmp_path):
    data = members(docx(REFERENCES + para(LECUN)))
    assert len(read(zipped({**data, "../../x": b"evil", "/etc/x": b"evil"})).references) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", ["zotero", "endnote_data", "notes", "by_hand"])
def test_damaged_files_are_read_or_refused(name):
    survives(EXTRACTOR, fixture(name), 80)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["zotero", "endnote_data", "citavi", "mendeley_cite", "notes", "word"])
def test_damaged_text_inside_a_sound_zip_is_read_or_refused(name):
    parts = members(fixture(name))
    for data in damaged(parts["word/document.xml"], 60):
        has_references(EXTRACTOR, zipped({**parts, "word/document.xml": data}))


def test_no_member_is_unpacked_to_disk(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("unpacked")

    monkeypatch.setattr(zipfile.ZipFile, "extractall", refuse)
    monkeypatch.setattr(zipfile.ZipFile, "extract", refuse)
    assert read(fixture("zotero")).references
