# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random conversations of RDS with RDMA, over RoCE and iWARP, whole and damaged: a complete message has all bytes that its RDMA operation moved,
and none has more. Linux, net/rds/ib_send.c: an operation's READs or WRITEs precede the SEND that names their key. net/rds/send.c: messages that are
cancelled before they are sent have used a sequence number; after a reconnect, those that were not acknowledged are sent again, but no RDMA operations."""
import json
import random
import struct
import unittest

import capfile
import iwarp_scene
import rds
from cli import CliTest
from conversation import Connection, Scene, bytes_of, crc

SEEDS = 40
DAMAGES = ("lost", "burst", "cut", "swapped", "doubled", "middle", "half")


class Reliable(Connection):
    """READ responses count as messages of the responder: IBTA vol. 1, 9.7.7.2.3."""

    def read(self, name, length, *arguments, **options):
        request, responses = super().read(name, length, *arguments, **options)
        there = self.side("b" if name == "a" else "a")
        there.msn += 1
        for packet in responses:
            packet.values["msn"] = there.msn
            packet.values.setdefault("syndrome", 0x1f)
        return request, responses


def damaged(frames, kind, dice):
    """frames: (time, bytes, length on the wire); times stay in order."""
    times = [frame[0] for frame in frames]
    if kind == "lost":
        frames = [frame for frame in frames if dice.random() >= 0.03]
    elif kind == "burst":
        at = dice.randrange(len(frames))
        frames = frames[:at] + frames[at + dice.choice((1, 4, 30)):]
    elif kind == "cut":
        frames = [(time, data[:dice.randrange(30, len(data))] if len(data) > 60 and dice.random() < 0.05 else data, *rest) for time, data, *rest in frames]
    elif kind == "swapped":
        frames = [frames[i] for i in sorted(range(len(frames)), key=lambda i: i + dice.random() * 5)]
    elif kind == "doubled":
        frames = [frame for frame in frames for _ in range(1 + (dice.random() < 0.1))]
    elif kind == "middle":
        frames = frames[dice.randrange(len(frames)):]
    elif kind == "half":
        side = frames[len(frames) // 2][1][26:30]
        frames = [frame for frame in frames if frame[1][26:30] != side or dice.random() < 0.3]
    if kind == "doubled":
        return frames
    return [(time, *frame[1:]) for time, frame in zip(times, frames)]


class Player:
    """truth: {(object, sequence): (bytes, key or None, bytes moved with it)}"""

    def __init__(self, seed, is_iwarp, has_gaps=False):
        self.dice = dice = random.Random(seed)
        if is_iwarp:
            self.scene = talk = iwarp_scene.Connection(rds.PORTS[0], together=dice.choice((0, 0, 700)), segment=dice.choice((1024, 1400)))
        else:
            self.scene = Scene("rds", "")
            talk = Reliable(self.scene, port=rds.PORTS[0]).establish()
            self.scene.connections.append(talk)
        self.talk, self.ends, self.truth, self.seed, self.key = talk, rds.pair(talk, dice.choice((4096, 16384))), {}, seed, 0x1000
        self.talks, self.waiting, self.sent = [talk], {"a": [], "b": []}, 0
        for step in range(dice.choice((6, 15))):
            if has_gaps and dice.random() < 0.2:
                dice.choice(self.ends).sequence += dice.choice((1, 1, 3))
            if has_gaps and not is_iwarp and dice.random() < 0.1:
                self.reconnect()
            self.step(step)

    def message(self, end, step, length, key=None, moved=0, **options):
        data = bytes_of((self.seed, step, end.name), length)
        for packets in end.message(data, **options):
            self.scene.put(*packets)
        self.sent += 1
        self.truth["%d>%d" % (end.port, end.there.port), str(end.sequence)] = data, key, moved
        self.waiting[end.there.name].clear()
        self.waiting[end.name].append((end.sequence, data, key, options))

    def reconnect(self):
        """The other end has an unknown part of what was not acknowledged."""
        number = len(self.talks)
        self.talk = Reliable(self.scene, a=("10.0.0.2", 0x11 + number, 0x100), b=("10.0.0.1", 0x42 + number, 0x800000), port=rds.PORTS[0]).establish()
        self.talks.append(self.talk)
        self.scene.connections.append(self.talk)
        for end in self.ends:
            end.talk, last = self.talk, end.sequence
            for sequence, data, key, options in self.waiting[end.name]:
                if key is not None:
                    continue
                end.sequence = sequence - 1
                for packets in end.message(data, **{**options, "flags": options.get("flags", 0) | rds.RETRANSMITTED}):
                    self.scene.put(*packets)
                self.sent += 1
            end.sequence = last

    def step(self, step):
        dice, end = self.dice, self.dice.choice(self.ends)
        length, kind = dice.choice((0, 1, 100, 4096, 4097, 9000)), dice.random()
        if kind < 0.1:
            for packets in end.congestion(*(dice.randrange(65536) for _ in range(3))):
                self.scene.put(*packets)
        elif kind < 0.5:
            self.key += 0x10
            self.message(end, step, length, extensions=struct.pack(">BII", rds.RDMA_DEST, self.key, 0))
            moved, is_read = 0, dice.random() < 0.3
            for _ in range(dice.choice((1, 2, 3))):
                size = dice.choice((1, 64, 1000, 3000))
                self.move(end.there.name, is_read, size, moved)
                moved += size
            self.message(end.there, step, dice.choice((0, 100)), self.key, moved, extensions=struct.pack(">BI", rds.RDMA, self.key))
        else:
            self.message(end, step, length, flags=rds.ACK_REQUIRED if kind < 0.7 else 0)
            if dice.random() < 0.4:
                for packets in end.there.acknowledge():
                    self.scene.put(*packets)

    def move(self, name, is_read, size, at):
        if is_read:
            request, responses = self.talk.read(name, size, self.key, at, bytes(size))
            self.scene.put(request)
            self.scene.put(*responses)
            return
        packets = self.talk.write(name, size, self.key, at, data=bytes(size))
        self.scene.put(*packets, self.talk.ack(packets[-1]))


class Sessions(CliTest):
    def check_message(self, one, truth, is_whole):
        data, key, moved = truth[one["object"], one["id"]]
        self.assertEqual((one["length"], one.get("rdma_key")), (len(data), key), one)
        self.assertLessEqual(one.get("rdma_bytes", 0), moved, one)
        if "crc32" in one:
            self.assertEqual(one["crc32"], crc(data), one)
        if one["complete"] or is_whole:
            self.assertEqual(one.get("rdma_bytes", 0), moved, one)
            self.assertEqual(one["data_bytes"], len(data), one)

    def check_lost(self, messages, truth):
        """Between two messages: at least those that were sent, at most the sequence numbers."""
        for way in {one["object"] for one in messages}:
            mine = {int(one["id"]): one.get("messages_lost", 0) for one in messages if one["object"] == way}
            for before, after in zip(sorted(mine), sorted(mine)[1:]):
                sent = sum((way, str(number)) in truth for number in range(before + 1, after))
                self.assertTrue(sent <= mine[after] <= after - before - 1, (way, before, after, sent, mine[after]))

    def check_conversation(self, seed, is_iwarp, kinds, has_gaps=False):
        player, path = Player(seed, is_iwarp, has_gaps), self.path("scene.pcap")
        player.scene.write_capture(path)
        frames = [(time, data, wire) for time, _, data, wire, *_ in capfile.timed(path)]
        for kind in kinds:
            frames = damaged(frames, kind, player.dice) if frames else frames
        capfile.write_pcap(path, 1, frames)
        found = [json.loads(line) for line in self.lines("operations", "--json", path)] if frames else []
        self.assertLessEqual({one["layer"] for one in found}, {"rds"})
        messages = [one for one in found if one["name"] == "message"]
        for one in messages:
            self.check_message(one, player.truth, not kinds)
        names = [(one["connection"], one["object"], one["id"]) for one in messages]
        self.assertEqual(len(names), len(set(names)))
        if len(player.talks) == 1:
            self.check_lost(messages, player.truth)
        if set(kinds) <= {"doubled"}:
            self.assertEqual({name[1:] for name in names}, set(player.truth))
            self.assertEqual((len(names), [one for one in messages if "messages_lost" in one]), (player.sent, []))

    def test_complete_messages_have_all_bytes_of_their_rdma(self):
        for seed in range(SEEDS):
            dice = random.Random(seed)
            kinds = dice.sample(DAMAGES, dice.choice((0, 1, 1, 2)))
            for is_iwarp in (False, True):
                with self.subTest(seed, kinds=kinds, is_iwarp=is_iwarp):
                    self.check_conversation(seed, is_iwarp, kinds)

    def test_cancelled_messages_and_reconnects(self):
        """A sequence number that no message had is none of a lost message."""
        for seed in range(100, 100 + SEEDS // 4):
            dice = random.Random(seed)
            kinds = dice.sample(DAMAGES, dice.choice((0, 0, 1, 2)))
            for is_iwarp in (False, True):
                with self.subTest(seed, kinds=kinds, is_iwarp=is_iwarp):
                    self.check_conversation(seed, is_iwarp, kinds, True)


class Late(CliTest):
    """One message after two WRITEs."""

    def found(self, order, cut=None, with_first=True):
        """order: of the frames of the two WRITEs and the message"""
        scene = Scene("rds", "")
        talk = Reliable(scene, port=rds.PORTS[0]).establish()
        a, b = rds.pair(talk)
        rows = a.message(b"request", extensions=struct.pack(">BII", rds.RDMA_DEST, 0x1234, 0)) + (b.message(b"first") if with_first else [])
        last = [talk.write("b", 64, 0x1234, 0), talk.write("b", 100, 0x1234, 64),
                b.message(b"", extensions=struct.pack(">BI", rds.RDMA, 0x1234))[0][:1]]
        for packets in rows + [last[i] for i in order] + b.message(b"last") + a.acknowledge():
            scene.put(*packets)
        path = self.path("late.pcap")
        scene.write_capture(path)
        if cut is not None:
            frames = list(capfile.read(path))
            at = 3 + sum(map(len, rows)) + cut
            frames[at] = frames[at][0], frames[at][1][:60], frames[at][2]
            capfile.write_pcap(path, 1, frames)
        one = next(json.loads(line) for line in self.lines("operations", "--json", path) if "rdma_key" in line and "destination" not in line)
        return one["rdma_bytes"], one["complete"]

    def test_a_write_that_was_captured_after_its_message(self):
        for order in ((0, 1, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0)):
            self.assertEqual(self.found(order), (164, True), order)

    def test_a_write_whose_key_was_truncated(self):
        for order, moved in (((0, 1, 2), 100), ((1, 0, 2), 64)):
            self.assertEqual(self.found(order, 0), (moved, False), order)

    def test_a_first_message_has_no_earlier_end(self):
        """All WRITEs since the setup are known."""
        self.assertEqual(self.found((0, 1, 2), with_first=False), (164, True))
        self.assertEqual(self.found((1, 2), with_first=False), (100, False))


if __name__ == "__main__":
    unittest.main()
