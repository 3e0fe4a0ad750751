"""What became of a cited file that is not there any more: deleted or renamed, by which commit."""

from __future__ import annotations

from citeproof.corpus.code.git_log import FileRemoval
from citeproof.corpus.code.history import FileHistory
from citeproof.corpus.code.repository import GitError
from citeproof.corpus.corpus_types import CitationMark, Drift, LineChange
from citeproof.corpus.project_root import Artefact
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import CitationReason

_RENAMES = 5  # one after the other that are followed
_SHOWN = 200  # characters of a name


def explain_removal(history: FileHistory | None, mark: CitationMark, artefact: Artefact) -> Drift:
    """Return what took a file away that a citation with a hash names; unknown if nothing of it is known.

    It rests on commits alone. A look that failed is not worth another one in each run: it is not told as a
    passing failure.
    """
    if history is None or artefact.reason != CitationReason.NOT_FOUND or not mark.hash:
        return Drift(LineChange.UNKNOWN, detail="the history of the file was not searched")
    path = "/".join(part for part in artefact.path.split("/") if part not in {"", "."})
    try:
        steps = _follow_renames(history, path)
    except GitError:
        steps = []
    if not steps:
        return Drift(LineChange.UNKNOWN, detail="the history has no such file")
    return Drift(LineChange.REMOVED, detail=_describe_removal(history, mark, steps))


def _follow_renames(history: FileHistory, path: str) -> list[FileRemoval]:
    """Return how a file went away, and whatever it was renamed to, up to a name of the last commit."""
    steps = list[FileRemoval]()
    while path and len(steps) < _RENAMES and (step := history.find_removal(path)) is not None:
        if not step.commit and steps:
            break  # it is there under this name
        steps.append(step)
        path = step.to
    return steps


def _describe_removal(history: FileHistory, mark: CitationMark, steps: list[FileRemoval]) -> str:
    last, named = steps[-1], [step.to for step in steps if step.to]
    if not last.commit:
        return "it is in the last commit; its removal is not committed"
    when = f"by {last.commit[:12]} of {last.date[:10]}"
    if not last.to:
        before = (
            f"it was renamed to {show_one_line(named[-1])[:_SHOWN]}, and that was " if named else "it was "
        )
        return f"{before}deleted {when}"
    version = history.version(last.to, mark.hash)
    same = ", with the cited content" if version is not None and not version.commits_since else ""
    return f"it was renamed to {show_one_line(last.to)[:_SHOWN]} {when}{same}"
