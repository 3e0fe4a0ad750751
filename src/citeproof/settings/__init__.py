"""The one table of settings, and the only reader of the environment and of config files.

    defaults < user file < project file < CITEPROOF_* < flag or argument

The user file is `config.toml` in the user's configuration folder. The project file is the nearest
`citeproof.toml`, or `[tool.citeproof]` in `pyproject.toml`, from the working folder upwards. What
comes out is one frozen `Settings` that is handed down by constructor.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import platformdirs

from citeproof.errors import UsageError
from citeproof.serial import dumps
from citeproof.settings import files, values
from citeproof.vocabulary import Secret

PREFIX = "CITEPROOF_"

# A cloned project must not lead its user's requests astray, or decide what of theirs is written where.
_NOT_BY_PROJECTS = (
    "private_hosts",
    "proxy",
    "audit_dir",
    "audit_key",
    "audit_anchors",
    "audit_clear",
    "audit_durability",
)
ANY = "<SOURCE>"  # in the name of a variable that exists for every source


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table: its name, how it is set, and what it means."""

    name: str
    read: Callable[[object, Path], object]  # (value, the folder relative paths start from)
    env: str
    flag: str
    help: str


def _runtime() -> Path:
    """Return a folder that every process of this user shares, whatever cache it uses."""
    return Path(tempfile.gettempdir()) / f"citeproof-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _row(
    default: Callable[[], Any], read: Callable[[object, Path], object], env: str, flag: str, help_: str
) -> Any:  # noqa: ANN401 - like dataclasses.field, which it wraps
    told = {"read": read, "env": PREFIX + env, "flag": flag, "help": help_}
    return field(default_factory=default, metadata=told)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value, and where each value came from."""

    snapshots: tuple[Path, ...] = _row(
        tuple,
        values.paths,
        "SNAPSHOT",
        "--snapshot",
        "Snapshot folders to look in; without one, the starter.",
    )
    cache_dir: Path = _row(  # noqa: RUF009 - a field(), under another name
        lambda: Path(platformdirs.user_cache_dir("citeproof")), values.path, "CACHE_DIR", "",
        "Folder for the starter snapshot and whatever else can be made again.",
    )  # fmt: skip
    offline: bool = _row(bool, values.yes, "OFFLINE", "--offline", "Open no network connection.")
    sources: tuple[str, ...] = _row(
        tuple, values.words, "SOURCES", "--sources", "The only sources to ask; without it, all."
    )
    format: str = _row(
        lambda: "text",
        values.word,
        "FORMAT",
        "--format",
        "Format of a report: text, json, jsonl, md, html, sarif, junit, csv, bibtex, csl or ris.",
    )
    contact: str = _row(
        str,
        values.contact,
        "CONTACT",
        "--contact",
        "Your e-mail address, told to registries that serve you better for it.",
    )
    timeout: float = _row(
        lambda: 8.0, values.amount, "TIMEOUT", "", "Seconds to wait for one answer of a source."
    )
    deadline: float = _row(
        lambda: 300.0,
        values.amount,
        "DEADLINE",
        "",
        "Seconds that one reference may take on the network in all.",
    )
    urls: Mapping[str, str] = _row(
        lambda: MappingProxyType({}),
        values.addresses,
        f"{ANY}_URL",
        "",
        "Base URL of a source, instead of its own.",
    )
    keys: Mapping[str, Secret] = _row(
        lambda: MappingProxyType({}),
        values.keys,
        f"{ANY}_KEY",
        "",
        "Key of a source; from the environment only.",
    )
    pace: float = _row(
        lambda: 1.0,
        values.amount,
        "PACE",
        "",
        "Times its own rate at which a source with a replaced URL is asked.",
    )
    limits_dir: Path = _row(  # noqa: RUF009 - a field(), under another name
        _runtime, values.path, "LIMITS_DIR", "",
        "Folder through which all processes of this machine keep to one rate; never kept in a backup.",
    )  # fmt: skip
    proxy: str = _row(
        str,
        values.proxy,
        "PROXY",
        "",
        "Address of an HTTP proxy through which registries are asked; links are then not followed.",
    )
    private_hosts: tuple[str, ...] = _row(
        tuple,
        values.words,
        "PRIVATE_HOSTS",
        "",
        "Hosts (name or name:port) of your own network that links may lead to.",
    )
    keep_found_hours: int = _row(
        lambda: 720, values.count, "KEEP_FOUND_HOURS", "", "How long an answer with records is used again."
    )
    keep_absent_hours: int = _row(
        lambda: 24, values.count, "KEEP_ABSENT_HOURS", "", "How long an answer without records is used again."
    )
    keep_notice_hours: int = _row(
        lambda: 24,
        values.count,
        "KEEP_NOTICE_HOURS",
        "",
        "How long an answer that tells of a retraction is used again.",
    )
    max_document_bytes: int = _row(
        lambda: 200_000_000, values.count, "MAX_DOCUMENT_BYTES", "", "A larger document is refused."
    )
    pdf_engine: str = _row(
        lambda: "pdfium",
        values.engine,
        "PDF_ENGINE",
        "--pdf-engine",
        "What reads PDFs: pdfium (here, offline) or grobid (a GROBID server of yours, CITEPROOF_GROBID_URL).",
    )
    extract_memory_bytes: int = _row(
        lambda: 1 << 30,
        values.count,
        "EXTRACT_MEMORY_BYTES",
        "",
        "Memory that reading one document may take, unless it is plain text.",
    )
    extract_seconds: float = _row(
        lambda: 120.0,
        values.amount,
        "EXTRACT_SECONDS",
        "",
        "Seconds that reading one document may take, unless it is plain text.",
    )
    max_false_accusations: float | None = _row(
        lambda: None,
        values.share,
        "MAX_FALSE_ACCUSATIONS",
        "--max-false-accusations",
        "Share of real references that may be called wrong; what is not sure enough for it is not judged.",
    )
    base_rate: float | None = _row(
        lambda: None,
        values.share,
        "BASE_RATE",
        "",
        "Share of bad references that confidence is stated for; without it, that of the judge's own data.",
    )
    judge_thresholds: Path | None = _row(  # noqa: RUF009 - a field(), under another name
        lambda: None, values.path, "JUDGE_THRESHOLDS", "",
        "Thresholds made by `citeproof bench tune`; without it, those kept in the configuration folder.",
    )  # fmt: skip
    judge_calibration: Path | None = _row(  # noqa: RUF009 - a field(), under another name
        lambda: None, values.path, "JUDGE_CALIBRATION", "",
        "Confidence and promise made by `citeproof bench calibrate`; without it, those kept beside them.",
    )  # fmt: skip
    audit_dir: Path | None = _row(  # noqa: RUF009 - a field(), under another name
        lambda: None, values.path, "AUDIT_DIR", "--audit",
        "Folder of the audit log; with one, everything that is shown is logged before it is shown.",
    )  # fmt: skip
    audit_run: str = _row(
        str,
        values.word,
        "AUDIT_RUN",
        "--audit-run",
        "Name of the run or hypothesis in the audit log; without it, the time.",
    )
    audit_anchors: tuple[str, ...] = _row(
        tuple,
        values.words,
        "AUDIT_ANCHORS",
        "--audit-anchors",
        "Where checkpoints of the audit log go besides its own write-once folder.",
    )
    audit_key: Path | None = _row(  # noqa: RUF009 - a field(), under another name
        lambda: None, values.path, "AUDIT_KEY", "",
        "Folder of the private keys that sign audit logs; without it, one in the configuration folder.",
    )  # fmt: skip
    audit_durability: str = _row(
        lambda: "strict",
        values.durability,
        "AUDIT_DURABILITY",
        "",
        "strict: shown only when it is safely on disk in the audit log; relaxed: soon after.",
    )
    audit_clear: bool = _row(
        bool,
        values.yes,
        "AUDIT_CLEAR",
        "",
        "Log the user's own text (raw citations, keys) in clear, not as salted commitments only.",
    )
    audit_every: int = _row(
        lambda: 10_000,
        values.count,
        "AUDIT_EVERY",
        "",
        "Events after which the audit log is signed and anchored.",
    )
    audit_keep_days: int | None = _row(
        lambda: None,
        values.count,
        "AUDIT_KEEP_DAYS",
        "",
        "Days that `citeproof audit prune` keeps evidence and private text; without it, for ever.",
    )
    project_urls: frozenset[str] = frozenset()  # sources whose URL a project's file set: they get no key
    origins: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), compare=False, repr=False
    )

    @property
    def starter(self) -> Path:
        """Where the starter snapshot stands once it was built."""
        return self.cache_dir / "snapshots" / "starter"

    @property
    def thresholds_file(self) -> Path:
        """Where the thresholds stand that `citeproof bench tune` chose, if it did."""
        return self.judge_thresholds or user_file().with_name("thresholds.json")

    @property
    def calibration_file(self) -> Path:
        """Where the calibration stands that `citeproof bench calibrate` made, if it did."""
        return self.judge_calibration or user_file().with_name("calibration.json")

    @property
    def audit_keys(self) -> Path:
        """Where the private keys of audit logs stand, apart from the logs."""
        return self.audit_key or user_file().with_name("audit")

    def origin(self, name: str) -> str:
        """Return where the value of setting `name` came from."""
        return self.origins.get(name, "default")

    def digest(self) -> str:
        """Return the SHA-256 of all values, which names this set of settings."""
        plain = {row.name: _plain(getattr(self, row.name)) for row in TABLE}
        return sha256(dumps(plain)).hexdigest()


TABLE: tuple[Setting, ...] = tuple(Setting(name=f.name, **f.metadata) for f in fields(Settings) if f.metadata)
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
            merge = isinstance(read, Mapping) and isinstance(old, Mapping)
            chosen[name] = MappingProxyType({**old, **read}) if merge else read  # type: ignore[dict-item]
            origins[name] = place
            if name == "urls" and isinstance(read, Mapping):
                theirs = theirs - set(read) | (set(read) if origin == project else set())
    return Settings(**chosen, origins=MappingProxyType(origins), project_urls=frozenset(theirs))  # type: ignore[arg-type] # typed by each row's reader


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


def user_file() -> Path:
    """Return where the user's own config file stands, if there is one."""
    return Path(platformdirs.user_config_dir("citeproof")) / "config.toml"


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
    table = files.table_of(text, path)
    for name in table:
        if name not in _BY_NAME:
            near = get_close_matches(name, _BY_NAME, n=1)
            mend = f"did you mean {near[0]!r}?" if near else "known settings: " + ", ".join(_BY_NAME)
            raise UsageError(
                f"unknown setting {name!r}", place=f"{path}:{files.line_of(name, text)}", mend=mend
            )
    return table


def _read(row: Setting, value: object, folder: Path, place: str) -> object:
    try:
        return row.read(value, folder)
    except values.RefusedError as error:
        shown = "" if row.name == "keys" else f" {_plain(value)!r}"
        mend = f"set {row.env}" if row.name == "keys" else row.help
        raise UsageError(f"{row.name}{shown} {error}", place=place, mend=mend) from error


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return str(value) if isinstance(value, Path | Secret) else value
