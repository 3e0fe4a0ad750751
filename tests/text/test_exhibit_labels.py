"""How figures and tables are named, in captions and in running text."""

import pytest

from citeproof.text.exhibit_labels import find_exhibit_mentions, read_caption_label

LABELS = {
    "Figure 3: Overview": ("figure", "3", ":"),
    "Fig. 3. The": ("figure", "3", "."),
    "FIG. 3 (color online)": ("figure", "3", ""),
    "TABLE IV": ("table", "4", ""),
    "Supplementary Fig. S2 | Cells": ("figure", "S2", "|"),
    "Supplementary Figure 2. Cells": ("figure", "S2", "."),
    "Extended Data Fig. 1 | Cells": ("figure", "ED1", "|"),
    "Abb. 2: Übersicht": ("figure", "2", ":"),
    "Tabelle 4: Werte": ("table", "4", ":"),
    "Tableau 1 – Résultats": ("table", "1", "–"),
    "Figure A.1: More": ("figure", "A1", ":"),
    "Table 3-2. Rates": ("table", "3.2", "."),
    "Figures are": None,
    "Table of contents": None,
    "Fig. 2a shows": None,
    "Tablets 3 times": None,
}


@pytest.mark.parametrize(("text", "expected"), LABELS.items())
def test_labels(text, expected):
    label = read_caption_label(text)
    assert (label and (label.kind, label.number, label.mark)) == expected


MENTIONS = {
    "see Figures 2 and 3": "figure 2, figure 3",
    "Figs. 2–4": "figure 2, figure 3, figure 4",
    "Fig. 3a–c": "figure 3a–c",
    "(Smith et al. 2020, Fig. 2b)": "figure 2b",
    "Table 1 of [12]": "table 1",
    "Tables II and III": "table 2, table 3",
    "Supplementary Figs. S1–S3": "figure S1, figure S2, figure S3",
    "Fig. 2a,b": "figure 2a,b",
    "Fig. 2a, 3b and Table 4": "figure 2a, figure 3b, table 4",
    "Fig. 3, 12 people": "figure 3",
    "Fig. 2 and 3 others": "figure 2",
    "Fig. 3 (a) and": "figure 3a",
    "Fig. 3 a study": "figure 3",
    "Figure 10% of": "",
    "a config. 3": "",
}


@pytest.mark.parametrize(("text", "expected"), MENTIONS.items())
def test_mentions(text, expected):
    found = find_exhibit_mentions(text)
    assert ", ".join(f"{one.kind} {one.number}{one.panels}" for one in found) == expected
    assert all(text[one.start : one.end].startswith(("Fig", "Tab", "Supp")) for one in found)


def test_a_hostile_text_is_read_in_linear_time():
    assert len(find_exhibit_mentions("Figs. 1–999 " * 10_000)) == 20_000
    assert not find_exhibit_mentions("Fig " * 100_000 + "supplementary " * 50_000)
