# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap check: legal sessions of NVMe, SRP, iSER and RPC-over-RDMA that resemble violations, and violations beside them."""
import struct
import unittest

import capfile
import check_captures
import check_rpcrdma
import check_storage
import nvme
import rpcrdma
import scsi
from iwarp_scene import Connection
from test_check import Broken

TASK, NOP, TEXT, LOGOUT, TASK_RESPONSE, LOGOUT_RESPONSE, ASYNC, REJECT = 0x02, 0x00, 0x04, 0x06, 0x22, 0x26, 0x32, 0x3f


class Upper(Broken):
    def rules_of(self, talk):
        path = self.path("session.pcap")
        talk.write_capture(path)
        return {rule: [row["frame"] for row in rows] for rule, rows in self.broken(path)[1].items()}

    def late(self, talk, make):
        """What `make` sends is put into the capture after what is sent next."""
        begin = len(talk.scene.frames)
        make()
        frames = talk.scene.frames[begin:]
        del talk.scene.frames[begin:]
        return frames


class Storage(Upper):
    def test_tags_of_aborted_commands_are_used_again(self):
        """SAM-5, 7.2: an aborted command has no response."""
        talk = check_storage.Srp()
        talk.command(7)
        for packets in talk.srp.task(1, 0):
            talk.scene.put(packets)
        for _ in range(3):
            talk.command(7)
            talk.respond(7)
        self.assertEqual(self.rules_of(talk), {})

    def test_ids_and_limits_in_directions_that_were_captured_in_another_order(self):
        """The response that frees the id, or raises the limit, was captured after the request that was sent for it."""
        def srp():
            talk = check_storage.Srp()
            talk.command(7)
            return talk, lambda i: talk.command(i % 2), lambda i: talk.respond(i % 2)

        def iser():
            talk = check_storage.Iser()
            return talk, lambda i: talk.command(5 + i), lambda i: talk.respond(6 + i)

        def rpc():
            talk = check_rpcrdma.Nfs()
            return talk, lambda i: talk.call(xid=i), lambda i: talk.reply(i, credits=1 + i)

        def smb():
            talk = check_storage.Smb()
            return talk, lambda i: talk.transfer("a", granted=4), lambda i: talk.transfer("b", granted=1 if i else 0)

        for begin in srp, iser, rpc, smb:
            talk, request, respond = begin()
            request(0)
            respond(0)
            request(1)
            for i in range(1, 12):
                response = self.late(talk, lambda: respond(i))
                request(i + 1)
                talk.scene.frames.insert(-1, response[0])  # before the acknowledgement of the request
                talk.scene.frames += response[1:]
            with self.subTest(begin=begin.__name__):
                self.assertEqual(self.rules_of(talk), {})

    def test_all_pdus_of_the_target_open_the_window(self):
        """RFC 7143, 11.6, 11.9, 11.15, 11.17: their MaxCmdSN is at byte 32."""
        for opcode in TASK_RESPONSE, LOGOUT_RESPONSE, ASYNC, REJECT:
            talk = check_storage.Iser()
            talk.command(5)
            talk.respond(6)
            talk.pdu("b", opcode, (0, 1, 7, 7, 0, 0, 0))
            talk.command(6)
            talk.command(7)
            talk.respond(9)
            self.assertEqual(self.rules_of(talk), {}, opcode)

    def test_all_requests_that_are_not_immediate_are_numbered(self):
        """RFC 7143, 4.2.2.1."""
        for opcode in TASK, NOP, TEXT, LOGOUT:
            for number, rule in ((7, "iscsi-window"), (5, "iscsi-order")):
                for immediate in 0, 0x40:
                    talk = check_storage.Iser()
                    talk.command(5)
                    talk.respond(6)
                    talk.pdu("a", opcode | immediate, (0, number, 0, 0, 0, 0, 0))
                    talk.respond(8)
                    self.assertEqual(set(self.rules_of(talk)), set() if immediate else {rule}, (opcode, number))

    def test_a_lower_window_is_ignored(self):
        """RFC 7143, 4.2.2.1. After a gap the highest one is not known."""
        talk = check_storage.Iser()
        talk.command(5)
        lost = self.late(talk, lambda: talk.respond(9))
        talk.respond(6)
        talk.respond(6)
        for number in range(6, 10):
            talk.command(number)
        talk.respond(12)
        self.assertEqual((self.rules_of(talk), bool(lost)), ({}, True))

    def test_the_descriptors_of_fabrics_commands(self):
        """NVMe Base 2.0, 6.3, 6.5, 6.6: Property Get and Set have none, and the field is reserved."""
        address = struct.pack("<QI4x", 0x1000, 1024)
        for kind, sgl, is_broken in ((4, address, False), (0, bytes(16), False), (5, address, True), (6, nvme.keyed(1, 16, 5, 0x43), True),
                                     (5, nvme.in_capsule(16), False), (6, nvme.keyed(1, 16, 5), False)):
            talk = check_storage.Nvme().warm()
            talk.say("a", struct.pack("<BBHB19x", 0x7f, 0, 1, kind) + sgl + bytes(24))
            talk.respond(1)
            self.assertEqual(set(self.rules_of(talk)), {"nvme-sgl"} if is_broken else set(), (kind, sgl))

    def test_the_size_of_a_queue_by_its_connect(self):
        """On a port whose private data is not known; NVMe Base 2.0, 6.3: SQSIZE counts from 0."""
        for commands, head, wanted in ((4, 3, set()), (5, 3, {"nvme-queue"}), (4, 4, {"nvme-head"})):
            for port in 4420, 4421:
                talk = check_captures.Talk(port=port)
                talk.say("a", nvme.connect(0, 1, 3) + nvme.connect_data())
                talk.say("b", nvme.response(0))
                for cid in range(commands):
                    talk.say("a", nvme.command(nvme.FLUSH, cid, 1))
                for cid in range(commands):
                    talk.say("b", nvme.response(cid, head=head))
                self.assertEqual(set(self.rules_of(talk)), wanted, (commands, port))

    def test_a_packet_that_came_again_hides_nothing(self):
        talk = check_storage.Nvme().warm()
        talk.flush(1)
        talk.respond(1)
        talk.scene.pause(5)
        talk.scene.frames.append((talk.scene.time, *talk.scene.frames[-2][1:]))
        talk.scene.time += 10000
        talk.scene.frames.append((talk.scene.time, *talk.scene.frames[-2][1:]))
        talk.respond(2)
        for cid in range(3, 7):
            talk.flush(cid)
            talk.respond(cid)
        self.assertEqual(set(self.rules_of(talk)), {"nvme-response"})

    def test_a_command_that_was_not_recognised(self):
        """The setup was truncated, so that the first command is not known to be one."""
        talk = check_storage.Srp()
        for tag in range(7):
            talk.command(tag)
        talk.scene.put(*talk.srp.out(scsi.cdb10(0x2a, 0, 1), bytes(512)))
        for tag in range(7):
            talk.respond(tag)
        for tag in range(20, 26):
            talk.command(tag)
            talk.respond(tag)
        path = self.path("unknown.pcap")
        talk.write_capture(path)
        capfile.write_pcap(path, 1, [(at, data[:256], wire) for at, _, data, wire in list(capfile.timed(path))])
        self.assertEqual([rule for rule in self.broken(path)[1] if rule.startswith("srp")], [])

    def test_commands_for_which_a_packet_has_no_room(self):
        talk = Connection(4420, together=4000)
        sent = []
        for cid in range(40):
            talk.streams["a"].say(nvme.command(nvme.FLUSH, cid, 1) if cid else nvme.connect(0, 1) + nvme.connect_data(), None)
            sent.append(cid)
        talk.flush("a")
        for cid in sent:
            talk.put(("b", "say", (nvme.response(cid, head=cid % 32), None)))
        for cid in range(5):
            talk.put(("a", "say", (nvme.command(nvme.FLUSH, cid, 1), None)))
            talk.put(("b", "say", (nvme.response(cid, head=cid), None)))
        self.assertEqual(self.rules_of(talk), {})


class RpcRdma(Upper):
    def test_a_header_with_more_segments_than_are_kept(self):
        """RFC 8166, 4.3: a list has any number; the last one completes the length."""
        for count in 24, 25, 60:
            lengths = [101] * (count - 1) + [4 * 101 * count - 101 * (count - 1)]
            talk = check_rpcrdma.Nfs(a=check_rpcrdma.private(send=3), b=check_rpcrdma.private(receive=3)).warm()
            xid = talk.call(kind=rpcrdma.NOMSG, reads=[(0, i, length, i << 20) for i, length in enumerate(lengths)])
            talk.reply(xid)
            self.assertEqual(self.rules_of(talk), {}, count)

    def test_a_long_call_that_was_truncated(self):
        talk = check_rpcrdma.Nfs().warm()
        begin = len(talk.scene.frames)
        talk.call(kind=rpcrdma.NOMSG, reads=[(0, 5, 1001, 0), (0, 6, 3, 0)])
        path = self.path("cut.pcap")
        talk.write_capture(path)
        frames = [(at, data[:len(data) - 40] if number == begin else data, wire) for number, (at, _, data, wire) in enumerate(capfile.timed(path))]
        capfile.write_pcap(path, 1, frames)
        self.assertEqual(self.broken(path), (0, {}))

    def test_the_versions_of_a_refusal(self):
        """RFC 8166, 4.5: the header has the version that is refused."""
        for low, high, wanted in ((1, 1, {"rpcrdma-version"}), (1, 2, {"rpcrdma-version", "rpcrdma-error-versions"})):
            talk = check_rpcrdma.Nfs().warm()
            talk.error("b", talk.call(version=2), 1, low, high, version=2)
            self.assertEqual(set(self.rules_of(talk)), wanted)

    def test_the_values_of_an_error(self):
        """RFC 8166, 4.5: codes are 1 and 2; low and high may be 0, but then 0 is supported."""
        for words, wanted in (((0,), "rpcrdma-error-code"), ((0x01000000,), "rpcrdma-error-code"), ((1, 3, 0), "rpcrdma-error-versions")):
            talk = check_rpcrdma.Nfs().warm()
            talk.error("b", talk.call(), *words)
            self.assertEqual(set(self.rules_of(talk)), {wanted}, words)

    def test_a_call_that_is_sent_again(self):
        """The new one has other keys; which of the calls a reply answers is not known, and both may be answered."""
        talk = check_rpcrdma.Nfs().warm()
        lists = [{"writes": [[(key, 1000, key << 20)]]} for key in (5, 6)]
        xid = talk.call(**lists[0])
        talk.call(xid=xid, **lists[1])
        for each in lists:
            talk.reply(xid, **each)
        self.assertEqual(set(self.rules_of(talk)), {"rpcrdma-duplicate-xid"})

    def test_all_of_a_segment_is_returned(self):
        """RFC 8166, 3.4.6: the responder copies the segments and updates the lengths."""
        for handle, length, offset, is_broken in ((5, 0, 1 << 40, False), (5, 1000, 1 << 40, False), (6, 0, 1 << 40, True), (5, 0, 1 << 41, True)):
            for kind, rule in ("writes", "rpcrdma-write-copy"), ("reply", "rpcrdma-reply-copy"):
                talk = check_rpcrdma.Nfs().warm()
                chunks = [[each] if kind == "writes" else each for each in ([(5, 1000, 1 << 40)], [(handle, length, offset)])]
                talk.reply(talk.call(**{kind: chunks[0]}), **{kind: chunks[1]})
                self.assertEqual(set(self.rules_of(talk)), {rule} if is_broken else set())

    def test_lists_with_other_discriminators(self):
        """XDR, RFC 4506, 4.19: an item is preceded by 1. What follows is not read."""
        for at in range(3):
            talk = check_rpcrdma.Nfs().warm()
            words = [0, 0, 0]
            words[at] = 5
            talk.say("a", rpcrdma.header(0x200, rpcrdma.MSG, struct.pack(">3I", *words) + rpcrdma.call(0x200, 100003, 3, 1).data).data)
            self.assertEqual(set(self.rules_of(talk)), {"rpcrdma-chunk-list"}, at)

    def test_a_reverse_call_that_was_captured_before_the_call_of_the_client(self):
        talk = check_rpcrdma.Nfs()
        first = self.late(talk, talk.call)
        talk.call(sender="b", xid=1)
        talk.scene.frames.insert(-1, first[0])
        talk.warm()
        self.assertEqual(self.rules_of(talk), {})

    def test_the_error_of_a_requester_whose_peer_was_not_captured(self):
        """Both ends may use the same XID: it may refuse a call of the other direction."""
        talk = check_rpcrdma.Nfs().warm()
        talk.error("a", talk.call(), 2)
        self.assertEqual(self.rules_of(talk), {})

    def test_the_error_to_a_call_of_an_unknown_kind(self):
        """RFC 8167, 2.4.1: both directions may use the same XID at the same time, so it may be no reply to the call of the other end with this XID."""
        for options, wanted in (({"version": 2}, {"rpcrdma-version"}), ({"kind": 7}, {"rpcrdma-type"})):
            for is_answered in (False, True):
                talk = check_rpcrdma.Nfs().warm()
                xid = talk.call(sender="b")
                if is_answered:
                    talk.say("a", rpcrdma.header(xid, rpcrdma.MSG, rpcrdma.lists()[0] + rpcrdma.accepted(xid).data).data)
                talk.call(xid=xid, **options)
                talk.error("b", xid, 2)
                self.assertEqual(set(self.rules_of(talk)), wanted, (options, is_answered))


if __name__ == "__main__":
    unittest.main()
