# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""--threads changes only the time: every output equals that of one thread, byte for byte."""
import os
import signal
import subprocess
import time

from cli import INFINIBAND, NANO, PROGRAM, RPING, TESTDATA, CliTest, captures, environment, has_sanitizers, read

STATE = "rdmatap.message.length > 100 or tcp.port or rdmatap.latency"
FIELDS = ("-T", "fields", "-e", "frame.number", "-e", "ip.src", "-e", "infiniband.bth.psn", "-e", "rpcordma.xid", "-e", "nfs.fh.hash",
          "-E", "header=y")
VIEWS = ((), ("-V",), ("-x",), ("-T", "json"), FIELDS, ("-t", "dd", "-Y", STATE), ("-V", "-t", "dd", "-Y", STATE), ("--check-icrc", "-T", "json"),
         ("-s", "90"), ("-s", "90", "-V"), ("-v",), ("-l",), ("-q",), ("-q", "-Y", STATE), ("-v", "-c", "7"), ("-f", "udp port 4791"),
         ("--decode-as", "qp=18,rpcrdma"), ("--no-heuristics", "-v"))
COMMANDS = (("messages",), ("messages", "--json", "--checksum"), ("messages", "-x"), ("messages", "-Y", STATE), ("messages", "--rpc", "-v"),
            ("messages", "-c", "9"), ("messages", "--max-memory", "1M"), ("connections",), ("connections", "--json"), ("stats",),
            ("stats", "--json"), ("canon",), ("canon", "--level", "packets"), ("report", "-o", "-"), ("operations",),
            ("operations", "--json", "--sort", "latency"))
# Runs take longer with sanitizers: fewer runs are enough there.
LARGE = ("roce-nfs3.pcap.gz", "roce-nfs40-mtu256.pcap.gz", "roce-verbmix-uc-mess.pcap.gz", "iwarp-nfs3-crctso.pcap.gz")[::3 if has_sanitizers() else 1]
NUMBERS = ("1", "8") if has_sanitizers() else ("1", "2", "3", "8")


class Threads(CliTest):
    def same(self, *arguments, written=None, numbers=NUMBERS):
        """Runs it with each of these numbers of threads."""
        results = []
        for threads in numbers:
            done = self.run_program(*arguments, "--threads", threads)
            results.append((done.returncode, done.stdout, done.stderr, written and read(written)))
            self.assertTrue(results[-1] == results[0], "--threads %s: %s" % (threads, " ".join(arguments)))
        return results[0]

    def same_of_all(self, files, views=VIEWS, commands=COMMANDS, **options):
        """Returns the exit statuses that occurred."""
        inputs = [word for name in files for word in ("-r", name)]
        return {self.same(*inputs, *view, **options)[0] for view in views} | {self.same(*command, *files, **options)[0] for command in commands}

    def test_every_command_over_all_captures(self):
        """With many captures in one run most frames are not in the first batch of a file, and state passes from one file to the next. Half of the
        views and commands read one half of the captures, the others the other one: test_every_capture() has a view or command for each."""
        every = captures()[::4 if has_sanitizers() else 1]
        for part in range(2):
            self.same_of_all(every[part::2], VIEWS[part:4:2], COMMANDS[part::2], numbers=("1", "2"))

    def test_every_capture(self):
        """Each with one of the options, in turn."""
        for i, capture in enumerate(captures()[::3 if has_sanitizers() else 1]):
            if i % 2:
                self.same("-r", capture, *VIEWS[i // 2 % len(VIEWS)], numbers=("1", "2"))
            else:
                self.same(*COMMANDS[i // 2 % len(COMMANDS)], capture, numbers=("1", "2"))

    def test_captures_of_several_batches(self):
        """Batches of files have 512 frames at most."""
        for i, name in enumerate(LARGE):
            # inflated once, not in each run: compressed files are read by the other tests
            capture = self.path(name[:-len(".gz")], read(os.path.join(TESTDATA, name)))
            # of all captures but the first, every other view and command
            step = 2 if i else 1
            found = self.same_of_all([capture], VIEWS[i % step::step], COMMANDS[i % step::step], numbers=("1", "238"[i % 3]))
            self.assertEqual(found, {0}, name)

    def test_several_files(self):
        """Batches end where a file ends, so there are many."""
        self.same_of_all(captures()[::7], commands=(), numbers=("1", "3") if has_sanitizers() else ("1", "3", "8"))
        self.same("-v", "-r", NANO, "-r", RPING, "-r", NANO)

    def test_files_that_break(self):
        """Frames read before are written first, and the position of the error is reported."""
        whole = read(os.path.join(TESTDATA, LARGE[0]))
        for cut in (len(whole) - 3, len(whole) // 2 + 1):
            path = self.path("cut.pcap", whole[:cut])
            for arguments in (("-r", path), ("-V", "-r", path), ("messages", path), ("-r", NANO, "-r", path), ("-q", "-c", "3", "-r", path)):
                self.same(*arguments)
            done = subprocess.run((PROGRAM, "-r", NANO, "-r", path, "--threads", "2"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=environment())
            once = subprocess.run((PROGRAM, "-r", NANO, "-r", path, "--threads", "1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=environment())
            self.assertIn(b"the file ends inside this record", done.stdout)
            self.assertEqual(done.stdout, once.stdout)

    def test_saved_files(self):
        for name in LARGE[:2]:
            saved, exported = self.path("x.pcap"), self.path("y.pcap")
            capture = os.path.join(TESTDATA, name)
            self.same("-r", capture, "-w", saved, "-Y", STATE, "--print", written=saved)
            self.same("-r", capture, "-w", saved, written=saved)
            self.same("export", "-w", exported, capture, written=exported)
        self.same("-v", "-s", "90", "-r", capture, "-w", saved, "-G", "1", "-W", "1", written=saved)

    def test_exported_files(self):
        """Names, contents and holes of all files that were read and written."""
        first = None
        for threads in ("1", "2", "3", "8"):
            folder = self.path("files-" + threads)
            done = self.run_program("export", "--files", folder, os.path.join(TESTDATA, LARGE[0]), "--threads", threads)
            files = sorted((os.path.relpath(os.path.join(where, name), folder), read(os.path.join(where, name)))
                           for where, _, names in os.walk(folder) for name in names)
            first = first or (done.returncode, done.stdout, files)
            self.assertTrue(files)
            self.assertTrue((done.returncode, done.stdout, files) == first, threads)

    def test_comparisons(self):
        one, other = (os.path.join(TESTDATA, name) for name in ("roce-nfs3.pcap.gz", "roce-nfs40-mtu256.pcap.gz"))
        self.assertEqual(self.same("diff", one, one)[0], 0)
        self.assertEqual(self.same("diff", one, other)[0], 1)

    def test_compressed_files_that_break(self):
        """Inflated data is processed first, in whichever thread it is inflated."""
        whole = read(os.path.join(TESTDATA, LARGE[0]))
        for damaged in (whole[:-5], whole[:len(whole) // 2] + bytes(64) + whole[len(whole) // 2:], whole + b"x"):
            path = self.path("damaged.pcap.gz", damaged)
            for arguments in (("-r", path), ("-V", "-r", path), ("messages", path), ("stats", path), ("canon", path), ("-q", "-r", path)):
                self.assertEqual(self.same(*arguments)[0], 2)

    def test_pipes(self):
        """Inputs that are not read ahead."""
        whole = read(os.path.join(TESTDATA, LARGE[0]))
        for arguments in (("-r", "-"), ("-T", "json", "-r", "-"), ("messages", "-"), ("stats", "-"), ("-c", "7", "-r", "-")):
            shown = set()
            for threads in ("1", "2", "3", "8"):
                done = subprocess.run((PROGRAM, *arguments, "--threads", threads), input=whole, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, env=environment())
                self.assertEqual(done.returncode, 0, done.stderr)
                shown.add((done.stdout, done.stderr))
            self.assertEqual(len(shown), 1, arguments)

    def test_an_end_before_the_end(self):
        """Reports about the input exclude data that was read ahead."""
        self.same("-v", "-s", "90", "-r", os.path.join(TESTDATA, LARGE[0]), "-r", INFINIBAND, "-f", "udp port 4791")
        self.same("-v", "-r", NANO, "-r", os.path.join(TESTDATA, LARGE[0]), "-c", "3")

    def test_more_than_memory_has_room_for_of_one_batch(self):
        """Packets whose text exceeds the limit of pending output."""
        path = self.path("big.pcap", ethernet(b"\x08\x00", 262144 - 14, 24))
        status, shown, errors, _ = self.same("-x", "-r", path)
        self.assertEqual((status, shown.count(b"\n\n")), (0, 24), errors)
        self.same("-V", "-x", "-r", path)

    def test_writing_that_fails(self):
        with open("/dev/full", "wb") as full:
            for threads in ("1", "2", "4"):
                done = self.run_program("-V", "-r", os.path.join(TESTDATA, LARGE[0]), "--threads", threads, stdout=full)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stderr.count(b"standard output: No space left on device"), 1, done.stderr)

    def test_a_closed_output_pipe(self):
        for threads in ("1", "2", "4"):
            process = subprocess.Popen((PROGRAM, "-V", "-r", os.path.join(TESTDATA, LARGE[0]), "--threads", threads),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
            with process:
                self.assertTrue(process.stdout.readline())
                process.stdout.close()
                errors = process.stderr.read()
            self.assertEqual(process.returncode, 0, errors)
            self.assertNotIn(b"standard output", errors)

    def test_an_interrupt_leaves_whole_lines_in_order(self):
        capture = os.path.join(TESTDATA, LARGE[0])
        whole = self.run_program("-V", "-r", capture, "--threads", "1").stdout
        for threads in ("1", "2", "4"):
            with open(self.path("shown"), "wb") as shown:
                process = subprocess.Popen((PROGRAM, "-V", "-r", capture, "--threads", threads), stdout=shown, stderr=subprocess.PIPE,
                                           env=environment())
                with process:
                    time.sleep(0.01)
                    process.send_signal(signal.SIGINT)
                    process.stderr.read()
            got = read(self.path("shown"))
            self.assertTrue(whole.startswith(got))
            self.assertTrue(not got or got.endswith(b"\n\n"))

    def test_number_of_threads(self):
        for number in ("0", "257", "x", ""):
            self.bad("--threads %s: not a number from 1 to 256" % number, "--threads", number, "-r", RPING)
        self.same("-q", "-r", RPING)
        self.assertEqual(self.good("-q", "-r", RPING, "--threads", "256"), self.good("-q", "-r", RPING))


def ethernet(ethertype, length, frames):
    """A pcap of frames of an unknown protocol."""
    header = b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + b"\0" * 8 + b"\0\0\x04\0" + b"\x01\0\0\0"
    frame = b"\x02" * 12 + ethertype + bytes(range(256)) * (length // 256 + 1)
    frame = frame[:14 + length]
    size = len(frame).to_bytes(4, "little")
    return header + b"".join(i.to_bytes(4, "little") + b"\0" * 4 + size + size + frame for i in range(frames))
