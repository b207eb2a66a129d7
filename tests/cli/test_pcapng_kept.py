# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a pcapng file that -w writes keeps of pcapng files: compared with the files, block for block, by a reader of draft-ietf-opsawg-pcapng."""
import random
import struct

import capfile
from cli import CliTest, read

FRAME = bytes.fromhex("020000000001020000000002") + b"\x88\xb5" + bytes(46)
SECONDS = 1_700_000_000


def options_of(data, order="<"):
    """[(code, value)]"""
    found, at = [], 0
    while at + 4 <= len(data):
        code, size = struct.unpack_from(order + "HH", data, at)
        if not code:
            break
        found.append((code, data[at + 4:at + 4 + size]))
        assert len(found[-1][1]) == size
        at += 4 + size + -size % 4
    return found


def blocks(path):
    """[(type, body)] of a file in the byte order of this machine."""
    data, at, found = read(path), 0, []
    while at < len(data):
        kind, length = struct.unpack_from("=II", data, at)
        assert length % 4 == 0 and length >= 12 and struct.unpack_from("=I", data, at + length - 4)[0] == length
        found.append((kind, data[at + 8:at + length - 4]))
        at += length
    return found


def packets(path):
    """[(interface, time, frame, length on the wire, options)]"""
    found = []
    for kind, body in blocks(path):
        if kind == 6:
            interface, high, low, captured, wire = struct.unpack_from("=IIIII", body)
            found.append((interface, high << 32 | low, body[20:20 + captured], wire, options_of(body[20 + captured + -captured % 4:], "=")))
    return found


class PacketOptions(CliTest):
    # code: (struct format, values); draft-ietf-opsawg-pcapng, 4.3
    NUMBERS = {2: ("I", (0x80000123,)), 4: ("Q", (1 << 40,)), 5: ("Q", (7,)), 6: ("I", (3,)), 8: ("II", (77, 78))}

    def written(self, order, options):
        made, saved = capfile.Pcapng(), self.path("saved.pcapng")
        made.section(order)
        made.interface(1, 0, ((9, b"\x09"),))
        for number, each in enumerate(options):
            made.packet(0, SECONDS * 10**9 + number, FRAME, options=each)
        made.write(self.path("made.pcapng"))
        ran = self.run_program("-r", self.path("made.pcapng"), "-w", saved)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return [each[4] for each in packets(saved)], ran.stderr.decode()

    def values(self, order):
        values = [(code, struct.pack(order + form, *numbers)) for code, (form, numbers) in self.NUMBERS.items()]
        values += [(3, b"\x02" + bytes.fromhex("00112233")), (7, b"\x01" + struct.pack(order + "q", -2)), (7, b"\x00\xde\xad"),
                   (2988, struct.pack(order + "I", 32473) + b"text"), (2989, struct.pack(order + "I", 32473) + b"\x01\x02\x03")]
        return values

    def test_each_option_alone_and_all_together(self):
        for order in "<>":
            given, wanted = self.values(order), self.values("=")
            found, errors = self.written(order, [(option,) for option in given] + [given, given[::-1], ()])
            self.assertEqual(found, [[option] for option in wanted] + [wanted, wanted[::-1], []])
            self.assertNotIn("option", errors)

    def test_comments_come_first(self):
        for order in "<>":
            flags, own = struct.pack(order + "I", 9), struct.pack("=I", 9)
            found, _ = self.written(order, [((1, b"a"), (2, flags), (1, b"bc"))])
            self.assertEqual(found, [[(1, b"a"), (1, b"bc"), (2, own)]])

    def test_random_lists(self):
        rng = random.Random(5)
        for order in "<>":
            given, wanted = self.values(order), self.values("=")
            chosen = [[rng.randrange(len(given)) for _ in range(rng.randrange(6))] for _ in range(2000)]
            found, _ = self.written(order, [[given[i] for i in each] for each in chosen])
            self.assertEqual(found, [[wanted[i] for i in each] for each in chosen])

    def test_what_is_left_out_is_reported(self):
        """Custom options that must not be copied (4.9), and in the other byte order what is not known to be text or a number."""
        local = [(19372, struct.pack("<I", 1) + b"x"), (19373, struct.pack("<I", 1))]
        found, errors = self.written("<", [[(1, b"k")] + local + [(2, b"\1\0\0\0"), (99, b"own")]])
        self.assertEqual(found, [[(1, b"k"), (2, b"\1\0\0\0"), (99, b"own")]])
        self.assertIn("2 options", errors)
        found, errors = self.written(">", [[(99, b"own"), (2, b"\0\0\0\1"), (2, b"\0\0\1"), (2989, b"\0\0")]])
        self.assertEqual(found, [[(2, b"\1\0\0\0")]])
        self.assertIn("3 options", errors)

    def test_the_losses_of_an_old_packet_block(self):
        for order in "<>":
            made, saved = capfile.Pcapng(), self.path("saved.pcapng")
            made.section(order)
            made.interface(1)
            made.old_packet(0, SECONDS * 10**6, FRAME, len(FRAME), 0xffff)
            made.old_packet(0, SECONDS * 10**6, FRAME, len(FRAME), 0, ((1, b"c"),))
            made.old_packet(0, SECONDS * 10**6, FRAME, len(FRAME), 258, ((2, struct.pack(order + "I", 1)), (1, b"d"), (3, b"\x02abcd")))
            made.write(self.path("made.pcapng"))
            self.good("-r", self.path("made.pcapng"), "-w", saved)
            self.assertEqual([each[4] for each in packets(saved)],
                             [[], [(1, b"c"), (4, struct.pack("=Q", 0))],
                              [(1, b"d"), (2, struct.pack("=I", 1)), (3, b"\x02abcd"), (4, struct.pack("=Q", 258))]])
