# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""-i umad: against a simulated fabric: Debian's ibsim, with its library in place of the kernel's user MADs."""
import glob
import itertools
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import unittest

import ib
import net
from capfile import write_pcap
from cli import CliTest, environment, has_sanitizers, needs, PROGRAM, read, TIMEOUT, wait_until

LIBRARIES = glob.glob("/usr/lib/*/umad2sim/libumad2sim.so")
WHY_NOT = ("ibsim is missing (Debian: apt install ibsim-utils infiniband-diags)"
           if not LIBRARIES or not all(map(shutil.which, ("ibsim", "ibportstate", "ibping"))) else
           "built without libibumad" if b"umad_open_port" not in read(PROGRAM) else
           "ibsim's library does not replace open64(), which programs of 32 bits call" if struct.calcsize("P") < 8 else None)
# Two adapters back to back: requests reach the other one without a subnet manager that configures a switch.
FABRIC = 'Hca 1 "H1"\n[1] "H2"[1]\n\nHca 1 "H2"\n[1] "H1"[1]\n'
LIDS = {"H1": 11, "H2": 12}
STAY = ("-Z", "root") if os.geteuid() == 0 else ()
numbers = itertools.count()

GET, GET_RESPONSE = 0x01, 0x81
SUBNET, DIRECTED, PERFORMANCE, VENDOR = 0x01, 0x81, 0x04, 0x32
NODE_DESCRIPTION, NODE_INFO, PORT_INFO, SM_INFO, CLASS_PORT_INFO = 0x10, 0x11, 0x15, 0x20, 0x01


def mad(number, management_class, method, attribute, modifier=0, path=(), data=b""):
    """A management datagram of 256 bytes; `path`: the output ports of a directed route. IBTA vol. 1, 13.4.3, 14.2.1.2."""
    header = bytes([1, management_class, 1, method])
    if management_class == DIRECTED:
        header += bytes([0, 0, 0, len(path)])
        route = b"\0" * 8 + b"\xff" * 4 + b"\0" * 28 + b"\0" * 64 + bytes((0,) + path).ljust(64, b"\0") + b"\0" * 64
    else:
        header += b"\0" * 4
        route = data
    header += number.to_bytes(8, "big") + attribute.to_bytes(2, "big") + b"\0\0" + modifier.to_bytes(4, "big")
    return (header + route).ljust(256, b"\0")


def frame(number, datagram, dlid, slid=0):
    is_subnet = datagram[1] in (SUBNET, DIRECTED)
    packet = ib.transport(0x64, datagram, destqp=0 if is_subnet else 1, srcqp=0 if is_subnet else 1,
                          q_key=0 if is_subnet else 0x80010000, p_key=0xffff, psn=number)
    return net.erf(ib.native(packet, dlid=dlid, slid=slid), 21, number << 32).data


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Umad(CliTest):
    def setUp(self):
        super().setUp()
        with open(self.path("fabric"), "w") as f:
            f.write(FABRIC)
        self.socket = "rdmatap-%d-%d" % (os.getpid(), next(numbers))
        with open(self.path("ibsim.log"), "wb") as log:
            self.simulator = subprocess.Popen(("ibsim", "-s", "-n", self.path("fabric")), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                              env=environment(IBSIM_SOCKNAME=self.socket), cwd=self.directory)
        self.addCleanup(self.simulator.wait)
        self.addCleanup(self.simulator.kill)
        wait_until(lambda: self.simulator.poll() is not None or b"simulator ready" in read(self.path("ibsim.log")))
        self.assertIsNone(self.simulator.poll(), read(self.path("ibsim.log")))
        for host, lid in LIDS.items():
            self.tool(host, "ibportstate", "-D", "0", "1", "lid", str(lid))

    def at(self, host):
        made = {"LD_PRELOAD": LIBRARIES[0], "SIM_HOST": host, "IBSIM_SOCKNAME": self.socket}
        if has_sanitizers():
            # the library is built without sanitizers and is loaded before the program's sanitizer; and it reads beyond its own messages
            with open(self.path("suppressed"), "w") as f:
                f.write("interceptor_via_lib:libumad2sim.so\n")
            made["ASAN_OPTIONS"] = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0",
                                                          "suppressions=" + self.path("suppressed"))))
        return made

    def tool(self, host, *words):
        return subprocess.run(words, env=environment(**self.at(host)), cwd=self.directory, timeout=TIMEOUT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run_at(self, host, *arguments):
        done = self.run_program(*arguments, env=self.at(host), cwd=self.directory)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def write_asked(self, *frames):
        write_pcap(self.path("asked.pcap"), 197, [(number * 10**9, data, len(data)) for number, data in enumerate(frames)])
        return self.path("asked.pcap")

    def capture(self, host, *arguments):
        """Starts a capture; returns when it is receiving."""
        process = subprocess.Popen((PROGRAM, "-i", "umad:ibsim0", "-l", *STAY, *arguments), env=environment(**self.at(host)),
                                   cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        wait_until(lambda: process.poll() is not None or len(os.listdir("/proc/%d/task" % process.pid)) >= 3)
        return process

    def stop(self, process):
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, errors)
        return output.decode(), errors.decode()

    def fields(self, capture, *names, **more):
        words = [word for name in names for word in ("-e", name)]
        lines = self.lines("-r", capture, "-T", "fields", *words, *more.get("options", ()))
        return [line.split("\t") for line in lines]

    def test_the_simulated_device_is_listed(self):
        status, output, errors = self.run_at("H1", "devices", "--json")
        self.assertEqual((status, errors), (0, ""))
        device = json.loads(output)
        self.assertEqual((device["name"], device["node_type"], device["hca_type"]), ("ibsim0", "CA", "simulator"))
        port = device["ports"][0]
        self.assertEqual((port["number"], port["lid"], port["umad"], port["issm"]), (1, 11, "umad0", "issm0"))
        self.assertEqual(port["p_keys"], [{"index": 0, "p_key": "0xffff"}])
        status, output, errors = self.run_at("H1", "devices", "--port-guid", port["guid"])
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("ibsim0/1: ", output)
        status, output, errors = self.run_at("H1", "-D")
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(output, r"(?m)^umad:ibsim0/1 .* management datagrams of simulator")

    def test_queries_are_sent_and_the_responses_captured(self):
        """Each response by its transaction; a request without a response is reported."""
        queries = [mad(1, DIRECTED, GET, NODE_INFO), mad(2, DIRECTED, GET, NODE_DESCRIPTION, path=(1,)),
                   mad(3, DIRECTED, GET, PORT_INFO, 1, path=(1,)), mad(4, SUBNET, GET, NODE_INFO),
                   mad(5, PERFORMANCE, GET, CLASS_PORT_INFO), mad(6, SUBNET, GET, NODE_INFO)]
        lids = [0xffff, 0xffff, 0xffff, 12, 12, 99]
        asked = self.write_asked(*(frame(number, query, lid) for number, (query, lid) in enumerate(zip(queries, lids), 1)))
        answers = self.path("answers.pcap")
        status, output, errors = self.run_at("H1", "replay", "-i", "umad:ibsim0/1", *STAY, "--at-once", "-w", answers, asked)
        self.assertEqual(status, 0, errors)
        self.assertIn("6 packets, ", output)
        self.assertIn("5 packets received, 1 request not answered", output)
        # the simulator loses the destination of the request
        self.assertRegex(errors, r"^rdmatap: umad:ibsim0/1: no response to method 0x01 of class 0x01, attribute 0x0011, from LID \d+\n$")
        rows = self.fields(answers, "infiniband.mad.transactionid", "infiniband.mad.mgmtclass", "infiniband.mad.method",
                           "infiniband.mad.attributeid", "infiniband.bth.destqp", "infiniband.lrh.dlid", "infiniband.lrh.slid",
                           "infiniband.invariant.crc.status", "infiniband.variant.crc.status", "frame.len")
        # the agent's number is the upper half of a transaction id
        rows.sort(key=lambda row: int(row[0], 0) & 0xffffffff)
        self.assertEqual([int(row[0], 0) & 0xffffffff for row in rows], [1, 2, 3, 4, 5])
        self.assertEqual([int(row[1], 0) for row in rows], [DIRECTED, DIRECTED, DIRECTED, SUBNET, PERFORMANCE])
        self.assertEqual({row[2] for row in rows}, {"0x81"})
        self.assertEqual([int(row[3], 0) for row in rows], [NODE_INFO, NODE_DESCRIPTION, PORT_INFO, NODE_INFO, CLASS_PORT_INFO])
        self.assertEqual([int(row[4], 0) for row in rows], [0, 0, 0, 0, 1])
        self.assertEqual([row[5] for row in rows], ["11"] * 5)
        self.assertEqual([row[6] for row in rows[3:]], ["12"] * 2)
        self.assertEqual({(row[7], row[8]) for row in rows}, {("good", "good")})
        self.assertIn(b"H2", read(answers), "the description of the node at the other end")

    @needs("tshark")
    def test_tshark_and_rdmatap_read_the_same_datagrams(self):
        asked = self.write_asked(frame(1, mad(1, DIRECTED, GET, NODE_INFO, path=(1,)), 0xffff),
                                 frame(2, mad(2, PERFORMANCE, GET, CLASS_PORT_INFO), 12))
        answers = self.path("answers.pcap")
        status, _, errors = self.run_at("H1", "replay", "-i", "umad:ibsim0", *STAY, "--at-once", "-w", answers, asked)
        self.assertEqual((status, errors), (0, ""))
        names = ("infiniband.lrh.slid", "infiniband.lrh.pktlen", "infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.deth.srcqp",
                 "infiniband.deth.q_key", "infiniband.mad.method", "infiniband.mad.transactionid", "erf.types.type", "erf.rlen", "erf.wlen")
        theirs = subprocess.run(["tshark", "-n", "-r", answers, "-T", "fields"] + [word for name in names for word in ("-e", name)],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=TIMEOUT, check=True).stdout.decode().splitlines()
        self.assertEqual([line.split("\t") for line in theirs], self.fields(answers, *names))
        self.assertEqual(len(theirs), 2)

    def test_requests_of_others_are_captured_as_a_subnet_manager(self):
        """The simulator delivers unsolicited datagrams only to the subnet manager of a node: so this also tests --is-sm."""
        saved = self.path("asked.pcapng")
        process = self.capture("H1", "-v", "--is-sm", "-w", saved, "--print", "-T", "fields", "-e", "infiniband.mad.mgmtclass",
                               "-e", "infiniband.lrh.slid", "-e", "infiniband.lrh.dlid", "-e", "infiniband.bth.destqp")
        self.tool("H2", "ibping", "-c", "1", "-t", "100", "-L", "11")
        self.tool("H2", "sminfo", "-t", "100", "11")
        output, errors = self.stop(process)
        rows = {tuple(line.split("\t")) for line in output.splitlines()}
        self.assertEqual(rows, {("0x32", "12", "11", "0x000001"), ("0x01", "12", "11", "0x000000")})
        self.assertIn("interface 0, description MADs of classes:methods 0x01:1+2+5+7 0x81:1+2+5+7 0x03:1+2+6+12+13+14+15", errors)
        self.assertNotIn("refused", errors)
        self.assertEqual(len(self.fields(saved, "frame.number", options=("-Y", 'infiniband.invariant.crc.status == "good"'))),
                         len(output.splitlines()))

    def test_only_the_requested_classes_are_registered(self):
        process = self.capture("H1", "-v", "--mad-classes", "0x04,0x32:1+3", "-q")
        _, errors = self.stop(process)
        self.assertIn("description MADs of classes:methods 0x04:1+2 0x32:1+3; the headers around them are made", errors)

    def test_a_bare_name_is_looked_up(self):
        status, _, errors = self.run_at("H1", "-i", "ibsim0/1", "-c", "1", "--mad-classes", "nonsense")
        self.assertEqual(status, 2)
        self.assertIn('umad:ibsim0/1: classes of MADs "nonsense": not understood', errors)

    def test_errors_of_opening_have_the_cause(self):
        for source, message in (("umad:ibsim1", "there is no such RDMA device"), ("umad:ibsim0/2", "the device has no such port (it has only 1)"),
                                ("umad:", "the name of the device is missing")):
            with self.subTest(source):
                status, _, errors = self.run_at("H1", "-i", source, "-c", "1")
                self.assertEqual(status, 2)
                self.assertIn(message, errors)

    def test_responses_do_not_overwrite_the_input(self):
        asked = self.write_asked(frame(1, mad(1, DIRECTED, GET, NODE_INFO), 0xffff))
        before = read(asked)
        status, _, errors = self.run_at("H1", "replay", "-i", "umad:ibsim0", *STAY, "-w", asked, asked)
        self.assertEqual(status, 2)
        self.assertIn("is an input too", errors)
        self.assertEqual(read(asked), before)

    def test_frames_that_are_no_datagrams_are_refused(self):
        asked = self.write_asked(net.erf(ib.native(ib.transport(0x04, b"x" * 264)), 21, 1 << 32).data,
                                 frame(2, mad(2, DIRECTED, GET, NODE_INFO), 0xffff))
        status, output, errors = self.run_at("H1", "replay", "-i", "umad:ibsim0", *STAY, "--at-once", asked)
        self.assertEqual(status, 2)
        self.assertIn("1 packet, ", output)
        self.assertIn("1 frame was refused, the first: frame 1: umad:ibsim0/1: this frame cannot be sent: it is not a datagram", errors)


if __name__ == "__main__":
    print(WHY_NOT or "ready")
    sys.exit(77 if WHY_NOT else 0)
