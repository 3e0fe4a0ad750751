"""The claims of a run: the sentence that counts them, then the trace of each, problems first."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import PurePath

from citeproof.answers.reporters.html.page_parts import escape_text
from citeproof.answers.reporters.wording import format_count
from citeproof.answers.serializers import Json
from citeproof.claims.trace import summarise_hypothesis
from citeproof.service.guarded_text import GuardedText, build_guarded_json
from citeproof.surfaces.web.page_frame import WebFrame, format_page
from citeproof.surfaces.web.reference_view import format_chips, format_details, format_names
from citeproof.text.unicode import show_controls
from citeproof.vocabulary import ClaimStatus

_LOOKS = {  # class, sign and words
    ClaimStatus.UNSUPPORTED: ("major", "⚠", "unsupported"),
    ClaimStatus.RETRACTED_SOURCE: ("major", "⚠", "source retracted"),
    ClaimStatus.UNCHECKED: ("open", "?", "could not check"),
    ClaimStatus.RESOLVED: ("open", "?", "resolved, an identifier alone"),
    ClaimStatus.VERIFIED: ("exact", "✓", "verified"),
}


def format_claims(report: Json) -> Iterator[str]:
    """Yield the trace of a hypothesis: the counts, each claim with its decisions, the set, the log."""
    statuses = {each: report["summary"].get(each.value, 0) for each in ClaimStatus}
    told = summarise_hypothesis(statuses, report["summary"].get("content"), report["summary"].get("held", 0))
    claims = [{"content": "not_compared", "held": False, "caveat": None} | one for one in report["claims"]]
    whole = statuses[ClaimStatus.VERIFIED] == len(claims) and not any(map(_is_doubted, claims))
    yield (
        '<section aria-labelledby="trace"><h2 id="trace">Hypothesis trace</h2>\n'
        f'<p class="trace-sum"><strong>{"✓" if whole else "⚠"} {escape_text(told)}</strong></p>\n'
    )
    if title := report["hypothesis"]["title"]:
        yield f"<p>{escape_text(title, 400)}</p>\n"
    for number, one in sorted(enumerate(claims, 1), key=lambda row: _rank_claim(row[1])):
        yield _format_claim(number, one)
    if found := [one for one in report["findings"] if one["state"] == "finding"]:
        yield f"<h3>The citations together</h3>\n{format_chips(found)}"
    if log := report["log"]:
        yield (
            f'<p class="dim">Audit log: {escape_text(PurePath(log["path"]).name)} (Merkle root: '
            f"<code>{escape_text(log['root'][:6])}…{escape_text(log['root'][-4:])}</code>)</p>\n"
        )
    yield "</section>\n"


def format_guarded_page(guarded: GuardedText) -> str:
    """Return the page of a guarded answer: what may be shown, then each citation held back and why."""
    report = build_guarded_json(guarded)
    left, count = report["left_out"], format_count(report["citations"], "citation")
    words = f"{left} of {count} held back" if left else f"{count}, all shown"
    shown = escape("\n".join(map(show_controls, guarded.text.split("\n"))), quote=True)
    held = [one for one in report["details"] if not one["shown"]]
    rows = "".join(
        f'<tr><th scope="row">{escape_text(one["text"], 400)}</th>'
        f'<td data-name="why">{escape_text(one["status"].replace("_", " "))}: '
        f"{escape_text(one['reason'], 600)}</td></tr>\n"
        for one in held
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("citation", "why it is held back"))
    table = f'<table class="verdicts"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>\n'
    text = (
        '<form class="upload"><p><label for="guarded"><b>What may be shown</b>: verified citations only'
        f'</label>\n<textarea id="guarded" rows="16" readonly>\n{shown}</textarea></p></form>\n'
    )
    reasons = f'<section aria-labelledby="held"><h2 id="held">Held back</h2>\n{table}</section>\n'
    lead = f"<p><strong>{escape_text(words)}</strong></p>\n"
    return format_page(WebFrame("Guarded answer", lead=lead), (text, reasons if held else ""))


def _format_claim(number: int, one: Json) -> str:
    status = ClaimStatus(one["status"])
    style, sign, words = _LOOKS[status]
    doubted = _is_doubted(one)
    if doubted:
        style, sign = "major" if one["held"] else "minor", "⚠"
    caveat, held = " (retraction not checked)" * bool(one["caveat"]), ": held back" * one["held"]
    facts = f"citation {words}{caveat}, content {one['content'].replace('_', ' ')}{held}"
    line = f"<b>{sign} Claim {number}: {facts}</b> {escape_text(one['text'], 300)}"
    steps = "".join(f"<li>{escape_text(step, 600)}</li>" for step in one["trace"])
    tried = "".join(
        f'<details class="more"><summary>Candidate {n}: '
        f"{escape_text(each['identifier'] or each['text'], 160)} "
        f"({escape_text(each['outcome'].replace('_', ' '))})</summary>"
        f'<div class="inside">{format_details(each["reference"])}</div></details>\n'
        for n, each in enumerate(one["tried"], 1)
    )
    return (
        f'<article class="{style}" id="c{number}"><details'
        f"{'' if status is ClaimStatus.VERIFIED and not doubted else ' open'}>"
        f'<summary>{line}</summary>\n<div class="inside"><blockquote>{escape_text(one["text"], 2000)}'
        "</blockquote>"
        f'{_format_citation(one["citation"])}<ol class="steps">{steps}</ol>'
        f"{_format_support(one['support'])}{tried}</div>"
        "</details></article>\n"
    )


def _rank_claim(one: Json) -> int:
    """Return its place on the page: what is wrong or held, what is doubted, what is open, the rest."""
    if one["held"] or one["status"] in (ClaimStatus.UNSUPPORTED, ClaimStatus.RETRACTED_SOURCE):
        return 0
    return 1 if _is_doubted(one) else 3 if one["status"] == ClaimStatus.VERIFIED else 2


def _is_doubted(one: Json) -> bool:
    """Return whether the content of a claim is to be looked at."""
    return bool(one["held"]) or one["content"] in ("alarm", "not_located", "not_stated")


def _format_citation(record: Json | None) -> str:
    if record is None:
        return "<p>No citation is shown for this claim.</p>\n"
    facts = [format_names(record["authors"], 4), record["title"], record["venue"], str(record["year"] or "")]
    ids = ", ".join(f"{name}:{value}" for name, value in record["ids"].items())
    return (
        f'<p><b>Citation:</b> {escape_text(". ".join(filter(None, facts)), 800)} <span class="dim">'
        f"{escape_text(ids)}</span></p>\n"
    )


def _format_support(support: Json | None) -> str:
    if support is None:
        return ""
    told = f"<h3>What the text of the work says: {escape_text(support['outcome'].replace('_', ' '))}</h3>\n"
    for alarm in support["alarms"]:
        told += (
            f'<p><span class="chip finding">{escape_text(alarm["kind"].replace("_", " "))}</span> '
            f"claimed {escape_text(alarm['claimed'], 200)}, found {escape_text(alarm['found'], 200)}. "
            f"{escape_text(alarm['detail'], 400)}</p>"
        )
    for passage in support["passages"][:3]:
        page = f", page {passage['page']}" if passage["page"] else ""
        told += (
            f"<blockquote>{escape_text(passage['text'], 800)} "
            f'<span class="dim">{escape_text(passage["section"] or "")}{page}</span></blockquote>'
        )
    return told
