# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RPC messages of NFSv3 (RFC 1813), NFSv4 (RFC 7530) and its callback, complete, with the offsets of chunk-eligible data."""
import rpcrdma
from rpcrdma import opaque, words

PROGRAM, MOUNT, CALLBACK = 100003, 100005, 0x40000000
READLINK3, READ3, WRITE3, CREATE3, SYMLINK3, READDIR3 = 5, 6, 7, 8, 10, 16
ACCESS, CREATE, GETFH, PUTFH, READ, READDIR, READLINK, WRITE = 3, 6, 10, 22, 25, 26, 27, 38
CB_RECALL, CB_SEQUENCE = 4, 11
NAMES = {ACCESS: "ACCESS", CREATE: "CREATE", GETFH: "GETFH", PUTFH: "PUTFH", READ: "READ", READDIR: "READDIR",
         READLINK: "READLINK", WRITE: "WRITE"}
NAMES3 = {READLINK3: "READLINK", READ3: "READ", WRITE3: "WRITE", CREATE3: "CREATE", SYMLINK3: "SYMLINK", READDIR3: "READDIR"}
ERRORS3, ERRORS4 = {0: "NFS3_OK", 5: "NFS3ERR_IO"}, {0: "NFS4_OK", 5: "NFS4ERR_IO"}
HANDLE, STATEID, VERIFIER = bytes(range(0x40, 0x4c)), words(1, 2, 3, 4), b"verifier"
ABSENT = words(0)


class Xdr:
    """Bytes, and (offset, length) of the opaques in them that chunks may carry, without padding."""

    def __init__(self, data=b"", eligible=()):
        self.data, self.eligible = data, list(eligible)

    def __add__(self, other):
        other = other if isinstance(other, Xdr) else Xdr(other)
        return Xdr(self.data + other.data, self.eligible + [(len(self.data) + at, n) for at, n in other.eligible])

    def __radd__(self, other):
        return Xdr(other) + self


def item(data):
    """An opaque that is DDP-eligible (RFC 8267)."""
    return Xdr(opaque(data), [(4, len(data))])


class Rpc:
    """A call or a reply: the whole stream, and its expected fields."""

    def __init__(self, xid, program, version, procedure, head, body, operations, status=None):
        self.xid, self.whole = xid, head.data + body
        self.row = {"kind": "rpc_call" if status is None else "rpc_reply", "xid": xid, "program": program,
                    "version": version, "procedure": procedure, "operations": operations}
        if status is not None:
            self.row["status"] = status


def _call(xid, program, version, procedure, body, operations):
    return Rpc(xid, program, version, procedure, rpcrdma.call(xid, program, version, procedure), body,
               operations)


def _reply(xid, program, version, procedure, body, operations, status):
    return Rpc(xid, program, version, procedure, rpcrdma.accepted(xid), body, operations, status)


def u64(value):
    return value.to_bytes(8, "big")


# NFSv3

def call3(xid, procedure, body):
    return _call(xid, PROGRAM, 3, procedure, body + Xdr(), [{"name": NAMES3[procedure]}])


def reply3(xid, procedure, body, status=0):
    name = ERRORS3[status]
    return _reply(xid, PROGRAM, 3, procedure, words(status) + body + Xdr(), [{"name": NAMES3[procedure], "status": name}], name)


def read3(xid, count, offset=0):
    return call3(xid, READ3, opaque(HANDLE) + u64(offset) + words(count))


def read3_reply(xid, data):
    return reply3(xid, READ3, ABSENT + words(len(data), 1) + item(data))


def create3(xid, name):
    return call3(xid, CREATE3, opaque(HANDLE) + opaque(name) + words(0) + 6 * ABSENT)


def create3_reply(xid, handle):
    return reply3(xid, CREATE3, words(1) + opaque(handle) + 3 * ABSENT)


def write3(xid, data, offset=0, handle=HANDLE):
    return call3(xid, WRITE3, opaque(handle) + u64(offset) + words(len(data), 2) + item(data))


def write3_reply(xid, count):
    return reply3(xid, WRITE3, 2 * ABSENT + words(count, 2) + VERIFIER)


def readlink3(xid):
    return call3(xid, READLINK3, opaque(HANDLE))


def readlink3_reply(xid, path):
    return reply3(xid, READLINK3, ABSENT + item(path))


def symlink3(xid, name, path):
    return call3(xid, SYMLINK3, opaque(HANDLE) + opaque(name) + 6 * ABSENT + item(path))


def symlink3_reply(xid):
    return reply3(xid, SYMLINK3, 4 * ABSENT)


def readdir3(xid, count):
    return call3(xid, READDIR3, opaque(HANDLE) + u64(0) + bytes(8) + words(count))


def readdir3_reply(xid, names):
    entries = b"".join(words(1) + u64(i) + opaque(name) + u64(i) for i, name in enumerate(names, 1))
    return reply3(xid, READDIR3, ABSENT + VERIFIER + entries + words(0, 1))


# MOUNT version 3

def exports(xid):
    return _call(xid, MOUNT, 3, 5, Xdr(), [{"name": "EXPORT"}])


def exports_reply(xid, directories):
    """directories: (path, the groups that may mount it)"""
    body = b"".join(words(1) + opaque(path) + b"".join(words(1) + opaque(group) for group in groups) + words(0)
                    for path, groups in directories)
    return _reply(xid, MOUNT, 3, 5, Xdr(body + words(0)), [{"name": "EXPORT"}], "SUCCESS")


# NFSv4: (operation, its arguments or results)

def putfh():
    return PUTFH, opaque(HANDLE)


def read(count, offset=0):
    return READ, STATEID + u64(offset) + words(count)


def write(data, offset=0):
    return WRITE, STATEID + u64(offset) + words(2) + item(data)


def readlink():
    return READLINK, b""


def readdir(count):
    return READDIR, u64(0) + bytes(8) + words(count, count, 0)


def symlink(name, path):
    return CREATE, words(5) + item(path) + opaque(name) + words(0) + opaque(b"")


def compound(xid, *operations):
    body = opaque(b"t") + words(0, len(operations)) + Xdr()
    for number, arguments in operations:
        body = body + words(number) + arguments
    return _call(xid, PROGRAM, 4, 1, body, [{"name": NAMES[number]} for number, _ in operations])


def done(number, results=b""):
    """A successful operation."""
    return number, results


def read_done(data):
    return READ, words(1) + item(data)


def write_done(count):
    return WRITE, words(count, 2) + VERIFIER


def readlink_done(path):
    return READLINK, item(path)


def readdir_done(names):
    entries = b"".join(words(1) + u64(i) + opaque(name) + words(0) + opaque(b"") for i, name in enumerate(names, 1))
    return READDIR, VERIFIER + entries + words(0, 1)


def symlink_done():
    return CREATE, words(1) + u64(1) + u64(2) + words(0)


def compound_reply(xid, *results):
    body = words(0) + opaque(b"t") + words(len(results)) + Xdr()
    for number, result in results:
        body = body + words(number, 0) + result
    return _reply(xid, PROGRAM, 4, 1, body, [{"name": NAMES[number], "status": "NFS4_OK"} for number, _ in results], "NFS4_OK")


# NFSv4's callback: recall and its reply are of 4.0

def recall(xid):
    body = opaque(b"") + words(0, 1, 1, CB_RECALL) + STATEID + words(0) + opaque(HANDLE)
    return _call(xid, CALLBACK, 1, 1, Xdr(body), [{"name": "CB_RECALL"}])


def recall_reply(xid):
    body = words(0) + opaque(b"") + words(1, CB_RECALL, 0)
    return _reply(xid, CALLBACK, 1, 1, Xdr(body), [{"name": "CB_RECALL", "status": "NFS4_OK"}], "NFS4_OK")


def recall_41(xid):
    """RFC 8881, 20.9: CB_SEQUENCE comes first."""
    sequence = words(CB_SEQUENCE) + bytes(16) + words(1, 0, 0, 0, 0)
    body = opaque(b"") + words(1, 0, 2) + sequence + words(CB_RECALL) + STATEID + words(0) + opaque(HANDLE)
    return _call(xid, CALLBACK, 1, 1, Xdr(body), [{"name": "CB_SEQUENCE"}, {"name": "CB_RECALL"}])
