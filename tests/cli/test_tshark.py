# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The printed form of times and fields is tshark's."""
import functools
import os
import re

from cli import CliTest, NANO, RPING, TESTDATA, TUNNELS, needs
from tshark import tshark

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
LIST = ["_ws.col.Source", "_ws.col.Destination", "frame.time", "_ws.col.Time"]
NFS3 = os.path.join(TESTDATA, "roce-nfs3-long.pcap")
SLL = os.path.join(TESTDATA, "sll.pcap")
# in one pass tshark does not show all headers of this one
IWARP = os.path.join(TESTDATA, "iwarp-nfs3-snap140.pcap")
# capture, form of times, time zone
CAPTURES = ((RPING, "r", "UTC"), (IPV6, "dd", "UTC"), (TUNNELS, "ad", "UTC"), (RPC, "e", "UTC"), (VLAN, "d", "UTC"), (NANO, "a", "XYZ-5:30"),
            (SYNDROMES, "u", "UTC"), (SLL, "r", "UTC"), (NFS3, "r", "UTC"), (IWARP, "r", "UTC"))
# tshark's columns with a time in each of its forms
TIMES = {"a": "%At", "ad": "%Yt", "d": "%Tt", "dd": "%Gt", "e": "%t", "r": "%Rt", "u": "%Aut", "ud": "%Yut"}
TIME_COLUMNS = ["-t", "e", "-o", "gui.column.format:" + ",".join('"%s","%s"' % form for form in TIMES.items()), "-T", "tabs"]


def fields(names):
    return ["-T", "fields"] + [part for name in names for part in ("-e", name)]


def spelled(cell):
    """Booleans are 1 and 0 in tshark 4.0, True and False in 4.4. No other field of COLUMNS has these words."""
    return ",".join({"True": "1", "False": "0"}.get(value, value) for value in cell.split(","))


@functools.cache
def of_tshark(capture, zone="UTC"):
    """The cells of COLUMNS, the first three of LIST, and frame.protocols."""
    names = COLUMNS + LIST[:-1] + ["frame.protocols"]
    return [[spelled(cell) for cell in line.split("\t")] for line in tshark(capture, *fields(names), zone=zone)]


@functools.cache
def times_of_tshark(capture, zone, chosen=()):
    """The cells of each form of times."""
    rows = [[cell.strip() for cell in line.split("\t")] for line in tshark(capture, *TIME_COLUMNS, *chosen, zone=zone)]
    return dict(zip(TIMES, zip(*rows), strict=True))


@needs("tshark")
class Tshark(CliTest):
    def test_fields_and_columns_of_the_packet_list_are_printed_the_same(self):
        """tshark 4.0 has _ws.col.Source, 4.2 def_src. It names the sender of a CM REQ by the LID in the REQ, and marks GIDs."""
        same = 0
        for capture, form, zone in CAPTURES:
            for threads in ("1", "2"):
                ours = self.lines("-r", capture, "-t", form, "--threads", threads, *fields(COLUMNS + LIST), env={"TZ": zone})
                for mine, theirs, time in zip(ours, of_tshark(capture, zone), times_of_tshark(capture, zone)[form], strict=True):
                    mine, theirs = dict(zip(COLUMNS + LIST, mine.split("\t"), strict=True)), dict(zip(COLUMNS + LIST, theirs[:-1] + [time], strict=True))
                    for name in LIST[:2]:
                        theirs[name] = theirs[name].removeprefix("LID: ").removeprefix("GID: ")
                    if theirs[LIST[0]].isdigit() and not mine[LIST[0]].isdigit():
                        theirs[LIST[0]] = mine[LIST[0]]
                    compared = LIST if capture == IWARP else COLUMNS + LIST
                    self.assertEqual([mine[name] for name in compared], [theirs[name] for name in compared], (capture, form))
                    same += 1
        self.assertGreater(same, 500)

    def test_options_of_fields_do_the_same(self):
        for options in (["occurrence=f", "separator=,"], ["occurrence=l", "quote=s"], ["occurrence=a", "aggregator=/s", "header=y"],
                        ["aggregator=;"], ["header=y", "separator=|", "quote=d", "occurrence=l"]):
            extra = [part for option in options for part in ("-E", option)]
            for capture in (TUNNELS, os.path.join(TESTDATA, "rpcrdma-headers.pcap")):
                self.assertEqual(self.lines("-r", capture, "-T", "fields", *SUBJECTS, *extra),
                                 tshark(capture, "-T", "fields", *SUBJECTS, *extra), (capture, options))

    def test_times_are_the_same_to_the_last_digit(self):
        for capture, zone, chosen in ((RPING, "UTC", ()), (RPING, "UTC", ("-Y", "infiniband.bth.a == 1")), (NANO, "XYZ-5:30", ())):
            for form, times in times_of_tshark(capture, zone, chosen).items():
                words = 2 if form in ("ad", "ud") else 1
                ours = [" ".join(line.split()[1:1 + words])
                        for line in self.lines("-r", capture, "-t", form, *chosen, env={"TZ": zone})]
                self.assertEqual(ours, list(times), (capture, form, zone, chosen))
                self.assertTrue(ours)

    def test_columns_are_no_fields_of_filters(self):
        for name in ("_ws.col.info", "_ws.col.Protocol"):
            self.bad("is a column for -e, not a field", "-r", RPING, "-Y", name + ' == "x"')

    def test_lists_of_protocols_have_the_same_words(self):
        """Up to the transport in all frames; above it where tshark does not guess by the payload's content."""
        same = above = 0
        for capture in (RPING, TUNNELS, IPV6, VLAN, SLL, NFS3, *(os.path.join(TESTDATA, name) for name in (
                "null.pcap", "raw.pcap", "raw-ipv4.pcap", "mac-control.pcap", "mad-attributes.pcap", "iwarp-rping-v4.pcap"))):
            ours = self.lines("-r", capture, "-T", "fields", "-e", "frame.protocols")
            for mine, theirs in zip(ours, (cells[-1] for cells in of_tshark(capture)), strict=True):
                # two service tags are an 802.1ah tag to tshark
                mine = re.sub(r"(ieee8021ad:ethertype:)+", r"\1", mine)
                cut = [re.split(r"(?<=:infiniband)|(?<=:tcp)", words, 1) for words in (mine, theirs)]
                self.assertEqual(cut[0][0], cut[1][0], capture)
                same += 1
                if re.search(r":(nfs|nfsacl|portmap|mount|nlm|iwarp_ddp_rdmap)$", theirs):
                    self.assertIn(cut[0][1], (cut[1][1], cut[1][1] + ":data", cut[1][1].replace(":rpcordma", "")), capture)
                    above += 1
        self.assertGreater(same, 600)
        self.assertGreater(above, 40)

    def test_protocol_is_the_highest(self):
        """By tshark's list of the layers of a frame. In tshark a NULL call has no layer above RPC, and private data of CM has none."""
        highest = [row[-1].split(":")[-1] for row in of_tshark(NFS3)]
        ours = self.lines("-r", NFS3, "-T", "fields", "-e", "_ws.col.protocol")
        pairs = [pair for pair in zip(ours, highest, strict=True) if pair[1] not in ("rpc", "data") and pair[0] != "rpcordma_private"]
        self.assertGreater(len(pairs), 10)
        for mine, theirs in pairs:
            self.assertEqual(mine, theirs)
