# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RNBD over RTRS: requests and images against the record of an application, and against a client and server in Python (generate/rtrs.py)."""
import hashlib
import os
import random

import capfile
import rtrs
from cli import TESTDATA, differing
from conversation import Connection, Scene
from test_nvme import DONE, Nvme

REAL = os.path.join(TESTDATA, "roce-rnbd.pcap.gz")
IMAGE = "clt/loop6.img"


class Rnbd(Nvme):
    def session(self, scene, count=3, a="10.0.0.2", b="10.0.0.1", first=0x11, **options):
        talks = [Connection(scene, (a, first + i, 0x100 + 0x10000 * i), (b, first + 0x100 + i, 0x800000 + 0x10000 * i)) for i in range(count)]
        for number, talk in enumerate(talks):
            talk.a.udp = talk.b.udp = 0xc000 + first + number
            talk.ids = (0x10000 + first + number, 0x20000 + first + number)
            talk.tid = 0x1000 + first + number
        return rtrs.Session(talks, **options)

    def begun(self, **options):
        scene = Scene("rnbd", "")
        session = self.session(scene, **options).set_up()
        self.put(scene, session.begin())
        return scene, session

    def put(self, scene, *requests):
        for groups in requests:
            for packets in groups:
                scene.put(*packets)

    def names(self, capture, *options):
        return [(o["name"], o.get("status"), o.get("offset"), o.get("length"), o["complete"]) for o in self.operations(capture, *options)]


class Real(Rnbd):
    def test_images_equal_the_data_written(self):
        images, missing = self.images(REAL)
        self.assertEqual((missing, list(images)), ([], [IMAGE]))
        for offset, length, digest in DONE:
            self.assertEqual(hashlib.sha256(images[IMAGE][offset:offset + length]).hexdigest(), digest, offset)

    def test_requests_are_those_of_the_application(self):
        """One write and one read of each range; the longest is three requests. A flush, and the messages that open and close the device."""
        found = self.operations(REAL)
        self.assertTrue(all(o["complete"] and o["ok"] for o in found))
        for offset, length, _ in DONE:
            for name, carried in (("WRITE", "inline"), ("READ", "write")):
                parts = sorted((o["offset"], o["length"], o["data_bytes"]) for o in found if o["name"] == name and offset <= o["offset"] < offset + length)
                with self.subTest(offset=offset, name=name):
                    self.assertEqual(parts[0][0], offset)
                    self.assertEqual(sum(part[1] for part in parts), length)
                    self.assertEqual([part[1] for part in parts], [part[2] for part in parts])
                self.assertTrue(all(o["carried"] == carried and o["object"] == "loop6" for o in found if o["name"] == name))
        self.assertEqual([o["name"] for o in found if o["name"] not in ("READ", "WRITE")], ["info", "session info", "open", "FLUSH", "close"])

    def test_responses_show_their_request_and_the_time_since(self):
        """The request of a buffer is the last one with it: the queue depth is 512, so 19 bits of immediate data follow its number."""
        waiting, wanted, begun = {}, [], {}
        for line in self.lines("-r", REAL, "-Y", "infiniband.immdt || infiniband.bth.opcode == 6", "-T", "fields", "-e", "frame.number", "-e", "frame.time_epoch",
                               "-e", "rdmatap.connection", "-e", "infiniband.immdt", "-e", "infiniband.bth.opcode"):
            number, time, connection, immediate, opcode = line.split("\t")
            nanoseconds = int(time.replace(".", ""))
            if opcode == "6":
                begun[connection] = number, nanoseconds
                continue
            immediate = int(immediate, 16)
            if immediate >> 28 == 0:
                waiting[connection, immediate >> 19] = begun[connection] if opcode == "9" else (number, nanoseconds)
            elif immediate >> 28 in (1, 2):
                request = waiting.pop((connection, immediate & 0x7ffff))
                wanted.append("%s\t%s\t%.9f" % (number, request[0], (nanoseconds - request[1]) / 1e9))
        found = [line.split("\t") for line in self.lines("-r", REAL, "-Y", "rtrs.time", "-T", "fields", "-e", "frame.number", "-e", "rtrs.time")]
        lines = {line.split()[0]: line for line in self.lines("-r", REAL, "-Y", "rtrs.imm.errno")}
        self.assertEqual(["%s\t%s\t%s" % (number, lines[number].split("[to ")[1].split(",")[0], time) for number, time in found], wanted)
        names = [o["name"] for o in sorted(self.operations(REAL), key=lambda o: o.get("response_frame", 0)) if o["name"] != "info"]
        self.assertEqual([lines[number].split("RTRS ")[1].split(" response")[0] for number, _ in found], names)

    def test_without_a_packet_nothing_wrong_is_exported_as_right(self):
        frames = list(capfile.read(REAL))
        whole = self.images(REAL)[0][IMAGE]
        for lost in sorted(random.Random(13).sample(range(60, len(frames) - 12), 25)):
            path = self.path("lossy.pcap")
            capfile.write_pcap(path, 1, frames[:lost] + frames[lost + 1:])
            images, missing = self.images(path)
            image = images[IMAGE]
            unknown = [(offset, offset + length) for _, offset, length, _ in missing]
            for offset, length, _ in DONE:
                wrong = differing(image[offset:offset + length], whole[offset:offset + length])
                self.assertTrue(all(any(b <= offset + i < e for b, e in unknown) for i in wrong), (lost, offset))
            found = self.operations(path)
            self.assertTrue(all(o.get("data_bytes") == o["length"] for o in found if o["name"] in ("READ", "WRITE") and o["complete"]), lost)

    def test_the_data_of_reads_by_messages(self):
        self.assertGreaterEqual(self.check_reads(REAL, self.images(REAL)[0][IMAGE], ("READ",)), len(DONE))

    def test_in_the_middle_of_the_stream(self):
        """Without setup and names, starting from a frame."""
        frames = list(capfile.read(REAL))
        whole = self.images(REAL)[0][IMAGE]
        for begin in (34, 67, 70, 100, 303):
            path = self.path("late.pcap")
            capfile.write_pcap(path, 1, frames[begin:])
            images, missing = self.images(path)
            self.assertEqual(list(images), ["10.0.0.1/device-0.img"], begin)
            image, = images.values()
            unknown = [(offset, offset + length) for _, offset, length, _ in missing]
            wrong = [i for i in differing(image, whole[:len(image)]) if image[i]]
            self.assertTrue(all(any(b <= i < e for b, e in unknown) for i in wrong), begin)
            for offset, length, _ in DONE[-1:]:
                self.assertEqual(image[offset:offset + length], whole[offset:offset + length], begin)
            self.assertEqual([(o["id"], o["object"]) for o in self.operations(path) if o["name"] == "READ"][-3:],
                             [(number, "device 0") for number in "012"])


class Resent(Rnbd):
    def lost_before_the_response(self, scene, request, data, response):
        """The network loses the data: the response after it is captured twice, before and after the retransmission."""
        scene.put(*request, *response[:-1], *data, *response)

    def test_data_after_the_first_copy_of_the_response(self):
        scene = Scene("rnbd", "")
        session = self.session(scene, new_keys=False).set_up()
        self.put(scene, session.info(), session.session_info())
        self.lost_before_the_response(scene, *session.open(b"loop6", 3))
        self.put(scene, session.write(8, bytes(512), 3))
        self.lost_before_the_response(scene, *session.read(8, bytes(1024), 3))
        self.assertEqual([(o["name"], o.get("object"), o["data_bytes"], o["complete"]) for o in self.operations(self.capture(scene))[2:]],
                         [("open", "loop6", 56, True), ("WRITE", "loop6", 512, True), ("READ", "loop6", 1024, True)])

    def test_the_latency_ends_with_the_last_copy_of_a_response_that_is_not_acknowledged(self):
        """A response by a WRITE, one by a SEND, and one by the last WRITE of the data."""
        for way in {"new_keys": False}, {}, {"new_keys": False, "with_data": True}:
            scene, session = self.begun(**way)
            request, data, response = session.read(8, bytes(512))
            scene.put(*request, *data, *response[:-1])
            scene.pause(0.02)
            scene.put(*response)
            found = self.operations(self.capture(scene))[-1]
            self.assertEqual((found["name"], found["complete"], round(found["latency"], 3)), ("READ", True, 0.02), way)


    def test_a_response_that_is_sent_again_answers_no_later_request(self):
        """The network loses its acknowledgement after the capture point."""
        for way in {"new_keys": False}, {}:
            for wait in 0.0001, 0.01, 0.6:
                scene, session = self.begun(**way)
                request, _, response = session.write(8, bytes(512))
                scene.put(*request, *response)
                scene.pause(wait)
                scene.put(*response)
                later, data, its = session.read(24, bytes(1024))
                scene.put(*later, *data, *its)
                found = self.operations(self.capture(scene))[3:]
                self.assertEqual([(o["name"], "latency" in o, o["complete"]) for o in found], [("WRITE", True, True), ("READ", True, True)], (way, wait))


class Crafted(Rnbd):
    WAYS = ({}, {"new_keys": False}, {"new_keys": False, "with_data": True}, {"depth": 512}, {"depth": 5, "chunk": 0x2000}, {"depth": 1})

    def test_blocks(self):
        one, two = (bytes([n]) * 4096 for n in (1, 2))
        for way in self.WAYS:
            with self.subTest(**way):
                scene, session = self.begun(**way)
                last = session.depth - 1
                self.put(scene, session.write(0, one + two[:1024]), session.read(100, two, buffer=last, cid=2, parts=3), session.flush(),
                         session.simple(rtrs.DISCARD, 2, 1024),
                         session.simple(rtrs.WRITE_ZEROES | rtrs.NOUNMAP, 8, 512), session.close(0))
                capture = self.capture(scene)
                images, missing = self.images(capture)
                self.assertEqual((list(images), missing), ([IMAGE], []))
                image = images[IMAGE]
                self.assertEqual(image[:5120], one[:1024] + bytes(1024) + one[2048:] + bytes(512) + two[:512])
                self.assertEqual(image[51200:55296], two)
                self.assertEqual(self.names(capture), [
                    ("info", "success", None, None, True), ("session info", "success", None, None, True), ("open", "success", None, None, True),
                    ("WRITE", "success", 0, 5120, True), ("READ", "success", 51200, 4096, True), ("FLUSH", "success", None, None, True),
                    ("DISCARD", "success", 1024, 1024, True), ("WRITE_ZEROES", "success", 4096, 512, True), ("close", "success", None, None, True)])
                self.assertEqual([o["id"] for o in self.operations(capture)][4], str(last))

    def test_the_status_of_a_response_before_the_ends_are_known(self):
        def make(talk):
            session = rtrs.Session([talk, talk])
            return [packet for errno in (rtrs.EIO, 0) for part in session.simple(rtrs.DISCARD, 8, 512, errno=errno) for packet in part]
        self.assertEqual(self.without_setup(make, "rtrs"), [("DISCARD", "EIO", False), ("DISCARD", "success", True)])

    def test_errors(self):
        scene, session = self.begun()
        self.put(scene, session.write(0, b"\1" * 512), session.write(0, b"\2" * 512, errno=rtrs.EIO), session.read(4, b"\3" * 512, errno=rtrs.EIO),
                 session.open(b"nothing", 9, errno=2), session.write(8, b"\4" * 512, errno=300))
        capture = self.capture(scene)
        self.assertEqual([(o[0], o[1]) for o in self.names(capture)[3:]],
                         [("WRITE", "success"), ("WRITE", "EIO"), ("READ", "EIO"), ("open", "ENOENT"), ("WRITE", "errno 300")])
        self.assertEqual([row[1:3] for row in self.images(capture)[1]], [(0, 512), (4096, 512)])

    def test_a_rejected_connection(self):
        scene = Scene("rnbd", "")
        self.session(scene, 1).set_up(errno=104)
        rows = self.lines("-T", "fields", "-e", "rtrs.conn_req.cid_num", "-e", "rtrs.conn_rsp.errno", "-r", self.capture(scene))
        self.assertEqual(rows, ["1\t", "\t104"])

    def test_heartbeats(self):
        scene, session = self.begun()
        self.put(scene, session.heartbeat(), session.heartbeat("b", 0))
        for answered in (False, False, True):
            self.put(scene, session.heartbeat(answered=answered))
        found = [(o["direction"], o.get("status")) for o in self.operations(self.capture(scene)) if o["name"] == "heartbeat"]
        self.assertEqual(found, [("a>b", "success"), ("b>a", "success"), ("a>b", None), ("a>b", None), ("a>b", "success")])

    def test_buffers_are_used_again_at_once_and_out_of_order(self):
        choice = random.Random(5)
        scene, session = self.begun(depth=8)
        image, waiting = bytearray(512 * 64), []
        for number in range(200):
            free = sorted(set(range(8)) - {w[0] for w in waiting})
            if waiting and (not free or choice.random() < 0.5):
                buffer, sector, data, groups = waiting.pop(choice.randrange(len(waiting)))
                scene.put(*groups[2])
                image[sector * 512:sector * 512 + 512] = data
                continue
            used = {w[1] for w in waiting}
            sector = choice.choice([s for s in range(64) if s not in used])
            data = bytes([number + 1]) * 512
            groups = session.out(rtrs.io(0, sector, rtrs.WRITE, 512), data, buffer=free[0], cid=1)
            scene.put(*groups[0])
            waiting.append((free[0], sector, data, groups))
        for _, sector, data, groups in waiting:
            scene.put(*groups[2])
            image[sector * 512:sector * 512 + 512] = data
        capture = self.capture(scene)
        images, missing = self.images(capture)
        self.assertEqual(missing, [])
        self.assertEqual(images[IMAGE], bytes(image)[:len(images[IMAGE])])
        self.assertTrue(all(o["complete"] for o in self.operations(capture)))

    def test_two_servers_with_sessions_of_one_name(self):
        scene = Scene("rnbd", "")
        sessions = [self.session(scene, 2).set_up(), self.session(scene, 2, b="10.0.0.9", first=0x31, number=2).set_up()]
        for number, session in enumerate(sessions, 1):
            self.put(scene, session.begin(b"../dev/disk %d" % number, number), session.write(0, bytes([number]) * 512, number))
        images, _ = self.images(self.capture(scene))
        self.assertEqual({path.split("/")[0]: data for path, data in images.items()}, {"clt": b"\1" * 512, "clt@10.0.0.9": b"\2" * 512})

    def test_a_path_without_its_own_names(self):
        """A second path of the session opens no devices: it uses those of the first."""
        scene = Scene("rnbd", "")
        first = self.session(scene, 2).set_up()
        second = self.session(scene, 2, a="10.1.0.2", b="10.1.0.1", first=0x31).set_up()
        self.put(scene, first.begin(), second.write(3, b"\7" * 512))
        self.assertEqual(list(self.images(self.capture(scene))[0]), [IMAGE])

    def test_lost_packets_of_requests(self):
        """Without each packet of a write and of a read: exactly the missing ranges are listed."""
        data = bytes(range(256)) * 8
        for way in self.WAYS[:3]:
            length = len(self.build(way, data, None)[1])
            for lost in range(length):
                scene, moved = self.build(way, data, lost)
                capture = self.capture(scene)
                images, missing = self.images(capture)
                image = images[IMAGE].ljust(512 * 40, b"\0")
                unknown = {i for _, offset, size, _ in missing for i in range(offset, offset + size)}
                with self.subTest(lost=lost, **way):
                    for begin in (0, 8192):
                        for i in range(len(data)):
                            self.assertTrue(image[begin + i] in (data[i], 0) or begin + i in unknown, begin + i)
                    for o in self.operations(capture):
                        if o["name"] in ("READ", "WRITE") and o["complete"]:
                            self.assertEqual(o["data_bytes"], o["length"])
                    self.assertEqual([size for _, _, size, _ in missing], {"data": [256], "address": [2048], "written": [2048]}.get(moved[lost], []))
                    if moved[lost] != "other":
                        self.assertEqual([o["complete"] for o in self.operations(capture) if o["name"] in ("READ", "WRITE")].count(False), 1)

    def test_a_truncated_packet(self):
        """Each packet of a write and a read, cut in each of its headers and in its data: no operation is complete without all its data."""
        data = bytes(range(1, 256)) * 8 + bytes(8)
        scene, session = self.begun()
        begin = len(scene.frames)
        self.put(scene, session.write(0, data), session.read(16, data))
        path = self.capture(scene)
        frames, incomplete = list(capfile.read(path)), 0
        for cut in range(begin, len(frames)):
            for length in (30, 40, 53, 54, 60, 69, 71, 100, 200):
                if length >= len(frames[cut][1]):
                    continue
                part = self.path("cut.pcap")
                capfile.write_pcap(part, 1, frames[:cut] + [(frames[cut][0], frames[cut][1][:length], frames[cut][2])] + frames[cut + 1:])
                for one in self.operations(part):
                    if one["name"] in ("READ", "WRITE") and one["complete"]:
                        self.assertEqual((one["data_bytes"], one["missing"]), (one["length"], []), (cut, length))
                    incomplete += not one["complete"]
                images, missing = self.images(part)
                image = images[IMAGE].ljust(512 * 20, b"\0")
                unknown = {i for _, offset, size, _ in missing for i in range(offset, offset + size)}
                wrong = [i for at in (0, 8192) for i in range(at, at + 2048) if image[i] not in (data[i - at], 0) and i not in unknown]
                self.assertEqual(wrong, [], (cut, length))
        self.assertGreater(incomplete, 80)

    def build(self, way, data, lost):
        """
        A scene without packet `lost` of two requests, and the kind of each packet: without the address in the server's WRITE the destination
        of all its data is unknown; without a response it is unknown whether the device contains the data.
        """
        scene, session = self.begun(**way)
        groups = session.write(0, data) + session.read(16, data)
        packets = [p for group in groups for p in group]
        kinds = ["written" if "immdt" in p.values and p.sender == "b" and i < len(packets) // 2 else "other" if len(p.data) < 256 else "address" if p.sender == "b" and "va" in p.values else "response" if p.sender == "b" and
                 "immdt" in p.values else "data" for i, p in enumerate(packets)]
        scene.put(*[p for i, p in enumerate(packets) if i != lost])
        self.put(scene, session.write(32, data), session.read(36, data))
        return scene, kinds

    def test_the_middle_without_setup_begins_with_responses(self):
        """A response of a request before the capture, whose buffer's number is twice that of the first captured request."""
        scene = Scene("rnbd", "")
        session = self.session(scene)
        first, second = session.write(8, os.urandom(512), buffer=5), session.write(16, os.urandom(512), buffer=1)
        scene.put(*first[0], *session.respond(1, 10), *second[0], *second[2], *first[2])
        self.assertEqual([(o["name"], o.get("id"), o.get("offset"), "request_frame" in o, "response_frame" in o) for o in self.operations(self.capture(scene))],
                         [("WRITE", "5", 4096, True, True), ("unknown command", "10", None, False, True), ("WRITE", "1", 8192, True, True)])

    def test_the_middle_without_setup_shows_the_depth(self):
        """Other queue depths than Linux's: from requests and responses alone."""
        for depth in (2, 16, 1024, 4096):
            scene = Scene("rnbd", "")
            session = self.session(scene, depth=min(depth, 64))
            session.depth, session.bits = depth, rtrs.place_bits(depth)
            session.keys = [0xf000 + i for i in range(depth)]
            buffers = [depth - 1, 0, depth // 2]
            for number, buffer in enumerate(buffers):
                self.put(scene, session.write(number * 8, bytes([number + 1]) * 1024, buffer=buffer))
            found = self.operations(self.capture(scene))
            self.assertEqual([(o["name"], o.get("status"), o["id"]) for o in found],
                             [("WRITE", "success", str(buffer)) for buffer in buffers], depth)

    def test_data_that_resembles_a_request_is_not_recognised(self):
        """WRITEs with immediate data, each with one fault."""
        user = rtrs.io(0, 8, rtrs.WRITE, 512)
        body = bytes(512) + user + b"\2\0\x20\0"
        wrong = [(body, 0x221), (body[:-4] + b"\3\0\x20\0", 0x220), (body[:-4] + b"\2\0\x21\0", 0x221), (body, 0x10000220),
                 (bytes(512) + rtrs.io(0, 8, rtrs.WRITE, 1024) + b"\2\0\x20\0", 0x220), (bytes(512) + rtrs.io(0, 8, 9, 512) + b"\2\0\x20\0", 0x220),
                 (bytes(4), 0), (b"", 0), (b"\2\0\0\0", 0)]
        for data, immediate in wrong:
            scene = Scene("rnbd", "")
            talk = Connection(scene)
            packets = talk.write("a", len(data), data=data, imm=immediate)
            scene.put(*packets, talk.ack(packets[-1]))
            self.assertEqual(self.operations(self.capture(scene)), [], hex(immediate))
        scene = Scene("rnbd", "")
        talk = Connection(scene)
        packets = talk.write("a", len(body), data=body, imm=0x220)
        scene.put(*packets, talk.ack(packets[-1]))
        self.assertEqual([o["name"] for o in self.operations(self.capture(scene))], ["WRITE"])
        self.assertEqual([o["name"] for o in self.operations(self.capture(scene), "--no-heuristics")], [])
        self.assertEqual([o["name"] for o in self.operations(self.capture(scene), "--no-heuristics", "--decode-as", "qp=0x22,rtrs")], ["WRITE"])


class Losses(Rnbd):
    """One buffer for all requests, and uncaptured responses, data and requests: bytes are correct or listed as missing."""
    BLOCKS = 16

    def lossy(self, seed):
        """The capture; the disk; blocks of writes of which no packet was captured."""
        choice, disk, unseen = random.Random(seed), {}, set()
        scene, session = self.begun(count=2, new_keys=bool(seed & 1), with_data=bool(seed & 2))
        if seed & 4:
            session.memory = lambda: (0x50001, 0xffff888200000000)
        for number in range(60):
            first, kind, written = choice.randrange(self.BLOCKS), choice.randrange(5), {}
            count = min(choice.randrange(1, 4), self.BLOCKS - first)
            if kind < 2:
                written = {first + i: number + 1 for i in range(count)}
                rows = session.write(first, bytes([number + 1]) * 512 * count, buffer=3)
            elif kind == 2:
                rows = session.read(first, b"".join(bytes([disk.get(first + i, 0)]) * 512 for i in range(count)), buffer=3)
            elif kind == 3:
                written = {first + i: 0 for i in range(count)}
                rows = session.simple(rtrs.WRITE_ZEROES, first, 512 * count, buffer=3)
            else:
                rows = session.flush(buffer=3)
            disk.update(written)
            request = [packet for packet in rows[0] if choice.random() >= 0.05]
            # the last packet contains the destination of the data
            (unseen.difference_update if rows[0][-2] in request else unseen.update)(written)
            scene.put(*request, *[packet for packet in rows[1] if choice.random() >= 0.1])
            if choice.random() >= 0.3:
                scene.put(*rows[2])
        return self.capture(scene), disk, unseen

    def test_no_byte_is_wrong(self):
        for seed in list(range(8)) + [14, 30, 39]:
            capture, disk, unseen = self.lossy(seed)
            images, missing = self.images(capture)
            lost = {block for _, offset, length, _ in missing for block in range(offset // 512, (offset + length + 511) // 512)}
            with self.subTest(seed=seed):
                for block in set(range(len(images[IMAGE]) // 512)) - lost - unseen:
                    self.assertEqual(set(images[IMAGE][block * 512:block * 512 + 512]), {disk.get(block, 0)}, block)

    def truncated(self, seed):
        """Reads of different blocks, up to three at once, each buffer with memory of its own; three of ten frames
        are truncated."""
        choice, waiting, free = random.Random(seed), [], [0, 1, 2]
        scene, session = self.begun(count=2, new_keys=bool(seed & 1), with_data=False)
        begin = len(scene.frames)
        for number in range(30):
            data = b"".join(bytes([8 * number + i + 1]) * 512 for i in range(choice.choice((1, 2, 4, 8))))
            buffer = free.pop(choice.randrange(len(free)))
            session.memory = lambda at=buffer: (0x50001 + at, 0xffff888200000000 + at * 0x21000)
            response = []
            session.respond = lambda *one, into=response, **other: into.append((one, other)) or []
            rows = session.read(8 * number, data, buffer=buffer, cid=choice.randrange(2), parts=choice.choice((1, 2)))
            del session.respond
            scene.put(*rows[0], *rows[1])
            waiting.append((buffer, *response[0]))
            while waiting and (not free or choice.random() < 0.6):
                buffer, one, other = waiting.pop(0)
                scene.put(*session.respond(*one, **other))
                free.append(buffer)
        frames = [(shown[0], frame, length) for shown, (_, frame, length) in zip(scene.frames, capfile.read(self.capture(scene)))]
        for at in range(begin, len(frames)):
            time, frame, length = frames[at]
            if len(frame) > 60 and choice.random() < 0.3:
                frames[at] = (time, frame[:choice.randrange(30, len(frame))], length)
        capfile.write_pcap(self.path("truncated.pcap"), 1, frames)
        return self.path("truncated.pcap")

    def test_no_byte_is_that_of_a_truncated_request(self):
        """No packet is missing: the data of a request that was truncated would fill what an earlier one lacks."""
        bad = []
        for seed in range(24):
            images, missing = self.images(self.truncated(seed))
            unknown = {i for _, offset, size, _ in missing for i in range(offset, offset + size)}
            wrong = [i for i, byte in enumerate(images.get(IMAGE, b"")) if byte and i not in unknown and byte != i // 512 + 1]
            if wrong:
                bad.append((seed, wrong[0], len(wrong)))
        self.assertEqual(bad, [])
