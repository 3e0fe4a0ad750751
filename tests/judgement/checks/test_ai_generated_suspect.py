"""Texts and dates => obvious traces of a program, or none."""

from __future__ import annotations

import pytest

from citeproof.judgement.checks.ai_generated_suspect import find_generated
from tests.judgement.checks.work_cases import make_evidence, make_record

CLASH = "dates_clash:accepted 2020-04-01, received 2020-05-01"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("abstract = {Certainly, here is a possible introduction for your topic: batteries}", "chatbot"),
        ("Summary. As an AI language model, I do not have access to patients.", "chatbot"),
        ("As of my last knowledge update in 2021 the treatment was new.", "chatbot"),
        ("The results are clear. Regenerate response", "chatbot"),
        ("I’m very sorry, but I don’t have access to real-time information.", "chatbot"),
        ("We use {counterfeit consciousness} and colossal\n information.", "tortured_phrases"),
        ("An irregular timberland finds bosom peril sooner than gullible Bayes.", "tortured_phrases"),
    ],
)
def test_traces(text, kind):
    found = find_generated(make_evidence(text))
    assert found is not None
    assert (found.kind, found.source) == (kind, "document")
    assert found.evidence[0].startswith("document: ")


@pytest.mark.parametrize(
    "text",
    [
        "As an AI language model, I cannot: investigating LLM denials of user requests",
        "Phrases such as “As an AI language model, I” show up in papers.",
        "ChatGPT left its mark: “Certainly, here is a” and “regenerate response” in journals.",
        "Tortured phrases: counterfeit consciousness, colossal information and bosom peril in the literature",
        "Colossal information about glaciers",  # one alone
        "Certainly here. I am sorry for your loss, but they say so. The response was regenerated.",
        "As a language, it has few vowels. As a model, I chose mice.",
        "The organization of neural circuits; hereditary spastic paraplegia; relapse in the immense woodland",
    ],
)
def test_no_traces(text):
    assert find_generated(make_evidence(text)) is None


def test_a_title_alone_is_not_enough():
    title = "Certainly, here is a title"
    assert find_generated(make_evidence(f"A. Person. {title}. 2024", title=title)) is None
    twice = make_evidence(f"{title}: counterfeit consciousness", title=f"{title}: counterfeit consciousness")
    assert find_generated(twice)


def test_dates_are_one_fact():
    record = make_record(marks=(CLASH,))
    assert find_generated(make_evidence(record=record)) is None
    found = find_generated(make_evidence("On counterfeit consciousness", record=record))
    assert found is not None
    assert found.evidence == (
        "document: “counterfeit consciousness” for “artificial intelligence”",
        "crossref: accepted 2020-04-01, received 2020-05-01",
    )


def test_the_title_of_the_record_counts_once():
    title = "Counterfeit consciousness in education"
    assert find_generated(make_evidence(title, title=title, record=make_record(title))) is None
