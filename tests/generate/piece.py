# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The type that the generator's layers pass on: bytes, and the truth about them.

Packets are built from the inside out. Every layer takes a Piece and returns a larger one with its own facts
before those of its content: so several values of one field are in the order of the frame.
"""
import functools
import ipaddress


class Piece:
    """data: bytes so far. facts: [(filter name, value)]. kind: Ethertype or IP protocol number that announces it."""

    def __init__(self, data, facts=(), kind=None):
        self.data = bytes(data)
        self.facts = list(facts)
        self.kind = kind

    def around(self, before, facts, kind, after=b""):
        """This piece with bytes before and after it, as a packet of another kind."""
        return Piece(before + self.data + after, list(facts) + self.facts, kind)

    def forget(self, *prefixes):
        """The same bytes without facts whose names begin with a prefix."""
        return Piece(self.data, [f for f in self.facts if not f[0].startswith(prefixes)], self.kind)


def put(*parts):
    """Packs (number, bits) pairs, most significant first; their widths must fill whole bytes."""
    number = bits = 0
    for part, width in parts:
        if not 0 <= part < 1 << width:
            raise ValueError("%#x does not fit into %d bits" % (part, width))
        number, bits = number << width | part, bits + width
    if bits % 8:
        raise ValueError("%d bits are no whole bytes" % bits)
    return number.to_bytes(bits // 8, "big")


@functools.lru_cache(maxsize=4096)
def mac(text):
    return bytes.fromhex(text.replace(":", ""))


@functools.lru_cache(maxsize=4096)
def address(text):
    return ipaddress.ip_address(text).packed


@functools.lru_cache(maxsize=4096)
def address_text(packed):
    return str(ipaddress.ip_address(packed))


def truth(piece, number, captured=None, **more):
    """The object written for a frame: one value, or a list where a field occurs several times; None: must be absent."""
    result = {"frame.number": number, "frame.len": len(piece.data),
              "frame.cap_len": len(piece.data) if captured is None else captured}
    result.update(more)
    seen = {}
    for name, value in piece.facts:
        seen.setdefault(name, []).append(value)
    for name, values in seen.items():
        result[name] = values[0] if len(values) == 1 else values
    return result
