"""One recorded lookup -> the lookup as this version of the source makes it of the same answers.

1. Nothing was exchanged (a snapshot, a source that was not asked): as it was recorded; the records of a
   snapshot are read again from their stored bytes, and so are the works of a memory.
2. It was answered in a batch: the source reads that answer again, and its own part in it.
3. Else the source asks again, and hears what it heard then (`playback`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from citeproof.answers.serializers.remembered_work import ForgottenError, decode_remembered_work
from citeproof.evidence.index.record_packing import unpack_record
from citeproof.evidence.sources import base as sources
from citeproof.evidence.sources.base import CannotAnswerError, LiveSource, SourceSession, SourceWiring
from citeproof.plumbing.net.message import Answer, Failure, Request, describe_request
from citeproof.plumbing.stores.evidence_store import EvidenceStore
from citeproof.proof.audit.case import ABSENT, FOUND, UNCHECKED, LoggedCase, LoggedLookup
from citeproof.proof.replay.replay_report import ReasonCode, ReplayReason
from citeproof.vocabulary import (
    MEMORY,
    Absent,
    Cause,
    Exchange,
    Found,
    Lookup,
    Question,
    Reach,
    Record,
    Reference,
    Secret,
    Unchecked,
)

UNASKED = "this was not requested when the run was recorded"


class Playback:
    """What a source needs of the network (`sources._source_session.SourceClient`), out of a record."""

    def __init__(self, exchanges: Iterable[Exchange], stored: Callable[[Exchange], Answer]) -> None:
        """Take the exchanges of one lookup; `stored` gives the recorded answer of one that had any."""
        self._left = list(exchanges)
        self._stored = stored
        self.unasked: list[str] = []  # requests that were not made then

    @property
    def left(self) -> tuple[str, ...]:
        """What was asked then and not any more."""
        return tuple(exchange.asked for exchange in self._left)

    async def fetch(self, request: Request) -> Answer | Failure:
        """Return what was heard then to this request; among equal ones, in their order."""
        wanted = describe_request(request)
        at = next((n for n, exchange in enumerate(self._left) if exchange.asked == wanted), None)
        if at is None:
            self.unasked.append(wanted)
            return Failure(Cause.MALFORMED, UNASKED)
        exchange = self._left.pop(at)
        if exchange.cause:
            return Failure(
                Cause(exchange.cause) if exchange.cause in set(Cause) else Cause.BUG, exchange.detail
            )
        return self._stored(exchange)

    def recall_batch(self, scope: str, by: str, value: str) -> Answer | None:  # noqa: ARG002 - one lookup, one batch
        """Return the answer to the batch in which the lookup was answered."""
        at = next((n for n, exchange in enumerate(self._left) if exchange.batch), None)
        return None if at is None else self._stored(self._left.pop(at))

    def get_cached(self, request: Request) -> Answer | None:  # noqa: ARG002 - the Protocol's shape
        return None

    def keep(self, request: Request, answer: Answer, *, found: bool, notice: bool) -> None: ...

    def note_refusal(self, request: Request, why: str, cause: Cause) -> None: ...

    def note_unreadable(self, request: Request, why: str) -> None: ...

    def remember(
        self, scope: str, by: str, value: str, request: Request, answer: Answer, *, found: bool, notice: bool
    ) -> None: ...


def make_answer(exchange: Exchange, body: bytes, digest: str) -> Answer:
    """Return a recorded answer with its body, as `net` gave it."""
    fields = (exchange.status, body, exchange.media, digest, exchange.url, exchange.at, exchange.absent)
    return Answer(*fields, cached=True, headers=MappingProxyType(dict(exchange.headers)))


def shorten_request(request: str, most: int = 200) -> str:
    """Return a request to show: without the long query of a search."""
    method, _, rest = request.partition(" ")
    try:
        parts = urlsplit(rest)
    except ValueError:
        return request[:most]
    return f"{method} {parts.scheme}://{parts.netloc}{parts.path}"[:most]


if TYPE_CHECKING:
    from citeproof.judgement.models.search_tool import SearchTool

CONTACT = "replay@example.org"  # in place of the address that was given then, which is not stored
UNREAD = "the stored answer cannot be read"
KEPT = 64 << 20  # bytes of bodies available: the references of a batch share one
MOST = 1024  # bodies available, however small


class EvidenceBody(NamedTuple):
    """What is stored under a hash, and the hash that it has."""

    data: bytes
    digest: str


class EvidenceBodies:
    """The evidence of one log."""

    def __init__(self, evidence: EvidenceStore) -> None:
        self._evidence = evidence
        # the one that was used last stands last
        self._kept: OrderedDict[str, EvidenceBody | None] = OrderedDict()
        self._bytes = 0

    def get(self, digest: str) -> EvidenceBody | None:
        """Return what is stored under `digest`; None if nothing is. What cannot be unpacked is empty."""
        if digest in self._kept:
            self._kept.move_to_end(digest)
            return self._kept[digest]
        body = self._kept[digest] = self._read(digest)
        self._bytes += _get_body_size(body)
        while self._bytes > KEPT or len(self._kept) > MOST:
            self._bytes -= _get_body_size(self._kept.popitem(last=False)[1])
        return body

    def _read(self, digest: str) -> EvidenceBody | None:
        data = self._evidence.read_stored(digest)
        if data is None and not self._evidence.has(digest):
            return None
        data = data or b""
        return EvidenceBody(data, sha256(data).hexdigest())


def _get_body_size(body: EvidenceBody | None) -> int:
    return len(body.data) if body else 0


def list_needed_hashes(case: LoggedCase) -> Iterator[tuple[str, str]]:
    """Yield (source, hash) of all that a case rests on."""
    for heard in case.lookups:
        yield from ((heard.source, exchange.sha256) for exchange in heard.exchanges if exchange.sha256)
        yield from ((heard.source, digest) for digest, _, _ in heard.records)


class RecordedTool(msgspec.Struct, frozen=True):
    """The search tool of a language model's provider."""

    url: str
    model: str


class RecordedConfig(msgspec.Struct, frozen=True):
    """How the sources were reached: base URLs, who had a key, whether a contact address was given."""

    urls: dict[str, str] = {}
    keys: tuple[str, ...] = ()
    contact: bool = False
    search_tool: RecordedTool | None = None
    allow_unchecked_retractions: bool = False
    head: dict[str, Any] | None = None  # the first event of the run, but for this; older logs have none


class UnknownSourceError(Exception):
    """A source that this version does not have."""


@dataclass(slots=True)
class ReplayNotes:
    """What was noticed while the lookups of one reference were made again."""

    damaged: dict[str, str] = field(default_factory=dict)  # hash: source
    unasked: dict[tuple[str, str], None] = field(default_factory=dict)  # source, request
    left: dict[tuple[str, str], None] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)  # lookups whose outcome is another

    def reasons(self) -> Iterator[ReplayReason]:
        for digest, source in self.damaged.items():
            yield ReplayReason(ReasonCode.DAMAGED, "a stored answer does not match its hash", source, digest)
        for source, request in self.unasked:
            detail = f"sends requests that were not sent then: {shorten_request(request)}"
            yield ReplayReason(ReasonCode.ASKED, detail, source)
        for source, request in self.left:
            yield ReplayReason(ReasonCode.ASKED, f"no longer sends: {shorten_request(request)}", source)


class LookupReplayer:
    """Makes the lookups of a run again, with its sources as they were set up then."""

    def __init__(self, config: RecordedConfig, bodies: EvidenceBodies) -> None:
        self._config, self._bodies = config, bodies
        self._kinds: dict[str, tuple[type[LiveSource], SourceWiring]] = {}

    async def lookup(self, heard: LoggedLookup, reference: Reference, notes: ReplayNotes) -> Lookup:
        """Return the lookup that `heard` is the record of; what is odd goes to `notes`."""
        if not heard.exchanges:
            return self._as_recorded(heard, notes)
        if heard.source == MEMORY:
            return self._as_remembered(heard, notes)
        question = Question(heard.by, heard.value, reference)
        playback = Playback(heard.exchanges, lambda exchange: self._answer(heard.source, exchange, notes))
        again = await self._ask_again(self._source(heard.source, playback), question, heard)
        notes.unasked.update(((heard.source, request), None) for request in playback.unasked)
        notes.left.update(((heard.source, request), None) for request in playback.left)
        if change := _describe_change(heard, again):
            notes.changed.append(change)
        return again

    async def _ask_again(self, source: LiveSource, question: Question, heard: LoggedLookup) -> Lookup:
        try:
            if heard.exchanges[0].batch:
                unread = source.make_unchecked(question, Cause.MALFORMED, UNREAD)
                return await source.recall(question) or unread
            return await source.ask_alone(question, SourceSession(source.net))
        except CannotAnswerError as error:  # of a batch, whose answer was understood then
            return source.make_unchecked(question, error.cause, error.detail)
        except Exception as bug:  # noqa: BLE001 - a source's bug is a lookup, as in the run itself
            return source.make_unchecked(question, Cause.BUG, f"{type(bug).__name__}: {bug}"[:200])

    def _as_recorded(self, heard: LoggedLookup, notes: ReplayNotes) -> Lookup:
        reach = Reach(heard.reach)
        match heard.outcome:
            case "absent":
                return Absent(heard.source, heard.by, reach, heard.value)
            case "unchecked":
                return Unchecked(heard.source, heard.by, Cause(heard.cause), heard.detail, reach, heard.value)
        try:
            records = tuple(self._record(heard.source, *stored, notes) for stored in heard.records)
        except (msgspec.MsgspecError, ValueError, TypeError):
            notes.changed.append(f"{heard.source}/{heard.by}: {FOUND}, now unreadable")
            return Unchecked(heard.source, heard.by, Cause.MALFORMED, UNREAD, reach, heard.value)
        return Found(heard.source, heard.by, records, reach, heard.note, whole=heard.whole, value=heard.value)

    def _as_remembered(self, heard: LoggedLookup, notes: ReplayNotes) -> Lookup:
        """Return the works that the memory proposed then, read again from their stored bytes."""
        reach = Reach(heard.reach)
        records: list[Record] = []
        for exchange in heard.exchanges:
            body = self._bodies.get(exchange.sha256)
            if body is None or body.digest != exchange.sha256:
                notes.damaged[exchange.sha256] = heard.source
            try:
                records += decode_remembered_work(body.data if body else b"").records
            except ForgottenError:
                notes.changed.append(f"{heard.source}/{heard.by}: {FOUND}, now unreadable")
                return Unchecked(heard.source, heard.by, Cause.MALFORMED, UNREAD, reach, heard.value)
        return Found(heard.source, heard.by, tuple(records), reach, value=heard.value, heard=heard.exchanges)

    def _record(self, source: str, digest: str, work: str, read_at: str | None, notes: ReplayNotes) -> Record:
        body = self._bodies.get(digest)
        data = body.data if body else b""
        if body is None or body.digest != digest:
            notes.damaged[digest] = source
        return unpack_record(data, source=source, work=work, read_at=read_at)

    def _answer(self, source: str, exchange: Exchange, notes: ReplayNotes) -> Answer:
        body = self._bodies.get(exchange.sha256)
        data, digest = body or (b"", "")
        if digest != exchange.sha256:
            notes.damaged[exchange.sha256] = source
        return make_answer(exchange, data, digest)

    def _source(self, name: str, playback: Playback) -> LiveSource:
        if name not in self._kinds:
            if name not in sources.list_sources():
                raise UnknownSourceError(name)
            kind = sources.find_source(name)
            self._kinds[name] = kind, _make_wiring(kind, self._config)
        kind, wiring = self._kinds[name]
        return kind(playback, wiring)


def _make_wiring(kind: type[LiveSource], config: RecordedConfig) -> SourceWiring:
    """Return how a source was reached then, with a word in place of its key."""
    further = kind.find_urls(config.urls)
    return SourceWiring(
        further.pop(kind.name),
        Secret("replay") if kind.name in config.keys else None,
        CONTACT if config.contact else "",
        further,
        search_tool=_make_search_tool(config.search_tool),
    )


def _make_search_tool(recorded: RecordedTool | None) -> SearchTool | None:
    """Return the tool that was asked then; nothing is spent on it."""
    if recorded is None:
        return None
    from citeproof.judgement.models.search_tool import SearchTool  # noqa: PLC0415 - few runs asked one

    return SearchTool(recorded.url, recorded.model)


def _describe_change(heard: LoggedLookup, now: Lookup) -> str:
    """Return how the outcome of a lookup differs from the recorded one; nothing if it does not."""
    then = heard.outcome if heard.outcome != UNCHECKED else f"{heard.cause} ({heard.detail})"
    match now:
        case Found():
            outcome = FOUND if now.note == heard.note else f"{FOUND} ({now.note})"
        case Absent():
            outcome = ABSENT
        case Unchecked():
            outcome = f"{now.cause.value} ({now.detail})"
    if then != outcome:
        return f"{heard.source}/{heard.by}: {then}, now {outcome}"
    if heard.reach != now.reach.value:
        return f"{heard.source}/{heard.by}: reach {heard.reach}, now {now.reach.value}"
    return ""
