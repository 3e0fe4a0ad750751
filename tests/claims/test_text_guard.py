"""Generated text on its way to a reader: what passes, what waits, what never does."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import citeproof
from citeproof.claims.shown_units import MARK
from citeproof.claims.text_citations import find_text_citations
from citeproof.claims.text_segments import SegmentReader
from citeproof.errors import UsageError
from citeproof.evidence.index.build import BuildInput, build
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.list_import import import_files
from citeproof.settings import load

ROOT = Path(__file__).parents[2]
CSV = """Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,
T,A,1/2/2020 0:00,10.1000/n,10.1000/x,Retraction,+Error;,
"""
TEXT = """Masked pre-training works [1]. So does magic [2]. See doi:10.18653/v1/N19-1423 and doi:10.1234/fake.1.

## References

[1] Devlin, J., Chang, M.-W., Lee, K., Toutanova, K. BERT: Pre-training of deep bidirectional transformers for language understanding. NAACL 2019.
[2] Nobody, A. (2021). Quantum synergies of imaginary attention. Journal of Imaginary Things 3, 1-9.
"""  # noqa: E501


@pytest.fixture(scope="module")
def verifier(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guard")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(folder / "home"))
        build([BuildInput("bibtex", (ROOT / "examples" / "records.bib",))], folder / "snapshot", name="made")
        (folder / "rw.csv").write_text(CSV)
        import_files(load(), SystemClock(), [folder / "rw.csv"], day=today(SystemClock()))
        with citeproof.Verifier(offline=True, snapshots=[folder / "snapshot"]) as made:
            yield made


def _pass(verifier, text, size=7, **options):
    async def collect():
        chunks = (text[at : at + size] for at in range(0, len(text), size))
        return [one async for one in verifier.ground_stream(chunks, **options)]

    return asyncio.run(collect())


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_only_what_is_verified_is_released(size, verifier):
    released = _pass(verifier, TEXT, size)
    shown = "".join(one.text for one in released)
    assert "".join(one.original for one in released) == TEXT
    assert "Masked pre-training works [1]." in shown
    assert f"So does magic {MARK}." in shown
    assert "doi:10.18653/v1/N19-1423" in shown
    for gone in ("Quantum synergies", "Nobody", "fake.1"):
        assert gone not in shown
    assert f"[2] {MARK}\n" in shown


def test_removed_and_kept(verifier):
    removed = "".join(one.text for one in _pass(verifier, TEXT, removal="remove"))
    assert "So does magic." in removed
    assert "Nobody" not in removed
    assert MARK not in removed
    kept = _pass(verifier, TEXT, removal="keep")
    assert "".join(one.text for one in kept) == TEXT
    assert not all(one.verified for one in kept)
    with pytest.raises(UsageError):
        _pass(verifier, TEXT, removal="hide")


def test_a_sentence_waits_for_its_list_and_nothing_overtakes_it(verifier):
    async def watch():
        seen = []

        def chunks():
            for at in range(0, len(TEXT), 20):
                seen.append(("in", at))
                yield TEXT[at : at + 20]

        async for one in verifier.ground_stream(chunks()):
            seen += [("out", one.original)]
        return seen

    seen = asyncio.run(watch())
    first = next(n for n, (way, _) in enumerate(seen) if way == "out")
    entry = TEXT.index("[1] Devlin")
    assert max(at for way, at in seen[:first] if way == "in") >= entry
    assert next(one for way, one in seen if way == "out").startswith("Masked")


@settings(deadline=None, max_examples=60)
@given(st.text("ab. \n[1]#-()éX2019,", max_size=200), st.integers(1, 9))
def test_segments_are_the_text(text, size):
    reader = SegmentReader()
    found = [one for at in range(0, len(text), size) for one in reader.feed(text[at : at + size])]
    assert "".join(one.text for one in [*found, *reader.finish()]) == text


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        (
            "It works (Vaswani et al., 2017; Devlin et al., 2019).",
            ["Vaswani et al., 2017", "Devlin et al., 2019"],
        ),
        ("See [2, 4–6] and [7].", ["[2, 4–6]", "[7]"]),
        ("A [paper](https://doi.org/10.1000/x) says so.", ["[paper](https://doi.org/10.1000/x)"]),
        ("As https://example.org/a.html shows.", []),
        ("Keys [@smith2020; @doe2019] too.", ["[@smith2020; @doe2019]"]),
        ("Nothing happened in 2019.", []),
        ("Proven by Lovelace et al. long ago.", ["Lovelace et al."]),
        ("The same by Sun (2025).", ["Sun (2025)"]),
        ("So says Sun (2025, p. 3) too.", ["Sun (2025, p. 3)"]),
        ("First observed (He and Nguyen, 2016).", ["He and Nguyen, 2016"]),
        ("It was so in March 2004, then in 2019.", []),
    ],
)
def test_what_a_sentence_cites(sentence, found):
    assert [one.text for one in find_text_citations(sentence)] == found


def test_a_year_beside_a_verified_entry_is_another_work(verifier):
    entry = TEXT.splitlines()[4].removeprefix("[1] ")
    text = (
        f"It works (Devlin et al., 2019). It is magic (Devlin et al., 2018).\n\n## References\n\n- {entry}\n"
    )
    shown = "".join(one.text for one in _pass(verifier, text))
    assert "Devlin et al., 2018" not in shown
    assert "(Devlin et al., 2019)" in shown


def test_a_mention_means_the_entry_that_was_verified_to_be_by_its_people(verifier):
    """The parser reads nobody in such an entry; the record of the work names them."""
    entry = "- *Deep Contextualized Word Representations*, Peters et al. (2018). doi:10.18653/v1/N18-1202"
    text = f"It is so (Peters et al., 2018), not (Petersen et al., 2018).\n\n## References\n\n{entry}\n"
    shown = verifier.guard(text).text
    assert shown.startswith(f"It is so (Peters et al., 2018), not ({MARK}).")


ENTRY = (
    "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). BERT: Pre-training of deep bidirectional "
    "transformers for language understanding. https://doi.org/10.18653/v1/N19-1423"
)


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        (f"{ENTRY} https://doi.org/10.1234/fake.1\n", ["fake.1", "Devlin"], []),
        (f"1. {ENTRY}; also Nobody, A. (2021). Quantum synergies. doi:10.1234/fake.2\n", ["Nobody"], []),
        (f"1. {ENTRY}; also Nobody, A. (2021). Quantum synergies of imaginary attention.\n", ["Nobody"], []),
        (f"1. {ENTRY}\n2. Nobody, A. (2021). Quantum synergies of owls.\n", ["Nobody"], [ENTRY]),
        ("It is so, Fakeson et al. (2021), doi:10.18653/v1/N19-1423.\n", ["Fakeson", "N19-1423"], []),
        ("It is so, Devlin et al. (2019), doi:10.18653/v1/N19-1423.\n", [], ["Devlin", "N19-1423"]),
        ("So doi:10.18653/v1/N19-1423 and doi:10.1234/fake.3 say.\n", ["fake.3"], ["N19-1423"]),
        (
            "[BERT](https://doi.org/10.18653/v1/N19-1423), [Owls](https://doi.org/10.1234/fake.4).\n",
            ["fake.4", "Owls"],
            ["[BERT](https://doi.org/10.18653/v1/N19-1423)"],
        ),
        ("[Owls of the far north](https://doi.org/10.18653/v1/N19-1423)\n", ["Owls", "N19-1423"], []),
        (
            "```bibtex\n@book{ghost20,\n title={Recursive shadow},\n author={Halloran, Petra}\n}\n```\n",
            ["Recursive", "Halloran"],
            ["```bibtex\n", "\n```\n"],
        ),
        ("> Halloran, P. (2020). Recursive shadow pyramids. Owl Letters 3, 1-9.\n", ["Recursive"], []),
    ],
)
def test_a_citation_is_judged_alone(text, gone, left, verifier):
    for removal in ("bracket", "remove"):
        shown = verifier.guard(text, removal=removal).text
        assert [one for one in gone if one in shown] == []
        assert [one for one in left if one.strip() not in shown] == []


IN_PARTS = [  # what a sentence end divides
    "So it is\\footnote{Halvorsted, S., Quill, R. \\textit{Entropy Anchors}. Journal 24 (2023).}. Yes.",
    "So [1].\n\n### [1] Halvorsted, S., Quill, R. (2023)\n\nEntropy Anchors. Journal 24:1-38.\n",
]


@pytest.mark.parametrize("size", [1, 10_000])
@pytest.mark.parametrize("text", IN_PARTS, ids=["footnote", "heading"])
def test_an_entry_that_a_sentence_end_divides_is_held_back_whole(text, size, verifier):
    shown = "".join(one.text for one in _pass(verifier, text, size))
    assert not [word for word in ("Halvorsted", "Entropy", "Journal", "24") if word in shown]


def test_a_title_that_is_not_the_works_own_is_written_from_the_record(verifier):
    entry = "Devlin, J. et al. “BERT: Pre-training of deep bidirectional transformers for language understanding: Lessons.” NAACL, 2019."  # noqa: E501
    [released] = _pass(verifier, f"[1] {entry}\n", 10_000)
    [citation] = released.citations
    assert citation.shown
    assert "Lessons" in citation.text
    assert "Lessons" not in released.text
    assert "Transformers for Language Understanding.” NAACL, 2019." in released.text


def test_people_and_year_of_a_work_that_is_linked_elsewhere_are_verified(verifier):
    text = "It works (Devlin et al., 2019).\n\nSee [BERT: Pre-training of deep bidirectional transformers for language understanding](https://doi.org/10.18653/v1/N19-1423).\n"  # noqa: E501
    assert "".join(one.text for one in _pass(verifier, text, 10_000)) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('In "Attention Is All You Need" (NIPS, 2017) nothing recurs.', True),
        ('In "Attention Is All You Need, Twice" (NIPS, 2017) nothing recurs.', False),
        ("It comes from Devlin et al. (doi:10.18653/v1/N19-1423).", True),
        ("It comes from Nobody et al. (doi:10.18653/v1/N19-1423).", False),
    ],
)
def test_what_only_part_of_a_work_is_said_of_is_compared_with_the_work_found(text, shown, verifier):
    assert (verifier.guard(text).text == text) is shown


def test_the_stream_uses_the_texts_that_it_was_given(verifier, tmp_path):
    (tmp_path / "bert.md").write_text(
        "# BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding\n\n"
        "Jacob Devlin\n\ndoi:10.18653/v1/N19-1423\n\n## Results\n\n"
        "BERT reached a score of 80.5 on the GLUE tasks.\n"
    )
    text = f"BERT reached a score of 80.5 on the GLUE tasks [1].\n\n## References\n\n[1] {ENTRY}\n"
    chosen = replace(verifier.settings, texts=(tmp_path,))
    with citeproof.Verifier(chosen) as reader:
        settled = [each for one in _pass(reader, text) for each in one.citations]
        assert settled[0].grounded[0].support.outcome in ("numbers_agree", "evidence_located")
        assert reader.guard(text).citations[0].grounded == settled[0].grounded


@pytest.mark.growth
def test_an_endless_line_is_read_in_linear_time():
    def read(length):
        reader, began = SegmentReader(), time.process_time()
        for _ in range(length // 4):
            reader.feed("abc ")
        return time.process_time() - began

    read(1000)
    assert read(80_000) < 40 * max(read(8_000), 0.01)
