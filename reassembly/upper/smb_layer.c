/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SMB Direct as an upper layer: credits, fragments, and the SMB messages that they carry.
 */
#include "config.h"

#include <stdlib.h>

#include "dissect/dissect.h"
#include "dissect/smb/smb.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_list.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/smb_layer.h"
#include "reassembly/upper/smb_names.h"
#include "reassembly/upper/smb_request.h"

static const struct rtap_layer *layer_with(const struct rtap_packet *packet, uint16_t protocol)
{
	for (uint8_t i = 0; packet_has(packet, protocol) && i < packet->layer_count; i++)
		if (packet->layers[i].protocol == protocol)
			return &packet->layers[i];
	return NULL;
}

static void dissect_again(struct upper_work *work)
{
	work->context->upper = RTAP_UPPER_SMB_DIRECT;
	work->dissect(work);
}

/* A negotiation: the credits that the server grants are the first ones of the client. [MS-SMBD] 3.1.5.2 and 3.1.5.3. */
static void take_negotiation(struct upper_work *work, struct smb_connection *state)
{
	const struct rtap_layer *response = layer_with(work->packet, PROTOCOL_SMB_DIRECT_RESPONSE);

	if (!upper_is_new(work) || !response || response->length < SMB_DIRECT_RESPONSE_LENGTH)
		return;
	state->credits[work->from_a] = (struct smb_credits){ .is_known = true };
	state->credits[!work->from_a] = (struct smb_credits){
		.is_known = true, .left = (uint32_t)little_bits(layer_bytes(work->packet, response), SMB_DIRECT_RESPONSE_GRANTED),
	};
}

/* A transfer consumes a credit, and may grant some to the other end. */
static void take_credits(struct upper_work *work, struct smb_connection *state, const uint8_t *header)
{
	struct smb_credits *own = &state->credits[work->from_a], *other = &state->credits[!work->from_a];
	uint64_t granted = little_bits(header, SMB_DIRECT_CREDITS_GRANTED);
	int64_t now = work->message->shown.time_ns;

	/* no credit left: a grant was not captured */
	own->is_known &= own->left > 0;
	own->left -= own->left > 0;
	if (own->waits && now > own->since_ns)
		own->waited_ns += (uint64_t)(now - own->since_ns);
	own->waits = own->is_known && !own->left && little_bits(header, SMB_DIRECT_REMAINING);
	own->since_ns = now;
	if (other->is_known)
		other->left += (uint32_t)granted;
}

static void set_shown(struct rtap_tracker *tracker, struct connection *connection, uint8_t *bytes, uint32_t length)
{
	struct smb_connection *state = connection->upper_state;

	free(state->shown);
	budget_give(&tracker->budget, &connection->entry, state->shown_length);
	budget_add(&tracker->budget, &connection->entry, length);
	state->shown = bytes;
	state->shown_length = length;
}

/* Shows the message in the packet, with the facts about its request. */
static void show_message(struct upper_work *work, const struct smb_whole *whole, struct smb_request *request)
{
	struct rtap_span bytes = whole->bytes;

	work->context->request = smb_known(request, bytes);
	if (whole->sends > 1) {
		if (bytes.length < whole->wire || (work->keep && !work->keep(work, &bytes)))
			return;
		work->context->chunk = bytes;
		set_shown(work->tracker, work->connection, (uint8_t *)(uintptr_t)whole->bytes.bytes, whole->bytes.length);
	} else if (!work->keep && !work->context->request.has_details) {
		/* the packet has these layers already */
		work->packet->request = work->context->request;
		return;
	} else if (!work->context->request.frame) {
		return;
	}
	dissect_again(work);
}

/* Whether the SEND was taken before from a copy that the capture truncated. */
static bool completes_truncated(const struct upper_work *work)
{
	return work->message && !work->keep && work->result->completed == work->message;
}

static struct smb_lost lost_of(const struct message *send)
{
	uint64_t repeats = send->shown.repeats;

	return (struct smb_lost){ send->shown.time_lost_us, repeats < UINT32_MAX ? (uint32_t)repeats : UINT32_MAX };
}

/* All SENDs of a message belong to its request. */
static void claim_fragments(struct psn_stream *stream, const struct smb_whole *whole, uint64_t number)
{
	struct message *message = stream && whole->sends > 1 ? message_list_find_before(stream, whole->last_psn, NULL) : NULL;

	for (; message && message->low >= whole->first_psn; message = message_list_before(message))
		if (message->request_number == REQUEST_AWAITED)
			message->request_number = number;
}

/* A message of which packets are missing, as far as it was captured. work->message: its last SEND that was. */
static void take_unfinished(struct upper_work *work, struct smb_whole *whole)
{
	struct message *message = work->message;

	if (!message->request && !message->operation) {
		message->request_number = 0;
		smb_take_message(work, whole, smb_request_of(work, whole->bytes));
		claim_fragments(message->stream, whole, message->request_number);
	}
	coverage_fini(&whole->present);
}

/* Adds a SEND of which packets are missing to the fragments. */
static void add_unfinished(struct rtap_tracker *tracker, struct message *message, struct smb_connection *state)
{
	const uint8_t *header = command_front(message, SMB_DIRECT_LENGTH);
	const struct coverage_run *run = coverage_runs(&message->coverage);
	uint64_t position = message_position(message), offset, pmtu = message->stream ? message->stream->pmtu : 0;
	struct smb_fragment fragment;
	uint32_t captured;

	if (!header || !message->coverage.bytes || !pmtu)
		return;
	offset = little_bits(header, SMB_DIRECT_OFFSET);
	captured = (uint32_t)(run->end - position < UINT32_MAX ? run->end - position : UINT32_MAX);
	fragment = (struct smb_fragment){
		.psn = message->low, .given_up = message->stream->given_up, .frame = message->shown.first_frame, .time_ns = message->shown.time_ns,
		.length = (uint32_t)little_bits(header, SMB_DIRECT_DATA_LENGTH), .remaining = (uint32_t)little_bits(header, SMB_DIRECT_REMAINING),
		.lost = lost_of(message),
	};
	if (offset < SMB_DIRECT_LEAST_OFFSET || offset >= captured || !fragment.length || message_known_length(message) > offset + fragment.length)
		return;
	fragment.end = message->low + (offset + fragment.length + pmtu - 1) / pmtu;
	captured -= (uint32_t)offset;
	fragment.bytes = (struct rtap_span){ header + offset, captured < fragment.length ? captured : fragment.length };
	smb_fragments_add_part(tracker, message->connection, &state->fragments[message->shown.from_a], &fragment, &message->coverage, position + offset);
	message->request_number = REQUEST_AWAITED;
}

#define MOST_EXAMINED 256      /* SENDs of which packets may be missing */

/* Packets are missing before the last message only if there are gaps. */
static void add_all_unfinished(struct rtap_tracker *tracker, const struct psn_stream *stream, struct smb_connection *state)
{
	struct message *message = TAILQ_LAST(&stream->messages, message_list);
	unsigned left = stream->connection->ddp ? 0 : stream->gaps.count ? MOST_EXAMINED : 1;

	for (; message && left; message = message_list_before(message), left--)
		add_unfinished(tracker, message, state);
}

/* The request of a response: its message is not whole, and can be known so far. */
static void find_unfinished(struct upper_work *work, struct smb_connection *state, struct rtap_span bytes)
{
	struct psn_stream *stream = &work->connection->streams[!work->from_a];
	struct upper_work then = { .tracker = work->tracker, .connection = work->connection, .from_a = !work->from_a, .is_known = true, .response = work->message };
	uint64_t id = bytes.length >= SMB2_HEADER_LENGTH ? little_bits(bytes.bytes, SMB2_MESSAGE_ID) : SMB2_NO_MESSAGE_ID;
	struct smb_whole whole;

	if (id == SMB2_NO_MESSAGE_ID || !smb_is_response(bytes) || command_find(work->connection, !work->from_a, id))
		return;
	add_all_unfinished(work->tracker, stream, state);
	if (!smb_fragments_take(work->tracker, work->connection, &state->fragments[!work->from_a], id, &whole))
		return;
	then.message = message_list_find_before(stream, whole.last_psn, NULL);
	if (!then.message || then.message->low != whole.last_psn) {
		coverage_fini(&whole.present);
		return;
	}
	take_unfinished(&then, &whole);
	if (then.message->request_number)
		command_opened(&then);
}

/* A SEND is settled that lacks packets, or is a fragment of a message that is not whole. */
static void take_incomplete(struct rtap_tracker *tracker, struct message *message)
{
	struct upper_work work = command_work(tracker, message, NULL);
	struct smb_connection *state = message->connection->upper_state;
	const struct smb_fragment *fragment;
	struct smb_whole whole;

	if (!state || message->connection->ddp)
		return;
	add_unfinished(tracker, message, state);
	add_all_unfinished(tracker, message->stream, state);
	fragment = smb_fragments_find(&state->fragments[work.from_a], message->low);
	/* the rest can follow, as after a wait for credits */
	if (!fragment || (fragment->remaining && !psn_lacks(message->stream, fragment->given_up, message->high + 1, message->stream->next)))
		return;
	if (smb_fragments_settle(tracker, message->connection, &state->fragments[work.from_a], message->low, &whole))
		take_unfinished(&work, &whole);
}

/* A transfer with data. */
static void take_transfer(struct upper_work *work, struct smb_connection *state, const struct rtap_layer *layer)
{
	const struct rtap_payload send = layer_rest(work->packet, layer);
	struct rtap_span bytes = { layer_bytes(work->packet, layer), send.captured };
	uint32_t offset, length;
	struct psn_stream *stream;
	struct smb_fragment fragment;
	struct smb_request *request;
	struct smb_whole whole;

	offset = (uint32_t)little_bits(bytes.bytes, SMB_DIRECT_OFFSET);
	length = (uint32_t)little_bits(bytes.bytes, SMB_DIRECT_DATA_LENGTH);
	if (!length || (uint64_t)offset + length > send.wire || offset > bytes.length)
		return;
	bytes = (struct rtap_span){ bytes.bytes + offset, bytes.length - offset < length ? bytes.length - offset : length };
	if (!upper_is_new(work) && !completes_truncated(work)) {
		/* a repeat is shown like the first copy, if possible */
		whole = (struct smb_whole){ .bytes = bytes, .wire = length, .sends = 1 };
		if (!little_bits(layer_bytes(work->packet, layer), SMB_DIRECT_REMAINING))
			show_message(work, &whole, smb_request_of(work, bytes));
		return;
	}
	find_unfinished(work, state, bytes);
	stream = work->message->stream;
	fragment = (struct smb_fragment){
		.psn = work->message->low, .end = work->message->high + 1, .given_up = stream ? stream->given_up : 0,
		.has_msn = work->message->shown.has_msn, .msn = work->message->shown.psn,
		.frame = work->message->shown.first_frame, .time_ns = work->message->shown.time_ns, .bytes = bytes, .length = length,
		.remaining = (uint32_t)little_bits(layer_bytes(work->packet, layer), SMB_DIRECT_REMAINING),
		.lost = lost_of(work->message),
	};
	if (!smb_fragments_add(work->tracker, work->connection, &state->fragments[work->from_a], stream, &fragment, &whole)) {
		work->message->request_number = REQUEST_AWAITED;
		return;
	}
	request = smb_request_of(work, whole.bytes);
	show_message(work, &whole, request);
	smb_take_message(work, &whole, request);
	if (!smb_is_response(whole.bytes))
		smb_show_paths(work);
	claim_fragments(work->message->stream, &whole, work->message->request_number);
	state->credits[work->from_a].waited_ns = 0;
	if (whole.sends > 1 && whole.bytes.bytes != state->shown)
		free((void *)(uintptr_t)whole.bytes.bytes);
}

static bool take_packet(struct upper_work *work)
{
	const struct rtap_layer *layer;
	struct smb_connection *state;

	if (work->message && work->message->region) {
		region_take_data(work->tracker, work->message, work->result);
		return true;
	}
	if ((work->packet->upper != RTAP_UPPER_SMB_DIRECT && !work->is_known) || (work->message && work->message->shown.verb != RTAP_VERB_SEND))
		return false;
	state = smb_connection_make(work->tracker, work->connection);
	if (!state)
		return false;
	if (work->packet->upper != RTAP_UPPER_SMB_DIRECT || work->keep)
		dissect_again(work);
	layer = layer_with(work->packet, PROTOCOL_SMB_DIRECT);
	if (!layer) {
		take_negotiation(work, state);
		return true;
	}
	if (layer->length < SMB_DIRECT_LENGTH)
		return true;
	if (upper_is_new(work))
		take_credits(work, state, layer_bytes(work->packet, layer));
	take_transfer(work, state, layer);
	return true;
}

static void free_own(struct rtap_tracker *tracker, struct connection *connection)
{
	struct smb_connection *state = connection->upper_state;

	if (!state)
		return;
	for (int side = 0; side < 2; side++)
		smb_fragments_fini(tracker, connection, &state->fragments[side]);
	set_shown(tracker, connection, NULL, 0);
}

/* Drops fragments whose message began before the two halves were merged. */
static void merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	free_own(tracker, from);
	command_merged(tracker, from, to, turned);
}

static void over(struct rtap_tracker *tracker, struct connection *connection)
{
	free_own(tracker, connection);
	command_over(tracker, connection);
}

/* A SEND lost time or had repeats: of several fragments, the request has the losses of all. */
static void lost(struct rtap_tracker *tracker, const struct message *message, const struct upper_loss *loss)
{
	struct smb_connection *state = message->connection->upper_state;
	struct request *request = NULL;
	struct smb_fragment *fragment;

	if (message->shown.verb == RTAP_VERB_SEND && state && message->request_number == REQUEST_AWAITED) {
		fragment = smb_fragments_find(&state->fragments[message->shown.from_a], message->low);
		if (fragment)
			smb_lost_add(&fragment->lost, loss);
		return;
	}
	if (message->shown.verb == RTAP_VERB_SEND && !loss->taken_ns && !message->connection->ddp)
		request = request_find(message->connection, message->request_number);
	if (request && request->message != message && request->response != message)
		smb_request_lost(request, message, loss);
	else
		request_take_lost(tracker, message, loss);
}

static const struct upper_memory memory = {
	.may_want = region_may_want, .claim = region_claim, .data_settled = request_data_settled, .unclaim = region_unclaim, .lost = lost,
};

static const uint16_t ports[] = { SMB_PORT, SMB_PORT_IWARP, 0 };

const struct upper_layer smb_layer = {
	.name = "smb",
	.init = smb_names_init,
	.ports = ports,
	.carried = RTAP_UPPER_SMB_DIRECT,
	.packet = take_packet,
	.memory = &memory,
	.response_settled = command_settled,
	.incomplete = take_incomplete,
	.detach = command_detach,
	.merged = merged,
	.end = command_end,
	.over = over,
	.fini = smb_names_fini,
};
