"""What reference managers leave in a document: the code of a citation to the works it cites.

Zotero and Mendeley store CSL-JSON, EndNote its own XML, Citavi base64 of its own JSON; Word names a
source that is stored elsewhere in the file. A code that cannot be read says why.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from citeproof.errors import InputError
from citeproof.reading.extractors.endnote_xml import read_endnote_record
from citeproof.reading.extractors.records.csl_fields import read_csl_fields, read_csl_kind
from citeproof.reading.extractors.records.record_fields import build_record_reference
from citeproof.reading.extractors.xml.xml_tree import parse_xml
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.vocabulary import Claimed, Document, Kind, Place
from citeproof.vocabulary.quick_dataclass import dataclass

if TYPE_CHECKING:
    from lxml import etree

MAX_CODE = 5_000_000  # characters of one code that are read
MAX_WORKS = 500  # cited by one code

_MAX_TEXT = 20_000
_LIST = re.compile(
    r"(?:ADDIN\s{1,9})?(?:ZOTERO_BIBL\b|EN\.REFLIST\b|REFMGR\.REFLIST\b|Mendeley Bibliography\b"
    r"|MENDELEY_BIBLIOGRAPHY|CSL_BIBLIOGRAPHY|CITAVI[ .]?BIBLIOGRAPHY|BIBLIOGRAPHY\b|JR_bib\b)",
    re.IGNORECASE,
)
_CSL = re.compile(r"(?:ADDIN\s{1,9})?(ZOTERO_ITEM|Mendeley Citation|CSL_CITATION)", re.IGNORECASE)
_MENDELEY = "MENDELEY_CITATION_v"
_CITAVI = re.compile(r"ADDIN\s{1,9}CitaviPlaceholder\s{0,9}\{?\s{0,9}([A-Za-z0-9+/=\s_-]{8,})", re.IGNORECASE)
_WORD = re.compile(r"CITATION\s{1,9}(\S{1,200})", re.IGNORECASE)
_WORD_MORE = re.compile(r"\\m\s{1,9}(\S{1,200})", re.IGNORECASE)
_LOCAL = re.compile(r"ITEM-\d{1,6}")  # counts within one citation and names no work

# The works of a Citavi placeholder as CSL-JSON items.
# A placeholder repeats an object by `$ref` to the `$id` it gave it before. One that names a work only
# by its id in the author's project has nothing to give; the printed list is read instead.
_PAGES = re.compile(r"<os>([^<]{1,80})</os>")
_MAX_OBJECTS = 50_000
_DATES = ("YearResolved", "Year", "Date")

Item = tuple[dict[str, Any], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CodedWork:
    """One cited work. `marks` say which works are the same: addresses and ids in the author's library."""

    marks: tuple[str, ...]
    key: str
    kind: Kind
    claimed: Claimed
    text: str  # the work's data as stored
    suspicious: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldCode:
    """One code: the works it cites, the keys of sources stored elsewhere, or the printed list it makes."""

    program: str
    works: tuple[CodedWork, ...] = ()
    keys: tuple[str, ...] = ()
    printed: bool = False
    fault: str = ""
    raw: str = ""


def parse_field_code(code: str, data: str = "") -> FieldCode | None:
    """Return what a field code says, None if it is not a citation; `data` is the base64 EndNote may add."""
    code = code[:MAX_CODE].strip()
    head = code[:300]
    if csl := _CSL.match(head):
        program = "Zotero" if csl[1].upper() == "ZOTERO_ITEM" else "Mendeley"
        start = code.find("CSL_CITATION") + 1 if "CSL_CITATION" in head else 0
        return _parse_csl_code(program, code[start:])
    if head.startswith(_MENDELEY):
        return _parse_csl_code("Mendeley", decode_base64(code[len(_MENDELEY) :].partition("_")[2]))
    if re.match(r"ADDIN\s{1,9}EN\.CITE", head, re.IGNORECASE):
        return _parse_endnote_code(code, data)
    if citavi := _CITAVI.match(code):
        packed = citavi[1]
        try:
            placeholder = json.loads(decode_base64(packed))
        except (ValueError, RecursionError):
            return FieldCode("Citavi", fault="its data is broken", raw=packed)
        works = tuple(
            build_csl_work(item, marks) for item, marks in read_citavi_items(placeholder)[:MAX_WORKS]
        )
        return FieldCode("Citavi", works)
    if _LIST.match(head):
        return FieldCode("", printed=True)
    if word := _WORD.match(head):
        named = (word[1], *_WORD_MORE.findall(code[:5000]))
        return FieldCode("Word", keys=tuple(key.strip('"') for key in named))
    return None


def build_csl_work(item: dict[str, Any], marks: tuple[str, ...], text: str = "") -> CodedWork:
    """Return the work a CSL-JSON item describes."""
    claimed, flags = read_csl_fields(item)
    named = (re.split(r"[/=]", mark.rstrip("/"))[-1] for mark in marks)
    key = str(item.get("citation-key") or "") or next(named, "")
    stated = {name: value for name, value in item.items() if value and name != "abstract"}
    shown = text or json.dumps(stated, ensure_ascii=False, indent=1)
    return _build_work(marks, key[:200], read_csl_kind(item), claimed, shown, flags)


def _build_work(
    marks: tuple[str, ...], key: str, kind: Kind, claimed: Claimed, text: str, flags: tuple[str, ...]
) -> CodedWork:
    """Return a work; one that nothing names is known by its title and year."""
    known = marks or (f"title:{claimed.title}:{claimed.year}",)
    return CodedWork(known, key, kind, claimed, text[:_MAX_TEXT], flags)


def decode_base64(text: str) -> str:
    """Return base64 as text, empty if it is not base64; missing padding and line breaks are accepted."""
    packed = "".join(text[:MAX_CODE].split()).rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError):
        return ""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    return data.decode(encoding, "replace").strip("\0\ufeff")


def _parse_csl_code(program: str, code: str) -> FieldCode:
    start = code.find("{")
    if start < 0:
        return FieldCode(program, fault="it contains no data", raw=code)
    try:
        cited, _ = json.JSONDecoder().raw_decode(code, start)
    except (ValueError, RecursionError):
        return FieldCode(program, fault="its data is broken", raw=code)
    listed = cited.get("citationItems")
    works = tuple(_list_csl_works(listed[:MAX_WORKS] if isinstance(listed, list) else []))
    missing = len(listed) - len(works) if isinstance(listed, list) else 0
    fault = "" if works and not missing else "it has no data about the work"
    return FieldCode(program, works, fault=fault, raw=code if fault else "")


def _list_csl_works(listed: list[Any]) -> Iterator[CodedWork]:
    for entry in listed:
        item = entry.get("itemData") if isinstance(entry, dict) else None
        if isinstance(item, dict) and (item.get("title") or item.get("author") or item.get("URL")):
            uris = entry.get("uris") or entry.get("uri") or []
            marks = [str(uri)[:500] for uri in (uris if isinstance(uris, list) else [uris])[:20]]
            own = [str(i)[:500] for i in (entry.get("id"), item.get("id")) if isinstance(i, str | int)]
            # an id counts in one author's library alone, an address everywhere
            marks = marks or [i for i in own if i and not _LOCAL.fullmatch(i)]
            yield build_csl_work(item, tuple(dict.fromkeys(marks)))


def _parse_endnote_code(code: str, data: str) -> FieldCode | None:
    start = code.find("<EndNote")
    xml = code[start:] if start >= 0 else decode_base64(data)
    if not xml:
        # EN.CITE.DATA without data is inside the field that has it
        bare = "EN.CITE.DATA" in code[:40].upper()
        return None if bare else FieldCode("EndNote", fault="it contains no data", raw=code)
    try:
        root = parse_xml(Document("EndNote", xml.encode()))
    except InputError:
        return FieldCode("EndNote", fault="its data is broken", raw=xml)
    works = tuple(_list_endnote_works(root))
    cites = sum(1 for _ in root.iter("Cite"))
    fault = "" if works and len(works) >= min(cites, MAX_WORKS) else "it has no data about the work"
    return FieldCode("EndNote", works, fault=fault, raw=xml if fault else "")


def _list_endnote_works(root: etree._Element) -> Iterator[CodedWork]:
    for record in islice(root.iter("record"), MAX_WORKS):
        shown = " ".join(" ".join(record.itertext()).split())
        reference, _ = build_record_reference("", shown, Place(), read_endnote_record(record))
        if reference is None or reference.claimed is None:
            continue
        key = record.find("foreign-keys/key")
        library = (key.get("guid") or key.get("db-id") or "") if key is not None else ""
        number = record.findtext("rec-number") or (key.text if key is not None else "") or ""
        marks = (f"{library}/{number}"[:300],) if library and number else ()
        # the number counts in the author's library: in the document it would look like a printed one
        yield _build_work(marks, "", reference.kind, reference.claimed, shown, reference.suspicious)


@cache
def load_csl_types(program: str) -> dict[str, str]:
    """Return the CSL type of each of a program's own types: one table of `csl_types.toml`."""
    table = load_package_table("citeproof.reading.extractors.office", "csl_types.toml")[program]
    return {name: csl for csl, called in table.items() for name in called}


def map_csl_fields(program: str, first: Callable[..., str]) -> dict[str, Any]:
    """Return a CSL item of what `first` gives for a program's names of its fields (`csl_fields.toml`)."""
    table = load_package_table("citeproof.reading.extractors.office", "csl_fields.toml")[program]
    return {field: first(*names) for field, names in table.items()}


def read_citavi_items(placeholder: object) -> list[Item]:
    """Return each work of a placeholder that is described in it, with the ids that name it."""
    known = _index_objects(placeholder)
    entries = placeholder.get("Entries") if isinstance(placeholder, dict) else None
    items: list[Item] = []
    for entry in entries if isinstance(entries, list) else []:
        work = _resolve_object(entry.get("Reference"), known) if isinstance(entry, dict) else {}
        if work.get("Title"):
            own = (work.get("Id"), entry.get("ReferenceId"))
            marks = tuple(dict.fromkeys(str(mark)[:200] for mark in own if isinstance(mark, str) and mark))
            items.append((_build_citavi_item(work, known), marks))
    return items


def _build_citavi_item(work: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    parent = _resolve_object(work.get("ParentReference"), known)
    periodical = _resolve_object(work.get("Periodical"), known)
    publishers = work.get("Publishers") or parent.get("Publishers")
    publisher = _resolve_object(publishers[0], known) if isinstance(publishers, list) and publishers else {}
    title, subtitle = _read_text(work.get("Title")), _read_text(work.get("Subtitle"))
    pages = _PAGES.findall(_read_text(work.get("PageRange"))[:2000])

    def first(*fields: str) -> str:
        return _read_text(work.get(fields[0])) if fields else ""

    return map_csl_fields("citavi", first) | {
        "type": load_csl_types("citavi").get(_read_text(work.get("ReferenceType")), ""),
        "title": f"{title}: {subtitle}" if subtitle and subtitle not in title else title,
        "author": _list_citavi_people(work.get("Authors"), known),
        "editor": _list_citavi_people(work.get("Editors") or parent.get("Editors"), known),
        "issued": _read_text(next(filter(None, [*map(work.get, _DATES), parent.get("Year")]), "")),
        "container-title": _read_text(periodical.get("Name") or parent.get("Title")),
        "collection-title": _read_text(_resolve_object(work.get("SeriesTitle"), known).get("Name")),
        "page": pages[-1] if pages else "",
        "publisher": _read_text(publisher.get("Name")),
    }


def _list_citavi_people(listed: object, known: dict[str, Any]) -> list[dict[str, str]]:
    people = [_resolve_object(entry, known) for entry in listed[:500]] if isinstance(listed, list) else []
    parts = {"family": ("Prefix", "LastName"), "given": ("FirstName", "MiddleName"), "suffix": ("Suffix",)}
    return [
        {
            part: " ".join(filter(None, (_read_text(person.get(n)) for n in named)))
            for part, named in parts.items()
        }
        for person in people
        if person.get("LastName")
    ]


def _read_text(value: object) -> str:
    return str(value)[:4000].strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _resolve_object(value: object, known: dict[str, Any]) -> dict[str, Any]:
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        value = known.get(value["$ref"])
    return value if isinstance(value, dict) else {}


def _index_objects(placeholder: object) -> dict[str, Any]:
    known: dict[str, Any] = {}
    waiting = [placeholder]
    for _ in range(_MAX_OBJECTS):
        if not waiting:
            break
        current = waiting.pop()
        if isinstance(current, dict) and isinstance(current.get("$id"), str):
            known.setdefault(current["$id"], current)
        inner = (
            current.values() if isinstance(current, dict) else current if isinstance(current, list) else ()
        )
        waiting.extend(value for value in inner if isinstance(value, dict | list))
    return known
