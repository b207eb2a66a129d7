# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Pipes, terminals, signals, closed descriptors, memory."""
import os
import pty
import re
import signal
import subprocess
import sys
import time
import unittest

import fork_server
import worst_cases
from cli import (CliTest, PROGRAM, PipeTest, RPING, RPING_FRAMES, TESTDATA, TESTS, TIMEOUT, environment, has_sanitizers,
                 handles_signals, is_drained_and_waiting, is_blocked_on_output, needs_terminal, read, records, sleeps, wait_until)
from doubling import ATTEMPTS, DoublingTest

ABSURD = os.path.join(TESTDATA, "absurd-lengths.pcap")


def processor_seconds(process):
    with open("/proc/%d/stat" % process.pid) as f:
        fields = f.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Streaming(PipeTest, DoublingTest):
    def test_lines_appear_as_packets_arrive(self):
        header, found = records(read(RPING))
        content = read(RPING)
        for options in ((), ("-T", "json"), ("-T", "fields", "-e", "frame.number")):
            process = self.start("-r", "-", "-l", *options)
            at = len(header)
            process.stdin.write(content[:at])
            for _, frame, _ in found[:5]:
                process.stdin.write(content[at:at + 16 + len(frame)])
                at += 16 + len(frame)
                self.assertTrue(process.stdout.readline().endswith(b"\n"))
            process.stdin.write(content[at:at + 7])
            wait_until(lambda: is_drained_and_waiting(process))
            process.stdin.write(content[at + 7:])
            process.stdin.close()
            self.assertEqual(len(process.stdout.readall().splitlines()), RPING_FRAMES - 5)
            self.assertEqual(process.wait(TIMEOUT), 0)

    def test_an_interrupt_ends_the_wait_and_prints_the_packets_read(self):
        whole = self.good("-r", RPING)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("-r", "-")
            process.stdin.write(read(RPING))
            wait_until(lambda: is_drained_and_waiting(process))
            process.send_signal(number)
            self.assertEqual(self.finish(process), whole)

    def test_an_interrupt_of_a_file_reports_how_far_it_was_read(self):
        big = self.path("big.pcap", read(RPING)[:24] + read(RPING)[24:] * 500)
        for command in (("-r",), ("--threads", "1", "-r")):
            process = self.start(*command, big)
            wait_until(lambda: is_blocked_on_output(process))
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 0, errors)
            reported = re.fullmatch(r"rdmatap: interrupted: only ([0-9]+) packets were processed\n", errors.decode())
            self.assertIsNotNone(reported, (command, errors))
            self.assertLess(int(reported[1]), 500 * RPING_FRAMES)
            self.assertEqual(output.count(b"\n"), int(reported[1]))

    def seconds_until_interrupted(self, command, status):
        """Of processor time, where the interrupt comes soon after the start."""
        process = self.start(*command)
        wait_until(lambda: handles_signals(process) and processor_seconds(process) > 0.03)
        process.send_signal(signal.SIGINT)
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        self.assertEqual(process.returncode, status)
        self.assertIn(b"interrupted", process.stderr.read())
        return usage.ru_utime + usage.ru_stime

    def test_an_interrupt_ends_the_compiling_of_a_filter(self):
        """A filter is compiled twice, to find errors and for the link type; libpcap cannot be interrupted within."""
        hosts = " or ".join("host 10.0.%d.%d" % divmod(host, 256) for host in range(200))
        for command, whole_status, status in ((("-f", hosts, "-q", "-r", RPING), 0, 0), (("diff", "-f", hosts, RPING, RPING), 0, 2)):
            whole = part = float("inf")
            for _ in range(ATTEMPTS):
                whole = min(whole, self.seconds(command, status=whole_status))
                part = min(part, self.seconds_until_interrupted(command, status))
                if part < 0.75 * whole:
                    break
            self.assertLess(part, 0.75 * whole, command[0])

    def test_an_interrupt_ends_work_after_reading(self):
        """Pending messages, sorting, alignment, the page, files: what was read is shown, or for diff, nothing."""
        held, other = self.path("held.pcap"), self.path("other.pcap")
        worst_cases.write(held, worst_cases.calls_unanswered(3000))
        worst_cases.write(other, worst_cases.messages_of_random_length(3000, 1))
        for number, command in enumerate((("stats",), ("stats", "--json"), ("canon",), ("report", "-o", self.path("page")), ("messages", "--json", "--checksum"),
                                          ("diff", other), ("export", "--files", self.path("files")), ("export", "-w", self.path("rpc")))):
            with open(os.devnull, "wb") as nothing:
                process = subprocess.Popen((PROGRAM, *command, "-"), stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, env=environment())
            process.stdin.write(read(held))
            process.stdin.flush()
            wait_until(lambda: is_drained_and_waiting(process))
            os.kill(process.pid, (signal.SIGINT, signal.SIGTERM)[number % 2])
            process.stdin.close()
            self.assertEqual(process.wait(TIMEOUT), 2 if command[0] == "diff" else 0, command)

    def test_an_interrupt_leaves_a_whole_file(self):
        saved = self.path("x.pcap.gz")
        process = self.start("-r", "-", "-w", saved)
        process.stdin.write(read(RPING))
        wait_until(lambda: is_drained_and_waiting(process))
        process.send_signal(signal.SIGTERM)
        self.finish(process)
        self.assertEqual(records(read(saved))[1], records(read(RPING))[1])

    def test_an_interrupt_ends_the_wait_for_a_fifos_writer(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        process = self.start("-r", fifo)
        wait_until(lambda: handles_signals(process) and sleeps(process))
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process), b"")

    def test_a_closed_output_pipe_ends_it_quietly(self):
        big = self.path("big.pcap", read(RPING)[:24] + read(RPING)[24:] * 50)
        for arguments in (("-r", big), ("-r", big, "-l"), ("-r", big, "-V"), ("-r", big, "-T", "json"), ("-r", big, "-w", "-"),
                          ("-r", RPING), ("fields",), ("--help",)):
            process = self.start(*arguments)
            process.stdout.read(1)
            process.stdout.close()
            self.assertEqual((process.wait(TIMEOUT), process.stderr.read()), (0, b""), arguments)

    def test_a_slow_reader_of_a_non_blocking_pipe_gets_everything(self):
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        process = subprocess.Popen((PROGRAM, "-r", RPING, "-V"), stdout=theirs, stderr=subprocess.PIPE, env=environment())
        os.close(theirs)
        time.sleep(0.2)
        with os.fdopen(ours, "rb") as f:
            self.assertEqual(f.read(), self.good("-r", RPING, "-V"))
        self.assertEqual((process.wait(TIMEOUT), process.stderr.read()), (0, b""))
        process.stderr.close()


class Descriptors(CliTest):
    def shell(self, text):
        return subprocess.run(["sh", "-c", text, PROGRAM, RPING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
                              cwd=self.directory, timeout=TIMEOUT)

    def test_a_closed_standard_output_is_reported(self):
        for text in ('"$0" -r "$1" >&-', '"$0" -r "$1" <&- >&-', '"$0" fields >&-', '"$0" -r "$1" -q >&-', '"$0" -r "$1" -w - >&-'):
            done = self.shell(text)
            self.assertEqual((done.returncode, b"standard output: " in done.stderr), (2, True), (text, done.stderr))

    def test_nothing_is_printed_into_files_opened_in_its_place(self):
        self.assertEqual(self.shell('"$0" -r "$1" -w x.pcap --print <&- >&-').returncode, 2)
        self.assertEqual(read(self.path("x.pcap"))[:4], b"\x4d\x3c\xb2\xa1")
        self.assertEqual(self.shell('"$0" -r "$1" -w y.pcap 2>&- >&- <&-').returncode, 0)
        self.assertEqual(records(read(self.path("y.pcap")))[1], records(read(RPING))[1])

    def test_a_closed_standard_input_is_reported(self):
        done = self.shell('"$0" -r - <&-')
        self.assertEqual((done.returncode, b"standard input: " in done.stderr), (2, True))
        self.assertEqual(self.shell('"$0" -r "$1" -q <&- 2>&-').stdout, b"101 packets\n")


@needs_terminal
class Terminal(CliTest):
    def on_terminal(self, *arguments, **changes):
        ours, theirs = pty.openpty()
        process = subprocess.Popen((PROGRAM,) + arguments, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
                                   env=environment(**changes))
        os.close(theirs)
        output = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            output += part
        os.close(ours)
        errors = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(TIMEOUT), 0, errors)
        return output

    def test_colour_is_for_terminals_that_want_it(self):
        self.assertIn(b"\033[31m", self.on_terminal("-r", ABSURD, TERM="xterm"))
        self.assertNotIn(b"\033", self.on_terminal("-r", ABSURD, TERM="xterm", NO_COLOR="1"))
        self.assertNotIn(b"\033", self.on_terminal("-r", ABSURD, TERM="dumb"))
        self.assertNotIn(b"\033", self.on_terminal("-r", RPING, TERM="xterm"))
        self.assertNotIn(b"\033", self.on_terminal("-r", ABSURD, "-T", "json", TERM="xterm"))
        self.assertNotIn(b"\033", self.run_program("-r", ABSURD, env={"TERM": "xterm"}).stdout)

    def test_a_terminal_gets_the_same_text(self):
        shown = self.on_terminal("-r", RPING, TERM="xterm").replace(b"\r\n", b"\n")
        self.assertEqual(shown, self.good("-r", RPING))


@unittest.skipUnless(fork_server.LIBRARY, "RDMATAP_FORK_SERVER is not set")
class ForkServer(CliTest):
    """What most tests use instead of starting the program. Each run ends before the next: nothing may be left of it."""
    KEPT = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": TIMEOUT}

    def same(self, *arguments, **options):
        started, served = (run((PROGRAM,) + arguments, **self.KEPT, **options) for run in (subprocess.run, fork_server.run))
        self.assertEqual((started.returncode, started.stdout, started.stderr), (served.returncode, served.stdout, served.stderr), arguments)
        return served

    def test_results_equal_those_of_a_started_program(self):
        content = read(RPING)
        env, idle = environment(), subprocess.DEVNULL
        for _ in range(2):
            self.assertEqual(self.same("-r", "none", stdin=idle, env=env).returncode, 2)
            self.assertGreater(len(self.same("-V", "-r", RPING, stdin=idle, env=env).stdout), 1 << 17)
            self.same("-r", os.path.basename(RPING), stdin=idle, env=env, cwd=TESTDATA)
            self.same("-t", "ad", "-r", RPING, stdin=idle, env=dict(env, TZ="Asia/Tokyo"))
            self.assertTrue(self.same("-r", "-", input=content, env=env).stdout)
            self.assertTrue(self.same("-q", "-c", "1", "-r", "-", input=content + bytes(1 << 20), env=env).stdout)

    def test_an_output_file_and_a_time_limit(self):
        with open(self.path("shown"), "wb") as shown:
            done = self.run_program("-r", RPING, stdout=shown)
        self.assertEqual((done.stdout, read(self.path("shown"))), (None, self.good("-r", RPING)))
        given, kept = os.pipe()
        with open(given, "rb") as never, open(kept, "wb"):
            with self.assertRaises(subprocess.TimeoutExpired):
                fork_server.run((PROGRAM, "-r", "-"), stdin=never, env=environment(), **dict(self.KEPT, timeout=0.5))
        self.assertTrue(self.good("-r", RPING))


@unittest.skipIf(has_sanitizers(), "sanitizers take memory")
class Memory(CliTest):
    LIMIT = 64 << 10  # KB
    # in a separate process: a child's peak memory includes that of its parent
    MEASURE = ("import resource, subprocess, sys\n"
               "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
               "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")

    def test_it_stays_small_over_a_large_capture(self):
        big = self.path("big.pcap")
        subprocess.run([sys.executable, os.path.join(TESTS, "generate", "repeat-capture"), "--frames", "100000", RPING, big], check=True)
        for arguments in ((), ("-T", "json"), ("-V",), ("-q",), ("-T", "fields", "-e", "ip.src"), ("-w", self.path("out.pcapng.gz"))):
            reported = subprocess.run([sys.executable, "-c", self.MEASURE, PROGRAM, "-r", big, *arguments], stdout=subprocess.PIPE,
                                  env=environment(), check=True).stdout.split()
            self.assertEqual(int(reported[0]), 0)
            self.assertLess(int(reported[1]), self.LIMIT, arguments)
