# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The frames that display filters select in tshark, for many filters in one run: a Lua script has a tap for each of them."""
import functools
import os
import re
import shutil
import subprocess
import tempfile

TAP = """
number, filter = %d, [==[%s]==]
found, tap = pcall(Listener.new, "frame", filter)
if found then
    local number, out = number, out
    tap.packet = function(pinfo) out:write(number, " ", pinfo.number, "\\n") end
    tap.draw = function() out:flush() end
else
    out:write(number, " refused\\n")
end
"""


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
def release():
    """Such as "4.0"."""
    done = subprocess.run(["tshark", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return re.search(r"TShark \(Wireshark\) (\d+\.\d+)", done.stdout.decode()).group(1)


def available():
    """Whether tshark is installed, and runs Lua scripts."""
    return shutil.which("tshark") and "with Lua" in subprocess.run(["tshark", "--version"], stdout=subprocess.PIPE,
                                                                   stderr=subprocess.DEVNULL).stdout.decode()


def run(command, filters, env=None):
    """The finished process, and by filter the numbers of the frames that it selects; None: tshark rejects the filter."""
    frames = {wanted: set() for wanted in filters}
    names = list(frames)
    with tempfile.TemporaryDirectory() as directory:
        script, noted = (os.path.join(directory, name) for name in ("taps.lua", "noted"))
        with open(script, "w", encoding="utf-8") as taps:
            taps.write("out = io.open([==[%s]==], 'w')" % noted)
            taps.writelines(TAP % named for named in enumerate(names))
        if without_root():
            shutil.chown(directory, "nobody")
        done = subprocess.run(command + ["-X", "lua_script:" + script], stdin=subprocess.DEVNULL, capture_output=True, env=env, **without_root())
        with open(noted, encoding="ascii") as lines:
            for line in lines:
                number, frame = line.split()
                if frame == "refused":
                    frames[names[int(number)]] = None
                else:
                    frames[names[int(number)]].add(int(frame))
    return done, frames
