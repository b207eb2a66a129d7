# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Data of SCSI commands: values at the offsets in SPC and SBC, over SRP and iSER, on RoCE and iWARP."""
import json
import struct

import scsi
from cli import CliTest
from conversation import Connection, Scene
import iwarp_scene

EVPD, MODE = "scsi.inquiry.evpd.", "scsi.mode."


def cdb(opcode, second=0, length=16):
    return bytes([opcode, second]).ljust(length, b"\0")


def wires():
    """SRP with one descriptor and with four, iSER on RoCE, iSER on iWARP with one FPDU per segment or not aligned with segments."""
    for pieces in (1, 4):
        scene = Scene("scsi", "")
        yield scene, scsi.Srp(Connection(scene), pieces)
    scene = Scene("scsi", "")
    yield scene, scsi.Iser(Connection(scene))
    for how in ({}, {"crc": True, "segment": 50, "together": 333}):
        talk = iwarp_scene.Connection(3260, **how)
        yield talk, scsi.Iser(talk)


class Data(CliTest):
    maxDiff = None

    def hold(self, direction, block, data, expected):
        """expected: {field: value} of the one packet that has the first field. Data in and out by RDMA."""
        for scene, initiator in wires():
            scene.put(*initiator.out(cdb(0), b""))
            scene.put(*getattr(initiator, direction)(block, data))
            path = self.path("scene.pcap")
            scene.write_capture(path)
            rows = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", next(iter(expected)))]
            self.assertEqual(len(rows), 1, (type(initiator), type(scene)))
            self.assertEqual({field: rows[0].get(field) for field in expected}, expected)

    def test_inquiry(self):
        data = bytes([0x60 | 0x14, 0x80, 7, 0x32, 91, 0x88 | 0x31, 0x50, 2]) + b"VENDOR  PRODUCT-ID-012341.05".ljust(48) + struct.pack(">2x8H", *range(1, 9))
        data = data.ljust(96, b"\0")
        q = "scsi.inquiry."
        self.hold("into", cdb(0x12), data, {
            q + "qualifier": 3, q + "devtype": 0x14, q + "removable": True, q + "version": 7, q + "normaca": True, q + "rdf": 2, q + "add_len": 91,
            q + "sccs": True, q + "tpgs": 3, q + "tpc": True, q + "protect": True, q + "multip": True, q + "cmdque": True,
            q + "vendor_id": "VENDOR  ", q + "product_id": "PRODUCT-ID-01234", q + "product_rev": "1.05", q + "version_desc8": 8})

    def test_vital_product_data(self):
        page = lambda code, data: struct.pack(">BBH", 0, code, len(data)) + data
        self.hold("into", cdb(0x12, 1), page(0, bytes([0, 0x80, 0x83, 0xb0])), {EVPD + "pagecode": 0, EVPD + "supported_page": [0, 0x80, 0x83, 0xb0]})
        self.hold("into", cdb(0x12, 1), page(0x80, b"SERIAL-0123\0"), {EVPD + "pagecode": 0x80, EVPD + "product_serial_number": "SERIAL-0123"})
        rows = (struct.pack(">BBBB", 1, 3, 0, 8) + bytes(range(0x60, 0x68)), struct.pack(">BBBB", 0x52, 0x98, 0, 12) + b"iqn.test,t,1",
                struct.pack(">BBBB", 1, 0x14, 0, 4) + struct.pack(">I", 9))
        self.hold("into", cdb(0x12, 1), page(0x83, b"".join(rows)), {
            EVPD + "pagecode": 0x83, EVPD + "devid.code_set": [1, 2, 1], EVPD + "devid.identifier_type": [3, 8, 4],
            EVPD + "devid.association": [0, 1, 1], EVPD + "devid.piv": [False, True, False], EVPD + "devid.protocol": [0, 5, 0],
            EVPD + "devid.identifier_str": ["iqn.test,t,1"], EVPD + "devid.identifier_bytes": ["6061626364656667", "00000009"]})
        limits = struct.pack(">BBHIIIIIIIQ20x", 1, 2, 3, 4, 5, 6, 7, 8, 9, 1 << 31 | 10, 11)
        self.hold("into", cdb(0x12, 1), page(0xb0, limits), {
            "scsi_sbc.bl.wsnz": True, "scsi_sbc.bl.mcawl": 2, "scsi_sbc.bl.mtl": 4, "scsi_sbc.bl.mulc": 7, "scsi_sbc.bl.oug": 9,
            "scsi_sbc.bl.ugavalid": True, "scsi_sbc.bl.uga": 10, "scsi_sbc.bl.mwsl": "11"})
        self.hold("into", cdb(0x12, 1), page(0xb1, struct.pack(">HBBB55x", 1, 0, 0x23, 2)), {
            "scsi.inquiry.bdc.mrr": 1, "scsi.inquiry.bdc.nff": 3, "scsi.inquiry.bdc.wabereq": 0, "scsi.inquiry.bdc.wacereq": 2, "scsi.inquiry.bdc.fuab": True})
        self.hold("into", cdb(0x12, 1), page(0xb2, bytes([3, 0xe4, 0x4a, 7])), {
            "scsi_sbc.threshold_exponent": 3, "scsi_sbc.lbpu": True, "scsi_sbc.lbpws10": True, "scsi_sbc.lbp.minimum": 9, "scsi_sbc.lbp.type": 2})

    def test_capacity_and_luns(self):
        self.hold("into", cdb(0x25), struct.pack(">II", 1000, 512), {"scsi_sbc.returned_lba": 1000, "scsi_sbc.blocksize": 512})
        self.hold("into", cdb(0x9e, 0x10), struct.pack(">QIBBH16x", 1 << 33, 4096, 0x03, 0x23, 0xc005), {
            "scsi_sbc.returned_lba64": str(1 << 33), "scsi_sbc.blocksize": 4096, "scsi_sbc.prot_en": True, "scsi_sbc.ptype": 1,
            "scsi_sbc.p_i_exponent": 2, "scsi_sbc.lbppbe": 3, "scsi_sbc.lbpme": True, "scsi_sbc.lbprz": True, "scsi_sbc.lalba": 5})
        luns = struct.pack(">I4xQQ", 16, 0, 1 << 48).ljust(256, b"\0")
        self.hold("into", cdb(0xa0), luns, {"scsi.reportluns.lun_list_length": 16, "scsi.reportluns.lun": ["0x0000000000000000", "0x0001000000000000"]})

    def test_mode_and_log(self):
        caching = struct.pack(">BB", 8, 18) + bytes([5]) + bytes(17)
        control = struct.pack(">BBH", 0x4a, 1, 4) + b"\1\2\3\4"
        pages = {"scsi.mode.sbc.pagecode": [8, 0x0a], "scsi.mode.spc.subpagecode": [1], "scsi.sbc.modepage.wce": [True], "scsi.sbc.modepage.rcd": [True],
                 "scsi.mode.page_parameters": ["05" + "00" * 17, "01020304"], "scsi.blockdescs.block_length": [512]}
        block = struct.pack(">II", 77, 512)
        for direction, six, ten in (("into", 0x1a, 0x5a), ("out", 0x15, 0x55)):
            self.hold(direction, cdb(six), struct.pack(">BBBB", 40, 0, 0x90, 8) + block + caching + control,
                      dict({"scsi.mode6.wp": True, "scsi.mode6.dpofua": True}, **pages))
            self.hold(direction, cdb(ten), struct.pack(">HBBBxH", 44, 0, 0x80, 0, 8) + block + caching + control, dict({"scsi.mode10.wp": True}, **pages))
        self.hold("into", cdb(0x4d), struct.pack(">BBH", 0x0d, 0, 12) + struct.pack(">HBBH", 0, 1, 2, 40) + struct.pack(">HBBH", 1, 1, 2, 65), {
            "scsi.log.pagecode": 0x0d, "scsi.log.parameter_code": [0, 1], "scsi.log.param_data": ["0028", "0041"]})

    def test_reservations_and_unmap(self):
        self.hold("into", cdb(0x5e, 0), struct.pack(">IIQQ", 5, 16, 1, 2).ljust(64, b"\0"), {
            "scsi.persresvin.generation_number": 5, "scsi.persresvin.key": ["%016x" % 1, "%016x" % 2]})
        self.hold("into", cdb(0x5e, 1), struct.pack(">IIQ4xBBH", 5, 16, 7, 0, 0x05, 0), {
            "scsi.persresvin.reservation.reskey": "%016x" % 7, "scsi.persresvin.reservation.type": 5})
        self.hold("into", cdb(0x5e, 2), struct.pack(">HBBBB2x", 8, 0x1d, 0x81, 0xea, 1), {
            "scsi.persresvin.capabilities.crh": True, "scsi.persresvin.capabilities.ptpl_a": True, "scsi.persresvin.capabilities.ex_ac_ar": True})
        self.hold("out", cdb(0x5f, 0), struct.pack(">QQ4xB3x", 1, 2, 0x0d), {
            "scsi.persresv.reskey": "%016x" % 1, "scsi.persresv.sareskey": "%016x" % 2, "scsi.persresv.control.aptpl": True,
            "scsi.persresv.control.spec_i_pt": True})
        self.hold("out", cdb(0x42), scsi.unmap_list((8, 100), (1 << 32, 200)), {
            "scsi_sbc.unmap.lba": ["8", str(1 << 32)], "scsi_sbc.unmap.num_blocks": [100, 200]})

    def test_request_sense(self):
        self.hold("into", cdb(0x03), scsi.fixed_sense(6, 0x2900), {"scsi.sns.key": 6, "scsi.sns.ascascq": 0x2900})
