"""`citeproof init`: the file has every setting, sets nothing, and each default in it is the default."""

from __future__ import annotations

import re
import tomllib

import pytest

from citeproof import settings
from citeproof.settings import TABLE, Settings
from citeproof.settings.setting_table import build_config_template
from citeproof.settings.setting_values import to_plain_value

LINES = build_config_template().splitlines()
VALUES = {found[1]: line[2:] for line in LINES if (found := re.match(r"# ([a-z_]+) = ", line))}


def test_it_is_written_once(cli, tmp_path):
    ended = cli("init")
    assert (ended.code, ended.out) == (0, "written: citeproof.toml\n")
    path = tmp_path / "citeproof.toml"
    assert path.read_text() == build_config_template()
    path.write_text("offline = true\n")
    ended = cli("init")
    assert ended.code == 2
    assert "citeproof.toml: is there already" in ended.err
    assert "--force" in ended.err
    assert path.read_text() == "offline = true\n"
    assert cli("init", ".", "--force").code == 0
    assert path.read_text() == build_config_template()


def test_a_link_to_another_folder_is_not_written_through(cli, tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "other.toml").write_text("theirs")
    (tmp_path / "project" / "citeproof.toml").symlink_to(tmp_path / "other.toml")
    assert cli("init", "project", "--force").code == 2
    assert (tmp_path / "other.toml").read_text() == "theirs"


def test_as_it_is_it_sets_nothing(cli, tmp_path):
    assert tomllib.loads(build_config_template()) == {}
    assert cli("init").code == 0
    assert settings.load({}, environment={}, folder=tmp_path) == Settings()


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_every_setting_stands_in_it_with_its_help_and_default(row):
    assert sum(line.startswith(f"# {row.help}") for line in LINES) == 1
    if row.name in ("urls", "keys"):
        return
    line, default = VALUES[row.name], getattr(Settings(), row.name)
    if line.endswith(("# default: not set", "# default: a folder of the user")):
        assert not default or row.name in ("cache_dir", "limits_dir")
        return
    assert tomllib.loads(line)[row.name] == to_plain_value(default)


def test_what_a_project_may_set_can_be_uncommented_as_it_is(cli, tmp_path):
    allowed = [VALUES[row.name] for row in TABLE if row.project and row.name != "offline"]
    (tmp_path / "citeproof.toml").write_text("\n".join(allowed))
    assert len(allowed) > 5
    assert settings.load({}, environment={}, folder=tmp_path) == Settings(
        set_by_project=frozenset(row.name for row in TABLE if row.project and row.name != "offline")
    )


def test_the_tables_stand_last():
    text = "\n".join(
        line.removeprefix("# ") for line in LINES[LINES.index("# [urls]") :] if " = " in line or "[" in line
    )
    assert tomllib.loads(text) == {"urls": {"crossref": "https://example.org/crossref"}}
