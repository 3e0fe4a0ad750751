"""What the text of a cited work says about a claim, in words, a line each."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.vocabulary import (
    ClaimSupport,
    EvidencePassage,
    GroundedClaim,
    ModelSupport,
    SupportLimit,
    SupportOutcome,
    TextExtent,
)
from citeproof.vocabulary.claim_support import ExhibitEvidence, ImageState

_EXTENTS = {
    TextExtent.FULL_TEXT: "full text",
    TextExtent.ABSTRACT_ONLY: "abstract only",
    TextExtent.NO_TEXT: "none",
}
_OUTCOMES = {
    SupportOutcome.QUOTE_VERIFIED: "every quotation is in the text, word for word",
    SupportOutcome.NUMBERS_AGREE: "a passage is about the claim and has its numbers",
    SupportOutcome.EVIDENCE_LOCATED: "a passage is about the claim; whether it supports it, a reader decides",
    SupportOutcome.ALARM: "something differs; look at it",
    SupportOutcome.NOT_LOCATED: "no passage is about the claim",
    SupportOutcome.NO_TEXT: "no text of the work was available",
    SupportOutcome.NOT_COMPARED: "no text of the work was available",
    SupportOutcome.SUPPORTED: "a language model says that the quoted sentence supports the claim",
    SupportOutcome.CONTRADICTED: "a language model says that the quoted sentence contradicts the claim",
    SupportOutcome.NOT_STATED: "a language model found the claim in none of the passages that it was shown",
}
_LIMITS = {
    SupportLimit.NO_QUOTE: "it gave no quotation of four words or more",
    SupportLimit.QUOTE_NOT_LOCATED: "what it quotes is not in the passages that it was shown, word for word",
    SupportLimit.QUOTE_GIVES_ORDERS: "what it quotes gives orders to a language model",
    SupportLimit.QUOTE_OFF_CLAIM: "what it quotes has too little in common with the claim",
    SupportLimit.QUOTE_CUT: "what it quotes leaves out a negation of its sentence",
    SupportLimit.QUOTE_DIFFERS: "what it quotes differs from the claim in a number, direction or negation",
    SupportLimit.ALARM_STANDS: "a difference was found without it",
    SupportLimit.OUTCOME_DECIDED: "the quotations of the claim decide",
    SupportLimit.ANSWERS_DISAGREE: "its answers about the text and about the figure disagree",
}
_SHOWN = 400  # characters of a passage in a line
_REASON = 200  # characters of one reason why there is no text


_MODEL = (SupportOutcome.SUPPORTED, SupportOutcome.CONTRADICTED, SupportOutcome.NOT_STATED)


def name_content(one: GroundedClaim) -> str:
    """Return in a few words what came of comparing a claim with the text of its work."""
    word = one.content.value.replace("_", " ")
    if one.support and one.support.alarms and one.content is SupportOutcome.ALARM:
        return f"{word}: {', '.join(dict.fromkeys(alarm.kind.value for alarm in one.support.alarms))} differs"
    return f"{word} (language model)" if one.content in _MODEL else word


def list_support(support: ClaimSupport | None) -> Iterator[str]:
    """Yield what was available, what was found, and each alarm with both sides; None: nobody looked."""
    if support is None or support.outcome is SupportOutcome.NO_TEXT:
        origin = _name_origin(support) if support else " (no text was given or fetched)"
        yield f"text of the work: none [no_text]{origin}"
        yield "content: not_compared: no text of the work was available"
        return
    yield f"text of the work: {_EXTENTS[support.extent]} [{support.extent.value}]{_name_origin(support)}"
    yield f"content: {support.outcome.value}: {describe_outcome(support)}"
    yield from _describe_model(support.llm)
    for alarm in support.alarms:
        found = f"the text has: {alarm.found}" if alarm.found else "the text has nothing in its place"
        yield (
            f"warning: {alarm.kind.value}: {alarm.detail.rstrip('.')}; claimed: {alarm.claimed}; {found}"
            + (f" ({place})" if alarm.passage and (place := name_place(alarm.passage)) else "")
        )
    for one in support.quotations:
        place = f" ({name_place(one.passage)})" if one.passage and name_place(one.passage) else ""
        yield f"quotation {one.status}{place}: {one.quoted[:_SHOWN]}"
    if support.numbers:
        yield f"numbers that the text has too: {', '.join(support.numbers)}"
    if support.absent_numbers:
        part = "the abstract" if support.extent is TextExtent.ABSTRACT_ONLY else "the text"
        yield f"numbers that {part} has nowhere: {', '.join(support.absent_numbers)}"
    for exhibit in support.exhibits:
        yield from _describe_exhibit(exhibit)
    for passage in support.passages:
        place = name_place(passage)
        yield f"passage{f' ({place})' if place else ''}: {' '.join(passage.text.split())[:_SHOWN]}"


def _describe_model(told: ModelSupport | None) -> Iterator[str]:
    """Yield what a language model said, with the sentence of the text that it quotes, and what came of it."""
    for one in told.asked if told else ():
        exchange, said = one.exchange, one.verdict
        about = f" about {one.about}" if one.about else ""
        if said is None:
            yield f"language model{about}: no answer ({exchange.cause}): {exchange.detail}"
            continue
        what = f"language model{about} ({exchange.model}, confidence {said.confidence}): {said.verdict}"
        yield what if said.used else f"{what}; does not count: {_LIMITS[SupportLimit(said.limit)]}"
        if said.passage is not None:
            place = f" ({name_place(said.passage)})" if name_place(said.passage) else ""
            yield f"quoted{place}: {' '.join(said.passage.text.split())[:_SHOWN]}"
        if said.reading:
            yield f"note: the model reads {one.about}: {said.reading}"


def _describe_exhibit(one: ExhibitEvidence) -> Iterator[str]:
    """Yield the caption of a figure or table, and each sentence that discusses it.

    One that the work does not have is among the alarms.
    """
    name = f"{one.kind.value} {one.number}"
    if one.caption is not None:
        page = f", page {one.caption.page}" if one.caption.page else ""
        image = "no image" if one.image_state is ImageState.NO_IMAGE else one.image_state.value
        file = f" ({one.image_file})" if one.image_file else ""
        yield f"{name}{page}, image: {image}{file}: {' '.join(one.caption.text.split())[:_SHOWN]}"
    elif not one.last:
        yield f"{name}: not seen in the text that was read, image: no image"
    for sentence in one.sentences:
        place = f" ({name_place(sentence)})" if name_place(sentence) else ""
        yield f"{name} is discussed{place}: {' '.join(sentence.text.split())[:_SHOWN]}"


def _name_origin(support: ClaimSupport) -> str:
    """Return where the text is from and, unless it is the full text, why there is no more of it."""
    told = [support.origin] if support.origin else []
    if support.reasons and support.extent is not TextExtent.FULL_TEXT:
        why = "; ".join(" ".join(one.split())[:_REASON] for one in support.reasons)[:_SHOWN]
        told.append(f"no full text: {why}" if told else why)
    return f" ({'; '.join(told)})" if told else ""


def describe_outcome(support: ClaimSupport) -> str:
    """Return an outcome in words; of an abstract, what is not there may be in the rest of the work."""
    if support.outcome is SupportOutcome.NOT_LOCATED and support.extent is TextExtent.ABSTRACT_ONLY:
        return "not in the abstract; the rest of the work was not available"
    if support.outcome is SupportOutcome.NOT_STATED and support.extent is TextExtent.ABSTRACT_ONLY:
        return "a language model did not find it in the abstract; the rest of the work was not available"
    return _OUTCOMES[support.outcome]


def name_place(passage: EvidencePassage) -> str:
    """Return where a reader finds a passage: its section and page."""
    page = f"page {passage.page}" if passage.page else ""
    return ", ".join(part for part in (passage.section, page) if part)
