"""Claims made from real texts: the pages of our own documentation."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from bench.made_claims import claim_run
from bench.made_claims.__main__ import command
from bench.made_claims.claim_recipe import (
    ClaimRecipe,
    damage_claim,
    find_subject,
    is_claim_like,
    reword_sentence,
)
from bench.made_claims.quotation_damage import QuotableText, tidy_stretch

from citeproof.errors import InputError

DOCS = Path(__file__).parents[2] / "docs"
TEXTS = [
    QuotableText(name, (DOCS / name).read_text(encoding="utf-8"))
    for name in ("benchmarks.md", "why.md", "audit.md", "corpus.md")
]


def test_every_item_has_its_provenance():
    items = list(ClaimRecipe(TEXTS, 7, 64, "made.texts").make_items())
    texts = {text.name: text for text in TEXTS}
    assert {item.kind for item in items} >= {"quote", "number", "negation", "absent"}
    for item in items:
        text = texts[item.collection].text
        cut = [tidy_stretch(text[start:end]) for start, end in item.places]
        if item.label == "absent":
            assert not cut
            assert item.edits
        elif item.label in ("altered", "differs"):
            assert item.edits[-1].after != item.edits[-1].before
        if item.kind in ("number", "direction", "negation"):
            assert item.edits[0].before == cut[0] if item.edits else item.claim == cut[0]
    assert items == list(ClaimRecipe(TEXTS, 7, 64, "made.texts").make_items())
    assert items != list(ClaimRecipe(TEXTS, 8, 64, "made.texts").make_items())
    labels = Counter((item.kind, item.label) for item in items)
    assert labels["quote", "verbatim"] == labels["quote", "altered"]


def test_without_a_text_nothing_is_made():
    with pytest.raises(InputError) as error:
        list(ClaimRecipe([], 1, 16, "x").make_items())
    assert error.value.hint


@pytest.mark.parametrize(
    ("kind", "sentence", "made"),
    [
        ("direction", "The score of the larger model was higher by far than ours.", None),
        ("direction", "The score of that model was higher by far than ours was.", "lower"),
        ("negation", "The model was tested on the same set of sentences again.", "was not tested"),
        ("negation", "The model did not improve on any of the sets that were used.", "did improve"),
    ],
)
def test_a_sentence_is_turned_round(kind, sentence, made):
    assert is_claim_like(sentence)
    if made is None:
        assert not find_subject(kind, sentence)  # two directions: turning one may say the same
        return
    assert find_subject(kind, sentence)
    claim, edit = damage_claim(kind, sentence, random.Random(1))
    assert made in claim
    assert (edit.before, edit.after) == (sentence, claim)


def test_rewording_leaves_numbers_alone():
    sentence = "However, we found (as expected) that 48.2 percent of all runs had not ended."
    for seed in range(20):
        made, _ = reword_sentence(sentence, random.Random(seed))
        assert "48.2 percent" in made
        assert "not ended" in made


def test_made_from_a_folder_and_run(run, tmp_path):
    (tmp_path / "papers").mkdir()
    for name in ("benchmarks.md", "audit.md", "corpus.md"):
        (tmp_path / "papers" / name).write_text((DOCS / name).read_text(encoding="utf-8"))
    (tmp_path / "papers" / "short.txt").write_text("Too short.")
    making = (command, "papers", "--seed", 3, "--count", 32, "-o", "made.jsonl")
    ended = run(*making)
    assert ended.code == 0
    assert "1 file left out" in ended.err
    first = (tmp_path / "made.jsonl").read_bytes()
    run(*making)
    assert (tmp_path / "made.jsonl").read_bytes() == first
    ended = run(claim_run.command, "made.jsonl")
    assert ended.code == 0, ended.err
    table = ended.out.split("What was found, by kind")[1].split("\n\n")[0]
    rows = {line.split("  ")[0]: line.split() for line in table.splitlines()}
    for damage in ("clean", "invented"):
        assert rows[f"quote: {damage}"][2] == rows[f"quote: {damage}"][-1]  # all of them right
    assert int(ended.out.rsplit("\n\n", 1)[1].split()[0]) > 24  # of 32, whatever the pages say just now
