# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RDS over RDMA: messages against the data that an application sent and received, and against ends in Python (generate/rds.py)."""
import hashlib
import json
import os
import struct

import capfile
import iwarp_scene
import rds
from cli import CliTest, TESTDATA
from conversation import Connection, Scene, bytes_of, crc

REAL = os.path.join(TESTDATA, "roce-rds.pcap")
# Messages in the client's record: length, SHA-256. The server sent each back, reversed.
SENT = (
    (1, "4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce"),
    (3, "156091ee0884f36de9836d58b6f05f357ec6ef0620c571577ac61f7beac35f8e"),
    (100, "f0bd1d5e7d649b83e3b85955e4ff6422c8b697d70b82839fbb0a17794268e463"),
    (1000, "75eb18ea6f21d2c22b7a1273897eddce70baa02c0b0605b42f17a79b7931d7d6"),
    (4000, "c2c352a08b4a63420b265e532f68a223b75aa61cd4adcc98363bfe27577aaeee"),
    (5001, "a9c029aa8449c0f95cde373d2b537dfc5e5fa0cc82a465910388bb0e8c31ac84"),
    (8192, "951a34405d395d533bf6078f598f6b463945f8fcef15cf648380cf785eda8145"),
    (20000, "d47f98def1c2818a1133112918b778d37e7899dd80a4ed1d8b7f320df6698b2b"),
    (3, "e021907363fa816fba69a603e28b72cf09477848cccdc75c53e872008c173341"),
    (64, "f3d8a28c0e500aebd71a407e3cbf77cba632de886ac8b10bbb9655ca025d88b1"),
    (65, "ceba09ed74d5298c32ada28972c9ed1f4029a020c11496fda565d466bb9c1aa5"),
    (66, "9ef36f5caab306976e873a9cf571faf384d1676e578bcfda9e9b1740ebc68248"),
)


class Rds(CliTest):
    def operations(self, capture, *options):
        return [json.loads(line) for line in self.lines("operations", "--json", *options, capture)]

    def messages(self, capture, *options):
        return [o for o in self.operations(capture, *options) if o["name"] == "message"]

    def scene(self, fragment=rds.FRAGMENT, port=rds.PORTS[0]):
        self.last = Scene("rds", "")
        talk = Connection(self.last, port=port)
        if port:
            talk.establish()
        return (talk,) + rds.pair(talk, fragment)

    def put(self, *rows):
        for row in rows:
            for packets in row:
                self.last.put(*packets)

    def captured(self):
        path = self.path("scene.pcap")
        self.last.write_capture(path)
        return path

    def payloads(self, capture):
        """{(source port, sequence): bytes} from the fields of each fragment, in order of frames."""
        found = {}
        fields = ("rds.sport", "rds.sequence", "data.data")
        for line in self.lines("-r", capture, "-Y", "rds && rds.sequence > 0 && rdmatap.psn.analysis != \"retransmission\"", "-T", "fields", *(part for f in fields for part in ("-e", f))):
            port, sequence, data = line.split("\t")
            found[int(port), int(sequence)] = found.get((int(port), int(sequence)), b"") + bytes.fromhex(data.replace(":", ""))
        return found


class Real(Rds):
    def test_messages_are_those_of_the_application(self):
        sides = {"a>b": [], "b>a": []}
        for one in self.messages(REAL):
            sides[one["direction"]].append(one)
        data = self.payloads(REAL)
        for direction, port, object in (("a>b", 4001, "4001>4000"), ("b>a", 4000, "4000>4001")):
            self.assertEqual([(o["id"], o["length"], o["data_bytes"], o["object"], o["missing"]) for o in sides[direction]],
                             [(str(i), length, length, object, []) for i, (length, _) in enumerate(SENT, 1)])
            for i, (length, digest) in enumerate(SENT, 1):
                # the application's hash proves the bytes, their CRC-32 the operation's reassembly
                sent = data[port, i] if port == 4001 else data[port, i][::-1]
                self.assertEqual(hashlib.sha256(sent).hexdigest(), digest)
                self.assertEqual(sides[direction][i - 1]["crc32"], crc(data[port, i]))
                self.assertEqual(sides[direction][i - 1]["fragments"], (length + 4095) // 4096)
        # all were acknowledged except the last response, after which the capture ends
        self.assertEqual([o.get("status") for o in sides["a>b"]], ["acknowledged"] * 12)
        self.assertEqual([o.get("status") for o in sides["b>a"]], ["acknowledged"] * 11 + [None])

    def test_congestion_maps(self):
        maps = [o for o in self.operations(REAL) if o["name"] == "congestion map"]
        self.assertEqual([(o["direction"], o["length"], o["congested_ports"], o["complete"], o.get("one_way")) for o in maps],
                         [("a>b", 8192, 0, True, True), ("b>a", 8192, 0, True, True)])

    def test_nothing_is_taken_for_another_layer(self):
        """Without communication management, and starting from each frame: every SEND is RDS or data, none is RPC-over-RDMA."""
        frames = list(capfile.read(REAL))
        for begin in range(3, len(frames), 7):
            path = self.path("part.pcap")
            capfile.write_pcap(path, 1, frames[begin:])
            for options in ((), ("--no-heuristics",)):
                text = [json.loads(line) for line in self.lines("-r", path, "-T", "json", *options)]
                self.assertFalse([p for p in text if any(key.startswith(("rpcordma", "rpc.", "nvme", "srp", "iser")) for key in p)], begin)
            layers = {o["layer"] for o in self.operations(path)}
            self.assertLessEqual(layers, {"rds"}, begin)

    def test_without_a_packet(self):
        """Complete messages have the bytes of the application; missing ranges are listed."""
        frames = list(capfile.read(REAL))
        right = {(o["direction"], o["id"]): o["crc32"] for o in self.messages(REAL)}
        for lost in range(3, len(frames)):
            path = self.path("lossy.pcap")
            capfile.write_pcap(path, 1, frames[:lost] + frames[lost + 1:])
            found = self.operations(path)
            for one in found:
                if one["name"] != "message":
                    continue
                self.assertEqual(one["data_bytes"] + sum(m["length"] for m in one["missing"]), one["length"], (lost, one))
                if "crc32" in one:
                    self.assertEqual(one["crc32"], right[one["direction"], one["id"]], (lost, one))
                    self.assertEqual(one["missing"], [])
            seen = {(o["direction"], o["id"]) for o in found if o["name"] == "message"}
            gone = set(right) - seen
            said = sum(o.get("messages_lost", 0) for o in found)
            self.assertLessEqual(said, len(gone), lost)
            for direction, number in gone:
                # no message follows the last one
                self.assertTrue(said or number == "12" or number == "1", (lost, gone))


class Crafted(Rds):
    def test_every_length_around_the_fragments(self):
        for fragment in (4096, 16384):
            _, a, b = self.scene(fragment)
            datas = [bytes((i + n) % 251 for i in range(n)) for n in (0, 1, fragment - 1, fragment, fragment + 1, 2 * fragment, 3 * fragment - 1, 3 * fragment)]
            for data in datas:
                self.put(a.message(data), b.acknowledge())
            found = self.messages(self.captured())
            self.assertEqual([(o["length"], o["fragments"], o["complete"]) for o in found],
                             [(len(d), max(1, -(-len(d) // fragment)), True) for d in datas])
            self.assertEqual([o.get("crc32") for o in found], [crc(d) for d in datas])

    def test_a_fragment_that_is_lost(self):
        """Each of them: its position is known, at least from the PSNs."""
        data = bytes(i * 7 % 256 for i in range(3 * 4096 + 100))
        for port in (rds.PORTS[0], None):
            for lost in range(4):
                _, a, b = self.scene(port=port)
                self.put(a.message(b"before"), b.message(b"answer"), a.acknowledge())
                row = a.message(data)
                self.put(row[:lost] + row[lost + 1:], b.acknowledge())
                one = self.messages(self.captured())[-1]
                at = lost * 4096
                self.assertEqual(one["missing"], [{"in": "request", "offset": at, "length": min(4096, len(data) - at), "reason": "not_captured"}], lost)
                self.assertFalse(one["complete"])
                self.assertEqual(one["status"], "acknowledged")

    def test_fragments_on_iwarp(self):
        """MSNs place the fragments: each in turn is not captured; the acknowledgement and an RDMA message after it are."""
        data = bytes_of("iWARP", 3 * 4096 + 100)
        self.last = talk = iwarp_scene.Connection(rds.PORTS[0])
        a, b = rds.pair(talk)
        self.put(b.message(b"x"))
        begins = []
        for row in a.message(data):
            begins.append(len(talk.frames))
            self.put([row])
        begins.append(len(talk.frames))
        self.last.put(*talk.write("b", 64, 0x1234, 0, bytes(64)))
        begins.append(len(talk.frames))
        self.put(b.message(b"y", extensions=struct.pack(">BI", rds.RDMA, 0x1234)))
        frames = talk.frames
        for lost in range(-1, 5):
            talk.frames = [frame for i, frame in enumerate(frames) if lost < 0 or not begins[lost] <= i < begins[lost + 1]]
            found = self.messages(self.captured())
            there = 0 if lost < 0 or lost == 4 else min(4096, len(data) - 4096 * lost)
            one = next(o for o in found if o["direction"] == "a>b")
            self.assertEqual((one["length"], one["data_bytes"], one["complete"]), (len(data), len(data) - there, not there), lost)
            self.assertEqual([(m["offset"], m["length"]) for m in one["missing"]], [] if not there else [(4096 * lost, there)])
            if lost < 0:
                self.assertEqual(one["crc32"], crc(data))
            chasing = next(o for o in found if "rdma_key" in o)
            self.assertEqual((chasing["rdma_key"], chasing["rdma_bytes"], chasing["complete"]), (0x1234, 0 if lost == 4 else 64, False))
            self.assertEqual(chasing["carried"], "send" if lost == 4 else "mixed")

    def test_in_the_middle_of_a_message(self):
        data = bytes(i * 7 % 256 for i in range(2 * 4096 + 100))
        _, a, b = self.scene(port=None)
        first = b.message(b"before")
        row = a.message(data)
        self.put(first, row[1:], b.acknowledge(), a.message(b"next"), b.acknowledge())
        found = [o for o in self.messages(self.captured()) if o["object"] == "4001>4000"]
        self.assertEqual([(o["id"], o["missing"][:1]) for o in found],
                         [("1", [{"in": "request", "offset": 0, "length": 4096, "reason": "not_captured"}]), ("2", [])])

    def test_each_fragment_selects_its_message(self):
        _, a, b = self.scene()
        self.put(a.message(bytes(20000)), b.acknowledge(), a.message(bytes(9000)), b.acknowledge())
        path = self.captured()
        frames = [[int(line) for line in self.lines("-r", path, "-Y", "rds.sequence == %d" % number, "-T", "fields", "-e", "frame.number")] for number in (1, 2)]
        self.assertEqual([len(part) for part in frames], [5, 3])
        for number, part in enumerate(frames, 1):
            for frame in part:
                for before in (0, 3):
                    self.assertEqual([o["id"] for o in self.messages(path, "-Y", "frame.number == %d" % (frame - before))], [str(number)])

    def test_a_lost_end_of_a_congestion_map(self):
        """The PSNs before a message are those of the map's second fragment, not of a first fragment of the message."""
        data = bytes(i * 7 % 256 for i in range(4 * 4096 + 100))
        for lost in (None, 0, 2):
            _, a, b = self.scene()
            self.put(a.message(b"x" * 9000), b.acknowledge(), a.congestion(7)[:1])
            row = a.message(data)
            self.put(row if lost is None else row[:lost] + row[lost + 1:], b.acknowledge())
            found = [o for o in self.messages(self.captured()) if o["length"] == len(data)]
            self.assertEqual([(o["data_bytes"], [(m["offset"], m["length"]) for m in o["missing"]]) for o in found],
                             [(len(data), [])] if lost is None else [(len(data) - 4096, [(4096 * lost, 4096)])])

    def test_cut_frames(self):
        _, a, b = self.scene()
        self.put(a.message(bytes(range(200))), b.acknowledge())
        path = self.captured()
        frames = list(capfile.read(path))
        cut = self.path("cut.pcap")
        capfile.write_pcap(cut, 1, [(f[0], f[1][:14 + 20 + 8 + 12 + 48 + 10], f[2]) if i == 3 else f for i, f in enumerate(frames)])
        one, = self.messages(cut)
        self.assertEqual(one["missing"], [{"in": "request", "offset": 10, "length": 190, "reason": "snapped"}])
        self.assertFalse(one["complete"])

    def test_one_header_acknowledges_several(self):
        _, a, b = self.scene()
        rows = [a.message(b"x" * n) for n in (1, 2, 3)]
        self.put(*rows)
        self.put(b.message(b"answer"))
        self.put(a.message(b"unacknowledged"))
        found = self.messages(self.captured())
        mine = [o for o in found if o["direction"] == "a>b"]
        self.assertEqual([o.get("status") for o in mine], ["acknowledged"] * 3 + [None])
        self.assertEqual(len({o.get("response_frame") for o in mine[:3]}), 1)

    def test_a_late_acknowledgement_delays_nothing_else(self):
        """Linux acknowledges with the next message, which may come any time later: others are reported before, and the time is right."""
        _, a, b = self.scene()
        other = Connection(self.last, a=("10.0.0.3", 0x33, 5), b=("10.0.0.4", 0x44, 9), port=rds.PORTS[0])
        other.establish()
        c, d = rds.pair(other)
        self.put(a.message(b"late"))
        for at in range(4):
            self.last.pause(1)
            self.put(c.message(b"%d" % at), d.acknowledge())
        self.last.pause(1)
        self.put(b.message(b"acknowledges"))
        found = self.messages(self.captured())
        self.assertEqual([o["connection"] for o in found[:3]], [2, 2, 2])
        late, = (o for o in found if o["length"] == 4)
        self.assertAlmostEqual(late["latency"], 5, 2)
        self.assertEqual([o["length"] for o in found if not o["complete"]], [len("acknowledges")])

    def test_only_a_message_that_asks_for_an_acknowledgement_lacks_one(self):
        """The last messages are acknowledged with what the other end sends next, perhaps never, unless one of them requires it."""
        for flags, is_overdue in (((0, 0, 0), False), ((0, rds.ACK_REQUIRED, 0), True)):
            talk, a, b = self.scene()
            self.put(a.message(b"first"), b.message(b"answer"), *(a.message(b"data", flags=flag) for flag in flags))
            self.last.pause(3)
            other = self.last.connection(a=("10.0.0.3", 0x12, 0x100), b=("10.0.0.4", 0x23, 0x900), port=4791).establish()
            packets = other.send("a", 100)
            self.last.put(*packets, other.ack(packets[-1]))
            found = [one for one in map(json.loads, self.lines("stats", "--json", self.captured())) if one.get("rule") == "operations_unanswered"]
            self.assertEqual([one["count"] for one in found], [2] if is_overdue else [])

    def test_lost_messages_are_counted(self):
        _, a, b = self.scene()
        self.put(a.message(b"1"), b.acknowledge())
        a.message(b"2"), a.message(b"3")
        self.put(a.message(b"4"), b.acknowledge(), a.message(b"5"), b.acknowledge())
        self.assertEqual([(o["id"], o.get("messages_lost")) for o in self.messages(self.captured())], [("1", None), ("4", 2), ("5", None)])

    def test_messages_captured_in_the_wrong_order(self):
        _, a, b = self.scene()
        rows = [a.message(b"%d" % n) for n in range(5)]
        self.put(rows[0], rows[3], rows[1], rows[4], rows[2], b.acknowledge())
        found = self.messages(self.captured())
        self.assertEqual(sorted(o["id"] for o in found), ["1", "2", "3", "4", "5"])
        self.assertTrue(all(o["complete"] and "messages_lost" not in o for o in found))

    def test_repeated_packets(self):
        _, a, b = self.scene()
        row = a.message(bytes(range(256)) * 20)
        self.put([row[0]], [row[0]], [row[1]], [row[1]], b.acknowledge())
        one, = self.messages(self.captured())
        self.assertEqual((one["complete"], one["crc32"], one["data_bytes"], one["repeats"]),
                         (True, crc(bytes(range(256)) * 20), 5120, len(row[0]) + len(row[1]) - 2))

    def test_a_first_fragment_that_a_retransmission_completes(self):
        """The message begins with its first packet, although the second fragment was complete before the first one."""
        _, a, b = self.scene(port=None)
        row = a.message(bytes(range(256)) * 20)
        self.put([row[0][:1] + row[0][2:-1]], [row[1][:-1]], [row[0]], [row[1][-1:]], b.acknowledge())
        one, = self.messages(self.captured())
        self.assertEqual((one["complete"], one["crc32"], one["request_frame"], one["first_data_frame"]), (True, crc(bytes(range(256)) * 20), 1, 1))

    def test_a_part_of_a_congestion_map_shows_no_ports(self):
        """Neither those of the other half, nor that there is none."""
        for lost in (0, 1):
            for ports in ((), (7,), (40000,), (7, 40000)):
                _, a, b = self.scene()
                row = b.congestion(*ports)
                self.put(a.message(b"data"), b.acknowledge(), row[:lost] + row[lost + 1:], b.message(b"data"), a.acknowledge())
                found = [o for o in self.operations(self.captured()) if o["name"] == "congestion map"]
                self.assertEqual([(o["name"], o.get("congested_ports"), o.get("object"), o["complete"]) for o in found], [("congestion map", None, None, False)])

    def test_fragments_of_two_congestion_maps_are_not_one(self):
        """Of the first map the first fragment was not captured; a message of one packet is between the maps."""
        _, a, b = self.scene()
        self.put(a.message(b"data"), b.acknowledge(), b.congestion(40000)[1:], b.message(b"data"), b.congestion(7), a.acknowledge())
        found = [o for o in self.operations(self.captured()) if o["name"] == "congestion map"]
        self.assertEqual([(o["complete"], o.get("object")) for o in found], [(False, None), (True, "7")])

    def test_congested_ports(self):
        _, a, b = self.scene()
        self.put(b.congestion(1, 4001, 65535), b.congestion(), b.congestion(*range(100, 200)))
        found = self.operations(self.captured())
        self.assertEqual([(o["name"], o["congested_ports"], o["object"], o["complete"]) for o in found],
                         [("congestion map", 3, "1,4001,65535", True), ("congestion map", 0, "no port", True),
                          ("congestion map", 100, ",".join(map(str, range(100, 116))) + ",...", True)])

    def test_credits_flags_and_pings(self):
        _, a, b = self.scene()
        self.put(a.message(b"data", flags=rds.RETRANSMITTED, credit=5), a.message(b"", ports=(1, 0)), b.message(b"", ports=(0, 1)), a.acknowledge())
        found = self.operations(self.captured())
        self.assertEqual([(o["name"], o.get("credits"), o.get("retransmitted"), o["status"]) for o in found],
                         [("message", 5, True, "acknowledged"), ("ping", None, None, "acknowledged"), ("pong", None, None, "acknowledged")])

    def test_rdma_of_a_message(self):
        """b receives a key, WRITEs with it, and reports that in its next message."""
        talk, a, b = self.scene()
        self.put(a.message(b"request", extensions=struct.pack(">BII", rds.RDMA_DEST, 0x1234, 0)))
        writes = talk.write("b", 3000, 0x1234, 0) + talk.write("b", 500, 0x1234, 3000)
        other = talk.write("b", 64, 0x9999, 0)
        self.last.put(*writes)
        self.last.put(talk.ack(writes[-1]))
        self.last.put(*other)
        self.put(b.message(b"", extensions=struct.pack(">BI", rds.RDMA, 0x1234)), a.acknowledge())
        request, chasing = self.operations(self.captured())
        self.assertEqual(request["rdma_destination_key"], 0x1234)
        self.assertEqual((chasing["rdma_key"], chasing["rdma_bytes"], chasing["carried"], chasing["complete"]), (0x1234, 3500, "write", True))

    def test_rdma_of_a_message_that_was_not_captured_whole(self):
        """A WRITE before the message is missing; and one after it, which is of the next message."""
        for lost, wanted in ((1, False), (2, True)):
            talk, a, b = self.scene()
            self.put(a.message(b"request", extensions=struct.pack(">BII", rds.RDMA_DEST, 0x1234, 0)), b.message(b"x"))
            writes = [talk.write("b", 64, 0x1234, 64 * i) for i in range(2)]
            message = b.message(b"", extensions=struct.pack(">BI", rds.RDMA, 0x1234))
            writes.append(talk.write("b", 64, 0x9999, 0))
            for packets in (writes[0], writes[1], *message, writes[2]):
                if packets is not writes[lost]:
                    self.last.put(*packets)
            self.put(b.message(b"next"), a.acknowledge())
            found = next(o for o in self.operations(self.captured()) if "rdma_key" in o)
            self.assertEqual((found["rdma_bytes"], found["complete"]), (64 if lost == 1 else 128, wanted))

    def test_extension_headers(self):
        _, a, b = self.scene()
        extensions = struct.pack(">BHBI", rds.NPATHS, 8, rds.GEN_NUM, 0xabcdef01)
        self.put(a.message(b"", ports=(1, 0), extensions=extensions), a.message(b"x", extensions=struct.pack(">BI", rds.VERSION, 0x301)))
        fields = ("rds.ext.npaths", "rds.ext.gen_num", "rds.ext.version", "rds.checksum.status")
        lines = self.lines("-r", self.captured(), "-Y", "rds", "-T", "fields", *(part for f in fields for part in ("-e", f)))
        self.assertEqual([line.split("\t") for line in lines], [["8", "0xabcdef01", "", "good"], ["", "", "769", "good"]])

    def test_a_bad_checksum_is_shown_and_not_believed(self):
        talk, a, b = self.scene()
        body = bytearray(rds.header(1, 0, 4, (4001, 4000)) + b"data")
        body[30] ^= 1
        self.last.put(*talk.send("a", 0, data=bytes(body)))
        path = self.captured()
        self.assertEqual(self.operations(path), [])
        self.assertIn("bad checksum", "\n".join(self.lines("-r", path)))

    def test_recognised_by_two_signs(self):
        """Without communication management: with one wrong bit in the header's checksum, or a wrong length, it is data."""
        good = rds.header(7, 3, 4, (4001, 4000))
        wrong = rds.header(7, 3, 3, (4001, 4000))
        for body, is_rds in ((good + b"data", True), (wrong + b"data", False), (good[:31] + bytes([good[31] ^ 1]) + good[32:] + b"data", False),
                             (bytes(52), False), (b"\xff" * 52, False)):
            talk, _, _ = self.scene(port=None)
            self.last.put(*talk.send("a", 0, data=bytes(body)))
            with self.subTest(body=bytes(body)):
                self.assertEqual(len(self.lines("-r", self.captured(), "-Y", "rds")), int(is_rds))

    def test_declared(self):
        talk, a, b = self.scene(port=None)
        self.put(a.message(b"data"))
        path = self.captured()
        self.assertEqual(len(self.lines("-r", path, "--no-heuristics", "-Y", "rds")), 0)
        self.assertEqual(len(self.lines("-r", path, "--no-heuristics", "--decode-as", "qp=0x22,rds", "-Y", "rds")), 1)
