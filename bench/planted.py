"""Real entries and the same entries with one planted error each, checked live in the loopback world.

    python -m bench.planted SNAPSHOT FILE.bib... [--count 400] [--seed 1] [--kinds KIND,...] [--offline]
                            [--show KIND] [--peers]

Every entry whose title, people and identifiers the world knows is checked as it is, and once more with one
error of the kinds below, in turn, or of KIND alone. Several registries answer. Printed, by kind: caught
(MINOR or MAJOR), NOTED, EXACT, undecided; and which entries are flagged that nobody touched: a person judges
those. `--peers` runs the other tools of `bench.peers` over the same items in the same world.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.peers import peer_items, peer_runs, peer_venues, peer_world
from bench.peers.peer_answers import PeerAnswer, read_answers

from bench import planting
from citeproof import settings
from citeproof.answers.fix.author_list_edits import split_name_list
from citeproof.answers.fix.bibtex_entry import LocatedEntry
from citeproof.answers.fix.formats.bibtex import VENUES
from citeproof.answers.fix.text_edits import TextEdit, apply_edits
from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import SnapshotHoldings, World
from citeproof.service.assemble import assemble
from citeproof.service.check_session import begin_check
from citeproof.text.title import make_title_key
from citeproof.text.venue_match import DIFFERS, match_venues, parse_venue
from citeproof.vocabulary import Checked, Document

SUBTITLES = (
    "An Empirical Study", "A Unified Framework", "Theory and Practice", "A Comprehensive Survey",
    "Methods and Applications", "A Critical Review", "Evidence from Large Corpora", "Beyond Scaling",
    "Towards Robust Evaluation",
)  # fmt: skip
GIVEN = ("Hannah", "Marek", "Xavier", "Leonie", "Tobias", "Beatrice", "Oskar", "Philippa", "Gregor", "Ulrika")
FAMILY = (
    "Lindqvist",
    "Marchetti",
    "Okafor",
    "Bergstrand",
    "Holloway",
    "Castellano",
    "Vorwerk",
    "Duvall",
    "Nakagawa",
)
LETTERS = "aeioulnrst"
_WORD = re.compile(r"(?<![\\{\w-])[A-Za-z][a-z]{4,}(?![\w}-])")


@dataclass(frozen=True, slots=True)
class PlantedItem:
    """One entry as it is checked; `kind` is the planted error, empty if there is none."""

    key: str
    kind: str
    text: str


class Planter:
    """Plants one error into an entry; what it draws from is the words and names of all entries."""

    def __init__(self, entries: Sequence[LocatedEntry], rng: random.Random) -> None:
        self.rng = rng
        self.words = sorted({w.lower() for e in entries for w in _WORD.findall(_read_field(e, "title"))})
        self.titles = [_read_field(e, "title") for e in entries]
        self.venues = sorted(
            {v for e in entries for name in VENUES if (v := _read_field(e, name)) and len(v) < 120}
        )

    def plant(self, entry: LocatedEntry, kind: str) -> str | None:
        """Return the text of the entry's file with the error in it; None if the kind does not fit."""
        edit = (KINDS | MORE_KINDS)[kind](self, entry)
        return None if edit is None else apply_edits(entry.text, [edit])

    def _edit(self, entry: LocatedEntry, name: str, new: Callable[[str], str | None]) -> TextEdit | None:
        field = entry.field(name)
        held = "" if field is None else entry.read_value(field)
        made = new(held) if held.strip() else None
        return (
            None if field is None or made is None or made == held else TextEdit(field.low, field.high, made)
        )

    def _people(
        self, entry: LocatedEntry, change: Callable[[list[str]], list[str] | None]
    ) -> TextEdit | None:
        def edit(held: str) -> str | None:
            names = [one.text for one in split_name_list(held, 0, len(held))]
            plain = all("others" not in name and "{" not in name[:1] for name in names)
            made = change(names) if len(names) > 1 and plain else None
            return " and ".join(made) if made else None

        return self._edit(entry, "author", edit)

    def _stranger(self) -> str:
        return f"{self.rng.choice(FAMILY)}, {self.rng.choice(GIVEN)}"

    def author_added(self, entry: LocatedEntry) -> TextEdit | None:
        return self._people(entry, lambda names: [*names, self._stranger()])

    def author_dropped(self, entry: LocatedEntry) -> TextEdit | None:
        return self._people(entry, lambda names: names[:1] + names[2:] if len(names) > 2 else None)

    def author_replaced(self, entry: LocatedEntry) -> TextEdit | None:
        return self._people(
            entry, lambda names: [names[0], self._stranger(), *names[2:]] if len(names) > 2 else None
        )

    def first_author_replaced(self, entry: LocatedEntry) -> TextEdit | None:
        return self._people(entry, lambda names: [self._stranger(), *names[1:]])

    def authors_swapped(self, entry: LocatedEntry) -> TextEdit | None:
        return self._people(entry, lambda names: [names[1], names[0], *names[2:]])

    def given_replaced(self, entry: LocatedEntry) -> TextEdit | None:
        def change(names: list[str]) -> list[str] | None:
            family, comma, given = names[0].partition(",")
            if not comma:
                *before, family = names[0].split()
                given = " ".join(before)
            if len(given.strip().rstrip(".")) < 3:
                return None
            other = self.rng.choice([name for name in GIVEN if name[0] != given.strip()[0]])
            return [f"{family.strip()}, {other}", *names[1:]]

        return self._people(entry, change)

    def family_letter(self, entry: LocatedEntry) -> TextEdit | None:
        def change(names: list[str]) -> list[str] | None:
            at = self.rng.randrange(len(names))
            comma = "," in names[at]
            family = names[at].partition(",")[0] if comma else names[at].split()[-1]
            if not family.isascii() or not family.isalpha() or len(family) < 5:
                return None
            place = self.rng.randrange(1, len(family))
            letter = self.rng.choice([x for x in LETTERS if x != family[place]])
            names[at] = names[at].replace(family, family[:place] + letter + family[place + 1 :], 1)
            return names

        return self._people(entry, change)

    def subtitle(self, entry: LocatedEntry) -> TextEdit | None:
        return self._edit(
            entry, "title", lambda t: None if ":" in t else f"{t.rstrip('.')}: {self.rng.choice(SUBTITLES)}"
        )

    def title_word(self, entry: LocatedEntry) -> TextEdit | None:
        return self._edit(entry, "title", lambda title: self._change_word(title, last=False))

    def title_last(self, entry: LocatedEntry) -> TextEdit | None:
        return self._edit(entry, "title", lambda title: self._change_word(title, last=True))

    def _change_word(self, title: str, *, last: bool) -> str | None:
        found = list(_WORD.finditer(title))
        if len(found) < 3 or (last and title[found[-1].end() :].strip(" .")):
            return None
        old = found[-1] if last else self.rng.choice(found[:-1])
        new = self.rng.choice([w for w in self.words if w[:3] != old[0].lower()[:3]])
        return title[: old.start()] + (new.capitalize() if old[0][0].isupper() else new) + title[old.end() :]

    def chimera(self, entry: LocatedEntry) -> TextEdit | None:
        def edit(title: str) -> str | None:
            other = self.rng.choice(self.titles).split()
            mine = title.split()
            return (
                " ".join(mine[: len(mine) // 2] + other[len(other) // 2 :])
                if min(len(mine), len(other)) > 5
                else None
            )

        return self._edit(entry, "title", edit)

    def year_far(self, entry: LocatedEntry) -> TextEdit | None:
        return self._year(entry, -self.rng.choice((4, 5, 6)))

    def year_one(self, entry: LocatedEntry) -> TextEdit | None:
        return self._year(entry, -1)

    def year_next(self, entry: LocatedEntry) -> TextEdit | None:
        return self._year(entry, 1)

    def _year(self, entry: LocatedEntry, by: int) -> TextEdit | None:
        return self._edit(
            entry, "year", lambda year: str(int(year) + by) if year.strip().isdecimal() else None
        )

    def venue(self, entry: LocatedEntry) -> TextEdit | None:
        name = next((name for name in VENUES if _read_field(entry, name)), "")
        if not name or "arxiv" in _read_field(entry, name).lower():
            return None
        held = _read_field(entry, name)
        others = [v for v in self.venues if match_venues(v, held).outcome == DIFFERS]
        others = [v for v in others if not parse_venue(v).preprint]
        return self._edit(entry, name, lambda _: self.rng.choice(others)) if others else None

    def doi_digit(self, entry: LocatedEntry) -> TextEdit | None:
        def edit(held: str) -> str | None:
            at = [m.start() for m in re.finditer(r"\d", held)]
            place = at[-1] if len(at) > 6 else -1
            return held[:place] + str((int(held[place]) + 3) % 10) + held[place + 1 :] if place > 0 else None

        return self._edit(entry, "doi", edit)


KINDS: dict[str, Callable[[Planter, LocatedEntry], TextEdit | None]] = {
    "author_added": Planter.author_added, "author_dropped": Planter.author_dropped,
    "author_replaced": Planter.author_replaced, "first_author_replaced": Planter.first_author_replaced,
    "authors_swapped": Planter.authors_swapped, "given_replaced": Planter.given_replaced,
    "family_letter": Planter.family_letter, "subtitle": Planter.subtitle, "title_word": Planter.title_word,
    "title_last": Planter.title_last, "chimera": Planter.chimera, "year_far": Planter.year_far,
    "year_one": Planter.year_one, "venue": Planter.venue, "doi_digit": Planter.doi_digit,
}  # fmt: skip
MORE_KINDS = {"year_next": Planter.year_next}  # not in turn: a note, by what people judged


def _read_field(entry: LocatedEntry, name: str) -> str:
    field = entry.field(name)
    return "" if field is None else " ".join(entry.read_value(field).split())


def make_items(
    files: Sequence[Path], snapshot: Snapshot, count: int, seed: int, kinds: Sequence[str] = tuple(KINDS)
) -> list[PlantedItem]:
    """Return each chosen entry twice: as it is, and with an error; the kinds come in turn."""
    entries = [one for path in files for one in peer_items.read_entries(path)]
    rng = random.Random(seed)
    rng.shuffle(entries)
    known = list(_select_known(entries, snapshot))
    planter, items, turn = Planter(known, rng), [], Counter[str]()
    for entry in known:
        fitting = sorted(kinds, key=lambda kind: (turn[kind], rng.random()))
        for kind in fitting:
            text = planter.plant(entry, kind)
            if text is not None:
                turn[kind] += 1
                name = f"p{len(items) // 2:04}"
                span = slice(entry.entry.start, entry.entry.end)
                grown = slice(entry.entry.start, entry.entry.end + len(text) - len(entry.text))
                items.append(
                    PlantedItem(f"{name}a", "", peer_items.rename_entry(entry.text[span], f"{name}a"))
                )
                items.append(PlantedItem(f"{name}b", kind, peer_items.rename_entry(text[grown], f"{name}b")))
                break
        if len(items) >= 2 * count:
            break
    return items


def _select_known(entries: Sequence[LocatedEntry], snapshot: Snapshot) -> Iterator[LocatedEntry]:
    seen: set[str] = set()
    for one in entries:
        record = planting.record_of(one.entry)
        key = make_title_key(record.title)
        if not one.sound or key in seen or peer_items.uses_macros(one) or len(record.authors) < 2:
            continue
        if peer_items.knows_title(snapshot, record.title) and peer_items.knows_identifiers(snapshot, record):
            seen.add(key)
            yield one


def check_items(
    items: Sequence[PlantedItem], world: World | None, snapshot: Path
) -> tuple[dict[str, Checked], float]:
    """Return what citeproof says of each item, and requests a reference; without a world, offline."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        environment = {
            "CITEPROOF_CACHE_DIR": str(place / "cache"),
            "CITEPROOF_LIMITS_DIR": str(place / "limits"),
        }
        if world is not None:
            environment |= world.environment() | {
                "CITEPROOF_PACE": "2000",
                "CITEPROOF_CONTACT": "bench@example.org",
            }
        else:
            environment |= {"CITEPROOF_OFFLINE": "1", "CITEPROOF_SNAPSHOT": str(snapshot)}
        before = len(world.log) if world else 0
        verifier = assemble(settings.load(environment=environment, folder=place))
        text = "\n".join(item.text for item in items)
        checked = {one.key: one for one in begin_check(verifier, [Document("planted.bib", text.encode())])}
        return checked, (len(world.log) - before) / len(items) if world else 0.0


def print_table(items: Sequence[PlantedItem], found: dict[str, str]) -> None:
    """Print, for each kind, how many have each label; what is missing is undecided."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        rows[item.kind or "untouched"][found.get(item.key, "none")] += 1
        rows["all planted" if item.kind else "untouched"][found.get(item.key, "none")] += bool(item.kind)
    names = ("MAJOR", "MINOR", "NOTED", "EXACT", "none")
    print(f"  {'':22} {'caught':>7} " + " ".join(f"{name:>6}" for name in names))
    for kind, row in sorted(rows.items()):
        caught = (row["MAJOR"] + row["MINOR"]) / row.total()
        print(f"  {kind:22} {caught:7.3f} " + " ".join(f"{row[name]:6}" for name in names))


def show_items(items: Sequence[PlantedItem], checked: dict[str, Checked], kind: str) -> None:
    """Print what was said of the missed items of one kind, or of untouched ones that were flagged."""
    for item in items:
        one = checked.get(item.key)
        if item.kind != ("" if kind == "untouched" else kind) or one is None:
            continue
        flagged = one.label in ("MINOR", "MAJOR")
        if flagged is (kind == "untouched"):
            print(f"--- {one.label} {one.verdict} {one.judgement.reasons}\n{item.text}    {one.explanation}")
            for note in one.judgement.notes:
                print(f"    note {note.field} {note.reason}: {note.claimed[:90]} | {note.resolved[:90]}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kinds", default=",".join(KINDS), help=f"as above, and {', '.join(MORE_KINDS)}; in turn"
    )
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--show", default="", help="a kind whose missed items are printed, or untouched")
    parser.add_argument("--peers", action="store_true")
    wanted = parser.parse_args()
    with Snapshot.open(wanted.snapshot) as snapshot:
        items = make_items(wanted.files, snapshot, wanted.count, wanted.seed, kinds=wanted.kinds.split(","))
        print(f"{len(items) // 2} entries, seed {wanted.seed}")
        if wanted.offline:
            checked, _ = check_items(items, None, wanted.snapshot)
        else:
            with World(SnapshotHoldings(snapshot)) as world:
                checked, requests = check_items(items, world, wanted.snapshot)
            print(f"citeproof: {requests:.2f} requests a reference")
        print_table(items, {key: str(one.label or "none") for key, one in checked.items()})
        if wanted.show:
            show_items(items, checked, wanted.show)
        if wanted.peers:
            _run_peers(items, snapshot)


def _run_peers(items: Sequence[PlantedItem], snapshot: Snapshot) -> None:
    folder = Path(".cache/peers").resolve()
    words = {PeerAnswer.FINE: "EXACT", PeerAnswer.ALARM: "MINOR", PeerAnswer.ACCUSED: "MAJOR"}
    venues = peer_venues.load_register(snapshot, folder)
    for tool in peer_runs.load_tools():
        programs, version = peer_runs.install(tool, folder)
        if programs is None:
            print(f"{tool.name}: {version}")
            continue
        bib = peer_runs.write_items(
            [item.text for item in items], folder / "runs" / f"{tool.name}-planted.bib"
        )
        with peer_world.make_world(snapshot, venues=venues, latency=0.0) as world:
            run = peer_runs.run_tool(
                tool, programs, bib, world, folder / "runs" / tool.name / "planted", pace=20.0
            )
        answers = read_answers(tool.reader, run, [item.key for item in items])
        print(f"{tool.name} {version}: {sum(run.requests.values()) / len(items):.2f} requests a reference")
        print_table(items, {key: words.get(answer, "none") for key, answer in answers.items()})


if __name__ == "__main__":
    main()
