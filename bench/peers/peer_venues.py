"""The venues of the world's works, for services that are asked whether a venue exists."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing.base import Call, Reply, make_json_reply
from citeproof.text.title import STOPWORDS, split_words

MOST = 20


class VenueRegister:
    """Names of venues, found by their words."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [(name, frozenset(split_words(name))) for name in sorted(set(names))]

    def find(self, asked: Iterable[str]) -> list[str]:
        """Return the names that have all the words asked for."""
        words = frozenset(word for part in asked for word in split_words(part)) - STOPWORDS
        return [name for name, own in self._names if words and words <= own][:MOST]

    def answer_openalex(self, call: Call) -> Reply:
        """Return what OpenAlex answers to a search for sources."""
        found = self.find([call.query.get("search", "")])
        results: list[dict[str, Any]] = [
            {"display_name": name, "alternate_titles": [], "abbreviated_title": None} for name in found
        ]
        return make_json_reply({"meta": {"count": len(results)}, "results": results})


def load_register(snapshot: Snapshot, folder: Path) -> VenueRegister:
    """Return the venues of a snapshot; its whole reading is kept in `folder`."""
    kept = folder / f"venues-{snapshot.manifest.id}.json"
    if not kept.exists():
        records = (snapshot.record_at(number) for number in range(snapshot.manifest.records))
        names = {version.venue for record in records for version in record.versions if version.venue}
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(sorted(names)), encoding="utf-8")
    return VenueRegister(json.loads(kept.read_text(encoding="utf-8")))
