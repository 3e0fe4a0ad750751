"""The files of a corpus as drafts of entries: a document, its sidecars, and what they say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath

from citeproof.corpus.corpus_types import CorpusLayout, CorpusTrouble
from citeproof.corpus.entries.body_metadata import read_body_metadata
from citeproof.corpus.entries.entry_fields import EntryFields
from citeproof.corpus.project_root import ProjectRoot
from citeproof.reading.extractors.records import yaml_text
from citeproof.reading.extractors.records.yaml_text import Value
from citeproof.text import lazy_patterns as re
from citeproof.vocabulary import Name

MAX_FILES = 100_000
METADATA = (".md", ".markdown", ".yaml", ".yml", ".json")  # in order of preference
DOCUMENTS = (".pdf", ".html", ".htm", ".txt", ".docx", ".epub", ".tex")
MAX_FRONT = 256 * 1024  # characters of metadata that are read
MAX_BODY = 64 * 1024  # characters behind it that are examined
_MAX_DEPTH, _MAX_ITEMS = 20, 20_000

_OPENING = re.compile(r"\ufeff?\s{0,20}---[ \t]{0,9}\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]{0,9}\r?$", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}```ya?ml[ \t]{0,9}\r?\n", re.MULTILINE)
_FENCE_END = re.compile(r"^ {0,3}```", re.MULTILINE)
_HEADING = re.compile(
    r"^ {0,3}#{1,6}[ \t]{1,9}(\S[^\n]{0,1000})|^(\S[^\n]{0,1000})\r?\n={3,300}[ \t]{0,9}\r?$", re.MULTILINE
)


@dataclass(slots=True)
class EntryDraft:
    """What will be an entry: one file, those that describe it, and what was read in them."""

    path: str
    role: str
    home: str  # the folder of the layout below which it lies
    also: tuple[str, ...] = ()  # sidecars
    aliases: tuple[str, ...] = ()  # other paths that lead to one of these files
    table: dict[str, Value] = field(default_factory=dict)
    heading: str = ""
    said: dict[str, Value] = field(default_factory=dict)  # by the body, under the names of front matter
    citation: str = ""  # the work's own citation in the body
    authors: tuple[Name, ...] = ()  # of that citation
    digests: list[str] = field(default_factory=list)
    described: str = ""  # the file that describes it, if it says nothing itself
    _fields: EntryFields | None = None

    @property
    def bare(self) -> bool:
        """Whether nothing but its name is known."""
        return not self.table and not self.heading

    def fields(self) -> EntryFields:
        if self._fields is None or self._fields.table is not self.table:
            self._fields = EntryFields(self.table)
        return self._fields


def gather_drafts(root: ProjectRoot, layout: CorpusLayout, troubles: list[CorpusTrouble]) -> list[EntryDraft]:
    """Return one draft for each file of the sources and findings; a document takes its sidecars in."""
    homes = [(folder, "source") for folder in layout.sources] + [
        (folder, "finding") for folder in layout.findings
    ]
    assessed = tuple(f"{folder}/" for folder in layout.assessments)  # they may lie inside the other folders
    owners: dict[str, tuple[str, str]] = {}
    for folder, role in sorted(homes, key=lambda home: -len(home[0])):  # of nested folders the inner one
        for path in root.listing(folder, (*METADATA, *DOCUMENTS), MAX_FILES):
            if len(owners) >= MAX_FILES and path not in owners:
                troubles.append(
                    CorpusTrouble(
                        folder, f"the corpus has more than {MAX_FILES:,} files; the rest are skipped"
                    )
                )
                break
            if not path.startswith(assessed):
                owners.setdefault(path, (folder, role))
    drafts = []
    aliases = _group_aliases(root, owners)
    for paths in _group_sidecars(path for path in owners if path in aliases):
        home, role = owners[paths[0]]
        others = tuple(other for path in paths for other in aliases[path])
        draft = EntryDraft(paths[0], role, home, tuple(paths[1:]), others)
        _fill_draft(root, draft, layout.ref, troubles)
        drafts.append(draft)
    return drafts


def read_metadata_file(
    root: ProjectRoot, path: str, troubles: list[CorpusTrouble]
) -> tuple[FileMetadata, str]:
    """Return what a file of metadata says and the digest of its bytes; what cannot be read is a trouble."""
    data = root.data(path)
    if data is None:
        troubles.append(CorpusTrouble(path, "it cannot be read"))
        return FileMetadata(), ""
    front = (
        parse_markdown_metadata(data)
        if path.lower().endswith((".md", ".markdown"))
        else parse_data_file(path, data)
    )
    if front.trouble:
        troubles.append(CorpusTrouble(path, front.trouble))
    return front, sha256(data).hexdigest()


def _group_aliases(root: ProjectRoot, paths: Iterable[str]) -> dict[str, list[str]]:
    """Return each file once, by its own path where that is among `paths`, with the other paths to it."""
    meant: dict[str, list[str]] = {}
    for path in sorted(paths):
        meant.setdefault(root.resolve_path(path) or path, []).append(path)
    aliases: dict[str, list[str]] = {}
    for real, listed in meant.items():
        chosen = real if real in listed else listed[0]
        aliases[chosen] = [path for path in (real, *listed) if path != chosen]
    return aliases


def _group_sidecars(paths: Iterable[str]) -> Iterator[list[str]]:
    """Yield files that differ in their suffix only, the document first, then metadata by preference."""
    order = {suffix: number for number, suffix in enumerate((*DOCUMENTS, *METADATA))}
    groups: dict[str, list[str]] = {}
    for path in sorted(paths):
        groups.setdefault(path[: -len(PurePosixPath(path).suffix)], []).append(path)
    for group in groups.values():
        yield sorted(group, key=lambda path: order.get(PurePosixPath(path).suffix.lower(), 0))


def _fill_draft(root: ProjectRoot, draft: EntryDraft, word: str, troubles: list[CorpusTrouble]) -> None:
    """Read the metadata of a draft; documents themselves are not opened."""
    for path in (draft.path, *draft.also):
        if not path.lower().endswith(METADATA):
            continue
        front, digest = read_metadata_file(root, path, troubles)
        draft.table = {**front.table, **draft.table}
        draft.heading = draft.heading or front.heading
        if front.body:
            body = read_body_metadata(front.body, word)
            draft.said = {**body.table, **draft.said}
            draft.citation = draft.citation or body.citation
        draft.digests.append(digest)


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """What the head of a file says."""

    table: Mapping[str, Value] = field(default_factory=dict)
    heading: str = ""  # the first heading behind the metadata
    body: str = ""  # the beginning of what comes after it
    trouble: str = ""


def parse_markdown_metadata(data: bytes) -> FileMetadata:
    """Return the front matter and the first heading of a Markdown file."""
    text = data[: 4 * (MAX_FRONT + MAX_BODY)].decode("utf-8", "replace")
    opening = _OPENING.match(text)
    if opening is None:
        return FileMetadata({}, _find_heading(text), text[:MAX_BODY])
    closing = _CLOSING.search(text, opening.end(), opening.end() + MAX_FRONT)
    if closing is None:
        if len(text) > opening.end() + MAX_FRONT:
            return FileMetadata(
                trouble=f"its front matter has more than {MAX_FRONT // 1024} kB; it is not read"
            )
        return FileMetadata({}, _find_heading(text), text[:MAX_BODY])  # a rule, not front matter
    body = text[closing.end() : closing.end() + MAX_BODY]
    table, trouble = _parse_yaml(text[opening.end() : closing.start()], 1)
    return FileMetadata(table, _find_heading(body), body, trouble)


def parse_data_file(path: str, data: bytes) -> FileMetadata:
    """Return what a `.yaml`, `.yml` or `.json` file says."""
    if len(data) > MAX_FRONT:
        return FileMetadata(trouble=f"it has more than {MAX_FRONT // 1024} kB; it is not read")
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    table, trouble = _parse_json(text) if path.lower().endswith(".json") else _parse_yaml(text, 0)
    return FileMetadata(table, trouble=trouble)


def parse_fenced_yaml(body: str) -> Mapping[str, Value]:
    """Return the first block of YAML in a Markdown text; empty if it has none that can be read."""
    opening = _FENCE.search(body)
    closing = _FENCE_END.search(body, opening.end()) if opening else None
    if opening is None or closing is None:
        return {}
    return _parse_yaml(body[opening.end() : closing.start()], 0)[0]


def _find_heading(body: str) -> str:
    match = _HEADING.search(body, 0, MAX_BODY)
    return (match[1] or match[2]).strip().rstrip("#").strip() if match else ""


def _parse_yaml(text: str, above: int) -> tuple[Mapping[str, Value], str]:
    """Return the mapping that `text` writes, and why it cannot be read."""
    try:
        value = yaml_text.parse_yaml(text)
    except yaml_text.YamlError as error:
        return {}, f"line {error.line + above}: {error}; its metadata is not read"
    except (ValueError, RecursionError):
        return {}, "its metadata is not plain YAML; it is not read"
    if value is None or isinstance(value, dict):
        return value or {}, ""
    return {}, "its metadata is not a list of `key: value`; it is not read"


def _parse_json(text: str) -> tuple[Mapping[str, Value], str]:
    try:
        value = _stringify_scalars(json.loads(text), 0)
    except (ValueError, RecursionError) as error:
        return {}, f"it is not JSON: {str(error)[:100]}"
    return (value, "") if isinstance(value, dict) else ({}, "it is JSON, but not an object")


def _stringify_scalars(value: object, depth: int) -> Value:
    """Return a JSON value as YAML is read here: every scalar is a string."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {
            str(key): _stringify_scalars(part, depth + 1) for key, part in list(value.items())[:_MAX_ITEMS]
        }
    if isinstance(value, list):
        return [_stringify_scalars(part, depth + 1) for part in value[:_MAX_ITEMS]]
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)
