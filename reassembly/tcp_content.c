/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "dissect/dissect.h"
#include "dissect/engine/protocol.h"
#include "reassembly/iwarp/iwarp_stream.h"
#include "reassembly/tcp_content.h"
#include "reassembly/upper.h"

/* An upper layer that a connection may carry. */
struct candidate {
	const struct upper_socket *socket;
	void *stream;                 /* the layer's state */
};

/* State of a connection. Neither iWARP nor upper layers: it is ignored. */
struct tcp_content {
	struct iwarp_stream *iwarp;   /* NULL: not iWARP */
	uint32_t count;               /* upper layers that it may carry; 1 if it is known which */
	struct candidate uppers[];
};

static uint32_t count_sockets(const struct rtap_tracker *tracker)
{
	uint32_t count = 0;

	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++)
		count += (*layer)->socket != NULL;
	return count;
}

static void begin_uppers(struct rtap_tracker *tracker, struct tcp_content *content, const struct tcp_connection *connection,
			 const struct rtap_frame *frame)
{
	for (const struct upper_layer *const *layer = tracker->layers; *layer; layer++) {
		const struct upper_socket *socket = (*layer)->socket;
		void *stream = socket ? socket->begin(tracker, connection, frame) : NULL;

		if (stream)
			content->uppers[content->count++] = (struct candidate){ socket, stream };
	}
}

static void begin(void *owner, struct tcp_connection *connection, const struct rtap_packet *packet)
{
	struct rtap_tracker *tracker = owner;
	struct tcp_content *content = memory_new_zeroed(1, sizeof *content + count_sockets(tracker) * sizeof content->uppers[0]);

	connection->user = content;
	if (content) {
		content->iwarp = iwarp_stream_create(tracker, connection);
		begin_uppers(tracker, content, connection, packet->frame);
	}
	connection->ignored = !content || (!content->iwarp && !content->count);
	tracker->counters.evictions += connection->ignored;
}

static void life(void *owner, struct tcp_connection *connection, bool from_a, enum tcp_life life, const struct rtap_packet *packet)
{
	struct tcp_content *content = connection->user;

	(void)owner;
	if (content && content->iwarp)
		iwarp_stream_life(content->iwarp, from_a, life, packet);
	for (uint32_t i = 0; content && i < content->count; i++)
		content->uppers[i].socket->life(content->uppers[i].stream, from_a, life);
}

static void discard_iwarp(struct tcp_connection *connection, struct tcp_content *content)
{
	iwarp_stream_destroy(content->iwarp);
	content->iwarp = NULL;
	connection->ignored = !content->count;
}

/* It carries none of the upper layers from `first` on. */
static void discard_uppers(struct tcp_connection *connection, struct tcp_content *content, uint32_t first)
{
	while (content->count > first) {
		struct candidate *last = &content->uppers[--content->count];

		last->socket->end(last->stream);
	}
	connection->ignored = !content->iwarp && !content->count;
}

static void exchange_uppers(struct tcp_content *content, uint32_t a, uint32_t b)
{
	struct candidate moved = content->uppers[a];

	content->uppers[a] = content->uppers[b];
	content->uppers[b] = moved;
}

static void take_upper_bytes(struct tcp_connection *connection, struct tcp_content *content, bool from_a, const struct tcp_bytes *bytes)
{
	for (uint32_t i = 0; i < content->count;) {
		const struct candidate *candidate = &content->uppers[i];

		candidate->socket->bytes(candidate->stream, from_a, bytes);
		switch (candidate->socket->verdict(candidate->stream)) {
		case UPPER_PERHAPS:
			i++;
			break;
		case UPPER_NO:
			exchange_uppers(content, i, content->count - 1);
			discard_uppers(connection, content, content->count - 1);
			break;
		case UPPER_YES:
			if (content->iwarp)
				discard_iwarp(connection, content);
			exchange_uppers(content, 0, i);
			discard_uppers(connection, content, 1);
			return;
		}
	}
}

static void take_bytes(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes)
{
	struct tcp_content *content = connection->user;

	(void)owner;
	if (!content || connection->ignored)
		return;
	if (content->iwarp) {
		iwarp_stream_bytes(content->iwarp, from_a, bytes);
		if (iwarp_stream_verdict(content->iwarp) == IWARP_NO)
			discard_iwarp(connection, content);
		else if (iwarp_stream_verdict(content->iwarp) == IWARP_YES && content->count)
			discard_uppers(connection, content, 0);
	}
	if (content->count)
		take_upper_bytes(connection, content, from_a, bytes);
}

static void take_hole(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_hole *hole)
{
	struct tcp_content *content = connection->user;

	(void)owner;
	if (!content || connection->ignored)
		return;
	if (content->iwarp)
		iwarp_stream_hole(content->iwarp, from_a, hole);
	for (uint32_t i = 0; i < content->count; i++)
		content->uppers[i].socket->hole(content->uppers[i].stream, from_a, hole);
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
	if (content)
		discard_uppers(connection, content, 0);
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
	tcp_stream_relative(&facts, &packet->tcp);
	content = facts.connection ? facts.connection->user : NULL;
	is_iwarp = content && content->iwarp && iwarp_stream_verdict(content->iwarp) == IWARP_YES;
	if (packet->fpdus.count && !is_iwarp)
		packet_discard_segment(packet);
	if (!content)
		return facts.differs;
	if (is_iwarp) {
		iwarp_stream_segment(content->iwarp, &facts, packet);
		iwarp_view_context(&tracker->view, content->iwarp, context);
	} else if (!content->iwarp) {
		context->not_iwarp = true;
	}
	for (uint32_t i = 0; i < content->count; i++)
		if (content->uppers[i].socket->verdict(content->uppers[i].stream) == UPPER_YES)
			content->uppers[i].socket->segment(tracker, content->uppers[i].stream, &facts, packet, context);
	return facts.differs;
}

void tcp_content_flush(struct rtap_tracker *tracker)
{
	tcp_streams_flush(&tracker->tcp);
}

void tcp_content_fini(struct rtap_tracker *tracker)
{
	/* as at the end; the tracker's callbacks are gone */
	tcp_streams_flush(&tracker->tcp);
	tcp_streams_fini(&tracker->tcp);
}
