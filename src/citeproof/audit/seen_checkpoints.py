"""What this log has seen of other logs: the largest checkpoint of each."""

from __future__ import annotations

from pathlib import Path

import msgspec

from citeproof.audit import run_files
from citeproof.errors import AuditError
from citeproof.typed_decoding import decode_json

OBSERVED = "observed"  # the run of what was seen of other logs


class SeenCheckpoint(msgspec.Struct, frozen=True):
    """A `checkpoint` event, as far as the next one builds on it."""

    ev: str
    origin: str = ""
    size: int = 0
    root: str = ""
    key: str = ""


def make_checkpoint_event(seen: SeenCheckpoint) -> dict[str, object]:
    """Return the event that tells of the checkpoint."""
    return msgspec.to_builtins(seen)  # type: ignore[no-any-return]


def find_last_seen(folder: Path) -> dict[str, SeenCheckpoint]:
    """Return the largest checkpoint of every other log that this log has seen."""
    best: dict[str, SeenCheckpoint] = {}
    try:
        with run_files.make_run_path(folder, OBSERVED).open("rb") as file:
            for line in file:
                seen = decode_json(line, type=SeenCheckpoint)
                if seen.ev == "checkpoint" and seen.size >= best.get(seen.origin, seen).size:
                    best[seen.origin] = seen
    except FileNotFoundError:
        return best
    except (OSError, msgspec.DecodeError) as error:
        raise AuditError(
            f"cannot be read: {error}",
            place=str(folder / f"{OBSERVED}.jsonl"),
            hint="run `citeproof audit verify`",
        ) from error
    return best
