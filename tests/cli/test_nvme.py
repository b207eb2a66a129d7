# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""NVMe over RDMA: commands and images against the record of an application, and against a host and controller in Python (generate/nvme.py)."""
import hashlib
import json
import os
import random
import shutil
import struct
import subprocess
import zlib

import capfile
import nvme
import nvme_queues
from cli import CliTest, TESTDATA, differing, needs, read
from conversation import Connection, Scene

REAL = os.path.join(TESTDATA, "roce-nvmeof.pcap.gz")
# Data that the application wrote and read back: offset, length, SHA-256
DONE = (
    (1892352, 4096, "fb797fd0c0a818672588c0ce63c8b04387ae7ba554c1ae04e2cbb4ca55cddb61"),
    (1687552, 12288, "acb24950c5ae1bf27e97bf1e366c6a0d1e5a3259ed66c8500426dcd5202b1ed7"),
    (3592192, 16384, "571efe51d18e683aed329fe474bbda90dc88c20717535bd01610c6b44c0ebaaa"),
    (1998848, 65536, "4e16b845fc8192e0c0d28430fbf857b2c4184449b90955feac6c9945a25c2441"),
    (561152, 262144, "d45e28ef0eb6060f574dab668720c0fa94cd5326581ef326ccd225f7a2fa88e4"),
)
NQN = nvme.NQN.decode()


class Nvme(CliTest):
    def operations(self, capture, *options):
        return [json.loads(line) for line in self.lines("operations", "--json", *options, capture)]

    def images(self, capture):
        """({path below block/: bytes}, [(path, offset, length, reason)])"""
        folder = self.path("images")
        shutil.rmtree(folder, ignore_errors=True)
        done = self.run_program("export", "--files", folder, capture)
        missing = [line.split("\t") for line in done.stdout.decode().splitlines()]
        found = {}
        for path, _, names in os.walk(os.path.join(folder, "block")):
            for name in names:
                with open(os.path.join(path, name), "rb") as f:
                    found[os.path.relpath(os.path.join(path, name), os.path.join(folder, "block"))] = f.read()
        return found, [(path, int(offset), int(length), reason) for path, offset, length, reason in missing]

    def check_reads(self, capture, image, names):
        """The WRITEs of each read, in captured order, equal the bytes of the image. Returns the number of reads."""
        messages = [m for m in map(json.loads, self.lines("messages", "--json", "--checksum", capture)) if m.get("verb") == "write"]
        count = 0
        for one in self.operations(capture):
            if one["name"] not in names or "offset" not in one or one["carried"] != "write":
                continue
            at = one["offset"]
            for message in messages:
                if one["first_data_frame"] <= message["first_frame"] and message["last_frame"] <= one["last_data_frame"]:
                    self.assertEqual(message["crc32"], "%08x" % zlib.crc32(image[at:at + message["length"]]), (one["operation"], message["message"]))
                    at += message["length"]
            self.assertEqual(at - one["offset"], one["length"])
            count += 1
        return count

    def without_setup(self, make, layer, requests=2):
        """Operations of a connection whose CM REQ and first acknowledgement were not captured: the response comes before the two ends are known."""
        scene = Scene("half", "")
        talk = Connection(scene, port=4420)
        talk.establish()
        scene.put(*make(talk))
        frames, part = list(capfile.read(self.capture(scene))), self.path("half.pcap")
        capfile.write_pcap(part, 1, frames[1:4] + frames[5:])
        found = self.operations(part, *(word for number in ("0x11", "0x22") for word in ("--decode-as", "qp=%s,%s" % (number, layer))))
        self.assertEqual([("request_frame" in o, "response_frame" in o, o["complete"]) for o in found], [(True, True, True)] * requests)
        return [(o["name"], o.get("status"), o.get("ok")) for o in found]

    def scene(self):
        scene = Scene("nvme", "")
        talk = Connection(scene)
        return scene, talk, nvme.Host(talk)

    def put(self, scene, *rows):
        for row in rows:
            for packets in row:
                scene.put(*packets)

    def capture(self, scene):
        path = self.path("scene.pcap")
        scene.write_capture(path)
        return path


class Real(Nvme):
    def test_parts_of_a_descriptor_are_those_of_its_type(self):
        """Base, 4.1.2.1: a bit bucket and a transport data block have no address, others are not defined or the vendor's."""
        frames, fields, commands = list(capfile.read(REAL)), ("addr", "len", "key", "rsvd"), (4, 34)  # a Connect and an Identify
        at = 54 + 39  # after Ethernet, IPv4, UDP and BTH
        names = ["-e", "frame.number", "-e", "nvme.cmd.sgl.type"] + [word for name in fields for word in ("-e", "nvme.cmd.sgl1." + name)]
        for kind, parts in ((0, "addr len rsvd"), (1, "len rsvd"), (2, "addr len rsvd"), (3, "addr len rsvd"), (4, "addr len key"),
                            (5, "len rsvd"), (6, ""), (15, "")):
            changed = [data[:at] + bytes([kind << 4]) + data[at + 1:] if number in commands else data for number, (_, data, _) in enumerate(frames[:40], 1)]
            path = self.path("types.pcap")
            capfile.write_pcap(path, 1, [((1700000000 * 10**6 + i) * 1000, data, len(data)) for i, data in enumerate(changed)])
            rows = {row[0]: row[1:] for row in (line.split("\t") for line in self.lines("-r", path, "-T", "fields", *names)) if row[1]}
            for command in commands:
                number, *found = rows[str(command)]
                self.assertEqual((int(number, 0), " ".join(name for name, value in zip(fields, found) if value)), (kind, parts), command)

    def test_commands_are_those_of_the_application(self):
        data = [o for o in self.operations(REAL) if o["name"] in ("Write", "Read") and o["object"] == "nqn.test/1"][-10:]
        self.assertEqual([(o["name"], o["offset"], o["length"], o["data_bytes"], o["ok"], o["complete"]) for o in data],
                         [(name, offset, length, length, True, True) for offset, length, _ in DONE for name in ("Write", "Read")])
        # up to 16 KiB fit into a capsule
        self.assertEqual([o["carried"] for o in data if o["name"] == "Write"], ["inline"] * 3 + ["read"] * 2)
        self.assertEqual({o["carried"] for o in data if o["name"] == "Read"}, {"write"})

    def test_every_command_is_listed_once(self):
        """As many as there are SENDs of 64 bytes or more from the host."""
        messages = [json.loads(line) for line in self.lines("messages", "--json", REAL)]
        sends = [m for m in messages if m.get("verb") == "send" and m.get("direction") == "a>b" and m["length"] >= 64]
        self.assertEqual(len(self.operations(REAL)), len(sends))

    def test_the_image_equals_the_data_written(self):
        images, missing = self.images(REAL)
        self.assertEqual(missing, [])
        self.assertEqual(list(images), ["nqn.test/1.img"])
        for offset, length, digest in DONE:
            self.assertEqual(hashlib.sha256(images["nqn.test/1.img"][offset:offset + length]).hexdigest(), digest, offset)

    def test_the_data_of_reads_by_messages(self):
        """The data of each RDMA WRITE of a Read command, from the image."""
        image = self.images(REAL)[0]["nqn.test/1.img"]
        checked = 0
        writes = {(m["first_frame"]): m for m in map(json.loads, self.lines("messages", "--json", "--checksum", REAL)) if m.get("verb") == "write"}
        for one in self.operations(REAL):
            message = writes.get(one.get("first_data_frame"))
            if one["name"] == "Read" and message and message["length"] == one["length"]:
                from conversation import crc
                self.assertEqual(message["crc32"], crc(image[one["offset"]:one["offset"] + one["length"]]))
                checked += 1
        self.assertGreaterEqual(checked, 5)

    def test_without_a_packet_nothing_wrong_is_exported_as_right(self):
        frames = list(capfile.read(REAL))
        whole = self.images(REAL)[0]["nqn.test/1.img"]
        choice = random.Random(11)
        for lost in sorted(choice.sample(range(200, len(frames) - 20), 25)):
            path = self.path("lossy.pcap")
            capfile.write_pcap(path, 1, frames[:lost] + frames[lost + 1:])
            images, missing = self.images(path)
            for name, image in images.items():
                unknown = [(offset, offset + length) for path, offset, length, _ in missing if path == "block/" + name]
                for offset, length, _ in DONE:
                    here = image[offset:offset + length]
                    if len(here) == length and here != whole[offset:offset + length] and any(here):
                        wrong = differing(here, whole[offset:offset + length])
                        self.assertTrue(all(any(b <= offset + i < e for b, e in unknown) for i in wrong), (lost, name, offset))

    def test_in_the_middle_of_the_stream(self):
        frames = list(capfile.read(REAL))
        path = self.path("late.pcap")
        capfile.write_pcap(path, 1, frames[280:])
        names = [(o["name"], o.get("offset"), o["object"]) for o in self.operations(path) if o["name"] in ("Write", "Read")]
        self.assertEqual(names, [(name, offset, "?/1") for offset, _, _ in DONE for name in ("Write", "Read")])
        images, _ = self.images(path)
        self.assertEqual(list(images), ["10.0.0.1/1.img"])


class Halves(Nvme):
    def test_the_status_of_a_response_before_the_ends_are_known(self):
        for status, name in ((0, "success"), (0x281, "Unrecovered Read Error")):
            def make(talk):
                host = nvme.Host(talk)
                return [packet for code in (status, 0) for part in host.simple(nvme.FLUSH, 0, 1, code) for packet in part]
            self.assertEqual(self.without_setup(make, "nvme"), [("Flush", name, not status), ("Flush", "success", True)])


class Descriptors(Nvme):
    """All forms of SGLs that name memory: Base, 4.1.2; over RDMA: NVMe over Fabrics 1.1, 7.3.4."""

    def run_job(self, job):
        scene, _, host = self.scene()
        # shows that it is an I/O queue
        for part in (*host.write(0, bytes(512)), *job(host)):
            scene.put(*part)
        path = self.capture(scene)
        return self.operations(path)[1:], self.images(path)

    def test_keyed_with_and_without_invalidation(self):
        data = os.urandom(1024)
        for kind in nvme.KEYED, nvme.INVALIDATE:
            def job(host):
                cid, key, address = host.next()
                request, responses = host.talk.read("b", len(data), key, address, data)
                yield host.send("a", nvme.blocks(nvme.WRITE, cid, 1, 4, 2, nvme.keyed(address, len(data), key, kind)))
                yield [request] + responses
                yield host.answer(cid, key=key if kind == nvme.INVALIDATE else None)
            rows, (images, missing) = self.run_job(job)
            self.assertEqual((rows[0]["data_bytes"], rows[0]["ok"], images["10.0.0.1/1.img"][2048:], missing), (1024, True, data, []))

    def test_segments_of_descriptors_in_the_capsule(self):
        data = os.urandom(4096)
        for kind in 0x21, 0x31:
            for opcode in nvme.WRITE, nvme.READ:
                rows, (images, missing) = self.run_job(lambda host: host.scattered(opcode, 8, data, (512, 1536, 2048), kind=kind))
                self.assertEqual((rows[0]["data_bytes"], rows[0]["length"], rows[0]["complete"]), (4096, 4096, True))
                self.assertEqual((images["10.0.0.1/1.img"][4096:], missing), (data, []))
        row = json.loads(self.lines("-r", self.path("scene.pcap"), "-T", "json", "-Y", "nvme.cmd.sgl_list.type")[0])
        self.assertEqual((row["nvme.cmd.sgl.type"], row["nvme.cmd.sgl_list.type"], row["nvme.cmd.sgl_list.len"]), (3, [4, 4, 4], [512, 1536, 2048]))

    def test_bit_buckets(self):
        """The controller discards the blocks of a bit bucket; they stay unknown."""
        data = os.urandom(4096)
        rows, (images, missing) = self.run_job(lambda host: host.scattered(nvme.READ, 8, data, (1024, 1024, 2048), buckets=(1,)))
        self.assertEqual(rows[0]["data_bytes"], 3072)
        image = images["10.0.0.1/1.img"][4096:]
        self.assertEqual((image[:1024], image[2048:]), (data[:1024], data[2048:]))
        self.assertEqual([(offset, length) for _, offset, length, _ in missing], [(4096 + 1024, 1024)])

    def known(self, job):
        """The same on a connection whose setup was captured, after a write that shows the size of blocks."""
        scene = Scene("nvme", "")
        talk = Connection(scene, port=4420)
        talk.establish()
        host = nvme.Host(talk)
        scene.put(*host.connect())
        for part in (*host.write(64, bytes(512)), *job(host)):
            scene.put(*part)
        path = self.capture(scene)
        images, missing = self.images(path)
        row = self.operations(path)[-1]
        return row, images[NQN + "/1.img"], [(offset, length) for _, offset, length, _ in missing]

    def test_an_offset_in_the_capsule(self):
        """Base, 4.1.2.1: data in the capsule begins at the descriptor's offset; other bytes can be around it."""
        data = random.Random(2).randbytes(1024)
        for before, after in ((0, 0), (16, 0), (64, 100), (0, 7)):
            def job(host):
                cid, _, _ = host.next()
                sgl = nvme.in_capsule(1024, before)
                yield host.send("a", nvme.blocks(nvme.WRITE, cid, 1, 0, 2, sgl) + b"\xee" * before + data + b"\xee" * after)
                yield host.answer(cid)
            row, image, missing = self.known(job)
            self.assertEqual((row["name"], row["data_bytes"], row["complete"], image[:1024] == data, missing), ("Write", 1024, True, True, []), before)

    def test_a_segment_after_a_segment(self):
        data = random.Random(3).randbytes(1536)
        def job(host):
            cid, key, address = host.next()
            last, rows = nvme.segment(*(nvme.keyed(address + 0x1000 * i, 512, key + i, nvme.KEYED) for i in (1, 2)))
            rows = nvme.keyed(address, 512, key, nvme.KEYED) + struct.pack("<Q", 32) + last[8:] + rows
            yield host.send("a", nvme.blocks(nvme.WRITE, cid, 1, 0, 3, struct.pack("<QI3xB", 0, 32, 0x21)) + rows)
            for i in range(3):
                request, responses = host.talk.read("b", 512, key + i, address + 0x1000 * i, data[512 * i:512 * i + 512])
                yield [request] + responses
            yield host.answer(cid)
        row, image, missing = self.known(job)
        self.assertEqual((row["data_bytes"], row["complete"], image[:1536] == data, missing), (1536, True, True, []))

    def test_data_that_is_not_followed(self):
        """Of a transport data block, a block without a key, and one in the capsule among others: the command is not complete."""
        data = random.Random(4).randbytes(1024)
        for sgl, rows in ((struct.pack("<8xI3xB", 1024, 0x5a), b""), (struct.pack("<QI3xB", 0x1000, 1024, 0), b""),
                          nvme.segment(struct.pack("<QI3xB", 16, 1024, 1))):
            def job(host):
                cid, _, _ = host.next()
                yield host.send("a", nvme.blocks(nvme.WRITE, cid, 1, 0, 2, sgl) + rows + (data if rows else b""))
                yield host.answer(cid)
            row, image, missing = self.known(job)
            self.assertEqual((row["name"], row["data_bytes"], row["complete"], missing), ("Write", 0, False, [(0, 1024)]))

    def test_metadata(self):
        """Its pointer can be that of an SGL (PSDT 2). After each block it is not a part of the next one. Base, 3.3.3.1; NVM, 5.2.3."""
        data = random.Random(5).randbytes(1040)
        for length in (1024, 1040):
            def job(host):
                cid, key, address = host.next()
                entry = bytearray(nvme.blocks(nvme.READ, cid, 1, 0, 2, nvme.keyed(address, length, key)))
                if length == 1024:
                    entry[1], entry[16:24] = 0x80, struct.pack("<Q", 0x40)
                yield host.send("a", bytes(entry))
                yield host.talk.write("b", length, key, address, data=data[:length])
                yield host.answer(cid)
            row, image, missing = self.known(job)
            self.assertEqual((row["name"], row["length"], row["data_bytes"], row["complete"]), ("Read", 1024, length, True))
            self.assertEqual((image[:1024], missing), (data[:1024], []) if length == 1024 else (bytes(1024), [(0, 1024)]))

    def test_commands_without_sgl(self):
        """A command with PRPs (PSDT 0) or a reserved value breaks Base, 3.3.3.1 and 4.1.2; the controller rejects it (Invalid Field in Command)."""
        for psdt in (0, 3):
            def job(host):
                cid, key, address = host.next()
                entry = bytearray(nvme.blocks(nvme.READ, cid, 1, 8, 2, nvme.keyed(address, 1024, key)))
                entry[1] = psdt << 6
                yield host.send("a", bytes(entry))
                yield host.answer(cid, 0x4002)
            row, _, _ = self.known(job)
            self.assertEqual((row["name"], row["offset"], row["length"], row["ok"], row["status"]),
                             ("Read", 4096, 1024, False, "Invalid Field in Command"))
            done = self.run_program("check", "--rule", "nvme-sgl", "--json", self.path("scene.pcap"))
            self.assertEqual((done.returncode, json.loads(done.stdout)["seen"]), (1, "opcode 0x02 with PSDT %d" % psdt))

    def test_fused_commands(self):
        """COMPARE and WRITE as one: NVM, 5.3 (2.4 of 1.0). The write of a failed comparison is aborted (0x009) and changes nothing."""
        old, new = os.urandom(512), os.urandom(512)
        for failed in (False, True):
            def job(host):
                yield from host.write(3, old)
                ids = []
                for number, (opcode, data) in enumerate(((nvme.COMPARE, old), (nvme.WRITE, new))):
                    cid, key, address = host.next()
                    entry = bytearray(nvme.blocks(opcode, cid, 1, 3, 1, nvme.keyed(address, 512, key)))
                    entry[1] |= number + 1
                    ids.append(cid)
                    yield host.send("a", bytes(entry))
                    if not (failed and number):
                        request, responses = host.talk.read("b", 512, key, address, data)
                        yield [request] + responses
                for cid, status in zip(ids, (0x285, 0x009) if failed else (0, 0)):
                    yield host.answer(cid, status)
            rows, (images, missing) = self.run_job(job)
            self.assertEqual([(row["name"], row["ok"]) for row in rows], [("Write", True), ("Compare", not failed), ("Write", not failed)])
            self.assertEqual((images["10.0.0.1/1.img"][1536:], missing), (old if failed else new, []))


class Queues(Nvme):
    """Queues of the same two hosts use the same identifiers; the capture begins in the middle, without communication management."""

    def check(self, **options):
        """Returns (pairs found, pairs); none may be wrong."""
        found = whole = 0
        for seed in range(6):
            scene, truth = nvme_queues.build(seed, **options)
            first, path = random.Random(seed).randrange(len(scene.frames) // 2), self.path("queues.pcap")
            nvme_queues.write_from(scene, first, path)
            pairs = {response - first: command - first for response, command in truth.items() if command > first}
            whole += len(pairs)
            for one in self.operations(path):
                response = one.get("response_frame")
                if "request_frame" in one and response:
                    self.assertEqual((seed, response, pairs.get(response)), (seed, response, one["request_frame"]))
                    found += 1
        return found, whole

    def test_acknowledgements_show_the_connection(self):
        for options in (dict(), dict(ports=True), dict(queues=5, cids=2)):
            found, whole = self.check(**options)
            self.assertEqual(found, whole)

    def test_source_ports_show_the_connection(self):
        found, whole = self.check(ports=True, acks=0)
        self.assertEqual(found, whole)

    def test_without_evidence_nothing_is_paired_wrongly(self):
        for options in (dict(acks=0.3), dict(acks=0), dict(acks=0, queues=2, cids=2), dict(acks=0, cids=64)):
            found, whole = self.check(**options)
            self.assertGreater(found, whole // 3)


class Log(Nvme):
    """export --blktrace: fio(1), TRACE FILE FORMAT, version 3."""

    def test_commands_are_those_of_the_operations(self):
        for capture, layer in ((REAL, "nvme"), (REAL.replace("nvmeof", "srp"), "srp"), (REAL.replace("nvmeof", "iser"), "iser")):
            lines = [line.split(" ") for line in self.lines("export", "--blktrace", "-", capture)]
            self.assertEqual(lines[0], ["fio", "version", "3", "iolog"])
            done = [o for o in self.operations(capture, "--layer", layer) if o["name"].upper().split("(")[0] in ("READ", "WRITE")]
            begin = done[0]["time_ns"]
            rows = [[str((o["time_ns"] - begin) // 1000), "/block/" + o["object"], o["name"].lower().split("(")[0], str(o["offset"]), str(o["length"])]
                    for o in sorted(done, key=lambda o: o["time_ns"])]
            self.assertEqual([line for line in lines[1:] if len(line) == 5], rows)
            self.assertEqual([line[2] for line in lines[1:] if len(line) == 3], ["add", "open", "close"])

    @needs("fio")
    def test_fio_replays_it(self):
        log, disk, result = self.path("log"), self.path("disk", bytes(1 << 24)), self.path("result.json")
        self.run_program("export", "--blktrace", log, REAL)
        lines = [line.split() for line in read(log).decode().splitlines() if len(line.split()) == 5]
        subprocess.run(["fio", "--name=replay", "--ioengine=psync", "--read_iolog=" + log, "--replay_redirect=" + disk, "--replay_no_stall=1",
                        "--output-format=json", "--output=" + result], check=True, cwd=self.directory, timeout=60)
        job, = json.loads(read(result)[read(result).index(b"{"):])["jobs"]
        for action in ("read", "write"):
            wanted = [int(line[4]) for line in lines if line[2] == action]
            self.assertEqual((job[action]["total_ios"], job[action]["io_bytes"]), (len(wanted), sum(wanted)), action)


class Crafted(Nvme):
    def test_writes_in_the_order_of_completion(self):
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        old, new, read = bytes([1]) * 2048, bytes([2]) * 1024, bytes([3]) * 512
        first, second = host.write(8, old), host.write(9, new)
        # submitted in order, completed in reverse order
        for packets in (first[0], second[0], second[1], first[1], second[2], first[2]):
            scene.put(*packets)
        for packets in host.read(20, read):
            scene.put(*packets)
        for packets in host.write(30, b"\x04" * 1024, inline=True):
            scene.put(*packets)
        images, missing = self.images(self.capture(scene))
        self.assertEqual(missing, [])
        image = images[NQN + "/1.img"]
        self.assertEqual(image[8 * 512:12 * 512], old)
        self.assertEqual(image[20 * 512:21 * 512], read)
        self.assertEqual(image[30 * 512:32 * 512], b"\x04" * 1024)
        self.assertEqual(len(image), 32 * 512)

    def test_zeros_and_deallocated_blocks(self):
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        rows = [host.write(0, b"\x55" * 16 * 512, inline=True), host.simple(nvme.WRITE_ZEROES, 2, 3), host.deallocate((8, 2), (12, 1)),
                host.simple(nvme.WRITE_ZEROES, 14, 1, status=0x0081)]
        for row in rows:
            for packets in row:
                scene.put(*packets)
        image, = self.images(self.capture(scene))[0].values()
        zero = {2, 3, 4, 8, 9, 12}
        self.assertEqual(image, b"".join(bytes(512) if block in zero else b"\x55" * 512 for block in range(16)))

    def test_a_command_whose_last_packet_is_as_long_as_a_response(self):
        """64 bytes and 13 ranges are a packet of the path MTU, 256 bytes, and one of 16 bytes."""
        scene, talk, host = self.scene()
        for packets in [host.connect(), *host.deallocate(*((8 * number, 1) for number in range(13)))]:
            scene.put(*packets)
        self.assertEqual([(o["name"], o.get("status"), o.get("data_bytes"), o["complete"]) for o in self.operations(self.capture(scene))],
                         [("Connect", "success", 1024, True), ("Dataset Management", "success", 208, True)])

    def test_failed_and_unanswered_writes(self):
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        for packets in host.write(0, b"\x11" * 4096):
            scene.put(*packets)
        for packets in host.write(1, b"\x22" * 512, status=0x0280):  # Write Fault: the content of the blocks is unknown
            scene.put(*packets)
        unanswered = host.write(3, b"\x33" * 512)
        for packets in unanswered[:2]:
            scene.put(*packets)
        capture = self.capture(scene)
        images, missing = self.images(capture)
        self.assertEqual([(offset, length) for _, offset, length, _ in missing], [(512, 512), (1536, 512)])
        found = self.operations(capture)
        self.assertEqual([(o["name"], o.get("status")) for o in found],
                         [("Connect", "success"), ("Write", "success"), ("Write", "Write Fault"), ("Write", None)])
        self.assertNotIn("response_frame", found[-1])

    def test_writes_that_ended_early(self):
        """The statuses with which a write may have changed its blocks. Base 2.0, 3.3.3.2.1.1 and figure 100."""
        for status, is_changed in ((0x04, True), (0x06, True), (0x07, True), (0x1b, True), (0x21, True), (0x22, True), (0x280, True), (0x371, True),
                                   (0x02, False), (0x0b, False), (0x20, False), (0x80, False), (0x83, False)):
            scene, _, host = self.scene()
            scene.put(*host.connect())
            for packets in (*host.write(0, bytes(4096)), *host.write(1, bytes(512), status=status)):
                scene.put(*packets)
            missing = [(offset, length) for _, offset, length, _ in self.images(self.capture(scene))[1]]
            self.assertEqual(missing, [(512, 512)] if is_changed else [], hex(status))

    def test_identifiers_are_used_again(self):
        """Each command has its own response, also when that of an earlier one with the identifier was not captured."""
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        for round_number in range(6):
            host.cid = 4
            send, data, answer = host.write(round_number, bytes([round_number]) * 512)
            scene.put(*send)
            scene.put(*data)
            if round_number != 2:
                scene.put(*answer)
        found = [o for o in self.operations(self.capture(scene)) if o["name"] == "Write"]
        self.assertEqual([o["slba"] for o in found], list(range(6)))
        self.assertEqual(["response_frame" in o for o in found], [True, True, False, True, True, True])
        self.assertTrue(all(o["data_bytes"] == 512 for o in found if "data_bytes" in o))

    def test_a_response_without_its_command(self):
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        host.write(0, bytes(512))
        scene.put(*host.answer(host.cid, 0x4002))
        alone = self.operations(self.capture(scene))[-1]
        self.assertEqual((alone["name"], alone["status"], alone["ok"]), ("unknown command", "Invalid Field in Command", False))
        self.assertNotIn("request_frame", alone)

    def test_responses_without_a_captured_command_are_counted(self):
        for lost in (None, 0, 1):
            scene, talk, host = self.scene()
            scene.put(*host.connect())
            for packets in host.write(0, bytes(512)):
                scene.put(*packets)
            command, data, response = host.write(0, b"\1" * 512)
            for number, packets in enumerate((command, data, response)):
                if number != lost:
                    scene.put(*packets)
            done = self.run_program("export", "--files", self.path("unseen%s" % lost), self.capture(scene))
            text = b"1 response without a captured command: its effect on blocks is unknown" if lost == 0 else b""
            self.assertIn(text, done.stderr)
            self.assertEqual(bool(done.stderr), lost == 0, done.stderr)

    def test_a_command_of_which_later_packets_were_not_captured(self):
        """
        The first packet has the command: its operation lacks bytes, and blocks that are not captured whole are missing from the image, not known as
        what they were before. Without the first packet nothing is known. What comes later, also again, is of the same command.
        """
        old, new, size = b"\x01" * 8 * 512, b"".join(bytes([16 + i]) * 512 for i in range(4)), len(self.scene()[2].write(0, bytes(2048), inline=True)[0]) - 1
        cases = [(lost, answered, after, late) for lost in ((1,), (size - 1,), (2, 4), tuple(range(1, size)), (0,), (0, size - 1))
                 for answered in (True, False) for after in (0, 1, 60) for late in (None, "before", "after")]
        for lost, answered, after, late in cases:
            scene, talk, host = self.scene()
            scene.put(*host.connect())
            self.put(scene, host.write(0, old), host.simple(nvme.WRITE_ZEROES, 7, 1))
            send, _, response = host.write(2, new, inline=True)
            scene.put(*[packet for number, packet in enumerate(send) if number not in lost])
            again = [send[number] for number in lost] if 0 not in lost and late else []
            scene.put(*(again if late == "before" else []), *(response if answered else []), *(again if late == "after" else []))
            for number in range(after):
                self.put(scene, host.simple(nvme.WRITE_ZEROES, 7, 1))
            capture = self.capture(scene)
            found = [o for o in self.operations(capture) if o["name"] in ("Write", "unknown command")]
            images, missing = self.images(capture)
            image = images[NQN + "/1.img"]
            mtu = 256
            has = bytearray(64 + 2048)
            for number in range(size):
                if number not in lost or again:
                    has[number * mtu:(number + 1) * mtu] = b"\1" * len(has[number * mtu:(number + 1) * mtu])
            with self.subTest(lost=lost, answered=answered, after=after, late=late):
                if 0 in lost:
                    self.assertEqual([o["name"] for o in found], ["Write", "unknown command"][:1 + answered])
                    continue
                self.assertEqual([(o["name"], o["offset"], o["length"], "response_frame" in o) for o in found], [("Write", 0, 4096, True), ("Write", 1024, 2048, answered)])
                self.assertEqual(found[1]["complete"], bool(again and answered))
                self.assertEqual(bool(found[1].get("missing")), not again)
                unknown = {i for _, offset, length, _ in missing for i in range(offset, offset + length)}
                expected = {1024 + i for i in range(2048) if not has[64 + i]} if answered else set(range(1024, 3072))
                self.assertEqual(unknown, expected)
                self.assertEqual([i for i in range(3072) if i not in unknown and image[i] != (old[:1024] + new)[i]], [])
                if answered:
                    self.assertEqual(found[1]["data_bytes"], sum(has[64:]))

    def test_a_connect_of_which_packets_were_not_captured(self):
        """Its first packet names the queue; a name of the subsystem that was captured up to its end is known."""
        for lost in ((), (1,), (2,), (3, 4), (1, 2, 3, 4)):
            for nqn in (nvme.NQN, nvme.NQN.ljust(223, b"x")):
                scene = Scene("connect", "")
                for queue, gone in ((1, ()), (2, lost)):
                    talk = Connection(scene, a=("10.0.0.2", 0x10 + queue, 0x100), b=("10.0.0.1", 0x20 + queue, 0x800), port=4420)
                    talk.establish()
                    host = nvme.Host(talk, queue)
                    scene.put(*[packet for number, packet in enumerate(host.connect(1, nqn)) if number not in gone])
                    self.put(scene, host.write(2 * queue - 2, bytes([queue]) * 2048))
                # packets of 256 bytes, in which the name begins at byte 320
                is_known = not any(320 // 256 <= number <= (320 + len(nqn)) // 256 for number in lost)
                path = nqn.decode() + "/1"
                capture = self.capture(scene)
                images, missing = self.images(capture)
                found = [(o["name"], o.get("object"), o["complete"], o["qid"]) for o in self.operations(capture)]
                with self.subTest(lost=lost, nqn=nqn):
                    self.assertEqual(found, [("Connect", nqn.decode(), True, 1), ("Write", path, True, 1),
                                             ("Connect", nqn.decode() if is_known else None, not lost, 2),
                                             ("Write", path if is_known else "?/1", True, 2)])
                    unknown = {i for _, offset, length, _ in missing for i in range(offset, offset + length)}
                    image = images[path + ".img"]
                    self.assertEqual([i for i in range(len(image)) if i not in unknown and image[i] != (1 if i < 1024 else 2)], [])
                    self.assertEqual(bool(unknown), not is_known)

    def test_queue_depth(self):
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        rows = [host.write(i, bytes(512)) for i in range(5)]
        for send, _, _ in rows:
            scene.put(*send)
        for _, data, _ in rows:
            scene.put(*data)
        for _, _, answer in rows[:3]:
            scene.put(*answer)
        for packets in host.write(9, bytes(512)):
            scene.put(*packets)
        found = [o["queue_depth"] for o in self.operations(self.capture(scene)) if o["name"] == "Write"]
        self.assertEqual(found, [1, 2, 3, 4, 5, 3])

    def test_names_from_the_wire_stay_in_the_directory(self):
        for nqn in (b"../../etc", b"a/b", b"\x1b[31m", b"\xff\xfe", b".", b"", b"x" * 256):
            scene, talk, host = self.scene()
            scene.put(*host.connect(nqn=nqn))
            for packets in host.write(0, b"\x77" * 512):
                scene.put(*packets)
            capture = self.capture(scene)
            with self.subTest(nqn=nqn):
                images, _ = self.images(capture)
                self.assertEqual(list(images.values()), [b"\x77" * 512])
                name, = images
                self.assertEqual(name.count("/"), 1)
                text = "\n".join(self.lines("operations", capture))
                self.assertNotIn("\x1b", text)

    def test_a_long_name_is_shortened_in_the_middle(self):
        scene, talk, host = self.scene()
        scene.put(*host.connect(nqn=b"a" * 100 + b"z" * 100))
        for packets in host.write(0, bytes(512)):
            scene.put(*packets)
        lines = self.lines("stats", self.capture(scene))
        heading, row = lines[lines.index("Operations by object") + 1:][:2]
        self.assertRegex(row, "^  nvme .* a{9,}[.]{3}z{9,}")
        self.assertLessEqual(len(row), 120)

    def test_any_status_has_a_text(self):
        for status in (0x0002, 0x0106, 0x0183, 0x0285, 0x0303, 0x07ff, 0x05aa):
            scene, talk, host = self.scene()
            scene.put(*host.connect())
            for packets in host.simple(nvme.COMPARE, 0, 1, status):
                scene.put(*packets)
            found = self.operations(self.capture(scene))[-1]
            with self.subTest(status=status):
                self.assertFalse(found["ok"])
                self.assertEqual(found["status"], {0x0002: "Invalid Field in Command", 0x0106: "Invalid Firmware Slot", 0x0183: "Command Size Limit Exceeded",
                                                   0x0285: "Compare Failure", 0x0303: "Asymmetric Access Transition", 0x07ff: "status 0x7ff",
                                                   0x05aa: "status 0x5aa"}[status])

    def test_opcodes_are_those_of_the_queue(self):
        """On an admin queue, opcodes of I/O commands are others, or none: their dwords have no LBA."""
        for opcode, name in ((0x01, "Create I/O Submission Queue"), (0x05, "Create I/O Completion Queue"), (0x0e, None), (0x79, None), (0x7d, None)):
            for queue in (nvme.ADMIN, nvme.IO):
                scene = Scene("nvme", "")
                host = nvme.Host(Connection(scene), queue)
                scene.put(*host.connect())
                cid = host.next()[0]
                scene.put(*host.send("a", nvme.command(opcode, cid, dwords=(0x11, 0x22, 0x33, 0x44, 0x55, 0x66))), *host.answer(cid))
                found = json.loads(self.lines("-r", self.capture(scene), "-Y", "nvme.cmd.cid == %d" % cid, "-T", "json")[0])
                with self.subTest(opcode=opcode, queue=queue):
                    of_io = [key for key in found if key.startswith(("nvme.cmd.slba", "nvme.cmd.zone.slba", "nvme.cmd.reservation_report"))]
                    self.assertEqual((found.get("nvme.cmd.dword15"), bool(of_io)), (0x66, False) if queue == nvme.ADMIN else (None, True))
                    if queue == nvme.ADMIN:
                        self.assertEqual(found.get("nvme.cmd.opc_name"), name)

    def test_numbers_that_are_one_more_than_their_bits(self):
        """Counts less one, up to the largest, and a time in units of 500 ms: a filter finds them."""
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        for packets in host.simple(nvme.READ, 0, 65536):
            scene.put(*packets)
        cids = [host.cid]
        for opcode, dwords in ((nvme.DSM, (255, 4, 0, 0, 0, 0)), (nvme.COPY, (0, 0, 255, 0, 0, 0))):
            cids.append(host.next()[0])
            scene.put(*host.send("a", nvme.command(opcode, cids[-1], 1, dwords=dwords)), *host.answer(cids[-1]))
        path = self.capture(scene)
        for cid, text in zip(cids, ("nvme.cmd.nlb == 65536", "nvme.cmd.dataset.nr == 256", "nvme.cmd.copy.nr == 256")):
            self.assertEqual(self.lines("-r", path, "-Y", text, "-T", "fields", "-e", "nvme.cmd.cid"), ["0x%04x" % cid], text)

        scene = Scene("nvme", "")
        host = nvme.Host(Connection(scene), nvme.ADMIN)
        scene.put(*host.connect())
        cid = host.next()[0]
        get = struct.pack("<BBHB19x", 0x7f, 0x40, cid, 4) + bytes(16) + struct.pack("<B3xI16x", 1, 0)  # Property Get of CAP
        scene.put(*host.send("a", get), *host.answer(cid, result=0xff << 24 | 0xffff))
        found = self.lines("-r", self.capture(scene), "-Y", "nvme.fabrics.prop_get.ccap.to == 127500 && nvme.fabrics.prop_get.ccap.mqes == 65536",
                           "-T", "fields", "-e", "nvme.cqe.cid")
        self.assertEqual(found, ["0x%04x" % cid])


class Iwarp(Nvme):
    CAPTURE = os.path.join(TESTDATA, "iwarp-nvmeof.pcap.gz")
    # Offset, length, SHA-256
    DONE = (
        (2011136, 4096, "a7f0e2b62418a247c918b552465e121af9c5541b261700b98cd6ed81f81458cc"),
        (2797568, 12288, "926996a1343ebf6479534e8160f340605ae7bea619f140e1f30571dc4bd03c36"),
        (2744320, 16384, "4a47d2822de77e0090a953c020045f240c6b64c62d82a5051144372ef05b1821"),
        (409600, 65536, "ae8546b558b458b2fc7538b12fa8ac3018789e952158612ec6f2b28663910313"),
    )

    def test_commands_are_those_of_the_application(self):
        data = [o for o in self.operations(self.CAPTURE) if o["name"] in ("Write", "Read") and o["object"] == "nqn.test/1"][-8:]
        self.assertEqual([(o["name"], o["offset"], o["length"], o["data_bytes"], o["ok"], o["complete"]) for o in data],
                         [(name, offset, length, length, True, True) for offset, length, _ in self.DONE for name in ("Write", "Read")])

    def test_the_image_equals_the_data_written(self):
        images, _ = self.images(self.CAPTURE)
        image = images["nqn.test/1.img"]
        self.assertEqual([hashlib.sha256(image[offset:offset + length]).hexdigest() for offset, length, _ in self.DONE], [row[2] for row in self.DONE])

    def test_the_data_of_reads_by_messages(self):
        """The data of each RDMA WRITE of a Read command, in one or more messages, from the image."""
        image = self.images(self.CAPTURE)[0]["nqn.test/1.img"]
        messages = [m for m in map(json.loads, self.lines("messages", "--json", "--checksum", self.CAPTURE)) if m["verb"] == "write"]
        for one in [o for o in self.operations(self.CAPTURE) if o["name"] == "Read"][-4:]:
            writes = [m for m in messages if one["first_data_frame"] <= m["first_frame"] <= one["last_data_frame"]]
            begin = min(int(m["virtual_address"], 16) for m in writes)
            self.assertEqual(sum(m["length"] for m in writes), one["length"])
            for message in writes:
                at = one["offset"] + int(message["virtual_address"], 16) - begin
                self.assertEqual(message["crc32"], "%08x" % zlib.crc32(image[at:at + message["length"]]))

    def test_discovery_names_the_subsystem(self):
        rows = [json.loads(line) for line in self.lines("-r", self.CAPTURE, "-T", "json", "-Y", "nvme.cmd.get_logpage.identify.rcrd.subnqn")]
        self.assertEqual([row["nvme.cmd.get_logpage.identify.rcrd.subnqn"] for row in rows], [["nqn.2014-08.org.nvmexpress.discovery", "nqn.test"]])
        rows = [json.loads(line) for line in self.lines("-r", self.CAPTURE, "-T", "json", "-Y", "nvme.cmd.identify.ctrl.sn")]
        self.assertEqual({row["nvme.cmd.identify.ctrl.sn"] for row in rows[-1:]}, {"030d51364cd85167cde4"})
