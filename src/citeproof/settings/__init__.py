"""Settings merged from every layer: the only reader of the environment and of config files.

    defaults < user file < project file < CITEPROOF_* < flag or argument

The user file is `config.toml` in the user's configuration folder. The project file is the nearest
`citeproof.toml`, or `[tool.citeproof]` in `pyproject.toml`, from the working folder upwards. What
comes out is one frozen `Settings` that is handed down by constructor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType

from citeproof.errors import UsageError
from citeproof.settings import files, values
from citeproof.settings.table import ANY, PREFIX, TABLE, Setting, Settings, plain, user_file

__all__ = ["TABLE", "Setting", "Settings", "load", "unread", "user_file"]

# A cloned project must not lead its user's requests astray, or decide what of theirs is written where.
_NOT_BY_PROJECTS = (
    "private_hosts",
    "proxy",
    "audit_dir",
    "audit_key",
    "audit_anchors",
    "audit_clear",
    "audit_durability",
    "corpus_root",
    "cache_dir",
)
# Nor may it lift what guards its user's memory and patience; a lower limit is its own business.
_NOT_RAISED_BY_PROJECTS = (
    "max_document_bytes",
    "corpus_max_bytes",
    "extract_memory_bytes",
    "extract_seconds",
)
_DEFAULTS = Settings()


_BY_NAME: Mapping[str, Setting] = {row.name: row for row in TABLE}


def load(
    flags: Mapping[str, object] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Return the settings merged from every layer. Flags that are None were not given."""
    folder = folder or Path.cwd()
    environment = os.environ if environment is None else environment  # noqa: TID251 - this is the one place
    chosen: dict[str, object] = {}
    origins: dict[str, str] = {}
    project = str(files.project_file(folder))
    theirs: set[str] = set()
    for origin, start, layer in _layers(flags or {}, environment, folder):
        for name, value in layer.items():
            place = origin if not origin.startswith("flag") else _BY_NAME[name].flag or name
            if origin == project and name in _NOT_BY_PROJECTS:
                raise UsageError(
                    f"{name} is not read from a project's file, which may be somebody else's",
                    place=origin,
                    mend=f"set {_BY_NAME[name].env}, or write it into {user_file()}",
                )
            read = _read(_BY_NAME[name], value, start, place)
            old = chosen.get(name)
            if origin == project and name in _NOT_RAISED_BY_PROJECTS:
                _refuse_raised(_BY_NAME[name], read, old or getattr(_DEFAULTS, name), origin)
            merge = isinstance(read, Mapping) and isinstance(old, Mapping)
            chosen[name] = MappingProxyType({**old, **read}) if merge else read  # type: ignore[dict-item]
            origins[name] = place
            if name == "urls" and isinstance(read, Mapping):
                theirs = theirs - set(read) | (set(read) if origin == project else set())
    return Settings(**chosen, origins=MappingProxyType(origins), project_urls=frozenset(theirs))  # type: ignore[arg-type] # typed by each row's reader


def _refuse_raised(row: Setting, wanted: object, most: object, origin: str) -> None:
    """Raise a UsageError for a limit of a project's file that is above the user's own."""
    if isinstance(wanted, int | float) and isinstance(most, int | float) and wanted > most:
        raise UsageError(
            f"{row.name} = {wanted} is more than {most}: a project's file may only lower it",
            place=origin,
            mend=f"write {most} or less there, or set {row.env}, or write it into {user_file()}",
        )


def unread(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the CITEPROOF_* variables that are set and that no setting reads."""
    environment = os.environ if environment is None else environment  # noqa: TID251 - this is the one place
    known = {row.env for row in TABLE}
    return tuple(
        sorted(
            name
            for name in environment
            if name.startswith(PREFIX) and name not in known and not _of_source(name)
        )
    )


def _of_source(variable: str) -> tuple[str, str] | None:
    """Return the setting and the source that a variable like CITEPROOF_CROSSREF_URL names."""
    for row in TABLE:
        start, found, end = row.env.partition(ANY)
        source = variable.removeprefix(start).removesuffix(end)
        if found and variable == f"{start}{source}{end}" and source:
            return row.name, source.lower()
    return None


_Layer = tuple[str, Path, Mapping[str, object]]


def _layers(flags: Mapping[str, object], environment: Mapping[str, str], folder: Path) -> Iterator[_Layer]:
    """Yield (origin, folder of relative paths, values) from the weakest layer to the strongest."""
    for path in (user_file(), files.project_file(folder)):
        if path and path.is_file():
            yield str(path), path.parent, _file_values(path)
    known = {row.env: row.name for row in TABLE}
    for variable in sorted(environment):
        if not environment[variable]:
            continue
        if variable in known:
            yield variable, folder, {known[variable]: environment[variable]}
        elif variable.startswith(PREFIX) and (named := _of_source(variable)):
            yield variable, folder, {named[0]: values.FromEnvironment({named[1]: environment[variable]})}
    yield "flag", folder, {name: value for name, value in flags.items() if value is not None}


def _file_values(path: Path) -> Mapping[str, object]:
    """Return the values of a config file, every name known; a wrong name is an error at its line."""
    text = files.text_of(path)
    table = _flat(files.table_of(text, path))
    for name in table:
        if name not in _BY_NAME:
            near = get_close_matches(name, _BY_NAME, n=1)
            mend = f"did you mean {near[0]!r}?" if near else "known settings: " + ", ".join(_BY_NAME)
            raise UsageError(f"unknown setting {name!r}", place=f"{path}:{_line(name, text)}", mend=mend)
    return table


def _line(name: str, text: str) -> int:
    found = files.line_of(name, text)
    return found if found > 1 else files.line_of(name.partition("_")[2] or name, text)


def _flat(table: Mapping[str, object]) -> Mapping[str, object]:
    """Return the table with `[corpus] sources` as `corpus_sources`: one level, where a setting begins so."""
    flat: dict[str, object] = {}
    for name, value in table.items():
        inner = (
            isinstance(value, dict)
            and name not in _BY_NAME
            and any(n.startswith(f"{name}_") for n in _BY_NAME)
        )
        flat |= {f"{name}_{key}": part for key, part in value.items()} if inner else {name: value}  # type: ignore[attr-defined]
    return flat


def _read(row: Setting, value: object, folder: Path, place: str) -> object:
    try:
        return row.read(value, folder)
    except values.RefusedError as error:
        shown = "" if row.name == "keys" else f" {plain(value)!r}"
        wrong, _, allowed = str(error).partition("; ")
        mend = f"set {row.env}" if row.name == "keys" else f"{allowed or 'write another value'}: {row.help}"
        raise UsageError(f"{row.name}{shown} {wrong}", place=place, mend=mend) from error
