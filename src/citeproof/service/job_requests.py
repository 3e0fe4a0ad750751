"""What an interface asks a job to do, and how the store holds it.

    JobRequest("check", "refs.bib", data)                     a document
    JobRequest("check", LISTED, data, listed=True)            JSON: references, each a text or fields

A name is only a name: nothing is read from this machine by it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import msgspec

from citeproof.service.input_documents import TEXT
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document

CHECK, GROUND, FIX = "check", "ground", "fix"
KINDS = (CHECK, GROUND, FIX)
STAGES = {CHECK: "check", GROUND: "grounding", FIX: "fix"}  # as the audit log names them
MAX_NAME = 200  # characters of the name of a document
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


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
    title: str = ""  # what a list of runs calls a text without a name: its first words

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
