"""How many made-up venues `nonexistent_venue` finds, and how many real but rare ones it accuses.

    python -m bench.venues ../shared/data [--bib FOLDER]… [--made FILE]… [--held-back 0.2] [--weights FILE]

The registry is made of the venues of the works and of the abbreviation lists, but for the share that is held
back: those are the real but rare ones, next to the names in `--bib` folders that the registry does not have.
Made-up names come from the generators of `invented_venues.py` (with another seed than in training), from
HALLMARK's development split, from `invented_for_test.txt` (hand-written in another style than those of the
training), and from `--made` files, one a line. `--weights`:
another table than the shipped one, which was fitted with `train_venues --held-back 0.2`.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from bench import invented_venues, venue_samples
from citeproof.laboratory.measure.metrics import compute_wilson_interval
from citeproof.text.invented_name import NameWeights, list_traits, load_weights
from citeproof.text.venue_key import list_name_keys

_WORKSHOP = re.compile(r"\bworkshops?\b", re.IGNORECASE)
_OTHER_TONGUE = re.compile(
    r"[^\x00-\x7f–—’‘“”]|\b(?:der|die|das|und|für|fur|et|des|du|la|le|les|di|della|degli|y|el|los|del|de|do|da|dos"
    r"|e|i|w|v|na|za|van|voor|och|og)\b"
)
_ENGLISH = re.compile(r"\b(?:of|on|the|for|and|in|journal|review|conference)\b", re.IGNORECASE)
RARE = 5  # works of a venue that is rare


def main() -> None:
    """Measure and print."""
    args = _read_arguments()
    table = (
        msgspec.json.decode(args.weights.read_bytes(), type=NameWeights) if args.weights else load_weights()
    )
    limit = table.limit if args.limit is None else args.limit
    names = venue_samples.read_real_names(args.data)
    kept = [name for name in names if not venue_samples.is_held_back(name, args.held_back)]
    known = {key for name in kept for key in list_name_keys(name)}
    print(f"registry: {len(kept):,} names, {len(known):,} keys; limit {limit}")

    def accuse(name: str) -> bool:
        return known.isdisjoint(list_name_keys(name)) and table.score(name) >= limit

    print("\nmade up: found")
    for title, made in _list_made(args, [name for name in kept if name.isascii()]):
        _print_row(title, made, accuse)
    print("\nreal, not in the registry: accused")
    rare = set(venue_samples.read_real_names(args.data, RARE))
    held = [name for name in names if name in rare and venue_samples.is_held_back(name, args.held_back)]
    held = [name for name in held if known.isdisjoint(list_name_keys(name))]
    for title, real in _group_real(held):
        _print_row(title, real, accuse)
    for folder in args.bib:
        everything = venue_samples.read_bib_names(folder)
        unknown = [name for name in everything if known.isdisjoint(list_name_keys(name))]
        for title, real in _group_real(unknown):
            _print_row(f"{folder.name}: {title}", real, accuse)
        _print_row(f"{folder.name}: all venues", everything, accuse)
        if args.show:
            print("\n".join(f"    {name}" for name in unknown if accuse(name)))


def _list_made(args: argparse.Namespace, plain: list[str]) -> Iterator[tuple[str, list[str]]]:
    for path in [Path(__file__).with_name("invented_for_test.txt"), *args.made]:
        yield path.stem, [line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()]
    hallmark = args.data / "bench/hallmark_dev_public.jsonl"
    rows = [json.loads(line) for line in hallmark.read_text("utf-8").splitlines()]
    fields = [row["fields"] for row in rows if row.get("hallucination_type") == "nonexistent_venue"]
    yield "HALLMARK dev", sorted({one.get("booktitle") or one.get("journal") for one in fields})
    phrases = invented_venues.TitlePhrases(venue_samples.read_titles(args.data))
    for style, made in invented_venues.invent_all(args.seed, args.count, phrases, plain):
        yield f"generator: {style}", made


def _group_real(names: list[str]) -> Iterator[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {"workshops": [], "other languages": [], "national": [], "other": []}
    for name in names:
        groups[_find_group(name)].append(name)
    yield from groups.items()
    yield "all", names


def _find_group(name: str) -> str:
    if _WORKSHOP.search(name):
        return "workshops"
    if _OTHER_TONGUE.search(name) and not _ENGLISH.search(name):
        return "other languages"
    return "national" if "#nation" in list_traits(name) else "other"


def _print_row(title: str, names: list[str], accuse: Callable[[str], bool]) -> None:
    hits = sum(map(accuse, names))
    low, high = compute_wilson_interval(hits, len(names))
    share = hits / len(names) if names else 0.0
    print(f"  {title:<34} {hits:>5} of {len(names):>6} {share:7.2%}  [{low:.2%}, {high:.2%}]")


def _read_arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("data", type=Path)
    parser.add_argument("--bib", type=Path, action="append", default=[])
    parser.add_argument("--made", type=Path, action="append", default=[])
    parser.add_argument("--held-back", type=float, default=0.2)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--seed", type=int, default=99)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--show", action="store_true", help="list the real names that were accused")
    return parser.parse_args()


if __name__ == "__main__":
    main()
