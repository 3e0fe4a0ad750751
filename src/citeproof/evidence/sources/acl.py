"""The ACL Anthology: the papers of computational linguistics, some 120,000 since 1952.

**Covers** the venues of the ACL and its sisters (ACL, EMNLP, NAACL, COLING, LREC, TACL, CL and workshops). It
is the authority on its own ids: **silence** on `P19-1001` or `2020.acl-main.1` means that there is no such
paper.

**Asked by** its id only, one at a time: `https://aclanthology.org/<id>.xml`, a MODS file. There is no search
API: the site's search box is a commercial engine that may not be asked by programs. To search its titles
offline, build a snapshot from the Anthology's own BibTeX file (`anthology.bib.gz`).

**Costs** nothing, needs no key. The site is a set of static files; 1 request a second is sent.

**Identifiers of its own:** Anthology ids, of the old form (`P19-1001`) and the new one (since 2020). Records
carry the DOI (`10.18653/v1/…`, `10.1162/tacl_a_…`).

**Known quirks**

- An id without a paper number (`2020.acl-main`, `P19-1`) names a volume: the record is that of the
  proceedings, its editors as authors.
- Author lists are whole; names are split into given and family by people.
- Retracted papers keep their page and their file; only a notice on the page says so, and it is not read.
- Revised and corrected papers keep their id.
- A 404 is a page for people (HTML); its status decides, not its text.

**Licence:** metadata CC BY 4.0 (papers since 2016 CC BY 4.0, older ones CC BY-NC-SA 3.0).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from citeproof.evidence.sources.base import LiveSource, ProbeQuestion, SourceProfile, SourceSession
from citeproof.evidence.upstream_records import mods
from citeproof.plumbing.net.message import XML, Rate, Request, UnreadableError, build_url, quote_segment
from citeproof.vocabulary import Ids, Question, Record

_VOLUME = re.compile(r"\d{4}\.[a-z0-9_]+-[a-z0-9_]+|[A-Z]\d\d-\d{1,3}")


class Acl(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("acl",))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="ACL Anthology",
        url="https://aclanthology.org",
        rate=Rate(1, at_once=1),
        probe=ProbeQuestion("acl", "N19-1423"),
        turns={"acl": 1},
        authority=frozenset(("acl",)),
        says_no_with_pages=True,
        licence="CC BY 4.0",
    )

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        folder = "volumes/" if _VOLUME.fullmatch(question.value) else ""
        url = build_url(self.wiring.url, f"{folder}{quote_segment(question.value)}.xml")
        answer = await visit.get(Request(self.name, url, accept=(*XML, "text/plain")))
        if answer is None:
            return ()
        root = answer.xml()
        first = root.find(f"{mods.SPACE}mods") if root.tag == f"{mods.SPACE}modsCollection" else None
        paper = mods.make_record(first) if first is not None else None
        if paper is None:
            raise UnreadableError("no MODS description of a paper")
        others = (pair for pair in paper.ids.pairs if pair[0] != "acl")
        return (replace(paper, id=question.value, ids=Ids((("acl", question.value), *others))),)
