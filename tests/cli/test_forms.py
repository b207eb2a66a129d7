# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""JSON and -T fields over all of testdata: valid, of the listed types, and with the same values."""
import collections
import itertools
import json
import os
import re
from decimal import Decimal

from cli import CliTest, captures, has_sanitizers, RPING, TUNNELS

# The comparison takes longer than the program: with sanitizers a part of the captures is enough.
CAPTURES = captures()[::4 if has_sanitizers() else 1]
SEPARATOR, AGGREGATOR = "\x1f", "\x1e"
NOT_IN_JSON = {"data.data", "infiniband.mad", "infiniband.mad.data", "infiniband.rmpp", "infiniband.rmpp.extendederrordata",
               "infiniband.rmpp.transferreddata", "infiniband.sa.drdlid", "infiniband.sa.subnetadmindata",
               "infiniband.smpdirected", "infiniband.smpdirected.reserved", "infiniband.smplid", "infiniband.smplid.reserved0",
               "infiniband.smplid.reserved1", "infiniband.smplid.smpdata", "iwarp_rdma.send.reassembled.data", "nfs.data",
               "iscsi.asynceventdata", "iscsi.immediatedata", "iscsi.padding", "iscsi.pingdata",
               "nvme.fabrics.cmd.connect.data.rsvd0", "nvme.fabrics.cmd.connect.data.rsvd1",
               "rdmatap.trailer", "rds.cong.map", "rpc.reqframe", "smb2.input_buffer", "smb2.output_buffer", "smb2.read_data", "smb2.write_data", "rpc.authgss.data", "rpc.authgss.token", "rpcordma.reassembled.data"}


def unescape(text):
    """The bytes of a text that -T fields printed."""
    letters = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}

    def replace(match):
        what = match.group(1)
        return chr(int(what[1:], 16) if what[0] == "x" and len(what) == 3 else letters.get(what, ord(what[0])))
    return re.sub(r"\\(x[0-9a-f]{2}|.)", replace, text)


def is_reserved(name):
    """Reserved bits and bytes of storage structures, and bytes of which each part is a field, are in JSON on demand only."""
    return re.search(r"\.(rsvd\d|vendor_specific|ctrl\.(fguid|nvmeof)$|rcrd\.tsas$|smart\.ts$|control\.(reserved|obs\d)$)", name) is not None


class Forms(CliTest):
    def setUp(self):
        super().setUp()
        self.types, self.texts, self.keys, self.names, self.rows = {}, set(), {}, {}, collections.Counter()
        self.good_values, self.same_values = set(), set()  # most values occur in many frames
        for row in self.lines("fields"):
            name, kind, json_type = row.split("\t")[:3]
            self.rows[name] += 1
            self.assertEqual(self.types.setdefault(name, json_type), json_type, name)
            if kind == "text":
                self.texts.add(name)

    def objects(self, *arguments):
        def unique(pairs):
            self.assertEqual(len(dict(pairs)), len(pairs), "a key occurs twice")
            return dict(pairs)
        done = self.run_program(*arguments, "-T", "json")
        self.assertEqual(done.returncode, 0, arguments)
        output = done.stdout.decode("utf-8", "strict")
        self.assertTrue(not output or output.endswith("\n"))
        return [json.loads(line, object_pairs_hook=unique) for line in output.split("\n")[:-1]]

    def is_name(self, one, key, value):
        """Whether the text is the name of the number in all packets, except for fields that have several lists of names."""
        number = key[:-len("_name")]
        return (key.endswith("_name") and key not in self.types and self.types.get(number) == "number" and type(value) is str and value != "" and
                (self.rows[number] > 1 or self.names.setdefault((number, one[number]), value) == value))

    def is_of_its_type(self, key, value):
        if key not in self.keys:
            name, _, number = key.partition("#")
            scalar, _, array = self.types.get(name, "none").partition(" ")
            self.keys[key] = ("none" if number and int(number) < 2 else scalar), array == "array"
        scalar, is_array = self.keys[key]
        if isinstance(value, list) != is_array:
            return False
        values = value if is_array else [value]
        if scalar == "number":
            return all(type(one) is int and 0 <= one < 2**32 for one in values)
        return scalar == "string" and all(type(one) is str for one in values)

    def check_objects(self, capture, found, has_checksums):
        """JSON is valid and of the listed types."""
        for number, one in enumerate(found, 1):
            self.assertEqual(list(one)[:7], ["frame.number", "frame.time_epoch", "frame.time_ns", "frame.time_relative", "frame.time_delta",
                                             "frame.len", "frame.cap_len"])
            self.assertEqual(one["frame.number"], number)
            self.assertRegex(one["frame.time_epoch"], r"^-?\d+\.\d{9}$")
            self.assertEqual(Decimal(one["frame.time_epoch"]).scaleb(9), one.pop("frame.time_ns"))
            self.assertFalse(NOT_IN_JSON & set(one))
            self.assertTrue(has_checksums or not [key for key in one if key.endswith("crc.status")])
            for key, value in one.items():
                is_array = type(value) is list
                what = (key, type(value), tuple(value) if is_array else value, key not in self.types and one.get(key[:-len("_name")]))
                if is_array or what not in self.good_values:
                    self.assertTrue(self.is_of_its_type(key, value) or self.is_name(one, key, value), (capture, number, key, value))
                    self.good_values.add(what)

    def same(self, name, text, value):
        if isinstance(value, int):
            return int(text, 0) == value
        if name in self.texts:
            return "\ufffd" in value or unescape(text) == value
        return ("" if text == "<MISSING>" else text) == value

    def check_row(self, shown, one, where):
        """shown: the values that -T fields prints for a frame, by name; one: its JSON."""
        values = {}
        for key, value in one.items():
            name = key if key in self.types else key.partition("#")[0]
            if name not in self.types:  # the name of a number
                continue
            if isinstance(value, list):
                values[name] = tuple(value)
            else:
                values[name] = values.get(name, ()) + (value,)
        self.assertEqual({name for name in shown.keys() - values.keys() if not is_reserved(name)}, set(), where)
        for name, all_values in values.items():
            cell = shown.get(name)
            if (name, cell, all_values) in self.same_values:
                continue
            self.same_values.add((name, cell, all_values))
            texts = cell[1:-1].split(AGGREGATOR) if cell else []
            equal = len(texts) == len(all_values) and all(self.same(name, *both) for both in zip(texts, all_values))
            self.assertTrue(equal, (where, name, texts, all_values))

    def test_fields_and_json_report_the_same(self):
        all_names = [name for name in self.types if name not in NOT_IN_JSON]
        # --check-icrc only adds fields, and all captures are read with it below: without it, each eighth one is enough
        for capture in CAPTURES[::8]:
            self.check_objects(capture, self.objects("-r", capture), False)
        # one run for all whose names begin alike
        for _, group in itertools.groupby(CAPTURES, lambda capture: re.match("roce-[a-z]*|[a-z]*", os.path.basename(capture))[0]):
            inputs = [part for capture in group for part in ("-r", capture)]
            found = self.objects(*inputs, "--check-icrc")
            self.check_objects(inputs, found, True)
            families = {key.partition(".")[0] for one in found for key in one}
            names = [name for name in all_names if name.partition(".")[0] in families]
            columns = [part for name in names for part in ("-e", name)]
            output = self.run_program(*inputs, "--check-icrc", "-T", "fields", "-E", "separator=" + SEPARATOR, "-E",
                                      "aggregator=" + AGGREGATOR, "-E", "quote=d", *columns).stdout.decode("utf-8", "surrogateescape")
            rows = output.split("\n")[:-1]
            self.assertEqual(len(rows), len(found), inputs)
            for number, (row, one) in enumerate(zip(rows, found), 1):
                cells = row.split(SEPARATOR)
                self.assertEqual(len(cells), len(names))
                self.check_row(dict(zip(itertools.compress(names, cells), filter(None, cells))), one, (inputs, number))
        # IBTA vol. 1, table 38; RFC 5040, 4.1
        for (key, number), name in ((("infiniband.bth.opcode", 4), "RC SEND Only"), (("infiniband.bth.opcode", 17), "RC Acknowledge"),
                                    (("ip.proto", 17), "UDP"), (("rpc.msgtyp", 1), "Reply")):
            self.assertEqual(self.names[key, number], name)

    def test_options_of_fields_change_the_separators(self):
        names = ("-T", "fields", "-e", "frame.number", "-e", "ip.src", "-e", "arp.opcode")
        for options, first in (((), "1\t172.16.0.1,10.1.2.3\t"), (("occurrence=f",), "1\t172.16.0.1\t"),
                               (("occurrence=l",), "1\t10.1.2.3\t"), (("occurrence=a",), "1\t172.16.0.1,10.1.2.3\t"),
                               (("aggregator=/s", "separator=|"), "1|172.16.0.1 10.1.2.3|"),
                               (("quote=d", "separator=,"), '"1","172.16.0.1,10.1.2.3",'), (("quote=s",), "'1'\t'172.16.0.1,10.1.2.3'\t"),
                               (("separator=/s", "quote=n"), "1 172.16.0.1,10.1.2.3 "), (("header=y",), "frame.number\tip.src\tarp.opcode")):
            extra = [part for option in options for part in ("-E", option)]
            self.assertEqual(self.lines("-r", TUNNELS, *names, *extra)[0], first)
        self.assertEqual(self.good("-r", RPING, "-Y", "arp", *names, "-E", "header=y"), b"frame.number\tip.src\tarp.opcode\n")
