"""The one table of settings: each with its default, its variable, its flag and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from citeproof.serializers import dumps
from citeproof.settings import setting_values
from citeproof.settings.gate_settings import GateSettings
from citeproof.settings.project_rules import ANY_VALUE, LONGER, LOWER, SHORTER
from citeproof.settings.setting_row import Setting, make_row
from citeproof.settings.setting_values import to_plain_value
from citeproof.settings.store_address import StoreAddress
from citeproof.settings.user_folders import find_cache_folder, find_state_folder, find_user_file
from citeproof.vocabulary import Secret

PREFIX = "CITEPROOF_"
ANY = "<SOURCE>"  # in the name of a variable that exists for every source


@dataclass(frozen=True, slots=True)
class Settings(GateSettings):
    """Every setting with its value, and where each value came from."""

    snapshots: tuple[Path, ...] = make_row(
        (),
        setting_values.read_snapshots,
        "Snapshots (DIR or pulled@NAME); default: starter and pulled.",
        env="SNAPSHOT",
        flag="--snapshot",
    )
    texts: tuple[Path, ...] = make_row(
        (),
        setting_values.read_paths,
        "Folders with the texts of cited works (PDF, JATS, HTML, DOCX, ...), which claims are compared with.",
        flag="--texts",
    )
    fetch_texts: bool = make_row(
        False,
        setting_values.read_flag,
        "Fetch open texts or abstracts of the works that claims cite, where robots.txt allows it.",
        flag="--fetch-texts",
    )
    cache_dir: Path = make_row(  # noqa: RUF009 - a field(), under another name
        find_cache_folder,
        setting_values.read_path,
        "Folder for the starter snapshot and other data that can be recreated.",
    )
    offline: bool = make_row(False, setting_values.read_flag, "Do not use the network.", flag="--offline")
    sources: tuple[str, ...] = make_row(
        (),
        setting_values.read_names,
        "Ask only these sources; 'default' adds the default ones.",
        flag="--sources",
    )
    route: str = make_row(
        "registries-first",
        setting_values.read_route,
        "registries-first: web search, if it is asked for, comes last; web-first: before the registries.",
        flag="--route",
    )
    format: str = make_row(
        "text",
        setting_values.read_name,
        "Format of a report, such as text, json, md or html; docs/formats.md lists all.",
        ANY_VALUE,
        flag="--format",
    )
    contact: str = make_row(
        "",
        setting_values.read_contact,
        "Your e-mail address, sent to registries that give better service for it.",
        flag="--contact",
    )
    timeout: float = make_row(
        8.0, setting_values.read_amount, "Seconds to wait for one answer from a source."
    )
    deadline: float = make_row(
        300.0,
        setting_values.read_amount,
        "Maximum network time per reference in seconds; waiting for rate limits does not count.",
    )
    urls: Mapping[str, str] = make_row(
        MappingProxyType({}),
        setting_values.read_urls,
        "Base URL that replaces a source's own.",
        env=f"{ANY}_URL",
    )
    keys: Mapping[str, Secret] = make_row(
        MappingProxyType({}),
        setting_values.read_keys,
        "API key of a source; read from the environment only.",
        env=f"{ANY}_KEY",
    )
    pace: float = make_row(
        1.0, setting_values.read_amount, "Factor on the rate limit of a source with a replaced URL."
    )
    limits_dir: Path = make_row(  # noqa: RUF009 - a field(), under another name
        lambda: find_state_folder("limits"),
        setting_values.read_path,
        "Folder through which all processes on this machine share rate limits; leave it out of backups.",
    )
    proxy: str = make_row(
        "",
        setting_values.read_proxy,
        "HTTP proxy for requests to registries; with a proxy, links are not followed.",
    )
    trusted_proxies: tuple[str, ...] = make_row(
        (),
        setting_values.read_networks,
        "Reverse proxies (address or network) whose X-Forwarded-For and X-Forwarded-Proto a server believes.",
        flag="--trusted-proxy",
    )
    private_hosts: tuple[str, ...] = make_row(
        (),
        setting_values.read_names,
        "Hosts (name or name:port) in your own network that links may point to.",
    )
    memory: Path | StoreAddress | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_memory,
        "Folder (or postgresql://…) of the memory: matched works are kept, and found without asking sources.",
        flag="--memory",
    )
    memory_days: int = make_row(
        30, setting_values.read_count, "Days after which a work in the memory is looked up anew."
    )
    memory_entries: int = make_row(
        1_000_000, setting_values.read_count, "Maximum number of works in the memory."
    )
    keep_found_hours: int = make_row(720, setting_values.read_count, "Hours to cache an answer with records.")
    keep_absent_hours: int = make_row(
        24, setting_values.read_count, "Hours to cache an answer without records."
    )
    keep_notice_hours: int = make_row(
        24, setting_values.read_count, "Hours to cache an answer that reports a retraction."
    )
    retraction_list_days: int = make_row(
        7,
        setting_values.read_count,
        "Days after which the list of retractions no longer clears a work; what it has is still found.",
    )
    reference_lists: bool = make_row(
        False,
        setting_values.read_flag,
        "Ask Crossref for the reference lists of cited works too, for the check cites_retracted; its answers "
        "are then several times as large.",
    )
    lists_pin: str = make_row(
        "",
        setting_values.read_pin,
        "Pinned set of lists (`citeproof lists pin`) to ask instead of the installed ones: a .pin file or a "
        "name, with @sha256:DIGEST if it must be that very set.",
        flag="--lists-pin",
    )
    max_document_bytes: int = make_row(200_000_000, setting_values.read_count, "Maximum size of a document.")
    encoding: str = make_row(
        "",
        setting_values.read_encoding,
        "Encoding of documents that are not in UTF-8 (cp1251, shift_jis, …); default: it is detected.",
        flag="--encoding",
    )
    pdf_engine: str = make_row(
        "pdfium",
        setting_values.read_pdf_engine,
        "PDF reader: pdfium (local, offline) or grobid (your GROBID server, CITEPROOF_GROBID_URL).",
        flag="--pdf-engine",
    )
    extract_memory_bytes: int = make_row(
        1 << 30,
        setting_values.read_count,
        "Maximum memory for reading one document, unless it is plain text.",
    )
    extract_seconds: float = make_row(
        120.0,
        setting_values.read_amount,
        "Maximum processor seconds (by the clock: five times) for reading one document, unless plain text.",
    )
    max_false_accusations: float | None = make_row(
        None,
        setting_values.read_share,
        "Maximum share of real references called wrong; uncertain references are not judged.",
        flag="--max-false-accusations",
    )
    base_rate: float | None = make_row(
        None,
        setting_values.read_share,
        "Expected share of bad references, for confidence; default: the share in the judge's own data.",
    )
    judge_thresholds: Path | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_path,
        "Thresholds file of `citeproof bench tune`; default: the one in the configuration folder.",
    )
    judge_calibration: Path | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_path,
        "Calibration file of `citeproof bench calibrate`; default: the one in the configuration folder.",
    )
    audit_dir: Path | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_path,
        "Folder of the audit log. If set, every result is logged before it is shown.",
        flag="--audit",
    )
    audit_run: str = make_row(
        "",
        setting_values.read_name,
        "Name of the run or hypothesis in the audit log; default: the time.",
        flag="--audit-run",
    )
    audit_anchors: tuple[str, ...] = make_row(
        (),
        setting_values.read_names,
        "Where to send checkpoints of the audit log, in addition to its own write-once folder.",
        flag="--audit-anchors",
    )
    audit_key: Path | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_path,
        "Folder of the private keys that sign audit logs; default: one in the configuration folder.",
    )
    audit_durability: str = make_row(
        "strict",
        setting_values.read_durability,
        "strict: results are shown only after the audit log is on disk; relaxed: it is written soon after.",
    )
    audit_clear: bool = make_row(
        False,
        setting_values.read_flag,
        "Log the user's own text (raw citations, keys) as plain text, not only as salted commitments.",
    )
    audit_every: int = make_row(
        10_000, setting_values.read_count, "Sign and anchor the audit log after this many events."
    )
    audit_keep_days: int | None = make_row(
        None,
        setting_values.read_count,
        "Days that `citeproof audit prune` keeps evidence and private text; default: forever.",
    )
    corpus_root: Path | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_path,
        "Folder that must contain the cited files; default: the nearest with .git, .aiwg or a config.",
        flag="--root",
    )
    corpus_sources: tuple[str, ...] = make_row(
        (".aiwg/research/sources", "research/sources", "docs/research/sources"),
        setting_values.read_names,
        "Folders with the sources of a corpus, relative to its root.",
        LONGER,
    )
    corpus_findings: tuple[str, ...] = make_row(
        (
            ".aiwg/research/findings",
            ".aiwg/research/paper-analysis",
            "research/findings",
            "docs/research/findings",
            "docs/references",
        ),
        setting_values.read_names,
        "Folders with findings and analyses, which may contain REF ids.",
        LONGER,
    )
    corpus_assessments: tuple[str, ...] = make_row(
        (
            ".aiwg/research/quality-assessments",
            "research/quality-assessments",
            "docs/research/quality-assessments",
        ),
        setting_values.read_names,
        "Folders with quality assessments (GRADE).",
        LONGER,
    )
    corpus_report: str = make_row(
        ".aiwg/reports/citation-verification.md",
        setting_values.read_name,
        "Where `citeproof corpus --report` saves the report, below the root.",
    )
    corpus_skip: tuple[str, ...] = make_row(
        (".aiwg/working/**", ".aiwg/ralph/**", "CHANGELOG.md"),
        setting_values.read_names,
        "Documents to skip unless they are named.",
        SHORTER,
    )
    corpus_ref: str = make_row(
        "REF", setting_values.read_prefix, "The word before the number of an inline reference."
    )
    corpus_dois: str = make_row(
        "check",
        setting_values.read_doi_mode,
        "check: ask whether DOIs exist; format: only check that they are well formed.",
    )
    corpus_stale_days: int = make_row(
        90, setting_values.read_count, "Report sources that nobody reviewed for this many days.", LOWER
    )
    corpus_max_bytes: int = make_row(64_000_000, setting_values.read_count, "Maximum size of a cited file.")
    llm: str = make_row(
        "",
        setting_values.read_model,
        "Language model for doubtful matches, as PROVIDER:MODEL (openai, anthropic or google). Its key is in "
        "CITEPROOF_OPENAI_KEY and so on; another server that speaks the API: CITEPROOF_LLM_URL, _LLM_KEY.",
        flag="--llm",
    )
    llm_figures: bool = make_row(
        False, setting_values.read_flag, "Show the model the figures that claims cite.", flag="--llm-figures"
    )
    llm_search: bool = make_row(
        False, setting_values.read_flag, "Search the web with the provider's own tool.", flag="--llm-search"
    )
    llm_max_dollars: float | None = make_row(
        None,
        setting_values.read_dollars,
        "The most that a run may spend on the model; nothing is sent that could cost more.",
        flag="--llm-max-dollars",
    )
    llm_max_requests: int = make_row(
        1000, setting_values.read_count, "The most requests that a run may send to the model."
    )
    llm_price: str = make_row(
        "",
        setting_values.read_price,
        "Dollars for a million tokens of the model: input/output[/cached[/written]]; default: a dated table.",
    )
    llm_at_once: int = make_row(
        4, setting_values.read_count, "The most requests to the model at the same time."
    )
    llm_timeout: float = make_row(
        60.0, setting_values.read_amount, "Seconds to wait for one answer from the model."
    )
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


TABLE: tuple[Setting, ...] = tuple(
    Setting(f.name, **{**f.metadata, "env": PREFIX + (f.metadata["env"] or f.name.upper())})
    for f in sorted(fields(Settings), key=lambda f: f.name in GateSettings.__dataclass_fields__)
    if f.metadata
)
