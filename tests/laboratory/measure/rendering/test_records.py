"""Real records, with all that registries leave in them, through every style."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

from citeproof.evidence.index.readers.works import READER
from citeproof.laboratory.measure.makers.benchmark_items import CitationFields, cite_record
from citeproof.laboratory.measure.rendering import load_styles
from citeproof.laboratory.measure.rendering.rendered_entry import load_bibtex_styles
from citeproof.text.title import make_title_key, split_words
from citeproof.text.unicode import strip_marks
from citeproof.vocabulary import Record
from tests.laboratory.measure.rendering.test_bibtex_style import read

WORKS = Path("../shared/data/records/works.jsonl.zst")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not WORKS.exists(), reason="../shared/data is not here"),
]


@pytest.fixture(scope="module")
def sample() -> list[CitationFields]:
    """300 works out of the first 30,000, in one of their appearances."""
    rng = random.Random(42)
    found = [one for one in islice(READER.read([WORKS]), 30_000) if isinstance(one, Record) and one.authors]
    return [cite_record(one, rng.choice(one.versions or (None,))) for one in rng.sample(found, 300)]


@pytest.mark.parametrize("form", ["link", "text"])
def test_titles_and_first_names_are_printed(sample, form):
    for number, work in enumerate(sample):
        for style in load_styles(form)[number % 3 :: 3]:
            text = style.render(work)
            assert bool(text) == (form != "link" or bool(work.url))
            if text:
                assert set(split_words(work.title)) <= set(split_words(text)), (style.name, text)
                assert _letters(work.people[0].family) in _letters(text), (style.name, text)


def test_entries_are_read_back(sample):
    habits = load_bibtex_styles()
    for number, work in enumerate(sample):
        for style in habits[number % 3 :: 3]:
            text = style.render(work)
            claimed = read(text)
            most = style.habit.most or len(work.people)
            assert make_title_key(claimed.title or "") == make_title_key(work.title), text
            assert len(claimed.authors) == min(len(work.people), most), text
            assert _letters(claimed.authors[0].family) == _letters(work.people[0].family), text
            assert claimed.year == work.year, text
            if "doi" in style.habit.order and (doi := work.ids.first("doi")):
                assert doi in claimed.ids.all("doi"), text


def _letters(text: str) -> str:
    return "".join(c for c in strip_marks(text).casefold() if c.isalnum())
