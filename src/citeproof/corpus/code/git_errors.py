"""Why the history of a file gave no answer; always caught and reported as a sentence."""

from __future__ import annotations

AGAIN = "; try again"  # ends the sentence of a failure that may not come again


class GitError(Exception):
    """Why there is no answer, as one sentence."""


class TransientGitError(GitError):
    """Why there is no answer this time; what rests on it is not kept."""

    def __init__(self, why: str) -> None:
        super().__init__(why + AGAIN)
