# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""READs that are requested again, and SENDs that are acknowledged in parts, in captures that lack some of the packets that show it."""
import json
import zlib

import ib
import net
from capfile import write_pcap
from cli import CliTest

PMTU, US = 256, 1000
FIRST, MIDDLE, LAST, ONLY = 0x0d, 0x0e, 0x0f, 0x10  # READ responses
DATA = bytes(i * 7 & 0xff for i in range(4 * PMTU - 100))


class Restarts(CliTest):
    def setUp(self):
        super().setUp()
        self.frames, self.time = [], 1700000000 * 10**9
        self.idents = None  # of the next packet of each end; None: they do not count
        # what pairs the two queue pairs
        self.request(0x04, 100, b"hello")
        self.acknowledge(100)

    def put(self, from_a, packet, after):
        self.time += after * US
        ends = {"src": "10.0.0.1", "dst": "10.0.0.2"} if from_a else {"src": "10.0.0.2", "dst": "10.0.0.1"}
        ident = 0
        if self.idents:
            ident, self.idents[from_a] = self.idents[from_a], self.idents[from_a] + 1
        data = net.ethernet(net.roce_v2(packet, 4, ident=ident, **ends)).data
        self.frames.append((self.time, data, len(data)))
        return len(self.frames)

    def anew(self):
        """Without what pairs the two queue pairs and shows the MSN."""
        self.frames = []

    def request(self, opcode, psn, payload=b"", after=10, **values):
        return self.put(True, ib.transport(opcode, payload=payload, destqp=0x22, psn=psn, **values), after)

    def read(self, psn):
        return self.request(0x0c, psn, va=0x1000, r_key=7, dmalen=len(DATA))

    def rest(self, psn, part):
        return self.request(0x0c, psn + part, va=0x1000 + part * PMTU, r_key=7, dmalen=len(DATA) - part * PMTU)

    def acknowledge(self, psn, msn=1):
        return self.put(False, ib.transport(0x11, destqp=0x11, psn=psn, msn=msn), 10)

    def response(self, opcode, psn, part, after=1):
        return self.put(False, ib.transport(opcode, payload=DATA[part * PMTU:][:PMTU], destqp=0x11, psn=psn + part, msn=2), after)

    def messages(self):
        path = self.path("some.pcap")
        write_pcap(path, 1, self.frames)
        found = [json.loads(line) for line in self.lines("messages", "--json", "--checksum", path)]
        return [message for message in found if message["psn"] != 100]

    def test_an_acknowledgement_of_packets_not_captured_does_not_end_a_send(self):
        self.request(0x00, 101, bytes(PMTU))
        self.acknowledge(102)
        self.request(0x01, 103, bytes(PMTU))
        self.request(0x02, 104, bytes(9))
        last = self.acknowledge(104, 2)
        send, = self.messages()
        self.assertEqual((send["status"], send["answered_in"], send["latency"]), ("good", last, 40e-6))
        self.assertEqual(send["missing"], [{"offset": PMTU, "length": PMTU, "reason": "not_captured"}])

    def test_such_a_send_waits_for_an_acknowledgement(self):
        self.request(0x00, 101, bytes(PMTU))
        self.acknowledge(102)
        self.request(0x01, 103, bytes(PMTU))
        send, = self.messages()
        self.assertEqual((send["status"], send.get("answered_in"), send.get("latency")), ("unanswered", None, None))

    def test_an_only_after_a_middle_belongs_to_its_read(self):
        # neither the request nor that for the fourth packet was captured
        for opcode, part in ((FIRST, 0), (MIDDLE, 1), (MIDDLE, 2)):
            self.response(opcode, 101, part)
        last = self.response(ONLY, 101, 3, after=30)
        read, = self.messages()
        self.assertEqual((read["psn"], read["last_frame"], read["frames"], read["length"]), (101, last, 4, len(DATA)))

    def test_a_first_after_a_last_begins_a_read(self):
        for psn in (101, 105):
            for opcode, part in ((FIRST, 0), (MIDDLE, 1), (MIDDLE, 2), (LAST, 3)):
                self.response(opcode, psn, part)
        self.assertEqual([(m["psn"], m["frames"], m["length"]) for m in self.messages()], [(101, 4, len(DATA)), (105, 4, len(DATA))])

    def test_a_last_before_the_request_belongs_to_it_when_the_path_mtu_is_known(self):
        self.response(LAST, 101, 3)
        self.read(101)
        for opcode, part in ((FIRST, 0), (MIDDLE, 1), (MIDDLE, 2), (LAST, 3)):
            self.response(opcode, 101, part)
        read, = self.messages()
        self.assertEqual((read["complete"], read.get("crc32"), read["status"]), (True, "%08x" % zlib.crc32(DATA), "good"))
        self.assertNotIn("latency", read)

    def check_begin_unknown(self, psn, last):
        """One READ, all of whose bytes were captured, but not where it begins."""
        read = self.messages()[0]
        self.assertEqual((read["psn"], read["length"], read["complete"], read["missing"], read["status"]),
                         (psn, len(DATA), False, [{"offset": 0, "reason": "not_captured"}], "good"))
        self.assertEqual((read["r_key"], int(read["virtual_address"], 16), read["last_frame"]), (7, 0x1000, last))
        self.assertNotIn("answered_in", read)

    def test_a_request_after_a_first_is_for_the_rest(self):
        # the READ's own request was not captured; its second packet was lost
        self.response(FIRST, 101, 0)
        self.rest(101, 1)
        for opcode, part in ((FIRST, 1), (MIDDLE, 2)):
            self.response(opcode, 101, part)
        self.check_begin_unknown(101, self.response(LAST, 101, 3))

    def test_a_request_after_a_first_is_for_the_rest_when_the_first_waited_for_it(self):
        self.anew()
        self.response(FIRST, 101, 0)
        self.response(LAST, 101, 3)
        self.response(ONLY, 102, 3)
        self.rest(101, 1)
        self.request(0x0c, 105, va=0x5000, r_key=7, dmalen=len(DATA) - 3 * PMTU)
        self.response(FIRST, 101, 1)
        self.check_begin_unknown(101, self.response(MIDDLE, 101, 2))

    def test_a_request_after_a_middle_is_for_the_rest_when_the_middle_waited_for_it(self):
        self.anew()
        for opcode, part in ((FIRST, 0), (MIDDLE, 1), (LAST, 3)):
            self.response(opcode, 101, part)
        self.rest(101, 2)
        last = self.response(FIRST, 101, 2)
        self.response(LAST, 101, 3)
        self.check_begin_unknown(101, last)

    def check_rest(self):
        """The last two packets of a READ, requested as the rest of it: what precedes them is unknown, and so is whether they are all of a READ."""
        self.rest(101, 2)
        for opcode, part in ((FIRST, 2), (LAST, 3)):
            self.response(opcode, 101, part)
        read, = (message for message in self.messages() if message["psn"] == 103)
        self.assertEqual((read["length"], read["complete"], read["missing"], read["status"]),
                         (len(DATA) - 2 * PMTU, False, [{"offset": 0, "reason": "not_captured"}], "good"))

    def test_what_is_requested_late_may_be_the_rest_of_a_read(self):
        self.request(0x0c, 105, va=0x5000, r_key=7, dmalen=9)
        self.check_rest()

    def test_what_is_requested_after_a_first_may_be_the_rest_of_its_read(self):
        # the packet in between can be the Last of that READ
        self.response(FIRST, 101, 0)
        self.check_rest()

    def test_what_is_requested_after_a_response_to_it_may_be_the_rest_of_a_read(self):
        for first in (FIRST, MIDDLE):
            with self.subTest(first):
                self.anew()
                self.request(0x04, 100, b"hello")
                self.acknowledge(100)
                self.response(first, 101, 2)
                self.check_rest()

    def test_what_is_requested_after_a_response_that_waited_may_be_the_rest_of_a_read(self):
        self.anew()
        self.response(LAST, 101, 3)
        self.check_rest()

    def test_a_read_captured_late_is_one_of_its_own_after_the_end_of_another(self):
        self.request(0x0c, 105, va=0x5000, r_key=7, dmalen=9)
        self.read(101)
        for opcode, part in ((FIRST, 0), (MIDDLE, 1), (MIDDLE, 2), (LAST, 3)):
            self.response(opcode, 101, part)
        read, = (message for message in self.messages() if message["psn"] == 101)
        self.assertEqual((read["complete"], read.get("crc32")), (True, "%08x" % zlib.crc32(DATA)))

    def test_a_request_answered_by_a_middle_is_for_the_rest(self):
        # as soft-RoCE answers one
        self.response(FIRST, 101, 0)
        self.rest(101, 2)
        for opcode, part in ((MIDDLE, 2), (MIDDLE, 1)):
            self.response(opcode, 101, part)
        self.check_begin_unknown(101, self.response(LAST, 101, 3))

    def test_a_request_answered_by_a_middle_does_not_begin_a_read(self):
        self.rest(101, 1)
        for opcode, part in ((MIDDLE, 1), (MIDDLE, 2), (LAST, 3)):
            self.response(opcode, 101, part)
        read, = self.messages()
        self.assertEqual((read["complete"], read["missing"]), (False, [{"offset": 0, "reason": "not_captured"}]))

    def test_a_read_after_one_without_a_captured_request_is_another(self):
        for opcode, part in ((FIRST, 0), (MIDDLE, 1), (MIDDLE, 2), (LAST, 3)):
            self.response(opcode, 101, part)
        self.read(105)
        for opcode, part in ((FIRST, 0), (MIDDLE, 1), (MIDDLE, 2), (LAST, 3)):
            self.response(opcode, 105, part)
        self.assertEqual([(m["psn"], m["complete"]) for m in self.messages()], [(101, False), (105, True)])

    def test_a_first_in_a_read_begins_an_answer_that_lasts_to_its_end(self):
        # the request for the rest was not captured
        self.read(101)
        for opcode, part in ((FIRST, 0), (MIDDLE, 1), (LAST, 3)):
            self.response(opcode, 101, part)
        self.response(FIRST, 101, 2, after=2000)
        last = self.response(LAST, 101, 3)
        read, = self.messages()
        self.assertEqual((read["complete"], read["status"], read["answered_in"]), (True, "good", last))

    def test_a_first_sent_after_the_rest_begins_the_answer_anew(self):
        # the first First and the second request were not captured
        self.idents = [1, 1]
        self.read(101)
        for opcode, part in ((MIDDLE, 1), (MIDDLE, 2), (LAST, 3), (FIRST, 0), (MIDDLE, 1), (MIDDLE, 2)):
            self.response(opcode, 101, part)
        last = self.response(LAST, 101, 3)
        read, = self.messages()
        self.assertEqual((read["complete"], read["status"], read["answered_in"]), (True, "good", last))

    def test_a_first_captured_after_the_rest_does_not(self):
        self.idents = [2, 1]
        self.read(101)
        for opcode, part in ((MIDDLE, 1), (MIDDLE, 2), (LAST, 3)):
            self.response(opcode, 101, part)
        self.idents[0] = 1
        first = self.response(FIRST, 101, 0)
        read, = self.messages()
        self.assertEqual((read["complete"], read["status"], read["answered_in"]), (True, "good", first))

    def test_an_acknowledgement_counts_the_send_whose_end_was_not_captured(self):
        self.request(0x00, 101, bytes(PMTU))
        for psn, msn in ((102, 1), (103, 1)):
            self.acknowledge(psn, msn)
        self.request(0x01, 104, bytes(PMTU))
        self.request(0x02, 105, bytes(9))
        last = self.acknowledge(105, 2)
        send, = self.messages()
        self.assertEqual((send["first_frame"], send["length"], send["answered_in"]), (3, 4 * PMTU + 9, last))
        self.assertEqual(send["missing"], [{"offset": PMTU, "length": 2 * PMTU, "reason": "not_captured"}])

    def test_an_acknowledgement_that_counts_a_send_ends_it(self):
        self.request(0x04, 101, b"hello")
        self.request(0x00, 102, bytes(PMTU))
        self.acknowledge(103, 2)
        last = self.acknowledge(104, 3)
        self.request(0x04, 106, b"hello")
        self.acknowledge(106, 5)
        send, = (message for message in self.messages() if message["psn"] == 102)
        self.assertEqual((send["status"], send["answered_in"]), ("good", last))

    def test_which_acknowledgement_ends_a_send_is_unknown_without_an_msn_before(self):
        self.anew()
        self.request(0x00, 200, bytes(PMTU), a=1)
        self.acknowledge(202, 9)
        self.request(0x04, 204, b"hello", a=1)
        self.acknowledge(204, 10)
        send = self.messages()[0]
        self.assertEqual((send["psn"], send["status"], send.get("answered_in"), send.get("latency")), (200, "good", None, None))
