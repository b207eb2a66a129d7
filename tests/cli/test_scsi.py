# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""SRP and iSER: commands and images against the record of an application, and against units made in Python (generate/scsi.py)."""
import hashlib
import json
import os
import random
import struct

import capfile
import scsi
from cli import TESTDATA, differing, read, records
from conversation import Connection, Scene, over_infiniband
import iwarp_scene
from test_nvme import DONE, Nvme

SRP, ISER = (os.path.join(TESTDATA, "roce-%s.pcap.gz" % name) for name in ("srp", "iser"))
IMAGES = {SRP: "10.0.0.1/0.img", ISER: "iqn.2024-01.test:t1/0.img"}
IWARP = (lambda talk: scsi.Iser(talk, 0), lambda talk: scsi.Iser(talk, 512))
KINDS = (lambda talk: scsi.Srp(talk), lambda talk: scsi.Srp(talk, 4), lambda talk: scsi.Iser(talk), lambda talk: scsi.Iser(talk, 512)) + IWARP


class Real(Nvme):
    def test_images_equal_the_data_written(self):
        for capture, name in IMAGES.items():
            with self.subTest(capture):
                images, missing = self.images(capture)
                self.assertEqual((missing, list(images)), ([], [name]))
                for offset, length, digest in DONE:
                    self.assertEqual(hashlib.sha256(images[name][offset:offset + length]).hexdigest(), digest, offset)

    def test_commands_are_those_of_the_application(self):
        """One write and one read of each range; a long one may be several commands."""
        for capture in IMAGES:
            found = [o for o in self.operations(capture) if o["name"] in ("WRITE(10)", "READ(10)")]
            for offset, length, _ in DONE:
                for name in ("WRITE(10)", "READ(10)"):
                    parts = sorted((o["offset"], o["length"], o["data_bytes"]) for o in found
                                   if o["name"] == name and offset <= o["offset"] < offset + length)
                    with self.subTest(capture=capture, offset=offset, name=name):
                        self.assertEqual(parts[0][0], offset)
                        self.assertEqual(sum(part[1] for part in parts), length)
                        self.assertEqual([part[1] for part in parts], [part[2] for part in parts])
            self.assertTrue(all(o["complete"] for o in found))

    def test_the_data_of_reads_by_messages(self):
        for capture, name in IMAGES.items():
            self.assertGreaterEqual(self.check_reads(capture, self.images(capture)[0][name], ("READ(10)",)), len(DONE))

    def test_errors_have_sense(self):
        for capture in IMAGES:
            failed = [(o["name"], o["status"], o["complete"]) for o in self.operations(capture) if o.get("ok") is False]
            self.assertEqual(set(failed), {("MODE SENSE(10)", "ILLEGAL REQUEST: invalid field in CDB", True)})

    def test_without_a_packet_nothing_wrong_is_exported_as_right(self):
        choice = random.Random(12)
        for capture, name in IMAGES.items():
            frames = list(capfile.read(capture))
            whole = self.images(capture)[0][name]
            for lost in sorted(choice.sample(range(150, len(frames) - 20), 15)):
                path = self.path("lossy.pcap")
                capfile.write_pcap(path, 1, frames[:lost] + frames[lost + 1:])
                images, missing = self.images(path)
                image, = images.values()
                unknown = [(offset, offset + length) for _, offset, length, _ in missing]
                for offset, length, _ in DONE:
                    here = image[offset:offset + length]
                    wrong = differing(here, whole[offset:offset + len(here)])
                    if any(here):
                        self.assertTrue(all(any(b <= offset + i < e for b, e in unknown) for i in wrong), (capture, lost, offset))

    def test_immediate_data_of_srp_lies_between_the_header_and_the_end(self):
        """Commands whose descriptor is made a length of immediate data: the SEND has 12 bytes after it. A greater length is not followed."""
        header, frames = records(read(os.path.join(TESTDATA, "roce-srp.pcap.gz")))
        for length, expected in ((12, 12), (13, 0), (0xffffffff, 0)):
            changed, made = set(), []
            for number, (at, data, wire) in enumerate(frames, 1):
                # Ethernet, IPv4, UDP, BTH of a SEND Only, SRP_CMD with 64 bytes, ICRC
                if data[42:43] == b"\4" and data[54:55] == b"\2" and len(data) == 54 + 64 + 4 and data[59] >> 4:
                    data = data[:59] + bytes([0x30]) + data[60:102] + struct.pack(">I", length) + data[106:]
                    changed.add(number)
                made.append(struct.pack("<IIII", at // 10**9, at % 10**9 // 1000, len(data), wire) + data)
            found = [json.loads(line) for line in self.lines("operations", "--json", self.path("immediate.pcap", header + b"".join(made)))]
            found = [each for each in found if each.get("request_frame") in changed]
            self.assertGreater(len(found), 5)
            for each in found:
                self.assertEqual((each["carried"], each["data_bytes"]), ("inline", expected) if expected else ("none", 0), (length, each))


class Crafted(Nvme):
    def capture_of(self, kind, *commands):
        scene = iwarp_scene.Connection(3260, together=700) if kind in IWARP else Scene("scsi", "")
        maker = kind(scene if kind in IWARP else Connection(scene))
        for way, *arguments in commands:
            scene.put(*getattr(maker, way)(*arguments))
        return self.capture(scene)

    def test_blocks(self):
        """All forms of CDBs, data in the SEND, by one descriptor and by several."""
        one, two, three, four = (bytes([n]) * 512 for n in (1, 2, 3, 4))
        for kind in KINDS:
            capture = self.capture_of(
                kind,
                ("out", scsi.cdb10(0x2a, 4, 4), one + two + three + four),
                ("into", scsi.cdb16(0x88, 20, 2), two + one),
                ("out", scsi.cdb6(0x0a, 30, 1), three),
                ("out", scsi.cdb16(0x8a, 40, 1), four),
                ("out", scsi.cdb16(0x93, 42, 3), two),           # WRITE SAME
                ("out", scsi.cdb16(0x93, 43, 1, 0x01), b""),     # WRITE SAME with NDOB: zeros
                ("out", scsi.cdb10(0x42, 0, 24), scsi.unmap_list((5, 1), (21, 1))),
                ("out", scsi.cdb16(0x89, 40, 0)[:13] + b"\x01\0\0", four + one))  # COMPARE AND WRITE
            with self.subTest(kind=kind(None).__dict__):
                images, missing = self.images(capture)
                image, = images.values()
                self.assertEqual(missing, [])
                expected = {4: one, 6: three, 7: four, 20: two, 30: three, 40: one, 42: two, 44: two}
                self.assertEqual({at // 512: image[at:at + 512] for at in range(0, len(image), 512) if any(image[at:at + 512])}, expected)

    def test_the_first_command_shows_the_size_of_blocks(self):
        """Without READ CAPACITY: WRITE SAME has the data of one block, COMPARE AND WRITE that of its blocks twice."""
        block, other = os.urandom(4096), os.urandom(4096)
        for command, expected in (((scsi.cdb16(0x93, 2, 2), block), block * 2), ((scsi.cdb16(0x89, 2, 0)[:13] + b"\x01\0\0", other + block), block)):
            capture = self.capture_of(scsi.Srp, ("out", *command))
            images, missing = self.images(capture)
            self.assertEqual(([image[8192:] for image in images.values()], missing), ([expected], []))
            self.assertEqual([(o["offset"], o["length"]) for o in self.operations(capture)], [(8192, len(expected))])

    def test_data_captured_after_an_event(self):
        """A WRITE is captured after the next SEND, which is credits (SRP) or an Asynchronous Message, and no response of an unseen command."""
        for kind in scsi.Srp, scsi.Iser:
            scene = Scene("event", "")
            talk = Connection(scene, port=3260 if kind is scsi.Iser else 4791)
            talk.establish()
            maker = kind(talk)
            scene.put(*maker.out(scsi.cdb10(0x2a, 4, 4), bytes(2048)))
            (key, address), data = maker.next(), os.urandom(2048)
            request = maker.unit(1, 0, scsi.cdb10(0x28, 4, 4), 2048, into=(address, key)) if kind is scsi.Iser else maker.command(
                0, scsi.cdb10(0x28, 4, 4), into=maker.descriptors(address, key, 2048))
            scene.put(*maker.send("a", request))
            moved = talk.write("b", 2048, key, address, data=data)
            event = maker.pdu(0x32, tag=0xffffffff, end="b") if kind is scsi.Iser else maker.send("b", struct.pack(">BBxxiQ", 0x81, 0, 5, 0x1001))
            scene.put(event[0], *moved, *event[1:], *maker.answer())
            capture = self.capture(scene)
            self.assertEqual([(o["data_bytes"], o["complete"]) for o in self.operations(capture) if o["name"] == "READ(10)"], [(2048, True)], kind)
            (image,), missing = self.images(capture)[0].values(), self.images(capture)[1]
            self.assertEqual((image[2048:4096], missing), (data, []), kind)

    def test_write_same_with_unmap(self):
        """SBC-4, 4.7.3.4: data other than zeros is written, or the blocks are unmapped, and then have any contents."""
        for data, is_known in ((bytes(512), True), (b"\x05" * 512, False)):
            images, missing = self.images(self.capture_of(scsi.Srp, ("out", scsi.cdb10(0x2a, 0, 4), b"\x11" * 2048), ("out", scsi.cdb16(0x93, 1, 2, 0x08), data)))
            self.assertEqual([row[1:3] for row in missing], [] if is_known else [(512, 1024)])
            image, = images.values()
            self.assertEqual((image[:512], image[1536:]), (b"\x11" * 512,) * 2)
            if is_known:
                self.assertEqual(image[512:1536], bytes(1024))

    def test_targets_in_a_subnet_of_infiniband_are_distinct(self):
        """Without a GRH the address is a LID: two targets without a captured login do not share an image."""
        for kind in KINDS[:4]:
            scene = Scene("scsi", "", link=247)
            for lid in (5, 0x301):
                maker = kind(Connection(scene, a=(2, 0x11, 0x100), b=(lid, lid, 0x800000), dress=over_infiniband))
                scene.put(*maker.out(scsi.cdb10(0x2a, 4, 1), bytes([lid & 0xff]) * 512))
            capture = self.capture(scene)
            images, missing = self.images(capture)
            self.assertEqual((missing, {name: image[2048:] for name, image in images.items()}),
                             ([], {"lid 5/0.img": bytes([5]) * 512, "lid 769/0.img": bytes([1]) * 512}))
            self.assertEqual([o["object"] for o in self.operations(capture)], ["lid 5/0", "lid 769/0"])

    def test_where_the_memory_after_immediate_data_begins(self):
        """
        RFC 7145, 6.9: the base is that of all data-out, by default; Linux names the rest. Without the key, the first READ shows it; if it can have
        been lost, nothing is guessed.
        """
        data = random.Random(7).randbytes(8192)
        for make in (Scene, iwarp_scene.Connection):
            for of_all in (False, True):
                for piece, key in ((8192, b""), (1024, b""), (1024, b"TaggedBufferForSolicitedDataOnly=%s\0" % (b"No" if of_all else b"Yes"))):
                    scene = make("scsi", "") if make is Scene else make(3260, together=700)
                    maker = scsi.Iser(Connection(scene) if make is Scene else scene, 512, of_all, piece)
                    scene.put(*maker.login(more=key))
                    scene.put(*maker.out(scsi.cdb10(0x2a, 0, 16), data))
                    scene.put(*maker.out(scsi.cdb10(0x2a, 16, 16), data[::-1]))
                    scene.put(*maker.unsolicited(scsi.cdb10(0x2a, 32, 16), data, 2048, 512))
                    capture = self.capture(scene)
                    with self.subTest(of_all=of_all, piece=piece, key=key, iwarp=make is not Scene):
                        images, missing = self.images(capture)
                        self.assertEqual((missing, list(images.values()) == [data + data[::-1] + data]), ([], True))
                        found = self.operations(capture)[1:]
                        self.assertEqual([(o["data_bytes"], o["complete"], o["missing"]) for o in found], [(8192, True, [])] * 3)
        # the first READ was lost: the second one, of the same length as the immediate data, fits both
        for of_all in (False, True):
            scene = Scene("scsi", "")
            maker = scsi.Iser(Connection(scene), 512, of_all, 512)
            packets = maker.out(scsi.cdb10(0x2a, 0, 4), data[:2048]) + maker.out(scsi.cdb10(0x2a, 4, 16), data)
            lost = next(i for i, packet in enumerate(packets) if packet.opcode == 0x0c)
            scene.put(*packets[:lost], *packets[lost + 3:])
            images, missing = self.images(self.capture(scene))
            image, = images.values()
            known = [i for i in range(4 * 512) if not any(begin <= i < begin + length for _, begin, length, _ in missing)]
            self.assertEqual([i for i in known if image[i] != data[i]], [])
            self.assertEqual(image[2048:], data)

    def test_tables_of_descriptors(self):
        """The target reads the table of an indirect buffer of which the command has no, one or some of the descriptors. Blocks of 4096 bytes."""
        data = random.Random(3).randbytes(32768)
        for shown in (0, 1, 2, 3, 4):
            for way, opcode in (("out", 0x2a), ("into", 0x28)):
                capture = self.capture_of(lambda talk: scsi.Srp(talk, 4, shown), (way, scsi.cdb10(opcode, 2, 8), data), (way, scsi.cdb10(opcode, 10, 8), data[::-1]))
                found = [(o["offset"], o["length"], o["data_bytes"], o["carried"], o["complete"], o["missing"]) for o in self.operations(capture)]
                carried = "read" if way == "out" else "write"
                self.assertEqual(found, [(offset, 32768, 32768, carried, True, []) for offset in (8192, 40960)])
                images, missing = self.images(capture)
                self.assertEqual((missing, list(images.values()) == [bytes(8192) + data + data[::-1]]), ([], True), (shown, way))

    def test_tables_of_descriptors_without_a_frame(self):
        """What is exported is right or listed as missing; an operation is complete only with all data."""
        data = random.Random(4).randbytes(4096)
        for way, opcode in (("out", 0x2a), ("into", 0x28)):
            scene = Scene("scsi", "")
            maker = scsi.Srp(Connection(scene), 4, 2)
            scene.put(*maker.out(scsi.cdb10(0x2a, 60, 8), bytes([9]) * 4096), *getattr(maker, way)(scsi.cdb10(opcode, 0, 8), data),
                      *maker.out(scsi.cdb10(0x2a, 40, 8), bytes([8]) * 4096))
            frames, lossy = list(capfile.read(self.capture(scene))), self.path("lossy.pcap")
            incomplete = 0
            for lost in range(len(frames)):
                capfile.write_pcap(lossy, 1, frames[:lost] + frames[lost + 1:])
                images, missing = self.images(lossy)
                image = next(iter(images.values()), b"")
                unknown = [range(offset, offset + length) for _, offset, length, _ in missing]
                wrong = [at for at in range(4096) if image[at:at + 1] not in (data[at:at + 1], b"\0") and not any(at in hole for hole in unknown)]
                self.assertEqual(wrong, [], lost)
                for one in self.operations(lossy):
                    self.assertTrue(not one["complete"] or one["data_bytes"] == 4096, (lost, one))
                    incomplete += not one["complete"]
            self.assertGreater(incomplete, 30)

    def test_less_data_than_the_buffer(self):
        """SRP, 6.9, and RFC 7143, 11.4.5: what an underflow leaves of a buffer is not missing; what a response does not report is."""
        data = bytes(range(96))
        for kind in KINDS[:1] + KINDS[2:3]:
            inquiry = struct.pack(">BBBHB10x", 0x12, 0, 0, 255, 0)
            scene = Scene("scsi", "")
            maker = kind(Connection(scene))
            scene.put(*maker.less(inquiry, data, 255), *maker.less(b"\x15\x10\0\0\xff".ljust(16, b"\0"), data, 255, True),
                      *maker.into(scsi.cdb10(0x28, 0, 1), bytes(512)))
            packets = maker.less(inquiry, data, 255)
            scene.put(*packets[:2], *maker.answer())
            packets = maker.less(inquiry, data, 255)
            scene.put(*packets[:2], *packets[3:])
            found = [(o["name"], o["data_bytes"], o["complete"], [(m["offset"], m["length"]) for m in o["missing"]]) for o in self.operations(self.capture(scene))]
            self.assertEqual(found, [("INQUIRY", 96, True, []), ("MODE SELECT(6)", 96, True, []), ("READ(10)", 512, True, []),
                                     ("INQUIRY", 0, False, [(0, 255)]), ("INQUIRY", 0, False, [(0, 96)])])

    def test_the_status_of_a_response_before_the_ends_are_known(self):
        for layer, kind in (("srp", KINDS[0]), ("iser", KINDS[2])):
            def make(talk):
                maker = kind(talk)
                return maker.out(bytes(16), b"", 0, scsi.CHECK_CONDITION, scsi.fixed_sense(5, 0x2400)) + maker.out(bytes(16), b"")
            self.assertEqual(self.without_setup(make, layer),
                             [("TEST UNIT READY", "ILLEGAL REQUEST: invalid field in CDB", False), ("TEST UNIT READY", "GOOD", True)])

    def test_unsolicited_data(self):
        """Data-Out PDUs after the command; the memory that the target reads begins after them. All in SENDs, without immediate data, or with."""
        body = random.Random(7).randbytes(16384)
        for on_iwarp, immediate, burst, part in ((False, 0, 8192, 4096), (False, 1024, 8192, 1500), (False, 4096, 16384, 4096),
                                                 (False, 1024, 65536, 8192), (False, 4096, 5120, 5120), (True, 1024, 8192, 1500), (True, 0, 65536, 4096)):
            scene = iwarp_scene.Connection(3260, together=700) if on_iwarp else Scene("scsi", "")
            maker = scsi.Iser(scene if on_iwarp else Connection(scene), immediate)
            scene.put(*maker.into(b"\x25" + bytes(15), struct.pack(">II", 999, 512)))
            scene.put(*maker.unsolicited(scsi.cdb10(0x2a, 8, 32), body, burst, part))
            scene.put(*maker.out(scsi.cdb10(0x2a, 100, 1), b"\x11" * 512))
            capture = self.capture(scene)
            with self.subTest(on_iwarp=on_iwarp, immediate=immediate, burst=burst, part=part):
                images, missing = self.images(capture)
                image, = images.values()
                self.assertEqual((missing, image[4096:4096 + 16384] == body, image[51200:51712]), ([], True, b"\x11" * 512))
                one, = (o for o in self.operations(capture) if o.get("length") == 16384)
                self.assertEqual((one["complete"], one["data_bytes"], one["missing"]), (True, 16384, []))
                fields = ("frame.number", "iscsi.opcode", "iscsi.request_frame", "iscsi.time", "infiniband.bth.opcode")
                rows = [line.split("\t") for line in self.lines("-r", capture, "-T", "fields", "-Y", "iscsi.opcode == 5 || iscsi.opcode == 0x21",
                                                               *(word for name in fields for word in ("-e", name)))]
                sent = [int(row[0]) for row in rows if int(row[1], 0) == 5]
                self.assertEqual({row[2] for row in rows if int(row[1], 0) == 5}, {str(one["request_frame"])})
                self.assertTrue(all(row[2] and (int(row[1], 0) == 5 or row[3]) for row in rows))
                # the first of its packets, on RoCE some before the one that shows it; READs of the rest follow
                self.assertTrue(one["request_frame"] < one["first_data_frame"] <= sent[0], (one, sent))
                self.assertGreaterEqual(one["last_data_frame"], sent[-1])
                self.assertLess(one["last_data_frame"], one["response_frame"])

    def test_immediate_data_of_which_packets_were_not_captured(self):
        """The first packet has the command. Blocks that were not captured whole are missing from the image, not known as what they were before."""
        old, new = b"\x01" * 16 * 512, b"".join(bytes([16 + i]) * 512 for i in range(8))
        for lost in ((1,), (8,), (2, 5), tuple(range(1, 9))):
            for late in (None, "before", "after"):
                for after in (0, 60):
                    scene = Scene("scsi", "")
                    host = scsi.Iser(Connection(scene), 2048)
                    scene.put(*host.out(scsi.cdb10(0x2a, 0, 16), old))
                    packets = host.out(scsi.cdb10(0x2a, 2, 8), new)      # 76 bytes and 2048: nine packets of 256 bytes; then the rest of the data
                    answer, again = packets[-2:], [packets[number] for number in lost] if late else []
                    scene.put(*[packet for number, packet in enumerate(packets[:-2]) if number not in lost])
                    scene.put(*(again if late == "before" else []), *answer, *(again if late == "after" else []))
                    for _ in range(after):
                        scene.put(*host.out(scsi.cdb10(0x2a, 15, 1), old[:512]))
                    capture = self.capture(scene)
                    images, missing = self.images(capture)
                    image, = images.values()
                    found = [o for o in self.operations(capture)][:2]
                    has = bytearray(b"\1" * (76 + 4096))
                    for number in lost if not late else ():
                        end = min((number + 1) * 256, 76 + 2048)
                        has[number * 256:end] = bytes(end - number * 256)
                    with self.subTest(lost=lost, late=late, after=after):
                        self.assertEqual([(o["name"], o.get("offset"), o.get("length"), o["complete"]) for o in found],
                                         [("WRITE(10)", 0, 8192, True), ("WRITE(10)", 1024, 4096, bool(late))])
                        self.assertEqual(found[1]["data_bytes"], sum(has[76:]))
                        unknown = {i for _, offset, length, _ in missing for i in range(offset, offset + length)}
                        self.assertEqual(unknown, {1024 + i for i in range(4096) if not has[76 + i]})
                        expected = old[:1024] + new + old[5120:]
                        self.assertEqual([i for i in range(8192) if i not in unknown and image[i] != expected[i]], [])

    def test_protection_information(self):
        """With RDPROTECT and WRPROTECT it follows each block, or a part of one: the blocks are unknown. SBC-4, 4.21."""
        data = random.Random(6).randbytes(8 * 520)
        for kind in (KINDS[0], KINDS[1], KINDS[2], KINDS[3]):
            for way, opcode in (("into", 0x28), ("out", 0x2a)):
                cdb = bytearray(scsi.cdb10(opcode, 32, 8))
                cdb[1] = 0x20
                capture = self.capture_of(kind, ("into", b"\x25" + bytes(15), struct.pack(">II", 999, 512)), ("out", scsi.cdb10(0x2a, 0, 16), b"\x11" * 8192),
                                          (way, bytes(cdb), data))
                images, missing = self.images(capture)
                self.assertEqual([row[1:3] for row in missing], [(32 * 512, 4096)])
                self.assertEqual(list(images.values())[0][:8192], b"\x11" * 8192)

    def test_a_list_of_unmap_that_was_not_captured(self):
        """It can name any blocks."""
        for kind in (KINDS[0], KINDS[2], KINDS[3]):
            scene = Scene("scsi", "")
            maker = kind(Connection(scene))
            scene.put(*maker.out(scsi.cdb16(0x8a, 0, 16), b"\x07" * 8192))
            begin = len(scene.frames)
            scene.put(*maker.out(scsi.cdb10(0x42, 0, 40), scsi.unmap_list((2, 2), (8, 2))))
            frames, part = list(capfile.read(self.capture(scene))), self.path("cut.pcap")
            self.assertEqual(self.images(self.path("scene.pcap"))[1], [])
            # the SEND with the list, or the response to the READ of it, cut within it
            place, = [i for i in range(begin, len(frames)) if scsi.unmap_list((2, 2), (8, 2)) in frames[i][1]]
            for left in (1, 8, 16, 17, 33, 40):
                cut = (frames[place][0], frames[place][1][:-4 - left], frames[place][2])
                capfile.write_pcap(part, 1, frames[:place] + [cut] + frames[place + 1:])
                self.assertEqual([row[1:3] for row in self.images(part)[1]], [(0, 8192)], left)

    def test_data_selects_its_operation(self):
        """-Y with fields of a Data-Out PDU, and of each of its packets."""
        body = random.Random(9).randbytes(8192)
        for on_iwarp in (False, True):
            scene = iwarp_scene.Connection(3260, together=700) if on_iwarp else Scene("scsi", "")
            maker = scsi.Iser(scene if on_iwarp else Connection(scene), 1024)
            scene.put(*maker.into(b"\x25" + bytes(15), struct.pack(">II", 999, 512)))
            for lba in (8, 64):
                scene.put(*maker.unsolicited(scsi.cdb10(0x2a, lba, 16), body, 8192, 2560))
            capture = self.capture(scene)
            all = [one["id"] for one in self.operations(capture)]
            sent = [int(line) for line in self.lines("-r", capture, "-Y", "iscsi.opcode == 5", "-T", "fields", "-e", "frame.number")]
            self.assertEqual(len(sent), 6)
            selected = lambda text: [one["id"] for one in self.operations(capture, "-Y", text)]
            self.assertEqual(selected("iscsi.opcode == 5"), all[1:])
            for number, frame in enumerate(sent):
                for before in (0, 2):
                    self.assertEqual(selected("frame.number == %d" % (frame - before)), [all[1 + number // 3]], (on_iwarp, number, before))

    def test_unsolicited_data_without_a_frame(self):
        """What is exported is right or listed as missing, and the command is complete only with all of it."""
        body = random.Random(8).randbytes(12288)
        scene = Scene("scsi", "")
        maker = scsi.Iser(Connection(scene), 1024)
        scene.put(*maker.into(b"\x25" + bytes(15), struct.pack(">II", 999, 512)))
        scene.put(*maker.unsolicited(scsi.cdb10(0x2a, 0, 24), body, 6144, 2560))
        frames, lossy = list(capfile.read(self.capture(scene))), self.path("lossy.pcap")
        incomplete = 0
        for lost in range(len(frames)):
            capfile.write_pcap(lossy, 1, frames[:lost] + frames[lost + 1:])
            images, missing = self.images(lossy)
            image = next(iter(images.values()), b"").ljust(12288, b"\0")
            unknown = [range(offset, offset + length) for _, offset, length, _ in missing]
            wrong = [at for at in range(12288) if image[at] != body[at] and not any(at in hole for hole in unknown)]
            writes = [o for o in self.operations(lossy) if o["name"] == "WRITE(10)"]
            if writes and images:
                self.assertEqual(wrong, [], lost)
            for one in writes:
                self.assertTrue(not one["complete"] or one["data_bytes"] == 12288, lost)
                incomplete += not one["complete"]
        self.assertGreater(incomplete, 12)

    def test_errors(self):
        refused, media = (0x05, 0x2100), (0x03, 0x0c00)
        for kind in KINDS:
            for make in (scsi.fixed_sense, scsi.descriptor_sense):
                capture = self.capture_of(
                    kind,
                    ("out", scsi.cdb10(0x2a, 0, 4), b"\x07" * 2048),
                    ("out", scsi.cdb10(0x2a, 0, 1), b"\x08" * 512, 0, scsi.CHECK_CONDITION, make(*refused)),
                    ("out", scsi.cdb10(0x2a, 2, 1), b"\x09" * 512, 0, scsi.CHECK_CONDITION, make(*media)),
                    ("into", scsi.cdb10(0x28, 0, 1), b"\x0a" * 512, 0, 0x08))
                found = [(o["name"], o["status"], o["ok"]) for o in self.operations(capture)]
                self.assertEqual(found, [("WRITE(10)", "GOOD", True), ("WRITE(10)", "ILLEGAL REQUEST: logical block address out of range", False),
                                         ("WRITE(10)", "MEDIUM ERROR: write error", False), ("READ(10)", "BUSY", False)])
                images, missing = self.images(capture)
                self.assertEqual([(offset, length) for _, offset, length, _ in missing], [(1024, 512)])
                self.assertEqual(list(images.values())[0][:1024], b"\x07" * 1024)

    def test_the_same_block_many_times(self):
        """WRITE SAME of more blocks than fit into a buffer; to the end of the disk; beyond the limit of bytes written for one block."""
        one, two = bytes(range(256)) * 2, b"\x05" * 512
        for kind in (KINDS[0], KINDS[3]):
            capture = self.capture_of(kind, ("out", scsi.cdb16(0x8a, 9000, 1), one), ("out", scsi.cdb16(0x93, 3, 5000), two), ("out", scsi.cdb16(0x93, 100, 777), one),
                                      ("out", scsi.cdb10(0x41, 8990, 0), two))
            images, missing = self.images(capture)
            image, = images.values()
            self.assertEqual(missing, [])
            wanted = bytes(3 * 512) + two * 97 + one * 777 + two * (5003 - 877) + bytes((8990 - 5003) * 512) + two * 11
            self.assertEqual(image, wanted)
        capture = self.capture_of(KINDS[0], ("out", scsi.cdb16(0x8a, 0, 1), two), ("out", scsi.cdb16(0x93, 1, 1 << 31), one), ("out", scsi.cdb16(0x8a, 5, 1), two))
        folder = self.path("large")
        done = self.run_program("export", "--files", folder, capture)
        rows = [line.split("\t")[1:] for line in done.stdout.decode().splitlines()]
        self.assertEqual(rows, [["512", "2048", "evicted"], ["3072", str((1 << 40) - 5 * 512), "evicted"]])

    def test_commands_that_change_blocks_in_unknown_ways(self):
        """ORWRITE, FORMAT UNIT; WRITE ATOMIC, whose number of blocks is at another offset."""
        data = b"\x07" * 1024
        for kind in (KINDS[0], KINDS[2]):
            capture = self.capture_of(kind, ("out", scsi.cdb16(0x8a, 0, 2), data), ("out", scsi.cdb16(0x8b, 1, 1), data[:512]),
                                      ("out", struct.pack(">BBQHHBB", 0x9c, 0, 4, 0, 2, 0, 0), data))
            images, missing = self.images(capture)
            self.assertEqual([(offset, length) for _, offset, length, _ in missing], [(512, 512)])
            self.assertEqual(list(images.values())[0][4 * 512:], data)
            capture = self.capture_of(kind, ("out", scsi.cdb16(0x8a, 0, 2), data), ("into", bytes([4]) + bytes(15), b""))
            self.assertEqual([(offset, length) for _, offset, length, _ in self.images(capture)[1]], [(0, 1024)])

    def left(self, kind, command, *after, block=b"\x07" * 512):
        """What of two units of 32 blocks is missing after a command, by unit; the rest is as it was written."""
        units = (0, 1)
        capture = self.capture_of(kind, *(("out", scsi.cdb16(0x8a, 0, 32), block * 32, lun) for lun in units), command, *after)
        images, missing = self.images(capture)
        lost = {lun: [(offset // 512, length // 512) for path, offset, length, _ in missing if path.endswith("/%d.img" % lun)] for lun in units}
        for lun in units:
            image, = [data for path, data in images.items() if path.endswith("/%d.img" % lun)]
            kept = [number for number in range(32) if not any(first <= number < first + count for first, count in lost[lun])]
            self.assertEqual({image[number * 512:number * 512 + 512] for number in kept}, {block} if kept else set())
        return lost[0], lost[1]

    def test_rare_commands_that_write(self):
        """SBC-4, 5; exclusive or: SBC-3, 5.47 and others. What they write, or which blocks are no longer known."""
        block, new = b"\x07" * 512, b"\x09" * 1024

        def long(action, lba, count):
            return struct.pack(">B6xBHHQ8xI", 0x7f, 0x18, action, 0, lba, count)

        def sixteen(opcode, lba, count, second=0):
            return struct.pack(">BBQHHH", opcode, second, lba, 5, count, 0)
        for kind in (KINDS[0], KINDS[2]):
            for cdb in (sixteen(0x9a, 4, 2), long(0x0b, 4, 2), long(0x0c, 4, 2), long(0x0f, 4, 2), long(0x10, 4, 2)):
                capture = self.capture_of(kind, ("out", scsi.cdb16(0x8a, 0, 8), block * 8), ("out", cdb, new))
                images, missing = self.images(capture)
                with self.subTest(kind=kind, cdb=cdb.hex()):
                    self.assertEqual((missing, list(images.values())), ([], [block * 4 + new + block * 2]))
            for cdb, lost in ((scsi.cdb10(0x50, 4, 2), [(4, 2)]), (scsi.cdb10(0x51, 4, 2), [(4, 2)]), (scsi.cdb10(0x53, 4, 2), [(4, 2)]),
                              (long(0x04, 4, 2), [(4, 2)]), (long(0x06, 4, 2), [(4, 2)]), (long(0x07, 4, 2), [(4, 2)]), (long(0x0e, 4, 2), [(4, 2)]),
                              (scsi.cdb10(0x3f, 4, 520), [(4, 1)]), (scsi.cdb10(0x3f, 4, 520, 0x20), [(0, 32)]),
                              (sixteen(0x9f, 4, 520, 0x11), [(4, 1)]), (sixteen(0x9f, 4, 520, 0x31), [(0, 32)]), (sixteen(0x9f, 0, 2, 0x12), [(0, 32)]),
                              (long(0x11, 0, 2), [(0, 32)]), (bytes([0x94, 0x04]) + bytes(14), [(0, 32)]), (bytes([0x94, 0x02]) + bytes(14), []),
                              (bytes([0x85, 0x0c, 0x06]) + bytes(13), [(0, 32)]), (bytes([0xa1, 0x0c, 0x06]) + bytes(13), [(0, 32)]),
                              (bytes([0x85, 0x08, 0x0e]) + bytes(13), []), (bytes([0x85, 0x06, 0x20]) + bytes(13), [])):
                with self.subTest(kind=kind, cdb=cdb.hex()):
                    self.assertEqual(self.left(kind, ("out", cdb, new)), (lost, []))

    def test_copies_leave_what_is_not_known(self):
        """Identifiers designate the devices: the blocks can be of each unit. Read again, they are known."""
        def cdb(action=0):
            return bytes([scsi.EXTENDED_COPY, action]) + bytes(14)
        two = [scsi.copied_blocks(20, 4, 3), scsi.copied_bytes(20, 9, 1024, 512)]
        for kind in (KINDS[0], KINDS[2]):
            self.assertEqual(self.left(kind, ("out", cdb(), scsi.copy_list(two))), ([(4, 3), (10, 2)],) * 2)
            self.assertEqual(self.left(kind, ("out", cdb(1), scsi.copy_list(two, long=True))), ([(4, 3), (10, 2)],) * 2)
            self.assertEqual(self.left(kind, ("out", cdb(), scsi.copy_list(two)), ("into", scsi.cdb10(0x28, 4, 3), b"\x07" * 1536)),
                             ([(10, 2)], [(4, 3), (10, 2)]))
            # other sizes of blocks: counted in those of the source, or of the destination
            self.assertEqual(self.left(kind, ("out", cdb(), scsi.copy_list([scsi.copied_blocks(1, 2, 1)], (4096, 1024)))), ([(4, 8)],) * 2)
            self.assertEqual(self.left(kind, ("out", cdb(), scsi.copy_list([scsi.copied_blocks(1, 2, 1, True)], (4096, 1024)))), ([(4, 2)],) * 2)
            # refused; failed on the way; with a segment of another kind, or cut: nothing says where it ended
            refused, failed = (scsi.CHECK_CONDITION, scsi.fixed_sense(5, 0x2600)), (scsi.CHECK_CONDITION, scsi.fixed_sense(0xa, 0x0d01))
            self.assertEqual(self.left(kind, ("out", cdb(), scsi.copy_list(two), 0, *refused)), ([], []))
            self.assertEqual(self.left(kind, ("out", cdb(), scsi.copy_list(two), 0, *failed)), ([(4, 3), (10, 2)],) * 2)
            self.assertEqual(self.left(kind, ("out", cdb(), scsi.copy_list([b"\x05" + two[0][1:]]))), ([(0, 32)],) * 2)
            self.assertEqual(self.left(kind, ("out", cdb(), scsi.copy_list(two)[:-1])), ([(0, 32)],) * 2)
            # of the token's unit only; a token that is made, or a copy that is ended, changes nothing
            self.assertEqual(self.left(kind, ("out", cdb(0x11), scsi.token_list((1, 2), (8, 1)))), ([(1, 2), (8, 1)], []))
            for action in (0x10, 0x1c):
                self.assertEqual(self.left(kind, ("out", cdb(action), scsi.token_list((1, 2)))), ([], []))

    def copied(self, kind, segments, pages, **options):
        """(images of units 0 and 1, missing blocks of both) after a copy; unit n has blocks of the byte 16 n + its number."""
        disks = [b"".join(bytes([16 * lun + number]) * 512 for number in range(16)) for lun in (0, 1)]
        jobs = [("out", scsi.cdb16(0x8a, 0, 16), disk, lun) for lun, disk in enumerate(disks)]
        jobs += [("into", scsi.inquiry_cdb(0x83), page, lun) for lun, page in enumerate(pages)]
        status = options.pop("status", (scsi.GOOD, b""))
        jobs.append(("out", bytes([scsi.EXTENDED_COPY, options.get("long", 0)]) + bytes(14), scsi.copy_list(segments, **options), 0, *status))
        images, missing = self.images(self.capture_of(kind, *jobs))
        return ([images["10.0.0.1/%d.img" % lun] for lun in (0, 1)],
                [[(offset // 512, length // 512) for path, offset, length, _ in missing if path.endswith("/%d.img" % lun)] for lun in (0, 1)])

    def test_copies_between_units_that_inquiry_names(self):
        names = [scsi.designator(0x1234), scsi.designator(0x5678)]
        pages = [scsi.identification(scsi.designator(9, association=1), b"\x02\x01\0\x08VENDOR  ", name) for name in names]
        segments = [scsi.copied_blocks(2, 4, 3), scsi.copied_bytes(10, 12, 512, 256, 128)]
        first, second = (b"".join(bytes([16 * lun + number]) * 512 for number in range(16)) for lun in (0, 1))
        for kind in KINDS[0], KINDS[2]:
            wanted = bytearray(second)
            wanted[4 * 512:7 * 512] = first[2 * 512:5 * 512]
            wanted[12 * 512 + 256:13 * 512 + 256] = first[10 * 512 + 128:11 * 512 + 128]
            for long in (False, True):
                images, missing = self.copied(kind, segments, pages, names=names, long=long)
                self.assertEqual((images, missing), ([first, bytes(wanted)], [[], []]))
            # within one unit; the source is not known, the destination is: only that unit is lost
            images, missing = self.copied(kind, segments[:1], pages, names=[names[1]] * 2)
            self.assertEqual((images[1][4 * 512:7 * 512], missing), (second[2 * 512:5 * 512], [[], []]))
            images, missing = self.copied(kind, segments[:1], pages, names=[scsi.designator(7), names[1]])
            self.assertEqual(missing, [[], [(4, 3)]])
            # the destination is not known; two units have one name; a target port has it; other lengths and kinds
            for others, by in ((pages, [names[0], scsi.designator(7)]), ([pages[1]] * 2, names), ([pages[0], scsi.identification(scsi.designator(0x5678, association=1))], names),
                               (pages, [names[0], scsi.designator(0x5678, kind=2)]), ([pages[0], pages[1][:-1]], names), ([], names)):
                self.assertEqual(self.copied(kind, segments[:1], others, names=by)[1], [[(4, 3)]] * 2)
            # failed on the way, or with blocks of other sizes: where it wrote is known
            failed = (scsi.CHECK_CONDITION, scsi.fixed_sense(0xa, 0x0d01))
            self.assertEqual(self.copied(kind, segments[:1], pages, names=names, status=failed)[1], [[], [(4, 3)]])
            self.assertEqual(self.copied(kind, [scsi.copied_blocks(0, 2, 1)], pages, names=names, sizes=(1024, 512))[1], [[], [(2, 2)]])

    def test_what_destroys_all(self):
        for kind in (KINDS[0], KINDS[2]):
            for opcode in (0x04, 0x48):
                self.assertEqual(self.left(kind, ("into", bytes([opcode]) + bytes(15), b"")), ([(0, 32)], []), opcode)

    def test_luns_are_apart(self):
        for kind in (KINDS[0], KINDS[2]):
            capture = self.capture_of(kind, *(("out", scsi.cdb10(0x2a, 0, 1), bytes([lun + 1]) * 512, lun) for lun in (0, 1, 7)))
            images, _ = self.images(capture)
            self.assertEqual(images, {"10.0.0.1/%d.img" % lun: bytes([lun + 1]) * 512 for lun in (0, 1, 7)})


class Others(Nvme):
    """Requests that are not SCSI commands."""

    def found(self, scene):
        return [(o["name"], o.get("status"), o.get("ok"), o["object"].rsplit("/", 1)[-1]) for o in self.operations(self.capture(scene))][1:]

    def test_task_management_of_srp(self):
        scene = Scene("scsi", "")
        srp = scsi.Srp(Connection(scene))
        scene.put(*srp.out(scsi.cdb10(0x2a, 4, 1), bytes(512)))
        for function, result in ((1, 0), (8, 4), (2, 5), (0x33, 99)):
            scene.put(*srp.task(function, result, 3))
        self.assertEqual(self.found(scene), [("ABORT TASK", "function complete", True, "3"), ("LOGICAL UNIT RESET", "function not supported", False, "3"),
                                             ("ABORT TASK SET", "function failed", False, "3"), ("Task Management", "response 0x63", False, "3")])
        rows = self.lines("-r", self.path("scene.pcap"), "-T", "fields", "-Y", "srp.rsp.rsp_code", "-e", "srp.rsp.rsp_code")
        self.assertEqual([int(row, 0) for row in rows], [0, 4, 5, 99])
        header, frames = records(read(self.path("scene.pcap")))
        at = max(i for i, (_, data, _) in enumerate(frames) if len(data) > 54 + 36)  # the last response: its result is truncated
        frames[at] = (frames[at][0], frames[at][1][:54 + 36], frames[at][2])
        capfile.write_pcap(self.path("cut.pcap"), 1, frames)
        last = [json.loads(line) for line in self.lines("operations", "--json", self.path("cut.pcap"))][-1]
        self.assertEqual((last["name"], "response_frame" in last, last.get("status"), last.get("ok")), ("Task Management", True, None, None))

    def test_responses_of_several_packets(self):
        """Sense data longer than a packet: the response is shown whole, with the frame of its command."""
        sense = scsi.descriptor_sense(5, 0x2400) + bytes((0x80, 244)) + bytes(range(244))
        for make, opcode in ((scsi.Srp, "srp.opcode == 0xc1"), (scsi.Iser, "iscsi.opcode == 0x21")):
            scene = Scene("scsi", "")
            maker = make(Connection(scene))
            scene.put(*maker.out(scsi.cdb10(0x2a, 4, 1), bytes(512)))
            scene.put(*maker.out(scsi.cdb10(0x2a, 5, 1), bytes(512), 0, scsi.CHECK_CONDITION, sense))
            failed = self.operations(self.capture(scene))[-1]
            self.assertEqual((failed["name"], failed["ok"], failed["complete"]), ("WRITE(10)", False, True))
            row, = self.lines("-r", self.path("scene.pcap"), "-T", "fields", "-Y", opcode + " && scsi.sns.key", "-e", "frame.number",
                              "-e", "scsi.request_frame", "-e", "scsi.sns.ascascq", "-e", "infiniband.bth.opcode")
            frame, command, code, packet = (int(text, 0) for text in row.split("\t"))
            self.assertEqual((command, code, packet), (failed["request_frame"], 0x2400, 2), make)
            self.assertGreater(frame, failed["response_frame"])

    def test_requests_of_the_target_by_srp(self):
        scene = Scene("scsi", "")
        srp = scsi.Srp(Connection(scene))
        scene.put(*srp.out(scsi.cdb10(0x2a, 4, 1), bytes(512)))
        scene.put(*srp.target_units())
        rows = [json.loads(line) for line in self.lines("-r", self.capture(scene), "-T", "json", "-Y", "srp.opcode")][2:]
        self.assertEqual([row["srp.opcode"] for row in rows], [0x81, 0x41, 0x82, 0x42, 0x80])
        self.assertEqual((rows[0]["srp.credit.req_lim_delta"], rows[2]["scsi.sns.ascascq"], rows[4]["srp.t_logout.reason"]), (5, 0x2900, 1))

    def test_pdus_of_iscsi(self):
        for over_iwarp in (False, True):
            scene = iwarp_scene.Connection(3260) if over_iwarp else Scene("scsi", "")
            iser = scsi.Iser(scene if over_iwarp else Connection(scene))
            scene.put(*iser.out(scsi.cdb10(0x2a, 4, 1), bytes(512)))
            iser.tag = 0x100
            scene.put(*iser.pdu(0x02, 0x81, lun=2, words=(0xff, 1, 1, 0, 0, 0, 0)), *iser.pdu(0x22, second=1, end="b"))
            iser.tag = 0x101
            scene.put(*iser.pdu(0x40, words=(0xffffffff, 1, 1, 0, 0, 0, 0)), *iser.pdu(0x20, words=(0xffffffff, 1, 1, 0, 0, 0, 0), end="b"))
            scene.put(*iser.pdu(0x20, tag=0xffffffff, words=(5, 1, 1, 0, 0, 0, 0), end="b"))
            iser.tag = 0x102
            scene.put(*iser.pdu(0x04, data=b"SendTargets=All\0"), *iser.pdu(0x24, data=b"TargetName=iqn.x\0", end="b"))
            scene.put(*iser.pdu(0x32, tag=0xffffffff, words=(0, 1, 1, 1, 0x01000000, 0, 0), end="b"))
            iser.tag = 0x103
            scene.put(*iser.pdu(0x46, 0x81), *iser.pdu(0x26, second=1, end="b"))
            self.assertEqual(self.found(scene)[:4], [
                ("ABORT TASK", "task does not exist", False, "2"), ("NOP", "success", True, "10.0.0.1"), ("Text", "success", True, "10.0.0.1"),
                ("Logout", "CID not found", False, "10.0.0.1")])
            self.assertEqual(len(self.found(scene)), 4)
            path = self.capture(scene)
            event, = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "iscsi.opcode == 0x32")]
            self.assertEqual(event["iscsi.asyncevent"], 1)

    def test_fields_of_pdus(self):
        """RFC 7143, 11.4 to 11.17: each PDU of iSCSI that iSER carries, with a value of its own in each field."""
        scene = Scene("scsi", "")
        iser = scsi.Iser(Connection(scene))
        iser.tag = 0x1234
        rows = (
            (dict(opcode=0x43, flags=0x87, second=2, third=1, words=(0x00030000, 5, 6, 0, 0, 0, 0), area=0x00023d0000010009, data=b"TargetName=iqn.a\0"),
             {"login.T": True, "login.C": False, "login.csg": 1, "login.nsg": 3, "versionmax": 2, "versionmin": 1, "tsih": 9, "cid": 3, "cmdsn": 5, "expstatsn": 6}),
            (dict(opcode=0x23, flags=0x04, second=0, third=0, words=(0, 7, 8, 9, 0x02030000, 0, 0), area=0x00023d000001000a, end="b"),
             {"login.T": False, "login.csg": 1, "login.nsg": 0, "versionactive": 0, "tsih": 10, "statsn": 7, "expcmdsn": 8, "maxcmdsn": 9, "login.status": 0x0203}),
            (dict(opcode=0x40, words=(0xffffffff, 1, 2, 0, 0, 0, 0), data=b"ping"), {"I": True, "targettransfertag": 0xffffffff, "datasegmentlength": 4}),
            (dict(opcode=0x02, flags=0x85, words=(0x77, 1, 2, 0x66, 0, 0, 0), lun=1), {"taskmanfun.function": 5, "taskmanfun.referencedtasktag": 0x77, "refcmdsn": 0x66}),
            (dict(opcode=0x22, second=5, end="b"), {"taskmanfun.response": 5}),
            (dict(opcode=0x21, flags=0x86, second=1, third=2, words=(0, 1, 2, 3, 4, 5, 6), end="b"),
             {"scsiresponse.O": True, "scsiresponse.U": True, "scsiresponse.o": False, "scsiresponse.u": False, "scsiresponse.response": 1,
              "scsiresponse.status": 2, "expdatasn": 4, "scsiresponse.bidireadresidualcount": 5, "scsiresponse.residualcount": 6}),
            (dict(opcode=0x32, tag=0xffffffff, words=(0, 1, 1, 1, 0x02070001, 0x00030004, 0), end="b"),
             {"asyncevent": 2, "eventvendorcode": 7, "parameter1": 1, "parameter2": 3, "parameter3": 4}),
            (dict(opcode=0x3f, second=9, tag=0xffffffff, data=bytes(48), end="b"), {"reject.reason": 9}),
            (dict(opcode=0x31, words=(0x55, 1, 1, 9, 3, 512, 1024), end="b"), {"targettransfertag": 0x55, "r2tsn": 3, "bufferOffset": 512, "desireddatalength": 1024}),
            (dict(opcode=0x05, words=(0x55, 0, 1, 0, 4, 640, 0), data=bytes(64)), {"scsidata.F": True, "datasn": 4, "bufferOffset": 640}),
            (dict(opcode=0x04, flags=0xc0, data=b"SendTargets=All\0"), {"text.F": True, "text.C": True}),
            (dict(opcode=0x06, flags=0x81, words=(0x00070000, 1, 1, 0, 0, 0, 0)), {"logout.reason": 1, "cid": 7}),
            (dict(opcode=0x26, second=1, words=(0, 1, 1, 9, 0, 0x00020014, 0), end="b"), {"logout.response": 1, "time2wait": 2, "time2retain": 20}),
        )
        for values, _ in rows:
            scene.put(*iser.pdu(**values))
        found = [json.loads(line) for line in self.lines("-r", self.capture(scene), "-T", "json", "-Y", "iscsi")]
        self.assertEqual(len(found), len(rows))
        for row, (values, wanted) in zip(found, rows):
            with self.subTest(values=values):
                self.assertEqual({name: row.get("iscsi." + name) for name in wanted}, wanted)

    def test_data_of_pdus(self):
        """RFC 7143, 11.2.3: the data segment is padded to whole words; which data it is depends on the PDU."""
        scene = Scene("iser", "")
        host = scsi.Iser(Connection(scene), immediate=4096)
        scene.put(*host.pdu(0x00, words=(0xffffffff, 1, 1, 0, 0, 0, 0), data=b"ping!"))
        scene.put(*host.pdu(0x20, tag=0xffffffff, words=(1, 1, 1, 9, 0, 0, 0), data=b"pong", end="b"))
        scene.put(*host.pdu(0x32, tag=0xffffffff, words=(0, 1, 1, 9, 0, 0, 0), data=b"event", end="b"))
        scene.put(*host.out(b"\x2a" + bytes(7) + b"\x02" + bytes(7), b"\xa5" * 1022))
        path = self.path("scene.pcap")
        scene.write_capture(path)
        names = ("pingdata", "asynceventdata", "immediatedata", "padding")
        rows = [line.split("\t") for line in self.lines("-r", path, "-Y", "iscsi", "-T", "fields", *(word for name in names for word in ("-e", "iscsi." + name)))]
        self.assertEqual([row for row in rows if any(row)],
                         [[b"ping!".hex(), "", "", "000000"], [b"pong".hex(), "", "", ""], ["", b"event".hex(), "", "000000"], ["", "", "a5" * 1022, "0000"]])

    def test_header_segments(self):
        """RFC 7143, 11.2.2: segments of a command, with lengths that need padding; immediate data follows them."""
        scene = Scene("iser", "")
        host = scsi.Iser(Connection(scene))
        segment = lambda kind, data: (struct.pack(">HBx", len(data) + 1, kind) + data).ljust((4 + len(data) + 3) // 4 * 4, b"\0")
        segments = segment(1, b"extended cdb!!") + segment(2, struct.pack(">I", 4096)) + segment(9, b"other")
        unit = bytearray(host.unit(1, 0, b"\x7f" + bytes(15), 4, data=b"DATA"))
        unit[28 + 4] = len(segments) // 4
        scene.put(*host.send("a", bytes(unit[:76]) + segments + bytes(unit[76:])))
        scene.put(*host.answer())
        ahs = "iscsi.ahs."
        row, = self.rows_of(scene, "iscsi.ahs")
        self.assertEqual({name: row.get(ahs + name) for name in ("length", "type", "extended_cdb", "bidir.length", "unknown_blob")},
                         {"length": [15, 5, 6], "type": [1, 2, 9], "extended_cdb": [b"extended cdb!!".hex()], "bidir.length": [4096],
                          "unknown_blob": [b"other".hex()]})
        self.assertEqual(self.lines("-r", self.path("scene.pcap"), "-Y", "iscsi.ahs", "-T", "fields", "-e", "iscsi.immediatedata"), [b"DATA".hex()])

    def test_snack_and_data_in(self):
        """RFC 7143, 11.16 and 11.7."""
        scene = Scene("iser", "")
        host = scsi.Iser(Connection(scene))
        scene.put(*host.pdu(0x10, 0x81, lun=3, words=(0xaabbccdd, 0, 7, 0, 0, 5, 2)))
        scene.put(*host.pdu(0x25, 0xc3, third=8, lun=3, words=(0x11223344, 6, 7, 9, 4, 512, 100), end="b"))
        scene.put(*host.pdu(0x25, 0x80, third=8, words=(0x11223344, 6, 7, 9, 4, 512, 0), end="b"))
        snack, last, data = self.rows_of(scene, "iscsi")
        for row, wanted in (
                (snack, {"snack.type": 1, "snack.begrun": 5, "snack.runlength": 2, "targettransfertag": 0xaabbccdd, "expstatsn": 7, "scsidata.F": None}),
                (last, {"scsidata.F": True, "scsidata.A": True, "scsidata.O": False, "scsidata.U": True, "scsidata.S": True, "datasn": 4,
                        "bufferOffset": 512, "scsidata.readresidualcount": 100, "scsiresponse.status": 8, "targettransfertag": 0x11223344}),
                (data, {"scsidata.A": False, "scsidata.S": False, "scsiresponse.status": None, "snack.type": None})):
            self.assertEqual({name: row.get("iscsi." + name) for name in wanted}, wanted)

    def test_hello(self):
        """RFC 7145, 9.3 and 9.4."""
        scene = Scene("iser", "")
        host = scsi.Iser(Connection(scene))
        scene.put(*host.pdu(0x00, words=(0xffffffff, 1, 1, 0, 0, 0, 0)))
        scene.put(*host.send("a", struct.pack(">BBH24x", 0x20, 0xa1, 128)))
        scene.put(*host.send("b", struct.pack(">BBH24x", 0x31, 0xa2, 16)))
        hello, reply = self.rows_of(scene, "iser.hello || iser.hello_reply")
        self.assertEqual({name: hello.get("iser." + name) for name in ("flags.opcode", "maxver", "minver", "ird", "ord", "flags.rej", "flags.wsv")},
                         {"flags.opcode": 2, "maxver": 10, "minver": 1, "ird": 128, "ord": None, "flags.rej": None, "flags.wsv": None})
        self.assertEqual({name: reply.get("iser." + name) for name in ("flags.opcode", "maxver", "curver", "ird", "ord", "flags.rej")},
                         {"flags.opcode": 3, "maxver": 10, "curver": 2, "ird": None, "ord": 16, "flags.rej": True})
        self.assertIn("iSER HelloReply rejected, ORD 16", self.good("-r", self.path("scene.pcap")).decode())

    def rows_of(self, scene, condition):
        scene.write_capture(self.path("scene.pcap"))
        return [json.loads(line) for line in self.lines("-r", self.path("scene.pcap"), "-T", "json", "-Y", condition)]

    def test_rejected_pdus(self):
        """RFC 7143, 11.17: a Reject has the header of the rejected PDU, and takes the place of the response if there is none."""
        scene = Scene("scsi", "")
        iser = scsi.Iser(Connection(scene))
        for answered in (False, True):
            _, address = iser.next()
            unit = iser.unit(1, 3, scsi.cdb10(0x28, 0x55, 8), 4096, into=(address, 0x99))
            scene.put(*iser.send("a", unit))
            scene.put(*iser.pdu(0x3f, second=5, tag=0xffffffff, words=(0xffffffff, 3, 4, 9, 0, 0, 0), data=unit[28:76], end="b"))
            if answered:
                scene.put(*iser.answer(scsi.CHECK_CONDITION, scsi.fixed_sense(5, 0x2000)))
        # neither a whole header, nor one of a known command
        scene.put(*iser.pdu(0x3f, second=9, tag=0xffffffff, data=unit[28:72], end="b"))
        scene.put(*iser.pdu(0x3f, second=0x77, tag=0xffffffff, data=unit[28:44] + bytes(32), end="b"))
        path = self.capture(scene)
        self.assertEqual([(one["name"], one["status"], one["ok"], "response_frame" in one) for one in self.operations(path)],
                         [("READ(10)", "rejected: command not supported", False, False),
                          ("READ(10)", "ILLEGAL REQUEST: invalid command operation code", False, True)])
        rows = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "iscsi.reject.reason")]
        self.assertEqual([(row["iscsi.reject.reason"], row.get("iscsi.opcode#2"), row.get("scsi_sbc.opcode")) for row in rows],
                         [(5, 1, 0x28), (5, 1, 0x28), (9, None, None), (0x77, 1, 0)])

    def test_data_between_packets_that_the_network_lost(self):
        """A command and the first WRITE for another one are captured with their retransmissions only, after other data of both commands."""
        for shown in (True, False):
            scene = Scene("scsi", "")
            talk = Connection(scene, port=60000)
            srp = scsi.Srp(talk, 3)
            talk.establish()
            reader, writer = srp.into(scsi.cdb10(0x28, 8, 3), bytes([1]) * 1536), srp.out(scsi.cdb10(0x2a, 40, 3), bytes([2]) * 1536)
            lost, other = srp.out(bytes(16), b"")[:1], srp.out(bytes(16), b"")[:1]
            data, asked = reader[2:-2], [packet for packet in writer[2:-2] if packet.sender == "b"]
            scene.put(reader[0], writer[0], *(lost if shown else []), *other)
            scene.put(*data[2:], reader[-2], *asked)
            scene.put(*lost, *other, *data, reader[-2], *asked)
            scene.put(reader[1], *(packet for packet in writer[2:-2] if packet.sender == "a"), *writer[-2:])
            rows = self.operations(self.capture(scene))[:2]
            self.assertEqual([(o["name"], o["data_bytes"], o["carried"], o["complete"]) for o in rows],
                             [("READ(10)", 1536, "write", True), ("WRITE(10)", 1536, "read", True)], shown)

    def test_reads_at_once_of_memory_whose_beginning_the_first_one_shows(self):
        """RFC 7145, 6.9: with immediate data it is unknown where the rest of the data begins in the memory, until a READ was answered."""
        for of_all in (True, False):
            scene = Scene("iser", "")
            iser = scsi.Iser(Connection(scene), 512, of_all, 1024)
            data = bytes([3]) * 2560
            scene.put(*iser.out(bytes(16), b""))
            iser.next()
            scene.put(*iser.send("a", iser.unit(1, 0, bytes(16), 0)))
            key, address = iser.next()
            scene.put(*iser.send("a", iser.unit(1, 0, scsi.cdb10(0x2a, 4, 5), len(data), (address, key), data=data[:512])))
            start = address + 512 * of_all
            one, two = iser.reading(key, start, data[512:1536]), iser.reading(key, start + 1024, data[1536:])
            iser.tag -= 1
            other = iser.answer()
            iser.tag += 1
            scene.put(one[0], two[0], *other, *one[1:], *two[1:], *iser.answer())
            found = self.operations(self.capture(scene))[2]
            self.assertEqual((found["data_bytes"], found["carried"], found["complete"]), (2560, "mixed", True), of_all)

    def test_long_commands_of_iser(self):
        """READ(32): SBC-4, 5.19."""
        for over_iwarp in (False, True):
            scene = iwarp_scene.Connection(3260) if over_iwarp else Scene("scsi", "")
            iser = scsi.Iser(scene if over_iwarp else Connection(scene))
            cdb = struct.pack(">B6xBHBxQIHHI", 0x7f, 24, 9, 0, 77, 0, 0, 0, 2)
            scene.put(*iser.out(scsi.cdb10(0x2a, 4, 1), bytes(512)), *iser.long_into(cdb, bytes([5]) * 1024))
            row = self.operations(self.capture(scene))[1]
            self.assertEqual((row["name"], row["lba"], row["blocks"], row["data_bytes"]), ("READ(32)", 77, 2, 1024))
            images, _ = self.images(self.capture(scene))
            image, = images.values()
            self.assertEqual(image[77 * 512:79 * 512], bytes([5]) * 1024)
