"""Figures of one tool over one set of items, and the tables that show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import Any

from bench.peers.peer_answers import Answers, PeerAnswer
from bench.peers.peer_items import PeerItem
from bench.peers.peer_runs import PeerRun

Figures = dict[str, Any]
Z = 1.96
ALARMS = (PeerAnswer.ALARM, PeerAnswer.ACCUSED)


def compute_figures(items: Sequence[PeerItem], answers: Answers, run: PeerRun) -> Figures:
    """Return the counts of one run; rates are made of them where they are shown."""
    bad = [answers[item.key] for item in items if item.bad]
    good = [answers[item.key] for item in items if not item.bad]
    caught = Counter(item.kind for item in items if item.bad and answers[item.key] in ALARMS)
    return {
        "bad": len(bad), "good": len(good),
        "caught": sum(one in ALARMS for one in bad), "false_alarms": sum(one in ALARMS for one in good),
        "accused_bad": sum(one is PeerAnswer.ACCUSED for one in bad),
        "accused_good": sum(one is PeerAnswer.ACCUSED for one in good),
        "unsure_bad": sum(one is PeerAnswer.UNSURE for one in bad),
        "unsure_good": sum(one is PeerAnswer.UNSURE for one in good),
        "requests": sum(run.requests.values()), "cpu": round(run.cpu, 2), "code": run.code,
        "caught_by_kind": dict(sorted(caught.items())), "by_api": dict(sorted(run.requests.items())),
        "refused": dict(sorted(run.refused.items())),
        "flagged_good": sorted(i.key for i in items if not i.bad and answers[i.key] in ALARMS),
        "missed_bad": sorted(i.key for i in items if i.bad and answers[i.key] is PeerAnswer.FINE),
    }  # fmt: skip


def compute_interval(part: int, whole: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if not whole:
        return 0.0, 1.0
    share, square = part / whole, Z * Z
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    half = Z * sqrt(share * (1 - share) / whole + square / (4 * whole * whole)) / (1 + square / whole)
    return max(0.0, middle - half), min(1.0, middle + half)


def format_share(part: int, whole: int) -> str:
    low, high = compute_interval(part, whole)
    return f"{part} of {whole} ({100 * low:.0f}–{100 * high:.0f} %)"


def format_table(tools: Sequence[Mapping[str, Any]], name: str) -> str:
    """Return the Markdown table of one set of items."""
    head = (
        "| tool | bad entries caught (95 % interval) | good entries flagged | strongest word: bad / good"
        " | undecided: bad / good | requests a reference | CPU seconds a reference |\n"
        "| --- | --- | --- | --- | --- | ---: | ---: |"
    )
    rows = []
    for tool in tools:
        f = tool["sets"].get(name)
        if f is None:
            continue
        count = f["bad"] + f["good"]
        cells = (
            f"{tool['name']} {tool['version']}", format_share(f["caught"], f["bad"]),
            format_share(f["false_alarms"], f["good"]), f"{f['accused_bad']} / {f['accused_good']}",
            f"{f['unsure_bad']} / {f['unsure_good']}", f"{f['requests'] / count:.2f}",
            f"{f['cpu'] / count:.3f}",
        )  # fmt: skip
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join([head, *rows])


def format_kinds(tools: Sequence[Mapping[str, Any]], name: str, kinds: Mapping[str, int]) -> str:
    """Return how many bad entries of each kind each tool caught."""
    shown = [tool for tool in tools if name in tool["sets"]]
    lines = [
        "| kind of error | entries | " + " | ".join(tool["name"] for tool in shown) + " |",
        "| --- | ---: |" + " ---: |" * len(shown),
    ]
    for kind, count in sorted(kinds.items()):
        if kind == "valid":
            continue
        caught = " | ".join(str(tool["sets"][name]["caught_by_kind"].get(kind, 0)) for tool in shown)
        lines.append(f"| {kind} | {count} | {caught} |")
    return "\n".join(lines)


def format_summary(tools: Sequence[Mapping[str, Any]], sets: Sequence[str]) -> str:
    """Return what the chart says of citeproof and of the others, set by set, in words."""
    told = []
    for name in sets:
        own = next(tool["sets"][name] for tool in tools if tool["name"] == "citeproof")
        others = [
            tool["sets"][name] for tool in tools if tool["name"] != "citeproof" and name in tool["sets"]
        ]
        caught, flagged = ([f[key] for f in others] or [0] for key in ("caught", "false_alarms"))
        told.append(
            f"caught {own['caught']} of {own['bad']} (the others {min(caught)} to {max(caught)}) and flagged"
            f" {own['false_alarms']} of {own['good']} correct ones ({min(flagged)} to {max(flagged)})"
        )
    about = "a public benchmark of invented references"
    where = (
        f"Of the entries of HALLMARK ({about}), on which its rules were developed, citeproof",
        "of real bibliographies it",
    )
    return "; ".join(f"{start} {words}" for start, words in zip(where, told, strict=False)) + "."


def list_better(tools: Sequence[Mapping[str, Any]], sets: Sequence[str]) -> list[str]:
    """Return in words by which measure which other tools did better than citeproof."""
    own = next(tool for tool in tools if tool["name"] == "citeproof")
    measures: dict[str, Callable[[Mapping[str, Any]], float]] = {"less time": lambda t: t["timed"]["seconds"]}
    for name in sets:
        measures |= {
            f"more errors caught ({name})": lambda t, n=name: -t["sets"][n]["caught"],
            f"fewer correct entries flagged ({name})": lambda t, n=name: t["sets"][n]["false_alarms"],
            f"fewer entries undecided ({name})": lambda t, n=name: (
                t["sets"][n]["unsure_bad"] + t["sets"][n]["unsure_good"]
            ),
            f"fewer requests ({name})": lambda t, n=name: t["sets"][n]["requests"],
            f"less CPU ({name})": lambda t, n=name: t["sets"][n]["cpu"],
        }
    lines = []
    for words, measure in measures.items():
        better = [tool["name"] for tool in tools if measure(tool) < measure(own)]
        lines.append(f"- {words}: {', '.join(better) or 'none'}")
    return lines


def format_notes(tools: Sequence[Mapping[str, Any]], name: str) -> str:
    """Return what citeproof noted without counting it."""
    own = next(tool["sets"][name] for tool in tools if tool["name"] == "citeproof")
    passed = len(own["missed_bad"])
    return (
        f"Of the {passed} bad entries that citeproof passed, {own['noted_bad']} carry a note that names the"
        f" difference; so do {own['noted_good']} of the good ones."
    )


def format_times(tools: Sequence[Mapping[str, Any]], count: int, latency: float) -> str:
    """Return the wall time of each tool with every answer delayed alike."""
    lines = [
        f"| tool | seconds a reference ({count} references, {latency:g} s an answer) | requests |",
        "| --- | ---: | ---: |",
    ]
    for tool in sorted((t for t in tools if "timed" in t), key=lambda t: t["timed"]["seconds"]):
        timed = tool["timed"]
        each = f"{timed['seconds'] / count:.2f} | {timed['requests'] / count:.2f}"
        lines.append(f"| {tool['name']} {tool['version']} | {each} |")
    return "\n".join(lines)
