"""The options of all commands, from one table: options.csv next to this file.

A row is an option of a command, or names what others have too: settings, whose help texts are in the table of
settings, and groups such as `@evidence`. What stands in `<…>` is filled in by the command.

    command,option,kind,metavar,default,words,help
    batch,--jobs,int 1..256,N,,,Worker processes; default: one a processor.
    batch,snapshots offline sources contact,,,,,
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, wraps
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from citeproof.errors import UsageError
from citeproof.service.input_kinds import CLIPBOARD
from citeproof.settings import TABLE

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_SETTINGS = {row.name: row for row in TABLE}
_NUMBERS: dict[str, Any] = {"int": (int, click.IntRange), "float": (float, click.FloatRange)}
_PATHS = {
    "name": click.Path(),
    "path": click.Path(path_type=Path),
    "path or -": click.Path(path_type=Path, allow_dash=True),
    "file": click.Path(path_type=Path, dir_okay=False),
    "folder": click.Path(path_type=Path, file_okay=False),
    "old folder": click.Path(path_type=Path, file_okay=False, exists=True),
}


class OptionRow(NamedTuple):
    """A row of the table."""

    command: str
    option: str  # flags as click takes them; or settings and groups
    kind: str  # what its value is: text if nothing is said
    metavar: str
    default: str
    words: str  # many, required, hidden, unshown (the default), shown=TEXT (in place of the default)
    help: str


def add_options(command: str, **given: object) -> Callable[[Decorated], Decorated]:
    """Return what adds the options of a command, in the order of its help; `given` fills `<…>`."""

    def decorate(function: Decorated) -> Decorated:
        for option in reversed(list(_make_options(command, given))):
            function = option(function)
        return function

    return decorate


@cache
def _load_rows() -> dict[str, list[OptionRow]]:
    rows: dict[str, list[OptionRow]] = {}
    text = files(__package__).joinpath("options.csv").read_text("utf-8")
    for row in csv.reader(text.splitlines()):
        rows.setdefault(row[0], []).append(OptionRow(*row))
    return rows


def _make_options(command: str, given: Mapping[str, object]) -> Iterator[Callable[[Decorated], Decorated]]:
    own = {row.option: row for row in _load_rows()["setting"]}
    for row in _load_rows()[command]:
        if row.option.startswith("-"):
            yield click.option(*row.option.split(), **_read_attributes(row, given))
            continue
        for name in row.option.split():
            if name.startswith("@"):
                yield from _make_options(name, given)
            else:
                setting, attributes = _SETTINGS[name], _read_attributes(own[name], given)
                attributes |= {"help": f"{setting.help} [{setting.env}]", "default": None}
                if own[name].kind == "flag":
                    attributes["flag_value"] = True
                yield click.option(setting.flag, name, **attributes)


def _read_attributes(row: OptionRow, given: Mapping[str, object]) -> dict[str, Any]:
    """Return what click is told about an option."""
    words = dict(word.partition("=")[::2] for word in row.words.split())
    text = re.sub("<([a-z_]+)>", lambda match: str(given.get(match[1], match[0])), row.help)
    made: dict[str, Any] = {"help": text or None, "metavar": row.metavar or None}
    made |= {name: True for name in ("required", "hidden") if name in words}
    if "many" in words:
        made["multiple"] = True
    if row.kind == "flag":
        made["is_flag"] = True
    else:
        made["type"] = _read_type(row.kind, given)
    if row.default:
        default = row.default.strip("'")
        made["default"] = default == "true" if row.kind == "flag" else default
        made["show_default"] = None if "unshown" in words or row.kind == "flag" else True
    return made | ({"show_default": words["shown"]} if "shown" in words else {})


def _read_type(kind: str, given: Mapping[str, object]) -> Any:  # noqa: ANN401 - whatever click takes
    if kind in _PATHS:
        return _PATHS[kind]
    if kind.startswith("<"):
        return click.Choice(given[kind[1:-1]])  # type: ignore[arg-type]
    if "|" in kind:
        return click.Choice(kind.split("|"))
    if kind == "date":
        return click.DateTime(["%Y-%m-%d"])
    if not kind:
        return str
    name, _, bounds = kind.partition(" ")
    number, make_range = _NUMBERS[name]
    if not bounds:
        return number
    low, high = bounds.split("..")
    least, most = (
        (float(end) if "." in end else int(end)) if end else None
        for end in (low.rstrip("<"), high.lstrip("<"))
    )
    return make_range(least, most, min_open=low.endswith("<"), max_open=high.startswith("<"))


def collect_given_flags(**flags: object) -> dict[str, object]:
    """Return the flags for `settings.load`: those that were not given are None."""
    return {name: None if value == () else value for name, value in flags.items()}


def refuse_together(place: str, flags: Mapping[str, object]) -> None:
    """Raise a UsageError if more than one of some flags is given."""
    given = [name for name, value in flags.items() if value]
    if len(given) > 1:
        message = f"{' and '.join(given)} cannot be used together"
        raise UsageError(message, place=place, hint="give one of them")


def refuse_alone(name: str, value: object, owner: str, owned: object) -> None:
    """Raise a UsageError if a flag is given without the one that it belongs to."""
    if value and not owned:
        raise UsageError(f"needs {owner}", place=name, hint=f"leave it out, or add {owner}")


def add_inputs(function: Callable[..., int]) -> Callable[..., int]:
    """Give a command INPUT… and --clipboard; it gets all of them as `files`."""

    @click.argument("files", nargs=-1, metavar="INPUT…", type=click.Path())
    @click.option(
        "--clipboard", is_flag=True, help="Read the text on the clipboard, such as a chat's answer."
    )
    @wraps(function)
    def with_inputs(files: Sequence[str], *, clipboard: bool, **flags: Any) -> int:  # noqa: ANN401 - the command's
        if not files and not clipboard:
            raise click.UsageError("Missing argument 'INPUT…'.", click.get_current_context())
        return function((*files, CLIPBOARD) if clipboard else files, **flags)

    return with_inputs
