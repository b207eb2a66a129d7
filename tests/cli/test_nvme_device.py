# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Images of NVMe disks: commands that copy, clear, format, append to or reset blocks."""
import random
import unittest

import capfile
import nvme
import test_nvme
from conversation import Connection, Scene
from test_nvme import NQN


class Device(test_nvme.Nvme):
    """Commands that change more blocks than they have data for."""

    def image_of(self, scene, *rows):
        for row in rows:
            for packets in row:
                scene.put(*packets)
        return self.images(self.capture(scene))

    def test_copied_blocks(self):
        old, new = bytes([1]) * 1024 + bytes([2]) * 1024, bytes([7]) * 512
        for style in range(4):
            scene, talk, host = self.scene()
            scene.put(*host.connect())
            images, missing = self.image_of(scene, host.write(0, old), host.simple(nvme.WRITE_ZEROES, 4, 2), host.copy(20, (0, 3, 1), (3, 3, 1), (100, 1, 1), style=style),
                                            host.write(0, new), host.copy(30, (0, 2, 1), style=style), host.copy(32, (0, 2, 1), style=style, status=0x0183))
            with self.subTest(style=style):
                self.assertEqual([(offset, length) for _, offset, length, _ in missing], [(26 * 512, 512)])
                image = images[NQN + "/1.img"]
                self.assertEqual(image[20 * 512:26 * 512], old + bytes(1024))
                self.assertEqual(image[30 * 512:], new + old[512:1024])

    def test_ranges_that_the_capture_cut(self):
        """Dataset Management and all formats of Copy, cut at each length: where they may have changed blocks, these are missing."""
        blocks = [bytes([number + 1]) * 512 for number in range(32)]
        pairs = ((0, 2, 1), (4, 2, 1), (8, 2, 1))
        jobs = [lambda host: host.deallocate(*((first + 16, count) for first, count, _ in pairs))]
        jobs += [lambda host, style=style: host.copy(16, *pairs, style=style) for style in range(4)]
        for number, job in enumerate(jobs):
            scene, _, host = self.scene()
            for part in host.write(0, b"".join(blocks)):
                scene.put(*part)
            begin = len(scene.frames)
            for part in job(host):
                scene.put(*part)
            expected = list(blocks)
            for i, (first, count, _) in enumerate(pairs):
                at = 16 + (first if not number else 2 * i)
                expected[at:at + count] = [bytes(512)] * count if not number else blocks[first:first + count]
            frames, part = list(capfile.read(self.capture(scene))), self.path("cut.pcap")
            for length in (54 + 64, 54 + 80, 54 + 96, 54 + 104, 54 + 128, 54 + 144, 54 + 184, len(frames[begin][1])):
                cut = (frames[begin][0], frames[begin][1][:length], frames[begin][2])
                capfile.write_pcap(part, 1, frames[:begin] + [cut] + frames[begin + 1:])
                images, missing = self.images(part)
                image, = images.values()
                unknown = {i // 512 for _, offset, size, _ in missing for i in range(offset, offset + size, 512)}
                wrong = [i for i in range(32) if image[512 * i:512 * i + 512] != expected[i] and i not in unknown]
                self.assertEqual(wrong, [], (number, length))
            self.assertEqual(unknown, set())

    def test_any_sequence_has_the_result_of_a_model(self):
        for seed in range(6):
            choice, disk, size = random.Random(seed), {}, 48
            scene, talk, host = self.scene()
            scene.put(*host.connect(), *host.write(size, bytes([255]) * 512, inline=True)[0], *host.answer(host.cid))
            for number in range(150):
                first, count = choice.randrange(size), choice.randrange(1, 9)
                count = min(count, size - first)
                kind = choice.randrange(6)
                if kind < 3:
                    data = bytes([number + 1]) * 512 * count
                    rows = host.write(first, data, inline=kind == 0)
                    disk.update((first + i, number + 1) for i in range(count))
                elif kind == 3:
                    rows = host.simple(nvme.WRITE_ZEROES, first, count)
                    disk.update((first + i, 0) for i in range(count))
                elif kind == 4:
                    rows = host.deallocate((first, count), (0, 1))
                    disk.update((at, 0) for at in [0] + list(range(first, first + count)))
                else:
                    to = (first + count + choice.randrange(size)) % size
                    count = min(count, size - to, abs(to - first) or 1)
                    rows = host.copy(to, (first, count))
                    disk.update([(to + i, disk.get(first + i)) for i in range(count)])
                for packets in rows:
                    scene.put(*packets)
            images, missing = self.images(self.capture(scene))
            image = images[NQN + "/1.img"]
            lost = {block for _, offset, length, _ in missing for block in range(offset // 512, (offset + length) // 512)}
            with self.subTest(seed=seed):
                self.assertEqual(lost, {block for block, value in disk.items() if value is None})
                self.assertEqual({block: set(image[block * 512:block * 512 + 512]) for block in disk if block not in lost},
                                 {block: {disk[block]} for block in disk if block not in lost})

    def test_blocks_that_change_while_they_are_copied_are_missing(self):
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        before, copy, write = host.write(2, b"\x02" * 1024), host.copy(8, (0, 4)), host.write(0, b"\x01" * 1024, inline=True)
        images, missing = self.image_of(scene, before, [copy[0], write[0], write[2], copy[2]])
        self.assertEqual([(offset, length) for _, offset, length, _ in missing], [(8 * 512, 1024)])
        self.assertEqual(images[NQN + "/1.img"][10 * 512:], b"\x02" * 1024)

    def two_queues(self, count=2):
        scene = Scene("nvme", "")
        hosts = [nvme.Host(Connection(scene, a=("10.0.0.2", 0x11 + n, 0x100), b=("10.0.0.1", 0x22 + n, 0x800000)), n + 1) for n in range(count)]
        for host in hosts:
            scene.put(*host.connect())
        return scene, hosts

    def test_what_is_copied_from_an_unanswered_write_is_missing(self):
        """That the write has no response is known at the end, long after the copies. Copies of copies are missing, too; what was written before or after is not."""
        scene, (second, first) = self.two_queues()
        old, new = b"\x01" * 4 * 512, b"\x02" * 512
        self.put(scene, second.write(0, old), second.write(40, new))
        self.put(scene, first.write(1, new)[:2], first.write(2, new)[:2])   # unanswered
        self.put(scene, second.write(2, new), second.copy(8, (0, 4)), second.copy(16, (8, 4)), second.copy(24, (9, 1)), second.write(24, new),
                 second.copy(32, (8, 1), (11, 1), (40, 1)))
        self.put(scene, second.write(40, old)[:2])                          # after the copy
        images, missing = self.images(self.capture(scene))
        self.assertEqual([(offset // 512, length // 512) for _, offset, length, _ in missing], [(1, 1), (9, 1), (17, 1), (40, 4)])
        image = images[NQN + "/1.img"]
        self.assertEqual((image[24 * 512:25 * 512], image[32 * 512:35 * 512], image[10 * 512:11 * 512]), (new, old[:1024] + new, new))

    def test_what_is_copied_from_a_write_whose_data_is_captured_later(self):
        """The copy was done after the write, but is reported first: the data of the write reach the copied blocks, other namespaces, and copies of copies."""
        scene, (second, first) = self.two_queues()
        old, new, newest = b"\x01" * 2048, b"\x02" * 1024, b"\x03" * 512
        self.put(scene, second.write(0, old), second.write(0, old, nsid=2))
        send, data, answer = first.write(1, new)
        scene.put(*send, *data[:1], *answer)
        self.put(scene, second.copy(8, (0, 4)), second.copy(16, (8, 3, 1), style=2, nsid=2), second.write(9, newest))
        for block in range(50):
            self.put(scene, second.write(100 + block, newest, inline=True))
        scene.put(*data[1:])
        self.put(scene, second.write(3, newest))
        images, missing = self.images(self.capture(scene))
        self.assertEqual(missing, [])
        self.assertEqual(images[NQN + "/1.img"][:12 * 512], old[:512] + new + newest + bytes(4 * 512) + old[:512] + newest + new[512:] + old[:512])
        self.assertEqual(images[NQN + "/2.img"][16 * 512:], old[:512] + new)

    def test_what_is_written_while_it_is_copied_is_missing(self):
        """The write is completed after the copy."""
        scene, (second, first) = self.two_queues()
        self.put(scene, second.write(0, b"\x01" * 2048))
        write, copy = first.write(1, b"\x02" * 512), second.copy(8, (0, 4))
        self.put(scene, [write[0], copy[0], copy[2], write[1], write[2]])
        images, missing = self.images(self.capture(scene))
        self.assertEqual([(offset // 512, length // 512) for _, offset, length, _ in missing], [(9, 1)])
        self.assertEqual(images[NQN + "/1.img"][:512] + images[NQN + "/1.img"][10 * 512:], b"\x01" * 512 * 3)

    def test_a_queue_without_its_connect_makes_blocks_doubtful(self):
        """Its target can be any one with the address: what these knew before of the same namespace and blocks is missing, and the other way round."""
        scene = Scene("nvme", "")
        ends = ((0, "10.0.0.1"), (1, "10.0.0.1"), (2, "10.0.0.1"), (3, "10.0.0.9"))
        named, nameless, other, far = [nvme.Host(Connection(scene, a=("10.0.0.2", 0x11 + n, 0x100), b=(address, 0x22 + n, 0x800000)), n + 1) for n, address in ends]
        old, new = b"\x01" * 16 * 512, b"\x02" * 512
        scene.put(*named.connect(), *other.connect(nqn=b"nqn.other"), *far.connect(nqn=b"nqn.far"))
        self.put(scene, named.write(0, old), named.write(0, old, nsid=2), other.write(3, old), far.write(0, old))
        self.put(scene, nameless.write(2, new), nameless.read(7, new), nameless.simple(nvme.WRITE_ZEROES, 4, 2), nameless.write(40, new),
                 nameless.write(9, new, status=0x0280))
        self.put(scene, named.write(5, new), named.write(2, new, nsid=2), named.write(7, old[:512]), named.simple(nvme.WRITE_ZEROES, 50, 1))
        self.put(scene, nameless.write(8, new), named.copy(30, (8, 2)))
        images, missing = self.images(self.capture(scene))
        found = {}
        for path, offset, length, _ in missing:
            found.setdefault(path.split("/", 1)[1], []).append((offset // 512, length // 512))
        self.assertEqual(found, {NQN + "/1.img": [(2, 1), (4, 1), (8, 2), (30, 2)], "nqn.other/1.img": [(4, 2), (8, 2)],
                                 "10.0.0.1/1.img": [(5, 1), (7, 1), (9, 1)]})
        self.assertEqual(images["10.0.0.1/1.img"][2 * 512:3 * 512], new)
        self.assertEqual(sorted(images), ["10.0.0.1/1.img", NQN + "/1.img", NQN + "/2.img", "nqn.far/1.img", "nqn.other/1.img"])

    def test_the_size_of_blocks_of_unnamed_subsystems(self):
        """
        Captured without Connect, the size that a command's length shows is that of its controller's address, and if different sizes were seen
        there, of several subsystems, only that of the command itself.
        """
        def sized(host, opcode, first, data, size):
            cid, key, address = host.next()
            send = host.send("a", nvme.blocks(opcode, cid, 1, first, len(data) // size, nvme.keyed(address, len(data), key)))
            request, responses = host.talk.read("b", len(data), key, address, data)
            return send, [request] + responses, host.answer(cid, key=key)

        scene = Scene("nvme", "")
        small, large, one, other = [nvme.Host(Connection(scene, a=("10.0.0.2", 0x11 + n, 0x100), b=(address, 0x22 + n, 0x800000)))
                               for n, address in enumerate(("10.0.0.1", "10.0.0.3", "10.0.0.5", "10.0.0.5"))]
        data = b"\x01" * 4096
        self.put(scene, sized(small, nvme.WRITE, 8, data, 512), sized(large, nvme.WRITE, 1, data, 4096))
        self.put(scene, small.simple(nvme.WRITE_ZEROES, 9, 1), large.simple(nvme.WRITE_ZEROES, 2, 1))
        self.put(scene, sized(one, nvme.WRITE, 2, data, 512), sized(other, nvme.WRITE, 3, data, 4096), one.simple(nvme.WRITE_ZEROES, 5, 1))
        capture = self.capture(scene)
        self.assertEqual([(o.get("offset"), o.get("length")) for o in self.operations(capture)],
                         [(4096, 4096), (4096, 4096), (9 * 512, 512), (8192, 4096), (1024, 4096), (12288, 4096), (None, None)])
        images, _ = self.images(capture)
        self.assertEqual(images["10.0.0.1/1.img"][4096:], data[:512] + bytes(512) + data[1024:])

    def test_a_format_on_a_queue_without_its_connect(self):
        for nsid, lost in ((1, ["1.img"]), (0xffffffff, ["1.img", "2.img"])):
            scene = Scene("nvme", "")
            admin, host = [nvme.Host(Connection(scene, a=("10.0.0.2", 0x11 + n, 0x100), b=("10.0.0.1", 0x22 + n, 0x800000)), n) for n in range(2)]
            scene.put(*host.connect())
            self.put(scene, host.write(0, b"\x01" * 1024), host.write(0, b"\x01" * 1024, nsid=2), [admin.plain(nvme.FORMAT, 0, nsid)], host.write(1, b"\x02" * 512))
            images, missing = self.images(self.capture(scene))
            self.assertEqual([(path[-5:], offset, length) for path, offset, length, _ in missing],
                             [(name, 0, 512 if name == "1.img" else 1024) for name in lost])

    def test_a_copy_of_another_namespace(self):
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        images, missing = self.image_of(scene, host.write(5, b"\x05" * 512), host.write(0, b"\x06" * 512), host.copy(9, (5, 1, 1), (5, 1, 2), style=2, nsid=2))
        self.assertEqual([(path[-5:], offset) for path, offset, _, _ in missing], [])
        self.assertEqual(images, {NQN + "/1.img": b"\x06" * 512 + bytes(4 * 512) + b"\x05" * 512})

    def test_appended_blocks_have_the_address_of_the_response(self):
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        unanswered = host.append(64, 80, b"\x04" * 512)
        images, missing = self.image_of(scene, host.append(64, 64, b"\x01" * 512), host.append(64, 65, b"\x02" * 1024), host.append(64, 70, b"\x03" * 512, 0x00b9),
                                        host.write(0, b"\x09" * 512), unanswered[:2])
        image = images[NQN + "/1.img"]
        self.assertEqual((image[:512], image[64 * 512:], missing), (b"\x09" * 512, b"\x01" * 512 + b"\x02" * 1024, []))
        found = [(o.get("offset"), o["slba"]) for o in self.operations(self.capture(scene)) if o["name"] == "Zone Append"]
        self.assertEqual(found, [(64 * 512, 64), (65 * 512, 64), (None, 64), (None, 64)])

    def test_a_zone_that_is_reset(self):
        scene = Scene("nvme", "")
        admin, host = [nvme.Host(Connection(scene, a=("10.0.0.2", 0x11 + n, 0x100), b=("10.0.0.1", 0x22 + n, 0x800000)), n) for n in range(2)]
        scene.put(*admin.connect(), *host.connect())
        namespace, zoned = bytearray(4096), bytearray(4096)
        namespace[128 + 2] = 9
        zoned[2816:2824] = (16).to_bytes(8, "little")
        rows = [[admin.admin(nvme.IDENTIFY, (cns, more, 0, 0, 0, 0), bytes(data), nsid=1)] for cns, more, data in ((0, 0, namespace), (5, 2 << 24, zoned))]
        rows += [host.append(16, 16, b"\x01" * 1024), host.append(32, 32, b"\x02" * 512), host.zone(16, 4)]
        images, missing = self.image_of(scene, *rows)
        image = images[NQN + "/1.img"]
        self.assertEqual((any(image[:32 * 512]), image[32 * 512:], missing), (False, b"\x02" * 512, []))

    def test_what_destroys_namespaces(self):
        """Format NVM, Sanitize and the deletion of a namespace: of one, or of all of the subsystem. What is written later is known."""
        every, old, new = 0xffffffff, b"\x01" * 2048, b"\x02" * 512
        for opcode, nsid, dword, status, lost in (
                (0x80, 1, 0, 0, [1]), (0x80, every, 0x200, 0, [1, 2]), (0x84, 0, 2, 0, [1, 2]), (0x84, 0, 3, 0, [1, 2]), (0x84, 0, 4, 0, [1, 2]),
                (0x84, 0, 1, 0, []), (0x84, 0, 2, 0x0002, []), (0x0d, 2, 1, 0, [2]), (0x0d, every, 1, 0, [1, 2]), (0x0d, 0, 0, 0, [])):
            scene = Scene("nvme", "")
            admin, host = [nvme.Host(Connection(scene, a=("10.0.0.2", 0x11 + n, 0x100), b=("10.0.0.1", 0x22 + n, 0x800000)), n) for n in range(2)]
            scene.put(*admin.connect(), *host.connect())
            rows = [host.write(0, old), host.write(0, old, nsid=2), [admin.plain(opcode, dword, nsid, status)], host.write(1, new)]
            images, missing = self.image_of(scene, *rows)
            with self.subTest(opcode=opcode, nsid=nsid, dword=dword, status=status):
                expected = [("1.img", 0, 512), ("1.img", 1024, 1024)] if 1 in lost else []
                expected += [("2.img", 0, 2048)] if 2 in lost else []
                self.assertEqual(sorted((path[-5:], offset, length) for path, offset, length, _ in missing), expected)
                self.assertEqual(sorted(images), [NQN + "/1.img", NQN + "/2.img"])
                self.assertEqual(images[NQN + "/1.img"][512:1024], new)
                if not lost:
                    self.assertEqual((images[NQN + "/1.img"][1024:], images[NQN + "/2.img"]), (old[1024:], old))

    def test_more_commands_than_are_settled_in_order(self):
        """The first of two queues lacks a packet, which is retransmitted after two thousand writes of the other: the write that completed last remains."""
        scene = Scene("nvme", "")
        hosts = [nvme.Host(Connection(scene, a=("10.0.0.2", 0x11 + n, 0x100), b=("10.0.0.1", 0x22 + n, 0x800000)), n + 1) for n in range(2)]
        for host in hosts:
            scene.put(*host.connect())
        late = [hosts[0].write(block, b"\x01" * 512) for block in range(0, 8)]
        for send, data, answer in late:
            scene.put(*send, *data[:1], *answer)           # the data is captured later
        for block in range(2000):
            for packets in hosts[1].write(block % 1500, b"\x02" * 512, inline=True):
                scene.put(*packets)
        for send, data, answer in late:
            scene.put(*data[1:])
        images, missing = self.images(self.capture(scene))
        self.assertEqual(missing, [])
        self.assertEqual(images[NQN + "/1.img"], b"\x02" * 1500 * 512)

    def test_many_ranges(self):
        """More ranges than an earlier limit of a file."""
        scene, talk, host = self.scene()
        scene.put(*host.connect())
        for packets in host.write(0, bytes(512)):
            scene.put(*packets)
        for block in range(0, 36000, 2):
            cid, _, _ = host.next()
            scene.put(*talk.send("a", 0, data=nvme.blocks(nvme.WRITE_ZEROES, cid, 1, block, 1)), *talk.send("b", 0, data=nvme.response(cid, 0, 0, 0, 1)))
        images, missing = self.images(self.capture(scene))
        self.assertEqual((len(images[NQN + "/1.img"]), missing), (35999 * 512, []))

if __name__ == "__main__":
    unittest.main()
