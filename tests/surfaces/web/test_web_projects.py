"""Sources and their bibliography, handed over together, and what a batch says about its documents."""

import re
from pathlib import Path

from tests.surfaces.web.test_web_rendering import check_page

from citeproof.surfaces.web.upload_reading import UploadedFile, pack_projects

BIB = b"""@inproceedings{he, title={Mask R-CNN}, author={K. He and others}, booktitle={ICCV}, year={2017}}
"""
PDF = (Path(__file__).parents[2] / "fixtures/pdf/author_year.pdf").read_bytes()
PAPER = b"---\nbibliography: paper.bib\n---\nObjects are found [@he]. Nothing else is cited.\n"


def list_names(*files):
    return [one.name for one in pack_projects([UploadedFile(*one) for one in files])]


def test_a_markdown_source_and_the_bibliography_that_it_names_are_one_document():
    assert list_names(("paper.md", PAPER), ("paper.bib", BIB)) == ["paper.zip"]
    assert list_names(("a.pdf", b"%PDF"), ("paper.bib", BIB), ("paper.qmd", PAPER)) == ["paper.zip", "a.pdf"]


def test_files_that_do_not_name_each_other_stay_apart():
    assert list_names(("paper.md", PAPER), ("other.bib", BIB)) == ["paper.md", "other.bib"]
    assert list_names(("answer.md", b"Text."), ("paper.bib", BIB)) == ["answer.md", "paper.bib"]
    assert list_names(("paper.md", PAPER), ("paper.bib", BIB), ("paper.bib", b"")) == [
        "paper.md", "paper.bib", "paper.bib",
    ]  # fmt: skip


def test_a_markdown_project_is_checked_and_shown_in_its_source(web):
    run = web.check(("paper.md", PAPER), ("paper.bib", BIB))
    assert "1 reference" in web.get(run).text
    claims = web.check(("paper.md", PAPER), ("paper.bib", BIB), kind="ground")
    assert "of 1 citation" in web.get(claims).text


def test_a_run_names_its_snapshot(web):
    page = web.get(web.check(("paper.bib", BIB))).text
    assert "checked against snapshot examples" in page
    assert "cps1-" not in page


def test_a_batch_tells_what_could_not_be_read(web):
    batch = web.upload(("paper.md", PAPER), ("other.bib", BIB))
    for job in web.runner.store.list_jobs("local"):
        web.wait(job.id)
    page = web.get(batch).text
    check_page(page)
    assert "no reference was found; 2 problems while reading" in page


def test_a_batch_of_claims_has_totals_of_claims(web):
    hypothesis = b'{"claims": [{"text": "Objects are found.", "references": ["He. Mask R-CNN. 2017."]}]}'
    batch = web.upload(("a.json", hypothesis), ("b.json", hypothesis), kind="ground")
    for job in web.runner.store.list_jobs("local"):
        web.wait(job.id)
    page = web.get(batch).text
    check_page(page)
    assert page.count("of 1 citations verified") == 2
    assert page.count("of 2 citations verified") == 1


def test_the_source_of_a_project_tells_how_many_citations_are_linked(web):
    run = web.check(("paper.md", PAPER), ("paper.bib", BIB))
    page = web.get(f"{run}/document?file=paper.zip!/paper.md").text
    check_page(page)
    assert "1 citation linked to the references" in page
    assert "0 references" not in page


def test_every_page_of_a_short_pdf_can_be_opened(web):
    pages = web.get(f"{web.check(('long.pdf', PDF))}/document?page=1").text
    numbers = [int(one) for one in re.findall(r'page=\d+"[^>]*>(\d+)', pages)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 3
