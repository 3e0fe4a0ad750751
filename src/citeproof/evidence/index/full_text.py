"""The full-text index (tantivy): what the signature keys do not find.

One field of words that we fold and split ourselves: those of the title, and marked by "@" the family
names of the leading authors and the years. Words only, no positions and no stored text: about 30 bytes a
record. tantivy's files differ from
build to build, so they have no part in the snapshot's id.

Where the records of a full-text segment are in the whole.

text/runs.json     of each segment, where a run of documents begins whose records follow each other, and the
                   number of its first record; snapshots of before 0.2 have none, and tantivy is asked
"""

from __future__ import annotations

import shutil
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import msgspec
import tantivy

from citeproof.errors import SnapshotError
from citeproof.evidence.index.manifest import make_damage_error
from citeproof.text.typed_decoding import decode_json

RUNS = "runs.json"
META = "meta.json"


class SegmentRuns(msgspec.Struct, frozen=True):
    """The runs of one segment: the first document of each, ascending from 0, and the number of its record."""

    documents: tuple[int, ...]
    numbers: tuple[int, ...]

    def locate(self, document: int) -> int:
        at = bisect_right(self.documents, document) - 1
        return self.numbers[at] + document - self.documents[at]


def list_segments(folder: Path) -> list[str]:
    """Return the names of the segments in a folder of full text, in the order that tantivy has them."""
    try:
        segments = msgspec.json.decode((folder / META).read_bytes())["segments"]
        return [str(segment["segment_id"]).replace("-", "") for segment in segments]
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError) as error:
        raise make_damage_error(f"cannot be read: {error}", folder / META) from error


def load_runs(folder: Path) -> dict[str, SegmentRuns]:
    """Return the runs of the segments in a folder of full text, by the names of the segments."""
    path = folder / RUNS
    try:
        runs = decode_json(path.read_bytes(), type=dict[str, SegmentRuns])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise make_damage_error(f"is damaged: {error}", path) from error
    for segment in runs.values():
        if (
            len(segment.documents) != len(segment.numbers)
            or segment.documents[:1] != (0,)
            or min(segment.numbers) < 0
        ):
            raise make_damage_error("is damaged: runs that are none", path)
        if list(segment.documents) != sorted(set(segment.documents)):
            raise make_damage_error("is damaged: runs in no order", path)
    return runs


FOLDER = "text"
FIELD = "words"
MARK = "@"  # before a word that is a name or a year, not one of the title
HEAP = 128_000_000  # bytes the writer holds before it writes a segment
MIN_MISSPELT, LONG = 4, 8  # letters of a word that may be misspelt once, and twice
BURST = 4096  # documents passed at a time
SPARE = 12  # hits asked for beyond those wanted, so that equals at the end are in the order of the records
MANY_ASKED, MOST_ASKED = 500, 5_000  # hits asked for at most, where many are equal, and where nearly all are
CHEAP = 10_000  # records that may be looked at for all words of a query
CHEAP_ALONE, CHEAP_PAIRS = 2_000, 10_000  # those of single words and of pairs, where all were too many
SCORE_DIGITS = 3  # of a hit: sums of the same numbers in another order differ in the seventh
LISTED = 100_000  # documents whose records are asked for at a time
REMOVALS = 20  # tries to remove the links; one is nearly always enough

_HEADS = (".managed.json", "meta.json")
# tantivy opens the file of stored fields, though we store none, and a damaged one makes it ask for so much
# memory that the process is killed: it gets this one, of a single empty document, instead.
_EMPTY_STORE = (
    b"\t\0\0\0\x90\x80\0\0\0\0\x01\0\0\0\x81\x85\x81\x80\x80\x81\x8e\x02\0\0\0"
    b"\x0e\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    b'{"version":{"major":0,"minor":27,"patch":0,"index_format_version":7},"crc":3878983991}V\0\0\0\x39\x05\0\0'
)


def _build_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(FIELD, tokenizer_name="whitespace", index_option="basic")
    builder.add_unsigned_field("ordinal", fast=True)
    return builder.build()


class TextWriter:
    """Takes the words of each record; one thread, so that the cost is plain. Goes on from the last commit."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._folder.mkdir(exist_ok=True)
        self._index = tantivy.Index(_build_schema(), path=str(self._folder))
        self._index.config_reader("manual")  # no reader yet: no thread that waits for commits
        self._writer = self._index.writer(HEAP, 1)
        self._waiting: list[tuple[int, str]] = []

    def add(self, ordinal: int, words: str) -> None:
        """Index one record under words joined by spaces.

        Documents go over in bursts: passed one by one, each wakes tantivy's thread, which
        doubled the CPU time of a build.
        """
        self._waiting.append((ordinal, words))
        if len(self._waiting) >= BURST:
            self._hand_over()

    def _hand_over(self) -> None:
        add = self._writer.add_json  # cheaper than a Document, whose numbers would also be signed
        for ordinal, words in self._waiting:
            add(f'{{"{FIELD}":"{words}","ordinal":{ordinal}}}')  # letters, digits, spaces and marks only
        self._waiting.clear()

    def commit(self) -> None:
        """Make all that was added last: what comes later is forgotten unless it is committed too."""
        self._hand_over()
        self._writer.commit()

    def finish(self) -> None:
        """Commit, and leave nothing but the files of the index."""
        self.commit()
        self._writer.wait_merging_threads()
        segments = msgspec.json.decode((self._folder / "meta.json").read_bytes())["segments"]
        living = {segment["segment_id"].replace("-", ""): segment["max_doc"] for segment in segments}
        self._write_runs(living)
        for path in self._folder.iterdir():  # locks, and what a build that was killed left half done
            if path.name not in (*_HEADS, RUNS) and path.name.partition(".")[0] not in living:
                path.unlink()
        usual = self._folder.stat().st_mode & 0o666
        for name in _HEADS:  # tantivy makes these for its own user alone
            (self._folder / name).chmod(usual)

    def _write_runs(self, segments: dict[str, int]) -> None:
        """Write down which records follow each other: to tell that of a hit, tantivy reads all segments."""
        self._index.reload()
        searcher = self._index.searcher()
        runs = {
            name: _list_runs(searcher, number, documents)
            for number, (name, documents) in enumerate(segments.items())
        }
        (self._folder / RUNS).write_bytes(msgspec.json.encode(runs))

    def close(self) -> None:
        """Let go of the index and of tantivy's lock; what was not committed is lost."""
        self._waiting.clear()
        with suppress(AttributeError):
            del self._writer, self._index


def count_committed(folder: Path) -> int | None:
    """Return how many records the words of a build that was stopped are of; None if they cannot be read."""
    try:
        with _explain_damage(folder):
            index = tantivy.Index.open(str(folder / FOLDER))
            index.config_reader("manual")
            index.reload()
            return int(index.searcher().num_docs)
    except SnapshotError:
        return None


class FullText:
    """The words of an open snapshot. The searcher is immutable and safe for many threads."""

    def __init__(self, snapshot: Path) -> None:
        """Map the files; through links, because tantivy writes a lock file next to what it opens.

        So a snapshot may lie on a read-only disk or belong to another user, and nothing in it ever
        changes. All files are mapped when this returns, and the links are gone again.
        """
        self._folder = snapshot / FOLDER
        runs = load_runs(self._folder)
        self._runs = [runs.get(name) for name in list_segments(self._folder)]
        with _make_temporary_folder() as links, _explain_damage(self._folder):
            for path in self._folder.resolve().iterdir():
                if path.suffix == ".store":
                    (links / path.name).write_bytes(_EMPTY_STORE)
                elif path.name in _HEADS or path.suffix not in {".json", ".lock"}:
                    (links / path.name).symlink_to(path)
            self._index = tantivy.Index.open(str(links))
            self._index.config_reader("manual")  # without a thread that waits for commits
            self._searcher = self._index.searcher()
            self._schema = self._index.schema
            self._term("a")  # raises if the field is not there
        self._known_frequency = lru_cache(maxsize=1 << 14)(self.frequency)
        self._searched = lru_cache(maxsize=64)(self._search)  # a title and its citation have the same words

    def frequency(self, word: str) -> int:
        """Return how many records have `word` in their title."""
        return int(self._searcher.doc_freq(FIELD, word))

    def rarest(self, words: Iterable[str], count: int) -> list[str]:
        """Return the `count` rarest of the words that occur at all, rarest first."""
        with _explain_damage(self._folder):
            known = [(self._known_frequency(word), word) for word in dict.fromkeys(words)]
        return [word for times, word in sorted(known) if times][:count]

    def find_misspelt(self, words: Sequence[str], *, limit: int) -> list[int]:
        """Return the ordinals of records that have most of the words, up to one or two wrong letters.

        Walks the whole dictionary of words for each that is not in it: some milliseconds.
        """
        known = self.rarest(words, len(words))
        misspelt = [
            tantivy.Query.fuzzy_term_query(self._schema, FIELD, word, 1 if len(word) < LONG else 2)
            for word in dict.fromkeys(words)
            if len(word) >= MIN_MISSPELT and word not in known
        ]
        return self._search(known, limit, misspelt)

    def find(self, words: Iterable[str], *, limit: int) -> list[int]:
        """Return the ordinals of the records that share most of the words, best first.

        Where the words are in many records, only those are looked at that have a rare one of them, or two.
        """
        return list(self._searched(tuple(words), limit))

    def find_all_of(
        self, required: Iterable[Sequence[Sequence[str]]], words: Iterable[str], *, limit: int
    ) -> list[int]:
        """Return the ordinals of the records that satisfy every requirement, those with most `words` first.

        A requirement is a choice: one of its word lists must be there whole.
        """
        parts = [(tantivy.Occur.Must, self._require(choice)) for choice in required]
        parts += [(tantivy.Occur.Should, self._term(word)) for word in words]
        return self._run(tantivy.Query.boolean_query(parts), limit)

    def _require(self, choice: Sequence[Sequence[str]]) -> tantivy.Query:
        whole = [
            tantivy.Query.boolean_query([(tantivy.Occur.Must, self._term(word)) for word in words])
            for words in choice
        ]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, words_query) for words_query in whole])

    def _term(self, word: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, FIELD, word)

    def _search(self, words: Iterable[str], limit: int, misspelt: Sequence[tantivy.Query] = ()) -> list[int]:
        with _explain_damage(self._folder):
            known = sorted((times, word) for word in words if (times := self._known_frequency(word)))
        terms = [self._term(word) for _, word in known]
        parts = [*terms, *misspelt]
        if not parts:
            return []
        query = _any_of(parts)
        if sum(times for times, _ in known) > CHEAP:
            telling = [*_pick_telling(terms, [times for times, _ in known]), *misspelt]
            chosen = tantivy.Query.const_score_query(_any_of(telling), 0.0)
            query = tantivy.Query.boolean_query(
                [(tantivy.Occur.Must, chosen), *((tantivy.Occur.Should, part) for part in parts)]
            )
        return self._run(query, limit)

    def _run(self, query: tantivy.Query, limit: int) -> list[int]:
        asked = limit + SPARE
        while True:
            with _explain_damage(self._folder):
                hits = self._ask(query, asked)
            if len(hits) < asked or asked >= MOST_ASKED:
                break
            if len(hits) > limit and hits[limit - 1][0] < hits[-1][0]:
                break  # no equal of the last one is left out
            if asked >= MANY_ASKED and hits and hits[0][0] < hits[-1][0]:
                hits = [hit for hit in hits if hit[0] < hits[-1][0]]
                break  # so many equals say nothing: none of them, or it would depend on the order of segments
            asked *= 4
        return [ordinal for _, ordinal in sorted(hits)][:limit]

    def _ask(self, query: tantivy.Query, limit: int) -> list[tuple[float, int]]:
        """Return the best hits as (score below zero, ordinal): sorted, the best come first."""
        hits = self._searcher.search(query, limit, count=False).hits
        ordinals = self._locate([address for _, address in hits])
        return [
            (-round(score, SCORE_DIGITS), ordinal) for (score, _), ordinal in zip(hits, ordinals, strict=True)
        ]

    def _locate(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        """Return the ordinals of the records at these places of tantivy's."""
        placed = [(self._runs[address.segment_ord], address.doc) for address in addresses]
        if all(runs for runs, _ in placed):
            return [runs.locate(doc) for runs, doc in placed if runs]
        return [int(number or 0) for number in self._searcher.fast_field_values("ordinal", addresses)]


def _list_runs(searcher: tantivy.Searcher, segment: int, documents: int) -> SegmentRuns:
    """Return the runs of one segment: documents whose records have numbers that follow each other."""
    import numpy as np  # noqa: PLC0415 - keeps `citeproof check` quick: most titles are found by key

    starts, numbers, next_number = [], [], -1
    for first in range(0, documents, LISTED):
        asked = [tantivy.DocAddress(segment, at) for at in range(first, min(first + LISTED, documents))]
        ordinals = np.array(searcher.fast_field_values("ordinal", asked), np.int64)
        breaks = np.flatnonzero(np.diff(ordinals, prepend=next_number - 1) != 1)
        starts += (breaks + first).tolist()
        numbers += ordinals[breaks].tolist()
        next_number = int(ordinals[-1]) + 1
    return SegmentRuns(tuple(starts), tuple(numbers))


def _any_of(parts: Sequence[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])


def _pick_telling(terms: Sequence[tantivy.Query], times: Sequence[int]) -> list[tantivy.Query]:
    """Return what a record must have one of: one of the rarest words, or two of the others, rare ones first.

    The records that all words are in grow with the index; those that are looked at here hardly do.
    """
    alone, left = 0, CHEAP_ALONE
    while alone < len(terms) and times[alone] <= left:
        left -= times[alone]
        alone += 1
    telling, left = list(terms[:alone]), CHEAP_PAIRS
    for other in range(alone + 1, len(terms)):
        for first in range(alone, other):
            if times[first] <= left or not telling:
                left -= times[first]
                both = [(tantivy.Occur.Must, terms[first]), (tantivy.Occur.Must, terms[other])]
                telling.append(tantivy.Query.boolean_query(both))
    return telling or [terms[0]]


@contextmanager
def _make_temporary_folder() -> Iterator[Path]:
    """Yield a folder that is gone afterwards, even if tantivy's first reader still writes its lock there."""
    folder = Path(tempfile.mkdtemp(prefix="citeproof-"))
    try:
        yield folder
    finally:
        for _ in range(REMOVALS):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break


@contextmanager
def _explain_damage(folder: Path) -> Iterator[None]:
    """Turn what tantivy says of damaged files into our words; it panics where it cannot continue."""
    try:
        yield
    except ValueError as error:
        raise make_damage_error(f"cannot be read: {error}", folder) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # pyo3's, which is no Exception and has no other handle
            raise
        raise make_damage_error(f"is damaged: {error}", folder) from error
