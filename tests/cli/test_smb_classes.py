# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What QUERY_DIRECTORY, QUERY_INFO and SET_INFO carry: the structures of [MS-FSCC], built here as the specification lays them out."""
import json
import struct

import piece
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


LEASE_1 = bytes(range(16)) + struct.pack("<IIQ", 7, 2, 0)
LEASE_2 = LEASE_1 + bytes(range(16, 32)) + struct.pack("<HH", 5, 0)
LEASE_SHOWN = {"smb2.lease.lease_key": bytes(range(16)).hex(), "smb2.lease.lease_state": 7, "smb2.lease.lease_flags": 2,
               "smb2.lease.lease_duration": "0x0000000000000000"}
GUID = bytes(range(64, 80))
PARTS = ("lease.lease_key", "lease.lease_state", "lease.lease_flags", "lease.lease_duration", "lease.parent_lease_key", "lease.lease_oplock", "dh2x.timeout",
         "dh2x.flags", "dh2x.create_guid", "create.reconnect_fid", "mxac_status", "mxac_access", "qfid_fid", "twrp_timestamp", "create.allocation_size")
# [MS-SMB2] 2.2.13.2 and 2.2.14.2: name, data of a request, what it shows, data of a response, what it shows
CONTEXTS = (
    (b"RqLs", LEASE_1, LEASE_SHOWN, LEASE_1, LEASE_SHOWN),
    (b"RqLs", LEASE_2, dict(LEASE_SHOWN, **{"smb2.lease.parent_lease_key": bytes(range(16, 32)).hex(), "smb2.lease.lease_oplock": 5}), LEASE_1[:23],
     {"smb2.lease.lease_key": bytes(range(16)).hex(), "smb2.lease.lease_state": 7}),
    (b"DH2Q", struct.pack("<IIQ", 60000, 2, 0) + GUID, {"smb2.dh2x.timeout": 60000, "smb2.dh2x.flags": 2, "smb2.dh2x.create_guid": GUID.hex()},
     struct.pack("<II", 180000, 2), {"smb2.dh2x.timeout": 180000, "smb2.dh2x.flags": 2}),
    (b"DH2C", bytes(range(16)) + GUID + struct.pack("<I", 2),
     {"smb2.create.reconnect_fid": bytes(range(16)).hex(), "smb2.dh2x.create_guid": GUID.hex(), "smb2.dh2x.flags": 2}, b"", {}),
    (b"DHnC", bytes(range(16)), {"smb2.create.reconnect_fid": bytes(range(16)).hex()}, bytes(8), {}),
    (b"MxAc", bytes(8), {}, struct.pack("<II", 0, 0x1f01ff), {"smb2.mxac_status": 0, "smb2.mxac_access": 0x1f01ff}),
    (b"QFid", b"", {}, bytes(range(32)), {"smb2.qfid_fid": bytes(range(32)).hex()}),
    (b"TWrp", struct.pack("<Q", TIMES[0]), {"smb2.twrp_timestamp": SHOWN_TIMES[TIME_FIELDS[0]][0]}, b"", {}),
    (b"AlSi", struct.pack("<Q", 1 << 40), {"smb2.create.allocation_size": str(1 << 40)}, b"", {}),
)


def contexts(*pairs):
    made = b""
    for i, (name, data) in enumerate(pairs):
        body = name.ljust(8, b"\0") + data
        last = i == len(pairs) - 1
        padding = b"" if last else bytes(-len(body) % 8)
        made += struct.pack("<IHHHHI", 0 if last else 16 + len(body + padding), 16, len(name), 0, 24 if data else 0, len(data)) + body + padding
    return made


def create_with(name, *pairs):
    body, made = smb.create(name), contexts(*pairs)
    body += bytes(-len(body) % 8)
    return body[:48] + struct.pack("<II", 64 + len(body), len(made)) + body[56:] + made


def created_with(file, *pairs):
    made = contexts(*pairs)
    return smb.created(file)[:80] + struct.pack("<II", 152, len(made)) + made


def symlink(unparsed, flags, target, shown):
    names = smb.text(target) + smb.text(shown)
    place = struct.pack("<HHHH", 0, len(smb.text(target)), len(smb.text(target)), len(smb.text(shown)))
    return struct.pack("<IIIHH", 24 + len(names), 0x4c4d5953, 0xa000000c, 12 + len(names), unparsed) + place + struct.pack("<I", flags) + names


def error_with(data, in_context):
    """[MS-SMB2] 2.2.2, and 2.2.2.1 for SMB 3.1.1."""
    data = struct.pack("<II", len(data), 0) + data if in_context else data
    return struct.pack("<HBBI", 9, in_context, 0, len(data)) + data


def query_directory(file, kind):
    return struct.pack("<HBBI", 33, kind, 1, 0) + file + struct.pack("<HHI", 96, 2, 65536) + smb.text("*")


def query_info(file, kind, type=1):
    return struct.pack("<HBBIHHIII", 41, type, kind, 1000, 0, 0, 0, 0, 0) + file


def sockaddr(address):
    """SOCKADDR_STORAGE: 2.2.32.5.1."""
    packed = piece.address(address)
    body = struct.pack("<HH", 2, 0) + packed if len(packed) == 4 else struct.pack("<HHI", 23, 0, 0) + packed
    return body.ljust(128, b"\0")


def interfaces(*entries):
    return b"".join(struct.pack("<IIIIQ", 152 if i < len(entries) - 1 else 0, index, abilities, 0, speed) + sockaddr(address)
                    for i, (index, abilities, speed, address) in enumerate(entries))


CHUNKS = bytes(range(24)) + struct.pack("<II", 2, 0) + struct.pack("<QQII", 4096, 8192, 1000, 0) + struct.pack("<QQII", 1 << 40, 5, 1, 0)
CHUNKS_SHOWN = {"smb2.fsctl.cchunk.resume_key": bytes(range(24)).hex(), "smb2.fsctl.cchunk.count": 2, "smb2.fsctl.cchunk.src_offset": ["4096", str(1 << 40)],
                "smb2.fsctl.cchunk.dst_offset": ["8192", "5"], "smb2.fsctl.cchunk.xfer_len": [1000, 1]}
WRITTEN = struct.pack("<III", 2, 0, 1001)
WRITTEN_SHOWN = {"smb2.fsctl.cchunk.chunks_written": 2, "smb2.fsctl.cchunk.bytes_written": 0, "smb2.fsctl.cchunk.total_written": 1001}
NETWORK_ROWS = {"smb2.ioctl.network_interfaces." + key: value for key, value in {
    "index": [7, 8], "capabilities": [2, 1], "capabilities.rss": [0, 1], "capabilities.rdma": [1, 0], "link_speed": [str(10**11), str(10**9)],
    "ipv4": ["10.1.2.3"], "ipv6": ["fd00::1"]}.items()}
# [MS-SMB2] 2.2.31, 2.2.32; [MS-FSCC] 2.3: code, input, what it shows, output, what it shows
CONTROLS = (
    (0x140204, struct.pack("<I16sHH3H", 0x7f, GUID, 1, 3, 0x202, 0x300, 0x302), {"smb2.capabilities": 0x7f, "smb2.client_guid": GUID.hex(), "smb2.sec_mode": 1,
                                                                                 "smb2.dialect": [0x202, 0x300, 0x302]},
     struct.pack("<I16sHH", 0x2f, GUID, 3, 0x302), {"smb2.capabilities": 0x2f, "smb2.server_guid": GUID.hex(), "smb2.sec_mode": 3, "smb2.dialect": [0x302]}),
    (0x1401fc, b"", {}, interfaces((7, 2, 10**11, "10.1.2.3"), (8, 1, 10**9, "fd00::1")), NETWORK_ROWS),
    (0x140078, b"", {}, bytes(range(24)) + bytes(4), {"smb2.fsctl.cchunk.resume_key": bytes(range(24)).hex()}),
    (0x1440f2, CHUNKS, CHUNKS_SHOWN, WRITTEN, WRITTEN_SHOWN),
    (0x1480f2, CHUNKS, CHUNKS_SHOWN, WRITTEN, WRITTEN_SHOWN),
    (0x0980c8, struct.pack("<QQ", 5, 1 << 33), {"smb2.fsctl.range_offset": ["5"], "smb2.fsctl.beyond_final_zero": str(1 << 33)}, b"", {}),
    (0x0940cf, struct.pack("<QQ", 0, 1 << 20), {"smb2.fsctl.range_offset": ["0"], "smb2.fsctl.range_length": [str(1 << 20)]},
     struct.pack("<4Q", 0, 4096, 65536, 8192), {"smb2.fsctl.range_offset": ["0", "65536"], "smb2.fsctl.range_length": ["4096", "8192"]}),
    (0x1401d4, struct.pack("<II", 30000, 0), {"smb2.ioctl.resiliency.timeout": 30000}, b"", {}),
    (0x0900c4, b"\1", {"smb2.fsctl.set_sparse": 1}, b"", {}),
    # a count, or a distance to the next one, beyond the data
    (0x140204, struct.pack("<I16sHHH", 0, GUID, 0, 0xffff, 0x202), {"smb2.capabilities": 0, "smb2.client_guid": GUID.hex(), "smb2.sec_mode": 0, "smb2.dialect": [0x202]},
     b"\0" * 3, {}),
    (0x1440f2, CHUNKS[:24] + struct.pack("<II", 0xffffffff, 0) + CHUNKS[32:], dict(CHUNKS_SHOWN, **{"smb2.fsctl.cchunk.count": 0xffffffff}), WRITTEN[:8],
     {key: WRITTEN_SHOWN[key] for key in list(WRITTEN_SHOWN)[:2]}),
    (0x1401fc, b"", {}, struct.pack("<I", 0xffffffff) + interfaces((7, 2, 10**11, "10.1.2.3"))[4:],
     {key: value[:1] for key, value in NETWORK_ROWS.items() if not key.endswith("ipv6")}),
)


def control(file, code, data):
    return struct.pack("<HHI", 57, 0, code) + file + struct.pack("<8I", 120, len(data), 0, 120, 0, 65536, 1, 0) + (data or b"\0")


def controlled(file, code, data):
    return struct.pack("<HHI", 49, 0, code) + file + struct.pack("<6I", 112, 0, 112, len(data), 0, 0) + (data or b"\0")


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

    def test_times_that_nanoseconds_cannot_express(self):
        """[MS-FSCC] 2.4.7: 0 and -1 do not set a time; others reach beyond the year 2262."""
        names = [field + ".units" for field in TIME_FIELDS]
        year_2262 = EPOCH + 92233720368547758
        for times in ((1, year_2262, year_2262 + 1, 2**63 - 1), (0, 2**63, 2**64 - 1, 2**64 - 2), (TIMES[0], 0x7fffffffffffffff, TIMES[1], 0)):
            data = struct.pack("<4QI4x", *times, 0x20)
            self.put(self.client.exchange(smb.QUERY_INFO, query_info(self.file, 4), smb.output(data)))
            row = self.rows("smb2.cmd == %d && smb2.flags.response == 1" % smb.QUERY_INFO)[-1]
            for field, units, time in zip(TIME_FIELDS, names, times):
                known = abs(time - EPOCH) <= 92233720368547758
                self.assertEqual(field in row, time != 0 and known, (field, time))
                self.assertEqual(row.get(units), None if known or not time else ["0x%016x" % time])

    def test_contexts_of_create(self):
        for name, request, _, response, _ in CONTEXTS:
            self.put(self.client.exchange(smb.CREATE, create_with("g", (name, request)), created_with(self.file, (name, response))))
        every = [(name, data) for name, data, *_ in CONTEXTS]
        self.put(self.client.exchange(smb.CREATE, create_with("g", *every), created_with(self.file, *[(c[0], c[3]) for c in CONTEXTS])))
        rows = self.rows("smb2.create.context")
        shown = [{"smb2." + part: row["smb2." + part] for part in PARTS if "smb2." + part in row} for row in rows]
        wanted = [values for _, _, asked, _, answered in CONTEXTS for values in (asked, answered)]
        self.assertEqual(shown[:-2], wanted)
        # of several contexts of a kind the first one has a value
        for row, values in zip(shown[-2:], (wanted[::2], wanted[1::2])):
            self.assertEqual(row, {key: value for one in reversed(values) for key, value in one.items()})

    def test_contexts_that_lie(self):
        made = contexts((b"RqLs", LEASE_2))
        for at, value in ((0, 0xffffffff), (4, 0xffff), (6, 0xffff), (10, 0xffff), (12, 0xffffffff), (10, 0), (12, 0)):
            lying = made[:at] + struct.pack("<I" if at in (0, 12) else "<H", value) + made[at + (4 if at in (0, 12) else 2):]
            self.put(self.client.exchange(smb.CREATE, smb.create("g"), smb.created(self.file)[:80] + struct.pack("<II", 152, 0xffffffff) + lying))
        rows = self.rows("smb2.cmd == %d && smb2.flags.response == 1" % smb.CREATE)[-7:]
        self.assertEqual([row.get("smb2.lease.lease_state") for row in rows], [7, None, None, None, 7, None, None])

    def test_contexts_that_overlap(self):
        """Each claims all the bytes up to the end of the last: what is shown stays as long as the message."""
        for count in 50, 400:
            made = b"".join(struct.pack("<IHHHHI", 16 * (i < count - 1), 16, 0, 0, 16, 16 * (count - 1 - i)) for i in range(count))
            body = smb.created(self.file)[:80] + struct.pack("<II", 152, len(made)) + made
            self.put(self.client.exchange(smb.CREATE, smb.create("g"), body))
            row = self.rows("smb2.cmd == %d && smb2.flags.response == 1" % smb.CREATE)[-1]
            self.assertLessEqual(len("".join(row.get("smb2.create.context_data", []))), 2 * len(made))
            self.put(self.client.exchange(smb.CREATE, smb.create("g")[:48] + struct.pack("<II", 64 + len(smb.create("g")), len(made)) + smb.create("g")[56:] + made,
                                          smb.created(self.file)))

    def test_symbolic_links_and_other_errors(self):
        link = symlink(10, 1, "..\\b\u00e9", "b")
        shown = {"smb2.symlink.unparsed_path_length": 10, "smb2.symlink.flags": 1, "smb2.symlink.substitute_name": "..\\b\u00e9", "smb2.symlink.print_name": "b"}
        stopped, small = 0x8000002d, 0xc0000023
        lying = link[:16] + b"\xff" * 8 + link[24:]
        cases = ((stopped, error_with(link, 0), shown), (stopped, error_with(link, 1), dict(shown, **{"smb2.error.context.id": 0})), (smb.NOT_FOUND, error_with(link, 0), {}),
                 (stopped, error_with(link[:4] + bytes(4) + link[8:], 0), {}), (stopped, error_with(link[:27], 0), {}),
                 (stopped, error_with(lying, 0), {"smb2.symlink.unparsed_path_length": 10, "smb2.symlink.flags": 1}),
                 (small, error_with(struct.pack("<I", 5000), 0), {"smb2.error.min_buf_length": 5000}), (small, error_with(b"abc", 0), {}))
        for status, body, _ in cases:
            self.put(self.client.exchange(smb.CREATE, smb.create("g"), body, status))
        found = [{key: value for key, value in row.items() if key in shown or key in ("smb2.error.context.id", "smb2.error.min_buf_length")} for row in self.rows("smb2.error.data")]
        self.assertEqual(found, [wanted for _, _, wanted in cases])

    def test_data_of_control_codes(self):
        for code, given, _, taken, _ in CONTROLS:
            self.put(self.client.exchange(smb.IOCTL, control(self.file, code, given), controlled(self.file, code, taken)))
        known = {key for _, _, asked, _, answered in CONTROLS for key in (*asked, *answered)}
        found = [{key: value for key, value in row.items() if key in known} for row in self.rows("smb2.cmd == %d" % smb.IOCTL)]
        self.assertEqual(found, [values for _, _, asked, _, answered in CONTROLS for values in (asked, answered)])

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
