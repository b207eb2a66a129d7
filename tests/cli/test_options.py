# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The effect of each option."""
import glob
import os
import re
import socket
import subprocess

from cli import CliTest, PROGRAM, RPING, RPING_FRAMES, TESTDATA, TESTS, TUNNELS, needs, read, records
from sysfs import unpack

NUMBER = ("-T", "fields", "-e", "frame.number")
OPCODES = os.path.join(TESTDATA, "roce-v2-opcodes.pcap")


class Help(CliTest):
    def test_every_option_of_the_help_works_and_is_in_the_manual(self):
        examples = {
            "-r": (), "-f": ("udp",), "-c": ("3",), "-s": ("80",), "-Y": ("infiniband",), "-V": (), "-x": (), "-q": (),
            "-T": ("json",), "-e": ("ip.src", "-T", "fields"), "-E": ("header=y",), "-t": ("ud",), "--color": ("never",),
            "-w": (self.path("out.pcap"),), "--print": (), "-l": (), "-n": (), "-v": (), "--progress": (), "--wide": (), "--check-icrc": (),
            "--no-check-icrc": (),
            "--decode-as": ("qp=0x12,rpcrdma",), "--no-heuristics": (),
            "--max-memory": ("64M",), "--give-up": ("60",), "--threads": ("2",),
        }
        of_messages = {"--json", "--checksum", "--incomplete", "--rpc", "-x", "-Y"}
        of_export = {"--fill-holes": (), "-w": (), "--files": (self.path("files"),)}
        of_database = {"--sqlite": (self.path("x.db"),), "--packets": (), "--interval": ("1",), "--sampled": ()}
        of_trace = {"--trace": (self.path("trace.json"),), "--blktrace": (self.path("log"),)}
        of_operations = {"--json": (), "--layer": ("nfs",), "--slower": ("1ms",), "--failed": (), "--by": ("client",), "--incomplete": (), "--sort": ("bytes",), "--top": ("3",),
                         "--wide": ()}
        of_diff = {"--level": ("packets",), "--ignore": ("length",), "--only": ("length",), "--tolerance": ("length=5%",),
                   "--skip": ("kind=mad",), "--fold-retransmissions": (), "--map": ("10.0.0.1=10.0.0.1",), "--order": (), "--stat": (), "--wide": (),
                   "--rules": (os.path.join(TESTDATA, "nfs.rules"),), "--json": (), "--update": ()}
        of_canon = {"--level": ("packets",), "--keep": ("latency",), "--json": ()}
        of_stats = {"--interval": ("1",), "--json": (), "--sampled": (), "--sort": ("packets",), "--top": ("3",), "--connection": ("1",),
                    "--explain": ("timeouts",), "--type": ("rpc", "-T", "json")}
        of_report = {"-o": (self.path("page.html"),), "--sampled": ("-o", self.path("sampled.html"))}
        text = self.good("--help").decode()
        self.assertIn("umad is not a sniffer", text)
        verbs = {"--flow", "--flow-type", "--flow-priority", "--flow-dont-trap", "--flow-offload", "--peer", "--join", "--force", "--verbs"}  # tested by check-verbs
        live = verbs | {"-i", "-D", "-p", "-Z", "--buffer-size", "--queue-size", "--immediate-mode", "--cpu", "--priority"}  # tested by check-live
        # tested by test_rotation, test_recorder and test_live; test_openmetrics; test_join; test_check and test_check_assertions
        elsewhere = {"-a", "-b", "-g", "-z", "--file-mode", "--file-group", "--capture-comment", "--ring", "--trigger", "--before", "--after",
                     "--incident-distance", "--incident-limit", "--control", "--status", "--openmetrics", "--clock", "--list", "--rule", "--severity",
                     "--sarif", "--that", "--assert", "--junit", "--tap"}
        series = {"-C": ("1",), "-G": ("1",), "-W": ("2", "-C", "1")}
        of_replay = {"--speed", "--rate", "--at-once", "--checksums"}
        of_umad = {"--mad-classes", "--is-sm"}  # tested by check-umad
        of_devices = {"--node-guid": "0x0002c90300a1b2c0", "--port-guid": "0002:c903:00a1:b2c1", "--gid": "fe80::2:c903:a1:b2c1", "-v": "mlx5_0",
                      "--json": "mlx5_0"}
        named = set(re.findall(r"^  (--?[a-zA-Z][a-z-]*)", text, re.M)) - {"--help"}
        self.assertEqual(named, set(examples) | of_messages | set(of_export) | set(of_database) | set(of_trace) | set(of_operations) | live | set(series) | of_replay | set(of_diff) | set(of_canon) | set(of_stats) | set(of_report) | of_umad | set(of_devices) | elsewhere)
        manual = "".join(read(page).decode() for page in glob.glob(os.path.join(os.path.dirname(TESTS), "doc", "rdmatap*.1")))
        for option, arguments in examples.items():
            if option != "-r":
                self.assertTrue(self.run_program("-r", RPING, option, *arguments).returncode == 0, option)
            self.assertIn("Fl " + option[1:], manual.replace("Fl Vxqlnv", "Fl V Fl x Fl q Fl l Fl n Fl v"))
        for option in live | of_replay | of_umad | elsewhere:
            self.assertIn("Fl " + option[1:], manual)
        for option, arguments in series.items():
            self.good("-r", RPING, "-w", self.path("series"), option, *arguments)
            self.assertIn("Fl " + option[1:], manual)
        hca = {"RDMATAP_SYSFS": unpack(os.path.join(TESTDATA, "sysfs", "hca.tree"), self.path("hca"))}
        for option, argument in of_devices.items():
            self.good("devices", option, argument, env=hca)
            self.assertIn("Fl " + option[1:], manual)
        for option in of_messages:
            done = self.run_program("messages", RPING, option, *examples.get(option, ()))
            self.assertEqual((done.returncode, done.stderr in (b"", b"rdmatap: none of 53 messages is selected\n")), (0, True), done.stderr)
            self.assertIn("Fl " + option[1:], manual)
        for option in of_export:
            self.good("export", RPING, *([] if option == "-w" else [option]), *of_export[option], "-w", self.path("exported.pcap"))
            self.assertIn("Fl " + option[1:], manual)
        for option, arguments in of_database.items():
            self.good("export", RPING, option, *arguments, *(() if option == "--sqlite" else ("--sqlite", self.path("x.db"))))
            self.assertIn("Fl " + option[1:], manual)
        for option, arguments in of_trace.items():
            self.good("export", RPING, option, *arguments)
            self.assertIn("Fl " + option[1:], manual)
        for option, arguments in of_operations.items():
            done = self.run_program("operations", RPING, option, *arguments)
            self.assertEqual((done.returncode, done.stdout), (0, b""), option)
            self.assertIn("Fl " + option[1:], manual)
        for option, arguments in of_stats.items():
            self.good("stats", option, *arguments, RPING)
            self.assertIn("Fl " + option[1:], manual)
        for option, arguments in of_report.items():
            self.good("report", option, *arguments, RPING)
            self.assertIn("Fl " + option[1:], manual)
        for option, arguments in of_canon.items():
            self.good("canon", option, *arguments, RPING)
            self.assertIn("Fl " + option[1:], manual)
        for option, arguments in of_diff.items():
            self.good("diff", option, *arguments, self.path("golden") if option == "--update" else RPING, RPING)
            self.assertRegex(manual, "Fl [a-z| -]*" + option[1:])

    def test_the_help_of_a_command_has_a_row_for_each_option_that_it_takes(self):
        taken = {}
        for line in self.good("--print-options").decode().splitlines():
            command, option, _, _ = line.split("\t")
            taken.setdefault(command, set()).update([option] if option else [])
        del taken[""]
        self.assertEqual(len(taken), 15)
        for command, options in taken.items():
            text = self.good(command, "--help").decode()
            self.assertTrue(text.startswith("usage: rdmatap %s " % command), text)
            self.assertIn("rdmatap-%s(1)" % command, text)
            rows = re.findall(r"^  (--?[a-zA-Z][a-z-]*) ", text, re.M)
            self.assertEqual(len(rows), len(set(rows)), command)
            # the row of a letter ends with its long name
            names = set(re.findall(r"\((--[a-z-]+)\)$", text, re.M))
            self.assertEqual(set(rows), options - names, command)
            self.assertLessEqual(names, options | {"--autostop"}, command)
        self.assertEqual(self.good("-r", RPING, "--help"), self.good("--help"))

    def test_version_names_the_libraries(self):
        self.assertRegex(self.good("--version").decode(), r"^rdmatap [0-9.]+\n.*libpcap.*\nzlib .*\nISA-L: ")


class Input(CliTest):
    def test_several_files_are_merged_by_time(self):
        other = os.path.join(TESTDATA, "roce-rping-v6.pcap")
        times = self.lines("-r", other, "-r", RPING, "-T", "fields", "-e", "frame.time_epoch")
        self.assertEqual(len(times), RPING_FRAMES + len(records(read(other))[1]))
        self.assertEqual(times, sorted(times, key=float))
        numbers = self.lines("-r", RPING, "-r", RPING, "-T", "fields", "-e", "frame.number", "-e", "frame.interface_id")
        self.assertEqual(numbers[:4], ["1\t0", "2\t1", "3\t0", "4\t1"], "frames of equal time keep the files' order")

    def test_standard_input_and_fifos_are_read(self):
        whole = self.good("-r", RPING)
        self.assertEqual(self.good("-r", "-", input=read(RPING)), whole)
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        feeder = subprocess.Popen(["cp", RPING, fifo])
        self.assertEqual(self.good("-r", fifo), whole)
        feeder.wait()

    @needs("tcpdump")
    def test_capture_filters_match_as_tcpdump_does(self):
        for capture in (RPING, TUNNELS, os.path.join(TESTDATA, "vlan.pcap"), os.path.join(TESTDATA, "sll.pcap")):
            for text in ("", "udp", "udp port 4791", "host 10.0.0.1", "ip6", "vlan", "less 100", "not udp", "udp[8] = 0x64"):
                peer = subprocess.run(["tcpdump", "-r", capture, "-w", "-", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                done = self.run_program("-r", capture, "-f", text, "-w", "-")
                if peer.returncode:
                    self.assertEqual(done.returncode, 2, (capture, text))
                    continue
                self.assertEqual([r[1:] for r in records(done.stdout)[1]], [r[1:] for r in records(peer.stdout)[1]], (capture, text))

    def test_count_is_after_the_capture_and_before_the_display_filter(self):
        self.assertEqual(self.lines("-r", RPING, "-c", "7", *NUMBER), [str(i) for i in range(1, 8)])
        all_of_them = self.lines("-r", RPING, "-f", "src host 10.0.0.1", *NUMBER)
        self.assertEqual(self.lines("-r", RPING, "-f", "src host 10.0.0.1", "-c", "7", *NUMBER), all_of_them[:7])
        self.assertEqual(self.lines("-r", RPING, "-c", "7", "-Y", "ip.src == 10.0.0.1", *NUMBER),
                         [n for n in all_of_them if int(n) <= 7])
        self.assertEqual(self.lines("-r", RPING, "-c", "18446744073709551615", "-q"), ["101 packets"])

    def test_a_snap_length_truncates_shown_and_saved_frames(self):
        self.assertEqual(set(self.lines("-r", RPING, "-s", "60", "-T", "fields", "-e", "frame.cap_len")), {"60"})
        saved = self.path("cut.pcap")
        self.lines("-r", RPING, "-s", "60", "-w", saved)
        for (_, bytes_, wire), (_, whole, _) in zip(records(read(saved))[1], records(read(RPING))[1]):
            self.assertEqual((bytes_, wire), (whole[:60], len(whole)))


class Selection(CliTest):
    def test_an_empty_filter_lets_all_pass(self):
        for text in ("", "   ", "\t\n"):
            self.assertEqual(self.good("-r", RPING, "-Y", text, "-q"), b"101 packets\n")

    def test_nothing_that_matches_is_no_failure(self):
        self.assertEqual(self.good("-r", RPING, "-Y", "arp"), b"")
        self.assertEqual(self.good("-r", RPING, "-Y", "arp", "-q"), b"0 packets\n")
        self.assertEqual(self.good("-r", RPING, "-f", "arp", "-T", "json"), b"")

    def test_fields_that_are_printed_can_be_filtered(self):
        psns = self.lines("-r", RPING, "-T", "fields", "-e", "infiniband.bth.psn")
        for psn in sorted(set(psns))[:5]:
            self.assertEqual(self.lines("-r", RPING, "-Y", "infiniband.bth.psn == " + psn, "-q")[0].split()[0], str(psns.count(psn)))


class Output(CliTest):
    def test_hex_rows_hold_all_bytes(self):
        text = self.good("-r", RPING, "-x", "-c", "5").decode()
        packets = text.split("\n\n")
        self.assertEqual((len(packets), packets.pop()), (6, ""))
        for (_, frame, _), packet in zip(records(read(RPING))[1], packets):
            rows = re.findall(r"^[0-9a-f]{4}  ([0-9a-f ]{48})  ", packet, re.M)
            self.assertEqual(bytes.fromhex("".join(rows)), frame)

    def test_the_tree_has_all_layers_of_each_packet(self):
        text = self.good("-r", RPING, "-V").decode()
        for heading in ("Frame", "Ethernet", "Internet Protocol Version 4", "User Datagram Protocol", "Base Transport Header"):
            self.assertEqual(len(re.findall("^%s$" % heading, text, re.M)), RPING_FRAMES, heading)
        self.assertEqual(text.count("    Status: good\n"), RPING_FRAMES)

    def test_quiet_only_counts(self):
        self.assertEqual(self.good("-r", RPING, "-q"), b"101 packets\n")
        self.assertEqual(self.good("-r", RPING, "-q", "-Y", "frame.number <= 3"), b"3 packets\n")
        self.assertEqual(self.good("-r", RPING, "-q", "-Y", "frame.number == 3"), b"1 packet\n")

    def test_verbose_reports_about_the_input(self):
        done = self.run_program("-r", RPING, "-v", "-q")
        self.assertIn(b"interface 0, link type 1 (ETHERNET)", done.stderr)
        self.assertIn(b"101 packets processed, 101 passed", done.stderr)
        self.assertIn(b"1 packet processed, 1 passed", self.run_program("-r", RPING, "-v", "-q", "-c", "1").stderr)

    def test_a_line_on_standard_error_is_written_in_one_piece(self):
        """Lines of several processes on one terminal do not mix: each write is a datagram."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with ours, theirs:
            subprocess.run([PROGRAM, "-r", "no such\nfile \xe9.pcap"], stdout=subprocess.DEVNULL, stderr=theirs, check=False)
            line = ours.recv(1 << 16, socket.MSG_DONTWAIT).decode()
            self.assertRegex(line, r"^rdmatap: no such\\nfile \xe9.pcap: .*\n$")
            self.assertRaises(BlockingIOError, ours.recv, 1, socket.MSG_DONTWAIT)

    def test_progress_is_reported_only_on_request(self):
        self.assertRegex(self.run_program("-r", RPING, "--progress").stderr, rb"rdmatap: 100%, 101 packets\n$")
        self.assertRegex(self.run_program("-r", "-", "--progress", input=read(RPING)).stderr, rb"rdmatap: 101 packets\n$")
        self.good("-r", RPING)

    def test_fields_are_listed_by_prefix(self):
        everything = self.lines("fields")
        self.assertEqual(self.lines("fields", "infiniband.bth"), [row for row in everything if row.startswith("infiniband.bth")])
        for row in everything:
            self.assertEqual(row.count("\t"), 4, row)
            self.assertRegex(row.split("\t")[2], "^(number|string)( array)?$")


class Dissection(CliTest):
    def test_wrong_crcs_are_anomalies_with_check_icrc(self):
        whole = read(OPCODES)
        header, found = records(whole)
        frame = bytearray(found[4][1])
        frame[-5] ^= 1
        damaged = self.path("damaged.pcap", whole.replace(found[4][1], bytes(frame)))
        self.assertEqual(self.lines("-r", damaged, "-Y", 'rdmatap.anomaly == "bad_icrc"', *NUMBER), [])
        self.assertEqual(self.lines("-r", damaged, "--check-icrc", "-Y", 'rdmatap.anomaly == "bad_icrc"', *NUMBER), ["5"])
        self.assertEqual(self.lines("-r", damaged, "-Y", 'infiniband.invariant.crc.status == "bad"', *NUMBER), ["5"])
        self.assertIn(b"bad_icrc: 1 time", self.run_program("-r", damaged, "--check-icrc", "-q", "-Y", "frame").stderr)

    def test_queue_pairs_and_ports_are_declared(self):
        declared = os.path.join(TESTDATA, "rpcrdma-declared.pcap")
        qps = set(self.lines("-r", declared, "-T", "fields", "-e", "infiniband.bth.destqp"))
        plain = len(self.lines("-r", declared, "-Y", "rpcordma", *NUMBER))
        options = [part for qp in qps for part in ("--decode-as", "qp=%s,rpcrdma" % qp)]
        self.assertGreater(len(self.lines("-r", declared, *options, "-Y", "rpcordma", *NUMBER)), plain)
        headers = os.path.join(TESTDATA, "rpcrdma-headers.pcap")
        options = [part.replace("rpcrdma", "data") for part in options]
        self.assertEqual(self.lines("-r", headers, "--decode-as", "qp=18,data", "--decode-as", "qp=0x11,data", "-Y",
                                    "rpcordma && infiniband.bth.destqp in {17, 18}", *NUMBER), [])
        header, found = records(read(RPING))
        moved = self.path("moved.pcap", read(RPING).replace(b"\x12\xb7", b"\x12\xb8"))
        self.assertEqual(self.lines("-r", moved, "-Y", "infiniband", *NUMBER), [])
        self.assertEqual(len(self.lines("-r", moved, "--decode-as", "udp=4792,rocev2", "-Y", "infiniband", *NUMBER)), RPING_FRAMES)

    def test_heuristics_can_be_left_out(self):
        headers = os.path.join(TESTDATA, "rpcrdma-headers.pcap")
        self.assertNotEqual(self.lines("-r", headers, "-Y", "rpcordma", *NUMBER), [])
        self.assertEqual(self.lines("-r", headers, "--no-heuristics", "-Y", "rpcordma", *NUMBER), [])
