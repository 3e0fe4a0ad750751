"""What an interface asks a job to do, and how the store holds it.

    JobRequest("check", "refs.bib", data)                     a document
    JobRequest("check", LISTED, data, listed=True)            JSON: references, each a text or fields

A name is only a name: nothing is read from this machine by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import msgspec

from citeproof.errors import InputError, UsageError
from citeproof.service.citation_input import CitationDetails, build_citation
from citeproof.text import lazy_patterns as re
from citeproof.text.typed_decoding import decode_json
from citeproof.vocabulary import Document, Extraction, Place, RawReference

CHECK, GROUND, FIX = "check", "ground", "fix"
KINDS = (CHECK, GROUND, FIX)
STAGES = {CHECK: "check", GROUND: "grounding", FIX: "fix"}  # as the audit log names them
LISTED = "<references>"
TEXT = "<text>"
MOST_LISTED = 1000  # references of one list
MAX_REFERENCE = 5000  # characters of one reference as text
MAX_NAME = 200  # characters of the name of a document
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")
_NAMES = {"whoIrisUrl": "who_iris_url"}  # of `verifyCitation`, and ours


@dataclass(frozen=True, slots=True)
class JobRequest:
    """One piece of work: what to do, with which document, how."""

    kind: str
    name: str
    data: bytes
    listed: bool = False  # `data` is a JSON list of references
    llm: bool = False  # the language model of the settings may be asked
    unsafe: bool = False  # fix: also title, authors, year and venue
    upgrade_preprints: bool = False  # fix: cite published versions

    def encode_options(self) -> bytes:
        """Return everything but the document, as JSON."""
        options = {key: value for key, value in asdict(self).items() if key not in ("kind", "data")}
        return msgspec.json.encode(options, order="sorted")

    @classmethod
    def restore(cls, kind: str, data: bytes, options: bytes) -> JobRequest:
        return cls(kind, data=data, **msgspec.json.decode(options))

    @property
    def document(self) -> Document:
        return Document(self.name, self.data)


def clean_name(name: str | None, default: str = TEXT) -> str:
    """Return the last part of a file's name as a stranger gives it, fit to be shown."""
    shown = _HIDDEN.sub("", (name or "").replace("\\", "/").rsplit("/", 1)[-1]).strip()
    return shown[-MAX_NAME:] or default


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
    """Return the references of a JSON list: each a text, or the fields that `verify` takes."""
    try:
        given = msgspec.structs.astuple(decode_json(data, type=_make_list_type()))
        references = tuple(_make_reference(n, raw) for n, raw in enumerate(filter(len, given), 1))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if not isinstance(error, msgspec.ValidationError):
            raise InputError(f"not valid JSON: {error}", place=LISTED, hint="send a list") from error
        hint = 'send ["Author (year). Title.", …], in several requests if there are more, or a file'
        message = f"is not a list of at most {MOST_LISTED:,} references"
        raise UsageError(message, place="references", hint=hint) from error
    return Extraction(references, format="references")


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
        citation = read_citation(given)
    except UsageError as error:
        raise UsageError(error.message, place=f"{place}.{error.place}", hint=error.hint) from error
    own = given.get("key")
    named = clean_name(own, key) if isinstance(own, str) else key
    return replace(citation, key=named, place=Place(LISTED, number))


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
