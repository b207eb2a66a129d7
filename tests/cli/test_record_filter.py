# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""-Y on the keys of messages, operations and connections, against a selection that the test makes from the JSON objects of all of them."""
import json
import os
import re
from decimal import Decimal

from cli import CliTest, TESTDATA

LOST = os.path.join(TESTDATA, "roce-nfs3-write-lost.pcap.gz")
NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
NVME = os.path.join(TESTDATA, "roce-nvmeof.pcap.gz")
NFS4 = os.path.join(TESTDATA, "roce-nfs42-long.pcap")


class RecordFilter(CliTest):
    def records(self, command, capture, *options):
        return [json.loads(line, parse_float=Decimal) for line in self.lines(command, "--json", *options, capture)]

    def check(self, command, capture, cases):
        everything = self.records(command, capture)
        self.assertTrue(everything)
        for text, keeps in cases:
            with self.subTest(filter=text):
                wanted = [one for one in everything if keeps(one)]
                self.assertLess(len(wanted), len(everything))
                self.assertTrue(wanted)
                self.assertEqual(self.records(command, capture, "-Y", text), wanted)
                self.assertEqual(len(self.lines(command, "-Y", text, "-e", command[:-1], capture)), len(wanted))

    def test_operations(self):
        self.check("operations", NFS, (
            ("operation.latency > 0.005", lambda o: o.get("latency", 0) > Decimal("0.005")),
            ("operation.latency >= 5ms", lambda o: o.get("latency", 0) >= Decimal("0.005")),
            ("operation.latency < 5000us", lambda o: "latency" in o and o["latency"] < Decimal("0.005")),
            ('operation.name == "READ"', lambda o: o.get("name") == "READ"),
            ('operation.name in {"READ", "WRITE"}', lambda o: o.get("name") in ("READ", "WRITE")),
            ('operation.name matches "^re"', lambda o: o.get("name", "").upper().startswith("RE")),
            ('operation.layer == "nfs" && operation.data_bytes > 1000', lambda o: o["layer"] == "nfs" and o.get("data_bytes", 0) > 1000),
            ("operation.offset", lambda o: "offset" in o),
            ("operation.offset + operation.length > 4096", lambda o: "offset" in o and "length" in o and o["offset"] + o["length"] > 4096),
            ("operation.offset == 0 || operation.xid & 1 == 1", lambda o: o.get("offset") == 0 or o.get("xid", 0) & 1),
            ('not operation.carried == "none"', lambda o: o["carried"] != "none"),
            ("operation.ok == false", lambda o: o.get("ok") is False),
            ("operation.ok", lambda o: o.get("ok") is True),
            ("not operation.ok", lambda o: o.get("ok") is not True),
            ("operation.request_frame in {1..40, 60}", lambda o: o.get("request_frame", 0) in list(range(1, 41)) + [60]),
            ("operation.last_data > operation.first_data", lambda o: o.get("last_data", 0) > o.get("first_data", 0)),
            ('len(operation.object) > 12', lambda o: len(o.get("object", "")) > 12),
            ('upper(operation.object) contains "FILE"', lambda o: "FILE" in o.get("object", "").upper()),
        ))

    def test_values_of_the_layer(self):
        self.check("operations", NVME, (
            ("operation.qid == 0", lambda o: o.get("qid") == 0),
            ("operation.slba > 450", lambda o: o.get("slba", 0) > 450),
            ("operation.opcode == 1 && operation.blocks >= 8", lambda o: o.get("opcode") == 1 and o.get("blocks", 0) >= 8),
        ))

    def test_arrays_messages_and_connections(self):
        self.check("operations", NFS4, (('operation.status == "NFS4_OK" && operation.export', lambda o: o.get("status") == "NFS4_OK" and "export" in o),))
        self.check("messages", LOST, (
            ('message.verb == "read" && message.time_lost > 100ms', lambda m: m.get("verb") == "read" and m.get("time_lost", 0) > Decimal("0.1")),
            ('message.lost_to == "timeout"', lambda m: "timeout" in m.get("lost_to", [])),
            ('count(message.lost_to) == 2', lambda m: len(m.get("lost_to", [])) == 2),
            ('message.time > "1970-01-01" && message.length == 20480', lambda m: m["length"] == 20480),
        ))
        self.check("connections", NFS, (
            ("connection.packets > 20", lambda c: c["packets"] > 20),
            ("connection.a.port", lambda c: "port" in c["a"]),
        ))

    def test_packet_fields_beside_keys(self):
        by_packets = self.records("operations", LOST, "-Y", 'rdmatap.psn.analysis == "retransmission"')
        self.assertEqual([one["name"] for one in by_packets], ["WRITE"])
        for text, names in (('operation.name == "WRITE" && rdmatap.psn.analysis == "retransmission"', ["WRITE"]),
                            ('rdmatap.psn.analysis == "retransmission" && operation.name == "CREATE"', []),
                            ('ip && operation.latency > 0 && frame', ["CREATE", "WRITE"]),
                            ('(ip || arp) && (operation.latency > 0.5 or not operation.ok)', ["WRITE"])):
            with self.subTest(filter=text):
                self.assertEqual([one["name"] for one in self.records("operations", LOST, "-Y", text)], names)

    def test_text_is_compared_unescaped(self):
        names = [one["object"] for one in self.records("operations", NFS) if "object" in one]
        for name in sorted(set(names)):
            quoted = re.sub(r'(["\\\\])', r"\\\1", name)
            self.assertEqual(len(self.lines("operations", "-Y", 'operation.object == "%s"' % quoted, NFS)), names.count(name), name)

    def test_faults(self):
        for command, text, problem in (
                ("operations", "operation.latncy > 1", 'column 1: "operation.latncy" is not a key (did you mean operation.latency?)'),
                ("operations", "ip && latency > 1", 'column 7: "latency" is not a field (did you mean operation.latency?)'),
                ("operations", "operation.zzzzzzzzz", 'column 1: "operation.zzzzzzzzz" is not a key ("rdmatap fields operation." lists all)'),
                ("operations", "operation.ok || ip", "column 1: packet fields and keys of operations are tested apart: join them with && outside of parentheses"),
                ("operations", "ip && (arp || operation.ok)", "column 7: packet fields and keys of operations are tested apart: join them with && outside of parentheses"),
                ("operations", "operation.length > frame.len", "column 1: packet fields and keys of operations are tested apart: join them with && outside of parentheses"),
                ("operations", "operation.name > 5", 'column 18: "5" does not fit "operation.name" (text): give a text in quotes such as "abc"'),
                ("operations", "operation.missing == 5", 'operation.missing'),
                ("messages", "operation.latency > 1", 'column 1: "operation.latency" is for rdmatap operations -Y, and not for packets'),
                ("connections", "ip.src == 1.2.3.4", 'column 1: "ip.src" is not a key of connections, and packet fields cannot be tested here (rdmatap fields connection.)')):
            with self.subTest(filter=text):
                done = self.run_program(command, "-Y", text, LOST)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(problem, done.stderr.decode())
        self.bad('rdmatap: -Y: column 1: "operation.latency" is for rdmatap operations -Y, and not for packets\n', "-r", LOST, "-Y", "operation.latency > 1")

    def test_keys_are_listed(self):
        listed = {line.split("\t")[0] for line in self.lines("fields", "operation.")}
        for capture in (NFS, NVME, NFS4):
            for one in self.records("operations", capture):
                for key, value in one.items():
                    if key != "missing":
                        self.assertIn("operation." + key, listed)
        self.assertIn("operation.missing.offset", listed)
        for name in sorted(listed):
            self.lines("operations", "-Y", name, LOST)

