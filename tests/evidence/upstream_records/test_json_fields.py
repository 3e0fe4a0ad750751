"""Fields of upstream JSON: what has the wrong type counts as not given."""

from __future__ import annotations

import pytest

from citeproof.evidence.upstream_records import json_fields


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Deep\n  learning.", "Deep learning"),
        ("\x98The \x9cPublishers weekly.", "The Publishers weekly"),
        ("<i>E. coli</i> &amp; co", "E. coli & co"),
        (
            "Adaptive Regularization for Unsupervised\\n  Depth",
            "Adaptive Regularization for Unsupervised Depth",
        ),
        (None, ""),
        (3, ""),
        (["x"], ""),
        ("x" * 9000, "x" * 2000),
    ],
)
def test_text(value, expected):
    assert json_fields.read_text(value) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("Causality", "Models, Reasoning"), ("Causality: Models, Reasoning", "Causality")),
        (("Causality", None), ("Causality",)),
        (("Causality", "", "Kausalität", "Causality"), ("Causality", "Kausalität")),
        (("", "only a subtitle"), ()),
        (("—", ""), ()),
        ((7, {}), ()),
    ],
)
def test_titles(given, expected):
    assert json_fields.list_titles(*given) == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (("RETRACTED: A paper",), (("A paper",), ("retracted",))),
        (("Withdrawn. A paper", "Withdrawn: B"), (("A paper", "B"), ("withdrawn",))),
        (("A paper on things RETRACTED: later",), (("A paper on things RETRACTED: later",), ())),
        (("RETRACTED:",), ((), ("retracted",))),
        ((), ((), ())),
    ],
)
def test_unmarked(found, expected):
    assert json_fields.split_retraction_mark(found) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ('Attention: "Is" (All) You+Need?', "attention is all you need"),
        ("NOT this OR that AND *", "not this or that and"),
        ("{\\'E}tudes \\& β-VAEs", "études β vaes"),
        ("‡ — ‡", ""),
        ("word " * 200, ("word " * 60).strip()),
    ],
)
def test_query_holds_no_syntax(title, expected):
    assert json_fields.make_query_words(title) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Causality: Models", "Causality"),
        ("Deep Learning – An Introduction", "Deep Learning"),
        ("R: A language", "R: A language"),
        ("No subtitle", "No subtitle"),
    ],
)
def test_before_colon(title, expected):
    assert json_fields.strip_subtitle(title) == expected


def test_lists_and_identifiers():
    assert json_fields.read_rows([{"a": 1}, 2, None, {"b": 2}]) == [{"a": 1}, {"b": 2}]
    assert json_fields.read_rows({"a": 1}) == []
    assert json_fields.read_table([1]) == {}
    assert json_fields.read_texts("one") == ["one"]
    assert json_fields.read_texts(["one", 2, None, ""]) == ["one"]
    assert json_fields.make_id_pairs("isbn", ["0-262-03561-8", "9780262035613", None, "x"]) == (
        ("isbn", "9780262035613"),
    )
    assert json_fields.make_id_pairs("doi", ["10.48550/ARXIV.1706.03762"])[1] == ("arxiv", "1706.03762")
    assert [n.family for n in json_fields.parse_people(["Jane Doe", "—", "ATLAS Collaboration"])] == [
        "Doe",
        "ATLAS Collaboration",
    ]
