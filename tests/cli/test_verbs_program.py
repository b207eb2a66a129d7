# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The program on the simulated RDMA device (tests/verbs_sim), preloaded; VERBS_SIM names it."""
import errno
import json
import os
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import time

from cli import CliTest, PROGRAM, RPING, RPING_FRAMES, TIMEOUT, environment, read, records, wait_until
from live import INSIDE, LiveTest, NAMESPACE, RPING_CONTENT, frames, ip
from test_several_sources import packets


NFS = os.path.join(os.path.dirname(RPING), "roce-nfs3.pcap.gz")
EVERY = ("-f", "greater 1")  # frames that a filter examines are not copied into records


def device(description):
    return {"LD_PRELOAD": os.environ["VERBS_SIM"], "RDMATAP_VERBS_SIM": description}


class Files(CliTest):
    def capture(self, description, *arguments):
        return self.run_program(*arguments, env=device(description))

    def test_frames_of_a_file_come_out_byte_by_byte_with_the_devices_times(self):
        saved = self.path("x.pcap")
        done = self.capture("stamp=wall,feed=file:" + RPING, "-i", "verbs:sim0", "-c", str(RPING_FRAMES), "-w", saved)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(records(read(saved))[1], records(read(RPING))[1])
        self.assertIn(b"%d packets captured; received: %d; dropped: by the device unknown, by the kernel 0, here 0"
                      % (RPING_FRAMES, RPING_FRAMES), done.stderr)

    def test_packets_are_shown_as_those_of_the_file(self):
        done = self.capture("stamp=wall,feed=file:" + RPING, "-i", "sim0/1", "-c", str(RPING_FRAMES))
        # the device's time stamps are in nanoseconds
        # times have more digits here; long lines have fewer spaces
        self.assertEqual(*(re.sub(rb" +", b" ", text.replace(b"000 ", b" ")) for text in (done.stdout, self.good("-r", RPING))))

    def test_rules_select(self):
        for kind in ("sniffer", "normal"):
            saved = self.path("x.pcap")
            done = self.capture("feed=file:" + RPING, "-i", "verbs:", "--flow", "ipv4 src=10.0.0.1", "--flow-type", kind, "-c", "20", "-w", saved)
            self.assertEqual(done.returncode, 0, done.stderr)
            wanted = [data for data, _ in RPING_CONTENT if data[26:30] == bytes((10, 0, 0, 1))]
            self.assertEqual([data for data, _ in frames(saved)], wanted[:20])
            self.assertEqual(b"the host does not receive" in done.stderr, kind == "normal")

    def test_a_snap_length_is_kept(self):
        saved = self.path("x.pcap")
        self.capture("feed=file:" + RPING, "-i", "verbs:sim0", "-s", "60", "-c", "50", "-w", saved)
        self.assertEqual(frames(saved), [(data[:60], length) for data, length in RPING_CONTENT[:50]])

    def saved_by(self, feed, name, *arguments):
        """The created files, by name, as pcap."""
        folder = self.path("made")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        os.chmod(self.directory, 0o755)
        os.chmod(folder, 0o777)  # files of a series are created after the program has changed its user
        done = self.capture(feed, "-i", "verbs:sim0", *arguments, "-w", os.path.join(folder, name))
        self.assertEqual(done.returncode, 0, done.stderr)
        made = {}
        for name in sorted(os.listdir(folder)):
            self.lines("-r", os.path.join(folder, name), "-w", self.path("plain.pcap"))
            made[name] = records(read(self.path("plain.pcap")))[1]
        return made

    def test_copied_frames_are_those_of_the_file(self):
        """Blocks of short frames are copied into records, those of longer ones borrowed: here in alternating runs of 16 frames."""
        capture = self.path("nfs.pcap", read(NFS))
        content = records(read(capture))[1]
        feed = "stamp=wall,feed=file:" + capture
        for name in ("x.pcap", "x.pcapng", "x.pcap.gz"):
            for depth in ("depth=64", "depth=4096"):
                for most in (0xffff, 81):
                    wanted = [(time, data[:most], length) for time, data, length in content]
                    made = self.saved_by(feed, name, "-c", str(len(content)), "-s", str(most), "--buffer-size", "128M", "--verbs", depth)
                    self.assertEqual(made, {name: wanted})
        made = self.saved_by(feed, "x.pcapng", "-c", "300", "--flow", "ipv4 src=10.0.0.2")
        self.assertEqual(made["x.pcapng"], [one for one in content if one[1][26:30] == bytes((10, 0, 0, 2))][:300])

    def test_copied_frames_fill_files_as_others_do(self):
        """Each file has as many frames as with tcpdump; the device does not wait for receives, so some may be missing."""
        for how in ((), EVERY):
            made = self.saved_by("feed=gen:0:64", "x.pcap", "-c", "39999", "-C", "1", *how)
            self.assertEqual([(name, len(file)) for name, file in made.items()],
                             [("x.pcap", 12500), ("x.pcap1", 12500), ("x.pcap2", 12500), ("x.pcap3", 2499)])
            numbers = [int.from_bytes(data[-8:], sys.byteorder) for file in made.values() for _, data, _ in file]
            self.assertEqual(numbers, sorted(set(numbers)))

    def test_a_file_that_gets_full_keeps_all_whole_records(self):
        """Also those that were borrowed as one block."""
        for name, how in (("x.pcap", ()), ("x.pcapng", ()), ("x.pcap", EVERY)):
            path, most = self.path(name), 1000 * 512
            command = (PROGRAM, "-i", "verbs:sim0", "-Z", "root", "-c", "100000", *how, "-w", path)
            done = subprocess.run(("sh", "-c", "trap '' XFSZ; ulimit -f 1000; exec " + shlex.join(command)), stderr=subprocess.PIPE,
                                  timeout=TIMEOUT, env=environment(**device("feed=gen:100000:64")))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(b"x.pcap", done.stderr)
            size, unit = os.path.getsize(path), 96 if name == "x.pcapng" else 80
            self.assertTrue(most - unit < size <= most, size)
            kept = int(self.good("-r", path, "-q").split()[0])
            captured, received, here = map(int, re.search(rb"(\d+) packets captured; received: (\d+);.* here (\d+)", done.stderr).groups())
            self.assertEqual(captured + here, received, done.stderr)
            self.assertTrue(kept < captured, done.stderr)
            self.assertIn(b"how many is unknown", done.stderr)

    def test_packets_after_the_last_file_are_not_captured(self):
        """What is counted as captured is in the files, if a series ends within a batch."""
        folder = self.path("series")
        for how in (("-G", "1", "-W", "2"), ("-C", "1", "-a", "files:2"), ("-a", "filesize:500")):
            for more in ((), EVERY, ("--print",)):
                shutil.rmtree(folder, ignore_errors=True)
                os.mkdir(folder)
                done = self.capture("feed=gen:0:600,pace=5000", "-i", "verbs:sim0", "-Z", "root", *how, *more, "-w", os.path.join(folder, "%S.pcap"))
                self.assertEqual(done.returncode, 0, done.stderr)
                captured, = map(int, re.findall(rb"(\d+) packets captured", done.stderr))
                files = [len(records(read(os.path.join(folder, name)))[1]) for name in os.listdir(folder)]
                self.assertEqual(sum(files), captured, (how, more, files, done.stderr))
                self.assertGreater(captured, 500)

    def test_of_several_devices_the_packets_taken_are_counted(self):
        for how in (("-q",), ("-w", self.path("x.pcapng")), ("-w", self.path("y.pcapng"), "--print")):
            done = self.capture("feed=gen:20000:256,devices=2", "-i", "verbs:sim0", "-i", "verbs:sim1", "-c", "100", *how)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sum(map(int, re.findall(rb"(\d+) packets? captured; received", done.stderr))), 100, done.stderr)

    def shrinking(self, feed, *arguments):
        """Counts after a capture in which receives are left unposted and all posted again; queues of which some were left out, and not."""
        sysfs = self.path("sim")
        counter = os.path.join(sysfs, "ports", "1", "hw_counters")
        shutil.rmtree(sysfs, ignore_errors=True)
        os.makedirs(counter)
        with open(os.path.join(counter, "out_of_buffer"), "w", encoding="ascii") as file:
            file.write("0\n")
        done = self.capture("stamp=wall,sysfs=%s,%s" % (sysfs, feed), "-i", "verbs:sim0", "-Z", "root", "-v", "-a", "duration:2", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = re.search(rb"(\d+) packets captured; received: (\w+); dropped: by the device (\d+), by the kernel (\w+), here (\d+)", done.stderr)
        posted = re.findall(rb"queue \d+: at least (\d+) of (\d+) receives were posted, all of them again (\d+) times", done.stderr)
        return counts.groups(), [tuple(map(int, one)) for one in posted], done.stderr

    def test_receives_that_are_left_unposted_lose_no_count(self):
        """Bursts of 4000 come while fewer than 8192 receives are posted, some while 1024 are: what is lost is counted by the device."""
        saved = self.path("x.pcap")
        feed = "feed=gen:30000:600,pace=10000,burst=4000:300"
        for how in (("-q",), ("-w", saved), ("-w", saved, *EVERY), ("-s", "64", "-w", saved, "cq=plain")):
            tuning = ",".join(["depth=8192,frame=640,shrink=1,least=1024"] + [word for word in how if "=" in word])
            counts, posted, errors = self.shrinking(feed, *(word for word in how if "=" not in word), "--verbs", tuning)
            captured, received, *dropped = map(int, counts)
            self.assertEqual(captured + sum(dropped), received, errors)
            self.assertEqual(received, 30000, errors)
            self.assertEqual(len(posted), 1, errors)
            least, depth, times = posted[0]
            self.assertTrue(1024 <= least < depth == 8192 and times > 0, errors)
            if "-w" in how:
                numbers = [int.from_bytes(data[-8:], sys.byteorder) for _, data, _ in records(read(saved))[1]]
                self.assertEqual(len(numbers), captured)
                if "-s" not in how:
                    self.assertEqual(numbers, sorted(set(numbers)))

    def test_receives_that_are_left_unposted_outlive_failures(self):
        for feed, tuning in (("errors=5000", ""), ("soft_error=9000", ""), ("flows=16,event=wq_fatal@5000", ",queues=4"), ("event=cq_error@5000", "")):
            counts, posted, errors = self.shrinking("feed=gen:30000:64,pace=10000,burst=4000:300," + feed, "-q", "--verbs",
                                                    "depth=4096,frame=64,shrink=1,least=1024" + tuning)
            self.assertEqual(len(posted), 4 if "queues" in tuning else 1, errors)
            self.assertLess(min(posted)[0], 4096, errors)
            if counts[1] == b"unknown":
                self.assertLessEqual(sum(int(count) for count in counts if count != b"unknown"), 30000, errors)
            else:
                self.assertEqual(sum(map(int, counts)), 2 * 30000, errors)

    def test_packets_that_a_second_interrupt_drops_are_counted(self):
        """The output is blocked, so that most are still to be written."""
        process = subprocess.Popen((PROGRAM, "-i", "verbs:sim0", "-Z", "root", "-w", "-"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(**device("feed=gen:20000:600,pace=40000")))
        self.addCleanup(process.kill)
        self.assertIn(b"capturing on", process.stderr.readline())
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        written, errors = process.communicate(timeout=TIMEOUT)
        captured, received, here = map(int, re.search(rb"(\d+) packets captured; received: (\d+);.* here (\d+)", errors).groups())
        self.assertEqual(captured, len(records(written)[1]))
        self.assertGreater(here, 0)
        self.assertEqual(captured + here, received)

    def test_packets_that_a_closed_output_drops_are_counted(self):
        for how in ((), ("-w", "-"), ("-T", "json")):
            process = subprocess.Popen((PROGRAM, "-i", "verbs:sim0", "-Z", "root", *how), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=environment(**device("feed=gen:20000:600,pace=40000")))
            self.addCleanup(process.kill)
            self.assertIn(b"capturing on", process.stderr.readline())
            time.sleep(0.7)
            process.stdout.close()
            errors = process.stderr.read()
            process.stderr.close()
            self.assertEqual(process.wait(TIMEOUT), 0, errors)
            captured, received, system, here = map(int, re.search(rb"(\d+) packets captured; received: (\d+);.* kernel (\d+), here (\d+)", errors).groups())
            self.assertGreater(here, 0)
            self.assertEqual(captured + system + here, received, (how, errors))

    def test_the_status_is_printed_while_the_reader_of_the_output_waits(self):
        """Nothing is read of standard output before the fifth line that shows more dropped packets than the one before."""
        process = subprocess.Popen((PROGRAM, "-i", "verbs:sim0", "-Z", "root", "--buffer-size", "1M", "--verbs", "frame=2048", "--status", "0.1,json",
                                    "-w", "-"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**device("feed=gen:0:2000,pace=20000")))
        self.addCleanup(process.kill)
        self.assertIn(b"capturing on", process.stderr.readline())
        states, rises = [], 0
        while rises < 5:
            states.append(json.loads(process.stderr.readline()))
            rises += len(states) > 1 and self.lost(states[-1]) > self.lost(states[-2])
        self.assertEqual(len({state["packets"] for state in states[-5:]}), 1, states)
        self.assertGreater(states[-1]["queue_used"], 0)
        process.send_signal(signal.SIGINT)
        written, errors = process.communicate(timeout=TIMEOUT)
        captured, received, system, here = map(int, re.search(rb"(\d+) packets captured; received: (\d+);.* kernel (\d+), here (\d+)", errors).groups())
        self.assertEqual(captured, len(records(written)[1]))
        self.assertEqual(captured + system + here, received)
        self.assertGreaterEqual(system + here, self.lost(states[-1]))

    def test_sigusr1_is_answered_while_the_reader_of_the_output_waits(self):
        """Nothing is read of standard output, until the number of packets stays the same and that of dropped packets rises."""
        process = subprocess.Popen((PROGRAM, "-i", "verbs:sim0", "-Z", "root", "--buffer-size", "1M", "--verbs", "frame=2048", "-w", "-"),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**device("feed=gen:0:2000,pace=20000")))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.assertIn(b"capturing on", process.stderr.readline())
        states = []
        while len(states) < 3 or states[-2][0] != states[-1][0] or states[-2][1] >= states[-1][1]:
            process.send_signal(signal.SIGUSR1)
            self.assertEqual(select.select((process.stderr,), (), (), TIMEOUT)[0], [process.stderr], states)
            line = os.read(process.stderr.fileno(), 4096)
            states += [tuple(map(int, one)) for one in re.findall(rb"(\d+) packets(?: captured)?[,;].* here (\d+)", line)]

    @staticmethod
    def lost(state):
        return state["dropped_here"] + state["dropped_by_system"]

    def test_no_more_packets_are_captured_than_received(self):
        """At any time: the device's own count is read once a second."""
        process = subprocess.Popen((PROGRAM, "-i", "verbs:sim0", "-Z", "root", "-q"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=environment(**device("feed=gen:0:64,pace=5000")))
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        self.assertIn(b"capturing on", process.stderr.readline())
        for _ in range(5):
            time.sleep(0.3)
            process.send_signal(signal.SIGUSR1)
            captured, received = map(int, re.search(rb"(\d+) packets? captured; received: (\d+);", process.stderr.readline()).groups())
            self.assertLessEqual(captured, received)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)

    def test_an_incident_is_complete_while_the_ring_wraps(self):
        """20,000 frames a second through a ring of half a second: those of an incident of a second have every number."""
        self.check_incident(10000, "feed=gen:0:600,pace=20000", "--ring", "8M", "--before", "100ms", "--after", "1s", "--buffer-size", "256M")

    def test_an_incident_is_complete_at_the_full_rate_of_the_device(self):
        """A frame for each receive that is there, short and long, also while all are examined."""
        self.check_incident(1000, "feed=gen:0:64", "--ring", "256M", "--before", "5ms", "--after", "20ms", "--queue-size", "256M")
        self.check_incident(200, "feed=gen:0:4000", "--ring", "256M", "--before", "5ms", "--after", "20ms", "--queue-size", "256M", "--trigger", "tcp")

    def test_an_incident_after_the_clock_was_set_back(self):
        """By an hour after 10,000 of 20,000 frames: the incidents before, around and after that are complete."""
        content = [(10**18 + number * 10**5 - (number > 10000) * 3600 * 10**9, bytes(50) + number.to_bytes(8, sys.byteorder)) for number in range(1, 20001)]
        with open(self.path("feed"), "wb") as file:
            file.write(struct.pack("=IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
            for time_ns, data in content:
                file.write(struct.pack("=IIII", time_ns // 10**9, time_ns % 10**9, len(data), len(data)) + data)
        for how in ((), EVERY):
            done = self.capture("stamp=wall,pace=10000,feed=file:" + self.path("feed"), "-i", "verbs:sim0", "-Z", "root", "-a", "duration:3", *how, "--ring", "64M,3s",
                                "--before", "250ms", "--after", "150ms", "--incident-distance", "450ms", "--verbs", "depth=16384,frame=128", "-w", self.path("i.pcapng"),
                                *(word for number in (5000, 10500, 16000) for word in ("--trigger", "frame.number == %d" % number)))
            self.assertEqual(done.returncode, 0, done.stderr)
            names = sorted(re.findall(rb"rdmatap: (\S+i_0000\d_\S+): \d+ packets", done.stderr))
            self.assertEqual(len(names), 3, done.stderr)
            for name, middle in zip(names, (5000, 10500, 16000)):
                self.lines("-r", name.decode(), "-w", self.path("plain.pcap"))
                numbers = [int.from_bytes(data[-8:], sys.byteorder) for _, data, _ in records(read(self.path("plain.pcap")))[1]]
                self.assert_consecutive(numbers)
                # the change itself takes no time
                self.assertTrue(abs(numbers[0] - (middle - 2500)) <= 1 and abs(numbers[-1] - (middle + 1500)) <= 1, (middle, numbers[0], numbers[-1]))
                os.unlink(name)

    def test_intervals_after_the_clock_was_set_back(self):
        """By an hour after a second of two: the frames after it are in the intervals in which they were captured, and none is missing."""
        with open(self.path("feed"), "wb") as file:
            file.write(struct.pack("=IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
            for number in range(4000):
                time_ns = 10**18 + number * 5 * 10**5 - (number > 2000) * 3600 * 10**9
                file.write(struct.pack("=IIII", time_ns // 10**9, time_ns % 10**9, 60, 60) + bytes(60))
        for _ in range(4):
            packets = self.packets_of_intervals()
            # a program that waits for a processor takes frames late: one run without is enough
            if sum(count > 200 for count in packets) > 5 and max(packets) < sum(packets) / 3:
                return
        self.fail(packets)

    def packets_of_intervals(self):
        done = self.capture("stamp=wall,pace=2000,feed=file:" + self.path("feed"), "stats", "-i", "verbs:sim0", "-Z", "root", "-a", "duration:3",
                            "--interval", "0.25", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        packets = [record["packets"] for record in records if record["type"] == "interval"]
        captured, = [record["packets"] for record in records if record["type"] == "capture"]
        self.assertGreater(captured, 3000)
        self.assertEqual(sum(packets), captured)
        return packets

    def assert_consecutive(self, numbers):
        """To describe how two long lists differ takes unittest minutes."""
        self.assertEqual([pair for pair in zip(numbers, numbers[1:]) if pair[1] != pair[0] + 1][:9], [])

    def check_incident(self, least, *how):
        """Consecutive numbers in each run; more than `least` in one of five, as a program that waits for a processor takes few frames in the time of an incident."""
        counts = []
        while len(counts) < 5 and max(counts, default=0) <= least:
            counts.append(self.count_incident(*how))
        self.assertGreater(max(counts), least)

    def count_incident(self, description, *options):
        environ = environment(**device(description))
        for name in os.listdir(self.directory):
            os.unlink(self.path(name))
        process = subprocess.Popen((PROGRAM, "-Z", "root", "-i", "verbs:sim0", *options, "--verbs", "depth=16384", "-w", self.path("i.pcapng")),
                                   stderr=subprocess.PIPE, env=environ)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        wait_until(lambda: len(os.listdir("/proc/%d/task" % process.pid)) > 1)
        time.sleep(0.5)
        process.send_signal(signal.SIGUSR2)
        wait_until(lambda: any(name.startswith("i_") for name in os.listdir(self.directory)))
        time.sleep(1.5 if "pace" in description else 0.1)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(process.returncode, 0, errors)
        name, = [name for name in os.listdir(self.directory) if name.startswith("i_")]
        self.lines("-r", self.path(name), "-w", self.path("plain.pcap"))
        numbers = [int.from_bytes(data[-8:], sys.byteorder) for _, data, _ in records(read(self.path("plain.pcap")))[1]]
        self.assertTrue(numbers)
        if b"by the kernel 0, here 0" in errors:
            self.assert_consecutive(numbers)
        else:
            self.assertTrue(all(one < next_one for one, next_one in zip(numbers, numbers[1:])))
        return len(numbers)

    def test_a_peer_names_the_device(self):
        saved = self.path("x.pcap")
        done = self.capture("feed=file:" + RPING, "-i", "verbs:", "--peer", "10.0.0.1", "-c", "50", "-w", saved)
        self.assertEqual((done.returncode, len(frames(saved))), (0, 50), done.stderr)
        self.assertIn(b"rdmatap: verbs:sim0/1: 50 packets captured", done.stderr)

    def test_device_events_are_reported_and_do_not_end_the_capture(self):
        """The exit status of a capture with drops is 0; the counts report the drops."""
        for event, reported, dropped in (("event=port_error@100:50", b"the port went down", 0), ("event=qp_fatal@100", b"the queue was reset", 0),
                                     ("error=100", b"a receive failed", 1), ("event=cq_error@100", b"overran", 0)):
            saved = self.path("x.pcap")
            done = self.capture("feed=gen:500:64," + event, "-i", "verbs:sim0", "-c", str(500 - dropped), "-w", saved)
            self.assertEqual((done.returncode, len(frames(saved))), (0, 500 - dropped), done.stderr)
            self.assertIn(reported, done.stderr)
            # frames that arrive while a queue is restarted are not counted
            lost = b"0" if "port_error" in event else b"unknown"
            self.assertIn(b"by the kernel %s, here 0" % lost, done.stderr)
        done = self.capture("feed=gen:0:64,event=device_fatal@100", "-i", "verbs:sim0", "-c", "1000000000", "-q")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"fatal error", done.stderr)

    def test_a_replay_is_sent_byte_by_byte(self):
        """Short frames are inlined in the request if the device supports that."""
        sent = self.path("sent.pcap")
        for inline in (128, 64, 0):
            done = self.capture("inline=%d,send=file:%s" % (inline, sent), "replay", "-i", "verbs:sim0", "--at-once", RPING)
            self.assertEqual((done.returncode, done.stdout.split()[0]), (0, b"%d" % RPING_FRAMES), done.stderr)
            self.assertEqual(frames(sent), RPING_CONTENT)

    def test_the_device_computes_checksums(self):
        """They are wrong in the file and correct in the frames that are sent: RFC 1071."""
        def adds_up(data):
            data += bytes(len(data) % 2)
            total = sum(data[i] << 8 | data[i + 1] for i in range(0, len(data), 2))
            while total >> 16:
                total = (total & 0xffff) + (total >> 16)
            return total == 0xffff

        content = read(RPING)
        header, at, damaged = content[:24], 24, b""
        while at < len(content):
            length = int.from_bytes(content[at + 8:at + 12], "little")
            frame = bytearray(content[at + 16:at + 16 + length])
            frame[24:26], frame[40:42] = b"\xba\xad", b"\xba\xad"
            damaged += content[at:at + 16] + frame
            at += 16 + length
        path, sent = self.path("damaged.pcap", header + damaged), self.path("sent.pcap")
        done = self.capture("send=file:" + sent, "replay", "-i", "verbs:sim0", "--at-once", "--checksums", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = 0
        for (data, _), (original, _) in zip(frames(sent), RPING_CONTENT):
            self.assertEqual((data[:24], data[26:40], data[42:]), (original[:24], original[26:40], original[42:]))
            if data[12:14] != b"\x08\x00" or data[23] != 17:
                continue
            size = int.from_bytes(data[16:18], "big")
            self.assertTrue(adds_up(data[14:34]))
            self.assertTrue(adds_up(data[26:34] + bytes((0, 17)) + (size - 20).to_bytes(2, "big") + data[34:14 + size]))
            seen += 1
        self.assertEqual(seen, RPING_FRAMES)
        for message, description, name in ((b"does not compute checksums", "raw=0", "verbs:sim0"), (b"only RDMA devices", "devices=1", "pcap:lo")):
            done = self.capture(description, "replay", "-i", name, "--at-once", "--checksums", RPING)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_wireshark_gets_the_options_and_they_are_taken(self):
        reported = self.capture("devices=1", "--extcap-interface", "verbs:sim0/1", "--extcap-config").stdout.decode()
        for option in ("--flow", "--flow-type", "--flow-dont-trap", "--flow-offload", "--peer", "--join", "--force", "--verbs", "--snap-length"):
            self.assertIn("{call=%s}" % option, reported)
        self.assertNotIn("promiscuous", reported)
        # a port that is down has a link type too; a port that cannot capture has none
        for name in ("verbs:sim0/1", "verbs:sim0"):
            done = self.capture("state=down", "--extcap-interface", name, "--extcap-dlts")
            self.assertEqual((done.returncode, done.stdout), (0, b"dlt {number=1}{name=ETHERNET}{display=ETHERNET}\n"), done.stderr)
        done = self.capture("link=infiniband", "--extcap-interface", "verbs:sim0/1", "--extcap-dlts")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"Ethernet only", done.stderr)
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        wanted = [data for data, _ in RPING_CONTENT if data[26:30] == bytes((10, 0, 0, 1))]
        process = subprocess.Popen((PROGRAM, "--capture", "--extcap-interface", "verbs:sim0/1", "--fifo", fifo, "--flow", "ipv4 src=10.0.0.1",
                                    "--force", "--flow-type", "normal", "--flow-offload", "--verbs", "queues=2",
                                    "--extcap-capture-filter", "udp"), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=environment(**device("state=down,feed=file:" + RPING)))
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        with open(fifo, "rb") as f:
            content = f.read(24 + sum(16 + len(data) for data in wanted))
            process.terminate()
            self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertEqual([data for _, data, _ in records(content)[1]], wanted)

    def test_devices_are_listed(self):
        done = self.capture("devices=2,rate=100", "-D")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in (b"verbs:sim0/1", b"verbs:sim1/1", b"100 Gb/s"):
            self.assertIn(text, done.stdout)

    def test_a_device_without_raw_packet_queue_pairs_is_rejected_before_memory_is_allocated(self):
        folder = self.path("class/infiniband/sim0")
        os.makedirs(os.path.join(folder, "ports/1/gid_attrs/ndevs"))
        with open(os.path.join(folder, "ports/1/gid_attrs/ndevs/0"), "w", encoding="ascii") as f:
            f.write("eth7\n")
        for arguments, number, status in (("-D",), errno.EOPNOTSUPP, 0), (("-D",), errno.EINVAL, 0), (("-i", "verbs:sim0"), errno.EOPNOTSUPP, 2):
            done = self.capture("sysfs=%s,fail=create_qp@1:%d" % (folder, number), *arguments)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(b"pcap:eth7 captures on its network interface", done.stdout + done.stderr, (number, arguments))
        # an error about the depth, not about the device
        done = self.capture("fail=create_qp@1:%d" % errno.EINVAL, "-i", "verbs:sim0")
        self.assertIn(b"of this depth", done.stderr)

    def test_the_capture_begins_with_a_line_about_source_and_method(self):
        # frames that are only counted need no time stamps
        for option, stamps in (("-q", b"host"), ("-l", b"device")):
            done = self.capture("stamp=wall,feed=file:" + RPING, "-i", "verbs:sim0", "-c", "5", option)
            self.assertRegex(done.stderr.splitlines()[0], rb"^rdmatap: capturing on sim0/1: raw-packet QP, sniffer, extended CQ, \d+ receives of "
                             rb"\d+ bytes, time stamps by the %s, ETHERNET, whole frames, times in nanoseconds$" % stamps)
        # a rejected capture does not start
        done = self.capture("fail=create_flow@1", "-i", "verbs:sim0", "--flow-type", "normal", "--flow", "udp dst=4791")
        self.assertNotIn(b"capturing on", done.stderr)
        self.assertNotIn(b"the host does not receive", done.stderr)

    def test_receives_have_room_for_frames_of_the_mtu_of_the_first_gids_network_interface(self):
        """A device of software has no network interface in its own folder."""
        root = self.path("sys")
        names, interface = (os.path.join(root, "class", *path) for path in (("infiniband", "sim0", "ports", "1", "gid_attrs", "ndevs"), ("net", "eth7")))
        for folder in (names, interface):
            os.makedirs(folder)
        with open(os.path.join(names, "0"), "w", encoding="ascii") as f:
            f.write("eth7\n")
        for mtu, room in (("4200\n", b" of 4288 bytes"), ("1500\n", b" of 1536 bytes"), ("none\n", b" of 9280 bytes")):
            with open(os.path.join(interface, "mtu"), "w", encoding="ascii") as f:
                f.write(mtu)
            done = self.capture("feed=gen:3:100,sysfs=" + os.path.join(root, "class", "infiniband", "sim0"), "-i", "verbs:sim0", "-c", "3", "-q")
            self.assertIn(room, done.stderr.splitlines()[0])

    def test_intervals_pass_by_the_clock_of_the_device(self):
        """Which is years behind."""
        done = self.capture("stamp=wall,feed=file:" + RPING, "stats", "-i", "verbs:sim0", "-Z", "root", "--interval", "0.5", "--json", "-a", "duration:2")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        found = [record for record in found if record["type"] == "interval"]
        self.assertEqual(sum(record["packets"] for record in found), RPING_FRAMES)
        self.assertLess(len(found), 1000)

    def ask(self, description, *arguments):
        """The output of `rdmatap devices` for a device that is in sysfs too."""
        folder = self.path("sysfs")
        port = os.path.join(folder, "class/infiniband/sim0/ports/1")
        os.makedirs(port, exist_ok=True)
        for path, text in (("../../node_type", "1: CA"), ("link_layer", "Ethernet"), ("state", "4: ACTIVE")):
            with open(os.path.join(port, path), "w", encoding="ascii") as f:
                f.write(text + "\n")
        done = self.run_program("devices", *arguments, env=dict(device(description), RDMATAP_SYSFS=folder))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def test_all_that_a_device_can_do_is_reported(self):
        all_of_it = ["managed flow steering", "C-VLAN stripping", "scatter FCS", "IP checksum", "delay drop", "time stamps"]
        text = self.ask("stamp=raw,raw=15,rss=8,wr=1000,sge=3,cqe=5000", "-v")
        self.assertIn("  verbs capabilities:\n    " + "\n    ".join(all_of_it) + "\n  core clock khz: 156250\n  max receives: 1000\n"
                      "  max sges: 3\n  max completions: 5000\n  max rss queues: 8\n", text)
        for description, capabilities, queues in (("stamp=raw,raw=15", all_of_it, 16), ("raw=4,no=flow+rss", ["IP checksum"], 0),
                                                  ("raw=0,no=flow", [], 16)):
            reported = json.loads(self.ask(description, "--json"))
            self.assertEqual((reported["verbs_capabilities"], reported["max_rss_queues"]), (capabilities, queues))
        self.assertEqual(json.loads(self.ask("fail=open_device@1:13", "--json"))["verbs_trouble"], "the device cannot be opened: Permission denied")

    def test_errors_are_reported(self):
        for message, description, *arguments in (
                (b"there is no such RDMA device (there are: sim0)", "devices=1", "-i", "verbs:mlx5_0"),
                (b"Ethernet only", "link=infiniband", "-i", "verbs:sim0"),
                (b"--force", "state=down", "-i", "verbs:sim0"),
                (b"flow rule \"udp refused=1\": refused: is not a field", "devices=1", "-i", "verbs:sim0", "--flow", "udp refused=1"),
                (b"--flow-type", "devices=1", "-i", "verbs:sim0", "--flow-dont-trap"),
                (b"no such type (sniffer, normal, all, mc)", "devices=1", "-i", "verbs:sim0", "--flow-type", "some"),
                (b"0 to 65535", "devices=1", "-i", "verbs:sim0", "--flow-priority", "65536"),
                (b"depth=1", "devices=1", "-i", "verbs:sim0", "--verbs", "depth=1"),
                (b"--flow-offload requires -f", "devices=1", "-i", "verbs:sim0", "--flow-offload"),
                (b"lo: is of kind pcap", "devices=1", "-i", "lo", "--flow", "udp"),
                (b"require -i verbs:", "devices=1", "-i", "pcap:lo", "--flow", "udp")):
            done = self.capture(description, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)

    def test_memory_that_may_not_be_locked_is_named(self):
        """Also to root, who in a container often has no CAP_IPC_LOCK."""
        without = ("setpriv", "--bounding-set", "-ipc_lock", "--inh-caps", "-ipc_lock") if os.geteuid() == 0 else ()
        for number, message in ((errno.EPERM, b"ulimit -l is 0"), (errno.ENOMEM, b"see ulimit -l")):
            done = subprocess.run(("prlimit", "--memlock=0:0", *without, PROGRAM, "-i", "verbs:sim0", "-q"), stderr=subprocess.PIPE, timeout=TIMEOUT,
                                  env=environment(**device("feed=gen:0:64,fail=reg_mr@1:%d" % number)))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)


class Veth(LiveTest):
    """The device receives the frames of a packet socket on one end."""

    def speak(self):
        """Datagrams and frames with a VLAN tag, of many lengths, from one end to the other."""
        ip("address", "add", "192.0.2.1/24", "dev", "near")
        ip("neighbour", "add", "192.0.2.2", "lladdr", "02:00:00:00:00:99", "dev", "near")
        program = ("import socket\n"
                   "udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                   "raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
                   "raw.bind(('near', 0))\n"
                   "for i in range(200):\n"
                   "    udp.sendto(bytes((i,)) * (i * 7), ('192.0.2.2', 4791))\n"
                   "    raw.send(bytes.fromhex('020000000099020000000001810020058915') + bytes((i,)) * (i * 3 + 3))\n")
        subprocess.run(INSIDE + (sys.executable, "-c", program), check=True, timeout=TIMEOUT)

    def test_the_device_and_libpcap_capture_the_same(self):
        by_device, by_libpcap = self.path("device.pcap"), self.path("libpcap.pcap")
        processes = [self.capturing("-i", "pcap:far", "-w", by_libpcap),
                     self.capturing("-i", "verbs:sim0", "-w", by_device, env=device("feed=veth:far"))]
        self.speak()
        ends = [self.stop(process) for process in processes]
        captured = [sorted(data for data, _ in frames(path)) for path in (by_libpcap, by_device)]
        self.assertEqual(captured[0], captured[1])
        self.assertGreaterEqual(len(captured[1]), 400)
        self.assertEqual(sum(data[12:18] == b"\x81\x00\x20\x05\x89\x15" for data in captured[1]), 200)
        self.assertEqual(self.counts_of(ends[1][1]), (len(captured[1]), 0, 0))

    def test_the_clock_of_a_device_is_corrected_where_several_are_merged(self):
        """One end by the host's clock, the other one by a clock that is wrong by far more than frames take to arrive."""
        # in ms; so large that the time which frames need to arrive on a busy machine is small beside them
        for skew, wanted in ((3600000, r"3(600|5\d\d)\.\d+ s ahead of"), (-500000, r"5\d\d\.\d+ s behind")):
            saved = self.path("x.pcapng")
            process = self.capturing("-v", "-i", "pcap:near", "-i", "verbs:sim0", "-w", saved, env=device("feed=veth:far,stamp=wall,skew=%d" % skew))
            count = self.replay(NFS)
            wait_until(lambda: len(packets(saved)) >= 2 * count)
            errors = self.stop(process)[1]
            found = packets(saved)
            if "frames came more than" not in errors:  # a device that waits long for the processor delivers late, which is reported
                self.assertEqual([time for _, time, _ in found], sorted(time for _, time, _ in found))
            both = [[(time, data) for interface, time, data in found if interface == i] for i in (0, 1)]
            self.assertEqual([data for _, data in both[0]], [data for _, data in both[1]])
            self.assertEqual(len(both[0]), count)
            self.assertLess(max(abs(far - near) for (near, _), (far, _) in zip(*both)), abs(skew) * 1000000 // 3)
            self.assertRegex(errors, "verbs:sim0: its clock is %s the host's, by the arrival of its frames" % wanted)
            self.assertRegex(errors, "verbs:sim0: its clock was %s the host's at the end" % wanted)
        # a clock that is right, and one alone, which is left as it is
        process = self.capturing("-i", "pcap:near", "-i", "verbs:sim0", "-w", self.path("y.pcapng"), env=device("feed=veth:far,stamp=none"))
        self.replay()
        self.assertNotIn("its clock", self.stop(process)[1])
        process = self.capturing("-i", "verbs:sim0", "-w", self.path("z.pcap"), env=device("feed=veth:far,stamp=wall,skew=3600000"))
        self.replay()
        self.assertNotIn("its clock", self.stop(process)[1])
        self.assertGreater(min(time_ns for time_ns, _, _ in records(read(self.path("z.pcap")))[1]) / 1e9, time.time() + 3000)

    def test_time_stamps_of_the_host_are_not_before_the_frames_arrival(self):
        """Each frame has the time at which it was sent."""
        program = ("import random, socket, time\n"
                   "raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
                   "raw.bind(('near', 0))\n"
                   "for i in range(300):\n"
                   "    raw.send(bytes.fromhex('02000000009902000000000188b5') + time.time_ns().to_bytes(8, 'big') + bytes(50))\n"
                   "    time.sleep(random.choice((0, 0, 0.001, 0.003)))\n")
        for tuning in ("stamps=host", "cq=plain"):
            saved = self.path("x.pcap")
            process = self.capturing("-i", "verbs:sim0", "-w", saved, "--verbs", tuning, env=device("feed=veth:far,stamp=none"))
            subprocess.run(INSIDE + (sys.executable, "-c", program), check=True, timeout=TIMEOUT)
            self.stop(process)
            sent = [(time_ns, int.from_bytes(data[14:22], "big")) for time_ns, data, _ in records(read(saved))[1] if data[12:14] == b"\x88\xb5"]
            self.assertEqual(len(sent), 300)
            self.assertGreaterEqual(min(time_ns - at for time_ns, at in sent), 0)

    def test_a_replay_is_captured_byte_by_byte(self):
        for tuning in ("poll=event", "poll=busy", "cq=plain"):
            saved = self.path("x.pcap")
            process = self.capturing("-i", "verbs:sim0", "-w", saved, "--verbs", tuning, env=device("feed=veth:far"))
            self.assertEqual(self.replay(), RPING_FRAMES)
            self.stop(process)
            self.assertEqual(frames(saved), RPING_CONTENT)

    def test_a_replay_by_the_device_is_captured_by_libpcap(self):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "pcap:far", "-w", saved)
        subprocess.run(INSIDE + (PROGRAM, "replay", "-i", "verbs:sim0", "-Z", "root", "--at-once", RPING), check=True, timeout=TIMEOUT,
                       stdout=subprocess.DEVNULL, env=environment(**device("send=veth:near")))
        self.stop(process)
        self.assertEqual(frames(saved), RPING_CONTENT)

    def test_a_group_is_joined_by_igmp_or_mld_where_the_connection_manager_cannot(self):
        subprocess.run(INSIDE + ("sh", "-c", "echo 0 > /proc/sys/net/ipv6/conf/far/disable_ipv6 || :"), check=True, stderr=subprocess.DEVNULL)
        ip("address", "add", "10.9.0.1/24", "dev", "far")
        ip("route", "add", "239.0.0.0/8", "dev", "far")
        groups = [("239.1.2.3", "igmp", "030201EF" if sys.byteorder == "little" else "EF010203")]
        if os.path.exists("/proc/net/igmp6"):
            ip("route", "add", "ff05::/16", "dev", "far", "table", "local")
            groups.append(("ff05::1234", "igmp6", "ff050000000000000000000000001234"))

        def joined(table):
            return subprocess.run(INSIDE + ("cat", "/proc/net/" + table), check=True, stdout=subprocess.PIPE).stdout.decode()

        for group, table, shown in groups:
            process = self.capturing("-i", "verbs:", "--join", group, "-v", "-w", self.path("x.pcap"),
                                     env=device("feed=veth:far,fail=rdma_join_multicast@1"))
            self.assertIn(shown, joined(table))
            _, errors = self.stop(process)
            self.assertIn("joined %s by IGMP or MLD (--join %s: the group cannot be joined: Input/output error)" % (group, group), errors)
            self.assertNotIn(shown, joined(table))
        ip("route", "del", "239.0.0.0/8", "dev", "far")
        done = subprocess.run(INSIDE + (PROGRAM, "-i", "verbs:", "--join", "239.1.2.3"), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=TIMEOUT, env=environment(**device("feed=veth:far,fail=rdma_join_multicast@1")))
        self.assertEqual((done.returncode, done.stderr), (2, b"rdmatap: --join 239.1.2.3: the group cannot be joined: Input/output error; "
                                                             b"nor by IGMP or MLD: No such device\n"))

    def counts_of(self, errors):
        """Received, dropped by the kernel, dropped here."""
        line = next(line for line in errors.splitlines() if " packets captured; " in line)
        words = line.replace(",", "").replace(";", "").split()
        return int(words[words.index("received:") + 1]), int(words[words.index("kernel") + 1]), int(words[words.index("here") + 1])
