"""What is written as an identifier and cannot be one."""

import pytest

from citeproof.text.ids import find_malformed


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://arxiv.org/pdf/astro-ph/1602.8745.pdf", [("arxiv", "astro-ph/1602.8745")]),
        ("https://arxiv.org/abs/quantum-grav/0912345", [("arxiv", "quantum-grav/0912345")]),
        ("arXiv:2103.123", [("arxiv", "2103.123")]),
        ("arXiv preprint arXiv:nucl-ph/11030105", [("arxiv", "nucl-ph/11030105")]),
        ("ISBN 978-0-262-03561-4", [("isbn", "978-0-262-03561-4")]),
        ("isbn = {0-262-03561-9},", [("isbn", "0-262-03561-9")]),
        ("ISSN 0028-0837", [("issn", "0028-0837")]),
        ("https://ui.adsabs.harvard.edu/abs/2016PhRvL116f1102/abstract", [("ads", "2016PhRvL116f1102")]),
        (
            "https://arxiv.org/abs/1706.03762v5, arXiv:hep-th/9711200, ISBN 978-0-262-03561-3",
            [],
        ),
        ("https://arxiv.org/abs/math.GT/0309136 and arXiv:2101.00027.", []),
        ("https://arxiv.org/list/cs.CL/recent; isbn: unknown; the arXiv: a history of 1991", []),
        ("https://ui.adsabs.harvard.edu/abs/2013A%26A...558A..33A/abstract", []),
        ("ISSN 0028-0836", []),
        ("", []),
    ],
)
def test_what_cannot_be_an_identifier_is_found(text, found):
    assert list(find_malformed(text)) == found
