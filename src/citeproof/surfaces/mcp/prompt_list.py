"""The prompts of the door; their texts are in prompt_texts.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mcp_types import Prompt, PromptArgument

from citeproof.errors import UsageError
from citeproof.text.package_tables import load_package_table

MAX_ARGUMENT = 200_000  # characters
_SLOT = re.compile(r"\{([a-z]{1,20})\}")


def _load_prompts() -> dict[str, Any]:
    return load_package_table(__package__, "prompt_texts.toml")


def list_prompts() -> list[Prompt]:
    """Return every prompt with its arguments."""
    return [
        Prompt(
            name=name,
            title=told["title"],
            description=told["description"],
            arguments=[
                PromptArgument(name=argument, description=about, required=required)
                for part, required in (("arguments", True), ("optional", False))
                for argument, about in told.get(part, {}).items()
            ],
        )
        for name, told in _load_prompts().items()
    ]


def write_prompt(name: str, given: Mapping[str, str]) -> tuple[str, str]:
    """Return the description of a prompt and its text with the arguments in it; UsageError without one."""
    told = _load_prompts().get(name)
    if told is None:
        hint = f"one of {', '.join(_load_prompts())}"
        raise UsageError(f"unknown prompt {name[:60]!r}", place="name", hint=hint)
    values = {**told.get("defaults", {}), **{key: value for key, value in given.items() if value}}
    missing = [key for key in told["arguments"] if key not in values]
    if missing:
        raise UsageError("is missing", place=missing[0], hint=told["arguments"][missing[0]])
    long = next((key for key, value in values.items() if len(value) > MAX_ARGUMENT), None)
    if long:
        raise UsageError(f"is longer than {MAX_ARGUMENT:,} characters", place=long, hint="give a part of it")
    # One pass: braces in an argument stay what they are.
    return told["description"], _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), told["text"].strip())
