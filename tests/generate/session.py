# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RPC-over-RDMA sessions: the memory of both ends, its transfer, and the truth about it.

A Session is a Scene whose connections carry RPCs. Each message is a complete stream (nfs.py). Chunks move pieces of it into
regions of the caller's memory; READs and WRITEs, which the scene captures or not, transfer them between there and the other
end. The truth maps bytes of the stream to regions and to captured packets. It has rows only for RPC messages: their SENDs, READs
and WRITEs are compared in other tests.
"""
import nfs
import rpcrdma
from conversation import Scene, crc
from rpcrdma import MSG, NOMSG

SERVICE = 20049


class Region:
    """A segment: memory of the caller. landed: [(offset in it, READ or WRITE)]"""

    def __init__(self, r_key, address, length):
        self.r_key, self.address, self.length = r_key, address, length
        self.data, self.landed = b"", []

    def used(self, length):
        """The same memory with the length that was written."""
        return self.r_key, length, self.address

    def known(self):
        """Offsets whose bytes were captured."""
        there = set()
        for begin, message in self.landed:
            if ("request" if "request" in message.parts else 0) not in message.seen:
                continue  # no other packet has its address
            for part, (offset, data) in message.parts.items():
                if offset is not None and part in message.seen:
                    there.update(range(begin + offset, begin + offset + len(data)))
        return there


class Reported:
    """An RPC message, and the sources of its bytes: [(offset in the stream, region, offset in the region, length)]."""

    def __init__(self, rpc, connection, direction, **chunks):
        self.rpc, self.connection, self.places = rpc, connection, []
        self.row = {"direction": direction, **rpc.row, **chunks}
        self.send, self.partner, self.hidden, self.said = None, None, (), {}

    def expect(self, **changes):
        self.said.update(changes)
        return self

    def unknown(self, *keys):
        self.hidden += keys
        return self

    def doubtful(self):
        """A message that need not be reported, and must not be reported as complete."""
        self.hidden += ("missing", "crc32", "answer", "request", "length", "operations", "status") + (
            "program", "version", "procedure", "read_chunks", "write_chunks", "reply_chunk")
        return self.expect(optional=True, complete=False)

    def missing(self):
        lost = set()
        for at, region, offset, length in self.places:
            known = region.known()
            lost.update(at + i for i in range(length) if offset + i not in known)
        holes = []
        for at in sorted(lost):
            if holes and holes[-1]["offset"] + holes[-1]["length"] == at:
                holes[-1]["length"] += 1
            else:
                holes.append({"offset": at, "length": 1, "reason": "not_captured"})
        return holes

    def truth(self):
        stream, holes = self.rpc.whole.data, self.missing()
        row = {"first_frame": self.send.first, "length": len(stream),
               "complete": not holes, **self.row}
        if holes:
            row["missing"] = holes
        row["crc32"] = crc(stream)
        partner = self.partner.send.first if self.partner else None
        row["answer" if row["kind"] == "rpc_call" else "request"] = partner
        row.update(self.said)
        for key in self.hidden:
            row.pop(key, None)
        if row.get("complete") is False:
            row.pop("crc32", None)
        return row


def spread(reported, pieces, regions):
    """Places pieces (offset, length) of the stream into regions, in order. Returns the bytes in each region."""
    stream, used = reported.rpc.whole.data, [0] * len(regions)
    at = 0
    for offset, length in pieces:
        while length:
            while used[at] == regions[at].length:
                at += 1
            take = min(length, regions[at].length - used[at])
            reported.places.append((offset, regions[at], used[at], take))
            regions[at].data += stream[offset:offset + take]
            used[at] += take
            offset, length = offset + take, length - take
    return used


def kept(whole, taken):
    """Pieces of the stream that remain after the items numbered in `taken`, with their padding, go into chunks."""
    pieces, at = [], 0
    for number, (offset, length) in enumerate(whole.eligible):
        if number in taken:
            pieces.append((at, offset - at))
            at = offset + length + -length % 4
    return pieces + [(at, len(whole.data) - at)]


def cut(data, pieces):
    return b"".join(data[at:at + length] for at, length in pieces)


class Session(Scene):
    def __init__(self, name, how, options=None):
        super().__init__(name, how, options=options)
        self.name = "rpc_" + name
        self.truth = "`%s.messages.jsonl`, `%s.connections.jsonl`" % (self.name, self.name)
        self.reported, self.key, self.address, self.xid = [], 0x1000, 0x7f0000010000, 0x5e550000
        self.client, self.server = "a", "b"
        self.last_said = []

    def peers(self, cm=True):
        return self.connection(port=SERVICE).establish() if cm else self.connection()

    def new_xid(self):
        self.xid += 1
        return self.xid

    def regions(self, *lengths, one_key=False):
        """New memory. one_key: all of it under one R_Key."""
        made = []
        for number, length in enumerate(lengths):
            self.key += 0 if one_key and number else 0x101
            made.append(Region(self.key, self.address, length))
            self.address += (length + 0xfff) & ~0xfff
        return made

    def _speak(self, reported, name, kind, lists, inline, inv=None):
        packets = reported.connection.send(name, 0, data=rpcrdma.header(reported.rpc.xid, kind, lists).data + inline, inv=inv)
        reported.send = packets[0].message
        self.reported.append(reported)
        self.last_said = packets
        return packets

    def ask(self, c, rpc, reads=(), zero=None, writes=(), reply=None, name=None, lists=None):
        """
        The call's SEND. reads: (item, regions, whether they hold the padding, too); zero: regions for the rest of the
        stream; writes: lists of regions; reply: regions; lists: other chunk lists for the header. Returns (reported, packets).
        """
        name = name or self.client
        reported = Reported(rpc, c, c.direction(name), read_chunks=len(reads) + bool(zero), write_chunks=len(writes),
                    reply_chunk=reply is not None)
        segments = []
        rest = kept(rpc.whole, [number for number, _, _ in reads])
        if zero:
            spread(reported, rest, zero)
            segments += [(0, r.r_key, r.length, r.address) for r in zero]
        for number, regions, padded in reads:
            offset, length = rpc.whole.eligible[number]
            spread(reported, [(offset, length + (-length % 4 if padded else 0))], regions)
            segments += [(offset, r.r_key, r.length, r.address) for r in regions]
        if lists is None:
            lists = rpcrdma.lists(segments, [[r.used(r.length) for r in chunk] for chunk in writes],
                                  None if reply is None else [r.used(r.length) for r in reply])[0]
        reported.name = name
        return reported, self._speak(reported, name, NOMSG if zero else MSG, lists, b"" if zero else cut(rpc.whole.data, rest))

    def lay(self, call, rpc, writes=(), reply=None):
        """
        Places the reply's data into memory. writes: (item, regions) as in the call; item None: not used; regions None too:
        returned without segments. reply: regions.
        """
        c = call.connection
        name = "b" if call.row["direction"] == "a>b" else "a"
        reported = Reported(rpc, c, c.direction(name), read_chunks=0, write_chunks=len(writes), reply_chunk=reply is not None)
        reported.partner, call.partner, reported.name, reported.regions = call, reported, name, []
        chunks, back = [], None
        for number, regions in writes:
            used = spread(reported, [rpc.whole.eligible[number]] if number is not None else [], regions or [])
            chunks.append([r.used(n) for r, n in zip(regions or [], used)])
            reported.regions += regions or []
        rest = kept(rpc.whole, [number for number, _ in writes])
        if reply is not None:
            back = [r.used(n) for r, n in zip(reply, spread(reported, rest, reply))]
            reported.regions += reply
        reported.kind, reported.inline = (MSG, cut(rpc.whole.data, rest)) if reply is None else (NOMSG, b"")
        reported.chunks, reported.back = chunks, back
        return reported

    def reply(self, reported, inv=None, lists=None):
        """The reply's SEND."""
        lists = rpcrdma.lists((), reported.chunks, reported.back)[0] if lists is None else lists
        return self._speak(reported, reported.name, reported.kind, lists, reported.inline, inv)

    def answer(self, call, rpc, writes=(), reply=None, inv=None):
        """The complete reply, captured."""
        reported = self.lay(call, rpc, writes, reply)
        self.deliver(reported.connection, reported.regions, reported.name)
        return self.speak(reported, self.reply(reported, inv))

    def speak_bare(self, c, name, xid, data):
        """A call's SEND of which only the XID is reported. Returns (reported, packets)."""
        rpc = nfs.Rpc(xid, None, None, None, nfs.Xdr(), nfs.Xdr(), [])
        reported = Reported(rpc, c, c.direction(name), read_chunks=0, write_chunks=0, reply_chunk=False)
        packets = c.send(name, 0, data=data)
        reported.send = packets[0].message
        self.reported.append(reported.unknown("program", "version", "procedure", "length", "complete", "crc32"))
        return reported, packets

    def failed(self, call, packets, status):
        """RDMA_ERROR as the response to a call; it contains no RPC message."""
        rpc = nfs.Rpc(call.rpc.xid, None, None, None, nfs.Xdr(), nfs.Xdr(), [], status)
        reported = Reported(rpc, call.connection, call.connection.direction(packets[0].sender), read_chunks=0, write_chunks=0,
                    reply_chunk=False)
        reported.partner, call.partner, reported.send = call, reported, packets[0].message
        self.reported.append(reported.unknown("program", "version", "procedure", "length", "complete", "crc32"))

    # Data transfer

    def pull(self, c, regions, name=None):
        """READs of the regions: [(request, responses)]."""
        made = []
        for region in regions:
            request, responses = c.read(name or self.server, region.length, region.r_key, region.address, data=region.data)
            region.landed.append((0, request.message))
            made.append((request, responses))
        return made

    def push(self, c, regions, name=None):
        """WRITEs of the data placed in the regions: [packets]."""
        made = []
        for region in regions:
            if region.data:
                packets = c.write(name or self.server, 0, region.r_key, region.address, data=region.data)
                region.landed.append((0, packets[0].message))
                made.append(packets)
        return made

    def transfer(self, c, regions, name=None):
        """All of it, captured."""
        for request, responses in self.pull(c, regions, name):
            self.put(request, *responses)

    def deliver(self, c, regions, name=None):
        for packets in self.push(c, regions, name):
            self.put(*packets, c.ack(packets[-1]))

    def call(self, c, rpc, **chunks):
        """The call's SEND, captured."""
        return self.speak(*self.ask(c, rpc, **chunks))

    def speak(self, reported, packets):
        """Puts a SEND; replies and the very first SEND are acknowledged, so that the two directions are recognised as one connection."""
        self.put(*packets, *([reported.connection.ack(packets[-1])] if reported.partner or len(self.reported) == 1 else []))
        return reported

    def lose(self, packets, *gone):
        """The captured packets."""
        c = packets[0].connection
        if c.anomalies.get("lost", 0) is not None:
            c.anomalies["lost"] = c.anomalies.get("lost", 0) + len(gone)
        return [p for i, p in enumerate(packets) if i not in gone]

    def rows(self):
        _, connections = super().rows()
        rows = [t.truth() for t in self.reported if t.send.first]
        return sorted(rows, key=lambda row: row["first_frame"]), connections
