"""What a document says of its own date, and an entry of the day on which its work was looked at."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest

from citeproof.reading.extractors.base import detect_extractor
from citeproof.vocabulary import Document

FIXTURES = Path(__file__).parents[2] / "fixtures"
ITEM = r"\begin{thebibliography}{9}\bibitem{a} Doe, J. A work. Journal, 2019.\end{thebibliography}"
TEX = r"\documentclass{article}%s\begin{document}\cite{a}" + ITEM + r"\end{document}"
JATS = """<article><front><article-meta>%s</article-meta></front><body/><back><ref-list>
<ref id="r1"><element-citation><article-title>A work</article-title><year>2019</year></element-citation></ref>
</ref-list></back></article>"""
MD = "---\n%s\n---\n\n# References\n\n1. Doe, J. A work. J, 2019.\n"
CSL = '[{"id": "a", "type": "book", "title": "A work", "accessed": {"date-parts": [%s]}}]'
YEAR = "<pub-date><year>%s</year></pub-date>"
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dcterms="http://purl.org/dc/terms/"><dcterms:modified>2021-05-03T08:00:00Z</dcterms:modified>'
    "</cp:coreProperties>"
)
WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "<w:p><w:r><w:t>References</w:t></w:r></w:p><w:p><w:r><w:t>Doe, J. (2019). A work. Journal, 1, 2–3."
    "</w:t></w:r></w:p></w:body></w:document>"
)
META = (
    '<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:date>2021-05-03T08:00:00</dc:date>'
    "</office:meta></office:document-meta>"
)
ODT = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>'
    "<text:p>References</text:p><text:p>Doe, J. (2019). A work. Journal, 1, 2–3.</text:p>"
    "</office:text></office:body></office:document-content>"
)


def read(name, data):
    document = Document(name, data if isinstance(data, bytes) else data.encode())
    return detect_extractor(document).extract(document)


def pack(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "text", "dated"),
    [
        ("a.tex", TEX % r"\date{3 May 2021}", "2021-05-03"),
        ("a.tex", TEX % "\n\\date[short]{May 2021}", "2021-05"),
        ("a.tex", TEX % r"\date{\today}", ""),
        ("a.tex", TEX % "\n% \\date{3 May 2021}\n", ""),
        ("a.tex", TEX % "", ""),
        ("a.md", MD % "title: T\ndate: 2021-05-03", "2021-05-03"),
        ("a.md", MD % 'date: "May 3, 2021"', "2021-05-03"),
        ("a.md", MD % "date: soon", ""),
        ("a.xml", JATS % "<pub-date><day>3</day><month>5</month><year>2021</year></pub-date>", "2021-05-03"),
        ("a.xml", JATS % (YEAR % 2022 + YEAR % 2021), "2021"),
        ("a.xml", JATS % "<pub-date><year>soon</year></pub-date>", ""),
        ("a.docx", pack(**{"word/document.xml": WORD, "docProps/core.xml": CORE}), "2021-05-03"),
        ("a.docx", pack(**{"word/document.xml": WORD}), ""),
        ("a.odt", pack(mimetype="application/vnd.oasis.opendocument.text",
                       **{"content.xml": ODT, "meta.xml": META}), "2021-05-03"),
        ("a.bib", "@article{a, title={A work}, year={2019}}", ""),
    ],
)  # fmt: skip
def test_the_date_of_a_document(name, text, dated):
    found = read(name, text)
    assert found.references
    assert found.dated == dated


def test_the_date_of_a_pdf():
    data = (FIXTURES / "pdf" / "author_year.pdf").read_bytes()
    stated = re.search(rb"/CreationDate \(D:(\d{4})(\d\d)(\d\d)", data)
    assert read("a.pdf", data).dated == b"-".join(stated.groups()).decode()


@pytest.mark.parametrize(
    ("name", "text", "accessed"),
    [
        ("a.bib", "@online{a, title={A work}, year={2019}, urldate={2021-05-03}}", "2021-05-03"),
        ("a.bib", "@online{a, title={A work}, year={2019}, urldate={yesterday}}", ""),
        ("a.json", CSL % "[2021, 5, 3]", "2021-05-03"),
        ("a.json", CSL % '["x"]', ""),
    ],
)  # fmt: skip
def test_when_a_work_was_accessed(name, text, accessed):
    assert [one.accessed for one in read(name, text).references] == [accessed]
