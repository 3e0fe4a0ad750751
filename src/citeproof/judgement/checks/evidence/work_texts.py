"""What a citation and the records of its work say in words: the texts that checks read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from citeproof.judgement.checks.evidence.work_notices import WorkEvidence, list_work_records
from citeproof.text import lazy_patterns as re
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Record

MAX_TEXT = 20_000  # characters read of one text
LONG_NAME = 40  # characters; a shorter name of a person orders nothing
DOCUMENT = "document"
ORCID_WORDS = frozenset((b"orcid", b"orcids", b"orcidid", b"orcid-numbers", b"orcid-id"))
_GATES = (
    ("injection_phrases.toml", "override_gates"),
    ("injection_phrases.toml", "order_gates"),
    ("injection_phrases.toml", "conclusive_gates"),
    ("generated_text.toml", "residue_gates"),
    ("generated_text.toml", "tortured_gates"),
)
_SHOWN = 120  # characters of an excerpt
_OTHER_SCRIPTS = re.compile(
    "[\u0370-\u1dff\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2e80-\uffff\U00010000-\U0010ffff]"
)
_TO_WORDS = bytes(
    b if b > 0x7F or chr(b).isalnum() or b in b"_-" else 0x20
    for b in map(ord, map(str.lower, map(chr, range(128))))
) + bytes(range(128, 256))


class WordGates(NamedTuple):
    """Which words a text must have to be worth a closer look: of each list of one gate, one."""

    first: frozenset[bytes]
    gates: tuple[tuple[frozenset[bytes], ...], ...]

    def admit(self, words: frozenset[bytes]) -> bool:
        """Return whether a text with these words passes one of the gates."""
        if self.first.isdisjoint(words):
            return False
        return any(not any(map(words.isdisjoint, gate)) for gate in self.gates)


class WorkText(NamedTuple):
    """A text, who wrote it (the document or a source), and its words in UTF-8 and lower case.

    Without a word that begins a gate of any check, `words` is empty: most texts need no more.
    """

    text: str
    source: str
    words: frozenset[bytes]


class WorkReading(NamedTuple):
    """What several checks read of one reference: the records of its work, and the texts."""

    evidence: WorkEvidence
    records: tuple[Record, ...]
    texts: tuple[WorkText, ...]


class _LastReading:
    """The evidence that was read last: one check after another asks for the same."""

    held: WorkReading | None = None


def read_work(evidence: WorkEvidence) -> WorkReading:
    """Return the records of the cited work, and the texts of the citation and of these records."""
    held = _LastReading.held
    if held is None or held.evidence is not evidence:
        records = list_work_records(evidence.judgement, evidence.compared)
        held = WorkReading(evidence, tuple(records), tuple(_list_texts(evidence, records)))
        _LastReading.held = held
    return held


def _list_texts(evidence: WorkEvidence, records: Sequence[Record]) -> Iterator[WorkText]:
    """Yield the citation as it is written, then what each record says that the citation does not."""
    reference, claimed = evidence.reference, evidence.reference.claimed
    cited, title = reference.raw[:MAX_TEXT], claimed.title or ""
    whole = f"{cited}; {title[:MAX_TEXT]}" if len(cited) <= len(title) and cited != title else cited
    yield WorkText(whole, DOCUMENT, collect_words(whole))
    for record in records:
        parts = [known for known in record.titles if known != title]
        parts += [v.venue for v in record.versions if v.venue and v.venue != claimed.venue]
        parts += [n.display for n in record.authors if len(n.family) > LONG_NAME]
        if record.publisher and record.publisher != claimed.publisher:
            parts.append(record.publisher)
        if parts:
            text = "; ".join(dict.fromkeys(parts))[:MAX_TEXT]
            yield WorkText(text, record.source, collect_words(text))


def collect_words(text: str) -> frozenset[bytes]:
    """Return the words of a text if one of them begins a gate, else none."""
    words = text.encode("utf-8", "replace").translate(_TO_WORDS).split()
    return frozenset() if _load_first_words().isdisjoint(words) else frozenset(words)


@cache
def load_gates(file: str, name: str) -> WordGates:
    """Return the gates of a table of this package."""
    table = load_package_table("citeproof.judgement.checks", file)[name]
    gates = tuple(tuple(frozenset(map(str.encode, words)) for words in gate) for gate in table)
    return WordGates(frozenset(word for gate in gates for word in gate[0]), gates)


@cache
def _load_first_words() -> frozenset[bytes]:
    return frozenset((*ORCID_WORDS, *(word for table in _GATES for word in load_gates(*table).first)))


def is_western(text: str) -> bool:
    """Return whether all signs of a text are visible and of Latin script or punctuation."""
    if text.isascii():
        return True
    try:
        text.encode("latin-1")  # sooner than a search, and true of most
    except UnicodeEncodeError:
        return _OTHER_SCRIPTS.search(text) is None
    return True


def quote_excerpt(text: str, start: int, end: int) -> str:
    """Return a passage on one line, with a little of what is around it, controls spelled out."""
    if end - start >= _SHOWN:
        return f"{show_one_line(text[start : start + _SHOWN])}…"
    room = min(30, (_SHOWN - (end - start)) // 2)
    begin, stop = max(0, start - room), min(len(text), end + room)
    head, tail = "…" if begin else "", "…" if stop < len(text) else ""
    return f"{head}{show_one_line(text[begin:stop])}{tail}"
