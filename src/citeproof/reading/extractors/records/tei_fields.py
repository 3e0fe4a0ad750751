"""One TEI citation, a `biblStruct` or a `bibl`, as fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeproof.reading.extractors.records.record_fields import RecordFields, find_serial_numbers
from citeproof.reading.extractors.xml.xml_tree import read_plain_text
from citeproof.text import ids, names
from citeproof.vocabulary import Kind, Name

if TYPE_CHECKING:
    from lxml import etree

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


def read_raw_text(citation: etree._Element) -> str:
    """Return the citation string that GROBID was given; "" where the document does not keep it."""
    notes = citation.iter("note")
    return next((read_plain_text(note) for note in notes if note.get("type") == "raw_reference"), "")


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
