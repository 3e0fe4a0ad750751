"""A page in a real Chromium, driven over its debugging pipe: no server, no port, no driver to install."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any, Self

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = "--headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars --remote-debugging-pipe"


# Chromium reads from 3 and writes to 4, whatever is open here.
_START = """import os, sys
ours = [os.dup(int(one)) for one in sys.argv[1:3] for _ in range(4)]
os.dup2(ours[3], 3), os.dup2(ours[7], 4)
os.execv(sys.argv[3], sys.argv[3:])"""


class BrowserPage:
    """One page. `run` evaluates an expression in it and waits for its promise."""

    def __init__(self, folder: Path, *, scripts: bool = True) -> None:
        ours, to_us = os.pipe()
        from_us, theirs = os.pipe()
        command = [str(CHROMIUM), *_FLAGS.split(), f"--user-data-dir={folder / 'profile'}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(from_us), str(to_us), *command],
            pass_fds=(from_us, to_us),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(to_us)
        self._in, self._out, self._left, self._number = ours, theirs, b"", 0
        self._session = ""
        (page,) = (one for one in self._ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        attached = self._ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        self._ask("Page.enable")
        self._ask("Emulation.setScriptExecutionDisabled", value=not scripts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def open(self, page: Path | str) -> None:
        """Load a file or an address, and wait until it is loaded."""
        self._ask("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        while self._receive().get("method") != "Page.loadEventFired":
            pass

    def run(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        told = self._ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def resize(self, width: int, height: int, *, dark: bool = False, medium: str = "") -> None:
        """Set the size of the window, its colours and its medium."""
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._ask("Emulation.setEmulatedMedia", media=medium, features=scheme)

    def save_screenshot(self, path: Path) -> None:
        """Write what the window shows as a PNG file."""
        path.write_bytes(b64decode(self._ask("Page.captureScreenshot")["data"]))

    def save_print(self, path: Path) -> None:
        """Write the page as a printer would get it, as a PDF file."""
        path.write_bytes(b64decode(self._ask("Page.printToPDF")["data"]))

    def _ask(self, method: str, **params: object) -> dict[str, Any]:
        self._number += 1
        asked: dict[str, object] = {"id": self._number, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._out, json.dumps(asked).encode() + b"\0")
        while (told := self._receive()).get("id") != self._number:
            pass
        assert "error" not in told, told
        result: dict[str, Any] = told["result"]
        return result

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            read = os.read(self._in, 1 << 20)
            assert read, "the browser has ended"
            self._left += read
        line, _, self._left = self._left.partition(b"\0")
        told: dict[str, Any] = json.loads(line)
        return told
