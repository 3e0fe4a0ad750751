"""`claims`: flags and files that have no effect are told, never ignored without a word."""

from __future__ import annotations

import json

import pytest

from citeproof.surfaces.cli import main as door

TITLE = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
CITED = f"""It works [1].

## References

1. Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). {TITLE}. https://doi.org/10.18653/v1/N19-1423
"""
BROKEN = [
    ("{a", "h.json:1:2: is not JSON"),
    ('{"claims": [\n  "So."', "h.json:2:8: is not JSON"),
    ("[[1,\n", "h.json:2:1: is not JSON"),
    ('{"claims": [NaN]}', "h.json: is not JSON"),
]
OTHER = {
    "another DOI": ("paper.md", f"# {TITLE}\n\nJacob Devlin. https://doi.org/10.1000/other\n\nSo.\n"),
    "does not name the first author": ("paper.md", f"# {TITLE}\n\nAnna Other\n\nSo it is.\n"),
    "its title is another": ("N19-1423.md", "# Boats of the lower river\n\nAnna Other\n\nSo it is.\n"),
}


@pytest.fixture
def run(offline_world, capfd, monkeypatch):
    """Run `citeproof claims` in a folder of its own; return the exit code and what was printed."""
    monkeypatch.chdir(offline_world)
    (offline_world / "a.md").write_text(CITED)

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            door.main(["claims", *map(str, words)])
        return int(ended.value.code or 0), capfd.readouterr()

    return call


def test_removal_needs_a_clean_text(run):
    code, printed = run("a.md", "--removal", "remove")
    assert code == 2
    assert "--removal: needs --clean-text" in printed.err
    assert "hint: " in printed.err
    assert run("a.md", "--clean-text", "clean.md", "--removal", "remove")[0] == 0


def test_fetching_texts_offline_is_told(run):
    code, printed = run("a.md", "--fetch-texts")
    assert code == 0
    assert "warning: --fetch-texts has no effect offline" in printed.err
    assert "--fetch-texts" not in run("a.md")[1].err


@pytest.mark.parametrize(("text", "told"), BROKEN)
def test_broken_json_is_told_with_its_place(run, offline_world, text, told):
    (offline_world / "h.json").write_text(text)
    code, printed = run("h.json")
    assert code == 2
    assert told in printed.err
    assert "hint: docs/claims.md" in printed.err


def test_broken_items_of_a_bibliography_are_still_read_one_by_one(run, offline_world):
    item = {"title": TITLE, "DOI": "10.18653/v1/N19-1423", "author": [{"family": "Devlin"}]}
    (offline_world / "refs.json").write_text(f'[{json.dumps(item)}, {{"title": broken}}]')
    code, printed = run("refs.json")
    assert code == 0
    assert "broken JSON" in printed.err
    assert "1 of 1 citations verified" in printed.out


def test_images_that_are_not_there_are_told(run, offline_world):
    (offline_world / "texts").mkdir()
    code, printed = run("a.md", "--texts", "texts", "--images", "figures")
    assert code == 0
    assert "note: no image was written to figures: no claim cites a figure or table" in printed.err


@pytest.mark.parametrize("why", OTHER)
def test_the_trace_says_why_a_file_of_texts_was_refused(run, offline_world, why):
    name, content = OTHER[why]
    (offline_world / "texts").mkdir()
    (offline_world / "texts" / name).write_text(content)
    told = " ".join(run("a.md", "--texts", "texts")[1].out.split())
    assert "[no_text] (no file of the folders is surely that of the work" in told
    assert f"{name}: " in told
    assert why in told


def test_the_trace_says_why_a_fitting_file_was_not_read(run, offline_world):
    texts = offline_world / "texts"
    texts.mkdir()
    stated = '<meta name="citation_doi" content="10.18653/v1/N19-1423">'
    for name in ("one.html", "two.html"):
        (texts / name).write_text(
            f"<html><head>{stated}</head><body><h1>{TITLE}</h1><p>{name}</p></body></html>"
        )
    told = " ".join(run("a.md", "--texts", "texts")[1].out.split())
    assert "[no_text] (several files fit equally: one.html, two.html)" in told
    (texts / "two.html").unlink()
    (texts / "one.html").write_text(f"<html><head>{stated}<title>{TITLE}</title></head><body></body></html>")
    told = " ".join(run("a.md", "--texts", "texts")[1].out.split())
    assert "[no_text] (one.html: has no text that can be read)" in told


@pytest.mark.parametrize(
    ("name", "flags", "written"),
    [
        ("h_abc123", (), ["h_abc123.jsonl"]),
        ("h_abc123", ("--audit-run", "own"), ["own.jsonl"]),
        ("log", (), []),
    ],
)
def test_the_log_of_a_hypothesis_has_its_id(run, tmp_path, name, flags, written):
    (tmp_path / "h.json").write_text(json.dumps({"id": name, "claims": ["It works."]}))
    run(tmp_path / "h.json", "--allow-unchecked-retractions", "--audit", tmp_path / "audit", *flags)
    named = [path.name for path in (tmp_path / "audit").glob("*.jsonl")]
    assert named == written if written else len(named) == 1 and named != [f"{name}.jsonl"]


IN_MARKUP = (
    f"""It is one list in plain text, with two works at most.

<ol>
  <li><b>{TITLE}</b><br>Jacob Devlin, Ming-Wei Chang, Kenton Lee and Kristina Toutanova<br>
  <a href="https://doi.org/10.18653/v1/N19-1423">NAACL, 2019</a></li>
</ol>
""",
    f"""**{TITLE}** (2019)
- *Authors*: Jacob Devlin, Ming-Wei Chang, Kenton Lee, Kristina Toutanova
- *Venue*: NAACL
- *DOI*: `10.18653/v1/N19-1423`
""",
)


@pytest.mark.parametrize("text", IN_MARKUP)
def test_a_verified_work_in_markup_stays_as_it_is(offline_world, capfd, text):
    (offline_world / "a.md").write_text(text)
    with pytest.raises(SystemExit):
        door.main(["guard", str(offline_world / "a.md"), "--allow-unchecked-retractions"])
    assert capfd.readouterr().out == text
