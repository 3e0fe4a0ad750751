"""What a person hands over on the start page, as requests for jobs: each file one, and the pasted text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZipFile, ZipInfo

from citeproof.errors import InputError, UsageError
from citeproof.service.input_kinds import identify_work
from citeproof.service.job_requests import CHECK, GROUND, TEXT, JobRequest, clean_name

MOST_FILES = 50
_PARTS = (".tex", ".bib", ".bbl")  # of a LaTeX project
MOST_LINES = 1_000  # pasted identifiers


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file of the form."""

    name: str
    data: bytes


def make_requests(kind: str, files: Sequence[UploadedFile], text: str, limit: int) -> list[JobRequest]:
    """Return a request for each file that is not empty, and for the text; UsageError if there is nothing."""
    if kind not in (CHECK, GROUND):
        raise UsageError(f"{kind[:40]!r} cannot be done here", place="kind", hint=f"say {CHECK} or {GROUND}")
    given = pack_projects([UploadedFile(clean_name(one.name, "file"), one.data) for one in files if one.data])
    made = [JobRequest(kind, one.name, one.data) for one in given]
    if text.strip():
        made.append(JobRequest(kind, *_read_pasted(text)))
    if not made:
        empty = "; the files are empty" if files else ""
        raise InputError(
            f"there is nothing to check{empty}", place="form", hint="choose a file or paste text"
        )
    for one in made:
        if len(one.data) > limit:
            raise InputError(f"is larger than {limit:,} bytes", place=one.name, hint="split it")
    return made


def pack_projects(files: Sequence[UploadedFile]) -> list[UploadedFile]:
    """Return the files; LaTeX sources that come with a bibliography are one document, a ZIP archive."""
    sources = [one for one in files if one.name.lower().endswith(".tex")]
    parts = [one for one in files if one.name.lower().endswith(_PARTS)]
    if not sources or len(sources) == len(parts) or len({one.name for one in parts}) < len(parts):
        return list(files)
    main = next((one for one in sources if b"\\begin{document}" in one.data), sources[0])
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for one in parts:
            archive.writestr(ZipInfo(one.name), one.data)  # without a time: the same files, the same bytes
    project = UploadedFile(f"{main.name[:-4]}.zip", packed.getvalue())
    return [project, *(one for one in files if one not in parts)]


def _read_pasted(text: str) -> tuple[str, bytes]:
    """Return name and bytes of a pasted text; identifiers, one a line, become a list of references."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) <= MOST_LINES:
        works = [identify_work(line) for line in lines]
        named = [work for work in works if work is not None]
        if len(named) == len(lines):
            name = named[0].value if len(named) == 1 else f"{len(named)} identifiers"
            return name, "".join(f"{work.text}\n\n" for work in named).encode()
    return TEXT, text.replace("\r\n", "\n").encode("utf-8", "replace")
