/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Access to single layers and fields of a packet. To walk all fields, use the visitor (rdmatap/visitor.h).
 *
 * A field is identified by its id. rtap_field_find(name, &id, 1) returns the id for a name; look it up once, not for each packet.
 * These functions only read: several threads may use one packet at the same time.
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
 * Returns the next layer of a protocol (its number in the registry, see rtap_protocol_find()) after the layer `after`; with NULL,
 * the first one. Returns NULL if there is none. The layer is part of the packet.
 */
const struct rtap_layer *rtap_packet_layer(const struct rtap_packet *packet, uint16_t protocol, const struct rtap_layer *after);

/* The captured bytes of a layer's header: borrowed from the packet's source, in network order. */
struct rtap_span rtap_layer_bytes(const struct rtap_packet *packet, const struct rtap_layer *layer);

/* Receives one value. Value and place are valid during the call. Return false to stop. */
typedef bool rtap_take_value(void *owner, const struct rtap_field *field, const struct rtap_value *value, const struct rtap_place *place);

/*
 * Calls `take` with each value of a field in the packet, in packet order, until it returns false. Expensive values (CRCs) are
 * computed. An id not below rtap_field_count() has no values.
 */
void rtap_packet_values(const struct rtap_packet *packet, rtap_field_id id, rtap_take_value *take, void *owner);

/*
 * Reads the first value of a numeric field (shown as DEC, HEX or BOOL, or as SECONDS: signed nanoseconds in two's complement),
 * in host order. False: the packet does not have the field, or it is not numeric; *number is unchanged.
 */
bool rtap_packet_number(const struct rtap_packet *packet, rtap_field_id id, uint64_t *number) __attribute__((warn_unused_result));

/* Writes the first value of a field as rtap_value_text() does. False: not in the packet (text is ""), or truncated. */
bool rtap_packet_text(const struct rtap_packet *packet, rtap_field_id id, char *text, size_t size) __attribute__((warn_unused_result));

/*
 * Writes a value to `text`, a buffer of `size` bytes, as `rdmatap -T fields` prints it. The text is null-terminated unless size
 * is 0. False: it was truncated.
 */
bool rtap_value_text(const struct rtap_field *field, const struct rtap_value *value, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
