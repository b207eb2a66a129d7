# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The display filter language, against tshark's."""
import os
import sys
import unittest

from cli import CliTest, RPING, TESTDATA, TESTS, environment

sys.path.insert(0, TESTS)
import tshark_taps  # noqa: E402

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
TUNNELS = os.path.join(TESTDATA, "tunnels.pcap")
IWARP = os.path.join(TESTDATA, "iwarp-rping-v4-crc.pcap")

FILTERS = (
    "frame.len - 20000 < 10", "frame.len - 4 == 58", "frame.len +4 == 66", "-frame.len < 0", "count(ip.addr) == 2", "count(tcp.port) == 0",
    "len(frame) == 62", "len(ip.src) == 4", "len(udp.srcport) == 2", "udp.dstport == udp.srcport + 1", "udp.dstport & 1",
    "udp.dstport & udp.srcport", "frame.time_epoch + 1 > 5", "all udp.port == 4791", "any ip.addr != 10.0.0.1", "ip.addr === 10.0.0.1",
    "ip.addr !== 10.0.0.1", "ip.addr ~= 10.0.0.1", "frame matches \"\\x12\\xb7\"", "frame ~ r\"[^a]\"", "frame[-4:2] == 00:00",
    "frame[0-1,3:2] == 00:00:00:00", "frame[-4:] contains 00", "eth.src[1,2,3] == 00:00:00", "ip.src[1:2] == 00:00", "frame.len % 2 == 1",
    "frame.len / 0 == 1", "ip.src & 255.255.255.0 == 10.0.0.0", "frame[0] == 'R'", "frame.time > \"2020-01-01\"",
    "frame.time > \"Nov 14, 2030 22:13:20\"", "frame.time < \"2030-01-01 10:00:00Z\"", "udp.srcport + udp.dstport > 5000",
    "frame.len & 0xf0 == 0x30", "frame.len == 60 + 2", "ip.ttl == len(ip.src) * 16", "frame.len + 1", "frame.len - 62",
    "frame.number % 2 == 0 && frame.number <= {4 + 6}", "{frame.number % 2} == 0", "frame.number + 2 * 3 == 10", "frame.number & 3 + 1 == 4",
    "frame.number == frame.number & 0xf", "-frame.number == -5", "frame.number - 200 < frame.len", "frame[4-5][0] == 00",
    "all ip.addr in {10.0.0.0/24}", "all ip.src == ip.dst", "rpc.xid matches \"x\" or frame", "infiniband matches r\"NFS|rping\"",
    "any tcp.port != 4791 && all tcp.port > 1023", "count(vlan.id) == 2", "len(infiniband) > 200", "frame.len - ip.len == 14",
    "udp.length - 8 == ip.len - 28", "all ip.ttl == 64", "ip.ttl === 64", "count(ip) > 1", "ip.len - 20 - 8 > 100 or tcp.len + 40 == ip.len",
    "upper(nfs.name) contains \"FILE\"", "lower(nfs.name) matches \"^file\"", "len(nfs.name) > 8", "count(nfs.name) >= 1", "nfs.name[0:4] == \"file\"",
    "nfs.name matches r\"file[0-9]+\\.dat$\"", "nfs.name ~ \"HELLO\"", "nfs.name in {\"hello.txt\", \"file5001.dat\"}", "infiniband.bth.opcode in {4, 10..12, 17}",
    "not infiniband.bth.opcode in {17}", "infiniband.bth.psn & 3 == 1", "infiniband.bth.psn > 0xb5d000 && infiniband.bth.psn < 0xb5d600",
    "infiniband.reth.dmalen >= 1024", "infiniband.aeth.syndrome & 0x60 == 0", "any infiniband.bth.destqp > 0x100", "all infiniband.bth.destqp > 0x130",
    "rpc.xid & 0xff == 0x67", "rpc.msgtyp == 1 && rpcordma", "rpcordma.xid == rpc.xid", "frame[34:2] == c0:00 or frame[36:2] == 12:b7", "frame[-1] == 00",
    "eth.src[0:3] == eth.dst[0:3]", "udp[4:2] == 00:38", "udp.length in {40..100}", "udp.length == {ip.len - 20}", "frame.time_delta > 0.001",
    "frame.time_relative >= 0.5 && frame.time_relative < 0.9", "tcp.flags & 0x12 == 0x12", "tcp.flags.syn == 1 and not tcp.flags.ack", "tcp.len > 0 && tcp.len % 4 == 0",
    "tcp.srcport > tcp.dstport", "iwarp_mpa.fpdu", "iwarp_rdma.opcode == 3", "ip.id % 7 == 3", "ip.addr[3] == 02",
    "max(udp.srcport, udp.dstport) == 4791", "max(frame.len, 100) == 100", "max(tcp.srcport, udp.srcport) > 40000", "min(udp.port) == 4791",
    "max(ip.addr) == 10.0.0.2", "max(ip.src, ip.dst) == 10.0.0.2", "abs(frame.len - 200) < 50", "abs(-frame.len) == 62",
    "abs(frame.time_delta) < 0.001", "max(frame.len - 100, 0) == 0", "min(eth.src, eth.dst) == eth.src", "max(len(frame), 70) == 70",
    "abs(udp.srcport) > 5", "max(frame.time_delta, frame.time_relative) > 0.5", "min(nfs.name) == \"file5001.dat\"", "max(vlan.id) > 1",
    "max(ip.ttl, 65) == 65", "min(frame.number, 7, 9) == 7", "abs(20 - frame.number) <= 3", "max(tcp.len) - 8 > 0",
    "eth.src[0:3] == 00:1b:21", "eth.src[0:3] == 52:54:00", "eth.src[0:3] == 525400", "eth.src[0:3] == 52-54-00", "eth.src[3:] == aa:00:02",
    "eth.src[0:3] > 00:00:00", "eth.src[:2] == 5254", "eth.src[5] == 2", "eth.addr[5] == 01", "eth.src[0:3] contains 54", "eth.dst[0:3] != 52:54:00",
    "eth.addr[3:3] in {aa:00:02, aa:00:07}", "eth.src[0-2] == 52:54:00", "eth.dst[0] & 1", "eth.src[0] & 1 == 1", "eth.src[0:2] & 0f0f == 0204", "eth.src[5] & 3", "frame[0:4] & ff == 52",
    "eth.src[0] == 0x52", "eth.src[0] == 52", "eth.src[4:2] == 5", "eth.src[-1] == 02", "any eth.addr[4:2] == 00:01",
    "ip.src#1 == 10.1.2.3", "ip.src#2", "ip.addr#2 == 10.4.5.6", "not ip.src#2 and ip", "udp.port#[1-2] == 4791", "udp.dstport#2", "eth.src#2", "eth.src#1",
    "ipv6.src#[2-3]", "ip.src#3", "ip.src#1[0:2] == 0a:00", "count(ip.src#2) == 1", "ip.ttl#1 == ip.ttl#2", "any ip.addr#1 != ip.addr#2",
)

BAD_LAYERS = (
    ("ip.src#0", "the number of a layer such as 2, or [2-4]"), ("ip.src#x", "the number of a layer"), ("ip.src#[3-2]", "the number of a layer"),
    ("ip.src#[1-2", "\"]\""), ("ip.src#256", "the number of a layer"), ("ip.src#", "the number of a layer"), ("#1", ""),
    ("string(frame.number) == \"1\"", "there is no string(): compare the value itself"),
)


class Language(CliTest):
    def test_errors_in_layers_and_about_string_say_what_is_possible(self):
        for text, message in BAD_LAYERS:
            self.bad(message, "-r", TUNNELS, "-Y", text)
        self.bad("records do not have", "messages", RPING, "-Y", "message.length#1 > 3")

    @staticmethod
    def spelled_for_tshark(text):
        """tshark 4.4 counts 0 for a field that is absent, and reads bytes without 0x and colons as decimal: there, text as 4.0 understands it."""
        later = {"count(tcp.port) == 0": "tcp.port && count(tcp.port) == 0", "eth.src[0:3] contains 54": "eth.src[0:3] contains 0x54",
                 "eth.src[0] == 52": "eth.src[0] == 52:", "eth.src[0:2] & 0f0f == 0204": "eth.src[0:2] & 0f:0f == 02:04"}
        return later.get(text, text) if tshark_taps.release() != "4.0" else text

    @unittest.skipUnless(tshark_taps.available(), "tshark with Lua is missing")
    def test_each_filter_selects_the_frames_that_tshark_selects(self):
        asked = {self.spelled_for_tshark(text): text for text in FILTERS}
        tshark = tshark_taps.Tshark(["tshark", "-n", "-q"], asked, environment())
        self.addCleanup(tshark.close)
        for capture in (NFS, RPING, TUNNELS, IWARP):
            done, frames = tshark.run(capture)
            self.assertEqual(done.returncode, 0, done.stderr)
            taken = {asked[text]: found for text, found in frames.items() if found is not None}
            self.assertGreater(len(taken), 80)  # the others are of another tshark version
            for text, found in taken.items():
                ours = self.run_program("-r", capture, "-Y", text, "-T", "fields", "-e", "frame.number")
                self.assertEqual(ours.returncode, 0, (text, ours.stderr))
                self.assertEqual({int(line) for line in ours.stdout.split()}, found, (capture, text))
