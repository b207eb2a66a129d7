# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A crafted capture: its frames, and a file with the truth about each of them."""
import json
import os

import capfile
from piece import truth

START_NS = 1700000000 * 10**9
STEP_NS = 1000001


def epoch(time_ns):
    return "%d.%09d" % divmod(time_ns, 10**9)


def write_truth(path, rows):
    with open(path, "w") as f:
        for row in rows:
            f.write(json.dumps(row, separators=(",", ":")) + "\n")


class Capture:
    """link: LINKTYPE_ number. how: one line for testdata/README.md. options: options that a program needs for it."""
    suffix = ".pcap"

    def __init__(self, name, link, how, options=None, **file_options):
        self.name, self.link, self.how, self.options, self.file_options = name, link, how, options, file_options
        self.frames, self.rows = [], []

    def add(self, piece, cut=None, wire=None, **more):
        """Adds a frame; cut: its captured bytes. more: further truth."""
        time = START_NS + len(self.frames) * STEP_NS
        data = piece.data if cut is None else piece.data[:cut]
        self.frames.append((time, data, len(piece.data) if wire is None else wire))
        row = truth(piece, len(self.frames), len(data), **more)
        row["frame.len"] = self.frames[-1][2]
        row["frame.time_epoch"] = epoch(time)
        self.rows.append(row)

    def write(self, folder):
        path = os.path.join(folder, self.name + self.suffix)
        capfile.write_pcap(path, self.link, self.frames, **self.file_options)
        write_truth(os.path.join(folder, self.name + ".expected.jsonl"), self.rows)
        if self.options:
            with open(os.path.join(folder, self.name + ".options"), "w") as f:
                f.write(self.options + "\n")
