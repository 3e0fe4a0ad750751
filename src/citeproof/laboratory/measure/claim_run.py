"""Claims of a benchmark through the product's own look at a source's text; each is seen without its label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from citeproof.claims.quotes import QuotationStatus
from citeproof.claims.support import PassageIndex, assess_support, index_passages
from citeproof.laboratory.measure.benchmark_rows import BenchmarkQuestion, ClaimLabel, SystemAnswer
from citeproof.vocabulary import AlarmKind, ClaimSupport, SourceText, SupportOutcome

FLAGGED = frozenset((SupportOutcome.ALARM, SupportOutcome.NOT_LOCATED))

Assess = Callable[[str, PassageIndex], ClaimSupport]


@dataclass(slots=True)
class ClaimAssessor:
    """Answers questions about claims; the text of a source is read once."""

    assess: Assess = assess_support
    _indexes: dict[int, PassageIndex] = field(default_factory=dict)

    def answer(self, question: BenchmarkQuestion, source: SourceText) -> SystemAnswer:
        """Return what the text of the source says about a claim."""
        if id(source) not in self._indexes:
            self._indexes[id(source)] = index_passages(source)
        return make_claim_answer(question.key, self.assess(question.text, self._indexes[id(source)]))


def make_claim_answer(key: str, support: ClaimSupport) -> SystemAnswer:
    """Return what was found as it is stored and compared with the truth."""
    label = _choose_label(support)
    return SystemAnswer(
        key=key,
        flagged=None if label is None else support.outcome in FLAGGED,
        claim_label=label,
        verdict=support.outcome.value,
        score=max((passage.score for passage in support.passages), default=None),
        reasons=tuple(dict.fromkeys(alarm.kind.value for alarm in support.alarms)),
        places=_list_places(support),
    )


def _list_places(support: ClaimSupport) -> tuple[tuple[int, int], ...]:
    """Return where the source speaks of the claim: its quotations, then the passages, best first."""
    quoted = [quotation.passage for quotation in support.quotations if quotation.passage]
    return tuple(dict.fromkeys((passage.start, passage.end) for passage in (*quoted, *support.passages)))


def _choose_label(support: ClaimSupport) -> ClaimLabel | None:
    """Return the class of an outcome: a passage without an alarm agrees, no text is no answer."""
    match support.outcome:
        case SupportOutcome.NO_TEXT:
            return None
        case SupportOutcome.NOT_LOCATED:
            return ClaimLabel.ABSENT
        case SupportOutcome.ALARM:
            return ClaimLabel.ABSENT if _is_absent(support) else ClaimLabel.DIFFERS
        case _:
            return ClaimLabel.AGREES


def _is_absent(support: ClaimSupport) -> bool:
    """Return whether all that is wrong is a quotation that is not in the text."""
    missing = [quotation for quotation in support.quotations if quotation.status == QuotationStatus.ABSENT]
    altered = [quotation for quotation in support.quotations if quotation.status == QuotationStatus.ALTERED]
    return bool(missing) and not altered and {a.kind for a in support.alarms} <= {AlarmKind.QUOTATION}
