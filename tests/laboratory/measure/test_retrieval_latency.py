"""The tables of times."""

from __future__ import annotations

from citeproof.laboratory.measure.retrieval_latency import (
    ReferenceTiming,
    build_latency_tables,
    format_tables,
)
from citeproof.vocabulary import Absent, Found, LookupTiming, Retrieval, Stop, StopReason


def _timed(key, seconds, chosen="crossref", label="EXACT", **asked):
    lookups = [LookupTiming(source, "title", "found", spent) for source, spent in asked.items()]
    return ReferenceTiming(key, 0.0, seconds, lookups, chosen, label)


RUN = [
    _timed("a", 2.0, crossref=2.0),
    _timed("b", 4.0, chosen="web", crossref=1.0, web=3.0),
    _timed("c", 6.0, chosen="not found", label="MAJOR", crossref=2.0, openalex=1.0),
]


def test_tables():
    overall, stages, classes, chosen = build_latency_tables(RUN)[2:]
    assert overall.rows[0][:4] == ("Full cascade", "4.00s", "4.00s", "6.00s")
    assert overall.rows[1][1] == "3.00s"
    assert stages.rows[0] == ("crossref", "100.0%", "1.67s", "2.00s", "1.67s")
    assert ("web", "33.3%", "3.00s", "3.00s", "1.00s") in stages.rows
    assert [row[0] for row in classes.rows] == ["EXACT", "MAJOR"]
    assert ("not found", "1", "33.3%") in chosen.rows


def test_routes_and_early_exits():
    alone, stopped = (_timed(key, 1.0) for key in "de")
    snapshot = (Absent("snapshot:cps1-00", "doi"), Found("snapshot:cps1-00", "title", ()))
    alone.retrieved = Retrieval(snapshot)
    stops = (Stop(StopReason.EVIDENCE_DECIDES, ("crossref/title", "openalex/title")),)
    stopped.asked.append(LookupTiming("crossref", "doi", "found", 0.1))
    stopped.retrieved = Retrieval((*snapshot, Found("crossref", "doi", ())), stops)
    routes, exits = build_latency_tables([*RUN, alone, stopped])[:2]
    assert routes.title == "Route of 5 references"
    assert routes.rows == (
        ("snapshot", "2", "1", "4"),
        ("identifiers", "1", "1", "1"),
        ("registries", "3", "2", "4"),
        ("web", "1", "1", "1"),
    )
    assert exits.rows == (("evidence_decides", "1", "2"),)


def test_true_classes_go_before_labels():
    assert [row[0] for row in build_latency_tables(RUN, {"a": "MINOR", "b": "MINOR"})[4].rows] == [
        "MINOR",
        "unknown",
    ]


def test_shown_in_columns():
    text = format_tables(build_latency_tables(RUN))
    assert text.count("\n\n") == 5
    assert "Stage     Reach   Cond. mean" in text
