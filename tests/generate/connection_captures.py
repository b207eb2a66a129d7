# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Recognition of queue pairs: CM, SIDR, XRC, without setup, reused numbers. See conversation.py for the truth."""
import handshake
import ib
from conversation import Scene, over_infiniband, over_v1


def exchange(scene, c, lengths=(300, 520)):
    """SENDs in both directions, a WRITE and a READ, all acknowledged."""
    for name in "ab":
        for length in lengths:
            packets = c.send(name, length)
            scene.put(*packets, c.ack(packets[-1]))
    packets = c.write("a", 520)
    scene.put(*packets, c.ack(packets[-1]))
    request, responses = c.read("a", 780)
    scene.put(request, *responses)


def managed():
    scene = Scene("cm", "RC connection by CM, from REQ to DREP: SEND, WRITE, READ")
    c = scene.connection(port=20049).establish()
    exchange(scene, c)
    c.disconnect()
    yield scene

    scene = Scene("cm-repeated", "CM with MRA, a repeated REQ and REP, swapped RTU and first data")
    c = scene.connection(port=4420)
    c.request()
    c.report("b", handshake.MRA)
    c.request(again=True)
    c.reply()
    c.reply(again=True)
    packets = c.send("a", 300)
    scene.put(packets[0])
    c.ready()
    scene.put(packets[1], c.ack(packets[1]))
    yield scene

    scene = Scene("cm-rejected", "CM: a REQ that is rejected, then one from the same QP that is accepted")
    c = scene.connection(a=("10.0.0.2", 0x30, 1), port=18515)
    c.request()
    c.reject()
    c = scene.connection(a=("10.0.0.2", 0x31, 77), b=("10.0.0.1", 0x40, 99), port=18516).establish()
    packets = c.send("a", 10)
    scene.put(*packets, c.ack(packets[0]))
    yield scene

    scene = Scene("cm-no-rep", "CM whose REP was not captured: the REQ and the inferred connection are the same")
    c = scene.connection(port=20049)
    c.request()
    c.ready()
    exchange(scene, c)
    c.disconnect()
    c.learned = None
    yield scene


def late():
    scene = Scene("cm-late", "CM with late responses: a REQ and a REP repeated, 1.5 s to RTU; a REQ without a response")
    c = scene.connection(port=20049)
    c.request()
    scene.pause(1)
    c.request(again=True)
    c.reply()
    scene.pause(0.5)
    c.reply(again=True)
    c.ready()
    exchange(scene, c)
    silent = scene.connection(a=("10.0.0.2", 0x12, 0x100), b=("10.0.0.3", 0x23, 0x900), port=20049)
    silent.request()
    silent.known["b.qpn"] = silent.known["a.psn"] = False
    scene.pause(2)
    silent.request(again=True)
    c.disconnect()
    scene.pause(0.2)
    c.report("a", handshake.DREQ, req_remoteqpneecn=c.b.qpn)
    yield scene


def lives():
    """Ways in which a connection can end, and private data of responses."""
    scene = Scene("cm-lives", "CM: a REQ without a response, retried and given up; NVMe accepted, alternate paths, a DREQ "
                  "without a response; NVMe rejected; SIDR rejected and without a response")
    c = scene.connection(a=("10.0.0.2", 0x50, 1), b=("10.0.0.1", 0x60, 99), port=20049)
    for again in (False, True, True):
        c.request(again=again)
        scene.pause(2)
    scene.mad(c, "a", handshake.REJ, handshake.reported(handshake.REJ, localcommid=c.ids[0], reason=4))
    c.life.append("rdma_reject")
    c.known["b.qpn"] = c.known["a.psn"] = False
    c = scene.connection(port=4420)
    c.request()
    scene.mad(c, "b", handshake.REP, handshake.rep(c.ids[1], c.ids[0], c.b.qpn, c.a.start, private=bytes((0, 0, 128, 0))))
    c.life.append("rdma_accept")
    c.ready()
    packets = c.send("a", 10)
    scene.put(*packets, c.ack(packets[0]))
    for status in (0, 7):
        c.tid += 1
        c.report("a", handshake.LAP)
        c.report("b", handshake.APR, status=status)
    scene.pause(1)
    c.report("a", handshake.DREQ, req_remoteqpneecn=c.b.qpn)
    scene.pause(1)
    c.report("a", handshake.DREQ, req_remoteqpneecn=c.b.qpn)
    c = scene.connection(a=("10.0.0.2", 0x51, 1), b=("10.0.0.1", 0x61, 99), port=4420)
    c.request()
    scene.mad(c, "b", handshake.REJ, handshake.reported(handshake.REJ, bytes((0, 0, 6, 0)), remotecommid=c.ids[0],
                                                    reason=handshake.CONSUMER_REJECT))
    c.life.append("rdma_reject")
    c.known["b.qpn"] = c.known["a.psn"] = False
    for status in (2, None):
        c = scene.connection(a=("10.0.0.2", 0, 1), b=("10.0.0.1", 0, 1), service=ib.UD, port=7174)
        request = handshake.sidr_req(c.ids[0], c.port, c.a.addr, c.b.addr)
        scene.mad(c, "a", handshake.SIDR_REQ, request)
        c.life, c.learned = ["rdma_connect"], "cm"
        if status:
            scene.mad(c, "b", handshake.SIDR_REP, handshake.reported(handshake.SIDR_REP, requestid=c.ids[0], status=status))
            c.life.append("rdma_reject")
        else:
            scene.pause(1)
            scene.mad(c, "a", handshake.SIDR_REQ, request)
        c.known.update({"a.psn": None, "b.psn": None, "a.qpn": False, "b.qpn": False})
    yield scene


def unmanaged():
    scene = Scene("no-cm", "no CM: both directions of a QP pair are inferred from answers")
    exchange(scene, scene.connection())
    yield scene

    scene = Scene("no-cm-one-way", "no CM: SENDs and acknowledgements, requests in one direction only")
    c = scene.connection()
    for length in (1, 255, 256, 257):
        packets = c.send("a", length)
        scene.put(*packets, c.ack(packets[-1]))
    c.known["b.psn"] = False
    yield scene

    scene = Scene("no-cm-same-qpn", "no CM: two connections with the same QPNs on different hosts, interleaved")
    one = scene.connection(a=("10.0.0.2", 0x11, 0x100), b=("10.0.0.1", 0x11, 0x900))
    two = scene.connection(a=("10.0.1.2", 0x11, 0x100), b=("10.0.1.1", 0x11, 0x900))
    for length in (500, 800):
        x, y = one.send("a", length), two.send("a", length)
        scene.put(*[p for pair in zip(x, y) for p in pair], one.ack(x[-1]), two.ack(y[-1]))
    (request1, responses1), (request2, responses2) = one.read("a", 520), two.read("a", 520)
    scene.put(request1, request2, *[p for pair in zip(responses1, responses2) for p in pair])
    x, y = one.send("b", 300), two.send("b", 300)
    scene.put(*x, *y, two.ack(y[-1]), one.ack(x[-1]))
    yield scene

    scene = Scene("no-cm-crossing", "no CM: two pairs between the same hosts whose PSNs are near each other")
    one = scene.connection(a=("10.0.0.2", 0x11, 0x100), b=("10.0.0.1", 0x21, 0x900))
    two = scene.connection(a=("10.0.0.2", 0x12, 0x102), b=("10.0.0.1", 0x22, 0x902))
    two.a.udp, two.b.udp = 0xc124, 0xd322
    for length in (520, 300, 200):
        x, y = one.send("a", length), two.send("a", length)
        scene.put(*x, *y, one.ack(x[-1]), two.ack(y[-1]))
        x, y = one.send("b", length), two.send("b", length)
        scene.put(*x, *y, one.ack(x[-1]), two.ack(y[-1]))
    yield scene


def midstream():
    scene = Scene("midstream", "the capture begins inside messages, without CM: Middle, Last, READ responses, an ATOMIC ACK")
    c = scene.connection()
    cut = [c.send("a", 780)[2:], c.write("a", 780)[1:], c.read("b", 780)[1][2:], [c.atomic("a", 0x14, 0, 1, 2)[1]]]
    for packets in cut:
        packets[0].message.unreported()
        scene.put(*packets)
    scene.put(c.ack(cut[1][-1]))
    exchange(scene, c)
    c.known.update({"a.psn": False, "b.psn": False})
    c.anomalies = {"lost": None, "unexpected_response": None}
    yield scene


def extended():
    scene = Scene("xrc", "XRC by CM (the QPN of the REP is in the EE context field): SEND, WRITE, READ, atomics")
    c = scene.connection(service=ib.XRC, port=20049).establish()
    for packets in (c.send("a", 10), c.send("a", 520), c.send("a", 300, imm=0xfeedbeef), c.send("a", 520, inv=0xabcd),
                    c.write("a", 520), c.write("a", 300, imm=7)):
        scene.put(*packets, c.ack(packets[-1]))
    request, responses = c.read("a", 780)
    scene.put(request, *responses)
    scene.put(*c.atomic("a", 0x13, 1, 2, 1), *c.atomic("a", 0x14, 0, 5, 2))
    c.known["b.psn"] = None
    yield scene

    scene = Scene("xrc-no-cm", "XRC without CM: SEND and READ")
    c = scene.connection(service=ib.XRC)
    packets = c.send("a", 520)
    scene.put(*packets, c.ack(packets[-1]))
    request, responses = c.read("a", 780)
    scene.put(request, *responses)
    c.known["b.psn"] = False
    yield scene


def reused():
    for name, how, close in (("reuse-after-dreq", "QPNs used again by a second connection after DREQ and DREP", True),
                             ("reuse-no-dreq", "QPNs used again by a second connection, without a DREQ before its REQ", False)):
        scene = Scene(name, how)
        first = scene.connection(port=20049).establish()
        exchange(scene, first, (300,))
        if close:
            first.disconnect()
        scene.pause(0.5)
        second = scene.connection(a=("10.0.0.2", 0x11, 0x101), b=("10.0.0.1", 0x22, 0x800002), port=20050).establish()
        exchange(scene, second, (300,))
        if close:
            second.disconnect()
        yield scene


def datagrams():
    scene = Scene("ud-sidr", "UD by SIDR: datagrams in both directions, with and without immediate, one empty")
    c = scene.connection(service=ib.UD, port=7174)
    c.resolve()
    scene.put(c.datagram("a", 256), c.datagram("a", 0), c.datagram("a", 17, imm=0x01020304), c.datagram("b", 100),
              c.datagram("b", 3, imm=0xffffffff), c.datagram("b", 0, imm=1))
    c.known.update({"a.psn": None, "b.psn": None})
    yield scene

    scene = Scene("ud-no-cm", "UD without CM: a lost datagram damages no other")
    c = scene.connection(service=ib.UD)
    lost, packets = c.datagram("a", 50), [c.datagram("a", n) for n in (1, 2, 3, 4, 255)]
    scene.messages.remove(lost.message)
    scene.put(*packets, c.datagram("b", 9, imm=9), c.datagram("b", 10))
    c.known.update({"a.psn": None, "b.psn": None})
    yield scene


def other_links():
    scene = Scene("v6", "RC by CM over IPv6")
    c = scene.connection(a=("fd00:77::2", 0x11, 0x100), b=("fd00:77::1", 0x22, 0x800000), port=20049).establish()
    exchange(scene, c)
    c.disconnect()
    yield scene

    scene = Scene("v1", "RC by CM over RoCE v1")
    c = scene.connection(a=("fe80::2:c903:1:2", 0x11, 0x100), b=("fe80::2:c903:3:4", 0x22, 0x800000), dress=over_v1,
                         port=20049).establish()
    exchange(scene, c)
    c.disconnect()
    yield scene

    scene = Scene("infiniband", "RC without CM on native InfiniBand, addressed by LID; the same QPNs between other LIDs",
                  link=247)
    for lids in ((5, 9), (6, 9 + 1)):
        exchange(scene, scene.connection(a=(lids[0], 0x11, 0x100), b=(lids[1], 0x22, 0x800000), dress=over_infiniband))
    yield scene


def captures():
    yield from managed()
    yield from late()
    yield from lives()
    yield from unmanaged()
    yield from midstream()
    yield from extended()
    yield from reused()
    yield from datagrams()
    yield from other_links()
