"""The page of a run: how far it is, its documents, its references with filter and sort, downloads."""

from __future__ import annotations

from collections.abc import Iterator

from citeproof.answers.reporters.base import list_downloads
from citeproof.answers.reporters.html.page_parts import escape_text
from citeproof.answers.reporters.html.reference_block import CLASSES
from citeproof.answers.reporters.wording import describe_labels, format_count
from citeproof.answers.serializers import Json
from citeproof.answers.serializers.report import tally_signs
from citeproof.surfaces.web.claim_page import format_claims
from citeproof.surfaces.web.decision_form import DECISIONS, format_decision_form
from citeproof.surfaces.web.front_page import STATES
from citeproof.surfaces.web.page_frame import (
    WebFrame,
    format_choices,
    format_hidden,
    format_page,
    make_address,
)
from citeproof.surfaces.web.reference_list import (
    FILTERS,
    SORTS,
    ListPage,
    ListQuery,
    is_problem,
    select_references,
)
from citeproof.surfaces.web.reference_view import (
    describe_place,
    describe_title,
    format_chips,
    format_details,
    format_summary_line,
)
from citeproof.surfaces.web.run_view import CLAIMS, DocumentTally, RunView, count_labels, tally_documents
from citeproof.vocabulary import CHECKED_AGAINST, NOT_READ

REFRESH = 3  # seconds after which a browser without script asks again
CHECK_FORMATS = list_downloads()
CLAIM_FORMATS = tuple(form for form in CHECK_FORMATS if form != "html")  # which the page of claims is itself
_FEW = 12  # references up to which problems are shown opened


def format_run_page(run: RunView, query: ListQuery) -> str:
    """Return the page of a run."""
    frame = WebFrame(
        run.name, refresh=0 if run.ended else REFRESH, lead=_format_lead(run), named=not run.read_only
    )
    return format_page(frame, _generate_parts(run, query))


def format_reference_page(run: RunView, number: int) -> str:
    """Return the page of one reference."""
    reference = run.references[number]
    place = describe_place(reference, with_file=True)
    title = f"{describe_title(reference)[:120]}"
    back = f'<p><a href="{make_address(run.base)}">← {escape_text(run.name, 120)}</a></p>\n'
    body = (
        f'<article class="{CLASSES[reference["label"]]} whole"><p class="line">'
        f"{format_summary_line(reference, place)}</p>"
        f'<div class="inside">{_format_inside(run, number, reference)}</div></article>\n'
    )
    return format_page(WebFrame(title, lead=back, named=not run.read_only), (body,))


def _generate_parts(run: RunView, query: ListQuery) -> Iterator[str]:
    yield _format_progress(run)
    yield _format_problems(run)
    if run.kind == CLAIMS:
        if run.claims:
            yield from format_claims(run.claims)
        yield _format_actions(run)
        return
    yield _format_document_table(run, query)
    yield _format_set_findings(run)
    if run.references:
        yield from _generate_list(run, query)
    elif run.state == "done":
        yield "<p>No reference was found in what you handed over.</p>\n"
    yield _format_actions(run)


def _format_lead(run: RunView) -> str:
    labels = count_labels(run.references)
    counts = describe_labels(
        {label or "none": count for label, count in labels.items()}, tally_signs(run.references)
    )
    lead = f"<p><strong>{counts}.</strong></p>\n" if labels else ""
    facts = []
    if run.head:
        about = run.head["run"]
        facts.append(f"{CHECKED_AGAINST} {about['checked_against']}" if run.references or run.claims else "")
        facts.append("offline" if about["offline"] else "")
        facts.append(f"started {about['started'][:16].replace('T', ' ')} UTC")
    shown = "; ".join(filter(None, facts))
    lead += f'<p class="dim">{escape_text(shown, 2000)}</p>\n' if shown else ""
    return lead + _format_shortcuts(run)


def _format_shortcuts(run: RunView) -> str:
    """Return links to what stands below the list, or on a page of its own."""
    links = [f'<a href="{make_address(f"{run.base}/document")}">Document view</a>'] if run.references else []
    links += ['<a href="#downloads">Downloads</a>'] if run.state == "done" else []
    return f'<p class="links">{" ".join(links)}</p>\n' if links else ""


def _format_progress(run: RunView) -> str:
    """Return how far a run is; the script keeps it up to date."""
    if run.state == "done":
        return ""
    words = STATES.get(run.state, run.state)
    if run.ended:
        why = f": {escape_text(run.error, 2000)}" if run.error else ""
        return (
            '<div class="progress ended" role="alert"><p><b>This run '
            f"{'was ' if run.state == 'cancelled' else ''}{words}</b>{why}</p></div>\n"
        )
    known = run.total is not None
    size = f' max="{max(run.total or 1, 1)}" value="{run.done}"' if known else ""
    progress = f"{run.done:,} of {run.total:,}" if known else "reading the documents"
    path = make_address(f"{run.base}/cancel")
    cancel = "" if run.read_only else f'<form method="post" action="{path}"><button>Cancel</button></form>'
    return (
        f'<div class="progress" id="progress" data-run="{escape_text(run.id)}" data-state="'
        f'{escape_text(run.state)}">'
        f'<progress id="bar"{size} aria-label="progress"></progress> <span id="told" role="status">'
        f"{words}: {progress}</span> {cancel}</div>\n"
    )


def _format_problems(run: RunView) -> str:
    problems = run.head["run"]["problems"] if run.head else []
    if not problems:
        return ""
    items = "".join(_format_problem(problem) for problem in problems[:200])
    loud = sum(not problem["note"] for problem in problems)
    summary = format_count(loud, "problem") if loud else format_count(len(problems), "note")
    return f'<details class="reading"><summary>{summary} while reading</summary><ul>{items}</ul></details>\n'


def _format_problem(problem: Json) -> str:
    where = problem["location"]
    place = ":".join(str(part) for part in (where["file"], where["line"]) if part)
    hint = f' <span class="dim">Hint: {escape_text(problem["mend"])}</span>' if problem["mend"] else ""
    return f"<li>{escape_text(place)}: {escape_text(problem['message'])}{hint}</li>"


def _format_document_table(run: RunView, query: ListQuery) -> str:
    """Return the totals of each document, worst first; a run of one document needs none."""
    tallies = tally_documents(run)
    if len(tallies) < 2:
        return ""
    names = ("document", *(label or "not checked" for label in CLASSES), "total")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "".join(_format_tally(tally, run, query) for tally in tallies)
    return (
        '<section aria-labelledby="documents"><h2 id="documents">Documents</h2>\n'
        f'<table class="tallies"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>\n'
    )


def _format_tally(tally: DocumentTally, run: RunView, query: ListQuery) -> str:
    here = tally.file == query.file
    address = make_address(run.base, query.list_parts(file="" if here else tally.file, page=1), "list")
    link = f'<a href="{address}"{" aria-current=true" if here else ""}>{escape_text(tally.file, 200)}</a>'
    if tally.unread:
        return f'<tr><th scope="row">{link}</th><td colspan="6" class="major">{NOT_READ}</td></tr>\n'
    cells = "".join(
        f'<td class="{style if tally.labels[label] else "none"}" data-name="{label or "not checked"}">'
        f"{tally.labels[label]:,}</td>"
        for label, style in CLASSES.items()
    )
    return f'<tr><th scope="row">{link}</th>{cells}<td data-name="total">{tally.labels.total():,}</td></tr>\n'


def _format_set_findings(run: RunView) -> str:
    findings = [finding for finding in run.findings if finding["state"] == "finding"]
    if not findings:
        return ""
    items = ""
    for finding in findings:
        lines = "".join(f"<li>{escape_text(line, 1000)}</li>" for line in finding.get("evidence", ()))
        more = f'<details class="more"><summary>Evidence</summary><ul>{lines}</ul></details>' if lines else ""
        file = finding["location"]["file"]
        items += f'<li>{format_chips([finding])}<span class="dim">{escape_text(file)}</span>{more}</li>'
    return (
        f'<section class="together"><h2>The references together</h2><ul class="plain">{items}</ul>'
        "</section>\n"
    )


def _generate_list(run: RunView, query: ListQuery) -> Iterator[str]:
    shown = select_references(run, query)
    yield '<section aria-labelledby="list"><h2 id="list">References</h2>\n'
    yield _format_filters(run, query, shown)
    yield _format_sorting(run, query)
    about = f" in {escape_text(query.file, 200)}" if query.file else ""
    yield f'<p class="dim" role="status">{format_count(shown.found, "reference")} shown{about}.</p>\n'
    several = len(run.documents) > 1 and not query.file
    few = sum(is_problem(reference) for _, reference in shown.rows) <= _FEW
    for number, reference in shown.rows:
        yield _format_row(run, number, reference, with_file=several, opened=few and is_problem(reference))
    yield _format_pager(run, query, shown)
    yield "</section>\n"


def _format_row(run: RunView, number: int, reference: Json, *, with_file: bool, opened: bool) -> str:
    decided = run.decisions.get(number)
    mark = f' <span class="chip decided">{DECISIONS[decided.choice]}</span>' if decided else ""
    line = format_summary_line(reference, describe_place(reference, with_file=with_file))
    shown = " open" if opened and not decided else ""
    return (
        f'<article class="{CLASSES[reference["label"]]}" id="r{number + 1}"><details{shown}><summary>{line}'
        f"{mark}</summary>\n"
        f'<div class="inside">{_format_inside(run, number, reference)}</div></details></article>\n'
    )


def _format_inside(run: RunView, number: int, reference: Json) -> str:
    where = make_address(f"{run.base}/document", {"file": reference["location"]["file"]}, f"r{number + 1}")
    links = (
        f'<p class="links"><a href="{where}">Show in the document</a> '
        f'<a href="{make_address(f"{run.base}/references/{number + 1}")}">Link to this reference</a></p>\n'
    )
    return format_details(reference) + links + format_decision_form(run, number)


def _format_filters(run: RunView, query: ListQuery, shown: ListPage) -> str:
    items = ""
    for name, words in FILTERS.items():
        count = shown.counts[name]
        if count or name in ("all", "problems", query.show):
            here = ' aria-current="true"' if name == query.show else ""
            address = make_address(run.base, query.list_parts(show=name, page=1), "list")
            items += f'<li><a href="{address}"{here}>{words} {count:,}</a></li>'
    return f'<nav aria-label="Which references to show"><ul class="filters">{items}</ul></nav>\n'


def _format_sorting(run: RunView, query: ListQuery) -> str:
    kept = "".join(
        format_hidden(name, value)
        for name, value in query.list_parts(page=1).items()
        if value and name in ("show", "file")
    )
    return (
        f'<form class="sorting" method="get" action="{make_address(run.base)}#list" role="search">{kept}'
        f'<label>Search <input type="search" name="q" value="{escape_text(query.words, 200)}" '
        f'placeholder="title, author, key"></label> {format_choices("sort", SORTS, query.sort, "Sort")} '
        "<button>Show</button></form>\n"
    )


def _format_pager(run: RunView, query: ListQuery, shown: ListPage) -> str:
    if shown.pages < 2:
        return ""
    parts = []
    for page in range(1, shown.pages + 1):
        here = ' aria-current="page"' if page == shown.page else ""
        parts.append(
            f'<a href="{make_address(run.base, query.list_parts(page=page), "list")}"{here}>{page}</a>'
        )
    return f'<nav class="pager" aria-label="Pages">{" ".join(parts)}</nav>\n'


def _format_actions(run: RunView) -> str:
    """Return what can be had of a run: downloads, the decisions, a shared address."""
    if run.state != "done" and not run.references and not run.claims:
        return ""
    formats = CLAIM_FORMATS if run.kind == CLAIMS else CHECK_FORMATS
    links = [f'<a href="{make_address(f"{run.base}/report.{form}")}" download>{form}</a>' for form in formats]
    actions = (
        f'<h2 id="downloads">Downloads</h2>\n<p class="links">Report: {" ".join(links)}</p>\n'
        if run.state == "done"
        else ""
    )
    if run.decisions:
        actions += (
            f'<p class="links">Decisions ({len(run.decisions):,}): '
            f'<a href="{make_address(f"{run.base}/ignore.toml")}" download>ignore list</a> '
            f'<a href="{make_address(f"{run.base}/decisions.json")}" download>json</a></p>\n'
        )
    return f'<section class="actions">{actions}{_format_sharing(run)}</section>\n'


def _format_sharing(run: RunView) -> str:
    if run.read_only or not run.ended:
        return ""
    if not run.shared:
        return (
            f'<form method="post" action="{make_address(f"{run.base}/share")}"><button>Share a read-only '
            "report</button> "
            '<span class="dim">Makes an address that cannot be guessed. Who has it can read this report.'
            "</span></form>\n"
        )
    address = f"/shared/{run.shared}"
    return (
        f'<p>Shared, read-only: <a href="{make_address(address)}">{escape_text(address)}</a></p>'
        f'<form method="post" action="{make_address(f"{run.base}/unshare")}"><button>Withdraw this '
        "address</button></form>\n"
    )
