# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Management: every attribute of every class, and transfers of several datagrams with losses, repeats and retries."""
import ib
import mad
import net
from capture import START_NS, STEP_NS, Capture, epoch
from piece import Piece, put


class Fabric(Capture):
    """Frames are ERF records with their own time stamps, which are used."""

    def __init__(self, name, how):
        super().__init__(name, 197, how)
        self.at = START_NS

    def put(self, piece, wait=STEP_NS, source=3, destination=7, subnet=False, **more):
        self.at += wait
        self.record(mad.framed(piece, source, destination, subnet, len(self.frames), self.stamp()), more)

    def put_datagram(self, piece, **more):
        """Between queue pairs that are not management's."""
        self.at += STEP_NS
        packet = ib.transport(0x64, payload=piece.data, facts=piece.facts, psn=len(self.frames))
        self.record(net.erf(ib.native(packet), 21, self.stamp()), more)

    def stamp(self):
        seconds, rest = divmod(self.at, 10**9)
        return seconds << 32 | -(-(rest << 32) // 10**9)

    def record(self, frame, more):
        self.add(frame, **more)
        self.rows[-1]["frame.len"] = self.rows[-1]["frame.cap_len"] = self.rows[-1]["erf.wlen"]
        self.rows[-1]["frame.time_epoch"] = epoch(self.at)


def subnet(capture):
    for number, parts in sorted(mad.SUBNET_ATTRIBUTES.items()):
        data = mad.attribute(parts, "smp")
        if number == 0x16:
            data = Piece(data.data, [("infiniband.p_keytable.p_keytableblock", data.data.hex())] + data.facts)
        capture.put(mad.smp(mad.GET_RESP, number, data, modifier=2), subnet=True)
        if number != 0x10:
            capture.put(mad.smp(mad.SET, number, Piece(b"\xff" * len(data.data)), status=0x001c), subnet=True)
        capture.put(mad.directed(mad.GET_RESP, number, data, (1, 9, 36), 0, 1, back=(4, 5, 6)), subnet=True)
    for trap in sorted(mad.TRAPS):
        capture.put(mad.smp(mad.TRAP, 0x02, mad.notice(trap, False, "trap%d" % trap)), subnet=True)
    other = mad.table("notice", "vendor", isgeneric=0, trapnumberdeviceid=64)
    capture.put(mad.smp(mad.TRAP, 0x02, other), subnet=True, **{"infiniband.trap.gidaddr": None})
    info = mad.attribute(mad.SUBNET_ATTRIBUTES[0x11], "hop")
    for path, pointer, returning, back in (((), 0, 0, ()), ((7,), 0, 0, ()), ((7, 8), 1, 0, (3,)), ((7, 8), 2, 0, (3, 4)), ((7, 8), 3, 1, (3, 4)),
                                           (tuple(range(1, 64)), 63, 1, tuple(range(101, 164)))):
        capture.put(mad.directed(mad.GET, 0x11, info, path, pointer, returning, back), subnet=True)
    capture.put(mad.smp(mad.GET, 0x7fff, Piece(b"unknown")), subnet=True, **{"infiniband.mad.attribute": None})


def administration(capture):
    for number, parts in sorted(mad.RECORDS.items()):
        counts = {"sgidcount": 2, "dgidcount": 3} if number == 0x3a else {}
        record = mad.attribute(parts, "rec", **counts)
        if number == 0x33:
            block = record.data[8:]
            record = Piece(record.data, record.facts[:3] + [("infiniband.p_keytable.p_keytableblock", block.hex())] + record.facts[3:])
        capture.put(mad.sa(mad.GET_RESP, number, record))
        stride = len(record.data) + -len(record.data) % 8
        count = min(200 // stride, 3)
        if number in (0x01, 0x03) or not count:
            continue
        records = [mad.attribute(parts, "r%d" % i, **counts) for i in range(count)]
        table = mad.spaced(records, stride)
        # the last one need not be full
        length = stride * (count - 1) + len(record.data)
        facts = [f for f in table.facts]
        if number == 0x33:
            facts += [("infiniband.p_keytable.p_keytableblock", r.data[8:].hex()) for r in records]
        capture.put(mad.sa(mad.GET_TABLE_RESP, number, Piece(table.data[:length], facts), stride, words=mad.rmpp(1, 7, 0, 1, 20 + length)))
    for trap in sorted(mad.TRAPS):
        capture.put(mad.sa(mad.REPORT, 0x02, mad.notice(trap, True, "report%d" % trap)))


def masks(capture):
    """Component masks, and statuses with their meaning by class."""
    path = mad.attribute(mad.RECORDS[0x35], "mask")
    names = ["ServiceID8MSB", "ServiceID56LSB", "DGID", "SGID", "DLID", "SLID", "RawTraffic", "reserved", "FlowLabel", "HopLimit", "TClass",
             "Reversible", "NumbPath", "P_Key", "QoSClass", "SL", "MTUSelector", "MTU", "RateSelector", "Rate", "PacketLifeTimeSelector",
             "PacketLifeTime"]
    capture.put(mad.sa(mad.GET, 0x35, path, mask=(1 << 22) - 1, components=names))
    capture.put(mad.sa(mad.GET_TABLE, 0x35, path, mask=1 << 2 | 1 << 3 | 1 << 12, components=["DGID", "SGID", "NumbPath"]))
    member = mad.attribute(mad.RECORDS[0x38], "mask")
    capture.put(mad.sa(mad.SET, 0x38, member, mask=1 | 2 | 1 << 16, components=["MGID", "PortGID", "JoinState"]))
    for status, text in ((0x0300, "no records"), (0x0700, "request denied"), (0x001c, "invalid value in the attribute or its modifier"),
                         (0x0004, "base or class version not supported"), (0x0001, "busy"), (0x0002, "redirect required")):
        capture.put(mad.sa(mad.GET_RESP, 0x35, path, status=status), **{"infiniband.mad.status.text": text})
    capture.put(mad.sa(mad.GET_RESP, 0x35, path, status=0x6000), **{"infiniband.mad.status.text": None})


def other_classes(capture):
    for mgmtclass, attributes in ((mad.PERFORMANCE, mad.PERFORMANCE_ATTRIBUTES), (mad.DEVICE, mad.DEVICE_ATTRIBUTES)):
        for number, parts in sorted(attributes.items()):
            capture.put(mad.small(mgmtclass, mad.GET_RESP, number, mad.attribute(parts, "c%d" % mgmtclass)))
    for number, parts in sorted(mad.CONGESTION_ATTRIBUTES.items()):
        head = mad.table("congestion_control", "key")
        capture.put(mad.small(mad.CONGESTION, mad.GET_RESP, number, mad.attribute(parts, "cc"), head, version=2))
    for kind, parts in sorted(mad.LOGS.items()):
        key = mad.table("congestion_control", "log")
        log = mad.attribute(parts, "log", logtype=kind)
        facts = [("infiniband.cc.cc_key", dict(key.facts)["infiniband.cc.cc_key"])]
        head = Piece(key.data[:8], facts)
        capture.put(mad.filled(mad.header(mad.CONGESTION, mad.GET_RESP, 0x13, version=2), head, log))
    for trap in (64, 144):
        capture.put(mad.small(mad.DEVICE, mad.TRAP, 0x02, mad.table("notice", "dm", isgeneric=1, trapnumberdeviceid=trap)))
    key = Piece(put((0xb0b1b2b3b4b5b6b7, 64)) + bytes(32), [("infiniband.mad.baseboard.b_key", 0xb0b1b2b3b4b5b6b7)])
    capture.put(mad.small(mad.BASEBOARD, mad.GET_RESP, 0x01, mad.attribute(mad.RECORDS[0x01], "bm"), key))
    tunnel = Piece(bytes(32) + put((0xa1a2a3a4, 32), (17, 8), (3, 8), (0x4321, 16)),
                   [("infiniband.mad.snmp.raddress", 0xa1a2a3a4), ("infiniband.mad.snmp.payloadlength", 17),
                    ("infiniband.mad.snmp.segmentnumber", 3), ("infiniband.mad.snmp.sourcelid", 0x4321)])
    capture.put(mad.small(mad.SNMP, 3, 0x11, Piece(b"snmp"), tunnel))
    for mgmtclass in (0x30, 0x4f):
        vendor = Piece(put((0, 8), (0x001405, 24)) + b"theirs", [("infiniband.mad.vendor.oui", 0x001405)])
        capture.put(mad.filled(mad.header(mgmtclass, mad.GET, 0x10), mad.rmpp(), vendor))
    for mgmtclass in (0x0a, 0x10, 0x50):
        capture.put(mad.filled(mad.header(mgmtclass, mad.GET, 0x10), Piece(b"theirs")), **{"infiniband.mad.vendor.oui": None})


def answered(frame, since_ns):
    return {"rdmatap.request_frame": frame, "rdmatap.latency": epoch(since_ns)}


def not_whole(**more):
    return dict({"infiniband.nodeinfo.nodeguid": None}, **more)


ANALYSIS, MISSING = "rdmatap.psn.analysis", "rdmatap.psn.missing"


def transfer(capture, transaction, count, order, step=STEP_NS):
    """A GetTable for node records and the segments of its response in an order; the last captured one shows all records."""
    records = [mad.attribute(mad.RECORDS[0x11], "t%d-%d" % (transaction, i)) for i in range(count)]
    parts, facts = mad.segments(0x11, records, 112, transaction=transaction)
    request = len(capture.frames) + 1
    capture.put(mad.sa(mad.GET_TABLE, 0x11, Piece(bytes(112)), transaction=transaction), step, 7, 3)
    seen, highest, since = set(), 0, 0
    for number in order(len(parts)):
        since += step
        analysis = "retransmission" if number in seen else "gap" if number > highest + 1 else \
            "in_order" if number == highest + 1 else "out_of_order"
        truth = {ANALYSIS: analysis, MISSING: number - highest - 1 if analysis == "gap" else None, **answered(request, since)}
        whole = len(seen) == len(parts) - 1 and number not in seen
        seen.add(number)
        highest = max(highest, number)
        piece = parts[number - 1]
        if whole:
            piece = Piece(piece.data, piece.facts + facts)
            capture.put(piece, step, **truth)
        else:
            capture.put(piece, step, **not_whole(**truth))
    return parts


def transfers():
    capture = Fabric("mad-rmpp", "management transfers of several datagrams: in order, swapped, lost and repeated, "
                     "stopped; with responses, with retries, without a response")
    transfer(capture, 0x100, 5, lambda n: range(1, n + 1))
    transfer(capture, 0x101, 6, lambda n: [2, 1] + list(range(3, n + 1)))
    transfer(capture, 0x102, 6, lambda n: [1, 3, 4, 3] + ([2] if n == 4 else [2] + list(range(5, n + 1))))
    transfer(capture, 0x103, 20, lambda n: list(range(n, 0, -1)) + [n])
    # one segment never comes; its receiver gives up
    parts, _ = mad.segments(0x11, [mad.attribute(mad.RECORDS[0x11], "lost%d" % i) for i in range(6)], 112, transaction=0x104)
    request = len(capture.frames) + 1
    capture.put(mad.sa(mad.GET_TABLE, 0x11, Piece(bytes(112)), transaction=0x104), source=7, destination=3)
    for i in (1, 2, 4):
        capture.put(parts[i - 1], **not_whole(**answered(request, STEP_NS * (i if i < 3 else 3))))
    for words in (mad.rmpp(2, 1, 0, 2, 66), mad.rmpp(4, 1, 126)):
        head = mad.header(mad.ADMINISTRATION, mad.GET_TABLE, 0x11, version=2, transaction=0x104)
        capture.put(mad.filled(head, words), source=7, destination=3, **{"infiniband.sa.smkey": None})
    capture.put(parts[2], **not_whole())
    # a retry that is answered, and requests that are not
    get = mad.smp(mad.GET, 0x11, Piece(bytes(40)), transaction=0x200)
    first = len(capture.frames) + 1
    capture.put(get, 10**9, 7, 3, True, **{ANALYSIS: None})
    capture.put(get, 10**8, 7, 3, True, **{ANALYSIS: "retransmission"})
    capture.put(mad.smp(mad.GET_RESP, 0x11, mad.attribute(mad.SUBNET_ATTRIBUTES[0x11], "x"), transaction=0x200), 10**8, subnet=True,
                **answered(first, 2 * 10**8))
    capture.put(mad.smp(mad.GET, 0x15, Piece(bytes(64)), transaction=0x201), 10**8, 7, 3, True)
    late = len(capture.frames) + 1
    capture.put(mad.smp(mad.GET, 0x12, Piece(bytes(64)), transaction=0x202), 10**8, 7, 3, True)
    capture.put(mad.smp(mad.GET_RESP, 0x12, mad.attribute(mad.SUBNET_ATTRIBUTES[0x12], "y"), transaction=0x202), 5 * 10**9, subnet=True,
                **answered(late, 5 * 10**9))
    # no request; another transaction id; a response of another subnet
    capture.put(mad.smp(mad.GET_RESP, 0x11, mad.attribute(mad.SUBNET_ATTRIBUTES[0x11], "z"), transaction=0x201), subnet=True,
                **{"rdmatap.request_frame": None})
    capture.put(mad.sa(mad.GET_RESP, 0x35, mad.attribute(mad.RECORDS[0x35], "none"), transaction=0x300, status=0x0300),
                **{"rdmatap.request_frame": None})
    return capture


def eoib(frame, signature=3, version=0, tcp=0, ip=0, reserved=0, fcs=0, more=0, offset=0, ident=0):
    """The header of Ethernet over InfiniBand in front of a frame."""
    data = put((signature, 2), (version, 2), (tcp, 2), (ip, 2), (reserved, 1), (fcs, 1), (more, 1), (offset, 5), (ident, 16))
    facts = [("version", version), ("tcp_chk", tcp), ("ip_chk", ip), ("fcs", fcs), ("ms", more), ("ip_seg_offset", offset), ("ip_seg_id", ident)]
    return Piece(data + frame.data, [("infiniband.eoib." + n, v) for n, v in facts] + frame.facts)


def over_eoib():
    """Ethernet frames in datagrams, and datagrams that only resemble them."""
    capture = Fabric("eoib", "Ethernet over InfiniBand: IPv4 and IPv6, with checksums and FCS; and datagrams that only "
                     "resemble it")
    inner = [net.ipv4(net.udp(Piece(b"over EoIB"), 1000, 2000)), net.ipv6(net.udp(Piece(b"over EoIB"), 1000, 2000))]
    absent = {"infiniband.eoib.version": None, "eth.dst": None}
    good = [eoib(net.ethernet(piece, fcs=bool(fcs)), tcp=3, ip=2, fcs=fcs, ident=0x1234) for piece in inner for fcs in (0, 1)]
    bad = [eoib(net.ethernet(inner[0]), **fields) for fields in (dict(signature=2), dict(version=1), dict(reserved=1), dict(offset=1), dict(fcs=1))]
    bad.append(eoib(net.ethernet(Piece(b"x" * 40, (), 0x88b5))))
    for piece in good:
        capture.put_datagram(piece)
    for piece in bad:
        capture.put_datagram(Piece(piece.data), **absent)
    return capture


def captures():
    capture = Fabric("mad-attributes", "every attribute of management datagrams that is known, in InfiniBand frames within ERF records")
    for fill in (subnet, administration, masks, other_classes):
        fill(capture)
    yield capture
    yield transfers()
    yield over_eoib()
