"""Files in groups on the command line: `--from READER FILE… --from READER FILE…`.

click collects options and arguments apart and forgets their order, so the groups are distinguished
before it parses: each FILE becomes a hidden `--file READER<NUL>FILE`.
"""

from __future__ import annotations

from pathlib import Path

import click

from citeproof.errors import CiteproofError
from citeproof.index.coverage import parse_claim

_GROUP = "--from"
_CLAIM = "--covers"


class GroupedFiles(click.Command):
    """A command whose files belong to the `--from` before them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._ungroup_files(args))

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [f"{_GROUP} READER FILE… [{_GROUP} READER FILE…]…", *super().collect_usage_pieces(ctx)]

    def _ungroup_files(self, args: list[str]) -> list[str]:
        """Return `args` with each file marked by its reader, all other words in place."""
        valued = {
            name for p in self.params if isinstance(p, click.Option) and not p.is_flag for name in p.opts
        }
        done: list[str] = []
        reader, claiming, at = "", False, 0
        while at < len(args):
            word, following = args[at], args[at + 1 : at + 2]
            at += 1
            if word == _GROUP or word.startswith(f"{_GROUP}="):
                reader, claiming = word[len(_GROUP) + 1 :] or "".join(following), False
                at += word == _GROUP
                if not reader:
                    raise click.UsageError(f"{_GROUP} needs the name of a reader")
            elif word.startswith("-") and len(word) > 1:
                done += [word, *following] if word in valued else [word]
                at += word in valued
                claiming = word == _CLAIM
            elif claiming and _is_claim(word):
                done += [_CLAIM, word]
            elif reader:
                done += ["--file", f"{reader}\0{word}"]
            elif any(isinstance(param, click.Argument) for param in self.params):
                done.append(word)  # what comes before the groups is the command's own
            else:
                raise click.UsageError(f"{word!r} comes before any {_GROUP}: name its reader first")
        return done


def _is_claim(word: str) -> bool:
    """Return whether a word after `--covers CLAIM` is one more claim and not a file."""
    try:
        parse_claim(word)
    except CiteproofError:
        return False
    return not Path(word).exists()
