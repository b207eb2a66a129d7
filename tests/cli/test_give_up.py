# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Connections and messages that are idle for a time of the capture are concluded, and recognised again when they resume."""
import json
import os
import re
import struct

import capfile
import worst_cases as base
from cli import PipeTest, is_drained_and_waiting, wait_until
from worst_cases import ACK, CLIENT, READ_ONLY, READ_REQUEST, SEND_FIRST, SEND_ONLY, SERVER, aeth, reth, roce

SECOND = 10**9
START_NS = base.START_NS
SEND_MIDDLE = 0x01
READ_QPN, SEND_QPN, ACK_QPN = 0x999, 0x1000, 0x2000


def send(psn):
    return roce(CLIENT, SEND_ONLY, psn, bytes(32), qpn=SEND_QPN, ask=True)


def acknowledge(psn):
    return roce(SERVER, ACK, psn, aeth(psn + 1), qpn=ACK_QPN)


class GiveUp(PipeTest):
    def objects(self, *arguments):
        return [json.loads(line) for line in self.lines(*arguments)]

    def made(self, frames):
        """frames: (seconds, frame)."""
        path = self.path("made.pcap")
        capfile.write_pcap(path, 1, [(START_NS + int(at * SECOND), frame, len(frame)) for at, frame in frames])
        return path

    def printed_in_time(self, frames, option, seconds, begins, last_of=lambda number: number):
        """
        The line of each message that begins in a frame for which `begins` is true is printed at most so many seconds after its last frame.
        Returns the messages printed up to several times, by the number of their first frame.
        """
        process = self.start("messages", "-l", *option, "-r", "-")
        with open(self.made(frames), "rb") as f:
            content = f.read()
        process.stdin.write(content[:24])
        at, printed, found = 24, [], []
        for i, (time, frame) in enumerate(frames):
            process.stdin.write(content[at:at + 16 + len(frame)])
            at += 16 + len(frame)
            if i % 60:
                continue
            wait_until(lambda: is_drained_and_waiting(process))
            os.set_blocking(process.stdout.fileno(), False)
            printed += (process.stdout.read() or b"").splitlines()
            os.set_blocking(process.stdout.fileno(), True)
            shown = {int(re.search(b" frames? ([0-9]+)", line)[1]) for line in printed}
            late = [n for n in range(1, i + 1) if begins(n) and frames[last_of(n) - 1][0] < time - seconds and n not in shown]
            self.assertFalse(late, (option, time))
            found.append((time, shown))
        process.stdin.close()
        printed += process.stdout.readall().splitlines()
        messages = sum(begins(n) for n in range(1, len(frames) + 1))
        self.assertEqual([int(line.split()[0]) for line in printed], list(range(1, messages + 1)))
        self.assertEqual(process.wait(60), 0)
        return found

    def test_one_that_is_not_answered_holds_up_the_others_for_the_time_only(self):
        for option, seconds in ((), 60), (("--give-up", "7"), 7):
            frames = [(0, roce(CLIENT, READ_REQUEST, 0, reth(0, 1, 64), qpn=READ_QPN))]
            for i in range(150):
                frames += [(i + 0.1, send(i)), (i + 0.2, acknowledge(i))]
            shown = self.printed_in_time(frames, option, seconds, lambda number: number == 1 or number % 2 == 0)
            # and before that it delays them
            self.assertEqual([1 in numbers for _, numbers in shown], [time >= seconds for time, _ in shown])

    def test_idle_messages_are_printed_after_the_time(self):
        """Connections that stop in the middle of a message, with gaps between packets."""
        for option, seconds in ((), 60), (("--give-up", "7"), 7):
            frames = [(i / 2 + j / 50, roce(CLIENT, SEND_MIDDLE if j else SEND_FIRST, j, bytes(1024), qpn=0x1000 + i))
                      for i in range(6 * seconds) for j in range(20)]
            self.printed_in_time(frames, option, seconds, lambda number: number % 20 == 1, lambda number: number + 19)

    def test_records_that_stop_are_printed_after_the_time(self):
        """RPC over TCP: half of a record of 64 KB on each connection; its rest, which arrives later, is not taken for another record."""
        frames = []
        for i in range(120):
            stream = base.Stream((1024 + i, base.NFS_PORT))
            record = struct.pack(">I", 1 << 31 | 65536) + base.read3_call(i) + bytes(65536)
            segments = [*base.opened(stream.ports), *(stream.segment(CLIENT, record[1400 * j:1400 * (j + 1)]) for j in range(15))]
            frames += [(i / 2 + j / 50, frame) for j, frame in enumerate(segments)]
        clock = [(70 + i, send(i)) for i in range(20)]
        shown = self.printed_in_time(frames + clock, (), 60, lambda number: number % 18 == 4 or number > len(frames),
                                     lambda number: number + 14 if number <= len(frames) else number)
        self.assertIn(4, shown[-1][1])
        rest = record[21000:65540] + record[:4] + base.read3_call(500) + bytes(65536 - len(base.read3_call(500)))
        late = [(130 + i, stream.segment(CLIENT, rest[30000 * i:30000 * (i + 1)])) for i in range(4)]
        path = self.made(frames + clock + late)
        calls = [message for message in self.objects("messages", "--json", path) if message["kind"] == "rpc_call"]
        self.assertEqual(len(calls), 121)
        for call in calls[:-1]:
            self.assertEqual([(hole["offset"], hole["length"]) for hole in call["missing"]], [(20996, 44540)])
        self.assertTrue(calls[-1]["complete"])

    def test_one_that_lasts_steps_aside(self):
        """A READ with a response every 20 s."""
        frames = [(0, roce(CLIENT, READ_REQUEST, 0, reth(0, 1, 4 * 1024), qpn=SEND_QPN))]
        frames += [(20 * (i + 1), roce(SERVER, opcode, i, body + bytes(1024), qpn=ACK_QPN))
                   for i, (opcode, body) in enumerate(((0x0d, aeth(1)), (0x0e, b""), (0x0e, b""), (0x0f, aeth(1))))]
        frames += [(i, roce(CLIENT, base.UD_SEND, i, bytes(7) + b"\1" + bytes(16), qpn=0x99)) for i in range(1, 100)]
        frames.sort(key=lambda frame: frame[0])
        path = self.made(frames)
        read, = [message for message in self.objects("messages", "--json", path) if message["kind"] == "read"]
        self.assertTrue(read["complete"])
        self.assertGreater(read["message"], 50)
        numbers = [message["message"] for message in self.objects("messages", "--json", path)]
        self.assertEqual(numbers, list(range(1, 101)))

    def test_a_connection_that_was_silent_is_known_again(self):
        frames = [(i / 1000, frame) for i, frame in enumerate(base.established())]
        exchange = [roce(CLIENT, SEND_ONLY, base.PSN[CLIENT], bytes(32), ask=True), roce(SERVER, ACK, base.PSN[CLIENT], aeth(1))]
        other = roce(CLIENT, base.UD_SEND, 0, bytes(7) + b"\1" + bytes(16), qpn=0x99)
        later = [roce(CLIENT, READ_REQUEST, base.PSN[CLIENT] + 1, reth(0, 1, 64)),
                 roce(SERVER, READ_ONLY, base.PSN[CLIENT] + 1, aeth(2) + bytes(64))]
        frames += [(1, exchange[0]), (1.001, exchange[1]), (300, other), (600, later[0]), (600.001, later[1])]
        path = self.made(frames)
        found = self.objects("connections", "--json", path)
        self.assertEqual([connection["packets"] for connection in found], [4, 1])
        self.assertEqual(found[0]["messages"], 2)
        numbers = self.lines("-r", path, "-T", "fields", "-e", "rdmatap.connection", "-Y", "rdmatap.connection")
        self.assertEqual(numbers, ["1", "1", "2", "1", "1"])

    def test_a_late_retransmission_is_no_new_message(self):
        frames = [(0, send(5)), (61, roce(CLIENT, base.UD_SEND, 0, bytes(7) + b"\1" + bytes(16), qpn=0x99)), (62, send(5)),
                  (63, send(6)), (63.1, acknowledge(6))]
        found = self.objects("messages", "--json", self.made(frames))
        self.assertEqual([(message["kind"], message["first_frame"]) for message in found], [("send", 1), ("ud", 2), ("send", 4)])

    def test_wrong_times_are_refused(self):
        for time in ("0", "-1", "x", "1000000001"):
            self.bad("--give-up %s: not a number from 1 to 1000000000" % time, "messages", "--give-up", time, self.made([]))
