# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Packets that show an RPC over RDMA, and recognition of its repeats."""
import base64
import json
import os
import zlib

import capfile
import iwarp_scene
import nfs
from chunk_captures import NAMES, data_of, long_reply
from chunk_damage_captures import midstream
from cli import CliTest, TESTDATA
from conversation import crc
from nvme_queues import port_of
from rpcrdma import MSG, header, lists
from session import Session, cut, kept

COLUMNS = tuple(part for name in ("frame.number", "rpcordma.xid", "rpc.xid", "rpc.msgtyp", "nfs.procedure_v3", "rpc.repframe")
                for part in ("-e", name))
READ, WRITE, READDIR = "6", "7", "16"


class Shown(CliTest):
    def shown(self, name):
        """{frame: (XID of the RPC-over-RDMA header, of the RPC header, call or reply, procedure, the call's frame)}"""
        rows = [line.split("\t") for line in self.lines("-r", os.path.join(TESTDATA, "rpc_%s.pcap" % name), "-T", "fields", *COLUMNS)]
        return {int(row[0]): (bool(row[1]), bool(row[2]), row[3], row[4], row[5]) for row in rows if row[1] or row[2]}

    def test_the_packet_that_completes_the_message_shows_it(self):
        found = self.shown("swapped")
        self.assertEqual(found[7], (True, True, "0", READ, ""))
        self.assertEqual(found[8], (True, True, "1", READ, "7"))
        # two READs: the last response of the last one
        self.assertEqual(found[12], (True, False, "", "", ""))
        self.assertEqual(found[15], (False, True, "0", WRITE, ""))
        self.assertEqual(found[16], (True, True, "1", WRITE, "15"))
        # the reply's SEND precedes the last WRITE of its chunk
        self.assertEqual(found[23], (True, False, "", "", ""))
        self.assertEqual(found[24], (False, True, "1", READDIR, "18"))

    def test_a_call_in_a_chunk_beside_another_is_shown_with_the_last_of_both(self):
        found = self.shown("position-zero")
        calls = [row for row in found.values() if row[2] == "0"]
        self.assertEqual(calls, [(False, True, "0", WRITE, "")] * 4)

    def test_incomplete_messages_are_not_shown(self):
        found = self.shown("hole-read")
        self.assertEqual([row[3] for row in found.values() if row[2] == "0"], [WRITE])

    def test_repeated_replies_are_recognised_by_their_call(self):
        found = self.shown("answered-again")
        for call, replies, procedure in ((4, (6, 8), READ), (10, (11, 13), READ), (15, (20, 22), READDIR), (24, (29, 31), READDIR),
                                         (33, (34, 36, 38), READ), (40, (41, 43, 45), READ)):
            for reply in replies:
                self.assertEqual(found[reply], (True, True, "1", procedure, str(call)), reply)

    def test_answered_calls_of_idle_connections_are_discarded(self):
        frames = list(capfile.read(os.path.join(TESTDATA, "rpc_answered-again.pcap")))[:8]
        other = (1, bytes(12) + b"\x88\xb5" + bytes(46), 60)
        for seconds, procedure in ((80, READ), (100, "")):
            times = list(range(7)) + [5000] + [seconds * 1000 + i for i in range(3)]
            path = os.path.join(self.directory, "silent.pcap")
            capfile.write_pcap(path, 1, [(time * 10**6, data, wire) for time, (_, data, wire) in zip(times, frames[:7] + [other] * 3 + frames[7:])])
            rows = [line.split("\t") for line in self.lines("-r", path, "-T", "fields", "-e", "rpc.xid", "-e", "nfs.procedure_v3")]
            self.assertEqual(rows[5][1], READ)
            self.assertEqual(rows[-1][1:], [procedure], seconds)

    def test_messages_that_a_filter_wants_are_reported_though_another_packet_shows_them(self):
        for name, xid in (("swapped", "0x5e550002"), ("swapped", "0x5e550003")):
            lines = self.lines("messages", "--rpc", "-Y", "rpc.xid == " + xid, os.path.join(TESTDATA, "rpc_%s.pcap" % name))
            self.assertEqual([xid in line for line in lines], [True, False])
            self.assertIn("call %s," % lines[0].split()[0], lines[1])


# Found by fuzzing, reduced: the packets of a call and its reply out of order, 20 s apart, and those of other connections. zlib, base64.
REPLY_JOINED = """
eNrztdm0kImBhQEBWBgYQdTH4NQGKTaGS0AmCPM4LWRgYAKTjBwMrgwMR6S0HRgcBLn/cAHFgZjxoLLQdoYNIP3//wM1KDUwMDLFhTIwAdkgAxugxoPYPgwM
QiDxaAaGeqCIA7p4KkQ8gAEZQM0CASYGxrbFQJoZiNkZMAGPg6OTs4urm7uHp5c3kvgBsF4gPeVUdo8I0IccJqwMs4ACs7D5sAfiQx4TkO9AvgT7sALuQ8GG
BgZ2LD6E+QaIRVkRvnFA9wkjA26QCpVPfb9ocRfIpRYrWRmygAJZ2FwaA3VpMjQumC4rAl3qAXepMNBpoLhgRnIpI6ZrhYHyTAYQ1yowvD5yTRyUCi78ZmSw
Ayqww2azAdTmfhSbZYCBAw0jUNDJAwkTTQkekD8kolkJmzYBJU0hTFMCupwdaBrLIS77dSC33djHQkW3NWw8xtQDlDgGxEEhDKsYmMAkxLQdYjOAprHxL4Ol
Br/AO8pbePhtHVedWdYgwaBwmBsowcjBtaBdIfPw1ZM2DHWOzkhhDE67FyuX34SGtwN6lCPJoQOg2yY4sjEcAjIPYfPpFqhPeWDhBvbpApS8yIwW/8hxzwTN
dymQuE9gQOUXIKdcZix5kI2EPHjiKXv0fVBoz/jHyaAEtB2E0X3EKAItXVbD4g6UEhgZoD76//8/0EesQNew4c57cnyQUAb54AKST+X5gbQiRPwBkKkggFD3
AdmnbGg+ZcERO4wlCDYoNMSw+F4SYT9YDXKB64ZbHuQ0BtvEimgmACR3uT4=
"""


class Replies(CliTest):
    def test_a_reply_whose_connection_was_found_later_waits_for_its_call(self):
        path = self.path("joined.pcap")
        with open(path, "wb") as f:
            f.write(zlib.decompress(base64.b64decode(REPLY_JOINED)))
        rows = {row["message"]: row for row in map(json.loads, self.lines("messages", "--rpc", "--json", path))}
        calls = [row for row in rows.values() if row["kind"] == "rpc_call" and "answer" in row]
        self.assertEqual([(row["first_frame"], rows[row["answer"]]["first_frame"]) for row in calls], [(1, 2)])

    def test_a_reply_whose_port_pairs_responses_before_it(self):
        """A READ response to another queue pair precedes it; both UDP source ports show the connection, as of Linux without a flow label."""
        s, c = midstream("by-port", "a READ response, and the reply")
        c.a.udp = c.b.udp = port_of(c.a.qpn, c.b.qpn)
        regions = s.regions(521)
        call, _ = s.ask(c, nfs.write3(s.new_xid(), data_of(s, 521)), reads=[(0, regions, False)])
        (_, responses), = s.pull(c, regions)
        s.put(responses[-1])
        s.answer(call, nfs.write3_reply(s.xid, 521))
        path = self.path("ports.pcap")
        capfile.write_pcap(path, 1, [(time, piece.data, len(piece.data)) for time, _, piece, _ in s.frames])
        rows = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", path)]
        self.assertEqual([(row["kind"], row["first_frame"], row["xid"]) for row in rows], [("rpc_reply", 2, s.xid)])

    def test_calls_know_their_replies_if_the_files_can_be_read_twice(self):
        capture = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
        rows = [line.split("\t") for line in self.lines("-r", capture, "-Y", "rpc", "-T", "fields", "-e", "frame.number",
                                                        "-e", "rpc.msgtyp", "-e", "rpc.repframe", "-e", "rpc.reqframe")]
        calls = {frame: reply for frame, kind, _, reply in rows if kind == "0"}
        replies = {call: frame for frame, kind, call, reply in rows if kind == "1" and not reply}
        self.assertGreater(len(calls), 100)
        self.assertEqual(calls, replies)
        call, reply = next(iter(calls.items()))
        shown = self.lines("-r", capture, "-Y", "rpc.reqframe == " + reply, "-T", "fields", "-e", "frame.number")
        self.assertEqual(shown, [call])
        with open(capture, "rb") as standard_input:
            self.bad("rpc.reqframe needs files that can be read twice", "-r", "-", "-T", "fields", "-e", "rpc.reqframe", stdin=standard_input)


class Cut(CliTest):
    def test_truncated_parts_are_reported_as_truncated(self):
        whole = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
        calls = len(self.lines("messages", "--rpc", whole)) // 2
        for length in ("96", "120", "160", "200", "300"):
            rows = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", "-s", length, whole)]
            self.assertEqual({hole["reason"] for row in rows for hole in row["missing"]}, {"snapped"})
            self.assertGreater(sum(row["kind"] == "rpc_call" and row["answer"] is not None for row in rows), calls * 9 // 10)
            # the status of an incomplete header is unknown
            self.assertTrue(all(row.get("status") != "SUCCESS" for row in rows if row["missing"] and row["missing"][0]["offset"] < 24))

    def test_a_reply_truncated_after_its_xid_is_not_taken_for_a_call(self):
        whole = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
        kinds = {row["first_frame"]: row["kind"] for row in map(json.loads, self.lines("messages", "--rpc", "--json", whole))}
        # Ethernet, IPv4, UDP, BTH, and the shortest RPC-over-RDMA header end at byte 82
        for length in range(82, 98):
            rows = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", "-s", str(length), whole)]
            self.assertGreater(len(rows), len(kinds) // 2 if length >= 90 else 0)
            self.assertEqual([row for row in rows if row["kind"] != kinds[row["first_frame"]]], [], length)

    def test_sends_of_several_packets_are_cut_off_like_those_of_one(self):
        whole = os.path.join(TESTDATA, "roce-nfs40-mtu256.pcap.gz")
        calls = len(self.lines("messages", "--rpc", whole)) // 2
        for length in ("120", "160", "200", "300"):
            rows = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", "-s", length, whole)]
            self.assertEqual({hole["reason"] for row in rows for hole in row["missing"]} - {"snapped"}, set(), length)
            self.assertGreater(sum(row["kind"] == "rpc_call" and "answer" in row for row in rows), calls * 9 // 10)

    def holes(self, capture, length):
        rows = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", "-s", str(length), capture)]
        return [[(hole["offset"], hole["length"], hole["reason"]) for hole in row["missing"]] for row in rows]

    def test_holes_side_by_side_have_reasons_of_their_own(self):
        # the second of three READ responses is lost, the first has 62 bytes
        self.assertEqual(self.holes(os.path.join(TESTDATA, "rpc_hole-read.pcap"), 120)[0],
                         [(14, 62, "snapped"), (138, 194, "snapped"), (332, 256, "not_captured")])

    def test_a_reply_lacks_the_chunks_truncated_in_its_call(self):
        s = Session("cut", "")
        c = s.peers()
        # identifies the protocol of the queue pairs
        s.answer(s.call(c, nfs.read3(s.new_xid(), 40)), nfs.read3_reply(s.xid, b""))
        reported = long_reply(s, c, read=40, segments=(600,))
        reported.chunks = []
        s.deliver(c, reported.regions)
        s.speak(reported, s.reply(reported))
        s.write(self.directory)
        # the call's lists lack two words, the reply's SEND is shorter
        call, reply = self.holes(self.path(s.name + s.suffix), 54 + 64)[2:]
        self.assertEqual([hole[2] for hole in call], ["snapped"])
        self.assertEqual(reply, [(0, 600, "snapped")])


    def test_a_truncated_callback_is_named_by_what_was_captured(self):
        """CB_SEQUENCE only precedes the operation that the callback is for."""
        s = Session("callback", "")
        c = s.peers()
        s.answer(s.call(c, nfs.compound(s.new_xid(), nfs.putfh())), nfs.compound_reply(s.xid, (nfs.PUTFH, b"")))
        rpc = nfs.recall_41(s.new_xid())
        s.call(c, rpc, name=s.server)
        s.write(self.directory)
        names = {}
        for length in range(120, 300, 4):
            rows = map(json.loads, self.lines("operations", "--json", "-s", str(length), self.path(s.name + s.suffix)))
            names.update({length: row["name"] for row in rows if row["id"] == "0x%08x" % rpc.xid and "name" in row})
        found = list(names.values())
        self.assertEqual(sorted(set(found)), ["CB_COMPOUND", "CB_RECALL"], names)
        self.assertEqual(found, sorted(found), names)
        # lines show what it is for
        path = self.path(s.name + s.suffix)
        for arguments in ("messages", "--rpc", path), ("-r", path):
            line, = (line for line in self.lines(*arguments) if "CB_" in line)
            self.assertIn("CB_RECALL", line)
            self.assertNotIn("CB_SEQUENCE", line)


class Lengths(CliTest):
    """A READ of 41 bytes whose reply's list differs from the data written."""

    def reported(self, written, returned):
        s = Session("lengths", "")
        c = s.peers()
        regions = s.regions(100)
        call = s.call(c, nfs.read3(s.new_xid(), 100), writes=[regions])
        reported = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 41)), writes=[(0, regions)])
        regions[0].data = (regions[0].data + bytes(100))[:written]
        s.deliver(c, regions)
        s.speak(reported, s.reply(reported, lists=lists((), [[(regions[0].r_key, returned, regions[0].address)]])[0]))
        s.write(self.directory)
        rows = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", "--checksum", self.path(s.name + s.suffix))]
        return rows[1], crc(reported.rpc.whole.data)

    def test_padding_in_a_write_chunk_is_the_results(self):
        row, checksum = self.reported(44, 44)
        self.assertEqual((row["complete"], row["length"], row["crc32"]), (True, 88, checksum))

    def test_writes_after_the_result_are_not_part_of_it(self):
        row, checksum = self.reported(100, 41)
        self.assertEqual((row["complete"], row["length"]), (True, 88))
        self.assertIn(row.get("crc32"), (None, checksum))


class Table(CliTest):
    """Values that other programs show only when they read a capture twice, or not at all."""

    def rpc_captures(self):
        return [os.path.join(TESTDATA, name) for name in sorted(os.listdir(TESTDATA)) if name.startswith("rpc_") and name.endswith(".pcap")]

    def test_one_pass_is_enough(self):
        for capture in self.rpc_captures():
            for arguments in (("messages", "--rpc", "--json", "--checksum"), ("-T", "fields", *COLUMNS[:-2])):
                with open(capture, "rb") as standard_input:
                    through = self.lines(*arguments, "-r", "-", stdin=standard_input)
                self.assertEqual(through, self.lines(*arguments, "-r", capture), (capture, arguments))

    def test_malformed_bodies_are_anomalies_in_every_output(self):
        for name in ("rpc_hostile-xdr", "rpc_hostile-replies", "rpcrdma-rpc"):
            capture = os.path.join(TESTDATA, name + ".pcap")
            shown = [line for line in self.lines("-r", capture) if "[malformed]" in line]
            self.assertTrue(shown)
            self.assertEqual(self.lines("-r", capture, "-Y", 'rdmatap.anomaly == "malformed"'), shown)
            self.assertEqual(len([line for line in self.lines("-r", capture, "-V") if "[Anomaly malformed" in line]), len(shown))
            objects = [json.loads(line) for line in self.lines("-r", capture, "-T", "json")]
            self.assertEqual(len([one for one in objects if "malformed" in one.get("rdmatap.anomaly", [])]), len(shown))
            fields = self.lines("-r", capture, "-T", "fields", "-e", "rdmatap.anomaly")
            self.assertEqual(len([line for line in fields if "malformed" in line]), len(shown))

    def test_messages_put_together_from_chunks_are_well_formed(self):
        for capture in self.rpc_captures():
            if "hostile" not in capture:
                malformed = [line for line in self.lines("-r", capture, "-V") if "Anomaly malformed" in line]
                self.assertEqual(malformed, [], capture)
        # each wrong value except the one that only slightly exceeds the chunk
        self.assertGreater(len([line for line in self.lines("-r", os.path.join(TESTDATA, "rpc_hostile-xdr.pcap"), "-V")
                                if "Anomaly malformed" in line]), 10)

    def test_a_reply_chunk_is_read_beside_write_chunks(self):
        rows = self.lines("-r", os.path.join(TESTDATA, "rpc_reply-chunk.pcap"), "-Y", "rpc.msgtyp == 1 && nfs.opcode", "-T", "fields",
                          "-e", "rpcordma.xid", "-e", "nfs.opcode", "-e", "nfs.name")
        names = ",".join(name.decode() for name in NAMES)
        self.assertEqual(rows, ["0x5e55000%d\t22,25,26\t%s" % (number, names) for number in (4, 5)])

    def test_a_reply_chunk_after_its_send_is_not_taken_for_the_whole_reply(self):
        s = Session("reply-chunk-late", "")
        c = s.peers()
        reported = long_reply(s, c, read=301, segments=(600,))
        data, reply = s.push(c, reported.regions)
        s.put(*data)
        s.speak(reported, s.reply(reported))
        s.put(*reply)
        s.write(self.directory)
        capture = self.path(s.name + s.suffix)
        self.assertEqual(self.lines("-r", capture, "-Y", "rpc.msgtyp == 1"), [])
        _, row = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", "--checksum", capture)]
        self.assertEqual((row["complete"], row.get("crc32")), (True, crc(reported.rpc.whole.data)))

    def test_without_connection_management_replies_are_known_by_their_calls(self):
        for name, procedures in (("read-chunk", {WRITE}), ("write-chunk", {READ}), ("reply-chunk", {READDIR})):
            rows = [line.split("\t") for line in self.lines(
                "-r", os.path.join(TESTDATA, "rpc_no-cm-%s.pcap" % name), "-Y", "rpc.msgtyp == 1 && rpc.repframe", "-T", "fields",
                "-e", "rpc.program", "-e", "rpc.programversion", "-e", "nfs.procedure_v3", "-e", "nfs.status3")]
            self.assertGreater(len(rows), 0, name)
            self.assertEqual({row[2] for row in rows if row[1] == "3"}, procedures, name)
            self.assertEqual({row[0] for row in rows}, {"100003"}, name)

    def test_short_sends_are_nothing_but_short(self):
        capture = os.path.join(TESTDATA, "conn_short.pcap")
        self.assertEqual(self.good("-r", capture, "-Y", "rdmatap.anomaly || rpcordma || rpc"), b"")


class Versions(CliTest):
    def with_header(self, name, call, at, value):
        """What the frame of a call shows, and the rules of `check` that it breaks, with another word in its header."""
        with open(os.path.join(TESTDATA, name), "rb") as f:
            capture = f.read()
        row = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", self.path("a.pcap", capture)) if "rpc_call" in line][call]
        at += capture.index(row["xid"].to_bytes(4, "big") + (1).to_bytes(4, "big"))
        changed = self.path("b.pcap", capture[:at] + value.to_bytes(4, "big") + capture[at + 4:])
        fields = self.lines("-r", changed, "-Y", "frame.number == %d" % row["first_frame"], "-T", "fields", "-e", "rpcordma.version", "-e", "rpcordma.msg_type")
        done = self.run_program("check", "--no-check-icrc", "--json", changed)
        rules = {json.loads(line)["rule"] for line in done.stdout.splitlines() if json.loads(line).get("frame") == row["first_frame"]}
        return fields[0], rules & {"rpcrdma-version", "rpcrdma-type"}

    def test_another_version_or_type_is_known_by_its_connection(self):
        """RFC 8166, 4.2: a responder refuses them. Earlier messages identified RPC-over-RDMA; any value is a header's only if the setup did too."""
        for name, has_setup in (("rpc_write-chunk.pcap", True), ("rpc_no-cm-write-chunk.pcap", False)):
            for version in (0, 2, 255, 0x100, 0x01000000):
                shown = ("%d\t0" % version, {"rpcrdma-version"}) if has_setup or 0 < version < 0x100 else ("\t", set())
                self.assertEqual(self.with_header(name, 1, 4, version), shown, name)
            for kind in (5, 255, 0x100, 0x01000000):
                shown = ("1\t%d" % kind, {"rpcrdma-type"}) if has_setup or kind < 0x100 else ("\t", set())
                self.assertEqual(self.with_header(name, 1, 12, kind), shown, name)

    def test_another_version_or_type_is_unknown_without_an_earlier_message(self):
        for version in (0, 2, 0x100):
            self.assertEqual(self.with_header("rpc_no-cm-write-chunk.pcap", 0, 4, version), ("\t", set()))
        self.assertEqual(self.with_header("rpc_no-cm-write-chunk.pcap", 0, 12, 0x100), ("\t", set()))

    def test_a_call_of_another_version_of_rpc(self):
        """RFC 5531, 9: rpcvers is two. The header is not too short: its version is wrong, and what follows is unknown."""
        with open(os.path.join(TESTDATA, "rpc_write-chunk.pcap"), "rb") as f:
            capture = f.read()
        call = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", self.path("a.pcap", capture)) if "rpc_call" in line][1]
        at = capture.index(call["xid"].to_bytes(4, "big") + bytes(4) + (2).to_bytes(4, "big")) + 8
        for version in (1, 3):
            changed = self.path("b.pcap", capture[:at] + version.to_bytes(4, "big") + capture[at + 4:])
            rows = self.lines("-r", changed, "-Y", "frame.number == %d" % call["first_frame"], "-T", "fields", "-e", "rpc.version", "-e", "rpc.program",
                              "-e", "rdmatap.anomaly")
            self.assertEqual(rows, ["%d\t\tbad_version" % version])

    def test_numbers_without_a_name_say_what_they_are(self):
        """A reply's state, an error and a message type that RFC 5531 and RFC 8166 do not define."""
        with open(os.path.join(TESTDATA, "rpc_write-chunk.pcap"), "rb") as f:
            capture = f.read()
        calls = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", self.path("a.pcap", capture)) if "rpc_reply" in line]
        xid = calls[1]["xid"].to_bytes(4, "big")
        reply, header = capture.index(xid + (1).to_bytes(4, "big") + bytes(16)), capture.rindex(xid + (1).to_bytes(4, "big"), 0, capture.rindex(xid))
        for at, value, text in ((reply + 20, 9, " status 9"), (header + 12, 7, "RPC/RDMA type 7 xid")):
            changed = self.path("b.pcap", capture[:at] + value.to_bytes(4, "big") + capture[at + 4:])
            self.assertIn(text, self.lines("-r", changed, "--wide", "-Y", "frame.number == %d" % calls[1]["first_frame"])[0])


class Older(CliTest):
    """A WRITE by READs of the client's memory. Before its call, packets of the server are lost from the capture; after it, a SEND of the client."""

    def call_after(self, name, lose, pause=0.0):
        s = Session("older", name)
        c = s.peers()
        before = s.call(c, nfs.write3(s.new_xid(), data_of(s, 50)), reads=[(0, s.regions(50), False)])
        pulled = s.pull(c, [r for _, r, _, _ in before.places])
        lose(s, c, pulled)
        s.pause(pause)
        regions = s.regions(300, 200)
        call = s.call(c, nfs.write3(s.new_xid(), data_of(s, 500)), reads=[(0, regions, False)])
        s.transfer(c, regions)
        s.answer(before, nfs.write3_reply(before.rpc.xid, 50))
        c.send("a", 0, data=bytes(60))
        s.call(c, nfs.read3(s.new_xid(), 10))
        s.write(self.directory)
        rows = [json.loads(line) for line in self.lines("messages", "--rpc", "--json", "--checksum", self.path(s.name + s.suffix))]
        row, = (row for row in rows if row["xid"] == call.rpc.xid)
        return row["complete"], row.get("crc32") == crc(call.rpc.whole.data)

    def test_a_request_is_no_reply_if_its_data_was_captured(self):
        # the request of a READ is lost, not its response
        self.assertEqual(self.call_after("read", lambda s, c, pulled: s.put(*pulled[0][1])), (True, True))

    def test_a_lost_packet_acknowledged_long_before_the_call_is_not_its_reply(self):
        def lose(s, c, pulled):
            s.put(pulled[0][0], *pulled[0][1])
            c.send("b", 0, data=bytes(60))
            later = c.send("b", 0, data=bytes(60))
            s.put(*later, c.ack(later[-1]))

        self.assertEqual(self.call_after("sent", lose, pause=0.01), (True, True))
        # packets of one direction can change their order for a moment: it can be the reply, and the next call can have the same memory
        self.assertEqual(self.call_after("late", lose), (False, False))


class LostAround(CliTest):
    """iWARP: after a call, stream bytes of both directions are lost, then its memory is used: by it, or by a call that was lost, after its reply."""
    KEY, ADDRESS, DATA = 0x1234, 0x7f0000001000, bytes(range(1, 201))

    def rows(self, chunks, use):
        """The messages; chunks: of the call; use: what follows the losses."""
        c = iwarp_scene.Connection(20049)
        c.put(*self.speak("a", nfs.read3(1, 10)), *self.speak("b", nfs.read3_reply(1, bytes(10))), *self.speak("a", self.call, chunks, self.is_write))
        for end in "ba":
            c.put(*self.speak(end, nfs.read3(7, 10)))
            del c.frames[-1]
        for step in use:
            c.put(*step)
        for end in "ab":
            c.put(*self.speak(end, nfs.read3(9, 10)))
        c.write_capture(self.path("lost.pcap"))
        return {(row["xid"], row["kind"]): row for row in map(json.loads, self.lines("messages", "--rpc", "--json", "--checksum", self.path("lost.pcap")))}

    def speak(self, end, rpc, chunks=None, without=False):
        data = cut(rpc.whole.data, kept(rpc.whole, [0])) if without else rpc.whole.data
        return iwarp_scene.Connection.send(None, end, 0, data=header(rpc.xid, MSG, lists()[0] if chunks is None else chunks).data + data)

    def check(self, is_write):
        self.is_write, make = is_write, iwarp_scene.Connection
        self.call, back = (nfs.write3(2, self.DATA), nfs.write3_reply(2, 200)) if is_write else (nfs.read3(2, 200), nfs.read3_reply(2, self.DATA))
        whole = (self.call if is_write else back).whole
        used = lists((), [[(self.KEY, 200, self.ADDRESS)]])[0]
        chunks = lists([(whole.eligible[0][0], self.KEY, 200, self.ADDRESS)])[0] if is_write else used
        for is_own in (True, False):
            data = self.DATA if is_own else self.DATA[::-1]
            if is_write:
                request, response = make.read(None, "b", 200, self.KEY, self.ADDRESS, data)
                moved, other = [[request], response], nfs.write3_reply(8, 200)
            else:
                moved, other = [make.write(None, "b", 200, self.KEY, self.ADDRESS, data)], nfs.read3_reply(8, data)
            rows = self.rows(chunks, moved + [self.speak("b", back if is_own else other, None if is_write else used, not is_write)])
            row = rows.get((2, "rpc_call" if is_write else "rpc_reply"))
            self.assertEqual((row["complete"], row.get("crc32")) if row else (False, None), (is_own, crc(whole.data) if is_own else None))

    def test_writes_are_the_calls_if_its_reply_comes_after_them(self):
        self.check(False)

    def test_reads_are_the_calls_if_its_reply_comes_after_them(self):
        self.check(True)
