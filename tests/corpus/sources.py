"""A snapshot for tests of DOIs: it claims to hold everything of two registrants."""

from pathlib import Path

from click.testing import CliRunner

from citeproof.surfaces.cli.main import cli

_BIB = """\
@article{lecun2015, title = {Deep learning}, author = {LeCun, Yann and Bengio, Yoshua and Hinton, Geoffrey},
  year = {2015}, journal = {Nature}, doi = {10.1038/nature14539}}
"""


def known_dois(folder: Path) -> Path:
    """Return a snapshot that has 10.1038/nature14539 and claims to hold all of 10.1038."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    bib = folder.with_suffix(".bib")
    bib.write_text(_BIB, encoding="utf-8")
    arguments = f"index build --from bibtex {bib} --name known --covers prefix:10.1038 --out {folder}"
    done = CliRunner().invoke(cli, arguments.split())
    assert folder.is_dir(), done.output
    return folder
