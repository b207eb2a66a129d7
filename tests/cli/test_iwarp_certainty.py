# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Where the start of FPDUs is certain again after a gap in a stream without CRCs, held against a random model: payloads of the FPDUs that were sent
are random, or a file with captured iWARP, whose FPDUs are consistent and continue over those that carry them.
"""
import random
import struct

import capfile
import mpa
from cli import CliTest
from iwarp_scene import ACK, PSH, Connection

SENT, EMBEDDED = 0x5e000000, 0xe3000000
CONNECTIONS = 10
BYTES = 600000
SEGMENT = 1448


def put(stream, rng, mark, payload):
    """An FPDU whose tag or number shows which stream it belongs to. Few tags are used twice in a row, as by RPC-over-RDMA."""
    if rng.random() < 0.5:
        head = struct.pack(">BBIIII", 0x41, 0x43, 0, 0, mark + stream.msn, 0)
        stream.msn += 1
    else:
        head = struct.pack(">BBIQ", 0xc1, 0x40, mark + rng.choice((1, rng.randrange(1 << 20))), rng.getrandbits(40))
    stream.add(head, payload, [], {})


def captured_iwarp(rng, least, most):
    stream = mpa.Stream(False, False)
    while len(stream.data) < BYTES:
        put(stream, rng, EMBEDDED, rng.randbytes(rng.randrange(least, most)))
    return bytes(stream.data)


class IwarpCertainty(CliTest):
    def connection(self, rng, port):
        """The frames of a connection that loses one segment or two."""
        connection = Connection(port, setup=True)
        stream = connection.streams["a"]
        embedded, at = captured_iwarp(rng, *rng.choice(((0, 60), (20, 1400), (1400, 1428)))), 0
        while len(stream.data) < BYTES:
            size = rng.choice((1428, 4000, rng.randrange(9000)))
            is_embedded = rng.random() < 0.9
            put(stream, rng, SENT, embedded[at:at + size] if is_embedded else rng.randbytes(size))
            at += size if is_embedded else 0
        setup = len(connection.frames)
        for at in range(0, len(stream.data), SEGMENT):
            connection.frame("a", PSH | ACK, bytes(stream.data[at:at + SEGMENT]))
            if at // SEGMENT % 4 == 3:
                connection.frame("b", ACK)
        lost = setup + rng.randrange(20, 60)
        del connection.frames[lost:lost + rng.randrange(1, 3)]
        return connection.frames

    def rows(self):
        rng, frames = random.Random(5044), []
        for i in range(CONNECTIONS):
            frames += self.connection(rng, 50000 + i)
        path = self.path("embedded.pcap")
        capfile.write_pcap(path, 1, [(1_700_000_000_000_000_000 + i * 10_000, frame, len(frame)) for i, frame in enumerate(frames)])
        names = ("tcp.dstport", "tcp.len", "iwarp_mpa.ulpdulength", "iwarp_mpa.framing", "iwarp_ddp.stag", "iwarp_ddp.msn")
        options = [option for name in names for option in ("-e", name)]
        for row in self.lines("-r", path, "-T", "fields", "-E", "occurrence=a", *options):
            port, length, lengths, framing, tags, numbers = row.rstrip("\n").split("\t")
            marks = [int(tag, 16) & 0xff000000 for tag in tags.split(",") if tag] + [int(number) & 0xff000000 for number in numbers.split(",") if number]
            yield int(port), int(length or 0), len(lengths.split(",")) if lengths else 0, len(framing.split(",")) if framing else 0, marks

    def test_embedded_fpdus_are_never_certain(self):
        false_starts, recovered_in, certain_in = 0, set(), set()
        for port, length, count, recovered, marks in self.rows():
            if port < 50000 or not length:
                continue
            if recovered:
                false_starts += EMBEDDED in marks
                recovered_in.add(port)
            elif count and port in recovered_in:
                self.assertEqual(set(marks), {SENT}, port)
                certain_in.add(port)
        self.assertGreater(false_starts, 20)
        # in the others the gap was within an FPDU
        self.assertGreater(len(recovered_in), CONNECTIONS // 4)
        self.assertEqual(certain_in, recovered_in)


if __name__ == "__main__":
    import unittest
    unittest.main()
