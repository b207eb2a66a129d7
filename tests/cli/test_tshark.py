# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The printed form of times and fields is tshark's."""
import functools
import os
import subprocess

from cli import CliTest, NANO, RPING, TESTDATA, TUNNELS, environment, needs

IPV6 = os.path.join(TESTDATA, "roce-rping-v6.pcap")
RPC = os.path.join(TESTDATA, "rpcrdma-rpc.pcap")
SYNDROMES = os.path.join(TESTDATA, "roce-v2-syndromes.pcap")
VLAN = os.path.join(TESTDATA, "vlan.pcap")
COLUMNS = """
frame.number frame.len frame.cap_len frame.time_epoch frame.time_relative frame.time_delta
eth.dst eth.src eth.addr eth.type vlan.id vlan.priority vlan.dei vlan.etype
ip.version ip.hdr_len ip.dsfield ip.dsfield.dscp ip.dsfield.ecn ip.len ip.id ip.flags ip.flags.df ip.flags.mf ip.frag_offset ip.ttl
ip.proto ip.checksum ip.src ip.dst ip.addr ipv6.tclass ipv6.flow ipv6.plen ipv6.nxt ipv6.hlim ipv6.src ipv6.dst ipv6.addr
udp.srcport udp.dstport udp.port udp.length udp.checksum vxlan.vni
infiniband.bth.opcode infiniband.bth.se infiniband.bth.m infiniband.bth.padcnt infiniband.bth.tver infiniband.bth.p_key
infiniband.bth.destqp infiniband.bth.a infiniband.bth.reserved7 infiniband.bth.psn infiniband.deth.q_key infiniband.deth.srcqp
infiniband.reth.va infiniband.reth.r_key infiniband.reth.dmalen infiniband.aeth.syndrome infiniband.aeth.syndrome.opcode
infiniband.aeth.syndrome.credit_count infiniband.aeth.syndrome.timer infiniband.aeth.syndrome.error_code infiniband.aeth.msn
infiniband.invariant.crc rpcordma.xid rpcordma.version rpcordma.flow_control rpcordma.msg_type rpcordma.reads_count
rpcordma.writes_count rpcordma.reply_count rpcordma.position rpcordma.rdma_handle rpcordma.rdma_length rpcordma.rdma_offset
""".split()
# groups of related names, requested one after another with each -E
SUBJECTS = [part for name in ("frame.number", "ip.src", "ip.addr", "eth.addr", "udp.port", "arp.opcode", "rpcordma.rdma_handle",
                              "infiniband.bth.destqp") for part in ("-e", name)]


@functools.cache  # a start takes a fifth of a second
def tshark(*arguments, zone="UTC"):
    return subprocess.run(("tshark", "-n") + arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment(TZ=zone), check=True).stdout.decode().splitlines()


@needs("tshark")
class Tshark(CliTest):
    def test_fields_are_printed_the_same(self):
        for capture in (RPING, IPV6, TUNNELS, RPC, SYNDROMES, VLAN, NANO):
            options = ["-T", "fields"] + [part for name in COLUMNS for part in ("-e", name)]
            for ours, theirs in zip(self.lines("-r", capture, *options), tshark("-r", capture, *options), strict=True):
                self.assertEqual(list(zip(COLUMNS, ours.split("\t"))), list(zip(COLUMNS, theirs.split("\t"))), capture)

    def test_options_of_fields_do_the_same(self):
        for options in (["occurrence=f"], ["occurrence=l"], ["occurrence=a"], ["aggregator=/s"], ["aggregator=;"], ["separator=,"],
                        ["quote=s"], ["header=y"],
                        ["header=y", "separator=|", "quote=d", "occurrence=l"]):
            extra = [part for option in options for part in ("-E", option)]
            for capture in (TUNNELS, os.path.join(TESTDATA, "rpcrdma-headers.pcap")):
                self.assertEqual(self.lines("-r", capture, "-T", "fields", *SUBJECTS, *extra),
                                 tshark("-r", capture, "-T", "fields", *SUBJECTS, *extra), (capture, options))

    def test_times_are_the_same_to_the_last_digit(self):
        for capture, zone, forms, chosen in (
                (RPING, "UTC", ("a", "ad", "d", "dd", "e", "r", "u", "ud"), ()),
                (RPING, "UTC", ("d", "dd", "r"), ("-Y", "infiniband.bth.a == 1")),
                (NANO, "UTC", ("ad", "d", "e"), ()),
                (NANO, "XYZ-5:30", ("a", "ad", "u", "ud"), ())):
            for form in forms:
                theirs = tshark("-r", capture, "-t", form, "-T", "fields", "-e", "_ws.col.Time", *chosen, zone=zone)
                words = 2 if form in ("ad", "ud") else 1
                ours = [" ".join(line.split()[1:1 + words])
                        for line in self.lines("-r", capture, "-t", form, *chosen, env={"TZ": zone})]
                self.assertTrue(theirs)
                self.assertEqual(ours, theirs, (capture, form, zone, chosen))

    def test_columns_of_the_packet_list_are_the_same(self):
        """tshark 4.0 has _ws.col.Source, 4.2 def_src. It names the sender of a CM REQ by the LID in the REQ, and marks GIDs."""
        same = 0
        names = ("_ws.col.Source", "_ws.col.Destination", "frame.time", "_ws.col.Time")
        options = ["-T", "fields"] + [part for name in names for part in ("-e", name)]
        for capture, form, zone in ((RPING, "r", "UTC"), (IPV6, "dd", "UTC"), (TUNNELS, "ad", "UTC"), (RPC, "e", "UTC"), (VLAN, "d", "UTC"),
                                    (NANO, "a", "XYZ-5:30"),
                                    (os.path.join(TESTDATA, "iwarp-nfs3-snap140.pcap"), "r", "UTC"),
                                    (os.path.join(TESTDATA, "roce-nfs3-long.pcap"), "r", "UTC"), (os.path.join(TESTDATA, "sll.pcap"), "r", "UTC")):
            for threads in ("1", "2"):
                ours = self.lines("-r", capture, "-t", form, "--threads", threads, *options, env={"TZ": zone})
                for mine, theirs in zip(ours, tshark("-r", capture, "-t", form, *options, zone=zone), strict=True):
                    mine, theirs = mine.split("\t"), [value.removeprefix("LID: ").removeprefix("GID: ") for value in theirs.split("\t")]
                    if theirs[0].isdigit() and not mine[0].isdigit():
                        theirs[0] = mine[0]
                    self.assertEqual(mine, theirs, (capture, form))
                    same += 1
        self.assertGreater(same, 500)

    def test_columns_are_no_fields_of_filters(self):
        for name in ("_ws.col.info", "_ws.col.Protocol"):
            self.bad("is a column for -e, not a field", "-r", RPING, "-Y", name + ' == "x"')

    def test_protocol_is_the_highest(self):
        """By tshark's list of the layers of a frame. In tshark a NULL call has no layer above RPC, and private data of CM has none."""
        capture = os.path.join(TESTDATA, "roce-nfs3-long.pcap")
        highest = [line.split(":")[-1] for line in tshark("-r", capture, "-T", "fields", "-e", "frame.protocols")]
        ours = self.lines("-r", capture, "-T", "fields", "-e", "_ws.col.protocol")
        pairs = [pair for pair in zip(ours, highest, strict=True) if pair[1] not in ("rpc", "data") and pair[0] != "rpcordma_private"]
        self.assertGreater(len(pairs), 10)
        for mine, theirs in pairs:
            self.assertEqual(mine, theirs)
