"""Where a project keeps its corpus: folders relative to the root, each a setting."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from citeproof.serial import dumps


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders and words of one corpus; `/` between parts, none at either end."""

    sources: tuple[str, ...] = (".aiwg/research/sources", "research/sources", "docs/research/sources")
    findings: tuple[str, ...] = (
        ".aiwg/research/findings",
        ".aiwg/research/paper-analysis",
        "research/findings",
        "docs/research/findings",
        "docs/references",
    )
    assessments: tuple[str, ...] = (
        ".aiwg/research/quality-assessments",
        "research/quality-assessments",
        "docs/research/quality-assessments",
    )
    report: str = ".aiwg/reports/citation-verification.md"
    skip: tuple[str, ...] = (".aiwg/working/**", ".aiwg/ralph/**", "CHANGELOG.md")
    ref: str = "REF"  # the word before the number of an inline reference
    dois: str = "check"  # "format": whether they exist is not asked
    stale_days: int = 90  # after which a source that was not looked at again is told of
    max_bytes: int = 64_000_000  # of one cited file

    def digest(self) -> str:
        """Return what names this layout, for the keys of the cache."""
        return sha256(dumps({name: getattr(self, name) for name in self.__slots__})).hexdigest()[:16]
