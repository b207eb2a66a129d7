# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The database of export --sqlite, against the output of the other commands."""
import json
import os
import re
import sqlite3

from cli import CliTest, RPING, TESTDATA, TESTS, captures

NAMES = ("roce-nfs3.pcap.gz", "roce-rping-v4.pcap", "iwarp-nfs3-crctso.pcap.gz", "roce-nfs40-mtu256.pcap.gz", "conn_loss-acked-more.pcap",
         "mad-ibsim-smp-perf.pcap.gz", "rpc_loss-and-duplicate.pcap", "absurd-short.pcapng", "empty.pcap")


def nanoseconds(text):
    """Exact nanoseconds of a decimal string of seconds."""
    if text is None:
        return None
    sign = -1 if text.startswith("-") else 1
    whole, _, part = text.lstrip("-").partition(".")
    return sign * (int(whole) * 10**9 + int(part.ljust(9, "0")[:9] or 0))


class Sqlite(CliTest):
    def setUp(self):
        super().setUp()
        self.captures = [os.path.join(TESTDATA, name) for name in NAMES if os.path.exists(os.path.join(TESTDATA, name))]

    def database(self, capture, *options):
        path = self.path("x.db")
        self.assertEqual(self.run_program("export", "--sqlite", path, *options, capture).returncode,
                         self.run_program("stats", capture).returncode)
        database = sqlite3.connect(path)
        database.row_factory = sqlite3.Row
        self.addCleanup(database.close)
        return database

    def rows(self, database, table, key):
        return {row[key]: row for row in database.execute("SELECT * FROM " + table)}

    def records(self, command, capture):
        return [json.loads(line) for line in self.run_program(command, "--json", capture).stdout.splitlines()]

    def test_each_message_is_a_row(self):
        for capture in self.captures:
            rows = self.rows(self.database(capture), "messages", "message")
            records = self.records("messages", capture)
            self.assertEqual(len(rows), len(records))
            for record in records:
                row = rows[record["message"]]
                for key in ("connection", "direction", "kind", "verb", "first_frame", "last_frame", "repeats", "xid", "procedure", "r_key", "psn"):
                    self.assertEqual(row[key], record.get(key), (capture, key, record))
                self.assertEqual(row["complete"], record["complete"])
                self.assertEqual(row["missing_ranges"], len(record["missing"]))
                self.assertEqual(row["time_ns"], nanoseconds(record["time"]))
                if "latency" in record:
                    self.assertEqual(row["latency_ns"], nanoseconds("%.9f" % record["latency"]))
                if record["complete"]:
                    self.assertEqual(row["length"], record["length"])

    def test_each_operation_is_a_row(self):
        for capture in self.captures:
            rows = self.rows(self.database(capture), "operations", "operation")
            records = self.records("operations", capture)
            self.assertEqual(len(rows), len(records))
            for record in records:
                row = rows[record["operation"]]
                for key in ("connection", "direction", "layer", "name", "id", "offset", "length", "status", "request_frame", "response_frame",
                            "carried", "data_bytes"):
                    self.assertEqual(row[key], record.get(key), (capture, key, record))
                self.assertEqual(row["complete"], record["complete"])

    def test_each_connection_is_a_row_with_its_anomalies(self):
        for capture in self.captures:
            rows = self.rows(self.database(capture), "connections", "connection")
            records = self.records("connections", capture)
            self.assertEqual(sorted(rows), sorted(record["connection"] for record in records))
            for record in records:
                row = rows[record["connection"]]
                for key in ("transport", "packets", "messages", "bytes", "first_frame", "last_frame"):
                    self.assertEqual(row[key], record[key], (capture, key))

    def test_findings_and_intervals_are_those_of_stats(self):
        for capture in self.captures:
            database = self.database(capture, "--interval", "0.1")
            lines = self.run_program("stats", "--json", "--interval", "0.1", capture).stdout.splitlines()
            records = [json.loads(line) for line in lines]
            self.assertEqual([row["rule"] for row in database.execute("SELECT rule FROM findings ORDER BY finding")],
                             [record["rule"] for record in records if record["type"] == "finding"])
            self.assertEqual([tuple(row) for row in database.execute("SELECT packets, bytes, messages FROM intervals ORDER BY time_ns")],
                             [(record["packets"], record["bytes"], record["messages"]) for record in records if record["type"] == "interval"])

    def test_recoveries_and_time_lost_are_those_of_stats(self):
        """Also those that delayed no message."""
        causes = 0
        for name in ("absurd-lengths.pcap", "conn_read-restart-twice.pcap", "conn_rnr.pcap", "erf.pcap", "iwarp-nfs41-reorder.pcap.gz", "pseudowires.pcap",
                     "read-responses-lost.pcap.gz", "roce-nfs3-write-lost.pcap.gz", "roce-verbmix-err-rnr.pcap", "sections.pcapng"):
            capture = os.path.join(TESTDATA, name)
            database = self.database(capture)
            rows = {(row["connection"], row["direction"], row["cause"]): (row["count"], row["time_lost_ns"])
                    for row in database.execute("SELECT * FROM recoveries")}
            sums = {(row["connection"], row["direction"]): (row["recoveries"], row["lost_ms"]) for row in database.execute("SELECT * FROM time_lost")}
            lines = self.run_program("stats", "--json", capture).stdout.splitlines()
            for record in (json.loads(line, parse_float=str) for line in lines):
                for direction in record.get("directions", ()):
                    place = (record.get("connection"), direction["direction"])
                    for cause, recovery in direction["recoveries"].items():
                        self.assertEqual(rows.pop((*place, cause)), (recovery["count"], nanoseconds(recovery["time_lost"])), (capture, place))
                        causes += 1
                    lost = nanoseconds(direction["time_lost"])
                    if lost:
                        self.assertEqual(sums.pop(place), (sum(recovery["count"] for recovery in direction["recoveries"].values()), lost / 1e6))
            self.assertEqual((rows, sums), ({}, {}), capture)
        self.assertGreaterEqual(causes, 20)

    def test_unknown_is_null(self):
        """Data without its request has no time since it; the bytes of repeats are compared for TCP only."""
        answers = self.database(os.path.join(TESTDATA, "rpc_answered-again.pcap"))
        alone = [tuple(row) for row in answers.execute("SELECT first_data_ns, last_data_ns FROM operations"
                                                      " WHERE request_frame IS NULL AND first_data_frame IS NOT NULL")]
        self.assertEqual(set(alone), {(None, None)})
        query = "SELECT DISTINCT transport, differing_repeat FROM connections"
        differing = self.database(os.path.join(TESTDATA, "conn_duplicate-differing.pcap"))
        self.assertEqual([tuple(row) for row in differing.execute(query)], [("RC", None)])
        segments = self.database(os.path.join(TESTDATA, "iwarp-rping-v4.pcap"))
        self.assertEqual([tuple(row) for row in segments.execute(query)], [("iwarp", 0)])

    def test_packets_have_the_length_of_an_erf_record(self):
        capture = os.path.join(TESTDATA, "erf.pcap")
        lines = self.run_program("-r", capture, "-T", "fields", "-e", "frame.len").stdout.splitlines()
        self.assertEqual([length for length, in self.database(capture, "--packets").execute("SELECT length FROM packets ORDER BY frame")],
                         [int(line) for line in lines])

    def test_packets_on_request(self):
        self.assertEqual(self.database(RPING).execute("SELECT count(*) FROM packets").fetchone()[0], 0)
        rows = self.rows(self.database(RPING, "--packets"), "packets", "frame")
        fields = ("frame.number", "frame.len", "infiniband.bth.psn", "infiniband.bth.opcode")
        lines = self.good("-r", RPING, "-T", "fields", *[word for field in fields for word in ("-e", field)]).decode().splitlines()
        self.assertEqual(len(rows), len(lines))
        for line in lines:
            number, length, psn, opcode = (int(word) if word else None for word in line.split("\t"))
            self.assertEqual((rows[number]["length"], rows[number]["psn"], rows[number]["opcode"]), (length, psn, opcode))

    def test_rows_of_merged_connections_go_where_the_connection_went(self):
        """Halves of connections are merged when their other half is found, and a packet can precede the recognition of its connection."""
        later = 0
        for capture in captures():
            database = self.database(capture, "--packets")
            for table in ("messages", "operations", "packets"):
                lost = database.execute("SELECT count(*) FROM %s WHERE connection IS NOT NULL AND connection NOT IN (SELECT connection FROM connections)" % table)
                self.assertEqual(lost.fetchone()[0], 0, (capture, table))
            shown = self.run_program("-r", capture, "-T", "fields", "-e", "frame.number", "-e", "rdmatap.connection").stdout.decode()
            unknown = [line.split("\t")[0] for line in shown.splitlines() if line.endswith("\t")]
            later += database.execute("SELECT count(*) FROM packets WHERE connection IS NOT NULL AND frame IN (%s)" % ",".join(unknown)).fetchone()[0]
        self.assertGreater(later, 0)

    def test_every_view_can_be_read(self):
        database = self.database(self.captures[0])
        views = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
        self.assertGreaterEqual(len(views), 10)
        for view in views:
            database.execute("SELECT * FROM %s" % view).fetchall()
        manual = os.path.join(os.path.dirname(TESTDATA), "doc", "rdmatap-export.1")
        with open(manual, encoding="utf-8") as f:
            text = f.read()
        for view in views:
            self.assertIn(view, text)
        slowest = database.execute("SELECT latency_ms FROM slow_operations LIMIT 1").fetchone()[0]
        self.assertEqual(slowest, max(record["latency"] for record in self.records("operations", self.captures[0]) if "latency" in record) * 1000)

    def test_the_queries_of_the_manual_answer(self):
        with open(os.path.join(TESTS, "../doc/rdmatap-export.1"), encoding="utf-8") as page:
            queries = re.findall(r"^SELECT .*;$", page.read(), re.M)
        database = self.database(os.path.join(TESTDATA, "roce-nfs3-write-lost.pcap.gz"))
        views = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
        self.assertEqual({re.search(r"FROM (\w+)", query)[1] for query in queries} - {"findings"}, views - {"directions"})
        answers = {query: database.execute(query).fetchall() for query in queries}
        empty = {re.search(r"FROM (\w+)", query)[1] for query, rows in answers.items() if not rows}
        self.assertLessEqual(empty, {"slow_operations", "failed_operations", "unanswered_operations", "incomplete_messages"})

    def test_write_errors(self):
        self.bad("the database cannot be written", "export", "--sqlite", "/none/x.db", RPING)
        self.bad("is an input too", "export", "--sqlite", RPING, RPING)
        self.bad("--sqlite excludes -w and --files", "export", "--sqlite", "x", "-w", "y", RPING)
        self.bad("--packets, --interval and --sampled require --sqlite", "export", "-w", "y", "--packets", RPING)
        self.bad("there is something that is not a regular file", "export", "--sqlite", "/dev/null", RPING)
        self.assertTrue(os.path.exists("/dev/null"))
        path = self.path("x.db", b"something else")
        self.good("export", "--sqlite", path, RPING)
        self.assertEqual(sqlite3.connect(path).execute("SELECT count(*) FROM connections").fetchone()[0], len(self.records("connections", RPING)))
