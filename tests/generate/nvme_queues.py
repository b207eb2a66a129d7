# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Several NVMe queues between the same two hosts, captured from the middle of their streams on: which response is of which command."""
import random

import nvme
from conversation import Connection, Scene, bytes_of


def port_of(one, other):
    """The UDP source port that Linux derives from the two QPNs: rdma_calc_flow_label()."""
    value = one * other
    value ^= value >> 20
    value ^= value >> 40
    label = value & 0xfffff
    return 0xc000 | (label & 0x3fff) ^ (label >> 14)


class Queue:
    def __init__(self, scene, number, choice, ports):
        self.choice, self.scene = choice, scene
        self.talk = Connection(scene, a=("10.0.0.2", 0x11 + number, choice.randrange(1 << 24)), b=("10.0.0.1", 0x822 + number, choice.randrange(1 << 24)))
        scene.connections.append(self.talk)
        if ports:
            self.talk.a.udp = self.talk.b.udp = port_of(self.talk.a.qpn, self.talk.b.qpn)
        self.waiting, self.pairs, self.head, self.number, self.key = {}, [], 0, number + 1, 0x1000 * (number + 1)

    def say(self, name, data, ack, inv=None):
        packets = self.talk.send(name, 0, data=data, inv=inv)
        self.scene.put(*packets)
        frame = len(self.scene.frames)
        if ack:
            self.scene.put(self.talk.ack(packets[-1]))
        return frame

    def command(self, cids, acks):
        """A read or a flush with a free identifier."""
        free = [cid for cid in range(cids) if cid not in self.waiting]
        if not free:
            return
        cid, ack = self.choice.choice(free), self.choice.random() < acks
        if self.choice.random() < 0.5:
            self.waiting[cid] = self.say("a", nvme.blocks(nvme.FLUSH, cid, 1, 0, 1), ack), None, 0
            return
        self.key += 0x10
        address = self.key << 20
        entry = nvme.blocks(nvme.READ, cid, 1, self.key, 1, nvme.keyed(address, nvme.BLOCK, self.key))
        self.waiting[cid] = self.say("a", entry, ack), self.key, address

    def response(self, acks):
        if not self.waiting:
            return
        cid = self.choice.choice(list(self.waiting))
        frame, key, address = self.waiting.pop(cid)
        if key:
            self.scene.put(*self.talk.write("b", nvme.BLOCK, key, address, data=bytes_of(key, nvme.BLOCK)))
        self.head = (self.head + 1) % 32
        self.pairs.append((frame, self.say("b", nvme.response(cid, head=self.head, queue=self.number), self.choice.random() < acks, key)))


def build(seed, queues=3, cids=4, acks=1.0, ports=False, count=60):
    """(scene, {response frame: command frame}) with that probability of an acknowledgement after each SEND."""
    choice = random.Random(seed)
    scene = Scene("queues", "")
    all_queues = [Queue(scene, number, choice, ports) for number in range(queues)]
    for _ in range(count):
        queue = choice.choice(all_queues)
        if choice.random() < 0.5:
            queue.command(cids, acks)
        else:
            queue.response(acks)
    return scene, {response: command for queue in all_queues for command, response in queue.pairs}


def write_from(scene, first, path):
    """The capture begins at that frame, counted from 0."""
    scene.frames = scene.frames[first:]
    scene.write_capture(path)
