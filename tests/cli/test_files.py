# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Files that -w writes."""
import os
import struct
import subprocess

import capfile
from cli import CliTest, INFINIBAND, NANO, RPING, TESTDATA, captures, needs, read, records
from tshark import tshark

FRAME = ("-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.cap_len", "-e", "rdmatap.link_type")


class Save(CliTest):
    def test_saved_files_are_read_back_unchanged(self):
        """Every second file is compressed."""
        for number, capture in enumerate(captures()):
            options = ("-s", "262144") + FRAME
            shown = self.run_program("-r", capture, *options).stdout
            if len({line.split(b"\t")[3] for line in shown.splitlines()}) > 1:
                names = ("x.pcapng", "y.pcapng.gz")
            else:
                names = (("x.pcap", "x.pcapng.gz"), ("x.pcap.gz", "x.pcapng"))[number % 2]
            for name in names:
                saved = self.path(name)
                self.assertIn(self.run_program("-r", capture, "-w", saved).returncode, (0, 2))
                self.assertEqual(self.run_program("-r", saved, *options).stdout, shown, (capture, name))

    def test_pcap_has_nanoseconds_and_the_link_type(self):
        for capture, link_type in ((RPING, 1), (INFINIBAND, 247), (os.path.join(TESTDATA, "sll2.pcap"), 276)):
            saved = self.path("x.pcap")
            self.lines("-r", capture, "-w", saved)
            self.assertEqual(struct.unpack("<IHHiIII", read(saved)[:24])[::6], (0xa1b23c4d, link_type))
            self.assertEqual(records(read(saved))[1], records(read(capture))[1])

    def test_names_choose_form_and_compression(self):
        for name, magic in (("a.pcap", b"\x4d\x3c\xb2\xa1"), ("a", b"\x4d\x3c\xb2\xa1"), ("a.pcapng", b"\x0a\x0d\x0d\x0a"),
                            ("a.pcap.gz", None), ("a.pcapng.gz", None)):
            saved = self.path(name)
            self.assertEqual(self.good("-r", RPING, "-w", saved), b"")
            content = read(saved)
            with open(saved, "rb") as f:
                self.assertEqual(f.read(2) == b"\x1f\x8b", magic is None, name)
            self.assertEqual(content[:4], magic or content[:4])

    def test_standard_output_takes_the_same_bytes(self):
        saved = self.path("x.pcap")
        self.good("-r", RPING, "-w", saved)
        self.assertEqual(self.good("-r", RPING, "-w", "-"), read(saved))
        self.assertEqual(self.good("-r", RPING, "-l", "-w", "-"), read(saved))

    def test_only_matching_packets_are_saved_and_print_shows_them_too(self):
        saved = self.path("x.pcap")
        shown = self.good("-r", RPING, "-Y", "ip.src == 10.0.0.1", "-w", saved, "--print")
        self.assertEqual(shown, self.good("-r", RPING, "-Y", "ip.src == 10.0.0.1"))
        columns = ("-T", "fields", "-e", "frame.time_epoch", "-e", "ip.src", "-e", "infiniband.bth.opcode", "-e", "infiniband.bth.psn")
        self.assertEqual(self.good("-r", saved, *columns), self.good("-r", RPING, "-Y", "ip.src == 10.0.0.1", *columns))
        self.assertEqual(len(shown.splitlines()), len(self.good("-r", saved).splitlines()))
        self.assertEqual(self.good("-r", RPING, "-w", saved, "-q"), b"101 packets\n")

    def test_nothing_saved_is_still_a_capture_of_the_link_type(self):
        saved = self.path("x.pcap")
        self.good("-r", INFINIBAND, "-Y", "arp", "-w", saved)
        self.assertEqual((len(read(saved)), struct.unpack_from("<I", read(saved), 20)[0]), (24, 247))
        self.assertEqual(self.good("-r", saved), b"")

    def test_several_link_types_go_to_pcapng_only(self):
        saved = self.path("x.pcapng")
        self.lines("-r", RPING, "-r", INFINIBAND, "-w", saved)
        self.assertEqual(self.lines("-r", saved, *FRAME), self.lines("-r", RPING, "-r", INFINIBAND, *FRAME))
        self.bad("pcapng", "-r", RPING, "-r", INFINIBAND, "-w", self.path("x.pcap"))

    def interfaces(self, path):
        """(link type, snapshot length, {option: value}) of each interface of a little-endian pcapng file, and the interface of each packet."""
        data, at, found, packets = read(path), 0, [], []
        while at < len(data):
            kind, length = struct.unpack_from("<II", data, at)
            if kind == 1:
                link_type, snap, options, place = *struct.unpack_from("<H2xI", data, at + 8), {}, at + 16
                while place < at + length - 4:
                    code, size = struct.unpack_from("<HH", data, place)
                    options[code] = data[place + 4:place + 4 + size]
                    place += 4 + (size + 3) // 4 * 4
                found.append((link_type, snap, options))
            packets += struct.unpack_from("<I", data, at + 8) if kind == 6 else []
            at += length
        return found, packets

    def test_interfaces_of_a_file_are_described_with_their_packets(self):
        """Of thousands of interfaces, some before and some within the packets, the selected ones have name, description, speed, filter and snapshot length."""
        frame = records(read(RPING))[1][0][1]
        for count in (3, 5000):
            made, saved = capfile.Pcapng(), self.path("x.pcapng")
            made.section()
            for number in range(count):
                made.interface(1, 1000 + number, ((2, b"mlx5_%d" % number), (3, b"port %d" % number), (8, struct.pack("<Q", 10**9 * (number + 1))),
                                                  (9, b"\x09"), (11, b"\0udp port %d" % number)))
                made.packet(number, 10**18 + number, frame)
                made.packet(number // 2, 10**18 + number, frame)
            made.write(self.path("made.pcapng"))
            self.good("-r", self.path("made.pcapng"), "-Y", "frame.interface_id % 3 == 1", "-w", saved)
            found, packets = self.interfaces(saved)
            chosen = range(1, count, 3)
            self.assertEqual([(link_type, snap, options[2], options[3], options[8], options[11]) for link_type, snap, options in found],
                             [(1, 1000 + n, b"mlx5_%d" % n, b"port %d" % n, struct.pack("<Q", 10**9 * (n + 1)), b"\0udp port %d" % n) for n in chosen])
            numbers = [n for number in range(count) for n in (number, number // 2) if n % 3 == 1]
            self.assertEqual([chosen[packet] for packet in packets], numbers)

    @needs("tshark")
    @needs("capinfos")
    def test_other_programs_read_it(self):
        fields = ["-T", "fields", "-e", "frame.len", "-e", "frame.time_epoch"]
        for capture in (RPING, NANO):
            files = [self.path(name) for name in ("x.pcap", "x.pcapng", "x.pcap.gz", "x.pcapng.gz")]
            for saved in files:
                self.lines("-r", capture, "-w", saved)
                self.assertEqual(tshark(saved, *fields), self.lines("-r", capture, *fields), saved)
            reported = subprocess.run(["capinfos", "-M", "-c", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(reported.returncode, 0, reported.stderr)
            self.assertEqual(reported.stdout.count("File name:"), len(files))
