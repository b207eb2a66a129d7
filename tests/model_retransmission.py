# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Retransmissions in a capture of RoCE, their causes and their cost, computed independently of rdmatap.

Reads the whole capture first and keeps everything, so it needs no windows and no assumptions about later packets. Reliable connections only.
IBTA vol. 1: 9.7.2 (PSNs), 9.7.5.1.1 (out of sequence requests), 9.7.5.2.8 (implied NAK), 9.7.6.1.3 (time-out). For requests it records when
the requester knew that they were complete, from acknowledgements and from responses in order (9.7.5.1.2).
"""
import collections
import gzip
import struct

Packet = collections.namedtuple("Packet", "frame time interface source target ip_id qpn opcode psn size syndrome msn reth")

# lower five bits of the opcode: extended headers before the payload, in bytes
EXTENDED = {3: 4, 5: 4, 6: 16, 9: 4, 10: 16, 11: 20, 12: 16, 13: 4, 15: 4, 16: 4, 17: 4, 18: 12, 19: 28, 20: 28, 22: 4, 23: 4}
READ, ACK, ATOMIC_ACK = 12, 17, 18
READ_RESPONSES = (13, 14, 15, 16)
RESPONSES = READ_RESPONSES + (ACK, ATOMIC_ACK)
ATOMICS = (19, 20)
FIRSTS, LASTS = (0, 4, 5, 6, 10, 11), (2, 3, 4, 5, 8, 9, 10, 11, 22, 23)  # of SEND and WRITE; Only is both
FULL = (0, 1, 6, 7, 13, 14)  # First and Middle: their length is the path MTU

NAMES = ("", "in_order", "gap", "out_of_order", "retransmission", "duplicate", "captured_twice", "unexpected_response", "resynchronised")
NAKS = ("nak_sequence", "nak_invalid_request", "nak_access", "nak_operation", "nak_invalid_rd")
CAUSES = ("sequence_nak", "implied_nak", "rnr", "timeout")

SECOND = 10 ** 9
AT_ONCE = 10 ** 6        # a copy that arrives sooner was not retransmitted because of a missing response
REORDERED = 3 * 10 ** 6  # longest delay of a packet by the network
AFTER_TIMEOUT = 4 * 10 ** 6  # it reacts to a response sooner if a time-out has passed before; otherwise it waited for the time-out
PROMPT = SECOND // 2     # a requester reacts to a NAK, or to a hole in the responses, sooner; if the time-out is known, sooner than that


# ---- the file ----

def frames(path):
    """(number, nanoseconds, interface, link type, bytes, whole) of each frame."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        data = f.read()
    magic = data[:4]
    if magic == b"\x0a\x0d\x0d\x0a":
        yield from pcapng(data)
        return
    order = "<" if magic in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    unit = 1 if magic in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 1000
    link = struct.unpack_from(order + "I", data, 20)[0] & 0xffff
    at, number = 24, 0
    while at + 16 <= len(data):
        seconds, part, captured, length = struct.unpack_from(order + "4I", data, at)
        number += 1
        yield number, seconds * SECOND + part * unit, 0, link, data[at + 16:at + 16 + captured], captured >= length
        at += 16 + captured


def pcapng(data):
    at, number, order, interfaces = 0, 0, "<", []
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, length = struct.unpack_from(order + "2I", data, at)
        body = data[at + 8:at + length - 4]
        if kind == 1:
            interfaces.append((struct.unpack_from(order + "H", body)[0], resolution(body[8:], order)))
        elif kind == 6:
            which, high, low, captured, wire = struct.unpack_from(order + "5I", body)
            number += 1
            link, per_second = interfaces[which]
            ticks = high << 32 | low
            yield number, ticks * SECOND // per_second, which, link, body[20:20 + captured], captured >= wire
        elif kind in (2, 3):
            number += 1
        at += length


def resolution(options, order):
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from(order + "2H", options, at)
        if code == 9:
            value = options[at + 4]
            return 2 ** (value & 127) if value & 128 else 10 ** value
        at += 4 + (length + 3) // 4 * 4
    return 10 ** 6


# ---- the packet ----

def transport(frame):
    """(source, target, IP identification, bytes from the BTH on, length there on the wire) of RoCE, or None."""
    at, kind = 14, struct.unpack_from(">H", frame, 12)[0]
    while kind in (0x8100, 0x88a8):
        kind = struct.unpack_from(">H", frame, at + 2)[0]
        at += 4
    if kind == 0x0800:
        length, ip_id, fragment = struct.unpack_from(">3H", frame, at + 2)
        header = (frame[at] & 15) * 4
        if frame[at + 9] != 17 or fragment & 0x3fff:
            return None
        source, target = frame[at + 12:at + 16], frame[at + 16:at + 20]
        end, at = at + length, at + header
    elif kind in (0x86dd, 0x8915):
        source, target, ip_id = frame[at + 8:at + 24], frame[at + 24:at + 40], None
        following = frame[at + 6]
        end, at = at + 40 + struct.unpack_from(">H", frame, at + 4)[0], at + 40
        if kind == 0x8915:
            return (source, target, None, frame[at:end], end - at) if following == 0x1b else None
        if following != 17:
            return None
    else:
        return None
    if struct.unpack_from(">H", frame, at + 2)[0] != 4791:
        return None
    return source, target, ip_id, frame[at + 8:end], end - at - 8


def packet_of(number, time, interface, link, frame):
    try:
        found = transport(frame) if link == 1 else None
        if not found or len(found[3]) < 12:
            return None
        source, target, ip_id, bth, length = found
        opcode, flags = bth[0], bth[1]
        if opcode >> 5 or opcode & 31 not in EXTENDED and opcode > 23:
            return None
        qpn, psn = int.from_bytes(bth[5:8], "big"), int.from_bytes(bth[9:12], "big")
        size = length - 12 - EXTENDED.get(opcode, 0) - (flags >> 4 & 3) - 4
        aeth = int.from_bytes(bth[12:16], "big") if opcode in RESPONSES and opcode != 14 else None
        reth = struct.unpack_from(">QII", bth, 12) if opcode in (6, 10, 11, READ) else None
    except (struct.error, IndexError):
        return None
    return Packet(number, time, interface, source, target, ip_id, qpn, opcode, psn, size, None if aeth is None else aeth >> 24,
                  None if aeth is None else aeth & 0xffffff, reth)


def distance(a, b):
    """Signed distance from PSN b to PSN a."""
    return ((a - b + 0x800000) & 0xffffff) - 0x800000


# ---- association of requests and responses ----

def flows(packets):
    """Packets by (source, target, queue pair), as requests and responses."""
    requests, responses = collections.defaultdict(list), collections.defaultdict(list)
    for p in packets:
        (responses if p.opcode in RESPONSES else requests)[p.source, p.target, p.qpn].append(p)
    return requests, responses


def spans(requests, pmtu):
    """PSNs that were requested or sent."""
    taken = set()
    for p in requests:
        count = max(1, -(-p.reth[2] // pmtu)) if p.opcode == READ else 1
        taken.update((p.psn + i) & 0xffffff for i in range(min(count, 1 << 16)))
    return taken


def pairs(requests, responses):
    """{requests' flow: responses' flow or None} where certain; reused queue pairs are omitted."""
    mtu = collections.defaultdict(int)
    for flow in list(requests.values()) + list(responses.values()):
        for p in flow:
            if p.opcode in FULL:
                ends = frozenset((p.source, p.target))
                mtu[ends] = max(mtu[ends], p.size)
    claims = collections.defaultdict(list)
    for asked, sent in requests.items():
        taken = spans(sent, mtu[frozenset(asked[:2])] or 1024)
        for answered, got in responses.items():
            if answered[:2] == (asked[1], asked[0]) and all(p.psn in taken for p in got if p.opcode in READ_RESPONSES):
                share = sum(p.psn in taken for p in got) / len(got)
                if share > 0.9:
                    claims[answered].append(asked)
    taken_twice = collections.Counter(asked[0] for asked in claims.values() if len(asked) == 1)
    found = {}
    for answered, asked in claims.items():
        if len(asked) == 1 and taken_twice[asked[0]] == 1:
            found[asked[0]] = answered
    return found


# ---- one direction's requests and their responses ----

class Stream:
    def __init__(self, packets, pmtu, informative, timeout=None, start=None):
        self.pmtu, self.informative, self.timeout = pmtu, informative, timeout
        self.labels, self.is_request = {}, {}     # by frame
        self.naks, self.rnr = collections.Counter(), 0
        self.payload, self.repeated = [0, 0], [0, 0]  # of requests, of READ responses
        self.gaps = [0, 0]
        self.recoveries = {cause: [0, 0] for cause in CAUSES}
        self.first = None                        # PSN with which the last attempt began
        self.attempts = []                       # (frame, cause, PSN)
        self.next = self.high = None
        self.sent, self.got, self.acks = {}, {}, {}
        self.reads = []                          # [first PSN, PSN after it, time, requested again from PSN or None, by frame]
        self.holes = {}                          # PSN: time when a later packet showed that it is missing
        self.arrived = ([], [])                  # (PSN, time) of packets that were no repeats: of requests, of READ responses
        self.late = ([], [])                     # RFC 4737, 4.2 and 4.3: (packets, nanoseconds) of each packet out of order
        self.newest = [None, None]               # request and response with the highest PSN
        self.nak = None                          # (kind, PSN, time)
        self.nak_unused, self.cause_now = False, None
        self.running, self.last_again, self.again_time = False, None, None
        self.counted_to = 0                      # time lost is counted up to here
        self.awaited = None                      # (PSN, cause): the response that ends a recovery
        self.awaits = None                       # PSN of the first response of the latest repeated request, until it arrives
        self.asked = {}                          # READs and atomics by first PSN: the responses that their requester waits for
        self.begun, self.unacknowledged = {}, {} # the SEND or WRITE under way; those that came to their end, by last PSN
        self.done = {}                           # (frame, PSN) of a request: (frame of the response, nanoseconds)
        self.later = None                        # (PSN, time) of the highest response since the last attempt
        self.last_response = None
        base = packets[0].psn
        self.base = base                         # PSN with which the capture begins
        # the first packets may be missing
        if start is not None and 0 < distance(base, start) < 1 << 16:
            self.next = base = self.base = start
        for p in packets:
            psn = base + distance(p.psn, (self.next if self.next is not None else base) & 0xffffff) + ((self.next or base) - base)
            self.is_request[p.frame] = p.opcode not in RESPONSES
            if p.opcode in RESPONSES:
                self.response(p, psn)
            else:
                self.request(p, psn)

    def same_frame(self, a, b):
        """True, False, or None where IP identifications do not distinguish packets."""
        if not self.informative:
            return None
        return a.ip_id == b.ip_id

    def sent_after(self, p, newest):
        """Whether a packet was sent after one captured before it; None if unknown."""
        if not self.informative or newest is None or distance(newest.psn, p.psn) < 0:
            return None
        return (p.ip_id - newest.ip_id) & 0xffff < 0x8000

    def repeat(self, first, p, reason):
        """The label of a packet that was captured before."""
        same = self.same_frame(first[-1], p)
        if same:
            seen_here = any(f.interface == p.interface for f in first if f.ip_id == p.ip_id)
            return "duplicate" if seen_here else "captured_twice"
        if any(self.same_frame(f, p) for f in first):
            return "duplicate"
        if same is False:
            return "retransmission"
        age = abs(p.time - first[0].time)
        if age < AT_ONCE and first[0].interface != p.interface:
            return "captured_twice"
        return "duplicate" if age < AT_ONCE and not reason else "retransmission"

    def read_at(self, psn):
        for read in reversed(self.reads):
            if read[0] <= psn < read[1]:
                return read
        return None

    def asked_by_nak(self, psn):
        return self.nak is not None and self.nak[1] <= psn

    def request(self, p, psn):
        span = max(1, -(-p.reth[2] // self.pmtu)) if p.opcode == READ else 1
        read = self.read_at(psn)
        follows = self.running and self.last_again is not None and psn == self.last_again
        if self.next is None or psn == self.next:
            label = "in_order"
        elif psn > self.next:
            label = "gap"
            self.gaps[0] += 1
            for missing in range(self.next, min(psn, self.next + (1 << 16))):
                self.holes[missing] = p.time
        elif psn in self.sent or read:
            first = self.sent.get(psn)
            lacking = any(q not in self.got for r in self.reads for q in range(max(r[0], psn), min(r[1], self.high or 0)))
            if first:
                label = self.repeat(first, p, self.asked_by_nak(psn) or follows or lacking)
            else:
                label = "retransmission"
        elif psn in self.holes:
            late = p.time - self.holes[psn] > REORDERED
            again = self.sent_after(p, self.newest[0])
            if again is None:
                again = self.asked_by_nak(psn) or late or follows
            label = "retransmission" if again else "out_of_order"
        elif not self.sent or psn < min(self.sent):
            label = "out_of_order"
        else:
            label = "retransmission"
        self.labels[p.frame] = label
        self.arrive(0, p, psn, label, psn not in self.sent)
        self.wait_for(p, psn, span, label)
        if label == "retransmission":
            self.again(p, psn, span, read)
        elif label not in ("duplicate", "captured_twice"):
            self.running = False
        if p.size > 0 and label != "captured_twice":
            self.count(0, p.size, psn not in self.sent)
        self.sent.setdefault(psn, []).append(p)
        for q in range(psn, psn + span):
            self.holes.pop(q, None)
        if p.opcode == READ or p.opcode in ATOMICS:
            if read and label == "retransmission" and not (self.cause_now in ("sequence_nak", "rnr") and self.asked_by_nak(psn)):
                read[3] = psn if read[3] is None or psn < read[3] else read[3]
                read[4] = p.frame
            elif not read:
                self.reads.append([psn, psn + span, p.time, None, 0])
        if self.next is None or psn >= self.next:
            self.newest[0] = p
        self.next = max(self.next or 0, psn + span)

    def wait_for(self, p, psn, span, label):
        """Records the responses that a requester waits for after it has sent this."""
        if p.opcode == READ or p.opcode in ATOMICS:
            for asked in self.asked.values():
                if asked["first"] <= psn < asked["end"] and label == "retransmission":
                    asked.update(again=psn, lacks=set(range(psn, asked["end"])))
                    return
            if label in ("in_order", "gap"):
                self.asked[psn] = {"first": psn, "end": psn + span, "again": None, "lacks": set(range(psn, psn + span)), "request": p}
        elif label in ("in_order", "gap"):
            if p.opcode in FIRSTS:
                self.begun = {"first": psn, "request": p, "next": psn}
            if self.begun and psn == self.begun["next"]:
                self.begun["next"] += 1
                if p.opcode in LASTS:
                    self.unacknowledged[psn] = self.begun
                    self.begun = {}
            else:
                self.begun = {}
        elif label != "duplicate":
            self.begun = {}

    def arrive(self, which, p, psn, label, is_new):
        """Its lateness: the time since the first packet that was sent after it."""
        arrived = self.arrived[which]
        if label == "out_of_order":
            first = next((i for i, (other, time) in enumerate(arrived) if other > psn), None)
            if first is not None:
                self.late[which].append((len(arrived) - first, p.time - arrived[first][1]))
        if is_new:
            arrived.append((psn, p.time))

    def end(self, waited, p):
        first = waited["request"]
        self.done[first.frame, first.psn] = (p.frame, p.time - first.time)

    def answer(self, p, psn, label):
        """
        The effect of a response on its requester, which accepts responses with data only in order: it had none of those that it requests again.
        Its requests show whether they arrived in order: it has those that it does not request again, even if two were captured in
        reverse order, or one of them was not captured again.
        """
        covers = psn + (p.opcode == ACK and p.syndrome >> 5 & 3 == 0)
        for last in [last for last in self.unacknowledged if last < covers]:
            self.end(self.unacknowledged.pop(last), p)
        if p.opcode == ACK or label in ("duplicate", "captured_twice"):
            return
        # before the first one that it requested again it drops those in flight
        if self.awaits == psn:
            self.awaits = None
        elif self.awaits is not None and psn > self.awaits and label != "retransmission":
            return
        for asked in self.asked.values():
            # it also drops the rest of an earlier response before the first one that it lacks
            if psn not in asked["lacks"] or (asked["again"] in asked["lacks"] and psn != asked["again"]):
                continue
            asked["lacks"].discard(psn)
            if psn == asked["end"] - 1 and asked["again"] is not None and label == "retransmission":
                asked["lacks"] = {q for q in range(asked["first"], psn) if q not in self.got}
            if not asked["lacks"]:
                self.end(asked, p)

    def count(self, which, size, new):
        (self.payload if new else self.repeated)[which] += size

    def again(self, p, psn, span, read):
        """A request that was retransmitted: a recovery begins, or continues."""
        goes_back = self.last_again is not None and psn < self.last_again
        has_paused = self.again_time is not None and p.time - self.again_time >= (self.timeout or PROMPT)
        if not self.running or goes_back or has_paused:
            cause = self.cause(p, psn, read, has_paused)
            has_answer = p.opcode == READ or p.opcode in ATOMICS
            self.recoveries[cause][0] += 1
            self.attempts.append((p.frame, cause, psn & 0xffffff))
            self.cause_now = cause
            self.first = psn
            self.lose(cause, self.progress(psn, read, has_answer), p.time)
            self.awaited = (psn, cause) if has_answer else None
            self.awaits = psn if has_answer else None
            self.nak_unused, self.later = False, None
        self.running, self.last_again, self.again_time = True, psn + span, p.time

    def progress(self, psn, read, has_answer):
        """The time of the last progress before this PSN was retransmitted."""
        times = []
        if psn in self.sent:
            times.append(self.sent[psn][0].time)
        elif psn in self.holes:
            times.append(self.holes[psn])
        if read:
            times.append(read[2])
        if has_answer and psn - 1 in self.got:
            times.append(self.got[psn - 1][0].time)
        return max(times) if times else None

    def lose(self, cause, since, until):
        if since is None:
            since = until
        since = max(since, self.counted_to)
        if until > since:
            self.recoveries[cause][1] += until - since
        self.counted_to = max(self.counted_to, until)

    def cause(self, p, psn, read, has_paused):
        prompt = self.timeout or PROMPT
        if self.nak_unused and p.time - self.nak[2] < prompt + (rnr_ns(self.nak[3]) if self.nak[0] == "rnr" else 0):
            return self.nak[0]
        if has_paused and self.timeout:
            prompt = min(prompt, AFTER_TIMEOUT)
        if read and self.later and self.later[0] > psn and p.time - self.later[1] < prompt:
            return "implied_nak"
        return "timeout"

    def response(self, p, psn):
        kind = p.syndrome >> 5 & 3 if p.syndrome is not None else 0
        if p.opcode == ACK:
            copies = self.acks.setdefault((p.psn, p.msn, p.syndrome), [])
            same = [f for f in copies if self.same_frame(f, p)]
            elsewhere = not same and any(f.interface != p.interface and p.time - f.time < AT_ONCE for f in copies[-1:])
            self.labels[p.frame] = "captured_twice" if elsewhere else "in_order" if not same else \
                "duplicate" if any(f.interface == p.interface for f in same) else "captured_twice"
            copies.append(p)
            if same or elsewhere:
                return
            self.answer(p, psn, "in_order")
        if p.opcode in RESPONSES and p.syndrome is not None and kind == 3 and p.syndrome & 31 < 5:
            self.naks[NAKS[p.syndrome & 31]] += 1
        self.rnr += kind == 1
        if p.opcode != ACK:
            self.data(p, psn)
        if self.next is None:
            self.next = psn
        # acknowledged packets were sent, even if captured later; a Middle's or Last's PSN begins no request
        known = psn + (p.opcode == ACK and kind == 0 or p.opcode in (13, 16, ATOMIC_ACK))
        for missing in range(self.next, known):
            self.holes[missing] = p.time
        self.next = max(self.next, known + (p.opcode in (14, 15)))
        if kind == 1 or kind == 3 and p.syndrome & 31 == 0:
            self.nak = ("rnr" if kind == 1 else "sequence_nak", psn, p.time, p.syndrome & 31)
            self.nak_unused = True
        elif self.nak and psn >= self.nak[1]:
            self.nak = None
            self.nak_unused = False
        if not self.later or psn >= self.later[0]:
            self.later = (psn, p.time)

    def lacks_before(self, p, psn):
        """
        Whether the capture lacks a response before the newest one: one that a READ requested or, without a captured request, one
        that must follow a First or Middle, or precede a Middle or Last.
        """
        low = min([self.base, *self.sent]) if self.high is None else self.high
        if any(max(r[0], low) < min(r[1], psn) for r in self.reads):
            return True
        if low >= psn:
            return False
        is_unfinished = low - 1 in self.got and self.got[low - 1][-1].opcode in (13, 14) and low not in self.sent
        return is_unfinished or p.opcode in (14, 15) and psn - 1 not in self.sent

    def data(self, p, psn):
        read = self.read_at(psn)
        first = self.got.get(psn)
        asked = read and read[3] is not None and read[3] <= psn
        again = False
        if first:
            label = self.repeat(first, p, asked)
            again = label == "retransmission"
        elif self.high is None or psn >= self.high:
            # requested again and not captured before: the first response was lost, if it was sent
            goes_on = self.last_response and self.last_response == (psn - 1, True)
            begun = read and self.first == psn and psn > read[0]
            label = "in_order"
            if asked and (goes_on or begun):
                label, again = "retransmission", True
            elif self.lacks_before(p, psn):
                label = "gap"
                self.gaps[1] += 1
        else:
            again = self.sent_after(p, self.newest[1])
            if again is None:
                again = asked
            label = "retransmission" if again else "out_of_order"
        self.labels[p.frame] = label
        self.arrive(1, p, psn, label, not first)
        self.answer(p, psn, label)
        if p.opcode in READ_RESPONSES and label != "captured_twice":
            self.count(1, p.size, not first)
        if label in ("duplicate", "captured_twice"):
            self.got.setdefault(psn, []).append(p)
            return
        self.last_response = (psn, again)
        self.got.setdefault(psn, []).append(p)
        if self.awaited and psn == self.awaited[0]:
            self.lose(self.awaited[1], self.counted_to, p.time)
            self.awaited = None
        if self.high is None or psn >= self.high:
            self.newest[1] = p
        self.high = max(self.high or 0, psn + 1)


def rnr_ns(code):
    """The wait time in an RNR NAK. IBTA vol. 1, 9.7.5.2.8, table 56: in units of 10 us."""
    table = (65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
             12288, 16384, 24576, 32768, 49152)
    return table[code] * 10000


def distinguishes_packets(packets):
    """Whether IP identifications distinguish packets: they increase in nearly all successive packets with other PSNs."""
    forward = total = 0
    last = {}
    for p in packets:
        before = last.get((p.source, p.target))
        if before and before.psn != p.psn and p.ip_id is not None:
            total += 1
            forward += 0 < (p.ip_id - before.ip_id) & 0xffff <= 0x2000
        last[p.source, p.target] = p
    return total > 0 and forward * 5 > total * 4


def agreed(frame, link):
    """
    ({(address, queue pair): nanoseconds until a time-out}, {(address, queue pair): PSN}) of a REQ or REP of communication management. IBTA
    vol. 1, 12.7.34: 4.096 us times 2 to the power; 12.7.31: the Starting PSN is the first one of the other end, to this queue pair.
    """
    found = transport(frame) if link == 1 else None
    if not found or found[3][0] != 100 or int.from_bytes(found[3][5:8], "big") != 1:
        return {}, {}
    mad = found[3][20:]
    if len(mad) < 120 or mad[1] != 7:
        return {}, {}
    attribute, data = struct.unpack_from(">H", mad, 16)[0], mad[24:]
    if attribute == 0x10:
        end = found[0], int.from_bytes(data[32:35], "big")
        code = data[95] >> 3
        return {end: 4096 << code if code else None}, {end: int.from_bytes(data[44:47], "big")}
    if attribute == 0x13:
        return {}, {(found[0], int.from_bytes(data[12:15], "big")): int.from_bytes(data[20:23], "big")}
    return {}, {}


def streams(path):
    """[(requests' flow, responses' flow, Stream)] of a capture."""
    packets, timeouts, starts = [], {}, {}
    for number, time, interface, link, frame, whole in frames(path):
        p = packet_of(number, time, interface, link, frame)
        if p:
            packets.append(p)
        else:
            try:
                timeout, start = agreed(frame, link)
                timeouts.update(timeout)
                starts.update(start)
            except (struct.error, IndexError):
                pass
    requests, responses = flows(packets)
    mates = pairs(requests, responses)
    found = []
    for asked, answered in mates.items():
        both = sorted(requests[asked] + responses[answered], key=lambda p: p.frame)
        last, far = requests[asked][0].psn, False
        for p in requests[asked]:
            far |= abs(distance(p.psn, last)) > 1 << 14
            last = p.psn
        if far:
            continue
        full = [p.size for p in both if p.opcode in FULL]
        # each end's requests have the other end's queue pair
        timeout = timeouts.get((answered[1], answered[2])) or timeouts.get((asked[1], asked[2]))
        stream = Stream(both, max(full) if full else 1024, distinguishes_packets(both), timeout, starts.get((asked[1], asked[2])))
        found.append((asked, answered, stream))
    return found
