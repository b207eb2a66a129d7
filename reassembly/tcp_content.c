/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "dissect/dissect.h"
#include "dissect/engine/protocol.h"
#include "reassembly/iwarp/iwarp_stream.h"
#include "reassembly/store/memory.h"
#include "reassembly/upper/rpc_conversation.h"
#include "reassembly/upper/rpc_socket.h"
#include "reassembly/tcp_content.h"

/* State of a connection. Both pointers NULL: the connection is deaf. */
struct tcp_content {
	struct iwarp_stream *iwarp;        /* NULL: not iWARP */
	struct rpc_conversation *rpc;      /* NULL: not RPC */
};

static void begin(void *owner, struct tcp_connection *connection, const struct rtap_packet *packet)
{
	struct rtap_tracker *tracker = owner;
	struct tcp_content *content = memory_new_zeroed(1, sizeof *content);

	connection->user = content;
	if (content) {
		content->iwarp = iwarp_stream_create(tracker, connection);
		content->rpc = rpc_carriers_begin(&tracker->carriers, connection, packet->frame);
	}
	connection->deaf = !content || (!content->iwarp && !content->rpc);
	tracker->counters.evictions += connection->deaf;
}

static void life(void *owner, struct tcp_connection *connection, bool from_a, enum tcp_life life, const struct rtap_packet *packet)
{
	struct tcp_content *content = connection->user;

	(void)owner;
	if (content && content->iwarp)
		iwarp_stream_life(content->iwarp, from_a, life, packet);
	if (content && content->rpc)
		rpc_carriers_life(content->rpc, from_a, life);
}

static void forget_iwarp(struct tcp_connection *connection, struct tcp_content *content)
{
	iwarp_stream_destroy(content->iwarp);
	content->iwarp = NULL;
	connection->deaf = !content->rpc;
}

static void forget_rpc(struct tcp_connection *connection, struct tcp_content *content)
{
	rpc_carriers_end(content->rpc);
	content->rpc = NULL;
	connection->deaf = !content->iwarp;
}

static void take_bytes(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes)
{
	struct tcp_content *content = connection->user;

	(void)owner;
	if (!content || connection->deaf)
		return;
	if (content->iwarp) {
		iwarp_stream_bytes(content->iwarp, from_a, bytes);
		if (iwarp_stream_verdict(content->iwarp) == IWARP_NO)
			forget_iwarp(connection, content);
		else if (iwarp_stream_verdict(content->iwarp) == IWARP_YES && content->rpc)
			forget_rpc(connection, content);
	}
	if (!content->rpc)
		return;
	rpc_carriers_bytes(content->rpc, from_a, bytes);
	if (rpc_carriers_verdict(content->rpc) == RPC_NO)
		forget_rpc(connection, content);
	else if (rpc_carriers_verdict(content->rpc) == RPC_YES && content->iwarp)
		forget_iwarp(connection, content);
}

static void take_hole(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_hole *hole)
{
	struct tcp_content *content = connection->user;

	(void)owner;
	if (!content || connection->deaf)
		return;
	if (content->iwarp)
		iwarp_stream_hole(content->iwarp, from_a, hole);
	if (!content->rpc)
		return;
	rpc_carriers_hole(content->rpc, from_a, hole);
	if (content->rpc->connection)
		content->rpc->connection->shown.anomaly_counts[hole->reason == TCP_HOLE_SNAPPED ? RTAP_CONNECTION_ANOMALY_CUT : RTAP_CONNECTION_ANOMALY_LOST]++;
}

static bool take_ahead(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes)
{
	struct tcp_content *content = connection->user;

	(void)owner;
	return content && content->iwarp && iwarp_stream_ahead(content->iwarp, from_a, bytes);
}

static void end(void *owner, struct tcp_connection *connection, enum tcp_end reason)
{
	struct tcp_content *content = connection->user;

	(void)owner;
	(void)reason;
	if (content && content->iwarp)
		iwarp_stream_end(content->iwarp);
	if (content && content->rpc)
		rpc_carriers_end(content->rpc);
	free(content);
	connection->user = NULL;
}

void tcp_content_init(struct rtap_tracker *tracker)
{
	const struct tcp_stream_user user = { tracker, begin, life, take_bytes, take_hole, end, take_ahead };

	tcp_streams_init(&tracker->tcp, &tracker->budget, &user);
}

bool tcp_content_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, bool is_copy, struct rtap_context *context)
{
	struct tcp_segment_facts facts;
	struct tcp_content *content;
	bool is_iwarp;

	if (is_copy)
		tcp_stream_copy(&tracker->tcp, packet, &facts);
	else
		tcp_stream_segment(&tracker->tcp, packet, &facts);
	content = facts.connection ? facts.connection->user : NULL;
	is_iwarp = content && content->iwarp && iwarp_stream_verdict(content->iwarp) == IWARP_YES;
	if (tracker->view.presumed && !is_iwarp)
		packet_forget_segment(packet);
	if (!content)
		return facts.differs;
	if (is_iwarp) {
		iwarp_stream_segment(content->iwarp, &facts, packet);
		iwarp_view_context(&tracker->view, content->iwarp, context);
	} else if (!content->iwarp) {
		context->not_iwarp = true;
	}
	if (content->rpc && rpc_carriers_verdict(content->rpc) == RPC_YES) {
		rpc_socket_packet(tracker, content->rpc, facts.from_a, &facts, packet);
		rpc_carriers_context(content->rpc, facts.from_a, packet, context);
	}
	return facts.differs;
}

void tcp_content_flush(struct rtap_tracker *tracker)
{
	tcp_streams_flush(&tracker->tcp);
}

void tcp_content_fini(struct rtap_tracker *tracker)
{
	/* as at the end, but without callbacks */
	tracker->exchange = NULL;
	tracker->carriers.user.exchange = NULL;
	tcp_streams_flush(&tracker->tcp);
	tcp_streams_fini(&tracker->tcp);
}
