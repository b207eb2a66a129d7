# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RPCs whose queue pairs have errors, and RPC messages with wrong lengths and counts. See session.py for the truth."""
import nfs
from chunk_captures import data_of, give, long_reply, read3, write3
from chunk_damage_captures import AGAIN
from conversation import bytes_of
from damage_captures import FIRST, NAK_SEQUENCE
from rpcrdma import words
from session import Session


def alternating(*rows):
    return [packet for together in zip(*rows) for packet in together]


def same_keys():
    s = Session("same-keys", "no CM, two clients of one server: the same XIDs, R_keys and addresses at the same time, with other data")
    talks = s.connection(), s.connection(a=("10.0.0.3", 0x12, 0x300), b=("10.0.0.1", 0x23, 0x900))
    for reads, length in ((True, 258), (False, 257)):
        xid, key, address = s.new_xid(), s.key, s.address
        moved, answers = [], []
        for number, c in enumerate(talks):
            s.key, s.address = key, address
            data, regions = bytes_of((s.name, xid, number), length), s.regions(length)
            if reads:
                call = s.call(c, nfs.read3(xid, length), writes=[regions])
                answers.append(s.lay(call, nfs.read3_reply(xid, data), writes=[(0, regions)]))
                packets, = s.push(c, regions)
                moved.append(packets + [c.ack(packets[-1])])
            else:
                call = s.call(c, nfs.write3(xid, data), reads=[(0, regions, False)])
                answers.append(s.lay(call, nfs.write3_reply(xid, length)))
                (request, responses), = s.pull(c, regions)
                moved.append([request] + responses)
        s.put(*alternating(*moved))
        for reported in answers[::-1]:
            s.speak(reported, s.reply(reported))
    yield s


def wrapped():
    s = Session("wrap", "PSN 0xFFFFFF to 0 inside a read chunk, a write chunk, a reply chunk, and a call and a reply of several packets")
    for number in range(5):
        c = s.connection(a=("10.0.0.2", 0x11 + number, 0xffffff if number == 3 else 0x100),
                         b=("10.0.0.1", 0x22 + number, 0x900 if number == 3 else 0xffffff))
        if number == 0:
            write3(s, c, 257, 257)
        elif number == 1:
            read3(s, c, 258, 400)
        elif number == 2:
            give(s, long_reply(s, c, segments=(2000,)))
        elif number == 3:
            s.answer(s.call(c, nfs.write3(s.new_xid(), data_of(s, 257))), nfs.write3_reply(s.xid, 257))
        else:
            s.answer(s.call(c, nfs.read3(s.new_xid(), 257)), nfs.read3_reply(s.xid, data_of(s, 257)))
    yield s


def restarted():
    s = Session("restarted", "a read chunk's READ requested again from the middle, a write chunk's WRITE retransmitted "
                "after a sequence NAK; congestion notifications between")
    c = s.peers()
    for at, begin, after in ((1, None, ()), (1, FIRST, (2,))):
        regions = s.regions(513)
        call = s.call(c, nfs.write3(s.new_xid(), data_of(s, 513)), reads=[(0, regions, False)])
        (request, responses), = s.pull(c, regions)
        again, rest = c.read_again(request, responses, at, begin)
        s.put(request, *responses[:at], c.notification("b"), *[responses[n] for n in after])
        s.pause(0.1)
        s.put(again, *rest)
        s.answer(call, nfs.write3_reply(s.xid, 513))
    regions = s.regions(1000)
    call = s.call(c, nfs.read3(s.new_xid(), 1000), writes=[regions])
    reported = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 513)), writes=[(0, regions)])
    p, = s.push(c, regions)
    s.put(p[0], c.notification("a"), p[2], c.ack(p[1], NAK_SEQUENCE), p[1], p[2], c.ack(p[2]))
    s.speak(reported, s.reply(reported))
    c.anomalies = {"cnp": 3, "nak_sequence": 1, "retransmission": [1, 12], AGAIN: None}
    yield s


MOST = 0xffffffff
CALL_HEADER, REPLY_HEADER = 40, 24
READ3_LENGTH, WRITE3_LENGTH = REPLY_HEADER + 16, CALL_HEADER + 32


def lie(rpc, at, value):
    """The message with another word at this offset, from its end if negative. The truth does not state how far it is decoded."""
    data = rpc.whole.data
    at %= len(data)
    rpc.whole.data = data[:at] + words(value) + data[at + 4:]
    return rpc


def untrue(reported, chunks=None):
    """All its bytes are captured. chunks: write chunks, whose position in it cannot be known."""
    return reported.doubtful() if chunks else reported.unknown("operations", "status")


def false_calls(s, c):
    """WRITEs by a SEND and by a chunk, and COMPOUNDs, without replies."""
    for at, value in ((WRITE3_LENGTH, MOST), (WRITE3_LENGTH, 44), (CALL_HEADER, MOST)):
        regions = s.regions(40)
        for reads in (), [(0, regions, False)]:
            untrue(s.call(c, lie(nfs.write3(s.new_xid(), data_of(s, 40)), at, value), reads=reads))
        s.transfer(c, regions)
    for at in (CALL_HEADER + 12, -4):  # the number of operations, and of words in the mask of attributes
        untrue(s.call(c, lie(nfs.compound(s.new_xid(), nfs.putfh(), nfs.readdir(100)), at, MOST)))


def false_replies(s, c):
    for value in (MOST, 44):
        for regions in None, s.regions(64):
            call = s.call(c, nfs.read3(s.new_xid(), 64), writes=[regions] if regions else ())
            rpc = lie(nfs.read3_reply(s.xid, data_of(s, 40)), READ3_LENGTH, value)
            untrue(s.answer(call, rpc, writes=[(0, regions)] if regions else ()), regions)
    # a name's length, and one more entry than there are; in a SEND and in a reply chunk
    for at, value, reply in ((REPLY_HEADER + 28, MOST, None), (-8, 1, s.regions(1000))):
        call = s.call(c, nfs.readdir3(s.new_xid(), 1000), reply=reply)
        untrue(s.answer(call, lie(nfs.readdir3_reply(s.xid, [b"x"] * 3), at, value), reply=reply))
    call = s.call(c, nfs.compound(s.new_xid(), nfs.putfh(), nfs.read(64)))
    rpc = lie(nfs.compound_reply(s.xid, nfs.done(nfs.PUTFH), nfs.read_done(data_of(s, 40))), REPLY_HEADER + 12, MOST)
    untrue(s.answer(call, rpc))
    # nested lists whose "more" flag is wrong: the outer, and the inner
    for at in -4, -8:
        call = s.call(c, nfs.exports(s.new_xid()))
        untrue(s.answer(call, lie(nfs.exports_reply(s.xid, [(b"/", [b"g"] * 6)] * 2), at, 1)))


def hostile_xdr():
    s = Session("hostile-xdr", "RPC messages that lie: data, names, operations, masks of 2^32 and fewer, lists that say there is more; "
                "in SENDs and chunks")
    c = s.peers()
    false_calls(s, c)
    false_replies(s, c)
    yield s


def captures():
    yield from same_keys()
    yield from wrapped()
    yield from restarted()
    yield from hostile_xdr()
