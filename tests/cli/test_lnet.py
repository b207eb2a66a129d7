# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""LNet over RDMA: operations and fields against two ends in Python (generate/lnet.py), in both byte orders."""
import itertools
import json
import os

import capfile
import lnet
from cli import CliTest, TESTDATA
from conversation import Connection, Scene

ORDERS = ("<<", ">>", "<>", "><")
DATA = bytes(range(256)) * 12


class Lnet(CliTest):
    def operations(self, capture, *options):
        return [json.loads(line) for line in self.lines("operations", "--json", *options, capture)]

    def scene(self, orders="<<", sums=False, cm=True):
        self.last = Scene("lnet", "")
        talk = self.last.connection(port=lnet.PORT if cm else None)
        a, b = lnet.pair(talk, orders, sums)
        if cm:
            lnet.establish(talk, a, b)
        return a, b

    def captured(self, *rows):
        for row in rows:
            self.last.put(*row)
        path = self.path("scene.pcap")
        self.last.write_capture(path)
        return path


class Operations(Lnet):
    def test_put_and_get_by_rdma(self):
        for orders in ORDERS:
            for cm in (True, False):
                a, b = self.scene(orders, cm=cm)
                capture = self.captured(*a.put(DATA), *b.get(DATA[:2000], [(0x1000, 1200), (0x9000, 800)]), *b.put(DATA[:700], kind=lnet.REPLY))
                found = [(o["direction"], o["name"], o.get("object"), o["length"], o["data_bytes"], o["carried"], o["status"], o["complete"])
                         for o in self.operations(capture)]
                with self.subTest(orders=orders, cm=cm):
                    self.assertEqual(found, [("a>b", "PUT", "10.0.0.1@o2ib1/26", 3072, 3072, "write", "success", True),
                                             ("b>a", "GET", "10.0.0.2@o2ib/26", 2000, 2000, "write", "success", True),
                                             ("b>a", "REPLY", "10.0.0.2@o2ib", 700, 700, "write", "success", True)])

    def test_immediate_messages(self):
        for orders in ORDERS:
            a, b = self.scene(orders)
            # the first requests no ACK, and the requests of the other responses were not captured
            capture = self.captured(a.immediate(lnet.PUT, b"request", credits=3, offset=64), b.immediate(lnet.ACK, length=7, handle=5),
                                    b.immediate(lnet.REPLY, b"r" * 64, handle=6), b.noop(9))
            found = self.operations(capture)
            keys = ("direction", "name", "lnet_type", "one_way", "length", "data_bytes", "carried", "portal", "acknowledged_bytes", "complete")
            with self.subTest(orders=orders):
                self.assertEqual([tuple(o.get(key) for key in keys) for o in found],
                                 [("a>b", "IMMEDIATE", "PUT", True, 7, 7, "inline", 26, None, True),
                                  ("b>a", "IMMEDIATE", "ACK", True, 0, None, "none", None, 7, True),
                                  ("b>a", "IMMEDIATE", "REPLY", True, 64, 64, "inline", None, None, True)])
                self.assertEqual((found[0]["credits"], found[0]["offset"], found[0]["match_bits"]), (3, 64, "0x1122334455667788"))

    def test_immediate_messages_and_their_answers(self):
        """An ACK and a REPLY contain the handle of the PUT and the GET, in any order; each end has its own handles."""
        for orders in ORDERS:
            a, b = self.scene(orders)
            capture = self.captured(a.immediate(lnet.PUT, b"one", handle=1), a.immediate(lnet.GET, length=64, handle=2), a.immediate(lnet.PUT, b"three", handle=3),
                                    b.immediate(lnet.PUT, b"back", handle=1), b.immediate(lnet.REPLY, b"r" * 60, handle=2), b.immediate(lnet.ACK, length=5, handle=3),
                                    b.immediate(lnet.ACK, length=3, handle=1), a.immediate(lnet.ACK, length=4, handle=1), a.immediate(lnet.GET, length=9, handle=4))
            found = self.operations(capture)
            keys = ("direction", "lnet_type", "id", "status", "data_bytes", "acknowledged_bytes", "complete")
            with self.subTest(orders=orders):
                self.assertEqual([tuple(o.get(key) for key in keys) for o in found],
                                 [("a>b", "PUT", "0x1", "acknowledged", 3, 3, True), ("a>b", "GET", "0x2", "replied", 60, None, True),
                                  ("a>b", "PUT", "0x3", "acknowledged", 5, 5, True), ("b>a", "PUT", "0x1", "acknowledged", 4, 4, True),
                                  ("a>b", "GET", "0x4", None, None, None, False)])
                self.assertEqual([("response_frame" in o, "latency" in o) for o in found], [(True, True)] * 4 + [(False, False)])

    def test_an_ack_of_a_put_by_rdma_belongs_to_it(self):
        """LNet's ACK follows PUT_DONE, as an immediate message with the handle that the PUT_REQ contains; others may be between them."""
        keys = ("direction", "name", "id", "status", "data_bytes", "acknowledged_bytes", "credits", "complete")
        for orders in ORDERS:
            a, b = self.scene(orders)
            puts = [a.put(DATA, handle=7), a.put(DATA[:900], handle=8), a.put(DATA[:800]), b.put(DATA[:700], handle=7), a.put(DATA[:600], handle=9)]
            acks = [b.immediate(lnet.ACK, length=length, handle=handle, credits=3) for handle, length in ((8, 850), (7, len(DATA)))]
            capture = self.captured(*(row for put in puts for row in put), *acks, a.immediate(lnet.ACK, length=699, handle=7), a.immediate(lnet.PUT, b"x"))
            found = self.operations(capture)
            ids = ["0x%x" % int.from_bytes(number.to_bytes(8, "big" if order == ">" else "little"), "little")
                   for number, order in ((0x1001, orders[0]), (0x1002, orders[0]), (0x1003, orders[0]), (0x900004, orders[1]), (0x1005, orders[0]))]
            self.assertEqual([tuple(o.get(key) for key in keys) for o in found],
                             [("a>b", "PUT", ids[0], "acknowledged", 3072, 3072, 2, True), ("a>b", "PUT", ids[1], "acknowledged", 900, 850, 2, True),
                              ("a>b", "PUT", ids[2], "success", 800, None, 2, True), ("b>a", "PUT", ids[3], "acknowledged", 700, 699, 2, True),
                              ("a>b", "PUT", ids[4], "success", 600, None, 2, True), ("a>b", "IMMEDIATE", None, None, 1, None, None, True)])
            # the ACK alone selects the operation
            frames = self.lines("-r", capture, "-Y", "lnet.hdr.mlength == 850", "-T", "fields", "-e", "frame.number")
            self.assertEqual(len(frames), 1)
            self.assertEqual([o["id"] for o in self.operations(capture, "-Y", "lnet.hdr.mlength == 850")], ids[1:2])

    def test_a_put_ack_selects_its_put(self):
        a, b = self.scene("<>")
        capture = self.captured(*a.put(DATA), *a.put(DATA[:900]), *b.put(DATA[:800]))
        self.assertEqual([o["length"] for o in self.operations(capture, "-Y", "lnet.type == 0xd4")], [3072, 900, 800])
        self.assertEqual([o["length"] for o in self.operations(capture, "-Y", "lnet.type == 0xd4 && lnet.rd.nob == 900")], [900])

    def test_an_ack_without_the_end_of_its_put(self):
        """Without PUT_DONE the PUT is not complete, and the ACK is an operation of its own; so is one that is captured again or before."""
        a, b = self.scene()
        put = a.put(DATA, handle=7)
        ack = b.immediate(lnet.ACK, length=len(DATA), handle=7)
        found = [(o["name"], o.get("lnet_type"), o.get("status"), o["complete"]) for o in self.operations(self.captured(*put[:3], ack))]
        self.assertEqual(found, [("PUT", None, None, False), ("IMMEDIATE", "ACK", None, True)])
        for refused in (None, -5):
            a, b = self.scene()
            put = a.put(DATA, handle=7, status=refused or 0)
            found = self.operations(self.captured(*put, b.immediate(lnet.ACK, length=len(DATA), handle=7), b.immediate(lnet.ACK, length=9, handle=7)))
            self.assertEqual([(o["name"], o.get("status"), o.get("acknowledged_bytes"), o["complete"]) for o in found],
                             [("PUT", "acknowledged", 3072, True), ("IMMEDIATE", None, 9, True)] if refused is None else
                             [("PUT", "error -5", None, True), ("IMMEDIATE", None, 3072, True), ("IMMEDIATE", None, 9, True)])

    def test_an_ack_in_any_place(self):
        """Each order in which a capture can have PUT_DONE, its acknowledgement, and the ACK."""
        a, b = self.scene()
        put = a.put(DATA, handle=7)
        ack = b.immediate(lnet.ACK, length=len(DATA), handle=7)
        for order in itertools.permutations(put[3] + ack):
            self.last.frames = self.last.frames[:3]
            one, *rest = self.operations(self.captured(*put[:3], order, a.immediate(lnet.PUT, b"x")))
            place = order.index(put[3][0]) < order.index(ack[0])
            self.assertEqual((one["name"], one["complete"], one["status"], one.get("acknowledged_bytes"), len(rest)),
                             ("PUT", True, "acknowledged", 3072, 1) if place else ("PUT", True, "success", None, 2), order)

    def test_both_versions(self):
        """Versions 1 and 2 have one layout. Cookies, which are the id, are numbers to their owner only."""
        seen = []
        for version in (lnet.VERSION_1, lnet.VERSION):
            for orders in ORDERS:
                self.last = Scene("lnet", "")
                talk = self.last.connection(port=lnet.PORT)
                a, b = lnet.pair(talk, orders, sums=True)
                a.version = b.version = version
                lnet.establish(talk, a, b)
                path = self.captured(*a.put(DATA), *b.put(b"x" * 5000, refused=-12), *b.get(DATA[:600]), a.immediate(lnet.GET, length=64, handle=2),
                                     b.immediate(lnet.REPLY, b"r" * 60, handle=2), a.noop(8))
                fields = ("lnet.type", "lnet.nob", "lnet.credits", "lnet.status", "lnet.cksum.status")
                rows = self.lines("-r", path, "-Y", "lnet.version == %d" % version, "-T", "fields", *(part for name in fields for part in ("-e", name)))
                seen.append((rows, [{k: v for k, v in o.items() if k != "id"} for o in self.operations(path)]))
        self.assertEqual(len(seen[0][0]), 12)
        self.assertEqual([(o["name"], o.get("status"), o.get("data_bytes"), o["complete"]) for o in seen[0][1]],
                         [("PUT", "success", 3072, True), ("PUT", "error -12", 0, True), ("GET", "success", 600, True), ("IMMEDIATE", "replied", 60, True)])
        self.assertTrue(all(one == seen[0] for one in seen))

    def test_refused_and_failed(self):
        for orders in ORDERS:
            a, b = self.scene(orders)
            found = self.operations(self.captured(*a.put(b"x" * 9000, refused=-12), *a.get(DATA, status=-5)))
            self.assertEqual([(o["name"], o["status"], o["ok"], o["complete"]) for o in found],
                             [("PUT", "error -12", False, True), ("GET", "error -5", False, True)])

    def test_a_get_of_less_than_its_memory(self):
        """The status of GET_DONE has the length of the reply: the rest of the memory is not missing, bytes before it are."""
        for length, lost in ((2000, 0), (0, 0), (1500, 0), (2000, 256)):
            a, b = self.scene("><")
            cookie, memory = a.new_cookie(), [(0x1000, 1500), (0x9000, 1572)]
            sent = [(0x1000, min(1500, length)), (0x9000, length - 1500)][:1 + (length > 1500)] if length else []
            rows = [b.moved(b, 8, sent, DATA)] if length else []
            if lost:
                del rows[0][1]
            one, = self.operations(self.captured(a.send(lnet.GET_REQ, a.header(lnet.GET, 3072) + cookie + a.descriptor(8, memory)), *rows,
                                                 b.done(lnet.GET_DONE, cookie, length)))
            self.assertEqual((one["status"], one["length"], one["data_bytes"], one["complete"], [hole["length"] for hole in one["missing"]]),
                             ("success", 3072, length - lost, not lost, [lost] if lost else []), length)

    def test_without_a_part(self):
        """PUT_REQ, PUT_ACK, the WRITEs or PUT_DONE missing: the PUT is not complete, and has only the captured bytes."""
        for part, missing in enumerate(("PUT_REQ", "PUT_ACK", "WRITE", "PUT_DONE")):
            a, b = self.scene("<>")
            rows = a.put(DATA)
            get, *found = self.operations(self.captured(*a.get(DATA[:50]), *rows[:part], *rows[part + 1:]))
            with self.subTest(missing=missing):
                self.assertEqual((get["name"], get["complete"], get["data_bytes"]), ("GET", True, 50))
                self.assertTrue(found)
                self.assertEqual({(o["layer"], o["name"], o["direction"], o["complete"]) for o in found}, {("lnet", "PUT", "a>b", False)})
                self.assertEqual(["request_frame" in o for o in found].count(True), int(missing != "PUT_REQ"))
                self.assertEqual([o["status"] for o in found if "status" in o], ["success"] * (missing != "PUT_DONE"))
                self.assertEqual(sum(o.get("data_bytes", 0) for o in found), {"PUT_REQ": len(DATA)}.get(missing, 0))
                holes = [hole for o in found for hole in o["missing"]]
                self.assertEqual([hole for hole in holes if hole["in"] == "write"],
                                 [{"in": "write", "offset": 0, "length": len(DATA), "reason": "not_captured"}] * (missing == "WRITE"))

    def test_the_status_of_a_response_before_the_ends_are_known(self):
        """Without the CM REQ and the acknowledgement of the PUT_REQ."""
        a, b = self.scene("><")
        path = self.captured(*a.put(DATA, refused=-5), *a.put(DATA))
        frames = list(capfile.read(path))
        part = self.path("half.pcap")
        capfile.write_pcap(part, 1, frames[1:4] + frames[5:])
        self.assertEqual([(o["name"], o.get("status"), o["complete"]) for o in self.operations(part)], [("PUT", "error -5", True), ("PUT", "success", True)])

    def test_data_captured_after_a_later_message(self):
        """The last WRITE of a PUT, captured after the beginning of a message that its sender sent after it, and that responds to nothing."""
        for kind in (lnet.PUT, lnet.REPLY):
            a, b = self.scene("><")
            pieces, mine, its = [(0x1000, 2900), (0x9000, 172)], a.new_cookie(), b.new_cookie()
            front = [a.send(lnet.PUT_REQ, a.header(lnet.PUT, len(DATA)) + mine), b.send(lnet.PUT_ACK, mine + its + b.descriptor(8, pieces))]
            *writes, last, ack = a.moved(a, 8, pieces, DATA)
            first, *rest = a.immediate(kind, DATA[:2000], handle=5)
            path = self.captured(*front, writes, [first, last], rest, [ack], a.done(lnet.PUT_DONE, its, 0))
            one = self.operations(path)[0]
            self.assertEqual((one["name"], one["status"], one["data_bytes"], one["complete"], one["missing"]), ("PUT", "success", 3072, True, []), kind)

    def test_an_ack_before_cut_data_is_final(self):
        """The bytes that were captured of a PUT's data count, also if LNet's ACK follows it at once."""
        a, b = self.scene("<>")
        put = a.put(DATA, handle=7)
        path = self.captured(*put, b.immediate(lnet.ACK, length=3072, handle=7))
        frames = list(capfile.read(path))
        part = self.path("cut.pcap")
        capfile.write_pcap(part, 1, [(time, data[:200], length) for time, data, length in frames])
        one, = self.operations(part)
        missing = sum(hole["length"] for hole in one["missing"])
        self.assertEqual((one["status"], one["acknowledged_bytes"], one["complete"], {hole["reason"] for hole in one["missing"]}),
                         ("acknowledged", 3072, False, {"snapped"}))
        self.assertGreater(one["data_bytes"], 900)
        self.assertEqual(one["data_bytes"] + missing, 3072)

    def test_empty_data(self):
        a, b = self.scene()
        found = self.operations(self.captured(a.immediate(lnet.PUT, b""), a.immediate(lnet.PUT, b"", handle=1), b.immediate(lnet.ACK, length=0, handle=1),
                                              a.immediate(lnet.GET, length=9, handle=2), b.immediate(lnet.REPLY, b"", handle=2)))
        self.assertEqual([(o["lnet_type"], o["data_bytes"], o["carried"], o["complete"]) for o in found],
                         [("PUT", 0, "none", True), ("PUT", 0, "none", True), ("GET", 0, "none", True)])

    def test_descriptors_that_the_capture_cut(self):
        """Without all descriptors of a PUT_ACK it is unknown how much data was written."""
        pieces = [(0x1000, 1500), (0x9000, 1572)]
        for cut, named in ((48 + 16 + 8 + 24, 3072), (48 + 16 + 8 + 23, 1500), (48 + 16 + 8 + 12, 1500), (48 + 16 + 8, 0), (48 + 16 + 4, None)):
            a, b = self.scene("<>")
            rows = a.put(DATA, pieces)
            path = self.captured(*rows)
            frames = list(capfile.read(path))
            place = 3 + len(rows[0])
            frames[place] = (frames[place][0], frames[place][1][:14 + 20 + 8 + 12 + cut], frames[place][2])
            part = self.path("cut.pcap")
            capfile.write_pcap(part, 1, frames)
            one = self.operations(part)[0]
            if named is None:
                self.assertFalse(one["complete"], cut)
                continue
            self.assertEqual((one["complete"], one["data_bytes"], one["missing"]),
                             (True, 3072, []) if named == 3072 else (False, named, [{"in": "write", "offset": named, "reason": "snapped"}]), cut)

    def test_every_lost_packet(self):
        a, b = self.scene()
        path = self.captured(*a.put(DATA), *b.get(DATA[:2000]), a.immediate(lnet.PUT, b"request"))
        frames = list(capfile.read(path))
        for lost in range(3, len(frames)):
            part = self.path("lossy.pcap")
            capfile.write_pcap(part, 1, frames[:lost] + frames[lost + 1:])
            for one in self.operations(part):
                if one["complete"] and one["name"] != "IMMEDIATE":
                    self.assertEqual(one["data_bytes"], one["length"], (lost, one))
                self.assertLessEqual(one.get("data_bytes", 0), 3072)


class Fields(Lnet):
    def fields(self, capture, show, *names):
        return [line.split("\t") for line in self.lines("-r", capture, "-Y", show, "-T", "fields", *(part for name in names for part in ("-e", name)))]

    def test_both_orders_have_the_same_values(self):
        names = ("lnet.type", "lnet.nob", "lnet.credits", "lnet.src", "lnet.dst", "lnet.hdr.src", "lnet.hdr.type", "lnet.hdr.ptl_index", "lnet.status", "lnet.rd.key",
                 "lnet.rd.nob", "lnet.rd.addr", "lnet.cksum.status")
        seen = []
        for orders in ORDERS:
            a, b = self.scene(orders, sums=True)
            seen.append(self.fields(self.captured(*a.put(DATA), *b.get(DATA[:2000], [(0x1000, 1200), (0x9000, 800)])), "lnet.nob && !infiniband.mad", *names))
        self.assertEqual(len(seen[0]), 5)
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])
        self.assertEqual(seen[0], seen[3])
        self.assertEqual(seen[0][0][3:6], ["10.0.0.2@o2ib", "10.0.0.1@o2ib1", "10.0.0.2@o2ib"])
        self.assertTrue(all(row[-1] == "good" for row in seen[0]))
        self.assertEqual(seen[0][3][10:12], ["1200,800", "0x0000000000001000,0x0000000000009000"])

    def test_canon_is_without_the_order(self):
        """The two captures of testdata differ only in the byte order of one end: canon has the private data of both, and the messages."""
        captures = [os.path.join(TESTDATA, name) for name in ("conn_lnet.pcap", "conn_lnet-big.pcap")]
        self.assertNotEqual(*(open(path, "rb").read() for path in captures))
        self.assertEqual(*(self.lines("canon", "--level", "packets", path) for path in captures))

    def test_checksums(self):
        a, b = self.scene(sums=True)
        body = bytearray(a.unit(lnet.NOOP, credits=1))
        body[20] ^= 1
        capture = self.captured(self.last.connections[0].send("a", 0, data=bytes(body)), a.noop(2))
        self.assertEqual(self.fields(capture, "lnet.nob && !infiniband.mad", "lnet.cksum.status"), [["bad"], ["good"]])

    def test_private_data(self):
        for orders in ORDERS:
            a, b = self.scene(orders)
            self.assertEqual(self.fields(self.captured(a.noop(1)), "infiniband.mad && lnet.conn.queue_depth", "lnet.type", "lnet.conn.queue_depth", "lnet.conn.max_frags",
                                         "lnet.conn.max_msg_size"), [["0xc0", "8", "256", "4096"], ["0xc1", "8", "256", "4096"]])
            self.last = Scene("lnet", "")
            talk = self.last.connection(port=lnet.PORT)
            lnet.establish(talk, *lnet.pair(talk, orders), reject=5)
            self.assertEqual(self.fields(self.captured(), "lnet.rej.why", "lnet.rej.why", "lnet.conn.queue_depth"), [["5", "8"]])

    def test_recognised_by_two_signs(self):
        for orders in ("<<", ">>"):
            a, _ = self.scene(orders, cm=False)
            good = a.unit(lnet.NOOP)
            for body, is_lnet in ((good, True), (good + b"x", False), (b"\0" + good[1:], False), (good[:6] + b"\x10" + good[7:], False),
                                  (a.unit(lnet.IMMEDIATE), False)):
                self.scene(orders, cm=False)
                capture = self.captured(Connection(self.last).send("a", 0, data=body))
                with self.subTest(body=body):
                    self.assertEqual(len(self.lines("-r", capture, "-Y", "lnet.nob")), int(is_lnet))
                    self.assertEqual(len(self.lines("-r", capture, "--no-heuristics", "-Y", "lnet.nob")), 0)

    def test_declared(self):
        a, _ = self.scene(cm=False)
        capture = self.captured(a.noop(1))
        self.assertEqual(len(self.lines("-r", capture, "--no-heuristics", "--decode-as", "qp=0x22,lnet", "-Y", "lnet.nob")), 1)
