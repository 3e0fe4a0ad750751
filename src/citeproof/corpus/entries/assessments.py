"""Files that assess the quality of a source: what each is of, the level it gives, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from citeproof.corpus.corpus_types import CorpusLayout, CorpusTrouble, Grade
from citeproof.corpus.entries.entry_drafts import MAX_FILES, METADATA, parse_fenced_yaml, read_metadata_file
from citeproof.corpus.entries.entry_fields import (
    EntryFields,
    get_field_names,
    read_scalar,
    resolve_project_path,
)
from citeproof.corpus.entries.ref_ids import find_ref_id, parse_file_ref_id, parse_ref_id, strip_ref_suffix
from citeproof.corpus.grade.grade_computation import (
    GradeFactors,
    compute_grade,
    fold_key,
    parse_grade,
    read_factors,
)
from citeproof.corpus.project_root import ProjectRoot
from citeproof.reading.extractors.records.yaml_text import Value
from citeproof.text import lazy_patterns as re
from citeproof.text.unicode import show_one_line

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


_LINE = re.compile(
    r"^[ \t>|*_#+-]{0,12}(?:final|overall|grade|quality|certainty|evidence)"
    r"(?:[ _](?:grade|level|rating|quality|certainty|assessment|of|evidence)){0,3}"
    r"[ \t*_]{0,6}[:|=][ \t|*_:]{0,20}([^\n|]{1,60})",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class EntryGrade:
    """A level, if there is one, and what is wrong with how it was given."""

    grade: Grade | None = None
    troubles: tuple[str, ...] = ()


def read_entry_grade(fields: EntryFields, *, own: bool) -> EntryGrade:
    """Return the level of metadata; in a source's `own`, its type alone is no assessment."""
    stated = next(_find_stated_grades(fields), None)
    facts = read_factors(fields.table)
    if facts is None:
        return EntryGrade(stated)
    if own and not facts.judged:
        return EntryGrade(stated, tuple(_list_grade_troubles(stated, facts)))
    facts = replace(facts, retracted=facts.retracted or fields.is_retracted())
    return EntryGrade(stated or compute_grade(facts), tuple(_list_grade_troubles(stated, facts)))


def find_written_grade(body: str) -> Grade | None:
    """Return the level that a line of running text states: `**GRADE Rating:** Moderate`."""
    return next((grade for match in _LINE.finditer(body) if (grade := parse_grade(match[1]))), None)


def _list_grade_troubles(stated: Grade | None, facts: GradeFactors) -> Iterator[str]:
    computed = compute_grade(facts)
    if stated is None:
        yield from (f"“{show_one_line(text)}” was not understood and is ignored" for text in facts.unread[:5])
    elif facts.judged and computed is not stated:
        yield f"it states {stated}, but its factors give {computed}; {stated} counts"


def _find_stated_grades(fields: EntryFields) -> Iterator[Grade]:
    for value in fields.values("keys", "grades"):
        if grade := _read_level(value):
            yield grade
    for value in fields.values("tables", "grades"):
        if isinstance(value, dict) and (grade := _read_level(value)):
            yield grade


def _read_level(value: Value) -> Grade | None:
    if not isinstance(value, dict):
        return parse_grade(read_scalar(value))
    inner = {fold_key(name): item for name, item in value.items()}
    for name in get_field_names("grades", "inner"):
        item = inner.get(name)
        if (
            grade := _read_level(item)
            if isinstance(item, dict) and name.startswith("final")
            else parse_grade(read_scalar(item))
        ):
            return grade
    return None
