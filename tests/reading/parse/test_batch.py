"""References parsed together are those parsed one by one, in their order, no later than needed."""

import csv
import io
import json
from dataclasses import replace
from itertools import count, islice, pairwise
from pathlib import Path

import pytest
import zstandard

from citeproof.reading.parse import BATCH, parse, parse_all
from citeproof.vocabulary import Claimed, Ids, Place, RawReference

HERE = Path(__file__)
TABLES = [HERE.parents[2] / "cases" / "citations.csv", HERE.with_name("styles.csv")]
TRAINED = HERE.parents[4] / "shared" / "data" / "parsing" / "train.jsonl.zst"
SURE = 1e-6  # by how much a confidence may differ
ODD = [
    "", " ", "x", ".", "\ue000", "In: ", "2001", "[", "“", "a\tb\n c", "Smith, J. " * 400, "李明. 综述[J].",
    "(Hrsg.) 1999 2000 2001 in: X", "*" * 50, "a_b_c", "https://doi.org/10.1000/x", "((((", "«»", "Ed. by",
]  # fmt: skip

SAME_AUTHOR = ("—", "–", "-", "_", "Ders", "Dies", "Idem")  # such an entry has the people of the one before


def strings():
    """Return the strings of the tables, whole, cut, glued and turned round, with odd ones among them."""
    lines = [table.read_text("utf-8").splitlines() for table in TABLES]
    tables = [csv.DictReader(table, delimiter="|", quoting=csv.QUOTE_NONE) for table in lines]
    texts = [row["text"] for table in tables for row in table]
    cut = [text[len(text) // 3 :] for text in texts]
    glued = [f"{one} {two}" for one, two in pairwise(texts)]
    return [*texts, *ODD, *cut, *glued, *(text[::-1] for text in texts)]


def raws(texts):
    return [RawReference(f"ref-{number}", text, Place(line=number)) for number, text in enumerate(texts, 1)]


def unsure(reference):
    """Return the reference without its confidences."""
    origins = tuple(replace(origin, confidence=0.0) for origin in reference.claimed.origins)
    return replace(reference, claimed=replace(reference.claimed, origins=origins))


def same(one, two):
    assert unsure(one) == unsure(two)
    sure = [origin.confidence for origin in one.claimed.origins]
    assert [origin.confidence for origin in two.claimed.origins] == pytest.approx(sure, abs=SURE)


def test_references_are_parsed_together_as_one_by_one():
    given = raws(strings())
    assert len(given) > 300
    for raw, found in zip(given, parse_all(given), strict=True):
        if not raw.text.lstrip().startswith(SAME_AUTHOR):
            same(parse(raw), found)


def test_neighbours_do_not_change_a_reference():
    given = raws(strings())
    forth, back = list(parse_all(given)), list(parse_all(given[::-1]))[::-1]
    for one, two in zip(forth, back, strict=True):
        same(one, two)


def test_entries_with_fields_keep_their_place_among_strings():
    given = raws(strings()[:100])
    stated = Claimed(title="Stated by the entry", ids=Ids((("doi", "10.1038/nature14539"),)))
    mixed = [replace(raw, claimed=stated) if at % 3 else raw for at, raw in enumerate(given)]
    found = list(parse_all(mixed))
    assert [one.key for one in found] == [raw.key for raw in given]
    assert [one.claimed.title == "Stated by the entry" for one in found] == [at % 3 > 0 for at in range(100)]
    assert found[1] == parse(mixed[1])


@pytest.mark.parametrize("wanted", [1, BATCH, BATCH + 1])
def test_no_more_is_taken_than_a_batch_needs(wanted):
    taken = count(1)
    endless = (RawReference(str(next(taken)), "Adam. 2014.", Place()) for _ in count())
    assert len(list(islice(parse_all(endless), wanted))) == wanted
    assert next(taken) - 1 == -(-wanted // BATCH) * BATCH


def test_nothing_gives_nothing():
    assert list(parse_all([])) == []


@pytest.mark.data
def test_references_of_the_corpus_are_parsed_together_as_one_by_one():
    if not TRAINED.exists():
        pytest.skip("the shared data folder is not here")
    with TRAINED.open("rb") as file:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8")
        rows = [json.loads(line) for line in islice(lines, 0, 6000, 10)]
    spaced = [zip(row["space"], row["tokens"], strict=True) for row in rows]
    given = raws(["".join(" " * (space == "1") + token for space, token in row) for row in spaced])
    assert len(given) > 300
    for raw, found in zip(given, parse_all(given), strict=True):
        if not raw.text.lstrip().startswith(SAME_AUTHOR):
            same(parse(raw), found)
