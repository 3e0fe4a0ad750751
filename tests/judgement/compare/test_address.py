import pytest

from citeproof.judgement.compare.record_comparison import compare_address
from citeproof.vocabulary import Ids

CASES = [
    # address cited, where the identifier belongs ("" where nothing is wrong, or nothing is known of the host)
    ("https://doi.org/10.1103/PhysRevLett.13.508", ""),
    ("https://doi-org.proxy.library.example.edu/10.1103/PhysRevLett.13.508", ""),
    ("https://link.springer.com/10.1007/s11263-015-0816-y", ""),
    ("https://libkey.io/10.1103/PhysRevLett.13.508", ""),
    ("https://link.aps.org/doi/10.1103/PhysRevLett.13.508", ""),
    ("https://www.academia.edu/10.1103/PhysRevLett.13.508", "https://doi.org/10.1103/PhysRevLett.13.508"),
    ("https://arxiv.org/pdf/0804.0389.pdf", ""),
    ("http://xxx.itp.ac.cn/abs/hep-th/9711200v3", ""),
    ("https://researchgate.net/pdf/0804.0389.pdf", "https://arxiv.org/abs/0804.0389"),
    ("https://huggingface.co/papers/2310.06825", ""),
    ("https://aclanthology.org/P19-1001.pdf", ""),
    ("https://www.semanticscholar.org/2020.acl-main.207", "https://aclanthology.org/2020.acl-main.207"),
    ("https://www.researchgate.net/publication/220420877_Deep_Learning", ""),
    ("https://www.researchgate.net/post/How_do_I_cite_this", ""),
    ("https://www.semanticscholar.org/paper/204e3073870fae3d05bcbc2f6a8e263d9b72e776", ""),
    ("https://example.org/papers/10.1103/PhysRevLett.13.508", ""),
    ("no address", ""),
]


@pytest.mark.parametrize(("address", "proper"), CASES)
def test_the_table_of_addresses(address, proper):
    found = compare_address(Ids((("url", address),)), Ids())
    assert [(c.field, c.outcome.value, c.reason, c.resolved) for c in found] == (
        [("url", "differs", "other_host", proper)] if proper else []
    )


@pytest.mark.parametrize(
    ("cited", "known", "noted"),
    [
        ("https://nature.com/a/b.html", [("url", "https://science.com/a/b.html")], True),
        ("http://www.nature.com/a/b/", [("url", "https://nature.com/a/b")], False),
        ("https://nature.com/a", [("url", "https://science.com/a"), ("doi", "10.1000/1")], False),
        ("https://nature.com/a", [], False),
    ],
)
def test_a_page_at_another_address(cited, known, noted):
    found = compare_address(Ids((("url", cited),)), Ids(tuple(known)))
    assert [(c.field, c.reason) for c in found] == ([("url", "other_address")] if noted else [])
