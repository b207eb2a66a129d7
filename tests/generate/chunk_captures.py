# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""NFS over RDMA with every kind of chunk (RFC 8166, 3.4; RFC 8267), whole and with holes. See session.py for the truth."""
import nfs
import rpcrdma
from conversation import bytes_of
from rpcrdma import ERROR, words
from session import Session


def data_of(session, length):
    return bytes_of((session.name, session.xid), length)


def write3(s, c, length, *segments, padded=False):
    """NFSv3 WRITE of `length` bytes by a read chunk of these segments."""
    data, regions = data_of(s, length), s.regions(*segments)
    call = s.call(c, nfs.write3(s.new_xid(), data), reads=[(0, regions, padded)])
    s.transfer(c, regions)
    return s.answer(call, nfs.write3_reply(s.xid, length))


def read3(s, c, length, *segments):
    """NFSv3 READ that returns `length` bytes by a write chunk of these segments."""
    regions = s.regions(*segments)
    call = s.call(c, nfs.read3(s.new_xid(), sum(segments)), writes=[regions])
    return s.answer(call, nfs.read3_reply(s.xid, data_of(s, length)), writes=[(0, regions)])


def read_chunks():
    s = Session("read-chunk", "NFSv3 WRITE by a read chunk: multiple of 4, odd without pad, odd with it, several odd segments")
    c = s.peers()
    write3(s, c, 260, 260)
    write3(s, c, 301, 301)
    write3(s, c, 303, 304, padded=True)
    write3(s, c, 306, 57, 1, 99, 149)
    write3(s, c, 305, 57, 100, 151, padded=True)
    write3(s, c, 1, 1)
    yield s

    s = Session("read-chunks", "COMPOUND of two WRITEs with a chunk each, one of them inline; SYMLINK's path by a chunk, v3 and v4")
    c = s.peers(cm=False)
    for padded, chosen in ((False, (0, 1)), (True, (0, 1)), (False, (1,)), (False, (0,))):
        one, other = data_of(s, 257), bytes_of(s.xid, 70)
        regions = {0: s.regions(200, 60 if padded else 57), 1: s.regions(72 if padded else 70)}
        rpc = nfs.compound(s.new_xid(), nfs.putfh(), nfs.write(one), nfs.write(other, 257))
        call = s.call(c, rpc, reads=[(n, regions[n], padded) for n in chosen])
        for n in chosen:
            s.transfer(c, regions[n])
        s.answer(call, nfs.compound_reply(s.xid, nfs.done(nfs.PUTFH), nfs.write_done(257), nfs.write_done(70)))
    path = b"../" * 20 + b"x"
    regions = s.regions(len(path))
    call = s.call(c, nfs.symlink3(s.new_xid(), b"link", path), reads=[(0, regions, False)])
    s.transfer(c, regions)
    s.answer(call, nfs.symlink3_reply(s.xid))
    regions = s.regions(len(path))
    call = s.call(c, nfs.compound(s.new_xid(), nfs.putfh(), nfs.symlink(b"link", path)), reads=[(0, regions, False)])
    s.transfer(c, regions)
    s.answer(call, nfs.compound_reply(s.xid, nfs.done(nfs.PUTFH), nfs.symlink_done()))
    yield s


def zero_write(s, c, data, *segments, chunk=None):
    """WRITE whose call is in a position-zero chunk; its data is in another chunk, or in the same."""
    rpc, reads = nfs.write3(s.new_xid(), data), []
    length = len(rpc.whole.data)
    if chunk:
        reads, length = [(0, chunk, False)], length - len(data) - -len(data) % 4
    zero = s.regions(*segments, length - sum(segments))
    call = s.call(c, rpc, zero=zero, reads=reads)
    return call, zero


def position_zero():
    s = Session("position-zero", "calls in a chunk at position zero, of one segment and of odd ones, alone and beside another chunk")
    c = s.peers(cm=False)
    for segments, chunk in (((), None), ((51, 1, 102), None), ((), (131,)), ((33, 17), (100, 31))):
        chunk = s.regions(*chunk) if chunk else None
        call, zero = zero_write(s, c, data_of(s, 131), *segments, chunk=chunk)
        s.transfer(c, zero + (chunk or []))
        s.answer(call, nfs.write3_reply(s.xid, 131))
    yield s


def two_reads(s, c, first, second, chunks, use):
    """COMPOUND with two READs. chunks: segments of each; use: (item, chunk) as in the reply."""
    regions = [s.regions(*segments) for segments in chunks]
    call = s.call(c, nfs.compound(s.new_xid(), nfs.putfh(), nfs.read(first or 100), nfs.read(second or 100, 4096)),
                  writes=regions)
    data = [bytes_of((s.name, s.xid, n), length) for n, length in enumerate((first, second))]
    rpc = nfs.compound_reply(s.xid, nfs.done(nfs.PUTFH), nfs.read_done(data[0]), nfs.read_done(data[1]))
    return s.answer(call, rpc, writes=[(item, None if chunk is None else regions[chunk]) for item, chunk in use])


def write_chunks():
    s = Session("write-chunk", "NFS READ and READLINK by write chunks: odd lengths, more room than data, several segments, the last "
                "without data")
    c = s.peers()
    read3(s, c, 260, 260)
    read3(s, c, 101, 512)
    read3(s, c, 1, 4)
    read3(s, c, 306, 57, 1, 99, 300)
    read3(s, c, 158, 57, 100, 151, 4096)
    path = b"../" * 20 + b"x"
    regions = s.regions(1024)
    call = s.call(c, nfs.readlink3(s.new_xid()), writes=[regions])
    s.answer(call, nfs.readlink3_reply(s.xid, path), writes=[(0, regions)])
    regions = s.regions(100, 1024)
    call = s.call(c, nfs.compound(s.new_xid(), nfs.putfh(), nfs.readlink()), writes=[regions])
    s.answer(call, nfs.compound_reply(s.xid, nfs.done(nfs.PUTFH), nfs.readlink_done(path)), writes=[(0, regions)])
    yield s

    s = Session("write-chunks", "COMPOUND of two READs with a chunk each, and with one for the first alone")
    c = s.peers(cm=False)
    two_reads(s, c, 301, 302, ((512,), (512,)), ((0, 0), (1, 1)))
    two_reads(s, c, 257, 257, ((256, 256), (100, 512)), ((0, 0), (1, 1)))
    two_reads(s, c, 301, 70, ((512,),), ((0, 0),))
    yield s

    s = Session("empty-chunks", "empty chunks: a READ of no bytes with its chunk used or unused, inline results, an error")
    c = s.peers(cm=False)
    pair = ((64,), (33, 64))
    two_reads(s, c, 0, 61, pair, ((None, 0), (1, 1)))
    two_reads(s, c, 0, 61, pair, ((None, None), (1, 1)))
    two_reads(s, c, 0, 61, pair, ((1, 0), (None, 1)))
    two_reads(s, c, 0, 61, pair[:1], ((1, 0),))
    two_reads(s, c, 70, 61, pair, ((None, 0), (1, 1)))
    two_reads(s, c, 70, 61, pair, ((None, None), (1, 1)))
    two_reads(s, c, 61, 70, pair, ((0, 0), (None, 1)))
    two_reads(s, c, 70, 70, pair, ((None, 0), (None, 1)))
    two_reads(s, c, 0, 0, pair, ((None, 0), (None, None)))
    two_reads(s, c, 90, 90, pair, ((None, 0), (1, 1)))
    for regions in (s.regions(128), None):
        call = s.call(c, nfs.read3(s.new_xid(), 128), writes=[regions or s.regions(128)])
        s.answer(call, nfs.read3_reply(s.xid, data_of(s, 99)), writes=[(None, regions)])
    regions = s.regions(128)
    call = s.call(c, nfs.read3(s.new_xid(), 128), writes=[regions])
    s.answer(call, nfs.reply3(s.xid, nfs.READ3, words(0), status=5), writes=[(None, regions)])
    yield s


NAMES = [b"file-%02d" % n for n in range(16)]


def long_reply(s, c, read=None, segments=(300, 257, 1000), chunk=(512,), called=True):
    """A call (captured or not) whose reply is in a reply chunk: READDIR, and before it READ by a write chunk."""
    reply = s.regions(*segments)
    if read is None:
        call, packets = s.ask(c, nfs.readdir3(s.new_xid(), 1000), reply=reply)
        if called:
            s.speak(call, packets)
        return s.lay(call, nfs.readdir3_reply(s.xid, NAMES), reply=reply)
    regions = s.regions(*chunk)
    rpc = nfs.compound(s.new_xid(), nfs.putfh(), nfs.read(512), nfs.readdir(1000))
    call = s.call(c, rpc, writes=[regions], reply=reply)
    rpc = nfs.compound_reply(s.xid, nfs.done(nfs.PUTFH), nfs.read_done(data_of(s, read)), nfs.readdir_done(NAMES))
    return s.lay(call, rpc, writes=[(0, regions)], reply=reply)


def give(s, reported):
    s.deliver(reported.connection, reported.regions)
    s.speak(reported, s.reply(reported))


def reply_chunks():
    s = Session("reply-chunk", "replies in a reply chunk of one and several segments, beside a write list, and offered but not used")
    c = s.peers()
    give(s, long_reply(s, c, segments=(2000,)))
    give(s, long_reply(s, c))
    give(s, long_reply(s, c, segments=(1, 3, 253, 1000)))
    give(s, long_reply(s, c, read=301))
    give(s, long_reply(s, c, read=304, segments=(77, 2000), chunk=(100, 201, 100)))
    reply = s.regions(1000)
    call = s.call(c, nfs.readdir3(s.new_xid(), 1000), reply=reply)
    s.answer(call, nfs.readdir3_reply(s.xid, NAMES[:3]))
    reply = s.regions(1000)
    call = s.call(c, nfs.readdir3(s.new_xid(), 1000), reply=reply)
    reported = s.lay(call, nfs.readdir3_reply(s.xid, NAMES[:3])).expect(reply_chunk=True)
    reported.back = [reply[0].used(0)]
    give(s, reported)
    yield s


def errors():
    s = Session("error", "RDMA_ERROR answers calls: ERR_CHUNK to one with chunks, ERR_VERS, and to a call of the other side")
    c = s.peers()
    calls = [s.call(c, nfs.readdir3(s.new_xid(), 1000), reply=s.regions(16)), s.call(c, nfs.read3(s.new_xid(), 512)),
             s.call(c, nfs.recall(s.new_xid()), name="b")]
    for call, body, status in zip(calls, (words(2), words(1, 1, 1), words(2)), ("CHUNK", "VERS", "CHUNK")):
        packets = c.send("a" if call.name == "b" else "b", 0, data=rpcrdma.header(call.rpc.xid, ERROR, body).data)
        s.failed(call, packets, "RDMA_ERROR ERR_" + status)
        s.put(*packets, c.ack(packets[0]))
    write3(s, c, 301, 301)
    yield s


def reverse():
    s = Session("reverse", "CB_RECALL on the connection of the NFS calls, with the XID of one that is under way and of one that is done")
    c = s.peers()
    regions = s.regions(512)
    call = s.call(c, nfs.read3(s.new_xid(), 512), writes=[regions])
    back = s.call(c, nfs.recall(s.xid), name="b")
    reported = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 301)), writes=[(0, regions)])
    s.deliver(c, regions)
    s.answer(back, nfs.recall_reply(s.xid))
    s.speak(reported, s.reply(reported))
    s.answer(s.call(c, nfs.recall(s.xid), name="b"), nfs.recall_reply(s.xid))
    write3(s, c, 301, 301)
    s.answer(s.call(c, nfs.recall(s.xid), name="b"), nfs.recall_reply(s.xid))
    yield s


def keys():
    s = Session("key-reuse", "the same R_key and address for the next RPC, READ after READ, WRITE after READ, of other lengths; with and "
                "without remote invalidation")
    c = s.peers(cm=False)
    for n, (read, length) in enumerate(((True, 104), (True, 101), (False, 104), (False, 91), (True, 92), (False, 100))):
        s.key, s.address = 0x4000, 0x7f00aaaa0000
        regions, data = s.regions(length), data_of(s, length)
        inv = regions[0].r_key if n % 2 else None
        if read:
            call = s.call(c, nfs.read3(s.new_xid(), length), writes=[regions])
            s.answer(call, nfs.read3_reply(s.xid, data), writes=[(0, regions)], inv=inv)
        else:
            call = s.call(c, nfs.write3(s.new_xid(), data), reads=[(0, regions, False)])
            s.transfer(c, regions)
            s.answer(call, nfs.write3_reply(s.xid, length), inv=inv)
    yield s

    s = Session("one-key", "segments of one chunk, of two chunks, and of two RPCs at once under one R_key")
    c = s.peers(cm=False)
    for one_call in (True, False):
        regions = s.regions(91, 101, 100, 100, one_key=True)
        data = data_of(s, 192)
        if one_call:
            rpc = nfs.compound(s.new_xid(), nfs.putfh(), nfs.write(data), nfs.write(data_of(s, 200)))
            call = s.call(c, rpc, reads=[(0, regions[:2], False), (1, regions[2:], False)])
            s.transfer(c, regions[::-1])
            s.answer(call, nfs.compound_reply(s.xid, nfs.done(nfs.PUTFH), nfs.write_done(192), nfs.write_done(200)))
            continue
        one = s.call(c, nfs.write3(s.new_xid(), data), reads=[(0, regions[:2], False)])
        other = s.call(c, nfs.read3(s.new_xid(), 200), writes=[regions[2:]])
        s.transfer(c, regions[:2])
        s.answer(other, nfs.read3_reply(s.xid, data_of(s, 199)), writes=[(0, regions[2:])])
        s.answer(one, nfs.write3_reply(s.xid - 1, 192), inv=regions[0].r_key)
    yield s


def repeated():
    s = Session("repeated", "calls repeated with their XID: with the same chunk read late, with another chunk; the XID "
                "reused after its reply")
    c = s.peers(cm=False)
    for anew in (False, True):
        data, regions = data_of(s, 301), s.regions(301)
        call = s.call(c, nfs.write3(s.new_xid(), data), reads=[(0, regions, False)])
        call.unknown("answer")
        s.pause(20)
        if anew:
            regions = s.regions(301)
        else:
            # the data read is that of the later call; the earlier call's region is the same memory
            call.unknown("complete", "missing")
            key, address = regions[0].r_key, regions[0].address
            regions = s.regions(301)
            regions[0].r_key, regions[0].address = key, address
        again = s.call(c, nfs.write3(s.xid, data), reads=[(0, regions, False)])
        again.expect(repeats=1)
        s.transfer(c, regions)
        s.answer(again, nfs.write3_reply(s.xid, 301))
    s.xid -= 1
    read3(s, c, 101, 512)
    yield s


def captures():
    yield from read_chunks()
    yield from position_zero()
    yield from write_chunks()
    yield from reply_chunks()
    yield from errors()
    yield from reverse()
    yield from keys()
    yield from repeated()
