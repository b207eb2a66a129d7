# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Findings of SMB Direct and SMB: waits for credits, last credits, and connections set up again. The traffic has these by construction."""
import json
import os

import smb
from cli import CliTest, TESTDATA


class Findings(CliTest):
    def findings(self, scene):
        self.capture = self.path("scene.pcap")
        scene.write_capture(self.capture)
        return self.found(self.capture)

    def found(self, path):
        rows = [json.loads(line) for line in self.lines("stats", "--json", path)]
        return {row["rule"]: row for row in rows if row["type"] == "finding"}

    def test_a_fragment_that_waits_for_a_credit(self):
        found = self.findings(smb.starved(0.25))["credit_waits"]
        self.assertEqual((found["count"], found["weight"]), (1, "warning"))
        self.assertAlmostEqual(found["longest_delay"], 0.25, delta=0.01)
        self.assertIn("waited for credits", "\n".join(self.lines("stats", self.capture)))
        last = [json.loads(line) for line in self.lines("operations", "--json", self.capture)][-1]
        # all credits were used, and the fragments after the wait have 20 more
        self.assertEqual((last["name"], last["fragments"], last["credits"]), ("WRITE", 4, 19))

    def test_a_short_wait_is_no_finding(self):
        self.assertNotIn("credit_waits", self.findings(smb.starved(0.0001)))

    def test_requests_that_use_the_last_credit(self):
        found = self.findings(smb.echoes(30, False))["last_credits"]
        rows = [json.loads(line) for line in self.lines("operations", "--json", self.capture)]
        self.assertEqual([row["id"] for row in rows if row.get("last_credit")], [str(i) for i in range(8, 34)])
        self.assertEqual(found["count"], 26)

    def test_enough_credits(self):
        self.assertNotIn("last_credits", self.findings(smb.echoes(30, True)))

    def test_echoes_oblige_to_nothing(self):
        """A client may send them at any time: [MS-SMB2] 2.2.28. Only commands that agree on a timeout, as Connect of NVMe, have one."""
        self.assertNotIn("missed_keep_alives", self.findings(smb.echoes(6, True, (1, 1, 1, 1, 60, 1))))

    def test_a_connection_after_one_that_failed(self):
        found = self.findings(smb.reconnected(False))["reconnects"]
        self.assertEqual((found["count"], found["connection"]), (1, 2))

    def test_a_connection_after_one_that_did_not(self):
        self.assertNotIn("reconnects", self.findings(smb.reconnected(True)))

    def test_real_traffic_has_none_of_them(self):
        for name in ("roce-smbdirect.pcap.gz", "iwarp-smbdirect.pcap.gz", "roce-nvmeof.pcap.gz", "roce-srp.pcap.gz"):
            self.assertFalse(set(self.found(os.path.join(TESTDATA, name))) & {"credit_waits", "last_credits", "reconnects"}, name)
