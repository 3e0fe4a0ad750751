"""TEI, above all as GROBID writes it: `biblStruct`s with the string they were read from, and page boxes.

What GROBID read out of running text is noted as a model's reading, not as the document's own word.
Other TEI (`bibl` with text and a few tags) is read as text unless title and people are tagged. Places
are lines of the XML, and page and box of the PDF where `coords` gives them; the TEI of a PDF that was
converted goes by the PDF's name and gives no lines.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from citeproof.reading.extractors.decoded_text import refuse_flood
from citeproof.reading.extractors.records.record_fields import (
    choose_record_kind,
    has_identifying_field,
    normalise_record_fields,
)
from citeproof.reading.extractors.records.tei_fields import (
    XML_ID,
    has_tei_tags,
    read_raw_text,
    read_tei_fields,
)
from citeproof.reading.extractors.xml.xml_citations import (
    add_named_sentences,
    extract_printed_lists,
    find_linked_sentences,
)
from citeproof.reading.extractors.xml.xml_tree import (
    locate_element,
    parse_xml,
    read_plain_text,
    read_xml_opening,
)
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Document, Extraction, Kind, Name, Origin, Place, Problem, RawReference

if TYPE_CHECKING:
    from lxml import etree

_CITATIONS = ("biblStruct", "bibl", "biblFull")
_GROBID_SURE = 0.85  # how often GROBID's reading of a field is right, about: its own figures are .80 to .90
_TOGETHER = 0.8  # of the names must stand together in the string
_BOXES = 50  # lines of one reference whose boxes are read


class TeiExtractor:
    """Reads TEI."""

    name: ClassVar[str] = "tei"
    suffixes: ClassVar[tuple[str, ...]] = (".tei", ".xml")
    hostile: ClassVar[bool] = True

    def recognises(self, document: Document) -> float:
        """Return how sure the content is TEI: its root element, or a list of its citations."""
        root, head = read_xml_opening(document)
        if root in ("TEI", "TEI.2", "teiCorpus"):
            return 0.97
        listed = root in ("listBibl", "biblStruct") or "http://www.tei-c.org/ns/1.0" in head[:2000]
        return 0.9 if listed else 0.0

    def extract(self, document: Document) -> Extraction:
        """Return one reference for each citation of the bibliography."""
        root = parse_xml(document)
        by_grobid = any(program.get("ident") == "GROBID" for program in root.iter("application"))
        outside = [
            node for node in root.iter(*_CITATIONS) if not _is_inside(node, ("teiHeader", *_CITATIONS))
        ]
        listed = [node for node in outside if _is_inside(node, ("listBibl",)) or node.tag == "biblStruct"]
        citations = listed or outside
        if not citations:
            return extract_printed_lists(document, root, self.name)
        refuse_flood(len(citations), document.name)
        keys = _make_keys(citations)
        own = {str(citation.get(XML_ID)): None for citation in citations if citation.get(XML_ID)}
        sentences = find_linked_sentences(root, "ref", lambda mark: _read_ref_targets(mark, own), tuple(own))
        references: list[RawReference] = []
        problems: list[Problem] = []
        for key, citation in zip(keys, citations, strict=True):
            cited = sentences.get(str(citation.get(XML_ID)), ())
            reference, wrong = _build_tei_reference(document, key, citation, cited, by_grobid=by_grobid)
            problems += wrong
            if reference is not None:
                references.append(reference)
        return Extraction(add_named_sentences(references, root), tuple(problems), len(citations), self.name)


def _is_inside(element: etree._Element, tags: tuple[str, ...]) -> bool:
    return any(above.tag in tags for above in element.iterancestors())


def _make_keys(citations: list[etree._Element]) -> list[str]:
    """Return a key for each citation: its id, or its number; one that is used again gets a number behind."""
    seen: dict[str, int] = {}
    keys = []
    for number, citation in enumerate(citations, 1):
        key = str(citation.get(XML_ID) or f"ref-{number}")[:200]
        seen[key] = seen.get(key, 0) + 1
        keys.append(key if seen[key] == 1 else f"{key}-{seen[key]}")
    return keys


def _build_tei_reference(
    document: Document, key: str, citation: etree._Element, cited: tuple[str, ...], *, by_grobid: bool
) -> tuple[RawReference | None, list[Problem]]:
    spot = _locate_citation(document, citation)
    raw = read_raw_text(citation)
    text = raw or read_plain_text(citation)
    if has_tei_tags(citation):
        fields, stated = read_tei_fields(citation)
        how = (Origin.MODEL, _GROBID_SURE) if by_grobid else (Origin.STRUCTURED, 1.0)
        claimed, flags = normalise_record_fields(fields, *how)
        if has_identifying_field(claimed) and _has_authors_in_order(claimed.authors, raw):
            codes = tuple(dict.fromkeys(code for code, _, _ in flags))
            wrong = [Problem(spot, f"reference {key!r}: {message}", hint) for _, message, hint in flags]
            return RawReference(
                key, text, spot, choose_record_kind(stated, claimed), claimed, cited, codes
            ), wrong
    if not any(map(str.isalpha, text)):
        message = f"reference {key!r} is empty"
        return None, [Problem(spot, message, "look it up in the original document")]
    return RawReference(key, text, spot, Kind.UNKNOWN, None, cited), []


def _has_authors_in_order(authors: tuple[Name, ...], raw: str) -> bool:
    """Return whether the authors are in the string they were read from as one name each.

    GROBID sometimes shifts a list by one: "Ana Agarwal, Ivan Zaitsev, Xu Wang" becomes "Agarwal, Ivan" and
    "Zaitsev, Xu", and a family name is left alone.
    """
    letters = _fold_letters(raw)
    named = [(_fold_letters(name.given), _fold_letters(name.family)) for name in authors if name.given]
    if not letters or not named:
        return True
    enough = _TOGETHER * len(named)
    if sum(given + family in letters for given, family in named) >= enough:
        return True
    alone = any(not name.given and not name.collective for name in authors)
    return not alone and sum(family + given in letters for given, family in named) >= enough


def _fold_letters(text: str) -> str:
    return "".join(c for c in strip_marks(text).casefold() if c.isalpha())


def _locate_citation(document: Document, citation: etree._Element) -> Place:
    """Return the lines of a citation, and page and box of its part on the first page where they are given."""
    spot = locate_element(document, citation)
    if document.name.lower().endswith(".pdf"):
        spot = Place(document.name)
    boxes = [
        box
        for part in str(citation.get("coords") or "")[:5000].split(";")[:_BOXES]
        if (box := _parse_box(part))
    ]
    if not boxes:
        return spot
    page = boxes[0][0]
    here = [box[1:] for box in boxes if box[0] == page]
    left, top = min(box[0] for box in here), min(box[1] for box in here)
    right, bottom = max(box[2] for box in here), max(box[3] for box in here)
    return replace(spot, page=page, box=(left, top, right, bottom))


def _parse_box(text: str) -> tuple[int, float, float, float, float] | None:
    """Return page, left, top, right and bottom of "page,x,y,width,height"."""
    parts = text.split(",")
    try:
        page, (x, y, width, height) = int(parts[0]), (min(max(float(part), -1e6), 1e6) for part in parts[1:])
    except ValueError:
        return None
    return (page, x, y, round(x + width, 3), round(y + height, 3)) if 0 < page < 100_000 else None


def _read_ref_targets(mark: etree._Element, own: dict[str, None]) -> tuple[str, ...]:
    targets = str(mark.get("target") or "").split()[:200]
    return tuple(target[1:] for target in targets if target.startswith("#") and target[1:] in own)


EXTRACTOR = TeiExtractor()
