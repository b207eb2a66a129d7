/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow rules, which select the frames that a NIC delivers, as text and as values with masks.
 *
 *   RULE    LAYER [FIELD=VALUE[/MASK] ...] [LAYER ...]
 *
 *   eth     src dst (MAC addresses)  type  vlan (the tag control information; without a mask only the VLAN ID is compared)
 *   ipv4    src dst (MASK is a number of bits or an address)  proto tos ttl flags (bit 1: more fragments, bit 2: do not fragment)
 *   ipv6    src dst  label next class hops
 *   tcp udp src dst (ports)
 *   vxlan   vni      gre   proto key
 *
 * Layers after vxlan or gre are of the packet inside the tunnel. A layer without fields requires that header to be present.
 * Numbers and their masks are decimal or 0x hexadecimal.
 */
#ifndef CAPTURE_VERBS_FLOW_RULE_H
#define CAPTURE_VERBS_FLOW_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>

#define FLOW_RULE_TEXT 200

enum flow_layer { FLOW_ETH, FLOW_IPV4, FLOW_IPV6, FLOW_TCP, FLOW_UDP, FLOW_VXLAN, FLOW_GRE, FLOW_LAYERS };

enum flow_field {
	FLOW_ETH_SRC, FLOW_ETH_DST, FLOW_ETH_TYPE, FLOW_ETH_VLAN,
	FLOW_IPV4_SRC, FLOW_IPV4_DST, FLOW_IPV4_PROTO, FLOW_IPV4_TOS, FLOW_IPV4_TTL, FLOW_IPV4_FLAGS,
	FLOW_IPV6_SRC, FLOW_IPV6_DST, FLOW_IPV6_LABEL, FLOW_IPV6_NEXT, FLOW_IPV6_CLASS, FLOW_IPV6_HOPS,
	FLOW_TCP_SRC, FLOW_TCP_DST, FLOW_UDP_SRC, FLOW_UDP_DST,
	FLOW_VXLAN_VNI, FLOW_GRE_PROTO, FLOW_GRE_KEY,
	FLOW_FIELDS,
};

/* A value and the mask of the bits to compare, in network byte order; width bytes are used. Bits outside of the mask are 0. */
struct flow_value {
	uint8_t value[16], mask[16];
};

/* The headers outside or inside a tunnel; a rule without a tunnel has only an outer level. The enums number the bits. */
struct flow_level {
	uint32_t layers; /* required */
	uint32_t fields; /* compared */
	struct flow_value values[FLOW_FIELDS];
};

struct flow_rule {
	char text[FLOW_RULE_TEXT]; /* source text */
	struct flow_level outer, inner;
};

/* FAILED: the text is not a rule; the error names it and the word. */
enum rtap_status flow_rule_parse(struct flow_rule *rule, const char *text, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Replaces `rule` by the conjunction of both rules, with a text of its own. False: no frame can match both; `rule` is then
 * undefined.
 */
bool flow_rule_join(struct flow_rule *rule, const struct flow_rule *other) __attribute__((warn_unused_result));

/* Whether both match the same frames, by the same comparisons; the texts may differ. */
bool flow_rule_equals(const struct flow_rule *rule, const struct flow_rule *other);

/*
 * Returns whether an Ethernet frame matches. Truncated headers count as absent. So do the ports of fragments other than the first,
 * and headers after IPv6 extension headers: NICs treat them in the same way.
 */
bool flow_rule_matches(const struct flow_rule *rule, const uint8_t *bytes, uint32_t length);

/* Maximum number of bytes of the frame on which a rule can depend. */
#define FLOW_RULE_REACH 256

/* Width of a field in bytes. */
unsigned flow_field_width(enum flow_field field);

#endif
