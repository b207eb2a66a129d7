# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Automatic path migration against a model of what the two ends did: paths of a REQ and of LAPs, accepted or not; each direction migrates by itself,
in the midst of a message, also back; the messages that end the connection come from the path in use. IBTA vol. 1, 10.4, 12.8, 17.2.8.
"""
import json
import os
import random
import zlib

import cm
import handshake
import ib
import net
from capfile import write_pcap
from cli import CliTest
from handshake import APR, DREP, DREQ, LAP, REP, REQ, RTU

SEEDS, FIRST_SEED = int(os.environ.get("SEEDS", "40")), int(os.environ.get("FIRST_SEED", "1"))
# 12 events are kept; those of paths leave room for the last 4
MOST_OF_PATHS = 8
LINKS = {"v4": 1, "v6": 1, "v1": 1, "infiniband": 247}
IDS, QPNS, MTU = (0x700, 0x700), (0x21, 0x22), 256


class Scene:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.link = self.rng.choice(list(LINKS))
        self.frames, self.life, self.messages, self.psns, self.msns = [], [], [], [5, 0xfffffe], [0, 0]
        self.paths, self.used, self.loaded = 1, [0, 0], None
        self.run()

    def address(self, side, path):
        number = 0x10 * path + side + 1
        return {"v4": "10.0.0.%d" % number, "infiniband": 0x100 + number}.get(self.link, "fe80::2:c903:1:%x" % number)

    def put(self, side, packet, path=None):
        path = self.used[side] if path is None else path
        source, destination = self.address(side, path), self.address(not side, path)
        if self.link == "infiniband":
            frame = ib.native(packet, slid=source, dlid=destination).data
        elif self.link == "v1":
            frame = net.ethernet(ib.roce_v1(packet, sgid=source, dgid=destination)).data
        else:
            frame = net.ethernet(net.roce_v2(packet, 4 if self.link == "v4" else 6, src=source, dst=destination)).data
        self.frames.append(frame)

    def say(self, side, attribute, message, event, reason=0, transaction=1):
        if event not in ("lap", "apr") or len(self.life) < MOST_OF_PATHS:
            self.life.append((event, len(self.frames) + 1, reason))
        whole = cm.mad(attribute, message, transaction=transaction)
        self.put(side, ib.transport(0x64, payload=whole.data, destqp=1, srcqp=1, q_key=0x80010000, psn=0), self.used[0])

    def path_values(self, path):
        if self.link == "infiniband":
            return {"alt_locallid": self.address(0, path), "alt_remotelid": self.address(1, path), "alt_subnetlocal": 1}
        return {"alt_localgid": handshake.gid(self.address(0, path)), "alt_remotegid": handshake.gid(self.address(1, path))}

    def between(self, side, attribute, event, reason=0, transaction=1, **values):
        self.say(side, attribute, handshake.between(attribute, IDS[side], IDS[not side], **values), event, reason, transaction)

    def connect(self):
        values = self.path_values(1) if self.rng.random() < 0.6 else {}
        failover = self.rng.choice((0, 0, 1, 2))
        message = handshake.reported(
            REQ, handshake.ip_header("10.0.0.1", "10.0.0.2"), id=IDS[0], serviceid=cm.ip_service(handshake.TCP, 5000), localqpn=QPNS[0],
            startpsn=self.psns[1], pkey=0xffff, pppmtu=1, **values)
        self.say(0, REQ, message, "rdma_connect")
        answer = handshake.reported(REP, id=IDS[1], remotecommid=IDS[0], localqpn=QPNS[1], startpsn=self.psns[0], failoveracc=failover)
        self.say(1, REP, answer, "rdma_accept")
        if values:
            self.paths += 1
            self.loaded = 1 if not failover else None
        self.between(0, RTU, "established")

    def load(self):
        path, status = self.paths, self.rng.choice((0, 0, 5))
        self.paths += 1
        self.between(0, LAP, "lap", transaction=path + 10, remoteqpneecn=QPNS[1], **self.path_values(path))
        self.between(1, APR, "apr", status, transaction=path + 10, status=status)
        if not status:
            self.loaded = path

    def migrate(self, side):
        """The other direction follows before the next migration."""
        if self.loaded is None:
            return
        if self.used[0] == self.used[1]:
            if len(self.life) < MOST_OF_PATHS:
                self.life.append(("path_migrated", len(self.frames) + 1, 0))
            self.target, self.former = self.loaded, self.used[side]
        elif self.used[side] == self.target:
            return
        self.used[side] = self.target
        if self.used[0] == self.used[1]:
            self.loaded = self.former

    def send(self, side, migrates):
        data = self.rng.randbytes(self.rng.choice((20, 700, 1024)))
        packets = [data[i:i + MTU] for i in range(0, len(data), MTU)]
        turn = self.rng.randrange(len(packets)) if migrates else None
        for i, part in enumerate(packets):
            if i == turn:
                self.migrate(side)
            opcode = 4 if len(packets) == 1 else 0 if not i else 2 if i == len(packets) - 1 else 1
            self.put(side, ib.transport(opcode, payload=part, destqp=QPNS[not side], psn=self.psns[side] & 0xffffff))
            self.psns[side] += 1
        self.msns[side] += 1
        if migrates:
            self.migrate(not side)
        self.put(not side, ib.transport(0x11, destqp=QPNS[side], psn=self.psns[side] - 1 & 0xffffff, msn=self.msns[side]))
        self.messages.append((len(data), "%08x" % zlib.crc32(data)))

    def run(self):
        self.connect()
        for _ in range(self.rng.randint(1, 3)):
            self.send(self.rng.randrange(2), False)
            if self.rng.random() < 0.5:
                self.load()
            self.send(self.rng.randrange(2), True)
            self.send(self.rng.randrange(2), self.rng.random() < 0.4)
        self.between(1, DREQ, "rdma_disconnect", req_remoteqpneecn=QPNS[0])
        self.between(0, DREP, "disconnected")


class Migration(CliTest):
    def check(self, scene):
        path = self.path("migration.pcap")
        write_pcap(path, LINKS[scene.link], [(1700000000 * 10**9 + i * 1000, data, len(data)) for i, data in enumerate(scene.frames)])
        records = [json.loads(line) for line in self.lines("connections", "--json", path)]
        life = [[(e["event"], e["frame"], e.get("reason", 0)) for e in r["life"]] for r in records]
        self.assertEqual(life, [scene.life])
        messages = [json.loads(line) for line in self.lines("messages", "--json", "--checksum", path)]
        found = [(m["length"], m["crc32"]) for m in messages if m["kind"] != "mad" and m["complete"]]
        self.assertEqual(found, scene.messages)
        self.assertEqual(len([m for m in messages if m["kind"] != "mad"]), len(found))

    def test_connection_that_migrates_stays_one(self):
        for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
            with self.subTest(seed=seed):
                self.check(Scene(seed))

    def test_path_that_was_not_accepted_is_of_another_connection(self):
        scene = next(s for s in map(Scene, range(1000)) if ("apr", 5) in [(e[0], e[2]) for e in s.life] and s.loaded is None)
        refused = scene.paths - 1
        scene.put(0, ib.transport(4, payload=bytes(20), destqp=QPNS[1], psn=7), refused)
        path = self.path("refused.pcap")
        write_pcap(path, LINKS[scene.link], [(1700000000 * 10**9 + i * 1000, data, len(data)) for i, data in enumerate(scene.frames)])
        self.assertEqual(len(self.lines("connections", "--json", path)), 2)

    def test_reply_from_the_requesters_other_path(self):
        """Paths are loaded and replaced before a reply, which comes from the requester's alternate path and with its id."""
        scene = Scene(1)
        scene.link, scene.frames, scene.life, scene.used = "v4", [], [], [0, 0]
        message = handshake.reported(
            REQ, handshake.ip_header("10.0.0.1", "10.0.0.2"), id=IDS[0], serviceid=cm.ip_service(handshake.TCP, 5000), localqpn=QPNS[0], startpsn=5,
            pkey=0xffff, pppmtu=1)
        answer = handshake.reported(REP, id=IDS[0], remotecommid=IDS[0], localqpn=QPNS[1], startpsn=5)
        scene.say(0, REQ, message, "rdma_connect")
        for path in 1, 2, 3:
            scene.between(0, LAP, "lap", transaction=path + 10, remoteqpneecn=QPNS[1], **scene.path_values(path))
            scene.between(1, APR, "apr", transaction=path + 10, status=0)
            if path == 1:
                reply = ib.transport(0x64, payload=cm.mad(REP, answer, transaction=1).data, destqp=1, srcqp=1, q_key=0x80010000, psn=0)
                scene.frames.append(net.ethernet(net.roce_v2(reply, 4, src=scene.address(0, 1), dst=scene.address(0, 0))).data)
        scene.between(1, DREQ, "rdma_disconnect", req_remoteqpneecn=QPNS[0])
        scene.between(0, DREP, "disconnected")
        path = self.path("reply.pcap")
        write_pcap(path, LINKS[scene.link], [(1700000000 * 10**9 + i * 1000, data, len(data)) for i, data in enumerate(scene.frames)])
        records = [json.loads(line) for line in self.lines("connections", "--json", path)]
        self.assertEqual([(e["event"], e["frame"]) for e in records[0]["life"]], [(event, frame) for event, frame, _ in scene.life])
