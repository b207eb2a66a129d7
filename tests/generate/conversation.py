# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Communicating queue pairs, a capture of their packets, and the truth about it.

A Scene is a capture. Its connections make packets; a packet that is put into the scene is in the capture, one that is
not was lost before the capture point, one put twice was captured twice. Each data packet has a reference to its message and its
offset there, so the truth is independent of PSNs.

NAME.messages.jsonl and NAME.connections.jsonl accompany NAME.pcap: one object per line, with only the keys that must hold.
Definitions of keys:

- a message is identified by its first frame, not by its number, because "optional": true marks messages that need not be reported
  (the rest of a message whose beginning is lost).
- connection: counted from 1 by first frame, without QP 0 and 1. MADs have no connection here.
- direction: "a>b": a sent the CM REQ or SIDR REQ; without CM, a sent the first request packet. A READ's is its request's.
- psn: of the first packet of the request, whether it was captured or not.
- frames: captured frames that contributed data: request packets, and response packets of READ, atomics, FLUSH. No
  acknowledgements and no repeats. first_frame and last_frame are of the same set; [x, y]: any number from x to y is correct.
- repeats: packets with only bytes or a request that were captured before, including a READ request that was sent again
  (whole or for the rest). Bytes that differ are ignored: the first copy counts.
- length: bytes of payload; READ, WRITE, FLUSH: DMA length; atomics 8. Absent if it cannot be known (SEND without its last
  packet).
- missing: absent if complete. reason "not_captured"; adjacent holes are merged. A length that cannot be known is absent.
- crc32: of a complete message; compared if the program reports the message as complete.
- status: of RC and XRC requests. "good": answered or acknowledged, independent of its captured packets; "unanswered": neither
  until the end of the capture or the connection; after a NAK without a retry: the name of the NAK.
- null: the key must be absent or null.
- a.psn, b.psn: PSN of the first request of that side. service: contains this port number.
- life: the required events among rdma_connect, rdma_accept, rdma_reject, established, in this order.
- anomalies: counts; names in check-messages that are not listed must be 0 or absent. "x|y": the sum of both. null: any.
  duplicate: a packet that was captured before and was not requested again; retransmission: one sent again after a
  NAK, an RNR NAK or a timeout; out_of_order: one captured for the first time after later ones, without a request; lost: PSNs of
  a request or a READ response that were never captured; differing_repeat: a repeat with other bytes.
- bytes: payload of the messages, without missing bytes.

The truth of RPC calls and replies (session.py) has rows only for these; other messages are not compared there:

- first_frame: of the SEND with its header. length, missing, crc32: of the whole, unreduced RPC message.
- answer, request: first frame of the reply, the call. crc32 without complete: if the program reports it as complete, it must have this CRC.
"""
import collections
import copy
import hashlib
import os
import zlib

import capfile
import handshake
import ib
import net
from capture import START_NS, write_truth

PMTU = 256
STEP_NS = 10000
DATAGRAM_Q_KEY = 0x1ee7
STATUS = "infiniband.invariant.crc.status"


def bytes_of(seed, length):
    """Payload that is different in each message."""
    return hashlib.shake_128(str(seed).encode()).digest(length)


def crc(data):
    return "%08x" % zlib.crc32(data)


class Message:
    """A message that was sent. parts: its packets, {part: (offset, bytes)}; offset None: a packet without payload."""

    def __init__(self, connection, kind, direction, psn, data, **known):
        self.connection, self.data, self.parts, self.seen = connection, data, {}, {}
        self.row = {"kind": kind, "direction": direction, "psn": psn, "length": len(data)}
        self.row.update(known)
        self.hidden, self.first, self.last, self.repeats, self.counted = (), None, None, 0, True
        self.crc_data = data

    def expect(self, **changes):
        """Sets keys that the captured packets do not determine (None: key absent), or the result of the message."""
        self.row.update(changes)
        return self

    def unknown(self, *keys):
        """Keys that are not compared."""
        self.hidden += keys
        return self

    def unreported(self):
        """A message that need not be reported, because its beginning is lost; if reported, it must be incomplete."""
        self.hidden = ("connection", "last_frame", "frames", "repeats", "missing") + tuple(self.row)
        self.row.update(optional=True, complete=False)
        return self

    def feed(self, part, data, number):
        self.first = self.first or number
        if part in self.seen:
            self.repeats += 1
            return
        self.seen[part] = data
        self.last = number

    def complete(self):
        return all(part in self.seen for part in self.parts)

    def missing(self):
        holes = []
        for part, (offset, data) in sorted(self.parts.items(), key=lambda item: (item[1][0] or 0)):
            if part in self.seen or offset is None or not data:
                continue
            if holes and holes[-1]["offset"] + holes[-1]["length"] == offset:
                holes[-1]["length"] += len(data)
            else:
                holes.append({"offset": offset, "length": len(data), "reason": "not_captured"})
        return holes

    def truth(self, numbers):
        row = {"first_frame": self.first, "last_frame": self.last, "frames": len(self.seen), "repeats": self.repeats}
        row["connection"] = numbers.get(self.connection)
        row["complete"] = self.complete()
        if not row["complete"]:
            row["missing"] = self.missing()
        row.update(self.row)
        if row["complete"] and row["kind"] != "flush":
            received = b"".join(self.seen[p] for p, _ in sorted(self.parts.items(), key=lambda item: (item[1][0] or 0)))
            row["crc32"] = crc(self.crc_data if row["kind"] == "atomic" else received)
        for key in self.hidden:
            row.pop(key, None)
        return row


class Packet:
    """One packet on the wire. part: its index in `message`."""

    def __init__(self, connection, sender, opcode, psn, message=None, part=None, data=b"", **values):
        self.connection, self.sender, self.opcode, self.psn = connection, sender, opcode, psn & 0xffffff
        self.message, self.part, self.data, self.values = message, part, data, values

    def altered(self):
        """The same packet with other bytes."""
        other = copy.copy(self)
        other.data = bytes(b ^ 0xff for b in self.data)
        return other

    def piece(self, **route):
        there = self.connection.other(self.sender)
        packet = ib.transport(self.opcode, payload=self.data, destqp=there.qpn, psn=self.psn, **self.values)
        return self.connection.dress(packet, self.connection.side(self.sender), there, **route)


class Side:
    def __init__(self, addr, qpn, psn, udp=0xc123):
        self.addr, self.qpn, self.psn, self.udp, self.start, self.msn = addr, qpn, psn, udp, psn, 0


def over_v2(packet, here, there, **route):
    version = 6 if ":" in here.addr else 4
    return net.ethernet(net.roce_v2(packet, version=version, srcport=here.udp, src=here.addr, dst=there.addr, **route))


def over_v1(packet, here, there, **route):
    return net.ethernet(ib.roce_v1(packet, sgid=here.addr, dgid=there.addr, **route))


def over_infiniband(packet, here, there, bad=0):
    return ib.native(packet, slid=here.addr, dlid=there.addr, bad_icrc=bad)


class Scene:
    """A capture that is being generated. Frames with a bad ICRC have their own truth file, NAME.expected.jsonl."""
    suffix = ".pcap"

    def __init__(self, name, how, link=1, options=None):
        self.name, self.how, self.link, self.options = "conn_" + name, how, link, options
        self.truth = "`%s.messages.jsonl`, `%s.connections.jsonl`" % (self.name, self.name)
        self.frames, self.connections, self.messages, self.time = [], [], [], START_NS
        self.bad = False

    def connection(self, *arguments, **options):
        made = Connection(self, *arguments, **options)
        self.connections.append(made)
        return made

    def put(self, *packets, interface=0, **route):
        """Captures packets in this order."""
        self.bad |= "bad" in route
        for packet in packets:
            self.add(packet.piece(**route), packet if not route.get("bad") else None, interface)
            if packet.connection.first is None:
                packet.connection.first = len(self.frames)

    def add(self, piece, packet=None, interface=0):
        self.frames.append((self.time, interface, piece, packet))
        self.time += STEP_NS
        return len(self.frames)

    def pause(self, seconds):
        self.time += int(seconds * 1e9)

    def say(self, message):
        self.messages.append(message)
        return message

    def mad(self, connection, sender, attribute, body):
        """A CM MAD, which is one message."""
        here, there = connection.side(sender), connection.other(sender)
        packet = handshake.packet(attribute, connection.tid, body)
        number = self.add(connection.dress(packet, here, there))
        connection.first = connection.first or number
        payload = packet.data[20:]
        message = self.say(Message(None, "mad", None, 0, payload))
        message.parts[0] = (0, payload)
        message.feed(0, payload, number)
        message.unknown("connection", "direction", "psn", "frames", "repeats")
        return number

    def rows(self):
        for number, (_, _, _, packet) in enumerate(self.frames, 1):
            if packet is not None and packet.message is not None:
                packet.message.feed(packet.part, packet.data, number)
        known = [c for c in self.connections if c.first is not None]
        known.sort(key=lambda c: c.first)
        numbers = {c: n for n, c in enumerate(known, 1)}
        said = sorted((m for m in self.messages if m.first), key=lambda m: m.first)
        of_connection = collections.defaultdict(list)
        for m in said:
            of_connection[m.connection].append(m)
        return [m.truth(numbers) for m in said], [c.truth(numbers[c], of_connection[c]) for c in known]

    def write(self, folder):
        path = os.path.join(folder, self.name)
        messages, connections = self.rows()
        self.write_capture(path + self.suffix)
        write_truth(path + ".messages.jsonl", messages)
        write_truth(path + ".connections.jsonl", connections)
        if self.bad:
            write_truth(path + ".expected.jsonl", [self.frame_truth(n) for n in range(1, len(self.frames) + 1)])
        if self.options:
            with open(path + ".options", "w") as f:
                f.write(self.options + "\n")

    def frame_truth(self, number):
        facts = dict(self.frames[number - 1][2].facts)
        return {"frame.number": number, STATUS: facts[STATUS]}

    def write_capture(self, path):
        capfile.write_pcap(path, self.link, [(t, p.data, len(p.data)) for t, _, p, _ in self.frames])


class TwoInterfaces(Scene):
    """The same in a pcapng with two interfaces."""
    suffix = ".pcapng"

    def write_capture(self, path):
        file = capfile.Pcapng()
        file.section()
        for name in (b"eth0", b"eth1"):
            file.interface(self.link, 0, [(2, name), (9, b"\x09")])
        for time, interface, piece, _ in self.frames:
            file.packet(interface, time, piece.data)
        file.write(path)


def plain(value):
    return {k: v for k, v in value.items() if v is not None}


class Connection:
    """Two queue pairs. This makes packets; the captured ones are put into the scene."""

    def __init__(self, scene, a=("10.0.0.2", 0x11, 0x100), b=("10.0.0.1", 0x22, 0x800000), service=ib.RC,
                 dress=over_v2, learned="inferred", port=None):
        self.scene, self.a, self.b = scene, Side(*a), Side(*b, udp=0xd321)
        self.service, self.dress, self.learned, self.port = service, dress, learned, port
        self.first, self.life, self.anomalies, self.tid = None, [], {}, 0x1000 + len(scene.connections)
        self.ids = (0x10001 + len(scene.connections), 0x20001 + len(scene.connections))
        self.known = {"a.qpn": True, "b.qpn": True, "a.psn": True, "b.psn": True}

    def side(self, name):
        return self.a if name == "a" else self.b

    def other(self, name):
        return self.b if name == "a" else self.a

    def direction(self, name):
        return name + ">" + ("b" if name == "a" else "a")

    # Communication management

    def request(self, again=False, private=b""):
        kinds = {ib.RC: (handshake.RC, 0), ib.UC: (handshake.UC, 0), ib.XRC: (handshake.OTHER, 1)}
        self.scene.mad(self, "a", handshake.REQ, handshake.req(self.ids[0], self.a.qpn, self.b.start, self.port, self.a.addr,
                                                               self.b.addr, *kinds[self.service], private=private))
        if not again:
            self.life.append("rdma_connect")
        self.learned = "cm"

    def reply(self, again=False, private=b""):
        self.scene.mad(self, "b", handshake.REP, handshake.rep(self.ids[1], self.ids[0], self.b.qpn, self.a.start,
                                                               self.service == ib.XRC, private))
        if not again:
            self.life.append("rdma_accept")

    def ready(self):
        self.report("a", handshake.RTU)
        self.life.append("established")

    def establish(self):
        self.request()
        self.reply()
        self.ready()
        return self

    def reject(self):
        self.report("b", handshake.REJ, reason=handshake.CONSUMER_REJECT)
        self.life.append("rdma_reject")
        self.known["b.qpn"] = self.known["a.psn"] = False

    def disconnect(self):
        self.report("a", handshake.DREQ, req_remoteqpneecn=self.b.qpn)
        self.report("b", handshake.DREP)

    def report(self, name, attribute, **values):
        """A message with both communication ids."""
        ids = self.ids if name == "a" else self.ids[::-1]
        self.scene.mad(self, name, attribute, handshake.between(attribute, *ids, **values))

    def resolve(self):
        """SIDR (12.11): b returns the QPN of its datagram service."""
        self.scene.mad(self, "a", handshake.SIDR_REQ,
                       handshake.sidr_req(self.ids[0], self.port, self.a.addr, self.b.addr))
        self.scene.mad(self, "b", handshake.SIDR_REP,
                       handshake.sidr_rep(self.ids[0], self.b.qpn, self.port, DATAGRAM_Q_KEY))
        self.life += ["rdma_connect", "rdma_accept"]
        self.learned = "cm"

    # Messages

    def _psn(self, name, count):
        side = self.side(name)
        psn, side.psn = side.psn, (side.psn + count) & 0xffffff
        return psn

    def _message(self, name, kind, verb, psn, data, **known):
        message = Message(self, kind, self.direction(name), psn, data, verb=verb, **known)
        message.row["status"] = "good" if self.service in (ib.RC, ib.XRC) else None
        return self.scene.say(message)

    def _chunks(self, data):
        return [(at, data[at:at + PMTU]) for at in range(0, max(1, len(data)), PMTU)]

    def _packet(self, name, operation, psn, message, part, data, **values):
        if self.service == ib.XRC and operation not in ib.RESPONSES:
            values["srq"] = 0x777
        return Packet(self, name, self.service | operation, psn, message, part, data, **values)

    def _row(self, name, message, psn, operations, first, last):
        """Packets of a message of n payloads. operations: of First, Middle, Last, Only."""
        chunks, packets = self._chunks(message.data), []
        for i, (offset, data) in enumerate(chunks):
            begin, end = i == 0, i == len(chunks) - 1
            operation = operations[3 if begin and end else 0 if begin else 2 if end else 1]
            values = {**(first if begin else {}), **(last if end else {})}
            message.parts[offset] = (offset, data)
            packets.append(self._packet(name, operation, psn + i, message, offset, data, a=int(end), **values))
        return packets

    def send(self, name, length, imm=None, inv=None, seed=None, data=None):
        data = bytes_of(seed or (self.scene.name, len(self.scene.messages)), length) if data is None else data
        known, last = {}, {}
        operations = (0, 1, 2, 4)
        if imm is not None:
            operations, last, known = (0, 1, 3, 5), {"immdt": "%08x" % imm}, {"immediate": imm}
        if inv is not None:
            operations, last, known = (0, 1, 0x16, 0x17), {"ieth": "%08x" % inv}, {"invalidated_r_key": inv}
        psn = self._psn(name, len(self._chunks(data)))
        return self._row(name, self._message(name, "send", "send", psn, data, **known), psn, operations, {}, last)

    def write(self, name, length, r_key=0x1234, va=0x7f0000001000, imm=None, data=None):
        data = bytes_of((self.scene.name, len(self.scene.messages)), length) if data is None else data
        known, operations, last = {"r_key": r_key, "virtual_address": "0x%016x" % va}, (6, 7, 8, 0xa), {}
        if imm is not None:
            operations, last = (6, 7, 9, 0xb), {"immdt": "%08x" % imm}
            known["immediate"] = imm
        psn = self._psn(name, len(self._chunks(data)))
        message = self._message(name, "write", "write", psn, data, **known)
        return self._row(name, message, psn, operations, {"r_key": r_key, "va": va, "dmalen": len(data)}, last)

    def read(self, name, length, r_key=0x4321, va=0x7f0000002000, data=None):
        """(request, responses)"""
        data = bytes_of((self.scene.name, len(self.scene.messages)), length) if data is None else data
        psn = self._psn(name, len(self._chunks(data)))
        message = self._message(name, "read", "read", psn, data, r_key=r_key, virtual_address="0x%016x" % va)
        message.parts["request"] = (None, b"")
        request = self._packet(name, 0xc, psn, message, "request", b"", va=va, r_key=r_key, dmalen=len(data))
        there = "b" if name == "a" else "a"
        responses = self._row(there, message, psn, (0xd, 0xe, 0xf, 0x10), {}, {})
        return request, responses

    def read_again(self, request, responses, at, begin=None):
        """The READ, requested again from response `at` on. begin: operation of the first response, if not Middle/Last."""
        whole = request.values
        again = copy.copy(request)
        again.psn = responses[at].psn
        again.values = dict(whole, va=whole["va"] + at * PMTU, dmalen=whole["dmalen"] - at * PMTU)
        rest = [copy.copy(p) for p in responses[at:]]
        if begin is not None:
            rest[0].opcode = self.service | begin
        return again, rest

    def atomic(self, name, operation, compare, swap_or_add, original, r_key=0x5555, va=0x7f0000003000):
        """(request, response) of CmpSwap (0x13) or FetchAdd (0x14)."""
        psn, answer = self._psn(name, 1), original.to_bytes(8, "big")
        swap = operation == 0x13
        known = {"compare": "0x%016x" % compare} if swap else {}
        message = self._message(name, "atomic", "compare_swap" if swap else "fetch_add", psn, answer, r_key=r_key,
                                virtual_address="0x%016x" % va, swap_or_add="0x%016x" % swap_or_add,
                                original="0x%016x" % original, **known)
        message.parts.update(request=(None, b""), response=(0, answer))
        request = self._packet(name, operation, psn, message, "request", b"", va=va, r_key=r_key, swapdt=swap_or_add,
                               cmpdt=compare)
        there = "b" if name == "a" else "a"
        return request, self._packet(there, 0x12, psn, message, "response", b"", origremdt=original)

    def atomic_write(self, name, value, r_key=0x5555, va=0x7f0000003000):
        return self._placed(name, "atomic", "atomic_write", 0x1d, value, 8, r_key, va)

    def flush(self, name, length, r_key=0x5555, va=0x7f0000003000):
        return self._placed(name, "flush", "flush", 0x1c, b"", length, r_key, va)

    def _placed(self, name, kind, verb, operation, value, length, r_key, va):
        """(request, response): both are answered by a READ Response Only without payload."""
        psn = self._psn(name, 1)
        message = self._message(name, kind, verb, psn, value, r_key=r_key, virtual_address="0x%016x" % va)
        message.row["length"] = length
        message.parts.update(request=(0, value), response=(None, b""))
        request = self._packet(name, operation, psn, message, "request", value, va=va, r_key=r_key, dmalen=length)
        there = "b" if name == "a" else "a"
        return request, self._packet(there, 0x10, psn, message, "response", b"")

    def datagram(self, name, length, imm=None):
        data, known, last = bytes_of((self.scene.name, len(self.scene.messages)), length), {}, {}
        if imm is not None:
            last, known = {"immdt": "%08x" % imm}, {"immediate": imm}
        psn = self._psn(name, 1)
        message = self._message(name, "ud", "send", psn, data, **known)
        message.parts[0] = (0, data)
        return self._packet(name, 4 if imm is None else 5, psn, message, 0, data, q_key=DATAGRAM_Q_KEY,
                            srcqp=self.side(name).qpn, **last)

    def ack(self, packet, syndrome=0x1f, psn=None):
        """The acknowledgement of `packet` by the other side."""
        there = "b" if packet.sender == "a" else "a"
        self.side(there).msn += syndrome < 0x20
        return Packet(self, there, self.service | 0x11, packet.psn if psn is None else psn, syndrome=syndrome,
                      msn=self.side(there).msn)

    def notification(self, name, operation=0x81):
        """Congestion notification sent by `name` (A17.9.3)."""
        return Packet(self, name, operation, 0, becn=1)

    def truth(self, number, said):
        """said: its messages."""
        mine = [m for m in said if m.counted]
        row = plain({"connection": number, "transport": ib.SERVICES[self.service], "learned": self.learned})
        for name in "ab":
            side = self.side(name)
            row[name] = {"addr": side.addr if isinstance(side.addr, str) else None,
                         "qpn": side.qpn if self.known[name + ".qpn"] else None,
                         "psn": side.start if self.known[name + ".psn"] else None}
            row[name] = plain(row[name])
        if self.port is not None:
            row["port"] = self.port
        row.update(life=self.life, messages=len(mine), anomalies=self.anomalies)
        if any("optional" in m.row for m in mine):
            row.pop("messages")
        elif not any("length" in m.hidden or "complete" in m.hidden for m in mine):
            row["bytes"] = sum(m.row["length"] - sum(h["length"] for h in m.missing())
                               for m in mine if m.row["kind"] != "flush")
        return row
