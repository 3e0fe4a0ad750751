"""Bibliographies in YAML: Hayagriva, which Typst reads, and the CSL items that pandoc reads."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.reading.extractors.decoded_text import DecodedText, refuse_flood
from citeproof.reading.extractors.records.bibtex_fields import add_field_origins
from citeproof.reading.extractors.records.csl_fields import MAX_TEXT, build_csl_reference
from citeproof.reading.extractors.records.yaml_text import Value, YamlError, parse_yaml, split_yaml_entries
from citeproof.text import dates, ids, names, pages, title
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_kinds
from citeproof.vocabulary import Claimed, Ids, Kind, Name, Problem, RawReference

_ITEM = re.compile(r"^([ \t]{0,9})-[ \t]{1,9}(?=\S)", re.MULTILINE)
_SCHEMES = ("doi", "isbn", "issn", "pmid", "pmcid", "arxiv")
_HINT = "write it as plain YAML, without anchors and tags"


def read_hayagriva(decoded: DecodedText) -> tuple[list[RawReference], list[Problem]]:
    """Return one reference per entry of a Hayagriva file; what cannot be read is a problem with its line."""
    references: list[RawReference] = []
    problems: list[Problem] = []
    for key, start, end in split_yaml_entries(decoded.text):
        value = _parse_value(decoded, start, end, problems)
        item = value.get(key) if isinstance(value, dict) else None
        if not isinstance(item, dict):
            if value is not None:
                place = decoded.locate_span(start, end)
                problems.append(
                    Problem(place, f"the entry {key[:80]!r} has no fields", "give it a type and a title")
                )
            continue
        parents, table = _list_parents(item), load_kinds("hayagriva")
        own = _read_field_text(item.get("type")).lower()
        inside = f"{own} in {_read_field_text(parents[0].get('type'))}".lower() if parents else ""
        references.append(
            RawReference(
                key[:300],
                decoded.text[start : min(end, start + MAX_TEXT)],
                decoded.locate_span(start, end),
                table.get(inside) or table.get(own) or Kind.UNKNOWN,
                _build_hayagriva_fields(item),
            )
        )
        refuse_flood(len(references), decoded.name)
    return references, problems


def read_csl_yaml(decoded: DecodedText, begin: int, end: int) -> tuple[list[RawReference], list[Problem]]:
    """Return one reference per item of the `references:` list between two offsets of the text."""
    references: list[RawReference] = []
    problems: list[Problem] = []
    for start, stop in _find_item_spans(decoded.text, begin, end):
        value = _parse_value(decoded, start, stop, problems)
        item = value[0] if isinstance(value, list) and value else None
        if not isinstance(item, dict):
            continue
        key = str(item.get("id") or f"ref-{len(references) + 1}")[:300]
        dated = {**item, "issued": _convert_issued(item.get("issued"))}
        references.append(build_csl_reference(dated, key, decoded, start, stop))
        refuse_flood(len(references), decoded.name)
    return references, problems


def _parse_value(decoded: DecodedText, start: int, end: int, problems: list[Problem]) -> Value:
    try:
        margin = decoded.text.rfind("\n", 0, start) + 1
        return parse_yaml(" " * (start - margin) + decoded.text[start:end])
    except YamlError as error:
        place = decoded.locate_span(start, end)
        message = f"line {(place.line or 1) + error.line - 1}: {error}; the entry is not read"
        problems.append(Problem(place, message, _HINT, decoded.text[start : min(end, start + 500)]))
        return None


def _find_item_spans(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    heads = list(_ITEM.finditer(text, begin, end))
    outer = [head for head in heads if len(head[1]) == len(heads[0][1])]
    for index, head in enumerate(outer):
        stop = outer[index + 1].start() if index + 1 < len(outer) else end
        start = head.start() + len(head[1])
        yield start, start + len(text[start:stop].rstrip())


def _convert_issued(value: object) -> object:
    """Return a date as CSL-JSON has it; pandoc also writes `{year: 2015}` and lists of that."""
    date = value[0] if isinstance(value, list) and value else value
    return str(date["year"]) if isinstance(date, dict) and "year" in date else date


def _build_hayagriva_fields(item: dict[str, Value]) -> Claimed:
    parents = _list_parents(item)
    authors = _read_hayagriva_people(item.get("author"))
    serial = _collect_hayagriva_ids([item, *parents])
    linked = _read_field_text(item.get("url"), "value")
    pairs = [*serial, *((scheme, identifier) for scheme, identifier, _, _ in ids.find_ids(linked))]
    claimed = Claimed(
        title=_clean_field_text(item.get("title")),
        authors=authors,
        editors=_read_hayagriva_people(item.get("editor")),
        year=dates.find_year(
            _read_field_text(item.get("date")) or next((_read_field_text(p.get("date")) for p in parents), "")
        ),
        venue=next((name for parent in parents if (name := _clean_field_text(parent.get("title")))), None),
        volume=_inherit_field("volume", item, parents),
        issue=_inherit_field("issue", item, parents),
        pages=pages.normalise(_read_field_text(item.get("page-range"))),
        publisher=_inherit_field("publisher", item, parents, "name"),
        edition=_inherit_field("edition", item, parents),
        ids=Ids(tuple(dict.fromkeys(pairs))),
    )
    return add_field_origins(claimed)


def _list_parents(item: dict[str, Value]) -> list[dict[str, Value]]:
    """Return what contains the work, the nearest first: `parent` nests and may list several."""
    parents: list[dict[str, Value]] = []
    level = item.get("parent")
    while level and len(parents) < 5:
        listed = level if isinstance(level, list) else [level]
        inner = [entry for entry in listed if isinstance(entry, dict)]
        parents += inner
        level = inner[0].get("parent") if inner else None
    return parents


def _inherit_field(
    field: str, item: dict[str, Value], parents: list[dict[str, Value]], inner: str = "value"
) -> str | None:
    texts = (_read_field_text(parent.get(field), inner) for parent in (item, *parents))
    return next(filter(None, texts), None)


def _collect_hayagriva_ids(holders: list[dict[str, Value]]) -> list[tuple[str, str]]:
    """Return the identifiers of the work; of what contains it only the ISSN and ISBN."""
    pairs: list[tuple[str, str]] = []
    for depth, holder in enumerate(holders):
        serial = holder.get("serial-number")
        numbers = serial if isinstance(serial, dict) else {}
        for scheme in _SCHEMES:
            value = ids.normalise_id(scheme, _read_field_text(numbers.get(scheme)))
            if value and (not depth or scheme in ("isbn", "issn")):
                pairs += ids.expand_doi(value) if scheme == "doi" else [(scheme, value)]
        pairs += [(s, v) for s, v, _, _ in ids.find_ids(_read_field_text(serial))] if not depth else []
    return pairs


def _read_hayagriva_people(value: Value) -> tuple[Name, ...]:
    listed = value if isinstance(value, list) else [value]
    return tuple(
        name for entry in listed[: names.MAX_NAMES] if (name := _read_hayagriva_person(entry)).family
    )


def _read_hayagriva_person(value: Value) -> Name:
    if not isinstance(value, dict):
        return names.parse(value) if isinstance(value, str) else Name("")
    family = " ".join(filter(None, (_read_field_text(value.get(part)) for part in ("prefix", "name"))))
    given = _read_field_text(value.get("given-name"))
    return Name(family, given, _read_field_text(value.get("suffix")), collective=not given)


def _read_field_text(value: object, field: str = "value") -> str:
    """Return a field as text; some may be written as `{value: …}` or `{name: …}`."""
    if isinstance(value, dict):
        value = value.get(field)
    return value[:4000] if isinstance(value, str) else ""


def _clean_field_text(value: Value) -> str | None:
    return title.clean(_read_field_text(value)) or None
