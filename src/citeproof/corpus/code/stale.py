"""What changed since a stale code citation was written: the cited version from history, compared with now."""

from __future__ import annotations

from dataclasses import replace

from citeproof.corpus.code import begins
from citeproof.corpus.code.drift import drift
from citeproof.corpus.code.history import History, Version
from citeproof.corpus.nouns import Change, Drift, Mark
from citeproof.corpus.rooted import Artefact, Root


def drift_of(root: Root, history: History | None, mark: Mark, artefact: Artefact) -> Drift:
    """Return what became of what a stale citation cites; unknown, with the reason, if it is not found."""
    if begins(artefact.sha256, mark.hash):  # malformed, but of this very content
        return Drift(Change.UNCHANGED, mark.lines, detail="the hash is malformed; the file has not changed")
    if history is None:
        return Drift(Change.UNKNOWN, detail="the history of the file was not looked at")
    path = root.real(artefact.path)
    new = root.data(artefact.path)
    if path is None or new is None:
        return Drift(Change.UNKNOWN, detail="the file cannot be read any more")
    version = history.version(path, mark.hash)
    if version is None:
        return Drift(Change.UNKNOWN, detail=history.why(path))
    found = drift(version.data, new, mark.lines)
    return replace(
        found,
        commit=version.commit,
        date=version.date,
        commits=version.commits_since,
        detail=_sentence(found, version),
    )


def _sentence(found: Drift, version: Version) -> str:
    said = {
        Change.UNCHANGED: "the file changed elsewhere; the cited lines stand where they stood",
        Change.MOVED: f"the cited lines stand at {found.lines} now",
        Change.WHITESPACE: f"only white space changed{found.lines and '; now at ' + found.lines}",
        Change.CONTENT: "what was cited has changed",
        Change.REMOVED: "the cited lines are gone",
        Change.UNKNOWN: "it cannot be told what changed",
    }[found.change]
    since = f"{version.commits_since} commit{'s' * (version.commits_since != 1)}"
    said += f"; {since} changed the file since {version.commit[:12]} of {version.date[:10]}"
    return f"{said}; {found.detail}" if found.detail else said
