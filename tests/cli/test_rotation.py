# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""-C, -G and -W: names and contents of the files, as of tcpdump."""
import os
import stat
import struct
import subprocess

from cli import CliTest, RPING, RPING_FRAMES, needs, read, records, wait_until


class Rotation(CliTest):
    def big(self, copies=200, gap_ns=0):
        """`copies` copies of a capture, each later than the previous one."""
        header, found = records(read(RPING))
        start = 1700000000 * 10**9
        content = [header[:4].replace(b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") + header[4:]]
        for i in range(copies):
            for data, length in ((data, length) for _, data, length in found):
                when = start + i * gap_ns
                content.append(b"".join(n.to_bytes(4, "little") for n in (when // 10**9, when % 10**9, len(data), length)) + data)
        return self.path("big.pcap", b"".join(content))

    def files(self, begin="x"):
        return sorted((name for name in os.listdir(self.directory) if name.startswith(begin)), key=lambda name: (len(name), name))

    def remove(self):
        for name in self.files():
            os.unlink(self.path(name))

    def frames(self, name):
        return int(self.good("-r", self.path(name), "-q").split()[0])

    def test_names_by_size(self):
        # 200 copies have 2.6 million bytes in pcap
        for name, options, wanted in (("x.pcap", (), ["x.pcap", "x.pcap1", "x.pcap2"]),
                                      ("x.pcap", ("-W", "2"), ["x.pcap0", "x.pcap1"]),
                                      ("x.pcap", ("-W", "10"), ["x.pcap0", "x.pcap1", "x.pcap2"]),
                                      ("x.pcap", ("-W", "11"), ["x.pcap00", "x.pcap01", "x.pcap02"]),
                                      ("x.pcap", ("-W", "1"), ["x.pcap"]),
                                      ("x%Y.pcapng", (), ["x%Y.pcapng", "x%Y.pcapng1", "x%Y.pcapng2"])):
            self.good("-r", self.big(), "-w", self.path(name), "-C", "1", *options)
            self.assertEqual(self.files(), wanted)
            whole = sum(self.frames(found) for found in wanted)
            if options not in (("-W", "1"), ("-W", "2")):
                self.assertEqual(whole, 200 * RPING_FRAMES)
            self.remove()

    @needs("tcpdump")
    def test_files_are_tcpdumps(self):
        for options in (("-C", "1"), ("-C", "1", "-W", "2"), ("-C", "1", "-W", "11")):
            big = self.big()
            self.good("-r", big, "-w", self.path("x.pcap"), *options)
            theirs = self.path("theirs")
            os.makedirs(theirs, exist_ok=True)
            subprocess.run(("tcpdump", "-Z", "root", "--time-stamp-precision=nano", "-r", big, "-w", os.path.join(theirs, "x.pcap")) + options,
                           stderr=subprocess.DEVNULL, check=True)
            self.assertEqual(self.files(), sorted(os.listdir(theirs)))
            for name in self.files():
                self.assertEqual(records(read(self.path(name)))[1], records(read(os.path.join(theirs, name)))[1])
                os.unlink(os.path.join(theirs, name))
            self.remove()

    def test_names_by_time(self):
        big = self.big(5, 10 * 10**9)  # from 22:13:20 on
        for options, wanted in ((("-G", "20"), ["x-221320", "x-221340", "x-221400"]),
                                (("-G", "20", "-W", "2"), ["x-221320", "x-221340"]),
                                (("-G", "3600"), ["x-221320"])):
            self.good("-r", big, "-w", self.path("x-%H%M%S"), *options)
            self.assertEqual(self.files(), wanted)
            counts = [self.frames(name) for name in wanted]
            self.assertEqual(counts, ([2 * RPING_FRAMES] * 2 + [RPING_FRAMES])[:len(wanted)] if len(wanted) > 1 else [5 * RPING_FRAMES])
            self.remove()

    def test_a_name_without_a_pattern_is_written_again(self):
        self.good("-r", self.big(5, 10 * 10**9), "-w", self.path("x.pcap"), "-G", "20")
        self.assertEqual((self.files(), self.frames("x.pcap")), (["x.pcap"], RPING_FRAMES))

    def test_size_and_time_together(self):
        self.good("-r", self.big(400, 10**8), "-w", self.path("x-%S"), "-G", "20", "-C", "1")
        self.assertEqual(self.files(), ["x-20", "x-40", "x-201", "x-202", "x-401", "x-402"])
        self.assertEqual(sum(self.frames(name) for name in self.files()), 400 * RPING_FRAMES)

    def test_the_given_name_determines_the_format_of_all_files(self):
        for name, magic in (("x.pcap.gz", b"\x1f\x8b"), ("x.pcapng", b"\x0a\x0d\x0d\x0a"), ("x.pcapng.gz", b"\x1f\x8b"),
                            ("x.pcap.zst", b"\x28\xb5\x2f\xfd"), ("x.pcapng.lz4", b"\x04\x22\x4d\x18")):
            self.good("-r", self.big(400), "-w", self.path(name), "-C", "1", "-W", "20")
            self.assertGreater(len(self.files()), 0)
            for found in self.files():
                with open(self.path(found), "rb") as f:
                    self.assertTrue(f.read(4).startswith(magic))
            self.assertEqual(sum(self.frames(found) for found in self.files()), 400 * RPING_FRAMES)
            self.remove()

    def test_contradictory_options_are_rejected(self):
        for options, message in ((("-C", "1"), "require -w"), (("-w", "x", "-W", "2"), "-W requires"), (("-w", "-", "-C", "1"), "cannot be rotated"),
                                 (("-w", "x", "-C", "0"), "-C 0"), (("-w", "x", "-G", "x"), "-G x"), (("-Z", "root"), "require -i"),
                                 (("-i", "lo"), "-i and -r exclude each other")):
            self.bad(message, "-r", RPING, *options, cwd=self.directory)

    def test_a_folder_that_is_not_there(self):
        self.bad("cannot be created", "-r", RPING, "-w", self.path("none/x.pcap"), "-C", "1")

    def test_names_of_dumpcap(self):
        """NAME_NNNNN_TIME; the latest files are kept, and every name is printed."""
        big = self.big(5, 10 * 10**9)  # from 22:13:20 on
        names = self.path("names")
        for condition, begins, each in (("packets:%d" % RPING_FRAMES, ["221320", "221330", "221340", "221350", "221400"], RPING_FRAMES),
                                        ("duration:20", ["221320", "221340", "221400"], 2 * RPING_FRAMES),
                                        ("interval:60", ["221320", "221400"], 4 * RPING_FRAMES)):
            self.good("-r", big, "-w", self.path("x.pcapng"), "-b", condition + ",files:2", "-b", "printname:" + names)
            wanted = ["x_%05d_20231114%s.pcapng" % (i + 1, begin) for i, begin in enumerate(begins)]
            with open(names) as f:
                self.assertEqual(f.read().split(), [self.path(name) for name in wanted])
            self.assertEqual(self.files("x_"), wanted[-2:])
            self.assertEqual(self.frames(self.files("x_")[0]), each)
            self.remove()
            os.unlink(names)

    @needs("tcpdump")
    def test_a_program_for_each_file_as_tcpdump(self):
        script = self.path("hook", b"#!/bin/sh\necho ${1##*/} >> $HOOK_LOG\n")
        os.chmod(script, 0o755)
        logs = {}
        for who, command in (("ours", None), ("theirs", ("tcpdump", "-Z", "root"))):
            logs[who] = self.path("log-" + who)
            env = {"HOOK_LOG": logs[who]}
            options = ("-r", self.big(400), "-w", self.path("x.pcap"), "-C", "1", "-z", script)
            if command:
                subprocess.run(command + options, stderr=subprocess.DEVNULL, check=True, env={**os.environ, **env})
            else:
                self.good(*options, env=env)
            wait_until(lambda log=logs[who]: os.path.exists(log) and len(read(log).split()) >= 5)
        self.assertEqual(sorted(read(logs["ours"]).split()), sorted(read(logs["theirs"]).split()))

    def test_a_program_that_fails_is_reported(self):
        done = self.run_program("-r", self.big(), "-w", self.path("x.pcap"), "-C", "1", "-z", self.path("none"))
        self.assertIn(b"none: No such file", done.stderr)

    def test_conditions_to_stop(self):
        for condition, files, frames in (("filesize:5,packets:1000000", 1, None), ("files:2", 2, 2 * 50), ("packets:70", 2, 70)):
            self.good("-r", self.big(), "-w", self.path("x.pcap"), "-b", "packets:50" if files == 2 else "packets:100000", "-a", condition)
            found = self.files("x_")
            self.assertEqual(len(found), files)
            if frames:
                self.assertEqual(sum(self.frames(name) for name in found), frames)
            else:
                self.assertTrue(5000 <= os.path.getsize(self.path(found[0])) < 5000 + 2000)
            self.remove()

    def test_mode_group_and_comments(self):
        self.good("-r", RPING, "-w", self.path("x.pcapng"), "--file-mode", "0604", "--file-group", str(os.getgid()), "--capture-comment", "why: test", "--capture-comment", "b")
        found = os.stat(self.path("x.pcapng"))
        self.assertEqual((stat.S_IMODE(found.st_mode), found.st_gid), (0o604, os.getgid()))
        data, at, comments = read(self.path("x.pcapng")), 24, []
        length, = struct.unpack_from("<I", data, 4)
        while at < length - 4:
            code, size = struct.unpack_from("<HH", data, at)
            if code == 1:
                comments.append(data[at + 4:at + 4 + size])
            at += 4 + (size + 3) // 4 * 4
        self.assertEqual(comments, [b"why: test", b"b"])
        self.assertEqual(struct.unpack_from("<I", data, length - 4)[0], length)
        self.good("-r", RPING, "-w", self.path("x.pcap"), "-g")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("x.pcap")).st_mode), 0o640)

    def test_conditions_that_make_no_sense(self):
        for options, message in ((("-a", "files:2", "-w", "x"), "-a files requires"), (("-a", "hours:2"), "not understood"), (("-a", "packets:0"), "not understood"),
                                 (("-b", "files:2", "-w", "x"), "-b files and printname require"), (("-b", "packets:2"), "require -w"), (("-b", "packets"), "not understood"),
                                 (("--capture-comment", "x", "-w", "x.pcap"), "only pcapng"), (("--file-mode", "8", "-w", "x"), "octal"),
                                 (("-z", "gzip", "-w", "x"), "no such statistics"), (("-b", "packets:1" + "0" * 70), "not understood")):
            self.bad(message, "-r", RPING, *options, cwd=self.directory)
