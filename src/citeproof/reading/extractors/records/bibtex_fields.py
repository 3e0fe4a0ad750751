"""The fields of a BibTeX entry as claims about a work."""

from __future__ import annotations

from dataclasses import replace

from citeproof.text import dates, ids, names, pages, title
from citeproof.text import lazy_patterns as re
from citeproof.text.bibtex_scanner import BibtexEntry
from citeproof.text.latex import strip_latex
from citeproof.text.latex_commands import NO_MACROS, Macros, print_commands
from citeproof.text.unicode import is_suspicious
from citeproof.vocabulary import Claimed, FieldOrigin, Ids, Name, Origin

Flag = tuple[str, str, str]  # reason code, message, hint

_VENUES = ("journal", "journaltitle", "booktitle", "eventtitle")
_PUBLISHERS = ("publisher", "institution", "school", "organization")
_ID_FIELDS = {
    "doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "pmc": "pmcid", "isbn": "isbn", "issn": "issn",
    "arxivid": "arxiv", "arxiv": "arxiv", "bibcode": "ads",
}  # fmt: skip
_FREE_FIELDS = ("url", "ee", "link", "adsurl", "biburl", "bdsk-url-1", "howpublished", "note", "journal")
_NOTHING = (None, (), Ids())
_ORIGINS = {
    name: FieldOrigin(name, Origin.STRUCTURED, 1.0)
    for name in Claimed.__dataclass_fields__
    if name not in ("et_al", "origins")
}
# Several in one field: "0018-8646 (print), 2151-8556 (electronic)", "0262035618 9780262035613".
_SEVERAL = {
    "issn": re.compile(r"(?<![\d-])\d{4}[-\u2010-\u2013]?\d{3}[\dXx](?![\w-])"),
    "isbn": re.compile(r"\b(?:97[89](?:[\s-]?\d){10}|\d(?:[\s-]?\d){8}[\s-]?[\dXx])(?![\dXx])"),
}
_NEXT_DOI = re.compile(r"\s{0,3}[,;]\s{0,3}(?=10\.\d{4,9}/)")
_NO_VALUE = re.compile(r"[\W_]*")  # "????": it is not known
_SHORT_DOI = re.compile(r"(?:https?://)?(?:doi\.org/)?(10/[a-z0-9]{2,10})", re.IGNORECASE)
_CUT_DOI = re.compile(r"(10\.\d{4,9}/\S{0,200}[./_(-])\s([\w./()-]{0,60}\d[\w./()-]{0,60})")
_NUMBERED = re.compile(r"\d{4}\.\d")
_PREPRINT = re.compile(r"\b(?:arxiv|biorxiv|medrxiv|chemrxiv|psyarxiv|ssrn)\b", re.IGNORECASE)


def read_bibtex_fields(entry: BibtexEntry, macros: Macros = NO_MACROS) -> tuple[Claimed, tuple[Flag, ...]]:
    """Return what `entry` claims in print, and what is wrong with its identifiers."""
    fields = {name: print_commands(value, macros) for name, value in entry.fields.items()}
    pairs, flags = _collect_bibtex_ids(entry.key, fields)
    authors, et_al = _split_people(fields.get("author"))
    editors, _ = _split_people(fields.get("editor"))
    main = fields.get("title", "")
    subtitle = fields.get("subtitle", "")
    claimed = Claimed(
        title=title.clean(f"{main}: {subtitle}" if main and subtitle else main) or None,
        authors=authors,
        et_al=et_al,
        editors=editors,
        year=dates.find_year(fields.get("year") or fields.get("date") or ""),
        venue=_find_first_field(fields, _VENUES) or _find_preprint_venue(fields),
        series=_clean_bibtex_value(fields.get("series")),
        volume=_clean_bibtex_value(fields.get("volume")),
        issue=_clean_bibtex_value(fields.get("number") or fields.get("issue")),
        pages=pages.normalise(strip_latex(fields.get("pages", ""))),
        publisher=_find_first_field(fields, _PUBLISHERS),
        edition=_clean_bibtex_value(fields.get("edition")),
        ids=Ids(pairs),
    )
    claimed = add_field_origins(claimed)
    if claimed.title is None:  # no title is printed: fields that are not printed are not searched for one
        claimed = replace(claimed, origins=(*claimed.origins, _ORIGINS["title"]))
    return claimed, flags


def add_field_origins(claimed: Claimed) -> Claimed:
    """Return `claimed` with a note on each field it has: the document itself states it."""
    values = {name: getattr(claimed, name) for name in Claimed.__dataclass_fields__}
    values["origins"] = tuple([row for name, row in _ORIGINS.items() if values[name] not in _NOTHING])
    return Claimed(**values)


def _split_people(value: str | None) -> tuple[tuple[Name, ...], bool]:
    return names.split_names(value) if value else ((), False)


def _clean_bibtex_value(value: str | None) -> str | None:
    return (title.clean(value).removesuffix("…") or None) if value else None


def _find_first_field(fields: dict[str, str], wanted: tuple[str, ...]) -> str | None:
    return next((value for name in wanted if (value := _clean_bibtex_value(fields.get(name)))), None)


def _find_preprint_venue(fields: dict[str, str]) -> str | None:
    for name in ("howpublished", "note", "eprinttype", "archiveprefix"):
        value = fields.get(name, "")
        if _PREPRINT.search(value[:200]):
            return _clean_bibtex_value(value)
    return None


def _collect_bibtex_ids(
    key: str, fields: dict[str, str]
) -> tuple[tuple[tuple[str, str], ...], tuple[Flag, ...]]:
    """Return the identifiers of an entry, its own fields before those found in free text."""
    pairs: list[tuple[str, str]] = []
    flags: list[Flag] = []
    for name, scheme in _ID_FIELDS.items():
        if value := fields.get(name):
            pairs += _read_stated_ids(name, scheme, value, flags)
    pairs += _read_eprint_id(fields, flags)
    for name in _FREE_FIELDS:
        if value := fields.get(name):
            pairs += [(scheme, identifier) for scheme, identifier, _, _ in ids.find_ids(_strip_latex(value))]
    pairs += _read_numbered_preprint(fields)
    if dblp := ids.normalise_id("dblp", key):
        pairs.append(("dblp", dblp))
    return tuple(dict.fromkeys(pairs)), tuple(flags)


def _read_numbered_preprint(fields: dict[str, str]) -> list[tuple[str, str]]:
    """Return an arXiv number in the wrong field: `volume = {abs/1506.06726}`, `number = {arXiv:…}`."""
    hits = [hit for name in ("volume", "number") for hit in ids.find_ids(fields.get(name, "")[:60])]
    return [(scheme, value) for scheme, value, _, _ in hits if scheme == "arxiv"]


def _read_stated_ids(field: str, scheme: str, value: str, flags: list[Flag]) -> list[tuple[str, str]]:
    """Return the identifiers one field states; what is malformed becomes a flag, not silence."""
    if _NO_VALUE.fullmatch(value):
        return []
    if scheme == "doi" and (short := _SHORT_DOI.fullmatch(value.strip())):
        return [("url", f"https://doi.org/{short[1].lower()}")]  # what it represents only the resolver knows
    parts = _SEVERAL[scheme].findall(value) if scheme in _SEVERAL else []
    if scheme == "doi" and len(several := _NEXT_DOI.split(value.strip())) > 1:
        parts = several  # as INSPIRE has an article next to its erratum
    if scheme == "isbn" and not parts and (other := _find_misplaced_ids(value)):
        return other
    pairs: list[tuple[str, str]] = []
    for part in parts or [_CUT_DOI.sub(r"\1\2", ids.join_broken_id(value)) if scheme == "doi" else value]:
        normal = ids.normalise_id(scheme, part)
        if normal is None:
            flags.append((f"malformed_{scheme}", f"{field} {part[:80]!r} is malformed", f"check the {field}"))
        else:
            pairs += ids.expand_doi(normal) if scheme == "doi" else [(scheme, normal)]
            if scheme in ("doi", "arxiv") and is_suspicious(normal):
                message = f"{field} {normal[:80]!r} holds characters that only look like ASCII"
                flags.append(("suspicious_characters", message, f"type the {field} again"))
    return pairs


def _find_misplaced_ids(value: str) -> list[tuple[str, str]]:
    """Return the ISSNs or the DOI that a program put into the field for ISBNs."""
    numbers = [
        normal for part in _SEVERAL["issn"].findall(value) if (normal := ids.normalise_id("issn", part))
    ]
    doi = ids.normalise_id("doi", value)
    return [("issn", number) for number in numbers] or ([("doi", doi)] if doi else [])


def _read_eprint_id(fields: dict[str, str], flags: list[Flag]) -> list[tuple[str, str]]:
    value = fields.get("eprint", "").strip()
    if not value and "primaryclass" not in fields:
        return []
    archive = (fields.get("archiveprefix") or fields.get("eprinttype") or "arxiv").lower()
    if archive == "pubmed":
        return [("pmid", identifier)] if (identifier := ids.normalise_id("pmid", value)) else []
    if archive != "arxiv":
        return []
    classed = f"{fields.get('primaryclass', '')}/{value.lower().removeprefix('arxiv:')}"  # before 2007
    if identifier := ids.normalise_id("arxiv", ids.join_broken_id(value)) or ids.normalise_id(
        "arxiv", classed
    ):
        return [("arxiv", identifier)]
    if _NUMBERED.match(value):
        flags.append(("malformed_arxiv", f"eprint {value[:80]!r} is malformed", "check the eprint"))
    return [(scheme, name) for scheme, name, _, _ in ids.find_ids(_strip_latex(value)) if scheme != "url"]


def _strip_latex(value: str) -> str:
    value = value[:5000]
    if "\\" in value:
        value = re.sub(r"\\(?:url|href|path|nolinkurl|doi)\s{0,3}\{([^{}]{1,2000})\}", r" \1 ", value)
        value = re.sub(r"\\([_&%#$~])", r"\1", value)
    return value.replace("{", "").replace("}", "")
