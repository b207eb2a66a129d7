/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/nvme/nvme.h"
#include "dissect/nvme/nvme_parts.h"
#include "dissect/scsi/iser.h"
#include "dissect/scsi/srp.h"
#include "output/check/subject.h"

#define REQUESTS 256             /* outstanding requests kept */
#define LATE_REQUESTS 4          /* requests after a response: its own can be among them, captured late */
#define NVME_PSDT 14, 2
#define NVME_USES_SGL 1
#define NVME_ANY_HEAD 0xffff     /* without flow control of submission queues */
#define SRP_DELTA 32, 32
#define ISCSI_IMMEDIATE 1, 1
#define ISCSI_CMDSN 192, 32
#define ISCSI_MAX_CMDSN 256, 32

struct request {
	uint64_t frame;          /* 0: empty */
	int64_t time_ns;
	uint64_t number, id;     /* id: CID or tag */
	bool is_doubled;         /* another one with this id was outstanding when it was sent, and was answered */
};

struct state {
	bool is_whole;           /* everything since the setup was captured */
	bool has_begun;
	unsigned requester;
	struct request requests[REQUESTS];
	uint64_t count, outstanding;
	/* a command above the size of the queue, until responses prove that so many were outstanding; 0: none */
	uint64_t excess, proven;
	struct check_origin excess_origin;
	/* a response to no request yet: captures can have the two directions in another order */
	struct check_origin early;
	enum check_rule_number early_rule;
	uint64_t early_id, early_count; /* early_count: requests before it */
	int64_t limit;           /* SRP: requests that may be sent */
	bool has_window, has_order;
	uint32_t max_cmdsn, next_cmdsn;
};

static bool is_new(const struct rtap_packet *packet)
{
	if (packet->flow.tcp_analysis != RTAP_TCP_NONE)
		return packet->flow.tcp_analysis == RTAP_TCP_NEW;
	return packet->flow.analysis == RTAP_PSN_IN_ORDER;
}

static void discard(struct state *state)
{
	*state = (struct state){ .has_begun = true };
}

static void note_early(const struct subject *subject, struct state *state, uint64_t id, enum check_rule_number rule)
{
	if (!state->is_whole || state->early.frame)
		return;
	state->early = (struct check_origin){ subject->packet->frame->number, subject->packet->frame->time_ns, true };
	state->early_rule = rule;
	state->early_id = id;
	state->early_count = state->count;
}

/* Whether the response to a request was captured before it. A response to which none of the next requests fits is a violation. */
static bool take_early(const struct subject *subject, struct state *state, uint64_t id)
{
	bool fits = state->early.frame && state->early_id == id;

	if (!state->early.frame || (!fits && state->count - state->early_count < LATE_REQUESTS))
		return false;
	if (!fits)
		subject_break_at(subject, &state->early, state->early_rule, "0x%llx is in no request before it, nor in the %d after it",
				 (unsigned long long)state->early_id, LATE_REQUESTS);
	state->early.frame = 0;
	return fits;
}

/* Records a request. */
static void add_request(const struct subject *subject, struct state *state, uint64_t id)
{
	struct request *oldest = &state->requests[0];

	state->count++;
	if (take_early(subject, state, id))
		return;
	for (unsigned i = 0; i < REQUESTS && oldest->frame; i++)
		if (state->requests[i].frame < oldest->frame)
			oldest = &state->requests[i];
	if (oldest->frame)
		state->is_whole = false;
	state->outstanding += !oldest->frame;
	*oldest = (struct request){
		.frame = subject->packet->frame->number, .time_ns = subject->packet->frame->time_ns, .number = state->count, .id = id };
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
		if (!first || request->frame < first->frame) {
			second = first;
			first = request;
		} else if (!second || request->frame < second->frame) {
			second = request;
		}
	}
	if (!first)
		return false;
	if (second)
		second->is_doubled = true;
	*answered = *first;
	if (first->is_doubled)
		subject_break_at(subject, &(struct check_origin){ first->frame, first->time_ns, true }, doubled, "0x%llx is outstanding",
				 (unsigned long long)id);
	first->frame = 0;
	state->outstanding--;
	return true;
}

static void check_sgl(const struct subject *subject, const uint8_t *command)
{
	unsigned psdt = (unsigned)little_bits(command, NVME_PSDT), type = (unsigned)little_bits(command, NVME_SGL_TYPE);
	unsigned subtype = (unsigned)little_bits(command, NVME_SGL_SUBTYPE);
	bool is_inside = type == NVME_SGL_DATA || type == NVME_SGL_SEGMENT || type == NVME_SGL_LAST_SEGMENT;
	bool fits = (is_inside && subtype == NVME_SGL_IS_OFFSET) || type == NVME_SGL_TRANSPORT ||
		    (type == NVME_SGL_KEYED && (subtype == NVME_SGL_IS_ADDRESS || subtype == NVME_SGL_INVALIDATES));

	if (command[0] == NVME_FABRICS)
		return;
	if (psdt != NVME_USES_SGL)
		subject_break(subject, RULE_NVME_SGL, "opcode 0x%02x with PSDT %u", command[0], psdt);
	else if (!fits && (type || subtype || little_bits(command, NVME_SGL_LONG_LENGTH))) /* all zero: no data */
		subject_break(subject, RULE_NVME_SGL, "opcode 0x%02x with descriptor type %u, subtype %u", command[0], type, subtype);
}

static void take_nvme_command(const struct subject *subject, struct state *state, const uint8_t *command)
{
	const struct setup *setup = subject->connection->setup;
	const struct rtap_frame *frame = subject->packet->frame;

	check_sgl(subject, command);
	if (state->is_whole && !state->count && setup && setup->is_nvme &&
	    !(command[0] == NVME_FABRICS && command[4] == NVME_CONNECT))
		subject_break(subject, RULE_NVME_CONNECT, "opcode 0x%02x", command[0]);
	add_request(subject, state, little_bits(command, NVME_CID));
	if (!setup || !setup->is_nvme || state->excess || state->outstanding <= setup->nvme_host_send + 1u)
		return;
	state->excess = state->count;
	state->proven = 1;
	state->excess_origin = (struct check_origin){ frame->number, frame->time_ns, true };
}

static void take_nvme_response(const struct subject *subject, struct state *state, const uint8_t *response)
{
	const struct setup *setup = subject->connection->setup;
	uint32_t head = (uint32_t)little_bits(response, NVME_SQHD), cid = (uint32_t)little_bits(response, NVME_RESPONSE_CID);
	struct request answered;

	if (setup && setup->is_nvme && head != NVME_ANY_HEAD && head > setup->nvme_host_send)
		subject_break(subject, RULE_NVME_HEAD, "SQHD %u, queue of %u", head, setup->nvme_host_send + 1u);
	if (!take_answer(subject, state, cid, RULE_NVME_CID, &answered)) {
		note_early(subject, state, cid, RULE_NVME_RESPONSE);
		return;
	}
	if (!state->excess || answered.number >= state->excess)
		return;
	if (setup && ++state->proven > setup->nvme_host_send + 1u) {
		subject_break_at(subject, &state->excess_origin, RULE_NVME_QUEUE, "%llu outstanding, queue of %u", (unsigned long long)state->proven,
				 setup->nvme_host_send + 1u);
		state->excess = 0;
	}
}

static void take_srp_request(const struct subject *subject, struct state *state, const uint8_t *unit)
{
	state->limit--;
	if (state->is_whole && state->limit < 0)
		subject_break(subject, RULE_SRP_CREDITS, "tag 0x%llx, request limit 0", (unsigned long long)bits(unit, SRP_TAG));
	if (state->limit < 0)
		state->limit = 0;
	add_request(subject, state, bits(unit, SRP_TAG));
}

static void take_srp_unit(const struct subject *subject, struct state *state, const uint8_t *unit, uint32_t length)
{
	struct request answered;

	if (length < 16)
		return;
	switch (unit[0]) {
	case SRP_COMMAND: case SRP_TASK_MANAGEMENT: take_srp_request(subject, state, unit); break;
	case SRP_CREDIT_REQUEST: case SRP_AER_REQUEST: state->limit += (int32_t)bits(unit, SRP_DELTA); break;
	case SRP_RESPONSE:
		state->limit += (int32_t)bits(unit, SRP_DELTA);
		if (!take_answer(subject, state, bits(unit, SRP_TAG), RULE_SRP_TAG, &answered))
			note_early(subject, state, bits(unit, SRP_TAG), RULE_SRP_ANSWER);
		break;
	default: break;
	}
}

static void take_iscsi(const struct subject *subject, struct state *state, const uint8_t *pdu)
{
	uint8_t opcode = (uint8_t)bits(pdu, ISCSI_OPCODE);
	uint32_t number = (uint32_t)bits(pdu, ISCSI_CMDSN);
	bool is_immediate = bits(pdu, ISCSI_IMMEDIATE);

	if (opcode >= ISCSI_NOP_IN) {
		uint32_t most = (uint32_t)bits(pdu, ISCSI_MAX_CMDSN);

		/* of R2T and Data-In too; others have no such field */
		if (opcode == ISCSI_RESPONSE || opcode == ISCSI_NOP_IN || opcode == ISCSI_TEXT_RESPONSE || opcode == ISCSI_LOGIN_RESPONSE) {
			state->max_cmdsn = !state->has_window || (int32_t)(most - state->max_cmdsn) > 0 ? most : state->max_cmdsn;
			state->has_window = true;
		}
		return;
	}
	if (opcode != ISCSI_COMMAND || is_immediate)
		return;
	if (state->has_window && (int32_t)(number - state->max_cmdsn) > 0)
		subject_break(subject, RULE_ISCSI_WINDOW, "CmdSN %u, MaxCmdSN %u", number, state->max_cmdsn);
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
			take_nvme_command(subject, state, bytes);
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

static bool has_storage(const struct rtap_packet *packet)
{
	return packet->upper == RTAP_UPPER_NVME || packet->upper == RTAP_UPPER_SRP || packet->upper == RTAP_UPPER_ISER;
}

void storage_rules_packet(struct subject *subject)
{
	const struct rtap_packet *packet = subject->packet;
	struct state *state = subject->connection ? subject->connection->groups[CHECK_GROUP_STORAGE] : NULL;

	if (has_storage(packet))
		state = subject_state(subject, CHECK_GROUP_STORAGE, sizeof *state);
	if (!state)
		return;
	/* a gap may have contained requests and responses */
	if (subject->is_gap || (!is_new(packet) && packet->flow.analysis != RTAP_PSN_NONE))
		discard(state);
	if (!has_storage(packet) || !is_new(packet))
		return;
	if (!state->has_begun) {
		state->has_begun = true;
		state->is_whole = subject->connection->setup != NULL && !subject->connection->had_gap;
		state->limit = state->is_whole ? subject->connection->setup->srp_limit : 0;
	}
	for (uint8_t i = 0; i < packet->layer_count; i++)
		take_layer(subject, state, &packet->layers[i]);
}
