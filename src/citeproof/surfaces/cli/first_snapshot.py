"""What a first run offers: without a snapshot, to build the starter before it goes on."""

from __future__ import annotations

import sys

import click

from citeproof.plumbing.own_files import make_private_folder
from citeproof.settings import Settings

_DECLINED = "starter-declined"  # a file of the cache: who said no is not asked again
_OFFER = (
    "There is no snapshot yet: nothing can be checked offline, and every lookup takes the network.\n"
    "Build the starter, 210,000 works from open data (a download of 77 MB, two to four minutes)?"
)
_HINT = "hint: a snapshot decides many references without the network: citeproof index starter makes one"


def offer_starter(chosen: Settings) -> None:
    """Build the starter where there is no snapshot and the person at the terminal wants it."""
    watched, declined = sys.stdin.isatty() and sys.stderr.isatty(), chosen.cache_dir / _DECLINED
    if not watched or chosen.offline or chosen.list_snapshot_folders() or declined.exists():
        return
    if click.confirm(_OFFER, default=False, err=True):
        from citeproof.surfaces.cli.index import build_own_starter  # noqa: PLC0415 - few say yes, once

        build_own_starter(chosen)
        return
    make_private_folder(chosen.cache_dir)
    declined.touch()
    print("citeproof index starter builds it later", file=sys.stderr)


def print_starter_hint(chosen: Settings, unchecked: int, *, told: bool = True) -> None:
    """Print what would have helped, where references could not be checked; `told`: the report may say it."""
    silent = told and (chosen.offline or sys.stderr.isatty())  # or the person has been asked
    if unchecked and not silent and not chosen.list_snapshot_folders():
        print(_HINT, file=sys.stderr)
