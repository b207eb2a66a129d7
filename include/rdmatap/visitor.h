/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walking through all fields of a packet; rdmatap/value.h has them one at a time. Only reads.
 */
#ifndef RDMATAP_VISITOR_H
#define RDMATAP_VISITOR_H

#include <rdmatap/packet.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Where something stands in the packet. Valid for the call that it is told in. */
struct rtap_place {
	uint8_t source;
	uint32_t offset; /* bytes */
	uint32_t length;
};

/*
 * Receives what a packet holds, in order. Every call may be NULL. Embed it as the first member of a
 * struct that holds the output's own state.
 */
struct rtap_visitor {
	/* A protocol's header or a named group inside one begins; label is the protocol's or the group's. */
	void (*enter)(struct rtap_visitor *visitor, const char *label, const struct rtap_place *place);
	/* A field of the group. Value is valid for the call. */
	void (*field)(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
		      const struct rtap_value *value, const struct rtap_place *place);
	/* A remark that is no field: the meaning of several fields together. */
	void (*label)(struct rtap_visitor *visitor, const char *text, const struct rtap_place *place);
	void (*anomaly)(struct rtap_visitor *visitor, const struct rtap_anomaly *anomaly);
	void (*leave)(struct rtap_visitor *visitor);
	/* Which fields are wanted, one bit an id; NULL: all but those that the two flags below leave out. */
	const uint64_t *wanted;
	bool on_demand; /* with wanted == NULL: also ON_DEMAND fields */
	bool bulk;      /* with wanted == NULL: also BULK fields */
};

/* Walks all layers. */
void rtap_packet_visit(const struct rtap_packet *packet, struct rtap_visitor *visitor);

/* Walks one layer's fields, without enter and leave for the layer itself. */
void rtap_layer_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor);

/* Reads one fixed or derived field of a layer. False: not there. Not for fields that only a visit finds. */
bool rtap_layer_field(const struct rtap_packet *packet, const struct rtap_layer *layer, const struct rtap_field *field,
		      struct rtap_value *value);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
