# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Upper layers without complete real captures: RDS with RDMA, LNet, NCCL. tests/cli tests their content."""
import os
import struct

import lnet
import nccl
import rds
from conversation import Scene


class Upper(Scene):
    def put_all(self, *rows):
        for row in rows:
            for packets in row:
                self.put(*packets)


def rds_with_rdma():
    scene = Upper("rds", "RDS: messages of several fragments, extension headers, credits, two messages that were not captured, a retransmitted message, ping and pong, "
                         "a congestion map with three ports, memory offered by RDMA_DEST, a WRITE and a READ of it, the message that names them")
    talk = scene.connection(port=rds.PORTS[1]).establish()
    a, b = rds.pair(talk)
    scene.put_all(a.message(b"", ports=(1, 0), extensions=struct.pack(">BHBI", rds.NPATHS, 8, rds.GEN_NUM, 0xabcdef01)),
                  b.message(b"", ports=(0, 1), extensions=struct.pack(">BH", rds.NPATHS, 1)))
    scene.put_all(a.message(bytes(range(256)) * 20, credit=3), b.acknowledge(credit=2), b.congestion(80, 4000, 65535))
    scene.put_all(a.message(b"memory", extensions=struct.pack(">BII", rds.RDMA_DEST, 0x1234, 0)))
    writes = talk.write("b", 600, 0x1234, 0)
    request, responses = talk.read("b", 300, 0x1234, 4096)
    scene.put(*writes, talk.ack(writes[-1]), request, *responses)
    scene.put_all(b.message(b"done", extensions=struct.pack(">BI", rds.RDMA, 0x1234)), a.acknowledge())
    # not captured
    for data in (b"first", b"second"):
        a.message(data)
    talk.anomalies["lost"] = 2
    scene.put_all(a.message(b"after two others", flags=rds.RETRANSMITTED | rds.ACK_REQUIRED), b.acknowledge())
    yield scene


def lnet_messages():
    for name, orders, what in (("lnet", "<<", "both little-endian"), ("lnet-big", "><", "one big-endian")):
        scene = Upper(name, "LNet (o2iblnd) between two ends, %s: CM with parameters, NOOP, immediate PUT, GET, REPLY, ACK, PUT and GET by RDMA in one "
                            "and several fragments, a refused PUT, a failed GET, credits, checksums" % what)
        talk = scene.connection(port=lnet.PORT)
        a, b = lnet.pair(talk, orders, sums=True)
        lnet.establish(talk, a, b)
        data = bytes(range(256)) * 12
        scene.put(*a.immediate(lnet.PUT, b"request", credits=1, offset=64, handle=1), *b.noop(4), *b.immediate(lnet.ACK, length=7, handle=1), *a.immediate(lnet.GET, length=64, handle=2),
                  *b.immediate(lnet.REPLY, b"r" * 64, handle=2))
        scene.put_all(a.put(data), b.get(data[:2000], [(0x1000, 1200), (0x9000, 800)]), b.put(data[:700], [(0x5000, 300), (0x3000, 400)], kind=lnet.REPLY),
                      a.put(b"x" * 9000, refused=-12), a.get(data[:100], status=-5))
        yield scene


class Ring:
    """An AllReduce of NCCL."""
    name, suffix = "nccl-ring", ".pcap"
    how = "NCCL: an AllReduce in a ring of three hosts, captured at one of them: four steps, the third with a straggler"
    truth = "eight transfers of 2,600 bytes, four from one neighbour and four to the other"

    def write(self, folder):
        hosts = [nccl.Host(i + 1) for i in range(3)]
        nccl.ring(hosts, 4, 2600, late={(2, hosts[1]): 5 * nccl.MS})
        hosts[0].write(os.path.join(folder, self.name + self.suffix))


def captures():
    yield Ring()
    yield from lnet_messages()
    yield from rds_with_rdma()
