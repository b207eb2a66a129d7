# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Commands of an admin queue and two I/O queues on namespaces of one subsystem, several at a time, with aborts, failures and resets of the controller; and
what each block can contain after them. Commands on the same blocks wait for each other, as file systems do it.
"""
import random

import nvme
from conversation import Connection, Scene

BLOCK = nvme.BLOCK
IDENTIFIERS, BLOCKS, NAMESPACES = 64, 24, (1, 1, 2, 3)
KINDS = ("write", "write", "inline", "read", "zeroes", "deallocate", "copy", "aborted", "failed")
ABORTED, FAILED = 0x007, 0x280


class Queue(nvme.Host):
    """A queue that has its own order of command identifiers."""

    def __init__(self, scene, number, queue, choice):
        talk = Connection(scene, ("10.0.0.2", 0x11 + number, 0x100 + 0x10000 * number), ("10.0.0.1", 0x111 + number, 0x800000 + 0x10000 * number), port=4420)
        talk.a.udp = talk.b.udp = 0xc000 + number
        talk.ids, talk.tid = (0x10000 + number, 0x20000 + number), 0x1000 + number
        talk.establish()
        super().__init__(talk, queue)
        self.free, self.answers = choice.sample(range(1, IDENTIFIERS + 1), IDENTIFIERS), None
        scene.put(*self.connect())
        self.key = 0x1000 + 0x100000 * number

    def next(self):
        self.cid = self.free.pop(0)
        self.key += 0x100
        return self.cid, self.key, 0x7f0000000000 + self.key * 0x1000

    def answer(self, cid, status=0, result=0, key=None):
        """While a command is made: remembers the response, because its packets have their place in the stream when it is sent."""
        if self.answers is not None:
            self.answers.append((cid, status, result, key))
            return []
        return super().answer(cid, status, result, key)

    def make(self, job):
        """(packets of the command, of its data, function of its response)"""
        self.answers = []
        command, data, _ = job()
        (cid, given, result, key), self.answers = self.answers[0], None
        return cid, command, data, lambda status: super(Queue, self).answer(cid, given if status is None else status, result, key)


class Change:
    """What a command leaves in a block. value: None: unknown. frames: of the command; None: none. source: of a copy, (block, number of its change)."""

    def __init__(self, value, frames=None, is_read=False, source=None):
        self.value, self.frames, self.is_read, self.source = value, frames, is_read, source


class Disk:
    def __init__(self, seed, commands=45):
        self.choice, self.scene, self.changes, self.active, self.made = random.Random(seed), Scene("nvme_disk", ""), {}, [], 0
        self.setup = set()  # frames that name the queues
        self.connect()
        for number in range(commands):
            self.step(number)
        while self.active:
            self.finish()

    def connect(self):
        begin = len(self.scene.frames)
        self.queues = [Queue(self.scene, self.made + i, i, self.choice) for i in range(3)]
        self.made += 3
        self.setup.update(range(begin, len(self.scene.frames)))

    def finish(self, index=None, status=None):
        queue, cid, answer, _ = self.active.pop(self.choice.randrange(len(self.active)) if index is None else index)
        self.scene.put(*answer(status))
        queue.free.append(cid)

    def reset(self):
        """Commands under way are never answered."""
        for _, _, _, blocks in self.active:
            for block in blocks:
                self.changes.setdefault(block, []).append(Change(None))
        self.active = []
        self.connect()

    def now(self, block):
        return self.changes[block][-1].value if block in self.changes else None

    def job(self, queue, kind, space, first, count, source, data):
        """(function that makes the command, values of the blocks)"""
        blocks = [(space, first + i) for i in range(count)]
        parts = [data[i * BLOCK:(i + 1) * BLOCK] for i in range(count)]
        if kind == "read":
            parts = [part if self.now(block) is None else self.now(block) for part, block in zip(parts, blocks)]
            return lambda: self.read(queue, space, first, b"".join(parts)), parts
        if kind == "zeroes":
            return lambda: self.plain(queue, nvme.blocks(nvme.WRITE_ZEROES, queue.next()[0], space, first, count)), [bytes(BLOCK)] * count
        if kind == "deallocate":
            ranges = nvme.ranges((first, count))
            return lambda: self.plain(queue, nvme.command(nvme.DSM, queue.next()[0], space, nvme.in_capsule(len(ranges)), (0, 4, 0, 0, 0, 0)) + ranges), [None] * count
        if kind == "copy":
            return lambda: queue.copy(first, (source, count), nsid=space), [self.now((space, source + i)) for i in range(count)]
        if kind in ("aborted", "failed"):
            return lambda: queue.write(first, data, nsid=space), [None] * count
        return lambda: queue.write(first, data, inline=kind == "inline", nsid=space), parts

    @staticmethod
    def plain(queue, capsule):
        return queue.send("a", capsule), [], queue.answer(queue.cid)

    @staticmethod
    def read(queue, space, first, data):
        cid, key, address = queue.next()
        send = queue.send("a", nvme.blocks(nvme.READ, cid, space, first, len(data) // BLOCK, nvme.keyed(address, len(data), key)))
        return send, queue.talk.write("b", len(data), key, address, data=data), queue.answer(cid, key=key)

    def step(self, number):
        choice, scene = self.choice, self.scene
        if choice.random() < 0.04:
            self.reset()
            return
        queue = choice.choice(self.queues[1:])
        if not queue.free:
            self.finish()
            return
        space, count, first, kind = choice.choice(NAMESPACES), choice.choice((1, 2, 4, 8)), choice.randrange(BLOCKS), choice.choice(KINDS)
        source = choice.randrange(BLOCKS)
        source = source if abs(source - first) >= 8 else first + 8 + choice.randrange(8)
        blocks = [(space, first + i) for i in range(count)]
        sources = [(space, source + i) for i in range(count)] if kind == "copy" else []
        while any(locked & set(blocks + sources) for _, _, _, locked in self.active):
            self.finish()
        data = b"".join(bytes([(number * 8 + i) % 250 + 1]) * BLOCK for i in range(count))
        job, values = self.job(queue, kind, space, first, count, source, data)
        cid, command, moved, answer = queue.make(job)
        begin = len(scene.frames)
        scene.put(*command)
        frames = range(begin, len(scene.frames))
        scene.put(*moved)
        for i, block in enumerate(blocks):
            copied = (sources[i], len(self.changes.get(sources[i], [])) - 1) if sources else None
            self.changes.setdefault(block, []).append(Change(values[i], frames, kind == "read", copied))
        self.active.append((queue, cid, answer, set(blocks + sources)))
        if kind == "aborted":
            admin = self.queues[0]
            abort = admin.next()[0]
            scene.put(*admin.send("a", nvme.command(8, abort, dwords=(cid << 16 | queue.queue, 0, 0, 0, 0, 0))), *admin.answer(abort))
            admin.free.append(abort)
        if kind in ("aborted", "failed"):
            self.finish(len(self.active) - 1, ABORTED if kind == "aborted" else FAILED)
        while self.active and choice.random() < 0.55:
            self.finish()

    def possible(self, block, whole, number=None):
        """
        What the block can contain after its change of this number, at the end by default, as far as frames in `whole` were captured: the values from the last
        command on that was. None: anything.
        """
        changes, values = self.changes.get(block, []), []
        for change in reversed(changes if number is None else changes[:number + 1]):
            if change.source:
                values += self.possible(change.source[0], whole, change.source[1])
            values.append(change.value)
            if change.frames and not change.is_read and whole.issuperset(change.frames):
                return values
        return values + [bytes(BLOCK)]

    def may_be_listed(self, block, number=-1):
        """Whether what all frames show can be missing: unknown; or a copy that is reported after its source was changed again."""
        change = self.changes[block][number]
        if change.value is None:
            return True
        if change.source is None:
            return False
        block, number = change.source
        return number < 0 or number + 1 < len(self.changes[block]) or self.may_be_listed(block, number)
