"""A page in headless Chromium, driven by its own protocol over a pipe: evaluate, click, type, screenshot."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
PATIENCE = 300  # seconds on a busy machine


def program():
    """The browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One page of a browser of its own; `problems` are the page's errors and refusals, `asked` what it fetched."""

    def __init__(self, address, width=1300, height=1000):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()
        for descriptor in (to_browser, from_browser):
            os.set_inheritable(descriptor, True)

        def place():  # the protocol's descriptors are 3 and 4
            os.dup2(to_browser, 30)
            os.dup2(from_browser, 31)
            os.dup2(30, 3)
            os.dup2(31, 4)

        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run",
             f"--window-size={width},{height}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.session = b"", 0, None
        self.problems, self.asked = [], []
        target = next(one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def message(self):
        while b"\0" not in self.rest:
            part = os.read(self.read, 1 << 20)
            assert part, "the browser has ended"
            self.rest += part
        one, _, self.rest = self.rest.partition(b"\0")
        return json.loads(one)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            self.note(answer)
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def note(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.problems.append(parameters["exceptionDetails"].get("exception", {}).get("description", str(parameters)))
        elif message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.problems.append(parameters["entry"]["text"])
        elif message.get("method") == "Network.requestWillBeSent":
            self.asked.append(parameters["request"]["url"])

    def value(self, expression):
        """What an expression of JavaScript is, a promise's outcome included."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, expression):
        end = time.monotonic() + PATIENCE
        while not self.value(expression):
            assert time.monotonic() < end, f"this never came true: {expression}; {self.problems}"
            time.sleep(0.05)

    def click(self, selector, while_pressed="0"):
        """A click of the mouse in the middle of an element, which is brought into view; an expression is evaluated between."""
        x, y = self.value(f"(() => {{ const one = document.querySelector({json.dumps(selector)}); "
                          "one.scrollIntoView({block: 'center', behavior: 'instant'}); const box = one.getBoundingClientRect(); "
                          "return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        self.ask("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        self.value(while_pressed)
        self.ask("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)

    def click_at(self, x, y):
        """A click of the mouse at a place of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, selector, words):
        self.value(f"document.querySelector({json.dumps(selector)}).select()")
        self.value(f"document.querySelector({json.dumps(selector)}).focus()")
        self.ask("Input.insertText", text=words)

    def press(self, key, shift=False):
        """A key: a name such as "Tab", or "Enter"."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40}
        words = {"key": key, "windowsVirtualKeyCode": codes[key], "modifiers": 8 * shift}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **words, **({"text": "\r"} if key == "Enter" else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", **words)

    def drag(self, selector, across, down):
        x, y = self.value(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
                          "return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        self.ask("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for step in range(1, 6):
            self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x + across * step / 5, y=y + down * step / 5, button="left")
        self.ask("Input.dispatchMouseEvent", type="mouseReleased", x=x + across, y=y + down, button="left", clickCount=1)

    def picture(self, path, selector=None):
        """A screenshot as PNG, of what is in view or of an element; gives its bytes."""
        parameters = {}
        if selector:
            box = self.value(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
                             "return [box.x + scrollX, box.y + scrollY, box.width, box.height]; })()")
            parameters["clip"] = {**dict(zip(("x", "y", "width", "height"), box)), "scale": 1}
            parameters["captureBeyondViewport"] = True
        found = base64.b64decode(self.ask("Page.captureScreenshot", format="png", **parameters)["data"])
        Path(path).write_bytes(found)
        return found

    def close(self):
        os.close(self.write)
        os.close(self.read)
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
