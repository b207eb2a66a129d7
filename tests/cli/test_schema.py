# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The tables of doc/json.md against the output of --json over all of testdata, in both directions."""
import collections
from decimal import Decimal
import json
import os
import re
import subprocess
import unittest

import storage_jobs
from cli import CliTest, TESTDATA, TESTS, captures, read, records
from conversation import Scene
from session import Session
from sysfs import TREES, unpack
from wire_schedule import MS, Schedule, everything, late_naks, rnr_to_the_end, slow_writes, with_closed_window, with_timeouts
import nccl
import smb
import nfs

try:
    import jsonschema
except ImportError:
    jsonschema = None

DOCUMENT = os.path.join(os.path.dirname(TESTS), "doc", "json.md")
NANOSECONDS = r"-?\d+\.\d{9}"
TEXTS = {"time": NANOSECONDS, "hex64": r"0x[0-9a-f]{16}", "hex": r"([0-9a-f]{2})+", "crc": r"[0-9a-f]{8}", "text": r".+", "string": r".*"}
Row = collections.namedtuple("Row", "kind values always")


class Seconds(str):
    """A number with a point, as it is written."""


class Rows(dict):
    """The rows of a table by their keys. `required`: the keys that each object always has; `checked`: values already examined."""

    def __init__(self):
        super().__init__()
        self.required, self.checked = collections.defaultdict(set), set()

    def __setitem__(self, key, row):
        super().__setitem__(key, row)
        if row.always and not key.endswith("[]"):
            self.required[key.rpartition(".")[0]].add(key)


def tables():
    """{command: {key: Row}} from the document; for commands with several types of records also {(command, type): {key: Row}}."""
    found, rows, command = {}, None, None
    with open(DOCUMENT, encoding="utf-8") as lines:
        for line in lines:
            heading = re.match(r"## .*`rdmatap (\w+) --json", line)
            if line.startswith("## "):
                command = heading[1] if heading else None
                rows = found.setdefault(command, Rows()) if heading else None
            part = re.match(r"### .* type `(\w+)`", line)
            if part:
                rows = found.setdefault((command, part[1]), Rows())
            cells = re.fullmatch(r"\| `([^`]+)` \| (\w+)(?:: ([^|]+))? \| ([^|]+) \| [^|]*\|\n", line)
            if rows is not None and line.startswith("| `"):
                if not cells or cells[1] in rows:
                    raise AssertionError("not a row of a new key: " + line)
                rows[cells[1]] = Row(cells[2], re.findall("`([^`]+)`", cells[3] or ""), cells[4] == "always")
    return found


def shape(value):
    """The keys and types of a value and of all within it."""
    if isinstance(value, dict):
        return tuple((key, shape(each)) for key, each in value.items())
    if isinstance(value, list):
        return frozenset(map(shape, value))
    return type(value)


def big_scene():
    """A message and connections that exceed a small memory limit."""
    scene = Scene("big", "")
    talk = scene.connection()
    packets = talk.write("a", 1200 * 256)
    scene.put(*packets, talk.ack(packets[-1]))
    for i in range(3000):
        half = scene.connection(a=("10.1.%d.%d" % divmod(i, 256), 0x100, 5), b=("10.0.0.9", 0x1000 + i, 5))
        scene.put(half.send("a", 600)[0])
    return scene


class Schema(CliTest):
    def parse(self, done, what):
        def unique(pairs):
            self.assertEqual(len(dict(pairs)), len(pairs), "a key occurs twice: %s" % pairs)
            return dict(pairs)
        self.assertEqual(done.returncode, 0, (what, done.stderr))
        output = done.stdout.decode("utf-8", "strict")
        self.assertTrue(not output or output.endswith("\n"))
        return [json.loads(line, object_pairs_hook=unique, parse_float=Seconds) for line in output.split("\n")[:-1]]

    def objects(self, command, capture, *options):
        beside = re.sub(r"\.pcap(ng)?(\.gz)?$", ".options", capture)
        if os.path.exists(beside):
            with open(beside) as words:
                options += tuple(words.read().split())
        return self.parse(self.run_program(command, "--json", *options, capture), capture)

    @staticmethod
    def is_of_its_type(row, value):
        if row.kind in ("object", "array", "boolean"):
            return type(value) is {"object": dict, "array": list, "boolean": bool}[row.kind]
        if row.kind == "number":
            return type(value) is int and 0 <= value < 2**53
        if row.kind == "nanoseconds":
            return type(value) is int and -2**63 <= value < 2**63
        if row.kind == "decimal":
            return type(value) is int or re.fullmatch(r"[0-9]+\.[0-9]{3}", value)
        if row.kind == "seconds":
            return type(value) is Seconds and re.fullmatch(NANOSECONDS, value)
        return type(value) is str and re.fullmatch(TEXTS[row.kind], value) and (not row.values or value in row.values)

    def problems(self, rows, path, value, seen):
        """Differences from doc/json.md; `seen` counts the documented keys and values that occur."""
        seen[path] += 1
        if path and path not in rows:
            yield path + " is not documented"
            return
        if path and not self.is_of_its_type(rows[path], value):
            yield "%s is not %s" % (path, " ".join([rows[path].kind] + rows[path].values))
        if isinstance(value, dict):
            inner = {path + "." + key if path else key: each for key, each in value.items()}
            for name in rows.required[path] - inner.keys():
                yield name + " is not always there"
            for key, each in value.items():
                if key.endswith("_ns") and (not re.fullmatch(TEXTS["time"], value.get(key[:-3], "")) or
                                            Decimal(value[key[:-3]]).scaleb(9) != each):
                    yield "%s is not %s" % (path + key, key[:-3])
            yield from self.problems_within(rows, inner.items(), seen)
        elif isinstance(value, list):
            yield from self.problems_within(rows, ((path + "[]", each) for each in value), seen)

    def problems_within(self, rows, inner, seen):
        for name, each in inner:
            values = each.values() if isinstance(each, dict) else each if isinstance(each, list) else (each,)
            what = (name, type(each), *(each if isinstance(each, dict) else ()), *values, *map(type, values))
            try:
                if what in rows.checked:
                    continue
                rows.checked.add(what)
            except TypeError:  # values that have others within
                pass
            yield from self.problems(rows, name, each, seen)

    def damaged(self, packet):
        """An iWARP capture with CRCs, one packet of which has a wrong byte."""
        content, at = bytearray(read(os.path.join(TESTDATA, "iwarp-verbmix-err-toolong-crc.pcap"))), 24
        for _ in range(packet):
            at += 16 + int.from_bytes(content[at + 8:at + 12], "little")
        content[at - 10] ^= 0xff
        name = self.path("damaged-%d.pcap" % packet)
        with open(name, "wb") as f:
            f.write(content)
        return name

    def test_every_key_is_documented_and_every_documented_key_occurs(self):
        big_scene().write_capture(self.path("conn_big.pcap"))
        # with several values of a verdict, and several keys
        hosts = [nccl.Host(number) for number in (1, 2, 3)]
        nccl.ring(hosts, 12, 20000, late={(5, hosts[2]): 5 * MS})
        hosts[0].write(self.path("nccl.pcap"))
        smb.echoes(14, False).write_capture(self.path("smb.pcap"))
        smb.copied().write_capture(self.path("copied.pcap"))
        extra = [(self.path("nccl.pcap"),), (self.path("smb.pcap"),), (self.path("copied.pcap"),), (self.gone_on(),), (self.path("conn_big.pcap"), "--max-memory", "1M"), (self.damaged(10),), (self.damaged(11),)]
        for command, options in (("messages", ("--checksum", "-x")), ("connections", ()), ("operations", ())):
            rows, seen, wrong = tables()[command], collections.Counter(), {}
            for capture, *more in [(c,) for c in captures()] + extra:
                for one in self.objects(command, capture, *options, *more):
                    for problem in self.problems(rows, "", one, seen):
                        wrong.setdefault(problem, "%s of %s: %s" % (command, capture, one))
            wrong.update((key, "documented, but never printed by " + command) for key in rows if not seen[key])
            for problem, first in wrong.items():
                with self.subTest(problem):
                    self.fail(first[:1000])

    def test_records_of_statistics_are_as_documented(self):
        big_scene().write_capture(self.path("conn_big.pcap"))
        runs = [(c, "--check-icrc", "--interval", "0.01") for c in captures()]
        runs += [(self.path("conn_big.pcap"), "--max-memory", "1M"), (self.marked(), ),
                 (everything().write_pcapng(self.path("everything.pcapng"), 10 ** 10), ), (self.closed_window(), ),
                 (rnr_to_the_end(2000 * MS).write_pcap(self.path("rnr.pcap")), ), (late_naks(3, 50 * MS).write_pcap(self.path("late.pcap")), ),
                 (slow_writes([MS, MS, 60 * MS]).write_pcap(self.path("slow.pcap")), )]
        jobs = (storage_jobs.never_completed(), storage_jobs.missed_keep_alive(), storage_jobs.slow_device(), storage_jobs.uneven(), storage_jobs.aborted())
        runs += [(job.save(self.path("job%d.pcap" % number)), ) for number, job in enumerate(jobs)]
        runs += [(nccl.straggling_ring(self.path("ring.pcap")), ), (self.gone_on(), )]
        types = {part[1]: rows for part, rows in tables().items() if part[0] == "stats"}
        seen, wrong, order = {kind: collections.Counter() for kind in types}, {}, list(types)
        self.assertEqual(order, ["capture", "finding", "connection", "operation", "object", "job", "host", "rpc", "mad", "interval"])
        for capture, *options in runs:
            found = self.objects("stats", capture, *options)
            self.assertEqual([one["type"] for one in found], sorted((one["type"] for one in found), key=order.index))
            for one in found:
                for problem in self.problems(types[one["type"]], "", one, seen[one["type"]]):
                    wrong.setdefault((one["type"], problem), "%s: %s" % (capture, one))
        for kind, rows in types.items():
            wrong.update(((kind, key), "documented, but never printed") for key in rows if not seen[kind][key] and not self.is_rare(key))
        for problem, first in wrong.items():
            with self.subTest(problem):
                self.fail(first[:1000])

    @staticmethod
    def is_rare(key):
        """Keys and values that require millions of packets, or a reserved service."""
        return key in ("rpcs_uncounted", "mads_uncounted", "messages_uncounted", "values_uncounted", "distributions_uncounted",
                       "patterns_uncounted", "intervals_uncounted",
                       "anomalies.differing_repeat", "anomalies.bad_fpdu_crc",
                       "anomalies.unframed", "others", "statuses_uncounted",
                       "operations_uncounted") or "nak_invalid_rd" in key or key.endswith((".send", ".mixed"))

    def gone_on(self):
        """A sequence of PSNs that went on for an hour without the capture."""
        host = nccl.Host(1)
        pair = nccl.Pair(host, nccl.Host(2))
        for i in range(2):
            pair.a.psn += i << 20
            pair.deliver(pair.a, pair.a.packets(0x1000, 7, bytes(64)), (1000 + 3600000 * i) * MS)
        host.write(self.path("gone_on.pcap"))
        return self.path("gone_on.pcap")

    def closed_window(self):
        _, frames = records(read(os.path.join(TESTDATA, "iwarp-rping-v4-crc.pcap")))
        schedule = Schedule()
        schedule.frames = with_timeouts(with_closed_window([(time, data) for time, data, _ in frames], 10 ** 7), 3, 3 * 10 ** 8)
        return schedule.write_pcap(self.path("closed.pcap"))

    def marked(self):
        """Congestion, a response without a request, a status without a name."""
        scene = Session("marked", "")
        talk = scene.peers()
        for _ in range(4):
            packets = talk.send("a", 600)
            scene.put(*packets, dsfield=3)
            scene.put(talk.notification("b"), talk.ack(packets[-1]))
        call = scene.call(talk, nfs.read3(scene.new_xid(), 10))
        reply = nfs.reply3(scene.xid, nfs.READ3, nfs.ABSENT, 5)
        at = len(reply.whole.data) - 8
        self.assertEqual(reply.whole.data[at:], nfs.words(5, 0))
        reply.whole.data = reply.whole.data[:at] + nfs.words(4711, 0)
        scene.answer(call, reply)
        scene.put(talk.ack(packets[-1], psn=packets[-1].psn + 0x100000))
        scene.write_capture(self.path("marked.pcap"))
        return self.path("marked.pcap")

    def test_every_key_of_devices_is_documented_and_every_documented_key_occurs(self):
        rows, seen = tables()["devices"], collections.Counter()
        for number, tree in enumerate(TREES):
            root = {"RDMATAP_SYSFS": unpack(tree, self.path(str(number)))}
            for question in ((), ("--gid", "::ffff:10.1.2.3")):
                if question and not tree.endswith("roce.tree"):
                    continue
                devices = self.parse(self.run_program("devices", "--json", *question, env=root), tree)
                self.assertTrue(devices)
                for one in devices:
                    with self.subTest(tree=tree, device=one["name"]):
                        self.assertEqual(list(self.problems(rows, "", one, seen)), [])
        # tests/test_device_verbs.c tests those that need a device
        by_device = [key for key in rows if not seen[key]]
        self.assertEqual(by_device, ["verbs_capabilities", "verbs_capabilities[]", "core_clock_khz", "max_receives", "max_sges", "max_completions",
                                     "max_rss_queues", "raw_packet_queue_pairs", "vendor", "part", "max_queue_pairs", "max_completion_queues", "max_memory_regions",
                                     "ports[].subnet_timeout", "ports[].path_mtu", "ports[].max_path_mtu"], "documented, but never printed")

    def test_a_key_has_one_type_in_all_records_of_a_command(self):
        kinds = {}
        for part, rows in tables().items():
            if isinstance(part, tuple):
                for key, row in rows.items():
                    self.assertEqual(kinds.setdefault((part[0], key), row.kind.replace("string", "text")), row.kind.replace("string", "text"), (part, key))
        self.assertTrue(kinds)

    def test_the_schemas_are_those_of_the_tables(self):
        subprocess.run([os.path.join(TESTS, "generate-json-schema"), self.path("schema")], check=True)
        beside = os.path.join(os.path.dirname(DOCUMENT), "schema")
        self.assertEqual(sorted(os.listdir(self.path("schema"))), sorted(os.listdir(beside)))
        for name in os.listdir(beside):
            self.assertEqual(read(os.path.join(self.path("schema"), name)), read(os.path.join(beside, name)), "stale: run make update-schema")

    @unittest.skipUnless(jsonschema, "python3-jsonschema is missing")
    def test_records_are_valid_by_the_schemas(self):
        for name in ("roce-nfs3.pcap.gz", "conn_loss-acked-more.pcap", "iwarp-nfs3-crctso.pcap.gz"):
            for command in ("messages", "operations", "connections", "stats"):
                with open(os.path.join(os.path.dirname(DOCUMENT), "schema", command + ".schema.json"), encoding="utf-8") as f:
                    schema = json.load(f)
                jsonschema.Draft202012Validator.check_schema(schema)
                validator = jsonschema.Draft202012Validator(schema)
                output = self.run_program(command, "--json", os.path.join(TESTDATA, name)).stdout.decode()
                # values are examined above; here each record with other keys or types than those before
                for record in {shape(record): record for record in map(json.loads, output.splitlines())}.values():
                    self.assertEqual([error.message for error in validator.iter_errors(record)], [])
                    for key in schema.get("required", []):
                        with_fault = {each: value for each, value in record.items() if each != key}
                        self.assertFalse(validator.is_valid(with_fault), key)

    def test_fields_are_as_documented(self):
        rows, seen = tables()["fields"], collections.Counter()
        fields = self.parse(self.run_program("fields", "--json"), "fields")
        self.assertGreater(len(fields), 1000)
        for one in fields:
            self.assertEqual(list(self.problems(rows, "", one, seen)), [], one)

    def test_optional_keys_are_present_only_on_request(self):
        for one in self.parse(self.run_program("messages", "--json", *captures()), "messages"):
            self.assertFalse({"crc32", "bytes", "bytes_evicted"} & set(one))
