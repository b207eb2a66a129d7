# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the tests of rdmatap stats share."""
import collections
import decimal
import functools
import json
import os

from cli import CliTest, TESTDATA, captures
from conversation import Scene

NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS, NAK_OPERATION, RNR = 0x60, 0x61, 0x62, 0x63, 0x2c
CONGESTION = ("128", "129")
PERCENTILES = {"p50": 500, "p90": 900, "p99": 990, "p999": 999}


def testdata(name):
    return os.path.join(TESTDATA, name)


def sound():
    """Captures whose fields have one value each, and their truth."""
    return [name for name in captures() if not os.path.basename(name).startswith(("absurd", "tunnels", "pseudowire"))]


def nearest_rank(values, permille):
    return sorted(values)[max(1, -(-len(values) * permille // 1000)) - 1]


def readable(seconds):
    """A time as in text output: three significant digits and a unit."""
    value, unit = decimal.Decimal(round(seconds * 10**9)), "ns"
    for larger in ("us", "ms", "s"):
        if value >= decimal.Decimal("999.5"):
            value, unit = value / 1000, larger
    places = 2 if value < decimal.Decimal("9.995") else 1 if value < decimal.Decimal("99.95") else 0
    return "%s %s" % (value.quantize(decimal.Decimal(1).scaleb(-places), decimal.ROUND_HALF_UP), unit)


class StatsTest(CliTest):
    printed = {}  # lines by arguments, of captures of testdata, which several tests read

    def lines_of(self, *arguments):
        """What a command prints, run once for all tests."""
        if not arguments[-1].startswith(TESTDATA):
            return self.lines(*arguments)
        if arguments not in self.printed:
            self.printed[arguments] = self.lines(*arguments)
        return self.printed[arguments]

    def objects(self, command, *arguments):
        return [json.loads(line) for line in self.lines_of(command, "--json", *arguments)]

    def fields(self, capture, *names):
        """Values of these fields, one row per packet."""
        arguments = [word for name in names for word in ("-e", name)]
        return [line.split("\t") for line in self.lines("-r", capture, "-T", "fields", *arguments)]

    def stats(self, *arguments):
        """The records by type."""
        found = collections.defaultdict(list)
        for one in self.objects("stats", *arguments):
            found[one["type"]].append(one)
        return found

    def rules(self, *arguments):
        return {one["rule"]: one for one in reversed(self.stats(*arguments)["finding"])}

    def written(self, scene):
        """A new capture of the scene."""
        path = self.path("%s-%d.pcap" % (scene.name, len(os.listdir(self.directory))))
        scene.write_capture(path)
        return path

    @staticmethod
    @functools.lru_cache(maxsize=1)
    def scene_of_half_open():
        scene = Scene("half-open", "")
        for i in range(3000):
            half = scene.connection(a=("10.1.%d.%d" % divmod(i, 256), 0x100, 5), b=("10.0.0.9", 0x1000 + i, 5))
            scene.put(half.send("a", 200)[0])
        return scene

    def half_open(self):
        return self.written(self.scene_of_half_open())

    def check_distribution(self, found, values, what):
        """Exact except for percentiles, which have the documented error."""
        if not values:
            self.assertIsNone(found, what)
            return
        self.assertEqual(found["count"], len(values), what)
        self.assertAlmostEqual(found["min"], min(values), 9, what)
        self.assertAlmostEqual(found["max"], max(values), 9, what)
        for key, permille in PERCENTILES.items():
            exact = nearest_rank(values, permille)
            error = exact / 64 if len(values) > 4096 else 0
            self.assertLessEqual(abs(found[key] - exact), error + 2e-9, (what, key))
