"""GRADE: a sentence may be as confident as the best evidence that it cites, and no more.

The sentence's level is the highest among its sources. Overclaims are forbidden at every level. A source
without a quality assessment is reported once in a document.
"""

from __future__ import annotations

from citeproof.corpus.corpus_types import RETRACTED_FIX, Grade, Level, Span
from citeproof.corpus.document_check import DocumentCheck, IssuePlace
from citeproof.corpus.grade.language import Wording, find_overclaims
from citeproof.corpus.grade.language import check_wording as wordings
from citeproof.vocabulary import Act, Remedy

_ORDER = (Grade.HIGH, Grade.MODERATE, Grade.LOW, Grade.VERY_LOW)


def check(desk: DocumentCheck) -> None:
    """Note every sentence that says more than its sources allow, and every source no one assessed."""
    cited = {number for number in range(len(desk.page.sentences)) if desk.entries_of(number)}
    every = cited if desk.mode.corpus_only else range(len(desk.page.sentences))
    for number in sorted(every):
        start, words = desk.page.slice(number)
        grade = _find_sentence_grade(desk, number) if number in cited else None
        for wording in wordings(words, grade) if grade else find_overclaims(words):
            _note_wording(desk, number, start, wording, grade)
    _note_weak_sources(desk, sorted(cited))


def _find_sentence_grade(desk: DocumentCheck, number: int) -> Grade | None:
    """Return the level of a sentence: the highest among its sources."""
    grades = {grade for _, entry in desk.entries_of(number) if (grade := desk.asking.grade(entry))}
    return next((level for level in _ORDER if level in grades), None)


def _note_wording(desk: DocumentCheck, number: int, start: int, bad: Wording, grade: Grade | None) -> None:
    if grade is None or bad.of is None:
        rule, message = "overclaim", f"“{bad.phrase}” is an overclaim, whatever the evidence"
    elif bad.level is Level.INFO:
        rule, message = "weak-language", f"“{bad.phrase}” is weaker than {grade} evidence allows"
    else:
        allowed = ", ".join(bad.allowed[:6])
        rule = "grade-language"
        message = f"“{bad.phrase}” claims more than {grade} evidence allows ({allowed})"
    marks = [mark for mark, _ in desk.entries_of(number)]
    span = Span(start + bad.start, start + bad.end)
    place = IssuePlace(span, number, marks[0].raw if marks else bad.phrase)
    remedy = Remedy(Act.REPLACE, span.start, span.end, bad.instead) if bad.instead else None
    fix = bad.advice or "Weaken the wording."
    desk.tell(rule, place, message=message, fix=fix, level=bad.level, remedy=remedy)


def _note_weak_sources(desk: DocumentCheck, cited: list[int]) -> None:
    """Note citations that mean no assessed source, and retracted ones; each source once."""
    reported: set[str] = set()
    seen: set[int] = set()  # ids of tuples, which live as long as the desk
    for number in cited:
        for mark in desk.page.marks_of(number):
            entries = desk.means.get(mark, ())
            if not entries or id(entries) in seen:
                continue
            seen.add(id(entries))
            first = entries[0].path
            if first not in reported and not any(desk.asking.grade(entry) for entry in entries):
                _note_unassessed(desk, IssuePlace(mark.span, number, mark.raw), first)
            retracted = (entry for entry in entries if entry.retracted and entry.path not in reported)
            gone = next(retracted, None)
            if gone:
                message = f"{gone.path} is marked as retracted"
                place = IssuePlace(mark.span, number, mark.raw)
                desk.tell("retracted-source", place, message=message, fix=RETRACTED_FIX)
            reported |= {first, gone.path if gone else first}


def _note_unassessed(desk: DocumentCheck, place: IssuePlace, path: str) -> None:
    folders = desk.asking.layout.assessments
    message = f"{path} has no quality assessment, so the right confidence of the wording is unknown"
    fix = f"Assess it: add a file to {folders[0]}." if folders else "Assess it."
    desk.tell("unassessed-source", place, message=message, fix=fix, todo=f"assess the quality of {path}")
