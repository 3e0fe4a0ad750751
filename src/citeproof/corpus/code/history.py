"""What changed since a stale code citation was written: the cited version from git, compared with now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from citeproof.corpus.code import is_digest_prefix, is_valid_hash
from citeproof.corpus.code.drift import VersionComparison
from citeproof.corpus.code.git import AGAIN, MOST_CONTENT, GitError, TransientGitError, read_contents, run_git
from citeproof.corpus.corpus_types import CitationMark, Drift, LineChange
from citeproof.corpus.project_root import Artefact, ProjectRoot
from citeproof.plumbing.clock import Clock, SystemClock
from citeproof.text import lazy_patterns as re

IN_ALL = 60.0  # seconds that one run spends on reading and comparing versions
_HELD = 4  # comparisons that are stored, of up to twice `MOST_CONTENT`
_LOG = (
    *("log", "--find-renames", "-l200", "-c", "--raw", "--no-abbrev", "-z", "--format=%x01%H %cI"),
    *("--no-textconv", "--no-ext-diff", "--no-color", "--no-decorate", "--no-notes", "--no-show-signature"),
    *("--no-mailmap", "--no-relative", "--ignore-submodules"),
)
_HEAD = re.compile(rb"\x01([0-9a-f]{40,64}) ([0-9T:+-]{19,32}|[0-9T:-]{19}Z)")
# `:old-mode new-mode old-id new-id M`; a merge has one colon, mode and id for each parent more.
_RAW = re.compile(rb"\n?:{1,99}(?:[0-7]{6} ){2,99}(?:[0-9a-f]{40,64} ){1,99}([0-9a-f]{40,64}) ([A-Z])")
_ID = re.compile(r"[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One version of a file: the last commit that made it so, and how many changed the file since."""

    commit: str
    date: str
    data: bytes
    commits_since: int


class FileHistory:
    """The versions of the files of one root, for a limited time in all."""

    def __init__(self, root: Path, most: int = 500, *, clock: Clock | None = None) -> None:
        self._root, self._most, self._clock = root, most, clock or SystemClock()
        self._logs: dict[str, list[tuple[str, str, str]]] = {}
        self._held: dict[tuple[str, str, str], tuple[FileVersion, VersionComparison] | GitError] = {}
        self._spent = 0.0

    def find_drift(self, root: ProjectRoot, mark: CitationMark, artefact: Artefact) -> Drift:
        """Return what became of the lines that a stale citation cites; GitError if that is not known."""
        if self._spent > IN_ALL:
            raise TransientGitError(f"reading and comparing versions took longer than {IN_ALL:g} s in all")
        began = self._clock.elapsed()
        try:
            version, both = self._compare(root, mark.hash, artefact)
            drift = both.find_drift(mark.lines)
        finally:
            self._spent += self._clock.elapsed() - began
        detail, since = _describe_drift(drift, version), version.commits_since
        return replace(drift, detail=detail, commit=version.commit, date=version.date, commits=since)

    def find_version(self, path: str, cited: str) -> FileVersion:
        """Return the newest version of a file whose SHA-256 begins with `cited`; GitError if none does."""
        if not _ID.fullmatch(self.state[0]):
            raise GitError(self.state[0])
        if path not in self._logs:
            said = run_git(self._root, [*_LOG, "--follow", f"--max-count={self._most}", "--", path])
            self._logs[path] = list(_parse_log(said))
        versions, unread = self._logs[path], False
        with closing(read_contents(self._root, (blob for _, _, blob in versions))) as contents:
            for since, ((commit, date, _), data) in enumerate(zip(versions, contents, strict=True)):
                unread |= data is None
                for text in () if data is None else (data, _convert_to_crlf(data)):
                    if is_digest_prefix(sha256(text).hexdigest(), cited):
                        return FileVersion(commit, date, text, since)
        raise GitError(self._explain_missing(len(versions), unread=unread))

    def head(self) -> str:
        """Return what the answers depend on: the commit that is checked out, or why there is none."""
        commit, shallow = self.state
        return f"{commit}, shallow" if shallow else commit

    @cached_property
    def state(self) -> tuple[str, bool]:
        """The commit that is checked out, or why there is none; whether the clone is shallow."""
        try:
            said = run_git(self._root, ["rev-parse", "--is-shallow-repository", "HEAD^{commit}"]).split()
        except GitError as error:
            return str(error), False
        return said[-1].decode("ascii", "replace"), said[0] == b"true"

    def _compare(
        self, root: ProjectRoot, cited: str, artefact: Artefact
    ) -> tuple[FileVersion, VersionComparison]:
        """Return the cited version and its comparison with the file as it is now, made once."""
        key = artefact.path, cited, artefact.sha256
        if key not in self._held:
            if len(self._held) >= _HELD:
                del self._held[next(iter(self._held))]
            try:
                self._held[key] = self._load_comparison(root, cited, artefact)
            except GitError as error:
                self._held[key] = error
        pair = self._held[key]
        if isinstance(pair, GitError):
            raise pair
        return pair

    def _load_comparison(
        self, root: ProjectRoot, cited: str, artefact: Artefact
    ) -> tuple[FileVersion, VersionComparison]:
        if artefact.size > MOST_CONTENT:
            raise GitError(f"the file is larger than {MOST_CONTENT / 1e6:g} MB, too large to compare")
        path, new = root.resolve_path(artefact.path), root.data(artefact.path)
        if path is None or new is None:
            raise TransientGitError("the file can no longer be read")
        version = self.find_version(path, cited)
        return version, VersionComparison(version.data, new)

    def _explain_missing(self, count: int, *, unread: bool) -> str:
        if not count:
            return "the file was never committed"
        if count >= self._most:
            return f"the cited version is not among the last {self._most} of the file"
        if unread:
            limit = f"{MOST_CONTENT / 1e6:g} MB"
            return f"the cited version is not among the readable versions of up to {limit}"
        if self.state[1]:
            return "the cited version is not in this shallow clone; run `git fetch --unshallow`"
        if count == 1:
            return "the only committed version of the file differs from the cited one"
        return f"none of the {count} committed versions of the file is the cited one"


def find_citation_drift(
    root: ProjectRoot, history: FileHistory, mark: CitationMark, artefact: Artefact
) -> Drift:
    """Return what became of what a stale citation cites, or why that is unknown."""
    if is_digest_prefix(artefact.sha256, mark.hash):  # malformed, but of this very content
        detail = "the hash is malformed; the file has not changed"
        return Drift(LineChange.UNCHANGED, mark.lines, detail=detail)
    if not is_valid_hash(mark.hash):  # a few digits would fit contents that no one meant
        detail = "a malformed hash cannot be searched in the history of the file"
        return Drift(LineChange.UNKNOWN, detail=detail)
    try:
        return history.find_drift(root, mark, artefact)
    except GitError as error:
        return Drift(LineChange.UNKNOWN, detail=str(error))


def is_transient(drift: Drift) -> bool:
    """Return whether it is unknown for a reason that another run may not have: then it is not stored."""
    return drift.change is LineChange.UNKNOWN and drift.detail.endswith(AGAIN)


def _parse_log(said: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield commit, date and blob of each version in a log whose parts are ended by NULs."""
    commit = date = ""
    parts = iter(said.split(b"\0"))
    for part in parts:
        if head := _HEAD.fullmatch(part):
            commit, date = head[1].decode(), head[2].decode().replace("Z", "+00:00")
        elif raw := _RAW.match(part):
            for _ in range(1 + (raw[2] in b"RC")):  # the names, which may look like anything
                next(parts, b"")
            if raw[1].strip(b"0"):  # a commit that took the file away names no content
                yield commit, date, raw[1].decode()


def _convert_to_crlf(data: bytes) -> bytes:
    """Return text as a checkout with `core.autocrlf` writes it; what has such line ends stays."""
    return data if b"\r\n" in data else data.replace(b"\n", b"\r\n")


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
