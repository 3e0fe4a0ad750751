"""What a person hands over on the start page, as requests for jobs: each file one, and the pasted text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import ZipFile, ZipInfo

from citeproof.answers.reporters.wording import show_line
from citeproof.errors import InputError, UsageError
from citeproof.reading.extractors.decoded_text import decode
from citeproof.service.input_documents import CHECK, GROUND, TEXT, JobRequest, clean_name, read_pasted_text
from citeproof.vocabulary import Document

GUARD = "guard"
MOST_ANSWER = 200_000  # characters of an answer that is guarded while its reader waits
MOST_FILES = 50
_PARTS = (".tex", ".bib", ".bbl")  # of a LaTeX project
_NAMING = (".md", ".markdown", ".rmd", ".qmd", ".typ")  # sources that name their bibliography
_LISTS = (".bib", ".json", ".yaml", ".yml")

_TITLE = 70  # characters of a pasted text by which a list of runs names it


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file of the form."""

    name: str
    data: bytes


def make_requests(kind: str, files: Sequence[UploadedFile], text: str, limit: int) -> list[JobRequest]:
    """Return a request for each file, also one that is empty, and for the text; UsageError if all are."""
    if kind not in (CHECK, GROUND):
        raise UsageError(
            f"{kind[:40]!r} cannot be done here", place="kind", hint=f"say {CHECK}, {GROUND} or {GUARD}"
        )
    named = [UploadedFile(clean_name(f.name, "file"), f.data) for f in files if f.data or f.name]
    given = pack_projects(named) if text.strip() or any(f.data for f in files) else []
    made = [JobRequest(kind, file.name, file.data) for file in given]
    if text.strip():
        text = text.replace("\r\n", "\n")
        name, data = TEXT, text.encode("utf-8", "replace")
        if kind == CHECK:
            name, data = (pasted := read_pasted_text(text, limit)).name, pasted.data
        made.append(JobRequest(kind, name, data, title=_name_text(text) if name == TEXT else ""))
    if not made:
        empty = "; the files are empty" if files else ""
        raise InputError(
            f"there is nothing to check{empty}", place="form", hint="choose a file or paste text"
        )
    for request in made:
        if len(request.data) > limit:
            raise InputError(f"is larger than {limit:,} bytes", place=request.name, hint="split it")
    return made


def _name_text(text: str) -> str:
    """Return the first words of a text, none of them cut."""
    shown = show_line(text, _TITLE)
    whole = shown.removesuffix("…").rpartition(" ")[0]
    return f"{whole}…" if whole and shown.endswith("…") else shown


def read_pasted_answer(files: Sequence[UploadedFile], text: str) -> str:
    """Return the one answer that is to be guarded: pasted, or a text file; an error if it is none."""
    answers = [decode(Document(one.name, one.data)).text for one in files if one.data]
    answers += [text.replace("\r\n", "\n")] if text.strip() else []
    if len(answers) != 1:
        hint = "paste one answer, or choose one file"
        raise InputError(f"there are {len(answers)} answers to guard", place="form", hint=hint)
    if len(answers[0]) > MOST_ANSWER:
        raise InputError(f"is longer than {MOST_ANSWER:,} characters", place="text", hint="split it")
    return answers[0]


def pack_projects(files: Sequence[UploadedFile]) -> list[UploadedFile]:
    """Return the files; sources that come with their bibliography are one document, a ZIP archive.

    A LaTeX source takes every bibliography, a Markdown or Typst source those that it names.
    """
    sources = [file for file in files if file.name.lower().endswith(".tex")]
    parts = [file for file in files if file.name.lower().endswith(_PARTS)]
    main = next((s for s in sources if b"\\begin{document}" in s.data), sources[0] if sources else None)
    if main is None:
        named = {file.name: _find_named_files(file, files) for file in files}
        sources = [file for file in files if named[file.name]]
        parts = [file for file in files if file in sources or any(file in each for each in named.values())]
        main = sources[0] if sources else None
    if main is None or len(sources) == len(parts) or len({part.name for part in parts}) < len(parts):
        return list(files)
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for part in parts:
            archive.writestr(ZipInfo(part.name), part.data)  # without a time: the same files, the same bytes
    project = UploadedFile(f"{PurePosixPath(main.name).stem}.zip", packed.getvalue())
    return [project, *(file for file in files if file not in parts)]


def _find_named_files(source: UploadedFile, files: Sequence[UploadedFile]) -> list[UploadedFile]:
    """Return the bibliographies among the files that a Markdown or Typst source names."""
    if not source.name.lower().endswith(_NAMING):
        return []
    lists = [file for file in files if file.name.lower().endswith(_LISTS)]
    return [file for file in lists if file.name.encode() in source.data]
