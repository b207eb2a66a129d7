# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""SMB over SMB Direct: commands and files against hashes that a client calculated, and against a client and server in Python (generate/smb.py)."""
import glob
import hashlib
import itertools
import json
import os
import random
import shutil
import struct

import capfile
import smb
from cli import CliTest, TESTDATA, read, records
from conversation import Connection, Scene

ROCE, IWARP = (os.path.join(TESTDATA, name) for name in ("roce-smbdirect.pcap.gz", "iwarp-smbdirect.pcap.gz"))
# SHA-256 of the data that the client wrote
WRITTEN = {
    ROCE: {"d3s31/file1.dat": "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
           "d3s31/file3.dat": "2ac9a6746aca543af8dff39894cfe8173afba21eb01c6fae33d52947222855ef",
           "d3s31/file4096.dat": "1ec0ce38cde855af6b5d1d75eccd3a41192671849022436869efe3ebadc0b4b5",
           "d3s31/file65537.dat": "fb828362c36524dce1726046e65f69b8f280ed031aba07ca27ee73d2cec2fc42"},
    IWARP: {"d3s35/file1.dat": "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
            "d3s35/file3.dat": "2ac9a6746aca543af8dff39894cfe8173afba21eb01c6fae33d52947222855ef",
            "d3s35/file4096.dat": "8c32e08c99ac38f104a5c1729f6973260e70d4638a2810eedee40fb070ec6489",
            "d3s35/file65537.dat": "0560f4e2b7508b89a16c9884e10ab7c9d3b33a2d153cfe60df5587974fce296b"},
}


class Smb(CliTest):
    def operations(self, capture, *options):
        return [json.loads(line) for line in self.lines("operations", "--json", *options, capture)]

    def files(self, capture):
        """({path below smb/: bytes}, [(path, offset, length, reason)])"""
        folder = self.path("files")
        shutil.rmtree(folder, ignore_errors=True)
        done = self.run_program("export", "--files", folder, capture)
        self.assertEqual(done.returncode, 0, done.stderr)
        missing = [line.split("\t") for line in done.stdout.decode().splitlines()]
        found = {}
        for path, _, names in os.walk(os.path.join(folder, "smb")):
            for name in names:
                with open(os.path.join(path, name), "rb") as f:
                    found[os.path.relpath(os.path.join(path, name), os.path.join(folder, "smb"))] = f.read()
        return found, [(path, int(offset), int(length), reason) for path, offset, length, reason in missing]

    def scene(self, **options):
        scene = Scene("smb-test", "")
        talk = Connection(scene, **options)
        if "port" in options:
            talk.establish()
        return scene, talk, smb.Client(talk)

    def capture(self, scene):
        path = self.path("scene.pcap")
        scene.write_capture(path)
        return path


class Real(Smb):
    def test_files_are_those_of_the_client(self):
        for capture, truth in WRITTEN.items():
            found, missing = self.files(capture)
            for path, digest in truth.items():
                with self.subTest(path):
                    self.assertEqual(hashlib.sha256(found["10.0.0.1/s/" + path]).hexdigest(), digest)
            # the data of one file was truncated
            self.assertEqual({path.rpartition("/")[2] for path, *_ in missing}, {"file300001.dat"} if capture == ROCE else set())
            if capture == ROCE:
                self.assertEqual(len(found["10.0.0.1/s/d3s31/file300001.dat"]), 300001)
                self.assertEqual({reason for *_, reason in missing}, {"snapped"})

    def test_every_command_is_an_operation_with_its_status(self):
        every = self.operations(ROCE)
        self.assertTrue(all(o["layer"] == "smb" and "response_frame" in o for o in every))
        self.assertEqual([o["status"] for o in every if not o["ok"]],
                         ["STATUS_FS_DRIVER_REQUIRED", "STATUS_OBJECT_NAME_NOT_FOUND", "STATUS_FILE_CLOSED", "STATUS_INVALID_PARAMETER"])
        moved = [(o["name"], o["object"].rpartition("/")[2], o["offset"], o["length"], o["data_bytes"], o["carried"])
                 for o in every if o["name"] in ("READ", "WRITE") and o["complete"]]
        sizes = ((1, "inline", "inline"), (3, "inline", "inline"), (4096, "read", "write"), (65537, "read", "write"))
        self.assertEqual(moved, [("WRITE", "file%d.dat" % size, 0, size, size, how) for size, how, _ in sizes] +
                         [("READ", "file%d.dat" % size, 0, size, size, how) for size, _, how in sizes])

    def test_lines_of_requests_name_the_file(self):
        """CREATE has the name and its response the id, with which later requests name the file."""
        asked, opened, wanted = {}, {}, {}
        for line in self.lines("-r", ROCE, "-Y", "smb2", "-T", "fields", "-e", "frame.number", "-e", "smb2.cmd", "-e", "smb2.flags.response", "-e", "smb2.msg_id",
                               "-e", "smb2.fid", "-e", "smb2.filename"):
            number, command, response, message, fid, name = line.split("\t")
            if "," in command:
                continue
            if command == "5" and response == "0":
                asked[message] = name.replace("\\\\", "/")
            elif command == "5" and message in asked:
                opened[fid] = asked[message]
            elif response == "0" and opened.get(fid):
                wanted[number] = opened[fid]
        lines = {line.split()[0]: line.split("SMB2 ")[1].split() for line in self.lines("-r", ROCE, "-Y", "smb2")}
        self.assertGreater(len(wanted), 30)
        self.assertEqual({number: lines[number][1] for number in wanted}, wanted)
        self.assertEqual({lines[number][0] for number in wanted}, {"CLOSE", "FLUSH", "READ", "WRITE", "SET_INFO"})


class Crafted(Smb):
    def test_every_command_names_what_it_is_about(self):
        """A file, else its tree; commands of a session the server."""
        for capture in WRITTEN:
            found = self.operations(capture)
            self.assertEqual([o for o in found if "object" not in o], [])
            server = found[0]["object"]
            for o in found:
                if o["name"] in ("NEGOTIATE", "SESSION_SETUP", "LOGOFF", "ECHO"):
                    self.assertEqual(o["object"], server)
                else:
                    self.assertTrue(o["object"].startswith(server + "/"), o)

    def test_one_of_everything(self):
        scene = smb.smb()
        capture = self.capture(scene)
        found, missing = self.files(capture)
        data, = scene.client.files.values()
        self.assertEqual((found, missing), ({"srv/share/dir/new": data}, []))
        every = self.operations(capture)
        path = "srv/share/dir/caf\u00e9 \U0001f600.dat"
        shown = [(o["name"], o.get("object"), o.get("status"), o.get("offset"), o.get("length"), o["data_bytes"], o["carried"])
                 for o in every if o["name"] in ("READ", "WRITE")]
        good = "STATUS_SUCCESS"
        self.assertEqual(shown, [("WRITE", path, good, 0, 3000, 3000, "read"), ("WRITE", path, good, 3000, 600, 600, "inline"),
                                 ("READ", path, good, 100, 1000, 1000, "write"), ("READ", path, good, 3590, 4096, 10, "inline"),
                                 ("WRITE", path, good, 3600, 900, 900, "inline")])
        self.assertEqual([(o["name"], o.get("object"), o["status"], o["compound"], o["fragments"]) for o in every if "compound" in o],
                         [(name, "srv/share/" + path, status, 3, 3) for path, status in
                          (("dir", good), ("none", "STATUS_OBJECT_NAME_NOT_FOUND")) for name in ("CREATE", "QUERY_INFO", "CLOSE")])
        first, second = (o for o in every if o["name"] == "LOCK")
        self.assertEqual((first["status"], second["status"]), (good, "STATUS_CANCELLED"))
        self.assertTrue(first["request_frame"] < first["pending_frame"] < first["response_frame"])
        self.assertGreater(float(first["latency"]), 0.5)
        self.assertEqual([(o["name"], o["id"], o["data_bytes"]) for o in every if o["name"] == "encrypted"],
                         [("encrypted", "session 0x4000000000011", 132), ("encrypted", "session 0x4000000000011", 2052)])
        self.assertEqual([o["status"] for o in every if o["name"] == "ECHO"], ["0xc0001234"])
        waited, = (o for o in every if "credit_wait" in o)
        self.assertEqual((waited["name"], waited["fragments"]), ("WRITE", 3))
        self.assertGreater(waited["credit_wait"], 250000000)
        self.assertTrue({"CANCEL", "OPLOCK_BREAK", "LOGOFF", "TREE_DISCONNECT", "SET_INFO", "IOCTL"} <= {o["name"] for o in every})

    def check_order(self, data, order):
        """A WRITE of three fragments, captured in this order."""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends)
        request = client.send("a", smb.header(smb.WRITE, client.number) + smb.write(file, 0, data), size=240)
        self.assertEqual(len(request), 3)
        for i in order:
            scene.put(*request[i])
        scene.put(talk.ack(request[2][-1]))
        smb.put_all(scene, talk, client.send("b", smb.header(smb.WRITE, client.number, smb.RESPONSE) + smb.written(len(data))))
        capture = self.capture(scene)
        last = self.operations(capture)[-1]
        self.assertEqual((last["name"], last.get("fragments"), last["data_bytes"], last["complete"]), ("WRITE", 3, len(data), True))
        self.assertEqual(self.files(capture), ({"srv/share/f": data}, []))
        rows = [json.loads(line) for line in self.lines("-r", capture, "-T", "json", "-Y", "smb2.cmd == 9 && smb2.flags.response == 0")]
        self.assertEqual([(row["smb_direct.remaining_length"], row["smb2.write_length"]) for row in rows],
                         [((len(data) + 112 - 240 * (order[-1] + 1)) if order[-1] < 2 else 0, len(data))])

    def test_fragments_are_joined_in_the_order_of_the_stream(self):
        for order in itertools.permutations(range(3)):
            with self.subTest(order):
                self.check_order(bytes(i * 5 & 255 for i in range(576)), order)

    def test_a_message_of_which_a_fragment_is_truncated_is_not_complete(self):
        capture = os.path.join(TESTDATA, "conn_smb.pcap")
        _, frames = records(read(capture))
        whole = self.operations(capture)
        one, = (row for row in whole if row["name"] == "WRITE" and row.get("fragments"))
        # the first of three fragments, without its last bytes
        cut = [(at, data[:-20] if i + 1 == one["request_frame"] else data, wire) for i, (at, data, wire) in enumerate(frames)]
        path = self.path("cut.pcap")
        capfile.write_pcap(path, 1, cut)
        for same, row in zip(self.operations(path), whole, strict=True):
            self.assertEqual(same["complete"], row["complete"] and row["operation"] != one["operation"])
            self.assertEqual([(hole["in"], hole["reason"]) for hole in same["missing"]],
                             [("request", "snapped")] if row["operation"] == one["operation"] else [])

    def test_a_truncated_compound_has_no_number_of_commands(self):
        capture = os.path.join(TESTDATA, "conn_smb.pcap")
        _, frames = records(read(capture))
        one = next(row for row in self.operations(capture) if row.get("compound") == 3)
        found = []
        # one of its fragments without a whole SMB header: 42 + 12 bytes up to the BTH's end, 24 of SMB Direct, 40 of 64
        for number in range(one["request_frame"], one["response_frame"]):
            path = self.path("cut.pcap")
            capfile.write_pcap(path, 1, [(at, data[:118] if i + 1 == number else data, wire) for i, (at, data, wire) in enumerate(frames)])
            found += [(number - one["request_frame"], row.get("id"), row.get("compound"))
                      for row in self.operations(path) if row.get("request_frame") == one["request_frame"]]
        self.assertEqual({compound for _, _, compound in found}, {3, None}, found)

    def test_a_command_that_only_its_response_shows(self):
        """Three ECHOs with a status each, of which the request's capture lacks the last, or the last two."""
        for kept in (1, 2):
            for signs in ((0, 0, 0), (0, 0xc0001234, smb.NOT_FOUND)):
                scene, talk, client = self.scene(port=smb.PORT)
                smb.put_all(scene, talk, client.set_up())
                first = client.number + 1
                request = smb.compound(*((((smb.ECHO, first + i), {}), smb.EMPTY) for i in range(3)))
                response = smb.compound(*((((smb.ECHO, first + i, smb.RESPONSE, status), {}), smb.EMPTY) for i, status in enumerate(signs)))
                smb.put_all(scene, talk, client.send("a", b"".join(request)) + client.send("b", b"".join(response)))
                whole = self.capture(scene)
                _, frames = records(read(whole))
                truth = [(o["name"], o["id"], o["status"], o["request_frame"], o["response_frame"]) for o in self.operations(whole)][-3:]
                self.assertEqual([int(row[1]) for row in truth], list(range(first, first + 3)))
                at, path = truth[0][3], self.path("cut.pcap")
                # 42 + 12 bytes up to the BTH's end, 24 of SMB Direct, and 40 of 64 of the SMB header
                cut = 78 + sum(map(len, request[:kept])) + 40
                capfile.write_pcap(path, 1, [(when, data[:cut] if i + 1 == at else data, wire) for i, (when, data, wire) in enumerate(frames)])
                found = self.operations(path)[-3:]
                self.assertEqual([(o["name"], o["id"], o["status"], o["request_frame"], o["response_frame"]) for o in found], truth)
                self.assertEqual({o["complete"] for o in found}, {False})
                # the response was captured before the request
                asks, answers = at - 1, truth[0][4] - 1
                swapped = list(range(len(frames)))
                swapped[asks], swapped[answers] = answers, asks
                capfile.write_pcap(path, 1, [(frames[i][0], frames[j][1][:cut] if j == asks else frames[j][1], frames[j][2])
                                             for i, j in enumerate(swapped)])
                found = self.operations(path)[-3:]
                self.assertEqual([(o["name"], o["id"], o["status"], o["complete"]) for o in found], [row[:3] + (False,) for row in truth])

    def test_a_fragment_that_resembles_a_message_is_not_recognised(self):
        for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2)):
            with self.subTest(order):
                self.check_order(b"\xfeSMB\x40\0" + bytes(58) + (b"\xfeSMB\x40\0" + bytes(114)) * 4, order)

    def busy(self):
        """Files with reads and writes of several kinds; (scene, sends, truth)"""
        scene, talk, client = self.scene(port=smb.PORT)
        chance, sends = random.Random(1), client.set_up()
        for name in ("a", "b"):
            file, more = client.create(name)
            sends += more
            for i in range(4):
                data = chance.randbytes(chance.choice((5, 300, 900)))
                sends += client.write(file, i * 1000, data, parts=1 + i % 2, inline=i == 2)
                sends += client.read(file, i * 1000, data, inline=i == 1)
            sends += client.close(file)
        return scene, talk, sends, {"srv/share/" + name: data for name, data in client.files.items()}

    def check(self, found, missing, truth):
        """Bytes are correct or reported as missing."""
        for path, data in found.items():
            holes = [(offset, offset + length) for name, offset, length, _ in missing if name == "smb/" + path]
            self.assertIn(path, truth)
            self.assertLessEqual(len(data), len(truth[path]))
            for at, (is_, must) in enumerate(zip(data, truth[path])):
                if is_ != must and not any(begin <= at < end for begin, end in holes):
                    self.fail("%s: byte %d" % (path, at))

    def test_without_one_packet_nothing_is_wrong(self):
        _, _, sends, _ = self.busy()
        packets = sum(map(len, sends))
        for drop in range(0, packets, 3):
            scene, talk, sends, truth = self.busy()
            at = 0
            for send in sends:
                for packet in send:
                    if at != drop:
                        scene.put(packet)
                    at += 1
            with self.subTest(drop):
                # without its CREATE a file has no name
                found, missing = self.files(self.capture(scene))
                self.check({path: data for path, data in found.items() if "by-id" not in path and "tree-" not in path}, missing, truth)

    def test_packets_in_another_order_change_nothing(self):
        for seed in range(6):
            scene, talk, sends, truth = self.busy()
            chance, packets = random.Random(seed), [packet for send in sends for packet in send]
            for at in range(30, len(packets) - 2):
                if chance.random() < 0.2 and packets[at].sender == packets[at + 1].sender:
                    packets[at], packets[at + 1] = packets[at + 1], packets[at]
            scene.put(*packets)
            with self.subTest(seed):
                self.assertEqual(self.files(self.capture(scene)), (truth, []))

    def test_a_connection_is_recognised_by_content_from_the_middle_on(self):
        scene, talk, client = self.scene()
        client.set_up()
        file, _ = client.create("f")
        smb.put_all(scene, talk, client.write(file, 0, bytes(100)) + client.write(file, 100, bytes(2000)))
        found = self.operations(self.capture(scene))
        self.assertEqual([(o["layer"], o["name"], o["data_bytes"]) for o in found], [("smb", "WRITE", 100), ("smb", "WRITE", 2000)])

    def test_a_file_that_is_created_again_is_empty_at_first(self):
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        for data in (b"long" * 500, b"short"):
            file, sends = client.create("f", action=3)
            smb.put_all(scene, talk, sends + client.write(file, 0, data) + client.close(file))
        self.assertEqual(self.files(self.capture(scene)), ({"srv/share/f": b"short"}, []))

    def written_around(self, first, then, wanted):
        """Between two WRITEs, the second one beyond the end of the first, are the packets `then(client, file)`."""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * first))
        smb.put_all(scene, talk, then(client, file) + client.write(file, 300, b"3" * 100))
        found, missing = self.files(self.capture(scene))
        self.assertEqual((list(found), missing), (["srv/share/f"], [("smb/srv/share/f", *each, "not_captured") for each in wanted]))

    def test_bytes_before_a_write_are_zeros_only_if_nothing_was_written_there(self):
        self.written_around(100, lambda client, file: [], [])
        # a MessageId is missing
        self.written_around(100, lambda client, file: client.write(file, 100, b"2" * 200) and [], [(100, 200)])
        # only the response was captured: any WRITE may have changed what was written before
        self.written_around(100, lambda client, file: client.write(file, 100, b"2" * 200)[-1:], [(0, 300)])
        # and an error changes nothing
        self.written_around(100, lambda client, file: client.write(file, 0, b"2" * 50, inline=True, status=smb.NOT_FOUND)[-1:], [(100, 200)])
        # a READ of bytes that no captured request wrote
        self.written_around(100, lambda client, file: client.read(file, 200, b"2" * 50, inline=True), [(100, 100), (250, 50)])

    def test_only_files_of_the_same_share_are_changed_by_a_request_that_was_not_captured(self):
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        path, other = smb.text("\\\\srv\\other"), 8
        smb.put_all(scene, talk, client.exchange(smb.TREE_CONNECT, struct.pack("<HHHH", 9, 0, 72, len(path)) + path,
                                                 struct.pack("<HBBIII", 16, 1, 0, 0x30, 0, 0x1f01ff), reply_tree=other))
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 100))
        for tree, missing in ((other, []), (smb.TREE, [("smb/srv/share/f", 0, 100, "not_captured")])):
            smb.put_all(scene, talk, client.exchange(smb.WRITE, smb.write(file, 0, b"2"), smb.written(1), reply_tree=tree)[-1:])
            self.assertEqual(self.files(self.capture(scene)), ({"srv/share/f": b"1" * 100}, missing))

    def test_the_path_of_a_share_has_an_end(self):
        """Up to 32,768 bytes; of a longer one, or one that was not captured whole, only the number of the tree is known."""
        name = 84 * "\u20ac" + "%03d"  # 255 bytes of UTF-8
        for components, is_whole in ((127, True), (128, True), (1, False)):
            scene, talk, client = self.scene(port=smb.PORT)
            smb.put_all(scene, talk, client.set_up())
            path = smb.text("\\\\srv\\" + "\\".join(name % i for i in range(components)))
            begin = len(scene.frames)
            smb.put_all(scene, talk, client.exchange(smb.TREE_CONNECT, struct.pack("<HHHH", 9, 0, 72, len(path)) + path,
                                                     struct.pack("<HBBIII", 16, 1, 0, 0x30, 0, 0x1f01ff)))
            file, sends = client.create("f")
            smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 100))
            share = "srv/" + "/".join(name % i for i in range(components)) if components == 127 else "10.0.0.1/tree-%d" % smb.TREE
            capture = self.capture(scene)
            frames = list(capfile.read(capture))
            if not is_whole:
                frames[begin] = frames[begin][0], frames[begin][1][:250], frames[begin][2]
            capfile.write_pcap(capture, 1, frames)
            self.assertEqual([o.get("object") for o in self.operations(capture) if o["name"] in ("CREATE", "WRITE")], [share + "/f"] * 2)

    def test_a_file_that_was_opened_by_an_uncaptured_request_can_be_any_one_of_the_share(self):
        def capture(action, first):
            scene, talk, client = self.scene(port=smb.PORT)
            smb.put_all(scene, talk, client.set_up())
            unknown, _ = client.create("f")
            smb.put_all(scene, talk, client.read(unknown, 0, b"0" * 10, inline=True) if first else [])
            file, sends = client.create("f", action=action)
            smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 300))
            smb.put_all(scene, talk, client.write(unknown, 100, b"2" * 100))
            smb.put_all(scene, talk, client.write(file, 150, b"3" * 20))
            # the failed WRITE changes nothing
            smb.put_all(scene, talk, client.write(unknown, 0, b"2" * 50, inline=True, status=smb.NOT_FOUND)[:])
            found, missing = self.files(self.capture(scene))
            self.assertEqual(found["srv/share/f"][170:], b"1" * 30 + found["srv/share/f"][200:])
            return [each[1:] for each in missing if each[0] == "smb/srv/share/f"]
        # overwritten, so that it existed before
        self.assertEqual(capture(3, False), [(100, 50, "not_captured"), (170, 30, "not_captured")])
        self.assertEqual(capture(3, True), [(100, 50, "not_captured"), (170, 30, "not_captured")])
        # created: another file than that of an id used before
        self.assertEqual(capture(2, False), [(100, 50, "not_captured"), (170, 30, "not_captured")])
        self.assertEqual(capture(2, True), [])

    def test_a_file_replaced_by_one_without_contents_has_no_old_bytes(self):
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends + client.write(file, 0, b"1" * 100) + client.close(file))
        other, sends = client.create("g", action=1)
        smb.put_all(scene, talk, sends + client.exchange(smb.SET_INFO, smb.set_info(other, 10, smb.rename("f")), struct.pack("<H", 2)) + client.write(other, 200, b"2" * 100))
        found, missing = self.files(self.capture(scene))
        self.assertEqual(missing, [("smb/srv/share/f", 0, 200, "not_captured")])
        self.assertEqual(found["srv/share/f~2"], b"1" * 100)

    def test_a_message_alone_begins_with_its_first_fragment(self):
        """A response whose request was not captured, and an encrypted message."""
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        smb.put_all(scene, talk, sends)
        client.fragment = 400
        for way in (client.read(file, 0, b"1" * 1000, inline=True)[-3:], client.encrypted("b", 900)):
            self.assertEqual(len(way), 3)
            first = len(scene.frames) + 1
            smb.put_all(scene, talk, way)
            last, time = self.operations(self.capture(scene))[-1], scene.frames[first - 1][0]
            self.assertEqual((last.get("response_frame", last.get("request_frame")), last["time_ns"]), (first, time), last)
            self.assertGreater(last["time_end_ns"], time)

    def test_fragments_of_two_messages_are_not_one(self):
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        file, sends = client.create("f")
        client.fragment = 400
        writes = [client.write(file, 500 * i, fill * 500, inline=True) for i, fill in enumerate((b"1", b"2"))]
        self.assertEqual([len(sends) for sends in writes], [3, 3])
        # the second fragment of the first request, and the first one of the second, are missing
        smb.put_all(scene, talk, sends + writes[0][:1] + writes[1][1:])
        found, missing = self.files(self.capture(scene))
        # of the first request only the beginning is known, and nothing of whether it was executed; of the second one only the response
        self.assertEqual((found, missing), ({"srv/share/f": bytes(500)}, [("smb/srv/share/f", 0, 500, "not_captured")]))

    def test_names_cannot_leave_the_directory(self):
        scene, talk, client = self.scene(port=smb.PORT)
        smb.put_all(scene, talk, client.set_up())
        for name in ("..\\..\\up", "a/../../b", "\x1b[31mred\x00", "x" * 300):
            file, sends = client.create(name)
            smb.put_all(scene, talk, sends + client.write(file, 0, b"data"))
        found, _ = self.files(self.capture(scene))
        self.assertEqual(len(found), 4)
        for path in found:
            self.assertTrue(path.startswith("srv/share/") and path.isprintable(), path)


class Others(Smb):
    def test_no_other_capture_has_smb(self):
        for capture in sorted(glob.glob(os.path.join(TESTDATA, "*.pcap*"))):
            if "smb" not in os.path.basename(capture):
                self.assertEqual(self.lines("operations", "--layer", "smb", capture), [], capture)

