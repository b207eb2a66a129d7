/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests: a sender of FPDUs, written from RFC 5044 byte by byte and apart from the code that it tests.
 */
#ifndef TESTS_IWARP_KIT_H
#define TESTS_IWARP_KIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SENT_MAX 4096

enum sent_markers { SENT_PLAIN, SENT_MARKED, SENT_SKEWED };

/* Where markers fell. */
enum sent_place { PLACE_FRONT, PLACE_HEADER, PLACE_PAYLOAD, PLACE_BEFORE_PAD, PLACE_BEFORE_CRC, PLACES };

struct sent_fpdu {
	uint32_t offset, length;   /* of all its bytes in the stream */
	uint32_t ulpdu, ulpdu_length; /* in `ulpdus` */
};

struct sender {
	enum sent_markers markers;
	bool crc;
	uint8_t *bytes;  /* the stream */
	uint32_t length, room;
	uint8_t *ulpdus; /* contents of the FPDUs, in sequence */
	uint32_t ulpdus_length;
	uint32_t next_marker, msn;
	unsigned places[PLACES];
	struct sent_fpdu fpdus[SENT_MAX];
	uint32_t count;
};

static inline void sender_init(struct sender *sender, enum sent_markers markers, bool crc)
{
	memset(sender, 0, sizeof *sender);
	sender->markers = markers;
	sender->crc = crc;
	sender->room = 1u << 22;
	sender->bytes = malloc(sender->room);
	sender->ulpdus = malloc(sender->room);
	sender->msn = 1;
}

static inline void sender_fini(struct sender *sender)
{
	free(sender->bytes);
	free(sender->ulpdus);
}

static inline uint32_t sent_crc(const uint8_t *bytes, uint32_t length)
{
	uint32_t crc = 0xffffffff;

	for (uint32_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

/* A marker if one is due in front of the next byte, which is number `content` of an FPDU with ULPDU_Length at `start`. */
static inline uint32_t send_marker(struct sender *sender, uint32_t content, uint32_t start, const struct sent_fpdu *fpdu)
{
	uint32_t back = content ? sender->length - start : 0;
	uint8_t *marker = sender->bytes + sender->length;

	if (sender->markers == SENT_PLAIN || sender->length != sender->next_marker)
		return start;
	marker[0] = marker[1] = 0;
	marker[2] = (uint8_t)(sender->markers == SENT_SKEWED ? back : back >> 8);
	marker[3] = (uint8_t)(sender->markers == SENT_SKEWED ? back >> 8 : back);
	sender->length += 4;
	sender->next_marker += 512;
	sender->places[!content ? PLACE_FRONT : content < 20 ? PLACE_HEADER : content < 2 + fpdu->ulpdu_length ? PLACE_PAYLOAD :
		       content < 2 + fpdu->ulpdu_length + ((2 - fpdu->ulpdu_length) & 3) ? PLACE_BEFORE_PAD : PLACE_BEFORE_CRC]++;
	return content ? start : start + 4;
}

static inline void send_fpdu(struct sender *sender, const uint8_t *ulpdu, uint32_t length)
{
	struct sent_fpdu *fpdu = &sender->fpdus[sender->count++];
	uint32_t start = sender->length, whole = 2 + length + ((2 - length) & 3), crc = 0;

	*fpdu = (struct sent_fpdu){ .offset = start, .ulpdu = sender->ulpdus_length, .ulpdu_length = length };
	memcpy(sender->ulpdus + sender->ulpdus_length, ulpdu, length);
	sender->ulpdus_length += length;
	for (uint32_t i = 0; i < whole; i++) {
		start = send_marker(sender, i, start, fpdu);
		sender->bytes[sender->length++] = (uint8_t)(i == 0 ? length >> 8 : i == 1 ? length : i < 2 + length ? ulpdu[i - 2] : 0);
	}
	start = send_marker(sender, whole, start, fpdu);
	if (sender->crc)
		crc = sent_crc(sender->bytes + fpdu->offset, sender->length - fpdu->offset);
	for (int i = 0; i < 4; i++)
		sender->bytes[sender->length++] = (uint8_t)(crc >> 8 * i);
	if (sender->markers == SENT_SKEWED)
		sender->next_marker += 4;
	fpdu->length = sender->length - fpdu->offset;
}

static inline void put32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Bytes that look like nothing in particular. */
static inline void fill_noise(uint8_t *bytes, uint32_t length, uint32_t seed)
{
	for (uint32_t i = 0; i < length; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

/* A Send of one segment with `payload` bytes. */
static inline void send_send(struct sender *sender, uint32_t payload)
{
	static uint8_t ulpdu[65536];

	memset(ulpdu, 0, 18);
	ulpdu[0] = 0x41;
	ulpdu[1] = 0x43;
	put32(ulpdu + 10, sender->msn++);
	fill_noise(ulpdu + 18, payload, sender->count);
	send_fpdu(sender, ulpdu, 18 + payload);
}

/* A Write of one segment. */
static inline void send_write(struct sender *sender, uint32_t payload)
{
	static uint8_t ulpdu[65536];

	memset(ulpdu, 0, 14);
	ulpdu[0] = 0xc1;
	ulpdu[1] = 0x40;
	put32(ulpdu + 2, 0x12345678);
	put32(ulpdu + 10, sender->count * 4096);
	fill_noise(ulpdu + 14, payload, sender->count + 77);
	send_fpdu(sender, ulpdu, 14 + payload);
}

#endif
