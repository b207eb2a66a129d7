/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/infiniband/ib.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/reuse.h"
#include "reassembly/time_windows.h"

/*
 * A requester whose acknowledgements are lost sends its first request again, but within its timeout. After this time without a packet of the
 * connection, and with PSNs acknowledged by then, it is another one.
 */
#define SILENCE_NS (5 * NANOSECONDS)
#define LEAST_ACKNOWLEDGED 4

/* A sender is hardly this many times faster than before. The time before counts as this long at least. */
#define MOST_FASTER 100
#define LEAST_LASTED_NS INT64_C(1000000)
/* Of a capture that lacks many packets, this is not known: so many at least, and half of those sent, must be there. */
#define LEAST_CAPTURED 4

/* A packet is not delayed by the network for longer. */
#define DELAY_NS INT64_C(3000000)

static bool begins_message(const struct rtap_packet *packet)
{
	enum ib_place place = (enum ib_place)ib_opcodes[packet->ib.opcode].place;

	return place == IB_FIRST || place == IB_ONLY;
}

/* Whether the two cannot be copies of one request: one that is sent again has the same contents. IBTA vol. 1, 9.4.1. */
static bool differs(const struct first_request *first, const struct rtap_ib_facts *ib)
{
	if (first->verb != ib_opcodes[ib->opcode].verb)
		return true;
	return first->has_reth && ib->has_reth &&
	       (first->r_key != ib->r_key || first->virtual_address != ib->virtual_address || first->length != ib->dma_length);
}

/*
 * Whether the sequence of PSNs goes on too far ahead for what the capture can lack: in the time since the last packet, its sender would have sent many
 * times more than in an equal time before.
 */
static bool outruns(const struct psn_stream *stream, uint32_t psn, int64_t now_ns)
{
	const struct psn_stream *other = &stream->connection->streams[!stream->from_a];
	int64_t lasted_ns = stream->last_ns - stream->requests.first_ns, gone_ns = now_ns - stream->last_ns;
	double ahead = (psn - (uint32_t)stream->next) & PSN_MASK, sent = (double)(stream->next - stream->low);
	double captured = (double)stream->requests.arrived + stream->responses.arrived;

	if (!stream->requests.arrived || captured < LEAST_CAPTURED || captured * 2 < sent)
		return false;
	/* all that the other end requested is nearer to this packet: it is of the same use */
	if (other->started && other->requests.first_ns - stream->last_ns > now_ns - other->requests.first_ns)
		return false;
	if (lasted_ns < LEAST_LASTED_NS)
		lasted_ns = LEAST_LASTED_NS;
	return ahead * (double)lasted_ns > MOST_FASTER * sent * (double)(gone_ns > 0 ? gone_ns : 0);
}

bool reuse_is_shown_by(struct psn_stream *stream, const struct rtap_packet *packet)
{
	const struct rtap_connection *connection = &stream->connection->shown;
	uint64_t psn = psn_unwrap(stream, packet->ib.psn);
	int64_t now_ns = packet->frame->time_ns;

	if (!stream->started || connection->learned_by_cm || !begins_message(packet))
		return false;
	if (assembly_is_far(stream, psn) && outruns(stream, packet->ib.psn, now_ns))
		return true;
	/* 2^23 PSNs or more back are as far ahead */
	if (packet->ib.psn)
		return false;
	if (psn >= stream->next)
		return psn > stream->next + PSN_WINDOW;
	if (stream->first.is_known && stream->first.psn == psn && differs(&stream->first, &packet->ib))
		return true;
	stream->first.came_again = stream->acknowledged > psn && now_ns - stream->last_ns >= DELAY_NS;
	return stream->acknowledged >= psn + LEAST_ACKNOWLEDGED && now_ns - connection->time_end_ns >= SILENCE_NS;
}

bool reuse_is_shown_by_ack(struct psn_stream *stream, const struct pending_response *response)
{
	uint32_t behind = (stream->msn - response->msn) & PSN_MASK;

	if (!(ib_opcodes[response->opcode].headers & IB_AETH) || response->aeth_kind != RTAP_AETH_ACK || !stream->msn_known)
		return false;
	stream->first.came_again = false;
	return behind && behind < PSN_WINDOW && psn_unwrap(stream, response->psn) < stream->acknowledged;
}

void reuse_note_first(struct psn_stream *stream, uint64_t psn, const struct rtap_packet *packet)
{
	const struct rtap_ib_facts *ib = &packet->ib;

	if (!begins_message(packet) || (stream->first.is_known && stream->first.psn == psn))
		return;
	stream->first = (struct first_request){
		.is_known = true, .has_reth = ib->has_reth, .verb = ib_opcodes[ib->opcode].verb, .r_key = ib->r_key, .psn = psn,
		.virtual_address = ib->virtual_address, .length = ib->dma_length,
	};
}
