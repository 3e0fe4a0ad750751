"""Files that assess the quality of a source: what each is of, the level it gives, and when."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from citeproof.corpus.corpus_layout import CorpusLayout
from citeproof.corpus.corpus_types import CorpusTrouble, Grade
from citeproof.corpus.entries.entry_drafts import MAX_FILES, METADATA, read_metadata_file
from citeproof.corpus.entries.entry_fields import EntryFields, read_scalar, resolve_project_path
from citeproof.corpus.entries.entry_grade import EntryGrade, find_written_grade, read_entry_grade
from citeproof.corpus.entries.front_matter import parse_fenced_yaml
from citeproof.corpus.entries.ref_ids import find_ref_id, parse_file_ref_id, parse_ref_id, strip_ref_suffix
from citeproof.corpus.project_root import ProjectRoot

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


def load_assessments(
    root: ProjectRoot, layout: CorpusLayout, known: frozenset[str], troubles: list[CorpusTrouble]
) -> list[Assessment]:
    """Return what is in the folders of assessments, oldest first; an index or a template is not one."""
    paths: dict[str, None] = {}
    for folder in layout.assessments:
        paths.update(dict.fromkeys(root.listing(folder, METADATA, MAX_FILES)))
    assessments = [
        read for path in paths if (read := _read_assessment(root, path, layout, known, troubles)) is not None
    ]
    return sorted(assessments, key=lambda read: (read.verified, read.path))


def _read_assessment(
    root: ProjectRoot, path: str, layout: CorpusLayout, known: frozenset[str], troubles: list[CorpusTrouble]
) -> Assessment | None:
    front, digest = read_metadata_file(root, path, troubles)
    table = front.table or parse_fenced_yaml(front.body)
    fields = EntryFields(table)
    given = read_entry_grade(fields, own=False) if table else EntryGrade()
    grade = given.grade or find_written_grade(front.body)
    refs = tuple(_find_assessed_ref(fields, path, front.body, layout.ref, troubles))
    if grade is None:
        if refs and table:
            troubles.append(
                CorpusTrouble(path, f"it assesses {refs[0]}, but has neither a level nor factors")
            )
        return None
    troubles += [CorpusTrouble(path, message) for message in given.troubles]
    folder = str(PurePosixPath(path).parent)
    paths = (
        resolve_project_path(read_scalar(value), folder, known) for value in fields.values("path", "assessed")
    )
    stem = _AFFIX.sub("", PurePosixPath(path).stem).casefold()
    inside = tuple(filter(known.__contains__, dict.fromkeys(paths)))
    verified, retracted = fields.read_verified_date(), fields.is_retracted()
    return Assessment(path, grade, verified, digest, refs, inside, fields.doi(), stem, retracted)


def _find_assessed_ref(
    fields: EntryFields, path: str, body: str, word: str, troubles: list[CorpusTrouble]
) -> Iterator[str]:
    """Yield the REF id that an assessment names: in its metadata, its file name, its text."""
    stem = _AFFIX.sub("", PurePosixPath(path).stem)
    by_name = parse_file_ref_id(stem, word) or find_ref_id(stem, word)
    refs = (parse_ref_id(read_scalar(value), word) for value in fields.values("ref", "assessed"))
    stated = next(filter(None, refs), "")
    if stated and by_name and strip_ref_suffix(stated) != by_name:
        troubles.append(CorpusTrouble(path, f"it is named {by_name}, but assesses {stated}"))
    if ref := stated or by_name or find_ref_id(body[:_BODY], word):
        yield ref


def match_assessed_entries(
    assessed: Assessment, find: Callable[[str, str], Sequence[str]]
) -> tuple[str, ...]:
    """Return the paths of the entries that an assessment is of, by the surest way that finds any."""
    dois = (assessed.doi,) if assessed.doi else ()
    ways = (("ref", assessed.refs), ("path", assessed.paths), ("doi", dois), ("stem", (assessed.stem,)))
    matches = (dict.fromkeys(path for name in names for path in find(way, name)) for way, names in ways)
    return tuple(next(filter(None, matches), ()))
