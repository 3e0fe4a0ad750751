"""INSPIRE's literature records: real ones, and any JSON."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest
from hypothesis import given

from citeproof.evidence.sources import inspire
from citeproof.laboratory.testing.apis import inspire as api
from citeproof.vocabulary import Kind, Name, Record, Version
from tests.evidence.sources.anyjson import objects
from tests.recordings import recorded

KEYS = [
    "value",
    "title",
    "full_name",
    "inspire_roles",
    "year",
    "journal_title",
    "date",
    "name",
    "institutions",
]
PION_MASS = (
    "First physics results at the physical pion mass from Nf=2 Wilson twisted mass fermions at maximal twist"
)
QUO_VADIS = (
    "Hadronic contributions to the muon anomalous magnetic moment Workshop. "
    "(g-2)μ: Quo vadis? Workshop. Mini proceedings"
)
FIELDS = [
    "titles", "authors", "publication_info", "thesis_info", "imprints", "arxiv_eprints", "collaborations",
    "dois", "document_type", "control_number", "preprint_date", "external_system_identifiers",
]  # fmt: skip
PAGES = {"page_start", "page_end", "journal_issue", "source", "categories"}


@cache
def items() -> dict[str, dict[str, object]]:
    found = recorded("inspire", "*/records/literature/*.json")
    return {name.rpartition("/")[2].removesuffix(".json"): msgspec.json.decode(data) for name, data in found}


def read(name: str) -> Record:
    found = inspire.make_record(items()[name])
    assert found is not None
    return found


def test_every_recorded_record_is_read():
    assert len(items()) == 58
    for name in items():
        record = read(name)
        assert record.titles
        assert record.id == f"inspire:{name}"
        assert all(author.family for author in record.authors)
        assert all(version.year is None or 1800 < version.year < 2030 for version in record.versions)


@pytest.mark.parametrize(
    ("name", "title", "first", "count", "version", "kind"),
    [
        ("1598135", "The hadronic vacuum polarization contribution to the muon g-2 from lattice QCD",
         Name("Della Morte", "M."), 10, Version(2017, "JHEP", Kind.ARTICLE, "10", None, "020"), Kind.ARTICLE),
        ("1383683", PION_MASS, Name("Abdel-Rehim", "A."), 24,
         Version(2017, "Phys.Rev.D", Kind.ARTICLE, "95", "9", "094515"), Kind.ARTICLE),
        ("1503501", "φ meson production in proton-proton collisions in the NA61/SHINE experiment at CERN SPS",
         Name("Marcinek", "Antoni Jerzy"), 1, Version(2016, "Jagiellonian U", Kind.THESIS), Kind.THESIS),
        ("2610294", "Collected Papers of L.D. Landau", Name("ter Haar", "D."), 1,
         Version(1965, None, Kind.BOOK), Kind.BOOK),
        ("2610328", "On the origin of stellar energy", Name("Landau", "Lev Davidovich"), 1,
         Version(1938, "Nature", Kind.ARTICLE, "141", "3564", "333-334"), Kind.ARTICLE),
        ("44707", "Discovery of a companion of Sirius", None, 0,
         Version(1862, "Mon.Not.Roy.Astron.Soc", Kind.ARTICLE, "22", None, "170"), Kind.ARTICLE),
        ("1306493", QUO_VADIS, Name("Aubin", "C."), 57, Version(2014, "arXiv", Kind.PREPRINT), Kind.BOOK),
    ],
)  # fmt: skip
def test_recorded_facts(name, title, first, count, version, kind):
    record = read(name)
    assert record.title == title
    assert (record.authors[0] if record.authors else None) == first
    assert len(record.authors) == count
    assert record.versions[0] == version
    assert record.kind is kind


def test_identifiers_other_titles_and_groups():
    assert read("1383683").ids.pairs == (("doi", "10.1103/physrevd.95.094515"), ("arxiv", "1507.05068"))
    assert len(read("1383683").titles) == 3
    assert read("1383683").authors[-1] == Name("ETM Collaboration", collective=True)
    assert read("44707").ids.pairs == (("ads", "1862MNRAS..22Q.170."),)
    assert read("2610294").ids.all("isbn") == ("9780080105864", "9781483152707")
    assert read("2610294").publisher == "Pergamon"
    assert read("2610328").titles[1].startswith("Об источниках звездной энергии")
    assert read("2677372").kind is Kind.PREPRINT


def test_the_loopback_api_has_the_shape_of_real_records():
    for name in ("1383683", "1598135", "2610294"):
        real, made = items()[name], api.build_inspire_metadata(read(name))
        for field in set(real) & set(made) - {"$schema", "withdrawn"}:
            assert type(made[field]) is type(real[field]), field
        for field in ("titles", "authors", "dois", "publication_info", "arxiv_eprints"):
            if field in real:
                assert set(made[field][0]) <= {key for one in real[field] for key in one} | PAGES, field


@given(objects(FIELDS, *KEYS))
def test_fields_of_any_type_are_skipped(item):
    record = inspire.make_record({**item, "titles": [{"title": "A title"}]})
    assert record is not None
    assert record.title == "A title"


@given(objects(["titles", "title_translations", "deleted"], *KEYS))
def test_any_titles(item):
    record = inspire.make_record(item)
    assert record is None or record.title
