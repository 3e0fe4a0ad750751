"""The tables of times."""

from __future__ import annotations

from citeproof.laboratory.measure.retrieval_latency import (
    ReferenceTiming,
    build_latency_tables,
    format_tables,
)
from citeproof.vocabulary import LookupTiming


def _timed(key, seconds, chosen="crossref", label="EXACT", **asked):
    lookups = [LookupTiming(source, "title", "found", spent) for source, spent in asked.items()]
    return ReferenceTiming(key, 0.0, seconds, lookups, chosen, label)


RUN = [
    _timed("a", 2.0, crossref=2.0),
    _timed("b", 4.0, chosen="web", crossref=1.0, web=3.0),
    _timed("c", 6.0, chosen="not found", label="MAJOR", crossref=2.0, openalex=1.0),
]


def test_tables():
    overall, stages, classes, chosen = build_latency_tables(RUN)
    assert overall.rows[0][:4] == ("Full cascade", "4.00s", "4.00s", "6.00s")
    assert overall.rows[1][1] == "3.00s"
    assert stages.rows[0] == ("crossref", "100.0%", "1.67s", "2.00s", "1.67s")
    assert ("web", "33.3%", "3.00s", "3.00s", "1.00s") in stages.rows
    assert [row[0] for row in classes.rows] == ["EXACT", "MAJOR"]
    assert ("not found", "1", "33.3%") in chosen.rows


def test_true_classes_go_before_labels():
    assert [row[0] for row in build_latency_tables(RUN, {"a": "MINOR", "b": "MINOR"})[2].rows] == [
        "MINOR",
        "unknown",
    ]


def test_shown_in_columns():
    text = format_tables(build_latency_tables(RUN))
    assert text.count("\n\n") == 3
    assert "Stage     Reach   Cond. mean" in text
