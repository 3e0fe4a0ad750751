"""The examples in deploy/: what is stored is for the server alone, and each visitor has limits of its own."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("UMask", "0077"), ("StateDirectoryMode", "0700"), ("CacheDirectoryMode", "0700"),
        ("NoNewPrivileges", "yes"), ("ProtectSystem", "strict"), ("CapabilityBoundingSet", ""),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"), ("PrivateDevices", "yes"),
    ],
)  # fmt: skip
def test_the_unit_keeps_documents_from_other_users_of_the_machine(name, value):
    """Low: folders of documents and runs had the mode 0755."""
    unit = ConfigParser(delimiters=("=",))
    unit.optionxform = str
    unit.read(DEPLOY / "citeproof.service", encoding="utf-8")
    assert unit["Service"][name] == value


@pytest.mark.parametrize(
    "rule",
    [
        r"limit_req zone=citeproof ", r"limit_conn citeproof_open ", r"add_header Strict-Transport-Security ",
        r"return 301 https://", r"proxy_set_header Host \$host;",
    ],
)  # fmt: skip
def test_the_proxy_has_the_limits_that_the_server_leaves_to_it(rule):
    """Low: the example had none, and citeproof sees all visitors as one address."""
    assert re.search(rf"^\s*{rule}", (DEPLOY / "nginx.conf").read_text("utf-8"), re.MULTILINE)
