/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_FILE_PCAPNG_H
#define CAPTURE_FILE_PCAPNG_H

/* The pcapng format's numbers. draft-ietf-opsawg-pcapng; numbers in comments are its sections. */

/* 3.1: a block is type, length, body, length repeated; padded to 32 bits */
#define PCAPNG_BLOCK_HEADER 8
#define PCAPNG_BLOCK_LEAST 12
#define PCAPNG_BLOCK_MOST (17u * 1024 * 1024) /* our limit: a frame of FILE_MAX_CAPTURED bytes and options */

enum pcapng_block_type {
	PCAPNG_INTERFACE = 1,
	PCAPNG_OLD_PACKET = 2,
	PCAPNG_SIMPLE_PACKET = 3,
	PCAPNG_NAMES = 4,
	PCAPNG_STATISTICS = 5,
	PCAPNG_PACKET = 6,
	PCAPNG_JOURNAL = 9,
	PCAPNG_SECRETS = 10,
	PCAPNG_CUSTOM = 0x0bad,
	PCAPNG_CUSTOM_LOCAL = 0x40000bad,
	PCAPNG_SECTION = 0x0a0d0d0a, /* the same in both byte orders */
};

/* 3.5: an option is code, length, value; padded to 32 bits */
#define PCAPNG_OPTION_HEADER 4

enum pcapng_option_code {
	PCAPNG_OPTION_END = 0,
	PCAPNG_OPTION_COMMENT = 1,
	PCAPNG_OPTION_CUSTOM_TEXT = 2988,
	PCAPNG_OPTION_CUSTOM = 2989,
	PCAPNG_OPTION_LOCAL_TEXT = 19372, /* must not be copied, like the next one */
	PCAPNG_OPTION_LOCAL = 19373,
	/* of sections, 4.1 */
	PCAPNG_SHB_HARDWARE = 2,
	PCAPNG_SHB_OS = 3,
	PCAPNG_SHB_USERAPPL = 4,
	/* of interfaces, 4.2 */
	PCAPNG_IF_NAME = 2,
	PCAPNG_IF_DESCRIPTION = 3,
	PCAPNG_IF_TSRESOL = 9,
	PCAPNG_IF_FILTER = 11,
	PCAPNG_IF_SPEED = 8,
	PCAPNG_IF_FCSLEN = 13,
	PCAPNG_IF_TSOFFSET = 14,
	/* of statistics, 4.6 */
	PCAPNG_ISB_STARTTIME = 2,
	PCAPNG_ISB_ENDTIME = 3,
	PCAPNG_ISB_IFRECV = 4,
	PCAPNG_ISB_IFDROP = 5,
	PCAPNG_ISB_OSDROP = 7,
	/* of packets, 4.3 */
	PCAPNG_EPB_DROPCOUNT = 4,
};

/* 4.1: offsets in the body of a section header, and the length of its fixed part */
#define PCAPNG_BYTE_ORDER 0x1a2b3c4du
#define PCAPNG_SECTION_MAJOR 4
#define PCAPNG_SECTION_MINOR 6
#define PCAPNG_SECTION_LENGTH 16

/* 4.2: interface description */
#define PCAPNG_INTERFACE_LINK_TYPE 0
#define PCAPNG_INTERFACE_SNAP_LENGTH 4
#define PCAPNG_INTERFACE_LENGTH 8

/* 4.3: enhanced packet; also the obsolete packet block, except for the width of the interface */
#define PCAPNG_OLD_PACKET_DROPS 2
#define PCAPNG_PACKET_TIME_HIGH 4
#define PCAPNG_PACKET_TIME_LOW 8
#define PCAPNG_PACKET_CAPTURED 12
#define PCAPNG_PACKET_WIRE 16
#define PCAPNG_PACKET_LENGTH 20

/* 4.4: simple packet */
#define PCAPNG_SIMPLE_LENGTH 4

/* 4.6: interface statistics */
#define PCAPNG_STATISTICS_LENGTH 12

#endif
