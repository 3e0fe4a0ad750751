"""What a model reads about the tools is fixed: a change must be seen and meant."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from citeproof.errors import UsageError
from citeproof.surfaces.mcp.tool_list import SCHEMAS, list_tools, load_tool_texts
from citeproof.surfaces.mcp.tool_server import list_prompts, list_resources, read_resource, write_prompt

ROOT = Path(__file__).parents[2]
SNAPSHOT = Path(__file__).parents[1] / "fixtures" / "mcp" / "tools.json"
# Of all that is sent about the tools: a new one is for a change that a person has read.
HASH = "743c73b152a6ca819223d82fe6e1d424b49be714313de274d4b3d6df1b691970"
ANNOTATIONS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}


def dump_tools() -> list[dict[str, object]]:
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in list_tools()]


def test_the_list_of_tools_is_the_one_that_was_read():
    assert dump_tools() == json.loads(SNAPSHOT.read_text("utf-8"))


def test_the_hash_of_all_texts():
    parts = [dump_tools(), load_tool_texts(), [one.model_dump(mode="json") for one in list_prompts()]]
    parts += [read_resource(str(one.uri)) for one in list_resources() if one.name != "reasons"]
    parts += [write_prompt(one.name, {a.name: "X" for a in one.arguments or []}) for one in list_prompts()]
    found = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    assert found == HASH, "a text of a tool, prompt or resource changed"


def test_the_input_schema_of_the_seed():
    (tool,) = [one for one in dump_tools() if one["name"] == "verifyCitation"]
    schema = tool["inputSchema"]
    fields = {
        name: {k: v for k, v in one.items() if k != "description"}
        for name, one in schema["properties"].items()
    }
    fifty = {"type": "string", "maxLength": 50}
    assert list(fields.items()) == [
        ("title", {"type": "string", "minLength": 1, "maxLength": 2000}),
        ("doi", {"type": "string", "maxLength": 200}),
        *((name, fifty) for name in ("pmid", "pmcid", "isbn", "arxiv", "issn", "ads")),
        ("whoIrisUrl", {"type": "string", "maxLength": 2000}),
        ("author", {"type": "string", "maxLength": 200}),
        ("year", {"type": "integer", "minimum": 0, "maximum": 9999}),
        ("container", {"type": "string", "maxLength": 500}),
        ("screenWithLlm", {"type": "boolean"}),
    ]
    assert (schema["required"], schema["additionalProperties"]) == (["title"], False)


@pytest.mark.parametrize("tool", dump_tools(), ids=lambda tool: tool["name"])
def test_every_tool(tool):
    assert tool["annotations"] == {"title": tool["title"], **ANNOTATIONS}
    assert tool["execution"] == {"taskSupport": "forbidden"}
    assert tool["inputSchema"]["additionalProperties"] is False
    assert "untrusted data" in tool["description"]
    Draft7Validator.check_schema(tool["inputSchema"])
    if "outputSchema" in tool:
        Draft202012Validator.check_schema(tool["outputSchema"])
    assert all(one.get("description") for one in tool["inputSchema"]["properties"].values())


def test_limits():
    assert SCHEMAS["checkRetraction"]["properties"]["id"]["maxLength"] == 500


def test_prompts_hold_their_arguments():
    assert {one.name for one in list_prompts()} == {"verify", "audit", "resolve", "retraction"}
    text = write_prompt("verify", {"citation": "{style} of {citation}"})[1]
    assert "{style} of {citation}" in text  # inserted once, and as it is
    for name, given in (("resolve", {}), ("none", {}), ("verify", {"citation": "x" * 200_001})):
        with pytest.raises(UsageError):
            write_prompt(name, given)


def test_resources():
    texts = {one.name: read_resource(str(one.uri)) for one in list_resources()}
    assert "`10.1038/nature14539`" in texts["identifiers"]
    assert "- `vancouver`" in texts["styles"]
    assert "- `not_found`: " in texts["verdicts"]
    assert "- `word_changed`: " in texts["reasons"]
    assert read_resource("citeproof://../secret") is None
    assert read_resource("file:///etc/passwd") is None


def test_every_tool_and_flag_is_documented():
    page = (ROOT / "docs" / "mcp.md").read_text("utf-8")
    assert all(f"`{tool['name']}`" in page for tool in dump_tools())
