# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Reserved bits of the transport headers, set in every packet of a capture: receivers ignore them (IBTA vol. 1, 9.2 and 9.3), so no other
field changes, nothing is rejected, and messages are the same.
"""
import json
import struct

import capfile
import crc
from cli import CliTest, RPING, read, records

ROCE, BTH, BTH_LENGTH = 4791, 42, 12
UD = (100, 101)
WITH_AETH = (13, 15, 16, 17)
# Header, opcodes that have it or None, offset of the byte from the BTH, its reserved bits: IBTA vol. 1, 9.2, 9.3.2, 9.3.5
ROWS = (("BTH, resv6", None, 4, 0x3f), ("BTH, resv7", None, 8, 0x7f), ("DETH", UD, BTH_LENGTH + 4, 0xff), ("AETH", WITH_AETH, BTH_LENGTH, 0x80))
# fields that contain the bits
WHOLE = {"infiniband.aeth.syndrome", "infiniband.invariant.crc"}


def with_bit(frame, opcodes, offset, bit):
    """The frame with the bit set and a correct invariant CRC, or unchanged if it has no such header."""
    if frame[12:14] != b"\x08\x00" or frame[23] != 17 or struct.unpack_from(">H", frame, 36)[0] != ROCE:
        return frame
    if opcodes and frame[BTH] not in opcodes:
        return frame
    changed = bytearray(frame)
    changed[BTH + offset] |= bit
    changed = bytes(changed)
    return changed[:-4] + crc.icrc_v2(changed[14:34], changed[34:42], changed[42:-4])


class Reserved(CliTest):
    def test_each_bit_changes_nothing_else(self):
        frames = records(read(RPING))[1]
        fields = [json.loads(line) for line in self.lines("-r", RPING, "-T", "json", "--check-icrc")]
        commands = (("messages", "--json"), ("connections", "--json"), ("canon",), ("stats", "--json"))
        expected = [self.good(*command, RPING) for command in commands]
        for header, opcodes, offset, mask in ROWS:
            for bit in (1 << i for i in range(8) if mask >> i & 1):
                changed = [(time, with_bit(frame, opcodes, offset, bit), wire) for time, frame, wire in frames]
                count = sum(one[1] != other[1] for one, other in zip(changed, frames))
                self.assertGreater(count, 3, header)
                path = self.path("changed.pcap")
                capfile.write_pcap(path, 1, changed)
                seen = 0
                for one, other in zip(fields, (json.loads(line) for line in self.lines("-r", path, "-T", "json", "--check-icrc")), strict=True):
                    names = {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
                    seen += bool(names)
                    self.assertEqual({name for name in names - WHOLE if "reserved" not in name}, set(), (header, bit, other))
                self.assertEqual(seen, count, (header, bit))
                for command, output in zip(commands, expected):
                    self.assertEqual(self.good(*command, path).replace(path.encode(), RPING.encode()), output, (header, bit, command))
