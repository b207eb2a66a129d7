# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Unpacks the trees of testdata/sysfs (tests/generate/make-sysfs describes their form). usage: sysfs.py TREE DIRECTORY"""
import glob
import os
import re
import sys

TREES = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata", "sysfs", "*.tree")))
ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


def unpack(tree, directory):
    """Creates the files; returns the directory that replaces sysfs."""
    with open(tree, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            path, _, content = line[:-1].partition("\t")
            path, _, target = path.partition(" -> ")
            path, _, count = path.partition(" * ")
            path = os.path.join(directory, path)
            os.makedirs(path if path.endswith("/") else os.path.dirname(path), exist_ok=True)
            if target:
                os.symlink(target, path)
            elif not path.endswith("/"):
                with open(path, "w", encoding="utf-8") as f:
                    f.write("x" * int(count) if count else re.sub(r"\\.", lambda match: ESCAPES[match[0]], content))
    return directory


if __name__ == "__main__":
    unpack(sys.argv[1], sys.argv[2])
