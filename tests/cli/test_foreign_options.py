# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Options of tcpdump and tshark."""
import os
import re
import shlex
import time

from cli import CliTest, RPING, TESTDATA, TESTS, needs
from sysfs import unpack

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")


class ForeignOptions(CliTest):
    def test_words_after_the_options_are_a_capture_filter(self):
        for words in (("src", "host", "10.0.0.1"), ("src host 10.0.0.1",), ("udp", "and", "(src", "host", "10.0.0.1)")):
            self.assertEqual(self.good("-r", RPING, *words), self.good("-r", RPING, "-f", "src host 10.0.0.1"))

    def test_times(self):
        for theirs, ours in (("-tt", "e"), ("-ttt", "d"), ("-tttt", "ad"), ("-ttttt", "r")):
            self.assertEqual(self.good("-r", RPING, theirs), self.good("-r", RPING, "-t", ours))

    def test_a_snapshot_length_of_0_is_all(self):
        self.assertEqual(self.good("-r", RPING, "-s", "0", "-T", "json"), self.good("-r", RPING, "-T", "json"))

    def test_bytes_and_text(self):
        self.assertEqual(self.good("-r", RPING, "-X"), self.good("-r", RPING, "-x"))

    def test_two_passes(self):
        self.assertEqual(self.good("-2", "-r", NFS), self.good("-r", NFS))

    def test_printing_while_saving(self):
        self.assertEqual(self.good("-r", RPING, "-P", "-U", "-w", self.path("a.pcap")), self.good("-r", RPING))

    def test_options_with_a_replacement(self):
        for message, arguments in (("-Y FILTER selects packets", ("-R", "udp")), ("-V prints all headers", ("-O", "infiniband")), ("-x prints the bytes", ("-A", ))):
            self.assertEqual(self.bad(message, "-r", RPING, *arguments), b"")

    def test_statistics_have_the_commands_of_the_table(self):
        """-z of tshark(1)."""
        wanted = {typed.split("-z ")[1]: here for typed, here in table() if "tshark" in typed and "-z " in typed}
        self.assertGreater(len(wanted), 3)
        wanted.update({"io,phs": "rdmatap stats FILE", "nfs,srt": wanted["rpc,srt,100003,4"], "smb2,srt": wanted["rpc,srt,100003,4"],
                       "conv,tcp": wanted["conv,ip"], "endpoints,ip": "rdmatap stats FILE", "follow,tcp,hex,0": "rdmatap messages -x FILE"})
        for argument, command in wanted.items():
            self.bad("-z %s: not supported (%s has it)" % (argument, command.replace("--interval 1", "--interval SECONDS")), "-r", RPING, "-q", "-z", argument)

    def test_other_statistics_are_not_promised(self):
        for argument in ("http,tree", "icmp,srt", "plen,tree", "foo"):
            self.bad("-z %s: no such statistics" % argument, "-r", RPING, "-q", "-z", argument)

    def test_options_of_both_programs_work_or_have_a_note(self):
        """Each option of tcpdump(1) 4.99 and tshark(1) 4.0."""
        letters = "-A -B -b -c -C -d -D -E -F -G -h -H -I -i -J -j -K -L -l -m -M -n -N -O -p -q -Q -r -R -s -S -t -T -u -U -v -V -w -W -x -X -y -Y -z -Z -a -e -f -g -o -P -2 -#"
        words = """--absolute-tcp-sequence-numbers --autostop --buffer-size --capture-comment --color --compress --count --direction --disable-heuristic
            --disable-protocol --dont-verify-checksums --enable-heuristic --export-objects --help --hexdump --immediate-mode --interface --lengths --linktype
            --list-data-link-types --list-interfaces --micro --nano --no-duplicate-keys --no-promiscuous-mode --number --only-protocols --print
            --read-filter --relinquish-privileges --ring-buffer --selected-frame --snapshot-length --time-stamp-precision --time-stamp-type
            --update-interval --version"""
        noted = 0
        for option in letters.split() + words.split():
            errors = self.run_program("-r", RPING, "-c", "1", option).stderr.decode()
            self.assertNotIn("see rdmatap --help" if "needs an argument" not in errors else "no such option", errors, option)
            noted += "no such option (" in errors
        self.assertGreater(noted, 40)

    def test_a_number_of_packets(self):
        self.assertEqual(self.good("-r", RPING, "-a", "packets:7"), self.good("-r", RPING, "-c", "7"))

    def test_decode_as(self):
        for theirs, ours in (("udp.port==4791,infiniband", "udp=4791,rocev2"), ("infiniband.bth.destqp==0x12,rpcordma", "qp=0x12,rpcrdma"),
                             ("infiniband.bth.destqp==18,data", "qp=18,data")):
            self.assertEqual(self.good("-r", NFS, "-d", theirs), self.good("-r", NFS, "--decode-as", ours))

    @needs("ip")
    def test_a_duration(self):
        """The capture ends by itself: the loopback may have no traffic at all."""
        begin = time.monotonic()
        done = self.run_program("-i", "pcap:lo", "-a", "duration:1", "-q")
        if b"ermission" in done.stderr or b"ermitted" in done.stderr or b"Z" in done.stderr and done.returncode:
            self.skipTest("captures are not permitted here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(time.monotonic() - begin, 1)


def table():
    """What one types in another program, and here: the table of rdmatap(1)."""
    with open(os.path.join(TESTS, "../doc/rdmatap.1"), encoding="utf-8") as page:
        text = page.read()
    rows = re.search(r"^\.Sh COMING FROM OTHER PROGRAMS\n(.*?)^\.El$", text, re.M | re.S)[1].replace("\\-", "-")
    for typed, here in re.findall(r"^\.It Li (.*)\n(.*)$", rows, re.M):
        yield typed, "rdmatap " + typed.split(" ", 1)[1] if here.startswith("the same") else here.removeprefix(".Li ")


class Table(CliTest):
    """The table of rdmatap(1): what one typed in other programs. What stands there to type here is run."""

    NAMES = {"FILE": NFS, "FILE2": RPING, "IF": "pcap:rdmatap-none", "FILTER": "nfs", "FIELD": "ip.src"}

    def words(self, command, out):
        for word in shlex.split(command)[1:]:
            if word == "EXPRESSION":
                yield from ("udp", "port", "4791")
            else:
                yield out + word[3:] if word.startswith("OUT") else self.NAMES.get(word, word)

    def test_commands_of_the_table_work(self):
        rows = list(table())
        devices = unpack(os.path.join(TESTDATA, "sysfs/hca.tree"), self.path("sys"))
        self.assertGreater(len(rows), 25)
        for number, (typed, command) in enumerate(rows):
            with self.subTest(typed=typed, here=command):
                self.assertTrue(command.startswith("rdmatap "))
                folder = self.path(str(number))
                os.mkdir(folder)
                os.chmod(self.directory, 0o755)
                os.chmod(folder, 0o777)  # root's captures make files as another user
                words = list(self.words(command, os.path.join(folder, "out")))
                done = self.run_program(*words, env={"RDMATAP_SYSFS": devices, "TERM": "dumb"})
                if "-i" in words:
                    # the options are right: what is missing is the source, the right to use it or a terminal
                    self.assertEqual(done.returncode, 2)
                    self.assertRegex(done.stderr.decode(), r"rdmatap-none|mlx5_0|root|terminal")
                    self.assertNotIn(b"--help", done.stderr)
                    continue
                self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
                self.assertTrue(done.stdout or [name for name in os.listdir(folder) if os.path.getsize(os.path.join(folder, name))])
