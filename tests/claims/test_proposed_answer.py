"""What models and their APIs give is read as one answer; prompt, schema and tools say what is wanted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from citeproof.claims.proposed_answer import (
    PROMPT,
    TOOL,
    ProposedAnswer,
    build_answer_schema,
    build_answer_tool,
    build_strict_schema,
    list_answer_works,
    read_answer,
)
from citeproof.errors import InputError, UsageError

SPEC = Path(__file__).parents[2] / "docs" / "spec"
ANSWER = {"text": "It works [[cite:a]].", "citations": [{"key": "a", "title": "A work", "doi": "10.1000/x"}]}
CALL = {"name": TOOL, "arguments": json.dumps(ANSWER)}


@pytest.mark.parametrize(
    "given",
    [
        ANSWER,
        json.dumps(ANSWER),
        json.dumps(ANSWER).encode(),
        {"choices": [{"message": {"content": None, "tool_calls": [{"type": "function", "function": CALL}]}}]},
        {"type": "function", "function": CALL},
        {"output": [{"type": "reasoning", "content": []}, {"type": "function_call", **CALL}]},
        {
            "content": [
                {"type": "text", "text": "I will."},
                {"type": "tool_use", "name": TOOL, "input": ANSWER},
            ]
        },
        {"type": "tool_use", "name": TOOL, "input": ANSWER},
        {"method": "tools/call", "params": {"name": TOOL, "arguments": ANSWER}},
        {"choices": [{"message": {"content": json.dumps(ANSWER)}}]},
    ],
)
def test_tool_calls_and_replies_of_every_format(given):
    read = read_answer(given)
    assert read.text == ANSWER["text"]
    assert [(one.key, one.doi) for one in read.citations] == [("a", "10.1000/x")]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("Plain [[cite:a]].", "Plain [[cite:a]]."),
        ({"choices": [{"message": {"content": "Plain."}}]}, "Plain."),
        ({"content": [{"type": "text", "text": "One. "}, {"type": "text", "text": "Two."}]}, "One. Two."),
        ("", ""),
    ],
)
def test_plain_texts(given, text):
    assert read_answer(given) == ProposedAnswer(text=text)


@pytest.mark.parametrize(
    "given",
    [
        None,
        7,
        {},
        {"words": "x"},
        {"text": 7, "citations": []},
        '{"text": "cut',
        '{"text": "x", "citations": 7}',
        "x" * 2_000_001,
    ],
)
def test_what_is_no_answer_is_an_error_with_a_hint(given):
    with pytest.raises(InputError) as caught:
        read_answer(given)
    assert caught.value.hint


def test_works_have_their_keys_and_numbers():
    titles = [
        {"key": "b", "title": "B"},
        {"title": "C"},
        {"key": "1", "title": "D"},
        {"key": "b", "title": "E"},
    ]
    answer = read_answer({"text": "", "citations": titles})
    named = {key: work.references[0].claimed.title for key, work in list_answer_works(answer).items()}
    assert named == {"1": "D", "2": "C", "3": "D", "4": "E", "b": "B"}


def test_the_schema_is_the_published_one_and_the_strict_one_fits_into_it():
    published = json.loads((SPEC / "answer.schema.json").read_text())
    assert published == build_answer_schema()
    Draft202012Validator(published).validate(ANSWER)
    strict = {**ANSWER["citations"][0], "authors": [], "year": None, "arxiv": None}
    Draft202012Validator(build_strict_schema()).validate({**ANSWER, "citations": [strict]})
    assert read_answer({**ANSWER, "citations": [strict]}).citations[0].title == "A work"


@pytest.mark.parametrize(
    ("form", "schema"),
    [
        ("openai", lambda tool: tool["function"]["parameters"]),
        ("openai-responses", lambda tool: tool["parameters"]),
        ("anthropic", lambda tool: tool["input_schema"]),
        ("mcp", lambda tool: tool["inputSchema"]),
    ],
)
def test_tools_are_plain_dicts(form, schema):
    tool = json.loads(json.dumps(build_answer_tool(form)))
    assert schema(tool) == build_strict_schema()
    assert tool.get("name") or tool["function"]["name"] == TOOL
    with pytest.raises(UsageError, match="tool format"):
        build_answer_tool("nobody")


def test_the_prompt_asks_for_markers_and_nothing_else():
    assert "[[cite:KEY]]" in PROMPT
    assert "no reference list" in PROMPT
