# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures with one growing quantity, of SMB, NVMe, RDS and NCCL. As in worst_cases, each function takes a count and returns frames."""
import random
import struct

import nccl
import nvme
import rds
import smb
from worst_cases import (ACK, ADDRESS, CLIENT, KEY, PSN, SEND_ONLY, SERVER, WRITE_ONLY, Smb, Stream, aeth, established, fpdu, iwarp_opened, reth, roce,
                         smb_file)

NVME_PORT = 4420
BLOCK = nvme.BLOCK


# SMB

def smb_renames_around_a_file(count, path="file"):
    """A directory with an open file is renamed many times, and another file is written after each."""
    client = Smb()
    yield from client.connected()
    for name, file in (("name 0", 0), ("name 0\\inside", 1), (path, 2)):
        yield from client.opened(name, smb_file(file))
    for i in range(count):
        yield from client.renamed(smb_file(0), "name %d" % (i + 1))
        yield from client.written(smb_file(2))


def smb_renames_around_a_long_path(count):
    """The same, and the path of the file has the most components, each of the most bytes."""
    return smb_renames_around_a_file(count, "\\".join("%0250d" % i for i in range(124)))


def smb_opens_on_a_long_path(count):
    """The share has a path of the most bytes. Files are opened and written."""
    client = Smb(share="\\\\srv\\" + "\\".join("\1" * 80 for _ in range(400)))
    yield from client.connected()
    for i in range(count):
        yield from client.opened("%d" % i, smb_file(i))
        yield from client.written(smb_file(i))


def smb_names(names):
    client = Smb()
    yield from client.connected()
    for i, name in enumerate(names):
        yield from client.opened(name, smb_file(i))
        yield from client.written(smb_file(i))


def smb_names_that_differ_in_case(count):
    return smb_names("".join(letter.upper() if i >> place & 1 else letter for place, letter in enumerate("abcdefghijklmnopqrst")) for i in range(count))


def smb_names_that_differ_at_the_end(count):
    return smb_names("x" * 300 + str(i) for i in range(count))


def smb_renames_of_many_directories(count):
    """Each of many directories with an open file gets the name of another one."""
    client = Smb()
    yield from client.connected()
    for i in range(count):
        yield from client.opened("name %d" % i, smb_file(2 * i))
        yield from client.opened("name %d\\file" % i, smb_file(2 * i + 1))
    for i in range(count - 1):
        yield from client.renamed(smb_file(2 * i), "name %d" % (i + 1))
        yield from client.written(smb_file(2 * i + 1))


def smb_lost_requests(count, files=100):
    """Writes to some files, with a lost request before each."""
    client = Smb()
    yield from client.connected()
    for i in range(files):
        yield from client.opened("file %d" % i, smb_file(i))
    for i in range(count):
        client.number += 1
        yield from client.written(smb_file(i % files), 8 * i)


def smb_files_of_lost_opens(count, share=16):
    """Writes to files that were opened before the capture, and to as many with names: each can be any one of those."""
    client, files = Smb(), count // share
    yield from client.connected()
    for i in range(files):
        yield from client.opened("file %d" % i, smb_file(i))
        yield from client.written(smb_file(i), 1 << 30)
    for i in range(count):
        client.number += 1
        yield from client.written(smb_file(1 << 32 | i % files), 16 * i)
        yield from client.written(smb_file(i % files), 8 * i)


# NVMe

class Nvme:
    """A queue; each command and response is one acknowledged SEND."""

    def __init__(self, queue=1):
        self.psn, self.queue, self.cid = dict(PSN), queue, 0

    def send(self, sender, data):
        psn = self.psn[sender]
        self.psn[sender] += 1
        yield roce(sender, SEND_ONLY, psn, data, ask=True)
        yield roce(3 - sender, ACK, psn, aeth(psn - PSN[sender] + 1))

    def exchange(self, entry, data=b"", result=0):
        cid = struct.unpack_from("<H", entry, 2)[0]
        yield from self.send(CLIENT, entry + data)
        yield from self.send(SERVER, nvme.response(cid, result=result, queue=self.queue))

    def connected(self):
        yield from established(NVME_PORT)
        yield from self.exchange(nvme.connect(0, self.queue), nvme.connect_data(), 1)

    def next(self):
        self.cid = self.cid % 30000 + 1
        return self.cid

    def written(self, block, nsid=1, byte=1):
        data = bytes([byte]) * BLOCK
        return self.exchange(nvme.blocks(nvme.WRITE, self.next(), nsid, block, 1, nvme.in_capsule(len(data))), data)

    def copied(self, to, source, blocks=1, nsid=1):
        data = struct.pack("<8xQH14x", source, blocks - 1)
        return self.exchange(nvme.command(nvme.COPY, self.next(), nsid, nvme.in_capsule(len(data)), (to & 0xffffffff, to >> 32, 0, 0, 0, 0)), data)


def copies_of_copies(count):
    """Each block is a copy of the one before it; then the first is written again."""
    queue = Nvme()
    yield from queue.connected()
    yield from queue.written(0)
    for i in range(count):
        yield from queue.copied(i + 1, i)
    for i in range(count):
        yield from queue.written(0, byte=i % 255)


def copies_of_one_block(count):
    """A block is copied many times, and written after each."""
    queue = Nvme()
    yield from queue.connected()
    for i in range(count):
        yield from queue.written(0, byte=i % 255)
        yield from queue.copied(i + 1, 0)


def copies_under_way(count):
    """Copies of one block, whose responses come after as many writes of that block."""
    queue = Nvme()
    yield from queue.connected()
    yield from queue.written(0)
    for at in range(0, count, 1000):
        cids = []
        for i in range(at, min(count, at + 1000)):
            frames = [*queue.copied(i + 1, 0)]
            yield from frames[:2]
            queue.psn[SERVER] -= 1
            cids.append(queue.cid)
        for i in range(len(cids)):
            yield from queue.written(0, byte=i % 255)
        for cid in cids:
            yield from queue.send(SERVER, nvme.response(cid, queue=queue.queue))


def copies_of_a_range_of_blocks(count):
    """A range of many blocks, each written alone, is copied again and again."""
    queue = Nvme()
    yield from queue.connected()
    for i in range(0, 2 * count, 2):
        yield from queue.written(i)
    for i in range(count):
        yield from queue.copied(1 << 24 | i, i % 64, 2 * count if 2 * count < 65536 else 65536)


def namespaces_without_a_name(count, most=1000):
    """Queues whose Connect was not captured: writes to many namespaces, and commands on all of them in turn."""
    queue = Nvme()
    for i in range(count):
        yield from queue.written(2 * i, nsid=i % most + 1)


def namespaces_with_and_without_a_name(count, most=500):
    """The same, and as many on a queue with a name."""
    named, nameless = Nvme(), Nvme(2)
    yield from named.connected()
    for i in range(count):
        yield from named.written(2 * i, nsid=i % most + 1)
        for frame in nameless.written(2 * i, nsid=i % most + 1, byte=2):
            yield frame


# RDS on iWARP

def rds_message(sequence, data=b"", ack=0, length=None):
    return rds.header(sequence, ack, len(data) if length is None else length, (4001, 4000)) + data


def rds_sends(rows):
    """rows: (sender, message); each is one Send."""
    stream, msns = Stream((40000, rds.PORTS[0])), {CLIENT: 0, SERVER: 0}
    yield from iwarp_opened(stream)
    for sender, message in rows:
        msns[sender] += 1
        yield stream.segment(sender, fpdu(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, msns[sender], 0) + message))


def rds_messages(count):
    """Messages both ways, each acknowledged by the next one."""
    return rds_sends((side, rds_message(i + 1, bytes(100), i)) for i in range(count // 2) for side in (CLIENT, SERVER))


def rds_messages_unacknowledged(count):
    return rds_sends((CLIENT, rds_message(i + 1, bytes(100))) for i in range(count))


def rds_messages_in_reverse(count):
    """From the last sequence number to the first, none acknowledged."""
    return rds_sends((CLIENT, rds_message(i, bytes(100))) for i in range(count, 0, -1))


def rds_fragments_of_many_messages(count):
    """The first fragments of 1,000 messages, and so on: no message is ever whole."""
    return rds_sends((CLIENT, rds_message(i % 1000 + 1, bytes(64), length=1 << 20)) for i in range(count))


# NCCL

def nccl_frames(rows):
    """rows: (sender, WRITE without immediate data, or with it) of one pair of queues, each acknowledged."""
    psn = dict(PSN)
    for sender, opcode, body in rows:
        yield roce(sender, opcode, psn[sender], body, ask=True)
        yield roce(3 - sender, ACK, psn[sender], aeth(psn[sender] - PSN[sender] + 1))
        psn[sender] += 1


def nccl_announcement(index, buffer):
    entry = nccl.entry("two keys", ADDRESS + 4096 * buffer, 4096, KEY, 1, 7, index)
    return CLIENT, WRITE_ONLY, reth(ADDRESS * 256 + len(entry) * nccl.MOST_RECEIVES * (index % nccl.SLOTS), KEY + 1, len(entry)) + entry


def nccl_data(buffer, size=64):
    return SERVER, nccl.WRITE_ONLY_IMM, reth(ADDRESS + 4096 * buffer, KEY, size) + struct.pack("<I", size) + bytes(size)


def nccl_transfers(count):
    """Each is announced and answered."""
    return nccl_frames(row for i in range(1, count) for row in (nccl_announcement(i, i % nccl.SLOTS), nccl_data(i % nccl.SLOTS)))


def nccl_announcements(count):
    """After two transfers, buffers that are never used."""
    rows = [row for i in (1, 2) for row in (nccl_announcement(i, i), nccl_data(i))]
    return nccl_frames(rows + [nccl_announcement(i, i) for i in range(3, count)])


def nccl_data_in_any_order(count):
    """Buffers are announced by hundreds, and used in any order."""
    rows, dice = [], random.Random(1)
    for first in range(1, count, 400):
        numbers = list(range(first, min(count, first + 400)))
        rows += [nccl_announcement(i, i) for i in numbers]
        dice.shuffle(numbers)
        rows += [nccl_data(i) for i in numbers]
    return nccl_frames(rows)
