# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap report: the page is well-formed, complete without scripts, shows the numbers of stats, plots the data, and has a bounded size."""
import collections
import json
import os
import re
import struct
import unittest

from cli import CliTest, RPING, TESTDATA, captures, read, records
from conversation import Scene
from page import Page, legend, points
from stats import NAK_SEQUENCE, RNR, StatsTest
from wire_schedule import MS, Loss, Schedule, Talk, everything, with_closed_window, with_fast_retransmits
import capfile

DOT_MOST, MARK_MOST = 1024, 256
PLOTTED, ROWS = 8, 500
MOST_BYTES = 6 << 20
LINKS = {"src", "href", "action", "data"}


def testdata(name):
    return os.path.join(TESTDATA, name)


def seconds(value):
    return None if value == "" else float(value)


class ReportTest(StatsTest):
    def page(self, *arguments, status=0):
        done = self.run_program("report", "-o", "-", *arguments)
        self.assertEqual(done.returncode, status, (arguments, done.stderr))
        return Page(done.stdout)


    def check_structure(self, found):
        """The page is well-formed (or Page() would fail), and needs nothing else."""
        ids = [e["id"] for e in found.root.walk() if e.get("id")]
        self.assertEqual(len(ids), len(set(ids)))
        for e in found.root.walk():
            for name in LINKS & e.attributes.keys():
                self.assertTrue((e[name] or "#").startswith(("#", "data:,")), (e.tag, e.attributes))
                if name == "href" and e[name].startswith("#"):
                    self.assertIn(e[name][1:], ids)
        self.assertEqual(len(found.root.all("script")), 1)
        self.assertNotRegex(found.source, r"url\((?!#)|@import|<link (?!rel=\"icon\")")


class Usage(ReportTest):
    def test_wrong_command_lines_are_refused(self):
        page = self.path("page.html")
        for message, arguments in (
                ("nothing to read (name a capture file", ("-o", page)),
                ("nothing to write (name the page with -o", (RPING,)),
                ("-o: needs an argument", (RPING, "-o")),
                ("-o: given twice", (RPING, "-o", page, "-o", page)),
                ("-w: no such option", (RPING, "-w", page)),
                ("--json: not supported", (RPING, "-o", page, "--json"))):
            with self.subTest(arguments):
                self.bad(message, "report", *arguments)
        self.assertFalse(os.path.exists(page))
        self.assertEqual(self.bad("-o: no such option", "stats", RPING, "-o", page), b"")

    def test_write_errors_are_reported_with_the_name(self):
        self.bad("%s: Is a directory" % self.directory, "report", RPING, "-o", self.directory)
        self.bad("/nowhere/page.html: No such file or directory", "report", RPING, "-o", "/nowhere/page.html")
        self.bad("/dev/full: No space left on device", "report", RPING, "-o", "/dev/full")
        with open("/dev/full", "wb") as full:
            self.bad("standard output: No space left on device", "report", RPING, "-o", "-", stdout=full)

    def test_an_input_is_not_written_over(self):
        copy = self.path("copy.pcap", read(RPING))
        self.bad("%s: is an input too" % copy, "report", copy, "-o", copy)
        self.assertEqual(read(copy), read(RPING))

    def test_an_input_that_cannot_be_opened_leaves_the_old_page(self):
        page = self.path("page.html", b"old")
        self.bad("No such file", "report", self.path("missing.pcap"), "-o", page)
        self.assertEqual(read(page), b"old")

    def test_a_page_is_replaced_and_is_deterministic(self):
        page = self.path("page.html", b"x" * 1000000)
        self.assertEqual(self.good("report", RPING, "-o", page), b"")
        self.assertEqual(self.good("report", "-o", "-", RPING), read(page))

    def test_the_readable_part_of_a_damaged_input_is_reported_and_the_page_is_marked(self):
        broken = self.path("cut.pcap", read(RPING)[:-5])
        page = self.path("page.html")
        self.bad("frame 101: at byte ", "report", broken, "-o", page)
        found = Page(read(page))
        self.assertIn("frame 101: at byte ", found.root.one("section", id="summary").all("p", "bad")[0].text())
        self.assertEqual(found.root.one("data", **{"data-key": "packets"})["value"], "100")

    def test_an_empty_capture_has_a_page(self):
        found = self.page(testdata("empty.pcap"))
        self.assertEqual(found.root.one("data", **{"data-key": "packets"})["value"], "0")
        self.assertIn("Nothing to assess", found.root.one("section", id="findings").text())


class Structure(ReportTest):
    def test_tables_and_plots_have_text_for_screen_readers(self):
        found = self.page(testdata("roce-nfs3-long.pcap"))
        self.assertEqual(found.root.one("html")["lang"], "en")
        tables, plots = found.root.all("table"), found.root.all("svg", "plot")
        self.assertGreaterEqual(len(tables), 4)
        self.assertGreaterEqual(len(plots), 6)
        for table in tables:
            self.assertTrue(table.one("caption").text())
            self.assertTrue(all(cell["scope"] == "col" for cell in table.one("thead").all("th")))
            self.assertTrue(all(cell["scope"] == "row" for cell in table.one("tbody").all("th")))
        for plot in plots:
            self.assertEqual(plot["role"], "img")
            self.assertTrue([c for c in plot.children if not isinstance(c, str) and c.tag == "title"][0].text())
            self.assertTrue(plot.all("desc")[0].text())

    def test_names_out_of_files_stay_text(self):
        name = self.path("<img src=x onerror=alert(1)>&amp;\"'\n.pcapng")
        file = capfile.Pcapng()
        file.section()
        file.interface(1, 0, [(2, b"</p><script>alert(2)</script>\xff\x1b[2J\xe2\x80\xae"), (9, b"\x09")])
        for time, data, _ in records(read(RPING))[1]:
            file.packet(0, time, data)
        file.statistics(0, 0, [(5, struct.pack("<Q", 7))])
        file.write(name)
        done = self.run_program("report", "-o", "-", name)
        found = Page(done.stdout)
        self.assertEqual(len(found.root.all("script")), 1)
        self.assertFalse(found.root.all("img"))
        shown = name.replace("\n", "\\x0a")
        self.assertEqual(found.root.one("p", "files").text(), shown)
        self.assertIn(shown, found.root.one("head").one("title").text())
        dropped = [p.text() for p in found.root.all("p", "bad")]
        self.assertEqual(len(dropped), 1)
        self.assertIn("7 packets by the interface", dropped[0])
        self.assertIn("</p><script>alert(2)</script>\\xff\\x1b[2J\\xe2\\x80\\xae", dropped[0])
        self.assertNotIn(b"\x1b", done.stdout)


class Numbers(ReportTest):
    """All values in tables equal those of stats --json."""

    def check_capture(self, found, capture, what):
        for key in ("packets", "bytes", "rdma_packets", "connections", "messages", "incomplete_messages", "findings"):
            self.assertEqual(int(found.root.one("data", **{"data-key": key})["value"]), capture[key], (what, key))
        self.assertEqual(float(found.root.one("data", **{"data-key": "seconds"})["value"]), capture["seconds"], what)

    def check_latency(self, row, one, what):
        for key in ("p50", "p90", "p99", "p999", "max"):
            self.assertEqual(seconds(row["latency." + key]), one["latency"][key] if "latency" in one else None, (what, key))

    def check_connection(self, row, one, what):
        for side, direction in zip(("a>b", "b>a"), one["directions"]):
            for key in ("packets", "bytes"):
                self.assertEqual(int(row["%s.%s" % (side, key)]), direction[key], (what, side, key))
            self.assertEqual(int(row[side + ".goodput"]), direction.get("goodput", 0), (what, side))
        sums = collections.Counter()
        for direction in one["directions"]:
            for name, event in direction["events"].items():
                sums["naks" if name.startswith("nak_") else name] += event["count"]
        for key in ("retransmissions", "out_of_order", "naks", "rnr_naks", "ce_marks", "cnps", "unanswered"):
            self.assertEqual(int(row[key]), sums[key], (what, key))
        self.assertEqual(int(row["anomalies.lost"]), one["anomalies"].get("lost", 0), what)
        self.assertEqual(row["transport"], one["transport"], what)
        self.assertTrue(row["a"].startswith(one["a"]["addr"]), what)

    def check_operations(self, found, stats, what):
        reported = {(c["connection"], d["direction"], o["kind"]): o for c in stats["connection"] for d in c["directions"] for o in d["operations"]}
        rows = {(int(r["connection"]), r["direction"], r["kind"]): r for r in found.table("operation-table")}
        self.assertEqual(set(rows), set(reported), what)
        for key, row in rows.items():
            for name in ("messages", "bytes", "incomplete", "unanswered", "refused"):
                self.assertEqual(int(row[name]), reported[key][name], (what, key, name))
            self.check_latency(row, reported[key], (what, key))

    def check_rpcs(self, found, stats, what):
        rows = found.table("rpc-table")
        self.assertEqual(len(rows), len(stats["rpc"]), what)
        for row, one in zip(rows, stats["rpc"]):
            if "name" in one:
                self.assertTrue(row["name"].endswith(one["name"]), (what, row["name"], one))
            for key in ("calls", "replies", "errors", "rejected", "unanswered", "repeats", "call_bytes", "reply_bytes", "with_read_chunks",
                        "with_write_chunks", "with_reply_chunk"):
                self.assertEqual(row[key], str(one[key]) if key in one else "", (what, row["name"], key))
            for status in one["statuses"]:
                self.assertIn("%s ×%d" % (status.get("status", status.get("status_number")), status["count"]), row["statuses"].replace(",", ""))
            self.check_latency(row, one, (what, row["name"]))

    def check_mads(self, found, stats, what):
        rows = found.table("mad-table")
        self.assertEqual(len(rows), len(stats["mad"]), what)
        for row, one in zip(rows, stats["mad"]):
            for key in ("class", "method", "attribute", "count", "first_frame", "last_frame", "bytes", "errors"):
                self.assertEqual(int(row[key]), one[key], (what, key))
            self.check_latency(row, one, what)

    def since_begin(self, time, stats):
        """A time in seconds since the capture's first packet, as text, because a double has too few digits."""
        nanoseconds = [int(text.replace(".", "")) for text in (time, stats["capture"][0]["time"])]
        return "%d.%09d" % divmod(nanoseconds[0] - nanoseconds[1], 10**9)

    def check_findings(self, found, stats, what):
        shown = [(e.all("code")[0].text(), e.classes()[0]) for e in found.root.one("section", id="findings").all("li")]
        self.assertEqual(shown, [(f["rule"], f["weight"]) for f in stats["finding"]], what)
        for item, one in zip(found.root.one("section", id="findings").all("li"), stats["finding"]):
            text = item.text().replace(",", "")
            self.assertIn(one["words"].replace(",", ""), text)
            self.assertIn(": %d" % one["count"], text)
            self.assertEqual(re.findall(r"from \+([0-9.]+) s ", text), [self.since_begin(one["time"], stats)] if "time" in one else [], what)
            if "first_frame" in one:
                self.assertRegex(text, r"frames? %d( to %d)? " % (one["first_frame"], one["last_frame"]))

    def check_throughput(self, found, stats, what):
        """Both ends of each plotted connection sent the bytes that stats reports."""
        connections = {c["connection"]: c for c in stats["connection"]}
        for part in found.root.all("details"):
            one = connections[int(part["id"][1:])]
            sums = [t.text() for t in part.all("text", "name") if " sent " in t.text()]
            if not sums or "The plots begin with frame" in part.text() or "captured_twice" in one["anomalies"]:
                continue
            for text, direction in zip(sums, one["directions"]):
                shown = int(re.search(r" sent ([0-9,]+) bytes", text)[1].replace(",", ""))
                # packets that are assigned to their connection later are not drawn
                self.assertLessEqual(shown, direction["bytes"], (what, one["connection"]))
                self.drawn[shown == direction["bytes"]] += 1

    def check_recoveries(self, found, stats, what):
        rows = {(int(r["connection"]), r["direction"], r["cause"]): r for r in found.table("recovery-table")}
        expected = {(c["connection"], d["direction"], cause): one for c in stats["connection"] for d in c["directions"]
                    for cause, one in d["recoveries"].items()}
        self.assertEqual(set(rows), set(expected), what)
        for key, one in expected.items():
            for name in ("count", "first_frame", "last_frame", "attempts_max"):
                self.assertEqual(rows[key][name].replace(",", ""), str(one[name]) if name in one else "", (what, key, name))
            for name in ("time_lost", "spacing_min", "spacing_max"):
                self.assertEqual(seconds(rows[key][name]), one.get(name), (what, key, name))

    def check_classes(self, found, stats, what):
        names = ("kind", "dscp", "ecn", "pcp", "packets")
        rows = sorted((int(r["connection"]), r["direction"]) + tuple(r[name].replace(",", "") for name in names) for r in found.table("class-table"))
        expected = []
        for connection in stats["connection"]:
            for direction in connection["directions"]:
                classes = [tuple(str(row.get(name, "")) for name in names) for row in direction.get("dscp", ()) if "dscp" in row or "pcp" in row]
                # shown unless all packets have the default class, and none met congestion (ECN 3)
                if any((row[1], row[3]) != ("0", "") or row[2] == "3" for row in classes):
                    expected += [(connection["connection"], direction["direction"]) + row for row in classes]
        self.assertEqual(rows, sorted(expected), what)

    def check_pauses(self, found, stats, what):
        names = ("port", "interface", "priority", "frames", "pauses", "quanta", "first_frame", "last_frame")
        rows = [tuple(r[name].replace(",", "") for name in names) for r in found.table("pause-table")]
        self.assertEqual(rows, [tuple(str(one.get(name, "")) for name in names) for one in stats["capture"][0].get("pauses", ())], what)

    def test_jobs_are_those_of_the_statistics(self):
        path = testdata("nccl-ring.pcap")
        found = self.page(path)
        stats = [json.loads(line) for line in self.lines("stats", "--json", path)]
        jobs, hosts = ([one for one in stats if one["type"] == kind] for kind in ("job", "host"))
        self.assertEqual([(r["shape"], r["transfers"], float(r["sender_late.time_lost"]), float(r["pause.time_lost"]), r["straggler"])
                          for r in found.table("job-table")],
                         [(j["shape"], str(j["transfers"]), j["sender_late"]["time_lost"], j["pause"]["time_lost"], j["straggler"]) for j in jobs])
        times = ("late_as_receiver", "late_as_sender", "receiver_own", "sender_own")
        self.assertEqual(sorted((r["host"], r["received"], r["is_straggler"], *(float(r[name]) for name in times)) for r in found.table("host-table")),
                         sorted((h["host"], str(h["received"]), ("" if h["certain"] else "likely ") + "straggler" if h["is_straggler"] else "",
                                 *(h[name] for name in times)) for h in hosts))
        self.assertEqual(self.page(RPING).table("job-table"), [])

    def test_findings_of_transfers_name_the_host_and_its_cost(self):
        path = testdata("nccl-ring.pcap")
        items = [e.text() for e in self.page(path).root.one("section", id="findings").all("li")]
        stats = [json.loads(line) for line in self.lines("stats", "--json", path)]
        straggler, = (each for each in stats if each.get("rule") == "straggler")
        # its own transfers with the third host were not captured
        self.assertIn("nccl host 10.0.0.2, or one that it waits for: ", items[0])
        self.assertIn("cost %.3f ms, longest %.3f ms, all hosts %.3f ms" % (
            straggler["time_lost"] * 1e3, straggler["longest_delay"] * 1e3, straggler["own_delays"] * 1e3), items[0])
        self.assertIn("cost 5.198 ms, longest 5.066 ms, within 5.219 ms", items[1])

    def test_recoveries_classes_and_pauses_of_schedules(self):
        """Connections with recoveries of every cause at known times, and their marks and texts in the page."""
        schedule, talks = Schedule(), []
        for i in range(2):
            talk = Talk(schedule, 0x100 + i, 0x200 + i, begin=i * 300 * MS)
            for sender in "ABAB":
                talk.data(sender, "send", 1)
            for n, sender in enumerate("AB"):
                talk.data(sender, "write", 8, [Loss(3, "sequence_nak", (3 + n + i) * MS)])
                talk.read(sender, 8, [Loss(2, "implied_nak", (7 + n + i) * MS), Loss(7, "timeout", (600 + n + i) * MS)])
                talk.data(sender, "send", 1, [Loss(0, "rnr", (20 + n + i) * MS, True)], timer=14)
            talks.append(talk)
        plain = schedule.write_pcap(self.path("talks.pcap"))
        everywhere = everything().write_pcapng(self.path("everything.pcapng"), 10 ** 10)
        frames = [(time, data) for time, data, _ in records(read(testdata("iwarp-rping-v4-crc.pcap")))[1]]
        fast, closed = Schedule(), Schedule()
        fast.frames, closed.frames = with_fast_retransmits(frames, 3, 80 * MS, True)[0], with_closed_window(frames, 300 * MS)
        iwarp = [(fast.write_pcap(self.path("fast.pcap")), ["80.00 ms lost, TCP fast retransmit"] * 3),
                 (closed.write_pcap(self.path("closed.pcap")), ["300.0 ms lost, closed TCP window"])]
        for path in [plain, everywhere] + [path for path, _ in iwarp]:
            stats, found = self.stats(path), self.page(path)
            self.check_recoveries(found, stats, path)
            self.check_classes(found, stats, path)
            self.check_pauses(found, stats, path)
        titles = [g.one("title").text() for g in self.page(plain).root.one("svg", "recoveries").all("g", "recovery")]
        drawn = collections.Counter()
        for one in titles:
            words = re.fullmatch(r"connection (\d+) (.)→.: ([0-9.]+) (ms|s) lost, ([^,]+), frame \d+, \+([0-9.]+) s to \+([0-9.]+) s", one)
            self.assertTrue(words, one)
            connection, end, lost, unit, cause, begin, until = words.groups()
            self.assertAlmostEqual((float(until) - float(begin)) * (1000 if unit == "ms" else 1) / float(lost), 1, delta=0.01, msg=one)
            drawn[int(connection), end.upper(), cause] += round((float(until) - float(begin)) * 1000)
        words = {"sequence_nak": "sequence NAK", "implied_nak": "missing READ response", "rnr": "RNR NAK", "timeout": "timeout"}
        self.assertEqual(drawn, {(i + 1, sender, words[cause]): lost // MS for i, talk in enumerate(talks)
                                 for (sender, cause), (count, lost) in talk.lost.items()})
        self.assertEqual(len(titles), 16)
        for path, expected in iwarp:
            titles = [g.one("title").text() for g in self.page(path).root.one("svg", "recoveries").all("g", "recovery")]
            self.assertEqual([re.search(": (.*), frame", one).group(1) for one in titles], expected)

    def test_pages_of_all_captures_are_complete_and_their_values_are_those_of_stats(self):
        self.drawn = {True: 0, False: 0}
        for capture in captures():
            stats, found, what = self.stats(capture), self.page(capture), os.path.basename(capture)
            self.check_structure(found)
            self.check_capture(found, stats["capture"][0], what)
            connections = {c["connection"]: c for c in stats["connection"]}
            rows = found.table("connection-table")
            self.assertEqual({int(r["connection"]) for r in rows}, set(connections), what)
            for row in rows:
                self.check_connection(row, connections[int(row["connection"])], (what, row["connection"]))
            self.check_operations(found, stats, what)
            self.check_rpcs(found, stats, what)
            self.check_mads(found, stats, what)
            self.check_recoveries(found, stats, what)
            self.check_classes(found, stats, what)
            self.check_pauses(found, stats, what)
            self.check_findings(found, stats, what)
            self.check_throughput(found, stats, what)
        self.assertGreater(self.drawn[True], 30 * self.drawn[False])


class Points(ReportTest):
    def test_several_capture_points_have_the_results_of_join(self):
        files = [testdata("ends/roce-loss.%s.pcap.gz" % end) for end in "AB"]
        joined = [json.loads(line) for line in self.lines("join", "--json", *files)]
        directions = [one for one in joined if one["kind"] == "direction"]
        found = self.page(*files)
        rows = found.table("join-table")
        self.assertEqual([[int(row[key].replace(",", "")) for key in ("packets", "lost", "not_captured", "doubled")] for row in rows],
                         [[one[key] for key in ("packets", "lost_packets", "not_captured", "doubled")] for one in directions if len(one["points"]) > 1])
        self.assertEqual([seconds(row["delay.max"]) for row in rows if row["delay.max"]], [one["delay"]["max"] for one in directions if "delay" in one])
        section = found.root.one("section", id="join")
        pauses = section.all("ol")[1].all("li")
        self.assertEqual(len(pauses), min(200, sum(one["kind"] == "stall" for one in joined)))
        self.assertEqual(len(section.all("figure")), min(4, sum("delay_over_time" in one for one in directions)))

    def test_one_capture_in_parts_has_no_points(self):
        content = read(RPING)
        half = records(content)[1]
        parts = [self.path("part%d.pcap" % part) for part in (0, 1)]
        for path, some in zip(parts, (half[:50], half[50:])):
            capfile.write_pcap(path, 1, some)
        for files in ([RPING], parts):
            self.assertEqual(self.page(*files).root.all("section", id="join"), [])


class Plots(ReportTest):
    def sequence_of(self, plot):
        """Points as (series, frame, seconds since the capture began, y)."""
        left, right, bottom, top = map(float, plot["data-box"].split())
        x0, x1 = map(float, plot["data-x"].split())
        y0, y1 = map(float, plot["data-y"].split())
        for series, frame, x, y in points(plot):
            yield (series, frame, float(plot["data-start"]) + (x0 + (x - left) / (right - left) * (x1 - x0)) / 1e9,
                   y0 + (bottom - y) / (bottom - top) * (y1 - y0))

    def test_every_packet_of_a_small_capture_is_drawn_at_its_time_and_psn(self):
        rows = {int(r[0]): r for r in self.fields(RPING, "frame.number", "rdmatap.connection", "rdmatap.from_a", "infiniband.bth.psn",
                                                  "infiniband.bth.opcode", "frame.time_relative") if r[1]}
        drawn = {}
        plots = self.page(RPING).root.all("svg", "sequence")
        self.assertEqual([p["data-side"] for p in plots], ["a", "b"])
        for plot in plots:
            first = int(re.search(r"PSN − (\d+)", plot.text()).group(1))
            for series, frame, time, place in self.sequence_of(plot):
                _, _, from_a, psn, opcode, relative = rows[frame]
                answers = 13 <= int(opcode) <= 18
                self.assertEqual(plot["data-side"], "a" if (from_a == "1") != answers else "b", frame)
                self.assertEqual(series, "res" if 13 <= int(opcode) <= 16 else "ack" if answers else "req", frame)
                self.assertAlmostEqual(time, float(relative), delta=1e-6)
                self.assertAlmostEqual(place, int(psn) - first, delta=0.1)
                drawn[frame] = drawn.get(frame, 0) + 1
        self.assertEqual(drawn, dict.fromkeys(rows, 1))

    def scene(self):
        scene = Scene("trouble", "")
        talk = scene.connection(port=20049).establish()
        for _ in range(4):
            packets = talk.send("a", 1000)
            scene.put(packets[0], packets[2], talk.ack(packets[1], NAK_SEQUENCE), *packets[1:], talk.ack(packets[-1]))
        for _ in range(3):
            packets = talk.send("a", 100)
            scene.put(*packets, talk.ack(packets[0], RNR))
            scene.pause(0.01)
            scene.put(*packets, talk.notification("b"), talk.ack(packets[-1]))
        return scene

    def test_anomalies_are_marked_with_their_frames(self):
        capture = self.written(self.scene())
        events = self.stats(capture)["capture"][0]["events"]
        found = collections.defaultdict(list)
        for plot in self.page(capture).root.all("svg", "sequence"):
            for series, frame, _, _ in points(plot):
                found[series].append(frame)
        for series, event in (("again", "retransmissions"), ("nak", "nak_sequence"), ("rnr", "rnr_naks"), ("cnp", "cnps"), ("gap", "gaps")):
            one = events[event]
            self.assertEqual((len(found[series]), min(found[series]), max(found[series])), (one["count"], one["first_frame"], one["last_frame"]), series)

    def test_marks_of_plots_are_the_labels_of_packets(self):
        labels = {"gap": "gap", "out_of_order": "late", "duplicate": "dup", "retransmission": "again"}
        tried = collections.Counter()
        for capture in captures():
            rows = self.fields(capture, "frame.number", "rdmatap.connection", "rdmatap.psn.analysis")
            counts = collections.Counter((row[1], row[2]) for row in rows if row[2] in labels)
            if not counts or max(counts.values()) > MARK_MOST:
                continue
            page = self.page(capture)
            for connection in {number for number, _ in counts}:
                parts = page.root.all("details", id="c" + connection)
                plots = [plot for part in parts for plot in part.all("svg", "sequence")]
                if not plots:
                    continue
                late = [re.search(r"The plots begin with frame (\d+)", note.text()) for part in parts for note in part.all("p", "note")]
                first = max([int(found[1]) for found in late if found], default=0)
                drawn = {(frame, series) for plot in plots for series, frame, _, _ in self.sequence_of(plot) if series in labels.values()}
                expected = {(int(row[0]), labels[row[2]]) for row in rows if row[1] == connection and row[2] in labels and int(row[0]) >= first}
                self.assertEqual(drawn, expected, (capture, connection))
                tried.update(series for _, series in expected)
        self.assertGreater(min(tried[series] for series in labels.values()), 20, tried)

    def test_segments_of_iwarp_are_drawn(self):
        capture = testdata("iwarp-rping-v4-crc.pcap")
        rows = {int(r[0]): r for r in self.fields(capture, "frame.number", "rdmatap.connection", "tcp.len", "tcp.seq_raw", "rdmatap.from_a") if r[1]}
        drawn = collections.Counter()
        for plot in self.page(capture).root.all("svg", "sequence"):
            first = int(re.search(r"sequence − (\d+)", plot.text()).group(1))
            for series, frame, _, place in self.sequence_of(plot):
                if series == "ack":
                    continue
                self.assertEqual(plot["data-side"], "a" if rows[frame][4] == "1" else "b")
                self.assertAlmostEqual(place, int(rows[frame][3]) - first, delta=10)
                drawn[frame] += 1
        self.assertEqual(drawn, {frame: 1 for frame, row in rows.items() if row[2] != "0"})

    def with_swapped(self, capture):
        """The capture with the first two consecutive segments of one side swapped; time stamps stay."""
        rows = self.fields(capture, "ip.src", "tcp.len")
        at = next(i for i in range(8, len(rows) - 1) if rows[i][0] == rows[i + 1][0] and "0" not in (rows[i][1], rows[i + 1][1]))
        head, frames = records(read(capture))
        packets = [packet for _, packet, _ in frames]
        packets[at], packets[at + 1] = packets[at + 1], packets[at]
        reported = (struct.pack("<IIII", *divmod(frame[0], 10**9), len(packet), len(packet)) for frame, packet in zip(frames, packets))
        return struct.pack("<I", 0xa1b23c4d) + head[4:] + b"".join(one + packet for one, packet in zip(reported, packets))

    def test_repeats_of_iwarp_are_those_of_stats(self):
        tried = collections.Counter()
        swapped = self.path("swapped.pcap", self.with_swapped(testdata("iwarp-perf-read-crc.pcap")))
        for capture in (testdata("iwarp-retransmitted.pcap"), testdata("iwarp-nfs41-midstream.pcap.gz"), swapped):
            reported = [c for c in self.stats(capture)["connection"] if c["transport"] == "iwarp"]
            root = self.page(capture).root
            for one in reported:
                details = root.all("details", id="c%d" % one["connection"])
                for side, direction in zip("ab", one["directions"]):
                    marks = collections.Counter()
                    for plot in (plot for part in details for plot in part.all("svg", "sequence") if plot["data-side"] == side):
                        marks.update(series for series, _, _, _ in self.sequence_of(plot))
                    for series, event in (("again", "retransmissions"), ("late", "out_of_order"), ("gap", "gaps")):
                        expected = direction["events"].get(event, {"count": 0})["count"] if details else 0
                        self.assertEqual(marks[series], expected, (capture, one["connection"], side, series))
                        tried[series] += expected
        self.assertGreater(min(tried.values()), 0, tried)

    def test_every_call_is_a_bar_with_its_chunks(self):
        capture = testdata("roce-nfs41-long.pcap")
        calls = {m["message"]: m for m in self.objects("messages", "--rpc", capture) if m["kind"] == "rpc_call"}
        replies = [m for m in self.objects("messages", "--rpc", capture) if m["kind"] == "rpc_reply"]
        bars = collections.Counter()
        for bar in self.page(capture).root.all("g", "call"):
            if not bar.all("title") or "recovery" in bar["class"].split():
                continue
            title = bar.one("title").text()
            signs = {use["href"] for use in bar.all("use")}
            bars[int(re.search(r"request in frame (\d+)", title).group(1)), int(re.search(r"response in frame (\d+)", title).group(1)),
                 "#m-rc" in signs, "#m-wc" in signs, "#m-pc" in signs] += 1
        wanted = collections.Counter()
        for reply in replies:
            call = calls[reply["request"]]
            wanted[call["first_frame"], reply["first_frame"], bool(call["read_chunks"]), bool(call["write_chunks"]), call["reply_chunk"]] += 1
        self.assertEqual(bars, wanted)

    def test_operations_of_all_layers_are_bars(self):
        """Those with a response; of RPCs, the calls are drawn."""
        layers = set()
        for capture in captures():
            if not re.search(r"nvmeof|iser|srp|rnbd|smbdirect|rds|nccl", os.path.basename(capture)):
                continue
            wanted, bars = collections.Counter(), collections.Counter()
            for one in self.objects("operations", "--json", capture):
                if one.get("response_frame") and one["layer"] not in ("rpc", "nfs"):
                    wanted[one["layer"] + " " + one["name"], str(one.get("request_frame", "")), str(one["response_frame"]), one.get("ok") is False] += 1
                    layers.add(one["layer"])
            for bar in self.page(capture).root.all("g", "call"):
                title = bar.one("title").text() if bar.all("title") else ""
                match = re.match(r"(.+?), (?:request in frame (\d+), )?.*response in frame (\d+) after", title)
                if match:
                    bars[match[1], match[2] or "", match[3], "failed" in bar["class"].split()] += 1
            self.assertEqual(bars, wanted, capture)
        self.assertEqual(layers, {"nvme", "iser", "srp", "rnbd", "smb", "rds", "nccl"})

    def test_slow_replies_without_loss_are_on_the_time_axis(self):
        """Calls of NFS that took 50 ms or longer, and the longest part of a command of NVMe without data."""
        tried = 0
        for name in ("roce-nfs41-long.pcap", "roce-nfs3-long.pcap", "roce-nfs42-long.pcap", "roce-nvmeof.pcap.gz", "roce-nfs3-write-lost.pcap.gz"):
            wanted = set()
            for one in self.objects("operations", testdata(name)):
                if "latency" not in one or "connection" not in one or one["name"] == "Asynchronous Event Request":
                    continue
                parts = [(one["latency"], one["response_frame"])]
                if one["layer"] == "nvme" and "first_data" in one:
                    parts = [(one["first_data"], one["first_data_frame"]), (one["latency"] - one["last_data"], one["response_frame"])]
                longest, frame = max(parts)
                if longest >= 0.05 and one.get("time_lost", 0) < longest / 2:
                    wanted.add((one["connection"], frame))
            root = self.page(testdata(name)).root
            bars = [bar.one("title").text() for bar in root.all("g", "wait")]
            found = {tuple(map(int, re.match(r"connection (\d+) [ab]→[ab]: .*, slow reply, frame (\d+),", title).groups())) for title in bars}
            self.assertEqual((found, len(bars)), (wanted, len(wanted)), name)
            tried += len(wanted)
        self.assertGreater(tried, 4)

    def test_a_set_up_is_a_ladder_of_its_frames(self):
        for name, said in (("roce-rping-v4.pcap", ("CM REQ", "CM REP", "CM RTU", "CM DREQ", "CM DREP")),
                           ("iwarp-rping-v4-crc.pcap", ("TCP SYN", "TCP SYN, ACK", "MPA Request", "MPA Reply", "TCP FIN", "TCP FIN")),
                           ("iwarp-verbmix-err-badread-crc.pcap", ("MPA Request", "MPA Reply", "Terminate msn 1 RDMA type 1 code 1", "TCP FIN")),
                           ("roce-rping-reject.pcap", ("CM REQ", "CM REJ"))):
            ladder = self.page(testdata(name)).root.one("svg", "ladder")
            frames = [int(n) for n in re.findall(r"frame (\d+),", ladder.text())]
            life = [e["frame"] for e in self.objects("connections", testdata(name))[0]["life"]]
            self.assertLessEqual(set(life), set(frames), name)
            self.assertEqual(frames, sorted(frames))
            labels = [t.text() for t in ladder.all("text", "tx")]
            at = iter(labels)
            for words in said:
                self.assertTrue(any(" ".join(label.split()).startswith(words) for label in at), (name, words, labels))
            arrows = [float(re.match(r"M(\S+) ", path["d"]).group(1)) for path in ladder.all("path", "arrow")]
            end_a, end_b = (float(re.match(r"M(\S+) ", path["d"]).group(1)) for path in ladder.all("path", "end"))
            sources = dict(self.fields(testdata(name), "frame.number", "ip.src"))
            address = self.objects("connections", testdata(name))[0]["a"]["addr"]
            self.assertEqual(arrows, [end_a if sources[str(frame)] == address else end_b for frame in frames], name)

    def test_who_joins_a_multicast_group_is_named(self):
        ladder = self.page(testdata("roce-mckey.pcap")).root.one("svg", "ladder")
        self.assertEqual([t.text() for t in ladder.all("text", "tx") if "multicast" in t.text()],
                         ["rdma_join_multicast by 10.0.0.1", "rdma_join_multicast by 10.0.0.2", "rdma_leave_multicast by 10.0.0.2",
                          "rdma_leave_multicast by 10.0.0.1"])
        self.assertEqual(["unknown" in path.classes() for path in ladder.all("path", "arrow")], [True, False, False, True])

    def test_rates_are_those_of_intervals(self):
        for name in ("roce-nfs3-long.pcap", "roce-rping-v4.pcap", "iwarp-nfs3-crctso.pcap.gz"):
            plot = self.page(testdata(name)).root.one("section", id="rates").one("svg", "plot")
            found = self.stats("--interval", plot["data-step"], testdata(name))
            begin = min(float(one["time"]) for one in found["interval"])
            for kind, key in (("bits", "bytes"), ("messages", "messages")):
                bottom, *levels = [float(y) for y in re.findall(r"(?:M\S+ |V)([0-9.]+)", plot.one("path", kind)["d"])]
                reported = [0] * (len(levels) - 1)
                for one in found["interval"]:
                    reported[round((float(one["time"]) - begin) / one["seconds"])] = one[key]
                heights = [bottom - y for y in levels[:-1]]
                for height, number in zip(heights, reported):
                    self.assertAlmostEqual(height / max(heights), number / max(reported), delta=0.003)
                peak = max(reported) * (8 if kind == "bits" else 1) / float(plot["data-step"])
                names = " ".join(text.text() for text in plot.all("text", "name"))
                shown, unit = re.search(r"%s/s, peak ([0-9.]+)([kMG]?)( |$)" % kind.replace("bits", "bit"), names).groups()[:2]
                self.assertAlmostEqual(float(shown) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit], peak, delta=peak / 100)

    def test_latencies_have_a_row_for_each_kind(self):
        found = self.stats(testdata("roce-nfs3-long.pcap"))
        wanted = {o["kind"] for c in found["connection"] for d in c["directions"] for o in d["operations"] if "latency" in o}
        rpcs = sorted((r for r in found["rpc"] if "latency" in r), key=lambda r: -r["latency"]["count"])
        wanted |= {"NFS v3 " + r["name"] for r in rpcs[:5] if r["program"] == 100003}
        plot = self.page(testdata("roce-nfs3-long.pcap")).root.one("section", id="latencies").one("svg", "plot")
        rows = [t.text() for t in plot.all("text", "ty") if "small" not in t.classes()]
        self.assertLessEqual(wanted, set(rows))
        self.assertEqual(len(rows), min(16, len(rpcs) + len({name for name in wanted if " " not in name})))
        self.assertEqual(len(plot.all("path", "p50")), len(rows))

    def test_latencies_of_management_datagrams_are_labelled(self):
        section = self.page(testdata("mad-ibsim-smp-perf.pcap.gz")).root.one("section", id="latencies")
        self.assertIn("directed route", section.text())
        self.assertIn("Management datagrams: from the first frame of the request", section.one("figcaption").text())


class Bounds(ReportTest):
    """Captures that exceed the limits of a page: copies of one frame with other numbers."""

    def frame(self):
        """A packet, and the offset of its PSN; the queue pair is four bytes before it."""
        scene = Scene("many", "")
        talk = scene.connection(port=20049)
        scene.put(*talk.send("a", 64))
        data, at = bytearray(scene.frames[0][2].data), 14 + 20 + 8 + 9
        assert data[at:at + 3] == b"\0\1\0"
        return data, at

    def written_frames(self, frames):
        path = self.path("many.pcap")
        capfile.write_pcap(path, 1, ((t, data, len(data)) for t, data in frames))
        return path

    def test_large_captures_are_thinned_and_the_page_reports_it(self):
        data, at = self.frame()

        def frames():
            for i in range(60000):
                data[at:at + 3] = ((0xfff000 + i) & 0xffffff).to_bytes(3, "big")
                yield i * 1000000, bytes(data)
                if i % 20 == 0 and i > 30000:
                    yield i * 1000000 + 900000, bytes(data)
                if i == 7000:
                    yield i * 1000000 + 900000, bytes(data)
        path = self.written_frames(frames())
        found = self.page(path)
        self.assertLess(len(found.source), 400000)
        figure = [f for f in found.root.all("figure") if f.all("svg", "sequence")][0]
        drawn, there = legend(figure), collections.Counter()
        frames_of = collections.defaultdict(set)
        for series, frame, _, _ in points(figure.one("svg", "sequence")):
            there[series] += 1
            frames_of[series].add(frame)
        self.assertEqual({series: one[0] for series, one in drawn.items()}, dict(there))
        self.assertEqual(sum(one[1] for one in drawn.values()), self.stats(path)["capture"][0]["packets"])
        self.assertGreater(drawn["req"][0], DOT_MOST // 4)
        self.assertLessEqual(drawn["req"][0], DOT_MOST)
        repeats = "again" if "again" in drawn else "dup"
        self.assertGreater(drawn[repeats][0], MARK_MOST // 4)
        self.assertLessEqual(drawn[repeats][0], MARK_MOST)
        self.assertIn(7002, frames_of[repeats], "what stands alone must not be lost")
        self.assertEqual(max(frames_of["req"] | frames_of[repeats]), 60000 + 1500)

    def test_of_many_connections_the_weightiest_are_shown(self):
        data, at = self.frame()

        def frames():
            for i in range(600):
                data[at - 4:at - 1] = (0x1000 + i).to_bytes(3, "big")
                for psn in range(40 if i == 555 else 2):
                    data[at:at + 3] = psn.to_bytes(3, "big")
                    yield (i * 50 + psn) * 1000000, bytes(data)
        path = self.written_frames(frames())
        found = self.page(path)
        self.assertEqual(self.stats(path)["capture"][0]["connections"], 600)
        self.assertEqual(len(found.table("connection-table")), ROWS)
        self.assertIn("500 of 600 connections", found.root.one("section", id="connections").text())
        self.assertEqual(len(found.root.all("details")), PLOTTED)
        self.assertIn("The 8 of 600 connections", found.root.one("section", id="plots").text())
        self.assertEqual(found.root.all("details")[0]["id"], "c556")
        self.assertRegex(found.root.all("details")[0].text(), r"begin with frame \d+: the first \d+ packets")
        self.assertLess(len(found.source), 1000000)

    def test_little_memory_still_gives_a_page(self):
        self.page("--max-memory", "1M", testdata("roce-nfs3-long.pcap"))


if __name__ == "__main__":
    unittest.main()
