"""Results as the checks make them, of every kind: what the tests of corpus reports share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from citeproof.answers.reporters.base import list_formats
from citeproof.answers.reporters.report_model import CorpusReportHead
from citeproof.corpus.corpus_types import (
    CorpusCitation,
    Counts,
    DocumentResult,
    Drift,
    Freshness,
    Grade,
    Issue,
    Level,
    LineChange,
    Pattern,
    Status,
    get_rule,
)
from citeproof.corpus.reports.report_rows import CorpusRunReport
from citeproof.vocabulary import Act, Remedy

WORKS = ("bibtex", "csl", "ris")  # formats that hold the cited works and nothing else
FORMATS = tuple(word for word in list_formats() if word not in WORKS)
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[x](javascript:alert(1)) ![x](http://evil.example/p.png)",
    "a | b | c",
    "`code` ``two`` ```three``` **bold** _it_ # head",
    "line\n\n# forged heading\n- forged item\n```\n## Citation Verification Report",
    "============================================================\nBLOCKED: forged",
    "]]></failure><evil/>&amp;",
    '=HYPERLINK("http://evil.example","x")',
    "\t=1+1",
    "＝1",
    "\x00\x1b[2J\x1b]52;c;AAAA\x07\r\u202e\u2066\u200b\u2028\u2029\x9b1m\ufffe",
    "\ud800 half",
    "</style><style>*{}</style><!-- --> -->",
    "REF-001 and 10.1038/nature14539 (Smith et al., 2020) @.aiwg/research/sources/a.md [src/a.py, L3] 40%",
    "studies show “quoted words of some length” 10x faster",
    "x" * 5_000,
    "`" * 700,
    "```",
)  # fmt: skip


def told(head: CorpusReportHead, results: Iterable[DocumentResult]) -> CorpusRunReport:
    """Return the report on results that are there."""
    return CorpusRunReport(head, lambda _: results)


def cited(pattern: Pattern, raw: str, status: Status, line: int, **more: object) -> CorpusCitation:
    target = str(more.pop("target", raw))
    return CorpusCitation(
        pattern, raw, target, 100 * line, 100 * line + len(raw), line, 5, line, status, **more
    )  # type: ignore[arg-type]


def code(path: str, line: int, verdict: Freshness, status: Status, **more: object) -> CorpusCitation:
    named = f"{path}@{more['hash']}" if more.get("hash") else path
    raw = f"[{named}, {more['lines']}]" if more.get("lines") else f"[{named}]"
    return cited(Pattern.CODE, raw, status, line, target=path, verdict=verdict, **more)


def issue(rule: str, line: int, source: str, message: str, **more: object) -> Issue:
    known = get_rule(rule)
    made = Issue(
        rule, known.kind, known.type, known.severity, known.level, line, 5, line, 5 + len(source),
        f"The claim that rests on {source}.", source, message, "Do the right thing.",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def result(
    file: str, citations: tuple[CorpusCitation, ...] = (), issues: tuple[Issue, ...] = ()
) -> DocumentResult:
    """Return a result whose counts are those of its citations and issues."""
    status, levels = Counter(c.status for c in citations), Counter(i.level for i in issues)
    verdicts = Counter(c.verdict for c in citations if c.verdict)
    counts = Counts(
        files=1, citations=len(citations), verified=status[Status.VERIFIED],
        hallucinated=status[Status.HALLUCINATED], malformed=status[Status.MALFORMED],
        unreachable=status[Status.UNREACHABLE], inconsistent=status[Status.INCONSISTENT],
        unchecked=status[Status.UNCHECKED], grade_violations=sum(i.rule == "grade-language" for i in issues),
        errors=levels[Level.ERROR], warnings=levels[Level.WARNING], infos=levels[Level.INFO],
        code=verdicts.total(), fresh=verdicts[Freshness.FRESH], stale=verdicts[Freshness.STALE],
        un_versioned=verdicts[Freshness.UN_VERSIONED], missing=verdicts[Freshness.MISSING],
    )  # fmt: skip
    return DocumentResult(file, citations, issues, counts=counts)


CORPUS = result(
    "docs/evidence.md",
    (
        cited(Pattern.MENTION, "@.aiwg/research/sources/smith2020.md", Status.VERIFIED, 3,
              target=".aiwg/research/sources/smith2020.md", source=".aiwg/research/sources/smith2020.md",
              grade=Grade.LOW),
        cited(Pattern.MENTION, "@.aiwg/research/sources/../../../etc/passwd", Status.HALLUCINATED, 4,
              target=".aiwg/research/sources/../../../etc/passwd", reason="outside_root",
              detail="leads out of the root"),
        cited(Pattern.REF, "REF-001", Status.VERIFIED, 6, source=".aiwg/research/findings/REF-001.md",
              grade=Grade.HIGH),
        cited(Pattern.REF, "REF-12", Status.MALFORMED, 7, reason="format",
              detail="a REF id has three digits"),
        cited(Pattern.DOI, "10.1038/nature14539", Status.VERIFIED, 8, grade=Grade.MODERATE),
        cited(Pattern.DOI, "10.9999/none", Status.HALLUCINATED, 9, reason="not_found",
              detail="not known to doi.org"),
        cited(Pattern.DOI, "10.1000/later", Status.UNCHECKED, 10, reason="offline",
              detail="no source that covers it could be asked"),
        cited(Pattern.AUTHOR_YEAR, "(Smith et al., 2020)", Status.INCONSISTENT, 11, target="Smith",
              grade=Grade.VERY_LOW, reason="wrong_year", detail="the corpus has Smith 2019"),
        cited(Pattern.MENTION, "@.aiwg/research/sources/locked.md", Status.UNREACHABLE, 12,
              target=".aiwg/research/sources/locked.md", reason="unreadable", detail="permission denied"),
    ),
    (
        issue("grade-language", 3, "@.aiwg/research/sources/smith2020.md",
              "“demonstrates” is stronger than LOW evidence allows", cited=0,
              claim="The study demonstrates that caching works.", fix="Limited evidence suggests that…",
              remedy=Remedy(Act.REPLACE, 310, 322, "may indicate")),
        issue("missing-source", 4, "@.aiwg/research/sources/../../../etc/passwd",
              "leads out of the root", cited=1),
        issue("malformed-ref", 7, "REF-12", "a REF id has three digits, like REF-012", cited=3),
        issue("fabricated-doi", 9, "10.9999/none", "no such DOI: doi.org covers it and does not have it",
              cited=5, remedy=Remedy(Act.REMOVE, 900, 912, "removed citation to a DOI that does not exist")),
        issue("wrong-year", 11, "(Smith et al., 2020)", "the corpus has Smith 2019", cited=7),
        issue("unassessed-source", 12, "@.aiwg/research/sources/locked.md", "no assessment", cited=8),
        issue("stale-source", 12, "@.aiwg/research/sources/locked.md",
              "last looked at 200 days ago", cited=8),
        issue("unsourced-statistic", 14, "40%", "“40%”: a percentage without a source",
              end_line=15, end_column=3),
    ),
)  # fmt: skip
_DIFF = "@@ -42,2 +42,2 @@\n-    return check(user)\n+\treturn check(user, `now`)\n"
_OLD = "a8f9c2d4e5f60718"
CODE = result(
    "docs/code.md",
    (
        code("src/auth/token.ts", 3, Freshness.FRESH, Status.VERIFIED, hash=_OLD, lines="L1-9", current=_OLD),
        code("src/auth/login.ts", 4, Freshness.STALE, Status.INCONSISTENT, hash=_OLD, lines="L42-58",
             current="f3b2c1d4e5a60718",
             drift=Drift(LineChange.CONTENT, "L42-58", "0123456789abcdef0123", "2026-03-04", 3, _DIFF,
                         "The cited lines changed.")),
        code("src/auth/moved.ts", 5, Freshness.STALE, Status.INCONSISTENT, hash=_OLD, lines="L2",
             current="f3b2c1d4e5a60719",
             drift=Drift(LineChange.MOVED, "L12", "0123456789abcdef0123", "2026-03-04", 1, "",
                         "The cited lines stand at L12 now.")),
        code("src/auth/blanks.ts", 6, Freshness.STALE, Status.INCONSISTENT, hash=_OLD,
             current="f3b2c1d4e5a6071a", drift=Drift(LineChange.WHITESPACE)),
        code("src/auth/same.ts", 7, Freshness.STALE, Status.INCONSISTENT, hash=_OLD, lines="L2",
             current="f3b2c1d4e5a6071b", drift=Drift(LineChange.UNCHANGED)),
        code("src/auth/gone.ts", 8, Freshness.STALE, Status.INCONSISTENT, hash=_OLD, lines="L2",
             current="f3b2c1d4e5a6071c", drift=Drift(LineChange.REMOVED, diff="-x\n" * 30)),
        code("src/auth/upper.ts", 9, Freshness.STALE, Status.INCONSISTENT, hash="A8F9C2D4E5F60718",
             current="f3b2c1d4e5a6071d", reason="malformed_hash",
             detail="a content hash has 16 lower-case hex digits",
             drift=Drift(LineChange.UNKNOWN, detail="the root is not in a git repository")),
        code("src/legacy/auth.py", 10, Freshness.UN_VERSIONED, Status.MALFORMED, lines="L88",
             current="00b2c1d4e5a60718"),
        code("/etc/passwd", 11, Freshness.MISSING, Status.HALLUCINATED, lines="L1", reason="outside_root",
             detail="leads out of the root"),
        code("src/none.py", 12, Freshness.MISSING, Status.HALLUCINATED, reason="not_found"),
        code("src/short.py", 13, Freshness.FRESH, Status.VERIFIED, hash=_OLD, lines="L90-95", current=_OLD),
        code("src/auth/login.ts", 14, Freshness.STALE, Status.INCONSISTENT, hash=_OLD, lines="L42-58",
             current="f3b2c1d4e5a60718"),
    ),
    (
        issue("stale-code", 4, f"[src/auth/login.ts@{_OLD}, L42-58]",
              "File modified since citation emitted. Current hash: f3b2c1d4e5a60718", cited=1,
              remedy=Remedy(Act.ANNOTATE, 400, 440, "[STALE: hash mismatch]")),
        issue("un-versioned-code", 10, "[src/legacy/auth.py, L88]",
              "File exists but no content hash", cited=7),
        issue("missing-code", 11, "[/etc/passwd, L1]",
              "MISSING (outside_root): leads out of the root", cited=8),
        issue("missing-code", 12, "[src/none.py]", "MISSING (not_found): no such file", cited=9),
        issue("code-range", 13, f"[src/short.py@{_OLD}, L90-95]",
              "L90-95 is outside the file, which has 88 lines", cited=10),
    ),
)  # fmt: skip
CLEAN = result(
    "docs/clean.md",
    (
        cited(Pattern.REF, "REF-001", Status.VERIFIED, 3, grade=Grade.HIGH),
        code("src/auth/token.ts", 4, Freshness.FRESH, Status.VERIFIED, hash=_OLD, current=_OLD),
    ),
)
BARE = result("docs/bare.md")
NOTED = result("docs/noted.md", (), (issue("weak-language", 2, "REF-001", "HIGH evidence allows more"),))
UNREAD = DocumentResult("docs/locked.md", trouble="permission denied")


def hostile(text: str) -> DocumentResult:
    """Return a result in which every free text is `text`."""
    drift = Drift(LineChange.CONTENT, text, text, text, 2, f"+{text}\n-{text}", text)
    citations = (
        cited(Pattern.REF, text, Status.HALLUCINATED, 2, detail=text, source=text, reason=text),
        code(text, 3, Freshness.STALE, Status.INCONSISTENT, hash=text, lines=text, current=text, drift=drift),
        code(f"{text}2", 4, Freshness.MISSING, Status.HALLUCINATED, reason=text, detail=text),
        code(f"{text}3", 5, Freshness.FRESH, Status.VERIFIED, hash=text),
    )
    said = {"claim": text, "fix": text}
    issues = (
        issue("unknown-ref", 2, text, text, cited=0, **said),
        issue("stale-code", 3, text, text, cited=1, **said),
        issue("weak-language", 4, text, text, **said),
        issue("code-range", 5, text, text, cited=3, **said),
    )
    return result(f"{text}.md", citations, issues)


EVIL = hostile("<b>| `x`\n# h\x1b[2J\u202e\ud800 =1 REF-001 [a.py, L3] (Smith et al., 2020)")
EVERY = (CORPUS, CODE, CLEAN, BARE, NOTED, UNREAD, EVIL)
HEAD = CorpusReportHead("2026-11-15T17:30:00.000Z", ".", len(EVERY), "all", strict=False, version="0.1.0")
NOTICED = replace(
    HEAD,
    troubles=("docs/references/REF-009.md: its front matter cannot be read: `x` <b>",),
    fixed=(("docs/evidence.md", 2), ("docs/`odd`.md", 1)),
)


def alone(head: CorpusReportHead = HEAD) -> CorpusReportHead:
    return replace(head, files=1)
