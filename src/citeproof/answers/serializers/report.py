"""The whole report, as JSON: its head, its counts, every checked reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from citeproof.answers.serializers.judgements import (
    build_checked_json,
    build_override_json,
    build_set_finding_json,
)
from citeproof.answers.serializers.references import build_problem_json, pick_fields
from citeproof.plumbing.json_bytes import Json
from citeproof.vocabulary import (
    ANSWERED,
    Change,
    Checked,
    FindingState,
    Label,
    Name,
    Policy,
    Run,
    SetFinding,
    SourceAnswers,
    Verdict,
    count_signs,
    find_signs,
    list_sign_counts,
)

SCHEMA = "citeproof/report/1"
Cell = str | int | float | None


@cache
def get_version() -> str:
    """Return the version of the installed package."""
    from importlib import metadata  # noqa: PLC0415 - it loads the modules of electronic mail

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
    references = [build_checked_json(reference) for reference in checked]
    return {
        "schema": SCHEMA,
        "citeproof": get_version(),
        "run": build_run_json(run, references),
        "summary": build_summary_json(run, references),
        "references": references,
        "findings": [build_set_finding_json(finding) for finding in set_findings()],
        **({"policy": build_policy_json(policy)} if policy else {}),
    }


def build_policy_json(policy: Policy) -> Json:
    """Return the policy of a run, with the rules that decisions name."""
    return {
        **pick_fields(policy, "name", "title", "digest"),
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
    heard = Counter[tuple[str, str]]()
    for reference in references:
        searched = reference["provenance"]["registries_searched"]
        heard.update((x["registry"], ANSWERED if x["ok"] else x["reason"]) for x in searched)
        states = {(each["name"], each["state"]) for each in reference["findings"]}
        answers.not_cleared += reference["label"] is not None and ("retracted", "unchecked") in states
    for (source, outcome), count in heard.items():
        answers.add(source, outcome, count)
    return answers


def tally_signs(references: Iterable[Json]) -> Counter[str]:
    """Return the signs of invention and the slips of references that are JSON already."""
    each = (count_signs(reference["label"], reference.get("signs", ())) for reference in references)
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
        "overrides": [build_override_json(override) for override in run.overrides],
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


def build_flat_row(checked: Checked) -> dict[str, Cell]:
    """Return the columns of one reference, each a plain value; what is not known is None."""
    reference, judgement = checked.reference, checked.judgement
    place, claimed = reference.place, reference.claimed
    record = judgement.matched.record if judgement.matched else None
    dated = judgement.matched.of("year") if judgement.matched else None
    return {
        **pick_fields(place, "file", "line", "column", "page"),
        "key": reference.key,
        "verdict": judgement.verdict.value,
        "label": judgement.label.value if judgement.label else None,
        "score": judgement.score,
        "confidence": judgement.confidence,
        "band": judgement.band.value if judgement.band else None,
        "type": reference.kind.value,
        "title": claimed.title,
        "authors": _join_names(claimed.authors),
        "year": claimed.year,
        "venue": claimed.venue,
        "doi": claimed.ids.first("doi"),
        "found_title": record.title if record else None,
        "found_authors": _join_names(record.authors) if record else None,
        "found_year": dated.resolved if dated else None,
        "found_doi": record.ids.first("doi") if record else None,
        "source": f"{record.source} {record.id}" if record else None,
        "differences": "; ".join(
            f"{m.field}: {m.claimed} → {m.resolved} ({m.reason})" for m in judgement.decisive
        ),
        "findings": "; ".join(f.name for f in checked.findings if f.state is FindingState.FINDING),
        "correction": "; ".join(_describe_change(c) for c in checked.correction.changes)
        if checked.correction
        else None,
        "explanation": judgement.explanation,
        "raw": reference.raw,
        "signs": "; ".join(find_signs(judgement)),
    }


def _join_names(names: tuple[Name, ...]) -> str:
    return "; ".join(name.display for name in names)


def _describe_change(change: Change) -> str:
    if not change.claimed:
        return f"{change.field}: + {change.resolved}"
    if not change.resolved:
        return f"{change.field}: - {change.claimed}"
    return f"{change.field}: {change.claimed} → {change.resolved}"


class UniqueKeys:
    """The keys given out so far."""

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._last: dict[str, int] = {}

    def make_unique(self, key: str) -> str:
        """Return `key`, or `key-2` and so on where that is taken, and take it."""
        number, free = self._last.get(key, 1), key
        while free in self._keys:
            number += 1
            free = f"{key}-{number}"
        self._last[key] = number
        self._keys.add(free)
        return free
