r"""Letters as a BibTeX file has them: Unicode, or LaTeX where the file is written in ASCII.

Letters(latex=True).of("Müller & Søn")  ⇒ "M{\"u}ller \& S{\o}n"
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from citeproof.answers.serializers.bibliography import escape_tex
from citeproof.text import lazy_patterns as re

_MARKS = {
    "\u0301": "'", "\u0300": "`", "\u0302": "^", "\u0308": '"', "\u0303": "~", "\u0304": "=",
    "\u0307": ".", "\u030c": "v", "\u0327": "c", "\u0306": "u", "\u030b": "H", "\u0328": "k", "\u030a": "r",
    "\u0323": "d", "\u0331": "b",
}  # fmt: skip
_LETTERS = {
    "ß": r"{\ss}", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}", "æ": r"{\ae}", "Æ": r"{\AE}",
    "œ": r"{\oe}", "Œ": r"{\OE}", "å": r"{\aa}", "Å": r"{\AA}", "đ": r"{\dj}", "Đ": r"{\DJ}", "ı": r"{\i}",
    "–": "--", "—": "---", "‐": "-", "‑": "-", "’": "'", "‘": "`", "“": "``", "”": "''", "…": r"{\ldots}",
    "\u00a0": "~", "×": r"$\times$", "·": r"$\cdot$", "±": r"$\pm$", "α": r"$\alpha$", "β": r"$\beta$",
    "γ": r"$\gamma$", "δ": r"$\delta$", "ε": r"$\epsilon$", "λ": r"$\lambda$", "μ": r"$\mu$", "π": r"$\pi$",
    "σ": r"$\sigma$", "τ": r"$\tau$", "φ": r"$\phi$", "χ": r"$\chi$", "ψ": r"$\psi$", "ω": r"$\omega$",
}  # fmt: skip
_BRACED = re.compile(r"\{\\['`^\"~=.]\s?\\?[A-Za-z]\}")  # {\"u}
_INNER = re.compile(r"\\['`^\"~=.]\s?\{\\?[A-Za-z]\}")  # \"{u}
_WORDS = re.compile(r"([^\W_]+)")


@dataclass(frozen=True, slots=True)
class LetterHabit:
    """How one file writes what is not ASCII."""

    latex: bool = False
    inner: bool = False  # \"{u} and not {\"u}

    def write_letters(self, text: str) -> str:
        """Return `text` so that TeX prints it, in the file's own letters."""
        safe = escape_tex(text)
        if not self.latex or safe.isascii():
            return safe
        return "".join(self._letter(letter) for letter in unicodedata.normalize("NFC", safe))

    def title(self, text: str, *, protect: bool) -> str:
        """Return words of a title; `protect`: braces around those whose capitals a style must not lower."""
        if not protect:
            return self.write_letters(text)
        return "".join(self._protect_capitals(piece) for piece in _WORDS.split(text))

    def _protect_capitals(self, piece: str) -> str:
        safe = self.write_letters(piece)
        return f"{{{safe}}}" if any(sign.isupper() for sign in piece[1:]) else safe

    def _letter(self, sign: str) -> str:
        if sign.isascii():
            return sign
        if known := _LETTERS.get(sign):
            return known
        parts = unicodedata.normalize("NFD", sign)
        base, marks = parts[0], parts[1:]
        if marks not in _MARKS or not base.isascii():
            return sign  # TeX of today reads it, and no command is sure to print it
        mark = _MARKS[marks]
        base = f"\\{base}" if base in "ij" and mark not in "ckbdHr" else base
        if self.inner or mark.isalpha():
            return f"\\{mark}{{{base}}}" if self.inner else f"{{\\{mark}{{{base}}}}}"
        return f"{{\\{mark}{base}}}"


def detect_letter_habit(text: str) -> LetterHabit:
    """Return how `text` writes its letters."""
    return LetterHabit(text.isascii(), len(_INNER.findall(text)) > len(_BRACED.findall(text)))
