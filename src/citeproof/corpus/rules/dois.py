"""DOIs: well formed, and known to the sources of the engine.

Whether they exist is asked once for all documents, after all were read: see `corpus/existence.py`.
"""

from __future__ import annotations

import re

from citeproof.corpus.desk import Desk
from citeproof.corpus.entries import Entry
from citeproof.corpus.nouns import Act, Mark, Pattern, Pending, Remedy, Status
from citeproof.corpus.page.doi import shorter
from citeproof.text import doi

_FORM = re.compile(r"10\.\d{4,}/\S+")
_LONGEST = 2048


def check(desk: Desk) -> None:
    """Note every DOI that is malformed; leave the others to be asked about."""
    for mark in desk.marks(Pattern.DOI):
        normal = doi.normal(mark.target) if len(mark.target) <= _LONGEST else None
        if normal is None or not _FORM.fullmatch(normal):
            _malformed(desk, mark)
            continue
        desk.means[mark] = entries = _entries(desk, normal)
        if desk.asking.layout.dois == "format":
            desk.cite(
                mark, Status.VERIFIED, reason="format", detail="well formed; its existence was not asked"
            )
            continue
        grade = next((grade for entry in entries if (grade := desk.asking.grade(entry))), None)
        desk.pending.append(
            Pending(
                normal,
                mark.span,
                mark.whole,
                mark.raw,
                *desk.page.place(mark.span.start, mark.span.end),
                desk.page.words(mark.sentence),
                entries[0].path if entries else "",
                grade,
                mark.kept,
                mark.spoken,
            )
        )


def _entries(desk: Desk, known: str) -> tuple[Entry, ...]:
    """Return the entries with a DOI, or with its shorter form."""
    short = shorter(known)
    return desk.asking.doi(known) or (desk.asking.doi(short) if short else ())


def _malformed(desk: Desk, mark: Mark) -> None:
    detail = "not a DOI: 10., four digits or more, a slash and a suffix"
    number = desk.cite(mark, Status.MALFORMED, reason="invalid_format", detail=detail)
    desk.tell(
        "malformed-doi",
        mark.span,
        mark.sentence,
        source=mark.raw,
        message=detail,
        fix="Write the DOI as its registry does, like 10.1038/nature14539.",
        remedy=Remedy(Act.TODO, mark.whole.start, mark.whole.end, f"{mark.raw} is not a DOI"),
        cited=number,
    )
