"""What a level allows to be said, and that what is put instead is allowed."""

from __future__ import annotations

import pytest

from citeproof.corpus.corpus_types import Grade, Level
from citeproof.corpus.grade.language import check_wording, find_overclaims
from tests.corpus.grade.mending import mended

HIGH, MODERATE, LOW, VERY_LOW = Grade.HIGH, Grade.MODERATE, Grade.LOW, Grade.VERY_LOW
BELOW = (MODERATE, LOW, VERY_LOW)


def found(sentence: str, grade: Grade) -> list[tuple[str, str]]:
    return [(one.phrase, one.level.value) for one in check_wording(sentence, grade)]


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
    ("Limited evidence demonstrates it.", LOW, []),
    ("Limited evidence demonstrates it.", MODERATE, []),
    ("Limited evidence proves it.", LOW, [("proves", "error")]),
    ("Limited evidence has been proven.", MODERATE, [("proven", "warning")]),
    ("Limited evidence conclusively demonstrates it.", LOW, [("conclusively demonstrates", "error")]),
    ("Limited evidence demonstrates it, but it shows it.", LOW, [("shows", "error")]),
    ("It shows it, with preliminary findings.", LOW, [("shows", "error")]),
    ("Preliminary findings show that it helps and confirm it.", LOW, []),
    ("The data are limited evidence, but it suggests it.", LOW, [("suggests", "warning")]),
    ("It suggests it.", VERY_LOW, [("suggests", "error")]),
    ("It points to it.", VERY_LOW, [("points to", "error")]),
    ("It demonstrates it.", VERY_LOW, [("demonstrates", "error")]),
    ("Limited evidence suggests it.", VERY_LOW, [("Limited evidence", "warning")]),
    ("It may indicate it.", VERY_LOW, [("may indicate", "warning")]),
    ("Anecdotal evidence suggests it.", VERY_LOW, []),
    ("Practitioner reports point to it.", VERY_LOW, []),
    ("Practitioner reports show it.", VERY_LOW, []),
    ("Practitioner reports prove it.", VERY_LOW, [("prove", "error")]),
    ("Limited evidence demonstrates it.", VERY_LOW, [("Limited evidence", "warning")]),
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
    "No study has shown a gain.",
    "No large randomised trial has yet shown it.",
    "None of the trials showed a gain.",
    "Not a single study has shown it.",
    "Does the report prove a gain?",
    "Can we show a gain?",
    "But does the study show a gain (REF-003)?",
    "Which study shows a gain?",
    "If the report demonstrated a gain, we would switch.",
    "We would switch if the trial showed a gain.",
    "Should the report confirm a gain, we would switch.",
    "Please confirm your e-mail.",
    "Confirm the dialog.",
    "Press **Confirm** to continue.",
    "The dialog shown to users is small.",
    "The menu shows five items.",
    "The menu of the report shows five items.",
    "The service establishes a connection.",
    "GitHub shows them on the lines.",
    "Users were shown the page.",
]


@pytest.mark.parametrize("sentence", NO_CLAIM)
@pytest.mark.parametrize("grade", BELOW)
def test_what_claims_nothing_of_the_source_is_left_alone(sentence, grade):
    assert not [one for one in check_wording(sentence, grade) if one.of is HIGH]


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
        "The library supports Windows.",
        "The widget may indicate an error.",
    ],
)
def test_nouns_are_no_verbs(sentence):
    assert check_wording(sentence, VERY_LOW) == ()


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
    "No doubt Smith proves it.",
    "In no uncertain terms Smith proves it.",
    "The study proves it, right?",
    "Isn't it clear that the report proves it?",
    "Is the effect real? The report proves it.",
    "If anything, the study proves it.",
    "If anything the study proves it.",
    "The trial, however, had shown it.",
    "Results which should be clear confirm gains.",
    "The page shows that it harms.",
    "The tool demonstrates a gain.",
]


@pytest.mark.parametrize("sentence", CLAIMS)
def test_what_claims_is_told(sentence):
    assert [one.of for one in check_wording(sentence, LOW)] == [HIGH]


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
        "A preliminary study shows it.",
        "A preliminary study shows it.",
        "An exploratory study shows it.",
    ),
    (
        "A preliminary study proves it.",
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
    assert [mended(sentence, check_wording(sentence, grade)) for grade in BELOW] == [moderate, low, very_low]


@pytest.mark.parametrize(
    ("sentence", "instead"),
    [
        ("The study of 40 people shows gains.", "The study of 40 people may indicate gains."),
        ("A 2020 meta-analysis shows gains.", "A 2020 meta-analysis may indicate gains."),
        ("In this study, we show gains.", "In this study, we may indicate gains."),
        ("The results, as expected, confirm it.", "The results, as expected, may indicate it."),
        ("Smith (2020) shows gains.", "Smith (2020) may indicate gains."),
        ("Smith et al. show gains.", "Smith et al. may indicate gains."),
        ("[REF-003] shows gains.", "[REF-003] may indicate gains."),
        ("@.aiwg/research/sources/a.md shows gains.", "@.aiwg/research/sources/a.md may indicate gains."),
        ("The method shows that it helps.", "The method may indicate that it helps."),
        ("The trial clearly and conclusively demonstrates it.", "Limited evidence suggests it."),
        ("Smith clearly and conclusively demonstrates it.", "Smith may indicate it."),
        (
            "There is limited evidence, but the report proves it.",
            "There is limited evidence, but the report may indicate it.",
        ),
        (
            "The trial proves it, though there is limited evidence.",
            "The trial may indicate it, though there is limited evidence.",
        ),
        ("The theory was confirmed in two trials.", "The theory was preliminarily indicated in two trials."),
        # told, and left to the author
        ("The method shows gains.", None),
        ("The menu conclusively shows it.", None),
        ("It shows five items.", None),
        ("It was shown to them.", None),
        ("The order was confirmed by default.", None),
        ("Only then do we show it.", None),
        ("Use on all elements to demonstrate it.", None),
    ],
)
def test_words_are_put_only_where_evidence_speaks(sentence, instead):
    told = check_wording(sentence, LOW)
    assert [one.of for one in told] in ([HIGH], [None])
    assert mended(sentence, told) == (instead or sentence)


@pytest.mark.parametrize(
    ("sentence", "instead"),
    [
        ("It may indicate it.", "It may indicate it."),
        ("The trial may indicate it.", "The trial may anecdotally suggest it."),
        ("Some data suggest it.", "Anecdotal data suggest it."),
        ("A limited data set suggests it.", "An anecdotal data set suggests it."),
        ("Studies suggest it.", "Anecdotal reports suggest it."),
        ("The trial points to it.", "Anecdotal reports suggest it."),
    ],
)
def test_hedges_of_low_evidence_are_weakened_for_very_low(sentence, instead):
    assert mended(sentence, check_wording(sentence, VERY_LOW)) == instead


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
    for one in (find_overclaims(sentence), check_wording(sentence, HIGH)):
        assert [(w.phrase, w.of, w.level) for w in one] == [(phrase, None, Level.ERROR)]
        assert mended(sentence, one) == instead
    assert all(check_wording(sentence, grade)[0].level is Level.ERROR for grade in BELOW)


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
    assert find_overclaims(sentence) == ()


def test_an_overclaim_around_emphasis_is_told_and_left():
    (one,) = check_wording("It **definitively** shows it.", LOW)
    assert (one.of, one.instead) == (None, "")


def test_words_and_advice_of_the_level_come_with_it():
    (one,) = check_wording("It shows it.", LOW)
    assert one.advice == "Limited evidence suggests that…"
    assert "may indicate" in one.allowed
    (one,) = find_overclaims("Research proves it.")
    assert "once and for all" in one.advice
