"""The fields of a CSL-JSON item as claims about a work."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from citeproof.extractors.bibfields import with_origins
from citeproof.text import dates, ids, names, pages, title
from citeproof.text.doi import is_short
from citeproof.text.unicode import suspicious
from citeproof.vocabulary import Claimed, Ids, Kind, Name

_IDS = {"DOI": "doi", "PMID": "pmid", "PMCID": "pmcid", "ISBN": "isbn", "ISSN": "issn", "arxiv": "arxiv"}
_MAX_VALUE = 4000
_MAX_NAMES_TEXT = 100_000  # characters of an author list given as one string


def claimed_of(item: dict[str, Any]) -> tuple[Claimed, tuple[str, ...]]:
    """Return what `item` claims, and reason codes for identifiers that are not what they should be."""
    pairs, flags = _ids(item)
    authors, et_al = _names(item.get("author"))
    claimed = Claimed(
        title=_plain(item.get("title")),
        authors=authors,
        et_al=et_al or _custom(item).get("et_al") is True,
        editors=_names(item.get("editor"))[0],
        year=_year(item.get("issued") or item.get("published") or item.get("original-date")),
        venue=_plain(item.get("container-title")) or _plain(item.get("event-title") or item.get("event")),
        series=_plain(item.get("collection-title")),
        volume=_plain(item.get("volume")),
        issue=_issue(item),
        pages=pages.normal(_text(item.get("page")) or _text(item.get("article-number"))),
        publisher=_plain(item.get("publisher")),
        edition=_plain(item.get("edition")),
        ids=Ids(pairs),
    )
    return with_origins(claimed), flags


def _custom(item: dict[str, Any]) -> dict[str, Any]:
    """Return what programs keep in an item for themselves; ours that the list of authors is cut."""
    custom = item.get("custom")
    return custom if isinstance(custom, dict) else {}


def _issue(item: dict[str, Any]) -> str | None:
    """Return the issue; preprints have their identifier as `number`, which is none."""
    number = _plain(item.get("issue") or item.get("number"))
    return None if number and number.lower().startswith("arxiv") else number


def kind_of(item: dict[str, Any]) -> Kind:
    """Return the kind of work an item's `type` (and genre) names."""
    stated = _kinds().get(_text(item.get("type")).lower(), Kind.UNKNOWN)
    if stated in (Kind.ARTICLE, Kind.UNKNOWN) and "preprint" in _text(item.get("genre")).lower():
        return Kind.PREPRINT
    return stated


@cache
def _kinds() -> dict[str, Kind]:
    source = files("citeproof.extractors").joinpath("csl_kinds.toml").read_text("utf-8")
    kinds: dict[str, list[str]] = tomllib.loads(source)["kinds"]
    return {name: Kind(word) for word, listed in kinds.items() for name in listed}


def _text(value: object) -> str:
    """Return a field as text; registries wrap titles in lists."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return (
        str(value)[:_MAX_VALUE]
        if isinstance(value, str | int | float) and not isinstance(value, bool)
        else ""
    )


def _plain(value: object) -> str | None:
    return title.clean(_text(value)) or None


def _names(value: object) -> tuple[tuple[Name, ...], bool]:
    """Return the names of a CSL list, and whether it says that it is cut."""
    if isinstance(value, str):
        return names.split(" ".join(value[:_MAX_NAMES_TEXT].split()))
    found = [_name(one) for one in value[: names.MAX_NAMES]] if isinstance(value, list) else []
    cut = [name.family.lower().rstrip(".") in ("others", "et al", "...", "…") for name in found]
    return tuple(name for name, gone in zip(found, cut, strict=True) if name.family and not gone), any(cut)


def _name(value: object) -> Name:
    if not isinstance(value, dict):
        return names.parse(_text(value))
    family, given = _text(value.get("family")), _text(value.get("given"))
    if not family:
        literal = _text(value.get("literal") or value.get("name") or given)
        return Name(family=names.tidy(literal), collective=not given) if literal else Name("")
    particle = _text(value.get("non-dropping-particle") or value.get("dropping-particle"))
    whole = names.tidy(f"{particle} {family}" if particle else family)
    return Name(whole, names.tidy(given), names.tidy(_text(value.get("suffix"))))


def _year(value: object) -> int | None:
    """Return the year of a CSL date: date-parts, raw, literal or a plain number."""
    if not isinstance(value, dict):
        return dates.year(_text(value))
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
        return dates.year(_text(parts[0][0]))
    return dates.year(_text(value.get("raw") or value.get("literal")))


def _ids(item: dict[str, Any]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    pairs: list[tuple[str, str]] = []
    flags: list[str] = []
    for name, scheme in _IDS.items():
        listed = item.get(name)
        for value in listed if isinstance(listed, list) else [listed]:
            text = _text(value)
            normal = ids.normal(scheme, text)
            if normal is None and text and not (scheme == "doi" and is_short(text)):
                flags.append(f"malformed_{scheme}")
            elif normal:
                pairs += ids.of_doi(normal) if scheme == "doi" else [(scheme, normal)]
                flags += ["suspicious_characters"] if scheme == "doi" and suspicious(normal) else []
    for name in ("URL", "note", "number", "id"):
        pairs += [(scheme, value) for scheme, value, _, _ in ids.from_text(_text(item.get(name)))]
    return tuple(dict.fromkeys(pairs)), tuple(dict.fromkeys(flags))
