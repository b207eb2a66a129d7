# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The display filter's language, against tshark's."""
import os
import subprocess

from cli import CliTest, RPING, TESTDATA, needs

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
)


@needs("tshark")
class Language(CliTest):
    def frames(self, output):
        return [int(line) for line in output.split()]

    def test_each_filter_selects_the_frames_that_tshark_selects(self):
        chosen = 0
        captures = (NFS, RPING, TUNNELS, IWARP)
        for i, text in enumerate(FILTERS):
            capture = captures[i % len(captures)]
            peer = subprocess.run(["tshark", "-n", "-r", capture, "-Y", text, "-T", "fields", "-e", "frame.number"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, TZ="UTC"))
            if peer.returncode:  # another version's language
                continue
            chosen += 1
            ours = self.run_program("-r", capture, "-Y", text, "-T", "fields", "-e", "frame.number")
            self.assertEqual(ours.returncode, 0, (text, ours.stderr))
            self.assertEqual(self.frames(ours.stdout), self.frames(peer.stdout), (capture, text))
        self.assertGreater(chosen, 50)
