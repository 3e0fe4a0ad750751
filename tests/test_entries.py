"""References written for other programs read back as what they were."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeproof.answers import serializers
from citeproof.reading.extractors import base as extractors
from citeproof.vocabulary import Claimed, Document, Ids, Kind, Name

WORKS = {
    "article": (Kind.ARTICLE, Claimed(
        "Deep learning", (Name("LeCun", "Yann"), Name("Bengio", "Yoshua")), year=2015, venue="Nature",
        volume="521", issue="7553", pages="436-444", ids=Ids((("doi", "10.1038/nature14539"),)))),
    "signs": (Kind.ARTICLE, Claimed(
        "50% of R&D in C# costs $5_000: x^2",
        (Name("Müller", "Jürgen"), Name("van der Berg", "A.")),
        et_al=True, year=1999, venue="Science & Technology", pages="e1003")),
    "collective": (Kind.REPORT, Claimed(
        "Global tuberculosis report", (Name("World Health Organization", collective=True),), year=2023,
        publisher="WHO", ids=Ids((("isbn", "9789240083851"),)))),
    "conference": (Kind.ARTICLE, Claimed(
        "BERT: Pre-training of Deep Bidirectional Transformers", (Name("Devlin", "Jacob"),), year=2019,
        venue="Proceedings of NAACL-HLT", pages="4171-4186", ids=Ids((("arxiv", "1810.04805"),)))),
    "chapter": (Kind.CHAPTER, Claimed(
        "学习", (Name("王", "伟"),), editors=(Name("Knuth", "Donald E."),), year=1984, venue="A Book",
        publisher="Addison-Wesley", edition="2nd")),
}  # fmt: skip
SAME = ("title", "et_al", "year", "venue", "volume", "issue", "pages", "publisher", "edition")


def _written(form: str, key: str, kind: Kind, claimed: Claimed) -> str:
    match form:
        case "bibtex":
            return serializers.build_bibtex_entry(key, kind, claimed)
        case "csl_json":
            return json.dumps([serializers.build_csl_item(key, kind, claimed)])
        case _:
            return serializers.build_ris_record(key, kind, claimed)


def _back(form: str, text: str):
    extraction = extractors.load_extractors()[form].extract(Document("x", text.encode()))
    assert not extraction.problems
    (raw,) = extraction.references
    return raw


@pytest.mark.parametrize("form", ["bibtex", "csl_json", "ris"])
@pytest.mark.parametrize("name", WORKS)
def test_reads_back(form, name):
    kind, claimed = WORKS[name]
    raw = _back(form, _written(form, "k1", kind, claimed))
    for field in (
        SAME if form != "ris" else [name for name in SAME if name != "et_al"]
    ):  # RIS has no word for it
        assert getattr(raw.claimed, field) == getattr(claimed, field), field
    assert [(n.family, n.given) for n in raw.claimed.authors] == [
        (n.family, n.given) for n in claimed.authors
    ]
    assert [(n.family, n.given) for n in raw.claimed.editors] == [
        (n.family, n.given) for n in claimed.editors
    ]
    assert set(claimed.ids.pairs) <= set(raw.claimed.ids.pairs)
    assert (raw.key, raw.kind) == ("k1", kind)


nasty = st.text(max_size=60)


@given(title=nasty, family=nasty, venue=nasty, doi=nasty)
def test_no_text_breaks_out_of_its_entry(title, family, venue, doi):
    claimed = Claimed(f"T {title}", (Name(f"F {family}"),), venue=venue, ids=Ids((("doi", doi),)))
    entry = serializers.build_bibtex_entry("k", Kind.ARTICLE, claimed)
    found = extractors.load_extractors()["bibtex"].extract(
        Document("x", (entry + "@misc{last, title={z}}").encode())
    )
    assert [raw.key for raw in found.references] == ["k", "last"]
    depth = 0
    for sign in entry:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    record = serializers.build_ris_record("k", Kind.ARTICLE, claimed, (title,))
    assert record.count("\r\n") == len(record.splitlines())
    assert record.count("TY  - ") == 1


@pytest.mark.skipif(not shutil.which("bibtex"), reason="needs BibTeX")
def test_bibtex_itself_reads_what_we_write(tmp_path):
    entries = [
        serializers.build_bibtex_entry(f"k{n}", kind, claimed)
        for n, (kind, claimed) in enumerate(WORKS.values())
    ]
    hostile = replace(WORKS["article"][1], title="\\input{/etc/passwd} } @misc{evil,", venue="%#&")
    entries.append(serializers.build_bibtex_entry("hostile", Kind.ARTICLE, hostile))
    (tmp_path / "refs.bib").write_text("\n".join(entries), encoding="utf-8")
    (tmp_path / "x.aux").write_text("\\citation{*}\n\\bibdata{refs}\n\\bibstyle{plain}\n", encoding="utf-8")
    done = subprocess.run(["bibtex", "x"], cwd=tmp_path, capture_output=True, text=True, check=False)
    bbl = (tmp_path / "x.bbl").read_text(encoding="utf-8", errors="replace")
    assert "error" not in done.stdout.lower(), done.stdout
    assert bbl.count("\\bibitem") == len(WORKS) + 1
    assert "\\input" not in bbl
    assert "evil" in bbl


@pytest.mark.parametrize(
    ("venue", "place", "word"),
    [
        ("Neural Information Processing Systems (NIPS)", {}, "inproceedings"),
        ("Journal of the ACM", {}, "article"),
        ("Proceedings of the VLDB Endowment", {"volume": "12", "issue": "3"}, "article"),
        ("Proceedings of the IEEE", {"volume": "86", "issue": "11"}, "article"),
        ("MICCAI 2015", {}, "inproceedings"),
        ("Some Symposium on Rivers", {}, "inproceedings"),
    ],
)
def test_a_journal_is_told_from_proceedings(venue, place, word):
    claimed = Claimed("A title", year=2015, venue=venue, **place)
    assert serializers.build_bibtex_entry("k", Kind.ARTICLE, claimed).startswith(f"@{word}{{k,")
