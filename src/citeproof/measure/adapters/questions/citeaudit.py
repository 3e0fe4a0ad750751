"""CiteAudit: citation strings, real or fake.

    {"data": [{"source_type": "realworld" | "generated", "citation": …, "GT": true, "Predict": true}, …]}

`GT` true is a real citation. Near relatives are taken too: the text under `citation`, `reference`, `text`
or `bibtex`; the truth under `GT`, `label`, `real` or `fake`, as a truth value or a word. The key of a row
is its place in the file, counted from 0, as in the results that CiteAudit writes.
"""

from __future__ import annotations

from citeproof.measure.adapters.loading import Loaded, RowOf, text
from citeproof.measure.rows import VALID, Case, Question, Truth

NAME = "citeaudit"
TEXTS = ("citation", "reference", "text", "raw", "bibtex")
REAL = ("GT", "gt", "real", "is_real", "label")  # true: the citation is real
FAKE = ("fake", "is_fake", "hallucinated")  # true: it is fake
WORDS = {
    "real": True, "valid": True, "true": True, "1": True, "genuine": True, "correct": True,
    "fake": False, "false": False, "0": False, "hallucinated": False, "fabricated": False, "invalid": False,
}  # fmt: skip


def recognises(loaded: Loaded) -> bool:
    """Return whether a row has a citation and says whether it is real."""
    row = loaded.rows[0] if loaded.rows else {}
    return any(name in row for name in TEXTS) and any(name in row for name in (*REAL, *FAKE))


def case(row: RowOf, at: int) -> Case | str:
    """Return one citation as a question."""
    citation = text(row, *TEXTS)
    if not citation:
        return f"has no text under {', '.join(TEXTS)}"
    real = truth(row)
    if real is None:
        return f"has no truth that is understood under {', '.join((*REAL, *FAKE))}"
    kind = text(row, "error_type", "kind", "type", "source_type") or "fake"
    bibtex = citation.startswith("@") and "{" in citation
    group = text(row, "document", "paper") or str(at)
    question = Question(key(row, at), "bibtex" if bibtex else "text", citation, group)
    return Case(question, Truth(bad=not real, kind=VALID if real else kind))


def key(row: RowOf, at: int) -> str:
    """Return how a row is called: its own index, or its place."""
    return text(row, "index", "id") or str(at)


def truth(row: RowOf) -> bool | None:
    """Return whether a row says that its citation is real; None if it says nothing understood."""
    for names, means in ((REAL, True), (FAKE, False)):
        for name in names:
            if (value := meant(row.get(name))) is not None:
                return value is means
    return None


def meant(value: object) -> bool | None:
    """Return a truth value, or a word or digit for one, as a truth value."""
    if isinstance(value, bool) or value is None:
        return value
    return WORDS.get(str(value).strip().lower())
