import pytest

from citeproof.compare.address import compare_address
from citeproof.vocabulary import Ids

CASES = [
    # address cited, where it should have led ("" where nothing is wrong)
    ("https://doi.org/10.1103/PhysRevLett.13.508", ""),
    ("https://dx.doi.org/10.1103/PhysRevLett.13.508", ""),
    ("https://doi-org.proxy.library.example.edu/10.1103/PhysRevLett.13.508", ""),
    ("https://link.aps.org/doi/10.1103/PhysRevLett.13.508", ""),
    ("https://www.academia.edu/10.1103/PhysRevLett.13.508", "https://doi.org/10.1103/PhysRevLett.13.508"),
    ("https://arxiv.org/pdf/0804.0389.pdf", ""),
    ("https://export.arxiv.org/abs/hep-th/9711200v3", ""),
    ("https://researchgate.net/pdf/0804.0389.pdf", "https://arxiv.org/abs/0804.0389"),
    ("https://huggingface.co/papers/2310.06825", ""),
    ("https://aclanthology.org/P19-1001.pdf", ""),
    ("https://www.semanticscholar.org/2020.acl-main.207", "https://aclanthology.org/2020.acl-main.207"),
    ("https://openreview.net/forum?id=BJJsrmfCZ", ""),
    ("https://www.academia.edu/forum?id=BJJsrmfCZ", "https://openreview.net/forum?id=BJJsrmfCZ"),
    ("https://www.researchgate.net/publication/220420877_Deep_Learning", ""),
    ("https://www.semanticscholar.org/paper/204e3073870fae3d05bcbc2f6a8e263d9b72e776", ""),
    ("https://www.semanticscholar.org/407519/", "https://semanticscholar.org/…"),
    ("https://example.org/papers/10.1103/PhysRevLett.13.508", ""),
    ("no address", ""),
]


@pytest.mark.parametrize(("address", "proper"), CASES)
def test_the_table_of_addresses(address, proper):
    found = compare_address(Ids((("url", address),)))
    assert [(c.field, c.outcome.value, c.reason, c.resolved) for c in found] == (
        [("url", "differs", "other_host", proper)] if proper else []
    )
