"""After replacing nothing is left to replace, whatever the sentence; and any text is read in linear time."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citeproof.corpus.corpus_types import Grade
from citeproof.corpus.grade.language import check_wording, find_overclaims
from citeproof.corpus.grade.lexicon import load_lexicon
from tests.corpus.grade.mending import mended
from tests.growth import grows_linearly
from tests.soak import choose_cases

BELOW = (Grade.MODERATE, Grade.LOW, Grade.VERY_LOW)

SUBJECTS = """Research | The study | Recent evidence | Smith et al. (2020) | They | However, studies | - Data
| Limited evidence | A preliminary trial | The gain | REF-001 and REF-002 | Some data | We know that work"""
HELPERS = " |has |have |may |is |has been |was clearly |can |to |did |will not only "
ADVERBS = " |definitively |clearly |conclusively "
TAILS = """that it helps. | it (REF-001). | by Smith. | to be useful. | effective. | and confirms it.
| us that it helps | definitively | , REF-001. | and suggests that, but it demonstrates more."""
FORMS = [*sorted(load_lexicon().verbs), "points to", "may indicate", "preliminary", "limited evidence"]
STRIDE = 61  # of 240,000 sentences; it shares no factor with the lists, so that every word meets every other


def sentences() -> list[str]:
    lists = ([part.strip() for part in words.split("|")] for words in (SUBJECTS, HELPERS, ADVERBS))
    tails = [part.strip() for part in TAILS.split("|")]
    return [" ".join(filter(None, parts)) for parts in itertools.product(*lists, FORMS, tails)]


def test_nothing_is_left_to_replace_after_replacing():
    for sentence in sentences()[::STRIDE]:
        for grade in BELOW:
            after = mended(sentence, check_wording(sentence, grade))
            assert not [one for one in check_wording(after, grade) if one.instead], (sentence, grade, after)
        after = mended(sentence, find_overclaims(sentence))
        assert not find_overclaims(after), (sentence, after)


OTHERS = """limited evidence may to a research not ** " “ ” , but whether has definitively Figure 2 in that us
preliminary some data early anecdotal the been ; - effective May RESEARCH and anecdotally"""
WORDS = st.sampled_from([*sorted(load_lexicon().verbs), *OTHERS.split(), "\n", "    "])


@example("RESEARCH confirm confirm", Grade.MODERATE)
@example("confirm confirm definitively definitively confirm", Grade.LOW)
@given(st.lists(WORDS, max_size=14).map(" ".join), st.sampled_from(BELOW))
def test_any_words_settle_and_findings_stand_apart(sentence, grade):
    told = check_wording(sentence, grade)
    assert all(one.end <= other.start for one, other in itertools.pairwise(told))
    assert all(" ".join(sentence[one.start : one.end].split()) == one.phrase for one in told)
    after = mended(sentence, told)
    assert not [one for one in check_wording(after, grade) if one.instead], after


@given(st.text(max_size=300), st.sampled_from(list(Grade)))
def test_any_text_is_read(sentence, grade):
    assert all(0 <= one.start < one.end <= len(sentence) for one in check_wording(sentence, grade))


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece",
    choose_cases(
        [
            "“shows ",
            '" shows ',
            "limited ",
            "may ",
            "research has ",
            "not ",
            "shows ",
            "* ",
            "_a",
            "show'",
            "figure ",
        ],
        4,
    ),
)
def test_work_grows_with_the_sentence(piece):
    assert grows_linearly(
        lambda size: check_wording("shows " + piece * (size // len(piece)), Grade.VERY_LOW), 20_000, 80_000
    )
