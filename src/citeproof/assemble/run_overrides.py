"""What of a run is not as shipped: addresses, judge, thresholds, and who set each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from citeproof.assemble.model_choice import LLM, is_loopback_url
from citeproof.assemble.source_choice import SNAPSHOT, choose_sources, choose_text_sources
from citeproof.judge import model
from citeproof.judge.model import Model
from citeproof.settings import Settings
from citeproof.sources import base as sources
from citeproof.vocabulary import Override


def list_overrides(
    settings: Settings, judge: Model | None = None, foreign: Iterable[str] = ()
) -> tuple[Override, ...]:
    """Return every address, judge and threshold of a run that is not the shipped one, and who set it.

    `foreign`: its snapshots that this user neither built nor pulled, by path and id.
    """
    found = [] if settings.offline else list(_list_replaced_urls(settings))
    if settings.proxy and not settings.offline:
        found.append(Override("proxy", settings.proxy, "none", settings.origin("proxy")))
    if settings.llm and (not settings.offline or is_loopback_url(settings.urls.get(LLM, ""))):
        told = f"{settings.llm} at {settings.urls[LLM]}" if LLM in settings.urls else settings.llm
        found.append(Override("llm", told, "none", settings.origin("llm")))
    origin = settings.origin("snapshots")
    found += (Override("snapshots", place, "built or pulled by this user", origin) for place in foreign)
    if settings.offline and "offline" in settings.set_by_project:
        found.append(Override("offline", "true", "false", settings.origin("offline")))
    shipped = model.load_model()
    if (
        judge is not None and judge.name.partition("+p")[0] != shipped.name
    ):  # a promise is told by its setting
        names = [
            name for name in ("judge_thresholds", "judge_calibration") if settings.origin(name) != "default"
        ]
        origin = ", ".join(settings.origin(name) for name in names) or "the user's configuration folder"
        found.append(Override("judge", judge.name, shipped.name, origin))
    for name in ("base_rate", "max_false_accusations"):
        value = getattr(settings, name)
        if judge is not None and value is not None:
            found.append(Override(name, f"{value:g}", "none", settings.origin(name)))
    return tuple(found)


def _list_replaced_urls(settings: Settings) -> Iterator[Override]:
    """Yield the sources that are asked at an address other than their own."""
    asked = dict.fromkeys((*choose_sources(settings), *choose_text_sources(settings)))
    names = [name for name in asked if name != SNAPSHOT] if settings.urls else []
    for kind in map(sources.find_source, names):
        shipped_urls = {kind.name: kind.profile.url, **kind.profile.further}
        for name, url in kind.find_urls(settings.urls).items():
            shipped = shipped_urls[name]
            if url.rstrip("/") != shipped.rstrip("/") and (name in settings.urls or name == kind.name):
                yield Override(f"urls.{name}", url, shipped, settings.origin_of_url(name))
