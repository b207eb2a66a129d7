# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the line of a SCSI command names, by SPC-5 and SBC-4: blocks, also of CDBs of 32 bytes, pages, service actions. Over SRP and iSER."""
import json
import os
import struct

import capfile
import scsi
from cli import CliTest, TESTDATA
from test_scsi_data import wires

LBA = 0x1122334455


def cdb(*first, length=16):
    return bytes(first).ljust(length, b"\0")


def sixteen(opcode, lba, blocks):
    return struct.pack(">BBQIBB", opcode, 0, lba, blocks, 0, 0)


def long(action, lba, blocks):
    return struct.pack(">B6xBHHQ8xI", 0x7f, 0x18, action, 0, lba, blocks)


LONG = {0x03: "XDREAD(32)", 0x04: "XDWRITE(32)", 0x06: "XPWRITE(32)", 0x07: "XDWRITEREAD(32)", 0x09: "READ(32)", 0x0a: "VERIFY(32)", 0x0b: "WRITE(32)",
        0x0c: "WRITE AND VERIFY(32)", 0x0d: "WRITE SAME(32)", 0x0e: "ORWRITE(32)", 0x0f: "WRITE ATOMIC(32)", 0x10: "WRITE STREAM(32)"}
COMMANDS = [
    (scsi.cdb10(0x2f, 7, 3), "VERIFY(10) LBA 7 3 blocks"), (sixteen(0x8f, LBA, 1), "VERIFY(16) LBA %d 1 block" % LBA),
    (struct.pack(">BBIIBB", 0xaf, 0, 8, 70000, 0, 0), "VERIFY(12) LBA 8 70000 blocks"),
    (scsi.cdb10(0x35, 0, 0), "SYNCHRONIZE CACHE(10)"), (scsi.cdb10(0x35, 9, 0), "SYNCHRONIZE CACHE(10) LBA 9 to the end"),
    (sixteen(0x91, LBA, 5), "SYNCHRONIZE CACHE(16) LBA %d 5 blocks" % LBA), (scsi.cdb10(0x34, 4, 2), "PRE-FETCH(10) LBA 4 2 blocks"),
    (sixteen(0x90, LBA, 2), "PRE-FETCH(16) LBA %d 2 blocks" % LBA), (scsi.cdb10(0x52, 3, 2), "XDREAD(10) LBA 3 2 blocks"),
    (struct.pack(">BBQHHBB", 0x9c, 0, LBA, 3, 16, 0, 0), "WRITE ATOMIC(16) LBA %d 16 blocks" % LBA),
    (cdb(0x5f, 1), "PERSISTENT RESERVE OUT RESERVE"), (cdb(0x5f, 6), "PERSISTENT RESERVE OUT REGISTER AND IGNORE EXISTING KEY"),
    (cdb(0x5e, 3), "PERSISTENT RESERVE IN READ FULL STATUS"), (cdb(0x5e, 9), "PERSISTENT RESERVE IN"),
    (cdb(0xa3, 0x0a), "REPORT TARGET PORT GROUPS"), (cdb(0xa3, 0x0c), "REPORT SUPPORTED OPERATION CODES"), (cdb(0xa3, 0x1e), "MAINTENANCE IN"),
    (cdb(0x12), "INQUIRY"), (cdb(0x12, 1, 0x83), "INQUIRY Device Identification"), (cdb(0x12, 1, 0xc1), "INQUIRY page 0xc1"),
    (cdb(0x1a, 0, 0x48), "MODE SENSE(6) page 0x08"), (cdb(0x5a, 0, 0x3f), "MODE SENSE(10) page 0x3f"), (cdb(0x4d, 0, 0x4d), "LOG SENSE page 0x0d"),
    (cdb(0x48, 2), "SANITIZE BLOCK ERASE"), (cdb(0x56), "RESERVE(10)"), (cdb(0x7f, 0, 0, 0, 0, 0, 0, 24, 0x12, 0x34), "variable length CDB"),
    (long(0x11, LBA, 3), "WRITE SCATTERED(32)"),
] + [(long(action, LBA, 3), "%s LBA %d 3 blocks" % (name, LBA)) for action, name in LONG.items()]


class Lines(CliTest):
    def captures(self, commands):
        for scene, initiator in wires():
            for command in commands:
                scene.put(*initiator.out(command.ljust(16, b"\0"), b""))
            path = self.path("scene.pcap")
            scene.write_capture(path)
            yield path, type(initiator).__name__

    def test_lines(self):
        for path, kind in self.captures([command for command, _ in COMMANDS]):
            found = [line.split(" LUN 0 ")[1].split(" [")[0] for line in self.lines("-r", path) if " LUN 0 " in line]
            self.assertEqual(found, [text for _, text in COMMANDS], kind)

    def test_fields(self):
        for path, kind in self.captures([long(9, LBA, 16), cdb(0x57, 0x10, 0, 0xab, 0, 0, 0, 0x12, 0x34), cdb(0x56, 0x12, 0, 0xab)]):
            rows = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "scsi_sbc.opcode")]
            names = ("scsi.spc.addcdblen", "scsi.spc.svcaction", "scsi.cdb.lba", "scsi.cdb.xferlen", "scsi.release.flags", "scsi.release.thirdpartyid",
                     "scsi.cdb.paramlen16")
            self.assertEqual([[row.get(name) for name in names] for row in rows],
                             [[24, 9, "0x%016x" % LBA, 16, None, None, None], [None] * 4 + [0x10, "ab", 0x1234], [None] * 4 + [0x12, None, 0]], kind)

    def test_truncated(self):
        """Where the second half of a CDB was not captured the blocks are unknown."""
        path, kind = next(self.captures([long(9, LBA, 16)]))
        frames = [(time, data) for time, _, data, _ in capfile.timed(path)]
        for cut, text in ((102, "READ(32)"), (117, "READ(32)"), (1000, "READ(32) LBA %d 16 blocks" % LBA)):
            short = self.path("cut.pcap")
            capfile.write_pcap(short, 1, [(time, data[:cut], len(data)) for time, data in frames])
            found = [line.split(" LUN 0 ")[1].split(" [")[0].rstrip() for line in self.lines("-r", short) if " LUN 0 " in line]
            self.assertEqual(found, [text], (kind, cut))

    def test_responses_name_the_command(self):
        for name, layer in (("roce-srp.pcap.gz", "SRP"), ("roce-iser.pcap.gz", "iSER")):
            path, count = os.path.join(TESTDATA, name), 0
            lines = {int(line.split()[0]): line for line in self.lines("-r", path, "--wide")}
            for o in map(json.loads, self.lines("operations", "--json", path)):
                line = lines.get(o.get("response_frame"), "")
                if o["layer"] in ("srp", "iser") and "opcode" in o and o.get("status") == "GOOD":
                    self.assertIn(": %s %s GOOD [to %d," % (layer, o["name"], o["request_frame"]), line)
                    count += 1
            self.assertGreater(count, 20)


if __name__ == "__main__":
    import unittest
    unittest.main()
