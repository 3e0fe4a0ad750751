"""The one table of settings: each with its default, its variable, its flag and what it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import platformdirs

from citeproof.serializers import dumps
from citeproof.settings import setting_values
from citeproof.settings.project_rules import ANY_VALUE, INSIDE, LOWER, ONLY_TRUE, ProjectRule
from citeproof.vocabulary import Secret

PREFIX = "CITEPROOF_"
ANY = "<SOURCE>"  # in the name of a variable that exists for every source


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table: its name, how it is set, and what it means."""

    name: str
    read: Callable[[object, Path], object]  # (value, the folder relative paths start from)
    env: str
    flag: str
    help: str
    project: ProjectRule | None = None  # what a project's file may set it to; None: nothing


def _find_limits_folder() -> Path:
    """Return a folder that all processes of this user share, whatever cache they use, and no other user."""
    return Path(platformdirs.user_state_dir("citeproof")) / "limits"


def _make_row(
    default: Callable[[], Any],
    read: Callable[[object, Path], object],
    env: str,
    flag: str,
    help_: str,
    project: ProjectRule | None = None,
) -> Any:  # noqa: ANN401 - like dataclasses.field, which it wraps
    told = {"read": read, "env": PREFIX + env, "flag": flag, "help": help_, "project": project}
    return field(default_factory=default, metadata=told)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value, and where each value came from."""

    snapshots: tuple[Path, ...] = _make_row(
        tuple,
        setting_values.read_paths,
        "SNAPSHOT",
        "--snapshot",
        "Snapshot folders to search; default: the starter snapshot.",
    )
    cache_dir: Path = _make_row(  # noqa: RUF009 - a field(), under another name
        lambda: Path(platformdirs.user_cache_dir("citeproof")), setting_values.read_path, "CACHE_DIR", "",
        "Folder for the starter snapshot and other data that can be recreated.",
    )  # fmt: skip
    offline: bool = _make_row(
        bool, setting_values.read_flag, "OFFLINE", "--offline", "Do not use the network.", ONLY_TRUE
    )
    sources: tuple[str, ...] = _make_row(
        tuple,
        setting_values.read_names,
        "SOURCES",
        "--sources",
        "Ask only these sources; 'default' adds the default ones.",
    )
    format: str = _make_row(
        lambda: "text",
        setting_values.read_name,
        "FORMAT",
        "--format",
        "Format of a report: text, json, jsonl, md, html, sarif, junit, csv, bibtex, csl or ris.",
        ANY_VALUE,
    )
    contact: str = _make_row(
        str,
        setting_values.read_contact,
        "CONTACT",
        "--contact",
        "Your e-mail address, sent to registries that give better service for it.",
    )
    timeout: float = _make_row(
        lambda: 8.0,
        setting_values.read_amount,
        "TIMEOUT",
        "",
        "Seconds to wait for one answer from a source.",
    )
    deadline: float = _make_row(
        lambda: 300.0,
        setting_values.read_amount,
        "DEADLINE",
        "",
        "Maximum network time per reference in seconds; waiting for rate limits does not count.",
    )
    urls: Mapping[str, str] = _make_row(
        lambda: MappingProxyType({}),
        setting_values.read_urls,
        f"{ANY}_URL",
        "",
        "Base URL that replaces a source's own.",
    )
    keys: Mapping[str, Secret] = _make_row(
        lambda: MappingProxyType({}),
        setting_values.read_keys,
        f"{ANY}_KEY",
        "",
        "API key of a source; read from the environment only.",
    )
    pace: float = _make_row(
        lambda: 1.0,
        setting_values.read_amount,
        "PACE",
        "",
        "Factor on the rate limit of a source with a replaced URL.",
    )
    limits_dir: Path = _make_row(  # noqa: RUF009 - a field(), under another name
        _find_limits_folder, setting_values.read_path, "LIMITS_DIR", "",
        "Folder through which all processes on this machine share rate limits; leave it out of backups.",
    )  # fmt: skip
    proxy: str = _make_row(
        str,
        setting_values.read_proxy,
        "PROXY",
        "",
        "HTTP proxy for requests to registries; with a proxy, links are not followed.",
    )
    private_hosts: tuple[str, ...] = _make_row(
        tuple,
        setting_values.read_names,
        "PRIVATE_HOSTS",
        "",
        "Hosts (name or name:port) in your own network that links may point to.",
    )
    keep_found_hours: int = _make_row(
        lambda: 720,
        setting_values.read_count,
        "KEEP_FOUND_HOURS",
        "",
        "Hours to cache an answer with records.",
    )
    keep_absent_hours: int = _make_row(
        lambda: 24,
        setting_values.read_count,
        "KEEP_ABSENT_HOURS",
        "",
        "Hours to cache an answer without records.",
    )
    keep_notice_hours: int = _make_row(
        lambda: 24,
        setting_values.read_count,
        "KEEP_NOTICE_HOURS",
        "",
        "Hours to cache an answer that reports a retraction.",
    )
    max_document_bytes: int = _make_row(
        lambda: 200_000_000,
        setting_values.read_count,
        "MAX_DOCUMENT_BYTES",
        "",
        "Maximum size of a document.",
    )
    pdf_engine: str = _make_row(
        lambda: "pdfium",
        setting_values.read_pdf_engine,
        "PDF_ENGINE",
        "--pdf-engine",
        "PDF reader: pdfium (local, offline) or grobid (your GROBID server, CITEPROOF_GROBID_URL).",
    )
    extract_memory_bytes: int = _make_row(
        lambda: 1 << 30,
        setting_values.read_count,
        "EXTRACT_MEMORY_BYTES",
        "",
        "Maximum memory for reading one document, unless it is plain text.",
    )
    extract_seconds: float = _make_row(
        lambda: 120.0,
        setting_values.read_amount,
        "EXTRACT_SECONDS",
        "",
        "Maximum seconds for reading one document, unless it is plain text.",
    )
    max_false_accusations: float | None = _make_row(
        lambda: None,
        setting_values.read_share,
        "MAX_FALSE_ACCUSATIONS",
        "--max-false-accusations",
        "Maximum share of real references called wrong; uncertain references are not judged.",
    )
    base_rate: float | None = _make_row(
        lambda: None,
        setting_values.read_share,
        "BASE_RATE",
        "",
        "Expected share of bad references, for confidence; default: the share in the judge's own data.",
    )
    judge_thresholds: Path | None = _make_row(  # noqa: RUF009 - a field(), under another name
        lambda: None, setting_values.read_path, "JUDGE_THRESHOLDS", "",
        "Thresholds file of `citeproof bench tune`; default: the one in the configuration folder.",
    )  # fmt: skip
    judge_calibration: Path | None = _make_row(  # noqa: RUF009 - a field(), under another name
        lambda: None, setting_values.read_path, "JUDGE_CALIBRATION", "",
        "Calibration file of `citeproof bench calibrate`; default: the one in the configuration folder.",
    )  # fmt: skip
    audit_dir: Path | None = _make_row(  # noqa: RUF009 - a field(), under another name
        lambda: None, setting_values.read_path, "AUDIT_DIR", "--audit",
        "Folder of the audit log. If set, every result is logged before it is shown.",
    )  # fmt: skip
    audit_run: str = _make_row(
        str,
        setting_values.read_name,
        "AUDIT_RUN",
        "--audit-run",
        "Name of the run or hypothesis in the audit log; default: the time.",
    )
    audit_anchors: tuple[str, ...] = _make_row(
        tuple,
        setting_values.read_names,
        "AUDIT_ANCHORS",
        "--audit-anchors",
        "Where to send checkpoints of the audit log, in addition to its own write-once folder.",
    )
    audit_key: Path | None = _make_row(  # noqa: RUF009 - a field(), under another name
        lambda: None, setting_values.read_path, "AUDIT_KEY", "",
        "Folder of the private keys that sign audit logs; default: one in the configuration folder.",
    )  # fmt: skip
    audit_durability: str = _make_row(
        lambda: "strict",
        setting_values.read_durability,
        "AUDIT_DURABILITY",
        "",
        "strict: results are shown only after the audit log is on disk; relaxed: it is written soon after.",
    )
    audit_clear: bool = _make_row(
        bool,
        setting_values.read_flag,
        "AUDIT_CLEAR",
        "",
        "Log the user's own text (raw citations, keys) as plain text, not only as salted commitments.",
    )
    audit_every: int = _make_row(
        lambda: 10_000,
        setting_values.read_count,
        "AUDIT_EVERY",
        "",
        "Sign and anchor the audit log after this many events.",
    )
    audit_keep_days: int | None = _make_row(
        lambda: None,
        setting_values.read_count,
        "AUDIT_KEEP_DAYS",
        "",
        "Days that `citeproof audit prune` keeps evidence and private text; default: forever.",
    )
    corpus_root: Path | None = _make_row(  # noqa: RUF009 - a field(), under another name
        lambda: None, setting_values.read_path, "CORPUS_ROOT", "--root",
        "Folder that must contain the cited files; default: the nearest with .git, .aiwg or a config.",
    )  # fmt: skip
    corpus_sources: tuple[str, ...] = _make_row(
        lambda: (".aiwg/research/sources", "research/sources", "docs/research/sources"),
        setting_values.read_names,
        "CORPUS_SOURCES",
        "",
        "Folders with the sources of a corpus, relative to its root.",
        INSIDE,
    )
    corpus_findings: tuple[str, ...] = _make_row(
        lambda: (
            ".aiwg/research/findings",
            ".aiwg/research/paper-analysis",
            "research/findings",
            "docs/research/findings",
            "docs/references",
        ),
        setting_values.read_names,
        "CORPUS_FINDINGS",
        "",
        "Folders with findings and analyses, which may contain REF ids.",
        INSIDE,
    )
    corpus_assessments: tuple[str, ...] = _make_row(
        lambda: (
            ".aiwg/research/quality-assessments",
            "research/quality-assessments",
            "docs/research/quality-assessments",
        ),
        setting_values.read_names,
        "CORPUS_ASSESSMENTS",
        "",
        "Folders with quality assessments (GRADE).",
        INSIDE,
    )
    corpus_report: str = _make_row(
        lambda: ".aiwg/reports/citation-verification.md",
        setting_values.read_name,
        "CORPUS_REPORT",
        "",
        "Where `citeproof corpus --report` saves the report, below the root.",
        INSIDE,
    )
    corpus_skip: tuple[str, ...] = _make_row(
        lambda: (".aiwg/working/**", ".aiwg/ralph/**", "CHANGELOG.md"),
        setting_values.read_names,
        "CORPUS_SKIP",
        "",
        "Documents to skip unless they are named.",
        ANY_VALUE,
    )
    corpus_ref: str = _make_row(
        lambda: "REF",
        setting_values.read_prefix,
        "CORPUS_REF",
        "",
        "The word before the number of an inline reference.",
        ANY_VALUE,
    )
    corpus_dois: str = _make_row(
        lambda: "check",
        setting_values.read_doi_mode,
        "CORPUS_DOIS",
        "",
        "check: ask whether DOIs exist; format: only check that they are well formed.",
    )
    corpus_stale_days: int = _make_row(
        lambda: 90,
        setting_values.read_count,
        "CORPUS_STALE_DAYS",
        "",
        "Report sources that nobody reviewed for this many days.",
        LOWER,
    )
    corpus_max_bytes: int = _make_row(
        lambda: 64_000_000,
        setting_values.read_count,
        "CORPUS_MAX_BYTES",
        "",
        "Maximum size of a cited file.",
    )
    project_urls: frozenset[str] = frozenset()  # sources whose URL a project's file set: they get no key
    set_by_project: frozenset[str] = frozenset()  # settings whose value comes from a project's file
    origins: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), compare=False, repr=False
    )

    @property
    def starter(self) -> Path:
        """Path of the starter snapshot."""
        return self.cache_dir / "snapshots" / "starter"

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

    def origin(self, name: str) -> str:
        """Return where the value of setting `name` came from."""
        return self.origins.get(name, "default")

    def origin_of_url(self, source: str) -> str:
        """Return where the base URL of a source came from; sources may have theirs from different places."""
        return self.origins.get(f"urls.{source}", self.origin("urls"))

    def digest(self) -> str:
        """Return the SHA-256 of all values, which names this set of settings."""
        values_ = {row.name: to_plain_value(getattr(self, row.name)) for row in TABLE}
        return sha256(dumps(values_)).hexdigest()


TABLE: tuple[Setting, ...] = tuple(Setting(name=f.name, **f.metadata) for f in fields(Settings) if f.metadata)


def find_user_file() -> Path:
    """Return the path of the user's own config file, if there is one."""
    return Path(platformdirs.user_config_dir("citeproof")) / "config.toml"


def to_plain_value(value: object) -> object:
    """Return a value as JSON can hold it."""
    if isinstance(value, tuple):
        return [to_plain_value(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): to_plain_value(part) for name, part in value.items()}
    if isinstance(value, int) and value.bit_length() > 1000:
        return "(a very long number)"
    return str(value) if isinstance(value, Path | Secret) else value
