# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Communication management: every message, its private data, and packets that only resemble it."""
import cm
import ib
import net
from capture import Capture

NFS = cm.ip_service(0x06, 20049)
MAPPED = 0xffff << 32 | 0x0a010203  # ::ffff:10.1.2.3


def every_message():
    """Each with patterns in its fields, and with all-ones and all-zeros fields."""
    for attribute, (_, fields) in sorted(cm.MESSAGES.items()):
        yield attribute, cm.message(attribute)
        for ones in (True, False):
            values = {name.strip(".").replace(".", "_") or "id": (1 << width) - 1 if ones else 0 for name, width in fields}
            yield attribute, cm.message(attribute, **values)


def requests():
    """REQs of each transport, with IPv4-mapped GIDs, for IP services and others; SIDR_REQs for IP services."""
    for transport, extended in ((0, 0), (1, 0), (2, 0), (3, 1), (3, 7)):
        yield 0x10, cm.message(0x10, transpsvctype=transport, ext_transport=extended)
    yield 0x10, cm.message(0x10, prim_localgid=MAPPED, prim_remotegid=MAPPED + 1)
    yield 0x10, cm.message(0x10, prim_localgid=MAPPED + (1 << 48), prim_remotegid=MAPPED ^ 1 << 32)
    for protocol in (0x06, 0x11, 0x3f, 0xff):
        service = cm.ip_service(protocol, 0x1c06)
        for attribute in (0x10, 0x17):
            for src, dst in (("10.1.2.3", "10.4.5.6"), ("fd00::1:203", "fd00::4:506")):
                header = cm.ip_cm(cm.private(cm.room(attribute) - 36), src, dst, 40000, minor=protocol & 15, reserved=3)
                yield attribute, cm.message(attribute, header, serviceid=service)
    for service in (1 << 32 | NFS, NFS ^ 1 << 24, 0x1000000001064e51, 0):
        yield 0x10, cm.message(0x10, serviceid=service)
        yield 0x17, cm.message(0x17, serviceid=service)


def rpc_messages():
    """RFC 8797's message at the beginning, in the middle and at the end of private data; other versions; at positions where it is ignored."""
    room = cm.room(0x10) - 36
    for before in (0, 1, 23, room - 8):
        header = cm.ip_cm(cm.private(room, before), "10.1.2.3", "10.4.5.6", 40000)
        yield 0x10, cm.message(0x10, header, serviceid=NFS)
    for before in (0, 4, 101, cm.room(0x13) - 8):
        yield 0x13, cm.message(0x13, cm.private(cm.room(0x13), before, flags=0xfe, send=0, receive=7))
    yield 0x13, cm.message(0x13, cm.private(cm.room(0x13), 0, version=2, found=False))
    yield 0x13, cm.message(0x13, cm.private(cm.room(0x13), cm.room(0x13) - 7, found=False))
    for attribute in (0x12, 0x14, 0x17):
        yield attribute, cm.message(attribute, cm.private(cm.room(attribute), 0, found=False))


def others():
    """Packets that are not communication management: other attributes and classes, packets of another service to queue pair 1."""
    nothing = {cm.filter_name(name, fields[0][0]): None for name, fields in cm.MESSAGES.values()}
    for attribute in (0x01, 0x0f, 0x1b, 0x0110, 0x1000):
        yield cm.packet(attribute, ib.Piece(bytes(range(cm.DATA)))), nothing
    yield cm.packet(0x10, ib.Piece(bytes(range(cm.DATA))), mgmtclass=0x03), nothing
    for opcode in (0x04, 0x24):
        whole = cm.mad(0x10, cm.message(0x10))
        yield ib.transport(opcode, payload=whole.data, destqp=1), dict(nothing, **{"infiniband.mad.method": None})


def captures():
    capture = Capture("cm-messages", 1, "every message of communication management over RoCE v2, with private data of every kind")
    for source in (every_message(), requests(), rpc_messages()):
        for attribute, piece in source:
            capture.add(net.ethernet(net.roce_v2(cm.packet(attribute, piece))))
    for piece, absent in others():
        capture.add(net.ethernet(net.roce_v2(piece)), **absent)
    yield capture
