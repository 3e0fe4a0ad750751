"""JATS and NLM articles: every `ref` of every reference list, with the sentences that cite it.

Places are the lines of the XML; an article that is on one line has them all there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from citeproof.reading.extractors.decoded_text import refuse_flood
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.records.record_fields import RecordFields, build_record_reference
from citeproof.reading.extractors.xml.xml_citations import (
    add_named_sentences,
    extract_printed_lists,
    find_linked_sentences,
)
from citeproof.reading.extractors.xml.xml_tree import (
    MAX_TEXT,
    locate_element,
    parse_xml,
    read_plain_text,
    read_xml_opening,
)
from citeproof.text import dates, ids, names
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import (
    Document,
    DocumentFacts,
    Extraction,
    Extractor,
    KeyPlace,
    Kind,
    Name,
    Place,
    Problem,
    RawReference,
)
from citeproof.vocabulary.quick_dataclass import dataclass

if TYPE_CHECKING:
    from lxml import etree

_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_ROOTS = frozenset(
    ("pmc-articleset", "sub-article", "ref-list", "book-part-wrapper", "book-part", "response")
)
_SIGNS = ("-//NLM//DTD", "<front>", "<front ", "article-type=", "dtd-version=", "<journal-meta", "<ref-list",
          "jats.nlm.nih.gov", "<article-meta", "<book-meta")  # fmt: skip
_MOST_DATES = 20  # of publication that are read
_WORTH = "check that nothing is missing"
_PEOPLE = ("name", "string-name", "collab")
_PARTS = ("article-title", "chapter-title", "data-title", "part-title", "trans-title")
_HREF = "{http://www.w3.org/1999/xlink}href"
_SCHEMES = {
    "doi": "doi", "pmid": "pmid", "pubmed": "pmid", "medline": "pmid", "pmcid": "pmcid", "pmc": "pmcid",
    "arxiv": "arxiv", "isbn": "isbn", "issn": "issn",
}  # fmt: skip
_LABELS = {"doi": "doi:", "pmid": "PMID: ", "pmcid": "PMCID: ", "arxiv": "arXiv:"}
# What is printed between two fields that stand side by side without any sign.
_BETWEEN_FIELDS = {
    ("fpage", "lpage"): "-", ("volume", "fpage"): ":", ("issue", "fpage"): ":", ("year", "volume"): ";",
    ("volume", "elocation-id"): ":", ("issue", "elocation-id"): ":", ("volume", "issue"): ", ",
}  # fmt: skip
_UNTAGGED = 12  # letters outside all tags that may well be the authors


@dataclass(frozen=True, slots=True)
class _JatsCitation:
    """One citation: where it is, its key, the id by which it is cited, its element if it has one."""

    where: etree._Element
    key: str
    cited_as: str
    citation: etree._Element | None


def _recognise_jats(document: Document) -> float:
    """Return how sure the content is JATS: its root, and the elements that only it has."""
    root, head = read_xml_opening(document)
    if root in _ROOTS:
        return 0.97
    if root in ("article", "book", "OAI-PMH", "records"):
        return 0.97 if any(sign in head for sign in _SIGNS) else 0.3 if root == "article" else 0.0
    return 0.0


def _extract_jats(document: Document) -> Extraction:
    """Return one reference for each citation; a `ref` that holds several gives several."""
    root = parse_xml(document)
    citations = list(_find_jats_citations(root))
    if not citations:
        return extract_printed_lists(document, root, EXTRACTOR.name)
    refuse_flood(len(citations), document.name)
    own = {str(ref.get("id")): None for ref in root.iter("ref") if ref.get("id")}
    sentences = find_linked_sentences(root, "xref", lambda mark: _read_xref_keys(mark, own), tuple(own))
    references: list[RawReference] = []
    problems: list[Problem] = []
    for citation in citations:
        reference, wrong = _build_jats_reference(document, citation, sentences.get(citation.cited_as, ()))
        problems += wrong
        if reference is not None:
            references.append(reference)
    missing = _find_missing_refs(document, root, own)
    problems += [problem for _, problem in missing]
    about = DocumentFacts(
        read_jats_authors(root), tuple(KeyPlace(key, fault.place) for key, fault in missing)
    )
    completed = add_named_sentences(references, root)
    days = []
    meta = root.find(".//article-meta")
    for element in islice(meta.iterfind("pub-date"), _MOST_DATES) if meta is not None else ():
        stated = [(element.findtext(name) or "").strip()[:4] for name in ("year", "month", "day")]
        days.append(dates.find_day("-".join(takewhile(bool, stated))))
    dated = min(filter(None, days), default="")
    return Extraction(completed, tuple(problems), len(citations), EXTRACTOR.name, about, dated)


def _find_jats_citations(root: etree._Element) -> Iterator[_JatsCitation]:
    """Yield each citation of the lists and those that stand elsewhere, as in footnotes, in order."""
    seen: dict[str, int] = {}
    for number, (element, listed) in enumerate(_find_holders(root), 1):
        own = str(element.get("id") or "")[:200]
        for citation in listed or [None]:
            key = own or f"ref-{number}"
            seen[key] = seen.get(key, 0) + 1
            where = element if citation is None or len(listed) == 1 else citation
            yield _JatsCitation(where, key if seen[key] == 1 else f"{key}-{seen[key]}", own, citation)


def _find_holders(root: etree._Element) -> Iterator[tuple[etree._Element, list[etree._Element]]]:
    """Yield each `ref` with its citations, and each citation outside a `ref` with itself."""
    for element in root.iter("ref", "citation-alternatives", *_CITATIONS):
        above = {ancestor.tag for ancestor in element.iterancestors()}
        if element.tag == "ref":
            citations = []
            for child in element:
                if child.tag in _CITATIONS:
                    citations.append(child)
                elif child.tag == "citation-alternatives":
                    citations += _choose_alternative(child)
            yield element, citations
        elif not above.intersection(("ref", "citation-alternatives", *_CITATIONS)):
            yield element, [element] if element.tag in _CITATIONS else _choose_alternative(element)


def _choose_alternative(alternatives: etree._Element) -> list[etree._Element]:
    forms = [form for form in alternatives if form.tag in _CITATIONS]
    return sorted(forms, key=lambda form: not has_jats_tags(form))[:1]


def _build_jats_reference(
    document: Document, holder: _JatsCitation, cited: tuple[str, ...]
) -> tuple[RawReference | None, list[Problem]]:
    spot, key, citation = locate_element(document, holder.where), holder.key, holder.citation
    if citation is None:
        return _read_note(holder.where, key, spot, cited)
    text = join_citation_text(citation)
    if has_jats_tags(citation):
        reference, wrong = build_record_reference(key, text, spot, read_jats_fields(citation), cited)
        if reference is not None:
            return reference, wrong
    if not any(map(str.isalpha, text)):
        return None, [Problem(spot, f"reference {key!r} is empty", "complete it, or delete it", text)]
    text = f"{text} {find_hidden_links(citation, text)}".strip()
    called = citation.get("publication-type") or citation.get("citation-type") or ""
    return RawReference(
        key, text, spot, load_kinds("jats").get(called.lower(), Kind.UNKNOWN), None, cited
    ), []


def _read_note(
    ref: etree._Element, key: str, spot: Place, cited: tuple[str, ...]
) -> tuple[RawReference | None, list[Problem]]:
    """Return a `ref` without any citation: a reference if its text could be one, else a remark."""
    label = read_plain_text(ref.find("label"), 40)
    text = read_plain_text(ref).removeprefix(label).strip()
    if is_likely_reference(text):
        return RawReference(key, text, spot, citing=cited), []
    message = "is a note, not a reference" if text else "is empty"
    return None, [Problem(spot, f"reference {key!r} {message}", _WORTH, text[:500], note=bool(text))]


def _read_xref_keys(mark: etree._Element, own: dict[str, None]) -> tuple[str, ...]:
    named = str(mark.get("rid") or "").split()
    return tuple(key for key in named[:200] if key in own)


def _find_missing_refs(
    document: Document, root: etree._Element, own: dict[str, None]
) -> list[tuple[str, Problem]]:
    """Return a problem for each reference that is cited but not listed, with its key."""
    problems: dict[str, Problem] = {}
    for mark in root.iter("xref"):
        if mark.get("ref-type") != "bibr":
            continue
        for key in str(mark.get("rid") or "").split()[:200]:
            if key not in own and key not in problems and len(problems) < 100:
                message = f"{key[:80]!r} is cited but not in the reference list"
                place, text = locate_element(document, mark), read_plain_text(mark, 80)
                problems[key] = Problem(place, message, "add it to the list", text, finding="undefined_key")
    return list(problems.items())


def read_jats_authors(root: etree._Element) -> tuple[Name, ...]:
    """Return the authors of the article itself."""
    front = root if root.tag in ("front", "front-stub") else root.find(".//front")
    authors: list[Name] = []
    for person in front.iter("contrib") if front is not None else ():
        name = person.find(".//name")
        if person.get("contrib-type", "author") == "author" and name is not None:
            family, given = (read_plain_text(name.find(tag), 200) for tag in ("surname", "given-names"))
            authors += [Name(family, given)] if family else []
    return tuple(authors[:200])


def has_jats_tags(citation: etree._Element) -> bool:
    """Return whether the tags of a citation say what it is, so that its text need not be parsed."""
    title = any(read_plain_text(citation.find(f".//{name}"), 20) for name in _PARTS)
    source = bool(read_plain_text(citation.find(".//source"), 20))
    people = next(citation.iter(*_PEOPLE), None) is not None
    if (title or source) and people:
        return True
    if citation.tag in ("element-citation", "nlm-citation"):
        return title or source or people
    directly = [str(citation.text or ""), *(str(child.tail or "") for child in citation)]
    loose = sum(c.isalpha() for text in directly for c in text)
    known = citation.find(".//year") is not None or citation.find(".//pub-id") is not None
    return (title or source) and known and loose < _UNTAGGED


def read_jats_fields(citation: etree._Element) -> tuple[RecordFields, Kind | None]:
    """Return what the tags of a citation say, and the kind of work it is said to be."""
    kind = _read_stated_kind(citation)
    title, venue, kind = _read_jats_titles(citation, kind)
    authors, et_al, editors = _read_jats_people(citation)
    first, last = _read_first_text(citation, "fpage"), _read_first_text(citation, "lpage")
    span = f"{first}-{last}" if first and last else first
    stated, free = _collect_jats_ids(citation)
    fields = RecordFields(
        title=title,
        authors=authors,
        et_al=et_al,
        editors=editors,
        date=_read_first_text(citation, "year", "date", "string-date"),
        venue=venue,
        series=_read_first_text(citation, "series"),
        volume=_read_first_text(citation, "volume"),
        issue=_read_first_text(citation, "issue", "supplement"),
        pages=span or _read_first_text(citation, "page-range", "elocation-id"),
        publisher=_read_first_text(citation, "publisher-name", "institution"),
        edition=_read_first_text(citation, "edition"),
        ids=stated,
        free=free,
    )
    return fields, kind


def join_citation_text(citation: etree._Element) -> str:
    """Return a citation as one line; what stands side by side without a sign between it is set apart."""
    spaced = citation.tag not in ("element-citation", "nlm-citation")  # there white space prints nothing
    return " ".join(_join_citation_parts(citation, spaced=spaced).split())[:MAX_TEXT]


def find_hidden_links(citation: etree._Element, text: str) -> str:
    """Return the addresses that a citation links to but does not print."""
    known = {(scheme, value) for scheme, value, _, _ in ids.find_ids(text)}
    links = [str(link.get(_HREF) or "") for link in citation.iter("ext-link", "uri")]
    new = [link for link in links if link.startswith("http") and not known.issuperset(ids.identify_url(link))]
    return " ".join(dict.fromkeys(new))[:1000]


def _read_stated_kind(citation: etree._Element) -> Kind | None:
    for name in ("publication-type", "citation-type", "publication-format"):
        if kind := load_kinds("jats").get((citation.get(name) or "").strip().lower()):
            return kind
    return None


def _read_jats_titles(citation: etree._Element, kind: Kind | None) -> tuple[str, str, Kind | None]:
    """Return title, venue and kind: `source` is the container of a part, but the title of a whole."""
    part = _read_first_text(citation, *_PARTS)
    source, conference = _read_first_text(citation, "source"), _read_first_text(citation, "conf-name")
    if part:
        venue = source or conference
        return part, venue, Kind.CHAPTER if kind is Kind.BOOK and source else kind
    paged = citation.find(".//volume") is not None and citation.find(".//fpage") is not None
    if kind is Kind.ARTICLE or (kind is None and paged):
        return "", source or conference, kind
    return source or conference, conference if source else "", kind


def _read_jats_people(citation: etree._Element) -> tuple[tuple[Name, ...], bool, tuple[Name, ...]]:
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
        role = _find_person_role(element)
        if role == "other":
            continue
        if element.tag == "etal":
            et_al = et_al or role in ("author", "")
        elif name := _read_jats_name(element):
            first = role == "author" or (not role and not titled)
            (authors if first else editors if role else behind).append(name)
    if not authors:
        authors, behind = behind, []
    return tuple(authors[: names.MAX_NAMES]), et_al, tuple([*editors, *behind][: names.MAX_NAMES])


def _find_person_role(element: etree._Element) -> str:
    """Return "author", "editor", "" outside a group, or "other" for translators and names inside names."""
    for above in element.iterancestors():
        if above.tag in _PEOPLE or (above.tag == "name-alternatives" and element.getprevious() is not None):
            return "other"
        if above.tag == "person-group":
            group = (above.get("person-group-type") or "author").lower()
            if "editor" in group or group == "compiler":
                return "editor"
            other = group in ("translator", "transed", "assignee", "director", "guest-editor")
            return "other" if other else "author"
        if above.tag in ("ref", "element-citation", "mixed-citation", "nlm-citation", "citation"):
            break
    return ""


def _read_jats_name(element: etree._Element) -> Name | None:
    whole = names.tidy_name(read_plain_text(element, names.MAX_NAME))
    if not any(map(str.isalnum, whole)):
        return None
    if element.tag == "collab":
        return Name(whole.strip(" ,.;"), collective=True)
    family = names.tidy_name(read_plain_text(element.find("surname"), names.MAX_NAME))
    given = names.tidy_name(read_plain_text(element.find("given-names"), names.MAX_NAME))
    if not family:
        return names.parse(given or whole)
    return Name(
        family.strip(" ,;"), given.strip(" ,;"), names.tidy_name(read_plain_text(element.find("suffix"), 20))
    )


def _collect_jats_ids(citation: etree._Element) -> tuple[list[tuple[str, str]], list[str]]:
    stated: list[tuple[str, str]] = []
    free: list[str] = []
    for element in citation.iter("pub-id", "object-id", "isbn", "issn"):
        called = (element.get("pub-id-type") or element.get("object-id-type") or element.tag).lower()
        scheme, text = _SCHEMES.get(called, ""), read_plain_text(element, 500)
        if scheme:
            stated.append((scheme, text))
        else:
            free.append(text)
    for link in citation.iter("ext-link", "uri"):
        called = (link.get("ext-link-type") or "").lower()
        target = str(link.get(_HREF) or read_plain_text(link, 2000))
        if called in ("doi", "pmid", "pmcid", "pubmed") and ids.normalise_id(_SCHEMES[called], target):
            stated.append((_SCHEMES[called], target))
        else:
            free.append(target)
    free += [read_plain_text(comment, 2000) for comment in citation.iter("comment")]
    if citation.tag in ("mixed-citation", "citation"):
        free.append(join_citation_text(citation))
    return stated, free[:50]


def _read_first_text(citation: etree._Element, *names: str) -> str:
    texts = (read_plain_text(element) for name in names for element in citation.iter(name))
    return next(filter(None, texts), "")


def _join_citation_parts(element: etree._Element, *, spaced: bool) -> str:
    """Return the parts of `element` with their own signs between them, or the usual ones."""
    whole = str(element.text or "")
    whole = whole if spaced or whole.strip() else ""
    before = ""
    for child in element:
        if isinstance(child.tag, str) and (part := _read_citation_part(child, spaced=spaced)):
            whole += _choose_separator(whole, before, child.tag) + part
            before = child.tag
        if child.tail and (spaced or child.tail.strip()):
            whole += str(child.tail)
            before = ""  # what is printed there is between them already
        if len(whole) > 3 * MAX_TEXT:
            break
    return whole


def _choose_separator(whole: str, before: str, tag: str) -> str:
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
    return _BETWEEN_FIELDS.get((before, tag), ". ")


def _read_citation_part(child: etree._Element, *, spaced: bool) -> str:
    if child.tag in ("person-group", "name", "string-name"):
        return _join_citation_parts(child, spaced=spaced).strip()
    if child.tag == "pub-id":
        scheme = _SCHEMES.get((child.get("pub-id-type") or "").lower(), "")
        return _LABELS.get(scheme, "") + read_plain_text(child, 500)
    if child.tag == "etal":
        return read_plain_text(child, 40) or "et al."
    return read_plain_text(child)


EXTRACTOR = Extractor("jats", (".nxml", ".jats", ".xml"), _recognise_jats, _extract_jats, hostile=True)
