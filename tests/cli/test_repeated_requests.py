# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Operations whose request or response was retransmitted: latency, repeats and time lost, from captures of real traffic with one SEND sent twice."""
import gzip
import json
import os
import struct
import unittest

from cli import CliTest, TESTDATA

PAUSE = 600_000   # microseconds, longer than the Local ACK Timeout of the captures
ROCE = 42         # offset of the BTH: Ethernet, IPv4 without options, UDP
SEND_ONLY = (0x04, 0x17)
ACKNOWLEDGE = 0x11
CASES = (("roce-nfs3.pcap.gz", "ACCESS"), ("roce-nvmeof.pcap.gz", "Flush"), ("roce-srp.pcap.gz", "TEST UNIT READY"), ("roce-smbdirect.pcap.gz", "FLUSH"))


def frames_of(path):
    with gzip.open(path) as file:
        data = file.read()
    frames, at = [], 24
    while at < len(data):
        seconds, micros, captured, _ = struct.unpack_from("<4I", data, at)
        frames.append((seconds * 1_000_000 + micros, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return data[:24], frames


def psn(frame):
    return int.from_bytes(frame[ROCE + 9:ROCE + 12], "big")


def is_roce(frame):
    return len(frame) > ROCE + 12 and frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x12\xb7"


def sent_again(frames, number):
    """The frames with the SEND of this frame number sent again after a pause, and the place of its acknowledgement before that."""
    first = frames[number - 1][1]
    acknowledged = next(i for i, (_, frame) in enumerate(frames) if i >= number and is_roce(frame) and frame[ROCE] == ACKNOWLEDGE and
                        frame[26:30] == first[30:34] and psn(frame) == psn(first))
    ident = max(int.from_bytes(frame[18:20], "big") for _, frame in frames[:number] if is_roce(frame) and frame[26:30] == first[26:30])
    again = first[:18] + struct.pack(">H", (ident + 1) & 0xffff) + first[20:]
    return frames[number - 1][0] + PAUSE, again, acknowledged


class Repeated(CliTest):
    def operation(self, header, frames, number):
        path = self.path("repeated.pcap")
        with open(path, "wb") as file:
            file.write(header)
            for time, frame in frames:
                file.write(struct.pack("<4I", time // 1_000_000, time % 1_000_000, len(frame), len(frame)) + frame)
        return next(one for one in map(json.loads, self.lines("operations", "--json", path)) if one["operation"] == number)

    def case(self, name, wanted):
        path = os.path.join(TESTDATA, name)
        operation = next(one for one in map(json.loads, self.lines("operations", "--json", path)) if one["name"] == wanted)
        header, frames = frames_of(path)
        self.assertIn(frames[operation["request_frame"] - 1][1][ROCE], SEND_ONLY)
        return operation, header, frames

    def test_a_response_counts_up_to_the_retransmission_before_its_acknowledgement(self):
        """The requester may have lost the first one, or its acknowledgement was lost: it is certain to have the last one."""
        for name, wanted in CASES:
            with self.subTest(name=name):
                operation, header, frames = self.case(name, wanted)
                number = operation["response_frame"]
                time, again, acknowledged = sent_again(frames, number)
                late = [(then + PAUSE, frame) for then, frame in frames[number:]]
                found = self.operation(header, frames[:number] + [(time, again)] + late, operation["operation"])
                self.assertAlmostEqual(found["latency"] - operation["latency"], PAUSE / 1e6, places=6)
                self.assertAlmostEqual(found["time_end_ns"] - operation["time_end_ns"], PAUSE * 1000, delta=1)
                self.assertEqual((found["response_frame"], found["request_frame"]), (number, operation["request_frame"]))

    def test_a_response_sent_again_after_its_acknowledgement_had_arrived(self):
        for name, wanted in CASES:
            with self.subTest(name=name):
                operation, header, frames = self.case(name, wanted)
                time, again, acknowledged = sent_again(frames, operation["response_frame"])
                late = [(then + PAUSE, frame) for then, frame in frames[acknowledged + 1:]]
                found = self.operation(header, frames[:acknowledged + 1] + [(time, again)] + late, operation["operation"])
                self.assertEqual(found["latency"], operation["latency"])

    def test_a_request_sent_again_loses_the_time_of_its_operation(self):
        for name, wanted in CASES:
            with self.subTest(name=name):
                operation, header, frames = self.case(name, wanted)
                number = operation["request_frame"]
                time, again, _ = sent_again(frames, number)
                late = [(then + PAUSE, frame) for then, frame in frames[number:]]
                found = self.operation(header, frames[:number] + [(time, again)] + late, operation["operation"])
                self.assertAlmostEqual(found["latency"] - operation["latency"], PAUSE / 1e6, places=6)
                self.assertEqual(found["repeats"], 1)
                self.assertAlmostEqual(found["time_lost"], PAUSE / 1e6, places=6)
                self.assertNotIn("time_lost", operation)

    def test_a_request_sent_again_after_its_response_loses_no_time(self):
        """Its acknowledgement was lost, not the request."""
        for name, wanted in CASES:
            with self.subTest(name=name):
                operation, header, frames = self.case(name, wanted)
                number = operation["response_frame"]
                time, again, _ = sent_again(frames, operation["request_frame"])
                late = [(then + PAUSE, frame) for then, frame in frames[number:]]
                found = self.operation(header, frames[:number] + [(time, again)] + late, operation["operation"])
                self.assertNotIn("time_lost", found)
                self.assertEqual((found["latency"], found["time_end_ns"]), (operation["latency"], operation["time_end_ns"]))


if __name__ == "__main__":
    unittest.main()
