/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walks all fields of a packet; see rdmatap/value.h for single fields. These functions only read.
 */
#ifndef RDMATAP_VISITOR_H
#define RDMATAP_VISITOR_H

#include <rdmatap/packet.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Position of a field or header in the packet. Valid during the callback. */
struct rtap_place {
	uint8_t source;
	uint32_t offset; /* bytes */
	uint32_t length;
};

/*
 * Receives the contents of a packet in order. Any callback may be NULL. Embed it as the first member of a
 * struct with the output's own state.
 */
struct rtap_visitor {
	/* Start of a protocol's header, or of a named group within one; label is that of the protocol or group. */
	void (*enter)(struct rtap_visitor *visitor, const char *label, const struct rtap_place *place);
	/* A field of the current group. The value is valid during the call. */
	void (*field)(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
		      const struct rtap_value *value, const struct rtap_place *place);
	/* An annotation that is not a field: the combined meaning of several fields. */
	void (*label)(struct rtap_visitor *visitor, const char *text, const struct rtap_place *place);
	void (*anomaly)(struct rtap_visitor *visitor, const struct rtap_anomaly *anomaly);
	void (*leave)(struct rtap_visitor *visitor);
	/* Fields wanted, one bit per id; NULL: all except those that the two flags below exclude. */
	const uint64_t *wanted;
	bool on_demand; /* with wanted == NULL: also ON_DEMAND fields */
	bool bulk;      /* with wanted == NULL: also BULK fields */
};

/* Walks all layers. */
void rtap_packet_visit(const struct rtap_packet *packet, struct rtap_visitor *visitor);

/* Walks one layer's fields, without calling enter and leave for the layer itself. */
void rtap_layer_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor);

/* Reads one fixed or derived field of a layer. False: not present. Cannot read fields that only a visit finds. */
bool rtap_layer_field(const struct rtap_packet *packet, const struct rtap_layer *layer, const struct rtap_field *field,
		      struct rtap_value *value);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
