"""`contested`: comments, replies or replications of the cited work were published.

**What it does:** reads comments, replies and updates from Crossref relations (`has-comment`, `has-reply`,
`is-comment-on`, `is-reply-to`), PubMed and Europe PMC (`CommentIn`, `CommentOn`, `UpdateIn`), and finds among
the records that a search for the cited title brought those whose title names it: "Comment on …", "Reply to
…", "Failure to replicate …", "Replication of …", "[Re] …" and "[¬Re] …".

**Why it matters:** a reader should know that there is a debate, and how a replication ended. It is a note: a
comment may praise a work, and says nothing about who is right.

**Kinds:** `replication_failed`, `replication` (its title does not say how it ended), `replicated`, `comment`,
`reply`, `update`; `comment_on` and `reply_to` where the cited work is itself a comment or a reply. The first
in this order is the word for all; each is a line of the evidence. Corrections are `corrected`, retractions
`retracted`. Published reports of peer review are no comments.

No source lists all comments and replications: silence is not reported as `clear`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeproof.judgement.checks.base import WORK_CHECKS, add_check
from citeproof.judgement.checks.evidence.work_notices import WorkEvidence
from citeproof.judgement.checks.evidence.work_texts import read_work
from citeproof.text import lazy_patterns as re
from citeproof.text.title import make_title_key
from citeproof.text.unicode import show_one_line
from citeproof.vocabulary import RELATED, Finding, FindingLevel, FindingState, Record

NAME = "contested"
SHORT = 20  # letters of a title; a shorter one is part of others by chance
LONG = 35  # letters of a title that need no quotes: "A note on machine translation" is about the subject
WORDS = {
    "replication_failed": "a replication that failed was published",
    "replication": "a replication was published",
    "replicated": "a replication that succeeded was published",
    "comment": "a comment on the work was published",
    "reply": "a reply to the work was published",
    "update": "an update of the work was published",
    "comment_on": "the work is itself a comment on another",
    "reply_to": "the work is itself a reply to another",
}
_SHOWN = 6
_READ = 100  # characters in which the named title begins
_QUOTE = re.compile('["“”„‘«‹`:\\[]')
_BEGINS = 15  # characters of a title that another must have after its own beginning
_AFTER = ("", "reply", "response", "rejoinder", "authorsreply", "authorreply")  # what may follow the title
_HEADS = {  # what a title says before the title it names, without spaces and signs
    "replication_failed": re.compile(
        r"(?:a)?(?:failedreplications?of|failures?toreplicate|unsuccessfulreplications?of|(?:a)?failuretoreproduce)(?:the)?"
    ),
    "replicated": re.compile(r"(?:a)?successful(?:direct|conceptual)?replications?of(?:the)?"),
    "replication": re.compile(
        r"re|(?:a)?(?:direct|conceptual|registered|preregistered|independent|largescale|closeand)?"
        r"(?:replication|reproduction)s?(?:study|report|andextension)?of(?:the)?"
        r"|(?:a)?reproducibility(?:study|report)?of(?:the)?|replicating|reproducing"
    ),
    "comment": re.compile(
        r"(?:a|brief|short|further|some)?(?:comments?|commentary|remarks?|notes?|critique|discussion)(?:on|about|of|to)"
        r"(?:the)?(?:article|paper)?(?:entitled|titled)?"
    ),
    "reply": re.compile(
        r"(?:the)?(?:authors?)?(?:reply|response|rejoinder|replies|responses)to(?:the)?(?:comments?on)?(?:the)?"
        r"(?:article|paper)?(?:entitled|titled)?"
    ),
}


@add_check(WORK_CHECKS, 12)
def find_contest(evidence: WorkEvidence) -> Finding | None:
    """Return what was published about the work; None if nothing is known."""
    records = read_work(evidence).records
    if not records:
        return None
    facts = dict.fromkeys([*_list_stated(records), *_list_named(evidence, records)])
    if not facts:
        return None
    order = list(WORDS)
    ranked = sorted(facts, key=lambda fact: order.index(fact[0]))
    kinds = dict.fromkeys(kind for kind, _, _ in ranked)
    lines = tuple(f"{source}: {kind.replace('_', ' ')}: {what}" for kind, what, source in ranked[:_SHOWN])
    sources = ", ".join(dict.fromkeys(source for _, _, source in ranked))
    detail = "; ".join(f"{WORDS[kind]} ({next(w for k, w, _ in ranked if k == kind)})" for kind in kinds)
    return Finding(NAME, FindingState.FINDING, detail, sources, ranked[0][0], FindingLevel.NOTE, lines)


def _list_stated(records: Sequence[Record]) -> Iterator[tuple[str, str, str]]:
    """Yield kind, work and source of what registries state."""
    for record in records:
        for mark in record.marks:
            if mark.startswith(RELATED):
                kind, _, work = mark.removeprefix(RELATED).partition(" ")
                if kind in WORDS:
                    yield kind, show_one_line(work[:200]), record.source


def _list_named(evidence: WorkEvidence, records: Sequence[Record]) -> Iterator[tuple[str, str, str]]:
    """Yield kind, work and source of records whose titles name the cited one."""
    own = records[0]
    begins = own.title[:_BEGINS].lower()
    for compared in evidence.compared:
        other = compared.record
        if other is own or (own.work and other.work == own.work):
            continue
        if begins in other.title[2:].lower() and (kind := classify_title(other.title, own.title)):
            yield kind, f"{show_one_line(other.title[:150])} ({show_one_line(other.id[:100])})", other.source


def classify_title(other: str, cited: str) -> str:
    """Return what a title that names the cited one is to it, such as "comment"; empty: nothing."""
    wanted, whole = make_title_key(cited), make_title_key(other)
    head, named, tail = whole.partition(wanted) if len(wanted) >= SHORT else ("", "", "")
    if not named or not head or tail not in _AFTER:
        return ""
    if len(wanted) < LONG and not _QUOTE.search(other[:_READ]):
        return ""
    if head == "re":  # ReScience: "[Re] Title", "[¬Re] Title"
        start = other.lstrip()[:5].lower()
        return "replication_failed" if "¬" in start else "replication" if start.startswith("[re]") else ""
    return next((kind for kind, pattern in _HEADS.items() if pattern.fullmatch(head)), "")
