"""When the memory is enough: its candidate agrees in all that is cited, and nothing else can be asked about.

The memory may only save lookups; it may never change what they would have led to. So what it proposes
counts only where every cited field and identifier agrees with one record, without any fault that the judge
would weigh. All else (a wrong year, an identifier that is not the record's, a field that the record lacks,
two works of one title) is as if there were no memory: its lookups are dropped, and the sources are asked.
"""

from __future__ import annotations

from datetime import date

from citeproof.evidence.retrieve.reference_questions import make_id_questions, make_search_questions
from citeproof.judgement.compare import Evidence
from citeproof.judgement.judge.features import extract_features
from citeproof.vocabulary import Compared, Found, Outcome, Reference, Source, SourceFacts, Stop, StopReason

_NOT_ASKED = ("snapshots", "the network")


async def recall_work(
    memory: Source, reference: Reference, facts: SourceFacts, today: date
) -> Evidence | None:
    """Return the evidence of the memory alone where it is enough, else None."""
    evidence = Evidence(reference, facts, today)
    named = make_id_questions(reference)
    if not all(question.by in memory.answers for question in named):
        return None  # a link or an ISBN is asked about elsewhere
    searches = [question for question in make_search_questions(reference) if question.by == "title"]
    for question in named or searches:
        lookup = await memory.lookup(question)
        if not isinstance(lookup, Found):
            return None
        evidence.lookups.append(lookup)
    if not evidence.lookups or not _agrees_in_all(evidence):
        return None
    evidence.stops.append(Stop(StopReason.RECALLED, _NOT_ASKED))
    return evidence


def _agrees_in_all(evidence: Evidence) -> bool:
    """Return whether one work, and only one, agrees in everything that is cited."""
    if not evidence.is_decided():
        return False
    best, *others = evidence.compare()
    people = best.of("authors")
    if people is None or not people.outcome.agrees or not _has_another_sign(best):
        return False
    if any(
        _has_same_title(other) and not (bool(best.record.work) and best.record.work == other.record.work)
        for other in others
    ):
        return False
    cited = [comparison for comparison in best.comparisons if comparison.outcome is not Outcome.ABSENT]
    return all(comparison.outcome.agrees for comparison in cited) and not extract_features(best)


def _has_another_sign(compared: Compared) -> bool:
    """Return whether the year or an identifier agrees: title and people are not enough."""
    apart = ("title", "authors", "venue", "volume", "issue", "pages", "publisher")
    return any(c.outcome.agrees for c in compared.comparisons if c.field not in apart)


def _has_same_title(compared: Compared) -> bool:
    title = compared.of("title")
    return title is not None and title.outcome.agrees
