"""What people decided about the references of a run, as files to take away."""

from __future__ import annotations

import json
from collections.abc import Iterator

from citeproof.answers import serializers
from citeproof.answers.serializers import Json
from citeproof.plumbing.stores.decision_store import DecisionChoice
from citeproof.surfaces.web.page_frame import DECISIONS
from citeproof.surfaces.web.run_view import RunView
from citeproof.text.unicode import show_controls

_LISTED = (DecisionChoice.ACCEPT, DecisionChoice.DISPUTE)  # what is put on the ignore list


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
