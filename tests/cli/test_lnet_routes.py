# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""LNet messages between a client and a server behind two routers, over several queue pairs: an ACK or a REPLY takes any of them, and a long REPLY
moves as a PUT does. Lustre, lnet/lnet/lib-move.c (lnet_send), lnet/klnds/o2iblnd/o2iblnd_cb.c (kiblnd_send)."""
import json
import random
import unittest

import capfile
import lnet
from cli import CliTest
from conversation import Scene, bytes_of
from test_rds_sessions import DAMAGES, Reliable, damaged

SEEDS = 16
CLIENT, SERVER = lnet.nid("10.0.0.2"), lnet.nid("10.9.0.1", 1)
TEXT = {CLIENT: "10.0.0.2@o2ib", SERVER: "10.9.0.1@o2ib1"}


class Player:
    """rows: {packet of a request: {key of its operation: value}}"""

    def __init__(self, seed):
        self.dice, self.scene, self.rows, self.handles, self.seed = random.Random(seed), Scene("lnet", ""), {}, {"a": 0, "b": 0}, seed
        self.ends, self.open = [], []
        for number in range(self.dice.choice((1, 2, 4))):
            self.connect(number)
        for _ in range(self.dice.choice((6, 15, 30))):
            self.step()
            while self.open and self.dice.random() < 0.5:
                self.open.pop(self.dice.randrange(len(self.open)))()
        while self.open:
            self.open.pop(0)()

    def connect(self, number):
        router = "10.0.0.%d" % self.dice.choice((1, 3))
        talk = Reliable(self.scene, a=("10.0.0.2", 0x11 + number, 0x100), b=(router, 0x42 + number, 0x800000), port=lnet.PORT)
        self.scene.connections.append(talk)
        a, b = lnet.pair(talk, self.dice.choice(("<<", ">>", "<>", "><")), self.dice.random() < 0.3)
        b.nid = lnet.nid(router)
        a.target, b.origin = SERVER, SERVER
        a.cookie += number << 12
        b.cookie += number << 12
        lnet.establish(talk, a, b)
        self.ends.append({"a": a, "b": b})

    def put(self, *rows):
        for row in rows:
            self.scene.put(*row)

    def row(self, packets, end, name, **values):
        target = SERVER if end.name == "a" else CLIENT
        self.rows[id(packets[0])] = dict(values, name=name, direction=end.talk.direction(end.name), target=TEXT[target], answers=[])
        return self.rows[id(packets[0])]

    def data(self, length):
        return bytes_of((self.seed, len(self.rows)), length)

    def step(self):
        dice, name = self.dice, self.dice.choice("ab")
        kind, end = dice.random(), dice.choice(self.ends)[name]
        if kind < 0.15:
            self.put(end.noop(dice.randrange(8)))
        elif kind < 0.3:
            packets = end.immediate(lnet.PUT, self.data(dice.choice((0, 9, 900))))
            self.row(packets, end, "IMMEDIATE", lnet_type="PUT", one_way=True, complete=True)
            self.put(packets)
        elif kind < 0.45:
            self.bulk(end, lnet.PUT, dice.random() < 0.6)
        elif kind < 0.6:
            self.ask_ack(end)
        elif kind < 0.9:
            self.ask_reply(end)
        else:
            self.refused(end)

    def handle(self, end):
        self.handles[end.name] += 1
        return self.handles[end.name]

    def back(self, end):
        """The other end of any connection."""
        return self.dice.choice(self.ends)[end.there.name]

    def bulk(self, end, kind, wants_ack, handle=None):
        data = self.data(self.dice.choice((1, 300, 5000)))
        number = self.handle(end) if wants_ack else handle
        middle = self.dice.randrange(1, len(data)) if len(data) > 1 and self.dice.random() < 0.5 else len(data)
        at = 0x7f0000000000 + (len(self.rows) << 24)
        pieces = [(at, middle)] + ([(at + 0x10000, len(data) - middle)] if middle < len(data) else [])
        rows = end.put(data, pieces, key=0x77 + len(self.rows), kind=kind, handle=number)
        row = self.row(rows[0], end, "PUT" if kind == lnet.PUT else "REPLY", length=len(data), data_bytes=len(data), status="success", complete=True)
        self.put(*rows)
        if wants_ack:
            def answer():
                row.update(status="acknowledged", acknowledged_bytes=len(data))
                packets = self.back(end).immediate(lnet.ACK, length=len(data), handle=number)
                row["answers"].append(packets[0])
                self.put(packets)
            self.open.append(answer)
        return rows[0]

    def refused(self, end):
        rows = end.put(self.data(5000), refused=-12)
        self.row(rows[0], end, "PUT", status="error -12", complete=True)
        self.put(*rows)

    def ask_ack(self, end):
        data, number = self.data(self.dice.choice((1, 700))), self.handle(end)
        packets = end.immediate(lnet.PUT, data, handle=number)
        row = self.row(packets, end, "IMMEDIATE", lnet_type="PUT", complete=False)
        self.put(packets)

        def answer():
            row.update(status="acknowledged", acknowledged_bytes=len(data), complete=True)
            packets = self.back(end).immediate(lnet.ACK, length=len(data), handle=number)
            row["answers"].append(packets[0])
            self.put(packets)
        self.open.append(answer)

    def ask_reply(self, end):
        number, is_long = self.handle(end), self.dice.random() < 0.5
        packets = end.immediate(lnet.GET, length=5000, handle=number)
        row = self.row(packets, end, "IMMEDIATE", lnet_type="GET", complete=False)
        self.put(packets)

        def answer():
            row.update(status="replied", complete=True)
            if is_long:
                row["answers"].append(self.bulk(self.back(end), lnet.REPLY, False, number)[0])
                return
            packets = self.back(end).immediate(lnet.REPLY, self.data(60), handle=number)
            row["answers"].append(packets[0])
            self.put(packets)
        self.open.append(answer)


class Routes(CliTest):
    def check_operation(self, one, row, is_whole):
        self.assertEqual((one["name"], one.get("object", row["target"]).split("/")[0]), (row["name"], row["target"]), one)
        for key in ("lnet_type", "length", "acknowledged_bytes"):
            if key in one and key in row:
                self.assertEqual(one[key], row[key], (key, one))
        # without the ACK
        self.assertIn(one.get("status"), (None, row.get("status"), "success" if row.get("status") == "acknowledged" else None), one)
        if one["complete"] or is_whole:
            for key in ("direction", "status", "acknowledged_bytes", "data_bytes", "complete") if is_whole else ("data_bytes",):
                if key in row:
                    self.assertEqual(one.get(key), row[key], (key, one))

    def check_conversation(self, seed, kinds):
        player, path = Player(seed), self.path("scene.pcap")
        frames = [(time, piece.data, len(piece.data), id(packet)) for time, _, piece, packet in player.scene.frames]
        for kind in kinds:
            frames = damaged(frames, kind, player.dice) if frames else frames
        capfile.write_pcap(path, 1, [frame[:3] for frame in frames])
        is_whole, seen = not set(kinds) - {"doubled"}, []
        for one in map(json.loads, self.lines("operations", "--json", path)) if frames else ():
            self.assertEqual(one["layer"], "lnet")
            row = player.rows.get(frames[one["request_frame"] - 1][3]) if "request_frame" in one else None
            if not row:
                # an answer without its request
                self.assertFalse(is_whole, one)
                continue
            self.check_operation(one, row, is_whole)
            seen.append(id(row))
            if "response_frame" in one and row["answers"] and one["name"] == "IMMEDIATE":
                self.assertIn(frames[one["response_frame"] - 1][3], list(map(id, row["answers"])))
        self.assertEqual(len(seen), len(set(seen)))
        if is_whole:
            self.assertEqual(set(seen), set(map(id, player.rows.values())))
            found = [one["rule"] for one in map(json.loads, self.lines("stats", "--json", path)) if one.get("type") == "finding"]
            self.assertNotIn("operations_unanswered", found)

    def test_messages_are_those_of_both_ends(self):
        for seed in range(SEEDS):
            dice = random.Random(seed)
            kinds = dice.sample(DAMAGES, dice.choice((0, 0, 1, 2)))
            with self.subTest(seed, kinds=kinds):
                self.check_conversation(seed, kinds)

    def test_a_message_that_is_sent_again_by_another_connection(self):
        """The answer, which comes by a third one, is that of the newest."""
        scene = Scene("lnet", "")
        ends = []
        for number in range(3):
            talk = scene.connection(a=("10.0.0.2", 0x11 + number, 0x100), b=("10.0.0.1", 0x42 + number, 0x800000), port=lnet.PORT)
            ends.append(lnet.pair(talk))
            lnet.establish(talk, *ends[-1])
        for a, _ in ends[:2]:
            scene.put(*a.immediate(lnet.PUT, b"again", handle=1))
        scene.put(*ends[2][1].immediate(lnet.ACK, length=5, handle=1))
        path = self.path("scene.pcap")
        scene.write_capture(path)
        found = [json.loads(line) for line in self.lines("operations", "--json", path)]
        self.assertEqual([(o["connection"], o.get("status"), o["complete"]) for o in found], [(1, None, False), (2, "acknowledged", True)])

    def test_a_message_that_a_router_forwards(self):
        """The capture has both sides of a router. The REPLY comes back by it, or by another one: each side has its own operation."""
        client, server, routers = "10.0.0.2", "10.9.0.1", ("10.0.0.1", "10.0.0.3")
        for back, is_long in ((0, False), (0, True), (1, False), (1, True)):
            scene, hops = Scene("lnet", ""), []
            for router in routers:
                for side in ((client, router), (router, server)):
                    number = len(scene.connections)
                    talk = scene.connection(a=(side[0], 0x11 + number, 0x100), b=(side[1], 0x42 + number, 0x800000), port=lnet.PORT)
                    a, b = lnet.pair(talk)
                    a.nid, b.nid = (lnet.nid(address, int(address == server)) for address in side)
                    a.origin, a.target, b.origin, b.target = CLIENT, SERVER, SERVER, CLIENT
                    lnet.establish(talk, a, b)
                    hops.append((a, b))
            for a, _ in hops[:2]:
                scene.put(*a.immediate(lnet.GET, length=5000, handle=1))
            frames = []
            for _, b in (hops[2 * back + 1], hops[2 * back]):
                frames.append(len(scene.frames) + 1)
                for row in b.put(bytes(5000), kind=lnet.REPLY, handle=1) if is_long else [b.immediate(lnet.REPLY, bytes(60), handle=1)]:
                    scene.put(*row)
            path = self.path("scene.pcap")
            scene.write_capture(path)
            found = [json.loads(line) for line in self.lines("operations", "--json", path)]
            gets = [(o["connection"], o["status"], o["complete"], o["response_frame"]) for o in found if o.get("lnet_type") == "GET"]
            self.assertEqual(gets, [(1, "replied", True, frames[1]), (2, "replied", True, frames[0])], (back, is_long))
            self.assertEqual([o["name"] for o in found if o.get("lnet_type") != "GET"], ["REPLY"] * (2 * is_long))


if __name__ == "__main__":
    unittest.main()
