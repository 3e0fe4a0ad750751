"""Figures and tables that a claim cites: which are those of the work, and what the work has of them."""

from dataclasses import replace

import pytest

from citeproof.claims.support import assess_support
from citeproof.claims.support.cited_exhibits import find_cited_exhibits
from citeproof.claims.support.exhibit_evidence import check_exhibits, find_exhibit_alarms
from citeproof.vocabulary.claim_support import AlarmKind, ImageState, SupportOutcome
from citeproof.vocabulary.source_texts import Exhibit, ExhibitKind, SourceText, TextExtent

TIED = {
    "as was shown before [12, Fig. 2].": "figure 2",
    "as was shown before [12, p. 3, Fig. 2].": "figure 2",
    "as was shown before [smith2020, Fig. 2].": "figure 2",
    "It rises (Smith et al. 2020, Fig. 2b).": "figure 2",
    "Smith et al. (2020, Fig. 2) showed it.": "figure 2",
    "It rises (see [12], Fig. 2).": "figure 2",
    "Table 1 of [12] lists them.": "table 1",
    "adapted from Fig. 2 of Ref. [7]": "figure 2",
    "see Figures 2 and 3 of Smith et al. (2020)": "figure 2, figure 3",
    "It rises (Fig. 2 in Smith 2020).": "figure 2",
    "Table 3 from Miller and Jones (2019)": "table 3",
    "Smith et al. (2020) report this in their Fig. 4.": "figure 4",
    "It rises (Smith 2020; their Fig. 2).": "figure 2",
}
OWN = [
    "Fig. 3 shows the results of [12].",
    "We follow [12] (Fig. 3).",
    "It rises (Fig. 2; Smith 2020).",
    "It rises (see Fig. 2 and Smith 2020).",
    "As in [12], Fig. 3 shows a rise.",
    "It rises (Fig. 3, [12]).",
    "Table 2 (adapted from Smith 2020)",
    "the accuracy in Fig. 3 in 2020 was high [12]",
    "We show in Fig. 2 in Section 3 that [12] holds.",
]


def name(mentions):
    return ", ".join(f"{one.kind} {one.number}" for one in mentions)


@pytest.mark.parametrize(("claim", "expected"), TIED.items())
def test_what_is_tied_to_the_citation_is_of_the_cited_work(claim, expected):
    assert name(find_cited_exhibits(claim)) == expected


@pytest.mark.parametrize("claim", OWN)
def test_others_are_figures_of_the_document_itself(claim):
    assert find_cited_exhibits(claim) == []


@pytest.mark.parametrize("claim", [one for one in OWN if "Table" not in one])
def test_a_claim_without_a_document_has_no_figures_of_its_own(claim):
    assert name(find_cited_exhibits(claim, own_document=False)).startswith("figure")


def test_of_several_works_each_has_its_own():
    claim = "It rises (Fig. 2 in [12]) and falls (Fig. 3 in [13])."
    assert find_cited_exhibits(claim) == []
    assert find_cited_exhibits(claim, own_document=False) == []
    assert name(find_cited_exhibits(claim, cited_at=claim.index("12"))) == "figure 2"
    assert name(find_cited_exhibits(claim, cited_at=claim.index("13"))) == "figure 3"


TEXT = """Introduction

Growth is drawn in Fig. 1. The growth of the second year (Fig. 1b and Table 1) was slower.

Fig. 1. Growth of the cells over two years. (a) First year. (b) Second year.

Fig. 2. Death of the cells.

Table 1. Rates by group."""


def make_source(**changes):
    def put(kind, number, label, caption, **more):
        return Exhibit(ExhibitKind(kind), number, label, caption, TEXT.find(f"{label} {caption}"), **more)

    exhibits = (
        put(
            "figure",
            "1",
            "Fig. 1.",
            "Growth of the cells over two years. (a) First year. (b) Second year.",
            page=3,
        ),
        put("figure", "2", "Fig. 2.", "Death of the cells.", image=b"png", media_type="image/png"),
        put("table", "1", "Table 1.", "Rates by group.", content="A\t12.5"),
    )
    return replace(SourceText(TextExtent.FULL_TEXT, "paper.pdf", TEXT, exhibits=exhibits), **changes)


def test_a_figure_comes_with_its_caption_and_the_sentences_that_discuss_it():
    (found,) = check_exhibits("Growth slows (Smith 2020, Fig. 1b).", make_source())
    assert found.exists
    assert found.caption.text == TEXT[found.caption.start : found.caption.end]
    assert found.caption.page == 3
    assert [one.text for one in found.sentences] == [
        "The growth of the second year (Fig. 1b and Table 1) was slower.",  # it names the panel
        "Growth is drawn in Fig. 1.",
    ]
    assert (found.image_state, found.image) == (ImageState.NO_IMAGE, b"")


def test_an_image_is_shown_and_a_table_has_its_rows():
    figure, table = check_exhibits("Fig. 2 and Table 1 show it.", make_source(), own_document=False)
    assert (figure.image_state, figure.image, figure.media_type) == (ImageState.SHOWN, b"png", "image/png")
    assert table.content == "A\t12.5"


def test_a_figure_that_does_not_exist_is_an_alarm():
    found = check_exhibits("It dies [1, Fig. 7].", make_source())
    (alarm,) = find_exhibit_alarms(found)
    assert (alarm.kind, alarm.claimed) == (AlarmKind.EXHIBIT, "figure 7")
    assert alarm.detail == "the work has no figure 7: its last one is 2"
    support = assess_support("It dies [1, Fig. 7].", make_source())
    assert support.outcome is SupportOutcome.ALARM
    assert [one.number for one in support.exhibits] == ["7"]


UNSURE = {
    "only the abstract was read": ({"extent": TextExtent.ABSTRACT_ONLY}, "[1, Fig. 7]"),
    "a number is missing": ({"exhibits": make_source().exhibits[1:]}, "[1, Fig. 7]"),
    "nothing of the kind was seen": ({"exhibits": make_source().exhibits[2:]}, "[1, Fig. 7]"),
    "the text names it": ({"text": TEXT + " See Fig. 7."}, "[1, Fig. 7]"),
    "the text names another beyond": ({"text": TEXT + " See Fig. 5."}, "[1, Fig. 7]"),
    "a supplement": ({}, "[1, Fig. S7]"),
    "an appendix": ({}, "[1, Fig. A7]"),
    "by chapter": ({}, "[1, Fig. 7.1]"),
}


@pytest.mark.parametrize(("changes", "cited"), UNSURE.values(), ids=UNSURE)
def test_what_may_only_not_have_been_seen_is_none(changes, cited):
    found = check_exhibits(f"It dies {cited}.", make_source(**changes))
    assert [one.exists for one in found] == [False]
    assert find_exhibit_alarms(found) == ()


def test_without_text_nothing_is_said():
    assert check_exhibits("It dies [1, Fig. 7].", make_source(extent=TextExtent.NO_TEXT)) == ()


def test_a_hostile_claim_is_read_in_linear_time():
    claim = "Fig. 1 of " * 500 + "(Smith et al. " * 500 + "[1, Fig. 2; " * 300
    assert len(find_cited_exhibits(claim, own_document=False)) <= 10
