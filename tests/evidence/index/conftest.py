"""A small snapshot of real works; the facts are public, the selection is ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.coverage import parse_claim
from citeproof.evidence.index.snapshot import Snapshot

WORKS = [
    {
        "t": "Attention is All you Need",
        "a": ["Ashish Vaswani", "Noam Shazeer", "Niki Parmar", "Jakob Uszkoreit", "Llion Jones"],
        "p": [[2017, "NIPS"]],
        "i": {"arxiv": "1706.03762"},
    },
    {
        "t": "Deep Residual Learning for Image Recognition",
        "a": ["Kaiming He", "Xiangyu Zhang", "Shaoqing Ren", "Jian Sun"],
        "p": [[2016, "CVPR"]],
        "d": "10.1109/CVPR.2016.90",
    },
    {
        "t": "Deep Residual Learning for Image Recognition",
        "a": ["Kaiming He", "Xiangyu Zhang", "Shaoqing Ren", "Jian Sun"],
        "p": [[2015, "CoRR"]],
        "i": {"arxiv": "1512.03385"},
    },
    {
        "t": "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        "a": ["Jacob Devlin", "Ming-Wei Chang", "Kenton Lee", "Kristina Toutanova"],
        "p": [[2019, "NAACL"]],
        "d": "10.18653/v1/n19-1423",
        "i": {"acl": "N19-1423"},
    },
    {
        "t": "Über das Gesetz der Energieverteilung im Normalspectrum",
        "a": ["Max Planck"],
        "p": [[1901, "Annalen der Physik"]],
        "d": "10.1002/andp.19013090310",
    },
    {
        "t": "Can Quantum-Mechanical Description of Physical Reality Be Considered Complete?",
        "a": ["Einstein, A.", "Podolsky, B.", "Rosen, N."],
        "p": [[1935, "Phys. Rev."]],
        "d": "10.1103/physrev.47.777",
    },
    {
        "t": "Ileal-lymphoid-nodular hyperplasia, non-specific colitis, and pervasive disorder in children",
        "a": ["Wakefield, AJ", "others"],
        "p": [[1998, "The Lancet"]],
        "d": "10.1016/s0140-6736(97)11096-0",
        "i": {"pmid": "9500320", "retracted": "1"},
    },
    {
        "t": "The Art of Computer Programming, Volume 1: Fundamental Algorithms",
        "a": ["Donald E. Knuth", "Donald E. Knuth"],
        "p": [[1997, "Addison-Wesley"]],
        "i": {"isbn": "0-201-89683-4"},
    },
    {
        "t": "Collaborative filtering at scale",
        "a": ["0001, Bo An", "Fei Wu 0001"],
        "p": [[None, None], [2010, None]],
    },
    {
        "t": "Proceedings of the 2019 Conference of the North American Chapter of the ACL",
        "p": [[2019, "NAACL"]],
    },
    {"t": "Introduction", "a": ["Jane Doe"], "p": [[1990, "A"]]},
    {"t": "Introduction", "a": ["Jane Doe"], "p": [[1995, "B"]]},
    {"t": "Introduction", "a": ["John Roe"], "p": [[1995, "B"]]},
]  # fmt: skip


def write_works(path: Path, works: list[dict[str, object]] | None = None) -> Path:
    """Return `path`, written with one work a line."""
    lines = [json.dumps(work, ensure_ascii=False) for work in (WORKS if works is None else works)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small snapshot that claims a venue, a prefix and books."""
    base = tmp_path_factory.mktemp("small")
    venues = ("NAACL", "ACL", "EMNLP", "EACL", "COLING")  # its neighbours, too: else silence proves nothing
    covers = [parse_claim(f"venue:{name}=2018-2020") for name in venues]
    covers += [parse_claim("prefix:10.1103"), parse_claim("book")]
    build(
        [BuildInput("works", (write_works(base / "works.jsonl"),))],
        base / "snapshot",
        covers=covers,
        name="small",
    )
    return base / "snapshot"


@pytest.fixture
def snapshot(folder: Path):
    with Snapshot.open(folder) as opened:
        yield opened
