"""What a document costs that did not change: its row fetched and unpacked, its 25 questions asked again.

    python bench/corpus_rows.py [--files 5000] [--folder DIR]

Rows are made up, so that nothing but the keeping is measured: a stat, a row, 25 answers from a table.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from citeproof.corpus.corpus_types import (
    AskedQuestion,
    CorpusCitation,
    Counts,
    DocumentResult,
    Freshness,
    Issue,
    Level,
    Pattern,
    PendingDoi,
    Severity,
    Span,
    Status,
)
from citeproof.corpus.document_run import examine_documents
from citeproof.corpus.result_cache import ResultCache, pack_result
from citeproof.vocabulary import Act, Remedy

QUESTIONS = 25
DIGEST = "0123456789abcdef"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--folder", type=Path, help="where files are made for a while")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder, prefix="citeproof-") as name:
        folder = Path(name)
        paths = [folder / f"{number // 100}" / f"{number}.md" for number in range(given.files)]
        for path in paths:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"x" * 6_000)
        keep(folder, paths)
        for words, citations in (("head only", False), ("with citations", True)):
            print(f"{words:15} {again(folder, paths, citations=citations):6.0f} µs CPU a file")


def result() -> DocumentResult:
    """Return a result of the usual size: twenty citations, three issues, a DOI."""
    path = "src/package/module.py"
    place = (100, 150, 7, 3, 7)
    raw = f"[{path}@{DIGEST}, L10-20]"
    fresh = (Status.VERIFIED, Freshness.FRESH, "", "", path, None, DIGEST, "L10-20", DIGEST)
    cited = CorpusCitation(Pattern.CODE, raw, path, *place, *fresh)
    words = (
        "A sentence of the usual length that claims more than its source allows.",
        "REF-001",
        "why",
        "how",
    )
    kind = ("grade-language", "GRADE Hedging Violation", "unsupported_inference")
    remedy = Remedy(Act.REPLACE, 1, 5, "suggests")
    issue = Issue(*kind, Severity.MEDIUM, Level.WARNING, 7, 1, 7, 30, *words, remedy, 3)
    pending = PendingDoi("10.5555/made", Span(1, 9), Span(1, 9), "10.5555/made", 1, 1, 1, 9, words[0])
    asked = tuple(AskedQuestion(f"file:src/package/module_{n}.py", DIGEST) for n in range(QUESTIONS))
    return DocumentResult("", (cited,) * 20, (issue,) * 3, (pending,), asked, Counts(files=1, citations=20))


def keep(folder: Path, paths: Sequence[Path]) -> None:
    """Keep the same result of every document."""
    with closing(ResultCache(folder / "cache", folder, "key")) as keeping:
        keeping.put((path, pack_result(result(), sha256(path.read_bytes()).digest())) for path in paths)


def again(folder: Path, paths: Sequence[Path], *, citations: bool) -> float:
    """Return the microseconds of processor time that a run takes for each document."""
    known = {one.question: one.digest for one in result().asked}
    with closing(ResultCache(folder / "cache", folder, "key")) as keeping:
        began = time.process_time()
        wrong = sum(
            one.trouble != ""
            for one in examine_documents(
                paths, str, lambda: _refuse, keeping, known.__getitem__, 1, citations=citations
            )
        )
        spent = (time.process_time() - began) / len(paths) * 1e6
    assert not wrong, "a row was not used"
    return spent


def _refuse(data: bytes, file: str) -> DocumentResult:
    raise AssertionError(f"{file} was examined ({len(data)} bytes)")


if __name__ == "__main__":
    main()
