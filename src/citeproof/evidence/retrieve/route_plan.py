"""The route of a reference: who would be asked about it, in what order, and at most at what cost.

Plain code and no model: the steps are those that retrieval itself takes, from the same rules. A route ends
early as soon as the evidence decides; what is counted here is the longest way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Protocol

from citeproof.evidence.sources.base import SEARCHES
from citeproof.judgement.compare.raw_text import is_running_text
from citeproof.vocabulary import ID_ORDER, Question, Reference, Source
from citeproof.vocabulary.quick_dataclass import dataclass


class RouteStage(StrEnum):
    """A stage of the route."""

    MEMORY = "memory"  # works that were matched before
    SNAPSHOT = "snapshot"
    IDENTIFIERS = "identifiers"  # at the registries of the identifiers
    REGISTRIES = "registries"  # searches by title
    WEB = "web"


def name_stage(source: str, by: str) -> RouteStage:
    """Return the stage in which a source was asked a question of this kind."""
    kind = source.partition(":")[0]  # snapshot:cps1-…
    if kind in (RouteStage.MEMORY, RouteStage.SNAPSHOT, RouteStage.WEB):
        return RouteStage(kind)
    return RouteStage.REGISTRIES if by in SEARCHES else RouteStage.IDENTIFIERS


@dataclass(frozen=True, slots=True)
class PlannedLookup:
    """One question to one source; `seconds` is what its answer takes as a rule."""

    source: str
    by: str
    requests: int = 1
    seconds: float = 0.0
    budget: str = ""  # unit of the source's budget, if asking uses it up

    @property
    def name(self) -> str:
        return f"{self.source}/{self.by}"


@dataclass(frozen=True, slots=True)
class RouteStep:
    """Lookups that are made at once, after those of the steps before did not decide."""

    stage: RouteStage
    lookups: tuple[PlannedLookup, ...]

    @property
    def requests(self) -> int:
        """How many requests it sends at most."""
        return sum(one.requests for one in self.lookups)

    @property
    def seconds(self) -> float:
        """What it takes as a rule: its lookups run side by side."""
        return max((one.seconds for one in self.lookups), default=0.0)


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """All steps of one reference, in order."""

    key: str
    steps: tuple[RouteStep, ...]

    @property
    def requests(self) -> int:
        """How many requests it sends at most."""
        return sum(step.requests for step in self.steps)

    @property
    def seconds(self) -> float:
        """What the whole way takes as a rule, without waiting for rate limits."""
        return sum(step.seconds for step in self.steps)


class PlannedNetwork(Protocol):
    """The live part of a route."""

    def list_steps(self, reference: Reference) -> list[RouteStep]: ...


def plan_route(reference: Reference, local: Sequence[Source], network: PlannedNetwork | None) -> RoutePlan:
    """Return the route of a reference; nobody is asked."""
    steps = [*_list_local_steps(reference, local), *(network.list_steps(reference) if network else ())]
    return RoutePlan(reference.key, tuple(step for step in steps if step.lookups))


def _list_local_steps(reference: Reference, local: Sequence[Source]) -> list[RouteStep]:
    searches = make_search_questions(reference)
    asked = (make_id_questions(reference), searches, make_further_questions(reference, searches))
    return [
        RouteStep(stage, tuple(_list_lookups(questions, local, stage)))
        for questions in asked
        for stage in (RouteStage.MEMORY, RouteStage.SNAPSHOT)
    ]


def _list_lookups(
    questions: Iterable[Question], local: Sequence[Source], stage: RouteStage
) -> Iterable[PlannedLookup]:
    for question in questions:
        for source in local:
            if question.by in source.answers and (source.name == stage.value) is (stage is RouteStage.MEMORY):
                yield PlannedLookup(source.name, question.by, requests=0)


WEAK_PARSE = 0.9  # a title read with less certainty is also searched by the raw text
_MORE_IDS = ("acl", "openreview", "dblp")  # named works too, though no registry of §5 is theirs
MOST_OF_A_KIND = 8  # identifiers that are asked for


def make_id_questions(reference: Reference) -> list[Question]:
    """Return one question for each cited identifier, in the order of the contract, and few of each kind.

    A work has one or two of a kind. A field with thousands would send thousands of requests.
    """
    ids, kinds = reference.claimed.ids, (*ID_ORDER, *_MORE_IDS)
    return [Question(by, value, reference) for by in kinds for value in ids.all(by)[:MOST_OF_A_KIND]]


def make_search_questions(reference: Reference) -> list[Question]:
    """Return the title question, and the raw one when the parse is weak or there is no title."""
    title = reference.claimed.title
    questions = [Question("title", title, reference)] if title else []
    if reference.raw and (not title or reference.claimed.confidence("title") < WEAK_PARSE):
        questions.append(Question("raw", reference.raw, reference))
    return questions


def make_further_questions(reference: Reference, asked: Sequence[Question]) -> list[Question]:
    """Return what else to ask if the title leads nowhere or to other authors.

    The raw text, if the title was parsed from it and may be wrong. And the authors.
    """
    raw = is_running_text(reference) and not any(question.by == "raw" for question in asked)
    questions = [Question("raw", reference.raw, reference)] if raw else []
    if reference.claimed.authors:
        questions.append(
            Question("authors", "; ".join(name.display for name in reference.claimed.authors), reference)
        )
    return questions
