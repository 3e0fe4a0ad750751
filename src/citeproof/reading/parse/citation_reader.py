"""Unstructured citation strings to references, in steps."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from citeproof.reading.parse import citation_anchors, name_run
from citeproof.reading.parse.citation_anchors import MASK, CitationAnchors
from citeproof.reading.parse.field_normalisers import FIELDS
from citeproof.reading.parse.label_stretches import Stretch, Stretches, find_stretches
from citeproof.reading.parse.people_list import parse_people
from citeproof.reading.parse.publication_year import correct_date, find_own_year
from citeproof.reading.parse.site_titles import find_site_title, is_cut_title
from citeproof.reading.parse.stretch_repair import repair_stretches
from citeproof.reading.parse.title_place import (
    apply_forms,
    apply_style_marks,
    has_people_behind_title,
    has_type_mark,
    settle_title,
)
from citeproof.reading.parse.token_context import CitationTokens, TokenContext, build_context, split_tokens
from citeproof.text import arxiv
from citeproof.text import lazy_patterns as re
from citeproof.text import title as titles
from citeproof.text.dates import YEAR
from citeproof.text.latex import strip_latex
from citeproof.text.names import spell_et_al
from citeproof.text.package_tables import load_package_table
from citeproof.text.unicode import read_digits
from citeproof.vocabulary import Claimed, FieldOrigin, Ids, Kind, Origin, RawReference, Reference
from citeproof.vocabulary.quick_dataclass import dataclass, replace

RULE_TITLE = 0.9  # "X v. Y" before a reporter, "RFC 2616: …": seldom anything else
WORDS_ALONE = 0.5
RULE_YEAR = 0.6  # how often a year is right that a rule finds where the tagger saw none

_SLACK = 3  # characters the rule and the tagger may differ by about the end of the names
_EDGE = " .,;:()"
_LEAD = " .,:;*_" + MASK
_SURE = 0.97  # of what the form of a link says
# A citation that is a link: `[authors, year, title](address)` says by its form which part is which.
_PARTS = re.compile(
    rf"(?P<author>[^\W\d_].{{1,1500}}?),?\s(?P<date>{YEAR})[a-z]?,\s+"
    r"(?P<title>.{8,1500}?)\s+https?://\S{1,2000}"
)

MAX_REFERENCE = 5000  # characters of one citation string that are read

_TAG = re.compile(
    r"</?(?:i|b|em|strong|italic|bold|sup|sub|span|a|p|br)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE
)
LINK = re.compile(
    r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]{0,300}\]){1,2000})\]\((https?://[^\s()]{1,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)\)"
)
_ESCAPED = re.compile(r"\\([\[\]_*])")
_BUTTONS = frozenset(["link", "doi", "pdf", "arxiv", "here", "url", "source", "paper", "html", "code"])
# A word is a title if it comes first and people or a venue follow: "**BERT** (Devlin et al., 2019)".
_BOLD_WORD = re.compile(r"(?!\A\S+\s(?:[–—-]\s|\([A-Z][^()]{1,80}\d{4}\)))\*\*([^\s*]{1,60})\*\*")
_BOLD = re.compile(r"\*\*\s?[“\"]?([^*]{1,600}?)[”\"]?\s?\*\*")
# What is bold and no title: authors with their year, a label.
_NO_TITLE = re.compile(
    r"\bet al\b|\(\d{4}\)|^\W{0,3}\d{4}\W{0,3}$|^[^\W\d_]{1,30}, (?:[A-Z]\.|[A-Z][a-z]+,)|:$", re.IGNORECASE
)
_SPACED = re.compile(r"(?<!\s)\s++(?=[,.;:](?:\s|$|[^\W\d_]))")
_INNER = re.compile(r"([(\[])\s|\s([)\]])")
_DEBRIS = re.compile(r"[^\W_] [.,;]\w")
_MISPLACED = re.compile(r"\s{1,3}([.,;:)\]])")
_GLUED = re.compile(r"([,;]|(?<=[^\W\d_]{2})\.)(?=\w)")
# A command, an accent or a font, as somebody copies them out of a `.tex` or `.bib` file.
_LATEX = re.compile(r"\\(?:[A-Za-z]{2,20}\s?\{|newblock|[\"'`^~=.]\s?\{?\\?[A-Za-z])|\{\\")
_LATEX_BREAK = re.compile(r"\\newblock(?![A-Za-z])|\\bibitem\s?(?:\[[^\]]{0,200}\])?\s?\{[^{}]{0,200}\}")
_BROKEN = re.compile(r"(?<=[^\W\d_]{2})-\s*\n\s*(?=[a-z])")
_EMPHASIS = re.compile(
    r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,400})(?<=[^\s*])\*(?![\w*])|(?<!\w)_(?=\S)([^_\n]{1,400})(?<=\S)_(?!\w)"
)
_FULL_WIDTH = str.maketrans(
    {
        "，": ", ",
        "。": ". ",
        "：": ": ",
        "；": "; ",
        "（": " (",
        "）": ") ",
        "．": ". ",
        "、": ", ",
        "،": ", ",
        "؛": "; ",
    }
)

_HEBREW_INITIAL = re.compile(r"(?<=\s)([\u05d0-\u05ea])['’\u05f3](?=[\s,(])")
_HEBREW_AND = re.compile(
    r"(?:(?<=[\u05d0-\u05ea]\.)|(?<=[\u05d0-\u05ea]),) "
    r"\u05d5(?=[\u05d0-\u05ea]{2,30}, [\u05d0-\u05ea]{1,20}\.)"
)
_WORK_KINDS = load_package_table("citeproof.reading.parse", "work_kinds.toml")
_CLUES = {Kind(name): re.compile(row["clue"]) for name, row in _WORK_KINDS.items()}
_GATES = {gate: Kind(name) for name, row in _WORK_KINDS.items() for gate in row["gates"]}
_STANDARDS = ("RFC", "ISO", "IEC", "DIN", "ANSI", "IEEE Std", "NIST SP")  # the clue separates cases
_CASE = re.compile(r"\W{0,3}([^,;()]{2,120}?\sv\.?\s[^,;()]{2,120}),\s\d{1,4}\s")
_RFC = re.compile(r"\bRFC\s?\d{3,5}:\s[^,]{4,160}")
_NORM = re.compile(
    r"\W{0,3}(?:(?:DIN|ISO|IEC|EN|ANSI|ÖNORM|BS|NF|UNE|ГОСТ(?: Р)?)[ /]){1,4}\d[\d.-]{0,12}"
    rf"(?:[:-](?P<year>{YEAR})(?:-\d\d)?)?[,.:]?\s[^\W\d_].{{4,200}}"
)
_STROKES = re.compile(r"(?P<people>[^\W\d_a-z][^\W\d_]{2,20}(?:/[^\W\d_a-z][^\W\d_]{2,20}){2,9}): ")
_PREPRINT = re.compile(r"\b(?:arxiv|corr|(?:bio|med|chem|psy)rxiv|ssrn|preprint)\b", re.IGNORECASE)
_PREPRINT_GATES = ("xiv", "corr", "ssrn", "preprint")
_PREPRINT_DOI = ("10.48550/", "10.1101/", "10.64898/", "10.2139/ssrn", "10.26434/", "10.31234/")
_VISITED = re.compile(
    r"\b(?:retrieved|accessed|available (?:at|from|online)|visited|consulted|abgerufen)\b", re.IGNORECASE
)
_CHAPTER = re.compile(r"\b(?:In|in):?\s.{0,200}\((?:[Ee]ds?|[Hh]rsg|[Hh]g)\.?\)")

_DATED = re.compile(YEAR)
# What points at a citation, or from it to another one: "For a review, see …", "… cf. [3]"
_SHORT_POINTER = r"(?:[Ss]ee[,:]?\s(?:also|further|e\.\s?g\.,?|for example,?)|[Cc]f\.(?:\salso)?)"
_POINTER = re.compile(
    rf"{_SHORT_POINTER}[,:]?\s|For [^.:;“\"]{{3,60}}?,? see:?\s(?=[^\Wa-z_])"
    r"|[Ss]ee (?=(?:[A-Z]\.[ -]?){1,3}[A-Z][a-z]|[A-Z][\w-]{1,30}, [A-Z]\.)"
)
_POINTER_BEHIND = re.compile(
    rf"\s?\({_SHORT_POINTER}\s[^()]{{1,200}}\)|(?<=[^\W_])[.;,)\]]{{0,2}}\s{_SHORT_POINTER}\s.{{1,300}}\Z"
)
_REMARK_BEHIND = re.compile(
    rf"\d\s?[-–—]\s?\w?\d{{1,6}}(?:\s?\({YEAR}\))?\."
    r"(?P<remark>\s(?:The|This|It|An?|[A-Z][a-z]{2,10}s (?:the|an?|how|that))\s"
    r"(?!.*(?:\d|https?:|arXiv))(?:\S+\s){2,60}\S+)\Z"
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
    if not raws:
        return []
    from citeproof.reading.parse.tagger import load_tagger  # noqa: PLC0415 - numpy, for texts without fields

    sights = [inspect_citation(strip_markup(raw.text)) for raw in raws]  # 1 ids, year, names by rule
    model = load_tagger()
    full = [(sight.tokens, sight.context) for sight in sights if sight.tokens.words]
    labelled = iter(model.label(full) if full else ())
    tagged = [
        find_stretches(sight.tokens, next(labelled), model.labels) if sight.tokens.words else {}
        for sight in sights
    ]  # 2 a label for each token, of all strings at once
    return [_build_reference(*parts) for parts in zip(raws, sights, tagged, strict=True)]


def _build_reference(raw: RawReference, sight: UntaggedCitation, stretches: Stretches) -> Reference:
    """Return `raw` with the fields that the stretches hold."""
    link = raw.text[:1] == "[" and LINK.fullmatch(raw.text[:MAX_REFERENCE].strip())
    alone = None if link and _split_link_text(sight.text) else _find_nameless_title(sight, link=bool(link))
    stretches = (
        alone or (_split_link_text(sight.text) if link else None) or _settle_stretches(sight, stretches)
    )
    claimed = _build_claims(sight, stretches)  # 3 each stretch normalised
    if alone and claimed.title and is_cut_title(claimed.title):
        claimed = replace(claimed, title=titles.mark_cut(claimed.title))
    kind = classify_work(sight.text, claimed, raw.kind)  # 4 what sort of work
    if kind is Kind.PERSONAL_COMMUNICATION:
        origins = tuple(origin for origin in claimed.origins if origin.field not in ("title", "venue"))
        claimed = replace(claimed, title=None, venue=None, origins=origins)
    elif kind is Kind.LEGAL and (parties := find_case_name(sight.text)):
        claimed = _set_ruled_title(replace(claimed, authors=(), editors=(), et_al=False), parties)
    elif kind is Kind.STANDARD and (norm := _NORM.fullmatch(sight.text)):
        bare = Claimed(year=int(norm["year"]) if norm["year"] else claimed.year, ids=claimed.ids)
        claimed = _set_ruled_title(bare, norm[0].strip(" ."))
    elif kind is Kind.STANDARD and (name := find_standard_name(sight.text)):
        claimed = _set_ruled_title(claimed, name)
    elif link and _has_first_author_only(claimed):
        claimed = replace(claimed, et_al=True)
    return Reference(raw.key, raw.text, kind, claimed, raw.place, raw.citing, raw.suspicious, raw.accessed)


def _find_nameless_title(sight: UntaggedCitation, *, link: bool) -> Stretches | None:
    """Return the title as a site prints it, unless names come before it or behind it."""
    if (sight.run and sight.run.sure) or has_people_behind_title(sight.text, sight.lead):
        return None
    return find_site_title(sight.text, link=link)


def inspect_citation(text: str) -> UntaggedCitation:
    """Return what rules see in a plain string, and its tokens."""
    anchors = citation_anchors.find_anchors(text)
    parts = split_tokens(text)
    anchored = [
        (scheme, bisect_left(parts.starts, a), bisect_left(parts.starts, b)) for scheme, a, b in anchors.spans
    ]
    lead = len(text) - len(anchors.masked.lstrip(_LEAD))
    run = name_run.find_name_run(anchors.masked, lead)
    return UntaggedCitation(
        text, anchors, lead, run, parts, build_context(parts, anchored, run.end if run and run.sure else 0)
    )


def _settle_stretches(sight: UntaggedCitation, stretches: Stretches) -> Stretches:
    """Return the stretches with slips put right by rule."""
    if not stretches:
        return stretches
    stretches = correct_date(
        sight.text,
        apply_style_marks(sight.text, repair_stretches(sight.text, stretches, sight.run), sight.run),
        sight.anchors.spans,
    )
    stretches = apply_forms(sight.text, sight.anchors.masked, stretches, sight.run, sight.lead)
    stretches = settle_title(sight.text, stretches, sight.run, sight.anchors.spans)
    if (venue := stretches.get("container")) and any(a <= venue.start < b for _, a, b in sight.anchors.spans):
        del stretches["container"]  # "CoRR, abs/1412.6980" is an identifier
    if stretches.keys() == {"title"} and not sight.anchors.ids:
        # words alone: nothing says that they are a citation
        stretches["title"] = replace(
            stretches["title"], confidence=min(WORDS_ALONE, stretches["title"].confidence)
        )
    return stretches


def _build_claims(sight: UntaggedCitation, stretches: Stretches) -> Claimed:
    """Return the fields of the stretches found, each with how it is in the text and how sure it is."""
    values: dict[str, Any] = {}
    origins: list[FieldOrigin] = []
    for field in FIELDS:
        if stretch := stretches.get(field.label):
            standing = _get_stretch_text(sight.text, stretch)
            value = field.normal(standing)
            if value is not None:
                values[field.name] = value
                origins.append(_make_origin(field.name, stretch, standing))
    for label in ("author", "editor"):
        if stretch := stretches.get(label):
            _add_people(values, origins, sight, label, stretch)
    if "year" not in values and (span := _find_year(sight, stretches)):
        standing = sight.text[slice(*span)]
        values["year"] = int(standing)
        origins.append(FieldOrigin("year", Origin.RULE, RULE_YEAR, standing))
    if sight.anchors.ids:
        origins.append(FieldOrigin("ids", Origin.RULE, _rate_ids(sight.anchors.ids)))
    return Claimed(**values, ids=sight.anchors.ids, origins=tuple(origins))


def _find_year(sight: UntaggedCitation, stretches: Stretches) -> tuple[int, int] | None:
    spans = sight.anchors.spans
    return find_own_year(sight.text, stretches, spans) or citation_anchors.find_year_span(sight.text, spans)


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


def _set_ruled_title(claimed: Claimed, title: str) -> Claimed:
    lost = {"title", *(() if claimed.authors else ("authors",)), *(() if claimed.editors else ("editors",))}
    others = tuple(origin for origin in claimed.origins if origin.field not in lost)
    return replace(
        claimed, title=title, origins=(*others, FieldOrigin("title", Origin.RULE, RULE_TITLE, title))
    )


def _has_first_author_only(claimed: Claimed) -> bool:
    """Return whether a link says `Name, Year, Title` and no more: by custom it names the first author."""
    if len(claimed.authors) != 1 or claimed.authors[0].collective:
        return False
    return bool(claimed.year and claimed.title) and not (claimed.venue or claimed.volume or claimed.pages)


def _split_link_text(text: str) -> Stretches | None:
    """Return the stretches of a link's text, which `plain` puts before its address; None if it has none."""
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return None
    return {name: Stretch(*parts.span(name), _SURE, ruled=True) for name in ("author", "date", "title")}


def strip_markup(text: str) -> str:
    """Return a citation string on one line, without markup or LaTeX; a link becomes its text and address."""
    text = unicodedata.normalize("NFC", text[:MAX_REFERENCE])
    if "\n" in text:
        text = _BROKEN.sub("", text)
    if not text.isascii():
        text = _HEBREW_INITIAL.sub(r"\1.", read_digits(text).translate(_FULL_WIDTH))
        text = _HEBREW_AND.sub(" & ", text)
    if "\\" in text and _LATEX.search(text):
        text = strip_latex(_LATEX_BREAK.sub(" ", text))
    if "](" in text:
        text = LINK.sub(_replace_link, text)
    if "**" in text:
        text = _BOLD_WORD.sub(r"\1", text)
        text = _BOLD.sub(lambda m: m[1] if _NO_TITLE.search(m[1]) else f"“{m[1]}”", text).replace("**", "")
    if "<" in text:
        text = _TAG.sub("", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(lambda m: m[1] or m[2], text)
    text = _drop_pointers(" ".join(text.split()))
    if "( " in text or " )" in text or "[ " in text or " ]" in text:
        text = _INNER.sub(r"\1\2", text)
    if " ." in text or " ," in text or " ;" in text or " :" in text:
        text = _repair_spacing(text) if _DEBRIS.search(text) else _SPACED.sub("", text)
    if listed := _STROKES.match(text):  # "Devlin/Chang/Lee/Toutanova: BERT: …"
        text = f"{', '.join(listed['people'].split('/'))}: {text[listed.end() :]}"
    return spell_et_al(text)


def _drop_pointers(text: str) -> str:
    """Return a citation string without what points at it, and without the remark behind it."""
    lead = _POINTER.match(text)
    text = text[lead.end() :] if lead else text
    behind = _POINTER_BEHIND.search(text)
    if behind and (behind[0].endswith(")") or _DATED.search(text, 0, behind.start())):
        text = text[: behind.start()] + text[behind.end() :]
    remark = _REMARK_BEHIND.search(text)
    return text[: remark.start("remark")] if remark and _DATED.search(text, 0, remark.end()) else text


def _replace_link(link: re.Match[str]) -> str:
    """Return a link as its text and address; one that only says "link" or "PDF" as its address alone."""
    return link[2] if link[1].lower() in _BUTTONS else " ".join((_ESCAPED.sub(r"\1", link[1]), link[2]))


def _repair_spacing(text: str) -> str:
    """Return text whose spaces moved to the wrong side of its punctuation ("Phys .Rev ,B"), put right."""
    text = _MISPLACED.sub(r"\1", text)
    return _GLUED.sub(r"\1 ", text)


def classify_work(text: str, claimed: Claimed, stated: Kind = Kind.UNKNOWN) -> Kind:
    """Return the kind of the work; `stated` when the document itself said so."""
    if stated is not Kind.UNKNOWN:
        return stated
    low = text.lower()
    gated = {kind for gate, kind in _GATES.items() if gate in low}
    if any(map(text.__contains__, _STANDARDS)):
        gated.add(Kind.STANDARD)
    for kind, clue in _CLUES.items():
        if kind in gated and clue.search(text):
            return kind
    if is_preprint(claimed):
        return Kind.PREPRINT
    if claimed.editors and _CHAPTER.search(text):
        return Kind.CHAPTER
    if claimed.venue or claimed.volume or claimed.ids.first("pmid"):
        return Kind.ARTICLE
    if claimed.publisher or claimed.ids.first("isbn"):
        return Kind.BOOK
    schemes = {scheme for scheme, _ in claimed.ids.pairs}
    if not schemes or not schemes <= {"url"}:
        return Kind.UNKNOWN
    complete = claimed.authors and claimed.year and claimed.title  # a paper that is only linked
    return Kind.UNKNOWN if complete and not _VISITED.search(text) else Kind.WEB_PAGE


def find_case_name(text: str) -> str | None:
    """Return the parties of a judgment cited by its reporter: "Brown v. Board of Education, 347 U.S. 483"."""
    match = _CASE.match(text)
    return match[1] if match else None


def find_standard_name(text: str) -> str | None:
    """Return the title of a standard that leads with its number: "RFC 2616: Hypertext Transfer Protocol"."""
    match = _RFC.search(text)
    return match[0].rstrip(" .") if match else None


def is_preprint(claimed: Claimed) -> bool:
    """Return whether the only place of publication named is a preprint server."""
    if claimed.venue:
        venue = claimed.venue[:200].lower()
        return any(map(venue.__contains__, _PREPRINT_GATES)) and _PREPRINT.search(venue) is not None
    if claimed.volume:
        return False
    doi = claimed.ids.first("doi") or ""
    return doi.startswith(_PREPRINT_DOI) or (claimed.ids.first("arxiv") is not None and not claimed.publisher)
