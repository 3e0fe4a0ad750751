"""@-mentions of corpus files."""

import pytest

from citeproof.corpus.corpus_types import Pattern
from tests.corpus.page.cases import marks, raws, targets, whole

X = "research/sources/x.md"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See @.aiwg/research/sources/smith2020.md for it.", [".aiwg/research/sources/smith2020.md"]),
        ("See @.aiwg/research/findings/REF-001.md.", [".aiwg/research/findings/REF-001.md"]),
        ("@.aiwg/research/quality-assessments/a.yaml", [".aiwg/research/quality-assessments/a.yaml"]),
        ("@docs/references/REF-001.md", ["docs/references/REF-001.md"]),
        (f'(@{X}), [@{X}]; "@{X}" ‘@{X}’ @{X}!', [X] * 5),
        (f"**@{X}** and *see @{X}* and _@{X}_", [X] * 3),
        (f"@{X},@{X};@{X}", [X] * 3),
        (f"@…/{X}", [f"…/{X}"]),
        (f"@/etc/{X}", [f"/etc/{X}"]),
        (f"@../../{X}", [f"../../{X}"]),
        ("@research/sources/../../../etc/passwd", ["research/sources/../../../etc/passwd"]),
        (f"@~/{X} and @~/{X}", [f"~/{X}"] * 2),
        ("@C:\\docs\\research\\sources\\x.md", ["C:\\docs\\research\\sources\\x.md"]),
        ("@research/sources/%2e%2e/x.md", ["research/sources/%2e%2e/x.md"]),
        ("@research/sources/a\x00b.md", ["research/sources/a\x00b.md"]),
        ('@"research/sources/my notes.md" said', ["research/sources/my notes.md"]),
        ("@research/sources/smith\\_2020.md", ["research/sources/smith_2020.md"]),
        ("@research/sources/_smith_.md", ["research/sources/_smith_.md"]),
        ("@research/sources/smith,jones.md, then", ["research/sources/smith,jones.md"]),
        ("@research/sources/smith(2020).md", ["research/sources/smith(2020).md"]),
        ("@research/sources/müller.md", ["research/sources/müller.md"]),
        (f"[@{X}](../{X})", [X]),
        (f"> quoted @{X}\n", [X]),
        (f"| a | @{X} |\n|---|---|\n", [X]),
        (f"a[^1]\n\n[^1]: @{X}\n", [X]),
        ("@research/sources/x.md#part-2", [X]),
        # none
        ("@.aiwg/research/sources/*", []),
        ("@.aiwg/research/sources/*.md", []),
        ("@.aiwg/research/sources/smith*.md", []),
        ("@.aiwg/research/sources/<name>.md", []),
        ("@.aiwg/research/sources/{name}.md", []),
        ("@.aiwg/research/findings/REF-XXX-[topic].md @research/sources/[name].pdf", []),
        ("@.aiwg/research/findings/REF-XXX.md", []),
        ("@$AIWG_ROOT/research/sources/x.md", []),
        ("@.aiwg/research/sources/", []),
        (f"someone@{X}", []),
        (f"\\@{X}", []),
        (f"a/@{X}", []),
        ("@someone and @src/a.py", []),
        ("@myresearch/sources/x.md", []),
        (f"`@{X}` <!-- @{X} --> <b title='@{X}'>b</b>", []),
        (f"```\n@{X}\n```\n\n    @{X}\n\n<div>\n@{X}\n</div>\n", []),
        (f"---\na: '@{X}'\n---\n", []),
        (f"+++\na = '@{X}'\n+++\n", []),
        (f"[a](@{X}) ![@{X}](a.png) https://example.org/@{X}", []),
        (f"[d]: @{X} '@{X}'\n", []),
        (f"$@{X}$", []),
    ],
)
def test_mentions(text, expected):
    assert targets(text, Pattern.MENTION) == expected


def test_folders_are_settings():
    assert targets("@papers/a.md @papers/a.md.", Pattern.MENTION, sources=("papers",)) == ["papers/a.md"] * 2
    assert targets("@papers/a.md", Pattern.MENTION) == []


def test_an_anchor_stays_in_what_was_written():
    assert raws("see @research/sources/x.md#part.", Pattern.MENTION) == ["@research/sources/x.md#part"]


def test_a_number_in_the_path_is_no_second_citation():
    assert not marks("@docs/references/REF-001.md", Pattern.REF)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"so (@{X}).", f"(@{X})"),
        (f"so [@{X}].", f"[@{X}]"),
        (f"so (see @{X}).", f"@{X}"),
        (f"so [@{X}](y.md).", f"[@{X}](y.md)"),
        (f"so **@{X}**.", f"**@{X}**"),
    ],
)
def test_what_goes_with_it(text, expected):
    assert whole(text, Pattern.MENTION) == expected
