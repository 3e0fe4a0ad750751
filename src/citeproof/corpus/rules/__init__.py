"""The rules: one kind of citation or statement a file. The order matters: what citations mean comes first."""

from __future__ import annotations

from citeproof.corpus.desk import Desk
from citeproof.corpus.rules import (
    age,
    authors,
    claims,
    code,
    dois,
    language,
    mentions,
    pages,
    quotes,
    refs,
    size,
)

_RESOLVING = (mentions.check, refs.check, dois.check, authors.check)


def apply(desk: Desk) -> None:
    """Apply every rule that the mode asks for."""
    _apply(desk)
    size.check(desk)


def _apply(desk: Desk) -> None:
    if desk.mode.code_only:
        code.check(desk)
        return
    if desk.mode.corpus_only:
        mentions.check(desk)
    else:
        for check in _RESOLVING:
            check(desk)
        code.check(desk)
    quotes.check(desk)
    pages.check(desk)
    language.check(desk)
    age.check(desk)
    if not desk.mode.corpus_only:
        claims.check(desk)  # when it is known which citations name nothing
