"""What the thresholds act on: the faults behind a verdict, kept apart from any pair of thresholds.

A `WeighedRuling` is made once from the evidence. Its score, label and confidence under another model or
other thresholds are then a few additions: moving a threshold needs no new retrieval, no new
comparison and no new ruling.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from citeproof.judgement.compare.authors import is_team
from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.features import count_confirmed, extract_features
from citeproof.judgement.judge.identity import get_comparison, is_distinctive
from citeproof.judgement.judge.verdict import Ruling
from citeproof.vocabulary import (
    Band,
    Compared,
    Found,
    Judgement,
    Label,
    Lookup,
    Outcome,
    Reach,
    Reason,
    Verdict,
)

NOT_FOUND_SCORE = 0.5
ANOTHER_WORK = 4.0  # points that a mismatch is stranger than its faults alone
WRONG_NUMBER = 1.0  # points that a wrong identifier is less strange: registries err there, too
BETWEEN = (
    1.9  # odds by which a list that is checked has more errors than real bibliographies, fewer than tests
)
FIELD = 0.15  # points that each agreeing field takes off
NOTED_SCORE = 9.0  # the most that a citation has which differs from the record and may still be right
WEAK = {Band.LOW: 4.0, Band.MEDIUM: 2.0, Band.HIGH: 0.0}  # points off for incomplete evidence
# Whatever the weights say, such a fault is never EXACT.
_NEVER_EXACT = (
    "title_", "authors_", "year_one", "year_two", "year_far", "year_closed", "year_future",
    "identifier_other",
)  # fmt: skip
_NO_PEOPLE = (Reason.RECORD_HAS_NONE, Reason.RECORD_TRUNCATED)


@dataclass(frozen=True, slots=True)
class WeighedRuling:
    """A ruling as the score model sees it. `faults` is None where no record was there to compare."""

    verdict: Verdict
    faults: Mapping[str, float] | None = None
    fields: int = 0  # how many fields next to the title agree
    unproven: bool = False  # the record lists no people: it may convict, but never pass
    ceiling: Band = field(default=Band.HIGH)  # the highest band that the evidence allows
    belief: float = 1.0  # the probability that one difference at least is the citation's fault
    innocence: float = 1.0  # the probability that none of the notes is
    noted: bool = False  # a field differs, whoever is wrong there


def weigh_ruling(
    ruling: Ruling, lookups: Iterable[Lookup], *, denied: bool = False, noted: bool = False
) -> WeighedRuling:
    """Return what the score of a ruling is made of.

    `denied`: a cited identifier does not exist; `noted`: a field differs.
    """
    return _weigh_match(ruling.verdict, ruling.reasons, ruling.matched, lookups, denied=denied, noted=noted)


def weigh_judgement(judgement: Judgement) -> WeighedRuling:
    """Return what a judgement was weighed from, read off its own evidence."""
    lookups = judgement.provenance.registries_searched if judgement.provenance else ()
    denied = any(
        one.reason == Reason.NOT_REGISTERED or (one.reason == Reason.MALFORMED and one.field != "issn")
        for one in judgement.mismatches
    )
    given = judgement.verdict, judgement.reasons, judgement.matched
    return _weigh_match(*given, lookups, denied=denied, noted=bool(judgement.differences))


def _weigh_match(
    verdict: Verdict,
    reasons: Sequence[str],
    matched: Compared | None,
    lookups: Iterable[Lookup],
    *,
    denied: bool,
    noted: bool,
) -> WeighedRuling:
    allowed = limit_band(verdict, reasons, lookups, matched)
    if matched is None:
        return WeighedRuling(verdict, ceiling=allowed)
    faults = extract_features(matched)
    if denied or Reason.ONE_IDENTIFIER_WRONG in reasons:
        faults["identifier_other"] = 1.0
    belief = 1.0 if denied else estimate_belief(matched)
    people, innocence = _lacks_people(matched), estimate_innocence(matched)
    return WeighedRuling(verdict, faults, count_confirmed(matched), people, allowed, belief, innocence, noted)


def compute_score(model: models.Model, weighed: WeighedRuling) -> float:
    """Return the score: ten less the faults, inside the interval that the verdict allows."""
    allowed = models.get_score_interval(model, weighed.verdict)
    if weighed.faults is None:
        return allowed.clip(NOT_FOUND_SCORE)
    found = allowed.clip(10.0 - models.sum_penalty(model, weighed.faults))
    if found >= model.exact_at and any(name.startswith(_NEVER_EXACT) for name in weighed.faults):
        return max(0.0, round(model.exact_at - 0.01, 2))
    if found >= model.exact_at and weighed.noted and model.notes:
        return max(model.exact_at, min(found, NOTED_SCORE))
    return found


def choose_label(model: models.Model, weighed: WeighedRuling, score: float) -> Label | None:
    """Return the label that a score has under this model's thresholds; None: it could not be checked."""
    match weighed.verdict:
        case Verdict.UNCHECKED:
            return None
        case Verdict.NOT_FOUND | Verdict.MISMATCH:  # whatever the thresholds say
            return Label.MAJOR
        case Verdict.AMBIGUOUS:
            return Label.MINOR
        case Verdict.MATCHED:
            found = models.label_score(model, score)
            found = Label.MINOR if found is Label.MAJOR else found
    if found is not Label.EXACT:
        return found
    return None if weighed.unproven else Label.NOTED if weighed.noted and model.notes else found


def estimate_confidence(
    model: models.Model, weighed: WeighedRuling, label: Label, score: float
) -> tuple[float, Band]:
    """Return the probability that the label is right, and its band, within the evidence's ceiling."""
    found = models.calibrate_confidence(model, label, score, weighed.fields)
    found = min(found, weighed.innocence if label.passes else weighed.belief)
    match weighed.ceiling:
        case Band.LOW:
            found = min(found, models.MEDIUM - 0.01)
        case Band.MEDIUM:
            found = min(found, models.HIGH - 0.01)
        case _:
            pass
    return found, models.choose_band(found)


def estimate_belief(matched: Compared) -> float:
    """Return the probability that one at least of the differences is the citation's fault; 1 without any."""
    doubt = math.prod(1 - c.weight for c in matched.comparisons if c.convicts)
    if doubt in (0.0, 1.0):
        return 1.0
    odds = BETWEEN * (1 - doubt) / doubt
    return round(odds / (1 + odds), 4)


def estimate_innocence(matched: Compared) -> float:
    """Return the probability that none of the differences that are only noted is the citation's fault."""
    noted = (c for c in matched.comparisons if c.outcome is Outcome.DIFFERS and not c.convicts)
    return round(math.prod(1 - c.weight for c in noted), 4)


def measure_strangeness(model: models.Model, weighed: WeighedRuling) -> float:
    """Return how strange the citation would be if it were right, in score points.

    Ten less the score, but free of the verdict's bounds and of the thresholds, so that it ranks
    citations finely: within a label, too.
    """
    if weighed.faults is None:
        return 10.0 - NOT_FOUND_SCORE
    faults = weighed.faults
    if weighed.verdict is Verdict.AMBIGUOUS:  # the identifier is wrong, whether or not it was compared
        faults = {**faults, "identifier_other": 1.0}
    points = models.sum_penalty(model, faults) - FIELD * weighed.fields
    if weighed.verdict is Verdict.AMBIGUOUS:
        points -= WRONG_NUMBER
    if weighed.verdict is Verdict.MISMATCH:
        points += ANOTHER_WORK - WEAK[weighed.ceiling]
    return round(points, 2)


def limit_band(
    verdict: Verdict, reasons: Sequence[str], lookups: Iterable[Lookup], matched: Compared | None = None
) -> Band:
    """Return the highest band allowed: an accusation on an incomplete title search is never high.

    It is low where the cited title may be what people call the work that the identifier leads to.
    """
    if verdict is not Verdict.MISMATCH or Reason.IDENTIFIER_OF_OTHER_WORK not in reasons:
        return Band.HIGH
    if Reason.TITLE_NOT_SEARCHED in reasons or (matched is not None and is_possible_nickname(matched)):
        return Band.LOW
    complete = any(isinstance(x, Found) and x.reach is Reach.COMPLETE for x in lookups)
    return Band.HIGH if complete else Band.MEDIUM


def is_possible_nickname(matched: Compared) -> bool:
    """Return whether a short title ("ResNet") is next to people that do not contradict."""
    title, authors = matched.of("title"), matched.of("authors")
    if title is None or authors is None or authors.outcome is Outcome.DIFFERS:
        return False
    return bool(title.claimed) and not is_distinctive(title.claimed)


def _lacks_people(matched: Compared) -> bool:
    """Return whether the record lists no people to compare with, or only organisations, or is too poor.

    Everything else may agree: the cited authors were still not checked.
    """
    authors = get_comparison(matched, "authors")
    if authors.outcome is Outcome.DIFFERS and authors.reason == Reason.AUTHORS_OTHER:
        return not authors.convicts and not authors.similarity  # a poor record, and it has nobody of them
    if authors.outcome is not Outcome.UNKNOWN:
        return False
    bodies = authors.reason == Reason.COLLECTIVE and is_team(matched.record.authors)
    return bodies or authors.reason in _NO_PEOPLE
