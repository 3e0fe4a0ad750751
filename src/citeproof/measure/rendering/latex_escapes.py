r"""Text as BibTeX files write it: what TeX acts on is escaped, accents by habit, capitals held by braces.

encoded("Gödel & Škoda")  ⇒ r"G{\"o}del \& {\v{S}}koda"
held("Bayesian BERT", "caps") ⇒ "{B}ayesian {BERT}"
"""

from __future__ import annotations

import re
import unicodedata

from citeproof.serializers.bibtex import escape_tex

_SIGNS = {
    "\u0301": "'", "\u0300": "`", "\u0302": "^", "\u0308": '"', "\u0303": "~", "\u0304": "=", "\u0307": ".",
    "\u030c": "v", "\u0327": "c", "\u0306": "u", "\u030b": "H", "\u0328": "k", "\u030a": "r",
}  # fmt: skip
_LETTERS = {
    "ß": r"{\ss}", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}", "æ": r"{\ae}", "Æ": r"{\AE}",
    "œ": r"{\oe}", "Œ": r"{\OE}", "å": r"{\aa}", "Å": r"{\AA}", "–": "--", "—": "---",
    "“": "``", "”": "''", "‘": "`", "’": "'", "…": r"{\ldots}", "×": r"$\times$", "α": r"$\alpha$",
    "β": r"$\beta$", "γ": r"$\gamma$", "δ": r"$\delta$", "ε": r"$\epsilon$", "λ": r"$\lambda$",
    "μ": r"$\mu$", "π": r"$\pi$", "σ": r"$\sigma$", "τ": r"$\tau$", "φ": r"$\phi$", "ω": r"$\omega$",
}  # fmt: skip
_OTHER = re.compile(r"[^\x00-\x7f]")
_WORD = re.compile(r"[^\W_]+")
_GREEK_WORD = re.compile("[\u0370-\u03ff]{2,}")


def encode_accents(text: str) -> str:
    """Return text with every letter that TeX has a command for written as one, the rest as it is."""
    text = unicodedata.normalize("NFC", text)
    if _GREEK_WORD.search(text):
        return text  # a word in Greek letters is Greek, no formula
    return _OTHER.sub(lambda sign: _find_latex_command(sign[0]), text)


def escape_latex(text: str, *, accents: bool) -> str:
    """Return text so that TeX prints it as it is; `accents` as commands or as letters."""
    text = escape_tex(text)
    return encode_accents(text) if accents else text


def mark_capitals(text: str, habit: str) -> str:
    """Return a title with its capitals held: "caps" letter by letter, "words" where they are inside a word.

    Before it is escaped: braces go around plain words only.
    """
    if habit not in {"caps", "words"}:
        return text
    return _WORD.sub(lambda word: _mark_word_capitals(word[0], habit, lead=word.start() == 0), text)


def _mark_word_capitals(word: str, habit: str, *, lead: bool) -> str:
    if any(map(str.isupper, word[1:])) or (len(word) == 1 and word.isupper() and not lead):
        return f"\ue000{word}\ue001"
    if habit == "caps" and word[0].isupper() and not lead:
        return f"\ue000{word[0]}\ue001{word[1:]}"
    return word


def insert_braces(text: str) -> str:
    """Return escaped text with the braces that `mark_capitals` marked, so that escaping passed them by."""
    return text.replace("\ue000", "{").replace("\ue001", "}")


def _find_latex_command(letter: str) -> str:
    if letter in _LETTERS:
        return _LETTERS[letter]
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) != 2 or not parts[0].isascii() or parts[1] not in _SIGNS:
        return letter
    sign, base = _SIGNS[parts[1]], parts[0]
    base = rf"\{base}" if base in "ij" and sign not in "ck" else base
    return rf"{{\{sign}{{{base}}}}}" if sign.isalpha() else rf"{{\{sign}{base}}}"
