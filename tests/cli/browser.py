# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A headless chromium that shows one page after another in one window: to start it, or a process for another window, takes longer than most pages.

It is asked by the DevTools protocol over pipes: JSON, each message ended by a NUL (https://chromedevtools.github.io/devtools-protocol/).
"""
import fcntl
import json
import os
import select
import time

from cli import environment

PROGRAM = os.environ.get("BROWSER_PROGRAM", "chromium")
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe")
SECONDS = 120
READ, WRITE = 3, 4  # the browser's descriptors


def high(descriptor):
    """Its duplicate beyond those that the browser expects."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


def is_loaded(events, loader):
    """Whether this document has come and then been loaded: the event before may be another one's."""
    names = [event["params"]["frame"]["loaderId"] if event["method"] == "Page.frameNavigated" else event["method"] for event in events]
    return loader in names and "Page.loadEventFired" in names[names.index(loader):]


class Browser:
    def __init__(self, profile):
        (theirs_in, self.requests), (self.replies, theirs_out) = (map(high, os.pipe()) for _ in range(2))
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                   (os.POSIX_SPAWN_DUP2, 1, 2), (os.POSIX_SPAWN_DUP2, theirs_in, READ), (os.POSIX_SPAWN_DUP2, theirs_out, WRITE)]
        self.process = os.posix_spawnp(PROGRAM, (PROGRAM, *OPTIONS, "--user-data-dir=" + profile, "about:blank"), environment(HOME=profile),
                                       file_actions=actions)
        os.close(theirs_in)
        os.close(theirs_out)
        self.number, self.received = 0, b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.of_page(domain + ".enable")

    def close(self):
        self.call("Browser.close")
        os.close(self.requests)
        os.close(self.replies)
        os.waitpid(self.process, 0)

    def message(self):
        """The next reply or event."""
        end = time.monotonic() + SECONDS
        while b"\0" not in self.received:
            if not select.select([self.replies], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser is silent")
            part = os.read(self.replies, 1 << 16)
            if not part:
                raise EOFError("the browser has ended")
            self.received += part
        one, _, self.received = self.received.partition(b"\0")
        return json.loads(one)

    def call(self, method, events=None, session=None, **parameters):
        """The result; what happens until then is appended to events."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        left = json.dumps(request).encode() + b"\0"
        while left:
            left = left[os.write(self.requests, left):]
        while True:
            one = self.message()
            if one.get("id") == self.number:
                return one["result"]
            if events is not None:
                events.append(one)

    def of_page(self, method, events=None, **parameters):
        return self.call(method, events, self.session, **parameters)

    def show(self, path, width, height, is_dark=False):
        """The document of a file after it is loaded and its scripts have run, and what it said on the console."""
        events = []
        self.of_page("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.of_page("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])
        loader = self.of_page("Page.navigate", events, url="file://" + path)["loaderId"]
        while not is_loaded(events, loader):
            events.append(self.message())
        found = self.of_page("Runtime.evaluate", events, expression="document.documentElement.outerHTML")["result"]["value"]
        return found, [json.dumps(event["params"]) for event in events
                       if event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")]
