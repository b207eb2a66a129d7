# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""An SMB client and server on one queue pair: SMB Direct ([MS-SMBD] 2.2) and SMB 3 ([MS-SMB2] 2.2) by their specifications, and
the files of a share in memory."""
import struct

(NEGOTIATE, SESSION_SETUP, LOGOFF, TREE_CONNECT, TREE_DISCONNECT, CREATE, CLOSE, FLUSH, READ, WRITE, LOCK, IOCTL, CANCEL, ECHO,
 QUERY_DIRECTORY, CHANGE_NOTIFY, QUERY_INFO, SET_INFO, OPLOCK_BREAK) = range(19)
RESPONSE, ASYNC, RELATED = 1, 2, 4
PENDING, CANCELLED, NOT_FOUND, END_OF_FILE, MORE = 0x103, 0xc0000120, 0xc0000034, 0xc0000011, 0xc0000016
SAME = bytes([255]) * 16
PORT = 445
SESSION, TREE = 0x4000000000011, 7


def negotiate(credits=255, receive=1364, fragmented=1 << 20):
    return struct.pack("<HHHHIII", 0x100, 0x100, 0, credits, 1364, receive, fragmented)


def negotiated(requested=255, granted=255, status=0, receive=1364, fragmented=1 << 20):
    return struct.pack("<HHHHHHIIIII", 0x100, 0x100, 0x100, 0, requested, granted, status, 1 << 20, 1364, receive, fragmented)


def transfer(data=b"", remaining=0, requested=255, granted=0, flags=0, offset=None, length=None):
    place = (24 if data else 0) if offset is None else offset
    header = struct.pack("<HHHHIII", requested, granted, flags, 0, remaining, place, len(data) if length is None else length)
    return header + (bytes(4) + data if data else b"")


def header(command, number, flags=0, status=0, tree=TREE, session=SESSION, credits=1, aside=None, following=0):
    ids = struct.pack("<Q", aside) if aside is not None else struct.pack("<II", 0xfeff, tree)
    flags |= ASYNC if aside is not None else 0
    return struct.pack("<4sHHIHHIIQ", b"\xfeSMB", 64, 1, status, command, credits, flags, following, number) + ids + struct.pack("<Q16x", session)


def compound(*units):
    """One message of several commands: (header arguments, body)."""
    parts = []
    for i, (arguments, body) in enumerate(units):
        last = i == len(units) - 1
        padded = body if last else body + bytes(-len(body) % 8)
        parts.append(header(*arguments[0], **arguments[1], following=0 if last else 64 + len(padded)) + padded)
    return parts


def text(name):
    return name.encode("utf-16-le")


def descriptors(*pieces):
    return b"".join(struct.pack("<QII", address, key, length) for address, key, length in pieces)


def create(name, disposition=5, options=0):
    encoded = text(name)
    return struct.pack("<HBBIQQIIIIIHHII", 57, 0, 0, 2, 0, 0, 0x12019f, 0x80, 7, disposition, options, 120, len(encoded), 0, 0) + (encoded or bytes(1))


def created(file, size=0, action=2, attributes=0x80):
    return struct.pack("<HBBIQQQQQQII", 89, 0, 0, action, 1, 2, 3, 4, size, size, attributes, 0) + file + struct.pack("<II", 0, 0) + bytes(1)


def read(file, offset, length, pieces=(), channel=1):
    info = descriptors(*pieces)
    return struct.pack("<HBBIQ", 49, 80, 0, length, offset) + file + struct.pack("<IIIHH", 0, channel if pieces else 0, 0,
                                                                                112 if pieces else 0, len(info)) + (info or bytes(1))


def read_response(data=b"", elsewhere=0):
    return struct.pack("<HBBIII", 17, 80, 0, len(data), elsewhere, 0) + (data or bytes(1))


def write(file, offset, data=b"", pieces=(), channel=2):
    info = descriptors(*pieces)
    length = sum(piece[2] for piece in pieces)
    return struct.pack("<HHIQ", 49, 0 if pieces else 112, len(data), offset) + file + struct.pack(
        "<IIHHI", channel if pieces else 0, length, 112 if pieces else 0, len(info), 0) + info + data


def written(count):
    return struct.pack("<HHIIHH", 17, 0, count, 0, 0, 0)


def of_file(file):
    """CLOSE and FLUSH."""
    return struct.pack("<HHI", 24, 0, 0) + file


def closed(size=0):
    return struct.pack("<HHIQQQQQQI", 60, 0, 0, 0, 0, 0, 0, size, size, 0)


def lock(file, offset, length):
    return struct.pack("<HHI", 48, 1, 0) + file + struct.pack("<QQII", offset, length, 2, 0)


def set_info(file, kind, data):
    return struct.pack("<HBBIHHI", 33, 1, kind, len(data), 96, 0, 0) + file + data


def rename(name):
    return struct.pack("<B7xQI", 1, 0, len(text(name))) + text(name)


def query_info(file, kind=18):
    return struct.pack("<HBBIHHIII", 41, 1, kind, 1000, 0, 0, 0, 0, 0) + file


def output(data):
    return struct.pack("<HHI", 9, 72, len(data)) + data


def error():
    return struct.pack("<HBBI", 9, 0, 0, 0) + bytes(1)


EMPTY = struct.pack("<HH", 4, 0)


class Client:
    """The commands of a client on a connection of conversation.py; the data that it read and wrote is in `files` by path."""

    def __init__(self, talk, fragment=1340):
        self.talk, self.fragment = talk, fragment
        self.number, self.keys, self.aside = 0, 0, 0
        self.files, self.names, self.operations = {}, {}, []

    def send(self, end, message, granted=0, inv=None, size=None):
        """The SENDs of a message, each a list of packets."""
        size, sends = size or self.fragment, []
        for at in range(0, len(message), size):
            data = message[at:at + size]
            last = at + size >= len(message)
            sent = transfer(data, len(message) - at - len(data), granted=granted if not at else 0)
            sends.append(self.talk.send(end, len(sent), inv=inv if last else None, data=sent))
        return sends

    def credit(self, end, granted):
        return self.talk.send(end, 20, data=transfer(granted=granted))

    def set_up(self, granted=255):
        """SMB Direct and one session with a tree."""
        packets = [self.talk.send("a", 20, data=negotiate()), self.talk.send("b", 32, data=negotiated(granted=granted)), self.credit("a", 255)]
        for command, request, response, status, tree in (
                (NEGOTIATE, struct.pack("<HHHHI16sIHHH", 36, 1, 1, 0, 0x7f, bytes(range(16)), 0, 0, 0, 0x302),
                 struct.pack("<HHHH16sIIIIQQHHI", 65, 1, 0x302, 0, bytes(16), 0x2f, 1 << 20, 1 << 20, 1 << 20, 133000000000000000, 0, 128, 4, 0) + b"blob",
                 0, 0),
                (SESSION_SETUP, struct.pack("<HBBIIHHQ", 25, 0, 1, 1, 0, 88, 4, 0) + b"type", struct.pack("<HHHH", 9, 0, 72, 4) + b"type", MORE, 0),
                (SESSION_SETUP, struct.pack("<HBBIIHHQ", 25, 0, 1, 1, 0, 88, 4, 0) + b"type", struct.pack("<HHHH", 9, 0, 72, 0), 0, 0),
                (TREE_CONNECT, struct.pack("<HHHH", 9, 0, 72, len(text("\\\\srv\\share"))) + text("\\\\srv\\share"),
                 struct.pack("<HBBIII", 16, 1, 0, 0x30, 0, 0x1f01ff), 0, TREE)):
            packets += self.exchange(command, request, response, status, reply_tree=tree)
        return packets

    def exchange(self, command, request, response, status=0, data=(), reply_tree=TREE, inv=None, granted=1):
        """A command alone. `data`: packets between request and response."""
        number = self.next_number()
        return self.send("a", header(command, number) + request, granted) + list(data) + self.send(
            "b", header(command, number, RESPONSE, status, reply_tree, credits=2) + response, granted, inv)

    def next_number(self):
        self.number += 1
        return self.number - 1

    def memory(self, *lengths):
        """Pieces of memory: (address, key, length)."""
        self.keys += 1
        pieces, at = [], 0x7f0000000000 + self.keys * 0x100000
        for i, length in enumerate(lengths):
            pieces.append((at, 0x9000 + 16 * self.keys + i, length))
            at += length + 0x1000
        return pieces

    def create(self, name, size=0, action=2):
        file = struct.pack("<QQ", len(self.names) + 1, 0x1000 + len(self.names))
        self.names[file] = name
        if action != 1:
            self.files[name] = b""
        return file, self.exchange(CREATE, create(name), created(file, size, action))

    def put(self, file, offset, data):
        name = self.names[file]
        known = self.files.get(name, b"").ljust(offset, b"\0")
        self.files[name] = known[:offset] + data + known[offset + len(data):]

    def write(self, file, offset, data, parts=1, inline=False, status=0):
        if not status:
            self.put(file, offset, data)
        if inline:
            return self.exchange(WRITE, write(file, offset, data), written(len(data)) if not status else error(), status)
        size = -(-len(data) // parts)
        pieces = self.memory(*[len(data[at:at + size]) for at in range(0, len(data), size)])
        moved, at = [], 0
        for address, key, length in pieces:
            request, responses = self.talk.read("b", length, key, address, data[at:at + length])
            moved += [[request], responses]
            at += length
        return self.exchange(WRITE, write(file, offset, pieces=pieces), written(len(data)), 0, moved, inv=pieces[0][1])

    def read(self, file, offset, data, parts=1, inline=False, asked=None):
        self.put(file, offset, data)
        asked = asked or len(data)
        if inline:
            return self.exchange(READ, read(file, offset, asked), read_response(data))
        size = -(-asked // parts)
        pieces = self.memory(*[min(size, asked - at) for at in range(0, asked, size)])
        moved, at = [], 0
        for address, key, length in pieces:
            part = data[at:at + length]
            moved += [self.talk.write("b", len(part), key, address, data=part)] if part else []
            at += length
        return self.exchange(READ, read(file, offset, asked, pieces), read_response(elsewhere=len(data)), 0, moved)

    def close(self, file):
        return self.exchange(CLOSE, of_file(file), closed())

    def compound(self, name, status=0, split=True):
        """CREATE, QUERY_INFO, CLOSE as one message; as Linux sends them, each command is a fragment."""
        numbers = [self.next_number() for _ in range(3)]
        file = struct.pack("<QQ", 0x500 + numbers[0], 1)
        units = compound((((CREATE, numbers[0]), {}), create(name, 1)), (((QUERY_INFO, numbers[1], RELATED), {}), query_info(SAME)),
                         (((CLOSE, numbers[2], RELATED), {}), of_file(SAME)))
        message, sends, at = b"".join(units), [], 0
        for unit in units if split else [message]:
            at += len(unit)
            data = transfer(unit, len(message) - at)
            sends.append(self.talk.send("a", len(data), data=data))
        answers = [created(file, 5, 1), output(bytes(100)), closed()] if not status else [error()] * 3
        return sends, self.send("b", b"".join(compound(*[
            (((command, number, RESPONSE | (RELATED if command != CREATE else 0), status), {}), answer)
            for command, number, answer in zip((CREATE, QUERY_INFO, CLOSE), numbers, answers)])))

    def slow_lock(self, file, status=0):
        """A lock that the server waits for: an interim response first."""
        number = self.next_number()
        self.aside += 1
        return [self.send("a", header(LOCK, number) + lock(file, 0, 100)),
                self.send("b", header(LOCK, number, RESPONSE, PENDING, aside=self.aside) + error()),
                self.send("b", header(LOCK, number, RESPONSE, status, aside=self.aside) + (error() if status else EMPTY)), number]

    def cancel(self, number):
        return self.send("a", header(CANCEL, number, aside=self.aside) + EMPTY)

    def oplock_break(self, file):
        return self.send("b", header(OPLOCK_BREAK, 2**64 - 1, RESPONSE) + struct.pack("<HBBI", 24, 1, 0, 0) + file)

    def encrypted(self, end, length):
        data = struct.pack("<4s16s16sIHHQ", b"\xfdSMB", bytes(range(16)), bytes(range(16)), length, 0, 1, SESSION) + bytes(i * 37 & 255 for i in range(length))
        return self.send(end, data)


def put_all(scene, talk, sends):
    """SENDs, WRITEs and READs in order, each SEND and WRITE acknowledged."""
    for packets in sends:
        scene.put(*packets)
        if packets[-1].sender and packets[-1].opcode not in (0xc, 0xd, 0xe, 0xf, 0x10):
            scene.put(talk.ack(packets[-1]))


def everything(scene, talk):
    """One of each; few credits, so that fragments wait for them. Returns the client."""
    client = Client(talk)
    put_all(scene, talk, client.set_up(granted=12))
    file, sends = client.create("dir\\caf\u00e9 \U0001f600.dat")
    put_all(scene, talk, sends)
    put_all(scene, talk, client.write(file, 0, bytes(i * 7 & 255 for i in range(3000)), parts=2))
    put_all(scene, talk, client.write(file, 3000, b"inline" * 100, inline=True))
    put_all(scene, talk, client.read(file, 100, bytes(i * 7 & 255 for i in range(100, 1100))))
    put_all(scene, talk, client.read(file, 3590, b"inline"[2:] + b"inline", inline=True, asked=4096))
    for status in (0, NOT_FOUND):
        sends, answers = client.compound("dir" if not status else "none", status)
        put_all(scene, talk, sends + answers)
    request, interim, final, _ = client.slow_lock(file)
    put_all(scene, talk, request + interim)
    scene.pause(0.5)
    put_all(scene, talk, final)
    request, interim, final, number = client.slow_lock(file, CANCELLED)
    put_all(scene, talk, request + interim + client.cancel(number) + final)
    put_all(scene, talk, client.oplock_break(file))
    put_all(scene, talk, client.exchange(IOCTL, struct.pack("<HHI", 57, 0, 0x140078) + file + struct.pack("<IIIIIIII", 0, 0, 0, 0, 0, 32, 1, 0),
                                         struct.pack("<HHI", 49, 0, 0x140078) + file + struct.pack("<IIIIII", 0, 0, 112, 4, 0, 0) + b"key!"))
    put_all(scene, talk, client.exchange(ECHO, EMPTY, error(), 0xc0001234))
    # three fragments, and credits for two: the third waits
    client.fragment = 400
    number = client.next_number()
    sends = client.send("a", header(WRITE, number) + write(file, 3600, b"z" * 900))
    client.put(file, 3600, b"z" * 900)
    client.sends = sends
    return client, file, number, sends


def smb():
    from conversation import Scene
    scene = Scene("smb", "SMB Direct: one of each command: fragments, compounds, memory in pieces, interim responses, waits for credits")
    talk = scene.connection(port=PORT).establish()
    client, file, number, sends = everything(scene, talk)
    left = 2
    put_all(scene, talk, sends[:left])
    scene.pause(0.25)
    put_all(scene, talk, [client.credit("b", 20)] + sends[left:] + client.send("b", header(WRITE, number, RESPONSE) + written(900)))
    client.fragment = 1340
    put_all(scene, talk, client.exchange(SET_INFO, set_info(file, 10, rename("dir\\new")), struct.pack("<H", 2)))
    put_all(scene, talk, client.close(file) + client.encrypted("a", 80) + client.encrypted("b", 2000))
    put_all(scene, talk, client.exchange(TREE_DISCONNECT, EMPTY, EMPTY) + client.exchange(LOGOFF, EMPTY, EMPTY))
    scene.client = client
    return scene


def begun(scene, granted=255, **options):
    """A connection with a session."""
    talk = scene.connection(port=PORT, **options).establish()
    client = Client(talk)
    put_all(scene, talk, client.set_up(granted))
    return talk, client


def starved(pause):
    """A request of more fragments than there are credits: one waits for `pause` seconds."""
    from conversation import Scene
    scene = Scene("smb-test", "")
    talk, client = begun(scene, granted=4)
    file, sends = client.create("f")
    put_all(scene, talk, sends)
    client.fragment = 300
    number = client.next_number()
    sends = client.send("a", header(WRITE, number) + write(file, 0, b"z" * 900))
    left = 3
    put_all(scene, talk, sends[:left])
    scene.pause(pause)
    put_all(scene, talk, [client.credit("b", 20)] + sends[left:] + client.send("b", header(WRITE, number, RESPONSE) + written(900)))
    return scene


def ioctl(client, code, file, data=b"", output=b"", status=0):
    request = struct.pack("<HHI", 57, 0, code) + file + struct.pack("<IIIIIIII", 120, len(data), 0, 120, 0, 4096, 1, 0) + data
    response = struct.pack("<HHI", 49, 0, code) + file + struct.pack("<IIIIII", 112, 0, 112, len(output), 0, 0) + output
    return client.exchange(IOCTL, request, error() if status else response, status)


def resume_key(client, file, key):
    """FSCTL_SRV_REQUEST_RESUME_KEY: [MS-SMB2] 2.2.32.3."""
    return ioctl(client, 0x140078, file, output=key + bytes(8))


def copy(client, file, key, *chunks, status=0):
    """FSCTL_SRV_COPYCHUNK_WRITE: [MS-SMB2] 2.2.31.1, 2.2.32.1. chunks: (offset in the source, offset, length)"""
    data = key + struct.pack("<II", len(chunks), 0) + b"".join(struct.pack("<QQII", *chunk, 0) for chunk in chunks)
    return ioctl(client, 0x1480f2, file, data, struct.pack("<III", len(chunks), 0, sum(chunk[2] for chunk in chunks)), status)


def copied():
    """A file that the server copies."""
    from conversation import Scene
    scene = Scene("smb-test", "")
    talk, client = begun(scene)
    key = bytes(range(24))
    source, sends = client.create("f")
    put_all(scene, talk, sends + client.write(source, 0, bytes(300)) + resume_key(client, source, key))
    file, sends = client.create("g")
    put_all(scene, talk, sends + copy(client, file, key, (0, 0, 300)))
    return scene


def echoes(count, generous, pauses=()):
    """
    ECHOs with one credit granted for each, but none for the first four if not `generous`: they use up the five of the setup. pauses: seconds
    after each.
    """
    from conversation import Scene
    scene = Scene("smb-test", "")
    talk, client = begun(scene)
    for i in range(count):
        number = client.next_number()
        put_all(scene, talk, client.send("a", header(ECHO, number) + EMPTY))
        put_all(scene, talk, client.send("b", header(ECHO, number, RESPONSE, credits=1 if generous or i > 3 else 0) + EMPTY))
        scene.pause(pauses[i] if pauses else 0)
    return scene


def reconnected(answered):
    """A second connection after the first one, whose last request has a response or not."""
    from conversation import Scene
    scene = Scene("smb-test", "")
    talk, client = begun(scene)
    number = client.next_number()
    put_all(scene, talk, client.send("a", header(ECHO, number) + EMPTY))
    if answered:
        put_all(scene, talk, client.send("b", header(ECHO, number, RESPONSE) + EMPTY))
    scene.pause(5)
    talk, client = begun(scene, a=("10.0.0.2", 0x31, 0x100), b=("10.0.0.1", 0x32, 0x800000))
    put_all(scene, talk, client.exchange(ECHO, EMPTY, EMPTY))
    return scene


def captures():
    yield smb()
