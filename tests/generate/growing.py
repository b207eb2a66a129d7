# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures with unbounded state: no request is answered and nothing ends. For tests of memory.

As in worst_cases, each function takes a count and returns frames.

    growing.py KIND COUNT FILE [MICROSECONDS]: writes a capture with one frame per interval.
"""
import struct
import sys

import crc
import handshake
import net
import worst_cases as base
from worst_cases import ACK, CLIENT, READ_REQUEST, SEND_FIRST, SEND_ONLY, SERVER, UD_SEND, WRITE_ONLY, aeth, ethernet, ipv4, reth, roce

SEND_MIDDLE, READ_MIDDLE, CNP, WRITE_FIRST, WRITE_MIDDLE = 0x01, 0x0e, 0x81, 0x06, 0x07
SA_CLASS, VENDOR_CLASS, GET, GET_TABLE_RESPONSE, PATH_RECORD, NODE_INFO = 3, 0x0a, 1, 0x92, 0x35, 0x11
DETH_QP1 = struct.pack(">II", 0x80010000, 1)


def queue_pairs(count):
    """A SEND to each queue pair."""
    for i in range(count):
        yield roce(CLIENT, SEND_ONLY, i, bytes(32), qpn=0x1000 + i)


def pairs(count):
    """A SEND and its acknowledgement between each two queue pairs."""
    for i in range(count):
        yield roce(CLIENT, SEND_ONLY, 7 * i, bytes(32), qpn=0x1000 + i, ask=True)
        yield roce(SERVER, ACK, 7 * i, aeth(1), qpn=0x800000 + i)


def half_open_messages(count):
    """The First of a SEND, whose bytes are kept, on each queue pair."""
    for i in range(count):
        yield roce(CLIENT, SEND_FIRST, i, bytes(256), qpn=0x1000 + i)


def half_open_writes(count):
    """The beginning of a WRITE of 64 KB on each queue pair."""
    for i in range(count):
        yield roce(CLIENT, WRITE_FIRST, 5 * i, reth(0x1000, i, 65536) + bytes(1024), qpn=0x1000 + i)
        yield roce(CLIENT, WRITE_MIDDLE, 5 * i + 1, bytes(1024), qpn=0x1000 + i)


def call_without_chunks(xid):
    return struct.pack(">IIIIIII", xid, 1, 32, 0, 0, 0, 0) + base.read3_call(xid)


def calls_of_stopped_writes(count):
    """On each queue pair a call of RPC over RDMA and half of a WRITE to memory that the call does not name; `count` frames in all."""
    for i in range(count // 18):
        qpn = 0x1000 + i
        yield roce(CLIENT, SEND_ONLY, 77 * i, call_without_chunks(i), qpn=qpn, ask=True)
        yield roce(SERVER, ACK, 77 * i, aeth(1), qpn=0x800000 + i)
        yield roce(CLIENT, WRITE_FIRST, 77 * i + 1, reth(0x1000, 0x1234, 32768) + bytes(1024), qpn=qpn)
        for j in range(15):
            yield roce(CLIENT, WRITE_MIDDLE, 77 * i + 2 + j, bytes(1024), qpn=qpn)


def stopped_sends(count):
    """Half of a SEND, 20 KB of it captured, on each queue pair."""
    for i in range(count // 20):
        for j in range(20):
            yield roce(CLIENT, SEND_MIDDLE if j else SEND_FIRST, 77 * i + j, bytes(1024), qpn=0x1000 + i)


def stopped_records(count):
    """Half of a record of RPC over TCP, 21 KB of it captured, on each connection."""
    for i in range(count // 18):
        stream = base.Stream((1024 + i % 60000, base.NFS_PORT))
        yield from base.opened(stream.ports)
        record = struct.pack(">I", 1 << 31 | 65536) + base.read3_call(i) + bytes(21000)
        for j in range(15):
            yield stream.segment(CLIENT, record[1400 * j:1400 * (j + 1)])


def unanswered_reads(count):
    """READs of 64 queue pairs."""
    for i in range(count):
        yield roce(CLIENT, READ_REQUEST, i // 64, reth(0x1000 * i, i, 64), qpn=0x1000 + i % 64)


def gaps(count):
    """Every second packet of 64 queue pairs is lost."""
    for i in range(count):
        yield roce(CLIENT, SEND_ONLY, 2 * (i // 64), bytes(32), qpn=0x1000 + i % 64)


def acknowledgements(count):
    """READ responses without requests."""
    for i in range(count):
        yield roce(SERVER, ACK, i, aeth(1), qpn=0x1000 + i)


def responses(count):
    """Responses to uncaptured READs, each to another queue pair."""
    for i in range(count):
        yield roce(SERVER, base.READ_ONLY, i, aeth(1) + bytes(64), qpn=0x1000 + i)


def notifications(count):
    """CNPs to unknown queue pairs."""
    for i in range(count):
        yield roce(SERVER, CNP, 0, bytes(16), qpn=0x1000 + i)


def messages_after_one(count):
    """A READ without a response, and acknowledged SENDs of another queue pair."""
    yield roce(CLIENT, READ_REQUEST, 0, reth(0, 1, 64), qpn=0x999)
    for i in range(count):
        yield roce(CLIENT, SEND_ONLY, i, bytes(32), qpn=0x1000, ask=True)
        yield roce(SERVER, ACK, i, aeth(i + 1), qpn=0x2000)


def management(attribute, transaction, message):
    packet = handshake.packet(attribute, transaction, message)
    return net.ethernet(net.roce_v2(packet, src="10.0.0.1", dst="10.0.0.2")).data


def patched(frame, *places):
    """The packet to the GSI with 32-bit numbers at offsets of its MAD, and a correct invariant CRC."""
    frame = bytearray(frame)
    for at, value in places:
        struct.pack_into(">I", frame, 14 + 20 + 8 + 12 + 8 + at, value)
    ip, udp, rest = bytes(frame[14:34]), bytes(frame[34:42]), bytes(frame[42:-4])
    return bytes(frame[:-4]) + crc.icrc_v2(ip, udp, rest)


def requests_to_connect(count):
    """REQs without a response, each with its own id and queue pair."""
    frame = management(handshake.REQ, 1, handshake.req(1, 0x1000, 5, 20049, "10.0.0.1", "10.0.0.2"))
    for i in range(count):
        # IBTA vol. 1, 13.4.3, 12.6.5: transaction id; local communication id; local QPN
        yield patched(frame, (12, i), (24, 0x10000 + i), (24 + 32, (0x1000 + i) << 8))


def requests_for_queue_pairs(count):
    """SIDR_REQs."""
    frame = management(handshake.SIDR_REQ, 1, handshake.sidr_req(1, 20049, "10.0.0.1", "10.0.0.2"))
    for i in range(count):
        yield patched(frame, (12, i), (24, 0x10000 + i))


def mad_requests(count):
    for i in range(count):
        head = struct.pack(">BBBBHHQHHI", 1, VENDOR_CLASS, 1, GET, 0, 0, i, NODE_INFO, 0, 0)
        yield roce(CLIENT, UD_SEND, i, DETH_QP1 + head + bytes(232), qpn=1)


def rmpp_transfers(count):
    """The first segment of each."""
    for i in range(count):
        head = struct.pack(">BBBBHHQHHI", 1, SA_CLASS, 2, GET_TABLE_RESPONSE, 0, 0, i, PATH_RECORD, 0, 0)
        head += struct.pack(">BBBBII", 1, 1, 3, 0, 1, 4000) + struct.pack(">QHHQ", 0, 8, 0, 0)
        yield roce(SERVER, UD_SEND, i, DETH_QP1 + head + bytes(200), qpn=1)


def datagrams(count):
    """Each from another queue pair."""
    for i in range(count):
        yield roce(CLIENT, UD_SEND, i, struct.pack(">II", 0x11, 0x1000 + i) + bytes(32), qpn=0x99)


def groups(count):
    """Each joins another group."""
    for i in range(count):
        report = struct.pack(">BBHI", 0x16, 0, 0, 0xe1000000 + i)
        report = report[:2] + struct.pack(">H", crc.internet(report)) + report[4:]
        yield ethernet(CLIENT, ipv4(CLIENT, 2, 8) + report)


def fragments(count):
    """First fragments of 1,400 bytes."""
    for i in range(count):
        yield ethernet(CLIENT, ipv4(CLIENT, 17, 1400, ident=i & 0xffff, fragment=0x2000) + bytes(1400))


def segments_after_gaps(count):
    """A lost segment and a later one on open iWARP connections."""
    for i in range(count // 5):
        stream = base.Stream((1024 + i % 60000, base.IWARP_PORT - i // 60000))
        yield from base.opened(stream.ports)
        yield base.tcp(CLIENT, stream.ports, 1000, 1, base.send_fpdu(1) * 10)
        yield base.tcp(SERVER, stream.ports, 1000, 1, base.send_fpdu(1) * 10)


def rpc_calls(count):
    """Of NFS over RDMA, on 64 queue pairs."""
    for i in range(count):
        yield roce(CLIENT, SEND_ONLY, i // 64, call_without_chunks(i), qpn=0x1000 + i % 64)


def rpc_calls_over_tcp(count):
    stream = base.Stream((700, base.NFS_PORT))
    yield from base.opened(stream.ports)
    for i in range(count):
        call = base.read3_call(i)
        yield stream.segment(CLIENT, struct.pack(">I", 1 << 31 | len(call)) + call)


def from_other_hosts(count):
    """A SEND and a datagram of management from each of many hosts."""
    for i in range(count):
        source = struct.pack(">I", 0x0b000000 + i)
        for frame in (roce(CLIENT, SEND_ONLY, i, bytes(32)), next(mad_requests(1))):
            ip, udp, rest = bytearray(frame[14:34]), frame[34:42], frame[42:-4]
            ip[10:16] = bytes(2) + source
            ip[10:12] = struct.pack(">H", crc.internet(bytes(ip)))
            yield frame[:14] + bytes(ip) + udp + rest + crc.icrc_v2(bytes(ip), udp, rest)


def files_made(count):
    """Files created by NFS over TCP, each with a name of 100 characters."""
    nfs = base.Nfs()
    yield from base.opened(nfs.stream.ports)
    for i in range(count // 2):
        yield from nfs.made(base.CREATE3, base.ROOT, b"%0100d" % i, struct.pack(">QQ", i, 7))


def written_at_random(count):
    """Scattered bytes of one file."""
    return base.writes_scattered(count // 2)


ALL = (queue_pairs, pairs, half_open_messages, half_open_writes, calls_of_stopped_writes, stopped_sends, stopped_records, unanswered_reads, gaps,
       acknowledgements, responses,
       notifications, messages_after_one, requests_to_connect, requests_for_queue_pairs, mad_requests, rmpp_transfers, datagrams, groups, fragments,
       base.tcp_connections, segments_after_gaps, rpc_calls, rpc_calls_over_tcp, from_other_hosts, files_made, written_at_random)


def write(path, kind, count, step_us=1):
    """kind: the name of one of these functions, or of worst_cases."""
    made = {made.__name__: made for made in ALL}[kind]
    base.write(path, made(count), step_us * 1000)


if __name__ == "__main__":
    write(sys.argv[3], sys.argv[1], int(sys.argv[2]), int(sys.argv[4]) if len(sys.argv) > 4 else 1)
