"""The evaluation of the CITECHECK paper by `citeproof bench`, with a scripted language model on loopback.

    python -m bench.second_document REAL_CITATIONS.jsonl [PART...] [--folder FOLDER]

The works are the records of REAL_CITATIONS (`bench/real_citations.jsonl`); a benchmark is made from them by
the paper's recipe. The registries, the search engine and the model are a loopback world. Each PART is shown
by the commands that a person would write:

- thresholds: the model's scores on the development split, and the best pair of thresholds, without new calls
- recorded: the test split twice; the second run takes the stored answers and asks nobody
- ablations: one part of the engine switched off at a time
- baselines: the model by itself, without and with 27 examples
- timing: the paper's tables of latency, the route and its early exits, registries first and web first
- plots: reliability, risk and coverage, figures, confusion
- worlds: macro-F1 of the closed and of the open world, a quarter of the works left out
- slips: one letter of a name, and a year off by one either way, live
- audit: a benchmark by CiteAudit's recipe (the fifth document)

The model compares strings and knows half of the works by heart: its figures say nothing about real models.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz
from tests.model_servers import ModelCall, ModelTurn, make_model_apis

from citeproof.evidence.index.snapshot import Snapshot
from citeproof.laboratory.testing import Shelf, SnapshotHoldings, World

MODEL = "openai:scripted"
HELD_OUT = 0.25
_TEXT = re.compile(r'^\{"label":"(?P<label>[^"]+)","text":"(?P<text>(?:[^"\\]|\\.)*)"', re.MULTILINE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


class ScriptedModel:
    """Scores a citation by how alike the strings are; by itself it knows every second title by heart."""

    def __init__(self, titles: list[str]) -> None:
        self.known = titles[::2]
        self.calls = 0

    def __call__(self, call: ModelCall) -> ModelTurn:
        self.calls += 1
        texts = {m["label"]: json.loads(f'"{m["text"]}"') for m in _TEXT.finditer(call.user)}
        score = self._recall(texts) if "found_evidence" in call.schema["properties"] else compare(texts)
        label = "exact" if score >= 8.5 else "minor" if score >= 4 else "major"
        said: dict[str, Any] = {
            "score": score, "label": label, "classification": label, "confidence": "high",
            "rationale": "alike", "reasoning": "alike", "verdict": "uncertain", "found_evidence": False,
            "differences": list_differences(texts),
        }  # fmt: skip
        return ModelTurn(json.dumps({k: v for k, v in said.items() if k in call.schema["properties"]}))

    def _recall(self, texts: dict[str, str]) -> float:
        cited = next(text for label, text in texts.items() if "classify" in label)
        return max(fuzz.partial_ratio(title.lower(), cited.lower()) for title in self.known) / 10


def compare(texts: dict[str, str]) -> float:
    """Return a generous score from 0 to 10: title, people and year, as far as both sides have them."""
    pairs = [
        (texts.get(f"cited {name}"), texts.get(f"record {name}")) for name in ("title", "authors", "year")
    ]
    ratios = [fuzz.token_set_ratio(cited, known) for cited, known in pairs if cited and known]
    return round(sum(ratios) / len(ratios) / 10, 2) if ratios else 5.0


def list_differences(texts: dict[str, str]) -> list[dict[str, str]]:
    both = [(name, texts.get(f"cited {name}"), texts.get(f"record {name}")) for name in ("title", "year")]
    return [{"field": n, "cited": c, "record": r} for n, c, r in both if c and r and c != r]


class Evaluation:
    """A folder, a world, and the commands that are run in it; each is printed before its output."""

    def __init__(self, folder: Path, variables: dict[str, str], model: ScriptedModel) -> None:
        self.folder, self.variables, self.model = folder, variables, model

    def run(self, *words: str, show: Callable[[str], bool] = bool, **more: str) -> None:
        asked = self.model.calls
        variables = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **self.variables, **more}
        done = subprocess.run(
            [sys.executable, "-m", "citeproof", *words], cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=variables, check=False,
        )  # fmt: skip
        if done.returncode not in (0, 1):
            raise SystemExit(done.stdout)
        shown = [line for line in done.stdout.splitlines() if show(line)]
        if shown:
            print("$ citeproof", *words)
            print("\n".join(shown), f"the model was asked {self.model.calls - asked} times\n", sep="\n")

    def check(self, items: str, answers: str, **more: str) -> None:
        flags = ("--snapshot", "closed", "--llm", MODEL, "--answers", answers, "--draws", "100")
        self.run("bench", "run", items, *flags, show=is_figure, **more)

    def thresholds(self) -> None:
        self.check("dev.jsonl", "dev.answers.jsonl")
        self.run("bench", "tune", "--llm", MODEL, "dev.answers.jsonl")
        self.check("test.jsonl", "tuned.answers.jsonl")
        self.run("bench", "tune", "--forget")

    def recorded(self) -> None:
        self.check("test.jsonl", "test.answers.jsonl")
        self.check("test.jsonl", "test.answers.jsonl", CITEPROOF_LLM_URL="http://127.0.0.1:9")

    def ablations(self) -> None:
        flags = ("--sources", "default,web", "--memory", "memory", "--llm", MODEL, "--draws", "20")
        self.run("bench", "ablate", "test.jsonl", *flags)

    def baselines(self) -> None:
        for shots in ("0", "27"):
            flags = ("--shots", shots, "--examples", "dev.jsonl", "--answers", f"baseline-{shots}.csv")
            self.run("bench", "baseline", "test.jsonl", "--llm", MODEL, *flags, show=is_figure)
        self.check("test.jsonl", "ours.answers.jsonl")
        named = {
            "citeproof": "ours.answers.jsonl",
            "zero-shot": "baseline-0.csv",
            "few-shot": "baseline-27.csv",
        }
        systems = [word for name, file in named.items() for word in ("--system", f"{name}={file}")]
        self.run("bench", "compare", "test.jsonl", *systems, "--draws", "100", show=is_figure)

    def timing(self) -> None:
        items = [
            json.loads(line) for line in (self.folder / "test.jsonl").read_text("utf-8").splitlines()[:30]
        ]
        cited = [f"[{n}] {item['corrupted']}\n" for n, item in enumerate(items, 1)]
        (self.folder / "items.txt").write_text("\n".join(["References", "", *cited]), "utf-8")
        classes = {str(n): item["label"] for n, item in enumerate(items, 1)}
        (self.folder / "classes.json").write_text(json.dumps(classes), "utf-8")
        for route in ("registries-first", "web-first"):
            flags = ("--sources", "default,web", "--route", route, "--classes", "classes.json")
            self.run("bench", "latency", "items.txt", *flags, CITEPROOF_CACHE_DIR=str(self.folder / route))

    def plots(self) -> None:
        self.check("test.jsonl", "plotted.answers.jsonl")
        for kind in ("bars", "reliability", "risk", "confusion"):
            self.run("bench", "plot", "plotted.answers.jsonl", "--kind", kind, "-o", f"{kind}.svg")
            print((self.folder / f"{kind}.svg").read_text("utf-8")[:4], f"{kind}.svg\n")

    def worlds(self) -> None:
        for world in ("closed", "open"):
            flags = ("--snapshot", world, "--offline", "--fresh", "--draws", "100")
            self.run("bench", "run", "test.jsonl", *flags, show=is_figure)

    def slips(self) -> None:
        entries = (self.folder / "all.bib").read_text("utf-8").split("\n@")
        entry = next(f"@{one}" for one in entries if "Curriculum Adversarial Training" in one)
        _, _, fields = entry.partition(",")
        year = int(_YEAR.search(entry[entry.index("year") :])[0])
        slips = {"letter": ("Dawn Song", "Dawn Sang")}
        slips |= {k: (f"{{{year}}}", f"{{{year + n}}}") for k, n in {"later": 1, "earlier": -1}.items()}
        made = [f"@article{{{key},{fields.replace(*change)}" for key, change in slips.items()]
        (self.folder / "slips.bib").write_text("".join(made), "utf-8")
        self.run("check", "slips.bib", "--notes")
        self.run("check", "slips.bib", "--fail-on", "noted", "--summary")

    def audit(self) -> None:
        made = ("--from", "bibtex", "all.bib", "--count", "80", "--seed", "1", "-o", "audit.jsonl")
        self.run("bench", "make", "citeaudit", *made)
        self.run("bench", "run", "audit.jsonl", "--snapshot", "closed", "--offline", "--draws", "100")


PARTS = ("thresholds", "recorded", "ablations", "baselines", "timing", "plots", "worlds", "slips", "audit")
SHOWN = (
    "macro-F1  ",
    "F1 EXACT",
    "F1 MINOR",
    "F1 MAJOR",
    "F1 of fake",
    "snapshot",
    "dev.jsonl: sha",
    "test.jsonl: sha",
)


def is_figure(line: str) -> bool:
    return line.startswith(SHOWN)


def write_works(source: Path, folder: Path) -> list[str]:
    """Write all works, and those of the open world, as BibTeX; return the titles."""
    rows = [json.loads(line)["record"] for line in source.read_text("utf-8").splitlines()]
    known = {r["title"]: r for r in rows if r and r.get("authors") and r.get("year") and len(r["title"]) > 25}
    held = {title for title in known if int(sha256(title.encode()).hexdigest()[:8], 16) < HELD_OUT * 16**8}
    entries = {title: _format_work(n, record) for n, (title, record) in enumerate(sorted(known.items()))}
    (folder / "all.bib").write_text("\n".join(entries.values()), "utf-8")
    left = (entry for title, entry in entries.items() if title not in held)
    (folder / "open.bib").write_text("\n".join(left), "utf-8")
    return list(entries)


def _format_work(number: int, record: dict[str, Any]) -> str:
    names = " and ".join(record["authors"])
    fields = {"title": f"{{{record['title']}}}", "author": names, "year": record["year"]}
    fields |= {"journal": record.get("venue"), "doi": record.get("doi") or f"10.5555/second.{number}"}
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@article{{w{number},\n{body}}}\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("works", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--folder", type=Path, help="where benchmark, answers and plots are kept")
    wanted = parser.parse_args()
    if unknown := set(wanted.parts) - {*PARTS}:
        parser.error(f"unknown: {', '.join(unknown)}; the parts are {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory() as fresh:
        folder = wanted.folder or Path(fresh)
        folder.mkdir(exist_ok=True)
        model = ScriptedModel(write_works(wanted.works, folder))
        evaluation = Evaluation(folder, {"HOME": str(folder), "CITEPROOF_OFFLINE": "0"}, model)
        quiet = {"show": lambda _: False}
        for name, covers in (("closed", ("--covers", "all")), ("open", ())):
            works = "all.bib" if covers else "open.bib"
            evaluation.run("index", "build", "--from", "bibtex", works, "--out", name, *covers, **quiet)
        for part, items in (("1/2", "dev.jsonl"), ("2/2", "test.jsonl")):
            made = ("--from", "bibtex", "all.bib", "--form", "text", "--count", "90", "--part", part)
            evaluation.run("bench", "make", "citecheck", *made, "-o", items)
        with (
            Snapshot.open(folder / "closed") as snapshot,
            World(SnapshotHoldings(snapshot)) as world,
            World(Shelf(), apis=make_model_apis(model)) as models,
        ):
            urls = {"LLM_URL": models.urls["openai"], "SEARXNG_URL": world.urls["searxng"]}
            told = urls | {"LLM_KEY": "none", "LLM_PRICE": "1/2", "PACE": "1000", "LLM_MAX_DOLLARS": "10"}
            evaluation.variables |= world.environment() | {f"CITEPROOF_{k}": v for k, v in told.items()}
            for part in wanted.parts or PARTS:
                print(f"== {part}\n")
                getattr(evaluation, part)()


if __name__ == "__main__":
    main()
