"""One reference of a run in words: what a page says of it, next to what was claimed and found.

Made from the JSON of a report, so that a stored run shows as it was. `VIEWS` is what templates call, those of
the report that is one file and those of the web pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from citeproof.answers.reporters import wording
from citeproof.answers.serializers import Json
from citeproof.errors import format_count
from citeproof.vocabulary import COULD_NOT_CHECK, NOT_CHECKED, Label, Reason

CLASSES = {
    Label.MAJOR: "major", Label.MINOR: "minor", None: "open", Label.NOTED: "noted", Label.EXACT: "exact",
}  # worst first # fmt: skip
SIGNS = {Label.EXACT: "✓", Label.NOTED: "≈", Label.MINOR: "~", Label.MAJOR: "✗", None: "?"}
LEGEND = {  # label, in the order of a bar: what it is called, and what it means
    Label.EXACT: ("exact", "real, and cited as it is"),
    Label.NOTED: ("with a note", "real; a small difference has an explanation"),
    Label.MINOR: ("minor", "real, but details are wrong"),
    Label.MAJOR: ("major", "not found, or another work"),
    None: (NOT_CHECKED, "no source could say: no verdict"),
}
RESOLVERS = {
    "doi": "https://doi.org/", "arxiv": "https://arxiv.org/abs/", "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/", "isbn": "https://openlibrary.org/isbn/",
    "ads": "https://ui.adsabs.harvard.edu/abs/",
}  # fmt: skip
SEARCHES = {
    "Crossref": ("https://search.crossref.org/search/works", "q"),
    "OpenAlex": ("https://openalex.org/works", "search"),
    "Semantic Scholar": ("https://www.semanticscholar.org/search", "q"),
    "Google Scholar": ("https://scholar.google.com/scholar", "q"),
}
Link = tuple[str, str]  # address and words


def describe_verdict(reference: Json) -> str:
    """Return label and verdict in a few words: `MINOR matched`, `could not check (accepted)`."""
    own = reference.get("fingerprint")
    known = " (accepted)" * any(each["fingerprint"] == own for each in reference.get("accepted", ()))
    if reference["verdict"] == "unchecked":
        return COULD_NOT_CHECK + known
    return f"{reference['label']} {reference['verdict'].replace('_', ' ')}{known}"


def describe_title(reference: Json) -> str:
    """Return what the reference calls itself: its claimed title, else its raw text, and whose it is."""
    title, matched = reference["claimed"]["title"], reference["matched"]
    if not title and matched and len(reference["raw"]) <= wording.BARE:
        return f"“{matched['title']}” ({reference['raw']})"
    return str(title or reference["raw"])


def describe_place(reference: Json, *, with_file: bool) -> str:
    """Return where a reference stands: `refs.bib, line 12`, `page 7`."""
    where = reference["location"]
    spot = f"page {where['page']}" if where["page"] is not None else f"line {where['line'] or 1}"
    return f"{where['file']}, {spot}" if with_file and where["file"] else spot


def describe_score(reference: Json) -> str:
    """Return score and confidence; empty for what could not be checked."""
    if reference["score"] is None:
        return ""
    sure = reference["confidence"]
    parts = f", confidence {min(sure, 0.99):.2f} ({reference['band']})" if sure is not None else ""
    return f"score {reference['score']:.1f}/10{parts}"


def has_finding(reference: Json) -> bool:
    """Return whether an integrity check found something that is more than a note."""
    return any(map(_is_loud, reference["findings"]))


def _is_loud(finding: Json) -> bool:
    return finding["state"] == "finding" and finding.get("level") != "note"


def is_problem(reference: Json) -> bool:
    """Return whether a person should look at a reference."""
    return reference["label"] in ("MAJOR", "MINOR") or has_finding(reference)


def list_loud_names(reference: Json) -> list[str]:
    """Return what must not be overlooked: the signs of invention, and what the integrity checks found."""
    return [*reference.get("signs", ()), *(f["name"] for f in filter(_is_loud, reference["findings"]))]


class Chip(NamedTuple):
    """The outcome of an integrity check."""

    style: str
    words: str


def list_chips(findings: Sequence[Json]) -> list[Chip]:
    """Return what the integrity checks found; what they did not is a technical fact."""
    chips = []
    for finding in (f for f in findings if f["state"] == "finding"):
        detail, source = finding["detail"], finding["source"]
        words = f"⚠ {finding['name'].replace('_', ' ')}" + f": {detail}" * bool(detail)
        chips.append(Chip(f"finding {finding.get('level', '')}", words + f" ({source})" * bool(source)))
    return chips


def list_field_rows(reference: Json) -> list[Json]:
    """Return the fields side by side: what differs, what was compared, notes; else what is claimed."""
    mismatches = reference["mismatches"]
    differing = {mismatch["field"] for mismatch in mismatches}
    rows = [dict(mismatch, outcome="differs") for mismatch in mismatches]
    rows += [c for c in reference["comparisons"] if c["claimed"] and c["field"] not in differing]
    if not rows:
        claimed = reference["claimed"]
        fields = {name: claimed[name] for name in ("title", "authors", "year", "venue", "volume")}
        fields |= {name: claimed[name] for name in ("issue", "pages", "publisher")} | claimed["ids"]
        fields["authors"] = format_names(claimed["authors"])
        rows = [
            {"field": name, "claimed": value, "resolved": "", "outcome": "", "reason": ""}
            for name, value in fields.items()
            if value
        ]
    notes = [dict(note, outcome="note") for note in reference["notes"] if note["field"] not in differing]
    noted = {note["field"] for note in notes}
    return [{"detail": ""} | row for row in [*(row for row in rows if row["field"] not in noted), *notes]]


def format_names(names: Sequence[Json], most: int = 8) -> str:
    """Return authors as text: `Ada Lovelace, Charles Babbage and 3 more`."""
    shown = [name.get("literal") or f"{name['given']} {name['family']}".strip() for name in names[:most]]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown) + more


def describe_work(record: Json) -> str:
    """Return who wrote what, where and when."""
    facts = [format_names(record["authors"], 4), record["title"], record["venue"], str(record["year"] or "")]
    return ". ".join(filter(None, facts))


def list_look_ups(reference: Json) -> list[Link]:
    """Return links with which a person can look for the work."""
    matched, claimed = (reference["matched"] or {}).get("ids", {}), reference["claimed"]
    title = wording.show_line(claimed["title"] or reference["raw"][:200], 300)
    asked = quote_plus(title)
    searches = [(f"{at}?{field}={asked}", name) for name, (at, field) in SEARCHES.items()]
    return list(dict.fromkeys([*list_id_links(matched), *list_id_links(claimed["ids"]), *searches]))


def list_id_links(ids: Mapping[str, str]) -> Iterator[Link]:
    """Yield a link for each identifier that can be opened."""
    for scheme, resolver in RESOLVERS.items():
        if value := ids.get(scheme):
            yield resolver + quote(value, safe="/:;.()"), f"{scheme}:{value}"
    url = ids.get("url", "")
    if url.lower().startswith(("https://", "http://")):
        yield url, url


def describe_answer(lookup: Json, unchecked: Sequence[Json]) -> str:
    """Return what a source answered, or why it did not."""
    if lookup["count"] and lookup["ok"]:
        return f"found {format_count(lookup['count'], 'record')}"
    if lookup["ok"]:
        return f"has nothing ({lookup['reach']})" if lookup["reach"] else "has nothing"
    asked = (lookup["registry"], lookup["by"])
    detail = next((gap["detail"] for gap in unchecked if (gap["registry"], gap["by"]) == asked), "")
    return f"could not answer: {detail or wording.CAUSES.get(lookup['reason'], lookup['reason'])}"


_QUIET = {"clear": "no sign of", "unchecked": "not checked"}


def _name_checks(findings: Sequence[Json], state: str) -> str:
    named = (
        f["name"].replace("_", " ") + f" ({f['detail']})" * bool(f["detail"])
        for f in findings
        if f["state"] == state
    )
    return ", ".join(named)


def count_shares(labels: Mapping[str | None, int]) -> list[tuple[str | None, int, float, float]]:
    """Return the parts of a bar: label, count, where it begins and how wide it is, of 100."""
    total, at = max(1, sum(labels.values())), 0.0
    shares: list[tuple[str | None, int, float, float]] = []
    for label in LEGEND:
        if count := labels.get(label, 0):
            shares.append((label, count, at, 100 * count / total))
            at += 100 * count / total
    return shares


def list_technical_facts(reference: Json) -> list[tuple[str, str]]:
    """Return what a person wants to know who asks how it was done."""
    matched, provenance = reference["matched"] or {}, reference["provenance"]
    return [
        ("reason codes", ", ".join(reference["reasons"])),
        ("type", reference["type"]),
        ("record", f"{matched.get('source', '')} {matched.get('id', '')}".strip()),
        ("judge", provenance["judge"]),
        *((words, _name_checks(reference["findings"], state)) for state, words in _QUIET.items()),
        ("stages run", ", ".join(provenance["stages_run"])),
        ("fingerprint", reference["fingerprint"]),
    ]


VIEWS = {
    "CLASSES": CLASSES,
    "LEGEND": LEGEND,
    "SIGNS": SIGNS,
    "OUTCOMES": {"absent": "not cited"},  # all others are called as they are
    "REASONS": {str(reason): reason.meaning for reason in Reason},
    "split_differences": wording.split_differences,
    **{
        view.__name__: view
        for view in (
            count_shares, describe_answer, describe_place, describe_score, describe_title,
            describe_verdict, describe_work, format_names, is_problem, list_chips, list_field_rows,
            list_id_links, list_look_ups, list_loud_names, list_technical_facts,
        )
    },
}  # fmt: skip
