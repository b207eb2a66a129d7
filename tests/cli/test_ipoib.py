# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
IP over InfiniBand, connected (RFC 4755) and by datagrams (RFC 4391): whose packets these are is decided by the LIDs or GIDs and the queue pairs, not by
the IP addresses in the messages, of which one queue pair can carry many.
"""
import ib
import json
import capfile
import net
from cli import CliTest
from ib import Piece

A, B = (17, 0x870408), (4, 0xfc0407)  # LID, QPN
SEND_FIRST, SEND_LAST, SEND_ONLY, ACK, UD_SEND = 0x00, 0x02, 0x04, 0x11, 0x64
MTU = 2048


def ip(number, ports, length=40, version=4):
    """An IP packet after an IPoIB header, from another address each time."""
    piece = net.udp(Piece(bytes(length)), *ports)
    packet = net.ipv4(piece, src="10.0.0.%d" % (number + 1), dst="10.0.1.9") if version == 4 else net.ipv6(piece, src="fd00::%x" % (number + 1))
    return (b"\x08\0" if version == 4 else b"\x86\xdd") + bytes(2) + packet.data


class Ipoib(CliTest):
    def connection(self, route, **of_ip):
        """Eight messages of A, each acknowledged by B, the last with two packets: frames."""
        packets = []
        for number in range(8):
            message = ip(number, (1000 + number, 2000 + number), length=MTU if number == 7 else 40, **of_ip)
            parts = [message[at:at + MTU] for at in range(0, len(message), MTU)]
            for at, part in enumerate(parts):
                opcode = SEND_ONLY if len(parts) == 1 else (SEND_FIRST, SEND_LAST)[at]
                packets.append((A, B, ib.transport(opcode, part, destqp=B[1], psn=0xfffffc + number + at & 0xffffff, a=at + 1 == len(parts))))
            packets.append((B, A, ib.transport(ACK, b"", destqp=A[1], psn=0xfffffc + number + at & 0xffffff, syndrome=0x1f, msn=number + 1)))
        return [ib.native(packet, route=route and dict(zip(("sgid", "dgid"), route if source is A else route[::-1])), slid=source[0], dlid=to[0]).data
                for source, to, packet in packets]

    def write(self, frames):
        path = self.path("ipoib.pcap")
        capfile.write_pcap(path, 247, [(10**9 + number * 10000, frame, len(frame)) for number, frame in enumerate(frames)])
        return path

    def test_a_queue_pair_carries_many_addresses(self):
        for route in (None, ("fe80::2:c903:1:2", "fe80::2:c903:3:4")):
            for version in (4, 6):
                with self.subTest(route=route, version=version):
                    path = self.write(self.connection(route, version=version))
                    found = [json.loads(line) for line in self.lines("connections", "--json", path)]
                    self.assertEqual([(c["transport"], c["packets"], c["messages"], c["anomalies"]) for c in found], [("RC", 17, 8, {})])
                    ends = route or tuple("lid %d" % lid for lid, _ in (A, B))
                    self.assertEqual([(end["addr"], end["qpn"]) for end in (found[0]["a"], found[0]["b"])], [(ends[0], A[1]), (ends[1], B[1])])
                    messages = [json.loads(line) for line in self.lines("messages", "--json", path)]
                    self.assertEqual([message["answered_in"] for message in messages], [2, 4, 6, 8, 10, 12, 14, 17])

    def test_packets_that_other_threads_dissected(self):
        path = self.write(self.connection(None) * 1000)
        one, three = (self.lines("connections", "--json", "--threads", threads, path) for threads in ("1", "3"))
        self.assertEqual(len(one), 1)
        self.assertEqual(three, one)

    def test_datagrams(self):
        frames = [ib.native(ib.transport(UD_SEND, ip(number, (5000 + number, 53)), destqp=0x405, srcqp=0x404), slid=3, dlid=9).data for number in range(4)]
        found = [json.loads(line) for line in self.lines("connections", "--json", self.write(frames))]
        self.assertEqual([(c["transport"], c["a"]["addr"], c["b"]["addr"], c["packets"]) for c in found], [("UD", "lid 3", "lid 9", 4)])


if __name__ == "__main__":
    import unittest
    unittest.main()
