"""Two facts of every claim: what became of its citation, and what the text of the work says; and `--hold`."""

from __future__ import annotations

import json

import pytest

import citeproof
from citeproof.claims.grounding import collect_candidates
from citeproof.claims.hypothesis_json import read_hypothesis
from citeproof.errors import UsageError
from citeproof.settings import load
from citeproof.surfaces.cli import main as door
from citeproof.vocabulary import CandidateOrigin, CitationCandidate, Claim, Claimed, ClaimStatus, Ids, Name

DOI = "10.18653/v1/N19-1423"
DEVLIN = {"doi": DOI, "authors": ["Devlin"], "year": 2019}
SENTENCE = "The larger model increased the accuracy of question answering by 7.7 points over the baseline"
FILLER = "The optimiser kept its usual settings and the data were shuffled once in every epoch. " * 40
PAGE = f"""<html><head><meta name="citation_doi" content="{DOI}"></head><body><article>
<h1>BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding</h1>
<h2>Results</h2><p>{SENTENCE}. {FILLER}</p></article></body></html>"""
CLAIMS = {  # the content of each, and the exit code of a run over it alone
    f"{SENTENCE}.": ("numbers_agree", 0),
    f"{SENTENCE}.".replace("7.7", "9.9"): ("alarm", 1),
    f"{SENTENCE}.".replace("increased", "decreased"): ("alarm", 1),
    "Statins lower the mortality of patients with diabetes and renal failure.": ("not_located", 0),
}


@pytest.fixture
def ground(offline_world, capfd):
    """The report on one claim with the text of its work at hand: exit code and output."""
    (offline_world / "texts").mkdir()
    (offline_world / "texts" / "x.html").write_text(PAGE)

    def call(text, *flags, form="json", reference=DEVLIN, texts=True):
        claims = {"claims": [{"text": text, "references": [reference]}]}
        (offline_world / "h.json").write_text(json.dumps(claims))
        more = ["--texts", str(offline_world / "texts")] if texts else []
        with pytest.raises(SystemExit) as ended:
            door.main(["claims", str(offline_world / "h.json"), "--format", form, *more, *flags])
        out = capfd.readouterr().out
        return int(ended.value.code or 0), json.loads(out) if form in ("json", "sarif") else out

    return call


@pytest.mark.parametrize(("text", "expected"), CLAIMS.items())
def test_the_content_is_a_fact_of_its_own_and_an_alarm_fails_the_run(text, expected, ground):
    code, told = ground(text)
    (claim,) = told["claims"]
    content, failing = expected
    assert (claim["status"], claim["content"], claim["held"]) == ("verified", content, bool(failing))
    assert (told["summary"]["content"], told["summary"]["held"]) == ({content: 1}, failing)
    assert code == failing


@pytest.mark.parametrize("form", ["text", "md", "html", "csv", "junit"])
@pytest.mark.parametrize(
    ("text", "expected"), [row for row in CLAIMS.items() if row[1][0] != "numbers_agree"]
)
def test_no_format_says_verified_without_the_content(form, text, expected, ground):
    _, out = ground(text, form=form)
    assert expected[0].replace("_", " ") in out.replace("_", " ")
    assert form != "text" or "✓" not in out


@pytest.mark.parametrize(
    ("hold", "codes"),
    [("none", [0, 0, 0, 0]), ("not_located", [0, 0, 0, 1]), ("alarm,not_located", [0, 1, 1, 1])],
)
def test_the_user_says_which_content_holds_a_claim(hold, codes, ground):
    assert [ground(text, "--hold", hold)[0] for text in CLAIMS] == codes


def test_a_claim_without_a_text_is_not_compared_and_may_be_held(ground):
    code, told = ground(next(iter(CLAIMS)), texts=False)
    assert (code, told["claims"][0]["content"], told["claims"][0]["held"]) == (0, "not_compared", False)
    _, out = ground(next(iter(CLAIMS)), texts=False, form="text")
    assert "citation verified, content not compared" in out
    code, sarif = ground(next(iter(CLAIMS)), "--hold", "not_compared", form="sarif", texts=False)
    assert code == 1
    assert "claim-content" in {one["ruleId"] for one in sarif["runs"][0]["results"]}


TITLE = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
BODY = f"{TITLE}\nJacob Devlin, Ming-Wei Chang, Kenton Lee, and Kristina Toutanova\n"


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Pre-training of deep bidirectional transformers helps language understanding.", "not_located"),
        ("Devlin, Chang, Lee and Toutanova pre-train transformers.", "not_located"),
        (f"In “{TITLE}” statins lower the mortality.", "not_located"),  # neither verified nor an alarm
        ("Scaled attention replaces recurrence in all 48 layers.", "not_located"),  # in the reference list
    ],
)
def test_title_authors_and_reference_list_are_no_evidence(text, content, ground, offline_world):
    (offline_world / "texts" / "x.html").unlink()
    listed = (
        "References\n\n[1] Vaswani. Scaled attention replaces recurrence in all 48 layers. NeurIPS, 2017.\n"
    )
    whole = f"{BODY}Google AI Language, Mountain View University\n\nResults\n\n{FILLER}\n\n{listed}"
    (offline_world / "texts" / "N19-1423.txt").write_text(whole)
    (claim,) = ground(text)[1]["claims"]
    assert claim["support"]["extent"] == "full_text"
    assert claim["content"] == content, claim["support"]


def test_a_wrong_word_after_hold_is_refused():
    for word in ("alarms", "", "alarm,none"):
        with pytest.raises(UsageError, match="is not a list of what holds a claim"):
            citeproof.Verifier(hold=word)


@pytest.mark.parametrize(
    ("line", "fine"),
    [
        ('hold = ["alarm", "contradicted", "not_located"]', True),
        ('hold = "none"', False),
        ('hold = "not_located"', False),
        ("allow_unchecked_retractions = true", False),
    ],
)
def test_a_project_may_hold_more_claims_and_never_fewer(line, fine, tmp_path):
    (tmp_path / "citeproof.toml").write_text(f"{line}\n")
    if fine:
        assert "not_located" in load(folder=tmp_path, environment={}).hold
        return
    with pytest.raises(UsageError, match="may not set"):
        load(folder=tmp_path, environment={})


@pytest.mark.parametrize(
    ("texts", "text", "code"),
    [(False, f"{SENTENCE}.", 4), (True, f"{SENTENCE}.", 0), (True, "Statins lower the mortality.", 4)],
)
def test_an_identifier_alone_resolves_and_verifies_nothing(texts, text, code, ground):
    ended, told = ground(text, reference={"doi": DOI}, texts=texts)
    assert told["claims"][0]["status"] == "resolved"
    assert told["claims"][0]["citation"] is not None
    assert (told["summary"]["verified"], ended) == (0, code)


def test_what_a_mention_says_is_compared_though_the_identifier_is_written_too():
    ids = Ids((("doi", "10.1000/x"),))
    mentioned = CitationCandidate(Claimed(authors=(Name("Doe"),), ids=ids), 0.4, CandidateOrigin.MENTION)
    (one,) = collect_candidates(Claim("c", "So it is (Doe 2020, doi:10.1000/x)."), [mentioned])
    assert (one.bare, one.confidence) == (False, 0.8)


@pytest.mark.parametrize(
    "reference",
    [{"text": "Smith, personal notes"}, {"text": "??"}, {"authors": ["Smith"]}, {"doi": "not a doi"}, "??"],
)
def test_no_proposed_reference_is_dropped(reference):
    given = json.dumps({"claims": [{"text": "It is so.", "references": [reference]}]}).encode()
    (claim,) = read_hypothesis(given, "h.json").claims
    assert len(claim.references) == 1
    assert claim.references[0].text


def test_a_reference_that_nobody_can_read_is_not_called_missing(ground):
    _, told = ground("It is so.", reference={"text": "Smith, personal notes"})
    (claim,) = told["claims"]
    assert claim["status"] in (ClaimStatus.UNCHECKED, ClaimStatus.UNSUPPORTED)
    assert (claim["candidates"], len(claim["tried"])) == (1, 1)


ANSWER = """Masked pre-training works (Devlin et al., 2019). Smithson & Wang (2022) found that memory lattices
forget nothing, as Devlin et al. (2019) and Okafor and Lindqvist (2021) say.

## References

1. Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). BERT: Pre-training of deep bidirectional
   transformers for language understanding. https://doi.org/10.18653/v1/N19-1423
"""


@pytest.mark.parametrize("text", [ANSWER, ANSWER.partition("##")[0]], ids=["with a list", "without a list"])
def test_a_document_that_names_invented_works_is_not_clean(text, offline_world, capfd):
    (offline_world / "answer.md").write_text(text)
    with pytest.raises(SystemExit) as ended:
        door.main(["claims", str(offline_world / "answer.md"), "--format", "json"])
    told = json.loads(capfd.readouterr().out)
    invented = [
        one
        for one in told["claims"]
        if any(name in each["text"] for each in one["tried"] for name in ("Smithson", "Okafor"))
    ]
    assert len(invented) == 2  # each by itself, never on the back of its neighbour
    assert {one["status"] for one in invented} <= {"unsupported", "unchecked"}
    assert all(one["location"]["line"] and one["citation"] is None for one in invented)
    assert int(ended.value.code) in (1, 4)
