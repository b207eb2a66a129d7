# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures whose frames are truncated: what is still known is what the whole capture shows."""
import json
import os
import random
import struct
import unittest

import ib
import net
from capfile import timed, write_pcap
from cli import CliTest, TESTDATA, has_sanitizers, read, records

NAMES = ("roce-iser.pcap.gz", "roce-nfs3.pcap.gz", "roce-nfs41-long.pcap", "roce-nvmeof.pcap.gz", "roce-smbdirect.pcap.gz", "roce-srp.pcap.gz")
LENGTHS = (160, 256) if has_sanitizers() else (110, 160, 200, 256, 400)
SAME = ("layer", "name", "offset", "length", "latency")
UNKNOWN = "COMPOUND", "truncated"


class Truncated(CliTest):
    def operations(self, capture):
        done = self.run_program("operations", "--json", capture)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = (json.loads(line) for line in done.stdout.splitlines())
        return {(each.get("request_frame"), each.get("response_frame"), each.get("id")): each for each in found}

    def truncated(self, header, frames, length):
        unit = 1 if header[:4] == b"\x4d\x3c\xb2\xa1" else 1000
        return self.path("truncated.pcap", header + b"".join(
            struct.pack("<IIII", at // 10**9, at % 10**9 // unit, len(data[:length]), wire) + data[:length] for at, data, wire in frames))

    @staticmethod
    def is_cut_off(path, whole):
        """Whether it ends within a name."""
        return path and len(path) < len(whole) and whole.startswith(path) and whole[len(path)] != "/" and not path.endswith("/")

    @staticmethod
    def retransmitted(frames, chance):
        """Some frames are sent again 10 ms later, before the next one or the two after it. Each IPv4 packet has another identification."""
        sent, later, delay = [], [], 0
        for i, (at, data, wire) in enumerate(frames):
            for wait, (again, length) in later:
                if not wait:
                    delay += 10**7
                    sent.append((at + delay - 1, again[:18] + struct.pack(">H", 40000 + i) + again[20:], length))
            later = [(wait - 1, again) for wait, again in later if wait]
            sent.append((at + delay, data, wire))
            if chance.random() < 0.3:
                later.append((chance.randrange(3), (data, wire)))
        return sent

    def compare(self, name, header, frames):
        whole, compared = self.operations(self.truncated(header, frames, 1 << 20)), 0
        for length in LENGTHS:
            for key, found in self.operations(self.truncated(header, frames, length)).items():
                known = whole.get(key)
                if not known or found["layer"] != known["layer"]:
                    continue
                compared += 1
                what = "%s, %d bytes, request in frame %s" % (name, length, key[0])
                fields = [field for field in SAME if field in found and found[field] not in UNKNOWN]
                self.assertEqual({field: found[field] for field in fields}, {field: known.get(field) for field in fields}, what)
                # the memory that a truncated request names is unknown, and what was lost there
                self.assertLessEqual(found.get("time_lost", 0), known.get("time_lost", 0), what)
                self.assertFalse(self.is_cut_off(found.get("object", ""), known.get("object", "")), "%s: %s" % (what, found.get("object")))
        self.assertGreater(compared, len(whole), name)

    def test_operations(self):
        for name in NAMES:
            header, frames = records(read(os.path.join(TESTDATA, name)))
            self.compare(name, header, frames)
            self.compare(name + ", retransmitted", header, self.retransmitted(frames, random.Random(name)))

    def test_no_identifier_is_made_up(self):
        for name in ("roce-nfs41-long.pcap", "iwarp-nfs3-crctso.pcap.gz"):
            header, frames = records(read(os.path.join(TESTDATA, name)))
            known = {key[2] for key in self.operations(self.truncated(header, frames, 1 << 20))}
            for length in range(56, 120, 4):
                found = {key[2] for key in self.operations(self.truncated(header, frames, length))}
                self.assertLessEqual(found, known, "%s, %d bytes" % (name, length))

    def test_frames_after_those_of_c_are_not_counted(self):
        capture = os.path.join(TESTDATA, "roce-smbdirect.pcap.gz")
        cut = [len(data) < wire for _, data, wire in records(read(capture))[1]]
        first = cut.index(True)
        for count, some in ((first, ""), (first + 1, "1 frame was"), (first + 50, "%d frames were" % sum(cut[:first + 50]))):
            for arguments in (("-q", "-r"), ("-r",), ("operations",), ("stats",)):
                done = self.run_program(*arguments, capture, "-c", str(count))
                self.assertEqual(done.stderr.decode(), some and "rdmatap: %s truncated by the capture\n" % some, (arguments, count))
        # -s truncates more of them, but the capture did not
        self.assertIn("rdmatap: 1 frame was truncated by the capture\n", self.run_program("-r", capture, "-s", "60", "-c", str(first + 1)).stderr.decode())

    def test_what_a_truncated_request_names_is_snapped(self):
        ends = {"src": "10.0.0.1", "dst": "10.0.0.2"}, {"src": "10.0.0.2", "dst": "10.0.0.1"}
        data = bytes(range(200))
        sent = ((0, ib.transport(0x04, payload=b"hello", destqp=0x22, psn=1)), (1, ib.transport(0x11, destqp=0x11, psn=1, msn=1)),
                (0, ib.transport(0x0c, destqp=0x22, psn=2, r_key=7, dmalen=len(data))),
                (1, ib.transport(0x10, payload=data, destqp=0x11, psn=2, msn=2)),
                (0, ib.transport(0x14, destqp=0x22, psn=3, r_key=7)), (1, ib.transport(0x12, destqp=0x11, psn=3, msn=3)))
        frames = [net.ethernet(net.roce_v2(packet, 4, ident=0, **ends[side])).data for side, packet in sent]
        path, unknown = self.path("snapped.pcap"), {"offset": 0, "reason": "snapped"}
        for length, read_holes, atomic_holes in ((58, [unknown, {"offset": 0, "length": 200, "reason": "snapped"}], None), (78, [
                {"offset": 20, "length": 180, "reason": "snapped"}], [unknown])):
            write_pcap(path, 1, [((1700000000 + i) * 10**9, frame[:length], len(frame)) for i, frame in enumerate(frames)])
            found = [json.loads(line) for line in self.run_program("messages", "--json", path).stdout.splitlines()]
            self.assertEqual(found[1]["missing"], read_holes, length)
            self.assertFalse(found[1]["complete"])
            if atomic_holes:
                self.assertEqual(found[2]["missing"], atomic_holes, length)


# Captures of headers outside of InfiniBand: every so many frames are cut at each byte
HEADERS = {"encapsulations.pcap": 7, "ppi.pcap": 3, "nflog.pcap": 2, "nflog-big-endian.pcap": 2, "vlan.pcap": 3, "pseudowires.pcap": 19}
OUTER = ("eth", "vlan", "ieee8021ad", "ieee8021ah", "vntag", "etag", "hsr", "macsec", "prp", "ppi", "nflog", "sll", "pppoe", "ppp", "trill", "nsh", "mpls",
         "gtp", "lisp-data", "geneve", "vxlan", "gre", "ip", "ipv6", "udp")


class Headers(CliTest):
    """No field of a frame that was cut has a value that it does not have in the whole frame, or one in another place."""

    def rows(self, link, frames, options):
        path = self.path("cuts.pcap")
        write_pcap(path, link, [(i * 2_000_000_000, data, wire) for i, (data, wire) in enumerate(frames)])
        return [row.rstrip("\n").split("\t") for row in self.lines("-r", path, "-T", "fields", "-E", "occurrence=a", *options)]

    def test_every_cut(self):
        names = sorted({line.split("\t")[0] for line in self.lines("fields")})
        names = [name for name in names if name.split(".")[0] in OUTER and not name.startswith(("ip.fragment", "ipv6.fragment"))]
        options = [option for name in names for option in ("-e", name)]
        for capture, step in HEADERS.items():
            found = list(timed(os.path.join(TESTDATA, capture)))[::step]
            frames = [(data[:cut], len(data)) for _, _, data, _ in found for cut in (len(data), *range(len(data)))]
            rows = self.rows(found[0][1], frames, options)
            self.assertEqual(len(rows), len(frames), capture)
            for (data, wire), row in zip(frames, rows):
                if len(data) == wire:
                    whole = row
                for name, cell, known in zip(names, row, whole):
                    self.assertTrue(not cell or (known + ",").startswith(cell + ","), (capture, len(data), name, cell, known))


if __name__ == "__main__":
    unittest.main()
