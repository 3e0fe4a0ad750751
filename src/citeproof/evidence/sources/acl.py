"""The ACL Anthology: the papers of computational linguistics, some 120,000 since 1952.

**Covers** the venues of the ACL and its sisters (ACL, EMNLP, NAACL, COLING, LREC, TACL, CL and workshops). It
is the authority on its own ids: **silence** on `P19-1001` or `2020.acl-main.1` means that there is no such
paper.

**Asked by** its id only, one at a time: `https://aclanthology.org/<id>.xml`, a MODS file. For an id that a
DOI implies (`10.18653/v1/…`) only if the record of the DOI leaves something open. There is no search API:
the site's search box is a commercial engine that may not be asked by programs. To search its titles offline,
build a snapshot from the Anthology's own BibTeX file (`anthology.bib.gz`).

**Costs** nothing, needs no key. The site is a set of static files; 1 request a second is sent.

**Identifiers of its own:** Anthology ids, of the old form (`P19-1001`) and the new one (since 2020). Records
carry the DOI (`10.18653/v1/…`, `10.1162/tacl_a_…`).

**Known quirks**

- An id without a paper number (`2020.acl-main`, `P19-1`) names a volume: the record is that of the
  proceedings, its editors as authors.
- Author lists are whole; names are split into given and family by people.
- Retracted papers keep their page and their file; only a notice on the page says so, and it is not read.
- Revised and corrected papers keep their id.
- A 404 is a page for people (HTML); its status decides, not its text.

**Licence:** metadata CC BY 4.0 (papers since 2016 CC BY 4.0, older ones CC BY-NC-SA 3.0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from lxml import etree

from citeproof.evidence.sources.base import LiveSource, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import json_fields
from citeproof.plumbing.net.message import XML, Rate, Request, UnreadableError, build_url, quote_segment
from citeproof.text import dates, names, pages
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Ids, Kind, Name, Question, Record, Version

_VOLUME = re.compile(r"\d{4}\.[a-z0-9_]+-[a-z0-9_]+|[A-Z]\d\d-\d{1,3}")
SPACE = "{http://www.loc.gov/mods/v3}"


class Acl(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("acl",))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="ACL Anthology",
        url="https://aclanthology.org",
        rate=Rate(1, at_once=1),
        probe=("acl", "N19-1423"),
        turns={"acl": 1},
        authority=frozenset(("acl",)),
        says_no_with_pages=True,
        licence="CC BY 4.0",
    )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        folder = "volumes/" if _VOLUME.fullmatch(question.value) else ""
        url = build_url(self.wiring.url, f"{folder}{quote_segment(question.value)}.xml")
        answer = await visit.get(Request(self.name, url, accept=(*XML, "text/plain")))
        if answer is None:
            return ()
        root = answer.xml()
        first = root.find(f"{SPACE}mods") if root.tag == f"{SPACE}modsCollection" else None
        paper = make_record(first) if first is not None else None
        if paper is None:
            raise UnreadableError("no MODS description of a paper")
        others = (pair for pair in paper.ids.pairs if pair[0] != "acl")
        return (replace(paper, id=question.value, ids=Ids((("acl", question.value), *others))),)


def make_record(mods: etree._Element) -> Record | None:
    """Return the record of one `mods`; None without a title."""
    info = _find_all(mods, "titleInfo")
    first = info[0] if info else None
    known = json_fields.list_titles(_read_path_text(first, "title"), _read_path_text(first, "subTitle"))
    titles, marks = json_fields.split_retraction_mark(known)
    if not titles:
        return None
    host = next((e for e in _find_all(mods, "relatedItem") if e.get("type") == "host"), None)
    genre = _read_path_text(mods, "genre")
    kind = Kind.ARTICLE if host is not None else load_kinds("mods").get(genre, Kind.UNKNOWN)
    # a volume's address ends in the number of its front matter
    pairs = json_fields.make_id_pairs("acl", [_read_path_text(mods, "location/url")])
    stated = [e.text for e in _find_all(mods, "identifier") if e.get("type") == "doi"]
    pairs += tuple(pair for pair in json_fields.make_id_pairs("doi", stated) if pair[0] == "doi")
    own = next((value for scheme, value in pairs if scheme == "acl"), "")
    publisher = _read_path_text(mods, "originInfo/publisher") or _read_path_text(host, "originInfo/publisher")
    return Record(
        source="",
        id=own,
        titles=titles,
        authors=_read_people(mods, "author") or (() if host is not None else _read_people(mods, "editor")),
        versions=(_read_version(mods, host, kind),),
        kind=kind,
        publisher=publisher or None,
        ids=Ids(pairs),
        marks=marks,
    )


def _read_people(mods: etree._Element, role: str) -> tuple[Name, ...]:
    authors = []
    for name in _find_all(mods, "name")[: json_fields.MAX_ROWS]:
        if _read_path_text(name, "role/roleTerm") != role:
            continue
        parts: dict[str, list[str]] = {}
        for part in _find_all(name, "namePart"):
            text = names.tidy_name((part.text or "")[: names.MAX_NAME])
            parts.setdefault(part.get("type", ""), []).append(text)
        family, given = (" ".join(parts.get(kind, ())) for kind in ("family", "given"))
        if family:
            authors.append(Name(family, given, " ".join(parts.get("termsOfAddress", ()))))
        elif whole := " ".join(parts.get("", ())):
            corporate = name.get("type") == "corporate"
            authors.append(Name(whole, collective=True) if corporate else names.parse(whole))
    return tuple(authors)


def _read_version(mods: etree._Element, host: etree._Element | None, kind: Kind) -> Version:
    part = mods.find(f"{SPACE}part")
    numbers = {e.get("type"): _read_path_text(e, "number") for e in _find_all(part, "detail")}
    start, end = _read_path_text(part, "extent/start"), _read_path_text(part, "extent/end")
    stated = (
        _read_path_text(mods, "originInfo/dateIssued"),
        _read_path_text(part, "date"),
        _read_path_text(host, "originInfo/dateIssued"),
    )
    return Version(
        next((year for year in map(dates.find_year, stated) if year), None),
        _read_path_text(host, "titleInfo/title") or None,
        kind,
        numbers.get("volume") or None,
        numbers.get("issue") or None,
        pages.normalise(f"{start}-{end}" if start and end else start),
    )


def _find_all(element: etree._Element | None, tag: str) -> list[etree._Element]:
    return element.findall(f"{SPACE}{tag}") if element is not None else []


def _read_path_text(element: etree._Element | None, path: str) -> str:
    """Return the plain text at a path of MODS elements, "" if there is none."""
    if element is None:
        return ""
    child = element.find("/".join(SPACE + step for step in path.split("/")))
    return json_fields.read_text("".join(child.itertext())) if child is not None else ""
