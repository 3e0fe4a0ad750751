"""A hostile document read in a child with limits; only typed values come back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from pkgutil import walk_packages
from typing import TypeVar, cast

import msgspec

import citeproof.extractors
from citeproof import sandbox
from citeproof.errors import InputError
from citeproof.extractors import base, progress
from citeproof.sandbox import Limits, StoppedError
from citeproof.vocabulary import Document, Extraction, Place, RawReference

_LIBRARIES = ("lxml.etree", "numpy", "pypdfium2", "selectolax.lexbor")
_ENTRY = "citeproof.extractors.inside:read"
_SAID = 2_000  # characters of an error that come back
_Value = TypeVar("_Value")


class _Asked(msgspec.Struct, frozen=True):
    name: str
    data: bytes


class _Read(msgspec.Struct, frozen=True, tag="read"):
    extraction: Extraction


class _Refused(msgspec.Struct, frozen=True, tag="refused"):
    message: str
    place: str
    mend: str


_asked = msgspec.msgpack.Decoder(_Asked)
_answered = msgspec.msgpack.Decoder(_Read | _Refused)


def extract(document: Document, limits: Limits | None = None) -> Extraction:
    """Return the references of `document`, read in a child; InputError says what stopped the reading.

    The files beside the document stay here: a hostile one has no use for them.
    """
    limits = limits or Limits()
    asked = msgspec.msgpack.encode(_Asked(_plain(document.name), document.data))
    try:
        answer: _Read | _Refused = _answered.decode(sandbox.run(_ENTRY, asked, limits, progress.tell))
    except StoppedError as stopped:
        raise _error(stopped, document) from stopped
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _error(StoppedError("crash", "", limits), document) from error
    if isinstance(answer, _Refused):
        raise InputError(answer.message, place=answer.place, mend=answer.mend)
    return answer.extraction


def read(asked: bytes) -> bytes:
    """Return what the child found in the document that it was asked about; runs in the child."""
    wanted = _asked.decode(asked)
    try:
        with progress.told_to(sandbox.tell):
            answer: _Read | _Refused = _Read(base.extract_here(Document(wanted.name, wanted.data)))
    except InputError as error:
        answer = _Refused(*(_plain(part[:_SAID]) for part in (error.message, error.place, error.mend)))
    try:
        return msgspec.msgpack.encode(answer)
    except UnicodeEncodeError:  # half of a surrogate pair, as JSON inside a document may hold
        assert isinstance(answer, _Read)
        return msgspec.msgpack.encode(_Read(_cleaned(answer.extraction)))


def warm() -> None:
    """Load everything that reading may need; called once by the helper that forks the children."""
    base.extractors()
    inner = (module.name for module in walk_packages(citeproof.extractors.__path__, "citeproof.extractors."))
    for name in (*_LIBRARIES, *inner):
        with suppress(ImportError):
            import_module(name)
    from citeproof.parse import parse  # noqa: PLC0415 - the parent has no need of it here

    parse(RawReference("", "LeCun, Y. (2015). Deep learning. Nature, 521, 436-444.", Place()))


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _cleaned(value: _Value) -> _Value:
    """Return the same value, with every text in it fit to be written as UTF-8."""
    if isinstance(value, str):
        return value if type(value) is not str else cast("_Value", _plain(value))
    if isinstance(value, tuple):
        return cast("_Value", tuple(_cleaned(part) for part in value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _cleaned(getattr(value, f.name)) for f in fields(value)})
    return value


def _error(stopped: StoppedError, document: Document) -> InputError:
    message, mend = _WORDS[stopped.kind](stopped)
    return InputError(message, place=document.name, mend=mend)


def _too_much(stopped: StoppedError) -> tuple[str, str]:
    return (
        f"needs more than {stopped.limits.memory / (1 << 20):,.0f} MB of memory to be read",
        "split it, or raise the setting extract_memory_bytes if you trust it",
    )


def _too_long(stopped: StoppedError) -> tuple[str, str]:
    return (
        f"took longer than {stopped.limits.seconds:g} s to be read",
        "split it, or raise the setting extract_seconds if you trust it",
    )


def _too_large(stopped: StoppedError) -> tuple[str, str]:
    return (
        f"gives more than {stopped.limits.answer / (1 << 20):,.0f} MB of references",
        "split it into smaller files",
    )


def _crashed(stopped: StoppedError) -> tuple[str, str]:
    why = f" ({stopped.detail})" if stopped.detail else ""
    return (
        f"the reader crashed on it{why}",
        "open it in the program that it was made with and save it again; report it if it is an ordinary file",
    )


_WORDS: dict[str, Callable[[StoppedError], tuple[str, str]]] = {
    "memory": _too_much,
    "cpu": _too_long,
    "wall": _too_long,
    "too_large": _too_large,
    "crash": _crashed,
}
