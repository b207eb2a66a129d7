# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The frames that display filters select in tshark, for many filters in one run: a Lua script has a tap for each of them."""
import functools
import os
import re
import shutil
import subprocess
import tempfile

# What it finds it appends to the file that NOTED names, which is another one in each process of tshark_server.c.
TAP = """
number, filter = %d, [==[%s]==]
found, tap = pcall(Listener.new, "frame", filter)
if found then
    local number, frames = number, {}
    tap.packet = function(pinfo) frames[#frames + 1] = number .. " " .. pinfo.number .. "\\n" end
    tap.draw = function() note(table.concat(frames)) end
else
    note(number .. " refused\\n")
end
"""
NOTE = """
function note(text)
    local out = io.open(os.getenv("NOTED"), "a")
    out:write(text)
    out:close()
end
"""
SERVER = os.environ.get("TSHARK_SERVER")


@functools.lru_cache
def without_root():
    """How to run tshark with a script: from version 4.4 on it runs none for root."""
    if os.geteuid() != 0:
        return {}
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write("print('it runs')")
        script.flush()
        done = subprocess.run(["tshark", "-X", "lua_script:" + script.name, "-G", "column-formats"], stdin=subprocess.DEVNULL, capture_output=True)
    return {} if b"it runs" in done.stdout else {"user": "nobody", "group": "nogroup", "extra_groups": ()}


@functools.lru_cache
def version():
    return subprocess.run(["tshark", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()


def release():
    """Such as "4.0"."""
    return re.search(r"TShark \(Wireshark\) (\d+\.\d+)", version()).group(1)


def available():
    """Whether tshark is installed, and runs Lua scripts."""
    return shutil.which("tshark") and "with Lua" in version()


def with_taps(command, directory, filters):
    """The command with the script, and options of subprocess for it."""
    script = os.path.join(directory, "taps.lua")
    with open(script, "w", encoding="utf-8") as taps:
        taps.write(NOTE)
        taps.writelines(TAP % named for named in enumerate(filters))
    open(os.path.join(directory, "noted"), "w", encoding="ascii").close()
    if not filters:
        return command, {}
    if without_root():
        for path in (directory, os.path.join(directory, "noted")):
            shutil.chown(path, "nobody")
    return command + ["-X", "lua_script:" + script], without_root()


def frames_of(filters, *directories):
    frames = {wanted: set() for wanted in filters}
    names = list(filters)
    for directory in directories:
        with open(os.path.join(directory, "noted"), encoding="ascii") as lines:
            for line in lines:
                number, frame = line.split()
                if frame == "refused":
                    frames[names[int(number)]] = None
                else:
                    frames[names[int(number)]].add(int(frame))
    return frames


def readable(path, directory, options):
    """The path of a file for tshark: a copy in the directory if another user runs it, who may not be able to enter the source tree."""
    if not options:
        return os.path.abspath(path)
    copy = shutil.copy(path, directory)
    shutil.chown(copy, options["user"])
    return copy


def run(command, capture, filters, env=None):
    """The finished process, and by filter the numbers of the frames that it selects; None: tshark rejects the filter."""
    with tempfile.TemporaryDirectory() as directory:
        command, options = with_taps(command, directory, filters)
        command = command + ["-r", readable(capture, directory, options)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=dict(env or os.environ, NOTED=os.path.join(directory, "noted")),
                              **options)
        return done, frames_of(filters, directory)


class Tshark:
    """Runs of one command, each with another capture after -r: one start serves all of them if TSHARK_SERVER is the library to preload."""

    def __init__(self, command, filters=(), env=None):
        self.command, self.filters, self.process, self.environment = command, list(filters), None, env or os.environ
        if SERVER:
            self.directory = tempfile.TemporaryDirectory()
            command, self.options = with_taps(command, self.directory.name, self.filters)
            environment = dict(self.environment, LD_PRELOAD=readable(SERVER, self.directory.name, self.options),
                               NOTED=os.path.join(self.directory.name, "noted"))
            self.process = subprocess.Popen(command + ["-r", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True, **self.options, env=environment)

    def close(self):
        if self.process:
            self.process.communicate()
            self.directory.cleanup()

    def run(self, capture):
        """As the function run()."""
        if not self.process:
            return run(self.command, capture, self.filters, self.environment)
        directory = tempfile.mkdtemp(dir=self.directory.name)
        if self.options:
            shutil.chown(directory, "nobody")
        print(readable(capture, directory, self.options), directory, sep="\t", file=self.process.stdin, flush=True)
        word, status = self.process.stdout.readline().split()
        output, errors = (open(os.path.join(directory, name), "rb") for name in ("output", "errors"))
        with output, errors:
            done = subprocess.CompletedProcess(self.command, os.waitstatus_to_exitcode(int(status)), output.read(), errors.read())
        open(os.path.join(directory, "noted"), "a", encoding="ascii").close()
        frames = frames_of(self.filters, self.directory.name, directory)
        shutil.rmtree(directory)
        return done, frames
