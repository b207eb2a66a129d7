# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap check: a crafted capture for each rule violates it and no other; real captures violate none."""
import json
import os
import re
import struct
import unittest

import capfile
import check_captures
import check_iwarp  # registers its rules
import check_rpcrdma  # likewise
import check_storage  # likewise
import handshake
import ib
import mpa
import nvme
import rpcrdma
import smb
from cli import CliTest, TESTDATA, read
from conversation import Packet, Scene


REAL = ("iwarp-", "roce-", "ends/", "mad-")
# Violations by the implementations in the captures (doc/check.md), by the beginning of the name
KNOWN = {"roce-": {"rpcrdma-invalidate"}, "ends/": {"rpcrdma-invalidate", "mpa-pad", "mpa-first"},
         "iwarp-": {"rpcrdma-invalidate", "mpa-pad", "mpa-first", "mpa-reserved", "mpa-length", "rdmap-terminate-layout"}}


def real_captures():
    """Captures of testdata that testdata/README.md does not list as crafted."""
    crafted = set()
    for line in read(os.path.join(TESTDATA, "README.md")).decode().splitlines():
        if line.startswith("| ") and ("generate/" in line or "crafted" in line):
            crafted.update(re.findall(r"[\w./-]+\.pcap(?:ng)?(?:\.gz)?", line.split(" | ")[0]))
    for folder, _, files in os.walk(TESTDATA):
        for name in sorted(files):
            if name.endswith((".pcap", ".pcapng", ".gz")) and name not in crafted:
                yield os.path.relpath(os.path.join(folder, name), TESTDATA)


assert check_iwarp and check_rpcrdma and check_storage


class Broken(CliTest):
    def broken(self, *arguments):
        """Exit status and violations by rule."""
        done = self.run_program("check", "--json", "--severity", "note", *arguments)
        found = {}
        for line in done.stdout.decode().splitlines():
            found.setdefault(json.loads(line)["rule"], []).append(json.loads(line))
        return done.returncode, found


class Rules(Broken):
    def rules(self):
        return [json.loads(line) for line in self.lines("check", "--list", "--json")]

    def test_each_rule_is_broken_by_its_capture_and_by_no_other_one(self):
        self.assertEqual({rule["rule"] for rule in self.rules()}, set(check_captures.RULES))
        for rule in check_captures.RULES:
            with self.subTest(rule=rule):
                path = self.path("broken.pcap")
                wanted = check_captures.make(rule, path)
                status, found = self.broken(path)
                self.assertEqual((status, set(found)), (1, wanted))

    def test_repeated_segments_of_tcp_hide_no_violation(self):
        """A segment that repeats captured bytes changes nothing: neither the order nor the number of what was sent."""
        for rule in check_captures.RULES:
            if not rule.startswith(("mpa-", "ddp-", "rdmap-")):
                continue
            path = self.path("broken.pcap")
            wanted = check_captures.make(rule, path)
            frames = list(capfile.read(path))
            for at in 4, 5:
                again = [(time + 10 ** 7 * (number > at), *rest) for number, (time, *rest) in enumerate(frames)]
                again.insert(at + 1, (frames[at][0] + 5 * 10 ** 6, *frames[at][1:]))
                capfile.write_pcap(path, 1, again)
                self.assertEqual(set(self.broken(path)[1]), wanted, (rule, at))

    def test_a_pad_behind_markers(self):
        """RFC 5044, 4.3: the first FPDU after the setup begins with a marker."""
        for change in 0, 1:
            talk = check_iwarp.Iwarp(check_iwarp.setup(False, 0x80), check_iwarp.setup(True, 0x80))
            stream = mpa.Stream(True, False)
            stream.add(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, 1, 0), bytes(603), [], {})
            data = bytearray(stream.data)
            data[-5] = change
            talk.frame("a", check_iwarp.PSH | check_iwarp.ACK, bytes(data))
            path = self.path("pad.pcap")
            talk.write_capture(path)
            self.assertEqual(set(self.broken(path)[1]), {"mpa-pad"} if change else set())

    def test_a_marker_that_points_elsewhere(self):
        """RFC 5044, 4.3: FPDUPTR counts the bytes from ULPDU_Length on. The CRC, which includes the marker, is right."""
        for change in 0, 4:
            talk = check_iwarp.Iwarp(check_iwarp.setup(False, 0xc0), check_iwarp.setup(True, 0xc0))
            stream = mpa.Stream(True, True)
            stream.add(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, 1, 0), bytes(603), [], {})
            data = bytearray(stream.data)
            data[515] ^= change
            data[-4:] = struct.pack("<I", mpa.crc32c(data[:-4]))
            talk.frame("a", check_iwarp.PSH | check_iwarp.ACK, bytes(data))
            path = self.path("marker.pcap")
            talk.write_capture(path)
            self.assertEqual(set(self.broken(path)[1]), {"mpa-marker"} if change else set())

    def test_reads_in_directions_that_were_captured_in_another_order(self):
        """Of `a` first, which acknowledges what is captured later. It sends a READ when the one before is answered."""
        talk = check_captures.Talk(rep={"respres": 2}).warm()
        begin = len(talk.scene.frames)
        for _ in range(5):
            talk.answer("b", check_captures.READ_ONLY, talk.put("a", check_captures.READ, dmalen=16), bytes(16))
            talk.say("b")
        path = self.path("order.pcap")
        talk.write_capture(path)
        self.assertEqual(self.broken(path), (0, {}))
        frames = [(time, data, wire) for time, _, data, wire in capfile.timed(path)]
        a = frames[0][1][26:30]
        later = sorted(frames[begin:], key=lambda frame: frame[1][26:30] != a)
        times = [frame[0] for frame in frames]
        capfile.write_pcap(path, 1, [(time, *frame[1:]) for time, frame in zip(times, frames[:begin] + later)])
        self.assertEqual(self.broken(path), (0, {}))

    def test_a_request_where_no_fpdu_was_found_may_be_there(self):
        """Without CRCs, FPDUs after a wrong marker may not be found. A Read Request among them was sent."""
        for is_damaged, is_asked, wanted in ((False, True, set()), (False, False, {"rdmap-unrequested"}), (True, True, set())):
            talk = check_iwarp.Iwarp(check_iwarp.setup(False, 0x80), check_iwarp.setup(True, 0x80))
            asks, answers = mpa.Stream(True, False), mpa.Stream(True, False)
            for number in (1, 2):
                asks.add(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, number, 0), bytes(603), [], {})
            if is_damaged:
                asks.data[1024 + 3] ^= 4
            if is_asked:
                asks.add(struct.pack(">BBIIII", 0x41, 0x41, 0, 1, 1, 0), struct.pack(">IQIIQ", 5, 0, 8, 6, 0), [], {})
            answers.add(struct.pack(">BBIQ", 0xc1, 0x42, 5, 0), bytes(8), [], {})
            begin = 0
            for fpdu in asks.fpdus:
                talk.frame("a", check_iwarp.PSH | check_iwarp.ACK, bytes(asks.data[begin:fpdu.end]))
                begin = fpdu.end
            talk.frame("b", check_iwarp.PSH | check_iwarp.ACK, bytes(answers.data))
            path = self.path("request.pcap")
            talk.write_capture(path)
            self.assertEqual(set(self.broken(path)[1]) - {"mpa-marker"}, wanted, (is_damaged, is_asked))

    def test_nothing_follows_from_a_setup_that_is_wrong(self):
        """Depths of one side only are not negotiated; FPDUs after too much private data may not be found."""
        plain, deep = check_iwarp.setup(False, 0, 2), check_iwarp.setup(True, 0x10, 2, check_iwarp.depths(ird=1, ord_=0))
        one_model = check_iwarp.setup(False, 0x10, 2, check_iwarp.depths()), check_iwarp.setup(True, 0x10, 2, check_iwarp.depths(model=1, kinds=4))
        for request, reply, wanted in ((plain, deep, "mpa-enhanced"), (*one_model, "mpa-model"),
                                       (check_iwarp.setup(False), check_iwarp.setup(True, private=bytes(527)), "mpa-private-length")):
            talk = check_iwarp.Iwarp(request, reply).warm()
            for number in range(3):
                talk.request("b", msn=number + 1)
            for number in range(3):
                talk.tagged("a", check_iwarp.READ_RESPONSE, check_iwarp.SINK, payload=bytes(64))
            path = self.path("setup.pcap")
            talk.write_capture(path)
            self.assertEqual(set(self.broken(path)[1]), {wanted})

    def test_what_is_right_beside_a_violation_is_not_reported(self):
        for rule in "rpcrdma-read-roundup", "rpcrdma-write-roundup", "rpcrdma-reverse-early":
            path = self.path("broken.pcap")
            check_captures.make(rule, path)
            self.assertEqual(len(self.broken(path)[1][rule]), 1, rule)

    def test_each_misplaced_transfer_is_reported_and_shown(self):
        """The place of data that is unaligned, beyond the SEND, or ends beyond it. [MS-SMBD] 2.2.3."""
        path = self.path("misplaced.pcap")
        check_captures.make("smbd-offset", path)
        seen = [violation["seen"].split(" in ")[0] for violation in self.broken(path)[1]["smbd-offset"]]
        self.assertEqual(seen, ["DataOffset %d, DataLength %d" % pair for pair in ((20, 68), (28, 68), (60004, 68), (24, 1000))])
        shown = self.lines("-r", path, "-T", "fields", "-e", "smb_direct.data_length", "-e", "rdmatap.anomaly", "-Y", "rdmatap.anomaly && smb_direct")
        self.assertEqual([line.split()[0] for line in shown], ["68", "68", "68", "1000"])

    def test_each_wrong_field_of_a_negotiation_is_reported(self):
        """[MS-SMBD] 3.1.5.6 and 3.1.5.7: of a connection whose setup names SMB Direct, whatever the versions are."""
        fields = ((0, "<H", (0, 0x100, 0x200, 0x101, 0xffff), lambda value: value > 0x100), (2, "<H", (0, 0xff, 0x100, 0x200), lambda value: value < 0x100),
                  (0, "<HH", ((0, 0xff), (0x200, 0x300), (0, 0x200)), lambda pair: not pair[0] <= 0x100 <= pair[1]))
        for message, credits, receive, fragmented in ((smb.negotiate(), 6, 12, 16), (smb.negotiated(), 8, 24, 28)):
            own = ((credits, "<H", (0, 1), lambda value: not value), (receive, "<I", (0, 127, 128), lambda value: value < 128),
                   (fragmented, "<I", (0, 131071, 131072), lambda value: value < 131072))
            for at, form, values, is_wrong in fields + own:
                for value in values:
                    changed = bytearray(message)
                    struct.pack_into(form, changed, at, *(value if isinstance(value, tuple) else (value,)))
                    scene = Scene("negotiation", "")
                    talk = scene.connection(port=smb.PORT).establish()
                    messages = [changed if len(changed) == len(other) else other for other in (smb.negotiate(), smb.negotiated())]
                    for end, data in zip("ab", messages):
                        packets = talk.send(end, 0, data=bytes(data))
                        scene.put(*packets, talk.ack(packets[-1]))
                    path = self.path("negotiation.pcap")
                    scene.write_capture(path)
                    with self.subTest(length=len(message), at=at, value=value):
                        self.assertEqual(set(self.broken(path)[1]), {"smbd-negotiation"} if is_wrong(value) else set())

    def test_a_packet_of_another_partition_is_the_only_violation(self):
        talk = check_captures.Talk().warm()
        talk.answer("b", check_captures.ACK, talk.put("a", check_captures.SEND_ONLY, b"data", p_key=0x8123))
        talk.say("a")
        talk.say("b")
        path = self.path("partition.pcap")
        talk.write_capture(path)
        self.assertEqual({rule: len(rows) for rule, rows in self.broken(path)[1].items()}, {"ib-p-key-changed": 1})

    def test_a_packet_of_another_length_and_a_cnp_too_many_are_the_only_violations(self):
        talk = check_captures.Talk(req={"pppmtu": 2}).warm()
        for length in (512, 256, 512):
            talk.put("a", check_captures.SEND_FIRST, bytes(length))
            talk.put("a", check_captures.SEND_LAST, b"data")
        for cnps in (2, 1, 1):
            talk.scene.put(*talk.c.send("a", 0, data=b"data"), dsfield=3)
            talk.scene.put(*[talk.c.notification("b")] * cnps)
        talk.warm().warm()
        path = self.path("once.pcap")
        talk.write_capture(path)
        self.assertEqual({rule: len(rows) for rule, rows in self.broken(path)[1].items()}, {"ib-mtu-changed": 1, "ib-cnp-marks": 1})

    def test_the_length_of_a_read_response_that_is_no_mtu(self):
        talk = check_captures.Talk().warm()
        psn = talk.put("a", check_captures.READ, dmalen=600, count=3)
        talk.answer("b", check_captures.READ_FIRST, psn, bytes(100))
        path = self.path("response.pcap")
        talk.write_capture(path)
        self.assertEqual(set(self.broken(path)[1]), {"ib-mtu-value", "ib-read-length"})

    def test_a_read_request_of_other_lengths(self):
        for length in 24, 27, 29, 32:
            talk = check_iwarp.Iwarp().warm()
            talk.untagged("a", check_iwarp.READ_REQUEST, 1, 1, payload=bytes(length))
            path = self.path("length.pcap")
            talk.write_capture(path)
            self.assertEqual(set(self.broken(path)[1]), {"rdmap-single"}, length)

    def test_directions_in_another_order_are_no_violation(self):
        """Each response is captured long before its request; the same twice, as of a copy on the network; then the request is sent again."""
        for copies in (1, 2):
            path = self.path("order.pcap")
            talk = check_captures.Talk().warm()
            for n in range(20):
                psn = talk.c.a.psn
                talk.answer("b", check_captures.ACK, psn)
                talk.scene.time += check_captures.MS
                talk.put("a", check_captures.SEND_ONLY, b"data")
                for _ in range(copies - 1):
                    talk.answer("b", check_captures.ACK, psn, done=0)
            if copies == 1:
                talk.scene.time += 1000 * check_captures.MS
                talk.put("a", check_captures.SEND_ONLY, b"data", psn=psn)
                talk.answer("b", check_captures.ACK, psn, done=0)
            talk.write_capture(path)
            self.assertEqual(self.broken(path), (0, {}), copies)

    def test_neighbours_of_both_directions_in_another_order_are_no_violation(self):
        """Real captures, in which each second pair of packets that follow one another in the two directions is exchanged."""
        names = [name for name in real_captures() if re.match(r"roce-(nvmeof|srp|iser)|iwarp-(nvmeof|rping|nfs3-crctso)|read-responses", name)]
        self.assertGreater(len(names), 6)
        for name in names:
            frames = list(capfile.timed(os.path.join(TESTDATA, name)))
            for first in 0, 1:
                packets = [frame[2:] for frame in frames]
                for i in range(first, len(packets) - 1, 2):
                    if packets[i][0][:6] == packets[i + 1][0][6:12] and packets[i][0][6:12] == packets[i + 1][0][:6]:
                        packets[i:i + 2] = packets[i + 1], packets[i]
                path = self.path("exchanged.pcap")
                capfile.write_pcap(path, frames[0][1], [(frame[0], *packet) for frame, packet in zip(frames, packets)])
                known = self.broken(os.path.join(TESTDATA, name))[1]
                self.assertEqual(set(self.broken(path)[1]) - set(known), set(), (name, first))

    def test_rules_of_rpc_over_rdma_are_the_same_on_iwarp(self):
        for together in 0, 4000:  # FPDUs in segments of their own; several in a segment
            for rule in [rule for rule in check_captures.RULES if rule.startswith("rpcrdma-")]:
                with self.subTest(rule=rule, together=together):
                    path = self.path("broken.pcap")
                    wanted = check_rpcrdma.make_iwarp(rule, path, together=together)
                    if rule == "rpcrdma-reverse-early":
                        wanted = wanted | {"mpa-first"}
                    status, found = self.broken(path)
                    self.assertEqual((status, set(found)), (1, wanted))

    def test_captures_of_real_implementations_break_no_rule(self):
        names = [name for name in real_captures() if name.startswith(REAL)]
        self.assertGreater(len(names), 60)
        for name in names:
            with self.subTest(name=name):
                found = self.broken(os.path.join(TESTDATA, name))[1]
                known = [rules for beginning, rules in KNOWN.items() if name.startswith(beginning)]
                self.assertEqual(set(found) - set().union(*known), set(), name)


class Incomplete(Broken):
    """What the capture lacks is no violation."""

    def rules_of(self, scene, length=1 << 20, only=lambda frame: True):
        """Rules that a scene breaks whose frames of one kind are truncated."""
        path = self.path("part.pcap")
        scene.write_capture(path)
        capfile.write_pcap(path, scene.link, [(at, data[:length] if only(data) else data, wire) for at, _, data, wire in list(capfile.timed(path))])
        return set(self.broken(path)[1])

    def test_fragments_that_only_an_acknowledgement_shows(self):
        for lost in range(1, 4):
            scene = Scene("part", "")
            talk, client = smb.begun(scene)
            client.fragment = 200
            file, sends = client.create("f")
            smb.put_all(scene, talk, sends)
            for i, packets in enumerate(client.write(file, 0, bytes(800), inline=True)):
                scene.put(*([] if i == lost else packets), talk.ack(packets[-1]))
            self.assertEqual(self.rules_of(scene), set(), lost)

    def test_lengths_that_were_truncated(self):
        scene = Scene("part", "")
        talk = scene.connection(port=4420).establish()
        for length in (100, 600):
            request, responses = talk.read("a", length)
            for response in responses:
                response.values.update(msn=1 if length == 100 else 2, syndrome=0x1f)
            scene.put(request, *responses)
        self.assertEqual(self.rules_of(scene), set())
        self.assertEqual(self.rules_of(scene, 60, lambda frame: frame[42] == 0x0c), set())

    def test_a_connect_that_was_captured_after_its_acknowledgement(self):
        talk = check_storage.Nvme()
        packets = talk.c.send("a", 0, data=nvme.connect(0, 1, 3) + nvme.connect_data())
        talk.scene.put(talk.c.ack(packets[-1]), *packets)
        talk.respond(0)
        for cid in 1, 2:
            talk.flush(cid)
            talk.respond(cid)
        self.assertEqual(self.rules_of(talk.scene), set())

    def test_the_first_request_after_the_setup(self):
        """Only its acknowledgement and response show it."""
        talk = check_storage.Nvme()
        packets = talk.c.send("a", 0, data=nvme.connect(0, 1, 3) + nvme.connect_data())
        talk.scene.put(talk.c.ack(packets[-1]))
        talk.respond(0)
        for cid in range(1, 6):
            talk.flush(cid)
            talk.respond(cid)
        self.assertEqual(self.rules_of(talk.scene), set())

    def test_iwarp_without_any_one_segment(self):
        """FPDUs after the gap are shown by their own segments, and not once more when the gap is final."""
        talk = check_iwarp.Iwarp(crc=True).warm()
        for msn in range(1, 61):
            talk.request(msn=msn)
            talk.tagged("b", check_iwarp.READ_RESPONSE, check_iwarp.SINK, payload=bytes(64))
            talk.frame("a", check_iwarp.ACK)
        path = self.path("whole.pcap")
        talk.write_capture(path)
        frames = list(capfile.read(path))
        for lost in range(30, 36):
            path = self.path("part.pcap")
            capfile.write_pcap(path, 1, frames[:lost] + frames[lost + 1:])
            self.assertEqual(set(self.broken(path)[1]), set(), lost)
            shown = [crc for line in self.lines("-r", path, "-T", "json") for crc in json.loads(line).get("iwarp_mpa.crc_check", ())]
            self.assertEqual(len(shown), 122 - (len(frames[lost][1]) > 54), lost)

    def test_iwarp_without_any_one_segment_of_fpdus_in_several(self):
        """Behind the gap an FPDU is found only at the beginning of a segment; what was before it is unknown."""
        talk = check_iwarp.Iwarp(crc=True).warm()
        for msn in range(2, 22):
            stream = talk.streams["a"]
            fpdu = stream.add(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, msn, 0), bytes(700 if msn % 3 else 40), [], {})
            data = bytes(stream.data[fpdu.start:fpdu.end])
            for at in range(0, len(data), 600):
                talk.frame("a", check_iwarp.ACK, data[at:at + 600])
        path = self.path("whole.pcap")
        talk.write_capture(path)
        frames = list(capfile.read(path))
        for lost in range(7, len(frames)):
            for order in (frames[:lost] + frames[lost + 1:], frames[:lost] + frames[lost + 1:lost + 2] + frames[lost:lost + 1] + frames[lost + 2:]):
                path = self.path("part.pcap")
                capfile.write_pcap(path, 1, order)
                self.assertEqual(set(self.broken(path)[1]), set(), lost)

    def test_a_key_that_a_call_offers_again_that_was_not_captured(self):
        talk = check_rpcrdma.NfsIwarp()
        lists = {"writes": [[(check_rpcrdma.KEY, 1000, check_rpcrdma.ADDRESS)]]}
        talk.warm().reply(talk.call(procedure=6, **lists), inv=check_rpcrdma.KEY, **lists)
        talk.call(procedure=6, **lists)
        lost = len(talk.frames) - 1
        talk.frame("a", check_iwarp.ACK)
        talk.write("b", check_rpcrdma.KEY, b"data")
        path = self.path("whole.pcap")
        talk.write_capture(path)
        self.assertEqual(set(self.broken(path)[1]), set())
        frames = list(capfile.read(path))
        for rest in frames[lost + 1:], frames[lost + 2:]:  # the gap is shown by the next segment of the client, or by what the server acknowledges
            path = self.path("part.pcap")
            capfile.write_pcap(path, 1, frames[:lost] + rest)
            self.assertEqual(set(self.broken(path)[1]), set())

    def test_calls_after_a_first_one_that_was_not_captured(self):
        """The first packets of RPC-over-RDMA are those after the gap: its grant and the client's first call are unknown."""
        for kind in check_rpcrdma.Nfs, check_rpcrdma.NfsIwarp:
            for reverse in False, True:
                talk = kind()
                frames = talk.scene.frames if kind is check_rpcrdma.Nfs else talk.frames
                begin = len(frames)
                talk.both()
                end = len(frames)
                if reverse:
                    talk.call(sender="b")
                xids = [talk.call(), talk.call()]
                for xid in xids:
                    talk.reply(xid)
                path = self.path("part.pcap")
                talk.write_capture(path)
                packets = list(capfile.read(path))
                capfile.write_pcap(path, 1, packets[:begin] + packets[end:])
                self.assertEqual(self.broken(path), (0, {}), (kind, reverse))

    def test_a_first_call_that_only_its_acknowledgement_shows(self):
        talk = check_rpcrdma.Nfs()
        lost = len(talk.scene.frames)
        talk.call()
        talk.call(sender="b")
        path = self.path("part.pcap")
        talk.write_capture(path)
        packets = list(capfile.read(path))
        capfile.write_pcap(path, 1, packets[:lost] + packets[lost + 1:])
        self.assertEqual(self.broken(path), (0, {}))

    def test_a_real_capture_of_nfs_without_any_one_frame(self):
        """FPDUs that are found only when a gap is final used their keys before these were invalidated."""
        frames = list(capfile.timed(os.path.join(TESTDATA, "iwarp-nfs41-midstream.pcap.gz")))
        for lost in range(270, 300):
            path = self.path("part.pcap")
            capfile.write_pcap(path, frames[0][1], [(frame[0], *frame[2:]) for frame in frames[:lost] + frames[lost + 1:]])
            self.assertEqual(set(self.broken(path)[1]) - {"rpcrdma-invalidate", "mpa-pad"}, set(), lost)

    def test_a_read_request_that_only_acknowledgements_show(self):
        talk = check_iwarp.Iwarp().warm()
        talk.request(msn=1)
        talk.request(msn=2)
        lost = len(talk.frames) - 1
        for _ in range(2):
            talk.tagged("b", check_iwarp.READ_RESPONSE, check_iwarp.SINK, payload=bytes(64))
            talk.frame("a", check_iwarp.ACK)
        path = self.path("whole.pcap")
        talk.write_capture(path)
        frames = list(capfile.read(path))
        path = self.path("part.pcap")
        capfile.write_pcap(path, 1, frames[:lost] + frames[lost + 1:])
        self.assertEqual(set(self.broken(path)[1]), set())

    def test_a_command_that_was_truncated(self):
        scene = Scene("part", "")
        talk = scene.connection(port=4420)
        talk.establish()
        host = nvme.Host(talk, 1)
        scene.put(*host.connect())
        for group in host.write(0, bytes(512), inline=True):
            scene.put(*group)
        self.assertEqual(self.rules_of(scene), set())
        self.assertEqual(self.rules_of(scene, 60, lambda frame: frame[42] == 0), set())


class Right(Broken):
    def test_segments_of_descriptors_in_the_capsule(self):
        """NVMe Base 2.0, 4.1.2: Segment and Last Segment descriptors at an offset in the capsule."""
        for kind in 0x21, 0x31:
            talk = check_storage.Nvme().warm()
            sgl, inside = nvme.segment(nvme.keyed(0x1000, 512, 5), nvme.keyed(0x3000, 1536, 6), kind=kind)
            talk.say("a", nvme.blocks(nvme.WRITE, 1, 1, 0, 4, sgl) + inside)
            path = self.path("right.pcap")
            talk.write_capture(path)
            self.assertEqual(self.broken(path), (0, {}), kind)


    def test_a_descriptor_of_host_memory_without_a_key(self):
        """NVMe Base 2.0, 4.1.2: a data block by address is for PCIe. All zero: the command has no data."""
        for length, broken in (0, (0, [])), (0x10000000, (1, ["nvme-sgl"])):
            talk = check_storage.Nvme().warm()
            talk.flush(1, nvme.READ if length else nvme.FLUSH, sgl=struct.pack("<QI4x", 0x1000 if length else 0, length))
            path = self.path("address.pcap")
            talk.write_capture(path)
            status, found = self.broken(path)
            self.assertEqual((status, list(found)), broken, length)

    def legal(self, talk):
        path = self.path("legal.pcap")
        talk.write_capture(path)
        self.assertEqual(self.broken(path), (0, {}))

    def test_a_repeated_send_is_acknowledged_with_the_psn_of_the_read_after_it(self):
        """IBTA vol. 1, C9-105: a duplicate SEND is acknowledged again, with the PSN of the last request, whatever its kind."""
        talk = check_captures.Talk().warm()
        send, read = talk.put("a", check_captures.SEND_ONLY, b"data"), talk.put("a", check_captures.READ, dmalen=16)
        talk.scene.pause(5)
        talk.put("a", check_captures.SEND_ONLY, b"data", psn=send)
        talk.put("a", check_captures.READ, psn=read, dmalen=16)
        talk.answer("b", check_captures.ACK, read, done=2)
        talk.answer("b", check_captures.READ_ONLY, read, bytes(16), done=0)
        self.legal(talk)

    def test_a_read_response_counts_requests_after_the_read(self):
        """The MSN is that of the time when the response is sent."""
        talk = check_captures.Talk().warm()
        read, send = talk.put("a", check_captures.READ, dmalen=16), talk.put("a", check_captures.SEND_ONLY, b"data")
        talk.answer("b", check_captures.READ_ONLY, read, bytes(16), done=2)
        talk.answer("b", check_captures.ACK, send, done=0)
        self.legal(talk)
        del talk.scene.frames[-3]  # the SEND was not captured
        self.legal(talk)

    def test_retries_that_began_without_the_rnr_nak(self):
        """For a READ response that was lost, for a sequence NAK, and after the ACK timeout: the RNR NAK may have been lost behind the capture point."""
        def read_again(talk, read, send):
            talk.put("a", check_captures.READ, psn=read, dmalen=16)
            talk.put("a", check_captures.SEND_ONLY, b"data", psn=send)

        def after_sequence_nak(talk, _, send):
            talk.answer("b", check_captures.ACK, send, syndrome=0x60, done=0)
            talk.put("a", check_captures.SEND_ONLY, b"data", psn=send)

        def after_timeout(talk, _, send):
            talk.scene.time += 10 * check_captures.MS
            talk.put("a", check_captures.SEND_ONLY, b"data", psn=send)

        for retry in read_again, after_sequence_nak, after_timeout:
            with self.subTest(retry=retry.__name__):
                talk = check_captures.Talk(req={"prim_localacktout": 10}).warm()
                read, send = talk.put("a", check_captures.READ, dmalen=16), talk.put("a", check_captures.SEND_ONLY, b"data")
                talk.answer("b", check_captures.ACK, send, syndrome=0x20 | 31, done=1)
                retry(talk, read, send)
                self.legal(talk)

    def test_queue_pairs_that_are_used_again_by_a_setup_that_was_not_captured(self):
        """Of the second connection nothing is known by the setup of the first one: other PSNs, a larger path MTU, more READs at a time."""
        talk = check_captures.Talk(rep={"respres": 1}, req={"responderres": 1}).warm()
        talk.scene.pause(100)
        for side in (talk.c.a, talk.c.b):
            side.psn, side.msn = side.psn - 500000 & 0xffffff, 0
        talk.warm()
        talk.put("a", check_captures.SEND_FIRST, bytes(512))
        talk.answer("b", check_captures.ACK, talk.put("a", check_captures.SEND_LAST, bytes(512)))
        psns = [talk.put("a", check_captures.READ, dmalen=16) for _ in range(3)]
        for psn in psns:
            talk.answer("b", check_captures.READ_ONLY, psn, bytes(16))
        self.legal(talk)

    def test_a_sequence_nak_of_a_request_whose_successor_was_not_captured(self):
        talk = check_captures.Talk().warm()
        psn = talk.c.a.psn
        talk.answer("b", check_captures.ACK, psn, syndrome=0x60, done=0)
        for _ in range(2):
            talk.answer("b", check_captures.ACK, talk.put("a", check_captures.SEND_ONLY, b"data"))
        self.legal(talk)

    def test_credits_of_an_error(self):
        """RFC 8166, 4.5: an RDMA_ERROR completes the call; its header has a credit value too."""
        talk = check_rpcrdma.Nfs()
        talk.say("b", rpcrdma.header(talk.call(), rpcrdma.ERROR, rpcrdma.words(2), credits=2).data)
        xids = [talk.call(), talk.call()]
        for xid in xids:
            talk.reply(xid)
        self.legal(talk)

    def test_partitions_of_two_connections_that_look_like_one(self):
        """Of one connection only the requests were captured, of another one only the responses, with the same PSNs."""
        for p_keys in (0xffff, 0x8123), (0x7fff, 0x7fff):
            scene = Scene("pairs", "")
            one, other = scene.connection(port=1), scene.connection(port=1)
            for i in range(3):
                scene.put(Packet(one, "a", check_captures.SEND_ONLY, 100 + i, data=b"data", p_key=p_keys[0]))
                scene.put(Packet(other, "b", check_captures.ACK, 100 + i, syndrome=0x1f, msn=i + 1, p_key=p_keys[1]))
            path = self.path("pairs.pcap")
            scene.write_capture(path)
            self.assertEqual(self.broken(path), (0, {}), p_keys)

    def test_kinds_of_two_connections_that_look_like_one(self):
        """Likewise, with a READ where the other connection has a SEND."""
        scene = Scene("pairs", "")
        one, other = scene.connection(port=1), scene.connection(port=1)
        for i in range(4):
            scene.put(Packet(one, "a", check_captures.READ if i == 3 else check_captures.SEND_ONLY, 100 + i, data=b"" if i == 3 else b"data",
                             **({"va": 0x1000, "r_key": 5, "dmalen": 1024} if i == 3 else {})))
            scene.put(Packet(other, "b", check_captures.ACK, 100 + i, syndrome=0x1f, msn=i + 1))
        path = self.path("pairs.pcap")
        scene.write_capture(path)
        self.assertEqual(self.broken(path), (0, {}))

    def test_requests_that_were_sent_before_the_capture(self):
        """The SEND came again, so its acknowledgement has the PSN of the atomic, which was carried out before. IBTA vol. 1, C9-105."""
        talk = check_captures.Talk()
        del talk.scene.frames[:]
        talk.put("a", check_captures.READ, dmalen=16)
        talk.put("a", check_captures.SEND_ONLY, b"data")
        psn = talk.put("a", check_captures.FETCH_ADD, va=8)
        talk.answer("b", check_captures.READ_ONLY, psn - 2, bytes(16), done=3)
        talk.answer("b", check_captures.ACK, psn, done=0)
        talk.answer("b", check_captures.ATOMIC_ACK, psn, done=0, origremdt=1)
        self.legal(talk)

    def test_migration_to_a_path_that_was_loaded_in_use(self):
        """By a LAP, or by one that was not captured, of which the APR is the answer. IBTA vol. 1, 12.8."""
        for sender, attribute in ("a", handshake.LAP), ("b", handshake.LAP), ("a", handshake.APR), ("b", handshake.APR):
            talk = check_captures.Talk().warm()
            ids = talk.c.ids if sender == "a" else talk.c.ids[::-1]
            talk.mad(sender, attribute, handshake.between(attribute, *ids))
            psn = talk.put("a", check_captures.SEND_ONLY, b"data", m=1)
            talk.answer("b", check_captures.ACK, psn, m=1)
            self.legal(talk)

    def test_cnps_for_marks_before_the_capture(self):
        talk = check_captures.Talk()
        del talk.scene.frames[:]
        talk.warm()
        talk.scene.put(*talk.c.send("a", 0, data=b"data"), dsfield=3)
        talk.scene.put(talk.c.notification("b"), talk.c.notification("b"))
        talk.warm().warm().warm().warm()
        self.legal(talk)

    def test_an_rnr_nak_of_a_request_that_was_not_captured(self):
        """The request is sent and answered again: IBTA vol. 1, 9.7.5.2.8."""
        talk = check_captures.Talk().warm()
        packet, = talk.c.send("a", 0, data=b"data")
        talk.c.b.msn -= 1
        talk.scene.put(talk.c.ack(packet, syndrome=0x21))
        talk.c.b.msn += 1
        talk.scene.pause(0.001)
        talk.scene.put(packet, talk.c.ack(packet))
        talk.warm()
        self.legal(talk)

    def test_an_rnr_nak_captured_before_the_retry_that_it_refuses(self):
        talk = check_captures.Talk().warm()
        packet, = talk.c.send("a", 0, data=b"data")
        talk.c.b.msn -= 1
        for order in (0, 1):
            naks = [Packet(talk.c, "b", packet.opcode & 0xe0 | 0x11, packet.psn, syndrome=0x20 | 18, msn=talk.c.b.msn)]
            talk.scene.put(*(naks + [packet] if order else [packet] + naks))
            talk.scene.pause(0.011)
        talk.c.b.msn += 1
        talk.scene.put(packet, talk.c.ack(packet))
        talk.warm()
        self.legal(talk)

    def test_cnps_for_marked_packets_that_were_not_captured(self):
        """Only a later packet shows that one is missing, or came after the CNP; of a response nothing does."""
        talk = check_captures.Talk().warm()
        for _ in range(2):
            packet, = talk.c.send("b", 0, data=b"data")
            talk.scene.put(packet)
            talk.scene.put(talk.c.ack(packet), dsfield=3)
            talk.scene.put(talk.c.notification("b"))
        talk.c.send("b", 0, data=b"data")
        talk.scene.put(talk.c.notification("b"))
        for _ in range(5):
            packet, = talk.c.send("a", 0, data=b"data")
            talk.scene.put(packet, talk.c.ack(packet))
        self.legal(talk)
        for lost in (True, False):
            talk = check_captures.Talk().warm()
            talk.scene.put(*talk.c.send("a", 0, data=b"data"), dsfield=3)
            second = talk.c.send("a", 0, data=b"data")
            talk.scene.put(talk.c.notification("b"), talk.c.notification("b"))
            if not lost:
                talk.say("a")
                talk.scene.put(*second, dsfield=3)
            talk.warm().warm().warm().warm()
            self.legal(talk)


class Lids(Broken):
    def test_the_setup_of_a_connection_between_lids_is_known(self):
        scene = Scene("lids", "", link=247)
        talk = scene.connection(port=4420, dress=lambda packet, here, there, **route: ib.native(
            packet, slid=int(here.addr[-1]), dlid=int(there.addr[-1]), **route)).establish()
        talk.a.psn -= 5
        scene.put(*talk.send("a", 10))
        path = self.path("lids.pcap")
        scene.write_capture(path)
        self.assertEqual(set(self.broken(path)[1]), {"ib-start-psn"})


class Output(CliTest):
    def broken(self):
        path = self.path("broken.pcap")
        check_captures.make("ib-opcode-sequence", path)
        return path

    def test_text_begins_with_the_sender(self):
        done = self.run_program("check", self.broken())
        lines = done.stdout.decode().splitlines()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(lines[0], r"^10\.0\.0\.2 QP 0x11: frame \d+: error ib-opcode-sequence: RC RDMA WRITE Last after RC SEND First of PSN 257$")
        self.assertRegex(lines[-1], r"^1 of \d+ rules broken, in \d+ packets$")

    def test_sarif_has_the_form_of_the_standard(self):
        done = self.run_program("check", "--sarif", self.broken())
        log = json.loads(done.stdout)
        self.assertEqual((done.returncode, log["version"]), (1, "2.1.0"))
        self.assertIn("sarif-2.1.0", log["$schema"])
        run, = log["runs"]
        driver = run["tool"]["driver"]
        self.assertEqual(driver["name"], "rdmatap")
        ids = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(ids), len(set(ids)))
        for rule in driver["rules"]:
            self.assertIn(rule["defaultConfiguration"]["level"], ("note", "warning", "error"))
            self.assertTrue(rule["shortDescription"]["text"] and rule["fullDescription"]["text"])
        result, = run["results"]
        self.assertEqual((ids[result["ruleIndex"]], result["ruleId"]), ("ib-opcode-sequence",) * 2)
        self.assertEqual(result["level"], "error")
        self.assertTrue(result["message"]["text"])
        location, = result["locations"]
        self.assertTrue(location["physicalLocation"]["artifactLocation"]["uri"].endswith("broken.pcap"))

    def test_sarif_of_a_name_with_all_bytes_is_a_uri(self):
        path = self.path("a \"b\" %\x1b[0m\u202e.pcap", read(self.broken()))
        uri = json.loads(self.run_program("check", "--sarif", path).stdout)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertRegex(uri["artifactLocation"]["uri"], r"^[A-Za-z0-9._~/%-]+$")

    def test_options(self):
        path = self.broken()
        self.assertEqual(self.run_program("check", "--rule", "ib-version", path).returncode, 0)
        self.assertEqual(self.run_program("check", "--rule", "ib-*", path).returncode, 1)
        self.assertEqual(self.run_program("check", "--rule", "ib-opcode-sequence", "--severity", "error", path).returncode, 1)
        self.bad("did you mean ib-opcode-sequence?", "check", "--rule", "ib-opcode-sequense", path)
        self.bad("--severity bad", "check", "--severity", "bad", path)
        self.bad("nothing to read", "check")
        self.bad("No such file", "check", path + ".no")

    def test_top_lists_some_and_counts_all(self):
        path = self.path("many.pcap")
        talk = check_captures.Talk().warm()
        for _ in range(25):
            talk.put("a", check_captures.SEND_ONLY, b"data", tver=1)
        talk.write_capture(path)
        for top, listed in ((None, 10), ("3", 3), ("100", 25)):
            done = self.run_program("check", "--json", path, *(["--top", top] if top else []))
            records = [json.loads(line) for line in done.stdout.decode().splitlines()]
            self.assertEqual([record["count"] for record in records], [25] * listed)


if __name__ == "__main__":
    unittest.main()
