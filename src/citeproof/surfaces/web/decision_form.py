"""What a person decides about a reference: the form, and what can be taken away as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator

from citeproof.answers import serializers
from citeproof.answers.reporters.html.page_parts import escape_text
from citeproof.answers.serializers import Json
from citeproof.plumbing.stores.decision_store import MAX_NOTE, DecisionChoice, RunDecision
from citeproof.surfaces.web.page_frame import escape_block, make_address
from citeproof.surfaces.web.run_view import RunView
from citeproof.text.unicode import show_controls

DECISIONS = {
    DecisionChoice.ACCEPT: "accepted", DecisionChoice.DISPUTE: "disputed", DecisionChoice.NOTE: "noted",
}  # fmt: skip
_CHOICES = {
    DecisionChoice.ACCEPT: "Accept: the citation stays as it is",
    DecisionChoice.DISPUTE: "Dispute: the result is wrong",
    DecisionChoice.NOTE: "Only a note",
}
_LISTED = (DecisionChoice.ACCEPT, DecisionChoice.DISPUTE)  # what is put on the ignore list


def format_decision_form(run: RunView, number: int) -> str:
    """Return what was decided about a reference and, where it may be changed, the form."""
    decided = run.decisions.get(number)
    current = _format_decision(decided) if decided else ""
    if run.read_only:
        return current
    path = f"{run.base}/references/{number + 1}/decision"
    chosen = decided.choice if decided else DecisionChoice.ACCEPT
    boxes = "".join(
        f'<label><input type="radio" name="choice" value="{choice}"'
        f"{' checked' if choice is chosen else ''}> {words}</label>"
        for choice, words in _CHOICES.items()
    )
    note = escape_block(decided.note) if decided else ""
    withdraw = '<button name="choice" value="withdraw" formnovalidate>Withdraw</button>' if decided else ""
    return (
        f'{current}<details class="more decide"><summary>'
        f"{'Change your decision' if decided else 'Your decision'}</summary>"
        f'<form method="post" action="{make_address(path)}"><fieldset class="choice"><legend>Decision'
        f"</legend>{boxes}</fieldset>"
        f'<label class="wide">Reason or note <textarea name="note" rows="2" maxlength="{MAX_NOTE}">{note}'
        "</textarea></label>"
        f'<p><button name="save" value="1">Save</button> {withdraw}</p></form></details>\n'
    )


def _format_decision(decision: RunDecision) -> str:
    note = f": {escape_text(decision.note, MAX_NOTE)}" if decision.note else ""
    return (
        f'<p class="decision"><b>{DECISIONS[decision.choice].capitalize()}</b> by a person{note} '
        f'<span class="dim">{escape_text(decision.at[:16].replace("T", " "))} UTC</span></p>\n'
    )


def write_ignore_list(run: RunView) -> str:
    """Return the accepted and disputed problems as a list for `citeproof check --ignore FILE`."""
    lines = ["# What people decided on the web page of citeproof; for `citeproof check --ignore FILE`.\n"]
    for number, decision in sorted(run.decisions.items()):
        if decision.choice in _LISTED and number < len(run.references):
            reference = run.references[number]
            note = " ".join(show_controls(" ".join(decision.note.split())).split())
            reason = (
                f"{DECISIONS[decision.choice].capitalize()} on {decision.at[:10]}{': ' if note else '.'}"
                f"{note}"
            )
            lines += [_write_entry(each, reference, reason) for each in list_problem_fingerprints(reference)]
    return "".join(lines)


def list_problem_fingerprints(reference: Json) -> Iterator[str]:
    """Yield by what each problem of a reference is known: its judgement unless EXACT, and each finding."""
    if reference["label"] != "EXACT":
        yield reference["fingerprint"]
    for finding in reference["findings"]:
        if finding["state"] == "finding":
            yield finding["fingerprint"]


def _write_entry(fingerprint: str, reference: Json, reason: str) -> str:
    about = show_controls(" ".join(reference["key"].split()))[:80]
    quoted = json.dumps(reason[:2000])  # a basic string of TOML is written as one of JSON
    return f'\n[[ignore]]  # {about}\nid = "{fingerprint}"\nreason = {quoted}\n'


def write_decisions(run: RunView) -> str:
    """Return all decisions as JSON."""
    rows = [
        {
            "number": number + 1,
            "key": run.references[number]["key"],
            "fingerprint": run.references[number]["fingerprint"],
            "decision": decision.choice.value,
            "note": decision.note,
            "at": decision.at,
        }
        for number, decision in sorted(run.decisions.items())
        if number < len(run.references)
    ]
    return (
        serializers.dump_pretty({"schema": "citeproof/decisions/1", "run": run.id, "decisions": rows}) + "\n"
    )
