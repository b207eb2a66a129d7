/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests: packets of ONC RPC over TCP and UDP, built from the given words. RFC 5531, sections 9 and 11.
 */
#ifndef TESTS_RPC_KIT_H
#define TESTS_RPC_KIT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MOST_WORDS 40
#define LAST 0x80000000
#define CALL_OF(xid, program, version, procedure) xid, 0, 2, program, version, procedure, 0, 0, 0, 0
#define REPLY_TO(xid) xid, 1, 0, 0, 0, 0
#define MOUNT 100005
#define SAID_ROOM 512

enum transport { UDP = 17, TCP = 6 };

/* A packet between 10.0.0.1 and 10.0.0.2; the first has port `port`. */
struct said {
	enum transport transport;
	bool from_second;
	uint16_t port, second_port;
	uint8_t flags;        /* TCP */
	uint32_t seq, ack;
	uint32_t cut;         /* bytes that the capture left out */
	uint32_t words[MOST_WORDS];
	uint32_t count;
};

static inline void said_put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void said_put32(uint8_t *at, uint32_t value)
{
	said_put16(at, value >> 16);
	said_put16(at + 2, value);
}

/* Without checksums, which are not verified. Returns the length. */
static inline uint32_t said_frame(uint8_t frame[SAID_ROOM], const struct said *said)
{
	uint32_t header = 20 + (said->transport == TCP ? 20 : 8), length = header + 4 * said->count;

	memset(frame, 0, SAID_ROOM);
	frame[0] = 0x45;
	said_put16(frame + 2, length);
	frame[8] = 64;
	frame[9] = (uint8_t)said->transport;
	said_put32(frame + 12, said->from_second ? 0x0a000002 : 0x0a000001);
	said_put32(frame + 16, said->from_second ? 0x0a000001 : 0x0a000002);
	said_put16(frame + 20, said->from_second ? said->second_port : said->port);
	said_put16(frame + 22, said->from_second ? said->port : said->second_port);
	if (said->transport == TCP) {
		said_put32(frame + 24, said->seq);
		said_put32(frame + 28, said->ack);
		frame[32] = 0x50;
		frame[33] = said->flags ? said->flags : 0x10;
		said_put16(frame + 34, 512);
	} else {
		said_put16(frame + 24, length - 20);
	}
	for (uint32_t i = 0; i < said->count; i++)
		said_put32(frame + header + 4 * i, said->words[i]);
	return length;
}

#endif
