/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp_walk.h"
#include "output/check/rpcrdma_send.h"

/* The next RPC-over-RDMA header from layer *at on. NULL: none. */
static const struct rtap_layer *next_header(const struct rtap_packet *packet, uint8_t *at)
{
	while (*at < packet->layer_count) {
		const struct rtap_layer *layer = &packet->layers[(*at)++];

		if (layer->protocol == PROTOCOL_RPCRDMA)
			return layer;
	}
	return NULL;
}

static bool next_facts(struct iwarp_walk *walk, struct rtap_iwarp_facts *facts, bool *is_late)
{
	const struct rtap_fpdu *fpdu;
	uint32_t length;

	while ((fpdu = iwarp_next_fpdu(walk))) {
		const uint8_t *head = fpdu_head(fpdu, &length);

		*is_late = iwarp_is_late(walk->packet, fpdu);
		if (iwarp_read(head, length, fpdu->ulpdu_length, facts) == OK)
			return true;
	}
	return false;
}

/* Whether each Send that ends in the packet has a header in it. */
static bool has_header_each(const struct rtap_packet *packet)
{
	struct rtap_iwarp_facts facts;
	struct iwarp_walk walk;
	bool is_late;
	uint8_t at = 0;

	iwarp_walk_init(&walk, packet);
	while (next_facts(&walk, &facts, &is_late))
		if (iwarp_is_send(facts.opcode) && facts.last && !next_header(packet, &at))
			return false;
	return !next_header(packet, &at);
}

static void each_fpdu(const struct rtap_packet *packet, void (*take)(void *context, const struct rpcrdma_use *use), void *context)
{
	struct rtap_iwarp_facts facts;
	struct iwarp_walk walk;
	bool is_late;
	uint8_t at = 0;

	iwarp_walk_init(&walk, packet);
	while (next_facts(&walk, &facts, &is_late)) {
		struct rpcrdma_use use = { 0 };

		if (iwarp_is_send(facts.opcode) && facts.last)
			use = (struct rpcrdma_use){ next_header(packet, &at), (uint64_t)facts.mo + facts.payload_length,
						    iwarp_opcodes[facts.opcode].invalidates, facts.invalidate_stag };
		else if (!is_late && (facts.opcode == RTAP_RDMAP_WRITE || (facts.opcode == RTAP_RDMAP_READ_REQUEST && facts.has_read)))
			use = (struct rpcrdma_use){ .has_key = true, .key = facts.tagged ? facts.stag : facts.source_stag };
		else
			continue;
		take(context, &use);
	}
}

void rpcrdma_send_each(const struct rtap_packet *packet, void (*take)(void *context, const struct rpcrdma_use *use), void *context)
{
	const struct rtap_flow_facts *flow = &packet->flow;
	const struct rtap_layer *header;
	uint8_t at = 0;

	if (packet->fpdus.count && has_header_each(packet)) {
		each_fpdu(packet, take, context);
		return;
	}
	if (packet->ib.has_reth)
		take(context, &(struct rpcrdma_use){ .has_key = true, .key = packet->ib.r_key });
	while ((header = next_header(packet, &at))) {
		bool is_known = packet->ib.has_bth && flow->completes && flow->kind == RTAP_KIND_SEND;

		take(context, &(struct rpcrdma_use){ header, is_known ? flow->message_length : 0, packet->ib.has_ieth, packet->ib.invalidated_r_key });
	}
}
