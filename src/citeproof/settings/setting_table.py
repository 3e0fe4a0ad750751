"""The one table of settings: each with its type, its default, how it is read, and what a project may set.

A commented `citeproof.toml` is made of it.

What each means, its flag, and its variable where that is not CITEPROOF_NAME, stand in settings.csv.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePath, PureWindowsPath
from types import MappingProxyType
from typing import Any

from citeproof.plumbing.json_bytes import dumps
from citeproof.plumbing.store_address import StoreAddress
from citeproof.settings import setting_values as values
from citeproof.settings.config_files import find_cache_folder, find_state_folder, find_user_file
from citeproof.settings.setting_values import to_plain_value
from citeproof.vocabulary import CHECK_NAMES, EXCEPT, ClaimPolicy, Secret
from citeproof.vocabulary.quick_dataclass import dataclass, field, fields

PREFIX = "CITEPROOF_"
ANY = "<SOURCE>"  # in the name of a variable that exists for every source


@dataclass(frozen=True, slots=True)
class ProjectRule:
    """Which values a project's file, which may be a stranger's, may give to a setting.

    Nothing that it sets takes something out of a run, or makes one laxer. It names no path outside itself, no
    address, judge, cache, log, proxy, key or limit, unless the user trusts it (`citeproof trust`).
    """

    allows: Callable[[Any, Any], bool]  # (its value, the value of the user), both of the setting's type
    help: str


def _is_stricter(value: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Return whether a run fails on all that the user wants it to fail on.

    Noted implies minor, minor major, findings every check; an exception that the user did not make is weaker.
    """
    words, wanted = set(value), {word for word in own if not word.startswith(EXCEPT)}
    words |= {"minor"} if "noted" in words else set()
    words |= {"major"} if "minor" in words else set()
    words |= set(CHECK_NAMES) if "findings" in words else set()
    exceptions = {word for word in words if word.startswith(EXCEPT)}
    return words >= wanted and exceptions <= set(own)


def _is_longer(value: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Return whether nothing of the user's list is left out, and all that is added is below the project."""
    for path in {*value} - {*own}:
        rooted = path.startswith(("~", "\\")) or bool(PureWindowsPath(path).drive)
        if rooted or PurePath(path).is_absolute() or ".." in PurePath(path).parts:
            return False
    return {*own} <= {*value}


ANY_VALUE = ProjectRule(lambda _value, _own: True, "any value")
LOWER = ProjectRule(lambda value, own: value <= own, "the user's value or lower")
LONGER = ProjectRule(_is_longer, "the user's list or a longer one, with paths inside the project")
SHORTER = ProjectRule(lambda value, own: {*value} <= {*own}, "the user's list or a shorter one")
STRICTER = ProjectRule(_is_stricter, "the user's list or a longer one")


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table: its name, how it is set, and what it means."""

    name: str
    read: Callable[[object, Path], object]  # (value, the folder relative paths start from)
    env: str
    flag: str
    help: str
    project: ProjectRule | None = None  # what a project's file may set it to; None: nothing
    changes_results: bool = True  # False: where things are, how long to wait, how results are shown


def make_row(
    default: object,
    read: Callable[[object, Path], object],
    project: ProjectRule | None = None,
    *,
    changes_results: bool = True,
) -> Any:  # noqa: ANN401 - like dataclasses.field, which it wraps
    """Return the field of a setting; `default` is its value, or makes it."""
    make = default if callable(default) else lambda: default
    described = {"read": read, "project": project, "changes_results": changes_results}
    return field(default_factory=make, metadata=described)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value, and where each value came from."""

    snapshots: tuple[Path, ...] = make_row((), values.read_snapshots, changes_results=False)
    texts: tuple[Path, ...] = make_row((), values.read_paths, changes_results=False)
    fetch_texts: bool = make_row(False, values.read_flag, changes_results=False)
    cache_dir: Path = make_row(find_cache_folder, values.read_path, changes_results=False)
    offline: bool = make_row(False, values.read_flag)
    sources: tuple[str, ...] = make_row((), values.read_names)
    route: str = make_row("registries-first", values.make_choice_reader("registries-first", "web-first"))
    format: str = make_row("text", values.read_name, ANY_VALUE, changes_results=False)
    contact: str = make_row("", values.read_contact, changes_results=False)
    timeout: float = make_row(8.0, values.read_amount, changes_results=False)
    deadline: float = make_row(300.0, values.read_amount, changes_results=False)
    urls: Mapping[str, str] = make_row(MappingProxyType({}), values.read_urls)
    keys: Mapping[str, Secret] = make_row(MappingProxyType({}), values.read_keys, changes_results=False)
    pace: float = make_row(1.0, values.read_amount, changes_results=False)
    limits_dir: Path = make_row(lambda: find_state_folder("limits"), values.read_path, changes_results=False)
    proxy: str = make_row("", values.read_url, changes_results=False)
    trusted_proxies: tuple[str, ...] = make_row((), values.read_networks)
    private_hosts: tuple[str, ...] = make_row((), values.read_names)
    memory: Path | StoreAddress | None = make_row(None, values.read_memory)
    memory_days: int = make_row(30, values.read_count)
    memory_entries: int = make_row(1_000_000, values.read_count)
    keep_found_hours: int = make_row(720, values.read_count)
    keep_absent_hours: int = make_row(24, values.read_count)
    keep_notice_hours: int = make_row(24, values.read_count)
    retraction_list_days: int = make_row(7, values.read_count)
    reference_lists: bool = make_row(False, values.read_flag)
    lists_pin: str = make_row("", values.read_pin)
    max_document_bytes: int = make_row(200_000_000, values.read_count)
    encoding: str = make_row("", values.read_encoding)
    extract_memory_bytes: int = make_row(1 << 30, values.read_count)
    extract_seconds: float = make_row(120.0, values.read_amount)
    max_false_accusations: float | None = make_row(None, values.read_share)
    base_rate: float | None = make_row(None, values.read_share)
    judge_thresholds: Path | None = make_row(None, values.read_path, changes_results=False)
    judge_calibration: Path | None = make_row(None, values.read_path, changes_results=False)
    audit_dir: Path | None = make_row(None, values.read_path, changes_results=False)
    audit_run: str = make_row("", values.read_name, changes_results=False)
    audit_anchors: tuple[str, ...] = make_row((), values.read_names, changes_results=False)
    audit_key: Path | None = make_row(None, values.read_path, changes_results=False)
    audit_durability: str = make_row(
        "strict", values.make_choice_reader("strict", "relaxed"), changes_results=False
    )
    audit_clear: bool = make_row(False, values.read_flag, changes_results=False)
    audit_every: int = make_row(10_000, values.read_count, changes_results=False)
    audit_keep_days: int | None = make_row(None, values.read_count, changes_results=False)
    corpus_root: Path | None = make_row(None, values.read_path)
    corpus_sources: tuple[str, ...] = make_row(
        (".aiwg/research/sources", "research/sources", "docs/research/sources"), values.read_names, LONGER
    )
    corpus_findings: tuple[str, ...] = make_row(
        (
            *(".aiwg/research/findings", ".aiwg/research/paper-analysis"),
            *("research/findings", "docs/research/findings", "docs/references"),
        ),
        values.read_names,
        LONGER,
    )
    corpus_assessments: tuple[str, ...] = make_row(
        tuple(f"{above}research/quality-assessments" for above in (".aiwg/", "", "docs/")),
        values.read_names,
        LONGER,
    )
    corpus_report: str = make_row(".aiwg/reports/citation-verification.md", values.read_name)
    corpus_skip: tuple[str, ...] = make_row(
        (".aiwg/working/**", ".aiwg/ralph/**", "CHANGELOG.md"), values.read_names, SHORTER
    )
    corpus_ref: str = make_row("REF", values.read_prefix)
    corpus_dois: str = make_row("check", values.make_choice_reader("check", "format"))
    corpus_stale_days: int = make_row(90, values.read_count, LOWER)
    corpus_max_bytes: int = make_row(64_000_000, values.read_count)
    llm: str = make_row("", values.read_model)
    llm_figures: bool = make_row(False, values.read_flag)
    llm_search: bool = make_row(False, values.read_flag)
    llm_max_dollars: float | None = make_row(None, values.read_dollars)
    llm_max_requests: int = make_row(1000, values.read_count)
    llm_price: str = make_row("", values.read_price)
    llm_at_once: int = make_row(4, values.read_count)
    llm_timeout: float = make_row(60.0, values.read_amount)
    shared_store: StoreAddress | None = make_row(None, values.read_store, changes_results=False)
    policy: str = make_row("", values.read_policy, changes_results=False)  # its digest is another fact
    fail_on: tuple[str, ...] = make_row(("minor", "unchecked"), values.read_fail_on, STRICTER)
    hold: tuple[str, ...] = make_row(ClaimPolicy().hold, values.read_hold, STRICTER)
    allow_unchecked_retractions: bool = make_row(False, values.read_flag)
    baseline: Path | None = make_row(None, values.read_path)
    ignore_file: Path | None = make_row(None, values.read_path)
    project_urls: frozenset[str] = frozenset()  # sources whose URL a project's file set: they get no key
    set_by_project: frozenset[str] = frozenset()  # settings whose value comes from a project's file
    origins: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), compare=False, repr=False
    )

    @property
    def thresholds_file(self) -> Path:
        """Path of the thresholds that `citeproof bench tune` writes."""
        return self.judge_thresholds or find_user_file().with_name("thresholds.json")

    @property
    def calibration_file(self) -> Path:
        """Path of the calibration that `citeproof bench calibrate` writes."""
        return self.judge_calibration or find_user_file().with_name("calibration.json")

    @property
    def audit_keys(self) -> Path:
        """Folder of the private keys of audit logs, outside the logs."""
        return self.audit_key or find_user_file().with_name("audit")

    @property
    def starter(self) -> Path:
        return self.cache_dir / "snapshots" / "starter"

    @property
    def pulled_snapshots(self) -> Path:
        """Folder of the snapshots that `citeproof index pull` fetched, by name."""
        return self.cache_dir / "pulled"

    def list_snapshot_folders(self) -> tuple[Path, ...]:
        """Return the snapshots asked for, by path or as pulled@NAME; else the starter and all pulled ones."""
        if self.snapshots:
            return tuple(map(self._find_snapshot, self.snapshots))
        return ((self.starter,) if self.starter.is_dir() else ()) + self.list_pulled_folders()

    def _find_snapshot(self, path: Path) -> Path:
        lead, mark, name = path.name.partition("@")  # what is written as a name was read as a path
        pulled = self.pulled_snapshots / name  # before a folder of the project that is called so
        return pulled if (lead, mark) == ("pulled", "@") and (pulled.exists() or not path.exists()) else path

    def list_pulled_folders(self) -> tuple[Path, ...]:
        """Return the snapshots that were pulled and are whole, by name."""
        try:
            return tuple(sorted(p for p in self.pulled_snapshots.iterdir() if p.is_symlink() and p.is_dir()))
        except OSError:
            return ()

    def origin(self, name: str) -> str:
        """Return where the value of setting `name` came from."""
        return self.origins.get(name, "default")

    def origin_of_url(self, source: str) -> str:
        """Return where the base URL of a source came from; sources may have theirs from different places."""
        return self.origins.get(f"urls.{source}", self.origin("urls"))

    def digest(self) -> str:
        """Return the SHA-256 of all values, which names this set of settings."""
        plain = {row.name: to_plain_value(getattr(self, row.name)) for row in TABLE}
        return sha256(dumps(plain)).hexdigest()


def _read_table() -> tuple[Setting, ...]:
    with Path(__file__).with_name("settings.csv").open(encoding="utf-8", newline="") as file:
        words = {row["name"]: row for row in csv.DictReader(file)}
    made = []
    for row in (row for row in fields(Settings) if row.metadata):
        stated = words.pop(row.name)
        variable = PREFIX + (stated["variable"] or row.name.upper())
        made.append(Setting(row.name, env=variable, flag=stated["flag"], help=stated["help"], **row.metadata))
    assert not words, f"settings.csv has a row for no setting: {', '.join(words)}"
    return tuple(made)


TABLE = _read_table()
_HEAD = """\
# Settings of citeproof for this project; a line counts once its "# " is removed.
# They replace those of the user's own file; CITEPROOF_* variables and flags replace them.
"""
_OPEN = "# ---- What a project's file may set, within the bounds in brackets"
_CLOSED = """\
# ---- What it may set only if the user trusts it as it is: citeproof trust
# Else these belong into the user's own file, variables or flags."""
_TABLES = "# ---- Tables, which stand last; they need trust as well"
_MACHINE = ("cache_dir", "limits_dir")  # folders that depend on the user
_UNSET = '"…"'


def build_config_template() -> str:
    """Return the file; as it is, it sets nothing."""
    plain = Settings()
    usual = [row for row in TABLE if not isinstance(getattr(plain, row.name), Mapping)]
    tables = [row for row in TABLE if row not in usual]
    parts = [_HEAD, _OPEN, ""]
    parts += [line for row in usual if row.project for line in _describe_setting(row, plain)]
    parts += [_CLOSED, ""]
    parts += [line for row in usual if not row.project for line in _describe_setting(row, plain)]
    parts += [_TABLES, ""]
    for row in tables:
        table = (f"[{row.name}]", f'crossref = "https://example.org/crossref"  # or {row.env}')
        keys = (f"They are never read from a file: set {row.env}, such as CITEPROOF_ADS_KEY.",)
        parts += [f"# {line}" for line in (row.help, *(keys if row.name == "keys" else table))] + [""]
    return "\n".join(parts).rstrip("\n") + "\n"


def _describe_setting(row: Setting, plain: Settings) -> Iterator[str]:
    bounds = f" [{row.project.help}]" if row.project and row.project.help != "any value" else ""
    yield f"# {row.help}{bounds}"
    value = getattr(plain, row.name)
    if row.name in _MACHINE or value is None or value == "":
        default = "a folder of the user" if row.name in _MACHINE else "not set"
        yield f"# {row.name} = {_UNSET}  # default: {default}"
    else:
        # TOML writes text, numbers and lists of text as JSON does
        plain_value = [str(part) for part in value] if isinstance(value, tuple) else value
        written = str(value) if isinstance(value, Path) else plain_value
        yield f"# {row.name} = {json.dumps(written, ensure_ascii=False)}"
    yield ""
