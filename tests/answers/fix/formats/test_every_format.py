"""What every format of the folder must do; a new one needs a row in `SAMPLES` and nothing else here."""

from __future__ import annotations

import pytest

from citeproof.answers.fix.formats.base import load_formats
from citeproof.answers.fix.text_edits import apply_edits
from citeproof.reading.extractors.base import load_extractors
from citeproof.reading.parse import parse_all
from citeproof.vocabulary import Document
from tests.answers.fix.made import wanted

SAMPLES = {  # one reference of 1999 between words that stay
    "bibtex": "% before\n@misc{k,\n author = {Doe, J},\n title = {Deep nets},\n year = 1999,\n}\n% after\n",
    "csl_json": '[{"id": "k", "type": "book", "title": "Deep nets", "issued": {"date-parts": [[1999]]}}]\n',
    "markdown": "# References\n\n- Doe, J. (1999). Deep nets. Nature, 7(3), 11–19.\n",
    "plain_text": "References\n\nDoe, J. (1999). Deep nets. Nature, 7(3), 11-19.\n",
    "rst": "References\n==========\n\n.. [Doe] Doe, J. (1999). Deep nets. *Nature*, 7(3), 11-19.\n",
    "ris": "TY  - JOUR\nAU  - Doe, Jo\nTI  - Deep nets\nPY  - 1999\nER  - \n",
}


def test_every_format_has_a_sample_and_an_extractor():
    assert load_formats().keys() == SAMPLES.keys()
    assert load_formats().keys() <= load_extractors().keys()


def _read(form, text):
    [raw] = load_extractors()[form].extract(Document(f"a.{form}", text.encode())).references
    [reference] = parse_all([raw])
    return reference


@pytest.mark.parametrize("form", SAMPLES)
def test_a_year_changes_and_nothing_else(form):
    text = SAMPLES[form]
    reference = _read(form, text)
    span = [len(text.encode()[:at].decode()) for at in (reference.place.start, reference.place.end)]
    edit = load_formats()[form].open_references(text, "\n")
    [made, left] = edit(
        *span, [wanted("year", reference.claimed, 2001), wanted("isbn", reference.claimed, "9")]
    )
    assert apply_edits(text, made.edits) == text.replace("1999", "2001")
    assert all(span[0] <= one.start and one.end <= span[1] for one in made.edits)
    assert not left.edits
    assert left.note
    assert _read(form, apply_edits(text, made.edits)).claimed.year == 2001


@pytest.mark.parametrize("form", SAMPLES)
def test_a_place_that_holds_no_reference_is_left(form):
    reference = _read(form, SAMPLES[form])
    edit = load_formats()[form].open_references("something else\n", "\n")
    [made] = edit(0, 9, [wanted("year", reference.claimed, 2001)])
    assert (made.edits, bool(made.note)) == ((), True)
