# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Memory descriptors of SRP commands, and lengths in SRP units that contradict the SEND. SRP (ANSI INCITS 365), 5.6.2, 6.8, 6.9, 6.12."""
import json
import random
import struct

import ib
import net
from capfile import write_pcap
from cli import CliTest

QP = 0x55
NONE, DIRECT, INDIRECT, IMMEDIATE = range(4)
SENSE = bytes((0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0))


def command(out, into, counts, rest, more=0):
    return struct.pack(">BB3xBBBQ4xQBBBB", 2, 0, out << 4 | into, *counts, 1, 0, 0, 0, 0, more << 2) + b"\x2a" + bytes(15) + rest


def response(flags, sense_length, reason_length, rest):
    return struct.pack(">BB2xIQ2xBBIIII", 0xc1, 0, 1, 7, flags, 2, 0, 0, sense_length, reason_length) + rest


class Srp(CliTest):
    def dissect(self, units):
        path = self.path("srp.pcap")
        frames = [net.ethernet(net.roce_v2(ib.transport(4, payload=unit, destqp=QP, psn=i))).data for i, unit in enumerate(units)]
        write_pcap(path, 1, [(1700000000 * 10**9 + i, frame, len(frame)) for i, frame in enumerate(frames)])
        return [json.loads(line) for line in self.lines("-r", path, "-T", "json", "--decode-as", "qp=%d,srp" % QP)]

    def test_descriptors(self):
        rng, units, wanted = random.Random(1), [], []
        for _ in range(200):
            expected = {}

            def descriptor(name):
                values = rng.getrandbits(64), rng.getrandbits(32), rng.getrandbits(32)
                for key, value in zip(("addr", "rkey", "len"), ("0x%016x" % values[0], values[1], values[2])):
                    expected.setdefault("srp.buf." + name + key, []).append(value)
                return struct.pack(">QII", *values)

            def buffer(form, count):
                if form == DIRECT:
                    return descriptor("")
                if form == IMMEDIATE:
                    expected["srp.buf.imm_len"] = [12]
                    return struct.pack(">I", 12)
                if form == NONE:
                    return b""
                head, length = descriptor("table."), rng.getrandbits(32)
                expected.setdefault("srp.buf.data_len", []).append(length)
                return head + struct.pack(">I", length) + b"".join(descriptor("") for _ in range(count))

            forms = rng.randrange(4), rng.randrange(3)
            counts = [rng.randrange(4) if form == INDIRECT else 0 for form in forms]
            more = rng.choice((0, 0, 1, 4))
            long_cdb = rng.randbytes(4 * more)
            if more:
                expected["srp.cmd.add_cdb"] = [long_cdb.hex()]
            rest = long_cdb + buffer(forms[0], counts[0]) + buffer(forms[1], counts[1])
            units.append(command(*forms, counts, rest + (bytes(12) if forms[0] == IMMEDIATE else b""), more))
            wanted.append(expected)
        for record, expected in zip(self.dissect(units), wanted):
            found = {key: value if isinstance(value, list) else [value] for key, value in record.items() if key.startswith("srp.buf.") or key == "srp.cmd.add_cdb"}
            self.assertEqual(found, expected)
            self.assertNotIn("rdmatap.anomaly", record)

    def test_lengths_that_contradict_the_send(self):
        beyond, short = "length_beyond_frame", "malformed"
        cases = [(response(2, 18, 0, SENSE), None), (response(0, 18, 0, b""), None), (response(3, 18, 4, bytes(4) + SENSE), None),
                 (response(2, 252, 0, SENSE), beyond), (response(2, 0xffffffff, 0, SENSE), beyond), (response(3, 18, 0xffffffff, bytes(4) + SENSE), beyond),
                 (response(1, 0, 5, bytes(4)), beyond),
                 (struct.pack(">BBHIQIQII", 0x82, 0, 0, 1, 1, 0, 0, 18, 0) + SENSE, None),
                 (struct.pack(">BBHIQIQII", 0x82, 0, 0, 1, 1, 0, 0, 0xffffffff, 0) + SENSE, beyond),
                 (command(NONE, NONE, (0, 0), b""), None), (command(DIRECT, NONE, (0, 0), b""), short), (command(INDIRECT, NONE, (255, 0), bytes(20)), short),
                 (command(NONE, INDIRECT, (0, 255), bytes(300)), short), (command(NONE, DIRECT, (0, 0), bytes(16), 63), short),
                 (command(5, 9, (255, 255), bytes(40)), None)]
        found = [record.get("rdmatap.anomaly") for record in self.dissect([unit for unit, _ in cases])]
        self.assertEqual(found, [wanted and [wanted] for _, wanted in cases])
