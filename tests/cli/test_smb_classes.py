# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What QUERY_DIRECTORY, QUERY_INFO and SET_INFO carry: the structures of [MS-FSCC], built here as the specification lays them out."""
import json
import struct

import smb
from cli import CliTest
from conversation import Connection, Scene

EPOCH = 116444736000000000  # 1970 in 100 ns since 1601
TIMES = tuple(EPOCH + (1700000000 + i) * 10000000 for i in range(4))
TIME_FIELDS = tuple("smb2.%s.time" % name for name in ("create", "last_access", "last_write", "last_change"))
SHOWN_TIMES = {field: ["%d.000000000" % (1700000000 + i)] for i, field in enumerate(TIME_FIELDS)}
BASIC = struct.pack("<4QI4x", *TIMES, 0x20)
STANDARD = struct.pack("<QQIBB2x", 8192, 5000, 3, 1, 0)
NAMED = {"smb2.filename": ["name \u00e9"], "smb2.filename.len": [12]}
NAME = smb.text("name \u00e9")


def sized(data, head=b""):
    return struct.pack("<I", len(data)) + head + data


def entries(make, names=("a", "name \u00e9", "c" * 40)):
    """Entries of a directory, each at a multiple of 8 bytes."""
    made = b""
    for i, name in enumerate(names):
        entry = make(i, smb.text(name))
        last = i == len(names) - 1
        entry += b"" if last else bytes(-len(entry) % 8)
        made += struct.pack("<I", 0 if last else len(entry)) + entry[4:]
    return made


def entry(i, name, more=b"", attributes=0x20):
    return struct.pack("<II4QQQII", 0, i, *TIMES, 100 + i, 4096, attributes, len(name)) + more + name


NAMES = {"smb2.filename": ["a", "name \u00e9", "c" * 40], "smb2.file_index": [0, 1, 2]}
ENTRIES = dict(NAMES, **{"smb2.eof": ["100", "101", "102"], "smb2.allocation_size": ["4096"] * 3, "smb2.file_attribute": [0x20] * 3,
                         "smb2.filename.len": [2, 12, 80]}, **{field: value * 3 for field, value in SHOWN_TIMES.items()})
SHORT = struct.pack("<IBB24s", 7, 8, 0, smb.text("SHO~"))
EA = {"smb2.ea_size": [7, 7, 7]}
SHORTS = dict(EA, **{"smb2.shortname": ["SHO~"] * 3, "smb2.short_name_len": [8, 8, 8]})

DIRECTORY = {
    1: (entries(entry), ENTRIES),
    2: (entries(lambda i, name: entry(i, name, struct.pack("<I", 7))), dict(ENTRIES, **EA)),
    3: (entries(lambda i, name: entry(i, name, SHORT)), dict(ENTRIES, **SHORTS)),
    12: (entries(lambda i, name: struct.pack("<III", 0, i, len(name)) + name), NAMES),
    37: (entries(lambda i, name: entry(i, name, SHORT + struct.pack("<2xQ", 0x1234 + i))),
         dict(ENTRIES, **SHORTS, **{"smb2.file_id": ["0x%016x" % (0x1234 + i) for i in range(3)]})),
    38: (entries(lambda i, name: entry(i, name, struct.pack("<I4xQ", 7, 0x1234 + i))),
         dict(ENTRIES, **EA, **{"smb2.file_id": ["0x%016x" % (0x1234 + i) for i in range(3)]})),
    60: (entries(lambda i, name: entry(i, name, struct.pack("<II16s", 7, 0xa000000c, bytes(range(16))))),
         dict(ENTRIES, **EA, **{"smb2.reparse_tag": [0xa000000c] * 3, "smb2.file_id_128": [bytes(range(16)).hex()] * 3})),
}

STANDARD_SHOWN = {"smb2.allocation_size": ["8192"], "smb2.eof": ["5000"], "smb2.nlinks": 3, "smb2.delete_pending": 1, "smb2.is_directory": 0}
NETWORK = dict(SHOWN_TIMES, **{"smb2.allocation_size": ["8192"], "smb2.eof": ["5000"], "smb2.file_attribute": [0x20]})
ALL = dict(SHOWN_TIMES, **STANDARD_SHOWN, **NAMED, **{
    "smb2.file_attribute": [0x20], "smb2.file_id": ["0x0000000000abcdef"], "smb2.ea_size": [9], "smb.access_mask": 0x120089, "smb2.position_info": "77",
    "smb2.mode_info": 0x22, "smb2.mode.file_write_through": 1, "smb2.mode.file_synchronous_io_nonalert": 1, "smb2.alignment_info": 3})
STREAMS = struct.pack("<IIQQ", 40, 14, 10, 16) + smb.text("::$DATA") + bytes(2) + struct.pack("<IIQQ", 0, 8, 20, 32) + smb.text(":s:$")

FILE = {
    4: (BASIC, dict(SHOWN_TIMES, **{"smb2.file_attribute": [0x20]})),
    5: (STANDARD, STANDARD_SHOWN),
    6: (struct.pack("<Q", 0xabcdef), {"smb2.file_id": ["0x0000000000abcdef"]}),
    7: (struct.pack("<I", 9), {"smb2.ea_size": [9]}),
    9: (sized(NAME), NAMED),
    15: (struct.pack("<IBBH", 20, 0, 3, 4) + b"abc\0data" + bytes(4) + struct.pack("<IBBH", 0, 0x80, 1, 2) + b"x\0yz",
         {"smb2.ea.name": ["abc", "x"], "smb2.ea.data": [b"data".hex(), b"yz".hex()], "smb2.ea.flags": [0, 0x80]}),
    18: (BASIC + STANDARD + struct.pack("<QIIQII", 0xabcdef, 9, 0x120089, 77, 0x22, 3) + sized(NAME), ALL),
    22: (STREAMS, {"smb.stream_name": ["::$DATA", ":s:$"], "smb.stream_size": ["10", "20"], "smb2.stream_allocation_size": ["16", "32"]}),
    28: (struct.pack("<QHBBB3x", 123, 2, 1, 2, 3), {"smb.compressed.file_size": "123", "smb.compressed.format": 2, "smb.compressed.cluster_shift": 3}),
    34: (struct.pack("<4QQQI4x", *TIMES, 8192, 5000, 0x20), NETWORK),
    35: (struct.pack("<II", 0x20, 0xa000000c), {"smb2.file_attribute": [0x20], "smb2.reparse_tag": [0xa000000c]}),
    59: (struct.pack("<Q16s", 0x55, bytes(range(16))), {"smb2.file_id.volume": "0x0000000000000055", "smb2.file_id_128": [bytes(range(16)).hex()]}),
}

VOLUME = {
    1: (struct.pack("<QIIBB", TIMES[0], 0xcafe, len(NAME), 1, 0) + NAME,
        {"smb.create.time": SHOWN_TIMES[TIME_FIELDS[0]][0], "smb.volume.serial": 0xcafe, "smb.volume.label": ["name \u00e9"]}),
    3: (struct.pack("<QQII", 1000, 400, 8, 512),
        {"smb.alloc_size64": "1000", "smb.free_alloc_units": "400", "smb.fs_sector_per_unit": 8, "smb.fs_bytes_per_sector": 512}),
    4: (struct.pack("<II", 7, 0x21), {"smb.device.type": 7, "smb.device.removable": 1, "smb.device.mounted": 1, "smb.device.virtual": 0}),
    5: (struct.pack("<III", 0x801004f, 255, 8) + smb.text("NTFS"),
        {"smb.fs_attr": 0x801004f, "smb.fs_attr.ssf": 1, "smb.fs_attr.srp": 0, "smb.fs_max_name_len": 255, "smb.fs_name": ["NTFS"]}),
    7: (struct.pack("<QQQII", 1000, 300, 400, 8, 512), {"smb.caller_free_alloc_units": "300", "smb.actual_free_alloc_units": "400"}),
    8: (bytes(range(64)), {"smb2.fs_objectid.id": bytes(range(16)).hex()}),
    11: (struct.pack("<7I", 512, 4096, 4096, 4096, 0xb, 1, 2),
         {"smb2.fs_sector_size.logical": 512, "smb2.fs_sector_size.atomicity": 4096, "smb2.fs_sector_size.flags.trim": 1,
          "smb2.fs_sector_size.flags.no_seek_penalty": 0, "smb2.fs_sector_size.partition_offset": 2}),
}

SET = {
    4: FILE[4],
    10: (struct.pack("<B7xQ", 1, 0) + sized(NAME), dict(NAMED, **{"smb2.rename.replace_if": 1, "smb2.root_directory": "00" * 8})),
    11: (struct.pack("<B7xQ", 0, 0) + sized(NAME), dict(NAMED, **{"smb2.rename.replace_if": 0})),
    13: (b"\1", {"smb2.disposition.delete_on_close": 1}),
    14: (struct.pack("<Q", 77), {"smb2.position_info": "77"}),
    19: (struct.pack("<Q", 8192), {"smb2.allocation_size": ["8192"]}),
    20: (struct.pack("<Q", 5000), {"smb2.eof": ["5000"]}),
    64: (struct.pack("<I", 0x13), {"smb2.disposition.flags": 0x13, "smb2.disposition.flags.delete": 1, "smb2.disposition.flags.posix_semantics": 1,
                                   "smb2.disposition.flags.on_close": 0, "smb2.disposition.flags.ignore_readonly": 1}),
    65: (struct.pack("<IIQ", 3, 0, 0) + sized(NAME), dict(NAMED, **{"smb2.rename.flags": 3, "smb2.rename.flags.replace_if_exists": 1,
                                                                    "smb2.rename.flags.posix_semantics": 1, "smb2.root_directory": "00" * 8})),
}


def query_directory(file, kind):
    return struct.pack("<HBBI", 33, kind, 1, 0) + file + struct.pack("<HHI", 96, 2, 65536) + smb.text("*")


def query_info(file, kind, type=1):
    return struct.pack("<HBBIHHIII", 41, type, kind, 1000, 0, 0, 0, 0, 0) + file


class Classes(CliTest):
    def setUp(self):
        super().setUp()
        self.scene = Scene("smb-test", "")
        talk = Connection(self.scene, port=smb.PORT)
        talk.establish()
        self.client = smb.Client(talk)
        smb.put_all(self.scene, talk, self.client.set_up())
        self.file, sends = self.client.create("f")
        smb.put_all(self.scene, talk, sends)
        self.talk = talk

    def put(self, sends):
        smb.put_all(self.scene, self.talk, sends)

    def rows(self, selection):
        path = self.path("scene.pcap")
        self.scene.write_capture(path)
        return [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", selection)]

    def hold(self, rows, wanted):
        self.assertEqual(len(rows), len(wanted))
        for row, (kind, (_, values)) in zip(rows, wanted.items()):
            with self.subTest(kind=kind):
                self.assertEqual({field: row.get(field) for field in values}, values)

    def check(self, command, wanted, request):
        """Each class in a response of one fragment, and of several."""
        for fragment in (1340, 96):
            self.client.fragment = fragment
            for kind, (data, _) in wanted.items():
                self.put(self.client.exchange(command, request(kind), smb.output(data)))
        rows = self.rows("smb2.cmd == %d && smb2.flags.response == 1" % command)
        self.hold(rows[:len(wanted)], wanted)
        self.hold(rows[len(wanted):], wanted)

    def test_entries_of_directories(self):
        self.check(smb.QUERY_DIRECTORY, DIRECTORY, lambda kind: query_directory(self.file, kind))

    def test_reparse_points_have_a_tag_instead_of_a_size(self):
        """[MS-FSCC] 2.4.8, 2.4.14, 2.4.17, 2.4.18: EaSize, by the attributes of each entry."""
        made = {2: b"", 3: SHORT[4:], 37: SHORT[4:] + bytes(10), 38: bytes(12)}
        tags = (0xa000000c, 0xa0000003)
        wanted = {kind: (entries(lambda i, name: entry(i, name, struct.pack("<I", (*tags, 7)[i]) + more, (0x400, 0x410, 0x20)[i])),
                         {"smb2.ea_size": [7], "smb2.reparse_tag": list(tags), "smb2.file_attribute": [0x400, 0x410, 0x20]}) for kind, more in made.items()}
        self.check(smb.QUERY_DIRECTORY, wanted, lambda kind: query_directory(self.file, kind))

    def test_information_of_files(self):
        self.check(smb.QUERY_INFO, FILE, lambda kind: query_info(self.file, kind))

    def test_information_of_file_systems(self):
        self.check(smb.QUERY_INFO, VOLUME, lambda kind: query_info(self.file, kind, 2))

    def test_what_is_set(self):
        for kind, (data, _) in SET.items():
            self.put(self.client.exchange(smb.SET_INFO, smb.set_info(self.file, kind, data), struct.pack("<H", 2)))
        self.hold(self.rows("smb2.cmd == %d && smb2.flags.response == 0" % smb.SET_INFO), SET)

    def test_each_command_of_a_compound_has_its_class(self):
        numbers = [self.client.next_number() for _ in range(4)]
        requests = [(smb.CREATE, smb.create("g", 1)), (smb.QUERY_INFO, query_info(smb.SAME, 5)), (smb.QUERY_INFO, query_info(smb.SAME, 5, 2)),
                    (smb.CLOSE, smb.of_file(smb.SAME))]
        answers = [smb.created(self.file, 5, 1), smb.output(STANDARD), smb.output(VOLUME[5][0]), smb.closed()]
        flags = [0] + 3 * [smb.RELATED]
        self.put(self.client.send("a", b"".join(smb.compound(*[(((c, n, f), {}), body) for (c, body), n, f in zip(requests, numbers, flags)]))))
        self.put(self.client.send("b", b"".join(smb.compound(*[(((c, n, f | smb.RESPONSE), {}), body) for (c, _), body, n, f in
                                                             zip(requests, answers, numbers, flags)]))))
        row, = self.rows("smb.fs_attr")
        self.assertEqual((row["smb2.nlinks"], row["smb.fs_name"], row["smb.fs_attr"]), (3, ["NTFS"], 0x801004f))

    def test_what_is_not_whole(self):
        """Cut at any byte, and entries that lie about the next one: rows that are there, and no more."""
        data = DIRECTORY[3][0]
        for length in (*range(0, 60, 7), 63, 64, 93, 94, 95, 96, 97, 150):
            self.put(self.client.exchange(smb.QUERY_DIRECTORY, query_directory(self.file, 3), smb.output(data[:length])))
        for following in (1, 4, 0x7fffffff, 0xffffffff):
            self.put(self.client.exchange(smb.QUERY_DIRECTORY, query_directory(self.file, 3), smb.output(struct.pack("<I", following) + data[4:])))
        rows = self.rows("smb2.cmd == 14 && smb2.flags.response == 1")
        self.assertTrue(all(len(row.get("smb2.filename", [])) <= 3 for row in rows))
        self.assertEqual([row["smb2.eof"] for row in rows[-4:]], [["100"]] * 4)

    def test_an_unknown_class_is_bytes(self):
        self.put(self.client.exchange(smb.QUERY_INFO, query_info(self.file, 99), smb.output(b"data")))
        row, = self.rows("smb2.cmd == 16 && smb2.flags.response == 1")
        self.assertEqual(row["smb2.output.length"], 4)
        self.assertNotIn("smb2.eof", row)
