"""References of one document, made by hand, for the checks of the set."""

from __future__ import annotations

from citeproof.judgement.checks.evidence.set_evidence import SetEvidence, SetMember
from citeproof.text import names
from citeproof.vocabulary import Claimed, DocumentFacts, Ids, Kind, Place, Reference


def make_member(key, title="", authors=(), *, kind=Kind.ARTICLE, doi="", arxiv="", raw="", **more):
    """Return a reference that was not judged; names of fields of a citation are cited, others are set."""
    cited = {
        name: more.pop(name)
        for name in ("year", "venue", "volume", "issue", "pages", "edition")
        if name in more
    }
    ids = Ids(tuple(pair for pair in (("doi", doi), ("arxiv", arxiv)) if pair[1]))
    claimed = Claimed(title=title or None, authors=tuple(map(names.parse, authors)), ids=ids, **cited)
    line = Place(file="a.bib", line=int("".join(filter(str.isdigit, key)) or 1))
    member = SetMember.describe(Reference(key, raw, kind, claimed, line))
    return type(member)(**{**{name: getattr(member, name) for name in member.__slots__}, **more})


def make_evidence(*members, authors=(), **facts):
    """Return the references of a document by these authors."""
    about = DocumentFacts(tuple(map(names.parse, authors)), **facts)
    return SetEvidence("a.bib", members, about=about)
