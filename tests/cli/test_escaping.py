# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Names from captures and from the command line are data: no output lets them control a terminal, end a line or a cell, or become markup."""
import csv
import io
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import unicodedata
import unittest
from xml.etree import ElementTree

import capfile
import lnet
import mad
import nccl
import nfs
import nvme
import rds
import rpcrdma
import rtrs
import scsi
import smb
from cli import CliTest, PROGRAM, TIMEOUT, RPING, environment, needs_terminal, read, wait_until
from conversation import Connection, Scene
from mad_captures import Fabric
from page import Page
from session import Session

# each alone, and all in one: CSI, OSC, C1 as a byte and in UTF-8, bidirectional marks, line ends of Unicode, markup, quotes, separators
NAMES = (b"\x1b[2J", b"\x1b]0;title\x07", b"\x9b31m", b"\xc2\x9b31m", b"\xe2\x80\xaereversed", b"\xe2\x81\xa6isolate", b"\xe2\x80\xa8line",
         b"\xc2\x85next", b"\xef\xbb\xbfmark", b"\xd8\x9cletter", b"a\r\nb\tc", b"\"q\"'s'\\", b"a,\"b\";c", b"=1+2", b"</title></script>",
         b"<script>alert(1)</script>", b"<img src=x onerror=alert(1)>&amp;", b"]]><!--", b"\x7f\x08\x00nul", b"\xff\xc0\x80\xed\xa0\x80broken")
ALL = b"|".join(NAMES)
LINK_ERF = 197
# Unicode's property Bidi_Control
BIDI_CONTROL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def unsafe(text):
    """Characters of a text that affect a terminal or a browser: controls, and those that change the direction or order of other characters."""
    return sorted({character for character in set(text) if character not in "\n\t" and
                   (unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cs") or
                    character in BIDI_CONTROL)})


def cells_of(line, quote):
    """The cells of a CSV line by RFC 4180: quotes inside are doubled; None: not well formed."""
    cells, at = [], 0
    while True:
        if line[at:at + 1] == quote:
            cell, at = "", at + 1
            while True:
                end = line.find(quote, at)
                if end < 0:
                    return None
                cell += line[at:end]
                at = end + 1
                if line[at:at + 1] != quote:
                    break
                cell += quote
                at += 1
        else:
            end = line.find(",", at)
            cell, at = (line[at:], len(line)) if end < 0 else (line[at:end], end)
            if quote in cell:
                return None
        cells.append(cell)
        if at == len(line):
            return cells
        if line[at] != ",":
            return None
        at += 1


def create3_by(client, xid, file):
    """A call of CREATE whose credential has this name of the client's machine."""
    rpc = nfs.create3(xid, file)
    credential = rpcrdma.auth(rpcrdma.SYS, rpcrdma.words(0) + rpcrdma.opaque(client) + rpcrdma.words(0, 0, 0))
    without = rpcrdma.call(xid, nfs.PROGRAM, 3, nfs.CREATE3).data
    rpc.whole = rpcrdma.call(xid, nfs.PROGRAM, 3, nfs.CREATE3, cred=credential).data + nfs.Xdr(rpc.whole.data[len(without):])
    return rpc


def nfs_session():
    """Files with these names, created by clients with these names, and written to."""
    s = Session("names", "")
    c = s.peers()
    for number, file in enumerate(NAMES + (ALL[:255],)):
        handle = b"handle of file %d" % number
        s.answer(s.call(c, create3_by(file, s.new_xid(), file)), nfs.create3_reply(s.xid, handle))
        regions = s.regions(40)
        call = s.call(c, nfs.write3(s.new_xid(), b"%-40d" % number, handle=handle), reads=[(0, regions, False)])
        for request, _ in s.pull(c, regions):
            s.put(request)
        s.answer(call, nfs.write3_reply(s.xid, 40))
    return s


class Harmless(CliTest):
    def answer(self, *arguments, status=(0,)):
        """Both outputs, which must be harmless."""
        done = self.run_program(*arguments)
        self.assertIn(done.returncode, status, (arguments, done.stderr))
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        self.assertEqual((unsafe(out), unsafe(err)), ([], []), arguments)
        for line in err.splitlines():
            self.assertTrue(line.startswith("rdmatap: "), (arguments, line))
        return out

    def check_tree(self, folder):
        """Returns the number of files."""
        count = 0
        for _, folders, files in os.walk(os.fsencode(folder)):
            for entry in folders + files:
                self.assertEqual(unsafe(entry.decode("utf-8")), [])
                self.assertNotRegex(entry, b"[\n\t]")
            count += len(files)
        return count


class Escaping(Harmless):
    def capture(self, name):
        """Files with these names, data that was not captured, nodes and a service with these descriptions, and pcapng options."""
        s = nfs_session()
        fabric = Fabric("nodes", "")
        for begin in range(0, len(ALL), 60):
            text = int.from_bytes(ALL[begin:begin + 64].ljust(64, b"\0"), "big")
            fabric.put(mad.smp(mad.GET_RESP, 0x10, mad.table("node_description", nodestring=text)), subnet=True)
        file = capfile.Pcapng()
        file.section(options=[(1, ALL), (2, ALL), (3, ALL), (4, ALL)])
        for link in (1, LINK_ERF):
            file.interface(link, 0, [(2, ALL), (3, ALL), (11, b"\0" + ALL), (12, ALL), (1, ALL), (9, b"\x09")])
        for time, _, piece, _ in s.frames:
            file.packet(0, time, piece.data, options=[(1, ALL)])
        for time, data, _ in fabric.frames:
            file.packet(1, time, data)
        file.statistics(0, s.frames[-1][0], [(1, ALL), (5, (7).to_bytes(8, "little"))])
        path = self.path(name)
        file.write(path)
        return path

    def setUp(self):
        super().setUp()
        self.name = self.capture("capture\x1b[2J\u202e<script>\n.pcapng")

    def test_every_output_escapes_terminal_controls(self):
        other = self.capture("other\x9b.pcapng")
        for arguments in ((), ("-V",), ("-v",), ("-x",), ("-v", "-V", "-x"), ("-q", "-v")):
            self.answer("-r", self.name, *arguments)
        for command in ("messages", "connections", "stats", "canon"):
            for arguments in ((), ("-v",)):
                self.answer(command, *arguments, self.name)
        self.answer("messages", "--rpc", "-l", self.name)
        self.answer("canon", "--level", "packets", self.name)
        self.answer("diff", self.name, other, status=(0, 1))
        self.answer("diff", "--level", "packets", "--stat", self.name, other, status=(0, 1))
        self.answer("diff", "--ignore", "nfs", self.name, os.path.join(self.directory, "none\x1b"), status=(2,))
        listed = self.answer("export", "--files", self.path("files"), self.name)
        self.assertGreaterEqual(len(listed.splitlines()), len(NAMES))
        for line in listed.splitlines():
            self.assertEqual(len(line.split("\t")), 4, line)
        self.assertGreaterEqual(self.check_tree(self.path("files")), len(NAMES))

    def test_canonical_texts_that_someone_edited(self):
        text = self.answer("canon", RPING).encode()
        lines = text.splitlines(keepends=True)
        for name in NAMES:
            name = name.replace(b"\n", b"").replace(b" ", b"")
            changed = [line.replace(b"kind=send", b"kind=send" + name).replace(b"learned=", b"learned=" + name)
                       .replace(b"client=", b"client=" + name) for line in lines]
            for form in ((), ("--stat",), ("--json",), ("-T", "csv")):
                self.answer("diff", *form, self.path("a.canon", text), self.path("b.canon", b"".join(changed)), status=(1,))

    def test_words_of_the_command_line_are_shown_escaped(self):
        # not "host": its name would be looked up by DNS
        for word in NAMES:
            word = os.fsdecode(word.replace(b"\0", b""))
            for arguments in (("-r", word), ("-r", self.name, "-Y", word), ("-r", self.name, "-f", "port " + word), ("-" + "-" + word,), (word,),
                              ("-r", self.name, "-T", word), ("-r", self.name, "-T", "fields", "-e", word), ("-i", word),
                              ("stats", self.name, "-w", word), ("diff", "--map", word, self.name, self.name), ("diff", "--rules", word, self.name, self.name),
                              ("devices", word), ("--decode-as", word, "-r", self.name), ("report", "-o", os.path.join("no/such", word), self.name)):
                self.answer(*arguments, status=(1, 2))

    def test_every_json_is_an_object_a_line(self):
        rows = []
        for arguments in (("-T", "json", "-r"), ("messages", "--json"), ("messages", "--rpc", "--json"), ("connections", "--json"), ("stats", "--json"),
                          ("diff", "--json", self.capture("other.pcapng"))):
            out = self.answer(*arguments, self.name, status=(0, 1))
            rows += [json.loads(line) for line in out.splitlines()]
        self.assertTrue(any("nfs.name" in row for row in rows))
        self.assertTrue(any(comment.startswith("\x1b[2J|") for row in rows for comment in row.get("frame.comment", [])))

    def test_cells_are_as_many_as_columns(self):
        names = ("frame.number", "frame.comment", "nfs.name", "infiniband.nodedescription.nodestring", "frame.number")
        asked = [word for name in names for word in ("-e", name)]
        plain = self.answer("-r", self.name, "-T", "fields", *asked, "-E", "occurrence=f").splitlines()
        seen = set()
        for option, quote in (("quote=d", '"'), ("quote=s", "'")):
            quoted = self.answer("-r", self.name, "-T", "fields", *asked, "-E", "separator=,", "-E", option, "-E", "occurrence=f").splitlines()
            self.assertEqual(len(plain), len(quoted))
            for number, (line, row) in enumerate(zip(plain, quoted)):
                cells, parts = line.split("\t"), cells_of(row, quote)
                self.assertEqual((len(cells), cells[0], cells[-1]), (len(names), str(number + 1), str(number + 1)), line)
                self.assertEqual([cell.replace('\\"', '"') if quote == '"' else cell for cell in cells], parts, row)
                seen.add(cells[2])
        self.assertGreaterEqual(len(seen), len(NAMES))

    def test_a_page_has_no_markup_of_a_name(self):
        page = Page(self.answer("report", "-o", "-", self.name).encode())
        self.assertEqual(len(page.root.all("script")), 1)
        self.assertFalse(page.root.all("img"))
        self.assertNotIn("alert(1)</script>", page.source)
        self.assertIn("&lt;script&gt;", page.source)


def without(name, *bad):
    for byte in bad:
        name = name.replace(byte, b"")
    return name


class UpperLayers(Harmless):
    """Names in NFS, storage protocols and SMB, and of capture files, and all commands that process operations."""

    def nvme(self):
        scene = Scene("nvme", "")
        for i, name in enumerate((without(ALL, b"\0"),) + NAMES[:12]):
            talk = Connection(scene, ("10.0.0.2", 0x100 + i, 100), ("10.0.0.1", 0x200 + i, 200))
            host = nvme.Host(talk)
            scene.put(*host.connect(nqn=without(name, b"\0")[:223]))
            for packets in host.write(8, bytes(1024)) + host.read(8, bytes(1024)):
                scene.put(*packets)
        return scene

    def scsi(self):
        """INQUIRY's vendor and product, a serial number; iSCSI's login keys."""
        scene = Scene("scsi", "")
        for i, name in enumerate(NAMES):
            iser = scsi.Iser(Connection(scene, ("10.0.0.2", 0x100 + i, 100), ("10.0.0.1", 0x200 + i, 200)))
            iser.tag = 0x100
            scene.put(*iser.pdu(0x43, 0x87, data=b"TargetName=iqn." + without(name, b"\0") + b"\0InitiatorName=" + ALL[:200] + b"\0"),
                      *iser.pdu(0x23, 0x87, data=b"TargetAlias=" + without(name, b"\0") + b"\0", end="b"))
            scene.put(*iser.into(struct.pack(">BBBHB10x", 0x12, 0, 0, 96, 0), (bytes([0, 0, 6, 2, 31, 0, 0, 0]) + name.ljust(28, b" ")[:28]).ljust(96, b"\0")))
            scene.put(*iser.out(scsi.cdb10(0x2a, 4, 1), bytes(512)), *iser.into(scsi.cdb10(0x28, 4, 1), bytes(512)))
        return scene

    def smb(self):
        scene = Scene("smb", "")
        client = smb.Client(Connection(scene))
        smb.put_all(scene, client.talk, client.set_up())
        for name in NAMES + (b"..\\..\\etc\\passwd", b"../../etc/passwd", b"/etc/passwd", b"\xff\xfe", b"", b".", b"..", b"'); DROP TABLE operations; --"):
            file, sends = client.create(name.decode("latin-1"))
            smb.put_all(scene, client.talk, sends)
            smb.put_all(scene, client.talk, client.write(file, 0, b"content"))
        return scene

    def rnbd(self):
        scene = Scene("rnbd", "")
        talks = [Connection(scene, ("10.0.0.2", 0x11 + i, 0x100), ("10.0.0.1", 0x111 + i, 0x800000)) for i in range(3)]
        for number, talk in enumerate(talks):
            talk.ids, talk.tid = (0x10000 + number, 0x20000 + number), 0x1000 + number
        session = rtrs.Session(talks, name=without(ALL, b"\0")[:200]).set_up()
        groups = session.info() + session.session_info()
        for device, name in enumerate(NAMES):
            groups += session.open(without(name, b"\0"), device) + session.write(8, bytes(512), device) + session.read(8, bytes(512), device)
        for packets in groups:
            scene.put(*packets)
        return scene

    def rds(self):
        """Messages of RDS have no names: these are their content, and extensions."""
        scene = Scene("rds", "")
        ends = rds.pair(Connection(scene))
        for number, name in enumerate(NAMES + (ALL,)):
            for packets in ends[number % 2].message(name, extensions=bytes([rds.RDMA]) + name[:4].ljust(4, b"\0")) + ends[number % 2].congestion(*name):
                scene.put(*packets)
        return scene

    def lnet(self):
        """Identifiers of nodes, cookies, portals and data from the names."""
        scene = Scene("lnet", "")
        for number, name in enumerate(NAMES + (ALL,)):
            a, b = lnet.pair(Connection(scene, ("10.0.0.2", 0x11 + number, 0x100), ("10.0.0.1", 0x111 + number, 0x800000)))
            for end in (a, b):
                end.nid, end.cookie = (int.from_bytes(name.ljust(24, b"x")[at:at + 8], "little") for at in (0, 8))
            pieces = [(0x1000, len(name) * 20)]
            scene.put(*sum(a.put(name * 20, pieces) + b.get(name * 20, pieces), []), *a.immediate(lnet.PUT, name), *b.immediate(lnet.REPLY, name))
        return scene

    def nccl(self):
        host = nccl.Host(1)
        for number, name in enumerate(NAMES):
            link = nccl.Communicator(nccl.Host(number + 2), host)
            link.transfer((number * 2 + 1000) * nccl.MS, [len(name) * 9])
            link.transfer((number * 2 + 1001) * nccl.MS, [len(name) * 9])
        return host

    def captures(self):
        scenes = {"nfs": nfs_session, "nvme": self.nvme, "scsi": self.scsi, "smb": self.smb, "rnbd": self.rnbd, "rds": self.rds, "lnet": self.lnet, "nccl": self.nccl}
        for name, scene in scenes.items():
            path = self.path(name + "\x1b[2J\u202e<bdo>\"'\n.pcap")
            made = scene()
            (made.write if name == "nccl" else made.write_capture)(path)
            yield name, path

    def test_every_command_in_every_form(self):
        for name, path in self.captures():
            with self.subTest(name=name):
                self.forms(name, path)

    def forms(self, name, path):
        operations = self.answer("operations", path).splitlines()
        self.assertGreater(len(operations), 20)
        for arguments in (("-r",), ("-V", "-r"), ("-r", path, "-T", "csv", "-r")):
            self.answer(*arguments, path)
        self.answer("-r", path, "-T", "pdml", status=(0, 2))
        for command in ("messages", "operations", "connections", "stats", "canon"):
            for form in ((), ("-v",), ("--json",), ("-T", "csv")):
                out = self.answer(command, *form, path, status=(0, 2))
                if form == ("--json",):
                    self.assertTrue(all(isinstance(json.loads(line), dict) for line in out.splitlines()))
                elif form == ("-T", "csv"):
                    self.assertEqual(len({len(row) for row in csv.reader(io.StringIO(out))}) <= 1, True, (command, name))
        for by in ("name", "object", "client", "server", "export", "layer"):
            for form in ((), ("--json",), ("-T", "csv")):
                self.answer("operations", "--by", by, *form, path)
        self.answer("operations", "--wide", path)
        listed = self.answer("operations", "-e", "object", "-e", "operation", path).splitlines()
        self.assertTrue(all(line.count("\t") == 1 for line in listed))
        self.answer("stats", "--explain", "all", path)
        for story in ("connection=1", "operation=1", "frame=9"):
            self.answer("why", path, story, status=(0, 1))
        for line in self.answer("check", "--that", "operations.*.*.failed == 0", "--that", "operation.latency < 1ns", "--tap", path,
                                status=(0, 1)).splitlines():
            self.assertRegex(line, r"^(TAP version|1\.\.\d+$|ok |not ok |#|  )")
        ElementTree.fromstring(self.answer("check", "--that", "operation.latency < 1ns", "--junit", "/dev/stdout", path, status=(0, 1)).split("</testsuites>")[0] +
                               "</testsuites>")
        json.loads(self.answer("check", "--sarif", path, status=(0, 1)))
        copy = shutil.copy(path, path[:-5] + " again.pcap")
        for form in ((), ("--json",)):
            self.answer("join", *form, path, copy, status=(0, 1))
        for form in ((), ("--json",)):
            self.answer("diff", *form, path, RPING, status=(1,))
        self.saved(name, path, len(operations))

    def saved(self, name, path, count):
        self.in_database(name, path)
        trace, metrics, page = self.path("trace.json"), self.path("metrics.prom"), self.path("page.html")
        self.answer("export", "--trace", trace, path)
        self.assertTrue(json.loads(read(trace))["traceEvents"])
        self.answer("stats", "--openmetrics", metrics, path, status=(0, 1))
        label = r'[a-z_]+="([^"\\\n]|\\[\\"n])*"'
        for line in read(metrics).decode().splitlines():
            self.assertRegex(line, r"^(# .*|[a-z_]+(\{%s(,%s)*\})? [-+.e0-9naInf]+( [0-9.]+)?)$" % (label, label))
        for written in (trace, metrics):
            self.assertEqual(unsafe(read(written).decode()), [])
        self.assertGreater(count, 0)
        self.answer("export", "--blktrace", "-", path, status=(0, 2))
        self.answer("export", "--files", self.path(name + "-files"), path)
        self.check_tree(self.path(name + "-files"))
        if name != "nfs":
            self.assertEqual(sorted(entry for entry in os.listdir(self.path(name + "-files")) if entry not in ("block", "smb", "files")), [])
        self.answer("report", "-o", page, path)
        source = Page(read(page))
        self.assertEqual(len(source.root.all("script")), 1)
        self.assertFalse(source.root.all("img") + source.root.all("bdo"))

    def in_database(self, name, path):
        """All of its text is valid UTF-8: Python reads it. Names without unsafe characters are those of the other outputs."""
        database, quoted = self.path("out.db"), 0
        self.answer("export", "--sqlite", database, "--packets", path)
        with sqlite3.connect(database) as file:
            self.assertEqual(file.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            self.assertGreaterEqual(file.execute("SELECT count(*) FROM operations").fetchone()[0], 20)
            tables = {row[0] for row in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            self.assertLessEqual({"connections", "messages", "operations", "findings", "packets"}, tables)
            for table in tables:
                file.execute('SELECT * FROM "%s"' % table).fetchall()
            records = {one["operation"]: one for one in map(json.loads, self.answer("operations", "--json", path).splitlines())}
            for number, *texts in file.execute("SELECT operation, object, id, status FROM operations"):
                for text, name in zip(texts, ("object", "id", "status")):
                    wanted = records[number].get(name)
                    if wanted is None or not (unsafe(wanted) or "\ufffd" in wanted):
                        self.assertEqual(text, wanted)
                        quoted += wanted is not None and bool({'"', "\\"} & set(wanted))
        if name == "nfs":
            self.assertGreater(quoted, 0)


@unittest.skipUnless(shutil.which("tmux"), "tmux is missing")
@needs_terminal
class Terminal(Harmless):
    def tmux(self, *arguments):
        return subprocess.run(("tmux", "-S", self.path("tmux"), "-f", "/dev/null") + arguments, stdout=subprocess.PIPE, check=False,
                              env=environment(TERM="xterm", LC_ALL="C.UTF-8"), timeout=TIMEOUT).stdout.decode()

    def test_names_do_not_control_the_terminal_of_top(self):
        path = self.path("nfs\x1b]0;title\x07\u202e.pcap")
        nfs_session().write_capture(path)
        self.addCleanup(self.tmux, "kill-server")
        self.tmux("new-session", "-d", "-x", "160", "-y", "60", PROGRAM, "top", path)
        wait_until(lambda: "packets" in self.tmux("capture-pane", "-p") or "ncurses" in self.tmux("capture-pane", "-p"))
        if "ncurses" in self.tmux("capture-pane", "-p"):
            self.skipTest("built without ncurses")
        self.tmux("send-keys", "Enter")
        wait_until(lambda: "the latest operations" in self.tmux("capture-pane", "-p"))
        screen = self.tmux("capture-pane", "-p")
        self.assertEqual(unsafe(screen), [])
        self.assertIn("nfs WRITE", screen)
        self.assertIn("\\", screen)
        self.assertNotIn("title", self.tmux("display-message", "-p", "#{pane_title}"))


if __name__ == "__main__":
    unittest.main()
