"""What changed since a stale code citation was written: the cited version from history, compared with now.

Of a file that is not there any more: deleted or renamed, by which commit.
"""

from __future__ import annotations

from dataclasses import replace

from citeproof.corpus.code import is_digest_prefix, is_valid_hash
from citeproof.corpus.code.blobs import MOST
from citeproof.corpus.code.drift import VersionComparison, VersionPair
from citeproof.corpus.code.git_log import FileRemoval, FileVersion
from citeproof.corpus.code.history import FileHistory
from citeproof.corpus.code.repository import AGAIN, GitError
from citeproof.corpus.corpus_types import CitationMark, Drift, LineChange
from citeproof.corpus.project_root import Artefact, ProjectRoot
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import CitationReason

_RENAMES = 5  # one after the other that are followed
_SHOWN = 200  # characters of a name


def find_citation_drift(
    root: ProjectRoot, history: FileHistory | None, mark: CitationMark, artefact: Artefact
) -> Drift:
    """Return what became of what a stale or missing citation cites, or why that is unknown."""
    if not artefact.there:
        return explain_removal(history, mark, artefact)
    if is_digest_prefix(artefact.sha256, mark.hash):  # malformed, but of this very content
        return Drift(
            LineChange.UNCHANGED, mark.lines, detail="the hash is malformed; the file has not changed"
        )
    if not is_valid_hash(mark.hash):  # a few digits would fit contents that no one meant
        return Drift(
            LineChange.UNKNOWN, detail="a malformed hash cannot be searched in the history of the file"
        )
    if history is None:
        return Drift(LineChange.UNKNOWN, detail="the history of the file was not searched")
    key = (artefact.path, mark.hash, artefact.sha256)
    pair = history.comparisons.pair(key, lambda: _load_version_pair(root, history, mark, artefact))
    if isinstance(pair, str):
        return Drift(LineChange.UNKNOWN, detail=pair)
    try:
        drift = history.comparisons.find_drift(pair.both, mark.lines)
    except GitError as error:
        return Drift(LineChange.UNKNOWN, detail=str(error))
    then, detail = pair.version, _describe_drift(drift, pair.version)
    return replace(drift, commit=then.commit, date=then.date, commits=then.commits_since, detail=detail)


def is_transient(drift: Drift) -> bool:
    """Return whether it is unknown for a reason that another run may not have: then it is not stored."""
    return drift.change is LineChange.UNKNOWN and drift.detail.endswith(AGAIN)


def _load_version_pair(
    root: ProjectRoot, history: FileHistory, mark: CitationMark, artefact: Artefact
) -> VersionPair | str:
    """Return the cited version with the file as it is now, or why there is none."""
    if artefact.size > MOST:
        return f"the file is larger than {MOST / 1e6:g} MB, too large to compare"
    path = root.resolve_path(artefact.path)
    new = root.data(artefact.path)
    if path is None or new is None:
        return f"the file can no longer be read{AGAIN}"
    version = history.version(path, mark.hash)
    if version is None:
        return history.explain_missing(path)
    return VersionPair(version, VersionComparison(version.data, new))


def _describe_drift(drift: Drift, version: FileVersion) -> str:
    said = {
        LineChange.UNCHANGED: "the file changed elsewhere; the cited lines are unchanged",
        LineChange.MOVED: f"the cited lines are now at {drift.lines}",
        LineChange.WHITESPACE: f"only white space changed{drift.lines and '; now at ' + drift.lines}",
        LineChange.CONTENT: "what was cited has changed",
        LineChange.REMOVED: "the cited lines are gone",
        LineChange.UNKNOWN: "it is unknown what changed",
    }[drift.change]
    then = f"{version.commit[:12]} of {version.date[:10]}"
    if count := version.commits_since:
        said += f"; {count} commit{'s' * (count != 1)} changed the file since {then}"
    else:
        said += f"; the change since {then} is not committed"
    return f"{said}; {drift.detail}" if drift.detail else said


def explain_removal(history: FileHistory | None, mark: CitationMark, artefact: Artefact) -> Drift:
    """Return what took a file away that a citation with a hash names; unknown if nothing of it is known.

    It rests on commits alone. A look that failed is not worth another one in each run: it is no passing
    failure.
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
