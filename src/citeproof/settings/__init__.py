"""Settings merged from every layer: the only reader of the environment and of config files.

    defaults < user file < project file < CITEPROOF_* < flag or argument

The user file is `config.toml` in the user's configuration folder. The project file is the nearest
`citeproof.toml`, or `[tool.citeproof]` in `pyproject.toml`, from the working folder upwards; it may be a
stranger's and sets only what its `ProjectRule` allows, unless the user trusts it. What comes out is one
frozen `Settings` that is passed down by constructor.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from citeproof.errors import UsageError, suggest_word
from citeproof.settings import config_files, setting_values
from citeproof.settings.config_files import TrustStore, find_user_file
from citeproof.settings.setting_table import ANY, PREFIX, TABLE, Setting, Settings
from citeproof.settings.setting_values import to_plain_value
from citeproof.vocabulary.quick_dataclass import dataclass

__all__ = [
    "TABLE",
    "ConfigFile",
    "Setting",
    "Settings",
    "TrustStore",
    "find_user_file",
    "list_refused",
    "list_unread_variables",
    "load",
    "open_trust_store",
    "read_project",
    "to_plain_value",
]  # fmt: skip

_DEFAULTS = Settings()
_BY_NAME: Mapping[str, Setting] = {row.name: row for row in TABLE}


def load(
    flags: Mapping[str, object] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Return the settings merged from every layer; a flag that is None was not given."""
    folder = folder or Path.cwd()
    environment = os.environ if environment is None else environment  # noqa: TID251 - this is the one place
    chosen: dict[str, object] = {}
    origins: dict[str, str] = {}
    theirs: set[str] = set()
    by_project: set[str] = set()
    for layer in _read_layers(flags or {}, environment, folder):
        read = {
            name: _read_value(_BY_NAME[name], value, layer.folder, layer.locate_setting(name))
            for name, value in layer.values.items()
        }
        if layer.file is not None and layer.project and (refused := _find_refused(read, chosen)):
            _check_trust(layer.file, refused)
        by_project = by_project | set(read) if layer.project else by_project - set(read)
        for name, value in read.items():
            old = chosen.get(name)
            merge = isinstance(value, Mapping) and isinstance(old, Mapping)
            chosen[name] = MappingProxyType({**old, **value}) if merge else value  # type: ignore[dict-item]
            origins[name] = layer.locate_setting(name)
            if name == "urls" and isinstance(value, Mapping):
                origins |= {f"urls.{source}": layer.locate_setting(name) for source in value}
                theirs = theirs - set(value) | (set(value) if layer.project else set())
    return Settings(
        **chosen,  # type: ignore[arg-type] # typed by each row's reader
        origins=MappingProxyType(origins),
        project_urls=frozenset(theirs),
        set_by_project=frozenset(by_project),
    )


def open_trust_store() -> TrustStore:
    return TrustStore(find_user_file().with_name(config_files.TRUSTED))


def read_project(folder: Path) -> ConfigFile | None:
    """Return the file of the project that `folder` belongs to, read, if there is one."""
    path = config_files.find_project_file(folder)
    return _read_file(path) if path else None


def list_refused(file: ConfigFile) -> Mapping[str, object]:
    """Return what a project's file sets and may not set unless the user trusts it."""
    read = _read_values(file)
    own = _read_values(_read_file(find_user_file())) if find_user_file().is_file() else {}
    return {name: read[name] for name in _find_refused(read, own)}


def _read_values(file: ConfigFile) -> dict[str, object]:
    folder, place = file.path.parent, str(file.path)
    return {name: _read_value(_BY_NAME[name], value, folder, place) for name, value in file.values.items()}


def _find_refused(read: Mapping[str, object], own: Mapping[str, object]) -> dict[str, str]:
    """Return the settings that a project's file may not set this way, each with the allowed values."""
    refused = {}
    for name, value in read.items():
        rule = _BY_NAME[name].project
        if rule is None:
            refused[name] = ""
        elif not rule.allows(value, own.get(name, getattr(_DEFAULTS, name))):
            refused[name] = rule.help
    return refused


def _check_trust(file: ConfigFile, refused: Mapping[str, str]) -> None:
    """Raise a UsageError that names what a project's file may not set, unless the user trusts the file."""
    store = open_trust_store()
    if store.trusts(file.path, file.data):
        return
    names = ", ".join(f"{name} ({rule} allowed)" if rule else name for name, rule in refused.items())
    changed = "; you trusted this file, but it changed since" if store.knows(file.path) else ""
    raise UsageError(
        f"a project's file may not set {names}{changed}",
        place=f"{file.path}:{min(_find_setting_line(name, file.text) for name in refused)}",
        hint=f"remove it there and set it in {find_user_file()} or by environment variable; or, if you trust "
        f"this file as it is now, run: citeproof trust {shlex.quote(str(file.path.parent))}",
    )


def list_unread_variables(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the CITEPROOF_* variables that are set and that no setting reads."""
    environment = os.environ if environment is None else environment  # noqa: TID251 - this is the one place
    known = {row.env for row in TABLE}
    return tuple(
        sorted(
            name
            for name in environment
            if name.startswith(PREFIX) and name not in known and not _parse_source_variable(name)
        )
    )


def _parse_source_variable(variable: str) -> tuple[str, str] | None:
    """Return the setting and the source that a variable like CITEPROOF_CROSSREF_URL names."""
    for row in TABLE:
        start, generic, end = row.env.partition(ANY)
        source = variable.removeprefix(start).removesuffix(end)
        if generic and variable == f"{start}{source}{end}" and source:
            return row.name, source.lower()
    return None


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One config file, read: its bytes are what trust is bound to."""

    path: Path
    data: bytes
    text: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SettingsLayer:
    """Values of one origin, and the folder that relative paths among them start from."""

    origin: str
    folder: Path
    values: Mapping[str, object]
    file: ConfigFile | None = None
    project: bool = False

    def locate_setting(self, name: str) -> str:
        """Return where the value of a setting was set, for messages."""
        return self.origin if self.origin != "flag" else _BY_NAME[name].flag or name


def _read_layers(
    flags: Mapping[str, object], environment: Mapping[str, str], folder: Path
) -> Iterator[SettingsLayer]:
    if unknown := [name for name in flags if name not in _BY_NAME]:  # a keyword of the Python interface
        raise _report_unknown(unknown[0], "settings")
    project = config_files.find_project_file(folder)
    for path in (find_user_file(), project):
        if path and path.is_file():
            file = _read_file(path)
            yield SettingsLayer(str(path), path.parent, file.values, file, project=path == project)
    known = {row.env: row.name for row in TABLE}
    for variable in sorted(environment):
        if not environment[variable]:
            continue
        if variable in known:
            yield SettingsLayer(variable, Path.cwd(), {known[variable]: environment[variable]})
        elif variable.startswith(PREFIX) and (named := _parse_source_variable(variable)):
            read = setting_values.EnvironmentValues({named[1]: environment[variable]})
            yield SettingsLayer(variable, Path.cwd(), {named[0]: read})
    given = {name: value for name, value in flags.items() if value is not None}
    yield SettingsLayer("flag", Path.cwd(), given)


def _read_file(path: Path) -> ConfigFile:
    """Return a config file, every name known; a wrong name is an error at its line."""
    data = config_files.read_config_bytes(path)
    text = config_files.decode_config(data)
    table = _flatten_table(config_files.parse_config(text, path))
    for name in table:
        if name not in _BY_NAME:
            raise _report_unknown(name, f"{path}:{_find_setting_line(name, text)}")
    return ConfigFile(path, data, text, table)


def _report_unknown(name: str, place: str) -> UsageError:
    hint = suggest_word(name, _BY_NAME, f"known settings: {', '.join(_BY_NAME)}")
    return UsageError(f"unknown setting {name!r}", place=place, hint=hint)


def _find_setting_line(name: str, text: str) -> int:
    line = config_files.find_line(name, text)
    return line if line > 1 else config_files.find_line(name.partition("_")[2] or name, text)


def _flatten_table(table: Mapping[str, object]) -> Mapping[str, object]:
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


_HIDDEN = ("keys", "shared_store", "memory")  # values that no message shows, since they may be secret


def _read_value(row: Setting, value: object, folder: Path, place: str) -> object:
    try:
        return row.read(value, folder)
    except setting_values.RefusedError as error:
        shown = "" if row.name in _HIDDEN else f" {to_plain_value(value)!r}"
        wrong, _, allowed = str(error).partition("; ")
        hint = f"set {row.env}" if row.name == "keys" else allowed or f"write another value: {row.help}"
        raise UsageError(f"{row.name}{shown} {wrong}", place=place, hint=hint) from error
