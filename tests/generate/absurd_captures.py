# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Frames that contradict themselves. The truth is only that the frame exists, and that the program does not crash."""
import struct

import capfile
import ib
import net
from capture import START_NS, Capture, epoch, write_truth
from piece import Piece, truth

SEND = ib.transport(0x04)


def bare(data, facts=()):
    return Piece(data, facts)


def patched(piece, offset, data):
    return bare(piece.data[:offset] + data + piece.data[offset + len(data):])


def many_tags():
    capture = Capture("absurd-vlan", 1, "a frame with 10,000 VLAN tags, one with tags only, tags cut in half")
    inner = net.roce_v2(SEND)
    head = bytes(12)
    capture.add(bare(head + 10000 * b"\x81\x00\x00\x01" + b"\x08\x00" + inner.data, [("eth.type", 0x8100)]))
    capture.add(bare(head + 300 * b"\x88\xa8\x00\x01", [("eth.type", 0x88a8)]))
    for length in range(13, 19):
        capture.add(bare((head + 2 * b"\x81\x00\x00\x01")[:length]))
    return capture


def lengths():
    """Every length field at its extremes."""
    capture = Capture("absurd-lengths", 1, "IP, UDP, GRH, BTH pad and option lengths at their extremes")
    v4, v6, v1 = (net.ethernet(p) for p in (net.roce_v2(SEND), net.roce_v2(SEND, version=6), ib.roce_v1(SEND)))
    two = [struct.pack(">H", n) for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 19, 20, 23, 24, 27, 28, 29, 0x7fff, 0xffff)]
    for value in two:
        capture.add(patched(v4, 16, value))   # IPv4 total length
        capture.add(patched(v4, 38, value))   # UDP length
        capture.add(patched(v6, 18, value))   # IPv6 payload length
        capture.add(patched(v6, 58, value))   # UDP length
        capture.add(patched(v1, 18, value))   # GRH payload length
    for words in range(16):
        capture.add(patched(v4, 14, bytes([0x40 | words])))
    for version in (0, 5, 6, 15):
        capture.add(patched(v4, 14, bytes([version << 4 | 5])))
        capture.add(patched(v6, 14, bytes([version << 4])))
    for opcode, size in ((0x04, 0), (0x04, 1), (0x11, 0), (0x0c, 0), (0x81, 0)):
        for pad in (1, 2, 3):
            packet = ib.transport(opcode, payload=bytes(size), padcnt=pad)
            capture.add(net.ethernet(net.roce_v2(packet)), **{"infiniband.bth.padcnt": pad})
    for opcode in range(256):  # headers that the datagram has no room for
        if opcode & 0x1f in (0x00, 0x04, 0x0a, 0x0b, 0x0d, 0x11, 0x12, 0x13, 0x17, 0x1c):
            packet = Piece(ib.transport(opcode).data[:14])
            capture.add(net.ethernet(net.roce_v2(packet)).forget("infiniband."), **{"infiniband.bth.opcode": opcode})
    for first in (0, 43, 44, 60, 50, 51, 135, 139):  # extension headers that are longer than the packet, or endless
        for body in (b"\x00\xff" + bytes(6), 80 * (bytes([first, 0]) + bytes(6))):
            capture.add(net.ethernet(net.ipv6(Piece(body, (), first))).forget("ipv6.hopopts", "ipv6.dstopts"))
    return capture


def nesting():
    capture = Capture("absurd-nesting", 1, "tunnels nested 40 and more deep, tunnels without content, bad tunnel headers")
    frame = net.ethernet(net.roce_v2(SEND))
    for wrap in (lambda f: net.ethernet(net.ipv4(net.vxlan(f))), lambda f: net.ethernet(net.ipv4(net.geneve(f))),
                 lambda f: net.ethernet(net.ipv6(net.gre(f, key=1)))):
        deep = frame
        for _ in range(40):
            deep = wrap(deep)
        capture.add(bare(deep.data))
    packet = net.roce_v2(SEND)
    for _ in range(200):
        packet = net.ipv4(net.gre(packet))
    capture.add(bare(net.ethernet(packet).data))
    for piece in (net.vxlan(bare(b"")), net.vxlan(bare(bytes(13))), net.geneve(bare(b"", ())), net.gre(bare(b"")),
                  net.gre(bare(b""), key=1, sequence=2, checksum=True), net.udp(bare(b""), 1, 4789),
                  net.udp(bare(bytes(7)), 1, 6081), net.udp(bare(b"\x3f" + bytes(10)), 1, 6081),
                  Piece(b"\xff\xff\x08\x00", (), 47), Piece(b"\x40\x00\x08\x00" + 40 * b"\xff", (), 47),
                  Piece(b"\xb0", (), 47)):
        capture.add(bare(net.ethernet(net.ipv4(piece)).data))
    return capture


def infiniband():
    capture = Capture("absurd-infiniband", 247, "LRH packet lengths 0..2047, wrong LNH, invalid GRH, no bytes")
    for route in (None, {}):
        packet = ib.native(SEND, route)
        for length in (0, 1, 2, 4, 5, 6, 7, 16, 17, 18, 2047):
            capture.add(patched(packet, 4, struct.pack(">H", length)), **{"infiniband.lrh.pktlen": length})
        for lnh in range(4):
            capture.add(patched(packet, 1, bytes([lnh])), **{"infiniband.lrh.lnh": lnh})
    packet = ib.native(SEND, {})
    for value in (0, 15, 16, 0xffff):
        capture.add(patched(packet, 12, struct.pack(">H", value)))
    for nxthdr in (0, 17, 59, 255):
        capture.add(patched(packet, 14, bytes([nxthdr])))
    capture.add(bare(b""))
    return capture


def endace():
    capture = Capture("absurd-erf", 197, "ERF records with wrong lengths, unknown types, endless extension headers")
    packet = ib.native(SEND)
    good = net.erf(packet, 21, 1 << 32)
    for rlen in (0, 1, 15, 16, 17, 0xffff):
        capture.add(patched(good, 10, struct.pack(">H", rlen)))
    for wlen in (0, 1, 0xffff):
        capture.add(patched(good, 14, struct.pack(">H", wlen)))
    for kind in (0, 1, 2, 3, 22, 27, 48, 127):
        capture.add(patched(good, 8, bytes([kind])))
    capture.add(bare(good.data[:8] + b"\x95" + good.data[9:16] + 40 * (b"\x83" + bytes(7))))
    capture.add(bare(good.data[:8] + b"\x82" + good.data[9:16] + b"\x03"))
    for row in capture.rows:
        del row["frame.len"], row["frame.cap_len"], row["frame.time_epoch"]
    return capture


def unknown_link():
    capture = Capture("unknown-link-type", 147, "link type 147 (reserved for private use): listed, not dissected")
    for length in (0, 1, 60):
        capture.add(bare(bytes(range(length))))
    return capture


def nothing():
    return Capture("empty", 1, "a pcap without frames")


class Short:
    """A valid frame of every link type, shortened on the wire to every length."""
    name, suffix = "absurd-short", ".pcapng"
    how = "one frame of each link type, shortened on the wire to every length (pcapng, eleven interfaces)"

    def write(self, folder):
        v4 = net.roce_v2(ib.transport(0x0b))
        examples = ((0, net.loopback(v4, 2, "<")), (1, net.ethernet(net.vlan(v4, 1))), (101, v4),
                    (108, net.loopback(v4, 2, ">")), (113, net.sll(v4)), (197, net.erf(ib.native(SEND, {}), 21, 1 << 32)),
                    (228, v4), (229, net.roce_v2(SEND, version=6)), (242, net.ipoib(net.ipv4(net.udp(bare(b"x"), 1, 2)))),
                    (247, ib.native(ib.transport(0x13), {})), (276, net.sll2(v4)))
        file, rows = capfile.Pcapng(), []
        file.section()
        for link, _ in examples:
            file.interface(link, options=[(9, b"\x09")])
        for interface, (link, piece) in enumerate(examples):
            for length in range(len(piece.data)):
                time = START_NS + len(rows) * 1000
                file.packet(interface, time, piece.data[:length])
                row = truth(bare(piece.data[:length]), len(rows) + 1)
                row["frame.time_epoch"] = epoch(time)
                if link == 197:
                    row = {"frame.number": row["frame.number"]}
                rows.append(row)
        file.write("%s/%s.pcapng" % (folder, self.name))
        write_truth("%s/%s.expected.jsonl" % (folder, self.name), rows)


def captures():
    yield many_tags()
    yield lengths()
    yield nesting()
    yield infiniband()
    yield endace()
    yield unknown_link()
    yield nothing()
    yield Short()
