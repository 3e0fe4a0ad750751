"""`citeproof fix`: wrong fields mended, every other byte kept, and the way back."""

from __future__ import annotations

from hashlib import sha256

import pytest
from tests.surfaces.fixes import FILES, FORMS, PLANTS, planted, snapshot, text_of


@pytest.fixture(scope="module")
def works(tmp_path_factory):
    return snapshot(tmp_path_factory)


@pytest.fixture
def fix(cli, works):
    return lambda *arguments, stdin=b"": cli("fix", *arguments, "--snapshot", works, stdin=stdin)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("name", FILES)
def test_what_is_right_is_not_touched(name, form, fix, tmp_path):
    file = tmp_path / name
    file.write_bytes(form(text_of(name)))
    ended = fix(file, "--unsafe")
    assert (ended.code, ended.out) == (0, "nothing to change\n")


def list_planted_errors():
    """Yield every error in every form: in one form for `make test`, in the others for `make test-all`."""
    for number, (name, right, wrong) in enumerate(PLANTS):
        for at, (form_name, form) in enumerate(FORMS.items()):
            marks = () if at == number % len(FORMS) else pytest.mark.slow
            yield pytest.param(name, right, wrong, form, id=f"{form_name}-{name}: {wrong[:30]}", marks=marks)


@pytest.mark.parametrize(("name", "right", "wrong", "form"), list(list_planted_errors()))
def test_planted_error_is_mended_to_the_byte(name, right, wrong, form, fix, tmp_path):
    file = tmp_path / name
    file.write_bytes(form(planted(name, right, wrong)))
    ended = fix(file, "--unsafe", "--write")
    assert file.read_bytes() == form(text_of(name)), ended
    assert ended.code == 0
    again = fix(file, "--unsafe")
    assert (again.code, again.out) == (0, "nothing to change\n")


@pytest.mark.parametrize("name", FILES)
def test_all_errors_at_once_and_back(name, fix, cli, tmp_path):
    text = text_of(name)
    for file, right, wrong in PLANTS:
        text = text.replace(right, wrong) if file == name else text
    before = text.encode()
    file = tmp_path / name
    file.write_bytes(before)
    file.chmod(0o640)
    fix(file, "--unsafe", "--write")
    left = [
        line for line in file.read_bytes().splitlines() if line not in text_of(name).encode().splitlines()
    ]
    assert len(left) <= 1, left  # two errors in one entry may be too many for a match
    assert file.stat().st_mode & 0o777 == 0o640
    assert cli("fix", "--undo", file).code == 0
    assert sha256(file.read_bytes()).digest() == sha256(before).digest()
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [name]
