"""Files that are right, the errors planted into them, and the world they are checked against."""

from __future__ import annotations

from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fix"
FILES = ("aligned.bib", "quoted.bib", "dense.bib", "refs.ris", "refs.json", "refs.md", "refs.txt")

# file, what stands there, the error planted in its place; fixing must give the file back byte for byte
PLANTS = (
    ("aligned.bib", "{1735--1780}", "{1737--1780}"),
    ("aligned.bib", "volume    = 28,", "volume    = 82,"),
    ("aligned.bib", "year      = 1926,", "year      = 1936,"),
    ("aligned.bib", "{{Long Short-Term Memory}}", "{{Long Short-Term Recall}}"),
    ("aligned.bib", 'J{\\"u}rgen', "Karl"),
    ("aligned.bib", "Mechanics of\n               Atoms and", "Mechanics of\n               Quanta and"),
    ("aligned.bib", "Podolsky, Boris\n", "Bohr, Niels\n"),
    ("aligned.bib", "10.1103/PhysRev.47.777", "10.1103/PhysRev.47.787"),
    ("aligned.bib", "  number    = {7},", "  number    = {17},"),
    ("aligned.bib", "Ordering of Events", "Ordering of Facts"),
    ("quoted.bib", '"173-198"', '"178-198"'),
    ("quoted.bib", "formal unentscheidbare", "formal entscheidbare"),
    ("quoted.bib", "https://doi.org/10.1063/1.1699114", "https://doi.org/10.1063/1.1699117"),
    ("quoted.bib", "Arianna W. Rosenbluth", "Alice B. Rosenberg"),
    ("quoted.bib", "false discovery rate: a", "false recovery rate: a"),
    ("quoted.bib", "YEAR = 1995", "YEAR = 1991"),
    ("dense.bib", "Bengio, Y.", "Bengali, X."),
    ("dense.bib", "{737--738}\n", "{731--738}\n"),
    ("dense.bib", "year={1964}", "year={1960}"),
    ("dense.bib", "journal={Numerische Mathematik}", "journal={Neural Computation}"),
    ("dense.bib", "Digital Signatures", "Digital Ciphers"),
    ("refs.ris", "TI  - Deep learning", "TI  - Deep learnings"),
    ("refs.ris", "AU  - Bengio, Yoshua", "AU  - Bengali, Xaver"),
    ("refs.ris", "SP  - 436", "SP  - 463"),
    ("refs.ris", "PY  - 2015/05/28", "PY  - 2011/05/28"),
    ("refs.ris", "doi.org/10.1063/1.1699114", "doi.org/10.1063/1.1699117"),
    ("refs.ris", "A1  - Teller, E.\n", ""),
    ("refs.ris", "A1  - Teller, E.\n", "A1  - Teller, E.\nA1  - Nobody, N.\n"),
    ("refs.ris", "VL  - 21", "VL  - 12"),
    ("refs.ris", "State Calculations by Fast", "State Computations by Fast"),
    ("refs.json", '"Long Short-Term Memory"', '"Long Short-Term Recall"'),
    ("refs.json", '"issue": 8', '"issue": 18'),
    ("refs.json", "1735–1780", "1737–1780"),
    ("refs.json", "[[1997, 11, 15]]", "[[1991, 11, 15]]"),
    ("refs.json", '{"family": "Schmidhuber", "given": "Jürgen"}', '{"family": "Schmidt", "given": "Karl"}'),
    ("refs.json", '"raw":"1978-02"', '"raw":"1972-02"'),
    ("refs.json", "10.1145/359340.359342", "10.1145/359340.359343"),
    ("refs.json", ',{"family":"Shamir","given":"A."}', ""),
    ("refs.json", "Digital Signatures", "Digital Ciphers"),
    ("refs.md", "(2015)", "(2011)"),
    ("refs.md", "436–444", "463–444"),
    ("refs.md", "359340.359342", "359340.359343"),
    ("refs.md", "Digital Signatures", "Digital Ciphers"),
    ("refs.md", "Shamir, A.", "Shackle, B."),
    ("refs.md", "1948)", "1941)"),
    ("refs.txt", "State Calculations by Fast", "State Computations by Fast"),
    ("refs.txt", "1087-1092", "1078-1092"),
    ("refs.txt", "W. Kohn", "V. Kirk"),
    ("refs.txt", "PhysRev.136.B864", "PhysRev.136.B846"),
    ("refs.txt", ", 1997,", ", 1991,"),
)


def snapshot(factory):
    """Return a closed world of fifteen works."""
    from citeproof.evidence.index.build import BuildInput, build
    from citeproof.evidence.index.coverage import parse_claim

    out = factory.mktemp("snapshot") / "works"
    build([BuildInput("bibtex", (FIXTURES / "works.bib",))], out, covers=(parse_claim("all"),), name="works")
    return out


def text_of(name):
    return (FIXTURES / name).read_bytes().decode()


def planted(name, right, wrong):
    text = text_of(name)
    assert text.count(right) == 1
    return text.replace(right, wrong)


FORMS = {
    "as it is": lambda text: text.encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "Windows-1252": lambda text: text.encode("cp1252"),
}
