# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""SCSI by SRP and by iSER on one queue pair: units by T10, RFC 7143 and RFC 7145."""
import struct

BLOCK = 512
GOOD, CHECK_CONDITION, TASK_ABORTED = 0x00, 0x02, 0x40


def cdb10(opcode, lba, blocks, flags=0):
    return struct.pack(">BBIBHB", opcode, flags, lba, 0, blocks, 0).ljust(16, b"\0")


def cdb16(opcode, lba, blocks, flags=0):
    return struct.pack(">BBQIBB", opcode, flags, lba, blocks, 0, 0)


def cdb6(opcode, lba, blocks):
    return struct.pack(">BBHBB", opcode, lba >> 16, lba & 0xffff, blocks, 0).ljust(16, b"\0")


def fixed_sense(key, code):
    return struct.pack(">BBB4sB4sHBB", 0x70, 0, key, b"", 10, b"", code, 0, 0).ljust(18, b"\0")


def descriptor_sense(key, code):
    return struct.pack(">BBHxxxB", 0x72, key, code, 0)


def unmap_list(*pairs):
    body = b"".join(struct.pack(">QII", lba, blocks, 0) for lba, blocks in pairs)
    return struct.pack(">HHI", len(body) + 6, len(body), 0) + body


EXTENDED_COPY = 0x83


def designator(number, kind=3, association=0, code_set=1):
    """SPC-5, 7.7.6: an NAA designator of 16 bytes."""
    return struct.pack(">BBxBQQ", code_set, association << 4 | kind, 16, 0x6 << 60, number)


def identification(*designators):
    """VPD page 83h."""
    body = b"".join(designators)
    return struct.pack(">BBH", 0, 0x83, len(body)) + body


def inquiry_cdb(page, length=252):
    return struct.pack(">BBBHB", 0x12, 1, page, length, 0).ljust(16, b"\0")


def block_device(size, name=designator(0)):
    """A descriptor of a copy's source or destination by an identifier, with the bytes of a block: SPC-4, 6.4.5.6."""
    return struct.pack(">BB2x24sI", 0xe4, 0, name, size)


def copied_blocks(first, to, blocks, counts_destination=False):
    """SPC-4, 6.4.6.3: from device 0 to device 1."""
    return struct.pack(">BBHHHHHQQ", 0x02, counts_destination << 1, 24, 0, 1, 0, blocks, first, to)


def copied_bytes(first, to, length, offset, from_offset=0):
    """SPC-4, 6.4.6.11."""
    return struct.pack(">BBHHHIQQHH", 0x0a, 0, 28, 0, 1, length, first, to, from_offset, offset)


def copy_list(segments, sizes=(512, 512), long=False, names=(designator(0), designator(0))):
    """The parameter list of EXTENDED COPY: SPC-4, 6.4.1; with a list identifier of four bytes 6.5.1."""
    devices, segments = b"".join(block_device(size, name) for size, name in zip(sizes, names)), b"".join(segments)
    if long:
        return struct.pack(">BBH11xBB3xI18xHHH", 1, 0, 32, 0, 0xff, 7, len(devices), len(segments), 0) + devices + segments
    return struct.pack(">BBHIII", 1, 0, len(devices), 0, len(segments), 0) + devices + segments


def token_list(*pairs):
    """The parameter list of WRITE USING TOKEN: SBC-4, 5.58.2."""
    ranges = b"".join(struct.pack(">QI4x", *pair) for pair in pairs)
    return struct.pack(">HBx4xQ512s6xH", 534 + len(ranges), 0, 0, b"token", len(ranges)) + ranges


INITIATOR, TARGET = b"iqn.2026-01.org.example:host", b"iqn.2026-01.org.example:disk"


def srp_login(initiator, target, immediate_at=0):
    """The private data of REQ and REP over the RDMA CM: the login of Linux, and the target's response. SRP, 6.2 and 6.3."""
    return (struct.pack(">QHBBI16s16sH6x", 0, 6, 1, 0, 8260, initiator, target, immediate_at),
            struct.pack(">B3xIQIIH", 0xc0, 63, 0, 8260, 8260, 6).ljust(52, b"\0"))


class Srp:
    """SRP-2, chapter 6."""
    layer = "srp"

    def __init__(self, talk, pieces=1, shown=None):
        """shown: descriptors that a command contains; the target reads the table of all."""
        self.talk, self.tag, self.pieces, self.shown = talk, 0, pieces, pieces if shown is None else shown

    def send(self, name, data, key=None):
        packets = self.talk.send(name, 0, data=data, inv=key)
        return packets + [self.talk.ack(packets[-1])]

    def descriptors(self, address, key, length):
        """(format, count, bytes): direct, or a table of `pieces` descriptors whose memory is not in the order of the data."""
        if self.pieces == 1:
            return 1, 0, struct.pack(">QII", address, key, length)
        rows = self.table(address, key, length)
        return 2, self.shown, struct.pack(">QIII", 0xdead0000 + self.tag * 0x1000, 0x77, len(rows), length) + rows[:16 * self.shown]

    def table(self, address, key, length):
        part = length // self.pieces
        return b"".join(struct.pack(">QII", address + (self.pieces - 1 - i) * part, key, part) for i in range(self.pieces))

    def reading(self, key, address, data):
        request, responses = self.talk.read("b", len(data), key, address, data)
        return [request] + responses

    def table_read(self, address, key, length):
        return [] if self.shown == self.pieces else self.reading(0x77, 0xdead0000 + self.tag * 0x1000, self.table(address, key, length))

    def command(self, lun, cdb, out=(0, 0, b""), into=(0, 0, b"")):
        """A CDB of more than 16 bytes continues after them."""
        return (struct.pack(">BB3xBBBQ4xHxxxxxxxBBB", 2, 0, out[0] << 4 | into[0], out[1], into[1], self.tag, lun, 0, 0, len(cdb) - 16) + cdb +
                out[2] + into[2])

    def answer(self, status=GOOD, sense=b"", unused=(0, 0)):
        """unused: bytes of the buffers out and in that the command did not need."""
        flags = (2 if sense else 0) | (8 if unused[0] else 0) | (0x20 if unused[1] else 0)
        unit = struct.pack(">BBxxiQxxBBIIII", 0xc1, 0, 1, self.tag, flags, status, *unused, len(sense), 0) + sense
        return self.send("b", unit)

    def parts(self, address, data):
        """The transfers: (address, bytes), in the order of the data."""
        part = len(data) // self.pieces
        return [(address + (self.pieces - 1 - i) * part, data[i * part:(i + 1) * part]) for i in range(self.pieces)]

    def next(self):
        self.tag += 1
        return 0x1000 + self.tag * 0x100, 0x7f0000000000 + self.tag * 0x100000

    def out(self, cdb, data, lun=0, status=GOOD, sense=b""):
        key, address = self.next()
        packets = self.send("a", self.command(lun, cdb, self.descriptors(address, key, len(data)) if data else (0, 0, b"")))
        packets += self.table_read(address, key, len(data)) if data else []
        for at, part in self.parts(address, data) if data else ():
            packets += self.reading(key, at, part)
        return packets + self.answer(status, sense)

    def into(self, cdb, data, lun=0, status=GOOD, sense=b""):
        key, address = self.next()
        packets = self.send("a", self.command(lun, cdb, into=self.descriptors(address, key, len(data))))
        packets += self.table_read(address, key, len(data))
        if status == GOOD:
            for at, part in self.parts(address, data):
                packets += self.talk.write("b", len(part), key, at, data=part)
        return packets + self.answer(status, sense)

    def immediate(self, cdb, data, at):
        """Linux's extension: the data ends the SEND, from byte `at` on."""
        self.next()
        unit = self.command(0, cdb, (3, 0, struct.pack(">I", len(data))))
        return self.send("a", unit.ljust(at, b"\0") + data) + self.answer()

    def less(self, cdb, data, room, is_out=False):
        """The command needs only this data of a buffer of `room` bytes."""
        key, address = self.next()
        memory = self.descriptors(address, key, room)
        packets = self.send("a", self.command(0, cdb, *((memory,) if is_out else ((0, 0, b""), memory))))
        packets += self.reading(key, address, data) if is_out else self.talk.write("b", len(data), key, address, data=data)
        return packets + self.answer(unused=(room - len(data), 0) if is_out else (0, room - len(data)))

    def task(self, function, result, lun=0):
        """Task management, and its response. SRP, 6.7 and 6.9."""
        self.next()
        unit = struct.pack(">BB6xQ4xHxxxxxxxxBxQ8x", 1, 0, self.tag, lun, function, self.tag - 1)
        answer = struct.pack(">BBxxiQxxBBIIII", 0xc1, 0, 1, self.tag, 1, 0, 0, 0, 0, 4) + struct.pack(">I", result)
        return self.send("a", unit) + self.send("b", answer)

    def target_units(self):
        """Requests of the target: credits, an event with sense data, the end."""
        return (self.send("b", struct.pack(">BBxxiQ", 0x81, 0, 5, 0x1001)) + self.send("a", struct.pack(">B7xQ", 0x41, 0x1001)) +
                self.send("b", struct.pack(">BBxxiQ4xHxxxxxxI4x", 0x82, 0, 1, 0x1002, 7, 18) + fixed_sense(6, 0x2900)) +
                self.send("a", struct.pack(">B7xQ", 0x42, 0x1002)) + self.send("b", struct.pack(">BBxxIQ", 0x80, 0, 1, 0x1003)))

    def abort(self, answer):
        """The last command is aborted: its response is sent with that of the task management."""
        return self.task(1, 0) + answer


class Iser(Srp):
    """RFC 7145, 9.2; RFC 7143, 11.3 and 11.4."""
    layer = "iser"

    def __init__(self, talk, immediate=0, of_all=False, piece=1 << 20):
        """of_all: the address is that of all data, as RFC 7145, 6.9, has it by default, not of the data that the target reads, `piece` bytes at a time."""
        super().__init__(talk)
        self.immediate, self.of_all, self.piece = immediate, of_all, piece

    def unit(self, opcode, lun, cdb, length, out=(0, 0), into=(0, 0), data=b""):
        header = struct.pack(">B3xIQIQ", 0x10 | (8 if out[1] else 0) | (4 if into[1] else 0), out[1], out[0], into[1], into[0])
        flags = 0x80 | (0x40 if into[1] else 0) | (0x20 if out[1] or data else 0)
        more = struct.pack(">HBx", len(cdb) - 15, 1) + cdb[16:] if len(cdb) > 16 else b""  # RFC 7143, 11.2.2.3
        pdu = struct.pack(">BBHB3sHHIIIII", opcode, flags, 0, len(more) // 4, len(data).to_bytes(3, "big"), lun, 0, 0, self.tag, length, 1, 1)
        return header + pdu + cdb[:16] + more + data.ljust((len(data) + 3) // 4 * 4, b"\0")

    def answer(self, status=GOOD, sense=b"", unused=(0, 0)):
        data = struct.pack(">H", len(sense)) + sense if sense else b""
        flags = 0x80 | (8 if all(unused) else 0) | (2 if any(unused) else 0)
        words = (unused[1], unused[0]) if all(unused) else (0, sum(unused))
        pdu = struct.pack(">BBBBB3s8xIIIIIIII", 0x21, flags, 0, status, 0, len(data).to_bytes(3, "big"), self.tag, 0, 1, 1, 9, 0, *words)
        return self.send("b", bytes([0x10]) + bytes(27) + pdu + data.ljust((len(data) + 3) // 4 * 4, b"\0"))

    def out(self, cdb, data, lun=0, status=GOOD, sense=b""):
        key, address = self.next()
        inside, rest = data[:self.immediate], data[self.immediate:]
        packets = self.send("a", self.unit(1, lun, cdb, len(data), (address, key) if rest else (0, 0), data=inside))
        start = address + (len(inside) if self.of_all else 0)
        for at in range(0, len(rest), self.piece):
            request, responses = self.talk.read("b", len(rest[at:at + self.piece]), key, start + at, rest[at:at + self.piece])
            packets += [request] + responses
        return packets + self.answer(status, sense)

    def unsolicited(self, cdb, data, burst, part, lun=0, status=GOOD):
        """A write with Data-Out PDUs of `part` bytes up to `burst`, then memory: RFC 7143, 11.7. As Linux, the address is that of the rest, without of_all."""
        key, address = self.next()
        inside, rest = data[:self.immediate], data[burst:]
        unit = bytearray(self.unit(1, lun, cdb, len(data), (address + (0 if self.of_all else burst), key) if rest else (0, 0), data=inside))
        unit[29] = unit[29] & 0x7f | 0x20
        packets = self.send("a", bytes(unit))
        for number, at in enumerate(range(self.immediate, min(burst, len(data)), part)):
            end = min(at + part, burst, len(data))
            packets += self.pdu(0x05, 0x80 if end == min(burst, len(data)) else 0, words=(0xffffffff, 0, 1, 0, number, at, 0), data=data[at:end])
        if rest:
            request, responses = self.talk.read("b", len(rest), key, address + burst, rest)
            packets += [request] + responses
        return packets + self.answer(status)

    def into(self, cdb, data, lun=0, status=GOOD, sense=b""):
        key, address = self.next()
        packets = self.send("a", self.unit(1, lun, cdb, len(data), into=(address, key)))
        if status == GOOD:
            packets += self.talk.write("b", len(data), key, address, data=data)
        return packets + self.answer(status, sense)

    def pdu(self, opcode, flags=0x80, second=0, third=0, tag=None, words=(0,) * 7, lun=0, data=b"", end="a", area=None):
        """Any PDU without memory: RFC 7143, 11. words: the seven from byte 20; area: all of the LUN's bytes."""
        area = lun << 48 if area is None else area
        head = struct.pack(">BBBBB3sQI", opcode, flags, second, third, 0, len(data).to_bytes(3, "big"), area, self.tag if tag is None else tag)
        return self.send(end, bytes([0x10]) + bytes(27) + head + struct.pack(">7I", *words) + data.ljust((len(data) + 3) // 4 * 4, b"\0"))

    def login(self, cid=0, isid=b"\x40\0\0\x01\0\0", initiator=INITIATOR, target=TARGET, cuts=(), more=b""):
        """RFC 7143, 11.12 and 11.13. The keys are cut there: all requests but the last one have the C bit."""
        keys = b"InitiatorName=%s\0SessionType=Normal\0TargetName=%s\0" % (initiator, target) + more
        ends, packets = list(cuts) + [len(keys)], []
        for begin, end in zip([0] + list(cuts), ends):
            last = end == len(keys)
            area = int.from_bytes(isid + b"\0\0", "big")
            packets += self.pdu(0x43, 0x87 if last else 0x44, area=area, words=(cid << 16, 1, 0, 0, 0, 0, 0), data=keys[begin:end])
            packets += self.pdu(0x23, 0x87 if last else 0x04, area=area | last, words=(0, 0, 1, 9, 0, 0, 0), end="b")
        return packets

    def abort(self, answer):
        task, self.tag = self.tag, self.tag + 0x10000
        packets = self.pdu(0x02, 0x81, words=(task, 1, 1, 0, 0, 0, 0)) + self.pdu(0x22, second=0, end="b")
        self.tag -= 0xffff
        return packets + answer

    def less(self, cdb, data, room, is_out=False):
        """RFC 7143, 11.4.5: the command needs only this data of the expected transfer length."""
        key, address = self.next()
        memory = {"out" if is_out else "into": (address, key)}
        packets = self.send("a", self.unit(1, 0, cdb, room, **memory))
        packets += self.reading(key, address, data) if is_out else self.talk.write("b", len(data), key, address, data=data)
        return packets + self.answer(unused=(room - len(data), 0) if is_out else (0, room - len(data)))

    def long_into(self, cdb, data, lun=0):
        """A CDB of more than 16 bytes, its rest in an additional header segment. RFC 7143, 11.2.2.3."""
        key, address = self.next()
        unit = bytearray(self.unit(1, lun, cdb[:16], len(data), into=(address, key)))
        more = cdb[16:]
        segment = struct.pack(">HBx", len(more) + 1, 1) + more
        unit[28 + 4] = len(segment) // 4
        packets = self.send("a", bytes(unit[:76]) + segment)
        return packets + self.talk.write("b", len(data), key, address, data=data) + self.answer()
