# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RPCs whose parts are captured in another order than they were said, or before both ends are known, or again. See session.py."""
import nfs
from chunk_captures import data_of, long_reply, read3, write3
from chunk_damage_captures import AGAIN, midstream, uncalled
from session import Session


def silent_call(s, c, rpc, **chunks):
    """The call's SEND, which nobody acknowledges."""
    told, packets = s.ask(c, rpc, **chunks)
    s.put(*packets)
    return told


def silent_reply(s, c, told):
    """What a reply brings and its SEND, which nobody acknowledges."""
    for packets in s.push(c, told.regions):
        s.put(*packets)
    packets = s.reply(told)
    s.put(*packets)
    return packets[-1]


def silent_read(s, c, length):
    regions = s.regions(length)
    call = silent_call(s, c, nfs.read3(s.new_xid(), length), writes=[regions])
    return silent_reply(s, c, s.lay(call, nfs.read3_reply(s.xid, data_of(s, length)), writes=[(0, regions)]))


def silent_readdir(s, c):
    told = long_reply(s, c, called=False)
    s.put(*s.last_said)
    return silent_reply(s, c, told)


def late():
    s = Session("no-cm-late", "no CM, and RPCs before the first acknowledgement: by a write chunk, a reply chunk, a read chunk")
    c = s.peers(cm=False)
    silent_read(s, c, 521)
    silent_readdir(s, c)
    regions = s.regions(301)
    call = silent_call(s, c, nfs.write3(s.new_xid(), data_of(s, 301)), reads=[(0, regions, False)])
    s.transfer(c, regions)
    s.answer(call, nfs.write3_reply(s.xid, 301))
    write3(s, c, 61, 61)
    yield s

    s, c = midstream("late-server", "the server's packets first, and RPCs before the first acknowledgement")
    call, _ = s.ask(c, nfs.read3(s.new_xid(), 40))
    told = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 40)))
    s.put(*s.reply(told))
    uncalled(told)
    silent_read(s, c, 521)
    last = silent_readdir(s, c)
    s.put(c.ack(last))
    write3(s, c, 61, 61)
    yield s


def swapped():
    s = Session("swapped", "READs and WRITEs captured before the call that they are about; the WRITE of a reply chunk behind the reply's SEND")
    c = s.peers()
    regions = s.regions(521)
    call, packets = s.ask(c, nfs.read3(s.new_xid(), 521), writes=[regions])
    told = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 521)), writes=[(0, regions)])
    for written in s.push(c, regions):
        s.put(*written)
    s.put(*packets)
    s.speak(told, s.reply(told))
    regions = s.regions(301, 205)
    call, packets = s.ask(c, nfs.write3(s.new_xid(), data_of(s, 506)), reads=[(0, regions, False)])
    moved = s.pull(c, regions)
    s.put(*(request for request, _ in moved), *packets, *(response for _, responses in moved for response in responses))
    s.answer(call, nfs.write3_reply(s.xid, 506))
    told = long_reply(s, c)
    writes = s.push(c, told.regions)
    reply = s.reply(told)
    s.put(*(packet for packets in writes[:-1] for packet in packets), *reply, *writes[-1], c.ack(reply[-1]))
    c.anomalies = {"out_of_order": len(writes[-1])}
    read3(s, c, 61, 61)
    yield s


def again():
    s = Session("answered-again", "replies whose SEND is repeated, at once and when all about the call is over; second answers to one call; an "
                "answered call sent again")
    c = s.peers()
    repeated = 0
    for make in (lambda: s.answer(s.call(c, nfs.read3(s.new_xid(), 40)), nfs.read3_reply(s.xid, data_of(s, 40))),
                 lambda: s.speak(*given(s, c))):
        for pause in (0, 2):
            make()
            s.pause(pause)
            s.put(*s.last_said)
            repeated += len(s.last_said)
            s.put(c.ack(s.last_said[-1]))
    for pause in (0, 2):
        call = s.call(c, nfs.read3(s.new_xid(), 40))
        first = s.answer(call, nfs.read3_reply(s.xid, data_of(s, 40)))
        for times in (1, 2):
            s.pause(pause)
            s.answer(call, nfs.read3_reply(s.xid, data_of(s, 40))).expect(repeats=times).unknown("request")
        call.partner = first
    s.pause(2)
    call = s.call(c, nfs.read3(s.xid, 40)).expect(repeats=1)
    s.answer(call, nfs.read3_reply(s.xid, data_of(s, 40)))
    c.anomalies = {AGAIN: repeated}
    yield s


def given(s, c):
    told = long_reply(s, c, segments=(2000,))
    s.deliver(c, told.regions)
    return told, s.reply(told)


def captures():
    yield from late()
    yield from swapped()
    yield from again()
