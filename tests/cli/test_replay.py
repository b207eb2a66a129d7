# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Sending the frames of captures."""
import subprocess

from cli import INFINIBAND, NANO, PROGRAM, RPING, RPING_FRAMES, TIMEOUT, environment, read, records, wait_until
from live import INSIDE, LiveTest, RPING_CONTENT, frames, ip


ROCE = b"rdmatap: frame 1 is RoCE: a host that has its destination address answers, and can keep connections half open " \
       b"(send to a host or network made for it)\n"


class Replay(LiveTest):
    def run_replay(self, *arguments):
        return subprocess.run(INSIDE + (PROGRAM, "replay", "-Z", "root", *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIMEOUT, env=environment())

    def spread(self, gap_ns, count=20):
        """A capture with one frame per interval, in nanoseconds."""
        content = read(RPING)[:24]
        for i, (data, length) in enumerate(RPING_CONTENT[:count]):
            when = 1000 * 10**9 + i * gap_ns
            content += b"".join(n.to_bytes(4, "little") for n in (when // 10**9, when % 10**9 // (1 if content[:1] == b"\x4d" else 1000), len(data), length)) + data
        return self.path("spread.pcap", content)

    def gaps(self, *options):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-w", saved)
        done = self.run_replay("-i", "near", *options, self.spread(20 * 10**6))
        self.assertEqual((done.returncode, done.stderr), (0, ROCE))
        self.stop(process)
        self.assertEqual(frames(saved), RPING_CONTENT[:20])
        times = [when for when, _, _ in records(read(saved))[1]]
        return [(when - times[0]) / 1e6 for when in times]

    def test_the_recorded_pace_and_multiples_of_it(self):
        # on a busy machine any frame may be late, also the first one, to which the others are relative; no frame is early
        for options, gap in (((), 20), (("--speed", "2"), 10), (("--speed", "0.5"), 40), (("--rate", "200"), 5)):
            self.assertGreater(self.gaps(*options)[-1], 19 * gap / 2, options)

    def test_at_once(self):
        self.assertLess(self.gaps("--at-once")[-1], 19 * 20, "the recorded pace")

    def test_counts_and_filters(self):
        for options, wanted in (((), RPING_FRAMES), (("-c", "5"), 5), (("-f", "src host 10.0.0.1"), None)):
            if wanted is None:
                wanted = int(self.good("-r", RPING, "-q", *options).split()[0])
            done = self.run_replay("-i", "near", "--at-once", *options, RPING)
            self.assertEqual((done.returncode, done.stdout.split()[0]), (0, b"%d" % wanted))
            self.assertEqual(done.stderr.count(b" is RoCE: "), 1, done.stderr)

    def test_frames_that_cannot_be_sent_are_counted(self):
        done = self.run_replay("-i", "near", "--at-once", INFINIBAND)
        self.assertEqual((done.returncode, done.stdout.split()[0]), (2, b"0"))
        self.assertIn(b"were not sent: link type other than ETHERNET", done.stderr)
        done = self.run_replay("-i", "near", "--at-once", NANO)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"truncated by the capture and not sent", done.stderr)
        ip("link", "set", "near", "mtu", "100")
        done = self.run_replay("-i", "near", "--at-once", RPING)
        fitting = sum(len(data) <= 100 + 14 for data, _ in RPING_CONTENT)
        self.assertEqual((done.returncode, done.stdout.split()[0]), (2, b"%d" % fitting))
        self.assertIn(b"%d frames were refused, the first: frame" % (RPING_FRAMES - fitting), done.stderr)
        self.assertIn(b"longer than the interface's MTU allows", done.stderr)

    def test_an_interface_that_is_down_or_does_not_exist(self):
        ip("link", "set", "near", "down")
        done = self.run_replay("-i", "near", "--at-once", RPING)
        self.assertEqual((done.returncode, done.stdout.split()[0]), (2, b"0"))
        self.assertIn(b"the interface is down", done.stderr)
        done = self.run_replay("-i", "pcap:none", "--at-once", RPING)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"there is no such interface", done.stderr)

    def test_an_interrupt_ends_it_with_its_counts(self):
        saved = self.path("x.pcap")
        capturing = self.capturing("-i", "far", "-w", saved)
        process = self.start("replay", "-i", "near", "-Z", "root", self.spread(30 * 10**9))
        wait_until(lambda: frames(saved))
        output, errors = self.stop(process)
        self.assertEqual((output.split()[0], errors), (b"1", ROCE.decode()))
        self.stop(capturing)
