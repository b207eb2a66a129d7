# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Whole messages of every verb, at awkward lengths, PSNs and addresses. See conversation.py for the truth."""
import ib
from conversation import PMTU, Scene, bytes_of

CAS, FETCH_ADD = 0x13, 0x14
ALL = 0xffffffffffffffff


def verbs():
    scene = Scene("verbs", "FLUSH, ATOMIC WRITE, CmpSwap, FetchAdd, between SENDs; their answers late and together")
    c = scene.connection(port=20049).establish()
    for pair in (c.atomic("a", CAS, 5, 6, 5), c.atomic("a", CAS, 0, ALL, 0x8000000000000001),
                 c.atomic("a", FETCH_ADD, 0, 1, ALL), c.atomic_write("a", bytes(range(8))),
                 c.flush("a", 4096), c.flush("a", 0)):
        scene.put(*pair)
    packets = c.send("a", 10)
    pairs = [c.atomic("a", FETCH_ADD, 0, n, 100 * n) for n in (1, 2, 3)] + [c.atomic_write("a", bytes(8)), c.flush("a", 1)]
    scene.put(*packets, *[request for request, _ in pairs], c.ack(packets[0]), *[response for _, response in pairs])
    yield scene

    scene = Scene("immediate-invalidate", "SEND and WRITE with immediate, SEND with Invalidate, Only and Last, also empty")
    c = scene.connection(port=20049).establish()
    for packets in (c.send("a", 5, imm=0), c.send("a", 520, imm=0xfeedbeef), c.send("b", 5, inv=0xdeadbeef),
                    c.send("b", 520, inv=0x11223344), c.write("a", 8, imm=1), c.write("a", 513, imm=0xffffffff),
                    c.send("a", 0, imm=3), c.send("b", 0, inv=4), c.write("b", 0, imm=5)):
        scene.put(*packets, c.ack(packets[-1]))
    yield scene

    scene = Scene("empty", "SEND, WRITE and READ of no bytes, between others")
    c = scene.connection()
    packets = c.send("a", 0) + c.write("a", 0, r_key=0, va=0) + c.send("a", 1)
    request, responses = c.read("a", 0, r_key=0, va=0)
    scene.put(*packets, request, c.ack(packets[-1]), *responses)
    packets = c.send("b", 0)
    scene.put(*packets, c.ack(packets[0]))
    request, responses = c.read("a", 520)
    scene.put(request, *responses)
    yield scene


def lengths():
    scene = Scene("lengths", "SEND, WRITE and READ of every length round the path MTU")
    c = scene.connection(port=20049).establish()
    for length in (1, 2, 3, 255, 256, 257, 512, 513, 1025):
        for packets in (c.send("a", length), c.write("b", length)):
            scene.put(*packets, c.ack(packets[-1]))
        request, responses = c.read("a", length)
        scene.put(request, *responses)
    yield scene


def short():
    scene = Scene("short", "SENDs shorter than any upper-layer header, on a connection with RPC-over-RDMA")
    c = scene.connection(port=20049).establish()
    for length in (0, 1, 4, 12, 15, 27):
        packets = c.send("b" if length & 1 else "a", length)
        scene.put(*packets, c.ack(packets[-1]))
    yield scene


def wrapped():
    scene = Scene("wrap", "PSN 0xFFFFFF to 0 inside a SEND, a WRITE and a READ, each on a connection of its own")
    for i, verb in enumerate(("send", "write", "read")):
        c = scene.connection(a=("10.0.%d.2" % i, 0x11, 0xfffffe - i), b=("10.0.%d.1" % i, 0x22, 0xffffff - i))
        for name in "ab":
            if verb == "read":
                request, responses = c.read(name, 1290)
                scene.put(request, *responses)
            else:
                packets = getattr(c, verb)(name, 1290)
                scene.put(*packets, c.ack(packets[-1]))
            packets = c.send(name, 300)
            scene.put(*packets, c.ack(packets[-1]))
    yield scene

    scene = Scene("wrap-damaged", "PSN wrap with loss of PSN 0xFFFFFF, of PSN 0, a swap over the wrap and a NAK for PSN 0")
    lost_before, lost_after, swapped, refused = [
        scene.connection(a=("10.0.0.2", 0x11 + i, 0xfffffe), b=("10.0.0.1", 0x22 + i, 0x100), port=20049).establish()
        for i in range(4)]
    for c, lost in ((lost_before, 1), (lost_after, 2)):
        packets = c.send("a", 1030)
        scene.put(*[p for i, p in enumerate(packets) if i != lost], c.ack(packets[-1]))
        c.anomalies = {"lost": 1}
    p = swapped.send("a", 1030)
    scene.put(p[0], p[2], p[1], p[3], p[4], swapped.ack(p[-1]))
    swapped.anomalies = {"out_of_order": 1}
    p = refused.send("a", 1030)
    scene.put(p[0], p[1], p[3], refused.ack(p[2], 0x60), p[2], p[3], p[4], refused.ack(p[-1]))
    refused.anomalies = {"nak_sequence": 1, "retransmission": [1, 2], "retransmission|duplicate|out_of_order": 2}
    yield scene


def regions():
    scene = Scene("key-reuse", "the same R_Key and address in successive WRITEs and READs, with other data each time")
    c = scene.connection(port=20049).establish()
    for _ in range(3):
        packets = c.write("a", 520, r_key=0x77, va=0x10000)
        scene.put(*packets, c.ack(packets[-1]))
    for _ in range(3):
        request, responses = c.read("a", 520, r_key=0x77, va=0x10000)
        scene.put(request, *responses)
    packets = c.write("a", 512, r_key=0x77, va=0x10100)  # overlaps both
    scene.put(*packets, c.ack(packets[-1]))
    yield scene

    scene = Scene("two-segments",
                  "two segments under one R_Key in different places, READs and WRITEs of both in flight at once")
    c = scene.connection(port=20049).establish()
    (request1, responses1), (request2, responses2) = (c.read("a", 520, r_key=0x77, va=va) for va in (0x10000, 0x90000))
    scene.put(request1, request2, *responses1, *responses2)
    one, two = c.write("a", 520, r_key=0x77, va=0x10000), c.write("a", 520, r_key=0x77, va=0x90000)
    scene.put(*one, *two, c.ack(two[-1]))
    one, two = c.write("a", 300, r_key=0x77, va=0xffffffffffffff00), c.write("a", 300, r_key=0x77, va=0)
    scene.put(*one, *two, c.ack(two[-1]))
    yield scene


def many_reads():
    scene = Scene("many-reads",
                  "16 outstanding READs answered in order, with SENDs of the other end between the responses")
    c = scene.connection(port=20049).establish()
    reads = [c.read("a", 100 + 20 * n, r_key=n, va=0x1000 * n) for n in range(16)]
    scene.put(*[request for request, _ in reads])
    for n, (_, responses) in enumerate(reads):
        packets = c.send("b", 12 * n)
        scene.put(responses[0], *packets, *responses[1:], c.ack(packets[-1]))
    yield scene

    scene = Scene("identical", "consecutive messages with equal bytes, none of which is a repeat")
    c = scene.connection(port=20049).establish()
    for _ in range(3):
        packets = c.send("a", 300, seed="same") + c.write("a", 300, data=bytes_of("same", 300))
        scene.put(*packets, c.ack(packets[-1]))
    request, responses = c.read("a", 2 * PMTU, data=bytes(2 * PMTU))
    scene.put(request, *responses)
    yield scene


def unreliable():
    scene = Scene("uc", "UC by CM: SEND and WRITE, whole, and with a First, Middle, Last or Only lost")
    c = scene.connection(service=ib.UC, port=20049).establish()
    scene.put(*c.send("a", 780), *c.write("a", 780), *c.send("b", 520, imm=5))
    p = c.send("a", 780)
    scene.put(p[0], p[1], p[3], *c.send("a", 300))              # Middle lost
    p = c.write("a", 780)
    scene.put(p[0], p[2], p[3], *c.write("a", 300))
    p = c.send("a", 780)                                       # Last lost: its length is unknown
    p[0].message.unknown("length", "missing")
    scene.put(*p[:3], *c.send("a", 10))
    p = c.write("a", 780, imm=9)
    p[0].message.expect(immediate=None)
    scene.put(*p[:3], *c.send("a", 11))
    p = c.send("a", 780)                                       # First lost
    p[0].message.unreported()
    scene.put(*p[1:], *c.send("a", 12))
    only = c.send("a", 20)                                      # Only lost: it leaves no trace
    scene.messages.remove(only[0].message)
    scene.put(*c.send("a", 13))
    c.anomalies = {"lost": 6}
    yield scene

    scene = Scene("uc-no-cm", "UC without CM: the QP of the other direction is unknown")
    c = scene.connection(service=ib.UC)
    scene.put(*c.send("a", 780), *c.write("a", 520), *c.send("a", 0))
    c.known.update({"a.qpn": False, "b.psn": False})
    yield scene


def captures():
    yield from verbs()
    yield from lengths()
    yield from short()
    yield from wrapped()
    yield from regions()
    yield from many_reads()
    yield from unreliable()
