"""A stand-in for the rules: what it makes of a document is known, and every call is noted in a file.

A line `rests on NAME` asks for the file NAME; `do WORD` misbehaves.
"""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path

from citeproof.corpus.corpus_types import (
    AskedQuestion,
    CorpusCitation,
    Counts,
    DocumentResult,
    Issue,
    Level,
    Pattern,
    PendingDoi,
    Severity,
    Span,
    Status,
)
from citeproof.corpus.result_cache import ResultCache
from citeproof.plumbing.clock import FixedClock

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
ASKS = re.compile(r"rests on (\S+)")
DOES = re.compile(r"do (\w+)")


def digest_in(folder: Path, question: str) -> str:
    """Return the digest of a file of the ground, as it is now."""
    name = question.removeprefix("file:")
    path = folder / name
    return sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def digest(folder: Path) -> partial[str]:
    return partial(digest_in, folder)


@dataclass(frozen=True)
class Examiner:
    folder: Path  # the ground
    log: Path

    def __call__(self, data: bytes, file: str) -> DocumentResult:
        with self.log.open("a") as log:
            log.write(f"{file} {os.getpid()}\n")
        text = data.decode("utf-8", "surrogateescape")
        for word in DOES.findall(text):
            self.do(word)
        asked = tuple(
            AskedQuestion(f"file:{name}", digest_in(self.folder, f"file:{name}"))
            for name in ASKS.findall(text)
        )
        return made(file, text, asked)

    def do(self, word: str) -> None:
        if word == "raise":
            raise ValueError("a fault\x1b[31m of the rules")
        if word == "die" or (word == "stumble" and not self.log.with_suffix(".stumbled").exists()):
            self.log.with_suffix(".stumbled").touch()
            os.kill(os.getpid(), signal.SIGKILL)


def made(file: str, text: str, asked: tuple[AskedQuestion, ...] = (), cited: int = 2) -> DocumentResult:
    """Return a result that tells the text it was made of."""
    citations = tuple(
        CorpusCitation(Pattern.REF, text[:40], f"REF-00{n}", 0, 7, 1, 1, 1, Status.VERIFIED)
        for n in range(cited)
    )
    issue = Issue("r", "k", "t", Severity.LOW, Level.WARNING, 1, 1, 1, 2, text[:40], "s", "m", "f")
    doi = CorpusCitation(Pattern.DOI, "10.1/x", "10.1/x", 0, 1, 1, 1, 1, Status.UNCHECKED)
    pending = PendingDoi(doi, Span(0, 1), 2, "claim")
    return DocumentResult(file, citations, (issue,), (pending,), asked, Counts(files=1, citations=cited))


def make(folder: Path, log: Path) -> partial[Examiner]:
    """Return what makes an examiner in any process."""
    return partial(Examiner, folder, log)


def seen(log: Path) -> list[str]:
    """Return the documents that were examined, sorted."""
    return sorted(line.rsplit(" ", 1)[0] for line in log.read_text().splitlines()) if log.exists() else []


def processes(log: Path) -> set[int]:
    """Return the processes that examined."""
    return {int(line.rsplit(" ", 1)[1]) for line in log.read_text().splitlines()}


def keeping_at(folder: Path, at: datetime) -> ResultCache:
    return ResultCache(folder, folder / "root", "key", FixedClock(at))
