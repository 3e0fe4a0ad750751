"""What is asked about a reference: its identifiers, its title, its raw text, its people."""

from __future__ import annotations

from collections.abc import Sequence

from citeproof.judgement.compare.raw_text import is_running_text
from citeproof.vocabulary import ID_ORDER, Question, Reference

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
