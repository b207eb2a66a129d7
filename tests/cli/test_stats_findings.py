# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap stats: each rule of the findings, above and below its threshold."""
import collections
import os
import re
import shlex
import subprocess
import unittest

import capfile
import nccl
import nfs
import smb
import storage_jobs
from cli import PROGRAM, RPING, TESTDATA, TESTS, captures, read, records
from conversation import Scene
from session import Session
from stats import NAK_ACCESS, NAK_INVALID, NAK_OPERATION, NAK_SEQUENCE, RNR, StatsTest, testdata
from wire_schedule import CNP, MS, QPA, QPB, SEND_ONLY, US, Schedule, pfc, rnr_to_the_end, roce, slow_writes, talk, with_closed_window, with_fast_retransmits, with_timeouts


class Findings(StatsTest):
    def documented(self):
        with open(os.path.join(os.path.dirname(TESTDATA), "doc", "stats.md"), encoding="utf-8") as lines:
            return re.findall(r"^\| `(\w+)` \| (?:error|warning|note) \|", lines.read(), re.M)

    def repeated(self, name, count, say):
        """A connection with `count` times what say(scene, talk) puts into it."""
        scene = Scene(name, "")
        talk = scene.connection(port=20049).establish()
        for _ in range(count):
            say(scene, talk)
        return self.written(scene)

    def again(self, count, pause):
        def say(scene, talk):
            packets = talk.send("a", 100)
            scene.put(*packets)
            scene.pause(pause)
            scene.put(*packets, talk.ack(packets[-1]))
        return self.repeated("repeats", count, say)

    def refused(self, syndrome, count):
        def say(scene, talk):
            packets = talk.send("a", 100)
            scene.put(talk.ack(packets[0], syndrome), *packets, talk.ack(packets[-1]))
        return self.repeated("refused", count, say)

    def sent_again_after(self, syndrome, count):
        """Each SEND is retransmitted immediately after a NAK."""
        def say(scene, talk):
            packets = talk.send("a", 100)
            scene.put(*packets, talk.ack(packets[0], syndrome), *packets, talk.ack(packets[-1]))
        return self.repeated("after", count, say)

    def lacking(self, count):
        """READs restarted at once because a response is missing."""
        def say(scene, talk):
            request, responses = talk.read("a", 1000)
            again, rest = talk.read_again(request, responses, 2)
            scene.put(request, responses[0], responses[1], responses[3], again, *rest)
        return self.repeated("lacking", count, say)

    def tried(self, *pauses):
        """A SEND that is retransmitted after each of these times and never acknowledged."""
        scene = Scene("tried", "")
        talk = scene.connection(port=20049).establish()
        packets = talk.send("a", 100)
        scene.put(*packets)
        for pause in pauses:
            scene.pause(pause)
            scene.put(*packets)
        return self.written(scene)

    def restarted(self, count):
        def say(scene, talk):
            request, responses = talk.read("a", 1000)
            again, rest = talk.read_again(request, responses, 2)
            scene.put(request, *responses[:2])
            scene.pause(0.1)
            scene.put(again, *rest)
        return self.repeated("restarts", count, say)

    def marked(self, count, answered):
        def say(scene, talk):
            packets = talk.send("a", 100)
            scene.put(*packets, dsfield=3)
            scene.put(*([talk.notification("b")] if answered else []), talk.ack(packets[-1]))
        return self.repeated("marks", count, say)

    def silent(self, seconds):
        scene = Scene("silent", "")
        talk = scene.connection(port=20049).establish()
        other = scene.connection(a=("10.0.0.2", 0x12, 0x100), b=("10.0.0.1", 0x23, 0x900), port=20049).establish()
        scene.put(*talk.send("a", 100))
        scene.pause(seconds)
        packets = other.send("a", 100)
        scene.put(*packets, other.ack(packets[-1]))
        return self.written(scene)

    def session(self, calls=1, status=0, slow=0, answered=True, under_way=0):
        session = Session("rpcs", "")
        talk = session.peers()
        for i in range(calls):
            call = session.call(talk, nfs.read3(session.new_xid(), 10))
            session.pause(slow if i == calls - 1 else 0)
            session.answer(call, nfs.reply3(session.xid, nfs.READ3, nfs.ABSENT, status) if status else nfs.read3_reply(session.xid, b"x" * 10))
        waiting = [session.call(talk, nfs.read3(session.new_xid(), 10)) for _ in range(under_way)]
        for call in waiting:
            session.answer(call, nfs.read3_reply(call.rpc.xid, b"x" * 10))
        if not answered:
            packets = session.call(talk, nfs.read3(session.new_xid(), 10)) and session.last_said
            session.put(talk.ack(packets[-1]))
            session.pause(2)
            packets = talk.send("a", 10)
            session.put(*packets, talk.ack(packets[-1]))
        return self.written(session)

    def swapped(self, count):
        """At the end one is requested again."""
        scene = Scene("swaps", "")
        talk = scene.connection(port=20049).establish()
        scene.put(*talk.send("a", 10))
        for _ in range(count):
            one, two = talk.send("a", 10), talk.send("a", 10)
            scene.put(*two, *one, talk.ack(two[-1]))
        packets = talk.send("a", 10)
        scene.put(*packets, talk.ack(packets[0], NAK_SEQUENCE), *packets, talk.ack(packets[-1]))
        return self.written(scene)

    def clustered(self, close, apart, pause=0.006):
        scene = Scene("bursts", "")
        talk = scene.connection(port=20049).establish()
        for seconds in apart * [1.4] + close * [pause]:
            packets = talk.send("a", 100)
            scene.put(*packets)
            scene.pause(0.01)
            scene.put(*packets, talk.ack(packets[0]))
            scene.pause(seconds)
        return self.written(scene)

    def set_up(self, until_reply, until_ready, again=False, accepted=True):
        scene = Scene("setup", "")
        talk = scene.connection(port=20049)
        talk.request()
        scene.pause(until_reply)
        if again:
            talk.request(again=True)
        if accepted:
            talk.reply()
            scene.pause(until_ready)
            talk.ready()
        else:
            scene.put(*scene.connection(a=("10.0.0.5", 0x12, 0x100)).send("a", 10))
        return self.written(scene)

    def iwarp(self, change):
        """An rping over iWARP whose frames `change` alters: it takes and returns (time, bytes)."""
        header, frames = records(read(testdata("iwarp-rping-v4-crc.pcap")))
        path = self.path("iwarp-%d.pcap" % len(os.listdir(self.directory)))
        capfile.write_pcap(path, 1, [(time, data, len(data)) for time, data in change([(time, data) for time, data, _ in frames])])
        return path

    def segments_again(self, count):
        """`count` data segments of the client are retransmitted half a second later."""
        def change(frames):
            asked = [(time, data) for time, data in frames if len(data) > 100 and data[26:30] == frames[2][1][26:30]][-count:]
            return frames + [(frames[-1][0] + i * 10**6 + 5 * 10**8, data) for i, (_, data) in enumerate(asked)]
        return self.iwarp(change)

    def damaged_fpdus(self, place):
        """Changes a byte of the last of the longest segments: -10 is data of its FPDU, 19 is in the IP header."""
        def change(frames):
            longest = max(range(len(frames)), key=lambda i: (len(frames[i][1]), i))
            time, data = frames[longest]
            frames[longest] = time, data[:place] + bytes([data[place] ^ 1]) + data[place:][1:]
            return frames
        return self.iwarp(change)

    def scheduled(self, schedule, keep=lambda index: True, speed=None):
        path = self.path("schedule-%d.pcap" % len(os.listdir(self.directory)))
        return schedule.write_pcapng(path, speed) if speed else schedule.write_pcap(path, keep)

    def held_up(self, quanta):
        """A pause of so many microseconds in 10 ms."""
        schedule = talk(501)
        schedule.at(1 * MS, pfc("B", {3: quanta}))
        return self.scheduled(schedule, speed=512 * 10 ** 6)

    def lone_cnps(self):
        """So many queue pairs that the packets of the first ones are not credited when their connections are recognised."""
        schedule = Schedule()
        for i in range(1100):
            schedule.at(i, roce("B", CNP, 0x1000 + i, 0))
        return schedule

    def jobs(self, *jobs):
        return [job.save(self.path("job%d.pcap" % number)) for number, job in enumerate(jobs)]

    def scenes(self, *scenes):
        paths = [self.path("scene%d.pcap" % number) for number in range(len(scenes))]
        for path, scene in zip(paths, scenes):
            scene.write_capture(path)
        return paths

    def ring(self, late=0, lost=0):
        """NCCL: a host is late in one step, or a packet is lost and retransmitted after a timeout."""
        hosts = [nccl.Host(i + 1) for i in range(4)]
        nccl.ring(hosts, 8, 20000, late={(3, hosts[1]): late}, lost={(3, hosts[1]): lost} if lost else None)
        path = self.path("ring%d.pcap" % (late + lost))
        hosts[0].write(path, hosts[1:])
        return path

    def closed_window(self, times):
        return self.iwarp(lambda frames: with_closed_window(frames, 10 * MS) if times else frames)

    def test_a_capture_of_one_direction_has_no_findings_of_missing_answers(self):
        whole = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
        for sender in "10.0.0.1", "10.0.0.2":
            path = self.path("half.pcap")
            self.good("-r", whole, "-Y", "ip.src == " + sender, "-w", path)
            rules = self.rules(path)
            self.assertEqual(rules["one_direction"]["count"], rules["one_direction"]["of"])
            self.assertFalse([name for name in rules if "unanswered" in name])

    def test_ends_that_do_not_answer_are_not_a_capture_of_one_direction(self):
        dead, apart = Schedule(), Schedule()
        for i in range(20):
            dead.at(i * US, roce("A", SEND_ONLY, QPB, 100 + i, 0xc000, 64))
            dead.at(1000 * MS + i * US, roce("A", SEND_ONLY, QPB, 100 + i, 0xc000, 64))
            # nothing shows that these belong together
            apart.at(i * 2 * US, roce("A", SEND_ONLY, QPB, 100 + i, 0xc000, 64))
            apart.at(i * 2 * US + US, roce("B", SEND_ONLY, QPA, 7000 + i, 0xc001, 64))
        dead.at(3000 * MS, roce("A", SEND_ONLY, 0x300, 1, 0xc000, 64))
        rules = self.rules(self.scheduled(dead))
        self.assertNotIn("one_direction", rules)
        self.assertIn("unanswered", rules)
        self.assertNotIn("one_direction", self.rules(self.scheduled(apart)))

    def test_each_rule_has_findings_only_above_its_threshold(self):
        made = {
            "bad_icrc": lambda: ((testdata("conn_bad-icrc.pcap"), "--check-icrc"), (testdata("conn_bad-icrc.pcap"),)),
            "remote_access_error": lambda: (self.refused(NAK_ACCESS, 1), self.refused(NAK_OPERATION, 1)),
            "terminated": lambda: (testdata("iwarp-verbmix-err-badread-crc.pcap"), testdata("iwarp-rping-v4-crc.pcap")),
            "invalid_request": lambda: (self.refused(NAK_INVALID, 1), self.refused(NAK_ACCESS, 1)),
            "operational_error": lambda: (self.refused(NAK_OPERATION, 1), self.refused(NAK_INVALID, 1)),
            "unanswered": lambda: (self.silent(1.1), self.silent(0.9)),
            "rpc_rejected": lambda: (testdata("rpc_error.pcap"), self.session()),
            "connect_unanswered": lambda: (self.set_up(1.1, 0, accepted=False), self.set_up(0.9, 0, accepted=False)),
            "cm_repeats": lambda: (self.set_up(0.5, 0, again=True), self.set_up(0.5, 0)),
            "slow_setup": lambda: (self.set_up(0.5, 0.5), self.set_up(0.5, 0.49)),
            "tcp_retransmissions": lambda: (self.segments_again(10), self.segments_again(9)),
            "bad_fpdu_crc": lambda: (self.damaged_fpdus(-10), self.damaged_fpdus(19)),
            "loss_cluster": lambda: (self.clustered(10, 8), self.clustered(9, 8)),
            "one_direction": lambda: (self.scheduled(talk(20), lambda index: not index % 2), self.scheduled(talk(19), lambda index: not index % 2)),
            "rejected": lambda: (testdata("roce-rping-reject.pcap"), RPING),
            "retransmissions": lambda: (self.again(10, 0.1), self.again(9, 0.1)),
            "timeouts": lambda: (self.again(3, 0.02), self.again(2, 0.02)),
            "rnr_waits": lambda: (self.sent_again_after(RNR, 3), self.sent_again_after(RNR, 2)),
            "nak_recoveries": lambda: (self.sent_again_after(NAK_SEQUENCE, 3), self.sent_again_after(NAK_SEQUENCE, 2)),
            "response_recoveries": lambda: (self.lacking(3), self.lacking(2)),
            "retries_exhausted": lambda: (self.tried(*[0.02] * 7), self.tried(*[0.02] * 6)),
            "rnr_given_up": lambda: (self.scheduled(rnr_to_the_end(1100 * MS)), self.scheduled(rnr_to_the_end(900 * MS))),
            "adaptive_retransmission": lambda: (self.tried(0.02, 0.04, 0.08), self.tried(0.02, 0.04, 0.05)),
            "sequence_naks": lambda: (self.refused(NAK_SEQUENCE, 5), self.refused(NAK_SEQUENCE, 4)),
            "rnr_naks": lambda: (self.refused(RNR, 3), self.refused(RNR, 2)),
            "read_restarts": lambda: (self.restarted(3), self.restarted(2)),
            "ce_without_cnp": lambda: (self.marked(10, False), self.marked(10, True)),
            "unreliable_loss": lambda: (testdata("conn_uc.pcap"), testdata("roce-perf-send-uc.pcap")),
            "rpc_unanswered": lambda: (self.session(answered=False), self.session()),
            "summed_connections": lambda: ((self.half_open(), "--max-memory", "1M"), self.half_open()),
            "rpc_errors": lambda: (self.session(10, 5), self.session(9, 5)),
            "rpc_latency": lambda: (self.session(3, 0, 0.051), self.session(3, 0, 0.049)),
            "congestion": lambda: (self.marked(10, True), self.marked(9, True)),
            "out_of_order": lambda: (self.swapped(10), self.swapped(9)),
            "rpc_credits": lambda: (self.session(under_way=128), self.session(under_way=127)),
            "traffic_class": lambda: (self.scheduled(talk(10, dscps=(26, 0))), self.scheduled(talk(9, dscps=(26, 0)))),
            "cnps": lambda: (self.scheduled(talk(9, cnps=[100])), self.scheduled(talk(9))),
            "loose_cnps": lambda: (self.scheduled(self.lone_cnps()), self.scheduled(talk(9, cnps=[100 * US]))),
            "cnp_storm": lambda: (self.scheduled(talk(9, cnps=[MS + i * MS for i in range(100)])),
                                  self.scheduled(talk(9, cnps=[MS + i * MS for i in range(99)]))),
            "cnp_ignored": lambda: (self.scheduled(talk(1000, ecn=2, cnps=[5 * MS * i + 1 for i in (1, 2, 3)])),
                                    self.scheduled(talk(1000, ecn=2, cnps=[5 * MS * i + 1 for i in (1, 2)]))),
            "pauses": lambda: (self.held_up(0), self.scheduled(talk(9))),
            "paused": lambda: (self.held_up(101), self.held_up(99)),
            "sampled": lambda: ((self.scheduled(talk(100), lambda index: index % 20 != 10), "--sampled"),
                                self.scheduled(talk(100), lambda index: index % 20 != 10)),
            "sprayed": lambda: (self.scheduled(talk(11, ports=(0xc001, 0xc002))), self.scheduled(talk(10, ports=(0xc001, 0xc002)))),
            "tcp_timeouts": lambda: (self.iwarp(lambda frames: with_timeouts(frames, 1, 300 * MS, True)),
                                     self.iwarp(lambda frames: with_timeouts(frames, 2, 40 * MS, True))),
            "tcp_fast_retransmits": lambda: (self.iwarp(lambda frames: with_fast_retransmits(frames, 3, 5 * MS, True)[0]),
                                             self.iwarp(lambda frames: with_fast_retransmits(frames, 2, 5 * MS, True)[0])),
            "slow_operations": lambda: (self.scheduled(slow_writes([MS] * 3 + [50 * MS])), self.scheduled(slow_writes([MS] * 3 + [49 * MS]))),
            "zero_windows": lambda: (self.closed_window(1), self.closed_window(0)),
            "operations_unanswered": lambda: self.jobs(storage_jobs.never_completed(1, 1.1), storage_jobs.never_completed(1, 0.9)),
            "keep_alives_unanswered": lambda: self.jobs(storage_jobs.keep_alive_unanswered(), storage_jobs.clean(10)),
            "device_errors": lambda: self.jobs(storage_jobs.media_errors(1), storage_jobs.clean(10)),
            "missed_keep_alives": lambda: self.jobs(storage_jobs.missed_keep_alive(5.1), storage_jobs.missed_keep_alive(4.9)),
            "aborts": lambda: self.jobs(storage_jobs.aborted(1), storage_jobs.clean(10)),
            "aborted": lambda: self.jobs(storage_jobs.aborted(1), storage_jobs.media_errors(1)),
            "slow_device": lambda: self.jobs(storage_jobs.slow_device(3, 0.051), storage_jobs.slow_device(2, 0.051)),
            "slow_network": lambda: self.jobs(storage_jobs.slow_network(0.051), storage_jobs.slow_network(0.049)),
            "operation_errors": lambda: self.jobs(storage_jobs.media_errors(10), storage_jobs.media_errors(9)),
            "operation_latency": lambda: self.jobs(storage_jobs.slow_device(1, 0.051), storage_jobs.slow_device(1, 0.049)),
            "uneven_queues": lambda: self.jobs(storage_jobs.uneven(99), storage_jobs.uneven(98)),
            "not_inline": lambda: self.jobs(storage_jobs.not_inline(100), storage_jobs.not_inline(99)),
            "straggler": lambda: (self.ring(late=2 * MS), self.ring(late=MS * 9 // 10)),
            "network_delays": lambda: (self.ring(lost=2 * MS), self.ring()),
            "receiver_late": lambda: (self.ring(late=2 * MS), self.ring()),
            "sender_late": lambda: (self.ring(late=2 * MS), self.ring()),
            "reconnects": lambda: self.scenes(smb.reconnected(False), smb.reconnected(True)),
            "credit_waits": lambda: self.scenes(smb.starved(0.0011), smb.starved(0.0007)),
            "last_credits": lambda: self.scenes(smb.echoes(14, False), smb.echoes(14, True)),
            "capture_loss": lambda: (testdata("conn_loss-acked.pcap"), testdata("conn_cm.pcap")),
        }
        self.assertEqual(set(self.documented()), set(made))
        for rule, make in made.items():
            for path, is_found in zip(make(), (True, False)):
                with self.subTest(rule, found=is_found):
                    arguments = path if isinstance(path, tuple) else (path,)
                    self.assertEqual(rule in self.rules(*arguments), is_found, arguments)

    def test_what_the_receiver_may_lack_was_not_missed_by_the_capture(self):
        """Two of five SENDs are lost; a sequence NAK requests them; the capture ends, or the end acknowledges all, after the first of them."""
        for acknowledges in (False, True):
            scene = Scene("tail", "")
            talk = scene.connection(port=20049).establish()
            packets = [talk.send("a", 100)[0] for _ in range(5)]
            scene.put(packets[0], packets[2], talk.ack(packets[1], NAK_SEQUENCE), packets[4], packets[1], talk.ack(packets[2]),
                      *([talk.ack(packets[4])] if acknowledges else []))
            path = self.written(scene)
            self.assertEqual("capture_loss" in self.rules(path), acknowledges)
            counted = self.objects("connections", path)[0]["anomalies"]
            self.assertEqual((counted["lost"], counted.get("lost_unacknowledged", 0)), (1, 0 if acknowledges else 1))

    def test_losses_cluster_only_where_there_was_time_and_most_are_close(self):
        for close, apart, pause, is_found in ((12, 8, 0.006, True), (20, 0, 0.006, False), (10, 10, 0.006, True), (10, 11, 0.006, False),
                                              (12, 8, 0.12, False), (12, 3, 0.006, False)):
            self.assertEqual("loss_cluster" in self.rules(self.clustered(close, apart, pause)), is_found, (close, apart, pause))
        found = self.rules(testdata("conn_loss-cluster.pcap"))["loss_cluster"]
        self.assertEqual([found[key] for key in ("count", "of", "direction", "first_frame", "last_frame", "time")],
                         [12, 20, "a>b", 29, 62, "1700000011.290280000"])
        self.assertIn("12 losses within one second, 60.0 % of 20 (22:13:31.290 to 31.466) [loss_cluster]",
                      " ".join(self.good("stats", testdata("conn_loss-cluster.pcap"), env={"TZ": "UTC"}).decode().split()))

    def test_a_clock_that_is_set_back_makes_no_request_overdue(self):
        """Before the last requests, which follow each other closely, or by more than a second."""
        for seconds, is_found in (0.2, False), (1.1, True):
            silent = self.silent(seconds)
            frames = [(time, data, length) for time, _, data, length in capfile.timed(silent)]
            # the request is what the longest pause follows
            requested = max(range(1, len(frames)), key=lambda i: frames[i][0] - frames[i - 1][0]) - 1
            path = self.path("set-back.pcap")
            capfile.write_pcap(path, 1, [(time + (10_000 * MS if i < requested else 0), data, length) for i, (time, data, length) in enumerate(frames)])
            self.assertEqual("unanswered" in self.rules(path), is_found, seconds)

    def test_connections_that_are_late_are_reported(self):
        found = self.stats(testdata("conn_cm-late.pcap"))["capture"][0]
        self.assertEqual([(found[key]["count"], found[key]["first_frame"], found[key]["last_frame"])
                          for key in ("cm_repeats", "cm_unanswered", "slow_setups")], [(4, 1, 31), (1, 29, 29), (1, 1, 1)])

    def test_segments_sent_again_stand_with_who_sent_them(self):
        there, back = self.stats(self.segments_again(9))["connection"][0]["directions"]
        self.assertEqual(there["events"]["retransmissions"]["count"], 9)
        self.assertGreater(there["repeated_payload"], 9 * 16)
        self.assertEqual((back["events"], back["repeated_payload"]), ({}, 0))

    def test_clean_captures_have_no_findings(self):
        for name in ("roce-rping-v4", "roce-rping-v6", "roce-rping-vlan", "roce-rcopy", "roce-perf-atomic-cs", "roce-perf-send-uc",
                     "roce-verbmix-rc-mtu256", "roce-nfs3-long", "roce-ucmatose", "conn_cm", "conn_v6", "conn_verbs", "conn_lengths",
                     "conn_many-reads", "conn_wrap", "iwarp-rping-v4", "iwarp-rping-v4-crc"):
            self.assertEqual(self.stats(testdata(name + ".pcap"))["finding"], [], name)

    def test_findings_stand_in_the_order_of_their_weight_and_are_numbered(self):
        for capture in captures():
            found = self.stats(capture)
            weights = [("error", "warning", "note").index(one["weight"]) for one in found["finding"]]
            self.assertEqual(weights, sorted(weights))
            self.assertEqual([one["rank"] for one in found["finding"]], list(range(1, len(weights) + 1)))
            self.assertEqual(found["capture"][0]["findings"], len(weights))

    def test_text_shows_the_ends(self):
        text = self.lines("stats", testdata("conn_naks.pcap"))
        self.assertTrue([line for line in text if re.match(
            r"  1\. 10\.0\.0\.1 -> 10\.0\.0\.2 #1: 1 NAK, remote access error \([:.\d]+\) \[remote_access_error\]",
            line)], text)
        self.assertEqual(text.index(" errors"), [line.startswith("  1. ") for line in text].index(True) - 1)

    def test_those_of_most_time_lost_stand_first(self):
        for capture in captures():
            for weight in ("error", "warning", "note"):
                lost = [one.get("time_lost", 0) for one in self.stats(capture)["finding"] if one["weight"] == weight]
                self.assertEqual(lost, sorted(lost, reverse=True), capture)

    def test_their_filters_match_their_packets(self):
        tried = collections.Counter()
        for capture in captures():
            for options in (), ("--check-icrc",):
                for one in self.stats(*options, capture)["finding"]:
                    frames = [int(line) for line in self.lines("-r", capture, "-T", "fields", "-e", "frame.number", "-Y", one["filter"], *options)]
                    self.assertTrue(frames, (capture, one))
                    if "first_frame" in one:
                        self.assertIn(one["first_frame"], frames, (capture, one))
                        self.assertIn(one["last_frame"], frames, (capture, one))
                    tried[one["rule"]] += 1
        self.assertGreater(len(tried), 25)

    def test_the_commands_of_text_print_packets(self):
        """The command as parsed by a shell, for file names that need quotes."""
        with open(testdata("conn_naks.pcap"), "rb") as f:
            content = f.read()
        for name in ("naks.pcap", "with blank.pcap", "it's.pcap", "two\nlines'.pcap", "-dash", "a$(b)`c`.pcap"):
            path = os.path.join(self.directory, name)
            with open(path, "wb") as f:
                f.write(content)
            text = self.good("stats", "-r", path, "--explain", "all").decode()
            # paths of this test are long
            self.assertEqual([line for line in text.splitlines() if len(line) > 120 and path not in line], [])
            text = text.replace(" \\\n      ", "").replace("\n          ", " ")
            commands = [line.strip() for line in text.splitlines() if line.startswith("     rdmatap ")]
            self.assertEqual(len(commands), 9)
            for command in commands:
                shell = subprocess.run(["bash", "-c", command.replace("rdmatap", shlex.quote(PROGRAM), 1)], capture_output=True)
                self.assertEqual((shell.returncode, shell.stderr), (0, b""), command)
                self.assertTrue(shell.stdout, command)

    def test_a_long_filter_takes_two_lines_that_a_shell_takes(self):
        path = os.path.relpath(testdata("roce-v1.pcap"))
        text = "\n".join(self.lines("stats", path, "--explain", "all"))
        commands = [found for found in re.findall(r"^     (rdmatap -r (?:.*\\\n)?[^']*'[^']*')", text, re.M) if "\n          " in found]
        self.assertEqual(len(commands), 1)
        for command in commands:
            self.assertLessEqual(max(map(len, command.splitlines())), 120)
            shell = subprocess.run(["bash", "-c", command.replace("rdmatap", shlex.quote(PROGRAM), 1)], capture_output=True)
            self.assertEqual((shell.returncode, len(shell.stdout.splitlines())), (0, 16), command)
            self.assertIn(": 16 packets marked by ECN", text)

    def test_every_rule_is_explained(self):
        text = self.good("stats", "--explain", "list").decode()
        with open(os.path.join(TESTS, "..", "doc", "stats.md")) as f:
            rules = re.findall(r"^\| `(\w+)` \| (\w+)", f.read().partition("| rule |")[2], re.M)
        self.assertGreater(len(rules), 40)
        self.assertEqual(re.findall(r"^(\w+) \((\w+)\)$", text, re.M), rules)
        one = self.good("stats", "--explain", "timeouts").decode()
        self.assertIn(one, text)
        for word in ("IBTA vol. 1, 9.7.6.1.3", "Local ACK Timeout", "raised:   from 1"):
            self.assertIn(word, one)
        self.bad("--explain nothing: no such rule (--explain all prints all)", "stats", "--explain", "nothing")
        self.bad("--explain prints text (findings in JSON and CSV have cause, next and filter)", "stats", "--explain", "all", "--json", testdata("conn_naks.pcap"))

    def test_the_findings_of_a_rule_have_cause_and_filter(self):
        for capture in map(testdata, ("conn_naks.pcap", "roce-nfs3-write-lost.pcap.gz", "conn_rnr.pcap", "conn_loss-cluster.pcap")):
            found = collections.Counter(one["rule"] for one in self.stats(capture)["finding"])
            text = self.good("stats", "--explain", "all", capture).decode()
            named = collections.Counter(re.findall(r"^  +\d+\. (?:.*\n     )?.*\[(\w+)\]$", text, re.M))
            self.assertEqual(named, found, capture)
            self.assertEqual(text.count("\n     rdmatap "), sum(found.values()), capture)
            for rule, count in list(found.items())[:2]:
                one = self.good("stats", "--explain", rule, capture).decode()
                self.assertTrue(one.startswith(rule + " ("), one)
                self.assertEqual(one.count("\n     rdmatap "), count, one)
        self.assertIn("No findings of this rule", self.good("stats", "--explain", "bad_icrc", testdata("conn_naks.pcap")).decode())


if __name__ == "__main__":
    unittest.main()
