# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Files and operations of random SMB sessions, whole and damaged, against the server in generate/smb_session.py."""
import re
import struct
import unittest

import capfile
import smb
from smb_session import DAMAGES, STATUS, ZERO_DATA, ALLOCATION, END, Damaged, Player, damages
from test_smb import Smb

SHARE = "srv/share/"
SEEDS = 120


def last(path):
    return path.split("/")[-1]


def holes(missing, path, size):
    lost = bytearray(size)
    for name, offset, length, _ in missing:
        if name == "smb/" + path:
            lost[offset:offset + length] = b"\1" * max(0, min(length, size - offset))
    return lost


class Truth(Smb):
    @staticmethod
    def player(seed):
        return Player(seed, is_lossy=seed % 3 == 0)

    def wrong(self, player, damaged, kinds, path, data, lost):
        """The first known byte that no file with the name can have had. None: all can be of one file."""
        by_id = re.search(r"/by-id/([0-9a-f]+)", path)
        name = re.sub(r"~\d+", "", last(path))
        candidates = [each for each in player.objects if (by_id[1] in each.ids if by_id else name in map(last, each.paths))]
        found = None if candidates else 0
        for each in candidates:
            # the path alone does not show who changes the file: through another path, after a rename that was not captured, by a file or tree id
            is_sure = not ("reordered" in kinds or by_id or "/tree-" in path or "~" in path) and all(map(damaged.is_known, each.moves))
            possible = each.possible(damaged.is_known if is_sure else lambda command: False)
            possible += [set()] * (len(data) - len(possible))
            # zeros of a new size whose response was captured before that of a WRITE, or before a WRITE beyond the end that may have been executed
            may_be_zero, may_end = "reordered" in kinds, each.has_unanswered(damaged.is_known)
            at = next((i for i, byte in enumerate(data) if not lost[i] and byte not in possible[i] and not (
                not byte and (may_be_zero or (may_end and not possible[i])))), None)
            if at is None:
                return None
            found = max(found or 0, at)
        return found

    def check_files(self, player, damaged, kinds, capture):
        found, missing = self.files(capture)
        for path, data in found.items():
            lost = holes(missing, path, len(data))
            if not all(lost):
                self.assertIsNone(self.wrong(player, damaged, kinds, path, data, lost), path)
        if set(kinds) - {"doubled"}:
            return
        for each in player.objects:
            if not each.path or each.is_directory or not any(command and command.name == "WRITE" for command, *_ in each.changes):
                continue
            data = found[SHARE + each.path]
            if each.has_unanswered(damaged.is_known) or each in player.rounded:
                continue
            self.assertEqual(len(data), len(each.data), each.path)
            written = bytearray(len(data))
            for command, offset, change, size in each.changes:
                length = 0 if change is None else len(change)
                is_write = command and command.name == "WRITE" and size is not None
                written[offset:offset + length] = bytes([bool(is_write)]) * max(0, min(length, len(written) - offset))
            lost = holes(missing, SHARE + each.path, len(data))
            if not player.has_encrypted:
                self.assertFalse(any(a and b for a, b in zip(written, lost)), each.path)

    def check_operation(self, player, o, command, is_whole):
        self.assertEqual(o["name"], command.name)
        if "status" in o:
            self.assertEqual(o["status"], STATUS[command.status])
        if command.offset is not None and "offset" in o:
            self.assertEqual((o["offset"], o["length"]), (command.offset, command.length))
            self.assertLessEqual(o.get("data_bytes", 0), command.length)
            if o["complete"] and o.get("ok") and "request_frame" in o:
                self.assertEqual(o["data_bytes"], command.moved)
        if command.objects and "object" in o and "/tree-" not in o["object"]:
            path = o["object"].split("/", 2)[-1]
            # a deleted file has the name of its directory
            is_sure = is_whole and not any(each.paths is command.objects and not each.path for each in player.objects)
            self.assertTrue(path in command.objects or (not is_sure and last(path) in map(last, command.objects)), (o, command.objects))
        if is_whole and command.status is not None:
            self.assertTrue(o["complete"], o)

    def check_operations(self, player, damaged, kinds, capture):
        is_whole, seen = not set(kinds) - {"doubled"}, set()
        for o in self.operations(capture):
            self.assertEqual(o["layer"], "smb")
            if o["name"] in ("encrypted", "truncated", "CANCEL") or o["id"] == str(2**64 - 1):
                continue
            packet = damaged.rows[(o.get("request_frame") or o["response_frame"]) - 1][3]
            channel, = (each for each in player.all if each.talk is packet.connection)
            command = channel.commands[int(o["id"])]
            seen.add(command)
            self.check_operation(player, o, command, is_whole)
        if is_whole:
            self.assertEqual(seen, {command for each in player.all for command in each.commands.values()})

    def check_session(self, seed, kinds):
        player = self.player(seed)
        damaged = Damaged(player.scene, kinds, seed)
        capture = self.path("scene.pcap")
        capfile.write_pcap(capture, 1, [row[:3] for row in damaged.rows])
        self.check_files(player, damaged, kinds, capture)
        self.check_operations(player, damaged, kinds, capture)


class Sessions(Truth):
    def test_bytes_are_right_or_missing_and_operations_are_those_of_the_client(self):
        for seed in range(SEEDS):
            with self.subTest(seed, kinds=damages(seed)):
                self.check_session(seed, damages(seed))

    def test_each_damage_alone(self):
        for i, kind in enumerate(DAMAGES):
            with self.subTest(kind):
                self.check_session(1000 + i, [kind])


class Changes(Smb):
    """Changes of contents that have no data."""

    def file(self, *changes):
        """A file of 300 bytes 1 after the changes, each (command, request after the file id's place, response)"""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 300))
        for change in changes:
            smb.put_all(scene, talk, change(client, file))
        found, missing = self.files(self.capture(scene))
        return found["srv/share/f"], [each[1:3] for each in missing]

    @staticmethod
    def control(code, data, status=0):
        def send(client, file):
            request = struct.pack("<HHI", 57, 0, code) + file + struct.pack("<IIIIIIII", 120, len(data), 0, 120, 0, 0, 1, 0) + data
            response = struct.pack("<HHI", 49, 0, code) + file + struct.pack("<IIIIII", 112, 0, 112, 0, 0, 0)
            return client.exchange(smb.IOCTL, request, smb.error() if status else response, status)
        return send

    @staticmethod
    def size(kind, size):
        return lambda client, file: client.exchange(smb.SET_INFO, smb.set_info(file, kind, struct.pack("<Q", size)), struct.pack("<H", 2))

    def test_zero_data_makes_zeros_before_the_end(self):
        def zeros(begin, end, status=0):
            return self.control(ZERO_DATA, struct.pack("<QQ", begin, end), status)
        self.assertEqual(self.file(zeros(100, 200)), (b"1" * 100 + bytes(100) + b"1" * 100, []))
        self.assertEqual(self.file(zeros(250, 1 << 40)), (b"1" * 250 + bytes(50), []))
        self.assertEqual(self.file(zeros(100, 200, smb.NOT_FOUND)), (b"1" * 300, []))

    def test_copies_leave_unknown_bytes(self):
        chunks = bytes(24) + struct.pack("<IIQQIIQQII", 2, 0, 0, 120, 30, 0, 900, 280, 40, 0)
        for code, data, missing, size in (
                (0x1440f2, chunks, [(120, 30), (280, 40)], 320), (0x1480f2, chunks, [(120, 30), (280, 40)], 320),
                (0x98344, bytes(16) + struct.pack("<QQQ", 0, 10, 20), [(10, 20)], 300),
                (0x983e8, struct.pack("<Q", 48) + bytes(16) + struct.pack("<QQQQ", 0, 30, 20, 0), [(30, 20)], 300),
                (0x98268, struct.pack("<IIQQQ", 0x220, 0, 40, 20, 0) + bytes(512), [(40, 20)], 300)):
            with self.subTest(hex(code)):
                data, found = self.file(self.control(code, data))
                self.assertEqual((len(data), found), (size, missing))
        # not valid: any byte; another code: none
        self.assertEqual(self.file(self.control(0x1440f2, bytes(20)))[1], [(0, 300)])
        self.assertEqual(self.file(self.control(0x900c4, b"\1"))[1], [])

    def test_a_smaller_allocation_shortens_the_file(self):
        self.assertEqual(self.file(self.size(ALLOCATION, 400)), (b"1" * 300, []))
        self.assertEqual(self.file(self.size(ALLOCATION, 0)), (b"", []))
        # by how much is not known
        self.assertEqual(self.file(self.size(ALLOCATION, 100))[1], [(100, 200)])
        # nor whether zeros are beyond that
        data, missing = self.file(self.size(ALLOCATION, 100), self.control(ZERO_DATA, struct.pack("<QQ", 50, 250)))
        self.assertEqual((data[:100], missing), (b"1" * 50 + bytes(50), [(100, 200)]))

    def test_of_several_sizes_the_smallest_one_ends_what_was_written_before(self):
        """The WRITE is reported last, because its data are captured after the sizes."""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends)
        write = client.write(file, 0, b"1" * 300)
        smb.put_all(scene, talk, write[:1] + write[3:])
        for size in (100, 200):
            smb.put_all(scene, talk, self.size(END, size)(client, file))
        smb.put_all(scene, talk, write[1:3])
        data, missing = self.files(self.capture(scene))
        lost = holes(missing, "srv/share/f", 200)
        self.assertEqual(len(data["srv/share/f"]), 200)
        self.assertFalse(any(byte and i >= 100 and not lost[i] for i, byte in enumerate(data["srv/share/f"])))

    def test_the_size_that_the_server_reported_is_that_of_the_file(self):
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f", size=500, action=1)
        smb.put_all(scene, talk, sends + client.read(file, 0, b"1" * 100))
        found, missing = self.files(self.capture(scene))
        self.assertEqual((len(found["srv/share/f"]), [each[1:3] for each in missing]), (500, [(100, 400)]))

    def test_a_file_of_an_unknown_tree_can_be_any_one(self):
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f", size=300, action=1)
        smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 300))
        number = client.next_number()
        for row in (client.send("a", smb.header(smb.CREATE, number, tree=9) + smb.create("f", 1)),
                    client.send("b", smb.header(smb.CREATE, number, smb.RESPONSE, tree=9) + smb.created(b"unknown-tree-id.", 300, 1))):
            smb.put_all(scene, talk, row)
        smb.put_all(scene, talk, client.write(file, 250, b"3" * 10)[:0])
        client.names[b"unknown-tree-id."] = "f"
        smb.put_all(scene, talk, client.write(b"unknown-tree-id.", 100, b"2" * 50) + client.write(file, 140, b"3" * 10))
        found, missing = self.files(self.capture(scene))
        self.assertEqual(found["10.0.0.1/tree-9/f"][100:150], b"2" * 50)
        self.assertEqual([each[1:3] for each in missing if each[0] == "smb/srv/share/f"], [(100, 40)])

    def replaced(self, ids, name="f"):
        """The file "f", and one opened later as `name`, of which nothing else is known; `ids`: that CREATE's responses have, and whether the first one is
        closed before."""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())

        def open_file(number, size, disk, action=1, name="f"):
            file = struct.pack("<QQ", number, number)
            client.names[file] = "f"
            body = smb.created(file, size, action)
            if disk:
                body = body[:80] + struct.pack("<II", 152, 56) + struct.pack("<IHHHHI4s4xQQ16x", 0, 16, 4, 0, 24, 32, b"QFid", disk, 1)
            smb.put_all(scene, talk, client.exchange(smb.CREATE, smb.create(name, 3), body))
            return file
        first = open_file(1, 0, ids[0], 2)
        smb.put_all(scene, talk, client.write(first, 0, b"1" * 300))
        if ids[2]:
            smb.put_all(scene, talk, client.close(first))
            # the requests for it end
            for _ in range(3):
                scene.pause(100)
                smb.put_all(scene, talk, client.exchange(smb.ECHO, smb.EMPTY, smb.EMPTY))
        second = open_file(2, 200, ids[1], name=name)
        smb.put_all(scene, talk, client.write(second, 100, b"2" * 100))
        found, missing = self.files(self.capture(scene))
        return found, [each[:3] for each in missing]

    def test_a_file_with_another_id_on_the_disk_is_another_one(self):
        for is_closed in (False, True):
            with self.subTest(is_closed):
                found, missing = self.replaced((7, 8, is_closed))
                self.assertEqual((found["srv/share/f"][100:], found["srv/share/f~2"], missing),
                                 (b"2" * 100, b"1" * 300, [("smb/srv/share/f", 0, 100)]))
                for ids in ((7, 7), (7, 0), (0, 7), (0, 0)):
                    found, missing = self.replaced((*ids, is_closed))
                    self.assertEqual((found, missing), ({"srv/share/f": b"1" * 100 + b"2" * 100 + b"1" * 100}, []))

    def test_a_name_in_other_cases_is_the_same_file_if_the_id_is_the_same(self):
        for is_closed in (False, True):
            with self.subTest(is_closed):
                found, missing = self.replaced((7, 7, is_closed), "F")
                self.assertEqual((found, missing), ({"srv/share/" + "fF"[is_closed]: b"1" * 100 + b"2" * 100 + b"1" * 100}, []))
                for ids in ((7, 8), (7, 0), (0, 7), (0, 0)):
                    found, _ = self.replaced((*ids, is_closed), "F")
                    self.assertEqual((found["srv/share/f"], found["srv/share/F"][100:]), (b"1" * 300, b"2" * 100))

    def test_create_may_have_emptied_a_file(self):
        """Its response was not captured, or not whole."""
        for disposition, cut, missing in ((5, 0, [(0, 300)]), (4, 80, [(0, 300)]), (0, 80, [(0, 300)]), (1, 0, []), (3, 80, [])):
            scene, talk, client = self.scene(port=smb.PORT)
            smb.put_all(scene, talk, client.set_up())
            file, sends = client.create("f")
            smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 300))
            sends = client.exchange(smb.CREATE, smb.create("f", disposition), smb.created(b"another file id.", 0, 3))
            smb.put_all(scene, talk, sends[:1])
            begin = len(scene.frames)
            smb.put_all(scene, talk, sends[1:] if cut else [])
            capture = self.capture(scene)
            frames = list(capfile.read(capture))
            if cut:
                body = frames[begin][1].index(b"\xfeSMB") + cut
                frames[begin] = frames[begin][0], frames[begin][1][:body], frames[begin][2]
                capfile.write_pcap(capture, 1, frames)
            with self.subTest((disposition, cut)):
                self.assertEqual([each[1:3] for each in self.files(capture)[1]], missing)

    def test_what_set_info_sets(self):
        """Classes by their numbers: [MS-FSCC] 2.4."""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends)
        for kind, data in ((END, struct.pack("<Q", 1 << 40)), (4, bytes(40)), (65, smb.rename("d\\g")), (200, bytes(8))):
            smb.put_all(scene, talk, client.exchange(smb.SET_INFO, smb.set_info(file, kind, data), struct.pack("<H", 2)))
        found = [o for o in self.operations(self.capture(scene)) if o["name"] == "SET_INFO"]
        self.assertEqual([{key: o[key] for key in ("object", "info", "size", "to") if key in o} for o in found],
                         [{"object": "srv/share/f", "info": "FileEndOfFileInformation", "size": 1 << 40},
                          {"object": "srv/share/f", "info": "FileBasicInformation"},
                          {"object": "srv/share/f", "info": "FileRenameInformationEx", "to": "srv/share/d/g"}, {"object": "srv/share/d/g"}])

    def test_a_write_without_a_response_can_have_been_executed_after_later_ones(self):
        for is_captured in (True, False):
            scene, talk, client = self.scene(port=smb.PORT)
            smb.put_all(scene, talk, client.set_up())
            file, sends = client.create("f")
            smb.put_all(scene, talk, sends)
            number = client.next_number()
            sends = client.send("a", smb.header(smb.WRITE, number) + smb.write(file, 0, b"1" * 300)) + client.write(file, 100, b"2" * 300)
            last = client.send("b", smb.header(smb.WRITE, number, smb.RESPONSE) + smb.written(300))
            smb.put_all(scene, talk, sends + (last if is_captured else []))
            smb.put_all(scene, talk, client.exchange(smb.ECHO, smb.EMPTY, smb.EMPTY))
            found, missing = self.files(self.capture(scene))
            self.assertEqual([each[1:3] for each in missing], [] if is_captured else [(0, 300)])
            if is_captured:
                self.assertEqual(found["srv/share/f"], b"1" * 300 + b"2" * 100)

    def test_zeros_are_before_a_write_beyond_the_end_also_if_the_new_size_was_shown_soon(self):
        """The data of a WRITE are final later than the size in the response to the next CREATE."""
        for shown, missing in ((600, []), (700, [(600, 100)])):
            scene, talk, client = self.scene(port=smb.PORT)
            smb.put_all(scene, talk, client.set_up())
            file, sends = client.create("f")
            smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 300) + client.write(file, 500, b"2" * 100))
            file, sends = client.create("f", size=shown, action=1)
            smb.put_all(scene, talk, sends + client.write(file, 900, b"3" * 100))
            smb.put_all(scene, talk, client.create("f", size=1000, action=1)[1])
            with self.subTest(shown):
                self.assertEqual(self.files(self.capture(scene)),
                                 ({"srv/share/f": b"1" * 300 + bytes(200) + b"2" * 100 + bytes(300) + b"3" * 100},
                                  [("smb/srv/share/f", *each, "not_captured") for each in missing]))

    def test_what_a_missing_request_cut_off_is_zero_before_later_changes_of_unknown_files(self):
        """The request may have been the CREATE of the unknown file id, and have emptied the file."""
        def size(client, file):
            return self.size(END, 200)(client, file)

        def write(client, file):
            return client.write(file, 150, b"2" * 50, inline=True)
        for change, missing in ((size, [(0, 300)]), (write, [(0, 200)])):
            for is_missing in (True, False):
                scene, talk, client = self.scene(port=smb.PORT)
                smb.put_all(scene, talk, client.set_up())
                file, sends = client.create("f")
                smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 300))
                if is_missing:
                    client.next_number()
                client.names[b"unknown file id."] = None
                smb.put_all(scene, talk, change(client, b"unknown file id."))
                found = self.files(self.capture(scene))[1]
                # without a missing request the file has its bytes before the change
                wanted = missing if is_missing else [(200, 100)] if change is size else [(150, 50)]
                self.assertEqual([each[1:3] for each in found if each[0] == "smb/srv/share/f"], wanted)

    def test_the_whole_copy_of_a_truncated_frame_counts(self):
        """Each SEND was captured twice: truncated within the header or the body of SMB, and whole."""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        begin = len(scene.frames)
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 300) + client.write(file, 300, b"2" * 50, inline=True) +
                    client.read(file, 0, b"1" * 100, inline=True) + self.size(END, 500)(client, file))
        path = self.capture(scene)
        frames = list(capfile.read(path))
        whole = self.described(path)
        for cut in (20, 70, 80, 100, 120):
            doubled = frames[:begin]
            for link, data, wire in frames[begin:]:
                at = data.find(b"\xfeSMB")
                if 0 <= at and at + cut < len(data):
                    doubled.append((link, data[:at + cut], wire))
                doubled.append((link, data, wire))
            capfile.write_pcap(path, 1, doubled)
            with self.subTest(cut):
                self.assertEqual(self.described(path), whole)

    def described(self, path):
        keys = ("name", "object", "status", "offset", "length", "data_bytes", "complete", "missing")
        return [[o.get(key) for key in keys] for o in self.operations(path)], self.files(path)

    def test_a_message_is_not_the_end_of_the_one_before_it(self):
        """The end of a READ's response was not captured; the next message, an error, has its length."""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f", size=100, action=1)
        smb.put_all(scene, talk, sends)
        client.fragment, error = 100, len(smb.header(0, 0) + smb.error())
        sends = client.read(file, 0, b"1" * (100 - 80 + error), inline=True)
        answers = [row for row in sends if row[0].sender == "b"]
        self.assertEqual([len(row) for row in answers], [1, 1])
        smb.put_all(scene, talk, [row for row in sends if row[0].sender == "a"] + answers[:1])
        smb.put_all(scene, talk, client.exchange(smb.FLUSH, smb.of_file(file), smb.error(), smb.NOT_FOUND))
        capture = self.capture(scene)
        self.assertEqual([o["name"] for o in self.operations(capture) if o.get("status") == "STATUS_OBJECT_NAME_NOT_FOUND"], ["FLUSH"])
        self.assertEqual(self.files(capture), ({"srv/share/f": b"1" * 20 + bytes(80)}, [("smb/srv/share/f", 20, 80, "not_captured")]))

    def test_a_name_that_was_not_captured_is_not_that_of_the_share(self):
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        begin = len(scene.frames)
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 10, inline=True))
        capture = self.capture(scene)
        frames = list(capfile.read(capture))
        # SMB Direct and SMB have 24 and 64 bytes before the body
        body = frames[begin][1].index(b"\xfeSMB") + 64
        frames[begin] = frames[begin][0], frames[begin][1][:body + 40], frames[begin][2]
        capfile.write_pcap(capture, 1, frames)
        self.assertEqual([o.get("object") for o in self.operations(capture) if o["name"] in ("CREATE", "WRITE")], [None, None])
        self.assertTrue(all("/by-id/" in path for path in self.files(capture)[0]))


if __name__ == "__main__":
    unittest.main()
