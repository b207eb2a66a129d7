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
        # what pairs the two queue pairs
        self.request(0x04, 100, b"hello")
        self.acknowledge(100)

    def put(self, from_a, packet, after):
        self.time += after * US
        ends = {"src": "10.0.0.1", "dst": "10.0.0.2"} if from_a else {"src": "10.0.0.2", "dst": "10.0.0.1"}
        data = net.ethernet(net.roce_v2(packet, 4, ident=0, **ends)).data
        self.frames.append((self.time, data, len(data)))
        return len(self.frames)

    def request(self, opcode, psn, payload=b"", after=10, **values):
        return self.put(True, ib.transport(opcode, payload=payload, destqp=0x22, psn=psn, **values), after)

    def read(self, psn):
        return self.request(0x0c, psn, dmalen=len(DATA))

    def acknowledge(self, psn, msn=1):
        return self.put(False, ib.transport(0x11, destqp=0x11, psn=psn, msn=msn), 10)

    def response(self, opcode, psn, part, after=1):
        return self.put(False, ib.transport(opcode, payload=DATA[part * PMTU:][:PMTU], destqp=0x11, psn=psn + part, msn=2), after)

    def messages(self):
        path = self.path("some.pcap")
        write_pcap(path, 1, self.frames)
        return [json.loads(line) for line in self.lines("messages", "--json", "--checksum", path)][1:]

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
