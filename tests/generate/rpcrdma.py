# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RPC-over-RDMA version 1 (RFC 8166, RFC 5666 for MSGP and DONE) and ONC RPC version 2 (RFC 5531) headers."""
import functools
import struct

from piece import Piece

MSG, NOMSG, MSGP, DONE, ERROR = range(5)
ERR_VERS, ERR_CHUNK = 1, 2
NONE, SYS, SHORT, GSS = 0, 1, 2, 6


@functools.lru_cache(maxsize=None)
def packer(count):
    return struct.Struct(">%dI" % count).pack


def words(*values):
    return packer(len(values))(*values)


def opaque(data):
    return words(len(data)) + data + bytes(-len(data) % 4)


# RPC-over-RDMA

def segment(handle, length, offset):
    return (words(handle, length) + offset.to_bytes(8, "big"),
            [("rpcordma.rdma_handle", handle), ("rpcordma.rdma_length", length), ("rpcordma.rdma_offset", offset)])


def chunk(segments):
    parts, facts = [words(len(segments))], [("rpcordma.segment_count", len(segments))]
    for each in segments:
        more, said = segment(*each)
        parts.append(more)
        facts += said
    return b"".join(parts), facts


def lists(reads=(), writes=(), reply=None):
    """reads: (position, handle, length, offset); writes: lists of (handle, length, offset); reply: such a list or None."""
    parts, facts = [], [("rpcordma.reads_count", len(reads))]
    for position, *rest in reads:
        more, said = segment(*rest)
        parts += words(1, position), more
        facts.append(("rpcordma.position", position))
        facts += said
    parts.append(words(0))
    facts.append(("rpcordma.writes_count", len(writes)))
    for each in writes:
        more, said = chunk(each)
        parts += words(1), more
        facts += said
    parts.append(words(0))
    facts.append(("rpcordma.reply_count", int(reply is not None)))
    if reply is None:
        parts.append(words(0))
    else:
        more, said = chunk(reply)
        parts += words(1), more
        facts += said
    return b"".join(parts), facts


def header(xid, kind, body=b"", facts=(), credits=128, version=1):
    said = [("rpcordma.xid", xid), ("rpcordma.version", version), ("rpcordma.flow_control", credits),
            ("rpcordma.msg_type", kind)]
    return Piece(words(xid, version, credits, kind) + body, said + list(facts))


def message(rpc, xid=None, credits=128, version=1, msgp=None, **chunks):
    """RDMA_MSG with an RPC message (a Piece that knows its XID), or RDMA_MSGP with (align, thresh)."""
    data, facts = lists(**chunks)
    xid = dict(rpc.facts)["rpc.xid"] if xid is None else xid
    if msgp:
        data = words(*msgp) + data
        facts = [("rpcordma.rdma_align", msgp[0]), ("rpcordma.rdma_thresh", msgp[1])] + facts
    head = header(xid, MSGP if msgp else MSG, data, facts, credits, version)
    # With read chunks the RPC message is complete, and reported, only after the last READ response.
    return Piece(head.data + rpc.data, head.facts + ([] if chunks.get("reads") else rpc.facts))


def no_message(xid, credits=128, **chunks):
    data, facts = lists(**chunks)
    return header(xid, NOMSG, data, facts, credits)


def done(xid, credits=128):
    return header(xid, DONE, credits=credits)


def error_version(xid, low, high, credits=128, version=1):
    facts = [("rpcordma.errcode", ERR_VERS), ("rpcordma.vers_low", low), ("rpcordma.vers_high", high)]
    return header(xid, ERROR, words(ERR_VERS, low, high), facts, credits, version)


def error_chunk(xid, credits=128):
    return header(xid, ERROR, words(ERR_CHUNK), [("rpcordma.errcode", ERR_CHUNK)], credits)


# ONC RPC

def auth(flavor, body=b"", facts=()):
    return words(flavor) + opaque(body), [("rpc.auth.flavor", flavor)] + list(facts)


NO_AUTH = auth(NONE)


def auth_sys(machine="client.example", uid=1000, gid=100, gids=(4, 27), stamp=0x5ca1ab1e):
    body = words(stamp) + opaque(machine.encode()) + words(uid, gid, len(gids), *gids)
    facts = [("rpc.auth.machinename", machine), ("rpc.auth.uid", uid), ("rpc.auth.gid", gid)]
    return auth(SYS, body, facts + [("rpc.auth.gid", g) for g in gids])


def auth_gss(procedure=0, sequence=5, service=1, context=b"\x01\x02\x03\x04"):
    return auth(GSS, words(1, procedure, sequence, service) + opaque(context))


def call(xid, program, version, procedure, cred=None, verf=None, arguments=b""):
    cred, cred_facts = cred or NO_AUTH
    verf, verf_facts = verf or NO_AUTH
    facts = [("rpc.xid", xid), ("rpc.msgtyp", 0), ("rpc.version", 2), ("rpc.program", program),
             ("rpc.programversion", version), ("rpc.procedure", procedure)]
    return Piece(words(xid, 0, 2, program, version, procedure) + cred + verf + arguments, facts + cred_facts + verf_facts)


def accepted(xid, status=0, results=b"", verf=None):
    """results: of the procedure, or low and high version for PROG_MISMATCH (2)."""
    verf, verf_facts = verf or NO_AUTH
    facts = [("rpc.xid", xid), ("rpc.msgtyp", 1), ("rpc.replystat", 0)] + verf_facts + [("rpc.state_accept", status)]
    return Piece(words(xid, 1, 0) + verf + words(status) + results, facts)


def denied(xid, status, *detail):
    """status 0: RPC_MISMATCH with low and high; 1: AUTH_ERROR with auth_stat."""
    facts = [("rpc.xid", xid), ("rpc.msgtyp", 1), ("rpc.replystat", 1), ("rpc.state_reject", status)]
    return Piece(words(xid, 1, 1, status, *detail), facts)
