# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
The same transport on other networks: captures of RoCE v2 over IPv4, with the networks of their packets replaced by IPv6, RoCE v1, and InfiniBand
with and without GRH. Messages, connections, operations, broken rules, statistics and files must be the same, but for the names of the hosts.
"""
import json
import os
import re
import struct
import tempfile

import capfile
import crc
import ib
from cli import CliTest, TESTDATA

MACS = b"\x02\0\0\0\0\x01\x02\0\0\0\0\x02"
LINKS = {"InfiniBand": 247, "InfiniBand with GRH": 247}
UDP_PORT = 4791


def roce_v2(frame):
    """Source and destination address, traffic class, and what follows UDP in an untagged IPv4 frame; None: no RoCE."""
    if frame[12:14] != b"\x08\0" or frame[14] != 0x45 or frame[23] != 17 or frame[36:38] != struct.pack(">H", UDP_PORT):
        return None
    return frame[26:30], frame[30:34], frame[15], frame[42:14 + int.from_bytes(frame[16:18], "big")]


class Network:
    """Numbers the hosts of a capture, and addresses them by the number."""

    def __init__(self, kind, first=16):
        self.kind, self.first, self.hosts = kind, first, {}

    def number(self, address):
        return self.hosts.setdefault(address, self.first + len(self.hosts))

    def gids(self, ends):
        return b"".join(b"\xfd" + bytes(13) + struct.pack(">H", number) for number in ends)

    def lrh(self, ends, length, follows):
        return ib.lrh(8 + length, follows, slid=ends[0], dlid=ends[1])[0]

    def carry(self, source, destination, traffic_class, packet):
        """A frame. The UDP port is always 0: InfiniBand has nothing like it, by which queue pairs could be paired."""
        ends, body = (self.number(source), self.number(destination)), packet[:-4]
        udp = struct.pack(">HHHH", 0, UDP_PORT, 8 + len(packet), 0)
        grh = struct.pack(">IHBB", 6 << 28 | traffic_class << 20, len(packet), 0x1b, 64) + self.gids(ends)
        if self.kind == "IPv4":
            ip = struct.pack(">BBHHHBBH", 0x45, traffic_class, 28 + len(packet), 0, 0x4000, 64, 17, 0)
            ip += b"".join(struct.pack(">BBH", 10, 0, number) for number in ends)
            return MACS + b"\x08\0" + ip + udp + body + crc.icrc_v2(ip, udp, body)
        if self.kind == "IPv6":
            ip = struct.pack(">IHBB", 6 << 28 | traffic_class << 20, 8 + len(packet), 17, 64) + self.gids(ends)
            return MACS + b"\x86\xdd" + ip + udp + body + crc.icrc_v2(ip, udp, body)
        if self.kind == "RoCE v1":
            return MACS + b"\x89\x15" + grh + body + crc.icrc_global(grh, body)
        if self.kind == "InfiniBand with GRH":
            data = self.lrh(ends, 40 + len(packet), 3) + grh + body + crc.icrc_global(grh, body)
        else:
            link = self.lrh(ends, len(packet), 2)
            data = link + body + crc.icrc_local(link, body)
        return data + crc.vcrc(data)


DIFFERENT = ("filter", "file", "dscp")


def plain(value, key=""):
    """JSON with host numbers for addresses, without what names the network's own fields or counts its bytes."""
    if isinstance(value, dict):
        return {name: plain(member, name) for name, member in value.items() if name not in DIFFERENT and not (name == "bytes" and "frames" not in value)}
    if isinstance(value, list):
        return [plain(member) for member in value]
    if not isinstance(value, str):
        return value
    value = re.sub(r"lid (\d+)|LID (\d+)|10\.0\.0\.(\d+)", lambda found: "host %s" % (found[1] or found[2] or found[3]), value)
    return re.sub(r"\[?fd00::([0-9a-f]+)\]?", lambda found: "host %d" % int(found[1], 16), value)


class LinkLayers(CliTest):
    def on(self, kind, name):
        """The path of the capture on a network, and the options of diff that name its hosts as those on IPv4."""
        network = Network(kind)
        found = ((time, roce_v2(data)) for time, link, data, wire in capfile.timed(os.path.join(TESTDATA, name)) if link == 1 and len(data) == wire)
        frames = [(time, network.carry(*of_packet)) for time, of_packet in found if of_packet]
        path = self.path("%s.pcap" % kind.replace(" ", "-"))
        capfile.write_pcap(path, LINKS.get(kind, 1), [(time, data, len(data)) for time, data in frames])
        form = {"IPv4": "10.0.0.%d", "InfiniBand": "lid:%d"}.get(kind, "fd00::%x")
        return path, [option for number in network.hosts.values() for option in ("--map", "10.0.0.%d=%s" % (number, form % number))]

    def shown(self, path):
        shown = {command: [plain(json.loads(line)) for line in self.lines(command, "--json", path)]
                 for command in ("messages", "connections", "operations")}
        done = self.run_program("check", "--json", path)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        shown["check"] = [plain(json.loads(line)) for line in done.stdout.splitlines()]
        shown["files"] = self.files(path)
        shown["stats"] = [plain(json.loads(line)) for line in self.lines("stats", "--json", path)]
        return shown

    def files(self, path):
        found = {}
        with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
            self.good("export", "--files", folder, path)
            for above, _, names in os.walk(folder):
                for name in names:
                    with open(os.path.join(above, name), "rb") as f:
                        found[name] = f.read()
        return found

    def test_networks(self):
        for name in ("roce-rping-v4.pcap", "roce-nfs41-long.pcap", "roce-smbdirect.pcap.gz", "roce-srp.pcap.gz", "roce-rds.pcap"):
            first, _ = self.on("IPv4", name)
            wanted = self.shown(first)
            self.assertTrue(wanted["messages"] and wanted["connections"])
            for kind in ("IPv6", "RoCE v1", "InfiniBand", "InfiniBand with GRH"):
                path, named = self.on(kind, name)
                found = self.shown(path)
                with self.subTest(capture=name, network=kind, command="diff"):
                    self.assertEqual(self.good("diff", *named, first, path), b"")
                for command, rows in wanted.items():
                    with self.subTest(capture=name, network=kind, command=command):
                        self.assertEqual(found[command], rows)

    def test_join_of_ends_that_have_only_lids(self):
        """Two pairs of hosts with the same queue pair numbers, PSNs and data, 30 us apart, at two points."""
        found = [(time, roce_v2(data)) for time, _, data, _ in capfile.timed(os.path.join(TESTDATA, "roce-rping-v4.pcap"))]
        paths = []
        for point_ns in (0, 5000):
            frames = [(time + point_ns + later_ns, network.carry(*of_packet)) for network, later_ns in
                      ((Network("InfiniBand", 16), 0), (Network("InfiniBand", 48), 30000)) for time, of_packet in found if of_packet]
            paths.append(self.path("point-%d.pcap" % point_ns))
            capfile.write_pcap(paths[-1], 247, [(time, data, len(data)) for time, data in sorted(frames)])
        rows = [json.loads(line) for line in self.lines("join", "--json", *paths)]
        ways = [row for row in rows if row["kind"] == "direction"]
        self.assertEqual({(row["source"]["addr"], row["destination"]["addr"]) for row in ways},
                         {("lid %d" % a, "lid %d" % b) for a, b in ((16, 17), (17, 16), (48, 49), (49, 48))})
        self.assertEqual({(row["lost_packets"], row["doubled"], row["reordered"]) for row in ways}, {(0, 0, 0)})
        self.assertTrue(all(row["seen"] == [row["packets"]] * 2 for row in ways))


if __name__ == "__main__":
    import unittest
    unittest.main()
