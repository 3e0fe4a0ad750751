"""JATS and NLM articles: every `ref` of every reference list, with the sentences that cite it.

Places are the lines of the XML; an article that is on one line has them all there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING, ClassVar

from citeproof.reading.extractors.decoded_text import refuse_flood
from citeproof.reading.extractors.prose.entry_segments import is_likely_reference
from citeproof.reading.extractors.records.jats_fields import (
    find_hidden_links,
    has_jats_tags,
    join_citation_text,
    read_jats_fields,
)
from citeproof.reading.extractors.records.record_fields import (
    choose_record_kind,
    has_identifying_field,
    normalise_record_fields,
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
from citeproof.text import dates
from citeproof.text.kind_words import load_kinds
from citeproof.vocabulary import (
    Document,
    DocumentFacts,
    Extraction,
    KeyPlace,
    Kind,
    Name,
    Place,
    Problem,
    RawReference,
)

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


@dataclass(frozen=True, slots=True)
class _JatsCitation:
    """One citation: where it is, its key, the id by which it is cited, its element if it has one."""

    where: etree._Element
    key: str
    cited_as: str
    citation: etree._Element | None


class JatsExtractor:
    """Reads JATS, its forerunner NLM, and BITS books."""

    name: ClassVar[str] = "jats"
    suffixes: ClassVar[tuple[str, ...]] = (".nxml", ".jats", ".xml")
    hostile: ClassVar[bool] = True

    def recognises(self, document: Document) -> float:
        """Return how sure the content is JATS: its root, and the elements that only it has."""
        root, head = read_xml_opening(document)
        if root in _ROOTS:
            return 0.97
        if root in ("article", "book", "OAI-PMH", "records"):
            return 0.97 if any(sign in head for sign in _SIGNS) else 0.3 if root == "article" else 0.0
        return 0.0

    def extract(self, document: Document) -> Extraction:
        """Return one reference for each citation; a `ref` that holds several gives several."""
        root = parse_xml(document)
        citations = list(_find_jats_citations(root))
        if not citations:
            return extract_printed_lists(document, root, self.name)
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
        return Extraction(completed, tuple(problems), len(citations), self.name, about, dated)


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
        fields, stated = read_jats_fields(citation)
        claimed, flags = normalise_record_fields(fields)
        if has_identifying_field(claimed):
            codes = tuple(dict.fromkeys(code for code, _, _ in flags))
            wrong = [Problem(spot, f"reference {key!r}: {message}", hint) for _, message, hint in flags]
            return RawReference(
                key, text, spot, choose_record_kind(stated, claimed), claimed, cited, codes
            ), wrong
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


EXTRACTOR = JatsExtractor()
