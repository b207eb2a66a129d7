# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares the output of perftest, rping, ucmatose, udaddy and cmtime about their traffic with rdmatap's messages. Each function returns
a list of differences."""
import collections
import os
import re
import zlib

import program
import wire

QPN = re.compile(r"(local|remote) address: .*QPN 0x([0-9a-f]+) PSN 0x([0-9a-f]+)")
RESULT = re.compile(r"^ (\d+) +(\d+) +[\d.]+ +[\d.]+")
TITLE = re.compile(r"(Send|RDMA_Write|RDMA_Read|Atomic)\b.*Test")
KIND = {"Send": "send", "RDMA_Write": "write", "RDMA_Read": "read", "Atomic": "atomic"}
WAY = {"a>b": "a", "b>a": "b"}


def lines(path):
    """The client's output; empty if unknown."""
    record = program.stem(path) + ".client.txt"
    if not os.path.exists(record):
        return []
    with open(record) as f:
        return f.read().splitlines()


class Test:
    """One run of perftest. local, remote: {QPN: PSN}"""

    def __init__(self, title):
        self.title, self.kind = title, KIND[TITLE.search(title).group(1)]
        self.local, self.remote, self.size, self.count = {}, {}, None, None
        self.service = self.mtu = self.managed = None

    def both_ways(self):
        return "Bidirectional" in self.title or "Latency" in self.title and self.kind in ("send", "write")


def tests(path):
    found, test = [], None
    for line in lines(path):
        if TITLE.search(line):
            test = Test(line)
        elif test and "Connection type" in line:
            test.service = line.split(":")[1].split()[0]
        elif test and "Mtu" in line:
            test.mtu = int(line.split(":")[1].split("[")[0])
        elif test and "rdma_cm QPs" in line:
            test.managed = line.split(":")[1].split()[0] == "ON"
        elif test and QPN.search(line):
            side, qpn, psn = QPN.search(line).groups()
            (test.local if side == "local" else test.remote)[int(qpn, 16)] = int(psn, 16)
        elif test and RESULT.match(line):
            test.size, test.count = map(int, RESULT.match(line).groups())
            found.append(test)
            test = None
    return found


def sender(message, pairs):
    """(QPN of the requester, of the other side), as far as known."""
    connection = pairs.get(message.get("connection"), {})
    here = WAY.get(message.get("direction"), "a")
    there = "b" if here == "a" else "a"
    return (connection.get(here) or {}).get("qpn"), (connection.get(there) or {}).get("qpn")


def answered(message, test, here, responses):
    """Whether all responses to a READ are in the capture."""
    count = max(1, -(-test.size // test.mtu))
    return any(all((qpn, (message["psn"] + i) & 0xffffff) in responses for i in range(count)) for qpn in here)


def is_iwarp(path):
    found = program.connections(path)
    return bool(found) and all(c["transport"] == "iwarp" for c in found)


def perftest_over_iwarp(path):
    """perftest's control messages have their own connection, with parameters of 56 bytes."""
    wanted, found = collections.Counter(), collections.Counter()
    for test in tests(path):
        wanted[test.kind, test.size] += test.count * (2 if test.both_ways() else 1)
    wrong, messages = [], program.messages(path)
    own = {m["connection"] for m in messages if (m["kind"], m["length"]) == ("send", 56)}
    for m in messages:
        if (m["kind"], m["length"]) in wanted and m["connection"] not in own:
            found[m["kind"], m["length"]] += 1
            if not m["complete"] or m["kind"] == "read" and m.get("status") != "good":
                wrong.append("message %d: complete %s, status %r" % (m["message"], m["complete"], m.get("status")))
    return wrong + ["%s of %d bytes: %d messages instead of %d" % (*key, found[key], count)
                    for key, count in wanted.items() if found[key] != count]


def perftest(path):
    if is_iwarp(path):
        return perftest_over_iwarp(path)
    responses = {(p.destqp, p.psn) for p in wire.packets(path) if wire.is_response(p)}
    wrong, pairs = [], {c["connection"]: c for c in program.connections(path)}
    messages = [m for m in program.messages(path) if m["kind"] != "mad"]
    for test in tests(path):
        kind = "ud" if test.service == "UD" else test.kind
        ways = [("client", test.remote, test.local)] + ([("server", test.local, test.remote)] if test.both_ways() else [])
        for name, there, here in ways:
            mine = [m for m in messages if m["kind"] == kind and m.get("length") == test.size and sender(m, pairs)[1] in there
                    and sender(m, pairs)[0] in (None, *here)]
            what = "%s, %d bytes, from the %s" % (test.title.strip(), test.size, name)
            if len(mine) != test.count:
                wrong.append("%s: %d messages instead of %d" % (what, len(mine), test.count))
            for m in mine:
                good = m["complete"] and (test.service != "RC" or m.get("status") == "good")
                if not good and (kind != "read" or answered(m, test, here, responses)):
                    wrong.append("%s: message %d: complete %s, status %r"
                                 % (what, m["message"], m["complete"], m.get("status")))
            for qpn, psn in {} if test.managed else here.items():  # rdma_cm chooses other PSNs
                first = [m for m in mine if sender(m, pairs)[0] == qpn]
                if first and len(mine) == test.count and min((m["psn"] - psn) & 0xffffff for m in first) != 0:
                    wrong.append("%s: QP %#x began with PSN %#x, not %#x" % (what, qpn, first[0]["psn"], psn))
    return wrong


def rping(path):
    """Each ping: the server READs the client's bytes and WRITEs them back; the client prints them."""
    if any("REJECTED" in line for line in lines(path)):
        return rejected(path)
    # the empty WRITE at the beginning of iWARP's peer-to-peer setup is not rping's (RFC 6581, section 4.1)
    messages, wrong = [m for m in program.messages(path) if (m["kind"], m["length"]) != ("write", 0)], []
    reads, writes = ([m for m in messages if m["kind"] == kind] for kind in ("read", "write"))
    pings = [line.split("ping data: ", 1)[1].encode() + b"\0" for line in lines(path) if "ping data: " in line]
    if len(reads) != len(writes) or pings and len(reads) != len(pings):
        wrong.append("%d READs and %d WRITEs for %s pings" % (len(reads), len(writes), len(pings) or "unknown"))
    for i, (read, write) in enumerate(zip(reads, writes)):
        want = ("%08x" % zlib.crc32(pings[i]), len(pings[i])) if pings else (read.get("crc32"), read["length"])
        for m in (read, write):
            if m["complete"] and (m.get("crc32"), m["length"]) != want:
                wrong.append("ping %d: %s is %s of %d bytes, not %s of %d"
                             % (i, m["kind"], m.get("crc32"), m["length"], *want))
            if not m["complete"] and pings:
                wrong.append("ping %d: %s is not complete" % (i, m["kind"]))
            if m["direction"] != "b>a":
                wrong.append("ping %d: direction of the server's %s is %s" % (i, m["kind"], m["direction"]))
    sends = collections.Counter(m["direction"] for m in messages if m["kind"] == "send")
    if pings and sends["a>b"] != sends["b>a"]:
        wrong.append("SENDs of either side: %s" % dict(sends))
    return wrong + lives(path, ["rdma_connect", "rdma_accept", "established"])


def lives(path, wanted):
    wrong = []
    for c in program.connections(path):
        events = [e["event"] for e in c.get("life", []) if e.get("event") in
                  ("rdma_connect", "rdma_accept", "rdma_reject", "established")]
        by_mpa = c["transport"] == "iwarp"  # its setup has no third message
        if events != [e for e in wanted if e != "established" or not by_mpa] or c.get("learned") != ("mpa" if by_mpa else "cm"):
            wrong.append("connection %s: learned %s, life %s, not %s" % (c["connection"], c.get("learned"), events, wanted))
    return wrong


def rejected(path):
    found = program.connections(path)
    return lives(path, ["rdma_connect", "rdma_reject"]) + ([] if len(found) == 1 else ["%d connections" % len(found)])


def ucmatose(path):
    """Every connection has the same number of SENDs of one size in each direction, all acknowledged; the programs exited with status 0."""
    wrong = lives(path, ["rdma_connect", "rdma_accept", "established"])
    ways, lengths = collections.Counter(), set()
    for m in program.messages(path):
        if m["kind"] == "mad":
            continue
        ways[m["connection"], m["direction"]] += 1
        lengths.add(m["length"])
        status = "good" if m.get("psn") is not None else None  # an iWARP Send has no response
        if (m["kind"], m.get("status"), m["complete"], len(lengths)) != ("send", status, True, 1):
            wrong.append("message %d is %s of %s bytes, status %s" % (m["message"], m["kind"], m["length"], m.get("status")))
    for c in program.connections(path):
        if ways[c["connection"], "a>b"] != ways[c["connection"], "b>a"]:
            wrong.append("connection %d: %d SENDs one way, %d the other"
                         % (c["connection"], ways[c["connection"], "a>b"], ways[c["connection"], "b>a"]))
    return wrong


def udaddy(path):
    """Every datagram has its sender's QPN as immediate data; the same number in each direction."""
    wrong, ways = [], collections.Counter()
    pairs = {c["connection"]: c for c in program.connections(path)}
    for c in pairs.values():
        if (c["transport"], c.get("learned")) != ("UD", "cm"):
            wrong.append("connection %d: %s, learned %s" % (c["connection"], c["transport"], c.get("learned")))
    for m in program.messages(path):
        if m["kind"] == "mad":
            continue
        ways[m["connection"], m["direction"]] += 1
        if m["kind"] != "ud" or not m["complete"] or m.get("immediate") is None or m["immediate"] != sender(m, pairs)[0]:
            wrong.append("message %d: %s, immediate %s from QP %s"
                         % (m["message"], m["kind"], m.get("immediate"), sender(m, pairs)[0]))
    for c in pairs:
        if not ways[c, "a>b"] or ways[c, "a>b"] != ways[c, "b>a"]:
            wrong.append("connection %d: %d datagrams one way, %d the other" % (c, ways[c, "a>b"], ways[c, "b>a"]))
    return wrong


def cmtime(path):
    wrong, found = lives(path, ["rdma_connect", "rdma_accept", "established"]), program.connections(path)
    if len(found) != 10 or any(c["messages"] for c in found):
        wrong.append("%d connections instead of 10, %d messages instead of none"
                     % (len(found), sum(c["messages"] for c in found)))
    return wrong


MODES = {"perf": perftest, "rping": rping, "ucmatose": ucmatose, "udaddy": udaddy, "cmtime": cmtime}
