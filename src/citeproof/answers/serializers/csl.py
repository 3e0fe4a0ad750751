"""One cited work as a CSL-JSON item (https://citationstyles.org), for Zotero, pandoc and citeproc."""

from __future__ import annotations

from citeproof.answers.serializers.venue_kind import is_proceedings
from citeproof.plumbing.json_bytes import Json
from citeproof.vocabulary import Claimed, Kind, Name

_TYPES = {
    Kind.ARTICLE: "article-journal", Kind.PREPRINT: "article", Kind.BOOK: "book", Kind.CHAPTER: "chapter",
    Kind.THESIS: "thesis", Kind.REPORT: "report", Kind.STANDARD: "standard", Kind.DATASET: "dataset",
    Kind.SOFTWARE: "software", Kind.WEB_PAGE: "webpage", Kind.LEGAL: "legal_case",
    Kind.PERSONAL_COMMUNICATION: "personal_communication", Kind.UNKNOWN: "document",
}  # fmt: skip
_IDS = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "isbn": "ISBN", "issn": "ISSN", "url": "URL"}


def build_csl_item(key: str, kind: Kind, claimed: Claimed) -> Json:
    """Return the item; a field that is not claimed is left out."""
    paper = kind is Kind.ARTICLE and is_proceedings(claimed)
    arxiv = claimed.ids.first("arxiv")
    item: Json = {
        "id": key,
        "type": "paper-conference" if paper else _TYPES[kind],
        "title": claimed.title,
        "author": _build_csl_people(claimed.authors),
        "editor": _build_csl_people(claimed.editors),
        "issued": {"date-parts": [[claimed.year]]} if claimed.year else None,
        "container-title": claimed.venue,
        "collection-title": claimed.series,
        "volume": claimed.volume,
        "issue": claimed.issue,
        "page": claimed.pages,
        "publisher": claimed.publisher,
        "edition": claimed.edition,
        "genre": "preprint" if kind is Kind.PREPRINT else None,
        "number" if kind is Kind.PREPRINT else "note": f"arXiv:{arxiv}" if arxiv else None,
        **{name: claimed.ids.first(scheme) for scheme, name in _IDS.items()},
        "custom": {"et_al": True} if claimed.authors and claimed.et_al else None,  # CSL has no word for it
    }
    return {name: value for name, value in item.items() if value}


def _build_csl_people(names: tuple[Name, ...]) -> list[Json]:
    return [_build_csl_person(name) for name in names]


def _build_csl_person(name: Name) -> Json:
    if name.collective:
        return {"literal": name.family}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {part: value for part, value in parts.items() if value}
