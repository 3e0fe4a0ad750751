"""How long a bibliography takes when registries are as slow as the CITECHECK paper measured them.

    python -m bench.latency SNAPSHOT [--references 60] [--only mixed,with_ids,without_ids] [--without-delays]
                                     [--peers FOLDER] [--tools bibtex-updater,…] [--rounds 1]

The loopback world serves the works of SNAPSHOT with the paper's mean latencies (Crossref 2.2 s, Semantic
Scholar 0.26 s, OpenAlex 1.0 s, arXiv 3.2 s) and the real rates of every source. Bibliographies of 60 works
are checked with an empty cache and no snapshot. Printed: the paper's four tables, seconds a reference
against its 5.70 s for structured sources, requests a reference, and the busiest second of every source
against its published rate. With --peers the tools of `bench.peers` that others measured against us are
installed in FOLDER, and check the same mixed bibliography with the same delays; citeproof does, too.
Seconds of processor time, the start of the program included, stand beside. With --without-delays answers
come at once, so that the pauses of each tool are the time. --tools names the peers to run, --rounds how many
times all of them run in turn.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from citeproof import settings
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.evidence.sources import base as sources
from citeproof.laboratory.measure.retrieval_latency import Stopwatch, build_latency_tables, format_tables
from citeproof.laboratory.testing import SnapshotHoldings, World
from citeproof.plumbing.clock import SystemClock
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.vocabulary import Document, Record

PAPER = 5.70  # seconds a reference for structured sources, Table 8
LATENCY = {"crossref": 2.2, "semantic_scholar": 0.26, "openalex": 1.0, "arxiv": 3.2}
KINDS = ("mixed", "with_ids", "without_ids")
PEERS = ("paper-preflight", "bibtex-updater", "citecheck-refs", "academic-refchecker")
SEED = 11


def works(snapshot: Snapshot, count: int, kind: str) -> list[tuple[Record, bool]]:
    """Return works to cite, each with whether its identifier is cited."""
    rng = random.Random(SEED)
    chosen: list[tuple[Record, bool]] = []
    while len(chosen) < count:
        record = snapshot.record_at(rng.randrange(snapshot.manifest.records))
        first = record.versions[0] if record.versions else None
        if not (record.authors and len(record.title) > 25 and first and first.year and first.venue):
            continue
        named = any(scheme in ("doi", "arxiv", "pmid") for scheme, _ in record.ids.pairs)
        cited = named and {"mixed": len(chosen) % 3 > 0, "with_ids": True, "without_ids": False}[kind]
        if kind == "with_ids" and not named:
            continue
        chosen.append((record, cited))
    return chosen


def entry(number: int, record: Record, *, with_id: bool) -> str:
    """Return one work as a BibTeX entry."""
    first = record.versions[0]
    people = " and ".join(f"{a.family}, {a.given}" if a.given else f"{{{a.family}}}" for a in record.authors)
    fields = {"title": record.title, "author": people, "year": first.year, "journal": first.venue}
    for scheme, field in (("doi", "doi"), ("arxiv", "eprint"), ("pmid", "pmid")):
        if with_id and record.ids.first(scheme):
            fields[field] = record.ids.first(scheme)
            break
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@article{{r{number},\n{body}}}\n"


def run(snapshot: Snapshot, count: int, kind: str, delays: Mapping[str, float]) -> float:
    """Check one bibliography; print everything; return seconds a reference."""
    cited = works(snapshot, count, kind)
    text = "\n".join(entry(n, record, with_id=with_id) for n, (record, with_id) in enumerate(cited))
    clock = SystemClock()
    watch = Stopwatch(clock)
    with tempfile.TemporaryDirectory() as folder, World(SnapshotHoldings(snapshot), latency=delays) as world:
        chosen = settings.load(
            environment={
                **world.environment(),
                "CITEPROOF_CACHE_DIR": f"{folder}/cache",
                "CITEPROOF_LIMITS_DIR": f"{folder}/limits",
                "CITEPROOF_CONTACT": "bench@example.org",
            },
            folder=Path(folder),
        )
        verifier = assemble(chosen, clock=clock, observer=watch)
        started = time.perf_counter()
        checked = list(begin_check(verifier, [Document("bench.bib", text.encode())]))
        seconds = (time.perf_counter() - started) / count
        print(
            f"\n=== {kind}: {count} references, {sum(with_id for _, with_id in cited)} with an identifier\n"
        )
        print(format_tables(build_latency_tables(list(watch.timed.values()))))
        labels = Counter(str(c.judgement.label or "unchecked") for c in checked)
        requests = Counter(seen.api for seen in world.log)
        print(f"\nlabels {dict(labels)}; requests {dict(requests)}")
        print(f"{seconds:.3f} s a reference: {seconds / PAPER:.3f} of the paper's {PAPER} s")
        print(f"{sum(requests.values()) / count:.2f} requests a reference")
        print_paces(world, requests)
    return seconds


def print_paces(world: World, requests: Counter[str], pace_of_run: float = 1.0) -> None:
    """Print the busiest second of each registry and what it publishes, with pauses that much shorter."""
    for api in sorted(requests):
        name = {"dblp_sparql": "dblp", "wayback": "url"}.get(api, api)
        profile = sources.find_source(name).profile
        lists = profile.lanes.get("list")
        pace = world.requests_within(api, max(profile.rate.seconds, 1.0))
        limit = pace_of_run * profile.rate.requests * max(1.0, 1.0 / profile.rate.seconds)
        told = f", lists {lists.requests:g} a second" if lists else ""
        window = max(profile.rate.seconds, 1.0)
        print(
            f"  {api}: at most {pace.requests} in {window:g} s (published {limit:g}{told}),"
            f" {pace.at_once} at once (published {profile.rate.at_once})"
        )


def run_peers(
    snapshot: Snapshot, count: int, folder: Path, delays: Mapping[str, float], names: Collection[str]
) -> None:
    """Print how long each tool takes for the mixed bibliography, one after the other."""
    from bench.peers import peer_runs, peer_venues, peer_world  # noqa: PLC0415 - of a checkout, for --peers

    texts = [
        entry(n, record, with_id=with_id)
        for n, (record, with_id) in enumerate(works(snapshot, count, "mixed"))
    ]
    bib = peer_runs.write_items(texts, folder / "mixed.bib")
    venues = peer_venues.load_register(snapshot, folder)
    for tool in (peer_runs.OURS, *(tool for tool in peer_runs.load_tools() if tool.name in names)):
        programs, problem = (Path(), "") if tool is peer_runs.OURS else peer_runs.install(tool, folder)
        if programs is None:
            print(f"{tool.name}: not installed ({problem})", flush=True)
            continue
        with peer_world.make_world(snapshot, latency=0.0, venues=venues) as world:
            for api, seconds in delays.items():
                world.set(api, latency=seconds)
            done = peer_runs.run_tool(tool, programs, bib, world, folder / "runs" / tool.name, pace=1.0)
        asked = sum(done.requests.values()) / count
        print(
            f"{tool.name}: {done.seconds:.1f} s, {done.cpu:.1f} s of CPU, {asked:.2f} requests a reference,"
            f" exit {done.code}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--references", type=int, default=60)
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--peers", type=Path, metavar="FOLDER")
    parser.add_argument("--tools", default=",".join(PEERS), help="peers to run with --peers")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--without-delays", action="store_true")
    options = parser.parse_args()
    delays = {} if options.without_delays else LATENCY
    with Snapshot.open(options.snapshot) as snapshot:
        for kind in filter(None, options.only.split(",")):
            run(snapshot, options.references, kind, delays)
        if options.peers:
            options.peers.mkdir(parents=True, exist_ok=True)
            for _ in range(options.rounds):
                run_peers(snapshot, options.references, options.peers, delays, options.tools.split(","))


if __name__ == "__main__":
    main()
