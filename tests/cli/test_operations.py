# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap operations from outside: what its options select and in which order."""
import json
import os

from cli import CliTest, TESTDATA

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

    def test_they_are_sorted(self):
        everything = self.objects()
        by_latency = sorted(everything, key=lambda o: -o.get("latency", -1))
        self.assertEqual(self.objects("--sort", "latency"), by_latency)
        self.assertEqual(self.objects("--top", "7"), by_latency[:7])
        self.assertEqual(self.objects("--sort", "bytes", "--top", "5"), sorted(everything, key=lambda o: -o.get("data_bytes", -1))[:5])
        self.assertEqual(self.objects("--sort", "time"), sorted(everything, key=lambda o: float(o["time"])))

    def test_wrong_values_are_refused(self):
        self.bad("rdmatap: --sort size: no such order (time, latency, bytes)\n", "operations", "--sort", "size", CAPTURE)
        for time in ("", "0", "-1ms", "fast", "5 minutes"):
            self.bad("rdmatap: --slower %s: not a time such as 50ms, 200us or 1.5s\n" % time, "operations", "--slower", time, CAPTURE)
        self.bad("rdmatap: --top 0: not a number from 1 to 4294967295\n", "operations", "--top", "0", CAPTURE)
