# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Paths of files in the lines of NFS calls, compared with a model of a server, and with the records of a traffic generator."""
import json
import os
import random
import re
import unittest
import zlib

import capfile
import rpcrdma
from cli import CliTest, TESTDATA
from conversation import Scene
from net import ethernet, ipv4, udp
from piece import Piece
from rpcrdma import opaque, words

CLIENT, SERVER = "10.0.0.2", "10.0.0.1"
NFS, READ_OR_WRITE = 100003, ("READ", "WRITE")
CALL = re.compile(r" *\d+ .*?: NFS v(3|4\.\d) (.*)")
PROCEDURES = {"GETATTR": 1, "LOOKUP": 3, "READ": 6, "WRITE": 7, "CREATE": 8, "MKDIR": 9, "REMOVE": 12, "RMDIR": 13, "RENAME": 14,
              "LINK": 15, "READDIR": 17, "FSINFO": 19}
NOENT = 2
LONG = 100 # paths that may be shortened


def u64(number):
    return number.to_bytes(8, "big")


class Server:
    """Files by the number in their handle. Numbers are used again, after the file is gone, with the same handle."""

    def __init__(self, chance):
        self.chance, self.entries, self.free, self.last, self.reuses = chance, {1: {}}, [], 1, True
        self.links = {1: set()}

    def handle(self, number):
        # of several lengths
        return b"file handle " + number.to_bytes(4, "big") * 4 + bytes(number % 4)

    def make(self, is_directory):
        if self.reuses and self.free and self.chance.random() < 0.7:
            number = self.free.pop()
        else:
            self.last += 1
            number = self.last
        self.links[number] = set()
        if is_directory:
            self.entries[number] = {}
        return number

    def enter(self, directory, name, number):
        self.leave(directory, name)
        self.entries[directory][name] = number
        self.links[number].add((directory, name))

    def leave(self, directory, name):
        number = self.entries[directory].pop(name, None)
        if number is None:
            return
        self.links[number].discard((directory, name))
        if not self.links[number]:
            self.entries.pop(number, None)
            self.free.append(number)

    def above(self, directory):
        """The directory that this one is in, or the root."""
        return next((above for above, _ in self.links[directory]), 1)

    def paths(self, number):
        """All paths of a file."""
        if number == 1:
            return {""}
        return {"%s/%s" % (above, name) for directory, name in self.links[number] for above in self.paths(directory)}

    def is_below(self, number, top):
        return number == top or any(self.is_below(directory, top) for directory, _ in self.links[number])


def attributes4(handle):
    """fattr4 with the handle only."""
    return words(1, 1 << 19) + opaque(opaque(handle))


class V3:
    """Arguments and results. RFC 1813."""
    text, version = "3", 3

    def __init__(self, server):
        self.handle = server.handle

    def operation(self, name, **of):
        return name

    def call(self, name, directory=None, entry=b"", number=None, to=None, to_entry=b""):
        handle = opaque(self.handle(directory or number))
        body = {"READ": u64(0) + words(10), "WRITE": u64(0) + words(4, 2) + opaque(b"data"), "CREATE": opaque(entry) + words(0, 0, 0, 0, 0, 0, 0),
                "MKDIR": opaque(entry) + words(0, 0, 0, 0, 0, 0), "READDIR": u64(0) * 2 + words(4096, 4096)}.get(name, b"")
        if name in ("LOOKUP", "REMOVE", "RMDIR"):
            body = opaque(entry)
        if name == "RENAME":
            body = opaque(entry) + opaque(self.handle(to)) + opaque(to_entry)
        if name == "LINK":
            return PROCEDURES[name], opaque(self.handle(number)) + opaque(self.handle(directory)) + opaque(entry)
        return PROCEDURES[name], handle + body

    def reply(self, name, status=0, made=None, entries=()):
        if status:
            return words(status) + words(0) * {"LOOKUP": 1, "RENAME": 4, "LINK": 3}.get(name, 2)
        if name == "READDIR":
            listed = b"".join(words(1) + u64(number) + opaque(entry) + u64(number) + words(0, 1) + opaque(self.handle(number)) for entry, number in entries)
            return words(0, 0) + u64(0) + listed + words(0, 1)
        results = {"GETATTR": bytes(84), "LOOKUP": words(0, 0), "READ": words(0, 0, 1, 0), "WRITE": words(0, 0, 4, 2) + bytes(8), "CREATE": words(0, 0, 0),
                   "MKDIR": words(0, 0, 0), "REMOVE": words(0, 0), "RMDIR": words(0, 0), "RENAME": words(0) * 4, "LINK": words(0) * 3,
                   "FSINFO": words(0) + bytes(48)}[name]
        found = b""
        if made:
            found = (words(1) if name != "LOOKUP" else b"") + opaque(self.handle(made))
        return words(0) + found + results

    def root(self):
        """How the client gets the root."""
        return [("FSINFO", self.call("FSINFO", number=1), self.reply("FSINFO"))]


class V4:
    """RFC 7530; minor version 1: RFC 8881."""
    version = 4

    def __init__(self, server, minor):
        self.handle, self.minor, self.text = server.handle, minor, "4.%d" % minor

    def operation(self, name, **of):
        return {"MKDIR": "CREATE", "RMDIR": "REMOVE", "CREATE": "OPEN"}.get(name, name)

    def compound(self, *operations):
        first = [words(53) + bytes(16) + words(1, 0, 0, 0)] if self.minor else []
        return 1, words(0, self.minor, len(first) + len(operations)) + b"".join(first + list(operations))

    def put(self, number):
        return words(22) + opaque(self.handle(number))

    def call(self, name, directory=None, entry=b"", number=None, to=None, to_entry=b""):
        put = self.put(directory or number)
        if name == "RENAME":
            return self.compound(put, words(32), self.put(to), words(29) + opaque(entry) + opaque(to_entry))
        if name == "LINK":
            return self.compound(self.put(number), words(32), self.put(directory), words(11) + opaque(entry), words(31, 9, 0))
        own = {"READ": words(25) + bytes(16) + u64(0) + words(10), "WRITE": words(38) + bytes(16) + u64(0) + words(2) + opaque(b"data"),
               "GETATTR": words(9, 0), "LOOKUP": words(15) + opaque(entry), "REMOVE": words(28) + opaque(entry), "RMDIR": words(28) + opaque(entry),
               "CREATE": words(18, 0, 1, 0) + u64(5) + opaque(b"owner") + words(1, 0, 0, 0, 0) + opaque(entry),
               "MKDIR": words(6, 2) + opaque(entry) + words(0, 0), "READDIR": words(26) + u64(0) * 2 + words(4096, 4096, 1, 1 << 19)}[name]
        after = [words(10), words(9, 0)] if name in ("LOOKUP", "CREATE", "MKDIR") else []
        # some clients ask about the directory first; the mask of ACCESS is also the number of READ
        before = {"LOOKUP": [words(3, 25), words(9, 0)], "REMOVE": [words(3, 25)]}.get(name, [])
        return self.compound(put, *before, own, *after)

    def results(self, status, *operations):
        first = [words(53, 0) + bytes(16) + words(1, 0, 0, 0, 0)] if self.minor else []
        return words(status, 0, len(first) + len(operations)) + b"".join(first + list(operations))

    def reply(self, name, status=0, made=None, entries=()):
        change = words(1) + u64(1) + u64(2)
        put = words(22, 0)
        number = {"READ": 25, "WRITE": 38, "GETATTR": 9, "LOOKUP": 15, "REMOVE": 28, "RMDIR": 28, "CREATE": 18, "MKDIR": 6, "READDIR": 26, "RENAME": 29,
                  "LINK": 11}[name]
        before = {"RENAME": [put, words(32, 0), put], "LINK": [put, words(32, 0), put], "LOOKUP": [put, words(3, 0, 25, 25), words(9, 0, 0, 0)],
                  "REMOVE": [put, words(3, 0, 25, 25)]}.get(name, [put])
        if status:
            return self.results(status, *before, words(number, status))
        if name == "READDIR":
            own = u64(0) + b"".join(words(1) + u64(one) + opaque(entry) + attributes4(self.handle(one)) for entry, one in entries) + words(0, 1)
        else:
            own = {"READ": words(1, 0), "WRITE": words(4, 2) + u64(0), "GETATTR": words(0, 0), "LOOKUP": b"", "REMOVE": change, "RMDIR": change,
                   "CREATE": bytes(16) + change + words(0, 0, 0), "MKDIR": change + words(0), "RENAME": change * 2, "LINK": change}[name]
        after = [words(10, 0) + opaque(self.handle(made)), words(9, 0, 0, 0)] if made else []
        return self.results(0, *before, words(number, 0) + own, *after)

    def root(self):
        return [("LOOKUP", self.compound(words(24), words(10)), self.results(0, words(24, 0), words(10, 0) + opaque(self.handle(1))))]


class Traffic:
    """Calls and replies of a client, with what each call's line may show: [(operation, [sets of paths, and the number of the file])]."""

    def __init__(self, version, seed, steps):
        self.chance = random.Random(seed)
        self.server = Server(self.chance)
        self.version = V3(self.server) if version == "3" else V4(self.server, int(version[2:]))
        self.messages, self.shown, self.known = [], [], {1}
        for _, call, reply in self.version.root():
            self.messages.append((call, reply))
            self.shown.append(None)
        for _ in range(steps):
            self.step()

    def exchange(self, name, places, status=0, made=None, entries=(), **arguments):
        self.shown.append((self.version.operation(name), [(self.server.paths(number), number, entry) for number, entry in places]))
        self.messages.append((self.version.call(name, **arguments), self.version.reply(name, status, made, entries)))

    def some(self, numbers):
        return self.chance.choice(sorted(numbers))

    def name(self):
        return self.chance.choice(["a", "b", "file.dat", "Makefile", "data-%03d" % self.chance.randrange(20), "long" * 15])

    def step(self):
        server, chance = self.server, self.chance
        directory = self.some(server.entries)
        self.known.add(directory)
        entry = self.name()
        there = server.entries[directory].get(entry)
        files = [number for number, links in server.links.items() if links and number not in server.entries]
        what = chance.choice(["data"] * 6 + ["make"] * 4 + ["lookup"] * 2 + ["remove", "rename", "rename", "link", "list", "fail", "dots"])
        if what == "data" and files:
            number = self.some(files)
            self.exchange(chance.choice(READ_OR_WRITE + ("GETATTR",)), [(number, None)], number=number)
        elif what == "make" and there is None:
            is_directory = chance.random() < 0.3
            # a client knows the directory before the call
            places, arguments = [(directory, entry)], dict(directory=directory, entry=entry.encode())
            made = server.make(is_directory)
            self.exchange("MKDIR" if is_directory else "CREATE", places, made=made, **arguments)
            server.enter(directory, entry, made)
        elif what == "lookup" and there is not None:
            self.exchange("LOOKUP", [(directory, entry)], made=there, directory=directory, entry=entry.encode())
        elif what == "remove" and there is not None and not server.entries.get(there):
            self.exchange("RMDIR" if there in server.entries else "REMOVE", [(directory, entry)], directory=directory, entry=entry.encode())
            server.leave(directory, entry)
        elif what == "rename" and there is not None:
            to, to_entry = self.some(server.entries), self.name()
            target = server.entries[to].get(to_entry)
            if server.is_below(to, there) or target == there or target in server.entries or (target is not None and there in server.entries):
                return
            self.exchange("RENAME", [(directory, entry), (to, to_entry)], directory=directory, entry=entry.encode(), to=to, to_entry=to_entry.encode())
            server.leave(to, to_entry)
            server.entries[directory].pop(entry)
            server.links[there].discard((directory, entry))
            server.entries[to][to_entry] = there
            server.links[there].add((to, to_entry))
        elif what == "link" and files and there is None:
            number = self.some(files)
            self.exchange("LINK", [(number, None), (directory, entry)], directory=directory, entry=entry.encode(), number=number)
            server.enter(directory, entry, number)
        elif what == "list":
            dots = [(b".", directory), (b"..", server.above(directory))] if self.version.version == 3 else []
            entries = [(one.encode(), number) for one, number in sorted(server.entries[directory].items())]
            self.exchange("READDIR", [(directory, None)], directory=directory, entries=dots + entries)
        elif what == "dots" and self.version.version == 3:
            # RFC 1813, 3.3.3; NFSv4 has LOOKUPP
            name = chance.choice([".", ".."])
            self.exchange("LOOKUP", [(directory, name)], made=server.above(directory) if name == ".." else directory, directory=directory, entry=name.encode())
        elif what == "fail":
            name = chance.choice(["REMOVE", "RENAME", "LOOKUP"])
            arguments = dict(to=directory, to_entry=b"other") if name == "RENAME" else {}
            self.exchange(name, [(directory, entry)] + ([(directory, "other")] if arguments else []), status=NOENT, directory=directory, entry=entry.encode(),
                          **arguments)

    def rpcs(self):
        for number, ((procedure, arguments), results) in enumerate(self.messages):
            xid = 0x71000000 + number
            yield rpcrdma.call(xid, NFS, self.version.version, procedure, arguments=arguments), rpcrdma.accepted(xid, results=results), xid

    def write_rdma(self, path):
        scene = Scene("paths", "")
        connection = scene.connection((CLIENT, 0x11, 0x100), (SERVER, 0x22, 0x800000), port=20049).establish()
        for call, reply, xid in self.rpcs():
            for sender, rpc in (("a", call), ("b", reply)):
                packets = connection.send(sender, 0, data=rpcrdma.message(rpc, xid).data)
                scene.put(*packets, connection.ack(packets[-1]))
        scene.write_capture(path)

    def write_udp(self, path):
        frames = []
        for call, reply, _ in self.rpcs():
            frames.append(ethernet(ipv4(udp(Piece(call.data), 800, 2049), src=CLIENT, dst=SERVER)))
            frames.append(ethernet(ipv4(udp(Piece(reply.data), 2049, 800), src=SERVER, dst=CLIENT)))
        capfile.write_pcap(path, 1, [(10**18 + i * 10**6, frame.data, len(frame.data)) for i, frame in enumerate(frames)])

    def write_tcp(self, path):
        frames, positions = [], {True: 1, False: 1}

        def segment(rpc, is_call):
            data = (0x80000000 | len(rpc.data)).to_bytes(4, "big") + rpc.data
            head = ((800, 2049) if is_call else (2049, 800)) + (positions[is_call], positions[not is_call])
            positions[is_call] += len(data)
            tcp = b"".join(number.to_bytes(2 if i < 2 else 4, "big") for i, number in enumerate(head)) + b"\x50\x18\x20\0\0\0\0\0"
            ends = dict(src=CLIENT, dst=SERVER) if is_call else dict(src=SERVER, dst=CLIENT)
            frames.append(ethernet(ipv4(Piece(tcp + data, (), 6), **ends)))
        for call, reply, _ in self.rpcs():
            segment(call, True)
            segment(reply, False)
        capfile.write_pcap(path, 1, [(10**18 + i * 10**6, frame.data, len(frame.data)) for i, frame in enumerate(frames)])


class Paths(CliTest):
    def calls(self, *arguments):
        """[(operation, words after it)] of the NFS calls."""
        found = (CALL.fullmatch(line) for line in self.lines("-n", "--wide", *arguments))
        return [match.group(2).split() for match in found if match]

    def check_place(self, shown, paths, number, entry, server, where):
        """Returns whether the whole path is shown."""
        wanted = {path + ("/" + entry if entry is not None else "") or "/" for path in paths}
        if shown in wanted:
            return True
        # the end of a long path
        if shown.startswith("...") and any(path.endswith(shown[3:]) and len(path) > LONG for path in wanted):
            return True
        match = re.fullmatch(r"fh:0x([0-9a-f]{8})(/.*)?", shown)
        self.assertTrue(match, "%s: %s shown, not one of %s" % (where, shown, wanted))
        of = [one for one in server.links if zlib.crc32(server.handle(one)) == int(match.group(1), 16)]
        self.assertEqual(len(of), 1, where)
        tail = match.group(2) or ""
        # from a directory, or the file, whose handle is shown
        self.assertTrue(any(path.endswith(tail) for path in wanted), where)
        if not tail:
            self.assertEqual(of, [number], where)
        return False

    def check(self, path, traffic, first):
        """Returns how many places have whole paths, and how many have handles."""
        calls = self.calls("-r", path)
        self.assertEqual(len(calls), len(traffic.shown) - first)
        counts = [0, 0]
        for at, (words_of, wanted) in enumerate(zip(calls, traffic.shown[first:])):
            if wanted is None:
                continue
            where = "%s, call %d: %s" % (os.path.basename(path), at + first, " ".join(words_of))
            operation, places = wanted
            self.assertEqual(words_of[0], "READDIRPLUS" if operation == "READDIR" and traffic.version.version == 3 else operation, where)
            for shown, (paths, number, entry) in zip(words_of[1:], places):
                counts[not self.check_place(shown, paths, number, entry, traffic.server, where)] += 1
        return counts

    def test_lines_have_the_path_that_the_file_has_on_the_server(self):
        for version, write in (("3", "rdma"), ("3", "udp"), ("3", "tcp"), ("4.0", "rdma"), ("4.1", "rdma"), ("4.1", "tcp")):
            traffic = Traffic(version, "%s %s" % (version, write), 500)
            path = os.path.join(self.directory, "%s-%s.pcap" % (version, write))
            getattr(traffic, "write_" + write)(path)
            whole, handles = self.check(path, traffic, 0)
            self.assertGreater(whole, 300, path)
            self.assertEqual(handles, 0, path)

    def test_a_capture_that_begins_late_never_shows_a_wrong_path(self):
        for version, seed in (("3", 1), ("4.1", 2)):
            traffic = Traffic(version, seed, 700)
            path = os.path.join(self.directory, "late-%s.pcap" % version)
            for first in (60, 201):
                late = Traffic.__new__(Traffic)
                late.__dict__.update(traffic.__dict__, messages=traffic.messages[first:])
                late.write_udp(path)
                whole, handles = self.check(path, traffic, first)
                self.assertGreater(handles, 20)

    def test_lost_replies_and_calls_never_lead_to_a_wrong_path(self):
        """Without what was lost the client's view is older, but no name was another file's: names are not used twice here."""
        traffic = Traffic("3", "unique", 0)
        names = iter(range(10**6))
        traffic.name = lambda: "name-%d" % next(names)
        traffic.server.reuses = False
        for _ in range(600):
            traffic.step()
        path = os.path.join(self.directory, "lost.pcap")
        traffic.write_udp(path)
        frames = list(capfile.read(path))
        chance = random.Random(9)
        kept = [number for number in range(len(frames)) if chance.random() > 0.15]
        capfile.write_pcap(path, 1, [(10**18 + i * 10**6, frames[i][1], frames[i][2]) for i in kept])
        ever = {}
        for shown in traffic.shown:
            for paths, number, _ in shown[1] if shown else ():
                ever.setdefault(number, set()).update(paths)
        calls = self.calls("-r", path)
        of = [traffic.shown[number // 2] for number in kept if number % 2 == 0]
        self.assertEqual(len(calls), len(of))
        for words_of, wanted in zip(calls, of):
            if wanted and wanted[0] in READ_OR_WRITE and words_of[1].startswith("/"):
                self.assertIn(words_of[1], ever[wanted[1][0][1]])

    def test_operations_have_the_same_paths(self):
        for version, first in (("3", 0), ("3", 90), ("4.1", 0)):
            traffic = Traffic(version, "operations %s" % version, 400)
            path = os.path.join(self.directory, "operations.pcap")
            wanted = traffic.shown[first:]
            traffic.messages = traffic.messages[first:]
            traffic.write_udp(path)
            rows = [row for row in map(json.loads, self.lines("operations", "--json", path)) if row["layer"] == "nfs"]
            self.assertEqual(len(rows), len(wanted))
            whole = 0
            for row, one in zip(rows, wanted):
                if one and one[0] in READ_OR_WRITE:
                    self.assertEqual(row["name"], one[0])
                    whole += self.check_place(row["object"], *one[1][0], traffic.server, "operation %d" % row["operation"])
            self.assertGreater(whole, -1 if first else 40)

    def write_calls(self, exchanges, name="calls.pcap"):
        """Of one client with the model's server: [(call or reply, whether it is a call)]."""
        frames = []
        for number, (rpc, is_call) in enumerate(exchanges):
            ends = dict(src=CLIENT, dst=SERVER) if is_call else dict(src=SERVER, dst=CLIENT)
            ports = (800, 2049) if is_call else (2049, 800)
            frames.append((10**18 + number * 10**6, ethernet(ipv4(udp(Piece(rpc.data), *ports), **ends)).data))
        path = os.path.join(self.directory, name)
        capfile.write_pcap(path, 1, [(time, data, len(data)) for time, data in frames])
        return path

    def exchanges(self, version, *pairs):
        for xid, ((procedure, arguments), results) in enumerate(pairs, 0x1000):
            yield rpcrdma.call(xid, NFS, version.version, procedure, arguments=arguments), True
            yield rpcrdma.accepted(xid, results=results), False

    def test_a_long_call_keeps_its_names(self):
        server = Server(random.Random(0))
        v3, v4 = V3(server), V4(server, 0)
        target, data = b"t" * 5000, b"d" * 6000
        # SYMLINK and its target
        symlink = (10, opaque(server.handle(1)) + opaque(b"link") + words(0, 0, 0, 0, 0, 0) + opaque(target))
        path = self.write_calls(self.exchanges(v3, (v3.call("FSINFO", number=1), v3.reply("FSINFO")), (symlink, v3.reply("MKDIR", made=2)),
                                               (v3.call("GETATTR", number=2), v3.reply("GETATTR"))))
        self.assertEqual(self.calls("-r", path)[2][:2], ["GETATTR", "/link"])
        # OPEN and WRITE in one COMPOUND
        opened = words(18, 0, 1, 0) + u64(5) + opaque(b"owner") + words(1, 0, 0, 0, 0) + opaque(b"file")
        write = words(38) + bytes(16) + u64(0) + words(2) + opaque(data)
        change = words(1) + u64(1) + u64(2)
        results = (words(24, 0), words(18, 0) + bytes(16) + change + words(0, 0, 0), words(10, 0) + opaque(server.handle(3)), words(38, 0, 6000, 2) + u64(0))
        path = self.write_calls(self.exchanges(v4, (v4.compound(words(24), opened, words(10), write), v4.results(0, *results)),
                                               (v4.call("READ", number=3), v4.reply("READ"))))
        self.assertEqual(self.calls("-r", path)[1][:2], ["READ", "/file"])

    def test_a_lookup_gives_a_path(self):
        for version in ("3", "4.0", "4.1"):
            server = Server(random.Random(0))
            kind = V3(server) if version == "3" else V4(server, int(version[2:]))
            pairs = [(call, reply) for _, call, reply in kind.root()]
            pairs += [(kind.call("LOOKUP", directory=number - 1, entry=b"d%d" % number), kind.reply("LOOKUP", made=number)) for number in (2, 3, 4)]
            pairs += [(kind.call("READ", number=4), kind.reply("READ"))]
            calls = self.calls("-r", self.write_calls(self.exchanges(kind, *pairs)))
            self.assertEqual([words_of[:2] for words_of in calls[1:]],
                             [["LOOKUP", "/d2"], ["LOOKUP", "/d2/d3"], ["LOOKUP", "/d2/d3/d4"], ["READ", "/d2/d3/d4"]])

    def test_the_257th_handle_of_a_call_is_not_the_first(self):
        server = Server(random.Random(0))
        v4 = V4(server, 0)
        for between in (253, 254, 255, 256):
            getattr, replies = words(9, 0), [words(22, 0), words(9, 0, 0, 0)] + [words(22, 0)] * (between + 1)
            call = v4.compound(v4.put(1000), getattr, *[v4.put(1001 + i) for i in range(between)], v4.put(2))
            path = self.write_calls(self.exchanges(v4, *[(call, reply) for _, call, reply in v4.root()],
                                                   (v4.call("CREATE", directory=1, entry=b"known"), v4.reply("CREATE", made=2)),
                                                   (v4.call("GETATTR", number=2), v4.reply("GETATTR")), (call, v4.results(0, *replies))))
            calls = self.calls("-r", path)
            self.assertEqual([words_of[:2] for words_of in calls[2:]], [["GETATTR", "/known"], ["GETATTR", "fh:0x%08x" % zlib.crc32(server.handle(1000))]], between)

    def test_calls_without_replies_are_evicted_and_counted(self):
        """They have a small part of --max-memory. A reply whose call was evicted gives no name; the names before and after remain."""
        server = Server(random.Random(0))
        v3 = V3(server)
        first, last = (v3.call("CREATE", directory=1, entry=name) for name in (b"first", b"last"))
        lost = [(rpcrdma.call(0x5000 + i, NFS, 3, *v3.call("CREATE", directory=1, entry=b"lost-%d" % i)[:1],
                              arguments=v3.call("CREATE", directory=1, entry=b"lost-%d" % i)[1]), True) for i in range(400)]
        known = list(self.exchanges(v3, (v3.call("FSINFO", number=1), v3.reply("FSINFO")), (first, v3.reply("CREATE", made=2)), (last, v3.reply("CREATE", made=3)),
                                    (v3.call("WRITE", number=2), v3.reply("WRITE")), (v3.call("WRITE", number=3), v3.reply("WRITE"))))
        # the reply to "first" comes before or after the calls without reply
        for order, wanted in ((known[:4] + lost + known[4:], "/first"), (known[:3] + lost + known[3:], "fh:0x%08x" % zlib.crc32(server.handle(2)))):
            path = self.write_calls(order)
            result = self.run_program("-n", "--wide", "--max-memory", "1M", "-r", path)
            shown = [line.rpartition("NFS v3 ")[2].split() for line in result.stdout.decode().splitlines() if " WRITE " in line and "v3" in line]
            self.assertEqual([words_of[1] for words_of in shown], [wanted, "/last"])
            evicted = re.search(rb"(\d+) times state was evicted for lack of memory", result.stderr)
            self.assertTrue(evicted, result.stderr)
            self.assertTrue(200 < int(evicted.group(1)) < 402, result.stderr)
            self.assertNotIn(b"evicted", self.run_program("-n", "-r", path).stderr)
        # calls with replies are not kept
        path = self.write_calls(self.exchanges(v3, *[(v3.call("LOOKUP", directory=1, entry=b"one"), v3.reply("LOOKUP", made=2))] * 500))
        self.assertNotIn(b"evicted", self.run_program("-n", "--max-memory", "1M", "-r", path).stderr)

    def test_clients_use_the_same_xids(self):
        server, other = Server(random.Random(0)), "10.0.0.3"
        v3, frames = V3(server), []
        for step, (name, reply) in enumerate((("FSINFO", {}), ("CREATE", {"made": True}), ("WRITE", {}))):
            ends = ((CLIENT, 2, b"one"), (other, 3, b"two"))
            for client, number, entry in ends:
                where = {"FSINFO": dict(number=1), "CREATE": dict(directory=1, entry=entry), "WRITE": dict(number=number)}[name]
                procedure, arguments = v3.call(name, **where)
                frames.append((client, rpcrdma.call(0x77 + step, NFS, 3, procedure, arguments=arguments), True))
            for client, number, _ in ends:
                results = v3.reply(name, made=number if reply else None)
                frames.append((client, rpcrdma.accepted(0x77 + step, results=results), False))
        rows = []
        for at, (client, rpc, is_call) in enumerate(frames):
            ports, ends = ((800, 2049), dict(src=client, dst=SERVER)) if is_call else ((2049, 800), dict(src=SERVER, dst=client))
            data = ethernet(ipv4(udp(Piece(rpc.data), *ports), **ends)).data
            rows.append((10**18 + at * 10**6, data, len(data)))
        path = os.path.join(self.directory, "clients.pcap")
        capfile.write_pcap(path, 1, rows)
        self.assertEqual([words_of[1] for words_of in self.calls("-r", path) if words_of[0] == "WRITE"], ["/one", "/two"])

    def test_two_threads_show_the_same(self):
        traffic = Traffic("3", "threads", 700)
        path = os.path.join(self.directory, "threads.pcap")
        traffic.write_udp(path)
        self.assertEqual(self.lines("-r", path, "--threads", "1"), self.lines("-r", path, "--threads", "2"))

    def test_paths_are_those_that_the_clients_program_used(self):
        for name in ("roce-nfs3-long", "roce-nfs40-mtu256", "roce-nfs41-long", "roce-nfs42-long", "iwarp-nfs3-crctso", "roce-nfs3-v6"):
            base = os.path.join(TESTDATA, name)
            with open(base + ".truth.tsv", encoding="utf-8") as lines:
                rows = [line.split("\t") for line in lines if not line.startswith("#")]
            capture = next(base + suffix for suffix in (".pcap", ".pcap.gz") if os.path.exists(base + suffix))
            calls = self.calls("-r", capture)
            shown = {(words_of[0], words_of[1]) for words_of in calls if len(words_of) > 1}
            for operation in READ_OR_WRITE:
                recorded = {"/" + row[1] for row in rows if row[0] in (operation.lower(), "p" + operation.lower())}
                missing = recorded - {path for kind, path in shown if kind == operation}
                # the client's cache answers some
                self.assertTrue(operation == "READ" or not missing, "%s: %s" % (name, missing))
            everything = {"/" + row[1] for row in rows}
            for operation, path in shown:
                if operation in READ_OR_WRITE:
                    self.assertTrue(path in everything or not re.search(r"/(file|direct)\d", path), "%s: %s" % (name, path))

    def test_the_same_calls_over_tcp_have_the_same_paths(self):
        capture, converted = os.path.join(TESTDATA, "roce-nfs3.pcap.gz"), os.path.join(self.directory, "tcp.pcap")
        self.run_program("export", capture, "-w", converted)

        def named(path):
            # a WRITE can have several segments
            return [words_of[:2] for words_of in self.calls("-r", path) if words_of[0] in ("READ", "CREATE", "LOOKUP", "REMOVE", "ACCESS")]
        self.assertEqual(named(capture), named(converted))
        self.assertGreater(len(named(capture)), 50)


if __name__ == "__main__":
    unittest.main()
