"""What several tests of the audit log share."""

import pytest

from citeproof.surfaces.cli.main import main
from tests.proof.audit.making import Made, make_log


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Made:
    return make_log(tmp_path_factory.mktemp("bare"), 600, bare=True)


@pytest.fixture
def home(monkeypatch, tmp_path):
    """Settings of nobody: no log, key or anchor of whoever runs the tests."""
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("AUDIT_DIR", "AUDIT_KEY", "AUDIT_ANCHORS"):
        monkeypatch.delenv(f"CITEPROOF_{name}", raising=False)


@pytest.fixture
def audit(tmp_path, monkeypatch, capsys):
    """A function that runs `citeproof audit COMMAND audit …` beside the log: (exit code, output, errors)."""
    monkeypatch.setenv("CITEPROOF_AUDIT_KEY", str(tmp_path / "keys"))
    monkeypatch.chdir(tmp_path)

    def run(command: str, *arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["audit", command, "audit", *arguments])
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run
