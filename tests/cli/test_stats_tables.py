# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap stats: its tables for a terminal against its JSON."""
import re
import unittest

from cli import RPING, captures
from stats import StatsTest, testdata


class Tables(StatsTest):
    def tables(self, *arguments):
        """The tables of the text: title to rows of cells by heading. Cells are separated by two blanks."""
        found, rows = {}, None
        lines = self.lines_of("stats", *arguments)
        for before, line in zip([""] + lines, lines):
            if line.startswith("  ") and rows is not None:
                rows.append(line)
            else:
                rows = None
            if not before and line:
                rows = found[line] = []
        return found

    def test_lines_fit_the_terminal(self):
        for capture in captures():
            for options in ((), ("--connection", "all", "--interval", "1"), ("--sort", "latency", "--top", "1000"), ("--explain", "all")):
                for line in self.lines_of("stats", *options, capture):
                    self.assertTrue(len(line) <= 120 or (options and line.startswith("       -Y ")), (capture, line))

    def test_numbers_are_aligned_to_the_right(self):
        for capture in captures():
            for title, rows in self.tables(capture).items():
                for row in rows[1:] if "onnections" in title or "pairs" in title else ():
                    heading = rows[0]
                    for name in ("packets", "bytes", "payload", "retrans."):
                        end = heading.find(name) + len(name)
                        if name in heading and row[end - 1:end].strip():
                            self.assertEqual(row[end:end + 2].strip(), "", (capture, row))

    def test_zero_values_are_omitted(self):
        for capture in captures():
            for line in self.lines_of("stats", capture):
                # the number of a queue, or of a connection of a session
                line = re.sub(r"^( +\d+  [a-z]+ +)0 ", r"\1  ", line)
                if line.startswith("  ") and not re.match(r"   ? ?\d+\. |     |  Likely", line):
                    self.assertIsNone(re.search(r"(?<![\w.:])(?<!lid )0 (?:[KMG]?B|[munk]?s|%|[kMG]?b/s)?(?: |$)", line), (capture, line))

    def test_connections_are_those_of_json_in_the_requested_order(self):
        def lost(row):
            return round(sum(direction["time_lost"] for direction in row["directions"]), 9)

        def sent_again(row):
            return sum(direction["events"].get("retransmissions", {"count": 0})["count"] for direction in row["directions"])

        keys = {"bytes": lambda row: sum(d["bytes"] for d in row["directions"]), "packets": lambda row: sum(d["packets"] for d in row["directions"]),
                "time-lost": lost, "retransmissions": sent_again}
        for capture in ("roce-nfs3-long.pcap", "conn_naks.pcap", "read-responses-lost.pcap.gz", "roce-v2-opcodes.pcap"):
            rows = [row for row in self.stats(testdata(capture))["connection"] if "connection" in row]
            for name, key in keys.items():
                expected = [row["connection"] for row in sorted(rows, key=lambda row: (-key(row), row["connection"]))]
                for top in (1, 3, 1000):
                    tables = self.tables("--sort", name, "--top", str(top), testdata(capture))
                    found, = [table for title, table in tables.items() if title.startswith("Connections by ")]
                    self.assertEqual([int(line.split()[0]) for line in found[1:]], expected[:top], (capture, name))

    def test_a_connection_is_shown_in_full(self):
        text = self.lines("stats", "--connection", "3", testdata("roce-nfs3-long.pcap"))
        self.assertEqual([line for line in text if line.startswith("#")], ["#3 RC a 10.0.0.2 qp 0x000011, b 10.0.0.1 qp 0x000011, NFS v3"])
        self.assertIn("    17 RPC calls, 17 answered, at most 1 under way; credits granted 64-64", text)
        everything = self.lines("stats", "--connection", "all", testdata("roce-nfs3-long.pcap"))
        self.assertEqual([line[:2] for line in everything if line.startswith("#")], ["#%d" % number for number in range(1, 7)])
        self.assertEqual(everything[:8], self.lines("stats", testdata("roce-nfs3-long.pcap"))[:8])
        self.bad("--connection 9: no such connection", "stats", "--connection", "9", testdata("roce-nfs3-long.pcap"))
        for form in (("--json",), ("-T", "csv", "--type", "connection"), ("-e", "packets", "--type", "connection")):
            self.bad("--top, --sort and --connection are for text", "stats", *form, "--top", "3", RPING)
        self.bad("--sort size: no such order", "stats", "--sort", "size", RPING)


if __name__ == "__main__":
    unittest.main()
