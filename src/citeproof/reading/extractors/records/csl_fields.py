"""The fields of a CSL-JSON item as claims about a work."""

from __future__ import annotations

from typing import Any

from citeproof.reading.extractors.decoded_text import DecodedText
from citeproof.reading.extractors.records.bibtex_fields import add_field_origins
from citeproof.text import dates, ids, names, pages, title
from citeproof.text.doi import is_short
from citeproof.text.package_tables import load_kinds
from citeproof.text.unicode import is_suspicious
from citeproof.vocabulary import Claimed, Ids, Kind, Name, RawReference

_IDS = {"DOI": "doi", "PMID": "pmid", "PMCID": "pmcid", "ISBN": "isbn", "ISSN": "issn", "arxiv": "arxiv"}
MAX_TEXT = 20_000  # characters of one item's source that are stored
_MAX_VALUE = 4000
_MAX_NAMES_TEXT = 100_000  # characters of an author list given as one string


def read_csl_fields(item: dict[str, Any]) -> tuple[Claimed, tuple[str, ...]]:
    """Return what `item` claims, and reason codes for identifiers that are not what they should be."""
    pairs, flags = _collect_csl_ids(item)
    authors, et_al = _read_csl_names(item.get("author"))
    number = _clean_csl_text(item.get("issue") or item.get("number"))
    claimed = Claimed(
        title=_clean_csl_text(item.get("title")),
        authors=authors,
        et_al=et_al or _get_custom_fields(item).get("et_al") is True,
        editors=_read_csl_names(item.get("editor"))[0],
        year=_read_csl_year(item.get("issued") or item.get("published") or item.get("original-date")),
        venue=_clean_csl_text(item.get("container-title"))
        or _clean_csl_text(item.get("event-title") or item.get("event")),
        series=_clean_csl_text(item.get("collection-title")),
        volume=_clean_csl_text(item.get("volume")),
        issue=None if number and number.lower().startswith("arxiv") else number,
        pages=pages.normalise(_read_csl_text(item.get("page")) or _read_csl_text(item.get("article-number"))),
        publisher=_clean_csl_text(item.get("publisher")),
        edition=_clean_csl_text(item.get("edition")),
        ids=Ids(pairs),
    )
    return add_field_origins(claimed), flags


def build_csl_reference(
    item: dict[str, Any], key: str, decoded: DecodedText, start: int, end: int
) -> RawReference:
    """Return the reference of an item that is at these characters of a document."""
    claimed, flags = read_csl_fields(item)
    text, place = decoded.text[start : min(end, start + MAX_TEXT)], decoded.locate_span(start, end)
    accessed = read_csl_day(item.get("accessed"))
    return RawReference(key, text, place, read_csl_kind(item), claimed, (), flags, accessed)


def read_csl_day(value: object) -> str:
    """Return a date of CSL as 2021, 2021-05 or 2021-05-03; nothing where it is none."""
    parts = value.get("date-parts") if isinstance(value, dict) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    if not isinstance(first, list) or not 1 <= len(first) <= 3:
        return ""
    return dates.find_day("-".join(str(part)[:4].zfill(2) for part in first))


def _get_custom_fields(item: dict[str, Any]) -> dict[str, Any]:
    """Return what programs keep in an item for themselves; ours that the list of authors is cut."""
    custom = item.get("custom")
    return custom if isinstance(custom, dict) else {}


def read_csl_kind(item: dict[str, Any]) -> Kind:
    """Return the kind of work an item's `type` (and genre) names."""
    stated = load_kinds("csl").get(_read_csl_text(item.get("type")).lower(), Kind.UNKNOWN)
    if stated in (Kind.ARTICLE, Kind.UNKNOWN) and "preprint" in _read_csl_text(item.get("genre")).lower():
        return Kind.PREPRINT
    return stated


def _read_csl_text(value: object) -> str:
    """Return a field as text; registries wrap titles in lists."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)[:_MAX_VALUE]
    return ""


def _clean_csl_text(value: object) -> str | None:
    return title.clean(_read_csl_text(value)) or None


def _read_csl_names(value: object) -> tuple[tuple[Name, ...], bool]:
    """Return the names of a CSL list, and whether it says that it is cut."""
    if isinstance(value, str):
        return names.split_names(" ".join(value[:_MAX_NAMES_TEXT].split()))
    people = [_read_csl_name(item) for item in value[: names.MAX_NAMES]] if isinstance(value, list) else []
    cut = [name.family.lower().rstrip(".") in ("others", "et al", "...", "…") for name in people]
    return tuple(name for name, gone in zip(people, cut, strict=True) if name.family and not gone), any(cut)


def _read_csl_name(value: object) -> Name:
    if not isinstance(value, dict):
        return names.parse(_read_csl_text(value))
    family, given = _read_csl_text(value.get("family")), _read_csl_text(value.get("given"))
    if not family:
        literal = _read_csl_text(value.get("literal") or value.get("name") or given)
        return Name(family=names.tidy_name(literal), collective=not given) if literal else Name("")
    particle = _read_csl_text(value.get("non-dropping-particle") or value.get("dropping-particle"))
    whole = names.tidy_name(f"{particle} {family}" if particle else family)
    return Name(whole, names.tidy_name(given), names.tidy_name(_read_csl_text(value.get("suffix"))))


def _read_csl_year(value: object) -> int | None:
    """Return the year of a CSL date: date-parts, raw, literal or a plain number."""
    if not isinstance(value, dict):
        return dates.find_year(_read_csl_text(value))
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
        return dates.find_year(_read_csl_text(parts[0][0]))
    return dates.find_year(_read_csl_text(value.get("raw") or value.get("literal")))


def _collect_csl_ids(item: dict[str, Any]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    pairs: list[tuple[str, str]] = []
    flags: list[str] = []
    for name, scheme in _IDS.items():
        listed = item.get(name)
        for value in listed if isinstance(listed, list) else [listed]:
            text = _read_csl_text(value)
            normal = ids.normalise_id(scheme, text)
            if normal is None and text and not (scheme == "doi" and is_short(text)):
                flags.append(f"malformed_{scheme}")
            elif normal:
                pairs += ids.expand_doi(normal) if scheme == "doi" else [(scheme, normal)]
                flags += ["suspicious_characters"] if scheme == "doi" and is_suspicious(normal) else []
    for name in ("URL", "note", "number", "id"):
        pairs += [(scheme, value) for scheme, value, _, _ in ids.find_ids(_read_csl_text(item.get(name)))]
    return tuple(dict.fromkeys(pairs)), tuple(dict.fromkeys(flags))
