"""Reference lists that an XML article only prints: a titled section with paragraphs or a list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from citeproof.extractors.decoded_text import refuse_flood
from citeproof.extractors.office.manuscript import Manuscript, Paragraph
from citeproof.extractors.office.printed_lists import read_printed_lists
from citeproof.extractors.prose.citing_sentences import attach_sentences
from citeproof.extractors.xml.xml_tree import locate_element, read_plain_text
from citeproof.vocabulary import Document, Extraction, Place, Problem

if TYPE_CHECKING:
    from lxml import etree

_ITEMS = frozenset(("list-item", "item"))
_TITLES = frozenset(("title", "head"))
_SECTIONS = frozenset(("sec", "div", "app", "ack", "notes"))
_OUTSIDE = frozenset(("front", "teiHeader", "table-wrap", "table", "fig", "figure", "ref-list", "listBibl"))
_DEEPEST = 9  # a level of a heading


def extract_printed_lists(document: Document, root: etree._Element, form: str) -> Extraction:
    """Return the entries that are in the text as a list, of an article that marks up none."""
    written, elements = _read_xml_manuscript(root, document.name)
    listed = read_printed_lists(written)
    refuse_flood(len(listed.entries), document.name)
    running = "\n\n".join(
        paragraph.text for paragraph in written.paragraphs if paragraph.number not in listed.used
    )

    def locate(place: Place) -> Place:
        return locate_element(document, elements[(place.line or 1) - 1])

    cited = attach_sentences(listed.entries, running)
    references = tuple(replace(citation, place=locate(citation.place)) for citation in cited)
    problems = [replace(problem, place=locate(problem.place)) for problem in listed.problems]
    if references:
        message = (
            f"the article has no marked-up references; {len(references)} were read from a list in its text"
        )
        problems.append(Problem(references[0].place, message, "mark them up as a reference list", note=True))
    return Extraction(references, tuple(problems), listed.expected if references else 0, form)


def find_printed_elements(root: etree._Element) -> list[etree._Element]:
    """Return the elements that are a reference list which the article only prints."""
    written, elements = _read_xml_manuscript(root, "")
    used = read_printed_lists(written).used
    return [element for number, element in enumerate(elements, 1) if number in used]


def _read_xml_manuscript(root: etree._Element, name: str) -> tuple[Manuscript, list[etree._Element]]:
    written = Manuscript(name)
    elements: list[etree._Element] = []
    for element, level, label in _list_xml_blocks(root):
        if text := read_plain_text(element):
            elements.append(element)
            written.paragraphs.append(Paragraph(text, len(elements), level, label))
    return written, elements


def _list_xml_blocks(root: etree._Element) -> Iterator[tuple[etree._Element, int, str]]:
    """Yield titles with their level, items of lists with their number, and paragraphs, in order."""
    counts: dict[etree._Element, int] = {}
    for element in root.iter("p", "ab", *_ITEMS, *_TITLES):
        above = [ancestor for ancestor in element.iterancestors() if isinstance(ancestor.tag, str)]
        tags = {ancestor.tag for ancestor in above}
        if tags & (_OUTSIDE | _ITEMS):
            continue
        if element.tag in _TITLES:
            yield element, min(_DEEPEST, sum(ancestor.tag in _SECTIONS for ancestor in above) or 1), ""
        elif element.tag in _ITEMS and above:
            counts[above[0]] = counts.get(above[0], 0) + 1
            kind, look = above[0].get("list-type"), above[0].get("rend")
            numbered = kind in ("order", "arabic") or look in ("numbered", "ordered")
            yield element, 0, str(counts[above[0]]) if numbered else ""
        elif "p" not in tags:
            yield element, 0, ""
