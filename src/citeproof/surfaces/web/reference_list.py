"""Which references of a run a page shows, and in what order: the filter, the sort, the search, the pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from citeproof.answers.reporters.html.reference_view import (
    CLASSES,
    describe_title,
    format_names,
    has_finding,
    is_problem,
)
from citeproof.answers.serializers import Json
from citeproof.surfaces.web.run_view import RunView, find_document
from citeproof.text.title import fold_title

PER_PAGE = 50
_MOST_WORDS = 20  # of a search
RANK = {label: rank for rank, label in enumerate(CLASSES)}
FILTERS = {
    "all": "all", "problems": "problems", "major": "MAJOR", "minor": "MINOR", "open": "not checked",
    "noted": "NOTED", "exact": "EXACT", "signs": "signs of invention", "findings": "integrity findings",
    "undecided": "problems not decided", "decided": "decided",
}  # fmt: skip
SORTS = {
    "problems": "problems first", "document": "as in the document", "confidence": "least sure first",
    "title": "title", "year": "newest first",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a person asked to see."""

    show: str = "all"
    sort: str = "problems"
    words: str = ""
    file: str = ""
    page: int = 1

    @classmethod
    def read(cls, given: Mapping[str, str]) -> ListQuery:
        """Return the query of an address; what is not known there is left at its default."""
        show, sort = given.get("show", ""), given.get("sort", "")
        page = given.get("page", "")
        return cls(
            show if show in FILTERS else "all",
            sort if sort in SORTS else "problems",
            given.get("q", "")[:200],
            given.get("file", "")[:1000],
            int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
        )

    def list_parts(
        self, *, show: str | None = None, file: str | None = None, page: int | None = None
    ) -> dict[str, object]:
        """Return the query as parts of an address, with changes; defaults are left out."""
        query = replace(
            self,
            show=self.show if show is None else show,
            file=self.file if file is None else file,
            page=self.page if page is None else page,
        )
        return {
            "show": query.show if query.show != "all" else "",
            "sort": query.sort if query.sort != "problems" else "",
            "q": query.words,
            "file": query.file,
            "page": query.page if query.page > 1 else "",
        }


@dataclass(frozen=True, slots=True)
class ListPage:
    """The references of one page, each with its number in the run, from 0."""

    rows: Sequence[tuple[int, Json]]
    found: int
    page: int
    pages: int
    counts: Mapping[str, int]  # of each filter


def select_references(run: RunView, query: ListQuery) -> ListPage:
    """Return what a query shows of a run."""
    rows = [
        (n, reference)
        for n, reference in enumerate(run.references)
        if not query.file or find_document(reference["location"]["file"], run.documents) == query.file
    ]
    if words := fold_title(query.words).split()[:_MOST_WORDS]:
        rows = [row for row in rows if _has_words(row[1], words)]
    tests = _make_tests(run)
    counts = {name: sum(test(n, reference) for n, reference in rows) for name, test in tests.items()}
    shown = [row for row in rows if tests[query.show](*row)]
    shown.sort(key=_SORT_KEYS[query.sort])
    pages = max(1, -(-len(shown) // PER_PAGE))
    page = min(max(1, query.page), pages)
    return ListPage(shown[(page - 1) * PER_PAGE : page * PER_PAGE], len(shown), page, pages, counts)


def _make_tests(run: RunView) -> dict[str, Callable[[int, Json], bool]]:
    return {
        "all": lambda _, __: True,
        "problems": lambda _, row: is_problem(row),
        "major": lambda _, row: row["label"] == "MAJOR",
        "minor": lambda _, row: row["label"] == "MINOR",
        "open": lambda _, row: row["label"] is None,
        "noted": lambda _, row: row["label"] == "NOTED",
        "exact": lambda _, row: row["label"] == "EXACT",
        "signs": lambda _, row: bool(row.get("signs")),
        "findings": lambda _, row: has_finding(row),
        "undecided": lambda n, row: is_problem(row) and n not in run.decisions,
        "decided": lambda n, _: n in run.decisions,
    }


_SORT_KEYS: dict[str, Callable[[tuple[int, Json]], tuple[float | str, ...]]] = {
    "problems": lambda row: (_rank_problem(row[1]), row[0]),
    "document": lambda row: (row[0],),
    "confidence": lambda row: (row[1]["confidence"] if row[1]["confidence"] is not None else -1.0, row[0]),
    "title": lambda row: (fold_title(describe_title(row[1])[:300]), row[0]),
    "year": lambda row: (-(row[1]["claimed"]["year"] or 0), row[0]),
}


def _rank_problem(reference: Json) -> int:
    """Return how early a reference stands: a finding lifts what would be right otherwise."""
    rank = RANK[reference["label"]]
    return min(rank, 1) if has_finding(reference) else rank


def _has_words(reference: Json, words: Sequence[str]) -> bool:
    claimed = reference["claimed"]
    text = fold_title(
        " ".join(
            (
                reference["key"],
                reference["raw"][:2000],
                claimed["title"] or "",
                format_names(claimed["authors"], 100),
            )
        )
    )
    return all(word in text for word in words)
