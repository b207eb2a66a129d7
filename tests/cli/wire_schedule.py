# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RoCE v2 and MAC control frames written by hand, for captures with a known schedule. Nothing here is shared with the program."""
import struct

SEND_ONLY, WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY, ACK, CNP, UC_SEND_ONLY = 0x04, 0x06, 0x07, 0x08, 0x0a, 0x11, 0x81, 0x24
READ_REQUEST = 0x0c
MAC = {"A": bytes.fromhex("020000000001"), "B": bytes.fromhex("020000000002")}
IP = {"A": bytes((10, 9, 0, 1)), "B": bytes((10, 9, 0, 2))}


def roce_port(qpn, other):
    """Linux: rdma_calc_flow_label(), then rdma_flow_label_to_udp_sport()."""
    v = qpn * other
    v ^= v >> 20
    v ^= v >> 40
    label = v & 0xfffff
    return 0xc000 | ((label & 0x3fff) ^ (label >> 14))


def roce(sender, opcode, qpn, psn, port=0xc000, size=0, dscp=0, ecn=0, pcp=None, ack=True, syndrome=0x1f, dma=None):
    """A frame from `sender` to queue pair `qpn` of the other host."""
    receiver = "B" if sender == "A" else "A"
    headers = struct.pack(">BBHII", opcode, 0, 0xffff, qpn | (0x40 << 24 if opcode == CNP else 0), int(ack) << 31 | psn & 0xffffff)
    if opcode in (WRITE_FIRST, WRITE_ONLY, READ_REQUEST):
        headers += struct.pack(">QII", 0x1000, 7, size if dma is None else dma)
    if opcode == ACK:
        headers += struct.pack(">I", syndrome << 24 | psn & 0xffffff)
    body = headers + (bytes(16) if opcode == CNP else bytes(size)) + bytes(4)
    udp = struct.pack(">HHHH", port, 4791, 8 + len(body), 0) + body
    ip = struct.pack(">BBHHHBBH", 0x45, dscp << 2 | ecn, 20 + len(udp), psn & 0xffff, 0x4000, 64, 17, 0) + IP[sender] + IP[receiver]
    tag = b"" if pcp is None else struct.pack(">HH", 0x8100, pcp << 13 | 5)
    return MAC[receiver] + MAC[sender] + tag + b"\x08\x00" + ip + udp


def pfc(sender, times):
    """Priority-based flow control: {priority: quanta}."""
    body = struct.pack(">HH", 0x0101, sum(1 << p for p in times)) + b"".join(struct.pack(">H", times.get(p, 0)) for p in range(8))
    return bytes.fromhex("0180c2000001") + MAC[sender] + b"\x88\x08" + body + bytes(46 - len(body))


def pause(sender, quanta):
    return bytes.fromhex("0180c2000001") + MAC[sender] + b"\x88\x08" + struct.pack(">HH", 0x0001, quanta) + bytes(42)


class Schedule:
    """Frames by time in nanoseconds."""

    def __init__(self):
        self.frames = []

    def at(self, time, frame):
        self.frames.append((time, frame))

    def in_order(self):
        return sorted(self.frames, key=lambda one: one[0])

    def write_pcap(self, path, keep=lambda index: True):
        with open(path, "wb") as f:
            f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
            for index, (time, frame) in enumerate(self.in_order()):
                if keep(index):
                    f.write(struct.pack("<IIII", time // 10 ** 9, time % 10 ** 9, len(frame), len(frame)) + frame)
        return path

    def write_pcapng(self, path, bits_per_second=None):
        def block(kind, body):
            return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))

        options = struct.pack("<HHB3x", 9, 1, 9)
        if bits_per_second is not None:
            options += struct.pack("<HHQ", 8, 8, bits_per_second)
        with open(path, "wb") as f:
            f.write(block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)))
            f.write(block(1, struct.pack("<HHI", 1, 0, 0) + options + bytes(4)))
            for time, frame in self.in_order():
                f.write(block(6, struct.pack("<IIIII", 0, time >> 32, time & 0xffffffff, len(frame), len(frame)) + frame +
                              bytes(-len(frame) % 4)))
        return path


US, MS = 1000, 1000000
QPA, QPB = 0x11, 0x22


def talk(requests, step=20 * US, dscps=(0, 0), ecn=0, ports=None, cnps=(), size=64):
    """A sends so many requests, `step` apart, each answered at once; B's CNPs come at these times."""
    schedule = Schedule()
    for i in range(requests):
        port = ports[i % len(ports)] if ports else roce_port(QPA, QPB)
        schedule.at(i * step, roce("A", SEND_ONLY, QPB, 100 + i, port, size, dscps[0], ecn))
        schedule.at(i * step + 1 * US, roce("B", ACK, QPA, 100 + i, port, dscp=dscps[1]))
    for time in cnps:
        schedule.at(time, roce("B", CNP, QPA, 0, roce_port(QPA, QPB), dscp=dscps[1]))
    return schedule


def everything():
    """All that is counted of congestion: more classes and ports than are told apart, CNPs, pauses, several paths."""
    schedule = talk(400, dscps=(26, 0), ecn=2, ports=[0xc000 + i for i in range(4)], cnps=[2 * MS + 1, 5 * MS + 1])
    for i in range(60):
        schedule.at((9000 + i) * US, roce("A", SEND_ONLY, QPB, 500 + i, 0xc000, 8, i, pcp=i % 8))
    for port in range(9):
        MAC["P%d" % port] = bytes((2, 0, 0, 0, 1, port))
        schedule.at((9500 + port) * US, pfc("P%d" % port, {priority: 100 for priority in range(8)}))
    schedule.at(9600 * US, pause("B", 1000))
    return schedule


def with_timeouts(frames, count, wait, of_client=False):
    """[(time, frame)] of TCP in which `count` data segments are sent again after `wait` ns, and all after them so much later; the third frame is the client's SYN."""
    changed, shift, done = [], 0, 0
    for time, frame in frames:
        changed.append((time + shift, frame))
        at = 14 + 4 * (frame[14] & 15)
        data = len(frame) - at - 4 * (frame[at + 12] >> 4)
        if done < count and data > 16 and len(changed) > 8 and (not of_client or frame[26:30] == frames[2][1][26:30]):
            shift, done = shift + wait, done + 1
            changed.append((time + shift, frame))
    return changed


def with_closed_window(frames, time_closed):
    """The first acknowledgement behind the set-up closes the window for so long; all that follows comes later."""
    changed, shift, done = [], 0, False
    for time, frame in frames:
        at = 14 + 4 * (frame[14] & 15)
        if not done and len(changed) > 12 and frame[at + 13] == 0x10:
            changed.append((time, frame[:at + 14] + b"\0\0" + frame[at + 16:]))
            shift, done = time_closed, True
        changed.append((time + shift, frame))
    return changed
