"""How the value of a setting is read, and what it may be: one function for each kind of value."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from types import MappingProxyType

from citeproof.errors import suggest_word
from citeproof.plumbing.store_address import StoreAddress, hide_password, is_postgres_url
from citeproof.text import lazy_patterns as re
from citeproof.text.character_encoding import ENCODINGS, find_codec
from citeproof.vocabulary import CHECK_NAMES, DEFAULT_FAIL_ON, EXCEPT, HOLDABLE, FailOn, Secret

_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_NUMBER = re.compile(r"[1-9][0-9]{0,14}")
_DECIMAL = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3})?")
_SHARE = re.compile(r"0?\.[0-9]{1,6}")
_URL = re.compile(r"https?://[^\s/?#@]{1,255}(?:/[^\s?#]{0,1000})?")
_MODEL = re.compile(r"[a-z][a-z0-9_]{1,30}:[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}")
_DOLLARS = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
_MAIL = re.compile(r"[^\s@,;:<>()\[\]\\\"]{1,64}@[^\s@,;:<>()\[\]\\\"]{1,190}\.[A-Za-z]{2,24}")


class RefusedError(ValueError):
    """A value that a setting cannot have; after a semicolon the message says what is allowed."""


def read_path(value: object, folder: Path) -> Path:
    if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
        raise RefusedError("is not a path; write it as text")
    try:
        return folder / Path(value).expanduser()
    except RuntimeError as error:  # ~name of a user whom this machine does not know
        raise RefusedError("names the home folder of an unknown user; write the whole path") from error


def read_memory(value: object, folder: Path) -> Path | StoreAddress:
    """Return a folder, or the address of a database; what is wrong with one is said without it."""
    if isinstance(value, StoreAddress) or (isinstance(value, str) and is_postgres_url(value)):
        return read_store(value, folder)
    if isinstance(value, str) and "://" in value:
        raise RefusedError("is neither a folder nor the address of a database; write postgresql://host/name")
    return read_path(value, folder)


def read_paths(value: object, folder: Path) -> tuple[Path, ...]:
    parts = value.split(os.pathsep) if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise RefusedError(f"is not a list of paths; write a list, or text with {os.pathsep!r} between paths")
    return tuple(read_path(part, folder) for part in parts if part != "")


def read_snapshots(value: object, folder: Path) -> tuple[Path, ...]:
    """Return folders of snapshots; an address is none."""
    if any("://" in str(part) for part in (value if isinstance(value, list | tuple) else (value,))):
        raise RefusedError("is an address, not a folder; fetch it with `citeproof index pull URL`")
    return read_paths(value, folder)


def read_names(value: object, _: Path) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise RefusedError("is not a list of names; write a list, or text with commas between names")
    return tuple(part.strip() for part in parts if part.strip())


def read_networks(value: object, folder: Path) -> tuple[str, ...]:
    try:
        return tuple(str(ip_network(name)) for name in read_names(value, folder))
    except ValueError as error:
        raise RefusedError("is neither an address nor a network; write 127.0.0.1 or 10.0.0.0/8") from error


def read_name(value: object, _: Path) -> str:
    if not isinstance(value, str) or not value:
        raise RefusedError("is not a name; write text")
    return value


def read_pin(value: object, folder: Path) -> str:
    """Return the name of a pinned set, or its file as a path from `folder`."""
    name = read_name(value, folder)
    file, at, digest = name.rpartition("@")
    if not at:
        file, digest = name, ""
    if "/" in file or os.sep in file or file.endswith(".pin"):
        file = str(read_path(file, folder))
    return f"{file}{at}{digest}"


def read_encoding(value: object, folder: Path) -> str:
    """Return Python's name of an encoding; an empty one: it is detected."""
    name = value if value == "" else read_name(value, folder)
    assert isinstance(name, str)
    if name and not find_codec(name):
        near = (*get_close_matches(name.lower(), ENCODINGS, n=1), "utf-8", "cp1251", "shift_jis")
        raise RefusedError(f"is not a known encoding; write one such as {', '.join(dict.fromkeys(near))}")
    return find_codec(name)


def read_fail_on(value: object, folder: Path) -> tuple[str, ...]:
    """Return what to fail on; a list of exceptions alone is about the default."""
    words = tuple(dict.fromkeys(word.lower() for word in read_names(value, folder)))
    if words == ("none",):
        return ()
    levels = [level.value for level in FailOn]
    known = {*levels, *CHECK_NAMES, *(f"{EXCEPT}{name}" for name in CHECK_NAMES)}
    wrong = next((word for word in words if word not in known), None)
    if wrong is not None and (meant := suggest_word(wrong.replace(" ", "_"), known)):
        raise RefusedError(f"has an unknown word {wrong!r}; {meant}")
    if wrong is not None or not words:
        raise RefusedError(
            f"is not a list of what to fail on; write some of {', '.join(levels)}, names of checks such as "
            f"retracted, {EXCEPT}retracted for an exception, or none"
        )
    if both := [word for word in words if f"{EXCEPT}{word}" in words]:
        raise RefusedError(f"has both {both[0]} and {EXCEPT}{both[0]}; keep one of them")
    only_exceptions = all(word.startswith(EXCEPT) for word in words)
    return (*sorted(DEFAULT_FAIL_ON), *words) if only_exceptions else words


def read_hold(value: object, folder: Path) -> tuple[str, ...]:
    """Return which content of a claim holds it back."""
    words = tuple(dict.fromkeys(word.lower() for word in read_names(value, folder)))
    if not words or not {*words} <= {*HOLDABLE, "none"} or ("none" in words and len(words) > 1):
        raise RefusedError(
            f"is not a list of what holds a claim; write some of {', '.join(HOLDABLE)}, or none"
        )
    return () if words == ("none",) else words


def read_policy(value: object, folder: Path) -> str:
    """Return the name of a policy, or its file as a path from `folder`."""
    name = read_name(value, folder)
    is_path = "/" in name or os.sep in name or name.endswith(".toml")
    return str(read_path(name, folder)) if is_path else name


def read_flag(value: object, _: Path) -> bool:
    word = str(value).lower()  # also of a bool
    if word not in (*_YES, *_NO):
        raise RefusedError("is neither yes nor no; write true or false")
    return word in _YES


def make_choice_reader(first: str, second: str) -> Callable[[object, Path], str]:
    """Return what reads one of two words."""

    def read_choice(value: object, _: Path) -> str:
        if value not in (first, second):
            raise RefusedError(f"is neither {first} nor {second}; write one of them")
        return str(value)

    return read_choice


def _make_text_reader(pattern: re.Pattern[str], refusal: str) -> Callable[[object, Path | None], str]:
    def read_text(value: object, _: Path | None) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise RefusedError(refusal)
        return value

    return read_text


def _make_number_reader(
    pattern: re.Pattern[str], refusal: str, *, zero: bool = False
) -> Callable[[object, Path], float]:
    def read_number(value: object, _: Path) -> float:
        text = _format_number(value)
        if isinstance(value, bool) or not pattern.fullmatch(text) or not (zero or float(text)):
            raise RefusedError(refusal)
        return float(text)

    return read_number


def _format_number(value: object) -> str:
    """Return a number as text, empty if it has too many digits for Python to print."""
    return "" if isinstance(value, int) and value.bit_length() > 1000 else str(value)


def read_count(value: object, _: Path) -> int:
    text = _format_number(value).replace("_", "")
    if isinstance(value, bool) or not _NUMBER.fullmatch(text):
        raise RefusedError("is not a positive whole number; write digits, such as 90")
    return int(text)


read_amount = _make_number_reader(_DECIMAL, "is not a number above zero; write one like 2.5")
read_share = _make_number_reader(_SHARE, "is not a share between 0 and 1; write one like 0.01")
read_dollars = _make_number_reader(_DOLLARS, "is not an amount of dollars; write one like 0.50", zero=True)
read_prefix = _make_text_reader(
    _PREFIX, "is not a short word; write one to twenty letters, digits or underscores"
)
read_model = _make_text_reader(_MODEL, "is not a provider and a model; write one like openai:gpt-5-mini")
read_contact = _make_text_reader(_MAIL, "is not an e-mail address; write one like name@example.org")
read_url = _make_text_reader(_URL, "is not an http or https address; write one like https://example.org/api")


def read_price(value: object, _: Path) -> str:
    """Return input/output[/cached[/written]], as it is written."""
    parts = value.split("/") if isinstance(value, str) else []
    if not 2 <= len(parts) <= 4 or not all(map(_DOLLARS.fullmatch, parts)):
        raise RefusedError("is not a price; write dollars for a million tokens of input/output, like 0.25/2")
    return "/".join(parts)


def read_store(value: object, _: Path) -> StoreAddress:
    """Return the address of a database; what is wrong with one is said without it."""
    if isinstance(value, StoreAddress):
        return value
    if not isinstance(value, str) or not is_postgres_url(value) or "\0" in value:
        raise RefusedError("is not the address of a database; write one like postgresql://host/database")
    return StoreAddress(value)


def read_urls(value: object, _: Path) -> Mapping[str, str]:
    if not isinstance(value, Mapping):
        raise RefusedError("is not a table; write [urls] with one line for each source")
    return MappingProxyType({str(name): read_url(url, None) for name, url in value.items()})


def read_keys(value: object, _: Path) -> Mapping[str, Secret]:
    if not isinstance(value, EnvironmentValues):
        raise RefusedError("cannot be set in a file, because others may read it")
    return MappingProxyType({name: Secret(key) for name, key in value.items()})


class EnvironmentValues(dict[str, str]):
    """Values of variables that name a source, by source."""


def to_plain_value(value: object) -> object:
    """Return a value as JSON can hold it."""
    if isinstance(value, tuple):
        return [to_plain_value(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): to_plain_value(part) for name, part in value.items()}
    if isinstance(value, int) and value.bit_length() > 1000:
        return "(a very long number)"
    if isinstance(value, str) and is_postgres_url(value):
        return hide_password(value)
    return str(value) if isinstance(value, Path | Secret | StoreAddress) else value
