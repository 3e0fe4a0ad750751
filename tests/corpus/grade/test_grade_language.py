"""What a level allows to be said, and that what is put instead is allowed."""

from __future__ import annotations

import pytest

from citeproof.corpus.grade import check, overclaims
from citeproof.corpus.nouns import Grade, Level
from tests.corpus.grade.mending import mended

HIGH, MODERATE, LOW, VERY_LOW = Grade.HIGH, Grade.MODERATE, Grade.LOW, Grade.VERY_LOW
BELOW = (MODERATE, LOW, VERY_LOW)


def found(sentence: str, grade: Grade) -> list[tuple[str, str]]:
    return [(one.phrase, one.level.value) for one in check(sentence, grade)]


LEVELS = [
    # sentence, grade, what is told
    ("The trial, REF-001, demonstrates it.", HIGH, []),
    ("It proves it (REF-001).", HIGH, []),
    ("It demonstrates it.", MODERATE, [("demonstrates", "warning")]),
    ("It shows it.", MODERATE, [("shows", "warning")]),
    ("It confirms it.", MODERATE, [("confirms", "warning")]),
    ("It establishes it.", MODERATE, [("establishes", "warning")]),
    ("It proves it.", MODERATE, [("proves", "warning")]),
    ("It suggests, indicates, supports and points to it.", MODERATE, []),
    ("It may indicate it.", MODERATE, []),
    ("It demonstrates it.", LOW, [("demonstrates", "error")]),
    ("It establishes it.", LOW, [("establishes", "error")]),
    ("It suggests it.", LOW, [("suggests", "warning")]),
    ("It indicates it and points to it.", LOW, []),
    ("Limited evidence suggests it.", LOW, []),
    ("Limited clinical evidence suggests it.", LOW, []),
    ("Preliminary findings indicate it.", LOW, []),
    ("Some data suggest it.", LOW, []),
    ("Anecdotal evidence suggests it.", LOW, []),
    ("It may suggest it.", LOW, []),
    ("Limited evidence demonstrates it.", LOW, [("demonstrates", "error")]),
    ("The data are limited evidence, but it suggests it.", LOW, [("suggests", "warning")]),
    ("It suggests it.", VERY_LOW, [("suggests", "error")]),
    ("It points to it.", VERY_LOW, [("points to", "error")]),
    ("It demonstrates it.", VERY_LOW, [("demonstrates", "error")]),
    ("Limited evidence suggests it.", VERY_LOW, [("Limited evidence", "warning")]),
    ("It may indicate it.", VERY_LOW, [("may indicate", "warning")]),
    ("Anecdotal evidence suggests it.", VERY_LOW, []),
    ("Practitioner reports point to it.", VERY_LOW, []),
    ("Whether it works is unclear.", VERY_LOW, []),
    ("It suggests it.", HIGH, [("suggests", "info")]),
    ("Limited evidence suggests it.", HIGH, [("Limited evidence", "info")]),
    ("It suggests it and shows it.", HIGH, []),
    ("Nothing of the kind is said.", HIGH, []),
]


@pytest.mark.parametrize(("sentence", "grade", "told"), LEVELS)
def test_each_level_has_its_words(sentence, grade, told):
    assert found(sentence, grade) == told


NO_CLAIM = [
    "As shown in Figure 2, it helps.",
    "The layout is shown below.",
    "The values shown in the following table are means.",
    "Figure 2 shows the layout.",
    "Fig. 3b shows the layout.",
    "The table below demonstrates it.",
    "We show in Section 3 that it helps.",
    "The panel is shown on the left.",
    "It does not prove it.",
    "It doesn't demonstrate it.",
    "It has not been shown to help.",
    "It cannot be proven.",
    "The trial failed to confirm it.",
    "It has yet to be established.",
    "No study demonstrates it.",
    "Its silence proves nothing.",
    "It makes every reporter show it.",
    "Show it.",
    "The study aims to show it.",
    "It was designed to clearly demonstrate it.",
    "It is unclear whether it confirms it.",
    "This is a well-established method.",
    "It is an established method with a proven record.",
    "The society was established in 1998.",
    "The trade show was the show of the year.",
    "The flag show_all is set.",
    "The paper says “our data demonstrate it”.",
    'The paper says "our data demonstrate it".',
    "Showers and disproved theories.",
]


@pytest.mark.parametrize("sentence", NO_CLAIM)
@pytest.mark.parametrize("grade", BELOW)
def test_what_claims_nothing_of_the_source_is_left_alone(sentence, grade):
    assert not [one for one in check(sentence, grade) if one.of is HIGH]


@pytest.mark.parametrize(
    "sentence",
    [
        "They have support from users.",
        "The supports were weak.",
        "There is no supporting evidence.",
        "Claim support is weighted by support.",
        "Support for it grew.",
        "He won by 10 points to 8.",
        "At that point to stop was best.",
    ],
)
def test_nouns_are_no_verbs(sentence):
    assert check(sentence, VERY_LOW) == ()


CLAIMS = [
    "It not only demonstrates it.",
    "It shows above-average gains.",
    "As shown in Table 2 of Smith, it helps.",
    "This established a link.",
    "The effect demonstrated by Smith is large.",
    "It was **shown** to help.",
    "It showed\n  that it helps.",
    "IT SHOWS IT.",
    "Smith and Roe show it.",
    "Smith et al. show it.",
    "Smith (2020) clearly show it.",
    "The mice show it.",
]


@pytest.mark.parametrize("sentence", CLAIMS)
def test_what_claims_is_told(sentence):
    assert [one.of for one in check(sentence, LOW)] == [HIGH]


INSTEAD = [
    # sentence, MODERATE, LOW, VERY LOW
    (
        "Smith demonstrates it.",
        "Smith suggests it.",
        "Smith may indicate it.",
        "Smith anecdotally suggests it.",
    ),
    (
        "They demonstrated that it helps.",
        "They suggested that it helps.",
        "They may indicate that it helps.",
        "They anecdotally suggested that it helps.",
    ),
    (
        "Demonstrating gains, it helps.",
        "Suggesting gains, it helps.",
        "Preliminarily indicating gains, it helps.",
        "Anecdotally suggesting gains, it helps.",
    ),
    (
        "It has been shown to help.",
        "It has been suggested to help.",
        "It has been preliminarily indicated to help.",
        "It has been anecdotally suggested to help.",
    ),
    (
        "Smith confirms the theory.",
        "Smith supports the theory.",
        "Smith may indicate the theory.",
        "Smith anecdotally suggests the theory.",
    ),
    (
        "Smith confirms that it helps.",
        "Smith suggests that it helps.",
        "Smith may indicate that it helps.",
        "Smith anecdotally suggests that it helps.",
    ),
    (
        "Smith establishes a link.",
        "Smith indicates a link.",
        "Smith may indicate a link.",
        "Smith anecdotally suggests a link.",
    ),
    (
        "It can prove that.",
        "It can suggest that.",
        "It can preliminarily indicate that.",
        "It can anecdotally suggest that.",
    ),
    (
        "The method proved effective.",
        "The method appeared effective.",
        "The method may appear effective.",
        "The method anecdotally appeared effective.",
    ),
    (
        "It was proven safe.",
        "It was suggested to be safe.",
        "It was preliminarily indicated to be safe.",
        "It was anecdotally suggested to be safe.",
    ),
    (
        "The gain shown by Smith is large.",
        "The gain suggested by Smith is large.",
        "The gain preliminarily indicated by Smith is large.",
        "The gain anecdotally suggested by Smith is large.",
    ),
    (
        "Research demonstrates that it helps.",
        "Studies suggest that it helps.",
        "Limited evidence suggests that it helps.",
        "Anecdotal reports suggest that it helps.",
    ),
    (
        "The study proves that it helps.",
        "Studies suggest that it helps.",
        "Limited evidence suggests that it helps.",
        "Anecdotal reports suggest that it helps.",
    ),
    (
        "However, recent studies have clearly shown that it helps.",
        "However, studies suggest that it helps.",
        "However, limited evidence suggests that it helps.",
        "However, anecdotal reports suggest that it helps.",
    ),
    (
        "Studies show us that it helps.",
        "Studies suggest that it helps.",
        "Limited evidence suggests that it helps.",
        "Anecdotal reports suggest that it helps.",
    ),
    (
        "**Research** demonstrates gains.",
        "**Research** suggests gains.",
        "**Research** may indicate gains.",
        "**Research** anecdotally suggests gains.",
    ),
    # what stands between is blanked code, which must not go
    (
        "Research      demonstrates gains.",
        "Research      suggests gains.",
        "Research      may indicate gains.",
        "Research      anecdotally suggests gains.",
    ),
    (
        "The trial shows gains and confirms it.",
        "The trial suggests gains and supports it.",
        "The trial may indicate gains and may indicate it.",
        "The trial anecdotally suggests gains and anecdotally suggests it.",
    ),
    (
        "A preliminary study shows it.",
        "A preliminary study suggests it.",
        "A preliminary study indicates it.",
        "An exploratory study suggests it.",
    ),
    (
        "Smith conclusively demonstrates it.",
        "Smith suggests it.",
        "Smith may indicate it.",
        "Smith anecdotally suggests it.",
    ),
]


@pytest.mark.parametrize(("sentence", "moderate", "low", "very_low"), INSTEAD)
def test_what_is_put_instead_keeps_the_form(sentence, moderate, low, very_low):
    assert [mended(sentence, check(sentence, grade)) for grade in BELOW] == [moderate, low, very_low]


@pytest.mark.parametrize(
    ("sentence", "instead"),
    [
        ("It may indicate it.", "It may anecdotally suggest it."),
        ("Some data suggest it.", "Anecdotal data suggest it."),
        ("A limited data set suggests it.", "An anecdotal data set suggests it."),
        ("Studies suggest it.", "Anecdotal reports suggest it."),
        ("It points to it.", "It anecdotally suggests it."),
    ],
)
def test_hedges_of_low_evidence_are_weakened_for_very_low(sentence, instead):
    assert mended(sentence, check(sentence, VERY_LOW)) == instead


OVERCLAIMS = [
    ("Research proves that it helps.", "proves", "Research demonstrates that it helps."),
    ("Research has clearly proven it.", "proven", "Research has clearly demonstrated it."),
    ("They definitively show it.", "definitively show", "They show it."),
    ("It shows definitively that it helps.", "shows definitively", "It shows that it helps."),
    ("It conclusively demonstrated it.", "conclusively demonstrated", "It demonstrated it."),
    (
        "Having been CONCLUSIVELY PROVEN, it helps.",
        "CONCLUSIVELY PROVEN",
        "Having been DEMONSTRATED, it helps.",
    ),
]


@pytest.mark.parametrize(("sentence", "phrase", "instead"), OVERCLAIMS)
def test_overclaims_are_forbidden_at_every_level(sentence, phrase, instead):
    for one in (overclaims(sentence), check(sentence, HIGH)):
        assert [(w.phrase, w.of, w.level) for w in one] == [(phrase, None, Level.ERROR)]
        assert mended(sentence, one) == instead
    assert all(check(sentence, grade)[0].level is Level.ERROR for grade in BELOW)


@pytest.mark.parametrize(
    "sentence",
    [
        "Research shows that it helps.",
        "It does not conclusively demonstrate it.",
        "Research proved difficult.",
        "He said “research proves it”.",
    ],
)
def test_what_is_no_overclaim(sentence):
    assert overclaims(sentence) == ()


def test_an_overclaim_around_emphasis_is_told_and_left():
    (one,) = check("It **definitively** shows it.", LOW)
    assert (one.of, one.instead) == (None, "")


def test_words_and_advice_of_the_level_come_with_it():
    (one,) = check("It shows it.", LOW)
    assert one.advice == "Limited evidence suggests that…"
    assert "may indicate" in one.allowed
    (one,) = overclaims("Research proves it.")
    assert "once and for all" in one.advice
