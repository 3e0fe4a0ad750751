"""The works of a Citavi placeholder as CSL-JSON items.

A placeholder repeats an object by `$ref` to the `$id` it gave it before. One that names a work only
by its id in the author's project has nothing to give; the printed list is read instead.
"""

from __future__ import annotations

import re
from typing import Any

_TYPES = {
    "JournalArticle": "article-journal",
    "MagazineArticle": "article-magazine",
    "NewspaperArticle": "article-newspaper",
    "Book": "book",
    "BookEdited": "book",
    "CollectedWorks": "book",
    "Contribution": "chapter",
    "ContributionInLegalCommentary": "chapter",
    "ConferenceProceedings": "book",
    "Thesis": "thesis",
    "UnpublishedWork": "manuscript",
    "InternetDocument": "webpage",
    "ReportOrGrayLiterature": "report",
    "Standard": "standard",
    "Patent": "patent",
    "StatuteOrRegulation": "legislation",
    "CourtDecision": "legal_case",
    "ComputerProgram": "software",
    "PersonalCommunication": "personal_communication",
}
_PAGES = re.compile(r"<os>([^<]{1,80})</os>")
_MAX_OBJECTS = 50_000

Item = tuple[dict[str, Any], tuple[str, ...]]


def items(placeholder: object) -> list[Item]:
    """Return each work of a placeholder that is described in it, with the ids that name it."""
    known = _by_id(placeholder)
    entries = placeholder.get("Entries") if isinstance(placeholder, dict) else None
    found: list[Item] = []
    for entry in entries if isinstance(entries, list) else []:
        work = _real(entry.get("Reference"), known) if isinstance(entry, dict) else {}
        if work.get("Title"):
            own = (work.get("Id"), entry.get("ReferenceId"))
            marks = tuple(dict.fromkeys(str(one)[:200] for one in own if isinstance(one, str) and one))
            found.append((_csl(work, known), marks))
    return found


def _csl(work: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    parent = _real(work.get("ParentReference"), known)
    periodical = _real(work.get("Periodical"), known)
    publishers = work.get("Publishers") or parent.get("Publishers")
    publisher = _real(publishers[0], known) if isinstance(publishers, list) and publishers else {}
    title, subtitle = _text(work.get("Title")), _text(work.get("Subtitle"))
    pages = _PAGES.findall(_text(work.get("PageRange"))[:2000])
    return {
        "type": _TYPES.get(_text(work.get("ReferenceType")), ""),
        "title": f"{title}: {subtitle}" if subtitle and subtitle not in title else title,
        "author": _people(work.get("Authors"), known),
        "editor": _people(work.get("Editors") or parent.get("Editors"), known),
        "issued": _text(
            work.get("YearResolved") or work.get("Year") or work.get("Date") or parent.get("Year")
        ),
        "container-title": _text(periodical.get("Name") or parent.get("Title")),
        "collection-title": _text(_real(work.get("SeriesTitle"), known).get("Name")),
        "volume": _text(work.get("Volume")),
        "issue": _text(work.get("Number")),
        "page": pages[-1] if pages else "",
        "publisher": _text(publisher.get("Name")),
        "edition": _text(work.get("Edition")),
        "DOI": _text(work.get("Doi")),
        "PMID": _text(work.get("PubMedId")),
        "ISBN": _text(work.get("Isbn")),
        "URL": _text(work.get("OnlineAddress")),
    }


def _people(listed: object, known: dict[str, Any]) -> list[dict[str, str]]:
    people = [_real(one, known) for one in listed[:500]] if isinstance(listed, list) else []
    return [
        {
            "family": " ".join(filter(None, (_text(one.get("Prefix")), _text(one.get("LastName"))))),
            "given": " ".join(filter(None, (_text(one.get("FirstName")), _text(one.get("MiddleName"))))),
            "suffix": _text(one.get("Suffix")),
        }
        for one in people
        if one.get("LastName")
    ]


def _text(value: object) -> str:
    return str(value)[:4000].strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _real(value: object, known: dict[str, Any]) -> dict[str, Any]:
    """Return the object `value` is or refers to."""
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        value = known.get(value["$ref"])
    return value if isinstance(value, dict) else {}


def _by_id(placeholder: object) -> dict[str, Any]:
    """Return the objects of a placeholder by their `$id`."""
    known: dict[str, Any] = {}
    waiting = [placeholder]
    for _ in range(_MAX_OBJECTS):
        if not waiting:
            break
        one = waiting.pop()
        if isinstance(one, dict) and isinstance(one.get("$id"), str):
            known.setdefault(one["$id"], one)
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        waiting.extend(value for value in inner if isinstance(value, dict | list))
    return known
