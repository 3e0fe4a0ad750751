"""What a list of proceedings lacks is not accused by the list alone: it may be a workshop's."""

from __future__ import annotations

import json

import pytest
from tests.surfaces.conftest import EXAMPLES

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.coverage import parse_claim

VENUES = ("CVPR", "ICCV", "ECCV", "ICML", "NIPS")
BIB = """@book{b1, title={The Art of Careful Gardening in Cold Places}, author={Berg, Anna}, year={1999}}
@book{b2, title={The Art of Careful Gardening in Warm Places}, author={Berg, Anna}, year={2001}}
@inproceedings{pytorch, title={Automatic differentiation in PyTorch}, year={2017}, booktitle={NIPS},
  author={Paszke, Adam and Gross, Sam and Chintala, Soumith}}
"""


@pytest.fixture(params=[(), ("article=2016-2018",), ("all",)])
def lists(request, tmp_path):
    """A snapshot of papers of five series from 2016 to 2018, and what else it claims."""
    claims = [f"venue:{name}=2016-2018" for name in VENUES] + list(request.param)
    records = [BuildInput("bibtex", (EXAMPLES / "records.bib",))]
    build(records, tmp_path / "lists", covers=tuple(map(parse_claim, claims)), name="lists")
    return tmp_path / "lists", request.param


def test_a_workshop_paper_is_first_among_what_could_not_be_checked(cli, lists, tmp_path):
    place, more = lists
    (tmp_path / "refs.bib").write_text(BIB, encoding="utf-8")
    given = ("check", "refs.bib", "--snapshot", place)
    (told,) = [json.loads(line) for line in cli(*given, "--format", "jsonl").out.splitlines()][2:]
    if more:  # it claims more than the proceedings
        assert (told["verdict"], told["reasons"]) == ("not_found", ["no_source_has_it"])
        return
    assert (told["verdict"], told["label"], told["reasons"]) == ("unchecked", None, ["not_in_proceedings"])
    assert "not among the papers of NIPS 2017: a workshop paper, or invented" in told["explanation"]
    assert {x["reach"] for x in told["provenance"]["registries_searched"] if x["ok"]} == {"covers"}
    ended = cli(*given)
    assert ended.code == 4
    (first, keys, second) = [line for line in ended.out.splitlines() if line.startswith(("?", "    py"))]
    assert first.startswith("? 1 could not be checked: snapshot")
    assert keys.startswith("    pytorch")
    assert "a workshop paper, or invented" in " ".join(ended.out.partition(keys)[0].split())
    assert second.startswith("? 2 could not be checked")
