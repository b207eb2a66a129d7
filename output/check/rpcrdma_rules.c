/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/infiniband/ib.h"
#include "dissect/rpc/rpcrdma.h"
#include "output/check/rpcrdma_header.h"
#include "output/check/rpcrdma_roundup.h"
#include "output/check/rpcrdma_send.h"
#include "output/check/subject.h"

#define CALLS 128                /* calls kept per end */
#define KEYS 32                  /* invalidated keys kept per end */
#define NFS_PROGRAM 100003
#define NFS3_WRITE 7
#define NFS3_SYMLINK 10

struct call {
	uint64_t frame;          /* 0: empty */
	uint64_t number;         /* of the call among those of its end, from 1 */
	uint32_t xid;
	bool is_whole, is_answered, has_reply_chunk;
	bool has_echo;           /* the other end sent something with its XID */
	uint32_t write_chunks, segment_count;
	struct rpcrdma_segment segments[RPCRDMA_SEGMENTS];
	struct rpcrdma_procedure procedure;
};

/* Calls of one end and what the other end granted. */
struct caller {
	struct call calls[CALLS];
	uint64_t count, outstanding; /* calls sent; without a reply */
	bool has_grant;
	uint32_t grant, grant_before;
	struct check_excess excess; /* a call above the grant, until replies prove that so many were outstanding */
	uint64_t excess_number, proven;
	uint32_t excess_grant;
};

struct invalidated {
	bool is_set;
	uint32_t key, psn;       /* InfiniBand: of the SEND */
	uint64_t frame;
};

struct state {
	struct caller callers[2];
	struct invalidated keys[2][KEYS]; /* by the end that invalidated them */
	unsigned next_key[2];
	struct check_excess early; /* the first call of the end that accepted the connection, before any of the other end */
	uint32_t early_xid;
	bool is_old;             /* not the first packet of the connection: a call can have been missed */
};

/* Whether the packet is new data of its sender, not a copy. */
static bool is_new(const struct rtap_packet *packet)
{
	uint8_t analysis = packet->flow.analysis;

	if (packet->flow.tcp_analysis != RTAP_TCP_NONE)
		return packet->flow.tcp_analysis == RTAP_TCP_NEW || packet->flow.tcp_analysis == RTAP_TCP_GAP;
	return analysis == RTAP_PSN_IN_ORDER || analysis == RTAP_PSN_GAP;
}

static bool is_gap(const struct subject *subject)
{
	return subject->is_gap || subject->packet->flow.analysis == RTAP_PSN_RESYNCHRONISED;
}

/* The latest one with this XID, or rather the latest one without a reply. */
static struct call *find_call(struct caller *caller, uint32_t xid)
{
	struct call *found = NULL;

	for (unsigned i = 0; i < CALLS; i++) {
		struct call *call = &caller->calls[i];

		if (call->frame && call->xid == xid &&
		    (!found || (call->is_answered != found->is_answered ? found->is_answered : call->number > found->number)))
			found = call;
	}
	return found;
}

static bool is_reply(const struct rpcrdma_header *header)
{
	bool has_reads = header->segment_count && header->segments[0].list == RPCRDMA_READ;

	return header->type == RDMA_ERROR || (header->type == RDMA_MSG ? header->has_rpc && header->rpc_type == 1 : !has_reads);
}

/* Rules of the header alone. */
static void check_header(const struct subject *subject, const struct rpcrdma_header *header)
{
	if (header->version != RPCRDMA_VERSION_1) {
		if (header->type != RDMA_ERROR)
			subject_break(subject, RULE_RPCRDMA_VERSION, "version %u, xid 0x%08x", header->version, header->xid);
		return;
	}
	if (header->type > RDMA_ERROR)
		subject_break(subject, RULE_RPCRDMA_TYPE, "type %u, xid 0x%08x", header->type, header->xid);
	if (header->type == RDMA_MSGP || header->type == RDMA_DONE)
		subject_break(subject, RULE_RPCRDMA_RESERVED_TYPE, "%s, xid 0x%08x", header->type == RDMA_MSGP ? "RDMA_MSGP" : "RDMA_DONE", header->xid);
	if (header->has_rpc && header->rpc_xid != header->xid)
		subject_break(subject, RULE_RPCRDMA_XID, "xid 0x%08x before a message with xid 0x%08x", header->xid, header->rpc_xid);
	if (header->type == RDMA_NOMSG && header->is_whole && !header->segment_count && !header->write_chunks && !header->has_reply_chunk)
		subject_break(subject, RULE_RPCRDMA_NOMSG_EMPTY, "RDMA_NOMSG, xid 0x%08x, without chunks", header->xid);
}

static void check_reads(const struct subject *subject, const struct rpcrdma_header *header)
{
	uint64_t at_zero = 0;
	bool has_zero = false, has_reads = false;

	for (uint32_t i = 0; i < header->segment_count && i < RPCRDMA_SEGMENTS; i++) {
		const struct rpcrdma_segment *segment = &header->segments[i];

		if (segment->list != RPCRDMA_READ)
			continue;
		has_reads = true;
		if (segment->position % 4)
			subject_break(subject, RULE_RPCRDMA_POSITION, "position %u, xid 0x%08x", segment->position, header->xid);
		if (!segment->position) {
			has_zero = true;
			at_zero += segment->length;
		}
	}
	if (has_reads && header->is_whole && has_zero != (header->type == RDMA_NOMSG))
		subject_break(subject, RULE_RPCRDMA_POSITION_ZERO, "%s with%s a chunk at position 0, xid 0x%08x",
			      header->type == RDMA_NOMSG ? "RDMA_NOMSG" : "RDMA_MSG", has_zero ? "" : "out", header->xid);
	if (has_zero && header->is_whole && header->type == RDMA_NOMSG && at_zero % 4)
		subject_break(subject, RULE_RPCRDMA_LONG_PAD, "%llu bytes at position 0, xid 0x%08x", (unsigned long long)at_zero, header->xid);
	if (has_reads && !has_zero && header->has_procedure && header->procedure.program == NFS_PROGRAM && header->procedure.version == 3 &&
	    header->procedure.number != NFS3_WRITE && header->procedure.number != NFS3_SYMLINK)
		subject_break(subject, RULE_RPCRDMA_NFS_CHUNK, "procedure %u with a read chunk, xid 0x%08x", header->procedure.number, header->xid);
}

static void check_error(const struct subject *subject, struct state *state, const struct rpcrdma_header *header)
{
	struct call *own = find_call(&state->callers[subject->sender], header->xid), *other = find_call(&state->callers[!subject->sender], header->xid);

	if (header->version == RPCRDMA_VERSION_1 && header->has_error && header->error != ERR_VERS && header->error != ERR_CHUNK)
		subject_break(subject, RULE_RPCRDMA_ERROR_CODE, "code %u, xid 0x%08x", header->error, header->xid);
	if (header->error == ERR_VERS && header->has_versions && (header->low > header->high || (header->version >= header->low && header->version <= header->high)))
		subject_break(subject, RULE_RPCRDMA_ERROR_VERSIONS, "versions %u to %u, refused %u, xid 0x%08x", header->low, header->high,
			      header->version, header->xid);
	/* it refuses the reply: without any, it may refuse a call that was not captured */
	if (own && own->has_echo && !other)
		subject_break(subject, RULE_RPCRDMA_ERROR_SENDER, "RDMA_ERROR, xid 0x%08x, after its own call in frame %llu", header->xid,
			      (unsigned long long)own->frame);
}

/* Inline threshold: maximum bytes of a SEND of this end; 0: unknown. */
static uint32_t inline_threshold(const struct subject *subject)
{
	const struct setup *setup = subject->connection->setup;
	const struct setup_end *from, *to;

	if (!setup)
		return 0;
	from = &setup->ends[subject->sender];
	to = &setup->ends[!subject->sender];
	if (!from->private_known || !to->private_known)
		return 0;
	return from->send_size < to->receive_size ? from->send_size : to->receive_size;
}

static void check_inline(const struct subject *subject, const struct rpcrdma_header *header, uint64_t length)
{
	uint32_t most = inline_threshold(subject);

	if (most && length > most)
		subject_break(subject, RULE_RPCRDMA_INLINE, "%llu bytes, threshold %u, xid 0x%08x", (unsigned long long)length, most, header->xid);
}

/* A key that is offered again may be used again. */
static void offer_keys(struct state *state, unsigned caller, const struct rpcrdma_header *header)
{
	for (unsigned i = 0; i < KEYS; i++) {
		struct invalidated *key = &state->keys[!caller][i];

		for (uint32_t j = 0; j < header->segment_count && j < RPCRDMA_SEGMENTS; j++)
			key->is_set &= header->segments[j].handle != key->key;
		key->is_set &= header->is_whole;
	}
}

/* Whether all messages of the connection were captured. */
static bool is_from_start(const struct subject *subject, const struct state *state)
{
	const struct check_connection *connection = subject->connection;

	return connection->setup && !state->is_old && !connection->had_gap && !connection->had_unknown && !is_gap(subject) && !subject->is_ahead;
}

static void check_credits(const struct subject *subject, struct state *state, struct caller *caller)
{
	uint32_t grant = caller->grant > caller->grant_before ? caller->grant : caller->grant_before;

	if (!caller->has_grant) {
		/* before the first reply */
		if (!is_from_start(subject, state))
			return;
		grant = 1;
	}
	if (caller->excess.is_set || caller->outstanding <= grant)
		return;
	subject_exceed(subject, &caller->excess);
	caller->excess_number = caller->count;
	caller->excess_grant = grant;
	caller->proven = 1;
}

/* A call of the end that accepted the connection, before the other end sent any: nothing can have said that it takes calls. */
static void check_reverse(const struct subject *subject, struct state *state, const struct rpcrdma_header *header)
{
	const struct setup *setup = subject->connection->setup;

	if (!is_from_start(subject, state) || state->callers[setup->initiator].count)
		return;
	if (subject->sender == setup->initiator) {
		if (subject_proves(subject, &state->early))
			subject_break_at(subject, &state->early.origin, RULE_RPCRDMA_REVERSE_EARLY, "xid 0x%08x before any call of the other end",
					 state->early_xid);
	} else if (!state->early.is_set) {
		subject_exceed(subject, &state->early);
		state->early_xid = header->xid;
	}
}

static void take_call(const struct subject *subject, struct state *state, const struct rpcrdma_header *header, const struct rpcrdma_use *use)
{
	struct caller *caller = &state->callers[subject->sender];
	struct call *call = find_call(caller, header->xid), *oldest = &caller->calls[0];
	bool is_whole;

	check_reads(subject, header);
	rpcrdma_roundup_call(subject, header, use->length);
	check_reverse(subject, state, header);
	offer_keys(state, subject->sender, header);
	if (call && !call->is_answered)
		subject_break(subject, RULE_RPCRDMA_DUPLICATE_XID, "xid 0x%08x, outstanding since frame %llu", header->xid,
			      (unsigned long long)call->frame);
	/* which of both a reply answers is not known */
	is_whole = header->is_whole && !(call && !call->is_answered);
	if (call)
		call->is_whole &= is_whole;
	for (unsigned i = 0; i < CALLS && oldest->frame; i++)
		if (caller->calls[i].frame < oldest->frame)
			oldest = &caller->calls[i];
	caller->outstanding -= oldest->frame && !oldest->is_answered;
	caller->outstanding++;
	caller->count++;
	*oldest = (struct call){
		.frame = subject->packet->frame->number, .number = caller->count, .xid = header->xid, .is_whole = is_whole,
		.has_reply_chunk = header->has_reply_chunk, .write_chunks = header->write_chunks, .segment_count = header->segment_count,
		.procedure = header->procedure,
	};
	memcpy(oldest->segments, header->segments, sizeof oldest->segments);
	check_credits(subject, state, caller);
}

/* Compares the segments of one chunk in the reply with those in the call. False: they differ. */
static bool are_copies(const struct call *call, const struct rpcrdma_header *header, enum rpcrdma_list list, uint32_t chunk)
{
	const struct rpcrdma_segment *own = header->segments, *its = call->segments;
	const struct rpcrdma_segment *own_end = own + header->segment_count, *its_end = its + call->segment_count;
	bool is_empty = true;

	for (;; own++, its++, is_empty = false) {
		while (own < own_end && (own->list != list || (list == RPCRDMA_WRITE && own->chunk != chunk)))
			own++;
		while (its < its_end && (its->list != list || (list == RPCRDMA_WRITE && its->chunk != chunk)))
			its++;
		/* a chunk without segments is empty: the result is in the message */
		if (own == own_end || its == its_end)
			return own == own_end && (its == its_end || is_empty);
		if (own->handle != its->handle || own->position != its->position || own->length > its->length)
			return false;
	}
}

static void check_copies(const struct subject *subject, const struct call *call, const struct rpcrdma_header *header)
{
	if (!call->is_whole || !header->is_whole)
		return;
	for (uint32_t i = 0; i < header->write_chunks; i++)
		if (i >= call->write_chunks || !are_copies(call, header, RPCRDMA_WRITE, i)) {
			subject_break(subject, RULE_RPCRDMA_WRITE_COPY, "write chunk %u of xid 0x%08x differs from the call's in frame %llu", i + 1,
				      header->xid, (unsigned long long)call->frame);
			break;
		}
	if (header->has_reply_chunk && (!call->has_reply_chunk || !are_copies(call, header, RPCRDMA_REPLY, 0)))
		subject_break(subject, RULE_RPCRDMA_REPLY_COPY, "reply chunk of xid 0x%08x differs from the call's in frame %llu", header->xid,
			      (unsigned long long)call->frame);
}

static void check_invalidation(const struct subject *subject, struct state *state, const struct call *call, const struct rpcrdma_use *use)
{
	const struct rtap_packet *packet = subject->packet;
	const struct setup *setup = subject->connection->setup;
	bool found = false;

	if (!use->has_key)
		return;
	if (setup && setup->ends[0].private_known && setup->ends[1].private_known &&
	    !(setup->ends[0].remote_invalidation && setup->ends[1].remote_invalidation))
		subject_break(subject, RULE_RPCRDMA_INVALIDATE, "SEND with Invalidate, R: requester %u, responder %u",
			      setup->ends[!subject->sender].remote_invalidation, setup->ends[subject->sender].remote_invalidation);
	for (uint32_t i = 0; call && i < call->segment_count && i < RPCRDMA_SEGMENTS; i++)
		found |= call->segments[i].handle == use->key;
	if (call && call->is_whole && !found)
		subject_break(subject, RULE_RPCRDMA_INVALIDATE_KEY, "key 0x%08x is not in the call in frame %llu", use->key,
			      (unsigned long long)call->frame);
	state->keys[subject->sender][state->next_key[subject->sender]++ % KEYS] = (struct invalidated){
		true, use->key, packet->ib.psn, packet->frame->number };
}

static void prove_excess(const struct subject *subject, struct caller *caller, const struct call *call)
{
	bool is_over = true;

	caller->excess.is_received |= call->number >= caller->excess_number;
	if (!subject_proves(subject, &caller->excess))
		return;
	/* outstanding when the call was sent */
	if (call->number < caller->excess_number && ++caller->proven > caller->excess_grant) {
		subject_break_at(subject, &caller->excess.origin, RULE_RPCRDMA_CREDITS, "%llu calls outstanding, %u granted",
				 (unsigned long long)caller->proven, caller->excess_grant);
		caller->excess.is_set = false;
	}
	for (unsigned i = 0; i < CALLS; i++)
		is_over &= !caller->calls[i].frame || caller->calls[i].is_answered || caller->calls[i].number >= caller->excess_number;
	if (is_over)
		caller->excess.is_set = false;
}

/* RFC 8166 has no credits of RDMA_ERROR, but requesters take them: such a grant only counts if it is larger. */
static void take_grant(struct caller *caller, const struct rpcrdma_header *header)
{
	if (header->version != RPCRDMA_VERSION_1 || (header->type == RDMA_ERROR && header->credits <= caller->grant))
		return;
	/* calls already in flight when the grant is lowered are allowed */
	caller->grant_before = caller->has_grant ? caller->grant : 0;
	caller->grant = header->credits;
	caller->has_grant = true;
}

static void take_reply(const struct subject *subject, struct state *state, const struct rpcrdma_header *header, const struct rpcrdma_use *use)
{
	struct caller *caller = &state->callers[!subject->sender];
	struct call *call = find_call(caller, header->xid);

	if (header->is_whole && header->segment_count && header->segments[0].list == RPCRDMA_READ)
		subject_break(subject, RULE_RPCRDMA_REPLY_READ, "read chunk in the reply of xid 0x%08x", header->xid);
	if (header->type != RDMA_ERROR && header->version == RPCRDMA_VERSION_1 && !header->credits)
		subject_break(subject, RULE_RPCRDMA_GRANT_ZERO, "0 credits, xid 0x%08x", header->xid);
	take_grant(caller, header);
	check_invalidation(subject, state, call, use);
	if (!call)
		return;
	call->has_echo = true;
	if (call->is_answered) {
		subject_break(subject, RULE_RPCRDMA_REPLY_TWICE, "xid 0x%08x, call in frame %llu", header->xid, (unsigned long long)call->frame);
		return;
	}
	check_copies(subject, call, header);
	rpcrdma_roundup_reply(subject, header, use->length, &call->procedure);
	call->is_answered = true;
	caller->outstanding--;
	prove_excess(subject, caller, call);
}

/* An RDMA READ or WRITE with a key that its sender invalidated before: of iWARP, TCP has the order. */
static void check_key(const struct subject *subject, const struct state *state, uint32_t used)
{
	const struct rtap_ib_facts *ib = &subject->packet->ib;

	for (unsigned i = 0; i < KEYS; i++) {
		const struct invalidated *key = &state->keys[subject->sender][i];

		if (key->is_set && key->key == used && (!ib->has_bth || (int32_t)((ib->psn - key->psn) << 8) > 0))
			subject_break(subject, RULE_RPCRDMA_KEY_REUSED, "key 0x%08x, invalidated in frame %llu", used, (unsigned long long)key->frame);
	}
}

static void check_private(const struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;

	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];
		const uint8_t *bytes = layer_bytes(packet, layer);

		if (layer->protocol == PROTOCOL_RPCRDMA_PRIVATE && layer->length >= 8 && bytes[5] & ~1)
			subject_break(subject, RULE_RPCRDMA_PRIVATE, "flags 0x%02x", bytes[5]);
	}
}

static void take_header(struct subject *subject, const struct rpcrdma_use *use)
{
	struct rpcrdma_header header;
	struct state *state;
	struct call *call;

	if (!rpcrdma_header_read(subject->packet, use->header, &header))
		return;
	check_header(subject, &header);
	if (!is_new(subject->packet) || subject->is_late || !(state = subject_state(subject, CHECK_GROUP_RPCRDMA, sizeof *state)))
		return;
	check_inline(subject, &header, use->length);
	if (header.type == RDMA_ERROR)
		check_error(subject, state, &header);
	if (header.type == RDMA_MSGP || header.type == RDMA_DONE || header.type > RDMA_ERROR || (header.type == RDMA_MSG && !header.has_rpc)) {
		/* of another version or type, it may be a call: both directions can use an XID */
		if ((call = find_call(&state->callers[!subject->sender], header.xid)))
			call->has_echo = header.version == RPCRDMA_VERSION_1 && header.type <= RDMA_ERROR;
		return;
	}
	if (is_reply(&header))
		take_reply(subject, state, &header, use);
	else
		take_call(subject, state, &header, use);
}

static void take_use(void *context, const struct rpcrdma_use *use)
{
	struct subject *subject = context;
	const struct state *state = subject->connection ? subject->connection->groups[CHECK_GROUP_RPCRDMA] : NULL;

	if (use->header)
		take_header(subject, use);
	else if (state && is_new(subject->packet) && !subject->is_ahead) /* else a call that was not captured may offer the key */
		check_key(subject, state, use->key);
}

/* Clears what a gap may have changed: grants, offered keys and calls. */
static void discard(struct state *state)
{
	memset(state->keys, 0, sizeof state->keys);
	state->early.is_set = false;
	for (unsigned i = 0; i < 2; i++) {
		memset(state->callers[i].calls, 0, sizeof state->callers[i].calls);
		state->callers[i].outstanding = 0;
		state->callers[i].excess.is_set = false;
		state->callers[i].has_grant = false;
	}
	state->is_old = true;
}

/* An unknown type, positions, and a message without chunks are other rules. */
static void check_lists(const struct subject *subject, const struct rtap_layer *layer)
{
	struct rpcrdma_header header;

	if (layer->protocol == PROTOCOL_RPCRDMA && rpcrdma_header_read(subject->packet, layer, &header) && header.type <= RDMA_ERROR && !header.is_whole)
		subject_break(subject, RULE_RPCRDMA_CHUNK_LIST, "chunk lists of xid 0x%08x", header.xid);
}

void rpcrdma_rules_packet(struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;
	struct state *state = subject->connection ? subject->connection->groups[CHECK_GROUP_RPCRDMA] : NULL;

	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		if (packet->anomalies[i].code == RTAP_ANOMALY_BAD_CHUNK_LIST)
			check_lists(subject, &packet->layers[packet->anomalies[i].layer]);
	if (packet_has(packet, PROTOCOL_RPCRDMA_PRIVATE))
		check_private(subject);
	if (state && is_gap(subject))
		discard(state);
	if (state || packet_has(packet, PROTOCOL_RPCRDMA))
		rpcrdma_send_each(packet, take_use, subject);
}
