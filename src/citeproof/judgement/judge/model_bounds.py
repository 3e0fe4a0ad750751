"""How far a language model may move a judgement: pure rules that hold whatever it answers.

1. What plain comparison proves stays: `not_found`, `unchecked`, `ambiguous`, an identifier of another work,
   other authors. A model cannot make a verdict out of nothing.
2. Inside `matched` a model may weigh what is left open: a difference that another version or a poor record
   may explain (NOTED or MINOR; it must name the difference, with both values as the evidence has them), and
   the wording of a venue or publisher next to an identifier, a title, authors and a year that agree. What
   differs from the record is never EXACT: a model that finds nothing wrong there makes it NOTED.
3. A `mismatch` becomes `matched` only with a match that was found without the model, and then it is MINOR.
4. Nothing that a model moved is more than a low-confidence judgement.
5. An answer that is not followed changes nothing: the judgement is the one there was, score and all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from citeproof.judgement.judge import model as models
from citeproof.judgement.judge.weighed_ruling import NOTED_SCORE, is_possible_nickname
from citeproof.text import lazy_patterns as re
from citeproof.text import names
from citeproof.text import title as titles
from citeproof.vocabulary import (
    ID_ORDER,
    WORK_IDS,
    Band,
    Compared,
    Judgement,
    Label,
    ModelLimit,
    Origin,
    Outcome,
    Reason,
    Reference,
    Verdict,
)

LOW_TITLE = 0.5  # title similarity below which an accepted identifier or web match is suspicious
LONG_TITLE = 20  # letters from which a record's title in the raw text is no accident
FREELY_WORDED = frozenset({"venue", "publisher"})  # names with more forms than any table has
MOST_SURE = models.MEDIUM - 0.01  # of what a model moved: nobody calibrated its word
_LEFT_OUT = re.compile(names.CUT_LIST + r"|…|\.\.\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MovedJudgement:
    """A judgement after a model was heard, and the rule that kept it from following the model, if one did."""

    judgement: Judgement
    used: bool = False
    limit: str = ""


def label_model_score(score: float, model: models.Model) -> Label:
    """Return the label that a language model's score (0..10) has with this judge."""
    if score >= model.llm_exact_at:
        return Label.EXACT
    return Label.MINOR if score >= model.llm_minor_at else Label.MAJOR


def choose_representative_score(label: Label, model: models.Model) -> float:
    """Return a score in the middle of a label's interval, for a model that answers with a label."""
    return round(sum(_get_model_interval(label, model)) / 2, 2)


def _get_model_interval(label: Label, model: models.Model) -> tuple[float, float]:
    """Return the scores of a language model that have a label; lowest and highest are one where none has."""
    if label.passes:
        return model.llm_exact_at, 10.0
    low, end = (model.llm_minor_at, model.llm_exact_at) if label is Label.MINOR else (0.0, model.llm_minor_at)
    return low, max(low, end - 0.01)


def has_difference(judgement: Judgement) -> bool:
    """Return whether there is a record and a difference that a model could weigh."""
    return judgement.matched is not None and judgement.label is not None and bool(judgement.differences)


def is_suspicious_match(judgement: Judgement) -> bool:
    """Return whether an identifier or a web page led to a record with quite another title."""
    matched = judgement.matched
    if matched is None or judgement.label is None:
        return False
    led = not WORK_IDS.isdisjoint(matched.via) or "url" in matched.via or "web" in matched.record.marks
    title = matched.of("title")
    return led and title is not None and title.outcome is not Outcome.ABSENT and title.similarity < LOW_TITLE


def is_screen_eligible(judgement: Judgement) -> bool:
    """Return whether a citation may call a work by a short name, in a mismatch of low confidence."""
    weak = judgement.verdict is Verdict.MISMATCH and judgement.band is Band.LOW
    return weak and judgement.matched is not None and is_possible_nickname(judgement.matched)


def find_open_labels(judgement: Judgement, *, promised: bool = False) -> frozenset[Label]:
    """Return the labels that the evidence leaves open; `promised`: a limit of false alarms binds the run."""
    if judgement.label is None:
        return frozenset()
    found = {judgement.label}
    if judgement.verdict is Verdict.MATCHED and judgement.matched is not None:
        if judgement.label.passes and has_difference(judgement) and not promised:
            found.add(Label.MINOR)
        if judgement.label is Label.MINOR and _differs_in_wording_only(judgement, judgement.matched):
            found |= {Label.EXACT, Label.NOTED}
    return frozenset(found)


def apply_score(
    judgement: Judgement, score: float, named: Iterable[str], model: models.Model
) -> MovedJudgement:
    """Return the judgement with a comparator's score; `named` are the fields whose differences it showed."""
    wanted = _note_difference(label_model_score(score, model), judgement, model)
    open_ = find_open_labels(judgement, promised=model.promise is not None)
    if judgement.label is None:
        return MovedJudgement(judgement, limit=ModelLimit.VERDICT_DECIDED)
    if wanted is judgement.label:
        return MovedJudgement(_set_score(judgement, wanted, score, model), used=True)
    noted = {"identifier" if one.field in ID_ORDER else one.field for one in judgement.differences}
    if wanted not in open_:
        return MovedJudgement(judgement, limit=_explain_limit(judgement, wanted, model))
    if wanted is Label.MINOR and noted.isdisjoint(named):
        return MovedJudgement(judgement, limit=ModelLimit.NOT_SHOWN)
    return MovedJudgement(_move_judgement(judgement, wanted, score, Reason.MODEL_SCORE, model), used=True)


def apply_review(
    reference: Reference, judgement: Judgement, wanted: Label, model: models.Model
) -> MovedJudgement:
    """Return the judgement after the reviewer chose a label; its ground truth is the raw text."""
    if judgement.label is None or judgement.matched is None or judgement.verdict is Verdict.AMBIGUOUS:
        return MovedJudgement(judgement, limit=ModelLimit.VERDICT_DECIDED)
    wanted = _note_difference(wanted, judgement, model)
    if wanted is judgement.label:
        return MovedJudgement(judgement, used=True)
    promised, moved = model.promise is not None, None
    if judgement.verdict is Verdict.MISMATCH and is_named_in_text(reference, judgement.matched):
        moved = Label.MINOR
    elif judgement.verdict is Verdict.MATCHED and wanted is Label.MAJOR and not promised:
        moved = Label.MAJOR if _describes_another_work(judgement.matched) else None
    elif wanted in find_open_labels(judgement, promised=promised):
        moved = wanted
    if moved is None:
        return MovedJudgement(judgement, limit=_explain_limit(judgement, wanted, model))
    score = choose_representative_score(moved, model)
    return MovedJudgement(_move_judgement(judgement, moved, score, Reason.MODEL_REVIEW, model), used=True)


def apply_screen(judgement: Judgement, answer: str, model: models.Model) -> MovedJudgement:
    """Return the judgement after the screen said whether the title is a short name for the work."""
    if answer != "informal_abbreviation":
        return MovedJudgement(judgement, used=False)
    if not is_screen_eligible(judgement) or judgement.matched is None:
        return MovedJudgement(judgement, limit=ModelLimit.VERDICT_DECIDED)
    authors = judgement.matched.of("authors")
    if not _is_led_by_identifier(judgement.matched) or authors is None or not authors.outcome.agrees:
        return MovedJudgement(judgement, limit=ModelLimit.NO_MATCH)
    score = choose_representative_score(Label.MINOR, model)
    return MovedJudgement(
        _move_judgement(judgement, Label.MINOR, score, Reason.INFORMAL_TITLE, model), used=True
    )


def is_named_in_text(reference: Reference, matched: Compared) -> bool:
    """Return whether the raw text has the letters of the record's title and its authors' family names.

    Next to an identifier of that very record this is a match of its own, wherever the parser cut the title.
    All authors must be there, and the first if the text says that it leaves some out: a shared family name
    does not make other authors the same.
    """
    origin = next((o.origin for o in reference.claimed.origins if o.field == "title"), None)
    own = origin is Origin.STRUCTURED or (origin is None and bool(reference.claimed.title))
    if own or not _is_led_by_identifier(matched):  # a field of the document is taken at its word
        return False
    text = titles.make_title_key(reference.raw)
    titled = any(
        len(key) >= LONG_TITLE and key in text for key in map(titles.make_title_key, matched.record.titles)
    )
    words = set(titles.split_words(reference.raw))
    people = [set(names.fold_family_words(name)) for name in matched.record.authors]
    expected = people[:1] if _LEFT_OUT.search(reference.raw) else people
    return titled and bool(expected) and all(family and family <= words for family in expected)


def _note_difference(wanted: Label, judgement: Judgement, model: models.Model) -> Label:
    """Return NOTED for EXACT where a field differs, whatever a model makes of it."""
    return Label.NOTED if wanted is Label.EXACT and model.notes and has_difference(judgement) else wanted


def _is_led_by_identifier(matched: Compared) -> bool:
    return not WORK_IDS.isdisjoint(matched.via)


def _describes_another_work(matched: Compared) -> bool:
    """Return whether plain comparison, too, finds another title and nobody who agrees."""
    title, authors = matched.of("title"), matched.of("authors")
    if title is None or not title.convicts or title.similarity >= LOW_TITLE:
        return False
    return authors is None or not authors.outcome.agrees


def _differs_in_wording_only(judgement: Judgement, matched: Compared) -> bool:
    """Return whether all agrees but the wording of a venue or a publisher, next to an identifier."""
    if not all(one.field in FREELY_WORDED for one in judgement.mismatches) or not judgement.mismatches:
        return False
    agreed = [matched.of(name) for name in ("title", "authors", "year")]
    return _is_led_by_identifier(matched) and all(one is not None and one.outcome.agrees for one in agreed)


def _explain_limit(judgement: Judgement, wanted: Label, model: models.Model) -> ModelLimit:
    if judgement.verdict is not Verdict.MATCHED:
        better = judgement.label is not None and [*Label].index(wanted) < [*Label].index(judgement.label)
        mismatch = judgement.verdict is Verdict.MISMATCH
        return ModelLimit.NO_MATCH if better and mismatch else ModelLimit.VERDICT_DECIDED
    if wanted.passes:
        return ModelLimit.DIFFERENCE_PROVEN
    return ModelLimit.FALSE_ALARM_LIMIT if model.promise is not None else ModelLimit.NOTHING_OPEN


def _move_judgement(
    judgement: Judgement, label: Label, score: float, reason: Reason, model: models.Model
) -> Judgement:
    """Return the judgement under another label, with the verdict that goes with it."""
    verdict = Verdict.MISMATCH if label is Label.MAJOR else Verdict.MATCHED
    sure = min(judgement.confidence or 0.0, MOST_SURE)
    moved = replace(
        judgement,
        verdict=verdict,
        label=label,
        confidence=sure,
        band=models.choose_band(sure),
        reasons=(reason, *judgement.reasons),
    )
    return _set_score(moved, label, score, model)


def _set_score(judgement: Judgement, label: Label, score: float, model: models.Model) -> Judgement:
    """Return the judgement with a model's score, brought to the scale of the run's judge."""
    low, high = _get_model_interval(label, model)
    share = (min(max(score, low), high) - low) / (high - low) if high > low else 1.0
    floor, ceiling = {
        Label.EXACT: (model.exact_at, 10.0),
        Label.NOTED: (model.exact_at, max(model.exact_at, NOTED_SCORE)),
        Label.MINOR: (model.minor_at, max(model.minor_at, model.exact_at - 0.01)),
        Label.MAJOR: (0.0, max(0.0, min(model.minor_at - 0.01, models.MOSTLY_ANOTHER))),
    }[label]
    return replace(judgement, score=round(floor + share * (ceiling - floor), 2))
