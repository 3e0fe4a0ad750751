"""What every worker of a batch needs to know, and the digest of all of it that can change a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Self

import msgspec

from citeproof.answers import serializers
from citeproof.answers.serializers import Json
from citeproof.evidence.index.lists.list_store import ListStore
from citeproof.evidence.index.manifest import load as load_manifest
from citeproof.plumbing.clock import Clock, FixedClock, SystemClock
from citeproof.service.assemble import SNAPSHOT, choose_judge, choose_sources
from citeproof.service.assemble.list_choice import choose_list_set
from citeproof.settings import TABLE, Settings, to_plain_value
from citeproof.vocabulary import Policy

# Settings that change no result: where things lie, how long is waited, how results are shown.
_NO_MATTER = frozenset((
    "snapshots", "cache_dir", "format", "limits_dir", "contact", "proxy", "pace", "timeout", "deadline",
    "keys", "texts", "fetch_texts", "judge_thresholds", "judge_calibration", "audit_dir", "audit_run",
    "audit_anchors", "audit_key", "audit_durability", "audit_clear", "audit_every", "audit_keep_days",
    "policy",  # its digest is among the facts
    "shared_store",
))  # fmt: skip
# What makes a result depend on the documents that were checked before it. A batch has no order.
_LEFT_OUT: Mapping[str, Any] = {"memory": None, "llm": "", "baseline": None, "ignore_file": None}


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """The settings of a batch, the formats of its reports, and the time that it counts as begun."""

    settings: Settings
    formats: tuple[str, ...]
    started: str  # RFC 3339
    digest: str = ""  # of all that can change a result
    snapshots: tuple[str, ...] = ()  # the ids of those that the run is to use
    policy: Policy | None = None  # read where the run began: another machine may not have its file

    @property
    def clock(self) -> Clock:
        """The clock of the run.

        If nothing but snapshots is asked, and without a log, nothing in a result is newer than the run: then
        a result does not depend on the day on which a document's turn comes.
        """
        settled = self.settings.offline or choose_sources(self.settings) == (SNAPSHOT,)
        if settled and self.settings.audit_dir is None:
            return FixedClock(datetime.fromisoformat(self.started))
        return SystemClock()

    def pack(self) -> dict[str, Any]:
        """Return what can be sent to another process; `unpack` makes a plan of it."""
        values = {field.name: getattr(self.settings, field.name) for field in fields(self.settings)}
        plain = {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"settings": plain}

    @classmethod
    def unpack(cls, packed: Mapping[str, Any]) -> Self:
        settings: dict[str, Any] = {
            name: MappingProxyType(value) if isinstance(value, dict) else value
            for name, value in packed["settings"].items()
        }
        own = {field.name: packed[field.name] for field in fields(cls)}
        return cls(**own | {"settings": Settings(**settings)})


def remove_order(settings: Settings) -> tuple[Settings, list[str]]:
    """Return the settings without what would make results depend on order, and the names of what was set."""
    named = [name for name, nothing in _LEFT_OUT.items() if getattr(settings, name) != nothing]
    return replace(settings, **_LEFT_OUT), named


def describe_evidence(
    settings: Settings, formats: Sequence[str], policy: Policy | None = None
) -> tuple[str, Json]:
    """Return the SHA-256 of all that can change a result but the document, and the summary of it."""
    values = {
        row.name: to_plain_value(getattr(settings, row.name))
        for row in TABLE
        if row.name not in _NO_MATTER and not row.name.startswith(("corpus_", "llm", "memory"))
    }
    listed = choose_list_set(settings)
    chosen = choose_sources(settings)
    judge = choose_judge(settings).model
    folders = settings.list_snapshot_folders() if SNAPSHOT in chosen else ()
    summary: Json = {
        "snapshots": [load_manifest(folder).id for folder in folders],
        "sources": [name for name in chosen if not (settings.offline and name != SNAPSHOT)],
        "offline": settings.offline,
        "judge": judge.name,
        **({"policy": {"name": policy.name, "digest": policy.digest}} if policy else {}),
    }
    facts = {
        "settings": values,
        "formats": sorted(formats),
        "judge": sha256(msgspec.json.encode(judge)).hexdigest(),
        "pin": listed.pin,
        "lists": {
            each.name: each.store.find_digest(each.name)
            for each in listed.lists
            if isinstance(each.store, ListStore)
        },
        "citeproof": serializers.get_version(),
        "evidence": summary,
        "log": str(settings.audit_dir or ""),  # only what is in the log may be shown
    }
    return sha256(serializers.dumps(facts)).hexdigest(), summary
