"""The whole report, as JSON: its head, its counts, every checked reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import metadata

from citeproof.serializers.json_bytes import Json
from citeproof.serializers.judgements import build_checked_json, build_override_json, build_set_finding_json
from citeproof.serializers.references import build_problem_json
from citeproof.vocabulary import (
    ANSWERED,
    Checked,
    Label,
    Policy,
    Run,
    SetFinding,
    SourceAnswers,
    Verdict,
    count_signs,
    list_sign_counts,
)

SCHEMA = "citeproof/report/1"


@cache
def get_version() -> str:
    """Return the version of the installed package."""
    return metadata.version("citeproof")


def build_report_json(
    run: Run,
    checked: Iterable[Checked],
    set_findings: Callable[[], Iterable[SetFinding]] = tuple,
    policy: Policy | None = None,
) -> Json:
    """Return the whole report: schema, version, run, summary, every checked reference, then the set.

    What was found about the references together is asked for once they have all passed.
    """
    references = [build_checked_json(one) for one in checked]
    return {
        "schema": SCHEMA,
        "citeproof": get_version(),
        "run": build_run_json(run, references),
        "summary": build_summary_json(run, references),
        "references": references,
        "findings": [build_set_finding_json(one) for one in set_findings()],
        **({"policy": build_policy_json(policy)} if policy else {}),
    }


def build_policy_json(policy: Policy) -> Json:
    """Return the policy of a run, with the rules that decisions name."""
    return {
        "name": policy.name,
        "title": policy.title,
        "digest": policy.digest,
        "rules": [
            {
                "id": rule.id,
                "gate": rule.gate.value,
                "why": rule.why,
                "conditions": {name: sorted(words) for name, words in rule.conditions},
            }
            for rule in policy.rules
        ],
    }


def tally_answers(sources: Iterable[str], references: Iterable[Json]) -> SourceAnswers:
    """Return who answered about references that are JSON already."""
    answers = SourceAnswers(tuple(sources))
    said = (x for one in references for x in one["provenance"]["registries_searched"])
    heard = Counter((x["registry"], ANSWERED if x["ok"] else x["reason"]) for x in said)
    for (source, outcome), count in heard.items():
        answers.add(source, outcome, count)
    return answers


def tally_signs(references: Iterable[Json]) -> Counter[str]:
    """Return the signs of invention and the slips of references that are JSON already."""
    each = (count_signs(one["label"], one.get("signs", ())) for one in references)
    return sum(each, Counter[str]())


def build_run_json(run: Run, references: Iterable[Json]) -> Json:
    """Return what one call checked against what, and who answered about the references."""
    answers = tally_answers(run.sources, references)
    return {
        "started": run.started,
        "documents": list(run.documents),
        "snapshots": list(run.snapshots),
        "sources": list(run.sources),
        "offline": run.offline,
        "judge": run.judge,
        "problems": [build_problem_json(p) for p in run.problems],
        "expected": run.expected,
        "extracted": run.extracted,
        "overrides": [build_override_json(one) for one in run.overrides],
        "checked_against": answers.describe(),
        "answered": answers.list_answered(),
        "unanswered": list(answers.list_silent()),
    }


def build_summary_json(run: Run, references: Sequence[Json]) -> Json:
    """Return the counts of a report, every verdict and label named even at zero."""
    verdicts = Counter(r["verdict"] for r in references)
    labels = Counter(r["label"] for r in references)
    return {
        "references": len(references),
        "verdicts": {v.value: verdicts[v.value] for v in Verdict},
        "labels": {label.value: labels[label.value] for label in Label} | {"none": labels[None]},
        "problems": len(run.problems),
        "expected": run.expected,
        "extracted": run.extracted,
        "accepted": sum(len(r.get("accepted", ())) for r in references),
        "signs": list_sign_counts(tally_signs(references)),
    }
