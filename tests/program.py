# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs rdmatap on a capture, and selects the connections to compare."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "cli"))
import fork_server

TESTDATA = os.path.join(os.path.dirname(HERE), "testdata")
PROGRAM = os.environ.get("RDMATAP", os.path.join(os.path.dirname(HERE), "rdmatap"))
TIMEOUT = 120
ENDINGS = (".pcap.gz", ".pcapng.gz", ".pcap", ".pcapng")


class Failed(Exception):
    """The program failed."""


def stem(path):
    return next((path[:-len(e)] for e in ENDINGS if path.endswith(e)), path)


def options_of(path):
    """Options that the program needs for this capture: NAME.options."""
    beside = stem(path) + ".options"
    if not os.path.exists(beside):
        return []
    with open(beside) as f:
        return f.read().split()


def run(*arguments, **options):
    """As subprocess.run(), with both outputs and a time limit."""
    return fork_server.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT, **options)


def ask(command, path, *options):
    """Rows of `rdmatap COMMAND --json`."""
    line = [command, "--json", *options_of(path), *options, path]
    try:
        done = run(*line)
    except OSError as error:
        raise Failed("%s: %s" % (PROGRAM, error.strerror)) from None
    except subprocess.TimeoutExpired:
        raise Failed("%s: no answer for %d seconds" % (" ".join(line), TIMEOUT)) from None
    if done.returncode:
        errors = done.stderr.decode("utf-8", "replace").strip()
        raise Failed("%s: exit status %d: %s" % (" ".join(line), done.returncode, errors))
    try:
        return [json.loads(text) for text in done.stdout.decode().splitlines()]
    except ValueError as error:
        raise Failed("%s: %s" % (" ".join(line), error)) from None


def messages(path, *options):
    return ask("messages", path, "--checksum", *options)


def management(connection):
    """Between QPs 0 or 1, which the program may list or omit."""
    return all((connection.get(side) or {}).get("qpn") in (0, 1) for side in "ab")


def connections(path, *options):
    return [c for c in ask("connections", path, *options) if not management(c)]
