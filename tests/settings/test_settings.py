"""Every layer of the settings, and what a wrong one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeproof import settings
from citeproof.errors import UsageError
from citeproof.settings import TABLE, Settings, list_unread_variables, load
from citeproof.settings.setting_values import read_amount, read_count, read_flag
from citeproof.vocabulary import Secret


@pytest.fixture(autouse=True)
def _no_files_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "find_user_file", lambda: tmp_path / "user" / "config.toml")
    monkeypatch.setattr(Path, "cwd", lambda: tmp_path / "project")
    (tmp_path / "project" / "deep").mkdir(parents=True)
    (tmp_path / "user").mkdir()


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _trust(tmp_path: Path) -> None:
    place = tmp_path / "project" / "citeproof.toml"
    settings.open_trust_store().add(place, place.read_bytes())


def test_defaults():
    chosen = load({}, environment={})
    assert (chosen.snapshots, chosen.offline, chosen.sources, chosen.format) == ((), False, (), "text")
    assert chosen.max_document_bytes == 200_000_000
    assert chosen.starter == chosen.cache_dir / "snapshots" / "starter"
    assert chosen.origin("format") == "default"


def test_each_layer_wins_over_the_one_before(tmp_path):
    project = tmp_path / "project"
    told = []
    for name, text in [("user/config.toml", 'format = "a"'), ("project/citeproof.toml", 'format = "b"')]:
        _write(tmp_path / name, text)
        told.append(load({}, environment={}, folder=project / "deep"))
    told.append(load({}, environment={"CITEPROOF_FORMAT": "c"}, folder=project))
    told.append(load({"format": "d"}, environment={"CITEPROOF_FORMAT": "c"}, folder=project))
    assert [chosen.format for chosen in told] == ["a", "b", "c", "d"]
    origins = [chosen.origin("format") for chosen in told]
    assert origins == [
        str(tmp_path / "user/config.toml"),
        str(project / "citeproof.toml"),
        "CITEPROOF_FORMAT",
        "--format",
    ]


def test_flag_that_was_not_given_does_not_count():
    assert load({"format": None}, environment={"CITEPROOF_FORMAT": "md"}).format == "md"


@pytest.mark.parametrize(
    ("text", "value"),
    [('[tool.citeproof]\nformat = "md"\n', "md"), ('[tool.other]\nformat = "md"\n', "text")],
)
def test_pyproject_counts_only_with_its_own_table(text, value, tmp_path):
    _write(tmp_path / "project" / "pyproject.toml", text)
    assert load({}, environment={}).format == value


def test_broken_pyproject_of_another_tool_is_none_of_our_business(tmp_path):
    _write(tmp_path / "project" / "pyproject.toml", "[tool.other\n")
    assert load({}, environment={}).format == "text"


def test_paths_of_a_file_are_relative_to_it(tmp_path):
    _write(tmp_path / "user" / "config.toml", 'snapshots = ["a", "/b"]\nlimits_dir = "c"')
    chosen = load({}, environment={}, folder=tmp_path / "project" / "deep")
    assert chosen.snapshots == (tmp_path / "user" / "a", Path("/b"))
    assert chosen.limits_dir == tmp_path / "user" / "c"


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("CITEPROOF_SNAPSHOT", "/a:/b", "snapshots", (Path("/a"), Path("/b"))),
        ("CITEPROOF_SNAPSHOT", "/a:", "snapshots", (Path("/a"),)),
        ("CITEPROOF_CACHE_DIR", "/c", "cache_dir", Path("/c")),
        ("CITEPROOF_OFFLINE", "1", "offline", True),
        ("CITEPROOF_OFFLINE", "No", "offline", False),
        ("CITEPROOF_OFFLINE", "", "offline", False),
        ("CITEPROOF_SOURCES", "a, b,", "sources", ("a", "b")),
        ("CITEPROOF_MAX_DOCUMENT_BYTES", "1_000", "max_document_bytes", 1000),
        ("CITEPROOF_CONTACT", "ada@example.org", "contact", "ada@example.org"),
        ("CITEPROOF_TIMEOUT", "2.5", "timeout", 2.5),
        ("CITEPROOF_DEADLINE", "60", "deadline", 60.0),
        ("CITEPROOF_PACE", "0.5", "pace", 0.5),
        ("CITEPROOF_CROSSREF_URL", "https://x.example/api", "urls", {"crossref": "https://x.example/api"}),
        ("CITEPROOF_DBLP_SPARQL_URL", "http://[::1]:80", "urls", {"dblp_sparql": "http://[::1]:80"}),
        ("CITEPROOF_ADS_KEY", "k", "keys", {"ads": Secret("k")}),
        ("CITEPROOF_LIMITS_DIR", "/l", "limits_dir", Path("/l")),
        ("CITEPROOF_PRIVATE_HOSTS", "a, b:8080", "private_hosts", ("a", "b:8080")),
        ("CITEPROOF_KEEP_FOUND_HOURS", "1", "keep_found_hours", 1),
        ("CITEPROOF_KEEP_ABSENT_HOURS", "2", "keep_absent_hours", 2),
        ("CITEPROOF_KEEP_NOTICE_HOURS", "3", "keep_notice_hours", 3),
        ("CITEPROOF_MAX_FALSE_ACCUSATIONS", "0.01", "max_false_accusations", 0.01),
        ("CITEPROOF_BASE_RATE", ".05", "base_rate", 0.05),
        ("CITEPROOF_JUDGE_THRESHOLDS", "/t.json", "judge_thresholds", Path("/t.json")),
        ("CITEPROOF_JUDGE_CALIBRATION", "/c.json", "calibration_file", Path("/c.json")),
    ],
)
def test_environment(variable, text, name, value):
    assert getattr(load({}, environment={variable: text}), name) == value


@pytest.mark.parametrize("row", [row for row in TABLE if row.read in (read_flag, read_count, read_amount)])
def test_every_number_and_flag_is_read_from_its_variable(row):
    assert getattr(load({}, environment={row.env: "1"}), row.name) == 1


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("CITEPROOF_OFFLINE", "maybe"),
        ("CITEPROOF_MAX_DOCUMENT_BYTES", "0"),
        ("CITEPROOF_MAX_DOCUMENT_BYTES", "-5"),
        ("CITEPROOF_MAX_DOCUMENT_BYTES", "９"),
        ("CITEPROOF_MAX_DOCUMENT_BYTES", "9" * 5000),
        ("CITEPROOF_CACHE_DIR", "a\0b"),
        ("CITEPROOF_CONTACT", "ada"),
        ("CITEPROOF_CONTACT", "ada@example.org\r\nX-Evil: 1"),
        ("CITEPROOF_CONTACT", "a@b.org, c@d.org"),
        ("CITEPROOF_TIMEOUT", "0"),
        ("CITEPROOF_TIMEOUT", "-1"),
        ("CITEPROOF_TIMEOUT", "inf"),
        ("CITEPROOF_DEADLINE", "nan"),
        ("CITEPROOF_DEADLINE", "1e9"),
        ("CITEPROOF_PACE", "fast"),
        ("CITEPROOF_CROSSREF_URL", "x"),
        ("CITEPROOF_CROSSREF_URL", "file:///etc/passwd"),
        ("CITEPROOF_CROSSREF_URL", "https://user:secret@x.example"),
        ("CITEPROOF_CROSSREF_URL", "https://x.example/?key=1"),
        ("CITEPROOF_LIMITS_DIR", "a\0b"),
        ("CITEPROOF_KEEP_FOUND_HOURS", "0"),
        ("CITEPROOF_KEEP_ABSENT_HOURS", "1.5"),
        ("CITEPROOF_KEEP_NOTICE_HOURS", "-3"),
        ("CITEPROOF_MAX_FALSE_ACCUSATIONS", "0"),
        ("CITEPROOF_MAX_FALSE_ACCUSATIONS", "1"),
        ("CITEPROOF_MAX_FALSE_ACCUSATIONS", "1e-3"),
        ("CITEPROOF_BASE_RATE", "5 %"),
    ],
)
def test_wrong_value_names_its_place_and_mend(variable, text):
    with pytest.raises(UsageError) as caught:
        load({}, environment={variable: text})
    assert caught.value.place == variable
    assert caught.value.hint.startswith("write "), caught.value.hint


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ('\nformt = "md"\n', 2, "did you mean 'format'?"),
        ("[sources]\n", None, ""),
        ("zzzzz = 1", 1, "known settings: snapshots"),
        ('format = "md', None, "correct that line"),
    ],
)
def test_wrong_file_is_an_error_at_its_line(text, line, hint, tmp_path):
    path = tmp_path / "project" / "citeproof.toml"
    _write(path, text)
    with pytest.raises(UsageError) as caught:
        load({}, environment={})
    assert caught.value.place == (f"{path}:{line}" if line else str(path))
    assert caught.value.hint.startswith(hint)


def test_oversized_and_undecodable_files(tmp_path):
    path = tmp_path / "project" / "citeproof.toml"
    path.write_bytes(b"#" * (settings.config_files.MAX_FILE + 1))
    with pytest.raises(UsageError, match="larger than 1 MB"):
        load({}, environment={})
    path.write_bytes(b'format = "\xff"')
    assert load({}, environment={}).format == "\ufffd"


def test_digest_names_the_values_and_not_their_origin():
    plain = load({}, environment={})
    same = load({}, environment={"CITEPROOF_FORMAT": "text"})
    other = load({}, environment={"CITEPROOF_FORMAT": "md"})
    assert plain.digest() == same.digest() != other.digest()
    assert plain == same


def test_settings_are_frozen():
    with pytest.raises(AttributeError):
        Settings().format = "x"  # type: ignore[misc]


def test_unread_variables_are_told():
    given = {"CITEPROOF_FORMAT": "md", "CITEPROOF_CROSSREF_URL": "x", "CITEPROOF_FORMT": "md", "HOME": "/"}
    assert list_unread_variables(given) == ("CITEPROOF_FORMT",)


def test_urls_of_all_layers_come_together(tmp_path):
    _write(
        tmp_path / "user" / "config.toml", '[urls]\ncrossref = "https://a.example"\ndoi = "https://b.example"'
    )
    _write(tmp_path / "project" / "citeproof.toml", '[urls]\ndoi = "https://c.example"')
    _trust(tmp_path)
    chosen = load({}, environment={"CITEPROOF_ARXIV_URL": "https://d.example"})
    assert chosen.origin_of_url("crossref") == str(tmp_path / "user" / "config.toml")
    assert chosen.origin_of_url("arxiv") == "CITEPROOF_ARXIV_URL"
    assert chosen.urls == {
        "crossref": "https://a.example",
        "doi": "https://c.example",
        "arxiv": "https://d.example",
    }


def test_network_settings_come_from_a_file(tmp_path):
    text = 'contact = "ada@example.org"\ntimeout = 3\ndeadline = 9.5\npace = 2\nlimits_dir = "l"\n'
    _write(tmp_path / "user" / "config.toml", text + "keep_found_hours = 7")
    chosen = load({}, environment={})
    assert (chosen.contact, chosen.timeout, chosen.deadline, chosen.pace) == (
        "ada@example.org",
        3.0,
        9.5,
        2.0,
    )
    assert chosen.keep_found_hours == 7
    assert chosen.limits_dir == tmp_path / "user" / "l"


def test_a_url_that_a_project_set_gets_no_key(tmp_path):
    environment = {"CITEPROOF_ADS_KEY": "canary", "CITEPROOF_OPENALEX_KEY": "canary"}
    _write(tmp_path / "project" / "citeproof.toml", '[urls]\nads = "http://collect.example"')
    _trust(tmp_path)
    assert load({}, environment=environment).project_urls == {"ads"}
    own = {**environment, "CITEPROOF_ADS_URL": "http://mine.example"}
    assert load({}, environment=own).project_urls == frozenset()


def test_keys_are_refused_in_a_file_and_never_shown(tmp_path):
    _write(tmp_path / "project" / "citeproof.toml", '[keys]\nads = "canary-key"')
    with pytest.raises(UsageError) as caught:
        load({}, environment={})
    assert "canary-key" not in f"{caught.value} {caught.value.hint}"
    assert caught.value.hint == "set CITEPROOF_<SOURCE>_KEY"


def test_keys_print_as_stars():
    chosen = load({}, environment={"CITEPROOF_ADS_KEY": "canary-key"})
    assert chosen.keys["ads"].reveal() == "canary-key"
    assert "canary-key" not in f"{chosen} {chosen!r} {chosen.keys['ads']} {chosen.keys['ads']!r}"


def test_defaults_of_the_network():
    chosen = load({}, environment={})
    assert (chosen.contact, chosen.timeout, chosen.deadline, chosen.pace) == ("", 8.0, 300.0, 1.0)
    assert (dict(chosen.urls), dict(chosen.keys), chosen.private_hosts) == ({}, {}, ())
    hours = (chosen.keep_found_hours, chosen.keep_absent_hours, chosen.keep_notice_hours)
    assert hours == (720, 24, 24)
    assert chosen.limits_dir != chosen.cache_dir
