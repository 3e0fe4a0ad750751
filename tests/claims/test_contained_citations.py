"""What markup ties to one work is one citation: nothing of it is left when it is held back."""

from __future__ import annotations

import pytest

from citeproof.claims.text_citations import find_text_citations
from tests.growth import grows_linearly

DOI = "10.1016/j.artint.2023.104518"
TITLE = "Entropy Anchors Stabilise Federated Models"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (f"seen\\href{{https://doi.org/{DOI}}}{{{TITLE}}}.", f"\\href{{https://doi.org/{DOI}}}{{{TITLE}}}"),
        (f"seen [[https://doi.org/{DOI}][{TITLE}]].", f"[[https://doi.org/{DOI}][{TITLE}]]"),
        (f"seen [https://doi.org/{DOI} {TITLE}].", f"[https://doi.org/{DOI} {TITLE}]"),
        (f"seen<ref>Halvor, S. (2023). {TITLE}.</ref>.", f"Halvor, S. (2023). {TITLE}."),
        (f"x\n\n.. [1] Halvor, S. (2023). {TITLE}.\n", f"Halvor, S. (2023). {TITLE}."),
        (f"x\n\n¹ Halvor, S. (2023). {TITLE}. doi:{DOI}\n", f"Halvor, S. (2023). {TITLE}. doi:{DOI}"),
        (f'([here](https://x.example/a "Halvor, S. (2023). {TITLE}."))', f"Halvor, S. (2023). {TITLE}."),
        (f"{{{{cite journal |last=Halvor |title={TITLE} |year=2023 |doi={DOI}}}}}", None),
        (f'```json\n{{"title": "{TITLE}", "author": "Halvor", "DOI": "{DOI}"}}\n```', None),
        (f"TY  - JOUR\nTI  - {TITLE}\nDO  - {DOI}\nER  - \n", None),
        (f"<cite>{TITLE}</cite> shows it.", TITLE),
    ],
)
def test_markup_holds_a_citation_together(text, whole):
    (found,) = find_text_citations(text)
    shown = text[found.start : found.end]
    assert TITLE in shown
    assert whole is None or shown == whole


@pytest.mark.parametrize(
    "text",
    [
        "<li>Install it with make.</li>",
        '![Growth](a.png "Growth (2020)")',
        "\\footnote{This is a remark about nothing in particular.}",
        "[https://example.org a page]",
        '{"name": "x", "title": ""}',
        "[Solaris (1972)](https://www.imdb.com/title/tt0069293)",
        "Out: df.iloc[2, 3]",
    ],
)
def test_markup_alone_cites_nothing(text):
    assert find_text_citations(text) == []


@pytest.mark.parametrize(
    ("text", "labels"),
    [("seen :cite:p:`a2020, b2021`.", ("a2020", "b2021")), ("seen [cite:@a2020].", ("a2020",))],
)
def test_roles_are_marks(text, labels):
    assert [one.labels for one in find_text_citations(text)] == [labels]


@pytest.mark.parametrize(
    "address",
    [f"https://example.org/get?doi={DOI}", f"https://doi.org/{DOI.replace('/', '%252F')}", f"info:doi/{DOI}"],
)
def test_a_doi_in_any_address_is_found(address):
    (found,) = find_text_citations(f"It is so ({address}).")
    assert found.claimed.ids.pairs == (("doi", DOI),)


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece", ["\\footnote{", "<li>", "[[https://a.b/c][", '{"title": ', "{{cite x|a=", "TY  - x\n"]
)
def test_the_time_grows_with_the_text(piece):
    assert grows_linearly(lambda size: find_text_citations(piece * (size // len(piece))))
