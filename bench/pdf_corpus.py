"""PDFs of papers with known references, typeset by real programs from real records.

    python bench/pdf_corpus.py DATA/records/works.jsonl.zst --out DIR [--seed 1] [--documents N]
    python bench/pdf_corpus.py DATA/records/works.jsonl.zst --out DIR --pages 1000 [--only thesis]
    python bench/pdf_corpus.py DATA/records/works.jsonl.zst --out DIR --scan --only ieee-journal german

Beside each NAME.pdf stands NAME.json: the references as they were typeset, in printed order, with the fields
that stand in them (null: this style does not print it), and what makes this paper hard.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pypdfium2

from pdf_corpus import latex, office, scan, web, works
from pdf_corpus.gold import GoldError
from pdf_corpus.typeset import ToolError

RECIPES = Path(__file__).with_name("pdf_corpus") / "recipes.toml"


def main() -> int:
    """Make the papers; return 1 if one of them could not be made."""
    asked = _arguments()
    recipes = chosen(tomllib.loads(RECIPES.read_text("utf-8"))["paper"], asked.documents, asked.only)
    if asked.scan:
        recipes = [
            {**one, "name": f"{one['name']}-scan", "troubles": [*one["troubles"], "scan"]} for one in recipes
        ]
    if asked.pages:
        recipes = [{**recipes[0], "name": f"pages-{asked.pages}", "pages": asked.pages}]
    pool = works.load(asked.records, asked.seed)
    asked.out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(asked.jobs) as hands:
        made = list(hands.map(lambda recipe: paper(recipe, pool, asked), recipes))
    good = [one for one in made if one]
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{len(good)} of {len(recipes)} papers, {sum(one['pages'] for one in good)} pages, "
        f"{sum(len(one['references']) for one in good)} references, "
        f"{spent.ru_utime + spent.ru_stime:.0f} s CPU in the programs"
    )
    return int(len(good) < len(recipes))


def chosen(recipes: list[dict[str, Any]], documents: int, only: list[str]) -> list[dict[str, Any]]:
    """Return the recipes asked for: by name, or so many spread evenly over all."""
    if only:
        return [one for one in recipes if any(name in one["name"] for name in only)]
    if not documents or documents >= len(recipes):
        return recipes
    return [recipes[at * len(recipes) // documents] for at in range(documents)]


def paper(recipe: dict[str, Any], pool: list[works.Work], asked: argparse.Namespace) -> dict[str, Any] | None:
    """Write one PDF and its gold; return the gold, or nothing (and say why) if it cannot be made."""
    rng = random.Random(f"{asked.seed} {recipe['name']}")
    cited = works.cited(pool, recipe, rng)
    engine = {"chromium": web, "soffice": office}.get(recipe.get("engine", ""), latex)
    with tempfile.TemporaryDirectory(prefix="paper") as folder:
        try:
            references = engine.make(recipe, cited, Path(folder), rng)
        except (ToolError, GoldError) as wrong:
            print(f"{recipe['name']}: not made: {wrong}", file=sys.stderr)
            if asked.keep:
                shutil.copytree(folder, asked.keep / recipe["name"], dirs_exist_ok=True)
            return None
        if asked.scan:
            scan.scanned(Path(folder) / "paper.pdf", seed=asked.seed)
        gold = {"references": references, **about(recipe, Path(folder) / "paper.pdf")}
        shutil.copy(Path(folder) / "paper.pdf", asked.out / f"{recipe['name']}.pdf")
        if asked.keep:
            shutil.copytree(folder, asked.keep / recipe["name"], dirs_exist_ok=True)
    (asked.out / f"{recipe['name']}.json").write_text(
        json.dumps(gold, ensure_ascii=False, indent=1) + "\n", "utf-8"
    )
    return gold


def about(recipe: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return what kind of paper it is."""
    document = pypdfium2.PdfDocument(path)
    pages = len(document)
    document.close()
    options = recipe.get("options", "")
    return {
        "style": recipe.get("style") or recipe.get("bst") or "",
        "columns": recipe.get("columns", 2 if "twocolumn" in options or recipe["class"] == "IEEEtran" else 1),
        "numbered": recipe["cite"] in {"number", "super", "supercite"},
        "engine": recipe.get("engine", "pdflatex"),
        "language": recipe.get("language", "en"),
        "troubles": recipe["troubles"],
        "pages": pages,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--documents", type=int, default=0, help="so many papers, spread over all styles")
    parser.add_argument("--only", nargs="*", default=[], help="papers whose name holds one of these")
    parser.add_argument("--pages", type=int, default=0, help="one paper only, with at least so many pages")
    parser.add_argument("--scan", action="store_true", help="pictures of the pages, without text")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=None, help="keep the sources of each paper here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
