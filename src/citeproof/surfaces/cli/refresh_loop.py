"""`lists update --every`: one line a refresh, until Ctrl-C or SIGTERM."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Sequence
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

from citeproof import serializers
from citeproof.clock import SystemClock
from citeproof.settings import Settings

if TYPE_CHECKING:
    from citeproof.index.lists.list_home import ListHome
    from citeproof.service.list_update import RefreshOutcome


def run_refresh_loop(chosen: Settings, homes: Sequence[ListHome], seconds: float, form: str) -> None:
    """Refresh the lists until somebody ends it; a download that is under way goes on the next time."""
    from citeproof.service.list_update import keep_refreshing  # noqa: PLC0415 - needs the network

    before = signal.signal(signal.SIGTERM, _end_loop)
    try:
        tell = partial(_print_outcome, form)
        keep_refreshing(chosen, SystemClock(), seconds, tell, threading.Event(), homes=homes)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    finally:
        signal.signal(signal.SIGTERM, before)


def _end_loop(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt


def _print_outcome(form: str, outcome: RefreshOutcome) -> None:
    line = serializers.dumps(outcome.json()).decode() if form == "json" else outcome.describe()
    print(line, flush=True)
