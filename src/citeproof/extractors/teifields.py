"""One TEI citation, a `biblStruct` or a `bibl`, as fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeproof.extractors.recordfields import Told, serials
from citeproof.extractors.xmltree import plain
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


def is_tagged(citation: etree._Element) -> bool:
    """Return whether a citation has its title and people tagged, so that its text need not be parsed."""
    titled = any(plain(title, 20) for title in citation.iter("title"))
    people = next(citation.iter("author", "editor"), None) is not None
    return titled and (people or citation.tag == "biblStruct")


def told(citation: etree._Element) -> tuple[Told, Kind | None]:
    """Return what the tags of a citation say, and the kind of work they make it."""
    part, whole, journal, series = _titles(citation)
    scopes = _scopes(citation)
    stated, free = _ids(citation)
    meeting = plain(citation.find(".//meeting"), 500)
    fields = Told(
        title=part or whole,
        authors=_people(citation, "author"),
        et_al=_cut(citation),
        editors=_people(citation, "editor"),
        date=_date(citation),
        venue=journal or (whole if part else "") or meeting,
        series=series,
        volume=scopes.get("volume", ""),
        issue=scopes.get("issue", ""),
        pages=scopes.get("pages", ""),
        publisher=plain(citation.find(".//publisher"), 500),
        edition=plain(citation.find(".//edition"), 100),
        ids=stated,
        free=free,
    )
    return fields, _kind(citation, part=bool(part), whole=bool(whole), journal=bool(journal or meeting))


def raw_text(citation: etree._Element) -> str:
    """Return the citation string that GROBID was given; "" where the document does not keep it."""
    notes = citation.iter("note")
    return next((plain(note) for note in notes if note.get("type") == "raw_reference"), "")


def _titles(citation: etree._Element) -> tuple[str, str, str, str]:
    """Return the titles of the part, of the book, of the journal and of the series."""
    found: dict[str, str] = {}
    for title in citation.iter("title"):
        parent = title.getparent().tag
        level = (title.get("level") or {"analytic": "a", "series": "s"}.get(parent, "")).lower()
        if not level:
            level = "j" if citation.find("analytic") is not None and parent == "monogr" else "m"
        text = plain(title, 4000)
        if text and (level not in found or title.get("type") == "main"):
            found[level] = text
    if "a" not in found and "u" in found:  # unpublished
        found["m"] = found.get("m", found["u"])
    return found.get("a", ""), found.get("m", ""), found.get("j", ""), found.get("s", "")


def _kind(citation: etree._Element, *, part: bool, whole: bool, journal: bool) -> Kind | None:
    """Return the kind of work that the levels of the titles make it; None leaves it open."""
    notes = " ".join(
        plain(note, 200) for note in citation.iter("note") if note.get("type") != "raw_reference"
    )
    said = f"{citation.get('type') or ''} {notes}".lower()
    if any(word in said for word in _THESIS):
        return Kind.THESIS
    if "report" in said:
        return Kind.REPORT
    if citation.find(".//meeting") is not None or (part and journal):
        return Kind.ARTICLE
    if part and whole:
        # GROBID gives proceedings and collections alike the level of a book
        edited = citation.find(".//monogr/editor") is not None
        return Kind.CHAPTER if edited and citation.find(".//publisher") is not None else Kind.ARTICLE
    return Kind.BOOK if whole and not part and citation.find(".//publisher") is not None else None


def _people(citation: etree._Element, role: str) -> tuple[Name, ...]:
    """Return authors or editors; the authors of a whole book stand in `monogr`."""
    found = [name for element in citation.iter(role) if (name := _name(element))]
    return tuple(found[: names.MAX_NAMES])


def _name(element: etree._Element) -> Name | None:
    person = element.find(".//persName")
    holder = person if person is not None else element
    family = " ".join(text for one in holder.iter("surname") if (text := plain(one, names.MAX_NAME)))
    given = " ".join(text for one in holder.iter("forename") if (text := plain(one, names.MAX_NAME)))
    added = plain(holder.find("genName"), 20)
    if family:
        link = plain(holder.find("nameLink"), 40)
        return Name(names.tidy(f"{link} {family}"), names.tidy(given), names.tidy(added))
    group = element.find(".//orgName")
    if group is not None and plain(group, 20):
        return Name(names.tidy(plain(group, names.MAX_NAME)), collective=True)
    text = names.tidy(given or plain(element, names.MAX_NAME))
    if not any(map(str.isalpha, text)) or text.lower().rstrip(".") == "et al":
        return None
    return names.parse(text)


def _cut(citation: etree._Element) -> bool:
    return any(
        plain(one, 40).lower().rstrip(".").endswith(("et al", "and others"))
        for one in citation.iter("author")
    )


def _scopes(citation: etree._Element) -> dict[str, str]:
    """Return volume, issue and pages; pages as text or as `from` and `to`."""
    found: dict[str, str] = {}
    for scope in citation.iter("biblScope"):
        unit = (scope.get("unit") or scope.get("type") or "").lower()
        ends = "-".join(value for end in ("from", "to") if (value := str(scope.get(end) or "")))
        name = "volume" if unit == "volume" else _UNITS.get(unit.rstrip("."))
        if name and (text := plain(scope, 100) or ends):
            found.setdefault(name, text)
    return found


def _date(citation: etree._Element) -> str:
    for date in citation.iter("date"):
        if text := str(date.get("when") or "") or plain(date, 100):
            return text
    return ""


def _ids(citation: etree._Element) -> tuple[list[tuple[str, str]], list[str]]:
    stated: list[tuple[str, str]] = []
    free = [str(link.get("target") or "") for link in citation.iter("ptr", "ref")]
    for element in citation.iter("idno"):
        scheme = _SCHEMES.get((element.get("type") or "").lower(), "")
        text = plain(element, 500)
        if scheme in ("isbn", "issn"):
            stated += serials(text)
        elif scheme and (citation.tag == "bibl" or ids.normal(scheme, text)):
            stated.append((scheme, text))
        else:
            free.append(text)
    return stated, [*free, *(plain(note, 500) for note in citation.iter("note"))][:30]
