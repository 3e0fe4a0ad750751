"""Render mode: only verified records become citations, whatever a model writes."""

from __future__ import annotations

import asyncio
import html
import re
import unicodedata
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import citeproof
from citeproof.claims import rendered_text
from citeproof.claims.rendered_text import HEADING, AnswerRenderer
from citeproof.claims.shown_units import MARK
from citeproof.claims.text_citations import find_text_citations
from citeproof.errors import InputError, UsageError
from citeproof.evidence.index.build import BuildInput, build
from citeproof.plumbing.clock import SystemClock, today
from citeproof.service.list_import import import_files
from citeproof.settings import load
from citeproof.vocabulary import Claim, ClaimStatus, GroundedClaim

ROOT = Path(__file__).parents[2]
CSV = """Title,Author,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,
T,A,1/2/2020 0:00,10.1000/n,10.18653/v1/p18-2124,Retraction,+Error;,
"""
BERT = {
    "key": "bert",
    "title": "BERT: Pre-training of deep bidirectional transformers for language understanding",
    "doi": "10.18653/v1/N19-1423",
}
ELMO = {"key": "elmo", "title": "Deep contextualized word representations", "doi": "10.18653/v1/N18-1202"}
SWAPPED = {
    "key": "swapped",
    "title": "Deep contextualized word representations",
    "doi": "10.18653/v1/N19-1423",
}
INVENTED = {"key": "invented", "title": "Quantum synergies of imaginary attention", "doi": "10.1234/fake.1"}
RETRACTED = {"key": "squad", "title": "Know What You Don't Know", "doi": "10.18653/v1/p18-2124"}
WORKS = [BERT, ELMO, SWAPPED, INVENTED, RETRACTED]


@pytest.fixture(scope="module")
def verifier(tmp_path_factory):
    folder = tmp_path_factory.mktemp("render")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(folder / "home"))
        records = ROOT / "examples" / "records.bib"
        build([BuildInput("bibtex", (records,))], folder / "snapshot", name="made", covers=("all",))
        (folder / "rw.csv").write_text(CSV)
        import_files(load(), SystemClock(), [folder / "rw.csv"], day=today(SystemClock()))
        with citeproof.Verifier(offline=True, snapshots=[folder / "snapshot"]) as made:
            yield made


def _render(verifier, text, **options):
    return verifier.render({"text": text, "citations": WORKS}, **options)


TABLE = [
    ("It works [[cite:bert]].", "It works (Devlin et al., 2019)."),
    ("It works [[cite:1]].", "It works (Devlin et al., 2019)."),
    ("It works [[cite:BERT]].", "It works (Devlin et al., 2019)."),
    ("It works [[cite:https://doi.org/10.18653/v1/n19-1423]].", "It works (Devlin et al., 2019)."),
    ("Both [[cite:bert; elmo]].", "Both (Devlin et al., 2019; Peters et al., 2018)."),
    ("One [[cite:bert, nobody]].", f"One (Devlin et al., 2019) {MARK}."),
    ("Unknown [[cite:nobody2021]].", f"Unknown {MARK}."),
    ("A number of no list [[cite:399315]].", f"A number of no list {MARK}."),
    ("The DOI of another work [[cite:swapped]].", f"The DOI of another work {MARK}."),
    ("Invented [[cite:invented]].", f"Invented {MARK}."),
    ("Invented [[cite:10.1234/fake.1]].", f"Invented {MARK}."),
    ("Retracted [[cite:squad]].", f"Retracted {MARK}."),
    ("By hand (Fabricius et al., 2021).", f"By hand ({MARK})."),
    ("By hand, and cited: Devlin et al. (2019) [[cite:bert]].",
     "By hand, and cited: Devlin et al. (2019) (Devlin et al., 2019)."),
    ("Another year: Devlin et al. (2003) [[cite:bert]].", f"Another year: {MARK} (Devlin et al., 2019)."),
    ("Around a marker: Fabricius et al. [[cite:bert]] (2021).", f"Around a marker: {MARK}."),
    ("A link [[cite:bert]](https://fake.example/x).", "A link (Devlin et al., 2019)."),
    ("No link [[cite:bert]](see there).", "No link (Devlin et al., 2019)(see there)."),
    ("A DOI [[cite:bert]] (https://doi.org/10.1234/fake.2).", f"A DOI (Devlin et al., 2019) ({MARK})."),
    ("No citation at all, in 2019.", "No citation at all, in 2019."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TABLE, ids=[row[0][:40] for row in TABLE])
def test_what_is_shown(text, expected, verifier):
    assert _render(verifier, text).body == expected


def test_a_citation_over_two_lines_is_held_back(verifier):
    assert "Fabricius" not in _render(verifier, "So say Fabricius and Nemo\n(2021) in a study.\n").body


def test_the_list_has_the_cited_records_alone(verifier):
    rendered = _render(verifier, "One [[cite:elmo]]. Two [[cite:bert]]. No [[cite:invented]].\n")
    assert rendered.text == (
        f"One (Peters et al., 2018). Two (Devlin et al., 2019). No {MARK}.\n\n{HEADING}\n\n"
        + "".join(f"{one}\n" for one in rendered.references)
    )
    assert [one[:12] for one in rendered.references] == ["- Devlin, J.", "- Peters, M."]
    statuses = [(one.key, one.status) for one in rendered.citations]
    assert statuses[:2] == [("elmo", ClaimStatus.VERIFIED), ("bert", ClaimStatus.VERIFIED)]
    assert not rendered.verified
    numbered = _render(verifier, "One [[cite:elmo]]. Two [[cite:bert]]. One [[cite:elmo]].", style="ieee")
    assert numbered.body == "One [1]. Two [2]. One [1]."
    assert [one[:5] for one in numbered.references] == ["1. M.", "2. J."]
    assert numbered.verified


def test_a_list_by_hand_is_left_out_and_numbers_by_hand_point_nowhere(verifier):
    text = (
        "It works [[cite:bert]], and so [1].\n\n## References\n\n[1] Fabricius, A. (2021). Quantum things.\n"
        "- [[cite:bert]]\n"
    )
    rendered = _render(verifier, text, style="ieee")
    assert rendered.body.strip() == f"It works [1], and so {MARK}."
    assert any("Fabricius" in one for one in rendered.held_back)
    assert len(rendered.references) == 1


def test_a_citation_is_no_link_to_elsewhere(verifier):
    text = (
        "A [[cite:bert]](ftp://x) b [see [[cite:bert]]](x.html) c <a href='x.html'>[[cite:bert]]</a>\n"
        "[[cite:bert]]: x"
    )
    shown = _render(verifier, text, style="ieee").body
    assert "](" not in shown
    assert "<a" not in shown
    assert "[1]:" not in shown


def test_a_bibliography_names_the_keys(verifier, tmp_path):
    library = tmp_path / "own.bib"
    entry = "@inproceedings{%s, title={%s}, author={Devlin, Jacob and others}, year={2019}}\n"
    library.write_text(entry % ("devlin2019", BERT["title"]) + entry % ("fab2021", INVENTED["title"]))
    text = "Yes [[cite:devlin2019]], no [[cite:fab2021]], a DOI [[cite:10.18653/v1/N18-1202]]."
    shown = verifier.render(text, bibliography=library).body
    assert shown == f"Yes (Devlin et al., 2019), no {MARK}, a DOI (Peters et al., 2018)."
    alone = verifier.render(text, bibliography=library, identifiers=False).body
    assert alone == f"Yes (Devlin et al., 2019), no {MARK}, a DOI {MARK}."


def test_the_stream_replaces_markers_as_they_close(verifier):
    text = "First [[cite:10.18653/v1/N19-1423]] works. Then more text follows here, and still more.\n\nEnd.\n"
    given_out = []

    async def watch():
        def chunks():
            for sign in text:
                given_out.append(sign)
                yield sign

        return [(len(given_out), part.text) async for part in verifier.render_stream(chunks())]

    shown = asyncio.run(watch())
    assert shown[0][1].startswith("First (Devlin et al., 2019) works.")
    assert shown[0][0] < text.index("End")
    assert "".join(one for _, one in shown) == verifier.render(text).text


def test_errors_name_what_is_wrong(verifier):
    with pytest.raises(UsageError, match="unknown style"):
        verifier.render("x", style="nobody's")
    with pytest.raises(InputError, match="structured answer"):
        verifier.render({"words": "x"})
    with pytest.raises(UsageError, match="style and a CSL file"):
        verifier.render("x", style="apa", csl="x.csl")


def test_module_level_calls(verifier):
    assert citeproof.render("No citation.", settings=verifier.settings).text == "No citation."
    assert asyncio.run(citeproof.arender("None.", settings=verifier.settings)).text == "None."


# --- properties --------------------------------------------------------------------------------

KEYS = ("bert", "elmo")


class _NumberedWriter:
    """Writes ⟪n⟫ for the record of key number n, so that a test sees each citation in the text."""

    numeric = False

    def __init__(self, records):
        self._records, self.cited = records, []

    def cite(self, records):
        self.cited += records
        return "".join(f"⟪{self._records.index(one)}⟫" for one in records)

    def list_entries(self):
        return [f"⟪{self._records.index(one)}⟫" for one in self.cited]


@pytest.fixture(scope="module")
def grounded(verifier):
    """What came of two real works; in the properties every other key comes to nothing."""
    found = verifier.render({"text": "[[cite:bert]] [[cite:elmo]]", "citations": WORKS})
    return {one.key: one.grounded for one in found.citations}


def _pass(grounded, text, size):
    records = [grounded[key].attached.checked.judgement.matched.record for key in KEYS]

    async def ground(_, claim):
        return grounded.get(claim.id) or GroundedClaim(claim, ClaimStatus.UNSUPPORTED, (), 0, reason="no")

    async def run():
        writer = _NumberedWriter(records)
        renderer = AnswerRenderer(Mock(), lambda key: Claim(key, ""), writer)
        parts = [one for at in range(0, len(text), size) for one in await renderer.feed(text[at : at + size])]
        parts += await renderer.finish()
        await renderer.close()
        return "".join(one.text for one in parts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendered_text, "ground_claim", ground)
        return asyncio.run(run())


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_the_properties_see_citations(grounded, size):
    text = "One [[cite:elmo]], two [[cite:bert]], three [[cite:x]].\n"
    assert _pass(grounded, text, size) == (f"One ⟪1⟫, two ⟪0⟫, three {MARK}.\n\n{HEADING}\n\n⟪1⟫\n⟪0⟫\n")


def _see(text):
    """Return a text as a reader, a browser or a careless program sees it."""
    text = unicodedata.normalize("NFKC", html.unescape(text)).replace("\\", "")
    text = "".join(
        one for one in text if unicodedata.category(one) not in ("Cf", "Cc", "Mn") or one in "\n\t"
    )
    return text.casefold().translate(str.maketrans("сіеѕт", "cietт"))


HOSTILE = st.sampled_from([
    "[[cite:bert]]", "[[cite:elmo]]", "[[cite:bert; elmo]]", "[[cite:fab]]", "[[cite:", "]]", "[[", "[", "]",
    "cite:", "[[cite:[[cite:bert]]]]", "[[cite:bert]](http://x.example)", "[a [[cite:bert]]](x)",
    "<b>[[cite:elmo]]</b>", "&#91;&#91;cite:bert&#93;&#93;", "\\[\\[cite:bert\\]\\]", "[[\u200bcite:bert]]",
    "［［cite:bert］］", "[[CITE:bert]]", "[[\u0441ite:bert]]", "```\n",
    "`[[cite:bert]]`", "    [[cite:elmo]]\n",
    f"[[cite:{'k' * 600}]]", "[[cite:<i>bert</i>]]", "[[cite:*bert*]]", "[[cite:be\x00rt]]", "\x1b[31m",
    "\U000f0000", "\U000f0001", "\ud800", "\r\n", "\n\n", "\n## References\n", "- [[cite:bert]]\n", "[^1]: ",
    "| [[cite:elmo]] |", "<script>", "word ", ". ", "He ", "(2019) ", "et al. ",
])  # fmt: skip
NOISE = st.text(st.characters(exclude_characters="⟪⟫"), max_size=12)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.one_of(HOSTILE, NOISE), max_size=14), st.integers(1, 40))
def test_whatever_a_model_writes_only_verified_records_are_cited(grounded, pieces, size):
    text = "".join(pieces)
    shown = _pass(grounded, text, size)
    assert not re.search(r"\[\s*cite\s*:", _see(shown))
    assert not re.search("[\ud800-\udfff\x00-\x08\x1b\U000f0000-\U000ffffd]", shown)
    assert set(re.findall("⟪(.*?)⟫", shown)) <= {"0", "1"}
    asked = _see(text)
    assert "bert" in asked or "⟪0⟫" not in shown
    assert "elmo" in asked or "⟪1⟫" not in shown


FABRICATED = st.sampled_from([
    "Fabricius et al. (2021) ", "(Fabricius & Nemo, 2020) ", "doi:10.1234/fabricius.77 ",
    "https://doi.org/10.1234/fabricius.78 ", "[@fabricius2021] ", "[[cite:fabricius2021]] ",
    "\n- Fabricius, A. (2021). Quantum synergies of attention. Journal of Imaginary Things 3, 1-9.\n",
])  # fmt: skip
PLAIN = st.sampled_from([
    "The model learns. ", "It works well [[cite:bert]]. ", "This helps [[cite:elmo; bert]] too. ", "\n\n",
    "A second line\n", "as [[cite:nobody]] says, ", "and then ", "\n## References\n\n",
])  # fmt: skip


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.one_of(PLAIN, FABRICATED), max_size=12), st.integers(1, 60))
def test_citations_by_hand_are_never_shown(grounded, pieces, size):
    shown = _pass(grounded, "".join(pieces), size)
    assert "fabricius" not in shown.casefold()
    assert not find_text_citations(re.sub("⟪.*?⟫", " ", shown.replace(MARK, " ")))
    assert set(re.findall("⟪(.*?)⟫", shown)) <= {"0", "1"}
