"""Files, folders, identifiers, addresses, texts and standard input to documents, bounded.

A `JobRequest` is what an interface asks a job to do with one, and how the store holds it. Its name is only a
name: nothing is read from this machine by it.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, assert_never

import msgspec

from citeproof.errors import InputError, NothingFoundError, UsageError
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.records.adjacent_files import FolderFiles
from citeproof.service.citation_input import is_reference_text
from citeproof.service.input_kinds import (
    CLIPBOARD,
    STDIN,
    InputKind,
    NamedInput,
    classify_input,
    identify_work,
    suggest_names,
)
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Document
from citeproof.vocabulary.quick_dataclass import asdict, dataclass, replace

if TYPE_CHECKING:
    from citeproof.service.fetched_documents import DocumentFetcher

Subject = Document | Path | str | bytes  # what a program hands over

TEXT = "<text>"
_HANDED = re.compile(r"/dev/(?:stdin|fd/\d{1,9})|/proc/self/fd/\d{1,9}")  # `<(command)` of a shell is one
_MOST_LINES = 1000  # of a text that is looked at for identifiers
_SECONDS = 10.0  # for a program to read the clipboard
_WINDOWS = "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw"
_CLIPBOARD_COMMANDS = (  # the first that is installed and answers
    ("wl-paste", "--no-newline", "--type", "text"),
    ("xclip", "-selection", "clipboard", "-out"),
    ("xsel", "--clipboard", "--output"),
    ("pbpaste",),
    ("powershell.exe", "-NoProfile", "-Command", _WINDOWS),
)
_CLIPBOARD_HINT = "install wl-clipboard, xclip or xsel, or paste into: citeproof check -"
CHECK, GROUND, FIX = "check", "ground", "fix"
KINDS = (CHECK, GROUND, FIX)
STAGES = {CHECK: "check", GROUND: "grounding", FIX: "fix"}  # as the audit log names them
MAX_NAME = 200  # characters of the name of a document
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


def read_documents(
    inputs: Sequence[str],
    limit: int,
    tell: Callable[[str], None] = lambda _: None,
    remote: DocumentFetcher | None = None,
    own: Collection[Path] = (),
) -> list[Document]:
    """Return the documents that are named, in order, of a folder without the `own` files of the run itself.

    `tell` hears what a person should know meanwhile.
    """
    if inputs.count(STDIN) > 1:
        raise UsageError("standard input can be read once", place="INPUT", hint="name - only once")
    documents: list[Document] = []
    texts = 0
    for named in map(classify_input, inputs):
        if named.kind is InputKind.PATH and Path(named.value).is_dir():
            from citeproof.service.folder_documents import list_folder_documents  # noqa: PLC0415 - few name one

            folder = Path(named.value)
            files = list_folder_documents(folder, tell, own=own)
            documents += [read_document(file, limit, folder) for file in files]
            continue
        document = read_input(named, limit, tell, remote)
        texts += document.name == TEXT
        numbered = document.name == TEXT and texts > 1
        documents.append(replace(document, name=f"<text {texts}>") if numbered else document)
    return documents


def read_input(
    named: NamedInput,
    limit: int,
    tell: Callable[[str], None] = lambda _: None,
    remote: DocumentFetcher | None = None,
) -> Document:
    """Return the document that an input is; a folder is none."""
    match named.kind:
        case InputKind.STDIN:
            if sys.stdin.isatty():
                tell("reading from the terminal; end with Ctrl-D")
            return Document("<stdin>", _read_bounded(sys.stdin.buffer, "<stdin>", limit))
        case InputKind.CLIPBOARD:
            return Document(CLIPBOARD, read_clipboard(limit))
        case InputKind.PATH:
            return read_document(Path(named.value), limit)
        case InputKind.IDENTIFIER:
            return Document(named.value, named.text.encode())
        case InputKind.TEXT:
            return read_pasted_text(named.value, limit, ", and no file has this name")
        case InputKind.URL | InputKind.ZOTERO:
            if remote is None:
                raise InputError(
                    "is not on this machine", place=named.value, hint="save it, and name the file"
                )
            if named.kind is InputKind.URL:
                return Document(named.value, remote.fetch_page(named.value))
            return Document(f"zotero:{named.value}", remote.fetch_collection(named.value))
    assert_never(named.kind)


def read_pasted_text(text: str, limit: int, also: str = "") -> Document:
    """Return a text as a document, for every door: identifiers, one a line, become references.

    NothingFoundError, saying `also`, if it is one line and no reference.
    """
    data = text.encode("utf-8", "replace")
    if len(data) > limit:
        hint = "write it to a file, or raise the setting max_document_bytes"
        raise InputError(f"is larger than {limit:,} bytes", place=TEXT, hint=hint)
    document = Document(TEXT, data)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    works = [work for line in lines if (work := identify_work(line))] if len(lines) <= _MOST_LINES else []
    if works and len(works) == len(lines):
        name = works[0].value if len(works) == 1 else f"{len(works)} identifiers"
        return Document(name, "".join(f"{work.text}\n\n" for work in works).encode())
    if "\n" in text.strip() or detect_extractor(document).name not in ("plain_text", "markdown"):
        return document
    if not is_reference_text(text):
        hint = "give author, year and title, a title that begins with a capital, or an identifier"
        raise NothingFoundError(f"not a reference{also}", place=text.strip(), hint=hint)
    return document


def read_document(path: Path, limit: int, root: Path | None = None) -> Document:
    """Return the file at `path`, which may use what is in its folder, or in `root` above it."""
    try:
        if path.is_dir():
            raise InputError("is a folder", place=str(path), hint="name the files in it, like DIR/*.bib")
        handed = bool(_HANDED.fullmatch(str(path)))  # no pipe is waited for but one that a shell passed
        flags = 0 if handed else sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY"))
        with os.fdopen(os.open(path, os.O_RDONLY | flags), "rb") as file:
            if not handed and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                hint = "hand it over as standard input: citeproof check - < PIPE"
                raise InputError("not a regular file", place=str(path), hint=hint)
            return Document(str(path), _read_bounded(file, str(path), limit), FolderFiles(path.parent, root))
    except FileNotFoundError as error:
        raise InputError("no such file", place=str(path), hint=suggest_names(str(path))) from error
    except PermissionError as error:
        raise InputError("no permission to read it", place=str(path), hint="check its permissions") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        hint = "check the name and the disk"
        raise InputError(f"cannot be read: {error}", place=str(path), hint=hint) from error


def make_document(subject: Subject, limit: int, remote: DocumentFetcher | None = None) -> Document:
    """Return what a program hands over as a document; a string means what it means on the command line."""
    if isinstance(subject, Document):
        return subject
    if isinstance(subject, Path):
        return read_document(subject, limit)
    if isinstance(subject, bytes):
        return Document(TEXT, subject)
    if not subject.strip():
        raise InputError("is empty", place=TEXT, hint="hand over a file or the text of references")
    return read_input(classify_input(subject), limit, remote=remote)


def _read_bounded(file: BinaryIO, name: str, limit: int) -> bytes:
    data = file.read(limit + 1)
    if len(data) > limit:
        hint = "split it, or raise the setting max_document_bytes"
        raise InputError(f"is larger than {limit:,} bytes", place=name, hint=hint)
    return data


def read_clipboard(limit: int) -> bytes:
    """Return the text on the clipboard; InputError if nothing here can read it, or it is empty."""
    import subprocess  # noqa: PLC0415 - few ask for it

    from citeproof.plumbing.programs import find_program, make_environment, run_program  # noqa: PLC0415 - same

    complaints = []
    for name, *arguments in _CLIPBOARD_COMMANDS:
        program = find_program(name)
        if program is None:
            continue
        try:
            environment = make_environment({"LC_CTYPE": "UTF-8"}, desktop=True)
            ended = run_program([program, *arguments], environment, _SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            complaints.append(f"{name}: {type(error).__name__}")
            continue
        if ended.returncode == 0:
            if not ended.stdout.strip():
                hint = "copy the answer or the reference list first"
                raise InputError("is empty", place=CLIPBOARD, hint=hint)
            if len(ended.stdout) > limit:
                hint = "save it to a file, or raise the setting max_document_bytes"
                raise InputError(f"is larger than {limit:,} bytes", place=CLIPBOARD, hint=hint)
            return ended.stdout
        lines = ended.stderr.decode("utf-8", "replace").split("\n")
        complaints.append(f"{name}: {lines[0].strip()[:200] or f'exit code {ended.returncode}'}")
    if complaints:
        raise InputError(f"cannot be read ({'; '.join(complaints)})", place=CLIPBOARD, hint=_CLIPBOARD_HINT)
    raise InputError("no program here can read the clipboard", place=CLIPBOARD, hint=_CLIPBOARD_HINT)


@dataclass(frozen=True, slots=True)
class JobRequest:
    """One piece of work: what to do, with which document, how."""

    kind: str
    name: str
    data: bytes
    listed: bool = False  # `data` is a JSON list of references
    llm: bool = False  # the language model of the settings may be asked
    unsafe: bool = False  # fix: also title, authors, year and venue
    upgrade_preprints: bool = False  # fix: cite published versions
    title: str = ""  # what a list of runs calls a text without a name: its first words

    def encode_options(self) -> bytes:
        """Return everything but the document, as JSON."""
        options = {key: value for key, value in asdict(self).items() if key not in ("kind", "data")}
        return msgspec.json.encode(options, order="sorted")

    @classmethod
    def restore(cls, kind: str, data: bytes, options: bytes) -> JobRequest:
        return cls(kind, data=data, **msgspec.json.decode(options))

    @property
    def document(self) -> Document:
        return Document(self.name, self.data)


def clean_name(name: str | None, default: str = TEXT) -> str:
    """Return the last part of a file's name as a stranger gives it, fit to be shown."""
    shown = _HIDDEN.sub("", (name or "").replace("\\", "/").rsplit("/", 1)[-1]).strip()
    return shown[-MAX_NAME:] or default
