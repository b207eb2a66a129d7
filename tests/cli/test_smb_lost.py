# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""SMB messages in fragments of SMB Direct of which packets were not captured or were sent again: the model knows which bytes each packet has."""
import json
import random
import struct

import smb
from conversation import PMTU
from test_smb import Smb

HEADER = 24                    # of SMB Direct, before the data
REQUEST_DATA, RESPONSE_DATA = 64 + 48, 64 + 16


class Message:
    """A message in SENDs; packets[i] has the bytes [begin, end) of the message, and the number of its SEND."""

    def __init__(self, sends):
        self.sends, self.packets, at = sends, [], 0
        for number, send in enumerate(sends):
            length = sum(len(packet.data) for packet in send) - HEADER
            for i, packet in enumerate(send):
                begin, end = i * PMTU - HEADER, i * PMTU - HEADER + len(packet.data)
                self.packets.append((at + max(0, begin), at + min(length, end), number, i, packet))
            at += length
        self.length = at

    def missing(self, lost):
        """Bytes of the message that are unknown. A SEND without its first packet, which has the header, is unknown."""
        headless = {number for _, _, number, i, packet in self.packets if packet in lost and not i}
        return {at for begin, end, number, _, packet in self.packets if packet in lost or number in headless for at in range(begin, end)}

    def is_known(self, lost):
        return self.packets[0][4] not in lost


class Talk(Smb):
    def build(self, seed, count=6):
        """A scene, and the commands: (name, offset, data, request, response)."""
        chance = random.Random(seed)
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f", size=4000 * count, action=1)
        smb.put_all(scene, talk, sends)
        client.fragment, commands = chance.choice((1340, 500, 240)), []
        for i in range(count):
            data = chance.randbytes(chance.randrange(300, 3000))
            is_write = chance.random() < 0.5
            sends = (client.write if is_write else client.read)(file, 4000 * i, data, inline=True)
            request = Message([send for send in sends if send[0].sender == "a"])
            response = Message([send for send in sends if send[0].sender == "b"])
            commands.append(("WRITE" if is_write else "READ", 4000 * i, data, request, response))
        return chance, scene, talk, commands

    def play(self, scene, talk, commands, lost=(), again=()):
        """again: {packet: delay}: it is sent again after the SEND, before the acknowledgement."""
        for *_, request, response in commands:
            for send in request.sends + response.sends:
                scene.put(*[packet for packet in send if packet not in lost])
                if send[-1] in again:
                    scene.pause(again[send[-1]])
                    scene.put(*send)
                scene.put(talk.ack(send[-1]))
        return self.capture(scene)


def ranges(holes):
    found = []
    for at in sorted(holes):
        if found and found[-1][0] + found[-1][1] == at:
            found[-1][1] += 1
        else:
            found.append([at, 1])
    return [tuple(each) for each in found]


class Lost(Talk):
    def check(self, commands, capture, lost, is_exact):
        every = [o for o in self.operations(capture) if o["name"] in ("READ", "WRITE")]
        found, missing = self.files(capture)
        data = found.get("srv/share/f", b"")
        unknown = {at for _, offset, length, _ in missing for at in range(offset, offset + length)}
        # a response alone shows that some file of the share was changed somewhere
        is_changed = any(name == "WRITE" and not request.is_known(lost) for name, _, _, request, _ in commands)
        for name, offset, content, request, response in commands:
            holes = (request.missing(lost), response.missing(lost))
            known = request.is_known(lost), response.is_known(lost)
            one = [o for o in every if o.get("offset") == offset]
            self.assertEqual(len(one), known[0], (name, offset))
            if not known[0]:
                continue
            self.assertEqual((one[0]["name"], one[0]["length"], "status" in one[0]), (name, len(content), known[1]))
            self.assertEqual(one[0]["complete"], not any(holes) and all(known))
            if is_exact and all(known):
                is_single = [len(message.sends) == 1 for message in (request, response)]
                shown = {way: sorted((hole["offset"], hole["length"]) for hole in one[0]["missing"] if hole["in"] == way) for way in ("request", "response")}
                self.assertEqual([each for each, single in zip(shown.values(), is_single) if not single],
                                 [ranges(each) for each, single in zip(holes, is_single) if not single])
            # bytes of the file: right, or reported as missing
            begin = REQUEST_DATA if name == "WRITE" else RESPONSE_DATA
            gone = {at - begin for at in holes[name == "READ"]}
            for at, byte in enumerate(content):
                if offset + at in unknown or (offset + at >= len(data) and not all(known)):
                    if is_exact and all(known) and not is_changed:
                        self.assertIn(at, gone)
                else:
                    self.assertEqual(data[offset + at], byte, (name, offset, at))

    def test_one_packet(self):
        """Known are all bytes that were captured."""
        for seed in range(40):
            chance, scene, talk, commands = self.build(seed)
            packets = [each[4] for *_, request, response in commands for each in request.packets + response.packets]
            lost = [chance.choice(packets)]
            with self.subTest(seed=seed):
                self.check(commands, self.play(scene, talk, commands, lost), lost, True)

    def test_some_packets(self):
        """Nothing is wrong, and no command is complete that is not."""
        for seed in range(40):
            chance, scene, talk, commands = self.build(100 + seed)
            packets = [each[4] for *_, request, response in commands for each in request.packets + response.packets]
            lost = chance.sample(packets, chance.randrange(2, 8))
            with self.subTest(seed=seed):
                self.check(commands, self.play(scene, talk, commands, lost), lost, False)


class Again(Talk):
    def test_an_operation_has_the_losses_and_times_of_all_fragments(self):
        """SENDs are sent again before they are acknowledged. Latency: from the first packet of the request to the last one of the response."""
        for seed in range(24):
            chance, scene, talk, commands = self.build(200 + seed)
            sends = [send for *_, request, response in commands for send in request.sends + response.sends]
            again = {send[-1]: chance.choice((0.005, 0.02)) for send in chance.sample(sends, 3)}
            first = len(scene.frames)
            capture, at = self.play(scene, talk, commands, again=again), first
            rows = {row["first_frame"]: row for row in map(json.loads, self.lines("messages", "--json", capture)) if row.get("verb") == "send"}
            found = {o["offset"]: o for o in self.operations(capture) if o["name"] in ("READ", "WRITE")}
            for name, offset, _, request, response in commands:
                begin, repeats, lost = scene.frames[at][0], 0, 0
                for send in request.sends + response.sends:
                    lost += round(float(rows[at + 1].get("time_lost", 0)) * 1e6)
                    repeats += len(send) if send[-1] in again else 0
                    at += len(send) * (2 if send[-1] in again else 1)
                    end, at = scene.frames[at - 1][0], at + 1
                one = found[offset]
                with self.subTest(seed=seed, offset=offset):
                    self.assertEqual((one["repeats"], one["time_ns"], one["time_end_ns"], round(float(one["latency"]) * 1e9)), (repeats, begin, end, end - begin))
                    self.assertEqual(round(float(one.get("time_lost", 0)) * 1e6), lost)
                    self.assertEqual(lost > 0, repeats > 0)


class Long(Talk):
    def test_a_send_that_is_too_long_is_counted_once(self):
        """Bytes of more than 256 KiB are not kept, whether it ends or not."""
        for size, counted in ((256 << 10, 0), ((256 << 10) + 2 * PMTU, 1)):
            for name in ("whole", "last", "middle"):
                _, scene, talk, _ = self.build(1)
                send = talk.send("a", 0, data=smb.transfer(b"\xfeSMB" + bytes(size - HEADER - 4)))
                gone = {"whole": None, "last": send[-1], "middle": send[len(send) // 2]}[name]
                scene.put(*[packet for packet in send if packet is not gone])
                done = self.run_program("operations", self.capture(scene))
                with self.subTest(size=size, lost=name):
                    self.assertEqual(b"memory" in done.stderr, bool(counted), done.stderr)
                    self.assertEqual(done.stderr.count(b" 1 time "), counted, done.stderr)
