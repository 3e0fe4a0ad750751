"""robots.txt => what may be read. The table has RFC 9309's own examples, and faults of real files."""

from __future__ import annotations

import pytest

from citeproof.plumbing.net.response_rules import MAX_BYTES, RobotsRules, read_robots

SITE = "https://example.org"
RULES = """
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow: /
Allow: /example/page.html
Allow: /example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("agent", "path", "allowed"),
    [
        ("foobot", "/example/page.html", True),
        ("foobot", "/example/allowed.gif", True),
        ("foobot", "/example/", False),
        ("barbot", "/example/page.html", False),
        ("bazbot", "/example/page.html", False),
        ("BazBot", "/example/other.html", True),
        ("quxbot", "/example/page.html", True),
        ("citeproof", "/example/x", False),
        ("citeproof", "/a/b.gif", False),
        ("citeproof", "/a/b.gif?x", True),
        ("citeproof", "/publications/1", True),
        ("citeproof", "/robots.txt", True),
    ],
)
def test_the_examples_of_the_rfc(agent, path, allowed):
    assert read_robots(RULES.encode(), agent).allows(SITE + path) is allowed


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Disallow:", "/x", True),
        ("Disallow: /", "/x", False),
        ("Disallow: /a\nAllow: /a", "/ab", True),
        ("Disallow: /a/b\nAllow: /a", "/a/b/c", False),
        ("Disallow: /*.pdf$", "/x/y.pdf", False),
        ("Disallow: /*.pdf$", "/x/y.pdf?download=1", True),
        ("Disallow: /*.pdf", "/x/y.pdf?download=1", False),
        ("Disallow: /doi/pdf*/", "/doi/pdfdirect/10.1/x", False),
        ("Disallow: /a*b*c$", "/a1b2c", False),
        ("Disallow: /a*b*c$", "/a1b2", True),
        ("Disallow: /ab$", "/ab", False),
        ("Disallow: /ab$", "/abc", True),
        ("Disallow: /*ab$", "/ab", False),
        ("Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", False),
        ("Disallow: /foo%2Fbar", "/foo/bar", True),
        ("Disallow: /x # a remark", "/x", False),
        ("disallow:/x", "/x/y", False),
        ("Disallow /x", "/x", True),
    ],
)
def test_patterns(rules, path, allowed):
    assert read_robots(f"User-agent: *\n{rules}".encode(), "citeproof").allows(SITE + path) is allowed


def test_a_file_of_anything_is_read():
    assert read_robots(b"", "x") == RobotsRules()
    assert read_robots(b"<html><title>404</title>", "x").allows(f"{SITE}/a")
    assert read_robots(b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /\r\n", "x").allows(f"{SITE}/a") is False
    assert read_robots(b"User-agent: *\nCrawl-delay: 15\nDisallow: /b", "x").delay == 15
    assert read_robots(b"User-agent: *\nCrawl-delay: soon", "x").delay == 0
    assert read_robots(b"User-agent: *\nCrawl-delay: nan", "x").delay == 0
    assert read_robots(b"x" * (MAX_BYTES * 2), "x") == RobotsRules()


def test_hostile_patterns_take_linear_time():
    rules = read_robots(b"User-agent: *\nDisallow: /" + b"*a" * 400 + b"$", "citeproof")
    assert rules.allows(f"{SITE}/{'a' * 20_000}b")
