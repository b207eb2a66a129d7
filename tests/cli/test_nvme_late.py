# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Images when commands of other queues are reported late, because their data was captured late: after copies and deallocations that followed them."""
import unittest

import nvme
import test_nvme
from conversation import Connection, Scene

BLOCK = nvme.BLOCK
OLD, FIRST, SECOND = (bytes([byte]) * BLOCK for byte in (1, 2, 3))
UNKNOWN_FORMAT = 4            # of Copy: its ranges are not known, and the blocks from the first one on are missing


class Late(test_nvme.Nvme):
    def setUp(self):
        super().setUp()
        self.made = Scene("late", "")
        self.queues = [nvme.Host(Connection(self.made, a=("10.0.0.2", 0x11 + n, 0x100), b=("10.0.0.1", 0x22 + n, 0x800000)), n + 1) for n in range(4)]
        for queue in self.queues:
            self.made.put(*queue.connect())

    def begin(self, row):
        """The command, and some of its data. Returns (packets of the response, rest of the data)."""
        send, data, answer = row
        self.made.put(*send, *data[:1])
        return answer, data[1:]

    def late(self, row):
        """All of the command but some data, which is returned."""
        answer, data = self.begin(row)
        self.made.put(*answer)
        return data

    def done(self, *rows):
        for row in rows:
            self.made.put(*row[0], *row[1], *row[2])

    def blocks(self, *numbers, name="1.img"):
        """The blocks; None: missing."""
        images, missing = self.images(self.capture(self.made))
        lost = {at // BLOCK for path, offset, length, _ in missing if path.endswith(name) for at in range(offset, offset + length, BLOCK)}
        image = images[test_nvme.NQN + "/" + name]
        return [None if number in lost else image[number * BLOCK:(number + 1) * BLOCK] for number in numbers]

    def test_of_two_late_writes_of_a_source_the_copy_has_the_later_one(self):
        """The later one is reported first, because its queue was opened first, and covers a part of the other, and of the copy."""
        copier, other, one, _ = self.queues
        self.done(copier.write(0, OLD * 6))
        first = self.late(one.write(1, FIRST * 4))
        second = self.late(other.write(2, SECOND * 2))
        self.done(copier.copy(10, (0, 6)))
        self.made.put(*second, *first)
        self.assertEqual(self.blocks(*range(16)), [OLD, FIRST, SECOND, SECOND, FIRST, OLD] + [bytes(BLOCK)] * 4 + [OLD, FIRST, SECOND, SECOND, FIRST, OLD])

    def test_a_late_read_does_not_change_a_copy(self):
        """It saw what was there before the write that was copied."""
        copier, writer, reader, _ = self.queues
        self.done(copier.write(0, OLD))
        answer, seen = self.begin(reader.read(0, OLD * 4))
        written = self.late(writer.write(0, FIRST * 4))
        self.made.put(*answer)
        self.done(copier.copy(10, (0, 4)))
        self.made.put(*written, *seen)
        self.assertEqual(self.blocks(0, 10, 11), [FIRST] * 3)

    def test_a_copy_of_blocks_that_no_device_has(self):
        """2^64 - 512 is the first byte of the source. The limit of work does not count these blocks."""
        copier = self.queues[0]
        self.done(copier.write(0, OLD * 2), copier.copy(10, ((1 << 55) - 1, 2)))
        self.assertEqual(self.images(self.capture(self.made))[1], [("block/%s/1.img" % test_nvme.NQN, 10 * BLOCK, 2 * BLOCK, "not_captured")])

    def test_a_late_write_beyond_the_known_size(self):
        """All blocks up to the end became unknown after it."""
        copier, writer, other, _ = self.queues
        self.done(copier.write(0, OLD * 8))
        written = self.late(writer.write(40, FIRST * 4))
        self.done(copier.copy(20, (0, 1, 1), style=UNKNOWN_FORMAT), copier.copy(4, (40, 2)))
        after = self.late(other.write(42, SECOND * 2))
        self.made.put(*written, *after)
        self.assertEqual(self.blocks(3, 4, 5, 6, 40, 41, 42, 43), [OLD, None, None, OLD, None, None, SECOND, SECOND])

    def test_a_write_is_after_the_later_one_of_two_late_commands_up_to_the_end(self):
        copier, one, other, writer = self.queues
        self.done(copier.write(0, OLD * 8))
        written = self.late(writer.write(40, FIRST * 4))
        for queue in (one, other):
            self.done(queue.copy(20, (0, 1, 1), style=UNKNOWN_FORMAT))
        self.made.put(*written)
        self.assertEqual(self.blocks(0, 40, 43), [OLD, None, None])

    def test_a_late_write_of_a_namespace_that_is_not_known_yet(self):
        copier, writer, _, _ = self.queues
        written = self.late(writer.write(40, FIRST * 4, nsid=2))
        self.done(copier.copy(20, (0, 1, 1), style=UNKNOWN_FORMAT, nsid=2), copier.write(41, SECOND, nsid=2))
        self.made.put(*written)
        self.assertEqual(self.blocks(40, 41, 42, name="2.img"), [None, SECOND, None])

    def test_a_copy_from_another_namespace_of_a_queue_without_its_connect(self):
        """The block was written on a queue with a name while it was read: what is copied is unknown, although it is read once more after the copy."""
        named, nameless = self.queues[0], nvme.Host(Connection(self.made, a=("10.0.0.2", 0x1f, 0x100), b=("10.0.0.1", 0x2f, 0x800000)), 9)
        self.done(nameless.write(1, OLD), nameless.write(0, OLD, nsid=2)) # the size of blocks
        send, data, answer = nameless.read(0, OLD * 2)
        self.made.put(*send)
        self.done(named.write(0, FIRST))
        self.made.put(*data, *answer)
        self.done(nameless.copy(5, (0, 2, 1), style=2, nsid=2), nameless.read(0, FIRST))
        images, missing = self.images(self.capture(self.made))
        self.assertEqual([(path, offset // BLOCK, length) for path, offset, length, _ in missing], [("block/10.0.0.1/2.img", 5, BLOCK)])
        self.assertEqual((images["10.0.0.1/1.img"], images["10.0.0.1/2.img"][6 * BLOCK:]), (FIRST + OLD, OLD))


if __name__ == "__main__":
    unittest.main()
