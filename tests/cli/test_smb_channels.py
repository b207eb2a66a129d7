# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""SMB sessions on several connections, compounds of several files, interim responses, leases and durable handles: against generate/smb_channels.py."""
import struct

import smb
import smb_channels
from smb_session import END, damages
from test_smb import Smb
from test_smb_sessions import Truth

GUIDS = bytes(range(16)), bytes(range(16, 32))


class Channels(Truth):
    @staticmethod
    def player(seed):
        return smb_channels.Player(seed, is_lossy=seed % 3 == 0, steps=25)

    def test_files_and_operations_are_those_of_the_client(self):
        for seed in range(8):
            with self.subTest(seed):
                self.check_session(seed, [])

    def test_bytes_are_right_or_missing(self):
        for seed in range(100, 112):
            with self.subTest(seed, kinds=damages(seed)):
                self.check_session(seed, damages(seed))


class Compounds(Smb):
    def begin(self):
        self.last, self.talk, self.client = self.scene(port=smb.PORT)
        self.put(self.client.set_up())

    def put(self, sends):
        smb.put_all(self.last, self.talk, sends)

    def request(self, *units):
        """units: (command, body); returns their numbers."""
        numbers = [self.client.next_number() for _ in units]
        rows = [((command, number, smb.RELATED if i else 0), {}) for i, ((command, _), number) in enumerate(zip(units, numbers))]
        self.put(self.client.send("a", b"".join(smb.compound(*[(row, body) for row, (_, body) in zip(rows, units)]))))
        return numbers

    def response(self, *units):
        """units: (command, number, body, status, more of the header)."""
        rows = [((command, number, smb.RESPONSE | (smb.RELATED if i else 0), status), more)
                for i, (command, number, _, status, more) in enumerate(units)]
        self.put(self.client.send("b", b"".join(smb.compound(*[(row, unit[2]) for row, unit in zip(rows, units)]))))

    def found(self):
        path = self.capture(self.last)
        return [(o["name"], o.get("status"), o["complete"]) for o in self.operations(path)][4:], self.operations(path)[4:]

    def test_an_interim_response_after_the_response_of_an_earlier_command(self):
        """[MS-SMB2] 3.3.4.2: STATUS_PENDING is not the result of the command, in one message with CREATE's response or alone."""
        for is_one in (True, False):
            self.begin()
            create, notify = self.request((smb.CREATE, smb.create("d", 1)), (smb.CHANGE_NOTIFY, struct.pack("<HHI", 32, 0, 1000) + smb.SAME + bytes(8)))
            answers = [(smb.CREATE, create, smb.created(b"a directory's id", 0, 1, 0x10), 0, {}),
                       (smb.CHANGE_NOTIFY, notify, smb.error(), smb.PENDING, {"aside": 9})]
            for part in [answers] if is_one else [answers[:1], answers[1:]]:
                self.response(*part)
            waiting, rows = self.found()
            self.assertEqual(waiting, [("CREATE", "STATUS_SUCCESS", True), ("CHANGE_NOTIFY", None, False)])
            self.assertTrue("latency" in rows[0] and "latency" not in rows[1])
            frame = rows[0]["response_frame"]
            self.assertEqual(rows[1]["pending_frame"], frame + 2 * (not is_one))
            self.last.pause(0.5)
            self.response((smb.CHANGE_NOTIFY, notify, smb.output(bytes(12)), 0, {"aside": 9}))
            ended, rows = self.found()
            self.assertEqual(ended, [("CREATE", "STATUS_SUCCESS", True), ("CHANGE_NOTIFY", "STATUS_SUCCESS", True)])
            self.assertEqual((rows[0]["response_frame"], rows[1]["response_frame"] > frame), (frame, True))
            self.assertEqual([float(row["latency"]) > 0.5 for row in rows], [False, True])

    def test_commands_of_a_compound_change_a_file_one_after_the_other(self):
        """WRITE then SET_INFO of the end, and the other way round: [MS-SMB2] 3.3.5.2.7.2."""
        write, cut = (smb.WRITE, smb.write(smb.SAME, 0, b"1" * 300)), (smb.SET_INFO, smb.set_info(smb.SAME, END, struct.pack("<Q", 100)))
        for middle, wanted in (((write, cut), b"1" * 100), ((cut, write), b"1" * 300), ((write, cut, write), b"1" * 300)):
            self.begin()
            units = ((smb.CREATE, smb.create("f", 5)), *middle, (smb.CLOSE, smb.of_file(smb.SAME)))
            bodies = {smb.CREATE: smb.created(b"the id of a file"), smb.WRITE: smb.written(300), smb.SET_INFO: struct.pack("<H", 2), smb.CLOSE: smb.closed()}
            self.response(*((code, number, bodies[code], 0, {}) for (code, _), number in zip(units, self.request(*units))))
            self.assertEqual(self.files(self.capture(self.last)), ({"srv/share/f": wanted}, []))


class Oplocks(Smb):
    def test_an_acknowledgement_names_its_file(self):
        """That of a lease has the key of the lease."""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        lease = struct.pack("<HHI", 36, 0, 0) + file + struct.pack("<IQ", 3, 0)
        for body in (struct.pack("<HBBI", 24, 1, 0, 0) + file, lease):
            sends += client.exchange(smb.OPLOCK_BREAK, body, body)
        smb.put_all(scene, talk, sends)
        self.assertEqual([o.get("object") for o in self.operations(self.capture(scene)) if o["name"] == "OPLOCK_BREAK"], ["srv/share/f", None])


class Order(Smb):
    """Two changes of a file, whose responses were captured in the order of the wire, or the second one first."""

    @staticmethod
    def after(data, change):
        if isinstance(change, int):
            return data[:change].ljust(change, b"\0")
        offset, new = change
        return data.ljust(offset, b"\0")[:offset] + new + data[offset + len(new):]

    @staticmethod
    def exchange(client, file, change):
        if isinstance(change, int):
            return client.exchange(smb.SET_INFO, smb.set_info(file, END, struct.pack("<Q", change)), struct.pack("<H", 2))
        return client.exchange(smb.WRITE, smb.write(file, *change), smb.written(len(change[1])))

    def exported(self, changes, places):
        """places: of the request and the response of each change that are captured"""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 300, inline=True))
        rows = [row for change in changes for row in self.exchange(client, file, change)]
        acks = []
        for place in places:
            scene.put(*rows[place])
            acks.append(talk.ack(rows[place][-1]))
        scene.put(*acks)
        found, missing = self.files(self.capture(scene))
        return found["srv/share/f"], [each[1:3] for each in missing]

    def test_the_order_of_the_responses_is_that_of_the_wire(self):
        changes = (0, 100, 400, (0, b"2" * 300), (50, b"3" * 100), (350, b"4" * 50))
        for one in changes:
            for other in changes:
                wanted = self.after(self.after(b"1" * 300, one), other)
                for places in ((0, 2, 3, 1), (0, 2, 1, 3))[:1 + (one == 0)]:
                    with self.subTest(one=one, other=other, places=places):
                        self.assertEqual(self.exported((one, other), places), (wanted, []))

    def test_a_size_without_a_response_leaves_unknown_bytes(self):
        self.assertEqual(self.exported((100,), (0,))[1], [(100, 200)])
        self.assertEqual(self.exported((100,), (0, 1)), (b"1" * 100, []))


class Servers(Smb):
    """Two connections to two addresses; file ids and session ids are the same."""

    def written(self, guids, is_bound):
        """The client opens a file "f" on the first connection and writes to its handle on both."""
        scene, file, clients = self.scene()[0], struct.pack("<QQ", 1, 1), []
        for i, guid in enumerate(guids):
            talk = scene.connection(a=("10.0.0.2", 0x11 + i, 0x100), b=("10.0.%d.1" % i, 0x42 + i, 0x800000), port=smb.PORT).establish()
            client = smb.Client(talk)
            sends = client.set_up()
            for packet in (packet for row in sends for packet in row):
                packet.data = packet.data.replace(struct.pack("<HHHH", 65, 1, 0x302, 0) + bytes(16), struct.pack("<HHHH", 65, 1, 0x302, 0) + guid)
                if i and is_bound:
                    packet.data = packet.data.replace(struct.pack("<HBBIIHH", 25, 0, 1, 1, 0, 88, 4), struct.pack("<HBBIIHH", 25, 1, 1, 1, 0, 88, 4))
            # a bound connection has no TREE_CONNECT of its own
            smb.put_all(scene, talk, sends if not (i and is_bound) else sends[:-2])
            client.names[file] = "f"
            clients.append((talk, client))
        smb.put_all(scene, *[clients[0][0], clients[0][1].exchange(smb.CREATE, smb.create("f"), smb.created(file))])
        for i, (talk, client) in enumerate(clients):
            smb.put_all(scene, talk, client.write(file, 100 * i, b"%d" % i * 100))
        path = self.capture(scene)
        return self.files(path), [o.get("object") for o in self.operations(path) if o["name"] == "WRITE"]

    def test_a_handle_is_used_on_a_connection_to_another_address(self):
        (found, missing), objects = self.written(GUIDS[:1] * 2, True)
        self.assertEqual((found, missing, objects), ({"srv/share/f": b"0" * 100 + b"1" * 100}, [], ["srv/share/f"] * 2))

    def test_another_server_has_other_files(self):
        for guids, is_bound in ((GUIDS, False), (GUIDS, True), (GUIDS[:1] * 2, False), ((bytes(16),) * 2, True)):
            (found, _), objects = self.written(guids, is_bound)
            self.assertEqual((found["srv/share/f"][100:], objects), (b"", ["srv/share/f", None]), (guids, is_bound))


if __name__ == "__main__":
    import unittest
    unittest.main()
