"""The run card: what is next to every figure, so that somebody else can get it again."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import msgspec

from citeproof.evidence.index.manifest import load as load_manifest
from citeproof.judgement.judge.model import Model
from citeproof.plumbing.programs import find_program, make_environment, run_program
from citeproof.settings import Settings
from citeproof.verifier import ReferenceVerifier

PACKAGE = Path(__file__).resolve().parents[2]
PATIENCE = 5.0  # seconds that git may take


class SnapshotCard(msgspec.Struct, frozen=True):
    """One snapshot, and whether its silence means anything."""

    id: str
    name: str
    records: int
    covers: tuple[str, ...]
    world: str  # the claims in words


class FileCard(msgspec.Struct, frozen=True):
    """One benchmark file: its bytes, and what became of its items."""

    name: str
    sha256: str
    shape: str
    items: int
    split: str
    seed: int | None
    answered: int
    unchecked: int
    answers_reused: int
    not_understood: dict[str, int] = {}


class EngineCard(msgspec.Struct, frozen=True):
    """What gave the answers; stored answers of one engine are no answers of another."""

    citeproof: str
    commit: str
    judge: str
    judge_sha256: str  # of its weights, thresholds, calibration and what was asked of it
    exact_at: float  # τ_E
    minor_at: float  # τ_M
    max_false_accusations: float | None
    snapshots: tuple[str, ...]
    sources: tuple[str, ...]
    offline: bool
    language_model: str = ""


class RunCard(msgspec.Struct, frozen=True):
    """Everything about one run that its figures depend on."""

    engine: EngineCard
    snapshots: tuple[SnapshotCard, ...]
    settings: str
    started: str
    ended: str
    fresh: bool
    answers_reused: int
    lookups_reused: int
    files: tuple[FileCard, ...]


def describe_engine(verifier: ReferenceVerifier) -> EngineCard:
    """Return what gives the answers of `verifier`."""
    model: Model = verifier.model
    return EngineCard(
        metadata.version("citeproof"),
        find_commit(),
        model.name,
        sha256(msgspec.json.encode(model)).hexdigest(),
        model.exact_at,
        model.minor_at,
        model.allowed,
        verifier.snapshots,
        verifier.retriever.sources,
        verifier.offline,
        verifier.reviewer.model_name if verifier.reviewer else "",
    )


def list_snapshot_cards(settings: Settings) -> tuple[SnapshotCard, ...]:
    """Return the snapshots of a run and what each claims to hold completely."""
    manifests = [load_manifest(folder) for folder in settings.list_snapshot_folders()]
    return tuple(SnapshotCard(m.id, m.name, m.records, m.covers, describe_world(m.covers)) for m in manifests)


def describe_world(covers: Sequence[str]) -> str:
    """Return in words what a snapshot's silence means."""
    if "all" in covers:
        return "closed world: covers all, so that what it does not have counts as not existing"
    if not covers:
        return "open world: claims nothing, so that what it does not have stays unchecked"
    return f"partly closed world: claims to hold all of {', '.join(covers)}"


@lru_cache(maxsize=1)
def find_commit(package: Path = PACKAGE) -> str:
    """Return the commit of the running code, "-dirty" if changed since; empty where it is not known."""
    root = package.parents[1]
    # Only our own work tree: an environment inside somebody's project is not at that project's commit.
    if package == root / "src" / "citeproof" and (root / ".git").exists():
        return _describe_checkout(root)
    return _find_installed_commit()


def _describe_checkout(root: Path) -> str:
    try:
        name = _run_git(root, "rev-parse", "--short=12", "HEAD")
        changed = _run_git(root, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return ""
    return name[:80] + ("-dirty" if changed else "")


def _run_git(root: Path, *words: str) -> str:
    """Return what git prints about our own work tree, of which it changes nothing."""
    command = [find_program("git") or "", "--no-optional-locks", "-C", str(root), *words]
    ended = run_program(command, make_environment(), PATIENCE)
    ended.check_returncode()
    return ended.stdout.decode("ascii", "replace").strip()


def _find_installed_commit() -> str:
    """Return the commit that the package was installed from, where the installer noted one."""
    try:
        noted = metadata.distribution("citeproof").read_text("direct_url.json") or "{}"
        return str(msgspec.json.decode(noted).get("vcs_info", {}).get("commit_id", ""))[:80]
    except (metadata.PackageNotFoundError, msgspec.DecodeError, AttributeError, OSError):
        return ""


def format_run_card(card: RunCard) -> list[str]:
    by = card.engine
    version = f"citeproof {by.citeproof}" + (f" at {by.commit}" if by.commit else "")
    reused = f"cached answers reused: {card.answers_reused}, kept lookups reused: {card.lookups_reused}"
    allowed = by.max_false_accusations
    promised = "" if allowed is None else f", at most {allowed:.2%} false accusations promised"
    return [
        f"{version}, judge {by.judge}, τ_M {by.minor_at}, τ_E {by.exact_at}{promised}",
        *(f"snapshot {s.id} ({s.records:,} records): {s.world}" for s in card.snapshots),
        "offline" if by.offline else f"live sources: {', '.join(by.sources)}",
        f"{card.started} to {card.ended}; {reused}{' (fresh)' if card.fresh else ''}",
        *(f"{f.name}: sha256 {f.sha256[:16]}, {f.items} items{_format_file_origin(f)}" for f in card.files),
    ]


def _format_file_origin(card: FileCard) -> str:
    split = f" of split {card.split}" if card.split else ""
    return split + (f", seed {card.seed}" if card.seed is not None else "")
