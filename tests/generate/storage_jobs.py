# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Storage jobs with known problems, for statistics and findings. The schedule contains the causes of delays, independently of the program."""
import struct

import nvme
import scsi
from conversation import Connection, Scene, bytes_of

MS = 0.001


class Job:
    """An NVMe host at 10.0.0.2 with an admin queue and I/O queues, each on a connection of its own, at a controller at 10.0.0.1."""

    def __init__(self, queues=1, keep_alive_ms=5000):
        self.scene = Scene("job", "")
        self.hosts = []
        for number in range(queues + 1):
            talk = Connection(self.scene, a=("10.0.0.2", 0x11 + number, 0x100), b=("10.0.0.1", 0x22 + number, 0x800000), port=4420)
            self.scene.connections.append(talk)
            host = nvme.Host(talk, number)
            self.hosts.append(host)
            talk.establish()
            self.put(self.connect(host, keep_alive_ms if number == 0 else 0))
        self.admin, self.io = self.hosts[0], self.hosts[1:]

    @staticmethod
    def connect(host, keep_alive_ms):
        entry = bytearray(nvme.connect(host.cid, host.queue))
        struct.pack_into("<I", entry, 48, keep_alive_ms)
        return host.send("a", bytes(entry) + nvme.connect_data(nvme.NQN, 1)) + host.answer(host.cid, result=1)

    def put(self, packets, gap=0.0):
        for packet in packets:
            self.scene.put(packet)
            if gap:
                self.scene.pause(gap)

    def run(self, job, before=0.0, within=0.0, after=0.0):
        """The packets of one command, with pauses before its data, between packets of the data, and before its response."""
        send, data, answer = job
        self.put(send)
        self.scene.pause(before)
        self.put(data, within)
        self.scene.pause(after)
        self.put(answer)

    def keep_alive(self, answered=True):
        cid, _, _ = self.admin.next()
        self.put(self.admin.send("a", nvme.command(nvme.KEEP_ALIVE, cid)))
        if answered:
            self.put(self.admin.answer(cid))

    def read(self, blocks=8, queue=0, status=0, first=0):
        return self.io[queue].read(first, bytes_of(first + 1, blocks * nvme.BLOCK), status)

    def read_request(self, first, blocks=8, queue=0):
        """A read whose data is never sent; returns its command identifier."""
        host = self.io[queue]
        cid, key, address = host.next()
        self.put(host.send("a", nvme.blocks(nvme.READ, cid, 1, first, blocks, nvme.keyed(address, blocks * nvme.BLOCK, key))))
        return cid

    def write(self, blocks=8, queue=0, inline=False, first=0):
        return self.io[queue].write(first, bytes_of(first + 1, blocks * nvme.BLOCK), inline=inline)

    def save(self, path):
        self.scene.write_capture(path)
        return path


def clean(count=40):
    """Fast commands, and a keep-alive every two seconds."""
    job = Job(2)
    for number in range(count):
        job.run(job.read(first=8 * number), 0.1 * MS, 0, 0.1 * MS)
        job.run(job.write(first=8 * number, queue=1, inline=True), 0.1 * MS)
        if number % 10 == 9:
            job.scene.pause(2)
            job.keep_alive()
    return job


def slow_device(slow=5, wait=0.2):
    """Reads that wait for the device before their first data, among 20 fast ones."""
    job = Job()
    for number in range(20 + slow):
        job.run(job.read(first=8 * number), wait if number < slow else 0.2 * MS)
    return job


def slow_response(slow=4, wait=0.1):
    """Writes whose response is late after their data: also the device."""
    job = Job()
    for number in range(20 + slow):
        job.run(job.write(first=8 * number), 0.2 * MS, 0, wait if number < slow else 0)
    return job


def slow_network(wait=0.4):
    """The middle of a read's data is lost: the controller sends it again after a time-out."""
    job = Job()
    for number in range(10):
        job.run(job.read(first=8 * number), 0.2 * MS)
    send, data, answer = job.read(blocks=16, first=800)
    job.put(send)
    job.scene.pause(0.2 * MS)
    job.put(data[:-1])
    job.scene.pause(wait)
    job.put(data[2:-1] + data[-1:])
    job.put(answer)
    return job


def never_completed(count=3, silence=2.5):
    job = Job()
    for number in range(10):
        job.run(job.read(first=8 * number), 0.2 * MS)
    for number in range(count):
        job.read_request(8 * number)
    job.scene.pause(silence)
    job.keep_alive()
    return job


def missed_keep_alive(gap=9.0):
    """The host is silent for longer than its time-out of five seconds, and closes the connections then."""
    job = Job()
    for _ in range(3):
        job.keep_alive()
        job.scene.pause(2)
    job.scene.pause(gap - 2)
    for host in job.hosts:
        host.talk.disconnect()
    return job


def keep_alive_unanswered():
    job = Job()
    job.keep_alive()
    job.scene.pause(2)
    job.keep_alive(answered=False)
    job.scene.pause(2)
    job.run(job.read(), 0.1 * MS)
    return job


def aborted(count=2):
    """Reads hang; the host asks to abort them; they end with Command Abort Requested."""
    job = Job()
    hung = []
    for number in range(count):
        cid = job.read_request(8 * number)
        hung.append(cid)
    job.scene.pause(1.5)
    for cid in hung:
        admin, _, _ = job.admin.next()
        job.put(job.admin.send("a", nvme.command(0x08, admin, dwords=(cid << 16 | 1, 0, 0, 0, 0, 0))))
        job.put(job.admin.answer(admin))
        job.put(job.io[0].answer(cid, 0x007))
    return job


def uneven(busy=300, others=20):
    """Three queues; the first has most of the commands, and is slower."""
    job = Job(3)
    for number in range(busy):
        job.run(job.read(first=8 * number), 2 * MS)
    for queue in (1, 2):
        for number in range(others):
            job.run(job.read(first=8 * number, queue=queue), 0.2 * MS)
    return job


def not_inline(count=120):
    """The first write has its data in the capsule; the data of later writes of the same size is read by RDMA."""
    job = Job()
    job.run(job.write(inline=True))
    for number in range(count):
        job.run(job.write(first=8 * number), 0.1 * MS)
    return job


def media_errors(count=2):
    job = Job()
    for number in range(5):
        job.run(job.read(first=8 * number))
    for number in range(count):
        job.put(job.io[0].answer(job.read_request(8 * number), 0x281))
    return job


class ScsiJob:
    """An SRP or iSER initiator at 10.0.0.2 with a connection to a target at 10.0.0.1; the commands are as in Job."""

    def __init__(self, make):
        self.scene = Scene("job", "")
        self.talk = Connection(self.scene, a=("10.0.0.2", 0x11, 0x100), b=("10.0.0.1", 0x22, 0x800000))
        self.scene.connections.append(self.talk)
        self.unit = make(self.talk)

    def put(self, packets, gap=0.0):
        for packet in packets:
            self.scene.put(packet)
            if gap:
                self.scene.pause(gap)

    @staticmethod
    def parts(packets):
        """The command and the response are a SEND with its acknowledgement each, the data is between them."""
        return packets[:2], packets[2:-2], packets[-2:]

    def read(self, blocks=8, first=0, status=scsi.GOOD, sense=b""):
        return self.parts(self.unit.into(scsi.cdb10(0x28, first, blocks), bytes_of(first + 1, blocks * scsi.BLOCK), 0, status, sense))

    def write(self, blocks=8, first=0):
        return self.parts(self.unit.out(scsi.cdb10(0x2a, first, blocks), bytes_of(first + 1, blocks * scsi.BLOCK)))

    def run(self, parts, before=0.0, within=0.0, after=0.0):
        self.put(parts[0])
        self.scene.pause(before)
        self.put(parts[1], within)
        self.scene.pause(after)
        self.put(parts[2])

    def save(self, path):
        self.scene.write_capture(path)
        return path


def scsi_job(make, slow=0, wait=0.0, late=0, hung=0, aborted=0, media=0, silence=0.0):
    """
    20 quick reads and writes each; then reads that wait for their first data, writes whose response is late, reads without data and
    response, reads that the initiator aborts, reads that the medium fails.
    """
    job = ScsiJob(make)
    for number in range(20):
        job.run(job.read(first=8 * number), 0.2 * MS)
        job.run(job.write(first=8 * number), 0.1 * MS)
    for number in range(slow):
        job.run(job.read(first=8 * number), wait)
    for number in range(late):
        job.run(job.write(first=8 * number), 0.2 * MS, 0, wait)
    for number in range(hung):
        job.put(job.read(first=8 * number)[0])
    for number in range(aborted):
        command = job.read(first=8 * number, status=scsi.TASK_ABORTED)
        job.put(command[0])
        job.scene.pause(1.5)
        # the response to the task management is the target's second to last packet
        job.put(job.unit.abort(command[2]))
    for number in range(media):
        job.run(job.read(first=8 * number, status=scsi.CHECK_CONDITION, sense=scsi.fixed_sense(3, 0x1100)), 0.1 * MS)
    job.scene.pause(silence)
    if silence:
        job.run(job.read(first=800), 0.1 * MS)
    return job


class ScsiChannels:
    """
    An SRP or iSER initiator with several connections to a target: channels of one session, or connections of as many sessions. Each has
    as many reads and response times as `loads` says.
    """

    def __init__(self, make, loads, sessions=False):
        self.scene = Scene("job", "")
        for number, (count, wait) in enumerate(loads):
            talk = Connection(self.scene, a=("10.0.0.2", 0x11 + number, 0x100), b=("10.0.0.1", 0x22 + number, 0x800000),
                              port=3260 if make == scsi.Iser else 5000)
            self.scene.connections.append(talk)
            unit = make(talk)
            session = number if sessions else 0
            login, response = scsi.srp_login(bytes([session + 1] * 16), bytes([9] * 16)) if make == scsi.Srp else (bytes(4), bytes(4))
            talk.request(private=login)
            talk.reply(private=response)
            talk.ready()
            if make == scsi.Iser:
                self.scene.put(*unit.login(number, bytes([0x40, 0, 0, 1, 0, session]), cuts=(20, 70)))
            for at in range(count):
                send, data, answer = ScsiJob.parts(unit.into(scsi.cdb10(0x28, 8 * at, 8), bytes_of(at + 1, 8 * scsi.BLOCK)))
                self.scene.put(*send)
                self.scene.pause(wait)
                self.scene.put(*data, *answer)

    def save(self, path):
        self.scene.write_capture(path)
        return path


def scsi_slow_network(make, wait=0.4):
    """The middle of a read's data is lost: the target sends it again after a time-out."""
    job = ScsiJob(make)
    for number in range(10):
        job.run(job.read(first=8 * number), 0.2 * MS)
    send, data, answer = job.read(blocks=16, first=800)
    job.put(send)
    job.put(data[:-1])
    job.scene.pause(wait)
    job.put(data[2:-1] + data[-1:])
    job.put(answer)
    return job


def scsi_not_immediate(count=120):
    """The first write has its data in the SEND; the data of later writes of the same size is read by RDMA."""
    job = ScsiJob(lambda talk: scsi.Iser(talk, 4096))
    job.put(job.unit.out(scsi.cdb10(0x2a, 0, 8), bytes_of(1, 4096)))
    job.unit.immediate = 0
    for number in range(count):
        job.run(job.write(first=8 * number), 0.1 * MS)
    return job


def nop_unanswered():
    job = scsi_job(scsi.Iser)
    job.unit.tag = 0x1000
    job.put(job.unit.pdu(0x40, words=(0xffffffff, 1, 1, 0, 0, 0, 0)))
    job.scene.pause(2)
    job.unit.tag = 0x2000
    job.run(job.read(first=8), 0.1 * MS)
    return job
