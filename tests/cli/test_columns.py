# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""-T csv and -e of the commands that print records, against the JSON objects as Python reads them."""
import csv
import io
import json
import os
import re
import unittest

from cli import CliTest, TESTDATA, captures

NAMES = ["roce-nfs3.pcap.gz", "iwarp-nfs3-crctso.pcap.gz", "conn_loss-acked-more.pcap", "conn_cm-lives.pcap", "roce-nfs40-mtu256.pcap.gz"]
COMMANDS = ["messages", "connections", "operations"]
STATS = ["capture", "finding", "connection", "operation", "object", "job", "host", "rpc", "mad", "interval"]


def some_captures():
    found = [c for c in captures() if os.path.basename(c) in NAMES]
    # without captures that cause messages on standard error: contradictory chunk lists
    return found + [c for c in captures() if re.search("(escap|hostile|names|quote)", os.path.basename(c)) and "rpc_hostile" not in c][:3]


def look_up(record, path):
    """The value at a path such as a.b[0].c; None: absent."""
    for step in re.findall(r"[^.\[\]]+|\[\d+\]", path):
        if step[0] == "[":
            if not isinstance(record, list) or int(step[1:-1]) >= len(record):
                return None
            record = record[int(step[1:-1])]
        elif not isinstance(record, dict) or step not in record:
            return None
        else:
            record = record[step]
    return record


def as_cell(value):
    """The cell of a value that Python read, with numbers as they are written."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Number(str):
    """A number as it is written."""


def paths(value, path=""):
    """Every path of a record."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from paths(each, path + "." + key if path else key)
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from paths(each, "%s[%d]" % (path, i))
    if path:
        yield path


class Columns(CliTest):
    def output(self, *arguments):
        done = self.run_program(*arguments)
        explains_empty_list = done.stderr.startswith((b"rdmatap: no ", b"rdmatap: none of "))
        self.assertEqual((done.returncode, b"" if explains_empty_list else done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def records(self, *arguments):
        return [json.loads(line, parse_float=Number, parse_int=Number) for line in self.output(*arguments, "--json").splitlines()]

    def check_csv(self, arguments, records):
        rows = list(csv.reader(io.StringIO(self.output(*arguments, "-T", "csv"), newline=""), strict=True))
        header, rows = rows[0], rows[1:]
        self.assertEqual(len(rows), len(records), arguments)
        for record, row in zip(records, rows):
            self.assertEqual(len(header), len(row))
            for name, cell in zip(header, row):
                value = look_up(record, name)
                if isinstance(value, (dict, list)):
                    self.assertEqual(json.loads(cell, parse_float=Number, parse_int=Number), value)
                else:
                    self.assertEqual(cell, as_cell(value), (arguments, name, record))
            # every scalar of the record outside of arrays has a column
            for path in paths(record):
                if "[" not in path and not isinstance(look_up(record, path), dict):
                    self.assertIn(path, header, arguments)

    def test_csv_equals_json(self):
        seen = 0
        for capture in some_captures():
            for command in COMMANDS:
                records = self.records(command, capture)
                self.check_csv((command, capture), records)
                seen += len(records)
            everything = self.records("stats", "--interval", "1", capture)
            for kind in STATS:
                self.check_csv(("stats", "--interval", "1", "--type", kind, capture), [one for one in everything if one["type"] == kind])
        self.assertGreater(seen, 1000)

    def test_csv_of_other_commands_equals_json(self):
        lossy, whole = (os.path.join(TESTDATA, "conn_loss-acked%s.pcap" % more) for more in ("-more", ""))
        for arguments in (("canon", "--level", "packets", lossy), ("canon", some_captures()[0]), ("why", lossy), ("diff", whole, whole), ("diff", whole, lossy)):
            records = [json.loads(line, parse_float=Number, parse_int=Number)
                       for line in self.run_program(*arguments, "--json").stdout.decode().splitlines()]
            rows = list(csv.DictReader(io.StringIO(self.run_program(*arguments, "-T", "csv").stdout.decode(), newline=""), strict=True))
            self.assertEqual([row["type"] for row in rows], [record["type"] for record in records])
            for record, row in zip(records, rows):
                for name, cell in row.items():
                    value = look_up(record, name)
                    self.assertEqual(json.loads(cell, parse_float=Number, parse_int=Number) if isinstance(value, list) else cell,
                                     value if isinstance(value, list) else as_cell(value))

    def test_values_of_canonical_text_are_columns(self):
        capture = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
        lines = [dict(field.split("=", 1) for field in line.split(" ") if "=" in field)
                 for line in self.output("canon", "--keep", "latency", capture).splitlines()]
        # the line of a connection shows both ends and none of these columns
        wanted = [[line.get(name, "") for name in ("kind", "length", "latency")] for line in lines if "kind" in line]
        chosen = ("-e", "kind", "-e", "length", "-e", "latency")
        self.assertGreater(len({row[0] for row in wanted}), 3)
        self.assertTrue(any(row[2] for row in wanted))
        self.assertEqual([line.split("\t") for line in self.output("canon", *chosen, capture).splitlines()], wanted)
        rows = list(csv.reader(self.output("canon", "-T", "csv", *chosen, capture).splitlines()))
        self.assertEqual(rows, [["kind", "length", "latency"]] + wanted)
        objects = [json.loads(line) for line in self.output("canon", "-T", "json", *chosen, capture).splitlines()]
        self.assertEqual(objects, [{name: value for name, value in zip(rows[0], row) if value} for row in wanted])

    def test_packets_as_csv_are_those_of_t_fields(self):
        names = ["frame.number", "ip.src", "infiniband.aeth.msn", "nfs.name", "rpc.procedure", "_ws.col.info", "rdmatap.time_lost"]
        chosen = [word for name in names for word in ("-e", name)]
        quoted = several = 0
        for capture in some_captures():
            rows = list(csv.reader(io.StringIO(self.run_program("-r", capture, "-T", "csv", *chosen).stdout.decode(), newline=""), strict=True))
            fields = self.run_program("-r", capture, "-T", "fields", "-E", "separator=\x1f", *chosen).stdout.decode().split("\n")[:-1]
            self.assertEqual(rows, [names] + [[re.sub(r'\\(["\\])', r"\1", cell) for cell in line.split("\x1f")] for line in fields])
            quoted += sum('"' in cell or "," in cell for row in rows for cell in row)
            several += sum("," in row[3] for row in rows)
        self.assertGreater(quoted, 100)
        self.assertGreater(several, 0)

    def test_packets_as_csv_without_columns_are_the_lines_of_text(self):
        capture = os.path.join(TESTDATA, "iwarp-nfs3-crctso.pcap.gz")
        for more in ((), ("--threads", "1")):
            rows = list(csv.DictReader(self.output("-r", capture, "-T", "csv", *more).splitlines(), strict=True))
            text = self.output("-r", capture, "-t", "e", "--wide").splitlines()
            self.assertEqual(len(rows), len(text))
            for row, line in zip(rows, text):
                self.assertTrue(line.endswith(row["_ws.col.info"]), (row, line))
                number, time, source, _, destination = line.split()[:5]
                self.assertEqual(row["frame.number"], number)
                self.assertEqual(float(row["frame.time_epoch"]), float(time))
                self.assertEqual(row["frame.time_ns"], row["frame.time_epoch"].replace(".", ""))
                if row["tcp.srcport"]:
                    self.assertEqual((source, destination), (row["_ws.col.def_src"] + ":" + row["tcp.srcport"], row["_ws.col.def_dst"] + ":" + row["tcp.dstport"]))

    def test_some_fields_as_json(self):
        names = ["infiniband.bth.opcode", "frame.number", "frame.time_ns", "ip.src", "nfs.procedure_v3", "rpcordma.rdma_handle"]
        chosen = [word for name in names for word in ("-e", name)]
        for capture in some_captures():
            if "names" in capture:
                continue
            whole = [json.loads(line) for line in self.run_program("-r", capture, "-T", "json").stdout.splitlines()]
            some = [json.loads(line) for line in self.run_program("-r", capture, "-T", "json", *chosen).stdout.splitlines()]
            self.assertEqual(some, [{key: value for key, value in one.items() if key.split("#")[0] in names + ["infiniband.bth.opcode_name", "frame.time_epoch"]} for one in whole])

    def test_columns_in_their_order_in_every_form(self):
        capture = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
        names = ["direction", "message", "operations[0].name", "missing", "crc32", "time_ns"]
        chosen = [word for name in names for word in ("-e", name)]
        whole = self.records("messages", "--checksum", capture)
        some = self.records("messages", "--checksum", *chosen, capture)
        text = [line.split("\t") for line in self.output("messages", "--checksum", *chosen, capture).splitlines()]
        self.assertEqual((len(whole), len(whole)), (len(some), len(text)))
        for record, object_, cells in zip(whole, some, text):
            wanted = {name: look_up(record, name) for name in names}
            self.assertEqual(list(object_.items()), [(name, value) for name, value in wanted.items() if value is not None])
            self.assertEqual(cells, [as_cell(value) for value in wanted.values()])
        rows = list(csv.reader(self.output("messages", "--checksum", *chosen, "-T", "csv", capture).splitlines()))
        self.assertEqual(rows, [names] + text)

    def test_one_and_two_threads_and_sorted_lines_are_alike(self):
        capture = os.path.join(TESTDATA, "iwarp-nfs3-crctso.pcap.gz")
        for form in (["-T", "csv"], ["-T", "json", "-e", "message", "-e", "kind"], ["-e", "message"]):
            self.assertEqual(self.output("messages", *form, "--threads", "1", capture), self.output("messages", *form, "--threads", "2", capture))
        lines = self.output("operations", "-T", "csv", capture).splitlines()
        by_latency = self.output("operations", "-T", "csv", "--sort", "latency", capture).splitlines()
        self.assertEqual(lines[0], by_latency[0])
        self.assertEqual(sorted(lines), sorted(by_latency))

    def test_fields_and_devices(self):
        fields = self.records("fields")
        self.check_csv(("fields",), fields)
        text = [line.split("\t") for line in self.output("fields").splitlines()]
        self.assertEqual([[one["name"], one["type"], one["json_type"] + (" array" if one["array"] else ""), one["label"], one["section"]] for one in fields],
                         text)
        self.assertEqual(self.output("fields", "-e", "name", "infiniband.bth.op"), "infiniband.bth.opcode\n")

    def test_devices_as_csv(self):
        from sysfs import TREES, unpack
        environment = dict(os.environ, RDMATAP_SYSFS=unpack(TREES[0], self.path("sysfs")))
        objects = [json.loads(line) for line in self.run_program("devices", "--json", env=environment).stdout.splitlines()]
        rows = list(csv.DictReader(io.StringIO(self.run_program("devices", "-T", "csv", env=environment).stdout.decode())))
        self.assertEqual([one["name"] for one in objects], [row["name"] for row in rows])
        self.assertEqual([one["ports"] for one in objects], [json.loads(row["ports"]) for row in rows])
        ports = self.run_program("devices", "-e", "name", "-e", "ports[0].state", env=environment).stdout.decode()
        self.assertEqual(ports, "".join("%s\t%s\n" % (one["name"], one["ports"][0].get("state", "")) for one in objects))

    def test_quotes_and_control_characters(self):
        """RFC 4180, 2: a file name with a quote, a comma and a control character."""
        from session import Session
        import nfs
        scene = Session("quoted", "")
        talk = scene.peers()
        call = scene.call(talk, nfs.create3(scene.new_xid(), b'a"b,c\\d\x1b[31m\n'))
        scene.answer(call, nfs.create3_reply(scene.xid, bytes(32)))
        scene.write_capture(self.path("quoted.pcap"))
        row = next(csv.DictReader(io.StringIO(self.output("operations", "-T", "csv", self.path("quoted.pcap")), newline=""), strict=True))
        self.assertTrue(row["object"].endswith('a"b,c\\d%1B[31m%0A'), row["object"])

    def test_wrong_columns_forms_and_types(self):
        capture = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
        for arguments, error in [(("messages", "-e", "mesage"), "-e mesage: messages has no such column (did you mean message?)"),
                                 (("connections", "-e", "crc32"), "-e crc32: connections has no such column (-T csv prints all of them)"),
                                 (("operations", "-e", "missing[].offset"),
                                  "-e missing[].offset: operations has no such column (-T csv prints all of them)"),
                                 (("messages", "-T", "fields"), "-T fields: no such form (text, json, csv)"),
                                 (("canon", "-e", "kidn"), "-e kidn: canon has no such column (did you mean kind?)"),
                                 (("canon", "-e", "infiniband.bth.psn"),
                                  "-e infiniband.bth.psn: is a value of packets (give --level packets too)"),
                                 (("diff", "-T", "csv", "--stat"), "--stat is text: leave out --json, -T and -e"),
                                 (("-e", "ip.src"), "-e requires -T fields, -T csv or -T json"),
                                 (("-T", "csv", "-E", "quote=s"), "-E quote is not for -T csv, which quotes where it is needed"),
                                 (("-T", "json", "-e", "_ws.col.info"), "-e _ws.col.info: only for -T csv and -T fields"),
                                 (("stats", "-T", "csv"),
                                  "-T csv requires --type, because records differ (capture, finding, connection, operation, object, job, host, rpc, mad, interval)"),
                                 (("stats", "--type", "rpc"), "--type requires -T json, -T csv or -e"),
                                 (("stats", "-e", "type", "--type", "message"),
                                  "--type message: no such type (capture, finding, connection, operation, object, job, host, rpc, mad, interval)")]:
            files = ("-r", capture) if arguments[0][0] == "-" else (capture, capture) if arguments[0] == "diff" else (capture, )
            done = self.run_program(*arguments, *files)
            self.assertEqual((done.returncode, done.stdout, done.stderr.decode()), (2, b"", "rdmatap: %s\n" % error))


if __name__ == "__main__":
    unittest.main()
