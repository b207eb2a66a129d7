# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Loss, repetition, reordering and rejection of packets. See conversation.py for the truth."""
from conversation import Scene, TwoInterfaces

NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS, NAK_OPERATION, RNR = 0x60, 0x61, 0x62, 0x63, 0x2c
AGAIN = "retransmission|duplicate|out_of_order"
FIRST, ONLY = 0xd, 0x10


def three(scene, managed=True):
    """A connection for each of SEND, WRITE and READ."""
    for i, verb in enumerate(("send", "write", "read")):
        c = scene.connection(a=("10.0.0.2", 0x11 + i, 0x100 << 2 * i), b=("10.0.0.1", 0x22 + i, 0x900),
                             port=20049 if managed else None)
        c.a.udp += i
        if managed:
            c.establish()
        else:
            c.known["b.psn"] = False
        yield verb, c


def packets_of(c, verb, length, name="a"):
    """(packets before, the packets with the data)"""
    if verb == "read":
        request, responses = c.read(name, length)
        return [request], responses
    return [], getattr(c, verb)(name, length)


def finish(scene, c, verb, packets):
    """Acknowledges them, and sends one more SEND."""
    if verb != "read":
        scene.put(c.ack(packets[-1]))
    more = c.send("a", 100)
    scene.put(*more, c.ack(more[0]))


def without(packets, *lost):
    return [p for i, p in enumerate(packets) if i not in lost]


def lost():
    scene = Scene("loss-acked", "a Middle of a SEND, WRITE, READ lost before the capture point though the receiver had it")
    for verb, c in three(scene):
        before, packets = packets_of(c, verb, 1030)
        scene.put(*before, *without(packets, 2))
        finish(scene, c, verb, packets)
        c.anomalies = {"lost": 1}
    yield scene

    scene = Scene("loss-acked-more", "First and Last, two neighbours, and packets apart lost before the capture point")
    for verb, c in three(scene):
        # two adjacent packets of a SEND could also be the Last of one message and the First of another
        for gaps in ((0,), (1, 3), (4,), (0, 4)) + (() if verb == "send" else ((1, 2),)):
            before, packets = packets_of(c, verb, 1030)
            scene.put(*before, *without(packets, *gaps))
            finish(scene, c, verb, packets)
            message = packets[0].message
            if verb == "write" and 0 in gaps:
                message.expect(r_key=None, virtual_address=None)
            if verb != "read" and 0 in gaps:
                message.unknown("psn", "length", "missing")
            if verb == "send" and 4 in gaps:
                message.unknown("length", "missing")
            if 4 in gaps:
                message.unknown("status")
        c.anomalies = {"lost": 6 if verb == "send" else 8}
    yield scene


def lost_for_good():
    scene = Scene("loss-unacked",
                  "a Middle lost, and the capture ends before it shows whether the receiver had it")
    for verb, c in three(scene):
        before, packets = packets_of(c, verb, 1030)
        scene.put(*before, *without(packets, 2))
        if verb == "read":
            packets[0].message.unknown("status")
        else:
            packets[0].message.expect(status="unanswered")
        c.anomalies = {"lost": 1, "lost_unacknowledged": 1}
    yield scene

    scene = Scene("loss-long-ago", "a Middle lost, nothing acknowledged, 3 seconds later other messages")
    for verb, c in three(scene):
        before, packets = packets_of(c, verb, 1030)
        scene.put(*before, *without(packets, 2))
        scene.pause(3)
        more = c.send("a", 100)
        scene.put(*more, c.ack(more[0]))
        packets[0].message.unknown("status")
        c.anomalies = {"lost": 1}
    yield scene

    scene = Scene("loss-and-duplicate",
                  "one Middle lost, its neighbour twice: as many packets as the message has, but not its bytes")
    for verb, c in three(scene, False):
        before, packets = packets_of(c, verb, 1030)
        scene.put(*before, packets[0], packets[1], packets[1], packets[3], packets[4])
        finish(scene, c, verb, packets)
        c.anomalies = {"lost": 1, "retransmission|duplicate": 1}
    yield scene

    scene = Scene("loss-of-message", "whole messages lost, which only the PSNs show")
    c = scene.connection(port=20049).establish()
    packets, gone, more = c.send("a", 520), c.send("a", 100), c.write("a", 520)
    scene.put(*packets, *more, c.ack(more[-1]))
    request, responses = c.read("a", 520)
    responses[0].message.unreported().unknown("complete")
    scene.messages.remove(gone[0].message)
    scene.put(*responses)  # without its request
    packets = c.send("a", 5)
    scene.put(*packets, c.ack(packets[0]))
    c.anomalies = {"lost": [1, 4], "unexpected_response": None}
    yield scene


def repeated():
    scene = Scene("duplicate-equal", "each packet twice, then a whole message again after its ACK")
    for verb, c in three(scene, False):
        before, packets = packets_of(c, verb, 520)
        scene.put(*[p for packet in before + packets for p in (packet, packet)])
        finish(scene, c, verb, packets)
        before, packets = packets_of(c, verb, 520)
        scene.put(*before, *packets)
        finish(scene, c, verb, packets)
        scene.pause(0.2)
        scene.put(*before, *packets)
        finish(scene, c, verb, packets)
        c.anomalies = {AGAIN: 8 if verb == "read" else 6}
    yield scene

    scene = Scene("duplicate-differing", "a First, Middle, Last again with other bytes: the first copy counts")
    for verb, c in three(scene, False):
        for again in (0, 1, 2):
            before, packets = packets_of(c, verb, 520)
            scene.put(*before, *packets, packets[again].altered())
            finish(scene, c, verb, packets)
        c.anomalies = {"differing_repeat": 3, AGAIN: None}
    yield scene

    scene = TwoInterfaces("captured-twice",
                          "the same frames on two interfaces within 1 ms; 5 ms apart; twice on one interface")
    c = scene.connection(port=20049).establish()
    packets = c.send("a", 520)
    for p in packets:
        scene.put(p)
        scene.put(p, interface=1)
    ack = c.ack(packets[-1])
    scene.put(ack)
    scene.put(ack, interface=1)
    request, responses = c.read("a", 520)
    for p in [request] + responses:
        scene.put(p, interface=1)
        scene.put(p)
    c.anomalies = {"captured_twice": 8, AGAIN: 0}
    packets[0].message.unknown("repeats")
    request.message.unknown("repeats")
    d = scene.connection(a=("10.0.0.2", 0x12, 0x100), b=("10.0.0.1", 0x23, 0x900), port=20049).establish()
    packets = d.send("a", 520)
    scene.put(*packets)
    scene.pause(0.005)
    scene.put(*packets, interface=1)
    scene.put(d.ack(packets[-1]))
    d.anomalies = {AGAIN: 3}
    e = scene.connection(a=("10.0.0.2", 0x13, 0x100), b=("10.0.0.1", 0x24, 0x900), port=20049).establish()
    packets = e.send("a", 520)
    scene.put(packets[0], packets[0], *packets[1:], e.ack(packets[-1]))
    e.anomalies = {"retransmission|duplicate": 1}
    yield scene


def reordered():
    scene = Scene("order-swaps", "the capture point swapped neighbours: inside messages and between them")
    for verb, c in three(scene, False):
        more = c.send("a", 5)
        scene.put(*more, c.ack(more[0]))
        for order in ((1, 0, 2, 3, 4), (0, 1, 2, 4, 3), (0, 2, 1, 4, 3), (1, 0, 3, 2, 4)):
            before, packets = packets_of(c, verb, 1030)
            scene.put(*before, *[packets[i] for i in order])
            finish(scene, c, verb, packets)
        c.anomalies = {"out_of_order": 6}
    one, two = c.send("a", 520), c.send("a", 520)
    scene.put(one[0], one[1], two[0], one[2], *two[1:], c.ack(two[-1]))
    one, two = c.send("a", 10), c.write("a", 10)
    scene.put(*two, *one, c.ack(two[-1]))
    c.anomalies["out_of_order"] += 2
    yield scene

    scene = Scene("order-late", "a packet that the capture point shows 10 packets late, before its ACK")
    for verb, c in three(scene, False):
        before, packets = packets_of(c, verb, 17 * 256)
        scene.put(*before, *packets[:4], *packets[5:15], packets[4], *packets[15:])
        finish(scene, c, verb, packets)
        c.anomalies = {"out_of_order": 1}
    yield scene

    scene = Scene("order-ack",
                  "the capture point shows an ACK before the packet that it acknowledges, a response before its request")
    for verb, c in three(scene):
        before, packets = packets_of(c, verb, 520)
        if verb == "read":
            scene.put(packets[0], before[0], *packets[1:])
            packets[0].message.unknown("first_frame")
        else:
            scene.put(packets[0], packets[1], c.ack(packets[2]), packets[2])
        more = c.send("a", 100)
        scene.put(*more, c.ack(more[0]))
        c.anomalies = {"out_of_order": None, "unexpected_response": None}
    yield scene


def restarted():
    forms = (("first", 2, FIRST), ("middle", 2, None), ("last", 5, None), ("only", 5, ONLY), ("middle-only", 4, FIRST))
    for name, at, begin in forms:
        scene = Scene("read-restart-" + name, "READ requested again from response %d on, answered beginning with %s"
                      % (at, {"middle-only": "a First that was a Middle before"}.get(name, name.capitalize())))
        c = scene.connection(port=20049).establish()
        for seen in ((), tuple(range(at + 1, 6))):
            request, responses = c.read("a", 1290)
            again, rest = c.read_again(request, responses, at, begin)
            scene.put(request, *responses[:at], *[responses[i] for i in seen])
            scene.pause(0.1)
            scene.put(again, *rest)
        c.anomalies = {"retransmission": [1, 12], AGAIN: None}
        packets = c.send("a", 5)
        scene.put(*packets, c.ack(packets[0]))
        yield scene

    scene = Scene("read-restart-twice", "a READ restarted twice, followed by a SEND rejected with a sequence NAK")
    c = scene.connection(port=20049).establish()
    request, responses = c.read("a", 1290)
    send = c.send("a", 300)
    scene.put(request, *responses[:2], *send, *responses[3:4])
    again, rest = c.read_again(request, responses, 2)
    scene.put(again, *rest[:2])
    again, rest = c.read_again(request, responses, 4, FIRST)
    scene.put(again, *rest, *send, c.ack(send[-1]))
    c.anomalies = {"retransmission": [1, 12], AGAIN: None}
    yield scene


def refused():
    scene = Scene("go-back-n",
                  "a packet lost in the network, sequence NAK, retransmission from there: within a message, and across three")
    c = scene.connection(port=20049).establish()
    p = c.send("a", 1030)
    scene.put(p[0], p[1], p[3], c.ack(p[2], NAK_SEQUENCE), p[4], p[2], p[3], p[4], c.ack(p[4]))
    one, two, three_ = (c.send("a", 100) for _ in range(3))
    scene.put(*one, *three_, c.ack(two[0], NAK_SEQUENCE), *two, *three_, c.ack(three_[0]))
    p = c.write("a", 1030)
    scene.put(p[1], c.ack(p[0], NAK_SEQUENCE), p[2], p[3], p[4], *p, c.ack(p[4]))
    c.anomalies = {"nak_sequence": 3, AGAIN: 3 + 2 + 5, "retransmission": [5, 10]}
    d = scene.connection(a=("10.0.0.2", 0x12, 0x100), b=("10.0.0.1", 0x23, 0x900), port=20049).establish()
    p = d.send("a", 520)
    scene.put(p[0], p[2], d.ack(p[1], NAK_SEQUENCE))
    p[0].message.expect(status="sequence error")
    d.anomalies = {"nak_sequence": 1, "lost": 1, "lost_unacknowledged": 1}
    yield scene

    scene = Scene("rnr", "RNR NAKs: one SEND gets through at the third try, another never")
    c = scene.connection(port=20049).establish()
    p = c.send("a", 520)
    for _ in range(2):
        scene.put(*p, c.ack(p[0], RNR))
        scene.pause(0.005)
    scene.put(*p, c.ack(p[-1]))
    c.anomalies = {"rnr": 2, "retransmission": 6}
    d = scene.connection(a=("10.0.0.2", 0x12, 0x100), b=("10.0.0.1", 0x23, 0x900), port=20049).establish()
    p = d.send("a", 60)
    for _ in range(3):
        scene.put(*p, d.ack(p[0], RNR))
        scene.pause(0.005)
    p[0].message.expect(status="rnr")
    d.anomalies = {"rnr": 3, "retransmission": 2}
    yield scene


def refused_for_good():
    scene = Scene("naks", "invalid request, remote access error, remote operational error; WRITE, READ, SEND")
    names = ((NAK_ACCESS, "remote access error", "nak_access"), (NAK_INVALID, "invalid request", "nak_invalid_request"),
             (NAK_OPERATION, "remote operational error", "nak_operation"))
    for i, (syndrome, status, anomaly) in enumerate(names):
        for j, verb in enumerate(("write", "read", "send")):
            n = 3 * i + j
            c = scene.connection(a=("10.0.0.2", 0x11 + n, 0x100 << n), b=("10.0.0.1", 0x41 + n, 0x900))
            c.known["b.psn"] = False
            good = c.send("a", 20)
            before, packets = packets_of(c, verb, 520)
            scene.put(*good, c.ack(good[0]), *(before or packets), c.ack((before or packets)[0], syndrome))
            packets[0].message.expect(status=status)
            c.anomalies = {anomaly: 1}
            if verb == "read":
                c.anomalies["lost"] = None
    yield scene

    scene = Scene("unanswered", "SEND, WRITE, READ without an answer; the ACK of a later one answers the earlier")
    for verb, c in three(scene):
        before, packets = packets_of(c, verb, 300)
        scene.put(*before, *([] if before else packets))
        packets[0].message.expect(status="unanswered")
        c.anomalies = {"lost": None} if before else {}
    c = scene.connection(a=("10.0.0.2", 0x31, 0x100), b=("10.0.0.1", 0x32, 0x900), port=20049).establish()
    packets = c.send("a", 10) + c.write("a", 10) + c.send("a", 520)
    scene.put(*packets, c.ack(packets[-1]))
    packets = c.send("a", 10) + c.send("a", 20)
    scene.put(*packets, c.ack(packets[0]))
    packets[1].message.expect(status="unanswered")
    yield scene


def other():
    scene = Scene("cnp", "congestion notifications of either side between the packets of messages")
    for verb, c in three(scene):
        before, packets = packets_of(c, verb, 1030)
        scene.put(*before, packets[0], c.notification("b"), packets[1], packets[2], c.notification("a"), *packets[3:])
        finish(scene, c, verb, packets)
        c.anomalies = {"cnp": 2}
    yield scene

    scene = Scene("bad-icrc",
                  "frames with a bad ICRC are not used; one is retransmitted, the other is a hole", options="--check-icrc")
    for verb, c in three(scene):
        before, packets = packets_of(c, verb, 520)
        scene.put(*before, packets[0])
        scene.put(packets[1], bad=1)
        scene.put(packets[1], packets[2])
        finish(scene, c, verb, packets)
        before, packets = packets_of(c, verb, 520)
        scene.put(*before, packets[0])
        scene.put(packets[1].altered(), bad=0x80000000)
        scene.put(packets[2])
        finish(scene, c, verb, packets)
        c.anomalies = {"lost": 1, AGAIN: None, "bad_icrc": None}
    yield scene


def clustered():
    scene = Scene("loss-cluster", "20 SENDs retransmitted: 8 at one per second, then 12 within 0.2 s")
    c = scene.connection(port=20049).establish()
    for pause in 8 * [1.4] + 12 * [0.006]:
        packets = c.send("a", 100)
        scene.put(*packets)
        scene.pause(0.01)
        scene.put(*packets, c.ack(packets[0]))
        scene.pause(pause)
    c.anomalies = {"retransmission": 20}
    yield scene


def captures():
    yield from clustered()
    yield from lost()
    yield from lost_for_good()
    yield from repeated()
    yield from reordered()
    yield from restarted()
    yield from refused()
    yield from refused_for_good()
    yield from other()
