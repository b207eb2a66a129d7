# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The upper layer of connections whose setup was not captured: the right one, or none. One capture of each layer; a new layer adds a line."""
import json
import os
import re

import capfile
import nccl
import verbs
from cli import CliTest, TESTDATA

# capture, permitted layers of its operations
CAPTURES = (
    ("roce-nfs3.pcap.gz", {"nfs", "rpc"}),
    ("roce-nfs3-v6.pcap.gz", {"nfs", "rpc"}),
    ("roce-nvmeof.pcap.gz", {"nvme"}),
    ("roce-srp.pcap.gz", {"srp"}),
    ("roce-iser.pcap.gz", {"iser"}),
    ("roce-rds.pcap", {"rds"}),
    ("conn_rds.pcap", {"rds"}),
    ("conn_lnet.pcap", {"lnet"}),
    ("conn_lnet-big.pcap", {"lnet"}),
    ("roce-smbdirect.pcap.gz", {"smb"}),
    ("conn_smb.pcap", {"smb"}),
    ("roce-rnbd.pcap.gz", {"rnbd"}),
    ("nccl-ring.pcap", {"nccl"}),
    # no upper layer at all
    ("roce-rcopy.pcap", set()),
    ("roce-rping-v4.pcap", set()),
    ("roce-rping-v6.pcap", set()),
    ("roce-cmtime.pcap", set()),
    ("roce-perf-atomic-cs.pcap", set()),
    ("roce-perf-send-uc.pcap", set()),
    ("roce-verbmix-err-badrkey.pcap", set()),
    ("conn_verbs.pcap", set()),
)

# Names of captures in testdata and the layers that may have operations there; in all others no layer may.
LAYERS = (
    (r"nfs|^rpc|^roce-pcapng-nano|^iwarp-retransmitted|^send-that-waited|^view-of-two-streams", {"nfs", "rpc"}),
    (r"-nvmeof\b", {"nvme"}), (r"-srp\b", {"srp"}), (r"-iser\b", {"iser"}), (r"-rnbd\b", {"rnbd"}), (r"[-_]rds\b", {"rds"}),
    (r"_lnet\b", {"lnet"}), (r"_smb\b|-smbdirect\b", {"smb"}), (r"^nccl-", {"nccl"}),
)


def is_setup(frame):
    """Over RoCE v2 and IPv4: to QP 1."""
    at = 14 + (frame[14] & 15) * 4 + 8 if frame[12:14] == b"\x08\0" else 14 + 40 + 8
    return frame[at:at + 1] == b"\x64" and frame[at + 5:at + 8] == b"\0\0\1"


ACK = 0x11


def opcode_of(frame):
    return frame[42] if frame[12:14] == b"\x08\0" and frame[23:24] == b"\x11" and frame[36:38] == b"\x12\xb7" else None


def without_port(frame):
    """The UDP source port depends only on the sender's address."""
    return frame[:34] + b"\xc0" + frame[29:30] + frame[36:] if opcode_of(frame) is not None else frame


class Recognition(CliTest):
    def layers(self, capture):
        return {json.loads(line)["layer"] for line in self.lines("operations", "--json", capture)}

    def test_without_the_setup(self):
        for name, wanted in CAPTURES:
            frames = list(capfile.read(os.path.join(TESTDATA, name)))
            rest = [f for f in frames if not is_setup(f[1])]
            for begin in (0, len(rest) // 3, len(rest) // 2):
                path = self.path("rest.pcap")
                capfile.write_pcap(path, 1, rest[begin:])
                with self.subTest(name=name, begin=begin):
                    found = self.layers(path)
                    self.assertLessEqual(found, wanted)
                    if begin == 0:
                        # by its content alone
                        self.assertEqual(bool(found), bool(wanted))

    def test_with_the_setup(self):
        for name, wanted in CAPTURES:
            with self.subTest(name=name):
                self.assertLessEqual(self.layers(os.path.join(TESTDATA, name)), wanted)

    def test_no_capture_has_operations_of_another_layer(self):
        seen = set()
        for name in sorted(os.listdir(TESTDATA)):
            if not re.search(r"\.(pcap|pcapng)(\.gz)?$", name):
                continue
            with self.subTest(name=name):
                # some are damaged, so the exit status can be 2
                text = self.run_program("operations", "--json", os.path.join(TESTDATA, name)).stdout
                found = {json.loads(line)["layer"] for line in text.splitlines()}
                self.assertLessEqual(found, set().union(*[layers for names, layers in LAYERS if re.search(names, name)]))
                seen |= found
        self.assertEqual(seen, set().union(*[layers for _, layers in LAYERS]))

    def test_without_acknowledgements(self):
        """Without setup, acknowledgements and distinctive source ports: data and responses show which two directions belong together.

        Four responses in succession are needed where nothing but identifiers agrees: those before them, and those of a connection
        that has fewer, stay alone.
        """
        for name in ("nvmeof", "srp", "iser", "rnbd"):
            frames = [f for f in capfile.read(os.path.join(TESTDATA, "roce-%s.pcap.gz" % name)) if not is_setup(f[1]) and opcode_of(f[1]) != ACK]
            for begin in (0, len(frames) // 3):
                path = self.path("rest.pcap")
                capfile.write_pcap(path, 1, [(time, without_port(data), wire) for time, data, wire in frames[begin:]])
                rows = [json.loads(line) for line in self.lines("operations", "--json", "--no-check-icrc", path)]
                # requests without a response: Asynchronous Event Requests, and the last one before the connection was closed
                waiting = [row["name"] for row in rows if "response_frame" not in row]
                lost = [row for row in rows if "request_frame" not in row]
                with self.subTest(name=name, begin=begin):
                    self.assertGreaterEqual(len(rows), 4)
                    self.assertLessEqual(len([name for name in waiting if name not in ("Asynchronous Event Request", "Logout")]), 4)
                    self.assertLessEqual(len(lost), 4)

    def test_layers_without_a_capture_in_testdata(self):
        made = [(nccl.straggling_ring(self.path("nccl.pcap")), {"nccl"})]
        for number, pattern in enumerate((verbs.ping_pong(30, 64), verbs.write_ping_pong(30, 32), verbs.write_ping_pong(30, 64), verbs.requests(30, 64, 128),
                                          verbs.stream(30, 4096), verbs.read_stream(30, 1024), verbs.notify(12, 4, 2048), verbs.poll(30), verbs.locks(30))):
            made.append((pattern.write_pcap(self.path("verbs%d.pcap" % number)), set()))
        for path, wanted in made:
            with self.subTest(path=os.path.basename(path)):
                self.assertEqual(self.layers(path), wanted)
