/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The column of the one-line text with both ends of a packet: "10.0.0.2:0x14 > 10.0.0.1:0x15", "lid 3:0x1 > 7:0x1",
 * "[fd00::1]:700 > [fd00::2]:2049". Queue pairs are hexadecimal, ports decimal.
 */
#ifndef DISSECT_ENGINE_ENDS_H
#define DISSECT_ENGINE_ENDS_H

#include "dissect/engine/protocol.h"

#define ENDS_TEXTS 32
#define ENDS_TEXT_MOST 128

/* Cache of the columns of earlier lines, by addresses and numbers, because most lines repeat one. All zero: empty. */
struct ends_texts {
	struct ends_text {
		uint8_t addresses[2 * 16]; /* IPv4: the first 8 bytes */
		uint32_t source, destination;
		uint32_t form; /* kinds of the numbers and the addresses; never 0 */
		uint32_t length;
		char text[ENDS_TEXT_MOST];
	} texts[ENDS_TEXTS];
};

/* The ends by the addresses of a network layer, of 4 or 16 bytes: at `source`, and after it the destination. GIDs are called that. */
void ends_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, bool is_gid, const uint8_t *source, unsigned length,
		  struct line *line);

/* The ends by the LIDs of a link layer. */
void ends_summary_lids(const struct rtap_packet *packet, const struct rtap_layer *layer, uint32_t source, uint32_t destination,
		       struct line *line);

/* Whether the ends of the network layer before this TCP or UDP header show its ports: not if an ICMP message quotes it. */
bool ends_show_ports(const struct rtap_packet *packet);

#endif
