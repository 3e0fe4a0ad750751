"""Claims through the engine, the same way for every interface."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

import msgspec

from citeproof.claims.citation_settling import MEANT, CitationSettler
from citeproof.claims.cited_sentences import list_cited_claims, list_unlisted_mentions
from citeproof.claims.grounding import AssessClaim, examine_citations, ground_claims
from citeproof.claims.hypothesis_json import make_json_error, read_hypothesis
from citeproof.claims.mentioned_works import make_mention_search, make_mentioned_finder
from citeproof.claims.sentence_places import find_sentence_starts
from citeproof.claims.shown_units import Removal
from citeproof.claims.support.exhibit_files import ImageFolder
from citeproof.claims.text_guard import TextGuard
from citeproof.claims.trace import name_final_work
from citeproof.errors import UsageError
from citeproof.proof.audit.run_lock import RUN
from citeproof.proof.audit.run_recorder import RESERVED, RunRecorder
from citeproof.reading.extractors.base import detect_extractor
from citeproof.reading.extractors.decoded_text import decode
from citeproof.reading.parse import parse_all
from citeproof.service.exit_codes import Exit
from citeproof.text import lazy_patterns as re
from citeproof.verifier import ReferenceVerifier
from citeproof.vocabulary import (
    LOCATED_CONTENTS,
    ClaimStatus,
    Document,
    Extraction,
    GroundedHypothesis,
    Hypothesis,
    Keeper,
    Place,
    Reference,
    Run,
    SealedLog,
)

_MENTIONING = ("markdown", "plain_text", "rst")  # formats in which unlisted works are claims
_WITH_LINES = (*_MENTIONING, "latex", "typst")  # formats whose text is written line by line
_OPENING = b"{"
_LIKE_JSON = re.compile(rb"\s{0,999}(?:\{|\[\s{0,999}[{\[])")


def read_claims(engine: ReferenceVerifier, document: Document) -> tuple[Hypothesis, Extraction]:
    """Return the claims of a document; UsageError if no source can say whether a work was retracted."""
    engine.require_retractions()
    if document.data.lstrip()[:1] == _OPENING and b'"claims"' in document.data:
        return read_hypothesis(document.data, document.name), Extraction((), format="hypothesis")
    _refuse_broken_json(document)
    extraction = engine.extract(document)
    places: dict[str, Place] = {}
    sentences = dict.fromkeys(sentence for raw in extraction.references for sentence in raw.citing)
    if sentences and extraction.format in _WITH_LINES:
        decoded = decode(document)
        starts = find_sentence_starts(decoded.text, sentences)
        places = {sentence: decoded.locate_span(at, at) for sentence, at in starts.items()}
    cited = list_cited_claims(extraction, document.name, places)
    if extraction.format in _MENTIONING:
        further = list_unlisted_mentions(decode(document), tuple(parse_all(extraction.references)))
        cited = replace(cited, claims=(*cited.claims, *further))
    return cited, extraction


def choose_log_name(document: Document) -> str:
    """Return the id of the hypothesis in a document if its audit log can be called so, else an empty text."""
    if document.data.lstrip()[:1] != _OPENING or b'"claims"' not in document.data:
        return ""
    name = read_hypothesis(document.data, document.name).id
    return name if RUN.fullmatch(name) and name not in {*RESERVED, document.name} else ""


def _refuse_broken_json(document: Document) -> None:
    """Raise an InputError for broken JSON, which would be taken for text; CSL-JSON is read item by item."""
    if not document.name.lower().endswith(".json") or not _LIKE_JSON.match(document.data):
        return
    if detect_extractor(document).name == "csl_json":
        return
    try:
        msgspec.json.decode(document.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise make_json_error(document.data, document.name, error) from error


async def ground_document(
    engine: ReferenceVerifier, document: Document, assess: AssessClaim | None = None
) -> GroundedHypothesis:
    """Return the claims of a document, decided; `assess` looks at the text of each attached work."""
    hypothesis, extraction = read_claims(engine, document)
    listed = tuple(parse_all(extraction.references))
    return await ground_hypothesis(engine, hypothesis, engine.run([document], [extraction]), listed, assess)


async def ground_hypothesis(
    engine: ReferenceVerifier,
    hypothesis: Hypothesis,
    run: Run,
    listed: Sequence[Reference] = (),
    assess: AssessClaim | None = None,
) -> GroundedHypothesis:
    """Return a hypothesis, decided; `listed` are the references of its document, if it has a list."""
    text = "\n\n".join(claim.text for claim in hypothesis.claims)
    find_mentioned = make_mentioned_finder(engine.retriever, listed, text)
    async with aclosing(ground_claims(engine, hypothesis.claims, find_mentioned, assess)) as stream:
        claims = tuple([claim async for claim in stream])
    findings = await examine_citations(engine, hypothesis.id, claims)
    return GroundedHypothesis(hypothesis, claims, run, tuple(findings))


def make_text_guard(engine: ReferenceVerifier, removal: str, assess: AssessClaim | None = None) -> TextGuard:
    """Return what lets generated text pass; `assess` looks at each cited text. Errors as `read_claims`."""
    engine.require_retractions()
    if removal not in set(Removal):
        hint = f"say one of {', '.join(Removal)}"
        raise UsageError(f"{removal!r} is not what may become of a citation", place="removal", hint=hint)
    settler = CitationSettler(engine, make_mention_search(engine.retriever, MEANT), assess)
    return TextGuard(settler, removal=Removal(removal))


def write_cited_images(grounded: GroundedHypothesis, images: ImageFolder) -> GroundedHypothesis:
    """Write the images of cited figures and tables to a folder; return the claims with their files' paths."""
    claims = tuple(
        replace(each, support=images.add_support(name_final_work(each), each.support))
        if each.support
        else each
        for each in grounded.claims
    )
    return replace(grounded, claims=claims)


def choose_exit_code(grounded: GroundedHypothesis) -> Exit:
    """Return what a run over claims ends with: every citation must be verified, and no claim held back.

    An identifier alone is enough only where the text of its work was compared and is about the claim.
    """
    if not grounded.claims:
        return Exit.NOTHING
    failing = (ClaimStatus.UNSUPPORTED, ClaimStatus.RETRACTED_SOURCE)
    if grounded.held or any(map(grounded.count, failing)):
        return Exit.PROBLEMS
    fine = all(
        claim.status is ClaimStatus.VERIFIED
        or (claim.status is ClaimStatus.RESOLVED and claim.content in LOCATED_CONTENTS)
        for claim in grounded.claims
    )
    return Exit.CLEAN if fine else Exit.UNCHECKED


def find_sealed_log(keeper: Keeper | None) -> SealedLog | None:
    """Return the log of a run, once it is sealed; None: it has no log."""
    if not isinstance(keeper, RunRecorder) or (sealed := keeper.sealed) is None:
        return None
    return SealedLog(str(keeper.place), sealed.root.hex(), sealed.size)
