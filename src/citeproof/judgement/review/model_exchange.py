"""One question to a language model and what came back, as reports and replays keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

from citeproof.judgement.checks.prompt_injection import find_injection_in, list_suspected_orders
from citeproof.judgement.models.base import LanguageModel, ModelFailure, ModelQuestion, Value
from citeproof.judgement.review.evidence_texts import EvidenceText
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import Finding, Judgement, ModelExchange, ModelTask, Reference

INJECTION = "prompt_injection"  # the cause of a question that was not asked
MOST_DETAIL = 300


async def ask_model(
    model: LanguageModel, question: ModelQuestion[Value]
) -> tuple[ModelExchange, Value | None]:
    """Return what is kept of a question, and its answer; None: there is none, and the first says why."""
    answer = await model.ask(question)
    task, digest = ModelTask(question.task), question.digest()
    if isinstance(answer, ModelFailure):
        gap = ModelExchange(
            task,
            question.prompt_version,
            digest,
            answer.model or model.name,
            cause=answer.cause.value,
            detail=answer.detail[:MOST_DETAIL],
            cost=answer.cost,
        )
        return gap, None
    usage = answer.usage
    heard = ModelExchange(
        task,
        question.prompt_version,
        digest,
        answer.model,
        msgspec.json.encode(answer.value).decode(),
        input_tokens=usage.input,
        output_tokens=usage.output,
        cached_tokens=usage.cached,
        cost=answer.cost,
    )
    return heard, answer.value


def make_gap(task: ModelTask, reason: str) -> ModelExchange:
    """Return what is kept of a question that was not asked, because a text gives orders."""
    return ModelExchange(task, load_prompt(task).version, cause=INJECTION, detail=reason[:MOST_DETAIL])


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """Whether models may read the texts: `reason` is empty if they may. `finding`: somebody surely tried."""

    reason: str = ""
    finding: Finding | None = None


def examine_texts(
    texts: Sequence[EvidenceText], reference: Reference, judgement: Judgement | None = None
) -> GateOutcome:
    """Return whether a model may read `texts`, each with who wrote it."""
    titles = [reference.claimed.title or ""]
    if judgement is not None and judgement.matched is not None:
        titles += judgement.matched.record.titles
    return examine_strange_texts(texts, titles)


def examine_strange_texts(texts: Sequence[EvidenceText], titles: Sequence[str] = ()) -> GateOutcome:
    """Return whether a model may read `texts`; `titles` are names of works, which may sound like orders."""
    found = find_injection_in(texts, titles)
    if found is not None:
        return GateOutcome(found.detail, found)
    for source, text in texts:
        if told := list_suspected_orders(text):
            return GateOutcome(f"text of {source} may be an order to a language model ({told[0]})")
    return GateOutcome()


LONGEST = 400  # characters of a rationale that are shown
_EDGES = ".,;:!?()[]{}\"'“”‘’«»*_`-–—/"
_ORDINARY = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_])){0,23}")
_ACRONYM = re.compile(r"[A-Z][A-Za-z]{1,7}")
_FIGURE = re.compile(r"\d{1,2}%?")
_READ_NUMBER = re.compile(r"[~<>≈−-]?\d{1,6}(?:[.,]\d{1,4})?%?")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_SHOUT = 4  # letters in capitals that are no abbreviation of ours
_RUN = 7  # words in a row that are surely copied


def keep_rationale(
    text: str, evidence: Sequence[tuple[str, str]], instructions: str, *, numbers: bool = False
) -> str:
    """Return the words on one line, or nothing if they hold what the evidence does not.

    `numbers`: also numbers that no text has, because they were read off an image.
    """
    shown = show_one_line(text)[:LONGEST]
    given = frozenset(word.strip(_EDGES) for _, value in evidence for word in value.casefold().split())
    if _repeats_run(shown, instructions) or not all(
        _may_show(word, given) or (numbers and _READ_NUMBER.fullmatch(word.strip(_EDGES)))
        for word in shown.split()
    ):
        return ""
    return shown


def is_in_texts(value: str, texts: Sequence[str]) -> bool:
    """Return whether the letters and figures of `value` occur in one of the texts."""
    key = titles.make_title_key(value)
    return bool(key) and any(key in titles.make_title_key(text) for text in texts)


def _may_show(word: str, given: frozenset[str]) -> bool:
    """Return whether a word is an ordinary one, or a year, an acronym or an identifier of the evidence."""
    bare = word.strip(_EDGES)
    if not bare or _FIGURE.fullmatch(bare):
        return True
    if _ORDINARY.fullmatch(bare) and not (len(bare) >= _SHOUT and bare.isupper()):
        return True
    known = _ACRONYM.fullmatch(bare) or _YEAR.fullmatch(bare) or ":" in bare or "/" in bare
    return bool(known) and bare.casefold() in given


def _repeats_run(text: str, instructions: str) -> bool:
    words, ours = titles.split_words(text), " ".join(titles.split_words(instructions))
    runs = (" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))
    return any(run in ours for run in runs)


@dataclass(frozen=True, slots=True)
class PromptFile:
    """The instructions of one task. Another text needs another version: a test compares them."""

    version: str
    text: str


@cache
def load_prompt(task: ModelTask) -> PromptFile:
    """Return the instructions of `task`."""
    head, _, text = files(__package__).joinpath("prompts", f"{task}.md").read_text("utf-8").partition("\n")
    return PromptFile(head.removeprefix("version:").strip(), text.strip())
