"""What the text of a work says about a claim."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from citeproof.claims.support import assess_support, index_passages
from citeproof.claims.support.passage_ranking import rank_passages
from citeproof.vocabulary.claim_support import NO_SUPPORT_TEXT, SupportOutcome
from citeproof.vocabulary.source_texts import SourceText, TextExtent

TEXT = (
    "Acute decompensation (AD) of cirrhosis is a common cause of admission to hospital. "
    "We enrolled 1,071 patients in 48 centres. "
    "Mortality at 90 days was 42.3% in patients with pre-ACLF. "
    "The treatment was not associated with a lower risk of bleeding. "
    "Deep networks generalise well even when they can fit random labels."
)
SOURCE = SourceText(TextExtent.FULL_TEXT, "paper.txt", TEXT)
ABSTRACT = SourceText(TextExtent.ABSTRACT_ONLY, "crossref", TEXT)


def test_without_text_nothing_is_said() -> None:
    assert assess_support("Anything.", None) == NO_SUPPORT_TEXT
    assert assess_support("Anything.", SourceText(TextExtent.NO_TEXT, "", "")) == NO_SUPPORT_TEXT


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Cirrhosis with AD often leads to hospital admission [3].", "Acute decompensation (AD)"),
        ("Networks that generalize can fit labels chosen at random (`Zhang et al., 2017`).", "Deep networks"),
    ],
)
def test_the_passage_that_a_claim_is_about_is_first(claim: str, passage: str) -> None:
    support = assess_support(claim, index_passages(SOURCE))
    assert support.outcome is SupportOutcome.EVIDENCE_LOCATED
    first = support.passages[0]
    assert first.text.startswith(passage)
    assert TEXT[first.start : first.end] == first.text


def test_a_claim_about_something_else_is_not_located() -> None:
    support = assess_support("Whales sing louder in shipping lanes [3].", SOURCE)
    assert support.outcome is SupportOutcome.NOT_LOCATED
    assert support.passages == ()


@pytest.mark.parametrize(
    ("claim", "outcome", "in_abstract"),
    [
        ("“Deep networks generalise well even when they can fit” [3].", "quote_verified", "quote_verified"),
        ("„deep networks generalise well even when they can fit“ [3].", "quote_verified", "quote_verified"),
        ("« Mortality at 90 days was 24.3% in patients » [3].", "alarm", "alarm"),
        ('"The treatment was associated with a lower risk of bleeding" [3].', "alarm", "alarm"),
        ('"Shallow forests never generalise beyond their own training sets" [3].', "alarm", "not_located"),
    ],
)  # fmt: skip
def test_quotations(claim: str, outcome: str, in_abstract: str) -> None:
    assert assess_support(claim, SOURCE).outcome == outcome
    assert assess_support(claim, ABSTRACT).outcome == in_abstract


def test_a_quotation_on_another_page_is_an_alarm() -> None:
    paged = SourceText(TextExtent.FULL_TEXT, "p.pdf", TEXT + " " + "More words here. " * 9, (0, len(TEXT)))
    quote = "“deep networks generalise well even when they can fit random labels”"
    assert assess_support(f"{quote} (p. 1).", paged).outcome is SupportOutcome.QUOTE_VERIFIED
    support = assess_support(f"{quote} (p. 7).", paged)
    assert [(alarm.kind.value, alarm.claimed, alarm.found) for alarm in support.alarms] == [
        ("page", "7", "1")
    ]


@pytest.mark.parametrize(
    ("claim", "outcome", "kinds"),
    [
        ("Mortality at 90 days was 42% in patients with pre-ACLF [3].", "numbers_agree", []),
        ("Mortality at 90 days was about 40 percent in patients with pre-ACLF [3].", "numbers_agree", []),
        ("Mortality at 90 days was 61.5% in patients with pre-ACLF [3].", "alarm", ["number"]),
        ("Survival at 90 days was 57.7% in patients with pre-ACLF [3].", "evidence_located", []),  # the rest
        ("The treatment was associated with a lower risk of bleeding [3].", "alarm", ["negation"]),
        ("The treatment was not associated with a lower risk of bleeding [3].", "evidence_located", []),
    ],
)
def test_numbers_and_negations(claim: str, outcome: str, kinds: list[str]) -> None:
    support = assess_support(claim, SOURCE)
    assert (support.outcome.value, [alarm.kind.value for alarm in support.alarms]) == (outcome, kinds)


def test_an_opposite_direction_is_an_alarm() -> None:
    text = SourceText(
        TextExtent.FULL_TEXT, "a", "Aspirin use increased the risk of gastric bleeding in adults."
    )
    support = assess_support("Aspirin use decreased the risk of gastric bleeding in adults [1].", text)
    assert [(one.kind.value, one.claimed, one.found) for one in support.alarms] == [
        ("direction", "decreased", "increased")
    ]


LONG = (
    "Sailors were at sea for 12 weeks. The incidence of gastric bleeding was higher in adults than in "
    "children, and a lower dose did not increase the rate of relapse in 24 weeks."
)


@pytest.mark.parametrize(
    ("changed", "kinds"),
    [
        (("24 weeks", "12 weeks"), ["number"]),  # the text has 12 weeks, but of another thing
        (("higher in", "lower in"), ["direction"]),  # there are other directions and a negation
        (("gastric", "stomach"), []),
        (("24 weeks", "about 25 weeks"), []),
    ],
)
def test_one_change_in_the_same_sentence(changed: tuple[str, str], kinds: list[str]) -> None:
    claim = LONG.partition("weeks. ")[2].replace(*changed)
    support = assess_support(claim, SourceText(TextExtent.FULL_TEXT, "a", LONG))
    assert [alarm.kind.value for alarm in support.alarms] == kinds


def test_a_passage_that_says_much_more_is_no_alarm() -> None:
    text = SourceText(
        TextExtent.FULL_TEXT,
        "a",
        "The lack of polarity in human BRCA2 function differs from analogs such as RecFOR and Brh2, which "
        "load RecA and Rad51, specifically onto the overhanging ends of single strands of coli RecF.",
    )
    support = assess_support("Human BRCA2 functions as an analog of coli RecF [1].", text)
    assert support.passages
    assert support.alarms == ()


def test_length_does_not_count() -> None:
    short = "Aspirin lowers fever in children."
    long = f"{short[:-1]} and adults, as many trials of the last decades in several countries have found."
    index = index_passages(SourceText(TextExtent.FULL_TEXT, "a", f"{short} {long}"))
    scores = {one.coverage for one in rank_passages("Aspirin lowers fever in children [1].", index)}
    assert scores == {1.0}


def test_a_reranker_changes_the_order() -> None:
    def prefer_last(claim: str, passages: Sequence[str]) -> list[float]:
        assert claim
        return [float("48 centres" in passage) for passage in passages]

    claim = "Patients had a high mortality, and patients were enrolled in several centres."
    first = assess_support(claim, SOURCE).passages[0]
    assert prefer_last(claim, [first.text]) == [1.0]
    assert (
        assess_support(claim, SOURCE, lambda _, read: [float("Mortality" in one) for one in read])
        .passages[0]
        .text.startswith("Mortality")
    )
