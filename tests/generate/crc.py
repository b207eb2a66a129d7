# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checksums by the standards, independent of other code in this project.

ICRC: IBTA vol. 1, 7.8.1; RoCE: annexes A16 and A17. VCRC: 7.8.2. Internet checksum: RFC 1071.
"""
import functools
import zlib

ONES = b"\xff"


def icrc(masked):
    """ICRC over bytes in which the variant fields are already ones: 4 bytes as sent, least significant first."""
    return (zlib.crc32(masked) & 0xffffffff).to_bytes(4, "little")


def mask_bth(transport):
    """BTH and the rest of the packet, with byte 4 (FECN, BECN, 6 reserved bits) as ones."""
    return transport[:4] + ONES + transport[5:]


@functools.lru_cache(maxsize=1024)
def mask_ipv4(header):
    """Type of service, time to live and header checksum as ones; options are unchanged."""
    return header[:1] + ONES + header[2:8] + ONES + header[9:10] + 2 * ONES + header[12:]


def mask_ipv6(header):
    """IPv6 or GRH: traffic class, flow label and hop limit as ones."""
    return bytes([header[0] | 0x0f]) + 3 * ONES + header[4:7] + ONES + header[8:]


@functools.lru_cache(maxsize=1024)
def before_bth(ip, udp):
    """The CRC of what precedes the BTH. RoCE v2: IP header as sent, 8 bytes of UDP header."""
    masked = mask_ipv4(ip) if ip[0] >> 4 == 4 else mask_ipv6(ip[:40]) + ip[40:]
    return zlib.crc32(8 * ONES + masked + udp[:6] + 2 * ONES)


def icrc_v2(ip, udp, transport):
    """transport: BTH up to the pad."""
    return zlib.crc32(mask_bth(transport), before_bth(ip, udp)).to_bytes(4, "little")


def icrc_global(grh, transport):
    """RoCE v1, and native packets with a GRH: the LRH counts as ones."""
    return icrc(8 * ONES + mask_ipv6(grh) + mask_bth(transport))


def icrc_local(lrh, transport):
    """Native packets without a GRH: only the virtual lane of the LRH is masked."""
    return icrc(bytes([lrh[0] | 0xf0]) + lrh[1:] + mask_bth(transport))


def _table16():
    # x^16 + x^12 + x^3 + x + 1 (0x100B), bits reversed
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0xd008 if i & 1 else 0)
        table.append(i)
    return table


_TABLE16 = _table16()


def vcrc(packet):
    """VCRC over LRH .. ICRC (raw packets: .. payload): 2 bytes as sent, least significant first."""
    crc = 0xffff
    for byte in packet:
        crc = crc >> 8 ^ _TABLE16[(crc ^ byte) & 0xff]
    return (crc ^ 0xffff).to_bytes(2, "little")


def ethernet_fcs(frame):
    return zlib.crc32(frame).to_bytes(4, "little")


def internet(data):
    """RFC 1071 checksum as a number."""
    number = int.from_bytes(data + bytes(len(data) & 1), "big")
    # 2^16 is 1 modulo 2^16 - 1: the remainder is the ones' complement sum, in which 0 is sent as ones if any bit is set
    return (number % 0xffff or (number and 0xffff)) ^ 0xffff
