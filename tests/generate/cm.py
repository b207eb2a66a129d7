# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Messages of communication management by IBTA vol. 1, 12.6 to 12.11, the IP CM header (A11) and RFC 8797's message."""
import zlib

import ib
from piece import Piece, address, put

DATA = 232  # bytes after the MAD's header

IDS = [("localcommid", 32), ("remotecommid", 32)]
PATH = [("locallid", 16), ("remotelid", 16), ("localgid", 128), ("remotegid", 128), ("flowlabel", 20), ("reserved0", 6),
        ("pktrate", 6), ("tfcclass", 8), ("hoplim", 8), ("sl", 4), ("subnetlocal", 1), ("reserved1", 3), ("localacktout", 5),
        ("reserved2", 3)]

# Attribute: filter name, then every field in the order of the standard. A name that begins with a dot does not get the
# message's name as a prefix; an empty name is the message's name alone.
MESSAGES = {
    0x10: ("req", [("", 32), ("reserved0", 32), ("serviceid", 64), ("localcaguid", 64), ("reserved1", 32), ("localqkey", 32),
                   ("localqpn", 24), ("responderres", 8), ("localeecn", 24), ("initdepth", 8), ("remoteeecn", 24),
                   ("remoteresptout", 5), ("transpsvctype", 2), ("e2eflowctrl", 1), ("startpsn", 24), ("localresptout", 5),
                   ("retrcount", 3), ("pkey", 16), ("pppmtu", 4), ("rdcexist", 1), ("rnrretrcount", 3), ("maxcmretr", 4),
                   ("srq", 1), ("ext_transport", 3)]
           + [("prim_" + n, w) for n, w in PATH] + [("alt_" + n, w) for n, w in PATH]),
    0x11: ("mra", IDS + [("msgmraed", 2), ("reserved0", 6), ("svctout", 5), ("reserved1", 3)]),
    0x12: ("rej", IDS + [("msgrej", 2), ("reserved0", 6), ("rejinfolen", 7), ("reserved1", 1), ("reason", 16), ("ari", 576)]),
    0x13: ("rep", [("", 32), ("remotecommid", 32), ("localqkey", 32), ("localqpn", 24), ("reserved0", 8), ("localeecn", 24),
                   ("reserved1", 8), ("startpsn", 24), ("reserved2", 8), ("respres", 8), ("initdepth", 8), ("tgtackdelay", 5),
                   ("failoveracc", 2), ("e2eflowctrl", 1), ("rnrretrcount", 3), ("srq", 1), ("reserved", 4),
                   ("localcaguid", 64)]),
    0x14: ("rtu", IDS),
    0x15: ("dreq", IDS + [(".req.remoteqpneecn", 24), ("reserved", 8)]),
    0x16: ("drsp", IDS),
    0x17: ("sidrreq", [("requestid", 32), ("pkey", 16), ("reserved", 16), ("serviceid", 64)]),
    0x18: ("sidrrep", [("requestid", 32), ("status", 8), ("addinfolen", 8), ("reserved0", 16), ("qpn", 24), ("reserved1", 8),
                       ("serviceid", 64), ("qkey", 32), ("addinfo", 576)]),
    0x19: ("lap", IDS + [("reserved0", 32), ("remoteqpneecn", 24), ("remoteresptout", 5), ("reserved1", 3), ("reserved2", 32),
                         ("alt_locallid", 16), ("alt_remotelid", 16), ("alt_localgid", 128), ("alt_remotegid", 128),
                         ("alt_flowlabel", 20), ("reserved3", 4), ("alt_tfcclass", 8), ("alt_hoplim", 8), ("reserved4", 2),
                         ("alt_pktrate", 6), ("alt_sl", 4), ("alt_subnetlocal", 1), ("reserved5", 3), ("alt_localacktout", 5),
                         ("reserved6", 3)]),
    0x1a: ("apr", IDS + [("addinfolen", 8), ("status", 8), ("reserved", 16), ("addinfo", 576)]),
}

# Fields that are shown as bytes or as an address
BYTES, GIDS = ("ari", "addinfo", "alt_localgid", "alt_remotegid"), ("prim_localgid", "prim_remotegid")


def filter_name(message, field):
    if field.startswith("."):
        return "infiniband.cm" + field
    return "infiniband.cm." + message + ("." + field if field else "")


def pattern(name, width):
    """A number that no other field at this position has, so that shifted bits are detected."""
    return int.from_bytes((zlib.crc32(name.encode()).to_bytes(4, "big") * (width // 32 + 1)), "big") & (1 << width) - 1


def shown(message, field, value, width):
    """Facts of one field."""
    name, data = filter_name(message, field), None
    if field in BYTES or field in GIDS or width == 128:
        data = value.to_bytes(width // 8, "big")
    if data is None:
        return [(name, value)]
    if width == 128 and (field in GIDS or message == "lap"):
        mapped = data[:12] == bytes(10) + b"\xff\xff" and field in GIDS
        return [(name + "_ipv4", ib.address_text(data[12:])), (name, None)] if mapped else [(name, ib.address_text(data))]
    return [(name, data.hex())]


def service_parts(message, service):
    """A service id of an IP port has fields for its parts too. A11.3."""
    name = filter_name(message, "serviceid")
    if service >> 24 != 1:
        return [(name + ".prefix", None), (name + ".protocol", None), (name + ".dport", None)]
    return [(name + ".prefix", "0000000001"), (name + ".protocol", service >> 16 & 0xff), (name + ".dport", service & 0xffff)]


def ip_service(protocol, port):
    return 1 << 24 | protocol << 16 | port


def ip_cm(consumer, src, dst, port, major=0, minor=0, reserved=0):
    """The header of the IP CM service (A11.5) in front of the consumer's private data."""
    source, destination = address(src), address(dst)
    version = "4" if len(source) == 4 else "6"
    data = (put((major, 4), (minor, 4), (int(version), 4), (reserved, 4), (port, 16)) + source.rjust(16, b"\0")
            + destination.rjust(16, b"\0"))
    other = "6" if version == "4" else "4"
    facts = [("majv", major), ("minv", minor), ("ipv", int(version)), ("reserved", reserved), ("sport", port),
             ("sip" + version, ib.address_text(source)), ("dip" + version, ib.address_text(destination)),
             ("sip" + other, None), ("dip" + other, None), ("private", consumer.data.hex())]
    facts = [("infiniband.cm.req.ip_cm." + n, v) for n, v in facts]
    return Piece(data + consumer.data, [("infiniband.cm.req.ip_cm", (data + consumer.data).hex())] + facts + consumer.facts)


def private(length, before=None, flags=1, send=3, receive=255, version=1, found=True):
    """`length` bytes of private data; with `before`, RFC 8797's message after that many bytes."""
    data = bytes(i * 5 & 0xff for i in range(length))
    names = ("format", "version", "flags", "reserved", "r", "send_size_code", "receive_size_code", "send_size", "receive_size")
    values = [None] * len(names)
    if before is not None:
        message = put((0xf6ab0e18, 32), (version, 8), (flags, 8), (send, 8), (receive, 8))
        data = data[:before] + message[:length - before] + data[before + 8:]
        if found:
            values = [0xf6ab0e18, version, flags, flags >> 1, flags & 1, send, receive, (send + 1) * 1024, (receive + 1) * 1024]
    return Piece(data, [("rpcordma.private." + n, v) for n, v in zip(names, values)])


def room(attribute):
    """Bytes of a message's private data."""
    return DATA - sum(width for _, width in MESSAGES[attribute][1]) // 8


def message(attribute, consumer=None, **values):
    """A message without its MAD header. values: by field name, "id" for the one without; all others have a pattern."""
    name, fields = MESSAGES[attribute]
    consumer = private(room(attribute)) if consumer is None else consumer
    parts, facts = [], []
    for field, width in fields:
        value = values.pop(field.strip(".").replace(".", "_") or "id", pattern(name + field, width))
        parts.append((value, width))
        facts += shown(name, field, value, width)
        if field == "serviceid" and attribute in (0x10, 0x17):
            facts += service_parts(name, value)
    if values:
        raise ValueError("no such field: %s" % ", ".join(sorted(values)))
    # an IP CM header and its private data replace the message's private data
    own = any(n == "infiniband.cm.req.ip_cm" for n, _ in consumer.facts)
    facts.append((filter_name(name, "private"), None if own else consumer.data.hex()))
    return Piece(put(*parts) + consumer.data, facts + consumer.facts)


def mad(attribute, piece, method=0x03, transaction=0x1234567890abcdef, mgmtclass=0x07):
    """The common MAD header (13.4.3) in front of a message."""
    head = put((1, 8), (mgmtclass, 8), (2, 8), (method, 8), (0, 16), (0, 16), (transaction, 64), (attribute, 16), (0, 16), (0, 32))
    facts = [("baseversion", 1), ("mgmtclass", mgmtclass), ("classversion", 2), ("method", method), ("status", 0),
             ("transactionid", transaction), ("attributeid", attribute), ("attributemodifier", 0)]
    return Piece(head + piece.data, [("infiniband.mad." + n, v) for n, v in facts] + piece.facts)


def packet(attribute, piece, opcode=0x64, **fields):
    """A MAD as a UD SEND from one general service interface to the other."""
    whole = mad(attribute, piece, **fields)
    return ib.transport(opcode, payload=whole.data, facts=whole.facts, destqp=1, srcqp=1, q_key=0x80010000)
