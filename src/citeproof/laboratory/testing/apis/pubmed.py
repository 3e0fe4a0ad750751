"""PubMed's E-utilities: `esearch` (JSON) and `efetch` (XML) of the database `pubmed`.

Asked by address or by form. Knows the works that have a PMID. Named quirks: an unknown PMID gives an
empty set, titles end in a full stop, translated titles are in brackets, numbers are strings, and every
answer carries the rate headers. A search ANDs its terms, as the real one does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qsl

from lxml import etree

from citeproof.laboratory.testing.article_texts import ABSTRACT, build_abstract
from citeproof.laboratory.testing.base import Call, Holdings, Reply, make_json_reply
from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.text import title as titles
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Kind, Name, Record, Version

_TERM = re.compile(r"\s*(?P<words>[^\[\]]+?)\s*(?:\[(?P<field>[a-z/ ]+)\])?\s*", re.IGNORECASE)
_TYPES = {"retracted": ("D016441", "Retracted Publication")}
_LINKS: dict[str, str] = load_package_table(__package__, "names.toml")["pubmed"]["links"]
_HEAD = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025'
    b'//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
)


def answer(call: Call, holdings: Holdings) -> Reply:
    asked = read_params(call)
    tool = call.parts[-1] if call.parts else ""
    if asked.get("db") != "pubmed" or tool not in ("esearch.fcgi", "efetch.fcgi"):
        return Reply(400, b'{"error":"Unsupported tool or database"}', headers=build_limit_headers(asked))
    reply = _answer_search(asked, holdings) if tool == "esearch.fcgi" else _answer_fetch(asked, holdings)
    return replace(reply, headers=build_limit_headers(asked))


def read_params(call: Call) -> Mapping[str, str]:
    """Return what was asked, from the address and from a form."""
    form = dict(parse_qsl(call.body.decode("utf-8", "replace"))) if call.method == "POST" else {}
    return {**call.query, **form}


def build_limit_headers(asked: Mapping[str, str]) -> dict[str, str]:
    most = 10 if asked.get("api_key") else 3
    return {"x-ratelimit-limit": str(most), "x-ratelimit-remaining": str(most - 1)}


def _answer_search(asked: Mapping[str, str], holdings: Holdings) -> Reply:
    term = asked.get("term", "")
    head = {"type": "esearch", "version": "0.3"}
    if not term.strip():
        return make_json_reply(
            {"header": head, "esearchresult": {"ERROR": "Empty term and query_key - nothing todo"}}
        )
    terms = [m for part in re.split(r"\s+AND\s+", term) if (m := _TERM.fullmatch(part))]
    words = " ".join(m["words"] for m in terms if (m["field"] or "ti").lower() in ("ti", "title", "tiab"))
    hits = [
        r for r in holdings.search(words) if r.ids.first("pmid") and all(_is_term_met(m, r) for m in terms)
    ]
    most = int(asked.get("retmax", "20"))
    result: dict[str, object] = {
        "count": str(len(hits)),
        "retmax": str(min(most, len(hits))),
        "retstart": "0",
        "idlist": [r.ids.first("pmid") for r in hits[:most]],
        "translationset": [],
        "querytranslation": term,
    }
    if not hits:
        messages = {"phrasesignored": [], "quotedphrasesnotfound": [], "outputmessages": ["No items found."]}
        result["warninglist"] = messages
    return make_json_reply({"header": head, "esearchresult": result})


def _is_term_met(term: re.Match[str], record: Record) -> bool:
    """Return whether a record has what one term of a query wants in its field."""
    field, wanted = (term["field"] or "ti").lower(), titles.split_words(term["words"])
    if field in ("au", "author"):
        return any(titles.split_words(name.family) == wanted for name in record.authors)
    if field == "dp":
        return any(str(version.year) == term["words"] for version in record.versions)
    return set(wanted) <= {word for title in record.titles for word in titles.split_words(title)}


def _answer_fetch(asked: Mapping[str, str], holdings: Holdings) -> Reply:
    root = etree.Element("PubmedArticleSet")
    for number in asked.get("id", "").split(","):
        known = holdings.by_id("pmid", number.strip())
        root.extend(build_pubmed_article(record, number.strip()) for record in known[:1])
    body = etree.tostring(root, encoding="utf-8")
    return Reply(200, _HEAD + body, "text/xml; charset=UTF-8")


def build_pubmed_article(record: Record, pmid: str) -> etree._Element:
    """Return a record as the `PubmedArticle` that efetch gives."""
    root = etree.Element("PubmedArticle")
    citation = _add_element(root, "MedlineCitation", Status="MEDLINE", Owner="NLM")
    _add_element(citation, "PMID", pmid, Version="1")
    main = _add_element(citation, "Article", PubModel="Print")
    version = record.versions[0] if record.versions else Version()
    _add_journal(main, version)
    _add_element(main, "ArticleTitle", record.title + ".")
    if version.pages:
        _add_element(_add_element(main, "Pagination"), "MedlinePgn", version.pages)
    doi = record.ids.first("doi")
    if doi:
        _add_element(main, "ELocationID", doi, EIdType="doi", ValidYN="Y")
    if ABSTRACT in record.marks:
        _add_element(_add_element(main, "Abstract"), "AbstractText", build_abstract(record))
    _add_authors(main, record)
    kinds = [_TYPES[mark] for mark in record.marks if mark in _TYPES]
    kinds += [("D000076942", "Preprint")] if record.kind is Kind.PREPRINT else []
    listed = _add_element(main, "PublicationTypeList")
    for number, name in (("D016428", "Journal Article"), *kinds):
        _add_element(listed, "PublicationType", name, UI=number)
    if len(record.titles) > 1:
        _add_element(main, "VernacularTitle", record.titles[1] + ".")
    if any(mark in _LINKS for mark in record.marks):
        links = _add_element(citation, "CommentsCorrectionsList")
        for mark in record.marks:
            if mark in _LINKS:
                _add_element(links, "CommentsCorrections", RefType=_LINKS[mark])
    known = (("pubmed", pmid), ("doi", doi), ("pmc", record.ids.first("pmcid")))
    data = _add_element(root, "PubmedData")
    listed = _add_element(data, "ArticleIdList")
    for kind, value in known:
        if value:
            _add_element(listed, "ArticleId", value, IdType=kind)
    if record.cites:
        _add_references(data, record.cites)
    return root


def _add_references(data: etree._Element, cites: Sequence[str]) -> None:
    listed = _add_element(data, "ReferenceList")
    for name in cites:
        reference = _add_element(listed, "Reference")
        _add_element(reference, "Citation", "A work. J Test. 2019.")
        kind = "pubmed" if name.startswith("pmid:") else "doi"
        known = _add_element(reference, "ArticleIdList")
        _add_element(known, "ArticleId", name.removeprefix("pmid:"), IdType=kind)


def _add_journal(main: etree._Element, version: Version) -> None:
    journal = _add_element(main, "Journal")
    issue = _add_element(journal, "JournalIssue", CitedMedium="Print")
    for tag, value in (("Volume", version.volume), ("Issue", version.issue)):
        if value:
            _add_element(issue, tag, value)
    date = _add_element(issue, "PubDate")
    if version.year:
        _add_element(date, "Year", str(version.year))
    _add_element(journal, "Title", version.venue or "")


def _add_authors(main: etree._Element, record: Record) -> None:
    if not record.authors:
        return
    complete = "Y" if record.authors_complete else "N"
    listed = _add_element(main, "AuthorList", CompleteYN=complete)
    for name in record.authors:
        author = _add_element(listed, "Author", ValidYN="Y")
        for tag, value in _list_name_parts(name):
            if value:
                _add_element(author, tag, value)


def _list_name_parts(name: Name) -> Iterable[tuple[str, str]]:
    if name.collective:
        return (("CollectiveName", name.family),)
    initials = "".join(word[0].upper() for word in names.fold_given_words(name))
    return (
        ("LastName", name.family),
        ("ForeName", name.given),
        ("Initials", initials),
        ("Suffix", name.suffix),
    )


def _add_element(parent: etree._Element, tag: str, text: str = "", **attributes: str) -> etree._Element:
    child = etree.SubElement(parent, tag, attributes)
    child.text = text or None
    return child
