# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Sessions of smb_session.py with several interfaces of the server, compounds of several files, interim responses in compounds, CANCEL,
leases and oplocks, and durable handles: [MS-SMB2] 3.2.4.4, 3.3.4.2, 3.3.4.6, 3.3.5.2.7, 3.3.5.9.12, 3.3.5.22."""
import struct

import smb
from smb_session import COLLISION, DENIED, END, NOT_FOUND, Command, Player as Sessions

BATCH, LEASE = 9, 0xff


def context(name, data):
    return struct.pack("<IHHHHI4s4x", 0, 16, 4, 0, 24, len(data), name) + data + bytes(-len(data) % 8)


def with_contexts(body, contexts, at):
    """A CREATE whose contexts follow its name or its fixed part. at: of their offset in the body."""
    joined = b""
    for i, each in enumerate(contexts):
        joined += struct.pack("<I", len(each) if i < len(contexts) - 1 else 0) + each[4:]
    fixed = body + bytes(-len(body) % 8) if at == 48 else body[:88]
    return fixed[:at] + struct.pack("<II", 64 + len(fixed), len(joined)) + fixed[at + 8:] + joined


class Player(Sessions):
    servers, guid = ("10.0.0.1", "10.0.1.1"), bytes(range(0x30, 0x40))

    def create(self, path, disposition, options=0, contexts=()):
        body = smb.create(path.replace("/", "\\"), disposition, options)
        return with_contexts(body, contexts, 48) if contexts else body

    def step(self):
        kind = self.dice.random()
        channel = self.dice.choice(self.channels)
        files = [handle for handle in channel.handles if not handle[1].is_directory]
        if kind < 0.08:
            self.several_files(channel)
        elif kind < 0.13 and len(files) > 1:
            self.several_handles(channel, self.dice.sample(files, 2))
        elif kind < 0.18:
            self.open_and_wait(channel)
        elif kind < 0.23 and files:
            self.cancel(channel, *self.dice.choice(files))
        elif kind < 0.28 and files:
            self.break_lease(channel, *self.dice.choice(files))
        elif kind < 0.31 and files:
            self.same_handle(channel, *self.dice.choice(files))
        elif kind < 0.34:
            self.reopen(channel)
        elif kind < 0.38 and len(self.channels) < 5:
            self.connect(channel.address + 10, channel)
        else:
            super().step()

    # Compounds

    def chain(self, channel):
        """CREATE, WRITE or SET_INFO, CLOSE. Returns ([(code, command, body)], a function that executes them and returns the answers)."""
        dice, path = self.dice, self.path()
        if not self.is_possible(path):
            return None
        disposition, data, is_write = dice.choice((1, 3, 5)), self.noise(dice.choice((1, 300))), dice.random() < 0.7
        size, fails = dice.choice((0, 5, 900)), dice.random() < 0.3
        first, third = Command("CREATE", 0, {path}), Command("CLOSE", 0, {path})
        second = Command("WRITE", 0, {path}, 0, len(data)) if is_write else Command("SET_INFO", 0, {path})
        code = smb.WRITE if is_write else smb.SET_INFO
        body = smb.write(smb.SAME, 0, data) if is_write else smb.set_info(smb.SAME, END, struct.pack("<Q", size))
        units = [(smb.CREATE, first, self.create(path, disposition)), (code, second, body), (smb.CLOSE, third, smb.of_file(smb.SAME))]

        def execute():
            file, found, action, status = self.open(channel, path, disposition, 0, first)
            if status:
                # the commands on the file that was not opened fail with the same status
                return [(each[0], each[1], smb.error(), status) for each in units]
            answers = [(smb.CREATE, first, self.created(file, found, action), 0)]
            if fails:
                if is_write:
                    found.attempts.append(second)
                answers.append((code, second, smb.error(), DENIED))
            elif is_write:
                found.put(second, 0, data)
                second.moved = len(data)
                answers.append((code, second, smb.written(len(data)), 0))
            else:
                found.resize(second, size)
                answers.append((code, second, struct.pack("<H", 2), 0))
            self.close(found, third)
            return answers + [(smb.CLOSE, third, smb.closed(), 0)]
        return units, execute

    def several_files(self, channel):
        chains = [chain for chain in (self.chain(channel) for _ in range(self.dice.choice((2, 3)))) if chain]
        if len(chains) < 2:
            return
        related = [i > 0 for units, _ in chains for i in range(len(units))]
        self.ask(channel, [unit for units, _ in chains for unit in units], related=related)
        answers = [execute() for _, execute in chains]
        if self.dice.random() < 0.5:
            self.tell(channel, sum(answers, []), related=related)
            return
        for each in answers:
            self.tell(channel, each)

    def several_handles(self, channel, handles):
        """WRITEs of two handles, and an ECHO, as one message of commands that are not related; the answers are in any order."""
        units, answers = [], []
        for file, found in handles:
            data, offset = self.noise(self.dice.choice((1, 200))), self.dice.randrange(len(found.data) + 1)
            command = Command("WRITE", 0, found.paths, offset, len(data))
            found.attempts.append(command)
            units.append((smb.WRITE, command, smb.write(file, offset, data)))
            answers.append((smb.WRITE, command, found, offset, data, self.dice.random() < 0.2))
        echo = Command("ECHO", 0)
        self.ask(channel, units + [(smb.ECHO, echo, smb.EMPTY)], related=[0, 0, 0])

        def write(code, command, found, offset, data, fails):
            if not fails:
                found.put(command, offset, data)
                command.moved = len(data)
            return code, command, smb.error() if fails else smb.written(len(data)), DENIED if fails else 0
        if self.dice.random() < 0.5:
            self.tell(channel, [write(*each) for each in answers] + [(smb.ECHO, echo, smb.EMPTY, 0)], related=[0, 0, 0])
            return
        self.dice.shuffle(answers)
        for each in answers:
            self.tell(channel, [write(*each)])
        self.tell(channel, [(smb.ECHO, echo, smb.EMPTY, 0)])

    def same_handle(self, channel, file, found):
        """WRITE with the file id, SET_INFO and READ with that of the WRITE."""
        data, offset, size = self.noise(50), self.dice.randrange(len(found.data) + 1), len(found.data) // 2
        first, third = Command("WRITE", 0, found.paths, offset, len(data)), Command("READ", 0, found.paths, 0, 100)
        second = Command("SET_INFO", 0, found.paths)
        self.ask(channel, [(smb.WRITE, first, smb.write(file, offset, data)),
                           (smb.SET_INFO, second, smb.set_info(smb.SAME, END, struct.pack("<Q", size))),
                           (smb.READ, third, smb.read(smb.SAME, 0, 100))])
        found.attempts.append(first)
        found.put(first, offset, data)
        first.moved = len(data)
        found.resize(second, size)
        got = bytes(found.data[:100])
        third.moved = len(got)
        self.tell(channel, [(smb.WRITE, first, smb.written(len(data)), 0), (smb.SET_INFO, second, struct.pack("<H", 2), 0),
                            (smb.READ, third, smb.read_response(got) if got else smb.error(), 0 if got else 0xc0000011)])

    # Interim responses

    def interim(self, channel, code, command, aside):
        return (code, command.number, smb.ASYNC, smb.error(), {"status": smb.PENDING, "aside": aside, "credits": 1})

    def open_and_wait(self, channel):
        """CREATE and CHANGE_NOTIFY or LOCK, which waits: its interim response is in the same message as CREATE's, or in another one."""
        path, dice = self.path(), self.dice
        if not self.is_possible(path):
            return
        is_lock, first = dice.random() < 0.5, Command("CREATE", 0, {path})
        code = smb.LOCK if is_lock else smb.CHANGE_NOTIFY
        second = Command("LOCK" if is_lock else "CHANGE_NOTIFY", 0, {path})
        body = smb.lock(smb.SAME, 0, 100) if is_lock else struct.pack("<HHI", 32, 0, 1000) + smb.SAME + struct.pack("<II", 0x17, 0)
        self.ask(channel, [(smb.CREATE, first, self.create(path, 3)), (code, second, body)])
        file, found, action, status = self.open(channel, path, 3, 0, first)
        channel.client.aside += 1
        aside = channel.client.aside
        first.status = 0
        units = [(smb.CREATE, first.number, 0, self.created(file, found, action), {"credits": 2})]
        if dice.random() < 0.5:
            units.append(self.interim(channel, code, second, aside))
            self.send(channel, "b", self.message(channel, units, smb.RESPONSE), [first])
        else:
            self.send(channel, "b", self.message(channel, units, smb.RESPONSE), [first])
            self.send(channel, "b", self.message(channel, [self.interim(channel, code, second, aside)], smb.RESPONSE), [])
        channel.handles.append((file, found))
        body = smb.EMPTY if is_lock else smb.output(struct.pack("<III", 0, 1, 2) + smb.text("x"))
        channel.waiting.append(lambda: self.tell(channel, [(code, second, body, 0)], aside=aside))

    def cancel(self, channel, file, found):
        """A LOCK that waits, is cancelled, and fails or was just granted."""
        command = Command("LOCK", 0, found.paths)
        self.ask(channel, [(smb.LOCK, command, smb.lock(file, 0, 100))])
        channel.client.aside += 1
        aside, is_late = channel.client.aside, self.dice.random() < 0.3
        self.send(channel, "b", self.message(channel, [self.interim(channel, smb.LOCK, command, aside)], smb.RESPONSE), [])

        def finish():
            head = self.header(channel, smb.CANCEL, command.number, 0, 0, aside=aside)
            self.put(channel, channel.client.send("a", head + smb.EMPTY))
            self.tell(channel, [(smb.LOCK, command, smb.EMPTY if is_late else smb.error(), 0 if is_late else smb.CANCELLED)], aside=aside)
        channel.waiting.append(finish)

    # Leases and oplocks

    def break_lease(self, channel, file, found):
        """The notification of the server, and its acknowledgement, on any channel of the session."""
        is_lease = self.dice.random() < 0.5
        command = Command("OPLOCK_BREAK", 0, None if is_lease else found.paths)
        key = struct.pack("<QQ", found.number, 77)
        if is_lease:
            notice = struct.pack("<HHI16sIIIII", 44, 2, 1, key, 7, 3, 0, 0, 0)
            request, response = (struct.pack("<HHI16sIQ", 36, 0, 0, key, 3, 0) for _ in range(2))
        else:
            notice = request = response = struct.pack("<HBBI", 24, 1, 0, 0) + file
        number = 2**64 - 1
        head = smb.header(smb.OPLOCK_BREAK, number, smb.RESPONSE, tree=0, session=0 if is_lease else channel.session, credits=0)
        self.put(channel, channel.client.send("b", head + notice))
        self.answer_some(0.3)
        others = [each for each in self.channels if each.session == channel.session]
        channel = self.dice.choice(others)
        self.ask(channel, [(smb.OPLOCK_BREAK, command, request)])
        self.tell(channel, [(smb.OPLOCK_BREAK, command, response, 0)])

    # Durable handles

    def reopen(self, channel):
        """All connections of the session end without a word; the handles of files are opened again in a new one: the persistent part of
        the id is the same, and maybe the other one too."""
        handles = [handle for handle in channel.handles if not handle[1].is_directory and handle[1].path]
        self.reconnect(channel)
        channel = self.channels[-1]
        for file, found in handles:
            if not found.path:
                continue
            command, disposition = Command("CREATE", 0, found.paths), self.dice.choice((1, 1, 3, 5))
            again = context(b"DH2C", file + struct.pack("<16sI", file[::-1], 2))
            self.ask(channel, [(smb.CREATE, command, self.create(found.path, disposition, contexts=[again]))])
            if self.dice.random() < 0.2:
                self.tell(channel, [(smb.CREATE, command, smb.error(), NOT_FOUND)])
                continue
            if self.dice.random() < 0.7:
                self.ids += 1
                file = file[:8] + struct.pack("<Q", 0x1000 + self.ids)
            self.opened[file] = command
            found.ids.add(file.hex())
            self.tell(channel, [(smb.CREATE, command, self.created(file, found, 1), 0)])
            channel.handles.append((file, found))
