"""The document with its references highlighted in place: source text by offsets, PDF pages as pictures."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from citeproof.answers.reporters.html.page_parts import escape_text
from citeproof.answers.reporters.html.reference_block import CLASSES, SIGNS
from citeproof.answers.reporters.wording import format_count
from citeproof.answers.serializers import Json
from citeproof.plumbing.stores.job_store import JobStore
from citeproof.reading.extractors.archive.archive_members import read_text_members
from citeproof.reading.extractors.exhibits.exhibit_images import PagePicture, draw_page
from citeproof.surfaces.web.page_frame import WebFrame, escape_block, format_page, make_address
from citeproof.surfaces.web.reference_list import RANK
from citeproof.surfaces.web.reference_view import describe_title, describe_verdict
from citeproof.surfaces.web.run_view import RunView, find_document

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
    here = [(number, r) for number, r in enumerate(run.references) if r["location"]["file"] == file]
    if here or "!/" in file:
        return here
    return [
        (number, reference)
        for number, reference in enumerate(run.references)
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
    readable = b"\0" not in data[:100_000] and (spans or not marked)
    body = _format_source(run, data, spans) if readable and data else _format_plain_list(run, marked)
    return _format_frame(run, file, marked, body, others)


def format_pdf_view(run: RunView, file: str, page: DocumentPage) -> str:
    """Return one page of a PDF with a box around each reference."""
    marked = list_marked(run, file)
    here = [row for row in marked if row[1]["location"]["page"] == page.number]
    picture = _format_picture(run, page, here) if page.address else "<p>This page cannot be drawn.</p>\n"
    listed = _format_plain_list(run, here) if here else "<p>No reference begins on this page.</p>\n"
    pager = _format_pages(run, file, page, marked)
    return _format_frame(run, file, marked, f"{pager}{picture}<h2>References on this page</h2>\n{listed}")


def _format_frame(
    run: RunView, file: str, marked: Sequence[object], body: str, others: Sequence[str] = ()
) -> str:
    facts = [format_count(len(marked), "reference")] if marked else []
    if cited := body.count('<a class="cite '):
        facts.append(f"{format_count(cited, 'citation')} linked to the references")
    lead = (
        f'<p><a href="{make_address(run.base)}">← Report</a> '
        f'<span class="dim">{", ".join(facts) or "0 references"}</span></p>\n'
    )
    if others:
        links = " ".join(
            f'<a href="{make_address(f"{run.base}/document", {"file": name})}">{escape_text(name, 80)}</a>'
            for name in others[:50]
        )
        lead += f'<p class="links">Other files: {links}</p>\n'
    legend = "".join(
        f'<li><mark class="{style}">{SIGNS[label]} {label or "not checked"}</mark></li>'
        for label, style in CLASSES.items()
    )
    legend = f'<ul class="legend" aria-label="Colours">{legend}</ul>\n'
    return format_page(WebFrame(file, lead=lead, named=not run.read_only), (legend, body))


def _list_spans(marked: Sequence[tuple[int, Json]], size: int) -> list[tuple[int, int, int, Json]]:
    """Return where each reference stands, in order; one that overlaps the one before it is left out."""
    spans, reached = [], 0
    rows = [(r["location"]["start"], r["location"]["end"], number, r) for number, r in marked]
    known = [row for row in rows if row[0] is not None and row[1] is not None]
    for start, end, number, reference in sorted(known, key=lambda row: (row[0], row[1])):
        if reached <= start < end <= size:
            spans.append((start, end, number, reference))
            reached = end
    return spans


def _format_source(run: RunView, data: bytes, spans: Sequence[tuple[int, int, int, Json]]) -> str:
    encoding = _choose_encoding(data)
    keys = {reference["key"]: number for number, reference in reversed(list(enumerate(run.references)))}
    return (
        f'<pre class="source" tabindex="0">{"".join(_generate_pieces(run, data, spans, encoding, keys))}'
        "</pre>\n"
    )


def _generate_pieces(
    run: RunView,
    data: bytes,
    spans: Sequence[tuple[int, int, int, Json]],
    encoding: str,
    keys: dict[str, int],
) -> Iterator[str]:
    shown = data[:MAX_TEXT]
    at = 0
    for start, end, number, reference in spans:
        if end > len(shown):
            break
        yield _format_prose(run, shown[at:start].decode(encoding, "replace"), keys)
        yield _format_mark(run, number, reference, escape_block(shown[start:end].decode(encoding, "replace")))
        at = end
    yield _format_prose(run, shown[at:].decode(encoding, "replace"), keys)
    if len(data) > len(shown):
        yield "\n…"


def _choose_encoding(data: bytes) -> str:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _format_prose(run: RunView, text: str, keys: dict[str, int]) -> str:
    """Return text between references; what cites one of them by its key is a link to it."""
    parts, at = [], 0
    for match in _CITED.finditer(text):
        listed = match["tex"] or match["numbers"]
        cited = [key.strip() for key in listed.split(",")] if listed else [match["key"].rstrip(".:?")]
        numbers = [keys[key] for key in cited if key in keys]
        if not numbers:
            continue
        worst = min(numbers, key=lambda n: RANK[run.references[n]["label"]])
        reference = run.references[worst]
        parts.append(escape_block(text[at : match.start()], len(text)))
        label = escape_text(f"{describe_verdict(reference)}: {describe_title(reference)}", 200)
        parts.append(
            f'<a class="cite {CLASSES[reference["label"]]}" href="{_locate_reference(run, worst)}" '
            f'title="{label}">{escape(match[0])}</a>'
        )
        at = match.end()
    parts.append(escape_block(text[at:], len(text)))
    return "".join(parts)


def _locate_reference(run: RunView, number: int) -> str:
    return make_address(f"{run.base}/references/{number + 1}")


def _format_mark(run: RunView, number: int, reference: Json, inside: str) -> str:
    label = escape_text(f"{describe_verdict(reference)}: {describe_title(reference)}", 200)
    return (
        f'<mark class="{CLASSES[reference["label"]]}" id="r{number + 1}"><a href="'
        f'{_locate_reference(run, number)}" '
        f'title="{label}"><span class="sign">{SIGNS[reference["label"]]}<span class="hear"> '
        f"{escape_text(describe_verdict(reference))}: </span>"
        f"</span>{inside}</a></mark>"
    )


def _format_plain_list(run: RunView, marked: Sequence[tuple[int, Json]]) -> str:
    """Return the references in order, for what has no text of its own to show."""
    items = "".join(
        f"<li>{_format_mark(run, number, r, escape_block(r['raw'], 2000))}</li>" for number, r in marked
    )
    return f'<ol class="plain-list">{items}</ol>\n' if items else "<p>There is no text to show.</p>\n"


def _format_picture(run: RunView, page: DocumentPage, here: Sequence[tuple[int, Json]]) -> str:
    width, height = f"{page.width:.1f}", f"{page.height:.1f}"
    boxes = "".join(_format_box(run, number, r) for number, r in here if r["location"]["box"])
    return (
        f'<svg class="picture" viewBox="0 0 {width} {height}" role="group" aria-label="Page {page.number}">'
        f'<image href="{page.address}" width="{width}" height="{height}"><title>Page {page.number}'
        "</title></image>"
        f"{boxes}</svg>\n"
    )


def _format_box(run: RunView, number: int, reference: Json) -> str:
    left, top, right, bottom = reference["location"]["box"]
    label = escape_text(f"{describe_verdict(reference)}: {describe_title(reference)}", 200)
    return (
        f'<a href="{_locate_reference(run, number)}" aria-label="{label}"><rect class="'
        f'{CLASSES[reference["label"]]}" '
        f'x="{left - 2:.1f}" y="{top - 1:.1f}" width="{max(right - left, 1) + 4:.1f}" '
        f'height="{max(bottom - top, 1) + 2:.1f}" rx="2"><title>{label}</title></rect></a>'
    )


def _format_pages(run: RunView, file: str, page: DocumentPage, marked: Sequence[tuple[int, Json]]) -> str:
    """Return links to the pages of a short document; of a long one to those with references, and the next."""
    counts: dict[int, int] = {}
    for _, reference in marked:
        if number := reference["location"]["page"]:
            counts[number] = counts.get(number, 0) + 1
    near = {n for n in (1, page.number - 1, page.number, page.number + 1) if 1 <= n <= page.pages}
    if page.pages <= FEW_PAGES:
        near = set(range(1, page.pages + 1))
    links = []
    for number in sorted({*counts, *near})[:200]:
        here = ' aria-current="page"' if number == page.number else ""
        count = f' <span class="dim">({counts[number]})</span>' if number in counts else ""
        address = make_address(f"{run.base}/document", {"file": file, "page": number})
        links.append(f'<a href="{address}"{here}>{number}{count}</a>')
    return f'<nav class="pager" aria-label="Pages of the document">Page {" ".join(links)}</nav>\n'


class DocumentPages:
    """Shows documents. Safe between threads."""

    def __init__(self, jobs: JobStore) -> None:
        self._jobs = jobs
        self._pictures: OrderedDict[tuple[str, int], PagePicture] = OrderedDict()
        self._lock = threading.Lock()

    def format_view(self, run: RunView, file: str, page: str) -> str:
        """Return the page with the document of a run; `file` and `page` are as asked for."""
        name = find_document(file, run.documents).partition("!/")[0] if file and run.documents else run.name
        if name not in run.documents:
            name = run.name
        data = self._jobs.read_input(run.id)
        if any("!/" in reference["location"]["file"] for reference in run.references):
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
    cited = {reference["location"]["file"] for reference in run.references}
    shown = [name for name in members if name in cited or name.endswith(_PROSE)]
    main = [name for name in shown if b"\\begin{document}" in members[name]]
    if not shown:
        return format_text_view(run, archive, data)
    chosen = file if file in members else (main or shown)[0]
    return format_text_view(run, chosen, members[chosen], [name for name in shown if name != chosen])
