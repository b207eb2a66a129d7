# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures with one growing quantity: for tests that double it and measure memory and work.

Each function takes a count and returns frames (bytes), Ethernet, in order; write() makes a pcap of them. All checksums and
CRCs are correct. Frames are built here and not by the rest of the generator, which is too slow for so many.
"""
import functools
import random
import struct
import zlib

import capfile
import crc
import handshake
import mpa
import net
import rpcrdma
import smb
from rpcrdma import opaque, words

START_NS, STEP_NS = 1700000000 * 10**9, 10000
CLIENT, SERVER = 1, 2
QPN = {CLIENT: 0x11, SERVER: 0x22}
PSN = {CLIENT: 0x100, SERVER: 0x800000}
SEND_FIRST, SEND_LAST, SEND_ONLY, WRITE_FIRST, WRITE_ONLY, READ_REQUEST, READ_ONLY, ACK, UD_SEND = 0x00, 0x02, 0x04, 0x06, 0x0a, 0x0c, 0x10, 0x11, 0x64
KEY, ADDRESS = 0x1234, 0x100000
NFS, READ3, CREATE3, MKDIR3, RENAME3, LINK3 = 100003, 6, 8, 9, 14, 15
SYN, PUSH, TCP_ACK = 0x02, 0x08, 0x10
IWARP_PORT, NFS_PORT = 20049, 2049
HANDLE = bytes(range(0x40, 0x50))


def write(path, frames, step_ns=STEP_NS):
    capfile.write_pcap(path, 1, ((START_NS + i * step_ns, frame, len(frame)) for i, frame in enumerate(frames)))


# Packets

@functools.lru_cache(maxsize=None)
def addresses(sender):
    return bytes((10, 0, 0, sender)) + bytes((10, 0, 0, 3 - sender))


@functools.lru_cache(maxsize=None)
def ethernet_header(sender, kind):
    return b"\2\0\0\0\0" + bytes((3 - sender,)) + b"\2\0\0\0\0" + bytes((sender,)) + struct.pack(">H", kind)


def ethernet(sender, data, kind=0x0800):
    return ethernet_header(sender, kind) + data


@functools.lru_cache(maxsize=1024)
def ipv4(sender, protocol, length, ident=0, fragment=0x4000):
    """fragment: the 16 bits of flags and offset."""
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, ident, fragment, 64, protocol, 0) + addresses(sender)
    return head[:10] + struct.pack(">H", crc.internet(head)) + head[12:]


BTH = struct.Struct(">BBHII")


@functools.lru_cache(maxsize=4096)
def roce_headers(sender, length):
    """The headers before a BTH, and the CRC of what the invariant CRC covers of them. length: from the BTH up to the pad."""
    udp = struct.pack(">HHHH", 0xc000, 4791, 8 + length + 4, 0)
    ip = ipv4(sender, 17, len(udp) + length + 4)
    return ethernet(sender, ip + udp), zlib.crc32(8 * crc.ONES + crc.mask_ipv4(ip) + udp[:6] + 2 * crc.ONES)


def roce(sender, opcode, psn, body=b"", qpn=None, pad=0, ask=False):
    """qpn: of the receiver."""
    qpn = QPN[3 - sender] if qpn is None else qpn
    head, state = roce_headers(sender, BTH.size + len(body))
    last = ask << 31 | psn & 0xffffff
    # IBTA vol. 1, 7.8.1: byte 4 of the BTH counts as ones
    state = zlib.crc32(BTH.pack(opcode, pad << 4, 0xffff, qpn | 0xff000000, last) + body, state)
    return b"%b%b%b%b" % (head, BTH.pack(opcode, pad << 4, 0xffff, qpn, last), body, state.to_bytes(4, "little"))


def reth(address, key, length):
    return struct.pack(">QII", address, key, length)


def aeth(msn, syndrome=0x1f):
    return struct.pack(">I", syndrome << 24 | msn & 0xffffff)


def established(port=20049, qpns=None):
    """Communication management of one connection."""
    qpns = qpns or QPN
    local, remote = "10.0.0.1", "10.0.0.2"
    for sender, attribute, message in (
            (CLIENT, handshake.REQ, handshake.req(0x51, qpns[CLIENT], PSN[SERVER], port, local, remote)),
            (SERVER, handshake.REP, handshake.rep(0x52, 0x51, qpns[SERVER], PSN[CLIENT])),
            (CLIENT, handshake.RTU, handshake.between(handshake.RTU, 0x51, 0x52))):
        source, destination = (local, remote) if sender == CLIENT else (remote, local)
        packet = handshake.packet(attribute, 0x5151, message)
        yield net.ethernet(net.roce_v2(packet, src=source, dst=destination)).data


def tcp(sender, ports, sequence, acknowledged, payload=b"", flags=TCP_ACK):
    """ports: of the client and of the server."""
    source, destination = ports if sender == CLIENT else ports[::-1]
    head = struct.pack(">HHIIBBHHH", source, destination, sequence & 0xffffffff, acknowledged & 0xffffffff, 0x50, flags, 0xffff, 0, 0)
    pseudo = addresses(sender) + struct.pack(">HH", 6, len(head) + len(payload))
    head = head[:16] + struct.pack(">H", crc.internet(pseudo + head + payload)) + head[18:]
    return ethernet(sender, ipv4(sender, 6, len(head) + len(payload)) + head + payload)


def opened(ports):
    """The three segments that open a TCP connection; data begin at 1 on both sides."""
    yield tcp(CLIENT, ports, 0, 0, flags=SYN)
    yield tcp(SERVER, ports, 0, 1, flags=SYN | TCP_ACK)
    yield tcp(CLIENT, ports, 1, 1)


class Stream:
    """A TCP connection: segments of data in order, each acknowledging all of the other side."""

    def __init__(self, ports):
        self.ports, self.next = ports, {CLIENT: 1, SERVER: 1}

    def segment(self, sender, payload):
        frame = tcp(sender, self.ports, self.next[sender], self.next[3 - sender], payload, TCP_ACK | PUSH)
        self.next[sender] += len(payload)
        return frame


def iwarp_opened(stream):
    yield from opened(stream.ports)
    yield stream.segment(CLIENT, mpa.setup(False, 0, 0, 1))
    yield stream.segment(SERVER, mpa.setup(True, 0, 0, 1))


def fpdu(ulpdu):
    """Without markers, its CRC not used."""
    return struct.pack(">H", len(ulpdu)) + ulpdu + bytes(-(2 + len(ulpdu)) % 4) + bytes(4)


# Queue pairs

def reads_outstanding(count, answered=False):
    """READ requests on one queue pair, and their responses after all requests."""
    yield from established()
    for i in range(count):
        yield roce(CLIENT, READ_REQUEST, PSN[CLIENT] + i, reth(ADDRESS + 64 * i, KEY, 64))
    for i in range(count if answered else 0):
        yield roce(SERVER, READ_ONLY, PSN[CLIENT] + i, aeth(i + 1) + bytes(64))


def reads_answered(count):
    return reads_outstanding(count, True)


def responses_alone(count):
    """Responses of READs that were not captured, without communication management."""
    for i in range(count):
        yield roce(SERVER, READ_ONLY, PSN[CLIENT] + i, aeth(i + 1) + bytes(64))


def connections(count):
    """One SEND each."""
    for i in range(count):
        yield roce(CLIENT, SEND_ONLY, PSN[CLIENT], bytes(32), qpn=0x1000 + i)


def connections_with_gaps(count):
    """Two SENDs each, with distant PSNs: no two connections have the same distance."""
    for i in range(count):
        for psn in PSN[CLIENT], PSN[CLIENT] + 8 * i:
            yield roce(CLIENT, SEND_ONLY, psn, bytes(32), qpn=0x1000 + i)


def half_open_messages(count):
    """The First of a SEND on each of many queue pairs."""
    for i in range(count):
        yield roce(CLIENT, SEND_FIRST, PSN[CLIENT], bytes(256), qpn=0x1000 + i)


def torn_messages(count):
    """Firsts of SENDs on one queue pair, each with its rest lost."""
    yield from established()
    for i in range(count):
        yield roce(CLIENT, SEND_FIRST, PSN[CLIENT] + 3 * i, bytes(256))


def random_psns(count):
    yield from established()
    dice = random.Random(1)
    for _ in range(count):
        yield roce(CLIENT, SEND_ONLY, dice.randrange(1 << 24), bytes(32))


def scattered_psns(count):
    """Every second PSN, in random order within what one stream takes."""
    yield from established()
    psns = [PSN[CLIENT] + 2 * i for i in range(count)]
    random.Random(1).shuffle(psns)
    for psn in psns:
        yield roce(CLIENT, SEND_ONLY, psn, bytes(32))


def sends_after_a_read(count):
    """A READ whose response was lost, and SENDs, each acknowledged."""
    yield from established()
    yield roce(CLIENT, READ_REQUEST, PSN[CLIENT], reth(ADDRESS, KEY, 64))
    for i in range(1, count + 1):
        yield roce(CLIENT, SEND_ONLY, PSN[CLIENT] + i, bytes(32), ask=True)
        yield roce(SERVER, ACK, PSN[CLIENT] + i, aeth(i + 1))


def sends_after_torn_ones(count, torn=64):
    """Firsts and Lasts of SENDs without what is between them, each after whole SENDs; then SENDs, each acknowledged."""
    yield from established()
    psn = PSN[CLIENT]
    for _ in range(torn):
        for i in range(62):
            yield roce(CLIENT, SEND_ONLY, psn + i, bytes(32))
        yield roce(CLIENT, SEND_FIRST, psn + 62, bytes(1024))
        yield roce(CLIENT, SEND_LAST, psn + 65, bytes(32))
        psn += 66
    for i in range(count):
        yield roce(CLIENT, SEND_ONLY, psn + i, bytes(32), ask=True)
        yield roce(SERVER, ACK, psn + i, aeth(i + 1))


def sends_in_reverse(count):
    """From the last to the first, each acknowledged."""
    yield from established()
    for i in range(count, 0, -1):
        yield roce(CLIENT, SEND_ONLY, PSN[CLIENT] + i, bytes(32), ask=True)
        yield roce(SERVER, ACK, PSN[CLIENT] + i, aeth(i + 1))


def writes_overlapping(count):
    """Beginnings of WRITEs of 1 GB, one PSN apart, and their acknowledgements."""
    yield from established()
    for i in range(count):
        yield roce(CLIENT, WRITE_FIRST, PSN[CLIENT] + i, reth(ADDRESS, KEY, 1 << 30) + bytes(256), ask=True)
        yield roce(SERVER, ACK, PSN[CLIENT] + i, aeth(0))


def path_mtus(count):
    """Firsts of SENDs of two sizes in turn: the path MTU cannot be known."""
    yield from established()
    for i in range(count):
        yield roce(CLIENT, SEND_FIRST, PSN[CLIENT] + 3 * i, bytes(256 << i % 2))


def ends_paired_late(count):
    """Both directions of many connections, which only acknowledgements at the end associate with each other."""
    for i in range(count):
        yield roce(CLIENT, SEND_ONLY, 0x100 + 2 * i, bytes(32), qpn=0x1000 + i)
        yield roce(SERVER, SEND_ONLY, 0x100 + 2 * i, bytes(32), qpn=0x200000 + i)
    for i in range(count):
        yield roce(SERVER, ACK, 0x100 + 2 * i, aeth(1), qpn=0x200000 + i)


def unpaired_ends(count):
    """Requests to many queue pairs and acknowledgements of other PSNs: without a handshake the directions cannot be associated."""
    for i in range(count):
        yield roce(CLIENT, READ_REQUEST, 0x500, reth(ADDRESS, KEY, 64), qpn=0x1000 + i)
        yield roce(SERVER, ACK, 0x500, aeth(i + 1), qpn=0x200000 + i)


# RPC over RDMA

def calls_answered_late(count):
    """NFSv3 NULL calls, and their replies when all have been sent, each acknowledged."""
    yield from established()
    for i in range(count):
        xid = 0x10000 + i
        yield roce(CLIENT, SEND_ONLY, PSN[CLIENT] + i, rpcrdma.header(xid, rpcrdma.MSG, words(0, 0, 0)).data + rpcrdma.call(xid, NFS, 3, 0).data, ask=True)
        yield roce(SERVER, ACK, PSN[CLIENT] + i, aeth(i + 1))
    for i in range(count):
        xid = 0x10000 + i
        yield roce(SERVER, SEND_ONLY, PSN[SERVER] + i, rpcrdma.header(xid, rpcrdma.MSG, words(0, 0, 0)).data + rpcrdma.accepted(xid).data, ask=True)
        yield roce(CLIENT, ACK, PSN[SERVER] + i, aeth(i + 1))


def read3_call(xid):
    body = opaque(HANDLE) + bytes(8) + words(64)
    return rpcrdma.call(xid, NFS, 3, READ3, arguments=body).data


def read3_reply(xid):
    return rpcrdma.accepted(xid, results=words(0, 0, 64, 1, 64)).data


def calls_of_one_key(count, answered=True, one_direction=False, segments=1):
    """NFSv3 READs whose write chunks name one region. answered: with WRITE and reply; one_direction: only the client's packets."""
    yield from established()
    psn = dict(PSN)
    for i in range(count):
        xid = 0x10000 + i
        chunk = [(KEY, 64 // segments, ADDRESS + 64 // segments * j) for j in range(segments)]
        yield roce(CLIENT, SEND_ONLY, psn[CLIENT], rpcrdma.header(xid, rpcrdma.MSG, rpcrdma.lists(writes=[chunk])[0]).data + read3_call(xid))
        psn[CLIENT] += 1
        if answered and not one_direction:
            yield roce(SERVER, WRITE_ONLY, psn[SERVER], reth(ADDRESS, KEY, 64) + bytes(64))
            yield roce(SERVER, SEND_ONLY, psn[SERVER] + 1,
                       rpcrdma.header(xid, rpcrdma.MSG, rpcrdma.lists(writes=[chunk])[0]).data + read3_reply(xid), ask=True)
            psn[SERVER] += 2
            yield roce(CLIENT, ACK, psn[SERVER] - 1, aeth(2 * i + 2))


def calls_of_one_client(count):
    return calls_of_one_key(count, one_direction=True)


def calls_unanswered(count):
    return calls_of_one_key(count, answered=False)


def calls_read_by_one_key(count):
    """NFSv3 WRITEs whose read chunks name one region, never read nor answered."""
    yield from established()
    for i in range(count):
        xid = 0x10000 + i
        call = rpcrdma.call(xid, NFS, 3, 7, arguments=opaque(HANDLE) + bytes(8) + words(64, 2, 64)).data
        lists = rpcrdma.lists([(len(call), KEY, 64, ADDRESS)])[0]
        yield roce(CLIENT, SEND_ONLY, PSN[CLIENT] + i, rpcrdma.header(xid, rpcrdma.MSG, lists).data + call)


def sends(psn, data, size=4096):
    """A SEND of several packets; returns (frames, next PSN)."""
    parts = [data[at:at + size] for at in range(0, len(data), size)]
    if len(parts) == 1:
        return [roce(CLIENT, SEND_ONLY, psn, parts[0])], psn + 1
    frames = []
    for i, part in enumerate(parts):
        opcode = 0 if i == 0 else 2 if i == len(parts) - 1 else 1
        frames.append(roce(CLIENT, opcode, psn + i, part + bytes(-len(part) % 4)))
    return frames, psn + len(parts)


def segments_of_calls(count, calls=10, one_key=True):
    """A few calls whose write chunk has many segments, all written to, in reverse order."""
    yield from established()
    psn, server = PSN[CLIENT], PSN[SERVER]
    for i in range(calls):
        xid = 0x10000 + i
        chunk = [(KEY + (0 if one_key else i * count + j), 4, ADDRESS + 8 * j) for j in range(count)]
        data = rpcrdma.header(xid, rpcrdma.MSG, rpcrdma.lists(writes=[chunk])[0]).data + read3_call(xid)
        frames, psn = sends(psn, data)
        yield from frames
        for key, length, address in reversed(chunk):
            yield roce(SERVER, WRITE_ONLY, server, reth(address, key, length) + bytes(length))
            server += 1


def segments_of_other_keys(count):
    return segments_of_calls(count, one_key=False)


def read_segments_of_calls(count, calls=10):
    """A few calls whose read chunks have many segments at positions of their own, none of them read."""
    yield from established()
    psn = PSN[CLIENT]
    for i in range(calls):
        xid = 0x10000 + i
        reads = [(40 + 4 * j, KEY, 4, ADDRESS + 8 * j) for j in range(count)]
        data = rpcrdma.header(xid, rpcrdma.MSG, rpcrdma.lists(reads)[0]).data + read3_call(xid)
        frames, psn = sends(psn, data)
        yield from frames


# IP fragments

def fragments_unfinished(count):
    """First fragments of many datagrams."""
    for i in range(count):
        yield ethernet(CLIENT, ipv4(CLIENT, 17, 64, ident=i & 0xffff, fragment=0x2000) + bytes(64))


def fragments_of_datagrams(count, whole=4000):
    """Datagrams of 4,000 fragments each, in reverse order."""
    for i in range(count):
        at = whole - 1 - i % whole
        yield ethernet(CLIENT, ipv4(CLIENT, 17, 8, ident=i // whole, fragment=(at < whole - 1) << 13 | at) + bytes(8))


def fragments_overlapping(count):
    """Fragments of one datagram that overlap, at random."""
    dice = random.Random(1)
    for _ in range(count):
        yield ethernet(CLIENT, ipv4(CLIENT, 17, 64, ident=7, fragment=0x2000 | dice.randrange(8000)) + bytes(64))


# TCP and iWARP

def tcp_connections(count):
    """A SYN each."""
    for i in range(count):
        yield tcp(CLIENT, (1024 + i % 60000, 1024 + i // 60000), 0, 0, flags=SYN)


def iwarp_stream():
    """A connection over which one FPDU went each way, and the frames of that."""
    stream = Stream((40000, IWARP_PORT))
    frames = [*iwarp_opened(stream)]
    for sender in (CLIENT, SERVER):
        frames.append(stream.segment(sender, send_fpdu(1)))
    return stream, frames


def send_fpdu(msn):
    """An RDMAP Send of 64 bytes in all."""
    return fpdu(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, msn, 0) + bytes(40))


def tcp_pieces(order):
    """Segments with the FPDUs of these numbers, the first being 1; nothing acknowledges them."""
    stream, frames = iwarp_stream()
    yield from frames
    for i in order:
        yield tcp(CLIENT, stream.ports, stream.next[CLIENT] + 64 * (i - 1), stream.next[SERVER], send_fpdu(i + 1))


def tcp_gaps(count):
    """Every second segment is lost."""
    return tcp_pieces(range(2, 2 * count + 2, 2))


def tcp_in_reverse(count):
    """From the last to the first."""
    return tcp_pieces(range(count, 0, -1))


def tcp_scattered(count):
    """Every second one from the second on, in any order."""
    order = list(range(2, 2 * count + 2, 2))
    random.Random(1).shuffle(order)
    return tcp_pieces(order)


def tcp_overlaps(count):
    """Segments that overlap those before them, at random, after a gap."""
    dice = random.Random(1)
    stream, frames = iwarp_stream()
    yield from frames
    for i in range(count):
        yield tcp(CLIENT, stream.ports, stream.next[CLIENT] + 100 + 32 * i + dice.randrange(64), stream.next[SERVER], bytes(64))


def records_scattered(count):
    """The same of RPC over TCP: every second call of NFS, in any order, after a gap."""
    nfs = Nfs()
    yield from opened(nfs.stream.ports)
    sent = [frame for i in range(2 * count) for frame in nfs.renamed(ROOT, b"a", ROOT, b"b")]
    yield from sent[:2]
    late = sent[2::4]
    random.Random(1).shuffle(late)
    yield from late


def mpa_lost(count):
    """A stream in which every word may begin an FPDU and none does: the search for framing never ends."""
    stream, frames = iwarp_stream()
    yield from frames
    stream.next[CLIENT] += 1000
    word = struct.pack(">HBB", 0x58, 0x41, 0x43)
    for _ in range(count):
        yield stream.segment(CLIENT, word * 100)


def iwarp_reads_outstanding(count):
    """Read Requests of one stream, unanswered, with one sink buffer."""
    stream = Stream((40000, IWARP_PORT))
    yield from iwarp_opened(stream)
    for i in range(count):
        head = struct.pack(">BBIIII", 0x41, 0x41, 0, 1, i + 1, 0)
        yield stream.segment(CLIENT, fpdu(head + struct.pack(">IQIIQ", KEY, ADDRESS, 64, KEY, ADDRESS)))


def iwarp_sends(count):
    stream, frames = iwarp_stream()
    yield from frames
    for i in range(count):
        yield stream.segment(CLIENT, send_fpdu(i + 2))


# NFS over TCP, for files

class Nfs:
    """Calls and replies of NFSv3 on one TCP connection, two frames each."""

    def __init__(self):
        self.stream, self.xid = Stream((700, NFS_PORT)), 0

    def exchange(self, procedure, arguments, results):
        self.xid += 1
        for sender, message in ((CLIENT, rpcrdma.call(self.xid, NFS, 3, procedure, arguments=arguments).data),
                                (SERVER, rpcrdma.accepted(self.xid, results=words(0) + results).data)):
            yield self.stream.segment(sender, words(1 << 31 | len(message)) + message)

    def made(self, procedure, directory, name, handle):
        body = opaque(directory) + opaque(name) + (words(0) if procedure == CREATE3 else b"") + words(0, 0, 0, 0, 0, 0)
        return self.exchange(procedure, body, words(1) + opaque(handle) + words(0, 0, 0))

    def renamed(self, old, old_name, new, new_name):
        return self.exchange(RENAME3, opaque(old) + opaque(old_name) + opaque(new) + opaque(new_name), words(0, 0, 0, 0))

    def linked(self, handle, directory, name):
        return self.exchange(LINK3, opaque(handle) + opaque(directory) + opaque(name), words(0, 0, 0))

    def written(self, handle, data, offset=0):
        return self.exchange(7, opaque(handle) + struct.pack(">QII", offset, len(data), 2) + opaque(data), words(0, 0, len(data), 2) + bytes(8))


ROOT = b"root handle"


def renames_of_a_directory(count):
    """A directory with many files is renamed many times."""
    nfs, directory = Nfs(), b"directory handle"
    yield from opened(nfs.stream.ports)
    yield from nfs.made(MKDIR3, ROOT, b"name 0", directory)
    for i in range(count // 2):
        yield from nfs.made(CREATE3, directory, b"file %d" % i, b"handle %d" % i)
    for i in range(count // 2):
        yield from nfs.renamed(ROOT, b"name %d" % i, ROOT, b"name %d" % (i + 1))


def renames_of_files(count):
    nfs = Nfs()
    yield from opened(nfs.stream.ports)
    for i in range(count // 2):
        yield from nfs.made(CREATE3, ROOT, b"file %d" % i, b"handle %d" % i)
    for i in range(count // 2):
        yield from nfs.renamed(ROOT, b"file %d" % i, ROOT, b"name %d" % i)


def links_of_a_file(count):
    """One file, many names, and a WRITE after each."""
    nfs, handle = Nfs(), b"handle"
    yield from opened(nfs.stream.ports)
    yield from nfs.made(CREATE3, ROOT, b"file", handle)
    for i in range(count):
        yield from nfs.linked(handle, ROOT, b"link %d" % i)
        yield from nfs.written(handle, b"data")


def directories_nested(count):
    """Nested directories; then the first is renamed."""
    nfs = Nfs()
    yield from opened(nfs.stream.ports)
    for i in range(count):
        yield from nfs.made(MKDIR3, b"handle %d" % i, b"d", b"handle %d" % (i + 1))
    yield from nfs.renamed(b"handle 0", b"d", b"handle 0", b"e")


def writes_scattered(count):
    """WRITEs to one file at random places."""
    nfs, dice = Nfs(), random.Random(1)
    yield from opened(nfs.stream.ports)
    yield from nfs.made(CREATE3, ROOT, b"file", b"handle")
    for _ in range(count):
        yield from nfs.written(b"handle", b"data", dice.randrange(1 << 24) * 8)


# Management

def mad_records(count):
    """A table of subnet administration in one transfer: a path record in each segment of 200 bytes."""
    for i in range(count):
        last = i == count - 1
        mad = struct.pack(">BBBBHHQHHI", 1, 3, 2, 0x92, 0, 0, 0x77, 0x35, 0, 0)
        mad += struct.pack(">BBBBII", 1, 1, 1 | (i == 0) << 1 | last << 2, 0, i + 1, 64 * 3 + 20 if last else (count * 212 if i == 0 else 0))
        mad += struct.pack(">QHHQ", 0, 8, 0, 0) + bytes(200)
        deth = struct.pack(">II", 0x80010000, 1)
        yield roce(SERVER, UD_SEND, i, deth + mad, qpn=1)


def mad_transactions(count):
    """Queries of subnet administration, and their answers in any order when all have been sent."""
    deth, order = struct.pack(">II", 0x80010000, 1), list(range(count))
    random.Random(1).shuffle(order)
    for sender, method, transactions in ((CLIENT, 1, range(count)), (SERVER, 0x81, order)):
        for i, transaction in enumerate(transactions):
            mad = struct.pack(">BBBBHHQHHI", 1, 3, 2, method, 0, 0, transaction + 1, 0x35, 0, 0) + bytes(232)
            yield roce(sender, UD_SEND, i, deth + mad, qpn=1)


def messages_of_random_length(count, seed=1):
    """SENDs of random lengths."""
    yield from established()
    dice = random.Random(seed)
    for i in range(count):
        yield roce(CLIENT, SEND_ONLY, PSN[CLIENT] + i, bytes(4 * dice.randrange(1, 256)), ask=True)
        yield roce(SERVER, ACK, PSN[CLIENT] + i, aeth(i + 1))


# SMB

class Smb:
    """A client with a share; each request and response is one acknowledged SEND, or several if it is long."""

    def __init__(self, share="\\\\srv\\share"):
        self.psn, self.number, self.share = dict(PSN), 0, share

    def send(self, sender, message, most=4000):
        for at in range(0, len(message), most):
            part, psn = message[at:at + most], self.psn[sender]
            data = smb.transfer(part, len(message) - at - len(part))
            pad = -len(data) % 4
            self.psn[sender] += 1
            yield roce(sender, SEND_ONLY, psn, data + bytes(pad), pad=pad, ask=True)
            yield roce(3 - sender, ACK, psn, aeth(psn - PSN[sender] + 1))

    def exchange(self, command, request, response, tree=smb.TREE):
        self.number += 1
        yield from self.send(CLIENT, smb.header(command, self.number, tree=tree) + request)
        yield from self.send(SERVER, smb.header(command, self.number, smb.RESPONSE, tree=smb.TREE, credits=2) + response)

    def connected(self):
        path = smb.text(self.share)
        yield from established(smb.PORT)
        yield from self.exchange(smb.TREE_CONNECT, struct.pack("<HHHH", 9, 0, 72, len(path)) + path, struct.pack("<HBBIII", 16, 1, 0, 0x30, 0, 0x1f01ff))

    def opened(self, name, file):
        yield from self.exchange(smb.CREATE, smb.create(name), smb.created(file))

    def renamed(self, file, name):
        yield from self.exchange(smb.SET_INFO, smb.set_info(file, 10, smb.rename(name)), struct.pack("<H", 2))

    def written(self, file, offset=0):
        yield from self.exchange(smb.WRITE, smb.write(file, offset, b"data"), smb.written(4))


def smb_file(number):
    return struct.pack("<QQ", number, 1)


def renames_of_an_smb_directory(count):
    """A directory with many open files is renamed many times; one of them is written after each."""
    client = Smb()
    yield from client.connected()
    yield from client.opened("name 0", smb_file(count))
    for i in range(count // 4):
        yield from client.opened("name 0\\file %d" % i, smb_file(i))
    for i in range(count):
        yield from client.renamed(smb_file(count), "name %d" % (i + 1))
        yield from client.written(smb_file(i % (count // 4)))
