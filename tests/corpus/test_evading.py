"""Documents and corpora that were written to pass or to cost: all is told of, and the cost is bounded."""

from __future__ import annotations

import pytest

from citeproof.corpus import corpus_context as texts_module
from citeproof.corpus.code import history
from citeproof.corpus.corpus_context import CorpusContext
from citeproof.corpus.corpus_types import CorpusLayout, Freshness, Mode, Status
from citeproof.corpus.examine import examine_document
from citeproof.corpus.project_root import ProjectRoot
from tests.corpus.code.repository import Repository, needs_git

SOURCES = ".aiwg/research/sources"
H = "a8f9c2d4e5f60718"


def source(authors: str, year: int | None, grade: str = "", more: str = "") -> str:
    lines = [f"authors: [{authors}]"] if authors else []
    lines += [f"year: {year}"] if year else []
    lines += [f"grade: {grade}"] if grade else []
    return "---\n" + "\n".join(lines) + f"\n---\n# A work\n\n{more}\n"


@pytest.fixture
def made(tmp_path):
    """What makes a ground of files, and examines a document on it."""

    def ground(files: dict[str, str], day: str = "2026-11-15") -> CorpusContext:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return CorpusContext(ProjectRoot(tmp_path), CorpusLayout(dois="format"), day)

    return ground


def told(result, *only):
    return [issue.rule for issue in result.issues if not only or issue.rule in only]


def on(ground, text, **mode):
    return examine_document(text.encode(), "d.md", ground, Mode(**mode))


LOW = {f"{SOURCES}/smith2020.md": source("Jane Smith", 2020, "LOW")}


@pytest.mark.parametrize(
    "path", ["smith2020.md", "./smith2020.md", "/smith2020.md", ".//./smith2020.md", "smith2020", "link.md"]
)
def test_however_a_path_is_spelled_its_source_counts(made, tmp_path, path):
    ground = made(LOW)
    (tmp_path / SOURCES / "link.md").symlink_to("smith2020.md")
    result = on(ground, f"It demonstrates this (@{SOURCES}/{path}).")
    assert told(result) == ["grade-language"]
    assert [one.grade for one in result.citations] == ["LOW"]


def test_a_link_inside_the_corpus_is_no_second_entry(made, tmp_path):
    ground = made({f"{SOURCES}/REF-070-a.md": "---\nref: REF-070\ngrade: LOW\n---\n# A\n"})
    (tmp_path / SOURCES / "alias.md").symlink_to("REF-070-a.md")
    assert [entry.path for entry in ground.library.entries] == [f"{SOURCES}/REF-070-a.md"]
    assert ground.library.problems == ()
    assert ground.library.find_entry(f"{SOURCES}/alias.md") is ground.library.entries[0]


def test_a_corpus_that_a_link_leads_to(made, tmp_path):
    ground = made({"papers/smith2020.md": source("Jane Smith", 2020, "LOW")})
    (tmp_path / ".aiwg/research").mkdir(parents=True)
    (tmp_path / SOURCES).symlink_to("../../papers")
    for path in (f"{SOURCES}/smith2020.md", "papers/smith2020.md"):
        assert ground.find_entry(path) is ground.library.entries[0]
    assert told(on(ground, f"It demonstrates this (@{SOURCES}/./smith2020.md).")) == ["grade-language"]


SMITHS = {
    f"{SOURCES}/a.md": source("Jane Smith, John Doe", 2020, "LOW"),
    f"{SOURCES}/b.md": source("Adam Smith", None, "HIGH"),
    f"{SOURCES}/c.md": source("Karl Roe", None, "LOW"),
    f"{SOURCES}/d.md": source("Max Poe", 2019),
    f"{SOURCES}/e.md": source("Eva Poe", 2019, "LOW"),
    f"{SOURCES}/f.md": source("Ada Foe", 2018),
    f"{SOURCES}/g.md": source("Bea Foe", 2018),
}
MENTIONS = [
    (
        "Smith et al. (2020) demonstrates it.",
        Status.VERIFIED,
        ["grade-language"],
    ),  # the dated one
    ("Smith et al. (2019) demonstrates it.", Status.VERIFIED, []),
    ("Roe et al. (2020) demonstrates it.", Status.VERIFIED, ["grade-language"]),
    ("Smith and Doe (2020) might help.", Status.VERIFIED, []),
    ("Smith and Doe (2019) might help.", Status.INCONSISTENT, ["wrong-year"]),
    ("Smith and Roe (2020) might help.", Status.HALLUCINATED, ["unknown-author"]),
    ("Doe et al. (2020) might help.", Status.INCONSISTENT, ["unknown-author"]),
    ("Poe et al. (2019) might help.", Status.VERIFIED, []),  # one of the two is assessed
    ("Foe et al. (2018) might help.", Status.VERIFIED, ["unassessed-source"]),  # once
    ("Foe et al. (2018a, 2018b) might help.", Status.VERIFIED, ["unassessed-source"]),
]


@pytest.mark.parametrize(("text", "status", "rules"), MENTIONS)
def test_whom_a_mention_means(made, text, status, rules):
    result = on(made(SMITHS), text)
    assert {one.status for one in result.citations} == {status}
    assert told(result) == rules


def test_many_namesakes_are_told_of_once(made):
    result = on(made({f"{SOURCES}/{n}.md": source("Jane Smith", None) for n in range(300)}),
                "So Smith et al. (2020) say.\n\nAnd so they say again (Smith et al., 2021).\n")  # fmt: skip
    assert told(result) == ["unassessed-source"]


def test_what_mentions_of_namesakes_cost(made, monkeypatch):
    ground = made({f"{SOURCES}/{n}.md": source("Jane Smith, John Doe", 2020) for n in range(200)})
    calls = []
    related = type(ground.library).find_related
    monkeypatch.setattr(type(ground.library), "find_related", lambda *args: calls.append(1) or related(*args))
    on(ground, "\n\n".join(f"Smith and Doe (2020) say {n}." for n in range(50)))
    assert len(calls) <= 200


QUOTED = "the quick brown fox jumps over it"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (f"He says {QUOTED} all day.", ["quote-without-page"]),
        (f"He says nothing. <!-- {QUOTED} -->", ["misquote"]),
        (f"He says nothing. <!--\n{QUOTED}\n--> Not so <!-- x -->.", ["misquote"]),
        (f"Write `<!--` and {QUOTED} and `-->`.", ["quote-without-page"]),
        (f"Never closed <!-- {QUOTED}", ["quote-without-page"]),
    ],
)
def test_comments_of_a_source_are_not_its_text(made, text, rules):
    ground = made({f"{SOURCES}/a.md": source("Jane Smith", 2020, "LOW", f"{text} {'And so on. ' * 10}")})
    assert told(on(ground, f"It may indicate “{QUOTED}” (@{SOURCES}/a.md).")) == rules


def test_a_quotation_is_looked_for_in_few_texts_and_each_is_read_once(made, monkeypatch):
    ground = made({f"{SOURCES}/{n}.md": source("Jane Smith", 2020, "LOW", "Nothing.") for n in range(70)})
    read = []
    pages = texts_module.read_source_pages
    monkeypatch.setattr(
        texts_module,
        "read_source_pages",
        lambda path, data: read.append(path) or pages(path, data),
    )
    text = "\n\n".join(f"It is “{QUOTED} number {n}” (Smith et al., 2020)." for n in range(10))
    result = on(ground, text)
    assert told(result) == ["quote-unchecked"] * 10
    assert len(read) == len(set(read)) <= 21


def test_texts_are_kept_by_size(made, monkeypatch):
    ground = made({f"{n}.md": "word " * 100 for n in range(9)})
    monkeypatch.setattr(texts_module, "HELD", 1500)
    first = ground.texts.get("0.md")
    for n in range(1, 9):
        ground.texts.get(f"{n}.md")
        assert ground.texts.get("0.md") is first  # asked for all the time
    assert len(ground.texts._kept) == 3
    assert ground.texts.get("no.md") is None
    assert ground.texts._none == {"no.md"}


def test_a_result_that_rests_on_a_stopped_reading_is_not_used_again(made, monkeypatch):
    files = {
        f"{SOURCES}/a.html": "<p>words</p>" * 40_000,  # no machine reads it within the limit
        f"{SOURCES}/a.yaml": "authors: [Jane Smith]\nyear: 2020",
    }
    limits = texts_module.Limits(memory=1 << 30, seconds=0.0001, answer=1 << 20)
    text = f"It is “{QUOTED}” (@{SOURCES}/a.html)."
    healthy = on(made(files), text)
    monkeypatch.setattr(texts_module, "_LIMITS", limits)
    ground = made(files)
    stopped = on(ground, text)
    assert (told(healthy, "misquote"), told(stopped, "misquote")) == (["misquote"], [])
    assert "never:" not in {one.question for one in healthy.asked}
    (never,) = [one for one in stopped.asked if one.question == "never:"]
    assert len({never.digest, ground.digest("never:"), ground.digest("never:")}) == 3


@needs_git
@pytest.mark.parametrize(("budget", "kept"), [(60.0, True), (-1.0, False)])
def test_a_result_that_rests_on_a_tired_git_is_not_used_again(made, tmp_path, monkeypatch, budget, kept):
    repository = Repository(tmp_path)
    cited, _ = repository.commit("src/a.py", "x = 1\n")
    repository.commit("src/a.py", "x = 2\n")
    monkeypatch.setattr(history, "IN_ALL", budget)
    ground = made(LOW)
    result = on(ground, f"So it is [src/a.py@{cited}, L1].")
    assert told(result) == ["stale-code"]
    assert ("never:" not in {one.question for one in result.asked}) == kept


def test_reading_sources_has_a_budget(made, monkeypatch):
    ground = made({f"{SOURCES}/a.md": source("Jane Smith", 2020, "LOW", QUOTED)})
    monkeypatch.setattr(texts_module, "IN_ALL", -1.0)
    result = on(ground, f"It may indicate “{QUOTED}” (@{SOURCES}/a.md).")
    assert told(result) == ["quote-unchecked"]
    assert "never:" in {one.question for one in result.asked}


@pytest.mark.parametrize(
    ("day", "rules"), [("2026-01-02", []), ("2026-02-15", []), ("2027-01-02", ["stale-source"])]
)
def test_a_result_holds_until_its_outcome_changes(made, day, rules):
    text = f"It may indicate so (@{SOURCES}/a.md), says Nobody et al. (2020)."
    files = {f"{SOURCES}/a.md": source("Jane Smith", 2020, "LOW\nverified: 2026-01-01")}
    result, then = on(made(files, day), text), made(files, "2026-02-01")
    assert told(result, "stale-source") == rules
    assert all(one.digest == then.digest(one.question) for one in result.asked) == (rules == [])


@pytest.mark.parametrize(("year", "rules"), [("2030", "2027"), ("2028", "2027"), ("2027", "")])
def test_years_that_cannot_be(made, year, rules):
    (issue,) = on(made(LOW), f"Nobody et al. ({year}) say so.").issues
    assert (f"to {rules}" in issue.message) == bool(rules)


CITATIONS = (
    "[REF-999], @.aiwg/research/sources/no.md, doi:10.1038/x, [src/no.py, L1], (Nobody et al., 2020). "
)


def test_citations_come_in_document_order(made):
    result = on(made(LOW), CITATIONS * 2)
    starts = [one.start for one in result.citations]
    assert starts == sorted(starts)
    assert len({one.pattern for one in result.citations[:5]}) == 5
    for issue in result.issues:
        if issue.cited is not None:
            cited = result.citations[issue.cited]
            assert (cited.raw, cited.line) == (issue.source, issue.line)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("It is 40% quicker (Smith et al., 2020).", []),
        ("It is 40% quicker (Nobody et al., 2020).", ["unsourced-statistic"]),
        ("It is 40% quicker [REF-999].", ["unsourced-statistic"]),
        ("It is 40% quicker [src/no.py, L1] and [src/no.py, L1].", ["unsourced-statistic"]),
        ("It is 40% quicker (Nobody et al., 2020; Smith et al., 2020).", []),
        ("It is 40% quicker [REF-999]. So says Smith et al. (2020).", []),
        ("It is 40% quicker [REF-999] (https://example.org/a).", []),
    ],
)
def test_a_citation_to_nothing_is_no_source(made, text, rules):
    assert told(on(made(LOW), text), "unsourced-statistic") == rules


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("file:///etc/passwd, L1", True),
        ("FILE:///etc/passwd", True),
        (f"file:///etc/passwd@{H}", True),
        ("see file:///etc/passwd, L1-3", True),
        ("https://example.org/a.py, L1", False),
        ("http://example.org/a.py", False),
    ],
)
def test_addresses_of_files_are_outside_the_root(made, path, found):
    result = on(made(LOW), f"So it is [{path}].")
    wanted = [(Freshness.MISSING, "outside_root", Status.HALLUCINATED)] if found else []
    assert [(one.verdict, one.reason, one.status) for one in result.citations] == wanted


@pytest.mark.parametrize("text", [f"So says @{SOURCES}/round.md.", "See [round.md, L1]."])
def test_what_cannot_be_read_is_not_called_invented(made, tmp_path, text):
    ground = made(LOW)
    for name in ("round.md", f"{SOURCES}/round.md"):
        (tmp_path / name).symlink_to("round.md")
    result = on(ground, text)
    assert [one.status for one in result.citations] == [Status.UNREACHABLE]
    assert [(issue.level, issue.remedy.act) for issue in result.issues] == [("error", "todo")]
    assert result.counts.unreachable == 1


MOST = 500


@pytest.fixture
def _few(monkeypatch):
    """A lower limit than of real documents: what is beyond it is cut off all the same."""
    monkeypatch.setattr("citeproof.corpus.page.MOST", MOST)
    monkeypatch.setattr("citeproof.corpus.document_check.MOST", MOST)


@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize(
    ("unit", "wanted"),
    [
        ("REF-001 ", "10 citations"),
        ("Smith et al. (2020) ", "10 citations"),
        ("It is 40% more.\n\n", "10 citations"),
        ("Research proves it.\n\n", "10 issues"),
    ],
)
def test_a_document_with_too_much_in_it_does_not_pass(made, unit, wanted):
    result = on(made(LOW), unit * (MOST + 10))
    assert told(result, "too-many") == ["too-many"]
    (issue,) = [issue for issue in result.issues if issue.rule == "too-many"]
    assert wanted in issue.message
    assert issue.level == "error"
    assert issue.claim
    assert len(result.issues) <= MOST + 1
    assert len(result.citations) <= MOST


@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize("mode", [{}, {"code_only": True}, {"corpus_only": True}])
def test_every_mode_tells_of_too_much(made, mode):
    assert told(on(made(LOW), "REF-001 " * (MOST + 1), **mode), "too-many") == ["too-many"]
    assert told(on(made(LOW), "REF-001 " * MOST, **mode), "too-many") == []


@pytest.mark.parametrize(
    "word",
    [
        "demon\u00adstrates", "demon\u200bstrates", "d\u2060e\u200dmonstrates", "demonstr&#97;tes",
        "demonstr&#x61;tes", "demon<!-- -->strates", "demon<b>strates</b>", "**demon**strates",
        "demon<!-- -->*strates*", "demonstr\u0430tes", "\uff44emonstrates", "demon\u200b\u00adstrates",
    ],
)  # fmt: skip
def test_words_count_as_they_look(made, word):
    text = f"Ich sah, it {word} this (@{SOURCES}/smith2020.md)."
    (issue,) = on(made(LOW), text).issues
    assert issue.rule == "grade-language"
    if issue.remedy is not None:
        assert text[issue.remedy.start : issue.remedy.end] == word
    assert (issue.remedy is None) == ("<" in word or "*" in word)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("So [REF-9\u200b99].", "REF-999"),
        ("So RE\u00adF\u200b-999.", "REF-999"),
        ("So REF-9&#57;9, and.", "REF-999"),
        ("So @.aiwg/rese\u00adarch/sources/n\u200bo.md.", ".aiwg/research/sources/no.md"),
        ("So (Nobody\u200b et\u200b al.,\u00ad 2020).", "Nobody"),
        ("So [src/n\u200bo.py, L1].", "src/no.py"),
        ("<c\u200bode>REF-999</code>", "REF-999"),  # no tag, so it is read
        ("\u200b~~~\nREF-999\n\u200b~~~\n", "REF-999"),  # no fence
        ("So [src/no.py, L1].\n\n[src/n\u200bo.py, L1]: x\n", "src/no.py"),  # defines something else
        ("So [src/n\u200bo.py, L1].\n\n[src/no.py, L1]: x\n", "src/n\u200bo.py"),  # no link
        ("1\u200b. ~~~\n   REF-999\n", "REF-999"),  # no list
        ("1\u200b2. ~~~\n    REF-999\n", "REF-999"),
        ("&#49;. ~~~\n   REF-999\n", "REF-999"),
        ("&#82;EF-999", "REF-999"),
        ("Größe\u00ade &#65;nd [REF-999] süß\u200b.", "REF-999"),
    ],
)
def test_citations_count_as_they_look(made, text, target):
    result = on(made(LOW), text)
    (one,) = [one for one in result.citations if one.start < 40]
    assert (one.target, one.status) == (target, Status.HALLUCINATED)
    assert text[one.start : one.end] == one.raw


@pytest.mark.parametrize(("path", "many"), [("file:///etc/passwd", 1), ("https://example.org/a.py", 0)])
def test_a_footer_may_name_an_address_of_a_file(made, path, many):
    result = on(made(LOW), f"So it is.\n\n## Sources\n\n- {path} (L1)\n")
    assert [one.reason for one in result.citations] == ["outside_root"] * many
