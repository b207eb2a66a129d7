# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Time and memory of runs of the program. The system attributes the memory of the starting process to the program after exec(): so a small
process starts it, not one that has generated captures.
"""
import os
import subprocess
import sys
import tempfile

from cli import PROGRAM, environment

# Reads the arguments of each run from a line, separated by tabs. Replies with seconds of processor time, resident KiB and the wait status.
CODE = """
import os, sys
actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
           (os.POSIX_SPAWN_OPEN, 2, sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    _, status, usage = os.wait4(os.posix_spawn(words[0], words, os.environ, file_actions=actions), 0)
    print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, status, flush=True)
"""


class Starter:
    def __init__(self):
        self.errors = tempfile.NamedTemporaryFile()
        self.process = subprocess.Popen([sys.executable, "-I", "-S", "-c", CODE, self.errors.name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment(), text=True)

    def close(self):
        self.process.communicate()
        self.errors.close()

    def run(self, *arguments):
        """Runs the program and discards its output: (seconds, peak memory in MiB, exit status, standard error)."""
        print(PROGRAM, *arguments, sep="\t", file=self.process.stdin, flush=True)
        seconds, resident, status = self.process.stdout.readline().split()
        with open(self.errors.name, "rb") as f:
            return float(seconds), int(resident) / 1024, os.waitstatus_to_exitcode(int(status)), f.read()
