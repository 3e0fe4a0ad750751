"""What a user agrees to with `citeproof trust` is shown whole."""

from __future__ import annotations

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
