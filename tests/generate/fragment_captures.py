# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RoCE packets in IP fragments (RFC 791, RFC 8200 4.5): in and out of order, overlapping, missing.

The ICRC covers the whole packet before fragmentation by a router. A message's frames are given as ranges, because
it is not specified which of its fragments' frames counts.
"""
import net
from conversation import Scene, crc
from piece import Piece

AT = 136  # where the fragments meet: a multiple of 8
V4 = {"a": ("10.0.0.2", 0x11, 0x100), "b": ("10.0.0.1", 0x22, 0x800000)}
V6 = {"a": ("fd00:77::2", 0x11, 0x100), "b": ("fd00:77::1", 0x22, 0x800000)}


class Cutter:
    """Splits IP packets into fragments; all fragments of a packet have one identification."""

    def __init__(self):
        self.ident = 0x4000

    def __call__(self, packet, ranges):
        """Frames with bytes [begin, end) of the IP payload; an end of None is the payload's."""
        self.ident += 1
        v6 = ":" in packet.connection.a.addr
        frame = packet.piece(**({} if v6 else {"df": 0, "ident": self.ident})).data
        ether, header, payload = frame[:14], frame[14:54 if v6 else 34], frame[54 if v6 else 34:]
        for begin, end, *flip in ranges:
            part = payload[begin:end]
            if flip:
                part = bytes(b ^ 0x55 for b in part)
            more = int(end is not None and end < len(payload))
            yield Piece(ether + (self.six if v6 else self.four)(header, part, begin, more), ())

    def four(self, header, part, begin, more):
        source, destination = (".".join(map(str, header[i:i + 4])) for i in (12, 16))
        head, _ = net.ipv4_header(len(part), 17, src=source, dst=destination, ident=self.ident, df=0, mf=more,
                                  frag_offset=begin)
        return head + part

    def six(self, header, part, begin, more):
        extension, _ = net.ipv6_fragment(17, begin, more, self.ident)
        head = header[:4] + (len(extension) + len(part)).to_bytes(2, "big") + bytes([net.FRAGMENT]) + header[7:]
        return head + extension + part


FORMS = {
    "in-order": [(0, AT), (AT, None)],
    "reversed": [(AT, None), (0, AT)],
    "three": [(2 * AT // 16 * 8, None), (0, 64), (64, 2 * AT // 16 * 8)],
    "repeated": [(0, AT), (0, AT), (AT, None)],
    "overlap-equal": [(0, AT), (AT - 16, None)],
    "overlap-differing": [(0, AT), (AT - 16, AT, "flipped"), (AT, None)],
    "missing": [(0, AT)],
    "missing-first": [(AT, None)],
}
WHOLE = ("in-order", "reversed", "three", "repeated")


def scene(name, how, sides):
    made, cut = Scene(name, how, options="--check-icrc"), Cutter()
    c = made.connection(port=20049, **sides).establish()
    damaged = 0
    for form, ranges in FORMS.items():
        packets = c.send("a", 520)
        made.put(packets[0])
        pieces = list(cut(packets[1], ranges))
        for piece in pieces:
            made.add(piece, packets[1] if form in WHOLE and piece is pieces[-1] else None)
        message = packets[1].message
        if form == "overlap-equal":  # accepted or rejected: both are correct, other bytes are not
            message.unknown("complete", "missing", "frames")
            message.expect(crc32=crc(message.data))
        made.put(packets[2], c.ack(packets[2]))
        damaged += form not in WHOLE and form != "overlap-equal"
        message.unknown("repeats")
    c.anomalies = {"lost": [damaged, damaged + 1], "retransmission|duplicate|out_of_order": None}
    # a packet whose fragments are all swapped with those of the next one
    one = c.send("a", 3 * 256)
    made.put(one[0])
    first, second = (list(cut(packet, FORMS["in-order"])) for packet in one[1:3])
    for piece, packet in ((first[0], None), (second[0], None), (first[1], one[1]), (second[1], one[2])):
        made.add(piece, packet)
    made.put(c.ack(one[2]))
    return made


def captures():
    yield scene("fragments-v4",
                "RoCE v2 packets as IPv4 fragments: in order, reversed, three, repeated, overlapping, missing", V4)
    yield scene("fragments-v6",
                "RoCE v2 packets as IPv6 fragments: in order, reversed, three, repeated, overlapping, missing", V6)
