# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap messages and rdmatap connections."""
import collections
import json
import os
import re
import signal

from cli import CliTest, INFINIBAND, PipeTest, RPING, TESTDATA, TIMEOUT, captures, interrupt_while_blocked, is_drained_and_waiting, is_blocked_on_output, read, \
    records, wait_until
from conversation import Scene

OTHER = os.path.join(TESTDATA, "roce-rping-v6.pcap")
LOSSY = os.path.join(TESTDATA, "conn_loss-acked.pcap")
BOTH = ("messages", "connections")


class CommandTest(CliTest):
    def objects(self, command, *arguments):
        return [json.loads(line) for line in self.lines(command, "--json", *arguments)]


class Usage(CommandTest):
    def test_wrong_command_lines_are_refused(self):
        for command in BOTH:
            for message, arguments in (
                    ("nothing to read (name a capture file", ()),
                    ("-z: no such option", ("-z", RPING)),
                    ("--bogus: no such option", ("--bogus", RPING)),
                    ("-E: no such option", ("-E", "header=y", RPING)),
                    ("-w: no such option", ("-w", "x", RPING)),
                    ("--json=1: no such option", ("--json=1", RPING)),
                    ("-c 0: not a number", ("-c", "0", RPING)),
                    ("-f: needs an argument", (RPING, "-f")),
                    ("FILE: the name of the file is empty", ("",)),
                    ("missing: No such file", (RPING, self.path("missing"))),
                    ('capture filter "foo bar"', ("-f", "foo bar", RPING)),
                    ("this link type has no BPF", ("-f", "ip", INFINIBAND))):
                with self.subTest(command=command, arguments=arguments):
                    self.assertEqual(self.bad(message, command, *arguments), b"")
        self.bad("-Y: column ", "messages", "-Y", "ip.src ==", RPING)

    def test_a_filter_that_passes_no_packet_of_a_message_is_reported(self):
        for command, text, expected in (("messages", "infiniband.bth.opcode == 17", True), ("messages", "infiniband.bth.opcode == 4", False),
                                        ("messages", "infiniband.bth.opcode == 255", False), ("operations", "infiniband.bth.opcode == 17", True)):
            numbers = self.lines("-r", RPING, "-Y", text, "-T", "fields", "-e", "frame.number")
            done = self.run_program(command, "-Y", text, RPING)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(b"rdmatap: -Y: frame %s passes, but no packet" % numbers[0].encode() in done.stderr if numbers else False, expected, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1 if numbers == [] or expected else 0, done.stderr)
            if not numbers:
                self.assertEqual(done.stderr, b"rdmatap: none of 53 messages is selected\n")

    def test_options_of_messages_only(self):
        for option in ("-x", "--checksum", "--incomplete", "--rpc"):
            self.bad(option + ": no such option", "connections", option, RPING)

    def test_sizes_of_memory_are_understood(self):
        for size in ("64M", "1M", "1G", "2048K", "1048576", "0x100000"):
            for command in BOTH:
                self.assertEqual(self.good(command, "--max-memory", size, RPING), self.good(command, RPING), size)
        for size in ("0", "1x", "-5", "", "M", "1K", "1048575", "1MM", "1.5M", " 64M", "64m", "99999999999999999999", "99999999999G"):
            self.bad("--max-memory %s: not a size of at least 1M" % size, "messages", "--max-memory", size, RPING)

    def test_files_are_named_with_or_without_r(self):
        for command in BOTH:
            whole = self.good(command, RPING, OTHER)
            self.assertEqual(self.good(command, "-r", RPING, "-r", OTHER), whole)
            self.assertEqual(self.good(command, "-r", RPING, OTHER, "-n", "-l"), whole)
            self.assertEqual(self.good(command, "--", RPING, OTHER), whole)
            self.assertEqual(self.good(command, "-", input=read(RPING)), self.good(command, RPING))


class Messages(CommandTest):
    def test_they_are_numbered_in_the_order_of_first_frames(self):
        for capture in captures():
            found = self.objects("messages", capture)
            self.assertEqual([m["message"] for m in found], list(range(1, len(found) + 1)), capture)
            # responses wait until their request may be found
            firsts = [m["first_frame"] for m in found if m["kind"] != "read" or "r_key" in m]
            self.assertEqual(firsts, sorted(firsts), capture)
            for m in found:
                self.assertLessEqual(m["first_frame"], m["last_frame"])
                self.assertLessEqual(m.get("frames", 1), m["last_frame"] - m["first_frame"] + 1)

    def test_rpcs_have_the_time_that_was_lost_to_their_chunks(self):
        found = self.objects("messages", os.path.join(TESTDATA, "rpc_restarted.pcap"))
        lost = [(m["kind"], m["time_lost"], m["lost_to"]) for m in found if m.get("time_lost")]
        # each READ is listed after its call, the WRITE before its reply
        self.assertEqual([lost[i][0] for i in range(6)], ["rpc_call", "read", "rpc_call", "read", "write", "rpc_reply"])
        for one, other in zip(lost[::2], lost[1::2]):
            self.assertEqual(one[1:], other[1:])
        self.assertEqual([m["resent"] for m in found if m.get("resent")],
                         [m["repeats"] for m in found if m["kind"] in ("read", "write") and m["repeats"]])
        text = self.lines("messages", os.path.join(TESTDATA, "rpc_restarted.pcap"))
        shown = [re.search(r", ([0-9.]+) (us|ms|s) lost", line) for line in text]
        shown = [float(found[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1}[found[2]] for found in shown if found]
        self.assertEqual(len(shown), len(lost))
        for seconds, (_, exact, _) in zip(shown, lost):
            self.assertAlmostEqual(seconds / exact, 1, delta=0.006)

    def test_text_and_json_report_of_the_same(self):
        for capture in (RPING, LOSSY, os.path.join(TESTDATA, "conn_verbs.pcap"), os.path.join(TESTDATA, "roce-mckey.pcap")):
            text = self.lines("messages", "--checksum", capture)
            found = self.objects("messages", "--checksum", capture)
            self.assertEqual(len(text), len(found))
            for line, m in zip(text, found):
                self.assertTrue(line.lstrip().startswith("%d " % m["message"]), line)
                for reported in (" %d B, " % m["length"], "frame", "crc32 " + m["crc32"] if "crc32" in m else ""):
                    self.assertIn(reported, line)
                self.assertEqual("incomplete" in line, not m["complete"], line)

    def test_several_files_are_merged(self):
        one, two, both = (self.objects("messages", *files) for files in ((RPING,), (OTHER,), (OTHER, RPING)))
        self.assertEqual(len(both), len(one) + len(two))
        self.assertEqual([m["message"] for m in both], list(range(1, len(both) + 1)))
        self.assertEqual([m["time"] for m in both], sorted((m["time"] for m in one + two), key=float))
        self.assertEqual(len(self.objects("connections", OTHER, RPING)), 2)

    def test_a_message_may_begin_in_one_file_and_end_in_another(self):
        header, found = records(read(LOSSY))
        at = [len(header)]
        for _, frame, _ in found:
            at.append(at[-1] + 16 + len(frame))
        content = read(LOSSY)
        for middle in (5, 15, 26):
            halves = self.path("a.pcap", content[:at[middle]]), self.path("b.pcap", header + content[at[middle]:])
            for command in BOTH:
                self.assertEqual(self.good(command, *halves), self.good(command, LOSSY))

    def test_count_and_capture_filter_limit_the_input(self):
        whole = self.objects("messages", RPING)
        some = self.objects("messages", "-c", "40", RPING)
        self.assertEqual([m["first_frame"] for m in some], [m["first_frame"] for m in whole if m["first_frame"] <= 40])
        one_way = self.objects("messages", "-f", "src host 10.0.0.2", RPING)
        self.assertTrue(one_way)
        self.assertEqual({m["status"] for m in one_way if m["kind"] == "send"}, {"unanswered"})
        self.assertEqual(self.run_program("messages", "-f", "arp", RPING).stdout, b"")

    def test_a_snap_length_makes_holes_and_no_wrong_bytes(self):
        for m in self.objects("messages", "--checksum", "-s", "70", RPING):
            self.assertEqual(m["complete"], not m["missing"])
            self.assertEqual({hole["reason"] for hole in m["missing"]} - {"snapped"}, set())
            self.assertEqual("crc32" in m, m["complete"])

    def test_a_display_filter_selects_messages_by_any_of_their_packets(self):
        whole = self.objects("messages", OTHER)
        for text, wanted in (("infiniband.bth.opcode == 12", lambda m: m["kind"] == "read"),
                             ("infiniband.bth.opcode in {13, 15}", lambda m: m["kind"] == "read"),
                             ("infiniband.bth.opcode == 8", lambda m: m["kind"] == "write"),
                             ('rdmatap.message.verb == "write"', lambda m: m["kind"] == "write"),
                             ("infiniband.cm", lambda m: m["kind"] == "mad"),
                             ("frame.number == 20", lambda m: m["first_frame"] <= 20 <= m["last_frame"]),
                             ("arp", lambda m: False), ("", lambda m: True)):
            self.assertEqual(self.objects("messages", "-Y", text, OTHER), [m for m in whole if wanted(m)], text)

    def test_only_incomplete_ones(self):
        for capture in (RPING, LOSSY, os.path.join(TESTDATA, "conn_uc.pcap")):
            whole = self.objects("messages", capture)
            self.assertEqual(self.objects("messages", "--incomplete", capture), [m for m in whole if not m["complete"]])

    def test_only_rpc_calls_and_replies(self):
        for name in ("roce-nfs3-long.pcap", "roce-nfs42-long.pcap", "rpcrdma-rpc.pcap", "roce-rping-v4.pcap"):
            capture = os.path.join(TESTDATA, name)
            whole = self.objects("messages", "--checksum", capture)
            found = self.objects("messages", "--checksum", "--rpc", capture)
            self.assertEqual(found, [m for m in whole if "xid" in m])
            numbers = {m["message"]: m for m in found}
            for m in found:
                if "answer" in m:
                    self.assertEqual(numbers[m["answer"]]["request"], m["message"])
                    self.assertEqual(numbers[m["answer"]]["xid"], m["xid"])
        capture = os.path.join(TESTDATA, "roce-nfs3-long.pcap")
        self.assertEqual([m["procedure"] for m in self.objects("messages", "--rpc", "-Y", "frame.number == 75", capture)], [10])

    def test_bytes_are_shown_on_request(self):
        text = self.good("messages", "-x", LOSSY).decode()
        parts = re.split(r"^(?= *\d+ \d+\.\d{6}(?:\d{3})? )", text, flags=re.M)[1:]
        found = self.objects("messages", "-x", LOSSY)
        self.assertEqual(len(parts), len(found))
        for part, m in zip(parts, found):
            rows = re.findall(r"^[0-9a-f]{4,}  ([0-9a-f ]{48})  ", part, re.M)
            self.assertEqual("".join(rows).replace(" ", ""), m.get("bytes", ""))
            self.assertEqual(len(m.get("bytes", "")), 2 * m["length"] if m["complete"] else 0)

    def test_damaged_frames_give_nothing(self):
        damaged = os.path.join(TESTDATA, "conn_bad-icrc.pcap")
        self.assertLess(len([m for m in self.objects("messages", "--check-icrc", damaged) if m["complete"]]),
                        len([m for m in self.objects("messages", damaged) if m["complete"]]))


class Connections(CommandTest):
    def test_text_reports_each_life(self):
        text = self.lines("connections", os.path.join(TESTDATA, "conn_cm.pcap"))
        self.assertEqual([line.split()[-1] for line in text[1:]],
                         ["rdma_connect", "rdma_accept", "established", "rdma_disconnect", "disconnected"])
        self.assertRegex(text[0], "^#1 .* RC 10.0.0.2:0x11 > 10.0.0.1:0x22, tcp port 20049, by CM, 23 packets, 6 messages, 2.94 KB in ")
        text = self.lines("connections", os.path.join(TESTDATA, "roce-rping-reject.pcap"))
        self.assertRegex(text[2], "rdma_reject reason 8: invalid service ID$")

    def test_anomalies_and_rejects_are_coloured(self):
        yellow, red = "\033[33m", "\033[31m"
        for name, colour, text in (("roce-rping-reject.pcap", red, "rdma_reject reason 8"), ("conn_rnr.pcap", yellow, "#1 ")):
            lines = self.lines("connections", "--color", "always", os.path.join(TESTDATA, name))
            self.assertTrue([line for line in lines if line.startswith(colour) and text in line and line.endswith("\033[0m")], lines)
            self.assertEqual([re.sub("\033\\[\\d+m", "", line) for line in lines],
                             self.lines("connections", "--color", "never", os.path.join(TESTDATA, name)))
        reject = [line for line in self.lines("-r", os.path.join(TESTDATA, "roce-rping-reject.pcap"), "--color", "always") if "CM REJ" in line]
        self.assertTrue(reject and all(line.startswith(red) for line in reject), reject)

    def test_lines_of_lost_time_are_coloured(self):
        """And no others, if nothing is missing."""
        path = os.path.join(TESTDATA, "roce-nfs3-write-lost.pcap.gz")
        for command in ("messages", "operations"):
            lost = [bool(row.get("time_lost")) or not row["complete"] for row in self.objects(command, path)]
            self.assertIn(True, lost)
            self.assertIn(False, lost)
            self.assertEqual([line.startswith("\033[33m") for line in self.lines(command, "--color", "always", path)], lost, command)

    def test_connections_are_wide(self):
        path = os.path.join(TESTDATA, "conn_v1.pcap")
        self.assertNotIn(", by CM,", self.lines("connections", path)[0])
        self.assertIn(", by CM,", self.lines("connections", "--wide", path)[0])

    def test_lines_are_short(self):
        """In captures with IPv4, lines of messages and connections fit 120 columns."""
        for command, name in (("messages", "roce-nfs3.pcap.gz"), ("messages", "ends/roce-loss.A.pcap.gz"), ("messages", "roce-nfs3-long-snap96.pcap"), ("messages", "iwarp-nfs3-crctso.pcap.gz"), ("messages", "roce-nvmeof.pcap.gz"),
                              ("connections", "roce-nfs3.pcap.gz"), ("connections", "roce-cmtime.pcap")):
            lines = self.lines(command, os.path.join(TESTDATA, name))
            self.assertEqual([line for line in lines if len(line) > 120], [], (command, name))

    def test_connections_have_one_number_in_all_commands(self):
        """Also if only the content shows which directions belong together: without setup and acknowledgements."""
        cut = self.path("cut.pcap")
        for name in ("roce-nvmeof.pcap.gz", "roce-srp.pcap.gz", "roce-nfs3.pcap.gz"):
            path = os.path.join(TESTDATA, name)
            if not os.path.exists(path):
                continue
            self.good("-r", path, "-Y", "!(infiniband.bth.opcode == 17) && !infiniband.mad", "-w", cut)
            listed = {one["connection"] for one in self.objects("connections", cut)}
            self.assertEqual({one["connection"] for one in self.objects("messages", cut) if "connection" in one}, listed, name)
            self.assertEqual({one["connection"] for one in self.objects("stats", cut) if one["type"] == "connection"}, listed, name)

    def test_sums_of_messages_and_connections_agree(self):
        for capture in captures():
            connections = self.objects("connections", capture)
            # RPCs over RDMA consist of other messages
            plain = {c["connection"] for c in connections if c["transport"] in ("TCP", "UDP")}
            counts = collections.Counter(m["connection"] for m in self.objects("messages", capture)
                                         if "connection" in m and ("verb" in m or m["connection"] in plain))
            reported = {c["connection"]: c["messages"] for c in connections if c["messages"]}
            self.assertEqual(reported, counts, capture)


class Ends(PipeTest):
    def test_an_empty_capture_gives_nothing(self):
        for command in BOTH:
            for arguments in ((), ("--json",)):
                done = self.run_program(command, os.path.join(TESTDATA, "empty.pcap"), *arguments)
                self.assertEqual((done.returncode, done.stdout), (0, b""))
                self.assertEqual(done.stderr, b"rdmatap: no %s: no packets were read\n" % command.encode())

    def test_the_readable_part_of_a_damaged_file_is_reported(self):
        content = read(RPING)
        cut = 24 + sum(16 + len(record[1]) for record in records(content)[1][:50]) + 20
        broken = self.path("cut.pcap", content[:cut])
        for command in BOTH:
            self.assertEqual(self.bad("frame 51: at byte ", command, broken), self.good(command, "-c", "50", RPING))
            shown = self.bad("cut.pcap: frame 51", command, broken, OTHER)
            self.assertGreater(len(shown), len(self.good(command, OTHER)))

    def test_a_closed_output_pipe_ends_it_quietly(self):
        big = self.path("big.pcap", read(RPING)[:24] + read(RPING)[24:] * 50)
        for arguments in (("messages", big), ("messages", "--json", "-l", big), ("messages", "-x", big), ("connections", big),
                          ("connections", "--json", RPING)):
            process = self.start(*arguments)
            process.stdout.read(1)
            process.stdout.close()
            self.assertEqual((process.wait(60), process.stderr.read()), (0, b""), arguments)

    def test_an_interrupt_reports_the_packets_read(self):
        for command in BOTH:
            for number in (signal.SIGINT, signal.SIGTERM):
                process = self.start(command, "-")
                process.stdin.write(read(RPING))
                wait_until(lambda: is_drained_and_waiting(process))
                process.send_signal(number)
                self.assertEqual(self.finish(process), self.good(command, RPING))

    def test_a_second_interrupt_ends_reporting_with_a_whole_line(self):
        large = [name for name in captures() if "roce-nfs" in name and "snap" not in name]
        whole = self.good("messages", "--json", *large)
        process = self.start("messages", "--json", *large)
        wait_until(lambda: is_blocked_on_output(process))
        for _ in range(2):
            interrupt_while_blocked(process)
        output, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, errors)
        self.assertRegex(errors, rb"^rdmatap: interrupted: only [0-9]+ packets were processed\n$")
        self.assertTrue(whole.startswith(output) and output.endswith(b"\n"))
        self.assertLess(len(output), len(whole))

    def test_write_errors_are_reported(self):
        for command in BOTH:
            with open("/dev/full", "wb") as full:
                self.bad("standard output: ", command, RPING, stdout=full)
        path = self.path("in.pcap", read(RPING))
        with open(path, "ab") as stdout:
            self.bad("standard output is an input too", "messages", path, stdout=stdout)
        self.assertEqual(read(path), read(RPING))

    def test_verbose_counts(self):
        done = self.run_program("messages", "-v", LOSSY)
        self.assertRegex(done.stderr, rb"3 connections, 15 messages \(3 incomplete\); peak memory of state \d+ bytes")


class Memory(CommandTest):
    def half_open(self, count):
        scene = Scene("half-open", "")
        for i in range(count):
            half = scene.connection(a=("10.1.%d.%d" % divmod(i, 256), 0x100, 5), b=("10.0.0.9", 0x1000 + i, 5))
            scene.put(half.send("a", 600)[0])
        scene.write(self.directory)
        return self.path("conn_half-open.pcap")

    def test_evicted_messages_are_counted_and_never_complete(self):
        capture = self.half_open(5000)
        for command in BOTH:
            done = self.run_program(command, "--json", "--max-memory", "1M", capture)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rb"\d+ times state was evicted for lack of memory \(raise --max-memory\)")
            found = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual(len(found), 5000)
            if command == "messages":
                self.assertFalse([m for m in found if m["complete"]])
                self.assertTrue([m for m in found if m["missing"][-1]["reason"] == "evicted"])
            else:
                self.assertTrue([c for c in found if c["anomalies"].get("evicted")])
        self.assertEqual(self.run_program("messages", capture).stderr, b"")

    def test_a_large_message_is_exact_without_its_bytes(self):
        scene = Scene("large", "")
        talk = scene.connection()
        packets = talk.write("a", 2000 * 256 - 1)
        scene.put(*packets, talk.ack(packets[-1]))
        scene.write(self.directory)
        capture = self.path("conn_large.pcap")
        whole, = self.objects("messages", "--checksum", "-x", capture)
        small, = self.objects("messages", "--checksum", "-x", "--max-memory", "1M", capture)
        self.assertEqual(len(whole.pop("bytes")), 2 * whole["length"])
        self.assertTrue(small.pop("bytes_evicted"))
        self.assertEqual(small, whole)


class Anomalies(CommandTest):
    def anomalies(self, build):
        scene = Scene("again", "")
        c = scene.connection(port=20049).establish()
        build(scene, c)
        path = self.path("again.pcap")
        scene.write_capture(path)
        connection, = self.objects("connections", path)
        self.assertEqual([m["complete"] for m in self.objects("messages", path) if m["kind"] != "mad"], [True] * len(scene.messages[3:]))
        return connection["anomalies"]

    def test_requests_lost_before_the_capture_and_sent_again_are_not_lost(self):
        def first(scene, c):
            lost, more = c.send("a", 600), c.send("a", 100)
            scene.put(*more, c.ack(lost[0], 0x60), *lost, *more, c.ack(more[0]))

        def later(scene, c):
            before, lost, more = c.send("a", 100), c.send("a", 600), c.send("a", 100)
            scene.put(*before, c.ack(before[0]))
            scene.pause(1.5)
            scene.put(*more, c.ack(lost[0], 0x60))
            scene.pause(0.1)
            scene.put(*lost, *more, c.ack(more[0]))

        for build in (first, later):
            self.assertEqual(self.anomalies(build), {"nak_sequence": 1, "retransmission": 4}, build.__name__)

    def test_an_atomic_answered_again_long_after_is_no_answer_to_nothing(self):
        def build(scene, c):
            request, response = c.atomic("a", 0x14, 0, 1, 5)
            scene.put(request, response)
            scene.pause(1.5)
            more = c.send("a", 100)
            scene.put(request, response, *more, c.ack(more[0]))

        self.assertEqual(self.anomalies(build), {"retransmission": 2})


class SourceQueuePairs(CliTest):
    """The sender's queue pair, which data packets do not contain, is the one of its CM messages."""

    def fields(self, capture, *names):
        return [line.split("\t") for line in self.lines("-r", capture, "-T", "fields", *(word for name in names for word in ("-e", name)))]

    def test_each_packet_has_the_queue_pair_of_the_handshake(self):
        for capture in ("conn_loss-unacked.pcap", "conn_go-back-n.pcap", "conn_order-ack.pcap", "conn_many-reads.pcap"):
            rows = self.fields(os.path.join(TESTDATA, capture), "ip.src", "ip.dst", "infiniband.bth.destqp", "rdmatap.srcqp", "infiniband.bth.opcode",
                               "infiniband.cm.req", "infiniband.cm.req.localqpn", "infiniband.cm.rep.remotecommid", "infiniband.cm.rep.localqpn")
            requests = {row[5]: (row[0], row[6]) for row in rows if row[6]}
            peers = {}
            for source, *_, request, qpn in rows:
                if qpn and request in requests:
                    client, client_qpn = requests[request]
                    peers[client, source, qpn], peers[source, client, client_qpn] = client_qpn, qpn
            checked = [(row[3], peers[tuple(row[:3])]) for row in rows if tuple(row[:3]) in peers]
            self.assertTrue(peers and len(checked) > 4, capture)
            self.assertTrue(all(found == expected for found, expected in checked), (capture, checked))
            self.assertFalse([row for row in rows if row[2] == "0x000001" and row[3]], capture)
