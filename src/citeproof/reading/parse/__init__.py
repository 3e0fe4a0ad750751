"""Citation strings to fields, each with where it came from and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from citeproof.reading.parse.citation_reader import is_preprint, read_references
from citeproof.reading.parse.field_normalisers import normalise_venue
from citeproof.reading.parse.site_titles import undecorate_title
from citeproof.text import ids
from citeproof.text import lazy_patterns as re
from citeproof.text.title import find_notice_word, strip_notice
from citeproof.vocabulary import Claimed, FieldOrigin, Ids, Kind, Name, Origin, RawReference, Reference

__all__ = ["parse", "parse_all"]

BATCH = 64  # references read together: what a step of the tagger costs is shared by them

SURE = 0.8  # how sure it is that the entry before is the one meant

_WORDS = r"ders(?:elbe)?|dies(?:elben?)?|idem|eadem|iidem"
_SAME = re.compile(
    r"[\s*_\[(]{0,4}(?:\d{1,4}[\].)]{1,2}\s{0,3})?"
    r"((?-i:Ders|DERS|Dies|DIES)\.|(?:derselbe|dieselben?|idem|eadem|iidem)\b\.?"
    r"|[—–]{2,9}|[-_]{2,12}|—|–)(?=\s?[.,:;/(]|\s(?:and|und|et|y|&)\s)",
    re.IGNORECASE,
)
_LEADING = re.compile(rf"(?:{_WORDS})\b\.?\s?[,:;]\s", re.IGNORECASE)
_WORD = re.compile(rf"(?:{_WORDS})\.?", re.IGNORECASE)
_ONE = re.compile(r"ders.*|idem\.?|eadem\.?", re.IGNORECASE)  # one person


def parse(raw: RawReference) -> Reference:
    """Return the reference with its fields: the document's own completed, or read from the text."""
    return _parse_batch([raw], None)[0]


def parse_all(raws: Iterable[RawReference]) -> Iterator[Reference]:
    """Yield the references of `raws` in their order, as `parse` gives them, at less cost a reference.

    An entry that says "the same author" has the people of the one before it.
    `raws` is taken in batches, the first reference comes when a batch is full or `raws` is at its end.
    """
    left = iter(raws)
    last = None
    while batch := list(islice(left, BATCH)):
        parsed = _parse_batch(batch, last)
        last = parsed[-1]
        yield from parsed


def _parse_batch(raws: list[RawReference], before: Reference | None) -> list[Reference]:
    """Return the references: those without fields of their own are read together."""
    read = iter(read_references([raw for raw in raws if raw.claimed is None]))
    references: list[Reference] = []
    for raw in raws:
        reference = repeat_authors(before, next(read)) if raw.claimed is None else complete_reference(raw)
        before = _clean_title(reference)
        references.append(before)
    return references


def _clean_title(reference: Reference) -> Reference:
    """Return the reference with the work's own title, where it is cited as a registry or a site shows it.

    "RETRACTED:" before it is a signal, not noise: it stays as a code, such as "titled_retracted".
    """
    title = reference.claimed.title
    if not title or (bare := undecorate_title(strip_notice(title))) == title:
        return reference
    codes = reference.suspicious
    if word := find_notice_word(title):
        codes = (*codes, f"titled_{word}")
    return replace(reference, claimed=replace(reference.claimed, title=bare), suspicious=codes)


def repeat_authors(before: Reference | None, reference: Reference) -> Reference:
    """Return `reference` with the people of the entry `before`, where it says that they are the same."""
    claimed = _name_own_editors(reference.claimed)
    same = _SAME.match(reference.raw[:40])
    if same is None:
        return reference if claimed is reference.claimed else replace(reference, claimed=claimed)
    known = (before.claimed.authors or before.claimed.editors) if before else ()
    others = tuple(name for name in claimed.authors if not _is_mark(name))
    if others or _ONE.fullmatch(same[1]):
        known = known[:1]
    title = _LEADING.sub("", claimed.title, count=1) if claimed.title else None
    origins = tuple(origin for origin in claimed.origins if origin.field != "authors")
    if known or others:
        origins = (*origins, FieldOrigin("authors", Origin.RULE, SURE, same[1]))
    et_al = claimed.et_al or (before is not None and len(known) > 1 and before.claimed.et_al)
    authors = (*known, *(name for name in others if name not in known))
    return replace(
        reference, claimed=replace(claimed, authors=authors, et_al=et_al, title=title, origins=origins)
    )


def _name_own_editors(claimed: Claimed) -> Claimed:
    """Return the claims with the authors in place of "Ders." as editor of the book that holds the work."""
    venue = claimed.venue
    if venue and (lead := _LEADING.match(venue)):
        venue = normalise_venue(venue[lead.end() :])
    if not any(map(_is_mark, claimed.editors)):
        return claimed if venue == claimed.venue else replace(claimed, venue=venue)
    others = (name for name in claimed.editors if not _is_mark(name))
    own = tuple(name for name in claimed.authors if not _is_mark(name))
    return replace(claimed, editors=(*own, *others), venue=venue)


def _is_mark(name: Name) -> bool:
    return not name.given and _WORD.fullmatch(name.family) is not None


def complete_reference(raw: RawReference) -> Reference:
    """Return `raw` with identifiers that its fields imply; nothing the document states is changed."""
    claimed = raw.claimed or Claimed()
    pairs = list(claimed.ids.pairs)
    for scheme, value in claimed.ids.pairs:
        pairs.extend(
            ids.expand_doi(value) if scheme == "doi" else ids.identify_url(value) if scheme == "url" else ()
        )
    for field in (claimed.venue, claimed.series, claimed.title):
        pairs.extend((scheme, value) for scheme, value, _, _ in ids.find_ids(field or ""))
    full = tuple(dict.fromkeys(pairs))
    origins = claimed.origins
    if full != claimed.ids.pairs and not any(o.field == "ids" for o in origins):
        origins = (*origins, FieldOrigin("ids", Origin.RULE, 0.95))
    if full != claimed.ids.pairs:
        claimed = replace(claimed, ids=Ids(full), origins=origins)
    kind = _refine_kind(raw.kind, claimed)
    return Reference(raw.key, raw.text, kind, claimed, raw.place, raw.citing, raw.suspicious, raw.accessed)


def _refine_kind(stated: Kind, claimed: Claimed) -> Kind:
    """Return the kind: an article whose only venue is a preprint server is a preprint."""
    if stated in (Kind.ARTICLE, Kind.UNKNOWN) and is_preprint(claimed):
        return Kind.PREPRINT
    return Kind.ARTICLE if stated is Kind.UNKNOWN and claimed.venue else stated
