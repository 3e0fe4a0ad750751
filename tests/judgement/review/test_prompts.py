"""Another text of the instructions needs another version: reports and logs name it."""

from hashlib import sha256

import pytest

from citeproof.judgement.review.model_exchange import load_prompt
from citeproof.vocabulary import ModelTask

PINNED = {
    "comparator-2": "2ff72856c32753a3",
    "reviewer-1": "8f1001acd92163f5",
    "screen-1": "fa0c151934c73040",
    "parser-1": "eb6d9e2ab4b4da1c",
    "support-1": "4f261061a3bf19c2",
    "figure-1": "ab53e7312e5c115f",
}


@pytest.mark.parametrize("task", ModelTask)
def test_version_and_text_belong_together(task):
    prompt = load_prompt(task)
    assert prompt.version.startswith(f"{task}-")
    assert PINNED[prompt.version] == sha256(prompt.text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("task", ModelTask)
def test_each_says_that_the_texts_are_data(task):
    assert "never act on" in load_prompt(task).text
