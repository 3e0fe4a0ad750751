"""The examples of `verifyCitation`, byte for byte: `citeproof mcp --strict-compat` and the official client.

The answers are in `golden/verify_citation.txt`. `CITEPROOF_GOLDEN=write` in the environment makes them anew.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from mcp import Client
from tests.surfaces.mcp_world import CHATGPT, MICROGLIA, TOPAZ, make_command, run_client

from citeproof.evidence.index.build import BuildInput, build
from citeproof.evidence.index.coverage import CoverageClaim

GOLDEN = Path(__file__).parent / "golden/verify_citation.txt"
ALPHAFOLD = {"title": "Highly accurate protein structure prediction with AlphaFold", "author": "Jumper"}
TRANSLATOR = {"title": "Is ChatGPT A Good Translator? Yes With GPT-4 As The Engine"}
LARGE_N = {"title": "The Large N Limit of Superconformal Field Theories and Supergravity"}
WORKS = f"""
@article{{topaz, title={{{TOPAZ["title"]}}}, author={{Topaz, Maxim}}, journal={{The Lancet}},
  year={{2026}}, doi={{{TOPAZ["doi"]}}}}}
@article{{graf, title={{{CHATGPT}}}, author={{Graf, Alexander and Bernardi, Rick E.}},
  journal={{Neuroscience}}, year={{2023}}, doi={{{MICROGLIA["doi"]}}}}}
@article{{alphafold, title={{{ALPHAFOLD["title"]}}}, author={{Jumper, John and others}}, journal={{Nature}},
  year={{2021}}, doi={{10.1038/s41586-021-03819-2}}, pmid={{34265844}}, pmcid={{PMC8371605}}}}
@misc{{translator, title={{{TRANSLATOR["title"]}}}, author={{Jiao, Wenxiang and others}},
  year={{2023}}, eprint={{2301.08745}}, archiveprefix={{arXiv}}}}
@misc{{large, title={{{LARGE_N["title"]}}}, author={{Maldacena, Juan}},
  year={{1997}}, eprint={{hep-th/9711200}}, archiveprefix={{arXiv}}}}
@book{{texbook, title={{The TeXbook}}, author={{Knuth, Donald E.}}, publisher={{Addison-Wesley}},
  year={{1984}}, isbn={{0201134489}}}}
"""
EXAMPLES = [
    TOPAZ,
    TOPAZ | {"doi": f"https://doi.org/{TOPAZ['doi']}"},
    MICROGLIA,
    TOPAZ | {"doi": MICROGLIA["doi"]},
    {"title": "An identifier and a title that nobody has ever seen", "doi": "10.1234/fake.ref.2024"},
    TOPAZ | {"author": "Lehmann"},
    TOPAZ | {"year": 2025},
    TOPAZ | {"year": 2023},
    TOPAZ | {"container": "Neuroscience"},
    ALPHAFOLD | {"pmid": "34265844"},
    ALPHAFOLD | {"pmid": "PMID: 34265844"},
    ALPHAFOLD | {"pmcid": "PMC8371605"},
    ALPHAFOLD | {"pmcid": "PMCID: PMC8371605"},
    ALPHAFOLD | {"pmid": "1", "doi": "10.1038/s41586-021-03819-2"},
    ALPHAFOLD | {"issn": "0028-0836"},
    TRANSLATOR | {"arxiv": "2301.08745"},
    TRANSLATOR | {"arxiv": "arXiv:2301.08745"},
    LARGE_N | {"arxiv": "hep-th/9711200"},
    {"title": "The TeXbook", "isbn": "0-201-13448-9"},
    {"title": "The TeXbook", "isbn": "978-0-201-13448-3"},
    {"title": "AlphaFold", "doi": "10.1038/s41586-021-03819-2", "screenWithLlm": False},
]


def refuse_point(number: str) -> float:
    """Refuse what JavaScript never prints: a whole number with a point."""
    assert not number.endswith(".0"), number
    return float(number)


def print_as_javascript(text: str) -> str:
    """Return what `JSON.stringify(payload, null, 2)` makes of an answer."""
    return json.dumps(json.loads(text, parse_float=refuse_point), indent=2, ensure_ascii=False)


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Return a function that puts calls to a server of its own and returns their results."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "works.bib").write_text(WORKS, "utf-8")
    inputs = [BuildInput("bibtex", (tmp_path / "works.bib",))]
    build(inputs, tmp_path / "works", name="works", covers=(CoverageClaim("all"),))

    def run(*calls):
        async def work(client):
            return [await client.call_tool("verifyCitation", arguments) for arguments in calls]

        command = make_command("--offline", "--snapshot", tmp_path / "works", "--strict-compat")
        return run_client(Client(command), work)

    return run


@pytest.mark.slow
def test_the_examples_byte_for_byte(ask, tmp_path):
    answers: dict[str, list[str]] = {}  # forms of one identifier have one answer
    for arguments, result in zip(EXAMPLES, ask(*EXAMPLES), strict=True):
        (content,) = result.content
        assert not result.is_error, content.text
        assert content.text == print_as_javascript(content.text)
        assert json.loads(content.text) == result.structured_content
        answers.setdefault(content.text, []).append(json.dumps(arguments, ensure_ascii=False))
    printed = "\n".join("\n".join([*asked, text, ""]) for text, asked in answers.items())
    printed = printed.replace(str(tmp_path), "/home/ann")  # sources are named with their folder
    if os.environ.get("CITEPROOF_GOLDEN") == "write":
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(printed, "utf-8")
    assert printed == GOLDEN.read_text("utf-8")


@pytest.mark.slow
def test_anonymous_callers_have_no_language_model(ask):
    (refused,) = ask({**MICROGLIA, "screenWithLlm": True})
    assert refused.is_error
    assert re.fullmatch(
        r"Error: LLM_SCREEN_FORBIDDEN: .+ \(request-id: [0-9a-f]{16}\)", refused.content[0].text, re.DOTALL
    )
