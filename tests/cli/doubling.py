# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Common code of tests of growth: twice the input takes at most three times the work."""
import os
import shutil
import signal
import threading

import worst_cases
from cli import CliTest, PROGRAM, environment, has_sanitizers

LIMIT = 3
ATTEMPTS = 5
PATIENCE = 30
# Sanitizers look for wrong accesses, for which a quarter of each quantity is enough; the plain build judges the growth.
SHARE = 4 if has_sanitizers() else 1

PACKETS, MESSAGES, STATS, CANON = ("-r",), ("messages", "--json", "--checksum", "-r"), ("stats", "-r"), ("canon", "-r")
OPERATIONS, FILES = ("operations", "--json", "-r"), ("export", "--files", "DIRECTORY", "-r")
ALL = (PACKETS, MESSAGES, STATS, CANON, FILES)


def processor_time(arguments):
    """Seconds of processor time that a run of the program takes, and its exit status. Its output is discarded."""
    null = os.open(os.devnull, os.O_RDWR)
    try:
        process = os.posix_spawn(PROGRAM, (PROGRAM,) + arguments, environment(),
                                 file_actions=[(os.POSIX_SPAWN_DUP2, null, file) for file in range(3)])
    finally:
        os.close(null)
    timer = threading.Timer(PATIENCE, os.kill, (process, signal.SIGKILL))
    timer.start()
    try:
        _, status, usage = os.wait4(process, 0)
    finally:
        timer.cancel()
    return usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status)


class DoublingTest(CliTest):
    """
    Other processes lengthen runs and never shorten them. So the shortest of several runs counts, and one passed
    attempt is enough.
    """

    def made(self, make, count):
        path = self.path("%s-%d.pcap" % (make.__name__, count))
        worst_cases.write(path, make(count))
        return path

    def seconds(self, command, *paths, status=0):
        """command: DIRECTORY in it stands for a new directory."""
        directory = self.path("out")
        arguments = tuple(directory if word == "DIRECTORY" else word for word in command) + paths
        spent, ended = processor_time(arguments)
        shutil.rmtree(directory, ignore_errors=True)
        self.assertEqual(ended, status, (arguments[0], paths))
        return spent

    def holds(self, name, once, twice):
        """once, twice: functions that run the program and return the time it took."""
        small = large = float("inf")
        for _ in range(ATTEMPTS):
            small, large = min(small, once()), min(large, twice())
            if large < LIMIT * small:
                return
        self.fail("%s: %.3f s, and %.3f s for twice as much" % (name, small, large))

    def doubling(self, make, count, *commands):
        """make(count) returns frames; each command reads those of `count` and of twice as much."""
        count //= SHARE
        small, large = self.made(make, count), self.made(make, 2 * count)
        for command in commands:
            with self.subTest(make.__name__, command=command):
                self.holds("%s of %d, %s" % (make.__name__, count, command[0]), lambda: self.seconds(command, small),
                           lambda: self.seconds(command, large))
        os.unlink(small)
        os.unlink(large)
