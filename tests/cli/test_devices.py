# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap devices: on trees of testdata/sysfs in place of /sys."""
import json
import os
import subprocess
import sys
import unittest

from cli import CliTest, PROGRAM, TESTDATA, TESTS, read
from sysfs import TREES, unpack

ROOTS = {os.path.basename(tree)[:-len(".tree")]: tree for tree in TREES}


class Devices(CliTest):
    def ask(self, tree, *question):
        root = self.path(tree)
        if not os.path.exists(root):
            unpack(ROOTS[tree], root)
        done = self.run_program("devices", *question, env={"RDMATAP_SYSFS": root})
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def answer(self, tree, *question):
        status, output, errors = self.ask(tree, *question)
        self.assertEqual((status, errors), (0, ""), question)
        return output

    def test_a_line_a_device_and_one_a_port(self):
        self.assertEqual(self.answer("hca").splitlines(), [
            "mlx5_0: CA, InfiniBand, node GUID 0x0002c90300a1b2c0, MT4115, firmware 12.28.2006, board MT_2180110032, ib0, ib1",
            "  mlx5_0/1: ACTIVE, LinkUp, 100 Gb/sec (4X EDR), LID 7, SM LID 1, GUID 0x0002c90300a1b2c1, "
            "GID 0 fe80::2:c903:a1:b2c1, InfiniBand, umad0",
            "  mlx5_0/2: DOWN, Polling, 2.5 Gb/sec (1X SDR), LID 0, SM LID 0, GUID 0x0002c90300a1b2c2, "
            "GID 0 fe80::2:c903:a1:b2c2, InfiniBand, umad1"])
        self.assertEqual(self.answer("iwarp").splitlines()[1], "  cxgb4_0/1: ACTIVE, LinkUp, 40 Gb/sec (4X QDR), GID 0 7:4328:8f00::, enp4s0f0")
        self.assertIn("  mlx4_0/2: RoCE, ACTIVE, ", self.answer("multi"))
        self.assertIn("\n  mlxsw0/0: ", self.answer("switch"))
        self.assertIn(" GID 3 ::ffff:10.1.2.3, RoCE v2, ens1f0\n", self.answer("roce"))

    def test_unknown_values_are_omitted_in_lines_and_shown_in_full_output(self):
        self.assertIn("\nempty_1:\n  empty_1/1:\n", self.answer("hostile"))
        output = self.answer("hostile", "-v", "empty_1")
        self.assertIn("\n  node guid: unknown\n", output)
        self.assertIn("\n      lid: unknown\n", output)
        self.assertIn("\n      gids: none\n", output)
        reported = json.loads(self.answer("hostile", "--json", "empty_0"))
        self.assertIn("libibverbs", reported.pop("verbs_trouble"))
        self.assertEqual(reported, {"name": "empty_0", "netdevs": [], "hw_counters": [], "ports": []})

    def test_everything_is_shown_in_full(self):
        output = self.answer("hca", "-v", "mlx5_0/1")
        for line in ("name: mlx5_0", "  node type: CA", "  numa node: 1", "    number: 1", "      rate mbps: 100000", "        IsTrapSupported",
                     "        index 0, gid fe80::2:c903:a1:b2c1, type InfiniBand, chosen", "        index 1, p key 0x8001",
                     "        name out_of_buffer, value 9223372036854775808"):
            self.assertIn("\n" + line + "\n", "\n" + output)
        self.assertNotIn("number: 2", output)
        self.assertFalse([line for line in output.splitlines() if line != line.rstrip()])

    def test_texts_of_the_devices_cannot_steer_the_terminal(self):
        for form in ((), ("-v",), ("--json",)):
            output = self.answer("hostile", *form)
            self.assertFalse({c for c in output if not c.isprintable()} - {"\n"})
        node = json.loads(self.answer("hostile", "--json", "bad_0"))
        self.assertEqual(node["node_description"], '\x1b[31mred "quoted" \\ \u202eback \x7f')

    def test_lookup(self):
        for tree, question, first in (
                ("hca", ("mlx5_0",), "mlx5_0/1"), ("hca", ("mlx5_0/2",), "mlx5_0/2"), ("switch", ("mlxsw0/0",), "mlxsw0/0"),
                ("hca", ("--node-guid", "0002:c903:00a1:b2c0"), "mlx5_0/1"), ("hca", ("--port-guid", "0x0002c90300a1b2c2"), "mlx5_0/2"),
                ("hca", ("--gid", "fe80::2:c903:a1:b2c2"), "mlx5_0/2"), ("multi", ("--port-guid", "001122334455660c"), "many_2/12")):
            with self.subTest(question):
                self.assertTrue(self.answer(tree, *question).splitlines()[1].startswith("  %s: " % first))
        port, = json.loads(self.answer("roce", "--json", "--gid", "::ffff:10.9.0.3"))["ports"]
        self.assertEqual(port["gid_index"], 5)
        self.assertIn(", GID 5 ::ffff:10.9.0.3, RoCE v2, ens1f0.9\n", self.answer("roce", "--gid=::ffff:10.9.0.3"))

    def test_ports_have_their_interface_and_the_communication_managers_messages(self):
        adapter, soft = (json.loads(line)["ports"][0] for line in self.answer("roce", "--json").splitlines())
        self.assertEqual([(port["netdev"], port["netdev_mtu"]) for port in (adapter, soft)], [("ens1f0", 9000), ("eth1", 1500)])
        self.assertEqual([tuple(one.values()) for one in adapter["cm_counters"]],
                         [("tx_msgs.req", "7"), ("tx_retries.req", "2"), ("rx_msgs.rep", "5"), ("rx_duplicates.rep", "1")])
        self.assertEqual([tuple(one.values()) for one in soft["cm_counters"]], [("rx_msgs.dreq", "3")])
        self.assertIn("\n      netdev mtu: 9000\n", self.answer("roce", "-v"))

    def test_devices_that_are_not_found_have_an_error(self):
        for tree, question, message in (
                ("hca", ("mlx5_1",), "mlx5_1: there is no such RDMA device"), ("hca", ("mlx5_0/3",), "mlx5_0/3: the device has no such port (it has 1 to 2)"),
                ("switch", ("mlxsw0/1",), "(it has only 0)"),
                ("hostile", ("empty_0/1",), "the device has no ports"),
                ("hca", ("--gid", "::1"), "GID ::1: no RDMA device or port here has it"),
                ("hca", ("--node-guid", "0x0002c90300a1b2c1"), "node GUID 0x0002c90300a1b2c1: no RDMA device"),
                ("iwarp", ("--port-guid", "0x0000000000000000"), "no RDMA device or port here has it")):
            with self.subTest(question):
                status, output, errors = self.ask(tree, *question)
                self.assertEqual((status, output), (1, ""))
                self.assertIn(message, errors)

    def test_no_devices_is_no_and_no_subsystem_is_an_error(self):
        empty = self.path("empty")
        os.makedirs(os.path.join(empty, "class", "infiniband"))
        done = self.run_program("devices", env={"RDMATAP_SYSFS": empty})
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"there are no RDMA devices", done.stderr)
        for question in ((), ("mlx5_0",), ("--json",)):
            self.bad("no RDMA subsystem loaded (load the driver", "devices", *question, env={"RDMATAP_SYSFS": self.path("nowhere")})

    def test_ambiguous_and_invalid_names_are_errors(self):
        for tree, question, message in (
                ("multi", ("--node-guid", "0x0011223344556600"), "ambiguous, several have it: many_2, many_10 (ask by name)"),
                ("multi", ("--port-guid", "0x0011223344556601"), "ambiguous, several have it: many_2/1, many_10/1"),
                ("multi", ("--gid", "fe80::11:2233:4455:6601"), "GID fe80::11:2233:4455:6601: ambiguous, several have it: many_2/1, many_10/1"),
                ("hca", ("--node-guid", "x"), "--node-guid x: not a GUID"), ("hca", ("--port-guid", ""), "not a GUID"),
                ("hca", ("--gid", "10.0.0.1"), "--gid 10.0.0.1: not a GID"), ("hca", ("--gid",), "--gid: needs an argument"),
                ("hca", ("--nothing",), "--nothing: no such option"), ("hca", ("-x",), "-x: no such option"),
                ("hca", ("a", "b"), "looks for one thing at a time"), ("hca", ("mlx5_0", "--gid", "::1"), "looks for one thing at a time")):
            with self.subTest(question):
                status, output, errors = self.ask(tree, *question)
                self.assertEqual((status, output), (2, ""))
                self.assertIn(message, errors)

    @unittest.skipIf(b"umad_open_port" not in read(PROGRAM), "built without libibumad")
    def test_management_datagrams_of_iwarp_devices_are_refused_with_an_alternative(self):
        root = {"RDMATAP_SYSFS": unpack(ROOTS["iwarp"], self.path("iwarp"))}
        for name, interface in (("cxgb4_0", "enp4s0f0"), ("cxgb4_1", "enp4s0f1")):
            self.bad("umad:%s/1: iWARP devices have no management datagrams (pcap:%s captures on the network interface)" % (name, interface),
                     "-i", "umad:" + name, env=root)

    def test_a_full_disk_is_reported(self):
        with open("/dev/full", "wb") as full:
            self.bad("standard output: No space left on device", "devices", stdout=full, env={"RDMATAP_SYSFS": unpack(ROOTS["hca"], self.path("hca"))})

    def test_the_trees_equal_the_output_of_the_generator(self):
        made = self.path("made")
        os.mkdir(made)
        subprocess.run([sys.executable, os.path.join(TESTS, "generate", "make-sysfs"), made], check=True)
        self.assertEqual(sorted(os.listdir(made)), sorted(os.listdir(os.path.join(TESTDATA, "sysfs"))))
        for name in os.listdir(made):
            self.assertEqual(read(os.path.join(made, name)), read(os.path.join(TESTDATA, "sysfs", name)), name)
