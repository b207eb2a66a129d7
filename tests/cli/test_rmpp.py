# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Transfers of several management datagrams against a model of sender and receiver: windows, segments out of order, repeated and lost, requests of
several segments, vendors' classes, STOP and ABORT; lengths that contradict themselves. IBTA vol. 1, 13.6.
"""
import json
import os
import random
import struct
import zlib

import ib
import net
from capfile import write_pcap
from cli import CliTest

SEEDS = int(os.environ.get("SEEDS", "10"))
DATA, ACK, STOP, ABORT = range(1, 5)
ACTIVE, FIRST, LAST = 1, 2, 4
ENDS = ("10.0.0.1", "10.0.0.2")
PATH_RECORD, MULTI_PATH_RECORD = 0x35, 0x3a


def datagram(side, mad):
    packet = ib.transport(0x64, payload=mad, destqp=1, srcqp=1, q_key=0x80010000, psn=0)
    return net.ethernet(net.roce_v2(packet, 4, src=ENDS[side], dst=ENDS[not side])).data


def mad(cls, method, attribute, transaction, kind, flags, first, second, status=0, rest=b""):
    head = struct.pack(">BBBBHHQHHI", 1, cls, 2 if cls == 3 else 1, method, 0, 0, transaction, attribute, 0, 0)
    return (head + struct.pack(">BBBBII", 1, kind, 0x1f << 3 | flags, status, first, second) + rest).ljust(256, b"\0")


def segments(cls, method, attribute, transaction, data, stride=8):
    """13.6.2.2: the first one has the length of all, the last one its own; both with the class headers."""
    header = struct.pack(">QHHQ", 0, stride, 0, 0) if cls == 3 else struct.pack(">I", 0x1405)
    room = 220 - len(header)
    parts = [data[at:at + room] for at in range(0, len(data), room)]
    for i, part in enumerate(parts):
        flags = ACTIVE | (0 if i else FIRST) | (LAST if part is parts[-1] else 0)
        length = len(part) + len(header) if flags & LAST else len(data) + len(header) * len(parts) if flags & FIRST else 0
        yield mad(cls, method, attribute, transaction, DATA, flags, i + 1, length, rest=header + part)


class Scene:
    def __init__(self, seed):
        self.rng, self.frames, self.wanted = random.Random(seed), [], {}
        for _ in range(25):
            self.transfer()

    def put(self, side, data):
        self.frames.append(datagram(side, data))

    def order(self, count):
        """Numbers of the segments as they are captured."""
        mode, numbers = self.rng.choice(("plain", "window", "repeats", "lost")), list(range(count))
        if mode == "window":
            numbers = [n for at in range(0, count, 4) for n in self.rng.sample(numbers[at:at + 4], len(numbers[at:at + 4]))]
        elif mode == "repeats":
            numbers = [m for n in numbers for m in ([n] if self.rng.random() < 0.7 else numbers[max(0, n - 2):n + 1] + [n])]
        elif mode == "lost" and count > 2:
            numbers.remove(self.rng.randrange(1, count - 1))
        return numbers

    def transfer(self):
        cls = self.rng.choice((3, 3, self.rng.randrange(0x30, 0x50)))
        method, attribute = self.rng.choice(((0x92, PATH_RECORD), (0x94, PATH_RECORD), (0x14, MULTI_PATH_RECORD)))
        side, transaction = int(method & 0x80 != 0), self.rng.getrandbits(64)
        data = self.rng.randbytes(64 * self.rng.choice((4, 9, 30)))
        sent, seen, begins = list(segments(cls, method, attribute, transaction, data)), set(), len(self.frames) + 1
        numbers = self.order(len(sent))
        stops = self.rng.randrange(1, len(numbers)) if self.rng.random() < 0.2 else len(numbers)
        for number in numbers[:stops]:
            self.put(side, sent[number])
            seen.add(number)
            whole = next(n for n in range(len(sent) + 1) if n not in seen)
            if self.rng.random() < 0.3 or whole == len(sent):
                self.put(not side, mad(cls, method ^ 0x80, attribute, transaction, ACK, ACTIVE, whole, whole + 4))
        if stops < len(numbers):
            kind = self.rng.choice((STOP, ABORT))
            self.put(not side, mad(cls, method ^ 0x80, attribute, transaction, kind, ACTIVE, 0, 0, 1 if kind == STOP else 126))
        whole = len(seen) == len(sent)
        self.wanted[begins] = (True, len(data), len(sent), "%08x" % zlib.crc32(data)) if whole else (False,)


class Transfers(CliTest):
    def capture(self, frames):
        path = self.path("rmpp.pcap")
        write_pcap(path, 1, [(1700000000 * 10**9 + i * 1000, data, len(data)) for i, data in enumerate(frames)])
        return path

    def test_transfers_are_what_was_sent(self):
        for seed in range(SEEDS):
            scene = Scene(seed)
            found = {}
            for line in self.lines("messages", "--json", "--checksum", self.capture(scene.frames)):
                message = json.loads(line)
                if message["first_frame"] in scene.wanted:
                    found[message["first_frame"]] = (True, message["length"], message["segments"], message["crc32"]) if message["complete"] else (False,)
            self.assertEqual(found, scene.wanted, "seed %d" % seed)

    def test_lengths_that_contradict_themselves(self):
        """13.6.2.2: the last segment has at least its class header and at most 220 bytes; others need not say."""
        whole, place, short = ACTIVE | FIRST | LAST, "length_beyond_place", "length_too_short"
        cases = ((3, whole, 84, None), (3, whole, 20, None), (3, whole, 220, None), (3, whole, 19, short), (3, whole, 0, short), (3, whole, 221, place),
                 (3, ACTIVE | LAST, 0xffffffff, place), (3, ACTIVE | FIRST, 0xffffffff, None), (3, ACTIVE, 0, None), (3, FIRST | LAST, 0, None),
                 (0x30, whole, 4, None), (0x30, whole, 3, short), (0x30, whole, 221, place))
        frames = [datagram(1, mad(cls, 0x92, PATH_RECORD, i + 1, DATA, flags, 1 if flags & FIRST else 2, length, rest=struct.pack(">QHHQ", 0, 8, 0, 0)))
                  for i, (cls, flags, length, _) in enumerate(cases)]
        frames.append(datagram(0, mad(3, 0x12, PATH_RECORD, 99, ACK, ACTIVE | LAST, 1, 0xffffffff)))
        rows = [json.loads(line) for line in self.lines("-r", self.capture(frames), "-T", "json")]
        self.assertEqual([row.get("rdmatap.anomaly") for row in rows], [wanted and [wanted] for *_, wanted in cases] + [None])

    def test_attributes_of_performance_management(self):
        """16.1.2, 16.1.4, 16.1.5 and A10: optional ones, too, have a name."""
        names = {0x15: "PortRcvErrorDetails", 0x16: "PortXmitDiscardDetails", 0x17: "PortOpRcvCounters", 0x18: "PortFlowCtlCounters", 0x19: "PortVLOpPackets",
                 0x1a: "PortVLOpData", 0x1b: "PortVLXmitFlowCtlUpdateErrors", 0x1c: "PortVLXmitWaitCounters", 0x1d: "PortCountersExtended",
                 0x1e: "PortSamplesResultExtended", 0x30: "SwPortVLCongestion", 0x31: "PortRcvConCtrl", 0x32: "PortSLRcvFECN", 0x33: "PortSLRcvBECN",
                 0x34: "PortXmitConCtrl", 0x35: "PortVLXmitTimeCong", 0x36: "PortXmitDataSL", 0x37: "PortRcvDataSL"}
        frames = [datagram(0, struct.pack(">BBBBHHQHHI", 1, 4, 1, 0x81, 0, 0, number, number, 0, 0).ljust(256, b"\0")) for number in names]
        found = [json.loads(line).get("attribute") for line in self.lines("messages", "--json", self.capture(frames))]
        self.assertEqual(found, list(names.values()))
