/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow rules of the simulated device: each is checked as a driver would, and really matched. The frame's headers are walked
 * once into the values that rules speak of; then each spec is compared under its mask.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/verbs_sim/sim.h"

/* One level of headers: the outer frame, or what a tunnel carries. Numbers are in network order, as in rules. */
struct level {
	bool has_eth, has_vlan, has_ipv4, has_ipv6, has_tcp, has_udp;
	struct ibv_flow_eth_filter eth;
	struct ibv_flow_ipv4_ext_filter ipv4;
	struct ibv_flow_ipv6_filter ipv6;
	struct ibv_flow_tcp_udp_filter ports;
};

struct headers {
	struct level outer, inner;
	bool has_vxlan, has_gre;
	struct ibv_flow_tunnel_filter vxlan;
	struct ibv_flow_gre_filter gre;
};

static const uint8_t *walk_eth(struct level *level, const uint8_t *at, const uint8_t *end, uint16_t *type)
{
	if (end - at < 14)
		return NULL;
	level->has_eth = true;
	memcpy(level->eth.dst_mac, at, 6);
	memcpy(level->eth.src_mac, at + 6, 6);
	memcpy(type, at + 12, 2);
	at += 14;
	if (*type == htons(0x8100) && end - at >= 4) {
		level->has_vlan = true;
		memcpy(&level->eth.vlan_tag, at, 2);
		memcpy(type, at + 2, 2);
		at += 4;
	}
	level->eth.ether_type = *type;
	return at;
}

static const uint8_t *walk_ip(struct level *level, const uint8_t *at, const uint8_t *end, uint16_t type, uint8_t *proto)
{
	if (type == htons(0x0800) && end - at >= 20) {
		uint32_t length = (at[0] & 15u) * 4;

		if (length < 20 || end - at < length)
			return NULL;
		level->has_ipv4 = true;
		memcpy(&level->ipv4.src_ip, at + 12, 4);
		memcpy(&level->ipv4.dst_ip, at + 16, 4);
		level->ipv4.tos = at[1];
		level->ipv4.ttl = at[8];
		/* as the kernel numbers them: IB_IPV4_DONT_FRAG 2, IB_IPV4_MORE_FRAG 4 */
		level->ipv4.flags = (uint8_t)((at[6] & 0x20 ? 4 : 0) | (at[6] & 0x40 ? 2 : 0) | (at[6] & 0x80 ? 1 : 0));
		level->ipv4.proto = *proto = at[9];
		return (at[6] & 0x1f) || at[7] ? NULL : at + length;
	}
	if (type == htons(0x86dd) && end - at >= 40) {
		level->has_ipv6 = true;
		memcpy(level->ipv6.src_ip, at + 8, 16);
		memcpy(level->ipv6.dst_ip, at + 24, 16);
		memcpy(&level->ipv6.flow_label, at, 4);
		level->ipv6.flow_label &= htonl(0xfffff);
		level->ipv6.traffic_class = (uint8_t)(at[0] << 4 | at[1] >> 4);
		level->ipv6.next_hdr = *proto = at[6];
		level->ipv6.hop_limit = at[7];
		return at + 40;
	}
	return NULL;
}

/* Returns what a tunnel carries, with its type, or NULL. */
static const uint8_t *walk_transport(struct headers *headers, struct level *level, const uint8_t *at, const uint8_t *end, uint8_t proto,
				     uint16_t *type)
{
	if ((proto == 6 && end - at >= 20) || (proto == 17 && end - at >= 8)) {
		level->has_tcp = proto == 6;
		level->has_udp = proto == 17;
		memcpy(&level->ports.src_port, at, 2);
		memcpy(&level->ports.dst_port, at + 2, 2);
		if (!level->has_udp || level->ports.dst_port != htons(4789) || end - at < 16)
			return NULL;
		headers->has_vxlan = true;
		memcpy(&headers->vxlan.tunnel_id, at + 12, 4);
		headers->vxlan.tunnel_id = htonl(ntohl(headers->vxlan.tunnel_id) >> 8);
		*type = htons(0x6558);
		return at + 16;
	}
	if (proto == 47 && end - at >= 4) {
		uint32_t length = 4;

		headers->has_gre = true;
		memcpy(&headers->gre.c_ks_res0_ver, at, 2);
		memcpy(&headers->gre.protocol, at + 2, 2);
		if (at[0] & 0x80)
			length += 4;
		if ((at[0] & 0x20) && end - at >= (long)length + 4)
			memcpy(&headers->gre.key, at + length, 4);
		length += (at[0] & 0x20 ? 4u : 0) + (at[0] & 0x10 ? 4u : 0);
		*type = headers->gre.protocol;
		return end - at >= (long)length ? at + length : NULL;
	}
	return NULL;
}

static void walk(struct headers *headers, const uint8_t *at, uint32_t length)
{
	const uint8_t *end = at + length;
	uint16_t type;
	uint8_t proto;

	memset(headers, 0, sizeof *headers);
	at = walk_eth(&headers->outer, at, end, &type);
	at = at ? walk_ip(&headers->outer, at, end, type, &proto) : NULL;
	at = at ? walk_transport(headers, &headers->outer, at, end, proto, &type) : NULL;
	if (at && type == htons(0x6558))
		at = walk_eth(&headers->inner, at, end, &type);
	at = at ? walk_ip(&headers->inner, at, end, type, &proto) : NULL;
	if (at) {
		struct headers nothing = { .has_gre = false };

		walk_transport(&nothing, &headers->inner, at, end, proto, &type);
	}
}

static bool equal(const void *value, const void *wanted, const void *mask, size_t length)
{
	const uint8_t *v = value, *w = wanted, *m = mask;

	for (size_t i = 0; i < length; i++)
		if ((v[i] ^ w[i]) & m[i])
			return false;
	return true;
}

#define MATCHES(has, value, spec) ((has) && equal(&(value), &(spec).val, &(spec).mask, sizeof(value)))

static bool spec_matches(const struct ibv_flow_spec *spec, const struct headers *headers)
{
	const struct level *level = spec->hdr.type & IBV_FLOW_SPEC_INNER ? &headers->inner : &headers->outer;
	struct ibv_flow_ipv4_filter addresses = { level->ipv4.src_ip, level->ipv4.dst_ip };

	switch (spec->hdr.type & ~(unsigned)IBV_FLOW_SPEC_INNER) {
	case IBV_FLOW_SPEC_ETH:
		if (spec->eth.mask.vlan_tag && !level->has_vlan)
			return false;
		return MATCHES(level->has_eth, level->eth, spec->eth);
	case IBV_FLOW_SPEC_IPV4:
		return MATCHES(level->has_ipv4, addresses, spec->ipv4);
	case IBV_FLOW_SPEC_IPV4_EXT:
		return MATCHES(level->has_ipv4, level->ipv4, spec->ipv4_ext);
	case IBV_FLOW_SPEC_IPV6:
		return level->has_ipv6 && equal(&level->ipv6, &spec->ipv6.val, &spec->ipv6.mask, 39);
	case IBV_FLOW_SPEC_TCP:
		return MATCHES(level->has_tcp, level->ports, spec->tcp_udp);
	case IBV_FLOW_SPEC_UDP:
		return MATCHES(level->has_udp, level->ports, spec->tcp_udp);
	case IBV_FLOW_SPEC_VXLAN_TUNNEL:
		return MATCHES(headers->has_vxlan, headers->vxlan, spec->tunnel);
	case IBV_FLOW_SPEC_GRE:
		return MATCHES(headers->has_gre, headers->gre, spec->gre);
	default:
		return false;
	}
}

static size_t spec_size(unsigned type)
{
	switch (type & ~(unsigned)IBV_FLOW_SPEC_INNER) {
	case IBV_FLOW_SPEC_ETH: return sizeof(struct ibv_flow_spec_eth);
	case IBV_FLOW_SPEC_IPV4: return sizeof(struct ibv_flow_spec_ipv4);
	case IBV_FLOW_SPEC_IPV4_EXT: return sizeof(struct ibv_flow_spec_ipv4_ext);
	case IBV_FLOW_SPEC_IPV6: return sizeof(struct ibv_flow_spec_ipv6);
	case IBV_FLOW_SPEC_TCP:
	case IBV_FLOW_SPEC_UDP: return sizeof(struct ibv_flow_spec_tcp_udp);
	case IBV_FLOW_SPEC_VXLAN_TUNNEL: return sizeof(struct ibv_flow_spec_tunnel);
	case IBV_FLOW_SPEC_GRE: return sizeof(struct ibv_flow_spec_gre);
	default: return 0;
	}
}

/* Copies the spec at *at out, because after a rule's 20 bytes none is aligned, and moves on. False: it is no good. */
static bool take_spec(const uint8_t *specs, size_t length, size_t *at, struct ibv_flow_spec *spec)
{
	memset(spec, 0, sizeof *spec);
	if (length - *at < sizeof spec->hdr)
		return false;
	memcpy(&spec->hdr, specs + *at, 6);
	if (!spec_size(spec->hdr.type) || spec->hdr.size != spec_size(spec->hdr.type) || spec->hdr.size > length - *at)
		return false;
	memcpy(spec, specs + *at, spec->hdr.size);
	*at += spec->hdr.size;
	return true;
}

bool sim_flow_matches(const struct sim_flow *flow, const uint8_t *bytes, uint32_t length)
{
	struct headers headers;
	struct ibv_flow_spec spec;
	size_t at = 0;

	walk(&headers, bytes, length);
	for (unsigned i = 0; i < flow->attr.num_of_specs; i++) {
		if (!take_spec(flow->specs, flow->attr.size - sizeof flow->attr, &at, &spec))
			return false;
		if (!spec_matches(&spec, &headers))
			return false;
	}
	return true;
}

int sim_flow_check(const struct ibv_flow_attr *attr)
{
	const uint8_t *specs = (const uint8_t *)attr + sizeof *attr;
	struct ibv_flow_spec spec;
	size_t at = 0;

	if (attr->comp_mask || !attr->port || attr->port > sim_config.ports || attr->size < sizeof *attr ||
	    attr->size > sizeof *attr + 1024)
		return EINVAL;
	if (attr->type == IBV_FLOW_ATTR_SNIFFER && (sim_config.no_sniffer || attr->num_of_specs))
		return sim_config.no_sniffer ? EOPNOTSUPP : EINVAL;
	if ((attr->flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP) && sim_config.no_dont_trap)
		return EOPNOTSUPP;
	if (attr->flags & ~(uint32_t)IBV_FLOW_ATTR_FLAGS_DONT_TRAP)
		return EINVAL;
	for (unsigned i = 0; i < attr->num_of_specs; i++)
		if (!take_spec(specs, attr->size - sizeof *attr, &at, &spec))
			return EINVAL;
	return at == attr->size - sizeof *attr ? 0 : EINVAL;
}

struct ibv_flow *sim_create_flow(struct ibv_qp *ibv, struct ibv_flow_attr *attr)
{
	struct sim_qp *qp = (struct sim_qp *)ibv;
	struct sim_context *context = qp->context;

	if (sim_fails("create_flow"))
		return NULL;
	errno = sim_flow_check(attr);
	if (errno)
		return NULL;
	for (uint32_t i = 0; i < SIM_MOST_FLOWS; i++) {
		struct sim_flow *flow = &context->flows[i];

		if (flow->used)
			continue;
		flow->used = true;
		flow->qp = qp;
		flow->attr = *attr;
		memcpy(flow->specs, (const uint8_t *)attr + sizeof *attr, attr->size - sizeof *attr);
		flow->flow.context = ibv->context;
		flow->flow.handle = i;
		qp->flows++;
		context->flow_count++;
		sim_choose_only(context);
		return &flow->flow;
	}
	errno = ENOSPC;
	return NULL;
}

int sim_destroy_flow(struct ibv_flow *ibv)
{
	struct sim_context *context = sim_of(ibv->context);
	struct sim_flow *flow = &context->flows[ibv->handle];
	bool fails = sim_fails("destroy_flow");

	flow->used = false;
	flow->qp->flows--;
	context->flow_count--;
	sim_choose_only(context);
	sim_sync_counters(context);
	return fails ? sim_config.fail_errno : 0;
}
