"""The settings that come last in the table: a store that machines share, and what a run fails on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from citeproof.settings import setting_values
from citeproof.settings.project_rules import STRICTER
from citeproof.settings.setting_row import make_row
from citeproof.settings.snapshot_folders import SnapshotFolders
from citeproof.settings.store_address import StoreAddress
from citeproof.vocabulary import HOLDABLE, ClaimPolicy


@dataclass(frozen=True, slots=True)
class GateSettings(SnapshotFolders):
    """The part of `Settings` that decides nothing about the evidence: what is shared, and the exit code."""

    shared_store: StoreAddress | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_store,
        "PostgreSQL database (postgresql://…) through which several machines share rate limits and answers.",
    )
    policy: str = make_row(
        "",
        setting_values.read_policy,
        "Policy that decides what fails: author, journal, conference-neurips-2026, arxiv, strict, or your "
        "own TOML file.",
        flag="--policy",
    )
    fail_on: tuple[str, ...] = make_row(
        ("minor", "unchecked"),
        setting_values.read_fail_on,
        "What a check fails on: some of major, minor (implies major), noted (implies minor), unchecked, "
        "findings, names of checks such as predatory_source, and no-NAME for a check never to fail on; "
        "or none.",
        STRICTER,
        flag="--fail-on",
    )
    hold: tuple[str, ...] = make_row(
        ClaimPolicy().hold,
        setting_values.read_hold,
        "What of a claim's content holds it back and fails the run, though its citation is right: some of "
        f"{', '.join(HOLDABLE)}; or none.",
        STRICTER,
        flag="--hold",
    )
    allow_unchecked_retractions: bool = make_row(
        False,
        setting_values.read_flag,
        "Verify citations of claims though nobody can say whether the work was retracted; each says so.",
        flag="--allow-unchecked-retractions",
    )
    baseline: Path | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_path,
        "File of --write-baseline with the problems that were there; a check fails on new ones only.",
        flag="--baseline",
    )
    ignore_file: Path | None = make_row(  # noqa: RUF009 - a field(), under another name
        None,
        setting_values.read_path,
        "TOML file with the problems that you accept, each with its reason.",
        flag="--ignore",
    )
