# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The messages of communication management that establish and end connections, with consistent values."""
import cm
from ib import Piece, transport
from piece import address

REQ, MRA, REJ, REP, RTU, DREQ, DREP, SIDR_REQ, SIDR_REP, LAP, APR = range(0x10, 0x1b)
RC, UC, RD, OTHER = range(4)
TCP, UDP = 6, 17
MTU_256, TIMEOUT, CONSUMER_REJECT = 1, 20, 28


def gid(text):
    """GID of an IP address as a number (A17.4.2: ::ffff:a.b.c.d for IPv4)."""
    packed = address(text)
    return int.from_bytes(packed if len(packed) == 16 else bytes(10) + b"\xff\xff" + packed, "big")


def reported(attribute, private=b"", **values):
    """A message all of whose other fields are 0."""
    fields = {name.strip(".").replace(".", "_") or "id": 0 for name, _ in cm.MESSAGES[attribute][1]}
    return cm.message(attribute, Piece(private.ljust(cm.room(attribute), b"\0")), **{**fields, **values})


def packet(attribute, transaction, message):
    """The MAD as a datagram between the two QP 1."""
    whole = cm.mad(attribute, message, transaction=transaction)
    return transport(0x64, payload=whole.data, destqp=1, srcqp=1, q_key=0x80010000, psn=0)


def ip_header(source, destination):
    """The IP CM header before the consumer's private data in a REQ and a SIDR_REQ."""
    return cm.ip_cm(Piece(b""), source, destination, 40000).data


def req(local_id, qpn, psn, port, local, remote, service=RC, extended=0, private=b""):
    """psn: the Starting PSN of the other side (12.7.31). local, remote: addresses."""
    return reported(REQ, ip_header(local, remote) + private, id=local_id, serviceid=cm.ip_service(TCP, port), localqpn=qpn, startpsn=psn,
                responderres=16, initdepth=16, transpsvctype=service, ext_transport=extended, pkey=0xffff, pppmtu=MTU_256,
                remoteresptout=TIMEOUT, localresptout=TIMEOUT, retrcount=7, rnrretrcount=7, maxcmretr=15, e2eflowctrl=1,
                prim_locallid=0xffff, prim_remotelid=0xffff, prim_localgid=gid(local), prim_remotegid=gid(remote),
                prim_hoplim=64, prim_localacktout=TIMEOUT)


def rep(local_id, remote_id, qpn, psn, xrc=False, private=b""):
    """For XRC the QPN is in the EE context field, and SRQ is set."""
    where = {"localeecn": qpn, "srq": 1} if xrc else {"localqpn": qpn}
    return reported(REP, private, id=local_id, remotecommid=remote_id, startpsn=psn, respres=16, initdepth=16, tgtackdelay=15,
                e2eflowctrl=1, rnrretrcount=7, **where)


def between(attribute, local_id, remote_id, **values):
    """MRA, REJ, RTU, DREQ, DREP, LAP, APR."""
    return reported(attribute, localcommid=local_id, remotecommid=remote_id, **values)


def sidr_req(request_id, port, local, remote):
    return reported(SIDR_REQ, ip_header(local, remote), requestid=request_id, pkey=0xffff, serviceid=cm.ip_service(UDP, port))


def sidr_rep(request_id, qpn, port, q_key):
    return reported(SIDR_REP, requestid=request_id, qpn=qpn, serviceid=cm.ip_service(UDP, port), qkey=q_key)
