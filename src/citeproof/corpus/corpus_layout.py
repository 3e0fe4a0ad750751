"""Where a project keeps its corpus: folders relative to the root, each a setting."""

from __future__ import annotations

from dataclasses import dataclass, fields
from hashlib import sha256

from citeproof.answers.serializers import dumps
from citeproof.settings import Settings

_DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class CorpusLayout:
    """The folders and words of one corpus; `/` between parts, none at either end."""

    sources: tuple[str, ...] = _DEFAULTS.corpus_sources
    findings: tuple[str, ...] = _DEFAULTS.corpus_findings
    assessments: tuple[str, ...] = _DEFAULTS.corpus_assessments
    report: str = _DEFAULTS.corpus_report
    skip: tuple[str, ...] = _DEFAULTS.corpus_skip
    ref: str = _DEFAULTS.corpus_ref  # the word before the number of an inline reference
    dois: str = _DEFAULTS.corpus_dois  # "format": whether they exist is not asked
    stale_days: int = _DEFAULTS.corpus_stale_days  # after which a source not examined again is reported
    max_bytes: int = _DEFAULTS.corpus_max_bytes  # of one cited file

    @classmethod
    def from_settings(cls, settings: Settings) -> CorpusLayout:
        chosen = {field.name: getattr(settings, f"corpus_{field.name}") for field in fields(cls)}
        for name in ("sources", "findings", "assessments"):
            chosen[name] = tuple(folder.replace("\\", "/").strip("/") for folder in chosen[name])
        chosen["skip"] = (*chosen["skip"], chosen["report"])  # a report is not a document
        return cls(**chosen)

    @property
    def evidence(self) -> tuple[str, ...]:
        """The folders whose files are what documents are measured by, and are never fixed."""
        return (*self.sources, *self.assessments)

    def digest(self) -> str:
        """Return what names this layout, for the keys of the cache."""
        return sha256(dumps({f.name: getattr(self, f.name) for f in fields(self)})).hexdigest()[:16]
