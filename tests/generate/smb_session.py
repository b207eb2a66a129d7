# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random sessions of SMB clients with one server, and damage to their captures. The server keeps the history of each byte, and the player which
packets each command has, so that what a damaged capture can show is known: [MS-SMB2] 3.3.5, [MS-FSA] 2.1.5."""
import random
import struct

import smb
from conversation import Scene

OPENED, CREATED, OVERWRITTEN, SUPERSEDED = 1, 2, 3, 0
COLLISION, DENIED, NOT_FOUND, END_OF_FILE = 0xc0000035, 0xc0000022, 0xc0000034, 0xc0000011
SIGNED = 8
DELETE_ON_CLOSE = 0x1000
RENAME, DISPOSITION, ALLOCATION, END, DISPOSITION_EX, RENAME_EX = 10, 13, 19, 20, 64, 65
ZERO_DATA = 0x980c8
STATUS = {0: "STATUS_SUCCESS", smb.MORE: "STATUS_MORE_PROCESSING_REQUIRED", COLLISION: "STATUS_OBJECT_NAME_COLLISION", DENIED: "STATUS_ACCESS_DENIED",
          NOT_FOUND: "STATUS_OBJECT_NAME_NOT_FOUND", END_OF_FILE: "STATUS_END_OF_FILE", smb.CANCELLED: "STATUS_CANCELLED"}
READ_RESPONSES = (0xd, 0xe, 0xf, 0x10)


class Object:
    """A file or directory. path: None if it was deleted; paths: all that it had; ids: handles.
    changes: (command, offset, bytes, size after; None: of zeros before a WRITE); attempts: WRITEs; moves: commands that changed its path or took it away."""

    def __init__(self, path, is_directory=False, data=b"", by=None):
        self.path, self.is_directory, self.data, self.by = path, is_directory, bytearray(data), by
        self.paths, self.ids, self.changes, self.moves, self.deletes, self.number = {path}, set(), [], [], False, 0
        self.attempts = []
        if data:
            self.changes.append((None, 0, bytes(data), len(data)))

    def put(self, command, offset, data):
        if not data:
            return
        if offset > len(self.data):
            self.changes.append((command, len(self.data), bytes(offset - len(self.data)), None))
            self.data.extend(bytes(offset - len(self.data)))
        self.data[offset:offset + len(data)] = data
        self.changes.append((command, offset, bytes(data), len(self.data)))

    def resize(self, command, size):
        before = len(self.data)
        if size < before:
            self.changes.append((command, size, None, size))
            del self.data[size:]
        elif size > before:
            self.put(command, before, bytes(size - before))

    def has_unanswered(self, is_known):
        """Whether a WRITE did not change it, but nothing shows that."""
        return any(command.status is None or (command.status and not is_known(command)) for command in self.attempts)

    def possible(self, is_known):
        """For each byte the values that it can have, if changes are known of which the function says so: since the last one of these."""
        found = []
        for command, offset, data, size in self.changes:
            # zeros before it are known only together with the end before
            sure = command is None or (size is not None and is_known(command))
            end = len(found) if data is None else offset + len(data)
            if data:
                found += [set() for _ in range(len(found), end)]
            if sure:
                found[offset:end] = [{byte} for byte in data] if data is not None else [set() for _ in range(offset, end)]
            else:
                for values, byte in zip(found[offset:end], bytes(max(0, end - offset)) if data is None else data):
                    values.add(byte)
        return found


class Command:
    """What a command must be shown as, if it is shown. packets: all that it has; opens: the CREATE of its file, if its effect cannot be
    known without that."""

    def __init__(self, name, number, objects=(), offset=None, length=None):
        self.name, self.number, self.objects, self.offset, self.length = name, number, objects, offset, length
        self.status, self.moved, self.packets, self.request, self.opens = None, 0, [], [], None


class Channel:
    """A connection of a session."""

    def __init__(self, player, session, tree, address, server="10.0.0.1"):
        scene, number = player.scene, len(player.all)
        self.talk = scene.connection(a=("10.0.0.%d" % address, 0x11 + number, 0x100 + 0x9000 * number),
                                     b=(server, 0x42 + number, 0x800000 + 0x9000 * number), port=smb.PORT).establish()
        self.talk.a.udp = self.talk.b.udp = 0xc001 + number
        self.client = smb.Client(self.talk, player.dice.choice((1340, 1340, 500)))
        self.session, self.tree, self.is_signed = session, tree, player.dice.random() < 0.3
        self.waiting, self.handles, self.commands = [], [], {}


class Player:
    """Makes random requests, several of which are outstanding at a time. is_lossy: packets are lost on the wire, and sent again."""
    servers, guid = ("10.0.0.1",), bytes(16)

    def __init__(self, seed, is_lossy=False, has_ids=None, steps=None):
        self.dice, self.scene, self.is_lossy = random.Random(seed), Scene("smb-test", ""), is_lossy
        self.has_ids = self.dice.random() < 0.5 if has_ids is None else has_ids
        self.channels, self.all, self.sessions, self.at, self.objects, self.ids, self.disks = [], [], 0, {}, [], 0, 100
        self.has_encrypted, self.rounded, self.opened = False, set(), {}
        for path in ("d0", "d1", "d2"):
            self.make(path, True)
        for path in ("f0", "d0/f1", "d1/f2"):
            if self.dice.random() < 0.5:
                self.make(path, data=self.noise(self.dice.choice((10, 700, 4000))))
        for address in range(self.dice.choice((1, 1, 2, 3))):
            self.connect(2 + address)
        for _ in range(steps or self.dice.choice((15, 40, 80))):
            self.step()
            self.answer_some(0.5)
        self.answer_some(2)

    def noise(self, length):
        return self.dice.randbytes(length).replace(b"\0", b"\1")

    def make(self, path, is_directory=False, data=b"", by=None):
        found = self.at[path] = Object(path, is_directory, data, by)
        self.disks += 1
        found.number = self.disks
        self.objects.append(found)
        return found

    # The wire

    def put(self, channel, rows):
        """Captures the packets. If one was lost on the wire, it and those after it follow once more."""
        talk = channel.talk
        for i, packets in enumerate(rows):
            again = []
            operation = packets[-1].opcode & 0x1f
            if self.is_lossy and operation != 0xc and self.dice.random() < 0.1:
                lost = self.dice.randrange(len(packets))
                if operation in READ_RESPONSES:
                    request, rest = talk.read_again(rows[i - 1][0], packets, lost, 0xd if len(packets) - lost > 1 else 0x10)
                    again = [request] + rest
                    for before, after in zip(packets[lost:], rest):
                        after.original = before
                else:
                    nak = talk.ack(packets[lost], 0x60)
                    again = [nak] + packets[lost:]
                # it was lost before the place of the capture, or after it
                if self.dice.random() < 0.5:
                    packets = packets[:lost] + packets[lost + 1:]
            self.scene.put(*packets, *again)
            if operation != 0xc and operation not in READ_RESPONSES:
                self.scene.put(talk.ack(rows[i][-1]))

    def header(self, channel, name, number, flags, following, charge=1, status=0, **more):
        values = dict(tree=channel.tree, session=channel.session)
        values.update(more)
        head = bytearray(smb.header(name, number, flags | (SIGNED if channel.is_signed else 0), status, following=following, **values))
        struct.pack_into("<H", head, 6, charge)
        if channel.is_signed:
            head[48:64] = self.noise(16)
        return bytes(head)

    def message(self, channel, units, flags=0):
        """units: (command, number, flags, body, more of the header)"""
        parts = []
        for i, (name, number, related, body, more) in enumerate(units):
            last = i == len(units) - 1
            body = body if last else body + bytes(-len(body) % 8)
            parts.append(self.header(channel, name, number, flags | related, 0 if last else 64 + len(body), **more) + body)
        return b"".join(parts)

    def send(self, channel, end, message, commands, inv=None):
        rows = channel.client.send(end, message, 2, inv)
        self.put(channel, rows)
        for command in commands:
            command.packets += [packet for row in rows for packet in row]
            if end == "a":
                command.request += [packet for row in rows for packet in row]

    def number(self, channel, charge=1):
        number = channel.client.number
        channel.client.number += charge
        return number

    def ask(self, channel, units, charge=1, related=None):
        """units: (command, name, body). Sends one request; returns the commands. related: which of them are, if not all but the first."""
        commands, made = [], []
        for i, (name, command, body) in enumerate(units):
            command.number = self.number(channel, charge)
            channel.commands[command.number] = command
            made.append((name, command.number, smb.RELATED if (related[i] if related else i) else 0, body, {"charge": charge}))
            commands.append(command)
        self.send(channel, "a", self.message(channel, made), commands)
        return commands

    def tell(self, channel, answers, inv=None, related=None, **more):
        """answers: (command, name, body, status, or that and more of the header)."""
        made = []
        for i, (name, command, body, status, *rest) in enumerate(answers):
            command.status = status
            values = dict(more, status=status, credits=2, **(rest[0] if rest else {}))
            made.append((name, command.number, smb.RELATED if (related[i] if related else i) else 0, body, values))
        self.send(channel, "b", self.message(channel, made, smb.RESPONSE), [command for _, command, _, _ in answers], inv)

    # Connections

    def connect(self, address, binds=None):
        """A new session, or another channel of one."""
        self.sessions += 1
        channel = Channel(self, binds.session if binds else 0x4000000000000 + self.sessions, binds.tree if binds else 6 + self.sessions, address,
                          self.dice.choice(self.servers) if len(self.servers) > 1 else self.servers[0])
        self.channels.append(channel)
        self.all.append(channel)
        channel.address = address
        client, share = channel.client, smb.text("\\\\srv\\share")
        self.put(channel, [channel.talk.send("a", 20, data=smb.negotiate()), channel.talk.send("b", 32, data=smb.negotiated()), client.credit("a", 255)])
        blob = struct.pack("<HBBIIHHQ", 25, int(bool(binds)), 1, 1, 0, 88, 4, 0) + b"type"
        exchanges = [(smb.NEGOTIATE, "NEGOTIATE", struct.pack("<HHHHI16sIHHH", 36, 1, 1, 0, 0x7f, bytes(range(16)), 0, 0, 0, 0x302),
                      struct.pack("<HHHH16sIIIIQQHHI", 65, 1, 0x302, 0, self.guid, 0x2f, 1 << 20, 1 << 20, 1 << 20, 133000000000000000, 0, 128, 4, 0) + b"blob", 0),
                     (smb.SESSION_SETUP, "SESSION_SETUP", blob, struct.pack("<HHHH", 9, 0, 72, 4) + b"type", smb.MORE),
                     (smb.SESSION_SETUP, "SESSION_SETUP", blob, struct.pack("<HHHH", 9, 0, 72, 0), 0)]
        if not binds:
            exchanges.append((smb.TREE_CONNECT, "TREE_CONNECT", struct.pack("<HHHH", 9, 0, 72, len(share)) + share,
                              struct.pack("<HBBIII", 16, 1, 0, 0x30, 0, 0x1f01ff), 0))
        for name, text, request, response, status in exchanges:
            command = Command(text, 0)
            self.ask(channel, [(name, command, request)])
            self.tell(channel, [(name, command, response, status)])
        if binds:
            channel.handles = binds.handles
        return channel

    def reconnect(self, channel):
        """The session's connections end with what is outstanding; the handles are gone."""
        for other in [each for each in self.channels if each.session == channel.session]:
            other.waiting.clear()
            self.channels.remove(other)
        channel.handles.clear()
        self.scene.pause(0.5)
        self.connect(channel.address)

    def answer_some(self, chance):
        while self.dice.random() < chance:
            busy = [channel for channel in self.channels if channel.waiting]
            if not busy:
                return
            channel = self.dice.choice(busy)
            channel.waiting.pop(self.dice.randrange(len(channel.waiting)))()

    # The server

    def created(self, file, found, action):
        body = smb.created(file, len(found.data), action, 0x10 if found.is_directory else 0x80)
        if not self.has_ids:
            return body
        # SMB2_CREATE_QUERY_ON_DISK_ID: [MS-SMB2] 2.2.14.2.9
        context = struct.pack("<IHHHHI4s4xQQ16x", 0, 16, 4, 0, 24, 32, b"QFid", found.number, 1)
        return body[:80] + struct.pack("<II", 152, len(context)) + context

    def open(self, channel, path, disposition, options=0, by=None, is_directory=False):
        """(file id, object, action or None, status)"""
        found = self.at.get(path)
        if found and disposition == 2:
            return None, found, None, COLLISION
        if not found and disposition in (1, 4):
            return None, None, None, NOT_FOUND
        action = CREATED
        if not found:
            found = self.make(path, is_directory, by=by)
        else:
            action = OPENED if disposition in (1, 3) else OVERWRITTEN if disposition else SUPERSEDED
            if action != OPENED:
                found.resize(by, 0)
        self.ids += 1
        file = struct.pack("<QQ", self.ids, 0x1000 + self.ids)
        self.opened[file] = by
        found.ids.add(file.hex())
        found.deletes = found.deletes or bool(options & DELETE_ON_CLOSE)
        return file, found, action, 0

    def close(self, found, by):
        if found.deletes and found.path and not self.is_open(found):
            self.remove(found, by)

    def is_open(self, found):
        return any(handle[1] is found for channel in self.channels for handle in channel.handles)

    def remove(self, found, by):
        if found and found.path:
            del self.at[found.path]
            found.path = None
            found.moves.append(by)

    def move(self, found, path, by):
        replaced, before = self.at.get(path), found.path
        if replaced is found:
            return
        self.remove(replaced, by)
        for old, each in list(self.at.items()):
            if old == before or old.startswith(before + "/"):
                del self.at[old]
                each.path = path + old[len(before):]
                each.paths.add(each.path)
                each.moves.append(by)
                self.at[each.path] = each

    # The player

    def path(self):
        name = "f%d" % self.dice.randrange(4)
        return "d%d/%s" % (self.dice.randrange(3), name) if self.dice.random() < 0.6 else name

    def is_possible(self, path):
        """Whether a file can be at the path."""
        parent = self.at.get(path.split("/")[0])
        return ("/" not in path or (parent and parent.is_directory)) and not (path in self.at and self.at[path].is_directory)

    def step(self):
        dice, channel = self.dice, self.dice.choice(self.channels)
        files = [handle for handle in channel.handles if not handle[1].is_directory]
        named = [handle for handle in channel.handles if handle[1].path]
        kind = dice.random()
        if kind < 0.14 or not channel.handles:
            self.open_file(channel)
        elif kind < 0.2:
            self.open_and_close(channel)
        elif kind < 0.45 and files:
            self.write(channel, *dice.choice(files))
        elif kind < 0.6 and files:
            self.read(channel, *dice.choice(files))
        elif kind < 0.68 and files:
            self.set_size(channel, *dice.choice(files))
        elif kind < 0.75 and named:
            self.rename(channel, *dice.choice(named))
        elif kind < 0.8:
            self.close_handle(channel, dice.choice(channel.handles))
        elif kind < 0.83 and [h for h in files if h[1].path]:
            self.delete(channel, dice.choice([h for h in files if h[1].path]))
        elif kind < 0.97:
            self.other(channel, *dice.choice(channel.handles))
        elif kind < 0.985:
            self.reconnect(channel)
        elif len(self.channels) < 5:
            self.connect(channel.address + 10, channel)

    def open_file(self, channel):
        if self.dice.random() < 0.2:
            directories = [path for path, each in self.at.items() if each.is_directory]
            path, disposition, is_directory = self.dice.choice(directories), 1, True
        else:
            path, disposition, is_directory = self.path(), self.dice.choice((0, 1, 2, 3, 3, 4, 5)), False
            if not self.is_possible(path):
                return
        command = Command("CREATE", 0, {path})
        self.ask(channel, [(smb.CREATE, command, smb.create(path.replace("/", "\\"), disposition, int(is_directory)))])
        file, found, action, status = self.open(channel, path, disposition, 0, command, is_directory)
        body = smb.error() if status else self.created(file, found, action)
        self.tell(channel, [(smb.CREATE, command, body, status)])
        if not status:
            channel.handles.append((file, found))

    def open_and_close(self, channel):
        """CREATE, one more command, CLOSE in one message."""
        path, kind, dice = self.path(), self.dice.choice(("WRITE", "READ", "END", "RENAME", "DELETE")), self.dice
        if not self.is_possible(path):
            return
        to = self.path()
        if kind == "RENAME" and not self.is_possible(to):
            return
        disposition = dice.choice((3, 5)) if kind == "WRITE" else 1
        data, size = self.noise(dice.choice((1, 300))), dice.choice((0, 5, 2000))
        options = DELETE_ON_CLOSE if kind == "DELETE" else 0
        middle = {"WRITE": (smb.WRITE, smb.write(smb.SAME, 0, data)), "READ": (smb.READ, smb.read(smb.SAME, 0, 500)),
                  "END": (smb.SET_INFO, smb.set_info(smb.SAME, END, struct.pack("<Q", size))),
                  "RENAME": (smb.SET_INFO, smb.set_info(smb.SAME, RENAME, smb.rename(to.replace("/", "\\")))),
                  "DELETE": (smb.QUERY_INFO, smb.query_info(smb.SAME))}[kind]
        name = {"END": "SET_INFO", "RENAME": "SET_INFO", "DELETE": "QUERY_INFO"}.get(kind, kind)
        first = Command("CREATE", 0, {path})
        second = Command(name, 0, {path}, 0 if name in ("WRITE", "READ") else None, len(data) if name == "WRITE" else 500 if name == "READ" else None)
        third = Command("CLOSE", 0, {path})
        self.ask(channel, [(smb.CREATE, first, smb.create(path.replace("/", "\\"), disposition, options)), (*middle[:1], second, middle[1]),
                           (smb.CLOSE, third, smb.of_file(smb.SAME))])
        file, found, action, status = self.open(channel, path, disposition, options, first)
        if status:
            self.tell(channel, [(smb.CREATE, first, smb.error(), status), (middle[0], second, smb.error(), status), (smb.CLOSE, third, smb.error(), status)])
            return
        made, body, second_status = self.created(file, found, action), struct.pack("<H", 2), 0
        if kind == "WRITE":
            found.put(second, 0, data)
            second.moved, body = len(data), smb.written(len(data))
        elif kind == "READ":
            got = bytes(found.data[:500])
            second.moved, body, second_status = len(got), smb.read_response(got) if got else smb.error(), 0 if got else END_OF_FILE
        elif kind == "END":
            found.resize(second, size)
        elif kind == "RENAME":
            self.move(found, to, second)
            third.objects = second.objects = found.paths | {path}
        else:
            body = smb.output(bytes(100))
        self.close(found, third)
        self.tell(channel, [(smb.CREATE, first, made, 0), (middle[0], second, body, second_status), (smb.CLOSE, third, smb.closed(), 0)])

    def pieces(self, channel, length):
        parts = self.dice.choice((1, 1, 2, 3))
        size = -(-length // parts)
        return channel.client.memory(*[min(size, length - at) for at in range(0, length, size)])

    def write(self, channel, file, found):
        dice = self.dice
        offset, data = dice.randrange(len(found.data) + dice.choice((1, 1, 300))), self.noise(dice.choice((1, 100, 900, 2500)))
        command, fails, is_inline = Command("WRITE", 0, found.paths, offset, len(data)), dice.random() < 0.07, dice.random() < 0.4
        found.attempts.append(command)
        pieces = [] if is_inline else self.pieces(channel, len(data))
        body = smb.write(file, offset, data) if is_inline else smb.write(file, offset, pieces=pieces, channel=dice.choice((1, 2)))
        self.ask(channel, [(smb.WRITE, command, body)], dice.choice((1, 1, 1, 3)))

        def finish():
            at = 0
            for address, key, length in pieces if not fails else ():
                request, responses = channel.talk.read("b", length, key, address, data[at:at + length])
                self.put(channel, [[request], responses])
                command.packets += [request] + responses
                at += length
            if not fails:
                found.put(command, offset, data)
                command.moved = len(data)
            self.tell(channel, [(smb.WRITE, command, smb.error() if fails else smb.written(len(data)), DENIED if fails else 0)],
                      inv=pieces[0][1] if pieces and not fails else None)
        channel.waiting.append(finish)

    def read(self, channel, file, found):
        dice = self.dice
        offset, length = dice.randrange(len(found.data) + 10), dice.choice((1, 100, 900, 2500))
        command, is_inline = Command("READ", 0, found.paths, offset, length), dice.random() < 0.4
        pieces = [] if is_inline else self.pieces(channel, length)
        self.ask(channel, [(smb.READ, command, smb.read(file, offset, length, pieces, dice.choice((1, 2))))], dice.choice((1, 1, 1, 3)))

        def finish():
            data, at = bytes(found.data[offset:offset + length]), 0
            command.moved = len(data)
            for address, key, size in pieces:
                part = data[at:at + size]
                if part:
                    row = channel.talk.write("b", len(part), key, address, data=part)
                    self.put(channel, [row])
                    command.packets += row
                at += size
            body = smb.error() if not data else smb.read_response(data) if is_inline else smb.read_response(elsewhere=len(data))
            self.tell(channel, [(smb.READ, command, body, 0 if data else END_OF_FILE)])
        channel.waiting.append(finish)

    def set_size(self, channel, file, found):
        kind, size = self.dice.choice((END, END, ALLOCATION, ZERO_DATA)), self.dice.choice((0, 1, 500, len(found.data) + 100))
        if kind == ZERO_DATA:
            command = Command("IOCTL", 0, found.paths)
            begin, end = sorted(self.dice.randrange(len(found.data) + 50) for _ in range(2))
            body = struct.pack("<HHI", 57, 0, ZERO_DATA) + file + struct.pack("<IIIIIIII", 120, 16, 0, 120, 0, 0, 1, 0) + struct.pack("<QQ", begin, end)
            self.ask(channel, [(smb.IOCTL, command, body)])
            found.put(command, begin, bytes(max(0, min(end, len(found.data)) - begin)))
            body = struct.pack("<HHI", 49, 0, ZERO_DATA) + file + struct.pack("<IIIIII", 112, 0, 112, 0, 0, 0)
            self.tell(channel, [(smb.IOCTL, command, body, 0)])
            return
        command = Command("SET_INFO", 0, found.paths)
        self.ask(channel, [(smb.SET_INFO, command, smb.set_info(file, kind, struct.pack("<Q", size)))])
        if kind == END:
            found.resize(command, size)
        else:
            # rounded up to blocks; the size is not on the wire
            self.rounded.add(found)
            found.resize(command, min(len(found.data), -(-size // 512) * 512))
        self.tell(channel, [(smb.SET_INFO, command, struct.pack("<H", 2), 0)])

    def rename(self, channel, file, found):
        to = self.dice.choice(("d0", "d1", "d2", "e0")) if found.is_directory else self.path()
        if (found.is_directory and to in self.at) or (not found.is_directory and not self.is_possible(to)):
            return
        command, fails = Command("SET_INFO", 0, found.paths), to in self.at and self.at[to] is not found and self.dice.random() < 0.3
        self.ask(channel, [(smb.SET_INFO, command, smb.set_info(file, self.dice.choice((RENAME, RENAME_EX)), smb.rename(to.replace("/", "\\"))))])
        self.answer_some(0.3)
        command.opens = self.opened[file]
        if not fails and found.path:
            self.move(found, to, command)
        else:
            fails = True
        self.tell(channel, [(smb.SET_INFO, command, smb.error() if fails else struct.pack("<H", 2), COLLISION if fails else 0)])

    def close_handle(self, channel, handle):
        command = Command("CLOSE", 0, handle[1].paths)
        command.opens = self.opened[handle[0]]
        channel.handles.remove(handle)
        self.ask(channel, [(smb.CLOSE, command, smb.of_file(handle[0]))])
        self.answer_some(0.2)
        self.close(handle[1], command)
        self.tell(channel, [(smb.CLOSE, command, smb.closed(), 0)])

    def delete(self, channel, handle):
        """By the semantics of POSIX the name is gone when this handle is closed, by those of Windows when the last one is."""
        is_posix, command = self.dice.random() < 0.5, Command("SET_INFO", 0, handle[1].paths)
        self.ask(channel, [(smb.SET_INFO, command, smb.set_info(handle[0], DISPOSITION_EX if is_posix else DISPOSITION,
                                                                struct.pack("<I", 3) if is_posix else b"\1"))])
        self.tell(channel, [(smb.SET_INFO, command, struct.pack("<H", 2), 0)])
        handle[1].deletes = True
        closes = Command("CLOSE", 0, handle[1].paths)
        closes.opens = self.opened[handle[0]]
        channel.handles.remove(handle)
        self.ask(channel, [(smb.CLOSE, closes, smb.of_file(handle[0]))])
        if is_posix:
            self.remove(handle[1], closes)
        self.close(handle[1], closes)
        self.tell(channel, [(smb.CLOSE, closes, smb.closed(), 0)])

    def other(self, channel, file, found):
        kind = self.dice.choice(("ECHO", "FLUSH", "QUERY_INFO", "LOCK", "OPLOCK_BREAK", "encrypted"))
        if kind == "encrypted":
            self.number(channel)
            self.has_encrypted = True
            for end in "ab":
                self.put(channel, channel.client.encrypted(end, self.dice.choice((80, 2000))))
            return
        if kind == "OPLOCK_BREAK":
            self.put(channel, channel.client.oplock_break(file))
        names = {"ECHO": (smb.ECHO, smb.EMPTY, smb.EMPTY), "FLUSH": (smb.FLUSH, smb.of_file(file), smb.EMPTY),
                 "QUERY_INFO": (smb.QUERY_INFO, smb.query_info(file), smb.output(bytes(100))), "LOCK": (smb.LOCK, smb.lock(file, 0, 100), smb.EMPTY),
                 "OPLOCK_BREAK": (smb.OPLOCK_BREAK, struct.pack("<HBBI", 24, 0, 0, 0) + file, struct.pack("<HBBI", 24, 0, 0, 0) + file)}
        code, request, response = names[kind]
        command = Command(kind, 0, found.paths if kind != "ECHO" else None)
        self.ask(channel, [(code, command, request)])
        if kind != "LOCK":
            self.tell(channel, [(code, command, response, 0)])
            return
        channel.client.aside += 1
        aside = channel.client.aside
        head = smb.header(smb.LOCK, command.number, smb.RESPONSE, smb.PENDING, aside=aside, session=channel.session)
        self.put(channel, channel.client.send("b", head + smb.error()))
        channel.waiting.append(lambda: self.tell(channel, [(smb.LOCK, command, smb.EMPTY, 0)], aside=aside))


DAMAGES = ("lost", "burst", "doubled", "reordered", "cut", "snap", "middle", "half")


class Damaged:
    """The frames of a scene after some damage. rows: [time, bytes, wire length, packet]"""

    def __init__(self, scene, kinds, seed):
        self.dice = random.Random(seed)
        self.rows = [(time, piece.data, len(piece.data), packet) for time, _, piece, packet in scene.frames]
        for kind in kinds:
            getattr(self, kind)()
        times = sorted(row[0] for row in self.rows)
        self.rows = [(time, *row[1:]) for time, row in zip(times, self.rows)]
        whole = {id(getattr(row[3], "original", row[3])) for row in self.rows if row[3] is not None and len(row[1]) == row[2]}
        self.is_known = lambda command: all(id(packet) in whole for each in (command, command.opens) if each for packet in each.packets)

    def lost(self):
        share = self.dice.choice((0.002, 0.01, 0.05, 0.2))
        self.rows = [row for row in self.rows if self.dice.random() >= share]

    def burst(self):
        for _ in range(self.dice.choice((1, 3, 8))):
            at = self.dice.randrange(max(1, len(self.rows)))
            del self.rows[at:at + self.dice.choice((1, 2, 4, 9, 30, 150))]

    def doubled(self):
        self.rows = [row for row in self.rows for _ in range(1 + (self.dice.random() < 0.1))]

    def reordered(self):
        reach = self.dice.choice((2, 4, 8))
        places = sorted(range(len(self.rows)), key=lambda i: i + self.dice.random() * reach)
        self.rows = [self.rows[i] for i in places]

    def cut(self):
        share = self.dice.choice((0.01, 0.05, 0.3))
        self.rows = [(row[0], row[1][:self.dice.randrange(30, len(row[1]))] if self.dice.random() < share and len(row[1]) > 60 else row[1], *row[2:])
                     for row in self.rows]

    def snap(self):
        most = self.dice.choice((90, 110, 128, 160, 200, 260, 300))
        self.rows = [(row[0], row[1][:most], *row[2:]) for row in self.rows]

    def middle(self):
        self.rows = self.rows[self.dice.randrange(max(1, len(self.rows))):]

    def half(self):
        """One end is not captured, or only in part."""
        side, share = self.dice.choice("ab"), self.dice.choice((0.3, 1))
        self.rows = [row for row in self.rows if not (row[3] is not None and row[3].sender == side and self.dice.random() < share)]


def damages(seed):
    """Of a seed: none, one or several."""
    dice = random.Random(seed)
    return [] if seed % 8 == 0 else [dice.choice(DAMAGES) for _ in range(dice.choice((1, 1, 2, 3)))]
