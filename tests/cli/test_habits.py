# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Options as tcpdump and tshark have them."""
import os
import time

from cli import CliTest, RPING, TESTDATA, needs

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")


class Habits(CliTest):
    def test_words_after_the_options_are_a_capture_filter(self):
        for words in (("src", "host", "10.0.0.1"), ("src host 10.0.0.1",), ("udp", "and", "(src", "host", "10.0.0.1)")):
            self.assertEqual(self.good("-r", RPING, *words), self.good("-r", RPING, "-f", "src host 10.0.0.1"))

    def test_times(self):
        for theirs, ours in (("-tt", "e"), ("-ttt", "d"), ("-tttt", "ad"), ("-ttttt", "r")):
            self.assertEqual(self.good("-r", RPING, theirs), self.good("-r", RPING, "-t", ours))

    def test_a_snapshot_length_of_0_is_all(self):
        self.assertEqual(self.good("-r", RPING, "-s", "0", "-T", "json"), self.good("-r", RPING, "-T", "json"))

    def test_bytes_and_text(self):
        self.assertEqual(self.good("-r", RPING, "-X"), self.good("-r", RPING, "-x"))

    def test_two_passes(self):
        self.assertEqual(self.good("-2", "-r", NFS), self.good("-r", NFS))

    def test_printing_while_saving(self):
        self.assertEqual(self.good("-r", RPING, "-P", "-U", "-w", self.path("a.pcap")), self.good("-r", RPING))

    def test_options_that_another_one_replaces(self):
        for message, arguments in (("-Y FILTER selects packets", ("-R", "udp")), ("-V prints all headers", ("-O", "infiniband")), ("-x prints the bytes", ("-A", ))):
            self.assertEqual(self.bad(message, "-r", RPING, *arguments), b"")

    def test_a_number_of_packets(self):
        self.assertEqual(self.good("-r", RPING, "-a", "packets:7"), self.good("-r", RPING, "-c", "7"))

    def test_decode_as(self):
        for theirs, ours in (("udp.port==4791,infiniband", "udp=4791,rocev2"), ("infiniband.bth.destqp==0x12,rpcordma", "qp=0x12,rpcrdma"),
                             ("infiniband.bth.destqp==18,data", "qp=18,data")):
            self.assertEqual(self.good("-r", NFS, "-d", theirs), self.good("-r", NFS, "--decode-as", ours))

    @needs("ip")
    def test_a_duration(self):
        """The capture ends by itself: the loopback may have no traffic at all."""
        begin = time.monotonic()
        done = self.run_program("-i", "pcap:lo", "-a", "duration:1", "-q")
        if b"ermission" in done.stderr or b"ermitted" in done.stderr or b"Z" in done.stderr and done.returncode:
            self.skipTest("captures are not permitted here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(time.monotonic() - begin, 1)
