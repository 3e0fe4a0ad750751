"""References as programs hand them over: a list of texts and of the fields of works, one reference an item.

    ["Vaswani et al. (2017). Attention is all you need.", {"title": "…", "authors": ["…"], "year": 2017}]

An object has the words of `verifyCitation`, where `author` is the first author's family name, or those of
CSL-JSON, BibTeX and tables, where it is all of them. What is missing (`null`) is a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from citeproof.errors import CiteproofError, InputError, UsageError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.records.csl_fields import read_csl_fields, read_csl_kind
from citeproof.service.citation_input import CitationDetails, build_citation
from citeproof.service.input_documents import Subject, clean_name
from citeproof.service.input_kinds import InputKind, classify_input
from citeproof.text import names
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Document, Extraction, Place, Problem, RawReference

LISTED = "<references>"
MOST_LISTED = 1000  # references of one list that is sent
MAX_REFERENCE = 5000  # characters of one reference as text
_NAMES = {"whoIrisUrl": "who_iris_url"}  # of `verifyCitation`, and ours
_CSL_NAMES = {  # what others call the fields of CSL-JSON, in small letters
    "authors": "author", "editors": "editor", "journal": "container-title", "venue": "container-title",
    "journaltitle": "container-title", "booktitle": "container-title", "container": "container-title",
    "year": "issued", "date": "issued", "pages": "page", "number": "issue", "entrytype": "type",
    "eprint": "arxiv", "doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "isbn": "ISBN", "issn": "ISSN",
    "url": "URL", "papertitle": "title", "articletitle": "title", "sourcetitle": "container-title",
    "publicationtitle": "container-title", "publicationyear": "issued",
}  # fmt: skip
_USED = {  # that are CSL-JSON's own, or name the row
    *_CSL_NAMES, *CitationDetails.__annotations__, "title", "author", "editor", "type", "volume", "issue",
    "page", "key", "id", "issued", "publisher", "edition", "genre", "language", "event", "accessed", "ads",
    "containertitle", "collectiontitle", "eventtitle", "originaldate", "articlenumber", "whoirisurl", "label",
}  # fmt: skip
_TEXTS = ("plain_text", "markdown")
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
    missing = [n for n, raw in rows if bytes(raw) == b"null"]
    problems = tuple(Problem(Place(LISTED, n), _EMPTY, note=True) for n in missing)
    references = tuple(_make_reference(n, raw) for n, raw in rows if bytes(raw) != b"null")
    return Extraction(references, problems, format="references")


def list_documents(items: Several, read: Callable[[Subject], Document]) -> list[tuple[Document, Extraction]]:
    """Return the references of a list as one document, then its documents, which are still to be read.

    A text in the format of a document, and what names a file, an address or a collection, is a document.
    """
    documents: list[tuple[Document, Extraction]] = []
    made: list[Extraction] = []
    data: list[bytes] = []
    error: CiteproofError | None = None
    unused: dict[str, None] = {}
    for number, item in enumerate(items, 1):
        try:
            listed = _list_item(item)
            if listed is None:
                document = read(item)  # type: ignore[arg-type]  # what is neither is told of by `_list_item`
                named = f"{document.name} {number}" if document.name.startswith("<") else document.name
                documents.append((replace(document, name=named), _UNREAD))
                continue
            given = item if isinstance(item, Mapping) else ()
            unused |= {str(name): None for name in given if _fold_name(name) not in _USED}
            data.append(bytes(listed))
            made.append(_make_extraction([(number, listed)]))
        except (InputError, UsageError) as trouble:
            error = error or trouble
            told = ": ".join(filter(None, (trouble.place, trouble.message)))
            made.append(Extraction((), (Problem(Place(LISTED, number), told, trouble.hint),)))
    references = tuple(reference for each in made for reference in each.references)
    if error and not references and not documents:
        raise error
    problems = tuple(problem for each in made for problem in each.problems)
    if unused:
        hint = "call the columns title, author, year, venue, volume, pages, doi, arxiv"
        problems += (Problem(Place(LISTED), f"not used: {', '.join(unused)[:300]}", hint, note=True),)
    listed_all = Extraction(references, problems, format="references")
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


def _make_reference(number: int, raw: msgspec.Raw) -> RawReference:
    place, key = f"references[{number - 1}]", f"ref-{number}"
    given = read_flat_object(raw) if bytes(raw).startswith(b"{") else _read_scalar(raw)
    if isinstance(given, str):
        if not given.strip() or len(given) > MAX_REFERENCE:
            message = f"has {len(given):,} characters, must have 1 to {MAX_REFERENCE:,}"
            raise UsageError(message, place=place, hint="send one reference an item")
        return RawReference(key, given.strip(), Place(LISTED, number))
    if not isinstance(given, dict):
        raise UsageError("is neither a text nor an object", place=place, hint='send {"title": …, "doi": …}')
    try:
        citation = _read_item(given, bytes(raw))
    except UsageError as error:
        raise UsageError(error.message, place=f"{place}.{error.place}", hint=error.hint) from error
    own = given.get("key") or given.get("id")
    named = clean_name(own, key) if isinstance(own, str) else key
    return replace(citation, key=named, place=Place(LISTED, number))


def _read_item(given: Mapping[str, object], data: bytes) -> RawReference:
    """Return the reference of an object, whichever words it has for its fields."""
    own = {*CitationDetails.__annotations__, *_NAMES, "title", "key"}
    people = given.get("author") or ""
    several = isinstance(people, msgspec.Raw) or len(names.split_names(str(people))[0]) > 1
    if given.keys() <= own and given.get("title") and not several:
        return read_citation(given)
    item: dict[str, Any] = {}
    for name, value in msgspec.json.decode(data).items():
        if value is not None:
            item.setdefault(_CSL_NAMES.get(_fold_name(name), name.lower()), value)
    claimed, flags = read_csl_fields(item)
    if isinstance(item.get("author"), str) and len(claimed.authors) == 1:
        claimed = replace(
            claimed, et_al=True
        )  # a name alone is the first author's, however its field is called
    if not claimed.title and not claimed.ids:
        hint = f"give the title as it is cited, or an identifier; given: {', '.join(given)[:300]}"
        raise UsageError("is missing or not a text", place="title", hint=hint)
    kind, text = read_csl_kind(item), data.decode()[:MAX_REFERENCE]
    return RawReference("", text, Place(), kind, claimed, (), flags)


def _fold_name(name: object) -> str:
    """Return how a field is looked up: "Author(s)" as "authors", "Source title" as "sourcetitle"."""
    return "".join(filter(str.isalnum, str(name).lower()))


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
