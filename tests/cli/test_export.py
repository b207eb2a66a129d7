# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap export."""
import os
import subprocess
import unittest

import nfs
from cli import CliTest, PipeTest, RPING, TESTDATA, TIMEOUT, has_sanitizers, interrupt_while_blocked, is_blocked_on_output, needs, read, records, wait_until
from session import Session
from tshark import tshark

NFS3 = os.path.join(TESTDATA, "roce-nfs3-long.pcap")
NFS41 = os.path.join(TESTDATA, "roce-nfs41-long.pcap")
IPV6 = os.path.join(TESTDATA, "roce-nfs3-v6.pcap.gz")
SMALL_MTU = os.path.join(TESTDATA, "roce-nfs40-mtu256.pcap.gz")
IWARP = os.path.join(TESTDATA, "iwarp-nfs41-midstream.pcap.gz")
IWARP_CRC = os.path.join(TESTDATA, "iwarp-nfs3-crctso.pcap.gz")
PARALLEL = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
RECALL = os.path.join(TESTDATA, "roce-nfs40-recall.pcap")
# fields that tshark shows for a message over any transport
SAID = ("rpc.xid", "rpc.msgtyp", "nfs.opcode", "nfs.procedure_v3", "nfs.nfsstat4", "nfs.status3", "nfs.count3", "nfs.count4")


def said(capture, selection):
    return sorted(tshark(capture, "-2", "-Y", selection, "-T", "fields", *(part for name in SAID for part in ("-e", name))))


class Files(CliTest):
    def test_the_contents_of_files_are_written(self):
        directory = self.path("files")
        self.good("export", "--files", directory, IPV6)
        files = [os.path.join(place, name) for place, _, names in os.walk(directory) for name in names]
        self.assertGreater(len(files), 3)
        self.assertGreater(sum(os.path.getsize(path) for path in files), 50000)

    def test_missing_ranges_are_listed(self):
        directory = self.path("files")
        done = self.run_program("export", "-s", "400", "--files", directory, IPV6)
        self.assertEqual(done.returncode, 0)
        rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
        self.assertGreater(len(rows), 3)
        self.assertTrue(all(len(row) == 4 and row[3] in ("snapped", "not_captured") and int(row[2]) > 0 for row in rows))

    def test_data_of_calls_cut_off_before_their_file_are_reported(self):
        directory = self.path("files")
        done = self.run_program("export", "-s", "96", "--files", directory, SMALL_MTU)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, rb"^\?\t0\t[1-9]\d+\tsnapped\n$")
        self.assertRegex(done.stderr, rb"\d+ RPC calls were cut off by the capture before the file handle or name")
        self.assertEqual(os.listdir(directory), [])

    def exported(self, name, *arguments):
        """(bytes by path, missing ranges by path) of an export."""
        directory, missing = self.path(name), {}
        done = self.run_program("export", "--files", directory, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        for path, offset, length, _ in (line.split("\t") for line in done.stdout.decode().splitlines()):
            missing.setdefault(path, []).append((int(offset), int(length)))
        paths = [os.path.join(place, file) for place, _, files in os.walk(directory) for file in files]
        return {os.path.relpath(path, directory): read(path) for path in paths}, missing

    def test_of_a_cut_capture_every_byte_is_right_or_missing(self):
        for capture in (IWARP, IWARP_CRC, IPV6):
            whole, _ = self.exported(os.path.basename(capture), capture)
            for snap in ("200", "400", "1000", "1200"):
                files, missing = self.exported("%s.%s" % (os.path.basename(capture), snap), "-s", snap, capture)
                self.assertEqual(bool(files), snap != "200" or capture == IPV6)
                for path, data in files.items():
                    known, at = whole.get(path, data), 0
                    for offset, length in sorted(missing.get(path, [])) + [(len(data), 0)]:
                        self.assertEqual(data[at:offset], known[at:offset], (capture, snap, path, at))
                        at = offset + length

    def test_both_exports_are_written_in_one_run(self):
        alone, both, directory = self.path("alone.pcap"), self.path("both.pcap"), self.path("files")
        self.good("export", "-w", alone, IPV6)
        self.good("export", "-w", both, "--files", directory, IPV6)
        self.assertEqual(read(alone), read(both))
        self.assertTrue(os.listdir(directory))

    def test_a_directory_that_is_in_use_or_cannot_be_made_is_refused(self):
        os.mkdir(self.path("used"))
        self.path(os.path.join("used", "x"), b"")
        self.bad("used", "export", "--files", self.path("used"), NFS3)
        self.bad("No such file", "export", "--files", self.path("no/files"), NFS3)
        self.assertEqual(os.listdir(self.path("used")), ["x"])


class Hostile(CliTest):
    NAMES = (b"../../etc/passwd", b"..", b"/etc/shadow", b"", b"x" * 255, b"y" * 300, b"nul\0nul", b"\x1b[31mred\x07\x9b", b"tab\tnewline\n",
             b"by-handle", "g\u00fct".encode())

    def capture(self, hole=False):
        """A file of each name, and 40 bytes written to it by a read chunk; hole: the bytes that were not captured."""
        s = Session("names", "")
        c = s.peers()
        for number, name in enumerate(self.NAMES):
            handle = b"handle of file %d" % number
            s.answer(s.call(c, nfs.create3(s.new_xid(), name)), nfs.create3_reply(s.xid, handle))
            regions = s.regions(40)
            call = s.call(c, nfs.write3(s.new_xid(), b"%-40d" % number, handle=handle), reads=[(0, regions, False)])
            for request, responses in s.pull(c, regions):
                s.put(request, *(() if hole else responses))
            s.answer(call, nfs.write3_reply(s.xid, 40))
        s.write(self.directory)
        return self.path(s.name + s.suffix)

    def test_names_stay_inside_the_directory(self):
        capture = self.capture()
        inside = self.path("deep")
        os.mkdir(inside)
        before = set(os.listdir(self.directory))
        self.good("export", "--files", os.path.join(inside, "files"), capture)
        self.assertEqual(os.listdir(inside), ["files"])
        self.assertEqual(set(os.listdir(self.directory)), before)
        found = [os.path.join(place, name) for place, _, names in os.walk(os.path.join(inside, "files")) for name in names]
        self.assertEqual(sorted(read(path) for path in found), sorted(b"%-40d" % number for number in range(len(self.NAMES))))
        for path in found:
            self.assertFalse(os.path.islink(path))
            self.assertTrue(os.path.basename(path).isprintable(), path)
            self.assertLessEqual(len(os.path.basename(path).encode()), 255)

    def test_names_are_shown_escaped(self):
        capture = self.capture(hole=True)
        done = self.run_program("export", "--files", self.path("files"), capture)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
        self.assertEqual(len(rows), len(self.NAMES))
        for row in rows:
            self.assertEqual(row[1:], ["0", "40", "not_captured"])
            self.assertTrue(row[0].isprintable(), row)
        for arguments in (("-r", capture), ("-r", capture, "-V"), ("-r", capture, "-T", "json"), ("messages", capture),
                          ("messages", "--rpc", "--json", capture), ("-r", capture, "-T", "fields", "-e", "nfs.name")):
            output = self.run_program(*arguments).stdout
            for byte in (b"\x1b", b"\x07", b"\0", b"\x9b"):
                self.assertNotIn(byte, output.replace("\u00fc".encode(), b""), arguments)

    def test_chunk_lists_and_messages_that_lie_harm_nothing(self):
        for name in ("calls", "overlap", "replies", "unfinished", "xdr"):
            capture = os.path.join(TESTDATA, "rpc_hostile-%s.pcap" % name)
            for memory in ("1M", "512M"):
                exported, directory = self.path(name + memory + ".pcap"), self.path(name + memory)
                self.lines("export", "--fill-holes", "--max-memory", memory, "-w", exported, "--files", directory, capture)
                self.lines("-r", exported, "-V")
                total = sum(os.path.getsize(os.path.join(place, file)) for place, _, files in os.walk(directory) for file in files)
                self.assertLess(total, 1 << 20)


class Tcp(CliTest):
    @needs("tshark")
    def test_tshark_shows_the_same_in_export_and_capture(self):
        for capture in (NFS3, NFS41, IPV6, SMALL_MTU, RECALL):
            exported = self.path("exported.pcapng")
            self.good("export", "-w", exported, capture)
            self.assertEqual(tshark(exported, "-2", "-Y", "tcp.analysis.flags || _ws.malformed"), [], capture)
            found = said(exported, "rpc")
            self.assertGreater(len(found), 10)
            self.assertEqual(found, said(capture, "rpc"), capture)

    def test_times_never_go_back(self):
        for capture in (NFS3, SMALL_MTU):
            exported = self.path("exported.pcap")
            self.good("export", "-w", exported, capture)
            times = [time for time, _, _ in records(read(exported))[1]]
            self.assertEqual(times, sorted(times))

    def test_the_export_is_written_to_standard_output_too(self):
        exported = self.path("exported.pcap")
        self.good("export", NFS3, "-w", exported)
        self.assertEqual(self.good("export", "-w", "-", NFS3), read(exported))

    def test_the_name_determines_the_format(self):
        plain, pcapng = self.path("x.pcap"), self.path("x.pcapng.gz")
        self.good("export", "-w", plain, NFS3)
        self.good("export", "-w", pcapng, NFS3)
        self.assertEqual(read(pcapng)[:4], b"\x0a\x0d\x0d\x0a")
        columns = ("-T", "fields", "-e", "frame.time_epoch", "-e", "tcp.seq_raw", "-e", "rpc.xid")
        self.assertEqual(self.lines("-r", plain, *columns), self.lines("-r", pcapng, *columns))

    def test_a_capture_without_rpc_gives_an_empty_file(self):
        exported = self.path("exported.pcap")
        self.good("export", "-w", exported, RPING)
        header, found = records(read(exported))
        self.assertEqual((len(header), found), (24, []))

    def test_messages_with_missing_bytes_are_counted(self):
        exported = self.path("exported.pcap")
        done = self.run_program("export", "-v", "-s", "400", "-w", exported, IPV6)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rb"\d+ RPC messages were omitted because bytes are missing")
        few = len(records(read(exported))[1])
        done = self.run_program("export", "-v", "-s", "400", "--fill-holes", "-w", exported, IPV6)
        self.assertRegex(done.stderr, rb"\d+ RPC messages have zeros where bytes are missing")
        self.assertGreater(len(records(read(exported))[1]), few)

    def test_wrong_usage_and_files_that_cannot_be_written_are_reported(self):
        copy = self.path("copy.pcap", read(NFS3))
        self.bad("nothing to write (name a file with -w, a directory with --files, a database with --sqlite, a trace with --trace, a log "
                 "with --blktrace)", "export", NFS3)
        self.bad("--fill-holes requires -w", "export", "--files", self.path("files"), "--fill-holes", NFS3)
        self.bad("would both write to standard output", "export", "--files", self.path("files"), "-w", "-", NFS3)
        self.bad("--files: the name of the file is empty", "export", "--files", "", NFS3)
        self.bad("nothing to read", "export", "-w", self.path("x.pcap"))
        self.bad("is an input too", "export", "-w", copy, copy)
        self.assertEqual(read(copy), read(NFS3))
        self.bad("No such file", "export", "-w", self.path("no/x.pcap"), NFS3)
        self.bad("No such file", "export", "-w", self.path("x.pcap"), self.path("none.pcap"))
        self.bad("No space left", "export", "-w", "/dev/full", IPV6)
        self.bad("-Y: no such option", "export", "-Y", "ip", "-w", self.path("x.pcap"), NFS3)

    def test_a_closed_pipe_is_a_quiet_end(self):
        done = subprocess.run("%s export -w - %s | head -c 100 >/dev/null; echo ${PIPESTATUS[0]}" % (os.environ.get("RDMATAP", "rdmatap"), IPV6),
                              shell=True, executable="/bin/bash", stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertEqual((done.stdout, done.stderr), (b"0\n", b""))

    @unittest.skipIf(has_sanitizers(), "sanitizers take memory of their own")
    def test_little_memory_is_enough(self):
        exported = self.path("exported.pcap")
        done = self.run_program("export", "--max-memory", "1M", "-v", "-w", exported, SMALL_MTU)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"RPC messages were written", done.stderr)


class Interrupts(PipeTest):
    def test_a_second_interrupt_ends_writing_with_a_whole_file(self):
        whole = self.good("export", "-w", "-", PARALLEL)
        process = self.start("export", "-w", "-", PARALLEL)
        wait_until(lambda: is_blocked_on_output(process))
        for _ in range(2):
            interrupt_while_blocked(process)
        output, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(errors, rb"not (examined|written): interrupted")
        header, found = records(output)
        self.assertLess(len(found), len(records(whole)[1]))
        self.assertEqual(sum(16 + len(frame) for _, frame, _ in found) + len(header), len(output))
