/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp_walk.h"
#include "dissect/nvme/nvme.h"
#include "dissect/nvme/nvme_parts.h"
#include "dissect/scsi/iser.h"
#include "dissect/scsi/srp.h"
#include "output/check/subject.h"

#define REQUESTS 256             /* outstanding requests kept */
#define EARLY 4
#define LATE_REQUESTS 4          /* requests after a response: its own can be among them, captured late */
#define NVME_PSDT 14, 2
#define NVME_USES_SGL 1
#define NVME_CONNECT_SQSIZE 352, 16
#define NVME_ANY_HEAD 0xffff     /* without flow control of submission queues */
#define SRP_DELTA 32, 32
#define ISCSI_IMMEDIATE 1, 1
#define ISCSI_CMDSN 192, 32
#define ISCSI_EXP_CMDSN 224, 32
#define ISCSI_MAX_CMDSN 256, 32

struct request {
	uint64_t frame;          /* 0: empty */
	int64_t time_ns;
	uint64_t number, id;     /* id: CID or tag */
	uint32_t psn;            /* InfiniBand */
	bool is_ordered;         /* TCP: its sender had what was captured before, and nothing else */
	bool may_be_over;        /* its response was captured before it, or a later task management ended it without one */
	bool is_over;            /* ... and its id was used again */
	bool is_doubled;         /* another one with this id was outstanding when it was sent, and was answered */
};

/* A response to no request yet: captures can have the two directions in another order. */
struct early {
	struct check_origin origin; /* frame 0: none */
	enum check_rule_number rule;
	uint64_t id, count;      /* count: requests before it */
	uint32_t acknowledged;   /* by its sender: its request can be among what was acknowledged, and not captured yet */
	bool is_certain;         /* its request was not missed */
};

struct state {
	bool is_whole;           /* everything since the setup was captured */
	uint32_t queue_size;     /* NVMe: by the setup or Connect; 0: unknown */
	bool has_begun;
	struct request requests[REQUESTS];
	bool may_be_over;        /* one of them */
	uint64_t count, outstanding;
	struct check_excess excess; /* a request above the limit */
	uint64_t excess_number;  /* of the request, tag, or CmdSN */
	uint64_t proven;         /* NVMe: commands that were outstanding with it */
	struct early early[EARLY];
	int64_t limit;           /* SRP: requests that may be sent, if is_whole */
	bool has_window, has_order; /* has_window: since the setup, as the target may lower MaxCmdSN, but the initiator ignores that */
	uint32_t max_cmdsn, next_cmdsn;
};

static bool is_new(const struct rtap_packet *packet)
{
	if (packet->flow.tcp_analysis != RTAP_TCP_NONE)
		return packet->flow.tcp_analysis == RTAP_TCP_NEW;
	return packet->flow.analysis == RTAP_PSN_IN_ORDER;
}

/* Everything in it was captured before. */
static bool is_repeat(const struct rtap_packet *packet)
{
	uint8_t tcp = packet->flow.tcp_analysis, psn = packet->flow.analysis;

	if (tcp != RTAP_TCP_NONE)
		return tcp == RTAP_TCP_RETRANSMISSION || tcp == RTAP_TCP_CAPTURED_TWICE || tcp == RTAP_TCP_KEEP_ALIVE;
	return psn == RTAP_PSN_RETRANSMISSION || psn == RTAP_PSN_DUPLICATE || psn == RTAP_PSN_CAPTURED_TWICE || psn == RTAP_PSN_NONE;
}

static void discard(struct state *state)
{
	*state = (struct state){ .has_begun = true, .queue_size = state->queue_size };
}

static void note_early(const struct subject *subject, struct state *state, uint64_t id, enum check_rule_number rule)
{
	const struct rtap_frame *frame = subject->packet->frame;

	if (state->is_whole && subject->packet->tcp.present && !subject->is_ahead) {
		subject_break(subject, rule, "0x%llx is in no request before it", (unsigned long long)id);
		return;
	}
	for (unsigned i = 0; i < EARLY; i++)
		if (!state->early[i].origin.frame) {
			state->early[i] = (struct early){
				{ frame->number, frame->time_ns, true }, rule, id, state->count,
				subject->connection->acknowledged[subject->sender], state->is_whole,
			};
			return;
		}
}

/* Whether the response to a request was captured before it. A response to which none of the next requests fits is a violation. */
static bool take_early(const struct subject *subject, struct state *state, uint64_t id)
{
	for (unsigned i = 0; i < EARLY; i++) {
		struct early *early = &state->early[i];

		if (!early->origin.frame)
			continue;
		if (early->id == id) {
			early->origin.frame = 0;
			return true;
		}
		if (state->count - early->count < LATE_REQUESTS || !subject_is_after(subject, early->acknowledged))
			continue;
		if (early->is_certain)
			subject_break_at(subject, &early->origin, early->rule, "0x%llx is in no request before it, nor in the %d after it",
					 (unsigned long long)early->id, LATE_REQUESTS);
		early->origin.frame = 0;
	}
	return false;
}

/* The slot for another request: an empty one, that of a request that is over, or the oldest one. */
static struct request *free_slot(struct state *state)
{
	struct request *found = &state->requests[0];

	for (unsigned i = 0; i < REQUESTS && found->frame; i++) {
		struct request *request = &state->requests[i];

		if (!request->frame || request->is_over > found->is_over || (request->is_over == found->is_over && request->frame < found->frame))
			found = request;
	}
	return found;
}

static void add_request(const struct subject *subject, struct state *state, uint64_t id)
{
	const struct rtap_packet *packet = subject->packet;
	struct request *slot;

	state->count++;
	if (take_early(subject, state, id))
		return;
	for (unsigned i = 0; i < REQUESTS && state->may_be_over; i++) {
		struct request *request = &state->requests[i];

		if (!request->frame || request->id != id || !request->may_be_over || request->is_over)
			continue;
		request->is_over = true;
		state->outstanding--;
	}
	slot = free_slot(state);
	if (slot->frame && !slot->is_over)
		state->is_whole = false;
	else
		state->outstanding++;
	*slot = (struct request){
		.frame = packet->frame->number, .time_ns = packet->frame->time_ns, .number = state->count, .id = id, .psn = packet->ib.psn,
		.is_ordered = packet->tcp.present && !subject->is_ahead, .may_be_over = subject_is_acknowledged(subject),
	};
	state->may_be_over |= slot->may_be_over;
}

/* A is older, or rather to be taken than B. */
static bool is_before(const struct request *a, const struct request *b)
{
	return a->is_over != b->is_over ? b->is_over : a->number < b->number;
}

/*
 * Removes the oldest request with this id. Two outstanding requests with one id are a violation if both get a response: then no
 * response between them was missed.
 */
static bool take_answer(const struct subject *subject, struct state *state, uint64_t id, enum check_rule_number doubled, struct request *answered)
{
	struct request *first = NULL, *second = NULL;

	for (unsigned i = 0; i < REQUESTS; i++) {
		struct request *request = &state->requests[i];

		if (!request->frame || request->id != id)
			continue;
		if (!first || is_before(request, first)) {
			second = first;
			first = request;
		} else if (!second || is_before(request, second)) {
			second = request;
		}
	}
	if (!first)
		return false;
	/* captures can have the directions in another order: the second one may be sent after this response */
	if (second && !second->is_over && (second->is_ordered || subject_acknowledged(subject, second->psn)))
		second->is_doubled = true;
	*answered = *first;
	if (first->is_doubled)
		subject_break_at(subject, &(struct check_origin){ first->frame, first->time_ns, true }, doubled, "0x%llx is outstanding",
				 (unsigned long long)id);
	first->frame = 0;
	state->outstanding -= !first->is_over;
	return true;
}

static void check_sgl(const struct subject *subject, const uint8_t *command)
{
	unsigned psdt = (unsigned)little_bits(command, NVME_PSDT), type = (unsigned)little_bits(command, NVME_SGL_TYPE);
	unsigned subtype = (unsigned)little_bits(command, NVME_SGL_SUBTYPE);
	bool is_inside = type == NVME_SGL_DATA || type == NVME_SGL_SEGMENT || type == NVME_SGL_LAST_SEGMENT;
	bool fits = (is_inside && subtype == NVME_SGL_IS_OFFSET) || type == NVME_SGL_TRANSPORT ||
		    (type == NVME_SGL_KEYED && (subtype == NVME_SGL_IS_ADDRESS || subtype == NVME_SGL_INVALIDATES));

	/* the other ones have no data, and PSDT is reserved in all */
	if (command[0] == NVME_FABRICS && command[4] != NVME_CONNECT && command[4] != NVME_AUTHENTICATION_SEND && command[4] != NVME_AUTHENTICATION_RECEIVE)
		return;
	if (command[0] != NVME_FABRICS && psdt != NVME_USES_SGL)
		subject_break(subject, RULE_NVME_SGL, "opcode 0x%02x with PSDT %u", command[0], psdt);
	else if (!fits && (type || subtype || little_bits(command, NVME_SGL_LONG_LENGTH))) /* all zero: no data */
		subject_break(subject, RULE_NVME_SGL, "opcode 0x%02x with descriptor type %u, subtype %u", command[0], type, subtype);
}

static void take_nvme_command(const struct subject *subject, struct state *state, const uint8_t *command, uint32_t captured)
{
	bool is_connect = command[0] == NVME_FABRICS && command[4] == NVME_CONNECT;

	check_sgl(subject, command);
	if (is_connect && captured >= NVME_COMMAND_LENGTH)
		state->queue_size = (uint32_t)little_bits(command, NVME_CONNECT_SQSIZE) + 1;
	if (state->is_whole && !state->count && !is_connect)
		subject_break(subject, RULE_NVME_CONNECT, "opcode 0x%02x", command[0]);
	add_request(subject, state, little_bits(command, NVME_CID));
	if (!state->queue_size || state->excess.is_set || state->outstanding <= state->queue_size)
		return;
	subject_exceed(subject, &state->excess);
	state->excess_number = state->count;
	state->proven = 1;
}

static void take_nvme_response(const struct subject *subject, struct state *state, const uint8_t *response)
{
	uint32_t head = (uint32_t)little_bits(response, NVME_SQHD), cid = (uint32_t)little_bits(response, NVME_RESPONSE_CID);
	struct request answered;

	if (state->queue_size && head != NVME_ANY_HEAD && head >= state->queue_size)
		subject_break(subject, RULE_NVME_HEAD, "SQHD %u, queue of %u", head, state->queue_size);
	if (!take_answer(subject, state, cid, RULE_NVME_CID, &answered)) {
		note_early(subject, state, cid, RULE_NVME_RESPONSE);
		return;
	}
	state->excess.is_received |= answered.number >= state->excess_number;
	if (!subject_proves(subject, &state->excess) || answered.number >= state->excess_number)
		return;
	if (++state->proven > state->queue_size) {
		subject_break_at(subject, &state->excess.origin, RULE_NVME_QUEUE, "%llu outstanding, queue of %u", (unsigned long long)state->proven,
				 state->queue_size);
		state->excess.is_set = false;
	}
}

static void take_srp_request(const struct subject *subject, struct state *state, const uint8_t *unit)
{
	const struct setup *setup = subject->connection->setup;

	state->limit--;
	if (state->is_whole && setup && setup->is_srp && state->limit < 0 && !state->excess.is_set) {
		subject_exceed(subject, &state->excess);
		state->excess_number = bits(unit, SRP_TAG);
	}
	add_request(subject, state, bits(unit, SRP_TAG));
}

/* The credits of a unit of the target. */
static void take_srp_delta(const struct subject *subject, struct state *state, const uint8_t *unit)
{
	if (subject_proves(subject, &state->excess)) {
		subject_break_at(subject, &state->excess.origin, RULE_SRP_CREDITS, "tag 0x%llx, request limit 0", (unsigned long long)state->excess_number);
		state->excess.is_set = false;
		state->limit = 0;
	}
	state->limit += (int32_t)bits(unit, SRP_DELTA);
}

static void take_srp_unit(const struct subject *subject, struct state *state, const uint8_t *unit, uint32_t length)
{
	struct request answered;

	if (length < 16)
		return;
	switch (unit[0]) {
	case SRP_TASK_MANAGEMENT:
		for (unsigned i = 0; i < REQUESTS; i++)
			state->requests[i].may_be_over = state->may_be_over = true;
		take_srp_request(subject, state, unit);
		break;
	case SRP_COMMAND: take_srp_request(subject, state, unit); break;
	case SRP_CREDIT_REQUEST: case SRP_AER_REQUEST: take_srp_delta(subject, state, unit); break;
	case SRP_RESPONSE:
		state->excess.is_received |= bits(unit, SRP_TAG) == state->excess_number;
		take_srp_delta(subject, state, unit);
		if (!take_answer(subject, state, bits(unit, SRP_TAG), RULE_SRP_TAG, &answered))
			note_early(subject, state, bits(unit, SRP_TAG), RULE_SRP_ANSWER);
		break;
	default: break;
	}
}

/* The window in a PDU of the target: all have it at the same place. RFC 7143, section 11. */
static void take_window(const struct subject *subject, struct state *state, uint32_t expected, uint32_t most)
{
	state->excess.is_received |= (int32_t)(expected - (uint32_t)state->excess_number) > 0;
	if (subject_proves(subject, &state->excess)) {
		subject_break_at(subject, &state->excess.origin, RULE_ISCSI_WINDOW, "CmdSN %u, MaxCmdSN %u", (uint32_t)state->excess_number,
				 state->max_cmdsn);
		state->excess.is_set = false;
	}
	state->max_cmdsn = !state->has_window || (int32_t)(most - state->max_cmdsn) > 0 ? most : state->max_cmdsn;
	state->has_window = true;
}

static bool has_window(uint8_t opcode)
{
	return (opcode >= ISCSI_NOP_IN && opcode <= ISCSI_LOGOUT_RESPONSE) || opcode == ISCSI_R2T || opcode == ISCSI_ASYNC || opcode == ISCSI_REJECT;
}

static bool has_number(uint8_t opcode)
{
	return opcode == ISCSI_COMMAND || opcode == ISCSI_NOP_OUT || opcode == ISCSI_TASK_MANAGEMENT || opcode == ISCSI_TEXT || opcode == ISCSI_LOGOUT;
}

static void take_iscsi(const struct subject *subject, struct state *state, const uint8_t *pdu)
{
	uint8_t opcode = (uint8_t)bits(pdu, ISCSI_OPCODE);
	uint32_t number = (uint32_t)bits(pdu, ISCSI_CMDSN);

	if (has_window(opcode))
		take_window(subject, state, (uint32_t)bits(pdu, ISCSI_EXP_CMDSN), (uint32_t)bits(pdu, ISCSI_MAX_CMDSN));
	if (!has_number(opcode) || bits(pdu, ISCSI_IMMEDIATE))
		return;
	if (state->has_window && state->is_whole && (int32_t)(number - state->max_cmdsn) > 0 && !state->excess.is_set) {
		subject_exceed(subject, &state->excess);
		state->excess_number = number;
	}
	if (state->has_order && (int32_t)(number - state->next_cmdsn) < 0)
		subject_break(subject, RULE_ISCSI_ORDER, "CmdSN %u after %u", number, state->next_cmdsn - 1);
	state->has_order = true;
	state->next_cmdsn = number + 1;
}

static void take_layer(const struct subject *subject, struct state *state, const struct rtap_layer *layer)
{
	const uint8_t *bytes = layer_bytes(subject->packet, layer);

	switch (layer->protocol) {
	case PROTOCOL_NVME_COMMAND: case PROTOCOL_NVME_FABRICS:
		if (layer->length >= NVME_COMMON_LENGTH)
			take_nvme_command(subject, state, bytes, layer_rest(subject->packet, layer).captured);
		break;
	case PROTOCOL_NVME_RESPONSE:
		if (layer->length >= NVME_RESPONSE_LENGTH)
			take_nvme_response(subject, state, bytes);
		break;
	case PROTOCOL_SRP_COMMAND: case PROTOCOL_SRP_RESPONSE: case PROTOCOL_SRP_UNIT: case PROTOCOL_SRP_TASK: case PROTOCOL_SRP_CREDIT:
	case PROTOCOL_SRP_EVENT:
		take_srp_unit(subject, state, bytes, layer->length);
		break;
	case PROTOCOL_ISCSI:
		if (layer->length >= ISCSI_LENGTH)
			take_iscsi(subject, state, bytes);
		break;
	default: break;
	}
}

static bool is_unit(uint16_t protocol)
{
	switch (protocol) {
	case PROTOCOL_NVME_COMMAND: case PROTOCOL_NVME_FABRICS: case PROTOCOL_NVME_RESPONSE: case PROTOCOL_SRP_COMMAND: case PROTOCOL_SRP_RESPONSE:
	case PROTOCOL_SRP_UNIT: case PROTOCOL_SRP_TASK: case PROTOCOL_SRP_CREDIT: case PROTOCOL_SRP_EVENT: case PROTOCOL_ISER:
	case PROTOCOL_ISER_HELLO: case PROTOCOL_ISER_HELLO_REPLY: case PROTOCOL_SRP_TARGET_LOGOUT: return true;
	default: return false;
	}
}

/* Whether each SEND that ends in the packet is shown. */
static bool shows_each_send(const struct rtap_packet *packet)
{
	const struct rtap_flow_facts *flow = &packet->flow;
	const struct rtap_fpdu *fpdu;
	struct rtap_iwarp_facts facts;
	struct iwarp_walk walk;
	unsigned sends = 0, shown = 0;
	uint32_t length;

	if (!packet->fpdus.count)
		return packet->upper != RTAP_UPPER_UNKNOWN || !flow->completes || flow->kind != RTAP_KIND_SEND || !flow->message_length;
	iwarp_walk_init(&walk, packet);
	while ((fpdu = iwarp_next_fpdu(&walk))) {
		const uint8_t *head = fpdu_head(fpdu, &length);

		sends += iwarp_read(head, length, fpdu->ulpdu_length, &facts) == OK && iwarp_is_send(facts.opcode) && facts.last;
	}
	for (uint8_t i = 0; i < packet->layer_count; i++)
		shown += is_unit(packet->layers[i].protocol);
	return shown >= sends;
}

static bool has_storage(const struct rtap_packet *packet)
{
	return packet->upper == RTAP_UPPER_NVME || packet->upper == RTAP_UPPER_SRP || packet->upper == RTAP_UPPER_ISER;
}

void storage_rules_packet(struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;
	struct state *state = subject->connection->groups[CHECK_GROUP_STORAGE];
	bool is_other = subject->connection->groups[CHECK_GROUP_RPCRDMA] || subject->connection->groups[CHECK_GROUP_SMB];
	bool is_unknown = !is_other && (packet->upper == RTAP_UPPER_UNKNOWN || has_storage(packet)) && !shows_each_send(packet);

	subject->connection->had_unknown |= is_unknown;
	if (has_storage(packet))
		state = subject_state(subject, CHECK_GROUP_STORAGE, sizeof *state);
	if (!state)
		return;
	/* a gap may have contained requests and responses */
	if (subject->is_gap || is_unknown || (!is_new(packet) && !is_repeat(packet)))
		discard(state);
	if (!has_storage(packet) || !is_new(packet) || subject->is_late)
		return;
	if (!state->has_begun) {
		state->has_begun = true;
		state->is_whole = subject->connection->setup != NULL && !subject->connection->had_gap && !subject->connection->had_unknown;
		state->limit = state->is_whole ? subject->connection->setup->srp_limit : 0;
		if (subject->connection->setup && subject->connection->setup->is_nvme)
			state->queue_size = subject->connection->setup->nvme_host_send + 1u;
	}
	for (uint8_t i = 0; i < packet->layer_count; i++)
		take_layer(subject, state, &packet->layers[i]);
}
