"""What a project's file may set: every setting is allowed or refused, until the user trusts the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeproof import settings
from citeproof.errors import UsageError
from citeproof.settings import TABLE, load
from citeproof.settings import setting_values as values
from citeproof.settings.setting_table import STRICTER, Setting

DOCS = Path(__file__).parents[1] / "docs" / "settings.md"
DEFAULTS = settings.Settings()
# A value that a project may give. A setting is here and has a `ProjectRule`, or is in neither place: that a
# stranger's file may set something is decided twice.
ALLOWED = {
    "format": '"md"', "corpus_skip": '["CHANGELOG.md"]', "corpus_stale_days": "89",
    "fail_on": '["minor", "unchecked", "findings"]',
    "hold": json.dumps([*DEFAULTS.hold, "not_located"]),
    **{name: json.dumps([*getattr(DEFAULTS, name), "a/b"])
       for name in ("corpus_sources", "corpus_findings", "corpus_assessments")},
}  # fmt: skip
# A value that makes a run laxer, and one for each kind of value that is not set by default.
LAXER = {
    "corpus_skip": '["a/**"]', "corpus_stale_days": "91", "fail_on": '["major"]', "hold": '["alarm"]',
    "corpus_sources": '["/etc"]', "corpus_findings": '["../up"]', "corpus_assessments": '["~/x"]',
}  # fmt: skip
OF_KIND = {
    values.read_contact: '"a@example.org"', values.read_dollars: "9", values.read_encoding: '"cp1251"',
    values.read_keys: '{ads = "k"}', values.read_memory: "'memory'", values.read_model: '"openai:m"',
    values.read_networks: '["10.0.0.1"]', values.read_price: '"0/0"', values.read_share: "0.5",
    values.read_store: "'postgresql://h.example/d'", values.read_url: '"http://p.example"',
    values.read_urls: '{crossref = "http://h.example"}', values.read_count: "1",
}  # fmt: skip


def make_value(row: Setting) -> str:
    """Return a value, as a file of settings states it, that a project may not give to a setting."""
    default = getattr(DEFAULTS, row.name)
    if row.name in LAXER or row.read in OF_KIND:
        return LAXER.get(row.name) or OF_KIND[row.read]
    if isinstance(default, bool | int | float) or (isinstance(default, str) and default):
        return json.dumps(default)
    return '["a"]' if isinstance(default, tuple) else '"a"'


@pytest.fixture(autouse=True)
def _no_files_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "find_user_file", lambda: tmp_path / "user" / "config.toml")
    (tmp_path / "project" / "deep").mkdir(parents=True)
    (tmp_path / "user").mkdir()


@pytest.fixture
def project(tmp_path):
    def written(text: str) -> Path:
        path = tmp_path / "project" / "citeproof.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def _loaded(path: Path) -> settings.Settings:
    return load({}, environment={}, folder=path.parent / "deep")


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_every_setting_is_refused_or_in_the_allow_list(row, project):
    assert (row.project is None) == (row.name not in ALLOWED)
    if row.name == "format":  # it may have any value
        return
    path = project(f"{row.name} = {make_value(row)}")
    with pytest.raises(UsageError) as caught:
        _loaded(path)
    if row.name == "keys":  # they come from no file at all
        return
    assert f"may not set {row.name}" in caught.value.message
    assert caught.value.place == f"{path}:1"
    assert f"citeproof trust {path.parent}" in caught.value.hint


@pytest.mark.parametrize(("name", "value"), ALLOWED.items())
def test_the_allow_list_is_read(name, value, project):
    assert _loaded(project(f"{name} = {value}")).origin(name).endswith("citeproof.toml")


def test_the_documentation_has_the_allow_list():
    table = DOCS.read_text("utf-8").partition("<!-- project settings -->")[2].partition("<!-- end -->")[0]
    listed = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    assert listed == {row.name for row in TABLE if row.project} == set(ALLOWED)


def test_the_threat_model_names_a_test_in_every_row():
    root = Path(__file__).parents[1]
    page = (root / "docs" / "hostile-repositories.md").read_text("utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")][2:]
    every = "".join(path.read_text("utf-8") for path in (root / "tests").rglob("test_*.py"))
    assert len(rows) > 15
    for row in rows:
        named = row[-1].split("`")[1::2]
        assert named, row
        for one in named:
            assert (root / one).exists() or f"def {one}(" in every, one


@pytest.mark.parametrize(
    "value", ["/etc", "../x", "a/../../x", "~/x", "~root", r"\\host\share", r"C:\x", "C:x"]
)
def test_a_path_stays_inside_the_project(value, project):
    with pytest.raises(UsageError, match="paths inside the project"):
        _loaded(project(f"corpus_sources = {json.dumps([*DEFAULTS.corpus_sources, value])}"))


def test_all_refused_settings_are_told_at_once_at_the_first(project):
    path = project('format = "md"\nproxy = "http://p.example"\n\n[urls]\ncrossref = "http://h.example"\n')
    with pytest.raises(UsageError) as caught:
        _loaded(path)
    assert caught.value.message == "a project's file may not set proxy, urls"
    assert caught.value.place == f"{path}:2"


def test_trust_is_bound_to_the_content_and_the_place(project, tmp_path):
    path = project('proxy = "http://p.example"')
    store = settings.open_trust_store()
    store.add(path, path.read_bytes())
    assert _loaded(path).proxy == "http://p.example"
    other = tmp_path / "other" / "citeproof.toml"
    other.parent.mkdir()
    other.write_bytes(path.read_bytes())
    with pytest.raises(UsageError, match="may not set proxy\n"):
        load({}, environment={}, folder=other.parent)
    project('proxy = "http://q.example"')
    with pytest.raises(UsageError, match="you trusted this file, but it changed since"):
        _loaded(path)
    project('proxy = "http://p.example"')
    assert _loaded(path).proxy == "http://p.example"
    assert store.remove(path)
    assert not store.remove(path)
    with pytest.raises(UsageError, match="may not set proxy\n"):
        _loaded(path)


@pytest.mark.parametrize("content", [b"", b"[", b"[]", b'{"a": 1}', b"\xff", b"[" * 100_000])
def test_a_broken_list_of_trusted_files_is_an_error_with_its_place(content, project):
    path = project('proxy = "http://p.example"')
    store = settings.open_trust_store()
    store.path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        _loaded(path)
    assert caught.value.place == str(store.path)
    assert "citeproof trust" in caught.value.hint


def test_trust_does_not_follow_a_link_to_a_trusted_file(project, tmp_path):
    """Relative paths in it would start from the link's folder."""
    path = project('snapshots = ["snap"]')
    settings.open_trust_store().add(path, path.read_bytes())
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "citeproof.toml").symlink_to(path)
    with pytest.raises(UsageError, match="may not set snapshots"):
        load({}, environment={}, folder=tmp_path / "evil")


BOMBS = {
    "dotted key": ".".join(["a"] * 12_000) + " = 1",
    "dotted keys": "\n".join(f"{'.'.join(['a'] * 400)}.k{n} = 1" for n in range(100)),
    "deep headers": "\n".join(f"[{'.'.join(['a'] * 400)}]" for _ in range(100)),
    "open lists": "format = " + "[" * 20_000,
    "open tables": "format = " + "{a=" * 20_000,
    "lists over lines": "format = " + "[\n" * 1_900,
    "digits": "corpus_stale_days = " + "9" * 60_000,
    "hex digits": "corpus_stale_days = 0x" + "f" * 60_000,
    "long": "#" * 70_000,
}


@pytest.mark.parametrize(
    ("name", "file"),
    [
        (name, file)
        for name in BOMBS
        for file in ("citeproof.toml", "pyproject.toml")
        if (name, file) != ("deep headers", "pyproject.toml")  # tables of other tools are not read
    ],
)
def test_a_hostile_file_ends_with_a_word(name, file, tmp_path):
    path = tmp_path / "project" / file
    text = BOMBS[name] if file == "citeproof.toml" else f"[tool.citeproof]\n{BOMBS[name]}"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load({}, environment={}, folder=path.parent)
    assert caught.value.place.startswith(str(path))


def test_another_tools_tables_are_not_read(tmp_path):
    path = tmp_path / "project" / "pyproject.toml"
    path.write_text('[tool.other]\nx = "[tool.citeproof]"\n# tool.citeproof\n' + "a." * 9000 + "a = 1\n")
    assert load({}, environment={}, folder=path.parent).format == "text"
    path.write_text("[tool.other]\n" + "a." * 9000 + 'a = 1\n[tool.citeproof]\nformat = "md"\n[x]\ny = 1\n')
    assert load({}, environment={}, folder=path.parent).format == "md"
    path.write_bytes(b"[tool.citeproof]\n" + b"#" * 2_000_000)
    assert load({}, environment={}, folder=path.parent).format == "text"


def test_what_comes_from_a_project_is_known(project):
    path = project('format = "md"\ncorpus_skip = []')
    assert _loaded(path).set_by_project == {"format", "corpus_skip"}
    own = load({"format": "json"}, environment={}, folder=path.parent)
    assert own.set_by_project == {"corpus_skip"}


def test_paths_of_variables_start_from_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chosen = load({}, environment={"CITEPROOF_SNAPSHOT": "snap"}, folder=tmp_path / "project")
    assert chosen.snapshots == (tmp_path / "snap",)


def test_a_trusted_file_is_written_for_its_user_alone(project):
    path = project('proxy = "http://p.example"')
    store = settings.open_trust_store()
    store.add(path, path.read_bytes())
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert list(json.loads(store.path.read_bytes())) == [str(path.resolve())]
    assert [one.name for one in store.path.parent.iterdir()] == ["trusted.json"]


def test_what_needs_trust_can_be_listed(project):
    file = settings.read_project(project('format = "md"\ntimeout = 3').parent)
    assert file is not None
    assert dict(settings.list_refused(file)) == {"timeout": 3.0}


@pytest.mark.parametrize(
    "setting",
    [
        "offline = true",  # what only a registry knows to be invented would end as not checked
        'corpus_skip = ["docs/**"]',  # its documents would not be read
        'corpus_report = "docs/*.md"',  # a report is not a document
        'corpus_ref = "SRC"',  # REF-999 would be plain text
        'corpus_sources = ["empty"]',  # and so would a mention of the usual folder
        'corpus_assessments = ["empty"]',  # no GRADE level would bound the language
        "corpus_stale_days = 9999",
        'fail_on = "none"',
    ],
)
def test_a_project_makes_no_run_laxer(setting, project):
    with pytest.raises(UsageError, match=f"may not set {setting.split()[0]}"):
        _loaded(project(setting))


@pytest.mark.parametrize(
    ("theirs", "own", "allowed"),
    [
        (("minor", "unchecked", "predatory_source"), ("minor", "unchecked"), True),
        (("minor", "unchecked", "no-retracted"), ("minor", "unchecked"), False),
        (("minor", "no-retracted"), ("minor", "no-retracted"), True),
        (("minor",), ("minor", "no-retracted"), True),
        (("findings", "minor"), ("major", "predatory_source"), True),
        (("major",), ("minor",), False),
    ],
)
def test_a_project_makes_no_exception(theirs, own, allowed):
    assert STRICTER.allows(theirs, own) is allowed


def test_a_project_may_also_fail_on_notes(project):
    assert _loaded(project('fail_on = ["noted", "unchecked"]')).fail_on == ("noted", "unchecked")
