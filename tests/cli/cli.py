# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs the program, and reads captures without it."""
import fcntl
import functools
import gzip
import os
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

import fork_server

PROGRAM = os.environ.get("RDMATAP", "rdmatap")
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTDATA = os.path.join(os.path.dirname(TESTS), "testdata")
TIMEOUT = 60
RPING = os.path.join(TESTDATA, "roce-rping-v4.pcap")
RPING_FRAMES = 101
NANO = os.path.join(TESTDATA, "roce-pcapng-nano-snap80.pcapng")
TUNNELS = os.path.join(TESTDATA, "tunnels.pcap")
INFINIBAND = os.path.join(TESTDATA, "infiniband-lrh.pcap")


def captures():
    return [os.path.join(TESTDATA, name) for name in sorted(os.listdir(TESTDATA)) if name.endswith((".pcap", ".pcapng", ".gz"))]


def environment(**changes):
    """The environment without variables that change the output."""
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "LC_ALL", "LANG")}
    env.update(TZ="UTC", LC_ALL="C")
    env.update(changes)
    return env


@functools.cache
def has_sanitizers():
    with open(PROGRAM, "rb") as f:
        return b"__asan_init" in f.read()


def records(data):
    """(header, [(time in ns, captured bytes, wire length)]) of a pcap."""
    order = "<" if data[0] in (0x4d, 0xd4) else ">"
    magic, = struct.unpack_from(order + "I", data)
    unit = {0xa1b23c4d: 1, 0xa1b2c3d4: 1000}[magic]
    at, found = 24, []
    while at < len(data):
        seconds, part, captured, wire = struct.unpack_from(order + "IIII", data, at)
        found.append((seconds * 10**9 + part * unit, data[at + 16:at + 16 + captured], wire))
        at += 16 + captured
    return data[:24], found


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        return f.read()


def differing(one, other, piece=512):
    """The places at which two texts of the same length differ."""
    assert len(one) == len(other)
    return [i for begin in range(0, len(one), piece) if one[begin:begin + piece] != other[begin:begin + piece]
            for i in range(begin, min(begin + piece, len(one))) if one[i] != other[i]]


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), tool + " is missing")


def has_terminals():
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


needs_terminal = unittest.skipUnless(has_terminals(), "pseudo-terminals are missing (mount -t devpts devpts /dev/pts)")


def wait_until(condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it did not happen")
        time.sleep(0.01)


def sleeps(process):
    """Whether every thread of the program sleeps, at two successive looks: then none is about to wake another."""
    for _ in range(2):
        for task in os.listdir("/proc/%d/task" % process.pid):
            with open("/proc/%d/task/%s/stat" % (process.pid, task)) as f:
                if f.read().rpartition(") ")[2][0] != "S":
                    return False
        time.sleep(0.01)
    return True


def handles_signals(process):
    """Whether the program has installed its signal handlers."""
    with open("/proc/%d/status" % process.pid) as f:
        caught, = [int(line.split()[1], 16) for line in f if line.startswith("SigCgt:")]
    return caught >> (signal.SIGTERM - 1) & 1 == 1


def is_drained_and_waiting(process):
    """Whether the program has read all its input and sleeps."""
    left, = struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD, b"\0" * 4))
    return left == 0 and sleeps(process)


def is_blocked_on_output(process):
    """Whether the program sleeps because its output pipe is full."""
    pipe = os.open("/proc/self/fd/%d" % process.stdout.fileno(), os.O_WRONLY | os.O_NONBLOCK)
    try:
        room = select.select([], [pipe], [], 0)[1]
    finally:
        os.close(pipe)
    return not room and sleeps(process)


def interrupt_while_blocked(process):
    """Sends a signal and waits until it has been delivered, so that a second one is not merged with it."""
    process.send_signal(signal.SIGTERM)
    wait_until(lambda: is_blocked_on_output(process))


class CliTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="rdmatap-cli-")
        self.addCleanup(shutil.rmtree, self.directory)

    def path(self, name, content=None):
        path = os.path.join(self.directory, name)
        if content is not None:
            with open(path, "wb") as f:
                f.write(content)
        return path

    def run_program(self, *arguments, **options):
        options.setdefault("stdout", subprocess.PIPE)
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        return fork_server.run((PROGRAM,) + arguments, stderr=subprocess.PIPE, timeout=TIMEOUT, env=environment(**options.pop("env", {})), **options)

    def good(self, *arguments, **options):
        """Standard output of a run that must succeed without an error message."""
        done = self.run_program(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout

    def lines(self, *arguments, **options):
        """Lines of standard output of a run that must end with status 0; standard error is ignored."""
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return done.stdout.decode().splitlines()

    def bad(self, message, *arguments, **options):
        """A run that must end with status 2 and this text in its message. Returns standard output."""
        done = self.run_program(*arguments, **options)
        errors = done.stderr.decode()
        self.assertEqual(done.returncode, 2, (arguments, errors))
        self.assertIn(message, errors)
        for line in errors.splitlines():
            self.assertTrue(line.startswith("rdmatap: "), line)
        return done.stdout


class PipeTest(CliTest):
    """For tests that write to the program, or read from it, while it runs."""

    def start(self, *arguments, **options):
        process = subprocess.Popen((PROGRAM,) + arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(), bufsize=0, **options)
        for pipe in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(pipe.close)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        output, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual((process.returncode, errors), (0, b""))
        return output
