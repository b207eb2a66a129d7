# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A wire between two guests that loses, doubles and holds back frames of RoCE, and counts them: what captures of both ends are compared with.

Each end is a Unix stream socket on which QEMU sends the length of a frame in four bytes, most significant first, and the frame.
"""
import os
import random
import selectors
import socket
import struct
import threading
import time

MOST_HELD = 8
HOLD_SECONDS = 0.03


class Faults:
    """Probabilities, and how many later frames of the direction pass one that is held back."""

    def __init__(self, loss=0.0, double=0.0, hold=0.0, after=3):
        self.loss, self.double, self.hold, self.after = loss, double, hold, after


class Direction:
    """Frames of one end: `seen` were sent, `lost` did not pass, `doubled` passed twice, `held` later than others."""

    def __init__(self):
        self.seen = self.lost = self.doubled = self.held = 0
        self.waiting = []  # [frame, frames left, time]


def is_roce(frame):
    return (len(frame) > 42 and frame[12:14] == b"\x08\x00" and frame[23] == 17 and
            frame[14 + (frame[14] & 15) * 4 + 2:][:2] == struct.pack("!H", 4791))


class Wire(threading.Thread):
    """Runs until close(). `paths`: of the sockets, which the guests connect to."""

    def __init__(self, paths, seed):
        super().__init__(daemon=True)
        self.random, self.faults, self.closed = random.Random(seed), Faults(), False
        self.directions = [Direction(), Direction()]
        self.listeners = []
        for path in paths:
            if os.path.exists(path):
                os.unlink(path)
            self.listeners.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            self.listeners[-1].bind(path)
            self.listeners[-1].listen(1)
        self.start()

    def close(self):
        self.closed = True
        self.join()

    def run(self):
        self.ends = [listener.accept()[0] for listener in self.listeners]
        buffers = [bytearray(), bytearray()]
        with selectors.DefaultSelector() as selector:
            for number, end in enumerate(self.ends):
                selector.register(end, selectors.EVENT_READ, number)
            while not self.closed:
                for key, _ in selector.select(HOLD_SECONDS / 4):
                    data = key.fileobj.recv(1 << 20)
                    if not data:
                        return
                    buffers[key.data] += data
                    self.take_frames(key.data, buffers[key.data])
                for number in (0, 1):
                    self.release(number, time.monotonic() - HOLD_SECONDS)

    def take_frames(self, number, buffer):
        at = 0
        while len(buffer) >= at + 4:
            end = at + 4 + struct.unpack_from("!I", buffer, at)[0]
            if len(buffer) < end:
                break
            self.take(number, bytes(buffer[at + 4:end]))
            at = end
        del buffer[:at]

    def take(self, number, frame):
        direction, faults = self.directions[number], self.faults
        for held in direction.waiting:
            held[1] -= 1
        if is_roce(frame):
            direction.seen += 1
            chance = self.random.random()
            if chance < faults.loss:
                direction.lost += 1
            elif chance < faults.loss + faults.double:
                direction.doubled += 1
                self.send(number, frame)
                self.send(number, frame)
            elif chance < faults.loss + faults.double + faults.hold and len(direction.waiting) < MOST_HELD:
                direction.held += 1
                direction.waiting.append([frame, faults.after, time.monotonic()])
            else:
                self.send(number, frame)
        else:
            self.send(number, frame)
        self.release(number, 0)

    def release(self, number, since):
        """Sends the frames that enough others have passed, and those held since then or earlier."""
        direction = self.directions[number]
        due = [held for held in direction.waiting if held[1] <= 0 or held[2] <= since]
        direction.waiting = [held for held in direction.waiting if held not in due]
        for frame, _, _ in due:
            self.send(number, frame)

    def send(self, number, frame):
        try:
            self.ends[1 - number].sendall(struct.pack("!I", len(frame)) + frame)
        except OSError:
            self.closed = True
