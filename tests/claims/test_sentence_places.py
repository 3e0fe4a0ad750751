"""Where the sentences of a document stand, and how the reports on claims show it."""

from __future__ import annotations

import json

import pytest

from citeproof.claims.sentence_places import find_sentence_starts
from citeproof.surfaces.cli import main as door

WHOLE = "Deep networks work well [devlin] in most cases, as [devlin] say."
PLACED = [
    # text, sentence, what stands at its place (None: it has none)
    ("So. It works [1]. End.", "It works [1].", "It works"),
    (
        "Intro.\nIt **works**\nin [all](https://a.b/c) cases (1).",
        "It works in all cases (1).",
        "It **works**",
    ),
    (
        "A. Deep networks \\emph{work} well~\\cite{devlin} in most cases, as \\citet{devlin} say.",
        WHOLE,
        "devlin} in",
    ),
    ("Nothing of it, in most cases, is here.", WHOLE, None),  # three words in a row are no sentence
    ("It works [1]. Again: it works [1].", "It works [1].", None),  # which of them is meant, nobody knows
    ("", "It works [1].", None),
    ("Some text.", "...", None),
    ("Yes", "Yes", "Yes"),
]
PAPER = """# Title

It works [1]. It is magic (10.18653/v1/2024.acl-long.9999).

This is
open [2], and that as well [3].

## References

1. Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). BERT: Pre-training of deep bidirectional \
transformers for language understanding. https://doi.org/10.18653/v1/N19-1423
2. Halloran, P. (2020). Recursive shadow pyramids. Journal of Pyramids, 3, 4-5.
3. Halloran, P. (2021). Recursive shadow cubes of the second kind. Journal of Pyramids, 4, 14-15.
"""


@pytest.mark.parametrize(("text", "sentence", "wanted"), PLACED)
def test_where_a_sentence_stands(text, sentence, wanted):
    at = find_sentence_starts(text, [sentence]).get(sentence)
    assert (at is None) == (wanted is None)
    assert wanted is None or text[at:].startswith(wanted)


@pytest.fixture
def run(offline_world, capfd, monkeypatch):
    monkeypatch.chdir(offline_world)
    (offline_world / "a.md").write_text(PAPER)

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            door.main(["claims", *map(str, words)])
        return int(ended.value.code or 0), capfd.readouterr().out

    return call


def test_unchecked_claims_are_gathered_by_cause(run):
    code, out = run("a.md")
    assert code == 4
    assert out.count("could not be checked: ") == 1
    assert "? 3 could not be checked: snapshot:" in out
    rows = [line.split(maxsplit=2) for line in out.splitlines() if line.startswith(("    2 ", "    3 "))]
    open_ = "This is open [2], and that as well [3]."
    assert rows == [["2", "a.md:5:1", open_], ["3", "a.md:5:1", open_]]
    assert "-v shows each of them; without --offline, registries are asked too" in out
    assert "COULD NOT CHECK" not in out
    assert run("a.md", "-v")[1].count("COULD NOT CHECK") == 3


def test_many_unchecked_claims_are_a_list_of_keys(run, offline_world):
    entries = "\n".join(
        f"{n}. Halloran, P. (20{n}). Recursive shadow pyramids of the kind {n}." for n in range(10, 30)
    )
    cited = " ".join(f"This is so [{n}]." for n in range(10, 30))
    (offline_world / "a.md").write_text(f"{cited}\n\n## References\n\n{entries}\n")
    out = run("a.md")[1]
    assert "? 20 could not be checked" in out
    assert "10, 11, 12" in out
    assert len(out.splitlines()) < 12


def test_a_claim_shows_where_its_sentence_stands(run):
    assert "✓ citation verified, content not compared  1  a.md:3:1 (reference: a.md:10:4)" in run("a.md")[1]
    told = {one["id"]: one for one in json.loads(run("a.md", "--format", "json")[1])["claims"]}
    assert (told["1"]["sentence_location"]["line"], told["1"]["location"]["line"]) == (3, 10)
    assert "At: a.md:3:1 (reference: a.md:10:4)" in run("a.md", "--format", "md")[1]


def test_a_claim_of_a_hypothesis_has_no_sentence_in_a_file(run, offline_world):
    (offline_world / "h.json").write_text('{"claims": ["So it is."]}')
    (told,) = json.loads(run("h.json", "--format", "json")[1])["claims"]
    assert told["sentence_location"] is None
