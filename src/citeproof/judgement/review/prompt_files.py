"""Our instructions to language models: one file each, with its version in the first line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from citeproof.vocabulary import ModelTask


@dataclass(frozen=True, slots=True)
class PromptFile:
    """The instructions of one task. Another text needs another version: a test compares them."""

    version: str
    text: str


@cache
def load_prompt(task: ModelTask) -> PromptFile:
    """Return the instructions of `task`."""
    head, _, text = files(__package__).joinpath("prompts", f"{task}.md").read_text("utf-8").partition("\n")
    return PromptFile(head.removeprefix("version:").strip(), text.strip())
