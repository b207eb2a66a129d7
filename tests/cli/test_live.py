# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Live capture: frames shown and saved, and the user that does it."""
import glob
import json
import os
import signal
import stat
import subprocess
import time

from cli import PROGRAM, RPING, RPING_FRAMES, TIMEOUT, environment, needs, read, records, wait_until
from live import INSIDE, LiveTest, NOBODY, RPING_CONTENT, frames, ip


class Capture(LiveTest):
    def test_the_frames_of_a_replay_are_captured_byte_by_byte(self):
        for source in ("pcap:far", "far"):
            for name in ("x.pcap", "x.pcap.gz"):
                saved = self.path(name)
                process = self.capturing("-i", source, "-w", saved)
                self.assertEqual(self.replay(), RPING_FRAMES)
                output, errors = self.stop(process)
                self.assertEqual((frames(saved), output), (RPING_CONTENT, b""))
                self.assertEqual(self.counts(errors), [RPING_FRAMES, RPING_FRAMES, 0, 0, 0])

    def test_stamps_have_nanoseconds_and_grow(self):
        saved = self.path("x.pcap")
        before = time.time_ns()
        process = self.capturing("-i", "far", "-w", saved)
        self.replay()
        self.stop(process)
        header, found = records(read(saved))
        times = [when for when, _, _ in found]
        self.assertEqual(header[:4], b"\x4d\x3c\xb2\xa1")
        self.assertEqual(times, sorted(times))
        self.assertTrue(before < times[0] and times[-1] < time.time_ns())
        self.assertTrue(any(when % 1000 for when in times))

    def test_lines_are_shown_without_waiting_for_more(self):
        for options in ((), ("-l",), ("--immediate-mode",), ("-w", self.path("x.pcap"), "--print"), ("-T", "json")):
            process = self.capturing("-i", "far", *options)
            self.replay()
            lines = [process.stdout.readline() for _ in range(RPING_FRAMES)]
            self.assertTrue(all(line.endswith(b"\n") for line in lines))
            if "-T" not in options:
                wanted = self.good("-r", RPING).splitlines(True)
                self.assertEqual([line.split()[2:] for line in lines], [line.split()[2:] for line in wanted])
            self.assertEqual(self.stop(process)[0], b"")

    def test_frames_received_before_a_signal_are_written(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for options in ((), ("--immediate-mode",)):
                saved = self.path("x.pcap")
                # whoever runs the tests may ignore hangups
                process = self.capturing("-i", "far", "-w", saved, *options,
                                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
                for _ in range(10):
                    self.replay()
                errors = self.stop(process, number)[1]
                self.assertEqual(frames(saved), RPING_CONTENT * 10)
                self.assertEqual(self.counts(errors)[:2], [RPING_FRAMES * 10] * 2)

    def test_a_hangup_that_is_ignored_does_not_end_it(self):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-w", saved, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        self.replay()
        self.stop(process)
        self.assertEqual(frames(saved), RPING_CONTENT)

    def test_counts_are_printed_on_request(self):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-w", saved)
        self.replay()
        wait_until(lambda: os.path.getsize(saved) > 24)
        process.send_signal(signal.SIGUSR1)
        self.assertRegex(process.stderr.readline().decode(), r"^rdmatap: capturing on far: ETHERNET, up to \d+ bytes of each frame, times in ")
        first = process.stderr.readline().decode()
        self.replay()
        errors = self.stop(process)[1]
        self.assertEqual(self.counts(first)[0], RPING_FRAMES)
        self.assertEqual(self.counts(errors)[0], 2 * RPING_FRAMES)
        self.assertEqual(frames(saved), RPING_CONTENT * 2)

    def test_the_status_is_printed_periodically(self):
        process = self.capturing("-i", "far", "-w", self.path("x.pcap"), "--status", "0.2,json")
        process.stderr.readline()
        self.replay()
        while True:
            state = json.loads(process.stderr.readline())
            if state["packets"] == RPING_FRAMES and not state["packets_per_second"]:
                break
        self.stop(process)
        self.assertEqual((state["dropped_here"], state["dropped_by_system"], state["queue_used"]), (0, 0, 0))
        self.assertAlmostEqual(state["time_ns"] / 1e9, time.time(), delta=TIMEOUT)
        process = self.capturing("-i", "far", "-q", "--status", "0.2")
        process.stderr.readline()
        line = process.stderr.readline().decode()
        self.stop(process)
        self.assertRegex(line, r"^rdmatap: \S+ m?s: 0 packets, 0/s, 0 b/s; dropped: by the device (0|unknown), by the kernel 0, here 0; queue empty\n$")

    def test_threads_run_on_the_given_processors_with_the_given_priority(self):
        if subprocess.run(("chrt", "-f", "7", "true"), stderr=subprocess.DEVNULL).returncode:
            self.skipTest("real-time priorities are not permitted here")
        process = self.capturing("-i", "pcap:far", "-Z", "root", "--cpu", "0,0", "--priority", "7,-3", "-w", self.path("x.pcap"))

        def placed():
            found = set()
            for task in os.listdir("/proc/%d/task" % process.pid):
                with open("/proc/%d/task/%s/stat" % (process.pid, task)) as f:
                    fields = f.read().rsplit(")", 1)[1].split()
                found.add((int(fields[16]), int(fields[37]), tuple(os.sched_getaffinity(int(task)))))  # nice, real-time priority
            return found

        wait_until(lambda: placed() >= {(os.nice(0), 7, (0,)), (-3, 0, (0,))})
        self.replay(RPING)
        self.stop(process)
        self.assertEqual(len(frames(self.path("x.pcap"))), RPING_FRAMES)
        for options, message in ((("--cpu", "x"), "not a processor"), (("--cpu", "3-2"), "not a processor"), (("--cpu", "1023"), "may not run on processor 1023"),
                                 (("--priority", "100"), "not a number from -20 to 99"), (("--priority", "1,"), "not a number")):
            self.bad(message, "-i", "pcap:far", *options)
        self.bad("require -i", "-r", RPING, "--priority", "1")

    def test_files_begin_and_end_by_the_clock_on_a_silent_line(self):
        folder = self.directory + "/"
        process = self.start("-i", "far", "-w", folder + "at%s.pcap", "-G", "1", "-W", "2")
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(glob.glob(folder + "at*.pcap")), 2)
        process = self.capturing("-i", "far", "-w", folder + "same.pcap", "-G", "1")
        self.replay()
        time.sleep(2.5)
        self.stop(process)
        self.assertEqual(frames(folder + "same.pcap"), RPING_CONTENT, "overwritten only by a file with packets")

    def test_new_files_are_for_their_owner(self):
        for mask, bits, mode in ((0o22, 0, 0o600), (0o22, stat.S_ISGID, 0o640), (0o27, 0, 0o640), (0o02, 0, 0o664)):
            folder = self.path("of-%o-%o" % (mask, bits))
            os.mkdir(folder)
            os.chmod(folder, 0o777 | bits)
            saved = os.path.join(folder, "x.pcap")
            process = self.capturing("-i", "far", "-w", saved, preexec_fn=lambda: os.umask(mask))
            self.stop(process)
            self.assertEqual(stat.S_IMODE(os.stat(saved).st_mode), mode, "umask %o, folder %o" % (mask, bits))

    def test_a_capture_that_cannot_start_overwrites_no_file(self):
        closed = self.path("closed/")
        os.mkdir(closed)
        os.chmod(closed, 0o700)
        existing = closed + "x.pcap"
        with open(existing, "w") as file:
            file.write("precious")
        for arguments, message in ((("-i", "far", "-C", "1"), "cannot create files"), (("-i", "missing0"), "missing0"),
                                   (("-i", "far", "-f", "not a filter"), "column 5"), (("-i", "far", "-Z", "nobody-here"), "no such user")):
            process = self.start(*arguments, "-w", existing, gives_up_root=True, env={"SUDO_USER": ""})
            errors = process.communicate(timeout=TIMEOUT)[1].decode()
            self.assertEqual(process.returncode, 2, errors)
            self.assertIn(message, errors)
            self.assertEqual((read(existing), os.stat(existing).st_uid), (b"precious", 0))

    def test_it_ends_after_so_many_packets(self):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-c", "7", "-w", saved)
        self.replay()
        errors = process.communicate(timeout=TIMEOUT)[1].decode()
        self.assertEqual((process.returncode, frames(saved)), (0, RPING_CONTENT[:7]))
        self.assertEqual(self.counts(errors)[0], 7)

    def test_a_capture_filter_works_in_the_kernel(self):
        wanted = self.path("wanted.pcap")
        self.good("-r", RPING, "-f", "src host 10.0.0.1", "-w", wanted)
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-f", "src host 10.0.0.1", "-w", saved)
        self.replay()
        errors = self.stop(process)[1]
        self.assertTrue(0 < len(frames(wanted)) < RPING_FRAMES)
        self.assertEqual(frames(saved), frames(wanted))
        self.assertEqual(self.counts(errors)[:2], [len(frames(wanted))] * 2)

    def test_a_display_filter_works_too(self):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-Y", "infiniband.aeth", "-w", saved)
        self.replay()
        self.stop(process)
        self.assertEqual(len(frames(saved)), int(self.good("-r", RPING, "-Y", "infiniband.aeth", "-q").split()[0]))

    def test_a_snap_length_keeps_the_true_length(self):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-s", "64", "-w", saved)
        self.replay()
        errors = self.stop(process)[1]
        self.assertEqual(frames(saved), [(data[:64], length) for data, length in RPING_CONTENT])
        self.assertIn("truncated by the capture", errors)

    def test_pcapng_reports_of_the_interface(self):
        saved = self.path("x.pcapng")
        process = self.capturing("-i", "far", "-f", "udp", "-w", saved)
        self.replay()
        self.stop(process)
        reported = self.run_program("-r", saved, "-v", "-q")
        self.assertEqual(reported.stdout.split()[0], b"%d" % RPING_FRAMES)
        for text in (b"name far", b"filter udp", b"received %d packets" % RPING_FRAMES):
            self.assertIn(text, reported.stderr)

    def test_pcapng_of_nothing_reports_of_the_interface_too(self):
        saved = self.path("x.pcapng")
        process = self.capturing("-i", "far", "-w", saved)
        self.stop(process)
        reported = self.run_program("-r", saved, "-v", "-q")
        self.assertEqual((reported.returncode, reported.stdout.split()[0]), (0, b"0"))
        self.assertIn(b"received 0 packets", reported.stderr)

    @needs("capinfos")
    def test_capinfos_reads_the_statistics(self):
        saved = self.path("x.pcapng")
        process = self.capturing("-i", "far", "-w", saved)
        self.replay()
        self.stop(process)
        reported = subprocess.run(("capinfos", saved), stdout=subprocess.PIPE, check=True).stdout.decode()
        for text in ("Name = far", "Number of stat entries = 1", "Number of packets = %d" % RPING_FRAMES):
            self.assertIn(text, reported)

    def test_all_interfaces_are_captured_at_once(self):
        saved = self.path("x.pcapng")
        process = self.capturing("-i", "any", "-w", saved)
        self.replay()
        self.stop(process)
        self.assertEqual(self.good("-r", saved, "-q"), b"%d packets\n" % (2 * RPING_FRAMES))  # leaving one end, coming to the other
        both = self.good("-r", saved, "-q", "-Y", "sll && infiniband.bth")
        self.assertEqual(both, b"%d packets\n" % (2 * RPING_FRAMES))

    def test_the_same_is_captured_by_tcpdump(self):
        saved, theirs = self.path("x.pcap"), self.path("theirs.pcap")
        other = subprocess.Popen(INSIDE + ("tcpdump", "-i", "far", "-U", "-Z", "root", "-w", theirs), stderr=subprocess.PIPE)
        self.addCleanup(other.stderr.close)
        self.addCleanup(other.kill)
        other.stderr.readline()
        process = self.capturing("-i", "far", "-w", saved)
        self.replay()
        wait_until(lambda: os.path.exists(theirs) and len(frames(theirs)) == RPING_FRAMES)
        self.stop(process)
        other.terminate()
        other.wait(TIMEOUT)
        self.assertEqual(frames(saved), frames(theirs))


class Series(LiveTest):
    """-C, -G and -W on live captures; test_rotation tests them on input files."""

    def big(self):
        return self.path("big.pcap", read(RPING)[:24] + read(RPING)[24:] * 40)

    def saved(self, pattern):
        return sorted(glob.glob(os.path.join(self.directory, pattern)), key=lambda name: (len(name), name))

    def test_files_of_a_size(self):
        process = self.capturing("-i", "far", "-C", "1", "-w", self.path("x.pcap"), gives_up_root=True, env={"SUDO_USER": ""})
        for _ in range(4):
            self.replay(self.big())
        errors = self.stop(process)[1]
        names = self.saved("x.pcap*")
        self.assertEqual([os.path.basename(name) for name in names], ["x.pcap", "x.pcap1", "x.pcap2"])
        self.assertEqual(sum((frames(name) for name in names), []), RPING_CONTENT * 160)
        self.assertEqual(self.counts(errors)[0], RPING_FRAMES * 160)
        self.assertEqual({os.stat(name).st_uid for name in names}, {NOBODY})

    def test_a_ring_of_files(self):
        process = self.capturing("-i", "far", "-C", "1", "-W", "2", "-w", self.path("x.pcap"))
        for _ in range(6):
            self.replay(self.big())
        self.stop(process)
        names = self.saved("x.pcap*")
        self.assertEqual([os.path.basename(name) for name in names], ["x.pcap0", "x.pcap1"])
        last, before = sorted(names, key=lambda name: -os.stat(name).st_mtime_ns)
        self.assertEqual((RPING_CONTENT * 240)[-len(frames(last)):], frames(last))

    def test_a_ring_overwrites_files_of_others(self):
        old = [self.path("x.pcap%d" % number, b"old") for number in range(3)]
        process = self.capturing("-i", "far", "-w", self.path("x.pcap"), "-C", "1", "-W", "3", gives_up_root=True, env={"SUDO_USER": ""})
        for _ in range(4):
            self.replay(self.big())
        self.stop(process)
        self.assertEqual(sum((frames(name) for name in old), []), RPING_CONTENT * 160)

    def test_files_of_a_time(self):
        process = self.capturing("-i", "far", "-G", "1", "-W", "3", "-w", self.path("x-%H%M%S.pcapng"))
        sent = 0
        while process.poll() is None:
            sent += self.replay()
            time.sleep(0.2)
        errors = process.stderr.read().decode()
        self.assertEqual(process.returncode, 0, errors)
        names = self.saved("x-*.pcapng")
        self.assertEqual(len(names), 3)
        for name in names:
            reported = self.run_program("-r", name, "-q", "-v")
            self.assertIn(b"name far", reported.stderr)
            # the second in which the first file is created may be over when the first packet arrives
            self.assertGreaterEqual(int(reported.stdout.split()[0]), name != names[0])

    def test_a_folder_that_the_user_cannot_write_is_refused_at_the_start(self):
        os.chmod(self.directory, 0o755)
        process = self.start("-i", "far", "-C", "1", "-w", self.path("x.pcap"), gives_up_root=True, env={"SUDO_USER": ""})
        errors = process.communicate(timeout=TIMEOUT)[1].decode()
        self.assertEqual(process.returncode, 2)
        self.assertIn("user %d cannot create files in this directory" % NOBODY, errors)


class Privileges(LiveTest):
    def status(self, process):
        with open("/proc/%d/status" % process.pid) as f:
            return {name: value.split() for name, value in (line.rstrip("\n").split(":", 1) for line in f)}

    def check(self, process, user):
        status = self.status(process)
        self.assertEqual(status["Uid"], [str(user)] * 4)
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name][0], 16), 0, name)
        self.assertNotIn("0", status["Groups"])

    def test_root_becomes_nobody(self):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-w", saved, gives_up_root=True, env={"SUDO_USER": ""})
        self.check(process, NOBODY)
        self.assertEqual(os.stat(saved).st_uid, NOBODY)
        self.stop(process)

    def test_root_becomes_the_user_of_sudo_or_the_one_named(self):
        saved = self.path("x.pcap")
        for options, env, user in (((), {"SUDO_USER": "daemon"}, 1), (("-Z", "bin"), {"SUDO_USER": "daemon"}, 2)):
            process = self.capturing("-i", "far", "-w", saved, *options, gives_up_root=True, env=env)
            self.check(process, user)
            self.assertEqual(os.stat(saved).st_uid, user)
            self.stop(process)

    def test_root_stays_root_if_asked(self):
        saved = self.path("x.pcap")
        process = self.capturing("-i", "far", "-w", saved, "-Z", "root")
        self.assertEqual((self.status(process)["Uid"][1], os.stat(saved).st_uid), ("0", 0))
        self.stop(process)

    def test_a_user_that_is_not_there_is_named(self):
        process = self.start("-i", "far", "-Z", "no-such-user")
        self.assertIn(b"no-such-user: there is no such user", process.communicate(timeout=TIMEOUT)[1])
        self.assertEqual(process.returncode, 2)

    @needs("setpriv")
    def test_an_ordinary_user_with_the_capability_captures_and_keeps_none(self):
        inside = INSIDE + ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=+net_raw", "--ambient-caps=+net_raw")
        saved = self.path("x.pcap")
        process = self.start("-i", "far", "-w", saved, inside=inside, gives_up_root=True)
        self.await_capture(process)
        status = self.status(process)
        self.assertEqual([int(status[name][0], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")], [0] * 4)
        self.replay()
        self.stop(process)
        self.assertEqual(frames(saved), RPING_CONTENT)

    @needs("setpriv")
    def test_without_privileges_the_error_has_advice(self):
        inside = INSIDE + ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all")
        for arguments in (("-i", "pcap:far"), ("replay", "-i", "far", RPING)):
            done = subprocess.run(inside + (PROGRAM, *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=TIMEOUT, env=environment())
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(b"setcap cap_net_raw+ep", done.stderr)


class Listing(LiveTest):
    def ask(self, *arguments):
        return subprocess.run(INSIDE + (PROGRAM,) + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=TIMEOUT, env=environment())

    def test_the_list_of_sources(self):
        ip("link", "set", "near", "down")
        lines = self.ask("-D").stdout.decode().splitlines()
        rows = {line.split()[0]: line for line in lines}
        self.assertIn(" up", rows["pcap:far"])
        self.assertIn(" down", rows["pcap:near"])
        self.assertIn("pcap:any", rows)

    def test_sources_that_are_not_there(self):
        for source, message in (("pcap:none", "no such interface"), ("none", "no such device"), ("pcap:", "name of the device is missing"),
                                ("verbs:mlx5_0", "verbs:mlx5_0: "), ("umad:mlx5_0", "umad:mlx5_0: ")):
            done = self.ask("-i", source)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr.decode())

    def test_a_wrong_filter_is_reported_at_the_start(self):
        done = self.ask("-i", "far", "-f", "udp porrt 4791")
        self.assertEqual(done.returncode, 2)
        self.assertIn("udp porrt 4791", done.stderr.decode())


class Extcap(LiveTest):
    def ask(self, *arguments):
        done = subprocess.run(INSIDE + (PROGRAM,) + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=TIMEOUT, env=environment())
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_the_extcap_interface_of_wireshark(self):
        status, reported, errors = self.ask("--extcap-interfaces", "--extcap-version=4.0")
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue(reported.startswith("extcap {version="))
        self.assertIn("interface {value=pcap:far}{display=", reported)
        self.assertEqual(self.ask("--extcap-interface", "pcap:far", "--extcap-dlts"),
                         (0, "dlt {number=1}{name=ETHERNET}{display=ETHERNET}\n", ""))
        # an interface that is down in a new namespace
        down = subprocess.run(("unshare", "-n", PROGRAM, "--extcap-interface", "pcap:lo", "--extcap-dlts"), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT, env=environment())
        self.assertEqual((down.returncode, down.stdout), (0, b"dlt {number=1}{name=ETHERNET}{display=ETHERNET}\n"), down.stderr)
        reported = self.ask("--extcap-interface", "pcap:far", "--extcap-config")[1]
        self.assertIn("{call=--snap-length}", reported)
        self.assertEqual(self.ask("--extcap-interface", "pcap:far", "--extcap-capture-filter", "udp"), (0, "", ""))
        self.assertIn("syntax error", self.ask("--extcap-interface", "pcap:far", "--extcap-capture-filter", "udp porrt")[1])

    def test_it_captures_into_a_fifo(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        process = self.start("--capture", "--extcap-interface", "pcap:far", "--fifo", fifo, "--extcap-capture-filter", "udp",
                             "--snap-length", "60", gives_up_root=True)
        with open(fifo, "rb", buffering=0) as f:
            content = f.read(24)
            self.await_capture(process)
            self.replay()
            while len(content) < 24 + sum(16 + min(60, len(data)) for data, _ in RPING_CONTENT):
                content += f.read(65536)
        self.assertEqual([(data, length) for _, data, length in records(content)[1]], [(data[:60], length) for data, length in RPING_CONTENT])
        # Wireshark closes the FIFO, then sends a signal
        self.stop(process, signal.SIGTERM)

    @needs("tshark")
    def test_tshark_captures_by_it(self):
        reported = subprocess.run(("tshark", "-G", "folders"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode()
        folder = next(line.split(":", 1)[1].strip() for line in reported.splitlines() if line.startswith("Extcap path"))
        if not os.path.isdir(folder):
            self.skipTest("tshark has no extcap folder")
        plugins = self.path("extcap")
        os.mkdir(plugins)
        with open(os.path.join(plugins, "rdmatap"), "w") as f:
            f.write('#!/bin/sh\nexec "%s" "$@"\n' % PROGRAM)
        os.chmod(os.path.join(plugins, "rdmatap"), 0o755)
        saved = self.path("x.pcap")
        # only these processes see another folder: ip gives them their own mounts
        process = subprocess.Popen(INSIDE + ("sh", "-c", 'mount --bind "$1" "$2" && exec tshark -q -i pcap:far -c %d -F pcap -w "$3"' % RPING_FRAMES, "sh",
                                             plugins, folder, saved), stderr=subprocess.PIPE, env=environment(ASAN_OPTIONS="detect_leaks=0"))
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        packet = "/proc/%d/net/packet" % process.pid

        def captures():
            with open(packet) as f:
                return len(f.readlines()) > 1 or process.poll() is not None
        wait_until(captures)
        time.sleep(1)
        self.replay()
        errors = process.communicate(timeout=TIMEOUT)[1]
        self.assertEqual((process.returncode, frames(saved)), (0, RPING_CONTENT), errors)
