/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layers and fields of a packet, one at a time. For all fields in a row there is the visitor (rdmatap/visitor.h).
 *
 * A field is named by its id. rtap_field_find(name, &id, 1) tells it for a name; look it up once, not for each packet.
 * All of this only reads: several threads may look at one packet at once.
 */
#ifndef RDMATAP_VALUE_H
#define RDMATAP_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/packet.h>
#include <rdmatap/visitor.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * The next layer of a protocol (its number in the registry, see rtap_protocol_find()) behind the layer `after`; NULL: the first
 * one. Returns NULL if there is none. What is returned is part of the packet.
 */
const struct rtap_layer *rtap_packet_layer(const struct rtap_packet *packet, uint8_t protocol, const struct rtap_layer *after);

/* The captured bytes of a layer's header: borrowed from the packet's source, in network order. */
struct rtap_span rtap_layer_bytes(const struct rtap_packet *packet, const struct rtap_layer *layer);

/* Takes one value. Value and place are valid for the call. False: no more are wanted. */
typedef bool rtap_take_value(void *owner, const struct rtap_field *field, const struct rtap_value *value, const struct rtap_place *place);

/*
 * Calls `take` with each value that the packet has of a field, in the packet's order, until it returns false. What costs time
 * (CRCs) is worked out for it. An id beyond rtap_field_count() has no values.
 */
void rtap_packet_values(const struct rtap_packet *packet, rtap_field_id id, rtap_take_value *take, void *owner);

/*
 * The first value of a field that is a number (shown as DEC, HEX or BOOL, and SECONDS: then signed nanoseconds in two's
 * complement), in host order. False: the packet has not got the field, or it is no number; then *number is as it was.
 */
bool rtap_packet_number(const struct rtap_packet *packet, rtap_field_id id, uint64_t *number) __attribute__((warn_unused_result));

/* The first value of a field as rtap_value_text() writes it. False: the packet has not got it (text is ""), or it was cut. */
bool rtap_packet_text(const struct rtap_packet *packet, rtap_field_id id, char *text, size_t size) __attribute__((warn_unused_result));

/*
 * Writes a value as `rdmatap -T fields` prints it into `size` bytes at `text`, always with a zero byte at the end (unless size
 * is 0). False: it was cut.
 */
bool rtap_value_text(const struct rtap_field *field, const struct rtap_value *value, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
