# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random work in a guest: workload.py files FOLDER SEED COUNT, or workload.py blocks DEVICE SEED COUNT.

`files` makes, writes, reads, renames and removes files. `blocks` writes and reads a block device past the cache, and prints for each of them
`write` or `read`, the offset, the length and the SHA-256 of the data.
"""
import hashlib
import mmap
import os
import random
import sys

BLOCK = 4096
SIZES = (0, 1, 17, 100, 511, 512, 1023, 1024, 1025, 4095, 4096, 4097, 8192)


class Files:
    # method: how often, relative to others
    STEPS = {"create": 8, "write": 6, "write_past_cache": 5, "read": 6, "read_past_cache": 5, "append": 3, "rename": 2, "remove": 2, "make_folder": 1,
             "make_link": 1, "truncate": 2, "list": 1, "change_mode": 1, "copy": 1, "reserve": 1, "forget_cache": 2}

    def __init__(self, folder, seed):
        self.random, self.folders, self.files, self.count = random.Random(seed), [folder], [], 0
        os.mkdir(folder)

    def size(self):
        return self.random.choice(SIZES + (self.random.randrange(20000), self.random.randrange(100000), self.random.randrange(300000)))

    def name(self, kind):
        self.count += 1
        end = self.random.choice(("", ".dat", " with spaces", "-\u00e9\u4e2d", "-long" * self.random.randrange(1, 40)))
        return os.path.join(self.random.choice(self.folders), "%s%d%s" % (kind, self.count, end))

    def run(self, count):
        for _ in range(count):
            step = self.random.choices(list(self.STEPS), list(self.STEPS.values()))[0]
            if not self.files:
                step = "create"
            try:
                getattr(self, step)(self.random.choice(self.files) if self.files else None)
            except OSError as error:
                print(step, error)

    def save(self, path, mode, offset=0, end=os.SEEK_SET):
        with open(path, mode) as f:
            f.seek(offset, end)
            f.write(self.random.randbytes(self.size()))
            f.flush()
            os.fsync(f.fileno())

    def create(self, _):
        path = self.name("f")
        self.save(path, "wb")
        self.files.append(path)

    def write(self, path):
        self.save(path, "r+b", self.size())

    def append(self, path):
        self.save(path, "r+b", 0, os.SEEK_END)

    def past_cache(self, path, flags):
        """A descriptor, an aligned buffer and an aligned offset."""
        memory = mmap.mmap(-1, (self.size() // BLOCK + 1) * BLOCK)
        return os.open(path, flags | os.O_DIRECT), memory, self.size() // BLOCK * BLOCK

    def write_past_cache(self, path):
        file, memory, offset = self.past_cache(path, os.O_RDWR)
        memory.write(self.random.randbytes(len(memory)))
        os.pwrite(file, memory, offset)
        os.close(file)

    def read_past_cache(self, path):
        file, memory, offset = self.past_cache(path, os.O_RDONLY)
        os.preadv(file, [memory], offset)
        os.close(file)

    def read(self, path):
        with open(path, "rb") as f:
            f.seek(self.random.choice((0, self.size())))
            f.read(self.size())

    def rename(self, path):
        new = self.name("r")
        os.rename(path, new)
        self.files[self.files.index(path)] = new

    def remove(self, path):
        os.unlink(path)
        self.files.remove(path)

    def make_folder(self, _):
        path = self.name("d")
        os.mkdir(path)
        self.folders.append(path)

    def make_link(self, _):
        os.symlink("x" * self.random.choice((3, 40, 900)), self.name("s"))

    def truncate(self, path):
        os.truncate(path, self.size())

    def list(self, _):
        os.listdir(self.random.choice(self.folders))

    def change_mode(self, path):
        os.chmod(path, self.random.choice((0o600, 0o644, 0o755)))

    def copy(self, path):
        new = self.name("c")
        with open(path, "rb") as source, open(new, "wb") as target:
            os.copy_file_range(source.fileno(), target.fileno(), 1 << 20)
        self.files.append(new)

    def reserve(self, path):
        with open(path, "r+b") as f:
            os.posix_fallocate(f.fileno(), 0, self.size() + 1)

    def forget_cache(self, _):
        with open("/proc/sys/vm/drop_caches", "w") as f:
            f.write("1")


def work_on_blocks(device, seed, count):
    chance, file = random.Random(seed), os.open(device, os.O_RDWR | os.O_DIRECT)
    size = os.lseek(file, 0, os.SEEK_END)
    for _ in range(count):
        length = 512 * chance.choice((1, 2, 8, 8, 8, 16, 33, 100, chance.randrange(1, 300)))
        offset = chance.choice((512 * chance.randrange((size - length) // 512), BLOCK * chance.randrange(4)))
        memory = mmap.mmap(-1, length)
        writes = chance.random() < 0.5
        if writes:
            memory.write(chance.randbytes(length))
            os.pwrite(file, memory, offset)
        else:
            os.preadv(file, [memory], offset)
        print("write" if writes else "read", offset, length, hashlib.sha256(memory[:]).hexdigest(), flush=True)


def main():
    kind, place, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    if kind == "files":
        Files(place, seed).run(count)
    else:
        work_on_blocks(place, seed, count)


main()
