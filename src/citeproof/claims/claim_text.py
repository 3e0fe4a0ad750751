"""The trace of a hypothesis for people: on a terminal, or as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from urllib.parse import quote

from citeproof.claims.trace import is_contradicted, list_trace, summarise_hypothesis
from citeproof.reporters import wording
from citeproof.reporters.markdown import escape_markdown
from citeproof.reporters.terminal.screen_text import ScreenText
from citeproof.vocabulary import ClaimStatus, GroundedClaim, GroundedHypothesis

_SIGNS = {
    ClaimStatus.VERIFIED: ("✓", "green"),
    ClaimStatus.UNSUPPORTED: ("✗", "bold red"),
    ClaimStatus.RETRACTED_SOURCE: ("✗", "bold red"),
    ClaimStatus.UNCHECKED: ("?", "cyan"),
}
_DIFFERS = ("!", "yellow")  # the citation is right, and its text says otherwise


def format_claims_text(grounded: GroundedHypothesis, screen: ScreenText) -> Iterator[str]:
    """Yield the trace of each claim, those with a problem first, then the counts."""
    for one in sort_problems_first(grounded):
        sign, style = _DIFFERS if has_alarm(one) else _SIGNS[one.status]
        if is_contradicted(one):
            sign, style = _SIGNS[ClaimStatus.UNSUPPORTED]
        head = f"{sign} {name_status(one)}"
        place = wording.format_place(one.claim.place) if one.claim.place.line else ""
        name = wording.show_line(one.claim.id, 80)
        yield f"{screen.paint(head, style)}  {name}  {screen.paint(place, 'dim')}".rstrip() + "\n"
        yield wording.join_lines(screen.wrap(wording.show_line(one.claim.text)))
        if claimed := describe_claimed(one):
            yield wording.join_lines(screen.wrap(f"claimed: {claimed}", "dim"))
        for line in list_trace(one):
            yield wording.join_lines(screen.wrap(wording.show_line(line), head="→ "))
        yield "\n"
    for found in grounded.findings:
        if found.finding.is_finding:
            told = wording.show_line(wording.describe_finding(found.finding))
            yield wording.join_lines(screen.wrap(told, "magenta", head="! ", indent=0))
    yield wording.join_lines(screen.wrap(f"{summarise_claims(grounded)}.", "bold", indent=0))
    against = f"checked against: {wording.describe_sources(grounded.run)}"
    yield wording.join_lines(screen.wrap(against, "dim", indent=0))
    if log := grounded.log:
        yield f"{wording.describe_log(log.path, log.root)}\n"


def format_claims_markdown(grounded: GroundedHypothesis) -> Iterator[str]:
    """Yield the trace as Markdown, problems first; document text can form no markup in it."""
    name = grounded.hypothesis.title or grounded.hypothesis.id
    yield f"# Claims: {escape_markdown(name)}\n\n"
    yield f"{escape_markdown(summarise_claims(grounded))}.  \n"
    yield f"Checked against: {escape_markdown(wording.describe_sources(grounded.run))}\n"
    for one in sort_problems_first(grounded):
        yield f"\n## {escape_markdown(one.claim.id)}: {name_status(one)}\n\n"
        if one.claim.text:
            yield f"{escape_markdown(one.claim.text, 20_000)}\n\n"
        if claimed := describe_claimed(one):
            yield f"Claimed: {escape_markdown(claimed)}\n\n"
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
        if one.status in (ClaimStatus.UNSUPPORTED, ClaimStatus.RETRACTED_SOURCE) or is_contradicted(one):
            return 0
        if has_alarm(one):
            return 1
        return 2 if one.status is ClaimStatus.UNCHECKED else 3

    return sorted(grounded.claims, key=rank)


def has_alarm(one: GroundedClaim) -> bool:
    return bool(one.support and one.support.alarms) or is_contradicted(one)


def name_status(one: GroundedClaim) -> str:
    told = one.status.value.replace("_", " ")
    if is_contradicted(one):
        return f"{told}, but its text contradicts the claim (language model)"
    return told + (", but its text differs" if has_alarm(one) else "")


def summarise_claims(grounded: GroundedHypothesis) -> str:
    statuses = Counter(one.status for one in grounded.claims)
    return summarise_hypothesis(statuses, sum(map(has_alarm, grounded.claims)))


def describe_claimed(one: GroundedClaim) -> str:
    return wording.show_line("; ".join(dict.fromkeys(c.text for c in one.claim.references if c.text)), 300)
