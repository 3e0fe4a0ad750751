"""What changed since a stale code citation was written: the cited version from history, compared with now."""

from __future__ import annotations

from dataclasses import replace

from citeproof.corpus.code import begins, formed
from citeproof.corpus.code.blobs import MOST
from citeproof.corpus.code.comparing import Pair
from citeproof.corpus.code.drift import Comparison
from citeproof.corpus.code.failure import AGAIN, GitError
from citeproof.corpus.code.fate import gone
from citeproof.corpus.code.history import History
from citeproof.corpus.code.log import Version
from citeproof.corpus.nouns import Change, Drift, Mark
from citeproof.corpus.rooted import Artefact, Root


def drift_of(root: Root, history: History | None, mark: Mark, artefact: Artefact) -> Drift:
    """Return what became of what a stale or missing citation cites, or why that is unknown."""
    if not artefact.there:
        return gone(history, mark, artefact)
    if begins(artefact.sha256, mark.hash):  # malformed, but of this very content
        return Drift(Change.UNCHANGED, mark.lines, detail="the hash is malformed; the file has not changed")
    if not formed(mark.hash):  # a few digits would fit contents that nobody meant
        return Drift(Change.UNKNOWN, detail="a malformed hash is not looked for in the history of the file")
    if history is None:
        return Drift(Change.UNKNOWN, detail="the history of the file was not looked at")
    key = (artefact.path, mark.hash, artefact.sha256)
    pair = history.comparisons.pair(key, lambda: _pair(root, history, mark, artefact))
    if isinstance(pair, str):
        return Drift(Change.UNKNOWN, detail=pair)
    try:
        found = history.comparisons.drift(pair.both, mark.lines)
    except GitError as error:
        return Drift(Change.UNKNOWN, detail=str(error))
    return replace(
        found,
        commit=pair.version.commit,
        date=pair.version.date,
        commits=pair.version.commits_since,
        detail=_sentence(found, pair.version),
    )


def transient(drift: Drift) -> bool:
    """Return whether it is unknown for a reason that another run may not have: such an answer is not kept."""
    return drift.change is Change.UNKNOWN and drift.detail.endswith(AGAIN)


def _pair(root: Root, history: History, mark: Mark, artefact: Artefact) -> Pair | str:
    """Return the cited version with the file as it is now, or why there is none."""
    if artefact.size > MOST:
        return f"the file is larger than {MOST / 1e6:g} MB, too large to be compared"
    path = root.real(artefact.path)
    new = root.data(artefact.path)
    if path is None or new is None:
        return f"the file cannot be read any more{AGAIN}"
    version = history.version(path, mark.hash)
    if version is None:
        return history.why(path)
    return Pair(version, Comparison(version.data, new))


def _sentence(found: Drift, version: Version) -> str:
    said = {
        Change.UNCHANGED: "the file changed elsewhere; the cited lines stand where they stood",
        Change.MOVED: f"the cited lines stand at {found.lines} now",
        Change.WHITESPACE: f"only white space changed{found.lines and '; now at ' + found.lines}",
        Change.CONTENT: "what was cited has changed",
        Change.REMOVED: "the cited lines are gone",
        Change.UNKNOWN: "it cannot be told what changed",
    }[found.change]
    then = f"{version.commit[:12]} of {version.date[:10]}"
    if count := version.commits_since:
        said += f"; {count} commit{'s' * (count != 1)} changed the file since {then}"
    else:
        said += f"; the change since {then} is not committed"
    return f"{said}; {found.detail}" if found.detail else said
