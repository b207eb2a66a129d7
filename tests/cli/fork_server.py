# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Runs the program like subprocess.run(), but in processes forked from one that is loaded and linked (fork_server.c): for a short run that takes
a quarter of the time. RDMATAP_FORK_SERVER is the library to preload; without it, and for options that are not listed here,
the program is started.
"""
import atexit
import gc
import os
import select
import signal
import socket
import struct
import subprocess
import threading
import time

LIBRARY = os.environ.get("RDMATAP_FORK_SERVER")
OPTIONS = {"stdin", "stdout", "stderr", "input", "cwd", "env", "timeout"}
CHUNK = 65536
LONG = 3600

# Tests keep many objects and make few cycles of them: looking for cycles takes up to a fifth of their time.
gc.disable()


class Server:
    """One process of a program; it runs one request at a time."""
    def __init__(self, program):
        self.owner = os.getpid()
        self.socket, other = socket.socketpair()
        with other:
            # that of a sanitizer of gcc is loaded after it
            options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
            self.process = subprocess.Popen([program], stdin=other, env=dict(os.environ, LD_PRELOAD=LIBRARY, LD_BIND_NOW="1", ASAN_OPTIONS=options))
        atexit.register(self.close)

    def close(self):
        if self.owner == os.getpid():
            self.socket.shutdown(socket.SHUT_RDWR)  # also if a process forked from this one has it
            self.socket.close()
            self.process.wait()

    def begin(self, arguments, variables, descriptors):
        """Returns the process id."""
        words = [os.fsencode(word) for word in arguments] + [os.fsencode(name) + b"=" + os.fsencode(value) for name, value in variables.items()]
        body = b"".join(word + b"\0" for word in words)
        socket.send_fds(self.socket, [struct.pack("=III", len(body), len(arguments), len(variables))], descriptors)
        self.socket.sendall(body)
        return self.reply()

    def reply(self):
        data = self.socket.recv(4, socket.MSG_WAITALL)
        if len(data) < 4:
            raise RuntimeError("the fork server has ended")
        return struct.unpack("=i", data)[0]


class Pipes:
    """The parent's ends of a run's pipes."""
    def __init__(self):
        self.input, self.read, self.theirs = None, {}, []

    def theirs_of(self, option, output):
        """The descriptor for the program that subprocess makes of this option."""
        if option == subprocess.PIPE:
            ours, theirs = os.pipe() if output else os.pipe()[::-1]
            if output:
                self.read[ours] = []
            else:
                self.input = ours
        elif option == subprocess.DEVNULL:
            theirs = os.open(os.devnull, os.O_RDWR)
        else:
            theirs = os.dup(option if isinstance(option, int) else option.fileno())
        self.theirs.append(theirs)
        return theirs

    def close_theirs(self):
        while self.theirs:
            os.close(self.theirs.pop())

    def close(self):
        self.close_theirs()
        for descriptor in list(self.read) + ([] if self.input is None else [self.input]):
            os.close(descriptor)

    def exchange(self, data, server, end):
        """Writes the input and reads the outputs, until the program has closed them and ended. False: not before this time."""
        poll = select.poll()
        left = {server.socket.fileno(), *self.read}
        for descriptor in left:
            poll.register(descriptor, select.POLLIN)
        if self.input is not None:
            os.set_blocking(self.input, False)
            poll.register(self.input, select.POLLOUT)
        while left or self.input is not None:
            events = poll.poll(max(0, end - time.monotonic()) * 1000)
            if not events:
                return False
            for descriptor, _ in events:
                if descriptor == self.input:
                    data = self.put(data)
                    if not data:
                        poll.unregister(self.input)
                        os.close(self.input)
                        self.input = None
                    continue
                got = b""
                if descriptor in self.read:
                    got = os.read(descriptor, CHUNK)
                    self.read[descriptor].append(got)
                if not got:
                    poll.unregister(descriptor)
                    left.remove(descriptor)
        return True

    def put(self, data):
        """Returns what is left to write: nothing if the program has closed its input."""
        try:
            return data[os.write(self.input, data):] if data else data
        except BrokenPipeError:
            return b""


servers = threading.local()


def server_of(program):
    server = getattr(servers, "server", None)
    if not server or server.owner != os.getpid() or server.process.args != [program]:
        server = servers.server = Server(program)
    return server


def can_serve(options):
    return (LIBRARY and not set(options) - OPTIONS and options.get("stderr") != subprocess.STDOUT and
            all(options.get(name) is not None for name in ("stdout", "stderr")) and
            ("input" in options) != (options.get("stdin") is not None) and not any(name.startswith("LD_") for name in options.get("env") or ()))


def run(arguments, **options):
    """As subprocess.run()."""
    if not can_serve(options):
        return subprocess.run(arguments, **options)
    server, pipes = server_of(arguments[0]), Pipes()
    try:
        given = pipes.theirs_of(subprocess.PIPE if "input" in options else options["stdin"], False)
        shown, errors = pipes.theirs_of(options["stdout"], True), pipes.theirs_of(options["stderr"], True)
        directory = os.open(options.get("cwd") or ".", os.O_RDONLY | os.O_DIRECTORY)
        pipes.theirs.append(directory)
        kept = [options[name] == subprocess.PIPE for name in ("stdout", "stderr")]
        child = server.begin(arguments, options.get("env") or os.environ, [given, shown, errors, directory])
        pipes.close_theirs()
        if not pipes.exchange(options.get("input", b""), server, time.monotonic() + (options.get("timeout") or LONG)):
            os.kill(child, signal.SIGKILL)
            server.reply()
            raise subprocess.TimeoutExpired(arguments, options.get("timeout"))
        texts = iter([b"".join(parts) for parts in pipes.read.values()])
        found = [next(texts) if is_kept else None for is_kept in kept]
        return subprocess.CompletedProcess(arguments, os.waitstatus_to_exitcode(server.reply()), *found)
    except BaseException:
        servers.server = None  # it may be in the middle of a run
        raise
    finally:
        pipes.close()
