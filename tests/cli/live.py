# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A veth pair in a network namespace: frames sent on one end are captured on the other."""
import os
import signal
import subprocess

from cli import CliTest, PROGRAM, RPING, TIMEOUT, environment, has_sanitizers, read, records, wait_until

NAMESPACE = "rdmatap-test-%d" % os.getpid()
INSIDE = ("ip", "netns", "exec", NAMESPACE)
NOBODY = 65534


def ip(*arguments):
    subprocess.run(("ip", "-n", NAMESPACE) + arguments, check=True, stdin=subprocess.DEVNULL)


def frames(path):
    return [(data, length) for _, data, length in records(read(path))[1]]


RPING_CONTENT = [(data, length) for _, data, length in records(read(RPING))[1]]


class LiveTest(CliTest):
    @classmethod
    def setUpClass(cls):
        subprocess.run(("ip", "netns", "add", NAMESPACE), check=True)
        cls.addClassCleanup(subprocess.run, ("ip", "netns", "del", NAMESPACE))
        # only the tests may send
        for name in ("all", "default"):
            subprocess.run(INSIDE + ("sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/%s/disable_ipv6 || :" % name), stderr=subprocess.DEVNULL)

    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o777)  # files of a series are created after the program has changed its user
        ip("link", "add", "near", "type", "veth", "peer", "name", "far")
        self.addCleanup(subprocess.run, ("ip", "-n", NAMESPACE, "link", "del", "near"), stderr=subprocess.DEVNULL)
        for name in ("near", "far"):
            ip("link", "set", name, "mtu", "9000", "up")

    def start(self, *arguments, inside=INSIDE, env=None, gives_up_root=False, **options):
        """Starts the program. It drops root privileges if requested; by default not with sanitizers, whose leak checker needs them."""
        env = dict(env or {})
        if gives_up_root:
            env["ASAN_OPTIONS"] = "detect_leaks=0"
        elif has_sanitizers() and "-Z" not in arguments:
            arguments += ("-Z", "root")
        options.setdefault("stdout", subprocess.PIPE)
        process = subprocess.Popen(inside + (PROGRAM,) + arguments, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=environment(**env), bufsize=0, **options)
        for pipe in (process.stdout, process.stderr):
            if pipe:
                self.addCleanup(pipe.close)
        self.addCleanup(process.kill)
        return process

    def capturing(self, *arguments, **options):
        """Starts the program; returns when it captures."""
        process = self.start(*arguments, **options)
        self.await_capture(process)
        return process

    def await_capture(self, process):
        """Whether it has a receiving thread."""
        wait_until(lambda: process.poll() is not None or len(os.listdir("/proc/%d/task" % process.pid)) > 1)
        self.assertIsNone(process.poll(), process.poll() is not None and process.stderr.read())

    def replay(self, path=RPING, *options, interface="near"):
        done = subprocess.run(INSIDE + (PROGRAM, "replay", "-i", "pcap:" + interface, "-Z", "root", *(options or ("--at-once",)), path),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT, env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(done.stderr.count(b"\n"), (0, int(b": a host that has its destination address answers" in done.stderr)), done.stderr)
        return int(done.stdout.split()[0])

    def stop(self, process, number=signal.SIGINT, status=0):
        """Interrupts it; (standard output, standard error)."""
        process.send_signal(number)
        output, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, status, errors)
        return output, errors.decode()

    def counts(self, errors):
        """The numbers reported at the end: captured, received, dropped by the device, by the kernel, here."""
        line = next(line for line in errors.splitlines() if " packets captured; " in line)
        numbers = [word.rstrip(",;") for word in line.split() if word.rstrip(",;").isdigit()]
        self.assertEqual(len(numbers), 5, line)
        return [int(number) for number in numbers]
