# ruff: noqa: E501 - a citation stands on one line, as people write it
"""Citations cut out of running text: what stands in the text counts, what does not is held against them."""

from dataclasses import replace
from datetime import date

import pytest

from citeproof.judgement.compare import compare_record
from citeproof.reading.parse import parse
from citeproof.text import names
from citeproof.vocabulary import Ids, Outcome, Place, RawReference, Record, Version

AGREE = (Outcome.SAME, Outcome.VARIANT)


def record(title, authors, year, venue):
    return Record("s", "r", (title,), names.split_names(authors)[0], versions=(Version(year, venue),))


ATTENTION = record(
    "Attention mechanisms for sequence transduction models", "Eva Dahl and Wei Li", 2016, "ICML"
)
LEARNING = record("Reliable learning of sparse public policies", "John Smith and Wei Li", 2016, "ICML")
CELL = record("Growth of the cell wall in yeast cultures", "Anna Berg and Tom Roe", 1999, "Cell")
LISTED = replace(ATTENTION, versions=(*ATTENTION.versions, Version(2016, "p")))  # as a careless list has it
MODEL = record(
    "The ModelTalker Project: A Voice Banking Pipeline", "H. Timothy Bunnell and Jason Lilley", 2017, "ICML"
)

MASK = replace(
    record("Mask R-CNN", "Kaiming He and Georgia Gkioxari and Ross Girshick", 2017, "ICCV"),
    ids=Ids((("doi", "10.1109/iccv.2017.322"),)),
)

AGREEING = [
    ("Mask R-CNN, He et al. 2017. https://doi.org/10.1109/ICCV.2017.322", MASK),
    ("Mask R-CNN: https://doi.org/10.1109/ICCV.2017.322", MASK),
    ("Dahl, E., & Li, W. (2016). Attention mechanisms for sequence transduction models. ICML.", ATTENTION),
    ("E. Dahl and W. Li, “Attention mechanisms for sequence transduction models,” in ICML, 2016.", ATTENTION),
    (
        "H. Timothy Bunnell and Jason Lilley. 2017. The ModelTalker Project: A Voice Banking Pipeline. In ICML.",
        MODEL,
    ),
    ("Berg A, Roe T. Growth of the cell wall in yeast cultures. Cell. 1999;12:3-4.", CELL),
    ("“Attention mechanisms for sequence transduction models” (Dahl et al., 2016)", ATTENTION),
    (
        "Dahl E, Li W. On models. Attention mechanisms for sequence transduction models[C]. ICML, 2016.",
        ATTENTION,
    ),
    ("Attention mechanisms for sequence transduction models. Eva Dahl, Wei Li. 2016.", ATTENTION),
    (
        "Dahl, E., & Li, W. (2016). Attention mechanisms for sequence transduction models. With discussion.",
        ATTENTION,
    ),
    ("Dahl, E., & Li, W. (2016). Attention mechanisms for sequence transduction models. Oxford.", ATTENTION),
    (
        "Dahl, E., & Li, W. (2016). Attention mechanisms for sequence transduction models (in German).",
        ATTENTION,
    ),
]


@pytest.mark.parametrize(("text", "known"), AGREEING, ids=[t[:30] for t, _ in AGREEING])
def test_what_the_text_says_is_not_held_against_it(text, known):
    found = compare_record(parse(RawReference("k", text, Place())), known, today=date(2026, 11, 15))
    assert [c.field for c in found if c.outcome is Outcome.DIFFERS] == []


DIFFERING = [
    ("Cats cause autism, He et al. 2017. https://doi.org/10.1109/ICCV.2017.322", MASK, "title"),
    ("Mask R-CNN, Smith et al. 2017. https://doi.org/10.1109/ICCV.2017.322", MASK, "authors"),
    ("Dahl, E., & Li, W. (2016). Beyond attention mechanisms for sequence transduction models. ICML.", ATTENTION, "title"),
    ("Dahl, E., & Li, W. (2016). A critique of attention mechanisms for sequence transduction models. ICML.", ATTENTION, "title"),
    ("Dahl, E., & Li, W. (2016). Attention mechanisms for sequence transduction models II. ICML.", ATTENTION, "title"),
    ("Smith, J., & Li, W. (2016). Unreliable learning of sparse public policies. ICML.", LEARNING, "title"),
    ("Smith, J., & Brown, K. (2016). Reliable learning of sparse public policies. ICML.", LEARNING, "authors"),
    ("Berg, A., & Roe, T. (1999). Growth of the cell wall in yeast cultures. Journal of Bacteriology, 12, 3-4.", CELL, "venue"),
    ("Dahl, E., & Li, W. (2016). Attention mechanisms for sequence transduction models. CVPR. https://doi.org/10.5555/icml.2016.7", ATTENTION, "venue"),
    ("Dahl, E., & Li, W. (2016). Attention mechanisms for sequence transduction models. Commun. ACM 60, p. 4.", LISTED, "venue"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "known", "field"), DIFFERING, ids=[t[16:60] for t, *_ in DIFFERING])
def test_what_the_text_does_not_say_differs(text, known, field):
    found = compare_record(parse(RawReference("k", text, Place())), known, today=date(2026, 11, 15))
    assert [c.field for c in found if c.outcome is Outcome.DIFFERS] == [field]
