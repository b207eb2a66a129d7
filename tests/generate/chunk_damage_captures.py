# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Chunks with uncaptured parts, and wrong chunk lists. See session.py for the truth."""
import nfs
import rpcrdma
from chunk_captures import data_of, give, long_reply, read3, write3, zero_write
from conversation import crc
from rpcrdma import words
from session import Region, Session, cut, kept

AGAIN = "retransmission|duplicate"
ANY = {name: None for name in ("lost", "unexpected_response", "out_of_order", "length_mismatch", "resynchronised")}


def pull_lossy(s, c, regions, *lost, twice=None, request=True):
    """Reads the regions; these responses of the first one are not captured."""
    for number, (asked, responses) in enumerate(s.pull(c, regions)):
        if number:
            s.put(asked, *responses)
            continue
        if request:
            s.put(asked)
        again = [responses[twice]] if twice is not None else []
        s.put(*s.lose(responses, *lost), *again)


def push_lossy(s, c, regions, *lost, twice=None):
    """Writes the regions; these packets of the first one are not captured."""
    for number, packets in enumerate(s.push(c, regions)):
        again = [packets[twice]] if twice is not None and not number else []
        s.put(*(s.lose(packets, *lost) if not number else packets), *again, c.ack(packets[-1]))


def lossy_write(s, c, length, segments, *lost, **how):
    data, regions = data_of(s, length), s.regions(*segments)
    call = s.call(c, nfs.write3(s.new_xid(), data), reads=[(0, regions, False)])
    pull_lossy(s, c, regions, *lost, **how)
    s.answer(call, nfs.write3_reply(s.xid, length))


def lossy_read(s, c, length, segments, *lost, **how):
    regions = s.regions(*segments)
    call = s.call(c, nfs.read3(s.new_xid(), length), writes=[regions])
    reported = s.lay(call, nfs.read3_reply(s.xid, data_of(s, length)), writes=[(0, regions)])
    push_lossy(s, c, regions, *lost, **how)
    s.speak(reported, s.reply(reported))


def lossy_zero(s, c, *lost, chunk=None):
    call, zero = zero_write(s, c, data_of(s, 521), chunk=chunk)
    pull_lossy(s, c, zero, *lost)
    if chunk:
        s.transfer(c, chunk)
    s.answer(call, nfs.write3_reply(s.xid, 521))
    return call


def lossy_reply(s, c, *lost, **how):
    reported = long_reply(s, c, **how)
    push_lossy(s, c, reported.regions, *lost)
    s.speak(reported, s.reply(reported))
    return reported


def holes():
    s = Session("hole-read", "packets of read chunks not captured: a middle, the first, the last READ response, two, a whole READ")
    c = s.peers()
    lossy_write(s, c, 521, (521,), 1)
    lossy_write(s, c, 521, (521,), 0)
    lossy_write(s, c, 521, (521,), 2)
    lossy_write(s, c, 723, (521, 202), 0, 2)
    lossy_write(s, c, 104, (99, 5), 0, request=False)
    write3(s, c, 61, 61)
    yield s

    s = Session("hole-write", "packets of write chunks not captured: a middle, the last, two, a whole WRITE, and the "
                "first, without which the position of the rest is unknown")
    c = s.peers()
    lossy_read(s, c, 521, (1000,), 1)
    lossy_read(s, c, 521, (1000,), 2)
    lossy_read(s, c, 1100, (900, 300), 1, 3)
    lossy_read(s, c, 150, (101, 99), 0)
    lossy_read(s, c, 521, (1000,), 0)
    read3(s, c, 61, 61)
    yield s

    s = Session("hole-reply", "packets of reply chunks not captured: a middle, a whole segment, all; and one of the write chunk beside a "
                "whole reply chunk")
    c = s.peers(cm=False)
    lossy_reply(s, c, 1, segments=(2000,))
    lossy_reply(s, c, 0, segments=(2000,)).unknown("operations", "status")
    lossy_reply(s, c, 1, read=321)
    reported = long_reply(s, c, read=61, segments=(200, 1000))
    writes = s.push(c, reported.regions)
    for packets in writes[:1] + [s.lose(writes[1])] + [s.lose(writes[2], 1)]:
        s.put(*packets, c.ack(packets[-1]))
    s.speak(reported, s.reply(reported))
    give(s, long_reply(s, c))
    yield s

    s = Session("hole-position-zero", "packets of chunks at position zero not captured: a middle, the last, the first; and one of the "
                "chunk beside it")
    c = s.peers(cm=False)
    lossy_zero(s, c, 1)
    lossy_zero(s, c, 2)
    lossy_zero(s, c, 0).unknown("program", "version", "procedure", "operations")
    s.reported[-1].unknown("program", "version", "procedure", "operations", "status")
    lossy_zero(s, c, 0, chunk=s.regions(521)).unknown("program", "version", "procedure", "operations", "length", "missing")
    s.reported[-1].unknown("program", "version", "procedure", "operations", "status")
    chunk = s.regions(521)
    call, zero = zero_write(s, c, data_of(s, 521), chunk=chunk)
    s.transfer(c, zero)
    pull_lossy(s, c, chunk, 1)
    s.answer(call, nfs.write3_reply(s.xid, 521))
    yield s

    s = Session("loss-and-duplicate", "a packet of a read chunk, a write chunk not captured, its neighbour twice: as many packets and "
                "bytes as there should be, but not these")
    c = s.peers(cm=False)
    lossy_write(s, c, 768, (768,), 1, twice=2)
    lossy_read(s, c, 768, (768,), 1, twice=0)
    c.anomalies[AGAIN] = 2
    yield s


def midstream(name, how):
    """Without CM; the server sends the first packets, so it is a."""
    s = Session("no-cm-" + name, "no CM, from the middle of an RPC whose call was not captured: " + how)
    c = s.connection()
    s.client, s.server = "b", "a"
    c.known.update({"a.psn": False, "b.psn": False})
    c.anomalies = dict(ANY)
    return s, c


def uncalled(reported):
    return reported.expect(program=None, version=None, procedure=None, operations=[]).unknown("status")


def no_cm():
    s, c = midstream("read-chunk", "WRITE by a read chunk")
    regions = s.regions(521)
    call, _ = s.ask(c, nfs.write3(s.new_xid(), data_of(s, 521)), reads=[(0, regions, False)])
    (request, responses), = s.pull(c, regions)
    s.put(*responses[1:])
    uncalled(s.answer(call, nfs.write3_reply(s.xid, 521)))
    write3(s, c, 61, 61)
    write3(s, c, 606, 257, 1, 99, 249)
    lossy_write(s, c, 521, (521,), 1)
    yield s

    s, c = midstream("write-chunk", "READ by a write chunk")
    regions = s.regions(521)
    call, _ = s.ask(c, nfs.read3(s.new_xid(), 521), writes=[regions])
    reported = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 521)), writes=[(0, regions)])
    packets, = s.push(c, regions)
    s.put(*packets[1:], c.ack(packets[-1]))
    uncalled(s.speak(reported, s.reply(reported))).expect(complete=False).unknown("length", "missing")
    reported.expect(missing=[])
    reported.hidden = tuple(key for key in reported.hidden if key != "missing")
    read3(s, c, 61, 61)
    read3(s, c, 606, 257, 1, 99, 300)
    lossy_read(s, c, 521, (1000,), 1)
    yield s

    s, c = midstream("reply-chunk", "a reply in a reply chunk")
    reported = long_reply(s, c, called=False)
    s.deliver(c, reported.regions)
    uncalled(s.speak(reported, s.reply(reported))).unknown("complete", "length", "missing", "crc32")
    give(s, long_reply(s, c))
    give(s, long_reply(s, c, read=61))
    yield s


def named(region, **changes):
    """Another key for memory."""
    other = Region(changes.get("r_key", region.r_key), changes.get("address", region.address),
                   changes.get("length", region.length))
    return other


def overlap():
    s = Session("hostile-overlap", "segments that are the same memory, or overlap: of one read chunk, of two write chunks")
    c = s.peers(cm=False)
    for step in (0, 100):
        memory, (whole,) = data_of(s, 300), s.regions(300)
        one, other = named(whole, length=200), named(whole, address=whole.address + step, length=200)
        data = memory[:200] + memory[step:step + 200]
        call = s.call(c, nfs.write3(s.new_xid(), data), reads=[(0, [one, other], False)])
        call.unknown("complete", "missing")
        s.transfer(c, [one, other])
        s.answer(call, nfs.write3_reply(s.xid, 400))
    region, = s.regions(40)
    one, other = named(region), named(region)
    call = s.call(c, nfs.compound(s.new_xid(), nfs.putfh(), nfs.read(40), nfs.read(40)), writes=[[one], [other]])
    data = data_of(s, 40)
    rpc = nfs.compound_reply(s.xid, nfs.done(nfs.PUTFH), nfs.read_done(data), nfs.read_done(data))
    s.answer(call, rpc, writes=[(0, [one]), (1, [other])]).unknown("complete", "missing")
    write3(s, c, 61, 61)
    yield s


def segments(*chunks):
    return rpcrdma.lists(*chunks)[0]


def bad_call(s, c, lists, short=False, **chunks):
    """A WRITE with a wrong chunk list; its SEND lacks the data. short: the message lacks the data too, by the list."""
    regions = s.regions(40)
    rpc = nfs.write3(s.new_xid(), data_of(s, 40))
    call = s.call(c, rpc, lists=lists(regions[0]), **(chunks or {"reads": [(0, regions, False)]})).doubtful()
    s.transfer(c, regions)
    if short:
        without_data(call)
    s.answer(call, nfs.write3_reply(s.xid, 40)).doubtful().unknown("complete")


def without_data(reported):
    """It may be reported as complete, but then without the bytes of the lists that were never sent."""
    whole = reported.rpc.whole
    reported.hidden = tuple(key for key in reported.hidden if key != "crc32")
    reported.expect(crc32=crc(cut(whole.data, kept(whole, [0])))).unknown("complete")


def bad_reply(s, c, lists, short=False):
    """A READ's reply with a wrong chunk list."""
    regions = s.regions(40)
    call = s.call(c, nfs.read3(s.new_xid(), 40), writes=[regions]).unknown("answer")
    reported = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 40)), writes=[(0, regions)])
    s.deliver(c, regions)
    s.speak(reported, s.reply(reported, lists=lists(regions[0]))).doubtful()
    if short:
        without_data(reported)


MOST = 0xffffffff


def lies():
    s = Session("hostile-calls", "calls whose read lists lie: about lengths, the number of segments, Positions; or end early",
                options="--decode-as qp=0x11,rpcrdma --decode-as qp=0x22,rpcrdma")
    c = s.peers(cm=False)
    position = nfs.write3(0, bytes(40)).whole.eligible[0][0]
    for at, length in ((position, MOST), (position, 41), (position + 400, 40), (MOST, 40), (MOST - 3, 40), (0, 40)):
        bad_call(s, c, lambda r: segments([(at, r.r_key, length, r.address)]))
    bad_call(s, c, lambda r: segments([(position, r.r_key, 0, r.address)]), short=True)
    for at in (MOST, MOST - 3):
        bad_call(s, c, lambda r: segments([(0, r.r_key, MOST, r.address)] * 2 + [(at, r.r_key, 40, r.address)]), zero=s.regions(500))
    bad_call(s, c, lambda r: segments([(position, r.r_key, MOST, r.address + i) for i in range(8)]))
    bad_call(s, c, lambda r: segments([(position, r.r_key, 40, 0xffffffffffffffff - 63)]))
    bad_call(s, c, lambda r: segments([(position, r.r_key ^ 1, 40, r.address)]))
    bad_call(s, c, lambda r: segments([(position, r.r_key, 40, r.address + 1)]))
    bad_call(s, c, lambda r: words(0, 1, 0x10000000) + bytes(8))
    bad_call(s, c, lambda r: words(1, position, r.r_key, 40))
    bad_call(s, c, lambda r: words(2, position, r.r_key, 40) + words(0, 0))
    write3(s, c, 61, 61)
    yield s

    s = Session("hostile-replies", "replies with false lists: more than written or offered, lengths different from the "
                "result's, unknown keys, too many chunks")
    c = s.peers(cm=False)
    for length in (39, 41, 44, 4096, MOST):
        bad_reply(s, c, lambda r: segments((), [[(r.r_key, length, r.address)]]))
    bad_reply(s, c, lambda r: segments((), [[(r.r_key ^ 1, 40, r.address)]]))
    bad_reply(s, c, lambda r: segments((), [[(r.r_key, 40, r.address + 4)]]))
    bad_reply(s, c, lambda r: segments((), [[(r.r_key, 20, r.address), (r.r_key, 40, r.address)]]))
    bad_reply(s, c, lambda r: segments((), [[(r.r_key, 40, r.address)]] * 3))
    bad_reply(s, c, lambda r: segments((), [[]] * 3), short=True)
    bad_reply(s, c, lambda r: segments((), [], [(r.r_key, 40, r.address)]))
    bad_reply(s, c, lambda r: words(0, 1, MOST) + bytes(16))
    read3(s, c, 61, 61)
    yield s

    s = Session("hostile-unfinished", "chunks never read or written, calls without a reply, a reply in a chunk that was "
                "not offered, an XID reused while its call waits")
    c = s.peers(cm=False)
    s.call(c, nfs.write3(s.new_xid(), data_of(s, 61)), reads=[(0, s.regions(61), False)])
    s.call(c, nfs.read3(s.xid, 61), writes=[s.regions(61)])
    call = s.call(c, nfs.write3(s.new_xid(), data_of(s, 61)), reads=[(0, s.regions(30, 31), False)])
    s.answer(call, nfs.write3_reply(s.xid, 61))
    call = s.call(c, nfs.readdir3(s.new_xid(), 1000))
    reply = s.regions(1000)
    reported = s.lay(call, nfs.readdir3_reply(s.xid, [b"x"] * 3), reply=reply)
    s.speak(reported, s.reply(reported)).doubtful()
    zero, = s.regions(1000)
    rpc = nfs.write3(s.new_xid(), data_of(s, 61))
    s.call(c, rpc, zero=[zero], lists=segments([(0, zero.r_key, len(rpc.whole.data), zero.address)])).doubtful()
    s.put(*c.send("b", 0, data=rpcrdma.header(s.xid, rpcrdma.NOMSG, segments()).data))
    s.put(*c.read("b", 600, zero.r_key, zero.address)[1][:1])
    c.anomalies = dict(ANY)
    yield s


def captures():
    yield from holes()
    yield from no_cm()
    yield from overlap()
    yield from lies()
