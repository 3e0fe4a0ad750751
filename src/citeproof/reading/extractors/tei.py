"""TEI, above all as GROBID writes it: `biblStruct`s with the string they were read from, and page boxes.

What GROBID read out of running text is noted as a model's reading, not as the document's own word.
Other TEI (`bibl` with text and a few tags) is read as text unless title and people are tagged. Places
are lines of the XML, and page and box of the PDF where `coords` gives them; the TEI of a PDF that was
converted goes by the PDF's name and gives no lines.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from citeproof.reading.extractors.decoded_text import refuse_flood
from citeproof.reading.extractors.records.record_fields import (
    RecordFields,
    build_record_reference,
    find_serial_numbers,
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
from citeproof.text import ids, names
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import (
    Document,
    Extraction,
    Extractor,
    Kind,
    Name,
    Origin,
    Place,
    Problem,
    RawReference,
)

if TYPE_CHECKING:
    from lxml import etree

_CITATIONS = ("biblStruct", "bibl", "biblFull")
_GROBID_SURE = 0.85  # how often GROBID's reading of a field is right, about: its own figures are .80 to .90
_TOGETHER = 0.8  # of the names must stand together in the string
_BOXES = 50  # lines of one reference whose boxes are read
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_SCHEMES = {
    "doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "pmc": "pmcid", "arxiv": "arxiv", "isbn": "isbn",
    "issn": "issn", "issne": "issn", "eissn": "issn",
}  # fmt: skip
_UNITS = {
    "vol": "volume", "issue": "issue", "iss": "issue", "number": "issue", "no": "issue", "nr": "issue",
    "page": "pages", "pages": "pages", "pp": "pages", "p": "pages",
}  # fmt: skip
_THESIS = ("thesis", "dissertation", "dissertationsschrift")


def _recognise_tei(document: Document) -> float:
    """Return how sure the content is TEI: its root element, or a list of its citations."""
    root, head = read_xml_opening(document)
    if root in ("TEI", "TEI.2", "teiCorpus"):
        return 0.97
    listed = root in ("listBibl", "biblStruct") or "http://www.tei-c.org/ns/1.0" in head[:2000]
    return 0.9 if listed else 0.0


def _extract_tei(document: Document) -> Extraction:
    """Return one reference for each citation of the bibliography."""
    root = parse_xml(document)
    by_grobid = any(program.get("ident") == "GROBID" for program in root.iter("application"))
    outside = [node for node in root.iter(*_CITATIONS) if not _is_inside(node, ("teiHeader", *_CITATIONS))]
    listed = [node for node in outside if _is_inside(node, ("listBibl",)) or node.tag == "biblStruct"]
    citations = listed or outside
    if not citations:
        return extract_printed_lists(document, root, EXTRACTOR.name)
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
    return Extraction(add_named_sentences(references, root), tuple(problems), len(citations), EXTRACTOR.name)


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
    notes = citation.iter("note")  # GROBID may add the citation string that it was given
    raw = next((read_plain_text(note) for note in notes if note.get("type") == "raw_reference"), "")
    text = raw or read_plain_text(citation)
    if has_tei_tags(citation):
        how = (Origin.MODEL, _GROBID_SURE) if by_grobid else (Origin.STRUCTURED, 1.0)
        reference, wrong = build_record_reference(key, text, spot, read_tei_fields(citation), cited, how=how)
        if reference and reference.claimed and _has_authors_in_order(reference.claimed.authors, raw):
            return reference, wrong
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


def has_tei_tags(citation: etree._Element) -> bool:
    """Return whether a citation has its title and people tagged, so that its text need not be parsed."""
    titled = any(read_plain_text(title, 20) for title in citation.iter("title"))
    people = next(citation.iter("author", "editor"), None) is not None
    return titled and (people or citation.tag == "biblStruct")


def read_tei_fields(citation: etree._Element) -> tuple[RecordFields, Kind | None]:
    """Return what the tags of a citation say, and the kind of work they make it."""
    part, whole, journal, series = _read_tei_titles(citation)
    scopes: dict[str, str] = {}
    for scope in citation.iter("biblScope"):
        unit = (scope.get("unit") or scope.get("type") or "").lower()
        ends = "-".join(value for end in ("from", "to") if (value := str(scope.get(end) or "")))
        name = "volume" if unit == "volume" else _UNITS.get(unit.rstrip("."))
        if name and (text := read_plain_text(scope, 100) or ends):
            scopes.setdefault(name, text)
    stated, free = _collect_tei_ids(citation)
    meeting = read_plain_text(citation.find(".//meeting"), 500)
    authors = (read_plain_text(author, 40).lower().rstrip(".") for author in citation.iter("author"))
    cut = any(author.endswith(("et al", "and others")) for author in authors)
    fields = RecordFields(
        title=part or whole,
        authors=_read_tei_people(citation, "author"),
        et_al=cut,
        editors=_read_tei_people(citation, "editor"),
        date=_read_date(citation),
        venue=journal or (whole if part else "") or meeting,
        series=series,
        volume=scopes.get("volume", ""),
        issue=scopes.get("issue", ""),
        pages=scopes.get("pages", ""),
        publisher=read_plain_text(citation.find(".//publisher"), 500),
        edition=read_plain_text(citation.find(".//edition"), 100),
        ids=stated,
        free=free,
    )
    in_journal = bool(journal or meeting)
    return fields, _choose_tei_kind(citation, part=bool(part), whole=bool(whole), journal=in_journal)


def _read_tei_titles(citation: etree._Element) -> tuple[str, str, str, str]:
    """Return the titles of the part, of the book, of the journal and of the series."""
    titles: dict[str, str] = {}
    for title in citation.iter("title"):
        parent = title.getparent().tag
        level = (title.get("level") or {"analytic": "a", "series": "s"}.get(parent, "")).lower()
        if not level:
            level = "j" if citation.find("analytic") is not None and parent == "monogr" else "m"
        text = read_plain_text(title, 4000)
        if text and (level not in titles or title.get("type") == "main"):
            titles[level] = text
    if "a" not in titles and "u" in titles:  # unpublished
        titles["m"] = titles.get("m", titles["u"])
    return titles.get("a", ""), titles.get("m", ""), titles.get("j", ""), titles.get("s", "")


def _choose_tei_kind(citation: etree._Element, *, part: bool, whole: bool, journal: bool) -> Kind | None:
    """Return the kind of work that the levels of the titles make it; None leaves it open."""
    notes = " ".join(
        read_plain_text(note, 200) for note in citation.iter("note") if note.get("type") != "raw_reference"
    )
    stated = f"{citation.get('type') or ''} {notes}".lower()
    if any(word in stated for word in _THESIS):
        return Kind.THESIS
    if "report" in stated:
        return Kind.REPORT
    if citation.find(".//meeting") is not None or (part and journal):
        return Kind.ARTICLE
    if part and whole:
        # GROBID gives proceedings and collections alike the level of a book
        edited = citation.find(".//monogr/editor") is not None
        return Kind.CHAPTER if edited and citation.find(".//publisher") is not None else Kind.ARTICLE
    return Kind.BOOK if whole and not part and citation.find(".//publisher") is not None else None


def _read_tei_people(citation: etree._Element, role: str) -> tuple[Name, ...]:
    people = [name for element in citation.iter(role) if (name := _read_tei_name(element))]
    return tuple(people[: names.MAX_NAMES])


def _read_tei_name(element: etree._Element) -> Name | None:
    person = element.find(".//persName")
    holder = person if person is not None else element
    family, given = (
        " ".join(filter(None, (read_plain_text(part, names.MAX_NAME) for part in holder.iter(tag))))
        for tag in ("surname", "forename")
    )
    added = read_plain_text(holder.find("genName"), 20)
    if family:
        link = read_plain_text(holder.find("nameLink"), 40)
        return Name(names.tidy_name(f"{link} {family}"), names.tidy_name(given), names.tidy_name(added))
    group = element.find(".//orgName")
    if group is not None and read_plain_text(group, 20):
        return Name(names.tidy_name(read_plain_text(group, names.MAX_NAME)), collective=True)
    text = names.tidy_name(given or read_plain_text(element, names.MAX_NAME))
    if not any(map(str.isalpha, text)) or text.lower().rstrip(".") == "et al":
        return None
    return names.parse(text)


def _read_date(citation: etree._Element) -> str:
    for date in citation.iter("date"):
        if text := str(date.get("when") or "") or read_plain_text(date, 100):
            return text
    return ""


def _collect_tei_ids(citation: etree._Element) -> tuple[list[tuple[str, str]], list[str]]:
    stated: list[tuple[str, str]] = []
    free = [str(link.get("target") or "") for link in citation.iter("ptr", "ref")]
    for element in citation.iter("idno"):
        scheme = _SCHEMES.get((element.get("type") or "").lower(), "")
        text = read_plain_text(element, 500)
        if scheme in ("isbn", "issn"):
            stated += find_serial_numbers(text)
        elif scheme and (citation.tag == "bibl" or ids.normalise_id(scheme, text)):
            stated.append((scheme, text))
        else:
            free.append(text)
    return stated, [*free, *(read_plain_text(note, 500) for note in citation.iter("note"))][:30]


EXTRACTOR = Extractor("tei", (".tei", ".xml"), _recognise_tei, _extract_tei, hostile=True)
