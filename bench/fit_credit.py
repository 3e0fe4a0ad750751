"""Make the table of `compare/credit.toml`: how likely a difference is the citation's fault, from counts.

    python -m bench.fit_credit DATA --snapshot DIR [--write]

DATA holds `records/same_work.jsonl.zst`, `recordings/` and `wild/`. Counted are, for each pattern:

cited     how often citations err so: what people judged by hand (`judged_differences.toml`)
erred     how often records of one version differ so; half of it, because nobody knows which of two errs
varied    how often a preprint and its publication differ so
judged    how often the citation was wrong where it differs so (`wild/judged.jsonl`, checked again)

The probability is cited / (cited + erred + varied), with all of `varied` where another version is cited and
half of it where it is open which one. Then what was judged corrects it: STRENGTH verdicts count as much
as the rates. `[assumed]` in `judged_differences.toml` stands for what was seen too seldom for a rate.
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import permutations
from pathlib import Path
from typing import Any

import zstandard
from bench.recorded_works import cite_record, read_bodies, read_records

import citeproof
from citeproof.judgement.compare import credit
from citeproof.judgement.compare.credit_table import load_credit_table, name_origin, rate_source
from citeproof.judgement.compare.difference_case import DifferenceCase
from citeproof.judgement.compare.record_comparison import RecordComparison
from citeproof.judgement.compare.version_relation import VersionRelation, relate_to_version
from citeproof.settings import Settings
from citeproof.text import names
from citeproof.text.title import make_title_key
from citeproof.vocabulary import CONVICTS, Claimed, Comparison, Ids, Kind, Outcome, Record, Reference, Version

TABLE = Path(credit.__file__).with_name("credit.toml")
BY_HAND = Path(__file__).with_name("judged_differences.toml")
TODAY = date(2026, 11, 1)
STRENGTH = 4  # verdicts that count as much as the rates
SEEN = 6  # differences between records, in both directions, from which their rate is one
LEAST = 0.05
RATED = ("authors", "title", "year")  # two records that name two venues are of two versions
LISTS = {"dblp": "dblp", "acl": "acl_anthology", "venue": "mlresearch"}
MEMBERS = ("same", "open", "own", "preprint", "other")
SHARE = {"same": 0.0, "open": 0.5, "own": 0.5, "preprint": 1.0, "other": 1.0}  # of what versions explain
LONG = 20  # letters of a title that names one work
Pattern = tuple[str, str]  # field, name


@dataclass(slots=True)
class Rate:
    """How often something was seen, of how many."""

    seen: float = 0.0
    of: int = 0

    @property
    def value(self) -> float:
        return self.seen / self.of if self.of else 0.0


@dataclass(slots=True)
class CreditCounts:
    """All that the table rests on."""

    cited: dict[Pattern, Rate] = field(default_factory=lambda: defaultdict(Rate))
    erred: Counter[Pattern] = field(default_factory=Counter)
    varied: Counter[Pattern] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)  # ordered pairs of records: "same", "other"
    judged: dict[tuple[str, str, str, bool], float] = field(  # field, pattern, member, right
        default_factory=lambda: defaultdict(float)
    )
    worth: Counter[tuple[str, str, bool]] = field(
        default_factory=Counter
    )  # field, what a source is worth, right


# --- counting ------------------------------------------------------------------------------------


def name_patterns(reference: Reference, record: Record) -> dict[str, str]:
    """Return the pattern of each field in which a citation differs from a record."""
    found = RecordComparison(reference, record).compare_fields((), None, TODAY, closed=False)
    by_field = {c.field: c for c in found}
    differing = [c for c in found if c.outcome is Outcome.DIFFERS]
    if not differing:
        return {}
    member = relate_to_version(reference, record, (), by_field, closed=False)
    case = DifferenceCase(reference, record, (), by_field, member, None, closed=False)
    return {c.field: str(case.name_pattern(c)) for c in differing}


def count_lists(path: Path, counts: CreditCounts) -> None:
    """Count how lists of one publication differ."""
    with zstandard.open(path, "rt") as lines:
        for line in lines:
            rows = json.loads(line)
            for a, b in permutations(map(_make_listed, rows), 2):
                if a.source == b.source:
                    continue
                counts.pairs["same"] += 1
                version = a.versions[0]
                cited = Claimed(title=a.title, authors=a.authors, year=version.year, venue=version.venue)
                counts.erred.update(name_patterns(Reference("k", "", Kind.ARTICLE, cited), b).items())


def _make_listed(row: Mapping[str, Any]) -> Record:
    people, _ = names.split_names(" and ".join(row["a"]))
    version = Version(row.get("y"), row.get("v"))
    return Record(LISTS[row["s"]], "", (row["t"],), people, versions=(version,), kind=Kind.ARTICLE)


def count_recordings(folder: Path, counts: CreditCounts) -> None:
    """Count how registries' answers differ, of one version and of a preprint and its publication."""
    for records in _group_recordings(folder):
        for a, b in permutations({name_origin(r): r for r in records}.values(), 2):
            published = [{v for v in r.ids.all("doi") if not v.startswith("10.48550")} for r in (a, b)]
            posted = "authors" in (name_origin(a), name_origin(b))
            if not published[0] & published[1] and not posted:
                continue  # of which version each is, nobody knows
            which = "same" if published[0] & published[1] else "other"
            counts.pairs[which] += 1
            cited = replace(cite_record(a), ids=Ids(()), et_al=False)
            found = name_patterns(Reference("k", "", Kind.ARTICLE, cited), b)
            (counts.erred if which == "same" else counts.varied).update(found.items())


def _group_recordings(folder: Path) -> Iterable[list[Record]]:
    """Return the records of each work that registries of several origins were recorded with."""
    groups: dict[object, list[Record]] = {}
    for registry, body in read_bodies(folder):
        for record in read_records(registry, body):
            keys = [pair for pair in record.ids.pairs if pair[0] in ("doi", "arxiv", "pmid")]
            key = make_title_key(record.title)
            group = [record]
            for one in [*keys, *([key] if len(key) >= LONG else [])]:
                known = groups.get(one, group)
                if known is not group:
                    known.extend(r for r in group if r not in known)
                    group = known
            for one in [*keys, key]:
                groups[one] = group
    return {id(group): group for group in groups.values() if record_origins(group) > 1}.values()


def record_origins(records: Iterable[Record]) -> int:
    return len({name_origin(record) for record in records})


def count_judged(folder: Path, snapshot: Path, counts: CreditCounts) -> None:
    """Count what people judged, by the pattern and the relation that the entry has today."""
    settings = Settings(snapshots=(snapshot,), offline=True)
    for row in map(json.loads, (folder / "judged.jsonl").read_text("utf-8").splitlines()):
        fields = {reason.partition(":")[0] for reason in row["reasons"] if ":" in reason}
        document = citeproof.Document("entry.bib", row["entry"].encode())
        if row["judge"] in ("unsure", "wrong-parse", "wrong-match", "wrong"):
            continue  # says nothing about differences between a citation and the record of its work
        for checked in citeproof.check(document, settings=settings).references[:1]:
            matched = checked.judgement.matched
            differing = [c for c in matched.comparisons if c.outcome is Outcome.DIFFERS] if matched else []
            for c in differing:
                if c.field in fields and matched is not None:
                    by_field = {one.field: one for one in matched.comparisons}
                    _count_verdict(
                        checked.reference, matched.record, by_field, c, row["judge"] == "right", counts
                    )


def _count_verdict(
    reference: Reference, record: Record, found: Mapping[str, Comparison], difference: Comparison,
    right: bool, counts: CreditCounts,
) -> None:  # fmt: skip
    member = relate_to_version(reference, record, (), found, closed=False)
    case = DifferenceCase(reference, record, (), found, member, None, closed=False)
    worth = rate_source(record)
    name = str(case.name_pattern(difference))
    if worth in ("good", "fair"):
        counts.judged[difference.field, name, member.value, right] += 1
    if member in (VersionRelation.SAME, VersionRelation.OPEN):
        counts.worth[difference.field, worth, right] += 1


def count_by_hand(counts: CreditCounts) -> dict[str, Any]:
    """Count what the table of verdicts says, each verdict once: divided among its patterns and relations."""
    table = tomllib.loads(BY_HAND.read_text("utf-8"))
    for row in table["cited"]:
        keys = [(row["field"], name) for name in row["patterns"]]
        known = {key: 1 + sum(counts.judged[*key, member, True] for member in MEMBERS) for key in keys}
        for key in keys:
            counts.cited[key] = Rate(row["right"] * known[key] / sum(known.values()), table["decided"])
    seen = dict(counts.judged)
    for row in table["judged"]:
        for name in row["patterns"]:
            assumed, key = table["assumed"][row["field"]][name], (row["field"], name)
            accused = [m for m in MEMBERS if isinstance(assumed, dict) and assumed.get(m, 0) >= CONVICTS]
            members = row.get("members", accused or ("same",))
            known = {m: 1 + seen.get((*key, m, True), 0) + seen.get((*key, m, False), 0) for m in members}
            for member in members:
                share = known[member] / sum(known.values()) / len(row["patterns"])
                counts.judged[*key, member, True] += share * row["right"]
                counts.judged[*key, member, False] += share * row["wrong"]
    return table


# --- fitting -------------------------------------------------------------------------------------


def fit_row(
    key: Pattern, assumed: float | Mapping[str, float], counts: CreditCounts
) -> tuple[float | dict[str, float], str]:
    """Return the probability, for each relation to the cited version if it matters, and what made it."""
    cited, erred, varied = counts.cited[key], counts.erred[key], counts.varied[key]
    rated = key[0] in RATED and cited.seen >= 1 and max(erred, varied) >= SEEN
    compared = rated and varied >= SEEN
    verdicts = {m: (counts.judged[*key, m, True], counts.judged[*key, m, False]) for m in MEMBERS}
    told = [f"{m} {right:.3g}:{wrong:.3g}" for m, (right, wrong) in verdicts.items() if right + wrong]
    shown = [f"cited {cited.seen:.2g}", f"erred {erred / 2:g}"] if rated else ["assumed"]
    shown += [f"varied {varied}"] if compared else ["varied assumed"] if rated else []
    comment = ", ".join([*shown, *(["judged " + " ".join(told)] if told else [])])
    if isinstance(assumed, float):
        right, wrong = (sum(verdicts[m][at] for m in MEMBERS) for at in (0, 1))
        return correct_chance(assumed, right, wrong), comment
    row = {}
    for member in MEMBERS:
        begin = assumed.get(member, assumed["preprint"])
        if rated:
            version = SHARE[member] * varied / counts.pairs["other"] / cited.value
            if not compared:
                version = 1 / begin - 1 / assumed["same"]
            begin = 1 / (1 + erred / 2 / counts.pairs["same"] / cited.value + version)
        row[member] = correct_chance(begin, *verdicts[member])
    strength = {m: STRENGTH + sum(verdicts[m]) for m in MEMBERS}
    return level_chances(row, strength), comment


def correct_chance(begin: float, right: float, wrong: float) -> float:
    """Return a probability after verdicts."""
    return max(LEAST, round((right + STRENGTH * begin) / (right + wrong + STRENGTH), 2))


def level_chances(row: Mapping[str, float], strength: Mapping[str, float]) -> dict[str, float]:
    """Return the row without rises: where a version further off has more, both get their mean."""
    blocks: list[tuple[list[str], float, float]] = []
    for member in MEMBERS:
        block = [member], row[member], strength[member]
        while blocks and blocks[-1][1] < block[1]:
            names_before, value, weight = blocks.pop()
            total = weight + block[2]
            block = [*names_before, *block[0]], (value * weight + block[1] * block[2]) / total, total
        blocks.append(block)
    return {member: round(value, 2) for members, value, _ in blocks for member in members}


def fit_trust(table: Mapping[str, Any], counts: CreditCounts) -> dict[str, tuple[float, str]]:
    """Return what the word of a careless list is worth, and what is left of a doubt after a witness."""
    careless = table["careless"]
    poor = careless["poor"]["right"] / careless["poor"]["of"]
    poor /= careless["other"]["right"] / careless["other"]["of"]
    good, several = (
        [counts.worth[name, worth, right] for right in (True, False) for name in ("authors", "title")]
        for worth in ("good", "mixed")
    )
    share = sum(good[:2]) / sum(good)
    mixed = (sum(several[:2]) + STRENGTH * poor * share) / (sum(several) + STRENGTH) / share
    seen = table["witnessed"]
    alone = (seen["wrong"] + 0.5) / (seen["right"] + seen["wrong"] + 1)
    told = f"right {careless['poor']['right']} of {careless['poor']['of']}"
    others = f"others {careless['other']['right']} of {careless['other']['of']}"
    counted = f"right {sum(several[:2])} of {sum(several)}, good ones {sum(good[:2])} of {sum(good)}"
    found = {
        "trust.poor": (poor, f"{told}, {others}"),
        "trust.mixed": (mixed, counted),
        "witness.good": (alone, f"right {seen['right']} of {seen['right'] + seen['wrong']}"),
    }
    for worth, value in (("fair", load_credit_table().trust["fair"]), ("poor", poor), ("mixed", mixed)):
        found[f"witness.{worth}"] = (1 - value * (1 - alone), f"as trust.{worth}")
    return {name: (round(value, 2), told) for name, (value, told) in found.items()}


# --- writing -------------------------------------------------------------------------------------


def write_table(text: str, table: Mapping[str, Any], counts: CreditCounts) -> str:
    """Return the text of the table with every fitted number in its place, and its counts behind it."""
    trust, section, lines = fit_trust(table, counts), "", []
    for line in text.splitlines():
        if head := re.fullmatch(r"\[(\w+)\]", line):
            section = head[1]
        name = line.partition(" = ")[0]
        assumed = table["assumed"].get(section, {})
        if f"{section}.{name}" in trust:
            value, told = trust[f"{section}.{name}"]
            lines.append(f"{name} = {value:.2f}  # {told}")
        elif section in table["assumed"] and " = " in line:
            row, told = fit_row((section, name), assumed[name], counts)
            lines.append(f"{name} = {_show_row(row)}  # {told}")
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def _show_row(row: float | Mapping[str, float]) -> str:
    if isinstance(row, float):
        return f"{row:.2f}"
    return "{ " + ", ".join(f"{member} = {row[member]:.2f}" for member in MEMBERS) + " }"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--snapshot", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name} instead of printing it")
    wanted = parser.parse_args()
    counts = CreditCounts()
    count_lists(wanted.data / "records" / "same_work.jsonl.zst", counts)
    count_recordings(wanted.data / "recordings", counts)
    count_judged(wanted.data / "wild", wanted.snapshot, counts)
    table = count_by_hand(counts)
    text = write_table(TABLE.read_text("utf-8"), table, counts)
    pairs = f"{counts.pairs['same']:,} pairs of records of one version, {counts.pairs['other']} of two"
    text = re.sub(r"(?m)^# Of [\d,]+ pairs.*$", f"# Of {pairs}; {table['decided']:,} citations.", text)
    if wanted.write:
        TABLE.write_text(text, "utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
