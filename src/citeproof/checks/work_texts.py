"""What a citation and the records of its work say in words: the texts that checks read."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from citeproof.checks.work_notices import WorkEvidence
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Record, Verdict

MAX_TEXT = 20_000  # characters read of one text
LONG_NAME = 40  # characters; a shorter name of a person orders nothing
DOCUMENT = "document"
_SHOWN = 120  # characters of an excerpt
_TO_WORDS = bytes(
    b if b > 0x7F or chr(b).isalnum() or b in b"_-" else 0x20
    for b in map(ord, map(str.lower, map(chr, range(128))))
) + bytes(range(128, 256))


class WordGates(NamedTuple):
    """Which words a text must have to be worth a closer look: of each list of one gate, one."""

    first: frozenset[bytes]
    gates: tuple[tuple[frozenset[bytes], ...], ...]

    @classmethod
    def of(cls, table: list[list[list[str]]]) -> WordGates:
        """Return the gates of a table."""
        gates = tuple(tuple(frozenset(map(str.encode, words)) for words in gate) for gate in table)
        return cls(frozenset(word for gate in gates for word in gate[0]), gates)

    def admit(self, words: frozenset[bytes]) -> bool:
        """Return whether a text with these words passes one of the gates."""
        if self.first.isdisjoint(words):
            return False
        return any(not any(map(words.isdisjoint, gate)) for gate in self.gates)


class WorkText(NamedTuple):
    """A text, and who wrote it: the document or a source."""

    text: str
    source: str


def list_work_records(evidence: WorkEvidence) -> list[Record]:
    """Return the record that was matched and those of the same work; those of another work say nothing."""
    judgement = evidence.judgement
    if judgement.matched is None or judgement.verdict is Verdict.MISMATCH:
        return []
    own = judgement.matched.record
    if not own.work:
        return [own]
    kin = [c.record for c in evidence.compared if c.record.work == own.work and c.record is not own]
    return [own, *kin]


def list_work_texts(evidence: WorkEvidence) -> list[WorkText]:
    """Return the citation as it is written, then what each record of the work says in words."""
    reference = evidence.reference
    cited, title = reference.raw[:MAX_TEXT], reference.claimed.title or ""
    texts = [WorkText(cited if title in cited else f"{cited}\n{title[:MAX_TEXT]}", DOCUMENT)]
    for record in list_work_records(evidence):
        said = [*record.titles, *(v.venue for v in record.versions if v.venue), record.publisher or ""]
        said += [n.display for n in record.authors if len(n.family) + len(n.given) > LONG_NAME]
        texts.append(WorkText("; ".join(said)[:MAX_TEXT], record.source))
    return texts


@lru_cache(maxsize=8)  # several checks read the same text
def collect_words(text: str) -> frozenset[bytes]:
    """Return the words of a text in UTF-8, ASCII letters in lower case."""
    return frozenset(text.encode("utf-8", "replace").translate(_TO_WORDS).split())


def is_western(text: str) -> bool:
    """Return whether a text has only signs of Western Europe: none is invisible, none of another script."""
    if text.isascii():
        return True
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def quote_excerpt(text: str, start: int, end: int) -> str:
    """Return a passage on one line, with a little of what is around it, controls spelled out."""
    if end - start >= _SHOWN:
        return f"{show_one_line(text[start : start + _SHOWN])}…"
    room = min(30, (_SHOWN - (end - start)) // 2)
    begin, stop = max(0, start - room), min(len(text), end + room)
    head, tail = "…" if begin else "", "…" if stop < len(text) else ""
    return f"{head}{show_one_line(text[begin:stop])}{tail}"
