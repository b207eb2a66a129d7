# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Memory descriptors of SRP commands, and lengths in SRP units that contradict the SEND. SRP (ANSI INCITS 365), 5.6.2, 6.8, 6.9, 6.12."""
import json
import random
import struct

import ib
import net
import scsi
from capfile import write_pcap
from cli import CliTest
from conversation import PMTU, Connection, Scene
from test_nvme import Nvme

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


class Lost(Nvme):
    """Commands of several packets of which some were not captured: the first packet has the command."""
    OLD = b"\x01" * 32 * 512

    def check(self, scene, at, new, present, immediate_lost=None):
        """The write of `new` at byte `at` is known; of the image, these bytes of it are present, the others missing, and none is wrong."""
        capture = self.capture(scene)
        images, missing = self.images(capture)
        image, = images.values()
        found = self.operations(capture)[:2]
        self.assertEqual([(o["name"], o.get("offset"), o.get("length"), o["complete"], o.get("status")) for o in found],
                         [("WRITE(10)", 0, len(self.OLD), True, "GOOD"), ("WRITE(10)", at, len(new), len(present) == len(new), "GOOD")])
        self.assertEqual(found[1]["data_bytes"], len(present))
        unknown = {i for _, offset, length, _ in missing for i in range(offset, offset + length)}
        self.assertEqual(unknown, {at + i for i in range(len(new))} - {at + i for i in present})
        expected = self.OLD[:at] + new + self.OLD[at + len(new):]
        self.assertEqual([i for i in range(len(expected)) if i not in unknown and image[i] != expected[i]], [])

    def begin(self, immediate_at, pieces=1):
        scene = Scene("srp", "")
        talk = scene.connection()
        talk.port = 0x4242
        login, answer = scsi.srp_login(b"i" * 16, b"t" * 16, immediate_at)
        talk.request(private=login)
        talk.reply(private=answer)
        talk.ready()
        host = scsi.Srp(talk)
        scene.put(*host.out(scsi.cdb10(0x2a, 0, 32), self.OLD))
        host.pieces = host.shown = pieces
        return scene, host

    def finish(self, scene, host, packets, answer, lost, late, after):
        again = [packets[number] for number in lost] if late else []
        scene.put(*[packet for number, packet in enumerate(packets) if number not in lost])
        scene.put(*(again if late == "before" else []), *answer, *(again if late == "after" else []))
        host.pieces = host.shown = 1
        for _ in range(after):
            scene.put(*host.out(scsi.cdb10(0x2a, 31, 1), self.OLD[:512]))

    def test_immediate_data(self):
        """It ends the SEND. Without the last packet, the login shows where it begins."""
        new = random.Random(1).randbytes(4096)
        for offset, known in ((80, 80), (52, 0)):
            count = (offset + len(new) + PMTU - 1) // PMTU
            for lost in ((1,), (count - 1,), (2, 5), tuple(range(1, count))):
                for late, more in ((None, (0, 60)), ("before", (0,)), ("after", (60,))):
                    for after in more:
                        with self.subTest(offset=offset, known=known, lost=lost, late=late, after=after):
                            scene, host = self.begin(known)
                            packets = host.immediate(scsi.cdb10(0x2a, 2, 8), new, offset)
                            self.finish(scene, host, packets[:-2], packets[-2:], lost, late, after)
                            gone = () if late else lost
                            present = [i for i in range(len(new)) if (offset + i) // PMTU not in gone]
                            self.check(scene, 1024, new, [] if count - 1 in gone and not known else present)

    def test_descriptors(self):
        """Data of those that were captured is known, if they follow the first without a gap."""
        new = random.Random(2).randbytes(30 * 256)
        for lost in ((1,), (2,), (1, 2)):
            for late in (None, "before"):
                for after in (0, 60):
                    with self.subTest(lost=lost, late=late, after=after):
                        scene, host = self.begin(0, 30)
                        packets = host.out(scsi.cdb10(0x2a, 2, 15), new)
                        count = (48 + 20 + 30 * 16 + PMTU - 1) // PMTU
                        self.assertEqual(count, 3)
                        again = [packets[number] for number in lost] if late else []
                        scene.put(*[packet for number, packet in enumerate(packets[:count + 1]) if number not in lost], *again, *packets[count + 1:])
                        host.pieces = host.shown = 1
                        for _ in range(after):
                            scene.put(*host.out(scsi.cdb10(0x2a, 31, 1), self.OLD[:512]))
                        whole = 30 if late else (lost[0] * PMTU - 48 - 20) // 16
                        self.check(scene, 1024, new, list(range(whole * 256)))
