# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a pcapng file that -w writes keeps of pcapng files: compared with the files, block for block, by a reader of draft-ietf-opsawg-pcapng."""
import os
import random
import struct
import subprocess
import sys

import capfile
from cli import CliTest, needs, read

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


NATIVE = "<" if sys.byteorder == "little" else ">"
NAMES, JOURNAL, SECRETS, CUSTOM, LOCAL, UNKNOWN = 4, 9, 10, 0xbad, 0x40000bad, 0x7f123456


class Made:
    """A pcapng file, and the one that is to be saved of it."""

    def __init__(self):
        self.file, self.saved, self.frames, self.left_out = capfile.Pcapng(), [], 0, 0

    def block(self, kind, *parts):
        """parts: bytes, or (struct format, numbers ...)"""
        def body(order):
            return b"".join(part if isinstance(part, bytes) else struct.pack(order + part[0], *part[1:]) for part in parts)
        self.file.block(kind, body(self.file.order))
        if kind in (LOCAL, UNKNOWN):
            self.left_out += 1
        else:
            if self.interfaces and all(each[1] is None for each in self.interfaces):
                self.number(0)
            self.saved.append((kind, capfile.pad4(body(NATIVE))))

    def options(self, options):
        """options: (code, bytes or (format, numbers ...)); with lengths and an end"""
        parts = []
        for code, value in options:
            size = len(value) if isinstance(value, bytes) else struct.calcsize("=" + value[0])
            parts += [("HH", code, size), value, bytes(-size % 4)]
        return parts

    def section(self, order, options):
        self.file.section(order, options)
        self.interfaces = []
        self.saved.append(("section", [(code, value) for code, value in options if code != 4]))

    def interface(self, link_type, snap, options, resolution=9):
        """options: (code, bytes or (format, numbers ...)), in the order in which they are written; resolution: decimal digits"""
        def wanted(order, digits):
            parts = self.options(options + [(9, bytes([digits]))]) + [bytes(4)]
            return b"".join(part if isinstance(part, bytes) else struct.pack(order + part[0], *part[1:]) for part in parts)
        self.file.block(1, struct.pack(self.file.order + "HHI", link_type, 0, snap) + wanted(self.file.order, resolution))
        self.interfaces.append([resolution, None, struct.pack("=HHI", link_type, 0, snap), options_of(wanted(NATIVE, 9), NATIVE)])

    def number(self, interface):
        described = self.interfaces[interface]
        if described[1] is None:
            described[1] = sum(each[1] is not None for each in self.interfaces)
            self.saved.append(("interface", described[2], described[3]))
        return described[1]

    def packet(self, interface, ns):
        resolution = self.interfaces[interface][0]
        ticks = ns // 10 ** (9 - resolution)
        self.file.packet(interface, ticks, FRAME)
        ns = ticks * 10 ** (9 - resolution)
        self.saved.append((6, struct.pack("=IIIII", self.number(interface), ns >> 32, ns & 0xffffffff, len(FRAME), len(FRAME)) + capfile.pad4(FRAME)))

    def statistics(self, interface, ns, counts):
        """counts: {code: number}; the times of its beginning and end are around its own"""
        unit = 10 ** (9 - self.interfaces[interface][0])
        ticks = ns // unit
        ns = ticks * unit
        order = self.file.order
        def halves(order, value):
            return struct.pack(order + "II", value >> 32, value & 0xffffffff)
        def made(order, value, number):
            options = [(2, halves(order, value)), (3, halves(order, value))] + [(code, struct.pack(order + "Q", count)) for code, count in counts.items()]
            return struct.pack(order + "I", number) + halves(order, value) + b"".join(
                struct.pack(order + "HH", code, len(value)) + value for code, value in options + [(1, b"note")])
        self.file.block(5, made(order, ticks, interface))
        number = self.number(interface)
        self.saved.append((5, made(NATIVE, ns, number)))


def saved_blocks(path):
    """As Made.saved: the parts of sections and interfaces that the format lets a writer choose are left out."""
    found = []
    for kind, body in blocks(path):
        if kind == 0x0a0d0d0a:
            options = options_of(body[16:], NATIVE)
            assert [value for code, value in options if code == 4][0].startswith(b"rdmatap ")
            found.append(("section", [each for each in options if each[0] != 4]))
        elif kind == 1:
            found.append(("interface", body[:8], sorted(options_of(body[8:], NATIVE))))
        else:
            found.append((kind, body))
    return found


def comparable(saved):
    return [each if each[0] != "interface" else (*each[:2], sorted(each[2])) for each in saved]


class Blocks(CliTest):
    def save(self, *arguments):
        """Losses that the statistics count are reported."""
        self.assertEqual(self.run_program(*arguments).returncode, 0, arguments)

    def made(self, seed, sections=3, length=40):
        rng, made = random.Random(seed), Made()
        ns = SECONDS * 10**9
        for section in range(sections):
            made.section(rng.choice("<>"), [(1, b"comment %d" % section), (2, b"hardware"), (3, b"system"), (4, b"program")][:rng.randrange(5)])
            for _ in range(length):
                kind, ns = rng.randrange(12), ns + 1000
                if kind < 2 or not made.interfaces:
                    made.interface(1, rng.choice((0, 96)), [(1, b"of an interface"), (2, b"eth%d" % section), (4, bytes(8)), (6, bytes(6)),
                                                            (10, ("i", 3600)), (12, b"Linux"), (15, b"card"), (16, ("Q", 10**9)),
                                                            (17, ("Q", 10**8)), (18, b"Europe/Berlin"), (13, b"\x04"), (11, b"\x01\x05\x06"),
                                                            (2988, struct.pack(made.file.order + "I", 7) + b"?")][:rng.randrange(13)], rng.choice((3, 6, 9)))
                elif kind < 6:
                    made.packet(rng.randrange(len(made.interfaces)), ns)
                elif kind == 6:
                    made.statistics(rng.randrange(len(made.interfaces)), ns, {4: rng.randrange(2**40), 5: 3, 6: 2, 7: 1, 8: 0})
                elif kind == 7:
                    name = b"host%d\0" % rng.randrange(1000)
                    made.block(NAMES, ("HH", 1, 4 + len(name)), capfile.pad4(bytes([10, 0, 0, 1]) + name), ("HH", 2, 16 + len(name)),
                               capfile.pad4(bytes(16) + name), ("HH", 0, 0), *made.options([(2, b"dns"), (1, b"of names")]))
                elif kind == 8:
                    keys = b"CLIENT_RANDOM %d\n" % rng.randrange(10**9)
                    made.block(SECRETS, ("II", 0x544c534b, len(keys)), capfile.pad4(keys), *made.options([(1, b"keys")] * rng.randrange(2)))
                elif kind == 9:
                    made.block(CUSTOM, ("I", 32473), b"data" * rng.randrange(4))
                elif kind == 10:
                    made.block(rng.choice((LOCAL, UNKNOWN)), ("I", 32473), b"data")
                else:
                    made.block(JOURNAL, b"MESSAGE=%d\n\0" % rng.randrange(100))
        made.file.write(self.path("made.pcapng"))
        return made

    def test_a_copy_has_the_same_blocks(self):
        for seed in range(30):
            made, saved = self.made(seed), self.path("saved.pcapng")
            ran = self.run_program("-r", self.path("made.pcapng"), "-w", saved)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(saved_blocks(saved), comparable(made.saved), seed)
            self.assertEqual(b"%d pcapng block" % made.left_out in ran.stderr, made.left_out > 0, ran.stderr)

    def test_filters_and_threads_do_not_change_the_place_of_blocks(self):
        made, saved = self.made(99, 5, 3000), self.path("saved.pcapng")
        for threads in ("1", "3"):
            self.save("-r", self.path("made.pcapng"), "--threads", threads, "-w", saved)
            self.assertEqual(saved_blocks(saved), comparable(made.saved))
        self.save("-r", self.path("made.pcapng"), "-Y", "frame.number < 0", "-w", saved)
        self.assertEqual([each[0] for each in saved_blocks(saved) if each[0] != "interface"],
                         [each[0] for each in made.saved if each[0] not in ("interface", 6)])
        self.save("-r", self.path("made.pcapng"), "-c", "1", "-w", saved)
        wanted = comparable(made.saved)
        self.assertEqual(saved_blocks(saved), wanted[:[each[0] for each in wanted].index(6) + 1])

    def test_each_file_of_a_series_has_section_names_and_secrets(self):
        made = self.made(7, 2, 300)
        self.save("-r", self.path("made.pcapng"), "-b", "packets:10", "-w", self.path("s.pcapng"))
        names = sorted(name for name in os.listdir(self.path("")) if name.startswith("s_"))
        self.assertEqual(len(names), (sum(each[0] == 6 for each in made.saved) + 9) // 10)
        rest, lasting, section = [each for each in comparable(made.saved) if each[0] != "interface"], [], None
        for name in names:
            found = [each for each in saved_blocks(self.path(name)) if each[0] != "interface"]
            packets = 0
            wanted = [section] + lasting if section else []
            while rest and (packets < 10 or name == names[-1]):
                each = rest.pop(0)
                packets += each[0] == 6
                section = each if each[0] == "section" else section
                lasting += [each] if each[0] in (NAMES, SECRETS) else []
                wanted.append(each)
            def without_numbers(found):
                return [(kind, body[4:]) if kind in (5, 6) else (kind, body) for kind, body in found]
            self.assertEqual(without_numbers(found), without_numbers(wanted), name)
        self.assertFalse(rest)

    def test_a_series_does_not_repeat_secrets_without_end(self):
        made = Made()
        made.section("<", [])
        made.interface(1, 0, [])
        for _ in range(64):
            made.block(SECRETS, ("II", 0x544c534b, 65536), bytes(65536))
        for packet in range(20):
            made.packet(0, SECONDS * 10**9 + packet)
        made.file.write(self.path("made.pcapng"))
        self.save("-r", self.path("made.pcapng"), "-b", "packets:5", "-w", self.path("s.pcapng"))
        sizes = [os.path.getsize(self.path(name)) for name in sorted(os.listdir(self.path(""))) if name.startswith("s_")]
        self.assertEqual([size > 64 << 16 for size in sizes], [True, False, False, False])
        self.assertTrue(all(2 << 16 < size < 5 << 16 for size in sizes[1:]), sizes)

    def test_of_several_files_blocks_stay_before_their_packets(self):
        """Two files whose packets alternate share a section with the comments of both."""
        for number in range(2):
            made = Made()
            made.section("<>"[number], [(1, b"file %d" % number), (2, b"hardware")])
            made.interface(1, 0, [(2, b"eth%d" % number)])
            for packet in range(1500):
                if packet % 3 == 0:
                    keys = b"%d %d" % (number, packet)
                    made.block(SECRETS, ("II", 0x544c534b, len(keys)), capfile.pad4(keys))
                made.packet(0, SECONDS * 10**9 + packet * 2 + number)
            made.statistics(0, SECONDS * 10**9, {4: number})
            made.file.write(self.path("%d.pcapng" % number))
        saved = self.path("saved.pcapng")
        self.save("-r", self.path("0.pcapng"), "-r", self.path("1.pcapng"), "-w", saved)
        found = saved_blocks(saved)
        self.assertEqual(found[0], ("section", [(1, b"file 0"), (1, b"file 1")]))
        self.assertEqual([kind for kind, *_ in found].count(6), 3000)
        seen, packet = [], 0
        for kind, *rest in found:
            if kind == SECRETS:
                seen.append(rest[0][8:].rstrip(b"\0"))
            elif kind == 6:
                number, nth = packet % 2, packet // 2
                self.assertEqual(struct.unpack_from("=I", rest[0])[0], number)
                if nth % 3 == 0:
                    self.assertIn(b"%d %d" % (number, nth), seen)
                packet += 1
        self.assertEqual([seen.count(b"%d %d" % (number, packet)) for number in range(2) for packet in range(0, 1500, 3)], [1] * 1000)
        self.assertEqual([struct.unpack_from("=I", body)[0] for kind, *rest in found if kind == 5 for body in rest], [0, 1])

    def test_options_of_interfaces_after_a_pcap_file(self):
        """The interface of the pcap file is known before the program knows that it copies a pcapng file."""
        made = Made()
        made.section("<", [])
        made.interface(1, 0, [(2, b"eth0"), (12, b"a system")])
        made.packet(0, SECONDS * 10**9 + 1)
        made.file.write(self.path("in.pcapng"))
        capfile.write_pcap(self.path("in.pcap"), 1, [(SECONDS * 10**9, bytes(60), 60)])
        saved = self.path("saved.pcapng")
        self.save("-r", self.path("in.pcap"), "-r", self.path("in.pcapng"), "-w", saved)
        self.assertIn((12, b"a system"), [option for kind, *rest in saved_blocks(saved) if kind == "interface" for option in rest[-1]])

    def test_a_pcap_file_has_one_length_of_frame_check_sequences(self):
        for number, size in enumerate((4, 0)):
            capfile.write_pcap(self.path("%d.pcap" % number), 1, [(SECONDS * 10**9 + number, FRAME, len(FRAME))], fcs_bytes=size)
        both = ("-r", self.path("0.pcap"), "-r", self.path("1.pcap"), "-w")
        self.bad("pcapng", *both, self.path("saved.pcap"))
        self.save(*both, self.path("saved.pcapng"))
        self.assertEqual([13 in dict(each[2]) for each in saved_blocks(self.path("saved.pcapng")) if each[0] == "interface"], [True, False])

    @needs("editcap")
    def test_editcap_accepts_names_before_the_first_packet(self):
        """It looks for interfaces only at the beginning of a file."""
        made = Made()
        made.section("<", [])
        made.interface(1, 0, [])
        keys = b"CLIENT_RANDOM 0 1\n"
        made.block(SECRETS, ("II", 0x544c534b, len(keys)), capfile.pad4(keys))
        for number in range(4):
            made.packet(0, SECONDS * 10**9 + number)
        made.file.write(self.path("made.pcapng"))
        self.save("-r", self.path("made.pcapng"), "-w", self.path("saved.pcapng"))
        self.save("-r", self.path("made.pcapng"), "-b", "packets:3", "-w", self.path("s.pcapng"))
        names = [name for name in os.listdir(self.path("")) if name.startswith("s")]
        self.assertEqual(len(names), 3)
        for name in names:
            ran = subprocess.run(["editcap", "-F", "pcapng", self.path(name), self.path("edited.pcapng")], stderr=subprocess.PIPE)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual([kind for kind, *_ in blocks(self.path(name))].count(SECRETS), 1)

    def test_what_follows_the_last_packet_wanted_is_not_saved(self):
        """Though it has been read: other threads read ahead."""
        made = Made()
        made.section("<", [])
        made.interface(1, 0, [])
        for number in range(500):
            made.packet(0, SECONDS * 10**9 + number)
            made.statistics(0, SECONDS * 10**9 + number, {4: number})
        made.file.write(self.path("made.pcapng"))
        for threads in ("1", "2", "3"):
            for count in (1, 400, 498):
                self.save("-r", self.path("made.pcapng"), "--threads", threads, "-c", str(count), "-Y", "eth", "-w", self.path("saved.pcapng"), "--print")
                self.assertEqual(saved_blocks(self.path("saved.pcapng")), comparable(made.saved)[:1 + 2 * count])

    def test_later_sections_of_several_files_are_reported(self):
        for number in range(2):
            made = capfile.Pcapng()
            for section in range(3):
                made.section(options=((1, b"comment"),) * (section < 2))
                made.interface(1)
                made.packet(0, SECONDS * 10**6 + section, FRAME)
            made.write(self.path("%d.pcapng" % number))
        ran = self.run_program("-r", self.path("0.pcapng"), "-r", self.path("1.pcapng"), "-w", self.path("saved.pcapng"))
        self.assertIn(b"2 pcapng blocks were not saved", ran.stderr)
        self.assertEqual([kind for kind, *_ in saved_blocks(self.path("saved.pcapng"))].count("section"), 1)

    def test_malformed_and_too_many_blocks_are_reported(self):
        made = capfile.Pcapng()
        made.section()
        made.interface(1)
        made.packet(0, 5, FRAME)
        for kind, body in ((NAMES, b""), (NAMES, struct.pack("<HH", 1, 9) + bytes(4)), (SECRETS, struct.pack("<II", 1, 5) + bytes(4)),
                           (SECRETS, bytes(4)), (CUSTOM, b""), (NAMES, bytes(4) + struct.pack("<HH", 1, 9))):
            made.block(kind, body)
        made.write(self.path("made.pcapng"))
        ran = self.run_program("-r", self.path("made.pcapng"), "-w", self.path("saved.pcapng"))
        self.assertEqual((ran.returncode, [kind for kind, _ in blocks(self.path("saved.pcapng"))]), (0, [0x0a0d0d0a, 1, 6]))
        self.assertIn(b"6 pcapng blocks were not saved", ran.stderr)
        for _ in range(40):
            made.block(CUSTOM, bytes(1 << 20))
        made.write(self.path("made.pcapng"))
        ran = self.run_program("-r", self.path("made.pcapng"), "-w", self.path("saved.pcapng"))
        kept = [kind for kind, _ in blocks(self.path("saved.pcapng"))].count(CUSTOM)
        self.assertTrue(10 < kept < 20)
        self.assertIn(b"%d pcapng blocks were not saved" % (46 - kept), ran.stderr)

    def test_the_length_of_frame_check_sequences(self):
        for order in "<>":
            for size in (0, 2, 4, 14, 30):
                capfile.write_pcap(self.path("made.pcap"), 1, [(SECONDS * 10**9, FRAME, len(FRAME))], order, fcs_bytes=size)
                self.save("-r", self.path("made.pcap"), "-w", self.path("saved.pcapng"))
                self.save("-r", self.path("saved.pcapng"), "-w", self.path("again.pcapng"))
                for name in ("made.pcap", "saved.pcapng"):
                    self.save("-r", self.path(name), "-w", self.path("saved.pcap"))
                    wanted = 1 | (size // 2 << 28 | 1 << 26 if size else 0)
                    self.assertEqual(struct.unpack_from("=I", read(self.path("saved.pcap")), 20)[0], wanted)
                for name in ("saved.pcapng", "again.pcapng"):
                    found = [value for code, value in saved_blocks(self.path(name))[1][2] if code == 13]
                    self.assertEqual(found, [bytes([size if size <= 8 else size * 8])] if size else [])
