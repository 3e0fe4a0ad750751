"""What language models were asked about a reference or claim, what they answered, what was made of it."""

from __future__ import annotations

from enum import StrEnum

from citeproof.vocabulary.quick_dataclass import dataclass


class ModelTask(StrEnum):
    """What a language model may be asked to do, each with instructions of its own."""

    PARSER = "parser"
    COMPARATOR = "comparator"
    REVIEWER = "reviewer"
    SCREEN = "screen"
    SUPPORT = "support"  # of a claim by a text
    FIGURE = "figure"  # that a claim names


class ModelLimit(StrEnum):
    """Why the judgement is not what a model proposed: a rule that holds whatever a model says."""

    VERDICT_DECIDED = "verdict_decided"  # by an identifier, by absence, by other authors
    DIFFERENCE_PROVEN = "difference_proven"  # a field differs beyond its wording: never EXACT
    NOTHING_OPEN = "nothing_open"  # no difference is left that a model could weigh
    NOT_SHOWN = "not_shown"  # the difference it names is not in the evidence
    NO_MATCH = "no_match"  # too little agrees by plain comparison to follow it
    FALSE_ALARM_LIMIT = "false_alarm_limit"  # the run promised how many it accuses wrongly


@dataclass(frozen=True, slots=True)
class ModelExchange:
    """One question to a language model and its answer, as a replay needs it.

    Without an answer, `cause` and `detail` say why: a fault of the provider, or `prompt_injection` (a text
    gives orders, so it was not asked).
    """

    task: ModelTask
    prompt: str  # the version of our instructions
    question: str = ""  # SHA-256 of what was asked
    model: str = ""  # as the provider reports it
    answer: str = ""  # the decoded answer as JSON
    cause: str = ""
    detail: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: int | None = None  # micro-dollars


@dataclass(frozen=True, slots=True)
class ModelOpinion:
    """What one answer says, in our words, and whether the judgement is another because of it."""

    task: ModelTask
    label: str = ""  # that it proposes: by its score and the thresholds, or by name
    score: float | None = None  # 0..10
    confidence: str = ""  # its own word for it, which is not calibrated
    answer: str = ""  # of the screen: informal_abbreviation, different_paper or uncertain
    rationale: str = ""
    differences: tuple[tuple[str, str, str], ...] = ()  # field, as cited, as recorded
    filled: tuple[str, ...] = ()  # fields that the parser found in the raw text
    used: bool = False
    limit: str = ""  # a `ModelLimit`, if it was not followed


@dataclass(frozen=True, slots=True)
class FirstJudgement:
    """The judgement before any model was asked: that of the default judge."""

    verdict: str
    label: str | None
    score: float | None
    confidence: float | None
    band: str | None


@dataclass(frozen=True, slots=True)
class ModelTrace:
    """Everything that language models had to do with one judgement."""

    model: str  # "provider:model", as the user chose it
    first: FirstJudgement
    exchanges: tuple[ModelExchange, ...] = ()
    opinions: tuple[ModelOpinion, ...] = ()
    tasks: tuple[ModelTask, ...] = ()  # that the run may ask for

    @property
    def gaps(self) -> tuple[ModelExchange, ...]:
        """The questions that no model answered."""
        return tuple(exchange for exchange in self.exchanges if exchange.cause)

    def find_opinion(self, task: ModelTask) -> ModelOpinion | None:
        """Return what came of one task, if it was answered."""
        return next((opinion for opinion in self.opinions if opinion.task is task), None)
