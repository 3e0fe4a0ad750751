"""Which headings announce references."""

import pytest

from citeproof.reading.extractors.prose.text_lines import is_reference_heading

HEADINGS = [
    ("## References", True),
    ("**Publications**", True),
    ("3. Peer-reviewed publications", True),
    ("Selected Publications:", True),
    ("Journal Articles", True),
    ("Sources and Bibliography", True),
    ("## Further Reading and Sources", True),
    ("Veröffentlichungen", True),
    ("Literatur & Quellen", True),
    ("Bibliographie et ouvrages", True),
    ("References and methods", False),
    ("and", False),
    ("", False),
    ("Publication ethics", False),
    ("Public and private", False),
]


@pytest.mark.parametrize(("line", "announces"), HEADINGS)
def test_what_announces_references(line, announces):
    assert is_reference_heading(line) is announces
