# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Files of SMB that are renamed, replaced and deleted while they are open, against a server in Python: [MS-FSCC] 2.4.37, [MS-SMB2] 3.3.5.21."""
import json
import random
import re
import struct

import smb
from conversation import Scene
from doubling import FILES, MESSAGES, DoublingTest
from test_smb import Smb
import worst_cases

CREATED, OPENED, OVERWRITTEN = 2, 1, 3
DIRECTORY, FILE = 0x10, 0x80
RENAME, RENAME_EX, DISPOSITION_EX = 10, 65, 64
COLLISION = 0xc0000035
SHARE = "srv/share/"


class Object:
    """A file or directory. path: None if it was deleted. before: what it was before it was overwritten; paths: all that it had"""

    def __init__(self, path, is_directory):
        self.path, self.is_directory, self.data, self.before, self.paths = path, is_directory, b"", [], {path}


class Server:
    """Clients on connections of their own, and one share. Handles: (client, id, object)"""

    def __init__(self, clients=1):
        self.scene, self.clients, self.at, self.objects, self.handles, self.ids = Scene("smb-test", ""), [], {}, [], [], 0
        for i in range(clients):
            talk = self.scene.connection(a=("10.0.0.%d" % (2 + i), 0x11 + i, 0x100 + 0x9000 * i),
                                         b=("10.0.0.1", 0x22 + i, 0x800000 + 0x9000 * i), port=smb.PORT).establish()
            talk.a.udp = talk.b.udp = 0xc001 + i
            self.clients.append(smb.Client(talk))
            smb.put_all(self.scene, talk, self.clients[-1].set_up())

    def ask(self, client, command, body):
        number = client.next_number()
        smb.put_all(self.scene, client.talk, client.send("a", smb.header(command, number) + body, 1))
        return number

    def answer(self, client, command, number, body, status=0):
        smb.put_all(self.scene, client.talk, client.send("b", smb.header(command, number, smb.RESPONSE, status, credits=2) + body, 1))

    def open(self, client, path, is_directory=False, overwrites=False):
        self.ids += 1
        file, action = struct.pack("<QQ", self.ids, 0x1000 + self.ids), OPENED
        number = self.ask(client, smb.CREATE, smb.create(path.replace("/", "\\"), options=int(is_directory)))
        found = self.at.get(path)
        if not found:
            found, action = self.at.setdefault(path, Object(path, is_directory)), CREATED
            self.objects.append(found)
        elif overwrites:
            found.before.append(found.data)
            found.data, action = b"", OVERWRITTEN
        self.answer(client, smb.CREATE, number, smb.created(file, len(found.data), action, DIRECTORY if found.is_directory else FILE))
        self.handles.append((client, file, found))
        return self.handles[-1]

    def write(self, handle, data):
        """Appends; returns a function that sends the response."""
        client, file, found = handle
        number = self.ask(client, smb.WRITE, smb.write(file, len(found.data), data))
        found.data += data
        return lambda: self.answer(client, smb.WRITE, number, smb.written(len(data)))

    def rename(self, handle, path, meanwhile=lambda: None, kind=RENAME):
        """`meanwhile` is called between request and response."""
        client, file, found = handle
        number = self.ask(client, smb.SET_INFO, smb.set_info(file, kind, smb.rename(path.replace("/", "\\"))))
        meanwhile()
        replaced, before = self.at.get(path), found.path
        if replaced is not found:
            self.remove(replaced)
            for old, each in list(self.at.items()):
                if old == before or old.startswith(before + "/"):
                    del self.at[old]
                    each.path = path + old[len(before):]
                    each.paths.add(each.path)
                    self.at[each.path] = each
        self.answer(client, smb.SET_INFO, number, struct.pack("<H", 2))

    def fail_to_rename(self, handle, path):
        client, file, _ = handle
        number = self.ask(client, smb.SET_INFO, smb.set_info(file, RENAME, smb.rename(path.replace("/", "\\"))))
        self.answer(client, smb.SET_INFO, number, smb.error(), COLLISION)

    def close(self, handle, deletes=False, meanwhile=lambda: None):
        """`deletes`: the name is gone at once, though the file can be open elsewhere (POSIX semantics)."""
        client, file, found = handle
        self.handles.remove(handle)
        if deletes:
            number = self.ask(client, smb.SET_INFO, smb.set_info(file, DISPOSITION_EX, struct.pack("<I", 3)))
            self.answer(client, smb.SET_INFO, number, struct.pack("<H", 2))
        number = self.ask(client, smb.CLOSE, smb.of_file(file))
        meanwhile()
        if deletes:
            self.remove(found)
        self.answer(client, smb.CLOSE, number, smb.closed())

    def remove(self, found):
        if found:
            del self.at[found.path]
            found.path = None


class Player:
    """Makes random requests, some of which are outstanding at a time."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.server, self.waiting = Server(self.dice.choice((1, 2, 3))), []
        for _ in range(self.dice.choice((20, 60, 120))):
            self.step()
            self.answer_some(0.5)
        self.answer_some(2)

    def answer_some(self, chance):
        while self.waiting and self.dice.random() < chance:
            self.waiting.pop(self.dice.randrange(len(self.waiting)))()

    def directory(self):
        return "d%d" % self.dice.randrange(3)

    def path(self):
        name = "f%d" % self.dice.randrange(4)
        return self.directory() + "/" + name if self.dice.random() < 0.7 else name

    def is_possible(self, path):
        """Whether a file can be at the path."""
        return ("/" not in path or path.split("/")[0] in self.server.at) and not (path in self.server.at and self.server.at[path].is_directory)

    def step(self):
        server, dice, kind = self.server, self.dice, self.dice.random()
        files = [handle for handle in server.handles if not handle[2].is_directory]
        named = [handle for handle in server.handles if handle[2].path]
        if kind < 0.08:
            path = self.directory()
            if path not in server.at or server.at[path].is_directory:
                server.open(dice.choice(server.clients), path, True)
        elif kind < 0.3 or not server.handles:
            self.open_file(self.path())
        elif kind < 0.65 and files:
            self.waiting.append(server.write(dice.choice(files), bytes(dice.randrange(1, 256) for _ in range(dice.choice((1, 100, 900))))))
        elif kind < 0.8 and named:
            self.rename(dice.choice(named))
        elif kind < 0.9:
            server.close(dice.choice(server.handles), meanwhile=lambda: self.answer_some(0.2))
        elif files and dice.choice(files)[2].path:
            found = [handle for handle in files if handle[2].path]
            server.close(dice.choice(found), deletes=True)

    def open_file(self, path):
        overwrites = self.dice.random() < 0.2
        if overwrites:
            self.answer_some(2)
        if self.is_possible(path):
            self.server.open(self.dice.choice(self.server.clients), path, overwrites=overwrites)

    def rename(self, handle):
        is_directory, to = handle[2].is_directory, self.path()
        if is_directory:
            to = self.dice.choice(("d0", "d1", "d2", "e0"))
        if (is_directory and to in self.server.at) or (not is_directory and not self.is_possible(to)):
            return
        if to in self.server.at and self.dice.random() < 0.3:
            self.server.fail_to_rename(handle, to)
        else:
            self.server.rename(handle, to, lambda: self.answer_some(0.3), self.dice.choice((RENAME, RENAME_EX)))


class Renames(Smb):
    def exported(self, server):
        found, missing = self.files(self.capture(server.scene))
        return {path[len(SHARE):] if path.startswith(SHARE) else "/" + path: data for path, data in found.items()}, missing

    def test_all_that_have_the_file_open_follow_a_rename(self):
        for clients in (1, 2):
            server = Server(clients)
            first, second = (server.open(client, "old") for client in (server.clients[0], server.clients[-1]))
            answers = [server.write(handle, b"1" * 10) for handle in (first, second)]
            # a request is outstanding meanwhile
            server.rename(first, "new", answers[0])
            answers[1]()
            server.write(second, b"2" * 10)()
            self.assertEqual(self.exported(server), ({"new": b"1" * 20 + b"2" * 10}, []))
            last = [o for o in self.operations(self.path("scene.pcap")) if o["name"] == "WRITE"]
            self.assertEqual([o["object"] for o in last], [SHARE + name for name in ("old", "old", "new")])

    def test_files_below_a_directory_follow_its_rename(self):
        server = Server(2)
        for name in ("d/closed", "d/e/open"):
            handle = server.open(server.clients[1], name)
            server.write(handle, name.encode())()
            if name == "d/closed":
                server.close(handle)
        server.rename(server.open(server.clients[0], "d", True), "x/y")
        server.write(handle, b"more")()
        self.assertEqual(self.exported(server), ({"x/y/closed": b"d/closed", "x/y/e/open": b"d/e/openmore"}, []))
        self.assertEqual(self.operations(self.path("scene.pcap"))[-1]["object"], SHARE + "x/y/e/open")

    def test_a_replaced_or_deleted_file_is_another_one(self):
        for how in ("replaced", "deleted"):
            server = Server()
            old, other = server.open(server.clients[0], "f"), server.open(server.clients[0], "g")
            server.write(old, b"1" * 10)()
            if how == "replaced":
                server.rename(other, "f")
            else:
                server.close(server.open(server.clients[0], "f"), deletes=True)
                other = server.open(server.clients[0], "f")
            server.write(old, b"1" * 10)()
            server.write(other, b"2" * 5)()
            found, missing = self.exported(server)
            self.assertEqual((found.pop("f"), found.pop("f~2"), missing), (b"2" * 5, b"1" * 20, []))
            self.assertEqual({o["object"] for o in self.operations(self.path("scene.pcap")) if o["name"] == "WRITE"}, {SHARE + "f"})

    def test_a_rename_that_failed_changes_nothing(self):
        server = Server()
        file, other = server.open(server.clients[0], "f"), server.open(server.clients[0], "g")
        server.fail_to_rename(file, "g")
        server.write(file, b"1")()
        server.write(other, b"22")()
        self.assertEqual(self.exported(server), ({"f": b"1", "g": b"22"}, []))

    def test_the_rename_of_an_unknown_file_shows_its_name(self):
        server = Server()
        server.write(server.open(server.clients[0], "f"), b"old")()
        handle = (server.clients[0], struct.pack("<QQ", 77, 77), Object("g", False))
        server.at["g"] = handle[2]
        server.rename(handle, "f")
        server.write(handle, b"new one")()
        found, missing = self.exported(server)
        self.assertEqual((found["f"], found["f~2"], missing), (b"new one", b"old", []))

    def test_random_requests(self):
        for seed in range(30):
            with self.subTest(seed):
                server = Player(seed).server
                found, missing = self.exported(server)
                self.assertEqual(missing, [])
                live = {path: each.data for path, each in server.at.items() if each.data}
                self.assertEqual({path: found.get(path) for path in live}, live)
                # deleted files have some other name
                self.assertEqual(sorted(filter(None, found.values())), sorted(each.data for each in server.objects if each.data))

    def may_be_of(self, each, path, data, lost):
        """Whether the known bytes can be those of the file."""
        if path.split("/")[-1] not in {known.split("/")[-1] for known in each.paths}:
            return False
        versions = [each.data, *each.before]
        return all(lost[i] or any(data[i] == (version[i] if i < len(version) else 0) for version in versions) for i in range(len(data)))

    def test_without_some_packets_no_bytes_are_of_another_file(self):
        for seed in range(30):
            server, dice = Player(seed).server, random.Random(seed)
            share = dice.choice((0.005, 0.03, 0.2))
            server.scene.frames[:] = [frame for frame in server.scene.frames if dice.random() >= share]
            found, missing = self.exported(server)
            for path, data in found.items():
                lost = bytearray(len(data))
                for name, offset, length, _ in missing:
                    if name == "smb/" + SHARE + path:
                        lost[offset:offset + length] = b"\1" * min(length, len(data) - offset)
                with self.subTest(seed=seed, path=path):
                    name = re.sub(r"~\d+", "", path)
                    self.assertTrue(path.startswith("/") or any(self.may_be_of(each, name, data, lost) for each in server.objects))


class Work(DoublingTest):
    def test_grows_with_renames_of_a_directory_of_open_files(self):
        self.doubling(worst_cases.renames_of_an_smb_directory, 1500, FILES, MESSAGES)


if __name__ == "__main__":
    import unittest
    unittest.main()
