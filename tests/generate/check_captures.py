# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures that violate the rules of `rdmatap check`: one function for each rule, by its id. In each capture the sender of the last
packets violates the section of the rule; everything else is correct."""
import ib
import handshake
from conversation import Packet, Scene

MS = 10**6
PORT = 18515

RULES = {}


def breaks(*ids, **options):
    """The function violates these rules, and no other ones."""
    def enter(function):
        RULES[ids[0]] = (function, set(ids), options)
        return function
    return enter


class Talk:
    """A connection of InfiniBand with its setup and a message in each direction. a: the sender of the REQ."""

    def __init__(self, private=(b"", b""), port=PORT, rep={}, req={}):
        self.scene = Scene("check", "")
        self.c = self.scene.connection(port=port)
        a, b = self.c.a, self.c.b
        values = handshake.req(self.c.ids[0], a.qpn, b.start, port, a.addr, b.addr, private=private[0])
        self.mad("a", handshake.REQ, changed(handshake.REQ, values, req))
        self.mad("b", handshake.REP, changed(handshake.REP, handshake.rep(self.c.ids[1], self.c.ids[0], b.qpn, a.start, private=private[1]), rep))
        self.mad("a", handshake.RTU, handshake.between(handshake.RTU, *self.c.ids))

    def mad(self, sender, attribute, body):
        self.scene.mad(self.c, sender, attribute, body)

    def warm(self):
        for name in "ab":
            self.say(name)
        return self

    def say(self, name, data=b"hello, world", **options):
        """A SEND and its acknowledgement."""
        packets = self.c.send(name, 0, data=data, **options)
        self.scene.put(*packets, self.c.ack(packets[-1]))

    def put(self, name, opcode, data=b"", psn=None, count=1, **values):
        """A packet of a request; without `psn` the next one."""
        side = self.c.side(name)
        if psn is None:
            psn, side.psn = side.psn, (side.psn + count) & 0xffffff
        self.scene.put(Packet(self.c, name, opcode, psn, data=data, **values))
        return psn

    def answer(self, name, opcode, psn, data=b"", done=1, **values):
        """A response of `name`. done: messages that it completes."""
        self.c.side(name).msn += done
        if opcode != 0x0e:
            values = {"syndrome": 0x1f, "msn": self.c.side(name).msn, **values}
        self.scene.put(Packet(self.c, name, opcode, psn, data=data, **values))

    def write_capture(self, path):
        self.scene.write_capture(path)


def changed(attribute, message, values):
    """The message with other values: {field: value}."""
    import cm
    data, at = bytearray(message.data), 0
    for field, width in cm.MESSAGES[attribute][1]:
        name = field.strip(".").replace(".", "_") or "id"
        if name in values:
            whole = int.from_bytes(data, "big")
            shift = len(data) * 8 - at - width
            whole = whole & ~(((1 << width) - 1) << shift) | values[name] << shift
            data = bytearray(whole.to_bytes(len(data), "big"))
        at += width
    return ib.Piece(bytes(data), message.facts)


def raw(talk, change, name="a", opcode=0x04, data=b"hello, world", **values):
    """A packet whose bytes from the BTH on `change` alters before the CRC."""
    packet = Packet(talk.c, name, opcode, talk.c.side(name).psn, data=data, **values)
    here, there = talk.c.side(name), talk.c.other(name)
    here.psn += 1
    piece = ib.transport(opcode, payload=data, destqp=there.qpn, psn=packet.psn, **values)
    bytes_ = bytearray(piece.data)
    change(bytes_)
    talk.scene.add(talk.c.dress(ib.Piece(bytes(bytes_), piece.facts), here, there))


SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY = 0, 1, 2, 4
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY = 6, 7, 8, 0xa
READ, READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY, ACK = 0xc, 0xd, 0xe, 0xf, 0x10, 0x11
ATOMIC_ACK, FETCH_ADD, ATOMIC_WRITE = 0x12, 0x14, 0x1d
FULL = bytes(256)


@breaks("ib-version")
def version(t):
    t.warm().put("a", SEND_ONLY, b"data", tver=1)


@breaks("ib-lrh-version", talk=lambda: Native())
def lrh_version(t):
    t.native(lver=1)


@breaks("ib-grh-version", talk=lambda: Native())
def grh_version(t):
    t.native(route={"ipver": 4})


@breaks("ib-vcrc", talk=lambda: Native())
def vcrc(t):
    t.native(bad_vcrc=1)


@breaks("ib-opcode")
def opcode(t):
    t.warm().put("a", 0x1b)


@breaks("ib-pad-partial", "ib-no-payload")
def pad_partial(t):
    t.warm().put("a", READ, b"", dmalen=16)
    raw(t, lambda b: b.__setitem__(1, b[1] | 0x10) or b.extend(b"\0\0\0\0"), opcode=FETCH_ADD, va=8, data=b"\0\0\0")


@breaks("ib-pad-excess")
def pad_excess(t):
    raw(t.warm(), lambda b: b.__setitem__(1, b[1] | 0x30), data=b"")


@breaks("ib-alignment")
def alignment(t):
    raw(t.warm(), lambda b: b.append(0))


@breaks("ib-no-payload")
def no_payload(t):
    t.warm().put("a", READ, b"data", dmalen=16)


@breaks("ib-reserved")
def reserved(t):
    t.warm().put("a", SEND_ONLY, b"data", reserved7=1)


@breaks("ib-solicited")
def solicited(t):
    t.warm().put("a", SEND_FIRST, FULL, se=1)


@breaks("ib-aeth-reserved")
def aeth_reserved(t):
    t.warm()
    t.answer("b", ACK, t.put("a", SEND_ONLY, b"data"), syndrome=0x45, done=0)


@breaks("ib-nak-code")
def nak_code(t):
    t.warm()
    t.answer("b", ACK, t.put("a", SEND_ONLY, b"data"), syndrome=0x65, done=0)


@breaks("ib-management-qp")
def management_qp(t):
    t.warm()
    there = t.c.b.qpn
    t.c.b.qpn = 1
    t.put("a", SEND_ONLY, FULL)
    t.c.b.qpn = there


@breaks("ib-gsi-q-key")
def gsi_q_key(t):
    t.warm().datagram(FULL, q_key=1)


@breaks("ib-mad-length")
def mad_length(t):
    t.warm().datagram(b"short")


@breaks("ib-p-key-invalid")
def p_key_invalid(t):
    t.p_key = 0x8000
    t.put("a", SEND_ONLY, b"data", p_key=0x8000)


@breaks("ib-p-key-changed")
def p_key_changed(t):
    t.warm().put("a", SEND_ONLY, b"data", p_key=0x8123)


@breaks("ib-p-key-limited")
def p_key_limited(t):
    psn = t.put("a", SEND_ONLY, b"data", p_key=0x0123)
    t.answer("b", ACK, psn, p_key=0x0123)


@breaks("ib-icrc")
def icrc(t):
    t.warm()
    t.scene.put(Packet(t.c, "a", SEND_ONLY, t.c.a.psn, data=b"data"), bad=1)


@breaks("ib-payload-most", "ib-mtu-exceeded", req={"pppmtu": 5})
def payload_most(t):
    t.warm().put("a", SEND_ONLY, bytes(4100))


@breaks("ib-dma-length")
def dma_length(t):
    t.warm().put("a", READ, dmalen=0x80000001)


@breaks("ib-dma-place")
def dma_place(t):
    t.warm().put("a", WRITE_ONLY, b"data", dmalen=8)


@breaks("ib-atomic-alignment")
def atomic_alignment(t):
    t.warm().put("a", FETCH_ADD, va=0x1004)


@breaks("ib-atomic-write-length")
def atomic_write_length(t):
    t.warm().put("a", ATOMIC_WRITE, bytes(12), va=0x1000, dmalen=8)


@breaks("ib-cnp")
def cnp(t):
    t.warm()
    t.scene.put(Packet(t.c, "b", 0x81, 0, becn=0))


@breaks("ib-fecn")
def fecn(t):
    t.warm().put("a", SEND_ONLY, b"data", fecn=1)


@breaks("ib-cnp-marks")
def cnp_marks(t):
    t.warm()
    t.scene.put(*t.c.send("a", 0, data=b"data"), dsfield=3)
    t.scene.put(t.c.notification("b"), t.c.notification("b"))
    for _ in range(4):
        t.say("a")


@breaks("ib-mtu-value")
def mtu_value(t):
    t.warm().put("a", SEND_FIRST, bytes(252))


@breaks("ib-mtu-changed", req={"pppmtu": 2})
def mtu_changed(t):
    t.warm().put("a", SEND_FIRST, bytes(512))
    t.put("a", SEND_MIDDLE, FULL)


@breaks("ib-mtu-exceeded")
def mtu_exceeded(t):
    t.warm().put("a", SEND_ONLY, bytes(300))


@breaks("ib-last-empty")
def last_empty(t):
    t.warm().put("a", SEND_FIRST, FULL)
    t.put("a", SEND_LAST, b"")


@breaks("ib-opcode-sequence")
def opcode_sequence(t):
    t.warm().put("a", SEND_FIRST, FULL)
    t.put("a", WRITE_LAST, b"data")


@breaks("ib-write-length")
def write_length(t):
    t.warm().put("a", WRITE_FIRST, FULL, dmalen=300)
    t.put("a", WRITE_LAST, b"data")


@breaks("ib-start-psn")
def start_psn(t):
    t.put("a", SEND_ONLY, b"data", psn=t.c.a.start - 1)


@breaks("ib-msn-order")
def msn_order(t):
    for _ in range(3):
        t.say("a")
    t.answer("b", ACK, t.put("a", SEND_ONLY, b"data"), done=-2)


@breaks("ib-msn-jump")
def msn_jump(t):
    t.warm()
    t.answer("b", ACK, t.put("a", SEND_ONLY, b"data"), done=2)


@breaks("ib-ack-unsent")
def ack_unsent(t):
    psn = t.warm().c.a.psn
    t.answer("b", ACK, psn, done=0)
    t.put("a", SEND_ONLY, b"data")
    t.answer("b", ACK, psn)


@breaks("ib-nak-acked")
def nak_acked(t):
    first = t.warm().put("a", SEND_ONLY, b"data")
    second = t.put("a", SEND_ONLY, b"data")
    t.answer("b", ACK, first)
    t.answer("b", ACK, second)
    t.answer("b", ACK, second, syndrome=0x60)


@breaks("ib-response-kind")
def response_kind(t):
    t.warm()
    t.answer("b", ACK, t.put("a", READ, dmalen=16))


@breaks("ib-read-place")
def read_place(t):
    t.warm()
    psn = t.put("a", READ, dmalen=600, count=3)
    t.answer("b", READ_FIRST, psn, FULL)
    t.answer("b", READ_LAST, psn + 1, bytes(88), done=0)


@breaks("ib-read-length")
def read_length(t):
    t.warm()
    t.answer("b", READ_ONLY, t.put("a", READ, dmalen=100), bytes(96))


@breaks("ib-read-depth", rep={"respres": 2})
def read_depth(t):
    t.warm()
    psns = [t.put("a", READ, dmalen=16) for _ in range(3)]
    for psn in psns:
        t.answer("b", READ_ONLY, psn, bytes(16))


def refused(t, times, wait, syndrome=0x20 | 12):
    """A SEND with `times` RNR NAKs (0.64 ms) and retries after `wait`."""
    psn = t.put("a", SEND_ONLY, b"data")
    for _ in range(times):
        t.answer("b", ACK, psn, syndrome=syndrome, done=0)
        t.scene.time += wait
        t.put("a", SEND_ONLY, b"data", psn=psn)


@breaks("ib-rnr-early")
def rnr_early(t):
    refused(t.warm(), 1, MS // 2)


@breaks("ib-rnr-retry-count", rep={"rnrretrcount": 2})
def rnr_retry_count(t):
    refused(t.warm(), 3, MS)


@breaks("ib-retry-count", req={"retrcount": 2})
def retry_count(t):
    psn = t.warm().put("a", SEND_ONLY, b"data")
    for _ in range(3):
        t.scene.pause(5)
        t.put("a", SEND_ONLY, b"data", psn=psn)


@breaks("ib-migration")
def migration(t):
    t.warm().put("a", SEND_ONLY, b"data", m=1)


@breaks("ib-cm-mtu", req={"pppmtu": 7})
def cm_mtu(t):
    t.warm()


@breaks("ib-cm-qpn", req={"localqpn": 0})
def cm_qpn(_):
    pass


class Native(Talk):
    """A datagram between two LIDs."""

    def __init__(self):
        self.scene = Scene("check", "", link=247)

    def native(self, route=None, **values):
        packet = ib.transport(0x64, payload=b"data", destqp=0x22, psn=1, q_key=5, srcqp=0x11)
        self.scene.add(ib.native(packet, route=route, **values))


def datagram(self, data, q_key=0x80010000):
    self.scene.add(self.c.dress(ib.transport(0x64, payload=data, destqp=1, psn=0, q_key=q_key, srcqp=1), self.c.a, self.c.b))


Talk.datagram = datagram


def make(rule, path):
    """Writes the capture that violates the rule. Returns the ids of the rules that it violates."""
    function, ids, options = RULES[rule]
    options = dict(options)
    talk = options.pop("talk", Talk)(**options)
    function(talk)
    talk.write_capture(path)
    return ids
