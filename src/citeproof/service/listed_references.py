"""References as programs hand them over: a list of texts and of the fields of works, one reference an item.

    ["Vaswani et al. (2017). Attention is all you need.", {"title": "…", "authors": ["…"], "year": 2017}]

An object has the words of `verifyCitation`, where `author` is the first author's family name, or those of
CSL-JSON, BibTeX and tables, where it is all of them, unless it is a family name alone; all in any case of
letters. What is missing (`null`) is a note, and so are the words that nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

import msgspec

from citeproof.errors import CiteproofError, InputError, UsageError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.prose.field_records import load_field_names
from citeproof.reading.extractors.records.csl_fields import read_csl_fields, read_csl_kind
from citeproof.service.citation_input import CitationDetails, build_citation
from citeproof.service.input_documents import Subject, clean_name
from citeproof.service.input_kinds import InputKind, classify_input
from citeproof.text import names
from citeproof.text.package_tables import load_package_table
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Document, Extraction, Name, Place, Problem, RawReference

LISTED = "<references>"
MOST_LISTED = 1000  # references of one list that is sent
MAX_REFERENCE = 5000  # characters of one reference as text
_NAMES = {"whoIrisUrl": "who_iris_url"}  # of `verifyCitation`, and ours
_VAGUE = ("doi", "citation", "number")  # columns that may hold anything
_TEXTS = ("plain_text", "markdown")
_KNOWN_NAMES = "name them title, authors, year, venue, doi …, as in docs/python.md"
_EMPTY = "no reference: the value is missing"
ITEMS = "hand over texts, dictionaries, paths or documents"
_UNREAD = Extraction(())  # of what is a document of its own
Several = Iterable[Subject | Mapping[str, object] | None]  # references and documents, such as a column


def read_flat_object(data: bytes | msgspec.Raw) -> dict[str, Any]:
    """Return a JSON object; lists and objects in it stay `msgspec.Raw`, which costs nothing however deep."""
    values = decode_json(data, type=dict[str, msgspec.Raw])
    return {name: _read_scalar(value) for name, value in values.items()}


def _read_scalar(value: msgspec.Raw) -> object:
    return value if bytes(value).startswith((b"[", b"{")) else msgspec.json.decode(value)


@cache
def _make_list_type() -> type[msgspec.Struct]:
    """Return the type of a list that is not read further than it may go, nor into what it holds."""
    items = [(f"at_{n}", msgspec.Raw, msgspec.Raw()) for n in range(MOST_LISTED)]
    return msgspec.defstruct("ReferenceList", items, array_like=True, forbid_unknown_fields=True)


def list_references(data: bytes) -> Extraction:
    """Return the references of a JSON list: each a text, or the fields of a work."""
    try:
        given = msgspec.structs.astuple(decode_json(data, type=_make_list_type()))
        return _make_extraction(list(enumerate(filter(len, given), 1)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if not isinstance(error, msgspec.ValidationError):
            raise InputError(f"not valid JSON: {error}", place=LISTED, hint="send a list") from error
        hint = 'send ["Author (year). Title.", …], in several requests if there are more, or a file'
        message = f"is not a list of at most {MOST_LISTED:,} references"
        raise UsageError(message, place="references", hint=hint) from error


def _make_extraction(rows: Sequence[tuple[int, msgspec.Raw]]) -> Extraction:
    problems: dict[str | int, Problem] = {}  # what nobody knows is told once
    references = []
    for n, raw in rows:
        if bytes(raw) == b"null":
            problems[n] = Problem(Place(LISTED, n), _EMPTY, note=True)
        else:
            reference, unused = _make_reference(n, raw)
            references.append(reference)
            if unused:
                told = f"not used: {', '.join(unused)[:300]}"
                problems.setdefault(told, Problem(Place(LISTED, n), told, _KNOWN_NAMES, note=True))
    return Extraction(tuple(references), tuple(problems.values()), format="references")


def list_documents(items: Several, read: Callable[[Subject], Document]) -> list[tuple[Document, Extraction]]:
    """Return the references of a list as one document, then its documents, which are still to be read.

    A text in the format of a document, and what names a file, an address or a collection, is a document.
    """
    documents: list[tuple[Document, Extraction]] = []
    made: list[Extraction] = []
    data: list[bytes] = []
    error: CiteproofError | None = None
    for number, item in enumerate(items, 1):
        try:
            listed = _list_item(item)
            if listed is None:
                document = read(item)  # type: ignore[arg-type]  # what is neither is told of by `_list_item`
                named = f"{document.name} {number}" if document.name.startswith("<") else document.name
                documents.append((replace(document, name=named), _UNREAD))
                continue
            data.append(bytes(listed))
            made.append(_make_extraction([(number, listed)]))
        except (InputError, UsageError) as trouble:
            error = error or trouble
            told = ": ".join(filter(None, (trouble.place, trouble.message)))
            made.append(Extraction((), (Problem(Place(LISTED, number), told, trouble.hint),)))
    references = tuple(reference for each in made for reference in each.references)
    if error and not references and not documents:
        raise error
    problems: dict[object, Problem] = {}
    for number, one in ((n, one) for n, each in enumerate(made) for one in each.problems):
        problems.setdefault(one.message if one.hint == _KNOWN_NAMES else number, one)
    listed_all = Extraction(references, tuple(problems.values()), format="references")
    first = [(Document(LISTED, b"[" + b",".join(data) + b"]"), listed_all)] if made or not documents else []
    return [*first, *documents]


def _list_item(item: object) -> msgspec.Raw | None:
    """Return a reference or a missing value of a list as JSON; None if it is a document of its own."""
    value: object = None
    if isinstance(item, str):
        named = classify_input(item)
        written = named.text if named.kind is InputKind.IDENTIFIER else item
        as_document = Document(LISTED, written.encode("utf-8", "replace"))
        alone = named.kind not in (InputKind.IDENTIFIER, InputKind.TEXT)
        if written.strip() and (alone or detect_extractor(as_document).name not in _TEXTS):
            return None
        value = " ".join(written.split()) or None
    elif isinstance(item, Mapping):
        fields = {str(name): each for name, each in item.items() if not _is_missing(each)}
        value = fields | ({"year": _clean_year(fields["year"])} if "year" in fields else {}) or None
    elif isinstance(item, Document | Path | bytes):
        return None
    elif not _is_missing(item):
        raise UsageError(f"{type(item).__name__} is no reference", place="check", hint=ITEMS)
    return msgspec.Raw(msgspec.json.encode(value, enc_hook=str))


def _is_missing(value: object) -> bool:
    """Return whether a value is one of those that stand for nothing in tables: None, NaN, NaT, NA."""
    return value is None or str(value) in ("nan", "NaT", "<NA>", "")


def _clean_year(value: object) -> object:
    """Return a year that a table made 2015.0, or "2015", as 2015."""
    whole = str(value).removesuffix(".0")
    return int(whole) if whole.isascii() and whole.isdecimal() else value


def _make_reference(number: int, raw: msgspec.Raw) -> tuple[RawReference, list[str]]:
    """Return the reference of an item, and the names in it that nobody knows."""
    place, key = f"references[{number - 1}]", f"ref-{number}"
    given = read_flat_object(raw) if bytes(raw).startswith(b"{") else _read_scalar(raw)
    if isinstance(given, str):
        if not given.strip() or len(given) > MAX_REFERENCE:
            message = f"has {len(given):,} characters, must have 1 to {MAX_REFERENCE:,}"
            raise UsageError(message, place=place, hint="send one reference an item")
        return RawReference(key, given.strip(), Place(LISTED, number)), []
    if not isinstance(given, dict):
        raise UsageError("is neither a text nor an object", place=place, hint='send {"title": …, "doi": …}')
    try:
        citation, unused = _read_item(given, bytes(raw))
    except UsageError as error:
        raise UsageError(error.message, place=f"{place}.{error.place}", hint=error.hint) from error
    own = given.get("key") or given.get("id")
    named = clean_name(own, key) if isinstance(own, str) else key
    return replace(citation, key=named, place=Place(LISTED, number)), unused


def _read_item(given: Mapping[str, object], data: bytes) -> tuple[RawReference, list[str]]:
    """Return the reference of an object, whichever words it has for its fields, and those not used."""
    own = {name.lower(): name for name in (*CitationDetails.__annotations__, *_NAMES, "title", "key")}
    named = {own.get(name.lower(), ""): value for name, value in given.items()}
    people = named.get("author") or ""
    several = isinstance(people, msgspec.Raw) or len(names.split_names(str(people))[0]) > 1
    if "" not in named and named.get("title") and not several:
        return read_citation(named), []
    item: dict[str, Any] = {}
    for name, value in msgspec.json.decode(data).items():
        if value is not None:
            item.setdefault(_find_csl_name(name), value)
    unused = [name for name in given if _find_csl_name(name) not in _load_names()[1]]
    claimed, flags = read_csl_fields(item)
    if not claimed.title and not claimed.ids:
        hint = f"give the title as it is cited, or an identifier; given: {', '.join(given)[:300]}"
        raise UsageError("is missing or not a text", place="title", hint=hint)
    if _is_family_alone(family := item.get("author")):
        claimed = replace(claimed, authors=(Name(family.strip()),), et_al=True)
    kind, text = read_csl_kind(item), data.decode()[:MAX_REFERENCE]
    return RawReference("", text, Place(), kind, claimed, (), flags), unused


@cache
def _load_names() -> tuple[dict[str, str], frozenset[str]]:
    """Return what CSL-JSON calls each field of `listed_fields.toml` and of tables, and every name in use."""
    table = load_package_table(__package__, "listed_fields.toml")
    others = {field: table["tables"].get(field, field) for field in load_field_names().values()}
    found = {name: others[field] for name, field in load_field_names().items() if field not in _VAGUE}
    found |= {other: name for name, listed in table["names"].items() for other in listed.split()}
    return found, frozenset((*found.values(), *table["known"]["names"].split()))


def _find_csl_name(name: str) -> str:
    """Return what CSL-JSON calls a field; the name itself if nobody knows it."""
    low, plain = name.lower(), "".join(filter(str.isalnum, name.lower()))  # "Author(s)", "Source title"
    found = _load_names()[0]
    return found.get(plain) or found.get(low, low)


def _is_family_alone(people: object) -> TypeGuard[str]:
    """Return whether a text names one person, by the family name alone: "He", "van den Berg"."""
    words = people.split() if isinstance(people, str) and "," not in people else []
    return bool(words) and all(word in names.PARTICLES for word in words[:-1])


def read_citation(given: Mapping[str, object]) -> RawReference:
    """Return the citation that fields in the words of `verifyCitation` describe."""
    title = given.get("title")
    if not isinstance(title, str):
        raise UsageError("is missing or not a text", place="title", hint="give the title as it is cited")
    known = CitationDetails.__annotations__
    fields: dict[str, Any] = {}
    for name, value in given.items():
        ours = _NAMES.get(name, name)
        if ours not in known or value is None:
            continue
        number = ours == "year"
        if not isinstance(value, int if number else str) or isinstance(value, bool):
            hint = "send a number, like 2019" if number else "send it in quotes"
            raise UsageError(f"is not a {'number' if number else 'text'}", place=name, hint=hint)
        fields[ours] = value
    return build_citation(title, **fields)
