# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Retransmissions of TCP under iWARP, their causes and their cost, computed independently of rdmatap.

Keeps every byte range of every connection, so it needs no windows. RFC 9293 (3.4 sequence numbers, 3.8.6 zero windows), RFC 1122 (4.2.3.6
keep-alives), RFC 5681 and 6675 (fast retransmit), RFC 6298 (time-outs); RFC 5044 (FPDUs, markers), 5041 and 5040 (their payload).
doc/stats.md defines the counts, and when a recovery begins and ends.
"""
import bisect
import collections
import struct

import model_retransmission

Segment = collections.namedtuple("Segment", "frame time interface source target sequence acknowledgment flags window sacks length data")

SECOND = model_retransmission.SECOND
REQUEST, REPLY = b"MPA ID Req Frame", b"MPA ID Rep Frame"
FIN, SYN, RST, ACK = 1, 2, 4, 16
NO_TIMER = SECOND // 5    # RFC 6298, 2.4 recommends a second; implementations use 0.2 s
REORDERED = 3 * 10 ** 6   # longest delay of a segment by the network
AT_ONCE = 10 ** 6         # two interfaces capture a segment within that time
CAUSES = ("fast_retransmit", "timeout", "zero_window")
MARKER = 512
# Offset of the payload in an FPDU, after the length: tagged and untagged. RFC 5041, 4.2 and 4.3.
TAGGED, UNTAGGED = 14, 18
READ_REQUEST = 1          # RDMAP opcode: its 28 bytes are not payload. RFC 5040, 4.3
IMMEDIATES = (8, 9)       # RFC 7306, 6
ATOMICS = (10, 11)        # RFC 7306, 5


def segment_of(number, time, interface, link, frame):
    try:
        return parse(number, time, interface, link, frame)
    except (struct.error, IndexError):
        return None


def parse(number, time, interface, link, frame):
    if link == 1:
        at, kind = 14, struct.unpack_from(">H", frame, 12)[0]
    elif link == 113:
        at, kind = 16, struct.unpack_from(">H", frame, 14)[0]
    elif link == 276:
        at, kind = 20, struct.unpack_from(">H", frame, 0)[0]
    else:
        return None
    while kind in (0x8100, 0x88a8):
        at, kind = at + 4, struct.unpack_from(">H", frame, at + 2)[0]
    if kind == 0x0800:
        length, ip_id, fragment = struct.unpack_from(">3H", frame, at + 2)
        if frame[at + 9] != 6 or fragment & 0x3fff:
            return None
        source, target = frame[at + 12:at + 16], frame[at + 16:at + 20]
        # segmentation offload leaves 0 if the length does not fit
        end = at + length if length else len(frame)
        at += (frame[at] & 15) * 4
    elif kind == 0x86dd and frame[at + 6] == 6:
        length = struct.unpack_from(">H", frame, at + 4)[0]
        source, target = frame[at + 8:at + 24], frame[at + 24:at + 40]
        end, at = at + 40 + length if length else len(frame), at + 40
    else:
        return None
    own, others, sequence, acknowledgment, offset, flags, window = struct.unpack_from(">2H2L2BH", frame, at)
    header = (offset >> 4) * 4
    begin = at + header
    return Segment(number, time, interface, (source, own), (target, others), sequence, acknowledgment, flags, window,
                   selective(frame[at + 20:begin]), end - begin, frame[begin:end])


def selective(options):
    """Edges of the blocks of a selective acknowledgement. RFC 2018, 3."""
    at, found = 0, []
    while at < len(options) and options[at] != 0:
        if options[at] == 1:
            at += 1
            continue
        length = options[at + 1]
        if length < 2:
            break
        if options[at] == 5:
            found += [struct.unpack_from(">2L", options, block) for block in range(at + 2, at + length - 7, 8)]
        at += length
    return found


def ahead(a, b):
    """Distance from sequence number b to a."""
    return ((a - b + (1 << 31)) & 0xffffffff) - (1 << 31)


class Ranges:
    """Byte ranges that do not touch, in order."""

    def __init__(self):
        self.begins, self.ends = [], []

    def there(self, begin, end):
        """Number of its bytes that are present."""
        at, total = bisect.bisect_right(self.ends, begin), 0
        while at < len(self.begins) and self.begins[at] < end:
            total += min(end, self.ends[at]) - max(begin, self.begins[at])
            at += 1
        return total

    def add(self, begin, end):
        low, high = bisect.bisect_left(self.ends, begin), bisect.bisect_right(self.begins, end)
        if low < high:
            begin, end = min(begin, self.begins[low]), max(end, self.ends[high - 1])
        self.begins[low:high], self.ends[low:high] = [begin], [end]


class Sender:
    """The stream of one end, and its acknowledgements."""

    def __init__(self):
        self.labels = {}                         # by frame
        self.repeated = 0
        self.captured = Ranges()
        self.bytes = {}                          # by position
        self.low = self.highest = None           # positions: sequence numbers without wrapping
        self.copies = {}                         # (begin, end): (interface, time) of each
        self.recoveries = {cause: [0, 0, 0, 0] for cause in CAUSES}  # count, nanoseconds, first and last frame
        self.next = None                         # end of the captured data
        self.acknowledged = None
        self.reported = None                     # when the receiver last reported a hole
        self.answered = 0
        self.new_time = self.progress = self.again_time = 0
        self.recovery_end = None
        self.cause, self.begun, self.waits = None, 0, False
        self.closed = None                       # since when the other end's window is

    def position(self, sequence):
        reference = self.highest if self.highest is not None else sequence + (1 << 32)
        return reference + ahead(sequence, reference & 0xffffffff)

    # ---- data ----

    def label(self, s):
        begin = self.position(s.sequence)
        end = begin + s.length
        if self.highest is None:
            self.low = self.highest = begin
        known = self.captured.there(begin, end)
        copies = self.copies.setdefault((begin, end), [])
        if known == s.length:
            if s.length == 1 and end == self.highest and not copies:
                label = "keep_alive"
            elif any(i != s.interface and abs(s.time - t) <= AT_ONCE for i, t in copies):
                label = "captured_twice"
            else:
                label = "retransmission"
        elif known:
            label = "overlap"
        elif begin < self.highest:
            label = "out_of_order"
        elif begin > self.highest:
            label = "gap"
        else:
            label = "window_probe" if s.length == 1 and self.closed is not None else "new"
        copies.append((s.interface, s.time))
        self.labels[s.frame] = label
        self.repeated += s.length if label == "retransmission" else 0
        if label not in ("retransmission", "keep_alive", "captured_twice"):
            self.bytes.setdefault(begin, s.data[:s.length])
        self.captured.add(begin, end)
        self.low, self.highest = min(self.low, begin), max(self.highest, end)
        return label, end

    def send(self, s):
        label, end = self.label(s)
        if label in ("captured_twice", "keep_alive", "window_probe"):
            return
        if self.next is None or end > self.next:
            self.next = end
            self.new_time = self.progress = s.time
            return
        reported = self.reported is not None
        silent = s.time - self.answered >= NO_TIMER
        if label == "out_of_order" and not reported and s.time - self.new_time <= REORDERED:
            return
        self.again(s, "fast_retransmit" if reported and not silent else "timeout", silent)

    def again(self, s, cause, silent):
        # a timer that expires again belongs to the same recovery; one that expires in a fast retransmit, or after progress, begins another
        timer = silent and self.cause == "fast_retransmit" or self.progress > self.again_time and s.time - self.progress >= NO_TIMER
        if self.recovery_end is None or timer:
            self.useful()
            self.cause, self.begun, self.waits = cause, self.progress, True
            self.recovery_end = self.next
            self.add_recovery(cause, s.frame)
        self.again_time = s.time

    def add_recovery(self, cause, frame):
        counted = self.recoveries[cause]
        counted[0] += 1
        counted[2] = counted[2] or frame
        counted[3] = frame

    def useful(self):
        if self.waits:
            self.recoveries[self.cause][1] += max(0, self.again_time - self.begun)
        self.waits = False

    # ---- acknowledgements ----

    def hear(self, s):
        if not s.flags & ACK:
            return
        if not s.flags & (RST | SYN | FIN):
            self.window(s)
        self.answered = s.time
        number = self.position(s.acknowledgment)
        # a block below it reports a copy: RFC 2883
        blocks = any(ahead(left, s.acknowledgment) > 0 for left, right in s.sacks)
        if self.acknowledged is None or number > self.acknowledged:
            self.acknowledged = number
            self.reported = s.time if blocks else None
            self.progress = s.time
            self.useful()
            if self.recovery_end is not None and number >= self.recovery_end:
                self.recovery_end = None
        elif number == self.acknowledged and blocks:
            self.reported = s.time

    def window(self, s):
        if not s.window and self.closed is None:
            self.closed = s.time
            self.add_recovery("zero_window", s.frame)
        elif s.window and self.closed is not None:
            self.recoveries["zero_window"][1] += s.time - self.closed
            self.closed = None

    def end(self, time):
        if self.closed is not None:
            self.recoveries["zero_window"][1] += time - self.closed

    # ---- messages ----

    def stream(self):
        """Its bytes in order if all of them were captured, or None."""
        if len(self.captured.begins) != 1:
            return None
        whole = bytearray(self.captured.ends[0] - self.captured.begins[0])
        filled = 0
        for begin in sorted(self.bytes):
            data = self.bytes[begin]
            at = begin - self.captured.begins[0]
            if at > filled:
                return None
            whole[at:at + len(data)] = data
            filled = max(filled, at + len(data))
        return bytes(whole) if filled == len(whole) else None


def payload(stream, key):
    """(bytes of messages, whether it has markers) of a stream that begins with this MPA frame; None: it does not."""
    if not stream or not stream.startswith(key) or len(stream) < 20:
        return None
    at = 20 + struct.unpack_from(">H", stream, 18)[0]
    return stream[at:]


def wants_markers(stream):
    return bool(stream[16] & 0x80)


def messages(octets, markers):
    """Bytes of messages in FPDUs. None: these are not FPDUs."""
    if markers:
        # RFC 5044, 4.3: the first marker is at the beginning of the first FPDU
        octets = b"".join(octets[at + 4:at + MARKER] for at in range(0, len(octets), MARKER))
    at = total = 0
    while at + 2 <= len(octets):
        length = struct.unpack_from(">H", octets, at)[0]
        if length < TAGGED or at + 2 + length > len(octets):
            return None
        tagged, opcode = octets[at + 2] & 0x80, octets[at + 3] & 15
        if opcode != READ_REQUEST and opcode not in IMMEDIATES and opcode not in ATOMICS:
            total += length - (TAGGED if tagged else UNTAGGED)
        at += (2 + length + 3) // 4 * 4 + 4
    return total if at == len(octets) else None


class Connection:
    """Between two ends, from the SYN or the first segment to the end. `ends[0]` sent the MPA Request, if that was seen."""

    def __init__(self, segment):
        self.ends = [segment.source, segment.target]
        self.senders = [Sender(), Sender()]
        self.first, self.last = None, None       # frames and times with iWARP
        self.frames = []
        self.begun = False

    def take(self, s):
        which = self.ends.index(s.source)
        if s.flags & SYN and not self.begun:
            sender = self.senders[which]
            sender.low = sender.highest = (1 << 32) + s.sequence + 1
        if not self.begun and s.data.startswith(REQUEST):
            self.begun = True
            if which:
                self.ends.reverse()
                self.senders.reverse()
                which = 0
        if not self.begun:
            return
        self.first = self.first or s
        self.last = s
        self.frames.append(s.frame)
        label = None
        if s.length:
            self.senders[which].send(s)
            label = self.senders[which].labels[s.frame]
        if label != "captured_twice":
            self.senders[1 - which].hear(s)

    def payloads(self):
        """The payload of each direction, or None if bytes are missing."""
        streams = [sender.stream() for sender in self.senders]
        bodies = [payload(stream, key) for stream, key in zip(streams, (REQUEST, REPLY))]
        if None in bodies:
            return [None, None]
        # each end negotiates for the direction that it receives
        return [messages(bodies[i], wants_markers(streams[1 - i])) for i in range(2)]


def connections(path, begun=()):
    """The iWARP connections of a capture: those with an MPA Request, and those of `begun`: {(end, end): first frame of iWARP}."""
    current, found = {}, []
    for number, time, interface, link, frame, whole in model_retransmission.frames(path):
        s = segment_of(number, time, interface, link, frame)
        if not s:
            continue
        key = frozenset((s.source, s.target))
        if key not in current or s.flags & SYN and not s.flags & ACK and current[key].begun:
            current[key] = Connection(s)
            found.append(current[key])
        connection = current[key]
        if not connection.begun and begun and begun.get(key, number + 1) <= number:
            connection.begun = True
        connection.take(s)
    for connection in found:
        for sender in connection.senders:
            sender.end(connection.last.time if connection.last else 0)
    return [connection for connection in found if connection.begun]
