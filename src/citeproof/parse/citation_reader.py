"""Unstructured citation strings to references, in steps."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from citeproof.parse import citation_anchors, name_run, work_kind
from citeproof.parse.citation_anchors import MASK, CitationAnchors
from citeproof.parse.citation_forms import apply_forms
from citeproof.parse.citation_tokens import CitationTokens, split_tokens
from citeproof.parse.field_normalisers import FIELDS
from citeproof.parse.label_stretches import Stretch, find_stretches
from citeproof.parse.markup_removal import LINK, MAX_REFERENCE, strip_markup
from citeproof.parse.people_list import parse_people
from citeproof.parse.publication_year import correct_date, find_own_year
from citeproof.parse.site_titles import find_site_title, is_cut_title
from citeproof.parse.stretch_repair import repair_stretches
from citeproof.parse.style_marks import apply_style_marks, has_type_mark
from citeproof.parse.tagger import load_tagger
from citeproof.parse.title_place import settle_title
from citeproof.parse.token_context import TokenContext, build_context
from citeproof.text import arxiv
from citeproof.text import title as titles
from citeproof.vocabulary import Claimed, FieldOrigin, Ids, Kind, Origin, RawReference, Reference

RULE_TITLE = 0.9  # "X v. Y" before a reporter, "RFC 2616: …": seldom anything else
WORDS_ALONE = 0.5
RULE_YEAR = 0.6  # how often a year is right that a rule finds where the tagger saw none

_SLACK = 3  # characters the rule and the tagger may differ by about the end of the names
_EDGE = " .,;:()"
_LEAD = " .,:;*_" + MASK
_SURE = 0.97  # of what the form of a link says
# A citation that is a link: `[authors, year, title](address)` says by its form which part is which.
_PARTS = re.compile(
    r"(?P<author>[^\W\d_].{1,1500}?),?\s(?P<date>(?:1[5-9]|20)\d\d)[a-z]?,\s+"
    r"(?P<title>.{8,1500}?)\s+https?://\S{1,2000}"
)


@dataclass(frozen=True, slots=True)
class UntaggedCitation:
    """What is known of a plain string before it is tagged."""

    text: str
    anchors: CitationAnchors
    lead: int  # where its words begin, behind a number
    run: name_run.NameRun  # the names there, by rule
    tokens: CitationTokens
    context: TokenContext


def read_references(raws: Sequence[RawReference]) -> list[Reference]:
    """Return `raws` with the fields their texts state."""
    sights = [
        inspect_citation(strip_markup(raw.text)) for raw in raws
    ]  # 1 markup off; identifiers, year and names by rule
    tagged = _tag_citations(sights)  # 2 a label for each token, of all strings at once
    return [_build_reference(*one) for one in zip(raws, sights, tagged, strict=True)]


def _build_reference(raw: RawReference, sight: UntaggedCitation, found: dict[str, Stretch]) -> Reference:
    """Return `raw` with the fields that the stretches hold."""
    link = raw.text[:1] == "[" and LINK.fullmatch(raw.text[:MAX_REFERENCE].strip())
    alone = None if link and _split_link_text(sight.text) else _find_nameless_title(sight, link=bool(link))
    found = alone or (_split_link_text(sight.text) if link else None) or _settle_stretches(sight, found)
    claimed = _build_claims(sight, found)  # 3 each stretch normalised
    if alone and claimed.title and is_cut_title(claimed.title):
        claimed = replace(claimed, title=titles.mark_cut(claimed.title))
    kind = work_kind.classify_work(sight.text, claimed, raw.kind)  # 4 what sort of work
    if kind is Kind.PERSONAL_COMMUNICATION:
        claimed = _clear_title_and_venue(claimed)
    elif kind is Kind.LEGAL and (parties := work_kind.find_case_name(sight.text)):
        claimed = _set_ruled_title(replace(claimed, authors=(), editors=(), et_al=False), parties)
    elif kind is Kind.STANDARD and (name := work_kind.find_standard_name(sight.text)):
        claimed = _set_ruled_title(claimed, name)
    elif link and _has_first_author_only(claimed):
        claimed = replace(claimed, et_al=True)
    return Reference(raw.key, raw.text, kind, claimed, raw.place, raw.citing, raw.suspicious, raw.accessed)


def _find_nameless_title(sight: UntaggedCitation, *, link: bool) -> dict[str, Stretch] | None:
    """Return the title as a site prints it, unless names come before it."""
    return None if sight.run and sight.run.sure else find_site_title(sight.text, link=link)


def inspect_citation(text: str) -> UntaggedCitation:
    """Return what rules see in a plain string, and its tokens."""
    found = citation_anchors.find_anchors(text)
    parts = split_tokens(text)
    anchored = [
        (scheme, bisect_left(parts.starts, a), bisect_left(parts.starts, b)) for scheme, a, b in found.spans
    ]
    lead = len(text) - len(found.masked.lstrip(_LEAD))
    run = name_run.find_name_run(found.masked, lead)
    return UntaggedCitation(
        text, found, lead, run, parts, build_context(parts, anchored, run.end if run and run.sure else 0)
    )


def _tag_citations(sights: Sequence[UntaggedCitation]) -> list[dict[str, Stretch]]:
    """Return the stretches that the tagger finds in each string; none in an empty one."""
    model = load_tagger()
    full = [(sight.tokens, sight.context) for sight in sights if sight.tokens.words]
    labelled = iter(model.label(full) if full else ())
    return [
        find_stretches(sight.tokens, next(labelled), model.labels) if sight.tokens.words else {}
        for sight in sights
    ]


def _settle_stretches(sight: UntaggedCitation, found: dict[str, Stretch]) -> dict[str, Stretch]:
    """Return the stretches with slips put right by rule."""
    if not found:
        return found
    found = correct_date(
        sight.text,
        apply_style_marks(sight.text, repair_stretches(sight.text, found, sight.run), sight.run),
        sight.anchors.spans,
    )
    found = apply_forms(sight.text, sight.anchors.masked, found, sight.run, sight.lead)
    found = settle_title(sight.text, found, sight.run, sight.anchors.spans)
    if (venue := found.get("container")) and any(a <= venue.start < b for _, a, b in sight.anchors.spans):
        del found["container"]  # "CoRR, abs/1412.6980" is an identifier
    if found.keys() == {"title"} and not sight.anchors.ids:
        # words alone: nothing says that they are a citation
        found["title"] = replace(found["title"], confidence=min(WORDS_ALONE, found["title"].confidence))
    return found


def _build_claims(sight: UntaggedCitation, found: dict[str, Stretch]) -> Claimed:
    """Return the fields of the stretches found, each with how it is in the text and how sure it is."""
    values: dict[str, Any] = {}
    origins: list[FieldOrigin] = []
    for field in FIELDS:
        if stretch := found.get(field.label):
            standing = _get_stretch_text(sight.text, stretch)
            value = field.normal(standing)
            if value is not None:
                values[field.name] = value
                origins.append(_make_origin(field.name, stretch, standing))
    for label in ("author", "editor"):
        if stretch := found.get(label):
            _add_people(values, origins, sight, label, stretch)
    if "year" not in values and (span := _find_year(sight, found)):
        standing = sight.text[slice(*span)]
        values["year"] = int(standing)
        origins.append(FieldOrigin("year", Origin.RULE, RULE_YEAR, standing))
    if sight.anchors.ids:
        origins.append(FieldOrigin("ids", Origin.RULE, _rate_ids(sight.anchors.ids)))
    return Claimed(**values, ids=sight.anchors.ids, origins=tuple(origins))


def _find_year(sight: UntaggedCitation, found: dict[str, Stretch]) -> tuple[int, int] | None:
    spans = sight.anchors.spans
    return find_own_year(sight.text, found, spans) or citation_anchors.find_year_span(sight.text, spans)


def _make_origin(name: str, stretch: Stretch, standing: str) -> FieldOrigin:
    return FieldOrigin(name, Origin.RULE if stretch.ruled else Origin.MODEL, stretch.confidence, standing)


def _add_people(
    values: dict[str, Any], origins: list[FieldOrigin], sight: UntaggedCitation, label: str, stretch: Stretch
) -> None:
    """Add the people of a stretch: as editors if it says so, or is labelled so and there are none yet."""
    standing = _get_stretch_text(sight.text, stretch)
    listed = parse_people(standing, _find_covering_run(sight, stretch), marked=has_type_mark(sight.text))
    name = "editors" if label == "editor" or listed.editors else "authors"
    if not listed.names or name in values:
        return
    values[name] = listed.names
    if label == "author":
        values["et_al"] = listed.et_al
    origins.append(_make_origin(name, stretch, standing))


def _get_stretch_text(text: str, stretch: Stretch) -> str:
    """Return the stretch as it is, with the full stop of an abbreviation at its end."""
    end = stretch.end
    if text[end : end + 1] == "." and ("." in text[stretch.start : end] or text[end - 2 : end - 1] == " "):
        end += 1
    return text[stretch.start : end]


def _find_covering_run(sight: UntaggedCitation, stretch: Stretch) -> name_run.NameRun | None:
    """Return the run of names the rule found, if it covers the stretch and no more."""
    run, end = sight.run, stretch.end
    first, last = min(run.end, end), max(run.end, end)
    if not run or sight.lead != stretch.start or last - first > _SLACK or sight.text[first:last].strip(_EDGE):
        return None
    return replace(run, end=end - stretch.start)


def _rate_ids(ids: Ids) -> float:
    weak = any(scheme == "arxiv" and not arxiv.is_plausible(value) for scheme, value in ids.pairs)
    return 0.8 if weak else 0.99


def _clear_title_and_venue(claimed: Claimed) -> Claimed:
    """Return the claims of a personal communication: words in a title's place only say that it is one."""
    origins = tuple(origin for origin in claimed.origins if origin.field not in ("title", "venue"))
    return replace(claimed, title=None, venue=None, origins=origins)


def _set_ruled_title(claimed: Claimed, title: str) -> Claimed:
    """Return the claims with a title that a rule is surer of than the tagger."""
    lost = {"title", *(() if claimed.authors else ("authors",)), *(() if claimed.editors else ("editors",))}
    kept = tuple(origin for origin in claimed.origins if origin.field not in lost)
    return replace(
        claimed, title=title, origins=(*kept, FieldOrigin("title", Origin.RULE, RULE_TITLE, title))
    )


def _has_first_author_only(claimed: Claimed) -> bool:
    """Return whether a link says `Name, Year, Title` and no more: by custom it names the first author."""
    if len(claimed.authors) != 1 or claimed.authors[0].collective:
        return False
    return bool(claimed.year and claimed.title) and not (claimed.venue or claimed.volume or claimed.pages)


def _split_link_text(text: str) -> dict[str, Stretch] | None:
    """Return the stretches of a link's text, which `plain` puts before its address; None if it has none."""
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return None
    return {name: Stretch(*parts.span(name), _SURE, ruled=True) for name in ("author", "date", "title")}
