# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""InfiniBand packets by IBTA vol. 1 (chapters 5, 7 and 9, annexes A14 XRC, A19 memory placement) and RoCE by A16, A17."""
import functools

import crc
from piece import Piece, address, address_text, put

RC, UC, RD, UD, CNP, XRC = 0x00, 0x20, 0x40, 0x60, 0x80, 0xa0
SERVICES = {RC: "RC", UC: "UC", RD: "RD", UD: "UD", CNP: "CNP", XRC: "XRC"}

# Operation (low five bits): extended headers after those of the service, and whether a payload follows. Tables 38, 39.
REQUESTS = {
    0x00: ("SEND First", (), True), 0x01: ("SEND Middle", (), True), 0x02: ("SEND Last", (), True),
    0x03: ("SEND Last with Immediate", ("immdt",), True), 0x04: ("SEND Only", (), True),
    0x05: ("SEND Only with Immediate", ("immdt",), True),
    0x06: ("RDMA WRITE First", ("reth",), True), 0x07: ("RDMA WRITE Middle", (), True),
    0x08: ("RDMA WRITE Last", (), True), 0x09: ("RDMA WRITE Last with Immediate", ("immdt",), True),
    0x0a: ("RDMA WRITE Only", ("reth",), True),
    0x0b: ("RDMA WRITE Only with Immediate", ("reth", "immdt"), True),
    0x0c: ("RDMA READ Request", ("reth",), False),
    0x13: ("CmpSwap", ("atomiceth",), False), 0x14: ("FetchAdd", ("atomiceth",), False),
    0x16: ("SEND Last with Invalidate", ("ieth",), True), 0x17: ("SEND Only with Invalidate", ("ieth",), True),
    0x1c: ("FLUSH", ("feth", "reth"), False), 0x1d: ("ATOMIC WRITE", ("reth",), True),
}
RESPONSES = {
    0x0d: ("RDMA READ Response First", ("aeth",), True), 0x0e: ("RDMA READ Response Middle", (), True),
    0x0f: ("RDMA READ Response Last", ("aeth",), True), 0x10: ("RDMA READ Response Only", ("aeth",), True),
    0x11: ("Acknowledge", ("aeth",), False), 0x12: ("ATOMIC Acknowledge", ("aeth", "atomicacketh"), False),
}


@functools.lru_cache(maxsize=None)
def layout(opcode):
    """(name, extended headers in order, payload follows), or None for a reserved opcode."""
    service, operation = opcode & 0xe0, opcode & 0x1f
    request, response = REQUESTS.get(operation), RESPONSES.get(operation)
    if opcode in (0x80, 0x81):
        return "CNP", ("cnp",), False
    if service == UD:
        found = request if operation in (0x04, 0x05) else None
        before = ("deth",)
    elif service == UC:
        found = request if operation <= 0x0b else None
        before = ()
    elif service == RC:
        found, before = request or response, ()
    elif service == XRC:
        found, before = request or response, () if response else ("xrceth",)
    elif service == RD:
        if operation == 0x15:
            found = ("RESYNC", (), False)
        else:
            found = None if operation in (0x16, 0x17, 0x1d) else request or response
        before = ("rdeth",) if response else ("rdeth", "deth")
    else:
        found, before = None, ()
    return (found[0], before + found[1], found[2]) if found else None


# Default values of the headers, chosen so that swapped bytes and shifted bits are detected.
DEFAULTS = {
    "se": 0, "m": 0, "tver": 0, "p_key": 0xffff, "fecn": 0, "becn": 0, "reserved6": 0, "destqp": 0x012345, "a": 0,
    "reserved7": 0, "psn": 0x0a0b0c, "eecnxt": 0x00d1d2d3, "q_key": 0x11223344, "srcqp": 0x054321, "srq": 0x0c0ffe,
    "xrc_reserved": 0, "va": 0x1122334455667788, "r_key": 0xa1b2c3d4, "dmalen": 4096, "swapdt": 0x0102030405060708,
    "cmpdt": 0x1112131415161718, "syndrome": 0x1f, "msn": 0x00abcd, "origremdt": 0xfedcba9876543210,
    "immdt": "deadbeef", "ieth": "0000abcd", "feth_reserved": 0, "sel": 0, "plt": 1,
}


def _aeth(v):
    syndrome = v["syndrome"]
    facts = [("aeth.syndrome", syndrome), ("aeth.syndrome.reserved", syndrome >> 7),
             ("aeth.syndrome.opcode", syndrome >> 5 & 3),
             ("aeth.syndrome." + ("credit_count", "timer", "reserved_value", "error_code")[syndrome >> 5 & 3],
              syndrome & 31), ("aeth.msn", v["msn"])]
    return put((syndrome, 8), (v["msn"], 24)), facts


def extended(name, v):
    """One extended transport header: its bytes and facts (names without the "infiniband." in front)."""
    if name == "rdeth":
        return put((0, 8), (v["eecnxt"], 24)), [("rdeth.eecnxt", v["eecnxt"])]
    if name == "deth":
        return (put((v["q_key"], 32), (0, 8), (v["srcqp"], 24)),
                [("deth.q_key", v["q_key"]), ("deth.srcqp", v["srcqp"])])
    if name == "xrceth":
        return (put((v["xrc_reserved"], 8), (v["srq"], 24)),
                [("xrceth.reserved", v["xrc_reserved"]), ("xrceth.srq", v["srq"])])
    if name == "reth":
        return (put((v["va"], 64), (v["r_key"], 32), (v["dmalen"], 32)),
                [("reth.va", v["va"]), ("reth.r_key", v["r_key"]), ("reth.dmalen", v["dmalen"])])
    if name == "atomiceth":
        return (put((v["va"], 64), (v["r_key"], 32), (v["swapdt"], 64), (v["cmpdt"], 64)),
                [("reth.va", v["va"]), ("reth.r_key", v["r_key"]), ("atomiceth.swapdt", v["swapdt"]),
                 ("atomiceth.cmpdt", v["cmpdt"])])
    if name == "aeth":
        return _aeth(v)
    if name == "atomicacketh":
        return put((v["origremdt"], 64)), [("atomicacketh.origremdt", v["origremdt"])]
    if name == "feth":
        return (put((v["feth_reserved"], 26), (v["sel"], 2), (v["plt"], 4)),
                [("feth.reserved", v["feth_reserved"]), ("feth.sel", v["sel"]), ("feth.plt", v["plt"])])
    if name in ("immdt", "ieth"):
        return bytes.fromhex(v[name]), [(name, v[name])]
    return bytes(16), []  # CNP


@functools.lru_cache(maxsize=4096, typed=True)
def before_psn(opcode, se, m, padcnt, tver, p_key, fecn, becn, reserved6, destqp, a, reserved7):
    """The BTH up to the PSN, and its facts: the packets of a connection have few of them."""
    data = put((opcode, 8), (se, 1), (m, 1), (padcnt, 2), (tver, 4), (p_key, 16), (fecn, 1), (becn, 1), (reserved6, 6), (destqp, 24), (a, 1), (reserved7, 7))
    said = (("opcode", opcode), ("se", se), ("m", m), ("padcnt", padcnt), ("tver", tver), ("p_key", p_key), ("fecn", fecn), ("becn", becn),
            ("reserved6", reserved6), ("destqp", destqp), ("a", a), ("reserved7", reserved7))
    return data, tuple(("infiniband.bth." + name, value) for name, value in said)


def transport(opcode, payload=None, padcnt=None, facts=(), **values):
    """BTH, extended headers, payload and pad, without ICRC. facts: of the payload."""
    if not values.keys() <= DEFAULTS.keys():
        raise ValueError("no such field: %s" % ", ".join(sorted(values.keys() - DEFAULTS.keys())))
    v = {**DEFAULTS, **values}
    shape = layout(opcode)
    if payload is None:
        payload = bytes(range(0x40, 0x60)) if shape is None or shape[2] else b""
        payload = payload[:8] if shape and shape[0] == "ATOMIC WRITE" else payload
    pad = -len(payload) % 4
    claimed = pad if padcnt is None else padcnt
    bth, before = before_psn(opcode, v["se"], v["m"], claimed, v["tver"], v["p_key"], v["fecn"], v["becn"], v["reserved6"], v["destqp"], v["a"],
                             v["reserved7"])
    bth += v["psn"].to_bytes(3, "big")
    said = [*before, ("infiniband.bth.psn", v["psn"])]
    for name in shape[1] if shape else ():
        data, more = extended(name, v)
        bth += data
        said += [("infiniband." + n, x) for n, x in more]
    return Piece(bth + payload + bytes(pad), said + list(facts))


def invariant(sent, want):
    """Facts of an ICRC in the frame; `want`: the correct value."""
    return [("infiniband.invariant.crc", int.from_bytes(sent, "big")),
            ("infiniband.invariant.crc.status", "good" if sent == want else "bad")]


def grh(length, sgid="fe80::2:c903:1:2", dgid="fe80::2:c903:3:4", ipver=6, tclass=0, flowlabel=0, hoplmt=1,
        nxthdr=0x1b, paylen=None):
    """Global route header before `length` bytes (ICRC included): bytes, facts."""
    paylen = length if paylen is None else paylen
    data = put((ipver, 4), (tclass, 8), (flowlabel, 20), (paylen, 16), (nxthdr, 8), (hoplmt, 8))
    facts = [("ipver", ipver), ("tclass", tclass), ("flowlabel", flowlabel), ("paylen", paylen), ("nxthdr", nxthdr),
             ("hoplmt", hoplmt), ("sgid", address_text(address(sgid))), ("dgid", address_text(address(dgid)))]
    return data + address(sgid) + address(dgid), [("infiniband.grh." + n, x) for n, x in facts]


def roce_v1(packet, bad=0, **route):
    """RoCE v1: GRH, packet, ICRC. bad: bits to flip in the ICRC."""
    header, facts = grh(len(packet.data) + 4, **route)
    want = crc.icrc_global(header, packet.data)
    sent = (int.from_bytes(want, "big") ^ bad).to_bytes(4, "big")
    return Piece(header + packet.data + sent, facts + packet.facts + invariant(sent, want), 0x8915)


def lrh(length, lnh, vl=0, lver=0, sl=0, reserved2=0, dlid=0x1234, reserved5=0, pktlen=None, slid=0x5678):
    """Local route header; length: bytes from the LRH to the ICRC (raw packets: to the end of the payload)."""
    words = length // 4 if pktlen is None else pktlen
    data = put((vl, 4), (lver, 4), (sl, 4), (reserved2, 2), (lnh, 2), (dlid, 16), (reserved5, 5), (words, 11), (slid, 16))
    facts = [("vl", vl), ("lver", lver), ("sl", sl), ("reserved2", reserved2), ("lnh", lnh), ("dlid", dlid),
             ("reserved5", reserved5), ("pktlen", words), ("slid", slid)]
    return data, [("infiniband.lrh." + n, x) for n, x in facts]


def variant(data, bad=0):
    """VCRC after `data`: bytes, facts. bad: bits to flip."""
    want = crc.vcrc(data)
    sent = (int.from_bytes(want, "big") ^ bad).to_bytes(2, "big")
    return sent, [("infiniband.variant.crc", int.from_bytes(sent, "big")),
                  ("infiniband.variant.crc.status", "good" if sent == want else "bad")]


def native(packet, route=None, with_vcrc=True, bad_icrc=0, bad_vcrc=0, **local):
    """InfiniBand packet with an LRH, with a GRH if `route` (its fields) is given, ICRC and VCRC."""
    data, facts = packet.data, packet.facts
    if route is not None:
        header, said = grh(len(data) + 4, **route)
        want = crc.icrc_global(header, data)
        data, facts = header + data, said + facts
        link, link_facts = lrh(len(data) + 12, 3, **local)
    else:
        link, link_facts = lrh(len(data) + 12, 2, **local)
        want = crc.icrc_local(link, data)
    sent = (int.from_bytes(want, "big") ^ bad_icrc).to_bytes(4, "big")
    data, facts = link + data + sent, link_facts + facts + invariant(sent, want)
    if with_vcrc:
        sent, said = variant(data, bad_vcrc)
        data, facts = data + sent, facts + said
    return Piece(data, facts)


def raw(payload, with_vcrc=True, ethertype=None, **local):
    """Raw packet (7.2): with an Ethertype a RWH follows the LRH (LNH 0), else IPv6 (LNH 1). There is no ICRC."""
    pad = bytes(-len(payload.data) % 4)
    rwh = b"" if ethertype is None else put((0, 16), (ethertype, 16))
    facts = [] if ethertype is None else [("infiniband.rwh.etype", ethertype)]
    link, link_facts = lrh(8 + len(rwh) + len(payload.data) + len(pad), 1 if ethertype is None else 0, **local)
    data, facts = link + rwh + payload.data + pad, link_facts + facts + payload.facts
    if with_vcrc:
        sent, said = variant(data)
        data, facts = data + sent, facts + said
    return Piece(data, facts)
