"""The documents of stored runs, read again to be shown; PDF pages are drawn in a child with limits."""

from __future__ import annotations

import threading
from collections import OrderedDict

from citeproof.extractors.archive.text_members import read_text_members
from citeproof.extractors.exhibits.page_pictures import PagePicture, draw_page
from citeproof.stores.job_store import JobStore
from citeproof.surfaces.web.document_view import (
    DocumentPage,
    choose_page,
    format_pdf_view,
    format_text_view,
    is_pdf,
    list_marked,
)
from citeproof.surfaces.web.page_frame import make_address
from citeproof.surfaces.web.run_view import RunView, find_document

_KEPT = 16  # pictures that stay in memory
_PROSE = (".tex", ".md", ".qmd", ".rmd", ".txt", ".typ")  # of an archive, shown also without a reference


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
        if any("!/" in one["location"]["file"] for one in run.references):
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
    cited = {one["location"]["file"] for one in run.references}
    shown = [name for name in members if name in cited or name.endswith(_PROSE)]
    main = [name for name in shown if b"\\begin{document}" in members[name]]
    if not shown:
        return format_text_view(run, archive, data)
    chosen = file if file in members else (main or shown)[0]
    return format_text_view(run, chosen, members[chosen], [name for name in shown if name != chosen])
