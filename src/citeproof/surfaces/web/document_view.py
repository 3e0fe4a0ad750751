"""The document with its references highlighted in place: source text by offsets, PDF pages as pictures."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from citeproof.answers.reporters.html.page_parts import escape_block
from citeproof.answers.serializers import Json
from citeproof.plumbing.stores.job_store import JobStore
from citeproof.reading.extractors.archive.archive_members import read_text_members
from citeproof.reading.extractors.exhibits.exhibit_images import PagePicture, draw_page
from citeproof.surfaces.web.page_frame import WebFrame, make_address, render_page
from citeproof.surfaces.web.run_pages import RANK
from citeproof.surfaces.web.run_view import RunView, find_document
from citeproof.text import lazy_patterns as re

MAX_TEXT = 2_000_000  # bytes of a source text that is shown
_PDF = b"%PDF-"
# \cite{a,b}, \citep[see][p. 2]{a}; [@a; @b], @a; [1, 2]. Each part is bounded, so that the time is linear.
_CITED = re.compile(
    r"\\[a-zA-Z]{0,20}cite[a-zA-Z]{0,20}\*?(?:\[[^\]\n]{0,200}\]){0,2}\{(?P<tex>[^{}]{1,1000})\}"
    r"|(?<![\w@])@(?P<key>[\w][\w:.#$%&+?<>~/-]{0,200})"
    r"|(?<![\w\]])\[(?P<numbers>[0-9]{1,4}(?:,[ ]?[0-9]{1,4}){0,20})\](?![\w(\[:])"
)


FEW_PAGES = 40  # of a document whose pages are all listed
_KEPT = 16  # pictures that stay in memory
_PROSE = (".tex", ".md", ".qmd", ".rmd", ".txt", ".typ")  # of an archive, shown also without a reference


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A page of a PDF as a picture: its address, its size in points, how many pages there are."""

    number: int
    pages: int
    width: float
    height: float
    address: str  # empty if it cannot be drawn


def is_pdf(data: bytes) -> bool:
    """Return whether a document is a PDF, whose pages are shown as pictures."""
    return _PDF in data[:1024]


def list_marked(run: RunView, file: str) -> list[tuple[int, Json]]:
    """Return the references of a document or of a file in an archive, with their numbers in the run."""
    here = [(number, r) for number, r in run.references.items() if r["location"]["file"] == file]
    if here or "!/" in file:
        return here
    return [
        (number, reference)
        for number, reference in run.references.items()
        if find_document(reference["location"]["file"], run.documents).partition("!/")[0] == file
    ]


def choose_page(marked: Sequence[tuple[int, Json]], wanted: str) -> int:
    """Return the page of a PDF to show: the one that is asked for, else the first with a reference."""
    if wanted.isascii() and wanted.isdigit() and 0 < len(wanted) < 6:
        return max(1, int(wanted))
    return min((r["location"]["page"] for _, r in marked if r["location"]["page"]), default=1)


def format_text_view(run: RunView, file: str, data: bytes, others: Sequence[str] = ()) -> str:
    """Return the page with the source text of a document, or a list if it has no text to show.

    `others` are further files of the same archive.
    """
    marked = list_marked(run, file)
    spans = _list_spans([row for row in marked if row[1]["location"]["file"] == file], len(data))
    readable = data and b"\0" not in data[:100_000] and (spans or not marked)
    pieces = list(_generate_pieces(run, data, spans)) if readable else []
    cited = sum(piece.kind == "cite" for piece in pieces)
    return _render_document(run, file, marked, pieces=pieces, cited=cited, others=others, page=None)


def format_pdf_view(run: RunView, file: str, page: DocumentPage) -> str:
    """Return one page of a PDF with a box around each reference."""
    marked = list_marked(run, file)
    here = [row for row in marked if row[1]["location"]["page"] == page.number]
    near = _list_near_pages(page, marked)
    return _render_document(run, file, marked, page=page, here=here, near=near, cited=0, others=())


def _render_document(run: RunView, file: str, marked: Sequence[object], **values: object) -> str:
    frame = WebFrame(run.name if file.startswith("<") else file, named=not run.read_only)
    return render_page("document.html", frame, run=run, file=file, marked=marked, **values)


def _list_spans(marked: Sequence[tuple[int, Json]], size: int) -> list[tuple[int, int, int]]:
    """Return where each reference stands, in order; one that overlaps the one before it is left out."""
    spans, reached = [], 0
    rows = [(r["location"]["start"], r["location"]["end"], number) for number, r in marked]
    for start, end, number in sorted(row for row in rows if row[0] is not None and row[1] is not None):
        if reached <= start < end <= size:
            spans.append((start, end, number))
            reached = end
    return spans


class SourcePiece(NamedTuple):
    """A piece of a source, as HTML: plain `text`, a reference to `mark`, or what `cite`s one."""

    kind: str
    text: Markup
    number: int = -1


def _generate_pieces(
    run: RunView, data: bytes, spans: Sequence[tuple[int, int, int]]
) -> Iterator[SourcePiece]:
    try:
        data.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = "latin-1"
    keys = {reference["key"]: number for number, reference in reversed(list(run.references.items()))}
    shown, at = data[:MAX_TEXT], 0
    for start, end, number in spans:
        if end > len(shown):
            break
        yield from _split_prose(run, shown[at:start].decode(encoding, "replace"), keys)
        yield SourcePiece("mark", escape_block(shown[start:end].decode(encoding, "replace")), number)
        at = end
    yield from _split_prose(run, shown[at:].decode(encoding, "replace"), keys)
    if len(data) > len(shown):
        yield SourcePiece("text", Markup("\n…"))


def _split_prose(run: RunView, text: str, keys: dict[str, int]) -> Iterator[SourcePiece]:
    """Yield text between references; what cites one of them by its key is a link to it."""
    at = 0
    for match in _CITED.finditer(text):
        listed = match["tex"] or match["numbers"]
        cited = [key.strip() for key in listed.split(",")] if listed else [match["key"].rstrip(".:?")]
        if numbers := [keys[key] for key in cited if key in keys]:
            yield SourcePiece("text", escape_block(text[at : match.start()], len(text)))
            worst = min(numbers, key=lambda n: RANK[run.references[n]["label"]])
            yield SourcePiece("cite", Markup(escape(match[0])), worst)  # noqa: S704 - it is escaped
            at = match.end()
    yield SourcePiece("text", escape_block(text[at:], len(text)))


def _list_near_pages(page: DocumentPage, marked: Sequence[tuple[int, Json]]) -> list[tuple[int, int]]:
    """Return the pages to link, with their references: of a long document those with some, and the next."""
    counts = Counter(reference["location"]["page"] for _, reference in marked)
    near = {n for n in (1, page.number - 1, page.number, page.number + 1) if 1 <= n <= page.pages}
    if page.pages <= FEW_PAGES:
        near = set(range(1, page.pages + 1))
    return [(number, counts[number]) for number in sorted({*filter(None, counts), *near})[:200]]


class DocumentPages:
    """Shows documents. Safe between threads."""

    def __init__(self, jobs: JobStore) -> None:
        self._jobs = jobs
        self._pictures: OrderedDict[tuple[str, int], PagePicture] = OrderedDict()
        self._lock = threading.Lock()

    def format_view(self, run: RunView, file: str, page: str) -> str:
        """Return the page with the document of a run; `file` and `page` are as asked for."""
        name = find_document(file or run.name, run.documents).partition("!/")[0]
        if name not in run.documents:
            name = run.name
        data = self._jobs.read_input(run.id)
        if any("!/" in reference["location"]["file"] for reference in run.references.values()):
            return _format_archive(run, file, name, data)
        if not is_pdf(data):
            return format_text_view(run, name, data)
        number = choose_page(list_marked(run, name), page)
        picture = self._draw(run.id, number, data)
        if picture.pages and number > picture.pages:
            number = picture.pages
            picture = self._draw(run.id, number, data)
        address = make_address(f"{run.base}/pages/{number}.png") if picture.png else ""
        shown = DocumentPage(number, picture.pages, picture.width or 612, picture.height or 792, address)
        return format_pdf_view(run, name, shown)

    def draw(self, run: str, number: int) -> bytes:
        """Return a page of a run's document as PNG; empty if there is none."""
        with self._lock:
            known = self._pictures.get((run, number))
        if known is not None:
            return known.png
        data = self._jobs.read_input(run)
        return self._draw(run, number, data).png if is_pdf(data) else b""

    def _draw(self, run: str, number: int, data: bytes) -> PagePicture:
        with self._lock:
            known = self._pictures.get((run, number))
        if known is None:
            known = draw_page(data, number)
            with self._lock:
                self._pictures[run, number] = known
                while len(self._pictures) > _KEPT:
                    self._pictures.popitem(last=False)
        return known


def _format_archive(run: RunView, file: str, archive: str, data: bytes) -> str:
    """Return a file of an archive: the one that is asked for, else the main one, else one with references."""
    members = {f"{archive}!/{name}": body for name, body in read_text_members(data).items()}
    cited = {reference["location"]["file"] for reference in run.references.values()}
    shown = [name for name in members if name in cited or name.endswith(_PROSE)]
    main = [name for name in shown if b"\\begin{document}" in members[name]]
    if not shown:
        return format_text_view(run, archive, data)
    chosen = file if file in members else (main or shown)[0]
    return format_text_view(run, chosen, members[chosen], [name for name in shown if name != chosen])
