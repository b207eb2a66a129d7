# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RoCE v2 and MAC control frames for captures with a known schedule, independent of the program."""
import collections
import struct

SEND_ONLY, WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY, ACK, CNP, UC_SEND_ONLY = 0x04, 0x06, 0x07, 0x08, 0x0a, 0x11, 0x81, 0x24
SEND_FIRST, SEND_MIDDLE, SEND_LAST = 0x00, 0x01, 0x02
READ_REQUEST, READ_FIRST, READ_MIDDLE, READ_LAST, READ_RESPONSE_ONLY, ATOMIC_ACK, COMPARE_SWAP = 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x12, 0x13
UD_SEND_ONLY = 0x64
MAC = {"A": bytes.fromhex("020000000001"), "B": bytes.fromhex("020000000002")}
IP = {"A": bytes((10, 9, 0, 1)), "B": bytes((10, 9, 0, 2))}


def roce_port(qpn, other):
    """Linux: rdma_calc_flow_label(), then rdma_flow_label_to_udp_sport()."""
    v = qpn * other
    v ^= v >> 20
    v ^= v >> 40
    label = v & 0xfffff
    return 0xc000 | ((label & 0x3fff) ^ (label >> 14))


def roce(sender, opcode, qpn, psn, port=0xc000, size=0, dscp=0, ecn=0, pcp=None, ack=True, syndrome=0x1f, dma=None, ip_id=None, body=b"", offset=0):
    """A frame from `sender` to queue pair `qpn` of the other host. ip_id: of the IP header, by the PSN if None. body: before the payload."""
    receiver = "B" if sender == "A" else "A"
    headers = struct.pack(">BBHII", opcode, 0, 0xffff, qpn | (0x40 << 24 if opcode == CNP else 0), int(ack) << 31 | psn & 0xffffff)
    if opcode in (WRITE_FIRST, WRITE_ONLY, READ_REQUEST):
        headers += struct.pack(">QII", 0x1000 + offset, 7, size if dma is None else dma)
    if opcode == COMPARE_SWAP:
        headers += struct.pack(">QIQQ", 0x1000, 7, 1, 0)
    if opcode in (ACK, READ_FIRST, READ_LAST, READ_RESPONSE_ONLY, ATOMIC_ACK):
        headers += struct.pack(">I", syndrome << 24 | psn & 0xffffff)
    headers += bytes(8) if opcode == ATOMIC_ACK else body
    body = headers + (bytes(16) if opcode == CNP else bytes(size)) + bytes(4)
    udp = struct.pack(">HHHH", port, 4791, 8 + len(body), 0) + body
    ip = struct.pack(">BBHHHBBH", 0x45, dscp << 2 | ecn, 20 + len(udp), (psn if ip_id is None else ip_id) & 0xffff, 0x4000, 64, 17, 0) + IP[sender] + IP[receiver]
    tag = b"" if pcp is None else struct.pack(">HH", 0x8100, pcp << 13 | 5)
    return MAC[receiver] + MAC[sender] + tag + b"\x08\x00" + ip + udp


def cm(sender, attribute, body):
    """A datagram of communication management. IBTA vol. 1, 13.4.2, 12.6."""
    mad = struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, 1, attribute, 0, 0) + body
    return roce(sender, UD_SEND_ONLY, 1, 0, 0xc001, 0, body=struct.pack(">II", 0x80010000, 1) + mad + bytes(256 - len(mad)))


def cm_req(sender, qpn, psn, ack_timeout, retry_count, rnr_retry_count):
    """psn: the Starting PSN of the other end. IBTA vol. 1, 12.6.5, 12.7.31."""
    body = struct.pack(">IIQQII", qpn, 0, 0x99, 1, 0, 0) + struct.pack(">IIII", qpn << 8 | 4, 4, 20 << 3, psn << 8 | 20 << 3 | retry_count)
    body += struct.pack(">HBB", 0xffff, 1 << 4 | rnr_retry_count, 15 << 4) + bytes(4) + bytes(10) + b"\xff\xff" + IP[sender]
    body += bytes(10) + b"\xff\xff" + IP["B" if sender == "A" else "A"] + bytes(7) + bytes((ack_timeout << 3,))
    return cm(sender, 0x0010, body)


def cm_rep(sender, qpn, psn, other, rnr_retry_count=7):
    """IBTA vol. 1, 12.6.8."""
    return cm(sender, 0x0013, struct.pack(">IIIIIIBBBBQ", qpn, other, 0, qpn << 8, 0, psn << 8, 4, 4, 0, rnr_retry_count << 5, 2))


def cm_rtu(sender, qpn, other):
    return cm(sender, 0x0014, struct.pack(">II", qpn, other))


def cm_dreq(sender, qpn, other):
    return cm(sender, 0x0015, struct.pack(">III", qpn, other, other << 8))


def cm_drep(sender, qpn, other):
    return cm(sender, 0x0016, struct.pack(">II", qpn, other))


def connect_request(number, qpn, psn, flow_label):
    """A's REQ for NFS/RDMA, with a Primary Flow Label. IBTA vol. 1, 12.6.5, A11."""
    gids = b"".join(bytes(10) + b"\xff\xff" + IP[end] for end in "AB")
    path = struct.pack(">HH", 0xffff, 0xffff) + gids + struct.pack(">IBBBB", flow_label << 12, 0, 64, 0, 17 << 3)
    fixed = struct.pack(">IIQQIIIIIIHBB", number, 0, 1 << 24 | 6 << 16 | 20049, 1, 0, 0, qpn << 8 | 4, 4, 0xa0, psn << 8 | 0xa7, 0xffff, 0x37, 0xf0)
    ip_cm = struct.pack(">BBH", 0, 0x40, 1000 + number) + bytes(12) + IP["A"] + bytes(12) + IP["B"]
    return cm("A", 0x0010, fixed + path + bytes(44) + ip_cm)


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
MTU = 256

# A lost packet. at: its index in the message. cause: the reason for its retransmission, `wait` ns after the first transmission (for a READ
# response: after the previous one). seen: it was lost after the capture point. nak: its NAK was lost after the capture point too.
Loss = collections.namedtuple("Loss", "at cause wait seen nak", defaults=(False, False))


class Talk:
    """A reliable connection with successive operations, and the cost of its recoveries by this schedule."""
    STEP = 1 * US

    def __init__(self, schedule, qpa=QPA, qpb=QPB, begin=0, counts_ids=True):
        self.schedule, self.time, self.counts_ids = schedule, begin, counts_ids
        self.target, self.port = {"A": qpb, "B": qpa}, roce_port(qpa, qpb)
        self.psn, self.ids = {"A": 100, "B": 0xfffff0}, {"A": 0, "B": 30000}
        self.lost = collections.defaultdict(lambda: [0, 0])  # (requester, cause): recoveries, nanoseconds
        self.messages = {}                                   # (requester, first PSN): nanoseconds by cause

    def put(self, sender, opcode, psn, size=0, **options):
        self.ids[sender] += 1
        self.schedule.at(self.time, roce(sender, opcode, self.target[sender], psn, self.port, size,
                                         ip_id=self.ids[sender] if self.counts_ids else 0, **options))

    def connect(self, ack_timeout, retry_count=7, rnr_retry_count=7):
        qpa, qpb = self.target["B"], self.target["A"]
        for frame in (cm_req("A", qpa, self.psn["B"], ack_timeout, retry_count, rnr_retry_count), cm_rep("B", qpb, self.psn["A"], qpa, rnr_retry_count),
                      cm_rtu("A", qpa, qpb)):
            self.schedule.at(self.time, frame)
            self.time += self.STEP
        return self

    def disconnect(self):
        qpa, qpb = self.target["B"], self.target["A"]
        for frame in (cm_dreq("A", qpa, qpb), cm_drep("B", qpb, qpa)):
            self.schedule.at(self.time, frame)
            self.time += self.STEP

    def take(self, sender, count):
        psn = self.psn[sender]
        self.psn[sender] += count
        self.messages[sender, psn & 0xffffff] = collections.Counter()
        return psn

    def lose(self, sender, psn, loss):
        self.lost[sender, loss.cause][0] += 1
        self.lost[sender, loss.cause][1] += loss.wait
        self.messages[sender, psn & 0xffffff][loss.cause] += loss.wait

    def data(self, sender, kind, packets, losses=(), answered=True, timer=None):
        """A SEND or WRITE. After a loss the rest is sent, then everything from the lost packet on again."""
        first, middle, last, only = ((SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY) if kind == "send" else
                                     (WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY))
        other, psn, begin = "B" if sender == "A" else "A", self.take(sender, packets), 0
        for loss in list(losses) + [None]:
            for at in range(begin, packets):
                is_lost = loss and at == loss.at
                since = self.time if is_lost else since if at > begin else self.time
                if not is_lost or loss.seen:
                    opcode = only if packets == 1 else first if at == 0 else last if at == packets - 1 else middle
                    self.put(sender, opcode, psn + at, MTU, ack=at == packets - 1, dma=packets * MTU)
                self.time += self.STEP
            if not loss:
                break
            if loss.cause == "sequence_nak" or loss.nak:
                self.put(other, ACK, psn + loss.at, syndrome=0x60)
            if loss.cause == "rnr":
                self.put(other, ACK, psn + loss.at, syndrome=0x20 | timer)
            assert since + loss.wait > self.time
            self.time, begin = since + loss.wait, loss.at
            self.lose(sender, psn, loss)
        if answered:
            self.put(other, ACK, psn + packets - 1)
        self.time += self.STEP
        return psn

    def read(self, sender, packets, losses=(), answered=True):
        """A READ. implied_nak: one response is lost, and later ones show that; timeout: it and all later ones are lost."""
        other, psn, begin = "B" if sender == "A" else "A", self.take(sender, packets), 0
        for loss in list(losses) + [None]:
            since = self.time
            self.put(sender, READ_REQUEST, psn + begin, dma=(packets - begin) * MTU, offset=begin * MTU)
            for at in range(begin, packets if answered or loss else begin):
                self.time += self.STEP
                is_lost = loss and (at == loss.at if loss.cause == "implied_nak" else at >= loss.at)
                if not loss or at < loss.at:
                    since = self.time
                if not is_lost or loss.seen:
                    left = packets - begin
                    opcode = (READ_RESPONSE_ONLY if left == 1 else READ_FIRST if at == begin else READ_LAST if at == packets - 1 else READ_MIDDLE)
                    self.put(other, opcode, psn + at, MTU)
            self.time += self.STEP
            if not loss:
                break
            assert since + loss.wait > self.time
            self.time, begin = since + loss.wait - self.STEP, loss.at
            self.lose(sender, psn, loss)
        return psn

    def atomic(self, sender, losses=()):
        other, psn = "B" if sender == "A" else "A", self.take(sender, 1)
        for loss in list(losses) + [None]:
            since = self.time
            self.put(sender, COMPARE_SWAP, psn)
            self.time += self.STEP
            if not loss or loss.seen:
                self.put(other, ATOMIC_ACK, psn)
            if loss:
                self.time = since + loss.wait
                self.lose(sender, psn, loss)
        self.time += self.STEP
        return psn


def talk(requests, step=20 * US, dscps=(0, 0), ecn=0, ports=None, cnps=(), size=64):
    """A sends requests at intervals of `step`, each acknowledged at once; B sends CNPs at these times."""
    schedule = Schedule()
    for i in range(requests):
        port = ports[i % len(ports)] if ports else roce_port(QPA, QPB)
        schedule.at(i * step, roce("A", SEND_ONLY, QPB, 100 + i, port, size, dscps[0], ecn))
        schedule.at(i * step + 1 * US, roce("B", ACK, QPA, 100 + i, port, dscp=dscps[1]))
    for time in cnps:
        schedule.at(time, roce("B", CNP, QPA, 0, roce_port(QPA, QPB), dscp=dscps[1]))
    return schedule


def everything():
    """Everything that is counted about congestion: more classes and ports than are distinguished, CNPs, pauses, several paths."""
    schedule = talk(400, dscps=(26, 0), ecn=2, ports=[0xc000 + i for i in range(4)], cnps=[2 * MS + 1, 5 * MS + 1])
    for i in range(60):
        schedule.at((9000 + i) * US, roce("A", SEND_ONLY, QPB, 500 + i, 0xc000, 8, i, pcp=i % 8))
    for port in range(9):
        MAC["P%d" % port] = bytes((2, 0, 0, 0, 1, port))
        schedule.at((9500 + port) * US, pfc("P%d" % port, {priority: 100 for priority in range(8)}))
    schedule.at(9600 * US, pause("B", 1000))
    return schedule


def with_timeouts(frames, count, wait, of_client=False):
    """[(time, frame)] of TCP in which `count` data segments are retransmitted after `wait` ns, which delays all later ones; the third frame is the client's SYN."""
    changed, shift, done = [], 0, 0
    for time, frame in frames:
        changed.append((time + shift, frame))
        at = 14 + 4 * (frame[14] & 15)
        data = len(frame) - at - 4 * (frame[at + 12] >> 4)
        if done < count and data > 16 and len(changed) > 8 and (not of_client or frame[26:30] == frames[2][1][26:30]):
            shift, done = shift + wait, done + 1
            changed.append((time + shift, frame))
    return changed


def with_fast_retransmits(frames, count, wait, seen):
    """The first of two successive data segments is lost, `count` times: three acknowledgements report the second (RFC 2018), and `wait` ns after it
    the first is retransmitted. seen: it was lost after the capture point. Returns the frames and the number of such pairs."""
    def sizes(frame):
        at = 14 + 4 * (frame[14] & 15)
        return at, len(frame) - at - 4 * (frame[at + 12] >> 4)

    changed, shift, done, put = [], 0, 0, -1
    for i, (time, frame) in enumerate(frames):
        at, data = sizes(frame)
        if 3 < i < len(frames) - 2 and done < count and data > 16 and frame[23] == 6:
            after, answer = frames[i + 1][1], frames[i + 2][1]
            if frame[26:34] == after[26:34] and sizes(after)[1] and answer[26:34] == frame[30:34] + frame[26:30] and not sizes(answer)[1]:
                done += 1
                sequence, = struct.unpack_from(">I", frame, at + 4)
                left, = struct.unpack_from(">I", after, at + 4)
                options = b"\1\1\5\x0a" + struct.pack(">II", left, left + sizes(after)[1])
                end = sizes(answer)[0] + 4 * (answer[sizes(answer)[0] + 12] >> 4)
                report = (answer[:16] + struct.pack(">H", end - 14 + 12) + answer[18:at + 8] + struct.pack(">I", sequence) +
                          bytes((answer[at + 12] + 0x30,)) + answer[at + 13:end] + options)
                if seen:
                    changed.append((time + shift, frame))
                sent = frames[i + 1][0] + shift
                changed.append((sent, after))
                changed += [(sent + (n + 1) * 20 * US, report) for n in range(3)]
                changed.append((sent + wait, frame))
                shift, put = shift + wait, i + 1
                continue
        if i != put:
            changed.append((time + shift, frame))
    return changed, done


def rnr_to_the_end(silence):
    """A SEND with RNR NAKs, then silence of its sender until the capture ends."""
    schedule = Schedule()
    talk = Talk(schedule)
    for sender in "AB":
        talk.data(sender, "send", 1)
    psn = talk.data("A", "send", 1, [Loss(0, "rnr", 2 * MS, True)] * 3, answered=False, timer=14)
    talk.put("B", ACK, psn, syndrome=0x20 | 14)
    talk.time += 1280 * US + silence
    talk.data("B", "write", 1)
    return schedule


def late_naks(count, wait):
    """`count` recoveries that begin this long after their NAK."""
    schedule = Schedule()
    talk = Talk(schedule)
    for sender in "AB":
        talk.data(sender, "send", 1)
    for _ in range(count):
        talk.data("A", "write", 8, [Loss(2, "sequence_nak", wait)])
    return schedule


def slow_writes(latencies):
    """WRITEs of one packet that are acknowledged after these nanoseconds."""
    schedule = Schedule()
    talk = Talk(schedule)
    for latency in latencies:
        psn = talk.take("A", 1)
        talk.put("A", WRITE_ONLY, psn, 64, dma=64)
        talk.time += latency
        talk.put("B", ACK, psn)
        talk.time += US
    return schedule


def with_closed_window(frames, time_closed):
    """The first acknowledgement after the setup closes the window for this time; everything later is delayed."""
    changed, shift, done = [], 0, False
    for time, frame in frames:
        at = 14 + 4 * (frame[14] & 15)
        if not done and len(changed) > 12 and frame[at + 13] == 0x10:
            changed.append((time, frame[:at + 14] + b"\0\0" + frame[at + 16:]))
            shift, done = time_closed, True
        changed.append((time + shift, frame))
    return changed


class IwarpTalk:
    """RPCs over iWARP (RFC 5044, 5041, 5040, 8166) from A, one after the other, and the cost of lost TCP segments by this schedule."""
    STEP = 10 * US
    PORTS = {"A": 40000, "B": 20049}
    SIZE = 1000
    # parts of an RPC: sender, number of segments
    PARTS = {"call": ("A", 1), "request": ("B", 1), "response": ("A", 4), "write": ("B", 4), "reply": ("B", 1)}

    def __init__(self, schedule):
        self.schedule, self.time, self.number = schedule, 0, 0
        self.sequence = {"A": 1000, "B": 900000}
        self.msn = {("A", 0): 1, ("B", 0): 1, ("B", 1): 1}
        self.lost = collections.Counter()   # (sender, cause): ns
        self.parts = collections.Counter()  # (number of the RPC, part): ns
        self.segment("A", flags=2)
        self.sequence["A"] += 1
        self.segment("B", flags=0x12)
        self.sequence["B"] += 1
        self.segment("A")
        for sender, key in (("A", b"MPA ID Req Frame"), ("B", b"MPA ID Rep Frame")):
            self.data(sender, [key + bytes((0, 1, 0, 0))])

    def segment(self, sender, payload=b"", flags=0x10, sequence=None, acknowledged=None, sack=None, window=500, captured=True):
        other = "B" if sender == "A" else "A"
        options = struct.pack(">BBBBII", 1, 1, 5, 10, *sack) if sack else b""
        tcp = struct.pack(">HHIIBBHHH", self.PORTS[sender], self.PORTS[other], self.sequence[sender] if sequence is None else sequence,
                          0 if flags == 2 else self.sequence[other] if acknowledged is None else acknowledged,
                          (20 + len(options)) // 4 << 4, flags, window, 0, 0) + options + payload
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + IP[sender] + IP[other]
        if captured:
            self.schedule.at(self.time, MAC[other] + MAC[sender] + b"\x08\x00" + ip + tcp)
        self.time += self.STEP

    def data(self, sender, pieces, loss=None):
        """Sends segments that the other end acknowledges. The segment `loss.at` is lost. Returns the time lost."""
        other, begin, lost = "B" if sender == "A" else "A", self.sequence[sender], 0
        if loss and loss.cause == "zero_window":
            return self.data(sender, pieces[:loss.at]) + self.close_window(other, loss.wait) + self.data(sender, pieces[loss.at:])
        hole = begin + sum(map(len, pieces[:loss.at])) if loss else None
        for i, piece in enumerate(pieces):
            is_lost = loss and i == loss.at
            progress = self.time
            self.segment(sender, piece, 0x18, captured=not is_lost or loss.seen)
            self.sequence[sender] += len(piece)
            if loss and i > loss.at:
                # the first one acknowledges the segments before the lost one
                progress = self.time if loss.at and i == loss.at + 1 else progress
                self.segment(other, acknowledged=hole, sack=(hole + len(pieces[loss.at]), self.sequence[sender]))
        if loss:
            if loss.at and loss.at + 1 == len(pieces):
                progress = self.time
                self.segment(other, acknowledged=hole)
            self.time = progress + loss.wait
            lost = loss.wait
            self.segment(sender, pieces[loss.at], 0x18, sequence=hole)
        self.segment(other)
        return lost

    def close_window(self, receiver, wait):
        opened = self.time + wait
        self.segment(receiver, window=0)
        self.time = opened
        self.segment(receiver)
        return wait

    @staticmethod
    def fpdu(ulpdu):
        framed = struct.pack(">H", len(ulpdu)) + ulpdu
        return framed + bytes(-len(framed) % 4) + bytes(4)

    def untagged(self, sender, queue, opcode, payload):
        msn = self.msn[sender, queue]
        self.msn[sender, queue] += 1
        return self.fpdu(struct.pack(">BBIIII", 0x41, 0x40 | opcode, 0, queue, msn, 0) + payload)

    def tagged(self, opcode, stag, offset, last):
        return self.fpdu(struct.pack(">BBIQ", 0xc1 if last else 0x81, 0x40 | opcode, stag, offset) + bytes(self.SIZE))

    def rpc(self, losses=()):
        """An RPC with data in both directions. losses: {part: Loss}."""
        losses, self.number = dict(losses), self.number + 1
        xid, at, length = 0x5000 + self.number, self.number << 16, 4 * self.SIZE
        stags = {"response": 0x100 + self.number, "write": 0x200 + self.number, "sink": 0x300 + self.number}
        chunks = struct.pack(">IIIIQI", 1, 132, stags["response"], length, at, 0)
        chunks += struct.pack(">IIIIQI", 1, 1, stags["write"], length, at, 0) + bytes(4)
        call = struct.pack(">IIII", xid, 1, 32, 0) + chunks + struct.pack(">10I", xid, 0, 2, 0x20000001, 1, 1, 0, 0, 0, 0)
        answer = struct.pack(">IIII", xid, 1, 32, 0) + struct.pack(">I", 0)
        answer += struct.pack(">IIIIQI", 1, 1, stags["write"], length, at, 0) + bytes(4) + struct.pack(">6I", xid, 1, 0, 0, 0, 0)
        request = struct.pack(">IQIIQ", stags["sink"], at, length, stags["response"], at)
        parts = {
            "call": [self.untagged("A", 0, 3, call)],
            "request": [self.untagged("B", 1, 1, request)],
            "response": [self.tagged(2, stags["sink"], at + i * self.SIZE, i == 3) for i in range(4)],
            "write": [self.tagged(0, stags["write"], at + i * self.SIZE, i == 3) for i in range(4)],
            "reply": [self.untagged("B", 0, 3, answer)],
        }
        for part, pieces in parts.items():
            sender = self.PARTS[part][0]
            lost = self.data(sender, pieces, losses.get(part))
            if lost:
                self.lost[sender, losses[part].cause] += lost
                self.parts[self.number, part] += lost
