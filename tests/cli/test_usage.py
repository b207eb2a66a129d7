# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Connections without a known upper layer: patterns, sizes, memory and outliers, against generated connections (generate/verbs.py)."""
import json
import os

import verbs
from cli import CliTest, TESTDATA
from nccl import MS


class Usage(CliTest):
    def connections(self, path):
        return [record for record in map(json.loads, self.lines("stats", "--json", path)) if record["type"] == "connection"]

    def usage(self, made):
        path = made.write_pcap(self.path("verbs.pcap"))
        connection, = self.connections(path)
        return connection["usage"]

    def test_each_pattern_is_recognised(self):
        for made, pattern, kind, direction in (
                (verbs.ping_pong(20, 64), "ping-pong", "send", None), (verbs.write_ping_pong(20, 8), "ping-pong", "write", None),
                (verbs.requests(20, 48, 512), "request-response", "send", None), (verbs.requests(64, 48, 512, 8), "request-response", "send", None),
                (verbs.stream(40, 4096), "streaming", "write", "a>b"), (verbs.read_stream(40, 1024), "streaming", "read", "a>b"),
                (verbs.notify(12, 4, 2048), "writes with notification", "write", "a>b"),
                (verbs.notify(12, 0, 2048), "writes with notification", "write", "a>b"), (verbs.poll(40), "polling", "read", "a>b"),
                (verbs.locks(30), "atomics", "atomic", "a>b"), (verbs.ping_pong(1, 64), "few messages", "send", None)):
            with self.subTest(pattern=pattern, kind=kind):
                usage = self.usage(made)
                self.assertEqual((usage["pattern"], usage["kind"], usage.get("direction")), (pattern, kind, direction))

    def test_connections_have_the_same_usage(self):
        for made, pattern in ((verbs.poll(40), "polling by read of a"), (verbs.ping_pong(20, 64), "ping-pong by send, 64 B"),
                              (verbs.notify(12, 4, 2048), "writes with notification (immediate data) of a")):
            path = made.write_pcap(self.path("verbs.pcap"))
            known, = self.connections(path)
            listed, = map(json.loads, self.lines("connections", "--json", path))
            self.assertEqual(listed["usage"], known["usage"])
            self.assertNotIn("layer", listed)
            self.assertIn("    pattern: " + pattern, self.good("connections", path).decode())
            name = known["usage"]["pattern"]
            self.assertEqual(self.lines("connections", "-T", "csv", "-e", "usage.pattern", "-Y", "connection.usage.pattern == \"%s\"" % name, path)[1:], [name])
            self.assertEqual(self.lines("connections", "-Y", "connection.usage.pattern == \"atomics\"", path), [])
        for name, layer in (("roce-nvmeof.pcap.gz", "nvme"), ("roce-rds.pcap", "rds"), ("conn_lnet.pcap", "lnet"), ("conn_smb.pcap", "smb")):
            for row in map(json.loads, self.lines("connections", "--json", os.path.join(TESTDATA, name))):
                self.assertEqual((row.get("layer"), "usage" in row), (layer, False), name)

    def test_few_messages_of_one_kind_are_no_ping_pong(self):
        """A SEND, a WRITE and a READ of one end and a SEND of the other."""
        row, = map(json.loads, self.lines("connections", "--json", "-Y", "connection.connection == 2", os.path.join(TESTDATA, "conn_reuse-no-dreq.pcap")))
        self.assertEqual([(m["kind"], m["count"]) for m in row["usage"]["messages"]], [("send", 1), ("write", 1), ("read", 1), ("send", 1)])
        self.assertNotEqual(row["usage"]["pattern"], "ping-pong")

    def test_sizes_and_counts(self):
        usage = self.usage(verbs.requests(20, 48, 512))
        self.assertEqual([(m["direction"], m["kind"], m["count"], m["bytes"], m["size_min"], m["size_max"], m["size_common"]) for m in usage["messages"]],
                         [("a>b", "send", 20, 960, 48, 48, 48), ("b>a", "send", 20, 10240, 512, 512, 512)])
        self.assertEqual(usage["turns"], 39)

    def test_memory_is_listed_by_key(self):
        usage = self.usage(verbs.notify(12, 4, 2048))
        self.assertEqual([(r["end"], r["r_key"], int(r["begin"], 16), int(r["range_end"], 16), r["count"], r["bytes"]) for r in usage["regions"]],
                         [("b", 0x77, 0x100000, 0x102000, 48, 98304), ("b", 0x88, 0x900000, 0x900010, 12, 192)])
        self.assertEqual(usage["messages"][0]["with_immediate"], 12)

    def test_outliers_have_a_cause(self):
        usage = self.usage(verbs.stream(40, 4096, lost=17))
        slow = usage["outliers"][0]
        self.assertIn("timeout", slow["cause"])
        self.assertAlmostEqual(slow["seconds"], 0.008, delta=0.0005)
        self.assertEqual((slow["kind"], slow["by"], slow["length"]), ("write", "a", 4096))
        usage = self.usage(verbs.poll(40, late={20: 5 * MS}))
        slow = usage["outliers"][0]
        self.assertEqual((slow["kind"], slow["cause"]), ("read", "the responder or the path was slow: no recovery"))
        self.assertAlmostEqual(slow["seconds"], 0.005, delta=0.0005)
        usage = self.usage(verbs.ping_pong(40, 64, late={20: 5 * MS}))
        slow = usage["outliers"][0]
        self.assertEqual((slow["by"], slow["cause"], "kind" in slow), ("b", "this end took long to answer", False))
        self.assertAlmostEqual(slow["seconds"], 0.005, delta=0.0005)
        for made in (verbs.ping_pong(40, 64), verbs.stream(40, 4096), verbs.poll(40), verbs.requests(40, 48, 512)):
            self.assertEqual(self.usage(made)["outliers"], [])

    def test_many_keys_are_counted(self):
        made, time = verbs.Connection(), verbs.START
        for i in range(30):
            time = made.write(time, True, 0x1000 * i, 0x100 + i, 64) + 1000
        usage = self.usage(made)
        self.assertEqual((len(usage["regions"]), usage["regions_unlisted"]), (8, 22))

    def test_messages_without_data_name_no_memory(self):
        made, time = verbs.Connection(), verbs.START
        for i in range(6):
            time = made.write(time, True, 0x1000 * (i % 2), 0x77 * (i % 2), 64 * (i % 2)) + 1000
        usage = self.usage(made)
        self.assertEqual([(r["r_key"], int(r["begin"], 16), r["count"], r["bytes"]) for r in usage["regions"]], [(0x77, 0x1000, 3, 192)])
        self.assertEqual([(m["kind"], m["count"], m["bytes"]) for m in usage["messages"]], [("write", 6, 192)])

    def test_text_of_stats_and_why(self):
        path = verbs.notify(12, 4, 2048).write_pcap(self.path("verbs.pcap"))
        for command in (("stats", "--connection", "1", path), ("why", path, "connection=1")):
            text = "\n".join(self.lines(*command))
            self.assertIn("pattern: writes with notification (immediate data) of a", text, command)
            self.assertIn("memory of b: key 0x00000077, 0x100000 to 0x102000", text, command)
        self.assertIn("writes with notification", "\n".join(self.lines("stats", path)))
        subject = json.loads(self.lines("why", "--json", path, "connection=1")[0])
        self.assertEqual(subject["usage"]["pattern"], "writes with notification")
        self.assertEqual(subject["usage"], self.connections(path)[0]["usage"])

    def test_connections_of_an_upper_layer_have_none(self):
        for name in ("roce-smbdirect.pcap.gz", "roce-rds.pcap", "nfs3_all-opcodes.pcap"):
            path = os.path.join(TESTDATA, name)
            if os.path.exists(path):
                for connection in self.connections(path):
                    if any("requests" in direction or "rpc_calls" in direction for direction in connection["directions"]):
                        self.assertNotIn("usage", connection, name)


if __name__ == "__main__":
    import unittest
    unittest.main()
