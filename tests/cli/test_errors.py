# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Error messages for invalid input."""
import gzip
import os
import struct
import subprocess
import unittest

import capfile
from cli import CliTest, INFINIBAND, NANO, PROGRAM, RPING, TESTDATA, read, records


class Names(CliTest):
    def test_arguments_cannot_disturb_a_terminal(self):
        name = b"no\x1b[31m\nsuch\x80\x7f\xc2\x9b\xc3\xa9\"\\"
        shown = b'no\\x1b[31m\\nsuch\\x80\\x7f\\xc2\\x9b\xc3\xa9"\\'
        for arguments in (("-r", name), ("messages", name), ("diff", name, name), (b"--" + name,), ("-r", RPING, "-w", b"/none/" + name),
                          ("export", "--files", b"/none/" + name, RPING), ("report", RPING, "-o", b"/none/" + name), ("-i", name), (name,)):
            done = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(shown, done.stderr)
            self.assertNotIn(b"\x1b", done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), done.stderr.count(b"rdmatap: "))


class Usage(CliTest):
    def test_wrong_command_lines_have_errors_with_advice(self):
        for message, arguments in (
                ("nothing to read (name a capture file; see rdmatap --help)", ()),
                ("%s: neither an option nor a command (rdmatap -r %s reads the file)" % (RPING, RPING), (RPING,)),
                ("xyzzy: neither an option nor a command (see rdmatap --help)", ("xyzzy",)),
                ("mesages: no such command (did you mean messages?)", ("mesages", RPING)),
                ("stat: no such command (did you mean stats?)", ("stat", RPING)),
                ("--max-memroy: no such option (did you mean --max-memory?)", ("-r", RPING, "--max-memroy", "1G")),
                ("findings: no such command (rdmatap stats FILE has it)", ("findings", RPING)),
                ("flows: no such command (rdmatap connections FILE has it)", ("flows", RPING)),
                ("nfsiostat: no such command (rdmatap operations --by export FILE has it)", ("nfsiostat", RPING)),
                ("-T: not supported (rdmatap stats -T csv FILE has these values)", ("top", "-T", "csv", RPING)),
                ("-e: not supported (rdmatap stats -T csv FILE has these values)", ("report", "-e", "count", RPING)),
                ("--json: not supported (rdmatap messages -T csv FILE and --sqlite have them)", ("export", "--json", RPING)),
                ("\"tcp.sec\" is not a field (did you mean tcp.seq?)", ("-r", RPING, "-Y", "tcp.sec == 1")),
                ("--jsn: no such option (did you mean --json?)", ("stats", "--jsn", RPING)),
                ("%s: not a capture filter (name capture files with -r)" % RPING, ("-r", RPING, RPING)),
                ("udp: a second capture filter, after that of -f", ("-r", RPING, "-f", "ip", "udp")),
                ("-A: not supported (-x prints", ("-r", RPING, "-A")),
                ("-b, -C, -G and -W require -w", ("-i", "lo", "-b", "filesize:1")),
                ("-a filesize and files, -b, -g, --file-mode, --file-group and --capture-comment require -w", ("-i", "lo", "-a", "filesize:1")),
                ("-a duration:x: not understood (duration:SECONDS", ("-i", "lo", "-a", "duration:x")),
                ("-a duration requires -i", ("-r", RPING, "-a", "duration:1")),
                ("-d tcp.port==1,http: not understood (udp.port==PORT", ("-r", RPING, "-d", "tcp.port==1,http")),
                ("--decode-as udp=x,rocev2: not understood", ("-r", RPING, "-d", "udp.port==x,infiniband")),
                ("-z io,stat,1: not supported (rdmatap stats --interval", ("-r", RPING, "-z", "io,stat,1")),
                ("-z requires -C, -G, -b or --ring", ("-i", "lo", "-z", "gzip", "-w", "x.pcap")),
                ("-z conv,ip: not supported (rdmatap connections FILE", ("-r", RPING, "-z", "conv,ip")),
                ("-z rpc,programs: not supported (rdmatap operations", ("-r", RPING, "-z", "rpc,programs")),
                ("-t tttttt: no such form", ("-r", RPING, "-ttttttt")),
                ("capture filter \"--\"", ("-r", RPING, "--", "--")),
                ("-z: needs an argument", ("-z",)),
                ("-k: no such option (see rdmatap --help)", ("-k",)),
                ("--bogus: no such option (see rdmatap stats --help)", ("stats", "--bogus", RPING)),
                ("-k: no such option (see rdmatap why --help)", ("why", "-k", RPING)),
                ("--slower: needs an argument (see rdmatap operations --help)", ("operations", RPING, "--slower")),
                ("--slowr: no such option (did you mean --slower?)", ("operations", RPING, "--slowr", "1ms")),
                ("--bogus: no such option (see rdmatap fields --help)", ("fields", "--bogus")),
                ("--jsn: no such option (did you mean --json?)", ("fields", "--jsn")),
                ("--bogus: no such option (see rdmatap devices --help)", ("devices", "--bogus")),
                ("--json=1: no such option, or it takes no argument (did you mean --json?)", ("stats", "--json=1", RPING)),
                ("--slower: no such option (rdmatap operations has it)", ("messages", "--slower", "5ms", RPING)),
                ("-B: no such option (--buffer-size SIZE)", ("-B", "4096", "-r", RPING)),
                ("-o: no such option (there are no preferences; --decode-as names protocols)", ("-r", RPING, "-o", "tcp.desegment:1")),
                ("-G fields: not supported (rdmatap fields has it)", ("-G", "fields")),
                ("-k: no such option", ("-Vk", "-r", RPING)),
                ("-k: no such option", ("-r", RPING, "-kV")),
                ("--bogus: no such option", ("-r", RPING, "--bogus")),
                ("--print=yes: no such option, or it takes no argument", ("--print=yes",)),
                ("-r: needs an argument", ("-r",)),
                ("-r: needs an argument", ("-Vr",)),
                ("--decode-as: needs an argument", ("-r", RPING, "--decode-as")),
                ("-T xml: no such form (text, json, csv, fields)", ("-r", RPING, "-T", "xml")),
                ("-t foo: no such form (a, ad, d, dd, e, r, u, ud)", ("-r", RPING, "-t", "foo")),
                ("-E foo: not understood (header=y|n", ("-r", RPING, "-E", "foo")),
                ("-e x: no such field", ("-r", RPING, "-e", "x")),
                ("-e ip.srcc: no such field (did you mean ip.src?)", ("-r", RPING, "-T", "fields", "-e", "ip.srcc")),
                ("-e infiniband: is a protocol", ("-r", RPING, "-T", "fields", "-e", "infiniband")),
                ("-e requires -T fields", ("-r", RPING, "-e", "ip.src")),
                ("requires at least one -e FIELD", ("-r", RPING, "-T", "fields")),
                ("-c 0: not a number from 1", ("-r", RPING, "-c", "0")),
                ("-c -1: not a number", ("-r", RPING, "-c", "-1")),
                ("-c 1x: not a number", ("-r", RPING, "-c", "1x")),
                ("-c 99999999999999999999999: not a number", ("-r", RPING, "-c", "99999999999999999999999")),
                ("-s 4294967296: not a number from 0 (all) to 4294967295", ("-r", RPING, "-s", "4294967296")),
                ("-w: given twice", ("-r", RPING, "-w", "a", "-w", "b")),
                ("-Y: given twice (join them with &&)", ("-r", RPING, "-Y", "ip", "-Y", "udp")),
                ("-f: given twice", ("-r", RPING, "-f", "ip", "-f", "udp")),
                ("-r: the name of the file is empty", ("-r", "")),
                ("-w: the name of the file is empty", ("-r", RPING, "-w", "")),
                ("-w - and --print would both write", ("-r", RPING, "-w", "-", "--print")),
                ("-w - and -q would both write", ("-r", RPING, "-w", "-", "-q")),
                ("-i: the name of the source is empty", ("-i", "")),
                ("a: there is no such device", ("-i", "a", "-i", "b")),
                ("-Z: the name of the user is empty", ("-i", "a", "-Z", "")),
                ("there is no such device (rdmatap -D lists", ("-i", "no-such-device")),
                ("--buffer-size 1: not a size of at least 1K", ("-i", "a", "--buffer-size", "1")),
                ("--queue-size 1023K: not a size of at least 1M", ("-i", "a", "--queue-size", "1023K")),
                ("require -i", ("-r", RPING, "--immediate-mode")),
                ("no device to send on", ("replay", RPING)),
                ("nothing to send (name", ("replay", "-i", "lo")),
                ("--speed 0: not a number from", ("replay", "-i", "lo", "--speed", "0", RPING)),
                ("--speed x: not a number from", ("replay", "-i", "lo", "--speed", "x", RPING)),
                ("--speed nan: not a number from", ("replay", "-i", "lo", "--speed", "nan", RPING)),
                ("--rate 0: not a number from 1", ("replay", "-i", "lo", "--rate", "0", RPING)),
                ("exclude each other", ("replay", "-i", "lo", "--rate", "1", "--at-once", RPING)),
                ("-V: no such option", ("replay", "-i", "lo", "-V", RPING)),
                ("-w -: standard output has the counts of the replay", ("replay", "-i", "lo", "-w", "-", RPING)),
                ("--capture needs --fifo", ("--capture", "--extcap-interface", "pcap:lo")),
                ("--extcap-interface is missing", ("--extcap-dlts",)),
                ("an unknown extcap option, or one without its argument", ("--extcap-interfaces", "--extcap-bogus")),
                ("standard input can be read only once", ("-r", "-", "-r", "-")),
                ("join: %s: named twice" % RPING, ("join", RPING, RPING)),
                ("mesages: no such command (did you mean messages?)", ("help", "mesages")),
                ("fields: takes at most one PREFIX", ("fields", "a", "b")),
                ("fields: none begins with nothing.here", ("fields", "nothing.here"))):
            with self.subTest(arguments):
                self.assertEqual(self.bad(message, *arguments), b"")

    def test_bad_decode_as_is_refused(self):
        for spec in ("", "qp", "qp=", "qp=1", "qp=,rpcrdma", "qp=0x1000000,rpcrdma", "qp=1,nfs", "udp=65536,rocev2", "udp=1,rpcrdma",
                     "tcp=1,rocev2", "qp=1,rpcrdma,", ",=", "qp=-1,data", "qp=00000000000000000000000000000001,data"):
            self.bad("--decode-as %s: not understood (udp=PORT,rocev2 or qp=NUMBER,PROTOCOL" % spec, "-r", RPING, "--decode-as", spec)
        self.bad("more than 64", "-r", RPING, *["--decode-as", "qp=1,data"] * 65)

    def test_filters_are_refused_with_the_column(self):
        for column, text in ((1, "infiniband.bth.opcod == 1"), (11, "ip.src == 1.2.3"), (4, "ip &&"), (1, ")"), (1, "(ip")):
            self.bad("-Y: column ", "-r", RPING, "-Y", text)
        self.bad("-Y: column 11: ", "-r", RPING, "-Y", "ip.src == 1.2.3")
        self.bad('capture filter "foo bar": ', "-r", RPING, "-f", "foo bar")
        self.bad("link type 247 (INFINIBAND): this link type has no BPF; use -Y", "-r", INFINIBAND, "-f", "ip")


class NothingFound(CliTest):
    """The numbers of packets are those of capinfos, their kinds those of testdata/README.md."""

    MAC_CONTROL, MAD, TCP = (os.path.join(TESTDATA, name) for name in ("mac-control.pcap", "mad-ibsim-smp-perf.pcap.gz", "rpc-tcp-reply-before-call.pcap"))
    EMPTY = os.path.join(TESTDATA, "empty.pcap")

    def said(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, arguments)
        return done.stdout.decode(), done.stderr.decode()

    def test_a_list_without_records_says_what_there_is(self):
        for kind, capture, wanted in (
                ("operations", self.EMPTY, "no operations: no packets were read"),
                ("messages", self.EMPTY, "no messages: no packets were read"),
                ("connections", self.EMPTY, "no connections: no packets were read"),
                ("why", self.EMPTY, "no connections: no packets were read"),
                ("operations", self.MAC_CONTROL, "no operations: 27 packets, none of RDMA"),
                ("messages", self.MAC_CONTROL, "no messages: 27 packets, none of RDMA"),
                ("connections", self.MAD, "no connections: 435 packets of RDMA, 435 management datagrams, 435 messages"),
                ("operations", RPING, "no operations: 101 packets of RDMA, 5 management datagrams, 1 connection, 53 messages; "
                                      "no upper layer was recognised (--decode-as names that of a queue pair)")):
            with self.subTest(kind=kind, capture=capture):
                self.assertEqual(self.said(kind, capture), ("", "rdmatap: %s\n" % wanted))
                self.assertEqual(self.said(kind, "--json", capture), ("", "rdmatap: %s\n" % wanted))

    def test_options_that_select_nothing_are_reported(self):
        for arguments, wanted in ((("operations", "--failed", self.TCP), "none of 2 operations is selected"),
                                  (("operations", "--slower", "20", "--by", "name", self.TCP), "none of 2 operations is selected"),
                                  (("messages", "-Y", "message.length == 77777", self.TCP), "none of 4 messages is selected"),
                                  (("connections", "-Y", "connection.packets == 77777", self.TCP), "none of 1 connection is selected")):
            self.assertEqual(self.said(*arguments), ("", "rdmatap: %s\n" % wanted))
        self.assertEqual(self.said("messages", "-T", "csv", "-e", "length", "-Y", "message.length == 77777", self.TCP)[0], "length\n")

    def test_nothing_is_reported_if_records_are_listed(self):
        for arguments in (("messages", RPING), ("connections", RPING), ("operations", self.TCP), ("operations", "--by", "name", self.TCP)):
            out, err = self.said(*arguments)
            self.assertNotEqual(out, "")
            self.assertEqual(err, "")

    def test_checks_of_other_traffic_are_reported(self):
        self.assertEqual(self.said("check", self.EMPTY)[1], "rdmatap: no packets were read\n")
        self.assertEqual(self.said("check", self.MAC_CONTROL)[1], "rdmatap: 27 packets, none of RDMA\n")
        self.assertEqual(self.said("check", self.TCP)[1], "rdmatap: 7 packets, none of RDMA, 7 of TCP\n")
        self.assertEqual(self.said("check", RPING)[1], "")
        self.assertIn("27 packets, none of RDMA", self.said("join", self.EMPTY, self.MAC_CONTROL)[1])
        self.assertTrue(self.said("stats", os.path.join(TESTDATA, "unknown-link-type.pcap"))[0].endswith(
            "\nNothing to assess: no packets of RDMA or ONC RPC\n"))
        self.assertNotIn("Nothing to assess", self.said("stats", self.TCP)[0])


class Help(CliTest):
    def test_help_of_a_command(self):
        for command in "messages", "why", "ops", "fields":
            self.assertEqual(self.run_program("help", command).stdout, self.run_program(command, "--help").stdout)
            self.assertIn(b"usage: rdmatap " + command[:2].encode(), self.run_program("help", command).stdout)
        self.assertEqual(self.run_program("help").stdout, self.run_program("--help").stdout)


class Files(CliTest):
    def test_files_that_are_no_captures_are_rejected(self):
        for message, name, content in (("missing: No such file", "missing", None), (": is a directory", ".", None),
                                       ("empty: is empty", "empty", b""), ("is not a capture file", "text", b"hello, world, how are you?"),
                                       ("short", "short", b"\xd4\xc3\xb2")):
            self.assertEqual(self.bad(message, "-r", self.path(name, content)), b"")
        self.bad("No such file", "-r", RPING, "-r", self.path("missing"))

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_unreadable_files_are_rejected(self):
        path = self.path("secret", read(RPING))
        os.chmod(path, 0)
        self.bad("secret: Permission denied", "-r", path)

    def test_the_readable_part_of_a_damaged_file_is_shown(self):
        pcap, pcapng = read(RPING), read(NANO)
        pcap_cut = 24 + sum(16 + len(record[1]) for record in records(pcap)[1][:50]) + 20
        bad_block = pcapng + struct.pack("<III", 6, 13, 0) + bytes(64)
        for message, content, frames in (
                ("frame 51: at byte ", pcap[:pcap_cut], 50),
                ("cut: frame ", pcapng[:-3], len(self.lines("-r", NANO)) - 1),
                ("cut: ", gzip.compress(pcap)[:-1000], None),
                ("cut: ", bad_block, len(self.lines("-r", NANO)))):
            shown = self.bad(message, "-r", self.path("cut", content)).decode().splitlines()
            self.assertEqual(frames or len(shown), len(shown))
            self.assertEqual(shown, self.lines("-r", NANO if message[:3] == "cut" and frames else RPING)[:len(shown)])

    def test_a_broken_file_does_not_stop_the_others(self):
        shown = self.bad("cut.pcap: frame ", "-r", self.path("cut.pcap", read(RPING)[:2000]), "-r", RPING, "-q")
        self.assertEqual(shown, b"112 packets\n")

    def test_times_that_are_too_far_apart_are_reported_and_upset_no_output(self):
        file, frames = capfile.Pcapng(), records(read(RPING))[1]
        file.section()
        for offset in (-2**63, 2**63 - 1):
            file.interface(1, options=((9, b"\0"), (14, struct.pack("<q", offset))))
        for i, (_, data, wire) in enumerate(frames):
            file.packet(i % 2, 0, data, wire)
        far = self.path("far.pcapng", bytes(file.data))
        reported = b"rdmatap: %d time stamps are outside the years 1823 to 2116 and clamped to this range\n" % len(frames)
        deltas = ["0.000000000"] + ["9223372036.854775807", "-9223372036.854775807"] * (len(frames) // 2)
        self.assertEqual(self.lines("-r", far, "-T", "fields", "-e", "frame.time_delta"), deltas)
        self.path("saved", self.run_program("canon", far).stdout)
        for arguments in (("-V", "-r", far), ("-t", "r", "-r", far), ("-t", "dd", "-r", far), ("-t", "ad", "-r", far),
                          ("messages", far), ("connections", far), ("stats", far), ("stats", "--interval", "1", far),
                          ("report", far, "-o", self.path("page.html")), ("diff", far, self.path("saved")),
                          ("export", far, "-w", self.path("rpc.pcap"))):
            done = self.run_program(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, reported), arguments)
        for name, held in (("copy.pcapng", (len(frames) + 1) // 2), ("copy.pcap", len(frames)), ("copy.pcap.gz", len(frames))):
            done = self.run_program("-r", far, "-w", self.path(name))
            self.assertEqual((done.returncode, done.stderr), (0, reported + b"rdmatap: %d time stamps were clamped to the range of the file format"
                                                              b" (pcapng: from 1970; pcap: 1970 to 2106)\n" % held))

    def test_exported_times_that_the_file_cannot_hold_are_reported(self):
        nfs = read(os.path.join(TESTDATA, "roce-nfs3-long.pcap"))
        file = capfile.Pcapng()
        file.section()
        file.interface(1, options=((9, b"\0"), (14, struct.pack("<q", -1000))))
        for _, data, wire in records(nfs)[1]:
            file.packet(0, 0, data, wire)
        done = self.run_program("export", self.path("old.pcapng", bytes(file.data)), "-w", self.path("rpc.pcap"))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rb"[0-9]+ time stamps were clamped to the range of the file format")

    def test_an_input_is_never_overwritten(self):
        path = self.path("in.pcap", read(RPING))
        os.link(path, self.path("link"))
        os.symlink(path, self.path("symlink"))
        for name in ("in.pcap", "./in.pcap", "link", "symlink"):
            for arguments in (("-r", "in.pcap", "-w", name), ("export", "--blktrace", name, "in.pcap"), ("check", "--junit", name, "in.pcap"),
                              ("stats", "--openmetrics", name, "in.pcap")):
                self.bad("is an input too (name another file)", *arguments, cwd=self.directory)
        with open(path, "rb") as stdin:
            self.bad("is an input too", "-r", "-", "-w", path, stdin=stdin)
        for arguments in ((), ("-w", "-")):
            with open(path, "ab") as stdout:
                self.bad("standard output is an input too", "-r", path, *arguments, stdout=stdout)
        self.assertEqual(read(path), read(RPING))

    def test_write_errors_are_reported(self):
        self.bad("cannot be created: No such file or directory", "-r", RPING, "-w", self.path("missing/x.pcap"))
        self.bad("cannot be created: Is a directory", "-r", RPING, "-w", self.directory)
        self.bad("one link type", "-r", RPING, "-r", INFINIBAND, "-w", self.path("two.pcap"))
        self.bad("/dev/full: ", "-r", RPING, "-w", "/dev/full")
        for arguments in (("-r", RPING), ("-r", RPING, "-T", "json", "-l"), ("-r", RPING, "-q"), ("-r", RPING, "-w", "-"),
                          ("fields",), ("--help",), ("--version",)):
            with open("/dev/full", "wb") as full:
                self.bad("standard output: ", *arguments, stdout=full)

    def test_an_unknown_link_type_is_listed(self):
        done = self.run_program("-r", os.path.join(TESTDATA, "unknown-link-type.pcap"))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rb"link type \d+ \(.*\) is not dissected: its frames are listed with their lengths")
        self.assertEqual(done.stdout.count(b"link type"), 3)
