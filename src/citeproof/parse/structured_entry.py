"""The fields of a structured entry, completed with what its own text implies."""

from __future__ import annotations

from dataclasses import replace

from citeproof.parse import work_kind
from citeproof.text import ids
from citeproof.vocabulary import Claimed, FieldOrigin, Ids, Kind, Origin, RawReference, Reference


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
    claimed = replace(claimed, ids=Ids(full), origins=origins)
    kind = _refine_kind(raw.kind, claimed)
    return Reference(raw.key, raw.text, kind, claimed, raw.place, raw.citing, raw.suspicious, raw.accessed)


def _refine_kind(stated: Kind, claimed: Claimed) -> Kind:
    """Return the kind: an article whose only venue is a preprint server is a preprint."""
    if stated in (Kind.ARTICLE, Kind.UNKNOWN) and work_kind.is_preprint(claimed):
        return Kind.PREPRINT
    return Kind.ARTICLE if stated is Kind.UNKNOWN and claimed.venue else stated
