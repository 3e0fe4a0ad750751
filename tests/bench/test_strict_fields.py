"""The policy `strict-fields` next to the default judge: right citations flagged, wrong ones caught."""

from __future__ import annotations

import json

from bench import strict_fields

TITLE = "Slow decay of rings in layered crystals and their magnets"
LINK = "https://arxiv.org/abs/1101.00001"
ROWS = [
    ("valid", f"[Roe & Doe, 2011, {TITLE}]({LINK})"),
    ("valid", f"[Roe & Doe, 2011, {TITLE.lower()}]({LINK})"),
    ("hallucinated_minor", f"[Roe & Doe, 2005, {TITLE}]({LINK})"),
    (
        "hallucinated_major",
        "[Moe, 2012, Quick growth of loops in amorphous metals of another kind](https://arxiv.org/abs/1212.00001)",
    ),
]


def test_a_judge_that_compares_strings_flags_right_citations_too(tmp_path, monkeypatch, capsys):
    rows = [
        {"collection": "c", "number": n, "label": label, "original": ROWS[0][1], "citation": citation}
        for n, (label, citation) in enumerate(ROWS)
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.setattr("sys.argv", ["strict_fields", str(path)])
    strict_fields.main()
    printed = " ".join(capsys.readouterr().out.split())
    assert "items.jsonl: 2 right, 2 wrong" in printed
    assert "default judge right ones flagged 0 of 2 (0.0%), wrong ones caught 2 of 2 (100.0%)" in printed
    assert "strict-fields right ones flagged 1 of 2 (50.0%), wrong ones caught 2 of 2 (100.0%)" in printed
