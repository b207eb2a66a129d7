# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap operations: selection and order by its options."""
import collections
import csv
from decimal import Decimal
import json
import os
import re

from cli import CliTest, TESTDATA, TESTS
from test_recognition import CAPTURES

CAPTURE = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")


class Operations(CliTest):
    def objects(self, *arguments):
        return [json.loads(line) for line in self.lines("operations", "--json", *arguments, CAPTURE)]

    def test_options_select(self):
        everything = self.objects()
        self.assertEqual(len(everything), len(self.lines("ops", CAPTURE)))
        for options, keeps in ((("--slower", "5ms"), lambda o: o.get("latency", 0) >= 0.005),
                               (("--slower", "5000us"), lambda o: o.get("latency", 0) >= 0.005),
                               (("--slower", "0.005"), lambda o: o.get("latency", 0) >= 0.005),
                               (("--failed",), lambda o: o.get("ok") is False),
                               (("--incomplete",), lambda o: not o["complete"]),
                               (("--layer", "rpc"), lambda o: o["layer"] == "rpc"),
                               (("--layer", "nfs", "--slower", "2ms"), lambda o: o["layer"] == "nfs" and o.get("latency", 0) >= 0.002)):
            with self.subTest(options=options):
                self.assertEqual(self.objects(*options), [o for o in everything if keeps(o)])

    def test_layers_are_those_of_captures_and_the_manual(self):
        error = self.run_program("operations", "--layer", "nosuch", CAPTURE)
        self.assertEqual((error.returncode, error.stdout), (2, b""))
        layers = re.fullmatch(r"rdmatap: --layer nosuch: no such layer \((.*)\)\n", error.stderr.decode())[1].split(", ")
        with open(os.path.join(TESTS, "../doc/rdmatap-operations.1"), encoding="utf-8") as page:
            described = re.search(r"^\.It Fl -layer Ar NAME\n(.*?)^\.It", page.read(), re.M | re.S)[1]
        self.assertEqual(sorted(re.findall(r"^\.Ql (\w+)", described, re.M)), sorted(layers))
        helped = re.search(r"--layer NAME .*: (.*)", self.run_program("operations", "--help").stdout.decode())[1]
        self.assertEqual(sorted(helped.split(", ")), sorted(layers))
        found = set()
        for name in (name for name, wanted in CAPTURES if wanted):
            path = os.path.join(TESTDATA, name)
            every = self.lines("operations", path, "-e", "layer")
            found |= set(every)
            for layer in set(every):
                self.assertEqual(self.lines("operations", path, "-e", "layer", "--layer", layer), [one for one in every if one == layer])
        self.assertEqual(found | {"rtrs"}, set(layers))

    def test_they_are_sorted(self):
        everything = self.objects()
        by_latency = sorted(everything, key=lambda o: -o.get("latency", -1))
        self.assertEqual(self.objects("--sort", "latency"), by_latency)
        self.assertEqual(self.objects("--top", "7"), by_latency[:7])
        self.assertEqual(self.objects("--sort", "bytes", "--top", "5"), sorted(everything, key=lambda o: -o.get("data_bytes", -1))[:5])
        self.assertEqual(self.objects("--sort", "time"), sorted(everything, key=lambda o: float(o["time"])))

    def groups(self, *arguments):
        return [json.loads(line, parse_float=Decimal) for line in self.lines("operations", "--json", *arguments, CAPTURE)]

    def expected_groups(self, by):
        """The expected output of --by, computed from the operations, by the largest total time."""
        ends = {c["connection"]: (c["a"].get("addr"), c["b"].get("addr")) for c in map(json.loads, self.lines("connections", "--json", CAPTURE))}
        groups = collections.defaultdict(list)
        for one in map(lambda line: json.loads(line, parse_float=Decimal), self.lines("operations", "--json", CAPTURE)):
            client, server = ends[one["connection"]][::1 if one["direction"] == "a>b" else -1]
            groups[{"client": client, "server": server, "export": "%s:%s" % (server, one["export"]) if "export" in one else None,
                    "name": "%s %s" % (one["layer"], one.get("name", "unknown")), "object": one.get("object"),
                    "layer": one["layer"]}[by]].append(one)
        for key, members in groups.items():
            latencies = sorted(o["latency"] for o in members if "latency" in o)
            group = {"by": by, "count": len(members), "failed": sum(o.get("ok") is False for o in members),
                     "unanswered": sum("response_frame" not in o for o in members), "data_bytes": sum(o.get("data_bytes", 0) for o in members),
                     "time_lost": sum(o.get("time_lost", 0) for o in members)}
            if key is not None:
                group["key"] = key
            group.update(time=min(o["time"] for o in members), time_ns=min(o["time_ns"] for o in members),
                         time_end=max(o["time_end"] for o in members), time_end_ns=max(o["time_end_ns"] for o in members))
            if latencies:
                rank = lambda permille: latencies[max(0, -(-permille * len(latencies) // 1000) - 1)]
                group.update(latency_p50=rank(500), latency_p99=rank(990), latency_max=latencies[-1], latency_total=sum(latencies))
            yield group

    def test_groups_are_sums_of_the_operations(self):
        for by in ("client", "server", "export", "name", "object", "layer"):
            with self.subTest(by=by):
                expected = list(self.expected_groups(by))
                found = self.groups("--by", by)
                self.assertGreater(len(expected), 0)
                self.assertEqual(found, sorted(expected, key=lambda g: -g.get("latency_total", 0)))
                for sort, value in (("count", "count"), ("bytes", "data_bytes"), ("latency", "latency_p99")):
                    self.assertEqual(self.groups("--by", by, "--sort", sort, "--top", "3"),
                                     sorted(expected, key=lambda g: -g.get(value, 0))[:3])

    def test_groups_as_a_table_and_as_csv(self):
        table = self.lines("operations", "--by", "name", "--layer", "nfs", CAPTURE)
        self.assertEqual(table[0].split()[0], "count")
        self.assertEqual(table[0].split()[-1], "name")
        self.assertEqual(len(table) - 1, len(self.groups("--by", "name", "--layer", "nfs")))
        self.assertLessEqual(max(map(len, table)), 120)
        self.assertEqual({line.split()[0].isdigit() for line in table[1:]}, {True})
        rows = list(csv.DictReader(self.lines("operations", "--by", "name", "-T", "csv", CAPTURE)))
        self.assertEqual([row["key"] for row in rows], [group["key"] for group in self.groups("--by", "name")])

    def test_long_keys_are_shortened_but_not_with_wide(self):
        path = os.path.join(TESTDATA, "roce-nfs40-mtu256.pcap.gz")
        short, wide = (self.lines("operations", "--by", "object", *more, path) for more in ((), ("--wide",)))
        keys = [json.loads(line).get("key", "(unknown)") for line in self.lines("operations", "--by", "object", "--json", path)]
        self.assertEqual(len(short), len(keys) + 1)
        self.assertGreater(max(map(len, wide)), 160)
        self.assertLessEqual(max(map(len, short)), 120)
        for one, other, key in zip(short[1:], wide[1:], keys):
            self.assertTrue(other.endswith("  " + key), other)
            head, dots, tail = one.partition("...")
            self.assertTrue(one == other or (dots and other.startswith(head) and other.endswith(tail) and len(other) > 120), one)

    def test_keys_beyond_the_memory_are_counted_together(self):
        found = self.groups("--by", "object", "--max-memory", "1M")
        self.assertEqual(sum(g["count"] for g in found), len(self.objects("--max-memory", "1M")))

    def test_wrong_groups_are_refused(self):
        self.bad("rdmatap: --by user: no such key (client, server, export, name or procedure, object, layer)\n", "operations", "--by", "user", CAPTURE)
        self.bad("rdmatap: --sort count requires --by\n", "operations", "--sort", "count", CAPTURE)
        self.bad("rdmatap: -e name: operations --by KEY has no such column (-T csv prints all of them)\n", "operations", "--by", "name", "-e", "name", CAPTURE)

    def test_groups_have_columns_and_times(self):
        rows = self.groups("--by", "name")
        self.assertEqual([row["key"] for row in self.groups("--by", "procedure")], [row["key"] for row in rows])
        self.assertEqual(self.lines("operations", "--by", "name", "-e", "count", "-e", "latency_max", CAPTURE),
                         ["%d\t%s" % (row["count"], row.get("latency_max", "")) for row in rows])
        self.assertEqual(self.lines("operations", "-e", "key", "-T", "csv", "--by", "name", CAPTURE), ["key"] + [row["key"] for row in rows])
        table = self.lines("operations", "--by", "name", "-t", "e", CAPTURE)
        self.assertEqual(table[0].split()[-2:], ["first", "name"])
        for line, row in zip(table[1:], rows):
            self.assertIn(" %s  " % row["time"][:-3], line)
        self.assertEqual(min(row["time"] for row in rows), self.objects()[0]["time"])

    def test_wrong_values_are_refused(self):
        self.bad("rdmatap: --sort size: no such order (time, latency, bytes; with --by also count)\n", "operations", "--sort", "size", CAPTURE)
        for time in ("", "0", "-1ms", "fast", "5 minutes"):
            self.bad("rdmatap: --slower %s: not a time such as 50ms, 200us or 1.5s\n" % time, "operations", "--slower", time, CAPTURE)
        self.bad("rdmatap: --top 0: not a number from 1 to 4294967295\n", "operations", "--top", "0", CAPTURE)


class Widths(CliTest):
    """Lines for a screen: 120 columns unless what must be there takes more; what is left out is in the middle of a name, and in --wide."""

    def test_only_the_middle_of_an_object_or_the_begin_of_a_path_is_left_out(self):
        shortened = 0
        for name in ("roce-nfs3.pcap.gz", "roce-nfs3-v6.pcap.gz", "roce-nfs40-mtu256.pcap.gz", "iwarp-nfs3-crctso.pcap.gz"):
            path = os.path.join(TESTDATA, name)
            lines, wide = self.lines("operations", path), self.lines("operations", "--wide", path)
            objects = [json.loads(line).get("object", "") for line in self.lines("operations", "--json", path)]
            self.assertEqual([len(lines)] * 2, [len(wide), len(objects)])
            for line, full, whole in zip(lines, wide, objects):
                self.assertIn(whole, full)
                if len(full) <= 120:
                    self.assertEqual(line, full)
                    continue
                if len(whole) <= 24:
                    self.assertEqual(re.sub(" +", " ", line), re.sub(" +", " ", full))
                    self.assertTrue(line == full or len(line) <= 120, line)
                    continue
                shortened += 1
                before, after = full.split(whole, 1)
                begin, end = line[len(before):len(line) - len(after)].split("...")
                self.assertTrue(line.startswith(before) and line.endswith(after) and whole.startswith(begin) and whole.endswith(end), line)
                self.assertEqual(begin == "", "/" in whole, line)
                # whole components, if that leaves enough
                self.assertTrue(len(line) == 120 or len(begin + end) == 21 or (end[0] == "/" and 10 <= len(end) and len(line) < 120), line)
        self.assertGreater(shortened, 100)

    def test_lists_of_captured_workloads_are_narrow(self):
        """The share of lines above 120 columns, of all captures of applications; a list that needs more than the limit got wider."""
        limits = {"operations": 0.02, "messages": 0.08, "connections": 0.02}
        for command, limit in limits.items():
            widths = []
            for name in ("roce-nfs3.pcap.gz", "roce-nfs3-v6.pcap.gz", "roce-nfs40-mtu256.pcap.gz", "roce-nvmeof.pcap.gz", "roce-iser.pcap.gz",
                         "roce-rds.pcap", "roce-rnbd.pcap.gz", "iwarp-nfs3-crctso.pcap.gz", "iwarp-nvmeof.pcap.gz", "roce-nfs42-long.pcap"):
                widths += [len(line) for line in self.lines(command, os.path.join(TESTDATA, name))]
            self.assertLess(sum(width > 120 for width in widths) / len(widths), limit, command)
