# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Communication management against a model of what the two ends did: connections that are accepted, rejected and not answered, that overlap, with
repeated messages, MRA and LAP, with the same communication ids on several hosts, ids and queue pair numbers used again, and DREQs that cross.
"""
import json
import os
import random

import cm
import handshake
import ib
import net
from capfile import write_pcap
from cli import CliTest
from handshake import APR, DREP, DREQ, LAP, MRA, REJ, REP, REQ, RTU

SEEDS, FIRST_SEED = int(os.environ.get("SEEDS", "30")), int(os.environ.get("FIRST_SEED", "1"))
EVENTS = {REQ: "rdma_connect", REP: "rdma_accept", REJ: "rdma_reject", RTU: "established", LAP: "lap", APR: "apr", DREQ: "rdma_disconnect",
          DREP: "disconnected"}
RECEIPTS = ("mra", "mra_rep", "mra_lap")
TRANSPORTS = {0: ("RC", 0x04), 1: ("UC", 0x24), 3: ("XRC", 0xa4)}
LINKS = {"v4": 1, "v6": 1, "v1": 1, "infiniband": 247}
US = 1000


class Host:
    def __init__(self, number, link):
        self.link, self.lid = link, 0x100 + number
        self.address = {"v4": "10.0.0.%d", "v6": "fd00::1:%x"}.get(link, "fe80::2:c903:1:%x") % number
        self.shown = "lid %d" % self.lid if link == "infiniband" else self.address

    def frame(self, to, packet):
        if self.link == "infiniband":
            return ib.native(packet, slid=self.lid, dlid=to.lid).data
        if self.link == "v1":
            return net.ethernet(ib.roce_v1(packet, sgid=self.address, dgid=to.address)).data
        return net.ethernet(net.roce_v2(packet, 4 if self.link == "v4" else 6, src=self.address, dst=to.address)).data


class Attempt:
    """One REQ, what follows it, and what must be reported."""

    def __init__(self, network, start):
        self.net, self.rng, self.time, self.log = network, network.rng, start, []
        self.ends = self.rng.sample(network.hosts, 2)
        self.ids, self.qpns = [network.new_id(self.ends[0]), 0], [network.new_qpn(self.ends[0]), 0]
        # those of the end's own requests; each is in the message of the other end
        self.psns = [self.rng.choice((0, 0xfffffe, self.rng.getrandbits(24))) for _ in range(2)]
        self.service, self.mtu = self.rng.choice(list(TRANSPORTS)), self.rng.randint(1, 5)
        self.port, self.life, self.packets, self.messages = self.rng.randint(5000, 6000), [], 0, 0
        self.transaction = self.rng.getrandbits(60)
        self.run()

    def put(self, side, packet):
        self.log.append((self.time, self, self.ends[side].frame(self.ends[not side], packet)))
        self.time += self.rng.choice((2 * US, 10 * US, 300 * US))

    def say(self, side, attribute, message, times=1, reason=0, name=None):
        """times: with its repetitions."""
        event = {"event": name or EVENTS[attribute], "at": len(self.log)}
        event.update({"reason": reason} if reason else {}, **({"repeats": times - 1} if times > 1 else {}))
        self.life.append(event)
        transaction = self.transaction + (100 + side if attribute == DREQ or (attribute == DREP and not side) else 0)
        for i in range(times):
            self.time += 100000 * US if i else 0
            whole = cm.mad(attribute, message, transaction=transaction)
            self.put(side, ib.transport(0x64, payload=whole.data, destqp=1, srcqp=1, q_key=0x80010000, psn=0))

    def between(self, side, attribute, times=1, name=None, reason=0, **values):
        ids = self.ids if side == 0 else self.ids[::-1]
        if reason:
            values["status" if attribute == APR else "reason"] = reason
        self.say(side, attribute, handshake.between(attribute, *ids, **values), times, reason, name)

    def times(self):
        return self.rng.choice((1, 1, 1, 2, 3))

    def sometimes(self, chance):
        return self.rng.random() < chance

    def request(self):
        a, b = (end.address for end in self.ends)
        message = handshake.reported(
            REQ, handshake.ip_header(a, b), id=self.ids[0], serviceid=cm.ip_service(handshake.TCP, self.port), localqpn=self.qpns[0],
            startpsn=self.psns[1], transpsvctype=self.service, ext_transport=self.service == 3, pkey=0xffff, pppmtu=self.mtu, remoteresptout=20,
            localresptout=20, maxcmretr=15, prim_localgid=handshake.gid(a), prim_remotegid=handshake.gid(b))
        self.say(0, REQ, message, self.times())

    def run(self):
        self.outcome = self.rng.choice(("accepted", "accepted", "accepted", "rejected", "refused", "silence"))
        self.request()
        if self.outcome == "silence":
            return
        self.ids[1] = self.net.new_id(self.ends[1])
        if self.sometimes(0.3):
            self.between(1, MRA, self.times(), RECEIPTS[0], msgmraed=0)
        if self.outcome == "rejected":
            self.between(1, REJ, self.times(), reason=28, msgrej=0)
            return
        self.qpns[1] = self.net.new_qpn(self.ends[1])
        self.say(1, REP, handshake.rep(self.ids[1], self.ids[0], self.qpns[1], self.psns[0], xrc=self.service == 3), self.times())
        if self.sometimes(0.2):
            self.between(0, MRA, 1, RECEIPTS[1], msgmraed=1)
        if self.outcome == "refused":
            self.between(0, REJ, reason=24, msgrej=1)
            return
        self.between(0, RTU, self.times())
        self.exchange()
        if self.sometimes(0.2):
            self.between(0, LAP, self.times())
            self.between(1, APR, reason=5)
        self.leave()

    def exchange(self):
        sent, opcode = [0, 0], TRANSPORTS[self.service][1]
        for i in range(self.rng.choice((0, 1, 4))):
            side = 0 if i == 0 else self.rng.randrange(2)
            psn = self.psns[side] + sent[side] & 0xffffff
            more = {"srq": 0x77} if self.service == 3 else {}
            self.put(side, ib.transport(opcode, payload=bytes(20), destqp=self.qpns[not side], psn=psn, **more))
            sent[side] += 1
            self.messages += 1
            self.packets += 1
            if self.service != 1:
                self.put(not side, ib.transport(opcode & 0xe0 | 0x11, destqp=self.qpns[side], psn=psn, msn=sent[side]))
                self.packets += 1

    def leave(self):
        sides = self.rng.sample((0, 1), 2)[:self.rng.choice((0, 1, 1, 2))]
        for side in sides:
            self.between(side, DREQ, 1 if len(sides) > 1 else self.times(), req_remoteqpneecn=self.qpns[not side])
        for side in sides:
            self.between(not side, DREP)

    def expected(self, numbers):
        """numbers: frames of its packets."""
        ends = [{"addr": end.shown, "qpn": qpn} if qpn else {"addr": end.shown} for end, qpn in zip(self.ends, self.qpns)]
        if self.qpns[1]:
            ends[0]["psn"] = self.psns[0]
        ends[1]["psn"] = self.psns[1]
        life = [dict(event, frame=numbers[event["at"]]) for event in self.life]
        for event in life:
            del event["at"]
        return {"transport": TRANSPORTS[self.service][0], "service": "tcp port %d" % self.port, "path_mtu": 128 << self.mtu, "a": ends[0], "b": ends[1],
                "first_frame": numbers[0], "last_frame": numbers[-1], "packets": self.packets, "messages": self.messages, "life": life, "anomalies": {}}


class Network:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.link = self.rng.choice(list(LINKS))
        self.hosts = [Host(i + 1, self.link) for i in range(self.rng.randint(2, 3))]
        self.base = self.rng.getrandbits(31)
        same, self.reuses = self.rng.random() < 0.6, self.rng.random() < 0.7
        self.ids = {host: self.base if same else self.rng.getrandbits(31) for host in self.hosts}
        self.qpns = {host: self.rng.choice((0x11, 0xfff000)) for host in self.hosts}
        self.free, self.attempts, start, end = {host: [] for host in self.hosts}, [], 1700000000 * 10**9, 0
        for _ in range(self.rng.randint(1, 7)):
            self.attempts.append(Attempt(self, start))
            end = max(end, self.attempts[-1].time)
            start += self.rng.choice((1, 50, 5000)) * US
            if self.rng.random() < 0.5:
                start = end + self.rng.choice((50, 5000)) * US
                self.everything_ended(self.attempts)

    def everything_ended(self, attempts):
        if not self.reuses:
            return
        self.free = {host: sorted({qpn for a in attempts for end, qpn in zip(a.ends, a.qpns) if end is host and qpn}) for host in self.hosts}
        if self.rng.random() < 0.5:
            self.ids = {host: self.base for host in self.hosts}

    def new_id(self, host):
        self.ids[host] += 1
        return self.ids[host]

    def new_qpn(self, host):
        if self.free[host]:
            return self.free[host].pop(0)
        self.qpns[host] += 1
        return self.qpns[host]

    def frames(self):
        return sorted((f for a in self.attempts for f in a.log), key=lambda f: f[0])


def plain(record):
    """The keys of a connection that the model knows."""
    kept = {key: record.get(key) for key in ("transport", "service", "path_mtu", "first_frame", "last_frame", "packets", "messages", "anomalies")}
    for end in "ab":
        kept[end] = {key: value for key, value in record[end].items() if key != "last_psn"}
    kept["life"] = [{key: event[key] for key in ("event", "frame", "reason", "repeats") if key in event} for event in record["life"]]
    return kept


class Model(CliTest):
    def check(self, network):
        path, frames = self.path("cm.pcap"), network.frames()
        write_pcap(path, LINKS[network.link], [(time, data, len(data)) for time, _, data in frames])
        wanted = [a.expected([i + 1 for i, frame in enumerate(frames) if frame[1] is a]) for a in network.attempts]
        found = [plain(json.loads(line)) for line in self.lines("connections", "--json", path)]
        self.maxDiff = None
        self.assertEqual(sorted(found, key=lambda r: r["first_frame"]), sorted(wanted, key=lambda r: r["first_frame"]))
        capture = json.loads(self.lines("stats", "--json", path)[0])
        repeats = sum(e.get("repeats", 0) for w in wanted for e in w["life"] if e["event"] in ("rdma_connect", "rdma_accept", "rdma_disconnect"))
        self.assertEqual(capture.get("cm_repeats", {}).get("count", 0), repeats)

    def test_each_connection_is_what_its_ends_did(self):
        for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
            with self.subTest(seed=seed):
                self.check(Network(seed))
