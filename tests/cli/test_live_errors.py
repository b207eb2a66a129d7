# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Interfaces that disappear, full and slow disks, killed processes: the written file is a readable capture."""
import os
import signal
import subprocess
import time

from cli import PROGRAM, RPING, RPING_FRAMES, TIMEOUT, environment, has_sanitizers, handles_signals, read, records, sleeps, wait_until
from live import INSIDE, LiveTest, RPING_CONTENT, frames, ip


class Interface(LiveTest):
    def test_an_interface_that_goes_down_does_not_end_it(self):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-w", saved)
        self.replay()
        wait_until(lambda: len(frames(saved)) == RPING_FRAMES)
        ip("link", "set", "far", "down")
        time.sleep(0.5)
        ip("link", "set", "far", "up")
        time.sleep(0.5)
        self.replay()
        errors = self.stop(process)[1]
        self.assertEqual(errors.count("far: the interface went down; waiting"), 1)
        self.assertEqual(frames(saved), RPING_CONTENT * 2)

    def test_an_interface_that_disappears_ends_it_after_its_frames(self):
        saved = self.path("x.pcapng")
        process = self.capturing("-i", "far", "-w", saved)
        self.replay()
        ip("link", "del", "far")
        errors = process.communicate(timeout=TIMEOUT)[1].decode()
        self.assertEqual(process.returncode, 2)
        self.assertIn("pcap:far: the interface is gone", errors)
        self.assertEqual(self.counts(errors)[0], RPING_FRAMES)
        self.assertEqual(self.good("-r", saved, "-q"), b"%d packets\n" % RPING_FRAMES)


class Killed(LiveTest):
    def test_a_killed_capture_leaves_a_readable_file(self):
        for name in ("x.pcap", "x.pcapng"):
            saved = self.path(name)
            process = self.capturing("-i", "far", "-w", saved)
            self.assertEqual(self.good("-r", saved, "-q"), b"0 packets\n")
            self.replay()
            wait_until(lambda: self.good("-r", saved, "-q") == b"%d packets\n" % RPING_FRAMES)
            process.kill()
            process.wait(TIMEOUT)
            self.assertEqual(self.good("-r", saved, "-q"), b"%d packets\n" % RPING_FRAMES)


class Full(LiveTest):
    def test_a_full_disk_ends_it_and_keeps_the_file(self):
        for name in ("x.pcap", "x.pcapng"):
            disk, kept = self.path("disk-" + name), self.path(name)
            os.mkdir(disk)
            script = 'mount -t tmpfs -o size=400k none "$1" && { "$0" -i far -w "$1/$2" %s; status=$?; cp "$1/$2" "$3"; exit $status; }'
            process = subprocess.Popen(INSIDE + ("sh", "-c", script % ("-Z root" if has_sanitizers() else ""), PROGRAM, disk, name, kept),
                                       stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
            self.addCleanup(process.stderr.close)
            self.addCleanup(process.kill)
            deadline = time.monotonic() + TIMEOUT
            sent = 0
            while process.poll() is None and time.monotonic() < deadline:
                sent += self.replay()
                time.sleep(0.05)
            errors = process.communicate(timeout=TIMEOUT)[1].decode()
            self.assertEqual(process.returncode, 2, errors)
            self.assertEqual(errors.count("No space left on device"), 1, errors)
            # complete records only, and nearly as many as fit
            count = int(self.good("-r", kept, "-q").split()[0])
            self.assertGreater(os.path.getsize(kept), 390 * 1024)
            self.assertTrue(0 < count < sent)
            if name == "x.pcap":
                self.assertEqual([data for data, _ in frames(kept)], [RPING_CONTENT[i % RPING_FRAMES][0] for i in range(count)])

    def test_a_full_disk_ends_a_series_and_the_message_names_it(self):
        disk, kept = self.path("disk"), self.path("kept")
        os.mkdir(disk)
        os.mkdir(kept)
        script = ('mount -t tmpfs -o size=400k none "$1" && '
                  '{ "$0" -Z root -i far -w "$1/s.pcap" -b filesize:150; status=$?; cp "$1"/* "$2"; exit $status; }')
        process = subprocess.Popen(INSIDE + ("sh", "-c", script, PROGRAM, disk, kept), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=environment())
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + TIMEOUT
        while process.poll() is None and time.monotonic() < deadline:
            self.replay()
            time.sleep(0.05)
        errors = process.communicate(timeout=TIMEOUT)[1].decode()
        self.assertEqual(process.returncode, 2, errors)
        names = sorted(os.listdir(kept))
        self.assertEqual(len(names), 3)
        self.assertIn("%s: cannot be written: No space left on device" % os.path.join(disk, names[-1]), errors)
        self.assertIn("s.pcap: the last of the captured packets are not in the files of this series; how many is unknown", errors)
        for name in names:
            self.good("-r", os.path.join(kept, name), "-q")

    def test_a_file_in_place_of_the_directory_is_no_lack_of_permission(self):
        name = os.path.join(self.path("file", b""), "x.pcap")
        for more in ((), ("-b", "filesize:100")):
            process = self.start("-i", "far", "-w", name, *more)
            errors = process.communicate(timeout=TIMEOUT)[1].decode()
            self.assertEqual((process.returncode, errors), (2, "rdmatap: %s: cannot be created: Not a directory\n" % name))


class Stuck(LiveTest):
    def test_signals_end_it_also_with_a_blocked_output(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        process = self.start("-i", "far", "-w", fifo)
        wait_until(lambda: handles_signals(process) and sleeps(process))
        # it waits for a reader to open the FIFO
        self.assertEqual(self.stop(process), (b"", ""))
        process = self.start("-i", "far", "-w", fifo)
        with open(fifo, "rb") as f:
            self.await_capture(process)
            for _ in range(20):
                self.replay()
            time.sleep(0.5)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGTERM):
                process.send_signal(number)
                wait_until(lambda: sleeps(process))
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(TIMEOUT), -signal.SIGTERM)


class Slow(LiveTest):
    def test_drops_by_a_slow_disk_are_counted(self):
        fifo, big = self.path("fifo"), self.path("big.pcap", read(RPING)[:24] + read(RPING)[24:] * 500)
        os.mkfifo(fifo)
        process = self.start("-i", "far", "-w", fifo, "--queue-size", "1M")
        content = []
        with open(fifo, "rb", buffering=0) as f:
            content.append(f.read(24))
            self.await_capture(process)
            # nobody reads meanwhile
            for _ in range(2):
                self.replay(big)
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            while content[-1]:
                content.append(f.read(1 << 20))
        errors = process.communicate(timeout=TIMEOUT)[1].decode()
        self.assertEqual(process.returncode, 0, errors)
        captured, received, _, by_kernel, here = self.counts(errors)
        self.assertEqual(len(records(b"".join(content))[1]), captured)
        self.assertGreater(here, 0)
        self.assertEqual(captured + by_kernel + here, received)
        self.assertEqual(self.counts(errors)[1], 1000 * RPING_FRAMES)

    def test_a_slow_reader_of_lines_loses_none_while_the_queue_has_room(self):
        process = self.capturing("-i", "far", "-V")
        for _ in range(20):
            self.replay()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual(self.counts(errors.decode()), [20 * RPING_FRAMES] * 2 + [0, 0, 0])
        self.assertEqual(output.count(b"Frame "), 20 * RPING_FRAMES)
