# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Metrics, read by Prometheus's parsers for Python and compared with the records of stats."""
import atexit
import functools
import json
import os
import re
import socket
import stat
import subprocess
import unittest

from cli import CliTest, TESTDATA, TIMEOUT, needs, read, wait_until
from live import LiveTest, NAMESPACE

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
PARSE = """
import json, sys
from prometheus_client.%s import text_string_to_metric_families
for text in map(json.loads, sys.stdin):
    print(json.dumps([(sample.name, sample.labels, sample.value) for family in text_string_to_metric_families(text) for sample in family.samples]), flush=True)
"""
PYTHONS = ("python3", "/usr/bin/python3")


@functools.cache
def interpreter():
    """A Python interpreter with prometheus_client."""
    for python in PYTHONS:
        if subprocess.run((python, "-c", "import prometheus_client"), stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    raise unittest.SkipTest("python3-prometheus-client is missing")


@functools.cache
def parser(module):
    """It takes long to start, so one parses all texts. It ends, with a message on standard error, at a text that is malformed."""
    process = subprocess.Popen((interpreter(), "-c", PARSE % module), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(process.communicate)
    return process


def samples(text, module="parser"):
    """{(name, labels): value}"""
    process = parser(module)
    process.stdin.write(json.dumps(text.decode()).encode() + b"\n")
    process.stdin.flush()
    found = process.stdout.readline()
    if not found:
        parser.cache_clear()
        raise AssertionError("malformed: %r" % text[:2000])
    return {(name, tuple(sorted(labels.items()))): value for name, labels, value in json.loads(found)}


def total(found, name, **labels):
    return sum(value for (one, has), value in found.items() if one == name and set(labels.items()) <= set(has))


class OfAFile(CliTest):
    def metrics(self, capture, *options):
        out = self.path("x.prom")
        done = self.run_program("stats", "--openmetrics", out, "--json", *options, capture)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(os.listdir(self.directory), ["x.prom"])
        return samples(read(out)), [json.loads(line) for line in done.stdout.splitlines()]

    def test_counts_are_those_of_the_statistics(self):
        for name in ("roce-nfs3.pcap.gz", "conn_rnr.pcap", "conn_loss.pcap", "roce-rping-v4.pcap"):
            path = os.path.join(TESTDATA, name)
            if not os.path.exists(path):
                continue
            found, records = self.metrics(path)
            connections = [record for record in records if record["type"] == "connection"]
            directions = [record[key] for record in connections for key in ("a>b", "b>a") if key in record]
            if directions:
                for metric, key in (("packets", "packets"), ("wire_bytes", "bytes"), ("payload_bytes", "payload"), ("retransmissions", "retransmissions")):
                    self.assertEqual(total(found, "rdmatap_%s_total" % metric), sum(direction.get(key, 0) for direction in directions), (name, metric))
            self.assertGreater(total(found, "rdmatap_packets_total"), 0)

    def test_histograms_are_cumulative_and_end_with_the_count(self):
        found, _ = self.metrics(NFS)
        series = {}
        for (name, labels), value in found.items():
            if name.endswith("_bucket"):
                rest = tuple(label for label in labels if label[0] != "le")
                series.setdefault((name[:-len("_bucket")], rest), []).append((float(dict(labels)["le"]), value))
        self.assertGreater(len(series), 1)
        for (name, labels), buckets in series.items():
            values = [value for _, value in sorted(buckets)]
            self.assertEqual(values, sorted(values))
            self.assertEqual(values[-1], found[(name + "_count", labels)])
            self.assertGreater(found[(name + "_sum", labels)], 0)

    def test_labels(self):
        found, _ = self.metrics(NFS)
        self.assertGreater(total(found, "rdmatap_messages_total", src="10.0.0.2", dst="10.0.0.1", service="NFS v3"), 100)
        self.assertGreater(total(found, "rdmatap_operations_total", layer="rpc"), 100)

    def test_contradictory_options(self):
        self.bad("requires -i", "stats", "--openmetrics", ":9000", NFS)
        done = self.run_program("stats", "--openmetrics", self.path("none/x"), NFS)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--openmetrics %s: No such file" % self.path("none/x").encode(), done.stderr)

    def test_only_regular_files_are_replaced(self):
        pipe, link = self.path("pipe"), self.path("link")
        os.mkfifo(pipe)
        os.symlink(pipe, link)
        for out in (pipe, link, self.directory):
            self.bad("--openmetrics %s: not a regular file" % out, "stats", "--openmetrics", out, NFS)
        self.assertTrue(stat.S_ISFIFO(os.lstat(pipe).st_mode))
        self.assertEqual(os.readlink(link), pipe)
        self.assertEqual(sorted(os.listdir(self.directory)), ["link", "pipe"])


class Shipped(CliTest):
    """What comes with the program for Prometheus, Grafana and systemd."""
    EXAMPLES = os.path.join(os.path.dirname(TESTDATA), "examples")

    def written(self, name="roce-nfs3.pcap.gz"):
        out = self.path("x.prom")
        self.good("stats", "--openmetrics", out, os.path.join(TESTDATA, name))
        return read(out)

    def expressions(self):
        dashboard = json.loads(read(os.path.join(self.EXAMPLES, "grafana-dashboard.json")))
        found = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
        self.assertGreater(len(found), 8)
        for variable, value in (("$__rate_interval", "1m"), ("$instance", ".*"), ("$service", ".*")):
            found = [expression.replace(variable, value) for expression in found]
        self.assertNotIn("$", "".join(found))
        return found

    def test_the_dashboard_shows_metrics_that_there_are(self):
        text = self.written()
        kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)", text.decode(), re.M))
        for expression in self.expressions():
            names = re.findall(r"rdmatap_\w+", expression)
            self.assertTrue(names, expression)
            for name in names:
                self.assertEqual(kinds.get(re.sub("_bucket$", "", name)), "histogram" if name.endswith("_bucket") else "counter", expression)
        labels = {label for name, has in samples(text) for label, _ in has} | {"instance"}
        for labelled in re.findall(r" by \(([^)]*)\)", " ".join(self.expressions())):
            self.assertLessEqual(set(re.split(r", *", labelled)), labels | {"le", "priority", "source", "by"})

    @needs("promtool")
    def test_promtool_accepts_the_metrics_and_the_expressions(self):
        for name in ("roce-nfs3.pcap.gz", "conn_rnr.pcap"):
            done = subprocess.run(("promtool", "check", "metrics"), input=self.written(name), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, b""))
        rules = "".join("  - record: a:b%d\n    expr: %s\n" % (i, json.dumps(expression)) for i, expression in enumerate(self.expressions()))
        path = self.path("rules.yml", b"groups:\n- name: x\n  rules:\n" + rules.encode())
        done = subprocess.run(("promtool", "check", "rules", path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    @needs("systemd-analyze")
    def test_the_unit_is_valid_and_confined(self):
        unit = read(os.path.join(self.EXAMPLES, "rdmatap-metrics.service")).decode()
        path = self.path("rdmatap-metrics.service", unit.replace("/usr/bin/rdmatap", "/bin/true").encode())
        done = subprocess.run(("systemd-analyze", "verify", "--man=no", path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
        # other units of the machine are not the question
        self.assertNotIn(b"rdmatap", done.stdout)
        # tenths of the exposure level: "OK" is below 5.0
        done = subprocess.run(("systemd-analyze", "security", "--offline=true", "--threshold=25", "--no-pager", path), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-300:])


class Live(LiveTest):
    def test_a_file_is_replaced_periodically(self):
        out = self.path("x.prom")
        process = self.capturing("stats", "-i", "pcap:far", "--interval", "0.2", "--openmetrics", out, "--json", stdout=subprocess.DEVNULL)
        wait_until(lambda: os.path.exists(out))
        self.assertEqual(total(samples(read(out)), "rdmatap_packets_total"), 0)
        first = open(out, "rb")
        self.addCleanup(first.close)
        self.replay(NFS)
        wait_until(lambda: b'service="NFS v3"' in read(out))
        wait_until(lambda: total(samples(read(out)), "rdmatap_capture_frames_total", source="pcap:far") == 1049)
        # a new file each time: readers of the first one are not disturbed (it is kept open, so that its inode is not reused)
        self.assertEqual(os.fstat(first.fileno()).st_nlink, 0)
        self.assertEqual(total(samples(first.read()), "rdmatap_packets_total"), 0)
        found = samples(read(out))
        self.assertEqual(total(found, "rdmatap_capture_drops_total", by="queue"), 0)
        # connections that have not ended are listed with both ends
        wait_until(lambda: total(samples(read(out)), "rdmatap_messages_total", src="10.0.0.2", dst="10.0.0.1", service="NFS v3") > 100)
        self.stop(process)

    def inside(self, path, accept):
        """The response of the server in the namespace."""
        code = ("import sys, urllib.request as u\n"
                "r = u.urlopen(u.Request('http://127.0.0.1:9895%s', headers={'Accept': '%s'}), timeout=10)\n"
                "print(r.headers['Content-Type']); sys.stdout.write(r.read().decode())" % (path, accept))
        done = subprocess.run(("ip", "netns", "exec", NAMESPACE, "python3", "-c", code), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)
        if done.returncode:
            return None, done.stderr
        kind, _, text = done.stdout.partition(b"\n")
        return kind.decode(), text

    def test_by_http(self):
        subprocess.run(("ip", "-n", NAMESPACE, "link", "set", "lo", "up"), check=True)
        process = self.capturing("stats", "-i", "pcap:far", "--openmetrics", ":9895", stdout=subprocess.DEVNULL)
        wait_until(lambda: process.poll() is not None or self.inside("/metrics", "*/*")[0])
        if process.poll() is not None and b"without libmicrohttpd" in process.stderr.read():
            self.skipTest("built without libmicrohttpd")
        self.replay(NFS)
        wait_until(lambda: b'service="NFS v3"' in self.inside("/metrics", "*/*")[1])
        kind, text = self.inside("/metrics", "text/plain")
        self.assertEqual(kind, "text/plain; version=0.0.4; charset=utf-8")
        older = samples(text)
        kind, text = self.inside("/metrics", "application/openmetrics-text; version=1.0.0")
        self.assertEqual(kind, "application/openmetrics-text; version=1.0.0; charset=utf-8")
        newer = samples(text, "openmetrics.parser")
        self.assertTrue(text.endswith(b"# EOF\n"))
        self.assertLessEqual(total(older, "rdmatap_packets_total"), total(newer, "rdmatap_packets_total"))
        self.assertLessEqual(total(newer, "rdmatap_packets_total"), 1049)
        self.assertEqual(total(newer, "rdmatap_capture_frames_total"), 1049)
        self.assertIn(b"404", self.inside("/other", "*/*")[1])
        self.stop(process)

    def test_an_address_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            place = "127.0.0.1:%d" % taken.getsockname()[1]
            done = self.run_program("stats", "-i", "pcap:lo", "--openmetrics", place)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(re.search(rb"--openmetrics .*(in use|libmicrohttpd)", done.stderr), done.stderr)
