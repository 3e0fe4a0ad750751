"""One JATS citation as fields, or as the text it prints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from citeproof.extractors.recordfields import Told, kinds
from citeproof.extractors.xmltree import MAX_TEXT, plain
from citeproof.text import ids, names
from citeproof.vocabulary import Kind, Name

if TYPE_CHECKING:
    from lxml import etree

_PEOPLE = ("name", "string-name", "collab")
_PARTS = ("article-title", "chapter-title", "data-title", "part-title", "trans-title")
_HREF = "{http://www.w3.org/1999/xlink}href"
_SCHEMES = {
    "doi": "doi", "pmid": "pmid", "pubmed": "pmid", "medline": "pmid", "pmcid": "pmcid", "pmc": "pmcid",
    "arxiv": "arxiv", "isbn": "isbn", "issn": "issn",
}  # fmt: skip
_LABELS = {"doi": "doi:", "pmid": "PMID: ", "pmcid": "PMCID: ", "arxiv": "arXiv:"}
# What is printed between two fields that stand side by side without any sign.
_SIGNS = {
    ("fpage", "lpage"): "-", ("volume", "fpage"): ":", ("issue", "fpage"): ":", ("year", "volume"): ";",
    ("volume", "elocation-id"): ":", ("issue", "elocation-id"): ":", ("volume", "issue"): ", ",
}  # fmt: skip
_UNTAGGED = 12  # letters outside all tags that may well be the authors


def is_tagged(citation: etree._Element) -> bool:
    """Return whether the tags of a citation say what it is, so that its text need not be parsed."""
    title = any(plain(citation.find(f".//{name}"), 20) for name in _PARTS)
    source = bool(plain(citation.find(".//source"), 20))
    people = next(citation.iter(*_PEOPLE), None) is not None
    if (title or source) and people:
        return True
    if citation.tag in ("element-citation", "nlm-citation"):
        return title or source or people
    loose = sum(c.isalpha() for text in _loose(citation) for c in text)
    known = citation.find(".//year") is not None or citation.find(".//pub-id") is not None
    return (title or source) and known and loose < _UNTAGGED


def told(citation: etree._Element) -> tuple[Told, Kind | None]:
    """Return what the tags of a citation say, and the kind of work it is said to be."""
    kind = _stated(citation)
    title, venue, kind = _titles(citation, kind)
    authors, et_al, editors = _people(citation)
    first, last = _text(citation, "fpage"), _text(citation, "lpage")
    span = f"{first}-{last}" if first and last else first
    stated, free = _ids(citation)
    fields = Told(
        title=title,
        authors=authors,
        et_al=et_al,
        editors=editors,
        date=_text(citation, "year") or _text(citation, "date") or _text(citation, "string-date"),
        venue=venue,
        series=_text(citation, "series"),
        volume=_text(citation, "volume"),
        issue=_text(citation, "issue") or _text(citation, "supplement"),
        pages=span or _text(citation, "page-range") or _text(citation, "elocation-id"),
        publisher=_text(citation, "publisher-name") or _text(citation, "institution"),
        edition=_text(citation, "edition"),
        ids=stated,
        free=free,
    )
    return fields, kind


def text_of(citation: etree._Element) -> str:
    """Return a citation as one line; what stands side by side without a sign between it is set apart."""
    spaced = citation.tag not in ("element-citation", "nlm-citation")  # there white space prints nothing
    return " ".join(_joined(citation, spaced=spaced).split())[:MAX_TEXT]


def hidden_ids(citation: etree._Element, text: str) -> str:
    """Return the addresses that a citation links to but does not print."""
    known = {(scheme, value) for scheme, value, _, _ in ids.from_text(text)}
    links = [str(link.get(_HREF) or "") for link in citation.iter("ext-link", "uri")]
    new = [one for one in links if one.startswith("http") and not known.issuperset(ids.of_url(one))]
    return " ".join(dict.fromkeys(new))[:1000]


def _stated(citation: etree._Element) -> Kind | None:
    for name in ("publication-type", "citation-type", "publication-format"):
        if found := kinds("jats").get((citation.get(name) or "").strip().lower()):
            return found
    return None


def _titles(citation: etree._Element, kind: Kind | None) -> tuple[str, str, Kind | None]:
    """Return title, venue and kind: `source` is the container of a part, but the title of a whole."""
    part = next((text for name in _PARTS if (text := _text(citation, name))), "")
    source, conference = _text(citation, "source"), _text(citation, "conf-name")
    if part:
        venue = source or conference
        return part, venue, Kind.CHAPTER if kind is Kind.BOOK and source else kind
    paged = citation.find(".//volume") is not None and citation.find(".//fpage") is not None
    if kind is Kind.ARTICLE or (kind is None and paged):
        return "", source or conference, kind
    return source or conference, conference if source else "", kind


def _people(citation: etree._Element) -> tuple[tuple[Name, ...], bool, tuple[Name, ...]]:
    """Return authors, whether their list is cut, and editors.

    Names outside a group are authors, but behind the title they are the editors of what contains it.
    """
    authors: list[Name] = []
    editors: list[Name] = []
    behind: list[Name] = []
    et_al = titled = False
    for element in citation.iter(*_PEOPLE, "etal", *_PARTS):
        if element.tag in _PARTS:
            titled = True
            continue
        role = _role(element)
        if role == "nobody":
            continue
        if element.tag == "etal":
            et_al = et_al or role in ("author", "")
        elif name := _name(element):
            listed = (
                authors if role == "author" or (not role and not titled) else behind if not role else None
            )
            (editors if listed is None else listed).append(name)
    if not authors:
        authors, behind = behind, []
    return tuple(authors[: names.MAX_NAMES]), et_al, tuple([*editors, *behind][: names.MAX_NAMES])


def _role(element: etree._Element) -> str:
    """Return "author", "editor", "" outside a group, or "nobody" for translators and names inside names."""
    for above in element.iterancestors():
        if above.tag in _PEOPLE or (above.tag == "name-alternatives" and element.getprevious() is not None):
            return "nobody"
        if above.tag == "person-group":
            group = (above.get("person-group-type") or "author").lower()
            if "editor" in group or group == "compiler":
                return "editor"
            other = group in ("translator", "transed", "assignee", "director", "guest-editor")
            return "nobody" if other else "author"
        if above.tag in ("ref", "element-citation", "mixed-citation", "nlm-citation", "citation"):
            break
    return ""


def _name(element: etree._Element) -> Name | None:
    whole = names.tidy(plain(element, names.MAX_NAME))
    if not any(map(str.isalnum, whole)):
        return None
    if element.tag == "collab":
        return Name(whole.strip(" ,.;"), collective=True)
    family = names.tidy(plain(element.find("surname"), names.MAX_NAME))
    given = names.tidy(plain(element.find("given-names"), names.MAX_NAME))
    if not family:
        return names.parse(given or whole)
    return Name(family.strip(" ,;"), given.strip(" ,;"), names.tidy(plain(element.find("suffix"), 20)))


def _ids(citation: etree._Element) -> tuple[list[tuple[str, str]], list[str]]:
    stated: list[tuple[str, str]] = []
    free: list[str] = []
    for element in citation.iter("pub-id", "object-id", "isbn", "issn"):
        called = (element.get("pub-id-type") or element.get("object-id-type") or element.tag).lower()
        scheme, text = _SCHEMES.get(called, ""), plain(element, 500)
        if scheme:
            stated.append((scheme, text))
        else:
            free.append(text)
    for link in citation.iter("ext-link", "uri"):
        called, target = (link.get("ext-link-type") or "").lower(), str(link.get(_HREF) or plain(link, 2000))
        if called in ("doi", "pmid", "pmcid", "pubmed") and ids.normal(_SCHEMES[called], target):
            stated.append((_SCHEMES[called], target))
        else:
            free.append(target)
    free += [plain(comment, 2000) for comment in citation.iter("comment")]
    if citation.tag in ("mixed-citation", "citation"):
        free.append(text_of(citation))
    return stated, free[:50]


def _text(citation: etree._Element, name: str) -> str:
    return next((text for one in citation.iter(name) if (text := plain(one))), "")


def _loose(citation: etree._Element) -> Iterable[str]:
    """Return the stretches of text that stand directly in a citation."""
    return [str(citation.text or ""), *(str(child.tail or "") for child in citation)]


def _joined(element: etree._Element, *, spaced: bool) -> str:
    """Return the parts of `element` with their own signs between them, or the usual ones."""
    whole = str(element.text or "")
    whole = whole if spaced or whole.strip() else ""
    before = ""
    for child in element:
        if isinstance(child.tag, str) and (part := _part(child, spaced=spaced)):
            whole += _between(whole, before, child.tag) + part
            before = child.tag
        if child.tail and (spaced or child.tail.strip()):
            whole += str(child.tail)
            before = ""  # what is printed there stands between them already
        if len(whole) > 3 * MAX_TEXT:
            break
    return whole


def _between(whole: str, before: str, tag: str) -> str:
    """Return what to set between the text so far and an element `tag` that follows it directly."""
    if not whole.strip() or whole[-1].isspace() or whole[-1] in "([“\"'-–/":
        return ""
    if not before:
        return " " if whole[-1].isalnum() else ""
    if before in _PEOPLE and tag in (*_PEOPLE, "etal"):
        return ", "
    if not whole[-1].isalnum() and whole[-1] != ")":
        return " "
    if before in ("surname", "given-names", "prefix"):
        return " "
    return _SIGNS.get((before, tag), ". ")


def _part(child: etree._Element, *, spaced: bool) -> str:
    if child.tag in ("person-group", "name", "string-name"):
        return _joined(child, spaced=spaced).strip()
    if child.tag == "pub-id":
        return _LABELS.get(_SCHEMES.get((child.get("pub-id-type") or "").lower(), ""), "") + plain(child, 500)
    if child.tag == "etal":
        return plain(child, 40) or "et al."
    return plain(child)
