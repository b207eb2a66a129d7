# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What tshark prints. A start takes a third of a second: one for all captures that are read with the same options."""
import atexit
import functools
import sys

from cli import TESTS, environment
sys.path.append(TESTS)
import tshark_taps  # noqa: E402


@functools.cache
def started(zone, *arguments):
    one = tshark_taps.Tshark(["tshark", "-n", *arguments], env=environment(TZ=zone))
    atexit.register(one.close)
    return one


def tshark(capture, *arguments, zone="UTC"):
    """Lines of standard output."""
    done, _ = started(zone, *arguments).run(capture)
    done.check_returncode()
    return done.stdout.decode().splitlines()
