"""A citation to nothing that the sentence needs: words stand in its place, and the comment behind them."""

import pytest

from citeproof.answers.fix.text_edits import apply_edits
from citeproof.corpus.corpus_types import STAND
from citeproof.vocabulary import Act, Remedy
from tests.answers.fix.formats.markdown.scanning import mend_document

SAID = "<!-- citeproof: removed citation to missing source REF-999 -->"


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("According to REF-999, it works.", f"According to {STAND}, {SAID} it works."),
        ("REF-999 shows it.", f"{STAND} {SAID} shows it."),
        ("| as REF-999 says | b |\n|---|---|\n", f"| as {STAND} {SAID} says | b |\n|---|---|\n"),
        ("- REF-999 shows it.\n", f"- {STAND} {SAID} shows it.\n"),
        ("> As REF-999\r\n> says.\r\n", f"> As {STAND} {SAID}\r\n> says.\r\n"),
    ],
)
def test_words_stand_in_its_place(text, mended):
    at = text.index("REF-999")
    remedy = Remedy(Act.REMOVE, at, at + 7, "removed citation to missing source REF-999", stand=STAND)
    assert apply_edits(text, mend_document(text, [remedy])) == mended
