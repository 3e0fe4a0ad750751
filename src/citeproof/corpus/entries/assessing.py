"""Files that assess the quality of a source: what each is of, the level it gives, and when."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from citeproof.corpus.entries.base import Reading, Trouble
from citeproof.corpus.entries.fields import Fields, located, scalar
from citeproof.corpus.entries.front import fenced
from citeproof.corpus.entries.gather import MAX_FILES, METADATA, read
from citeproof.corpus.entries.grading import Graded, graded, written
from citeproof.corpus.entries.refs import named, number, ref_id, ref_in
from citeproof.corpus.layout import Layout
from citeproof.corpus.nouns import Grade

_BODY = 20_000  # characters of a text in which it says what it assesses
_AFFIX = re.compile(
    r"(?:^(?:quality|grade|assessment)(?:[-_](?:quality|grade|assessment|report)){0,2}[-_])"
    r"|(?:[-_.](?:quality|grade|assessment|report|assessed)){1,3}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Assessment:
    """One assessment; `refs`, `paths`, `dois` and `stem` are what it may be of, the surest first."""

    path: str
    grade: Grade | None
    verified: str
    digest: str
    refs: tuple[str, ...]
    paths: tuple[str, ...]
    doi: str
    stem: str
    retracted: bool


def assessments(
    root: Reading, layout: Layout, known: frozenset[str], troubles: list[Trouble]
) -> list[Assessment]:
    """Return what stands in the folders of assessments, oldest first; an index or a template is none."""
    paths: dict[str, None] = {}
    for folder in layout.assessments:
        paths.update(dict.fromkeys(root.listing(folder, METADATA, MAX_FILES)))
    found = [one for path in paths if (one := _assessment(root, path, layout, known, troubles)) is not None]
    return sorted(found, key=lambda one: (one.verified, one.path))


def subjects(one: Assessment) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the ways in which an assessment may say what it is of, the surest first."""
    yield "ref", one.refs
    yield "path", one.paths
    yield "doi", (one.doi,) if one.doi else ()
    yield "stem", (one.stem,)


def _assessment(
    root: Reading, path: str, layout: Layout, known: frozenset[str], troubles: list[Trouble]
) -> Assessment | None:
    front, digest = read(root, path, troubles)
    table = front.table or fenced(front.body)
    fields = Fields(table)
    given = graded(fields, own=False) if table else Graded()
    grade = given.grade or written(front.body)
    refs = tuple(_refs(fields, path, front.body, layout.ref, troubles))
    if grade is None:
        if refs and table:
            troubles.append(Trouble(path, f"it assesses {refs[0]}, but gives neither a level nor factors"))
        return None
    troubles += [Trouble(path, message) for message in given.troubles]
    folder = str(PurePosixPath(path).parent)
    paths = (located(scalar(value), folder, known) for value in fields.values("path", "assessed"))
    stem = _AFFIX.sub("", PurePosixPath(path).stem).casefold()
    inside = tuple(one for one in dict.fromkeys(paths) if one in known)
    return Assessment(
        path, grade, fields.verified(), digest, refs, inside, fields.doi(), stem, fields.retracted()
    )


def _refs(fields: Fields, path: str, body: str, word: str, troubles: list[Trouble]) -> Iterator[str]:
    """Yield the REF id that an assessment names: in its metadata, its file name, its text."""
    stem = _AFFIX.sub("", PurePosixPath(path).stem)
    by_name = named(stem, word) or ref_in(stem, word)
    stated = next(
        (ref for value in fields.values("ref", "assessed") if (ref := ref_id(scalar(value), word))), ""
    )
    if stated and by_name and number(stated) != by_name:
        troubles.append(Trouble(path, f"it is named {by_name}, but assesses {stated}"))
    if ref := stated or by_name or ref_in(body[:_BODY], word):
        yield ref


def matched(one: Assessment, find: Callable[[str, str], Sequence[str]]) -> tuple[str, ...]:
    """Return the paths of the entries that an assessment is of, by the surest way that finds any."""
    for way, names in subjects(one):
        found = dict.fromkeys(path for name in names for path in find(way, name))
        if found:
            return tuple(found)
    return ()
