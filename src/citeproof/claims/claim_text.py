"""The trace of a hypothesis for people: on a terminal, or as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from urllib.parse import quote

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.markdown import escape_markdown
from citeproof.answers.reporters.terminal.screen_text import ScreenText
from citeproof.answers.reporters.terminal.waiting_references import (
    WaitingReference,
    WaitingReferences,
    format_waiting,
)
from citeproof.claims.grounding import UNRESOLVED
from citeproof.claims.support_trace import name_content
from citeproof.claims.trace import list_trace, summarise_hypothesis
from citeproof.vocabulary import (
    ClaimStatus,
    GroundedClaim,
    GroundedHypothesis,
    SourceAnswers,
    SupportOutcome,
    Verdict,
)

_SIGNS = {
    ClaimStatus.VERIFIED: ("✓", "green"),
    ClaimStatus.UNSUPPORTED: ("✗", "bold red"),
    ClaimStatus.RETRACTED_SOURCE: ("✗", "bold red"),
    ClaimStatus.UNCHECKED: ("?", "cyan"),
    ClaimStatus.RESOLVED: ("?", "cyan"),
}
_DIFFERS = ("!", "yellow")  # the citation is right, and its text says otherwise, or nothing of it
_DOUBTED = (SupportOutcome.ALARM, SupportOutcome.NOT_LOCATED, SupportOutcome.NOT_STATED)


def describe_sources(grounded: GroundedHypothesis) -> str:
    """Return against whom the citations were checked: who answered, who did not."""
    answers = SourceAnswers(grounded.run.sources)
    for _ in answers.watch(each.checked for one in grounded.claims for each in one.tried):
        pass
    return wording.show_line(answers.describe(), 2000)


def format_claims_text(
    grounded: GroundedHypothesis, screen: ScreenText, *, verbose: bool = False
) -> Iterator[str]:
    """Yield the trace of each claim, those with a problem first, then the counts.

    Claims that could not be checked are gathered by cause, unless all is to be shown.
    """
    waiting = WaitingReferences()
    for one in sort_problems_first(grounded):
        if one.status is ClaimStatus.UNCHECKED and not verbose:
            waiting.add_row(_name_cause(one), _make_waiting_row(one))
        else:
            yield from _format_claim(one, screen)
    offline = grounded.run.offline
    yield wording.join_lines(format_waiting(waiting, screen, places=False, offline=offline))
    for found in grounded.findings:
        if found.finding.is_finding:
            told = wording.show_line(wording.describe_finding(found.finding))
            yield wording.join_lines(screen.wrap(told, "magenta", head="! ", indent=0))
    yield wording.join_lines(screen.wrap(f"{summarise_claims(grounded)}.", "bold", indent=0))
    against = f"checked against: {describe_sources(grounded)}"
    yield wording.join_lines(screen.wrap(against, "dim", indent=0))
    if log := grounded.log:
        yield f"{wording.describe_log(log.path, log.root)}\n"


def _format_claim(one: GroundedClaim, screen: ScreenText) -> Iterator[str]:
    """Yield one claim with every decision about it."""
    sign, style = _DIFFERS if is_doubted(one) else _SIGNS[one.status]
    if one.held:
        sign, style = _SIGNS[ClaimStatus.UNSUPPORTED]
    head, name = f"{sign} {name_status(one)}", wording.show_line(one.claim.id, 80)
    yield f"{screen.paint(head, style)}  {name}  {screen.paint(name_places(one), 'dim')}".rstrip() + "\n"
    yield wording.join_lines(screen.wrap(wording.show_line(one.claim.text)))
    if claimed := describe_claimed(one):
        yield wording.join_lines(screen.wrap(f"claimed: {claimed}", "dim"))
    for line in list_trace(one):
        yield wording.join_lines(screen.wrap(wording.show_line(line), head="→ "))
    yield "\n"


def _make_waiting_row(one: GroundedClaim) -> WaitingReference:
    text = wording.show_line(one.claim.text) or describe_claimed(one)
    place = one.claim.sentence if one.claim.sentence.line else one.claim.place
    at = f"{wording.format_place(place)}  " if place.line else ""
    return WaitingReference(wording.show_line(one.claim.id, 80), f"{at}{text}", "")


def _name_cause(one: GroundedClaim) -> str:
    """Return why a claim could not be checked, the same for all with the same cause."""
    undecided = next((each for each in one.tried if each.checked.verdict is Verdict.UNCHECKED), None)
    if any(each.outcome == UNRESOLVED for each in one.tried):
        return "a work with that title was found, but nobody who was asked knows the identifier"
    if undecided is not None:
        return wording.name_causes(undecided.checked)
    return wording.show_line(one.reason.rstrip("."), 400)


def name_places(one: GroundedClaim) -> str:
    """Return where the sentence stands and, if that is elsewhere, where its reference does."""
    said, listed = (
        wording.format_place(place) if place.line else "" for place in (one.claim.sentence, one.claim.place)
    )
    if not said or said == listed:
        return listed
    return f"{said} (reference: {listed})" if listed else said


def format_claims_markdown(grounded: GroundedHypothesis) -> Iterator[str]:
    """Yield the trace as Markdown, problems first; document text can form no markup in it."""
    name = grounded.hypothesis.title or grounded.hypothesis.id
    yield f"# Claims: {escape_markdown(name)}\n\n"
    yield f"{escape_markdown(summarise_claims(grounded))}.  \n"
    yield f"Checked against: {escape_markdown(describe_sources(grounded), 2000)}\n"
    for one in sort_problems_first(grounded):
        yield f"\n## {escape_markdown(one.claim.id)}: {name_status(one)}\n\n"
        if one.claim.text:
            yield f"{escape_markdown(one.claim.text, 20_000)}\n\n"
        if claimed := describe_claimed(one):
            yield f"Claimed: {escape_markdown(claimed)}\n\n"
        if places := name_places(one):
            yield f"At: {escape_markdown(places)}\n\n"
        yield "".join(f"- {escape_markdown(line, 2000)}\n" for line in list_trace(one))
        yield "".join(_show_images(one))
    told = [one.finding for one in grounded.findings if one.finding.is_finding]
    if told:
        yield "\n## The citations together\n\n"
        yield "".join(f"- {escape_markdown(wording.describe_finding(one), 2000)}\n" for one in told)
    if log := grounded.log:
        yield f"\nAudit log: {escape_markdown(log.path)} (Merkle root: {log.root})\n"


def _show_images(one: GroundedClaim) -> Iterator[str]:
    """Yield the images of cited figures that are in files."""
    for each in one.support.exhibits if one.support else ():
        if each.image_file:
            name = escape_markdown(f"{each.kind.value} {each.number}")
            yield f"\n![{name}]({quote(each.image_file)})\n"


def sort_problems_first(grounded: GroundedHypothesis) -> list[GroundedClaim]:
    """Return the claims: wrong ones, those that differ from a text, unchecked ones, the rest."""

    def rank(one: GroundedClaim) -> int:
        if one.status in (ClaimStatus.UNSUPPORTED, ClaimStatus.RETRACTED_SOURCE) or one.held:
            return 0
        if is_doubted(one):
            return 1
        return 3 if one.status is ClaimStatus.VERIFIED else 2

    return sorted(grounded.claims, key=rank)


def is_doubted(one: GroundedClaim) -> bool:
    """Return whether the content of a claim is to be looked at."""
    return one.content in _DOUBTED or one.held


def name_status(one: GroundedClaim) -> str:
    """Return both facts: what became of the citation, and of the content."""
    caveat = " (retraction not checked)" if one.caveat else ""
    told = f"citation {one.status.value.replace('_', ' ')}{caveat}, content {name_content(one)}"
    return f"{told}: held back" if one.held else told


def summarise_claims(grounded: GroundedHypothesis) -> str:
    statuses = Counter(one.status for one in grounded.claims)
    contents = Counter(one.content.value for one in grounded.claims if one.attached)
    return summarise_hypothesis(statuses, contents, grounded.held)


def describe_claimed(one: GroundedClaim) -> str:
    return wording.show_line("; ".join(dict.fromkeys(c.text for c in one.claim.references if c.text)), 300)
