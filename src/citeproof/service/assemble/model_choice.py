"""Which language model a run asks, and its ceilings. Nothing of `models` is imported unless one is set."""

from __future__ import annotations

from decimal import Decimal
from hashlib import sha256
from importlib import import_module
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citeproof.errors import UsageError, suggest_word
from citeproof.plumbing.net.message import Rate
from citeproof.settings import Settings

if TYPE_CHECKING:
    from citeproof.judgement.models.base import LanguageModel
    from citeproof.judgement.models.search_tool import SearchTool
    from citeproof.judgement.models.served_model import ModelServer
    from citeproof.judgement.models.spending import Spending, TokenPrice
    from citeproof.judgement.models.wire_format import WireFormat
    from citeproof.plumbing.net.client import Client
    from citeproof.plumbing.net.message import RequestPolicy

LLM = "llm"  # of CITEPROOF_LLM_URL and CITEPROOF_LLM_KEY, and the source of its requests
PROVIDERS = ("openai", "anthropic", "google")  # each one file in `models`
_FASTEST = 20.0  # requests a second


def make_spending(settings: Settings) -> Spending | None:
    """Return the ceilings of a run, which all that it asks of models share; None without a model."""
    if not settings.llm:
        return None
    from citeproof.judgement.models.spending import Spending  # noqa: PLC0415 - a run without a model need not load it

    price = _choose_price(settings, describe_server(settings))
    dollars = settings.llm_max_dollars  # as they were written: never a micro-dollar more
    ceiling = None if dollars is None else int(Decimal(str(dollars)) * 1_000_000)
    return Spending(price, ceiling=ceiling, max_requests=settings.llm_max_requests)


def choose_search_tool(settings: Settings, spending: Spending | None) -> SearchTool | None:
    """Return the search tool of the model's provider; None if the settings do not ask for it."""
    if not settings.llm_search or settings.offline:
        return None
    if not settings.llm:
        hint = "add --llm anthropic:MODEL, or leave it out"
        raise UsageError("needs a language model", place="--llm-search", hint=hint)
    from citeproof.judgement.models.search_tool import PROVIDER, SearchTool  # noqa: PLC0415 - as above

    server = describe_server(settings)
    if server.wire.provider != PROVIDER:
        hint = f"use --llm {PROVIDER}:MODEL, or set CITEPROOF_SEARXNG_URL or CITEPROOF_WEB_KEY"
        message = f"the search tool of {server.wire.provider} has no bound on what it costs"
        raise UsageError(message, place="--llm-search", hint=hint)
    if "web" not in settings.sources:
        hint = "add web to --sources, such as --sources default,web"
        raise UsageError("the source `web` is not asked", place="--llm-search", hint=hint)
    return SearchTool(server.url, server.model, server.key, settings.llm_timeout, spending)


def choose_model(
    settings: Settings, client: Client | None, spending: Spending | None = None
) -> LanguageModel | None:
    """Return the model that the settings ask for, over the client of the run; None if they ask for none.

    Raises `UsageError` for an unknown provider, a missing key, or a ceiling that cannot be kept. Offline only
    one on loopback is asked; another says that it is not. `spending`: what others of the run share with it.
    """
    if not settings.llm:
        return None
    from citeproof.judgement.models.base import OfflineModel  # noqa: PLC0415 - a run without a model need not load it
    from citeproof.judgement.models.served_model import ServedModel  # noqa: PLC0415 - same

    server = describe_server(settings)
    shared = spending or make_spending(settings)
    if client is None or shared is None or (settings.offline and not is_loopback_url(server.url)):
        return OfflineModel(server.name)
    return ServedModel(client, server, shared)


def make_model_policy(settings: Settings) -> dict[str, RequestPolicy]:
    """Return how the server of the model is asked, for the client; nothing without a model."""
    if not settings.llm:
        return {}
    from citeproof.plumbing.net.message import RequestPolicy  # noqa: PLC0415 - an offline run need not load it

    host = urlsplit(settings.urls.get(LLM, "")).netloc or settings.llm.partition(":")[0]
    group = f"{LLM}-{sha256(host.encode()).hexdigest()[:8]}"
    rate = Rate(_FASTEST, at_once=settings.llm_at_once)
    return {LLM: RequestPolicy(rate, group, title="language model", typical=3.0)}


def describe_server(settings: Settings) -> ModelServer:
    """Return where the model is served. Sends nothing."""
    from citeproof.judgement.models.served_model import ModelServer  # noqa: PLC0415 - as above

    provider, _, model = settings.llm.partition(":")
    wire = _find_format(provider)
    if LLM in settings.project_urls:
        hint = "set CITEPROOF_LLM_URL, or the address in your own settings file"
        raise UsageError("a project's file may not say where citations are sent", place="--llm", hint=hint)
    url = settings.urls.get(LLM)
    if url and settings.offline and (parts := urlsplit(url)).hostname == "localhost":
        host = parts.netloc.lower().replace("localhost", "127.0.0.1")
        url = parts._replace(netloc=host).geturl()  # no name server is asked
    # a provider's key goes to the provider alone
    key = settings.keys.get(LLM) or (None if url else settings.keys.get(provider))
    if key is None and url is None and not settings.offline:
        variable = f"CITEPROOF_{provider.upper()}_KEY"
        hint = f"export {variable}=..., or set CITEPROOF_LLM_URL to a server of your own"
        raise UsageError(f"no key for {provider} is set", place="--llm", hint=hint)
    return ModelServer(wire, model, url or wire.url, key, settings.llm_timeout, settings.llm_at_once)


def describe_price(settings: Settings) -> str:
    """Return what is known of the price and the ceilings, in words."""
    price = _choose_price(settings, describe_server(settings))
    known = f"${price.input} in, ${price.output} out for a million tokens" if price else "price unknown"
    dollars = settings.llm_max_dollars
    most = "no ceiling" if dollars is None else f"at most ${dollars:g} a run"
    return f"{known}; {most}, at most {settings.llm_max_requests:,} requests"


def _choose_price(settings: Settings, server: ModelServer) -> TokenPrice | None:
    from citeproof.judgement.models.spending import find_price, parse_price  # noqa: PLC0415 - as above

    if settings.llm_price:
        return parse_price(settings.llm_price)
    price = None
    if server.url == server.wire.url:
        price = find_price(server.wire.provider, server.model)
    if price is None and settings.llm_max_dollars is not None:
        where = "this server" if server.url != server.wire.url else server.name
        raise UsageError(
            f"the ceiling of ${settings.llm_max_dollars:g} cannot be held: the price of {where} is unknown",
            place="--llm-max-dollars",
            hint="set CITEPROOF_LLM_PRICE to dollars for a million tokens, input/output, like 0.25/2 (0/0: "
            "the model costs nothing)",
        )
    return price


def is_loopback_url(url: str) -> bool:
    """Return whether an address is on this machine for certain, so that an offline run may use it."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _find_format(provider: str) -> WireFormat:
    if provider in PROVIDERS:
        wire: WireFormat = import_module(f"citeproof.judgement.models.{provider}").FORMAT
        return wire
    hint = (
        f"{suggest_word(provider, PROVIDERS)} known: {', '.join(PROVIDERS)}; "
        "a server that speaks OpenAI's API is openai:MODEL with CITEPROOF_LLM_URL"
    )
    raise UsageError(f"unknown provider {provider!r}", place="--llm", hint=hint.lstrip())
