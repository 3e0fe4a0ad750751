"""One reference of a run: a line, and below it what was claimed next to what was found.

Made from the JSON of a report, so that a stored run shows as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from urllib.parse import quote, urlencode

from citeproof.answers.reporters import wording
from citeproof.answers.reporters.html.page_parts import escape_text
from citeproof.answers.reporters.html.reference_block import RESOLVERS, SIGNS
from citeproof.answers.reporters.wording import split_differences
from citeproof.answers.serializers import Json
from citeproof.surfaces.web.page_frame import escape_block
from citeproof.vocabulary import COULD_NOT_CHECK, Reason

SEARCHES = {
    "Crossref": ("https://search.crossref.org/search/works", "q"),
    "OpenAlex": ("https://openalex.org/works", "search"),
    "Semantic Scholar": ("https://www.semanticscholar.org/search", "q"),
    "Google Scholar": ("https://scholar.google.com/scholar", "q"),
}
_MOST_CANDIDATES = 5
_REASONS = {str(reason): reason.meaning for reason in Reason}
_OUTCOMES = {
    "same": "same",
    "variant": "variant",
    "differs": "differs",
    "absent": "not cited",
    "unknown": "unknown",
}


def describe_verdict(reference: Json) -> str:
    """Return label and verdict in a few words: `MINOR matched`, `could not check`."""
    if reference["verdict"] == "unchecked":
        return COULD_NOT_CHECK
    return f"{reference['label']} {reference['verdict'].replace('_', ' ')}"


def describe_title(reference: Json) -> str:
    """Return what the reference calls itself: its claimed title, else its raw text, and whose it is."""
    title, matched = reference["claimed"]["title"], reference["matched"]
    if not title and matched and len(reference["raw"]) <= wording.BARE:
        return f"“{matched['title']}” ({reference['raw']})"
    return str(title or reference["raw"])


def format_summary_line(reference: Json, place: str) -> str:
    """Return the line that stands for a reference; `place` is where it is in the document."""
    sign = SIGNS[reference["label"]]
    return (
        f"<b>{sign} {escape_text(describe_verdict(reference))}</b>{_format_loud_chips(reference)} "
        f"{escape_text(describe_title(reference), 200)} "
        f'<span class="dim">{escape_text(reference["key"], 80)}{" · " if place else ""}'
        f"{escape_text(place)}</span>"
    )


def describe_place(reference: Json, *, with_file: bool) -> str:
    """Return where a reference stands: `refs.bib, line 12`, `page 7`."""
    where = reference["location"]
    spot = f"page {where['page']}" if where["page"] is not None else f"line {where['line'] or 1}"
    return f"{where['file']}, {spot}" if with_file and where["file"] else spot


def format_details(reference: Json) -> str:
    """Return all that is known about a reference: the explanation first, then the evidence."""
    return "".join(
        (
            (
                f"<p>{escape_text(reference['explanation'], 2000)} "
                f'<span class="dim">{_describe_score(reference)}</span></p>\n'
            ),
            format_chips(reference["findings"]),
            _format_field_table(reference),
            _format_correction(reference["correction"]),
            _format_look_up(reference),
            _format_candidates(reference["candidates"]),
            _format_sources(reference["provenance"]),
            (
                '<details class="more"><summary>As it stands in the document</summary>'
                f"<pre>{escape_block(reference['raw'])}</pre></details>\n"
            ),
            _format_technical(reference),
        )
    )


def _describe_score(reference: Json) -> str:
    if reference["score"] is None:
        return ""
    sure = reference["confidence"]
    parts = (
        f", confidence {min(sure, 0.99):.2f} ({escape_text(str(reference['band']))})"
        if sure is not None
        else ""
    )
    return f"score {reference['score']:.1f}/10{parts}"


def format_chips(findings: Sequence[Json]) -> str:
    """Return the integrity chips: what was found, what could not be checked, what is clear."""
    order = {"finding": 0, "unchecked": 1, "clear": 2}
    chips = "".join(
        f"<li>{_format_chip(finding)}</li>"
        for finding in sorted(findings, key=lambda f: order.get(f["state"], 3))
    )
    return f'<ul class="chips" aria-label="Integrity checks">{chips}</ul>\n' if chips else ""


def _format_chip(finding: Json) -> str:
    name, detail = finding["name"].replace("_", " "), finding["detail"]
    words = {"finding": f"⚠ {name}", "unchecked": f"not checked: {name}", "clear": f"no sign of: {name}"}
    label = words.get(finding["state"], name) + (f": {detail}" if detail else "")
    source = f" ({finding['source']})" if finding["source"] and finding["state"] == "finding" else ""
    return (
        f'<span class="chip {escape_text(finding["state"])} {escape_text(finding.get("level", ""))}">'
        f"{escape_text(label + source, 400)}</span>"
    )


def _format_loud_chips(reference: Json) -> str:
    flagged = (f for f in reference["findings"] if f["state"] == "finding" and f.get("level") != "note")
    names = [*reference.get("signs", ()), *(finding["name"] for finding in flagged)]
    return "".join(
        f' <span class="chip finding">⚠ {escape_text(name.replace("_", " "))}</span>' for name in names
    )


def _format_field_table(reference: Json) -> str:
    """Return the fields side by side; what differs is marked word by word."""
    mismatches = reference["mismatches"]
    differing = {mismatch["field"] for mismatch in mismatches}
    rows = [dict(mismatch, outcome="differs") for mismatch in mismatches]
    rows += [c for c in reference["comparisons"] if c["claimed"] and c["field"] not in differing]
    if not rows:
        rows = [
            {"field": name, "claimed": value, "resolved": "", "outcome": "", "reason": ""}
            for name, value in _list_claimed(reference["claimed"])
        ]
    notes = [dict(note, outcome="note") for note in reference["notes"] if note["field"] not in differing]
    noted = {note["field"] for note in notes}
    every = [row for row in rows if row["field"] not in noted] + notes
    if not every:
        return ""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("field", "claimed", "found", "result"))
    body = "".join(_format_field_row(item) for item in every)
    return f'<table class="fields"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>\n'


def _list_claimed(claimed: Json) -> Iterator[tuple[str, str]]:
    for name in ("title", "authors", "year", "venue", "volume", "issue", "pages", "publisher"):
        value = format_names(claimed["authors"]) if name == "authors" else claimed[name]
        if value:
            yield name, str(value)
    yield from claimed["ids"].items()


def format_names(names: Sequence[Json], most: int = 8) -> str:
    """Return authors as text: `Ada Lovelace, Charles Babbage and 3 more`."""
    shown = [name.get("literal") or f"{name['given']} {name['family']}".strip() for name in names[:most]]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown) + more


def _format_field_row(row: Mapping[str, object]) -> str:
    claimed, resolved = str(row["claimed"] or ""), str(row["resolved"] or "")
    mine, theirs = escape_text(claimed), escape_text(resolved)
    outcome, reason = str(row["outcome"]), str(row["reason"])
    if outcome == "differs" and resolved:
        left, right = split_differences(claimed, resolved)
        mine = "".join(f"<del>{escape(p.text)}</del>" if p.changed else escape(p.text) for p in left)
        theirs = "".join(f"<ins>{escape(p.text)}</ins>" if p.changed else escape(p.text) for p in right)
    result = f"<strong>{escape_text(_OUTCOMES.get(outcome, outcome))}</strong>" if outcome else ""
    if reason and reason != "same":
        meaning = _REASONS.get(reason, "")
        result += f" <code>{escape_text(reason)}</code>"
        result += f'<br><span class="dim">{escape_text(meaning)}</span>' if meaning else ""
    if detail := row.get("detail"):
        result += f'<br><span class="dim">{escape_text(str(detail), 400)}</span>'
    return (
        f'<tr class="{escape_text(outcome)}"><th scope="row">{escape_text(str(row["field"]))}</th>'
        f'<td data-name="claimed">{mine}</td><td data-name="found">{theirs or "–"}</td><td '
        f'data-name="result">{result}</td></tr>'
    )


def _format_correction(correction: Json | None) -> str:
    if not correction:
        return ""
    items = ""
    for change in correction["changes"]:
        shown = " → ".join(escape_text(str(change[side] or "–"), 300) for side in ("claimed", "resolved"))
        doubt = ' <span class="dim">(please check)</span>' if change["level"] != "safe" else ""
        items += f"<li><b>{escape_text(change['field'])}</b>: {shown}{doubt}</li>"
    return f"<h3>Suggested correction</h3>\n<ul>{items}</ul>\n"


def _format_look_up(reference: Json) -> str:
    """Return links with which a person can look for the work."""
    links: dict[str, None] = {}
    for ids in ((reference["matched"] or {}).get("ids", {}), reference["claimed"]["ids"]):
        links.update(dict.fromkeys(_list_id_links(ids)))
    title = reference["claimed"]["title"] or reference["raw"][:200]
    for name, (address, field) in SEARCHES.items():
        links[_format_link(f"{address}?{urlencode({field: wording.show_line(title, 300)})}", name)] = None
    return f'<h3>Look for yourself</h3>\n<p class="links">{" ".join(links)}</p>\n'


def _list_id_links(ids: Mapping[str, str]) -> Iterator[str]:
    for scheme, resolver in RESOLVERS.items():
        if value := ids.get(scheme):
            yield _format_link(resolver + quote(value, safe="/:;.()"), f"{scheme}:{value}")
    url = ids.get("url", "")
    if url.lower().startswith(("https://", "http://")):
        yield _format_link(url, url)


def _format_link(address: str, words: str) -> str:
    return f'<a rel="noopener noreferrer" href="{escape(address, quote=True)}">{escape_text(words, 120)}</a>'


def _format_candidates(candidates: Sequence[Json]) -> str:
    if not candidates:
        return ""
    items = "".join(f"<li>{_format_candidate(candidate)}</li>" for candidate in candidates[:_MOST_CANDIDATES])
    more = len(candidates) - _MOST_CANDIDATES
    rest = f'<p class="dim">and {more} more</p>' if more > 0 else ""
    return (
        f'<details class="more"><summary>Candidates ({len(candidates)})</summary>'
        f"<ol>{items}</ol>{rest}</details>\n"
    )


def _format_candidate(candidate: Json) -> str:
    record = candidate["record"]
    facts = [format_names(record["authors"], 3), str(record["year"] or ""), record["venue"] or ""]
    via = f"found by {', '.join(candidate['via'])} in {', '.join(candidate['registries'])}"
    links = " ".join(_list_id_links(record["ids"]))
    weak = "; weak record" if candidate["weak"] else ""
    return (
        f"<b>{escape_text(record['title'], 300)}</b><br>"
        f"{escape_text(' · '.join(filter(None, facts)), 400)}<br>"
        f'<span class="dim">title similarity {candidate["score"]:.2f}; {escape_text(via, 300)}{weak}'
        f"</span> {links}"
    )


def _format_sources(provenance: Json) -> str:
    rows = "".join(_format_answer(a, provenance["unchecked"]) for a in provenance["registries_searched"])
    stops = "".join(
        f'<p class="dim">Not asked ({escape_text(stop["reason"].replace("_", " "))}): '
        f"{escape_text(', '.join(stop['not_asked']), 400)}</p>"
        for stop in provenance["stops"]
        if stop["not_asked"]
    )
    if not rows and not stops:
        return ""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("source", "asked by", "answer"))
    table = (
        f'<table class="answers"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>' if rows else ""
    )
    count = len(provenance["registries_searched"])
    questions = wording.format_count(count, "question")
    return f'<details class="more"><summary>Sources asked ({questions})</summary>{table}{stops}</details>\n'


def _format_answer(lookup: Json, unchecked: Sequence[Json]) -> str:
    if lookup["ok"]:
        answer = (
            f"found {wording.format_count(lookup['count'], 'record')}" if lookup["count"] else "has nothing"
        )
        if lookup["reach"] and not lookup["count"]:
            answer += f" ({lookup['reach']})"
    else:
        detail = next(
            (
                gap["detail"]
                for gap in unchecked
                if gap["registry"] == lookup["registry"] and gap["by"] == lookup["by"]
            ),
            "",
        )
        answer = f"could not answer: {detail or wording.CAUSES.get(lookup['reason'], lookup['reason'])}"
    return (
        f'<tr><th scope="row">{escape_text(lookup["registry"])}</th><td>{escape_text(lookup["by"])}</td>'
        f"<td>{escape_text(answer, 400)}</td></tr>"
    )


def _format_technical(reference: Json) -> str:
    facts = {
        "reason codes": ", ".join(reference["reasons"]),
        "type": reference["type"],
        "record": " ".join(
            str((reference["matched"] or {}).get(name, "")) for name in ("source", "id")
        ).strip(),
        "judge": reference["provenance"]["judge"],
        "stages run": ", ".join(reference["provenance"]["stages_run"]),
        "fingerprint": reference["fingerprint"],
    }
    rows = "".join(
        f"<dt>{name}</dt><dd><code>{escape_text(value)}</code></dd>" for name, value in facts.items() if value
    )
    return f'<details class="more"><summary>Reason codes and provenance</summary><dl>{rows}</dl></details>\n'
