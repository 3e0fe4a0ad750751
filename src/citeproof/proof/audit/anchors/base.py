"""What an anchor is: a place outside the log that takes checkpoints and cannot be talked out of them.

One setting value names one anchor:

    folder:PATH                                   a folder; relative paths start at the log
    s3://BUCKET/PREFIX?days=N                     a bucket with object lock
        &endpoint=URL &region=R &profile=P &lock=off &timeout=S
    tsa:URL|roots=FILE                            a time-stamping authority (RFC 3161)
        |folder=PATH |timeout=S
    witness:URL|VKEY                              a witness that cosigns (c2sp.org/tlog-witness)
        |timeout=S

No secret is in them: boto3 finds credentials its own way, the others need none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast
from urllib.parse import urlsplit

from citeproof.errors import UsageError
from citeproof.plumbing.clock import Clock
from citeproof.proof.audit.run_lock import RUN
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_controls
from citeproof.vocabulary.quick_dataclass import dataclass

TIMEOUT = 10.0  # seconds for one exchange, unless the setting says otherwise
LARGEST = 1_000_000  # bytes of a checkpoint with all its signatures
SUFFIX = ".merkle"

_SKEW = 300.0  # seconds between our clock and an anchor's that are not worth a word
_HOUR = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}")
_KINDS = {"folder": "folder", "s3": "s3", "tsa": "timestamp", "witness": "witness"}  # kind: module
_AWAY = ("s3", "witness")  # what is only elsewhere; timestamps are stored here as well
_HINT = "write folder:PATH, s3://BUCKET/PREFIX?days=N, tsa:URL|roots=FILE or witness:URL|VKEY"

Proof = Callable[[int, int], list[bytes]]


@dataclass(frozen=True, slots=True)
class AnchorOutcome:
    """What became of one checkpoint at one anchor. `place` is where to look for it again."""

    name: str
    ok: bool
    place: str
    detail: str = ""
    cosignatures: tuple[bytes, ...] = ()  # signature lines to add to the published checkpoint


class HeldStatus(StrEnum):
    """What a `HeldCheckpoint` is worth to anyone who verifies the log."""

    HELD = "held"  # a checkpoint to compare the log with
    NOTED = "noted"  # nothing to compare, something to tell: a delete marker, a lock that is missing
    UNREAD = "unread"  # it could not be examined
    CONTRADICTED = "contradicted"  # the anchor knows that the log is not what it was


@dataclass(frozen=True, slots=True)
class HeldCheckpoint:
    """One thing that an anchor holds, or says; `checkpoint` is empty where there is none."""

    place: str
    checkpoint: bytes
    detail: str = ""
    standing: HeldStatus = HeldStatus.HELD


class Anchor(Protocol):
    """Takes checkpoints, and shows later which it has. Faults of the outside world are values."""

    name: str

    def put(self, run: str, hour: str, checkpoint: bytes) -> AnchorOutcome:
        """Return what became of `checkpoint`, in bounded time."""
        ...

    def list_held(self, run: str | None = None) -> Iterator[HeldCheckpoint]:
        """Yield what this anchor has, of one run or of all. Writes nothing here."""
        ...


@dataclass(frozen=True, slots=True)
class AnchorContext:
    """What anchors may need to know about the log they serve."""

    folder: Path
    clock: Clock
    proof: Proof | None = None  # (old size, new size) -> consistency proof; the log's own tiles otherwise
    proxy: str = ""
    offline: bool = False


class OfflineAnchor:
    """The anchor that a run without network has instead of a distant one."""

    def __init__(self, name: str, place: str) -> None:
        self.name, self._place = name, place

    def put(self, run: str, hour: str, checkpoint: bytes) -> AnchorOutcome:  # noqa: ARG002 - the Protocol's shape
        return AnchorOutcome(self.name, ok=False, place=self._place, detail="offline: nothing was sent")

    def list_held(self, run: str | None = None) -> Iterator[HeldCheckpoint]:  # noqa: ARG002 - the Protocol's shape
        yield HeldCheckpoint(self._place, b"", "offline: not asked", HeldStatus.UNREAD)


def make(text: str, around: AnchorContext) -> Anchor:
    """Return the anchor that one setting value names; UsageError with the hint for any other text."""
    kind, colon, target = text.strip().partition(":")
    if not colon or kind not in _KINDS or not target:
        raise UsageError(
            f"no anchor begins with {show_controls(kind[:20])!r}", place="audit_anchors", hint=_HINT
        )
    made = cast(
        "Callable[[str, AnchorContext], Anchor]", import_module(f"{__package__}.{_KINDS[kind]}").make_anchor
    )
    anchor = made(target, around)
    if around.offline and kind in _AWAY:
        return OfflineAnchor(anchor.name, getattr(anchor, "url", kind))
    return anchor


def make_setting_error(kind: str, what: str, hint: str) -> UsageError:
    """Return the error for a setting value; it never repeats the value, which may hold what it should not."""
    return UsageError(what, place=f"audit_anchors, {kind}", hint=hint)


def parse_options(kind: str, parts: list[str], known: tuple[str, ...]) -> dict[str, str]:
    """Return the options of a setting value by name."""
    options: dict[str, str] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if not equals or name not in known or name in options or not value:
            hint = f"the options are {', '.join(known)}, each once and with a value; keys and passwords never"
            raise make_setting_error(kind, f"{show_controls(name[:20])!r} is not an option here", hint)
        options[name] = value
    return options


def parse_timeout(kind: str, value: str | None) -> float:
    """Return a timeout that was set, or the usual one."""
    try:
        chosen = float(value) if value is not None else TIMEOUT
    except ValueError:
        chosen = 0.0
    if not 0.1 <= chosen <= 300:
        raise make_setting_error(
            kind, "its timeout is not a number of seconds", "write timeout=10, at most 300"
        )
    return chosen


def check_address(kind: str, url: str) -> str:
    """Return an http or https address without a user name in it."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or any(c.isspace() for c in url):
        raise make_setting_error(kind, "its address is invalid", "write https://host/path")
    if parts.username is not None or parts.password is not None:
        raise make_setting_error(
            kind, "its address contains a user name or password", "remove it: settings are not secret"
        )
    return url


def resolve_path(around: AnchorContext, path: str) -> Path:
    """Return `path`, which starts at the log's folder unless it is absolute."""
    return around.folder / Path(path).expanduser()


def describe_skew(around: AnchorContext, when: float) -> str:
    """Return how far the clock of an anchor is from ours; empty if they agree."""
    apart = abs(when - around.clock.now().timestamp())
    return f"; its clock differs from ours by {apart:.0f} s" if apart > _SKEW else ""


def check_commit_name(run: str, hour: str) -> None:
    """Raise ValueError for names that could lead elsewhere."""
    if not RUN.fullmatch(run) or not _HOUR.fullmatch(hour):
        raise ValueError(f"{run[:40]!r} at {hour[:20]!r} contains no commit")


def name_commit(hour: str, number: int) -> str:
    """Return the name of the `number`th commit of an hour, without its suffix."""
    return hour if number == 1 else f"{hour}-{number}"


def find_free_number(taken: Callable[[int], bool], after: int = 0) -> int:
    """Return a free number whose forerunner is taken, above `after`; of thousands, a few are asked for."""
    low, step = after, 1
    while taken(low + step):
        low, step = low + step, step * 2
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if taken(middle) else (low, middle)
    return high
