# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The records in tools for data analysis: JSON Schemas, pandas and DuckDB."""
import collections
import csv
import functools
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest

from cli import CliTest, TESTDATA, TESTS, captures

SCHEMAS = os.path.join(os.path.dirname(TESTS), "doc", "schema")
NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
TYPES = {"integer": int, "number": (int, float), "boolean": bool, "string": str, "object": dict, "array": list}

# not by importing it: pandas takes seconds for that
FIND = "import importlib.util, sys; sys.exit(not importlib.util.find_spec(sys.argv[1]))"


@functools.cache
def python_with(module):
    """A Python interpreter with the module: Debian's, or the one that runs the tests; or None."""
    for python in ("/usr/bin/python3", sys.executable):
        if os.path.exists(python) and not subprocess.run([python, "-c", FIND, module]).returncode:
            return python
    return None


class Duck:
    """DuckDB's shell or its Python module."""

    def __init__(self):
        self.shell, self.python = shutil.which("duckdb"), None
        if not self.shell:
            self.python = python_with("duckdb")

    def __bool__(self):
        return bool(self.shell or self.python)

    def rows(self, query):
        if self.shell:
            output = subprocess.run([self.shell, "-csv", "-noheader", "-c", query], check=True, stdout=subprocess.PIPE).stdout.decode()
        else:
            script = "import csv, duckdb, sys; csv.writer(sys.stdout).writerows(duckdb.sql(sys.argv[1]).fetchall())"
            output = subprocess.run([self.python, "-c", script, query], check=True, stdout=subprocess.PIPE).stdout.decode()
        return list(csv.reader(io.StringIO(output)))


class Types:
    """The type of each key in a schema, or its permitted values."""

    def __init__(self, command):
        with open(os.path.join(SCHEMAS, command + ".schema.json"), encoding="utf-8") as file:
            self.schema = json.load(file)
        self.kinds = {one["properties"]["type"]["enum"][0]: one for one in self.schema.get("oneOf", [])}

    def wrong(self, record):
        """Keys without a schema, or with a type that differs from it."""
        return self.wrong_in(self.kinds.get(record.get("type"), self.schema), record, "")

    def wrong_in(self, schema, value, path):
        if "enum" in schema:
            return [] if value in schema["enum"] else [path + " has another value: %s" % value]
        if "type" in schema and (not isinstance(value, TYPES[schema["type"]]) or isinstance(value, bool) != (schema["type"] == "boolean")):
            return ["%s is %s, not %s" % (path, type(value).__name__, schema["type"])]
        found = []
        if isinstance(value, dict) and "properties" in schema:
            found += ["%s.%s is missing" % (path, key) for key in schema.get("required", []) if key not in value]
            for key, inner in value.items():
                if key in schema["properties"]:
                    found += self.wrong_in(schema["properties"][key], inner, path + "." + key)
                else:
                    found.append("%s.%s is not in the schema" % (path, key))
        for inner in value if isinstance(value, list) and "items" in schema else ():
            found += self.wrong_in(schema["items"], inner, path + "[]")
        return found


class Schemas(CliTest):
    def check(self, command, *arguments):
        types, seen = Types(command), 0
        done = self.run_program(*arguments)
        # diff found differences
        self.assertIn(done.returncode, (0, 1), (arguments, done.stderr))
        for line in done.stdout.decode().splitlines():
            record = json.loads(line)
            seen += 1
            self.assertEqual(types.wrong(record), [], (arguments, line[:1000]))
        return seen

    def test_every_key_of_every_command_has_the_type_of_the_schema(self):
        """Several captures in one run: their hosts are the same, so some connections are merged."""
        files, seen = captures(), collections.Counter()
        for some in [files[i::7] for i in range(3)]:
            for command in ("messages", "connections", "operations"):
                seen[command] += self.check(command, command, "--json", *some)
            seen["stats"] += self.check("stats", "stats", "--json", "--interval", "3600", *some)
            for key in ("name", "object", "client", "layer"):
                seen["by"] += self.check("operations-by", "operations", "--json", "--by", key, *some)
        for capture, other in zip(files[::3], files[1::3]):
            seen["canon"] += self.check("canon", "canon", "--level", "packets", "--json", capture)
            seen["why"] += self.check("why", "why", "--json", capture)
            seen["join"] += self.check("join", "join", "--json", capture, other)
            seen["diff"] += self.check("diff", "diff", "--json", capture, other)
        self.assertGreater(min(seen.values()), 200, seen)

    def test_schemas_reject_other_records(self):
        types, record = Types("messages"), json.loads(self.good("messages", "--json", NFS).splitlines()[0])
        self.assertEqual(types.wrong(record), [])
        for change in ({"length": "5"}, {"complete": 1}, {"kind": "sned"}, {"new": 1}, {"missing": [{"offset": "0"}]}, {"repeats": True}):
            self.assertNotEqual(types.wrong(dict(record, **change)), [], change)
        del record["length"]
        self.assertEqual(types.wrong(record), [".length is missing"])


# each value equals the one computed here from the same files without pandas
PANDAS = """
import json, sqlite3, sys, pandas
as_is = dict(dtype=False, convert_dates=False, precise_float=True)
text = dict(keep_default_na=False, na_values=[""])
operations = pandas.read_json("operations.json", lines=True, **as_is)
messages = pandas.read_csv("messages.csv", **text)
packets = pandas.read_csv("packets.csv", **text)
stats = pandas.read_json("stats.json", lines=True, **as_is)
database = pandas.read_sql("SELECT * FROM operations", sqlite3.connect("nfs.db"))
connections = pandas.json_normalize([json.loads(line) for line in open("connections.json")])
json.dump({
    "operations": len(operations),
    "slowest": int(operations.nlargest(1, "latency")["operation"].iloc[0]),
    "latency": round(float(operations["latency"].sum()), 9),
    "by name": {str(k): int(v) for k, v in operations.groupby("name")["data_bytes"].sum().items()},
    "time_ns": [str(operations["time_ns"].dtype), int(operations["time_ns"].iloc[-1])],
    "messages": len(messages),
    "bytes": int(messages["length"].sum()),
    "message times": [str(messages["time_ns"].dtype), int(messages["time_ns"].iloc[-1])],
    "incomplete": int((~messages["complete"]).sum()),
    "packets": [str(packets["frame.number"].dtype), int(packets["frame.number"].iloc[-1]), str(packets["frame.len"].dtype), int(packets["frame.len"].sum()),
                str(packets["frame.time_ns"].dtype), int(packets["frame.time_ns"].iloc[-1])],
    "stats": {str(k): int(v) for k, v in stats["type"].value_counts().items()},
    "database": [len(database), int(database["latency_ns"].max())],
    "ends": sorted(set(connections["a.addr"]) | set(connections["b.addr"])),
}, sys.stdout)
"""

# Prints the columns of each file named on standard input, in a line: {name: [type, values]}, null for a missing value
COLUMNS = """
import json, sys, pandas
for path in sys.stdin.read().splitlines():
    if path.endswith(".csv"):
        times = {"first_time_ns": "Int64", "last_time_ns": "Int64"}
        data = pandas.read_csv(path, dtype=times, keep_default_na=False, na_values=[""], low_memory=False)
    else:
        data = pandas.read_json(path, lines=True, dtype=False, convert_dates=False, precise_float=True)
    print(json.dumps({name: [str(data[name].dtype), [None if isinstance(value, float) and value != value or value is pandas.NA else value
                                                     for value in data[name].tolist()]] for name in data.columns}, default=int))
"""
# columns of CSV that are those of -T fields or text; in JSON they are numbers or text, too
PACKET_TEXT = ("rdmatap.srcqp", "infiniband.bth.destqp")
COMMANDS = (("operations",), ("messages",), ("messages", "--rpc"), ("connections",), ("check",), ("stats", "--type", "finding"),
            ("stats", "--type", "capture"), ("stats", "--type", "connection"), ("stats", "--type", "rpc"), ("stats", "--type", "operation"),
            ("stats", "--type", "interval", "--interval", "0.1"), ("-r",))


class Readers(CliTest):
    def export(self):
        for name, arguments in (("operations.json", ("operations", "--json")), ("messages.csv", ("messages", "-T", "csv")), ("stats.json", ("stats", "--json")),
                                ("connections.json", ("connections", "--json")), ("packets.csv", ("-T", "csv", "-r"))):
            self.path(name, self.good(*arguments, NFS))
        self.good("export", "--sqlite", self.path("nfs.db"), NFS)

    def objects(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def rows(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_pandas(self):
        python = python_with("pandas")
        if not python:
            self.skipTest("python3-pandas is missing")
        self.export()
        found = json.loads(subprocess.run([python, "-W", "error::FutureWarning", "-c", PANDAS], cwd=self.directory, check=True, stdout=subprocess.PIPE).stdout)
        operations, messages, packets = self.objects("operations.json"), self.rows("messages.csv"), self.rows("packets.csv")
        totals = collections.Counter()
        for one in operations:
            totals[one["name"]] += one["data_bytes"]
        ends = [one[end]["addr"] for one in self.objects("connections.json") for end in ("a", "b")]
        database = sqlite3.connect(self.path("nfs.db"))
        self.assertEqual(found, {
            "operations": len(operations),
            "slowest": max(operations, key=lambda one: one.get("latency", 0))["operation"],
            "latency": round(sum(one.get("latency", 0) for one in operations), 9),
            "by name": totals,
            "time_ns": ["int64", operations[-1]["time_ns"]],
            "messages": len(messages),
            "bytes": sum(int(row["length"]) for row in messages),
            "message times": ["int64", int(messages[-1]["time_ns"])],
            "incomplete": sum(row["complete"] == "false" for row in messages),
            "packets": ["int64", int(packets[-1]["frame.number"]), "int64", sum(int(row["frame.len"]) for row in packets),
                        "int64", int(packets[-1]["frame.time_ns"])],
            "stats": collections.Counter(one["type"] for one in self.objects("stats.json")),
            "database": list(database.execute("SELECT count(*), max(latency_ns) FROM operations").fetchone()),
            "ends": sorted(set(ends)),
        })

    def tables(self, names):
        """What pandas reads: (capture, command, form, records, columns), for those with records."""
        cases, paths = [], []
        for name in names:
            for command in COMMANDS:
                for form in ("json", "csv"):
                    arguments = ("-T", form, *command) if command == ("-r",) else (*command, "-T", form)
                    data = self.run_program(*arguments, os.path.join(TESTDATA, name)).stdout
                    if form == "json":
                        records = [json.loads(line) for line in data.decode().splitlines()]
                    if records:
                        cases.append((name, command, form, records))
                        paths.append(self.path("%d.%s" % (len(paths), form), data))
        lines = subprocess.run([python_with("pandas"), "-c", COLUMNS], input="\n".join(paths).encode(), check=True, stdout=subprocess.PIPE).stdout
        columns = [json.loads(line) for line in lines.splitlines()]
        self.assertEqual(len(columns), len(cases))
        return [(*case, found) for case, found in zip(cases, columns)]

    def test_pandas_has_the_value_of_each_key(self):
        """As rdmatap-export(1) has it: text stays text, integers of nanoseconds stay exact, what is absent is missing."""
        if not python_with("pandas"):
            self.skipTest("python3-pandas is missing")
        null, missing, times, floats = 0, 0, set(), set()
        for name, command, form, records, columns in self.tables(("roce-nfs3.pcap.gz", "ends/roce-loss.A.pcap.gz", "roce-smbdirect.pcap.gz")):
            for key, (kind, values) in columns.items():
                where = (name, command, form, key, kind)
                if command == ("-r",) and form == "csv" and (key in PACKET_TEXT or key.startswith("_ws")):
                    continue
                self.assertEqual(len(values), len(records), where)
                if form == "csv" and (re.fullmatch(r"([a-z]*_)?time(_end)?|frame.time_epoch|id", key) or "." in key and command != ("-r",)):
                    continue
                wrong = [(value, record.get(key)) for value, record in zip(values, records)
                         if value != record.get(key) and not isinstance(record.get(key), (dict, list))]
                self.assertEqual(wrong[:9], [], where)
                null += "NULL" in values
                missing += None in values
                if key.endswith("time_ns") and None not in values or key == "first_time_ns" and form == "csv":
                    times.add(kind)
                if key == "latency" and command[0] != "stats":
                    floats.add(kind)
        self.assertGreater(null, 1)
        self.assertGreater(missing, 20)
        self.assertEqual((times, floats), ({"int64", "Int64"}, {"float64"}))

    def test_duckdb(self):
        duck = Duck()
        if not duck:
            self.skipTest("DuckDB is missing (Debian does not have it)")
        self.export()
        operations, messages = self.objects("operations.json"), self.rows("messages.csv")
        slowest = max(operations, key=lambda one: one.get("latency", 0))
        path = self.path("operations.json")
        self.assertEqual(duck.rows("SELECT operation, time_ns FROM '%s' ORDER BY latency DESC LIMIT 1" % path), [[str(slowest["operation"]), str(slowest["time_ns"])]])
        self.assertEqual(duck.rows("SELECT count(*), sum(length) FROM '%s'" % self.path("messages.csv")),
                         [[str(len(messages)), str(sum(int(row["length"]) for row in messages))]])
        self.assertEqual(duck.rows("SELECT count(*) FROM '%s'" % self.path("stats.json")), [[str(len(self.objects("stats.json")))]])
        self.assertEqual(duck.rows("SELECT max(\"frame.number\") FROM '%s'" % self.path("packets.csv")), [[self.rows("packets.csv")[-1]["frame.number"]]])


if __name__ == "__main__":
    unittest.main()
