"""Which sources a run asks, how each is reached (address, key, rate), and where texts of works come from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from citeproof.answers.serializers.report import get_version
from citeproof.errors import SnapshotError, UsageError, suggest_word
from citeproof.evidence.index.lists.homes import LISTS
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.sources import base as sources
from citeproof.evidence.sources.base import LiveSource, SourceWiring
from citeproof.plumbing.clock import Clock
from citeproof.plumbing.net.message import Rate
from citeproof.plumbing.store_address import StoreAddress
from citeproof.plumbing.stores.answer_cache import AnswerCache, AnswerLifetimes
from citeproof.service.assemble.model_choice import LLM, make_model_policy
from citeproof.settings import Settings
from citeproof.vocabulary import FindText, FoundText, ModelReviewer, Record, SourceText, TextExtent
from citeproof.vocabulary.quick_dataclass import dataclass, replace

if TYPE_CHECKING:
    from citeproof.claims.grounding import AssessClaim
    from citeproof.claims.text_library import TextLibrary
    from citeproof.judgement.models.search_tool import SearchTool
    from citeproof.plumbing.net.client import Client
    from citeproof.plumbing.net.cross_machine_limiter import PostgresLimits
    from citeproof.plumbing.net.message import RequestPolicy

SNAPSHOT = "snapshot"
DEFAULT = "default"  # in --sources: all that are asked without it
_REACHED: set[StoreAddress] = set()  # databases that this process has used
OFFLINE = "no open text was looked for: the run is offline"


@dataclass(frozen=True, slots=True)
class OnlineSources:
    """The client and the live sources behind it."""

    client: Client
    sources: tuple[LiveSource, ...]


def choose_sources(settings: Settings) -> tuple[str, ...]:
    """Return the names of the sources to use; an unknown one is an error that names those there are."""
    known = (SNAPSHOT, *sources.list_sources())
    unknown = next((name for name in settings.sources if name not in (*known, DEFAULT)), None)
    if unknown is not None:
        hint = f"{suggest_word(unknown, known)} known sources: {', '.join((DEFAULT, *known))}"
        raise UsageError(f"unknown source {unknown!r}", place="--sources", hint=hint.lstrip())
    live = () if settings.offline else sources.list_sources()
    usual = (SNAPSHOT, *(name for name in live if sources.find_source(name).profile.by_default))
    asked = settings.sources or (DEFAULT,)
    return tuple(dict.fromkeys(each for name in asked for each in (usual if name == DEFAULT else (name,))))


def choose_text_sources(settings: Settings) -> tuple[str, ...]:
    """Return the names of the sources that open texts are looked for in; none unless they are asked for."""
    if not settings.fetch_texts or settings.offline:
        return ()
    from citeproof.evidence.retrieve.text_answers import TEXT_QUESTIONS  # noqa: PLC0415 - few runs need it

    if not settings.sources or DEFAULT in settings.sources:
        return tuple(TEXT_QUESTIONS)
    return tuple(name for name in TEXT_QUESTIONS if name in settings.sources)


def connect_sources(
    settings: Settings,
    clock: Clock,
    names: Iterable[str] | None = None,
    record: Callable[[str, bytes], None] | None = None,
    search_tool: SearchTool | None = None,
) -> OnlineSources:
    """Return the live sources called `names` (all without it), over one client. Opens no connection."""
    wanted = sources.list_sources() if names is None else names
    kinds = [sources.find_source(name) for name in wanted if name != SNAPSHOT]
    policies = {
        name: _make_policy(kind, name, url, settings)
        for kind in kinds
        for name, url in kind.find_urls(settings.urls).items()
    }
    client = make_client(
        settings,
        clock,
        policies | make_model_policy(settings),
        timeout=settings.timeout,
        allowed=settings.private_hosts,
        proxy="" if settings.offline else settings.proxy,  # then nothing but loopback is asked
        trouble="; ".join((*_explain_unknown_urls(settings), *list_deprecated_urls(settings))),
        record=record,
        contact=settings.contact,
    )
    wired = ((kind, make_wiring(kind, settings)) for kind in kinds)
    return OnlineSources(
        client, tuple(kind(client, replace(wiring, search_tool=search_tool)) for kind, wiring in wired)
    )


def make_client(
    settings: Settings,
    clock: Clock,
    policies: Mapping[str, RequestPolicy],
    **options: Any,  # noqa: ANN401 - those of `Client`
) -> Client:
    """Return a client with the cache, the limits and the name of every request under these settings."""
    from citeproof.plumbing.net.client import Client  # noqa: PLC0415 - an offline run need not load it

    cache, limits = open_answer_cache(settings, clock), open_shared_limits(settings, clock)
    agent = make_user_agent(settings)
    return Client(policies, cache, settings.limits_dir, clock, agent=agent, limits=limits, **options)


def make_wiring(kind: type[LiveSource], settings: Settings) -> SourceWiring:
    """Return how a source is reached under these settings."""
    further = kind.find_urls(settings.urls)
    url = further.pop(kind.name)
    led = settings.project_urls.intersection((kind.name, *further))  # a cloned project may not collect keys
    key = None if led else settings.keys.get(kind.name)
    return SourceWiring(url, key, settings.contact, further, settings.reference_lists)


def describe_wiring(settings: Settings, live: tuple[LiveSource, ...]) -> Mapping[str, object]:
    """Return how the sources are reached, as a replay must reach them: no key, no contact address."""
    tool = next((source.wiring.search_tool for source in live if source.wiring.search_tool), None)
    return {
        "urls": {name: url for s in live for name, url in {s.name: s.wiring.url, **s.wiring.urls}.items()},
        "keys": sorted(source.name for source in live if source.wiring.key),
        "contact": bool(settings.contact),
        **({"search_tool": {"url": tool.url, "model": tool.model}} if tool else {}),
    }


def list_deprecated_urls(settings: Settings) -> Iterator[str]:
    """Yield a word on each base URL that is set and that the base URL of its source covers."""
    for kind in map(sources.find_source, sources.list_sources()):
        for name in sorted(kind.profile.inner & settings.urls.keys()):
            variable = f"CITEPROOF_{kind.name.upper()}_URL"
            yield f"{settings.origin_of_url(name)} sets {name}, which is deprecated: {variable} is for both"


def _explain_unknown_urls(settings: Settings) -> Iterator[str]:
    """Yield a word on each base URL that is set for no source: a slip of the pen would go unnoticed."""
    known = {"zotero", LLM, *LISTS} | {
        name for each in sources.list_sources() for name in (each, *sources.find_source(each).profile.further)
    }
    for name in sorted(set(settings.urls) - known):
        unused = f"a base URL is set for {name!r}, which is not a source; {suggest_word(name, known)}"
        yield unused.removesuffix("; ")


def _make_policy(kind: type[LiveSource], name: str, url: str, settings: Settings) -> RequestPolicy:
    """Return how one server of a source is asked; `url`: where it is."""
    from citeproof.plumbing.net.message import RequestPolicy  # noqa: PLC0415 - same

    profile, shipped = kind.profile, {kind.name: kind.profile.url, **kind.profile.further}[name]
    keyed, named = name in settings.keys, bool(settings.contact) or not profile.contact
    rate: Rate = profile.rate if named else profile.anonymous or profile.rate
    lanes: Mapping[str, Rate] = profile.lanes if named else profile.anonymous_lanes or profile.lanes
    if keyed:
        rate, lanes = profile.keyed_rate or rate, profile.keyed_lanes or lanes
    own = name in settings.urls or url != shipped
    pace = settings.pace if own else 1.0  # a server of one's own; the public ones never
    rate = replace(rate, requests=rate.requests * pace)
    lanes = {lane: replace(each, requests=each.requests * pace) for lane, each in lanes.items()}
    server = urlsplit(url).netloc
    shared = profile.group if shipped == profile.url else ""
    group = f"{shared or name}-{sha256(server.encode()).hexdigest()[:8]}"
    return RequestPolicy(rate, group, lanes, profile.budget, profile.title, profile.typical, pace)


def open_answer_cache(settings: Settings, clock: Clock) -> AnswerCache:
    """Return the cache of answers, which keeps each kind as long as the settings say."""
    hours = (settings.keep_found_hours, settings.keep_absent_hours, settings.keep_notice_hours)
    lifetimes = AnswerLifetimes(*(timedelta(hours=each) for each in hours))
    return AnswerCache(_find_shared_store(settings) or settings.cache_dir / "answers", clock, lifetimes)


def open_shared_limits(settings: Settings, clock: Clock) -> PostgresLimits | None:
    """Return the rate limits that several machines share, if the settings name a database for them."""
    if (store := _find_shared_store(settings)) is None:
        return None
    from citeproof.plumbing.net.cross_machine_limiter import PostgresLimits  # noqa: PLC0415 - few runs need it

    return PostgresLimits(store, clock)


def _find_shared_store(settings: Settings) -> StoreAddress | None:
    """Return the database that machines share; offline none, since nothing is asked."""
    return None if settings.offline else settings.shared_store


def require_shared_store(settings: Settings, clock: Clock) -> None:
    """Raise a UsageError for a shared database that cannot be used, unless it was reached before."""
    store, limits = settings.shared_store, open_shared_limits(settings, clock)
    if store is None or limits is None or store in _REACHED:
        return
    try:
        limits.require()
        _REACHED.add(store)
    finally:
        limits.close()


def make_user_agent(settings: Settings) -> str:
    """Return how requests introduce themselves: the program, and the contact address if there is one."""
    contact = f" (mailto:{settings.contact})" if settings.contact else ""
    return f"citeproof/{get_version()}{contact}"


def open_text_library(settings: Settings) -> TextLibrary | None:
    """Return the texts in the user's folders; None if the settings name no folder."""
    if not settings.texts:
        return None
    from citeproof.claims.text_library import TextLibrary  # noqa: PLC0415 - only claims with texts need it

    return TextLibrary(settings.texts, settings.cache_dir)


def make_text_finders(
    settings: Settings, snapshots: Sequence[Snapshot], online: OnlineSources | None, clock: Clock
) -> tuple[FindText, ...]:
    """Return where texts are looked for besides folders: open copies, if asked for, then abstracts."""
    finders: list[FindText] = []
    if settings.fetch_texts and online is not None:
        from citeproof.evidence.retrieve.open_text_finder import OpenTextFinder  # noqa: PLC0415 - same
        from citeproof.reading.extractors.source_reader import read_source_text  # noqa: PLC0415 - takes its time

        names = choose_text_sources(settings)
        sources = [source for source in online.sources if source.name in names]
        finders.append(OpenTextFinder(sources, online.client, clock, read_source_text).find_open_text)
    elif settings.fetch_texts:

        async def find_nothing(_: Record) -> FoundText:
            return FoundText(None, (OFFLINE,))

        finders.append(find_nothing)
    abstracts = [snapshot for snapshot in snapshots if snapshot.manifest.abstracts is not None]
    return (*finders, *map(_make_abstract_finder, abstracts))


def make_assessor(
    library: TextLibrary | None, finders: Sequence[FindText], reviewer: ModelReviewer | None = None
) -> AssessClaim | None:
    """Return what looks at texts of works, with the model of `reviewer`; None if there are none."""
    if library is None and not finders:
        return None
    from citeproof.claims import claim_evidence  # noqa: PLC0415 - only claims with texts need it

    first = [claim_evidence.make_library_finder(library)] if library is not None else []
    find_text = claim_evidence.combine_text_finders([*first, *finders])
    add_images = library.add_images if library else None
    review = None  # asks the model of the run about claims; its ceiling is that of the run
    if reviewer is not None:
        from citeproof.claims.model_support import SupportReview  # noqa: PLC0415 - only with a model
        from citeproof.judgement.review import ModelReview  # noqa: PLC0415 - same

        if isinstance(reviewer, ModelReview):
            review = SupportReview(reviewer.language_model, figures=reviewer.figures).review_support
    return claim_evidence.make_claim_assessor(find_text, add_images, review)


def _make_abstract_finder(snapshot: Snapshot) -> FindText:

    async def find_text(record: Record) -> FoundText:
        try:
            abstract = await asyncio.to_thread(snapshot.find_abstract, record)
        except SnapshotError as error:
            return FoundText(None, (f"the abstract could not be looked up: {error.message}",))
        if not abstract:
            return FoundText(None)
        digest = sha256(abstract.encode("utf-8", "replace")).hexdigest()
        return FoundText(SourceText(TextExtent.ABSTRACT_ONLY, snapshot.source, abstract, sha256=digest))

    return find_text
