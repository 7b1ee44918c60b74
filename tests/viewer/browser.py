"""A headless Chromium, driven over its debugging pipe: no driver program, no port, no network."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60
KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, " ": 32, "/": 191, "Enter": 13}


def chromium() -> str:
    """The browser's program; skips the test where there is none."""
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip(f"needs a Chromium: none of {', '.join(NAMES)} is on the path")
    return found


class Browser:
    """One browser with one page; use it in a `with` statement."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nhc-browser-", ignore_cleanup_errors=True)
        (read_here, write_there), (read_there, write_here) = os.pipe(), os.pipe()
        options = "--headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars"
        pipes = f"3<&{read_there} 4>&{write_there}"
        command = f'exec "$0" {options} --remote-debugging-pipe --user-data-dir="$1" {pipes}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, chromium(), self._folder.name],
            pass_fds=(read_there, write_there),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_there)
        os.close(write_there)
        self._in, self._out = os.fdopen(write_here, "wb"), os.fdopen(read_here, "rb")
        self._number, self._session, self._rest = 0, "", b""
        self.faults: list[str] = []
        """Whatever the page threw, wrote to the console, or was not allowed to do."""
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait(timeout=SECONDS)
        self._in.close()
        self._out.close()
        self._folder.cleanup()

    def open(self, page: Path, fragment: str = "", document: str = "document") -> None:
        """Load a file and wait until its run is over, or that of the document within."""
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=page.as_uri() + fragment)
        self.wait_for(f"{document}?.documentElement?.dataset.ready === 'true'")

    def wait_for(self, condition: str) -> None:
        """Until a condition holds."""
        until = time.monotonic() + SECONDS
        while not self.value(condition):
            assert time.monotonic() < until, f"{condition} does not come true; {self.faults}"
            time.sleep(0.02)

    def value(self, expression: str) -> object:
        """The JSON value of an expression; promises are awaited."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """A key, as a person would."""
        code = {" ": "Space", "/": "Slash"}.get(key, key)
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        event = {"key": key, "code": code, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
        self._call("Input.dispatchKeyEvent", type="keyDown", **event, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", **event)

    def click(self, selector: str) -> None:
        """A click in the middle of the first element that a selector finds."""
        where = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{where}.scrollIntoView({{block: 'center'}})")
        box = self.value(f"{where}.getBoundingClientRect().toJSON()")
        assert isinstance(box, dict)
        middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        mouse = {**middle, "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, **mouse)

    def screen(self, width: int, height: int, *, dark: bool = False, still: bool = False) -> None:
        """The size of the window, and what the person prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        features += [{"name": "prefers-reduced-motion", "value": "reduce"}] if still else []
        self._call("Emulation.setEmulatedMedia", features=features)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """What is to be seen, or the whole page."""
        shot = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def _call(self, method: str, **parameters: object) -> dict:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._in.write(json.dumps(message).encode() + b"\0")
        self._in.flush()
        while True:
            answer = json.loads(self._message())
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self._note(answer)

    def _message(self) -> bytes:
        while b"\0" not in self._rest:
            more = os.read(self._out.fileno(), 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return message

    def _note(self, event: dict) -> None:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.faults.append(str(details.get("exception", {}).get("description") or details.get("text")))
        elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.faults.append(str(parameters["args"]))
        elif event.get("method") == "Log.entryAdded":
            self.faults.append(parameters["entry"]["text"])
