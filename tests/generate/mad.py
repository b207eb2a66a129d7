# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Management datagrams: attributes, the headers of their classes, and RMPP. IBTA vol. 1, chapters 13 to 16."""
import cm
import ib
import net
from mad_tables import TABLES
from piece import Piece, address_text, put

LENGTH, HEADER = 256, 24
SUBNET, ADMINISTRATION, PERFORMANCE, BASEBOARD, DEVICE, SNMP, CONGESTION, DIRECTED = 1, 3, 4, 5, 6, 8, 0x21, 0x81
GET, SET, GET_RESP, TRAP, REPORT, GET_TABLE, GET_TABLE_RESP = 1, 2, 0x81, 5, 6, 0x12, 0x92

# Attribute: its parts as (table, count), for all attributes of a class.
SUBNET_ATTRIBUTES = {
    0x10: [("node_description", 1)], 0x11: [("node_info", 1)], 0x12: [("switch_info", 1)], 0x14: [("guid_info", 8)],
    0x15: [("port_info", 1)], 0x17: [("sl_to_vl", 8)], 0x18: [("vl_arbitration", 32)], 0x19: [("linear_forwarding", 64)],
    0x1a: [("random_forwarding", 16)], 0x1b: [("multicast_forwarding", 32)], 0x1c: [("link_speed_width", 1)], 0x16: [("p_key", 32)],
    0x20: [("sm_info", 1)], 0x30: [("vendor_diag", 1)], 0x31: [("led_info", 1)], 0x32: [("cable_info", 1)],
    0xff90: [("mlnx_ext_port_info", 1)],
}
RECORDS = {
    0x01: [("class_port_info", 1)], 0x03: [("inform_info", 1)], 0x11: [("node_record", 1), ("node_info", 1), ("node_description", 1)],
    0x12: [("port_info_record", 1), ("port_info", 1)], 0x13: [("sl_to_vl_record", 1), ("sl_to_vl", 8)],
    0x14: [("switch_info_record", 1), ("switch_info", 1)], 0x15: [("forwarding_record", 1), ("linear_forwarding", 64)],
    0x16: [("forwarding_record", 1), ("random_forwarding", 16)],
    0x17: [("multicast_forwarding_record", 1), ("multicast_forwarding", 32)], 0x18: [("sm_info_record", 1), ("sm_info", 1)],
    0x20: [("link_record", 1)], 0x30: [("guid_info_record", 1), ("guid_info", 8)], 0x31: [("service_record", 1)],
    0x33: [("p_key_table_record", 1), ("p_key", 32)], 0x35: [("path_record", 1)],
    0x36: [("vl_arbitration_record", 1), ("vl_arbitration", 32)], 0x38: [("mc_member_record", 1)], 0x39: [("trace_record", 1)],
    0x3a: [("multi_path_record", 1), ("multi_path_gid", 5)], 0x3b: [("service_association_record", 1)],
    0xf3: [("inform_info_record", 1), ("inform_info", 1)],
}
PERFORMANCE_ATTRIBUTES = {
    0x01: [("class_port_info", 1)], 0x10: [("port_samples_control", 1)],
    0x11: [("port_samples_result", 1), ("port_sample_counter", 15)], 0x12: [("port_counters", 1)], 0x15: [("port_rcv_error_details", 1)],
    0x16: [("port_xmit_discard_details", 1)], 0x1d: [("port_counters_extended", 1)],
    0x36: [("port_data_sl", 1), ("port_xmit_data_sl", 16)], 0x37: [("port_data_sl", 1), ("port_rcv_data_sl", 16)],
}
CONGESTION_ATTRIBUTES = {
    0x01: [("class_port_info", 1)], 0x11: [("congestion_info", 1)], 0x12: [("congestion_key_info", 1)],
    0x14: [("switch_congestion_setting", 1)], 0x15: [("switch_port_congestion_setting", 32)],
    0x16: [("ca_congestion_setting", 1), ("ca_congestion_entry", 16)],
    0x17: [("congestion_control_table", 1), ("congestion_table_entry", 64)], 0x18: [("congestion_time_stamp", 1)],
}
LOGS = {1: [("congestion_log_switch", 1), ("congestion_event_switch", 15)], 2: [("congestion_log_ca", 1), ("congestion_event_ca", 13)]}
DEVICE_ATTRIBUTES = {
    0x01: [("class_port_info", 1)], 0x10: [("io_unit_info", 1)], 0x11: [("io_controller_profile", 1)], 0x12: [("service_entry", 4)],
}
# Trap numbers: table of the details after the notice's fixed part. 14.2.5.1
TRAPS = {
    64: "trap_gid", 65: "trap_gid", 66: "trap_gid", 67: "trap_gid", 68: "trap_path", 69: "trap_path", 128: "trap_switch", 129: "trap_port",
    130: "trap_port", 131: "trap_port", 144: "trap_change", 145: "trap_image", 256: "trap_m_key", 257: "trap_keys", 258: "trap_keys",
    259: "trap_switch_key",
}


def value_of(name, width, kind, salt):
    """A pattern that differs from those of other fields; text ends with zero bytes."""
    number = cm.pattern(name + salt, width)
    if kind == "t":
        text = ("%s %s" % (name.rsplit(".", 1)[-1], salt)).encode()[:width // 8 - 1]
        return int.from_bytes(text.ljust(width // 8, b"\0"), "big"), text.decode()
    if kind == "b":
        return number, number.to_bytes(width // 8, "big").hex()
    if kind == "a":
        return number, address_text(number.to_bytes(width // 8, "big"))
    return number, number


def table(key, salt="", **values):
    """One header with patterns in its fields. values: by last part of a field's name, in place of the pattern."""
    prefix, description = TABLES[key]
    parts, facts, whole = [], [], None
    for token in description.split(", "):
        name, bits = token.split(" ")
        width = int(bits.rstrip("abt()"))
        kind = bits.rstrip("()")[-1] if bits.rstrip("()")[-1] in "abt" else ""
        if bits.endswith("("):
            whole = (name, width, len(parts))
            continue
        filter_name = name if name.startswith("infiniband.") else prefix + "." + name
        if name == "-":
            parts.append((cm.pattern("reserved" + salt, width), width))
        else:
            number, shown = value_of(filter_name, width, kind, salt)
            if name.rsplit(".", 1)[-1] in values:
                number = shown = values[name.rsplit(".", 1)[-1]]
            parts.append((number, width))
            facts.append((filter_name, shown))
        if bits.endswith(")"):
            value = int.from_bytes(put(*parts[whole[2]:]), "big")
            facts.append((prefix + "." + whole[0], value))
    return Piece(put(*parts), facts)


def join(*pieces):
    return Piece(b"".join(p.data for p in pieces), [fact for p in pieces for fact in p.facts])


def attribute(parts, salt="", **values):
    """The parts of an attribute or record one after the other."""
    return join(*[table(key, "%s%d" % (salt, i) if count > 1 else salt, **values if count == 1 else {})
                  for key, count in parts for i in range(count)])


def notice(trap, gmp, salt=""):
    """A generic notice with its details; GMP classes add the issuer."""
    head = table("notice", salt, isgeneric=1, trapnumberdeviceid=trap, datadetails=0)
    details = table(TRAPS[trap], salt)
    facts = [f for f in head.facts if not f[0].endswith("datadetails")] + [("infiniband.notice.datadetails", details.data.hex())] + details.facts
    issuer = table("notice_issuer", salt) if gmp else Piece(b"")
    return Piece(head.data[:10] + details.data + issuer.data, facts + issuer.facts)


def header(mgmtclass, method, attributeid, status=0, specific=0, transaction=0x0123456789abcdef, modifier=0, version=1):
    data = put((1, 8), (mgmtclass, 8), (version, 8), (method, 8), (status, 16), (specific, 16), (transaction, 64), (attributeid, 16), (0, 16),
               (modifier, 32))
    facts = [("baseversion", 1), ("mgmtclass", mgmtclass), ("classversion", version), ("method", method), ("status", status),
             ("classspecific", specific), ("transactionid", transaction), ("attributeid", attributeid), ("attributemodifier", modifier)]
    return Piece(data, [("infiniband.mad." + n, v) for n, v in facts])


def filled(*pieces):
    """A complete MAD: zeros up to 256 bytes."""
    whole = join(*pieces)
    if len(whole.data) > LENGTH:
        raise ValueError("%d bytes do not fit into a MAD" % len(whole.data))
    return Piece(whole.data.ljust(LENGTH, b"\0"), whole.facts)


def smp(method, attributeid, data, m_key=0x1122334455667788, **fields):
    facts = [("infiniband.smplid.mkey", m_key)]
    return filled(header(SUBNET, method, attributeid, **fields), Piece(put((m_key, 64)) + bytes(32), facts), data)


def directed(method, attributeid, data, path, pointer, returning, back=(), status=0, **fields):
    """A directed-route SMP: path and the way back as lists of ports. 14.2.1.2"""
    head = header(DIRECTED, method, attributeid, status=returning << 15 | status, specific=pointer << 8 | len(path), **fields)
    initial, back_path = bytes([0] + list(path)).ljust(64, b"\0"), bytes([0] + list(back)).ljust(64, b"\0")
    facts = [("infiniband.smpdirected.d", returning), ("infiniband.smpdirected.smpstatus", status),
             ("infiniband.smpdirected.hoppointer", pointer), ("infiniband.smpdirected.hopcount", len(path)),
             ("infiniband.smpdirected.drslid", 0xffff), ("infiniband.smpdirected.drdlid", 0xffff),
             ("infiniband.smpdirected.direction", "returning" if returning else "outbound"),
             ("infiniband.smpdirected.initialpath", initial.hex()), ("infiniband.smpdirected.returnpath", back_path.hex())]
    facts += [("infiniband.smpdirected.hop", port) for port in path] or [("infiniband.smpdirected.hop", None)]
    facts += [("infiniband.smpdirected.returnhop", port) for port in back] or [("infiniband.smpdirected.returnhop", None)]
    body = Piece(bytes(8) + b"\xff\xff\xff\xff" + bytes(28) + data.data.ljust(64, b"\0") + initial + back_path, facts + data.facts)
    return filled(head, body)


def rmpp(type=0, flags=0, status=0, first=0, second=0, response=0):
    """The RMPP header; first and second: its last two words. 13.6.2"""
    data = put((1 if type else 0, 8), (type, 8), (response, 5), (flags, 3), (status, 8), (first, 32), (second, 32))
    names = {1: ("segmentnumber", "payloadlength"), 2: ("segmentnumber", "newwindowlast")}.get(type, ("data1", "data2"))
    facts = [("rmpptype", type), ("rresptime", response), ("rmppflags", flags), ("rmppstatus", status), (names[0], first), (names[1], second)]
    return Piece(data, [("infiniband.rmpp." + n, v) for n, v in facts])


def sa_header(offset, mask=0, key=0):
    """offset: bytes from one record to the next. 15.2.1.1"""
    facts = [("smkey", key), ("attributeoffset", offset // 8), ("componentmask", mask)]
    return Piece(put((key, 64), (offset // 8, 16), (0, 16), (mask, 64)), [("infiniband.sa." + n, v) for n, v in facts])


def sa(method, attributeid, record, offset=0, mask=0, words=None, components=(), **fields):
    """A request or response of one MAD. components: names of the mask's bits."""
    named = Piece(b"", [("infiniband.sa.component", name) for name in components])
    return filled(header(ADMINISTRATION, method, attributeid, version=2, **fields), words or rmpp(), sa_header(offset, mask), named, record)


def spaced(records, stride):
    """Records `stride` bytes apart."""
    return join(*[Piece(r.data.ljust(stride, b"\0"), r.facts) for r in records])


def segments(attributeid, records, stride, method=GET_TABLE_RESP, **fields):
    """The segments of a response of many records; only its last one has facts about them, in reading order."""
    data = spaced(records, stride)
    chunks = [data.data[at:at + 200] for at in range(0, len(data.data), 200)]
    result = []
    for i, chunk in enumerate(chunks, 1):
        last = i == len(chunks)
        length = 20 + len(chunk) if last else 20 * len(chunks) + len(data.data) if i == 1 else 0
        flags = 1 | (2 if i == 1 else 0) | (4 if last else 0)
        piece = Piece(chunk, [])
        result.append(sa(method, attributeid, piece, stride, words=rmpp(1, flags, 0, i, length), **fields))
    return result, data.facts


def small(mgmtclass, method, attributeid, data, head=None, **fields):
    """The classes that have 40 bytes after the common header."""
    return filled(header(mgmtclass, method, attributeid, **fields), head or Piece(bytes(40)), data)


def framed(mad, source, destination, subnet, psn, stamp):
    """An InfiniBand frame in an ERF record, which Wireshark reads too. stamp: 32.32 fixed point."""
    qp = 0 if subnet else 1
    packet = ib.transport(0x64, payload=mad.data, facts=mad.facts, destqp=qp, srcqp=qp, q_key=0 if subnet else 0x80010000, psn=psn)
    return net.erf(ib.native(packet, dlid=destination, slid=source, vl=15 if subnet else 0), 21, stamp)
