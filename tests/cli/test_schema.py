# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The tables of doc/json.md against what --json prints over all of testdata, both ways."""
import collections
import json
import os
import re

from cli import CliTest, TESTS, captures
from conversation import Scene

DOCUMENT = os.path.join(os.path.dirname(TESTS), "doc", "json.md")
NANOSECONDS = r"-?\d+\.\d{9}"
TEXTS = {"time": NANOSECONDS, "hex64": r"0x[0-9a-f]{16}", "hex": r"([0-9a-f]{2})+", "crc": r"[0-9a-f]{8}", "text": r".+"}
Row = collections.namedtuple("Row", "kind values always")


class Seconds(str):
    """A number with a point, as it is written."""


def tables():
    """{command: {key: Row}} as the document says."""
    found, rows = {}, None
    with open(DOCUMENT, encoding="utf-8") as lines:
        for line in lines:
            heading = re.match(r"## .*`rdmatap (\w+) --json", line)
            if line.startswith("## "):
                rows = found.setdefault(heading[1], {}) if heading else None
            cells = re.fullmatch(r"\| `([^`]+)` \| (\w+)(?:: ([^|]+))? \| ([^|]+) \| [^|]*\|\n", line)
            if rows is not None and line.startswith("| `"):
                if not cells or cells[1] in rows:
                    raise AssertionError("not a row of a new key: " + line)
                rows[cells[1]] = Row(cells[2], re.findall("`([^`]+)`", cells[3] or ""), cells[4] == "always")
    return found


def big_scene():
    """A message and connections that a small memory cannot hold."""
    scene = Scene("big", "")
    talk = scene.connection()
    packets = talk.write("a", 1200 * 256)
    scene.put(*packets, talk.ack(packets[-1]))
    for i in range(3000):
        half = scene.connection(a=("10.1.%d.%d" % divmod(i, 256), 0x100, 5), b=("10.0.0.9", 0x1000 + i, 5))
        scene.put(half.send("a", 600)[0])
    return scene


class Schema(CliTest):
    def objects(self, command, capture, *options):
        def unique(pairs):
            self.assertEqual(len(dict(pairs)), len(pairs), "a key occurs twice: %s" % pairs)
            return dict(pairs)
        beside = re.sub(r"\.pcap(ng)?(\.gz)?$", ".options", capture)
        if os.path.exists(beside):
            with open(beside) as words:
                options += tuple(words.read().split())
        done = self.run_program(command, "--json", *options, capture)
        self.assertEqual(done.returncode, 0, (capture, done.stderr))
        output = done.stdout.decode("utf-8", "strict")
        self.assertTrue(not output or output.endswith("\n"))
        return [json.loads(line, object_pairs_hook=unique, parse_float=Seconds) for line in output.split("\n")[:-1]]

    def check_value(self, where, row, value):
        if row.kind in ("object", "array", "boolean"):
            good = type(value) is {"object": dict, "array": list, "boolean": bool}[row.kind]
        elif row.kind == "number":
            good = type(value) is int and 0 <= value < 2**53
        elif row.kind == "seconds":
            good = type(value) is Seconds and re.fullmatch(NANOSECONDS, value)
        else:
            good = type(value) is str and re.fullmatch(TEXTS[row.kind], value) and (not row.values or value in row.values)
        self.assertTrue(good, "%s is not %s: %r" % (where, " ".join([row.kind] + row.values), value))

    def check(self, rows, path, value, seen):
        if path:
            self.assertIn(path, rows, "a key that doc/json.md does not know: %r" % (value,))
            self.check_value(path, rows[path], value)
            seen[path] += 1
        if isinstance(value, dict):
            inner = {key: path + "." + key if path else key for key in value}
            always = {key for key, row in rows.items() if row.always and not key.endswith("[]") and key.rpartition(".")[0] == path}
            self.assertLessEqual(always, set(inner.values()), "what always is there is not")
            for key, name in inner.items():
                self.check(rows, name, value[key], seen)
        elif isinstance(value, list):
            for element in value:
                self.check(rows, path + "[]", element, seen)

    def test_every_key_is_documented_and_every_documented_key_occurs(self):
        big_scene().write(self.directory)
        small = (self.path("conn_big.pcap"), "--max-memory", "1M")
        for command, options in (("messages", ("--checksum", "-x")), ("connections", ())):
            rows, seen = tables()[command], collections.Counter()
            for capture, *more in [(c,) for c in captures()] + [small]:
                for one in self.objects(command, capture, *options, *more):
                    with self.subTest(command=command, capture=capture, object=one):
                        self.check(rows, "", one, seen)
            self.assertEqual([key for key in rows if not seen[key]], [], "documented, but never printed by " + command)

    def test_keys_come_only_when_they_are_asked_for(self):
        for capture in captures():
            for one in self.objects("messages", capture):
                self.assertFalse({"crc32", "bytes", "bytes_evicted"} & set(one))
