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
            rows = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", next(iter(expected)) + " && !scsi_sbc.opcode")]
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


class Blocks(CliTest):
    """Parts of CDBs: SPC-5, chapter 6, and SBC-4, chapter 5. Each bit that is set is in one field."""
    ROWS = (
        (bytes((0x08, 0x1f, 0xff, 0xfe, 7, 0x44)), {"scsi_sbc.rdwr6.lba": 0x1ffffe, "scsi_sbc.rdwr6.xferlen": 7, "scsi.cdb.control": 0x44, "scsi.cdb.control.naca": 1}),
        (struct.pack(">BBIBHB", 0x28, 0xb8, 9, 0x1f, 300, 0x80),
         {"scsi_sbc.rdprotect": 5, "scsi_sbc.dpo": 1, "scsi_sbc.fua": 1, "scsi_sbc.fua_nv": 0, "scsi_sbc.rdwr10.lba": 9, "scsi_sbc.group": 0x1f,
          "scsi_sbc.rdwr10.xferlen": 300, "scsi.cdb.control.vendorspecific": 2, "scsi_sbc.wrprotect": None}),
        (struct.pack(">BBIIBB", 0xaa, 0x60, 9, 70000, 3, 0), {"scsi_sbc.wrprotect": 3, "scsi_sbc.rdwr12.xferlen": 70000, "scsi_sbc.group": 3, "scsi_sbc.rdprotect": None}),
        (struct.pack(">BBQ3xBBB", 0x89, 0x48, 1 << 40, 5, 6, 0), {"scsi_sbc.rdwr16.lba": "0000010000000000", "scsi_sbc.rdwr12.xferlen": 5, "scsi_sbc.group": 6, "scsi_sbc.fua": 1}),
        (struct.pack(">BBQIBB", 0x8f, 0x22, 77, 88, 0, 0), {"scsi_sbc.vrprotect": 1, "scsi_sbc.bytchk": 1, "scsi_sbc.verify.lba64": "77", "scsi_sbc.verify.vlen32": 88}),
        # BYTCHK has two bits since SBC-3
        (struct.pack(">BBQIBB", 0x8f, 0x26, 77, 88, 0, 0), {"scsi_sbc.vrprotect": 1, "scsi_sbc.bytchk": 3}),
        (struct.pack(">BBIBHB", 0x2e, 0x04, 77, 0, 88, 0), {"scsi_sbc.bytchk": 2, "scsi_sbc.dpo": 0}),
        # READ LONG(16), WRITE LONG(16), XDREAD(10), XDWRITE(10), XDWRITEREAD(10) of SBC-3
        (struct.pack(">BBQ2xHBB", 0x9f, 0x11, 1 << 40, 520, 0, 0), {"scsi_sbc.rdwr16.lba": "0000010000000000", "scsi_sbc.alloclen16": 520}),
        (struct.pack(">BBQ2xHBB", 0x9e, 0x11, 1 << 40, 520, 0, 0),
         {"scsi_sbc.rdwr16.lba": "0000010000000000", "scsi_sbc.alloclen16": 520, "scsi_sbc.alloclen32": None}),
        (struct.pack(">BBIBHB", 0x52, 1, 9, 0, 300, 0), {"scsi_sbc.xdread.flags": 1, "scsi_sbc.rdwr10.lba": 9, "scsi_sbc.rdwr10.xferlen": 300}),
        (struct.pack(">BBIBHB", 0x50, 4, 9, 0, 300, 0), {"scsi_sbc.xdwrite.flags": 4, "scsi_sbc.xdread.flags": None, "scsi_sbc.rdwr10.lba": 9}),
        (struct.pack(">BBIBHB", 0x53, 4, 9, 0, 300, 0), {"scsi_sbc.xdwriteread.flags": 4, "scsi_sbc.xdwrite.flags": None}),
        (struct.pack(">BBQIBB", 0x93, 0x18, 77, 88, 0, 0), {"scsi_sbc.anchor": 1, "scsi_sbc.unmap": 1, "scsi_sbc.rdwr12.xferlen": 88}),
        (struct.pack(">BB4xBHB", 0x42, 1, 2, 40, 0), {"scsi_sbc.unmap.anchor": 1, "scsi_sbc.group": 2, "scsi_sbc.alloclen16": 40}),
        (struct.pack(">BBBHB", 0x12, 1, 0x83, 252, 0), {"scsi.inquiry.cdb.evpd": 1, "scsi.inquiry.evpd.pagecode": 0x83, "scsi.cdb.alloclen16": 252, "scsi.cdb.control": None}),
        (bytes((0x1a, 8, 0xca, 1, 99, 0)), {"scsi.mode.pc": 3, "scsi.mode.spc.pagecode": 0x0a, "scsi.mode.spc.subpagecode": 1, "scsi.cdb.alloclen": 99}),
        (bytes((0x1a, 0, 0x08, 0, 99, 0)), {"scsi.mode.sbc.pagecode": 8, "scsi.mode.spc.pagecode": None}),
        (struct.pack(">BBBBxHHB", 0x4d, 1, 0x52, 0, 0x1234, 500, 0), {"scsi.log.sp": 1, "scsi.log.ppc": 0, "scsi.log.pc": 1, "scsi.log.pagecode": 0x12, "scsi.log.param_ptr": 0x1234}),
        (struct.pack(">BBB2xIB", 0x5f, 4, 0x05, 24, 0), {"scsi.persresvout.svcaction": 4, "scsi.persresv.scope": 0, "scsi.persresv.type": 5, "scsi.cdb.paramlen16": 24}),
        (struct.pack(">BBBBHIxB", 0xa3, 0x0c, 0x81, 0x93, 7, 10, 0),
         {"scsi.mpi.service_action": 0x0c, "scsi.report_opcodes.rctd": 1, "scsi.report_opcodes.options": 1,
          "scsi.report_opcodes.requested_operation_code": 0x93, "scsi.report_opcodes.requested_service_action": 7, "scsi.cdb.alloclen32": 10}),
        (struct.pack(">BB8xIBB", 0x9e, 0x10, 32, 0, 0), {"scsi_sbc.sa": 0x10, "scsi_sbc.alloclen32": 32}),
        (struct.pack(">BB14x", 0x9f, 0x12), {"scsi_sbc.sa": 0x12, "scsi_sbc.sa_name": "WRITE SCATTERED(16)", "scsi_sbc.alloclen32": None}),
        (struct.pack(">BBBHB", 0x1d, 0xb2, 0, 0x1234, 0), {"scsi.spc.senddiag.code": 5, "scsi.spc.senddiag.pf": 1, "scsi.spc.senddiag.st": 0,
                                                           "scsi.spc.senddiag.devoff": 1, "scsi.spc.senddiag.unitoff": 0, "scsi.cdb.paramlen16": 0x1234}),
        (struct.pack(">BBBHB", 0x1c, 1, 0x40, 500, 0), {"scsi.spc.rcvdiag.pcv": 1, "scsi.spc.rcvdiag.page": 0x40, "scsi.cdb.alloclen16": 500}),
        (struct.pack(">BBB4xHB", 0x37, 0, 0x0d, 700, 0), {"scsi_sbc.readdefdata.flags": 0x0d, "scsi_sbc.req_plist": 0, "scsi_sbc.req_glist": 1,
                                                          "scsi_sbc.defect_list_format": 5, "scsi_sbc.alloclen16": 700}),
        (struct.pack(">BBIIBB", 0xb7, 0x13, 9, 70000, 0, 0), {"scsi_sbc.req_plist": 1, "scsi_sbc.req_glist": 0, "scsi_sbc.defect_list_format": 3,
                                                              "scsi_sbc.alloclen32": 70000}),
        (struct.pack(">BBBBHBHB", 0x3b, 0x5c, 3, 0x12, 0x3456, 1, 0x0203, 0),
         {"scsi.spc.wb.mode_specific": 2, "scsi.spc.wb.mode": 0x1c, "scsi.spc.sb.bufid": 3, "scsi.spc.wb.bufoff": 0x123456, "scsi.cdb.paramlen24": 0x010203}),
        (struct.pack(">BBBBHBHB", 0x3c, 0x0a, 3, 0x12, 0x3456, 1, 0x0203, 0),
         {"scsi.spc.wb.mode": 0x0a, "scsi.cdb.alloclen24": 0x010203, "scsi.cdb.paramlen24": None}),
        (struct.pack(">BBIxHB", 0x3e, 2, 77, 520, 0), {"scsi_sbc.corrct": 1, "scsi_sbc.rdwr10.lba": 77, "scsi_sbc.alloclen16": 520, "scsi_sbc.rdwr10.xferlen": None}),
        (struct.pack(">BBIxHB", 0x3f, 0xa0, 77, 520, 0), {"scsi_sbc.write_long.cor_dis": 1, "scsi_sbc.write_long.wr_uncor": 0, "scsi_sbc.write_long.pblock": 1,
                                                          "scsi_sbc.rdwr10.lba": 77, "scsi_sbc.alloclen16": 520}),
        (struct.pack(">BBIBHB", 0x34, 2, 77, 5, 8, 0), {"scsi_sbc.prefetch.immediate": 1, "scsi_sbc.prefetch.flags": 2, "scsi_sbc.group": 5}),
        (struct.pack(">BB8xIxB", 0x84, 3, 900, 0), {"scsi.recv_copy.service_action": 3, "scsi.cdb.alloclen32": 900}),
    )

    def test_parts(self):
        for make in scsi.Srp, scsi.Iser:
            scene = Scene("scsi", "")
            initiator = make(Connection(scene))
            for block, _ in self.ROWS:
                scene.put(*initiator.into(block.ljust(16, b"\0"), bytes(8)))
            path = self.path("scene.pcap")
            scene.write_capture(path)
            found = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "scsi_sbc.opcode")]
            self.assertEqual(len(found), len(self.ROWS))
            for row, (block, wanted) in zip(found, self.ROWS):
                with self.subTest(make=make, opcode=block[0]):
                    # pages repeat in the data of MODE SENSE
                    found_values = {name: row[name][0] if isinstance(row.get(name), list) else row.get(name) for name in wanted}
                    self.assertEqual(found_values, wanted)

    def test_sense(self):
        """SPC-5, 4.4.3: the fixed format, with a pointer to a bit of the CDB."""
        scene = Scene("scsi", "")
        sense = struct.pack(">BBBIBIBBBBH", 0xf0, 0, 0x65, 0x11223344, 10, 0x55667788, 0x24, 0, 9, 0xcb, 6)
        iser = scsi.Iser(Connection(scene))
        scene.put(*iser.into(scsi.cdb10(0x28, 0, 1), bytes(512), status=scsi.CHECK_CONDITION, sense=sense))
        path = self.path("scene.pcap")
        scene.write_capture(path)
        row, = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "scsi.sns.key")]
        wanted = {"key": 5, "filemark": 0, "eom": 1, "ili": 1, "info": 0x11223344, "addlen": 10, "command_specific_information": "55667788", "asc": 0x24, "ascq": 0,
                  "fru": 9, "sksv": 1, "sks.fp.cd": 1, "sks.fp.bpv": 1, "sks.fp.bit": 3, "sks.fp.field": 6}
        self.assertEqual({name: row.get("scsi.sns." + name) for name in wanted}, wanted)
        self.assertEqual((row["iscsi.scsiresponse.senselength"], row["iscsi.request_frame"], row["scsi.status"]), (18, "1", 2))

    def test_sense_with_descriptors(self):
        """SPC-5, 4.4.2: descriptors in any order; those that lie about their length, or end early, hide what follows."""
        information, specific = struct.pack(">BBBxQ", 0, 10, 0x80, 5), struct.pack(">BBxxBHx", 2, 6, 0xcb, 0x1234)
        pointer = {"sksv": 1, "sks_info": 0x4b1234, "sks.fp.cd": 1, "sks.fp.bpv": 1, "sks.fp.bit": 3, "sks.fp.field": 0x1234}
        nothing = dict.fromkeys(pointer)
        cases = ((5, specific, pointer), (5, information + specific, pointer), (5, bytes((0x80, 0)) + specific, pointer),
                 (3, specific, dict(nothing, sksv=1, sks_info=0x4b1234)), (5, information, nothing), (5, b"", nothing), (5, specific[:7], nothing),
                 (5, struct.pack(">BB6x", 0, 255) + specific, nothing), (5, bytes(300), nothing))
        scene = Scene("scsi", "")
        iser = scsi.Iser(Connection(scene))
        for key, descriptors, _ in cases:
            sense = struct.pack(">BBBB3xB", 0x72, key, 0x24, 0, len(descriptors) & 0xff) + descriptors
            scene.put(*iser.into(scsi.cdb10(0x28, 0, 1), bytes(512), status=scsi.CHECK_CONDITION, sense=sense))
        path = self.path("scene.pcap")
        scene.write_capture(path)
        rows = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "scsi.sns.key")]
        self.assertEqual([{name: row.get("scsi.sns." + name) for name in pointer} for row in rows], [wanted for _, _, wanted in cases])

    def test_sense_of_asynchronous_messages(self):
        """RFC 7143, 11.9.4: two bytes of length and sense data, if the event is one of SCSI."""
        scene = Scene("scsi", "")
        iser = scsi.Iser(Connection(scene))
        for event in (0, 1):
            sense = scsi.fixed_sense(6, 0x3f0e)
            scene.put(*iser.pdu(0x32, tag=0xffffffff, words=(0, 1, 1, 9, event << 24, 0, 0), data=struct.pack(">H", len(sense)) + sense, end="b"))
        scene.put(*iser.pdu(0x32, tag=0xffffffff, words=(0, 1, 1, 9, 0, 0, 0), data=b"a", end="b"))
        path = self.path("scene.pcap")
        scene.write_capture(path)
        rows = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "iscsi")]
        self.assertEqual([(row.get("scsi.sns.key"), row.get("scsi.sns.ascascq")) for row in rows], [(6, 0x3f0e), (None, None), (None, None)])

    def test_length_of_sense_data(self):
        """RFC 7143, 11.4.7.2: bytes after it are no sense data, and it lies within the data segment."""
        scene = Scene("scsi", "")
        iser = scsi.Iser(Connection(scene))
        sense = scsi.fixed_sense(6, 0x3f0e)
        cases = ((18, (6, 0x3f0e, None)), (8, (6, None, None)), (0, (None, None, None)), (19, (6, 0x3f0e, ["length_beyond_frame"])),
                 (0xffff, (6, 0x3f0e, ["length_beyond_frame"])))
        for length, _ in cases:
            scene.put(*iser.pdu(0x32, tag=0xffffffff, words=(0, 1, 1, 9, 0, 0, 0), data=struct.pack(">H", length) + sense, end="b"))
        path = self.path("scene.pcap")
        scene.write_capture(path)
        rows = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "iscsi")]
        self.assertEqual([(row.get("scsi.sns.key"), row.get("scsi.sns.ascascq"), row.get("rdmatap.anomaly")) for row in rows], [wanted for _, wanted in cases])
