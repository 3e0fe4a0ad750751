"""What a live source is: one file, one class, and the few facts it states about itself.

A source file defines one subclass of `LiveSource`. It is found because it is in this folder, and has the name
of its file. It writes three things: how a question becomes a request, how an answer becomes records, and
what its silence means. Everything else (politeness, cache, failures) happens here and in `net`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

from citeproof.evidence.sources import _question_batch
from citeproof.evidence.sources._source_session import (
    CannotAnswerError,
    NoKeptAnswerError,
    SourceClient,
    SourceSession,
)
from citeproof.evidence.upstream_records.json_fields import read_path, read_table
from citeproof.judgement.compare.raw_text import is_running_text
from citeproof.judgement.compare.title import is_known_title
from citeproof.plumbing.net.message import HTML, Answer, Rate, Request, Secret, UnreadableError
from citeproof.text import venue_match
from citeproof.vocabulary import (
    Absent,
    Cause,
    Found,
    Kind,
    Lookup,
    Question,
    Reach,
    Record,
    Reference,
    SourceFacts,
    Unchecked,
)
from citeproof.vocabulary.quick_dataclass import dataclass, field, replace

if TYPE_CHECKING:
    from citeproof.judgement.models.search_tool import SearchTool

__all__ = [
    "CannotAnswerError", "KeyNeed", "LiveSource", "SourceClient", "SourceProfile", "SourceSession",
    "SourceWiring", "find_source", "list_sources", "read_list", "read_record", "read_records",
]  # fmt: skip

MakeRecord = Callable[[dict[str, object]], Record | None]
MOST = 50  # records of one answer; no source is asked for more
SEARCHES = frozenset(("title", "raw", "authors", "mention"))


class KeyNeed(StrEnum):
    """Whether a source needs a key."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class SourceProfile:
    """What a source states about itself; the table of `citeproof sources` is made of these."""

    title: str  # as people call it
    url: str  # default base URL; CITEPROOF_<NAME>_URL replaces it
    rate: Rate
    probe: tuple[str, str]  # an identifier or title that it surely has: `citeproof sources test` asks for it
    probe_kind: Kind = Kind.UNKNOWN  # of that work, where the source wants to know it
    turns: Mapping[str, int] = field(default_factory=dict)  # identifier: 1 is asked first, 2 if that had none
    confirms: frozenset[str] = frozenset()  # identifiers on which it gives a second opinion
    describes: bool = True  # False: it only says whether an identifier exists
    covers: frozenset[Kind] = frozenset()  # kinds for which its silence in a title search counts
    required: frozenset[Kind] = frozenset()  # kinds for which nothing is absent until it has answered
    authority: frozenset[str] = frozenset()  # identifiers of its own: its silence means "no such one"
    key: KeyNeed = KeyNeed.NONE
    keyed_rate: Rate | None = None  # the rate with a key, when it differs
    lanes: Mapping[str, Rate] = field(default_factory=dict)  # stricter limits inside the same server
    keyed_lanes: Mapping[str, Rate] = field(default_factory=dict)
    contact: bool = False  # a contact address earns the rate above; without one, see `anonymous`
    anonymous: Rate | None = None  # the rate without a contact address, when it differs
    anonymous_lanes: Mapping[str, Rate] = field(default_factory=dict)
    further: Mapping[str, str] = field(default_factory=dict)  # other servers it asks: name, base URL
    inner: frozenset[str] = frozenset()  # those of them that stand below the base URL when that is replaced
    group: str = ""  # sources of one group share one server and its limits
    typical: float = 1.0  # seconds it takes to answer, until it is measured
    truncates_authors: bool = False
    says_no_with_pages: bool = False  # a web page with 404 is its own way of saying "no such thing"
    misses_appearances: bool = False  # that it knows only a preprint does not mean that there is only one
    search_order: int = 0  # 1 is asked first for a title, 2 and 3 later, 9 only as the last; 0 never
    pages: int = 0  # that it fetches besides, at most, of those that its search finds
    budget: str = ""  # unit of its budget, e.g. "USD", when it has one
    licence: str = ""
    by_default: bool = True  # asked without being named in --sources


@dataclass(frozen=True, slots=True)
class SourceWiring:
    """How a source is reached: base URLs, key and contact address, from the settings."""

    url: str
    key: Secret | None = None
    contact: str = ""
    urls: Mapping[str, str] = field(default_factory=dict)  # further base URLs of the same source
    reference_lists: bool = False  # ask for what the cited works cite
    search_tool: SearchTool | None = None  # of a language model's provider, where the user chose it


class LiveSource:
    """A source on the network. Subclasses state `answers` and `profile`, and write `ask`."""

    name: ClassVar[str]  # of the file
    answers: ClassVar[frozenset[str]]  # the `by` of the questions it can be asked
    profile: ClassVar[SourceProfile]
    batches: ClassVar[Mapping[str, int]] = {}  # by: how many such questions fit one request
    batch_is_sure: ClassVar[bool] = True  # False: a batch that has none of its questions is doubted
    has_second_service: ClassVar[bool] = False  # asked one by one for the questions of a batch that failed
    batch_cutters: ClassVar[str] = ""  # characters at which a batch is cut: an id with one is asked alone

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not hasattr(cls, "name"):
            cls.name = cls.__module__.rpartition(".")[2]

    def __init__(self, net: SourceClient, wiring: SourceWiring) -> None:
        self.net = net
        self.wiring = wiring
        self._gatherer = _question_batch.QuestionBatcher(self)

    @classmethod
    def find_urls(cls, chosen: Mapping[str, str]) -> dict[str, str]:
        """Return the base URL of each of its servers, its own first; `chosen` are those of the settings."""
        own = chosen.get(cls.name, cls.profile.url)
        moved = own.rstrip("/") != cls.profile.url.rstrip("/")
        further = {
            name: chosen.get(name, own if moved and name in cls.profile.inner else url)
            for name, url in cls.profile.further.items()
        }
        return {cls.name: own, **further}

    # --- what a source writes ------------------------------------------------------------------

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return the records that may answer, best first; () when the source surely has none."""
        raise NotImplementedError

    def batch(self, by: str, values: Sequence[str]) -> Request:
        """Return the one request that asks for all of `values`; only if `batches` names `by`."""
        raise NotImplementedError

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:
        """Return the records in an answer to `batch`; a record's ids say which value it answers."""
        raise NotImplementedError

    def one_record(self, answer: Answer) -> Sequence[Record]:
        """Return the record of a single answer, read as a batch; it cannot be empty: the work is there."""
        records = self.batch_records("", answer)
        if not records:
            raise UnreadableError("an empty list where one work was asked for")
        return records

    def make_bearer(self) -> tuple[tuple[str, str, Secret], ...]:
        """Return the secret header that carries the key, where there is one."""
        return (("Authorization", "Bearer ", self.wiring.key),) if self.wiring.key else ()

    def suits(self, question: Question) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether it makes sense to put this question to this source at all."""
        return True

    def choose_turn(self, question: Question) -> int:
        """Return when it is asked for an identifier: 1 is first; 0 only where none is first."""
        return self.profile.turns.get(question.by, 0)

    @property
    def scope(self) -> str:
        """Names whom was asked with which rights; answers to others are not mixed with these."""
        rights = self.wiring.key.reveal() if self.wiring.key else ""
        return f"{self.name}-{sha256(f'{self.wiring.url} {rights}'.encode()).hexdigest()[:16]}"

    def reach(self, question: Question) -> Reach:
        """Return what this source's silence on the question would mean."""
        if question.by in self.profile.authority:
            return Reach.COMPLETE
        if question.by in ("title", "raw") and question.reference.kind in self.profile.covers:
            return Reach.PARTIAL if _has_guessed_kind(question.reference) else Reach.COVERS
        return Reach.PARTIAL

    def is_required(self, question: Question) -> bool:
        """Return whether the question stays open as long as this source has not answered."""
        return question.by in self.profile.authority or question.reference.kind in self.profile.required

    # --- what every source does alike ----------------------------------------------------------

    async def lookup(self, question: Question) -> Lookup:
        """Return what the source says; whatever goes wrong on the way is `Unchecked`."""
        if self.profile.key is KeyNeed.REQUIRED and self.wiring.key is None:
            detail = f"set CITEPROOF_{self.name.upper()}_KEY to ask {self.profile.title}"
            reach = self.reach(question) if question.by in self.profile.authority else Reach.PARTIAL
            return Unchecked(self.name, question.by, Cause.NEEDS_KEY, detail, reach)
        cut = question.by != "title" and set(self.batch_cutters).intersection(question.value)
        if question.by in self.batches and not cut:
            return await self._gatherer.lookup(question)
        return await self.ask_alone(question, SourceSession(self.net))

    async def recall(self, question: Question) -> Lookup | None:
        """Return what the source is known to say from stored answers; None when it must be asked."""
        if question.by in self.batches and (kept := self._gatherer.recall(question)):
            return kept
        try:
            lookup = await self.ask_alone(question, SourceSession(self.net, only_kept=True))
        except NoKeptAnswerError:
            return None
        return None if isinstance(lookup, Unchecked) else lookup

    async def ask_alone(self, question: Question, visit: SourceSession) -> Lookup:
        """Return what the source says to this one question, without a batch, and what that rests on."""
        return replace(await self._ask_alone(question, visit), value=question.value, heard=visit.heard)

    async def _ask_alone(self, question: Question, visit: SourceSession) -> Lookup:
        try:
            records = tuple(await self.ask(question, visit))[:MOST]
        except UnicodeError:
            return self.make_unchecked(
                question, Cause.NOT_COVERED, "it holds characters that cannot be asked for"
            )
        except CannotAnswerError as error:
            visit.report_refusal(error)
            return self.make_unchecked(question, error.cause, error.detail)
        except UnreadableError as error:
            visit.report_unreadable(str(error))
            return self.make_unchecked(question, Cause.MALFORMED, str(error))
        if not records and self._by_a_page(question, visit.last):
            return self.make_unchecked(
                question, Cause.BOT_WALL, "a web page instead of its own word for absence"
            )
        visit.close(records, found=_has_answer(question, records))
        return self.make_lookup(question, records, visit.last)

    def _by_a_page(self, question: Question, answer: Answer | None) -> bool:
        """Return whether an authority's "no" came as a web page, as a proxy or a wrong address gives it."""
        page = answer is not None and answer.absent and answer.media in HTML
        return page and self.reach(question) is Reach.COMPLETE and not self.profile.says_no_with_pages

    def make_unchecked(self, question: Question, cause: Cause, detail: str) -> Unchecked:
        """Return that the source could not answer, and what its silence would have meant."""
        reach = self.reach(question) if self.is_required(question) else Reach.PARTIAL
        return Unchecked(self.name, question.by, cause, detail, reach)

    def make_lookup(self, question: Question, records: Sequence[Record], answer: Answer | None) -> Lookup:
        """Return the lookup for an answer that was understood."""
        if not records:
            return Absent(self.name, question.by, self.reach(question), question.value)
        at, digest = (answer.at, answer.sha256) if answer else (None, "")
        stamped = tuple(
            replace(
                r,
                source=self.name,
                read_at=r.read_at or at,
                content_hash=r.content_hash or digest,
                versions_complete=not self.profile.misses_appearances,
            )
            for r in records
        )
        return Found(self.name, question.by, stamped, self.reach(question))

    def facts(self, reference: Reference) -> SourceFacts:  # noqa: ARG002 - a live source knows none unasked
        return SourceFacts()


def _has_guessed_kind(reference: Reference) -> bool:
    """Return whether the kind was guessed from running text that does not read like a paper's."""
    if not is_running_text(reference) or reference.kind is Kind.PREPRINT:
        return False
    claimed = reference.claimed
    venue = venue_match.parse_venue(claimed.venue) if claimed.venue else None
    placed = venue is not None and bool(venue.series or venue.kind or claimed.volume or claimed.pages)
    return reference.kind is not Kind.ARTICLE or not placed


def _has_answer(question: Question, records: Sequence[Record]) -> bool:
    """Return whether what was asked for is there; a search always brings something."""
    if question.by not in SEARCHES:
        return bool(records)
    title = question.reference.claimed.title
    return any(is_known_title(title, record.titles) for record in records) if title else bool(records)


def read_list(body: object, *path: str, missing: str) -> list[object]:
    """Return the list that is at a path of nested objects; raise with `missing` without one."""
    listed = read_path(body, *path)
    if not isinstance(listed, list):
        raise UnreadableError(missing)
    return listed


def read_records(
    items: Sequence[object], make: MakeRecord, unread: str, *, every: bool = False
) -> list[Record]:
    """Return the records of the items; raise with `unread` when there are items and none, or with `every`
    not every one of them, can be read.
    """
    records = [record for item in items if (record := make(read_table(item)))]
    if len(records) < len(items) if every else items and not records:
        raise UnreadableError(unread)
    return records


def read_record(body: object, make: MakeRecord, unread: str) -> list[Record]:
    """Return the one record that an answer describes; raise with `unread` if it describes none."""
    return read_records((body,), make, unread, every=True)


def list_sources() -> tuple[str, ...]:
    """Return the names of all live sources: the files of this folder."""
    folder = importlib.import_module("citeproof.evidence.sources").__path__
    skipped = {"base", "memory", "snapshot"}
    files = (m.name for m in pkgutil.iter_modules(folder) if not m.name.startswith("_"))
    return tuple(sorted(name for name in files if name not in skipped))


def find_source(name: str) -> type[LiveSource]:
    """Return the class of the live source called `name`."""
    module = importlib.import_module(f"citeproof.evidence.sources.{name}")
    classes = [
        value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__
    ]
    return next(each for each in classes if isinstance(each, type) and issubclass(each, LiveSource))
