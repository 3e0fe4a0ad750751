"""Lists and settings that a repository brings: shown whole where a user agrees, and never waited for."""

from __future__ import annotations

import os

import pytest

from citeproof.errors import UsageError
from citeproof.service.accepted_problems import read_ignore_list
from citeproof.settings.policies.policy_reader import read_policy
from tests.hostile import repository


def test_no_value_is_so_long_that_its_end_is_hidden(tmp_path):
    """Low: values were cut at 600 characters, and what was trusted was not seen."""
    hostile = repository.make(tmp_path)
    names = [f"host{n}.example.org" for n in range(200)] + ["last.internal"]
    listed = ", ".join(f'"{name}"' for name in names)
    (hostile.repo / "citeproof.toml").write_text(f"private_hosts = [{listed}]\n")
    done = hostile.run("trust", "--show")
    shown = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "host199.example.org" in shown
    assert "last.internal" in shown
    assert "…" not in shown


@pytest.mark.parametrize("flag", ["--ignore", "--policy"])
@pytest.mark.parametrize("linked", [True, False])
def test_no_list_of_the_repository_is_waited_for(tmp_path, flag, linked):
    """Low: a pipe, or a link to one, in the place of an ignore list was read for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    if linked:
        pipe = tmp_path / "list.toml"
        pipe.symlink_to(tmp_path / "pipe")
    with pytest.raises(UsageError, match=r"not a plain file|no such policy"):
        read_ignore_list(pipe) if flag == "--ignore" else read_policy(str(pipe))


def test_a_list_may_be_a_link_to_a_plain_file(tmp_path):
    (tmp_path / "mine.toml").write_text('[[ignore]]\nid = "a"\nreason = "known"\n')
    (tmp_path / "list.toml").symlink_to(tmp_path / "mine.toml")
    assert [one.id for one in read_ignore_list(tmp_path / "list.toml")] == ["a"]
