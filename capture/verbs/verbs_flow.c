/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/verbs/flow_offload.h"
#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_context.h"
#include "capture/verbs/verbs_flow.h"

/* Position of a field in a spec's filter. */
struct place {
	enum flow_field field;
	uint8_t offset, width;
};

struct spec {
	enum flow_layer layer;
	enum ibv_flow_spec_type type;
	uint8_t size, value, mask; /* of the whole; where its filters begin */
	uint8_t place_count;
	struct place places[6];
};

#define SPEC(spec, name) (uint8_t)sizeof(struct name), (uint8_t)offsetof(struct name, val), (uint8_t)offsetof(struct name, mask)
#define AT(filter, member, width) (uint8_t)offsetof(struct filter, member), width

/* In the order in which a device wants them. Widths are those of flow_rule.h; a wider member is filled from its end. */
static const struct spec specs[] = {
	{ FLOW_ETH, IBV_FLOW_SPEC_ETH, SPEC(eth, ibv_flow_spec_eth), 4, {
		{ FLOW_ETH_SRC, AT(ibv_flow_eth_filter, src_mac, 6) }, { FLOW_ETH_DST, AT(ibv_flow_eth_filter, dst_mac, 6) },
		{ FLOW_ETH_TYPE, AT(ibv_flow_eth_filter, ether_type, 2) }, { FLOW_ETH_VLAN, AT(ibv_flow_eth_filter, vlan_tag, 2) } } },
	{ FLOW_IPV4, IBV_FLOW_SPEC_IPV4_EXT, SPEC(ipv4, ibv_flow_spec_ipv4_ext), 6, {
		{ FLOW_IPV4_SRC, AT(ibv_flow_ipv4_ext_filter, src_ip, 4) }, { FLOW_IPV4_DST, AT(ibv_flow_ipv4_ext_filter, dst_ip, 4) },
		{ FLOW_IPV4_PROTO, AT(ibv_flow_ipv4_ext_filter, proto, 1) }, { FLOW_IPV4_TOS, AT(ibv_flow_ipv4_ext_filter, tos, 1) },
		{ FLOW_IPV4_TTL, AT(ibv_flow_ipv4_ext_filter, ttl, 1) }, { FLOW_IPV4_FLAGS, AT(ibv_flow_ipv4_ext_filter, flags, 1) } } },
	{ FLOW_IPV6, IBV_FLOW_SPEC_IPV6, SPEC(ipv6, ibv_flow_spec_ipv6), 6, {
		{ FLOW_IPV6_SRC, AT(ibv_flow_ipv6_filter, src_ip, 16) }, { FLOW_IPV6_DST, AT(ibv_flow_ipv6_filter, dst_ip, 16) },
		{ FLOW_IPV6_LABEL, AT(ibv_flow_ipv6_filter, flow_label, 4) }, { FLOW_IPV6_NEXT, AT(ibv_flow_ipv6_filter, next_hdr, 1) },
		{ FLOW_IPV6_CLASS, AT(ibv_flow_ipv6_filter, traffic_class, 1) },
		  { FLOW_IPV6_HOPS, AT(ibv_flow_ipv6_filter, hop_limit, 1) } } },
	{ FLOW_TCP, IBV_FLOW_SPEC_TCP, SPEC(tcp, ibv_flow_spec_tcp_udp), 2, {
		{ FLOW_TCP_SRC, AT(ibv_flow_tcp_udp_filter, src_port, 2) }, { FLOW_TCP_DST, AT(ibv_flow_tcp_udp_filter, dst_port, 2) } } },
	{ FLOW_UDP, IBV_FLOW_SPEC_UDP, SPEC(udp, ibv_flow_spec_tcp_udp), 2, {
		{ FLOW_UDP_SRC, AT(ibv_flow_tcp_udp_filter, src_port, 2) }, { FLOW_UDP_DST, AT(ibv_flow_tcp_udp_filter, dst_port, 2) } } },
	{ FLOW_VXLAN, IBV_FLOW_SPEC_VXLAN_TUNNEL, SPEC(vxlan, ibv_flow_spec_tunnel), 1, {
		{ FLOW_VXLAN_VNI, AT(ibv_flow_tunnel_filter, tunnel_id, 4) } } },
	{ FLOW_GRE, IBV_FLOW_SPEC_GRE, SPEC(gre, ibv_flow_spec_gre), 2, {
		{ FLOW_GRE_PROTO, AT(ibv_flow_gre_filter, protocol, 2) }, { FLOW_GRE_KEY, AT(ibv_flow_gre_filter, key, 4) } } },
};

/* Of the header's three bits, the kernel counts the last on the wire as the highest: IB_IPV4_DONT_FRAG 2, IB_IPV4_MORE_FRAG 4. */
static uint8_t flags_of_kernel(uint8_t wire)
{
	return (uint8_t)((wire & 1) << 2 | (wire & 2) | wire >> 2);
}

static void put_field(uint8_t *spec, const struct spec *description, const struct place *place, const struct flow_value *value)
{
	const unsigned from = flow_field_width(place->field), width = place->width < from ? place->width : from;
	uint8_t *to_value = spec + description->value + place->offset + place->width - width;
	uint8_t *to_mask = spec + description->mask + place->offset + place->width - width;

	/* numbers wider in the spec than on the wire are in its last bytes */
	memcpy(to_value, value->value + from - width, width);
	memcpy(to_mask, value->mask + from - width, width);
	if (place->field == FLOW_IPV4_FLAGS) {
		*to_value = flags_of_kernel(*to_value);
		*to_mask = flags_of_kernel(*to_mask);
	}
}

static void put_spec(struct ibv_flow_attr *attr, const struct spec *description, const struct flow_level *level, bool inner)
{
	uint8_t bytes[sizeof(struct ibv_flow_spec)] = { 0 };
	enum ibv_flow_spec_type type = description->type;
	uint16_t size = description->size;

	if (inner)
		type = (enum ibv_flow_spec_type)((unsigned)type | IBV_FLOW_SPEC_INNER);
	memcpy(bytes + offsetof(struct ibv_flow_spec_eth, type), &type, sizeof type);
	memcpy(bytes + offsetof(struct ibv_flow_spec_eth, size), &size, sizeof size);
	for (unsigned i = 0; i < description->place_count; i++) {
		const struct place *place = &description->places[i];

		if (level->fields & 1u << place->field)
			put_field(bytes, description, place, &level->values[place->field]);
	}
	memcpy((uint8_t *)attr + attr->size, bytes, size);
	attr->size = (uint16_t)(attr->size + size);
	attr->num_of_specs++;
}

static void put_level(struct ibv_flow_attr *attr, const struct flow_level *level, bool inner)
{
	uint32_t layers = level->layers;

	/* A VXLAN spec distinguishes VXLAN from other UDP traffic only after a UDP spec. */
	if (layers & 1u << FLOW_VXLAN)
		layers |= 1u << FLOW_UDP;
	for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
		if (layers & 1u << specs[i].layer)
			put_spec(attr, &specs[i], level, inner);
}

bool verbs_flow_encode(const struct flow_rule *rule, struct ibv_flow_attr *attr)
{
	attr->size = sizeof *attr;
	attr->num_of_specs = 0;
	put_level(attr, &rule->outer, false);
	put_level(attr, &rule->inner, true);
	return attr->size <= VERBS_FLOW_BYTES;
}

/* Choosing */

static bool is_listed(const struct flow_rule *rules, size_t count, const struct flow_rule *rule)
{
	for (size_t i = 0; i < count; i++)
		if (flow_rule_equals(&rules[i], rule))
			return true;
	return false;
}

enum joined { JOINED, JOINED_TOO_MANY, JOINED_NOTHING };

/*
 * Each rule joined with each of `more`; all of `more` if there is no rule. Equal ones are made once: a device refuses the second. If these
 * are too many, or no frame could match, the rules stay as they are.
 */
static enum joined join_rules(struct verbs *verbs, const struct flow_rule *more, size_t count)
{
	struct flow_rule joined[VERBS_MOST_RULES];
	size_t joined_count = 0;

	for (size_t i = 0; i < (verbs->rule_count ? verbs->rule_count : 1); i++) {
		for (size_t j = 0; j < count; j++) {
			struct flow_rule rule = verbs->rule_count ? verbs->rules[i] : more[j];

			if ((verbs->rule_count && !flow_rule_join(&rule, &more[j])) || is_listed(joined, joined_count, &rule))
				continue;
			if (joined_count == VERBS_MOST_RULES)
				return JOINED_TOO_MANY;
			joined[joined_count++] = rule;
		}
	}
	if (!joined_count)
		return JOINED_NOTHING;
	memcpy(verbs->rules, joined, joined_count * sizeof joined[0]);
	verbs->rule_count = joined_count;
	return JOINED;
}

static void offload(struct verbs *verbs, const char *filter)
{
	struct flow_rule rules[FLOW_OFFLOAD_MOST];
	size_t count;

	verbs->offloads = true;
	if (verbs->flow_type != RTAP_FLOW_NORMAL) {
		verbs->not_offloaded = "only rules of --flow-type normal are matched by the device";
		return;
	}
	count = flow_offload(filter, rules, &verbs->not_offloaded);
	if (!count)
		return;
	switch (join_rules(verbs, rules, count)) {
	case JOINED:
		break;
	case JOINED_TOO_MANY:
		verbs->not_offloaded = "there would be too many rules";
		break;
	case JOINED_NOTHING:
		verbs->not_offloaded = "no packet can match a rule and pass it";
		break;
	}
}

/* Frames must match one of the rules of --flow, and one of those that --peer made. */
static enum rtap_status add_rules(struct verbs *verbs, const struct rtap_verbs_options *options, struct rtap_error *error)
{
	struct flow_rule asked[VERBS_MOST_RULES];

	for (size_t i = 0; i < options->flow_rule_count; i++) {
		if (i == VERBS_MOST_RULES) {
			rtap_error_set(error, RTAP_ERROR_INVALID, "more than %d flow rules", VERBS_MOST_RULES);
			return RTAP_STATUS_FAILED;
		}
		if (flow_rule_parse(&asked[i], options->flow_rules[i], error))
			return RTAP_STATUS_FAILED;
	}
	switch (options->flow_rule_count ? join_rules(verbs, asked, options->flow_rule_count) : JOINED) {
	case JOINED:
		return RTAP_STATUS_OK;
	case JOINED_TOO_MANY:
		rtap_error_set(error, RTAP_ERROR_INVALID, "more than %d flow rules: each of --flow for each direction of --peer (leave out some)",
			       VERBS_MOST_RULES);
		break;
	case JOINED_NOTHING:
		rtap_error_set(error, RTAP_ERROR_INVALID, "no frame of the host of --peer can match --flow (leave out one)");
		break;
	}
	return RTAP_STATUS_FAILED;
}

enum rtap_status verbs_flow_choose(struct verbs *verbs, const struct rtap_verbs_options *options, const char *filter,
				   struct rtap_error *error)
{
	verbs->flow_type = options->flow_type;
	verbs->flow_priority = options->flow_priority;
	verbs->flow_dont_trap = options->flow_dont_trap;
	if (add_rules(verbs, options, error))
		return RTAP_STATUS_FAILED;
	if (options->flow_offload && filter)
		offload(verbs, filter);
	verbs->matches_here = verbs->rule_count && verbs->flow_type != RTAP_FLOW_NORMAL;
	if (verbs->flow_type != RTAP_FLOW_NORMAL || verbs->rule_count)
		return RTAP_STATUS_OK;
	if (!verbs->offloads)
		rtap_error_set(error, RTAP_ERROR_INVALID, "--flow-type normal needs a rule (--flow RULE)");
	else
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
			       "--flow-offload: nothing of the filter can be given to the device: %s (name a rule with --flow)",
			       verbs->not_offloaded);
	return RTAP_STATUS_FAILED;
}

void verbs_flow_notes(const struct verbs *verbs, void (*take)(void *owner, const char *text), void *owner)
{
	char text[FLOW_RULE_TEXT + 128];

	if (!verbs->offloads)
		return;
	if (verbs->not_offloaded) {
		snprintf(text, sizeof text, "the filter is applied by software only: %s", verbs->not_offloaded);
		take(owner, text);
		return;
	}
	for (size_t i = 0; i < verbs->rule_count; i++) {
		snprintf(text, sizeof text, "the device matched, before the filter was applied by software: %s", verbs->rules[i].text);
		take(owner, text);
	}
}

/* Asking the device */

static const char *type_name(enum rtap_flow_type type)
{
	static const char *const names[] = { "sniffer", "normal", "all", "mc" };

	return names[type];
}

/* Why a rule may have been refused. */
static const char *likely_reason(const struct verbs *verbs, const struct flow_rule *rule, int error_number)
{
	if (error_number == EPERM || error_number == EACCES)
		return "needs CAP_NET_RAW: run as root, or setcap cap_net_raw+ep on the program";
	if (error_number == EBUSY || error_number == EEXIST)
		return "the same rule is in use; choose another --flow-priority, or end the program that has it";
	if (error_number == ENOSPC || error_number == ENOMEM)
		return "the NIC has no room for more rules";
	if (!(verbs->device.orig_attr.device_cap_flags & IBV_DEVICE_MANAGED_FLOW_STEERING))
		return "the NIC has no flow steering; pcap:IFACE captures on its network interface";
	if (verbs->flow_type == RTAP_FLOW_SNIFFER)
		return "the NIC or its driver has no sniffer rules; pcap:IFACE captures on its network interface";
	if (verbs->flow_dont_trap)
		return "perhaps the NIC has no don't-trap; leave out --flow-dont-trap, and the host loses what the rule takes";
	if (rule && rule->inner.layers)
		return "perhaps the NIC does not look into tunnels; ask for the outer headers, "
		       "or leave out --flow-type to match in software";
	return "perhaps the NIC cannot match one of these fields, or only whole masks; leave out --flow-type to match in software";
}

static enum rtap_status create_one(struct verbs *verbs, const struct flow_rule *rule, struct rtap_error *error)
{
	static const enum ibv_flow_attr_type types[] = {
		[RTAP_FLOW_SNIFFER] = IBV_FLOW_ATTR_SNIFFER, [RTAP_FLOW_NORMAL] = IBV_FLOW_ATTR_NORMAL,
		[RTAP_FLOW_ALL] = IBV_FLOW_ATTR_ALL_DEFAULT, [RTAP_FLOW_MULTICAST] = IBV_FLOW_ATTR_MC_DEFAULT,
	};
	union {
		struct ibv_flow_attr attr;
		uint8_t bytes[VERBS_FLOW_BYTES];
	} wanted = { .attr = { .type = types[verbs->flow_type], .size = sizeof wanted.attr, .port = verbs->port } };
	struct ibv_flow *flow;
	char what[FLOW_RULE_TEXT + 64];

	if (verbs->flow_type != RTAP_FLOW_SNIFFER) {
		wanted.attr.priority = verbs->flow_priority;
		wanted.attr.flags = verbs->flow_dont_trap ? IBV_FLOW_ATTR_FLAGS_DONT_TRAP : 0;
	}
	if (rule && !verbs_flow_encode(rule, &wanted.attr)) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "%s: flow rule \"%s\": too many headers", verbs->name, rule->text);
		return RTAP_STATUS_FAILED;
	}
	flow = ibv_create_flow(verbs->qp, &wanted.attr);
	if (flow) {
		verbs->flows[verbs->flow_count++] = flow;
		return RTAP_STATUS_OK;
	}
	if (rule)
		snprintf(what, sizeof what, "flow rule \"%s\" is refused", rule->text);
	else
		snprintf(what, sizeof what, "the rule of type %s is refused", type_name(verbs->flow_type));
	return verbs_fail(verbs, error, what, errno, likely_reason(verbs, rule, errno));
}

enum rtap_status verbs_flow_create(struct verbs *verbs, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (verbs->flow_type != RTAP_FLOW_NORMAL)
		return create_one(verbs, NULL, error);
	for (size_t i = 0; i < verbs->rule_count && !status; i++)
		status = create_one(verbs, &verbs->rules[i], error);
	return status;
}
