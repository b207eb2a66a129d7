# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compressed captures, against the reference programs of the formats: gzip, zstd and lz4."""
import os
import struct
import subprocess

from cli import CliTest, RPING, TESTDATA, needs, read

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
# A skippable frame, which programs write before or after the others: RFC 8878, 3.1.2.
SKIPPED = b"\x55\x2a\x4d\x18\x04\x00\x00\x00abcd"


def through(data, *command):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def raw(path):
    with open(path, "rb") as f:
        return f.read()


def lz4_block(data, out):
    """Appends what an LZ4 block decodes to, of one that is cut off what there is. LZ4 Block Format Description."""
    at = 0

    def length(start):
        nonlocal at
        more = 255 if start == 15 else 0
        while more == 255:
            more, at = data[at], at + 1
            start += more
        return start
    try:
        while at < len(data):
            token, at = data[at], at + 1
            literals = length(token >> 4)
            out += data[at:at + literals]
            at += literals
            offset, at = data[at] | data[at + 1] << 8, at + 2
            for _ in range(length(token & 15) + 4):
                out.append(out[-offset])
    except IndexError:
        pass


def lz4_frame(data):
    """What a frame that is cut off has. LZ4 Frame Format Description."""
    out, at = bytearray(), 15 if data[4] & 8 else 7
    while at + 4 <= len(data):
        size, at = int.from_bytes(data[at:at + 4], "little"), at + 4
        end = at + (size & 0x7fffffff)
        if size >> 31:
            out += data[at:end]
        else:
            lz4_block(data[at:end], out)
        at = end + (4 if data[4] & 16 else 0)
    return bytes(out)


def whole_frames(pcap):
    at, frames = 24, 0
    while at + 16 <= len(pcap) and at + 16 + int.from_bytes(pcap[at + 8:at + 12], "little") <= len(pcap):
        at, frames = at + 16 + int.from_bytes(pcap[at + 8:at + 12], "little"), frames + 1
    return frames


class Compression:
    """One format; the three classes below select it."""
    packed_by, unpacked_by, suffix = [], [], ""

    def capture(self):
        return read(NFS)

    def packed(self, data, *options):
        return through(data, *self.packed_by, *options)

    def test_files_of_the_format_s_own_program_are_read(self):
        shown = self.good("-r", NFS)
        whole = self.capture()
        forms = [self.packed(whole, "-1"), self.packed(whole, "-9"),
                 b"".join(self.packed(whole[i:i + 40000]) for i in range(0, len(whole), 40000))]
        if self.suffix != ".gz":
            forms += [SKIPPED + self.packed(whole), self.packed(whole) + SKIPPED] if self.suffix == ".zst" else [self.packed(whole) + SKIPPED]
        for i, form in enumerate(forms):
            self.assertEqual(self.good("-r", self.path("any-name", form)), shown, i)
            self.assertEqual(self.good("-r", "-", input=form), shown, i)

    def test_the_reference_program_reads_the_written_file(self):
        for form in ("pcap", "pcapng"):
            plain, saved = self.path("x." + form), self.path("x." + form + self.suffix)
            for options in ((), ("-l",)):
                self.good("-r", NFS, *options, "-w", plain)
                self.good("-r", NFS, *options, "-w", saved)
                with open(saved, "rb") as f:
                    self.assertEqual(through(f.read(), *self.unpacked_by), read(plain))

    def test_blocks_of_several_threads_are_in_order(self):
        """Eight times the capture, in more blocks than threads; files of a series end where they end in any run."""
        whole = self.capture()
        plain, saved = self.path("x.pcap", whole + 7 * whole[24:]), self.path("y.pcap" + self.suffix)
        self.good("-r", plain, "-w", self.path("z.pcap"))
        self.good("-r", plain, "-w", saved)
        self.assertEqual(through(raw(saved), *self.unpacked_by), read(self.path("z.pcap")))
        self.assertEqual(self.lines("-q", "-r", saved), ["8392 packets"])
        made = []
        for run in range(2):
            os.mkdir(self.path(str(run)))
            self.good("-r", plain, "-C", "1", "-w", os.path.join(self.path(str(run)), "c.pcap" + self.suffix))
            made.append([(name, raw(os.path.join(self.path(str(run)), name))) for name in sorted(os.listdir(self.path(str(run))))])
        self.assertEqual(made[0], made[1])
        self.assertEqual(b"".join(through(file, *self.unpacked_by)[24:] for _, file in made[0]), read(self.path("z.pcap"))[24:])

    def test_flushed_data_can_be_read_before_the_end(self):
        """With -l every packet is flushed; the file is truncated as after a crash."""
        saved = self.path("x.pcap" + self.suffix)
        self.good("-r", RPING, "-l", "-w", saved)
        with open(saved, "rb") as f:
            packed = f.read()
        done = self.run_program("-q", "-r", self.path("cut", packed[:-1]))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"ends early", done.stderr)
        self.assertEqual(done.stdout, b"101 packets\n")

    def test_damage_is_reported_after_the_frames_before_it(self):
        whole = self.capture()
        packed = self.packed(whole)
        name = self.packed_by[0].encode()
        for damaged, message in ((packed[:-3], b"the " + name + b" data ends early, after %d bytes" % (len(packed) - 3)),
                                 (packed + b"hello", b"something else follows the " + name + b" data at byte %d" % len(packed))):
            done = self.run_program("-q", "-r", self.path("x", damaged))
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, b"1049 packets\n")
        turned = bytearray(packed)
        turned[len(packed) // 2] ^= 0x55
        done = self.run_program("-q", "-r", self.path("x", bytes(turned)))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"the " + name + b" data is corrupt near byte ", done.stderr)

    def test_a_file_of_nothing(self):
        done = self.run_program("-q", "-r", self.path("x", self.packed(b"")))
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"is empty", done.stderr)


@needs("gzip")
class Gzip(Compression, CliTest):
    packed_by, unpacked_by, suffix = ["gzip", "-c"], ["gzip", "-dc"], ".gz"


@needs("zstd")
class Zstd(Compression, CliTest):
    packed_by, unpacked_by, suffix = ["zstd", "-qc"], ["zstd", "-qdc"], ".zst"

    def test_a_window_beyond_the_limit_is_refused(self):
        """`--long=31` requires 2 GiB in the reader."""
        if struct.calcsize("P") < 8:
            self.skipTest("zstd for 32 bits has no such window")
        packed = through(b"\0" * (1 << 28), "zstd", "-qc", "--ultra", "--long=31", "-1")
        done = self.run_program("-q", "-r", self.path("x", packed))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"its window is larger than 128 MiB", done.stderr)


@needs("lz4")
class Lz4(Compression, CliTest):
    packed_by, unpacked_by, suffix = ["lz4", "-qc"], ["lz4", "-qdc"], ".lz4"

    def test_what_there_is_of_a_block_that_is_cut_off(self):
        """The capture is within one block, in several, or in several that refer to each other."""
        whole = self.capture()[:150000]
        for options in (("-1",), ("-B4", "-BX"), ("-B4", "-BD"), ("-9", "-B4", "-BD")):
            packed, found = self.packed(whole, *options), []
            for length in range(len(packed) // 30, len(packed), len(packed) // 29):
                frames = whole_frames(lz4_frame(packed[:length]))
                done = self.run_program("-q", "-r", self.path("cut", packed[:length]))
                self.assertEqual((done.returncode, done.stdout), (2, b"%d packets\n" % frames), (options, length))
                self.assertIn(b"the lz4 data ends early, after %d bytes" % length, done.stderr)
                found.append(frames)
            self.assertEqual(sorted(set(found)), found)

    def test_the_old_format_is_refused_by_name(self):
        done = self.run_program("-q", "-r", self.path("x", self.packed(self.capture(), "-l")))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"old format of lz4", done.stderr)
