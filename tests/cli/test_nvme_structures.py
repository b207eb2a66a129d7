# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Data structures of NVMe: values at the offsets in the specifications, in any division into packets; and those of real traffic
against tshark."""
import collections
import json
import os
import random
import re
import struct
import subprocess

import nvme
from cli import CliTest, TESTDATA, PROGRAM, needs
from conversation import Connection, Scene
import iwarp_scene

REAL = os.path.join(TESTDATA, "roce-nvmeof.pcap.gz")
CTRL, NS, LOG = "nvme.cmd.identify.ctrl.", "nvme.cmd.identify.ns.", "nvme.cmd.get_logpage."
GET_LOG, SET_FEATURES, GET_FEATURES = 0x02, 0x09, 0x0a
COPY, REGISTER, REPORT = 0x19, 0x0d, 0x0e


def roce(queue):
    scene = Scene("nvme", "")
    return scene, nvme.Host(Connection(scene), queue)


def iwarp(queue, **how):
    talk = iwarp_scene.Connection(4420, **how)
    return talk, nvme.Host(talk, queue)


def wires(queue):
    """RoCE with packets of 256 bytes, iWARP with one FPDU per segment, or FPDUs not aligned with segments."""
    return [roce(queue), iwarp(queue), iwarp(queue, crc=True, segment=700, together=1000)]


class Structures(CliTest):
    def shown(self, scene, field):
        """The values of packets with the field; 64-bit numbers are strings."""
        path = self.path("scene.pcap")
        scene.write_capture(path)
        return [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", field)]

    def hold(self, queue, opcode, dwords, data, expected, nsid=0, ways=(("write", 1), ("write", 3))):
        """expected: {field: value} of the last packet of the data, over each transport."""
        for how, parts in ways:
            for scene, host in wires(queue):
                scene.put(*host.connect())
                scene.put(*host.admin(opcode, dwords, data, nsid, how, parts))
                rows = self.shown(scene, next(iter(expected)))
                self.scene = scene
                self.assertEqual(len(rows), 1, (how, parts, type(host.talk)))
                self.assertEqual({field: rows[0].get(field) for field in expected}, expected)

    def identify(self, cns, data, expected, csi=0):
        self.hold(nvme.ADMIN, nvme.IDENTIFY, (cns, csi << 24, 0, 0, 0, 0), data, expected)

    def log(self, page, data, expected, offset=0):
        self.hold(nvme.ADMIN, GET_LOG, (page | (len(data) // 4 - 1) << 16, 0, offset, 0, 0, 0), data, expected)


class Identify(Structures):
    def test_controller(self):
        """Base 2.0, figure 275."""
        rand = random.Random(1)
        data = bytearray(rand.randbytes(4096))
        data[4:24], data[24:64], data[64:72] = b"S/N 0123456789abcdef", b"Model \xe2\x82\xac".ljust(40), b"1.0     "
        data[263] = 2  # three power states
        data[768:1024] = b"nqn.2026-01.org.example:x".ljust(256, b"\0")
        word = lambda at, size: int.from_bytes(data[at:at + size], "little")
        expected = {CTRL + "vid": word(0, 2), CTRL + "sn": "S/N 0123456789abcdef", CTRL + "fr": data[64:72].hex(), CTRL + "ieee": word(73, 3),
                    CTRL + "mdts": data[77], CTRL + "cntlid": word(78, 2), CTRL + "ver.mjr": word(82, 2), CTRL + "ver.min": data[81],
                    CTRL + "rtd3r": word(84, 4), CTRL + "oaes.disc": data[95] >> 7 == 1, CTRL + "ctratt.tbkas": bool(data[96] & 64),
                    CTRL + "rrls.rrls9": bool(data[101] & 2), CTRL + "cntrltype": data[111], CTRL + "crdt3": word(132, 2),
                    CTRL + "oacs.vm": bool(data[256] & 128), CTRL + "frmw.fsn": data[260] >> 1 & 7, CTRL + "lpa": data[261],
                    CTRL + "cctemp": word(268, 2), CTRL + "tnvmcap": data[280:296].hex(), CTRL + "rpmbs.au": data[312] >> 3 & 7,
                    CTRL + "kas": word(320, 2), CTRL + "sanicap.nodmmas": data[331] >> 6, CTRL + "anacap.csr": bool(data[343] & 16),
                    CTRL + "anagrpmax": word(344, 4), CTRL + "sqes.maxs": data[512] >> 4, CTRL + "maxcmd": word(514, 2), CTRL + "nn": word(516, 4),
                    CTRL + "oncs.copy": bool(data[521] & 1), CTRL + "vwc.cfb": data[525] >> 1 & 3, CTRL + "sgls.offs": bool(data[538] & 16),
                    CTRL + "mnan": word(540, 4), CTRL + "subnqn": "nqn.2026-01.org.example:x", CTRL + "nvmeof.ioccsz": word(1792, 4),
                    CTRL + "nvmeof.icdoff": word(1800, 2), CTRL + "nvmeof.msdbd": data[1803], CTRL + "nvmeof.dctype": data[1806],
                    CTRL + "psds.psd.mp": [word(2048 + 32 * i, 2) for i in range(3)],
                    CTRL + "psds.psd.exlat": [word(2056 + 32 * i, 4) for i in range(3)],
                    CTRL + "psds.psd.aps": [data[2070 + 32 * i] >> 6 for i in range(3)]}
        self.identify(1, bytes(data), expected)

    def test_namespace(self):
        """NVM 1.0, figure 97."""
        data = bytearray(random.Random(2).randbytes(4096))
        data[25] = 4
        formats = [data[128 + 4 * i:132 + 4 * i] for i in range(5)]
        expected = {NS + "nsze": str(int.from_bytes(data[0:8], "little")), NS + "nlbaf": 4, NS + "flbas": data[26],
                    NS + "flbas.high": data[26] >> 5 & 3, NS + "dps.type": data[29] & 7, NS + "nmic.shared": bool(data[30] & 1),
                    NS + "rescap.earo": bool(data[31] & 16), NS + "noiob": int.from_bytes(data[46:48], "little"),
                    NS + "anagrpid": int.from_bytes(data[92:96], "little"), NS + "nguid": data[104:120].hex(), NS + "eui64": data[120:128].hex(),
                    NS + "lbaf.ms": [int.from_bytes(f[:2], "little") for f in formats], NS + "lbaf.lbads": [f[2] for f in formats],
                    NS + "lbaf.rp": [f[3] & 3 for f in formats]}
        for cns in (0x00, 0x09, 0x11):
            self.identify(cns, bytes(data), expected)

    def test_lists(self):
        names = [7, 8, 0x10000]
        self.identify(2, struct.pack("<3I", *names).ljust(4096, b"\0"), {"nvme.cmd.identify.nslist.nsid": names})
        self.identify(0x13, struct.pack("<4H", 3, 1, 2, 9).ljust(4096, b"\0"),
                      {"nvme.cmd.identify.ctrllist.count": 3, "nvme.cmd.identify.ctrllist.cntlid": [1, 2, 9]})
        self.identify(6, struct.pack("<BBBBIQ", 1, 2, 3, 4, 5, 6).ljust(4096, b"\0"),
                      {"nvme.cmd.identify.ctrl_nvm.vsl": 1, "nvme.cmd.identify.ctrl_nvm.dmrl": 4, "nvme.cmd.identify.ctrl_nvm.dmrsl": 5})

    def test_lists_with_a_header(self):
        """Base 2.0, 5.17.2.4, .15 and .17 to .19, .21; NVM 1.0, 4.1.5.5."""
        name, number = "nvme.cmd.identify.", lambda value: value.to_bytes(16, "little")
        nvm_set = lambda i: struct.pack("<HH4xII16s16s80x", i, 7, 800 + i, 4096, number(1 << 70 | i), number(i))
        self.identify(4, (bytes((2,)).ljust(128, b"\0") + nvm_set(1) + nvm_set(5)).ljust(4096, b"\0"), {
            name + "nvmset.nid": 2, name + "nvmset.entry.nvmsetid": [1, 5], name + "nvmset.entry.endgid": [7, 7], name + "nvmset.entry.rr4kt": [801, 805],
            name + "nvmset.entry.ows": [4096] * 2, name + "nvmset.entry.tnvmsetcap": [number(1 << 70 | i).hex() for i in (1, 5)],
            name + "nvmset.entry.unvmsetcap": [number(i).hex() for i in (1, 5)]})
        secondary = lambda i: struct.pack("<HHB3xHHH18x", i, 1, i & 1, i + 2, i + 3, i + 4)
        self.identify(0x15, (bytes((2,)).ljust(32, b"\0") + secondary(3) + secondary(4)).ljust(4096, b"\0"), {
            name + "secondary.num": 2, name + "secondary.entry.scid": [3, 4], name + "secondary.entry.pcid": [1, 1], name + "secondary.entry.scs": [1, 0],
            name + "secondary.entry.vfn": [5, 6], name + "secondary.entry.nvq": [6, 7], name + "secondary.entry.nvi": [7, 8]})
        self.identify(0x16, (struct.pack("<IB27x", 1, 1) + struct.pack("<4Q", 1 << 30, 1 << 31, 1 << 32, 1 << 33)).ljust(4096, b"\0"), {
            name + "granularity.nga.gdm": True, name + "granularity.nod": 1, name + "granularity.entry.nszg": [str(1 << 30), str(1 << 32)],
            name + "granularity.entry.ncapg": [str(1 << 31), str(1 << 33)]})
        uuid = lambda i: struct.pack("<B15x16s", i, bytes(range(i, i + 16)))
        self.identify(0x17, (bytes(32) + uuid(1) + uuid(2)).ljust(4096, b"\0"), {
            name + "uuid.entry.assoc": [1, 2], name + "uuid.entry.uuid": [bytes(range(i, i + 16)).hex() for i in (1, 2)]})
        domain = lambda i: struct.pack("<H14x16s16s16s64x", i, number(i << 40), number(i << 20), number(i << 30))
        self.identify(0x18, (bytes((1,)).ljust(128, b"\0") + domain(9)).ljust(4096, b"\0"), {
            name + "domain.nde": 1, name + "domain.entry.id": [9], name + "domain.entry.dcap": [number(9 << 40).hex()],
            name + "domain.entry.udcap": [number(9 << 20).hex()], name + "domain.entry.megdc": [number(9 << 30).hex()]})
        self.identify(0x19, struct.pack("<3H", 2, 3, 8).ljust(4096, b"\0"), {name + "endgrp.nid": 2, name + "endgrp.endgid": [3, 8]})
        self.identify(0x1c, struct.pack("<2Q", 1, 5).ljust(4096, b"\0"), {
            name + "iocs.iocsc.nvm": [True, True], name + "iocs.iocsc.kv": [False, False], name + "iocs.iocsc.zns": [False, True]})

    def test_primary_controller_and_independent_namespace(self):
        """Base 2.0, 5.17.2.14 and 5.17.2.8."""
        data = bytearray(random.Random(11).randbytes(4096))
        word = lambda at, size: int.from_bytes(data[at:at + size], "little")
        name = "nvme.cmd.identify.primary."
        self.identify(0x14, bytes(data), {
            name + "cntlid": word(0, 2), name + "portid": word(2, 2), name + "crt.vq": bool(data[4] & 1), name + "crt.vi": bool(data[4] & 2),
            name + "vqfrt": word(32, 4), name + "vqrfa": word(36, 4), name + "vqrfap": word(40, 2), name + "vqprt": word(42, 2),
            name + "vqfrsm": word(44, 2), name + "vqgran": word(46, 2), name + "vifrt": word(64, 4), name + "virfa": word(68, 4),
            name + "virfap": word(72, 2), name + "viprt": word(74, 2), name + "vifrsm": word(76, 2), name + "vigran": word(78, 2)})
        name = "nvme.cmd.identify.ns_independent."
        self.identify(8, bytes(data), {
            name + "nsfeat.uidreuse": bool(data[0] & 8), name + "nsfeat.rmedia": bool(data[0] & 16), name + "nmic.shared": bool(data[1] & 1),
            name + "rescap.ptpl": bool(data[2] & 1), name + "rescap.iekey": bool(data[2] & 128), name + "fpi.remaining": data[3] & 127,
            name + "anagrpid": word(4, 4), name + "nsattr.wp": bool(data[8] & 1), name + "nvmsetid": word(10, 2), name + "endgid": word(12, 2),
            name + "nstat.nrdy": bool(data[14] & 1)})

    def test_structures_of_command_sets(self):
        """NVM 1.0, 4.1.5.3; ZNS 1.1, 4.1.5.1 and 4.1.5.2. Formats after the last that is not zero do not exist."""
        name = "nvme.cmd.identify.ns_nvm."
        formats = struct.pack("<3I", 16 | 0 << 7, 0, 64 | 2 << 7)
        self.identify(5, (struct.pack("<QB3x", 0xffff0000, 3) + formats).ljust(4096, b"\0"), {
            name + "lbstm": "0x00000000ffff0000", name + "pic.pifs16": True, name + "pic.stcfs16": True, name + "elbaf.sts": [16, 0, 64],
            name + "elbaf.pif": [0, 0, 2]})
        self.identify(5, struct.pack("<QB3x", 7, 0).ljust(4096, b"\0"), {name + "lbstm": "0x0000000000000007", name + "elbaf.sts": None})
        data = bytearray(random.Random(12).randbytes(2816)) + struct.pack("<QB7x", 0, 0) + struct.pack("<QB7x", 0x80000, 4) + bytes(4096 - 2848)
        word = lambda at, size: int.from_bytes(data[at:at + size], "little")
        name = "nvme.cmd.identify.ns_zns."
        self.identify(5, bytes(data), {
            name + "zoc.vzc": bool(data[0] & 1), name + "zoc.zae": bool(data[0] & 2), name + "ozcs.razb": bool(data[2] & 1), name + "mar": word(4, 4),
            name + "mor": word(8, 4), name + "rrl": word(12, 4), name + "frl": word(16, 4), name + "rrl3": word(28, 4), name + "frl3": word(40, 4),
            name + "numzrwa": word(44, 4), name + "zrwafg": word(48, 2), name + "zrwas": word(50, 2), name + "zrwacap.expflush": bool(data[52] & 1),
            name + "lbafe.zsze": ["0", str(0x80000)], name + "lbafe.zdes": [0, 4]}, csi=2)
        self.identify(6, bytes((5,)).ljust(4096, b"\0"), {"nvme.cmd.identify.ctrl_zns.zasl": 5}, csi=2)

    def test_descriptors(self):
        """Base 2.0, figure 277; a type without a layout and a wrong length are skipped."""
        rows = ((1, bytes(range(8))), (2, bytes(range(16))), (3, bytes(range(16, 32))), (9, b"12345"), (4, b"\2"), (1, b"123"))
        data = b"".join(struct.pack("<BBH", kind, len(name), 0) + name for kind, name in rows)
        self.identify(3, data.ljust(4096, b"\0"), {
            "nvme.cmd.identify.nsdesc.nidt": [1, 2, 3, 9, 4, 1], "nvme.cmd.identify.nsdesc.eui64": ["00:01:02:03:04:05:06:07"],
            "nvme.cmd.identify.nsdesc.nguid": [bytes(range(16)).hex()], "nvme.cmd.identify.nsdesc.uuid": [bytes(range(16, 32)).hex()],
            "nvme.cmd.identify.nsdesc.csi": ["02"]})


class Logs(Structures):
    def test_discovery(self):
        """Base 2.0, figure 264; entries beyond the first page are read from an offset."""
        entry = lambda i: struct.pack("<BBBBHHH22x32s192x256s256s", 1, 1, 2, 4 | i, i, 0xffff, 128, b"4420", b"nqn.%d" % i, b"10.0.0.%d" % i) + \
            struct.pack("<BBB5xH246x", 1, 5, 1, 0x8001)
        record = LOG + "identify.rcrd."
        entries = {record + "portid": [1, 2], record + "treq.secch": [1, 2], record + "treq.sqfc": [True, True], record + "cntlid": [0xffff] * 2,
                   record + "asqsz": [128] * 2, record + "trsvcid": ["4420"] * 2, record + "subnqn": ["nqn.1", "nqn.2"],
                   record + "traddr": ["10.0.0.1", "10.0.0.2"], record + "tsas.rdma_prtype": [5, 5], record + "tsas.rdma_pkey": [0x8001] * 2}
        head = struct.pack("<QQH", 5, 2, 0).ljust(1024, b"\0")
        self.log(0x70, head + entry(1) + entry(2), dict({LOG + "identify.genctr": "5", LOG + "identify.numrec": "2"}, **entries))
        self.log(0x70, entry(1) + entry(2), entries, offset=1024)
        self.log(0x70, head[:8], {LOG + "identify.genctr": "5"})

    def test_health(self):
        """Base 2.0, figure 207."""
        data = bytearray(random.Random(3).randbytes(512))
        word = lambda at, size: int.from_bytes(data[at:at + size], "little")
        smart = LOG + "smart."
        self.log(2, bytes(data), {smart + "ct": word(1, 2), smart + "asc": data[3], smart + "lae": data[5], smart + "cw.ro": bool(data[0] & 8),
                                  smart + "dur": data[32:48].hex(), smart + "us": data[144:160].hex(), smart + "mie": data[160:176].hex(),
                                  smart + "wctt": word(192, 4), smart + "ts.s8": word(214, 2), smart + "tmt2t": word(228, 4)})

    def test_errors_firmware_and_changes(self):
        row = lambda i: struct.pack("<QHHHHQIBB2xQH22x", i, 1, 0x1f, 0x4005, 3 << 8 | 40, 1000 + i, 1, 0, 1, 77, 88)
        self.log(1, (row(9) + row(8)).ljust(256, b"\0"), {
            LOG + "errinf.errcnt": ["9", "8"], LOG + "errinf.sf.ptag": [1, 1], LOG + "errinf.pel.bytee": [40, 40], LOG + "errinf.pel.bite": [3, 3],
            LOG + "errinf.lba": ["0x%016x" % lba for lba in (1009, 1008)], LOG + "errinf.trype": [1, 1]})
        self.log(3, bytes([0x21]) + bytes(7) + b"FW-1    FW-2\0\0\0\0".ljust(504, b"\0"), {
            LOG + "fw_slot.afi.afs": 1, LOG + "fw_slot.afi.nfs": 2, LOG + "fw_slot.frs.s1": "FW-1    ", LOG + "fw_slot.frs.s2": "FW-2"})
        self.log(4, struct.pack("<2I", 3, 4).ljust(4096, b"\0"), {LOG + "changed_nslist": [3, 4]})

    def test_commands_supported(self):
        data = bytearray(4096)
        data[4 * 6:4 * 6 + 4] = struct.pack("<I", 1)                     # Identify
        data[1024 + 4:1024 + 8] = struct.pack("<I", 3 | 1 << 16 | 5 << 20) # Write
        self.log(5, bytes(data), {LOG + "cmd_and_eff.admin": [6], LOG + "cmd_and_eff.io": [1], LOG + "cmd_and_eff.cseds.lbcc": [False, True],
                                  LOG + "cmd_and_eff.cseds.cse": [0, 1], LOG + "cmd_and_eff.cseds.csp": [0, 5]})

    def test_asymmetric_access(self):
        """Base 2.0, figure 218: groups of different lengths."""
        group = lambda number, state, *names: struct.pack("<IIQB15x", number, len(names), 9, state) + struct.pack("<%dI" % len(names), *names)
        data = struct.pack("<QH6x", 9, 3) + group(1, 1, 5, 6) + group(2, 15) + group(3, 3, 7)
        self.log(0x0c, data.ljust(512, b"\0"), {
            LOG + "ana.chcnt": "9", LOG + "ana.ngd": 3, LOG + "ana.grp.id": [1, 2, 3], LOG + "ana.grp.anas.state": [1, 15, 3],
            LOG + "ana.grp.nsid": [5, 6, 7]})

    def test_device_self_test(self):
        """Base 2.0, 5.16.1.7: the results that there are, newest first."""
        row = lambda i: struct.pack("<BBBxQIQBBH", i << 4 | i + 5, i, 8 | i, 1000 + i, i, 0x1234 + i, i, 0x81, 0xabcd)
        result = LOG + "selftest.res."
        self.log(6, bytes((2, 55, 0, 0)) + row(1) + row(2), {
            LOG + "selftest.csto.st": 2, LOG + "selftest.cstc.pcnt": 55, result + "status.type": [1, 2], result + "status.result": [6, 7],
            result + "sn": [1, 2], result + "vdi.sc": [True, True], result + "vdi.nsid": [True, False], result + "poh": ["1001", "1002"],
            result + "nsid": [1, 2], result + "flba": ["0x%016x" % lba for lba in (0x1235, 0x1236)], result + "sct.ai": [1, 2],
            result + "sc": [0x81, 0x81], result + "vs": [0xabcd, 0xabcd]})

    def test_endurance_group_and_sanitize(self):
        """Base 2.0, 5.16.1.10 and 5.16.1.25."""
        data = bytearray(random.Random(5).randbytes(512))
        word = lambda at, size: int.from_bytes(data[at:at + size], "little")
        group, clean = LOG + "egroup.", LOG + "sanitize."
        self.log(9, bytes(data), {
            group + "cw.ro": bool(data[0] & 8), group + "cw.rd": bool(data[0] & 4), group + "as": data[3], group + "ast": data[4], group + "pu": data[5],
            group + "did": word(6, 2), group + "ee": data[32:48].hex(), group + "muw": data[80:96].hex(), group + "ele": data[144:160].hex(),
            group + "uegcap": data[176:192].hex()})
        self.log(0x81, bytes(data), {
            clean + "sprog": word(0, 2), clean + "sstat.mrst": data[2] & 7, clean + "sstat.cop": data[2] >> 3, clean + "sstat.gde": bool(data[3] & 1),
            clean + "scdw10": word(4, 4), clean + "eto": word(8, 4), clean + "etbe": word(12, 4), clean + "etce": word(16, 4),
            clean + "etond": word(20, 4), clean + "etcend": word(28, 4)})

    def test_predictable_latency(self):
        """Base 2.0, 5.16.1.11, 5.16.1.12 and 5.16.1.15; aggregates end at the first identifier of 0."""
        data = bytearray(random.Random(6).randbytes(512))
        number = lambda at: str(int.from_bytes(data[at:at + 8], "little"))
        page = LOG + "pred_lat."
        self.log(0x0a, bytes(data), {
            page + "status.ws": data[0] & 7, page + "etype": int.from_bytes(data[2:4], "little"), page + "etype.ww": bool(data[2] & 2),
            page + "etype.atve": bool(data[3] & 64), page + "etype.atde": bool(data[3] & 128), page + "dtwin_rt": number(32),
            page + "dtwin_wt": number(40), page + "dtwin_tm": number(48), page + "ndwin_tmh": number(56), page + "ndwin_tml": number(64),
            page + "dtwin_re": number(128), page + "dtwin_we": number(136), page + "dtwin_te": number(144)})
        for number, kind, field in ((0x0b, "pred_lat_aggreg.ne", "pred_lat_aggreg.nset"), (0x0f, "egroup_agreg.ne", "egroup_agreg.eg")):
            self.log(number, struct.pack("<Q3H", 3, 1, 7, 0x200).ljust(64, b"\0"), {LOG + kind: "3", LOG + field: [1, 7, 0x200]})

    def test_telemetry(self):
        """Base 2.0, 5.16.1.9: the header; the blocks are bytes of the vendor."""
        head = struct.pack("<B4x3sHHHxxI361xBBB128s", 8, b"\x01\x02\x03", 4, 5, 6, 0x10007, 9, 1, 10, b"reason".ljust(128, b"!"))
        page = LOG + "telemetry."
        self.log(8, head + bytes(512), {page + "li": 8, page + "ieee": 0x030201, page + "da1b": 4, page + "da3b": 6, page + "da4b": 0x10007,
                                        page + "hdgn": 9, page + "da": 1, page + "dgn": 10})

    def test_persistent_events(self):
        """Base 2.0, 5.16.1.14: events of different lengths, one with a longer header, after the log's header."""
        event = lambda kind, data, more=0: struct.pack("<BBBBHQHIHH", kind, 1, 21 + more, 0, 3, 1_700_000_000_000, 2, 0, 0, len(data)) + bytes(more) + data
        events = event(4, b"x" * 30) + event(2, b"y" * 22, 8) + event(0xde, b"")
        head = struct.pack("<B3xIQBxHQ16sQHH20s40s256sHI", 13, 3, 512 + len(events), 3, 492, 77, bytes(16), 5, 0x1234, 0x5678, b"S/N".ljust(20),
                           b"Model".ljust(40), b"nqn.x", 6, 7).ljust(480, b"\0") + bytes(range(32))
        page = LOG + "persistent."
        self.log(0x0d, (head + events).ljust(1024, b"\0"), {
            page + "tnev": 3, page + "tll": str(512 + len(events)), page + "lhl": 492, page + "pcc": "5", page + "vid": 0x1234, page + "subnqn": "nqn.x",
            page + "gnum": 6, page + "rci": 7, page + "seb": bytes(range(32)).hex(), page + "event.type": [4, 2, 0xde], page + "event.el": [30, 22, 0],
            page + "event.ehl": [21, 29, 21], page + "event.cntlid": [3] * 3, page + "event.ts": ["0x%016x" % 1_700_000_000_000] * 3})

    def test_data_of_persistent_events(self):
        """Base 2.0, 5.16.1.14.1.1 to 5.16.1.14.1.13: each type once, with and without information of the vendor before it."""
        health = bytearray(random.Random(13).randbytes(512))
        entry = lambda i: struct.pack("<HBB12xIQQ", i, 1, 2, 30 + i, 1000 + i, 2000 + i)
        telemetry = struct.pack("<B4x3s", 7, b"\x01\x02\x03").ljust(383, b"\0") + b"\x2a" + b"reason".ljust(128, b"\0")
        data = {
            0x01: bytes(health), 0x02: struct.pack("<8s8sBBBBH", b"old", b"new", 3, 2, 1, 0x0b, 0x1234), 0x03: struct.pack("<QQ", 11, 12),
            0x04: b"FW-1    " + entry(1) + entry(2), 0x05: struct.pack("<HxxI", 8, 0xdeadbeef),
            0x06: struct.pack("<I4xQ8xQBBBxIHHI", 1, 1000, 900, 2, 3, 1, 4, 5, 0, 6), 0x07: struct.pack("<IB3xI", 7, 5, 0x200),
            0x08: struct.pack("<IBBHI", 7, 99, 1, 2, 0x4002), 0x09: struct.pack("<III", 0xa0000003, 0x14, 0x55), 0x0a: struct.pack("<HHHxx", 65535, 0x101, 3),
            0x0b: struct.pack("<I2I8s", 2 | 1 << 3 | 4 << 16, 0x0b, 0x1ff, b"ABCDEFGH"), 0x0c: telemetry, 0x0d: bytes((9, 2)), 0xde: b"vendor's"}
        page = LOG + "persistent.event."
        expected = {
            "health.cw": [health[0]], "health.ct": [health[1] | health[2] << 8], "health.asc": [health[3]], "health.lae": [health[5]],
            "commit.ofr": [b"old".ljust(8, b"\0").hex()], "commit.nfr": [b"new".ljust(8, b"\0").hex()], "commit.fca": [3], "commit.fws": [2],
            "commit.sct": [1], "commit.sc": [0x0b], "commit.vrc": [0x1234], "timestamp.pts": ["0x%016x" % 11], "timestamp.msr": ["12"],
            "reset.fr": [b"FW-1    ".hex()], "reset.cid": [1, 2], "reset.fwact": [1, 1], "reset.opip": [2, 2], "reset.cpc": [31, 32],
            "reset.pom": ["1001", "1002"], "reset.ts": ["0x%016x" % value for value in (2001, 2002)], "hardware.code": [8], "ns.cdw10": [1],
            "ns.nsze": ["1000"], "ns.ncap": ["900"], "ns.flbas": [2], "ns.dps": [3], "ns.nmic": [1], "ns.anagrpid": [4], "ns.nvmsetid": [5],
            "ns.nsid": [6], "format.nsid": [7], "format.fna": [5], "format.cdw10": [0x200], "formatted.nsid": [7], "formatted.sfpi": [99],
            "formatted.status": [1], "formatted.info": [2], "formatted.sf": [0x4002], "sanitize.sanicap": [0xa0000003], "sanitize.cdw10": [0x14],
            "sanitize.cdw11": [0x55], "sanitized.sprog": [65535], "sanitized.sstat": [0x101], "sanitized.info": [3], "feature.dwords": [2],
            "feature.lccd0": [True], "feature.bytes": [4], "feature.dword": [0x0b, 0x1ff], "telemetry.li": [7], "telemetry.ieee": [0x030201],
            "telemetry.dgn": [0x2a], "excursion.over": [9], "excursion.threshold": [2]}
        for vendor in (b"", b"!!!!"):
            events = b"".join(struct.pack("<BBBBHQHIHH", kind, 1, 21, 0, 3, 1, 2, 0, len(vendor), len(vendor) + len(body)) + vendor + body
                              for kind, body in data.items())
            head = struct.pack("<B3xI", 13, len(data)).ljust(512, b"\0")
            whole = head + events + bytes(-(len(head) + len(events)) % 4)
            self.log(0x0d, whole, {page + "type": list(data), **{page + name: value for name, value in expected.items()},
                                   page + "data": None, page + "vsi": None})
            rows = self.shown(self.scene, page + "data == " + b"vendor's".hex(":"))
            self.assertEqual(len(rows), 1)
            more = self.lines("-r", self.path("scene.pcap"), "-T", "fields", "-Y", page + "type", "-e", page + "data", "-e", page + "vsi")
            self.assertEqual(more, ["%s\t%s" % (",".join((struct.pack("<I", 0xdeadbeef).hex(), b"ABCDEFGH".hex(), b"vendor's".hex())),
                                               ",".join([vendor.hex()] * len(data)) if vendor else "")])

    def test_media_units_capacities_and_lockdown(self):
        """Base 2.0, 5.16.1.16, 5.16.1.17 and 5.16.1.20: descriptors of different lengths; numbers beyond the data show what is there."""
        unit = lambda i, *channels: struct.pack("<HHHHHBBBB", i, 1, 2, 3, 90 + i, 80, 4, len(channels), 16 if channels else 0) + \
            (b"\0\0" + struct.pack("<%dH" % len(channels), *channels) if channels else b"")
        page = LOG + "media_unit."
        data = struct.pack("<HHH10x", 3, 8, 1) + unit(1, 5, 6) + unit(2) + unit(3, 7)
        self.log(0x10, data + bytes(-len(data) % 4), {
            page + "nmu": 3, page + "cchans": 8, page + "sconf": 1, page + "unit.muid": [1, 2, 3], page + "unit.did": [1] * 3,
            page + "unit.endgid": [2] * 3, page + "unit.nvmsetid": [3] * 3, page + "unit.caf": [91, 92, 93], page + "unit.as": [80] * 3,
            page + "unit.pu": [4] * 3, page + "unit.mucs": [2, 0, 1], page + "unit.cio": [16, 0, 16], page + "unit.chanid": [5, 6, 7]})
        number = lambda value: value.to_bytes(16, "little")
        channel = lambda i, *units: struct.pack("<HH", i, len(units)) + b"".join(struct.pack("<H4xH", u, 16) for u in units)
        group = lambda i, sets, *channels: struct.pack("<HH12x16s16s16s16xH%dHH" % len(sets), i, 100 + i, number(i << 64), number(2), number(3),
                                                       len(sets), *sets, len(channels)) + b"".join(channels)
        configuration = lambda i, *groups: struct.pack("<HHH26x", i, 4, len(groups)) + b"".join(groups)
        data = b"\2".ljust(16, b"\0") + configuration(1, group(1, (7, 8), channel(1, 2, 3), channel(4)), group(2, ())) + \
            configuration(9, group(3, (5,), channel(6, 7)))
        page = LOG + "capacity."
        expected = {
            page + "sccn": 2, page + "config.id": [1, 9], page + "config.did": [4, 4], page + "config.egcn": [2, 1], page + "endgrp.id": [1, 2, 3],
            page + "endgrp.caf": [101, 102, 103], page + "endgrp.tegcap": [number(i << 64).hex() for i in (1, 2, 3)],
            page + "endgrp.segcap": [number(2).hex()] * 3, page + "endgrp.ee": [number(3).hex()] * 3, page + "endgrp.egsets": [2, 0, 1],
            page + "endgrp.nvmsetid": [7, 8, 5], page + "endgrp.egchans": [2, 0, 1], page + "chan.id": [1, 4, 6], page + "chan.chmus": [2, 0, 1],
            page + "unit.muid": [2, 3, 7], page + "unit.mudl": [16] * 3}
        self.log(0x11, data + bytes(-len(data) % 4), expected)
        self.log(0x11, data[:16 + 32 + 82 + 2], {page + "sccn": 2, page + "config.id": [1], page + "endgrp.nvmsetid": [7], page + "chan.id": None})
        page = LOG + "lockdown."
        self.log(0x14, (bytes((0x12, 0, 0, 3)) + bytes((5, 6, 0xc0))).ljust(512, b"\xff"), {
            page + "cfila.ss": 2, page + "cfila.cs": 1, page + "lngth": 3, page + "cfi": [5, 6, 0xc0]})

    def test_blocks_zones_boot_partitions_and_rotation(self):
        """NVM 1.0, 4.1.4.5; ZNS 1.1, 4.1.5.1; Base 2.0, 5.16.1.21 and 5.16.1.22."""
        ranges = lambda *pairs: b"".join(struct.pack("<QI4x", *pair) for pair in pairs)
        element = LOG + "lba_status.nel.ne."
        data = struct.pack("<IIIxxH", 112, 3, 9, 5) + struct.pack("<IIB7x", 1, 2, 0x10) + ranges((8, 1), (0x1_0000_0000, 2)) + \
            struct.pack("<IIB7x", 2, 0xffffffff, 0x11) + struct.pack("<IIB7x", 3, 1, 0x10) + ranges((99, 4))
        self.log(0x0e, data.ljust(256, b"\0"), {
            LOG + "lba_status.lslplen": 112, LOG + "lba_status.nlslne": 3, LOG + "lba_status.estulb": 9, LOG + "lba_status.lsgc": 5,
            element + "neid": [1, 2, 3], element + "nlrd": [2, 0xffffffff, 1], element + "ratype": [0x10, 0x11, 0x10],
            element + "rd.rslba": ["0x%016x" % lba for lba in (8, 0x1_0000_0000, 99)], element + "rd.rnlb": [1, 2, 4]})
        self.log(0xbf, struct.pack("<H6x2Q", 2, 0x80000, 0x100000).ljust(4096, b"\0"), {
            LOG + "changed_zones.count": 2, LOG + "changed_zones.zid": ["0x%016x" % lba for lba in (0x80000, 0x100000)]})
        self.log(0xbf, struct.pack("<H6x", 0xffff).ljust(4096, b"\0"), {LOG + "changed_zones.count": 0xffff, LOG + "changed_zones.zid": None})
        self.log(0x15, struct.pack("<B3xI8x", 0x15, 1 << 31 | 100).ljust(4096, b"\1"), {LOG + "boot.bpsz": 100, LOG + "boot.abpid": 1})
        self.log(0x16, struct.pack("<HHHxxIIII", 1, 2, 7200, 10, 11, 12, 13).ljust(512, b"\0"), {
            LOG + "rotational.nrs": 7200, LOG + "rotational.numa": 2, LOG + "rotational.spinc": 10, LOG + "rotational.fldc": 13})

    def test_supported_pages_features_and_management(self):
        """Base 2.0, 5.16.1.1, 5.16.1.18 and 5.16.1.19: a dword for each number."""
        table = lambda rows: b"".join(struct.pack("<I", rows.get(i, 0)) for i in range(256))
        self.log(0, table({1: 1, 0x0d: 0xbeef0003}), {
            LOG + "supported.page": [1, 0x0d], LOG + "supported.entry.ios": [False, True], LOG + "supported.entry.specific": [0, 0xbeef]})
        self.log(0x12, table({7: 1, 0x81: 1 | 1 << 19 | 0x123 << 20}), {
            LOG + "feat_and_eff.fid": [7, 0x81], LOG + "feat_and_eff.fids.uss": [False, True], LOG + "feat_and_eff.fids.fsp": [0, 0x123]})
        self.log(0x13, table({2: 1 | 16}), {LOG + "mi_and_eff.opc": [2], LOG + "mi_and_eff.mics.csupp": [True], LOG + "mi_and_eff.mics.ccc": [True]})

    def test_reservation_notification(self):
        """Base 2.0, 5.16.1.24."""
        page = LOG + "reserv_notif."
        self.log(0x80, struct.pack("<QBBxxI48x", 5, 2, 1, 9), {page + "lpc": "0x%016x" % 5, page + "lpt": 2, page + "nalp": 1, page + "nsid": 9})


class Authentication(Structures):
    """In-band authentication: Base 2.0, 6.1, 6.2 and 8.13.5. The sender pads nothing, and so does the receiver, or it fills 4,096 bytes."""
    SEND, RECEIVE, SECURITY = 0x05, 0x06, 0xe9 << 24 | 1 << 16 | 1 << 8
    HEADER = {"nvme.auth.type": 1, "nvme.auth.tid": 0x1234}

    def message(self, name, data, expected):
        """Over RoCE and iWARP: in the capsule, by READ in three parts, and by WRITE with the rest of the memory."""
        own = {"nvme.auth.id": data[1], **expected}
        for fctype, how, parts, rest in ((self.SEND, "capsule", 1, 0), (self.SEND, "read", 3, 0), (self.RECEIVE, "write", 1, 0),
                                         (self.RECEIVE, "write", 2, 4096)):
            for scene, host in wires(nvme.ADMIN):
                body = data.ljust(rest, b"\0")
                scene.put(*host.connect())
                scene.put(*host.admin(0x7f, (self.SECURITY, len(body), 0, 0, 0, 0), body, fctype, how, parts))
                rows = self.shown(scene, "nvme.auth")
                self.assertEqual(len(rows), 1, (name, how, parts))
                self.assertEqual({field: rows[0].get(field) for field in own}, own, (how, parts, rest))
                self.assertIn(name, self.good("-r", self.path("scene.pcap"), "-Y", "nvme.auth").decode())

    @staticmethod
    def start(kind, message):
        return struct.pack("<BBHH", kind, message, 0, 0x1234)

    def test_negotiate(self):
        descriptors = [(bytes((1, 0, len(hashes), len(groups))) + bytes(hashes).ljust(30, b"\0") + bytes(groups)).ljust(64, b"\0")
                       for hashes, groups in (((1, 2, 3), (0, 1, 5)), ((2,), (4,)))]
        self.message("AUTH_Negotiate", self.start(0, 0) + bytes((1, 2)) + b"".join(descriptors),
                     {"nvme.auth.type": 0, "nvme.auth.negotiate.sc_c": 1, "nvme.auth.negotiate.napd": 2, "nvme.auth.negotiate.authid": [1, 1],
                      "nvme.auth.negotiate.halen": [3, 1], "nvme.auth.negotiate.dhlen": [3, 1], "nvme.auth.negotiate.hashid": [1, 2, 3, 2],
                      "nvme.auth.negotiate.dhgid": [0, 1, 5, 4]})

    def test_challenge(self):
        value, key = random.Random(4).randbytes(48), random.Random(5).randbytes(256)
        field = "nvme.auth.challenge."
        self.message("DH-HMAC-CHAP_Challenge", self.start(1, 1) + struct.pack("<BBBBHI", 48, 0, 2, 1, 256, 77) + value + key,
                     {**self.HEADER, field + "hl": 48, field + "hashid": 2, field + "dhgid": 1, field + "dhvlen": 256, field + "seqnum": 77,
                      field + "cval": value.hex(), field + "dhv": key.hex()})

    def test_reply(self):
        response, value, key = (random.Random(seed).randbytes(length) for seed, length in ((6, 32), (7, 32), (8, 384)))
        field = "nvme.auth.reply."
        self.message("DH-HMAC-CHAP_Reply", self.start(1, 2) + struct.pack("<BBBBHI", 32, 0, 1, 0, 384, 78) + response + value + key,
                     {**self.HEADER, field + "hl": 32, field + "cvalid": 1, field + "dhvlen": 384, field + "seqnum": 78, field + "rval": response.hex(),
                      field + "cval": value.hex(), field + "dhv": key.hex()})

    def test_success(self):
        response = random.Random(9).randbytes(64)
        field = "nvme.auth.success1."
        self.message("DH-HMAC-CHAP_Success1", self.start(1, 3) + struct.pack("<BBB7x", 64, 0, 1) + response,
                     {**self.HEADER, field + "hl": 64, field + "rvalid": 1, field + "rval": response.hex()})
        self.message("DH-HMAC-CHAP_Success2", self.start(1, 4) + bytes(10), self.HEADER)

    def test_failures(self):
        for message, name in ((0xf1, "AUTH_Failure1: hash function not usable"), (0xf0, "AUTH_Failure2: hash function not usable")):
            self.message(name, self.start(0, message) + bytes((1, 4)), {"nvme.auth.failure.rescode": 1, "nvme.auth.failure.rescode_exp": 4})

    def test_lengths_beyond_the_message_show_no_values(self):
        data = self.start(1, 2) + struct.pack("<BBBBHI", 255, 0, 1, 0, 65535, 1) + bytes(300)
        self.message("DH-HMAC-CHAP_Reply", data, {"nvme.auth.reply.dhvlen": 65535, "nvme.auth.reply.rval": bytes(255).hex(),
                                                  "nvme.auth.reply.dhv": None})


class Others(Structures):
    def test_ranges_in_the_capsule_and_by_read(self):
        data = nvme.ranges((8, 100), (16, 200))
        expected = {"nvme.cmd.dataset.range.nlb": [100, 200], "nvme.cmd.dataset.range.slba": ["8", "16"]}
        self.hold(nvme.IO, nvme.DSM, (1, 4, 0, 0, 0, 0), data, expected, 1, (("capsule", 1), ("read", 1), ("read", 2)))
        copied = struct.pack("<8xQH6xIHH", 5, 7, 1, 2, 3)
        self.hold(nvme.IO, COPY, (0, 0, 0, 0, 0, 0), copied, {"nvme.cmd.copy.range.slba": ["5"], "nvme.cmd.copy.range.nlb": [7]}, 1,
                  (("capsule", 1), ("read", 1)))

    def test_the_other_formats_of_copy(self):
        """The namespace, options and tags of two source ranges."""
        tags = (b"0123456789", b"abcdefghij")
        field = "nvme.cmd.copy.range."
        rows = {1: [struct.pack("<8xQH8x10sHH", 5 + i, 7, tags[i], 2, 3) for i in range(2)],
                2: [struct.pack("<I4xQH4xHIHH", 9 + i, 5 + i, 7, 1, 0x11 + i, 2, 3) for i in range(2)],
                3: [struct.pack("<I4xQH4xH2x10sHH", 9 + i, 5 + i, 7, 1, tags[i], 2, 3) for i in range(2)]}
        for style, ranges in rows.items():
            expected = {field + "slba": ["5", "6"], field + "nlb": [7, 7], field + "elbat": [2, 2], field + "elbatm": [3, 3],
                        field + "snsid": [9, 10] if style > 1 else None, field + "sopt": [1, 1] if style > 1 else None,
                        field + "eilbrt": [0x11, 0x12] if style == 2 else None, field + "elbt": [t.hex() for t in tags] if style & 1 else None}
            self.hold(nvme.IO, COPY, (0, 0, style << 8 | 1, 0, 0, 0), b"".join(ranges), expected, 1, (("capsule", 1), ("read", 1)))

    def test_reservations(self):
        self.hold(nvme.IO, REGISTER, (0, 0, 0, 0, 0, 0), struct.pack("<QQ", 1, 2), {
            "nvme.cmd.reservation.crkey": "0x0000000000000001", "nvme.cmd.reservation.key": "0x0000000000000002"}, 1, (("capsule", 1), ("read", 1)))
        head = struct.pack("<IBHHB14x", 6, 1, 2, 0, 1)
        plain = head + struct.pack("<HB5xQQ", 1, 1, 0x11, 0x22) + struct.pack("<HB5xQQ", 2, 0, 0x33, 0x44)
        report = "nvme.cmd.reservation_report."
        expected = {report + "gen": 6, report + "regstrnt": 2, report + "reg.cntlid": [1, 2], report + "reg.holds": [True, False],
                    report + "reg.rkey": ["0x0000000000000022", "0x0000000000000044"], report + "reg.hostid": ["1100000000000000", "3300000000000000"]}
        self.hold(nvme.IO, REPORT, (len(plain) // 4 - 1, 0, 0, 0, 0, 0), plain, expected, 1)
        extended = head + bytes(40) + struct.pack("<HB5xQ16s32x", 1, 1, 0x22, b"host-identifier1")
        expected.update({report + "reg.cntlid": [1], report + "reg.holds": [True], report + "reg.rkey": ["0x0000000000000022"],
                         report + "reg.hostid": [b"host-identifier1".hex()]})
        self.hold(nvme.IO, REPORT, (len(extended) // 4 - 1, 1, 0, 0, 0, 0), extended, expected, 1)

    def test_features(self):
        self.hold(nvme.ADMIN, SET_FEATURES, (0x0e, 0, 0, 0, 0, 0), (1_700_000_000_123).to_bytes(6, "little") + b"\2\0",
                  {"nvme.set_features.tst.ms": "0x%016x" % 1_700_000_000_123, "nvme.set_features.tst.origin": 1}, 0, (("capsule", 1), ("read", 1)))
        self.hold(nvme.ADMIN, GET_FEATURES, (0x81, 0, 0, 0, 0, 0), b"12345678", {"nvme.set_features.hid.hostid": b"12345678".hex()})
        self.hold(nvme.ADMIN, GET_FEATURES, (0x0c, 0, 0, 0, 0, 0), struct.pack("<Q", 3 << 3 | 500 << 8).ljust(256, b"\0"),
                  {"nvme.set_features.lbart.apst.itps": ["0x%016x" % 3], "nvme.set_features.lbart.apst.itpt": ["0x%016x" % 500]})

    def test_predictable_latency_mode_and_read_recovery_level(self):
        """Base 2.0, 5.27.1.14 to 5.27.1.16: the NVM set in dword 11, the value in dword 12 and in dword 0 of the response."""
        config = struct.pack("<H30xQQQ456x", 1 << 14 | 5, 100, 200, 300)
        field = "nvme.set_features.plmc."
        self.hold(nvme.ADMIN, SET_FEATURES, (0x13, 7, 1, 0, 0, 0), config, {
            field + "ee": 1 << 14 | 5, field + "ee.dtwinr": True, field + "ee.dtwinw": False, field + "ee.dtwint": True, field + "ee.ndtwindv": True,
            field + "ee.ndtwindde": False, **{field + name: "0x%016x" % value for name, value in
                                              (("dtwinrt", 100), ("dtwinwt", 200), ("dtwintt", 300))}}, 0, (("capsule", 1), ("read", 2)))
        scene, host = roce(nvme.ADMIN)
        scene.put(*host.connect())
        rows = ((SET_FEATURES, 0x12, 3, "rrl.nvmsetid", "rrl.rrl", None), (SET_FEATURES, 0x13, 1, "plmc.nvmsetid", "plmc.ple", None),
                (SET_FEATURES, 0x14, 2, "plmw.nvmsetid", "plmw.ws", None), (GET_FEATURES, 0x12, 0, "rrl.nvmsetid", None, ("rrl.rrl", 9)),
                (GET_FEATURES, 0x13, 0, "plmc.nvmsetid", None, ("plmc.ple", 1)), (GET_FEATURES, 0x14, 0, "plmw.nvmsetid", None, ("plmw.ws", 2)))
        for opcode, feature, value, _, _, result in rows:
            scene.put(*host.send("a", nvme.command(opcode, host.next()[0], dwords=(feature, 0x105, value, 0, 0, 0))))
            scene.put(*host.answer(host.cid, result=result[1] if result else 0))
        commands, answers = self.shown(scene, "nvme.cmd.dword13"), self.shown(scene, "nvme.cqe.cid")[1:]
        self.assertEqual((len(commands), len(answers)), (6, 6))
        for (opcode, feature, value, one, other, result), command, answer in zip(rows, commands, answers):
            name = "nvme.cmd.set_features." if opcode == SET_FEATURES else "nvme.cmd_get_features." if feature == 0x12 else "nvme.cmd.get_features."
            self.assertEqual(command[name + "dword11." + one], 0x105)
            if other:
                self.assertEqual(command[name + "dword12." + other], True if feature == 0x13 else value)
            if result:
                self.assertEqual(answer["nvme.cqe.dword0.get_features." + result[0]], result[1])

    def test_results_of_features(self):
        """Base 2.0, 5.27.1: a feature's bits in dword 0; its capabilities (select 3) are not among them."""
        scene, host = roce(nvme.ADMIN)
        scene.put(*host.connect())
        rows = ((GET_FEATURES, 0x04, 0x150140, "get_features.tt.tmpth", 0x140), (GET_FEATURES, 0x0f, 15000, "get_features.kat.kato", 15000),
                (GET_FEATURES, 0x07, 0x30004, "get_features.nq.ncqa", 3), (SET_FEATURES, 0x07, 0x30004, "set_features.nq.nsqa", 4),
                (GET_FEATURES, 0x304, 0x150140, None, None))
        for opcode, select, result, _, _ in rows:
            scene.put(*host.send("a", nvme.command(opcode, host.next()[0], dwords=(select, 0, 0, 0, 0, 0))))
            scene.put(*host.answer(host.cid, result=result))
        names = ["nvme.cqe.dword0." + row[3] for row in rows if row[3]]
        found = self.shown(scene, "nvme.cqe.cid")[1:]
        self.assertEqual([{k: v for k, v in row.items() if k in names} for row in found],
                         [{"nvme.cqe.dword0." + row[3]: row[4]} if row[3] else {} for row in rows])
        self.assertEqual([row.get("nvme.cqe.dword0") for row in found], [None] * 4 + [0x150140])

    def test_data_that_is_not_whole_is_not_shown(self):
        scene, host = roce(nvme.ADMIN)
        scene.put(*host.connect())
        packets = host.admin(nvme.IDENTIFY, (1, 0, 0, 0, 0, 0), bytes(4096))
        scene.put(*packets[:5], *packets[6:])
        self.assertEqual(self.shown(scene, CTRL + "vid"), [])


# tshark also shows unused elements of these, or another type: LPA has eight bits (Base 2.0, figure 275), the secure channel two, and SQ
# flow control is bit 2 (figure 264).
OTHERWISE = re.compile(r".*(psds\.psd|cmd_and_eff|\.lpa$|treq\.(secch|sqfc)|rsvd)")


class Tshark(CliTest):
    @needs("tshark")
    def test_real_structures(self):
        """tshark dissects each packet of the data, rdmatap the last: the values of all packets of a message are compared."""
        known = {line.split("\t")[2]: line.split("\t")[3] for line in
                 subprocess.run(["tshark", "-G", "fields"], capture_output=True, text=True).stdout.splitlines() if line.startswith("F\t")}
        fields = [name for name in (line.split()[0] for line in self.lines("fields") if line.strip())
                  if name in known and re.match(r"nvme\.cmd\.(identify\.(ctrl|ns)|get_logpage\.(identify|smart|ana|fw|err))", name) and not OTHERWISE.match(name)]
        self.assertGreater(len(fields), 250)
        theirs, ours = self.table("tshark", fields), self.table(PROGRAM, fields)
        firsts = {m["last_frame"]: m["first_frame"] for m in map(json.loads, self.lines("messages", "--json", REAL))}
        compared = 0
        for number, values in ours.items():
            wanted = collections.defaultdict(list)
            for frame in range(firsts[number], number + 1):
                for field, value in theirs.get(frame, {}).items():
                    wanted[field].append(value)
            self.assertEqual({field: ",".join(each) for field, each in wanted.items()}, values, number)
            compared += len(values)
        self.assertGreater(compared, 900)

    @staticmethod
    def table(program, fields):
        chosen = [word for field in fields for word in ("-e", field)]
        out = subprocess.run([program, "-r", REAL, "-T", "fields", "-E", "separator=|", "-e", "frame.number"] + chosen, capture_output=True, text=True).stdout
        rows = {}
        for line in out.splitlines():
            number, *values = line.split("|")
            # tshark 4.4 prints words for booleans
            found = {field: value.replace("True", "1").replace("False", "0") for field, value in zip(fields, values) if value}
            if found:
                rows[int(number)] = found
        return rows

