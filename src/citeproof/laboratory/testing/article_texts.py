"""Texts for the works of the loopback world: an abstract, an article as JATS, HTML and PDF, made of a record.

Every paragraph has numbers of its own, so that a test can tell where a text came from and what it says.
"""

from __future__ import annotations

import zlib
from html import escape

from citeproof.vocabulary import Record

ABSTRACT = "abstract"  # the mark of a record whose abstract the registries have
SECTIONS = ("Introduction", "Methods", "Results", "Discussion")
PARAGRAPHS = 12  # of each section of an article
_OPENINGS = (
    "At the start of", "Early in", "Before the second part of", "In the middle of", "Further on in",
    "With the results of", "Against the advice in", "After a pause in", "Close to the end of",
    "As planned for", "In a note on", "To finish",
)  # fmt: skip
_THINGS = ("cells", "plates", "volunteers", "leaves", "signals", "rivers", "letters")
_PLACES = ("in the dark", "at the coast", "under the lamp", "by the old bridge", "in cold water")
_LINE = 90  # characters of a line in a PDF
_TITLE_LINE = 45  # same, of the title
_LINES = 48  # of a page


def build_abstract(record: Record) -> str:
    number = _pick_number(record)
    return (
        f"We study what the title says: {record.title}. In {number} samples the effect was {number % 97}.5 % "
        f"larger than before (p < 0.01), and no harm was seen."
    )


def list_paragraphs(record: Record) -> list[tuple[str, list[str]]]:
    number = _pick_number(record)
    made = []
    for at, section in enumerate(SECTIONS):
        paragraphs = [
            _build_paragraph(section.lower(), n, number + 31 * at + 7 * n) for n in range(PARAGRAPHS)
        ]
        made.append((section, paragraphs))
    return made


def _build_paragraph(section: str, at: int, number: int) -> str:
    """Return a paragraph that no other is like: a reader takes repeated lines for a page's head or foot."""
    things, where = _THINGS[number % len(_THINGS)], _PLACES[(number // 3) % len(_PLACES)]
    return (
        f"{_OPENINGS[at % len(_OPENINGS)]} the {section} we measured {number} {things} {where}, which is "
        f"{at + 3}.{number % 9} percent of all {things} that were collected in the {number % 19 + 2}th year. "
        f"The others ({number * 3}) were kept {where} until {_OPENINGS[(at + 5) % len(_OPENINGS)].lower()} a "
        f"later study, whose {things} had a mean of {number / 8:.2f} units."
    )


def build_jats(record: Record) -> bytes:
    """Return a work as the JATS that Europe PMC serves."""
    body = "".join(
        f"<sec><title>{section}</title>{''.join(f'<p>{escape(text)}</p>' for text in paragraphs)}</sec>"
        for section, paragraphs in list_paragraphs(record)
    )
    doi = record.ids.first("doi")
    number = f'<article-id pub-id-type="doi">{escape(doi)}</article-id>' if doi else ""
    return (
        f"<article><front><article-meta>{number}<title-group><article-title>{escape(record.title)}"
        f"</article-title></title-group><abstract><p>{escape(build_abstract(record))}</p></abstract>"
        f"</article-meta></front><body>{body}</body><back><ref-list><ref id='r1'><mixed-citation>Doe J. "
        "Another work. J. 2001.</mixed-citation></ref></ref-list></back></article>"
    ).encode()


def build_article_page(record: Record) -> str:
    """Return a work as a page that holds the whole article."""
    parts = "".join(
        f"<section><h2>{section}</h2>{''.join(f'<p>{escape(text)}</p>' for text in paragraphs)}</section>"
        for section, paragraphs in list_paragraphs(record)
    )
    title = escape(record.title)
    return (
        f"<!doctype html><html><head><title>{title}</title>"
        f"<meta name='citation_title' content='{title}'>"
        f"</head><body><article><h1>{title}</h1><p>{escape(build_abstract(record))}</p>{parts}</article>"
        "</body></html>"
    )


def build_pdf(record: Record) -> bytes:
    """Return a work as a PDF of a few pages, the title on the first."""
    lines = [", ".join(name.display for name in record.authors), "", "Abstract"]
    texts = [build_abstract(record)]
    for section, paragraphs in list_paragraphs(record):
        texts += ["", section, "", *paragraphs]
    for text in texts:
        lines += _wrap_text(text)
    pages = [lines[at : at + _LINES] for at in range(0, len(lines), _LINES)]
    return _write_pdf(pages, _wrap_text(record.title, _TITLE_LINE))


def _pick_number(record: Record) -> int:
    return 100 + zlib.crc32(record.title.encode()) % 800


def _wrap_text(text: str, width: int = _LINE) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _write_pdf(pages: list[list[str]], title: list[str]) -> bytes:
    """Return pages of lines as a PDF file with one font; the title is larger, on the first."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for at, lines in enumerate(pages):
        shown = "".join(f"({_escape_pdf(line)}) Tj T*\n" for line in lines)
        large = "".join(f"({_escape_pdf(line)}) Tj T*\n" for line in title) if at == 0 else ""
        text = f"BT /F1 18 Tf 22 TL 56 740 Td\n{large}/F1 10 Tf 12 TL T*\n{shown}ET"
        stream = text.encode("cp1252", "replace")
        shape = "/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>"
        page = f"<</Type/Page/Parent 2 0 R{shape}/Contents {5 + 2 * at} 0 R>>".encode()
        objects += [page, b"<</Length %d>>\nstream\n%s\nendstream" % (len(stream), stream)]
    made, places = b"%PDF-1.4\n", []
    for number, data in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, rows)
    trailer = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(made))
    return made + table + trailer


def _escape_pdf(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
