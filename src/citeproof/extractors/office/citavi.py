"""The works of a Citavi placeholder as CSL-JSON items.

A placeholder repeats an object by `$ref` to the `$id` it gave it before. One that names a work only
by its id in the author's project has nothing to give; the printed list is read instead.
"""

from __future__ import annotations

import re
from typing import Any

from citeproof.extractors.office.csl_types import load_csl_types

_PAGES = re.compile(r"<os>([^<]{1,80})</os>")
_MAX_OBJECTS = 50_000
_DATES = ("YearResolved", "Year", "Date")

Item = tuple[dict[str, Any], tuple[str, ...]]


def read_citavi_items(placeholder: object) -> list[Item]:
    """Return each work of a placeholder that is described in it, with the ids that name it."""
    known = _index_objects(placeholder)
    entries = placeholder.get("Entries") if isinstance(placeholder, dict) else None
    found: list[Item] = []
    for entry in entries if isinstance(entries, list) else []:
        work = _resolve_object(entry.get("Reference"), known) if isinstance(entry, dict) else {}
        if work.get("Title"):
            own = (work.get("Id"), entry.get("ReferenceId"))
            marks = tuple(dict.fromkeys(str(one)[:200] for one in own if isinstance(one, str) and one))
            found.append((_build_citavi_item(work, known), marks))
    return found


def _build_citavi_item(work: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    parent = _resolve_object(work.get("ParentReference"), known)
    periodical = _resolve_object(work.get("Periodical"), known)
    publishers = work.get("Publishers") or parent.get("Publishers")
    publisher = _resolve_object(publishers[0], known) if isinstance(publishers, list) and publishers else {}
    title, subtitle = _read_text(work.get("Title")), _read_text(work.get("Subtitle"))
    pages = _PAGES.findall(_read_text(work.get("PageRange"))[:2000])
    return {
        "type": load_csl_types("citavi").get(_read_text(work.get("ReferenceType")), ""),
        "title": f"{title}: {subtitle}" if subtitle and subtitle not in title else title,
        "author": _list_citavi_people(work.get("Authors"), known),
        "editor": _list_citavi_people(work.get("Editors") or parent.get("Editors"), known),
        "issued": _read_text(next(filter(None, [*map(work.get, _DATES), parent.get("Year")]), "")),
        "container-title": _read_text(periodical.get("Name") or parent.get("Title")),
        "collection-title": _read_text(_resolve_object(work.get("SeriesTitle"), known).get("Name")),
        "volume": _read_text(work.get("Volume")),
        "issue": _read_text(work.get("Number")),
        "page": pages[-1] if pages else "",
        "publisher": _read_text(publisher.get("Name")),
        "edition": _read_text(work.get("Edition")),
        "DOI": _read_text(work.get("Doi")),
        "PMID": _read_text(work.get("PubMedId")),
        "ISBN": _read_text(work.get("Isbn")),
        "URL": _read_text(work.get("OnlineAddress")),
    }


def _list_citavi_people(listed: object, known: dict[str, Any]) -> list[dict[str, str]]:
    people = [_resolve_object(one, known) for one in listed[:500]] if isinstance(listed, list) else []
    parts = {"family": ("Prefix", "LastName"), "given": ("FirstName", "MiddleName"), "suffix": ("Suffix",)}
    return [
        {
            part: " ".join(filter(None, (_read_text(one.get(n)) for n in named)))
            for part, named in parts.items()
        }
        for one in people
        if one.get("LastName")
    ]


def _read_text(value: object) -> str:
    return str(value)[:4000].strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _resolve_object(value: object, known: dict[str, Any]) -> dict[str, Any]:
    """Return the object `value` is or refers to."""
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        value = known.get(value["$ref"])
    return value if isinstance(value, dict) else {}


def _index_objects(placeholder: object) -> dict[str, Any]:
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
