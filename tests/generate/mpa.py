# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""MPA, DDP and RDMAP by RFC 5044, 5041 and 5040: FPDUs of one direction, with markers where required."""
import struct

INTERVAL = 512  # RFC 5044, 4.3
SEND, WRITE = 3, 0


def crc32c(data):
    """RFC 3720, 12.1: CRC-32C, reflected, initialised with ones and inverted."""
    value = 0xffffffff
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
    return value ^ 0xffffffff


def setup(reply, markers, crc, revision, private=b""):
    """An MPA Request or Reply. RFC 5044, 7.1."""
    return struct.pack(">16sBBH", b"MPA ID Rep Frame" if reply else b"MPA ID Req Frame", markers << 7 | crc << 6, revision, len(private)) + private


class Fpdu:
    """An FPDU that was sent: its range in the stream, and its content."""

    def __init__(self, start, end, facts, message):
        self.start, self.end, self.facts, self.message = start, end, facts, message


class Stream:
    """The FPDUs that one end sends. markers: the other end requested them. Its bytes begin after the Request or Reply."""

    def __init__(self, markers, crc):
        self.markers, self.crc = markers, crc
        self.data, self.fpdus, self.msn = bytearray(), [], 1

    def send(self, payload):
        """A Send of one segment. RFC 5041, 4.3; RFC 5040, 4.1."""
        head = struct.pack(">BBIIII", 0x41, 0x40 | SEND, 0, 0, self.msn, 0)
        facts = [("iwarp_ddp.tagged_flag", 0), ("iwarp_ddp.msn", self.msn), ("iwarp_ddp.mo", 0), ("iwarp_rdma.opcode", SEND)]
        self.msn += 1
        return self.add(head, payload, facts, {"kind": "send", "msn": self.msn - 1})

    def write(self, stag, offset, payload):
        """An RDMA Write of one segment. RFC 5041, 4.2."""
        head = struct.pack(">BBIQ", 0xc1, 0x40 | WRITE, stag, offset)
        facts = [("iwarp_ddp.tagged_flag", 1), ("iwarp_ddp.stag", stag), ("iwarp_ddp.tagged_offset", offset), ("iwarp_rdma.opcode", WRITE)]
        return self.add(head, payload, facts, {"kind": "write", "r_key": stag})

    def add(self, head, payload, facts, message):
        ulpdu = head + payload
        pad = -(2 + len(ulpdu)) % 4
        words = struct.pack(">H", len(ulpdu)) + ulpdu + bytes(pad)
        begin, length_at, reported = len(self.data), None, []
        for at in range(0, len(words) + 4, 4):
            if self.markers and len(self.data) % INTERVAL == 0:
                # back to ULPDU_Length; 0 in front of it (RFC 5044, 4.3)
                back = len(self.data) - length_at if at else 0
                reported += [("iwarp_mpa.marker_res", 0), ("iwarp_mpa.marker_fpduptr", back)]
                self.data += struct.pack(">HH", 0, back)
            if not at:
                length_at = len(self.data)
            self.data += words[at:at + 4]
        check = crc32c(self.data[begin:]) if self.crc else 0
        # least significant byte first: RFC 5044, 4.4
        sent = struct.pack("<I", check)
        self.data += sent
        reported += [("iwarp_mpa.ulpdulength", len(ulpdu)), ("iwarp_mpa.crc.status", "good" if self.crc else "off"),
                 ("iwarp_mpa.crc_check" if self.crc else "iwarp_mpa.crc", int.from_bytes(sent, "big"))]
        if pad:
            reported.append(("iwarp_mpa.pad", "00" * pad))
        fpdu = Fpdu(begin, len(self.data), reported + facts, dict(message, payload=bytes(payload)))
        self.fpdus.append(fpdu)
        return fpdu

    def to_marker(self):
        """Bytes up to the next marker, which a following FPDU would have in front of it if 0."""
        return -len(self.data) % INTERVAL
