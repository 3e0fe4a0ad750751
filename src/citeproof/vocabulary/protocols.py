"""What rooms hand each other, typed by Protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import ClassVar, Protocol

from citeproof.vocabulary.hypotheses import GroundedClaim
from citeproof.vocabulary.judgements import Checked, Compared, Finding, Judgement, SetFinding
from citeproof.vocabulary.model_stages import ModelExchange
from citeproof.vocabulary.notices import ListAnswer, ListQuestion
from citeproof.vocabulary.quick_dataclass import dataclass, field
from citeproof.vocabulary.records import Lookup, Question, SourceFacts
from citeproof.vocabulary.references import Document, Extraction, Reference


@dataclass(frozen=True, slots=True)
class Secret:
    """A key. It prints as stars everywhere; only `net` unwraps it, into a header or a form."""

    _value: str = field(repr=False)

    def reveal(self) -> str:
        return self._value

    def __str__(self) -> str:
        return "***"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the path, as passed to the observer: `name` is the step's word
    ("extract", "parse", "fill", "retrieve", "compare", "judge", "checked"), `key` the reference's."""

    name: str
    key: str
    value: object


class Observer(Protocol):
    """Sees every step, decides nothing. The audit log is one; by default there is none."""

    def note_step(self, step: Step) -> None: ...


class Keeper(Observer, Protocol):
    """An observer that stores what it saw: nothing is shown before it is stored."""

    async def wait_until_kept(self, checked: Checked) -> None:
        """Wait until what was found out about this reference is stored; raise what prevents it."""

    async def keep_doi_answers(self, answers: Sequence[Mapping[str, str]]) -> None:
        """Store results for single DOIs: `doi`, `answer`, and its source or why there is none."""

    async def keep_set_findings(self, evidence: object, references: int, found: Sequence[SetFinding]) -> None:
        """Store what was found about the last `references` references together, and on what evidence."""

    async def keep_claim(self, grounded: GroundedClaim) -> None:
        """Store what was decided about a claim."""

    def hurry(self) -> None:
        """Do not wait for more to store together."""

    async def finish(self) -> None:
        """The run is over: store what is left, and seal it."""


class Source(Protocol):
    """One place that may know a cited work."""

    name: str
    answers: ClassVar[frozenset[str]]  # the `by` of the questions it can be asked

    async def lookup(self, question: Question) -> Lookup: ...

    def facts(self, reference: Reference) -> SourceFacts:
        """Return what this source knows around the reference without a lookup."""


class ModelReviewer(Protocol):
    """Language models that a run may ask: about fields that could not be read, and about a judgement."""

    @property
    def model_name(self) -> str:
        """The model that is asked, as PROVIDER:MODEL."""

    async def fill_fields(self, reference: Reference) -> tuple[Reference, tuple[ModelExchange, ...]]:
        """Return the reference with fields that were empty, or itself; and what was asked."""

    async def review(
        self,
        reference: Reference,
        compared: Sequence[Compared],
        judgement: Judgement,
        asked: tuple[ModelExchange, ...] = (),
    ) -> tuple[Judgement, tuple[Finding, ...]]:
        """Return the judgement as far as a model may move it, and findings; `asked` came before."""


class WorkMemory(Source, Protocol):
    """A source that proposes works which were judged matched before."""

    @property
    def trouble(self) -> str:
        """Why it could not be read or written; empty while all is well."""

    def remember(self, checked: Checked) -> None:
        """Keep the work of a reference if it was judged matched on evidence that is not from here."""

    def close(self) -> None: ...


class WorkList(Protocol):
    """One list that may say something about the standing of a cited work."""

    name: str

    def look_up(self, question: ListQuestion, day: date) -> ListAnswer:
        """Return what the list says about a work on that day."""


@dataclass(frozen=True, slots=True)
class Extractor:
    """One document format."""

    name: str  # equals the file name
    suffixes: tuple[str, ...]  # file names it is known by; they only break ties
    recognises: Callable[[Document], float]  # how sure the content looks like this format, 0..1
    extract: Callable[[Document], Extraction]
    hostile: bool = False  # not plain text: read in a child process with limits
