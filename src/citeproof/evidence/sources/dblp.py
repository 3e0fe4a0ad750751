"""DBLP: the bibliography of computer science, some 8 million publications, curated by hand.

**Covers** conferences, journals and preprints (CoRR) of computing, with books and theses; hardly
anything else. Asked by DBLP key, and by title unless the reference is plainly of medicine or physics.

**Silence** in a title search counts (`covers`) only for an article whose venue is a computing conference or
journal known by name; of other fields it knows little, and new volumes come in months late. Its keys
(`conf/nips/VaswaniSPUJGKP17`) are its own: one that it does not know does not exist.

**Cost and limits.** Free, no key. At most one request a second is sent; 20 keys fit one question to the
SPARQL service.

**How it is reached.** First the SPARQL service, which takes some three seconds; when that cannot answer, the
search and the record pages of dblp.org. `CITEPROOF_DBLP_URL` replaces both: the SPARQL service is then
expected at `/sparql` below it. (`CITEPROOF_DBLP_SPARQL_URL` still works and is deprecated.) Since autumn
2026 dblp.org shows programs a proof-of-work page in place of an answer (HTTP 200, HTML): that is `bot_wall`,
and the riddle is not solved. For many references an index of `dblp.xml.gz` is the better way.

**What it gives.** Complete author lists as single strings; people of one name are distinguished by a number
("Jian Sun 0001"), which is taken off. One year, and the short name of the venue ("NIPS", "Commun. ACM").
Withdrawn papers carry the mark `withdrawn`. Volumes of proceedings are left out of searches.

**Quirks.** Titles end in a full stop. The word index of the SPARQL service wants every word spelt right, so
only the four longest words of a title are asked for, and the title of nearest length comes first. In a
search hit one author is an object, several are a list. A missing record page is a web page: no proof.

**Licence.** CC0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from citeproof.evidence.sources import _field_hints
from citeproof.evidence.sources.base import (
    CannotAnswerError,
    LiveSource,
    SourceProfile,
    SourceSession,
    read_list,
)
from citeproof.evidence.upstream_records import dblp as shape
from citeproof.evidence.upstream_records.json_fields import read_path, read_table, read_text
from citeproof.plumbing.net.message import XML, Answer, Rate, Request, UnreadableError, build_url
from citeproof.text import known_series, venue_name
from citeproof.text import lazy_patterns as re
from citeproof.text.title import STOPWORDS, clean
from citeproof.vocabulary import Cause, Kind, Question, Reach, Record

SPARQL = "https://sparql.dblp.org"
_WORDS = 4  # of a title, the longest: what is left to find it by when another one is wrong
_SEARCHED = 8  # the same for the search, which is forgiving of none but ranks well
_ROWS = 10
_PLAIN = re.compile(r"[a-z0-9]+", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+")
_JOURNALS = frozenset(
    "pr nn jaamas asej wwwj cscwj lre jmlr mlj tmlr jair aij aimag tacl cl tpami ijcv tip tnnls tkde taslp "  # noqa: SIM905 - words read best as words
    "jacm cacm csur neco neucom insci eswa access".split()
)
_KINDS = frozenset((Kind.ARTICLE, Kind.PREPRINT, Kind.BOOK, Kind.CHAPTER, Kind.THESIS, Kind.UNKNOWN))
_PREFIXES = """PREFIX dblp: <https://dblp.org/rdf/schema#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX ql: <http://qlever.cs.uni-freiburg.de/builtin-functions/>
"""
_FIELDS = """SELECT ?pub ?title ?class ?type ?year ?venue ?volume ?number ?pages ?doi ?page ?ord ?name
WHERE {{
  {which}
  ?pub dblp:title ?title .
  ?pub rdf:type ?class . FILTER(?class != dblp:Publication)
  {people}
  OPTIONAL {{ ?pub dblp:bibtexType ?type }}
  OPTIONAL {{ ?pub dblp:yearOfPublication ?year }}
  OPTIONAL {{ ?pub dblp:publishedIn ?venue }}
  OPTIONAL {{ ?pub dblp:publishedInJournalVolume ?volume }}
  OPTIONAL {{ ?pub dblp:publishedInJournalVolumeIssue ?number }}
  OPTIONAL {{ ?pub dblp:pagination ?pages }}
  OPTIONAL {{ ?pub dblp:doi ?doi }}
  OPTIONAL {{ ?pub dblp:primaryDocumentPage ?page }}
}}"""
_SIGNED = (
    "?pub dblp:hasSignature ?sig . ?sig rdf:type {who} . "
    "?sig dblp:signatureOrdinal ?ord . ?sig dblp:signatureDblpName ?name ."
)
# Authors are not optional in a search: so the service starts from the few titles that fit, and volumes,
# which have editors only, fall out.
_BY_TITLE = """{{ SELECT ?pub ?off WHERE {{
    ?text ql:contains-word "{words}" .
    ?text ql:contains-entity ?t .
    ?pub dblp:title ?t .
    BIND(ABS(STRLEN(STR(?t)) - {length}) AS ?off)
  }} ORDER BY ?off LIMIT {rows} }}"""


class Dblp(LiveSource):
    answers: ClassVar[frozenset[str]] = frozenset(("dblp", "title"))
    profile: ClassVar[SourceProfile] = SourceProfile(
        title="DBLP",
        url="https://dblp.org",
        rate=Rate(1, at_once=1),
        probe=("dblp", "conf/nips/VaswaniSPUJGKP17"),
        turns={"dblp": 1},
        covers=frozenset((Kind.ARTICLE,)),
        authority=frozenset(("dblp",)),
        further={"dblp_sparql": SPARQL},
        inner=frozenset(("dblp_sparql",)),
        typical=3.0,
        search_order=3,
        licence="CC0",
    )
    batches: ClassVar[Mapping[str, int]] = {"dblp": 20}
    has_second_service: ClassVar[bool] = True

    async def ask(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        """Return the publications with this key or this title, from the first service that answers."""
        try:
            return await self._sparql(question, visit)
        except CannotAnswerError as first:
            if first.cause is Cause.NOT_COVERED:
                raise
            try:
                return await self._pages(question, visit)
            except CannotAnswerError as second:
                detail = f"SPARQL service: {first.detail}; dblp.org: {second.detail}"
                raise CannotAnswerError(first.cause, detail) from second

    async def _sparql(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        by, value = question.by, question.value
        query = _build_key_query((value,)) if by == "dblp" else _build_title_query(value)
        answer = await visit.get(self._request(query))
        assert answer is not None  # no status of the service says "no such thing"
        return _sort_by_length(self.batch_records(by, answer), question)

    def batch(self, by: str, values: Sequence[str]) -> Request:  # noqa: ARG002 - only keys come in batches
        return self._request(_build_key_query(values))

    def batch_records(self, by: str, answer: Answer) -> Sequence[Record]:
        """Return the publications in an answer; of those that were asked for by key, each must be read."""
        bindings = read_list(answer.json(), "results", "bindings", missing="not a SPARQL answer")
        publications = shape.make_row_records(bindings)
        named = {read_text(read_path(row, "pub", "value")) for row in bindings}
        if len(publications) < (len(named) if by == "dblp" else bool(bindings)):
            raise UnreadableError("a row of the SPARQL answer names no publication")
        return publications

    def _request(self, query: str) -> Request:
        base = self.wiring.urls.get("dblp_sparql", SPARQL).rstrip("/").removesuffix("/sparql")
        accept = ("application/sparql-results+json", "application/json")
        url = build_url(base, "sparql", query=query)
        return Request("dblp_sparql", url, accept, absent=frozenset())

    async def _pages(self, question: Question, visit: SourceSession) -> Sequence[Record]:
        base = self.wiring.url
        if question.by == "dblp":
            url = build_url(base, f"rec/{question.value}.xml")
            answer = await visit.get(Request(self.name, url, XML, absent=frozenset()))
            publications = [] if answer is None else [shape.make_element_record(e) for e in answer.xml()]
            if not any(publications):
                raise UnreadableError("the record page holds no publication")
            return [record for record in publications if record]
        words = " ".join(_pick_words(question.value, _SEARCHED))
        url = build_url(base, "search/publ/api", q=words, format="json", h=_ROWS, f=0, c=0)
        answer = await visit.get(Request(self.name, url, absent=frozenset()))
        return _sort_by_length(_read_hits(answer.json() if answer else None), question)

    def suits(self, question: Question) -> bool:
        """Return whether it may be a publication in computing, or a key that names one."""
        reference = question.reference
        if question.by == "dblp":
            return not question.value.startswith(("homepages/", "www/"))
        if is_computing(reference.claimed.venue):
            return True
        elsewhere = _field_hints.is_biomedical(reference) or _field_hints.is_physics(reference)
        return reference.kind in _KINDS and not elsewhere

    def reach(self, question: Question) -> Reach:
        """Return what silence means: all for a key, something for an article in a computing venue."""
        if question.by == "dblp":
            return Reach.COMPLETE
        reference = question.reference
        covered = reference.kind is Kind.ARTICLE and is_computing(reference.claimed.venue)
        return Reach.COVERS if covered else Reach.PARTIAL


def is_computing(venue: str | None) -> bool:
    """Return whether a venue is a conference or a journal of computing that is known by name."""
    known = venue_name.find_known_series(venue) if venue else None
    if known is None:
        return False
    return known in _JOURNALS or known_series.load_catalogue().series[known].kind in ("conference", "carrier")


def _build_key_query(keys: Sequence[str]) -> str:
    named = " ".join(f"<{shape.RECORD}{key}>" for key in keys)  # a normalised key has nothing to escape
    which = f"VALUES ?pub {{ {named} }}"
    return _PREFIXES + _FIELDS.format(which=which, people=f"OPTIONAL {{ {_SIGNED.format(who='?role')} }}")


def _build_title_query(title: str) -> str:
    words = " ".join(_pick_words(title, _WORDS))
    which = _BY_TITLE.format(words=words.lower(), length=len(clean(title)) + 1, rows=_ROWS)
    return _PREFIXES + _FIELDS.format(which=which, people=_SIGNED.format(who="dblp:AuthorSignature"))


def _pick_words(title: str, most: int) -> list[str]:
    """Return the longest plain words of a title, in its order; accented ones are indexed in many ways."""
    plain = dict.fromkeys(word for word in _TOKEN.findall(clean(title)) if _PLAIN.fullmatch(word))
    telling = [w for w in plain if len(w) > 2 and w.lower() not in STOPWORDS] or list(plain)
    longest = set(sorted(telling, key=len, reverse=True)[:most])
    if not longest:
        raise CannotAnswerError(Cause.NOT_COVERED, "the title has no words that DBLP can be searched for")
    return [word for word in telling if word in longest]


def _read_hits(body: object) -> list[Record]:
    """Return the publications of a search answer, volumes left out."""
    result = read_table(read_table(body).get("result"))
    hits = read_table(result.get("hits"))
    total = hits.get("@total")
    if read_table(result.get("status")).get("@code") != "200" or not isinstance(total, str):
        raise UnreadableError("not an answer of DBLP's search")
    listed = hits.get("hit", [])
    listed = listed if isinstance(listed, list) else [listed]
    if (total != "0") != bool(listed):
        raise UnreadableError(f"the search counts {total[:12]} and lists {len(listed)} hits")
    infos = [read_table(hit).get("info") for hit in listed]
    publications = [
        record for info in infos if not shape.is_volume(info) and (record := shape.make_record(info))
    ]
    if listed and not publications and not any(map(shape.is_volume, infos)):
        raise UnreadableError("no hit of the search names a publication")
    return publications


def _sort_by_length(publications: Sequence[Record], question: Question) -> list[Record]:
    """Return the publications whose titles are nearest in length first: rows come in any order."""
    length = len(clean(question.value))
    return sorted(publications, key=lambda record: abs(len(record.title) - length))[:_ROWS]
