# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RPCs whose parts are captured in another order than they were sent, or before both ends are known, or repeatedly. See session.py."""
import nfs
import rpcrdma
from chunk_captures import data_of, long_reply, read3, write3
from chunk_damage_captures import AGAIN, midstream, uncalled
from session import Region, Session


def silent_call(s, c, rpc, **chunks):
    """The call's SEND, without an acknowledgement."""
    reported, packets = s.ask(c, rpc, **chunks)
    s.put(*packets)
    return reported


def silent_reply(s, c, reported):
    """A reply's data and its SEND, without an acknowledgement."""
    for packets in s.push(c, reported.regions):
        s.put(*packets)
    packets = s.reply(reported)
    s.put(*packets)
    return packets[-1]


def silent_read(s, c, length):
    regions = s.regions(length)
    call = silent_call(s, c, nfs.read3(s.new_xid(), length), writes=[regions])
    return silent_reply(s, c, s.lay(call, nfs.read3_reply(s.xid, data_of(s, length)), writes=[(0, regions)]))


def silent_readdir(s, c):
    reported = long_reply(s, c, called=False)
    s.put(*s.last_said)
    return silent_reply(s, c, reported)


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
    reported = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 40)))
    s.put(*s.reply(reported))
    uncalled(reported)
    silent_read(s, c, 521)
    last = silent_readdir(s, c)
    s.put(c.ack(last))
    write3(s, c, 61, 61)
    yield s


def swapped():
    s = Session("swapped", "READs and WRITEs captured before their call; the WRITE of a reply chunk after the reply's SEND")
    c = s.peers()
    regions = s.regions(521)
    call, packets = s.ask(c, nfs.read3(s.new_xid(), 521), writes=[regions])
    reported = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 521)), writes=[(0, regions)])
    for written in s.push(c, regions):
        s.put(*written)
    s.put(*packets)
    s.speak(reported, s.reply(reported))
    regions = s.regions(301, 205)
    call, packets = s.ask(c, nfs.write3(s.new_xid(), data_of(s, 506)), reads=[(0, regions, False)])
    moved = s.pull(c, regions)
    s.put(*(request for request, _ in moved), *packets, *(response for _, responses in moved for response in responses))
    s.answer(call, nfs.write3_reply(s.xid, 506))
    reported = long_reply(s, c)
    writes = s.push(c, reported.regions)
    reply = s.reply(reported)
    s.put(*(packet for packets in writes[:-1] for packet in packets), *reply, *writes[-1], c.ack(reply[-1]))
    c.anomalies = {"out_of_order": len(writes[-1])}
    read3(s, c, 61, 61)
    yield s


def again():
    s = Session("answered-again", "replies whose SEND is repeated, at once and after the call is complete; second replies "
                "to one call; an answered call repeated")
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
    reported = long_reply(s, c, segments=(2000,))
    s.deliver(c, reported.regions)
    return reported, s.reply(reported)


def before_their_calls():
    s = Session("replies-first", "replies captured one frame before their calls: without data, with a write chunk whose WRITE came before both, with a "
                "read chunk; a call whose READ was captured before it, the data too")
    c = s.peers()
    read3(s, c, 61, 61)
    call, asked = s.ask(c, nfs.read3(s.new_xid(), 40))
    s.put(*s.reply(s.lay(call, nfs.read3_reply(s.xid, data_of(s, 40)))), *asked)
    regions = s.regions(521)
    call, asked = s.ask(c, nfs.read3(s.new_xid(), 521), writes=[regions])
    reported = s.lay(call, nfs.read3_reply(s.xid, data_of(s, 521)), writes=[(0, regions)])
    written, = s.push(c, regions)
    s.put(*written, *s.reply(reported), *asked)
    regions = s.regions(301)
    call, asked = s.ask(c, nfs.write3(s.new_xid(), data_of(s, 301)), reads=[(0, regions, False)])
    (request, responses), = s.pull(c, regions)
    s.put(request, *responses, *s.reply(s.lay(call, nfs.write3_reply(s.xid, 301))), *asked)
    rpc = nfs.write3(s.new_xid(), data_of(s, 301))
    regions = s.regions(len(rpc.whole.data))
    call, asked = s.ask(c, rpc, zero=regions)
    (request, responses), = s.pull(c, regions)
    s.put(request, *responses, *asked)
    s.answer(call, nfs.write3_reply(s.xid, 301))
    c.anomalies = {"out_of_order": None}
    yield s


def shared_memory():
    s = Session("shared-memory", "segments over the same memory: two that overlap, two that are the same, one in another; READs of two segments that "
                "touch, of one twice; and a WRITE over two that touch")
    c = s.peers()
    for places in (((0, 600), (300, 700)), ((0, 500), (0, 500)), ((0, 900), (256, 200)), ((300, 700), (0, 600))):
        s.key += 0x101
        memory = data_of(s, 1000)
        regions = [Region(s.key, s.address + offset, length) for offset, length in places]
        s.address += 0x1000
        data = b"".join(memory[offset:offset + length] for offset, length in places)
        call = s.call(c, nfs.write3(s.new_xid(), data), reads=[(0, regions, False)])
        s.transfer(c, regions)
        s.answer(call, nfs.write3_reply(s.xid, len(data)))
    for moves in (((0, 1000),), ((0, 512), (0, 512), (512, 488)), ((0, 300), (300, 700))):
        s.key += 0x101
        regions = [Region(s.key, s.address, 512), Region(s.key, s.address + 512, 488)]
        s.address += 0x1000
        memory = data_of(s, 1000)
        call = s.call(c, nfs.write3(s.new_xid(), memory), reads=[(0, regions, False)])
        for offset, length in moves:
            request, responses = c.read("b", length, s.key, regions[0].address + offset, data=memory[offset:offset + length])
            for region, begin in zip(regions, (0, 512)):
                region.landed.append((offset - begin, request.message))
            s.put(request, *responses)
        s.answer(call, nfs.write3_reply(s.xid, 1000))
    regions = [Region(s.key + 0x101, s.address, 512), Region(s.key + 0x101, s.address + 512, 488)]
    memory = data_of(s, 1000)
    call = s.call(c, nfs.read3(s.new_xid(), 1000), writes=[regions])
    reported = s.lay(call, nfs.read3_reply(s.xid, memory), writes=[(0, regions)])
    packets = c.write("b", 0, regions[0].r_key, regions[0].address, data=memory)
    for region, begin in zip(regions, (0, 512)):
        region.landed.append((-begin, packets[0].message))
    s.put(*packets)
    s.speak(reported, s.reply(reported))
    yield s


def other_versions():
    s = Session("other-versions", "CM for NFS/RDMA: calls of RPC-over-RDMA versions 2, 3 and 255 and of undefined types, "
                "and their rejections")
    c = s.peers()
    for version, kind in ((2, rpcrdma.MSG), (3, rpcrdma.NOMSG), (255, rpcrdma.MSGP)):
        xid = s.new_xid()
        call, packets = s.speak_bare(c, "a", xid, rpcrdma.header(xid, kind, bytes(range(100)), version=version).data)
        s.put(*packets, c.ack(packets[-1]))
        packets = c.send("b", 0, data=rpcrdma.error_version(xid, 1, version - 1, version=version).data)
        s.failed(call, packets, "RDMA_ERROR ERR_VERS")
        s.put(*packets, c.ack(packets[-1]))
    xid = s.new_xid()
    for data in (rpcrdma.done(xid).data, rpcrdma.header(xid, 5, bytes(40)).data, rpcrdma.header(xid, 77, bytes(40)).data):
        packets = c.send("a", 0, data=data)
        s.put(*packets, c.ack(packets[-1]))
    read3(s, c, 61, 61)
    yield s


def captures():
    yield from late()
    yield from swapped()
    yield from again()
    yield from before_their_calls()
    yield from shared_memory()
    yield from other_versions()
