# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The lines of packets in all captures of testdata: columns, widths and numbers, compared with fields and the files' headers."""
import os
import pty
import re
import struct
import subprocess
import unittest

from cli import CliTest, PROGRAM, TESTDATA, TIMEOUT, captures, environment, needs_terminal, read

LINK_ERF = 197
FIELDS = ("frame.number", "ip.src", "ip.dst", "infiniband.bth.destqp", "rdmatap.srcqp", "infiniband.deth.srcqp", "infiniband.bth.psn", "tcp.srcport",
          "tcp.dstport", "rpc.time", "infiniband.bth.opcode", "udp.length", "infiniband.bth.padcnt")
COLUMNS_OF_LIST = ("_ws.col.Info", "_ws.col.def_src", "_ws.col.DEF_DST")
TYPICAL, TERMINAL = 110, 120
# SEND, WRITE and READ response, middle and last, of RC and UC: only data
DATA = {service | operation for service in (0x00, 0x20) for operation in (0x01, 0x02, 0x07, 0x08, 0x0e)}
PACKET = re.compile(r" *(\d+) +(\d\d:\d\d:\d\d\.(\d+)) (.*)")
ENDS = re.compile(r"(\d[\d.]*)(:\w+)? > (\d[\d.]*)(:\w+)? +")
# operation, PSN, length
COLUMNS = re.compile(r"((?:.{8}){2,4}?)(?<= )((?=.{8}(?: |$)) *\d+)(?: ( *\d+))?(?![\w.])")
# SEND and WRITE without a header after the BTH
BARE = {0x00, 0x01, 0x02, 0x04, 0x07, 0x08}
# UDP header, BTH, invariant CRC
UDP_AND_BTH = 8 + 12 + 4
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def time_digits(data):
    """The digits of a capture file's time stamps: 6 or 9. None: they differ between its interfaces."""
    magic, = struct.unpack_from("<I", data)
    if magic != 0x0a0d0d0a:
        order = "<" if magic & 0xffff in (0xc3d4, 0x3c4d) else ">"
        magic, = struct.unpack_from(order + "I", data)
        link, = struct.unpack_from(order + "I", data, 20)
        return 9 if magic == 0xa1b23c4d or link & 0xffff == LINK_ERF else 6
    return None


def number(text):
    return int(text, 0)


class PacketLines(CliTest):
    KNOWN = {}

    def packets(self, path):
        """The line and the fields of each packet, of captures whose fields have no line ends. Each capture is read once for all tests."""
        if path not in self.KNOWN:
            lines = self.run_program("-n", "-t", "u", "--wide", "-r", path).stdout.decode().splitlines()
            options = [word for name in FIELDS + COLUMNS_OF_LIST for word in ("-e", name)]
            rows = self.run_program("-t", "u", "-T", "fields", "-E", "occurrence=l", *options, "-r", path).stdout.decode().splitlines()
            self.assertEqual(len(lines), len(rows), path)
            self.KNOWN[path] = [(line, dict(zip(FIELDS + COLUMNS_OF_LIST, row.split("\t")))) for line, row in zip(lines, rows)]
        return self.KNOWN[path]

    def test_lines_have_columns_and_the_numbers_of_fields(self):
        typical = ends_seen = sources = latencies = lengths = 0
        for path in captures():
            digits = time_digits(read(path)[:24]) if os.path.getsize(path) > 24 and len(read(path)) >= 24 else None
            for line, fields in self.packets(path):
                where = "%s: %s" % (path, line)
                match = PACKET.fullmatch(line)
                self.assertTrue(match, where)
                self.assertEqual(match.group(1), fields["frame.number"], where)
                self.assertEqual(line.index(" ", len(line) - len(line.lstrip())), max(5, len(match.group(1))), where)
                self.assertIn(len(match.group(3)), (digits,) if digits else (6, 9), where)
                self.assertEqual(line.rstrip(), line, where)
                rest = match.group(4)
                ends = ENDS.match(rest)
                if ends and fields["infiniband.bth.psn"] and rest.count(" > ") == 1:
                    ends_seen += 1
                    self.assertEqual((ends.group(1), ends.group(3)), (fields["ip.src"], fields["ip.dst"]), where)
                    self.assertEqual(number(ends.group(4)[1:]), number(fields["infiniband.bth.destqp"]), where)
                    source = fields["infiniband.deth.srcqp"] or fields["rdmatap.srcqp"]
                    self.assertEqual(bool(ends.group(2)), bool(source), where)
                    if source:
                        sources += 1
                        self.assertEqual(number(ends.group(2)[1:]), number(source), where)
                    self.assertTrue(ends.end() >= 32 and ends.end() % 8 == 0, where)
                    # management datagrams have one without information
                    columns = COLUMNS.match(rest[ends.end():])
                    if "fragment" not in rest and not re.match(r"(MAD|CM) ", rest[ends.end():]):
                        self.assertTrue(columns, where)
                        self.assertEqual(len(columns.group(2)), 8, where)
                        self.assertEqual(int(columns.group(2)), int(fields["infiniband.bth.psn"]), where)
                        if number(fields["infiniband.bth.opcode"]) in BARE and fields["udp.length"] and "absurd" not in path and not re.search(r"\[[a-z0-9]+_", rest):
                            lengths += 1
                            bytes_left = number(fields["udp.length"]) - UDP_AND_BTH - number(fields["infiniband.bth.padcnt"])
                            self.assertEqual(int(columns.group(3)), bytes_left, where)
                elif ends and fields["tcp.srcport"] and not fields["infiniband.bth.psn"] and rest.count(" > ") == 1:
                    self.assertEqual((ends.group(2), ends.group(4)), (":" + fields["tcp.srcport"], ":" + fields["tcp.dstport"]), where)
                if fields["infiniband.bth.opcode"] and int(fields["infiniband.bth.opcode"], 0) in DATA and ends \
                        and "[" not in rest and ": " not in rest and "fragment" not in rest:
                    typical += 1
                    self.assertLessEqual(len(line), TYPICAL, where)
                latency = re.search(r"\[to \d+, ([\d.]+) (\w+)\]", line)
                if latency and fields["rpc.time"]:
                    latencies += 1
                    measured = float(fields["rpc.time"])
                    self.assertAlmostEqual(float(latency.group(1)) * UNITS[latency.group(2)], measured, delta=measured * 0.006 + 1e-9, msg=where)
        self.assertGreater(typical, 1000)
        self.assertGreater(ends_seen, 5000)
        self.assertGreater(sources, 3000)
        self.assertGreater(latencies, 500)
        self.assertGreater(lengths, 3000)

    def test_iwarp_data_is_as_short(self):
        seen = 0
        for path in captures():
            if os.path.basename(path).startswith("iwarp-"):
                for line, fields in self.packets(path):
                    if re.search(r"  (Write|Read Response) +\d+ 0x\w+\+0x\w+( last)?$", line) and fields["ip.src"]:
                        seen += 1
                        self.assertLessEqual(len(line), TYPICAL, "%s: %s" % (path, line))
        self.assertGreater(seen, 30)

    def test_read_requests_of_iwarp_fit_with_dates(self):
        seen = 0
        for path in captures():
            if os.path.basename(path).startswith("iwarp-"):
                for line in self.lines("-n", "-t", "ad", "-r", path):
                    if re.search(r"\d+ > \S+ +Read Request +\d+ msn [^\[;]*$", line):
                        seen += 1
                        self.assertLessEqual(len(line), TERMINAL, "%s: %s" % (path, line))
        self.assertGreater(seen, 30)

    def test_lines_fit_a_terminal_of_120_columns(self):
        """A line that fits is the same with --wide. A longer one has lost text, and nothing in it is new but dots."""
        widths, longer = {True: [], False: []}, {}
        for path in captures():
            lines = self.run_program("-n", "-t", "u", "-r", path).stdout.decode().splitlines()
            for line, (wide, _) in zip(lines, self.packets(path), strict=True):
                where = "%s: %s: %s" % (path, line, wide)
                widths[os.path.basename(path).startswith(("roce-", "iwarp-"))].append(len(line))
                if len(wide) <= TERMINAL:
                    self.assertEqual(line, wide)
                    continue
                self.assertLessEqual(len(line), len(wide), where)
                if len(line) > TERMINAL:
                    longer[os.path.basename(path)] = longer.get(os.path.basename(path), 0) + 1
                rest = iter(wide)
                self.assertTrue(all(letter in rest for letter in line.replace("...", "")), where)
        everything = widths[True] + widths[False]
        self.assertGreater(len(everything), 20000)
        # several calls of NFS in a segment, with handles of files
        self.assertEqual(longer, {"iwarp-nfs41-midstream.pcap.gz": 2})
        # more than half of the packets have an upper layer, an address in memory or a note
        self.assertLess(sum(width > TYPICAL for width in widths[True]) / len(widths[True]), 0.3)

    def test_the_finest_of_several_inputs_gives_the_digits(self):
        micro = os.path.join(TESTDATA, "roce-rping-v4.pcap")
        nano = next(path for path in captures() if not path.endswith("ng") and len(read(path)) > 200 and time_digits(read(path)) == 9)
        lines = self.run_program("-n", "-t", "u", "-r", micro, "-r", nano).stdout.decode().splitlines()
        self.assertEqual({len(PACKET.fullmatch(line).group(3)) for line in lines}, {9})

    def test_number_and_length_are_those_of_the_frame(self):
        for path in captures()[::9]:
            rows = [line.split("\t") for line in self.lines("-r", path, "-T", "fields", "-e", "frame.number", "-e", "_ws.col.Number", "-e", "frame.len",
                                                            "-e", "_ws.col.length", "-e", "_ws.col.packet_length")]
            self.assertTrue(all(row[0] == row[1] and row[2] == row[3] == row[4] for row in rows), path)

    def test_info_is_the_line_after_the_ends(self):
        """The columns before it: number, time and the ends, which are those of def_src and def_dst."""
        with_ends = 0
        for path in captures():
            for line, fields in self.packets(path):
                info, source, destination = (fields[name] for name in COLUMNS_OF_LIST)
                where = "%s: %s: %s" % (path, line, fields)
                match = PACKET.fullmatch(line)
                self.assertTrue(match and line.endswith(info), where)
                before = match.group(4)[:len(match.group(4)) - len(info)].rstrip()
                # further addresses in an ICMP message are those of the packet that it quotes
                self.assertTrue("ICMP" in info or not re.search(r"\w[.:][\w.:\]]+ > ", info), where)
                self.assertEqual(info, info.strip(), where)
                if "[truncated]" in info or "[malformed]" in info:
                    continue
                if before and not re.search(r"(^|[ \[])" + re.escape(source), before):
                    # the frame in a tunnel has no other addresses
                    self.assertRegex(source, r"^(\w\w:){5}\w\w$|^$", where)
                elif before:
                    with_ends += 1
                    self.assertRegex(before, r"(^|[ \[])%s\]?(:\w+)? > \[?%s\]?(:\w+)?$" % (re.escape(source), re.escape(destination)), where)
        self.assertGreater(with_ends, 5000)


@needs_terminal
class Colour(CliTest):
    LOSSY = os.path.join(TESTDATA, "roce-verbmix-err-rnr.pcap")

    def on_terminal(self, *arguments, **changes):
        master, slave = pty.openpty()
        process = subprocess.Popen((PROGRAM,) + arguments, stdout=slave, stderr=subprocess.DEVNULL, env=environment(**changes))
        os.close(slave)
        output = b""
        try:
            while chunk := os.read(master, 65536):
                output += chunk
        except OSError:
            pass
        os.close(master)
        self.assertEqual(process.wait(TIMEOUT), 0)
        return output.replace(b"\r\n", b"\n")

    def test_colour_is_for_terminals_or_on_request(self):
        for arguments in (("-r", self.LOSSY), ("messages", self.LOSSY), ("stats", self.LOSSY), ("why", self.LOSSY)):
            plain = self.run_program(*arguments).stdout
            self.assertNotIn(b"\033", plain)
            always = self.run_program(*arguments, "--color", "always", env={"NO_COLOR": "1", "TERM": "dumb"}).stdout
            self.assertEqual(re.sub(rb"\033\[(3[135]|0)m", b"", always), plain)
            # usage text and findings have wrapped lines
            for line in always.splitlines() if arguments[0] not in ("stats", "why") else always.split(b"\033[0m"):
                if arguments[0] in ("stats", "why"):
                    self.assertRegex(line, rb"\A[^\033]*(\033\[3[135]m[^\033]*)?\Z")
                    continue
                self.assertRegex(line, rb"^[^\033]*$|^\033\[3[135]m[^\033]*\033\[0m$")
            terminal = self.on_terminal(*arguments, TERM="xterm")
            self.assertEqual(terminal, always)
            for words, changes in ((("--color", "never"), {"TERM": "xterm"}), ((), {"TERM": "xterm", "NO_COLOR": "1"}), ((), {"TERM": "dumb"})):
                self.assertEqual(self.on_terminal(*arguments, *words, **changes), plain)

    def test_repeated_and_rejected_packets_are_marked(self):
        marked = [line for line in self.run_program("-r", self.LOSSY, "--color", "always").stdout.decode().splitlines() if line.startswith("\033")]
        self.assertTrue(any("\033[31m" in line and " RNR NAK " in line for line in marked))
        self.assertTrue(any("\033[33m" in line and "[retransmission]" in line for line in marked))
        self.assertTrue(all("NAK" in line or "[" in line for line in marked))


class Times(CliTest):
    NFS = os.path.join(TESTDATA, "roce-nfs3-long.pcap")

    def test_lists_have_the_forms_of_packets(self):
        """In each time format, messages and operations have the time of the frame in which they begin."""
        for command, key in (("messages", "first_frame"), ("operations", "request_frame")):
            frames = [row.split("\t")[0] for row in self.lines(command, "-e", key, self.NFS)]
            for form in ("a", "ad", "e", "r", "u", "ud"):
                packets = [line.split() for line in self.lines("-r", self.NFS, "-t", form)]
                words = 2 if form in ("ad", "ud") else 1
                wanted = [packets[int(frame) - 1][words:words + 1] for frame in frames]
                ours = [line.split()[words:words + 1] for line in self.lines(command, "-t", form, self.NFS)]
                self.assertEqual(ours, wanted, (command, form))

    def test_deltas_are_from_the_line_before(self):
        for command in ("messages", "operations", "connections"):
            relative = [line for line in self.lines(command, self.NFS) if command != "connections" or not line.startswith(" ")]
            stamps = [float(line.split()[1]) for line in relative]
            for form in ("d", "dd"):
                deltas = [float(line.split()[1]) for line in self.lines(command, "-t", form, self.NFS)
                          if command != "connections" or not line.startswith(" ")]
                self.assertEqual(len(deltas), len(stamps))
                for i, delta in enumerate(deltas):
                    self.assertAlmostEqual(delta, stamps[i] - stamps[i - 1] if i else 0, delta=2e-9)

    def test_moments_of_findings_and_stories_have_them_too(self):
        path = os.path.join(TESTDATA, "roce-nfs3-write-lost.pcap.gz")
        for form in ("a", "ad", "e", "r", "u", "ud"):
            packet = self.lines("-r", path, "-t", form, "-Y", 'rdmatap.recovery == "timeout"')[0].split(None, 1)[1].split(" 10.0.")[0].strip()
            text = "\n".join(self.lines("stats", "-t", form, path))
            self.assertIn("(%s) [timeouts]" % packet[:-6], text, form)
            story = "\n".join(self.lines("why", "-t", form, path, "connection=1"))
            self.assertRegex(story, r"(?m)^ *%s  405 " % re.escape(packet[:-3]), form)
        for form in ("d", "dd"):
            self.assertEqual(self.run_program("stats", "-t", form, path).returncode, 2)
            story = self.lines("why", "-t", form, path, "connection=1")
            self.assertTrue(any(re.match(r" *[\d.]+ [mu]?s  405 ", line) for line in story), story)

    def test_deltas_of_a_sorted_list_are_refused(self):
        self.assertEqual(self.run_program("operations", "-t", "d", "--top", "3", self.NFS).returncode, 2)


if __name__ == "__main__":
    unittest.main()
